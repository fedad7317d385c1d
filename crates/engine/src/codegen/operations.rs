//! Translates a function, operation by operation.
//!
//! What is always one instruction is translated by [`derived`], from the table of operations. Here is the rest:
//! operations of which the operands choose an instruction, those that become several, and those that are fused.
//!
//! **Fusing.** Neighbouring operations that often occur together become one instruction: a move and a call or return,
//! the end of a frame and a return, two moves, two elements of one tuple, a test for a cons cell and taking it apart.
//! Operations with a label between them are never fused, since `label` is itself an operation. A `line` does not
//! prevent fusing; it takes effect where the fused instruction begins.

use beamfile::{Code, Function, Generic, Operand as FileOperand, Operation};
use layout::{Header, ObjectKind, Term};
use spec::{Opcode, atoms};

use super::bifs::{self, GuardBif, Tail};
use super::convert::{FUN_WORDS, element_offset, heap_bytes, tuple_header};
use super::emit::Emitter;
use super::error::{CodegenErrorKind, Result, bad};
use super::facts::Fact;
use super::{derived, following, imports, matching, records, segments, select, terms};
use crate::bodies::{self, calls, compare, exceptions, lists, moves, tuples, type_tests};
use crate::encoding::{
    Allocation, CallFun, CallFunLast, CallWithin, Catch, CompareImmediate, Comparison, Frame,
    FrameAndHeap, GetTupleElement, GetTupleElement2, InitYs, IsFunction2, IsFunctionOfArity,
    IsNonemptyListGetList, Jump, MakeFun, Move2, Move2XY, Move2YX, MoveCall, MoveCallLast,
    MoveCallWithin, MoveDeallocateReturn, MoveReturn, Nothing, OneY, Pair, PutTuple, SourceDest,
    Test, Triple, TwoX, TwoY, UpdateRecord, XAndY,
};
use crate::operand::{Operand, OperandKind};
use crate::operation::Operation as Body;

/// Writes the body of a function, which has this place in the code.
pub(super) fn function(emitter: &mut Emitter<'_>, place: usize, function: &Function) -> Result {
    let code = emitter.module.code;
    let mut cursor = Cursor {
        code,
        operations: code.body(function),
    };
    emitter.recursion.enter(place);
    let mut masked = None;
    while let Some(operation) = cursor.next() {
        let generic = code.generic(operation);
        let label = match generic {
            Generic::Label { label } => Some(label),
            _ => None,
        };
        if let Some(label) = label {
            emitter.keep_from_entry(function.entry_label, label);
        }
        if masked.is_none() && operation.opcode == Opcode::GcBif2 {
            masked = bifs::masked(emitter, operation, cursor.operations);
        }
        let (rest, first) = (cursor.operations, emitter.instructions());
        one(emitter, operation, generic, &mut cursor)?;
        if label == Some(function.entry_label) {
            emitter.enter(place);
        }
        let taken = rest.len() - cursor.operations.len();
        emitter.behind(operation);
        let mut makes_facts = following::follow(emitter, operation, generic);
        for operation in &rest[..taken] {
            emitter.behind(operation);
            makes_facts |= following::follow(emitter, operation, code.generic(operation));
        }
        if makes_facts {
            emitter.makes_facts(first);
        }
        if let Some(done) = masked.take_if(|it| it.ends_with(operation)) {
            // Who comes here has done none of the operations, and still knows what is sure: the result is small either
            // way.
            emitter.facts.end_way();
            emitter.define(done.after);
        }
    }
    Ok(())
}

/// The remaining operations of a function.
struct Cursor<'a> {
    code: &'a Code,
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

    /// The next operation, which remains, if it has one of these opcodes. Most have not, and are not taken apart.
    fn peek(&self, opcodes: &[Opcode]) -> Option<Generic<'a>> {
        let operation = self.operations.first()?;
        opcodes
            .contains(&operation.opcode)
            .then(|| self.code.generic(operation))
    }

    /// Whether the next operation tests the arity of the same term, and continues at the same label if that fails.
    fn tests_arity(&self, emitter: &Emitter<'_>, term: FileOperand, fail: u32) -> bool {
        let (other_fail, tuple) = match self.peek(&[Opcode::TestArity, Opcode::SelectTupleArity]) {
            Some(Generic::TestArity { fail, tuple, .. }) => (fail, tuple),
            Some(Generic::SelectTupleArity { fail, tuple, .. }) => (fail, tuple),
            _ => return false,
        };
        other_fail == fail && emitter.source(tuple) == emitter.source(term)
    }

    /// Takes the next operation if it has this opcode.
    fn take(&mut self, opcode: Opcode) -> bool {
        let is_next = self.opcode_at(0) == Some(opcode);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes the end of a frame and a return, if these come next; returns the words of the frame.
    fn take_return(&mut self) -> Option<u64> {
        let Generic::Deallocate { frame } = self.peek(&[Opcode::Deallocate])? else {
            return None;
        };
        if self.opcode_at(1) != Some(Opcode::Return) {
            return None;
        }
        self.operations = &self.operations[2..];
        Some(frame)
    }
}

