//! The engine's calls into the runtime: the functions of `layout::RuntimeTable`, each a thin entry to the file that
//! does the work.
//!
//! The engine calls each on the thread that runs the process, after it has written back heap top, stack and
//! reductions. `layout::context` documents the contracts.

use layout::context::{Arrived, Next, Resume, Room};
use layout::heap::flag as heap_flag;
use layout::{Breakpoint, Context, Export, RuntimeTable, Term};
use term::am;

use crate::code::{modules, native, tiering, translation};
use crate::effects::collection::{self, dirty_collection};
use crate::effects::receive::{self, markers, priority, timer};
use crate::effects::{apply as calls, debugger, error_handler, exception, log, send as sending};
use crate::mail::current;
use crate::mail::observer::observer;
use crate::process::epoch::Pinned;
use crate::process::{Flags, Process};

/// The runtime functions that the bodies of the engine's operations call.
pub(super) static TABLE: RuntimeTable = RuntimeTable {
    collect,
    collect_at,
    defer_collection,
    leave_midway,
    unwind,
    send,
    fetch_messages,
    seek_message,
    remove_message,
    set_timeout,
    timed_out,
    marker_reserve,
    marker_bind,
    marker_clear,
    marker_use,
    undefined_function,
    translate,
    is_warm,
    breakpoint,
    breakpoint_at,
    traced_export,
    traced_return,
    timed_return,
    stop_at_line,
    native_function,
    call_fun,
    apply,
    apply_list,
    apply_fun_list,
    build_stacktrace,
    raw_raise,
    catch_value,
    find_record,
    other,
};

/// The process that runs on a context. It is lent as long as the pointer through which the function was called, at most
/// as long as that function's frame.
///
/// # Safety
/// `context` belongs to this thread, and a process runs on it.
unsafe fn running(context: &mut *mut Context) -> &mut Process {
    // SAFETY: the caller's promise; `ProcessHead` is the first field of `Process`.
    unsafe { &mut *(**context).process.cast::<Process>() }
}

/// The process that runs on a context, and the context.
///
/// # Safety
/// As for [`running`].
unsafe fn both(context: &mut *mut Context) -> (&mut Process, &mut Context) {
    // SAFETY: the caller's promise; a context and its process are separate allocations.
    unsafe {
        let pointer = *context;
        (running(context), &mut *pointer)
    }
}

unsafe extern "C" fn collect(mut context: *mut Context, words: usize, live: usize) -> bool {
    // SAFETY: the engine's contract: a safepoint, where the live registers are all roots beside the process's own.
    let process = unsafe {
        let (process, context) = both(&mut context);
        collection::collect(process, &mut context.x[..live], words);
        process
    };
    !process.flags.contains(Flags::EXIT_PENDING)
}

unsafe extern "C" fn collect_at(
    mut context: *mut Context,
    words: usize,
    live: usize,
    ip: *const u64,
) -> Room {
    // SAFETY: the engine's contract.
    unsafe {
        if dirty_collection::is_wanted(running(&mut context)) {
            let (process, context) = both(&mut context);
            dirty_collection::leave(process, context, words, live, ip);
            Room::Deferred
        } else if collect(context, words, live) {
            Room::Made
        } else {
            Room::Ended
        }
    }
}

unsafe extern "C" fn defer_collection(mut context: *mut Context) -> bool {
    // SAFETY: the engine's contract.
    let process = unsafe { running(&mut context) };
    let later = dirty_collection::is_wanted(process);
    if later {
        process.head.heap.flags |= heap_flag::FORCE;
        current::end_slice_soon();
    }
    later
}

