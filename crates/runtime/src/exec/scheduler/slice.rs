//! The steps of one slice: what is done before and after a process's code runs.
//!
//! Each step takes the [`Owner`] of the process and returns it, unless it gives the process up to another thread, puts
//! it to rest or ends it. No reference to the process is kept over the code that runs in between, which borrows it
//! through the context. Only the scheduler's own thread calls these functions.

use std::ptr;
use std::sync::atomic::Ordering;

use layout::limits::REDUCTIONS_PER_SLICE;
use term::am;
use term::gc::verify;

use super::{Scheduler, dirty};
use crate::effects::collection::trim::{self, Rest};
use crate::effects::collection::{self, dirty_collection};
use crate::effects::tasks::{self, Ran};
use crate::effects::{signal_handling, system_monitor};
use crate::exec::exit;
use crate::mail::current::Current;
use crate::mail::observer;
use crate::mail::observer::observer;
use crate::mail::schedulers::schedulers;
use crate::process::dirty::Collection;
use crate::process::owner::{Owner, Runnable};
use crate::process::sync::between_steps;
use crate::process::{Flags, Priority, Process, block, priority_of, state};

/// What comes next in a slice.
#[must_use]
pub(super) enum Next {
    /// The process's code may run.
    Run(Owner),
    /// The process must be prepared again before its code may run.
    Prepare(Owner),
    /// The slice is over, and the process has been given up.
    End,
}

/// The reductions granted to one slice and used by it.
pub(super) struct Slice {
    granted: i64,
    used: i64,
}

impl Slice {
    /// Begins the slice of a process; `before` is its state word before this scheduler took it.
    #[inline]
    pub(super) fn begin(scheduler: &Scheduler, process: &mut Process, before: u32) -> Slice {
        // Signals are charged for.
        scheduler.own.set_reductions_left(REDUCTIONS_PER_SLICE);
        let mut looks = before & state::SIGNALS != 0;
        if process.flags.contains(Flags::TRACED) {
            observer().scheduled_in(process);
            // The queue of a process that never receives becomes long, too.
            looks |= system_monitor::asks_for_queues() && !process.signals.is_empty();
        }
        if looks {
            block::prefetch_heap(&process.head.heap);
            // Pending tasks came first. `prepare` does the rest.
            if !process.flags.contains(Flags::SYSTEM_TASKS) {
                signal_handling::drain_between_slices(process);
            }
        }
        Slice {
            granted: REDUCTIONS_PER_SLICE,
            used: 0,
        }
    }

    /// Reductions used by the slice so far.
    pub(super) fn used(&self) -> i64 {
        self.used
    }

    /// Adds the reductions used since the last call to the process's count. Called before the process is given up.
    #[inline]
    fn account(&mut self, scheduler: &Scheduler, process: &mut Process) {
        let left = scheduler.own.reductions_left();
        let forgone = scheduler.own.forgone.take();
        let used = (self.granted - left - forgone).max(0);
        self.granted = left;
        self.used += used;
        process.reductions += used as u64;
    }
}

impl Scheduler {
    /// Does what must be done before the process's code runs.
    #[inline]
    pub(super) fn prepare(&self, slice: &mut Slice, mut process: Owner) -> Next {
        if process.flags.contains(Flags::EXIT_PENDING) {
            slice.account(self, &mut process);
            return self.finish(process);
        }
        if process.flags.contains(Flags::SYSTEM_TASKS) {
            if tasks::run(&mut process) == Ran::All {
                signal_handling::drain_between_slices(&mut process);
                return Next::Prepare(process);
            }
            slice.account(self, &mut process);
            return self.hand_to_dirty(process);
        }
        if stands_still(&mut process) {
            slice.account(self, &mut process);
            return self.rests(process);
        }
        Next::Run(process)
    }

