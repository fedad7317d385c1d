//! Suspending processes. A process does not run while its `suspend_count`, the number of processes that suspend it, is
//! not 0. How often each of those has called `suspend_process` is in its own `Rare::suspending`.

use layout::Term;

use super::tasks;

/// Suspends the process with this pid on behalf of one more process. `done` is called with true, between two slices of
/// the process, once it is suspended, or with false if it is gone.
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

/// Calls `done` as [`suspend`] does, once all earlier requests to the process have been handled, but does not suspend
/// it.
pub fn confirm(pid: Term, done: impl FnOnce(bool) + Send + 'static) {
    tasks::ask(pid, Box::new(move |process| done(process.is_some())));
}

/// Undoes the suspension of a process, given by the bits of its pid, on behalf of one process.
pub fn resume_from(pid_bits: u64) {
    // SAFETY: the bits are those of a local pid, an immediate.
    let pid = unsafe { Term::from_bits(pid_bits) };
    // This is a task too, so that it runs after the suspension that it undoes.
    tasks::ask(
        pid,
        Box::new(|process| {
            if let Some(process) = process {
                process.suspend_count = process.suspend_count.saturating_sub(1);
            }
        }),
    );
}
