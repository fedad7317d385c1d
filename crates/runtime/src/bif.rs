//! The contract of BIFs, the functions of the language whose bodies are written in Rust (crate `bifs`).
//!
//! A body is a function that takes the process and its arguments and returns a term or a [`Failure`]:
//!
//! ```ignore
//! pub fn element_2(_process: &mut Process, [index, tuple]: [Term; 2]) -> BifResult
//! ```
//!
//! **BIFs never collect.** Results are built on `process.heap()`, which continues in a fragment when
//! it is full, so terms may be held in locals throughout. A BIF whose work is not bounded charges what it
//! did ([`crate::scheduler::charge`]) and traps: it returns [`trap`] with an export and arguments,
//! all on the heap, and is entered again with them.

use layout::{BifFunction, Class, Context, Export, RaiseKind, Term};
use term::{am, build};

use crate::process::Process;
use crate::scheduler::dirty;

/// What a BIF answers.
pub type BifResult = Result<Term, Failure>;

/// Why a BIF has no result.
pub enum Failure {
    /// An exception of class `error`. Its stack trace names the BIF and its arguments.
    Error(Term),
    /// As `Error`; `cause` becomes `#{cause => Cause}` in the trace's `error_info`.
    ErrorBecause { reason: Term, cause: Term },
    /// An exception whose trace shows the caller, not the BIF (`erlang:error/1`): with these
    /// arguments unless they are NONE, and with this map as `error_info` unless it is NONE.
    Raise {
        class: Class,
        reason: Term,
        arguments: Term,
        info: Term,
    },
    /// An exception that goes on with the stack trace it had.
    RaiseWithTrace {
        class: Class,
        reason: Term,
        trace: Term,
    },
    /// Call this instead, with these arguments.
    Trap {
        target: &'static Export,
        arguments: Box<[Term]>,
    },
    /// Wait for a signal, then call the BIF again with the arguments given here.
    Wait { arguments: Box<[Term]> },
    /// Go on with the BIF in the next slice, with the arguments given here.
    Yield { arguments: Box<[Term]> },
    /// Not here: a dirty scheduler is to call the BIF. Only for bodies that are tried first, and only if
    /// nothing has been done yet.
    Dirty,
    /// The process is over; `EXIT_PENDING` is set.
    Exit,
    /// Sleep with an empty stack; go on by calling this.
    Hibernate {
        target: &'static Export,
        arguments: Box<[Term]>,
    },
}

/// Argument `number` (from 1) is of the wrong kind. The number is for the reader of the code: the
/// explanation that people see is worked out by OTP's `erl_*_errors` modules from the arguments.
#[cold]
#[must_use]
pub fn badarg(_number: usize) -> Failure {
    Failure::Error(am::BADARG)
}

/// `badarg` of a function of `erlang` that was entered again with other arguments than it was called with.
#[cold]
#[must_use]
pub fn badarg_as_called(process: &mut Process, function: Term, arguments: &[Term]) -> Failure {
    let heap = process.heap();
    let arguments = build::list(heap, arguments);
    Failure::Raise {
        class: Class::Error,
        reason: am::BADARG,
        arguments: build::tuple(heap, &[am::ERLANG, function, arguments]),
        info: Term::NONE,
    }
}

#[cold]
#[must_use]
pub fn badarith() -> Failure {
    Failure::Error(am::BADARITH)
}

#[cold]
#[must_use]
pub fn system_limit() -> Failure {
    Failure::Error(am::SYSTEM_LIMIT)
}

#[cold]
#[must_use]
pub fn notsup() -> Failure {
    Failure::Error(am::NOTSUP)
}

#[cold]
#[must_use]
pub fn error(reason: Term) -> Failure {
    Failure::Error(reason)
}

/// `badarg` with a cause that OTP's explanations know.
#[cold]
#[must_use]
pub fn badarg_because(cause: Term) -> Failure {
    Failure::ErrorBecause {
        reason: am::BADARG,
        cause,
    }
}

