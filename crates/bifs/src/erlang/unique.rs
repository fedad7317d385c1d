//! Values that are made only once: references and unique integers.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use layout::Term;
use layout::limits::SMALL_MIN;
use term::{am, build, list, reference};

use runtime::bif::{BifResult, badarg};
use runtime::process::Process;

/// Numbers that a thread takes at a time.
const BLOCK: u64 = 1 << 16;

static NEXT_BLOCK: AtomicU64 = AtomicU64::new(0);
static MONOTONIC: AtomicI64 = AtomicI64::new(SMALL_MIN + 1);
static MONOTONIC_POSITIVE: AtomicI64 = AtomicI64::new(1);

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
        (true, false) => MONOTONIC.fetch_add(1, Ordering::SeqCst),
        (false, true) => 1 + fresh() as i64,
        (false, false) => return unique_integer_0(process, []),
    };
    Ok(build::integer(process.heap(), value))
}
