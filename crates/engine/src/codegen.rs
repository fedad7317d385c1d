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

use spec::Opcode;

use crate::breakpoints::Breakpoints;
use crate::code::{Code, Function, NOWHERE};
use crate::encoding::{FunctionClause, Nothing};
use crate::{native, slow};
pub use bifs::has_operation;
pub use emit::CallSite;
use emit::{Emitter, Finished};
pub(crate) use emit::{LabelOf, Unplaced};
pub use error::{CodegenError, CodegenErrorKind};
pub use module::{Module, constant_keys};
use recursion::Recursion;

/// Translates the only function of the module's code, which calls the module's functions by their entries
/// ([`LabelOf::Entry`]). What works for all functions together, as [`recursion`] does, is left out.
pub(crate) fn translate_one(module: &Module<'_>, strings: &[u8]) -> Result<Unplaced, CodegenError> {
    let mut emitter = Emitter::of_one(module, strings);
    function(&mut emitter, module, 0)?;
    emitter.instruction(slow::exceptions::end_of_code, Nothing {});
    Ok(emitter.finish_one())
}

/// Finds those errors of [`generate`] that the file's own tables do not show: a BIF that is missing, which a later
/// release has, and a native record that the module makes and does not define.
pub(crate) fn check(module: &Module<'_>) -> Result<(), CodegenError> {
    let code = module.code;
    for function in &code.functions {
        for operation in code.body(function) {
            let checked = match operation.opcode {
                Opcode::PutRecord => records::check(module, code.generic(operation)),
                opcode if opcode.calls_guard_bif() => bifs::check(module, code.generic(operation)),
                _ => Ok(()),
            };
            checked.map_err(|kind| error_in(module, function, kind))?;
        }
    }
    Ok(())
}

fn error_in(
    module: &Module<'_>,
    function: &beamfile::Function,
    kind: CodegenErrorKind,
) -> CodegenError {
    CodegenError {
        function: format!("{}/{}", module.file.atom(function.name), function.arity),
        kind,
    }
}

/// Writes `func_info` and the body of the function at this place in the module's code.
fn function(
    emitter: &mut Emitter<'_>,
    module: &Module<'_>,
    place: usize,
) -> Result<(), CodegenError> {
    let function = &module.code.functions[place];
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
        bifs::stub(emitter, export);
        return Ok(());
    }
    operations::function(emitter, place, function).map_err(|kind| error_in(module, function, kind))
}

/// Translates a module to code.
///
/// # Errors
/// [`CodegenError`], for an unsupported operation or a missing BIF.
///
/// # Panics
/// If a table of `module` is shorter than that of its file.
pub fn generate(module: &Module<'_>) -> Result<Code, CodegenError> {
    generate_as(module, true)
}

/// As [`generate`], but the code never gets machine code, and can lie anywhere.
///
/// # Errors
/// As [`generate`].
pub fn generate_threaded(module: &Module<'_>) -> Result<Code, CodegenError> {
    generate_as(module, false)
}

fn generate_as(module: &Module<'_>, is_placed: bool) -> Result<Code, CodegenError> {
    assert!(module.atoms.len() >= module.file.atoms.len());
    assert!(module.imports.len() >= module.file.imports.len());
    assert!(module.funs.len() >= module.file.lambdas.len());
    let strings: Box<[u8]> = module.file.strings().into();
    let mut emitter = Emitter::new(module, &strings);
    let recursion = Recursion::of(module, || emitter.new_label());
    emitter.recursion = recursion;
    let mut functions = Vec::with_capacity(module.code.functions.len());
    for (place, named) in module.code.functions.iter().enumerate() {
        functions.push(Function {
            module: module.atoms[named.module as usize],
            function: module.atoms[named.name as usize],
            arity: u32::from(named.arity),
            start: emitter.position(),
        });
        function(&mut emitter, module, place)?;
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
    let finished = emitter.finish(&functions, is_placed);
    let Finished {
        words,
        labels,
        lines,
        calls,
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
        calls,
        on_load,
        coverage,
        line_breakpoints,
        first_handlers,
        breakpoints: Breakpoints::default(),
    })
}
