//! Memory of free blocks that lie between blocks in use.
//!
//! mimalloc gives a page back only as a whole. Pages of large blocks hold up to 64 of them, and one that stays, of some
//! module's tables for example, keeps all of the page: a third of what a node held that had loaded its code. So a
//! thread that settles returns what its free blocks hold by itself. The first word of a free block is mimalloc's, so
//! the first page of the system stays.

use std::ffi::c_void;

use libmimalloc_sys::{mi_block_visit_fun, mi_heap_area_t, mi_heap_t, mi_theap_t};

use crate::memory::{discard, page_bytes};

/// Blocks from this size on are looked at.
pub(crate) const FROM_BYTES: usize = 16 << 10;
/// A page holds at most so many of them.
const MOST_IN_PAGE: usize = 64;
const _: () = assert!(512 << 10 <= FROM_BYTES * MOST_IN_PAGE);

// Functions of mimalloc 3 that the crate does not declare.
unsafe extern "C" {
    fn mi_theap_get_default() -> *mut mi_theap_t;
    fn mi_theap_visit_blocks(
        heap: *const mi_theap_t,
        blocks: bool,
        visitor: mi_block_visit_fun,
        context: *mut c_void,
    ) -> bool;
    /// Calls the visitor with each block in use of an area, with the page that the area names in `reserved1`.
    fn _mi_theap_area_visit_blocks(
        area: *const mi_heap_area_t,
        page: *mut c_void,
        visitor: mi_block_visit_fun,
        context: *mut c_void,
    ) -> bool;
}

/// The blocks of a page.
struct Blocks {
    start: *mut u8,
    /// Bytes of each.
    bytes: usize,
    count: usize,
    /// Those in use, by their numbers; bits.
    used: u64,
    /// How much of the free ones was given back.
    returned: usize,
}

/// Returns what the free blocks of this thread's pages hold; says how many bytes of them.
pub(super) fn return_memory() -> usize {
    extern "C" fn visit_page(
        _heap: *const mi_heap_t,
        area: *const mi_heap_area_t,
        _block: *mut c_void,
        _block_size: usize,
        returned: *mut c_void,
    ) -> bool {
        // SAFETY: mimalloc passes on what it was given below, and an area that it describes for this call.
        let (of_page, returned) = unsafe { (&*area, &mut *returned.cast::<usize>()) };
        let count = of_page.committed / of_page.full_block_size.max(1);
        if of_page.full_block_size < FROM_BYTES || count > MOST_IN_PAGE || of_page.used >= count {
            return true;
        }
        let mut blocks = Blocks {
            start: of_page.blocks.cast(),
            bytes: of_page.full_block_size,
            count,
            used: 0,
            returned: 0,
        };
        let context = (&raw mut blocks).cast();
        // SAFETY: the area is of a page of this thread, which nobody else changes but by noting what they have freed.
        unsafe { _mi_theap_area_visit_blocks(area, of_page.reserved1, Some(visit_block), context) };
        blocks.return_free();
        *returned += blocks.returned;
        true
    }
    let mut returned = 0;
    if cfg!(miri) {
        return returned;
    }
    let context = (&raw mut returned).cast();
    // SAFETY: the thread's own heap; the visitor allocates and frees nothing.
    unsafe { mi_theap_visit_blocks(mi_theap_get_default(), false, Some(visit_page), context) };
    returned
}

extern "C" fn visit_block(
    _heap: *const mi_heap_t,
    _area: *const mi_heap_area_t,
    block: *mut c_void,
    _block_size: usize,
    blocks: *mut c_void,
) -> bool {
    // SAFETY: mimalloc passes on what it was given in `visit_page`.
    let blocks = unsafe { &mut *blocks.cast::<Blocks>() };
    let number = (block.addr() - blocks.start.addr()) / blocks.bytes;
    blocks.used |= 1 << number;
    true
}

impl Blocks {
    fn return_free(&mut self) {
        for number in (0..self.count).filter(|number| self.used >> number & 1 == 0) {
            // What is before the next page of the system stays: mimalloc's word is there.
            let block = self
                .start
                .wrapping_add(number * self.bytes + size_of::<*mut u8>());
            let bytes = self.bytes - size_of::<*mut u8>();
            // SAFETY: a free block of this thread's, which only this thread can allocate.
            unsafe { discard(block, bytes) };
            self.returned += bytes.saturating_sub(page_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mimalloc::MiMalloc;
    use std::alloc::{GlobalAlloc, Layout};

    const BYTES: usize = 200 << 10;

    fn resident(block: *mut u8) -> usize {
        let page = page_bytes();
        let start = block.addr().next_multiple_of(page);
        let count = (block.addr() + BYTES - start) / page;
        let mut pages = vec![0u8; count];
        let address = block.with_addr(start).cast();
        // SAFETY: one byte per page of the range is written.
        let answer = unsafe { libc::mincore(address, count * page, pages.as_mut_ptr()) };
        assert_eq!(answer, 0);
        pages.iter().filter(|page| **page & 1 == 1).count() * page
    }

    #[test]
    fn what_lies_between_blocks_in_use_goes_back_and_these_stay() {
        let layout = Layout::from_size_align(BYTES, 16).unwrap();
        let blocks: Vec<*mut u8> = (0..12u8)
            .map(|number| {
                // SAFETY: the size is not zero, and the block is as large.
                unsafe {
                    let block = MiMalloc.alloc(layout);
                    block.write_bytes(number + 1, BYTES);
                    block
                }
            })
            .collect();
        let (freed, kept): (Vec<_>, Vec<_>) = blocks
            .iter()
            .enumerate()
            .partition(|(number, _)| number % 3 != 0);
        for (_, block) in &freed {
            // SAFETY: allocated above.
            unsafe { MiMalloc.dealloc(**block, layout) };
        }
        assert!(return_memory() >= freed.len() * (BYTES - 2 * page_bytes()));
        let left: usize = freed.iter().map(|(_, block)| resident(**block)).sum();
        assert!(left <= freed.len() * 2 * page_bytes(), "{left}");
        for (number, block) in kept {
            // SAFETY: allocated and written above, and not freed.
            let bytes = unsafe { std::slice::from_raw_parts(*block, BYTES) };
            assert!(bytes.iter().all(|byte| *byte == number as u8 + 1));
            // SAFETY: as above.
            unsafe { MiMalloc.dealloc(*block, layout) };
        }
        // What was given back is used again.
        // SAFETY: the size is not zero, and the block is as large.
        unsafe {
            let block = MiMalloc.alloc(layout);
            block.write_bytes(9, BYTES);
            MiMalloc.dealloc(block, layout);
        }
    }
}
