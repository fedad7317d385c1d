//! Making heap room. Afterwards each slow path runs its instruction again, which then finds the room.
//!
//! A collection that would take long does not run here. If the process can leave the engine, it leaves and later
//! continues at an instruction ([`make_room_at`]), unless a breakpoint there would tell of the call twice. If the new
//! term can be built in a fragment outside the heap block, the collection is postponed until the next call
//! ([`defer_collection`]).
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::context::Room;
use layout::heap::flag;
use layout::limits::X_REGISTERS;
use layout::{Heap, Term};

use crate::detour::resume;
use crate::form::{Exit, Form};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::breakpoints::{breakpoint_here, go_on, may_have_breakpoint};

/// Whether the heap needs a collection although there is room, because too much memory is used in fragments or off
/// the heap.
#[inline(always)]
pub(crate) unsafe fn is_due(heap: &Heap) -> bool {
    let block_words = (heap.end as usize - heap.start as usize) / 8;
    heap.flags & flag::FORCE != 0 || heap.fragment_words as usize > block_words
}

/// Makes room for `words`, preserving x0..x`live`; false if the process must end. Reads the registers again.
#[inline(always)]
pub(crate) unsafe fn make_room<F: Form>(m: &mut Registers<F>, words: usize, live: usize) -> bool {
    debug_assert!(live <= X_REGISTERS);
    unsafe {
        m.save();
        let done = (m.runtime().collect)(m.c, words, live);
        m.load();
        done
    }
}

/// As [`make_room`], for callers that can also leave the engine and continue at `ip` with x0..x`live`. If the result
/// is `Some`, the caller must leave the engine with it.
#[inline(always)]
pub(crate) unsafe fn make_room_at<F: Form>(
    m: &mut Registers<F>,
    words: usize,
    live: usize,
    ip: *const u64,
) -> Option<Exit> {
    debug_assert!(live <= X_REGISTERS);
    unsafe {
        m.save();
        let room = (m.runtime().collect_at)(m.c, words, live, ip);
        m.load();
        match room {
            Room::Made => None,
            Room::Ended => Some(Exit::Exited),
            Room::Deferred => Some(Exit::Preempted),
        }
    }
}

/// Whether a collection that is due is postponed until the process leaves the engine, because it would take long.
#[inline(always)]
pub(crate) unsafe fn defer_collection<F: Form>(m: &mut Registers<F>) -> bool {
    unsafe {
        m.save();
        let later = (m.runtime().defer_collection)(m.c);
        m.load();
        later
    }
}

/// If there is no room for `words`, makes room, preserving x0..x`live` and `operand`, which may be in a register
/// above those. Returns the operand, or none if the process must end. The term that is built next is then on the
/// heap, not in a fragment, unless the collection was postponed.
#[inline(always)]
pub(crate) unsafe fn room_before<F: Form>(
    m: &mut Registers<F>,
    words: usize,
    live: u64,
    operand: Term,
) -> Term {
    unsafe {
        if m.has_room(words as u64 * 8) || defer_collection(m) {
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

/// Makes room for `bytes`, preserving x0..x`live`, and runs the instruction again.
#[inline(always)]
pub(crate) unsafe fn again<F: Form>(mut m: Registers<F>, bytes: u64, live: u64) -> Exit {
    unsafe {
        let ip = m.ip;
        let (words, live) = ((bytes / 8) as usize, live as usize);
        if may_have_breakpoint(&m) {
            return again_behind(m, words, live);
        }
        if let Some(exit) = make_room_at(&mut m, words, live, ip) {
            return exit;
        }
        m.enter(ip)
    }
}

/// As [`again`], but does not come to a breakpoint at the instruction a second time.
#[cold]
#[inline(never)]
unsafe fn again_behind<F: Form>(mut m: Registers<F>, words: usize, live: usize) -> Exit {
    unsafe {
        let ip = m.ip;
        if !make_room(&mut m, words, live) {
            return Exit::Exited;
        }
        let breakpoint = breakpoint_here(&m);
        match breakpoint.is_null() {
            true => m.enter(ip),
            false => go_on(m, resume(&*breakpoint)),
        }
    }
}

slow_paths! {
    allocate |m, o: Allocation| {
        let (bytes, live) = (m.word(o.bytes), m.word(o.live));
        again(m, bytes, live)
    }

    allocate_heap |m, o: FrameAndHeap| {
        let (bytes, live) = (m.word(o.total), m.word(o.live));
        again(m, bytes, live)
    }

    test_heap |m, o: Allocation| {
        let (bytes, live) = (m.word(o.bytes), m.word(o.live));
        again(m, bytes, live)
    }

    /// Makes room for another tuple of the size of that in x1, which a call of `setelement/3` copies.
    room_to_set_element |m, o: CallExport| {
        let bytes = ((*m.x.add(1)).expect_boxed().arity() as u64 + 1) * 8;
        again(m, bytes, 3)
    }
}
