//! Terms that own their memory.

use std::ptr;

use layout::{Fragment, Header, NoGc, ObjectKind, Term};

use super::{copy_to, kept, size_with_literals, to_fragment};
use crate::build;
use crate::heap::{Scratch, new_fragment};

/// A term that owns its memory, outside any process: for example an exit reason that is being delivered.
///
/// It is one word: an immediate term itself, or the address of the fragment that holds the term. A fragment's address
/// ends in two zero bits, which no immediate term does; a null address stands for `Term::NONE`.
pub struct Owned(*mut Fragment);

// SAFETY: an owned term is reached through its one owner; its words point into no process heap.
unsafe impl Send for Owned {}
// SAFETY: shared access only reads.
unsafe impl Sync for Owned {}

impl Owned {
    /// Copies a term with its literals, so that the copy may outlive any literal area.
    #[must_use]
    pub fn new(term: Term) -> Owned {
        // SAFETY: that is its size.
        unsafe { Owned::counted(term, size_with_literals(term)) }
    }

    /// As [`Owned::new`], for a term whose size the caller knows.
    ///
    /// # Safety
    /// `words` is what [`size_with_literals`] returned for the term, which has not changed since.
    #[must_use]
    pub unsafe fn counted(term: Term, words: usize) -> Owned {
        if term.is_immediate() || term.is_none() {
            return Owned(ptr::without_provenance_mut(term.bits() as usize));
        }
        let spare = spare_words(words);
        let fragment = new_fragment(words + spare);
        // SAFETY: the fragment is fresh and has the words that the caller has counted, and those to spare.
        unsafe {
            let room = Fragment::words_pointer(fragment);
            (*fragment).term = copy_to(room, words, &mut (*fragment).off_heap, term, true);
            leave_unused(room.add(words), spare);
        }
        kept::begins(fragment);
        Owned(fragment)
    }

    /// The term, if there is no fragment.
    fn without_fragment(&self) -> Option<Term> {
        // SAFETY: a word of `new`, which is a term if it is not a fragment's address.
        let term = unsafe { Term::from_bits(self.0.addr() as u64) };
        (term.is_immediate() || term.is_none()).then_some(term)
    }

    /// The term, valid while `self` is.
    #[must_use]
    pub fn term(&self) -> Term {
        self.without_fragment()
            // SAFETY: the fragment lives as long as `self`.
            .unwrap_or_else(|| unsafe { (*self.0).term })
    }

    /// Words of the copy, with those that are spare.
    #[must_use]
    pub fn words(&self) -> u32 {
        match self.without_fragment() {
            Some(_) => 0,
            // SAFETY: the fragment lives as long as `self`.
            None => unsafe { (*self.0).words },
        }
    }

    /// While the copy is borrowed, nothing moves or frees its words.
    #[inline(always)]
    #[must_use]
    pub fn no_gc(&self) -> &NoGc {
        // SAFETY: the words lie in the fragment that `self` owns; no collection knows it.
        unsafe { NoGc::assume_for() }
    }

    /// Gives up the fragment; one is made if there was none.
    #[must_use]
    pub fn into_fragment(self) -> *mut Fragment {
        if let Some(term) = self.without_fragment() {
            return to_fragment(term);
        }
        let fragment = self.0;
        kept::ends(fragment);
        std::mem::forget(self);
        fragment
    }

    /// A message: a tuple of these terms and, as its last element, this one. They are copied; this one stays where it
    /// is if it is large. A smaller tuple is built on the scratch first.
    #[inline]
    #[must_use]
    pub fn into_last_of<const OTHERS: usize>(
        self,
        scratch: &mut Scratch,
        others: [Term; OTHERS],
    ) -> *mut Fragment {
        if self.words() as usize >= LARGE_WORDS {
            return self.into_last_of_large(scratch, &others);
        }
        let (tuple, elements) = build::tuple_filled(scratch.heap(), OTHERS + 1, self.term());
        elements[..OTHERS].copy_from_slice(&others);
        to_fragment(tuple)
    }

