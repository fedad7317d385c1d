//! The garbage collector: generational and copying. It collects one heap at a time, and nothing else stops.
//!
//! **Spaces.** A young block holds a process's heap and stack; an old generation is created when there is something
//! worth promoting; fragments hold received messages and terms that did not fit the heap. A *minor* collection promotes
//! what has survived one collection before (below `high_water`), and moves the rest, together with the live objects in
//! fragments, to a fresh block. A *major* one moves everything to one block and frees the old generation. While a heap
//! is small, minor collections copy all of it and promote nothing: that is cheaper than a second block.
//!
//! A block without room may be left without a collection: the objects there count as young, like those in fragments,
//! and the next collection moves them too; or the heap goes back to it (`beside`).
//!
//! **No write barrier.** Objects are immutable once made, so old ones never point to young ones. The words that do
//! change are raw: positions of match contexts, and size, flags and block of a writable binary. The one exception is a
//! receive that makes sub-binaries of a message which it has not taken out of the queue yet; see [`Request::peeked`].
//!
//! **Sizes.** A block has one of OTP's sizes ([`block::SIZES`]), or is that of a first heap, or a tight one
//! (`block::tight_size`). Small heaps grow a step at every other collection, so a process that has little to do stays
//! small, and a busy one soon collects rarely. When little is alive, it is first copied to a buffer on the native
//! stack, so that the new block has the right size at once, or no new block is needed.
//!
//! Only the thread that runs the process may call, at a safepoint: Rust locals hold no terms except the roots.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;

use layout::heap::flag;
use layout::limits::{FIRST_HEAP_WORDS, STACK_RESERVE_WORDS};
use layout::{Fragment, Heap, OldHeap, Term};

use crate::{heap, off_heap};

mod beside;
pub mod block;
pub mod message;
mod mover;
mod policy;
mod relocate;
mod sizes;
pub mod stress;
mod sweep;
#[cfg(test)]
mod tests;
pub mod verify;

pub use policy::{is_due, is_major, most_words, peak_words};
pub use sizes::{Sizes, allocated_words, has_room_to_give, sizes, tight_words, total_words};

use mover::{Area, DoomedLiterals, Mover, Moves, Runs, Stays};
use policy::{
    LAZY_BLOCK_WORDS, Plan, SMALL_BLOCK_WORDS, Survivors, block_words_after, decide, first_words,
    size_for,
};
use relocate::Shift;
use sizes::{block_words, old_heap, stack_words, used_words, words_between};
use stress::Stress;
use sweep::{List, Lists};

/// How much is collected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectionKind {
    /// The objects that have not been promoted yet; everything, if a major collection is necessary.
    Minor,
    /// Everything.
    Major,
}

/// What a collection did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Words of objects before the collection, including fragments.
    pub words_before: usize,
    /// Words of objects after the collection.
    pub words_after: usize,
    /// Words that were copied: what the collection cost.
    pub moved: usize,
    pub was_major: bool,
}

impl Stats {
    /// The cost of the collection in reductions, with OTP's weights.
    #[must_use]
    pub fn reductions(&self) -> usize {
        1 + self.moved / 10
    }

    #[must_use]
    pub fn reclaimed(&self) -> usize {
        self.words_before.saturating_sub(self.words_after)
    }
}

/// There is not enough memory for the request. The heap is intact, with no more free room than it had before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory;

