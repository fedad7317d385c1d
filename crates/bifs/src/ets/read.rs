//! Reading objects and keys.

use layout::Term;
use smallvec::SmallVec;
use term::{am, build, copy};

use super::table;
use ets::Part;
use ets::ranges::{self, Bound, Mark};
use ets::{Access, Following, ObjectRef, Table, TableKind, WalkStart};
use runtime::code::bif::{BifResult, badarg, badarg_because};
use runtime::process::Process;

/// `ets:lookup(Table, Key)`: the objects, the oldest first.
pub(crate) fn lookup_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    let reading = table.reading(process, key)?;
    let heap = process.heap();
    if table.options.kind.is_set() {
        // Apart from the loop, so that it is compiled without calls.
        let Some(object) = reading.part.get(key, reading.hash) else {
            return Ok(Term::NIL);
        };
        let copied = object.copy_to(heap);
        return Ok(build::cons(heap, copied, Term::NIL));
    }
    let mut list = Term::NIL;
    reading.part.each_with_key(key, reading.hash, |object| {
        let copied = object.copy_to(heap);
        list = build::cons(heap, copied, list);
    });
    Ok(list)
}

/// `ets:member(Table, Key)`.
pub(crate) fn member_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    let reading = table.reading(process, key)?;
    Ok(am::boolean(reading.part.get(key, reading.hash).is_some()))
}

/// `ets:lookup_element(Table, Key, Position)`: for a bag, returns a list.
pub(crate) fn lookup_element_3(process: &mut Process, [id, key, position]: [Term; 3]) -> BifResult {
    element_of(process, [id, key, position], None)
}

/// `ets:lookup_element(Table, Key, Position, Default)`: the default if there is no such key.
pub(crate) fn lookup_element_4(
    process: &mut Process,
    [id, key, position, default]: [Term; 4],
) -> BifResult {
    element_of(process, [id, key, position], Some(default))
}

fn element_of(
    process: &mut Process,
    [id, key, position]: [Term; 3],
    default: Option<Term>,
) -> BifResult {
    let missing_key = || default.ok_or_else(|| badarg_because(am::BADKEY));
    let (table, process) = table(process, id)?;
    let reading = table.reading(process, key)?;
    let position = position
        .as_small()
        .filter(|position| *position >= 1)
        .ok_or(badarg(3))?;
    let index = usize::try_from(position - 1).map_err(|_| badarg(3))?;
    let heap = process.heap();
    if table.options.kind.is_set() {
        let Some(object) = reading.part.get(key, reading.hash) else {
            return missing_key();
        };
        if index >= object.elements().len() {
            return Err(badarg(3));
        }
        return Ok(object.copy_element_to(index, heap));
    }
    let mut found = false;
    let mut missing = false;
    reading.part.each_with_key(key, reading.hash, |object| {
        found = true;
        missing |= index >= object.elements().len();
    });
    if !found {
        return missing_key();
    }
    if missing {
        return Err(badarg(3));
    }
    let mut list = Term::NIL;
    reading.part.each_with_key(key, reading.hash, |object| {
        let element = object.copy_element_to(index, heap);
        list = build::cons(heap, element, list);
    });
    Ok(list)
}

/// `ets:first(Table)`.
pub(crate) fn first_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    edge(process, id, false)
}

/// `ets:first_lookup(Table)`: the first key with its objects.
pub(crate) fn first_lookup_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    with_objects(process, id, |process| edge(process, id, false))
}

/// `ets:last_lookup(Table)`
pub(crate) fn last_lookup_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    with_objects(process, id, |process| edge(process, id, true))
}

/// `ets:next_lookup(Table, Key)`
pub(crate) fn next_lookup_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    with_objects(process, id, |process| neighbour(process, id, key, false))
}

/// `ets:prev_lookup(Table, Key)`
pub(crate) fn prev_lookup_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    with_objects(process, id, |process| neighbour(process, id, key, true))
}

