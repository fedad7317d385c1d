//! BIFs in guards and bodies, and calls of other modules.

use beamfile::{Generic, Operand as FileOperand, Operation};
use layout::{Export, Term, no_gc};
use spec::{Opcode, atoms};

use super::emit::Emitter;
use super::error::{CodegenErrorKind, Result};
use super::facts::Fact;
use super::imports::{constant_elements, erlang_function, imported, is_erlang};
use super::module::Module;
use crate::bodies::{arith, calls, floats, guards, maps, tuples};
use crate::encoding::{
    Bif0, Bif1, Bif2, Bif3, ByConstant, ByDivisor, CallExport, CallExportLast, Destination,
    ElementConstant, ElementOfConstant, Frame, Masked, MaskedSum, Nothing,
};
use crate::operand::{Operand, OperandKind};
use crate::operation::{HandlerOf, Operation as _};
use crate::slow::{self, bifs::NO_LIVE};

/// A call of a BIF that is no call of a function: `bif0` to `bif3` and `gc_bif1` to `gc_bif3`.
pub(super) struct GuardBif {
    fail: u32,
    /// The number of live X registers, if the BIF may collect.
    pub(super) live: Option<u64>,
    pub(super) import: u32,
    arguments: [FileOperand; 3],
    count: usize,
    pub(super) dest: FileOperand,
}

impl GuardBif {
    pub(super) fn of(generic: Generic<'_>) -> Option<GuardBif> {
        let none = FileOperand::Nil;
        let (fail, live, import, arguments, count, dest) = match generic {
            Generic::Bif0 { import, dest } => (0, None, import, [none; 3], 0, dest),
            Generic::Bif1 {
                fail,
                import,
                a,
                dest,
            } => (fail, None, import, [a, none, none], 1, dest),
            Generic::Bif2 {
                fail,
                import,
                a,
                b,
                dest,
            } => (fail, None, import, [a, b, none], 2, dest),
            Generic::Bif3 {
                fail,
                import,
                a,
                b,
                c,
                dest,
            } => (fail, None, import, [a, b, c], 3, dest),
            Generic::GcBif1 {
                fail,
                live,
                import,
                a,
                dest,
            } => (fail, Some(live), import, [a, none, none], 1, dest),
            Generic::GcBif2 {
                fail,
                live,
                import,
                a,
                b,
                dest,
            } => (fail, Some(live), import, [a, b, none], 2, dest),
            Generic::GcBif3 {
                fail,
                live,
                import,
                a,
                b,
                c,
                dest,
            } => (fail, Some(live), import, [a, b, c], 3, dest),
            _ => return None,
        };
        Some(GuardBif {
            fail,
            live,
            import,
            arguments,
            count,
            dest,
        })
    }

    pub(super) fn arguments(&self) -> &[FileOperand] {
        &self.arguments[..self.count]
    }
}

