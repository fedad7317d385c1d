//! Sweeping the off-heap lists after a collection: objects that moved are linked into the list of the space they moved
//! to, in their order; dead ones release what they held. Programs see the order in `process_info(_, binary)`.
//!
//! Called after the moving and before the old spaces are freed, while the words after each mark are still intact.

use layout::{Header, Term};

use std::ptr;

use crate::bits::append;
use crate::off_heap;

use super::mover::Area;

/// The lists that survivors are linked into.
pub(super) struct Lists {
    pub old_space: Area,
    pub young: List,
    pub old: List,
}

/// A list that grows at its end, and the total size of its shared binaries in bytes.
pub(super) struct List {
    first: *mut u64,
    last: *mut u64,
    pub bytes: usize,
}

impl List {
    pub(super) const EMPTY: List = List {
        first: ptr::null_mut(),
        last: ptr::null_mut(),
        bytes: 0,
    };

    /// # Safety
    /// A live off-heap object, in no list any more; so are those that were added before.
    unsafe fn add(&mut self, object: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe {
            self.bytes += off_heap::bytes_of(object);
            off_heap::link_behind(object, ptr::null_mut());
            if self.last.is_null() {
                self.first = object;
            } else {
                off_heap::link_behind(self.last, object);
            }
        }
        self.last = object;
    }

    /// The list, with `rest` behind it.
    ///
    /// # Safety
    /// As [`add`](List::add), of the last object.
    pub(super) unsafe fn before(self, rest: *mut u64) -> *mut u64 {
        if self.last.is_null() {
            return rest;
        }
        // SAFETY: the caller's promise.
        unsafe { off_heap::link_behind(self.last, rest) };
        self.first
    }
}

impl Lists {
    /// Handles a list whose objects were all to be moved: links those that were, and releases what the others held.
    ///
    /// # Safety
    /// The list's objects lie in spaces that were emptied, and in no other list.
    pub(super) unsafe fn sweep(&mut self, mut object: *mut u64) {
        while !object.is_null() {
            // SAFETY: all words but the header are as before; the next is read before anything is dropped.
            unsafe {
                let next = off_heap::next_of(object);
                let first = *object;
                if Header::is_header(first) {
                    off_heap::drop_reference(off_heap::block_of(object));
                } else {
                    self.keep(Term::from_bits(first));
                }
                object = next;
            }
        }
    }

    /// Links all objects of a list whose objects are known to be alive.
    ///
    /// # Safety
    /// The list's objects are live, and in no other list.
    pub(super) unsafe fn join(&mut self, mut object: *mut u64) {
        while !object.is_null() {
            // SAFETY: as the caller says.
            unsafe {
                let next = off_heap::next_of(object);
                self.keep(Term::from_boxed_pointer(object));
                object = next;
            }
        }
    }

    unsafe fn keep(&mut self, term: Term) {
        append::after_collection(term);
        let object = term.boxed_pointer();
        let list = match self.old_space.holds(term.bits()) {
            true => &mut self.old,
            false => &mut self.young,
        };
        // SAFETY: a live off-heap object, in no list any more.
        unsafe { list.add(object) };
    }
}
