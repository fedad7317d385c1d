//! A buffer for bytes that the operating system delivers. Its size was chosen by a program, and it becomes a binary.
//!
//! Invariant: this value holds the block's only reference count until a binary takes it over. The block is then shrunk
//! to the bytes that arrived. Used by the thread that runs the process the binary is for.

use std::mem::MaybeUninit;

use crate::build;
use crate::off_heap::{self, BinaryBlock};
use layout::limits::HEAP_BINARY_BYTES;
use layout::{Heap, Term};

/// A buffer for incoming bytes.
pub struct InputBuffer {
    block: *mut BinaryBlock,
    size: usize,
}

// SAFETY: the block has no other user.
unsafe impl Send for InputBuffer {}

impl InputBuffer {
    /// A buffer of `size` bytes; `None` if the memory cannot be allocated.
    #[must_use]
    pub fn new(size: usize) -> Option<InputBuffer> {
        let block = BinaryBlock::try_new(size)?;
        Some(InputBuffer { block, size })
    }

    /// The bytes of the buffer.
    pub fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the block has that many bytes, and this value is its only user.
        unsafe {
            let first = BinaryBlock::bytes(self.block).cast::<MaybeUninit<u8>>();
            std::slice::from_raw_parts_mut(first, self.size)
        }
    }

    /// Makes the buffer larger, keeping its content; `None` if the memory cannot be allocated.
    #[must_use]
    pub fn grow(mut self, size: usize) -> Option<InputBuffer> {
        // SAFETY: the block is live and counted once, and no pointer into it is kept.
        self.block = unsafe { BinaryBlock::try_resize(self.block, size)? };
        self.size = size;
        Some(self)
    }

    /// Makes a binary of the first `length` bytes.
    ///
    /// # Safety
    /// These bytes have been written.
    ///
    /// # Panics
    /// If the buffer is shorter.
    pub unsafe fn into_binary(mut self, heap: &mut Heap, length: usize) -> Term {
        assert!(
            length <= self.size,
            "{length} bytes in a room of {}",
            self.size
        );
        if length <= HEAP_BINARY_BYTES {
            // SAFETY: the block has that many bytes, and the caller has promised that they are written.
            let bytes =
                unsafe { std::slice::from_raw_parts(BinaryBlock::bytes(self.block), length) };
            return build::binary(heap, bytes);
        }
        if length < self.size {
            // SAFETY: as in `grow`. If this fails, the block stays as it is, which is harmless.
            if let Some(block) = unsafe { BinaryBlock::try_resize(self.block, length) } {
                self.block = block;
            }
        }
        let block = self.block;
        std::mem::forget(self);
        // SAFETY: this value's only count goes to the binary, and the binary's bytes are written.
        unsafe {
            (*block)
                .used
                .store(length, std::sync::atomic::Ordering::Relaxed);
            build::shared_binary(heap, block, length, 0)
        }
    }
}

impl Drop for InputBuffer {
    fn drop(&mut self) {
        // SAFETY: this value holds one count of the block, which it gives up here.
        unsafe { off_heap::drop_reference(self.block.cast()) };
    }
}
