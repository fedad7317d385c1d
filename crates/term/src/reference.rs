//! References of this node: numbers that are never used twice.
//!
//! A reference has 82 bits of number as OTP's do: 64 low bits and 18 high ones. A thread takes a block of numbers at a
//! time, so making a reference touches no shared cache line. An alias or process reference also carries the pid.
//!
//! Outside a heap (in the external format, in print) a reference has three words, so the bits that no counter will
//! reach say what it is:
//!
//! ```text
//! 81        64 63       54 53                   0
//! |    0      |     0     |  number             |  ordinary
//! |    all 1  |     0     |  number             |  there is or was an object behind it (on the heap too)
//! | index of the process + 1 |  number          |  an alias, up to OTP 26
//! ```
//!
//! The serial of its process is then not known, and nobody needs it: only a process that has this alias takes what is
//! sent through it. From OTP 27 on an alias has five words, of which the last two are index and serial of its process.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::kinds::LocalReference;
use layout::limits::PID_INDEX_BITS;
use layout::object::offset;
use layout::{ObjectKind, Term};
use spec::release::Release;

use crate::heap::Allocate;
use crate::off_heap::MagicBlock;
use crate::{build, release};

/// Numbers that a thread takes at a time.
const BLOCK: u64 = 1 << 20;

/// The high part of the number of a reference behind which there is an object.
pub const OBJECT: u64 = 0x3_ffff;

/// Bits of a number that count references; the first diagram above has the others.
const COUNTER_BITS: u32 = 54;

/// The most words that a reference of this node has.
pub const MOST_WORDS: usize = 5;

/// The block that a thread takes next. A node begins anywhere in the first half of the blocks that there are: a
/// reference that an earlier run has kept equals none of this one, and nobody can guess the one that names an object.
static NEXT_BLOCK: LazyLock<AtomicU64> = LazyLock::new(|| {
    let blocks = 1 << COUNTER_BITS >> BLOCK.ilog2();
    AtomicU64::new(RandomState::new().hash_one(0) % (blocks / 2))
});

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A number that no reference of this node has had.
#[must_use]
pub fn fresh_number() -> u64 {
    NEXT.with(|next| {
        let mut number = next.get();
        if number.is_multiple_of(BLOCK) {
            number = begin_block();
        }
        next.set(number + 1);
        number
    })
}

/// The first number that a thread uses of a new block: any but 0 in its first half, which nobody can guess either.
#[cold]
fn begin_block() -> u64 {
    let block = NEXT_BLOCK.fetch_add(1, Ordering::Relaxed);
    block * BLOCK + 1 + RandomState::new().hash_one(block) % (BLOCK / 2)
}

/// `make_ref()`.
pub fn make<A: Allocate + ?Sized>(heap: &mut A) -> Term {
    build::object(heap, ObjectKind::Reference, &[fresh_number(), 0])
}

/// The words of a reference of this node.
pub const WORDS: usize = 3;

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
    let reference = LocalReference::of(reference)?;
    Some((reference.low(), reference.high()))
}

/// The words of a reference of this node, and how many they are: `#Ref<0.third.second.first>`. The first has 18 bits.
/// It holds the lowest bits, which change fastest, because only it is hashed.
#[must_use]
pub fn words(reference: Term) -> Option<([u32; MOST_WORDS], usize)> {
    let (low, high) = number(reference)?;
    let Some(pid) = pid(reference) else {
        let [first, second, third] = to_words(low, high);
        return Some(([first, second, third, 0, 0], 3));
    };
    let (index, serial) = (pid.identifier_index(), pid.identifier_serial());
    if has_wide_aliases() {
        let [first, second, third] = to_words(low, high);
        return Some(([first, second, third, index, serial], 5));
    }
    let owner = u64::from(index) + 1;
    let owner_low = owner << COUNTER_BITS;
    let owner_high = owner >> (u64::BITS - COUNTER_BITS);
    let [first, second, third] = to_words(low | owner_low, owner_high);
    Some(([first, second, third, 0, 0], 3))
}

