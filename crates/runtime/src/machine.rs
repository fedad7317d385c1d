//! The runtime's side of the engine: the functions of `layout::RuntimeTable`.
//!
//! The engine calls each on the thread that runs the process, after it has written back heap top, stack and
//! reductions. `layout::context` documents the contracts.

use std::sync::atomic::Ordering;

use layout::context::{Next, Room};
use layout::heap::flag as heap_flag;
use layout::limits::X_REGISTERS;
use layout::process::state as receive_state;
use layout::{Context, Export, FunEntry, ObjectKind, RuntimeTable, Term};
use term::{am, build};

use crate::code::exports;
use crate::collector::dirty_collection;
use crate::exception;
use crate::process::cold::ReceiveTimer;
use crate::process::{Process, flag};
use crate::signal::handle;
use crate::{collector, scheduler, send, timer};

/// The runtime functions that the bodies of the engine's operations call.
pub static TABLE: RuntimeTable = RuntimeTable {
    collect,
    collect_at,
    put_off,
    leave_midway,
    unwind,
    send: send_message,
    fetch_messages,
    remove_message,
    set_timeout,
    timed_out,
    marker_reserve,
    marker_bind,
    marker_clear,
    marker_use,
    undefined_function,
    breakpoint,
    call_fun,
    apply,
    apply_list,
    apply_fun_list,
    build_stacktrace,
    raw_raise,
    catch_value,
    other,
};

/// The process that runs on a context.
///
/// # Safety
/// `context` belongs to this thread, and a process runs on it.
unsafe fn running<'a>(context: *mut Context) -> &'a mut Process {
    // SAFETY: the caller's promise; `ProcessHead` is the first field of `Process`.
    unsafe { &mut *(*context).process.cast::<Process>() }
}

unsafe extern "C" fn collect(context: *mut Context, words: usize, live: usize) -> bool {
    // SAFETY: the engine's contract.
    unsafe {
        let x = &mut (&mut (*context).x)[..live];
        let process = running(context);
        collector::collect(process, x, words);
        process.flags & flag::EXIT_PENDING == 0
    }
}

unsafe extern "C" fn collect_at(
    context: *mut Context,
    words: usize,
    live: usize,
    ip: *const u64,
) -> Room {
    // SAFETY: the engine's contract.
    unsafe {
        if dirty_collection::is_wanted(running(context)) {
            dirty_collection::leave(running(context), &*context, words, live, ip);
            Room::Later
        } else if collect(context, words, live) {
            Room::Made
        } else {
            Room::Ended
        }
    }
}

unsafe extern "C" fn put_off(context: *mut Context) -> bool {
    // SAFETY: the engine's contract.
    unsafe {
        let process = running(context);
        let later = dirty_collection::is_wanted(process);
        if later {
            process.head.heap.flags |= heap_flag::FORCE;
            scheduler::end_slice_soon();
        }
        later
    }
}

unsafe extern "C" fn leave_midway(context: *mut Context, ip: *const u64, live: usize) -> usize {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { (running(context), &mut *context) };
    dirty_collection::keep_floats(process, context);
    let kept = dirty_collection::registers_at(ip, live);
    context.x[live..kept].fill(Term::NIL);
    kept
}

unsafe extern "C" fn unwind(
    context: *mut Context,
    ip: *const u64,
    failed: *const Export,
    arguments: *const Term,
) -> *const u64 {
    // SAFETY: the engine's contract.
    unsafe { exception::unwind(&mut *context, ip, failed, arguments) }
}

unsafe extern "C" fn send_message(context: *mut Context) -> Next {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { (running(context), &mut *context) };
    let (to, message) = (context.x[0], context.x[1]);
    match send::send(process, to, message) {
        send::Sent::Done => {
            context.x[0] = message;
            Next::Continue
        }
        send::Sent::BadArgument => {
            exception::raise_error(context, am::BADARG);
            let heap = process.heap();
            let arguments = build::list(heap, &[to, message]);
            // The `!` operator is not a call, but the stack trace names it as `erlang:'!'/2`.
            context.raise.arguments = build::tuple(heap, &[am::ERLANG, am::SEND, arguments]);
            Next::Raised
        }
        send::Sent::Suspended => {
            context.x[0] = message;
            Next::Wait
        }
    }
}

unsafe extern "C" fn fetch_messages(context: *mut Context) -> bool {
    // SAFETY: the engine's contract.
    let process = unsafe { running(context) };
    handle::fetch(process);
    if process.flags & flag::EXIT_PENDING != 0 {
        return false;
    }
    // SAFETY: `save` is a link of the queue.
    unsafe { !(*process.head.messages.save).is_null() }
}

