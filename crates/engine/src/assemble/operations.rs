//! Translates a function, operation by operation.
//!
//! **Fusing.** Neighbouring operations that often occur together become one instruction: a move and a call or return,
//! the end of a frame and a return, two moves, two elements of one tuple, a test for a cons cell and taking it apart.
//! Operations with a label between them are never fused, since `label` is itself an operation. A `line` does not
//! prevent fusing; it takes effect where the fused instruction begins.

use beamfile::{Function, Operand as FileOperand, Operation};
use isa::Opcode;
use layout::{Header, ObjectKind, Term};

use super::AssembleErrorKind;
use super::bifs::{self, Tail};
use super::emit::{Emitter, label, number};
use super::{select, terms};
use crate::bodies::{calls, compare, exceptions, lists, messages, moves, tests, tuples};
use crate::form::Handler;
use crate::operand::{Operand, OperandKind};
use crate::operation::{
    S, SS, dest, plain, source, source_dest, source_dests, sources, sources_dest,
};
use crate::slow;

pub(super) type Result<T = ()> = core::result::Result<T, AssembleErrorKind>;

/// Writes the body of a function.
pub(super) fn function(emitter: &mut Emitter<'_>, function: &Function) -> Result {
    let mut cursor = Cursor {
        operations: emitter.module.code.body(function),
    };
    let code = emitter.module.code;
    while let Some(operation) = cursor.next() {
        if operation.opcode == Opcode::Label
            && let Some(name) = number(code.operands(operation)[0])
        {
            emitter.keep_from_entry(function.entry_label, name as u32);
        }
        one(emitter, operation, &mut cursor)?;
    }
    Ok(())
}

/// The remaining operations of a function.
struct Cursor<'a> {
    operations: &'a [Operation],
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Option<&'a Operation> {
        let (first, rest) = self.operations.split_first()?;
        self.operations = rest;
        Some(first)
    }

    fn opcode_at(&self, index: usize) -> Option<Opcode> {
        self.operations.get(index).map(|operation| operation.opcode)
    }

    /// Takes the next operation if it has this opcode.
    fn take(&mut self, opcode: Opcode) -> Option<&'a Operation> {
        if self.opcode_at(0) == Some(opcode) {
            self.next()
        } else {
            None
        }
    }
}

/// Writes an instruction whose handler is a slow path.
fn slow(emitter: &mut Emitter<'_>, handler: Handler, operands: &[FileOperand]) {
    emitter.handler(handler);
    for &operand in operands {
        let operand = emitter.source(operand);
        emitter.operand(operand);
    }
}

