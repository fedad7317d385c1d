//! Collecting far more often than needed, to find terms that are wrongly held across a safepoint, and words that a
//! collection misses.
//!
//! A heap under stress has no room beyond what was asked for (a large one a little more), so the next allocation
//! collects again, wherever it is made: no other part of the VM has to cooperate. Each collection moves everything,
//! fills the old places with nonsense, and promotes what has survived one before, however little it is.
//! [`Stress::Verify`] checks the whole heap after each.
//!
//! Set once, when the VM starts; any thread may read it.

use std::sync::atomic::{AtomicU8, Ordering};

/// How much extra work collections do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stress {
    /// Nothing.
    None = 0,
    /// Every allocation collects.
    Collect = 1,
    /// Also, every collection is checked, which takes time proportional to the size of the heap.
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
