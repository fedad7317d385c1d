//! The process table: from the index in a pid to the process.
//!
//! An array of slots, reserved for the limit and touched lazily:
//!
//! ```text
//! 0          free
//! 1          reserved: somebody has the pid, and there is no process yet (or never)
//! otherwise  the process's address
//! ```
//!
//! Pids are handed out in order. One cursor goes over the indexes in rounds, and whoever moves it owns the index that it was
//! at, if that is free; the serial of a pid is the number of its round. So a pid is never handed out twice, and of two
//! processes the one that was made later has the greater pid, whoever made them: programs sort by that. A
//! round ends at the *extent*, which grows with the number of processes, so that at most every second slot that the cursor meets is
//! in use.
//!
//! A reader stays within one slice, and a process's memory is not reused before every scheduler has begun another
//! (`epoch`), so a found process can be signalled without a count.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use layout::Term;
use parking_lot::Mutex;
use sys::memory::Reservation;

use super::Process;

const FREE: u64 = 0;
const RESERVED: u64 = 1;

/// The first rounds are so long, which makes pids look as on stock: it shows 15 bits of the number first.
const FIRST_EXTENT: usize = 1 << 15;

/// Slots on one cache line, and lines that indexes in a row are spread over: processes that are made at the same time
/// by two threads have their slots on two lines.
const SPREAD_BITS: u32 = 3;

struct Table {
    slots: Reservation,
    limit: usize,
    /// Where rounds end.
    extent: AtomicU32,
    /// Held while a round is begun or made longer.
    turning: Mutex<()>,
    /// What every thread has counted.
    counts: Mutex<Vec<&'static Count>>,
    cursor: Cursor,
}

/// Round and next index, 32 bits each. Every spawn changes it, so it keeps away from what every look-up reads.
#[repr(align(128))]
struct Cursor(AtomicU64);

/// Processes that a thread made, less those that it took out.
#[repr(align(128))]
struct Count(AtomicI64);

static TABLE: OnceLock<Table> = OnceLock::new();

thread_local! {
    static COUNT: &'static Count = {
        let count: &'static Count = Box::leak(Box::new(Count(AtomicI64::new(0))));
        table().counts.lock().push(count);
        count
    };
}

/// Makes the table for `limit` processes, a power of two; once, at the start.
///
/// # Errors
/// When the address space cannot be reserved.
pub fn create(limit: usize) -> sys::errno::Result<()> {
    let table = Table::new(limit)?;
    assert!(TABLE.set(table).is_ok(), "the process table is made once");
    Ok(())
}

fn table() -> &'static Table {
    TABLE
        .get()
        .expect("the process table is made before the first process")
}

/// Adds to what this thread has counted.
fn count_one(difference: i64) {
    COUNT.with(|count| {
        // Nobody else writes it.
        let before = count.0.load(Ordering::Relaxed);
        count.0.store(before + difference, Ordering::Relaxed);
    });
}

impl Table {
    fn new(limit: usize) -> sys::errno::Result<Table> {
        assert!(
            limit.is_power_of_two() && limit >= 1 << (2 * SPREAD_BITS),
            "a process table of {limit}"
        );
        let slots = Reservation::new(limit * size_of::<AtomicU64>(), 4096)?;
        slots.commit(0..limit * size_of::<AtomicU64>())?;
        Ok(Table {
            slots,
            limit,
            extent: AtomicU32::new(FIRST_EXTENT.min(limit) as u32),
            turning: Mutex::new(()),
            counts: Mutex::new(Vec::new()),
            cursor: Cursor(AtomicU64::new(0)),
        })
    }

    fn slot(&self, index: u32) -> Option<&AtomicU64> {
        if index as usize >= self.limit {
            return None;
        }
        const LOW: u32 = (1 << SPREAD_BITS) - 1;
        let (line, place) = (index & LOW, index >> SPREAD_BITS & LOW);
        let at = index & !(LOW << SPREAD_BITS | LOW) | line << SPREAD_BITS | place;
        // SAFETY: below the limit, of which the lowest bits that were exchanged are no part; the whole reservation is
        // readable, writable and starts zeroed.
        Some(unsafe {
            &*self
                .slots
                .base()
                .as_ptr()
                .cast::<AtomicU64>()
                .add(at as usize)
        })
    }

