//! Schedulers: native threads that run Erlang processes.
//!
//! Each scheduler has its own run queues, one per priority. A process is queued on the scheduler that wakes or spawns
//! it, so two processes that exchange messages stay on one core; a scheduler without work steals from the others. One
//! round handles expired timers, then I/O events (polled at intervals, and waited for when there is nothing to run),
//! then runs the next process by priority.
//!
//! A scheduler owns the process that it runs: taking the pointer from a run queue transfers the ownership.
//!
//! Code that a process runs reaches the scheduler of its thread through [`current`], while [`Scheduler::run_slice`] is
//! still on the stack. So a [`Scheduler`] is only ever borrowed shared, and what changes in it is in cells.

mod awaited;
pub mod binding;
mod dead;
pub mod dirty;
pub mod online;
mod resting;
mod slice;
mod stealing;

use std::cell::{Cell, RefCell, UnsafeCell};
use std::marker::PhantomPinned;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use layout::limits::{FLOAT_REGISTERS, REDUCTIONS_PER_SLICE, X_REGISTERS};
use layout::{Class, Context, Raise, RaiseKind, Term};
use term::am;

use crate::effects::port::{self, Port};
use crate::effects::profile;
use crate::exec::engine_calls;
pub use crate::mail::bound::number_of;
use crate::mail::crowd::Crowd;
use crate::mail::errands::Errands;
use crate::mail::idle::Sleeper;
#[cfg(feature = "loom")]
pub use crate::mail::idle::sleepers::Sleepers;
#[cfg(not(feature = "loom"))]
use crate::mail::idle::sleepers::Sleepers;
use crate::mail::microstate::{self, ThreadState};
use crate::mail::queues::{RunQueues, Stealers};
use crate::mail::timer;
use crate::process::{Priority, Process, block, bound_to, epoch, priority_of, state};
use crate::trace::system_profile;
pub use awaited::ask;
use dead::DeadProcesses;
use resting::Resting;
use slice::{Next, Slice};
use stealing::{Thief, Verdict};

/// Slices between two checks of the clock and of I/O.
const SLICES_PER_CHECK: u32 = 64;
/// So much time in a port counts as a slice: some tasks of ports take much longer than others, and a check must not wait for
/// many of them.
const PORT_NS_PER_SLICE: i64 = 10_000;
/// Reductions after which the next check is due even before [`SLICES_PER_CHECK`] slices.
const REDUCTIONS_PER_CHECK: i64 = 2 * REDUCTIONS_PER_SLICE;
/// Size of a scheduler's native stack; BIFs run on it.
pub const STACK_BYTES: usize = 8 << 20;

/// Spin-loop iterations (about 50 ns each) between two looks at the queues of other schedulers. Each look fetches their
/// cache lines, so it is not done on every iteration.
pub(crate) const SPINS_PER_LOOK: u32 = 16;
/// A thief that has to wait longer than this sleeps instead of spinning.
const LONGEST_SPIN_NS: i64 = 50_000;

/// Counters of a scheduler's work, read by `statistics` and by thieves. Only the scheduler writes them.
#[repr(align(128))]
pub struct Counts {
    switches: AtomicU64,
    reductions: AtomicU64,
    balance_checks: AtomicU64,
}

