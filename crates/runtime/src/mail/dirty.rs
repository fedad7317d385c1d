//! Work for dirty schedulers: their queues, and the threads that wait for it.
//!
//! What is done with the work is in `exec::scheduler::dirty`. A thread is started when work is queued and all others
//! are busy, up to the numbers that the node was started with. Any thread may call [`later`].

pub(crate) mod here;
mod work_queue;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex};
use sys::park::{ParkingSpot, Wakeup};

use super::hooks::machine;
use super::microstate::{self, ThreadState};
use super::schedulers;
use crate::process::dirty::DirtyKind;
use crate::process::owner::{Owner, Runnable};
use crate::process::{Priority, config, priority_of};
pub(crate) use here::{as_dirty, begin, take_charged};
pub use here::{is_here, kind_here};
use work_queue::WorkQueue;

/// Runs something at some later time on a dirty scheduler, where it may block or take long. The caller is not told when
/// it is done.
pub fn later(kind: DirtyKind, work: impl FnOnce() + Send + 'static) {
    pool(kind).submit(Work::Function(Box::new(work)));
}

/// Work on at least this many things takes milliseconds.
const MANY_THINGS: usize = 1 << 14;

/// Whether work on that many things of a process that ends is for later.
pub(crate) fn takes_long(count: usize) -> bool {
    count >= MANY_THINGS && !BLOCKED.load(Ordering::SeqCst)
}

/// Does work on that many things of a process that ends: here and now, or later if it would take long.
pub(crate) fn now_or_later(count: usize, work: impl FnOnce() + Send + 'static) {
    if takes_long(count) {
        later(DirtyKind::Cpu, work);
    } else {
        work();
    }
}

pub enum Work {
    Call(Runnable),
    Collection(Runnable),
    /// A task that takes long, of a process that is borrowed: a run queue holds it too.
    BorrowedTask(Owner),
    Function(Box<dyn FnOnce() + Send>),
}

impl Work {
    /// That of the process that waits for it.
    fn priority(&self) -> Priority {
        match self {
            Work::Call(runnable) | Work::Collection(runnable) => priority_of(runnable.state()),
            Work::BorrowedTask(_) => Priority::Max,
            Work::Function(_) => Priority::Normal,
        }
    }
}

/// The dirty schedulers of one kind.
pub(crate) struct Pool {
    queue: Mutex<Queue>,
    /// Where threads that are not online wait until they may work again.
    came_online: Condvar,
    kind: DirtyKind,
    /// One for each thread that may ever be started.
    places: OnceLock<Box<[DirtyScheduler]>>,
}

/// The part of a dirty scheduler that other threads access.
#[derive(Default)]
struct DirtyScheduler {
    clock: Clock,
    /// Where its thread waits for work.
    spot: ParkingSpot,
}

/// Measures how long a dirty scheduler has been working.
#[derive(Default)]
struct Clock {
    /// Nanoseconds worked, without the work that began at `began_ns` and still lasts (0: it waits).
    worked_ns: AtomicI64,
    began_ns: AtomicI64,
}

impl Clock {
    fn start(&self) {
        self.began_ns
            .store(sys::clock::monotonic_ns(), Ordering::Relaxed);
    }

    fn stop(&self) {
        let began_ns = self.began_ns.swap(0, Ordering::Relaxed);
        let worked_ns = sys::clock::monotonic_ns() - began_ns;
        self.worked_ns.fetch_add(worked_ns, Ordering::Relaxed);
    }

    fn read_ns(&self) -> i64 {
        let running_ns = match self.began_ns.load(Ordering::Relaxed) {
            0 => 0,
            began_ns => (sys::clock::monotonic_ns() - began_ns).max(0),
        };
        self.worked_ns.load(Ordering::Relaxed) + running_ns
    }
}

/// For each dirty scheduler of a kind, the nanoseconds it has worked.
#[must_use]
pub fn worked_ns(kind: DirtyKind) -> Vec<i64> {
    pool(kind)
        .places()
        .iter()
        .map(|place| place.clock.read_ns())
        .collect()
}

