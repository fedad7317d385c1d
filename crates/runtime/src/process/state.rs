//! The state word of a process: its bits and their transitions.
//!
//! ```text
//! bit 0  QUEUED      in a run queue; the queue's pointer carries the ownership of the process
//! bit 1  RUNNING     a scheduler (or dirty thread) runs it and owns it
//! bit 2  EVENT       something arrived since the owner last looked; whoever sets it on a process
//!                    that is neither queued nor running sets QUEUED too, and must queue it
//! bit 3  SIGNALS     something other than a message arrived: the owner handles signals before going on
//! bit 4  EXITING     its exit has begun (owner)
//! bit 5  REGISTERED  it has a registered name (`registry`, under its lock)
//! bit 6  SYSTEM      it is a system process (never changes)
//! bit 7  DIRTY       in a dirty queue, or run by a dirty scheduler (owner)
//! bits 8-9           priority: 0 max, 1 high, 2 normal, 3 low (owner; read by whoever queues it)
//! bit 10 BORROWED    a thread handles its signals before its turn and owns it, even while a queue holds it
//! bit 11 GONE        it ended while it was borrowed: the queue entry refers only to its memory
//! bit 12 CLOSED      nobody can find it any more (owner); whoever pushed a signal handles it, as the owner may not
//! bit 13 TIMED       others have set timers that send to it (`timer::bif_timers`; never cleared)
//! bit 14 SENSITIVE   its flag `sensitive` (owner; read by whoever tells a tracer of what reaches it)
//! bit 15 FLOODED     its messages take much of the node's memory: senders look at `effects::flood` (memory guard)
//! bits 16-31         the number of the scheduler that it must run on, 0 for any (owner; read by whoever queues it)
//! ```
//!
//! QUEUED and RUNNING exclude each other. A process at rest has neither, nor EVENT, and nobody owns it: whoever sets
//! EVENT then has to queue it. The owner clears EVENT *before* it takes the signals, and goes to rest only while EVENT
//! is clear; a sender pushes its signal *before* it sets EVENT. So either the owner sees the signal, or the process is
//! queued once more. A queued process may be borrowed, and stays QUEUED; a scheduler that takes it from its queue
//! meanwhile makes it RUNNING as usual, sees BORROWED in the previous word, and leaves it to the borrower. All
//! operations are sequentially consistent. `tests/interleavings` runs this file under loom.

use crate::process::sync::{AtomicU32, Ordering, between_steps};

pub const QUEUED: u32 = 1;
pub const RUNNING: u32 = 1 << 1;
pub const EVENT: u32 = 1 << 2;
pub const SIGNALS: u32 = 1 << 3;
pub const EXITING: u32 = 1 << 4;
pub const REGISTERED: u32 = 1 << 5;
pub const SYSTEM: u32 = 1 << 6;
pub const DIRTY: u32 = 1 << 7;
pub const PRIORITY_SHIFT: u32 = 8;
pub const PRIORITY_MASK: u32 = 0b11 << PRIORITY_SHIFT;
pub const BORROWED: u32 = 1 << 10;
pub const GONE: u32 = 1 << 11;
pub const CLOSED: u32 = 1 << 12;
pub const TIMED: u32 = 1 << 13;
pub const SENSITIVE: u32 = 1 << 14;
pub const FLOODED: u32 = 1 << 15;
pub const BOUND_SHIFT: u32 = 16;

/// Sets EVENT, and perhaps SIGNALS, after a signal was pushed. Returns true if the process was at rest: then it is
/// marked as queued, and the caller owns it and must queue it.
#[inline(always)]
#[must_use]
pub fn announce(word: &AtomicU32, bits: u32) -> bool {
    let mut seen = word.load(Ordering::SeqCst);
    // If the bits are set, whoever set them has queued the process, or its owner will look again.
    while seen & bits != bits {
        between_steps();
        let rests = seen & (QUEUED | RUNNING) == 0;
        debug_assert!(
            !rests || seen & (EVENT | EXITING | BORROWED | GONE | CLOSED) == 0,
            "a process of state {seen:#b} is at rest"
        );
        let announced = seen | bits | if rests { QUEUED } else { 0 };
        match word.compare_exchange_weak(seen, announced, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return rests,
            Err(now) => seen = now,
        }
    }
    false
}

