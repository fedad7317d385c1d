//! Inserting objects.

use std::sync::Arc;
use std::time::Duration;

use layout::{Term, no_gc};
use term::release::{self, Release};
use term::{am, copy, gc, list};

use super::table;
use ets::table::{Table, Whole};
use ets::{Access, New, TableKind, registry};
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, room_for_copy};
use runtime::mail::{current, dirty, loans};
use runtime::process::{Process, epoch};

/// Objects inserted for one reduction.
const OBJECTS_PER_REDUCTION: i64 = 8;

/// Longer lists are inserted by another thread; this many objects take about a millisecond.
const MOST_OBJECTS_HERE: usize = 4096;

/// Distance, in objects of a list, at which memory is prefetched before an insertion; slots are prefetched at twice
/// this distance.
const PREFETCHED_AHEAD: usize = 8;

/// Objects that are copied between two looks at whether the caller has been killed.
const OBJECTS_UNTIL_LOOK: usize = 1024;

/// Objects that are looked for while the table is locked once.
const OBJECTS_LOOKED_FOR: usize = 2048;
/// How long the table is locked at a time, in nanoseconds, for insertions.
const LOCKED_NS: i64 = 500_000;
/// Objects that are inserted between two looks at the clock.
const OBJECTS_AT_ONCE: usize = 64;

/// How long another list is waited for before the next look.
const PATIENCE: Duration = Duration::from_micros(200);

/// `ets:insert(Table, ObjectOrObjects)`.
pub(crate) fn insert_2(process: &mut Process, [id, objects]: [Term; 2]) -> BifResult {
    insert(process, id, objects, false)?;
    Ok(am::TRUE)
}

/// `ets:insert_new(Table, ObjectOrObjects)`: returns false if one of the keys already exists.
pub(crate) fn insert_new_2(process: &mut Process, [id, objects]: [Term; 2]) -> BifResult {
    Ok(am::boolean(insert(process, id, objects, true)?))
}

fn insert(process: &mut Process, id: Term, objects: Term, only_new: bool) -> Result<bool, Failure> {
    let single = match objects.as_cons() {
        Some((object, tail)) if tail.is_nil() => object,
        _ => objects,
    };
    if single.is_list() {
        return insert_list(process, id, objects, only_new);
    }
    if is_long(process, single) {
        return insert_apart(process, id, single, only_new);
    }
    room_for_copy(process, single)?;
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let key = key_of(table, single).ok_or(badarg(2))?;
    let mut writing = table.writing(process, key)?;
    let new = table.new_object(single, writing.hash);
    Ok(writing
        .part
        .insert(new, only_new, table.fixation.is_fixed()))
}

/// Whether it takes long to copy an object. One that does lies in a heap that is as large.
#[inline]
fn is_long(process: &Process, object: Term) -> bool {
    gc::total_words(&process.head.heap) > copy::LONG_WORDS
        && copy::size_up_to(object, copy::LONG_WORDS) > copy::LONG_WORDS
}

/// Inserts an object that is copied on a dirty scheduler, without any lock.
fn insert_apart(
    process: &mut Process,
    id: Term,
    tuple: Term,
    only_new: bool,
) -> Result<bool, Failure> {
    if !dirty::is_here() {
        return Err(Failure::Dirty);
    }
    room_for_copy(process, tuple)?;
    let table = find(id)?;
    table.allow(process, Access::Write)?;
    let key = key_of(&table, tuple).ok_or(badarg(2))?;
    let hash = table.hash(key);
    let object = loans::apart(process, || New::Object(table.object(tuple, hash)));
    let mut writing = table.writing(process, key)?;
    Ok(writing
        .part
        .insert(object, only_new, table.fixation.is_fixed()))
}

/// Inserts all objects of a list or none, atomically. A long list is inserted [in parts](insert_long).
fn insert_list(
    process: &mut Process,
    id: Term,
    list: Term,
    only_new: bool,
) -> Result<bool, Failure> {
    if dirty::is_here() {
        return insert_long(process, id, list, only_new);
    }
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    if list::items(list).nth(MOST_OBJECTS_HERE).is_some() {
        return Err(Failure::Dirty);
    }
    let objects = objects_of(table, list, |tuple, hash| {
        Some(table.new_object(tuple, hash))
    })?;
    let mut whole = table.write_all();
    table.allow(process, Access::Write)?;
    table.is_complete()?;
    if only_new && are_some_there(table, &mut whole, &objects) {
        return Ok(false);
    }
    insert_all(table, &mut whole, objects);
    Ok(true)
}