/// The reference of this node with these words; `None` if it has none such. `magic` finds the object behind a
/// reference by its number, and counts it once for the reference.
///
/// # Safety
/// What `magic` returns is a live block with one count for the reference.
pub unsafe fn of_words<A: Allocate + ?Sized>(
    heap: &mut A,
    words: &[u32],
    magic: impl FnOnce(u64, u64) -> Option<*mut MagicBlock>,
) -> Option<Term> {
    let word = |place: usize| words.get(place).copied().unwrap_or(0);
    if word(0) >> 18 != 0 {
        return None;
    }
    let (low, high) = from_words([word(0), word(1), word(2)]);
    let owner = low >> COUNTER_BITS | high << (u64::BITS - COUNTER_BITS);
    let pid = match (words.len(), has_wide_aliases()) {
        (..=3, false) if high != OBJECT => {
            (owner != 0).then(|| Term::local_pid((owner - 1) as u32, 0))
        }
        (..=3, _) => None,
        (_, false) => return None,
        // With other words than an alias has it is an ordinary one, as on stock.
        (_, true) => {
            let is_alias =
                words.len() == MOST_WORDS && owner == 0 && word(3) >> PID_INDEX_BITS == 0;
            is_alias.then(|| Term::local_pid(word(3), word(4)))
        }
    };
    if let Some(pid) = pid {
        return Some(with_pid(heap, low & ((1 << COUNTER_BITS) - 1), pid));
    }
    Some(match magic(low, high) {
        // SAFETY: the caller's promise.
        Some(block) => unsafe { build::magic_reference(heap, low, high, block) },
        None => with_number(heap, low, high),
    })
}

/// Whether the words of an alias name its process beside its number.
fn has_wide_aliases() -> bool {
    release::has(Release::OTP_27)
}

/// A number as three words.
#[must_use]
pub const fn to_words(low: u64, high: u64) -> [u32; 3] {
    [
        (low & 0x3_ffff) as u32,
        (low >> 18) as u32,
        (low >> 50 | high << 14) as u32,
    ]
}

/// The number for the words: the inverse of [`to_words`].
const fn from_words(words: [u32; 3]) -> (u64, u64) {
    let [first, second, third] = [words[0] as u64, words[1] as u64, words[2] as u64];
    (first & 0x3_ffff | second << 18 | third << 50, third >> 14)
}

/// The process that an alias names. Its serial is 0 if the alias came from outside the heaps of this node, so it is
/// only good for its index.
#[must_use]
pub fn pid(reference: Term) -> Option<Term> {
    let reference = LocalReference::of(reference)?;
    (reference.arity() == offset::REFERENCE_PID + 1).then(|| {
        // SAFETY: the word holds a pid, an immediate.
        unsafe { reference.term_unchecked(offset::REFERENCE_PID) }
    })
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

    #[test]
    fn an_alias_is_read_back_from_its_words() {
        let mut heap = crate::heap::Scratch::new();
        for index in [0, 1, 1023, 1024, (1 << 27) - 1] {
            let alias = with_pid(heap.heap(), 0x12_3456_789a, Term::local_pid(index, 7));
            let (words, count) = words(alias).unwrap();
            assert_eq!(count, 3);
            // SAFETY: no object is found.
            let read = unsafe { of_words(heap.heap(), &words[..count], |_, _| None) }.unwrap();
            assert_eq!(number(read), number(alias));
            assert_eq!(pid(read).unwrap().identifier_index(), index);
        }
    }

    #[test]
    fn what_is_no_alias_stays_what_it_is() {
        let mut heap = crate::heap::Scratch::new();
        for (low, high) in [(5, 0), ((1 << COUNTER_BITS) - 1, 0), (5, OBJECT)] {
            let words = to_words(low, high);
            // SAFETY: no object is found.
            let read = unsafe { of_words(heap.heap(), &words, |_, _| None) }.unwrap();
            assert_eq!((number(read), pid(read)), (Some((low, high)), None));
        }
        // SAFETY: no object is found.
        let read = unsafe { of_words(heap.heap(), &[1, 0, 0, 1, 0], |_, _| None) };
        assert!(read.is_none(), "five words are not of this release");
    }
}
