//! Terms that drivers describe, for messages.

use std::ffi::{c_char, c_int};
use std::slice;

use layout::Term;
use runtime::effects::port::driver::Access;
use runtime::mail::signal;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, atom};

use crate::driver::abi::Handle;
use crate::driver::port;
use crate::driver::term_data;
use crate::functions::atoms::bytes_of;

/// `[]`, for drivers that were compiled before [`driver_mk_term_nil`] was there.
#[unsafe(no_mangle)]
pub(super) static driver_term_nil: usize = Term::NIL.bits() as usize;

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_mk_term_nil() -> Term {
    Term::NIL
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_mk_atom(text: *const c_char) -> Term {
    // SAFETY: the header asks for a string.
    let text = unsafe { bytes_of(text) };
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    // The library cannot be told that the table is full.
    atom::known(&text)
}

/// The term that words describe.
///
/// # Safety
/// The header's promise for the array.
unsafe fn described(words: *const usize, count: c_int) -> Option<Owned> {
    let count = usize::try_from(count).ok().filter(|count| *count > 0)?;
    let mut scratch = Scratch::new();
    // SAFETY: the caller's promise.
    let term = unsafe { term_data::build(scratch.heap(), slice::from_raw_parts(words, count)) }?;
    Some(Owned::new(term))
}

/// The result for a port that is closing: nothing was sent.
const CLOSING: c_int = 0;

/// Sends a message to the connected process. Another thread than the one that the driver is called on leaves that to a
/// scheduler, and does not learn whether the process exists.
///
/// Returns 1; 0 if there is no such process, or the port is closing; below 0 if the words make no sense, or there is no
/// such port.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn erl_drv_output_term(
    port: Handle,
    words: *const usize,
    count: c_int,
) -> c_int {
    let here = port::with(port, |_, access| (access.connected(), access.is_closing()));
    match here {
        Some((_, true)) => CLOSING,
        // SAFETY: the header asks for as many words.
        Some((connected, false)) => unsafe { send(port, connected, words, count) },
        None => {
            // SAFETY: as above.
            let Some(message) = (unsafe { described(words, count) }) else {
                return -1;
            };
            let performed = port::perform(port, move |_, access| tell(access, &message));
            if performed { 1 } else { -1 }
        }
    }
}

/// Sends the connected process a message, unless the port is closing.
fn tell(access: &mut Access<'_>, message: &Owned) {
    if !access.is_closing() {
        access.send_term(access.connected(), message);
    }
}

/// Sends a process the term that words describe; returns as [`erl_drv_output_term`] does.
///
/// # Safety
/// The header's promise for the array.
unsafe fn send(port: Handle, to: Term, words: *const usize, count: c_int) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { described(words, count) } {
        Some(message) => {
            let from_here = |access: &mut Access<'_>| access.send_term(to, &message);
            let sent = to.is_local_pid()
                && port::with(port, |_, access| from_here(access))
                    // Another thread of the driver, which no tracer is told of.
                    .unwrap_or_else(|| signal::send_message(am::UNDEFINED, to, message.term()));
            c_int::from(sent)
        }
        None => -1,
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_output_term(
    port: Handle,
    words: *const usize,
    count: c_int,
) -> c_int {
    // SAFETY: as above.
    unsafe { erl_drv_output_term(port, words, count) }
}

/// As [`erl_drv_output_term`], to any process.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn erl_drv_send_term(
    port: Handle,
    to: Term,
    words: *const usize,
    count: c_int,
) -> c_int {
    match port::with(port, |_, access| access.is_closing()) {
        Some(true) => CLOSING,
        None if port::find(port).is_none() => -1,
        // SAFETY: as above.
        _ => unsafe { send(port, to, words, count) },
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_send_term(
    port: Handle,
    to: Term,
    words: *const usize,
    count: c_int,
) -> c_int {
    // SAFETY: as above.
    unsafe { erl_drv_send_term(port, to, words, count) }
}
