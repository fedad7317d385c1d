//! Suspending processes, and letting them go on.

use layout::Term;

use crate::mail::timer::pause;
use crate::process::suspend::Suspending;
use crate::process::{Process, state, table};

/// Suspends the process with this pid on behalf of one more process, which calls this. `done` is called with true,
/// between two slices of the process, once it is suspended, or with false if it is gone.
pub fn suspend(pid: Term, suspending: &Suspending, done: impl FnOnce(bool) + Send + 'static) {
    let noticed = suspending.clone();
    crate::mail::tasks::ask(
        pid,
        Box::new(move |process| {
            let alive = process.is_some();
            if let Some(process) = process {
                process.suspend_count = process.suspend_count.saturating_add(1);
                pause::begin(process);
                noticed.notice();
            }
            done(alive);
        }),
    );
    // One that is not running will notice before it runs again.
    if table::state_of(pid).is_some_and(|word| word & state::RUNNING == 0) {
        suspending.notice();
    }
}

/// Calls `done` as [`suspend`] does, once all earlier requests to the process have been handled, but does not suspend
/// it.
pub fn confirm(pid: Term, done: impl FnOnce(bool) + Send + 'static) {
    crate::mail::tasks::ask(pid, Box::new(move |process| done(process.is_some())));
}

/// Undoes the suspension of a process, given by the bits of its pid, on behalf of one process.
pub fn resume_from(pid_bits: u64) {
    resume(pid_bits, pause::end);
}

/// Lets a process go on that was suspended otherwise than by [`suspend`].
pub fn unpark(pid: Term) {
    resume(pid.bits(), |_| {});
}

fn resume(pid_bits: u64, and: fn(&mut Process)) {
    // SAFETY: the bits are those of a local pid, an immediate.
    let pid = unsafe { Term::from_bits(pid_bits) };
    // This is a task too, so that it runs after the suspension that it undoes.
    crate::mail::tasks::ask(
        pid,
        Box::new(move |process| {
            if let Some(process) = process {
                process.suspend_count = process.suspend_count.saturating_sub(1);
                and(process);
            }
        }),
    );
}
