//! The list of sleeping schedulers, from which whoever queues work chooses one to wake.
//!
//! A scheduler announces itself *before* it looks for work the last time, and whoever queues work chooses a sleeper
//! *after* queueing, so at least one of the two sees the other. A chosen scheduler is taken off the list at once, so it
//! is not chosen twice for one sleep. A scheduler that is still *searching* (awake and looking for work) finds queued
//! work without being woken; it ends its search before it announces itself, so no work is missed between the two. Any
//! thread may call. `tests/interleavings` runs this file under loom.
// Under `loom` they are used from outside of the crate.
#![allow(unreachable_pub)]

use crate::process::sync::{AtomicUsize, Mutex, Ordering, fence};

/// See the module's documentation.
pub struct Sleepers {
    /// The number of listed schedulers that are online. Whoever queues a process usually reads only this.
    online: AtomicUsize,
    list: Mutex<Vec<Asleep>>,
    /// The number of schedulers that look for work and are not asleep yet.
    searching: AtomicUsize,
}

/// A sleeping scheduler; `online` is whether it was online when it went to sleep.
struct Asleep {
    index: usize,
    online: bool,
}

impl Sleepers {
    #[must_use]
    pub fn new() -> Sleepers {
        Sleepers {
            online: AtomicUsize::new(0),
            list: Mutex::new(Vec::new()),
            searching: AtomicUsize::new(0),
        }
    }

    /// Whether there may be a scheduler to choose. Without the fence of [`choose`](Sleepers::choose) the result may be
    /// stale.
    #[inline]
    #[must_use]
    pub fn any(&self) -> bool {
        self.online.load(Ordering::Relaxed) > 0
    }

    /// Takes a scheduler off the list: of the first `online` schedulers, the one last in the list (usually the last
    /// that went to sleep).
    pub fn choose(&self, online: usize) -> Option<usize> {
        // A scheduler that announces itself after this check must see the work that was queued before it.
        fence(Ordering::SeqCst);
        if !self.any() {
            return None;
        }
        let mut list = self.list.lock();
        let at = list.iter().rposition(|asleep| asleep.index < online)?;
        Some(self.take(&mut list, at))
    }

    /// As [`choose`](Sleepers::choose), but `None` while a scheduler searches: that one takes the queued work, and has
    /// to wake another for what it leaves.
    pub fn choose_unless_searched(&self, online: usize) -> Option<usize> {
        // A scheduler that ends its search after this check must see the work that was queued before it.
        fence(Ordering::SeqCst);
        if self.searching.load(Ordering::Relaxed) > 0 {
            return None;
        }
        self.choose(online)
    }

    /// Called when a scheduler without work begins to look for some.
    pub fn begin_search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Called when the scheduler has found work or is about to sleep: before it checks whether to wake another one, and
    /// before it announces itself.
    pub fn end_search(&self) {
        self.searching.fetch_sub(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Takes all schedulers off the list.
    pub fn take_all(&self) -> impl Iterator<Item = usize> + use<> {
        let mut list = self.list.lock();
        self.online.store(0, Ordering::Relaxed);
        std::mem::take(&mut *list)
            .into_iter()
            .map(|asleep| asleep.index)
    }

    /// Lists a scheduler that is about to look for work the last time before it sleeps.
    pub fn announce(&self, index: usize, online: bool) {
        {
            let mut list = self.list.lock();
            list.push(Asleep { index, online });
            self.online.fetch_add(usize::from(online), Ordering::SeqCst);
        }
        fence(Ordering::SeqCst);
    }

    /// Removes a scheduler that does not sleep after all, or no longer, if it is listed.
    pub fn withdraw(&self, index: usize) {
        let mut list = self.list.lock();
        if let Some(at) = list.iter().position(|asleep| asleep.index == index) {
            self.take(&mut list, at);
        }
    }

    /// Takes the entry at `at` off the list, which the caller has locked.
    fn take(&self, list: &mut Vec<Asleep>, at: usize) -> usize {
        let asleep = list.swap_remove(at);
        self.online
            .fetch_sub(usize::from(asleep.online), Ordering::Relaxed);
        asleep.index
    }
}

impl Default for Sleepers {
    fn default() -> Sleepers {
        Sleepers::new()
    }
}
