//! From the generic operations of a module to its code.
//!
//! One pass per function: each operation becomes an instruction, obvious neighbours become one ("Fusing",
//! `operations.rs`); labels are patched at the end, when the words no longer move. Operands were proven by `beamfile`, so
//! what can go wrong here is an operation that this machine does not know, and a name that is no BIF where one must be.

mod bifs;
mod emit;
mod operations;
mod select;
mod terms;

use std::fmt;

use beamfile::{Code as FileCode, Operand as FileOperand, Operation, Span};
use isa::Opcode;
use layout::{Export, FunEntry, Term};

use crate::breakpoints::Breakpoints;
use crate::code::{Code, Function, LineTable, NOWHERE, Words};
use crate::{native, slow};
use emit::Emitter;

/// A decoded file and what its indexes mean on this node.
pub struct Module<'a> {
    pub file: &'a beamfile::BeamFile,
    pub code: &'a FileCode,
    /// By index of atom.
    pub atoms: &'a [Term],
    /// By index of literal: terms that live as long as the code.
    pub literals: &'a [Term],
    /// By index of import: live for ever.
    pub imports: &'a [*const Export],
    /// By index of lambda: live for ever.
    pub funs: &'a [*const FunEntry],
    /// Makes a literal of an integer that is not small, from its big-endian two's complement.
    pub integer: &'a dyn Fn(&[u8]) -> Term,
    /// The keys, as a literal tuple in the order of a map, of an operation that makes a map of constant keys; found by
    /// the list of its pairs. See [`constant_keys`].
    pub map_keys: &'a dyn Fn(Span) -> Option<Term>,
    /// The BIF that a function of the module, by name and arity, only stands for: it is called instead.
    pub bif: &'a dyn Fn(Term, u32) -> Option<*const Export>,
}

/// The keys, where an operation makes a map from nothing and all of them are immediates or literals, in the order in which
/// they are given, and the list that tells the operation. `constant` answers the term of an atom, a literal or an integer.
pub fn constant_keys(
    code: &FileCode,
    operation: &Operation,
    constant: impl Fn(FileOperand) -> Option<Term>,
) -> Option<(Span, Vec<Term>)> {
    if operation.opcode != Opcode::PutMapAssoc {
        return None;
    }
    let operands = code.operands(operation);
    let (FileOperand::Literal(_), FileOperand::List(pairs)) = (operands[1], operands[4]) else {
        return None;
    };
    if constant(operands[1]).and_then(Term::map_size) != Some(0) {
        return None;
    }
    let keys = code
        .list(pairs)
        .chunks_exact(2)
        .map(|pair| constant(pair[0]));
    Some((pairs, keys.collect::<Option<_>>()?))
}

/// Why a module cannot be brought into code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// The function in which it was found, as `name/arity`.
    pub function: String,
    pub kind: AssembleErrorKind,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssembleErrorKind {
    /// An operation that is not executed: of a later release, or of files too old.
    Unsupported(Opcode),
    /// An operation asks for a BIF of this name, and there is none.
    NoBif {
        module: String,
        function: String,
        arity: u8,
    },
    /// An operand that its operation cannot have, by its place.
    BadOperand { opcode: Opcode, operand: u8 },
    /// More than 4 Gi words.
    TooLong,
    /// There is no memory for code left, where code must lie.
    NoRoom,
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {}: ", self.function)?;
        match &self.kind {
            AssembleErrorKind::Unsupported(opcode) => {
                write!(f, "operation {} is not supported", opcode.name())
            }
            AssembleErrorKind::NoBif {
                module,
                function,
                arity,
            } => write!(f, "{module}:{function}/{arity} is no BIF"),
            AssembleErrorKind::BadOperand { opcode, operand } => {
                write!(f, "operation {} has a bad operand {operand}", opcode.name())
            }
            AssembleErrorKind::TooLong => write!(f, "the code is too long"),
            AssembleErrorKind::NoRoom => write!(f, "no memory for code is left"),
        }
    }
}

impl std::error::Error for AssembleError {}

/// Brings a module into code.
///
/// # Errors
/// [`AssembleError`], for an operation that is not executed or a BIF that is not there.
///
/// # Panics
/// If a table of `module` is shorter than that of its file.
pub fn assemble(module: &Module<'_>) -> Result<Code, AssembleError> {
    assert!(module.atoms.len() >= module.file.atoms.len());
    assert!(module.imports.len() >= module.file.imports.len());
    assert!(module.funs.len() >= module.file.lambdas.len());
    let strings: Box<[u8]> = module.file.strings().into();
    let mut emitter = Emitter::new(module, &strings);
    let mut functions = Vec::with_capacity(module.code.functions.len());
    for function in &module.code.functions {
        let start = emitter.position();
        functions.push(Function {
            module: module.atoms[function.module as usize],
            function: module.atoms[function.name as usize],
            arity: u32::from(function.arity),
            start,
        });
        emitter.line(function.line);
        emitter.define(function.info_label);
        emitter.handler(slow::exceptions::function_clause);
        emitter.term(module.atoms[function.module as usize]);
        emitter.term(module.atoms[function.name as usize]);
        emitter.word(u64::from(function.arity));
        let name = module.atoms[function.name as usize];
        if let Some(export) = (module.bif)(name, u32::from(function.arity)) {
            emitter.define(function.entry_label);
            emitter.handler(slow::bifs::call_bif_stub);
            emitter.word(export as u64);
            continue;
        }
        operations::function(&mut emitter, function).map_err(|kind| AssembleError {
            function: format!("{}/{}", module.file.atom(function.name), function.arity),
            kind,
        })?;
    }
    // What no return address points to, but the word behind the last instruction is read as one.
    emitter.handler(slow::exceptions::end_of_code);
    let whole = |kind| AssembleError {
        function: module.file.module().to_owned(),
        kind,
    };
    if emitter.position() == NOWHERE {
        return Err(whole(AssembleErrorKind::TooLong));
    }
    let finished = emitter.finish();
    let (words, labels, lines, on_load) =
        finished.map_err(|native::NoRoom| whole(AssembleErrorKind::NoRoom))?;
    Ok(Code {
        module: module.atoms[0],
        words,
        strings,
        functions: functions.into(),
        labels,
        lines,
        on_load,
        breakpoints: Breakpoints::default(),
    })
}

/// What an emitter leaves: words, labels, lines and the place of `on_load`.
type Finished = (Words, Box<[u32]>, LineTable, Option<u32>);
