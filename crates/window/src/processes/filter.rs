//! Which processes a text is found in: in the pid, the registered name, the label, and the functions that a process
//! began with and is in. In all of them small letters and capitals are the same.

use layout::Term;
use runtime::mail::registry;
use runtime::process::Process;

use super::calls::{self, Calls};
use super::row::{self, Row};

/// A text that is looked for.
pub(super) struct Filter {
    text: String,
    /// It may be a part of a pid.
    is_of_pid: bool,
}

impl Filter {
    /// `text` is in small letters.
    pub(super) fn new(text: &str) -> Filter {
        let is_of_pid = |character: char| character.is_ascii_digit() || "<.>".contains(character);
        Filter {
            text: text.to_owned(),
            is_of_pid: text.chars().all(is_of_pid),
        }
    }

    /// Whether the text is found in a process.
    pub(super) fn has(&self, process: &Process, calls: &mut Calls) -> bool {
        self.has_of_any(process.pid())
            || self.is_in(registry::name_of_process(process))
            || calls.has(calls::initial(process), &self.text)
            || calls
                .current(process)
                .is_some_and(|call| calls.has(call, &self.text))
            || row::label(process).is_some_and(|label| label.to_lowercase().contains(&self.text))
    }

    /// Whether it is found in what is shown of a process.
    pub(super) fn has_row(&self, row: &Row) -> bool {
        let shown = [
            &row.name,
            &row.label,
            &row.initial_call,
            &row.current_function,
        ];
        let mut shown = shown.into_iter().flatten().chain([&row.pid]);
        shown.any(|text| text.to_lowercase().contains(&self.text))
    }

    fn has_of_any(&self, pid: Term) -> bool {
        self.is_of_pid && row::pid_text(pid).contains(&self.text)
    }

    fn is_in(&self, name: Option<Term>) -> bool {
        name.is_some_and(|name| term::atom::text(name).to_lowercase().contains(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_looked_for_in_pids() {
        let pid = Term::local_pid(1234, 5);
        for (text, is_found) in [
            ("<0.1234.5>", true),
            ("23", true),
            ("4.5>", true),
            ("6", false),
            ("0.1234x", false),
        ] {
            assert_eq!(Filter::new(text).has_of_any(pid), is_found, "{text}");
        }
    }
}
