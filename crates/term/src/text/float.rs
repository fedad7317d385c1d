//! Floats as text and back, as `float_to_list/2` and `list_to_float/1` do it.
//!
//! Rust's own formatting gives exact digits to any precision and the shortest digits that read back the same. This
//! module adds the output forms, and the cases where OTP rounds in its own way. [`exact`] is faster for the floats that
//! programs have.

use smallvec::SmallVec;

mod exact;

/// Maximum length of the text that the BIFs make; a longer one is an error.
const MAX_TEXT_BYTES: usize = 255;
/// Decimals that OTP rounds with floating-point arithmetic; more are rounded exactly.
const MAX_FAST_DECIMALS: usize = 18;
/// Every integer up to here is exact as a float.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// A form that a float can be written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `{scientific, Decimals}`; the default is 20, and a negative number means 6.
    Scientific(i64),
    /// `{decimals, Decimals}`; with `compact`, without trailing zeros.
    Decimals { decimals: i64, compact: bool },
    /// `short`: the shortest text that reads back the same.
    Short,
}

impl Default for Form {
    fn default() -> Form {
        Form::Scientific(20)
    }
}

/// Reads a float's text. `None` if the BIF fails: the text would be longer than 255 characters.
pub fn with_text<R>(value: f64, form: Form, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
    // Most have their text here, without memory.
    match form {
        Form::Short => {
            let mut buffer = zmij::Buffer::new();
            let text = buffer.format_finite(value);
            if is_short(value.abs(), text) {
                return Some(read(text.as_bytes()));
            }
        }
        Form::Decimals { decimals, compact } => {
            let mut room = [0; FIXED_BYTES];
            if let Some(text) = fixed(value, decimals, compact, &mut room) {
                return Some(read(text));
            }
        }
        Form::Scientific(_) => {}
    }
    print(value, form).map(|text| read(text.as_bytes()))
}

/// Whether the text that zmij writes is the one of [`short`]: it has the plain form, and the scientific one is longer.
fn is_short(magnitude: f64, text: &str) -> bool {
    // The scientific form leaves out zeros before the point, and saves bytes by it from three of them on.
    (0.1..EXACT_INTEGERS).contains(&magnitude) && (magnitude < 1000.0 || !text.ends_with("0.0"))
}

fn print(value: f64, form: Form) -> Option<String> {
    let text = match form {
        Form::Scientific(decimals) => {
            let decimals = usize::try_from(decimals).unwrap_or(6);
            if decimals > MAX_TEXT_BYTES {
                return None;
            }
            scientific(value, decimals)
        }
        Form::Decimals { decimals, compact } => {
            let decimals = usize::try_from(decimals).ok()?;
            if decimals > MAX_TEXT_BYTES {
                return None;
            }
            let mut text = format!("{value:.decimals$}");
            // The limit is checked before zeros are stripped. As on stock OTP, a large number without decimals also
            // loses its trailing zeros.
            if compact && text.len() <= MAX_TEXT_BYTES {
                strip_zeros(&mut text);
            }
            text
        }
        Form::Short => short(value),
    };
    (text.len() <= MAX_TEXT_BYTES).then_some(text)
}

/// The form of C's `%.*e`, correctly rounded: `1.50e+00`.
#[must_use]
pub fn scientific(value: f64, decimals: usize) -> String {
    let Some((digits, exponent)) = exact::digits(value.abs(), decimals + 1) else {
        return general_scientific(value, decimals);
    };
    let mut text = signed(value);
    text.push(digits[0].into());
    if decimals > 0 {
        text.push('.');
        text.push_str(std::str::from_utf8(&digits[1..]).expect("digits"));
    }
    text.push_str(if exponent < 0 { "e-" } else { "e+" });
    push_digits(&mut text, exponent.unsigned_abs().into(), 2);
    text
}

/// [`scientific`] for every float.
fn general_scientific(value: f64, decimals: usize) -> String {
    let mut text = format!("{value:.decimals$e}");
    // Rust writes `e5` and `e-5` for `e+05` and `e-05`.
    if let Some(at) = text.rfind('e') {
        let mut digits = at + 1;
        if !text[digits..].starts_with('-') {
            text.insert(digits, '+');
        }
        digits += 1;
        if text.len() - digits < 2 {
            text.insert(digits, '0');
        }
    }
    text
}

/// A sign, the digits of the largest exact integer, a point, and [`MAX_FAST_DECIMALS`].
const FIXED_BYTES: usize = 1 + 16 + 1 + MAX_FAST_DECIMALS;