impl Counts {
    fn add(&self, reductions: i64) {
        let one_more = |count: &AtomicU64, more: u64| {
            count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        one_more(&self.switches, 1);
        one_more(&self.reductions, reductions as u64);
    }

    fn add_balance_check(&self) {
        let before = self.balance_checks.load(Ordering::Relaxed);
        self.balance_checks.store(before + 1, Ordering::Relaxed);
    }

    /// How often the scheduler, having work, has compared its queue with those of the others.
    #[must_use]
    pub fn balance_checks(&self) -> u64 {
        self.balance_checks.load(Ordering::Relaxed)
    }

    /// Context switches.
    #[must_use]
    pub fn switches(&self) -> u64 {
        self.switches.load(Ordering::Relaxed)
    }

    #[must_use]
    pub fn reductions(&self) -> u64 {
        self.reductions.load(Ordering::Relaxed)
    }
}

/// The part of a scheduler that other threads may access.
#[repr(align(128))]
pub struct Shared {
    pub index: usize,
    pub(crate) stealers: Stealers,
    /// Ports with tasks that were queued by code running on this scheduler.
    pub(crate) ports: port::queue::Runnable,
    pub(crate) bound: crate::mail::bound::Bound,
    pub(crate) idle: Sleeper,
    pub(crate) errands: Errands,
    binding: binding::Binding,
    /// Whether it runs nothing but urgent processes, while others are queued.
    pub(crate) gives_no_turns: AtomicBool,
    pub counts: Counts,
    /// Nanoseconds slept, without the sleep that began at `asleep_since_ns` and still lasts (0: it is awake).
    pub slept_ns: AtomicI64,
    pub asleep_since_ns: AtomicI64,
    pub started_ns: i64,
}

impl Shared {
    fn new(index: usize, queues: &RunQueues) -> Shared {
        Shared {
            index,
            stealers: queues.stealers(),
            ports: port::queue::Runnable::new(),
            bound: crate::mail::bound::Bound::default(),
            idle: Sleeper::new(),
            errands: Errands::default(),
            binding: binding::Binding::new(),
            gives_no_turns: AtomicBool::new(false),
            counts: Counts {
                switches: AtomicU64::new(0),
                reductions: AtomicU64::new(0),
                balance_checks: AtomicU64::new(0),
            },
            slept_ns: AtomicI64::new(0),
            asleep_since_ns: AtomicI64::new(0),
            started_ns: sys::clock::monotonic_ns(),
        }
    }

    /// The number of queued processes for each priority.
    #[must_use]
    pub fn queue_lengths(&self) -> [usize; 4] {
        let (own, bound) = (self.stealers.lengths(), self.bound.lengths());
        std::array::from_fn(|priority| own[priority] + bound[priority])
    }
}

/// A scheduler. Only its own thread accesses it, and only through shared references (see the module's documentation):
/// the type is neither `Send` nor `Sync`.
pub struct Scheduler {
    pub(crate) shared: &'static Shared,
    /// Also written through the pointer that [`engine::run`] gets, by operations and BIFs. No reference to the whole
    /// context is kept while a process runs: this file reads and writes single fields.
    pub(crate) context: UnsafeCell<Context>,
    pub(crate) queues: RunQueues,
    /// Whether the process that was taken last is bound to this scheduler.
    pub(crate) bound_had_turn: Cell<bool>,
    thief: RefCell<Thief>,
    pub(crate) crowd: Crowd,
    dead: DeadProcesses,
    resting: Resting,
    /// Blocks taken for new processes, minus those given back, since this was last added to the node's count.
    pub(crate) spawned: Cell<isize>,
    pub(crate) slices_to_check: Cell<u32>,
    pub(crate) reductions_to_check: Cell<i64>,
    /// Reductions of the slice that the running process gave up unused: see [`end_slice_soon`].
    pub(crate) forgone: Cell<i64>,
}

/// The schedulers of the node.
pub struct Schedulers {
    pub all: Vec<Shared>,
    pub online: AtomicUsize,
    pub(crate) idle: Sleepers,
    pub(crate) injected: crate::mail::queues::Injected,
}

static SCHEDULERS: OnceLock<Schedulers> = OnceLock::new();

thread_local! {
    static CURRENT: Cell<Option<&'static Scheduler>> = const { Cell::new(None) };
}

/// Number of schedulers; 1 before they are created.
#[must_use]
pub fn count() -> usize {
    SCHEDULERS
        .get()
        .map_or(1, |schedulers| schedulers.all.len())
}

/// The node's schedulers.
///
/// # Panics
/// Before [`create`].
#[must_use]
pub fn schedulers() -> &'static Schedulers {
    SCHEDULERS
        .get()
        .expect("schedulers are made before the first process")
}

