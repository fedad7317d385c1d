//! Suspending processes. A process does not run while its `suspend_count`, the number of processes that suspend it, is
//! not 0. How often each of those has called `suspend_process` is in its own `Rare::suspending`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use layout::Term;

use super::{Process, state, table};
use crate::effects::tasks;

/// What a process knows of another one that it suspends.
#[derive(Clone, Default)]
pub struct Suspending {
    /// How often it has called `suspend_process`.
    pub count: u32,
    /// The other one has noticed that.
    is_suspended: Arc<AtomicBool>,
}

impl Suspending {
    /// The same with another count.
    #[must_use]
    pub fn with_count(&self, count: u32) -> Suspending {
        Suspending {
            count,
            is_suspended: self.is_suspended.clone(),
        }
    }

    #[must_use]
    pub fn is_suspended(&self) -> bool {
        self.is_suspended.load(Ordering::Acquire)
    }
}

/// Suspends the process with this pid on behalf of one more process, which calls this. `done` is called with true, between two
/// slices of the process, once it is suspended, or with false if it is gone.
pub fn suspend(pid: Term, suspending: &Suspending, done: impl FnOnce(bool) + Send + 'static) {
    let is_suspended = suspending.is_suspended.clone();
    tasks::ask(
        pid,
        Box::new(move |process| {
            let alive = process.is_some();
            if let Some(process) = process {
                process.suspend_count = process.suspend_count.saturating_add(1);
                is_suspended.store(true, Ordering::Release);
            }
            done(alive);
        }),
    );
    // One that is not running will notice before it runs again.
    let process = table::find(pid);
    // SAFETY: found in the table, so it lives until the slice in which this is called is over; `state` is shared.
    let is_running = |process: *mut Process| unsafe {
        (*process).state.load(Ordering::Acquire) & state::RUNNING != 0
    };
    if !process.is_null() && !is_running(process) {
        suspending.is_suspended.store(true, Ordering::Release);
    }
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
