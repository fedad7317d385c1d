//! Integers as text and back, in bases 2 to 36.
//!
//! Large ones are converted by `num-bigint`, long texts in parts ([`value_of`]); the size of input is limited by
//! [`most_limbs`].

use layout::{Term, no_gc};
use num_bigint::BigUint;

use crate::build;
use crate::heap::Allocate;
use crate::integer::{most_limbs, uint8};

/// Why a text is not an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntegerError {
    /// It has no digits, or a character that is not a digit in this base.
    NotAnInteger,
    /// It has more digits than an integer may have.
    SystemLimit,
}

/// An integer in base 2 to 36: a minus sign if it is negative, then digits and capital letters.
///
/// # Panics
/// When the term is not an integer.
#[must_use]
pub fn print(term: Term, base: u32) -> String {
    debug_assert!((2..=36).contains(&base));
    if let Some(value) = term.as_small() {
        let text = print_small(value, base, &mut [0; SMALL_BYTES]).to_vec();
        return String::from_utf8(text).expect("digits");
    }
    let no_gc = no_gc!();
    let (negative, limbs) = term.as_big(no_gc).expect("an integer");
    print_limbs(negative, limbs, base)
}

/// Bytes that suffice for a 64-bit integer in any base.
pub const SMALL_BYTES: usize = 65;