/// Writes such a call.
pub(super) fn guard_bif(emitter: &mut Emitter<'_>, call: &GuardBif) -> Result {
    let (fail, live, import) = (call.fail, call.live.unwrap_or(NO_LIVE), call.import);
    let export = emitter.import(import);
    let values: Vec<Operand> = call
        .arguments()
        .iter()
        .chain([&call.dest])
        .map(|&operand| emitter.source(operand))
        .collect();
    // SAFETY: exports are never freed.
    let name = unsafe { &*export };
    if is_erlang(name, atoms::SELF, 0) {
        emitter.operation::<calls::SelfPid>(Destination { dest: values[0] });
        return Ok(());
    }
    require_bif(emitter, import)?;
    if let [sources @ .., dest] = &values[..]
        && let Some((_, true)) = operator(emitter, import, sources)
    {
        emitter.integers(sources);
        emitter.passes(*dest);
    }
    match values[..] {
        [dest] => {
            let operands = Bif0 {
                dest,
                fail,
                live,
                export,
            };
            emitter.instruction(slow::bifs::guard0, operands);
        }
        // As on stock, which shows in the stack trace.
        [a, dest] if is_erlang(name, atoms::PLUS, 1) => {
            let operands = Bif2 {
                a,
                b: Operand::constant(Term::small(0)),
                dest,
                fail,
                live,
                export: (emitter.module.erlang)(name.function, 2),
            };
            emitter.instruction(arith::Add::handler(&operands), operands);
        }
        [a, dest] => {
            let operands = Bif1 {
                a,
                dest,
                fail,
                live,
                export,
            };
            let body = operator1(name, &operands).unwrap_or(slow::bifs::guard1);
            emitter.instruction(body, operands);
        }
        [a, b, dest] => {
            let constant = constant_index(a).filter(|_| is_erlang(name, atoms::ELEMENT, 2));
            if let Some(index) = constant {
                emitter.operation::<guards::ElementConstant>(ElementConstant {
                    index: a,
                    tuple: b,
                    dest,
                    fail,
                    live,
                    export,
                    offset: tuples::element_offset(index - 1),
                    header: tuples::tuple_header(index as usize),
                });
                return Ok(());
            }
            let no_gc = no_gc!();
            let elements =
                constant_elements(b, no_gc).filter(|_| is_erlang(name, atoms::ELEMENT, 2));
            if let Some(elements) = elements {
                emitter.integers(&[a]);
                emitter.operation::<guards::ElementOfConstant>(ElementOfConstant {
                    index: a,
                    tuple: b,
                    dest,
                    fail,
                    live,
                    export,
                    elements: elements.as_ptr() as u64,
                    count: elements.len() as u64,
                });
                return Ok(());
            }
            let operands = Bif2 {
                a,
                b,
                dest,
                fail,
                live,
                export,
            };
            if let Some(body) = of_floats(emitter, name, &operands) {
                emitter.instruction(body, operands);
                return Ok(());
            }
            if by_constant(emitter, name, &operands) {
                return Ok(());
            }
            let body = operator2(name, &operands).unwrap_or(slow::bifs::guard2);
            emitter.instruction(body, operands);
        }
        [a, b, c, dest] => {
            let operands = Bif3 {
                a,
                b,
                c,
                dest,
                fail,
                live,
                export,
            };
            emitter.instruction(slow::bifs::guard3, operands);
        }
        _ => unreachable!("at most three arguments and a destination: {values:?}"),
    }
    Ok(())
}

/// The index, if the operand is a constant that is a valid element index for some tuple.
fn constant_index(operand: Operand) -> Option<u64> {
    let index = u64::try_from(operand.as_constant()?.as_small()?).ok()?;
    (1..=layout::limits::MAX_TUPLE_ARITY as u64)
        .contains(&index)
        .then_some(index)
}

/// The body for two operands that are known to be floats, if they are and there is one.
fn of_floats(emitter: &Emitter<'_>, name: &Export, operands: &Bif2) -> Option<HandlerOf<Bif2>> {
    let is_float = |operand| emitter.facts.of(operand) == Fact::Float;
    if !is_float(operands.a) || !is_float(operands.b) {
        return None;
    }
    Some(match erlang_function(name)? {
        atoms::PLUS => floats::AddFloats::handler(operands),
        atoms::MINUS => floats::SubtractFloats::handler(operands),
        atoms::TIMES => floats::MultiplyFloats::handler(operands),
        _ => return None,
    })
}

/// Writes an operation of a register and a constant that has a form of its own, if this is one.
fn by_constant(emitter: &mut Emitter<'_>, name: &Export, operands: &Bif2) -> bool {
    let constant = operands.b.as_constant().and_then(Term::as_small);
    let (Some(constant), None) = (constant, operands.a.as_constant()) else {
        return false;
    };
    let with = |by: u64| ByConstant {
        a: operands.a,
        b: operands.b,
        dest: operands.dest,
        fail: operands.fail,
        live: operands.live,
        export: operands.export,
        by,
    };
    let by_divisor = |by: u64, shift: u64, reciprocal: u64| ByDivisor {
        a: operands.a,
        b: operands.b,
        dest: operands.dest,
        fail: operands.fail,
        live: operands.live,
        export: operands.export,
        by,
        shift,
        reciprocal,
    };
    match erlang_function(name) {
        // Factors and masks that fit into an instruction.
        Some(atoms::TIMES) if i32::try_from(constant).is_ok() => {
            emitter.operation::<arith::MultiplyConstant>(with(constant as u64));
        }
        Some(atoms::REM) if constant.count_ones() == 1 && (1..1 << 27).contains(&constant) => {
            let remaining = (constant as u64 - 1) * 16;
            emitter.operation::<arith::RemainderByPower>(with(remaining));
        }
        Some(atoms::DIV) if constant.count_ones() == 1 && (2..1 << 27).contains(&constant) => {
            let lost = (constant as u64 - 1) * 16;
            let shift = u64::from(constant.trailing_zeros());
            emitter.operation::<arith::DivideByPower>(by_divisor(lost, shift, 0));
        }
        Some(name @ (atoms::DIV | atoms::REM)) if (3..1 << 27).contains(&constant) => {
            let (factor, shift) = arith::reciprocal(constant as u32);
            let operands = by_divisor(constant as u64, shift, factor);
            match name {
                atoms::DIV => emitter.operation::<arith::DivideByConstant>(operands),
                _ => emitter.operation::<arith::RemainderByConstant>(operands),
            }
        }
        Some(atoms::BSL) if (0..=30).contains(&constant) => {
            emitter.operation::<arith::ShiftLeftConstant>(with(1 << constant));
        }
        Some(atoms::BSR) if constant >= 0 => {
            emitter.operation::<arith::ShiftRightConstant>(with(constant.min(63) as u64));
        }
        _ => return false,
    }
    true
}

