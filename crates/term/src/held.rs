//! Bytes that the node holds for terms, by kind (`erlang:memory/0`).
//!
//! Every message and every heap block is counted, so each thread keeps its own tally, which only that thread changes,
//! and adds it to the global one when it reaches [`SLACK_BYTES`]. Whoever asks adds all tallies, so that figures are
//! exact while nothing is allocated. Any thread may call. The tally of a thread that ends is added to the global one,
//! and serves another thread.

use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
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
const SLACK_BYTES: usize = 8 << 10;

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

/// What a thread has not told yet of one kind. Only that thread changes it, so that it needs no read-modify-write.
struct Own {
    bytes: AtomicI64,
    taken: AtomicU64,
    given: AtomicU64,
}

/// The tally of one thread; alone in its cache lines, since its thread writes it all the time.
#[repr(align(128))]
struct Tally([Own; KINDS]);

/// What makes the first count of a thread look like one that reaches its slack.
const FULL: i64 = i64::MIN / 2;

impl Tally {
    /// A tally that begins with so many bytes of each kind.
    const fn new(bytes: i64) -> Tally {
        let mut kinds = [const { Own::new(0) }; KINDS];
        let mut kind = 0;
        while kind < KINDS {
            kinds[kind] = Own::new(bytes);
            kind += 1;
        }
        Tally(kinds)
    }

    /// Adds all of it to the global one.
    fn settle(&self) {
        for (own, common) in self.0.iter().zip(&COMMON) {
            own.tell(common, own.bytes.load(Ordering::Relaxed));
        }
    }
}

/// The tally of threads that have none yet or no more: always full, and never written.
static NONE: Tally = Tally::new(FULL);

/// All tallies that were ever made, and those of them whose threads have ended.
struct Tallies {
    all: Vec<&'static Tally>,
    free: Vec<&'static Tally>,
}

static TALLIES: Mutex<Tallies> = Mutex::new(Tallies {
    all: Vec::new(),
    free: Vec::new(),
});

/// Has the thread's tally for as long as the thread lives.
struct Holder(&'static Tally);

impl Holder {
    fn new() -> Holder {
        let mut tallies = tallies();
        let tally = tallies.free.pop().unwrap_or_else(|| {
            let tally: &'static Tally = Box::leak(Box::new(Tally::new(0)));
            tallies.all.push(tally);
            tally
        });
        Holder(tally)
    }
}

impl Drop for Holder {
    /// What the thread counts after this goes to the global tally at once.
    fn drop(&mut self) {
        OWN.set(&NONE);
        self.0.settle();
        tallies().free.push(self.0);
    }
}

fn tallies() -> MutexGuard<'static, Tallies> {
    TALLIES.lock()
}

thread_local! {
    static OWN: Cell<&'static Tally> = const { Cell::new(&NONE) };
    static HOLDER: Holder = Holder::new();
}

/// Counts a block that was allocated.
#[inline]
pub fn took(kind: HeldKind, bytes: usize) {
    if is_large(bytes) {
        COMMON[kind as usize].taken.fetch_add(1, Ordering::Relaxed);
        return count_large(kind, bytes, 1);
    }
    count(kind, bytes as i64, [1, 0]);
}

/// Counts a block that was freed.
#[inline]
pub fn gave(kind: HeldKind, bytes: usize) {
    if is_large(bytes) {
        return count_large(kind, bytes, -1);
    }
    count(kind, -(bytes as i64), [0, 1]);
}

/// Counts blocks that the thread took and gave, and their bytes.
#[inline]
fn count(kind: HeldKind, bytes: i64, [taken, given]: [u64; 2]) {
    let own = &OWN.get().0[kind as usize];
    let held_back = own.bytes.load(Ordering::Relaxed) + bytes;
    if held_back.unsigned_abs() >= SLACK_BYTES as u64 {
        return count_fully(kind, bytes, [taken, given]);
    }
    own.set(held_back, [taken, given]);
}

