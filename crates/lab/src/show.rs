//! Numbers and names as people read them; the table, the page and the summary show them alike.

use crate::results::{Cell, Found, Line};
use crate::rows::Unit;
use crate::statistics::{Ratio, Verdict};

/// A number with its unit left out: the unit has a column.
pub fn number(unit: Unit, number: f64) -> String {
    match unit {
        Unit::Seconds => digits(number),
        Unit::Millis | Unit::Micros => digits(number),
        Unit::Percent => format!("{number:.0}"),
        Unit::Bytes | Unit::BytesPerSecond => bytes(number),
        Unit::PerSecond | Unit::Count => grouped(number.round() as i64),
    }
}

pub fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "s",
        Unit::Millis => "ms",
        Unit::Micros => "µs",
        Unit::PerSecond => "/s",
        Unit::Bytes => "B",
        Unit::BytesPerSecond => "B/s",
        Unit::Percent => "%",
        Unit::Count => "",
    }
}

/// Three digits that count, or more before the point.
fn digits(number: f64) -> String {
    let magnitude = number.abs();
    let places = if magnitude >= 100.0 {
        0
    } else if magnitude >= 10.0 {
        1
    } else if magnitude >= 1.0 {
        2
    } else {
        3
    };
    format!("{number:.places$}")
}

/// `2.31 (2.20-2.44)`.
pub fn ratio(ratio: &Ratio) -> String {
    let (median, least, most) = (ratio.median, ratio.least, ratio.most);
    if ratio.pairs == 1 {
        return format!("{median:.2}");
    }
    format!("{median:.2} ({least:.2}-{most:.2})")
}

pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::CannotTell => "cannot tell",
        Verdict::TooFew => "too few rounds",
    }
}

/// 1,234 up to ten thousand, then 12.3M and the like.
fn bytes(number: f64) -> String {
    if number.abs() < 10_000.0 {
        return grouped(number.round() as i64);
    }
    for (factor, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if number.abs() >= factor {
            return format!("{}{letter}", digits(number / factor));
        }
    }
    unreachable!("at least ten thousand")
}

/// 1234567 as 1,234,567.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    if number < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// 300000 as 300k: short, for axes and lines.
pub fn size(size: u64) -> String {
    for (factor, letter) in [(1_000_000, "M"), (1_000, "k")] {
        if size >= factor {
            let whole = size as f64 / factor as f64;
            let text = format!("{whole:.1}");
            return format!("{}{letter}", text.trim_end_matches(".0"));
        }
    }
    size.to_string()
}

/// `start, SMP on, 300k`: what the line is of.
pub fn line_name(found: &Found, line: &Line) -> String {
    let name = found.key.rsplit('/').next().unwrap_or_default();
    join(name, &line.case, line.size)
}

pub fn cell_name(found: &Found, cell: &Cell) -> String {
    join(&found.key, &cell.case, cell.size)
}

pub fn join(name: &str, case: &str, of: Option<u64>) -> String {
    let mut text = name.to_owned();
    if !case.is_empty() {
        text.push_str(", ");
        text.push_str(case);
    }
    if let Some(of) = of {
        text.push_str(", ");
        text.push_str(&size(of));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_count() {
        for (of, value, text) in [
            (Unit::Seconds, 0.12345, "0.123"),
            (Unit::Seconds, 12.345, "12.3"),
            (Unit::Micros, 1234.5, "1234"),
            (Unit::PerSecond, 1_234_567.4, "1,234,567"),
            (Unit::Bytes, 2666.6, "2,667"),
            (Unit::Bytes, 27.2e9, "27.2G"),
            (Unit::Bytes, 299e6, "299M"),
            (Unit::Percent, 199.6, "200"),
        ] {
            assert_eq!(number(of, value), text);
        }
    }

    #[test]
    fn sizes_are_short() {
        for (of, text) in [
            (1, "1"),
            (30_000, "30k"),
            (1_000_000, "1M"),
            (55_164_851, "55.2M"),
        ] {
            assert_eq!(size(of), text);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (-1234567, "-1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
