//! Terms that drivers describe, for messages.

use std::ffi::{c_char, c_int};
use std::slice;

use layout::Term;
use runtime::port::driver::Access;
use runtime::signal;
use term::atom;
use term::copy::Owned;
use term::heap::Scratch;

use crate::driver::abi::Handle;
use crate::driver::port::{self, Shared};
use crate::driver::term_data;
use crate::functions::atoms::bytes_of;

/// `[]`, for drivers that were compiled before [`driver_mk_term_nil`] was there.
#[unsafe(no_mangle)]
pub static driver_term_nil: usize = Term::NIL.bits() as usize;

#[unsafe(no_mangle)]
pub extern "C" fn driver_mk_term_nil() -> Term {
    Term::NIL
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_mk_atom(text: *const c_char) -> Term {
    // SAFETY: the header asks for a string.
    let text = unsafe { bytes_of(text) };
    atom::intern_latin1(text).expect("a native library: an atom of more than 255 characters")
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

/// Sends a message to the connected process.
fn tell_connected(handle: Handle, message: Owned) -> c_int {
    let tell = move |_: &Shared, access: &mut Access<'_>| {
        if !access.is_closing() {
            signal::send_message_from_outside(access.connected(), message.term());
        }
    };
    match port::perform(handle, tell) {
        true => 1,
        false => -1,
    }
}

/// Returns 1; below 0 if the words make no sense, or there is no such port.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn erl_drv_output_term(
    port: Handle,
    words: *const usize,
    count: c_int,
) -> c_int {
    // SAFETY: the header asks for as many words.
    match unsafe { described(words, count) } {
        Some(message) => tell_connected(port, message),
        None => -1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_output_term(
    port: Handle,
    words: *const usize,
    count: c_int,
) -> c_int {
    // SAFETY: as above.
    unsafe { erl_drv_output_term(port, words, count) }
}

/// As [`erl_drv_output_term`], to any process; returns 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn erl_drv_send_term(
    port: Handle,
    to: Term,
    words: *const usize,
    count: c_int,
) -> c_int {
    if port::find(port).is_none() || !to.is_local_pid() {
        return -1;
    }
    // SAFETY: as above.
    match unsafe { described(words, count) } {
        Some(message) => c_int::from(signal::send_message_from_outside(to, message.term())),
        None => -1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_send_term(
    port: Handle,
    to: Term,
    words: *const usize,
    count: c_int,
) -> c_int {
    // SAFETY: as above.
    unsafe { erl_drv_send_term(port, to, words, count) }
}