/// What a collection is asked for.
pub struct Request<'a> {
    pub kind: CollectionKind,
    /// Words that must be free on the heap afterwards, in addition to the stack's reserve.
    pub need_words: usize,
    /// The message at a receive's `save` position, or null. Until it is taken out of the queue it does not belong to
    /// the heap, but registers and fresh sub-binaries may point into it. Those pointers stay as they are, and the next
    /// collection promotes none of the survivors, because the message may have become a fragment of the heap by then.
    pub peeked: *mut Fragment,
    /// A literal area that is about to be freed, whose literals must therefore be copied to the heap.
    pub doomed_literals: Option<&'a Range<usize>>,
    /// Leave no free room beyond what was asked for.
    pub tight: bool,
    /// The process collects often, so a larger block would let it collect less often.
    pub is_busy: bool,
    /// The process waits: if all that it holds lies in the block that it left to be called, it may go back there
    /// without a collection, and keep what has become garbage in it.
    pub may_go_back: bool,
    /// The process has not waited yet: whatever it takes to begin, it gives back when it waits for the first time.
    pub is_new: bool,
    /// Minimum of the off-heap limit, in words; exceeding the limit forces a collection.
    pub off_heap_limit_words: u32,
    /// Extra work, for finding bugs.
    pub stress: Stress,
}

impl Request<'_> {
    #[must_use]
    pub fn new(kind: CollectionKind, need_words: usize) -> Request<'static> {
        Request {
            kind,
            need_words,
            peeked: ptr::null_mut(),
            doomed_literals: None,
            tight: false,
            is_busy: true,
            may_go_back: false,
            is_new: false,
            off_heap_limit_words: OFF_HEAP_LIMIT_WORDS,
            stress: stress::get(),
        }
    }
}

/// Makes room for `need_words` words and the stack's reserve, keeping what `roots` and the stack reach.
///
/// # Errors
/// When there is not enough memory for that.
///
/// # Safety
/// As for [`run`].
pub unsafe fn collect(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    need_words: usize,
    kind: CollectionKind,
) -> Result<Stats, NoMemory> {
    // SAFETY: the caller's promise.
    unsafe { run(heap, roots, &Request::new(kind, need_words)) }
}

/// A major collection that leaves no room except the stack's reserve: the next allocation grows the heap. The block is
/// not smaller than that of a new process.
///
/// # Errors
/// When there is not enough memory to collect in.
///
/// # Safety
/// As for [`run`].
pub unsafe fn hibernate(heap: &mut Heap, roots: &mut [&mut [Term]]) -> Result<Stats, NoMemory> {
    let request = Request {
        tight: true,
        ..Request::new(CollectionKind::Major, 0)
    };
    // SAFETY: the caller's promise.
    unsafe { run(heap, roots, &request) }
}

/// A major collection that copies the literals at the addresses of `range` to the heap, so that their area can be
/// freed. Messages that wait in a queue are not part of the heap: see [`message::without_literals`].
///
/// # Errors
/// When there is not enough memory to collect in.
///
/// # Safety
/// As for [`run`].
pub unsafe fn collect_literals(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    range: &Range<usize>,
) -> Result<Stats, NoMemory> {
    let request = Request {
        doomed_literals: Some(range),
        ..Request::new(CollectionKind::Major, 0)
    };
    // SAFETY: the caller's promise.
    unsafe { run(heap, roots, &request) }
}

/// Whether a word of the heap or a root is an address within `range`, or looks like one: a heap that refers to no
/// literal of an area that is to be freed needs no collection. Garbage counts too.
#[must_use]
pub fn may_refer_to<'a>(
    heap: &Heap,
    roots: impl IntoIterator<Item = &'a [Term]>,
    range: &Range<usize>,
) -> bool {
    // It reads words that were never written, which Miri forbids.
    if cfg!(miri) {
        return true;
    }
    let is_within = |start: *const u64, words: usize| {
        // SAFETY: the callers below pass what belongs to the heap. Whatever stands there is a number.
        (0..words)
            .any(|index| range.contains(&(unsafe { start.add(index).read_volatile() } as usize)))
    };
    let is_between =
        |start: *const u64, end: *const u64| is_within(start, words_between(start, end));
    let mut fragment = heap.fragments;
    while !fragment.is_null() {
        // SAFETY: the heap's fragments are live.
        let next = unsafe {
            let words = (*fragment).words as usize;
            if is_within(Fragment::words_pointer(fragment), words) {
                return true;
            }
            (*fragment).next
        };
        fragment = next;
    }
    let old = old_heap(heap);
    is_between(heap.start, heap.top)
        || is_between(heap.stack, heap.end)
        || old.is_some_and(|old| is_between(old.start, old.top))
        || is_within(heap.left, usize::from(heap.left_words))
        || roots
            .into_iter()
            .flatten()
            .any(|root| range.contains(&(root.bits() as usize)))
}

