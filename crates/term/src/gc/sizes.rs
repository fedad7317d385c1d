//! How large a heap and its parts are.

use layout::limits::STACK_RESERVE_WORDS;
use layout::{Heap, OldHeap};

use super::block;

/// Words of all blocks of a heap: what `max_heap_size` limits, and what `process_info(total_heap_size)` reports.
#[must_use]
pub fn total_words(heap: &Heap) -> usize {
    let old = old_heap(heap).map_or(0, |old| words_between(old.start, old.end));
    block_words(heap) + old + heap.fragment_words as usize + left_block_words(heap)
}

/// Sizes for `process_info(garbage_collection_info)`, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Words in use in the young block, without the stack.
    pub heap: usize,
    pub heap_block: usize,
    pub old_heap: usize,
    pub old_heap_block: usize,
    pub stack: usize,
    pub fragments: usize,
    /// What has survived a collection.
    pub recent: usize,
    pub off_heap: usize,
    pub off_heap_limit: usize,
    pub old_off_heap: usize,
}

/// Whether a collection that leaves no free room would probably give memory back: the heap has fragments, or its block
/// is larger than what survived the last collection and its stack need.
#[must_use]
pub fn has_room_to_give(heap: &Heap) -> bool {
    if !heap.fragments.is_null() {
        return true;
    }
    let survivors = words_between(heap.start, heap.high_water);
    let need = survivors + stack_words(heap) + STACK_RESERVE_WORDS;
    block_words(heap) > block::tight_size(need)
}

/// How large the parts of a heap are.
#[must_use]
pub fn sizes(heap: &Heap) -> Sizes {
    let old = old_heap(heap);
    Sizes {
        heap: words_between(heap.start, heap.top) + usize::from(heap.left_words),
        heap_block: block_words(heap) + left_block_words(heap),
        old_heap: old_words(heap),
        old_heap_block: old.map_or(0, |old| words_between(old.start, old.end)),
        stack: stack_words(heap),
        fragments: heap.fragment_words as usize,
        recent: words_between(heap.start, heap.high_water),
        off_heap: heap.off_heap_words as usize,
        off_heap_limit: heap.off_heap_limit_words as usize,
        old_off_heap: old.map_or(0, |old| old.off_heap_words as usize),
    }
}

/// Words of a heap without the free room of its young block, as if the block were just large enough for what it holds.
#[must_use]
pub fn tight_words(heap: &Heap) -> usize {
    let objects = words_between(heap.start, heap.top) + usize::from(heap.left_words);
    objects + stack_words(heap) + STACK_RESERVE_WORDS
}

pub(super) fn words_between(start: *const u64, end: *const u64) -> usize {
    (end as usize - start as usize) / 8
}

pub(super) fn block_words(heap: &Heap) -> usize {
    words_between(heap.start, heap.end)
}

pub(super) fn stack_words(heap: &Heap) -> usize {
    words_between(heap.stack, heap.end)
}

/// Words of all objects that have been made or received and not been collected.
#[must_use]
pub fn allocated_words(heap: &Heap) -> usize {
    used_words(heap) - words_between(heap.fragment_top, heap.fragment_end)
}

pub(super) fn used_words(heap: &Heap) -> usize {
    let young = words_between(heap.start, heap.top) + usize::from(heap.left_words);
    young + old_words(heap) + heap.fragment_words as usize
}

/// Words in the fragments; recounted if the counter has saturated.
pub(super) fn fragment_words(heap: &Heap) -> usize {
    if heap.fragment_words < u32::MAX {
        return heap.fragment_words as usize;
    }
    let (mut words, mut fragment) = (0, heap.fragments);
    while !fragment.is_null() {
        // SAFETY: the heap's fragments are live.
        unsafe {
            words += (*fragment).words as usize;
            fragment = (*fragment).next;
        }
    }
    words
}

pub(super) fn old_heap(heap: &Heap) -> Option<&OldHeap> {
    // SAFETY: null, or the heap's own old generation.
    unsafe { heap.old.as_ref() }
}

pub(super) fn old_words(heap: &Heap) -> usize {
    old_heap(heap).map_or(0, |old| words_between(old.start, old.top))
}

pub(super) fn old_room(heap: &Heap) -> usize {
    old_heap(heap).map_or(0, |old| words_between(old.top, old.end))
}

/// Words of the block that was left.
pub(super) fn left_block_words(heap: &Heap) -> usize {
    if heap.left.is_null() {
        return 0;
    }
    // SAFETY: `leave` wrote the size behind the objects.
    unsafe { *heap.left.add(usize::from(heap.left_words)) as usize }
}