fn one<'a>(emitter: &mut Emitter<'a>, operation: &'a Operation, cursor: &mut Cursor<'a>) -> Result {
    let code = emitter.module.code;
    let operands = code.operands(operation);
    let opcode = operation.opcode;
    let bad = |operand: u8| AssembleErrorKind::BadOperand { opcode, operand };
    // The number of words in an operand, converted to bytes.
    let bytes = |place: u8| match operands.get(place as usize).copied().and_then(number) {
        Some(words) if words <= u32::MAX.into() => Ok(words * 8),
        _ => Err(bad(place)),
    };
    let list = |place: u8| match operands[place as usize] {
        FileOperand::List(span) => Ok(code.list(span)),
        _ => Err(bad(place)),
    };
    match opcode {
        Opcode::Label => emitter.define(number(operands[0]).ok_or(bad(0))? as u32),
        Opcode::Line => {
            if let FileOperand::Line(line) = operands[0] {
                emitter.line(line);
            }
        }
        Opcode::IntCodeEnd | Opcode::NifStart | Opcode::Fclearerror | Opcode::Fcheckerror => (),
        // These only speed a receive up and have no other effect.
        Opcode::RecvMark | Opcode::RecvSet => (),
        Opcode::OnLoad => emitter.on_load(),
        Opcode::FuncInfo => return Err(AssembleErrorKind::Unsupported(opcode)),

        // Frames and room.
        Opcode::Allocate | Opcode::AllocateZero => {
            let body = if opcode == Opcode::Allocate {
                plain::<moves::Allocate>()
            } else {
                plain::<moves::AllocateZero>()
            };
            emitter.handler(body);
            emitter.word(bytes(0)?);
            emitter.word(number(operands[1]).ok_or(bad(1))?);
        }
        Opcode::AllocateHeap | Opcode::AllocateHeapZero => {
            let body = if opcode == Opcode::AllocateHeap {
                plain::<moves::AllocateHeap>()
            } else {
                plain::<moves::AllocateHeapZero>()
            };
            let frame = bytes(0)?;
            let heap = heap_bytes(operands[1]).ok_or(bad(1))?;
            emitter.handler(body);
            emitter.word(frame);
            emitter.word(number(operands[2]).ok_or(bad(2))?);
            emitter.word(frame + heap);
        }
        Opcode::TestHeap => {
            let heap = heap_bytes(operands[0]).ok_or(bad(0))?;
            emitter.handler(plain::<moves::TestHeap>());
            emitter.word(heap);
            emitter.word(number(operands[1]).ok_or(bad(1))?);
        }
        Opcode::Init => init(emitter, operands),
        Opcode::InitYregs => init(emitter, list(0)?),
        Opcode::Deallocate => {
            let frame = bytes(0)?;
            if cursor.take(Opcode::Return).is_some() {
                emitter.handler(plain::<calls::DeallocateReturn>());
            } else {
                emitter.handler(plain::<moves::Deallocate>());
            }
            emitter.word(frame);
        }
        Opcode::Trim => {
            emitter.handler(plain::<moves::Deallocate>());
            emitter.word(bytes(0)?);
        }

        // Moves.
        Opcode::Move => return r#move(emitter, operands, cursor),
        Opcode::Swap => {
            let (a, b) = (emitter.source(operands[0]), emitter.source(operands[1]));
            match (a.place(), b.place()) {
                (OperandKind::X, OperandKind::X) => {
                    emitter.instruction(plain::<moves::SwapXX>(), &[a, b])
                }
                (OperandKind::X, _) => emitter.instruction(plain::<moves::SwapXY>(), &[a, b]),
                (_, OperandKind::X) => emitter.instruction(plain::<moves::SwapXY>(), &[b, a]),
                _ => emitter.instruction(plain::<moves::SwapYY>(), &[a, b]),
            }
        }

        // Lists and tuples.
        Opcode::GetList => {
            let values = three(emitter, operands);
            emitter.instruction(
                source_dests::<lists::GetList>(values[0], values[1], values[2]),
                &values,
            );
        }
        Opcode::GetHd => source_dest_op::<lists::GetHd>(emitter, operands),
        Opcode::GetTl => source_dest_op::<lists::GetTl>(emitter, operands),
        Opcode::PutList => {
            let values = three(emitter, operands);
            emitter.instruction(
                sources_dest::<lists::PutList>(values[0], values[1], values[2]),
                &values,
            );
        }
        Opcode::PutTuple2 => put_tuple(emitter, operands[0], list(1)?),
        Opcode::GetTupleElement => get_tuple_element(emitter, operands, cursor)?,
        Opcode::SetTupleElement => {
            let index = number(operands[2]).ok_or(bad(2))?;
            let (value, tuple) = (emitter.source(operands[0]), emitter.source(operands[1]));
            emitter.instruction(
                sources::<tuples::SetTupleElement>(value, tuple),
                &[value, tuple],
            );
            emitter.word(element_offset(index).ok_or(bad(2))?);
        }
        Opcode::TestArity => {
            let arity = tuple_arity(operands[2]).ok_or(bad(2))?;
            let term = emitter.source(operands[1]);
            emitter.instruction(source::<tuples::TestArity>(term), &[term]);
            emitter.word(tuples::tuple_header(arity));
            emitter.label(label(operands[0]));
        }
        Opcode::IsTaggedTuple => {
            let arity = tuple_arity(operands[2]).ok_or(bad(2))?;
            let term = emitter.source(operands[1]);
            emitter.instruction(source::<tuples::IsTaggedTuple>(term), &[term]);
            emitter.word(tuples::tuple_header(arity));
            let tag = emitter.constant(operands[3]).ok_or(bad(3))?;
            emitter.term(tag);
            emitter.label(label(operands[0]));
        }

        // Tests.
        Opcode::IsTuple => test::<tuples::IsTuple>(emitter, operands),
        Opcode::IsInteger => test::<tests::IsInteger>(emitter, operands),
        Opcode::IsFloat => test::<tests::IsFloat>(emitter, operands),
        Opcode::IsNumber => test::<tests::IsNumber>(emitter, operands),
        Opcode::IsAtom => test::<tests::IsAtom>(emitter, operands),
        Opcode::IsPid => test::<tests::IsPid>(emitter, operands),
        Opcode::IsPort => test::<tests::IsPort>(emitter, operands),
        Opcode::IsReference => test::<tests::IsReference>(emitter, operands),
        Opcode::IsNil => test::<tests::IsNil>(emitter, operands),
        Opcode::IsList => test::<tests::IsList>(emitter, operands),
        Opcode::IsNonemptyList => is_nonempty_list(emitter, operands, cursor),
        Opcode::IsBinary => test::<tests::IsBinary>(emitter, operands),
        Opcode::IsBitstr => test::<tests::IsBitstring>(emitter, operands),
        Opcode::IsBoolean => test::<tests::IsBoolean>(emitter, operands),
        Opcode::IsMap => test::<tests::IsMap>(emitter, operands),
        Opcode::IsFunction => test::<tests::IsFunction>(emitter, operands),
        Opcode::IsFunction2 => {
            let (term, arity) = (emitter.source(operands[1]), emitter.source(operands[2]));
            emitter.instruction(source::<tests::IsFunction2>(term), &[term, arity]);
            emitter.label(label(operands[0]));
        }
        Opcode::Jump => {
            emitter.handler(plain::<tests::Jump>());
            emitter.label(label(operands[0]));
        }

        // Comparing and choosing.
        Opcode::IsLt => comparison::<compare::IsLt>(emitter, operands),
        Opcode::IsGe => comparison::<compare::IsGe>(emitter, operands),
        Opcode::IsEq => comparison::<compare::IsEq>(emitter, operands),
        Opcode::IsNe => comparison::<compare::IsNe>(emitter, operands),
        Opcode::IsEqExact => {
            identity::<compare::IsEqExact, compare::IsEqImmediate>(emitter, operands);
        }
        Opcode::IsNeExact => {
            identity::<compare::IsNeExact, compare::IsNeImmediate>(emitter, operands);
        }
        Opcode::SelectVal => {
            let term = emitter.source(operands[0]);
            select::select_value(emitter, term, label(operands[1]), list(2)?);
        }
        Opcode::SelectTupleArity => {
            let term = emitter.source(operands[0]);
            select::select_tuple_arity(emitter, term, label(operands[1]), list(2)?);
        }

        // Calls.
        Opcode::Call | Opcode::CallOnly => {
            emitter.handler(if opcode == Opcode::Call {
                plain::<calls::Call>()
            } else {
                plain::<calls::CallOnly>()
            });
            emitter.label(label(operands[1]));
        }
        Opcode::CallLast => {
            let frame = bytes(2)?;
            emitter.handler(plain::<calls::CallLast>());
            emitter.label(label(operands[1]));
            emitter.word(frame);
        }
        Opcode::CallExt => bifs::call(emitter, operands[1], Tail::No),
        Opcode::CallExtOnly => bifs::call(emitter, operands[1], Tail::Only),
        Opcode::CallExtLast => bifs::call(emitter, operands[1], Tail::Last(bytes(2)?)),
        Opcode::Return => emitter.handler(plain::<calls::Return>()),
        Opcode::CallFun => {
            let arity = number(operands[0]).ok_or(bad(0))?;
            call_fun(emitter, Operand::x(arity as u16), arity, cursor);
        }
        Opcode::CallFun2 => {
            let arity = number(operands[1]).ok_or(bad(1))?;
            let fun = emitter.source(operands[2]);
            call_fun(emitter, fun, arity, cursor);
        }
        Opcode::Apply => {
            emitter.handler(slow::calls::apply);
            emitter.word(number(operands[0]).ok_or(bad(0))?);
        }
        Opcode::ApplyLast => {
            let frame = bytes(1)?;
            emitter.handler(slow::calls::apply_last);
            emitter.word(number(operands[0]).ok_or(bad(0))?);
            emitter.word(frame);
        }
        Opcode::MakeFun3 => {
            let free: Vec<Operand> = list(2)?.iter().map(|&o| emitter.source(o)).collect();
            let to = emitter.source(operands[1]);
            make_fun(emitter, operands[0], to, &free).ok_or(bad(0))?;
        }
        Opcode::MakeFun2 => {
            let FileOperand::Lambda(index) = operands[0] else {
                return Err(bad(0));
            };
            let count = emitter.module.file.lambdas[index as usize].free;
            let free: Vec<Operand> = (0..count).map(|x| Operand::x(x.into())).collect();
            // The compilers that emitted this operation relied on it to make room for itself.
            emitter.handler(plain::<moves::TestHeap>());
            emitter.word((FUN_WORDS + u64::from(count)) * 8);
            emitter.word(count.into());
            make_fun(emitter, operands[0], Operand::x(0), &free).ok_or(bad(0))?;
        }
        Opcode::Bif0
        | Opcode::Bif1
        | Opcode::Bif2
        | Opcode::GcBif1
        | Opcode::GcBif2
        | Opcode::GcBif3 => bifs::guard_bif(emitter, opcode, operands)?,

        // Messages.
        Opcode::Send => emitter.handler(slow::messages::send),
        Opcode::LoopRec => {
            let to = emitter.source(operands[1]);
            emitter.instruction(dest::<messages::LoopRec>(to), &[to]);
            emitter.label(label(operands[0]));
        }
        Opcode::LoopRecEnd => {
            emitter.handler(plain::<messages::LoopRecEnd>());
            emitter.label(label(operands[0]));
        }
        Opcode::RemoveMessage => emitter.handler(slow::messages::remove_message),
        Opcode::Wait => {
            emitter.handler(slow::messages::wait);
            emitter.label(label(operands[0]));
        }
        Opcode::WaitTimeout => {
            let timeout = emitter.source(operands[1]);
            emitter.handler(slow::messages::wait_timeout);
            emitter.label(label(operands[0]));
            emitter.operand(timeout);
        }
        Opcode::Timeout => emitter.handler(slow::messages::timeout),
        Opcode::RecvMarkerReserve => slow(emitter, slow::messages::marker_reserve, operands),
        Opcode::RecvMarkerBind => slow(emitter, slow::messages::marker_bind, operands),
        Opcode::RecvMarkerClear => slow(emitter, slow::messages::marker_clear, operands),
        Opcode::RecvMarkerUse => slow(emitter, slow::messages::marker_use, operands),

        // Exceptions.
        Opcode::Catch | Opcode::Try => {
            let slot = emitter.source(operands[0]);
            emitter.instruction(plain::<exceptions::Catch>(), &[slot]);
            emitter.label(label(operands[1]));
        }
        Opcode::CatchEnd => slow(emitter, plain::<exceptions::CatchEnd>(), operands),
        Opcode::TryEnd => slow(emitter, plain::<exceptions::TryEnd>(), operands),
        Opcode::TryCase => slow(emitter, plain::<exceptions::TryCase>(), operands),
        Opcode::Badmatch => slow(emitter, slow::exceptions::badmatch, operands),
        Opcode::CaseEnd => slow(emitter, slow::exceptions::case_end, operands),
        Opcode::TryCaseEnd => slow(emitter, slow::exceptions::try_case_end, operands),
        Opcode::Badrecord => slow(emitter, slow::exceptions::badrecord, operands),
        Opcode::IfEnd => emitter.handler(slow::exceptions::if_end),
        Opcode::Raise => slow(emitter, slow::exceptions::raise, operands),
        Opcode::RawRaise => emitter.handler(slow::exceptions::raw_raise),
        Opcode::BuildStacktrace => emitter.handler(slow::exceptions::build_stacktrace),

        // Maps, floats, bit strings.
        Opcode::PutMapAssoc
        | Opcode::PutMapExact
        | Opcode::HasMapFields
        | Opcode::GetMapElements => terms::map_operation(emitter, opcode, operands)?,
        Opcode::Fmove
        | Opcode::Fconv
        | Opcode::Fadd
        | Opcode::Fsub
        | Opcode::Fmul
        | Opcode::Fdiv
        | Opcode::Fnegate => terms::float(emitter, opcode, operands)?,
        Opcode::BsStartMatch3
        | Opcode::BsStartMatch4
        | Opcode::BsGetInteger2
        | Opcode::BsGetFloat2
        | Opcode::BsGetBinary2
        | Opcode::BsSkipBits2
        | Opcode::BsTestTail2
        | Opcode::BsTestUnit
        | Opcode::BsMatchString
        | Opcode::BsGetTail
        | Opcode::BsGetPosition
        | Opcode::BsSetPosition
        | Opcode::BsGetUtf8
        | Opcode::BsSkipUtf8
        | Opcode::BsGetUtf16
        | Opcode::BsSkipUtf16
        | Opcode::BsGetUtf32
        | Opcode::BsSkipUtf32 => terms::matching(emitter, opcode, operands)?,
        Opcode::BsCreateBin
        | Opcode::BsInit2
        | Opcode::BsInitBits
        | Opcode::BsAppend
        | Opcode::BsPrivateAppend
        | Opcode::BsInitWritable
        | Opcode::BsPutInteger
        | Opcode::BsPutFloat
        | Opcode::BsPutBinary
        | Opcode::BsPutString
        | Opcode::BsPutUtf8
        | Opcode::BsPutUtf16
        | Opcode::BsPutUtf32
        | Opcode::BsAdd
        | Opcode::BsUtf8Size
        | Opcode::BsUtf16Size => terms::build(emitter, opcode, operands)?,

        _ => return Err(AssembleErrorKind::Unsupported(opcode)),
    }
    Ok(())
}

