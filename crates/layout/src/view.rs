//! What a tagged pointer is once its tag was tested: a cons cell or a boxed object. What an object is once its kind was
//! tested: [`kinds`](crate::kinds).
//!
//! A view is a pointer, as valid as the term it was made from and for as long (the moving rule, `term.rs`). It returns
//! words by value, and makes no reference. Having one proves the tag, or the kind, so that its methods have no
//! precondition; an index is either compared with the arity, or the function is unsafe and says `unchecked`.

use core::ptr::{self, NonNull};

use crate::object::{Header, ObjectKind};
use crate::term::Term;

/// A cons cell.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cons(NonNull<Term>);

impl Cons {
    /// # Safety
    /// `cell` is the address of two words that are, or will be before they are read, a head and a tail.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_pointer(cell: *mut Term) -> Cons {
        // SAFETY: the caller's promise: memory is not at address 0.
        Cons(unsafe { NonNull::new_unchecked(cell) })
    }

    /// The address of the head; the tail follows it.
    #[inline(always)]
    #[must_use]
    pub const fn pointer(self) -> *mut Term {
        self.0.as_ptr()
    }

    #[inline(always)]
    #[must_use]
    pub fn term(self) -> Term {
        // SAFETY: the cell is one that a term may point to.
        unsafe { Term::from_cons_pointer(self.pointer()) }
    }

    #[inline(always)]
    #[must_use]
    pub fn head(self) -> Term {
        // SAFETY: a cell has two words, and the moving rule keeps them valid.
        unsafe { self.0.read() }
    }

    #[inline(always)]
    #[must_use]
    pub fn tail(self) -> Term {
        // SAFETY: a cell has two words, and the moving rule keeps them valid.
        unsafe { self.0.add(1).read() }
    }
}

/// A boxed object: a header and the words after it.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Boxed(NonNull<u64>);

impl Boxed {
    /// # Safety
    /// `object` is the address of a header and of as many words as it says, all initialised before they are read.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_pointer(object: *mut u64) -> Boxed {
        // SAFETY: the caller's promise: memory is not at address 0.
        Boxed(unsafe { NonNull::new_unchecked(object) })
    }

    /// The address of the header.
    #[inline(always)]
    #[must_use]
    pub const fn pointer(self) -> *mut u64 {
        self.0.as_ptr()
    }

    #[inline(always)]
    #[must_use]
    pub fn term(self) -> Term {
        // SAFETY: the object is one that a term may point to.
        unsafe { Term::from_boxed_pointer(self.pointer()) }
    }

    #[inline(always)]
    #[must_use]
    pub fn header(self) -> Header {
        // SAFETY: an object begins with a header, and the moving rule keeps it valid.
        Header(unsafe { self.0.read() })
    }

    #[inline(always)]
    #[must_use]
    pub fn kind(self) -> ObjectKind {
        self.header().kind()
    }

    /// Number of words after the header.
    #[inline(always)]
    #[must_use]
    pub fn arity(self) -> usize {
        self.header().arity()
    }

    /// Word `index` after the header.
    ///
    /// # Panics
    /// If the object has no such word.
    #[inline(always)]
    #[must_use]
    pub fn word(self, index: usize) -> u64 {
        assert!(index < self.arity(), "word {index} of {:?}", self.header());
        // SAFETY: the line above.
        unsafe { self.word_unchecked(index) }
    }

    /// Word `index` after the header, which is a term.
    ///
    /// # Panics
    /// If the object has no such word, or it is plain data.
    #[inline(always)]
    #[must_use]
    pub fn term_at(self, index: usize) -> Term {
        let header = self.header();
        assert!(
            index >= header.raw_words() && index < header.arity(),
            "term {index} of {header:?}"
        );
        // SAFETY: the lines above.
        unsafe { self.term_unchecked(index) }
    }

    /// The terms of the object, which follow its plain words.
    #[inline(always)]
    pub fn terms(self) -> impl ExactSizeIterator<Item = Term> + DoubleEndedIterator {
        let header = self.header();
        // SAFETY: words of the object, behind the plain ones.
        (header.raw_words()..header.arity()).map(move |index| unsafe { self.term_unchecked(index) })
    }

    /// The terms of the object from word `first` after the header on.
    ///
    /// # Panics
    /// If `first` is a plain word.
    #[inline(always)]
    pub fn terms_from(
        self,
        first: usize,
    ) -> impl ExactSizeIterator<Item = Term> + DoubleEndedIterator {
        let header = self.header();
        assert!(first >= header.raw_words(), "term {first} of {header:?}");
        // SAFETY: a word of the object, and the line above.
        (first..header.arity()).map(move |index| unsafe { self.term_unchecked(index) })
    }

    /// Word `index` after the header.
    ///
    /// # Safety
    /// The object has more than `index` words.
    #[inline(always)]
    #[must_use]
    pub unsafe fn word_unchecked(self, index: usize) -> u64 {
        debug_assert!(index < self.arity());
        // SAFETY: the caller's promise; the moving rule keeps the words valid.
        unsafe { self.0.add(1 + index).read() }
    }

    /// Word `index` after the header, as a term.
    ///
    /// # Safety
    /// The object has more than `index` words, and this one is a term ([`Header::raw_words`]).
    #[inline(always)]
    #[must_use]
    pub unsafe fn term_unchecked(self, index: usize) -> Term {
        // SAFETY: the caller's promise.
        unsafe { Term::from_bits(self.word_unchecked(index)) }
    }

    /// The pointer that word `index` after the header holds.
    ///
    /// # Panics
    /// If the object has no such word.
    #[inline(always)]
    #[must_use]
    pub fn address<T>(self, index: usize) -> *mut T {
        ptr::with_exposed_provenance_mut(self.word(index) as usize)
    }

    /// The pointer that word `index` after the header holds.
    ///
    /// # Safety
    /// The object has more than `index` words.
    #[inline(always)]
    #[must_use]
    pub unsafe fn address_unchecked<T>(self, index: usize) -> *mut T {
        // SAFETY: the caller's promise.
        ptr::with_exposed_provenance_mut(unsafe { self.word_unchecked(index) } as usize)
    }

    /// The address of word `index` after the header, or the end of the object.
    #[inline(always)]
    #[must_use]
    pub const fn word_pointer(self, index: usize) -> *mut u64 {
        // Wrapping, because the address may be the end of the object.
        self.pointer().wrapping_add(1 + index)
    }
}

#[cold]
#[inline(never)]
pub(crate) fn another_kind(term: Term) -> ! {
    panic!("a term of another kind: {term:?}")
}
