//! The tagged word.
//!
//! ```text
//! ................................................................00  header, or a return address on a stack
//! pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp01  cons cell
//! pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp10  boxed object
//! ssssssssssssssssssssssssssssssss iiiiiiiiiiiiiiiiiiiiiiiiiiii0011  local pid: serial, index (28 bits)
//! ssssssssssssssssssssssssssssssss iiiiiiiiiiiiiiiiiiiiiiiiiiii0111  local port: serial, index (28 bits)
//! ............................................aaaaaaaaaaaaaa001011  atom: index into the atom table
//! ........................................cccccccccccccccccc011011  catch: a code address
//! ..........................................................111011  the empty list
//! iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii1111  small integer, 60 bits, signed
//! ```
//!
//! **The moving rule.** A `Term` held by Rust code is valid: the cell or object it points to is initialised and does
//! not move until the next safepoint of the process that owns it (a literal never moves). Only functions documented
//! to do so may collect; while none of them runs, reading through a term is sound. Therefore the accessors below are
//! safe functions, while [`Term::from_bits`] and the pointer constructors are unsafe. What a term points to is read
//! through the views (`view`), which test its tag.

use core::ptr;

use crate::limits::{PID_INDEX_BITS, SMALL_MAX, SMALL_MIN};
use crate::object::ObjectKind;
use crate::view::{Boxed, Cons, another_kind};

/// A term, or the non-value (0). `==` compares the words: this suffices for immediates, but not for objects
/// (`term::compare` implements the comparisons of the language).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Term(u64);

const SMALL: u64 = 0b1111;
const PID: u64 = 0b0011;
const PORT: u64 = 0b0111;
const ATOM: u64 = 0b00_1011;
const CATCH: u64 = 0b01_1011;
const INDEX_MASK: u64 = (1 << PID_INDEX_BITS) - 1;

impl Term {
    /// Not a term: the result of a failed operation, and the mark of a cons cell that was moved by a collection.
    pub const NONE: Term = Term(0);
    /// `[]`.
    pub const NIL: Term = Term(0b11_1011);
    /// A catch mark without a handler: a constant that differs from whatever a variable can hold.
    pub const NO_CATCH: Term = Term(CATCH);

