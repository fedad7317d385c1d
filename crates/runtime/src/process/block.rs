//! Memory blocks, each for a control block and its first heap, cut from large regions.
//!
//! Each scheduler keeps its own list of free blocks and passes a surplus on in batches through one global stack, so
//! spawning usually takes no lock. Regions are advised for huge pages, so fresh memory costs one page fault for 2 MiB.

use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::cache::{self, LINE_BYTES};
use layout::limits::FIRST_HEAP_WORDS;
use parking_lot::Mutex;
use sys::memory::Reservation;

use super::Process;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = size_of::<Process>() + FIRST_HEAP_WORDS * 8;
const REGION_BYTES: usize = 8 << 20;
/// Blocks that move between a scheduler and the global stack at a time.
const BATCH: usize = 256;

const _: () = assert!(BLOCK_BYTES.is_multiple_of(64));

struct Global {
    batches: Vec<Vec<NonNull<Process>>>,
    regions: Vec<Reservation>,
}

// SAFETY: the pointers refer to unused memory, which any thread may take over.
unsafe impl Send for Global {}

static GLOBAL: Mutex<Global> = Mutex::new(Global {
    batches: Vec::new(),
    regions: Vec::new(),
});
static IN_USE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static LOCAL: RefCell<Local> = const { RefCell::new(Local { free: Vec::new(), fresh: 0, fresh_end: 0 }) };
}

/// Bytes at the start of a thread's first region that use small pages: the size of one huge page.
const HUGE_FROM: usize = 2 << 20;

struct Local {
    free: Vec<NonNull<Process>>,
    /// The addresses from `fresh` to `fresh_end` are not yet cut into blocks.
    fresh: usize,
    fresh_end: usize,
}

/// Bytes of all blocks in use.
#[must_use]
pub fn bytes_in_use() -> usize {
    IN_USE.load(Ordering::Relaxed) * BLOCK_BYTES
}

/// Takes an unused block; `None` if the system has no more memory.
#[must_use]
pub fn take() -> Option<NonNull<Process>> {
    LOCAL.with_borrow_mut(|local| {
        if let Some(block) = local.free.pop() {
            return Some(block);
        }
        if local.fresh == local.fresh_end {
            let mut global = GLOBAL.lock();
            if let Some(batch) = global.batches.pop() {
                local.free = batch;
                return local.free.pop();
            }
            let region = Reservation::new(REGION_BYTES, 2 << 20).ok()?;
            region.commit(0..REGION_BYTES).ok()?;
            // The start of a thread's first region keeps small pages, because most nodes have few processes. The
            // result is ignored: without huge pages this is slower, but works.
            let huge = if local.fresh_end == 0 { HUGE_FROM } else { 0 };
            let _ = region.advise_huge(huge..REGION_BYTES);
            local.fresh = region.base().as_ptr() as usize;
            local.fresh_end = local.fresh + REGION_BYTES / BLOCK_BYTES * BLOCK_BYTES;
            global.regions.push(region);
        }
        let block = local.fresh as *mut Process;
        local.fresh += BLOCK_BYTES;
        NonNull::new(block)
    })
}

/// Asks the processor to fetch the cache lines of a block.
#[inline]
pub fn prefetch(process: *const Process) {
    for offset in (0..BLOCK_BYTES).step_by(LINE_BYTES) {
        cache::prefetch(process.wrapping_byte_add(offset));
    }
}

/// Adds to the number of blocks in use; schedulers call this once for many blocks.
pub fn count(difference: isize) {
    IN_USE.fetch_add(difference as usize, Ordering::Relaxed);
}

/// Gives a block back. No thread may refer to it any more (see `epoch`).
pub fn give_back(block: NonNull<Process>) {
    LOCAL.with_borrow_mut(|local| {
        local.free.push(block);
        if local.free.len() >= 2 * BATCH {
            let batch = local.free.split_off(local.free.len() - BATCH);
            GLOBAL.lock().batches.push(batch);
        }
    });
}
