//! Counting of calls: each scheduler has a counter of its own, so that they do not wait for each other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::scheduler;

/// On a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Counter(AtomicU64);

/// The calls of one function.
pub struct Count {
    counters: Box<[Counter]>,
    is_paused: AtomicBool,
}

impl Default for Count {
    fn default() -> Count {
        Count {
            counters: (0..=scheduler::count())
                .map(|_| Counter::default())
                .collect(),
            is_paused: AtomicBool::new(false),
        }
    }
}

impl Count {
    /// Counts a call.
    #[inline]
    pub fn add(&self) {
        if !self.is_paused.load(Ordering::Relaxed) {
            // Each scheduler has its counter alone; the first is for all other threads.
            let counter = &self.counters[scheduler::current_number()].0;
            if scheduler::current_number() == 0 {
                counter.fetch_add(1, Ordering::Relaxed);
            } else {
                counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            }
        }
    }

    /// The number of calls so far.
    #[must_use]
    pub fn sum(&self) -> u64 {
        let counters = self.counters.iter();
        counters
            .map(|counter| counter.0.load(Ordering::Relaxed))
            .sum()
    }

    pub fn pause(&self) {
        self.is_paused.store(true, Ordering::Relaxed);
    }

    /// Begins again with 0. The world must be stopped.
    pub fn restart(&self) {
        for counter in &self.counters {
            counter.0.store(0, Ordering::Relaxed);
        }
        self.is_paused.store(false, Ordering::Relaxed);
    }
}