/// If at most this many words may survive, they are copied by way of a buffer on the native stack.
const STAGING_WORDS: usize = 512;
/// The same limit for a heap that is likely to keep its block's size: taking a new block costs less than copying twice.
const SETTLED_STAGING_WORDS: usize = 32;
/// A settled heap of which at most this many words survived the last time is collected by way of the buffer too, unless
/// it is busy: copying them twice costs less than another block, which is in no cache.
const FEW_SURVIVORS: usize = 64;
/// Default minimum of the off-heap limit, in words; the same as OTP's.
pub const OFF_HEAP_LIMIT_WORDS: u32 = 46_422;

/// Collects as asked.
///
/// # Errors
/// When there is not enough memory for the request.
///
/// # Safety
/// Words of the heap move, and are freed. No [`NoGc`](layout::NoGc) of this thread is used to read them when this
/// returns that was there before; and of the terms on this heap that the caller knew, it uses those in `roots` only.
pub unsafe fn run(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
) -> Result<Stats, NoMemory> {
    let words_before = used_words(heap);
    if beside::grow(heap, request) || beside::go_back(heap, roots, request) {
        return Ok(Stats {
            words_before,
            words_after: used_words(heap),
            ..Stats::default()
        });
    }
    let plan = plan(heap, request)?;
    let survivors = words_between(heap.start, heap.high_water);
    let is_settled = block_words(heap) >= SMALL_BLOCK_WORDS && !plan.major;
    let staging_words = if is_settled && (request.is_busy || survivors > FEW_SURVIVORS) {
        SETTLED_STAGING_WORDS
    } else {
        STAGING_WORDS
    };
    let done = if plan.most_words <= staging_words && request.need_words <= STAGING_WORDS {
        Ok(by_staging(heap, roots, request, &plan))
    } else {
        by_replacing(heap, roots, request, &plan)
    };
    if done.is_ok() {
        check(heap, roots, request);
    }
    Ok(Stats {
        words_before,
        words_after: used_words(heap),
        ..done?
    })
}

/// Looks at the whole heap, in tests, in builds that verify, and under stress.
fn check(heap: &mut Heap, roots: &mut [&mut [Term]], request: &Request<'_>) {
    if cfg!(any(test, feature = "verify")) || request.stress == Stress::Verify {
        verify::check(heap, roots, request.peeked);
    }
}

/// Collects by way of a buffer on the native stack: the size of the block is chosen once it is known how much is alive.
fn by_staging(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
    plan: &Plan,
) -> Stats {
    let mut staging = [const { MaybeUninit::<u64>::uninit() }; STAGING_WORDS];
    let space = staging.as_mut_ptr().cast::<u64>();
    let mut mover = mover(heap, plan, request);
    let moved = empty_spaces(heap, roots, plan, &mut mover, space, STAGING_WORDS);
    let words = block_words_after(heap, request, moved, plan, block_words(heap));
    if words != block_words(heap) || plan.stress != Stress::None {
        let least = moved.live + stack_words(heap) + request.need_words + STACK_RESERVE_WORDS;
        let (block, words) = take_at_best(words, least);
        go_on_in(heap, block, words, block::give_back);
    }
    // Otherwise the old block is used again: it is empty by now, except for its stack.
    place(heap, roots, space, moved.live);
    finish(heap, request, plan, &mover, moved, block::give_back)
}

