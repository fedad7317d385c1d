//! Converting atoms to text and back.

use layout::limits::ATOM_CHARACTERS;
use layout::{Term, no_gc};
use term::atom::{self, AtomError};
use term::{am, build, list, unicode};

use runtime::code::bif::{BifResult, Failure, badarg, system_limit};
use runtime::process::Process;

/// The Latin-1 bytes of a text; `None` if it has other characters.
fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|character| u8::try_from(u32::from(character)).ok())
        .collect()
}

fn failure(error: AtomError) -> Failure {
    match error {
        AtomError::NotUtf8 => badarg(1),
        AtomError::TooLong | AtomError::Limit => system_limit(),
    }
}

/// `erlang:atom_to_binary(Atom, Encoding)`
pub(crate) fn atom_to_binary_2(process: &mut Process, [atom, encoding]: [Term; 2]) -> BifResult {
    if !atom.is_atom() {
        return Err(badarg(1));
    }
    let text = atom::text(atom);
    match encoding {
        am::UTF8 | am::UNICODE => Ok(build::binary(process.heap(), text.as_bytes())),
        am::LATIN1 => {
            let bytes = latin1(text).ok_or(badarg(1))?;
            Ok(build::binary(process.heap(), &bytes))
        }
        _ => Err(badarg(2)),
    }
}

/// `erlang:atom_to_list(Atom)`
pub(crate) fn atom_to_list_1(process: &mut Process, [atom]: [Term; 1]) -> BifResult {
    if !atom.is_atom() {
        return Err(badarg(1));
    }
    Ok(build::string(process.heap(), atom::text(atom)))
}

/// `erlang:binary_to_atom(Binary, Encoding)`
pub(crate) fn binary_to_atom_2(_process: &mut Process, [binary, encoding]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let bytes = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    match encoding {
        am::UTF8 | am::UNICODE => atom::intern(&bytes),
        am::LATIN1 => atom::intern_latin1(&bytes),
        _ => return Err(badarg(2)),
    }
    .map_err(failure)
}

/// `erlang:binary_to_existing_atom(Binary, Encoding)`
pub(crate) fn binary_to_existing_atom_2(
    _process: &mut Process,
    [binary, encoding]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let bytes = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    let known = match encoding {
        am::UTF8 | am::UNICODE => std::str::from_utf8(&bytes).ok().and_then(atom::lookup),
        am::LATIN1 => {
            let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
            atom::lookup(&text)
        }
        _ => return Err(badarg(2)),
    };
    known.ok_or(badarg(1))
}

/// The text of a list of characters. A list that is too long raises `system_limit` whatever follows the limit.
fn text_of(list: Term) -> Result<String, Failure> {
    let mut text = String::new();
    for (count, item) in list::items(list).enumerate() {
        let item = item.map_err(|_| badarg(1))?;
        if count == ATOM_CHARACTERS {
            return Err(system_limit());
        }
        text.push(unicode::character(item).ok_or(badarg(1))?);
    }
    Ok(text)
}

/// `erlang:list_to_atom(Characters)`
pub(crate) fn list_to_atom_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    atom::intern_str(&text_of(list)?).map_err(failure)
}

/// `erlang:list_to_existing_atom(Characters)`
pub(crate) fn list_to_existing_atom_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let text = text_of(list).map_err(|_| badarg(1))?;
    atom::lookup(&text).ok_or(badarg(1))
}
