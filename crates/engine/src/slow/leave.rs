//! Leaving the engine, so that the process continues later.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::limits::X_REGISTERS;

use crate::form::{Exit, Form};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::collect::{make_room, make_room_at};

/// Leaves the engine: saves x0..x`live` on the stack; the process will continue at `ip`.
#[inline(always)]
pub(crate) unsafe fn leave<F: Form>(
    mut m: Registers<F>,
    exit: Exit,
    ip: *const u64,
    live: usize,
) -> Exit {
    debug_assert!(live <= X_REGISTERS);
    unsafe {
        if !m.has_room(live as u64 * 8) {
            if exit == Exit::Preempted {
                if let Some(exit) = make_room_at(&mut m, live, live, ip) {
                    return exit;
                }
            } else if !make_room(&mut m, live, live) {
                return Exit::Exited;
            }
        }
        m.s = m.s.sub(live);
        let mut index = 0;
        while index < live {
            *m.s.add(index) = *m.x.add(index);
            index += 1;
        }
        m.save();
        let process = (*m.c).process;
        (*process).ip = ip;
        (*process).saved_x = live as u16;
        exit
    }
}

/// The arity of the function that starts at `entry`.
#[inline(always)]
pub(crate) unsafe fn arity_at(entry: *const u64) -> usize {
    unsafe { *entry.sub(1) as usize }
}

slow_paths! {
    /// The reductions are used up at a call; `ip` is the callee's entry.
    preempt |m, o: Nothing| {
        let entry = m.ip;
        let live = arity_at(entry);
        leave(m, Exit::Preempted, entry, live)
    }

    /// The reductions are used up at a return to `ip`.
    preempt_behind |m, o: Nothing| {
        let ip = m.ip;
        leave(m, Exit::Preempted, ip, 1)
    }
}
