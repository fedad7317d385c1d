//! The bytes that an encoder writes: at first in a buffer of its caller, so that a small term needs no allocation, then
//! in one that the thread keeps, and at last in a block that grows, and that becomes a shared binary as it is.
//!
//! What is written between two checks of the room needs none of its own: a [`Pen`] is good for [`ROOM`] bytes after its
//! place was found to be below its limit. Only the thread that encodes calls.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;

use layout::limits::HEAP_BINARY_BYTES;
use layout::{Heap, Term};

use super::tags;
use crate::build;
use crate::off_heap::{self, BinaryBlock};

/// Bytes that may be written after one check: a heap binary with its head, or the fixed parts of any other term.
pub(super) const ROOM: usize = 80;
const _: () = assert!(ROOM >= 5 + HEAP_BINARY_BYTES);

/// The first bytes of an output are written here.
pub(super) struct FirstBytes([MaybeUninit<u8>; 1024]);

impl FirstBytes {
    #[inline(always)]
    pub(super) fn uninit() -> FirstBytes {
        FirstBytes([const { MaybeUninit::uninit() }; _])
    }
}

/// Capacity of the buffer that a thread keeps. Copying the bytes out of it, to a binary of their size, costs less than
/// blocks that grow.
const BUFFER_BYTES: usize = 64 * 1024;

thread_local! {
    /// The thread's buffer, while no output has it: room for [`BUFFER_BYTES`], and no elements.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A block of which at most 1/`WASTED_SHARE` is unused becomes a binary; of others the bytes are copied.
const WASTED_SHARE: usize = 8;

/// Up to so many bytes are copied without a call.
const FEW_BYTES: usize = 64;

/// A place in the output.
///
/// The bytes from `at` up to `limit` and [`ROOM`] more are the output's, and nobody reads them before the pen is put
/// back ([`Output::put_back`]).
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub at: *mut u8,
    /// No term is begun from here on before [`Output`] was asked for more room.
    pub limit: *mut u8,
}

impl Pen {
    /// Writes bytes.
    ///
    /// # Safety
    /// They fit: at most [`ROOM`] bytes since the last check, or since a call that made room for them.
    #[inline(always)]
    pub(super) unsafe fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        // SAFETY: the caller's promise.
        unsafe {
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
            self.at = self.at.add(N);
        }
    }

    /// Writes the first `count` bytes of an array; what follows in it is overwritten by what is written next.
    ///
    /// # Safety
    /// As [`Pen::put`], for the whole array; `count` is at most `N`.
    #[inline(always)]
    pub(super) unsafe fn put_first<const N: usize>(&mut self, bytes: [u8; N], count: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
            self.at = self.at.add(count);
        }
    }

    /// A pen for a room elsewhere.
    #[inline]
    pub(super) fn at(room: *mut u8) -> Pen {
        Pen {
            at: room,
            limit: room,
        }
    }

    /// Copies any number of bytes.
    ///
    /// # Safety
    /// There is room for them.
    #[inline(always)]
    pub(super) unsafe fn copy(&mut self, source: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe {
            if source.len() <= FEW_BYTES {
                self.copy_few(source);
            } else {
                self.at
                    .copy_from_nonoverlapping(source.as_ptr(), source.len());
                self.at = self.at.add(source.len());
            }
        }
    }

    /// Copies a few bytes without a call, and writes none beyond them.
    ///
    /// # Safety
    /// As [`Pen::put`].
    #[inline(always)]
    pub(super) unsafe fn copy_few(&mut self, source: &[u8]) {
        let (from, size) = (source.as_ptr(), source.len());
        // SAFETY: the caller's promise. Two parts overlap unless the size is a multiple of theirs.
        unsafe {
            if size >= 16 {
                let mut done = 0;
                while done + 16 < size {
                    copy_part::<16>(from.add(done), self.at.add(done));
                    done += 16;
                }
                copy_part::<16>(from.add(size - 16), self.at.add(size - 16));
            } else if size >= 8 {
                copy_part::<8>(from, self.at);
                copy_part::<8>(from.add(size - 8), self.at.add(size - 8));
            } else if size >= 4 {
                copy_part::<4>(from, self.at);
                copy_part::<4>(from.add(size - 4), self.at.add(size - 4));
            } else {
                for (index, byte) in source.iter().enumerate() {
                    self.at.add(index).write(*byte);
                }
            }
            self.at = self.at.add(size);
        }
    }
}

