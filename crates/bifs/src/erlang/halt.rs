//! Ending the node.

use layout::Term;
use term::{am, atom, list, unicode};

use runtime::code::bif::{BifResult, badarg};
use runtime::exec::halt;
use runtime::mail::hooks::CrashCause;
use runtime::process::Process;

/// `erlang:halt(Status, Options)`
pub fn halt_2(_process: &mut Process, [status, options]: [Term; 2]) -> BifResult {
    let mut flush = true;
    for option in list::items(options) {
        match option.map_err(|_| badarg(2))?.as_tuple_of() {
            Some([name, value])
                if name == atom::known("flush") && (value == am::TRUE || value == am::FALSE) =>
            {
                flush = value == am::TRUE;
            }
            _ => return Err(badarg(2)),
        }
    }
    if let Some(code) = status.as_small() {
        if code < 0 {
            return Err(badarg(1));
        }
        halt::halt((code & 0xff) as i32, flush)
    } else if status == am::ABORT {
        halt::abort()
    } else if let Some(slogan) = text_of(status) {
        halt::end_with_dump(CrashCause::Outside, &slogan)
    } else {
        Err(badarg(1))
    }
}

/// Characters of the longest slogan; OTP cuts off the rest.
const SLOGAN_CHARACTERS: usize = 1023;

/// The text of a list of characters.
fn text_of(list: Term) -> Option<String> {
    let mut text = String::new();
    for (count, item) in list::items(list).enumerate() {
        let item = item.ok()?;
        if count == SLOGAN_CHARACTERS {
            return Some(text);
        }
        text.push(unicode::character(item)?);
    }
    Some(text)
}
