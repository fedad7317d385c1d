//! What is done again and again, at most so often.

use std::time::{Duration, Instant};

/// When something was done last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace(Option<Instant>);

impl Pace {
    /// It is done now, before it is first due.
    pub(crate) fn done_now() -> Pace {
        Pace(Some(Instant::now()))
    }

    /// Whether it is to be done now; if so it counts as done.
    pub(crate) fn is_due(&mut self, every: Duration) -> bool {
        let is_due = self.0.is_none_or(|last| last.elapsed() >= every);
        if is_due {
            *self = Pace::done_now();
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_due_later() {
        let mut pace = Pace::default();
        assert!(pace.is_due(Duration::from_secs(100)));
        assert!(!pace.is_due(Duration::from_secs(100)));
        assert!(pace.is_due(Duration::ZERO));
        assert!(!Pace::done_now().is_due(Duration::from_secs(100)));
    }
}
