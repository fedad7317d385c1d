//! A lock for a part of a table that costs the node's only scheduler no atomic read-modify-write and no memory barrier.
//!
//! On a node with one scheduler only that thread works with tables; other threads, the *outsiders*, only look at them
//! when they write a crash dump. So the scheduler announces that it is in with a plain store, and the outsider pays
//! for both with a barrier that the system executes on every thread of the process:
//!
//! ```text
//! scheduler                        outsider
//!   held = 1                         outsiders += 1
//!   (no barrier)                     barrier on every thread
//!   is outsiders 0?  then it is in   wait until held is 0
//! ```
//!
//! The barrier falls either after the scheduler's store, and then the outsider sees the store and waits; or before
//! it, and then the scheduler's load of `outsiders`, which comes later still, sees the outsider. Atomic operations
//! would not only take time themselves: they keep the processor from fetching what the next operation needs while
//! this one still waits for memory.
//!
//! `enter` and `leave` are for the scheduler only; outsiders exclude each other by other means (`lock`).

use std::sync::atomic::{AtomicU32, Ordering, compiler_fence};
use std::sync::{LazyLock, atomic};
use std::time::Instant;

/// Whether the system supports such a barrier; Miri knows none.
pub(crate) static IS_POSSIBLE: LazyLock<bool> =
    LazyLock::new(|| !cfg!(miri) && sys::thread::register_barrier());

/// The value of [`BiasedLock::held`] while the scheduler is in to write.
const WRITING: u32 = 1 << 31;

/// See the file's comment.
pub(crate) struct BiasedLock {
    /// How often the scheduler is in to read, or [`WRITING`]; only the scheduler writes this.
    held: AtomicU32,
    /// Number of outsiders that are in or waiting.
    outsiders: AtomicU32,
}

impl BiasedLock {
    pub(crate) const fn new() -> BiasedLock {
        BiasedLock {
            held: AtomicU32::new(0),
            outsiders: AtomicU32::new(0),
        }
    }

    /// The scheduler enters to read. Returns false if it must not, because an outsider is in or waiting. A scheduler
    /// that is in to read may enter again.
    ///
    /// # Panics
    /// If it is in to write.
    #[inline]
    #[must_use]
    pub(crate) fn enter(&self) -> bool {
        let held = self.held.load(Ordering::Relaxed);
        assert!(held < WRITING, "a part is locked by its own thread");
        if held > 0 {
            self.held.store(held + 1, Ordering::Relaxed);
            return true;
        }
        self.enter_as(1)
    }

    /// The scheduler enters to write; returns false as [`BiasedLock::enter`] does.
    ///
    /// # Panics
    /// If it is in already.
    #[inline]
    #[must_use]
    pub(crate) fn enter_to_write(&self) -> bool {
        assert!(!self.is_held(), "a part is locked by its own thread");
        self.enter_as(WRITING)
    }

    #[inline]
    fn enter_as(&self, held: u32) -> bool {
        self.held.store(held, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        if self.outsiders.load(Ordering::Acquire) == 0 {
            return true;
        }
        self.held.store(0, Ordering::Release);
        false
    }

    /// Whether the scheduler is in; only the scheduler may ask.
    #[inline]
    #[must_use]
    pub(crate) fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed) > 0
    }

    /// The scheduler leaves.
    #[inline]
    pub(crate) fn leave(&self) {
        let held = self.held.load(Ordering::Relaxed);
        let left = if held == WRITING { 0 } else { held - 1 };
        self.held.store(left, Ordering::Release);
    }

    /// An outsider enters. Returns false, without having entered, if the scheduler did not leave before `until`.
    #[must_use]
    pub(crate) fn enter_from_outside(&self, until: Option<Instant>) -> bool {
        self.outsiders.fetch_add(1, Ordering::SeqCst);
        atomic::fence(Ordering::SeqCst);
        sys::thread::barrier_everywhere();
        while self.held.load(Ordering::Acquire) > 0 {
            if until.is_some_and(|until| Instant::now() >= until) {
                self.leave_to_outside();
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    /// An outsider leaves.
    pub(crate) fn leave_to_outside(&self) {
        self.outsiders.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no barrier on every thread")]
    fn nobody_is_in_beside_an_outsider() {
        assert!(*IS_POSSIBLE);
        let biased = BiasedLock::new();
        let (a, b) = (AtomicU32::new(0), AtomicU32::new(0));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let one = scope.spawn(|| {
                let mut turns = 1u32;
                while !stop.load(Relaxed) {
                    if biased.enter_to_write() {
                        // An outsider that got in between these two stores would see different values.
                        a.store(turns, Relaxed);
                        b.store(turns, Relaxed);
                        biased.leave();
                        turns = turns.wrapping_add(1);
                    } else {
                        std::thread::yield_now();
                    }
                }
            });
            while a.load(Relaxed) == 0 {
                std::thread::yield_now();
            }
            for _ in 0..2000 {
                assert!(biased.enter_from_outside(None));
                assert_eq!(a.load(Relaxed), b.load(Relaxed));
                biased.leave_to_outside();
            }
            stop.store(true, Relaxed);
            one.join().unwrap();
        });
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no barrier on every thread")]
    fn an_outsider_gives_up_in_time() {
        assert!(*IS_POSSIBLE);
        let biased = BiasedLock::new();
        assert!(biased.enter() && biased.enter());
        biased.leave();
        assert!(!biased.enter_from_outside(Some(Instant::now())));
        biased.leave();
        assert!(biased.enter());
        biased.leave();
        assert!(biased.enter_from_outside(Some(Instant::now())));
        assert!(!biased.enter());
        assert!(!biased.is_held());
        biased.leave_to_outside();
        assert!(biased.enter());
    }
}
