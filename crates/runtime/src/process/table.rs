//! The process table: maps the index in a pid to the process.
//!
//! An array of slots, whose address space is reserved for the limit and whose pages are touched when first used:
//!
//! ```text
//! 0          free
//! 1          reserved: the pid is taken, but its process is not published yet (or never will be)
//! otherwise  the process's address
//! ```
//!
//! Pids are handed out in order. One cursor passes over the indexes in rounds; whoever advances it gets the index that
//! it was at, if that is free. The serial of a pid is the number of its round. So no pid is handed out twice (within
//! 2^32 rounds), and of
//! two processes the one created later has the greater pid, whichever threads created them: programs rely on that
//! order. A round ends at the *extent*, which grows with the number of processes, so that at most every second slot
//! that the cursor meets is in use.
//!
//! A pid is handed out twice only if a test moves the cursor back, or after 2^32 rounds. Either begins another *era*;
//! whoever keeps a pid for long and must not mistake a later process for its owner keeps its [`Identity`]. Only
//! processes of later eras than the first are listed with theirs.
//!
//! What a reader finds here it keeps for as long as it is pinned, and the memory of a process is not reused before
//! every thread has been quiescent (`epoch`), so a [`Peer`] can be signalled without a reference count.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use layout::Term;
use parking_lot::Mutex;
use sys::memory::Reservation;
use term::reference;

use super::epoch::{self, Pinned};
use super::peer::Peer;
use super::{Process, block};

const FREE: u64 = 0;
const RESERVED: u64 = 1;

/// Length of the first rounds. It makes pids look as on stock, which shows the low 15 bits of the number first.
/// Under Miri a test has to pass it in seconds.
const FIRST_EXTENT: usize = if cfg!(miri) { 1 << 10 } else { 1 << 15 };

/// Base-2 logarithm of the slots on one cache line, and of the lines over which consecutive indexes are spread. So two
/// threads that create processes at the same time write to different cache lines.
const SPREAD_BITS: u32 = 3;

struct Table {
    slots: Reservation,
    limit: usize,
    /// The index at which rounds end.
    extent: AtomicU32,
    /// How often the cursor was moved back.
    era: AtomicU64,
    /// The processes of other eras than 0.
    eras: Mutex<HashMap<Term, u64>>,
    /// Held while a round is begun or extended.
    turning: Mutex<()>,
    /// The counters of all threads.
    counts: Mutex<Vec<&'static Count>>,
    cursor: Cursor,
}

/// Round and next index, 32 bits each. Every spawn changes it, so it is not on a cache line that look-ups read.
#[repr(align(128))]
struct Cursor(AtomicU64);

/// What one thread has counted.
#[repr(align(128))]
struct Count {
    /// The number of processes that it reserved minus the number that it removed.
    difference: AtomicI64,
    /// The number that it reserved.
    made: AtomicU64,
}

static TABLE: OnceLock<Table> = OnceLock::new();

thread_local! {
    static COUNT: &'static Count = {
        let count: &'static Count = Box::leak(Box::new(Count {
            difference: AtomicI64::new(0),
            made: AtomicU64::new(0),
        }));
        table().counts.lock().push(count);
        count
    };
}

/// Creates the table for `limit` processes, a power of two; called once, at the start.
///
/// # Errors
/// If the address space cannot be reserved.
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

/// Counts a process that this thread reserves (1) or removes (-1).
#[inline(always)]
fn count_one(difference: i64) {
    COUNT.with(|count| {
        // No other thread writes these counters.
        let before = count.difference.load(Ordering::Relaxed);
        count
            .difference
            .store(before + difference, Ordering::Relaxed);
        if difference > 0 {
            let before = count.made.load(Ordering::Relaxed);
            count.made.store(before + 1, Ordering::Relaxed);
        }
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
            era: AtomicU64::new(0),
            eras: Mutex::default(),
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
        // SAFETY: `at` is below the limit, because only index bits below that power of two were exchanged; the whole
        // reservation is readable and writable, and was zeroed at first.
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

    /// Reserves the next free index and returns it with its round; `None` if all are in use. `in_use` counts those in
    /// use.
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
            // Advance the cursor past all slots in use in one step.
            let next = (index + 1..extent)
                .find(|index| self.is_free(*index))
                .unwrap_or(extent);
            self.cursor.0.fetch_max(
                ticket - u64::from(index) + u64::from(next),
                Ordering::Relaxed,
            );
        }
    }

    /// Called at the end of a round: extends it or begins the next. Returns false if there is no free index.
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
            // The cursor may have moved beyond the old extent already: indexes that it has passed are left for the next
            // round.
            self.extent.store(extent * 2, Ordering::Relaxed);
        } else {
            let next = ((now >> 32) + 1) << 32;
            match next {
                // After 2^32 rounds pids are handed out anew.
                0 => self.move_cursor(0),
                _ => _ = self.cursor.0.fetch_max(next, Ordering::Relaxed),
            }
        }
        true
    }

    /// Moves the cursor to where it may have been before. A process that is created meanwhile belongs to either era.
    fn move_cursor(&self, ticket: u64) {
        self.era.fetch_add(1, Ordering::Relaxed);
        self.cursor.0.store(ticket, Ordering::Relaxed);
    }

    /// A process with this pid is created, or (`false`) ends.
    #[cold]
    fn note_era(&self, pid: Term, begins: bool) {
        let mut eras = self.eras.lock();
        if begins {
            eras.insert(pid, self.era.load(Ordering::Relaxed));
        } else {
            eras.remove(&pid);
        }
    }

    /// The first index from which on none was ever used.
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

