//! Heap blocks: their sizes, and allocating and freeing them.
//!
//! Sizes follow OTP's sequence, which programs see in `process_info` and `system_info`: each is the sum of the two
//! before it plus one; past about a million words, each is a fifth larger than the one before. Any thread may call; a
//! block belongs to whoever took it.
//!
//! Blocks that waiting processes have come from `sys::memory::slab`, where it has blocks of their size: there are
//! millions of them. Others come from the program's allocator.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use layout::limits::FIRST_HEAP_WORDS;
use sys::memory::slab::{Class, Stay};

use super::stress::{self, Stress};
use crate::held::{self, HeldKind};

/// Number of sizes that grow like Fibonacci numbers; after them growth slows down.
const STEEP_SIZES: usize = 23;
/// All sizes, in words, are at most this, so the sequence ends where OTP's does.
const SIZE_LIMIT: usize = 1_000_000_000_000_000;

const fn next_in_sequence(index: usize, last: usize, before: usize) -> usize {
    match index {
        0 => 12,
        1 => 38,
        2..STEEP_SIZES => last + before + 1,
        _ => last + last / 5,
    }
}

const fn count() -> usize {
    let (mut index, mut last, mut before) = (0, 0, 0);
    loop {
        let size = next_in_sequence(index, last, before);
        if size > SIZE_LIMIT {
            return index;
        }
        (before, last, index) = (last, size, index + 1);
    }
}

const fn sequence() -> [usize; count()] {
    let mut sizes = [0; count()];
    let (mut index, mut last, mut before) = (0, 0, 0);
    while index < sizes.len() {
        sizes[index] = next_in_sequence(index, last, before);
        (before, last, index) = (last, sizes[index], index + 1);
    }
    sizes
}

/// The sizes of heap blocks. Other sizes occur only for the first block of a process, and for collections that leave no
/// free room (`tight_size`, or under stress) or that cannot get a block of the right size.
pub static SIZES: [usize; count()] = SEQUENCE;
const SEQUENCE: [usize; count()] = sequence();

/// Requests of at most so many words are answered by a table, because they are many.
const FEW_WORDS: usize = SEQUENCE[6];

/// The smallest size with room for `words` words, if there is one that large.
#[must_use]
#[inline]
pub fn size_for(words: usize) -> Option<usize> {
    const FEW: [u16; FEW_WORDS + 1] = {
        let mut table = [0; FEW_WORDS + 1];
        let (mut words, mut index) = (0, 0);
        while words < table.len() {
            if words > SEQUENCE[index] {
                index += 1;
            }
            table[words] = SEQUENCE[index] as u16;
            words += 1;
        }
        table
    };
    match FEW.get(words) {
        Some(size) => Some(usize::from(*size)),
        None => size_for_many(words),
    }
}

fn size_for_many(words: usize) -> Option<usize> {
    let index = SIZES.partition_point(|&size| size < words);
    SIZES.get(index).copied()
}

/// The most words of a block that comes from a slab.
const MOST_SLAB_WORDS: usize = 64;
/// The sizes of such blocks are this far apart.
const SLAB_STEP: usize = 4;

/// Where blocks of so many words come from, if not from the program's allocator.
#[inline]
fn class_of(words: usize) -> Option<Class> {
    const FIRST: usize = FIRST_HEAP_WORDS;
    const COUNT: usize = (MOST_SLAB_WORDS - FIRST) / SLAB_STEP + 1;
    const CLASSES: [Option<Class>; COUNT] = {
        let mut classes = [None; COUNT];
        let mut at = 0;
        while at < COUNT {
            classes[at] = Class::of(Stay::Passing, (FIRST + at * SLAB_STEP) * 8);
            at += 1;
        }
        classes
    };
    let more = words.wrapping_sub(FIRST);
    if !more.is_multiple_of(SLAB_STEP) {
        return None;
    }
    CLASSES.get(more / SLAB_STEP).copied().flatten()
}

#[inline]
fn kind_of(words: usize) -> HeldKind {
    match class_of(words) {
        Some(_) => HeldKind::PassingSlab,
        None => HeldKind::Heap,
    }
}

