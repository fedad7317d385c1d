//! Heap blocks: their sizes, and allocating and freeing them.
//!
//! Sizes follow OTP's sequence, which programs see in `process_info` and `system_info`: each is the sum of the two
//! before it plus one; past about a million words, each is a fifth larger than the one before. Any thread may call; a
//! block belongs to whoever took it.

use std::alloc::{Layout, alloc, dealloc};

use super::stress::{self, Stress};
use crate::held;

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
/// free room ([`tight_size`], or under stress) or that cannot get a block of the right size.
pub static SIZES: [usize; count()] = sequence();

/// The smallest size with room for `words` words, if there is one that large.
#[must_use]
pub fn size_for(words: usize) -> Option<usize> {
    let index = SIZES.partition_point(|&size| size < words);
    SIZES.get(index).copied()
}

/// The size of a block for `words` words that leaves no more room than the allocator would waste: its sizes are an eighth
/// to a quarter apart.
#[must_use]
pub(super) fn tight_size(words: usize) -> usize {
    let step = (words.next_power_of_two() / 8).clamp(2, 512);
    words.next_multiple_of(step)
}

fn layout(words: usize) -> Option<Layout> {
    Layout::array::<u64>(words).ok()
}

/// A block of `words` words, uninitialised; `None` when there is not enough memory.
#[must_use]
pub(super) fn take(words: usize) -> Option<*mut u64> {
    debug_assert!(words > 0);
    let layout = layout(words)?;
    // SAFETY: the size is not zero.
    let block = held::attempt(|| unsafe { alloc(layout) }).cast::<u64>();
    if block.is_null() {
        return None;
    }
    held::count(held::HeldKind::Heap, (words * 8) as isize);
    if is_poisoning() {
        // SAFETY: just allocated.
        unsafe { poison(block, words) };
    }
    Some(block)
}

#[cold]
pub(super) fn no_memory(words: usize) -> ! {
    held::exhausted(layout(words).expect("a small block"))
}

/// # Safety
/// `block` came from [`take`] with the same size, and nothing points into it any more.
pub(super) unsafe fn give_back(block: *mut u64, words: usize) {
    // SAFETY: the caller's promise; the layout is the one it was allocated with.
    unsafe {
        if is_poisoning() {
            poison(block, words);
        }
        dealloc(block.cast(), layout(words).expect("it was allocated"));
    }
    held::count(held::HeldKind::Heap, -((words * 8) as isize));
}

/// The content of poisoned words. Read as a term, it is a boxed object at an address that no process has.
pub(super) const POISON: u64 = 0xdead_dead_dead_deaa;

/// Whether freed and fresh words are overwritten: in tests, in builds that verify, and under stress.
#[inline]
pub(super) fn is_poisoning() -> bool {
    cfg!(any(test, feature = "verify")) || stress::get() != Stress::None
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
    }
}
