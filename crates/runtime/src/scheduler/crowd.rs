//! When a scheduler with more than it can run calls one that sleeps.
//!
//! Waking costs the caller some microseconds, and it takes tens of them until the other one runs, on a processor that
//! perhaps somebody else needs. So what is queued behind another process calls for help only when the queue has not been
//! empty for [`PATIENCE_NS`] since: shorter work is over before help comes. The scheduler's own thread alone touches it.

/// How long a queue stays crowded before another scheduler is woken. Chosen by E3 (`pipe_ring`), where each look at I/O
/// brings work for 30 to 100 us, by the machine and by `+spp`: a second scheduler then takes the processor that the
/// programs need.
const PATIENCE_NS: i64 = 200_000;

/// See the module.
#[derive(Default)]
pub(super) struct Crowd {
    /// Since when there was always a process queued behind another, as far as was noticed; 0: there is none.
    since_ns: i64,
}

impl Crowd {
    /// Something waits behind something else; true when another scheduler is to be woken.
    pub(super) fn waits(&mut self, now_ns: i64) -> bool {
        if self.since_ns == 0 {
            self.since_ns = now_ns;
            return false;
        }
        let calls = now_ns - self.since_ns >= PATIENCE_NS;
        if calls {
            // The next one, if there are more, when this one has had the time to help.
            self.since_ns = now_ns;
        }
        calls
    }

    /// Nothing is queued.
    pub(super) fn is_over(&mut self) {
        self.since_ns = 0;
    }

    /// Whether something waited when this was last noticed.
    pub(super) fn is_noted(&self) -> bool {
        self.since_ns != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_calls_for_help_when_it_stays() {
        let mut crowd = Crowd::default();
        assert!(!crowd.waits(1_000));
        assert!(!crowd.waits(1_000 + PATIENCE_NS - 1));
        assert!(crowd.waits(1_000 + PATIENCE_NS));
        assert!(!crowd.waits(1_000 + PATIENCE_NS + 1));
        assert!(crowd.waits(1_000 + 2 * PATIENCE_NS));
    }

    #[test]
    fn a_queue_that_was_empty_is_a_new_one() {
        let mut crowd = Crowd::default();
        assert!(!crowd.waits(1_000));
        assert!(crowd.is_noted());
        crowd.is_over();
        assert!(!crowd.is_noted() && !crowd.waits(1_000 + PATIENCE_NS));
    }
}