unsafe extern "C" fn remove_message(context: *mut Context) {
    // SAFETY: the engine's contract: a message is at `save`.
    unsafe {
        let process = running(context);
        if process.head.receive_state != receive_state::NO_TIMER {
            stop_timer(process);
        }
        let queue = &mut process.head.messages;
        let message = *queue.save;
        *queue.save = (*message).next;
        if queue.last == &raw mut (*message).next {
            queue.last = queue.save;
        }
        queue.count -= 1;
        let link = queue.save;
        queue.save = &raw mut queue.first;
        if let Some(cold) = process.cold.as_mut() {
            for marker in &mut cold.receive_markers {
                if marker.position == &raw mut (*message).next {
                    marker.position = link;
                }
            }
        }
        if (*message).words == 0 {
            term::heap::free_fragment(message);
        } else {
            term::heap::adopt(&mut process.head.heap, message);
        }
    }
}

/// Cancels the timer of the current `receive ... after`.
fn stop_timer(process: &mut Process) {
    process.head.receive_state = receive_state::NO_TIMER;
    if let Some(timer) = process
        .cold
        .as_mut()
        .and_then(|cold| cold.receive_timer.take())
    {
        timer::cancel(timer.key);
    }
}

unsafe extern "C" fn set_timeout(context: *mut Context, timeout: Term) -> Next {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { (running(context), &mut *context) };
    match process.head.receive_state {
        receive_state::TIMED_OUT => return Next::Continue,
        receive_state::TIMER_SET => return Next::Wait,
        _ => {}
    }
    if timeout == am::INFINITY {
        // The register that held the timeout does not survive the wait, so later calls must not read it again.
        process.head.receive_state = receive_state::TIMER_SET;
        return Next::Wait;
    }
    let Some(timeout_ms) = timeout
        .as_small()
        .filter(|ms| (0..=0xffff_ffff).contains(ms))
    else {
        // The next receive begins with the first message.
        let queue = &mut process.head.messages;
        queue.save = &raw mut queue.first;
        exception::raise_error(context, am::TIMEOUT_VALUE);
        return Next::Raised;
    };
    if process.flags & flag::EXIT_PENDING != 0 {
        return Next::Wait;
    }
    if timeout_ms == 0 {
        return Next::Continue;
    }
    let pid = process.pid();
    let cold = process.cold();
    cold.timer_generation += 1;
    let generation = cold.timer_generation;
    let deadline_ns = sys::clock::monotonic_ns() + timeout_ms * 1_000_000;
    let key = timer::set(deadline_ns, timer::TimerTarget::Receive { pid, generation });
    cold.receive_timer = Some(ReceiveTimer { key, generation });
    process.head.receive_state = receive_state::TIMER_SET;
    Next::Wait
}

unsafe extern "C" fn timed_out(context: *mut Context) {
    // SAFETY: the engine's contract.
    let process = unsafe { running(context) };
    stop_timer(process);
    let queue = &mut process.head.messages;
    queue.save = &raw mut queue.first;
}

/// Receive markers that a process may hold at once; one more evicts the oldest.
const MARKERS: usize = 8;

unsafe extern "C" fn marker_reserve(context: *mut Context) -> Term {
    // SAFETY: the engine's contract.
    let process = unsafe { running(context) };
    // Messages that have already arrived cannot contain a reference that does not exist yet, so the scan may start
    // after them.
    handle::fetch(process);
    let position = process.head.messages.last;
    if process.head.messages.first.is_null() {
        // An empty queue gains nothing from a marker.
        return am::UNDEFINED;
    }
    let cold = process.cold();
    if cold.receive_markers.len() >= MARKERS {
        cold.receive_markers.remove(0);
    }
    let id = cold
        .receive_markers
        .last()
        .map_or(1, |marker| marker.id + 1);
    cold.receive_markers
        .push(crate::process::cold::ReceiveMarker {
            id,
            reference: None,
            position,
        });
    Term::small(id as i64)
}

unsafe extern "C" fn marker_bind(context: *mut Context, marker: Term, reference: Term) {
    // SAFETY: the engine's contract.
    let process = unsafe { running(context) };
    let (Some(id), Some(number)) = (marker.as_small(), term::reference::number(reference)) else {
        return;
    };
    if let Some(cold) = process.cold.as_mut()
        && let Some(marker) = cold
            .receive_markers
            .iter_mut()
            .find(|marker| marker.id == id as u64)
    {
        marker.reference = Some(number);
    }
}

