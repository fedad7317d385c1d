//! Handling the signals of a process while a dirty call is made for it: see `mail::lent`.

use super::slice;
use crate::effects::{signal_handling, tasks};
use crate::mail::lent::{self, Attended};
use crate::process::{Flags, Process};

/// Handles the signals of a process that this thread has borrowed from the one that makes the call.
pub(crate) fn attend(process: &mut Process) -> Attended {
    let mut has_departed = false;
    let may_fetch = tasks::may_fetch(process);
    if may_fetch {
        signal_handling::fetch(process);
        if process.flags.contains(Flags::EXIT_PENDING) {
            lent::departs(process.pid());
            slice::leave(process);
            has_departed = true;
        } else if process.flags.contains(Flags::SYSTEM_TASKS) {
            tasks::run_those_that_look(process);
        }
    }
    Attended {
        may_fetch,
        has_departed,
    }
}
