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

/// How often something is asked that mostly stays as it is: the longer it has, the more seldom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slowing {
    shortest: Duration,
    longest: Duration,
    now: Duration,
}

impl Slowing {
    pub(crate) fn between(shortest: Duration, longest: Duration) -> Slowing {
        Slowing {
            shortest,
            longest,
            now: shortest,
        }
    }

    /// How long until it is asked again.
    pub(crate) fn now(&self) -> Duration {
        self.now
    }

    /// Whether it is asked as seldom as possible.
    pub(crate) fn is_slowest(&self) -> bool {
        self.now == self.longest
    }

    /// It was asked, and is as it was, or not.
    pub(crate) fn answered(&mut self, is_the_same: bool) {
        self.now = match is_the_same {
            true => (self.now * 2).min(self.longest),
            false => self.shortest,
        };
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

    #[test]
    fn what_stays_is_asked_more_seldom() {
        let [shortest, longest] = [250, 1000].map(Duration::from_millis);
        let mut asks = Slowing::between(shortest, longest);
        for (is_the_same, expected) in [(true, 500), (true, 1000), (true, 1000), (false, 250)] {
            asks.answered(is_the_same);
            assert_eq!(asks.now(), Duration::from_millis(expected));
            assert_eq!(asks.is_slowest(), expected == 1000);
        }
    }
}
