//! Which range of keys belongs to which lock, where ranges are cut in two and put together while others work.
//!
//! ```text
//! current -> Directory: bounds  b1  b2 ...          a range holds the keys from the bound before it on, up to the one
//!                       ranges R0  R1  R2 ...       behind it
//! ```
//!
//! A directory never changes; another one takes its place. Who wants a key reads the current one without a lock, locks
//! the range that it finds there, and looks again: a range's bounds change only while it is locked to write, so if the
//! directory that is current *then* names the same range, it is the right one until the lock is given back.
//!
//! Locks are taken in this order: `changes`, then ranges by their keys. Who holds a range only *tries* for `changes` and for a
//! neighbour. The exception is a range that is in no directory: those who lock it found an old one, and leave at once.
//!
//! Any thread may call. A range stays allocated as long as the [`Ranges`]. The directories that are replaced are handed
//! to the caller: those who read without a lock may still be at it, and it is for him to know until when. So all that reads
//! happens where he can tell (in the runtime within a slice, or `epoch::pinned`).
//!
//! `tests/interleavings` compiles this file a second time.

use std::ptr;

use runtime::sync::{AtomicPtr, Mutex, MutexGuard, Ordering};

/// Most ranges of a table. More would make little less contention, and slow down who wants all.
const MOST_RANGES: usize = 256;

/// What a range can do to be cut and put together.
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
    /// One more than bounds.
    ranges: Vec<*const R>,
}

/// A directory that was replaced, to be dropped when nobody reads it any more.
#[must_use]
pub struct Replaced<B, R>(#[allow(dead_code)] Box<Directory<B, R>>);

// SAFETY: it is only dropped, which touches no range.
unsafe impl<B: Send, R> Send for Replaced<B, R> {}

/// All ranges of a table.
pub struct Ranges<B, R> {
    current: AtomicPtr<Directory<B, R>>,
    changes: Mutex<Changes<R>>,
}

/// Held by who replaces the directory, and by who wants it to stay as it is.
pub struct Changes<R> {
    /// All ranges that were ever made.
    all: Vec<*mut R>,
    /// Those of them that are in no directory.
    spare: Vec<*const R>,
}

// SAFETY: the pointers are to ranges, which many threads may use.
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
        // SAFETY: never null, and dropped only when nobody reads it any more, which the caller sees to.
        unsafe { &*self.current.load(Ordering::Acquire) }
    }

    /// Locks the range that `route` chooses: given the bounds, the number of those that are before what it wants.
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

    /// The bound at the end of a range, or at its beginning. The caller has it locked.
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

    /// Cuts a range that the caller has locked to write. `divide` puts the upper half of its contents into the other
    /// range, which is made by `fresh` if there is none to spare, and answers the bound. Nothing happens when it answers
    /// `None`, or when another change is under way.
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

    /// Puts a range that the caller has locked to write, by `writer`, together with a neighbour. `merge` moves the contents of
    /// the upper one, its second argument, into the lower one. Nothing happens when another change is under way, or
    /// somebody has the neighbour, or there is none.
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

    /// Makes one range of all; the caller has them all locked to write, and the others than the first are empty.
    pub fn collapse(&self, changes: &mut Changes<R>) -> Replaced<B, R> {
        let directory = self.current();
        changes.spare.extend_from_slice(&directory.ranges[1..]);
        self.replace(Directory {
            bounds: Vec::new(),
            ranges: vec![directory.ranges[0]],
        })
    }

    /// The caller holds `changes`.
    fn replace(&self, next: Directory<B, R>) -> Replaced<B, R> {
        let next = Box::into_raw(Box::new(next));
        let old = self.current.swap(next, Ordering::AcqRel);
        // SAFETY: it came from a box, and is current no more.
        Replaced(unsafe { Box::from_raw(old) })
    }

    /// Sees to it that ranges stay as they are.
    pub fn hold(&self) -> MutexGuard<'_, Changes<R>> {
        self.changes.lock()
    }

    /// The lock of [`Ranges::hold`], for who has other ways to take it.
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
        // SAFETY: nobody else is here any more; directory and ranges came from boxes.
        unsafe {
            drop(Box::from_raw(self.current.load(Ordering::Acquire)));
            for range in self.changes.lock().all.drain(..) {
                drop(Box::from_raw(range));
            }
        }
    }
}
