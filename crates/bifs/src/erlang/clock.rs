//! The clocks: monotonic and system time, offsets and units, `now` and timestamps; and the clock
//! BIFs of `os`.

use layout::{Term, no_gc};
use term::{am, arith, build};

use runtime::code::bif::{BifResult, badarg};
use runtime::mail::{time, unique};
use runtime::process::Process;

/// Units per second of `native` time, and of the performance counter.
const NATIVE_PER_SECOND: i64 = 1_000_000_000;

/// `monotonic_time()`.
pub(crate) fn monotonic_time_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(build::integer(process.heap(), time::monotonic_ns()))
}

/// `monotonic_time(Unit)`.
pub(crate) fn monotonic_time_1(process: &mut Process, [unit]: [Term; 1]) -> BifResult {
    in_unit(process, time::monotonic_ns(), unit)
}

/// `system_time()`.
pub(crate) fn system_time_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(build::integer(process.heap(), time::system_ns()))
}

/// `system_time(Unit)`.
pub(crate) fn system_time_1(process: &mut Process, [unit]: [Term; 1]) -> BifResult {
    in_unit(process, time::system_ns(), unit)
}

/// `time_offset()`.
pub(crate) fn time_offset_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(build::integer(process.heap(), time::offset_ns()))
}

/// `time_offset(Unit)`.
pub(crate) fn time_offset_1(process: &mut Process, [unit]: [Term; 1]) -> BifResult {
    in_unit(process, time::offset_ns(), unit)
}

/// `os:system_time()`.
pub(crate) fn os_system_time_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(build::integer(process.heap(), sys::clock::system_ns()))
}

/// `os:system_time(Unit)`.
pub(crate) fn os_system_time_1(process: &mut Process, [unit]: [Term; 1]) -> BifResult {
    in_unit(process, sys::clock::system_ns(), unit)
}

/// `os:perf_counter()`.
pub(crate) fn os_perf_counter_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(build::integer(process.heap(), sys::clock::monotonic_ns()))
}

/// `erts_internal:time_unit()`: `native` units per second.
pub(crate) fn time_unit_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::small(NATIVE_PER_SECOND))
}

/// `erts_internal:perf_counter_unit()`.
pub(crate) fn perf_counter_unit_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::small(NATIVE_PER_SECOND))
}

/// Converts a time to a unit, which is a name or a number of parts per second. Rounds down.
fn in_unit(process: &mut Process, time_ns: i64, unit: Term) -> BifResult {
    // The compiler makes a multiplication of a division by a constant.
    let time = match unit {
        am::NATIVE | am::PERF_COUNTER | am::NANOSECOND | am::NANO_SECONDS => time_ns,
        am::MICROSECOND | am::MICRO_SECONDS => time_ns.div_euclid(1_000),
        am::MILLISECOND | am::MILLI_SECONDS => time_ns.div_euclid(1_000_000),
        am::SECOND | am::SECONDS => time_ns.div_euclid(NATIVE_PER_SECOND),
        _ => return in_parts(process, time_ns, unit),
    };
    Ok(build::integer(process.heap(), time))
}

/// Converts a time to so many parts per second.
fn in_parts(process: &mut Process, time_ns: i64, parts: Term) -> BifResult {
    let per_second = match parts.as_small() {
        Some(per_second) if per_second > 0 => i128::from(per_second),
        Some(_) => return Err(badarg(1)),
        None => return in_big_unit(process, time_ns, parts),
    };
    let time = (i128::from(time_ns) * per_second).div_euclid(i128::from(NATIVE_PER_SECOND));
    Ok(arith::from_i128(process.heap(), time))
}

fn in_big_unit(process: &mut Process, time_ns: i64, unit: Term) -> BifResult {
    let (false, _) = unit.as_big(no_gc!()).ok_or_else(|| badarg(1))? else {
        return Err(badarg(1));
    };
    let heap = process.heap();
    let mut step = || -> Result<Term, arith::ArithError> {
        let time = build::integer(heap, time_ns);
        let product = arith::multiply(heap, time, unit)?;
        let divisor = Term::small(NATIVE_PER_SECOND);
        let quotient = arith::int_div(heap, product, divisor)?;
        let rest = arith::remainder(heap, product, divisor)?;
        if rest.as_small().is_some_and(|rest| rest < 0) {
            arith::subtract(heap, quotient, Term::small(1))
        } else {
            Ok(quotient)
        }
    };
    step().map_err(|_| runtime::code::bif::system_limit())
}

/// `{MegaSeconds, Seconds, MicroSeconds}` of microseconds since 1970.
fn timestamp(process: &mut Process, time_us: i64) -> Term {
    let seconds = time_us.div_euclid(1_000_000);
    let parts = [
        seconds.div_euclid(1_000_000),
        seconds.rem_euclid(1_000_000),
        time_us.rem_euclid(1_000_000),
    ];
    build::tuple(process.heap(), &parts.map(Term::small))
}

/// `timestamp()`.
pub(crate) fn timestamp_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let now_us = time::system_ns().div_euclid(1_000);
    Ok(timestamp(process, now_us))
}

/// `os:timestamp()`.
pub(crate) fn os_timestamp_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let now_us = sys::clock::system_ns().div_euclid(1_000);
    Ok(timestamp(process, now_us))
}

/// `now()`: never the same twice, always growing.
pub(crate) fn now_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(timestamp(process, unique::now_us()))
}
