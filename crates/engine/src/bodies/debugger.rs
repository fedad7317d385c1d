//! Where a debugger may stop a process: only code that was loaded for debuggers has this operation
//! (`line_breakpoints`).
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::{AtomicBool, Ordering};

use crate::operation::operations;
use crate::slow;

operations! {
    /// A line begins. If it has a breakpoint, the process calls a function of OTP first, which returns when the
    /// debugger wants it to go on.
    LineBreakpoint: P |m, o: LinePlace| {
        let is_set = m.wide(o.place) as *const AtomicBool;
        if (*is_set).load(Ordering::Relaxed) {
            return m.slow(o, slow::debugger::stop_at_line);
        }
        m.next(o.end)
    }
}
