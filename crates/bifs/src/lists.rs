//! `lists`: searching and reversing. A call stops when its slice is over and continues with the rest of the list.

use layout::Term;
use term::{am, build, compare};

use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::mail::current::{charge, reductions_left};
use runtime::process::Process;

/// Cells that count as one reduction when they are only looked at.
const LOOKS_PER_REDUCTION: usize = 16;
/// Cells that count as one reduction when they are copied.
const COPIES_PER_REDUCTION: usize = 40;

/// Cells that may be visited before the slice is over.
fn budget(cells_per_reduction: usize) -> usize {
    // At least a few even at the end of a slice, so that every call makes progress.
    reductions_left().max(10) as usize * cells_per_reduction
}

fn charge_cells(cells: usize, cells_per_reduction: usize) {
    charge((cells / cells_per_reduction) as i64);
}

/// `lists:member(Term, List)`
pub(crate) fn member_2(_process: &mut Process, [term, list]: [Term; 2]) -> BifResult {
    let budget = budget(LOOKS_PER_REDUCTION);
    let immediate = term.is_immediate();
    let mut rest = list;
    for visited in 0..budget {
        let Some((head, tail)) = rest.as_cons() else {
            charge_cells(visited, LOOKS_PER_REDUCTION);
            return if rest.is_nil() {
                Ok(am::FALSE)
            } else {
                Err(badarg(2))
            };
        };
        if head == term || !immediate && compare::eq_exact(head, term) {
            charge_cells(visited, LOOKS_PER_REDUCTION);
            return Ok(am::TRUE);
        }
        rest = tail;
    }
    charge_cells(budget, LOOKS_PER_REDUCTION);
    Err(Failure::Yield {
        arguments: Box::new([term, rest]),
    })
}

/// `lists:reverse(List, Tail)`
pub(crate) fn reverse_2(process: &mut Process, [list, tail]: [Term; 2]) -> BifResult {
    let budget = budget(COPIES_PER_REDUCTION);
    let (rest, reversed, cells) = build::reverse_onto(process.heap(), list, tail, budget);
    charge_cells(cells, COPIES_PER_REDUCTION);
    if rest.is_nil() {
        Ok(reversed)
    } else if rest.is_cons() {
        Err(Failure::Yield {
            arguments: Box::new([rest, reversed]),
        })
    } else {
        Err(badarg(1))
    }
}

/// The first tuple whose element `position` equals the key.
#[inline(always)]
fn find(key: Term, position: Term, list: Term) -> Result<Option<Term>, Failure> {
    let index = position
        .as_small()
        .filter(|position| *position >= 1)
        .ok_or_else(|| badarg(2))? as usize;
    if !key.is_immediate() {
        return find_on(key, position, index, list);
    }
    // Most lists are short. So many cells are no reduction; what is not decided by comparing words is not decided here.
    let mut rest = list;
    for _ in 1..LOOKS_PER_REDUCTION {
        let Some((head, tail)) = rest.as_cons() else {
            if rest.is_nil() {
                return Ok(None);
            }
            break;
        };
        if let Some(element) = head.tuple_element(index - 1) {
            if element == key {
                return Ok(Some(head));
            }
            if !element.is_immediate() && key.is_small() {
                break;
            }
        }
        rest = tail;
    }
    find_on(key, position, index, rest)
}

/// As [`find`], for any list.
#[inline(never)]
fn find_on(key: Term, position: Term, index: usize, list: Term) -> Result<Option<Term>, Failure> {
    // An immediate other than a small integer equals only the same word, and different immediates are never equal. A
    // small integer may equal a float.
    if key.is_immediate() && !key.is_small() {
        return find_where(key, position, index, list, |element| element == key);
    }
    let is_float = key.is_float();
    find_where(key, position, index, list, |element| {
        element == key || (is_float || !element.is_immediate()) && compare::eq(element, key)
    })
}

#[inline(always)]
fn find_where(
    key: Term,
    position: Term,
    index: usize,
    list: Term,
    is_wanted: impl Fn(Term) -> bool,
) -> Result<Option<Term>, Failure> {
    let budget = budget(LOOKS_PER_REDUCTION);
    let mut rest = list;
    for visited in 0..budget {
        let Some((head, tail)) = rest.as_cons() else {
            charge_cells(visited, LOOKS_PER_REDUCTION);
            return if rest.is_nil() {
                Ok(None)
            } else {
                Err(badarg(3))
            };
        };
        if let Some(element) = head.tuple_element(index - 1)
            && is_wanted(element)
        {
            charge_cells(visited, LOOKS_PER_REDUCTION);
            return Ok(Some(head));
        }
        rest = tail;
    }
    charge_cells(budget, LOOKS_PER_REDUCTION);
    Err(Failure::Yield {
        arguments: Box::new([key, position, rest]),
    })
}

/// `lists:keyfind(Key, N, List)`
pub(crate) fn keyfind_3(_process: &mut Process, [key, position, list]: [Term; 3]) -> BifResult {
    Ok(find(key, position, list)?.unwrap_or(am::FALSE))
}

/// `lists:keymember(Key, N, List)`
pub(crate) fn keymember_3(_process: &mut Process, [key, position, list]: [Term; 3]) -> BifResult {
    Ok(am::boolean(find(key, position, list)?.is_some()))
}

/// `lists:keysearch(Key, N, List)`
pub(crate) fn keysearch_3(process: &mut Process, [key, position, list]: [Term; 3]) -> BifResult {
    Ok(match find(key, position, list)? {
        Some(tuple) => build::tuple(process.heap(), &[am::VALUE, tuple]),
        None => am::FALSE,
    })
}
