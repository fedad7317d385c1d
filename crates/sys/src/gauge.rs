//! A number that rises and falls, and how high it has been.
//!
//! Any thread may change it or read it. Its peaks are those of moments at which it was changed.

use std::sync::atomic::{AtomicI64, Ordering};

/// See the module's documentation.
#[derive(Debug)]
pub struct Gauge {
    now: AtomicI64,
    recent_peak: AtomicI64,
    peak: AtomicI64,
}

/// What a gauge shows. A gauge may be below zero for a moment, when threads tell of their changes late; then it shows
/// zero.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Its value.
    pub now: u64,
    /// Its peak since it was read with [`Gauge::read`] before.
    pub recent_peak: u64,
    /// Its peak.
    pub peak: u64,
}

impl Gauge {
    /// A gauge that shows zero.
    #[must_use]
    pub const fn new() -> Gauge {
        Gauge {
            now: AtomicI64::new(0),
            recent_peak: AtomicI64::new(0),
            peak: AtomicI64::new(0),
        }
    }

    /// Adds a number, which may be negative.
    #[inline]
    pub fn add(&self, difference: i64) {
        let now = self.now.fetch_add(difference, Ordering::Relaxed) + difference;
        if now > self.recent_peak.load(Ordering::Relaxed) {
            self.recent_peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Sets the value, of which somebody else keeps account.
    pub fn set(&self, value: i64) {
        self.now.store(value, Ordering::Relaxed);
        self.recent_peak.fetch_max(value, Ordering::Relaxed);
    }

    /// The value.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed).max(0) as u64
    }

    /// The value, also below zero.
    #[must_use]
    pub fn now_exactly(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    /// The value and its peaks. The recent one begins anew.
    pub fn read(&self) -> Reading {
        self.read_with(0)
    }

    /// The same, with a difference that the gauge will be told of later.
    pub fn read_with(&self, difference: i64) -> Reading {
        let now = self.now.load(Ordering::Relaxed) + difference;
        let recent_peak = self.recent_peak.swap(now, Ordering::Relaxed).max(now);
        let peak = self.peak.fetch_max(recent_peak, Ordering::Relaxed);
        let shown = |value: i64| value.max(0) as u64;
        Reading {
            now: shown(now),
            recent_peak: shown(recent_peak),
            peak: shown(peak.max(recent_peak)),
        }
    }
}

impl Default for Gauge {
    fn default() -> Gauge {
        Gauge::new()
    }
}

impl std::ops::Add for Reading {
    type Output = Reading;

    /// The peaks of two parts need not have been at one time, so the sum of peaks is the most that there can have been.
    fn add(self, other: Reading) -> Reading {
        Reading {
            now: self.now + other.now,
            recent_peak: self.recent_peak + other.recent_peak,
            peak: self.peak + other.peak,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_kept_and_recent_ones_begin_anew() {
        let gauge = Gauge::new();
        let reading = |now, recent_peak, peak| Reading {
            now,
            recent_peak,
            peak,
        };
        gauge.add(5);
        gauge.add(-3);
        assert_eq!(gauge.read(), reading(2, 5, 5));
        gauge.add(1);
        assert_eq!(gauge.read(), reading(3, 3, 5));
        gauge.add(-4);
        assert_eq!(gauge.read(), reading(0, 3, 5));
        gauge.set(9);
        assert_eq!(gauge.read(), reading(9, 9, 9));
    }
}
