//! `math`: functions of the C library, so that results agree with stock's to the last digit. A result that is not
//! finite is `badarith`.

use layout::Term;
use term::{arith, build};

use runtime::code::bif::{BifResult, Failure, badarg, badarith};
use runtime::process::Process;

// Functions that Rust's library computes differently or does not have.
unsafe extern "C" {
    safe fn acosh(value: f64) -> f64;
    safe fn asinh(value: f64) -> f64;
    safe fn atanh(value: f64) -> f64;
    safe fn erf(value: f64) -> f64;
    safe fn erfc(value: f64) -> f64;
}

/// A number as a float; integers that are too large for one are `badarith`.
fn float_of(number: Term, argument: usize) -> Result<f64, Failure> {
    if let Some(value) = number.as_float() {
        return Ok(value);
    }
    if !number.is_integer() {
        return Err(badarg(argument));
    }
    arith::float_of_integer(number).ok_or_else(badarith)
}

fn answer(process: &mut Process, value: f64) -> BifResult {
    if value.is_finite() {
        Ok(build::float(process.heap(), value))
    } else {
        Err(badarith())
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $function:expr;)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(process: &mut Process, [number]: [Term; 1]) -> BifResult {
            let function: fn(f64) -> f64 = $function;
            let value = function(float_of(number, 1)?);
            answer(process, value)
        })*
    };
}

functions! {
    /// `math:acos(X)`
    acos_1 = f64::acos;
    /// `math:acosh(X)`
    acosh_1 = |value| acosh(value);
    /// `math:asin(X)`
    asin_1 = f64::asin;
    /// `math:asinh(X)`
    asinh_1 = |value| asinh(value);
    /// `math:atan(X)`
    atan_1 = f64::atan;
    /// `math:atanh(X)`
    atanh_1 = |value| atanh(value);
    /// `math:ceil(X)`
    ceil_1 = f64::ceil;
    /// `math:cos(X)`
    cos_1 = f64::cos;
    /// `math:cosh(X)`
    cosh_1 = f64::cosh;
    /// `math:erf(X)`
    erf_1 = |value| erf(value);
    /// `math:erfc(X)`
    erfc_1 = |value| erfc(value);
    /// `math:exp(X)`
    exp_1 = f64::exp;
    /// `math:floor(X)`
    floor_1 = f64::floor;
    /// `math:log(X)`
    log_1 = f64::ln;
    /// `math:log10(X)`
    log10_1 = f64::log10;
    /// `math:log2(X)`
    log2_1 = f64::log2;
    /// `math:sin(X)`
    sin_1 = f64::sin;
    /// `math:sinh(X)`
    sinh_1 = f64::sinh;
    /// `math:sqrt(X)`
    sqrt_1 = f64::sqrt;
    /// `math:tan(X)`
    tan_1 = f64::tan;
    /// `math:tanh(X)`
    tanh_1 = f64::tanh;
}

/// `math:atan2(Y, X)`
pub(crate) fn atan2_2(process: &mut Process, [y, x]: [Term; 2]) -> BifResult {
    let value = float_of(y, 1)?.atan2(float_of(x, 2)?);
    answer(process, value)
}

/// `math:fmod(X, Y)`
pub(crate) fn fmod_2(process: &mut Process, [x, y]: [Term; 2]) -> BifResult {
    let value = float_of(x, 1)? % float_of(y, 2)?;
    answer(process, value)
}

/// `math:pow(X, N)`
pub(crate) fn pow_2(process: &mut Process, [x, n]: [Term; 2]) -> BifResult {
    let value = float_of(x, 1)?.powf(float_of(n, 2)?);
    answer(process, value)
}
