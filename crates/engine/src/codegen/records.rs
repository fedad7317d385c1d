//! Native records. Those of the module itself whose fields all get a value are made by one instruction that has the
//! definition and the default values as constants; others are looked up when they are made.

use beamfile::{Generic, Operand as FileOperand};
use layout::{Term, no_gc};
use spec::Opcode;
use term::native_record::{self, Definition, NO_VALUE};

use super::emit::Emitter;
use super::error::{Result, bad};
use super::module::Module;
use crate::bodies::records;
use crate::encoding::{
    GetRecordElement, GetRecordElements, GetRecordField, IsRecordAccessible, NewRecord, PutRecord,
};
use crate::operand::Operand;
use crate::slow::{self, records::scope};

/// Which records an operation takes: module, name, and scope.
type Id = (Term, Term, u64);

/// The operations on native records. Returns whether this is one.
pub(super) fn operation(emitter: &mut Emitter<'_>, generic: Generic<'_>) -> Result<bool> {
    check(emitter.module, generic)?;
    match generic {
        Generic::IsRecordAccessible { fail, term, scope } => {
            let bad = bad(Opcode::IsRecordAccessible, "scope");
            let scope = emitter.constant(scope).ok_or(bad.clone())?;
            let module = match emitter.atom_text(scope) {
                "external" => Term::NIL,
                "auto_local" => emitter.module.atoms[0],
                _ => return Err(bad),
            };
            let term = emitter.source(term);
            emitter.operation::<records::IsRecordAccessible>(IsRecordAccessible {
                term,
                module,
                fail,
            });
        }
        Generic::GetRecordElements {
            fail,
            record,
            fields,
        } => get_record_elements(emitter, fail, record, fields),
        Generic::GetRecordField {
            fail,
            record,
            id,
            field,
            dest,
        } => {
            let bad = |operand| bad(Opcode::GetRecordField, operand);
            let (module, name, scope) = id_of(emitter, id).ok_or(bad("id"))?;
            let words = GetRecordField {
                record: emitter.source(record),
                dest: emitter.source(dest),
                fail,
                module,
                name,
                scope,
                field: emitter.constant(field).ok_or(bad("field"))?,
            };
            emitter.instruction(slow::records::get_record_field, words);
        }
        Generic::PutRecord {
            fail,
            id,
            record,
            dest,
            live,
            values,
        } => {
            let id = id_of(emitter, id).ok_or(bad(Opcode::PutRecord, "id"))?;
            let words = (emitter.source(record), emitter.source(dest), fail, live);
            put_record(emitter, id, words, values);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether the module defines the record that an operation makes, if that is one of its own. With
/// [`super::generate`]'s other errors, for [`super::check`].
pub(super) fn check(module: &Module<'_>, generic: Generic<'_>) -> Result {
    let Generic::PutRecord {
        id: FileOperand::Atom(name),
        record: FileOperand::Nil,
        ..
    } = generic
    else {
        return Ok(());
    };
    let definition = (module.records)(module.atoms[name as usize]);
    definition.map_or(Err(bad(Opcode::PutRecord, "id")), |_| Ok(()))
}

/// An atom is the name of a record of this module, or `'_'` for any; a literal names module and record.
fn id_of(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Id> {
    let constant = emitter.constant(operand)?;
    if let Some([module, name]) = constant.as_tuple_of() {
        let is_id = module.is_atom() && name.is_atom();
        return is_id.then_some((module, name, scope::EXTERNAL));
    }
    if !constant.is_atom() {
        return None;
    }
    let scope = match emitter.atom_text(constant) {
        "_" => scope::ANY,
        _ => scope::LOCAL,
    };
    Some((emitter.module.atoms[0], constant, scope))
}

/// Takes the fields one by one; this requires that none but the last replaces the record.
fn get_record_elements(
    emitter: &mut Emitter<'_>,
    fail: u32,
    record: FileOperand,
    pairs: &[FileOperand],
) {
    let record = emitter.source(record);
    let pairs: Vec<[Operand; 2]> = pairs
        .chunks_exact(2)
        .map(|pair| [emitter.source(pair[0]), emitter.source(pair[1])])
        .collect();
    let others = pairs.split_last().map_or(&[][..], |(_, others)| others);
    if others.iter().any(|&[_, dest]| dest == record) {
        let count = pairs.len() as u64;
        let words = GetRecordElements {
            record,
            fail,
            count,
        };
        emitter.instruction(slow::records::get_record_elements, words);
        emitter.more(pairs.into_flattened());
        return;
    }
    for [field, dest] in pairs {
        emitter.operation::<records::GetRecordElement>(GetRecordElement {
            record,
            dest,
            field: field.as_constant().expect("a name"),
            fail,
        });
    }
}

fn put_record(
    emitter: &mut Emitter<'_>,
    (module, name, scope): Id,
    (record, dest, fail, live): (Operand, Operand, u32, u64),
    pairs: &[FileOperand],
) {
    let is_new = record.as_constant().is_some_and(Term::is_nil);
    if is_new && scope == scope::LOCAL {
        let template = (emitter.module.records)(name);
        if let Some((definition, values)) =
            template.and_then(|template| all_values(emitter, template, pairs))
        {
            emitter.operation::<records::NewRecord>(NewRecord {
                bytes: records::bytes_of(values.len()),
                live,
                dest,
                definition,
            });
            emitter.more(values);
            return;
        }
    }
    let words = PutRecord {
        record,
        dest,
        fail,
        live,
        module,
        name,
        scope,
        count: pairs.len() as u64 / 2,
    };
    emitter.instruction(slow::records::put_record, words);
    let pairs: Vec<Operand> = pairs
        .iter()
        .map(|&operand| emitter.source(operand))
        .collect();
    emitter.more(pairs);
}

/// The definition and the value of each field of a new record; `None` if a value is missing or given for no field.
fn all_values(
    emitter: &Emitter<'_>,
    template: Term,
    pairs: &[FileOperand],
) -> Option<(Term, Vec<Operand>)> {
    let no_gc = no_gc!();
    let (_, defaults) = template.as_native_record(no_gc)?;
    let definition = native_record::definition(template);
    let fields = Definition::of(definition, no_gc);
    let mut values: Vec<Option<Operand>> = defaults
        .iter()
        .map(|&value| (value != NO_VALUE).then(|| Operand::constant(value)))
        .collect();
    for pair in pairs.chunks_exact(2) {
        let place = fields.place(emitter.constant(pair[0])?)?;
        values[place] = Some(emitter.source(pair[1]));
    }
    let values = values.into_iter().collect::<Option<Vec<Operand>>>()?;
    Some((definition, values))
}
