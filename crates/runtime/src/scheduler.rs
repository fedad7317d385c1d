//! Schedulers: native threads that run Erlang processes.
//!
//! Each scheduler has its own run queues, one per priority. A process is queued on the scheduler that wakes or spawns
//! it, so two processes that exchange messages stay on one core; a scheduler without work steals from the others. One
//! round handles expired timers, then I/O events (polled at intervals, and waited for when there is nothing to run),
//! then runs the next process by priority.
//!
//! A scheduler owns the process that it runs: taking the pointer from a run queue transfers the ownership.

mod awaited;
pub mod binding;
mod crowd;
pub mod dirty;
pub mod idle;
pub mod online;
mod queues;
mod stealing;
pub mod world;

use std::cell::Cell;
use std::collections::VecDeque;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use layout::limits::{FLOAT_REGISTERS, REDUCTIONS_PER_SLICE, X_REGISTERS};
use layout::{Class, Context, Raise, RaiseKind, Term};
use term::am;
use term::copy::Owned;

use crate::collector;
use crate::collector::dirty_collection::{self, Collection};
use crate::microstate::{self, ThreadState};
use crate::port::{self, Port};
use crate::process::tasks::{self, Ran};
use crate::process::{Process, block, exit, flag, state};
use crate::signal::handle;
use crate::{engine_calls, epoch, system_monitor, timer};
pub use awaited::attend_soon;
use crowd::Crowd;
use idle::Sleeper;
use idle::sleepers::Sleepers;
use queues::{RunQueues, Stealers};
use stealing::{Thief, Verdict};

/// Slices between two checks of the clock and of I/O.
const SLICES_PER_CHECK: u32 = 64;
/// Reductions after which the next check is due even before [`SLICES_PER_CHECK`] slices.
const REDUCTIONS_PER_CHECK: i64 = 2 * REDUCTIONS_PER_SLICE;
/// Size of a scheduler's native stack; BIFs run on it.
pub const STACK_BYTES: usize = 8 << 20;
/// Number of dead processes whose memory is retired as one batch.
const RETIRE_BATCH: usize = 64;

/// Spin-loop iterations (about 50 ns each) between two looks at the queues of other schedulers. Each look fetches their
/// cache lines, so it is not done on every iteration.
const SPINS_PER_LOOK: u32 = 16;
/// A thief that has to wait longer than this sleeps instead of spinning.
const LONGEST_SPIN_NS: i64 = 50_000;

/// Counters of a scheduler's work, read by `statistics` and by thieves. Only the scheduler writes them.
#[repr(align(128))]
pub struct Counts {
    switches: AtomicU64,
    reductions: AtomicU64,
}

impl Counts {
    fn add(&self, reductions: i64) {
        let one_more = |count: &AtomicU64, more: u64| {
            count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        one_more(&self.switches, 1);
        one_more(&self.reductions, reductions as u64);
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
    stealers: Stealers,
    /// Ports with tasks that were queued by code running on this scheduler.
    ports: port::queue::Runnable,
    idle: Sleeper,
    binding: binding::Binding,
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
            idle: Sleeper::new(),
            binding: binding::Binding::new(),
            counts: Counts {
                switches: AtomicU64::new(0),
                reductions: AtomicU64::new(0),
            },
            slept_ns: AtomicI64::new(0),
            asleep_since_ns: AtomicI64::new(0),
            started_ns: sys::clock::monotonic_ns(),
        }
    }

    /// The number of queued processes for each priority.
    #[must_use]
    pub fn queue_lengths(&self) -> [usize; 4] {
        self.stealers.lengths()
    }
}

/// A scheduler; only its own thread accesses it.
pub struct Scheduler {
    pub shared: &'static Shared,
    pub context: Box<Context>,
    queues: RunQueues,
    thief: Thief,
    crowd: Crowd,
    retiring: Vec<NonNull<Process>>,
    retired: VecDeque<(u64, Vec<NonNull<Process>>)>,
    spawned: isize,
    slices_to_check: u32,
    reductions_to_check: i64,
    /// Reductions of the slice that the running process gave up unused: see [`end_slice_soon`].
    forgone: i64,
}

/// The schedulers of the node.
pub struct Schedulers {
    pub all: Vec<Shared>,
    pub online: AtomicUsize,
    idle: Sleepers,
    injected: queues::Injected,
}

static SCHEDULERS: OnceLock<Schedulers> = OnceLock::new();

