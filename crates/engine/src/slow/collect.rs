//! Making room. Every function runs the same instruction again afterwards, which then finds the room.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::heap::flag;
use layout::{Heap, Term};

use crate::form::{Exit, Form};
use crate::machine::Machine;
use crate::operation::slow_paths;

/// Whether a heap asks for a collection although there is room: too much lies in fragments or off the heap.
#[inline(always)]
pub(crate) unsafe fn is_due(heap: &Heap) -> bool {
    let block_words = (heap.end as usize - heap.start as usize) / 8;
    heap.flags & flag::FORCE != 0 || heap.fragment_words as usize > block_words
}

/// Makes room for `words`, keeping x0..x`live`; false when the process must end. Reads the registers again.
#[inline(always)]
pub(crate) unsafe fn make_room<F: Form>(m: &mut Machine<F>, words: usize, live: usize) -> bool {
    unsafe {
        m.save();
        let done = (m.runtime().collect)(m.c, words, live);
        m.load();
        done
    }
}

/// Makes room for `words` if there is not as much, keeping x0..x`live` and `operand`, which may be in a register above.
/// Answers the operand, or none when the process must end. What is then built lies on the heap, not beside it.
#[inline(always)]
pub(crate) unsafe fn room_before<F: Form>(
    m: &mut Machine<F>,
    words: usize,
    live: u64,
    operand: Term,
) -> Term {
    unsafe {
        if m.has_room(words as u64 * 8) {
            return operand;
        }
        let spare = m.x.add(live as usize);
        *spare = operand;
        if make_room(m, words, live as usize + 1) {
            *spare
        } else {
            Term::NONE
        }
    }
}

#[inline(always)]
unsafe fn again<F: Form>(mut m: Machine<F>, bytes: u64, live: u64) -> Exit {
    unsafe {
        if !make_room(&mut m, (bytes / 8) as usize, live as usize) {
            return Exit::Exited;
        }
        let ip = m.ip;
        m.enter(ip)
    }
}

slow_paths! {
    /// `bytes, live`
    allocate |m| {
        let (bytes, live) = (m.word::<0>(), m.word::<1>());
        again(m, bytes, live)
    }

    /// `bytes of frame, live, bytes of frame and heap`
    allocate_heap |m| {
        let (bytes, live) = (m.word::<2>(), m.word::<1>());
        again(m, bytes, live)
    }

    /// `bytes, live`
    test_heap |m| {
        let (bytes, live) = (m.word::<0>(), m.word::<1>());
        again(m, bytes, live)
    }
}
