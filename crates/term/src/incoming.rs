//! Room for bytes that the system is asked for, of a size that a program chose, which becomes a binary.
//!
//! Invariant: the block is counted once, by this value, until a binary takes it over; then the room is
//! no longer than what came. Used by the thread that runs the process the binary is for.

use std::mem::MaybeUninit;

use crate::build;
use crate::off_heap::{self, BinaryBlock};
use layout::limits::HEAP_BINARY_BYTES;
use layout::{Heap, Term};

/// Bytes on their way in.
pub struct Incoming {
    block: *mut BinaryBlock,
    size: usize,
}

impl Incoming {
    /// Room for `size` bytes, or `None` when there is no such memory.
    #[must_use]
    pub fn new(size: usize) -> Option<Incoming> {
        let block = BinaryBlock::try_new(size)?;
        Some(Incoming { block, size })
    }

    /// The room.
    pub fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the block has that many bytes, and is ours alone.
        unsafe {
            let first = BinaryBlock::bytes(self.block).cast::<MaybeUninit<u8>>();
            std::slice::from_raw_parts_mut(first, self.size)
        }
    }

    /// Makes the room larger, keeping what is in it; `None` when there is no such memory.
    #[must_use]
    pub fn grow(mut self, size: usize) -> Option<Incoming> {
        // SAFETY: the block is live and counted once, and no pointer into it is kept.
        self.block = unsafe { BinaryBlock::try_resize(self.block, size)? };
        self.size = size;
        Some(self)
    }

    /// A binary of the first `length` bytes.
    ///
    /// # Safety
    /// They have been written.
    ///
    /// # Panics
    /// When there are not so many.
    pub unsafe fn into_binary(mut self, heap: &mut Heap, length: usize) -> Term {
        assert!(
            length <= self.size,
            "{length} bytes in a room of {}",
            self.size
        );
        if length <= HEAP_BINARY_BYTES {
            // SAFETY: the block has that many bytes, and they are written.
            let bytes =
                unsafe { std::slice::from_raw_parts(BinaryBlock::bytes(self.block), length) };
            return build::binary(heap, bytes);
        }
        if length < self.size {
            // SAFETY: as in `grow`. Without success the block stays as it is, which is good too.
            if let Some(block) = unsafe { BinaryBlock::try_resize(self.block, length) } {
                self.block = block;
            }
        }
        let block = self.block;
        std::mem::forget(self);
        // SAFETY: our one count goes to the binary, whose bytes are written.
        unsafe {
            (*block)
                .used
                .store(length, std::sync::atomic::Ordering::Relaxed);
            build::shared_binary(heap, block, length, 0)
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // SAFETY: our one count.
        unsafe { off_heap::drop_reference(self.block.cast()) };
    }
}
