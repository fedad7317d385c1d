//! Sending, and the parts of receiving that the runtime does.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;
use layout::context::Next;
use layout::heap::flag;

use crate::form::Exit;
use crate::operand::Any;
use crate::operation::slow_paths;
use crate::slow::calls::leave;
use crate::slow::collect::{is_due, make_room_at};
use crate::slow::exceptions::unwind;

slow_paths! {
    /// `x0 ! x1`, the result in x0. No operands.
    send |m| {
        m.save();
        let next = (m.runtime().send)(m.c);
        m.load();
        match next {
            Next::Continue => m.next::<0>(),
            Next::Raised => {
                let ip = m.ip;
                unwind(m, ip, core::ptr::null(), core::ptr::null())
            }
            // The process is suspended in the send. It will continue after it, with the result in x0.
            Next::Wait => {
                let after = m.after::<0>();
                leave(m, Exit::Waiting, after, 1)
            }
        }
    }

    /// No message is available in the inner queue, or a collection is due: `dest, label`
    loop_rec |m| {
        let process = (*m.c).process;
        if (*process).heap.flags & flag::FORCE != 0 {
            let ip = m.ip;
            if let Some(exit) = make_room_at(&mut m, 0, 0, ip) {
                return exit;
            }
        }
        let mut message = *(*process).messages.save;
        if message.is_null() {
            m.save();
            let arrived = (m.runtime().fetch_messages)(m.c);
            m.load();
            if !arrived {
                return m.jump::<1>();
            }
            message = *(*process).messages.save;
        }
        m.put::<Any, 0>((*message).term);
        m.next::<2>()
    }

    /// The slice is over at a label where no X register is live: `label`
    yield_at_label |m| {
        let label = m.word::<0>() as *const u64;
        leave(m, Exit::Preempted, label, 0)
    }

    /// No operands.
    remove_message |m| {
        m.save();
        (m.runtime().remove_message)(m.c);
        m.load();
        // It is unknown how many X registers are live here, so the next receive collects.
        let heap = &mut (*(*m.c).process).heap;
        if is_due(heap) {
            heap.flags |= flag::FORCE;
        }
        m.next::<0>()
    }

    /// `label`
    wait |m| {
        let label = m.word::<0>() as *const u64;
        leave(m, Exit::Waiting, label, 0)
    }

    /// `label, timeout`
    wait_timeout |m| {
        let timeout = m.get::<Any, 1>();
        m.save();
        let next = (m.runtime().set_timeout)(m.c, timeout);
        m.load();
        match next {
            Next::Continue => m.next::<2>(),
            Next::Wait => {
                let label = m.word::<0>() as *const u64;
                leave(m, Exit::Waiting, label, 0)
            }
            Next::Raised => {
                let ip = m.ip;
                unwind(m, ip, core::ptr::null(), core::ptr::null())
            }
        }
    }

    /// No operands.
    timeout |m| {
        m.save();
        (m.runtime().timed_out)(m.c);
        m.load();
        m.next::<0>()
    }

    /// `dest`
    marker_reserve |m| {
        m.save();
        let marker: Term = (m.runtime().marker_reserve)(m.c);
        m.load();
        m.put::<Any, 0>(marker);
        m.next::<1>()
    }

    /// `marker, reference`
    marker_bind |m| {
        let (marker, reference) = (m.get::<Any, 0>(), m.get::<Any, 1>());
        m.save();
        (m.runtime().marker_bind)(m.c, marker, reference);
        m.load();
        m.next::<2>()
    }

    /// `reference`
    marker_clear |m| {
        let reference = m.get::<Any, 0>();
        m.save();
        (m.runtime().marker_clear)(m.c, reference);
        m.load();
        m.next::<1>()
    }

    /// `reference`
    marker_use |m| {
        let reference = m.get::<Any, 0>();
        m.save();
        (m.runtime().marker_use)(m.c, reference);
        m.load();
        m.next::<1>()
    }
}
