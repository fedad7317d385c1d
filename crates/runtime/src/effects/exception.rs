//! Exceptions: stack traces, finding the handler, and ending a process after an uncaught exception.
//!
//! A *raw trace* is a stack trace not yet in the form that programs see; a register carries it from the handler to
//! `build_stacktrace`. It is a tuple `{Class, First, Info, Addresses}` made when the exception is raised. It is cheap
//! to make because it holds code addresses (a tuple of integers) instead of names. `First` is `{M, F, ArgsOrArity}` for
//! a top frame given by name, otherwise the list of arguments (or `true` if there are none) of the function at the
//! first address, or `[]` if neither is known. `Info` explains the error (`error_info`); it is `[]` if nothing does,
//! `true` if the module in `First` does without more information, and `undefined` if the line of the top frame is not
//! to be told. After `raise/3` a raw trace is `{Class, Trace}` with the trace that the program gave.

use layout::heap::is_return_address;
use layout::{AbruptKind, Class, Context, Export, Heap, Term, no_gc};
use smallvec::SmallVec;
use term::copy::Owned;
use term::{am, build, list};

use crate::code;
use crate::code::stack;
use crate::mail::observer::observer;
use crate::process::{Flags, Process};

/// The maximum number of frames in a stack trace, unless changed by `system_flag(backtrace_depth)`.
const DEFAULT_DEPTH: usize = 8;

pub static DEPTH: std::sync::atomic::AtomicUsize =
    std::sync::atomic::AtomicUsize::new(DEFAULT_DEPTH);

/// The current maximum number of frames in a stack trace; at least 1, even if the flag is 0.
#[must_use]
pub fn depth() -> usize {
    DEPTH.load(std::sync::atomic::Ordering::Relaxed).max(1)
}

const CLASS: usize = 0;
const FIRST: usize = 1;
const INFO: usize = 2;
const ADDRESSES: usize = 3;

/// The atom of a class.
fn class_atom(class: Class) -> Term {
    match class {
        Class::Error => am::ERROR,
        Class::Exit => am::EXIT,
        Class::Throw => am::THROW,
    }
}

/// The class that an atom names.
#[must_use]
pub fn class_of(atom: Term) -> Option<Class> {
    match atom {
        am::ERROR => Some(Class::Error),
        am::EXIT => Some(Class::Exit),
        am::THROW => Some(Class::Throw),
        _ => None,
    }
}

/// See `RuntimeTable::unwind`.
///
/// # Safety
/// Called by the engine with its registers written back.
pub unsafe fn unwind(
    context: &mut Context,
    ip: *const u64,
    failed: *const Export,
    arguments: *const Term,
) -> *const u64 {
    // SAFETY: `process` of a context is the head of the running process.
    let process = unsafe { &mut *context.process.cast::<Process>() };
    if process.head.catches == 0 && context.abrupt.class == Class::Throw {
        let thrown = context.abrupt.reason;
        context.abrupt.reason = build::tuple(process.heap(), &[am::NOCATCH, thrown]);
        context.abrupt.class = Class::Error;
    }
    let raw = match context.abrupt.kind {
        AbruptKind::ExceptionWithTrace => with_given_trace(process, context),
        // SAFETY: the engine's arguments.
        _ => unsafe { raw_trace(process, context, ip, failed, arguments) },
    };
    context.abrupt.kind = AbruptKind::None;
    let class = class_atom(context.abrupt.class);
    let top = process.head.heap.stack.cast_const();
    let handler = find_handler(process);
    if process
        .existing_extras()
        .is_some_and(|extras| extras.exceptions_traced)
    {
        let end = match handler {
            Some(_) => process.head.heap.stack,
            None => process.head.heap.end,
        };
        let exception = [class, context.abrupt.reason];
        observer().throws(process, top..end.cast_const(), handler, exception);
    }
    match handler {
        Some(handler) => {
            context.x[0] = Term::NONE;
            context.x[1] = class;
            context.x[2] = context.abrupt.reason;
            context.x[3] = raw;
            handler
        }
        None => {
            uncaught(process, context.abrupt.class, context.abrupt.reason, raw);
            std::ptr::null()
        }
    }
}

/// Returns the handler of the innermost catch mark, and cuts the stack back to the frame of that mark.
fn find_handler(process: &mut Process) -> Option<*const u64> {
    if process.head.catches == 0 {
        return None;
    }
    let heap = &mut process.head.heap;
    let mut frame = heap.stack;
    let mut at = heap.stack;
    while at < heap.end {
        // SAFETY: the words between stack and end are return addresses and terms ("Frames", engine).
        let word = unsafe { *at };
        at = at.wrapping_add(1);
        if is_return_address(word) {
            frame = at;
            continue;
        }
        // SAFETY: a stack word that is not a return address is a term.
        if let Some(handler) = unsafe { Term::from_bits(word) }.as_catch() {
            heap.stack = frame;
            return Some(handler);
        }
    }
    None
}