#[derive(Default)]
struct Queue {
    work: WorkQueue<Work>,
    threads: usize,
    /// Numbers that no thread has, because it could not be started; all others up to the greatest are in use.
    not_started: Vec<usize>,
    /// The numbers of the threads that wait for work, used as a stack: the last one's memory is still in a cache, and
    /// the others' memory stays untouched.
    idle: Vec<usize>,
    /// Threads that wait because they are not online.
    offline: usize,
}

impl Queue {
    /// The number of a thread to be started.
    fn new_number(&mut self) -> usize {
        self.threads += 1;
        self.not_started.pop().unwrap_or(self.threads)
    }

    /// The thread with this number could not be started.
    fn give_back(&mut self, number: usize) {
        self.threads -= 1;
        self.not_started.push(number);
    }
}

static CPU: Pool = Pool::new(DirtyKind::Cpu);

static IO: Pool = Pool::new(DirtyKind::Io);

pub(crate) fn pool(kind: DirtyKind) -> &'static Pool {
    match kind {
        DirtyKind::Cpu => &CPU,
        DirtyKind::Io => &IO,
    }
}

/// The number of work items that wait for a dirty scheduler of a kind.
#[must_use]
pub fn queue_length(kind: DirtyKind) -> usize {
    pool(kind).queue.lock().work.len()
}

/// As [`queue_length`], plus the items that are being worked on.
#[must_use]
pub fn active_tasks(kind: DirtyKind) -> usize {
    let queue = pool(kind).queue.lock();
    queue.work.len()
        + queue
            .threads
            .saturating_sub(queue.idle.len() + queue.offline)
}

impl Pool {
    const fn new(kind: DirtyKind) -> Pool {
        Pool {
            queue: Mutex::new(Queue {
                work: WorkQueue::new(),
                threads: 0,
                not_started: Vec::new(),
                idle: Vec::new(),
                offline: 0,
            }),
            came_online: Condvar::new(),
            kind,
            places: OnceLock::new(),
        }
    }

    fn places(&self) -> &[DirtyScheduler] {
        self.places.get_or_init(|| {
            let config = config::get();
            let most_threads = match self.kind {
                DirtyKind::Cpu => config.dirty_cpu_schedulers,
                DirtyKind::Io => config.flags.dirty_io_schedulers,
            };
            (0..most_threads.max(1))
                .map(|_| DirtyScheduler::default())
                .collect()
        })
    }

    /// The number of threads that may work at once.
    fn most_threads(&self) -> usize {
        match self.kind {
            DirtyKind::Cpu => cpu_online(),
            DirtyKind::Io => config::get().flags.dirty_io_schedulers,
        }
        .max(1)
    }

    pub(crate) fn submit(&'static self, work: Work) {
        let priority = work.priority();
        let mut queue = self.queue.lock();
        if BLOCKED.load(Ordering::SeqCst) {
            drop(queue);
            (machine().do_dirty_work)(work);
            return;
        }
        queue.work.push(work, priority);
        if let Some(number) = queue.idle.pop() {
            drop(queue);
            self.wake(number);
            return;
        }
        if queue.threads >= self.most_threads() {
            return;
        }
        let number = queue.new_number();
        drop(queue);
        self.start_thread(number);
    }

    /// Wakes a thread that was taken off the idle list.
    fn wake(&self, number: usize) {
        self.places()[number - 1].spot.unpark();
    }

    /// Makes all waiting threads check again whether they may work.
    fn wake_all(&self) {
        let idle = std::mem::take(&mut self.queue.lock().idle);
        for number in idle {
            self.wake(number);
        }
        self.came_online.notify_all();
    }

    fn start_thread(&'static self, number: usize) {
        let name = match self.kind {
            DirtyKind::Cpu => format!("{number}_dirty_cpu"),
            DirtyKind::Io => format!("{number}_dirty_io"),
        };
        let started = sys::thread::spawn(&name, schedulers::STACK_BYTES, move || {
            (machine().run_dirty_scheduler)(self.kind, number)
        });
        if started.is_err() {
            let mut queue = self.queue.lock();
            queue.give_back(number);
            // If another thread exists, it will do the work later; with none, the work must be done here.
            let left = if queue.threads == 0 {
                queue.work.take_all()
            } else {
                Vec::new()
            };
            drop(queue);
            left.into_iter().for_each(machine().do_dirty_work);
        }
    }

