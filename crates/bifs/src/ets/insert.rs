//! Inserting objects.

use layout::{Term, no_gc};
use term::release::{self, Release};
use term::{am, list};

use super::table;
use ets::table::{Table, Whole};
use ets::{Access, New, TableKind};
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::mail::current;
use runtime::process::Process;

/// Objects inserted for one reduction.
const OBJECTS_PER_REDUCTION: i64 = 8;

/// Distance, in objects of a list, at which memory is prefetched before an insertion; slots are prefetched at twice
/// this distance.
const PREFETCHED_AHEAD: usize = 8;

/// `ets:insert(Table, ObjectOrObjects)`.
pub fn insert_2(process: &mut Process, [id, objects]: [Term; 2]) -> BifResult {
    insert(process, id, objects, false)?;
    Ok(am::TRUE)
}

/// `ets:insert_new(Table, ObjectOrObjects)`: returns false if one of the keys already exists.
pub fn insert_new_2(process: &mut Process, [id, objects]: [Term; 2]) -> BifResult {
    Ok(am::boolean(insert(process, id, objects, true)?))
}

fn insert(process: &mut Process, id: Term, objects: Term, only_new: bool) -> Result<bool, Failure> {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let single = match objects.as_cons() {
        Some((object, tail)) if tail.is_nil() => object,
        _ => objects,
    };
    if single.is_list() {
        return insert_all(process, table, objects, only_new);
    }
    let key = key_of(table, single).ok_or(badarg(2))?;
    let mut writing = table.writing(process, key)?;
    let new = table.new_object(single, writing.hash);
    Ok(writing
        .part
        .insert(new, only_new, table.fixation.is_fixed()))
}

/// The key of a tuple; `None` if the term is not a tuple, or is too short to have a key.
fn key_of(table: &Table, tuple: Term) -> Option<Term> {
    tuple
        .as_tuple(no_gc!())?
        .get(table.options.keypos - 1)
        .copied()
}

/// Inserts all objects of a list or none, atomically.
fn insert_all(
    process: &mut Process,
    table: &Table,
    list: Term,
    only_new: bool,
) -> Result<bool, Failure> {
    let tuples = list::to_vec(list).ok_or(badarg(2))?;
    let keypos = table.options.keypos;
    let mut objects: Vec<New> = tuples
        .iter()
        .map(|tuple| {
            let hash = table.hash(key_of(table, *tuple)?);
            Some(table.new_object(*tuple, hash))
        })
        .collect::<Option<_>>()
        .ok_or(badarg(2))?;
    if table.options.kind == TableKind::Bag && !release::has(Release::OTP_27) {
        // Up to OTP 26 a list is inserted into a bag from its end, so the last object becomes the oldest.
        objects.reverse();
    }
    current::charge(objects.len() as i64 / OBJECTS_PER_REDUCTION);
    let mut whole = table.write_all();
    table.allow(process, Access::Write)?;
    let mut is_there = |object: &New| {
        let (key, hash) = (object.key(keypos), object.hash());
        whole.part_of(key, hash).get(key, hash).is_some()
    };
    if only_new && objects.iter().any(&mut is_there) {
        return Ok(false);
    }
    let fixed = table.fixation.is_fixed();
    // Only hash tables have slots to prefetch; there the hash alone determines the part.
    let hashes: Vec<u32> = match table.options.kind {
        TableKind::OrderedSet => Vec::new(),
        _ => objects.iter().map(New::hash).collect(),
    };
    let prefetch = |whole: &mut Whole<'_>, at: usize, is_second: bool| {
        if let Some(hash) = hashes.get(at) {
            whole.part_of(Term::NIL, *hash).prefetch(*hash, is_second);
        }
    };
    for at in 0..2 * PREFETCHED_AHEAD {
        prefetch(&mut whole, at, false);
    }
    for (at, object) in objects.into_iter().enumerate() {
        prefetch(&mut whole, at + 2 * PREFETCHED_AHEAD, false);
        prefetch(&mut whole, at + PREFETCHED_AHEAD, true);
        whole
            .part_of(object.key(keypos), object.hash())
            .insert(object, false, fixed);
    }
    Ok(true)
}
