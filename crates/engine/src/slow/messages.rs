//! Sending, and the parts of receiving that the runtime does.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;
use layout::context::{Arrived, Next};
use layout::heap::flag;

use crate::form::Exit;
use crate::operation::slow_paths;
use crate::slow::collect::{is_due, make_room_at};
use crate::slow::exceptions::unwind_here;
use crate::slow::leave::leave;

slow_paths! {
    /// `x0 ! x1`, the result in x0.
    send |m, o: Nothing| {
        m.save();
        let next = (m.runtime().send)(m.c);
        m.load();
        match next {
            Next::Continue => m.next(o.end),
            Next::Raised => {
                unwind_here(m)
            }
            // The process is suspended in the send. It will continue after it, with the result in x0.
            Next::Wait => {
                let after = m.after(o.end);
                leave(m, Exit::Waiting, after, 1)
            }
            // It goes on after it likewise.
            Next::Yield => {
                let after = m.after(o.end);
                leave(m, Exit::Preempted, after, 1)
            }
            // A dirty scheduler sends the message, which is in x1.
            Next::Again => {
                let ip = m.ip;
                leave(m, Exit::Preempted, ip, 2)
            }
        }
    }

    /// No message is available in the inner queue, a collection is due, or there is something about messages with
    /// priority.
    loop_rec |m, o: LoopRec| {
        let process = (*m.c).process;
        if (*process).heap.flags & flag::FORCE != 0 {
            let ip = m.ip;
            if let Some(exit) = make_room_at(&mut m, 0, 0, ip) {
                return exit;
            }
        }
        if (*process).heap.flags & flag::PRIORITY != 0 {
            m.save();
            (m.runtime().seek_message)(m.c);
            m.load();
        }
        let mut message = *(*process).messages.save;
        if message.is_null() {
            m.save();
            let fetched = (m.runtime().fetch_messages)(m.c);
            m.load();
            match fetched {
                Arrived::Message => {}
                Arrived::Nothing => return m.jump(o.label),
                // It must not run on, not even if the receive has a timeout of 0.
                Arrived::Ended => {
                    let label = m.word(o.label) as *const u64;
                    return leave(m, Exit::Waiting, label, 0);
                }
                Arrived::Later => {
                    let ip = m.ip;
                    return leave(m, Exit::Preempted, ip, 0);
                }
            }
            message = *(*process).messages.save;
        }
        m.put(o.dest, (*message).term);
        m.next(o.end)
    }

    /// The slice is over at a label where no X register is live.
    yield_at_label |m, o: Jump| {
        let label = m.word(o.label) as *const u64;
        leave(m, Exit::Preempted, label, 0)
    }

    remove_message |m, o: Nothing| {
        m.save();
        (m.runtime().remove_message)(m.c);
        m.load();
        // It is unknown how many X registers are live here, so the next receive collects.
        let heap = &mut (*(*m.c).process).heap;
        if is_due(heap) {
            heap.flags |= flag::FORCE;
        }
        m.next(o.end)
    }

    wait |m, o: Jump| {
        let label = m.word(o.label) as *const u64;
        leave(m, Exit::Waiting, label, 0)
    }

    wait_timeout |m, o: WaitTimeout| {
        let limit = m.get(o.timeout);
        m.save();
        let next = (m.runtime().set_timeout)(m.c, limit);
        m.load();
        match next {
            Next::Continue => m.next(o.end),
            Next::Wait | Next::Yield | Next::Again => {
                let label = m.word(o.label) as *const u64;
                leave(m, Exit::Waiting, label, 0)
            }
            Next::Raised => {
                unwind_here(m)
            }
        }
    }

    timeout |m, o: Nothing| {
        m.save();
        (m.runtime().timed_out)(m.c);
        m.load();
        m.next(o.end)
    }

    marker_reserve |m, o: Destination| {
        m.save();
        let marker: Term = (m.runtime().marker_reserve)(m.c);
        m.load();
        m.put(o.dest, marker);
        m.next(o.end)
    }

    marker_bind |m, o: MarkerBind| {
        let (marker, reference) = (m.get(o.marker), m.get(o.reference));
        m.save();
        (m.runtime().marker_bind)(m.c, marker, reference);
        m.load();
        m.next(o.end)
    }

    marker_clear |m, o: Value| {
        let reference = m.get(o.value);
        m.save();
        (m.runtime().marker_clear)(m.c, reference);
        m.load();
        m.next(o.end)
    }

    marker_use |m, o: Value| {
        let reference = m.get(o.value);
        m.save();
        (m.runtime().marker_use)(m.c, reference);
        m.load();
        m.next(o.end)
    }
}