/// The node's schedulers, or `None` before [`create`].
#[must_use]
pub fn schedulers_if_made() -> Option<&'static Schedulers> {
    SCHEDULERS.get()
}

/// The process that runs on this thread. Its registers are written back, as during a BIF call.
#[must_use]
pub fn running_process<'a>() -> Option<&'a Process> {
    // SAFETY: the process stays valid while this thread runs it.
    unsafe { current()?.running().as_ref() }
}

/// The scheduler of this thread; `None` on other threads.
#[inline]
#[must_use]
pub fn current() -> Option<&'static Scheduler> {
    CURRENT.get()
}

/// This thread's scheduler number, from 1; 0 on other threads.
#[must_use]
pub fn current_number() -> usize {
    current().map_or(0, |scheduler| scheduler.shared.index + 1)
}

/// The number of slices that this thread's scheduler has finished; `None` on other threads.
#[must_use]
pub fn current_slice() -> Option<u64> {
    current().map(|scheduler| scheduler.shared.counts.switches())
}

/// Reductions that `process` has used so far in its current slice; 0 if it does not run on this thread.
#[must_use]
pub fn current_slice_reductions(process: &Process) -> u64 {
    match current() {
        Some(scheduler) if ptr::eq(scheduler.running(), process) => {
            let unused = scheduler.reductions_left() + scheduler.forgone.get();
            (REDUCTIONS_PER_SLICE - unused).max(0) as u64
        }
        _ => 0,
    }
}

/// Charges the running process with reductions for work that a BIF did.
#[inline]
pub fn charge(reductions: i64) {
    if reductions == 0 {
        return;
    }
    if dirty::is_here() {
        dirty::charge(reductions);
    } else if let Some(scheduler) = current() {
        scheduler.set_reductions_left(scheduler.reductions_left() - reductions);
    }
}

/// Makes the slice of the running process end at its next call; the remaining reductions are not charged.
pub fn end_slice_soon() {
    if let Some(scheduler) = current() {
        let left = scheduler.reductions_left();
        scheduler.forgone.update(|forgone| forgone + left.max(0));
        scheduler.set_reductions_left(left.min(0));
    }
}

/// Reductions left in the running slice; a long-running BIF traps when none are left.
#[must_use]
pub fn reductions_left() -> i64 {
    current().map_or(REDUCTIONS_PER_SLICE, Scheduler::reductions_left)
}

/// Creates the state of `total` schedulers, of which `online` run processes. Each of their threads then calls [`run`].
pub fn create(total: usize, online: usize) -> Vec<RunQueuesOf> {
    let queues: Vec<RunQueues> = (0..total).map(|_| RunQueues::new()).collect();
    let all = queues
        .iter()
        .enumerate()
        .map(|(index, queues)| Shared::new(index, queues))
        .collect();
    let schedulers = Schedulers {
        all,
        online: AtomicUsize::new(online),
        idle: Sleepers::new(),
        injected: crate::mail::queues::Injected::new(),
    };
    assert!(
        SCHEDULERS.set(schedulers).is_ok(),
        "schedulers are made once"
    );
    queues.into_iter().map(RunQueuesOf).collect()
}

/// The queues of one scheduler, to be handed to its thread.
pub struct RunQueuesOf(RunQueues);

// SAFETY: handed to a single thread before anyone uses it.
unsafe impl Send for RunQueuesOf {}

/// Runs scheduler `index` on this thread; does not return while the node lives.
pub fn run(index: usize, queues: RunQueuesOf) -> ! {
    binding::begin(&schedulers().all[index]);
    microstate::begin(
        microstate::ThreadKind::Scheduler,
        index + 1,
        ThreadState::Emulator,
    );
    // Leaked: the thread runs as long as the node.
    let scheduler: &'static Scheduler = Box::leak(Box::new(Scheduler {
        shared: &schedulers().all[index],
        context: UnsafeCell::new(new_context(index + 1)),
        queues: queues.0,
        bound_had_turn: Cell::new(false),
        thief: RefCell::default(),
        crowd: Crowd::default(),
        dead: DeadProcesses::new(),
        resting: Resting::default(),
        spawned: Cell::new(0),
        slices_to_check: Cell::new(SLICES_PER_CHECK),
        reductions_to_check: Cell::new(REDUCTIONS_PER_CHECK),
        forgone: Cell::new(0),
    }));
    CURRENT.set(Some(scheduler));
    profile::begin(scheduler.context.get(), profile::ThreadKind::Scheduler);
    scheduler.rounds()
}

