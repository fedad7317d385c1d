//! The context of a scheduler: what the one native thread that runs Erlang code carries with it.
//! Its address is one of the machine's six registers.

use crate::code::Export;
use crate::limits::{FLOAT_REGISTERS, X_REGISTERS};
use crate::process::ProcessHead;
use crate::term::Term;

/// One per thread that runs Erlang code; only that thread touches it.
#[repr(C)]
pub struct Context {
    /// The process that runs, null between processes.
    pub process: *mut ProcessHead,
    pub runtime: *const RuntimeTable,
    /// Reductions left in this slice, while they are not in their register.
    pub reductions_left: i64,
    /// What went wrong, or another way on, after an operation answered "none".
    pub raise: Raise,
    /// For the runtime: its own scheduler.
    pub scheduler: *mut core::ffi::c_void,
    pub f: [f64; FLOAT_REGISTERS],
    /// The binary that old code builds step by step (`bs_init2` and its kin): what
    /// `term::bits::construct::Builder` is made of. Only between safepoints.
    pub builder: [u64; 3],
    /// X registers; the X base register points here.
    pub x: [Term; X_REGISTERS + 8],
}

/// The class of an exception.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Error = 0,
    Exit = 1,
    Throw = 2,
}

/// Why an operation or BIF has no result.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaiseKind {
    /// Nothing is raised.
    None = 0,
    /// An exception of `class` with `reason`; the stack trace is made from the place.
    Exception = 1,
    /// As `Exception`, and `trace` is the trace to go on with (`raise/3`, `raw_raise`).
    ExceptionWithTrace = 2,
    /// Call `target` with the arguments that were put into x0.. instead, and take its result.
    Trap = 3,
    /// The process is to wait; it calls the same function again, with the arguments in x0..,
    /// when it is woken.
    Wait = 4,
    /// As `Wait`, but stays runnable: the slice is over.
    Yield = 5,
    /// The process ends without unwinding (its exit is already decided).
    Exit = 6,
    /// The process goes to sleep with an empty stack and goes on at `target` (hibernate/3), with the
    /// arguments that were put into x0...
    Hibernate = 7,
}

#[repr(C)]
pub struct Raise {
    pub kind: RaiseKind,
    pub class: Class,
    /// The reason; for a throw the thrown term.
    pub reason: Term,
    /// The trace that comes along, or extra facts for `error_info` (a map or NONE).
    pub trace: Term,
    /// Where to go on, for a trap.
    pub target: *const Export,
    /// The arguments that a trace shows instead of an arity (`error/2`), or NONE.
    pub arguments: Term,
}

/// What a table function tells the engine to do next.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Next {
    /// Go on.
    Continue = 0,
    /// It raised: see [`Context::raise`].
    Raised = 1,
    /// Leave the engine: the process waits.
    Wait = 2,
}

/// What came of asking for room.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Room {
    /// It is there.
    Made = 0,
    /// The process must end: the engine leaves with "exited".
    Ended = 1,
    /// It will be made elsewhere: the engine leaves with "preempted". The runtime has noted where the process goes on
    /// and keeps its registers.
    Later = 2,
}

