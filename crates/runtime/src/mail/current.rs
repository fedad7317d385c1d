//! The scheduler of this thread, as code that its processes run may use it.
//!
//! [`current`] is set while the scheduler's loop (`exec::scheduler`) is on the stack, on its own thread alone. So a
//! [`Current`] is only ever borrowed shared, and what changes in it is in cells.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use layout::limits::REDUCTIONS_PER_SLICE;
use layout::{Context, Term};

use super::dirty::here;
use super::metering;
use super::overload::Overload;
use super::ports::PortWork;
use super::queues::RunQueues;
use super::schedulers::{Shared, schedulers};
use crate::process::owner::Runnable;
use crate::process::{Priority, Process, bound_to, priority_of};

/// What a scheduler's thread has for the code that it runs.
pub struct Current {
    pub(crate) shared: &'static Shared,
    /// Also written through the pointer that [`engine::run`] gets, by operations and BIFs. No reference to the whole
    /// context is kept while a process runs: single fields are read and written.
    pub(crate) context: UnsafeCell<Context>,
    pub(crate) queues: RunQueues,
    pub(crate) overload: Overload,
    /// Blocks taken for new processes, minus those given back, since this was last added to the node's count.
    pub(crate) spawned: Cell<isize>,
    pub(crate) slices_to_check: Cell<u32>,
    /// Reductions of the slice that the running process gave up unused: see [`end_slice_soon`].
    pub(crate) forgone: Cell<i64>,
}

thread_local! {
    static CURRENT: Cell<Option<&'static Current>> = const { Cell::new(None) };
}

/// Whether this thread runs the process at this address. Its registers are written back, as during a BIF call.
#[must_use]
pub fn is_running_here(process: *const Process) -> bool {
    current().is_some_and(|scheduler| ptr::eq(scheduler.running(), process))
}

/// The pid of the process that runs on this thread.
#[must_use]
pub fn running_pid() -> Option<Term> {
    let running = current()?.running();
    // SAFETY: a process is valid while this thread runs it; `id` never changes.
    (!running.is_null()).then(|| unsafe { (*running).id })
}

/// The scheduler of this thread; `None` on other threads.
#[inline]
#[must_use]
pub fn current() -> Option<&'static Current> {
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

/// Reductions that a process has used so far, with those of the running slice.
#[must_use]
pub fn reductions_now(process: &Process) -> u64 {
    process.reductions + current_slice_reductions(process)
}

