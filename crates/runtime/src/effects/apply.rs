//! Calls whose function is a value: `Fun(...)`, `apply/2` and `apply/3`.
//!
//! Each function here returns the code to continue at, with the arguments in x0 onwards, or null after raising an
//! error. Only the thread that runs the process calls them.

use std::ptr;
use std::sync::atomic::Ordering;

use layout::limits::X_REGISTERS;
use layout::object::offset;
use layout::{Context, FunEntry, ObjectKind, Term};
use term::{am, build, fun, list};

use crate::code::{exports, modules, purge};
use crate::effects::{error_handler, exception};
use crate::mail::observer;
use crate::mail::observer::observer;
use crate::process::Process;

/// The maximum arity of a function.
const MOST_ARGUMENTS: usize = 255;
/// The most arguments that `apply` accepts; a call with more than [`MOST_ARGUMENTS`] goes to the error handler.
pub const MOST_APPLIED: usize = X_REGISTERS - 1;

/// Calls a fun with the arguments in x0 onwards.
#[inline]
pub fn call_fun(
    process: &mut Process,
    context: &mut Context,
    fun: Term,
    arity: usize,
) -> *const u64 {
    match fun.boxed_kind() {
        Some(ObjectKind::Fun) => {
            let entry = fun::entry(fun);
            call_closure(process, context, fun, entry, arity)
        }
        Some(ObjectKind::Export) => {
            let export = fun::export_entry(fun);
            if export.arity as usize != arity {
                return bad_arity(process, context, fun, arity);
            }
            export.code.load(Ordering::Acquire)
        }
        _ => bad_fun(process, context, fun),
    }
}

#[inline]
fn call_closure(
    process: &mut Process,
    context: &mut Context,
    fun: Term,
    entry: &FunEntry,
    arity: usize,
) -> *const u64 {
    if entry.arity as usize != arity {
        return bad_arity(process, context, fun, arity);
    }
    let mut code = entry.code.load(Ordering::Acquire);
    if code.is_null() {
        if purge::park(process, entry) {
            return wait_for_purge(process, context, fun, entry, arity);
        }
        code = entry.code.load(Ordering::Acquire);
    }
    if !code.is_null() {
        let variables = fun.expect_boxed().terms_from(offset::FUN_FREE);
        for (index, variable) in variables.enumerate() {
            context.x[arity + index] = variable;
        }
        return code;
    }
    if modules::current(entry.module).is_some() {
        // Another version of the fun's module is loaded. The error handler would find the module loaded and
        // call the fun again, without end.
        return bad_fun(process, context, fun);
    }
    let what = [entry.module, fun];
    error_handler::call(process, context, am::UNDEFINED_LAMBDA, what, arity)
}

/// Makes a process that was parked call the fun again, by `erts_code_purger:pending_purge_lambda/3`, when it is
/// resumed.
fn wait_for_purge(
    process: &mut Process,
    context: &mut Context,
    fun: Term,
    entry: &FunEntry,
    arity: usize,
) -> *const u64 {
    let arguments = build::list(process.heap(), &context.x[..arity]);
    context.x[..3].copy_from_slice(&[entry.module, fun, arguments]);
    exports::get(am::ERTS_CODE_PURGER, am::PENDING_PURGE_LAMBDA, 3)
        .code
        .load(Ordering::Acquire)
}

fn bad_fun(process: &mut Process, context: &mut Context, fun: Term) -> *const u64 {
    let reason = build::tuple(process.heap(), &[am::BADFUN, fun]);
    exception::raise_error(context, reason);
    ptr::null()
}

fn bad_arity(process: &mut Process, context: &mut Context, fun: Term, arity: usize) -> *const u64 {
    let heap = process.heap();
    let arguments = build::list(heap, &context.x[..arity]);
    let call = build::tuple(heap, &[fun, arguments]);
    let reason = build::tuple(heap, &[am::BADARITY, call]);
    exception::raise_error(context, reason);
    ptr::null()
}

/// Calls `module:function` with the arguments in x0 onwards.
#[inline]
pub fn apply(
    process: &mut Process,
    context: &mut Context,
    module: Term,
    function: Term,
    arity: usize,
) -> *const u64 {
    if !module.is_atom() || !function.is_atom() {
        let arguments = build::list(process.heap(), &context.x[..arity]);
        return raise(process, context, am::BADARG, &[module, function, arguments]);
    }
    match exports::find(module, function, arity as u32) {
        Some(export) => export.code.load(Ordering::Acquire),
        // No export is made for it: it would stay, whatever names a program computes.
        None if error_handler::is_loaded(process, am::UNDEFINED_FUNCTION) => {
            let what = [module, function];
            error_handler::call(process, context, am::UNDEFINED_FUNCTION, what, arity)
        }
        // The call of an export's stub raises an error that names the function.
        None => exports::get(module, function, arity as u32)
            .code
            .load(Ordering::Acquire),
    }
}

/// Calls `module:function` with the arguments of a list.
pub fn apply_list(
    process: &mut Process,
    context: &mut Context,
    module: Term,
    function: Term,
    arguments: Term,
) -> *const u64 {
    if !module.is_atom() || !function.is_atom() {
        return raise(process, context, am::BADARG, &[module, function, arguments]);
    }
    match spread(context, arguments) {
        Ok(2) if module == am::ERLANG && function == am::APPLY && observer::may_tell_of_calls() => {
            observer().observed_apply()
        }
        Ok(arity) if arity <= MOST_ARGUMENTS => apply(process, context, module, function, arity),
        Ok(arity) => {
            let what = [module, function];
            error_handler::call(process, context, am::UNDEFINED_FUNCTION, what, arity)
        }
        Err(reason) => raise(process, context, reason, &[module, function, arguments]),
    }
}

/// Calls a fun with the arguments of a list.
pub fn apply_fun_list(
    process: &mut Process,
    context: &mut Context,
    fun: Term,
    arguments: Term,
) -> *const u64 {
    match spread(context, arguments) {
        Ok(arity) => call_fun(process, context, fun, arity),
        Err(reason) => raise(process, context, reason, &[fun, arguments]),
    }
}

/// Copies the items of a list into x0.. and returns their number.
///
/// # Errors
/// The reason to raise: `system_limit` for a list that is too long, `badarg` for an improper one.
fn spread(context: &mut Context, arguments: Term) -> Result<usize, Term> {
    let mut count = 0;
    for item in list::items(arguments) {
        let item = item.map_err(|_| am::BADARG)?;
        if count == MOST_APPLIED {
            return Err(am::SYSTEM_LIMIT);
        }
        context.x[count] = item;
        count += 1;
    }
    Ok(count)
}

/// Raises an error in `apply/2,3`; the stack trace names `erlang:apply` with these arguments.
fn raise(
    process: &mut Process,
    context: &mut Context,
    reason: Term,
    arguments: &[Term],
) -> *const u64 {
    exception::raise_error(context, reason);
    let heap = process.heap();
    let arguments = build::list(heap, arguments);
    context.abrupt.arguments = build::tuple(heap, &[am::ERLANG, am::APPLY, arguments]);
    ptr::null()
}
