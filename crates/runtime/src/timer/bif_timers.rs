//! The timers that programs start with `erlang:start_timer` and `erlang:send_after`, found by the number of their
//! reference. Any thread may call.

use std::collections::HashMap;
use std::sync::LazyLock;

use layout::Term;
use parking_lot::Mutex;
use term::copy::Owned;

use super::{TimerKey, TimerTarget};
use crate::process::table;
use crate::time;

/// A running timer of `start_timer` or `send_after`.
#[derive(Clone, Copy)]
struct Running {
    key: TimerKey,
    /// By the system's monotonic clock.
    deadline_ns: i64,
    /// The receiver. If it is a process that has ended, the timer counts as ended too.
    to: Term,
}

/// Number of separately locked tables of running timers.
const SHARDS: usize = 64;

type Shard = Mutex<HashMap<u64, Running>>;

static TIMERS: LazyLock<Vec<Shard>> =
    LazyLock::new(|| (0..SHARDS).map(|_| Mutex::default()).collect());

fn shard(reference: u64) -> &'static Shard {
    &TIMERS[reference as usize % SHARDS]
}

/// Sets a timer that sends `message` to a pid or name at a given Erlang monotonic time, and is
/// found by its reference's number.
pub fn start(reference: u64, deadline_monotonic_ns: i64, to: Term, message: Owned) {
    let deadline_ns = time::to_clock_ns(deadline_monotonic_ns);
    // Locked before the timer is set, because it may expire on another thread at once.
    let mut timers = shard(reference).lock();
    let target = TimerTarget::Message {
        to,
        send: message,
        reference,
    };
    let key = super::set(deadline_ns, target);
    let running = Running {
        key,
        deadline_ns,
        to,
    };
    timers.insert(reference, running);
}

/// Removes a timer that has expired.
pub(super) fn forget(reference: u64) {
    shard(reference).lock().remove(&reference);
}

/// Cancels a timer; returns the milliseconds it had left, or `None` if no timer of that number runs.
pub fn cancel(reference: u64) -> Option<i64> {
    let running = shard(reference).lock().remove(&reference)?;
    super::cancel(running.key)?;
    left_ms(&running)
}

/// The milliseconds that a timer has left, or `None` if no timer of that number runs.
#[must_use]
pub fn read(reference: u64) -> Option<i64> {
    let running = shard(reference).lock().get(&reference).copied()?;
    left_ms(&running)
}

/// Whether a timer of that number runs.
#[must_use]
pub fn exists(reference: u64) -> bool {
    shard(reference).lock().contains_key(&reference)
}

fn left_ms(running: &Running) -> Option<i64> {
    if running.to.is_local_pid() && crate::epoch::pinned(|| table::find(running.to).is_null()) {
        return None;
    }
    let left_ns = running.deadline_ns - sys::clock::monotonic_ns();
    Some((left_ns.max(0) + 999_999) / 1_000_000)
}
