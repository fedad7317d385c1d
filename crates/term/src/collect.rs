//! The collector: generational and copying, one heap at a time, and nothing else stops.
//!
//! **Spaces.** A young block holds heap and stack of a process; an old generation is made when there is
//! something worth promoting; fragments hold received messages and what BIFs could not fit. A *minor*
//! collection promotes what has survived one before (below `high_water`) and moves the rest, with what
//! lives in fragments, to a fresh block. A *major* one moves everything to one block and frees the old
//! generation. While a heap is small, minor collections copy all of it and promote nothing: that is
//! cheaper than a second block.
//!
//! **No write barrier.** Objects are not changed after they were made, so old ones never point to young
//! ones. The words that do change are raw: positions of match contexts, and size, flags and block of a
//! writable binary. The one thing that could break this is a receive that makes sub-binaries of a message
//! which it has not taken out of the queue yet; see [`Request::peeked`].
//!
//! **Sizes.** A block has one of OTP's sizes ([`block::SIZES`]), or is the first heap within the process's
//! own block. Small heaps grow a step at every other collection, so a process that has little to do
//! stays small, and one that is busy soon collects seldom. What is alive is copied to a place on the
//! native stack first when it is little, so that the block that is taken has the right size at once, or
//! is not taken at all.
//!
//! Only the thread that runs the process may call, at a safepoint: no terms in Rust locals but the roots.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;

use layout::heap::flag;
use layout::limits::{FIRST_HEAP_WORDS, STACK_RESERVE_WORDS};
use layout::{Fragment, Heap, OldHeap, Term};

use crate::{heap, off_heap};

pub mod block;
pub mod message;
mod mover;
mod relocate;
pub mod stress;
mod sweep;
#[cfg(test)]
mod tests;
pub mod verify;

use mover::{Area, DoomedLiterals, Mover, Moves, Stays};
use relocate::Shift;
use stress::Stress;
use sweep::Lists;

/// How much is collected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// What has not survived twice; all, when that is due.
    Minor,
    /// All.
    Major,
}

/// What a collection did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Words of objects before, fragments included.
    pub words_before: usize,
    /// Words of objects after.
    pub words_after: usize,
    /// Words that were copied: what the collection cost.
    pub moved: usize,
    pub was_major: bool,
}

impl Stats {
    /// What a collection of this cost counts in reductions, as OTP weighs it.
    #[must_use]
    pub fn reductions(&self) -> usize {
        1 + self.moved / 10
    }

    #[must_use]
    pub fn reclaimed(&self) -> usize {
        self.words_before.saturating_sub(self.words_after)
    }
}

/// There is no memory for what was asked for. The heap is whole, and has the room it had, or less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory;

/// What a collection is asked for.
pub struct Request<'a> {
    pub kind: Kind,
    /// Words that are to be free on the heap afterwards, beside the stack's reserve.
    pub need_words: usize,
    /// The message at a receive's `save` place, or null. Until it is taken out of the queue it is not the
    /// heap's, but registers and fresh sub-binaries may point into it: they are left pointing there, and
    /// what survives is not promoted by the next collection, when the message may have become a fragment.
    pub peeked: *mut Fragment,
    /// An area of literals that are to be copied, for it is about to be freed.
    pub doomed_literals: Option<&'a Range<usize>>,
    /// Leave no room but what was asked for.
    pub tight: bool,
    /// The first block of the process, of `FIRST_HEAP_WORDS` words, for a heap that may go back to it when
    /// little is left of it; or null.
    pub first_block: *mut u64,
    /// What is allowed off the heap at least before a collection follows, in words.
    pub off_heap_limit_words: u32,
    /// What is done beyond what is needed.
    pub stress: Stress,
}

impl Request<'_> {
    #[must_use]
    pub fn new(kind: Kind, need_words: usize) -> Request<'static> {
        Request {
            kind,
            need_words,
            peeked: ptr::null_mut(),
            doomed_literals: None,
            tight: false,
            first_block: ptr::null_mut(),
            off_heap_limit_words: OFF_HEAP_LIMIT_WORDS,
            stress: stress::get(),
        }
    }
}

/// Makes room for `need_words` words and the stack's reserve, keeping what `roots` and the stack reach.
///
/// # Errors
/// When there is no memory for that.
pub fn collect(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    need_words: usize,
    kind: Kind,
) -> Result<Stats, NoMemory> {
    run(heap, roots, &Request::new(kind, need_words))
}

