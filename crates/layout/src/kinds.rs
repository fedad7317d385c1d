//! Views of objects of one kind, with their words by name: what [`Boxed`] is once its kind was tested.

use core::ops::Deref;
use core::ptr;

use crate::code::{Export, FunEntry};
use crate::object::{Header, MapShape, ObjectKind, offset};
use crate::term::Term;
use crate::view::{Boxed, another_kind};

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
