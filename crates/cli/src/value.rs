//! Parses the value of an emulator flag according to the form that its row in the flag table declares. Numbers are
//! parsed as by C's functions, because scripts rely on what those accept (`+P 5000x`), but never wrap around. Any
//! thread.

use spec::flags::{self, Digits, EmulatorFlag, MemoryBudget, Parsed, Value};

use crate::topology;

/// Parses `value` for `flag`; the error is the message to print.
pub fn parse(flag: &EmulatorFlag, value: &[u8]) -> Result<Parsed, String> {
    let bad = || complaint(flag, value);
    match flag.value {
        Value::Nothing => Ok(Parsed::Nothing),
        Value::Text => Ok(Parsed::Text(value.to_vec())),
        Value::Name => match value.first() {
            None | Some(b'-' | b'+') => Err(bad()),
            Some(_) => Ok(Parsed::Text(value.to_vec())),
        },
        Value::Bool => match value {
            b"true" => Ok(Parsed::Bool(true)),
            b"false" => Ok(Parsed::Bool(false)),
            _ => Err(bad()),
        },
        Value::OneOf(words) => words
            .iter()
            .find(|word| word.as_bytes() == value)
            .map(|word| Parsed::Word(word))
            .ok_or_else(bad),
        Value::StartsWith(words) => words
            .iter()
            .find(|word| value.starts_with(word.as_bytes()))
            .map(|word| Parsed::Word(word))
            .ok_or_else(bad),
        Value::Number { min, max, digits } => bounded(value, min, max, digits)
            .map(Parsed::Number)
            .ok_or_else(bad),
        Value::NumberOr {
            word,
            min,
            max,
            digits,
        } => {
            if value == word.as_bytes() {
                return Ok(Parsed::Instead);
            }
            bounded(value, min, max, digits)
                .map(Parsed::Number)
                .ok_or_else(bad)
        }
        Value::Pair => pair(value).ok_or_else(bad),
        Value::Budget => budget(value).map(Parsed::Budget).ok_or_else(bad),
        Value::Listen => flags::listen_address(value)
            .map(Parsed::Listen)
            .ok_or_else(bad),
        Value::Topology => match topology::parse(value) {
            Ok(places) => Ok(Parsed::Topology(places)),
            Err(reason) => Err(format!("{}: {reason}", bad())),
        },
    }
}

/// The row's error message for `value`.
pub fn complaint(flag: &EmulatorFlag, value: &[u8]) -> String {
    let number = leading_number(value).map_or(0, |(number, _)| number);
    flag.complaint
        .replace("{n}", &number.to_string())
        .replace("{}", &String::from_utf8_lossy(value))
}

fn bounded(value: &[u8], min: i64, max: i64, digits: Digits) -> Option<i64> {
    let number = match (leading_number(value), digits) {
        (Some((number, rest)), Digits::Strict) => rest.is_empty().then_some(number)?,
        (Some((number, _)), _) => number,
        (None, Digits::Lenient) => 0,
        (None, Digits::Needed | Digits::Strict) => return None,
    };
    (min..=max).contains(&number).then_some(number)
}

/// The number at the start of a text, after white space and a sign, and the rest of the text. A number that is out of
/// range becomes the nearest one in range.
pub fn leading_number(text: &[u8]) -> Option<(i64, &[u8])> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let end = digits
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(digits.len());
    if end == 0 {
        return None;
    }
    let number = digits[..end].iter().fold(0_i64, |number, digit| {
        let digit = i64::from(digit - b'0');
        let next = number.saturating_mul(10);
        if negative {
            next.saturating_sub(digit)
        } else {
            next.saturating_add(digit)
        }
    });
    Some((number, &digits[end..]))
}

/// Parses `N`, `N:M` or `:M`; the rest is ignored. Numbers are clamped to 32 bits, so that arithmetic with them cannot
/// overflow.
fn pair(text: &[u8]) -> Option<Parsed> {
    let cut = |number: i64| number.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    let second = |rest: &[u8]| {
        let (number, _) = leading_number(rest.strip_prefix(b":")?)?;
        Some(cut(number))
    };
    match leading_number(text) {
        Some((first, rest)) => Some(Parsed::Pair(Some(cut(first)), second(rest))),
        None => Some(Parsed::Pair(None, Some(second(text)?))),
    }
}