/// A context with empty registers, for the scheduler of this number, or 0.
fn new_context(number: usize) -> Context {
    Context {
        process: ptr::null_mut(),
        runtime: &raw const engine_calls::TABLE,
        reductions_left: 0,
        raise: Raise {
            kind: RaiseKind::None,
            class: Class::Error,
            reason: Term::NONE,
            trace: Term::NONE,
            target: ptr::null(),
            arguments: Term::NONE,
        },
        number,
        scheduler: ptr::null_mut(),
        f: [0.0; FLOAT_REGISTERS],
        builder: [0; 3],
        x: [Term::NIL; X_REGISTERS + 8],
        aliased: PhantomPinned,
    }
}

/// Queues a process that this thread made runnable (its QUEUED bit is set): on this thread's scheduler, or in the
/// injected queue if this thread is not a scheduler.
///
/// # Safety
/// The process is valid, and this thread owns it until it is in a queue.
pub unsafe fn enqueue_woken(process: *mut Process) {
    let Some(scheduler) = current() else {
        // SAFETY: the caller's promise.
        let word = unsafe { (*process).state.load(Ordering::Relaxed) };
        if bound_to(word) != 0 {
            return crate::mail::bound::queue(process, word);
        }
        let schedulers = schedulers();
        schedulers.injected.push(process);
        crate::mail::idle::wake_one_unless_searched(schedulers);
        return;
    };
    scheduler.enqueue(process);
}

/// Makes this thread's scheduler run a port after the current slice, or another scheduler if that takes long. Returns
/// false if this thread is not a scheduler.
pub fn run_port_soon(port: &Arc<Port>) -> bool {
    let Some(scheduler) = current() else {
        return false;
    };
    if scheduler.shared.ports.push(Arc::clone(port)) > 1 {
        scheduler.call_for_help();
    }
    true
}

/// Wakes one sleeping scheduler, if there is one.
pub fn wake_one() {
    let schedulers = schedulers();
    crate::mail::idle::wake_one(schedulers);
}

/// Wakes every sleeping scheduler.
pub fn wake_all() {
    let schedulers = schedulers();
    crate::mail::idle::wake_all(schedulers);
}

/// The number of queued processes for each scheduler; processes from other threads count for the first.
#[must_use]
pub fn run_queue_lengths() -> Vec<usize> {
    let mut lengths: Vec<usize> = schedulers()
        .all
        .iter()
        .map(|shared| shared.stealers.len() + shared.bound.len())
        .collect();
    if let Some(first) = lengths.first_mut() {
        *first += schedulers().injected.len();
    }
    lengths
}

/// The number of schedulers that do not sleep.
#[must_use]
pub fn awake_count() -> usize {
    let all = schedulers().all.iter();
    all.filter(|shared| shared.asleep_since_ns.load(Ordering::Relaxed) == 0)
        .count()
}

/// The number of queued and running processes for each scheduler; an awake scheduler counts as running one.
#[must_use]
pub fn active_tasks() -> Vec<usize> {
    let mut tasks = run_queue_lengths();
    for (tasks, shared) in tasks.iter_mut().zip(&schedulers().all) {
        let is_awake = shared.asleep_since_ns.load(Ordering::Relaxed) == 0;
        *tasks += usize::from(is_awake);
    }
    tasks
}

impl Scheduler {
    /// The process that runs on this scheduler; null between processes.
    fn running(&self) -> *mut Process {
        // SAFETY: only this thread accesses the context, and one field is read.
        unsafe { (*self.context.get()).process.cast() }
    }