/// The maximum number of processes (`erlang:system_info(process_limit)`).
#[must_use]
pub fn limit() -> usize {
    table().limit
}

/// The current number of processes.
#[must_use]
pub fn count() -> usize {
    let counts = table().counts.lock();
    let sum: i64 = counts
        .iter()
        .map(|count| count.difference.load(Ordering::Relaxed))
        .sum();
    usize::try_from(sum).unwrap_or(0)
}

/// How many pids have been handed out so far: the number of processes that were ever spawned, and of the few that could
/// not be.
#[must_use]
pub fn made() -> u64 {
    let counts = table().counts.lock();
    let made = counts
        .iter()
        .map(|count| count.made.load(Ordering::Relaxed));
    made.sum()
}

/// Reserves a pid for a new process; `None` if the limit is reached.
#[must_use]
pub fn reserve() -> Option<Term> {
    let table = table();
    let (index, round) = table.reserve(count)?;
    count_one(1);
    let pid = Term::local_pid(index, round);
    if table.era.load(Ordering::Relaxed) != 0 {
        table.note_era(pid, true);
    }
    Some(pid)
}

/// Where the search for the next free pid begins: the round in the high half, the index in the low one. For tests.
#[must_use]
pub fn cursor() -> u64 {
    table().cursor.0.load(Ordering::Relaxed)
}

/// Sets what [`cursor`] returns. Pids that were handed out since are handed out again when they are free.
pub fn set_cursor(ticket: u64) {
    table().move_cursor(ticket);
}

/// What tells a process from all others, also from those that had its pid before or will have it: in one era no pid is
/// handed out twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pub pid: Term,
    era: u64,
}

impl Identity {
    /// The identity of the process that has this pid now.
    #[must_use]
    pub fn of(pid: Term) -> Option<Identity> {
        if !exists(pid) {
            return None;
        }
        let table = table();
        let era = match table.era.load(Ordering::Relaxed) {
            0 => 0,
            _ => table.eras.lock().get(&pid).copied().unwrap_or(0),
        };
        Some(Identity { pid, era })
    }

    /// Whether the process is still there.
    #[must_use]
    pub fn exists(self) -> bool {
        Identity::of(self.pid) == Some(self)
    }
}

/// Publishes a process, so that [`find`] returns it.
///
/// # Safety
/// The process is initialised, has this pid, which was reserved for it, and stays allocated until it was removed and
/// every thread has been quiescent since.
pub(crate) unsafe fn publish(process: NonNull<Process>, pid: Term) {
    let slot = slot(pid.identifier_index()).expect("a reserved slot");
    debug_assert_eq!(slot.load(Ordering::Relaxed), RESERVED);
    slot.store(
        process.as_ptr().expose_provenance() as u64,
        Ordering::Release,
    );
}

/// Removes a process; a later round may reuse its slot.
#[inline]
pub fn remove(pid: Term) {
    let table = table();
    if table.era.load(Ordering::Relaxed) != 0 {
        table.note_era(pid, false);
    }
    table
        .slot(pid.identifier_index())
        .expect("a used slot")
        .store(FREE, Ordering::Release);
    count_one(-1);
}

/// Gives back a pid that was reserved and never published.
pub fn unreserve(pid: Term) {
    remove(pid);
}

