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
use super::facts::Fact;
use super::{facts, matching, records, recursion, select, terms};
use crate::bodies::{calls, compare, exceptions, floats, lists, messages, moves, tests, tuples};
use crate::encoding::{
    Allocation, Apply, ApplyLast, CallFun, CallFunLast, CallLast, CallWithin, Catch,
    CompareImmediate, Comparison, Destination, Frame, FrameAndHeap, GetList, GetTupleElement,
    GetTupleElement2, InitYs, IsFunction2, IsFunctionOfArity, IsNonemptyListGetList, IsTaggedTuple,
    Jump, LoopRec, MakeFun, MarkerBind, Move2, Move2XY, Move2YX, MoveCall, MoveCallLast,
    MoveCallWithin, MoveDeallocateReturn, MoveReturn, Nothing, OneY, Pair, PutTuple, Raise,
    SetTupleElement, SourceDest, Test, TestArity, Triple, TwoX, TwoY, UpdateRecord, Value,
    WaitTimeout, XAndY,
};
use crate::operand::{Operand, OperandKind};
use crate::operation::{HandlerOf, Operation as Body};
use crate::slow;

pub(super) type Result<T = ()> = core::result::Result<T, AssembleErrorKind>;

/// Writes the body of a function, which has this place in the code.
pub(super) fn function(emitter: &mut Emitter<'_>, place: usize, function: &Function) -> Result {
    let mut cursor = Cursor {
        operations: emitter.module.code.body(function),
    };
    let code = emitter.module.code;
    emitter.recursion.enter(place);
    let mut masked = None;
    while let Some(operation) = cursor.next() {
        let label = match operation.opcode {
            Opcode::Label => number(code.operands(operation)[0]).map(|name| name as u32),
            _ => None,
        };
        if let Some(label) = label {
            emitter.keep_from_entry(function.entry_label, label);
        }
        masked = masked.or_else(|| bifs::masked(emitter, operation, cursor.operations));
        let (rest, first) = (cursor.operations, emitter.instructions());
        one(emitter, operation, &mut cursor)?;
        if label == Some(function.entry_label) {
            emitter.enter(place);
        }
        let taken = rest.len() - cursor.operations.len();
        let mut makes_facts = facts::follow(emitter, operation);
        for operation in &rest[..taken] {
            makes_facts |= facts::follow(emitter, operation);
        }
        if makes_facts {
            emitter.makes_facts(first);
        }
        if let Some(done) = masked.take_if(|it| it.ends_with(operation)) {
            // Who comes here has done none of the operations, and still knows what is sure: the result is small either way.
            emitter.facts.end_way();
            emitter.define(done.after);
        }
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

    /// Whether the next operation tests the arity of the same term, and continues at the same label if that fails.
    fn tests_arity(&self, emitter: &Emitter<'_>, is_tuple: &[FileOperand]) -> bool {
        let Some(next) = self.operations.first() else {
            return false;
        };
        let operands = emitter.module.code.operands(next);
        let (fail, term) = match next.opcode {
            Opcode::TestArity => (operands[0], operands[1]),
            Opcode::SelectTupleArity => (operands[1], operands[0]),
            _ => return false,
        };
        label(fail) == label(is_tuple[0]) && emitter.source(term) == emitter.source(is_tuple[1])
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

fn one<'a>(emitter: &mut Emitter<'a>, operation: &'a Operation, cursor: &mut Cursor<'a>) -> Result {
    let code = emitter.module.code;
    let operands = code.operands(operation);
    let opcode = operation.opcode;
    let bad = |operand: u8| AssembleErrorKind::BadOperand { opcode, operand };
    let value = |place: u8| number(operands[place as usize]).ok_or(bad(place));
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
        Opcode::ExecutableLine => {
            if let FileOperand::Line(line) = operands[0] {
                emitter.line(line);
            }
            emitter.cover_line(operation);
        }
        Opcode::DebugLine => emitter.stop_line(operation),
        Opcode::IntCodeEnd | Opcode::NifStart | Opcode::Fclearerror | Opcode::Fcheckerror => (),
        // These only speed a receive up and have no other effect.
        Opcode::RecvMark | Opcode::RecvSet => (),
        Opcode::OnLoad => emitter.on_load(),
        Opcode::FuncInfo => return Err(AssembleErrorKind::Unsupported(opcode)),

        // Frames and room.
        Opcode::Allocate | Opcode::AllocateZero => {
            let words = Allocation {
                bytes: bytes(0)?,
                live: value(1)?,
            };
            if opcode == Opcode::Allocate {
                emitter.operation::<moves::Allocate>(words);
            } else {
                emitter.operation::<moves::AllocateZero>(words);
            }
        }
        Opcode::AllocateHeap | Opcode::AllocateHeapZero => {
            let (frame, heap) = (bytes(0)?, heap_bytes(operands[1]).ok_or(bad(1))?);
            let words = FrameAndHeap {
                frame,
                live: value(2)?,
                total: frame + heap,
            };
            if opcode == Opcode::AllocateHeap {
                emitter.operation::<moves::AllocateHeap>(words);
            } else {
                emitter.operation::<moves::AllocateHeapZero>(words);
            }
        }
        Opcode::TestHeap => {
            emitter.operation::<moves::TestHeap>(Allocation {
                bytes: heap_bytes(operands[0]).ok_or(bad(0))?,
                live: value(1)?,
            });
        }
        Opcode::Init => init(emitter, operands),
        Opcode::InitYregs => init(emitter, list(0)?),
        Opcode::Deallocate => {
            let words = Frame { frame: bytes(0)? };
            if cursor.take(Opcode::Return).is_some() {
                recursion::before_return(emitter, words.frame);
                emitter.operation::<calls::DeallocateReturn>(words);
            } else {
                emitter.operation::<moves::Deallocate>(words);
            }
        }
        Opcode::Trim => emitter.operation::<moves::Deallocate>(Frame { frame: bytes(0)? }),

        // Moves.
        Opcode::Move => return r#move(emitter, operands, cursor),
        Opcode::Swap => {
            let (a, b) = (emitter.source(operands[0]), emitter.source(operands[1]));
            match (a.kind(), b.kind()) {
                (OperandKind::X, OperandKind::X) => {
                    emitter.operation::<moves::SwapXX>(TwoX { a, b });
                }
                (OperandKind::X, _) => emitter.operation::<moves::SwapXY>(XAndY { x: a, y: b }),
                (_, OperandKind::X) => emitter.operation::<moves::SwapXY>(XAndY { x: b, y: a }),
                _ => emitter.operation::<moves::SwapYY>(TwoY { a, b }),
            }
        }

        // Lists and tuples.
        Opcode::GetList => {
            let [list, head, tail] = three(emitter, operands);
            emitter.operation::<lists::GetList>(GetList { list, head, tail });
        }
        Opcode::GetHd => source_dest::<lists::GetHd>(emitter, operands),
        Opcode::GetTl => source_dest::<lists::GetTl>(emitter, operands),
        Opcode::UpdateRecord => {
            let changes = list(4)?;
            let words = UpdateRecord {
                tuple: emitter.source(operands[2]),
                dest: emitter.source(operands[3]),
                header: tuples::tuple_header(tuple_arity(operands[1]).ok_or(bad(1))?),
                count: changes.len() as u64 / 2,
            };
            emitter.operation::<tuples::UpdateRecord>(words);
            for change in changes.chunks_exact(2) {
                let place = number(change[0]).ok_or(bad(4))? as i64;
                let element = emitter.source(change[1]);
                emitter.more([Operand::constant(Term::small(place)), element]);
            }
        }
        Opcode::PutList => {
            let [a, b, dest] = three(emitter, operands);
            emitter.operation::<lists::PutList>(Pair { a, b, dest });
        }
        Opcode::PutTuple2 => put_tuple(emitter, operands[0], list(1)?),
        Opcode::GetTupleElement => get_tuple_element(emitter, operands, cursor)?,
        Opcode::SetTupleElement => {
            let index = number(operands[2]).ok_or(bad(2))?;
            emitter.operation::<tuples::SetTupleElement>(SetTupleElement {
                value: emitter.source(operands[0]),
                tuple: emitter.source(operands[1]),
                offset: element_offset(index).ok_or(bad(2))?,
            });
        }
        Opcode::TestArity => {
            let arity = tuple_arity(operands[2]).ok_or(bad(2))?;
            emitter.operation::<tuples::TestArity>(TestArity {
                tuple: emitter.source(operands[1]),
                header: tuples::tuple_header(arity),
                fail: label(operands[0]),
            });
        }
        Opcode::IsTaggedTuple => {
            let arity = tuple_arity(operands[2]).ok_or(bad(2))?;
            emitter.operation::<tuples::IsTaggedTuple>(IsTaggedTuple {
                term: emitter.source(operands[1]),
                header: tuples::tuple_header(arity),
                tag: emitter.constant(operands[3]).ok_or(bad(3))?,
                fail: label(operands[0]),
            });
        }

        // Tests.
        // Both tests of an arity include this one.
        Opcode::IsTuple if cursor.tests_arity(emitter, operands) => (),
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
        Opcode::IsAnyNativeRecord => test::<tests::IsAnyNativeRecord>(emitter, operands),
        Opcode::IsFunction2 => {
            let (term, arity) = (emitter.source(operands[1]), emitter.source(operands[2]));
            let fail = label(operands[0]);
            match arity.as_constant().and_then(Term::as_small) {
                Some(arity @ 0..=255) => {
                    let arity = arity as u64;
                    let words = IsFunctionOfArity { term, arity, fail };
                    emitter.operation::<tests::IsFunctionOfArity>(words);
                }
                _ => emitter.operation::<tests::IsFunction2>(IsFunction2 { term, arity, fail }),
            }
        }
        Opcode::Jump => emitter.operation::<tests::Jump>(jump(operands[0])),

        // Comparing and choosing.
        Opcode::IsLt => order::<compare::IsLt, floats::LessFloats>(emitter, operands),
        Opcode::IsGe => order::<compare::IsGe, floats::NotLessFloats>(emitter, operands),
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
        Opcode::Call => match recursion::call_within(emitter) {
            Some(behind) => {
                let label = label(operands[1]);
                emitter.operation::<calls::CallWithin>(CallWithin { label, behind });
                emitter.define(behind);
            }
            None => emitter.operation::<calls::Call>(jump(operands[1])),
        },
        Opcode::CallOnly => emitter.operation::<calls::CallOnly>(jump(operands[1])),
        Opcode::CallLast => emitter.operation::<calls::CallLast>(CallLast {
            label: label(operands[1]),
            frame: bytes(2)?,
        }),
        Opcode::CallExt => bifs::call(emitter, operands[1], Tail::No),
        Opcode::CallExtOnly => bifs::call(emitter, operands[1], Tail::Only),
        Opcode::CallExtLast => bifs::call(emitter, operands[1], Tail::Last(bytes(2)?)),
        Opcode::Return => {
            recursion::before_return(emitter, 0);
            emitter.operation::<calls::Return>(Nothing {});
        }
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
            emitter.instruction(slow::calls::apply, Apply { arity: value(0)? });
        }
        Opcode::ApplyLast => {
            let words = ApplyLast {
                arity: value(0)?,
                frame: bytes(1)?,
            };
            emitter.instruction(slow::calls::apply_last, words);
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
            emitter.operation::<moves::TestHeap>(Allocation {
                bytes: (FUN_WORDS + u64::from(count)) * 8,
                live: count.into(),
            });
            make_fun(emitter, operands[0], Operand::x(0), &free).ok_or(bad(0))?;
        }
        Opcode::Bif0
        | Opcode::Bif1
        | Opcode::Bif2
        | Opcode::Bif3
        | Opcode::GcBif1
        | Opcode::GcBif2
        | Opcode::GcBif3 => bifs::guard_bif(emitter, opcode, operands)?,

        // Messages.
        Opcode::Send => emitter.instruction(slow::messages::send, Nothing {}),
        Opcode::LoopRec => emitter.operation::<messages::LoopRec>(LoopRec {
            dest: emitter.source(operands[1]),
            label: label(operands[0]),
        }),
        Opcode::LoopRecEnd => emitter.operation::<messages::LoopRecEnd>(jump(operands[0])),
        Opcode::RemoveMessage => emitter.instruction(slow::messages::remove_message, Nothing {}),
        Opcode::Wait => emitter.instruction(slow::messages::wait, jump(operands[0])),
        Opcode::WaitTimeout => {
            let words = WaitTimeout {
                label: label(operands[0]),
                timeout: emitter.source(operands[1]),
            };
            emitter.instruction(slow::messages::wait_timeout, words);
        }
        Opcode::Timeout => emitter.instruction(slow::messages::timeout, Nothing {}),
        Opcode::RecvMarkerReserve => {
            let dest = emitter.source(operands[0]);
            emitter.instruction(slow::messages::marker_reserve, Destination { dest });
        }
        Opcode::RecvMarkerBind => {
            let words = MarkerBind {
                marker: emitter.source(operands[0]),
                reference: emitter.source(operands[1]),
            };
            emitter.instruction(slow::messages::marker_bind, words);
        }
        Opcode::RecvMarkerClear => one_value(emitter, slow::messages::marker_clear, operands),
        Opcode::RecvMarkerUse => one_value(emitter, slow::messages::marker_use, operands),

        // Exceptions.
        Opcode::Catch | Opcode::Try => emitter.operation::<exceptions::Catch>(Catch {
            y: emitter.source(operands[0]),
            handler: label(operands[1]),
        }),
        Opcode::CatchEnd => one_y::<exceptions::CatchEnd>(emitter, operands),
        Opcode::TryEnd => one_y::<exceptions::TryEnd>(emitter, operands),
        Opcode::TryCase => one_y::<exceptions::TryCase>(emitter, operands),
        Opcode::Badmatch => one_value(emitter, slow::exceptions::badmatch, operands),
        Opcode::CaseEnd => one_value(emitter, slow::exceptions::case_end, operands),
        Opcode::TryCaseEnd => one_value(emitter, slow::exceptions::try_case_end, operands),
        Opcode::Badrecord => one_value(emitter, slow::exceptions::badrecord, operands),
        Opcode::IfEnd => emitter.instruction(slow::exceptions::if_end, Nothing {}),
        Opcode::Raise => {
            let words = Raise {
                trace: emitter.source(operands[0]),
                reason: emitter.source(operands[1]),
            };
            emitter.instruction(slow::exceptions::raise, words);
        }
        Opcode::RawRaise => emitter.instruction(slow::exceptions::raw_raise, Nothing {}),
        Opcode::BuildStacktrace => {
            emitter.instruction(slow::exceptions::build_stacktrace, Nothing {});
        }

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
        Opcode::BsMatch => matching::commands(emitter, operands)?,
        Opcode::IsNativeRecord
        | Opcode::IsRecordAccessible
        | Opcode::GetRecordElements
        | Opcode::GetRecordField
        | Opcode::PutRecord => records::record_operation(emitter, opcode, operands)?,
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

fn jump(operand: FileOperand) -> Jump {
    Jump {
        label: label(operand),
    }
}

fn one_value(emitter: &mut Emitter<'_>, handler: HandlerOf<Value>, operands: &[FileOperand]) {
    let value = emitter.source(operands[0]);
    emitter.instruction(handler, Value { value });
}

fn one_y<O: Body<Encoding = OneY>>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    let y = emitter.source(operands[0]);
    emitter.operation::<O>(OneY { y });
}

fn test<O: Body<Encoding = Test>>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    emitter.operation::<O>(Test {
        term: emitter.source(operands[1]),
        fail: label(operands[0]),
    });
}