fn one<'a>(
    emitter: &mut Emitter<'a>,
    operation: &Operation,
    generic: Generic<'a>,
    cursor: &mut Cursor<'a>,
) -> Result {
    let opcode = operation.opcode;
    match generic {
        Generic::Label { label } => emitter.define(label),
        Generic::Line { line } => emitter.line(line),
        Generic::ExecutableLine { line, .. } => {
            emitter.line(line);
            emitter.cover_line(operation);
        }
        Generic::DebugLine { .. } => emitter.stop_line(operation)?,
        Generic::IntCodeEnd {}
        | Generic::NifStart {}
        | Generic::Fclearerror {}
        | Generic::Fcheckerror { .. } => (),
        // These only speed a receive up and have no other effect.
        Generic::RecvMark { .. } | Generic::RecvSet { .. } => (),
        Generic::OnLoad {} => emitter.on_load(),

        // Frames and room.
        Generic::AllocateHeap { frame, heap, live }
        | Generic::AllocateHeapZero { frame, heap, live } => {
            let heap = heap_bytes(emitter, heap).ok_or(bad(opcode, "heap"))?;
            let frame = frame * 8;
            let words = FrameAndHeap {
                frame,
                live,
                total: frame + heap,
            };
            if opcode == Opcode::AllocateHeap {
                emitter.operation::<moves::AllocateHeap>(words);
            } else {
                emitter.operation::<moves::AllocateHeapZero>(words);
            }
        }
        Generic::Init { y } => init(emitter, &[y]),
        Generic::InitYregs { slots } => init(emitter, slots),
        Generic::Deallocate { frame } => {
            let words = Frame { frame: frame * 8 };
            if cursor.take(Opcode::Return) {
                emitter.before_return(words.frame);
                emitter.operation::<calls::DeallocateReturn>(words);
            } else {
                emitter.operation::<moves::Deallocate>(words);
            }
        }

        Generic::IsInteger { term, fail }
            if emitter.facts.of(emitter.source(term)) == Fact::Immediate =>
        {
            let term = emitter.source(term);
            emitter.operation::<type_tests::IsSmall>(Test { term, fail });
        }

        // Moves.
        Generic::Move { source, dest } => r#move(emitter, source, dest, cursor),
        Generic::Swap { a, b } => {
            let (a, b) = (emitter.source(a), emitter.source(b));
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
        Generic::UpdateRecord {
            size,
            tuple,
            dest,
            changes,
            ..
        } => {
            let words = UpdateRecord {
                tuple: emitter.source(tuple),
                dest: emitter.source(dest),
                header: tuple_header(emitter, size).ok_or(bad(opcode, "size"))?,
                count: changes.len() as u64 / 2,
            };
            emitter.operation::<tuples::UpdateRecord>(words);
            for change in changes.chunks_exact(2) {
                let FileOperand::Number(place) = change[0] else {
                    return Err(bad(opcode, "changes"));
                };
                let element = emitter.source(change[1]);
                emitter.more([Operand::constant(Term::small(place as i64)), element]);
            }
        }
        Generic::PutTuple2 { dest, elements } => put_tuple(emitter, dest, elements),
        Generic::GetTupleElement { tuple, index, dest } => {
            get_tuple_element(emitter, tuple, index, dest, cursor)?;
        }
        // Both tests of an arity include this one.
        Generic::IsTuple { fail, term } if cursor.tests_arity(emitter, term, fail) => (),
        Generic::IsNonemptyList { fail, term } if get_list(emitter, term, fail, cursor) => (),
        Generic::IsFunction2 { fail, term, arity } => {
            let (term, arity) = (emitter.source(term), emitter.source(arity));
            match arity.as_constant().and_then(Term::as_small) {
                Some(arity @ 0..=255) => {
                    let arity = arity as u64;
                    let words = IsFunctionOfArity { term, arity, fail };
                    emitter.operation::<type_tests::IsFunctionOfArity>(words);
                }
                _ => {
                    emitter.operation::<type_tests::IsFunction2>(IsFunction2 { term, arity, fail })
                }
            }
        }

        // Comparing and choosing.
        Generic::IsLt { fail, a, b } => {
            order::<compare::IsLt, bodies::floats::LessFloats>(emitter, fail, a, b);
        }
        Generic::IsGe { fail, a, b } => {
            order::<compare::IsGe, bodies::floats::NotLessFloats>(emitter, fail, a, b);
        }
        Generic::IsEq { fail, a, b } => comparison::<compare::IsEq>(emitter, fail, a, b),
        Generic::IsNe { fail, a, b } => comparison::<compare::IsNe>(emitter, fail, a, b),
        Generic::IsEqExact { fail, a, b } => {
            identity::<compare::IsEqExact, compare::IsEqImmediate>(emitter, fail, a, b);
        }
        Generic::IsNeExact { fail, a, b } => {
            identity::<compare::IsNeExact, compare::IsNeImmediate>(emitter, fail, a, b);
        }
        Generic::SelectVal {
            term,
            fail,
            choices,
        } => {
            let term = emitter.source(term);
            select::select_value(emitter, term, fail, choices);
        }
        Generic::SelectTupleArity {
            tuple,
            fail,
            choices,
        } => {
            let tuple = emitter.source(tuple);
            select::select_tuple_arity(emitter, tuple, fail, choices);
        }

        // Calls.
        Generic::Call { label, .. } => match emitter.recursion.call_within() {
            Some(behind) => {
                emitter.operation::<calls::CallWithin>(CallWithin { label, behind });
                emitter.define(behind);
            }
            None => emitter.operation::<calls::Call>(Jump { label }),
        },
        Generic::CallExt { import, .. } => bifs::call(emitter, import, Tail::No),
        Generic::CallExtOnly { import, .. } => bifs::call(emitter, import, Tail::Only),
        Generic::CallExtLast { import, frame, .. } => {
            bifs::call(emitter, import, Tail::Last(frame * 8));
        }
        Generic::Return {} => {
            emitter.before_return(0);
            emitter.operation::<calls::Return>(Nothing {});
        }
        Generic::CallFun { arity } => call_fun(emitter, Operand::x(arity as u16), arity, cursor),
        Generic::CallFun2 { arity, fun, .. } => {
            let fun = emitter.source(fun);
            call_fun(emitter, fun, arity, cursor);
        }
        Generic::MakeFun3 { lambda, dest, free } => {
            let free: Vec<Operand> = free.iter().map(|&o| emitter.source(o)).collect();
            let dest = emitter.source(dest);
            make_fun(emitter, lambda, dest, &free).ok_or(bad(opcode, "lambda"))?;
        }
        Generic::MakeFun2 { lambda } => {
            let count = emitter.module.file.lambdas[lambda as usize].free;
            let free: Vec<Operand> = (0..count).map(|x| Operand::x(x.into())).collect();
            // The compilers that emitted this operation relied on it to make room for itself.
            emitter.operation::<moves::TestHeap>(Allocation {
                bytes: (FUN_WORDS + u64::from(count)) * 8,
                live: count.into(),
            });
            make_fun(emitter, lambda, Operand::x(0), &free).ok_or(bad(opcode, "lambda"))?;
        }

        // Exceptions.
        Generic::Catch { y, handler } | Generic::Try { y, handler } => {
            let y = emitter.source(y);
            emitter.operation::<exceptions::Catch>(Catch { y, handler });
        }

        Generic::BsMatch {
            fail,
            context,
            commands,
        } => matching::commands(emitter, fail, context, commands)?,
        Generic::BsCreateBin {
            fail,
            heap,
            live,
            dest,
            segments,
            ..
        } => segments::create(emitter, fail, heap, live, dest, segments)?,
        _ => {
            if let Some(call) = GuardBif::of(generic) {
                return bifs::guard_bif(emitter, &call);
            }
            let written = derived::operation(emitter, generic)?
                || terms::map(emitter, operation, generic)
                || terms::float(emitter, generic)?
                || terms::matching(emitter, generic)?
                || terms::build(emitter, generic)?
                || records::operation(emitter, generic)?;
            if !written {
                return Err(CodegenErrorKind::Unsupported(opcode));
            }
        }
    }
    Ok(())
}

fn comparison<O: Body<Encoding = Comparison>>(
    emitter: &mut Emitter<'_>,
    fail: u32,
    a: FileOperand,
    b: FileOperand,
) {
    let (a, b) = (emitter.source(a), emitter.source(b));
    emitter.integers(&[a, b]);
    emitter.operation::<O>(Comparison { a, b, fail });
}

/// `<` and `>=`; of floats, if both are known to be some.
fn order<O, F>(emitter: &mut Emitter<'_>, fail: u32, a: FileOperand, b: FileOperand)
where
    O: Body<Encoding = Comparison>,
    F: Body<Encoding = Comparison>,
{
    let is_float = |operand| emitter.facts.of(emitter.source(operand)) == Fact::Float;
    if is_float(a) && is_float(b) {
        comparison::<F>(emitter, fail, a, b);
    } else {
        comparison::<O>(emitter, fail, a, b);
    }
}

/// `=:=` and `=/=`; comparing with an immediate is simpler.
fn identity<O, I>(emitter: &mut Emitter<'_>, fail: u32, a: FileOperand, b: FileOperand)
where
    O: Body<Encoding = Comparison>,
    I: Body<Encoding = CompareImmediate>,
{
    let (a, b) = (emitter.source(a), emitter.source(b));
    let immediate = |operand: Operand| operand.as_constant().filter(|term| term.is_immediate());
    let (a, b) = if immediate(a).is_some() {
        (b, a)
    } else {
        (a, b)
    };
    match immediate(b) {
        Some(b) => emitter.operation::<I>(CompareImmediate { a, b, fail }),
        None => emitter.operation::<O>(Comparison { a, b, fail }),
    }
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
    source: FileOperand,
    dest: FileOperand,
    cursor: &mut Cursor<'a>,
) {
    let (source, dest) = (emitter.source(source), emitter.source(dest));
    if dest == Operand::x(0) && is_line_of_tail_call(emitter, cursor) {
        cursor.next();
    }
    if dest.kind() == OperandKind::X && move_and_leave(emitter, source, dest, cursor) {
        return;
    }
    if let Some(Generic::Move {
        source: source2,
        dest: dest2,
    }) = cursor.peek(&[Opcode::Move])
    {
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
        let second = (emitter.source(source2), emitter.source(dest2));
        if !better && two_moves(emitter, (source, dest), second) {
            cursor.next();
            return;
        }
    }
    emitter.operation::<moves::Move>(SourceDest { source, dest });
}

/// Whether a line and a call in tail position come next, of a function that is no BIF. Behind a move to the first
/// register the line does not count, as on stock: no frame has it, and what stands behind the call, and has none of its
/// own, keeps the one before.
fn is_line_of_tail_call(emitter: &Emitter<'_>, cursor: &Cursor<'_>) -> bool {
    if cursor.opcode_at(0) != Some(Opcode::Line) {
        return false;
    }
    match cursor.opcode_at(1) {
        Some(Opcode::CallOnly | Opcode::CallLast) => true,
        Some(Opcode::CallExtOnly | Opcode::CallExtLast) => {
            match cursor.code.generic(&cursor.operations[1]) {
                Generic::CallExtOnly { import, .. } | Generic::CallExtLast { import, .. } => {
                    let name = imports::imported(emitter.module, import);
                    name.bif.is_none() && imports::erlang_function(name) != Some(atoms::APPLY)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Writes a move to an X register and the call or return after it as one instruction, if there is one.
fn move_and_leave<'a>(
    emitter: &mut Emitter<'a>,
    source: Operand,
    dest: Operand,
    cursor: &mut Cursor<'a>,
) -> bool {
    // There may be a line before a call.
    let behind = usize::from(cursor.opcode_at(0) == Some(Opcode::Line));
    match cursor.opcode_at(behind) {
        Some(Opcode::Call | Opcode::CallOnly | Opcode::CallLast) => {
            if let Some(Generic::Line { line }) = cursor.peek(&[Opcode::Line]) {
                cursor.next();
                emitter.line(line);
            }
            let call = cursor.peek(&[Opcode::Call, Opcode::CallOnly, Opcode::CallLast]);
            cursor.next();
            move_and_call(emitter, source, dest, call);
        }
        // Where the function may return behind a call by itself, that is tested between the two.
        Some(Opcode::Return | Opcode::Deallocate) if emitter.recursion.returns_within() => {
            return false;
        }
        Some(Opcode::Return) if behind == 0 => {
            cursor.next();
            emitter.operation::<calls::MoveReturn>(MoveReturn { source, dest });
        }
        Some(Opcode::Deallocate) if behind == 0 => {
            let Some(frame) = cursor.take_return() else {
                return false;
            };
            emitter.operation::<calls::MoveDeallocateReturn>(MoveDeallocateReturn {
                source,
                dest,
                frame: frame * 8,
            });
        }
        _ => return false,
    }
    true
}

/// Writes a move to an X register and a call of a function of the module as one instruction.
fn move_and_call(
    emitter: &mut Emitter<'_>,
    source: Operand,
    dest: Operand,
    call: Option<Generic<'_>>,
) {
    match call {
        Some(Generic::CallLast { label, frame, .. }) => {
            emitter.operation::<calls::MoveCallLast>(MoveCallLast {
                source,
                dest,
                label,
                frame: frame * 8,
            });
        }
        Some(Generic::CallOnly { label, .. }) => {
            emitter.operation::<calls::MoveCallOnly>(MoveCall {
                source,
                dest,
                label,
            });
        }
        Some(Generic::Call { label, .. }) => match emitter.recursion.call_within() {
            Some(behind) => {
                emitter.operation::<calls::MoveCallWithin>(MoveCallWithin {
                    source,
                    dest,
                    label,
                    behind,
                });
                emitter.define(behind);
            }
            None => emitter.operation::<calls::MoveCall>(MoveCall {
                source,
                dest,
                label,
            }),
        },
        other => unreachable!("no call: {other:?}"),
    }
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
    tuple: FileOperand,
    index: u64,
    dest: FileOperand,
    cursor: &mut Cursor<'a>,
) -> Result {
    let bad = bad(Opcode::GetTupleElement, "index");
    let (tuple, dest) = (emitter.source(tuple), emitter.source(dest));
    let offset = element_offset(emitter, index).ok_or(bad.clone())?;
    if let Some(Generic::GetTupleElement {
        tuple: tuple2,
        index: index2,
        dest: dest2,
    }) = cursor.peek(&[Opcode::GetTupleElement])
    {
        let offset2 = element_offset(emitter, index2).ok_or(bad)?;
        // The first operation must not overwrite the tuple.
        if emitter.source(tuple2) == tuple && dest != tuple {
            cursor.next();
            let dest2 = emitter.source(dest2);
            emitter.operation::<tuples::GetTupleElement2>(GetTupleElement2 {
                tuple,
                dest,
                dest2,
                offset,
                offset2,
            });
            return Ok(());
        }
    }
    emitter.operation::<tuples::GetTupleElement>(GetTupleElement {
        tuple,
        dest,
        offset,
    });
    Ok(())
}

/// Writes a test for a cons cell and the operation after it as one instruction, if that takes the same cell apart.
fn get_list<'a>(
    emitter: &mut Emitter<'a>,
    term: FileOperand,
    fail: u32,
    cursor: &mut Cursor<'a>,
) -> bool {
    let Some(Generic::GetList { list, head, tail }) = cursor.peek(&[Opcode::GetList]) else {
        return false;
    };
    let [list, head, tail] = [list, head, tail].map(|operand| emitter.source(operand));
    if list != emitter.source(term) {
        return false;
    }
    cursor.next();
    emitter.operation::<lists::IsNonemptyListGetList>(IsNonemptyListGetList {
        list,
        head,
        tail,
        fail,
    });
    true
}

fn put_tuple(emitter: &mut Emitter<'_>, dest: FileOperand, elements: &[FileOperand]) {
    let dest = emitter.source(dest);
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
    match cursor.take_return() {
        Some(frame) => emitter.operation::<calls::CallFunLast>(CallFunLast {
            fun,
            arity,
            frame: frame * 8,
            behind,
        }),
        None => emitter.operation::<calls::CallFun>(CallFun { fun, arity, behind }),
    }
}

fn make_fun(emitter: &mut Emitter<'_>, lambda: u32, dest: Operand, free: &[Operand]) -> Option<()> {
    let row = emitter.module.file.lambdas[lambda as usize];
    let arity = u64::from(row.arity.checked_sub(row.free)?);
    if free.len() != usize::from(row.free) {
        return None;
    }
    emitter.operation::<calls::MakeFun>(MakeFun {
        dest,
        entry: emitter.fun(lambda) as u64,
        shape: arity | (free.len() as u64) << 8,
    });
    emitter.more(free.iter().copied());
    const _: () = assert!(FUN_WORDS == 4 && Header::new(ObjectKind::Fun, 3).arity() == 3);
    Some(())
}
