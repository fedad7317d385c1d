//! Calls of the error handler: the module (`error_handler`, unless the process has set another) whose functions are
//! called in place of functions that cannot be called directly.

use std::ptr;
use std::sync::atomic::Ordering;

use layout::{Context, Export, Term};
use term::{am, build};

use crate::code::exports;
use crate::effects::exception;
use crate::process::Process;

/// Prepares a call of the error handler's function `why/3` in place of a call with `arity` arguments in x0 onwards.
/// Puts `what` (the module, and the function or fun) and the list of the arguments into x0..x2, and returns the
/// handler's code. Without an error handler, raises `undef` and returns null.
pub(crate) fn call(
    process: &mut Process,
    context: &mut Context,
    why: Term,
    what: [Term; 2],
    arity: usize,
) -> *const u64 {
    let Some(handler) = function(process, why, 3) else {
        exception::raise_error(context, am::UNDEF);
        return ptr::null();
    };
    let arguments = build::list(process.heap(), &context.x[..arity]);
    [context.x[0], context.x[1]] = what;
    context.x[2] = arguments;
    handler.code.load(Ordering::Acquire)
}

/// Whether the process has an error handler with the function `why/3`.
pub(crate) fn is_loaded(process: &Process, why: Term) -> bool {
    function(process, why, 3).is_some()
}

/// The function `name/arity` of the process's error handler module, if it is loaded.
fn function(process: &Process, name: Term, arity: u32) -> Option<&'static Export> {
    let module = process
        .existing_extras()
        .and_then(|extras| extras.error_handler)
        .unwrap_or(am::ERROR_HANDLER);
    exports::find(module, name, arity).filter(|export| exports::is_loaded(export))
}
