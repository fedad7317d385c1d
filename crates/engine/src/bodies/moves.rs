//! Moving terms between registers, and frames on the stack.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use crate::operation::operations;

operations! {
    /// `source, dest`
    Move: SD<A: Source, B: Dest> |m| {
        m.put::<B, 1>(m.get::<A, 0>());
        m.next::<2>()
    }

    /// Two moves, one after the other: `source, dest, source, dest`, all X.
    Move2: P<> |m| {
        use crate::operand::X;
        let first = m.get::<X, 0>();
        m.put::<X, 1>(first);
        let second = m.get::<X, 2>();
        m.put::<X, 3>(second);
        m.next::<4>()
    }

    /// Two moves from Y to X: `source, dest, source, dest`.
    Move2YX: P<> |m| {
        use crate::operand::{X, Y};
        let first = m.get::<Y, 0>();
        m.put::<X, 1>(first);
        let second = m.get::<Y, 2>();
        m.put::<X, 3>(second);
        m.next::<4>()
    }

    /// Two moves from X to Y: `source, dest, source, dest`.
    Move2XY: P<> |m| {
        use crate::operand::{X, Y};
        let first = m.get::<X, 0>();
        m.put::<Y, 1>(first);
        let second = m.get::<X, 2>();
        m.put::<Y, 3>(second);
        m.next::<4>()
    }

    /// Swaps two X registers: `register, register`
    SwapXX: P<> |m| {
        use crate::operand::X;
        let (a, b) = (m.get::<X, 0>(), m.get::<X, 1>());
        m.put::<X, 0>(b);
        m.put::<X, 1>(a);
        m.next::<2>()
    }

    /// Swaps an X and a Y register: `register, register`
    SwapXY: P<> |m| {
        use crate::operand::{X, Y};
        let (a, b) = (m.get::<X, 0>(), m.get::<Y, 1>());
        m.put::<X, 0>(b);
        m.put::<Y, 1>(a);
        m.next::<2>()
    }

    /// Swaps two Y registers: `register, register`
    SwapYY: P<> |m| {
        use crate::operand::Y;
        let (a, b) = (m.get::<Y, 0>(), m.get::<Y, 1>());
        m.put::<Y, 0>(b);
        m.put::<Y, 1>(a);
        m.next::<2>()
    }

    /// Sets a Y register to `[]`: `dest`
    InitY: P<> |m| {
        m.put::<crate::operand::Y, 0>(Term::NIL);
        m.next::<1>()
    }

    /// Sets two Y registers to `[]`: `dest, dest`
    InitY2: P<> |m| {
        m.put::<crate::operand::Y, 0>(Term::NIL);
        m.put::<crate::operand::Y, 1>(Term::NIL);
        m.next::<2>()
    }

    /// Sets Y registers to `[]`: `count, dest...`
    InitYs: P<> |m| {
        let count = m.word::<0>() as usize;
        let words = m.words::<1>();
        for index in 0..count {
            m.write(*words.add(index), Term::NIL);
        }
        m.next_at(words.add(count))
    }

    /// Allocates a frame: `bytes of Y registers, live X registers`
    Allocate: P<> |m| {
        if !m.has_room(m.word::<0>()) {
            return m.slow(crate::slow::collect::allocate);
        }
        m.s = m.s.wrapping_byte_sub(m.word::<0>() as usize);
        m.next::<2>()
    }

    /// Allocates a frame and ensures heap room: `bytes of Y registers, live X registers, bytes of frame and heap`
    AllocateHeap: P<> |m| {
        if !m.has_room(m.word::<2>()) {
            return m.slow(crate::slow::collect::allocate_heap);
        }
        m.s = m.s.wrapping_byte_sub(m.word::<0>() as usize);
        m.next::<3>()
    }

    /// Allocates a frame and sets its Y registers to `[]`: `bytes of Y registers, live X registers`. Used only by old
    /// files.
    AllocateZero: P<> |m| {
        if !m.has_room(m.word::<0>()) {
            return m.slow(crate::slow::collect::allocate);
        }
        let old = m.s;
        m.s = m.s.wrapping_byte_sub(m.word::<0>() as usize);
        let mut slot = m.s;
        while slot < old {
            *slot = Term::NIL;
            slot = slot.add(1);
        }
        m.next::<2>()
    }

    /// As `AllocateZero`, and ensures heap room: `bytes of Y registers, live X registers, bytes of frame and heap`
    AllocateHeapZero: P<> |m| {
        if !m.has_room(m.word::<2>()) {
            return m.slow(crate::slow::collect::allocate_heap);
        }
        let old = m.s;
        m.s = m.s.wrapping_byte_sub(m.word::<0>() as usize);
        let mut slot = m.s;
        while slot < old {
            *slot = Term::NIL;
            slot = slot.add(1);
        }
        m.next::<3>()
    }

    /// Ensures heap room: `bytes, live X registers`
    TestHeap: P<> |m| {
        if !m.has_room(m.word::<0>()) {
            return m.slow(crate::slow::collect::test_heap);
        }
        m.next::<2>()
    }

    /// Drops all Y registers of a frame, or its lowest ones: `bytes`
    Deallocate: P<> |m| {
        m.s = m.s.wrapping_byte_add(m.word::<0>() as usize);
        m.next::<1>()
    }
}
