//! Work for dirty schedulers: their queues, and the threads that wait for it.
//!
//! What is done with the work is in `exec::scheduler::dirty`. Threads are started one after the other while work is
//! queued and all others are busy, up to the numbers that the node was started with. Any thread may call [`later`].
//!
//! **A short call costs no wake-up.** A thread that has done its work waits in a loop for a moment before it sleeps, if
//! that has paid lately, and so does the scheduler that has left it the call. It may be given work from before it gives
//! a process back, and is the first that is given some: calls in a row are made by one thread.
//!
//! **The machine's own work waits for nobody else's.** Functions of libraries may keep their threads for ever, so the
//! machine's long BIFs and collections have threads of their own ([`DirtyKind::Long`]), and what it owes to others (to
//! tell that a process has ended, to close its ports) has others again ([`DirtyKind::Chore`]). Of these two kinds, work
//! that others wait behind keeps its place for [`TURN_NS`]: after that another thread, started for this if need be,
//! works beside it, and the system divides the processors among them ([`turns`]).

pub(crate) mod here;
mod turns;
mod work_queue;

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use sys::memory::budget::Leaving;
use sys::park::{ParkingSpot, Wakeup};

use super::hooks::machine;
use super::in_vain::InVain;
use super::microstate::{self, ThreadState};
use super::schedulers;
use crate::process::dirty::DirtyKind;
use crate::process::owner::{Owner, Runnable};
use crate::process::{Priority, config, priority_of};
pub(crate) use here::{as_dirty, begin, call_for, is_called_by, take_charged};
pub use here::{is_here, is_in_vain, kind_here};
use work_queue::WorkQueue;

/// Runs something at some later time on a dirty scheduler, where it may block or take long. The caller is not told when
/// it is done.
pub fn later(kind: DirtyKind, work: impl FnOnce() + Send + 'static) {
    pool(kind).submit(Work::Function(Box::new(work)));
}

/// Frees something large on a dirty scheduler. Until then nothing is refused for want of its memory.
pub(crate) fn free_later(free: impl FnOnce() + Send + 'static) {
    let leaving = Leaving::begin();
    later(DirtyKind::Chore, move || {
        free();
        drop(leaving);
    });
}

/// Work on at least this many things takes milliseconds.
const MANY_THINGS: usize = 1 << 14;

/// Whether work on that many things of a process that ends is for later.
pub(crate) fn takes_long(count: usize) -> bool {
    count >= MANY_THINGS && !are_blocked()
}

/// Whether dirty schedulers do nothing just now, and what is left to them is done by whoever leaves it.
pub(crate) fn are_blocked() -> bool {
    BLOCKED.load(Ordering::SeqCst)
}

