//! Dirty schedulers: threads for calls that may block or take long.
//!
//! A BIF whose row says so is not run where it is called. The call leaves the engine as one that yields
//! (the process will go on by calling the BIF again, its arguments saved on its stack), and the scheduler hands
//! the whole process over: the pointer in a dirty queue stands for its ownership, as in a run queue. A
//! dirty thread calls the body with the saved arguments, keeps with the process what came of it, and gives the
//! process back to the schedulers. There the call is entered again and only picks up the outcome, be it
//! a result, an exception or a trap. So no Erlang code runs on a dirty thread, and the engine knows nothing of it.
//!
//! A process whose collection would take long comes here as well, and no call is made: see `collector::elsewhere`.
//!
//! Signals wait meanwhile, as they do for a process in a run queue. No call collects: a body builds on
//! the heap or beside it, and what it answers is a root ([`Cold::roots`](crate::process::Cold)) until it is picked up.
//!
//! A body that runs here is in no slice: it may look up processes only under `epoch::pinned`, and has no
//! scheduler of its own. Threads are started when work waits and all others are busy, up to the numbers
//! that the node was started with.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use isa::bifs::Properties;
use layout::limits::REDUCTIONS_PER_SLICE;
use layout::{BifFunction, Class, Context, Export, Raise, RaiseKind, Term};
use parking_lot::{Condvar, Mutex};
use sys::park::{ParkingSpot, Wakeup};

use super::{enqueue_woken, new_context};
use crate::bif::{self, BifResult, Failure};
use crate::collector::elsewhere;
use crate::config;
use crate::microstate::{self, State};
use crate::process::{Process, flag, state};

/// Why work is dirty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It takes long.
    Cpu,
    /// It may block.
    Io,
}

/// What the row of a BIF says about where it runs.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub kind: Kind,
    /// The body is tried where it is called, and answers [`Failure::Dirty`] when that will not do.
    pub tried_first: bool,
}

impl Policy {
    /// The policy for a row's properties; `None` for a BIF that runs where it is called.
    #[must_use]
    pub const fn of(properties: Properties) -> Option<Policy> {
        let kind = if properties.has(Properties::DIRTY_CPU) {
            Kind::Cpu
        } else if properties.has(Properties::DIRTY_IO) {
            Kind::Io
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
        kind: Kind,
    },
    /// The result is the process's only root.
    Result,
    /// What the engine is to be told instead. The roots are the terms of it that are there, in the order of
    /// the fields, and then the arguments to go on with.
    Raised {
        kind: RaiseKind,
        class: Class,
        /// Which of reason, trace and arguments are there.
        present: [bool; 3],
        target: *const Export,
    },
}

// SAFETY: exports are never freed and may be named by any thread.
unsafe impl Send for Call {}

thread_local! {
    static IS_DIRTY: Cell<bool> = const { Cell::new(false) };
    /// Reductions that what runs here has been charged.
    static CHARGED: Cell<i64> = const { Cell::new(0) };
}

/// Whether this thread is a dirty scheduler: then a body may block or take long.
#[must_use]
pub fn is_here() -> bool {
    IS_DIRTY.get()
}

/// Charges the process that is here. No slice pays for it, but the process's own count does.
pub(super) fn charge(reductions: i64) {
    CHARGED.set(CHARGED.get() + reductions);
}

/// What was charged is counted for the process.
fn account(process: &mut Process) {
    process.reductions += CHARGED.take().max(0) as u64;
}

/// A call of a BIF that is dirty: begins it, hands it over, or picks up what came of it.
///
/// # Safety
/// `context` is the one of this thread, and its process runs; `arguments` are the BIF's.
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
        if process.flags & flag::DIRTY_DONE != 0 {
            return pick_up(&mut *context, process);
        }
        if !is_here() {
            let outcome = policy.tried_first.then(|| body(process));
            match outcome {
                None | Some(Err(Failure::Dirty)) => {}
                Some(outcome) => return bif::finish(context, outcome),
            }
            // The engine saves the X registers, so that is where the arguments must be.
            debug_assert!(std::ptr::eq(arguments, (&raw const (*context).x).cast()));
            return want(&mut *context, process, policy.kind, function);
        }
        bif::finish(context, body(process))
    }
}

/// Asks the scheduler to hand the process over, by the way of a call that yields.
#[cold]
fn want(context: &mut Context, process: &mut Process, kind: Kind, function: BifFunction) -> Term {
    process.cold().dirty = Some(Call::Wanted { function, kind });
    process.flags |= flag::DIRTY;
    context.raise.kind = RaiseKind::Yield;
    Term::NONE
}

