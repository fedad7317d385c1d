//! Lists and strings, which are lists of bytes or, since OTP 26, of characters.

use std::ffi::{c_char, c_int, c_uint};
use std::slice;

use layout::Term;
use term::{build, integer, list, unicode};

use super::atoms::{bytes_at, bytes_of};
use super::exceptions::enif_make_badarg;
use super::numbers::store;
use crate::abi::{Out, UTF8};
use crate::check;
use crate::env::Env;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_list_cell(env: &mut Env, head: Term, tail: Term) -> Term {
    check::built_on(env, "enif_make_list_cell", &[head, tail]);
    build::cons(env.heap(), head, tail)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_list_from_array(
    env: &mut Env,
    items: *const Term,
    count: c_uint,
) -> Term {
    if count == 0 {
        return Term::NIL;
    }
    // SAFETY: the header asks for as many terms.
    let items = unsafe { slice::from_raw_parts(items, count as usize) };
    check::built_on(env, "enif_make_list", items);
    build::list_in_row(env.heap(), items, Term::NIL)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_string(
    env: &mut Env,
    text: *const c_char,
    encoding: c_int,
) -> Term {
    // SAFETY: the header asks for a string.
    string(env, unsafe { bytes_of(text) }, encoding)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_string_len(
    env: &mut Env,
    text: *const c_char,
    size: usize,
    encoding: c_int,
) -> Term {
    // SAFETY: the header asks for as many bytes.
    string(env, unsafe { bytes_at(text, size) }, encoding)
}

fn string(env: &mut Env, text: &[u8], encoding: c_int) -> Term {
    if encoding != UTF8 {
        return build::byte_list(env.heap(), text);
    }
    match str::from_utf8(text) {
        Ok(text) => build::string(env.heap(), text),
        Err(_) => enif_make_badarg(env),
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_list_cell(
    env: *const Env,
    list: Term,
    head: Out<'_, Term>,
    tail: Out<'_, Term>,
) -> c_int {
    check::read(env, "enif_get_list_cell", list);
    let Some((first, rest)) = list.as_cons() else {
        return 0;
    };
    head.write(first);
    tail.write(rest);
    1
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_list_length(
    env: *const Env,
    list: Term,
    length: Out<'_, c_uint>,
) -> c_int {
    check::read(env, "enif_get_list_length", list);
    store(length, list::length(list).map(|length| length as c_uint))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_reverse_list(
    env: &mut Env,
    list: Term,
    reversed: Out<'_, Term>,
) -> c_int {
    check::built_on(env, "enif_make_reverse_list", &[list]);
    let mut result = Term::NIL;
    for item in list::items(list) {
        match item {
            Ok(item) => result = build::cons(env.heap(), item, result),
            Err(_) => return 0,
        }
    }
    reversed.write(result);
    1
}

/// Returns the size of the text with its zero byte; if there is too little room, the negated size of the room, which
/// then holds the beginning; 0 if it is no list of bytes.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_get_string(
    env: *const Env,
    list: Term,
    room: *mut c_char,
    size: c_uint,
    encoding: c_int,
) -> c_int {
    check::read(env, "enif_get_string", list);
    if size == 0 {
        return 0;
    }
    if encoding == UTF8 {
        // SAFETY: as below.
        return unsafe { get_utf8(list, room, size) };
    }
    // SAFETY: the header asks for a room of this size.
    let put = |index: usize, byte: u8| unsafe { room.add(index).write(byte as c_char) };
    let mut count = 0;
    for item in list::items(list) {
        let Some(byte) = item.ok().and_then(integer::uint8) else {
            put(count, 0);
            return 0;
        };
        put(count, byte);
        count += 1;
        if count >= size as usize {
            put(count - 1, 0);
            return (size as c_int).wrapping_neg();
        }
    }
    put(count, 0);
    count as c_int + 1
}

/// The characters of a list; an item that is none ends them with None.
fn characters(list: Term) -> impl Iterator<Item = Option<char>> {
    list::items(list).map(|item| unicode::character(item.ok()?))
}

/// As [`enif_get_string`] for UTF-8. A character that does not fit whole is left out, and the result tells what was
/// written.
///
/// # Safety
/// The room has `size` bytes, at least 1.
unsafe fn get_utf8(list: Term, room: *mut c_char, size: c_uint) -> c_int {
    let mut text = String::new();
    let mut is_whole = true;
    for character in characters(list) {
        match character {
            None => {
                // SAFETY: the caller's promise.
                unsafe { room.write(0) };
                return 0;
            }
            Some(character) if text.len() + character.len_utf8() < size as usize => {
                text.push(character);
            }
            Some(_) => {
                is_whole = false;
                break;
            }
        }
    }
    // SAFETY: the text is shorter than the room.
    unsafe {
        room.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
        room.add(text.len()).write(0);
    }
    let written = text.len() as c_int + 1;
    if is_whole { written } else { -written }
}

/// The length of a string in bytes, without a zero byte.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_string_length(
    env: *const Env,
    list: Term,
    length: Out<'_, c_uint>,
    encoding: c_int,
) -> c_int {
    check::read(env, "enif_get_string_length", list);
    let mut bytes = 0;
    for item in list::items(list) {
        let size = match encoding {
            UTF8 => item.ok().and_then(unicode::character).map(char::len_utf8),
            _ => item.ok().and_then(integer::uint8).map(|_| 1),
        };
        let Some(size) = size else { return 0 };
        bytes += size;
    }
    store(length, Some(bytes as c_uint))
}
