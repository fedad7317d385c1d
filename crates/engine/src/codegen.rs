//! Translates the generic operations of a module to its code.
//!
//! One pass per function: each operation becomes an instruction (`derived.rs`, if it always is the same), and certain
//! neighbouring operations become a single one ("Fusing", `operations.rs`). What the operations prove about registers
//! meanwhile is in `facts.rs` and `following.rs`. Labels are patched at the end, when all words are written. `beamfile`
//! has already validated the operands, so the only errors left are an operation that this machine does not support, and
//! a name that must be a BIF but is not.

mod bifs;
mod convert;
mod derived;
mod emit;
mod error;
mod facts;
mod following;
mod imports;
mod matching;
mod module;
mod operations;
mod records;
mod recursion;
mod segments;
mod select;
mod terms;

use crate::breakpoints::Breakpoints;
use crate::code::{Code, Function, NOWHERE};
use crate::encoding::{FunctionClause, Nothing};
use crate::{native, slow};
pub use bifs::has_operation;
use emit::{Emitter, Finished};
pub use error::{CodegenError, CodegenErrorKind};
pub use module::{Module, constant_keys};
use recursion::Recursion;

/// Translates a module to code.
///
/// # Errors
/// [`CodegenError`], for an unsupported operation or a missing BIF.
///
/// # Panics
/// If a table of `module` is shorter than that of its file.
pub fn generate(module: &Module<'_>) -> Result<Code, CodegenError> {
    assert!(module.atoms.len() >= module.file.atoms.len());
    assert!(module.imports.len() >= module.file.imports.len());
    assert!(module.funs.len() >= module.file.lambdas.len());
    let strings: Box<[u8]> = module.file.strings().into();
    let mut emitter = Emitter::new(module, &strings);
    let recursion = Recursion::of(module, || emitter.new_label());
    emitter.recursion = recursion;
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
        operations::function(&mut emitter, number, function).map_err(|kind| CodegenError {
            function: format!("{}/{}", module.file.atom(function.name), function.arity),
            kind,
        })?;
    }
    // Never executed in valid code, but an instruction must follow the last one: if that is a call that only raises,
    // its return address points here.
    emitter.instruction(slow::exceptions::end_of_code, Nothing {});
    let whole = |kind| CodegenError {
        function: module.file.module().to_owned(),
        kind,
    };
    if emitter.position() == NOWHERE {
        return Err(whole(CodegenErrorKind::TooLong));
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
    } = finished.map_err(|native::NoRoom| whole(CodegenErrorKind::NoRoom))?;
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
