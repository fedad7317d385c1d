//! The process dictionary.

use layout::Term;
use term::{am, build, compare};

use runtime::code::bif::{BifResult, room_for};
use runtime::mail::current;
use runtime::process::Process;

/// `put(Key, Value)`: returns the value before.
pub(crate) fn put_2(process: &mut Process, [key, value]: [Term; 2]) -> BifResult {
    if let Some(before) = process.dictionary.replace(key, value) {
        return Ok(before);
    }
    room_for(process.dictionary.growth_bytes())?;
    process.dictionary.add(key, value);
    Ok(am::UNDEFINED)
}

/// `get(Key)`.
pub(crate) fn get_1(process: &mut Process, [key]: [Term; 1]) -> BifResult {
    let value = process.dictionary.get(key);
    Ok(value.unwrap_or(am::UNDEFINED))
}

/// `get()`: all pairs.
pub(crate) fn get_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(all(process))
}

/// All pairs of the dictionary, as a list on the process's heap.
pub(crate) fn all(process: &mut Process) -> Term {
    let Process {
        head, dictionary, ..
    } = process;
    current::charge(dictionary.len() as i64 / 8);
    let mut list = Term::NIL;
    for pair in dictionary.in_slots() {
        let pair = build::tuple(&mut head.heap, &pair);
        list = build::cons(&mut head.heap, pair, list);
    }
    list
}

/// `erase(Key)`: returns the value it had.
pub(crate) fn erase_1(process: &mut Process, [key]: [Term; 1]) -> BifResult {
    let value = process.dictionary.erase(key);
    Ok(value.unwrap_or(am::UNDEFINED))
}

/// `erase()`: returns and removes all pairs.
pub(crate) fn erase_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let pairs = all(process);
    process.dictionary.clear();
    Ok(pairs)
}

/// `get_keys()`.
pub(crate) fn get_keys_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(keys_where(process, |_| true))
}

/// `get_keys(Value)`: the keys with that value.
pub(crate) fn get_keys_1(process: &mut Process, [value]: [Term; 1]) -> BifResult {
    Ok(keys_where(process, |other| compare::eq_exact(other, value)))
}

fn keys_where(process: &mut Process, wanted: impl Fn(Term) -> bool) -> Term {
    let Process {
        head, dictionary, ..
    } = process;
    current::charge(dictionary.len() as i64 / 8);
    let mut list = Term::NIL;
    for pair in dictionary.in_slots() {
        if wanted(pair[1]) {
            list = build::cons(&mut head.heap, pair[0], list);
        }
    }
    list
}
