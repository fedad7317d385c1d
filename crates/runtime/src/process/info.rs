//! What a process tells about itself, and suspending it.

use layout::Term;

use super::Process;
use crate::signal::{self, Signal};

/// Undoes `count` suspensions of another process.
pub fn resume_from(pid_bits: u64, count: u32) {
    // SAFETY: the bits are those of a local pid, an immediate.
    let pid = unsafe { Term::from_bits(pid_bits) };
    let resume = Signal::Call(Box::new(move |process| {
        if let Some(process) = process {
            resume(process, count);
        }
    }));
    let _ = signal::send(pid, resume);
}

/// In the suspended process: one reason less to stand still. It runs again when nothing else holds it.
fn resume(process: &mut Process, count: u32) {
    process.suspend_count = u32::from(process.suspend_count).saturating_sub(count) as u16;
}
