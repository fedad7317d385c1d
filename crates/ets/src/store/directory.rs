//! Which range of keys belongs to which lock. Ranges are split and merged while other threads use the table.
//!
//! ```text
//! current -> Directory: bounds  b1  b2 ...          a range holds the keys from the bound before it (inclusive)
//!                       ranges R0  R1  R2 ...       up to the bound after it (exclusive)
//! ```
//!
//! A directory is immutable; a change installs a new one. To find a key, a thread reads the current directory without
//! a lock, locks the range that it finds there, and reads the current directory again. A range's bounds change only
//! while that range is write-locked. So if the directory that is current at the second read names the same range, it
//! is the right one, and stays so until the lock is released.
//!
//! Lock order: first `changes`, then ranges in the order of their keys. A thread that holds a range only *tries* to
//! lock `changes` or a neighbour. The exception is a range that is in no directory: whoever else locks it came
//! through an old directory, and releases it at once.
//!
//! Any thread may call. A range stays allocated as long as the [`Ranges`], and a replaced directory until no thread is
//! pinned any more that was when it was current, which may be later. Directories are read by threads that are pinned
//! ([`Pinned`]), or that keep them from being replaced ([`Held`]).
//!
//! `tests/interleavings` runs this file under loom.

use std::ptr::{self, NonNull};
use std::time::Duration;

use runtime::process::epoch::Pinned;
use runtime::process::sync::{AtomicPtr, Mutex, MutexGuard, Ordering};

/// Maximum number of ranges of a table. More would hardly reduce contention, and would slow down operations on all
/// ranges.
const MOST_RANGES: usize = 256;

/// What a range must provide to be split and merged.
pub trait Range {
    type Writer<'a>
    where
        Self: 'a;

    fn write(&self) -> Self::Writer<'_>;

    fn try_write(&self) -> Option<Self::Writer<'_>>;
}

/// See the file's comment.
struct Directory<B, R> {
    bounds: Vec<B>,
    /// One more than there are bounds.
    ranges: Vec<*const R>,
}

/// A directory that was replaced. It is no box: that would claim that nobody reads it any more.
struct Replaced<B, R>(NonNull<Directory<B, R>>);

// SAFETY: it is only dropped, and that accesses no range.
unsafe impl<B: Send, R> Send for Replaced<B, R> {}

impl<B, R> Drop for Replaced<B, R> {
    fn drop(&mut self) {
        // SAFETY: it came from a box (`Held::replace`), and is dropped when nobody is pinned any more who was when it
        // was current (`epoch::drop_later`).
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// All ranges of a table.
pub struct Ranges<B, R> {
    current: AtomicPtr<Directory<B, R>>,
    changes: Mutex<Changes<R>>,
}

/// Locked by whoever replaces the directory, and by whoever needs it to stay as it is.
struct Changes<R> {
    /// All ranges that were ever allocated.
    all: Vec<*mut R>,
    /// Those of them that are in no directory.
    spare: Vec<*const R>,
}

// SAFETY: the pointers lead to ranges, which many threads may use (`R: Send + Sync`).
unsafe impl<B: Send + Sync, R: Send + Sync> Send for Ranges<B, R> {}
// SAFETY: the pointers lead to ranges, which many threads may use (`R: Send + Sync`).
unsafe impl<B: Send + Sync, R: Send + Sync> Sync for Ranges<B, R> {}
// SAFETY: the pointers lead to ranges, which many threads may use (`R: Send + Sync`).
unsafe impl<R: Send + Sync> Send for Changes<R> {}

/// A table's ranges, none of which is split or merged while this is held.
pub struct Held<'a, B, R> {
    ranges: &'a Ranges<B, R>,
    changes: MutexGuard<'a, Changes<R>>,
}

impl<B: Clone + Send + 'static, R: Range + 'static> Ranges<B, R> {
    /// One range for all keys.
    pub fn new(range: R) -> Ranges<B, R> {
        let range = Box::into_raw(Box::new(range));
        let directory = Box::new(Directory {
            bounds: Vec::new(),
            ranges: vec![range.cast_const()],
        });
        Ranges {
            current: AtomicPtr::new(Box::into_raw(directory)),
            changes: Mutex::new(Changes {
                all: vec![range],
                spare: Vec::new(),
            }),
        }
    }

    fn current<'a>(&'a self, _pinned: Pinned<'a>) -> &'a Directory<B, R> {
        // SAFETY: never null; a replaced directory is dropped only when nobody is pinned any more who was when it was
        // current (`epoch::drop_later`).
        unsafe { &*self.current.load(Ordering::Acquire) }
    }

    /// Locks the range that `route` chooses: it is given the bounds, and returns how many of them lie before what is
    /// wanted.
    #[inline]
    pub fn enter<'a, Guard>(
        &'a self,
        pinned: Pinned<'_>,
        route: impl Fn(&[B]) -> usize,
        lock: impl Fn(&'a R) -> Guard,
    ) -> (&'a R, Guard) {
        let mut directory = self.current(pinned);
        let mut range = directory.ranges[route(&directory.bounds)];
        loop {
            // SAFETY: ranges stay allocated.
            let locked = unsafe { &*range };
            let guard = lock(locked);
            let now = self.current(pinned);
            if ptr::eq(now, directory) {
                return (locked, guard);
            }
            let right = now.ranges[route(&now.bounds)];
            if ptr::eq(right, range) {
                return (locked, guard);
            }
            drop(guard);
            (directory, range) = (now, right);
        }
    }

    /// The bound at the end of a range, or at its beginning. The caller holds the range's lock.
    pub fn bound_of(&self, pinned: Pinned<'_>, range: &R, at_beginning: bool) -> Option<B> {
        let directory = self.current(pinned);
        let index = directory.index_of(range)?;
        let bound = if at_beginning {
            index.checked_sub(1)?
        } else {
            index
        };
        directory.bounds.get(bound).cloned()
    }

