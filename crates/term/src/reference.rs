//! References of this node: numbers that are never used twice.
//!
//! A reference has 82 bits of number as OTP's do: 64 low bits and 18 high ones. A thread takes a block of numbers at a
//! time, so making a reference touches no shared cache line. An alias or process reference also carries the pid.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::object::offset;
use layout::{ObjectKind, Term};

use crate::build;
use crate::heap::Allocate;

/// Numbers that a thread takes at a time.
const BLOCK: u64 = 1 << 20;

static NEXT_BLOCK: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A number that no reference of this node has had.
#[must_use]
pub fn fresh_number() -> u64 {
    NEXT.with(|next| {
        let mut number = next.get();
        if number.is_multiple_of(BLOCK) {
            number = NEXT_BLOCK.fetch_add(1, Ordering::Relaxed) * BLOCK + 1;
        }
        next.set(number + 1);
        number
    })
}

/// `make_ref()`.
pub fn make<A: Allocate + ?Sized>(heap: &mut A) -> Term {
    build::object(heap, ObjectKind::Reference, &[fresh_number(), 0])
}

/// A reference with a given number.
pub fn with_number<A: Allocate + ?Sized>(heap: &mut A, low: u64, high: u64) -> Term {
    build::object(heap, ObjectKind::Reference, &[low, high])
}

/// A reference that names a process of this node: an alias.
pub fn with_pid<A: Allocate + ?Sized>(heap: &mut A, low: u64, pid: Term) -> Term {
    build::object(heap, ObjectKind::Reference, &[low, 0, pid.bits()])
}

/// The number of a reference of this node: low 64 bits, high 18 bits.
#[must_use]
pub fn number(reference: Term) -> Option<(u64, u64)> {
    match reference.boxed_kind()? {
        ObjectKind::Reference => Some((
            reference.word(offset::REFERENCE_LOW),
            reference.word(offset::REFERENCE_HIGH),
        )),
        _ => None,
    }
}

/// A reference's number as the three words used by the external format, printing and `phash2`; the first has 18 bits:
/// `#Ref<0.third.second.first>`. The first holds the lowest bits, which change fastest, because only it is hashed.
#[must_use]
pub const fn to_words(low: u64, high: u64) -> [u32; 3] {
    [
        (low & 0x3_ffff) as u32,
        (low >> 18) as u32,
        (low >> 50 | high << 14) as u32,
    ]
}

/// The number for the words: the inverse of [`to_words`].
#[must_use]
pub const fn from_words(words: [u32; 3]) -> (u64, u64) {
    let [first, second, third] = [words[0] as u64, words[1] as u64, words[2] as u64];
    (first & 0x3_ffff | second << 18 | third << 50, third >> 14)
}

/// The process that an alias names.
#[must_use]
pub fn pid(reference: Term) -> Option<Term> {
    if reference.is_kind(ObjectKind::Reference)
        && reference.header().arity() == offset::REFERENCE_PID + 1
    {
        // SAFETY: the word holds a pid, an immediate.
        Some(unsafe { Term::from_bits(reference.word(offset::REFERENCE_PID)) })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_the_whole_number() {
        for number in [
            (0, 0),
            (u64::MAX, 0x3_ffff),
            (0x1234_5678_9abc_def0, 0x2_0f0f),
        ] {
            assert_eq!(from_words(to_words(number.0, number.1)), number);
        }
        assert_eq!(to_words(1, 0), [1, 0, 0]);
        assert_eq!(to_words(0, 1), [0, 0, 1 << 14]);
    }
}
