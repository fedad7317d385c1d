//! `safe_fixtable`: which processes keep a table fixed, so that a traversal meets every object.
//!
//! Any thread may ask whether the table is fixed. Whoever deletes objects asks while holding the part's lock, and
//! whoever fixes the table does so before taking the lock to traverse it.

use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;
use parking_lot::Mutex;

use runtime::mail::time;

/// The processes that fix a table.
#[derive(Default)]
pub struct Fixation {
    count: AtomicUsize,
    holders: Mutex<Holders>,
}

#[derive(Default)]
struct Holders {
    /// Pids, each with the number of times that it fixes the table.
    list: Vec<(Term, u32)>,
    /// Monotonic time at which the table became fixed.
    since_ns: i64,
}

impl Fixation {
    #[inline]
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.is_fixed_besides(false)
    }

    /// Whether the table is fixed, not counting a walk that has fixed it once itself.
    #[inline]
    pub(crate) fn is_fixed_besides(&self, fixed_by_walk: bool) -> bool {
        self.count.load(Ordering::SeqCst) > usize::from(fixed_by_walk)
    }

    /// Fixes the table once more; returns true if the process did not fix it before.
    pub(crate) fn fix(&self, pid: Term) -> bool {
        let mut holders = self.holders.lock();
        if holders.list.is_empty() {
            holders.since_ns = time::monotonic_ns();
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        if let Some((_, count)) = holders.list.iter_mut().find(|(holder, _)| *holder == pid) {
            *count += 1;
            return false;
        }
        holders.list.push((pid, 1));
        true
    }

    /// Undoes one [`fix`](Fixation::fix) of a process, or `all` of them; returns true if the table is no longer
    /// fixed.
    #[must_use]
    pub(crate) fn release(&self, pid: Term, all: bool) -> bool {
        let mut holders = self.holders.lock();
        let Some(place) = holders.list.iter().position(|(holder, _)| *holder == pid) else {
            return false;
        };
        let held = holders.list[place].1;
        let released = if all { held } else { 1 };
        if released == held {
            holders.list.swap_remove(place);
        } else {
            holders.list[place].1 -= released;
        }
        self.count.fetch_sub(released as usize, Ordering::SeqCst) == released as usize
    }

    #[must_use]
    pub(crate) fn is_held_by(&self, pid: Term) -> bool {
        self.is_fixed()
            && self
                .holders
                .lock()
                .list
                .iter()
                .any(|(holder, _)| *holder == pid)
    }

    /// Since when the table is fixed, in monotonic nanoseconds, and how often by each process; `None` if it is not
    /// fixed.
    #[must_use]
    pub fn holders(&self) -> Option<(i64, Vec<(Term, u32)>)> {
        let holders = self.holders.lock();
        (!holders.list.is_empty()).then(|| (holders.since_ns, holders.list.clone()))
    }
}
