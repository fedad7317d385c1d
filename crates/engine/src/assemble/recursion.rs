//! Functions that call themselves before they are done, one call in each invocation, as those do that build a list from its
//! end: `[f(Head) | map(Tail)]`.
//!
//! The processor predicts where a return goes by the latest calls, of which it keeps some sixteen (`slow::pairs`). Such a
//! function calls itself as often as a list has elements and returns as often, so most of these returns would go where
//! nobody expected. But they nearly all lead to one of few places, those behind the function's calls of itself. So each
//! return tests first whether it leads there ([`calls::ReturnWithin`]), which is a branch that the processor predicts; and
//! these calls put nothing on the native stack ([`calls::CallWithin`]), so that what the function's caller has put there is
//! still the latest when the function returns to it.
//!
//! That is only right if nobody else returns to these places: so such a function makes no tail call of another.

use beamfile::{Function, Operation};
use isa::Opcode;

use super::bifs;
use super::emit::{Emitter, label};
use crate::bodies::calls;
use crate::encoding::ReturnWithin;

/// The most calls of itself: each return tests that it leads behind none of them before it leads elsewhere.
const MOST_CALLS: usize = 4;

/// What is known of the function that is being written.
#[derive(Default)]
pub(super) struct Recursion {
    entry: u32,
    /// For each of its calls of itself, in order, the label of what is behind it; empty if all its calls and returns are
    /// ordinary ones.
    behind: Vec<u32>,
    /// Number of these calls that were written.
    written: usize,
}

impl Recursion {
    pub(super) fn of(emitter: &mut Emitter<'_>, function: &Function) -> Recursion {
        let count = own_calls(emitter, function).filter(|&count| count <= MOST_CALLS);
        Recursion {
            entry: function.entry_label,
            behind: (0..count.unwrap_or(0))
                .map(|_| emitter.new_label())
                .collect(),
            written: 0,
        }
    }
}

/// Number of calls of a function by itself that are no tail calls; `None` if it may make two of them in one invocation, as
/// far as can be seen at once, or if others may return behind them.
fn own_calls(emitter: &Emitter<'_>, function: &Function) -> Option<usize> {
    let code = emitter.module.code;
    let operations = code.body(function);
    let is_own = |operation: &Operation| label(code.operands(operation)[1]) == function.entry_label;
    let (mut count, mut has_called) = (0, false);
    for (place, operation) in operations.iter().enumerate() {
        let is_next = |distance: usize, opcode| {
            operations.get(place + distance).map(|next| next.opcode) == Some(opcode)
        };
        match operation.opcode {
            Opcode::Call if is_own(operation) => {
                if has_called {
                    return None;
                }
                has_called = true;
                count += 1;
            }
            Opcode::CallOnly | Opcode::CallLast if is_own(operation) => has_called = false,
            Opcode::CallExtOnly if bifs::raises(emitter, code.operands(operation)[1]) => {
                has_called = false;
            }
            Opcode::CallExtLast if bifs::is_bif(emitter, code.operands(operation)[1]) => {
                has_called = false;
            }
            Opcode::Return | Opcode::Jump => has_called = false,
            Opcode::CallOnly
            | Opcode::CallLast
            | Opcode::CallExtOnly
            | Opcode::CallExtLast
            | Opcode::ApplyLast => return None,
            // A call of a fun in tail position is a tail call.
            Opcode::CallFun | Opcode::CallFun2
                if is_next(1, Opcode::Deallocate) && is_next(2, Opcode::Return) =>
            {
                return None;
            }
            _ => (),
        }
    }
    Some(count)
}

/// If a call, not a tail call, of the function at `entry` is one by itself of which [`Recursion`] knows: the label that must
/// be defined behind it.
pub(super) fn own_call(emitter: &mut Emitter<'_>, entry: u32) -> Option<u32> {
    let recursion = &mut emitter.recursion;
    if entry != recursion.entry {
        return None;
    }
    let label = *recursion.behind.get(recursion.written)?;
    recursion.written += 1;
    Some(label)
}

/// Whether the function that is being written returns to itself.
pub(super) fn returns_within(emitter: &Emitter<'_>) -> bool {
    !emitter.recursion.behind.is_empty()
}

/// Before a return that ends a frame of so many bytes: tests whether it leads behind a call of the function by itself.
pub(super) fn before_return(emitter: &mut Emitter<'_>, frame: u64) {
    for place in 0..emitter.recursion.behind.len() {
        let label = emitter.recursion.behind[place];
        emitter.operation::<calls::ReturnWithin>(ReturnWithin { frame, label });
    }
}
