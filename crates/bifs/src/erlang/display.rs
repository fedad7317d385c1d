//! Printing directly to the standard streams, without an I/O process.

use std::io::{Write, stderr, stdout};

use layout::{Term, no_gc};
use sys::errno::Errno;
use sys::terminal::Keyboard;
use term::{am, atom, list, unicode};

use runtime::code::bif::{BifResult, Failure, badarg, badarg_because};
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

/// `erlang:display_string(stdin | stdout | stderr, Text)`: as it is; to `stdin` as if somebody typed it at the
/// terminal.
pub(crate) fn display_string_2(_process: &mut Process, [stream, text]: [Term; 2]) -> BifResult {
    // A terminal that cannot be opened is told before a bad text.
    let keyboard = match stream {
        am::STDIN => Some(Keyboard::open().map_err(not_typed)?),
        am::STDOUT | am::STDERR => None,
        _ => return Err(badarg(1)),
    };
    let text = match unicode::bytes_of(text, no_gc!()) {
        Some(bytes) => bytes.to_vec(),
        None => text_of(text).ok_or(badarg(2))?.into_bytes(),
    };
    if let Some(keyboard) = keyboard {
        return keyboard.press(&text).map(|()| am::TRUE).map_err(not_typed);
    }
    let written = match stream {
        am::STDOUT => stdout().write_all(&text).and_then(|()| stdout().flush()),
        _ => stderr().write_all(&text),
    };
    written
        .map(|()| am::TRUE)
        .map_err(|error| failed(error.into()))
}

/// `badarg` because of an error of the system.
fn failed(error: Errno) -> Failure {
    badarg_because(atom::known(error.name()))
}

/// As [`failed`], and tells the user why, as stock does.
#[cold]
fn not_typed(error: Errno) -> Failure {
    let told = format!(
        "cannot type into the terminal: {}\r\nLinux may forbid it; sysctl -w dev.tty.legacy_tiocsti=1 allows it\r\n",
        error.message()
    );
    let _ = stderr().write_all(told.as_bytes());
    failed(error)
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
