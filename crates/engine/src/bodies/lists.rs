//! Making lists and taking them apart.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use crate::operation::operations;

/// The address of a cons cell; the tag is not checked.
#[inline(always)]
unsafe fn cell(list: Term) -> *const Term {
    (list.bits() as *const u8).wrapping_sub(1).cast::<Term>()
}

operations! {
    /// `list, head, tail`
    GetList: Sdd<A: Source, B: Dest, C: Dest> |m| {
        let cell = cell(m.get::<A, 0>());
        let (head, tail) = (*cell, *cell.wrapping_add(1));
        m.put::<B, 1>(head);
        m.put::<C, 2>(tail);
        m.next::<3>()
    }

    /// `list, head`
    GetHd: SD<A: Source, B: Dest> |m| {
        let head = *cell(m.get::<A, 0>());
        m.put::<B, 1>(head);
        m.next::<2>()
    }

    /// `list, tail`
    GetTl: SD<A: Source, B: Dest> |m| {
        let tail = *cell(m.get::<A, 0>()).wrapping_add(1);
        m.put::<B, 1>(tail);
        m.next::<2>()
    }

    /// `head, tail, dest`
    PutList: Ssd<A: Source, B: Source, C: Dest> |m| {
        let cell = m.h.cast::<Term>();
        cell.write(m.get::<A, 0>());
        cell.add(1).write(m.get::<B, 1>());
        m.h = m.h.add(2);
        m.put::<C, 2>(Term::from_cons_pointer(cell));
        m.next::<3>()
    }

    /// Tests for a cons cell and takes it apart: `list, head, tail, fail`
    IsNonemptyListGetList: Sdd<A: Source, B: Dest, C: Dest> |m| {
        let list = m.get::<A, 0>();
        if !list.is_cons() {
            return m.jump::<3>();
        }
        let cell = cell(list);
        let (head, tail) = (*cell, *cell.wrapping_add(1));
        m.put::<B, 1>(head);
        m.put::<C, 2>(tail);
        m.next::<4>()
    }
}
