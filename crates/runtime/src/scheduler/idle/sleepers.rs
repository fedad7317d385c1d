//! Which schedulers sleep, so that whoever queues work can choose one to wake.
//!
//! A scheduler announces itself *before* it looks for work the last time, and whoever queues work chooses a sleeper
//! *after* queueing: one of the two sees the other. Who is chosen is off the list at once, so it is not chosen twice
//! for one sleep. A scheduler that still *searches*, awake, finds what was queued by itself; it ends its search before it
//! announces itself, so the same holds for it. Any thread may call. `tests/interleavings` runs this file under loom.

use crate::sync::{AtomicUsize, Mutex, Ordering, fence};

/// See the module's documentation.
pub struct Sleepers {
    /// Those among them that would run processes: whoever queues one looks only at this.
    online: AtomicUsize,
    list: Mutex<Vec<Asleep>>,
    /// Schedulers that look for work and are not asleep yet.
    searching: AtomicUsize,
}

/// A scheduler that sleeps; `online`: it was when it went to sleep.
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

    /// Whether there may be one to choose. Without the fence of [`choose`](Sleepers::choose) the answer may be old.
    #[inline]
    #[must_use]
    pub fn any(&self) -> bool {
        self.online.load(Ordering::Relaxed) > 0
    }

    /// Takes the last that went to sleep among the first `online` schedulers off the list.
    pub fn choose(&self, online: usize) -> Option<usize> {
        // What was queued before must be seen by who announces itself after this look.
        fence(Ordering::SeqCst);
        if !self.any() {
            return None;
        }
        let mut list = self.list.lock();
        let at = list.iter().rposition(|asleep| asleep.index < online)?;
        Some(self.take(&mut list, at))
    }

    /// As [`choose`](Sleepers::choose), but nobody while a scheduler searches: that one takes what was queued, and has to
    /// wake another for what it leaves.
    pub fn choose_unless_searched(&self, online: usize) -> Option<usize> {
        // What was queued before must be seen by who ends its search after this look.
        fence(Ordering::SeqCst);
        if self.searching.load(Ordering::Relaxed) > 0 {
            return None;
        }
        self.choose(online)
    }

    /// A scheduler that has nothing to do begins to look for work.
    pub fn begin_search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// It has found some, or is about to sleep. Called before it looks what others may do, and before it announces itself.
    pub fn end_search(&self) {
        self.searching.fetch_sub(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Takes all off the list.
    pub fn take_all(&self) -> impl Iterator<Item = usize> + use<> {
        let mut list = self.list.lock();
        self.online.store(0, Ordering::Relaxed);
        std::mem::take(&mut *list)
            .into_iter()
            .map(|asleep| asleep.index)
    }

    /// A scheduler is about to look for work the last time before it sleeps.
    pub fn announce(&self, index: usize, online: bool) {
        {
            let mut list = self.list.lock();
            list.push(Asleep { index, online });
            self.online.fetch_add(usize::from(online), Ordering::SeqCst);
        }
        fence(Ordering::SeqCst);
    }

    /// A scheduler does not sleep after all, or no longer.
    pub fn withdraw(&self, index: usize) {
        let mut list = self.list.lock();
        if let Some(at) = list.iter().position(|asleep| asleep.index == index) {
            self.take(&mut list, at);
        }
    }

    /// Takes one off the list, which the caller has locked.
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