/// Operations of which the last one keeps only the bits of a mask.
pub(super) struct Masking {
    /// Where the code continues behind them.
    pub(super) after: u32,
    /// The offset of the last one.
    last: u32,
}

impl Masking {
    pub(super) fn ends_with(&self, operation: &Operation) -> bool {
        self.last == operation.offset
    }
}

/// Writes an instruction that does an operation and those behind it, and skips them, if they are a product or a left
/// shift, perhaps a sum with it, and a mask.
pub(super) fn masked(
    emitter: &mut Emitter<'_>,
    operation: &Operation,
    rest: &[Operation],
) -> Option<Masking> {
    let (name, [mut a, mut b, dest]) = operator_of_two(emitter, operation)?;
    if !matches!(name, atoms::TIMES | atoms::BSL) {
        return None;
    }
    if name == atoms::TIMES && a.kind() == OperandKind::Constant {
        (a, b) = (b, a);
    }
    let mut rest = rest.iter().filter(|other| other.opcode != Opcode::Line);
    let mut last = rest.next()?;
    let (mut next, mut other) = continued(emitter, last, dest)?;
    let factor = b.as_constant().and_then(Term::as_small);
    let is_sum = next == atoms::PLUS && name == atoms::TIMES && factor.is_some();
    if is_sum {
        b = other;
        last = rest.next()?;
        (next, other) = continued(emitter, last, dest)?;
    }
    let mask = other.as_constant()?.as_small().filter(|&mask| mask >= 0)?;
    let is_x = |operand: Operand| operand.kind() == OperandKind::X;
    // The forms that have machine code.
    let has_code =
        is_x(a) && is_x(dest) && (is_x(b) || b.as_constant().is_some_and(Term::is_small));
    if next != atoms::BAND || !has_code {
        return None;
    }
    let (mask, after) = (mask as u64 * 16, emitter.new_label());
    emitter.integers(&[a, b]);
    if is_sum {
        let factor = factor? as u64;
        emitter.operation::<arith::MultiplyAddMasked>(MaskedSum {
            a,
            b,
            dest,
            factor,
            mask,
            after,
        });
    } else {
        let words = Masked {
            a,
            b,
            dest,
            mask,
            after,
        };
        match name {
            atoms::TIMES => emitter.operation::<arith::MultiplyMasked>(words),
            _ => emitter.operation::<arith::ShiftLeftMasked>(words),
        }
    }
    let last = last.offset;
    Some(Masking { after, last })
}

/// The operator that an operation applies to a register and something else, and the latter. Its result replaces the
/// register, which is needed nowhere else.
fn continued(
    emitter: &Emitter<'_>,
    operation: &Operation,
    register: Operand,
) -> Option<(u32, Operand)> {
    let (name, [a, b, dest]) = operator_of_two(emitter, operation)?;
    let is_commutative = matches!(name, atoms::PLUS | atoms::BAND);
    match (a == register, b == register) {
        (true, false) if dest == register => Some((name, b)),
        (false, true) if dest == register && is_commutative => Some((name, a)),
        _ => None,
    }
}

/// The name, the arguments and the destination of an operator of two arguments that may collect.
fn operator_of_two(emitter: &Emitter<'_>, operation: &Operation) -> Option<(u32, [Operand; 3])> {
    if operation.opcode != Opcode::GcBif2 {
        return None;
    }
    let Generic::GcBif2 {
        import, a, b, dest, ..
    } = emitter.module.code.generic(operation)
    else {
        return None;
    };
    // SAFETY: exports are never freed.
    let name = erlang_function(unsafe { &*emitter.import(import) })?;
    Some((name, [a, b, dest].map(|operand| emitter.source(operand))))
}

