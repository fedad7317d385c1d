//! Conversions between integers and floats, all of them allowed in guards.

use layout::Term;
use term::{arith, build};

use runtime::code::bif::{BifResult, badarg};
use runtime::process::Process;

/// `erlang:abs(Number)`
pub(crate) fn abs_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    arith::abs(process.heap(), number).ok_or(badarg(1))
}

/// `erlang:float(Number)`
pub(crate) fn float_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    if number.is_float() {
        return Ok(number);
    }
    let value = arith::float_of_integer(number).ok_or(badarg(1))?;
    Ok(build::float(process.heap(), value))
}

/// `erlang:trunc(Number)`
pub(crate) fn trunc_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    arith::trunc(process.heap(), number).ok_or(badarg(1))
}

/// `erlang:round(Number)`
pub(crate) fn round_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    arith::round(process.heap(), number).ok_or(badarg(1))
}

/// `erlang:floor(Number)`
pub(crate) fn floor_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    arith::floor(process.heap(), number).ok_or(badarg(1))
}

/// `erlang:ceil(Number)`
pub(crate) fn ceil_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    arith::ceil(process.heap(), number).ok_or(badarg(1))
}
