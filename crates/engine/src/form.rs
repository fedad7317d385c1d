//! Where a body's operands come from, and how it reaches the next one.
//!
//! A body is written once, over a [`Form`]. In the [`Threaded`] form the operands are the words behind the handler
//! address at `ip`, and going on is a jump through the handler address of the next instruction. In the stencil form
//! they are symbols that the loader patches, and going on is falling into the next stencil.
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
pub type Handler = unsafe extern "sysv64" fn(
    x: *mut Term,
    s: *mut Term,
    h: *mut u64,
    f: i64,
    c: *mut Context,
    ip: *const u64,
) -> Exit;

/// Where operands come from. All functions are called in tail position of a body, where they end in a jump.
pub trait Form: Copy {
    /// Operand word `I`.
    ///
    /// # Safety
    /// The instruction at `ip` has more than `I` operand words.
    unsafe fn word<const I: usize>(ip: *const u64) -> u64;

    /// The address of operand word `I`, for operations that walk over theirs.
    ///
    /// # Safety
    /// As [`Form::word`].
    unsafe fn words<const I: usize>(ip: *const u64) -> *const u64;

    /// The address behind this instruction, which has `N` operand words, as a call pushes it.
    ///
    /// # Safety
    /// The instruction has `N` operand words.
    unsafe fn after<const N: usize>(ip: *const u64) -> *const u64;

    /// Goes on at a code address.
    ///
    /// # Safety
    /// `target` is an instruction of live code, and the machine's registers are as canonical state asks.
    unsafe fn enter(machine: Machine<Self>, target: *const u64) -> Exit;

    /// Goes on in a slow path, which finds the operand words behind `ip` as the body does.
    ///
    /// # Safety
    /// `glue` expects the operand words of this instruction.
    unsafe fn slow(machine: Machine<Self>, glue: Handler) -> Exit;

    /// Leaves the engine at a call of the function that starts at `target`.
    ///
    /// # Safety
    /// `target` is a function's entry.
    unsafe fn preempt(machine: Machine<Self>, target: *const u64) -> Exit;
}

/// Operands are words behind the handler address.
#[derive(Clone, Copy)]
pub struct Threaded;

impl Form for Threaded {
    #[inline(always)]
    unsafe fn word<const I: usize>(ip: *const u64) -> u64 {
        // SAFETY: the caller's contract.
        unsafe { *ip.add(1 + I) }
    }

    #[inline(always)]
    unsafe fn words<const I: usize>(ip: *const u64) -> *const u64 {
        // SAFETY: the caller's contract.
        unsafe { ip.add(1 + I) }
    }

    #[inline(always)]
    unsafe fn after<const N: usize>(ip: *const u64) -> *const u64 {
        // SAFETY: another instruction follows, if only `int_code_end`'s.
        unsafe { ip.add(1 + N) }
    }

    #[inline(always)]
    unsafe fn enter(m: Machine<Self>, target: *const u64) -> Exit {
        // SAFETY: the first word of an instruction is the address of a handler.
        unsafe {
            let handler = *target.cast::<Handler>();
            dispatch(handler, m.x, m.s, m.h, m.f, m.c, target)
        }
    }

    #[inline(always)]
    unsafe fn slow(m: Machine<Self>, glue: Handler) -> Exit {
        // SAFETY: the caller's contract.
        unsafe { dispatch(glue, m.x, m.s, m.h, m.f, m.c, m.ip) }
    }

    #[inline(always)]
    unsafe fn preempt(m: Machine<Self>, target: *const u64) -> Exit {
        // SAFETY: the slow path expects a function's entry.
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
