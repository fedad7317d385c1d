//! The queue of a port: bytes that the driver still has to write, in binaries.
//!
//! A driver that has a lock for its port's data (`driver_pdl_create`) may use the queue from any thread, so it has a
//! lock of its own. The arrays that `driver_peekq` shows are valid until the queue changes, as the header says.

use std::slice;

use term::off_heap::{self, BinaryBlock};

use super::abi::Binary;
use crate::abi::IoPart;

/// See the module. Each part's binary is counted once for the queue.
#[derive(Default)]
pub struct Queue {
    pub parts: Vec<IoPart>,
    pub binaries: Vec<*mut Binary>,
    size: usize,
}

// SAFETY: binaries are counted blocks, which any thread may use.
unsafe impl Send for Queue {}

impl Drop for Queue {
    fn drop(&mut self) {
        self.remove(self.size);
    }
}

/// A binary with a copy of bytes; None if there is no memory.
pub fn copied(bytes: &[u8]) -> Option<*mut Binary> {
    let block = BinaryBlock::try_new(bytes.len())?;
    // SAFETY: the new block has as many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), BinaryBlock::bytes(block), bytes.len())
    };
    Some(Binary::of(block))
}

impl Queue {
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds bytes, which are copied unless they are in a binary; at the back or, in the same order, at the front.
    /// Returns false if there is no memory.
    ///
    /// # Safety
    /// The bytes can be read; if there is a binary, they are in it, and it is held.
    pub unsafe fn add(&mut self, added: &[(IoPart, *mut Binary)], at_front: bool) -> bool {
        let mut ready = Vec::with_capacity(added.len());
        for &(part, binary) in added.iter().filter(|(part, _)| part.size > 0) {
            if binary.is_null() {
                // SAFETY: the caller's promise.
                let bytes = unsafe { slice::from_raw_parts(part.data, part.size) };
                let Some(binary) = copied(bytes) else {
                    return false;
                };
                // SAFETY: the block is new.
                let data = unsafe { BinaryBlock::bytes(Binary::block(binary)) };
                ready.push((IoPart { data, ..part }, binary));
            } else {
                // SAFETY: the caller's promise.
                unsafe { off_heap::retain(Binary::counted(binary)) };
                ready.push((part, binary));
            }
        }
        self.size += ready.iter().map(|(part, _)| part.size).sum::<usize>();
        let place = if at_front { 0 } else { self.parts.len() };
        self.parts
            .splice(place..place, ready.iter().map(|(part, _)| *part));
        self.binaries
            .splice(place..place, ready.iter().map(|(_, binary)| *binary));
        true
    }

    /// Removes the first bytes; no more than there are.
    pub fn remove(&mut self, count: usize) {
        let mut left = count.min(self.size);
        self.size -= left;
        let mut gone = 0;
        for part in &mut self.parts {
            if part.size > left {
                part.data = part.data.wrapping_add(left);
                part.size -= left;
                break;
            }
            left -= part.size;
            gone += 1;
        }
        self.parts.drain(..gone);
        for binary in self.binaries.drain(..gone) {
            // SAFETY: the queue's count.
            unsafe { off_heap::drop_reference(Binary::counted(binary)) };
        }
    }
}
