//! How large the spaces of a heap are, and what a collection moves: decided before anything moves ([`decide`]), and
//! again when it is known what has survived ([`block_words_after`]). Nothing here changes a heap.

use layout::Heap;
use layout::heap::flag;
use layout::limits::{FIRST_HEAP_WORDS, STACK_RESERVE_WORDS};

use super::sizes::{
    block_words, fragment_words, old_heap, old_room, old_words, stack_words, total_words,
    words_between,
};
use super::stress::Stress;
use super::{CollectionKind, NoMemory, Request, block};

/// Heaps whose survivors have fewer words than this promote nothing.
const PROMOTION_WORDS: usize = 256;
/// Blocks up to this size, OTP's default for a new process, grow a step at every other collection.
pub(super) const SMALL_BLOCK_WORDS: usize = 233;
/// A block above this size may be allocated larger than is known to be needed: pages cost nothing until they are
/// touched.
pub(super) const LAZY_BLOCK_WORDS: usize = 1 << 16;
/// Blocks of busy heaps up to this size grow if collecting them costs much: in a larger one more objects die before
/// anything copies them. Chosen by `parallel`.
const CHURNING_BLOCK_WORDS: usize = 4_185;
/// What a collection costs besides copying, as words copied.
const COLLECTION_WORDS: usize = 128;
/// A collection costs much if that is more than this part of the words in the block.
const COSTLY_SHARE: usize = 8;
/// Blocks above this may shrink at a minor collection.
const SHRINKING_BLOCK_WORDS: usize = 3_000;
/// Blocks of busy heaps up to this size do not shrink at a minor collection: they would soon grow again.
const STEADY_BLOCK_WORDS: usize = 2 * CHURNING_BLOCK_WORDS;
/// Under stress, the free room beyond what is needed is the needed words divided by this.
const STRESS_SHARE: usize = 64;

/// Decisions about a collection, made before anything moves.
pub(super) struct Plan {
    pub(super) major: bool,
    /// Words at the start of the block that are promoted.
    pub(super) mature: usize,
    /// Upper bound for the words that move to the new young space.
    pub(super) most_words: usize,
    pub(super) tight: bool,
    pub(super) stress: Stress,
}

/// The words that a collection has moved.
#[derive(Clone, Copy)]
pub(super) struct Survivors {
    /// To the new young space.
    pub(super) live: usize,
    /// To the old generation.
    pub(super) promoted: usize,
}

pub(super) fn size_for(words: usize) -> Result<usize, NoMemory> {
    block::size_for(words).ok_or(NoMemory)
}

/// Whether a collection now would be a major one.
#[must_use]
pub fn is_major(heap: &Heap, request: &Request<'_>) -> bool {
    decide(heap, request).0.major
}

/// The plan of a collection, and the minimum size of the old heap that it would create, or 0 if it creates none.
pub(super) fn decide(heap: &Heap, request: &Request<'_>) -> (Plan, usize) {
    let stress = request.stress;
    let tight = request.tight || stress != Stress::None;
    let used = words_between(heap.start, heap.top);
    let fragments = fragment_words(heap) + usize::from(heap.left_words);
    let old = old_words(heap);
    let mut mature = words_between(heap.start, heap.high_water);
    let mut major = request.kind == CollectionKind::Major
        || is_fullsweep_due(heap)
        || request.doomed_literals.is_some();
    let mut old_heap_words = 0;
    if !major && mature > 0 {
        if heap.old.is_null() {
            let least = if stress == Stress::None {
                PROMOTION_WORDS
            } else {
                1
            };
            if mature < least {
                mature = 0;
            } else {
                // Room to grow, because each time the old heap is full, all of it is copied.
                old_heap_words = (used + fragments) * 2;
            }
        } else {
            major = mature > old_room(heap);
        }
    }
    if major {
        let literals = request
            .doomed_literals
            .map_or(0, |range| (range.end - range.start) / 8);
        let plan = Plan {
            major,
            mature: 0,
            most_words: used + old + fragments + literals,
            tight,
            stress,
        };
        return (plan, 0);
    }
    let plan = Plan {
        major,
        mature,
        most_words: used - mature + fragments,
        tight,
        stress,
    };
    (plan, old_heap_words)
}

pub(super) fn is_fullsweep_due(heap: &Heap) -> bool {
    heap.flags & flag::NEED_FULLSWEEP != 0 || heap.minor_collections >= heap.fullsweep_after
}

