//! Values that are made only once: references and unique integers.

use layout::Term;
use term::{am, build, integer, list, reference};

use runtime::code::bif::{BifResult, badarg};
use runtime::mail::unique;
use runtime::process::Process;

pub(crate) use runtime::mail::unique::MONOTONIC_MIN;

/// `make_ref()`.
pub(crate) fn make_ref_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(reference::make(process.heap()))
}

/// `unique_integer()`.
pub(crate) fn unique_integer_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(unique::integer(process.heap(), false, false))
}

/// `unique_integer(Modifiers)`: `monotonic`, `positive`.
pub(crate) fn unique_integer_1(process: &mut Process, [modifiers]: [Term; 1]) -> BifResult {
    let (mut monotonic, mut positive) = (false, false);
    for modifier in list::items(modifiers) {
        match modifier {
            Ok(am::MONOTONIC) => monotonic = true,
            Ok(am::POSITIVE) => positive = true,
            _ => return Err(badarg(1)),
        }
    }
    Ok(unique::integer(process.heap(), positive, monotonic))
}

/// The last monotonic integer, counted from the least, for `erts_debug`.
pub(crate) fn monotonic_count(process: &mut Process) -> BifResult {
    Ok(build::unsigned(process.heap(), unique::monotonic_count()))
}

/// Sets what [`monotonic_count`] returns.
pub(crate) fn set_monotonic_count(count: Term) -> BifResult {
    // Negative numbers count back from the wrap.
    let count = match integer::int64(count) {
        Some(count) => count as u64,
        None => integer::uint64(count).ok_or(badarg(2))?,
    };
    unique::set_monotonic_count(count);
    Ok(am::TRUE)
}
