//! What threads keep of the memory that they have freed, and when they give it back to the system.
//!
//! mimalloc and [`slab`] keep the pages of what a thread has freed, for what it allocates next. A thread *settles*: it
//! gives them back when it has been idle for a while, and when memory is short.

pub(crate) mod free_blocks;

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use libmimalloc_sys::mi_collect;

use super::slab;
use crate::clock::monotonic_ns;

/// A thread settles when it has been idle for this time.
const SETTLES_AFTER_NS: i64 = 300_000_000;
/// A thread settles at most once in this interval, unless much has been freed since any has.
const SETTLES_EVERY_NS: i64 = 10_000_000_000;
/// So many bytes of large blocks are much.
const MUCH_BYTES: usize = 16 << 20;

/// Bytes of large blocks that were freed since a thread has settled last. mimalloc keeps their pages for all threads.
static LARGE_FREED_BYTES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SETTLED_AT_NS: Cell<Option<i64>> = const { Cell::new(None) };
}

/// In how many nanoseconds a thread that becomes idle at `now_ns`, a monotonic time, should [`settle`].
#[must_use]
pub fn settles_after_ns(now_ns: i64) -> u64 {
    if LARGE_FREED_BYTES.load(Ordering::Relaxed) >= MUCH_BYTES {
        return SETTLES_AFTER_NS as u64;
    }
    let not_before = SETTLED_AT_NS
        .get()
        .map_or(0, |then| then + SETTLES_EVERY_NS - now_ns);
    not_before.max(SETTLES_AFTER_NS) as u64
}

/// Lets this thread settle the next time that it is idle for a while, although it has settled lately: it has freed much
/// since.
pub fn settle_again() {
    SETTLED_AT_NS.set(None);
}

/// Returns memory to the system that this thread has freed, and mimalloc and [`slab`] keep for it, and the large blocks
/// that any thread has freed. They themselves do so later, at other allocations, and a sleeping thread allocates
/// nothing.
pub fn settle() {
    LARGE_FREED_BYTES.store(0, Ordering::Relaxed);
    // SAFETY: touches nothing but mimalloc's own bookkeeping.
    unsafe { mi_collect(true) };
    free_blocks::return_memory();
    slab::settle();
    SETTLED_AT_NS.set(Some(monotonic_ns()));
}

/// Returns memory to the system that foreign libraries have freed, and the C library's allocator keeps: by itself it
/// gives back only what lies behind all blocks in use. It looks at all that is free, under its locks, so this is for
/// when memory is short.
pub fn settle_foreign() {
    #[cfg(target_env = "gnu")]
    // SAFETY: touches nothing but the allocator's own bookkeeping, and blocks that are free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Counts a large block that is about to be freed.
#[inline]
pub(crate) fn note_large_freed(bytes: usize) {
    LARGE_FREED_BYTES.fetch_add(bytes, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_settle_now_and_then() {
        let now_ns = monotonic_ns();
        assert_eq!(settles_after_ns(now_ns), SETTLES_AFTER_NS as u64);
        settle();
        let next = settles_after_ns(monotonic_ns()) as i64;
        assert!(next > SETTLES_AFTER_NS && next <= SETTLES_EVERY_NS);
        note_large_freed(MUCH_BYTES);
        assert_eq!(settles_after_ns(now_ns), SETTLES_AFTER_NS as u64);
    }
}
