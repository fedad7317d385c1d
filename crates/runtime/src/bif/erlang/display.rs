//! Printing without any process in between.

use std::io::Write;

use layout::Term;
use term::am;

use crate::bif::{BifResult, badarg};
use crate::process::Process;

/// Writes to standard output at once; a reader that has gone away is no error.
fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// `erlang:display(Term)`
pub fn display_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    let mut bytes = term::print::display_bytes(term);
    bytes.extend_from_slice(b"\r\n");
    write(&bytes);
    Ok(am::TRUE)
}

/// `erlang:display_string(String)`
pub fn display_string_1(_process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let mut text = String::new();
    let mut rest = string;
    while let Some((head, tail)) = rest.as_cons() {
        let character = head
            .as_small()
            .and_then(|value| u32::try_from(value).ok())
            .and_then(char::from_u32);
        text.push(character.ok_or(badarg(1))?);
        rest = tail;
    }
    if !rest.is_nil() {
        return Err(badarg(1));
    }
    write(text.as_bytes());
    Ok(am::TRUE)
}

/// `erlang:display_nl()`
pub fn display_nl_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    write(b"\r\n");
    Ok(am::TRUE)
}
