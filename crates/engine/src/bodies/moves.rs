//! Moving terms between registers, and frames on the stack.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use crate::operation::operations;

operations! {
    Move: SD |m, o: SourceDest| {
        m.put(o.dest, m.get(o.source));
        m.next(o.end)
    }

    /// Two moves, one after the other, all registers X.
    Move2: P |m, o: Move2| {
        let first = m.get(o.source);
        m.put(o.dest, first);
        let second = m.get(o.source2);
        m.put(o.dest2, second);
        m.next(o.end)
    }

    /// Two moves from Y to X.
    Move2YX: P |m, o: Move2YX| {
        let first = m.get(o.source);
        m.put(o.dest, first);
        let second = m.get(o.source2);
        m.put(o.dest2, second);
        m.next(o.end)
    }

    /// Two moves from X to Y.
    Move2XY: P |m, o: Move2XY| {
        let first = m.get(o.source);
        m.put(o.dest, first);
        let second = m.get(o.source2);
        m.put(o.dest2, second);
        m.next(o.end)
    }

    /// Swaps two X registers.
    SwapXX: P |m, o: TwoX| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        m.put(o.a, b);
        m.put(o.b, a);
        m.next(o.end)
    }

    /// Swaps an X and a Y register.
    SwapXY: P |m, o: XAndY| {
        let (a, b) = (m.get(o.x), m.get(o.y));
        m.put(o.x, b);
        m.put(o.y, a);
        m.next(o.end)
    }

    /// Swaps two Y registers.
    SwapYY: P |m, o: TwoY| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        m.put(o.a, b);
        m.put(o.b, a);
        m.next(o.end)
    }

    /// Sets a Y register to `[]`.
    InitY: P |m, o: OneY| {
        m.put(o.y, Term::NIL);
        m.next(o.end)
    }

    /// Sets two Y registers to `[]`.
    InitY2: P |m, o: TwoY| {
        m.put(o.a, Term::NIL);
        m.put(o.b, Term::NIL);
        m.next(o.end)
    }

    /// Sets Y registers to `[]`.
    InitYs: P |m, o: InitYs| {
        let count = m.word(o.count) as usize;
        let words = m.words(o.end);
        for index in 0..count {
            m.write(*words.add(index), Term::NIL);
        }
        m.next_at(words.add(count))
    }

    /// Allocates a frame.
    Allocate: P |m, o: Allocation| {
        if !m.has_room(m.word(o.bytes)) {
            return m.slow(o, crate::slow::collect::allocate);
        }
        m.s = m.s.wrapping_byte_sub(m.word(o.bytes) as usize);
        m.next(o.end)
    }

    /// Allocates a frame and ensures heap room.
    AllocateHeap: P |m, o: FrameAndHeap| {
        if !m.has_room(m.word(o.total)) {
            return m.slow(o, crate::slow::collect::allocate_heap);
        }
        m.s = m.s.wrapping_byte_sub(m.word(o.frame) as usize);
        m.next(o.end)
    }

    /// Allocates a frame and sets its Y registers to `[]`: `bytes of Y registers, live X registers`. Used only by old
    /// files.
    AllocateZero: P |m, o: Allocation| {
        if !m.has_room(m.word(o.bytes)) {
            return m.slow(o, crate::slow::collect::allocate);
        }
        let old = m.s;
        m.s = m.s.wrapping_byte_sub(m.word(o.bytes) as usize);
        let mut slot = m.s;
        while slot < old {
            *slot = Term::NIL;
            slot = slot.add(1);
        }
        m.next(o.end)
    }

    /// As `AllocateZero`, and ensures heap room.
    AllocateHeapZero: P |m, o: FrameAndHeap| {
        if !m.has_room(m.word(o.total)) {
            return m.slow(o, crate::slow::collect::allocate_heap);
        }
        let old = m.s;
        m.s = m.s.wrapping_byte_sub(m.word(o.frame) as usize);
        let mut slot = m.s;
        while slot < old {
            *slot = Term::NIL;
            slot = slot.add(1);
        }
        m.next(o.end)
    }

    /// Ensures heap room.
    TestHeap: P |m, o: Allocation| {
        if !m.has_room(m.word(o.bytes)) {
            return m.slow(o, crate::slow::collect::test_heap);
        }
        m.next(o.end)
    }

    /// Drops all Y registers of a frame, or its lowest ones.
    Deallocate: P |m, o: Frame| {
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.next(o.end)
    }
}