/// Collects into a new block, which is exchanged for one of another size if it turns out to have the wrong size.
fn by_replacing(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
    plan: &Plan,
) -> Result<Stats, NoMemory> {
    let words = first_words(heap, plan, request.need_words)?;
    let space = block::take(words).ok_or(NoMemory)?;
    let mut mover = mover(heap, plan, request);
    let moved = empty_spaces(heap, roots, plan, &mut mover, space, words);
    let wanted = block_words_after(heap, request, moved, plan, words);
    let block = if wanted == words {
        None
    } else {
        block::take(wanted)
    };
    let give_back = how_to_give_back(heap, request, moved.live);
    if let Some(block) = block {
        go_on_in(heap, block, wanted, give_back);
        place(heap, roots, space, moved.live);
        // SAFETY: taken above with that size; everything in it has moved.
        unsafe { give_back(space, words) };
    } else {
        go_on_in(heap, space, words, give_back);
    }
    let stats = finish(heap, request, plan, &mover, moved, give_back);
    if words_between(heap.top, heap.stack) < request.need_words + STACK_RESERVE_WORDS {
        return Err(NoMemory);
    }
    Ok(stats)
}

/// Frees a block of so many words.
type GiveBack = unsafe fn(*mut u64, usize);

/// What becomes of a heap's blocks when the heap has moved. Whoever asks for a collection wants to see its memory used
/// by others: if little is alive, the system gets the rest at once.
fn how_to_give_back(heap: &Heap, request: &Request<'_>, live: usize) -> GiveBack {
    let old = old_heap(heap).map_or(0, |old| words_between(old.start, old.end));
    match was_asked_for(heap, request) && live <= (block_words(heap) + old) / 4 {
        true => block::give_to_system,
        false => block::give_back,
    }
}

/// Whether a program has asked for a collection of everything: directly, or by flags that it set for the next
/// collection.
fn was_asked_for(heap: &Heap, request: &Request<'_>) -> bool {
    const BY_FLAGS: u16 = flag::FORCE | flag::NEED_FULLSWEEP;
    request.kind == CollectionKind::Major || heap.flags & BY_FLAGS == BY_FLAGS
}

/// A block of `words` words, the best size, or if that cannot be allocated of `least` words: `words` may be very large,
/// because a program may ask for any `min_heap_size`.
fn take_at_best(words: usize, least: usize) -> (*mut u64, usize) {
    match block::take(words) {
        Some(block) => (block, words),
        None => {
            let taken = |words| block::take(words).map(|block| (block, words));
            taken(least)
                .or_else(|| taken(block::size_without_slab(least)))
                .unwrap_or_else(|| block::no_memory(least))
        }
    }
}

fn plan(heap: &mut Heap, request: &Request<'_>) -> Result<Plan, NoMemory> {
    let (plan, old_heap_words) = decide(heap, request);
    if old_heap_words > 0 {
        heap.old = new_old_heap(size_for(old_heap_words)?)?;
    }
    Ok(plan)
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
        unsafe { Area::of_fragment(request.peeked) }
    };
    Mover {
        from: Area::new(heap.start, heap.top),
        mature_bytes: plan.mature * 8,
        young_top: ptr::null_mut(),
        young: Area::EMPTY,
        young_runs: Runs::new(),
        old_top,
        old_runs: Runs::new(),
        old,
        major: plan.major,
        peeked,
        saw_peeked: false,
        doomed: request.doomed_literals.map(DoomedLiterals::new),
        copied_off_heap: ptr::null_mut(),
    }
}