/// Parses `off`, a number of bytes, or a percentage from 1 to 100.
fn budget(text: &[u8]) -> Option<MemoryBudget> {
    if text == b"off" {
        return Some(MemoryBudget::Unlimited);
    }
    match text.strip_suffix(b"%") {
        Some(share) => {
            let share = bounded(share, 1, 100, Digits::Strict)?;
            Some(MemoryBudget::Share(share as u8))
        }
        None => {
            let bytes = bounded(text, 1, i64::MAX, Digits::Strict)?;
            Some(MemoryBudget::Bytes(bytes as u64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::Release;
    use spec::flags::find;

    fn check(flag: &str, value: &str, expected: Result<Parsed, &str>) {
        let (flag, _) = find(flag.as_bytes(), Release::OTP_25).unwrap();
        let parsed = parse(flag, value.as_bytes());
        assert_eq!(
            parsed,
            expected.map_err(str::to_owned),
            "+{} {value}",
            flag.name
        );
    }

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        check("P", "5000x", Ok(Parsed::Number(5000)));
        check("P", " +5000", Ok(Parsed::Number(5000)));
        check("P", "legacy", Ok(Parsed::Instead));
        check("P", "5", Err("bad number of processes 5"));
        check(
            "P",
            "99999999999999999999",
            Err("bad number of processes 99999999999999999999"),
        );
        check("T", "foo", Ok(Parsed::Number(0)));
        check("rg", "foo", Err("bad reader groups limit: foo"));
        check("zdbbl", "foo", Err("Invalid dbbl limit: 0"));
        check("zdntgc", "5x", Err("Invalid delayed node table gc: 5x"));
        check("zdntgc", "infinity", Ok(Parsed::Instead));
    }

    #[test]
    fn budgets_are_bytes_a_share_or_none() {
        let budget = |budget| Ok(Parsed::Budget(budget));
        check("Mguard", "off", budget(MemoryBudget::Unlimited));
        check(
            "Mguard",
            "500000000",
            budget(MemoryBudget::Bytes(500_000_000)),
        );
        check("Mguard", "80%", budget(MemoryBudget::Share(80)));
        for bad in ["", "on", "0", "-1", "0%", "101%", "%", "5x", "80 %"] {
            check("Mguard", bad, Err(&format!("bad +Mguard budget {bad}")));
        }
    }

    #[test]
    fn addresses_to_listen_at_are_whole() {
        let address = "127.0.0.1:8080".parse().unwrap();
        check("dashboard", "8080", Ok(Parsed::Listen(address)));
        let complaint = "bad +dashboard address 8080x: it is PORT or ADDRESS:PORT, as 8080, 0.0.0.0:8080 or [::1]:8080";
        check("dashboard", "8080x", Err(complaint));
    }

    #[test]
    fn pairs_have_one_half_or_both() {
        check("S", "4", Ok(Parsed::Pair(Some(4), None)));
        check("S", "4:", Ok(Parsed::Pair(Some(4), None)));
        check("S", "4:2", Ok(Parsed::Pair(Some(4), Some(2))));
        check("S", ":2", Ok(Parsed::Pair(None, Some(2))));
        check("S", "-1:-2", Ok(Parsed::Pair(Some(-1), Some(-2))));
        for bad in ["", ":", "foo", "x4"] {
            check("S", bad, Err(&format!("bad amount of schedulers {bad}")));
        }
    }

    #[test]
    fn complaints_about_words_name_the_value() {
        check("sbwt", "short", Ok(Parsed::Word("short")));
        check("W", "info", Ok(Parsed::Word("i")));
        check(
            "sct",
            "foo",
            Err("bad cpu topology 'foo': invalid identifier type"),
        );
        check("MBe", "foo", Err("bad \"M?e\" value: foo"));
    }
}