/// Digits, a point, and that many decimals; with `compact`, without zeros at the end. OTP multiplies only the fraction
/// by a power of ten and rounds half away from zero. `None` for numbers outside the range where that works, which are
/// rounded exactly.
fn fixed(value: f64, decimals: i64, compact: bool, room: &mut [u8; FIXED_BYTES]) -> Option<&[u8]> {
    let magnitude = value.abs();
    let scale = *POWERS_OF_TEN.get(usize::try_from(decimals).ok()?)?;
    if magnitude > EXACT_INTEGERS {
        return None;
    }
    let mut end = room.len();
    let mut at = end;
    if decimals == 0 {
        at = write_digits(room, at, rounded(magnitude), 1);
    } else {
        // Conversions from and to signed numbers are one instruction each.
        let below = magnitude as i64;
        let fraction = rounded((magnitude - below as f64) * scale as f64);
        let (whole, fraction) = match fraction >= scale {
            true => (below as u64 + 1, 0),
            false => (below as u64, fraction),
        };
        at = write_digits(room, at, fraction, decimals as usize);
        if compact {
            // The first decimal stays.
            while end > at + 1 && room[end - 1] == b'0' {
                end -= 1;
            }
        }
        at -= 1;
        room[at] = b'.';
        at = write_digits(room, at, whole, 1);
    }
    if value.is_sign_negative() {
        at -= 1;
        room[at] = b'-';
    }
    Some(&room[at..end])
}

/// The nearest integer of a positive number below 2^63, of two equally near ones the greater.
fn rounded(number: f64) -> u64 {
    let below = number as i64;
    // The difference is exact: either both are below 2^53, or there is no fraction.
    (below + i64::from(number - below as f64 >= 0.5)) as u64
}

/// Writes a number, padded with leading zeros to a width, so that it ends at `at`; returns where it begins.
fn write_digits(room: &mut [u8], mut at: usize, mut number: u64, width: usize) -> usize {
    let latest = at - width;
    while number >= 10 {
        let pair = (number % 100) as usize;
        number /= 100;
        at -= 2;
        room[at..at + 2].copy_from_slice(&PAIRS[pair]);
    }
    if number > 0 {
        at -= 1;
        room[at] = b'0' + number as u8;
    }
    while at > latest {
        at -= 1;
        room[at] = b'0';
    }
    at
}

/// The numbers below 100, each with two digits.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// A text with room for most floats: a minus sign if the value is negative, otherwise empty.
fn signed(value: f64) -> String {
    let mut text = String::with_capacity(40);
    if value.is_sign_negative() {
        text.push('-');
    }
    text
}

/// Appends a number, padded with leading zeros to a width.
fn push_digits(text: &mut String, number: u64, width: usize) {
    let mut room = [0; 20];
    let at = write_digits(&mut room, 20, number, width);
    text.push_str(std::str::from_utf8(&room[at..]).expect("digits"));
}

/// All of them are exact as floats, too.
const POWERS_OF_TEN: [u64; MAX_FAST_DECIMALS + 1] = {
    let mut powers = [1; MAX_FAST_DECIMALS + 1];
    let mut power = 1;
    while power < powers.len() {
        powers[power] = powers[power - 1] * 10;
        power += 1;
    }
    powers
};

/// Drops trailing zeros, except one right after the point.
fn strip_zeros(text: &mut String) {
    let length = text.trim_end_matches('0').len();
    text.truncate(length);
    if text.ends_with('.') {
        text.push('0');
    }
}

/// The shortest text that reads back the same: the plain form if it is no longer than the scientific one. Beyond the
/// exact integers always the scientific form, so that the text shows no digits that the float does not really have.
#[must_use]
pub fn short(value: f64) -> String {
    let magnitude = value.abs();
    let mut room = [0; SHORTEST_BYTES];
    let (digits, exponent) = shortest_digits(magnitude, &mut room);
    let mut text = signed(value);
    // The digits in front of the point of the plain form.
    let whole = usize::try_from(exponent).map_or(0, |exponent| exponent + 1);
    let zeros = usize::try_from(-exponent).map_or(0, |below| below.saturating_sub(1));
    let plain = match whole {
        0 => "0.".len() + zeros + digits.len(),
        _ => whole.max(digits.len() - 1) + ".0".len(),
    };
    let of_exponent = match exponent.unsigned_abs() {
        0..=9 => 1,
        10..=99 => 2,
        _ => 3,
    } + usize::from(exponent < 0);
    let scientific = "0.".len() + (digits.len() - 1).max(1) + "e".len() + of_exponent;
    if magnitude >= EXACT_INTEGERS || plain > scientific {
        text.push_str(&digits[..1]);
        push_fraction(&mut text, &digits[1..]);
        text.push('e');
        if exponent < 0 {
            text.push('-');
        }
        push_digits(&mut text, u64::from(exponent.unsigned_abs()), 1);
    } else if whole == 0 {
        text.push_str("0.");
        text.extend(std::iter::repeat_n('0', zeros));
        text.push_str(digits);
    } else {
        let (before, behind) = digits.split_at(whole.min(digits.len()));
        text.push_str(before);
        text.extend(std::iter::repeat_n('0', whole - before.len()));
        push_fraction(&mut text, behind);
    }
    text
}

