//! The lock of a part: shared by readers, or held by one writer.
//!
//! With read concurrency the lock consists of several raw locks, called places, each on its own cache line. A reader
//! locks the place of its scheduler, so that readers on different schedulers do not write to the same line; a writer
//! locks all places, in order.
//!
//! On a node with one scheduler, that thread locks no place but enters [`BiasedLock`]. All other threads lock their
//! places first and then keep the scheduler out through `BiasedLock`; a scheduler that is kept out locks a place as
//! they do.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use parking_lot::RawRwLock;
use parking_lot::lock_api::{RawRwLock as _, RawRwLockTimed as _};

use super::biased_lock::{self, BiasedLock};
use super::part::Part;
use runtime::mail::current;
use runtime::process::sync::between_steps;

/// Aligned so that no two places share a cache line.
#[repr(align(64))]
struct PaddedLock(RawRwLock);

/// A part and its lock.
pub(crate) struct PartLock {
    places: Box<[PaddedLock]>,
    /// Present on a node with one scheduler.
    biased: Option<BiasedLock>,
    part: UnsafeCell<Part>,
}

// SAFETY: the part is accessed only through guards, and a write guard excludes all others.
unsafe impl Sync for PartLock {}

/// What a guard releases when it is dropped.
enum Hold<'a> {
    Biased(&'a BiasedLock),
    /// A reader's place, and the [`BiasedLock`] through which this thread keeps the scheduler out, if there is one.
    Place(&'a RawRwLock, Option<&'a BiasedLock>),
    /// All places, and likewise the [`BiasedLock`].
    Places(Option<&'a BiasedLock>),
}

/// Shared access to a part. It belongs to the thread that locked it.
pub struct ReadGuard<'a> {
    hold: Hold<'a>,
    /// Not a reference: that would have to stay valid through the call that drops the guard, also after the release.
    part: NonNull<Part>,
}

/// Exclusive access to a part. It belongs to the thread that locked it.
pub struct WriteGuard<'a> {
    lock: &'a PartLock,
    hold: Hold<'a>,
    of_this_thread: PhantomData<*const ()>,
}

/// Whether this thread is a scheduler.
#[inline]
fn is_scheduler() -> bool {
    current::current().is_some()
}

impl PartLock {
    /// A lock with `places` places for readers, on a node with `schedulers` schedulers.
    pub(crate) fn new(part: Part, places: usize, schedulers: usize) -> PartLock {
        PartLock {
            places: (0..places.max(1))
                .map(|_| PaddedLock(RawRwLock::INIT))
                .collect(),
            biased: (schedulers == 1 && *biased_lock::IS_POSSIBLE).then(BiasedLock::new),
            part: UnsafeCell::new(part),
        }
    }

    fn place(&self) -> &RawRwLock {
        match &*self.places {
            [only] => &only.0,
            places => &places[current::current_number() % places.len()].0,
        }
    }

    /// If this thread is not the one scheduler, keeps the scheduler out. The caller has locked its place or places.
    #[inline]
    fn keep_out(&self) -> Option<&BiasedLock> {
        let biased = self.biased.as_ref().filter(|_| !is_scheduler())?;
        // Without a deadline this always succeeds.
        let _ = biased.enter_from_outside(None);
        Some(biased)
    }

