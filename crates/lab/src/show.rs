//! Formats numbers, durations and names for people. The table, the page and the summary use the same forms.

use crate::experiment::Unit;
use crate::results::{Cell, Found, Line};
use crate::statistics::{Ratio, Verdict};

/// A number without its unit, which has its own column.
pub(crate) fn number(unit: Unit, number: f64) -> String {
    match unit {
        Unit::Seconds => digits(number),
        Unit::Millis | Unit::Micros => digits(number),
        Unit::Percent => format!("{number:.0}"),
        Unit::Bytes | Unit::BytesPerSecond => bytes(number),
        Unit::PerSecond | Unit::Count => grouped(number.round() as i64),
    }
}

pub(crate) fn unit(unit: Unit) -> &'static str {
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

/// Three significant digits, or more if they stand before the point.
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
pub(crate) fn ratio(ratio: &Ratio) -> String {
    let (median, least, most) = (ratio.median, ratio.least, ratio.most);
    if ratio.pairs == 1 {
        return number_of_ratio(median);
    }
    format!("{median:.2} ({least:.2}-{most:.2})")
}

/// `2.31`.
pub(crate) fn number_of_ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

/// `1 round` or `up to 3 rounds`.
pub(crate) fn rounds(count: u32) -> String {
    match count {
        1 => "1 round".to_owned(),
        count => format!("up to {count} rounds"),
    }
}

/// `48 s`, `1 min 35 s` or `2 h 10 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::CannotTell => "cannot tell",
        Verdict::TooFew => "too few rounds",
    }
}

/// 1,234 below ten thousand, and forms such as 12.3M above.
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
pub(crate) fn grouped(number: i64) -> String {
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

/// 300000 as 300k.
pub(crate) fn size(size: u64) -> String {
    for (factor, letter) in [(1_000_000, "M"), (1_000, "k")] {
        if size >= factor {
            let whole = size as f64 / factor as f64;
            let text = format!("{whole:.1}");
            return format!("{}{letter}", text.trim_end_matches(".0"));
        }
    }
    size.to_string()
}

/// The name of a line among the lines of its experiment. It includes the figure if there are several.
pub(crate) fn name_in(found: &Found, line: &Line) -> String {
    let has_others = found.lines.iter().any(|other| other.figure != line.figure);
    let name = line_name(found, line);
    if has_others {
        format!("{name}: {}", line.figure)
    } else {
        name
    }
}

/// `start, SMP on, 300k`: the cell that the line belongs to.
pub(crate) fn line_name(found: &Found, line: &Line) -> String {
    let name = found.key.rsplit('/').next().unwrap_or_default();
    join(name, &line.case, line.size)
}

pub(crate) fn cell_name(found: &Found, cell: &Cell) -> String {
    join(&found.key, &cell.case, cell.size)
}

pub(crate) fn join(name: &str, case: &str, of: Option<u64>) -> String {
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

/// The text without its middle, if it is longer than this many characters: the size and the figure at its end matter.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    let head = characters[..head].iter();
    let tail = characters[characters.len() - tail..].iter();
    head.chain(&['…']).chain(tail).collect()
}

/// The beginning of the text, at most this many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
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
    fn long_texts_are_cut() {
        assert_eq!(shortened("abcdefgh", 8), "abcdefgh");
        assert_eq!(shortened("abcdefgh", 6), "abc…gh");
        assert_eq!(cut("abcdefgh", 6), "abcde…");
    }

    #[test]
    fn durations_have_two_units_at_most() {
        for (seconds, text) in [
            (0.4, "0 s"),
            (59.6, "1 min 0 s"),
            (95.0, "1 min 35 s"),
            (7800.0, "2 h 10 min"),
        ] {
            assert_eq!(duration(seconds), text);
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