/// Calls an exported function in place of the BIF.
#[must_use]
pub fn trap(module: Term, function: Term, arguments: &[Term]) -> Failure {
    let target = crate::code::exports::get(module, function, arguments.len() as u32);
    Failure::Trap {
        target,
        arguments: arguments.into(),
    }
}

/// Waits for the `{Ref, Result}` that somebody was asked to send, and answers the result.
#[must_use]
pub fn await_result(reference: Term) -> Failure {
    trap(
        am::ERTS_INTERNAL,
        term::atom::known("await_result"),
        &[reference],
    )
}

/// Leaves what is not short to a dirty scheduler; there it is done. For bodies that are tried first.
///
/// # Errors
/// [`Failure::Dirty`].
pub fn dirty_unless(short: bool) -> Result<(), Failure> {
    if short || dirty::is_here() {
        Ok(())
    } else {
        Err(Failure::Dirty)
    }
}

/// `{badmap, Map}`.
pub fn badmap(process: &mut Process, map: Term) -> Failure {
    Failure::Error(build::tuple(process.heap(), &[am::BADMAP, map]))
}

/// `{badkey, Key}`.
pub fn badkey(process: &mut Process, key: Term) -> Failure {
    Failure::Error(build::tuple(process.heap(), &[am::BADKEY, key]))
}

/// One BIF, as the loader finds it; its properties stand at the same place of `isa::bifs::BIFS`.
pub struct BifEntry {
    pub module: &'static str,
    pub name: &'static str,
    pub arity: u8,
    pub function: BifFunction,
}

/// Turns what a body answered into the engine's form.
///
/// # Safety
/// `context` is the running scheduler's.
#[inline]
pub unsafe fn finish(context: *mut Context, result: BifResult) -> Term {
    match result {
        Ok(term) => term,
        // SAFETY: the caller's promise.
        Err(failure) => unsafe { fail(&mut *context, failure) },
    }
}

#[cold]
fn fail(context: &mut Context, failure: Failure) -> Term {
    let raise = &mut context.raise;
    raise.trace = Term::NONE;
    raise.arguments = Term::NONE;
    raise.class = Class::Error;
    let load = |x: &mut [Term], arguments: &[Term]| x[..arguments.len()].copy_from_slice(arguments);
    match failure {
        Failure::Error(reason) => {
            raise.kind = RaiseKind::Exception;
            raise.reason = reason;
        }
        Failure::ErrorBecause { reason, cause } => {
            raise.kind = RaiseKind::Exception;
            raise.reason = reason;
            raise.trace = cause;
        }
        Failure::Raise {
            class,
            reason,
            arguments,
            info,
        } => {
            raise.kind = RaiseKind::Exception;
            raise.class = class;
            raise.reason = reason;
            raise.trace = info;
            // `undefined` stands for "no arguments given": the trace begins with the caller.
            raise.arguments = if arguments.is_none() {
                am::UNDEFINED
            } else {
                arguments
            };
        }
        Failure::RaiseWithTrace {
            class,
            reason,
            trace,
        } => {
            raise.kind = RaiseKind::ExceptionWithTrace;
            raise.class = class;
            raise.reason = reason;
            raise.trace = trace;
        }
        Failure::Trap { target, arguments } => {
            raise.kind = RaiseKind::Trap;
            raise.target = target;
            load(&mut context.x, &arguments);
        }
        Failure::Wait { arguments } => {
            raise.kind = RaiseKind::Wait;
            load(&mut context.x, &arguments);
        }
        Failure::Yield { arguments } => {
            raise.kind = RaiseKind::Yield;
            load(&mut context.x, &arguments);
        }
        Failure::Dirty => {
            unreachable!("a body that is not tried first calls for a dirty scheduler")
        }
        Failure::Exit => raise.kind = RaiseKind::Exit,
        Failure::Hibernate { target, arguments } => {
            raise.kind = RaiseKind::Hibernate;
            raise.target = target;
            load(&mut context.x, &arguments);
        }
    }
    Term::NONE
}
