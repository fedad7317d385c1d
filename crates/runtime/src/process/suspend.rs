//! Suspending processes. A process stands still while its `suspend_count`, the number of processes
//! that hold it, is not 0; how often each of them asked is in the asker's `Cold::suspending`.

use layout::Term;

use super::tasks;

/// One more process wants the process with this pid to stand still; `done` hears, between two of its
/// slices, that it does (true) or that it is gone.
pub fn suspend(pid: Term, done: impl FnOnce(bool) + Send + 'static) {
    tasks::ask(
        pid,
        Box::new(move |process| {
            let alive = process.is_some();
            if let Some(process) = process {
                process.suspend_count = process.suspend_count.saturating_add(1);
            }
            done(alive);
        }),
    );
}

/// Waits for what was asked of the process before, without asking more: see [`suspend`].
pub fn confirm(pid: Term, done: impl FnOnce(bool) + Send + 'static) {
    tasks::ask(pid, Box::new(move |process| done(process.is_some())));
}

/// One process no longer holds the process with these bits.
pub fn resume_from(pid_bits: u64) {
    // SAFETY: the bits are those of a local pid, an immediate.
    let pid = unsafe { Term::from_bits(pid_bits) };
    // A task too, so that it comes after the suspension that it undoes.
    tasks::ask(
        pid,
        Box::new(|process| {
            if let Some(process) = process {
                process.suspend_count = process.suspend_count.saturating_sub(1);
            }
        }),
    );
}