/// Words of a float, and of a fun without free variables, including headers.
const FLOAT_WORDS: u64 = 2;
const FUN_WORDS: u64 = 4;

/// The bytes that an `Alloc` operand asks for.
pub(super) fn heap_bytes(operand: FileOperand) -> Option<u64> {
    let words = match operand {
        FileOperand::Alloc {
            words,
            floats,
            funs,
        } => u64::from(words) + u64::from(floats) * FLOAT_WORDS + u64::from(funs) * FUN_WORDS,
        other => number(other)?,
    };
    words
        .checked_mul(8)
        .filter(|&bytes| bytes <= u32::MAX.into())
}

fn tuple_arity(operand: FileOperand) -> Option<usize> {
    let arity = usize::try_from(number(operand)?).ok()?;
    (arity <= layout::limits::MAX_TUPLE_ARITY).then_some(arity)
}

fn element_offset(index: u64) -> Option<u64> {
    (index < layout::limits::MAX_TUPLE_ARITY as u64).then(|| tuples::element_offset(index))
}

fn three(emitter: &Emitter<'_>, operands: &[FileOperand]) -> [Operand; 3] {
    [0, 1, 2].map(|index| emitter.source(operands[index]))
}

fn test<O: S>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    let term = emitter.source(operands[1]);
    emitter.instruction(source::<O>(term), &[term]);
    emitter.label(label(operands[0]));
}