thread_local! {
    static CURRENT: Cell<*mut Scheduler> = const { Cell::new(ptr::null_mut()) };
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
    let scheduler = current();
    if scheduler.is_null() {
        return None;
    }
    // SAFETY: this thread's own scheduler; its process stays valid while this thread runs it.
    unsafe { (*scheduler).context.process.cast::<Process>().as_ref() }
}

/// The scheduler of this thread; null on other threads.
#[inline]
#[must_use]
pub fn current() -> *mut Scheduler {
    CURRENT.get()
}

/// This thread's scheduler number, from 1; 0 on other threads.
#[must_use]
pub fn current_number() -> usize {
    // SAFETY: this thread's own scheduler, which lives as long as the thread.
    unsafe { current().as_ref() }.map_or(0, |scheduler| scheduler.shared.index + 1)
}

/// Reductions that `process` has used so far in its current slice; 0 if it does not run on this thread.
#[must_use]
pub fn current_slice_reductions(process: &Process) -> u64 {
    let scheduler = current();
    if scheduler.is_null() {
        return 0;
    }
    // SAFETY: this thread's own scheduler; BIFs run with the registers written back.
    let (context, forgone) = unsafe { (&(*scheduler).context, (*scheduler).forgone) };
    if ptr::eq(context.process.cast::<Process>(), process) {
        (REDUCTIONS_PER_SLICE - context.reductions_left - forgone).max(0) as u64
    } else {
        0
    }
}

/// Charges the running process with reductions for work that a BIF did.
pub fn charge(reductions: i64) {
    let scheduler = current();
    if dirty::is_here() {
        dirty::charge(reductions);
    } else if !scheduler.is_null() {
        // SAFETY: as in `current_slice_reductions`.
        unsafe { (*scheduler).context.reductions_left -= reductions };
    }
}

/// Makes the slice of the running process end at its next call; the remaining reductions are not charged.
pub fn end_slice_soon() {
    // SAFETY: as in `current_slice_reductions`.
    if let Some(scheduler) = unsafe { current().as_mut() } {
        let left = &mut scheduler.context.reductions_left;
        scheduler.forgone += (*left).max(0);
        *left = (*left).min(0);
    }
}

/// Reductions left in the running slice; a long-running BIF traps when none are left.
#[must_use]
pub fn reductions_left() -> i64 {
    // SAFETY: as in `current_slice_reductions`.
    let scheduler = unsafe { current().as_ref() };
    scheduler.map_or(REDUCTIONS_PER_SLICE, |scheduler| {
        scheduler.context.reductions_left
    })
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
        injected: queues::Injected::new(),
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
    let mut scheduler = Box::new(Scheduler {
        shared: &schedulers().all[index],
        context: new_context(),
        queues: queues.0,
        thief: Thief::default(),
        crowd: Crowd::default(),
        retiring: Vec::new(),
        retired: VecDeque::new(),
        spawned: 0,
        slices_to_check: SLICES_PER_CHECK,
        reductions_to_check: REDUCTIONS_PER_CHECK,
        forgone: 0,
    });
    let pointer: *mut Scheduler = &raw mut *scheduler;
    CURRENT.set(pointer);
    // SAFETY: the box lives as long as this thread; every access goes through this pointer.
    unsafe {
        (*pointer).context.scheduler = pointer.cast();
        (*pointer).rounds()
    }
}

/// A context with empty registers.
#[must_use]
pub fn new_context() -> Box<Context> {
    Box::new(Context {
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
        scheduler: ptr::null_mut(),
        f: [0.0; FLOAT_REGISTERS],
        builder: [0; 3],
        x: [Term::NIL; X_REGISTERS + 8],
    })
}

/// Queues a process that this thread made runnable (its QUEUED bit is set): on this thread's scheduler, or in the
/// injected queue if this thread is not a scheduler.
pub fn enqueue_woken(process: *mut Process) {
    let scheduler = current();
    if scheduler.is_null() {
        let schedulers = schedulers();
        schedulers.injected.push(process);
        idle::wake_one_unless_searched(schedulers);
        return;
    }
    // SAFETY: this thread's own scheduler.
    unsafe { (*scheduler).enqueue(process) };
}

/// Makes this thread's scheduler run a port after the current slice, or another scheduler if that takes long. Returns
/// false if this thread is not a scheduler.
pub fn run_port_soon(port: &Arc<Port>) -> bool {
    let scheduler = current();
    if scheduler.is_null() {
        return false;
    }
    // SAFETY: this thread's own scheduler.
    let scheduler = unsafe { &mut *scheduler };
    if scheduler.shared.ports.push(Arc::clone(port)) > 1 {
        scheduler.call_for_help();
    }
    true
}