    /// Reductions left in the slice of the running process.
    fn reductions_left(&self) -> i64 {
        // SAFETY: as in `running`.
        unsafe { (*self.context.get()).reductions_left }
    }

    fn set_reductions_left(&self, reductions: i64) {
        // SAFETY: as in `running`; one field is written.
        unsafe { (*self.context.get()).reductions_left = reductions };
    }

    fn rounds(&self) -> ! {
        epoch::quiescent();
        crate::mail::world::enter();
        loop {
            if self.slices_to_check.get() == 0 || self.reductions_to_check.get() <= 0 {
                self.check();
            }
            if port::queue::any(&self.shared.ports) {
                self.run_port();
            }
            if let Some(pid) = self.queues.pop_awaited(&self.shared.bound) {
                self.attend(pid);
                continue;
            }
            match self.next() {
                Some(process) => self.run_slice(process),
                None => self.wait_for_work(),
            }
        }
    }

    /// The part of a round that is done once in [`SLICES_PER_CHECK`] slices.
    fn check(&self) {
        {
            let _check_io = microstate::enter(ThreadState::CheckIo);
            crate::mail::io::poll_now();
        }
        self.check_all_but_io();
    }

    fn check_all_but_io(&self) {
        self.slices_to_check.set(SLICES_PER_CHECK);
        self.reductions_to_check.set(REDUCTIONS_PER_CHECK);
        {
            let _aux = microstate::enter(ThreadState::Aux);
            self.retire();
            crate::mail::deferred::run();
            self.shared.errands.run();
            timer::expire(self.shared.index);
        }
        if self.is_online() {
            self.queues.take_injected(&schedulers().injected, false);
            self.even_out();
        }
    }

    /// Takes processes from schedulers that have many more than this one, or that give them no turns because urgent ones run there:
    /// of those the urgent ones first.
    fn even_out(&self) {
        let all = &schedulers().all;
        if all.len() == 1 {
            return;
        }
        self.shared.counts.add_balance_check();
        let now_ns = sys::clock::monotonic_ns();
        let (since_ns, slices) = self
            .thief
            .borrow_mut()
            .since_last_look(now_ns, &self.shared.counts);
        let passed_over = self.queues.passed_over();
        let gives_no_turns = passed_over > 0 && passed_over >= slices;
        if gives_no_turns != self.shared.gives_no_turns.load(Ordering::Relaxed) {
            self.shared
                .gives_no_turns
                .store(gives_no_turns, Ordering::Relaxed);
        }
        let others = all
            .iter()
            .filter(|victim| victim.index != self.shared.index);
        for victim in others {
            let is_blocked = victim.gives_no_turns.load(Ordering::Relaxed);
            if is_blocked && self.take_urgent(victim, gives_no_turns) || gives_no_turns {
                continue;
            }
            let own = self.shared.stealers.lengths();
            let theirs = victim.stealers.lengths();
            let has_work = own.iter().any(|&queued| queued > 0);
            for priority in [Priority::Normal, Priority::Low] {
                let (own, theirs) = (own[priority as usize], theirs[priority as usize]);
                let share = match is_blocked {
                    true => Thief::rescue(theirs),
                    false if has_work => Thief::share(since_ns, slices, own, theirs),
                    false => 0,
                };
                if share > 0 {
                    self.queues.take_from(&victim.stealers, priority, share);
                }
            }
        }
    }

    /// Takes urgent processes from a scheduler that runs nothing else; returns whether it had any besides the one that runs.
    fn take_urgent(&self, victim: &Shared, is_busy_too: bool) -> bool {
        let own = self.shared.stealers.lengths();
        let theirs = victim.stealers.lengths();
        let mut any = false;
        for priority in [Priority::Max, Priority::High] {
            let (own, theirs) = (own[priority as usize], theirs[priority as usize]);
            let share = match is_busy_too {
                true => theirs.saturating_sub(own) / 2,
                false => Thief::rescue(theirs),
            };
            if share > 0 {
                self.queues.take_from(&victim.stealers, priority, share);
            }
            any |= theirs > 0;
        }
        any
    }