fn comparison<O: SS>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    let (a, b) = (emitter.source(operands[1]), emitter.source(operands[2]));
    emitter.instruction(sources::<O>(a, b), &[a, b]);
    emitter.label(label(operands[0]));
}

/// `=:=` and `=/=`; comparing with an immediate is simpler.
fn identity<O: SS, I: S>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    let (a, b) = (emitter.source(operands[1]), emitter.source(operands[2]));
    let immediate = |operand: Operand| operand.as_constant().is_some_and(Term::is_immediate);
    let (a, b) = if immediate(a) { (b, a) } else { (a, b) };
    if immediate(b) {
        emitter.instruction(source::<I>(a), &[a, b]);
    } else {
        emitter.instruction(sources::<O>(a, b), &[a, b]);
    }
    emitter.label(label(operands[0]));
}

fn source_dest_op<O: crate::operation::SD>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    let (a, d) = (emitter.source(operands[0]), emitter.source(operands[1]));
    emitter.instruction(source_dest::<O>(a, d), &[a, d]);
}

fn init(emitter: &mut Emitter<'_>, slots: &[FileOperand]) {
    let slots: Vec<Operand> = slots.iter().map(|&slot| emitter.source(slot)).collect();
    match slots[..] {
        [] => (),
        [_] => emitter.instruction(plain::<moves::InitY>(), &slots),
        [_, _] => emitter.instruction(plain::<moves::InitY2>(), &slots),
        _ => {
            emitter.handler(plain::<moves::InitYs>());
            emitter.word(slots.len() as u64);
            for slot in slots {
                emitter.operand(slot);
            }
        }
    }
}