/// The objects of a list, in the order in which they are inserted; `make` gets a tuple and the hash of its key, and
/// returns `None` if no more are wanted.
fn objects_of(
    table: &Table,
    list: Term,
    mut make: impl FnMut(Term, u32) -> Option<New>,
) -> Result<Vec<New>, Failure> {
    let tuples = list::to_vec(list).ok_or(badarg(2))?;
    let mut objects: Vec<New> = tuples
        .iter()
        .map(|tuple| {
            let hash = table.hash(key_of(table, *tuple)?);
            make(*tuple, hash)
        })
        .collect::<Option<_>>()
        .ok_or(badarg(2))?;
    if table.options.kind == TableKind::Bag && !release::has(Release::OTP_27) {
        // Up to OTP 26 a list is inserted into a bag from its end, so the last object becomes the oldest.
        objects.reverse();
    }
    current::charge(objects.len() as i64 / OBJECTS_PER_REDUCTION);
    Ok(objects)
}

/// The key of a tuple; `None` if the term is not a tuple, or is too short to have a key.
fn key_of(table: &Table, tuple: Term) -> Option<Term> {
    tuple
        .as_tuple(no_gc!())?
        .get(table.options.keypos - 1)
        .copied()
}

/// Whether the key of one of these objects is in the table.
fn are_some_there(table: &Table, whole: &mut Whole<'_>, objects: &[New]) -> bool {
    objects.iter().any(|object| {
        let (key, hash) = (object.key(table.options.keypos), object.hash());
        whole.part_of(key, hash).get(key, hash).is_some()
    })
}

/// Inserts objects into a table whose parts are locked.
fn insert_all(table: &Table, whole: &mut Whole<'_>, objects: Vec<New>) {
    let keypos = table.options.keypos;
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
        prefetch(whole, at, false);
    }
    for (at, object) in objects.into_iter().enumerate() {
        prefetch(whole, at + 2 * PREFETCHED_AHEAD, false);
        prefetch(whole, at + PREFETCHED_AHEAD, true);
        whole
            .part_of(object.key(keypos), object.hash())
            .insert(object, false, fixed);
    }
}

/// Inserts a long list; returns false if the keys must be new and one of them is there. Only for dirty schedulers.
///
/// It takes up to seconds. The objects are copied first, without any lock. Then the table is marked as being filled,
/// and locked for a part of a millisecond at a time. Whoever comes between finds the mark and calls its BIF again in
/// its next slice ([`Table::is_complete`]), so that for all others the whole list is inserted at once. The caller may
/// be killed meanwhile: then no more is copied; what was begun to be inserted is done to the end, and a table that is
/// deleted takes no more.
fn insert_long(
    process: &mut Process,
    id: Term,
    list: Term,
    only_new: bool,
) -> Result<bool, Failure> {
    let table = find(id)?;
    table.allow(process, Access::Write)?;
    let objects = {
        let (table, own) = (&*table, process.pid());
        let mut copied = 0_usize;
        // The list stays where it is: a process that is lent is not collected.
        loans::apart(process, move || {
            objects_of(table, list, |tuple, hash| {
                copied += 1;
                let is_wanted =
                    !copied.is_multiple_of(OBJECTS_UNTIL_LOOK) || !loans::has_ended_meanwhile(own);
                is_wanted.then(|| New::Object(table.object(tuple, hash)))
            })
        })?
    };
    loop {
        // Not while the process is lent: the check reads what belongs to it.
        let whole = table.write_all();
        table.allow(process, Access::Write)?;
        if table.begin_filling() {
            break;
        }
        drop(whole);
        loans::apart(process, || std::thread::sleep(PATIENCE));
    }
    Ok(loans::apart(process, move || {
        let is_inserted = insert_parts(&table, objects, only_new);
        table.end_filling();
        is_inserted
    }))
}

/// Inserts objects into a table that is marked as being filled.
fn insert_parts(table: &Table, objects: Vec<New>, only_new: bool) -> bool {
    if only_new {
        for some in objects.chunks(OBJECTS_LOOKED_FOR) {
            if are_some_there(table, &mut table.write_all(), some) {
                return false;
            }
        }
    }
    let mut objects = objects.into_iter();
    loop {
        let mut whole = table.write_all();
        if table.is_deleted() {
            return true;
        }
        let until_ns = sys::clock::monotonic_ns() + LOCKED_NS;
        // In a bag an object may take long: it is compared with all others of its key.
        while sys::clock::monotonic_ns() < until_ns {
            let some: Vec<New> = objects.by_ref().take(OBJECTS_AT_ONCE).collect();
            if some.is_empty() {
                return true;
            }
            insert_all(table, &mut whole, some);
        }
    }
}

fn find(id: Term) -> Result<Arc<Table>, Failure> {
    let number = epoch::with_pin(|pinned| registry::look_up(pinned, id).map(|table| table.number))?;
    registry::find(number).ok_or_else(|| badarg_because(am::ID))
}
