//! Conversions between integers and floats.
//!
//! An integer is converted to a float limb by limb from the most significant one, rounding at each step, as OTP does
//! before 29: for a long integer the result can differ in the last bit from the nearest float, and programs can see
//! that.

use crate::heap::Allocate;
use crate::release::{self, Release};
use crate::{Term, build};
use layout::no_gc;

const LIMB: f64 = 18_446_744_073_709_551_616.0;

/// The float for an integer; `None` if it is not an integer or is too large for a float.
#[must_use]
pub fn float_of_integer(term: Term) -> Option<f64> {
    if let Some(value) = term.as_small() {
        return Some(value as f64);
    }
    let no_gc = no_gc!();
    let (negative, limbs) = term.as_big(no_gc)?;
    let value = match release::has(Release::OTP_29) {
        true => nearest(limbs),
        false => stepwise(limbs),
    };
    value
        .is_finite()
        .then_some(if negative { -value } else { value })
}

/// Rounded at each limb, or infinite.
fn stepwise(limbs: &[u64]) -> f64 {
    let mut value = 0.0_f64;
    for &limb in limbs.iter().rev() {
        value = value * LIMB + limb as f64;
    }
    value
}

/// The nearest float, or an infinity.
fn nearest(limbs: &[u64]) -> f64 {
    let Some((&[second, first], rest)) =
        limbs.split_last_chunk::<2>().map(|(rest, top)| (top, rest))
    else {
        return limbs.first().map_or(0.0, |&limb| limb as f64);
    };
    // The first limb is not zero, so the last bit of these two is below those that decide about rounding: it stands
    // for everything behind it.
    let top = u128::from(first) << 64 | u128::from(second);
    let more = u128::from(rest.iter().any(|&limb| limb != 0));
    let scale = i32::try_from(rest.len()).map_or(f64::INFINITY, |count| LIMB.powi(count));
    (top | more) as f64 * scale
}

/// The whole part of a float as an integer; `None` for an infinity or NaN.
pub fn integer_from_f64<A: Allocate + ?Sized>(heap: &mut A, value: f64) -> Option<Term> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let negative = value < 0.0;
    if exponent <= 0 {
        let magnitude = if exponent > -64 {
            mantissa >> -exponent
        } else {
            0
        };
        let magnitude = magnitude as i64;
        return Some(build::integer(
            heap,
            if negative { -magnitude } else { magnitude },
        ));
    }
    // The value is below 2^1024: sixteen limbs, and one for the part that crosses a limb's end.
    let (whole, part) = (exponent as usize / 64, exponent as u32 % 64);
    let mut limbs = [0; 18];
    let wide = u128::from(mantissa) << part;
    limbs[whole] = wide as u64;
    limbs[whole + 1] = (wide >> 64) as u64;
    Some(build::big(heap, negative, &limbs))
}

/// `trunc/1`. This and the other rounding functions return `None` if it is not a number.
pub fn trunc<A: Allocate + ?Sized>(heap: &mut A, number: Term) -> Option<Term> {
    rounded(heap, number, f64::trunc)
}

/// `round/1`: halves go away from zero.
pub fn round<A: Allocate + ?Sized>(heap: &mut A, number: Term) -> Option<Term> {
    rounded(heap, number, f64::round)
}

/// `floor/1`.
pub fn floor<A: Allocate + ?Sized>(heap: &mut A, number: Term) -> Option<Term> {
    rounded(heap, number, f64::floor)
}

/// `ceil/1`.
pub fn ceil<A: Allocate + ?Sized>(heap: &mut A, number: Term) -> Option<Term> {
    rounded(heap, number, f64::ceil)
}

fn rounded<A: Allocate + ?Sized>(
    heap: &mut A,
    number: Term,
    rule: impl Fn(f64) -> f64,
) -> Option<Term> {
    if number.is_integer() {
        return Some(number);
    }
    integer_from_f64(heap, rule(number.as_float()?))
}