    #[inline]
    pub(crate) fn read(&self) -> ReadGuard<'_> {
        let hold = match &self.biased {
            Some(biased) if is_scheduler() && biased.enter() => Hold::Biased(biased),
            _ => self.take_place(),
        };
        self.reader(hold)
    }

    fn reader<'a>(&'a self, hold: Hold<'a>) -> ReadGuard<'a> {
        let part = NonNull::from_ref(&self.part).cast();
        ReadGuard { hold, part }
    }

    fn writer<'a>(&'a self, hold: Hold<'a>) -> WriteGuard<'a> {
        WriteGuard {
            lock: self,
            hold,
            of_this_thread: PhantomData,
        }
    }

    fn take_place(&self) -> Hold<'_> {
        let place = self.place();
        place.lock_shared();
        Hold::Place(place, self.keep_out())
    }

    /// As [`PartLock::read`]; returns `None` if the lock was not acquired within `timeout`.
    pub(crate) fn read_within(&self, timeout: Duration) -> Option<ReadGuard<'_>> {
        let until = Instant::now() + timeout;
        let place = self.place();
        let hold = match &self.biased {
            Some(biased) if is_scheduler() => {
                // The scheduler may come here in the middle of anything (a crash), also while it holds this lock.
                if biased.is_held() || !biased.enter() {
                    return None;
                }
                Hold::Biased(biased)
            }
            biased => {
                if !place.try_lock_shared_for(timeout) {
                    return None;
                }
                if let Some(biased) = biased
                    && !biased.enter_from_outside(Some(until))
                {
                    // SAFETY: locked above.
                    unsafe { place.unlock_shared() };
                    return None;
                }
                Hold::Place(place, biased.as_ref())
            }
        };
        Some(self.reader(hold))
    }

    #[inline]
    pub(crate) fn write(&self) -> WriteGuard<'_> {
        let hold = match &self.biased {
            Some(biased) if is_scheduler() => {
                if biased.enter_to_write() {
                    Hold::Biased(biased)
                } else {
                    self.take_places()
                }
            }
            _ => self.take_places(),
        };
        self.writer(hold)
    }

    #[inline]
    fn take_places(&self) -> Hold<'_> {
        match &*self.places {
            [only] => only.0.lock_exclusive(),
            places => places.iter().for_each(|place| place.0.lock_exclusive()),
        }
        Hold::Places(self.keep_out())
    }

    /// As [`PartLock::write`]; also returns whether it had to wait.
    #[inline]
    pub(crate) fn write_noting_contention(&self) -> (WriteGuard<'_>, bool) {
        if self.biased.is_some() {
            return (self.write(), false);
        }
        let mut waited = false;
        for place in &self.places {
            if !place.0.try_lock_exclusive() {
                waited = true;
                place.0.lock_exclusive();
            }
        }
        (self.writer(Hold::Places(None)), waited)
    }

    /// As [`PartLock::write`]; returns `None` if it would have to wait, or if the node has one scheduler.
    pub(crate) fn try_write(&self) -> Option<WriteGuard<'_>> {
        if self.biased.is_some() {
            return None;
        }
        for (index, place) in self.places.iter().enumerate() {
            if !place.0.try_lock_exclusive() {
                for place in &self.places[..index] {
                    // SAFETY: locked in an earlier iteration.
                    unsafe { place.0.unlock_exclusive() };
                }
                return None;
            }
        }
        Some(self.writer(Hold::Places(None)))
    }

    /// Bytes that the lock takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<PartLock>() + size_of_val(&*self.places)
    }
}

impl Deref for ReadGuard<'_> {
    type Target = Part;

    #[inline]
    fn deref(&self) -> &Part {
        // SAFETY: the guard holds a place shared, so no writer has all places before it is dropped; or the one
        // scheduler is in (`BiasedLock`), which keeps others out, and does not write.
        unsafe { self.part.as_ref() }
    }
}

impl Drop for ReadGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        between_steps();
        match self.hold {
            Hold::Biased(biased) => biased.leave(),
            Hold::Place(place, outside) => {
                if let Some(biased) = outside {
                    biased.leave_to_outside();
                }
                // SAFETY: the guard holds this place shared.
                unsafe { place.unlock_shared() };
            }
            Hold::Places(_) => unreachable!("a reader takes one place"),
        }
    }
}

impl Deref for WriteGuard<'_> {
    type Target = Part;

    #[inline]
    fn deref(&self) -> &Part {
        // SAFETY: the guard holds all places, or `BiasedLock` instead of them.
        unsafe { &*self.lock.part.get() }
    }
}

impl DerefMut for WriteGuard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Part {
        // SAFETY: the guard holds all places, or `BiasedLock` instead of them, and is borrowed exclusively.
        unsafe { &mut *self.lock.part.get() }
    }
}

impl Drop for WriteGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        between_steps();
        match self.hold {
            Hold::Biased(biased) => biased.leave(),
            Hold::Place(..) => unreachable!("a writer takes all places"),
            Hold::Places(outside) => {
                if let Some(biased) = outside {
                    biased.leave_to_outside();
                }
                for place in self.lock.places.iter().rev() {
                    // SAFETY: the guard holds every place.
                    unsafe { place.0.unlock_exclusive() };
                }
            }
        }
    }
}
