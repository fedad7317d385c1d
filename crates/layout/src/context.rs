//! The context of a scheduler: the state of one native thread that runs Erlang code. Its address is in one of the
//! machine's six registers.

use core::marker::PhantomPinned;

use crate::breakpoint::Breakpoint;
use crate::code::Export;
use crate::limits::{ALL_X_REGISTERS, FLOAT_REGISTERS};
use crate::process::ProcessHead;
use crate::term::Term;

/// One per thread that runs Erlang code; only that thread touches it.
#[repr(C)]
pub struct Context {
    /// The running process; null between processes.
    pub process: *mut ProcessHead,
    pub runtime: *const RuntimeTable,
    /// Reductions left in this slice. Stale while operation bodies run: they keep the count in a register.
    pub reductions_left: i64,
    /// Filled when an operation or BIF returns [`Term::NONE`]: an exception, or another way to continue.
    pub abrupt: Abrupt,
    /// Whether machine code looks immediate keys up in hash maps itself: the release hashes them as
    /// [`trie::scrambled`](crate::trie::scrambled) does, and the processor has the instructions for it.
    pub searches_tries: bool,
    /// The number of the scheduler, from 1.
    pub number: usize,
    /// For the functions of the runtime table; the engine does not read it.
    pub scheduler: *mut core::ffi::c_void,
    pub f: [f64; FLOAT_REGISTERS],
    /// The bit string that operations of older compilers build step by step (`bs_init2` and similar): the fields of
    /// `term::bits::construct::Builder`. Not valid across a safepoint.
    pub builder: [u64; 3],
    /// X registers; the X base register holds the address of this array.
    pub x: [Term; ALL_X_REGISTERS],
    /// Code that has borrowed the context exclusively calls functions that charge reductions through the scheduler's
    /// own pointer. This field makes the compiler allow that: it does not assume that `&mut Context` is unique.
    pub aliased: PhantomPinned,
}

/// The class of an exception.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Error = 0,
    Exit = 1,
    Throw = 2,
}

/// Why an operation or BIF returned no term.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbruptKind {
    /// Nothing was raised.
    None = 0,
    /// An exception of `class` with `reason`; the stack trace is built from the place where it was raised.
    Exception = 1,
    /// As `Exception`, but the stack trace is `trace` (`raise/3`, `raw_raise`).
    ExceptionWithTrace = 2,
    /// Call `target` instead, with the arguments that were put into x0.., and use its result.
    Trap = 3,
    /// The process waits. When it is woken, it calls the same function again, with the arguments in x0 onwards.
    Wait = 4,
    /// As `Wait`, but the process stays runnable: only its slice ends.
    Yield = 5,
    /// The process ends without unwinding (its exit is already decided).
    Exit = 6,
    /// The process waits with an empty stack and later continues at `target` (hibernate/3) with the arguments that
    /// were put into x0 onwards.
    Hibernate = 7,
}

#[repr(C)]
pub struct Abrupt {
    pub kind: AbruptKind,
    pub class: Class,
    /// The reason; for a throw, the thrown term.
    pub reason: Term,
    /// The given stack trace (`ExceptionWithTrace`), or extra information for `error_info` (a map or NONE).
    pub trace: Term,
    /// The function to call, for a trap or for hibernation.
    pub target: *const Export,
    /// The arguments to show in the stack trace in place of the arity (`error/2`), or NONE.
    pub arguments: Term,
}

/// What the engine must do after a function of the runtime table returned.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Next {
    /// Continue with the next instruction.
    Continue = 0,
    /// An exception was raised: see [`Context::abrupt`].
    Raised = 1,
    /// Leave the engine: the process waits.
    Wait = 2,
    /// Leave the engine: the process has used its slice.
    Yield = 3,
    /// Leave the engine likewise, and do the same instruction again.
    Again = 4,
}

/// The result of a look for messages that have arrived.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Arrived {
    /// There is no message at the queue's `save`.
    Nothing = 0,
    /// There is one.
    Message = 1,
    /// A signal has ended the process: it must leave the engine.
    Ended = 2,
    /// Very many signals have arrived: the process must leave the engine, and look again when it goes on.
    Later = 3,
}

/// Words that a function whose return is traced has on the stack, in front of its caller's return address: the address
/// of an instruction, and terms. See `runtime::trace::frames`.
pub const TRACED_FRAME_WORDS: usize = 6;

/// As [`TRACED_FRAME_WORDS`], if only the time or the memory of the function is measured.
pub const TIMED_FRAME_WORDS: usize = 2;

/// Room on the stack before a breakpoint: for all frames that it may make.
pub const TRACED_ROOM_WORDS: usize = 2 * TRACED_FRAME_WORDS + 2 * TIMED_FRAME_WORDS;

