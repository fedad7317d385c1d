//! The bytes that all sockets have moved, for the window; those of closed ones too. Any thread may call.
//!
//! They are what the system has taken or given. The counters of one socket are as on stock, which leaves out the
//! parts of what it could not send at once.

use std::sync::atomic::{AtomicU64, Ordering};

use window::sockets::Totals;

use super::socket::COUNTS;

static INPUT: AtomicU64 = AtomicU64::new(0);
static OUTPUT: AtomicU64 = AtomicU64::new(0);

/// So many bytes have been read from a socket.
pub(super) fn read(bytes: usize) {
    INPUT.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// So many bytes have been written to a socket.
pub(super) fn wrote(bytes: usize) {
    OUTPUT.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// The sockets that are open, and what all of them have moved.
pub(super) fn totals() -> Totals {
    let [open, ..] = &COUNTS;
    Totals {
        open: open.load(Ordering::Relaxed),
        input_bytes: INPUT.load(Ordering::Relaxed),
        output_bytes: OUTPUT.load(Ordering::Relaxed),
    }
}