/// Moves everything alive out of the spaces being collected, what stays young to `space`, and sweeps the off-heap
/// lists.
fn empty_spaces(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    plan: &Plan,
    mover: &mut Mover,
    space: *mut u64,
    space_words: usize,
) -> Survivors {
    mover.young_top = space;
    mover.young = Area::new(space, space.wrapping_add(space_words));
    let outside = !heap.fragments.is_null()
        || !heap.left.is_null()
        || (plan.major && !heap.old.is_null())
        || !mover.peeked.is_empty()
        || mover.doomed.is_some();
    // SAFETY: we are at a safepoint: every word of the roots and the stack is a term, NONE or a return address, and the
    // spaces have room for all that may move.
    unsafe {
        if outside {
            move_roots::<Moves>(heap, roots, mover);
        } else {
            move_roots::<Stays>(heap, roots, mover);
        }
        sweep_lists(heap, plan, mover);
    }
    let promoted = match old_heap(heap) {
        Some(old) if !plan.major => words_between(old.top, mover.old_top),
        _ => 0,
    };
    Survivors {
        live: words_between(space, mover.young_top),
        promoted,
    }
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
        young: List::EMPTY,
        old: List::EMPTY,
    };
    // SAFETY: the objects of the young list lie in the block and in fragments, which were emptied; a major collection
    // has emptied the old generation too.
    unsafe {
        lists.sweep(heap.off_heap);
        lists.join(mover.copied_off_heap);
        if !heap.old.is_null() {
            let old = &mut *heap.old;
            if plan.major {
                lists.sweep(old.off_heap);
                old.off_heap = ptr::null_mut();
            }
            old.off_heap_words += (lists.old.bytes / 8) as u64;
            old.off_heap = lists.old.before(old.off_heap);
        }
        heap.off_heap_words = u32::try_from(lists.young.bytes / 8).unwrap_or(u32::MAX);
        heap.off_heap = lists.young.before(ptr::null_mut());
    }
}

/// Copies the objects gathered at `space` to the start of the heap's block, and adjusts all pointers to them.
fn place(heap: &mut Heap, roots: &mut [&mut [Term]], space: *mut u64, live: usize) {
    let end = space.wrapping_add(live);
    let shift = Shift::new(space, end, heap.start);
    // SAFETY: the space holds whole objects only, and the block was chosen with room for them; every word of the roots
    // and the stack is a term, NONE or a return address.
    unsafe {
        shift.objects(space, end, heap.start);
        for slice in roots {
            shift.words(slice.as_mut_ptr().cast(), slice.len());
        }
        shift.words(heap.stack, stack_words(heap));
    }
    heap.off_heap = shift.address(heap.off_heap);
}

/// Makes `block` the heap's block: moves the stack to its end, and frees the block that was collected.
fn go_on_in(heap: &mut Heap, block: *mut u64, words: usize, give_back: GiveBack) {
    let (start, own) = (heap.start, block_words(heap));
    move_stack(heap, block, words);
    if !start.is_null() {
        // SAFETY: the heap's block, whose objects have moved, as its stack has.
        unsafe { give_back(start, own) };
    }
}

/// Makes `block` the heap's block, and moves the stack to its end.
fn move_stack(heap: &mut Heap, block: *mut u64, words: usize) {
    let count = stack_words(heap);
    let stack = block.wrapping_add(words - count);
    // SAFETY: the block has room for the live words and the stack; the present stack ends at the end of its block.
    unsafe { ptr::copy_nonoverlapping(heap.stack, stack, count) };
    heap.start = block;
    heap.stack = stack;
    heap.end = block.wrapping_add(words);
}

fn finish(
    heap: &mut Heap,
    request: &Request<'_>,
    plan: &Plan,
    mover: &Mover,
    moved: Survivors,
    give_back: GiveBack,
) -> Stats {
    heap.top = heap.start.wrapping_add(moved.live);
    heap.high_water = if mover.saw_peeked {
        heap.start
    } else {
        heap.top
    };
    free_fragments(heap);
    beside::free_left(heap);
    heap.flags &= !flag::FORCE;
    if plan.major {
        free_old_heap(heap, give_back);
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
        // Everything was scanned, so all off-heap data that is left is alive.
        let twice = heap.off_heap_words.saturating_mul(2);
        heap.off_heap_limit_words = twice.max(request.off_heap_limit_words);
    }
    poison_room(heap);
    Stats {
        moved: moved.live + moved.promoted,
        was_major: plan.major,
        ..Stats::default()
    }
}