/// Frees that many things of a process that ends: here and now, or later if it would take long.
pub(crate) fn free_now_or_later(count: usize, free: impl FnOnce() + Send + 'static) {
    if takes_long(count) {
        free_later(free);
    } else {
        free();
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
    kind: DirtyKind,
    /// How long a thread without work waits for some in a loop before it sleeps; set by `+sbwtdcpu` and `+sbwtdio`.
    busy_wait_ns: AtomicU64,
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

    /// How long the present work has lasted; 0 if there is none.
    fn lasts_ns(&self) -> i64 {
        match self.began_ns.load(Ordering::Relaxed) {
            0 => 0,
            began_ns => (sys::clock::monotonic_ns() - began_ns).max(0),
        }
    }

    fn read_ns(&self) -> i64 {
        self.worked_ns.load(Ordering::Relaxed) + self.lasts_ns()
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
    /// Work that has been taken from the queue and is not done, without what has lasted longer than its turn.
    working: usize,
    /// Work that has lasted longer than its turn, by the number of its thread; others work in its place.
    overdue: Vec<usize>,
    /// Work that was given to a thread that does not know of it yet, by the number of the thread.
    given: FxHashMap<usize, Work>,
    threads: usize,
    /// Whether a thread was started that does not run yet. Others are started when it does: several short pieces of
    /// work at once are done by few threads.
    is_starting: bool,
    /// Numbers that no thread has, because it could not be started; all others up to the greatest are in use.
    not_started: Vec<usize>,
    /// The numbers of the threads that wait for work, used as a stack: the last one's memory is still in a cache, and
    /// the others' memory stays untouched.
    idle: Vec<usize>,
}

impl Queue {
    /// The number of a thread to be started.
    fn new_number(&mut self) -> usize {
        self.is_starting = true;
        self.threads += 1;
        self.not_started.pop().unwrap_or(self.threads)
    }

    /// The thread with this number could not be started.
    fn give_back(&mut self, number: usize) {
        self.is_starting = false;
        self.threads -= 1;
        self.not_started.push(number);
    }

    /// The thread with this number has done its work.
    fn has_done(&mut self, number: usize) {
        match self.overdue.iter().position(|&overdue| overdue == number) {
            Some(at) => drop(self.overdue.swap_remove(at)),
            None => self.working -= 1,
        }
    }

    /// The thread with this number has done its work and may get other work.
    fn returns(&mut self, number: usize) {
        self.has_done(number);
        self.idle.push(number);
    }

    /// Gives the first of the waiting work to a thread, if another one may work at once: one that waits, or else a new
    /// one while there are fewer than `most_threads`.
    fn give(&mut self, most_working: usize, most_threads: usize) -> Option<Receiver> {
        if BLOCKED.load(Ordering::SeqCst) || self.working >= most_working || self.work.is_empty() {
            return None;
        }
        let receiver = match self.idle.pop() {
            Some(number) => Receiver::Waiting(number),
            None if self.threads < most_threads && !self.is_starting => {
                Receiver::New(self.new_number())
            }
            None => return None,
        };
        let (Receiver::Waiting(number) | Receiver::New(number)) = receiver;
        let work = self.work.pop()?;
        self.working += 1;
        self.given.insert(number, work);
        Some(receiver)
    }
}

/// The number of the thread that was given work.
enum Receiver {
    Waiting(usize),
    /// It must be started.
    New(usize),
}

/// What a thread does with a piece of work; a [lone](Turn::lone) one is of a thread that is no dirty scheduler.
pub(crate) struct Turn {
    of: Option<(&'static Pool, usize)>,
    is_over: Cell<bool>,
}

impl Turn {
    fn new(pool: &'static Pool, number: usize) -> Turn {
        Turn {
            of: Some((pool, number)),
            is_over: Cell::new(false),
        }
    }

    pub(crate) fn lone() -> Turn {
        Turn {
            of: None,
            is_over: Cell::new(true),
        }
    }

    /// The work is done, and what is left of the turn takes next to no time: the thread may be given other work from
    /// here on. Whoever gives a process back calls this first. What the process asks for next finds this thread then,
    /// and neither wakes nor starts another one.
    pub(crate) fn end(&self) {
        let Some((pool, number)) = self.of.filter(|_| !self.is_over.replace(true)) else {
            return;
        };
        microstate::set(ThreadState::Sleep);
        pool.places()[number - 1].clock.stop();
        let receiver = {
            let mut queue = pool.queue.lock();
            queue.returns(number);
            pool.give(&mut queue)
        };
        match receiver {
            // It looks before it waits.
            Some(Receiver::Waiting(own)) if own == number => {}
            Some(other) => pool.tell(other),
            None => {}
        }
    }
}

static CPU: Pool = Pool::new(DirtyKind::Cpu);

static IO: Pool = Pool::new(DirtyKind::Io);

static LONG: Pool = Pool::new(DirtyKind::Long);

static CHORES: Pool = Pool::new(DirtyKind::Chore);

static POOLS: [&Pool; 4] = [&CPU, &IO, &LONG, &CHORES];

pub(crate) fn pool(kind: DirtyKind) -> &'static Pool {
    match kind {
        DirtyKind::Cpu => &CPU,
        DirtyKind::Io => &IO,
        DirtyKind::Long => &LONG,
        DirtyKind::Chore => &CHORES,
    }
}

/// The pools whose work programs see as that of a kind: the machine's own long work is that of dirty CPU schedulers.
fn pools_seen_as(kind: DirtyKind) -> impl Iterator<Item = &'static Pool> {
    let is_seen = move |pool: &&Pool| match pool.kind {
        DirtyKind::Long | DirtyKind::Chore => kind == DirtyKind::Cpu,
        other => kind == other,
    };
    POOLS.into_iter().filter(is_seen)
}

/// The number of work items that wait for a dirty scheduler of a kind; the machine's own long work is counted with
/// [`DirtyKind::Cpu`].
#[must_use]
pub fn queue_length(kind: DirtyKind) -> usize {
    let waiting = |pool: &Pool| pool.queue.lock().work.len();
    pools_seen_as(kind).map(waiting).sum()
}

/// As [`queue_length`], plus the items that are being worked on.
#[must_use]
pub fn active_tasks(kind: DirtyKind) -> usize {
    let active = |pool: &Pool| {
        let queue = pool.queue.lock();
        queue.work.len() + queue.working + queue.overdue.len()
    };
    pools_seen_as(kind).map(active).sum()
}

/// The number that a dirty scheduler has among the threads of microstate accounting, where all that do long work are
/// dirty CPU schedulers.
pub(crate) fn account_number(kind: DirtyKind, number: usize) -> usize {
    let before = match kind {
        DirtyKind::Cpu | DirtyKind::Io => 0,
        DirtyKind::Long => CPU.places().len(),
        DirtyKind::Chore => CPU.places().len() + LONG.places().len(),
    };
    before + number
}

impl Pool {
    const fn new(kind: DirtyKind) -> Pool {
        Pool {
            queue: Mutex::new(Queue {
                work: WorkQueue::new(),
                working: 0,
                overdue: Vec::new(),
                given: FxHashMap::with_hasher(rustc_hash::FxBuildHasher),
                threads: 0,
                is_starting: false,
                not_started: Vec::new(),
                idle: Vec::new(),
            }),
            kind,
            busy_wait_ns: AtomicU64::new(0),
            places: OnceLock::new(),
        }
    }

    fn places(&self) -> &[DirtyScheduler] {
        self.places.get_or_init(|| {
            let config = config::get();
            let most_threads = match self.kind {
                DirtyKind::Cpu => config.dirty_cpu_schedulers,
                DirtyKind::Io => config.flags.dirty_io_schedulers,
                DirtyKind::Long | DirtyKind::Chore => {
                    (config.dirty_cpu_schedulers * THREADS_BY_TURNS).max(LEAST_THREADS_BY_TURNS)
                }
            };
            (0..most_threads.max(1))
                .map(|_| DirtyScheduler::default())
                .collect()
        })
    }

    /// The number of threads that may work at once, without those whose turn is over.
    fn most_working(&self) -> usize {
        match self.kind {
            DirtyKind::Cpu | DirtyKind::Long | DirtyKind::Chore => cpu_online(),
            DirtyKind::Io => config::get().flags.dirty_io_schedulers,
        }
        .max(1)
    }

    /// Whether others work in the place of work whose turn is over.
    fn has_turns(&self) -> bool {
        matches!(self.kind, DirtyKind::Long | DirtyKind::Chore)
    }

    fn give(&self, queue: &mut Queue) -> Option<Receiver> {
        queue.give(self.most_working(), self.places().len())
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
        let receiver = self.give(&mut queue);
        let some_wait = !queue.work.is_empty();
        drop(queue);
        if let Some(receiver) = receiver {
            self.tell(receiver);
        }
        if some_wait && self.has_turns() {
            turns::watch();
        }
    }

    /// Makes a thread begin the work that it was given.
    fn tell(&'static self, receiver: Receiver) {
        match receiver {
            Receiver::Waiting(number) => {
                self.places()[number - 1].spot.unpark();
            }
            Receiver::New(number) => self.start_thread(number),
        }
    }

    /// Gives the waiting work to threads, as far as these may work.
    fn give_all(&'static self) {
        loop {
            let receiver = self.give(&mut self.queue.lock());
            match receiver {
                Some(receiver) => self.tell(receiver),
                None => return,
            }
        }
    }

    fn start_thread(&'static self, number: usize) {
        let name = match self.kind {
            DirtyKind::Cpu => format!("{number}_dirty_cpu"),
            DirtyKind::Io => format!("{number}_dirty_io"),
            DirtyKind::Long => format!("{number}_long"),
            DirtyKind::Chore => format!("{number}_chores"),
        };
        let started = sys::thread::spawn(&name, schedulers::STACK_BYTES, move || {
            (machine().run_dirty_scheduler)(self.kind, number)
        });
        if started.is_err() {
            let mut queue = self.queue.lock();
            queue.give_back(number);
            queue.working -= 1;
            let work = queue.given.remove(&number);
            // If another thread exists, it will do the work later; with none, the work must be done here.
            let left = if queue.threads == 0 {
                work.into_iter().chain(queue.work.take_all()).collect()
            } else {
                if let Some(work) = work {
                    let priority = work.priority();
                    queue.work.push(work, priority);
                }
                Vec::new()
            };
            drop(queue);
            left.into_iter().for_each(machine().do_dirty_work);
        }
    }

    /// What the thread with this number does as long as the node lives.
    pub(crate) fn run(&'static self, number: usize, mut perform: impl FnMut(Work, &Turn)) -> ! {
        let clock = &self.places()[number - 1].clock;
        let waits = InVain::new(ATTEMPTED);
        self.queue.lock().is_starting = false;
        self.give_all();
        loop {
            let work = self.next(number, &waits);
            clock.start();
            sys::lookout::something_runs();
            microstate::set(ThreadState::Emulator);
            let turn = Turn::new(self, number);
            perform(work, &turn);
            turn.end();
        }
    }

    /// The work that the thread with this number was given, once there is some.
    fn next(&'static self, number: usize, waits: &InVain) -> Work {
        let spot = &self.places()[number - 1].spot;
        let mut looks = true;
        let mut settled = false;
        loop {
            if let Some(work) = self.queue.lock().given.remove(&number) {
                return work;
            }
            // A wake-up may be stored that came late, for work that was seen before it: then it looks once more.
            looks = looks && self.waits_in_a_loop(spot, waits);
            if looks {
                continue;
            }
            let most_ns = (!settled)
                .then(|| sys::memory::settling::settles_after_ns(sys::clock::monotonic_ns()));
            let time_is_over = spot.park(most_ns) == Wakeup::TimedOut;
            let queue = self.queue.lock();
            if time_is_over && queue.work.is_empty() && !queue.given.contains_key(&number) {
                drop(queue);
                sys::memory::settling::settle();
                settled = true;
            }
        }
    }

    /// Waits in a loop for work, if that has paid lately; returns whether some was given to this thread.
    fn waits_in_a_loop(&self, spot: &ParkingSpot, waits: &InVain) -> bool {
        let most_ns = self.busy_wait_ns.load(Ordering::Relaxed);
        if most_ns == 0 || !waits.is_attempted() {
            return false;
        }
        let found = spot.spin(most_ns);
        waits.ended(found);
        found
    }

    /// Ends the turns of work that has lasted too long, so that what waits behind it begins. Returns whether anything
    /// waits that may begin after further turns.
    fn end_turns(&'static self) -> bool {
        let mut queue = self.queue.lock();
        if queue.work.is_empty() || BLOCKED.load(Ordering::SeqCst) {
            return false;
        }
        let threads = queue.threads + queue.not_started.len();
        for (at, place) in self.places()[..threads].iter().enumerate() {
            let number = at + 1;
            if place.clock.lasts_ns() > TURN_NS && !queue.overdue.contains(&number) {
                queue.overdue.push(number);
                queue.working -= 1;
            }
        }
        drop(queue);
        self.give_all();
        !self.queue.lock().work.is_empty()
    }

    /// Whether no thread is working; if so, this thread does the queued work.
    fn is_quiet(&self) -> bool {
        let work = {
            let mut queue = self.queue.lock();
            if queue.working + queue.overdue.len() > 0 {
                return false;
            }
            queue.work.take_all()
        };
        work.into_iter().for_each(machine().do_dirty_work);
        true
    }
}

/// How long work keeps its place while other work waits, in nanoseconds. It is the slice of a process, about; threads
/// that take turns more often than this cost more than they gain.
const TURN_NS: i64 = 1_000_000;

/// Of the waits in a loop that are likely to be in vain, one in so many is made. Where all processors are busy, each of
/// them takes time from a scheduler; where calls become short and frequent again, so many of them take no millisecond.
const ATTEMPTED: u8 = 64;

/// At most so many threads do long work, for each dirty CPU scheduler.
const THREADS_BY_TURNS: usize = 8;
/// At least so many threads may do long work: few processors are no reason to wait for each other.
const LEAST_THREADS_BY_TURNS: usize = 32;

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
    for pool in POOLS {
        pool.give_all();
    }
    before
}

