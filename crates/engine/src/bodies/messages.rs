//! Receiving. The inner queue is walked here; fetching, removing and timers are the runtime's.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::heap::flag;

use crate::operation::operations;
use crate::slow;

operations! {
    /// The next message, or on to the wait: `dest, label`. No X register lives here, so it is a place to collect.
    LoopRec: D<A: Dest> |m| {
        let process = (*m.c).process;
        let message = *(*process).messages.save;
        if message.is_null() || (*process).heap.flags & flag::FORCE != 0 {
            return m.slow(slow::messages::loop_rec);
        }
        m.put::<A, 0>((*message).term);
        m.next::<2>()
    }

    /// The message does not match; try the next: `label`
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
