//! Calls and returns of slow paths, in pairs for the processor.
//!
//! A processor keeps the addresses behind its latest call instructions, and predicts by them where a return instruction
//! goes. Return addresses of Erlang functions are on the Erlang stack, so machine code uses both instructions for that
//! alone (`build/assembly.rs`): a call puts an address on the native stack, which the code before the entry of the
//! function drops; a return puts the true address there and returns to it. A slow path that calls or returns does the
//! same, since one that is missing makes all predictions wrong that are still kept. What the processor predicts has no
//! other effect.
//!
//! A function that calls itself once in each invocation does without (`codegen::recursion`), for there it makes more
//! calls than a processor keeps.
//!
//! In the threaded form calls and returns are jumps, and so they are under Miri.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::form::{Exit, Form};
use crate::registers::Registers;
use crate::slow::leave::preempt;

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod paired {
    use crate::form::Handler;

    core::arch::global_asm!(
        // The return address that is dropped leads nowhere. It must not be the next instruction: the processor takes a
        // call of that for a way to learn its own address.
        ".globl ferl_paired_call",
        "ferl_paired_call:",
        "call 2f",
        "ud2",
        "2:",
        "add rsp, 8",
        "jmp qword ptr [r9]",
        ".globl ferl_paired_return",
        "ferl_paired_return:",
        "push qword ptr [r9]",
        "ret",
    );

    unsafe extern "C" {
        pub(super) fn ferl_paired_call();
        pub(super) fn ferl_paired_return();
    }

    /// As a handler of the code address that it enters.
    pub(super) unsafe fn handler(symbol: unsafe extern "C" fn()) -> Handler {
        unsafe { core::mem::transmute::<unsafe extern "C" fn(), Handler>(symbol) }
    }
}

/// Calls the function at the code address `target`, whose return address was pushed; see [`Registers::call`].
#[inline(always)]
pub(crate) unsafe fn call<F: Form>(mut m: Registers<F>, target: *const u64) -> Exit {
    unsafe {
        m.f -= 1;
        if m.f < 0 {
            return F::slow_at(m, preempt.handler, target);
        }
        #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
        return paired::handler(paired::ferl_paired_call)(m.x, m.s, m.h, m.f, m.c, target);
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
        m.enter(target)
    }
}

/// Returns to the code address `target`, which was popped.
#[inline(always)]
pub(crate) unsafe fn return_to<F: Form>(m: Registers<F>, target: *const u64) -> Exit {
    unsafe {
        #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
        return paired::handler(paired::ferl_paired_return)(m.x, m.s, m.h, m.f, m.c, target);
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
        m.enter(target)
    }
}
