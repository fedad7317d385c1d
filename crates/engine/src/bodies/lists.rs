//! Making lists and taking them apart.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use super::tags::{cons, is_cons};
use crate::operation::operations;

/// The address of a cons cell; the tag is not checked.
#[inline(always)]
unsafe fn cell(list: Term) -> *const Term {
    (list.bits() as *const u8).wrapping_sub(1).cast::<Term>()
}

operations! {
    GetList: Sdd |m, o: GetList| {
        let cell = cell(m.get(o.list));
        let (head, tail) = (*cell, *cell.wrapping_add(1));
        m.put(o.head, head);
        m.put(o.tail, tail);
        m.next(o.end)
    }

    GetHd: SD |m, o: SourceDest| {
        let head = *cell(m.get(o.source));
        m.put(o.dest, head);
        m.next(o.end)
    }

    GetTl: SD |m, o: SourceDest| {
        let tail = *cell(m.get(o.source)).wrapping_add(1);
        m.put(o.dest, tail);
        m.next(o.end)
    }

    PutList: Ssd |m, o: Pair| {
        let cell = m.h.cast::<Term>();
        cell.write(m.get(o.a));
        cell.add(1).write(m.get(o.b));
        m.h = m.h.add(2);
        m.put(o.dest, cons(cell));
        m.next(o.end)
    }

    /// Tests for a cons cell and takes it apart.
    IsNonemptyListGetList: Sdd |m, o: IsNonemptyListGetList| {
        let list = m.get(o.list);
        if !is_cons(list) {
            return m.jump(o.fail);
        }
        let cell = cell(list);
        let (head, tail) = (*cell, *cell.wrapping_add(1));
        m.put(o.head, head);
        m.put(o.tail, tail);
        m.next(o.end)
    }
}
