//! What modules get for debuggers when they are loaded (`+D`, OTP 28 and later): breakpoints at lines, and what is
//! known there (`code:get_debug_info/1`). Any thread may ask and change what is wanted; what is loaded meanwhile is
//! loaded in either way.

use std::sync::atomic::{AtomicBool, Ordering};

use beamfile::{BeamFile, Constant, LineCall, LineFrame, LineValue};
use layout::{Heap, Term};
use term::{am, atom, build, map};

use super::load::constant;

static IS_SUPPORTED: AtomicBool = AtomicBool::new(false);

/// Whether modules are loaded with breakpoints at lines.
static LOADS_BREAKPOINTS: AtomicBool = AtomicBool::new(false);

/// As the flags say.
pub fn set_up(is_supported: bool, loads_breakpoints: bool) {
    set_supported(is_supported);
    set_loads_breakpoints(loads_breakpoints);
}

pub fn set_supported(is_supported: bool) {
    IS_SUPPORTED.store(is_supported, Ordering::Relaxed);
}

#[must_use]
pub fn is_supported() -> bool {
    IS_SUPPORTED.load(Ordering::Relaxed)
}

/// Whether what is loaded now gets breakpoints at lines.
#[must_use]
pub fn loads_breakpoints() -> bool {
    is_supported() && LOADS_BREAKPOINTS.load(Ordering::Relaxed)
}

pub fn set_loads_breakpoints(loads: bool) {
    LOADS_BREAKPOINTS.store(loads, Ordering::Relaxed);
}

/// For each line: `#{frame_size => none | Words, vars => [{Name, {x | y, Number} | {value, Term}}], calls => [Call]}`,
/// where a call is `{Module, Function, Arity}`, `{Function, Arity}` or the name of a variable. Nil for the entry of a
/// function.
pub(super) fn of(
    file: &BeamFile<'_>,
    atoms: &[Term],
    heap: &mut Heap,
    literals: &[Term],
) -> Vec<Term> {
    let lines = file.debugger_lines.iter().flatten();
    let keys = ["frame_size", "vars", "calls"].map(atom::known);
    lines
        .map(|line| {
            let frame = match line.frame {
                LineFrame::Entry => return Term::NIL,
                LineFrame::None => am::NONE,
                LineFrame::Words(words) => number(words),
            };
            let term_of = |heap: &mut Heap, it: &Constant| constant(it, atoms, heap, literals);
            let variables: Vec<Term> = line
                .variables
                .iter()
                .map(|(name, value)| {
                    let name = term_of(heap, name);
                    let value = match value {
                        LineValue::X(register) => [atom::known("x"), number(*register)],
                        LineValue::Y(register) => [atom::known("y"), number(*register)],
                        LineValue::Constant(value) => [am::VALUE, term_of(heap, value)],
                    };
                    let value = build::tuple(heap, &value);
                    build::tuple(heap, &[name, value])
                })
                .collect();
            let calls: Vec<Term> = line
                .calls
                .iter()
                .map(|call| match call {
                    LineCall::Remote {
                        module,
                        function,
                        arity,
                    } => {
                        let name = [term_of(heap, module), term_of(heap, function)];
                        let arity = number(u32::from(*arity));
                        build::tuple(heap, &[name[0], name[1], arity])
                    }
                    LineCall::Local { function, arity } => {
                        let function = term_of(heap, function);
                        build::tuple(heap, &[function, number(u32::from(*arity))])
                    }
                    LineCall::Variable(name) => term_of(heap, name),
                })
                .collect();
            let values = [
                frame,
                build::list(heap, &variables),
                build::list(heap, &calls),
            ];
            map::from_pairs(
                heap,
                &[
                    (keys[0], values[0]),
                    (keys[1], values[1]),
                    (keys[2], values[2]),
                ],
            )
        })
        .collect()
}

fn number(value: u32) -> Term {
    Term::small(i64::from(value))
}
