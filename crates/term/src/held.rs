//! Bytes that the node holds for terms, by kind (`erlang:memory/0`).
//!
//! Every message and every heap block is counted, so each thread keeps its own tally, and adds it to the global one
//! only when it reaches [`SLACK_BYTES`]: the figures are accurate to within that many bytes for each thread. Any thread
//! may call. A thread that ends loses what it has not yet added, which is less than that.

use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

pub use sys::allocator::{attempt, is_attempt};
use sys::gauge::{Gauge, Reading};

/// What the bytes are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeldKind {
    /// Heap blocks and fragments, messages among them, and what else belongs to one process: from the program's
    /// allocator.
    Heap = 0,
    /// The same from chunks of blocks that live as long as their process, and from those of the other kind
    /// (`sys::memory::slab`).
    WholeSlab = 1,
    PassingSlab = 2,
    /// Shared binaries.
    Binary = 3,
    /// Objects in ETS tables.
    Object = 4,
}

const KINDS: usize = 5;

/// A thread's own tally stays below this; when it reaches it, it is added to the global one.
pub const SLACK_BYTES: isize = 8 << 10;

/// What all threads have told of one kind.
struct Common {
    bytes: Gauge,
    blocks: Gauge,
    /// Those that are [large](is_large) are told at once. They have a page of the allocator to themselves; what these
    /// take.
    large_bytes: Gauge,
    large_blocks: Gauge,
    large_room: Gauge,
    /// Blocks of any size that were ever allocated, and how often one was given another size.
    taken: AtomicU64,
    resized: AtomicU64,
}

static COMMON: [Common; KINDS] = [const {
    Common {
        bytes: Gauge::new(),
        blocks: Gauge::new(),
        large_bytes: Gauge::new(),
        large_blocks: Gauge::new(),
        large_room: Gauge::new(),
        taken: AtomicU64::new(0),
        resized: AtomicU64::new(0),
    }
}; KINDS];

/// What a thread has not told yet.
struct Own {
    bytes: Cell<isize>,
    taken: Cell<u32>,
    given: Cell<u32>,
}

thread_local! {
    static OWN: [Own; KINDS] = const {
        [const {
            Own {
                bytes: Cell::new(0),
                taken: Cell::new(0),
                given: Cell::new(0),
            }
        }; KINDS]
    };
}

/// Counts a block that was allocated.
#[inline]
pub fn took(kind: HeldKind, bytes: usize) {
    if is_large(bytes) {
        COMMON[kind as usize].taken.fetch_add(1, Ordering::Relaxed);
        return count_large(kind, bytes, 1);
    }
    OWN.with(|own| {
        let own = &own[kind as usize];
        own.taken.set(own.taken.get().wrapping_add(1));
        own.count(kind, bytes as isize);
    });
}

/// Counts a block that was freed.
#[inline]
pub fn gave(kind: HeldKind, bytes: usize) {
    if is_large(bytes) {
        return count_large(kind, bytes, -1);
    }
    OWN.with(|own| {
        let own = &own[kind as usize];
        own.given.set(own.given.get().wrapping_add(1));
        own.count(kind, -(bytes as isize));
    });
}

/// Counts a block that has another size now.
pub fn resized(kind: HeldKind, before: usize, now: usize) {
    let common = &COMMON[kind as usize];
    common.resized.fetch_add(1, Ordering::Relaxed);
    gave(kind, before);
    took(kind, now);
    // It is no new block.
    common.taken.fetch_sub(1, Ordering::Relaxed);
}

#[inline]
fn is_large(bytes: usize) -> bool {
    bytes > sys::allocator::MOST_SHARED_BYTES
}

#[cold]
fn count_large(kind: HeldKind, bytes: usize, blocks: i64) {
    let common = &COMMON[kind as usize];
    common.large_blocks.add(blocks);
    common.large_bytes.add(bytes as i64 * blocks);
    let room = sys::allocator::room_of_large(bytes);
    common.large_room.add(room as i64 * blocks);
}

