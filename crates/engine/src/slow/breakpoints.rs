//! Breakpoints at functions' entries, in the threaded form, and how to go on behind one.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::Ordering;

use layout::Breakpoint;
use layout::context::Resume;

use crate::detour::DETOUR;
use crate::form::{Exit, Form, Handler, dispatch};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::tiering;

/// Whether the instruction that runs may be the entry of a function with a breakpoint: [`breakpoint_here`] tells. The
/// call has been told of or counted then: who runs the instruction again must [`go_on`] behind the breakpoint.
#[inline(always)]
pub(crate) unsafe fn may_have_breakpoint<F: Form>(m: &Registers<F>) -> bool {
    unsafe {
        let handler = *m.ip;
        // Functions have no bytes under Miri, where all code is in the threaded form.
        handler == breakpoint.handler as usize as u64
            || !cfg!(miri) && *(handler as *const u8) == DETOUR
    }
}

/// The breakpoint at the instruction that runs, or null if there is none.
#[inline(always)]
pub(crate) unsafe fn breakpoint_here<F: Form>(m: &Registers<F>) -> *const Breakpoint {
    unsafe {
        match may_have_breakpoint(m) {
            true => (m.runtime().breakpoint_at)(m.ip),
            false => core::ptr::null(),
        }
    }
}

/// Continues behind a breakpoint.
#[inline(always)]
pub(crate) unsafe fn go_on<F: Form>(m: Registers<F>, resume: Resume) -> Exit {
    unsafe {
        if resume.handler.is_null() {
            return m.enter(resume.at);
        }
        let handler = core::mem::transmute::<*const (), Handler>(resume.handler);
        dispatch(handler, m.x, m.s, m.h, m.f, m.c, resume.at)
    }
}

slow_paths! {
    /// A breakpoint at a function's entry, in the threaded form; the arguments are in x0 onwards. No operands: the
    /// words after it belong to the instruction that the breakpoint replaced.
    breakpoint |m, o: Nothing| {
        let entry = m.ip;
        m.save();
        if tiering::is_warm(tiering::count(entry)) {
            (m.runtime().is_warm)(entry);
        }
        let record = (m.runtime().breakpoint_at)(entry);
        m.load();
        let handler = (*record).handler.load(Ordering::Relaxed).cast_const();
        let handler = core::mem::transmute::<*const (), Handler>(handler);
        handler(m.x, m.s, m.h, m.f, m.c, record.cast())
    }
}