fn r#move<'a>(
    emitter: &mut Emitter<'a>,
    operands: &[FileOperand],
    cursor: &mut Cursor<'a>,
) -> Result {
    let code = emitter.module.code;
    let (from, to) = (emitter.source(operands[0]), emitter.source(operands[1]));
    if to.place() == OperandKind::X {
        // There may be a line before a call.
        let behind = usize::from(cursor.opcode_at(0) == Some(Opcode::Line));
        match cursor.opcode_at(behind) {
            Some(opcode @ (Opcode::Call | Opcode::CallOnly | Opcode::CallLast)) => {
                if behind == 1
                    && let Some(line) = cursor.next()
                    && let FileOperand::Line(line) = code.operands(line)[0]
                {
                    emitter.line(line);
                }
                let call = cursor
                    .next()
                    .map(|call| code.operands(call))
                    .unwrap_or_default();
                let body = match opcode {
                    Opcode::Call => source::<calls::MoveCall>(from),
                    Opcode::CallOnly => source::<calls::MoveCallOnly>(from),
                    _ => source::<calls::MoveCallLast>(from),
                };
                emitter.instruction(body, &[from, to]);
                emitter.label(label(call[1]));
                if opcode == Opcode::CallLast {
                    emitter.word(number(call[2]).unwrap_or(0) * 8);
                }
                return Ok(());
            }
            Some(Opcode::Return) if behind == 0 => {
                cursor.next();
                emitter.instruction(source::<calls::MoveReturn>(from), &[from, to]);
                return Ok(());
            }
            Some(Opcode::Deallocate)
                if behind == 0 && cursor.opcode_at(1) == Some(Opcode::Return) =>
            {
                let frame = cursor
                    .next()
                    .map(|end| code.operands(end))
                    .unwrap_or_default();
                cursor.next();
                emitter.instruction(source::<calls::MoveDeallocateReturn>(from), &[from, to]);
                emitter.word(number(frame[0]).unwrap_or(0) * 8);
                return Ok(());
            }
            _ => (),
        }
    }
    if cursor.opcode_at(0) == Some(Opcode::Move) {
        let second = code.operands(&cursor.operations[0]);
        let (from2, to2) = (emitter.source(second[0]), emitter.source(second[1]));
        let fused = match (from.place(), to.place(), from2.place(), to2.place()) {
            (OperandKind::X, OperandKind::X, OperandKind::X, OperandKind::X) => {
                Some(plain::<moves::Move2>())
            }
            (OperandKind::Y, OperandKind::X, OperandKind::Y, OperandKind::X) => {
                Some(plain::<moves::Move2YX>())
            }
            (OperandKind::X, OperandKind::Y, OperandKind::X, OperandKind::Y) => {
                Some(plain::<moves::Move2XY>())
            }
            _ => None,
        };
        // The second move may be better fused with what follows. The two moves are executed one after the other, so
        // they may overlap.
        let better = matches!(
            cursor.opcode_at(1),
            Some(
                Opcode::Call
                    | Opcode::CallOnly
                    | Opcode::CallLast
                    | Opcode::Return
                    | Opcode::Deallocate
                    | Opcode::Line
            )
        );
        if let Some(body) = fused
            && !better
        {
            cursor.next();
            emitter.instruction(body, &[from, to, from2, to2]);
            return Ok(());
        }
    }
    emitter.instruction(source_dest::<moves::Move>(from, to), &[from, to]);
    Ok(())
}

