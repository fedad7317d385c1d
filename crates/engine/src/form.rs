//! Where a body's operands come from, and how control passes to the next body.
//!
//! A body is written once, generic over a [`Form`]. In the [`Threaded`] form, the operands are the words after the
//! handler address at `ip`, and a body continues with a jump through the handler address of the next instruction. In
//! the stencil form (`stencils.rs`), operands are symbols that the loader patches, and a body continues by falling
//! through to the next stencil.
//!
//! Nothing here accesses memory that the caller of [`crate::run()`] does not own.

use layout::{Context, Term};

use crate::registers::Registers;

/// Why the engine was left.
#[repr(u64)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Exit {
    /// The reductions are used up: the process is runnable, and continues at `ProcessHead::ip` with the saved X
    /// registers.
    Preempted = 0,
    /// The process waits for a message, a timer or a BIF's event.
    Waiting = 1,
    /// The process has ended: the bottom frame returned, an exception was not caught, or a BIF or a collection ended
    /// it. [`ProcessHead`](layout::ProcessHead) only needs to be torn down.
    Exited = 2,
    /// The process has called `hibernate/3`: its stack holds only what it needs to continue.
    Hibernated = 3,
    /// Only under Miri, inside the engine: the next handler is waiting in the trampoline.
    #[cfg(miri)]
    Step = 4,
}

/// The code of one operation. Its six arguments are the machine's registers: X base, stack pointer, heap top,
/// reductions left, context, and instruction pointer.
pub type Handler = unsafe extern "C" fn(
    x: *mut Term,
    s: *mut Term,
    h: *mut u64,
    f: i64,
    c: *mut Context,
    ip: *const u64,
) -> Exit;

/// Where operands come from, and how a body continues. The functions that return [`Exit`] are called in tail position
/// of a body and compile to a jump.
///
/// All functions share one contract: the machine runs the instruction at `ip`, and it has the operand words that the
/// call names.
#[allow(clippy::missing_safety_doc)]
pub(crate) trait Form: Copy {
    /// Operand word `I`, if it is a register, a label, a count or a size.
    unsafe fn word<const I: usize>(ip: *const u64) -> u64;

    /// Operand word `I`, if it is a term.
    unsafe fn constant<const I: usize>(ip: *const u64) -> u64;

    /// Operand word `I`, if it may have any 64-bit value, such as an address outside the code.
    unsafe fn wide<const I: usize>(ip: *const u64) -> u64;

    /// The address of operand word `I`, for operations that loop over their operands.
    unsafe fn words<const I: usize>(ip: *const u64) -> *const u64;

    /// The address after this instruction of `N` operand words; a call pushes it as its return address.
    unsafe fn after<const N: usize>(ip: *const u64) -> *const u64;

    /// Continues with the next instruction; this one has `N` operand words.
    unsafe fn next<const N: usize>(machine: Registers<Self>) -> Exit;

    /// As `next`; machine code passes the term on.
    unsafe fn next_with<const N: usize>(machine: Registers<Self>, passed: Term) -> Exit;

    /// The word of the term that the machine code before has passed on, in place of an instruction pointer.
    unsafe fn passed(ip: *const u64) -> u64;

    /// Continues with the next instruction, which is at `end`.
    unsafe fn next_at(machine: Registers<Self>, end: *const u64) -> Exit;

    /// Continues at the label in operand word `I`.
    unsafe fn jump<const I: usize>(machine: Registers<Self>) -> Exit;

    /// Continues at the label with this index of a jump table: `count` addresses of machine code, and then as many
    /// labels.
    unsafe fn enter_table(
        machine: Registers<Self>,
        table: *const u64,
        index: usize,
        count: u64,
    ) -> Exit;

    /// Continues at a code address.
    unsafe fn enter(machine: Registers<Self>, target: *const u64) -> Exit;

    /// Continues in a slow path, which finds the operand words after `ip` as the body does.
    unsafe fn slow(machine: Registers<Self>, path: Handler) -> Exit;

