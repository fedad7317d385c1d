//! Where processes start and end, and the stubs of exports: instructions that belong to no module.
//!
//! To start a process, the runtime pushes [`process_end`] as the bottom frame's return address, fills the saved X
//! registers (pushed behind it, x0 at the lowest address, `saved_x` of them) and sets `ip` to a routine:
//!
//! | routine | X registers |
//! |---|---|
//! | [`apply`] | x0 module, x1 function, x2 list of arguments |
//! | [`call_fun`] | x0 fun of no arguments |
//! | [`apply_fun`] | x0 fun, x1 list of arguments |

use layout::{Export, Term};

use crate::bodies::calls::CallFunLast;
use crate::form::{Handler, Threaded};
use crate::operand::X;
use crate::operation::S;
use crate::slow;

/// An instruction outside any module: it has the shape of a function's entry, its arity in front.
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

// The fun is in x0, whose operand word is 0; it has no arguments, and there is no frame.
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

/// The return address of a process's bottom frame: leaves with [`Exit::Exited`](crate::Exit::Exited), which is the end
/// with reason `normal`. How the runtime tells it from an exception that nobody caught: it decided the latter itself, in
/// `unwind`.
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

/// What the stub of an export does when no module's code stands behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stub {
    /// Calls [`Export::bif`], which is there.
    Bif,
    /// Asks the runtime (`undefined_function`) where to go.
    Undefined,
    /// `erlang:apply/3`.
    Apply,
    /// `erlang:apply/2`.
    ApplyFun,
}

/// Writes an export's stub: `func_info`, then the instruction at [`Export::STUB_ENTRY`]. Sets no `code`: that is the
/// caller's to point there ([`stub_entry`]).
///
/// # Safety
/// `export` is valid, stays where it is, and no thread runs its stub meanwhile. For [`Stub::Bif`] it has a body.
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
/// `export` is valid and stays where it is.
#[must_use]
pub unsafe fn stub_entry(export: *const Export) -> *const u64 {
    // SAFETY: within the stub.
    unsafe {
        (&raw const (*export).stub)
            .cast::<u64>()
            .add(Export::STUB_ENTRY)
    }
}

/// Which stub an export of this name gets: the two `apply` are instructions, a BIF is called, anything else is undefined.
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