    /// Splits a range that the caller has write-locked. `divide` moves the upper half of its contents into another
    /// range (a spare one, or else one made by `fresh`) and returns the bound between them. Nothing happens if it
    /// returns `None`, if there are `MOST_RANGES` already, or if another change is under way.
    pub fn split(
        &self,
        range: &R,
        fresh: impl FnOnce() -> R,
        divide: impl FnOnce(&mut R::Writer<'_>) -> Option<B>,
    ) -> Option<()> {
        let mut held = self.try_hold()?;
        let index = held.directory().index_of(range)?;
        if held.directory().ranges.len() >= MOST_RANGES {
            return None;
        }
        if held.changes.spare.is_empty() {
            let made = Box::into_raw(Box::new(fresh()));
            held.changes.all.push(made);
            held.changes.spare.push(made);
        }
        let upper = *held.changes.spare.last()?;
        // SAFETY: ranges stay allocated.
        let mut writer = unsafe { &*upper }.write();
        let bound = divide(&mut writer)?;
        held.changes.spare.pop();
        let mut next = held.directory().clone();
        next.bounds.insert(index, bound);
        next.ranges.insert(index + 1, upper);
        held.replace(next);
        Some(())
    }

    /// Merges a range, which the caller has write-locked as `writer`, with a neighbour. `merge` moves the contents of
    /// the upper one, its second argument, into the lower one. Nothing happens if another change is under way, if the
    /// neighbour is locked, or if there is none.
    pub fn join<'a>(
        &'a self,
        range: &R,
        writer: &mut R::Writer<'a>,
        merge: impl FnOnce(&mut R::Writer<'a>, &mut R::Writer<'a>),
    ) -> Option<()> {
        let mut held = self.try_hold()?;
        let directory = held.directory();
        let index = directory.index_of(range)?;
        let is_last = index + 1 == directory.ranges.len();
        let neighbour = if is_last {
            index.checked_sub(1)?
        } else {
            index + 1
        };
        // SAFETY: ranges stay allocated.
        let mut other = unsafe { &*directory.ranges[neighbour] }.try_write()?;
        if is_last {
            merge(&mut other, writer);
        } else {
            merge(writer, &mut other);
        }
        let upper = index.max(neighbour);
        let mut next = directory.clone();
        next.bounds.remove(upper - 1);
        let spare = next.ranges.remove(upper);
        held.changes.spare.push(spare);
        held.replace(next);
        Some(())
    }

    fn try_hold(&self) -> Option<Held<'_, B, R>> {
        let changes = self.changes.try_lock()?;
        Some(Held {
            ranges: self,
            changes,
        })
    }

    /// Keeps ranges from being split or merged.
    pub fn hold(&self) -> Held<'_, B, R> {
        Held {
            ranges: self,
            changes: self.changes.lock(),
        }
    }

    /// As [`Ranges::hold`]; `None` if another change did not end within `timeout`.
    pub fn hold_within(&self, timeout: Duration) -> Option<Held<'_, B, R>> {
        let changes = self.changes.try_lock_for(timeout)?;
        Some(Held {
            ranges: self,
            changes,
        })
    }
}

impl<'a, B: Send + 'static, R: 'static> Held<'a, B, R> {
    fn directory(&self) -> &Directory<B, R> {
        // SAFETY: never null, and replaced only through a `Held`, of which this is the only one.
        unsafe { &*self.ranges.current.load(Ordering::Acquire) }
    }

    /// Installs another directory, and keeps the old one for those that still read it.
    fn replace(&mut self, next: Directory<B, R>) {
        let next = Box::into_raw(Box::new(next));
        let old = self.ranges.current.swap(next, Ordering::AcqRel);
        let replaced = Replaced(NonNull::new(old).expect("a current directory"));
        // The models have no epochs.
        #[cfg(feature = "loom")]
        std::mem::forget(replaced);
        #[cfg(not(feature = "loom"))]
        runtime::process::epoch::drop_later(Box::new(replaced));
    }

    /// All ranges in the order of their keys, and the bounds between them.
    pub fn all(&self) -> (impl Iterator<Item = &'a R>, &[B]) {
        let directory = self.directory();
        // SAFETY: ranges stay allocated.
        let ranges = directory.ranges.iter().map(|range| unsafe { &**range });
        (ranges, &directory.bounds)
    }

    /// Merges all ranges into one. The caller has write-locked them all, and all but the first are empty.
    pub fn collapse(&mut self) {
        let ranges = self.directory().ranges.clone();
        self.changes.spare.extend_from_slice(&ranges[1..]);
        self.replace(Directory {
            bounds: Vec::new(),
            ranges: vec![ranges[0]],
        });
    }
}

impl<B: Clone, R> Clone for Directory<B, R> {
    fn clone(&self) -> Directory<B, R> {
        Directory {
            bounds: self.bounds.clone(),
            ranges: self.ranges.clone(),
        }
    }
}

impl<B, R> Directory<B, R> {
    fn index_of(&self, range: &R) -> Option<usize> {
        self.ranges.iter().position(|other| ptr::eq(*other, range))
    }
}

impl<B, R> Drop for Ranges<B, R> {
    fn drop(&mut self) {
        // SAFETY: `self` is borrowed exclusively, so no other thread uses it; directory and ranges came from boxes.
        unsafe {
            drop(Box::from_raw(self.current.load(Ordering::Acquire)));
            for range in self.changes.lock().all.drain(..) {
                drop(Box::from_raw(range));
            }
        }
    }
}