    /// Runs tasks that are queued for a port.
    fn run_port(&self) {
        crate::mail::world::step_aside_if_asked();
        self.set_reductions_left(REDUCTIONS_PER_SLICE);
        let spent_ns = port::queue::run_one(&self.shared.ports);
        epoch::quiescent();
        let counted = 1 + (spent_ns / PORT_NS_PER_SLICE) as u32;
        self.slices_to_check
            .update(|slices| slices.saturating_sub(counted));
    }

    fn next(&self) -> Option<*mut Process> {
        crate::mail::world::step_aside_if_asked();
        if !self.is_online() {
            self.hand_over();
            return None;
        }
        if self.crowd.is_noted() && self.shared.stealers.len() > 1 {
            self.call_for_help();
        }
        if self.shared.bound.any()
            && let Some(process) = self.next_bound()
        {
            return Some(process);
        }
        if let Some(process) = self.queues.pop() {
            return Some(process);
        }
        self.crowd.is_over();
        if self.queues.take_injected(&schedulers().injected, true) {
            return self.queues.pop();
        }
        self.steal()
    }

    fn is_online(&self) -> bool {
        self.shared.index < schedulers().online.load(Ordering::Relaxed)
    }

    /// Gives the processes of an offline scheduler to the others.
    fn hand_over(&self) {
        let mut any = false;
        while let Some(process) = self.queues.pop() {
            schedulers().injected.push(process);
            any = true;
        }
        if any {
            wake_one();
        }
    }

    fn steal(&self) -> Option<*mut Process> {
        let all = &schedulers().all;
        let own = self.shared.index;
        if let Some(victim) = all.iter().find(|victim| victim.ports.has_waited())
            && let Some(port) = victim.ports.pop()
        {
            self.shared.ports.push(port);
            return None;
        }
        self.thief
            .borrow_mut()
            .ran_dry(sys::clock::monotonic_ns, &self.shared.counts);
        (1..all.len()).find_map(|distance| {
            let victim = &all[(own + distance) % all.len()];
            let queued = victim.stealers.normal();
            let verdict = if victim.stealers.other_than_normal() {
                Verdict::Take
            } else if queued == 0 {
                Verdict::Leave
            } else {
                self.thief
                    .borrow_mut()
                    .judge(sys::clock::monotonic_ns(), victim, queued)
            };
            if verdict == Verdict::Leave {
                return None;
            }
            let stolen = self.queues.steal_from(&victim.stealers)?;
            self.thief
                .borrow_mut()
                .took(sys::clock::monotonic_ns(), &self.shared.counts);
            Some(stolen)
        })
    }

    /// Sleeps, or waits until the processes that others have queued may be stolen.
    fn wait_for_work(&self) {
        if port::queue::any(&self.shared.ports) {
            return;
        }
        let look_again_ns = self.thief.borrow().look_again_ns();
        let Some(look_again_ns) = look_again_ns.filter(|_| self.is_online()) else {
            self.sleep();
            return;
        };
        let wait_ns = look_again_ns - sys::clock::monotonic_ns();
        if wait_ns > LONGEST_SPIN_NS {
            self.retire();
            epoch::idle();
            crate::mail::world::leave();
            crate::mail::idle::nap(self.shared, wait_ns as u64);
            crate::mail::world::enter();
            epoch::quiescent();
            self.check();
        } else {
            for _ in 0..SPINS_PER_LOOK {
                std::hint::spin_loop();
            }
            epoch::quiescent();
            // Where processes are always left to the others, this goes on for as long as they run; the check of timers
            // and I/O becomes due meanwhile, as it does by slices.
            self.slices_to_check
                .update(|slices| slices.saturating_sub(1));
        }
    }

