//! What code is made from: a decoded file, and what the indexes in it stand for on this node.

use std::collections::HashMap;
use std::ops::Range;

use beamfile::{BeamError, BeamFile};
use engine::CoverageMode;
use engine::codegen::{CallSite, CodegenErrorKind};
use layout::{Export, FunEntry, Term, no_gc};
use term::native_record::{self, Definition};

use super::exports;
use super::load_error::LoadError;

/// A file, and what its indexes stand for. The terms live as long as the module's literals.
pub(super) struct Source<'a> {
    pub(super) file: BeamFile<'a>,
    pub(super) known: Known,
}

/// What the indexes in a file stand for on this node, and what else its translation depends on.
pub(super) struct Known {
    pub(super) atoms: Vec<Term>,
    /// The literals of the file, and behind them terms that its operations need besides.
    pub(super) terms: Vec<Term>,
    /// The index in `terms` of an integer that is not small, by its bytes.
    pub(super) big_integers: HashMap<Vec<u8>, usize>,
    /// The index in `terms` of the sorted keys of a map, by the offset of the operation that makes it.
    pub(super) map_keys: HashMap<u32, usize>,
    /// The native records that the file defines: see `Loaded::records`.
    pub(super) records: Vec<Term>,
    /// What the code counts while it runs.
    pub(super) coverage: Option<CoverageMode>,
    /// Whether debuggers may stop processes at its lines.
    pub(super) line_breakpoints: bool,
    pub(super) imports: Vec<*const Export>,
    pub(super) funs: Vec<*const FunEntry>,
}

/// How all functions are translated: [`engine::generate`], or [`engine::generate_threaded`].
pub(super) type Generate = fn(&engine::Module<'_>) -> Result<engine::Code, engine::CodegenError>;

// SAFETY: exports and fun entries are never freed, and made to be shared; the rest is never written.
unsafe impl Send for Source<'_> {}
// SAFETY: as above.
unsafe impl Sync for Source<'_> {}

impl<'a> Source<'a> {
    /// Calls `translate` with the module that this code, of the file, is of.
    fn with_module<R>(
        &self,
        code: &beamfile::Code,
        translate: impl FnOnce(&engine::Module<'_>) -> R,
    ) -> R {
        let known = &self.known;
        translate(&engine::Module {
            file: &self.file,
            code,
            atoms: &known.atoms,
            literals: &known.terms[..self.file.literals.len()],
            imports: &known.imports,
            funs: &known.funs,
            integer: &|bytes| known.terms[known.big_integers[bytes]],
            records: &|name| {
                let mut records = known.records.iter().copied();
                records.find(|record| record_name(*record) == name)
            },
            map_keys: &|operation| Some(known.terms[*known.map_keys.get(&operation.offset)?]),
            bif: &|function, arity| {
                let export = exports::find(known.atoms[0], function, arity)?;
                export.bif.is_some().then_some(std::ptr::from_ref(export))
            },
            erlang: &|function, arity| exports::get(term::am::ERLANG, function, arity),
            coverage: known.coverage,
            line_breakpoints: known.line_breakpoints,
        })
    }

    /// The code of all functions.
    pub(super) fn generate(&self, code: &beamfile::Code) -> Result<engine::Code, LoadError> {
        let (code, _) = self.generate_with_calls(code, engine::generate)?;
        Ok(code)
    }

    fn generate_with_calls(
        &self,
        code: &beamfile::Code,
        generate: Generate,
    ) -> Result<(engine::Code, Vec<CallSite>), LoadError> {
        let generated = self.with_module(code, generate);
        let mut code = generated.map_err(error_of)?;
        let calls = code.take_calls();
        Ok((code, calls))
    }

    /// Forgets what functions that are translated one by one do not need; borrows nothing.
    pub(super) fn for_functions(self) -> Source<'static> {
        Source {
            file: self.file.for_functions(),
            known: self.known,
        }
    }

    /// The outline of the module.
    pub(super) fn outline(&self, code: &beamfile::Code) -> Result<engine::Outline, LoadError> {
        self.with_module(code, engine::Outline::new)
            .map_err(error_of)
    }

    /// The code of all functions of a module that was outlined, and their calls.
    pub(super) fn generate_again(
        &self,
        generate: Generate,
    ) -> Result<(engine::Code, Vec<CallSite>), LoadError> {
        let code = self.file.decode().map_err(LoadError::File)?;
        self.generate_with_calls(&code, generate)
    }

    /// Makes the code of one function.
    pub(super) fn translate<R>(
        &self,
        extent: Range<u32>,
        translate: impl FnOnce(&engine::Module<'_>) -> R,
    ) -> Result<R, BeamError> {
        let code = self.file.decode_function(extent)?;
        Ok(self.with_module(&code, translate))
    }
}

fn error_of(error: engine::CodegenError) -> LoadError {
    match error.kind {
        CodegenErrorKind::NoRoom => LoadError::NoRoom,
        _ => LoadError::Code(error),
    }
}

fn record_name(record: Term) -> Term {
    Definition::of(native_record::definition(record), no_gc!()).name
}
