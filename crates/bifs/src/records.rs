//! `records`: native records as values.
//!
//! None of these has an explanation in a module of errors: the reasons say what is wrong.

use layout::{Term, no_gc};
use smallvec::SmallVec;
use term::compare::compare_keys;
use term::native_record::{self, Definition};
use term::{am, build, list, map};

use runtime::code::bif::{BifResult, Failure, badarg, badmap};
use runtime::code::modules;
use runtime::mail::current::charge;
use runtime::process::Process;

/// `{badrecord, Term}`
fn badrecord(process: &mut Process, term: Term) -> Failure {
    Failure::Error(build::tuple(process.heap(), &[am::BADRECORD, term]))
}

/// `{badfield, {{Module, Name}, Field}}`
fn badfield(process: &mut Process, (module, name): (Term, Term), field: Term) -> Failure {
    let heap = process.heap();
    let id = build::tuple(heap, &[module, name]);
    let place = build::tuple(heap, &[id, field]);
    Failure::Error(build::tuple(heap, &[am::BADFIELD, place]))
}

/// `records:create(Module, Name, [{Field, Value}], #{is_exported => Boolean})`
pub(crate) fn create_4(
    process: &mut Process,
    [module, name, fields, options]: [Term; 4],
) -> BifResult {
    if !module.is_atom() || !name.is_atom() {
        return Err(badrecord(process, name));
    }
    let Some(count) = options.map_size() else {
        return Err(badmap(process, options));
    };
    let exported = map::get(options, am::IS_EXPORTED);
    let is_exported = match exported {
        Some(am::TRUE) if count == 1 => true,
        Some(am::FALSE) if count == 1 => false,
        _ => return Err(badarg(4)),
    };
    let mut names: SmallVec<[Term; 16]> = SmallVec::new();
    let mut values: SmallVec<[Term; 16]> = SmallVec::new();
    for pair in list::items(fields) {
        let Some([field, value]) = pair.ok().and_then(Term::as_tuple_of) else {
            return Err(badarg(3));
        };
        if !field.is_atom() {
            return Err(badfield(process, (module, name), field));
        }
        names.push(field);
        values.push(value);
    }
    charge(names.len() as i64 / FIELDS_PER_REDUCTION);
    if native_record::has_duplicates(&names) {
        return Err(badarg(3));
    }
    let definition = Definition {
        module,
        name,
        is_exported,
        fields: &names,
    };
    let definition = definition.build(process.heap());
    Ok(native_record::build(process.heap(), definition, &values))
}

/// Fields of a record for which one reduction is counted.
const FIELDS_PER_REDUCTION: i64 = 16;

/// `records:update(Record, Module, Name, #{Field => Value})`
pub(crate) fn update_4(
    process: &mut Process,
    [record, module, name, fields]: [Term; 4],
) -> BifResult {
    let no_gc = no_gc!();
    let Some((tuple, values)) = record.as_native_record(no_gc) else {
        return Err(badrecord(process, record));
    };
    let definition = Definition::of(tuple, no_gc);
    if !definition.is_of(module, name) {
        return Err(badrecord(process, name));
    }
    let Some(count) = fields.map_size() else {
        return Err(badmap(process, fields));
    };
    let mut values: SmallVec<[Term; 16]> = SmallVec::from_slice(values);
    charge((values.len() + count * values.len() / 8) as i64 / FIELDS_PER_REDUCTION);
    // Of several fields that the record has not, the first in the order of a small map's keys is named.
    let mut missing: Option<Term> = None;
    for (field, value) in map::iter(fields) {
        match definition.place(field) {
            Some(place) => values[place] = value,
            None if missing.is_some_and(|first| compare_keys(first, field).is_lt()) => (),
            None => missing = Some(field),
        }
    }
    if let Some(field) = missing {
        return Err(badfield(process, (module, name), field));
    }
    Ok(native_record::build(process.heap(), tuple, &values))
}

/// `records:get(Field, Record)`
pub(crate) fn get_2(_process: &mut Process, [field, record]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let (definition, values) = record.as_native_record(no_gc).ok_or(badarg(2))?;
    let place = Definition::of(definition, no_gc!())
        .place(field)
        .ok_or(badarg(1))?;
    Ok(values[place])
}

/// `records:get_definition(Module, Name)`: `{#{is_exported => Boolean}, [Field | {Field, Default}]}`
pub(crate) fn get_definition_2(process: &mut Process, [module, name]: [Term; 2]) -> BifResult {
    let record = modules::record(module, name).ok_or(badarg(2))?;
    let no_gc = no_gc!();
    let (definition, values) = record.as_native_record(no_gc).ok_or(badarg(2))?;
    let definition = Definition::of(definition, no_gc);
    charge(values.len() as i64 / FIELDS_PER_REDUCTION);
    let heap = process.heap();
    let exported = [(am::IS_EXPORTED, am::boolean(definition.is_exported))];
    let options = map::from_pairs(heap, &exported);
    let mut fields = Term::NIL;
    for (&field, &value) in definition.fields.iter().zip(values).rev() {
        let field = match value {
            native_record::NO_VALUE => field,
            value => build::tuple(heap, &[field, value]),
        };
        fields = build::cons(heap, field, fields);
    }
    Ok(build::tuple(heap, &[options, fields]))
}

/// `records:get_field_names(Record)`, in the order of their declaration
pub(crate) fn get_field_names_1(process: &mut Process, [record]: [Term; 1]) -> BifResult {
    let Some(definition) = record.record_definition() else {
        return Err(badrecord(process, record));
    };
    let no_gc = no_gc!();
    let fields = Definition::of(definition, no_gc).fields;
    charge(fields.len() as i64 / FIELDS_PER_REDUCTION);
    Ok(build::list(process.heap(), fields))
}

/// `records:get_module(Record)`
pub(crate) fn get_module_1(_process: &mut Process, [record]: [Term; 1]) -> BifResult {
    let definition = record.record_definition().ok_or(badarg(1))?;
    Ok(Definition::of(definition, no_gc!()).module)
}

/// `records:get_name(Record)`
pub(crate) fn get_name_1(_process: &mut Process, [record]: [Term; 1]) -> BifResult {
    let definition = record.record_definition().ok_or(badarg(1))?;
    Ok(Definition::of(definition, no_gc!()).name)
}

/// `records:is_exported(Record)`
pub(crate) fn is_exported_1(process: &mut Process, [record]: [Term; 1]) -> BifResult {
    match record.as_native_record(no_gc!()) {
        Some((definition, _)) => Ok(am::boolean(
            Definition::of(definition, no_gc!()).is_exported,
        )),
        None => Err(badrecord(process, record)),
    }
}
