//! Native records. Those of the module itself whose fields all get a value are made by one instruction that has the
//! definition and the default values as constants; others are looked up when they are made.

use beamfile::Operand as FileOperand;
use isa::Opcode;
use layout::{Term, no_gc};
use term::native_record::{self, Definition, NO_VALUE};

use super::emit::{Emitter, label, number};
use super::operations::Result;
use super::terms::{bad, list};
use crate::bodies::records;
use crate::encoding::{
    GetRecordElement, GetRecordElements, GetRecordField, IsNativeRecord, IsRecordAccessible,
    NewRecord, PutRecord,
};
use crate::operand::Operand;
use crate::slow::{self, records::scope};

/// Which records an operation takes: module, name, and scope.
type Id = (Term, Term, u64);

pub(super) fn record_operation(
    emitter: &mut Emitter<'_>,
    opcode: Opcode,
    operands: &[FileOperand],
) -> Result {
    let atom = |operand: u8| {
        let constant = emitter.constant(operands[operand as usize]);
        constant
            .filter(|term| term.is_atom())
            .ok_or(bad(opcode, operand))
    };
    match opcode {
        Opcode::IsNativeRecord => {
            let words = IsNativeRecord {
                term: emitter.source(operands[1]),
                module: atom(2)?,
                name: atom(3)?,
                fail: label(operands[0]),
            };
            emitter.operation::<records::IsNativeRecord>(words);
        }
        Opcode::IsRecordAccessible => {
            let module = match emitter.atom_text(atom(2)?) {
                "external" => Term::NIL,
                "auto_local" => emitter.module.atoms[0],
                _ => return Err(bad(opcode, 2)),
            };
            let words = IsRecordAccessible {
                term: emitter.source(operands[1]),
                module,
                fail: label(operands[0]),
            };
            emitter.operation::<records::IsRecordAccessible>(words);
        }
        Opcode::GetRecordElements => {
            let pairs = list(emitter, opcode, operands, 2)?;
            get_record_elements(emitter, operands, pairs);
        }
        Opcode::GetRecordField => {
            let (module, name, scope) = id(emitter, operands[2]).ok_or(bad(opcode, 2))?;
            let words = GetRecordField {
                record: emitter.source(operands[1]),
                dest: emitter.source(operands[4]),
                fail: label(operands[0]),
                module,
                name,
                scope,
                field: atom(3)?,
            };
            emitter.instruction(slow::records::get_record_field, words);
        }
        _ => {
            let pairs = list(emitter, opcode, operands, 5)?;
            let live = number(operands[4]).ok_or(bad(opcode, 4))?;
            let id = id(emitter, operands[1]).ok_or(bad(opcode, 1))?;
            put_record(emitter, operands, id, live, pairs);
        }
    }
    Ok(())
}

/// An atom is the name of a record of this module, or `'_'` for any; a literal names module and record.
fn id(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Id> {
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
fn get_record_elements(emitter: &mut Emitter<'_>, operands: &[FileOperand], pairs: &[FileOperand]) {
    let (record, fail) = (emitter.source(operands[1]), label(operands[0]));
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
    operands: &[FileOperand],
    (module, name, scope): Id,
    live: u64,
    pairs: &[FileOperand],
) {
    let record = emitter.source(operands[2]);
    let dest = emitter.source(operands[3]);
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
        fail: label(operands[0]),
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