/// The size of a block for `words` words that leaves no more room than the allocator would waste, whose sizes are an
/// eighth to a quarter apart; and at least that of a first block.
#[must_use]
pub(super) fn tight_size(words: usize) -> usize {
    let step = if words <= MOST_SLAB_WORDS {
        SLAB_STEP
    } else {
        (words.next_power_of_two() / 8).min(512)
    };
    words.next_multiple_of(step).max(FIRST_HEAP_WORDS)
}

/// A size at least as large whose blocks come from the program's allocator: that may have a little memory when no more
/// chunks can be had.
pub(super) fn size_without_slab(words: usize) -> usize {
    words.next_multiple_of(SLAB_STEP) + 1
}

fn layout(words: usize) -> Option<Layout> {
    Layout::array::<u64>(words).ok()
}

/// A block of `words` words, uninitialised; `None` when there is not enough memory.
#[must_use]
pub fn take(words: usize) -> Option<*mut u64> {
    debug_assert!(words > 0);
    let block = match class_of(words) {
        Some(class) => class.take()?.as_ptr().cast(),
        None => allocate(words)?,
    };
    held::took(kind_of(words), words * 8);
    if is_poisoning() {
        // SAFETY: just allocated.
        unsafe { poison(block, words) };
    }
    Some(block)
}

fn allocate(words: usize) -> Option<*mut u64> {
    let layout = layout(words)?;
    // SAFETY: the size is not zero.
    let block = held::attempt(|| unsafe { alloc(layout) }).cast::<u64>();
    (!block.is_null()).then_some(block)
}

#[cold]
pub(super) fn no_memory(words: usize) -> ! {
    held::exhausted(layout(words).expect("a small block"))
}

/// # Safety
/// `block` came from [`take`] with the same size, and nothing points into it any more.
pub(super) unsafe fn give_back(block: *mut u64, words: usize) {
    // SAFETY: the caller's promise; the class and the layout are those it was allocated with.
    unsafe {
        if is_poisoning() {
            poison(block, words);
        }
        match (class_of(words), NonNull::new(block.cast())) {
            (Some(class), Some(block)) => class.give_back(block),
            _ => dealloc(block.cast(), layout(words).expect("it was allocated")),
        }
    }
    held::gave(kind_of(words), words * 8);
}

/// Blocks of at least so many words are worth a system call.
const DISCARDED_WORDS: usize = 1 << 16;

/// As [`give_back`], for a block that probably nobody needs again: the system gets its memory back now. The allocator
/// would keep it for a second or so, in case it is needed.
///
/// # Safety
/// As [`give_back`].
pub(super) unsafe fn give_to_system(block: *mut u64, words: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if words >= DISCARDED_WORDS {
            sys::memory::discard(block.cast(), words * 8);
        }
        give_back(block, words);
    }
}

/// The content of poisoned words. Read as a term, it is a boxed object at an address that no process has.
pub(super) const POISON: u64 = 0xdead_dead_dead_deaa;

/// Whether freed and fresh words are overwritten: in tests, in builds that verify, and under stress. Miri sees by
/// itself that such words are read; written, they would be initialised.
#[inline]
pub(super) fn is_poisoning() -> bool {
    cfg!(all(any(test, feature = "verify"), not(miri))) || stress::get() != Stress::None
}

/// Overwrites words that must not be read any more.
///
/// # Safety
/// `words` words at `block` can be written.
pub(super) unsafe fn poison(block: *mut u64, words: usize) {
    for index in 0..words {
        // SAFETY: the caller's promise.
        unsafe { block.add(index).write(POISON) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_otp() {
        let first = [12, 38, 51, 90, 142, 233, 376, 610, 987, 1598, 2586, 4185];
        assert_eq!(SIZES[..12], first);
        assert_eq!(SIZES.len(), 137);
        assert_eq!(SIZES[136], 885_767_171_276_247);
        assert_eq!(SIZES[22], 833_026);
        assert_eq!(SIZES[23], 833_026 + 833_026 / 5);
        assert!(SIZES.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(size_for(0), Some(12));
        assert_eq!(size_for(38), Some(38));
        assert_eq!(size_for(39), Some(51));
        assert_eq!(size_for(usize::MAX), None);
        for words in (0..5_000).step_by(if cfg!(miri) { 37 } else { 1 }) {
            assert_eq!(size_for(words), size_for_many(words));
        }
    }
}
