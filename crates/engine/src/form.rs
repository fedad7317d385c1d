//! Where a body's operands come from, and how it reaches the next one.
//!
//! A body is written once, over a [`Form`]. In the [`Threaded`] form the operands are the words behind the handler
//! address at `ip`, and going on is a jump through the handler address of the next instruction. In the stencil form
//! (`stencils.rs`) they are symbols that the loader patches, and going on is falling into the next stencil.
//!
//! Nothing here touches memory that a caller of [`crate::run()`] does not own.

use layout::{Context, Term};

use crate::machine::Machine;

/// How a run of operations ended.
#[repr(u64)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Exit {
    /// The reductions are used up: the process is runnable, `ProcessHead::ip` and the saved X registers say where.
    Preempted = 0,
    /// The process waits for a message, a timer or a BIF's event.
    Waiting = 1,
    /// The process has ended: the bottom frame returned, nothing caught an exception, or a BIF or a collection said so.
    /// [`ProcessHead`](layout::ProcessHead) needs no more than to be taken apart.
    Exited = 2,
    /// The process has called `hibernate/3`: its stack holds only what it goes on with.
    Hibernated = 3,
    /// Under Miri only, inside the engine: the next handler waits in the trampoline.
    #[cfg(miri)]
    Step = 4,
}

/// The code of one operation. Its six arguments are the machine's registers: X base, stack, heap top, reductions left,
/// context, instruction.
pub type Handler = unsafe extern "C" fn(
    x: *mut Term,
    s: *mut Term,
    h: *mut u64,
    f: i64,
    c: *mut Context,
    ip: *const u64,
) -> Exit;

/// Where operands come from, and how to go on. The latter functions are called in tail position of a body, where they end
/// in a jump.
///
/// The contract of all: the machine runs the instruction at `ip`, which has the operand words that are named.
#[allow(clippy::missing_safety_doc)]
pub trait Form: Copy {
    /// Operand word `I`: a register, a label, a count, a size.
    unsafe fn word<const I: usize>(ip: *const u64) -> u64;

    /// Operand word `I`, if it is a term.
    unsafe fn constant<const I: usize>(ip: *const u64) -> u64;

    /// Operand word `I`, if it may be any word: an address outside the code.
    unsafe fn wide<const I: usize>(ip: *const u64) -> u64;

    /// The address of operand word `I`, for operations that walk over theirs.
    unsafe fn words<const I: usize>(ip: *const u64) -> *const u64;

    /// The address behind this instruction of `N` operand words, as a call pushes it.
    unsafe fn after<const N: usize>(ip: *const u64) -> *const u64;

    /// Goes on with the next instruction; this one has `N` operand words.
    unsafe fn next<const N: usize>(machine: Machine<Self>) -> Exit;

    /// Goes on with the next instruction, which is at `end`.
    unsafe fn next_at(machine: Machine<Self>, end: *const u64) -> Exit;

    /// Goes on at the label in operand word `I`.
    unsafe fn jump<const I: usize>(machine: Machine<Self>) -> Exit;

    /// Goes on at a code address.
    unsafe fn enter(machine: Machine<Self>, target: *const u64) -> Exit;

    /// Goes on in a slow path, which finds the operand words behind `ip` as the body does.
    unsafe fn slow(machine: Machine<Self>, glue: Handler) -> Exit;

    /// Leaves the engine at a call of the function that starts at `target`.
    unsafe fn preempt(machine: Machine<Self>, target: *const u64) -> Exit;
}

/// Operands are words behind the handler address.
#[derive(Clone, Copy)]
pub struct Threaded;

