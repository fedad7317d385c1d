//! BIFs in guards and bodies, and calls of other modules.

use beamfile::Operand as FileOperand;
use isa::{Opcode, atoms};
use layout::{Export, Term};

use super::AssembleErrorKind;
use super::emit::{Emitter, label, number};
use crate::bodies::{arith, calls, guards, tuples};
use crate::form::Handler;
use crate::operand::Operand;
use crate::operation::{dest, plain, source_dest, sources_dest, sources_dest_few};
use crate::slow::{self, bifs::NO_LIVE};

/// `bif0` to `bif3` and `gc_bif1` to `gc_bif3`.
pub(super) fn guard_bif(
    emitter: &mut Emitter<'_>,
    opcode: Opcode,
    operands: &[FileOperand],
) -> Result<(), AssembleErrorKind> {
    // The fail label and the live count come first, if the operation has them.
    let (fail, live, rest) = match opcode {
        Opcode::Bif0 => (0, NO_LIVE, operands),
        Opcode::GcBif1 | Opcode::GcBif2 | Opcode::GcBif3 => (
            label(operands[0]),
            number(operands[1]).unwrap_or(NO_LIVE),
            &operands[2..],
        ),
        _ => (label(operands[0]), NO_LIVE, &operands[1..]),
    };
    let import = import_index(rest[0]);
    let export = emitter.import(import);
    let values: Vec<Operand> = rest[1..]
        .iter()
        .map(|&operand| emitter.source(operand))
        .collect();
    // SAFETY: exports are never freed.
    let name = unsafe { &*export };
    if is_erlang(name, atoms::SELF, 0) {
        emitter.instruction(dest::<calls::SelfPid>(values[0]), &values);
        return Ok(());
    }
    require_bif(emitter, import)?;
    let handler = operator(name, &values).unwrap_or(match values.len() {
        1 => slow::bifs::guard0,
        2 => slow::bifs::guard1,
        3 => slow::bifs::guard2,
        _ => slow::bifs::guard3,
    });
    emitter.instruction(handler, &values);
    emitter.label(fail);
    emitter.word(live);
    emitter.word(export as u64);
    if let Some(index) = constant_index(name, &values) {
        emitter.word(tuples::element_offset(index - 1));
        emitter.word(tuples::tuple_header(index as usize));
    }
    Ok(())
}

/// The index, if this is `element/2` with a constant one.
fn constant_index(name: &Export, values: &[Operand]) -> Option<u64> {
    let index = *values.first()?;
    (is_erlang(name, atoms::ELEMENT, 2) && is_index(index))
        .then(|| index.as_constant()?.as_small()?.try_into().ok())
        .flatten()
}