/// Charges the running process with reductions for work that a BIF did.
#[inline]
pub fn charge(reductions: i64) {
    if reductions == 0 {
        return;
    }
    if here::is_here() {
        here::charge(reductions);
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

/// Takes reductions from the slice of the running process that are not charged, so that it ends sooner.
pub(crate) fn forgo(reductions: i64) {
    if let Some(scheduler) = current() {
        let left = scheduler.reductions_left();
        let forgone = reductions.min(left.max(0));
        scheduler.forgone.update(|before| before + forgone);
        scheduler.set_reductions_left(left - forgone);
    }
}

/// Reductions left in the running slice; a long-running BIF traps when none are left.
#[must_use]
pub fn reductions_left() -> i64 {
    current().map_or(REDUCTIONS_PER_SLICE, Current::reductions_left)
}

/// Queues a process that this thread made runnable: on this thread's scheduler, or in the injected queue if this thread
/// is not a scheduler.
pub(crate) fn enqueue_woken(runnable: Runnable) {
    match current() {
        Some(scheduler) => scheduler.enqueue(runnable),
        None => inject(runnable),
    }
}

/// Queues a process from a thread that is no scheduler.
#[cold]
fn inject(runnable: Runnable) {
    if metering::is_open() {
        metering::queues(runnable.address());
    }
    let word = runnable.state();
    if bound_to(word) != 0 {
        return super::bound::queue(runnable, word);
    }
    let schedulers = schedulers();
    schedulers.injected.push(runnable);
    super::wake::wake_one_unless_searched(schedulers);
}

/// Makes this thread's scheduler run a port after the current slice, or another scheduler if that takes long. Returns
/// false if this thread is not a scheduler.
pub(crate) fn run_port_soon(port: &Arc<dyn PortWork>) -> bool {
    let Some(scheduler) = current() else {
        return false;
    };
    if scheduler.shared.ports.push(Arc::clone(port)) > 1 {
        scheduler.call_for_help();
    }
    true
}

/// Makes this the current scheduler of this thread, for as long as the node lives.
pub(crate) fn begin(current: &'static Current) {
    CURRENT.set(Some(current));
}

impl Current {
    /// The part of a scheduler that code uses, before it runs anything.
    pub(crate) fn new(shared: &'static Shared, context: Context, queues: RunQueues) -> Current {
        Current {
            shared,
            context: UnsafeCell::new(context),
            queues,
            overload: Overload::default(),
            spawned: Cell::new(0),
            slices_to_check: Cell::new(0),
            forgone: Cell::new(0),
        }
    }

    /// The process that runs on this scheduler; null between processes.
    pub(crate) fn running(&self) -> *mut Process {
        // SAFETY: only this thread accesses the context, and one field is read.
        unsafe { (*self.context.get()).process.cast() }
    }

    /// The priority of that process, which somebody may have borrowed exclusively at this moment: no reference to the
    /// whole of it is made.
    pub(crate) fn running_priority(&self) -> Option<Priority> {
        let running = self.running();
        // SAFETY: a process is valid while this thread runs it; `state` is shared.
        (!running.is_null())
            .then(|| priority_of(unsafe { (*running).state.load(Ordering::Relaxed) }))
    }

    /// Reductions left in the slice of the running process.
    pub(crate) fn reductions_left(&self) -> i64 {
        // SAFETY: as in `running`.
        unsafe { (*self.context.get()).reductions_left }
    }

    pub(crate) fn set_reductions_left(&self, reductions: i64) {
        // SAFETY: as in `running`; one field is written.
        unsafe { (*self.context.get()).reductions_left = reductions };
    }

    /// Puts a process into this scheduler's queue; calls for help if others were already queued. A call of it costs
    /// 12 instructions more for each process that a message wakes.
    #[inline(always)]
    pub(crate) fn enqueue(&self, runnable: Runnable) {
        self.enqueue_by(runnable, RunQueues::push);
    }

    /// Puts a process into this scheduler's queue that has used up its slice.
    pub(crate) fn enqueue_spent(&self, runnable: Runnable) {
        self.enqueue_by(runnable, RunQueues::push_spent);
    }

    #[inline(always)]
    fn enqueue_by(
        &self,
        runnable: Runnable,
        push: impl FnOnce(&RunQueues, Runnable, Priority) -> bool,
    ) {
        // As in `signal::count_and_push`, the whole rest stands in both branches.
        match metering::is_open() {
            false => self.push(runnable, push),
            true => self.measure_and_push(runnable, push),
        }
    }

    #[cold]
    #[inline(never)]
    fn measure_and_push(
        &self,
        runnable: Runnable,
        push: impl FnOnce(&RunQueues, Runnable, Priority) -> bool,
    ) {
        metering::queues(runnable.address());
        self.push(runnable, push);
    }

    #[inline(always)]
    fn push(&self, runnable: Runnable, push: impl FnOnce(&RunQueues, Runnable, Priority) -> bool) {
        let word = runnable.state();
        if bound_to(word) != 0 {
            return super::bound::queue(runnable, word);
        }
        let more_than_one = push(&self.queues, runnable, priority_of(word));
        if more_than_one {
            self.call_for_help();
        }
    }

    /// More than one task is queued here. Wakes another scheduler if this lasts; while a process runs, that is left to
    /// the end of its slice ([`Overload`] says why).
    #[inline(never)]
    pub(crate) fn call_for_help(&self) {
        let schedulers = schedulers();
        if !schedulers.idle.any() {
            return;
        }
        if self.running().is_null() {
            if self.overload.waits(sys::clock::monotonic_ns()) {
                super::wake::wake_one(schedulers);
            }
        } else {
            self.overload.begins(sys::clock::monotonic_ns);
        }
    }

    /// Counts a block that this scheduler took for a new process.
    pub fn count_spawn(&self) {
        self.spawned.update(|spawned| spawned + 1);
    }
}
