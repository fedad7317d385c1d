//! Integers and times that are made only once. Any thread may make them.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use layout::Term;
use layout::limits::SMALL_MIN;
use term::build;
use term::heap::Allocate;

use crate::mail::time;

/// Numbers that a thread takes at a time.
const BLOCK: u64 = 1 << 16;

static NEXT_BLOCK: AtomicU64 = AtomicU64::new(0);
/// The last monotonic integer, counted from the least; it wraps, as on stock.
static MONOTONIC: AtomicU64 = AtomicU64::new(u64::MAX);
static MONOTONIC_POSITIVE: AtomicI64 = AtomicI64::new(1);

/// The least value of `unique_integer([monotonic])`, and the first.
pub const MONOTONIC_MIN: i64 = SMALL_MIN;

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A number from 0 that was never returned before, on any thread.
fn fresh() -> u64 {
    NEXT.with(|next| {
        let mut number = next.get();
        if number.is_multiple_of(BLOCK) {
            number = NEXT_BLOCK.fetch_add(1, Ordering::Relaxed) * BLOCK;
        }
        next.set(number + 1);
        number
    })
}

/// An integer of these properties that was never returned before.
pub fn integer<A: Allocate + ?Sized>(heap: &mut A, positive: bool, monotonic: bool) -> Term {
    let value = match (monotonic, positive) {
        (true, true) => MONOTONIC_POSITIVE.fetch_add(1, Ordering::SeqCst),
        (true, false) => return next_monotonic(heap),
        (false, true) => 1 + fresh() as i64,
        (false, false) => SMALL_MIN + 1 + fresh() as i64,
    };
    build::integer(heap, value)
}

/// The next monotonic integer. It exceeds 63 bits only after centuries, or when a test set the count.
fn next_monotonic<A: Allocate + ?Sized>(heap: &mut A) -> Term {
    let count = MONOTONIC.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
    match i64::try_from(i128::from(count) + i128::from(MONOTONIC_MIN)) {
        Ok(value) => build::integer(heap, value),
        Err(_) => build::unsigned(heap, count - MONOTONIC_MIN.unsigned_abs()),
    }
}

/// The last monotonic integer, counted from the least, for `erts_debug`.
#[must_use]
pub fn monotonic_count() -> u64 {
    MONOTONIC.load(Ordering::SeqCst)
}

/// Sets what [`monotonic_count`] returns.
pub fn set_monotonic_count(count: u64) {
    MONOTONIC.store(count, Ordering::SeqCst);
}

/// Microseconds since 1970 for `erlang:now/0`: never the same twice, always growing.
pub fn now_us() -> i64 {
    static LAST_US: AtomicI64 = AtomicI64::new(i64::MIN);
    let now_us = time::system_ns().div_euclid(1_000);
    let next = |last: i64| Some(now_us.max(last.saturating_add(1)));
    let last = LAST_US
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        .unwrap_or(now_us);
    now_us.max(last.saturating_add(1))
}
