//! The pass over a function's operations that finds the facts (`facts.rs`). What an operation does to them follows from
//! `spec`'s table of opcodes, unless it has an arm here.
//!
//! Used by the thread that loads the module.

use beamfile::{Generic, MatchCommand, Operand as FileOperand, Operation};
use spec::opcodes::Effect;

use super::bifs::{self, GuardBif};
use super::emit::{Emitter, number};
use super::facts::{Fact, SURE};
use crate::operand::Operand;

/// Numbers of fewer bits are small integers, with or without a sign.
const SMALL_BITS: u64 = 60;

/// An integer of that many bits, with a sign or without.
fn integer_of(bits: Option<u64>) -> Fact {
    match bits {
        Some(0..SMALL_BITS) => SURE,
        _ => Fact::Nothing,
    }
}

/// Tells an operation that was translated, which `generic` is taken apart. Returns whether that made facts of the
/// straight way.
pub(super) fn follow(
    emitter: &mut Emitter<'_>,
    operation: &Operation,
    generic: Generic<'_>,
) -> bool {
    let code = emitter.module.code;
    match generic {
        Generic::Move { source, dest } => {
            let [source, dest] = [source, dest].map(|operand| emitter.source(operand));
            let fact = emitter.facts.of(source);
            emitter.facts.set(dest, fact);
        }
        Generic::Swap { a, b } => {
            let [a, b] = [a, b].map(|operand| emitter.source(operand));
            emitter.facts.swap(a, b);
        }
        Generic::TestHeap { live, .. } => emitter.facts.keep_live(live),
        Generic::Allocate { live, .. }
        | Generic::AllocateZero { live, .. }
        | Generic::AllocateHeap { live, .. }
        | Generic::AllocateHeapZero { live, .. } => {
            emitter.facts.keep_live(live);
            emitter.facts.forget_frame();
        }
        Generic::Deallocate { .. } | Generic::Trim { .. } => emitter.facts.forget_frame(),
        Generic::InitYregs { slots } => write(emitter, slots, Fact::Nothing),
        Generic::GetMapElements { pairs, .. } => write(emitter, pairs, Fact::Nothing),
        Generic::GetRecordElements { fields, .. } => write(emitter, fields, Fact::Nothing),
        Generic::IsEqExact { a, b, .. } => {
            let [a, b] = [a, b].map(|operand| emitter.source(operand));
            for (register, other) in [(a, b), (b, a)] {
                // Equal to a small integer.
                if register.as_constant().is_none() && emitter.facts.of(other) == SURE {
                    emitter.facts.set(register, SURE);
                }
            }
        }
        Generic::IsInteger { term, .. } => {
            let term = emitter.source(term);
            if emitter.facts.of(term) == Fact::Immediate {
                emitter.facts.set(term, SURE);
            }
        }
        Generic::IsFloat { term, .. } => {
            let term = emitter.source(term);
            if term.as_constant().is_none() {
                emitter.facts.set(term, Fact::Float);
            }
        }
        Generic::Fmove { dest, .. } => write(emitter, &[dest], Fact::Float),
        Generic::IsLt { a, b, .. } | Generic::IsGe { a, b, .. } => {
            let both = [a, b].map(|operand| emitter.source(operand));
            if !both.iter().any(|operand| operand.is_other_constant()) {
                for operand in both {
                    emitter.facts.fell_through(operand);
                }
                return true;
            }
        }
        Generic::Bif0 { dest, .. } => write(emitter, &[dest], Fact::Nothing),
        Generic::BsGetInteger2 {
            live,
            size,
            unit,
            dest,
            ..
        } => {
            let bits = number(size).and_then(|size| size.checked_mul(unit));
            emitter.facts.keep_live(live);
            let dest = emitter.source(dest);
            emitter.facts.set(dest, integer_of(bits));
        }
        Generic::BsMatch { commands, .. } => {
            let mut rest = commands;
            while let Some((command, behind)) = MatchCommand::read(emitter.module.file, code, rest)
            {
                rest = behind;
                let (live, dest, fact) = match command {
                    MatchCommand::Integer(segment) => {
                        (segment.live, segment.dest, integer_of(Some(segment.bits())))
                    }
                    MatchCommand::Binary(segment) => (segment.live, segment.dest, Fact::Nothing),
                    MatchCommand::GetTail { live, dest } => (live, dest, Fact::Nothing),
                    _ => continue,
                };
                emitter.facts.keep_live(live);
                write(emitter, &[dest], fact);
            }
        }
        Generic::BsStartMatch3 { live, dest, .. }
        | Generic::BsStartMatch4 { live, dest, .. }
        | Generic::BsGetTail { live, dest, .. } => {
            emitter.facts.keep_live(live);
            write(emitter, &[dest], Fact::Nothing);
        }
        Generic::BsCreateBin { live, dest, .. } => {
            // Its last instructions may be reached in two ways.
            emitter.facts.end_way();
            emitter.facts.keep_live(live);
            write(emitter, &[dest], Fact::Nothing);
        }
        // What is sure of a slot of the frame stays so while another function runs.
        Generic::Call { .. }
        | Generic::CallExt { .. }
        | Generic::CallFun { .. }
        | Generic::CallFun2 { .. }
        | Generic::Apply { .. } => {
            emitter.facts.end_way();
            emitter.facts.keep_live(0);
        }
        _ => {
            if let Some(call) = GuardBif::of(generic) {
                return bif(emitter, &call);
            }
            match operation.opcode.effect() {
                Effect::Plain => write_destinations(emitter, operation),
                Effect::Other => emitter.facts.clear(),
            }
        }
    }
    false
}

/// The registers that an operation names as its destinations are written, and no others.
fn write_destinations(emitter: &mut Emitter<'_>, operation: &Operation) {
    let operands = emitter.module.code.operands(operation);
    for (&operand, row) in operands.iter().zip(operation.opcode.operands()) {
        if row.kind == spec::opcodes::OperandKind::Dest {
            write(emitter, &[operand], Fact::Nothing);
        }
    }
}

/// These operands are written, with terms of which this is known; those that are no registers of terms do not count.
fn write(emitter: &mut Emitter<'_>, operands: &[FileOperand], fact: Fact) {
    for &operand in operands {
        if let FileOperand::X(_)
        | FileOperand::Y(_)
        | FileOperand::TypedX { .. }
        | FileOperand::TypedY { .. } = operand
        {
            let register = emitter.source(operand);
            emitter.facts.set(register, fact);
        }
    }
}

/// As `follow`, for a BIF.
fn bif(emitter: &mut Emitter<'_>, call: &GuardBif) -> bool {
    let arguments: Vec<Operand> = call
        .arguments()
        .iter()
        .map(|&argument| emitter.source(argument))
        .collect();
    let dest = emitter.source(call.dest);
    let operator = bifs::operator(emitter, call.import, &arguments);
    let Some((name, is_straight)) = operator else {
        emitter.facts.end_way();
        emitter.facts.set(dest, Fact::Nothing);
        return false;
    };
    let result = emitter.facts.result(name, &arguments, is_straight);
    if is_straight {
        for &argument in &arguments {
            emitter.facts.fell_through(argument);
        }
    }
    if let Some(live) = call.live {
        emitter.facts.keep_live(live);
    }
    emitter.facts.set(dest, result);
    is_straight
}
