//! Type tests, and the guard BIFs that look into terms.

use layout::object::offset;
use layout::{Export, FunEntry, Kind, Term};
use term::am;

use crate::bif::{BifResult, badarg, badkey, badmap};
use crate::process::Process;

macro_rules! type_tests {
    ($($name:ident: $test:ident;)*) => {
        $(#[doc = concat!("`", stringify!($test), "(Term)`")]
        pub fn $name(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
            Ok(am::boolean(term.$test()))
        })*
    };
}

type_tests! {
    is_atom_1: is_atom;
    is_binary_1: is_binary;
    is_bitstring_1: is_bitstring;
    is_float_1: is_float;
    is_function_1: is_fun;
    is_integer_1: is_integer;
    is_list_1: is_list;
    is_map_1: is_map;
    is_number_1: is_number;
    is_pid_1: is_pid;
    is_port_1: is_port;
    is_reference_1: is_reference;
    is_tuple_1: is_tuple;
}

/// `is_boolean(Term)`
pub fn is_boolean_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    Ok(am::boolean(term == am::TRUE || term == am::FALSE))
}

/// `is_function(Term, Arity)`
pub fn is_function_2(_process: &mut Process, [term, arity]: [Term; 2]) -> BifResult {
    let wanted = match arity.as_small() {
        Some(arity) if arity >= 0 => Some(arity),
        Some(_) => return Err(badarg(2)),
        None if matches!(arity.as_big(), Some((false, _))) => None,
        None => return Err(badarg(2)),
    };
    let has = match term.boxed_kind() {
        // SAFETY: that word of a fun is the address of its entry, which lives for ever.
        Some(Kind::Fun) => unsafe { (*(term.word(offset::FUN_ENTRY) as *const FunEntry)).arity },
        // SAFETY: as above.
        Some(Kind::Export) => unsafe {
            (*(term.word(offset::EXPORT_ENTRY) as *const Export)).arity
        },
        _ => return Ok(am::FALSE),
    };
    Ok(am::boolean(wanted == Some(i64::from(has))))
}

/// `is_record(Term, Tag)`
pub fn is_record_2(_process: &mut Process, [term, tag]: [Term; 2]) -> BifResult {
    if !tag.is_atom() {
        return Err(badarg(2));
    }
    Ok(am::boolean(
        term.as_tuple()
            .is_some_and(|elements| elements.first() == Some(&tag)),
    ))
}

/// `is_record(Term, Tag, Size)`
pub fn is_record_3(_process: &mut Process, [term, tag, size]: [Term; 3]) -> BifResult {
    if !tag.is_atom() {
        return Err(badarg(2));
    }
    let size = size.as_small().ok_or(badarg(3))?;
    let is = |elements: &[Term]| elements.len() as i64 == size && elements.first() == Some(&tag);
    Ok(am::boolean(term.as_tuple().is_some_and(is)))
}

/// `hd(List)`
pub fn hd_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    list.as_cons().map(|(head, _)| head).ok_or(badarg(1))
}

/// `tl(List)`
pub fn tl_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    list.as_cons().map(|(_, tail)| tail).ok_or(badarg(1))
}

/// `length(List)`
pub fn length_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let mut length = 0_i64;
    let mut rest = list;
    while rest.is_cons() {
        length += 1;
        rest = rest.tail();
    }
    crate::scheduler::charge(length / 64);
    if rest.is_nil() {
        Ok(Term::small(length))
    } else {
        Err(badarg(1))
    }
}

/// `size(TupleOrBinary)`
pub fn size_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    if let Some(elements) = term.as_tuple() {
        return Ok(Term::small(elements.len() as i64));
    }
    let bits = term.as_bits().ok_or(badarg(1))?;
    Ok(Term::small((bits.bit_len / 8) as i64))
}

/// `map_size(Map)`
pub fn map_size_1(process: &mut Process, [map]: [Term; 1]) -> BifResult {
    match map.map_size() {
        Some(size) => Ok(Term::small(size as i64)),
        None => Err(badmap(process, map)),
    }
}

/// `map_get(Key, Map)`
pub fn map_get_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    if !map.is_map() {
        return Err(badmap(process, map));
    }
    match term::map::get(map, key) {
        Some(value) => Ok(value),
        None => Err(badkey(process, key)),
    }
}

/// `is_map_key(Key, Map)`
pub fn is_map_key_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    if !map.is_map() {
        return Err(badmap(process, map));
    }
    Ok(am::boolean(term::map::get(map, key).is_some()))
}