/// # Safety
/// `failed` is null or an export; then `arguments` has its arity.
unsafe fn raw_trace(
    process: &mut Process,
    context: &Context,
    ip: *const u64,
    failed: *const Export,
    arguments: *const Term,
) -> Term {
    let raise = &context.abrupt;
    let named_by_caller = raise.arguments == am::UNDEFINED;
    let mut first = Term::NIL;
    let mut info = if raise.trace.is_none() {
        Term::NIL
    } else {
        raise.trace
    };
    if raise.arguments.is_list() {
        first = raise.arguments;
        if first.is_nil() && !named_by_caller {
            // The function has no arguments; an empty list would mean "unknown".
            first = am::TRUE;
        }
    } else if raise.arguments.is_tuple() {
        first = raise.arguments;
        if !info.is_nil() || raise.trace.is_none() {
            let module = first
                .as_tuple(no_gc!())
                .map_or(am::ERLANG, |named| named[0]);
            info = explanation(process.heap(), module, raise.trace);
        }
    } else if !failed.is_null() && !named_by_caller {
        // SAFETY: exports live for ever; there are as many arguments as the export's arity.
        let (export, arguments) = unsafe {
            let export = &*failed;
            (
                export,
                std::slice::from_raw_parts(arguments, export.arity as usize),
            )
        };
        let heap = process.heap();
        let arguments = build::list(heap, arguments);
        first = build::tuple(heap, &[export.module, export.function, arguments]);
        info = explanation(heap, export.module, raise.trace);
    }
    let addresses = addresses(process, ip);
    build::tuple(
        process.heap(),
        &[class_atom(raise.class), first, info, addresses],
    )
}

/// What a raw trace keeps of why a function of a module failed. Most traces are never looked at, so the map is made
/// later if the module is all that there is to tell.
fn explanation(heap: &mut Heap, module: Term, cause: Term) -> Term {
    if cause.is_none() {
        return am::TRUE;
    }
    explained_by(heap, module, Some(cause))
}

/// The `error_info` map `#{module => .., cause => ..}` by which errors in a module are explained, or `[]`.
fn explained_by(heap: &mut Heap, module: Term, cause: Option<Term>) -> Term {
    let Some(explainer) = spec::bifs::error_module(term::atom::text(module)) else {
        return Term::NIL;
    };
    let explainer = (am::MODULE, Term::atom(explainer));
    match cause {
        None => term::map::from_pairs(heap, &[explainer]),
        Some(cause) => term::map::from_pairs(heap, &[(am::CAUSE, cause), explainer]),
    }
}

/// The code addresses of a trace, a tuple of integers: the failing instruction, then the callers.
fn addresses(process: &mut Process, ip: *const u64) -> Term {
    let depth = depth();
    let mut addresses: SmallVec<[Term; DEFAULT_DEPTH + 1]> = SmallVec::new();
    // Addresses have fewer bits than small integers.
    let small = |address: *const u64| Term::small(address as i64);
    if ip == engine::start::apply_fun() {
        // A process was started by `apply/2`, whose call failed: stock names it.
        let apply = code::exports::get(am::ERLANG, am::APPLY, 2);
        addresses.push(small(apply.stub.as_ptr().cast()));
    } else if !ip.is_null() {
        addresses.push(small(ip));
    }
    let callers = stack::calls(&process.head.heap).take(depth + 1 - addresses.len());
    addresses.extend(callers.map(small));
    build::tuple(process.heap(), &addresses)
}

fn with_given_trace(process: &mut Process, context: &Context) -> Term {
    let raise = &context.abrupt;
    let class = class_atom(raise.class);
    let no_gc = no_gc!();
    let Some(parts) = raise.trace.as_tuple(no_gc) else {
        return build::tuple(process.heap(), &[class, raise.trace]);
    };
    let forgets_line = raise.arguments == am::UNDEFINED && is_without_clause(parts);
    // The exception is raised again with the same class: keep its raw trace.
    if parts[CLASS] == class && !forgets_line {
        return raise.trace;
    }
    // Another class: store it in the raw trace, from which `raw_raise` reads it if the exception is raised again.
    let mut parts = parts.to_vec();
    parts[CLASS] = class;
    if forgets_line {
        parts[INFO] = am::UNDEFINED;
    }
    build::tuple(process.heap(), &parts)
}

/// Whether a raw trace begins with a function that had no clause for its arguments.
fn is_without_clause(parts: &[Term]) -> bool {
    let [_, first, info, addresses] = parts else {
        return false;
    };
    let address = addresses
        .as_tuple(no_gc!())
        .and_then(|all| all.first()?.as_small());
    (first.is_cons() || *first == am::TRUE)
        && info.is_nil()
        && address.is_some_and(|address| code::modules::is_function_start(address as *const u64))
}

