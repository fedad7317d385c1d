//! The contract of BIFs, the functions of the language whose bodies are written in Rust (crate `bifs`).
//!
//! `spec::bifs` has a row for each BIF. The body is a function in the file of its module, named `name_arity`. It takes
//! the process and the arguments, and returns a term or the reason why there is none:
//!
//! ```ignore
//! pub fn element_2(_process: &mut Process, [index, tuple]: [Term; 2]) -> BifResult
//! ```
//!
//! **BIFs never collect.** Results are built on `process.heap()`, which continues in a heap fragment when the heap is
//! full, so terms may be held in locals throughout. A BIF that would run long charges the work it has done
//! ([`crate::mail::current::charge`]) and traps: it returns [`trap`] with an export and the arguments to re-enter with,
//! all of them on the heap.

use layout::{AbruptKind, Class, Context, Export, Term};
use term::{am, build};

use crate::process::Process;

/// The result of a BIF.
pub type BifResult = Result<Term, Failure>;

/// Why a BIF returned no term.
pub enum Failure {
    /// An exception of class `error`. Its stack trace names the BIF and its arguments.
    Error(Term),
    /// As `Error`; `cause` becomes `#{cause => Cause}` in the trace's `error_info`.
    ErrorBecause { reason: Term, cause: Term },
    /// An exception whose trace shows the caller, not the BIF (`erlang:error/1`). The trace shows `arguments` unless
    /// they are NONE, and has `info`, a map, as `error_info` unless it is NONE.
    Raise {
        class: Class,
        reason: Term,
        arguments: Term,
        info: Term,
    },
    /// An exception that keeps the stack trace it already has.
    RaiseWithTrace {
        class: Class,
        reason: Term,
        trace: Term,
    },
    /// Call `target` instead, with these arguments.
    Trap {
        target: &'static Export,
        arguments: Box<[Term]>,
    },
    /// Wait for a signal, then call the BIF again with the arguments given here.
    Wait { arguments: Box<[Term]> },
    /// Continue the BIF in the next slice, with the arguments given here.
    Yield { arguments: Box<[Term]> },
    /// Call the BIF again in the next slice with the same arguments; nothing has been done yet. Not for guard BIFs.
    Again,
    /// The BIF must run on a dirty scheduler; nothing has been done yet. Only for bodies that are tried first on the
    /// caller's scheduler.
    Dirty,
    /// The process has ended; `EXIT_PENDING` is set.
    Exit,
    /// Hibernate with an empty stack; continue by calling `target`.
    Hibernate {
        target: &'static Export,
        arguments: Box<[Term]>,
    },
}

/// Argument `number` (from 1) is invalid. The number only documents the code: OTP's `erl_*_errors` modules work out
/// from the arguments the explanation that users see.
#[cold]
#[must_use]
pub fn badarg(_number: usize) -> Failure {
    Failure::Error(am::BADARG)
}

/// `badarg` for a function that was re-entered with other arguments than those of the original call. The trace shows
/// `arguments`.
#[cold]
#[must_use]
pub fn badarg_as_called(
    process: &mut Process,
    (module, function): (Term, Term),
    arguments: &[Term],
) -> Failure {
    let heap = process.heap();
    let arguments = build::list(heap, arguments);
    Failure::Raise {
        class: Class::Error,
        reason: am::BADARG,
        arguments: build::tuple(heap, &[module, function, arguments]),
        info: Term::NONE,
    }
}

#[cold]
#[must_use]
pub fn badarith() -> Failure {
    Failure::Error(am::BADARITH)
}

/// Whether the node has memory for a result of so many bytes that is built in one go: for sizes that a program chose.
/// What is not large always has.
///
/// # Errors
/// `system_limit`, if the result would take the node beyond its budget.
#[inline]
pub fn room_for(bytes: usize) -> Result<(), Failure> {
    match sys::memory::budget::allows(bytes) {
        true => Ok(()),
        false => Err(system_limit()),
    }
}

/// Whether the node has memory for a copy of a term of the process, which is about to be made. The term is measured
/// only if the process's heap is not small beside what the node may still grow by.
///
/// # Errors
/// `system_limit`, as [`room_for`].
#[inline]
pub fn room_for_copy(process: &Process, term: Term) -> Result<(), Failure> {
    use sys::memory::budget;
    let Some(room) = budget::room_lately() else {
        return Ok(());
    };
    let heap = term::gc::total_words(&process.head.heap) * 8;
    if heap < budget::LARGE_BYTES || (heap as u64) < room / 4 {
        return Ok(());
    }
    room_for(term::copy::size(term) * 8)
}

/// Whether the node has memory for one more link, monitor or alias of a process. The lists of relations grow by
/// doubling, and that of the process or port at the other end may grow just as much.
///
/// # Errors
/// `system_limit`, as [`room_for`].
#[inline]
pub fn room_for_relation(process: &Process) -> Result<(), Failure> {
    room_for(process.relations.growth_bytes() * 2)
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

/// `badarg` with a cause that OTP's explanations recognize.
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

/// Waits for the requested `{Ref, Result}` message and returns the result.
#[must_use]
pub fn await_result(reference: Term) -> Failure {
    trap(
        am::ERTS_INTERNAL,
        term::atom::known("await_result"),
        &[reference],
    )
}

/// Hands a call that is not `short` over to a dirty scheduler, unless this thread is one. For bodies that are tried
/// first on the caller's scheduler.
///
/// # Errors
/// [`Failure::Dirty`].
pub fn dirty_unless(short: bool) -> Result<(), Failure> {
    if short || crate::mail::dirty::is_here() {
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

/// Converts the result of a body to the engine's form.
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
    let raise = &mut context.abrupt;
    raise.trace = Term::NONE;
    raise.arguments = Term::NONE;
    raise.class = Class::Error;
    let load = |x: &mut [Term], arguments: &[Term]| x[..arguments.len()].copy_from_slice(arguments);
    match failure {
        Failure::Error(reason) => {
            raise.kind = AbruptKind::Exception;
            raise.reason = reason;
        }
        Failure::ErrorBecause { reason, cause } => {
            raise.kind = AbruptKind::Exception;
            raise.reason = reason;
            raise.trace = cause;
        }
        Failure::Raise {
            class,
            reason,
            arguments,
            info,
        } => {
            raise.kind = AbruptKind::Exception;
            raise.class = class;
            raise.reason = reason;
            raise.trace = info;
            // `undefined` means that no arguments were given: the trace begins with the caller.
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
            raise.kind = AbruptKind::ExceptionWithTrace;
            raise.class = class;
            raise.reason = reason;
            raise.trace = trace;
        }
        Failure::Trap { target, arguments } => {
            raise.kind = AbruptKind::Trap;
            raise.target = target;
            load(&mut context.x, &arguments);
        }
        Failure::Wait { arguments } => {
            raise.kind = AbruptKind::Wait;
            load(&mut context.x, &arguments);
        }
        Failure::Yield { arguments } => {
            raise.kind = AbruptKind::Yield;
            load(&mut context.x, &arguments);
        }
        // The X registers still hold the arguments.
        Failure::Again => raise.kind = AbruptKind::Yield,
        Failure::Dirty => {
            unreachable!("a body that is not tried first calls for a dirty scheduler")
        }
        Failure::Exit => raise.kind = AbruptKind::Exit,
        Failure::Hibernate { target, arguments } => {
            raise.kind = AbruptKind::Hibernate;
            raise.target = target;
            load(&mut context.x, &arguments);
        }
    }
    Term::NONE
}
