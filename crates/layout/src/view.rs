//! What a tagged pointer is once its tag was tested: a cons cell or a boxed object; and what an object is once its kind
//! was tested: views that know the names of its words.
//!
//! A view is a pointer, as valid as the term it was made from and for as long (the moving rule, `term.rs`). It returns
//! words by value, and makes no reference. Having one proves the tag, or the kind, so that its methods have no
//! precondition; an index is either compared with the arity, or the function is unsafe and says `unchecked`.

use core::ops::Deref;
use core::ptr::{self, NonNull};

use crate::code::{Export, FunEntry};
use crate::object::{Header, MapShape, ObjectKind, offset};
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
        self.terms_from(self.header().raw_words())
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

/// What a word of an object can hold.
trait Word {
    /// # Safety
    /// The word holds such a value.
    unsafe fn from_word(word: u64) -> Self;
}

impl Word for u64 {
    #[inline(always)]
    unsafe fn from_word(word: u64) -> u64 {
        word
    }
}

impl Word for Term {
    #[inline(always)]
    unsafe fn from_word(word: u64) -> Term {
        // SAFETY: the caller's promise.
        unsafe { Term::from_bits(word) }
    }
}

impl<T> Word for *mut T {
    #[inline(always)]
    unsafe fn from_word(word: u64) -> *mut T {
        ptr::with_exposed_provenance_mut(word as usize)
    }
}

/// Defines views of the objects whose headers a condition holds for, with functions that return their words.
macro_rules! views {
    ($(
        $(#[$view_doc:meta])*
        $view:ident: |$header:ident| $condition:expr,
        { $($(#[$word_doc:meta])* $word:ident: $type:ty = $offset:ident,)* }
    )*) => {$(
        $(#[$view_doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $view(Boxed);

        impl $view {
            /// The object, if the term is one of this kind.
            #[inline(always)]
            #[must_use]
            pub fn of(term: Term) -> Option<$view> {
                $view::of_object(term.as_boxed()?)
            }

            /// The object, if it is of this kind.
            #[inline(always)]
            #[must_use]
            pub fn of_object(object: Boxed) -> Option<$view> {
                let $header = object.header();
                if $condition {
                    Some($view(object))
                } else {
                    None
                }
            }

            /// The object of a term that must be of this kind.
            ///
            /// # Panics
            /// If it is not.
            #[inline(always)]
            #[must_use]
            pub fn expect(term: Term) -> $view {
                match $view::of(term) {
                    Some(view) => view,
                    None => another_kind(term),
                }
            }

            $(
                $(#[$word_doc])*
                #[inline(always)]
                #[must_use]
                pub fn $word(self) -> $type {
                    // SAFETY: an object of this kind has this word (`object`).
                    unsafe { Word::from_word(self.word_unchecked(offset::$offset)) }
                }
            )*
        }

        impl Deref for $view {
            type Target = Boxed;

            #[inline(always)]
            fn deref(&self) -> &Boxed {
                &self.0
            }
        }
    )*};
}

views! {
    Float: |header| header.kind() == ObjectKind::Float, {
        bits: u64 = FLOAT_BITS,
    }

    /// A reference of this node.
    LocalReference: |header| header.kind() == ObjectKind::Reference, {
        low: u64 = REFERENCE_LOW,
        high: u64 = REFERENCE_HIGH,
    }

    /// A reference that holds a counted object.
    MagicReference: |header| header == Header::MAGIC_REFERENCE, {
        low: u64 = REFERENCE_LOW,
        high: u64 = REFERENCE_HIGH,
        /// The counted object.
        block: *mut u8 = OFF_HEAP_BLOCK,
    }

    /// A fun with code of its own, which may have free variables.
    Closure: |header| header.kind() == ObjectKind::Fun, {
        entry: *mut FunEntry = FUN_ENTRY,
        /// Its arity, and how many free variables it has: `arity | free << 8`.
        arity_and_free: u64 = FUN_ARITY,
        creator: Term = FUN_CREATOR,
    }

    /// An external fun, `fun module:function/arity`.
    ExternalFun: |header| header.kind() == ObjectKind::Export, {
        entry: *mut Export = EXPORT_ENTRY,
    }

    HeapBinary: |header| header.kind() == ObjectKind::HeapBinary, {
        /// In bytes.
        size: u64 = HEAP_BINARY_SIZE,
    }

    SharedBinary: |header| header.kind() == ObjectKind::SharedBinary, {
        /// In bytes.
        size: u64 = SHARED_BINARY_SIZE,
        /// Bits of [`object::binary_flag`](crate::object::binary_flag).
        flags: u64 = SHARED_BINARY_FLAGS,
        /// The counted block.
        block: *mut u8 = OFF_HEAP_BLOCK,
        /// The first byte.
        bytes: *mut u8 = SHARED_BINARY_BYTES,
    }

    SubBinary: |header| header.kind() == ObjectKind::SubBinary, {
        /// In whole bytes.
        size: u64 = SUB_BINARY_SIZE,
        /// Of the first bit's byte, from the first byte of the whole.
        byte_offset: u64 = SUB_BINARY_OFFSET,
        /// The bits after the whole bytes, and the first bit in its byte: `bits | bit_offset << 8 | writable << 16`.
        bits: u64 = SUB_BINARY_BITS,
        /// The binary that has the bytes.
        whole: Term = SUB_BINARY_WHOLE,
    }

    MatchContext: |header| header.kind() == ObjectKind::MatchContext, {
        /// The first byte of the binary.
        bytes: *mut u8 = MATCH_BYTES,
        /// In bits.
        position: u64 = MATCH_POSITION,
        /// In bits.
        end: u64 = MATCH_END,
        binary: Term = MATCH_BINARY,
    }

    FlatMap: |header| header.kind() == ObjectKind::Map && header.map_shape() == MapShape::Flat, {
        /// Number of pairs.
        size: u64 = MAP_SIZE,
        /// The tuple of keys.
        keys: Term = FLAT_MAP_KEYS,
    }

    NativeRecord: |header| header.kind() == ObjectKind::NativeRecord, {
        definition: Term = RECORD_DEFINITION,
    }

    /// A pid or a port of another node.
    ExternalIdentifier: |header| matches!(
        header.kind(),
        ObjectKind::ExternalPid | ObjectKind::ExternalPort
    ), {
        node: u64 = EXTERNAL_NODE,
        /// Of a pid `id | serial << 32`.
        id: u64 = EXTERNAL_ID,
    }

    ExternalReference: |header| header.kind() == ObjectKind::ExternalReference, {
        node: u64 = EXTERNAL_NODE,
        /// How many 32-bit words the number has; they follow two by two.
        count: u64 = EXTERNAL_REFERENCE_COUNT,
    }
}

impl Closure {
    /// How many free variables there are.
    #[inline(always)]
    #[must_use]
    pub fn free_count(self) -> usize {
        self.arity() - offset::FUN_FREE
    }
}

#[cold]
#[inline(never)]
pub(crate) fn another_kind(term: Term) -> ! {
    panic!("a term of another kind: {term:?}")
}
