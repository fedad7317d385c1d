//! Collecting a process's heap. The collector is being written; this is its interface.

use layout::{Heap, Term};

/// How much is collected.
pub enum Kind {
    Minor,
    Major,
}

/// Makes room for `need_words` words.
pub fn collect(_heap: &mut Heap, _roots: &mut [&mut [Term]], need_words: usize, _kind: Kind) {
    unimplemented!("the collector, asked for {need_words} words");
}

/// Frees everything a heap holds.
pub fn free(_heap: &mut Heap) {}

/// Words of all blocks of a heap.
#[must_use]
pub fn total_words(heap: &Heap) -> usize {
    (heap.end as usize - heap.start as usize) / 8 + heap.fragment_words as usize
}

/// Shrinks a heap to what lives.
pub fn hibernate(_heap: &mut Heap, _roots: &mut [&mut [Term]]) {}
