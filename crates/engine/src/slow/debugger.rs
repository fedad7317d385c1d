//! Stopping at a line, and going on.
//!
//! The process calls `erts_internal:breakpoint/4` from the middle of a function. Its X registers are kept on the stack
//! meanwhile, in a frame of their own:
//!
//! ```text
//! line_resumed | x0 | x1 ... | address of the next instruction | frame of the function ...
//! ```
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::heap::is_return_address;

use crate::form::Exit;
use crate::operation::slow_paths;
use crate::routine::Routine;
use crate::slow::collect::make_room;
use crate::slow::pairs;

/// Where a function returns to that a process calls at a line with a breakpoint.
pub(crate) static LINE_RESUMED: Routine = Routine::new(0, line_resumed);

slow_paths! {
    stop_at_line |m, o: LinePlace| {
        let live = m.word(o.live) as usize;
        // The registers and two return addresses.
        let frame = live + 2;
        if !m.has_room(frame as u64 * 8) && !make_room(&mut m, frame, live) {
            return Exit::Exited;
        }
        m.push(m.after(o.end));
        m.s = m.s.sub(live);
        m.s.copy_from_nonoverlapping(m.x, live);
        m.push(LINE_RESUMED.entry());
        m.save();
        let target = (m.runtime().stop_at_line)(m.c, m.after(o.end));
        m.load();
        pairs::call(m, target)
    }

    /// The process goes on: its registers are on top of the stack, and behind them a return address, which no term
    /// looks like.
    line_resumed |m, o: Nothing| {
        let mut live = 0;
        while !is_return_address((*m.s).bits()) {
            *m.x.add(live) = *m.s;
            m.s = m.s.add(1);
            live += 1;
        }
        let target = m.pop();
        pairs::return_to(m, target)
    }
}
