//! Handling the signals of a process before its turn, to avoid priority inversion.
//!
//! A process that makes a request to another one (`process_info`, a garbage collection, a check for old code) waits for
//! the reply. If the receiver has a lower priority, it would get no turn while processes of the requester's priority
//! have work. So the requester's scheduler borrows the receiver between two slices, handles its signals and tasks, and
//! gives it back; the receiver's code does not run. If another thread runs or has borrowed the receiver at that moment,
//! that thread sees to the signals when it lets go of it (`Current::attend_again` and `attend_from_elsewhere` of
//! `mail::awaited`). Only the scheduler's own thread calls these functions.

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;

use super::{Scheduler, dirty, slice};
use crate::effects::signal_handling;
use crate::effects::tasks::{self, Ran};
use crate::exec::exit;
use crate::mail::{awaited, loans};
use crate::process::sync::between_steps;
use crate::process::{Flags, Process, epoch, state, table};

/// Time counts here, because what signals cost differs, and none of it is what a program does. A slice's worth of it is
/// a millisecond.
const NS_PER_REDUCTION: i64 = 1_000_000 / REDUCTIONS_PER_SLICE;

impl Scheduler {
    /// Handles the signals of a queued process before its turn.
    #[cold]
    pub(super) fn attend(&self, pid: Term) {
        self.own
            .slices_to_check
            .update(|slices| slices.saturating_sub(1));
        self.own.set_reductions_left(REDUCTIONS_PER_SLICE);
        let began_ns = sys::clock::monotonic_ns();
        if !self.attend_queued(pid) {
            loans::attend(pid);
        }
        let spent = (sys::clock::monotonic_ns() - began_ns) / NS_PER_REDUCTION;
        self.attended.update(|all| all + spent);
        self.reductions_to_check.update(|left| left - spent);
        // SAFETY: the thread is between two slices, and what was found here is no longer used.
        unsafe { epoch::quiescent() };
    }

    /// Borrows a queued process and handles its signals; false if this thread cannot have it.
    fn attend_queued(&self, pid: Term) -> bool {
        let borrowed = epoch::with_pin(|pinned| awaited::borrow(table::find(pinned, pid)?));
        let Some(mut process) = borrowed else {
            return false;
        };
        between_steps();
        // Pending tasks came first.
        run_tasks(&mut process);
        if !process.flags.contains(Flags::SYSTEM_TASKS) {
            signal_handling::drain_between_slices(&mut process);
            run_tasks(&mut process);
        }
        if process.flags.contains(Flags::DIRTY_COLLECTION)
            && !process.flags.contains(Flags::EXIT_PENDING)
        {
            dirty::hand_over_borrowed(process);
            return true;
        }
        let gone =
            process.flags.contains(Flags::EXIT_PENDING) && !exit::waits_for_ports(&mut process);
        if gone {
            slice::end(&mut process);
        }
        between_steps();
        let (left, before) = process.give_back(gone);
        if let Some(process) = left {
            between_steps();
            if gone {
                self.dead.add(process.into_block());
            } else {
                self.give_up(process);
            }
        } else if !gone && before & state::SIGNALS != 0 {
            self.own.attend_again(pid);
        }
        true
    }
}

/// Runs the tasks of a borrowed process up to one that takes long, for which it sets `DIRTY_COLLECTION`.
fn run_tasks(process: &mut Process) {
    if process.flags.contains(Flags::SYSTEM_TASKS) && !process.flags.contains(Flags::EXIT_PENDING) {
        let _: Ran = tasks::run(process);
    }
}