fn get_tuple_element<'a>(
    emitter: &mut Emitter<'a>,
    operands: &[FileOperand],
    cursor: &mut Cursor<'a>,
) -> Result {
    let bad = AssembleErrorKind::BadOperand {
        opcode: Opcode::GetTupleElement,
        operand: 1,
    };
    let offset = |operand: FileOperand| number(operand).and_then(element_offset);
    let (tuple, to) = (emitter.source(operands[0]), emitter.source(operands[2]));
    let first = offset(operands[1]).ok_or(bad.clone())?;
    if cursor.opcode_at(0) == Some(Opcode::GetTupleElement) {
        let next = emitter.module.code.operands(&cursor.operations[0]);
        let (tuple2, to2) = (emitter.source(next[0]), emitter.source(next[2]));
        let second = offset(next[1]).ok_or(bad)?;
        // The first operation must not overwrite the tuple.
        if tuple2 == tuple && to != tuple {
            cursor.next();
            emitter.instruction(
                source_dests::<tuples::GetTupleElement2>(tuple, to, to2),
                &[tuple, to, to2],
            );
            emitter.word(first);
            emitter.word(second);
            return Ok(());
        }
    }
    emitter.instruction(
        source_dest::<tuples::GetTupleElement>(tuple, to),
        &[tuple, to],
    );
    emitter.word(first);
    Ok(())
}

