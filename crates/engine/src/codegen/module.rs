//! What is translated: a decoded file, and what its indexes stand for.

use beamfile::{Code as FileCode, Generic, Operand as FileOperand, Operation};
use layout::{Export, FunEntry, Term};
use spec::Opcode;

use crate::coverage::CoverageMode;

/// A decoded file, and what the indexes in it stand for on this node.
pub struct Module<'a> {
    pub file: &'a beamfile::BeamFile<'a>,
    pub code: &'a FileCode,
    /// Indexed by atom.
    pub atoms: &'a [Term],
    /// Indexed by literal. These terms live as long as the code.
    pub literals: &'a [Term],
    /// Indexed by import. Exports are never freed.
    pub imports: &'a [*const Export],
    /// Indexed by lambda. Fun entries are never freed.
    pub funs: &'a [*const FunEntry],
    /// Makes a literal from an integer that is not small, given as big-endian two's complement.
    pub integer: &'a dyn Fn(&[u8]) -> Term,
    /// For an operation that makes a map with constant keys: the keys, as a literal tuple in map order. See
    /// [`constant_keys`].
    pub map_keys: &'a dyn Fn(&Operation) -> Option<Term>,
    /// The native record of the module by this name, as a literal, with the default value of each field;
    /// [`term::native_record::NO_VALUE`] where there is none.
    pub records: &'a dyn Fn(Term) -> Option<Term>,
    /// If a function of the module, given by name and arity, is only a placeholder for a BIF: that BIF, which is
    /// called instead.
    pub bif: &'a dyn Fn(Term, u32) -> Option<*const Export>,
    /// The export of a BIF of module `erlang`, given by name and arity.
    pub erlang: &'a dyn Fn(Term, u32) -> *const Export,
    /// What the code counts while it runs.
    pub coverage: Option<CoverageMode>,
    /// Whether debuggers may stop processes at its lines.
    pub line_breakpoints: bool,
}

/// If `operation` makes a map from an empty one and all its keys are constants: the keys in the order given. `constant`
/// returns the term of an atom, a literal or an integer.
pub fn constant_keys(
    code: &FileCode,
    operation: &Operation,
    constant: impl Fn(FileOperand) -> Option<Term>,
) -> Option<Vec<Term>> {
    if operation.opcode != Opcode::PutMapAssoc {
        return None;
    }
    let Generic::PutMapAssoc { map, pairs, .. } = code.generic(operation) else {
        return None;
    };
    let FileOperand::Literal(_) = map else {
        return None;
    };
    if constant(map).and_then(Term::map_size) != Some(0) {
        return None;
    }
    pairs
        .chunks_exact(2)
        .map(|pair| constant(pair[0]))
        .collect()
}