    /// Continues in a slow path that finds a code address, `ip`, instead of its operands.
    unsafe fn slow_at(machine: Registers<Self>, path: Handler, ip: *const u64) -> Exit;
}

/// The form in which operands are words after the handler address.
#[derive(Clone, Copy)]
pub(crate) struct Threaded;

// SAFETY of all functions: the caller's contract, and the layout of an instruction: its first word is the address of
// a handler, its operand words follow, and after them comes another instruction.
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
    unsafe fn next<const N: usize>(m: Registers<Self>) -> Exit {
        unsafe { Self::enter(m, m.ip.add(1 + N)) }
    }

    #[inline(always)]
    unsafe fn next_with<const N: usize>(m: Registers<Self>, _: Term) -> Exit {
        unsafe { Self::next::<N>(m) }
    }

    #[inline(always)]
    unsafe fn passed(_: *const u64) -> u64 {
        unreachable!("no operand of this form is passed on")
    }

    #[inline(always)]
    unsafe fn next_at(m: Registers<Self>, end: *const u64) -> Exit {
        unsafe { Self::enter(m, end) }
    }

    #[inline(always)]
    unsafe fn jump<const I: usize>(m: Registers<Self>) -> Exit {
        unsafe { Self::enter(m, *m.ip.add(1 + I) as *const u64) }
    }

    #[inline(always)]
    unsafe fn enter_table(m: Registers<Self>, table: *const u64, index: usize, count: u64) -> Exit {
        unsafe { Self::enter(m, *table.add(count as usize + index) as *const u64) }
    }

    #[inline(always)]
    unsafe fn enter(m: Registers<Self>, target: *const u64) -> Exit {
        unsafe {
            let handler = *target.cast::<Handler>();
            dispatch(handler, m.x, m.s, m.h, m.f, m.c, target)
        }
    }

    #[inline(always)]
    unsafe fn slow(m: Registers<Self>, path: Handler) -> Exit {
        unsafe { dispatch(path, m.x, m.s, m.h, m.f, m.c, m.ip) }
    }

    #[inline(always)]
    unsafe fn slow_at(m: Registers<Self>, path: Handler, ip: *const u64) -> Exit {
        unsafe { dispatch(path, m.x, m.s, m.h, m.f, m.c, ip) }
    }
}

/// What holds between any two instructions: heap and stack have not met, and both, as code, consist of whole words.
#[inline(always)]
fn check(s: *mut Term, h: *mut u64, ip: *const u64) {
    debug_assert!(h as usize <= s as usize, "the heap is in the stack");
    debug_assert!(h as usize % 8 == 0 && s as usize % 8 == 0);
    debug_assert!(!ip.is_null() && ip as usize % 8 == 0);
}

/// The final call of every body. With optimisation it compiles to a jump.
///
/// # Safety
/// `handler` expects at `ip` the instruction, or the code address, that its documentation says.
#[cfg(not(miri))]
#[inline(always)]
pub(crate) unsafe fn dispatch(
    handler: Handler,
    x: *mut Term,
    s: *mut Term,
    h: *mut u64,
    f: i64,
    c: *mut Context,
    ip: *const u64,
) -> Exit {
    check(s, h, ip);
    // SAFETY: the caller's contract.
    unsafe { handler(x, s, h, f, c, ip) }
}

/// Under Miri a tail call would grow the stack, so the registers are stored for the trampoline instead.
///
/// # Safety
/// As for `dispatch` without Miri.
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
    check(s, h, ip);
    trampoline::NEXT.set(Some((handler, x, s, h, f, c, ip)));
    Exit::Step
}

/// The loop that replaces the jumps under Miri.
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

    /// Runs the handlers that [`super::dispatch`] stored, until a body leaves the engine.
    ///
    /// # Safety
    /// As for [`super::dispatch`].
    pub unsafe fn bounce(mut exit: Exit) -> Exit {
        while exit == Exit::Step {
            let (handler, x, s, h, f, c, ip) = NEXT.take().expect("a step leaves the next one");
            // SAFETY: the registers are those that a body stored.
            exit = unsafe { handler(x, s, h, f, c, ip) };
        }
        exit
    }
}