/// Frees the fragments, whose objects have moved or are garbage.
fn free_fragments(heap: &mut Heap) {
    // SAFETY: nothing refers to their objects any more, and the off-heap lists hold none of them.
    unsafe { heap::free_fragments(heap.fragments) };
    heap.fragments = ptr::null_mut();
    heap.fragment_top = ptr::null_mut();
    heap.fragment_end = ptr::null_mut();
    heap.fragment_words = 0;
}

/// Overwrites the free words of the heap's block, where that is asked for.
fn poison_room(heap: &Heap) {
    if block::is_poisoning() {
        // SAFETY: the free words of the heap's block.
        unsafe { block::poison(heap.top, words_between(heap.top, heap.stack)) };
    }
}

/// Gives a new heap a first block of `FIRST_HEAP_WORDS` words. Returns false when there is not enough memory.
#[must_use]
#[inline]
pub fn begin(heap: &mut Heap) -> bool {
    let Some(block) = block::take(FIRST_HEAP_WORDS) else {
        return false;
    };
    start_in(heap, block, FIRST_HEAP_WORDS);
    true
}

/// Makes an empty block the heap's block.
fn start_in(heap: &mut Heap, block: *mut u64, words: usize) {
    heap.start = block;
    heap.top = block;
    heap.high_water = block;
    heap.end = block.wrapping_add(words);
    heap.stack = heap.end;
}

/// Gives an empty heap a block with room for `words` words of objects and stack, and some to spare. Returns false when
/// there is not enough memory. For a process that is being created.
#[must_use]
pub fn begin_in_block(heap: &mut Heap, words: usize) -> bool {
    debug_assert!(heap.top == heap.start && heap.stack == heap.end && heap.old.is_null());
    // A quarter to spare, as small heaps have after a collection; for large requests a smaller part.
    let spare = (words / 4).min(LAZY_BLOCK_WORDS);
    let least = (words + STACK_RESERVE_WORDS + spare).max(heap.min_words as usize);
    let Some(size) = block::size_for(least) else {
        return false;
    };
    let Some(block) = block::take(size) else {
        return false;
    };
    let (start, words) = (heap.start, block_words(heap));
    free_block(start, words);
    start_in(heap, block, size);
    heap.flags &= !flag::FORCE;
    true
}

/// Frees everything that a heap holds, for a process that has ended. The heap is left without a block.
pub fn free(heap: &mut Heap) {
    let has_more = !heap.old.is_null() || !heap.left.is_null();
    if has_more || !heap.fragments.is_null() || !heap.off_heap.is_null() {
        free_all_but_block(heap);
    }
    let (start, words) = (heap.start, block_words(heap));
    free_block(start, words);
    *heap = heap::empty();
}

#[cold]
#[inline(never)]
fn free_all_but_block(heap: &mut Heap) {
    // SAFETY: nothing of a dead process is read again; the lists' objects are still in place.
    unsafe {
        off_heap::release(heap.off_heap);
        if let Some(old) = old_heap(heap) {
            off_heap::release(old.off_heap);
        }
        heap::free_fragments(heap.fragments);
    }
    free_old_heap(heap, block::give_back);
    beside::free_left(heap);
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

fn free_old_heap(heap: &mut Heap, give_back: GiveBack) {
    if !heap.old.is_null() {
        // SAFETY: made by `new_old_heap`; its objects have moved, or their process is dead.
        unsafe {
            let old = Box::from_raw(heap.old);
            give_back(old.start, words_between(old.start, old.end));
        }
        heap.old = ptr::null_mut();
    }
}

/// Frees a block that was the heap's, or still is.
fn free_block(start: *mut u64, words: usize) {
    if !start.is_null() {
        // SAFETY: taken by a collection, with that size; its objects have moved, or their process is dead.
        unsafe { block::give_back(start, words) };
    }
}
