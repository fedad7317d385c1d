//! The log's tail: the last lines that the node has written to standard output, standard error and its terminal, and
//! the reports of the machine itself as they were made.
//!
//! So what OTP's logger prints is here where it prints to the console, as it does unless it is told otherwise, together
//! with whatever else is printed there. What its handlers write to files is read from these ([`files`]). A report of
//! the machine's own (a process has crashed, the memory guard has ended one) is here at once, also when no scheduler is
//! left to run the logger; when the logger prints it, it is here once more. It begins when the window is opened. Any
//! thread may call.

pub mod files;
pub(crate) mod plain;

use serde::Serialize;
use sys::standard::tail::{self, Line, Source};

use crate::listed::{self, ListQuery, Listed, columns};
use plain::plain;

/// A line.
#[derive(Clone, Debug, Serialize)]
pub struct LineRow {
    /// Lines are counted from 0 on.
    pub number: u64,
    pub written_unix_ms: u64,
    /// `output`, `error`, `terminal` (from OTP 26 on for standard output, too), or `report` of the machine's own
    /// reports.
    pub source: &'static str,
    /// Of reports: `error`, `warning` or another level of the logger.
    pub level: Option<&'static str>,
    /// Without what sets colours or moves a cursor.
    pub text: String,
}

columns!(LineRow: number, written_unix_ms, source, level, text);

/// The tail.
#[derive(Clone, Debug, Serialize)]
pub struct Log {
    /// Older lines, which were forgotten.
    pub forgotten: u64,
    /// What the logger writes besides, of which `log/HANDLER` has the last lines.
    pub files: Vec<files::LogFile>,
    /// Without another order the newest come first.
    #[serde(flatten)]
    pub listed: Listed<LineRow>,
}

/// The tail; empty while the window is closed.
///
/// # Errors
/// As [`listed::page`].
pub(crate) fn page(query: &ListQuery) -> Result<Log, String> {
    let (mut lines, forgotten) = tail::lines();
    lines.reverse();
    Ok(Log {
        forgotten,
        files: files::all(),
        listed: listed::page(lines, 0, query, LineRow::of)?,
    })
}

impl LineRow {
    fn of(line: &Line) -> LineRow {
        let (source, level) = match line.source {
            Source::Output => ("output", None),
            Source::Error => ("error", None),
            Source::Terminal => ("terminal", None),
            Source::Report(level) => ("report", Some(level)),
        };
        LineRow {
            number: line.number,
            written_unix_ms: u64::try_from(line.system_ns / 1_000_000).unwrap_or(0),
            source,
            level,
            text: plain(&line.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_and_what_else_controls_a_terminal_is_seen() {
        let line = |bytes: &[u8]| {
            LineRow::of(&Line {
                number: 3,
                system_ns: 5_000_000,
                source: Source::Report("error"),
                bytes: bytes.to_vec(),
                is_open: false,
            })
        };
        let coloured = line(b"\x1b[31;1mred\x1b[0m <b>\x07\xff\x1b]0;title\x1b[3");
        assert_eq!(coloured.text, "red <b>\\x{7}\u{fffd}\\x{1B}]0;title");
        assert_eq!(
            (coloured.written_unix_ms, coloured.level),
            (5, Some("error"))
        );
        assert_eq!(line(b"").text, "");
        assert_eq!(
            line(b"at http://[::1]:1/#token=abc").text,
            "at http://[::1]:1/#token="
        );
        assert_eq!(
            line("tr\u{fc}b \u{202e}".as_bytes()).text,
            "tr\u{fc}b \\x{202E}"
        );
    }
}