/// `{Key, Objects}` for the key that `find` finds. If its objects are gone before they are read, it looks again.
fn with_objects(
    process: &mut Process,
    id: Term,
    find: impl Fn(&mut Process) -> BifResult,
) -> BifResult {
    loop {
        let key = find(process)?;
        let objects = lookup_2(process, [id, key])?;
        if !objects.is_nil() {
            return Ok(build::tuple(process.heap(), &[key, objects]));
        }
        if key == am::DOLLAR_END_OF_TABLE {
            return Ok(key);
        }
    }
}

/// `ets:last(Table)`: for a hash table, the same as `first`.
pub(crate) fn last_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    edge(process, id, true)
}

fn edge(process: &mut Process, id: Term, last: bool) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Read)?;
    if table.options.kind == TableKind::OrderedSet {
        return in_order(process, table, WalkStart::Edge, last);
    }
    for part in 0..table.parts() {
        let guard = table.read_part(part);
        table.allow(process, Access::Read)?;
        if let Some(object) = guard.first(last) {
            return Ok(copy::copy(process.heap(), object.key(table.options.keypos)));
        }
    }
    Ok(am::DOLLAR_END_OF_TABLE)
}

/// Most attempts at a walk through several ranges; it is repeated if a passed range was changed meanwhile.
const MOST_TRIES: usize = 8;

/// The key of the first object of an ordered set from a given place on.
fn in_order(process: &mut Process, table: &Table, first: WalkStart, backwards: bool) -> BifResult {
    let has_changed =
        |(mark, _): &(Option<Mark<'_>>, Bound)| mark.as_ref().is_some_and(Mark::has_changed);
    for tries in 1.. {
        let mut from = first;
        // The ranges that were passed without finding an object, and where each ends.
        let mut passed: SmallVec<[(Option<Mark<'_>>, Bound); 4]> = SmallVec::new();
        loop {
            let range = table.read_from(from, backwards);
            table.allow(process, Access::Read)?;
            let object = match (&*range.part, from) {
                (Part::Tree(tree), WalkStart::After(key)) => tree.neighbour(key, backwards),
                (Part::Tree(tree), from) => tree.walk(from, backwards).next(),
                (Part::Hash(_), _) => return Err(badarg(1)),
            };
            if object.is_none()
                && let Some(bound) = table.bound_of(&range, backwards)
            {
                from = ranges::beyond(&bound, backwards);
                passed.push((range.mark(), bound));
                continue;
            }
            // If a passed range has changed, it may hold an object before this one that has existed all the time that
            // this one did. Then the walk is repeated.
            if tries < MOST_TRIES && passed.iter().any(has_changed) {
                break;
            }
            return Ok(object.map_or(am::DOLLAR_END_OF_TABLE, |object| {
                copy::copy(process.heap(), object.key(table.options.keypos))
            }));
        }
    }
    unreachable!("the last try does not ask")
}

/// `ets:next(Table, Key)`.
pub(crate) fn next_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    neighbour(process, id, key, false)
}

/// `ets:prev(Table, Key)`: for a hash table, the same as `next`.
pub(crate) fn prev_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    neighbour(process, id, key, true)
}

fn neighbour(process: &mut Process, id: Term, key: Term, backwards: bool) -> BifResult {
    let (table, process) = table(process, id)?;
    let keypos = table.options.keypos;
    let is_ordered = table.options.kind == TableKind::OrderedSet;
    let part = {
        let reading = table.reading(process, key)?;
        // An ordered set continues from where a missing key would be, but not from `'$end_of_table'`.
        if key == am::DOLLAR_END_OF_TABLE && is_ordered {
            return Err(badarg(2));
        }
        match reading.part.following(key, reading.hash, backwards) {
            Following::NoSuchKey => return Err(badarg(2)),
            Following::Object(object) => return Ok(copy::copy(process.heap(), object.key(keypos))),
            Following::End => table.part_of(reading.hash),
        }
    };
    if is_ordered {
        return in_order(process, table, WalkStart::After(key), backwards);
    }
    for part in part + 1..table.parts() {
        let guard = table.read_part(part);
        table.allow(process, Access::Read)?;
        if let Some(object) = guard.first(false) {
            return Ok(copy::copy(process.heap(), object.key(keypos)));
        }
    }
    Ok(am::DOLLAR_END_OF_TABLE)
}

/// `ets:slot(Table, I)`: the objects of a slot; for an ordered set, the object at that place in the order.
pub(crate) fn slot_2(process: &mut Process, [id, number]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Read)?;
    let mut slot = number
        .as_small()
        .and_then(|number| usize::try_from(number).ok())
        .ok_or(badarg(2))?;
    let found = table.each_part(|part| {
        if let Err(failure) = table.allow(process, Access::Read) {
            return Some(Err(failure));
        }
        let heap = process.heap();
        match part {
            Part::Hash(shard) if slot < shard.slots() => {
                let list = shard.in_slot(slot).fold(Term::NIL, |tail, object| {
                    let copied = object.copy_to(heap);
                    build::cons(heap, copied, tail)
                });
                return Some(Ok(list));
            }
            Part::Hash(shard) => slot -= shard.slots(),
            Part::Tree(tree) => match tree.nth(slot) {
                Ok(object) => {
                    let copied = object.copy_to(heap);
                    return Some(Ok(build::list(heap, &[copied])));
                }
                Err(passed) => slot -= passed,
            },
        }
        None
    });
    if let Some(found) = found {
        return found;
    }
    if slot == 0 {
        Ok(am::DOLLAR_END_OF_TABLE)
    } else {
        Err(badarg(2))
    }
}