/// As [`find`], but finds none before the table is created.
#[must_use]
pub fn find_if_made(pinned: Pinned<'_>, pid: Term) -> Option<Peer<'_>> {
    TABLE.get()?;
    find(pinned, pid)
}

/// As [`list`], but returns an empty list before the table is created.
#[must_use]
pub fn list_if_made(from: u32, most: usize) -> (Vec<Term>, Option<u32>) {
    if TABLE.get().is_none() {
        return (Vec::new(), None);
    }
    list(from, most)
}

/// The process with this pid; `None` if it does not exist (any more), or if the term is no pid of this node.
#[inline]
#[must_use]
pub fn find(pinned: Pinned<'_>, pid: Term) -> Option<Peer<'_>> {
    if !pid.is_local_pid() {
        return None;
    }
    at(pinned, pid.identifier_index()).filter(|process| process.pid() == pid)
}

/// Whether the process with this pid exists. Any thread may ask; the answer may be out of date.
#[inline]
#[must_use]
pub fn exists(pid: Term) -> bool {
    epoch::with_pin(|pinned| find(pinned, pid).is_some())
}

/// The state word of the process with this pid, as it is just now; `None` if there is none. Any thread may ask.
#[inline]
#[must_use]
pub fn state_of(pid: Term) -> Option<u32> {
    epoch::with_pin(|pinned| Some(find(pinned, pid)?.state()))
}

/// The process that takes what is sent through an alias; `None` for other terms, or if there is none. When the alias's
/// process has ended it may be another one, which does not have this alias.
#[inline]
#[must_use]
pub fn owner(pinned: Pinned<'_>, alias: Term) -> Option<Peer<'_>> {
    at(pinned, reference::pid(alias)?.identifier_index())
}

/// The pid of [`owner`].
#[must_use]
pub fn owner_pid(alias: Term) -> Option<Term> {
    epoch::with_pin(|pinned| Some(owner(pinned, alias)?.pid()))
}

/// The process in a slot; `None` if there is none.
#[inline]
fn at(pinned: Pinned<'_>, index: u32) -> Option<Peer<'_>> {
    debug_assert!(
        !epoch::is_idle(),
        "a look-up by a thread that is not pinned"
    );
    match slot(index)?.load(Ordering::Acquire) {
        FREE | RESERVED => None,
        address => {
            let process = NonNull::new(std::ptr::with_exposed_provenance_mut(address as usize))?;
            // SAFETY: the slot has it now, after this thread was pinned.
            Some(unsafe { Peer::new(pinned, process) })
        }
    }
}

/// The pids of at most `most` processes from slot `from` on, and the slot to continue at (`None` at the end).
#[must_use]
pub fn list(from: u32, most: usize) -> (Vec<Term>, Option<u32>) {
    let end = table().end();
    epoch::with_pin(|pinned| {
        let mut pids = Vec::new();
        for index in from..end {
            if pids.len() >= most {
                return (pids, Some(index));
            }
            pids.extend(at(pinned, index).map(Peer::pid));
        }
        (pids, None)
    })
}

/// So many slots ahead a process's block is fetched by [`visit`].
const AHEAD: u32 = 8;

/// Calls `visit` with the processes in at most `slots` slots, from that of this number on; returns the next slot,
/// `None` at the end. There are none before the table is made.
pub fn visit(
    pinned: Pinned<'_>,
    from: u32,
    slots: u32,
    mut visit: impl FnMut(Peer<'_>),
) -> Option<u32> {
    let end = TABLE.get()?.end();
    let until = from.saturating_add(slots).min(end);
    for index in from..until {
        if let Some(slot) = slot(index.saturating_add(AHEAD)) {
            // What is there is only a hint: it may be gone before its turn, or be no process.
            let address = slot.load(Ordering::Relaxed) as usize;
            block::prefetch(std::ptr::without_provenance(address));
        }
        if let Some(peer) = at(pinned, index) {
            visit(peer);
        }
    }
    (until < end).then_some(until)
}

/// Every process that there is when its turn comes; none before the table is made.
pub fn all(pinned: Pinned<'_>) -> impl Iterator<Item = Peer<'_>> {
    let mut from = Some(0);
    let mut pids = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            if let Some(pid) = pids.next() {
                match find_if_made(pinned, pid) {
                    Some(process) => return Some(process),
                    None => continue,
                }
            }
            let (found, next) = list_if_made(from?, 1024);
            pids = found.into_iter();
            from = next;
        }
    })
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
        // Neighbouring indexes are on different lines, except where one group of lines ends and the next begins.
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
            for _ in 0..if cfg!(miri) { 1100 } else { 5000 } {
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
    fn after_the_last_round_comes_the_first() {
        let table = Table::new(1 << 10).unwrap();
        let last = u64::MAX << 32 | ((1 << 10) - 2);
        table.cursor.0.store(last, Ordering::Relaxed);
        let got: Vec<_> = (0..4).map(|_| table.reserve(|| 0).unwrap()).collect();
        let round = u32::MAX;
        assert_eq!(got, [(1022, round), (1023, round), (0, 0), (1, 0)]);
    }

    #[test]
    fn the_table_grows_into_what_is_reserved() {
        let limit = 4 * FIRST_EXTENT;
        let table = Table::new(limit).unwrap();
        // An index that the cursor passes while the table grows is left for the next round.
        let mut last = None;
        for in_use in 0..limit {
            let got = table
                .reserve(|| in_use)
                .map(|(index, round)| (round, index));
            assert!(got > last && got < Some((2, 0)), "{got:?} after {last:?}");
            last = got;
        }
        assert_eq!(table.end() as usize, limit);
        assert_eq!(table.reserve(|| limit), None);
    }

    #[test]
    fn threads_never_get_the_same() {
        let table = Table::new(1 << 9).unwrap();
        let all = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut got = Vec::new();
                    for _ in 0..if cfg!(miri) { 100 } else { 20_000 } {
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
