//! The bit string that is being built, by the operations in `building` or by their slow paths: where it is written to,
//! and what it is appended to.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::{AtomicUsize, Ordering};

use layout::heap::flag;
use layout::limits::X_REGISTERS;
use layout::object::{SUB_BINARY_WRITABLE, binary_block, binary_flag, offset};
use layout::{Header, Heap, ObjectKind, Term};

use super::binaries::{BINARY_SIZE, HEAP_BINARY, SHARED_BINARY, word};
use super::tags::{KIND_MASK, boxed, header_of};
use crate::form::Form;
use crate::registers::Registers;

/// The X register that holds bits gathered from several segments. No program can name it.
pub(crate) const GATHERED: u16 = X_REGISTERS as u16;
/// The X register that holds the higher bits of an integer.
pub(crate) const SHIFTED: u16 = X_REGISTERS as u16 + 1;

/// Bits that [`GATHERED`] can hold: as many as a small integer has without its sign.
pub(crate) const GATHERED_BITS: u64 = 56;

/// Bytes of a sub-binary on the heap.
pub(crate) const SUB_BINARY_BYTES: u64 = 5 * 8;
/// Bytes of a heap binary's header and size.
pub(crate) const HEAP_BINARY_HEAD: u64 = 2 * 8;

pub(crate) const SUB_BINARY: u64 = Header::new(ObjectKind::SubBinary, 4).0;

/// A string that can be appended to in place.
#[derive(Clone, Copy)]
pub(crate) struct Writable {
    /// The shared binary, and its first byte.
    pub whole: Term,
    pub bytes: *mut u8,
    /// Bytes of the string, all that the shared binary has.
    pub used: u64,
    /// Bytes that its block has room for.
    pub capacity: u64,
}

/// What is known about a string to append to; none unless it can be appended to in place, and ends at a byte
/// boundary.
#[inline(always)]
pub(crate) unsafe fn writable(string: Term) -> Option<Writable> {
    unsafe {
        if header_of(string) != SUB_BINARY
            || *word(string, offset::SUB_BINARY_BITS) != SUB_BINARY_WRITABLE
            || *word(string, offset::SUB_BINARY_OFFSET) != 0
        {
            return None;
        }
        let whole = Term::from_bits(*word(string, offset::SUB_BINARY_WHOLE));
        let used = *word(string, offset::SUB_BINARY_SIZE);
        if *word(whole, 0).sub(1) & KIND_MASK != SHARED_BINARY
            || *word(whole, offset::SHARED_BINARY_FLAGS) & binary_flag::WRITABLE == 0
            || *word(whole, offset::SHARED_BINARY_SIZE) != used
        {
            return None;
        }
        let block = *word(whole, offset::OFF_HEAP_BLOCK) as *const u8;
        Some(Writable {
            whole,
            bytes: *word(whole, offset::SHARED_BINARY_BYTES) as *mut u8,
            used,
            capacity: *block.add(binary_block::CAPACITY).cast::<u64>(),
        })
    }
}

/// Records that `size` bytes of the shared binary of a [`Writable`] are used, after more were written.
#[inline(always)]
pub(crate) unsafe fn extend(heap: *mut Heap, whole: Term, size: u64) {
    unsafe {
        let block = *word(whole, offset::OFF_HEAP_BLOCK) as *mut u8;
        let used = block.add(binary_block::USED).cast::<usize>();
        // Others read it, but only this thread writes.
        AtomicUsize::from_ptr(used).store(size as usize, Ordering::Relaxed);
        *word(whole, offset::SHARED_BINARY_FLAGS) |= binary_flag::ACTIVE;
        let place = word(whole, offset::SHARED_BINARY_SIZE);
        let words = ((size - *place) / 8) as u32;
        *place = size;
        if words == 0 {
            return;
        }
        let charged = (*heap).off_heap_words.saturating_add(words);
        (*heap).off_heap_words = charged;
        if charged > (*heap).off_heap_limit_words {
            (*heap).flags |= flag::FORCE;
        }
    }
}

/// Takes from `string` the right to be appended to, and gives it to a sub-binary that is written at `to`: the first
/// `size` bytes of the same shared binary. It takes five words.
#[inline(always)]
pub(crate) unsafe fn successor(string: Term, whole: Term, to: *mut u64, size: u64) -> Term {
    unsafe {
        *word(string, offset::SUB_BINARY_BITS) = 0;
        to.write(SUB_BINARY);
        let words = to.add(1);
        words.add(offset::SUB_BINARY_SIZE).write(size);
        words.add(offset::SUB_BINARY_OFFSET).write(0);
        words
            .add(offset::SUB_BINARY_BITS)
            .write(SUB_BINARY_WRITABLE);
        words.add(offset::SUB_BINARY_WHOLE).write(whole.bits());
        boxed(to)
    }
}

/// Makes a sub-binary that may be appended to longer, when no program refers to it yet.
#[inline(always)]
pub(crate) unsafe fn lengthen(string: Term, size: u64) {
    unsafe { *word(string, offset::SUB_BINARY_SIZE) = size };
}

/// The address to write to.
#[inline(always)]
pub(crate) unsafe fn position<F: Form>(m: &Registers<F>) -> *mut u8 {
    unsafe { (*m.c).builder[0] as *mut u8 }
}

/// The bits of a small integer under a mask that leaves none of its tag, times the factor that brings them to their
/// place.
#[inline(always)]
pub(crate) fn in_place(value: Term, mask: u64, factor: u64) -> u64 {
    (value.bits() & mask).wrapping_mul(factor)
}

/// The end of the room.
#[inline(always)]
pub(crate) unsafe fn limit<F: Form>(m: &Registers<F>) -> *mut u8 {
    unsafe { (*m.c).builder[1] as *mut u8 }
}

#[inline(always)]
pub(crate) unsafe fn set_position<F: Form>(m: &Registers<F>, position: *mut u8) {
    unsafe { (*m.c).builder[0] = position as u64 };
}

#[inline(always)]
pub(crate) unsafe fn set_limit<F: Form>(m: &Registers<F>, limit: *mut u8) {
    unsafe { (*m.c).builder[1] = limit as u64 };
}

/// The bytes of a binary that starts and ends at byte boundaries, and their number.
#[inline(always)]
pub(crate) unsafe fn bytes_of(term: Term) -> Option<(*const u8, u64)> {
    unsafe {
        let (mut whole, mut start) = (term, 0);
        let mut header = header_of(term);
        if header == SUB_BINARY {
            if *word(term, offset::SUB_BINARY_BITS) & 0xffff != 0 {
                return None;
            }
            start = *word(term, offset::SUB_BINARY_OFFSET);
            whole = Term::from_bits(*word(term, offset::SUB_BINARY_WHOLE));
            header = *word(whole, 0).sub(1);
        }
        let bytes = match header & KIND_MASK {
            HEAP_BINARY => word(whole, offset::HEAP_BINARY_BYTES) as *const u8,
            SHARED_BINARY => *word(whole, offset::SHARED_BINARY_BYTES) as *const u8,
            _ => return None,
        };
        Some((bytes.wrapping_add(start as usize), *word(term, BINARY_SIZE)))
    }
}
