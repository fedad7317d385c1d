//! The text of a report as the logger would print it: the few control sequences of `io:format` that reports have.

use std::fmt::{self, Write};

use layout::Term;
use term::list;
use term::print::display_limited;

/// The most bytes of a report's text.
const MOST_BYTES: usize = 16 << 10;
/// The most characters of one argument.
const MOST_OF_ARGUMENT: usize = 2_000;

/// A text that takes no more once it has [`MOST_BYTES`].
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > MOST_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

/// The text, which ends with the end of a line.
pub(super) fn text(format: &str, arguments: &[Term]) -> String {
    let mut text = Limited(String::new());
    // An error says that there is no more room.
    let _ = write(&mut text, format, arguments);
    let mut text = text.0;
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn write(text: &mut Limited, format: &str, arguments: &[Term]) -> fmt::Result {
    let mut arguments = arguments.iter();
    let mut parts = format.split('~');
    text.write_str(parts.next().unwrap_or_default())?;
    for part in parts {
        let part = part.strip_prefix('t').unwrap_or(part);
        let mut rest = part.chars();
        match rest.next() {
            Some('n') => text.write_char('\n')?,
            Some('s') => characters(text, arguments.next().copied())?,
            Some('p') => {
                let argument = arguments.next().copied().unwrap_or(Term::NIL);
                write!(text, "{}", display_limited(argument, MOST_OF_ARGUMENT))?;
            }
            _ => text.write_char('~')?,
        }
        text.write_str(rest.as_str())?;
    }
    Ok(())
}

/// Writes a list of characters.
fn characters(text: &mut Limited, argument: Option<Term>) -> fmt::Result {
    for item in list::items(argument.unwrap_or(Term::NIL)) {
        let code = item.ok().and_then(|item| item.as_small());
        let code = code.and_then(|code| u32::try_from(code).ok());
        text.write_char(code.and_then(char::from_u32).unwrap_or('?'))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::build;
    use term::heap::Scratch;

    #[test]
    fn a_report_reads_as_the_logger_prints_it() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let name = build::string(heap, "m\u{fc}de");
        let arguments = [name, Term::small(7), name];
        let found = text("Module ~ts has ~p of ~p~n", &arguments);
        assert_eq!(found, "Module m\u{fc}de has 7 of \"m\u{fc}de\"\n");
        assert_eq!(text("~p ~s ~x 100", &[]), "[]  ~ 100\n");
        let long = "x".repeat(MOST_BYTES);
        assert!(text(&long, &[]).len() <= MOST_BYTES + 1);
        assert!(text(&format!("{long}~n~n"), &[]).len() <= MOST_BYTES + 1);
    }
}
