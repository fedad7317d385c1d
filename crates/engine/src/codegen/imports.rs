//! What is known about imported functions, and about constants, when code is loaded.

use layout::{Export, NoGc, Term};
use spec::atoms;

use super::module::Module;
use crate::operand::Operand;

/// The function's name, if it is in the module `erlang`.
pub(super) fn erlang_function(name: &Export) -> Option<u32> {
    (name.module == Term::atom(atoms::ERLANG)).then(|| name.function.as_atom())?
}

pub(super) fn imported<'a>(module: &Module<'a>, import: u32) -> &'a Export {
    // SAFETY: exports are never freed.
    unsafe { &*module.imports[import as usize] }
}

/// Whether a call of this import is one of a BIF, other than `apply`.
pub(super) fn is_bif(module: &Module<'_>, import: u32) -> bool {
    let name = imported(module, import);
    name.bif.is_some() && name.function != Term::atom(atoms::APPLY)
}

/// Whether it is one of a BIF that only raises.
pub(super) fn raises(module: &Module<'_>, import: u32) -> bool {
    let name = imported(module, import);
    let raising = [
        (atoms::ERROR, 1),
        (atoms::ERROR, 2),
        (atoms::EXIT, 1),
        (atoms::THROW, 1),
    ];
    raising
        .iter()
        .any(|&(function, arity)| is_erlang(name, function, arity))
}

pub(super) fn is_erlang(export: &Export, function: u32, arity: u32) -> bool {
    export.module == Term::atom(atoms::ERLANG)
        && export.function == Term::atom(function)
        && export.arity == arity
}

/// The elements, if the operand is a constant tuple. They live as long as the code that refers to the tuple.
pub(super) fn constant_elements(operand: Operand, no_gc: &NoGc) -> Option<&[Term]> {
    operand.as_constant()?.as_tuple(no_gc)
}
