//! Receiving. The inner queue is traversed here; fetching and removing messages, and timers, are left to the runtime.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::heap::flag;

use crate::operation::operations;
use crate::slow;

operations! {
    /// Reads the next message, or jumps to the wait if there is none. A safepoint: no X register is live.
    LoopRec: D |m, o: LoopRec| {
        let process = (*m.c).process;
        let message = *(*process).messages.save;
        if message.is_null() || (*process).heap.flags & (flag::FORCE | flag::PRIORITY) != 0 {
            return m.slow(o, slow::messages::loop_rec);
        }
        m.put(o.dest, (*message).term);
        m.next(o.end)
    }

    /// The message does not match, so the next one is tried.
    LoopRecEnd: P |m, o: Jump| {
        let process = (*m.c).process;
        let save = (*process).messages.save;
        (*process).messages.save = &raw mut (**save).next;
        m.f -= 1;
        if m.f < 0 {
            return m.slow(o, slow::messages::yield_at_label);
        }
        m.jump(o.label)
    }
}
