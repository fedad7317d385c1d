//! How long a window stays open that was opened only for as long as somebody uses it: `ferl top` opens one, and may be
//! killed.
//!
//! Such a window is closed when the last of those who hold it gives it up, or when nothing has been asked for a time
//! that they said. Any thread may call.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// See the module's documentation.
pub(super) struct Lease(Mutex<Held>);

struct Held {
    /// `None`: it stays open until it is told to close.
    holders: Option<Holders>,
    used: Instant,
}

#[derive(Clone, Copy)]
struct Holders {
    count: usize,
    /// After so long without a request all of them are taken for gone.
    patience: Duration,
}

impl Lease {
    /// Of a window that stays open, or of one that somebody holds who asks at least once in so long a time.
    pub(super) fn new(patience: Option<Duration>) -> Lease {
        let holders = patience.map(|patience| Holders { count: 1, patience });
        Lease(Mutex::new(Held {
            holders,
            used: Instant::now(),
        }))
    }

    /// One more holds it.
    pub(super) fn join(&self, patience: Duration) {
        let mut held = self.0.lock();
        held.used = Instant::now();
        if let Some(holders) = &mut held.holders {
            holders.count += 1;
            holders.patience = holders.patience.max(patience);
        }
    }

    /// It stays open from now on.
    pub(super) fn keep(&self) {
        self.0.lock().holders = None;
    }

    /// Something was asked.
    pub(super) fn used(&self) {
        self.0.lock().used = Instant::now();
    }

    /// One of the holders gives it up.
    pub(super) fn leave(&self) {
        if let Some(holders) = &mut self.0.lock().holders {
            holders.count = holders.count.saturating_sub(1);
        }
    }

    /// Whether nobody holds it any more.
    pub(super) fn is_over(&self) -> bool {
        let held = self.0.lock();
        let is_over =
            |holders: Holders| holders.count == 0 || held.used.elapsed() > holders.patience;
        held.holders.is_some_and(is_over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn it_is_over_when_the_last_has_left() {
        let lease = Lease::new(Some(LONG));
        lease.join(LONG);
        lease.leave();
        assert!(!lease.is_over());
        lease.leave();
        assert!(lease.is_over());
        lease.leave();
        lease.join(LONG);
        assert!(!lease.is_over());
    }

    #[test]
    fn it_is_over_when_nobody_asks() {
        let lease = Lease::new(Some(Duration::ZERO));
        assert!(lease.is_over());
        lease.join(LONG);
        assert!(!lease.is_over(), "the longest patience counts");
        let lease = Lease::new(Some(Duration::ZERO));
        lease.keep();
        assert!(!lease.is_over());
    }

    #[test]
    fn a_window_that_stays_open_is_nobodys() {
        let lease = Lease::new(None);
        lease.leave();
        assert!(!lease.is_over());
        lease.join(Duration::ZERO);
        lease.leave();
        assert!(!lease.is_over());
    }
}