/// The name of an operator or a BIF whose result facts are known about, and whether its machine code falls through
/// only for arguments and a result that are small integers.
pub(super) fn operator(
    emitter: &Emitter<'_>,
    import: u32,
    arguments: &[Operand],
) -> Option<(u32, bool)> {
    // SAFETY: exports are never freed.
    let name = erlang_function(unsafe { &*emitter.import(import) })?;
    let is_straight = match arguments {
        [_] => matches!(name, atoms::MINUS | atoms::BNOT),
        [a, b] => {
            !a.is_other_constant()
                && !b.is_other_constant()
                && matches!(
                    name,
                    atoms::PLUS
                        | atoms::MINUS
                        | atoms::TIMES
                        | atoms::DIV
                        | atoms::REM
                        | atoms::BAND
                        | atoms::BOR
                        | atoms::BXOR
                        | atoms::BSL
                        | atoms::BSR
                        | atoms::MAX
                        | atoms::MIN
                )
        }
        _ => false,
    };
    let has_body = matches!(
        name,
        // Of a constant float, too.
        atoms::PLUS
            | atoms::MINUS
            | atoms::TIMES
            | atoms::TUPLE_SIZE
            | atoms::MAP_SIZE
            | atoms::BYTE_SIZE
            | atoms::LENGTH
            | atoms::HD
            | atoms::TL
            | atoms::ELEMENT
    );
    (is_straight || has_body).then_some((name, is_straight))
}

/// The body that computes this BIF of one argument for the simple cases, if there is one.
fn operator1(name: &Export, operands: &Bif1) -> Option<HandlerOf<Bif1>> {
    Some(match erlang_function(name)? {
        atoms::MINUS => arith::Negate::handler(operands),
        atoms::BNOT => arith::BitNot::handler(operands),
        atoms::TUPLE_SIZE => guards::TupleSize::handler(operands),
        atoms::MAP_SIZE => guards::MapSize::handler(operands),
        atoms::HD => guards::Head::handler(operands),
        atoms::TL => guards::Tail::handler(operands),
        atoms::ABS => guards::Absolute::handler(operands),
        atoms::BYTE_SIZE => guards::ByteSize::handler(operands),
        atoms::LENGTH => guards::Length::handler(operands),
        atoms::NOT => guards::Not::handler(operands),
        _ => return None,
    })
}

/// The body that computes this BIF of two arguments for the simple cases, if there is one.
fn operator2(name: &Export, operands: &Bif2) -> Option<HandlerOf<Bif2>> {
    Some(match erlang_function(name)? {
        atoms::PLUS => arith::Add::handler(operands),
        atoms::MINUS => arith::Subtract::handler(operands),
        atoms::TIMES => arith::Multiply::handler(operands),
        atoms::DIVIDE => slow::arith::divide,
        atoms::DIV => arith::IntegerDivide::handler(operands),
        atoms::REM => arith::Remainder::handler(operands),
        atoms::BAND => arith::BitAnd::handler(operands),
        atoms::BOR => arith::BitOr::handler(operands),
        atoms::BXOR => arith::BitXor::handler(operands),
        atoms::BSL => arith::ShiftLeft::handler(operands),
        atoms::BSR => arith::ShiftRight::handler(operands),
        atoms::MAX => arith::Max::handler(operands),
        atoms::MIN => arith::Min::handler(operands),
        atoms::ELEMENT => guards::Element::handler(operands),
        atoms::MAP_GET => maps::MapGet::handler(operands),
        atoms::IS_MAP_KEY => maps::IsMapKey::handler(operands),
        atoms::AND => guards::And::handler(operands),
        atoms::OR => guards::Or::handler(operands),
        atoms::EQ_EXACT => guards::EqualExact::handler(operands),
        atoms::NE_EXACT => guards::NotEqualExact::handler(operands),
        atoms::EQ => guards::Equal::handler(operands),
        atoms::NE => guards::NotEqual::handler(operands),
        atoms::LT => guards::Less::handler(operands),
        atoms::GE => guards::GreaterOrEqual::handler(operands),
        atoms::GT => guards::Greater::handler(operands),
        atoms::LE => guards::LessOrEqual::handler(operands),
        _ => return None,
    })
}