unsafe extern "C" fn leave_midway(mut context: *mut Context, ip: *const u64, live: usize) -> usize {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
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

unsafe extern "C" fn send(mut context: *mut Context) -> Next {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    // SAFETY: code runs in a slice alone, which ends when this thread is quiescent next.
    let pinned = unsafe { Pinned::assume() };
    sending::send_operator(pinned, process, context)
}

unsafe extern "C" fn fetch_messages(mut context: *mut Context) -> Arrived {
    // SAFETY: the engine's contract.
    receive::look_for_message(unsafe { running(&mut context) })
}

unsafe extern "C" fn seek_message(mut context: *mut Context) {
    // SAFETY: the engine's contract: no message is being examined.
    priority::seek(unsafe { running(&mut context) });
}

unsafe extern "C" fn remove_message(mut context: *mut Context) {
    // SAFETY: the engine's contract: a message is at `save`.
    unsafe { receive::remove(running(&mut context)) }
}

unsafe extern "C" fn set_timeout(mut context: *mut Context, timeout: Term) -> Next {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    timer::set(process, context, timeout)
}

unsafe extern "C" fn timed_out(mut context: *mut Context) {
    // SAFETY: the engine's contract.
    receive::timed_out(unsafe { running(&mut context) });
}

unsafe extern "C" fn marker_reserve(mut context: *mut Context) -> Term {
    // SAFETY: the engine's contract.
    markers::reserve(unsafe { running(&mut context) })
}

unsafe extern "C" fn marker_bind(mut context: *mut Context, marker: Term, reference: Term) {
    // SAFETY: the engine's contract.
    markers::bind(unsafe { running(&mut context) }, marker, reference);
}

unsafe extern "C" fn marker_clear(mut context: *mut Context, reference: Term) {
    // SAFETY: the engine's contract.
    markers::clear(unsafe { running(&mut context) }, reference);
}

unsafe extern "C" fn marker_use(mut context: *mut Context, reference: Term) {
    // SAFETY: the engine's contract.
    markers::start_at(unsafe { running(&mut context) }, reference);
}

unsafe extern "C" fn undefined_function(
    mut context: *mut Context,
    export: *const Export,
) -> *const u64 {
    // SAFETY: the engine's contract; exports live for ever.
    let ((process, context), export) = unsafe { (both(&mut context), &*export) };
    let (what, arity) = ([export.module, export.function], export.arity as usize);
    error_handler::call(process, context, am::UNDEFINED_FUNCTION, what, arity)
}

unsafe extern "C" fn translate(entry: *const u64) -> *const u64 {
    translation::translate(entry).unwrap_or_else(|failed| {
        log::not_translated(failed.module, &failed.error.to_string());
        engine::start::no_code()
    })
}

unsafe extern "C" fn is_warm(entry: *const u64) {
    tiering::make_machine_code(entry);
}

unsafe extern "C" fn breakpoint(
    mut context: *mut Context,
    breakpoint: *const Breakpoint,
) -> Resume {
    // SAFETY: the engine's contract; breakpoints live as long as their code.
    let ((process, context), breakpoint) = unsafe { (both(&mut context), &*breakpoint) };
    observer().reaches(process, context, breakpoint)
}

unsafe extern "C" fn breakpoint_at(entry: *const u64) -> *const Breakpoint {
    observer().breakpoint_at(entry)
}

unsafe extern "C" fn traced_export(mut context: *mut Context, export: *const Export) -> *const u64 {
    // SAFETY: the engine's contract; only the stubs of traced exports call this.
    unsafe {
        let (process, context) = both(&mut context);
        observer().calls_export(process, context, export)
    }
}

unsafe extern "C" fn timed_return(mut context: *mut Context) {
    // SAFETY: the engine's contract.
    observer().timed_returns(unsafe { running(&mut context) });
}

unsafe extern "C" fn traced_return(mut context: *mut Context) {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    observer().returns(process, context.x[0]);
}

unsafe extern "C" fn stop_at_line(mut context: *mut Context, next: *const u64) -> *const u64 {
    // SAFETY: the engine's contract.
    let (_, context) = unsafe { both(&mut context) };
    debugger::stop_at_line(context, next)
}

unsafe extern "C" fn native_function(entry: *const u64) -> *const u64 {
    native::stub_of(entry)
}

unsafe extern "C" fn call_fun(mut context: *mut Context, fun: Term, arity: usize) -> *const u64 {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    calls::call_fun(process, context, fun, arity)
}

unsafe extern "C" fn apply(
    mut context: *mut Context,
    module: Term,
    function: Term,
    arity: usize,
) -> *const u64 {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    calls::apply(process, context, module, function, arity)
}

unsafe extern "C" fn apply_list(
    mut context: *mut Context,
    module: Term,
    function: Term,
    arguments: Term,
) -> *const u64 {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    calls::apply_list(process, context, module, function, arguments)
}

unsafe extern "C" fn apply_fun_list(
    mut context: *mut Context,
    fun: Term,
    arguments: Term,
) -> *const u64 {
    // SAFETY: the engine's contract.
    let (process, context) = unsafe { both(&mut context) };
    calls::apply_fun_list(process, context, fun, arguments)
}

unsafe extern "C" fn build_stacktrace(mut context: *mut Context, raw: Term) -> Term {
    // SAFETY: the engine's contract.
    exception::build_stacktrace(unsafe { running(&mut context) }.heap(), raw)
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
    mut context: *mut Context,
    class: Term,
    reason: Term,
    raw: Term,
) -> Term {
    // SAFETY: the engine's contract.
    exception::catch_value(unsafe { running(&mut context) }.heap(), class, reason, raw)
}

unsafe extern "C" fn find_record(module: Term, name: Term) -> Term {
    modules::record(module, name).unwrap_or(Term::NONE)
}

unsafe extern "C" fn other(context: *mut Context, _opcode: u32, _operands: *const u64) -> Next {
    // Never needed: the engine implements every operation that it executes, and the loader rejects files with others.
    // SAFETY: the engine's contract.
    exception::raise_error(unsafe { &mut *context }, am::NOTSUP);
    Next::Raised
}