/// Builds the list of frames that programs see.
pub fn build_stacktrace(heap: &mut Heap, raw: Term) -> Term {
    let no_gc = no_gc!();
    let Some(parts) = raw.as_tuple(no_gc) else {
        return Term::NIL;
    };
    if parts.len() == 2 {
        return parts[1];
    }
    let depth = depth();
    let (first, info) = (parts[FIRST], parts[INFO]);
    let mut frames: SmallVec<[Term; DEFAULT_DEPTH]> = SmallVec::new();
    if let Some([module, function, arguments]) = first.as_tuple_of() {
        let info = match info {
            am::TRUE => explained_by(heap, module, None),
            _ => info,
        };
        let location = match info {
            Term::NIL => Term::NIL,
            _ => error_info(heap, info, Term::NIL),
        };
        frames.push(build::tuple(heap, &[module, function, arguments, location]));
    }
    let known_arguments = first.is_cons() || first == am::TRUE;
    let addresses = parts[ADDRESSES].as_tuple(no_gc).unwrap_or(&[]);
    for (number, address) in addresses.iter().enumerate() {
        if frames.len() >= depth {
            break;
        }
        let address = address.as_small().expect("an address") as *const u64;
        let Some(place) = code::place_of(address) else {
            continue;
        };
        let mut location = location(heap, &place);
        let mut arguments = Term::small(i64::from(place.arity));
        if number == 0 && !first.is_tuple() {
            if known_arguments {
                arguments = if first == am::TRUE { Term::NIL } else { first };
            }
            location = match info {
                Term::NIL => location,
                am::UNDEFINED => Term::NIL,
                _ => error_info(heap, info, location),
            };
        }
        frames.push(build::tuple(
            heap,
            &[place.module, place.function, arguments, location],
        ));
    }
    build::list(heap, &frames)
}

fn error_info(heap: &mut Heap, info: Term, tail: Term) -> Term {
    let pair = build::tuple(heap, &[am::ERROR_INFO, info]);
    if tail.is_nil() {
        return build::list(heap, &[pair]);
    }
    // File and line come before `error_info`.
    let mut items: Vec<Term> = list::items(tail).flatten().collect();
    items.push(pair);
    build::list(heap, &items)
}

/// `[{file, File}, {line, Line}]`, or `[]` when unknown.
pub fn location(heap: &mut Heap, place: &code::modules::NamedPlace) -> Term {
    let Some((file, line)) = place.location else {
        return Term::NIL;
    };
    let file = build::tuple(heap, &[am::FILE, file]);
    let line = build::tuple(heap, &[am::LINE, Term::small(i64::from(line))]);
    build::list(heap, &[file, line])
}

/// See `RuntimeTable::raw_raise`: fills `raise`; returns false if `class` is not a valid class. If one is given, a
/// function that had no clause is told without its line, as on stock; not so after `try ... after`, which gives none.
pub fn raw_raise(context: &mut Context, class: Term, reason: Term, trace: Term) -> bool {
    let (class, arguments) = match class {
        Term::NONE => {
            let class = trace
                .as_tuple(no_gc!())
                .map_or(am::ERROR, |parts| parts[CLASS]);
            (class, Term::NONE)
        }
        _ => (class, am::UNDEFINED),
    };
    let Some(class) = class_of(class) else {
        return false;
    };
    let raise = &mut context.abrupt;
    raise.kind = AbruptKind::ExceptionWithTrace;
    raise.class = class;
    raise.reason = reason;
    raise.trace = trace;
    raise.arguments = arguments;
    true
}

/// See `RuntimeTable::catch_value`.
pub fn catch_value(heap: &mut Heap, class: Term, reason: Term, raw: Term) -> Term {
    match class {
        am::THROW => reason,
        am::EXIT => build::tuple(heap, &[am::UC_EXIT, reason]),
        _ => {
            let trace = build_stacktrace(heap, raw);
            let inner = build::tuple(heap, &[reason, trace]);
            build::tuple(heap, &[am::UC_EXIT, inner])
        }
    }
}

/// Makes the process end because of an uncaught exception.
fn uncaught(process: &mut Process, class: Class, reason: Term, raw: Term) {
    let heap = process.heap();
    let reason = if class == Class::Error {
        let trace = build_stacktrace(heap, raw);
        build::tuple(heap, &[reason, trace])
    } else {
        reason
    };
    // It is copied for the log and for whoever is told, without what its parts share: a stack trace may hold the
    // arguments of the call that there was no memory for.
    let words = term::copy::size_with_literals(reason);
    let (reason, words) = match crate::code::bif::room_for(words * 8 * 2) {
        Ok(()) => (reason, words),
        Err(_) => (am::SYSTEM_LIMIT, 0),
    };
    if class == Class::Error {
        crate::effects::log::crashed(process, reason);
    }
    process.flags.insert(Flags::EXIT_PENDING);
    // SAFETY: it was measured above, or is an atom.
    process.cold().exit_reason = Some(unsafe { Owned::counted(reason, words) });
}

/// Fills `raise` with an error whose stack trace is made from the current place.
pub fn raise_error(context: &mut Context, reason: Term) {
    let raise = &mut context.abrupt;
    raise.kind = AbruptKind::Exception;
    raise.class = Class::Error;
    raise.reason = reason;
    raise.trace = Term::NONE;
    raise.arguments = Term::NONE;
}
