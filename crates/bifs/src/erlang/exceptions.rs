//! Raising exceptions: `error`, `exit`, `throw`, `raise`.

use layout::{Class, Term, no_gc};
use term::{am, build, list};

use runtime::code::bif::{BifResult, Failure};
use runtime::effects::exception;
use runtime::process::Process;

fn raise(class: Class, reason: Term, arguments: Term, info: Term) -> BifResult {
    // Anything but a list (usually `none`) means that the trace shows the caller's arity.
    let arguments = if arguments.is_list() {
        arguments
    } else {
        Term::NONE
    };
    Err(Failure::Raise {
        class,
        reason,
        arguments,
        info,
    })
}

/// `error(Reason)`.
pub(crate) fn error_1(_process: &mut Process, [reason]: [Term; 1]) -> BifResult {
    raise(Class::Error, reason, Term::NONE, Term::NONE)
}

/// `error(Reason, Args)`: the arguments show in the trace.
pub(crate) fn error_2(_process: &mut Process, [reason, arguments]: [Term; 2]) -> BifResult {
    raise(Class::Error, reason, arguments, Term::NONE)
}

/// `error(Reason, Args, [{error_info, Map}])`; if any option is invalid, all are ignored.
pub(crate) fn error_3(
    _process: &mut Process,
    [reason, arguments, options]: [Term; 3],
) -> BifResult {
    let info = error_info(options).unwrap_or(Term::NONE);
    raise(Class::Error, reason, arguments, info)
}

/// The map of the last `{error_info, Map}`, or NONE; `None` if any option is invalid.
fn error_info(options: Term) -> Option<Term> {
    let mut info = Term::NONE;
    for option in list::items(options) {
        match option.ok()?.as_tuple_of() {
            Some([am::ERROR_INFO, map]) if map.is_map() => info = map,
            _ => return None,
        }
    }
    Some(info)
}

/// `exit(Reason)`.
pub(crate) fn exit_1(_process: &mut Process, [reason]: [Term; 1]) -> BifResult {
    raise(Class::Exit, reason, Term::NONE, Term::NONE)
}

/// `throw(Term)`.
pub(crate) fn throw_1(_process: &mut Process, [thrown]: [Term; 1]) -> BifResult {
    raise(Class::Throw, thrown, Term::NONE, Term::NONE)
}

/// `nif_error(Reason)`: as `error/1`, but the trace names this BIF, and tools treat it as a function that returns.
pub(crate) fn nif_error_1(_process: &mut Process, [reason]: [Term; 1]) -> BifResult {
    Err(Failure::Error(reason))
}

/// `nif_error(Reason, Args)`.
pub(crate) fn nif_error_2(_process: &mut Process, [reason, _arguments]: [Term; 2]) -> BifResult {
    Err(Failure::Error(reason))
}

/// `raise(Class, Reason, Stacktrace)`; returns `badarg` if the arguments are invalid.
pub(crate) fn raise_3(process: &mut Process, [class, reason, trace]: [Term; 3]) -> BifResult {
    let Some(class) = exception::class_of(class) else {
        return Ok(am::BADARG);
    };
    let Some(trace) = checked_trace(process, trace) else {
        return Ok(am::BADARG);
    };
    Err(Failure::RaiseWithTrace {
        class,
        reason,
        trace,
    })
}

/// The trace with each frame completed to four elements (three for a fun), cut to the maximum depth. `None` if it is
/// not a valid trace.
fn checked_trace(process: &mut Process, trace: Term) -> Option<Term> {
    let mut frames = Vec::new();
    let mut changed = false;
    for frame in list::items(trace) {
        let frame = frame.ok()?;
        let (is_whole, location) = match *frame.as_tuple(no_gc!())? {
            [fun, _] if fun.is_fun() => (false, Term::NIL),
            [fun, _, location] if fun.is_fun() => (true, location),
            [module, function, _] if module.is_atom() && function.is_atom() => (false, Term::NIL),
            [module, function, _, location] if module.is_atom() && function.is_atom() => {
                (true, location)
            }
            _ => return None,
        };
        if !location.is_list() {
            return None;
        }
        changed |= !is_whole;
        frames.push((frame, is_whole));
    }
    let depth = exception::depth();
    if !changed && frames.len() <= depth {
        return Some(trace);
    }
    frames.truncate(depth);
    let heap = process.heap();
    let frames: Vec<Term> = frames
        .into_iter()
        .map(|(frame, is_whole)| {
            if is_whole {
                return frame;
            }
            let mut parts = frame.as_tuple(no_gc!()).unwrap_or_default().to_vec();
            parts.push(Term::NIL);
            build::tuple(heap, &parts)
        })
        .collect();
    Some(build::list(heap, &frames))
}
