//! Translates the generic operations of a module to its code.
//!
//! One pass per function: each operation becomes an instruction (`derived.rs`, if it always is the same), and certain
//! neighbouring operations become a single one ("Fusing", `operations.rs`). What the operations prove about registers meanwhile is in `facts.rs`. Labels are patched at the end, when all words are written. `beamfile` has already
//! validated the operands, so the only errors left are an operation that this machine does not support, and a name
//! that must be a BIF but is not.

mod bifs;
mod derived;
mod emit;
mod facts;
mod matching;
mod operations;
mod records;
mod recursion;
mod segments;
mod select;
mod terms;

use std::fmt;

use beamfile::{Code as FileCode, Generic, Operand as FileOperand, Operation};
use isa::Opcode;
use layout::{Export, FunEntry, Term};

use crate::breakpoints::Breakpoints;
use crate::code::{Code, Function, LineTable, NOWHERE, Words};
use crate::coverage::{Coverage, CoverageMode};
use crate::encoding::{FunctionClause, Nothing};
use crate::line_breakpoints::LineBreakpoints;
use crate::{native, slow};
pub use bifs::has_operation;
use emit::Emitter;
use recursion::Recursion;

/// A decoded file, and what the indexes in it stand for on this node.
pub struct Module<'a> {
    pub file: &'a beamfile::BeamFile,
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

/// Why a module could not be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// The function in which the error was found, as `name/arity`.
    pub function: String,
    pub kind: AssembleErrorKind,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssembleErrorKind {
    /// An operation that is not supported: it belongs to a later release, or to files that are too old.
    Unsupported(Opcode),
    /// An operation needs a BIF of this name, but there is none.
    NoBif {
        module: String,
        function: String,
        arity: u8,
    },
    /// An invalid operand for its operation, by the operand's name.
    BadOperand {
        opcode: Opcode,
        operand: &'static str,
    },
    /// More than 4 Gi words.
    TooLong,
    /// The memory range in which code must lie is full.
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
                write!(
                    f,
                    "operation {} has a bad operand `{operand}`",
                    opcode.name()
                )
            }
            AssembleErrorKind::TooLong => write!(f, "the code is too long"),
            AssembleErrorKind::NoRoom => write!(f, "no memory is left for code"),
        }
    }
}

impl std::error::Error for AssembleError {}

/// Translates a module to code.
///
/// # Errors
/// [`AssembleError`], for an unsupported operation or a missing BIF.
///
/// # Panics
/// If a table of `module` is shorter than that of its file.
pub fn assemble(module: &Module<'_>) -> Result<Code, AssembleError> {
    assert!(module.atoms.len() >= module.file.atoms.len());
    assert!(module.imports.len() >= module.file.imports.len());
    assert!(module.funs.len() >= module.file.lambdas.len());
    let strings: Box<[u8]> = module.file.strings().into();
    let mut emitter = Emitter::new(module, &strings);
    emitter.recursion = Recursion::of(&mut emitter);
    let mut functions = Vec::with_capacity(module.code.functions.len());
    for (number, function) in module.code.functions.iter().enumerate() {
        let start = emitter.position();
        functions.push(Function {
            module: module.atoms[function.module as usize],
            function: module.atoms[function.name as usize],
            arity: u32::from(function.arity),
            start,
        });
        emitter.line(function.line);
        emitter.define(function.info_label);
        let name = module.atoms[function.name as usize];
        emitter.instruction(
            slow::exceptions::function_clause,
            FunctionClause {
                module: module.atoms[function.module as usize],
                function: name,
                first: 0,
                arity: u64::from(function.arity),
            },
        );
        if let Some(export) = (module.bif)(name, u32::from(function.arity)) {
            emitter.define(function.entry_label);
            bifs::stub(&mut emitter, export);
            continue;
        }
        operations::function(&mut emitter, number, function).map_err(|kind| AssembleError {
            function: format!("{}/{}", module.file.atom(function.name), function.arity),
            kind,
        })?;
    }
    // Never executed in valid code, but an instruction must follow the last one: if that is a call that only raises,
    // its return address points here.
    emitter.instruction(slow::exceptions::end_of_code, Nothing {});
    let whole = |kind| AssembleError {
        function: module.file.module().to_owned(),
        kind,
    };
    if emitter.position() == NOWHERE {
        return Err(whole(AssembleErrorKind::TooLong));
    }
    let first_handlers = functions
        .iter()
        .map(|function: &Function| emitter.word_at(function.entry()))
        .collect();
    let finished = emitter.finish(&functions);
    let Finished {
        words,
        labels,
        lines,
        on_load,
        coverage,
        line_breakpoints,
    } = finished.map_err(|native::NoRoom| whole(AssembleErrorKind::NoRoom))?;
    Ok(Code {
        module: module.atoms[0],
        words,
        strings,
        functions: functions.into(),
        labels,
        lines,
        on_load,
        coverage,
        line_breakpoints,
        first_handlers,
        breakpoints: Breakpoints::default(),
    })
}

/// What an emitter returns at the end.
struct Finished {
    words: Words,
    labels: Box<[u32]>,
    lines: LineTable,
    /// The position of the function that is run when the module is loaded.
    on_load: Option<u32>,
    coverage: Option<Coverage>,
    line_breakpoints: Option<LineBreakpoints>,
}
