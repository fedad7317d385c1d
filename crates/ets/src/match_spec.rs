//! Match specifications: `[{Head, Guards, Body}, ...]`, compiled to a small program and run on terms.
//!
//! ```text
//! compile:  pattern (heads -> tests), expression (guards and bodies -> operations)
//! run:      flat (specifications that need no program), interpreter (tests and operations),
//!           functions (what expressions may call), arena (temporary terms)
//! ```
//!
//! A program is constant data that any thread may run; each run has a [`Interpreter`] of its own. Nothing here
//! recurses, however deep patterns, expressions and subjects are. Specifications of tracing have more functions than
//! those of tables (`tracing`).

mod arena;
mod expression;
pub(crate) mod flat;
mod functions;
mod interpreter;
mod lint;
pub(crate) mod pattern;
pub(crate) mod replace_check;
mod tracing;

use std::cell::RefCell;
use std::sync::Arc;

use layout::kinds::MagicReference;
use layout::{Heap, Term};
use term::heap::Scratch;
use term::off_heap::MagicBlock;
use term::{build, list, reference};

use crate::OwnedObject;
use expression::Operation;
pub use interpreter::Interpreter;
use lint::Lint;
use pattern::Test;
pub use tracing::{Action, Dialect, Effects};

/// A clause's head, guards and body as given.
pub(crate) type Source = [Term; 3];

/// The term is not a match specification; the caller gets `badarg`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Invalid;

/// Tests and operations that cost as much as one reduction.
const STEPS_PER_REDUCTION: usize = 64;

/// A compiled match specification.
pub struct Program {
    /// The number in the references that hold the program.
    number: u64,
    clauses: Box<[Clause]>,
    /// A tuple of the terms that tests and operations name by index. It does not count as memory of tables.
    constants: Option<OwnedObject>,
    /// Maximum number of variables of a clause.
    variables: usize,
    /// Maximum number of levels of a head.
    registers: usize,
    /// Maximum number of maps and map values of a head.
    cells: usize,
}

thread_local! {
    /// Constants of programs that are being dropped; `None` if no program is.
    static DROPPED: RefCell<Option<Vec<OwnedObject>>> = const { RefCell::new(None) };
}

impl Drop for Program {
    /// A constant may be a reference to another program, whose constants refer to a third one, and so on. Their
    /// constants are dropped one after the other, because recursion would overflow the stack.
    fn drop(&mut self) {
        let Some(constants) = self.constants.take() else {
            return;
        };
        constants.count_again();
        let is_first = DROPPED.with_borrow_mut(|dropped| {
            let is_first = dropped.is_none();
            dropped.get_or_insert_default().push(constants);
            is_first
        });
        let next = || DROPPED.with_borrow_mut(|dropped| dropped.as_mut().and_then(Vec::pop));
        if is_first {
            while let Some(constants) = next() {
                drop(constants);
            }
            DROPPED.set(None);
        }
    }
}

struct Clause {
    tests: Box<[Test]>,
    guards: Box<[Operation]>,
    body: Box<[Operation]>,
}

/// The clauses of a specification, as terms.
///
/// # Errors
/// If it is not a proper list of triples.
pub fn sources(specification: Term) -> Result<Vec<Source>, Invalid> {
    let mut sources = Vec::new();
    for clause in list::items(specification) {
        let Some([head, guards, body]) = clause.map_err(|_| Invalid)?.as_tuple_of() else {
            return Err(Invalid);
        };
        sources.push([head, guards, body]);
    }
    Ok(sources)
}

impl Program {
    /// Compiles clauses.
    ///
    /// # Errors
    /// If one of them is invalid.
    pub fn compile(sources: &[Source]) -> Result<Program, Invalid> {
        Program::compile_with(sources, &mut Lint::silent(), Dialect::Table)
    }

