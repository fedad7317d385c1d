//! Decides when a scheduler with more work than it can run wakes a sleeping one.
//!
//! A wake-up costs the caller some microseconds, and tens of microseconds pass before the other scheduler runs, on a
//! processor that other programs may need. So a scheduler calls for help only once its queue has stayed non-empty for
//! [`PATIENCE_NS`] after a process was queued behind another: shorter work is done before help arrives. The time in
//! which the system has taken the processor away does not count ([`LONGEST_SLICE_NS`]). Only the scheduler's own thread
//! uses this.
//!
//! It calls between two slices, never while a process runs. The system may let a thread that is woken go first and the
//! one that woke it wait for milliseconds, and what the process has made runnable would overtake what it does next: a
//! child that was just spawned its parent's next message (decision 0056).

use std::cell::Cell;

/// How long a queue stays non-empty before another scheduler is woken. Chosen by E3 (`pipe_ring`), where each I/O poll
/// yields work for 30 to 100 us, depending on the machine and on `+spp`: there a second scheduler would take the
/// processor that the external programs need.
const PATIENCE_NS: i64 = 200_000;

/// As how long the longest slice counts, with what the scheduler does before the next one. On a busy host the system
/// may take the processor away meanwhile; that the queue is still there then says nothing of how much work it has.
const LONGEST_SLICE_NS: i64 = PATIENCE_NS / 4;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Overload {
    /// When the queue was last seen non-empty, if it has not been seen empty since; otherwise 0.
    seen_ns: Cell<i64>,
    /// How long it had been so then.
    waited_ns: Cell<i64>,
}

impl Overload {
    /// Notes that something is queued behind something else, while a process runs.
    pub(crate) fn begins(&self, now_ns: impl FnOnce() -> i64) {
        if !self.is_noted() {
            self.seen_ns.set(now_ns());
            self.waited_ns.set(0);
        }
    }

    /// Notes that something is queued behind something else; returns whether another scheduler should be woken.
    pub(crate) fn waits(&self, now_ns: i64) -> bool {
        self.begins(|| now_ns);
        let slice_ns = (now_ns - self.seen_ns.get()).min(LONGEST_SLICE_NS);
        let waited_ns = self.waited_ns.get() + slice_ns;
        let calls = waited_ns >= PATIENCE_NS;
        self.seen_ns.set(now_ns);
        // If work remains, a further scheduler is called only after this one has had time to help.
        self.waited_ns.set(if calls { 0 } else { waited_ns });
        calls
    }

    /// Notes that nothing is queued any more.
    pub(crate) fn is_over(&self) {
        self.seen_ns.set(0);
    }

    /// Whether the queue was non-empty when last looked at.
    pub(crate) fn is_noted(&self) -> bool {
        self.seen_ns.get() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of the looks that follow one at `from_ns` calls, if they are so far apart.
    fn looks(overload: &Overload, from_ns: i64, apart_ns: i64, count: i64) -> Vec<bool> {
        (1..=count)
            .map(|look| overload.waits(from_ns + look * apart_ns))
            .collect()
    }

    #[test]
    fn a_queue_that_stays_long_wakes_another_scheduler() {
        for (apart_ns, looks_to_call) in [(LONGEST_SLICE_NS, 4), (PATIENCE_NS / 10, 10)] {
            let overload = Overload::default();
            assert!(!overload.waits(1_000));
            let calls: Vec<bool> = (1..=2 * looks_to_call)
                .map(|look| look % looks_to_call == 0)
                .collect();
            assert_eq!(looks(&overload, 1_000, apart_ns, 2 * looks_to_call), calls);
        }
    }

    #[test]
    fn what_a_running_process_queues_counts_from_when_it_was_queued() {
        let overload = Overload::default();
        overload.begins(|| 1_000);
        overload.begins(|| unreachable!("it has begun"));
        let calls = looks(&overload, 1_000, LONGEST_SLICE_NS, 4);
        assert_eq!(calls, [false, false, false, true]);
    }

    #[test]
    fn a_slice_in_which_the_processor_was_taken_away_counts_as_one() {
        let overload = Overload::default();
        overload.begins(|| 1_000);
        let calls = looks(&overload, 1_000, 100 * PATIENCE_NS, 4);
        assert_eq!(calls, [false, false, false, true]);
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