    /// Puts a process into this scheduler's queue; calls for help if others were already queued.
    fn enqueue(&self, process: *mut Process) {
        // SAFETY: QUEUED is set by this thread, which therefore owns the process until it is in the queue.
        let word = unsafe { (*process).state.load(Ordering::Relaxed) };
        if bound_to(word) != 0 {
            return crate::mail::bound::queue(process, word);
        }
        let more_than_one = self.queues.push(process, priority_of(word));
        if more_than_one {
            self.call_for_help();
        }
    }

    /// More than one task is queued here. Wakes another scheduler if this lasts.
    fn call_for_help(&self) {
        let schedulers = schedulers();
        if schedulers.idle.any() && self.crowd.waits(sys::clock::monotonic_ns()) {
            crate::mail::idle::wake_one(schedulers);
        }
    }

    /// Lets a process that was taken from a run queue run until it waits, ends, or has used its reductions.
    fn run_slice(&self, pointer: *mut Process) {
        self.slices_to_check
            .update(|slices| slices.saturating_sub(1));
        // SAFETY: taken from a run queue, so its block is still valid; `state` is shared.
        let before = unsafe { state::begin(&(*pointer).state) };
        if before & (state::BORROWED | state::GONE) != 0 {
            self.leave_to_borrower(pointer, before);
            return;
        }
        let mut slice = Slice::begin(self, pointer, before);
        loop {
            let next = match self.prepare(&mut slice, pointer) {
                Next::Run => self.run_code(&mut slice, pointer),
                other => other,
            };
            if next == Next::End {
                break;
            }
        }
        self.end_slice(&slice);
    }

    /// What is done after each slice, when the process has been given up.
    fn end_slice(&self, slice: &Slice) {
        let used = slice.used();
        self.reductions_to_check.update(|left| left - (used + 16));
        self.shared.counts.add(used);
        epoch::quiescent();
        if self.dead.is_full() {
            self.retire();
        }
    }

    /// Reclaims the memory of dead processes that no thread can still reference.
    fn retire(&self) {
        let reclaimed = self.dead.reclaim();
        block::count(self.spawned.take() - reclaimed as isize);
    }

    /// Counts a block that this scheduler took for a new process.
    pub fn count_spawn(&self) {
        self.spawned.update(|spawned| spawned + 1);
    }

    /// Waits for an event, a timer, or a call from another thread, because there is nothing to run.
    fn sleep(&self) {
        self.retire();
        self.shared.errands.run();
        timer::expire(self.shared.index);
        self.trim_resting();
        // No separate I/O poll here: the wait below includes one (E3: this saves one system call for each message).
        if self.has_no_work() && !self.is_kept_awake() {
            epoch::idle();
            crate::mail::world::leave();
            let asleep_since_ns = sys::clock::monotonic_ns();
            self.shared
                .asleep_since_ns
                .store(asleep_since_ns, Ordering::Relaxed);
            microstate::set(ThreadState::Other);
            crate::mail::idle::sleep(self.shared, self.is_online(), self.resting.due_ns());
            microstate::set(ThreadState::Emulator);
            let slept_ns = sys::clock::monotonic_ns() - asleep_since_ns;
            self.shared.asleep_since_ns.store(0, Ordering::Relaxed);
            self.shared.slept_ns.fetch_add(slept_ns, Ordering::Relaxed);
            crate::mail::world::enter();
            epoch::quiescent();
            if system_profile::any() {
                system_profile::scheduler_is(self.shared.index + 1, am::ACTIVE);
            }
            self.check_all_but_io();
        }
    }

    fn has_no_work(&self) -> bool {
        let has_bound = self.shared.bound.any() && self.is_online();
        self.queues.is_empty() && !port::queue::any(&self.shared.ports) && !has_bound
    }

    /// Tells the profiler that the scheduler sleeps, which may make work for it.
    fn is_kept_awake(&self) -> bool {
        if !system_profile::any() {
            return false;
        }
        let number = self.shared.index + 1;
        system_profile::scheduler_is(number, am::INACTIVE);
        let is_kept = !self.has_no_work();
        if is_kept {
            system_profile::scheduler_is(number, am::ACTIVE);
        }
        is_kept
    }
}
