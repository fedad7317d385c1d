//! The order of numbers: integers of any size and floats by their exact values.

use std::cmp::Ordering;

use layout::kinds::Float;
use layout::{NoGc, Term, no_gc};

use crate::integer::compare_integers;
use crate::release::{self, Release};

/// The arithmetical order of two numbers.
///
/// # Panics
/// When one of them is not a number.
#[must_use]
pub fn compare_numbers(a: Term, b: Term) -> Ordering {
    match (a.as_float(), b.as_float()) {
        // A NaN never becomes a term.
        (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (Some(a), None) => compare_with_float(b, a).reverse(),
        (None, Some(b)) => compare_with_float(a, b),
        (None, None) => compare_integers(a, b),
    }
}

/// Whether two floats are exactly equal: up to OTP 26, 0.0 and -0.0 are.
#[must_use]
pub(super) fn are_same_floats(a: Term, b: Term) -> bool {
    let [a, b] = [a, b].map(|float| Float::expect(float).bits());
    // The release is asked for zeros of different signs only.
    a == b || (a | b) << 1 == 0 && !release::has(Release::OTP_27)
}

/// The exact order of two floats: from OTP 27 on, -0.0 comes before 0.0.
#[must_use]
pub(super) fn exact_order_of_floats(a: Term, b: Term) -> Ordering {
    compare_numbers(a, b).then_with(|| {
        if are_same_floats(a, b) {
            Ordering::Equal
        } else {
            // The negative zero is the greater word.
            let [a, b] = [a, b].map(|float| Float::expect(float).bits());
            b.cmp(&a)
        }
    })
}

fn big(term: Term, no_gc: &NoGc) -> (bool, &[u64]) {
    term.as_big(no_gc).expect("an integer")
}

fn signed(magnitudes: Ordering, negative: bool) -> Ordering {
    if negative {
        magnitudes.reverse()
    } else {
        magnitudes
    }
}

/// The order of an integer and a float.
///
/// # Panics
/// When the first is not an integer.
#[must_use]
pub fn compare_with_float(integer: Term, float: f64) -> Ordering {
    match integer.as_small() {
        Some(value) => small_with_float(value, float),
        None => big_with_float(big(integer, no_gc!()), float),
    }
}

fn small_with_float(value: i64, float: f64) -> Ordering {
    /// From here on floats have no fraction.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    /// More than any small integer.
    const HUGE: f64 = 1_152_921_504_606_846_976.0;
    if float.abs() < WHOLE {
        // Rounding the integer cannot move it past the float: only integers from `WHOLE` on are rounded, and they stay
        // there.
        (value as f64)
            .partial_cmp(&float)
            .unwrap_or(Ordering::Equal)
    } else if float >= HUGE {
        Ordering::Less
    } else if float <= -HUGE {
        Ordering::Greater
    } else {
        value.cmp(&(float as i64))
    }
}

fn big_with_float((negative, limbs): (bool, &[u64]), float: f64) -> Ordering {
    if float == 0.0 || float.is_sign_negative() != negative {
        return signed(Ordering::Greater, negative);
    }
    let bits = float.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1023;
    let last = limbs.len() - 1;
    let zeros = limbs[last].leading_zeros();
    let length = (limbs.len() as i64) * 64 - i64::from(zeros);
    // A float below 2 is shorter than any big integer, so subnormal floats, which have no leading one, need no special
    // case.
    let magnitudes = length.cmp(&(exponent + 1)).then_with(|| {
        let fraction = (bits & ((1 << 52) - 1) | 1 << 52) << 11;
        let lower = if last > 0 { limbs[last - 1] } else { 0 };
        let (top, rest) = if zeros == 0 {
            (limbs[last], lower)
        } else {
            (limbs[last] << zeros | lower >> (64 - zeros), lower << zeros)
        };
        let more = rest != 0
            || limbs[..last.saturating_sub(1)]
                .iter()
                .any(|&limb| limb != 0);
        top.cmp(&fraction).then(more.cmp(&false))
    });
    signed(magnitudes, negative)
}
