//! Dirty schedulers: threads for calls that may block or take long.
//!
//! A BIF that its row in the BIF table marks as dirty does not run on the calling scheduler. The call leaves the engine
//! as if it yielded (the process will continue by calling the BIF again, and its arguments are saved on its stack), and
//! the scheduler hands the whole process over: the pointer in a dirty queue carries its ownership, as in a run queue. A
//! dirty thread calls the body with the saved arguments, stores the outcome in the process, and gives the process back
//! to the schedulers. There the BIF is called again and only returns the stored outcome: a result, an exception or a
//! trap. So no Erlang code runs on a dirty thread, and the engine needs no knowledge of dirty calls.
//!
//! A process whose garbage collection would take long comes here as well, without a call: see `collector::dirty_collection`.
//!
//! While the process waits here, and while its call waits for the system or runs a library's code, others handle its
//! signals ([`lent`]); otherwise they stay pending, as for a process in a run queue. No dirty call collects: a body builds terms
//! on the heap or beside it, and its result is a root ([`Rare::roots`](crate::process::Rare)) until it is picked up.
//!
//! A body that runs here is not part of a slice: it may look up processes only under `epoch::pinned`, and there is no
//! current scheduler. A thread is started when work is queued and all others are busy, up to the numbers that the node
//! was started with.

pub mod lent;
mod work_queue;

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use isa::bifs::Properties;
use layout::limits::REDUCTIONS_PER_SLICE;
use layout::{BifFunction, Class, Context, Export, Raise, RaiseKind, Term};
use parking_lot::{Condvar, Mutex};
use sys::park::{ParkingSpot, Wakeup};

use super::online::{self, Blocked};
use super::{awaited, enqueue_woken, new_context};
use crate::code::bif::{self, BifResult, Failure};
use crate::effects::collector::dirty_collection;
use crate::effects::profile;
use crate::exec::exit;
use crate::mail::deferred;
use crate::mail::microstate::{self, ThreadState};
use crate::process::{Flags, Priority, Process, config, priority_of, state};
use crate::trace::events;
use work_queue::WorkQueue;

/// Why work needs a dirty scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirtyKind {
    /// It takes long.
    Cpu,
    /// It may block.
    Io,
}

/// How a dirty BIF is run, by its row in the BIF table.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub kind: DirtyKind,
    /// The body is first tried on the calling scheduler; it returns [`Failure::Dirty`] if it needs a dirty one.
    pub tried_first: bool,
}

impl Policy {
    /// The policy for a row's properties; `None` for a BIF that is not dirty.
    #[must_use]
    pub const fn of(properties: Properties) -> Option<Policy> {
        let kind = if properties.has(Properties::DIRTY_CPU) {
            DirtyKind::Cpu
        } else if properties.has(Properties::DIRTY_IO) {
            DirtyKind::Io
        } else {
            return None;
        };
        Some(Policy {
            kind,
            tried_first: properties.has(Properties::TRIED_FIRST),
        })
    }
}

/// A call on its way to a dirty scheduler and back; the process keeps it.
pub enum Call {
    Wanted {
        function: BifFunction,
        kind: DirtyKind,
    },
    /// The call returned a result, which is the only term in `Rare::roots`.
    Result,
    /// The call returned no result. `Rare::roots` holds those of reason, trace and arguments that are present, in this
    /// order, followed by the arguments for `target`, if any.
    Raised {
        kind: RaiseKind,
        class: Class,
        /// Which of reason, trace and arguments are present.
        present: [bool; 3],
        target: *const Export,
    },
}

// SAFETY: exports are never freed, and any thread may refer to them.
unsafe impl Send for Call {}

thread_local! {
    static IS_DIRTY: Cell<bool> = const { Cell::new(false) };
    /// On a dirty scheduler, its kind.
    static KIND: Cell<DirtyKind> = const { Cell::new(DirtyKind::Cpu) };
    /// Reductions charged to the work that runs on this thread.
    static CHARGED: Cell<i64> = const { Cell::new(0) };
}

/// Whether this thread is a dirty scheduler, where a body may block or take long.
#[must_use]
pub fn is_here() -> bool {
    IS_DIRTY.get()
}

/// The kind of dirty scheduler that this thread is, if it is one.
#[must_use]
pub fn kind_here() -> Option<DirtyKind> {
    IS_DIRTY.get().then(|| KIND.get())
}

/// Charges the process that this thread works for. The reductions are added to the process's count, not taken from a
/// slice.
pub(super) fn charge(reductions: i64) {
    CHARGED.set(CHARGED.get() + reductions);
}

/// Adds the charged reductions to the process's count.
fn account(process: &mut Process) {
    process.reductions += CHARGED.take().max(0) as u64;
}

