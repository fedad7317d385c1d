//! Requests that are answered later, and the port's timer, which ends those that have waited for too long.
//!
//! All of this is called with the port's lock held.

use layout::Term;

use super::protocol;
use runtime::effects::port::access::Access;

/// A request that is answered later, with `{inet_async, Socket, Reference, _}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub reference: u16,
    pub caller: Term,
    /// When it times out, by the monotonic clock.
    pub deadline_ns: Option<i64>,
}

impl Pending {
    /// `timeout_ms` is the timeout as requests carry it.
    pub(super) fn new(reference: u16, caller: Term, timeout_ms: u32) -> Pending {
        let deadline_ns = (timeout_ms != protocol::INFINITY).then(|| deadline(timeout_ms));
        Pending {
            reference,
            caller,
            deadline_ns,
        }
    }

    pub(super) fn is_due(&self, now_ns: i64) -> bool {
        self.deadline_ns.is_some_and(|deadline| deadline <= now_ns)
    }
}

/// The monotonic time in `after_ms` milliseconds.
pub(super) fn deadline(after_ms: u32) -> i64 {
    sys::clock::monotonic_ns().saturating_add(i64::from(after_ms) * 1_000_000)
}

/// Sets the port's timer for `earliest`, a monotonic time, unless it is set for that already.
pub(super) fn set_timer(port: &mut Access<'_>, set_for: &mut Option<i64>, earliest: Option<i64>) {
    if *set_for == earliest {
        return;
    }
    *set_for = earliest;
    match earliest {
        None => port.cancel_timer(),
        Some(deadline_ns) => {
            let left_ns = deadline_ns.saturating_sub(sys::clock::monotonic_ns());
            port.set_timer((left_ns.max(0) as u64).div_ceil(1_000_000));
        }
    }
}