/// [`print()`] for small integers, into room of the caller's.
#[inline]
pub fn print_small(value: i64, base: u32, room: &mut [u8; SMALL_BYTES]) -> &[u8] {
    let mut at = room.len();
    let mut rest = value.unsigned_abs();
    if base == 10 {
        while rest >= 10 {
            at -= 2;
            room[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
            rest /= 100;
        }
        // What is left is one digit, or none unless the integer is zero.
        if rest > 0 || at == room.len() {
            at -= 1;
            room[at] = digit(rest as u8);
        }
    } else {
        loop {
            at -= 1;
            room[at] = digit((rest % u64::from(base)) as u8);
            rest /= u64::from(base);
            if rest == 0 {
                break;
            }
        }
    }
    if value < 0 {
        at -= 1;
        room[at] = b'-';
    }
    &room[at..]
}

/// The numbers below 100 as two decimal digits.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

#[inline]
fn digit(value: u8) -> u8 {
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[usize::from(value)]
}

fn print_limbs(negative: bool, limbs: &[u64], base: u32) -> String {
    let mut text = BigUint::from_slice(&halves(limbs)).to_str_radix(base);
    text.make_ascii_uppercase();
    if negative {
        text.insert(0, '-');
    }
    text
}

fn halves(limbs: &[u64]) -> Vec<u32> {
    limbs
        .iter()
        .flat_map(|&limb| [limb as u32, (limb >> 32) as u32])
        .collect()
}

/// Parses a whole text as an integer: an optional sign, then digits of the base.
///
/// # Errors
/// See [`IntegerError`].
pub fn parse<A: Allocate + ?Sized>(
    heap: &mut A,
    text: &[u8],
    base: u32,
) -> Result<Term, IntegerError> {
    match parse_prefix(heap, text, base)? {
        (term, length) if length == text.len() => Ok(term),
        _ => Err(IntegerError::NotAnInteger),
    }
}

/// An integer of at most this many digits is small in any base: 36 to the power of 11 is below 2 to the power of 57.
const MOST_SMALL_DIGITS: usize = 11;

/// The integer that a text starts with, and its length in bytes.
///
/// # Errors
/// See [`IntegerError`].
pub fn parse_prefix<A: Allocate + ?Sized>(
    heap: &mut A,
    text: &[u8],
    base: u32,
) -> Result<(Term, usize), IntegerError> {
    debug_assert!((2..=36).contains(&base));
    let (negative, start) = match text.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let mut value = 0i64;
    let mut length = 0;
    for &byte in &text[start..] {
        let Some(digit) = char::from(byte).to_digit(base) else {
            break;
        };
        if length < MOST_SMALL_DIGITS {
            value = value * i64::from(base) + i64::from(digit);
        }
        length += 1;
    }
    if length == 0 {
        return Err(IntegerError::NotAnInteger);
    }
    if length <= MOST_SMALL_DIGITS {
        let value = if negative { -value } else { value };
        return Ok((Term::small(value), start + length));
    }
    let digits = &text[start..start + length];
    Ok((magnitude(heap, negative, digits, base)?, start + length))
}

/// The integer that a list of characters starts with, and the rest of the list, as [`parse_prefix`] has them. `None` if
/// there are no digits, or too many to be small in any base.
#[must_use]
pub fn few_digits(list: Term, base: u32) -> Option<(i64, Term)> {
    debug_assert!((2..=36).contains(&base));
    let (first, behind) = list.as_cons()?;
    let (negative, mut rest) = match uint8(first)? {
        b'-' => (true, behind),
        b'+' => (false, behind),
        _ => (false, list),
    };
    let (mut value, mut length) = (0, 0);
    while let Some((character, behind)) = rest.as_cons()
        && let Some(byte) = uint8(character)
        && let Some(digit) = char::from(byte).to_digit(base)
    {
        if length == MOST_SMALL_DIGITS {
            return None;
        }
        value = value * i64::from(base) + i64::from(digit);
        length += 1;
        rest = behind;
    }
    (length > 0).then_some((if negative { -value } else { value }, rest))
}

fn magnitude<A: Allocate + ?Sized>(
    heap: &mut A,
    negative: bool,
    digits: &[u8],
    base: u32,
) -> Result<Term, IntegerError> {
    let values = digits
        .iter()
        .map(|&byte| char::from(byte).to_digit(base).expect("a digit"));
    let significant = digits.len() - digits.iter().take_while(|&&byte| byte == b'0').count();
    // Each digit is worth at least this many whole bits.
    let bits_per_digit = base.ilog2() as usize;
    if significant.saturating_sub(1) * bits_per_digit > most_limbs() * 64 {
        return Err(IntegerError::SystemLimit);
    }
    let values: Vec<u8> = values.map(|digit| digit as u8).collect();
    let value = value_of(&values, base);
    if value.bits() > most_limbs() as u64 * 64 {
        return Err(IntegerError::SystemLimit);
    }
    Ok(build::big(heap, negative, &value.to_u64_digits()))
}

/// Texts of more digits are converted in parts.
const DIGITS_AT_ONCE: usize = 1 << 11;

/// The number with these digits, the highest first. A conversion at once takes time by the square of their number,
/// unless each digit is some bits; so long texts are halved, and the halves put together by multiplication.
fn value_of(digits: &[u8], base: u32) -> BigUint {
    // Each is the power of the base by which the part above so many digits, twice as many as for the last one, counts.
    let mut powers = Vec::new();
    if digits.len() > DIGITS_AT_ONCE && !base.is_power_of_two() {
        powers.push(BigUint::from(base).pow(DIGITS_AT_ONCE as u32));
    }
    while let Some(last) = powers.last()
        && DIGITS_AT_ONCE << powers.len() < digits.len()
    {
        powers.push(last * last);
    }
    value_of_parts(digits, base, &powers)
}

fn value_of_parts(digits: &[u8], base: u32, powers: &[BigUint]) -> BigUint {
    let Some((power, lower_powers)) = powers.split_last() else {
        return BigUint::from_radix_be(digits, base).expect("digits below the base");
    };
    let behind = DIGITS_AT_ONCE << lower_powers.len();
    match digits.len().checked_sub(behind) {
        Some(above) if above > 0 => {
            let (high, low) = digits.split_at(above);
            let high = value_of_parts(high, base, lower_powers);
            high * power + value_of_parts(low, base, lower_powers)
        }
        _ => value_of_parts(digits, base, lower_powers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Scratch;

    fn check(text: &str, base: u32, expected: Result<&str, IntegerError>) {
        let mut scratch = Scratch::new();
        let parsed = parse(scratch.heap(), text.as_bytes(), base);
        let printed = parsed.map(|term| print(term, base));
        assert_eq!(printed.as_deref(), expected.as_deref(), "{text}");
    }

    #[test]
    fn texts_come_back() {
        for text in [
            "0",
            "-1",
            "576460752303423487",
            "576460752303423488",
            "-576460752303423489",
            "18446744073709551616",
            "-340282366920938463463374607431768211456",
        ] {
            check(text, 10, Ok(text));
        }
        check("+007", 10, Ok("7"));
        check("-zZ", 36, Ok("-ZZ"));
        check("-0", 10, Ok("0"));
        let long = format!("1{}", "0".repeat(4000));
        check(&long, 2, Ok(&long));
        check(&long, 10, Ok(&long));
        check("00000000000000000000000000000000001F", 16, Ok("1F"));
    }

    #[test]
    fn small_integers_are_printed_as_rust_prints_them() {
        let near: i64 = if cfg!(miri) { 110 } else { 1100 };
        let mut numbers: Vec<i64> = (-near..=near).collect();
        numbers.extend((0..18).map(|digits| 10i64.pow(digits)));
        numbers.extend((0..18).map(|digits| 10i64.pow(digits) - 1));
        numbers.extend([i64::MIN, i64::MAX]);
        for number in numbers {
            let text = |base| {
                let mut room = [0; SMALL_BYTES];
                String::from_utf8(print_small(number, base, &mut room).to_vec()).unwrap()
            };
            assert_eq!(text(10), number.to_string());
            let sign = if number < 0 { "-" } else { "" };
            let magnitude = number.unsigned_abs();
            assert_eq!(text(16), format!("{sign}{magnitude:X}"));
            assert_eq!(text(2), format!("{sign}{magnitude:b}"));
        }
    }

    #[test]
    fn digits_are_worth_the_same_in_parts_and_at_once() {
        let mut random = fastrand::Rng::with_seed(3);
        for base in [3, 10, 16, 36] {
            for length in [1, 2047, 2048, 2049, 4096, 4097, 10_000, 20_000] {
                if cfg!(miri) && length > 2049 {
                    continue;
                }
                let mut digits: Vec<u8> = (0..length).map(|_| random.u8(..base as u8)).collect();
                if random.bool() {
                    digits[..length / 2].fill(0);
                }
                let expected = BigUint::from_radix_be(&digits, base);
                assert!(
                    expected == Some(value_of(&digits, base)),
                    "{length} digits, base {base}"
                );
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "-", "+", "1 ", " 1", "12a", "--1", "1.0", "é", "2#1"] {
            check(text, 10, Err(IntegerError::NotAnInteger));
        }
        check("2", 2, Err(IntegerError::NotAnInteger));
        check("12a", 11, Ok("12A"));
    }

    #[test]
    fn size_is_limited() {
        let digits = "f".repeat(most_limbs() * 16 + 1);
        check(&digits, 16, Err(IntegerError::SystemLimit));
        let zeros = format!("{}1", "0".repeat(most_limbs() * 16 + 1));
        check(&zeros, 16, Ok("1"));
    }

    #[test]
    fn few_digits_of_a_list_are_those_of_its_bytes() {
        let mut scratch = Scratch::new();
        let texts: [&[u8]; 14] = [
            b"7",
            b"-12ab",
            b"+0",
            b"-0",
            b"007,",
            b"99999999999",
            b"999999999999",
            b"zZzZzZzZzZz",
            b"-",
            b"",
            b"+-1",
            b"1-1",
            b"\xb2",
            b"12 ",
        ];
        for (text, base) in texts
            .iter()
            .flat_map(|text| [(text, 2), (text, 10), (text, 36)])
        {
            let list = build::byte_list(scratch.heap(), text);
            let found = few_digits(list, base).map(|(value, rest)| {
                let rest = crate::list::items(rest).count();
                (value, text.len() - rest)
            });
            let expected = parse_prefix(scratch.heap(), text, base).ok();
            let digits = |length: usize| length - usize::from(b"+-".contains(&text[0]));
            let expected = expected
                .filter(|(_, length)| digits(*length) <= MOST_SMALL_DIGITS)
                .map(|(term, length)| (term.as_small().unwrap(), length));
            assert_eq!(found, expected, "{text:?} in base {base}");
        }
    }

    #[test]
    fn the_rest_is_left() {
        let mut scratch = Scratch::new();
        let (term, length) = parse_prefix(scratch.heap(), b"-12ab", 10).unwrap();
        assert_eq!((term.as_small(), length), (Some(-12), 3));
    }
}