/// A major collection that leaves no room but the stack's reserve: the next allocation grows the heap. It
/// goes back to `first_block`, unless that is null, when what lives fits there.
///
/// # Errors
/// When there is no memory to collect in.
pub fn hibernate(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    first_block: *mut u64,
) -> Result<Stats, NoMemory> {
    let request = Request {
        tight: true,
        first_block,
        ..Request::new(Kind::Major, 0)
    };
    run(heap, roots, &request)
}

/// A major collection that copies the literals at the addresses of `range` to the heap, so that their
/// area can be freed. Messages that wait in a queue are no part of the heap: see
/// [`message::without_literals`].
///
/// # Errors
/// When there is no memory to collect in.
pub fn collect_literals(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    range: &Range<usize>,
) -> Result<Stats, NoMemory> {
    let request = Request {
        doomed_literals: Some(range),
        ..Request::new(Kind::Major, 0)
    };
    run(heap, roots, &request)
}

/// Heaps whose survivors have fewer words than this promote nothing.
const PROMOTION_WORDS: usize = 256;
/// Up to this size, what OTP begins with, blocks grow a step at every other collection.
const SMALL_BLOCK_WORDS: usize = 233;
/// From here on a block may be taken larger than is known to be needed: its pages cost nothing until they are touched.
const LAZY_BLOCK_WORDS: usize = 1 << 16;
/// Blocks above this may shrink at a minor collection.
const SHRINKING_BLOCK_WORDS: usize = 3_000;
/// What may survive is copied by way of the native stack up to this many words.
const STAGING_WORDS: usize = 512;
/// As above, when the block will have the size it has: taking a new one costs less than copying twice.
const SETTLED_STAGING_WORDS: usize = 32;
/// What is allowed off the heap at least, unless a program says otherwise; as OTP.
pub const OFF_HEAP_LIMIT_WORDS: u32 = 46_422;

/// Under stress, the room that is left besides what was asked for is this part of what lives.
const STRESS_SHARE: usize = 64;

/// How a collection goes, decided before anything moves.
struct Plan {
    major: bool,
    /// Words at the start of the block that are promoted.
    mature: usize,
    /// The most words that may come to the new young space.
    most_words: usize,
    tight: bool,
    stress: Stress,
}

/// Collects as asked.
///
/// # Errors
/// When there is no memory for the request.
pub fn run(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
) -> Result<Stats, NoMemory> {
    let words_before = used_words(heap);
    let plan = plan(heap, request)?;
    let staging_words = if block_words(heap) >= SMALL_BLOCK_WORDS && !plan.major {
        SETTLED_STAGING_WORDS
    } else {
        STAGING_WORDS
    };
    let done = if plan.most_words <= staging_words && request.need_words <= STAGING_WORDS {
        Ok(by_staging(heap, roots, request, &plan))
    } else {
        by_replacing(heap, roots, request, &plan)
    };
    let check = cfg!(any(test, feature = "verify")) || plan.stress == Stress::Verify;
    if check && done.is_ok() {
        verify::check(heap, roots, request.peeked);
    }
    Ok(Stats {
        words_before,
        words_after: used_words(heap),
        ..done?
    })
}

/// Collects by way of the native stack: the size of the block is chosen when it is known what lives.
fn by_staging(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
    plan: &Plan,
) -> Stats {
    let mut staging = [const { MaybeUninit::<u64>::uninit() }; STAGING_WORDS];
    let space = staging.as_mut_ptr().cast::<u64>();
    let mut mover = mover(heap, plan, request);
    let live = empty_spaces(heap, roots, plan, &mut mover, space, STAGING_WORDS);
    let words = block_words_after(heap, request, live, plan, block_words(heap));
    let is_inline = heap.flags & flag::INLINE != 0;
    if words == FIRST_HEAP_WORDS && !is_inline && !request.first_block.is_null() {
        go_on_in(heap, request.first_block, words);
        heap.flags |= flag::INLINE;
    } else if words != block_words(heap) || plan.stress != Stress::None {
        let least = live + stack_words(heap) + request.need_words + STACK_RESERVE_WORDS;
        let (block, words) = take_at_best(words, least);
        go_on_in(heap, block, words);
    }
    // Otherwise the old block is used again: it is empty by now, but for its stack.
    place(heap, roots, space, live);
    finish(heap, request, plan, &mover, live)
}

