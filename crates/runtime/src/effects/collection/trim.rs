//! Giving memory back when a process waits.
//!
//! Most processes of a large system wait, and are seldom called: the work of a slice leaves garbage and free room that
//! nobody needs for a long time. A process that is *seldom* called is collected at the end of its slice, while its heap
//! is in the processor's cache: it goes back to a block as small as its first one, or to one without free room. Its
//! [`Cold`](crate::process::Cold) is freed if nothing is in it, such as after another process has asked about it. When
//! the process is called again, it moves to a larger block without a collection, so a call costs one small collection;
//! none, if nothing that it has made is alive (`term::gc`). A process that is called again and again keeps its
//! room and pays nothing; once it has waited for a while, a scheduler that has nothing to do collects it
//! (`scheduler::resting`).
//!
//! Only the thread that owns the process calls this.

use layout::limits::FIRST_HEAP_WORDS;
use term::gc::{self, CollectionKind};

use crate::process::Process;

/// A process is seldom called if its scheduler has run this many slices since the process last waited. By then the
/// second-level cache (2 MiB) holds little of the process, if each slice touches about a kibibyte.
const SELDOM_SLICES: u32 = 2048;

/// The most words of objects that are collected at the end of a slice: more would delay the processes behind it.
const MOST_WORDS: usize = 512;
/// The most words that are collected while there is nothing to run. A message that arrives meanwhile waits for that,
/// some 80 us.
const MOST_WORDS_AT_REST: usize = 1 << 15;

/// In [`Process::rested_in`]: the process is listed by a scheduler, which will look at it later.
const LISTED: u32 = 1;

/// What is to be done with a process that goes to rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Rest {
    /// Nothing.
    AsItIs,
    /// It has room to give, if it rests for long: it is now marked as listed, and the caller lists it.
    Listed,
}

/// Whether a process has not waited yet.
#[inline]
pub(super) fn is_new(process: &Process) -> bool {
    process.rested_in == 0
}

/// Notes that a process goes to wait in its scheduler's slice number `slice`, and gives back what it will not need
/// soon.
///
/// # Safety
/// As for [`collect()`](super::collect()).
#[inline]
pub unsafe fn before_rest(process: &mut Process, slice: u32) -> Rest {
    let (before, listed) = (process.rested_in & !LISTED, process.rested_in & LISTED);
    // 0 is the mark of a process that has not waited yet: what it needed to begin, it needs no more.
    let now = (slice << 1).max(2);
    process.rested_in = now | listed;
    let is_seldom = before == 0 || now.wrapping_sub(before) >= SELDOM_SLICES << 1;
    if is_seldom {
        process.trim_cold();
    }
    if !is_seldom && listed != 0 || !gc::has_room_to_give(&process.head.heap) {
        return Rest::AsItIs;
    }
    // SAFETY: the caller's promise.
    unsafe { give_or_list(process, is_seldom) }
}

/// # Safety
/// As for [`collect()`](super::collect()).
#[cold]
#[inline(never)]
unsafe fn give_or_list(process: &mut Process, is_seldom: bool) -> Rest {
    if is_seldom && may_give(process, MOST_WORDS) {
        let may_keep = may_keep_garbage(process.rested_in >> 1);
        // SAFETY: the caller's promise.
        unsafe { trim(process, may_keep) };
        return Rest::AsItIs;
    }
    if process.rested_in & LISTED != 0 || !may_give(process, MOST_WORDS_AT_REST) {
        return Rest::AsItIs;
    }
    process.rested_in |= LISTED;
    Rest::Listed
}

/// Gives back the room of a process that has waited for a while; it is in no list any more. Returns how many bytes its
/// heap has become smaller.
///
/// # Safety
/// As for [`collect()`](super::collect()).
pub unsafe fn at_rest(process: &mut Process) -> usize {
    process.rested_in &= !LISTED;
    process.trim_cold();
    if !gc::has_room_to_give(&process.head.heap) || !may_give(process, MOST_WORDS_AT_REST) {
        return 0;
    }
    let words_before = gc::total_words(&process.head.heap);
    // SAFETY: the caller's promise.
    unsafe { trim(process, false) };
    words_before.saturating_sub(gc::total_words(&process.head.heap)) * 8
}

/// Whether a process that waits since this slice may go back to the block that it left to be called, with what has
/// become garbage there. One time in sixteen it may not, whatever the numbers of its slices have in common.
fn may_keep_garbage(slice: u32) -> bool {
    const GOLDEN_RATIO: u32 = 0x9E37_79B9;
    slice.wrapping_mul(GOLDEN_RATIO) >> 28 != 0
}

/// Whether a heap holds at most so many words, and was not asked to be large.
fn may_give(process: &Process, most: usize) -> bool {
    let heap = &process.head.heap;
    heap.min_words as usize <= FIRST_HEAP_WORDS
        && gc::most_words(heap, CollectionKind::Major) <= most
}

/// # Safety
/// As for [`collect()`](super::collect()).
unsafe fn trim(process: &mut Process, may_keep_garbage: bool) {
    // SAFETY: the caller's promise.
    unsafe { super::give_room(process, may_keep_garbage) };
    process.relations.trim();
    process.dictionary.trim();
}