    /// What the thread with this number does as long as the node lives.
    pub(crate) fn run(&self, number: usize, mut perform: impl FnMut(Work)) -> ! {
        let clock = &self.places()[number - 1].clock;
        loop {
            let work = self.next(number);
            clock.start();
            microstate::set(ThreadState::Emulator);
            perform(work);
            microstate::set(ThreadState::Sleep);
            clock.stop();
        }
    }

    fn next(&self, number: usize) -> Work {
        let spot = &self.places()[number - 1].spot;
        let mut settled = false;
        let mut queue = self.queue.lock();
        loop {
            if number > self.most_threads() {
                // This thread may have been woken for work that it may not do: pass the wake-up on.
                if !queue.work.is_empty()
                    && let Some(other) = queue.idle.pop()
                {
                    self.wake(other);
                }
                queue.offline += 1;
                self.came_online.wait(&mut queue);
                queue.offline -= 1;
                continue;
            }
            if !BLOCKED.load(Ordering::SeqCst)
                && let Some(work) = queue.work.pop()
            {
                return work;
            }
            queue.idle.push(number);
            drop(queue);
            let most_ns =
                (!settled).then(|| sys::allocator::settles_after_ns(sys::clock::monotonic_ns()));
            let time_is_over = spot.park(most_ns, 0) == Wakeup::TimedOut;
            queue = self.queue.lock();
            if let Some(at) = queue.idle.iter().rposition(|&idle| idle == number) {
                queue.idle.remove(at);
            }
            if time_is_over && queue.work.is_empty() {
                drop(queue);
                sys::allocator::settle();
                settled = true;
                queue = self.queue.lock();
            }
        }
    }

    /// Whether no thread is working; if so, this thread does the queued work.
    fn is_quiet(&self) -> bool {
        let work = {
            let mut queue = self.queue.lock();
            if queue.threads > queue.idle.len() + queue.offline {
                return false;
            }
            queue.work.take_all()
        };
        work.into_iter().for_each(machine().do_dirty_work);
        true
    }
}

/// The number of online dirty CPU schedulers; 0 until it is first changed.
static CPU_ONLINE: AtomicUsize = AtomicUsize::new(0);

/// Whether only one scheduler of any kind may work; it then does the dirty work itself.
static BLOCKED: AtomicBool = AtomicBool::new(false);

/// The number of online dirty CPU schedulers.
#[must_use]
pub fn cpu_online() -> usize {
    match CPU_ONLINE.load(Ordering::SeqCst) {
        0 => config::get().dirty_cpu_schedulers_online,
        online => online,
    }
}

/// Sets the number of online dirty CPU schedulers; returns the previous one.
pub fn set_cpu_online(count: usize) -> usize {
    let before = cpu_online();
    CPU_ONLINE.store(count, Ordering::SeqCst);
    CPU.wake_all();
    before
}

/// Makes the dirty schedulers stop or continue. Those that are working finish their current item first.
pub(crate) fn set_blocked(blocked: bool) {
    if BLOCKED.swap(blocked, Ordering::SeqCst) && !blocked {
        for pool in [&CPU, &IO] {
            pool.wake_all();
        }
    }
}

/// Whether no dirty scheduler is working any more; called while they are blocked.
pub(crate) fn is_quiet() -> bool {
    CPU.is_quiet() && IO.is_quiet()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_not_used_is_given_again() {
        let mut queue = Queue::default();
        assert_eq!([1, 2, 3].map(|_| queue.new_number()), [1, 2, 3]);
        queue.give_back(2);
        assert_eq!([(); 2].map(|()| queue.new_number()), [2, 4]);
        queue.give_back(1);
        queue.give_back(4);
        let mut again = [(); 3].map(|()| queue.new_number());
        again.sort_unstable();
        assert_eq!((again, queue.threads), ([1, 4, 5], 5));
    }
}
