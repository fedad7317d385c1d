//! Collecting far more often than needed, to find terms that somebody holds across a safepoint, and
//! words that a collection does not know of.
//!
//! A heap under stress has no room but what was asked for (a large one little more), so the next
//! allocation collects again, wherever it is made: nothing else in the machine takes part. Each collection moves everything, leaves
//! the old places filled with nonsense, and promotes what has survived one before, however little it
//! is. [`Stress::Verify`] proves the heap whole after each.
//!
//! Set once, when the machine starts; any thread may ask.

use std::sync::atomic::{AtomicU8, Ordering};

/// How much is done beyond what is needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stress {
    /// Nothing.
    None = 0,
    /// Every allocation collects.
    Collect = 1,
    /// And every collection is checked: takes time in proportion to the heap.
    Verify = 2,
}

static LEVEL: AtomicU8 = AtomicU8::new(Stress::None as u8);

/// Sets the stress of all heaps from their next collection on.
pub fn set(stress: Stress) {
    LEVEL.store(stress as u8, Ordering::Relaxed);
}

/// The stress that heaps are under.
#[inline]
#[must_use]
pub fn get() -> Stress {
    match LEVEL.load(Ordering::Relaxed) {
        0 => Stress::None,
        1 => Stress::Collect,
        _ => Stress::Verify,
    }
}
