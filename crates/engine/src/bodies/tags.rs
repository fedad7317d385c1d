//! Tags of terms in registers.
//!
//! A register that an operation reads holds a term, never a header or a return address. So its low bits are not 00, and
//! one bit tells a pointer of either kind: the test of it needs no register. Pointers get their tag by an addition,
//! which the compiler joins with others; the heap top is a multiple of eight.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{Header, ObjectKind, Term};

/// Mask of a header's kind bits and of the two bits that mark it as a header.
pub(super) const KIND_MASK: u64 = 0b11_1111;

/// The kind bits of an object's header.
#[inline(always)]
pub(super) const fn kind_bits(kind: ObjectKind) -> u64 {
    Header::new(kind, 0).0
}

/// Whether a term of a register is boxed.
#[inline(always)]
pub(crate) fn is_boxed(term: Term) -> bool {
    term.bits() & 0b01 == 0
}

/// Whether a term of a register is a cons.
#[inline(always)]
pub(crate) fn is_cons(term: Term) -> bool {
    term.bits() & 0b10 == 0
}

/// The header of a term that is known to be boxed.
#[inline(always)]
pub(super) unsafe fn header(term: Term) -> u64 {
    debug_assert!(is_boxed(term) && term.bits() & 0b11 != 0);
    unsafe { *(term.bits() as *const u8).wrapping_sub(2).cast::<u64>() }
}

/// The header of a term if it is boxed; otherwise a word that is not a header.
#[inline(always)]
pub(super) unsafe fn header_of(term: Term) -> u64 {
    if is_boxed(term) {
        unsafe { header(term) }
    } else {
        1
    }
}

/// Whether a term is boxed and its header, of which the mask selects some bits, equals `expected`.
#[inline(always)]
pub(super) unsafe fn has_header(term: Term, mask: u64, expected: u64) -> bool {
    is_boxed(term) && unsafe { header(term) } & mask == expected
}

/// The term of an object at the heap top.
#[inline(always)]
pub(super) unsafe fn boxed(object: *mut u64) -> Term {
    debug_assert!(object as usize % 8 == 0);
    unsafe { Term::from_bits((object as u64).wrapping_add(0b10)) }
}

/// The term of a cell at the heap top.
#[inline(always)]
pub(super) unsafe fn cons(cell: *mut Term) -> Term {
    debug_assert!(cell as usize % 8 == 0);
    unsafe { Term::from_bits((cell as u64).wrapping_add(0b01)) }
}
