//! Atoms. Their texts are in Latin-1 or, since OTP 26, in UTF-8.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::{ptr, slice};

use layout::Term;
use term::atom;

use super::numbers::store;
use crate::abi::{LATIN1, Out, UTF8};
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
    new(text, LATIN1).unwrap_or_else(|| enif_make_badarg(env))
}

/// The atom with this text; None if it is too long or not in the encoding.
fn new(text: &[u8], encoding: c_int) -> Option<Term> {
    match encoding {
        UTF8 => atom::intern(text).ok(),
        _ if text.len() > MOST_CHARACTERS => None,
        _ => atom::intern_latin1(text).ok(),
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_make_atom(env: &mut Env, text: *const c_char) -> Term {
    // SAFETY: the header asks for a string.
    make(env, unsafe { bytes_of(text) })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_make_atom_len(
    env: &mut Env,
    text: *const c_char,
    size: usize,
) -> Term {
    // SAFETY: the header asks for as many bytes.
    make(env, unsafe { bytes_at(text, size) })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_make_new_atom(
    _env: *const Env,
    text: *const c_char,
    atom: Out<'_, Term>,
    encoding: c_int,
) -> c_int {
    // SAFETY: as in `enif_make_atom`.
    store(atom, new(unsafe { bytes_of(text) }, encoding))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_make_new_atom_len(
    _env: *const Env,
    text: *const c_char,
    size: usize,
    atom: Out<'_, Term>,
    encoding: c_int,
) -> c_int {
    // SAFETY: as in `enif_make_atom_len`.
    store(atom, new(unsafe { bytes_at(text, size) }, encoding))
}

fn existing(text: &[u8], encoding: c_int) -> Option<Term> {
    if encoding == UTF8 {
        return atom::lookup(str::from_utf8(text).ok()?);
    }
    if text.len() > MOST_CHARACTERS {
        return None;
    }
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    atom::lookup(&text)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_make_existing_atom(
    _env: *const Env,
    text: *const c_char,
    atom: Out<'_, Term>,
    encoding: c_int,
) -> c_int {
    // SAFETY: as in `enif_make_atom`.
    store(atom, existing(unsafe { bytes_of(text) }, encoding))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_make_existing_atom_len(
    _env: *const Env,
    text: *const c_char,
    size: usize,
    atom: Out<'_, Term>,
    encoding: c_int,
) -> c_int {
    // SAFETY: as in `enif_make_atom_len`.
    store(atom, existing(unsafe { bytes_at(text, size) }, encoding))
}

/// The text of an atom in an encoding, if it has all its characters.
fn encoded(atom: Term, encoding: c_int) -> Option<Cow<'static, [u8]>> {
    if !atom.is_atom() {
        return None;
    }
    let text = atom::text(atom);
    if encoding == UTF8 {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).ok());
    bytes.collect::<Option<Vec<u8>>>().map(Cow::Owned)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_get_atom_length(
    _env: *const Env,
    atom: Term,
    length: Out<'_, c_uint>,
    encoding: c_int,
) -> c_int {
    let text = encoded(atom, encoding);
    store(length, text.map(|text| text.len() as c_uint))
}

/// Returns the size of the text with its zero byte; 0 if there is no room for it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_get_atom(
    _env: *const Env,
    atom: Term,
    room: *mut c_char,
    size: c_uint,
    encoding: c_int,
) -> c_int {
    match encoded(atom, encoding).filter(|text| text.len() < size as usize) {
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

/// The place that an atom has in the caches of connections to other nodes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_get_atom_cache_index(
    _env: *const Env,
    atom: Term,
    index: Out<'_, c_uint>,
) -> c_int {
    let place = atom.is_atom().then(|| atom::cache_place(atom) as c_uint);
    store(index, place)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_max_atom_cache_index() -> c_uint {
    atom::CACHE_PLACES as c_uint - 1
}
