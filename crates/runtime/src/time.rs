//! Time as programs see it, and the timers that they start.
//!
//! Monotonic time counts nanoseconds from the node's start, and begins at a negative value as in OTP.
//! System time is monotonic time plus the time offset, which stays fixed because time warp is not supported. Timers set
//! by BIFs are found by their reference's number.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};

use layout::Term;
use parking_lot::Mutex;
use term::copy::Owned;

use crate::process::table;
use crate::timer::{self, TimerKey};

/// Monotonic time at the node's start, in nanoseconds: so low that a program that expects a small positive number fails
/// at once.
const MONOTONIC_START_NS: i64 = -576_460_752_303_423_488;

static STARTED_NS: AtomicI64 = AtomicI64::new(0);
static OFFSET_NS: AtomicI64 = AtomicI64::new(0);

/// Records the time of the node's start; called once, before any other function here.
pub fn start() {
    let now = sys::clock::monotonic_ns();
    STARTED_NS.store(now, Ordering::Relaxed);
    OFFSET_NS.store(
        sys::clock::system_ns() - MONOTONIC_START_NS,
        Ordering::Relaxed,
    );
}

/// `erlang:monotonic_time()`, in nanoseconds.
#[must_use]
pub fn monotonic_ns() -> i64 {
    from_clock_ns(sys::clock::monotonic_ns())
}

/// Erlang monotonic time for a reading of the system's monotonic clock.
#[must_use]
pub fn from_clock_ns(clock_ns: i64) -> i64 {
    clock_ns - STARTED_NS.load(Ordering::Relaxed) + MONOTONIC_START_NS
}

/// The reading of the system's monotonic clock for Erlang monotonic time.
#[must_use]
pub fn to_clock_ns(monotonic_ns: i64) -> i64 {
    monotonic_ns
        .saturating_sub(MONOTONIC_START_NS)
        .saturating_add(STARTED_NS.load(Ordering::Relaxed))
}

/// `erlang:time_offset()`, in nanoseconds.
#[must_use]
pub fn offset_ns() -> i64 {
    OFFSET_NS.load(Ordering::Relaxed)
}

/// Erlang monotonic time at the node's start (`system_info(start_time)`).
#[must_use]
pub fn start_ns() -> i64 {
    MONOTONIC_START_NS
}

/// Nanoseconds since the node's start.
#[must_use]
pub fn uptime_ns() -> i64 {
    sys::clock::monotonic_ns() - STARTED_NS.load(Ordering::Relaxed)
}

/// `erlang:system_time()`, in nanoseconds.
#[must_use]
pub fn system_ns() -> i64 {
    monotonic_ns() + offset_ns()
}

/// The latest time for which a timer may be set (`system_info(end_time)`), in milliseconds of Erlang
/// monotonic time.
pub const END_MS: i64 = 8_646_911_283_000;

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
pub fn start_timer(reference: u64, deadline_monotonic_ns: i64, to: Term, message: Owned) {
    let deadline_ns = to_clock_ns(deadline_monotonic_ns);
    // Locked before the timer is set, because it may expire on another thread at once.
    let mut timers = shard(reference).lock();
    let target = timer::TimerTarget::Message {
        to,
        send: message,
        reference,
    };
    let key = timer::set(deadline_ns, target);
    let running = Running {
        key,
        deadline_ns,
        to,
    };
    timers.insert(reference, running);
}

/// Removes a timer that has expired.
pub fn forget_timer(reference: u64) {
    shard(reference).lock().remove(&reference);
}

/// Cancels a timer; returns the milliseconds it had left, or `None` if no timer of that number runs.
pub fn cancel_timer(reference: u64) -> Option<i64> {
    let running = shard(reference).lock().remove(&reference)?;
    timer::cancel(running.key)?;
    left_ms(&running)
}

/// The milliseconds that a timer has left, or `None` if no timer of that number runs.
#[must_use]
pub fn read_timer(reference: u64) -> Option<i64> {
    let running = shard(reference).lock().get(&reference).copied()?;
    left_ms(&running)
}

/// Whether a timer of that number runs.
#[must_use]
pub fn has_timer(reference: u64) -> bool {
    shard(reference).lock().contains_key(&reference)
}

fn left_ms(running: &Running) -> Option<i64> {
    if running.to.is_local_pid() && crate::epoch::pinned(|| table::find(running.to).is_null()) {
        return None;
    }
    let left_ns = running.deadline_ns - sys::clock::monotonic_ns();
    Some((left_ns.max(0) + 999_999) / 1_000_000)
}

/// Removes a `time_offset` monitor. Nothing to do: the offset never changes, so the monitors are not recorded.
pub fn unwatch_offset(_watcher: Term, _reference: (u64, u64)) {}
