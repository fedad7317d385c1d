//! Ending the node.

use layout::Term;
use term::{am, atom};

use runtime::bif::{BifResult, badarg};
use runtime::halt;
use runtime::process::Process;

/// `erlang:halt(Status, Options)`
pub fn halt_2(_process: &mut Process, [status, options]: [Term; 2]) -> BifResult {
    let mut flush = true;
    let mut rest = options;
    while let Some((option, tail)) = rest.as_cons() {
        match option.as_tuple() {
            Some(&[name, value])
                if name == atom::known("flush") && (value == am::TRUE || value == am::FALSE) =>
            {
                flush = value == am::TRUE;
            }
            _ => return Err(badarg(2)),
        }
        rest = tail;
    }
    if !rest.is_nil() {
        return Err(badarg(2));
    }
    if let Some(code) = status.as_small() {
        if code < 0 {
            return Err(badarg(1));
        }
        halt::halt((code & 0xff) as i32, flush)
    } else if status == am::ABORT {
        halt::abort()
    } else if let Some(slogan) = text_of(status) {
        halt::crash(&slogan)
    } else {
        Err(badarg(1))
    }
}

/// Characters of the longest slogan; OTP cuts off the rest.
const SLOGAN_CHARACTERS: usize = 1023;

/// The text of a list of characters.
fn text_of(list: Term) -> Option<String> {
    let mut text = String::new();
    let mut rest = list;
    let mut characters = 0;
    while let Some((head, tail)) = rest.as_cons() {
        if characters == SLOGAN_CHARACTERS {
            return Some(text);
        }
        characters += 1;
        text.push(char::from_u32(u32::try_from(head.as_small()?).ok()?)?);
        rest = tail;
    }
    rest.is_nil().then_some(text)
}