    fn is_free(&self, index: u32) -> bool {
        self.slot(index)
            .is_some_and(|slot| slot.load(Ordering::Relaxed) == FREE)
    }

    /// Reserves the next free index and tells the round; None when all are in use. `in_use` counts them.
    fn reserve(&self, in_use: impl Fn() -> usize) -> Option<(u32, u32)> {
        loop {
            let ticket = self.cursor.0.fetch_add(1, Ordering::Relaxed);
            let (round, index) = ((ticket >> 32) as u32, ticket as u32);
            let extent = self.extent.load(Ordering::Relaxed);
            if index >= extent {
                if !self.turn(&in_use) {
                    return None;
                }
                continue;
            }
            let slot = self.slot(index)?;
            if slot.load(Ordering::Relaxed) == FREE
                && slot
                    .compare_exchange(FREE, RESERVED, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
            {
                return Some((index, round));
            }
            // Over what is in use the cursor goes in one step.
            let next = (index + 1..extent)
                .find(|index| self.is_free(*index))
                .unwrap_or(extent);
            self.cursor.0.fetch_max(
                ticket - u64::from(index) + u64::from(next),
                Ordering::Relaxed,
            );
        }
    }

    /// At the end of a round: makes it longer or begins the next. False when there is no free index.
    #[cold]
    fn turn(&self, in_use: impl Fn() -> usize) -> bool {
        let _turning = self.turning.lock();
        let now = self.cursor.0.load(Ordering::Relaxed);
        let extent = self.extent.load(Ordering::Relaxed);
        if (now as u32) < extent {
            return true;
        }
        let in_use = in_use();
        if in_use >= self.limit {
            return false;
        }
        if in_use > extent as usize / 2 && (extent as usize) < self.limit {
            // The cursor may be a little further by now: what it has passed is for the next round.
            self.extent.store(extent * 2, Ordering::Relaxed);
        } else {
            let next = ((now >> 32) + 1) << 32;
            self.cursor.0.fetch_max(next, Ordering::Relaxed);
        }
        true
    }

    /// Indexes from here on were never used.
    fn end(&self) -> u32 {
        let extent = self.extent.load(Ordering::Relaxed);
        match self.cursor.0.load(Ordering::Relaxed) {
            first_round if first_round >> 32 == 0 => extent.min(first_round as u32),
            _ => extent,
        }
    }
}

fn slot(index: u32) -> Option<&'static AtomicU64> {
    table().slot(index)
}

/// The most processes there may be (`erlang:system_info(process_limit)`).
#[must_use]
pub fn limit() -> usize {
    table().limit
}

/// Processes there are.
#[must_use]
pub fn count() -> usize {
    let counts = table().counts.lock();
    let sum: i64 = counts
        .iter()
        .map(|count| count.0.load(Ordering::Relaxed))
        .sum();
    usize::try_from(sum).unwrap_or(0)
}

/// A pid for a new process, its slot without one yet; None at the limit.
#[must_use]
pub fn reserve() -> Option<Term> {
    let (index, round) = table().reserve(count)?;
    count_one(1);
    Some(Term::local_pid(index, round))
}

/// Makes the process findable.
pub fn publish(process: *mut Process, pid: Term) {
    slot(pid.identifier_index())
        .expect("a reserved slot")
        .store(process as u64, Ordering::Release);
}

/// Takes the process out; its slot is for another round.
pub fn remove(pid: Term) {
    slot(pid.identifier_index())
        .expect("a used slot")
        .store(FREE, Ordering::Release);
    count_one(-1);
}

/// Gives back a pid that was reserved and never published.
pub fn unreserve(pid: Term) {
    remove(pid);
}

/// As [`find`], null also before there is a table.
#[must_use]
pub fn find_if_made(pid: Term) -> *mut Process {
    if TABLE.get().is_none() {
        return std::ptr::null_mut();
    }
    find(pid)
}

/// As [`list`], empty also before there is a table.
#[must_use]
pub fn list_if_made(from: u32, most: usize) -> (Vec<Term>, Option<u32>) {
    if TABLE.get().is_none() {
        return (Vec::new(), None);
    }
    list(from, most)
}

