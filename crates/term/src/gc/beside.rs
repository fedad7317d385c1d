//! A heap that leaves its block without a collection, and may go back to it.
//!
//! A process that is called after a long wait has no room: it gave that back. It moves to a larger block, and its
//! objects stay where they are, at [`Heap::left`]. When it waits again, either something that the call has made is
//! alive, and the heap is collected as any other; or nothing is, as after a question that the state answers, and it
//! goes back.

use std::ptr;

use layout::heap::flag;
use layout::limits::{FIRST_HEAP_WORDS, STACK_RESERVE_WORDS};
use layout::{Heap, Term};

use super::mover::Area;
use super::policy::{SMALL_BLOCK_WORDS, is_fullsweep_due};
use super::sizes::{block_words, left_block_words, stack_words, words_between};
use super::stress::Stress;
use super::{CollectionKind, Request, block};

/// A block that was left without room (see [`Request::tight`]) is left for a larger one if at most this many words of
/// it may be garbage.
const FRESH_WORDS: usize = 16;
/// The least block for a new process that leaves its first one. In it the behaviours of OTP and Elixir begin without a
/// collection; 90 words would do for an `init` that does nothing else.
pub(super) const BEGINNING_WORDS: usize = 142;
/// A heap with more fragments than this is collected: each root would be compared with each of them.
const MOST_FRAGMENTS: usize = 4;

/// Lets a small heap without room grow into a larger block without a collection, if hardly anything of it can be
/// garbage: only the stack moves, and the objects stay where they are until the next collection. A process that is
/// called after a long wait needs room for the call, and gives it back when it waits again; so it is collected at most
/// once. So is a new process, which leaves its first block whatever is alive.
pub(super) fn grow(heap: &mut Heap, request: &Request<'_>) -> bool {
    let asked = request.kind == CollectionKind::Major || request.doomed_literals.is_some();
    let due = heap.flags & flag::FORCE != 0 || is_fullsweep_due(heap);
    let is_whole = heap.old.is_null() && heap.left.is_null();
    if asked || due || !is_whole || request.need_words > SMALL_BLOCK_WORDS {
        return false;
    }
    let own = block_words(heap);
    let survivors = words_between(heap.start, heap.high_water);
    let need = stack_words(heap) + STACK_RESERVE_WORDS + request.need_words;
    let has_begun = heap.minor_collections > 0 || own >= BEGINNING_WORDS;
    let least = if request.is_new && !has_begun {
        (need + own).max(BEGINNING_WORDS)
    } else if own == FIRST_HEAP_WORDS {
        let may_fit = survivors + need <= own && heap.minor_collections.is_multiple_of(2);
        if may_fit {
            return false;
        }
        need + own
    } else {
        let fresh = words_between(heap.high_water, heap.top);
        let is_tight = heap.minor_collections == 0 && survivors > 0 && fresh <= FRESH_WORDS;
        if !is_tight || own > SMALL_BLOCK_WORDS {
            return false;
        }
        (need + own).max(own * 2)
    };
    let size = match request.stress {
        Stress::None => block::size_for(least.max(heap.min_words as usize)),
        Stress::Collect | Stress::Verify => Some(need),
    };
    let Some((block, words)) = size.and_then(|size| Some((block::take(size)?, size))) else {
        return false;
    };
    // What has survived a collection refers to no message that has been received or looked at since; all else may.
    let is_alone =
        heap.top == heap.high_water || heap.fragments.is_null() && request.peeked.is_null();
    leave(heap, block, words);
    if is_alone && !heap.left.is_null() {
        heap.flags |= flag::LEFT_ALONE;
    }
    true
}

