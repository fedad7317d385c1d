//! Memory for the temporary terms of guards and bodies; all of it is released at once.

use std::ptr;

use term::heap::Allocate;
use term::off_heap;

/// Words of the first chunk.
const CHUNK_WORDS: usize = 256;
/// An arena that has grown beyond this many words frees memory when it is emptied.
const KEPT_WORDS: usize = 1 << 16;

/// Growing memory for terms.
pub(crate) struct Arena {
    /// The last chunk is the one that is filled.
    chunks: Vec<Box<[u64]>>,
    used: usize,
    off_heap: *mut u64,
}

// SAFETY: the terms in it belong to its one owner.
unsafe impl Send for Arena {}

impl Arena {
    pub(crate) fn new() -> Arena {
        Arena {
            chunks: Vec::new(),
            used: 0,
            off_heap: ptr::null_mut(),
        }
    }

    /// Discards all terms.
    pub(crate) fn clear(&mut self) {
        if !self.off_heap.is_null() {
            // SAFETY: the list's objects are in the arena, and nobody uses them from here on.
            unsafe { off_heap::release(std::mem::replace(&mut self.off_heap, ptr::null_mut())) };
        }
        // Chunks double in size, so the last is the largest; it is enough for most later runs.
        if self.chunks.len() > 1 {
            self.chunks.drain(..self.chunks.len() - 1);
        }
        if self
            .chunks
            .last()
            .is_some_and(|chunk| chunk.len() > KEPT_WORDS)
        {
            self.chunks.clear();
        }
        self.used = 0;
    }
}

impl Allocate for Arena {
    fn allocate(&mut self, words: usize) -> *mut u64 {
        let room = self
            .chunks
            .last()
            .map_or(0, |chunk| chunk.len() - self.used);
        if words > room {
            let last = self
                .chunks
                .last()
                .map_or(CHUNK_WORDS / 2, |chunk| chunk.len());
            self.chunks.push(vec![0; (2 * last).max(words)].into());
            self.used = 0;
        }
        let chunk = self.chunks.last_mut().expect("a chunk with room");
        let place = chunk.as_mut_ptr().wrapping_add(self.used);
        self.used += words;
        place
    }

    fn off_heap_list(&mut self) -> &mut *mut u64 {
        &mut self.off_heap
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.clear();
    }
}
