//! Time as programs see it.
//!
//! Monotonic time counts nanoseconds from the node's start, and begins at a negative value as in OTP.
//! System time is monotonic time plus the time offset, which stays fixed because time warp is not supported.

use std::sync::atomic::{AtomicI64, Ordering};

use layout::Term;

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
fn from_clock_ns(clock_ns: i64) -> i64 {
    clock_ns - STARTED_NS.load(Ordering::Relaxed) + MONOTONIC_START_NS
}

/// The reading of the system's monotonic clock for Erlang monotonic time.
#[must_use]
pub(crate) fn to_clock_ns(monotonic_ns: i64) -> i64 {
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

/// Removes a `time_offset` monitor. Nothing to do: the offset never changes, so the monitors are not recorded.
pub(crate) fn unwatch_offset(_watcher: Term, _reference: (u64, u64)) {}
