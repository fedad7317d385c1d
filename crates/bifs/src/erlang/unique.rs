//! Values that are made only once: references and unique integers.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use layout::Term;
use layout::limits::SMALL_MIN;
use term::{am, build, integer, list, reference};

use runtime::bif::{BifResult, badarg};
use runtime::process::Process;

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

/// `make_ref()`.
pub fn make_ref_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(reference::make(process.heap()))
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

/// `unique_integer()`.
pub fn unique_integer_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let value = SMALL_MIN + 1 + fresh() as i64;
    Ok(build::integer(process.heap(), value))
}

/// `unique_integer(Modifiers)`: `monotonic`, `positive`.
pub fn unique_integer_1(process: &mut Process, [modifiers]: [Term; 1]) -> BifResult {
    let (mut monotonic, mut positive) = (false, false);
    for modifier in list::items(modifiers) {
        match modifier {
            Ok(am::MONOTONIC) => monotonic = true,
            Ok(am::POSITIVE) => positive = true,
            _ => return Err(badarg(1)),
        }
    }
    let value = match (monotonic, positive) {
        (true, true) => MONOTONIC_POSITIVE.fetch_add(1, Ordering::SeqCst),
        (true, false) => return Ok(next_monotonic(process)),
        (false, true) => 1 + fresh() as i64,
        (false, false) => return unique_integer_0(process, []),
    };
    Ok(build::integer(process.heap(), value))
}

/// The next monotonic integer. It exceeds 63 bits only after centuries, or when a test set the count.
fn next_monotonic(process: &mut Process) -> Term {
    let count = MONOTONIC.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
    let heap = process.heap();
    match i64::try_from(i128::from(count) + i128::from(MONOTONIC_MIN)) {
        Ok(value) => build::integer(heap, value),
        Err(_) => build::unsigned(heap, count - MONOTONIC_MIN.unsigned_abs()),
    }
}

/// The last monotonic integer, counted from the least, for `erts_debug`.
pub fn monotonic_count(process: &mut Process) -> BifResult {
    let count = MONOTONIC.load(Ordering::SeqCst);
    Ok(build::unsigned(process.heap(), count))
}

/// Sets what [`monotonic_count`] returns.
pub fn set_monotonic_count(count: Term) -> BifResult {
    // Negative numbers count back from the wrap.
    let count = match integer::int64(count) {
        Some(count) => count as u64,
        None => integer::uint64(count).ok_or(badarg(2))?,
    };
    MONOTONIC.store(count, Ordering::SeqCst);
    Ok(am::TRUE)
}
