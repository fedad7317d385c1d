//! What waits at this moment, of a few chosen things, and since when: messages that were sent and are not received,
//! processes that are queued and do not run.
//!
//! Neither has room to remember when it began to wait, and only some of them are measured. So these are noted in a
//! small table, by their address. An entry belongs to whoever owns the thing at that address: a sender notes a message
//! before it pushes it, and its receiver takes the entry out; whoever queues a process notes it, and the scheduler that
//! runs it takes the entry out. Any other thread may look. A full table forgets the latest, never the oldest, so that
//! the longest wait is known.
//!
//! ```text
//! key 0          free
//! key 1          being written
//! otherwise      the address
//! ```

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use layout::Term;

const FREE: u64 = 0;
const IN_HANDS: u64 = 1;

struct Entry {
    key: AtomicU64,
    since_ns: AtomicI64,
    /// Bits of the pid that it waits for; see [`Waits::forget`].
    pid: AtomicU64,
}

/// Two entries for each place: the first one keeps what came first, the second what came last.
pub struct Waits<const PLACES: usize>([[Entry; 2]; PLACES]);

/// Messages of which is measured how long they wait (24 KB).
pub static MESSAGES: Waits<512> = Waits::new();
/// Processes of which is measured how long they are queued (12 KB).
pub static QUEUED: Waits<256> = Waits::new();

impl<const PLACES: usize> Waits<PLACES> {
    const fn new() -> Waits<PLACES> {
        Waits(
            [const {
                [const {
                    Entry {
                        key: AtomicU64::new(FREE),
                        since_ns: AtomicI64::new(0),
                        pid: AtomicU64::new(0),
                    }
                }; 2]
            }; PLACES],
        )
    }

    fn place(&self, key: u64) -> &[Entry; 2] {
        const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
        &self.0[(key.wrapping_mul(GOLDEN_RATIO) >> 40) as usize % PLACES]
    }

    /// Notes that the thing at an address, which the caller owns, begins to wait for a process. There is none of this
    /// address in the table, or one that is not there any more.
    pub fn note(&self, key: u64, pid: Term, now_ns: i64) {
        debug_assert!(key > IN_HANDS);
        let place = self.place(key);
        let [first, last] = place;
        let is_old = |entry: &&Entry| entry.key.load(Ordering::Relaxed) == key;
        let free = first.key.load(Ordering::Relaxed) == FREE;
        let entry = match place.iter().find(is_old) {
            Some(old) => old,
            None if free => first,
            None => last,
        };
        let before = entry.key.load(Ordering::Relaxed);
        let is_claimed = before != IN_HANDS
            && entry
                .key
                .compare_exchange(before, IN_HANDS, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if is_claimed {
            entry.since_ns.store(now_ns, Ordering::Relaxed);
            entry.pid.store(pid.bits(), Ordering::Relaxed);
            entry.key.store(key, Ordering::Release);
        }
    }

    /// The thing at this address, which the caller owns, no longer waits: since when it did, if it is known.
    pub fn take(&self, key: u64) -> Option<i64> {
        let entry = self
            .place(key)
            .iter()
            .find(|entry| entry.key.load(Ordering::Relaxed) == key)?;
        entry
            .key
            .compare_exchange(key, IN_HANDS, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        let since_ns = entry.since_ns.load(Ordering::Relaxed);
        entry.key.store(FREE, Ordering::Release);
        Some(since_ns)
    }

    /// Since when the thing that has waited longest waits, if there is one.
    #[must_use]
    pub fn oldest_ns(&self) -> Option<i64> {
        let is_used = |entry: &&Entry| entry.key.load(Ordering::Acquire) > IN_HANDS;
        let used = self.0.iter().flatten().filter(is_used);
        used.map(|entry| entry.since_ns.load(Ordering::Relaxed))
            .min()
    }

    /// For which processes things have waited since before this time, each of them once for every such thing.
    pub fn waiting_for(&self, before_ns: i64) -> impl Iterator<Item = Term> {
        let entries = self.0.iter().flatten();
        entries.filter_map(move |entry| {
            let is_used = entry.key.load(Ordering::Acquire) > IN_HANDS;
            let is_older = entry.since_ns.load(Ordering::Relaxed) < before_ns;
            // SAFETY: these are the bits of an immediate term.
            let pid = unsafe { Term::from_bits(entry.pid.load(Ordering::Relaxed)) };
            (is_used && is_older).then_some(pid)
        })
    }

    /// Forgets everything that waits for a process for which this is true: what a process had when it ended, nobody
    /// takes out.
    pub fn forget(&self, is_gone: impl Fn(Term) -> bool) {
        for entry in self.0.iter().flatten() {
            let key = entry.key.load(Ordering::Acquire);
            // SAFETY: these are the bits of an immediate term.
            let pid = unsafe { Term::from_bits(entry.pid.load(Ordering::Relaxed)) };
            if key > IN_HANDS && is_gone(pid) {
                // If it was taken out or overwritten meanwhile, there is nothing to forget.
                let _ = entry
                    .key
                    .compare_exchange(key, FREE, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PID: Term = Term::NIL;

    #[test]
    fn what_is_noted_is_taken_once() {
        let waits = Waits::<4>::new();
        waits.note(64, PID, 10);
        waits.note(128, PID, 20);
        assert_eq!(waits.oldest_ns(), Some(10));
        assert_eq!(waits.take(64), Some(10));
        assert_eq!(waits.take(64), None);
        assert_eq!(waits.oldest_ns(), Some(20));
        assert_eq!(waits.waiting_for(20).count(), 0);
        assert_eq!(waits.waiting_for(21).collect::<Vec<_>>(), [PID]);
        waits.note(128, PID, 30);
        assert_eq!(waits.take(128), Some(30), "noted anew");
        assert_eq!(waits.oldest_ns(), None);
    }

    #[test]
    fn a_full_place_keeps_the_first_and_the_last() {
        let waits = Waits::<1>::new();
        for key in 2..100 {
            waits.note(key, PID, key as i64);
        }
        assert_eq!(waits.oldest_ns(), Some(2));
        assert_eq!((waits.take(99), waits.take(50)), (Some(99), None));
        waits.forget(|_| false);
        assert_eq!(waits.oldest_ns(), Some(2));
        waits.forget(|pid| pid == PID);
        assert_eq!(waits.oldest_ns(), None);
    }
}