fn comparison<O: Body<Encoding = Comparison>>(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    let (a, b) = (emitter.source(operands[1]), emitter.source(operands[2]));
    let fail = label(operands[0]);
    emitter.integers(&[a, b]);
    emitter.operation::<O>(Comparison { a, b, fail });
}

/// `<` and `>=`; of floats, if both are known to be some.
fn order<O, F>(emitter: &mut Emitter<'_>, operands: &[FileOperand])
where
    O: Body<Encoding = Comparison>,
    F: Body<Encoding = Comparison>,
{
    let of = |place: usize| emitter.facts.of(emitter.source(operands[place]));
    if of(1) == Fact::Float && of(2) == Fact::Float {
        comparison::<F>(emitter, operands);
    } else {
        comparison::<O>(emitter, operands);
    }
}

/// `=:=` and `=/=`; comparing with an immediate is simpler.
fn identity<O, I>(emitter: &mut Emitter<'_>, operands: &[FileOperand])
where
    O: Body<Encoding = Comparison>,
    I: Body<Encoding = CompareImmediate>,
{
    let (a, b) = (emitter.source(operands[1]), emitter.source(operands[2]));
    let immediate = |operand: Operand| operand.as_constant().filter(|term| term.is_immediate());
    let (a, b) = if immediate(a).is_some() {
        (b, a)
    } else {
        (a, b)
    };
    let fail = label(operands[0]);
    match immediate(b) {
        Some(b) => emitter.operation::<I>(CompareImmediate { a, b, fail }),
        None => emitter.operation::<O>(Comparison { a, b, fail }),
    }
}

fn source_dest<O: Body<Encoding = SourceDest>>(
    emitter: &mut Emitter<'_>,
    operands: &[FileOperand],
) {
    emitter.operation::<O>(SourceDest {
        source: emitter.source(operands[0]),
        dest: emitter.source(operands[1]),
    });
}

fn init(emitter: &mut Emitter<'_>, slots: &[FileOperand]) {
    let slots: Vec<Operand> = slots.iter().map(|&slot| emitter.source(slot)).collect();
    match slots[..] {
        [] => (),
        [y] => emitter.operation::<moves::InitY>(OneY { y }),
        [a, b] => emitter.operation::<moves::InitY2>(TwoY { a, b }),
        _ => {
            let count = slots.len() as u64;
            emitter.operation::<moves::InitYs>(InitYs { count });
            emitter.more(slots);
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
    if to.kind() == OperandKind::X && move_and_leave(emitter, from, to, cursor) {
        return Ok(());
    }
    if cursor.opcode_at(0) == Some(Opcode::Move) {
        // The second move may be better fused with what follows.
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
        let second = code.operands(&cursor.operations[0]);
        if !better
            && two_moves(
                emitter,
                (from, to),
                (emitter.source(second[0]), emitter.source(second[1])),
            )
        {
            cursor.next();
            return Ok(());
        }
    }
    emitter.operation::<moves::Move>(SourceDest {
        source: from,
        dest: to,
    });
    Ok(())
}

/// Writes a move to an X register and the call or return after it as one instruction, if there is one.
fn move_and_leave<'a>(
    emitter: &mut Emitter<'a>,
    source: Operand,
    dest: Operand,
    cursor: &mut Cursor<'a>,
) -> bool {
    let code = emitter.module.code;
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
            let label = label(call[1]);
            if opcode == Opcode::CallLast {
                emitter.operation::<calls::MoveCallLast>(MoveCallLast {
                    source,
                    dest,
                    label,
                    frame: number(call[2]).unwrap_or(0) * 8,
                });
                return true;
            }
            if opcode == Opcode::Call
                && let Some(behind) = recursion::call_within(emitter)
            {
                emitter.operation::<calls::MoveCallWithin>(MoveCallWithin {
                    source,
                    dest,
                    label,
                    behind,
                });
                emitter.define(behind);
                return true;
            }
            let words = MoveCall {
                source,
                dest,
                label,
            };
            if opcode == Opcode::Call {
                emitter.operation::<calls::MoveCall>(words);
            } else {
                emitter.operation::<calls::MoveCallOnly>(words);
            }
        }
        // Where the function may return behind a call by itself, that is tested between the two.
        Some(Opcode::Return | Opcode::Deallocate) if recursion::returns_within(emitter) => {
            return false;
        }
        Some(Opcode::Return) if behind == 0 => {
            cursor.next();
            emitter.operation::<calls::MoveReturn>(MoveReturn { source, dest });
        }
        Some(Opcode::Deallocate) if behind == 0 && cursor.opcode_at(1) == Some(Opcode::Return) => {
            let frame = cursor
                .next()
                .map(|end| code.operands(end))
                .unwrap_or_default();
            cursor.next();
            emitter.operation::<calls::MoveDeallocateReturn>(MoveDeallocateReturn {
                source,
                dest,
                frame: number(frame[0]).unwrap_or(0) * 8,
            });
        }
        _ => return false,
    }
    true
}

/// Writes two moves as one instruction, if there is one for these kinds of operands. The moves are executed one after
/// the other, so they may overlap.
fn two_moves(
    emitter: &mut Emitter<'_>,
    (source, dest): (Operand, Operand),
    (source2, dest2): (Operand, Operand),
) -> bool {
    use OperandKind::{X, Y};
    match [source, dest, source2, dest2].map(Operand::kind) {
        [X, X, X, X] => emitter.operation::<moves::Move2>(Move2 {
            source,
            dest,
            source2,
            dest2,
        }),
        [Y, X, Y, X] => emitter.operation::<moves::Move2YX>(Move2YX {
            source,
            dest,
            source2,
            dest2,
        }),
        [X, Y, X, Y] => emitter.operation::<moves::Move2XY>(Move2XY {
            source,
            dest,
            source2,
            dest2,
        }),
        _ => return false,
    }
    true
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
            emitter.operation::<tuples::GetTupleElement2>(GetTupleElement2 {
                tuple,
                dest: to,
                dest2: to2,
                offset: first,
                offset2: second,
            });
            return Ok(());
        }
    }
    emitter.operation::<tuples::GetTupleElement>(GetTupleElement {
        tuple,
        dest: to,
        offset: first,
    });
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
            emitter.operation::<lists::IsNonemptyListGetList>(IsNonemptyListGetList {
                list,
                head,
                tail,
                fail: label(operands[0]),
            });
            return;
        }
    }
    test::<tests::IsNonemptyList>(emitter, operands);
}