    #[cold]
    fn into_last_of_large(self, scratch: &mut Scratch, others: &[Term]) -> *mut Fragment {
        let arity = others.len() + 1;
        let words = 1
            + arity
            + others
                .iter()
                .copied()
                .map(size_with_literals)
                .sum::<usize>();
        let total = self.words() as usize;
        if words > SPARE_WORDS {
            let tuple = build::tuple_of_parts(scratch.heap(), &[others, &[self.term()]]);
            return to_fragment(tuple);
        }
        let fragment = self.into_fragment();
        // SAFETY: nobody else refers to the fragment, which ends with spare words as it is large; those are as many as
        // are written.
        unsafe {
            let tuple = Fragment::words_pointer(fragment).add(total - SPARE_WORDS);
            let mut room = tuple.add(1 + arity);
            tuple.write(Header::new(ObjectKind::Tuple, arity).0);
            for (index, other) in others.iter().enumerate() {
                let words = size_with_literals(*other);
                let copied = copy_to(room, words, &mut (*fragment).off_heap, *other, true);
                tuple.add(1 + index).write(copied.bits());
                room = room.add(words);
            }
            tuple.add(arity).write((*fragment).term.bits());
            leave_unused(room, SPARE_WORDS - words);
            (*fragment).term = Term::from_boxed_pointer(tuple);
        }
        fragment
    }
}

/// Behind a term of at least this many words there are spare ones.
const LARGE_WORDS: usize = 1 << 10;

/// Room for what is put around a large term later, so that the term need not be copied for that: the tuple of a message
/// that a process has ended, for instance, whose reason the term is.
const SPARE_WORDS: usize = 24;

fn spare_words(words: usize) -> usize {
    match words < LARGE_WORDS {
        true => 0,
        false => SPARE_WORDS,
    }
}

/// Makes one object of words that nobody refers to, for those who walk over all objects of a fragment.
///
/// # Safety
/// The words may be written.
unsafe fn leave_unused(room: *mut u64, words: usize) {
    if words > 0 {
        // SAFETY: the caller's promise.
        unsafe { room.write(Header::new(ObjectKind::PositiveBig, words - 1).0) };
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.without_fragment().is_none() {
            kept::ends(self.0);
            // SAFETY: made by `new`, and in no list.
            unsafe { crate::heap::drop_fragment(self.0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use layout::no_gc;

    use super::*;
    use crate::list;

    #[test]
    fn a_large_term_stays_where_it_is_in_a_message() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let shared = build::binary(heap, &[7; 200]);
        let pair = build::tuple(heap, &[Term::small(1), shared]);
        let long = build::tuple(heap, &[Term::small(2); 30]);
        for (count, others, stays) in [
            (1000, [pair, Term::NIL], true),
            (1000, [pair, pair], true),
            (1000, [Term::NIL, long], false),
            (10, [pair, Term::NIL], false),
        ] {
            let items: Vec<Term> = (0..count).map(Term::small).collect();
            let reason = build::list(heap, &items);
            let owned = Owned::new(reason);
            let before = owned.term();
            let fragment = owned.into_last_of(&mut Scratch::new(), others);
            // SAFETY: the fragment is new, and dropped once.
            unsafe {
                let elements = (*fragment)
                    .term
                    .as_tuple(no_gc!())
                    .expect("a tuple")
                    .to_vec();
                let (last, first) = elements.split_last().expect("elements");
                assert_eq!(*last == before, stays);
                assert!(crate::compare::eq_exact(*last, reason));
                assert_eq!(list::items(*last).count(), items.len());
                assert_eq!(first.len(), others.len());
                for (copied, other) in first.iter().zip(&others) {
                    assert!(crate::compare::eq_exact(*copied, *other));
                    assert!(*copied != *other || other.is_immediate());
                }
                crate::heap::drop_fragment(fragment);
            }
        }
    }
}