unsafe extern "C" fn marker_clear(context: *mut Context, reference: Term) {
    // SAFETY: the engine's contract.
    let process = unsafe { running(context) };
    let number = term::reference::number(reference);
    let id = reference.as_small();
    if let Some(cold) = process.cold.as_mut() {
        cold.receive_markers.retain(|marker| {
            (number.is_none() || marker.reference != number) && id != Some(marker.id as i64)
        });
    }
}

unsafe extern "C" fn marker_use(context: *mut Context, reference: Term) {
    // SAFETY: the engine's contract.
    let process = unsafe { running(context) };
    let Some(number) = term::reference::number(reference) else {
        return;
    };
    if let Some(cold) = process.cold.as_ref()
        && let Some(marker) = cold
            .receive_markers
            .iter()
            .find(|marker| marker.reference == Some(number))
    {
        process.head.messages.save = marker.position;
    }
}

unsafe extern "C" fn undefined_function(
    context: *mut Context,
    export: *const Export,
) -> *const u64 {
    // SAFETY: the engine's contract; exports live for ever.
    let (process, context, export) = unsafe { (running(context), &mut *context, &*export) };
    let arity = export.arity as usize;
    let why = am::UNDEFINED_FUNCTION;
    ask_error_handler(
        process,
        context,
        why,
        (export.module, export.function, arity),
    )
}

unsafe extern "C" fn breakpoint(
    context: *mut Context,
    module: Term,
    function: Term,
    arity: usize,
) -> *const u64 {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { (running(context), &mut *context) };
    ask_error_handler(process, context, am::BREAKPOINT, (module, function, arity))
}

/// Prepares a call of the error handler's function `why/3`: puts the module, function and argument list of the call
/// that cannot be made into x0..x2, and returns the handler's code. Without an error handler, raises `undef` and
/// returns null.
fn ask_error_handler(
    process: &mut Process,
    context: &mut Context,
    why: Term,
    (module, function, arity): (Term, Term, usize),
) -> *const u64 {
    let Some(handler) = exception::error_handler(process, why, 3) else {
        exception::raise_undefined(context);
        return std::ptr::null();
    };
    let arguments = build::list(process.heap(), &context.x[..arity]);
    context.x[0] = module;
    context.x[1] = function;
    context.x[2] = arguments;
    handler.code.load(Ordering::Acquire)
}

unsafe extern "C" fn call_fun(context: *mut Context, fun: Term, arity: usize) -> *const u64 {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { (running(context), &mut *context) };
    match fun.boxed_kind() {
        Some(ObjectKind::Fun) => {
            // SAFETY: word `FUN_ENTRY` of a fun is the address of its entry, and entries live for ever.
            let entry =
                unsafe { &*(fun.word(layout::object::offset::FUN_ENTRY) as *const FunEntry) };
            if entry.arity as usize != arity {
                return bad_arity(process, context, fun, arity);
            }
            let code = entry.code.load(Ordering::Acquire);
            if !code.is_null() {
                let free = fun.header().arity() - layout::object::offset::FUN_FREE;
                for index in 0..free {
                    // SAFETY: the free variables of a fun are terms.
                    let variable = unsafe {
                        Term::from_bits(fun.word(layout::object::offset::FUN_FREE + index))
                    };
                    context.x[arity + index] = variable;
                }
                return code;
            }
            if crate::code::modules::current(entry.module).is_some() {
                // Another version of the fun's module is loaded. The error handler would find the module loaded and
                // call the fun again, without end.
                return bad_fun(process, context, fun);
            }
            let Some(handler) = exception::error_handler(process, am::UNDEFINED_LAMBDA, 3) else {
                exception::raise_undefined(context);
                return std::ptr::null();
            };
            let arguments = build::list(process.heap(), &context.x[..arity]);
            context.x[0] = entry.module;
            context.x[1] = fun;
            context.x[2] = arguments;
            handler.code.load(Ordering::Acquire)
        }
        Some(ObjectKind::Export) => {
            // SAFETY: as above.
            let export =
                unsafe { &*(fun.word(layout::object::offset::EXPORT_ENTRY) as *const Export) };
            if export.arity as usize != arity {
                return bad_arity(process, context, fun, arity);
            }
            export.code.load(Ordering::Acquire)
        }
        _ => bad_fun(process, context, fun),
    }
}

fn bad_fun(process: &mut Process, context: &mut Context, fun: Term) -> *const u64 {
    let reason = build::tuple(process.heap(), &[am::BADFUN, fun]);
    exception::raise_error(context, reason);
    std::ptr::null()
}

