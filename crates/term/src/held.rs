//! Bytes that the node holds for terms, by kind (`erlang:memory/0`).
//!
//! Every message and every heap block is counted, so each thread keeps its own tally, and adds it to the global one
//! only when it reaches [`SLACK_BYTES`]: the figures are accurate to within that many bytes for each thread. Any thread
//! may call. A thread that ends loses what it has not yet added, which is less than that.

use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// What the bytes are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeldKind {
    /// Heap blocks and fragments, messages among them.
    Heap = 0,
    /// Shared binaries.
    Binary = 1,
}

const KINDS: usize = 2;

/// A thread's own tally stays below this; when it reaches it, it is added to the global one.
pub const SLACK_BYTES: isize = 8 << 10;

static COMMON: [AtomicIsize; KINDS] = [const { AtomicIsize::new(0) }; KINDS];

thread_local! {
    static OWN: [Cell<isize>; KINDS] = const { [const { Cell::new(0) }; KINDS] };
}

/// Counts bytes that were allocated (positive) or freed (negative).
#[inline]
pub fn count(kind: HeldKind, bytes: isize) {
    OWN.with(|own| {
        let cell = &own[kind as usize];
        let held_back = cell.get() + bytes;
        if held_back.unsigned_abs() < SLACK_BYTES as usize {
            cell.set(held_back);
        } else {
            cell.set(0);
            COMMON[kind as usize].fetch_add(held_back, Ordering::Relaxed);
        }
    });
}

thread_local! {
    static ATTEMPT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `ask`, whose allocations may fail: then the operation that the program asked for fails, not the node.
pub fn attempt<R>(ask: impl FnOnce() -> R) -> R {
    let outer = ATTEMPT.replace(true);
    let result = ask();
    ATTEMPT.set(outer);
    result
}

/// Ends the node, for a caller that cannot do without the memory that an [`attempt`] did not get.
pub fn exhausted(layout: Layout) -> ! {
    // SAFETY: the callers' sizes are not zero.
    std::hint::black_box(unsafe { alloc(layout) });
    // Outside an attempt the program's allocator ends the node itself if memory is short. If the allocation succeeds
    // now, it may be too late for some callers, so the node ends anyway.
    handle_alloc_error(layout)
}

/// Whether this thread is within an [`attempt`].
#[must_use]
pub fn is_attempt() -> bool {
    ATTEMPT.get()
}

/// Bytes held at this moment.
#[must_use]
pub fn bytes(kind: HeldKind) -> usize {
    // The sum may be negative: memory may be freed by a thread that has added that to the global tally before the
    // allocating thread has added its own part.
    COMMON[kind as usize].load(Ordering::Relaxed).max(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_to_within_their_slack() {
        let before = bytes(HeldKind::Binary);
        let add = || (0..10_000).for_each(|_| count(HeldKind::Binary, 1_000));
        std::thread::scope(|scope| {
            scope.spawn(add);
            scope.spawn(add);
        });
        // Other tests allocate binaries meanwhile, but far fewer bytes.
        let more = (bytes(HeldKind::Binary) - before).abs_diff(20_000_000);
        assert!(more < 1_000_000, "{more}");
        std::thread::scope(|scope| {
            scope.spawn(|| (0..10_000).for_each(|_| count(HeldKind::Binary, -2_000)));
        });
        assert!(bytes(HeldKind::Binary).abs_diff(before) < 1_000_000);
    }
}
