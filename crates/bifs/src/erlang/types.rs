//! Type tests, and guard BIFs that inspect terms.

use layout::{Term, no_gc};
use term::native_record::Definition;
use term::release::{self, Release};
use term::{am, build};

use crate::magic;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_as_called, badmap};
use runtime::mail::current::{charge, reductions_left};
use runtime::process::Process;

/// `map_get(Key, Map)` and `is_map_key(Key, Map)`
pub(crate) use crate::maps::{get_2 as map_get_2, is_key_2 as is_map_key_2};

macro_rules! type_tests {
    ($($name:ident: $test:ident;)*) => {
        $(#[doc = concat!("`", stringify!($test), "(Term)`")]
        pub(crate) fn $name(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
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
pub(crate) fn is_boolean_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    Ok(am::boolean(term == am::TRUE || term == am::FALSE))
}

/// `is_function(Term, Arity)`
pub(crate) fn is_function_2(_process: &mut Process, [term, arity]: [Term; 2]) -> BifResult {
    let has = term::fun::is_of_arity(term, arity).ok_or(badarg(2))?;
    Ok(am::boolean(has))
}

/// `is_record(Term, Tag)`
pub(crate) fn is_record_2(_process: &mut Process, [term, tag]: [Term; 2]) -> BifResult {
    if !tag.is_atom() {
        return Err(badarg(2));
    }
    let is = match term.as_native_record(no_gc!()) {
        Some((definition, _)) => Definition::of(definition, no_gc!()).name == tag,
        None => term
            .as_tuple(no_gc!())
            .is_some_and(|elements| elements.first() == Some(&tag)),
    };
    Ok(am::boolean(is))
}

/// `is_record(Term)`: whether it is a native record.
pub(crate) fn is_record_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    Ok(am::boolean(term.is_native_record()))
}

/// `is_record(Term, Tag, Size)`
pub(crate) fn is_record_3(_process: &mut Process, [term, tag, size]: [Term; 3]) -> BifResult {
    if !tag.is_atom() {
        return Err(badarg(2));
    }
    if size.is_atom() && release::has(Release::OTP_29) {
        // Not a tuple of that size, but a native record of this module and name.
        let definition = term.record_definition();
        let is = definition.is_some_and(|it| Definition::of(it, no_gc!()).is_of(tag, size));
        return Ok(am::boolean(is));
    }
    let size = size.as_small().ok_or(badarg(3))?;
    let is = |elements: &[Term]| elements.len() as i64 == size && elements.first() == Some(&tag);
    Ok(am::boolean(term.as_tuple(no_gc!()).is_some_and(is)))
}

/// `hd(List)`
pub(crate) fn hd_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    list.as_cons().map(|(head, _)| head).ok_or(badarg(1))
}

/// `tl(List)`
pub(crate) fn tl_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    list.as_cons().map(|(_, tail)| tail).ok_or(badarg(1))
}

/// Cells of a list counted so far. Between slices the argument is `[Counted, List | Rest]`; the whole list is kept
/// because an error shows it.
struct Counted(i64);

/// Cells counted for one reduction; `engine` uses the same number where the compiler sees the call.
const CELLS_PER_REDUCTION: i64 = 64;

/// `length(List)`, where it is applied; in guards and plain calls the engine computes it.
pub(crate) fn length_1(process: &mut Process, [argument]: [Term; 1]) -> BifResult {
    let (list, mut rest, before) = match counted(argument) {
        Some((count, list, rest)) => (list, rest, count),
        None => (argument, argument, 0),
    };
    let end = before + reductions_left().max(10) * CELLS_PER_REDUCTION;
    let mut length = before;
    while length < end
        && let Some(cell) = rest.as_cell()
    {
        length += 1;
        rest = cell.tail();
    }
    charge((length - before) / CELLS_PER_REDUCTION);
    if rest.is_nil() {
        return Ok(Term::small(length));
    }
    if !rest.is_cons() {
        return Err(badarg_as_called(process, (am::ERLANG, am::LENGTH), &[list]));
    }
    let so_far = magic::pause(process, Counted(length));
    let heap = process.heap();
    let state = build::cons(heap, list, rest);
    let state = build::cons(heap, so_far, state);
    Err(Failure::Yield {
        arguments: Box::new([state]),
    })
}

fn counted(state: Term) -> Option<(i64, Term, Term)> {
    let (so_far, lists) = state.as_cons()?;
    let (list, rest) = lists.as_cons()?;
    let Counted(count) = magic::resume(so_far)?;
    Some((count, list, rest))
}

/// `size(TupleOrBinary)`
pub(crate) fn size_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    if let Some(elements) = term.as_tuple(no_gc!()) {
        return Ok(Term::small(elements.len() as i64));
    }
    let bits = term.as_bits().ok_or(badarg(1))?;
    Ok(Term::small((bits.bit_len() / 8) as i64))
}

/// `map_size(Map)`
pub(crate) fn map_size_1(process: &mut Process, [map]: [Term; 1]) -> BifResult {
    match map.map_size() {
        Some(size) => Ok(Term::small(size as i64)),
        None => Err(badmap(process, map)),
    }
}
