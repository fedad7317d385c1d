//! The leading decimal digits of a float, correctly rounded, when there are more of them than a float needs.
//!
//! A float is an integer times a power of two. Unless it is very large or very small, its whole part fits in 128 bits,
//! and so does its fraction, in units of 2^-128. Multiplying the fraction by 10^19 then yields its next 19 digits, and
//! what is left is exact as well. This is several times faster than the general way with numbers of any length.

use smallvec::SmallVec;

use super::write_digits;

/// Room for the digits of most floats.
pub(super) type Digits = SmallVec<[u8; 64]>;

/// Digits that are taken at once.
const DIGITS_AT_ONCE: usize = 19;
const POWER_AT_ONCE: u64 = 10_u64.pow(DIGITS_AT_ONCE as u32);

/// The first `count` digits of a positive float, as characters, and the power of ten of the first one. Of two equally
/// near candidates the even one. `None` for zero and for floats that are too large or too small for this way.
pub(super) fn digits(magnitude: f64, count: usize) -> Option<(Digits, i32)> {
    let (whole, mut fraction) = parts(magnitude)?;
    let mut digits = Digits::new();
    push_whole(&mut digits, whole);
    let mut exponent = digits.len() as i32 - 1;
    while fraction != 0 && digits.len() <= count {
        let next = next_digits(&mut fraction);
        match digits.is_empty() {
            false => push(&mut digits, next, DIGITS_AT_ONCE),
            true => {
                push_whole(&mut digits, next.into());
                exponent -= (DIGITS_AT_ONCE - digits.len()) as i32;
            }
        }
    }
    if digits.len() <= count {
        digits.resize(count, b'0');
    } else if round(&mut digits, count, fraction != 0) {
        exponent += 1;
    }
    Some((digits, exponent))
}

/// The whole part, and the fraction in units of 2^-128.
fn parts(magnitude: f64) -> Option<(u128, u128)> {
    let bits = magnitude.to_bits();
    let biased = (bits >> 52) as i32;
    if biased == 0 {
        return None;
    }
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // The float is the mantissa times two to this power.
    match biased - 1075 {
        power @ 0..=75 => Some((mantissa << power, 0)),
        power @ -127..=-1 => Some((mantissa >> -power, mantissa << (128 + power))),
        _ => None,
    }
}

/// Takes the next [`DIGITS_AT_ONCE`] digits off a fraction.
fn next_digits(fraction: &mut u128) -> u64 {
    let power = u128::from(POWER_AT_ONCE);
    let low = u128::from(*fraction as u64) * power;
    let high = (*fraction >> 64) * power + (low >> 64);
    *fraction = high << 64 | u128::from(low as u64);
    (high >> 64) as u64
}

/// Appends a number without leading zeros; nothing for zero.
fn push_whole(digits: &mut Digits, number: u128) {
    let power = u128::from(POWER_AT_ONCE);
    match u64::try_from(number) {
        Ok(0) => {}
        Ok(number) => push(digits, number, number.ilog10() as usize + 1),
        Err(_) => {
            push_whole(digits, number / power);
            push(digits, (number % power) as u64, DIGITS_AT_ONCE);
        }
    }
}

/// Appends a number of that many digits.
fn push(digits: &mut Digits, number: u64, width: usize) {
    let end = digits.len() + width;
    digits.resize(end, 0);
    write_digits(digits, end, number, width);
}

/// Rounds to the first `count` digits; `more` says that what was cut off earlier is not zero. Returns whether the
/// number now starts one power of ten higher.
fn round(digits: &mut Digits, count: usize, more: bool) -> bool {
    let behind = &digits[count + 1..];
    let more = more || behind.iter().any(|digit| *digit != b'0');
    let is_odd = digits[count - 1] % 2 == 1;
    let up = match digits[count] {
        b'5' => more || is_odd,
        digit => digit > b'5',
    };
    digits.truncate(count);
    if !up {
        return false;
    }
    for digit in digits.iter_mut().rev() {
        if *digit != b'9' {
            *digit += 1;
            return false;
        }
        *digit = b'0';
    }
    digits[0] = b'1';
    true
}

#[cfg(test)]
mod tests {
    use super::super::{general_scientific, scientific};
    use super::*;

    fn check(value: f64, decimals: usize) {
        let (own, general) = (
            scientific(value, decimals),
            general_scientific(value, decimals),
        );
        assert_eq!(own, general, "{value:e} {decimals}");
    }

    #[test]
    fn every_digit_is_as_the_general_way_gives_it() {
        let mut state = 0x1234_5678_9abc_def1_u64;
        for round in 0..if cfg!(miri) { 200 } else { 200_000_u64 } {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Exponents on both sides of what fits, and mantissas with few bits, so that there are ties.
            let exponent = 1023 - 90 + state % 230;
            let cleared = (state >> 20) % 53;
            let mantissa = (state >> 12) >> cleared << cleared;
            let value = f64::from_bits(round % 2 << 63 | exponent << 52 | mantissa);
            check(value, (state >> 32) as usize % 24);
        }
    }

    #[test]
    fn ties_go_to_even_and_nines_carry() {
        for value in [
            0.5,
            1.5,
            2.5,
            9.5,
            99.5,
            0.125,
            0.375,
            9.96875,
            1e22,
            1e23,
            9.5e15,
            999_999.5,
            0.1,
            1e-22,
            1e-23,
            3.4e38,
            3.5e38,
            0.0,
            -0.0,
            5e-324,
            f64::MAX,
            f64::MIN_POSITIVE,
            4503599627370497.5,
        ] {
            for decimals in (0..40).chain([100, 253]) {
                check(value, decimals);
            }
        }
        assert!(digits(1e-22, 21).is_some() && digits(3.4e38, 21).is_some());
    }
}