// SAFETY of all: the caller's contract, and that of an instruction: its first word is the address of a handler, its
// operand words follow, and another instruction stands behind it.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Form for Threaded {
    #[inline(always)]
    unsafe fn word<const I: usize>(ip: *const u64) -> u64 {
        unsafe { *ip.add(1 + I) }
    }

    #[inline(always)]
    unsafe fn constant<const I: usize>(ip: *const u64) -> u64 {
        unsafe { *ip.add(1 + I) }
    }

    #[inline(always)]
    unsafe fn wide<const I: usize>(ip: *const u64) -> u64 {
        unsafe { *ip.add(1 + I) }
    }

    #[inline(always)]
    unsafe fn words<const I: usize>(ip: *const u64) -> *const u64 {
        unsafe { ip.add(1 + I) }
    }

    #[inline(always)]
    unsafe fn after<const N: usize>(ip: *const u64) -> *const u64 {
        unsafe { ip.add(1 + N) }
    }

    #[inline(always)]
    unsafe fn next<const N: usize>(m: Machine<Self>) -> Exit {
        unsafe { Self::enter(m, m.ip.add(1 + N)) }
    }

    #[inline(always)]
    unsafe fn next_at(m: Machine<Self>, end: *const u64) -> Exit {
        unsafe { Self::enter(m, end) }
    }

    #[inline(always)]
    unsafe fn jump<const I: usize>(m: Machine<Self>) -> Exit {
        unsafe { Self::enter(m, *m.ip.add(1 + I) as *const u64) }
    }

    #[inline(always)]
    unsafe fn enter(m: Machine<Self>, target: *const u64) -> Exit {
        unsafe {
            let handler = *target.cast::<Handler>();
            dispatch(handler, m.x, m.s, m.h, m.f, m.c, target)
        }
    }

    #[inline(always)]
    unsafe fn slow(m: Machine<Self>, glue: Handler) -> Exit {
        unsafe { dispatch(glue, m.x, m.s, m.h, m.f, m.c, m.ip) }
    }

    #[inline(always)]
    unsafe fn preempt(m: Machine<Self>, target: *const u64) -> Exit {
        unsafe { dispatch(crate::slow::calls::preempt, m.x, m.s, m.h, m.f, m.c, target) }
    }
}

/// The closing call of every body. Compiled optimised it is a jump.
///
/// # Safety
/// `handler` expects the instruction at `ip`, or a code address, as its documentation says.
#[cfg(not(miri))]
#[inline(always)]
pub unsafe fn dispatch(
    handler: Handler,
    x: *mut Term,
    s: *mut Term,
    h: *mut u64,
    f: i64,
    c: *mut Context,
    ip: *const u64,
) -> Exit {
    // SAFETY: the caller's contract.
    unsafe { handler(x, s, h, f, c, ip) }
}

/// Under Miri a call in tail position would grow the stack, so the registers are left in the trampoline instead.
///
/// # Safety
/// As for the jump.
#[cfg(miri)]
pub unsafe fn dispatch(
    handler: Handler,
    x: *mut Term,
    s: *mut Term,
    h: *mut u64,
    f: i64,
    c: *mut Context,
    ip: *const u64,
) -> Exit {
    trampoline::NEXT.set(Some((handler, x, s, h, f, c, ip)));
    Exit::Step
}

/// The small loop that stands for the jumps under Miri.
#[cfg(miri)]
pub mod trampoline {
    use super::{Context, Exit, Handler, Term};
    use std::cell::Cell;

    type Registers = (
        Handler,
        *mut Term,
        *mut Term,
        *mut u64,
        i64,
        *mut Context,
        *const u64,
    );

    thread_local! {
        pub static NEXT: Cell<Option<Registers>> = const { Cell::new(None) };
    }

    /// Runs what [`super::dispatch`] left until a body ends otherwise.
    ///
    /// # Safety
    /// As for [`super::dispatch`].
    pub unsafe fn bounce(mut exit: Exit) -> Exit {
        while exit == Exit::Step {
            let (handler, x, s, h, f, c, ip) = NEXT.take().expect("a step leaves the next one");
            // SAFETY: the registers are those that a body left.
            exit = unsafe { handler(x, s, h, f, c, ip) };
        }
        exit
    }
}
