//! The lock of a part: shared by readers, or held by one writer.
//!
//! A table with read concurrency has several places to lock, each on a cache line of its own: a reader takes
//! the place of its scheduler, so that readers on different schedulers do not write to the same line; a writer
//! takes all of them, in order.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use parking_lot::RawRwLock;
use parking_lot::lock_api::{RawRwLock as _, RawRwLockTimed as _};

use super::part::Part;
use crate::scheduler;

/// Keeps two places off one cache line.
#[repr(align(64))]
struct Place(RawRwLock);

/// A part and its lock.
pub struct PartLock {
    places: Box<[Place]>,
    part: UnsafeCell<Part>,
}

// SAFETY: the part is reached through the guards alone, of which a writer's excludes all others.
unsafe impl Sync for PartLock {}

/// Shared access to a part.
pub struct ReadGuard<'a> {
    place: &'a RawRwLock,
    part: &'a Part,
}

/// Sole access to a part.
pub struct WriteGuard<'a> {
    lock: &'a PartLock,
}

impl PartLock {
    /// A lock with that many places for readers.
    pub fn new(part: Part, places: usize) -> PartLock {
        PartLock {
            places: (0..places.max(1)).map(|_| Place(RawRwLock::INIT)).collect(),
            part: UnsafeCell::new(part),
        }
    }

    #[inline]
    pub fn read(&self) -> ReadGuard<'_> {
        let place = match &*self.places {
            [only] => &only.0,
            places => &places[scheduler::current_number() % places.len()].0,
        };
        place.lock_shared();
        // SAFETY: this place is shared, so no writer has all places before the guard is dropped.
        let part = unsafe { &*self.part.get() };
        ReadGuard { place, part }
    }

    /// As [`PartLock::read`]; `None` when the lock cannot be had so soon.
    pub fn read_within(&self, patience: Duration) -> Option<ReadGuard<'_>> {
        let place = &self.places[0].0;
        if !place.try_lock_shared_for(patience) {
            return None;
        }
        // SAFETY: as in `read`.
        let part = unsafe { &*self.part.get() };
        Some(ReadGuard { place, part })
    }

    #[inline]
    pub fn write(&self) -> WriteGuard<'_> {
        for place in &self.places {
            place.0.lock_exclusive();
        }
        WriteGuard { lock: self }
    }

    /// Bytes that the lock takes.
    pub fn bytes(&self) -> usize {
        size_of::<PartLock>() + size_of_val(&*self.places)
    }
}

impl Deref for ReadGuard<'_> {
    type Target = Part;

    #[inline]
    fn deref(&self) -> &Part {
        self.part
    }
}

impl Drop for ReadGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard stands for one shared hold of this place.
        unsafe { self.place.unlock_shared() };
    }
}

impl Deref for WriteGuard<'_> {
    type Target = Part;

    #[inline]
    fn deref(&self) -> &Part {
        // SAFETY: the guard holds all places.
        unsafe { &*self.lock.part.get() }
    }
}

impl DerefMut for WriteGuard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Part {
        // SAFETY: the guard holds all places, and is borrowed alone.
        unsafe { &mut *self.lock.part.get() }
    }
}

impl Drop for WriteGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        for place in self.lock.places.iter().rev() {
            // SAFETY: the guard holds every place.
            unsafe { place.0.unlock_exclusive() };
        }
    }
}
