//! Terms, names and calls as text that is safe to show: limited in length and in the work that it takes, without
//! characters that control a terminal or turn the direction of what follows. What HTML makes of it is for the page to
//! see to.
//!
//! A term must not move meanwhile: it is one of a process, table or port that this thread holds still.

use std::fmt::{self, Write};

use layout::{Term, no_gc};
use term::print::{display_limited, write_atom};
use term::{am, atom};

/// The most characters of a term.
pub(crate) const MOST: usize = 1_000;
/// The most characters of a term in a row of a table.
pub(crate) const MOST_IN_ROW: usize = 200;

/// A term in at most so many characters, and three dots if something is left out.
#[must_use]
pub(crate) fn term(term: Term, most: usize) -> String {
    let mut text = Safe::new(most);
    // An error says that there is no more room.
    let _ = write!(text, "{}", display_limited(term, most));
    text.done()
}

/// A text of any kind, as [`term()`].
#[must_use]
pub(crate) fn text(text: &str, most: usize) -> String {
    let mut safe = Safe::new(most);
    let _ = safe.write_str(text);
    safe.done()
}

/// An atom as the language reads it.
#[must_use]
pub(crate) fn name(name: Term) -> String {
    term(name, MOST_IN_ROW)
}

/// The name of a node as people write it, without the quotes that the language asks for.
#[must_use]
pub(crate) fn node(name: Term) -> String {
    text(atom::text(name), MOST_IN_ROW)
}

/// `Module:Function/Arity`.
#[must_use]
pub(crate) fn call(module: Term, function: Term, arity: u32) -> String {
    let mut text = Safe::new(MOST_IN_ROW);
    let _ = write_call(&mut text, module, function, arity);
    text.done()
}

fn write_call(text: &mut Safe, module: Term, function: Term, arity: u32) -> fmt::Result {
    write_atom(text, atom::text(module))?;
    text.write_char(':')?;
    write_atom(text, atom::text(function))?;
    write!(text, "/{arity}")
}

/// A process or port identifier, or a reference; `undefined` where there is none.
#[must_use]
pub(crate) fn identifier(identifier: Term) -> String {
    let identifier = if identifier.is_none() {
        am::UNDEFINED
    } else {
        identifier
    };
    term(identifier, MOST_IN_ROW)
}

/// The call in a tuple `{Module, Function, Arity}`.
#[must_use]
pub(crate) fn call_in(tuple: Term) -> Option<[Term; 3]> {
    let parts: [Term; 3] = tuple.as_tuple(no_gc!())?.try_into().ok()?;
    let [module, function, arity] = parts;
    let is_call = module.is_atom() && function.is_atom() && arity.as_small().is_some();
    is_call.then_some(parts)
}

/// The arity in such a tuple.
#[must_use]
pub(crate) fn arity(term: Term) -> u32 {
    let arity = term.as_small().unwrap_or(0);
    u32::try_from(arity).unwrap_or(0)
}

/// An output of limited length.
struct Safe {
    text: String,
    left: usize,
    is_cut: bool,
}

impl Safe {
    fn new(most: usize) -> Safe {
        Safe {
            text: String::new(),
            left: most,
            is_cut: false,
        }
    }

    fn done(mut self) -> String {
        // The printer of terms marks what it leaves out by itself, and a space.
        if self.is_cut {
            self.text.push_str("...");
        }
        self.text.truncate(self.text.trim_end().len());
        self.text
    }
}

impl Write for Safe {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            let Some(left) = self.left.checked_sub(1) else {
                self.is_cut = true;
                return Err(fmt::Error);
            };
            self.left = left;
            if is_unsafe(character) {
                write!(self.text, "\\x{{{:X}}}", u32::from(character))?;
            } else {
                self.text.push(character);
            }
        }
        Ok(())
    }
}

/// Whether a character does something else than to be seen: controls, line and paragraph separators, and what changes
/// the direction of text or is not seen at all. (What joins emojis is not among them.)
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200b}'..='\u{200c}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::build;
    use term::heap::Scratch;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert_eq!(
            text("a\u{1b}[31m\nb\u{7f}\u{85}", 100),
            "a\\x{1B}[31m\\x{A}b\\x{7F}\\x{85}"
        );
        assert_eq!(text("\u{202e}evil\u{feff}", 100), "\\x{202E}evil\\x{FEFF}");
        assert_eq!(text("grün <b> 🎉", 100), "grün <b> 🎉");
        let name = atom::known("\u{202e}\u{1b}x");
        assert_eq!(super::name(name), "'\\x{202E}\\033x'");
    }

    #[test]
    fn text_is_cut_by_characters() {
        assert_eq!(text("🎉🎉🎉", 3), "🎉🎉🎉");
        assert_eq!(text("🎉🎉🎉", 2), "🎉🎉...");
        let mut scratch = Scratch::new();
        let list: Vec<Term> = (0..1000).map(Term::small).collect();
        let list = build::list(scratch.heap(), &list);
        let printed = term(list, 50);
        assert!(
            printed.starts_with("[0,1,2,") && printed.ends_with("..."),
            "{printed}"
        );
        assert!(printed.chars().count() < 60, "{printed}");
    }

    #[test]
    fn calls_are_as_in_the_language() {
        assert_eq!(
            call(atom::known("lists"), atom::known("-map/2-fun-0-"), 1),
            "lists:'-map/2-fun-0-'/1"
        );
        let mut scratch = Scratch::new();
        let [module, function] = ["m", "f"].map(atom::known);
        let tuple = build::tuple(scratch.heap(), &[module, function, Term::small(3)]);
        assert_eq!(call_in(tuple).map(|parts| arity(parts[2])), Some(3));
        assert_eq!(call_in(Term::small(3)), None);
        let other = build::tuple(scratch.heap(), &[module, function, Term::NIL]);
        assert_eq!(call_in(other), None);
    }
}
