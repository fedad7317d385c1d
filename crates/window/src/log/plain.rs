//! A line of the log as it is shown: text, without what sets colours or moves a cursor, and without the dashboard's
//! token. Any thread may call.

use sys::standard::tail;

use crate::printed;

/// A line as it is shown.
pub(super) fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    printed::text(&without_escapes(without_token(&text)), tail::LONGEST_LINE)
}

/// A text up to the token of the dashboard, which is printed once, where the dashboard is told of.
fn without_token(text: &str) -> &str {
    const BEGIN: &str = "#token=";
    let token = text.find(BEGIN);
    token.map_or(text, |at| &text[..at + BEGIN.len()])
}

/// A text without the sequences that begin with ESC and `[`, by which colours are set.
pub(crate) fn without_escapes(text: &str) -> String {
    const BEGIN: &str = "\u{1b}[";
    let mut parts = text.split(BEGIN);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| matches!(letter, '\u{40}'..='\u{7e}'));
        plain.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    plain
}
