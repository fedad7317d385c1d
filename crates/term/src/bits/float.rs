//! Floats in bits: IEEE 754 binary16, binary32 and binary64.
//!
//! Reading refuses infinities and NaN, which no term can hold. Writing rounds to nearest, and a number too large for
//! the width becomes an infinity, as in OTP.

use layout::Term;

use crate::arith::float_of_integer;
use crate::bits::range::{load, store};
use crate::bits::{Fault, Flags};

/// The float in `width` bits; `None` if the width is not 0, 16, 32 or 64, or the value is not finite.
///
/// # Safety
/// The bytes that hold those bits are readable.
#[must_use]
pub unsafe fn get(bytes: *const u8, position: u64, width: u64, flags: Flags) -> Option<f64> {
    if !matches!(width, 0 | 16 | 32 | 64) {
        return None;
    }
    // SAFETY: the caller's promise.
    let bits = unsafe { load(bytes, position, width as u32) };
    let value = match (width, flags.is_little()) {
        (0, _) => 0.0,
        (16, false) => from_half(bits as u16),
        (16, true) => from_half((bits as u16).swap_bytes()),
        (32, false) => f64::from(f32::from_bits(bits as u32)),
        (32, true) => f64::from(f32::from_bits((bits as u32).swap_bytes())),
        (_, false) => f64::from_bits(bits),
        (_, true) => f64::from_bits(bits.swap_bytes()),
    };
    value.is_finite().then_some(value)
}

/// The bits of a number as a float of `width` bits.
///
/// # Errors
/// [`Fault::Type`] if the term is not a number, [`Fault::NoFloat`] for an integer too large for any float,
/// [`Fault::Invalid`] for another width.
pub fn encode(term: Term, width: u64) -> Result<u64, Fault> {
    if !matches!(width, 16 | 32 | 64) {
        return Err(Fault::Invalid);
    }
    let value = match term.as_float() {
        Some(value) => value,
        None if term.is_integer() => float_of_integer(term).ok_or(Fault::NoFloat)?,
        None => return Err(Fault::Type),
    };
    Ok(match (width, term.as_small()) {
        (16, _) => u64::from(to_half(value)),
        // Rounded only once, not by way of the 64-bit float.
        (32, Some(value)) => u64::from((value as f32).to_bits()),
        (32, None) => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    })
}

/// Writes a number as a float of `width` bits.
///
/// # Errors
/// See [`encode`].
///
/// # Safety
/// As [`store`].
pub unsafe fn put(
    bytes: *mut u8,
    position: u64,
    width: u64,
    term: Term,
    flags: Flags,
) -> Result<(), Fault> {
    let mut bits = encode(term, width)?;
    if flags.is_little() {
        bits = bits.swap_bytes() >> (64 - width);
    }
    // SAFETY: the caller's promise.
    unsafe { store(bytes, position, width as u32, bits) };
    Ok(())
}

fn from_half(half: u16) -> f64 {
    let sign = if half >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = (half >> 10 & 0x1f, f64::from(half & 0x3ff));
    match exponent {
        0 => sign * mantissa * 2f64.powi(-24),
        0x1f => f64::INFINITY,
        _ => sign * (mantissa + 1024.0) * 2f64.powi(i32::from(exponent) - 25),
    }
}

/// Rounds to nearest, ties to even; a value that is too large becomes an infinity.
fn to_half(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    if exponent < -25 {
        return sign;
    }
    if exponent > 15 {
        return sign | 0x7c00;
    }
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    // Number of bits that are dropped: 42 for a normal half, more for a subnormal one.
    let dropped = if exponent >= -14 { 42 } else { 28 - exponent };
    let (kept, rest) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1));
    let half = 1u64 << (dropped - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    let kept = kept as u16 + u16::from(up);
    // The leading one of a normal half adds one to the exponent field, and so does a carry.
    let field = if exponent >= -14 {
        (exponent + 14) as u16
    } else {
        0
    };
    sign | ((field << 10) + kept)
}
