//! Signals that are handled before their receiver's turn.
//!
//! Who asks something of another process (what it knows, to collect its heap, whether it uses old code) waits for the
//! answer. A receiver of a lower priority would have no turn while others of the asker's own have work, so the asker's
//! scheduler borrows it between two slices, has its signals and tasks done, and gives it back; its code does not run.
//! A process that some other thread runs, or will, needs none of that. Only the scheduler's own thread calls this.

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;
use std::ptr::NonNull;

use super::{Scheduler, current, dirty};
use crate::epoch;
use crate::process::tasks::{self, Ran};
use crate::process::{Priority, Process, flag, state, table};
use crate::signal::handle;

/// The running process is about to wait for what it asked of another: if that is less urgent than itself, its signals are
/// handled soon.
pub fn attend_soon(pid: Term) {
    let scheduler = current();
    if scheduler.is_null() || dirty::is_here() {
        return;
    }
    // SAFETY: this thread's own scheduler; its process stays while this thread runs it, and what is found stays for
    // this slice.
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
    /// Handles the signals of a process that waits for its turn.
    #[cold]
    pub(super) fn attend(&mut self, pid: Term) {
        self.slices_to_check = self.slices_to_check.saturating_sub(1);
        let pointer = table::find(pid);
        // SAFETY: what was found stays until this thread is quiescent; `state` is shared.
        if pointer.is_null() || !unsafe { state::borrow(&(*pointer).state) } {
            return;
        }
        // SAFETY: borrowed, so it is ours until it is given back.
        let process = unsafe { &mut *pointer };
        self.context.reductions_left = REDUCTIONS_PER_SLICE;
        handle::fetch(process);
        if process.flags & (flag::EXIT_PENDING | flag::TASKS) == flag::TASKS {
            // What takes long is left to its turn.
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

    /// What was taken from a queue is somebody else's, or has ended; `before` is its state word then.
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