/// `erts_internal:ets_raw_first(Table)`: as `ets:first/1`, but does not skip objects that are only marked as deleted.
pub(crate) fn ets_raw_first_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    let (table, process) = table(process, id)?;
    if table.options.kind == TableKind::OrderedSet {
        return first_1(process, [id]);
    }
    first_of_all(process, table, 0)
}

/// `erts_internal:ets_raw_next(Table, Key)`: likewise.
pub(crate) fn ets_raw_next_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    if table.options.kind == TableKind::OrderedSet {
        return next_2(process, [id, key]);
    }
    let part = {
        let reading = table.reading(process, key)?;
        if let Part::Hash(shard) = &*reading.part
            && let Some(object) = shard.next_of_all(key, reading.hash)
        {
            return Ok(copy::copy(process.heap(), object.key(table.options.keypos)));
        }
        table.part_of(reading.hash)
    };
    first_of_all(process, table, part + 1)
}

/// The key of the first object in the parts from one on, also if it is only marked as deleted.
fn first_of_all(process: &mut Process, table: &Table, from: usize) -> BifResult {
    for part in from..table.parts() {
        let guard = table.read_part(part);
        table.allow(process, Access::Read)?;
        if let Part::Hash(shard) = &*guard
            && let Some(object) = shard.first_of_all(0)
        {
            return Ok(copy::copy(process.heap(), object.key(table.options.keypos)));
        }
    }
    Ok(am::DOLLAR_END_OF_TABLE)
}

/// `erts_internal:ets_lookup_binary_info(Table, Key)`: `{Address, Size, Holders}` of the objects' shared binaries, also
/// of those that are only marked as deleted: they still hold them.
pub(crate) fn ets_lookup_binary_info_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    let reading = table.reading(process, key)?;
    let heap = process.heap();
    let mut list = Term::NIL;
    let add = |object: ObjectRef<'_>| {
        for (address, size, holders) in object.binaries() {
            let address = build::unsigned(heap, address);
            let size = build::unsigned(heap, size);
            let tuple = build::tuple(heap, &[address, size, Term::small(i64::from(holders))]);
            list = build::cons(heap, tuple, list);
        }
    };
    match &*reading.part {
        Part::Hash(shard) => shard.all_with_key(key, reading.hash).for_each(add),
        Part::Tree(tree) => tree.get(key).into_iter().for_each(add),
    }
    Ok(list)
}
