//! Counting of calls: each scheduler has a counter of its own, so that they do not wait for each other.

use std::sync::atomic::{AtomicBool, Ordering};

use layout::breakpoint::Counter;

use crate::mail::{current, schedulers};

/// The calls of one function.
pub struct Count {
    /// By the number of the scheduler; the first is for all other threads.
    counters: Box<[Counter]>,
    is_paused: AtomicBool,
}

impl Default for Count {
    fn default() -> Count {
        Count {
            counters: (0..=schedulers::count())
                .map(|_| Counter::default())
                .collect(),
            is_paused: AtomicBool::new(false),
        }
    }
}

impl Count {
    /// Counts a call.
    pub fn add(&self) {
        if self.is_paused() {
            return;
        }
        match current::current_number() {
            0 => {
                self.counters[0].0.fetch_add(1, Ordering::Relaxed);
            }
            number => self.counters[number].increment(),
        }
    }

    /// The counters, for whoever counts without asking whether this pauses.
    #[must_use]
    pub fn counters(&self) -> *const Counter {
        self.counters.as_ptr()
    }

    /// The number of calls so far.
    #[must_use]
    pub fn sum(&self) -> u64 {
        let counters = self.counters.iter();
        counters
            .map(|counter| counter.0.load(Ordering::Relaxed))
            .sum()
    }

    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::Relaxed)
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