/// Appends a point and the digits after it, or a zero if there are none.
fn push_fraction(text: &mut String, digits: &str) {
    text.push('.');
    text.push_str(if digits.is_empty() { "0" } else { digits });
}

/// More bytes than zmij writes.
const SHORTEST_BYTES: usize = 32;

/// The fewest digits that read back the same, and the power of ten of the first digit. Of two equally near candidates
/// the even one, which Rust's own formatting does not promise.
fn shortest_digits(magnitude: f64, room: &mut [u8; SHORTEST_BYTES]) -> (&str, i32) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(magnitude);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let mut length = 0;
    let mut whole = None;
    for byte in mantissa.bytes() {
        if byte == b'.' {
            whole = Some(length);
        } else {
            room[length] = byte;
            length += 1;
        }
    }
    let digits = std::str::from_utf8(&room[..length]).expect("digits");
    let leading_zeros = length - digits.trim_start_matches('0').len();
    if leading_zeros == length {
        return ("0", 0);
    }
    let exponent: i32 = exponent.parse().expect("a number");
    let first = exponent + whole.unwrap_or(length) as i32 - 1 - leading_zeros as i32;
    (digits[leading_zeros..].trim_end_matches('0'), first)
}

/// Parses a whole text as a float: an optional sign, digits, a point, digits, and an optional exponent. `None` for
/// anything else and for a number that is too large. As on stock OTP, a comma is accepted for the point, and a zero
/// byte ends the text.
#[must_use]
pub fn parse(text: &[u8]) -> Option<f64> {
    let end = text
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(text.len());
    match parse_prefix(&text[..end])? {
        (value, length) if length == end => Some(value),
        _ => None,
    }
}

/// The float that a text starts with, and its length in bytes.
#[must_use]
pub fn parse_prefix(text: &[u8]) -> Option<(f64, usize)> {
    let digits_from = |start: usize| {
        let digits = text[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        start + digits.count()
    };
    let sign_at = |at: usize| usize::from(matches!(text.get(at), Some(b'+' | b'-')));
    let start = sign_at(0);
    let point = digits_from(start);
    if point == start || !matches!(text.get(point), Some(b'.' | b',')) {
        return None;
    }
    let mut end = digits_from(point + 1);
    if end == point + 1 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let first = end + 1 + sign_at(end + 1);
        let last = digits_from(first.min(text.len()));
        if last > first {
            end = last;
        }
    }
    let mut number: SmallVec<[u8; 64]> = SmallVec::from_slice(&text[..end]);
    number[point] = b'.';
    let value: f64 = std::str::from_utf8(&number).ok()?.parse().ok()?;
    value.is_finite().then_some((value, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_floats_are_floats() {
        for text in [
            "", "1", "1.", ".5", "+.5", "1e5", "1.e5", "inf", "nan", "1.0e", "1.0e+", "1.0x",
            " 1.0", "1.0 ", "1.0e400", "--1.0", "1.0e1.0", "0x1.0", "1_0.0",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse(b"+1,5E-3"), Some(0.0015));
        assert_eq!(parse(b"1.0e-400"), Some(0.0));
        assert_eq!(parse(b"1.0\0x"), Some(1.0));
    }

    #[test]
    fn the_rest_is_left() {
        assert_eq!(parse_prefix(b"1.5e+x"), Some((1.5, 3)));
        assert_eq!(parse_prefix(b"-1.5e3e"), Some((-1500.0, 6)));
        assert_eq!(parse_prefix(b"1.5.3"), Some((1.5, 3)));
        assert_eq!(parse_prefix(b"-x"), None);
    }
}
