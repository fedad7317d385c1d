//! Functions that call themselves before they are done, as those do that build a list from its end:
//! `[f(Head) | map(Tail)]`.
//!
//! The processor predicts where a return goes by the latest calls, of which it keeps some sixteen (`slow::pairs`). Such
//! a function calls itself as often as a list has elements and returns as often, so most of these returns would go
//! where nobody expected. But they nearly all lead to one of few places, those behind the function's calls of itself.
//! So each return tests first whether it leads there (`ReturnWithin`), which is a branch that the processor predicts;
//! and these calls put nothing on the native stack (`CallWithin`), so that what the function's caller has put there is
//! still the latest when the function returns to it.
//!
//! That is only right if every return to such a place makes the test. So the function may be left by tail calls of
//! functions of the module alone, which make the test too: a list comprehension with two generators is two functions.

use beamfile::{Function, Generic};
use spec::Opcode;
use spec::opcodes::Effect;

use super::imports;
use super::module::Module;

/// The most places for which the returns of a function are tested.
const MOST_PLACES: usize = 4;
/// The most functions that return to one place.
const MOST_FUNCTIONS: usize = 8;

/// The calls and returns of this kind in a module, by function.
#[derive(Default)]
pub(super) struct Recursion {
    functions: Vec<Within>,
    /// The function that is being written, and the number of its calls so far.
    function: usize,
    calls: usize,
}

#[derive(Default)]
struct Within {
    /// The calls: which of the function's calls it is, and the label of what is behind it.
    calls: Vec<(usize, u32)>,
    /// The labels to which the function may return.
    places: Vec<u32>,
}

/// What a function does, as far as it matters here.
#[derive(Default)]
struct Seen {
    /// The functions of the module of which it makes tail calls.
    tails: Vec<usize>,
    /// Whether it leaves the module by a tail call, or is a BIF.
    leaves: bool,
    calls: Vec<Call>,
}

/// A call of a function of the module that is no tail call.
struct Call {
    /// Its place among such calls.
    number: usize,
    callee: usize,
    /// Two calls with the same path are made in one invocation, as far as can be seen at once.
    path: usize,
}

impl Recursion {
    /// `new_label` makes a label that the file does not have.
    pub(super) fn of(module: &Module<'_>, mut new_label: impl FnMut() -> u32) -> Recursion {
        let functions = &module.code.functions;
        let mut entries = vec![None; module.file.code_header.label_count as usize];
        for (place, function) in functions.iter().enumerate() {
            if let Some(entry) = entries.get_mut(function.entry_label as usize) {
                *entry = Some(place);
            }
        }
        let seen: Vec<Seen> = functions
            .iter()
            .map(|function| look_at(module, function, &entries))
            .collect();
        let mut within: Vec<Within> = seen.iter().map(|_| Within::default()).collect();
        for function in 0..seen.len() {
            let calls = calls_within(&seen, function).unwrap_or_default();
            let has_room =
                |function: &usize| within[*function].places.len() + calls.len() <= MOST_PLACES;
            if !calls
                .iter()
                .all(|(_, returning)| returning.iter().all(has_room))
            {
                continue;
            }
            for (number, returning) in calls {
                let label = new_label();
                within[function].calls.push((number, label));
                for function in returning {
                    within[function].places.push(label);
                }
            }
        }
        Recursion {
            functions: within,
            function: 0,
            calls: 0,
        }
    }

    /// Of a function that is translated alone: none of its calls is known to come back.
    pub(super) fn of_one() -> Recursion {
        Recursion {
            functions: vec![Within::default()],
            function: 0,
            calls: 0,
        }
    }

    /// The function with this place in the module is written next.
    pub(super) fn enter(&mut self, function: usize) {
        self.function = function;
        self.calls = 0;
    }

    /// Called once for each call, not a tail call, of a function of the module. If it comes back to the function that
    /// is being written: the label that must be defined behind it.
    pub(super) fn call_within(&mut self) -> Option<u32> {
        let number = self.calls;
        self.calls += 1;
        let calls = &self.functions[self.function].calls;
        let call = calls.iter().find(|call| call.0 == number)?;
        Some(call.1)
    }

    /// The labels behind such calls, to which the function that is being written may return.
    pub(super) fn places(&self) -> &[u32] {
        &self.functions[self.function].places
    }

    /// Whether it may return to one.
    pub(super) fn returns_within(&self) -> bool {
        !self.places().is_empty()
    }
}

fn look_at(module: &Module<'_>, function: &Function, entries: &[Option<usize>]) -> Seen {
    let code = module.code;
    let name = module.atoms[function.name as usize];
    let mut seen = Seen {
        leaves: (module.bif)(name, u32::from(function.arity)).is_some(),
        ..Seen::default()
    };
    if seen.leaves {
        return seen;
    }
    let operations = code.body(function);
    let (mut number, mut path) = (0, 0);
    for (place, operation) in operations.iter().enumerate() {
        let callee = |label: u32| entries.get(label as usize).copied().flatten();
        let is_next = |distance: usize, opcode| {
            operations.get(place + distance).map(|next| next.opcode) == Some(opcode)
        };
        // The code goes on behind it, or in the same function.
        if operation.opcode.effect() == Effect::Plain {
            continue;
        }
        match code.generic(operation) {
            Generic::Call { label, .. } => {
                seen.calls.extend(callee(label).map(|callee| Call {
                    number,
                    callee,
                    path,
                }));
                number += 1;
            }
            Generic::CallOnly { label, .. } | Generic::CallLast { label, .. } => {
                path += 1;
                match callee(label) {
                    Some(callee) => seen.tails.push(callee),
                    None => seen.leaves = true,
                }
            }
            Generic::CallExtOnly { import, .. } if imports::raises(module, import) => path += 1,
            Generic::CallExtLast { import, .. } if imports::is_bif(module, import) => path += 1,
            Generic::Return {} | Generic::Jump { .. } => path += 1,
            Generic::CallExtOnly { .. }
            | Generic::CallExtLast { .. }
            | Generic::ApplyLast { .. } => seen.leaves = true,
            // A call of a fun in tail position is a tail call.
            Generic::CallFun { .. } | Generic::CallFun2 { .. }
                if is_next(1, Opcode::Deallocate) && is_next(2, Opcode::Return) =>
            {
                seen.leaves = true;
            }
            _ => (),
        }
    }
    seen
}

/// The calls by which a function comes back to itself, by number, and for each the functions that return behind it.
/// `None` if it may make two of them in one invocation.
fn calls_within(seen: &[Seen], function: usize) -> Option<Vec<(usize, Vec<usize>)>> {
    let mut found = Vec::new();
    let mut last_path = None;
    for call in &seen[function].calls {
        let returning = returning(seen, call.callee).filter(|them| them.contains(&function));
        if let Some(returning) = returning {
            if last_path.replace(call.path) == Some(call.path) {
                return None;
            }
            found.push((call.number, returning));
        }
    }
    Some(found)
}

/// The functions in which a call of this one may return: itself, and those that are called in tail position. `None` if
/// others of another module are among them, or too many.
fn returning(seen: &[Seen], callee: usize) -> Option<Vec<usize>> {
    let mut found = vec![callee];
    let mut at = 0;
    while let Some(&function) = found.get(at) {
        if seen[function].leaves {
            return None;
        }
        for &tail in &seen[function].tails {
            if found.contains(&tail) {
                continue;
            }
            // A function may have thousands of tail calls.
            if found.len() == MOST_FUNCTIONS {
                return None;
            }
            found.push(tail);
        }
        at += 1;
    }
    Some(found)
}