/// Copies `N` bytes.
///
/// # Safety
/// Both have as many.
#[inline(always)]
unsafe fn copy_part<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        to.cast::<[u8; N]>()
            .write_unaligned(from.cast::<[u8; N]>().read_unaligned())
    };
}

/// The bytes written so far, and room for more.
pub(super) struct Output<'a> {
    start: *mut u8,
    /// Where the next byte goes.
    at: *mut u8,
    end: *mut u8,
    /// The block that has the bytes, counted once; null while they are in a buffer.
    block: *mut BinaryBlock,
    /// The thread's buffer, if the bytes are there.
    buffer: Vec<u8>,
    first: PhantomData<&'a mut FirstBytes>,
}

impl<'a> Output<'a> {
    #[inline]
    pub(super) fn new(first: &'a mut FirstBytes) -> Output<'a> {
        let first = first.0.as_mut_ptr_range();
        Output {
            start: first.start.cast(),
            at: first.start.cast(),
            end: first.end.cast(),
            block: std::ptr::null_mut(),
            buffer: Vec::new(),
            first: PhantomData,
        }
    }

    /// Number of bytes written.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.at as usize - self.start as usize
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: all bytes before `at` were written.
        unsafe { std::slice::from_raw_parts(self.start, self.len()) }
    }

    /// A pen at the end of the bytes, which stops after `most` more, or where the room ends.
    #[inline]
    pub(super) fn pen(&self, most: usize) -> Pen {
        let free = self.end as usize - self.at as usize;
        Pen {
            at: self.at,
            limit: self.at.wrapping_add(free.saturating_sub(ROOM).min(most)),
        }
    }

    /// Where a pen stops, if that is after `stop_at` bytes of the output at the latest.
    #[inline(always)]
    pub(super) fn limit(&self, stop_at: usize) -> *mut u8 {
        let whole = self.end as usize - self.start as usize;
        self.start
            .wrapping_add(whole.saturating_sub(ROOM).min(stop_at))
    }

    /// Bytes that may be written at a pen's place.
    #[inline(always)]
    pub(super) fn room_at(&self, pen: Pen) -> usize {
        self.end as usize - pen.at as usize
    }

    /// Makes what a pen has written part of the output.
    #[inline]
    pub(super) fn put_back(&mut self, pen: Pen) {
        debug_assert!(self.start <= pen.at && pen.at <= self.end);
        self.at = pen.at;
    }