/// Moves a heap to an empty block; its objects stay where they are.
fn leave(heap: &mut Heap, block: *mut u64, words: usize) {
    let (left, left_words, own) = (
        heap.start,
        words_between(heap.start, heap.top),
        block_words(heap),
    );
    super::move_stack(heap, block, words);
    heap.top = block;
    heap.high_water = block;
    heap.minor_collections = heap.minor_collections.saturating_add(1);
    if left_words > 0 {
        heap.left = left;
        heap.left_words = u16::try_from(left_words).expect("a small heap");
        // SAFETY: between the objects and the end of the block was the stack's reserve.
        unsafe { left.add(left_words).write(own as u64) };
    } else {
        // SAFETY: the heap's block, which nothing refers to.
        unsafe { block::give_back(left, own) };
    }
}

/// Goes back to the block that was left, if that is as large as it has to be and holds all that roots and stack refer
/// to: what was made or received since then is garbage. Nothing that the process keeps is touched, so its cache lines
/// need not be fetched.
///
/// The words that a writable binary or a match context changes are no references, and what an object refers to is older
/// than it: so what lies there refers to nothing new, if it did not when it was left ([`flag::LEFT_ALONE`]).
pub(super) fn go_back(heap: &mut Heap, roots: &mut [&mut [Term]], request: &Request<'_>) -> bool {
    const DUE: u16 = flag::FORCE | flag::NEED_FULLSWEEP;
    if !request.may_go_back || heap.flags & (flag::LEFT_ALONE | DUE) != flag::LEFT_ALONE {
        return false;
    }
    let need = usize::from(heap.left_words) + stack_words(heap) + STACK_RESERVE_WORDS;
    let own = left_block_words(heap);
    let fits = need <= own && own <= block::tight_size(need);
    // A shared binary may be large, and must not be held by garbage.
    let is_whole = heap.old.is_null() && heap.off_heap.is_null() && request.peeked.is_null();
    if !fits || !is_whole || refers_to_new(heap, roots) {
        return false;
    }
    let (start, words) = (heap.start, block_words(heap));
    super::move_stack(heap, heap.left, own);
    heap.top = heap.start.wrapping_add(usize::from(heap.left_words));
    heap.high_water = heap.top;
    heap.minor_collections = 0;
    forget_left(heap);
    // SAFETY: the block that was the heap's, to which no root refers, nor does anything that they refer to.
    unsafe { block::give_back(start, words) };
    super::free_fragments(heap);
    super::poison_room(heap);
    super::check(heap, roots, request);
    true
}

/// Whether a root or a word of the stack refers to an object in the heap's block or in a fragment. Answers true if that
/// would take long to find out.
fn refers_to_new(heap: &Heap, roots: &[&mut [Term]]) -> bool {
    let mut areas = [Area::EMPTY; MOST_FRAGMENTS + 1];
    areas[0] = Area::new(heap.start, heap.top);
    let mut count = 1;
    let mut fragment = heap.fragments;
    while !fragment.is_null() {
        let Some(area) = areas.get_mut(count) else {
            return true;
        };
        // SAFETY: the heap's fragments are live.
        unsafe {
            *area = Area::of_fragment(fragment);
            fragment = (*fragment).next;
        }
        count += 1;
    }
    // A number that looks like such an address costs a collection, and nothing else.
    let is_new = |word: u64| areas[..count].iter().any(|area| area.holds(word));
    // SAFETY: the words between the stack's top and its end.
    let stack = unsafe { std::slice::from_raw_parts(heap.stack, stack_words(heap)) };
    stack.iter().any(|word| is_new(*word))
        || roots
            .iter()
            .any(|slice| slice.iter().any(|term| is_new(term.bits())))
}

/// Frees the block that was left, whose objects have moved or belong to a dead process.
pub(super) fn free_left(heap: &mut Heap) {
    if !heap.left.is_null() {
        // SAFETY: the block was taken with that size.
        unsafe { block::give_back(heap.left, left_block_words(heap)) };
    }
    forget_left(heap);
}

fn forget_left(heap: &mut Heap) {
    heap.left = ptr::null_mut();
    heap.left_words = 0;
    heap.flags &= !flag::LEFT_ALONE;
}