/// Where a process continues after a breakpoint.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Resume {
    /// A code address; null after raising.
    pub at: *const u64,
    /// What runs the instruction there, or null: whatever its first word says. That word, or the machine code that it
    /// stands for, may be the breakpoint.
    pub handler: *const (),
}

/// The result of a request for heap room.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Room {
    /// There is room now.
    Made = 0,
    /// The process must end: the engine leaves with "exited".
    Ended = 1,
    /// The collection happens elsewhere: the engine leaves with "preempted". The runtime has saved the registers and
    /// where the process continues.
    Deferred = 2,
}

/// The runtime's functions that operation bodies call. The engine writes heap top, stack and reductions back before
/// each call and reads them again after it. Only the functions marked "May collect" can move terms.
#[repr(C)]
pub struct RuntimeTable {
    /// Makes room for `words` on the heap (plus the stack reserve), preserving x0..x`live`. May collect. Returns
    /// false if the process must end (heap size limit reached, or out of memory): then the engine leaves with
    /// "exited".
    pub collect: unsafe extern "C" fn(context: *mut Context, words: usize, live: usize) -> bool,
    /// As `collect`, for callers that can also leave the engine and continue at `ip` later. They are told to leave
    /// when the collection would delay other processes. The float registers are preserved too. May collect.
    pub collect_at: unsafe extern "C" fn(
        context: *mut Context,
        words: usize,
        live: usize,
        ip: *const u64,
    ) -> Room,
    /// Returns true if a collection now would delay other processes. It is then postponed until the process leaves
    /// the engine, which happens at the next call; until then the caller builds outside the heap block, in a
    /// fragment.
    pub defer_collection: unsafe extern "C" fn(context: *mut Context) -> bool,
    /// Called when the process is about to leave in the middle of a function, at `ip`, with x0..x`live` live. Also
    /// saves the float registers. Returns how many X registers to save: at a function's entry, all its arguments.
    pub leave_midway:
        unsafe extern "C" fn(context: *mut Context, ip: *const u64, live: usize) -> usize,
    /// Unwinds the stack: builds the stack trace of [`Context::abrupt`] for the instruction at `ip` (whose function
    /// failed), finds the handler, cuts the stack there, sets x0 = NONE, x1 = class, x2 = reason, x3 = raw trace, and
    /// returns the handler's address. Returns null if nothing catches the exception: then the engine leaves with
    /// "exited". If a BIF failed, `failed` is the function to name first in the trace and `arguments` points to its
    /// arguments; otherwise `failed` is null. `ip` is null if there is no instruction to name, because the BIF, or
    /// the function without code, was entered through its export's stub; its caller's return address is then on the
    /// stack. May collect.
    pub unwind: unsafe extern "C" fn(
        context: *mut Context,
        ip: *const u64,
        failed: *const Export,
        arguments: *const Term,
    ) -> *const u64,
    /// `x0 ! x1`: sends and returns `Continue` (result in x0), or raises.
    pub send: unsafe extern "C" fn(context: *mut Context) -> Next,
    /// Moves arrived signals to the inner queue and handles those that are not messages. Returns true if there is a
    /// message at `save`. If a signal ends the process, it returns false and the following `wait` leaves the engine.
    pub fetch_messages: unsafe extern "C" fn(context: *mut Context) -> Arrived,
    /// Sets `save` to the next message that is to be examined; called at a `loop_rec` if the heap has the flag
    /// [`PRIORITY`](crate::heap::flag::PRIORITY).
    pub seek_message: unsafe extern "C" fn(context: *mut Context),
    /// Takes the message at `save` out of the queue, adopts its block as a heap fragment, resets `save` to the first
    /// message, and stops the receive timer.
    pub remove_message: unsafe extern "C" fn(context: *mut Context),
    /// Sets the receive timer to `timeout` (a term: milliseconds or `infinity`) unless it is already running.
    /// `Continue`: the timeout is 0 or has expired; continue after the wait. `Wait`: leave the engine and wait.
    /// `Raised`: `timeout_value`.
    pub set_timeout: unsafe extern "C" fn(context: *mut Context, timeout: Term) -> Next,
    /// The receive takes its timeout branch: forgets the timer and resets `save` to the first message.
    pub timed_out: unsafe extern "C" fn(context: *mut Context),
    /// Receive markers: reserve returns a term for the register; bind ties it to a reference; clear and use take the
    /// bound reference.
    pub marker_reserve: unsafe extern "C" fn(context: *mut Context) -> Term,
    pub marker_bind: unsafe extern "C" fn(context: *mut Context, marker: Term, reference: Term),
    pub marker_clear: unsafe extern "C" fn(context: *mut Context, reference: Term),
    pub marker_use: unsafe extern "C" fn(context: *mut Context, reference: Term),
    /// The called function has no code: sets x0..x2 = module, function, argument list, and returns the address of
    /// `error_handler:undefined_function/3` (or null after raising undef). May collect.
    pub undefined_function:
        unsafe extern "C" fn(context: *mut Context, export: *const Export) -> *const u64,
    /// The function with this entry is only outlined: makes its code and returns where that begins.
    pub translate: unsafe extern "C" fn(entry: *const u64) -> *const u64,
    /// The function with this entry has been called often enough for its module to get machine code. Told again after
    /// many more calls.
    pub is_warm: unsafe extern "C" fn(entry: *const u64),
    /// The called function has this breakpoint. There are [`TRACED_ROOM_WORDS`] of room on the stack. Returns where to
    /// continue. May collect only if that is not the function.
    pub breakpoint:
        unsafe extern "C" fn(context: *mut Context, breakpoint: *const Breakpoint) -> Resume,
    /// The breakpoint at an instruction; null if that is not the entry of a function that has one.
    pub breakpoint_at: unsafe extern "C" fn(entry: *const u64) -> *const Breakpoint,
    /// An export is traced, and this is the one that its calls lead to. As `breakpoint`, but never fails.
    pub traced_export:
        unsafe extern "C" fn(context: *mut Context, export: *const Export) -> *const u64,
    /// A function whose return is traced has returned x0. The words of its frame are on top of the stack.
    pub traced_return: unsafe extern "C" fn(context: *mut Context),
    /// As `traced_return`, of a function whose time is taken.
    pub timed_return: unsafe extern "C" fn(context: *mut Context),
    /// The process stops at the line of the instruction before `next`: puts the function's name and the line into
    /// x0..x3, and returns the entry of the function to call.
    pub stop_at_line: unsafe extern "C" fn(context: *mut Context, next: *const u64) -> *const u64,
    /// The first instruction of the stub that replaces the function with this entry; a native library has put it there.
    pub native_function: unsafe extern "C" fn(entry: *const u64) -> *const u64,
    /// Calls `fun` with x0..x`arity` where the fast path does not apply (not a fun, wrong arity, unloaded code):
    /// returns the address to continue at, or null after raising (badfun, badarity). May collect.
    pub call_fun:
        unsafe extern "C" fn(context: *mut Context, fun: Term, arity: usize) -> *const u64,
    /// `apply(Module, Function, Args)` with the arguments already in x0..x`arity`: returns the entry to jump to, or
    /// null after raising. Raises the same errors as OTP for a module that is a pid or a tuple. May collect.
    pub apply: unsafe extern "C" fn(
        context: *mut Context,
        module: Term,
        function: Term,
        arity: usize,
    ) -> *const u64,
    /// `apply/3` with the arguments as a list: spreads them over x0.. and returns as `apply` does. May collect.
    pub apply_list: unsafe extern "C" fn(
        context: *mut Context,
        module: Term,
        function: Term,
        arguments: Term,
    ) -> *const u64,
    /// `apply(Fun, Args)`: spreads the list over x0.. and returns as `call_fun` does. May collect.
    pub apply_fun_list:
        unsafe extern "C" fn(context: *mut Context, fun: Term, arguments: Term) -> *const u64,
    /// Converts the raw trace in a register to the list that programs see. Allocates.
    pub build_stacktrace: unsafe extern "C" fn(context: *mut Context, raw: Term) -> Term,
    /// `raise(Class, Reason, RawTrace)`: fills [`Context::abrupt`] to re-raise a caught exception. Returns false if
    /// the class is invalid (the operation's result is then `badarg`). `class` is NONE for the operation `raise`,
    /// which uses the class stored in the raw trace.
    pub raw_raise:
        unsafe extern "C" fn(context: *mut Context, class: Term, reason: Term, trace: Term) -> bool,
    /// The result of an old-style `catch` for a caught exception: `{'EXIT', ..}` or the thrown term. Allocates.
    pub catch_value:
        unsafe extern "C" fn(context: *mut Context, class: Term, reason: Term, raw: Term) -> Term,
    /// The record that the current version of a module defines by this name, with the default value of each field
    /// (`term::native_record::NO_VALUE` where there is none); NONE if it defines none.
    pub find_record: unsafe extern "C" fn(module: Term, name: Term) -> Term,
    /// Instructions that the engine leaves to the runtime (`on_load`, tracing and others), by generic opcode.
    pub other:
        unsafe extern "C" fn(context: *mut Context, opcode: u32, operands: *const u64) -> Next,
}