/// The runtime's functions that operation bodies reach. The engine writes heap top, stack and
/// reductions back before each call and reads them again after it. "May collect" is said where it
/// holds; the others leave every term where it is.
#[repr(C)]
pub struct RuntimeTable {
    /// Makes room for `words` on the heap (and the stack reserve), keeping x0..x`live`. May collect.
    /// Answers false when the process must end (its limit, or no memory): then the engine leaves
    /// with "exited".
    pub collect: unsafe extern "C" fn(context: *mut Context, words: usize, live: usize) -> bool,
    /// As `collect`, for a process that may as well leave and go on at `ip`, which it does when the collection would
    /// keep others waiting. The float registers live on as well. May collect.
    pub collect_at: unsafe extern "C" fn(
        context: *mut Context,
        words: usize,
        live: usize,
        ip: *const u64,
    ) -> Room,
    /// Whether a collection now would keep others waiting: then it is put off until the process leaves, which it does at
    /// the next call, and what the caller builds meanwhile goes beside the heap.
    pub put_off: unsafe extern "C" fn(context: *mut Context) -> bool,
    /// The process is about to leave in the middle of a function, at `ip`, where x0..x`live` live: keeps the float
    /// registers too. Answers how many X registers to keep: all arguments where the function begins.
    pub leave_midway:
        unsafe extern "C" fn(context: *mut Context, ip: *const u64, live: usize) -> usize,
    /// Unwinds: makes the stack trace of [`Context::raise`] for the instruction at `ip` (whose
    /// function failed), finds the handler, cuts the stack there, sets x0 = NONE, x1 = class,
    /// x2 = reason, x3 = raw trace, and answers the handler's address; null when nobody catches it:
    /// then the engine leaves with "exited". `failed` is the function to name first in the trace when
    /// the failure is that of a BIF (its arguments are at `arguments`), else null. `ip` is null when
    /// there is no instruction to name: the BIF, or the function without code, was entered by its
    /// export's stub, and its caller's return address is on the stack. May collect.
    pub unwind: unsafe extern "C" fn(
        context: *mut Context,
        ip: *const u64,
        failed: *const Export,
        arguments: *const Term,
    ) -> *const u64,
    /// x0 ! x1: sends and answers `Continue` (result in x0), or raises.
    pub send: unsafe extern "C" fn(context: *mut Context) -> Next,
    /// Moves what has arrived to the inner queue, handling the signals that are not messages;
    /// true when a message is at `save`. A signal may end the process: then it answers false and
    /// the following `wait` leaves.
    pub fetch_messages: unsafe extern "C" fn(context: *mut Context) -> bool,
    /// Takes the message at `save` out of the queue, adopts its block as a heap fragment, sets
    /// `save` back to the first, and stops the receive timer.
    pub remove_message: unsafe extern "C" fn(context: *mut Context),
    /// Sets the receive timer to x-register independent `timeout` (a term: milliseconds or
    /// `infinity`) unless it runs already. `Continue`: it is 0 or has run out, go on behind the wait.
    /// `Wait`: leave and wait. `Raised`: `timeout_value`.
    pub set_timeout: unsafe extern "C" fn(context: *mut Context, timeout: Term) -> Next,
    /// The receive's timeout branch is taken: forgets the timer, `save` back to the first.
    pub timed_out: unsafe extern "C" fn(context: *mut Context),
    /// Receive markers: reserve answers a term for the register; bind ties it to a reference; clear
    /// and use take what was bound.
    pub marker_reserve: unsafe extern "C" fn(context: *mut Context) -> Term,
    pub marker_bind: unsafe extern "C" fn(context: *mut Context, marker: Term, reference: Term),
    pub marker_clear: unsafe extern "C" fn(context: *mut Context, reference: Term),
    pub marker_use: unsafe extern "C" fn(context: *mut Context, reference: Term),
    /// The function called has no code: sets x0..x2 = module, function, arguments as a list and
    /// answers the address of `error_handler:undefined_function/3` (or raises undef: null). May collect.
    pub undefined_function:
        unsafe extern "C" fn(context: *mut Context, export: *const Export) -> *const u64,
    /// The function called has a breakpoint: as `undefined_function`, for `error_handler:breakpoint/3`. May collect.
    pub breakpoint: unsafe extern "C" fn(
        context: *mut Context,
        module: Term,
        function: Term,
        arity: usize,
    ) -> *const u64,
    /// Calling `fun` with x0..x`arity`, where the fast path does not apply (no fun, other arity,
    /// unloaded code): answers where to go on, or null after raising (badfun, badarity). May collect.
    pub call_fun:
        unsafe extern "C" fn(context: *mut Context, fun: Term, arity: usize) -> *const u64,
    /// `apply(Module, Function, Args)` with x0..x`arity` loaded, module and function given: the entry
    /// to go to, or null after raising. Handles pid/tuple-module errors as OTP does. May collect.
    pub apply: unsafe extern "C" fn(
        context: *mut Context,
        module: Term,
        function: Term,
        arity: usize,
    ) -> *const u64,
    /// `apply/3` with the arguments as a list: spreads them over x0.., answers as `apply` and
    /// writes the arity. May collect.
    pub apply_list: unsafe extern "C" fn(
        context: *mut Context,
        module: Term,
        function: Term,
        arguments: Term,
    ) -> *const u64,
    /// `apply(Fun, Args)`: spreads the list over x0.. and answers as `call_fun`. May collect.
    pub apply_fun_list:
        unsafe extern "C" fn(context: *mut Context, fun: Term, arguments: Term) -> *const u64,
    /// Turns the raw trace in a register into the list that programs see. Allocates.
    pub build_stacktrace: unsafe extern "C" fn(context: *mut Context, raw: Term) -> Term,
    /// `raise(Class, Reason, RawTrace)`: fills [`Context::raise`] to go on with a caught exception;
    /// false when the class is bad (the operation then answers `badarg`). `class` is NONE for the
    /// operation `raise`, which takes the class that the raw trace remembers.
    pub raw_raise:
        unsafe extern "C" fn(context: *mut Context, class: Term, reason: Term, trace: Term) -> bool,
    /// The value that an old-style `catch` answers for a caught exception: `{'EXIT', ..}` or the
    /// thrown term. Allocates.
    pub catch_value:
        unsafe extern "C" fn(context: *mut Context, class: Term, reason: Term, raw: Term) -> Term,
    /// `on_load`/tracing/other instructions that the engine leaves to the runtime, by generic opcode.
    pub other:
        unsafe extern "C" fn(context: *mut Context, opcode: u32, operands: *const u64) -> Next,
}