impl Own {
    #[inline]
    fn count(&self, kind: HeldKind, bytes: isize) {
        let held_back = self.bytes.get() + bytes;
        self.bytes.set(held_back);
        if held_back.unsigned_abs() >= SLACK_BYTES as usize {
            self.tell(kind);
        }
    }

    #[cold]
    fn tell(&self, kind: HeldKind) {
        let common = &COMMON[kind as usize];
        common.bytes.add(self.bytes.replace(0) as i64);
        let (taken, given) = (self.taken.replace(0), self.given.replace(0));
        common.blocks.add(i64::from(taken) - i64::from(given));
        common.taken.fetch_add(taken.into(), Ordering::Relaxed);
    }
}

/// How many blocks there are, and their bytes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Blocks {
    pub count: Reading,
    pub bytes: Reading,
}

/// An account of one kind of blocks, as far as threads have told of them.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Blocks that share the allocator's memory with others.
    pub shared: Blocks,
    /// Blocks that do not.
    pub large: Blocks,
    /// What these take of the allocator's memory.
    pub large_room: Reading,
    /// Blocks that were ever allocated, freed, and resized.
    pub calls: [u64; 3],
}

/// The account of a kind. Recent peaks begin anew.
#[must_use]
pub fn account(kind: HeldKind) -> Account {
    OWN.with(|own| own[kind as usize].tell(kind));
    let common = &COMMON[kind as usize];
    let shared = Blocks {
        count: common.blocks.read(),
        bytes: common.bytes.read(),
    };
    let large = Blocks {
        count: common.large_blocks.read(),
        bytes: common.large_bytes.read(),
    };
    let taken = common.taken.load(Ordering::Relaxed);
    let given = taken.saturating_sub(shared.count.now + large.count.now);
    Account {
        shared,
        large,
        large_room: common.large_room.read(),
        calls: [taken, given, common.resized.load(Ordering::Relaxed)],
    }
}

/// Ends the node, for a caller that cannot do without the memory that an [`attempt`] did not get.
pub fn exhausted(layout: Layout) -> ! {
    // SAFETY: the callers' sizes are not zero.
    std::hint::black_box(unsafe { alloc(layout) });
    // Outside an attempt the program's allocator ends the node itself if memory is short. If the allocation succeeds
    // now, it may be too late for some callers, so the node ends anyway.
    handle_alloc_error(layout)
}

/// Runs `ask` for a caller that cannot do without the memory that an [`attempt`] did not get: it is taken beyond the
/// budget, and if the system has nothing, the program's allocator ends the node.
pub fn insist<R>(ask: impl FnOnce() -> R) -> R {
    sys::memory::budget::refuse();
    sys::allocator::insist(ask)
}

/// Bytes held at this moment.
#[must_use]
pub fn bytes(kind: HeldKind) -> usize {
    let common = &COMMON[kind as usize];
    (common.bytes.now() + common.large_bytes.now()) as usize
}

/// Bytes held for processes, besides their control blocks.
#[must_use]
pub fn bytes_of_processes() -> usize {
    let kinds = [HeldKind::Heap, HeldKind::WholeSlab, HeldKind::PassingSlab];
    kinds.into_iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_to_within_their_slack() {
        let before = bytes(HeldKind::Binary);
        let add = || (0..10_000).for_each(|_| took(HeldKind::Binary, 1_000));
        std::thread::scope(|scope| {
            scope.spawn(add);
            scope.spawn(add);
        });
        // Other tests allocate binaries meanwhile, but far fewer bytes.
        let more = (bytes(HeldKind::Binary) - before).abs_diff(20_000_000);
        assert!(more < 1_000_000, "{more}");
        std::thread::scope(|scope| {
            scope.spawn(|| (0..10_000).for_each(|_| gave(HeldKind::Binary, 2_000)));
        });
        assert!(bytes(HeldKind::Binary).abs_diff(before) < 1_000_000);
    }
}
