//! Where processes start and end, and the stubs of exports: instructions outside any module.
//!
//! To start a process, the runtime pushes [`process_end`] as the bottom frame's return address, then pushes the
//! initial X registers as saved ones (x0 at the lowest address, `saved_x` is their number), and sets `ip` to a
//! routine:
//!
//! | routine | X registers |
//! |---|---|
//! | [`apply`] | x0 module, x1 function, x2 list of arguments |
//! | [`call_fun`] | x0 fun without arguments |
//! | [`apply_fun`] | x0 fun, x1 list of arguments |

use layout::{Export, Term};

use crate::bodies::calls::CallFunLast;
use crate::encoding::{CallExport, Encoding, Frame, FunctionClause, WordSink};
use crate::form::Threaded;
use crate::operand::X;
use crate::operation::{HandlerOf, Operation, S};
use crate::routine::Routine;
use crate::slow;
use crate::slow::calls::PROCESS_END;
use crate::slow::debugger::LINE_RESUMED;

static TRACED_RETURN: Routine = Routine::new(1, slow::calls::traced_return);

static TIMED_RETURN: Routine = Routine::new(1, slow::calls::timed_return);

static NO_CODE: Routine = Routine::new(0, slow::exceptions::end_of_code);

static APPLY: Routine = Routine::new(3, slow::calls::apply_list_last);

// The fun is in x0 and takes no arguments, so its free variables are copied to x0 onwards; there is no frame.
static CALL_FUN: Routine = Routine::new(
    1,
    HandlerOf::<<CallFunLast as Operation>::Encoding>::new(CallFunLast::run::<Threaded, X>),
);

static APPLY_FUN: Routine = Routine::new(2, slow::calls::apply_fun_list_last);

/// The return address of a process's bottom frame: leaves with [`Exit::Exited`](crate::Exit::Exited), and the process
/// ends with reason `normal`. The runtime can tell this from an uncaught exception, because it handled the latter
/// itself, in `unwind`.
#[must_use]
pub fn process_end() -> *const u64 {
    PROCESS_END.entry()
}

/// The return address of a function whose return is traced; it has words of its own on the stack behind it.
#[must_use]
pub fn traced_return() -> *const u64 {
    TRACED_RETURN.entry()
}

/// As [`traced_return`], if the time of the function is taken.
#[must_use]
pub fn timed_return() -> *const u64 {
    TIMED_RETURN.entry()
}

/// The return address of a function that a process calls at a line with a breakpoint: the X registers of the process
/// are on the stack behind it.
#[must_use]
pub fn line_resumed() -> *const u64 {
    LINE_RESUMED.entry()
}

/// Raises `system_limit`, in the place of a function for whose code there is no memory.
#[must_use]
pub fn no_code() -> *const u64 {
    NO_CODE.entry()
}

/// Runs `apply(x0, x1, x2)` as a tail call.
#[must_use]
pub fn apply() -> *const u64 {
    APPLY.entry()
}

/// Calls the fun in x0, which takes no arguments, as a tail call.
#[must_use]
pub fn call_fun() -> *const u64 {
    CALL_FUN.entry()
}

/// Runs `apply(x0, x1)` for a fun and a list, as a tail call.
#[must_use]
pub fn apply_fun() -> *const u64 {
    APPLY_FUN.entry()
}

/// What the stub of an export does while no module defines the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stub {
    /// Calls [`Export::bif`], which must be present.
    Bif,
    /// Asks the runtime (`undefined_function`) where to continue.
    Undefined,
    /// `erlang:apply/3`.
    Apply,
    /// `erlang:apply/2`.
    ApplyFun,
    /// Tells the runtime (`traced_export`) of calls of the export that this one stands for.
    Traced,
}

/// Writes an export's stub: `func_info`, then the instruction at [`Export::STUB_ENTRY`]. Does not set `code`: the
/// caller must make it point there ([`stub_entry`]).
///
/// # Safety
/// `export` is valid and does not move, and no thread runs its stub during the call. For [`Stub::Bif`], `bif` is set.
pub unsafe fn write_stub(export: *mut Export, stub: Stub) {
    let mut words = StubWords::default();
    // SAFETY: the caller's promise.
    unsafe {
        let info = FunctionClause {
            module: (*export).module,
            function: (*export).function,
            first: 0,
            arity: u64::from((*export).arity),
        };
        words.instruction(slow::exceptions::function_clause, info);
        assert_eq!(words.count, Export::STUB_ENTRY);
        match stub {
            Stub::Bif => {
                assert!((*export).bif.is_some(), "a BIF's stub needs a body");
                words.instruction(slow::bifs::call_bif_stub, CallExport { export });
            }
            Stub::Undefined => words.instruction(slow::calls::undefined, CallExport { export }),
            Stub::Traced => words.instruction(slow::calls::traced_export, CallExport { export }),
            Stub::Apply => words.instruction(slow::calls::apply_list_last, Frame { frame: 0 }),
            Stub::ApplyFun => {
                words.instruction(slow::calls::apply_fun_list_last, Frame { frame: 0 });
            }
        }
        (*export).stub = words.words;
    }
}

/// The words of a stub while they are being written.
#[derive(Default)]
struct StubWords {
    words: [u64; 8],
    count: usize,
}

impl StubWords {
    fn instruction<W: Encoding>(&mut self, handler: HandlerOf<W>, operands: W) {
        self.word(handler.handler as usize as u64);
        operands.write(self);
    }
}

impl WordSink for StubWords {
    fn word(&mut self, word: u64) {
        self.words[self.count] = word;
        self.count += 1;
    }

    fn label(&mut self, label: u32) {
        unreachable!("a stub has no labels: {label}");
    }
}

/// Where [`Export::code`] points while no module defines the function.
///
/// # Safety
/// `export` is valid and does not move.
#[must_use]
pub unsafe fn stub_entry(export: *const Export) -> *const u64 {
    // SAFETY: the address is within the stub.
    unsafe {
        (&raw const (*export).stub)
            .cast::<u64>()
            .add(Export::STUB_ENTRY)
    }
}

/// The kind of stub for an export: `apply/2` and `apply/3` have instructions of their own, a BIF is called, anything
/// else is undefined.
#[must_use]
pub fn stub_for(export: &Export) -> Stub {
    if export.module == Term::atom(spec::atoms::ERLANG)
        && export.function == Term::atom(spec::atoms::APPLY)
    {
        match export.arity {
            2 => return Stub::ApplyFun,
            3 => return Stub::Apply,
            _ => (),
        }
    }
    if export.bif.is_some() {
        Stub::Bif
    } else {
        Stub::Undefined
    }
}
