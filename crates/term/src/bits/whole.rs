//! The fast path for strings of whole bytes, which are what most programs build.
//!
//! A [`Writer`] gathers bits in a register and writes whole bytes, and [`fresh`] makes a new binary. Where that is not
//! enough, the caller uses `construct`, which handles all strings.
//!
//! Only the thread that owns the heap may call.

use layout::limits::HEAP_BINARY_BYTES;
use layout::{Heap, Term};

use super::range;
use crate::build;
use crate::off_heap::BinaryBlock;

/// A new binary of `bytes` bytes to be written before the next safepoint; `None` when there is not enough memory.
#[inline]
pub fn fresh(heap: &mut Heap, bytes: u64) -> Option<(Term, *mut u8)> {
    let size = usize::try_from(bytes).ok()?;
    if size <= HEAP_BINARY_BYTES {
        return Some(build::binary_uninit(heap, size));
    }
    let block = BinaryBlock::try_new(size)?;
    // SAFETY: fresh, with that many bytes, to be written by the caller.
    unsafe {
        let term = build::shared_binary(heap, block, size, 0);
        Some((term, BinaryBlock::bytes(block)))
    }
}

/// Gathers consecutive bits and writes them in whole bytes.
pub struct Writer {
    at: *mut u8,
    /// Its low `count` bits are still to be written.
    pending: u64,
    count: u32,
}

impl Writer {
    #[must_use]
    pub fn new(at: *mut u8) -> Writer {
        Writer {
            at,
            pending: 0,
            count: 0,
        }
    }

    /// Appends the low `width` bits of a value: at most 56, or up to 64 at a byte boundary.
    ///
    /// # Safety
    /// There is room for the bits; the same holds for all writers.
    #[inline(always)]
    pub unsafe fn put(&mut self, value: u64, width: u32) {
        if width == 0 {
            return;
        }
        if self.count + width > 64 {
            // SAFETY: the caller's promise.
            unsafe { self.flush() };
        }
        let value = value & (u64::MAX >> (64 - width));
        self.pending = if width == 64 {
            value
        } else {
            self.pending << width | value
        };
        self.count += width;
    }

    /// Writes the whole bytes that are pending.
    ///
    /// # Safety
    /// As [`Writer::put`].
    #[inline(always)]
    pub unsafe fn flush(&mut self) {
        let bytes = self.count / 8;
        if bytes == 0 {
            return;
        }
        self.count %= 8;
        // Swapped, so that the first byte to write is the lowest.
        let word = (self.pending >> self.count << (64 - bytes * 8)).swap_bytes();
        // SAFETY: the caller's promise; `bytes` are written.
        self.at = unsafe { range::write_front(self.at, word, bytes) };
    }

    /// Copies whole bytes; called only at a byte boundary.
    ///
    /// # Safety
    /// As [`Writer::put`], and `bytes` has `length` bytes.
    #[inline(always)]
    pub unsafe fn copy(&mut self, bytes: *const u8, length: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            self.flush();
            debug_assert_eq!(self.count, 0);
            self.at.copy_from_nonoverlapping(bytes, length as usize);
            self.at = self.at.add(length as usize);
        }
    }
}
