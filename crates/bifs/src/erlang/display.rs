//! Printing directly to the standard streams, without an I/O process.

use std::io::{Write, stderr, stdout};

use layout::{Term, no_gc};
use term::{am, list, unicode};

use runtime::code::bif::{BifResult, badarg, error};
use runtime::process::Process;

/// Writes and flushes. Lines end in CR LF as on a raw terminal, because stock assumes one everywhere. Errors are
/// ignored, for example when the reader has gone away.
fn write(mut out: impl Write, bytes: &[u8]) {
    let mut raw = Vec::with_capacity(bytes.len() + 2);
    for &byte in bytes {
        if byte == b'\n' {
            raw.push(b'\r');
        }
        raw.push(byte);
    }
    let _ = out.write_all(&raw).and_then(|()| out.flush());
}

/// `erlang:display(Term)`
pub(crate) fn display_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    let mut bytes = term::print::display_bytes(term);
    bytes.push(b'\n');
    write(stdout().lock(), &bytes);
    Ok(am::TRUE)
}

/// The text of a list of characters.
fn text_of(characters: Term) -> Option<String> {
    let characters = list::items(characters);
    characters
        .map(|item| unicode::character(item.ok()?))
        .collect()
}

/// `erlang:display_string(stdin | stdout | stderr, Text)`: as it is.
pub(crate) fn display_string_2(_process: &mut Process, [stream, text]: [Term; 2]) -> BifResult {
    let text = match unicode::bytes_of(text, no_gc!()) {
        Some(bytes) => bytes.to_vec(),
        None => text_of(text).ok_or(badarg(2))?.into_bytes(),
    };
    let written = match stream {
        am::STDOUT => stdout().write_all(&text).and_then(|()| stdout().flush()),
        am::STDERR => stderr().write_all(&text),
        _ => return Err(badarg(1)),
    };
    written.map(|()| am::TRUE).map_err(|_| error(am::BADARG))
}

/// `erlang:display_string(String)`: to standard error, as in OTP 25.
pub(crate) fn display_string_1(_process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let text = text_of(string).ok_or(badarg(1))?;
    write(stderr().lock(), text.as_bytes());
    Ok(am::TRUE)
}

/// `erlang:display_nl()`: to standard error, as in OTP 25.
pub(crate) fn display_nl_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    write(stderr().lock(), b"\n");
    Ok(am::TRUE)
}
