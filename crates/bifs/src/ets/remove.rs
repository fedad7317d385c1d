//! Deleting objects.

use layout::{Term, no_gc};
use term::{am, build};

use super::table;
use ets::Access;
use runtime::code::bif::{BifResult, badarg};
use runtime::process::Process;

/// `ets:delete(Table, Key)`.
pub(crate) fn delete_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    let mut writing = table.writing(process, key)?;
    let hash = writing.hash;
    writing
        .part
        .remove_key(key, hash, table.fixation.is_fixed());
    Ok(am::TRUE)
}

/// `ets:delete_object(Table, Object)`.
pub(crate) fn delete_object_2(process: &mut Process, [id, object]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let no_gc = no_gc!();
    let key = object
        .as_tuple(no_gc)
        .and_then(|elements| elements.get(table.options.keypos - 1));
    let key = *key.ok_or(badarg(2))?;
    let mut writing = table.writing(process, key)?;
    let hash = writing.hash;
    writing
        .part
        .remove_object(object, key, hash, table.fixation.is_fixed());
    Ok(am::TRUE)
}

/// `ets:take(Table, Key)`: deletes the objects and returns them.
pub(crate) fn take_2(process: &mut Process, [id, key]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    let mut writing = table.writing(process, key)?;
    let hash = writing.hash;
    let heap = process.heap();
    let mut list = Term::NIL;
    let fixed = table.fixation.is_fixed();
    writing.part.take_key(key, hash, fixed, |object| {
        let copied = object.copy_to(heap);
        list = build::cons(heap, copied, list);
    });
    Ok(list)
}
