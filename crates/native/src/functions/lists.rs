//! Lists and strings, which are lists of bytes.

use std::ffi::{c_char, c_int, c_uint};
use std::slice;

use layout::Term;
use term::{build, integer, list};

use super::atoms::{bytes_at, bytes_of};
use super::numbers::store;
use crate::abi::Out;
use crate::env::Env;

#[unsafe(no_mangle)]
pub extern "C" fn enif_make_list_cell(env: &mut Env, head: Term, tail: Term) -> Term {
    build::cons(env.heap(), head, tail)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_list_from_array(
    env: &mut Env,
    items: *const Term,
    count: c_uint,
) -> Term {
    if count == 0 {
        return Term::NIL;
    }
    // SAFETY: the header asks for as many terms.
    let items = unsafe { slice::from_raw_parts(items, count as usize) };
    build::list_in_row(env.heap(), items, Term::NIL)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_string(
    env: &mut Env,
    text: *const c_char,
    _encoding: c_int,
) -> Term {
    // SAFETY: the header asks for a string.
    build::byte_list(env.heap(), unsafe { bytes_of(text) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enif_make_string_len(
    env: &mut Env,
    text: *const c_char,
    size: usize,
    _encoding: c_int,
) -> Term {
    // SAFETY: the header asks for as many bytes.
    build::byte_list(env.heap(), unsafe { bytes_at(text, size) })
}

#[unsafe(no_mangle)]
pub extern "C" fn enif_get_list_cell(
    _env: *const Env,
    list: Term,
    head: Out<'_, Term>,
    tail: Out<'_, Term>,
) -> c_int {
    let Some((first, rest)) = list.as_cons() else {
        return 0;
    };
    head.write(first);
    tail.write(rest);
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn enif_get_list_length(
    _env: *const Env,
    list: Term,
    length: Out<'_, c_uint>,
) -> c_int {
    store(length, list::length(list).map(|length| length as c_uint))
}

#[unsafe(no_mangle)]
pub extern "C" fn enif_make_reverse_list(
    env: &mut Env,
    list: Term,
    reversed: Out<'_, Term>,
) -> c_int {
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
pub unsafe extern "C" fn enif_get_string(
    _env: *const Env,
    list: Term,
    room: *mut c_char,
    size: c_uint,
    _encoding: c_int,
) -> c_int {
    if size == 0 {
        return 0;
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
