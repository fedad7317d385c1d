//! Receiving. The inner queue is traversed here; fetching and removing messages, and timers, are left to the runtime.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::heap::flag;

use crate::operation::operations;
use crate::slow;

operations! {
    /// Reads the next message, or jumps to the wait if there is none: `dest, label`. A safepoint: no X register is
    /// live.
    LoopRec: D<A: Dest> |m| {
        let process = (*m.c).process;
        let message = *(*process).messages.save;
        if message.is_null() || (*process).heap.flags & flag::FORCE != 0 {
            return m.slow(slow::messages::loop_rec);
        }
        m.put::<A, 0>((*message).term);
        m.next::<2>()
    }

    /// The message does not match, so the next one is tried: `label`
    LoopRecEnd: P<> |m| {
        let process = (*m.c).process;
        let save = (*process).messages.save;
        (*process).messages.save = &raw mut (**save).next;
        m.f -= 1;
        if m.f < 0 {
            return m.slow(slow::messages::yield_at_label);
        }
        m.jump::<0>()
    }
}