/// Sets how long dirty schedulers of a kind without work wait for some in a loop before they sleep; those for the
/// machine's own work wait as long as those of [`DirtyKind::Cpu`].
pub fn set_busy_wait(kind: DirtyKind, most_ns: u64) {
    for pool in pools_seen_as(kind) {
        pool.busy_wait_ns.store(most_ns, Ordering::Relaxed);
    }
}

/// Makes the dirty schedulers stop or continue. Those that are working finish their current item first.
pub(crate) fn set_blocked(blocked: bool) {
    if BLOCKED.swap(blocked, Ordering::SeqCst) && !blocked {
        for pool in POOLS {
            pool.give_all();
        }
    }
}

/// Whether no dirty scheduler is working any more; called while they are blocked.
pub(crate) fn is_quiet() -> bool {
    POOLS.iter().all(|pool| pool.is_quiet())
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

    /// Queues a piece of work, and returns the number of the thread that it was given to.
    fn submit(queue: &mut Queue) -> Option<(usize, bool)> {
        let work = Work::Function(Box::new(|| {}));
        queue.work.push(work, Priority::Normal);
        match queue.give(10, 10)? {
            Receiver::Waiting(number) => Some((number, false)),
            Receiver::New(number) => Some((number, true)),
        }
    }

    #[test]
    fn the_thread_that_returned_last_is_given_work_and_no_other_is_started() {
        let mut queue = Queue::default();
        for number in 1..=3 {
            assert_eq!(submit(&mut queue), Some((number, true)));
            assert_eq!(submit(&mut queue), None, "a thread is starting");
            queue.is_starting = false;
            queue.work.take_all();
        }
        for number in [3, 1, 2] {
            assert!(queue.given.remove(&number).is_some());
            queue.returns(number);
            for _ in 0..5 {
                assert_eq!(submit(&mut queue), Some((number, false)));
                assert!(queue.given.remove(&number).is_some());
                queue.returns(number);
            }
        }
        assert_eq!(
            [(); 3].map(|()| submit(&mut queue)),
            [2, 1, 3].map(|number| Some((number, false)))
        );
        assert_eq!((queue.working, queue.threads), (3, 3));
    }
}
