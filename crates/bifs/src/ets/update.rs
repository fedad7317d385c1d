//! Changing elements of an object.

use layout::{Heap, Term, no_gc};
use smallvec::SmallVec;
use term::arith::{self, ArithError};
use term::release::{self, Release};
use term::{am, build, compare, list};

use super::table;
use ets::table::{Table, Writing};
use ets::{Access, ObjectMut, ObjectRef, OwnedObject};
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, system_limit};
use runtime::process::Process;

/// `ets:update_element(Table, Key, Changes)`.
pub(crate) fn update_element_3(process: &mut Process, [id, key, changes]: [Term; 3]) -> BifResult {
    let (table, process) = table(process, id)?;
    let mut writing = table.writing(process, key)?;
    if !table.options.kind.is_set() {
        // Unlike `update_counter`, this gives no cause.
        return Err(badarg(1));
    }
    let mut failure = None;
    let found = writing.part.update(key, writing.hash, |mut object| {
        changed(&mut object, table, changes).unwrap_or_else(|found| {
            failure = Some(found);
            None
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(am::boolean(found)),
    }
}

/// `ets:update_element(Table, Key, Changes, Default)`: changes the object, or the default, which is then inserted.
pub(crate) fn update_element_4(
    process: &mut Process,
    [id, key, changes, default]: [Term; 4],
) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let keypos = table.options.keypos;
    check_default(keypos, default)?;
    let mut elements = default.as_tuple(no_gc!()).unwrap_or(&[]).to_vec();
    let mut writing = table.writing(process, key)?;
    if !table.options.kind.is_set() || writing.part.get(key, writing.hash).is_some() {
        drop(writing);
        return update_element_3(process, [id, key, changes]);
    }
    let changes = changes_of(changes, keypos, elements.len())?;
    *elements.get_mut(keypos - 1).ok_or_else(no_place)? = key;
    for (index, value) in changes {
        elements[index] = value;
    }
    let tuple = build::tuple(process.heap(), &elements);
    let object = table.object(tuple, writing.hash);
    writing
        .part
        .insert(object, false, table.fixation.is_fixed());
    Ok(am::TRUE)
}

/// Applies the changes of `ets:update_element/3` to an object: returns its replacement, or `None` if it was changed in
/// place.
fn changed(
    object: &mut ObjectMut<'_>,
    table: &Table,
    changes: Term,
) -> Result<Option<OwnedObject>, Failure> {
    let keypos = table.options.keypos;
    if change_in_place(object, keypos, changes) {
        return Ok(None);
    }
    let changes = changes_of(changes, keypos, object.get().elements().len())?;
    Ok(change(object, table, &changes))
}

type Changes = SmallVec<[(usize, Term); 4]>;

/// An element is wanted that the object does not have: from OTP 27 on the error tells so.
fn no_place() -> Failure {
    match release::has(Release::OTP_27) {
        true => badarg_because(am::POSITION),
        false => badarg(3),
    }
}

/// Refuses a default that is no tuple, and from OTP 28 on also one without a place for the key, even if it is not
/// needed.
fn check_default(keypos: usize, default: Term) -> Result<(), Failure> {
    let size = default.tuple_size();
    match release::has(Release::OTP_28) {
        true if size.is_none_or(|size| size < keypos) => Err(badarg_because(am::DEFAULT)),
        false if size.is_none() => Err(badarg(4)),
        _ => Ok(()),
    }
}

/// The places, counted from 0, and new values in the argument of `ets:update_element`, for an object of this size.
fn changes_of(changes: Term, keypos: usize, size: usize) -> Result<Changes, Failure> {
    let changes = if changes.is_tuple() {
        SmallVec::from_slice(&[changes])
    } else {
        SmallVec::<[Term; 1]>::from_vec(list::to_vec(changes).ok_or(badarg(3))?)
    };
    changes
        .iter()
        .map(|change| {
            let Some([position, value]) = change.as_tuple_of() else {
                return Err(badarg(3));
            };
            let position = position.as_small().ok_or(badarg(3))?;
            if position == keypos as i64 {
                return Err(badarg_because(am::KEYPOS));
            }
            let index = usize::try_from(position - 1).map_err(|_| no_place())?;
            if index < size {
                Ok((index, value))
            } else {
                Err(no_place())
            }
        })
        .collect()
}

/// The fast path: one element, whose old and new values are immediates. Returns false, and changes nothing, in any
/// other case.
fn change_in_place(object: &mut ObjectMut<'_>, keypos: usize, change: Term) -> bool {
    let Some([position, value]) = change.as_tuple_of() else {
        return false;
    };
    let index = match position.as_small() {
        Some(position) if position >= 1 && position != keypos as i64 => position as usize - 1,
        _ => return false,
    };
    index < object.get().elements().len() && object.set_immediate(index, value)
}

/// Changes elements of an object: in place, or by making a replacement.
fn change(
    object: &mut ObjectMut<'_>,
    table: &Table,
    changes: &[(usize, Term)],
) -> Option<OwnedObject> {
    let elements = object.get().elements();
    if changes
        .iter()
        .all(|(index, value)| value.is_immediate() && elements[*index].is_immediate())
    {
        for (index, value) in changes {
            let changed = object.set_immediate(*index, *value);
            debug_assert!(changed);
        }
        return None;
    }
    let packed = table.options.compressed.then_some(table.options.keypos);
    Some(object.get().changed(changes, packed))
}

/// `{Position, Increment}` or `{Position, Increment, Threshold, SetValue}`.
struct Step {
    index: usize,
    increment: Term,
    /// Threshold and reset value: past the threshold the counter is set to the reset value.
    wrap: Option<(Term, Term)>,
}

/// `ets:update_counter(Table, Key, Steps)`.
pub(crate) fn update_counter_3(process: &mut Process, [id, key, steps]: [Term; 3]) -> BifResult {
    let (table, process) = table(process, id)?;
    update_counter(process, table, key, steps, None)
}

/// `ets:update_counter(Table, Key, Steps, Default)`.
pub(crate) fn update_counter_4(
    process: &mut Process,
    [id, key, steps, default]: [Term; 4],
) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    check_default(table.options.keypos, default)?;
    update_counter(process, table, key, steps, Some(default))
}

fn update_counter(
    process: &mut Process,
    table: &Table,
    key: Term,
    steps: Term,
    default: Option<Term>,
) -> BifResult {
    let keypos = table.options.keypos;
    let mut writing = table.writing(process, key)?;
    if !table.options.kind.is_set() {
        return Err(badarg_because(am::TABLE_TYPE));
    }
    if let Some(value) = count_in_place(&mut writing, keypos, key, steps) {
        return Ok(value);
    }
    let heap = process.heap();
    let made: Vec<Term>;
    let object = writing.part.get(key, writing.hash).map(ObjectRef::open);
    let is_new = object.is_none();
    let elements: &[Term] = match (&object, default) {
        (Some(object), _) => object.elements(),
        (None, Some(default)) => {
            let mut elements = default.as_tuple(no_gc!()).unwrap_or(&[]).to_vec();
            *elements.get_mut(keypos - 1).ok_or_else(no_place)? = key;
            made = elements;
            &made
        }
        (None, None) => return Err(badarg_because(am::BADKEY)),
    };
    let (steps, is_list) = parse_all(heap, steps, keypos, elements)?;
    let (results, changes) = count(heap, &steps, elements)?;
    if is_new {
        let mut elements = elements.to_vec();
        drop(object);
        for (index, value) in &changes {
            elements[*index] = *value;
        }
        let tuple = build::tuple(heap, &elements);
        let object = table.object(tuple, writing.hash);
        writing
            .part
            .insert(object, false, table.fixation.is_fixed());
    } else {
        drop(object);
        let hash = writing.hash;
        writing
            .part
            .update(key, hash, |mut object| change(&mut object, table, &changes));
    }
    Ok(if is_list {
        build::list(heap, &results)
    } else {
        results.first().copied().unwrap_or(Term::NIL)
    })
}

/// The steps of an argument, and whether they are in a list.
fn parse_all(
    heap: &mut Heap,
    steps: Term,
    keypos: usize,
    elements: &[Term],
) -> Result<(Vec<Step>, bool), Failure> {
    let (steps, is_list) = if steps.is_integer() {
        let step = build::tuple(heap, &[Term::small(keypos as i64 + 1), steps]);
        (vec![step], false)
    } else if steps.is_tuple() {
        (vec![steps], false)
    } else {
        (list::to_vec(steps).ok_or(badarg(3))?, true)
    };
    let steps = steps.iter().map(|step| parse(*step, keypos, elements));
    Ok((steps.collect::<Result<_, _>>()?, is_list))
}

/// The value after each step, and the new values of the elements that change.
fn count(
    heap: &mut Heap,
    steps: &[Step],
    elements: &[Term],
) -> Result<(Vec<Term>, Vec<(usize, Term)>), Failure> {
    let mut results = Vec::with_capacity(steps.len());
    let mut changes: Vec<(usize, Term)> = Vec::new();
    for step in steps {
        let known = changes.iter_mut().find(|(index, _)| *index == step.index);
        let old = known.as_ref().map_or(elements[step.index], |known| known.1);
        let mut value = arith::add(heap, old, step.increment).map_err(|error| match error {
            ArithError::SystemLimit => system_limit(),
            ArithError::BadArith => badarg(3),
        })?;
        if let Some((threshold, reset)) = step.wrap {
            let order = compare::compare(value, threshold);
            let down = compare::compare(step.increment, Term::small(0)).is_lt();
            if (down && order.is_lt()) || (!down && order.is_gt()) {
                value = reset;
            }
        }
        match known {
            Some(known) => known.1 = value,
            None => changes.push((step.index, value)),
        }
        results.push(value);
    }
    Ok((results, changes))
}

/// The fast path: one small counter that stays small. Returns `None`, and changes nothing, in any other case.
fn count_in_place(writing: &mut Writing<'_>, keypos: usize, key: Term, step: Term) -> Option<Term> {
    let (position, increment) = match (step.as_small(), step.as_tuple(no_gc!())) {
        (Some(increment), _) => (keypos as i64 + 1, increment),
        (None, Some(&[position, increment])) => (position.as_small()?, increment.as_small()?),
        _ => return None,
    };
    if position == keypos as i64 {
        return None;
    }
    let index = usize::try_from(position - 1).ok()?;
    let mut object = writing.part.get_mut(key, writing.hash)?;
    let old = object.get().elements().get(index)?.as_small()?;
    let new = Term::try_small(old + increment)?;
    object.set_immediate(index, new).then_some(new)
}

fn parse(step: Term, keypos: usize, elements: &[Term]) -> Result<Step, Failure> {
    let (position, increment, wrap) = match step.as_tuple(no_gc!()) {
        Some(&[position, increment]) => (position, increment, None),
        Some(&[position, increment, threshold, reset])
            if threshold.is_integer() && reset.is_integer() =>
        {
            (position, increment, Some((threshold, reset)))
        }
        _ => return Err(badarg(3)),
    };
    let position = position.as_small().ok_or(badarg(3))?;
    if !increment.is_integer() {
        return Err(badarg(3));
    }
    if position == keypos as i64 {
        return Err(badarg_because(am::KEYPOS));
    }
    let index = usize::try_from(position - 1).map_err(|_| badarg_because(am::POSITION))?;
    let counter = *elements
        .get(index)
        .ok_or_else(|| badarg_because(am::POSITION))?;
    if !counter.is_integer() {
        return Err(badarg(3));
    }
    Ok(Step {
        index,
        increment,
        wrap,
    })
}
