//! Large blocks that have grown: mappings of their own, which grow without being copied.
//!
//! A block that grows step by step is copied at each step, by the thread that makes it grow: fresh memory for the new
//! one takes the kernel a second for a gigabyte or two, and all of the block is there twice meanwhile. So a block that
//! is reallocated with [`FROM_BYTES`] or more becomes a mapping. When this grows again the kernel moves the entries of
//! page tables, a few hundred microseconds for a gigabyte. When it is freed its memory goes back at once.
//!
//! What is allocated with its final size stays mimalloc's, which keeps for a while what is freed: a large heap is
//! collected into the room that the collection before has left, without one fresh page.
//!
//! Nothing is written down for a block. A mapping begins at a multiple of [`ALIGNMENT_BYTES`], and no other block that
//! is as large does ([`is_mapped`]).

use std::alloc::Layout;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::mm::{MremapFlags, mremap, mremap_fixed, munmap};

use super::{Page, room_of_large};
use crate::memory::Reservation;

/// Blocks from this size on, when they have grown. Smaller ones are copied in less time than anybody notices, and
/// mimalloc often has memory for them that was used before.
pub(super) const FROM_BYTES: usize = 64 << 20;

/// Where a mapping begins, and a multiple of what it takes of the addresses: what one entry of the last but one level
/// of page tables stands for, so that these entries are moved and not those of each page.
const ALIGNMENT_BYTES: usize = 2 << 20;

/// Blocks of larger alignment are left to mimalloc, which may well put them at such a multiple.
const MOST_ALIGNMENT: usize = 16;

/// Blocks by the logarithm of their size, and their bytes.
static COUNTS: [AtomicUsize; CLASSES] = [const { AtomicUsize::new(0) }; CLASSES];
static BYTES: [AtomicUsize; CLASSES] = [const { AtomicUsize::new(0) }; CLASSES];
const CLASSES: usize = usize::BITS as usize;

/// Whether a block of this layout can be a mapping.
#[inline]
pub(super) fn may_be(layout: Layout) -> bool {
    layout.size() >= FROM_BYTES && layout.align() <= MOST_ALIGNMENT && !cfg!(miri)
}

/// Whether a block is a mapping.
#[inline]
pub(super) fn is_mapped(block: *mut u8, layout: Layout) -> bool {
    may_be(layout) && block.addr().is_multiple_of(ALIGNMENT_BYTES)
}

/// What the mapping of a block of so many bytes takes of the addresses; more than there are if that cannot be.
fn room(bytes: usize) -> usize {
    bytes
        .checked_next_multiple_of(ALIGNMENT_BYTES)
        .unwrap_or(usize::MAX)
}

/// A block that is a mapping, for so many bytes, which are zero; null where the system has no addresses for it.
pub(super) fn map(bytes: usize) -> *mut u8 {
    let Ok(range) = Reservation::new(room(bytes), ALIGNMENT_BYTES) else {
        return ptr::null_mut();
    };
    if range.commit(0..range.bytes()).is_err() {
        return ptr::null_mut();
    }
    count(bytes, true);
    range.leave().as_ptr()
}

/// Frees a block, whose memory the system has at once.
///
/// # Safety
/// It is a mapping, made for so many bytes, and not used any more.
pub(super) unsafe fn unmap(block: *mut u8, bytes: usize) {
    count(bytes, false);
    // SAFETY: the caller's promise.
    let result = unsafe { munmap(block.cast(), room(bytes)) };
    debug_assert_eq!(result, Ok(()), "munmap({block:p}, {bytes}) failed");
}

/// A mapping for so many bytes with the content of a block, which is free then; null, and the block is as it was, if
/// there is none.
///
/// # Safety
/// The block is a mapping, made for `before` bytes, and not used any more after success.
pub(super) unsafe fn resize(block: *mut u8, before: usize, bytes: usize) -> *mut u8 {
    let (from, to) = (room(before), room(bytes));
    // SAFETY: the caller's promise; without flags the mapping stays where it is.
    let stays =
        from == to || unsafe { mremap(block.cast(), from, to, MremapFlags::empty()) }.is_ok();
    let resized = match stays {
        true => block,
        // SAFETY: the caller's promise.
        false => unsafe { relocate(block, from, to) },
    };
    if !resized.is_null() {
        count(before, false);
        count(bytes, true);
    }
    resized
}

/// Moves a mapping of `from` bytes to where there is room for `to` bytes; null, and it is as it was, if it cannot be
/// moved.
///
/// # Safety
/// It is a mapping of this module, and not used any more after success.
unsafe fn relocate(mapping: *mut u8, from: usize, to: usize) -> *mut u8 {
    let Ok(range) = Reservation::new(to, ALIGNMENT_BYTES) else {
        return ptr::null_mut();
    };
    // If this fails nobody knows whether the range is still there, so that it must not be freed: it takes no memory.
    let target = range.leave().as_ptr();
    // SAFETY: the caller's promise, and the range is this function's.
    let moved = unsafe {
        mremap_fixed(
            mapping.cast(),
            from,
            to,
            MremapFlags::MAYMOVE,
            target.cast(),
        )
    };
    match moved {
        Ok(moved) => moved.cast(),
        Err(_) => ptr::null_mut(),
    }
}

fn count(bytes: usize, is_made: bool) {
    let class = bytes.ilog2() as usize;
    let (count, sum) = (&COUNTS[class], &BYTES[class]);
    if is_made {
        count.fetch_add(1, Ordering::Relaxed);
        sum.fetch_add(bytes, Ordering::Relaxed);
    } else {
        count.fetch_sub(1, Ordering::Relaxed);
        sum.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The bytes of all blocks.
pub(super) fn bytes() -> usize {
    BYTES.iter().map(|sum| sum.load(Ordering::Relaxed)).sum()
}

/// A page for each block. Of the blocks between two powers of two only the sum is known.
pub(super) fn pages() -> impl Iterator<Item = Page> {
    COUNTS.iter().zip(&BYTES).flat_map(|(count, sum)| {
        let count = count.load(Ordering::Relaxed);
        let mean = sum.load(Ordering::Relaxed) / count.max(1);
        let page = Page {
            block_bytes: room_of_large(mean),
            used: 1,
            blocks: 1,
            capacity: 1,
        };
        std::iter::repeat_n(page, count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn a_block_that_grows_and_shrinks_keeps_its_content() {
        let block = map(FROM_BYTES);
        let sizes = [65, 66, 66, 100, 700, 701, 90, 300].map(|mebibytes| mebibytes * MIB);
        // SAFETY: the block is used as it was made.
        unsafe {
            block.write_bytes(7, FROM_BYTES);
            let (mut block, mut bytes) = (block, FROM_BYTES);
            for size in sizes {
                block = resize(block, bytes, size);
                bytes = size;
                assert!(block.addr().is_multiple_of(ALIGNMENT_BYTES));
                let seen = std::slice::from_raw_parts(block, FROM_BYTES);
                assert!(seen.iter().all(|byte| *byte == 7));
                block.add(bytes - 1).write(1);
            }
            unmap(block, bytes);
        }
    }

    #[test]
    fn a_block_that_cannot_grow_stays_as_it_is() {
        let block = map(FROM_BYTES);
        // SAFETY: the block is used as it was made.
        unsafe {
            block.write(7);
            assert!(resize(block, FROM_BYTES, 1 << 60).is_null());
            assert!(resize(block, FROM_BYTES, usize::MAX).is_null());
            assert_eq!(*block, 7);
            unmap(block, FROM_BYTES);
        }
    }
}