/// Whether the process is in a run queue, or about to be put into one.
#[inline(always)]
#[must_use]
pub fn is_queued(word: &AtomicU32) -> bool {
    word.load(Ordering::SeqCst) & (QUEUED | RUNNING) == QUEUED
}

/// Marks a process taken from a queue as running; returns the previous word.
#[inline(always)]
pub fn begin(word: &AtomicU32) -> u32 {
    // QUEUED is set and RUNNING is not: one addition turns the first into the second.
    let before = word.fetch_add(RUNNING - QUEUED, Ordering::SeqCst);
    debug_assert_eq!(
        before & (QUEUED | RUNNING),
        QUEUED,
        "a state of {before:#b} begins to run"
    );
    before
}

/// Borrows a queued process to handle its signals before its turn; false if another thread owns it, or will own it
/// soon.
#[must_use]
pub fn borrow(word: &AtomicU32) -> bool {
    let mut seen = word.load(Ordering::SeqCst);
    while seen & (QUEUED | RUNNING | DIRTY | BORROWED | GONE) == QUEUED {
        let borrowed = seen | BORROWED;
        match word.compare_exchange_weak(seen, borrowed, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return true,
            Err(now) => seen = now,
        }
    }
    false
}

/// Gives back a borrowed process, which may be `gone` (it has ended). Returns the word before. If it has QUEUED, its
/// queue still holds the process; if not, another thread took it from the queue and left it, so the borrower has to
/// queue it again, or retire it if `gone`. SIGNALS came too late for the borrower, and their sender perhaps found the
/// process borrowed.
#[must_use]
pub fn give_back(word: &AtomicU32, gone: bool) -> u32 {
    let mut seen = word.load(Ordering::SeqCst);
    debug_assert!(
        seen & BORROWED != 0,
        "a process of state {seen:#b} is given back"
    );
    loop {
        let held = seen & QUEUED != 0;
        let mark = if gone && held { GONE } else { 0 };
        let returned = seen & !BORROWED | mark;
        between_steps();
        match word.compare_exchange_weak(seen, returned, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(before) => return before,
            Err(now) => seen = now,
        }
    }
}

/// Marks a running process as queued, before it goes back into a queue. Returns the word before.
#[inline(always)]
pub fn give_up(word: &AtomicU32) -> u32 {
    let before = word.fetch_sub(RUNNING - QUEUED, Ordering::SeqCst);
    debug_assert_eq!(
        before & (QUEUED | RUNNING),
        RUNNING,
        "a process of state {before:#b} is given up"
    );
    before
}

/// Clears EVENT and SIGNALS, before the owner takes the signals: those pushed after this are announced again. Returns
/// whether SIGNALS was set.
#[inline(always)]
pub fn look(word: &AtomicU32) -> bool {
    // A plain load is much cheaper. If it sees neither bit, a signal that was pushed meanwhile is announced later.
    let mut seen = word.load(Ordering::SeqCst);
    if seen & (EVENT | SIGNALS) != 0 {
        seen = word.fetch_and(!(EVENT | SIGNALS), Ordering::SeqCst);
    }
    between_steps();
    seen & SIGNALS != 0
}

/// Has the owner, who has taken signals and not handled all of them, look again before the process can rest.
pub fn look_again(word: &AtomicU32) {
    word.fetch_or(EVENT | SIGNALS, Ordering::SeqCst);
}