/// The process with this pid; null when there is none (any more). Valid until the caller's thread
/// next reaches a quiescent point (`epoch`).
#[inline]
#[must_use]
pub fn find(pid: Term) -> *mut Process {
    if !pid.is_local_pid() {
        return std::ptr::null_mut();
    }
    let Some(slot) = slot(pid.identifier_index()) else {
        return std::ptr::null_mut();
    };
    let word = slot.load(Ordering::Acquire);
    if word <= RESERVED {
        return std::ptr::null_mut();
    }
    let process = word as *mut Process;
    // SAFETY: a published process stays allocated through the reader's slice; `id` never changes.
    if unsafe { (*process).id } == pid {
        process
    } else {
        std::ptr::null_mut()
    }
}

/// The pids of all processes from slot `from` on, at most `most`, and the slot to go on at (None at the end).
#[must_use]
pub fn list(from: u32, most: usize) -> (Vec<Term>, Option<u32>) {
    let end = table().end();
    let mut pids = Vec::new();
    for index in from..end {
        if pids.len() >= most {
            return (pids, Some(index));
        }
        let word = slot(index).map_or(0, |slot| slot.load(Ordering::Acquire));
        if word > RESERVED {
            // SAFETY: as `find`.
            pids.push(unsafe { (*(word as *mut Process)).id });
        }
    }
    (pids, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(table: &Table, index: u32) {
        table.slot(index).unwrap().store(FREE, Ordering::Release);
    }

    #[test]
    fn every_index_has_a_slot_of_its_own() {
        let table = Table::new(1 << 10).unwrap();
        let mut places: Vec<usize> = (0..1 << 10)
            .map(|index| std::ptr::from_ref(table.slot(index).unwrap()).addr())
            .collect();
        // Neighbours are on two lines, but where one group of lines ends and the next begins.
        let near = |two: &&[usize]| two[0].abs_diff(two[1]) < 64;
        assert_eq!(
            places.windows(2).filter(near).count(),
            (1 << 10 >> (2 * SPREAD_BITS)) - 1
        );
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 1 << 10);
        assert!(table.slot(1 << 10).is_none());
    }

    #[test]
    fn pids_ascend_and_the_limit_holds() {
        let table = Table::new(1 << 10).unwrap();
        let mut used = std::collections::VecDeque::new();
        let mut last = None;
        let mut next = |in_use: usize| {
            let (index, round) = table.reserve(|| in_use)?;
            assert!(
                Some((round, index)) > last,
                "{round} {index} after {last:?}"
            );
            last = Some((round, index));
            Some(index)
        };
        for lives in [1, 10, 600, 1000, 1023, 1024] {
            for _ in 0..5000 {
                while used.len() >= lives {
                    release(&table, used.pop_front().unwrap());
                }
                used.push_back(next(used.len()).unwrap());
            }
        }
        for _ in 0..100 {
            assert_eq!(next(1 << 10), None);
        }
        release(&table, used[500]);
        assert_eq!(next(1023), Some(used[500]));
    }

    #[test]
    fn the_table_grows_into_what_is_reserved() {
        let table = Table::new(1 << 17).unwrap();
        // An index that is passed where the table grows is for the next round.
        let mut last = None;
        for in_use in 0..1 << 17 {
            let got = table
                .reserve(|| in_use)
                .map(|(index, round)| (round, index));
            assert!(got > last && got < Some((2, 0)), "{got:?} after {last:?}");
            last = got;
        }
        assert_eq!(table.end(), 1 << 17);
        assert_eq!(table.reserve(|| 1 << 17), None);
    }

    #[test]
    fn threads_never_get_the_same() {
        let table = Table::new(1 << 9).unwrap();
        let all = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut got = Vec::new();
                    for _ in 0..20_000 {
                        let (index, round) = table.reserve(|| 0).expect("a few are in use");
                        got.push((round, index));
                        release(&table, index);
                    }
                    assert!(got.is_sorted());
                    all.lock().extend(got);
                });
            }
        });
        let mut all = all.into_inner();
        all.sort_unstable();
        let before = all.len();
        all.dedup();
        assert_eq!(all.len(), before);
    }
}