    /// Compiles a specification of tracing.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn compile_tracing(specification: Term, dialect: Dialect) -> Result<Program, Invalid> {
        let mut lint = Lint::silent();
        let sources = lint::sources(specification, &mut lint)?;
        Program::compile_with(&sources, &mut lint, dialect)
    }

    fn compile_with(
        sources: &[Source],
        lint: &mut Lint,
        dialect: Dialect,
    ) -> Result<Program, Invalid> {
        let mut scratch = Scratch::new();
        let mut constants = Constants::default();
        let mut program = Program {
            number: reference::fresh_number(),
            clauses: Box::default(),
            constants: None,
            variables: 0,
            registers: 0,
            cells: 0,
        };
        let mut clauses = Vec::with_capacity(sources.len());
        for &[head, guards, body] in sources {
            let head = match dialect.is_tracing() {
                true => tracing::arguments(head, scratch.heap(), lint)?,
                false => head,
            };
            let head = pattern::compile(head, &mut constants, lint)?;
            program.variables = program.variables.max(head.variables.count());
            program.registers = program.registers.max(head.registers);
            program.cells = program.cells.max(head.cells);
            let mut context = expression::Context {
                variables: &head.variables,
                constants: &mut constants,
                scratch: scratch.heap(),
                lint: &mut *lint,
                dialect,
            };
            let guards = expression::guards(guards, &mut context)?;
            let body = expression::body(body, &mut context)?;
            // The complaints about one clause are enough to read.
            lint.is_clean()?;
            let tests = head.tests.into_boxed_slice();
            clauses.push(Clause {
                tests,
                guards: guards.into(),
                body: body.into(),
            });
        }
        program.clauses = clauses.into();
        program.constants = constants.into_object(scratch.heap());
        Ok(program)
    }

    /// What a run on one object may cost, in reductions.
    #[must_use]
    pub fn cost(&self) -> i64 {
        let size = |clause: &Clause| clause.tests.len() + clause.guards.len() + clause.body.len();
        1 + (self.clauses.iter().map(size).sum::<usize>() / STEPS_PER_REDUCTION) as i64
    }

    /// The number of the references that hold the program.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The terms that the program holds.
    #[must_use]
    pub fn constants(&self) -> &[Term] {
        self.constants
            .as_ref()
            .map_or(&[], |held| held.get().elements())
    }

    /// A constant by index.
    #[inline]
    fn constant(&self, index: u32) -> Term {
        self.constants
            .as_ref()
            .expect("a program with constants")
            .get()
            .elements()[index as usize]
    }
}

/// Compiles a specification, and reports what is wrong with it.
///
/// # Errors
/// The complaints, if it is invalid.
pub fn compile_aloud(specification: Term, dialect: Dialect) -> Result<Program, Vec<String>> {
    let mut lint = Lint::aloud();
    let compiled = lint::sources(specification, &mut lint)
        .and_then(|sources| Program::compile_with(&sources, &mut lint, dialect));
    compiled.map_err(|Invalid| lint.into_complaints())
}

/// Terms that a program holds; while the program is compiled, they belong to the caller.
#[derive(Default)]
pub(crate) struct Constants(Vec<Term>);

impl Constants {
    /// Adds a term; returns its index.
    fn add(&mut self, term: Term) -> u32 {
        self.0.push(term);
        u32::try_from(self.0.len() - 1).expect("fewer constants than words of memory")
    }

    fn into_object(self, scratch: &mut Heap) -> Option<OwnedObject> {
        (!self.0.is_empty()).then(|| {
            let object = OwnedObject::new(build::tuple(scratch, &self.0), 0);
            object.count_no_more();
            object
        })
    }
}

/// A reference that holds a program.
pub fn to_term(heap: &mut Heap, program: Arc<Program>) -> Term {
    let number = program.number;
    let block = MagicBlock::new(Box::new(program));
    // SAFETY: the block's one count is handed over.
    unsafe { build::magic_reference(heap, number, reference::OBJECT, block) }
}

/// The program that a reference holds.
#[must_use]
pub fn from_term(term: Term) -> Option<Arc<Program>> {
    let block = MagicReference::of(term)?.block().cast::<MagicBlock>();
    // SAFETY: a magic reference keeps its block alive.
    unsafe { (*block).get::<Arc<Program>>() }.cloned()
}

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
