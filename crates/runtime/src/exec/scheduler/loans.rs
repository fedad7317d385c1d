//! Handling the signals of a process while a dirty call is made for it: see `mail::loans`.

use super::slice;
use crate::effects::{signal_handling, tasks};
use crate::mail::loans;
use crate::process::{Flags, Process};

/// Handles the signals of a process that this thread has borrowed from the one that makes the call. Returns
/// whether the process has ended.
pub(crate) fn attend(process: &mut Process) -> bool {
    signal_handling::drain(process);
    let has_departed = process.flags.contains(Flags::EXIT_PENDING);
    if has_departed {
        loans::departs(process.pid());
        slice::leave(process);
    } else if process.flags.contains(Flags::SYSTEM_TASKS) {
        tasks::run_those_that_look(process);
    }
    has_departed
}