    /// # Safety
    /// `bits` must be a word that was a valid term, under the moving rule.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_bits(bits: u64) -> Term {
        Term(bits)
    }

    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    // Immediates.

    /// How many low bits of a small integer's word are its tag.
    pub const SMALL_TAG_BITS: u32 = 4;

    /// A small integer; the value must be in range.
    #[inline(always)]
    #[must_use]
    pub const fn small(value: i64) -> Term {
        debug_assert!(value >= SMALL_MIN && value <= SMALL_MAX);
        Term((value << Term::SMALL_TAG_BITS) as u64 | SMALL)
    }

    /// A small integer, if the value is in range.
    #[inline(always)]
    #[must_use]
    pub const fn try_small(value: i64) -> Option<Term> {
        if value >= SMALL_MIN && value <= SMALL_MAX {
            Some(Term::small(value))
        } else {
            None
        }
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_small(self) -> bool {
        self.0 & 0b1111 == SMALL
    }

    /// Whether both are small integers; one test.
    #[inline(always)]
    #[must_use]
    pub const fn both_small(a: Term, b: Term) -> bool {
        Term(a.0 & b.0).is_small()
    }

    #[inline(always)]
    #[must_use]
    pub const fn as_small(self) -> Option<i64> {
        if self.is_small() {
            Some(self.small_value())
        } else {
            None
        }
    }

    /// The value of a word that is known to be a small integer.
    #[inline(always)]
    #[must_use]
    pub const fn small_value(self) -> i64 {
        (self.0 as i64) >> Term::SMALL_TAG_BITS
    }

    #[inline(always)]
    #[must_use]
    pub const fn atom(index: u32) -> Term {
        Term((index as u64) << 6 | ATOM)
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_atom(self) -> bool {
        self.0 & 0b11_1111 == ATOM
    }

    /// The index of an atom in the atom table.
    #[inline(always)]
    #[must_use]
    pub const fn as_atom(self) -> Option<u32> {
        if self.is_atom() {
            Some((self.0 >> 6) as u32)
        } else {
            None
        }
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_nil(self) -> bool {
        self.0 == Term::NIL.0
    }

    #[inline(always)]
    #[must_use]
    pub const fn local_pid(index: u32, serial: u32) -> Term {
        Term(((serial as u64) << PID_INDEX_BITS | index as u64) << 4 | PID)
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_local_pid(self) -> bool {
        self.0 & 0b1111 == PID
    }

    #[inline(always)]
    #[must_use]
    pub const fn local_port(index: u32, serial: u32) -> Term {
        Term(((serial as u64) << PID_INDEX_BITS | index as u64) << 4 | PORT)
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_local_port(self) -> bool {
        self.0 & 0b1111 == PORT
    }

    /// The index of a local pid or port in its table.
    #[inline(always)]
    #[must_use]
    pub const fn identifier_index(self) -> u32 {
        (self.0 >> 4 & INDEX_MASK) as u32
    }

    /// The number that distinguishes successive users of one table slot.
    #[inline(always)]
    #[must_use]
    pub const fn identifier_serial(self) -> u32 {
        (self.0 >> (4 + PID_INDEX_BITS)) as u32
    }

    /// A catch mark in a stack frame: the address of the exception handler.
    #[inline(always)]
    #[must_use]
    pub fn catch(handler: *const u64) -> Term {
        Term((handler as u64) << 6 | CATCH)
    }

    #[inline(always)]
    #[must_use]
    pub fn as_catch(self) -> Option<*const u64> {
        if self.0 & 0b11_1111 == CATCH {
            Some((self.0 >> 6) as *const u64)
        } else {
            None
        }
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_immediate(self) -> bool {
        self.0 & 0b11 == 0b11
    }

    // Cons cells.

    /// # Safety
    /// `cell` points to two words, initialised before the term is read.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_cons_pointer(cell: *const Term) -> Term {
        Term(cell as u64 | 0b01)
    }

    /// The cell, if the term is a cons.
    #[inline(always)]
    #[must_use]
    pub fn as_cell(self) -> Option<Cons> {
        if self.is_cons() {
            // SAFETY: the line above.
            Some(unsafe { self.cell_unchecked() })
        } else {
            None
        }
    }

    /// The cell of a term that must be a cons.
    ///
    /// # Panics
    /// If it is not.
    #[inline(always)]
    #[must_use]
    pub fn expect_cell(self) -> Cons {
        match self.as_cell() {
            Some(cell) => cell,
            None => another_kind(self),
        }
    }

    /// The cell of a cons.
    ///
    /// # Safety
    /// The term is a cons.
    #[inline(always)]
    #[must_use]
    pub unsafe fn cell_unchecked(self) -> Cons {
        debug_assert!(self.is_cons());
        // SAFETY: the caller's promise.
        unsafe { Cons::from_pointer(ptr::with_exposed_provenance_mut((self.0 - 0b01) as usize)) }
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_cons(self) -> bool {
        self.0 & 0b11 == 0b01
    }

    /// A list cell or `[]`.
    #[inline(always)]
    #[must_use]
    pub const fn is_list(self) -> bool {
        self.is_cons() || self.is_nil()
    }

    /// The cell of a word that is known to be a cons.
    #[inline(always)]
    #[must_use]
    pub const fn cons_pointer(self) -> *mut Term {
        debug_assert!(self.is_cons());
        (self.0 - 0b01) as *mut Term
    }

    #[inline(always)]
    #[must_use]
    pub fn as_cons(self) -> Option<(Term, Term)> {
        let cell = self.as_cell()?;
        Some((cell.head(), cell.tail()))
    }

    // Boxed objects; accessors for their contents are in `object`.

    /// # Safety
    /// `object` points to a header; the header and its object are initialised before the term is read.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_boxed_pointer(object: *const u64) -> Term {
        Term(object as u64 | 0b10)
    }

    /// The object, if the term is boxed.
    #[inline(always)]
    #[must_use]
    pub fn as_boxed(self) -> Option<Boxed> {
        if self.is_boxed() {
            // SAFETY: the line above.
            Some(unsafe { self.boxed_unchecked() })
        } else {
            None
        }
    }

    /// The object of a term that must be boxed.
    ///
    /// # Panics
    /// If it is not.
    #[inline(always)]
    #[must_use]
    pub fn expect_boxed(self) -> Boxed {
        match self.as_boxed() {
            Some(object) => object,
            None => another_kind(self),
        }
    }

    /// The object of a boxed term.
    ///
    /// # Safety
    /// The term is boxed.
    #[inline(always)]
    #[must_use]
    pub unsafe fn boxed_unchecked(self) -> Boxed {
        debug_assert!(self.is_boxed());
        // SAFETY: the caller's promise.
        unsafe { Boxed::from_pointer(ptr::with_exposed_provenance_mut((self.0 - 0b10) as usize)) }
    }

    /// The object, if it is of this kind.
    #[inline(always)]
    #[must_use]
    pub fn as_kind(self, kind: ObjectKind) -> Option<Boxed> {
        self.as_boxed().filter(|object| object.kind() == kind)
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_boxed(self) -> bool {
        self.0 & 0b11 == 0b10
    }

    /// The header's address, for a word that is known to be boxed.
    #[inline(always)]
    #[must_use]
    pub const fn boxed_pointer(self) -> *mut u64 {
        debug_assert!(self.is_boxed());
        (self.0 - 0b10) as *mut u64
    }

    /// The kind of object, if the term is boxed.
    #[inline(always)]
    #[must_use]
    pub fn boxed_kind(self) -> Option<ObjectKind> {
        Some(self.as_boxed()?.kind())
    }

    #[inline(always)]
    #[must_use]
    pub fn is_kind(self, kind: ObjectKind) -> bool {
        self.as_kind(kind).is_some()
    }

    /// The address of word `index` after the header.
    #[inline(always)]
    #[must_use]
    pub fn word_pointer(self, index: usize) -> *mut u64 {
        // Wrapping, because the address may be the end of the object.
        self.boxed_pointer().wrapping_add(1 + index)
    }
}

impl core::fmt::Debug for Term {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if let Some(value) = self.as_small() {
            write!(f, "{value}")
        } else if let Some(index) = self.as_atom() {
            write!(f, "atom#{index}")
        } else if self.is_nil() {
            write!(f, "[]")
        } else {
            write!(f, "{:#x}", self.0)
        }
    }
}