/// Size of the block that a collection takes first, when it does not use the buffer on the native stack.
pub(super) fn first_words(heap: &Heap, plan: &Plan, need_words: usize) -> Result<usize, NoMemory> {
    let room = plan.most_words + stack_words(heap) + STACK_RESERVE_WORDS;
    let room_and_need = room.checked_add(need_words).ok_or(NoMemory)?;
    let outgrown = room > block_words(heap) && room > LAZY_BLOCK_WORDS;
    if plan.major || outgrown {
        // Large enough that the heap need not grow at once even if everything is alive: growing would move everything
        // again.
        size_for(room_and_need + room / 3)
    } else if need_words > block_words(heap) / 4 {
        // The request is so large that it will hardly fit the present block.
        Ok(size_for(room_and_need)?.max(block_words(heap)))
    } else {
        Ok(size_for(room)?.max(block_words(heap)))
    }
}

/// The most words that a heap would occupy during a collection: what it has, and what the collection takes in addition
/// if everything is alive. `max_heap_size` is compared with this.
#[must_use]
pub fn peak_words(heap: &Heap, request: &Request<'_>) -> usize {
    let (plan, old_heap_words) = decide(heap, request);
    let words = first_words(heap, &plan, request.need_words);
    let old_heap = match old_heap_words {
        0 => Ok(0),
        words => size_for(words),
    };
    let (Ok(words), Ok(old_heap)) = (words, old_heap) else {
        return usize::MAX;
    };
    total_words(heap)
        .saturating_add(words)
        .saturating_add(old_heap)
}

/// The most words that a collection would have to move or look at: its cost if everything is alive.
#[must_use]
pub fn most_words(heap: &Heap, kind: CollectionKind) -> usize {
    let (plan, _) = decide(heap, &Request::new(kind, 0));
    plan.most_words + plan.mature + stack_words(heap)
}

/// Whether a heap needs a collection although it has room: one was requested, or too many words lie in fragments.
#[must_use]
pub fn is_due(heap: &Heap) -> bool {
    heap.flags & flag::FORCE != 0 || heap.fragment_words as usize > block_words(heap)
}

/// The size of the block that the heap continues in, when its objects have moved. The block at hand has `block` words.
pub(super) fn block_words_after(
    heap: &Heap,
    request: &Request<'_>,
    moved: Survivors,
    plan: &Plan,
    block: usize,
) -> usize {
    let live = moved.live;
    let need = live + stack_words(heap) + request.need_words + STACK_RESERVE_WORDS;
    let least = heap.min_words as usize;
    let own = block_words(heap);
    if plan.stress != Stress::None {
        // A large heap must collect less often, or the total time would be quadratic in the live words.
        return if request.tight {
            need
        } else {
            need + need / STRESS_SHARE
        };
    }
    if plan.tight {
        return block::tight_size(need);
    }
    // `size_for` finds a size here: for a larger need there would have been no memory earlier.
    let size_for = |words: usize| block::size_for(words).unwrap_or(block);
    let wanted = need.max(least);
    if own < SMALL_BLOCK_WORDS {
        // The block at hand may be sized for the worst case of all fragments, so the heap's own block is what counts.
        let asked = request.kind == CollectionKind::Major;
        return if asked && wanted <= FIRST_HEAP_WORDS {
            FIRST_HEAP_WORDS
        } else if asked {
            size_for(wanted)
        } else if wanted > own {
            // At first leave a quarter to spare, because many heaps never grow again. If most of the heap is still
            // alive at a later collection, the process is building something: leave more.
            let builds = heap.minor_collections > 0 && live * 2 > own;
            let spare = if builds { live } else { need / 4 };
            size_for(least.max(need + spare))
        } else if plan.major && need * 2 <= own || !plan.major && heap.minor_collections % 2 == 0 {
            own
        } else {
            size_for(own + 1)
        };
    }
    if wanted > block {
        return size_for(wanted);
    }
    if block > own && !plan.major && !request.is_busy && wanted.max(need * 2) <= own {
        // The block at hand was sized for the case that everything is alive, also what is in fragments. A busy heap
        // takes the larger block.
        return own;
    }
    let cost = live + moved.promoted + COLLECTION_WORDS;
    let churns = request.is_busy && cost > block / COSTLY_SHARE;
    if need > block / 4 * 3 || churns && block <= CHURNING_BLOCK_WORDS {
        return size_for(block + 1);
    }
    if plan.major {
        return if need < block / 4 {
            size_for((need * 2).max(least))
        } else {
            block
        };
    }
    let is_steady = request.is_busy && block <= STEADY_BLOCK_WORDS;
    if block > SHRINKING_BLOCK_WORDS && !is_steady && need < block / 4 {
        let old = old_heap(heap).map_or(0, |old| words_between(old.start, old.end));
        return size_for((need * 3).max(old / 8).max(least)).min(block);
    }
    block
}
