//! Copying a term so that parts that are shared in it are shared in the copy: for persistent terms, which live long and
//! may be written as a small graph that has billions of paths.
//!
//! A set of the objects seen says which are shared. That costs several times what a plain copy does, so messages do
//! without it, as on stock.

use layout::{Header, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a copy that keeps sharing takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedSize {
    pub words: usize,
    /// Whether any part is shared; if none is, a plain copy has the same size.
    pub is_shared: bool,
}

/// The size of a copy that keeps sharing, literals included.
#[must_use]
pub fn size(term: Term) -> SharedSize {
    let mut seen = FxHashSet::default();
    let mut rest = vec![term];
    let mut size = SharedSize {
        words: 0,
        is_shared: false,
    };
    while let Some(mut current) = rest.pop() {
        while !current.is_immediate() {
            if !seen.insert(current.bits()) {
                size.is_shared = true;
                break;
            }
            if let Some((head, tail)) = current.as_cons() {
                size.words += 2;
                rest.push(head);
                current = tail;
                continue;
            }
            let object = current.expect_boxed();
            size.words += 1 + object.arity();
            rest.extend(object.terms());
            break;
        }
    }
    size
}

/// Copies a term, literals included, into the room that [`size`] counted, linking off-heap objects into `list`.
///
/// # Safety
/// `room` has as many words as [`size`] returned for the term, which has not changed since.
pub unsafe fn copy_to(room: *mut u64, list: &mut *mut u64, term: Term) -> Term {
    let mut copier = SharingCopier {
        top: room,
        list,
        copies: FxHashMap::default(),
    };
    let mut scan = room;
    // SAFETY: every object is copied once, so `top` stays within the room that was counted, and `scan` below it.
    unsafe {
        let result = copier.object(term);
        while scan < copier.top {
            let word = *scan;
            if Header::is_header(word) {
                scan = scan.add(1 + Header(word).raw_words());
                continue;
            }
            *scan = copier.object(Term::from_bits(word)).bits();
            scan = scan.add(1);
        }
        result
    }
}

struct SharingCopier<'a> {
    top: *mut u64,
    list: &'a mut *mut u64,
    /// The copy of every object that was met.
    copies: FxHashMap<u64, Term>,
}

impl SharingCopier<'_> {
    /// The copy of an object; its parts are still those of the source.
    ///
    /// # Safety
    /// As [`copy_to`].
    unsafe fn object(&mut self, source: Term) -> Term {
        if source.is_immediate() {
            return source;
        }
        if let Some(copy) = self.copies.get(&source.bits()) {
            return *copy;
        }
        let object = self.top;
        // SAFETY: the words of every object were counted once.
        let copy = unsafe {
            if let Some((head, tail)) = source.as_cons() {
                self.top = object.add(2);
                object.write(head.bits());
                object.add(1).write(tail.bits());
                Term::from_cons_pointer(object.cast::<Term>())
            } else {
                let source = source.expect_boxed();
                let header = source.header();
                self.top = object.add(1 + header.arity());
                object.copy_from_nonoverlapping(source.pointer(), 1 + header.arity());
                super::own(self.list, object, header);
                Term::from_boxed_pointer(object)
            }
        };
        self.copies.insert(source.bits(), copy);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Scratch;
    use crate::{build, compare};
    use layout::no_gc;

    /// Each level refers to the one below twice: `2^levels` paths lead to the bottom.
    fn pyramid(terms: &mut Scratch, levels: usize) -> Term {
        let bottom = build::tuple(terms.heap(), &[Term::small(1), Term::small(2)]);
        (0..levels).fold(bottom, |below, _| build::cons(terms.heap(), below, below))
    }

    fn copied(term: Term) -> (Vec<u64>, Term) {
        let size = size(term);
        let mut room = vec![0; size.words];
        let mut list = std::ptr::null_mut();
        // SAFETY: the room has the words that were counted.
        let copy = unsafe { copy_to(room.as_mut_ptr(), &mut list, term) };
        assert!(list.is_null());
        (room, copy)
    }

    #[test]
    fn shared_parts_are_copied_once() {
        let mut terms = Scratch::new();
        let term = pyramid(&mut terms, 60);
        assert_eq!(
            size(term),
            SharedSize {
                words: 3 + 60 * 2,
                is_shared: true
            }
        );
        let (_room, mut copy) = copied(term);
        for _ in 0..60 {
            let (head, tail) = copy.as_cons().unwrap();
            assert_eq!(head, tail);
            copy = head;
        }
        assert_eq!(
            copy.as_tuple(no_gc!()),
            Some(&[Term::small(1), Term::small(2)][..])
        );
    }

    #[test]
    fn what_is_not_shared_takes_what_a_plain_copy_takes() {
        let mut terms = Scratch::new();
        let numbers: Vec<Term> = (0..100).map(Term::small).collect();
        let list = build::list(terms.heap(), &numbers);
        let big = build::big(terms.heap(), true, &[1, 2, 3]);
        let term = build::tuple(terms.heap(), &[list, big, Term::NIL]);
        let words = crate::copy::size_with_literals(term);
        assert_eq!(
            size(term),
            SharedSize {
                words,
                is_shared: false
            }
        );
        let (_room, copy) = copied(term);
        assert!(compare::eq_exact(copy, term));
    }
}