fn bad_arity(process: &mut Process, context: &mut Context, fun: Term, arity: usize) -> *const u64 {
    let heap = process.heap();
    let arguments = build::list(heap, &context.x[..arity]);
    let call = build::tuple(heap, &[fun, arguments]);
    let reason = build::tuple(heap, &[am::BADARITY, call]);
    exception::raise_error(context, reason);
    std::ptr::null()
}

unsafe extern "C" fn apply(
    context: *mut Context,
    module: Term,
    function: Term,
    arity: usize,
) -> *const u64 {
    if !module.is_atom() || !function.is_atom() {
        // SAFETY: the engine's contract: the arguments are in x0...
        unsafe {
            let arguments = build::list(running(context).heap(), &(&(*context).x)[..arity]);
            return raise_apply(context, am::BADARG, &[module, function, arguments]);
        }
    }
    exports::to_call(module, function, arity as u32)
        .code
        .load(Ordering::Acquire)
}

/// The maximum arity of a function.
const MOST_ARGUMENTS: usize = 255;
/// The most arguments that `apply` accepts; a call with more than [`MOST_ARGUMENTS`] goes to the error handler.
const MOST_APPLIED: usize = X_REGISTERS - 1;

/// Copies the items of a list into x0.. and returns their number.
///
/// # Errors
/// The reason to raise: `system_limit` for a list that is too long, `badarg` for an improper one.
fn spread(context: &mut Context, mut list: Term) -> Result<usize, Term> {
    let mut count = 0;
    while let Some((head, tail)) = list.as_cons() {
        if count == MOST_APPLIED {
            return Err(am::SYSTEM_LIMIT);
        }
        context.x[count] = head;
        count += 1;
        list = tail;
    }
    if list.is_nil() {
        Ok(count)
    } else {
        Err(am::BADARG)
    }
}

/// Raises an error in `apply/2,3`; the stack trace names `erlang:apply` with these arguments.
///
/// # Safety
/// `context` belongs to this thread, and a process runs on it.
unsafe fn raise_apply(context: *mut Context, reason: Term, arguments: &[Term]) -> *const u64 {
    // SAFETY: the caller's promise.
    let (process, context) = unsafe { (running(context), &mut *context) };
    exception::raise_error(context, reason);
    let heap = process.heap();
    let arguments = build::list(heap, arguments);
    context.raise.arguments = build::tuple(heap, &[am::ERLANG, am::APPLY, arguments]);
    std::ptr::null()
}

unsafe extern "C" fn apply_list(
    context: *mut Context,
    module: Term,
    function: Term,
    arguments: Term,
) -> *const u64 {
    // SAFETY: the engine's contract.
    unsafe {
        if !module.is_atom() || !function.is_atom() {
            return raise_apply(context, am::BADARG, &[module, function, arguments]);
        }
        match spread(&mut *context, arguments) {
            Ok(arity) if arity <= MOST_ARGUMENTS => apply(context, module, function, arity),
            Ok(arity) => ask_error_handler(
                running(context),
                &mut *context,
                am::UNDEFINED_FUNCTION,
                (module, function, arity),
            ),
            Err(reason) => raise_apply(context, reason, &[module, function, arguments]),
        }
    }
}

unsafe extern "C" fn apply_fun_list(
    context: *mut Context,
    fun: Term,
    arguments: Term,
) -> *const u64 {
    // SAFETY: the engine's contract.
    unsafe {
        match spread(&mut *context, arguments) {
            Ok(arity) => call_fun(context, fun, arity),
            Err(reason) => raise_apply(context, reason, &[fun, arguments]),
        }
    }
}

unsafe extern "C" fn build_stacktrace(context: *mut Context, raw: Term) -> Term {
    // SAFETY: the engine's contract.
    exception::build_stacktrace(unsafe { running(context) }.heap(), raw)
}

unsafe extern "C" fn raw_raise(
    context: *mut Context,
    class: Term,
    reason: Term,
    trace: Term,
) -> bool {
    // SAFETY: the engine's contract.
    exception::raw_raise(unsafe { &mut *context }, class, reason, trace)
}

unsafe extern "C" fn catch_value(
    context: *mut Context,
    class: Term,
    reason: Term,
    raw: Term,
) -> Term {
    // SAFETY: the engine's contract.
    exception::catch_value(unsafe { running(context) }.heap(), class, reason, raw)
}

unsafe extern "C" fn other(context: *mut Context, _opcode: u32, _operands: *const u64) -> Next {
    // Never needed: the engine implements every operation that it executes, and the loader rejects files with others.
    // SAFETY: the engine's contract.
    exception::raise_error(unsafe { &mut *context }, am::NOTSUP);
    Next::Raised
}
