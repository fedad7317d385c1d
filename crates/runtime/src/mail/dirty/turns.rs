//! Turns: what makes work that lasts long share with work that waits behind it.
//!
//! Regular expressions, sorting and compression cannot be left and taken up again on another thread, so their threads
//! stay with them. While anything waits, one thread looks at what is being done about every millisecond: whatever has
//! lasted longer than its turn no longer counts, and something else begins beside it. It sleeps while nothing waits.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sys::park::ParkingSpot;

use super::{POOLS, TURN_NS};

/// Enough for what this thread does.
const STACK_BYTES: usize = 256 << 10;

static SPOT: ParkingSpot = ParkingSpot::new();
/// Whether the thread could be started.
static STARTED: OnceLock<bool> = OnceLock::new();
/// Whether the thread is looking, and will look again.
static WATCHES: AtomicBool = AtomicBool::new(false);

/// Called after work was queued behind other work: it will not wait for that longer than a turn.
pub(super) fn watch() {
    let starts = || sys::thread::spawn("turns", STACK_BYTES, run).is_ok();
    if *STARTED.get_or_init(starts) && !WATCHES.swap(true, Ordering::SeqCst) {
        SPOT.unpark();
    }
}

fn run() {
    loop {
        // Cleared first: what is queued from here on is either seen below, or wakes this thread once more.
        if !WATCHES.swap(false, Ordering::SeqCst) {
            let _ = SPOT.park(None);
            continue;
        }
        std::thread::sleep(Duration::from_nanos(TURN_NS as u64));
        for pool in POOLS {
            if pool.has_turns() && pool.end_turns() {
                WATCHES.store(true, Ordering::SeqCst);
            }
        }
    }
}
