//! The process table: from the index in a pid to the process.
//!
//! An array of slots, reserved for the limit and touched lazily. A slot in use holds the process's
//! address; a free one holds the serial of its next user, shifted left with the low bit set.
//! Threads take free slots in batches. A reader stays within one slice, and a process's memory is
//! not reused before every scheduler has begun another (`epoch`), so a found process can be signalled
//! without a count.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use layout::Term;
use parking_lot::Mutex;
use sys::memory::Reservation;

use super::Process;

/// Slots that a thread takes at a time; fewer when the table is nearly full.
const BATCH: usize = 64;

struct Table {
    slots: Reservation,
    limit: usize,
    /// Slots that were never used start here.
    fresh: AtomicUsize,
    free: Mutex<Vec<u32>>,
    in_use: InUse,
}

/// Processes there are. Every spawn and exit changes it, so it keeps away from what every look-up reads.
#[repr(align(128))]
struct InUse(AtomicUsize);

static TABLE: OnceLock<Table> = OnceLock::new();

thread_local! {
    static LOCAL: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Makes the table for `limit` processes; once, at the start.
///
/// # Errors
/// When the address space cannot be reserved.
pub fn create(limit: usize) -> sys::errno::Result<()> {
    let slots = Reservation::new(limit * size_of::<AtomicU64>(), 4096)?;
    slots.commit(0..limit * size_of::<AtomicU64>())?;
    let fresh = AtomicUsize::new(0);
    let table = Table {
        slots,
        limit,
        fresh,
        free: Mutex::new(Vec::new()),
        in_use: InUse(AtomicUsize::new(0)),
    };
    assert!(TABLE.set(table).is_ok(), "the process table is made once");
    Ok(())
}

fn table() -> &'static Table {
    TABLE
        .get()
        .expect("the process table is made before the first process")
}

fn slot(index: u32) -> Option<&'static AtomicU64> {
    let table = table();
    if index as usize >= table.limit {
        return None;
    }
    // SAFETY: below the limit; the whole reservation is readable, writable and starts zeroed.
    Some(unsafe {
        &*table
            .slots
            .base()
            .as_ptr()
            .cast::<AtomicU64>()
            .add(index as usize)
    })
}

/// The most processes there may be (`erlang:system_info(process_limit)`).
#[must_use]
pub fn limit() -> usize {
    table().limit
}

/// Processes there are.
#[must_use]
pub fn count() -> usize {
    table().in_use.0.load(Ordering::Relaxed)
}

/// A pid for a new process, its slot still empty; None at the limit.
#[must_use]
pub fn reserve() -> Option<Term> {
    let index = LOCAL.with_borrow_mut(|local| {
        if local.is_empty() {
            refill(local);
        }
        local.pop()
    })?;
    table().in_use.0.fetch_add(1, Ordering::Relaxed);
    let word = slot(index)?.load(Ordering::Relaxed);
    Some(Term::local_pid(index, (word >> 1) as u32))
}

fn refill(local: &mut Vec<u32>) {
    let table = table();
    {
        let mut free = table.free.lock();
        let keep = free.len().saturating_sub(BATCH);
        local.extend(free.drain(keep..));
    }
    if !local.is_empty() {
        return;
    }
    let nearly_full =
        table.limit - table.fresh.load(Ordering::Relaxed).min(table.limit) < 4 * BATCH;
    let wanted = if nearly_full { 1 } else { BATCH };
    let first = table.fresh.fetch_add(wanted, Ordering::Relaxed);
    if first >= table.limit {
        table.fresh.store(table.limit, Ordering::Relaxed);
        return;
    }
    let last = (first + wanted).min(table.limit);
    // Popped from the end: the least index first.
    local.extend((first as u32..last as u32).rev());
}

/// Makes the process findable.
pub fn publish(process: *mut Process, pid: Term) {
    slot(pid.identifier_index())
        .expect("a reserved slot")
        .store(process as u64, Ordering::Release);
}

/// Takes the process out; its slot gets the next serial.
pub fn remove(pid: Term) {
    let index = pid.identifier_index();
    let next = u64::from(pid.identifier_serial().wrapping_add(1));
    slot(index)
        .expect("a used slot")
        .store(next << 1 | 1, Ordering::Release);
    release_slot(index);
}

/// Gives back a pid that was reserved and never published.
pub fn unreserve(pid: Term) {
    release_slot(pid.identifier_index());
}

fn release_slot(index: u32) {
    table().in_use.0.fetch_sub(1, Ordering::Relaxed);
    LOCAL.with_borrow_mut(|local| {
        local.push(index);
        if local.len() >= 4 * BATCH {
            table().free.lock().extend(local.drain(..2 * BATCH));
        }
    });
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
    if word == 0 || word & 1 != 0 {
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
    let table = table();
    let end = table.fresh.load(Ordering::Acquire).min(table.limit) as u32;
    let mut pids = Vec::new();
    for index in from..end {
        if pids.len() >= most {
            return (pids, Some(index));
        }
        let word = slot(index).map_or(0, |slot| slot.load(Ordering::Acquire));
        if word != 0 && word & 1 == 0 {
            // SAFETY: as `find`.
            pids.push(unsafe { (*(word as *mut Process)).id });
        }
    }
    (pids, None)
}
