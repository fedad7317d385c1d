//! Conversion of file names between Erlang and the operating system.

use layout::{Term, no_gc};
use term::unicode::filename::{self, Allowed};
use term::unicode::{self, Encoding};
use term::{am, atom, build};

use runtime::code::bif::{BifResult, badarg};
use runtime::process::{Process, config};

/// `prim_file:internal_name2native(Name)`: the bytes, terminated by a zero byte.
pub(crate) fn internal_name2native_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let allowed = Allowed {
        empty: true,
        ..Allowed::default()
    };
    let mut native =
        filename::to_native(name, filename::native_encoding(), allowed).ok_or(badarg(1))?;
    native.push(0);
    Ok(build::binary(process.heap(), &native))
}

/// `prim_file:internal_native2name(Native)`: the characters, or `{error, What}` if the bytes are not valid in the
/// encoding of file names. `What` is the node's setting of what to do with such names.
pub(crate) fn internal_native2name_1(process: &mut Process, [native]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let native = unicode::bytes_of(native, no_gc).ok_or(badarg(1))?;
    let heap = process.heap();
    Ok(
        match filename::from_native(heap, &native, filename::native_encoding()) {
            Some(name) => name,
            None => {
                let what = atom::known(config::get().wrong_file_names);
                build::tuple(heap, &[am::ERROR, what])
            }
        },
    )
}

/// `prim_file:internal_normalize_utf8(Binary)`: the characters, with base characters and marks composed.
pub(crate) fn internal_normalize_utf8_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let native = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    let text = std::str::from_utf8(&native).map_err(|_| badarg(1))?;
    let mut composed = String::with_capacity(text.len());
    for character in text.chars() {
        let whole = composed
            .chars()
            .next_back()
            .and_then(|base| unicode_normalization::char::compose(base, character));
        match whole {
            Some(whole) => {
                composed.pop();
                composed.push(whole);
            }
            None => composed.push(character),
        }
    }
    Ok(build::string(process.heap(), &composed))
}

/// `prim_file:is_translatable(Native)`: whether the bytes are valid in the encoding of file names.
pub(crate) fn is_translatable_1(_process: &mut Process, [native]: [Term; 1]) -> BifResult {
    if !native.is_binary() {
        return Err(badarg(1));
    }
    let translatable = filename::native_encoding() == Encoding::Latin1 || unicode::is_utf8(native);
    Ok(am::boolean(translatable))
}