/// Answers for a BIF what it answered on a dirty scheduler.
fn pick_up(context: &mut Context, process: &mut Process) -> Term {
    process.flags &= !flag::DIRTY_DONE;
    let cold = process.cold();
    let roots = std::mem::take(&mut cold.roots);
    match cold.dirty.take() {
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

/// Hands over a process whose slice ended with the wish for it. It is ours, marked as dirty and queued.
pub(super) fn hand_over(pointer: *mut Process) {
    // SAFETY: the caller owns the process.
    let process = unsafe { &mut *pointer };
    if process.flags & flag::COLLECT != 0 {
        pool(Kind::Cpu).submit(Work::Collection(Handed(pointer)));
        return;
    }
    let kind = match process.cold.as_ref().and_then(|cold| cold.dirty.as_ref()) {
        Some(Call::Wanted { kind, .. }) => *kind,
        _ => unreachable!("`want` set it"),
    };
    pool(kind).submit(Work::Call(Handed(pointer)));
}

/// Runs something that may block, some time, on a dirty scheduler: what nobody waits for.
pub fn later(kind: Kind, work: impl FnOnce() + Send + 'static) {
    pool(kind).submit(Work::Errand(Box::new(work)));
}

/// A process in a dirty queue.
struct Handed(*mut Process);

// SAFETY: the pointer stands for the ownership of the process, which is handed on with it.
unsafe impl Send for Handed {}

enum Work {
    Call(Handed),
    Collection(Handed),
    Errand(Box<dyn FnOnce() + Send>),
}

/// The dirty schedulers of one kind.
struct Pool {
    queue: Mutex<Queue>,
    /// For those that are not online: they may be.
    came_online: Condvar,
    kind: Kind,
    /// One for each thread that there may be.
    places: OnceLock<Box<[Place]>>,
}

/// What others see of a dirty scheduler.
#[derive(Default)]
struct Place {
    clock: Clock,
    /// Where it waits for work.
    spot: ParkingSpot,
}

/// How long a dirty scheduler has been at work.
#[derive(Default)]
struct Clock {
    /// Nanoseconds, not counting those since `began_ns` (0: it waits).
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

/// For each dirty scheduler of a kind the nanoseconds that it was at work.
#[must_use]
pub fn worked_ns(kind: Kind) -> Vec<i64> {
    pool(kind)
        .places()
        .iter()
        .map(|place| place.clock.read_ns())
        .collect()
}

#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    threads: usize,
    /// The numbers of those that wait for work. The last to come is the first to go: its memory is still near, and the
    /// others keep theirs untouched.
    idle: Vec<usize>,
    /// Threads that wait because they are not online.
    offline: usize,
}

static CPU: Pool = Pool::new(Kind::Cpu);
static IO: Pool = Pool::new(Kind::Io);

fn pool(kind: Kind) -> &'static Pool {
    match kind {
        Kind::Cpu => &CPU,
        Kind::Io => &IO,
    }
}

/// Work that waits for a dirty scheduler of a kind.
#[must_use]
pub fn queue_length(kind: Kind) -> usize {
    pool(kind).queue.lock().work.len()
}

/// As [`queue_length`], with what is being worked on.
#[must_use]
pub fn active_tasks(kind: Kind) -> usize {
    let queue = pool(kind).queue.lock();
    queue.work.len()
        + queue
            .threads
            .saturating_sub(queue.idle.len() + queue.offline)
}

impl Pool {
    const fn new(kind: Kind) -> Pool {
        Pool {
            queue: Mutex::new(Queue {
                work: VecDeque::new(),
                threads: 0,
                idle: Vec::new(),
                offline: 0,
            }),
            came_online: Condvar::new(),
            kind,
            places: OnceLock::new(),
        }
    }

    fn places(&self) -> &[Place] {
        self.places.get_or_init(|| {
            let config = config::get();
            let most_threads = match self.kind {
                Kind::Cpu => config.dirty_cpu_schedulers,
                Kind::Io => config.dirty_io_schedulers,
            };
            (0..most_threads.max(1)).map(|_| Place::default()).collect()
        })
    }

    /// Threads that may be at work.
    fn most_threads(&self) -> usize {
        match self.kind {
            Kind::Cpu => cpu_online(),
            Kind::Io => config::get().dirty_io_schedulers,
        }
        .max(1)
    }

    fn submit(&'static self, work: Work) {
        let mut queue = self.queue.lock();
        if BLOCKED.load(Ordering::SeqCst) {
            drop(queue);
            perform_here(work);
            return;
        }
        queue.work.push_back(work);
        if let Some(number) = queue.idle.pop() {
            drop(queue);
            self.wake(number);
            return;
        }
        if queue.threads >= self.most_threads() {
            return;
        }
        queue.threads += 1;
        let number = queue.threads;
        drop(queue);
        self.start_thread(number);
    }

    /// Wakes a thread that was taken off the idle ones.
    fn wake(&self, number: usize) {
        self.places()[number - 1].spot.unpark();
    }

    /// Has all threads look anew whether they may work.
    fn wake_all(&self) {
        let idle = std::mem::take(&mut self.queue.lock().idle);
        for number in idle {
            self.wake(number);
        }
        self.came_online.notify_all();
    }

    fn start_thread(&'static self, number: usize) {
        let name = match self.kind {
            Kind::Cpu => format!("{number}_dirty_cpu"),
            Kind::Io => format!("{number}_dirty_io"),
        };
        let started = sys::thread::spawn(&name, super::STACK_BYTES, move || self.run(number));
        if started.is_err() {
            let mut queue = self.queue.lock();
            queue.threads -= 1;
            // With one thread the work is done later; with none it never would be.
            let left = if queue.threads == 0 {
                std::mem::take(&mut queue.work)
            } else {
                VecDeque::new()
            };
            drop(queue);
            left.into_iter().for_each(perform_here);
        }
    }

    fn run(&self, number: usize) -> ! {
        IS_DIRTY.set(true);
        // The thread that started this one may be bound to a processor; blocking work is not.
        let _ = sys::cpu::unpin_current_thread();
        let mut context = new_context();
        let clock = &self.places()[number - 1].clock;
        let kind = match self.kind {
            Kind::Cpu => microstate::Kind::DirtyCpu,
            Kind::Io => microstate::Kind::DirtyIo,
        };
        microstate::begin(kind, number, State::Sleep);
        loop {
            let work = self.next(number);
            clock.start();
            microstate::set(State::Emulator);
            perform(&mut context, work);
            microstate::set(State::Sleep);
            clock.stop();
        }
    }

    fn next(&self, number: usize) -> Work {
        let spot = &self.places()[number - 1].spot;
        let mut settled = false;
        let mut queue = self.queue.lock();
        loop {
            if number > self.most_threads() {
                // What it may have been woken for is another's.
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
                && let Some(work) = queue.work.pop_front()
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

    /// Whether no thread is at work; then what waits is done here.
    fn is_quiet(&self) -> bool {
        let work = {
            let mut queue = self.queue.lock();
            if queue.threads > queue.idle.len() + queue.offline {
                return false;
            }
            std::mem::take(&mut queue.work)
        };
        work.into_iter().for_each(perform_here);
        true
    }
}

/// Dirty CPU schedulers that are online; 0 as long as that was never changed.
static CPU_ONLINE: AtomicUsize = AtomicUsize::new(0);
/// Whether only one scheduler, of whatever kind, may be at work: then it does what is dirty by itself.
static BLOCKED: AtomicBool = AtomicBool::new(false);

/// Dirty CPU schedulers that are online.
#[must_use]
pub fn cpu_online() -> usize {
    match CPU_ONLINE.load(Ordering::SeqCst) {
        0 => config::get().dirty_cpu_schedulers_online,
        online => online,
    }
}

/// Changes how many dirty CPU schedulers are online; answers how many were.
pub fn set_cpu_online(count: usize) -> usize {
    let before = cpu_online();
    CPU_ONLINE.store(count, Ordering::SeqCst);
    CPU.wake_all();
    before
}

/// Has the dirty schedulers stop, or go on. Those at work finish first.
pub(super) fn set_blocked(blocked: bool) {
    if BLOCKED.swap(blocked, Ordering::SeqCst) && !blocked {
        for pool in [&CPU, &IO] {
            pool.wake_all();
        }
    }
}

/// Whether no dirty scheduler is at work any more; called while they are blocked.
pub(super) fn is_quiet() -> bool {
    CPU.is_quiet() && IO.is_quiet()
}

fn perform(context: &mut Context, work: Work) {
    CHARGED.set(0);
    match work {
        Work::Call(Handed(pointer)) => run_call(context, pointer),
        Work::Collection(Handed(pointer)) => run_collection(pointer),
        Work::Errand(errand) => errand(),
    }
}

/// Does what is dirty on the only scheduler that may be at work.
fn perform_here(work: Work) {
    let was_dirty = IS_DIRTY.replace(true);
    perform(&mut new_context(), work);
    IS_DIRTY.set(was_dirty);
}

/// Makes the call that a process wants, and gives the process back.
fn run_call(context: &mut Context, pointer: *mut Process) {
    // SAFETY: taken from a dirty queue, so it is ours.
    let process = unsafe { &mut *pointer };
    state::begin(&process.state);
    let Some(Call::Wanted { function, .. }) = process.cold().dirty.take() else {
        unreachable!("`want` set it");
    };
    context.process = &raw mut process.head;
    context.raise.kind = RaiseKind::None;
    context.reductions_left = REDUCTIONS_PER_SLICE;
    let arguments = process.head.heap.stack.cast::<Term>();
    // SAFETY: the engine saved the arguments there when it left; the function is that of the BIF they are
    // for, and the context has the process.
    let result = unsafe { function(context, arguments) };
    context.process = std::ptr::null_mut();
    let cold = process.cold();
    (cold.dirty, cold.roots) = outcome(context, result);
    process.flags &= !flag::DIRTY;
    process.flags |= flag::DIRTY_DONE;
    account(process);
    process.state.fetch_and(!state::DIRTY, Ordering::Relaxed);
    state::give_up(&process.state);
    enqueue_woken(pointer);
}

/// Collects for a process, and gives it back.
fn run_collection(pointer: *mut Process) {
    // SAFETY: taken from a dirty queue, so it is ours.
    let process = unsafe { &mut *pointer };
    state::begin(&process.state);
    elsewhere::perform(process);
    account(process);
    process.state.fetch_and(!state::DIRTY, Ordering::Relaxed);
    state::give_up(&process.state);
    enqueue_woken(pointer);
}

/// What came of a call, and the terms of it.
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
