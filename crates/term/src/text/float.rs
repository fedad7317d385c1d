//! Floats as text and back, as `float_to_list/2` and `list_to_float/1` do it.
//!
//! Rust's own formatting gives exact digits to any precision and the shortest digits that read back
//! the same; what is left are the forms, and the roundings that OTP does in its own way.

/// Most bytes of a text that the BIFs make; more is an error.
const MAX_TEXT_BYTES: usize = 255;
/// Decimals that OTP rounds with floating-point arithmetic; more are rounded exactly.
const MAX_FAST_DECIMALS: usize = 18;
/// Up to here every integer is a float.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// A form that a float can be written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `{scientific, Decimals}`; 20 when nothing is said, and a negative number means 6.
    Scientific(i64),
    /// `{decimals, Decimals}`, and `compact`: without zeros at the end.
    Decimals { decimals: i64, compact: bool },
    /// `short`: the shortest text that reads back the same.
    Short,
}

impl Default for Form {
    fn default() -> Form {
        Form::Scientific(20)
    }
}

/// A float as text; `None` where the BIF fails: too many decimals for its text of 255 characters.
#[must_use]
pub fn print(value: f64, form: Form) -> Option<String> {
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
            let mut text = fixed(value, decimals);
            // The limit is looked at before zeros go; and on stock zeros of a large number without
            // decimals go too.
            let exact = value.abs() > EXACT_INTEGERS || decimals > MAX_FAST_DECIMALS;
            if compact && (exact || decimals > 0) && text.len() <= MAX_TEXT_BYTES {
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
    let mut text = format!("{value:.decimals$e}");
    if let Some(at) = text.find('e') {
        let (negative, digits) = match text[at + 1..].strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, &text[at + 1..]),
        };
        let sign = if negative { '-' } else { '+' };
        let exponent = format!("e{sign}{digits:0>2}");
        text.truncate(at);
        text.push_str(&exponent);
    }
    text
}

/// Digits, a point, and as many decimals. OTP rounds the fraction alone, times a power of ten, half
/// away from zero; and beyond its means exactly.
fn fixed(value: f64, decimals: usize) -> String {
    let magnitude = value.abs();
    if magnitude > EXACT_INTEGERS || decimals > MAX_FAST_DECIMALS {
        return format!("{value:.decimals$}");
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if decimals == 0 {
        return format!("{sign}{}", magnitude.round() as u64);
    }
    let scale = POWERS_OF_TEN[decimals];
    let whole = magnitude.floor();
    let fraction = ((magnitude - whole) * scale).round();
    let (whole, fraction) = if fraction >= scale {
        (whole as u64 + 1, 0)
    } else {
        (whole as u64, fraction as u64)
    };
    format!("{sign}{whole}.{fraction:0decimals$}")
}

const POWERS_OF_TEN: [f64; MAX_FAST_DECIMALS + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];

/// Drops zeros at the end, except one behind a point.
fn strip_zeros(text: &mut String) {
    let length = text.trim_end_matches('0').len();
    text.truncate(length);
    if text.ends_with('.') {
        text.push('0');
    }
}

/// The shortest text that reads back the same, the plain form when it is no longer than the
/// scientific one; past the exact integers always scientific, lest digits be believed that are not
/// there.
#[must_use]
pub fn short(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let magnitude = value.abs();
    let (digits, exponent) = shortest_digits(magnitude);
    let (first, others) = digits.split_at(1);
    let others = if others.is_empty() { "0" } else { others };
    let scientific = format!("{first}.{others}e{exponent}");
    if magnitude >= EXACT_INTEGERS {
        return format!("{sign}{scientific}");
    }
    let plain = if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        format!("0.{zeros}{digits}")
    } else {
        let whole = exponent as usize + 1;
        if digits.len() <= whole {
            format!("{digits:0<whole$}.0")
        } else {
            format!("{}.{}", &digits[..whole], &digits[whole..])
        }
    };
    let shorter = if plain.len() <= scientific.len() {
        plain
    } else {
        scientific
    };
    format!("{sign}{shorter}")
}

/// The fewest digits that read back the same, and the power of ten that the first stands for. Of
/// two equally near the even one, which Rust's own formatting does not promise.
fn shortest_digits(magnitude: f64) -> (String, i32) {
    let mut room = ryu::Buffer::new();
    let text = room.format_finite(magnitude);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return ("0".to_owned(), 0);
    }
    let leading_zeros = all.len() - digits.len();
    let exponent: i32 = exponent.parse().expect("a number");
    let first = exponent + whole.len() as i32 - 1 - leading_zeros as i32;
    (digits.trim_end_matches('0').to_owned(), first)
}

/// The float that a text is: a sign maybe, digits, a point, digits, and an exponent maybe.
/// `None` for anything else, and for what is too large. As on stock a comma will do for the point,
/// and a zero byte ends the text.
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

/// The float that a text starts with, and how many bytes it is.
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
    let mut number = String::from_utf8(text[..end].to_vec()).ok()?;
    number.replace_range(point..=point, ".");
    let value: f64 = number.parse().ok()?;
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