/// Calls a dirty BIF: runs the body, requests a dirty scheduler for it, or returns the outcome of the call that a dirty
/// scheduler has made.
///
/// # Safety
/// `context` belongs to this thread, and its process runs; `arguments` are those of the BIF.
pub unsafe fn call(
    context: *mut Context,
    arguments: *const Term,
    policy: Policy,
    function: BifFunction,
    body: impl FnOnce(&mut Process) -> BifResult,
) -> Term {
    // SAFETY: the caller's promises.
    unsafe {
        let process = &mut *(*context).process.cast::<Process>();
        if process.flags.contains(Flags::DIRTY_CALL_DONE) {
            return pick_up(&mut *context, process);
        }
        if !is_here() {
            let outcome = policy.tried_first.then(|| body(process));
            match outcome {
                None | Some(Err(Failure::Dirty)) => {}
                Some(outcome) => return bif::finish(context, outcome),
            }
            // The engine saves the X registers when the call yields, so the arguments must be there.
            debug_assert!(std::ptr::eq(arguments, (&raw const (*context).x).cast()));
            return want(&mut *context, process, policy.kind, function);
        }
        bif::finish(context, body(process))
    }
}

/// Makes the scheduler hand the process over: the call yields, with the DIRTY flag set.
#[cold]
fn want(
    context: &mut Context,
    process: &mut Process,
    kind: DirtyKind,
    function: BifFunction,
) -> Term {
    process.rare().dirty = Some(Call::Wanted { function, kind });
    process.flags.insert(Flags::DIRTY_CALL);
    context.raise.kind = RaiseKind::Yield;
    Term::NONE
}

/// Returns or raises the outcome of the call that a dirty scheduler has made.
fn pick_up(context: &mut Context, process: &mut Process) -> Term {
    process.flags.remove(Flags::DIRTY_CALL_DONE);
    let rare = process.rare();
    let roots = std::mem::take(&mut rare.roots);
    match rare.dirty.take() {
        Some(Call::Result) => roots[0],
        Some(Call::Raised {
            kind,
            class,
            present,
            target,
        }) => {
            let mut rest = roots.into_iter();
            let [reason, trace, arguments] = present.map(|is_present| {
                let term = if is_present { rest.next() } else { None };
                term.unwrap_or(Term::NONE)
            });
            context.raise = Raise {
                kind,
                class,
                reason,
                trace,
                target,
                arguments,
            };
            for (register, term) in context.x.iter_mut().zip(rest) {
                *register = term;
            }
            Term::NONE
        }
        Some(Call::Wanted { .. }) | None => unreachable!("the call was made"),
    }
}

/// Puts a process that needs a dirty scheduler into a dirty queue. The caller owns it and has marked it DIRTY and
/// QUEUED.
pub(super) fn hand_over(pointer: *mut Process) {
    // SAFETY: the caller owns the process.
    let process = unsafe { &mut *pointer };
    if process.flags.contains(Flags::DIRTY_COLLECTION) {
        pool(DirtyKind::Cpu).submit(Work::Collection(Handed(pointer)));
        return;
    }
    let kind = match process.existing_rare().and_then(|rare| rare.dirty.as_ref()) {
        Some(Call::Wanted { kind, .. }) => *kind,
        _ => unreachable!("`want` set it"),
    };
    // SAFETY: the caller owns the process; `run_call` takes it back.
    unsafe { lent::lend(pointer) };
    pool(kind).submit(Work::Call(Handed(pointer)));
}

/// Leaves a task that takes long to a dirty scheduler, for a process that the caller has borrowed and asked for
/// [`Collection::Task`](dirty_collection::Collection::Task).
pub(super) fn hand_over_borrowed(pointer: *mut Process) {
    // SAFETY: the caller owns the process.
    unsafe { (*pointer).state.fetch_or(state::DIRTY, Ordering::SeqCst) };
    CPU.submit(Work::BorrowedTask(Handed(pointer)));
}

/// Runs something at some later time on a dirty scheduler, where it may block or take long. The caller is not told when
/// it is done.
pub fn later(kind: DirtyKind, work: impl FnOnce() + Send + 'static) {
    pool(kind).submit(Work::Errand(Box::new(work)));
}

/// Work on at least this many things takes milliseconds.
const MANY_THINGS: usize = 1 << 14;

/// Whether work on that many things of a process that ends is for later.
pub(crate) fn takes_long(count: usize) -> bool {
    count >= MANY_THINGS && online::blocked() != Blocked::All
}

/// Does work on that many things of a process that ends: here and now, or later if it would take long.
pub(crate) fn now_or_later(count: usize, work: impl FnOnce() + Send + 'static) {
    if takes_long(count) {
        later(DirtyKind::Cpu, work);
    } else {
        work();
    }
}

