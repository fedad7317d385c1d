//! Numbers with their units, and text of a node as a terminal may have it.

/// Bytes in the largest unit of which there is one.
pub(super) fn bytes(bytes: f64) -> String {
    scaled(bytes, 1024.0, &["B", "KB", "MB", "GB", "TB", "PB"])
}

/// A count with a letter for thousands, millions and so on.
pub(super) fn count(count: f64) -> String {
    let text = scaled(count, 1000.0, &["", "k", "M", "G", "T", "P"]);
    text.replacen(' ', "", 1)
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    while value.abs() >= step * 0.9995 {
        let Some(next) = units.next() else { break };
        (unit, value) = (next, value / step);
    }
    let digits = match value.abs() {
        small if small < 10.0 && value.fract() != 0.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}").trim_end().to_owned()
}

/// A duration of some seconds.
pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s => uptime(s as u64),
    }
}

/// A long duration in its two largest units.
pub(super) fn uptime(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Text of a node in one line, without anything that a terminal would carry out, or that would turn the line around.
pub(super) fn clean(text: &str) -> String {
    let is_bad = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars()
        .map(|c| if is_bad(c) { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0 B"),
            (1023.0, "1023 B"),
            (1536.0, "1.5 KB"),
            (10.0 * 1048576.0, "10 MB"),
            (5.25e12, "4.8 TB"),
        ] {
            assert_eq!(bytes(value), text);
        }
        for (value, text) in [
            (7.0, "7"),
            (0.5, "0.5"),
            (999.9, "1.0k"),
            (1234.0, "1.2k"),
            (2e6, "2M"),
        ] {
            assert_eq!(count(value), text);
        }
        for (value, text) in [
            (2.56e-7, "256 ns"),
            (0.0015, "2 ms"),
            (3.0, "3.0 s"),
            (200.0, "3 min 20 s"),
        ] {
            assert_eq!(seconds(value), text);
        }
        assert_eq!(uptime(90_000), "1 d 1 h");
        assert_eq!(percent(0.456), "46%");
    }

    #[test]
    fn text_of_a_node_moves_no_cursor() {
        assert_eq!(
            clean("a\x1b[2Jb\u{202e}c\n"),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}"
        );
        assert_eq!(clean("äöü 名"), "äöü 名");
    }
}