    /// Makes room for `size` bytes, and [`ROOM`] after them.
    #[inline]
    pub(super) fn reserve(&mut self, size: usize) {
        if (self.end as usize - self.at as usize) < size.saturating_add(ROOM) {
            self.grow(size);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, size: usize) {
        let length = self.len();
        let least = length.saturating_add(size).saturating_add(ROOM);
        let has_block = !self.block.is_null();
        let is_first = !has_block && self.buffer.capacity() == 0;
        let (start, capacity) = if is_first && least <= BUFFER_BYTES {
            self.buffer = BUFFER.take();
            self.buffer.reserve_exact(BUFFER_BYTES);
            (self.buffer.as_mut_ptr(), self.buffer.capacity())
        } else {
            // At least twice what was written, and a bit more than is needed now.
            let capacity = least.saturating_add(least / 32).max(length * 2);
            self.block = if has_block {
                // SAFETY: the block is this output's alone.
                unsafe { BinaryBlock::resize(self.block, capacity) }
            } else {
                BinaryBlock::new(capacity)
            };
            // SAFETY: the block is live.
            (unsafe { BinaryBlock::bytes(self.block) }, capacity)
        };
        // SAFETY: the old room has `length` bytes, and the new one, which is this output's alone, more. A block keeps
        // its bytes when its size changes.
        unsafe {
            if !has_block {
                start.copy_from_nonoverlapping(self.start, length);
            }
            self.start = start;
            self.at = start.add(length);
            self.end = start.add(capacity);
        }
        if !self.block.is_null() {
            self.return_buffer();
        }
    }

    /// Gives the thread its buffer back, if this output has it.
    fn return_buffer(&mut self) {
        if self.buffer.capacity() > 0 {
            // An output may be dropped while its thread ends.
            let _ = BUFFER.try_with(|buffer| buffer.set(std::mem::take(&mut self.buffer)));
        }
    }

    /// Appends bytes.
    #[inline]
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        // SAFETY: there is room for them.
        unsafe {
            self.at
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.at = self.at.add(bytes.len());
        }
    }

    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.reserve(1);
        // SAFETY: there is room for it.
        unsafe {
            self.at.write(byte);
            self.at = self.at.add(1);
        }
    }

    /// Replaces bytes that were written.
    #[inline]
    pub(super) fn overwrite<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        assert!(at + N <= self.len(), "{N} bytes at {at} of {}", self.len());
        // SAFETY: within the bytes.
        unsafe { self.start.add(at).cast::<[u8; N]>().write_unaligned(bytes) };
    }

    /// Clears the bits of the last byte that a mask does not have.
    pub(super) fn mask_last(&mut self, mask: u8) {
        let last = self.len() - 1;
        let byte = self.bytes()[last];
        self.overwrite(last, [byte & mask]);
    }

    /// Makes the `count` bytes at `begin`, behind which are two more, integers with a tag each, from two bytes on.
    pub(super) fn spread(&mut self, begin: usize, count: usize) {
        assert!(begin + count + 2 == self.len());
        self.reserve(count);
        // SAFETY: there is room for twice as many bytes; from the last one on, each is read before it is overwritten.
        unsafe {
            let from = self.start.add(begin);
            let to = from.add(2);
            for index in (0..count).rev() {
                let byte = from.add(index).read();
                let integer = [tags::SMALL_INTEGER, byte];
                to.add(2 * index).cast::<[u8; 2]>().write_unaligned(integer);
            }
            self.at = to.add(2 * count);
        }
    }

    /// Where a pen that writes to this output is.
    #[inline(always)]
    pub(super) fn offset_of(&self, pen: Pen) -> usize {
        pen.at as usize - self.start as usize
    }

    /// A binary of the bytes. The output cannot be used any more.
    #[inline]
    pub(super) fn take_binary(&mut self, heap: &mut Heap) -> Term {
        let length = self.len();
        let free = self.end as usize - self.at as usize;
        if length <= HEAP_BINARY_BYTES && free >= size_of::<u64>() {
            // SAFETY: there is room for a word of zeros, so the binary's last word ends within the room, in zeros.
            return unsafe {
                self.at.cast::<u64>().write_unaligned(0);
                build::binary_of_words(heap, self.start.cast(), length)
            };
        }
        if self.block.is_null() || free > length / WASTED_SHARE {
            return build::binary(heap, self.bytes());
        }
        let block = std::mem::replace(&mut self.block, std::ptr::null_mut());
        // SAFETY: the block is this output's alone, and its count goes to the binary.
        unsafe {
            let block = BinaryBlock::resize(block, length);
            (*block).used.store(length, Ordering::Relaxed);
            build::shared_binary(heap, block, length, 0)
        }
    }
}

impl Drop for Output<'_> {
    #[inline]
    fn drop(&mut self) {
        self.return_buffer();
        if !self.block.is_null() {
            // SAFETY: the block was counted for this output.
            unsafe { off_heap::drop_reference(self.block.cast()) };
        }
    }
}