/// Counts for a thread whose tally is full, or that has none.
#[cold]
#[inline(never)]
fn count_fully(kind: HeldKind, bytes: i64, [taken, given]: [u64; 2]) {
    let common = &COMMON[kind as usize];
    if std::ptr::eq(OWN.get(), &NONE) {
        let Ok(tally) = HOLDER.try_with(|holder| holder.0) else {
            common.count(bytes, [taken, given]);
            return;
        };
        OWN.set(tally);
        return count(kind, bytes, [taken, given]);
    }
    let own = &OWN.get().0[kind as usize];
    own.set(own.bytes.load(Ordering::Relaxed) + bytes, [taken, given]);
    own.tell(common, own.bytes.load(Ordering::Relaxed));
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

impl Common {
    fn count(&self, bytes: i64, [taken, given]: [u64; 2]) {
        self.bytes.add(bytes);
        self.blocks.add(taken as i64 - given as i64);
        self.taken.fetch_add(taken, Ordering::Relaxed);
    }
}

impl Own {
    const fn new(bytes: i64) -> Own {
        Own {
            bytes: AtomicI64::new(bytes),
            taken: AtomicU64::new(0),
            given: AtomicU64::new(0),
        }
    }

    /// Only for the thread itself.
    #[inline]
    fn set(&self, bytes: i64, more: [u64; 2]) {
        self.bytes.store(bytes, Ordering::Relaxed);
        for (count, more) in [&self.taken, &self.given].into_iter().zip(more) {
            if more != 0 {
                count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
            }
        }
    }

    /// Adds what the thread has counted to what all have. Only for the thread itself.
    fn tell(&self, common: &Common, bytes: i64) {
        let counts = [&self.taken, &self.given].map(|count| count.load(Ordering::Relaxed));
        self.bytes.store(0, Ordering::Relaxed);
        self.taken.store(0, Ordering::Relaxed);
        self.given.store(0, Ordering::Relaxed);
        common.count(bytes, counts);
    }
}

/// What threads have counted of a kind and not told: bytes, blocks that they took, blocks that they gave.
fn untold(kind: HeldKind) -> (i64, u64, u64) {
    let tallies = tallies();
    let own = tallies.all.iter().map(|tally| &tally.0[kind as usize]);
    own.fold((0, 0, 0), |(bytes, taken, given), own| {
        (
            bytes + own.bytes.load(Ordering::Relaxed),
            taken + own.taken.load(Ordering::Relaxed),
            given + own.given.load(Ordering::Relaxed),
        )
    })
}

/// How many blocks there are, and their bytes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Blocks {
    pub count: Reading,
    pub bytes: Reading,
}

/// An account of one kind of blocks.
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
    let common = &COMMON[kind as usize];
    let (bytes, taken_more, given_more) = untold(kind);
    let shared = Blocks {
        count: common
            .blocks
            .read_with(taken_more as i64 - given_more as i64),
        bytes: common.bytes.read_with(bytes),
    };
    let large = Blocks {
        count: common.large_blocks.read(),
        bytes: common.large_bytes.read(),
    };
    // `resized` takes from what is told what may not be told yet.
    let taken = common
        .taken
        .load(Ordering::Relaxed)
        .wrapping_add(taken_more);
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
    let (untold, ..) = untold(kind);
    let told = (common.bytes.now_exactly() + untold).max(0) as u64;
    (told + common.large_bytes.now()) as usize
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
    fn figures_are_exact_also_of_threads_that_have_ended() {
        // No other test of this crate has objects of tables.
        const KIND: HeldKind = HeldKind::Object;
        let before = bytes(KIND);
        let add = || (0..10_001).for_each(|_| took(KIND, 1_000));
        std::thread::scope(|scope| {
            scope.spawn(add);
            scope.spawn(add);
        });
        assert_eq!(bytes(KIND), before + 20_002_000);
        assert_eq!(account(KIND).shared.count.now, 20_002);
        let (told, waits) = std::sync::mpsc::channel();
        let (goes, on) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                gave(KIND, 1_000);
                told.send(()).unwrap();
                // The thread lives, and holds back what it has counted.
                on.recv().unwrap();
            });
            waits.recv().unwrap();
            assert_eq!(bytes(KIND), before + 20_001_000);
            goes.send(()).unwrap();
        });
        (0..20_001).for_each(|_| gave(KIND, 1_000));
        assert_eq!(bytes(KIND), before);
        assert_eq!(account(KIND).calls, [20_002, 20_002, 0]);
        // A block that changes its size before anything of it is told is still one block.
        took(KIND, 100);
        resized(KIND, 100, 200);
        assert_eq!(account(KIND).calls, [20_003, 20_002, 1]);
        gave(KIND, 200);
        assert_eq!(account(KIND).calls, [20_003, 20_003, 1]);
    }
}
