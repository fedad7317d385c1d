//! The fast path for strings of whole bytes, which are what most programs build.
//!
//! A [`Writer`] gathers bits in a register and writes whole bytes. [`append_in_place`] grows a binary that already has
//! room, and [`fresh`] makes a new one. In every other case the caller uses `construct`, which handles all of them; so
//! nothing here changes anything before it is sure to succeed.
//!
//! Only the thread that owns the heap may call.

use std::sync::atomic::Ordering;

use layout::limits::HEAP_BINARY_BYTES;
use layout::object::{SUB_BINARY_WRITABLE, binary_flag, offset};
use layout::{Heap, ObjectKind, Term};

use super::append;
use crate::build;
use crate::heap::Allocate;
use crate::off_heap::BinaryBlock;

/// The bytes of a binary that starts at a byte boundary, and their number.
#[inline]
#[must_use]
pub fn bytes_of(term: Term) -> Option<(*const u8, u64)> {
    match term.boxed_kind()? {
        ObjectKind::HeapBinary => Some((
            term.word_pointer(offset::HEAP_BINARY_BYTES).cast::<u8>(),
            term.word(offset::HEAP_BINARY_SIZE),
        )),
        ObjectKind::SharedBinary => Some((
            term.word(offset::SHARED_BINARY_BYTES) as *const u8,
            term.word(offset::SHARED_BINARY_SIZE),
        )),
        ObjectKind::SubBinary if term.word(offset::SUB_BINARY_BITS) & 0xffff == 0 => {
            // SAFETY: this word of a sub-binary is a term.
            let whole = unsafe { Term::from_bits(term.word(offset::SUB_BINARY_WHOLE)) };
            let start = if whole.is_kind(ObjectKind::HeapBinary) {
                whole.word_pointer(offset::HEAP_BINARY_BYTES).cast::<u8>()
            } else {
                whole.word(offset::SHARED_BINARY_BYTES) as *const u8
            };
            Some((
                start.wrapping_add(term.word(offset::SUB_BINARY_OFFSET) as usize),
                term.word(offset::SUB_BINARY_SIZE),
            ))
        }
        _ => None,
    }
}

/// Makes `string`, which is appended to, `bytes` bytes longer; returns the longer string and where the new bytes go.
/// Returns `None`, having changed nothing, unless the present block has room and all positions are whole bytes.
#[inline]
pub fn append_in_place(
    heap: &mut Heap,
    string: Term,
    bytes: u64,
    private: bool,
) -> Option<(Term, *mut u8)> {
    if bytes == 0
        || !string.is_kind(ObjectKind::SubBinary)
        || string.word(offset::SUB_BINARY_BITS) & 0xff_ffff != SUB_BINARY_WRITABLE
        || string.word(offset::SUB_BINARY_OFFSET) != 0
    {
        return None;
    }
    // SAFETY: this word of a sub-binary is a term.
    let whole = unsafe { Term::from_bits(string.word(offset::SUB_BINARY_WHOLE)) };
    let old = string.word(offset::SUB_BINARY_SIZE);
    if !whole.is_kind(ObjectKind::SharedBinary)
        || whole.word(offset::SHARED_BINARY_FLAGS) & binary_flag::WRITABLE == 0
        || whole.word(offset::SHARED_BINARY_SIZE) != old
    {
        return None;
    }
    let new = old.checked_add(bytes)?;
    let block = whole.word(offset::OFF_HEAP_BLOCK) as *mut BinaryBlock;
    // SAFETY: the object holds a count of its block.
    if new > unsafe { (*block).capacity } as u64 {
        return None;
    }
    // SAFETY: the words of a shared binary and its block, which only this process writes. Others see only bytes before
    // the new ones.
    unsafe {
        *whole.word_pointer(offset::SHARED_BINARY_FLAGS) |= binary_flag::ACTIVE;
        *whole.word_pointer(offset::SHARED_BINARY_SIZE) = new;
        (*block).used.store(new as usize, Ordering::Relaxed);
    }
    heap.charge_off_heap(bytes as usize);
    let room = (whole.word(offset::SHARED_BINARY_BYTES) as *mut u8).wrapping_add(old as usize);
    if private {
        // SAFETY: the words of a sub-binary that only the caller knows.
        unsafe { *string.word_pointer(offset::SUB_BINARY_SIZE) = new };
        return Some((string, room));
    }
    // SAFETY: as above; nobody else may append to it now.
    unsafe { *string.word_pointer(offset::SUB_BINARY_BITS) = 0 };
    Some((append::writable_part(heap, whole, new * 8), room))
}

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
        let mut word = (self.pending >> self.count << (64 - bytes * 8)).swap_bytes();
        // SAFETY: the caller's promise; `bytes` are written.
        unsafe {
            if bytes == 8 {
                self.at.cast::<u64>().write_unaligned(word.to_le());
                self.at = self.at.add(8);
                return;
            }
            if bytes & 4 != 0 {
                self.at.cast::<u32>().write_unaligned((word as u32).to_le());
                self.at = self.at.add(4);
                word >>= 32;
            }
            if bytes & 2 != 0 {
                self.at.cast::<u16>().write_unaligned((word as u16).to_le());
                self.at = self.at.add(2);
                word >>= 16;
            }
            if bytes & 1 != 0 {
                self.at.write(word as u8);
                self.at = self.at.add(1);
            }
        }
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