/// Wakes one sleeping scheduler, if there is one.
pub fn wake_one() {
    let schedulers = schedulers();
    idle::wake_one(schedulers);
}

/// Wakes every sleeping scheduler.
pub fn wake_all() {
    let schedulers = schedulers();
    idle::wake_all(schedulers);
}

/// The number of queued processes for each scheduler; processes from other threads count for the first.
#[must_use]
pub fn run_queue_lengths() -> Vec<usize> {
    let mut lengths: Vec<usize> = schedulers()
        .all
        .iter()
        .map(|shared| shared.stealers.len())
        .collect();
    if let Some(first) = lengths.first_mut() {
        *first += schedulers().injected.len();
    }
    lengths
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
    fn rounds(&mut self) -> ! {
        epoch::quiescent();
        world::enter();
        loop {
            if self.slices_to_check == 0 || self.reductions_to_check <= 0 {
                self.check();
            }
            if port::queue::any(&self.shared.ports) {
                self.run_port();
            }
            if let Some(pid) = self.queues.pop_awaited() {
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
    fn check(&mut self) {
        {
            let _check_io = microstate::enter(ThreadState::CheckIo);
            crate::io::poll_now();
        }
        self.check_all_but_io();
    }

    fn check_all_but_io(&mut self) {
        self.slices_to_check = SLICES_PER_CHECK;
        self.reductions_to_check = REDUCTIONS_PER_CHECK;
        {
            let _aux = microstate::enter(ThreadState::Aux);
            self.retire();
            timer::expire(self.shared.index);
        }
        self.queues.take_injected(&schedulers().injected, false);
        self.even_out();
    }

    /// Takes processes from schedulers that have many more than this one.
    fn even_out(&mut self) {
        let all = &schedulers().all;
        if all.len() == 1 || !self.is_online() {
            return;
        }
        let now_ns = sys::clock::monotonic_ns();
        let (since_ns, slices) = self.thief.since_last_look(now_ns, &self.shared.counts);
        for victim in all {
            let own = self.shared.stealers.normal();
            let share = Thief::share(since_ns, slices, own, victim.stealers.normal());
            if share > 0 {
                self.queues.take_from(&victim.stealers, share);
            }
        }
    }

    /// Runs tasks that are queued for a port.
    fn run_port(&mut self) {
        world::step_aside_if_asked();
        port::queue::run_one(&self.shared.ports);
        epoch::quiescent();
        self.slices_to_check = self.slices_to_check.saturating_sub(1);
    }

    fn next(&mut self) -> Option<*mut Process> {
        world::step_aside_if_asked();
        if !self.is_online() {
            self.hand_over();
            return None;
        }
        if self.crowd.is_noted() && self.shared.stealers.len() > 1 {
            self.call_for_help();
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
    fn hand_over(&mut self) {
        let mut any = false;
        while let Some(process) = self.queues.pop() {
            schedulers().injected.push(process);
            any = true;
        }
        if any {
            wake_all();
        }
    }

    fn steal(&mut self) -> Option<*mut Process> {
        let all = &schedulers().all;
        let own = self.shared.index;
        if let Some(victim) = all.iter().find(|victim| victim.ports.has_waited())
            && let Some(port) = victim.ports.pop()
        {
            self.shared.ports.push(port);
            return None;
        }
        self.thief
            .ran_dry(sys::clock::monotonic_ns, &self.shared.counts);
        (1..all.len()).find_map(|distance| {
            let victim = &all[(own + distance) % all.len()];
            let queued = victim.stealers.normal();
            let verdict = if victim.stealers.other_than_normal() {
                Verdict::Take
            } else if queued == 0 {
                Verdict::Leave
            } else {
                self.thief.judge(sys::clock::monotonic_ns(), victim, queued)
            };
            if verdict == Verdict::Leave {
                return None;
            }
            let stolen = self.queues.steal_from(&victim.stealers)?;
            self.thief
                .took(sys::clock::monotonic_ns(), &self.shared.counts);
            Some(stolen)
        })
    }

    /// Sleeps, or waits until the processes that others have queued may be stolen.
    fn wait_for_work(&mut self) {
        if port::queue::any(&self.shared.ports) {
            return;
        }
        let Some(look_again_ns) = self.thief.look_again_ns() else {
            self.sleep();
            return;
        };
        let wait_ns = look_again_ns - sys::clock::monotonic_ns();
        if wait_ns > LONGEST_SPIN_NS {
            self.retire();
            epoch::idle();
            world::leave();
            idle::nap(self.shared, wait_ns as u64);
            world::enter();
            epoch::quiescent();
            self.check();
        } else {
            for _ in 0..SPINS_PER_LOOK {
                std::hint::spin_loop();
            }
            epoch::quiescent();
        }
    }

    /// Puts a process into this scheduler's queue; calls for help if others were already queued.
    fn enqueue(&mut self, process: *mut Process) {
        // SAFETY: QUEUED is set by this thread, which therefore owns the process until it is in the queue.
        let priority = unsafe { (*process).priority() };
        let more_than_one = self.queues.push(process, priority);
        if more_than_one {
            self.call_for_help();
        }
    }

    /// More than one task is queued here. Wakes another scheduler if this lasts.
    fn call_for_help(&mut self) {
        let schedulers = schedulers();
        if schedulers.idle.any() && self.crowd.waits(sys::clock::monotonic_ns()) {
            idle::wake_one(schedulers);
        }
    }

    fn run_slice(&mut self, pointer: *mut Process) {
        self.slices_to_check -= 1;
        // SAFETY: taken from a run queue, so its block is still valid; `state` is shared.
        let before = unsafe { state::begin(&(*pointer).state) };
        if before & (state::BORROWED | state::GONE) != 0 {
            self.leave_to_borrower(pointer, before);
            return;
        }
        // SAFETY: taken from a run queue, so this thread owns it until it waits, yields or ends.
        let process = unsafe { &mut *pointer };
        if before & state::SIGNALS != 0 {
            handle::fetch(process);
        }
        self.context.reductions_left = REDUCTIONS_PER_SLICE;
        let mut slice = Slice {
            granted: REDUCTIONS_PER_SLICE,
            used: 0,
        };
        loop {
            if process.flags & flag::EXIT_PENDING != 0 {
                slice.account(self, process);
                self.finish(process);
                break;
            }
            if process.flags & flag::TASKS != 0 {
                if tasks::run(process) == Ran::All {
                    continue;
                }
                slice.account(self, process);
                self.hand_to_dirty(pointer);
                break;
            }
            if stands_still(process) {
                slice.account(self, process);
                if state::rest(&process.state) {
                    break;
                }
                handle::fetch(process);
                continue;
            }
            process.flags &= !(flag::WAITS | flag::WAITS_BLINDLY);
            if process.flags & flag::FLOATS != 0 {
                dirty_collection::restore_floats(process, &mut self.context);
            }
            let run = system_monitor::run_begins(process);
            self.context.process = &raw mut process.head;
            // SAFETY: this thread owns the context's process, which is in its canonical state.
            let end = unsafe { engine::run(&raw mut *self.context) };
            self.context.process = ptr::null_mut();
            slice.account(self, process);
            system_monitor::run_ends(process, run);
            match end {
                engine::Exit::Preempted => {
                    dirty_collection::want_if_due(process);
                    if process.flags & (flag::DIRTY | flag::COLLECT) != 0 {
                        self.hand_to_dirty(pointer);
                    } else {
                        self.requeue(pointer);
                    }
                    break;
                }
                engine::Exit::Waiting => {
                    process.flags |= flag::WAITS;
                    // SAFETY: `save` is a link of the queue.
                    if unsafe { !(*process.head.messages.save).is_null() } {
                        process.flags |= flag::WAITS_BLINDLY;
                    }
                    if process.flags & (flag::EXIT_PENDING | flag::TASKS) != 0 {
                        continue;
                    }
                    if state::rest(&process.state) {
                        break;
                    }
                    // A signal arrived meanwhile. A flood of them must not starve the other processes.
                    if self.context.reductions_left <= 0 {
                        self.requeue(pointer);
                        break;
                    }
                    handle::fetch(process);
                }
                engine::Exit::Hibernated => {
                    process.flags |= flag::HIBERNATED;
                    if dirty_collection::is_wanted_for_all(process) {
                        dirty_collection::want(process, Collection::Hibernation);
                        self.hand_to_dirty(pointer);
                        break;
                    }
                    collector::hibernate(process);
                    handle::fetch(process);
                }
                engine::Exit::Exited => {
                    self.finish(process);
                    break;
                }
            }
        }
        self.reductions_to_check -= slice.used + 16;
        self.shared.counts.add(slice.used);
        epoch::quiescent();
        if self.retiring.len() >= RETIRE_BATCH {
            self.retire();
        }
    }

    /// Puts the running process back into the queue.
    fn requeue(&mut self, pointer: *mut Process) {
        // SAFETY: this thread owns the process until it is in the queue.
        unsafe { state::give_up(&(*pointer).state) };
        self.enqueue(pointer);
    }

    /// Gives the running process to a dirty scheduler.
    fn hand_to_dirty(&mut self, pointer: *mut Process) {
        // SAFETY: this thread owns the process until it is handed over. DIRTY is set before QUEUED, so that nobody
        // borrows it.
        unsafe {
            (*pointer).state.fetch_or(state::DIRTY, Ordering::Relaxed);
            state::give_up(&(*pointer).state);
        }
        dirty::hand_over(pointer);
    }

    fn finish(&mut self, process: &mut Process) {
        Scheduler::end(process);
        self.retiring.push(NonNull::from(process));
    }

    /// Ends a process; the caller has to retire its block.
    fn end(process: &mut Process) {
        let reason = process
            .cold
            .as_mut()
            .and_then(|cold| cold.exit_reason.take());
        let reason = reason.unwrap_or_else(|| Owned::new(am::NORMAL));
        exit::finish(process, &reason);
    }

    /// Reclaims the memory of dead processes that no thread can still reference.
    fn retire(&mut self) {
        if !self.retiring.is_empty() {
            self.retired
                .push_back((epoch::retire_stamp(), std::mem::take(&mut self.retiring)));
        }
        epoch::quiescent();
        while self
            .retired
            .front()
            .is_some_and(|(stamp, _)| epoch::passed(*stamp))
        {
            let (_, mut blocks) = self.retired.pop_front().expect("a front");
            self.spawned -= blocks.len() as isize;
            for block in blocks.drain(..) {
                // SAFETY: the block is initialised, and since its stamp has passed, no other thread can reach it.
                unsafe {
                    let process = block.as_ptr();
                    handle::bounce_rest((*process).head.id, &(*process).signals);
                    ptr::drop_in_place(block.as_ptr());
                }
                block::give_back(block);
            }
            if self.retiring.capacity() == 0 {
                self.retiring = blocks;
            }
        }
        block::count(std::mem::take(&mut self.spawned));
    }

    /// Counts a block that this scheduler took for a new process.
    pub fn count_spawn(&mut self) {
        self.spawned += 1;
    }

    /// Waits for an event, a timer, or a call from another thread, because there is nothing to run.
    fn sleep(&mut self) {
        self.retire();
        timer::expire(self.shared.index);
        // No separate I/O poll here: the wait below includes one (E3: this saves one system call for each message).
        if self.queues.is_empty() && !port::queue::any(&self.shared.ports) {
            epoch::idle();
            world::leave();
            let asleep_since_ns = sys::clock::monotonic_ns();
            self.shared
                .asleep_since_ns
                .store(asleep_since_ns, Ordering::Relaxed);
            microstate::set(ThreadState::Other);
            idle::sleep(self.shared, self.is_online());
            microstate::set(ThreadState::Emulator);
            let slept_ns = sys::clock::monotonic_ns() - asleep_since_ns;
            self.shared.asleep_since_ns.store(0, Ordering::Relaxed);
            self.shared.slept_ns.fetch_add(slept_ns, Ordering::Relaxed);
            world::enter();
            epoch::quiescent();
            self.check_all_but_io();
        }
    }
}

/// The reductions granted to one slice and used by it.
struct Slice {
    granted: i64,
    used: i64,
}

impl Slice {
    /// Adds the reductions used since the last call to the process's count. Called before the process is given up.
    fn account(&mut self, scheduler: &mut Scheduler, process: &mut Process) {
        let left = scheduler.context.reductions_left;
        let forgone = std::mem::take(&mut scheduler.forgone);
        let used = (self.granted - left - forgone).max(0);
        self.granted = left;
        self.used += used;
        process.reductions += used as u64;
    }
}

/// Whether a process must not run although a signal woke it: it is suspended, or it hibernates and no message has
/// arrived.
fn stands_still(process: &mut Process) -> bool {
    if process.flags & flag::HIBERNATED != 0 && !process.head.messages.first.is_null() {
        process.flags &= !flag::HIBERNATED;
    }
    process.suspend_count > 0 || process.flags & flag::HIBERNATED != 0
}