/// A process in a dirty queue.
struct Handed(*mut Process);

// SAFETY: the pointer carries the ownership of the process, which moves to the other thread with it.
unsafe impl Send for Handed {}

enum Work {
    Call(Handed),
    Collection(Handed),
    /// A task that takes long, of a process that is borrowed: a run queue holds it, but nobody else owns it.
    BorrowedTask(Handed),
    Errand(Box<dyn FnOnce() + Send>),
}

impl Work {
    /// That of the process that waits for it.
    fn priority(&self) -> Priority {
        match self {
            // SAFETY: whoever holds the pointer owns the process.
            Work::Call(Handed(process)) | Work::Collection(Handed(process)) => unsafe {
                priority_of((**process).state.load(Ordering::Relaxed))
            },
            Work::BorrowedTask(_) => Priority::Max,
            Work::Errand(_) => Priority::Normal,
        }
    }
}

/// The dirty schedulers of one kind.
struct Pool {
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

fn pool(kind: DirtyKind) -> &'static Pool {
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

    fn submit(&'static self, work: Work) {
        let priority = work.priority();
        let mut queue = self.queue.lock();
        if BLOCKED.load(Ordering::SeqCst) {
            drop(queue);
            perform_here(work);
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
        let started = sys::thread::spawn(&name, super::STACK_BYTES, move || self.run(number));
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
            left.into_iter().for_each(perform_here);
        }
    }

