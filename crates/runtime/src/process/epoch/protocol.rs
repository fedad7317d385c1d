//! The epochs of a set of threads. `tests/interleavings` runs this file under loom.
//!
//! Two fences carry the protocol. A thread publishes its epoch, then comes its fence, then it looks something up. A
//! thread that retires something first makes it unreachable, then comes its fence, then it reads the published epochs.
//! In whichever order the fences are, either the look-up does not find what was retired, or the published epoch is
//! seen.
// Under `loom` they are used from outside of the crate.
#![allow(unreachable_pub)]

use crate::process::sync::{AtomicU64, AtomicUsize, Ordering, between_steps, fence};

const IDLE: u64 = u64::MAX;

/// The epoch that one thread has published.
#[repr(align(64))]
pub struct Place(AtomicU64);

/// The epochs of at most `MOST` threads.
pub struct Epochs<const MOST: usize> {
    places: [Place; MOST],
    /// The number of places that belong to a thread.
    taken: AtomicUsize,
    now: AtomicU64,
}

impl<const MOST: usize> Epochs<MOST> {
    #[cfg(not(feature = "loom"))]
    pub const fn new() -> Epochs<MOST> {
        Epochs {
            places: [const { Place(AtomicU64::new(IDLE)) }; MOST],
            taken: AtomicUsize::new(0),
            now: AtomicU64::new(1),
        }
    }

    #[cfg(feature = "loom")]
    #[expect(clippy::new_without_default, reason = "only models call it")]
    pub fn new() -> Epochs<MOST> {
        Epochs {
            places: std::array::from_fn(|_| Place(AtomicU64::new(IDLE))),
            taken: AtomicUsize::new(0),
            now: AtomicU64::new(1),
        }
    }

    /// Takes a place for a thread, which is idle at first.
    ///
    /// # Panics
    /// If there are more threads than places.
    pub fn join(&self) -> &Place {
        let index = self.taken.fetch_add(1, Ordering::Relaxed);
        assert!(
            index < MOST,
            "more than {MOST} threads take part in the epochs"
        );
        &self.places[index]
    }

    /// See [`super::quiescent`].
    #[inline]
    pub fn quiescent(&self, place: &Place) {
        let now = self.now.load(Ordering::Relaxed);
        debug_assert!(place.is_idle() || place.0.load(Ordering::Relaxed) <= now);
        between_steps();
        place.0.store(now, Ordering::Release);
        // Keeps later look-ups from being reordered before the announcement.
        fence(Ordering::SeqCst);
    }

    /// See [`super::retire_stamp`].
    pub fn retire_stamp(&self) -> u64 {
        between_steps();
        // Keeps later reads of published epochs from being reordered before what made the memory unreachable.
        fence(Ordering::SeqCst);
        self.now.fetch_add(1, Ordering::AcqRel)
    }

    /// See [`super::passed`].
    pub fn passed(&self, stamp: u64) -> bool {
        debug_assert!(stamp < self.now.load(Ordering::Relaxed));
        let taken = self.taken.load(Ordering::Relaxed);
        self.places[..taken]
            .iter()
            .all(|place| place.0.load(Ordering::Acquire) > stamp)
    }
}

impl Place {
    /// See [`super::idle`].
    pub fn become_idle(&self) {
        self.0.store(IDLE, Ordering::Release);
    }

    /// Whether the thread is idle.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.0.load(Ordering::Relaxed) == IDLE
    }
}
