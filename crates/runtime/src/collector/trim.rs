//! Giving memory back when a process goes to wait.
//!
//! Most processes of a large system wait, and are seldom called: the work of a slice leaves garbage and free room that
//! nobody needs for a long time. A process that is *seldom* called is collected at the end of its slice, while its heap is in
//! the processor's cache: it goes back to its first block, or to one without free room. When it is called again, it moves to
//! a larger block without a collection (`term::collect`), so a call costs one small collection. A process that is called
//! again and again keeps its room and pays nothing.
//!
//! Only the scheduler that runs the process calls this, when the process is about to rest.

use layout::limits::FIRST_HEAP_WORDS;
use term::collect::{self, CollectionKind};

use crate::process::Process;

/// A process is seldom called if its scheduler has run this many slices since the process last waited. By then the
/// second-level cache (2 MiB) holds little of the process, if each slice touches about a kibibyte.
const SELDOM_SLICES: u32 = 2048;

/// The most words of objects that are collected at the end of a slice: more would delay the processes behind it.
const MOST_WORDS: usize = 512;

/// Notes that a process goes to wait in its scheduler's slice number `slice`, and gives back what it will not need soon.
#[inline]
pub fn before_rest(process: &mut Process, slice: u32) {
    let now = slice | 1;
    let before = std::mem::replace(&mut process.rested_in, now);
    // 0 is the mark of a process that has not waited yet: what it needed to begin, it needs no more.
    let is_seldom = before == 0 || now.wrapping_sub(before) >= SELDOM_SLICES;
    if is_seldom && has_much_room(process) {
        trim(process);
    }
}

/// Whether a heap is small, has room or garbage to give, and was not asked to be large.
fn has_much_room(process: &Process) -> bool {
    let heap = &process.head.heap;
    collect::has_room_to_give(heap)
        && heap.min_words as usize <= FIRST_HEAP_WORDS
        && collect::most_words(heap, CollectionKind::Major) <= MOST_WORDS
}

#[cold]
#[inline(never)]
fn trim(process: &mut Process) {
    super::hibernate(process);
    process.relations.trim();
    process.dictionary.trim();
}