    /// Runs the process's code until it leaves the engine.
    #[inline]
    pub(super) fn run_code(&self, slice: &mut Slice, mut process: Owner) -> Next {
        let context = self.own.context.get();
        process
            .flags
            .remove(Flags::WAITING | Flags::WAITING_WITHOUT_CLAUSES);
        if process.flags.contains(Flags::SAVED_FLOATS) {
            // SAFETY: no code runs, so nothing else borrows the context.
            dirty_collection::restore_floats(&mut process, unsafe { &mut *context });
        }
        let run = system_monitor::run_begins(&process);
        // SAFETY: this thread owns the context, and its process, which is in its canonical state; it does not use the
        // process until the engine returns. The pointer in the context is to the whole process, of which the head is
        // the first field.
        let exit = unsafe {
            (*context).process = process.pointer().cast();
            assert_runs(&process);
            let exit = engine::run(context);
            (*context).process = ptr::null_mut();
            exit
        };
        assert_runs(&process);
        slice.account(self, &mut process);
        system_monitor::run_ends(&process, run);
        match exit {
            engine::Exit::Preempted => self.preempted(slice, process),
            engine::Exit::Waiting => self.waits(process),
            engine::Exit::Hibernated => self.hibernates(process),
            engine::Exit::Exited => self.finish(process),
            #[cfg(miri)]
            engine::Exit::Step => unreachable!("the engine's trampoline takes this step"),
        }
    }

    /// The process has used its reductions, or has work for a dirty scheduler.
    #[inline]
    fn preempted(&self, slice: &Slice, mut process: Owner) -> Next {
        dirty_collection::want_if_due(&mut process);
        if process
            .flags
            .intersects(Flags::DIRTY_CALL | Flags::DIRTY_COLLECTION)
        {
            return self.hand_to_dirty(process);
        }
        // Those whose dirty calls have ended meanwhile were there before it: they need not wait for its next slice.
        self.own.queues.take_injected(&schedulers().injected, false);
        match slice.used >= REDUCTIONS_PER_SLICE {
            true => self.requeue_by(process, Current::enqueue_spent),
            // It yields.
            false => self.requeue(process),
        }
        Next::End
    }

    /// The process waits for a message or a timeout.
    #[inline]
    fn waits(&self, mut process: Owner) -> Next {
        process.flags.insert(Flags::WAITING);
        // SAFETY: `save` is a link of the queue.
        if unsafe { !(*process.head.messages.save).is_null() } {
            process.flags.insert(Flags::WAITING_WITHOUT_CLAUSES);
        }
        if process
            .flags
            .intersects(Flags::EXIT_PENDING | Flags::SYSTEM_TASKS | Flags::HIBERNATED)
        {
            return self.waits_later(process);
        }
        let slice = self.own.shared.counts.switches() as u32;
        // SAFETY: the process is between two slices, and this thread uses none of its terms.
        if unsafe { trim::before_rest(&mut process, slice) } == Rest::Listed {
            self.resting.add(&process);
        }
        self.rests(process)
    }

    /// The process goes to rest, unless there are signals for it.
    #[inline]
    fn rests(&self, process: Owner) -> Next {
        let mut process = match rest(process) {
            Ok(()) => return Next::End,
            Err(process) => process,
        };
        // A signal arrived meanwhile. A flood of them must not starve the other processes.
        if self.own.reductions_left() <= 0 {
            self.requeue(process);
            return Next::End;
        }
        signal_handling::drain_between_slices(&mut process);
        Next::Prepare(process)
    }

    /// Something is to be done before the process can wait; it hibernates if it is in `hibernate/0`.
    #[cold]
    fn waits_later(&self, process: Owner) -> Next {
        match process.flags.contains(Flags::HIBERNATED) {
            true => self.hibernates(process),
            false => Next::Prepare(process),
        }
    }

    /// The process hibernates.
    fn hibernates(&self, mut process: Owner) -> Next {
        process.flags.insert(Flags::HIBERNATED);
        if dirty_collection::is_wanted_for_all(&process) {
            dirty_collection::want(&mut process, Collection::Hibernation);
            return self.hand_to_dirty(process);
        }
        // SAFETY: the process is between two slices, and this thread uses none of its terms.
        unsafe { collection::hibernate(&mut process) };
        signal_handling::drain(&mut process);
        Next::Prepare(process)
    }

    /// Puts a process back that is not to run until the memory of those has come back that the memory guard has ended:
    /// thousands that have been spawned and have not run yet would take it first.
    #[cold]
    pub(super) fn waits_for_memory(&self, process: Owner) -> Next {
        self.requeue(process);
        // The guard needs a processor, too.
        std::thread::yield_now();
        Next::End
    }

    /// Puts the running process back into the queue.
    #[inline]
    pub(super) fn requeue(&self, process: Owner) {
        self.requeue_by(process, Current::enqueue);
    }

    #[inline]
    fn requeue_by(&self, mut process: Owner, enqueue: impl FnOnce(&Current, Runnable)) {
        if process.flags.contains(Flags::TRACED) {
            observer().scheduled_out(&mut process);
        }
        self.give_up_by(process, enqueue);
    }

