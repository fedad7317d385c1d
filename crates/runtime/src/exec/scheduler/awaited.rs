//! Handling the signals of a process before its turn, to avoid priority inversion.
//!
//! A process that makes a request to another one (`process_info`, a garbage collection, a check for old code) waits for
//! the reply. If the receiver has a lower priority, it would get no turn while processes of the requester's priority
//! have work. So the requester's scheduler borrows the receiver between two slices, handles its signals and tasks, and
//! gives it back; the receiver's code does not run. If another thread runs or has borrowed the receiver at that moment, that
//! thread sees to the signals when it lets go of it ([`Scheduler::attend_again`], [`attend_from_elsewhere`]).
//! Only the scheduler's own thread calls these functions, but for the last and for [`ask`].

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Scheduler, current, dirty, slice};
use crate::effects::incoming;
use crate::effects::tasks::{self, Ran};
use crate::mail::errands;
use crate::mail::signal::{self, Call, Signal};
use crate::process::sync::between_steps;
use crate::process::{Flags, Priority, Process, epoch, priority_of, state, table};

/// Has a process do something when it handles its signals; the running process is about to wait for the answer, with the priority of
/// its request or else its own. The body is called with `None` if the process is gone.
pub fn ask(pid: Term, priority: Option<Priority>, body: Call) {
    signal::send_or_bounce(pid, Signal::Call(body));
    between_steps();
    attend_soon(pid, priority);
}

/// Called when the running process is about to wait for a reply from the process `pid`, with the priority of its request or
/// else its own. If the process has a lower one (and this is more than normal), its signals are handled soon.
fn attend_soon(pid: Term, priority: Option<Priority>) {
    let Some(scheduler) = current().filter(|_| !dirty::is_here()) else {
        return;
    };
    let asker = scheduler.running();
    if asker.is_null() {
        return;
    }
    // SAFETY: the process stays valid while this thread runs it, and one that is found in the table stays valid for
    // this slice.
    unsafe {
        let priority = priority.unwrap_or_else(|| priority_through(asker));
        if priority >= Priority::Normal {
            return;
        }
        let other = table::find(pid);
        if !other.is_null() && priority_through(other) > priority {
            scheduler.queues.push_awaited(pid, priority);
        }
    }
}

/// Whether signals have come while a thread had a process, by the state word from before it let go: their sender could not
/// borrow it, and perhaps waits.
#[inline]
pub(super) fn are_signals_left(before: u32) -> bool {
    before & state::SIGNALS != 0 && priority_of(before) != Priority::Max
}

/// Handles the signals and tasks of a process before its next turn; for threads other than schedulers.
#[cold]
pub(super) fn attend_from_elsewhere(pid: Term) {
    errands::on_first_scheduler(Arc::new(move || {
        if let Some(scheduler) = current() {
            scheduler.attend_again(pid);
        }
    }));
}

/// The priority of a process that somebody else may have borrowed exclusively at this moment: no reference to the whole
/// process is made.
///
/// # Safety
/// The process's block is valid.
unsafe fn priority_through(process: *const Process) -> Priority {
    // SAFETY: the caller's promise; `state` is shared.
    priority_of(unsafe { (*process).state.load(Ordering::Relaxed) })
}

impl Scheduler {
    /// Handles the signals of a process that a dirty call is made for after this slice.
    pub(super) fn attend_lent_soon(&self, pid: Term) {
        self.queues.push_awaited(pid, Priority::High);
    }

    /// Handles the signals of a queued process before its turn.
    #[cold]
    pub(super) fn attend(&self, pid: Term) {
        self.slices_to_check
            .update(|slices| slices.saturating_sub(1));
        let pointer = table::find(pid);
        // SAFETY: a process found in the table stays valid until this thread is quiescent; `state` is shared.
        if pointer.is_null() || !unsafe { state::borrow(&(*pointer).state) } {
            dirty::lent::attend(pid);
            epoch::quiescent();
            return;
        }
        between_steps();
        // SAFETY: borrowed, so this thread owns it until it is given back.
        let process = unsafe { &mut *pointer };
        self.set_reductions_left(REDUCTIONS_PER_SLICE);
        // Pending tasks come first: one of them may be to handle earlier signals.
        run_tasks(process);
        if !process.flags.contains(Flags::SYSTEM_TASKS) {
            incoming::fetch_between_slices(process);
            run_tasks(process);
        }
        if process.flags.contains(Flags::DIRTY_COLLECTION)
            && !process.flags.contains(Flags::EXIT_PENDING)
        {
            dirty::hand_over_borrowed(pointer);
            epoch::quiescent();
            return;
        }
        let gone = process.flags.contains(Flags::EXIT_PENDING);
        if gone {
            slice::end(process);
        }
        between_steps();
        let before = state::give_back(&process.state, gone);
        if before & state::QUEUED == 0 {
            between_steps();
            if gone {
                self.dead.add(pointer);
            } else {
                self.give_up(pointer);
            }
        } else if !gone && before & state::SIGNALS != 0 {
            self.attend_again(pid);
        }
        epoch::quiescent();
    }

    /// Handles the signals of a process before its next turn, because some have come while this thread had it: whoever waits
    /// for an answer to them could not borrow it. Nobody knows here how urgent that is.
    #[cold]
    pub(super) fn attend_again(&self, pid: Term) {
        self.queues.push_awaited(pid, Priority::Max);
    }

    /// Drops a process that was taken from a run queue while another thread had borrowed it, or after it ended while
    /// borrowed. `before` is its state word at that time.
    #[cold]
    pub(super) fn leave_to_borrower(&self, pointer: *mut Process, before: u32) {
        if before & state::GONE != 0 {
            self.dead.add(pointer);
        }
        epoch::quiescent();
    }
}

/// Runs the tasks of a borrowed process up to one that takes long, for which it sets `DIRTY_COLLECTION`.
fn run_tasks(process: &mut Process) {
    if process.flags.contains(Flags::SYSTEM_TASKS) && !process.flags.contains(Flags::EXIT_PENDING) {
        let _: Ran = tasks::run(process);
    }
}