/// Collects to a new block, which is exchanged for one of another size when it turns out not to fit.
fn by_replacing(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
    plan: &Plan,
) -> Result<Stats, NoMemory> {
    let words = first_words(heap, plan, request.need_words)?;
    let space = block::take(words).ok_or(NoMemory)?;
    let mut mover = mover(heap, plan, request);
    let live = empty_spaces(heap, roots, plan, &mut mover, space, words);
    let wanted = block_words_after(heap, request, live, plan, words);
    let block = if wanted == words {
        None
    } else {
        block::take(wanted)
    };
    if let Some(block) = block {
        go_on_in(heap, block, wanted);
        place(heap, roots, space, live);
        // SAFETY: taken above with that size; everything in it was moved on.
        unsafe { block::give_back(space, words) };
    } else {
        go_on_in(heap, space, words);
    }
    let stats = finish(heap, request, plan, &mover, live);
    if words_between(heap.top, heap.stack) < request.need_words + STACK_RESERVE_WORDS {
        return Err(NoMemory);
    }
    Ok(stats)
}

/// A block of the size that a heap should have, or of the size that it must have: a program may ask for any
/// `min_heap_size`.
fn take_at_best(words: usize, least: usize) -> (*mut u64, usize) {
    match block::take(words) {
        Some(block) => (block, words),
        None => {
            let block = block::take(least).unwrap_or_else(|| block::no_memory(least));
            (block, least)
        }
    }
}

fn size_for(words: usize) -> Result<usize, NoMemory> {
    block::size_for(words).ok_or(NoMemory)
}

fn plan(heap: &mut Heap, request: &Request<'_>) -> Result<Plan, NoMemory> {
    let (plan, old_heap_words) = decide(heap, request);
    if old_heap_words > 0 {
        heap.old = new_old_heap(size_for(old_heap_words)?)?;
    }
    Ok(plan)
}