/// The operation that does what a function of the module `erlang` does, with the arguments and the result where a call
/// has them.
enum Whole {
    OfOne(HandlerOf<Bif1>, Bif1),
    OfTwo(HandlerOf<Bif2>, Bif2),
}

impl Whole {
    /// `fail` is where the code continues if the operation cannot give the result.
    fn of(export: &Export, fail: u32) -> Option<Whole> {
        let (a, b, live) = (Operand::x(0), Operand::x(1), u64::from(export.arity));
        match export.arity {
            1 => {
                let operands = Bif1 {
                    a,
                    dest: a,
                    fail,
                    live,
                    export,
                };
                Some(Whole::OfOne(operator1(export, &operands)?, operands))
            }
            2 => {
                let operands = Bif2 {
                    a,
                    b,
                    dest: a,
                    fail,
                    live,
                    export,
                };
                Some(Whole::OfTwo(operator2(export, &operands)?, operands))
            }
            _ => None,
        }
    }
}

/// Whether the function that a module has in the place of this BIF does more than to call it: then the BIF's name
/// should lead there.
#[must_use]
pub fn has_operation(bif: &Export) -> bool {
    Whole::of(bif, 0).is_some()
}

/// The function that a module has in the place of a BIF, for who calls it by name, as `fun erlang:'+'/2` does. What an
/// operation refuses the BIF itself gets, which raises.
pub(super) fn stub(emitter: &mut Emitter<'_>, export: *const Export) {
    let fail = emitter.new_label();
    emitter.facts.clear();
    // SAFETY: exports are never freed.
    if let Some(whole) = Whole::of(unsafe { &*export }, fail) {
        match whole {
            Whole::OfOne(body, operands) => emitter.instruction(body, operands),
            Whole::OfTwo(body, operands) => emitter.instruction(body, operands),
        }
        emitter.operation::<calls::Return>(Nothing {});
    }
    emitter.facts.clear();
    emitter.define(fail);
    emitter.instruction(slow::bifs::call_bif_stub, CallExport { export });
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
pub(super) fn call(emitter: &mut Emitter<'_>, import: u32, tail: Tail) {
    let export = emitter.import(import);
    // SAFETY: exports are never freed.
    let name = unsafe { &*export };
    let applied = if is_erlang(name, atoms::APPLY, 3) {
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
            Tail::No => emitter.instruction(body, Nothing {}),
            Tail::Only => emitter.instruction(last, Frame { frame: 0 }),
            Tail::Last(frame) => emitter.instruction(last, Frame { frame }),
        }
        return;
    }
    let operands = CallExport { export };
    if name.bif.is_some() {
        match tail {
            Tail::Only => {
                match is_erlang(name, atoms::SETELEMENT, 3) {
                    true => emitter.operation::<tuples::SetElementOnly>(operands),
                    false => emitter.instruction(slow::bifs::call_bif_only, operands),
                }
                // Where the BIF returns to if it is traced.
                emitter.operation::<calls::Return>(Nothing {});
            }
            _ if is_erlang(name, atoms::SETELEMENT, 3) => {
                emitter.operation::<tuples::SetElement>(operands);
            }
            _ => emitter.instruction(slow::bifs::call_bif, operands),
        }
        if let Tail::Last(frame) = tail {
            emitter.before_return(frame);
            emitter.operation::<calls::DeallocateReturn>(Frame { frame });
        }
        return;
    }
    match tail {
        Tail::No => emitter.operation::<calls::CallExport>(operands),
        Tail::Only => emitter.operation::<calls::CallExportOnly>(operands),
        Tail::Last(frame) => {
            emitter.operation::<calls::CallExportLast>(CallExportLast { export, frame });
        }
    }
}

/// Whether the BIF of an operation is there.
pub(super) fn check(module: &Module<'_>, generic: Generic<'_>) -> Result {
    match GuardBif::of(generic) {
        Some(call) if !is_erlang(imported(module, call.import), atoms::SELF, 0) => {
            require(module, call.import)
        }
        _ => Ok(()),
    }
}

fn require_bif(emitter: &Emitter<'_>, import: u32) -> Result {
    require(emitter.module, import)
}

fn require(module: &Module<'_>, import: u32) -> Result {
    if imported(module, import).bif.is_some() {
        return Ok(());
    }
    let file = module.file;
    let row = file.imports[import as usize];
    Err(CodegenErrorKind::NoBif {
        module: file.atom(row.module).to_owned(),
        function: file.atom(row.function).to_owned(),
        arity: row.arity,
    })
}