/// Puts a running process to rest; returns false, and does nothing, if a signal has arrived for it.
#[inline(always)]
#[must_use]
pub fn rest(word: &AtomicU32) -> bool {
    let mut seen = word.load(Ordering::SeqCst);
    while seen & EVENT == 0 {
        debug_assert_eq!(
            seen & (QUEUED | RUNNING | EXITING | BORROWED | DIRTY),
            RUNNING,
            "a process of state {seen:#b} goes to rest"
        );
        let rested = seen & !RUNNING;
        between_steps();
        match word.compare_exchange_weak(seen, rested, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return true,
            Err(now) => seen = now,
        }
    }
    false
}

/// Makes a process at rest a running one, for a thread that does not run its code but works on its memory; false if it
/// is not at rest. The caller puts it to [`rest`] again, or queues it.
#[must_use]
pub fn take_resting(word: &AtomicU32) -> bool {
    const BUSY: u32 = QUEUED | RUNNING | EVENT | EXITING | DIRTY | BORROWED | GONE | CLOSED;
    let mut seen = word.load(Ordering::SeqCst);
    while seen & BUSY == 0 {
        let taken = seen | RUNNING;
        match word.compare_exchange_weak(seen, taken, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return true,
            Err(now) => seen = now,
        }
    }
    false
}

/// Marks the process as exiting, and at once as closed if it `holds_nothing` and is neither registered nor timed;
/// returns the new word.
#[inline(always)]
#[must_use]
pub fn exit(word: &AtomicU32, holds_nothing: bool) -> u32 {
    let mut seen = word.load(Ordering::SeqCst);
    // One in dirty hands may end while a dirty call is still to be made for it.
    debug_assert!(
        seen & (RUNNING | BORROWED | DIRTY) != 0 && seen & (EXITING | CLOSED) == 0,
        "the exit of a process of state {seen:#b} begins"
    );
    loop {
        let closes = holds_nothing && seen & (REGISTERED | TIMED) == 0;
        let exiting = seen | EXITING | if closes { CLOSED } else { 0 };
        between_steps();
        match word.compare_exchange_weak(seen, exiting, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return exiting,
            Err(now) => seen = now,
        }
    }
}

/// Marks the process as timed, after a timer that sends to it was listed; returns false if its exit has begun, and may
/// have looked for timers before.
#[must_use]
pub fn set_timed(word: &AtomicU32) -> bool {
    let mut seen = word.load(Ordering::SeqCst);
    if seen & TIMED == 0 {
        seen = word.fetch_or(TIMED, Ordering::SeqCst);
    }
    seen & EXITING == 0
}

/// Marks an exiting process as closed, once it has given up its name and all else by which others know it. The owner
/// takes the signals pushed until now afterwards.
#[inline(always)]
pub fn close(word: &AtomicU32) {
    let before = word.fetch_or(CLOSED, Ordering::SeqCst);
    debug_assert_eq!(
        before & (EXITING | CLOSED),
        EXITING,
        "a process of state {before:#b} is closed"
    );
}

/// Whether the process is closed. A sender that sees this after its push must handle its signal itself, because the
/// owner may have taken the queue for the last time. (If the sender does not see it, the owner will see the push,
/// because it sets CLOSED before it takes the queue.)
#[inline(always)]
#[must_use]
pub fn is_closed(word: &AtomicU32) -> bool {
    word.load(Ordering::SeqCst) & CLOSED != 0
}

/// Whether a thread may be changing the heap and queues of a process with this state word: one that runs it or has
/// borrowed it, or a dirty scheduler, which may take a DIRTY process at any time.
#[must_use]
pub fn is_in_hands(word: u32) -> bool {
    word & (RUNNING | DIRTY | BORROWED) != 0
}

/// Whether the process is in a dirty queue or run by a dirty scheduler.
#[inline(always)]
#[must_use]
pub fn is_dirty(word: &AtomicU32) -> bool {
    word.load(Ordering::SeqCst) & DIRTY != 0
}
