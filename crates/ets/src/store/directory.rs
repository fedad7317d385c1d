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
//! Any thread may call. A range stays allocated as long as the [`Ranges`]. A replaced directory is handed to the
//! caller, who must keep it until no thread can still be reading it. So every read has to happen where the caller can
//! tell when it has ended (in the runtime within a slice, or in `epoch::pinned`).
//!
//! `tests/interleavings` runs this file under loom.

use std::ptr;

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
pub struct Directory<B, R> {
    bounds: Vec<B>,
    /// One more than there are bounds.
    ranges: Vec<*const R>,
}

/// A directory that was replaced, to be dropped when no thread can be reading it any more.
#[must_use]
pub struct Replaced<B, R>(#[allow(dead_code)] Box<Directory<B, R>>);

// SAFETY: it is only dropped, and that accesses no range.
unsafe impl<B: Send, R> Send for Replaced<B, R> {}

/// All ranges of a table.
pub struct Ranges<B, R> {
    current: AtomicPtr<Directory<B, R>>,
    changes: Mutex<Changes<R>>,
}

/// Locked by whoever replaces the directory, and by whoever needs it to stay as it is.
pub struct Changes<R> {
    /// All ranges that were ever allocated.
    all: Vec<*mut R>,
    /// Those of them that are in no directory.
    spare: Vec<*const R>,
}

// SAFETY: the pointers lead to ranges, which many threads may use (`R: Send + Sync`).
unsafe impl<B: Send + Sync, R: Send + Sync> Send for Ranges<B, R> {}
// SAFETY: as above.
unsafe impl<B: Send + Sync, R: Send + Sync> Sync for Ranges<B, R> {}
// SAFETY: as above.
unsafe impl<R: Send + Sync> Send for Changes<R> {}

impl<B: Clone, R: Range> Ranges<B, R> {
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

    fn current(&self) -> &Directory<B, R> {
        // SAFETY: never null; a replaced directory is dropped only when nobody reads it any more, which the caller
        // ensures.
        unsafe { &*self.current.load(Ordering::Acquire) }
    }

    /// Locks the range that `route` chooses: it is given the bounds, and returns how many of them lie before what is
    /// wanted.
    #[inline]
    pub fn enter<'a, Guard>(
        &'a self,
        route: impl Fn(&[B]) -> usize,
        lock: impl Fn(&'a R) -> Guard,
    ) -> (&'a R, Guard) {
        let mut directory = self.current();
        let mut range = directory.ranges[route(&directory.bounds)];
        loop {
            // SAFETY: ranges stay allocated.
            let locked = unsafe { &*range };
            let guard = lock(locked);
            let now = self.current();
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
    pub fn bound_of(&self, range: &R, at_beginning: bool) -> Option<B> {
        let directory = self.current();
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
    ) -> Option<Replaced<B, R>> {
        let mut changes = self.changes.try_lock()?;
        let directory = self.current();
        let index = directory.index_of(range)?;
        if directory.ranges.len() >= MOST_RANGES {
            return None;
        }
        if changes.spare.is_empty() {
            let made = Box::into_raw(Box::new(fresh()));
            changes.all.push(made);
            changes.spare.push(made);
        }
        let upper = *changes.spare.last()?;
        // SAFETY: ranges stay allocated.
        let mut writer = unsafe { &*upper }.write();
        let bound = divide(&mut writer)?;
        changes.spare.pop();
        let mut next = Directory {
            bounds: directory.bounds.clone(),
            ranges: directory.ranges.clone(),
        };
        next.bounds.insert(index, bound);
        next.ranges.insert(index + 1, upper);
        Some(self.replace(next))
    }

    /// Merges a range, which the caller has write-locked as `writer`, with a neighbour. `merge` moves the contents of
    /// the upper one, its second argument, into the lower one. Nothing happens if another change is under way, if the
    /// neighbour is locked, or if there is none.
    pub fn join<'a>(
        &'a self,
        range: &R,
        writer: &mut R::Writer<'a>,
        merge: impl FnOnce(&mut R::Writer<'a>, &mut R::Writer<'a>),
    ) -> Option<Replaced<B, R>> {
        let mut changes = self.changes.try_lock()?;
        let directory = self.current();
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
        changes.spare.push(directory.ranges[upper]);
        let mut next = Directory {
            bounds: directory.bounds.clone(),
            ranges: directory.ranges.clone(),
        };
        next.bounds.remove(upper - 1);
        next.ranges.remove(upper);
        Some(self.replace(next))
    }

    /// Merges all ranges into one. The caller has write-locked them all, and all but the first are empty.
    pub fn collapse(&self, changes: &mut Changes<R>) -> Replaced<B, R> {
        let directory = self.current();
        changes.spare.extend_from_slice(&directory.ranges[1..]);
        self.replace(Directory {
            bounds: Vec::new(),
            ranges: vec![directory.ranges[0]],
        })
    }

    /// Installs another directory. The caller holds `changes`.
    fn replace(&self, next: Directory<B, R>) -> Replaced<B, R> {
        let next = Box::into_raw(Box::new(next));
        let old = self.current.swap(next, Ordering::AcqRel);
        // SAFETY: it came from a box, and is no longer current.
        Replaced(unsafe { Box::from_raw(old) })
    }

    /// Keeps ranges from being split or merged while the guard is held.
    pub fn hold(&self) -> MutexGuard<'_, Changes<R>> {
        self.changes.lock()
    }

    /// The mutex behind [`Ranges::hold`], for callers that lock it in another way (with a timeout).
    pub fn changes(&self) -> &Mutex<Changes<R>> {
        &self.changes
    }

    /// All ranges in the order of their keys, and the bounds between them; the caller holds `changes`.
    pub fn all<'a>(&'a self, _changes: &Changes<R>) -> (impl Iterator<Item = &'a R>, &'a [B]) {
        let directory = self.current();
        // SAFETY: ranges stay allocated.
        let ranges = directory.ranges.iter().map(|range| unsafe { &**range });
        (ranges, &directory.bounds)
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
