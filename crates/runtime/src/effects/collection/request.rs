//! Collecting a process's heap for somebody outside of all processes, as `erlang:garbage_collect/1` does for a program.

use layout::Term;

use super::{collect_all, dirty_collection};
use crate::mail::tasks;
use crate::process::{Flags, Process};

/// Has a process collect its whole heap between two of its slices, or a dirty scheduler for it if that takes long.
/// Returns at once, also if there is no such process. Any thread.
pub fn collect_soon(pid: Term) {
    let takes_long =
        |process: &Process| !sleeps(process) && dirty_collection::is_wanted_for_all(process);
    let body = |process: Option<&mut Process>| {
        if let Some(process) = process.filter(|process| !sleeps(process)) {
            // SAFETY: between two slices the registers are saved on the stack, so there are no other roots.
            unsafe { collect_all(process, &mut []) };
        }
    };
    tasks::ask_to_collect(pid, takes_long, Box::new(body));
}

/// Whether the process hibernates: then its heap holds only live terms.
fn sleeps(process: &Process) -> bool {
    process.flags.contains(Flags::HIBERNATED)
}
