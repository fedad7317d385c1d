//! Atoms. Their texts are in Latin-1.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::{ptr, slice};

use layout::Term;
use term::atom;

use super::numbers::store;
use crate::abi::Out;
use crate::env::Env;
use crate::functions::exceptions::enif_make_badarg;

/// The most characters of an atom.
const MOST_CHARACTERS: usize = 255;

/// The bytes of a C string.
///
/// # Safety
/// `text` points to a string that ends with a zero byte, and lives as long as the result is used.
pub(crate) unsafe fn bytes_of<'a>(text: *const c_char) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// `size` bytes of a text.
///
/// # Safety
/// As many can be read, as long as the result is used; the pointer may be null if there are none.
pub(crate) unsafe fn bytes_at<'a>(text: *const c_char, size: usize) -> &'a [u8] {
    match size {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { slice::from_raw_parts(text.cast(), size) },
    }
}

pub(super) fn make(env: &mut Env, text: &[u8]) -> Term {
    if text.len() > MOST_CHARACTERS {
        return enif_make_badarg(env);
    }
    atom::intern_latin1(text).unwrap_or_else(|_| enif_make_badarg(env))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_atom(env: &mut Env, text: *const c_char) -> Term {
    // SAFETY: the header asks for a string.
    make(env, unsafe { bytes_of(text) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_atom_len(
    env: &mut Env,
    text: *const c_char,
    size: usize,
) -> Term {
    // SAFETY: the header asks for as many bytes.
    make(env, unsafe { bytes_at(text, size) })
}

fn existing(text: &[u8]) -> Option<Term> {
    if text.len() > MOST_CHARACTERS {
        return None;
    }
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    atom::lookup(&text)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_existing_atom(
    _env: *const Env,
    text: *const c_char,
    atom: Out<'_, Term>,
    _encoding: c_int,
) -> c_int {
    // SAFETY: as in `enif_make_atom`.
    store(atom, existing(unsafe { bytes_of(text) }))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_existing_atom_len(
    _env: *const Env,
    text: *const c_char,
    size: usize,
    atom: Out<'_, Term>,
    _encoding: c_int,
) -> c_int {
    // SAFETY: as in `enif_make_atom_len`.
    store(atom, existing(unsafe { bytes_at(text, size) }))
}

/// The text of an atom, if all its characters are in Latin-1.
fn latin1(atom: Term) -> Option<Vec<u8>> {
    if !atom.is_atom() {
        return None;
    }
    let characters = atom::text(atom).chars();
    characters
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect()
}

#[unsafe(no_mangle)]
pub extern "C" fn enif_get_atom_length(
    _env: *const Env,
    atom: Term,
    length: Out<'_, c_uint>,
    _encoding: c_int,
) -> c_int {
    store(length, latin1(atom).map(|text| text.len() as c_uint))
}

/// Returns the size of the text with its zero byte; 0 if there is no room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_get_atom(
    _env: *const Env,
    atom: Term,
    room: *mut c_char,
    size: c_uint,
    _encoding: c_int,
) -> c_int {
    match latin1(atom).filter(|text| text.len() < size as usize) {
        Some(text) => {
            // SAFETY: the room has `size` bytes, more than the text.
            unsafe {
                ptr::copy_nonoverlapping(text.as_ptr(), room.cast(), text.len());
                room.add(text.len()).write(0);
            }
            text.len() as c_int + 1
        }
        None => 0,
    }
}