    fn run(&self, number: usize) -> ! {
        IS_DIRTY.set(true);
        KIND.set(self.kind);
        // The thread that started this one may be bound to a processor; dirty schedulers are not bound.
        let _ = sys::cpu::unpin_current_thread();
        let mut context = Box::new(new_context(0));
        let clock = &self.places()[number - 1].clock;
        let kind = match self.kind {
            DirtyKind::Cpu => microstate::ThreadKind::DirtyCpu,
            DirtyKind::Io => microstate::ThreadKind::DirtyIo,
        };
        microstate::begin(kind, number, ThreadState::Sleep);
        profile::begin(&raw mut *context, profile::ThreadKind::Dirty);
        loop {
            let work = self.next(number);
            clock.start();
            microstate::set(ThreadState::Emulator);
            perform(&mut context, work);
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
        work.into_iter().for_each(perform_here);
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
pub(super) fn set_blocked(blocked: bool) {
    if BLOCKED.swap(blocked, Ordering::SeqCst) && !blocked {
        for pool in [&CPU, &IO] {
            pool.wake_all();
        }
    }
}

/// Whether no dirty scheduler is working any more; called while they are blocked.
pub(super) fn is_quiet() -> bool {
    CPU.is_quiet() && IO.is_quiet()
}

fn perform(context: &mut Context, work: Work) {
    CHARGED.set(0);
    match work {
        Work::Call(Handed(pointer)) => run_call(context, pointer),
        Work::Collection(Handed(pointer)) => run_collection(pointer),
        Work::BorrowedTask(Handed(pointer)) => run_borrowed_task(pointer),
        Work::Errand(errand) => errand(),
    }
    deferred::run();
}

/// Does dirty work on this thread, either because it is the only scheduler that may work or because no dirty thread
/// could be started.
fn perform_here(work: Work) {
    let was_dirty = IS_DIRTY.replace(true);
    perform(&mut Box::new(new_context(0)), work);
    IS_DIRTY.set(was_dirty);
}

/// Makes the dirty call that a process requested, and gives the process back to the schedulers.
fn run_call(context: &mut Context, pointer: *mut Process) {
    // SAFETY: taken from a dirty queue, so this thread owns it once it has it back; `state` is shared.
    let has_departed = unsafe {
        state::begin(&(*pointer).state);
        lent::take_back(pointer)
    };
    if has_departed {
        return bury(pointer);
    }
    // SAFETY: as above; the reference is not used during the call.
    let process = unsafe { &mut *pointer };
    if process.flags.contains(Flags::TRACED) {
        events::scheduled_in(process);
    }
    let Some(Call::Wanted { function, .. }) = process.rare().dirty.take() else {
        unreachable!("`want` set it");
    };
    let arguments = process.head.heap.stack.cast::<Term>();
    context.process = pointer.cast();
    context.raise.kind = RaiseKind::None;
    context.reductions_left = REDUCTIONS_PER_SLICE;
    // SAFETY: the engine saved the arguments on the stack when it left; the function is that of the BIF that they are
    // for, and the context holds the process.
    let result = unsafe { function(context, arguments) };
    context.process = std::ptr::null_mut();
    // SAFETY: this thread has made the call.
    if unsafe { lent::has_departed(pointer) } {
        return bury(pointer);
    }
    // SAFETY: this thread still owns the process, and the call no longer borrows it.
    let process = unsafe { &mut *pointer };
    let rare = process.rare();
    (rare.dirty, rare.roots) = outcome(context, result);
    process.flags.remove(Flags::DIRTY_CALL);
    process.flags.insert(Flags::DIRTY_CALL_DONE);
    give_back(pointer);
}

/// Frees the heap of a process that has ended before its call was over, and gives its block to a scheduler, to be retired.
#[cold]
fn bury(pointer: *mut Process) {
    // SAFETY: this thread owns the process until it is in a run queue.
    let process = unsafe { &mut *pointer };
    let pid = process.pid();
    exit::free(process);
    process.state.fetch_and(!state::DIRTY, Ordering::SeqCst);
    process.state.fetch_or(state::GONE, Ordering::SeqCst);
    state::give_up(&process.state);
    // SAFETY: as above.
    unsafe { enqueue_woken(pointer) };
    lent::departed_is_over(pid);
}

/// Collects the garbage of a process, and gives the process back to the schedulers.
fn run_collection(pointer: *mut Process) {
    // SAFETY: taken from a dirty queue, so this thread owns it.
    let process = unsafe { &mut *pointer };
    state::begin(&process.state);
    if process.flags.contains(Flags::TRACED) {
        events::scheduled_in(process);
    }
    dirty_collection::perform(process);
    give_back(pointer);
}

/// Gives a process back to the schedulers.
fn give_back(pointer: *mut Process) {
    // SAFETY: this thread owns the process until it is in a run queue.
    let process = unsafe { &mut *pointer };
    account(process);
    if process.flags.contains(Flags::TRACED) {
        events::scheduled_out(process);
    }
    let pid = process.pid();
    let has_tasks = release(process);
    give_up(pointer, pid, has_tasks);
}

/// Ends what a dirty scheduler does with a process; returns whether tasks are left. Once DIRTY is clear, a thread that has stopped
/// the schedulers may look at the process and change it.
fn release(process: &mut Process) -> bool {
    let has_tasks = process.flags.contains(Flags::SYSTEM_TASKS);
    process.state.fetch_and(!state::DIRTY, Ordering::Release);
    has_tasks
}

/// Runs a task of a borrowed process, and gives the process back to its queue, or to another one if a scheduler took it
/// from its queue meanwhile.
fn run_borrowed_task(pointer: *mut Process) {
    // SAFETY: the borrower has left it to this thread, which owns it until it is given back.
    let process = unsafe { &mut *pointer };
    let pid = process.pid();
    dirty_collection::perform(process);
    account(process);
    release(process);
    // SAFETY: as above; `state` is shared.
    let before = unsafe { state::give_back(&(*pointer).state, false) };
    if before & state::QUEUED == 0 {
        give_up(pointer, pid, false);
    }
    // Who borrows it next looks for further tasks, and lets it end if this task has ended it.
    awaited::attend_from_elsewhere(pid);
}

/// Puts a process that this thread owns, and has released, into a run queue.
fn give_up(pointer: *mut Process, pid: Term, has_tasks: bool) {
    // SAFETY: this thread owns the process until it is in the queue; `state` is shared.
    let before = unsafe { state::give_up(&(*pointer).state) };
    // SAFETY: as above; only now is it queued.
    unsafe { enqueue_woken(pointer) };
    if has_tasks || awaited::are_signals_left(before) {
        awaited::attend_from_elsewhere(pid);
    }
}

/// The outcome of a call, with its terms for `Rare::roots`.
fn outcome(context: &Context, result: Term) -> (Option<Call>, Vec<Term>) {
    if !result.is_none() {
        return (Some(Call::Result), vec![result]);
    }
    let raise = &context.raise;
    let (terms, arguments) = match raise.kind {
        RaiseKind::None | RaiseKind::Exception | RaiseKind::ExceptionWithTrace => {
            ([raise.reason, raise.trace, raise.arguments], &[][..])
        }
        RaiseKind::Trap | RaiseKind::Hibernate => {
            // SAFETY: a target is an export, which is never freed.
            let arity = unsafe { (*raise.target).arity } as usize;
            ([Term::NONE; 3], &context.x[..arity])
        }
        RaiseKind::Exit => ([Term::NONE; 3], &[][..]),
        RaiseKind::Wait | RaiseKind::Yield => {
            unreachable!("a dirty call does not go on with other arguments of its own")
        }
    };
    let call = Call::Raised {
        kind: raise.kind,
        class: raise.class,
        present: terms.map(|term| !term.is_none()),
        target: raise.target,
    };
    let terms = terms.into_iter().filter(|term| !term.is_none());
    (Some(call), terms.chain(arguments.iter().copied()).collect())
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
