//! Decides when a scheduler with more work than it can run wakes a sleeping one.
//!
//! A wake-up costs the caller some microseconds, and tens of microseconds pass before the other scheduler runs, on a
//! processor that other programs may need. So a scheduler calls for help only once its queue has stayed non-empty for
//! [`PATIENCE_NS`] after a process was queued behind another: shorter work is done before help arrives. Only the
//! scheduler's own thread uses this.
//!
//! It calls between two slices, never while a process runs. The system may let a thread that is woken go first and the
//! one that woke it wait for milliseconds, and what the process has made runnable would overtake what it does next: a
//! child that was just spawned its parent's next message (decision 0056).

use std::cell::Cell;

/// How long a queue stays non-empty before another scheduler is woken. Chosen by E3 (`pipe_ring`), where each I/O poll
/// yields work for 30 to 100 us, depending on the machine and on `+spp`: there a second scheduler would take the
/// processor that the external programs need.
const PATIENCE_NS: i64 = 200_000;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Overload {
    /// When a process was first seen queued behind another, if the queue has not been seen empty since; otherwise 0.
    since_ns: Cell<i64>,
}

impl Overload {
    /// Notes that something is queued behind something else, while a process runs.
    pub(crate) fn begins(&self, now_ns: impl FnOnce() -> i64) {
        if !self.is_noted() {
            self.since_ns.set(now_ns());
        }
    }

    /// Notes that something is queued behind something else; returns whether another scheduler should be woken.
    pub(crate) fn waits(&self, now_ns: i64) -> bool {
        let since_ns = self.since_ns.get();
        if since_ns == 0 {
            self.since_ns.set(now_ns);
            return false;
        }
        let calls = now_ns - since_ns >= PATIENCE_NS;
        if calls {
            // If work remains, a further scheduler is called only after this one has had time to help.
            self.since_ns.set(now_ns);
        }
        calls
    }

    /// Notes that nothing is queued any more.
    pub(crate) fn is_over(&self) {
        self.since_ns.set(0);
    }

    /// Whether the queue was non-empty when last looked at.
    pub(crate) fn is_noted(&self) -> bool {
        self.since_ns.get() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_stays_long_wakes_another_scheduler() {
        let overload = Overload::default();
        assert!(!overload.waits(1_000));
        assert!(!overload.waits(1_000 + PATIENCE_NS - 1));
        assert!(overload.waits(1_000 + PATIENCE_NS));
        assert!(!overload.waits(1_000 + PATIENCE_NS + 1));
        assert!(overload.waits(1_000 + 2 * PATIENCE_NS));
    }

    #[test]
    fn what_a_running_process_queues_counts_from_when_it_was_queued() {
        let overload = Overload::default();
        overload.begins(|| 1_000);
        overload.begins(|| unreachable!("it has begun"));
        assert!(!overload.waits(1_000 + PATIENCE_NS - 1));
        assert!(overload.waits(1_000 + PATIENCE_NS));
    }

    #[test]
    fn a_queue_that_was_empty_is_a_new_one() {
        let overload = Overload::default();
        assert!(!overload.waits(1_000));
        assert!(overload.is_noted());
        overload.is_over();
        assert!(!overload.is_noted() && !overload.waits(1_000 + PATIENCE_NS));
    }
}