/// How a collection would go, and the least size of the old heap that it would begin, or 0.
fn decide(heap: &Heap, request: &Request<'_>) -> (Plan, usize) {
    let stress = request.stress;
    let tight = request.tight || stress != Stress::None;
    let used = words_between(heap.start, heap.top);
    let fragments = fragment_words(heap);
    let old = old_words(heap);
    let mut mature = words_between(heap.start, heap.high_water);
    let due =
        heap.flags & flag::NEED_FULLSWEEP != 0 || heap.minor_collections >= heap.fullsweep_after;
    let mut major = request.kind == Kind::Major || due || request.doomed_literals.is_some();
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
                // Room for as much again: each time it is full, all of it is copied.
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

/// Words of the block that a collection takes first, when it does not go by way of the native stack.
fn first_words(heap: &Heap, plan: &Plan, need_words: usize) -> Result<usize, NoMemory> {
    let room = plan.most_words + stack_words(heap) + STACK_RESERVE_WORDS;
    let room_and_need = room.checked_add(need_words).ok_or(NoMemory)?;
    let outgrown = room > block_words(heap) && room > LAZY_BLOCK_WORDS;
    if plan.major || outgrown {
        // Enough that it need not grow at once, should all of it live: all would be moved once more.
        size_for(room_and_need + room / 3)
    } else if need_words > block_words(heap) / 4 {
        // So much that it will hardly fit what is there.
        Ok(size_for(room_and_need)?.max(block_words(heap)))
    } else {
        Ok(size_for(room)?.max(block_words(heap)))
    }
}

/// The most words that a heap would occupy while it is collected: what it has, and what the collection takes
/// beside that, should all of it live. `max_heap_size` is compared with this.
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

/// The most words that a collection would have to move or look at: what it would cost, should all of it live.
#[must_use]
pub fn most_words(heap: &Heap, kind: Kind) -> usize {
    let (plan, _) = decide(heap, &Request::new(kind, 0));
    plan.most_words + plan.mature + stack_words(heap)
}

/// Whether a heap asks for a collection although there is room: it was said so, or too much lies in fragments.
#[must_use]
pub fn is_due(heap: &Heap) -> bool {
    heap.flags & flag::FORCE != 0 || heap.fragment_words as usize > block_words(heap)
}

fn mover(heap: &Heap, plan: &Plan, request: &Request<'_>) -> Mover {
    let (old, old_top) = match old_heap(heap) {
        Some(old) => (Area::new(old.start, old.end), old.top),
        None => (Area::EMPTY, ptr::null_mut()),
    };
    let peeked = if request.peeked.is_null() {
        Area::EMPTY
    } else {
        // SAFETY: the caller passes a live message.
        unsafe {
            let start = Fragment::words_pointer(request.peeked);
            Area::new(start, start.add((*request.peeked).words as usize))
        }
    };
    Mover {
        from: Area::new(heap.start, heap.top),
        mature_bytes: plan.mature * 8,
        young_top: ptr::null_mut(),
        young: Area::EMPTY,
        old_top,
        old,
        major: plan.major,
        peeked,
        saw_peeked: false,
        doomed: request.doomed_literals.map(DoomedLiterals::new),
        copied_off_heap: ptr::null_mut(),
    }
}

/// Moves everything alive out of the spaces that are collected, and sweeps the off-heap lists. Answers
/// the words that now stand at `space`.
fn empty_spaces(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    plan: &Plan,
    mover: &mut Mover,
    space: *mut u64,
    space_words: usize,
) -> usize {
    mover.young_top = space;
    mover.young = Area::new(space, space.wrapping_add(space_words));
    let outside = !heap.fragments.is_null()
        || (plan.major && !heap.old.is_null())
        || !mover.peeked.is_empty()
        || mover.doomed.is_some();
    // SAFETY: we are at a safepoint: every word of the roots and the stack is as the contract says, and
    // the spaces have room for all that may move.
    unsafe {
        if outside {
            move_roots::<Moves>(heap, roots, mover);
        } else {
            move_roots::<Stays>(heap, roots, mover);
        }
        sweep_lists(heap, plan, mover);
    }
    words_between(space, mover.young_top)
}

unsafe fn move_roots<O: mover::Outside>(heap: &Heap, roots: &mut [&mut [Term]], mover: &mut Mover) {
    let (young, old) = (mover.young_top, mover.old_top);
    // SAFETY: the caller's promise.
    unsafe {
        for slice in roots {
            mover.forward_words::<O>(slice.as_mut_ptr().cast(), slice.len());
        }
        mover.forward_words::<O>(heap.stack, stack_words(heap));
        mover.scan::<O>(young, old);
    }
}

unsafe fn sweep_lists(heap: &mut Heap, plan: &Plan, mover: &Mover) {
    let mut lists = Lists {
        old_space: if plan.major { Area::EMPTY } else { mover.old },
        young: ptr::null_mut(),
        young_bytes: 0,
        old: ptr::null_mut(),
        old_bytes: 0,
    };
    // SAFETY: the young list's objects lie in the block and in fragments, which were emptied; so was the
    // old generation by a major collection.
    unsafe {
        if !heap.old.is_null() {
            let old = &mut *heap.old;
            if plan.major {
                lists.sweep(old.off_heap);
                old.off_heap = ptr::null_mut();
            } else {
                lists.old = old.off_heap;
            }
        }
        lists.sweep(heap.off_heap);
        lists.join(mover.copied_off_heap);
        heap.off_heap = lists.young;
        if !heap.old.is_null() {
            let old = &mut *heap.old;
            old.off_heap = lists.old;
            old.off_heap_words += (lists.old_bytes / 8) as u64;
        }
    }
    heap.off_heap_words = u32::try_from(lists.young_bytes / 8).unwrap_or(u32::MAX);
}

/// The size of the block that a heap goes on with, when `live` words have come to the new space and
/// `block` is the size that is at hand.
fn block_words_after(
    heap: &Heap,
    request: &Request<'_>,
    live: usize,
    plan: &Plan,
    block: usize,
) -> usize {
    let need = live + stack_words(heap) + request.need_words + STACK_RESERVE_WORDS;
    let least = heap.min_words as usize;
    let own = block_words(heap);
    let has_first_block = heap.flags & flag::INLINE != 0 || !request.first_block.is_null();
    if plan.stress != Stress::None {
        // A large heap collects less often, or the time would grow with the square of what lives.
        return need + need / STRESS_SHARE;
    }
    if plan.tight {
        let fits_first = has_first_block && need <= FIRST_HEAP_WORDS;
        return if fits_first { FIRST_HEAP_WORDS } else { need };
    }
    // There was no memory for more than the greatest size, or we would not be here.
    let size_for = |words: usize| block::size_for(words).unwrap_or(block);
    let wanted = need.max(least);
    if own < SMALL_BLOCK_WORDS {
        // The block at hand may be the worst case for fragments; it is the heap's own that counts.
        let asked = request.kind == Kind::Major;
        return if asked && has_first_block && wanted <= FIRST_HEAP_WORDS {
            FIRST_HEAP_WORDS
        } else if asked {
            size_for(wanted)
        } else if wanted > own {
            // At first a quarter to spare, for many heaps never grow again; when most of a heap lives once
            // more, its process is building something.
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
    if need > block / 4 * 3 {
        return size_for(block + 1);
    }
    if plan.major {
        return if need < block / 4 {
            size_for((need * 2).max(least))
        } else {
            block
        };
    }
    if block > SHRINKING_BLOCK_WORDS && need < block / 4 {
        let old = old_heap(heap).map_or(0, |old| words_between(old.start, old.end));
        return size_for((need * 3).max(old / 8).max(least)).min(block);
    }
    block
}

/// Copies what was gathered at `space` to the start of the heap's block, and shifts all that points to it.
fn place(heap: &mut Heap, roots: &mut [&mut [Term]], space: *mut u64, live: usize) {
    let end = space.wrapping_add(live);
    let shift = Shift::new(space, end, heap.start);
    // SAFETY: the space holds whole objects only, and the block was chosen with room for them; roots and
    // stack are as the contract says.
    unsafe {
        shift.objects(space, end, heap.start);
        for slice in roots {
            shift.words(slice.as_mut_ptr().cast(), slice.len());
        }
        shift.words(heap.stack, stack_words(heap));
    }
    heap.off_heap = shift.address(heap.off_heap);
}

/// Moves the stack to the end of another block, and gives back the one that was collected.
fn go_on_in(heap: &mut Heap, block: *mut u64, words: usize) {
    let count = stack_words(heap);
    let stack = block.wrapping_add(words - count);
    // SAFETY: the block has room for the stack behind what lives; the heap's own stack ends at its end.
    unsafe { ptr::copy_nonoverlapping(heap.stack, stack, count) };
    free_block(heap);
    heap.start = block;
    heap.stack = stack;
    heap.end = block.wrapping_add(words);
}

fn finish(
    heap: &mut Heap,
    request: &Request<'_>,
    plan: &Plan,
    mover: &Mover,
    live: usize,
) -> Stats {
    let promoted = match old_heap(heap) {
        Some(old) if !plan.major => words_between(old.top, mover.old_top),
        _ => 0,
    };
    heap.top = heap.start.wrapping_add(live);
    heap.high_water = if mover.saw_peeked {
        heap.start
    } else {
        heap.top
    };
    // SAFETY: all that lived in the fragments has moved; the lists were swept.
    unsafe { heap::free_fragments(heap.fragments) };
    heap.fragments = ptr::null_mut();
    heap.fragment_top = ptr::null_mut();
    heap.fragment_end = ptr::null_mut();
    heap.fragment_words = 0;
    heap.flags &= !flag::FORCE;
    if plan.major {
        free_old_heap(heap);
        heap.minor_collections = 0;
        heap.flags &= !flag::NEED_FULLSWEEP;
    } else {
        heap.minor_collections = heap.minor_collections.saturating_add(1);
        if !heap.old.is_null() {
            // SAFETY: the heap's own old generation.
            let old = unsafe { &mut *heap.old };
            old.top = mover.old_top;
            if old.off_heap_words > u64::from(heap.off_heap_limit_words) {
                heap.flags |= flag::NEED_FULLSWEEP;
            }
        }
    }
    if heap.old.is_null() {
        // Everything was looked at, so what is left off the heap lives.
        let twice = heap.off_heap_words.saturating_mul(2);
        heap.off_heap_limit_words = twice.max(request.off_heap_limit_words);
    }
    if block::is_poisoning() {
        // SAFETY: the free words of the heap's block.
        unsafe { block::poison(heap.top, words_between(heap.top, heap.stack)) };
    }
    Stats {
        moved: live + promoted,
        was_major: plan.major,
        ..Stats::default()
    }
}

/// Gives a heap that holds nothing yet a block with room for `words` words of objects and stack, and some to spare; false
/// when there is no such memory. For a process that is being made.
#[must_use]
pub fn begin_in_block(heap: &mut Heap, words: usize) -> bool {
    debug_assert!(heap.top == heap.start && heap.stack == heap.end && heap.old.is_null());
    // A quarter to spare, as small heaps have it after a collection; where much is given little of it is.
    let spare = (words / 4).min(LAZY_BLOCK_WORDS);
    let least = (words + STACK_RESERVE_WORDS + spare).max(heap.min_words as usize);
    let Some(size) = block::size_for(least) else {
        return false;
    };
    let Some(block) = block::take(size) else {
        return false;
    };
    free_block(heap);
    heap.start = block;
    heap.top = block;
    heap.high_water = block;
    heap.end = block.wrapping_add(size);
    heap.stack = heap.end;
    heap.flags &= !flag::FORCE;
    true
}

/// Frees everything that a heap holds, for a process that has ended. The heap is left without a block.
pub fn free(heap: &mut Heap) {
    // SAFETY: nothing of a dead process is read again; the lists' objects are still in place.
    unsafe {
        off_heap::release(heap.off_heap);
        if let Some(old) = old_heap(heap) {
            off_heap::release(old.off_heap);
        }
        heap::free_fragments(heap.fragments);
    }
    free_old_heap(heap);
    free_block(heap);
    *heap = heap::empty();
}

/// Words of the blocks of a heap: what `max_heap_size` limits, and what `process_info(total_heap_size)` is.
#[must_use]
pub fn total_words(heap: &Heap) -> usize {
    let old = old_heap(heap).map_or(0, |old| words_between(old.start, old.end));
    block_words(heap) + old + heap.fragment_words as usize
}

/// Sizes for `process_info(garbage_collection_info)`, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// What is in use of the young block, without the stack.
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

/// How large the parts of a heap are.
#[must_use]
pub fn sizes(heap: &Heap) -> Sizes {
    let old = old_heap(heap);
    Sizes {
        heap: words_between(heap.start, heap.top),
        heap_block: block_words(heap),
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

fn words_between(start: *const u64, end: *const u64) -> usize {
    (end as usize - start as usize) / 8
}

fn block_words(heap: &Heap) -> usize {
    words_between(heap.start, heap.end)
}

fn stack_words(heap: &Heap) -> usize {
    words_between(heap.stack, heap.end)
}

fn used_words(heap: &Heap) -> usize {
    words_between(heap.start, heap.top) + old_words(heap) + heap.fragment_words as usize
}

/// Words in the fragments; counted anew when the counter has stuck at its end.
fn fragment_words(heap: &Heap) -> usize {
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

fn old_heap(heap: &Heap) -> Option<&OldHeap> {
    // SAFETY: null, or the heap's own old generation.
    unsafe { heap.old.as_ref() }
}

fn old_words(heap: &Heap) -> usize {
    old_heap(heap).map_or(0, |old| words_between(old.start, old.top))
}

fn old_room(heap: &Heap) -> usize {
    old_heap(heap).map_or(0, |old| words_between(old.top, old.end))
}

fn new_old_heap(words: usize) -> Result<*mut OldHeap, NoMemory> {
    let start = block::take(words).ok_or(NoMemory)?;
    Ok(Box::into_raw(Box::new(OldHeap {
        start,
        top: start,
        end: start.wrapping_add(words),
        off_heap: ptr::null_mut(),
        off_heap_words: 0,
    })))
}

fn free_old_heap(heap: &mut Heap) {
    if !heap.old.is_null() {
        // SAFETY: made by `new_old_heap`; its objects have moved, or their process is dead.
        unsafe {
            let old = Box::from_raw(heap.old);
            block::give_back(old.start, words_between(old.start, old.end));
        }
        heap.old = ptr::null_mut();
    }
}

fn free_block(heap: &mut Heap) {
    if heap.flags & flag::INLINE != 0 {
        heap.flags &= !flag::INLINE;
    } else if !heap.start.is_null() {
        // SAFETY: taken by a collection, with that size; its objects have moved, or their process is dead.
        unsafe { block::give_back(heap.start, block_words(heap)) };
    }
}