fn is_nonempty_list<'a>(
    emitter: &mut Emitter<'a>,
    operands: &[FileOperand],
    cursor: &mut Cursor<'a>,
) {
    let term = emitter.source(operands[1]);
    if cursor.opcode_at(0) == Some(Opcode::GetList) {
        let parts = emitter.module.code.operands(&cursor.operations[0]);
        let [list, head, tail] = three(emitter, parts);
        if list == term {
            cursor.next();
            emitter.instruction(
                source_dests::<lists::IsNonemptyListGetList>(list, head, tail),
                &[list, head, tail],
            );
            emitter.label(label(operands[0]));
            return;
        }
    }
    test::<tests::IsNonemptyList>(emitter, operands);
}

fn put_tuple(emitter: &mut Emitter<'_>, to: FileOperand, elements: &[FileOperand]) {
    let to = emitter.source(to);
    let values: Vec<Operand> = elements.iter().map(|&e| emitter.source(e)).collect();
    match values[..] {
        [a, b] => emitter.instruction(sources_dest::<tuples::PutTuple2>(a, b, to), &[a, b, to]),
        [a, b, c] => emitter.instruction(plain::<tuples::PutTuple3>(), &[a, b, c, to]),
        _ => {
            emitter.instruction(plain::<tuples::PutTuple>(), &[to]);
            emitter.word(tuples::tuple_header(values.len()));
            for value in values {
                emitter.operand(value);
            }
        }
    }
}

fn call_fun<'a>(emitter: &mut Emitter<'a>, fun: Operand, arity: u64, cursor: &mut Cursor<'a>) {
    let behind = Operand::x(arity as u16);
    // In tail position this must be a tail call: otherwise loops over funs would fill the stack.
    if cursor.opcode_at(0) == Some(Opcode::Deallocate)
        && cursor.opcode_at(1) == Some(Opcode::Return)
    {
        let frame = cursor
            .next()
            .map(|end| emitter.module.code.operands(end))
            .unwrap_or_default();
        cursor.next();
        emitter.instruction(source::<calls::CallFunLast>(fun), &[fun]);
        emitter.word(arity);
        emitter.word(number(frame[0]).unwrap_or(0) * 8);
        emitter.operand(behind);
        return;
    }
    emitter.instruction(source::<calls::CallFun>(fun), &[fun]);
    emitter.word(arity);
    emitter.operand(behind);
}

fn make_fun(
    emitter: &mut Emitter<'_>,
    lambda: FileOperand,
    to: Operand,
    free: &[Operand],
) -> Option<()> {
    let FileOperand::Lambda(index) = lambda else {
        return None;
    };
    let row = emitter.module.file.lambdas[index as usize];
    let arity = u64::from(row.arity.checked_sub(row.free)?);
    if free.len() != usize::from(row.free) {
        return None;
    }
    emitter.instruction(plain::<calls::MakeFun>(), &[to]);
    emitter.word(emitter.fun(index) as u64);
    emitter.word(arity | (free.len() as u64) << 8);
    for &value in free {
        emitter.operand(value);
    }
    const _: () = assert!(FUN_WORDS == 4 && Header::new(ObjectKind::Fun, 3).arity() == 3);
    Some(())
}