    /// Puts a process that this thread owns, but does not run, back into the queue.
    #[inline]
    pub(super) fn give_up(&self, process: Owner) {
        self.give_up_by(process, Current::enqueue);
    }

    #[inline]
    fn give_up_by(&self, process: Owner, enqueue: impl FnOnce(&Current, Runnable)) {
        let pid = process.pid();
        let (runnable, before) = process.give_up();
        between_steps();
        enqueue(&self.own, runnable);
        if crate::mail::awaited::are_signals_left(before) {
            self.own.attend_again(pid);
        }
    }

    /// Gives the running process to a dirty scheduler.
    fn hand_to_dirty(&self, mut process: Owner) -> Next {
        if process.flags.contains(Flags::TRACED) {
            observer().scheduled_out(&mut process);
        }
        dirty::hand_over(process);
        Next::End
    }

    /// Ends the running process.
    fn finish(&self, mut process: Owner) -> Next {
        if exit::waits_for_ports(&mut process) {
            self.requeue(process);
            return Next::End;
        }
        end(&mut process);
        between_steps();
        self.dead.add(process.into_block());
        Next::End
    }
}

/// Whether a process of this state word, from before its slice, waits where [`brakes`](sys::memory::budget::brakes)
/// says so: nobody has sent it anything, and it has no high priority.
pub(super) fn must_wait(before: u32) -> bool {
    before & (state::EVENT | state::SYSTEM) == 0 && priority_of(before) >= Priority::Normal
}

/// Ends a build with assertions if this process cannot be one whose code runs now.
#[inline(always)]
fn assert_runs(process: &Process) {
    if cfg!(debug_assertions) {
        const BUSY: u32 = state::QUEUED
            | state::RUNNING
            | state::DIRTY
            | state::EXITING
            | state::BORROWED
            | state::GONE
            | state::CLOSED;
        let word = process.state.load(Ordering::Relaxed);
        debug_assert_eq!(word & BUSY, state::RUNNING, "code runs in state {word:#b}");
        debug_assert_eq!(process.head.id, process.id);
        verify::assert_in_order(&process.head.heap);
        // SAFETY: `last` and `save` are links of the queue.
        unsafe {
            let queue = &process.head.messages;
            debug_assert!((*queue.last).is_null(), "a message behind the last one");
            debug_assert_eq!(queue.first.is_null(), queue.sizes.count() == 0);
        }
    }
}

/// Puts a process to rest; returns it if a signal has arrived for it.
#[inline]
fn rest(process: Owner) -> Result<(), Owner> {
    if process.flags.contains(Flags::TRACED) || observer::is_profiled() {
        return rest_observed(process);
    }
    between_steps();
    process.rest()
}

#[cold]
fn rest_observed(mut process: Owner) -> Result<(), Owner> {
    let (is_observed, is_told) = (
        process.flags.contains(Flags::TRACED),
        observer::is_profiled(),
    );
    if is_observed {
        observer().scheduled_out(&mut process);
    }
    if is_told {
        observer().process_is(process.pid(), process.head.ip, am::INACTIVE);
    }
    between_steps();
    process.rest().map_err(|mut process| {
        if is_observed {
            observer().scheduled_in(&mut process);
        }
        if is_told {
            observer().process_is(process.pid(), process.head.ip, am::ACTIVE);
        }
        process
    })
}

/// Ends a process; the caller has to add it to the scheduler's dead processes.
pub(super) fn end(process: &mut Process) {
    leave(process);
    exit::free(process);
}

/// Ends a process for all others; its heap stays.
pub(super) fn leave(process: &mut Process) {
    let reason = exit::take_reason(process);
    let pid = process.pid();
    exit::leave(process, reason);
    if observer::is_profiled() {
        observer().process_has_ended(pid);
    }
}

/// Whether a process must not run although a signal woke it: it is suspended, or it hibernates and no message has
/// arrived.
fn stands_still(process: &mut Process) -> bool {
    if process.flags.contains(Flags::HIBERNATED) && !process.head.messages.first.is_null() {
        process.flags.remove(Flags::HIBERNATED);
        // SAFETY: the process is between two slices, and this thread uses none of its terms.
        unsafe { collection::wake(process) };
    }
    process.suspend_count > 0 || process.flags.contains(Flags::HIBERNATED)
}
