//! Time as programs see it, and the timers that they start.
//!
//! Monotonic time counts nanoseconds from the node's start, beginning at a negative value as OTP's
//! does; system time is that plus the time offset, which stays fixed without time warp. Timers of BIFs are found by their
//! reference's number.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};

use layout::Term;
use parking_lot::Mutex;

use crate::timer::TimerKey;

/// Where monotonic time begins, in nanoseconds: low enough that a program that takes it for small and positive fails at once.
const MONOTONIC_START_NS: i64 = -576_460_752_303_423_488;

static STARTED_NS: AtomicI64 = AtomicI64::new(0);
static OFFSET_NS: AtomicI64 = AtomicI64::new(0);

/// Notes the node's start; once, before anything asks for the time.
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

/// A running timer of `start_timer` or `send_after`.
#[derive(Clone, Copy)]
pub struct Running {
    pub key: TimerKey,
    /// Of the system's monotonic clock.
    pub deadline_ns: i64,
}

static TIMERS: LazyLock<Mutex<HashMap<u64, Running>>> = LazyLock::new(Mutex::default);

/// Makes a timer findable by its reference's number.
pub fn remember_timer(reference: u64, running: Running) {
    TIMERS.lock().insert(reference, running);
}

/// The timer of a reference, taken out.
pub fn forget_timer(reference: u64) -> Option<Running> {
    TIMERS.lock().remove(&reference)
}

/// The timer of a reference.
#[must_use]
pub fn find_timer(reference: u64) -> Option<Running> {
    TIMERS.lock().get(&reference).copied()
}

/// Ends a `time_offset` monitor. The offset never changes while the node runs, so nobody is told.
pub fn unwatch_offset(_watcher: Term, _reference: (u64, u64)) {}
