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
use crate::form::{Handler, Threaded};
use crate::operand::X;
use crate::operation::S;
use crate::slow;

/// An instruction outside any module. It has the layout of a function's entry, preceded by its arity.
#[repr(C)]
struct Routine {
    arity: u64,
    handler: Handler,
    operands: [u64; 3],
}

static PROCESS_END: Routine = Routine {
    arity: 0,
    handler: slow::calls::process_end,
    operands: [0; 3],
};

static APPLY: Routine = Routine {
    arity: 3,
    handler: slow::calls::apply_list_last,
    operands: [0; 3],
};

// The fun is in x0, whose operand word is 0; it takes no arguments, and there is no frame.
static CALL_FUN: Routine = Routine {
    arity: 1,
    handler: CallFunLast::run::<Threaded, X>,
    operands: [0; 3],
};

static APPLY_FUN: Routine = Routine {
    arity: 2,
    handler: slow::calls::apply_fun_list_last,
    operands: [0; 3],
};

fn entry(routine: &'static Routine) -> *const u64 {
    (&raw const routine.handler).cast::<u64>()
}

/// The return address of a process's bottom frame: leaves with [`Exit::Exited`](crate::Exit::Exited), and the process
/// ends with reason `normal`. The runtime can tell this from an uncaught exception, because it handled the latter
/// itself, in `unwind`.
#[must_use]
pub fn process_end() -> *const u64 {
    entry(&PROCESS_END)
}

/// Runs `apply(x0, x1, x2)` as a tail call.
#[must_use]
pub fn apply() -> *const u64 {
    entry(&APPLY)
}

/// Calls the fun in x0, which takes no arguments, as a tail call.
#[must_use]
pub fn call_fun() -> *const u64 {
    entry(&CALL_FUN)
}

/// Runs `apply(x0, x1)` for a fun and a list, as a tail call.
#[must_use]
pub fn apply_fun() -> *const u64 {
    entry(&APPLY_FUN)
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
}

/// Writes an export's stub: `func_info`, then the instruction at [`Export::STUB_ENTRY`]. Does not set `code`: the
/// caller must make it point there ([`stub_entry`]).
///
/// # Safety
/// `export` is valid and does not move, and no thread runs its stub during the call. For [`Stub::Bif`], `bif` is set.
pub unsafe fn write_stub(export: *mut Export, stub: Stub) {
    // SAFETY: the caller's promise; the stub has eight words.
    unsafe {
        let (handler, operand): (Handler, u64) = match stub {
            Stub::Bif => {
                assert!((*export).bif.is_some(), "a BIF's stub needs a body");
                (slow::bifs::call_bif_stub, export as u64)
            }
            Stub::Undefined => (slow::calls::undefined, export as u64),
            Stub::Apply => (slow::calls::apply_list_last, 0),
            Stub::ApplyFun => (slow::calls::apply_fun_list_last, 0),
        };
        let info: Handler = slow::exceptions::function_clause;
        (*export).stub = [
            info as usize as u64,
            (*export).module.bits(),
            (*export).function.bits(),
            u64::from((*export).arity),
            handler as usize as u64,
            operand,
            0,
            0,
        ];
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
    if export.module == Term::atom(isa::atoms::ERLANG)
        && export.function == Term::atom(isa::atoms::APPLY)
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