/// The body that computes this BIF for the simple cases, if there is one.
fn operator(name: &Export, values: &[Operand]) -> Option<Handler> {
    if name.module != Term::atom(atoms::ERLANG) {
        return None;
    }
    let function = name.function.as_atom()?;
    match *values {
        [a, d] => match function {
            atoms::MINUS => Some(source_dest::<arith::Negate>(a, d)),
            atoms::BNOT => Some(source_dest::<arith::BitNot>(a, d)),
            atoms::TUPLE_SIZE => Some(source_dest::<guards::TupleSize>(a, d)),
            atoms::MAP_SIZE => Some(source_dest::<guards::MapSize>(a, d)),
            atoms::HD => Some(source_dest::<guards::Head>(a, d)),
            atoms::TL => Some(source_dest::<guards::Tail>(a, d)),
            atoms::ABS => Some(source_dest::<guards::Absolute>(a, d)),
            atoms::BYTE_SIZE => Some(source_dest::<guards::ByteSize>(a, d)),
            atoms::LENGTH => Some(source_dest::<guards::Length>(a, d)),
            atoms::NOT => Some(source_dest::<guards::Not>(a, d)),
            _ => None,
        },
        [a, b, d] => match function {
            atoms::PLUS => Some(sources_dest::<arith::Add>(a, b, d)),
            atoms::MINUS => Some(sources_dest::<arith::Subtract>(a, b, d)),
            atoms::TIMES => Some(sources_dest::<arith::Multiply>(a, b, d)),
            atoms::DIVIDE => Some(slow::arith::divide),
            atoms::DIV => Some(sources_dest_few::<arith::IntegerDivide>(a, b, d)),
            atoms::REM => Some(sources_dest_few::<arith::Remainder>(a, b, d)),
            atoms::BAND => Some(sources_dest::<arith::BitAnd>(a, b, d)),
            atoms::BOR => Some(sources_dest_few::<arith::BitOr>(a, b, d)),
            atoms::BXOR => Some(sources_dest_few::<arith::BitXor>(a, b, d)),
            atoms::BSL => Some(sources_dest_few::<arith::ShiftLeft>(a, b, d)),
            atoms::BSR => Some(sources_dest_few::<arith::ShiftRight>(a, b, d)),
            atoms::ELEMENT if is_index(a) => Some(source_dest::<guards::ElementConstant>(b, d)),
            atoms::ELEMENT => Some(sources_dest_few::<guards::Element>(a, b, d)),
            atoms::MAP_GET => Some(slow::maps::map_get),
            atoms::IS_MAP_KEY => Some(slow::maps::is_map_key),
            atoms::EQ_EXACT => Some(sources_dest_few::<guards::Same>(a, b, d)),
            atoms::NE_EXACT => Some(sources_dest_few::<guards::NotSame>(a, b, d)),
            atoms::EQ => Some(sources_dest_few::<guards::Equal>(a, b, d)),
            atoms::NE => Some(sources_dest_few::<guards::NotEqual>(a, b, d)),
            atoms::LT => Some(sources_dest_few::<guards::Less>(a, b, d)),
            atoms::GE => Some(sources_dest_few::<guards::NotLess>(a, b, d)),
            atoms::GT => Some(sources_dest_few::<guards::Greater>(a, b, d)),
            atoms::LE => Some(sources_dest_few::<guards::NotGreater>(a, b, d)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the operand is a constant that is a valid element index for some tuple.
fn is_index(operand: Operand) -> bool {
    let value = operand.as_constant().and_then(Term::as_small);
    value.is_some_and(|value| (1..=layout::limits::MAX_TUPLE_ARITY as i64).contains(&value))
}

/// The position of a call in its function.
#[derive(Clone, Copy)]
pub(super) enum Tail {
    /// Not a tail call.
    No,
    /// A tail call in a function without a frame.
    Only,
    /// A tail call in a function whose frame has this many bytes of Y registers.
    Last(u64),
}

/// `call_ext`, `call_ext_only` and `call_ext_last`.
pub(super) fn call(emitter: &mut Emitter<'_>, operand: FileOperand, tail: Tail) {
    let export = emitter.import(import_index(operand));
    // SAFETY: exports are never freed.
    let name = unsafe { &*export };
    let applied: Option<(Handler, Handler)> = if is_erlang(name, atoms::APPLY, 3) {
        Some((slow::calls::apply_list, slow::calls::apply_list_last))
    } else if is_erlang(name, atoms::APPLY, 2) {
        Some((
            slow::calls::apply_fun_list,
            slow::calls::apply_fun_list_last,
        ))
    } else {
        None
    };
    if let Some((body, last)) = applied {
        match tail {
            Tail::No => emitter.handler(body),
            Tail::Only => {
                emitter.handler(last);
                emitter.word(0);
            }
            Tail::Last(bytes) => {
                emitter.handler(last);
                emitter.word(bytes);
            }
        }
        return;
    }
    if name.bif.is_some() {
        match tail {
            Tail::No | Tail::Last(_) => {
                emitter.handler(if is_erlang(name, atoms::SETELEMENT, 3) {
                    plain::<tuples::SetElement>()
                } else {
                    slow::bifs::call_bif
                });
                emitter.word(export as u64);
                if let Tail::Last(bytes) = tail {
                    emitter.handler(plain::<calls::DeallocateReturn>());
                    emitter.word(bytes);
                }
            }
            Tail::Only => {
                emitter.handler(slow::bifs::call_bif_only);
                emitter.word(export as u64);
            }
        }
        return;
    }
    emitter.handler(match tail {
        Tail::No => plain::<calls::CallExport>(),
        Tail::Only => plain::<calls::CallExportOnly>(),
        Tail::Last(_) => plain::<calls::CallExportLast>(),
    });
    emitter.word(export as u64);
    if let Tail::Last(bytes) = tail {
        emitter.word(bytes);
    }
}

fn is_erlang(export: &Export, function: u32, arity: u32) -> bool {
    export.module == Term::atom(atoms::ERLANG)
        && export.function == Term::atom(function)
        && export.arity == arity
}

fn import_index(operand: FileOperand) -> u32 {
    match operand {
        FileOperand::Import(index) => index,
        other => unreachable!("proven to be an import: {other:?}"),
    }
}

fn require_bif(emitter: &Emitter<'_>, import: u32) -> Result<(), AssembleErrorKind> {
    // SAFETY: exports are never freed.
    if unsafe { (*emitter.import(import)).bif.is_some() } {
        return Ok(());
    }
    let file = emitter.module.file;
    let row = file.imports[import as usize];
    Err(AssembleErrorKind::NoBif {
        module: file.atom(row.module).to_owned(),
        function: file.atom(row.function).to_owned(),
        arity: row.arity,
    })
}