fn put_tuple(emitter: &mut Emitter<'_>, to: FileOperand, elements: &[FileOperand]) {
    let dest = emitter.source(to);
    let values: Vec<Operand> = elements.iter().map(|&e| emitter.source(e)).collect();
    match values[..] {
        [a, b] => emitter.operation::<tuples::PutTuple2>(Pair { a, b, dest }),
        [a, b, c] => emitter.operation::<tuples::PutTuple3>(Triple { a, b, c, dest }),
        _ => {
            let header = tuples::tuple_header(values.len());
            emitter.operation::<tuples::PutTuple>(PutTuple { dest, header });
            emitter.more(values);
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
        emitter.operation::<calls::CallFunLast>(CallFunLast {
            fun,
            arity,
            frame: number(frame[0]).unwrap_or(0) * 8,
            behind,
        });
        return;
    }
    emitter.operation::<calls::CallFun>(CallFun { fun, arity, behind });
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
    emitter.operation::<calls::MakeFun>(MakeFun {
        dest: to,
        entry: emitter.fun(index) as u64,
        shape: arity | (free.len() as u64) << 8,
    });
    emitter.more(free.iter().copied());
    const _: () = assert!(FUN_WORDS == 4 && Header::new(ObjectKind::Fun, 3).arity() == 3);
    Some(())
}
