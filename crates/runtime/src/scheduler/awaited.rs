//! Handling the signals of a process before its turn, to avoid priority inversion.
//!
//! A process that makes a request to another one (`process_info`, a garbage collection, a check for old code) waits for
//! the reply. If the receiver has a lower priority, it would get no turn while processes of the requester's priority
//! have work. So the requester's scheduler borrows the receiver between two slices, handles its signals and tasks, and
//! gives it back; the receiver's code does not run. This is not needed if another thread runs the receiver or soon
//! will.
//! Only the scheduler's own thread calls these functions.

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;
use std::ptr::NonNull;

use super::{Scheduler, current, dirty};
use crate::epoch;
use crate::process::tasks::{self, Ran};
use crate::process::{Priority, Process, flag, state, table};
use crate::signal::handle;

/// Called when the running process is about to wait for a reply from the process `pid`. If that one has a lower
/// priority (and the running process more than normal), its signals are handled soon.
pub fn attend_soon(pid: Term) {
    let scheduler = current();
    if scheduler.is_null() || dirty::is_here() {
        return;
    }
    // SAFETY: this thread's own scheduler; its process stays valid while this thread runs it, and a process found in
    // the table stays valid for this slice.
    unsafe {
        let Some(asker) = (*scheduler).context.process.cast::<Process>().as_ref() else {
            return;
        };
        let priority = asker.priority();
        if priority >= Priority::Normal {
            return;
        }
        let other = table::find(pid);
        if !other.is_null() && (*other).priority() > priority {
            (*scheduler).queues.push_awaited(pid, priority);
        }
    }
}

impl Scheduler {
    /// Handles the signals of a queued process before its turn.
    #[cold]
    pub(super) fn attend(&mut self, pid: Term) {
        self.slices_to_check = self.slices_to_check.saturating_sub(1);
        let pointer = table::find(pid);
        // SAFETY: a process found in the table stays valid until this thread is quiescent; `state` is shared.
        if pointer.is_null() || !unsafe { state::borrow(&(*pointer).state) } {
            return;
        }
        // SAFETY: borrowed, so this thread owns it until it is given back.
        let process = unsafe { &mut *pointer };
        self.context.reductions_left = REDUCTIONS_PER_SLICE;
        handle::fetch(process);
        if process.flags & (flag::EXIT_PENDING | flag::TASKS) == flag::TASKS {
            // Tasks that take long are left for the process's own turn.
            let _: Ran = tasks::run(process);
        }
        let gone = process.flags & flag::EXIT_PENDING != 0;
        if gone {
            Scheduler::end(process);
        }
        if !state::give_back(&process.state, gone) {
            if gone {
                self.retiring.push(NonNull::from(process));
            } else {
                self.requeue(pointer);
            }
        }
        epoch::quiescent();
    }

    /// Drops a process that was taken from a run queue while another thread had borrowed it, or after it ended while
    /// borrowed. `before` is its state word at that time.
    #[cold]
    pub(super) fn leave_to_borrower(&mut self, pointer: *mut Process, before: u32) {
        if before & state::GONE != 0
            && let Some(process) = NonNull::new(pointer)
        {
            self.retiring.push(process);
        }
        epoch::quiescent();
    }
}
