//! What the type of the terminal understands: entries of its description, in the shapes of OTP 26 and 27 (`tget...`, as
//! in termcap) and of later ones.
//!
//! One description at a time, behind its lock; any process may call.

use drivers::tty::terminfo::{self, Description};
use layout::Term;
use parking_lot::Mutex;
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::process::Process;
use term::integer::int32;
use term::{am, atom, build, iolist, list, map};

use super::{READ_BYTES, error_tuple};

/// The description that was found.
static DESCRIPTION: Mutex<Option<Description>> = Mutex::new(None);

/// The bytes of an I/O list that is a text of C, without its end.
fn c_text(iolist: Term) -> Result<Vec<u8>, Failure> {
    let mut bytes = iolist::to_vec(iolist, READ_BYTES).map_err(|_| badarg(1))?;
    if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
        bytes.truncate(end);
    }
    Ok(bytes)
}

/// `prim_tty:tgetent_nif(Name)`: finds the description of a type of terminal.
pub(crate) fn tgetent_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let found = String::from_utf8(c_text(name)?).ok();
    let found = found.and_then(|name| terminfo::of_type(&name));
    let outcome = found.is_some();
    *DESCRIPTION.lock() = found;
    if outcome {
        return Ok(am::OK);
    }
    let reason = atom::known("database_not_found");
    Ok(error_tuple(process, reason))
}

/// What the description says under a name of two letters.
fn described<T>(
    name: Term,
    ask: impl FnOnce(&Description, [u8; 2]) -> Option<T>,
) -> Result<Option<T>, Failure> {
    let text = c_text(name)?;
    let Some(&[first, second, ..]) = text.first_chunk::<2>().map(|pair| pair.as_slice()) else {
        return Ok(None);
    };
    let description = DESCRIPTION.lock();
    Ok(description
        .as_ref()
        .and_then(|description| ask(description, [first, second])))
}

/// `prim_tty:tgetnum_nif(Name)`
pub(crate) fn tgetnum_nif_1(_process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let number = described(name, Description::number)?;
    Ok(Term::small(number.map_or(-1, i64::from)))
}

/// `prim_tty:tgetflag_nif(Name)`
pub(crate) fn tgetflag_nif_1(_process: &mut Process, [name]: [Term; 1]) -> BifResult {
    Ok(am::boolean(
        described(name, |all, name| Some(all.flag(name)))?.unwrap_or(false),
    ))
}

/// `prim_tty:tgetstr_nif(Name)`
pub(crate) fn tgetstr_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    match described(name, |all, name| all.string(name).map(<[u8]>::to_vec))? {
        Some(text) => {
            let heap = process.heap();
            let text = build::binary(heap, &text);
            Ok(build::tuple(heap, &[am::OK, text]))
        }
        None => Ok(am::FALSE),
    }
}

/// `prim_tty:setupterm_nif()`: finds the description of the type that `TERM` names.
pub(crate) fn setupterm_nif_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let name = sys::env::get(b"TERM").and_then(|name| String::from_utf8(name).ok());
    let found = name.and_then(|name| terminfo::of_type(&name));
    let outcome = found.is_some();
    *DESCRIPTION.lock() = found;
    if outcome {
        return Ok(am::OK);
    }
    let reason = atom::known("database_not_found");
    Ok(error_tuple(process, reason))
}

/// `prim_tty:tigetnum_nif(Name)`: of the name the first two letters count, as in the C library.
pub(crate) fn tigetnum_nif_1(process: &mut Process, arguments: [Term; 1]) -> BifResult {
    tgetnum_nif_1(process, arguments)
}

/// `prim_tty:tigetflag_nif(Name)`: of the name the first two letters count.
pub(crate) fn tigetflag_nif_1(process: &mut Process, arguments: [Term; 1]) -> BifResult {
    tgetflag_nif_1(process, arguments)
}

/// `prim_tty:tigetstr_nif(Name)`
pub(crate) fn tigetstr_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let name = c_text(name)?;
    let description = DESCRIPTION.lock();
    let text = description
        .as_ref()
        .and_then(|all| all.string_named(&name))
        .ok_or(badarg(1))?;
    let heap = process.heap();
    let text = build::binary(heap, text);
    Ok(build::tuple(heap, &[am::OK, text]))
}

/// `prim_tty:tputs_nif(Text, Parameters)`
pub(crate) fn tputs_nif_2(process: &mut Process, [text, parameters]: [Term; 2]) -> BifResult {
    let text = c_text(text)?;
    let mut numbers = Vec::new();
    for number in list::items(parameters) {
        let number = number.map_err(|_| badarg(2))?;
        numbers.push(int32(number).ok_or(badarg(2))?);
    }
    // Without parameters it is a plain text.
    let text = match numbers.is_empty() {
        true => terminfo::without_padding(&text),
        false => terminfo::with_parameters(&text, &numbers),
    };
    let heap = process.heap();
    let text = build::binary(heap, &text);
    Ok(build::tuple(heap, &[am::OK, text]))
}

/// `prim_tty:tinfo_nif()`: the names of all entries, last one first.
pub(crate) fn tinfo_nif_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let keys = ["code", "name", "full_name"].map(atom::known);
    let mut listed = |entries: &[terminfo::Entry]| {
        let mut list = Term::NIL;
        for &(name, code, full_name) in entries {
            let texts = [code, name, full_name].map(|text| build::string(heap, text));
            let entry = map::from_pairs(
                heap,
                &[
                    (keys[0], texts[0]),
                    (keys[1], texts[1]),
                    (keys[2], texts[2]),
                ],
            );
            list = build::cons(heap, entry, list);
        }
        list
    };
    let lists = [
        ("bool", terminfo::FLAGS),
        ("num", terminfo::NUMBERS),
        ("str", terminfo::STRINGS),
    ];
    let pairs = lists.map(|(name, entries)| (atom::known(name), listed(entries)));
    Ok(map::from_pairs(heap, &pairs))
}

fn go(process: &mut Process, text: Term, column: Term, row: Term) -> BifResult {
    let text = c_text(text)?;
    let parameter = |number: Term| number.as_small().and_then(|n| i32::try_from(n).ok());
    let (column, row) = (
        parameter(column).ok_or(badarg(2))?,
        parameter(row).ok_or(badarg(3))?,
    );
    let heap = process.heap();
    let text = build::binary(heap, &terminfo::with_parameters(&text, &[row, column]));
    Ok(build::tuple(heap, &[am::OK, text]))
}

/// `prim_tty:tgoto_nif(Text)`
pub(crate) fn tgoto_nif_1(process: &mut Process, [text]: [Term; 1]) -> BifResult {
    go(process, text, Term::small(0), Term::small(0))
}

/// `prim_tty:tgoto_nif(Text, Column)`
pub(crate) fn tgoto_nif_2(process: &mut Process, [text, column]: [Term; 2]) -> BifResult {
    go(process, text, column, Term::small(0))
}

/// `prim_tty:tgoto_nif(Text, Column, Row)`
pub(crate) fn tgoto_nif_3(process: &mut Process, [text, column, row]: [Term; 3]) -> BifResult {
    go(process, text, column, row)
}
