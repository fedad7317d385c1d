//! Sweeping the off-heap lists after a collection: objects that moved are linked into the list of the space they moved
//! to; dead ones release what they held.
//!
//! Called after the moving and before the old spaces are freed, while the words after each mark are still intact.

use layout::{Header, Term};

use crate::bits::append;
use crate::off_heap;

use super::mover::Area;

/// The lists that survivors are linked into, and the total size of their shared binaries in bytes.
pub(super) struct Lists {
    pub old_space: Area,
    pub young: *mut u64,
    pub young_bytes: usize,
    pub old: *mut u64,
    pub old_bytes: usize,
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
        let (list, bytes) = if self.old_space.holds(term.bits()) {
            (&mut self.old, &mut self.old_bytes)
        } else {
            (&mut self.young, &mut self.young_bytes)
        };
        // SAFETY: a live off-heap object, in no list any more.
        unsafe {
            *bytes += off_heap::bytes_of(object);
            off_heap::link(list, object);
        }
    }
}
