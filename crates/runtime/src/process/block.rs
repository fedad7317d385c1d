//! Memory for the control blocks of processes.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::cache::{self, LINE_BYTES};
use layout::{Heap, Term};
use sys::memory::slab::{Class, Stay};

use super::Process;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = size_of::<Process>();
/// Where blocks come from; in models and under Miri, where they have other sizes or no memory of the system, from the
/// program's allocator.
const CLASS: Option<Class> = Class::of(Stay::Whole, BLOCK_BYTES);
const _: () = assert!(CLASS.is_some() || cfg!(any(miri, feature = "loom")));

static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// Bytes of all blocks in use.
#[must_use]
pub fn bytes_in_use() -> usize {
    IN_USE.load(Ordering::Relaxed) * BLOCK_BYTES
}

/// Takes an unused block; `None` if the system has no more memory.
#[must_use]
pub fn take() -> Option<NonNull<Process>> {
    match CLASS {
        Some(class) => class.take().map(NonNull::cast),
        // SAFETY: the size is not zero.
        None => NonNull::new(unsafe { alloc(Layout::new::<Process>()) }.cast()),
    }
}

/// Asks the processor to fetch the cache lines of a block.
#[inline]
pub fn prefetch(process: *const Process) {
    for offset in (0..BLOCK_BYTES).step_by(LINE_BYTES) {
        cache::prefetch(process.wrapping_byte_add(offset));
    }
}

/// Asks the processor to fetch what a process at rest needs first of its heap: the top of its stack, and its objects.
#[inline]
pub fn prefetch_heap(heap: &Heap) {
    cache::prefetch(heap.stack);
    cache::prefetch(heap.stack.wrapping_byte_add(LINE_BYTES));
    cache::prefetch(heap.start);
    cache::prefetch(heap.start.wrapping_byte_add(LINE_BYTES));
}

/// Adds to the number of blocks in use; schedulers call this once for many blocks.
pub fn count(difference: isize) {
    IN_USE.fetch_add(difference as usize, Ordering::Relaxed);
}

/// Ends a build with assertions if a process was freed and its block not used again. Its block is still the node's:
/// nobody writes to the `id` of a free one.
///
/// # Safety
/// `process` was found in the process table, or is owned by this thread.
#[inline(always)]
pub unsafe fn assert_in_use(process: *const Process) {
    if cfg!(debug_assertions) {
        // SAFETY: the caller's promise.
        let id = unsafe { (*process).id };
        assert!(!id.is_none(), "a signal to a process that was freed");
    }
}

/// Gives a block back.
///
/// # Safety
/// [`take`] returned it, and no thread refers to it any more (see `epoch`).
pub unsafe fn give_back(block: NonNull<Process>) {
    // SAFETY: the caller's promise.
    unsafe {
        if cfg!(debug_assertions) {
            (&raw mut (*block.as_ptr()).id).write(Term::NONE);
        }
        match CLASS {
            Some(class) => class.give_back(block.cast()),
            None => dealloc(block.as_ptr().cast(), Layout::new::<Process>()),
        }
    }
}
