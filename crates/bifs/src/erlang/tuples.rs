//! Reading, changing and making tuples.

use layout::limits::MAX_TUPLE_ARITY;
use layout::{Term, no_gc};
use term::{build, list};

use runtime::code::bif::{BifResult, Failure, badarg, room_for};
use runtime::process::Process;

/// Converts an index from 1 to an offset below `limit`; `number` is the argument at fault.
fn place(index: Term, limit: usize, number: usize) -> Result<usize, Failure> {
    let index = index.as_small().ok_or(badarg(number))?;
    let place = usize::try_from(index - 1).map_err(|_| badarg(number))?;
    if place < limit {
        Ok(place)
    } else {
        Err(badarg(number))
    }
}

/// `element(Index, Tuple)`
pub(crate) fn element_2(_process: &mut Process, [index, tuple]: [Term; 2]) -> BifResult {
    let index = index.as_small().ok_or(badarg(1))?;
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(2))?;
    let place = usize::try_from(index - 1).map_err(|_| badarg(1))?;
    elements.get(place).copied().ok_or(badarg(1))
}

/// `setelement(Index, Tuple, Value)`
pub(crate) fn setelement_3(process: &mut Process, [index, tuple, value]: [Term; 3]) -> BifResult {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(2))?;
    let place = place(index, elements.len(), 1)?;
    Ok(build::tuple_with(process.heap(), elements, place, value))
}

/// `tuple_size(Tuple)`
pub(crate) fn tuple_size_1(_process: &mut Process, [tuple]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(1))?;
    Ok(Term::small(elements.len() as i64))
}

/// `tuple_to_list(Tuple)`
pub(crate) fn tuple_to_list_1(process: &mut Process, [tuple]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(1))?;
    Ok(build::list_in_row(process.heap(), elements, Term::NIL))
}

/// `list_to_tuple(List)`
pub(crate) fn list_to_tuple_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let mut elements = Vec::new();
    for element in list::items(list) {
        if elements.len() == MAX_TUPLE_ARITY {
            return Err(badarg(1));
        }
        elements.push(element.map_err(|_| badarg(1))?);
    }
    Ok(build::tuple(process.heap(), &elements))
}

fn arity_of(term: Term) -> Result<usize, Failure> {
    let arity = term
        .as_small()
        .and_then(|arity| usize::try_from(arity).ok());
    let arity = arity.filter(|arity| *arity <= MAX_TUPLE_ARITY);
    let arity = arity.ok_or(badarg(1))?;
    room_for(arity * 8)?;
    Ok(arity)
}

/// `make_tuple(Arity, Value)`
pub(crate) fn make_tuple_2(process: &mut Process, [arity, value]: [Term; 2]) -> BifResult {
    let arity = arity_of(arity)?;
    Ok(build::tuple_filled(process.heap(), arity, value).0)
}

/// `make_tuple(Arity, Default, [{Index, Value}])`
pub(crate) fn make_tuple_3(process: &mut Process, [arity, default, list]: [Term; 3]) -> BifResult {
    let arity = arity_of(arity)?;
    let (tuple, elements) = build::tuple_filled(process.heap(), arity, default);
    for pair in list::items(list) {
        let pair = pair.map_err(|_| badarg(3))?;
        let Some([index, value]) = pair.as_tuple_of() else {
            return Err(badarg(3));
        };
        let place = place(index, elements.len(), 3)?;
        elements[place] = value;
    }
    Ok(tuple)
}

/// `append_element(Tuple, Value)`
pub(crate) fn append_element_2(process: &mut Process, [tuple, value]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(1))?;
    if elements.len() == MAX_TUPLE_ARITY {
        return Err(badarg(1));
    }
    let heap = process.heap();
    Ok(build::tuple_of_parts(heap, &[elements, &[value]]))
}

/// `insert_element(Index, Tuple, Value)`
pub(crate) fn insert_element_3(
    process: &mut Process,
    [index, tuple, value]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(2))?;
    if elements.len() == MAX_TUPLE_ARITY {
        return Err(badarg(2));
    }
    let (before, behind) = elements.split_at(place(index, elements.len() + 1, 1)?);
    let heap = process.heap();
    Ok(build::tuple_of_parts(heap, &[before, &[value], behind]))
}

/// `delete_element(Index, Tuple)`
pub(crate) fn delete_element_2(process: &mut Process, [index, tuple]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).ok_or(badarg(2))?;
    let (before, behind) = elements.split_at(place(index, elements.len(), 1)?);
    let heap = process.heap();
    Ok(build::tuple_of_parts(heap, &[before, &behind[1..]]))
}
