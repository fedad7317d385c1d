//! Blocks of a few fixed sizes, of which a program holds millions, cut from chunks of 2 MiB.
//!
//! A chunk holds blocks of one size and is one huge page, so that fresh memory costs one page fault for thousands of
//! blocks. What is used of a chunk is written down beside it ([`mod@pool`]), not in its free blocks: these are not
//! touched until they are taken again. Each thread keeps a few free blocks; others are taken and given back in batches.
//!
//! A chunk without a used block goes back to the system a moment later, when a batch of its class is moved next, or
//! when an idle thread calls [`settle`]. Blocks are taken from the chunk with the lowest number that has free ones, so
//! the others become empty in time.

mod pool;

use std::alloc::{self, Layout};
use std::cell::Cell;
use std::iter;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use crate::clock;
use crate::gauge::Gauge;
use pool::{Pool, Taken};

/// How long the user of a block keeps it. Blocks of both kinds do not share chunks, so that those of the second kind
/// become empty when their users have moved on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stay {
    /// As long as what it belongs to exists.
    Whole,
    /// Until its user needs more or less.
    Passing,
}

/// The classes: sizes are in bytes, and multiples of 16.
const CLASSES: [(Stay, usize); 12] = [
    (Stay::Whole, 48),
    (Stay::Whole, 64),
    (Stay::Whole, 256),
    (Stay::Passing, 256),
    (Stay::Passing, 288),
    (Stay::Passing, 320),
    (Stay::Passing, 352),
    (Stay::Passing, 384),
    (Stay::Passing, 416),
    (Stay::Passing, 448),
    (Stay::Passing, 480),
    (Stay::Passing, 512),
];

/// Blocks that move between a thread and a pool at a time.
const BATCH: usize = 256;
/// The most blocks of a class that a thread keeps: about as many processes as one scheduler lets die before it frees
/// them.
const MOST_KEPT: usize = 1024;

const fn pool(class: usize) -> Mutex<Pool> {
    Mutex::new(Pool::new(&CHUNKS[CLASSES[class].0 as usize]))
}

static POOLS: [Mutex<Pool>; CLASSES.len()] = [
    pool(0),
    pool(1),
    pool(2),
    pool(3),
    pool(4),
    pool(5),
    pool(6),
    pool(7),
    pool(8),
    pool(9),
    pool(10),
    pool(11),
];

thread_local! {
    static CACHES: [Cache; CLASSES.len()] = const { [const { Cache::new() }; CLASSES.len()] };
}

/// The free blocks of one class that a thread keeps: the elements from `base` to `top`, and those that lie one behind
/// the other from `next` to `end`.
struct Cache {
    /// Room for elements up to `limit`. There is none, and all three are null, until a block is kept: most threads keep
    /// blocks of few classes, and what a thread has from its start is cleared at its start.
    base: Cell<*mut *mut u8>,
    top: Cell<*mut *mut u8>,
    limit: Cell<*mut *mut u8>,
    next: Cell<*mut u8>,
    end: Cell<*mut u8>,
}

/// What the chunks for blocks of both kinds show.
pub static CHUNKS: [Chunks; 2] = [const { Chunks::new() }; 2];

/// Chunks that hold memory, and how they came.
#[derive(Debug)]
pub struct Chunks {
    /// Those that have a block in use, or in a thread's hands.
    pub used: Gauge,
    /// Their bytes.
    pub used_bytes: Gauge,
    /// Those that have none, but keep their memory for a moment.
    pub empty: Gauge,
    /// How often an empty chunk was used again.
    pub reused: AtomicU64,
    /// How often a chunk got memory of the system.
    pub filled: AtomicU64,
    /// How often one gave it back.
    pub released: AtomicU64,
    /// How often a chunk became empty.
    pub emptied: AtomicU64,
}

impl Chunks {
    const fn new() -> Chunks {
        Chunks {
            used: Gauge::new(),
            used_bytes: Gauge::new(),
            empty: Gauge::new(),
            reused: AtomicU64::new(0),
            filled: AtomicU64::new(0),
            released: AtomicU64::new(0),
            emptied: AtomicU64::new(0),
        }
    }
}

/// The chunks in use for blocks that stay so long: bytes of a block, its blocks, and how many of them are in use or in
/// a thread's hands.
#[must_use]
pub fn chunks(stay: Stay) -> Vec<(usize, usize, usize)> {
    let of_kind = |(_, (kind, _)): &(_, (Stay, usize))| *kind == stay;
    let pools = POOLS.iter().zip(CLASSES).filter(of_kind);
    let chunks = pools.flat_map(|(pool, (_, bytes))| {
        let used = pool.lock().used();
        used.into_iter()
            .map(move |(capacity, used)| (bytes, capacity, used))
    });
    chunks.collect()
}

/// A kind of blocks, all of one size.
#[derive(Clone, Copy, Debug)]
pub struct Class(usize);

impl Class {
    /// The class of blocks of exactly so many bytes that are kept so long, if there is one. Miri knows no memory of the
    /// system, so there are none.
    #[must_use]
    pub const fn of(stay: Stay, bytes: usize) -> Option<Class> {
        let mut at = 0;
        while at < CLASSES.len() {
            if CLASSES[at].0 as u8 == stay as u8 && CLASSES[at].1 == bytes && !cfg!(miri) {
                return Some(Class(at));
            }
            at += 1;
        }
        None
    }

    /// Takes an unused block, whose content is undefined. Its address is a multiple of 16, or of 64 if its size is one.
    /// `None` if the system has no more memory.
    #[must_use]
    #[inline]
    pub fn take(self) -> Option<NonNull<u8>> {
        CACHES.with(|caches| {
            let cache = &caches[self.0];
            if let Some(block) = cache.pop() {
                return Some(block);
            }
            if cache.next == cache.end {
                return self.fill(cache);
            }
            cache.take_next(CLASSES[self.0].1)
        })
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// It was taken from this class, and no thread refers to it any more.
    #[inline]
    pub unsafe fn give_back(self, block: NonNull<u8>) {
        // SAFETY: by the caller's promise.
        CACHES.with(|caches| unsafe { self.give_back_to(&caches[self.0], block) });
    }

    /// # Safety
    /// As for [`Class::give_back`]; it is this class's cache.
    #[inline]
    unsafe fn give_back_to(self, cache: &Cache, block: NonNull<u8>) {
        if cache.top == cache.limit && !self.make_room(cache) {
            // SAFETY: by the caller's promise.
            unsafe {
                POOLS[self.0]
                    .lock()
                    .give_back(CLASSES[self.0].1, iter::once(block))
            };
            return;
        }
        // SAFETY: there is room.
        unsafe { cache.push(block) };
    }

    /// Fills an empty cache from the pool, and takes a block.
    #[cold]
    #[inline(never)]
    fn fill(self, cache: &Cache) -> Option<NonNull<u8>> {
        let bytes = CLASSES[self.0].1;
        let mut blocks = [const { MaybeUninit::uninit() }; BATCH];
        let taken = POOLS[self.0].lock().take(bytes, &mut blocks)?;
        match taken {
            Taken::Row(start, count) => {
                cache.next.set(start.as_ptr());
                cache.end.set(start.as_ptr().wrapping_add(count * bytes));
                cache.take_next(bytes)
            }
            Taken::Single(blocks) => {
                let (&mut first, rest) = blocks.split_first_mut()?;
                // The block with the lowest address is taken first.
                for &block in rest.iter().rev() {
                    // SAFETY: it was taken just now.
                    unsafe { self.give_back_to(cache, block) };
                }
                Some(first)
            }
        }
    }

    /// Makes room in a full cache, or in one that has none yet. Returns false if there is no memory for that.
    #[cold]
    #[inline(never)]
    fn make_room(self, cache: &Cache) -> bool {
        if !cache.base.get().is_null() {
            self.pass_on(cache);
            return true;
        }
        // SAFETY: its size is not 0.
        let base = unsafe { alloc::alloc(Cache::LAYOUT) }.cast::<*mut u8>();
        if base.is_null() {
            return false;
        }
        cache.base.set(base);
        cache.top.set(base);
        cache.limit.set(base.wrapping_add(MOST_KEPT));
        true
    }

    /// Gives the blocks of a full cache back that were given first. They are less likely than others to be in the
    /// processor's cache.
    fn pass_on(self, cache: &Cache) {
        let mut pool = POOLS[self.0].lock();
        // SAFETY: all blocks of a cache were taken from its class and given back by their users.
        unsafe { pool.give_back(CLASSES[self.0].1, cache.blocks().take(BATCH)) };
        pool.release_empty(clock::monotonic_ns());
        drop(pool);
        let base = cache.base.get();
        // SAFETY: the cache is full, so all elements are written, and there are more than a batch of them.
        unsafe { ptr::copy(base.add(BATCH), base, MOST_KEPT - BATCH) };
        cache.top.set(base.wrapping_add(MOST_KEPT - BATCH));
    }
}

impl Cache {
    const LAYOUT: Layout = Layout::new::<[*mut u8; MOST_KEPT]>();

    const fn new() -> Cache {
        Cache {
            base: Cell::new(ptr::null_mut()),
            top: Cell::new(ptr::null_mut()),
            limit: Cell::new(ptr::null_mut()),
            next: Cell::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
        }
    }

    /// # Safety
    /// There is room.
    #[inline]
    unsafe fn push(&self, block: NonNull<u8>) {
        let top = self.top.get();
        // SAFETY: by the caller's promise the element exists; only this thread refers to it.
        unsafe { top.write(block.as_ptr()) };
        self.top.set(top.wrapping_add(1));
    }

    #[inline]
    fn pop(&self) -> Option<NonNull<u8>> {
        let top = self.top.get();
        if top == self.base.get() {
            return None;
        }
        let last = top.wrapping_sub(1);
        self.top.set(last);
        // SAFETY: the elements below `top` are written.
        NonNull::new(unsafe { last.read() })
    }

    /// Gives the elements back, of which none is in use.
    fn give_up_room(&self) {
        let base = self.base.replace(ptr::null_mut());
        self.top.set(ptr::null_mut());
        self.limit.set(ptr::null_mut());
        if !base.is_null() {
            // SAFETY: it was allocated like this, and nobody refers to it.
            unsafe { alloc::dealloc(base.cast(), Cache::LAYOUT) };
        }
    }

    /// Takes the first block of the row, which is not empty.
    #[inline]
    fn take_next(&self, bytes: usize) -> Option<NonNull<u8>> {
        let block = self.next.get();
        self.next.set(block.wrapping_add(bytes));
        NonNull::new(block)
    }

    fn blocks(&self) -> impl Iterator<Item = NonNull<u8>> {
        let (base, top) = (self.base.get(), self.top.get());
        let count = (top.addr() - base.addr()) / size_of::<*mut u8>();
        // SAFETY: the elements below `top` are written.
        (0..count).filter_map(move |place| NonNull::new(unsafe { base.add(place).read() }))
    }
}

/// Gives the blocks that this thread keeps to the others, and empty chunks to the system: for a thread that is idle, or
/// ends. Threads of a node do not end, so nothing does this for them: what runs at the end of a thread is registered by
/// the C library with memory of its own, which takes 64 MiB of addresses for each thread.
pub fn settle() {
    give_all_back();
    for pool in &POOLS {
        // The lock is free in between: other threads do not wait long for the pool.
        while pool.lock().release_empty(i64::MAX) {}
    }
}

/// Gives all blocks that this thread keeps back to the pools.
fn give_all_back() {
    CACHES.with(|caches| {
        for ((cache, pool), (_, bytes)) in caches.iter().zip(&POOLS).zip(CLASSES) {
            if cache.top != cache.base {
                // SAFETY: all blocks of a cache were taken from its class and given back by their users.
                unsafe { pool.lock().give_back(bytes, cache.blocks()) };
            }
            cache.give_up_room();
            let rest = cache.end.get().addr() - cache.next.get().addr();
            if rest > 0 {
                let row = (0..rest / bytes).filter_map(|_| cache.take_next(bytes));
                // SAFETY: the blocks of a row have no other user.
                unsafe { pool.lock().give_back(bytes, row) };
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn threads_never_share_a_block() {
        let work = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut held: Vec<(usize, NonNull<u8>)> = Vec::new();
            for step in 0..200_000 {
                let at = random.usize(0..CLASSES.len());
                if held.is_empty() || random.u32(0..1000) < if step < 100_000 { 600 } else { 400 } {
                    let block = Class(at).take().expect("memory");
                    let mark = seed << 32 | held.len() as u64;
                    // SAFETY: the block is ours, aligned and larger than a word.
                    unsafe { block.cast::<u64>().write(mark) };
                    held.push((at, block));
                } else {
                    let (at, block) = held.pop().expect("checked above");
                    // SAFETY: the block is ours and was written above; then it is given back, once.
                    unsafe {
                        assert_eq!(block.cast::<u64>().read(), seed << 32 | held.len() as u64);
                        Class(at).give_back(block);
                    }
                }
                if step % 50_000 == 0 {
                    settle();
                }
            }
            for (at, block) in held {
                // SAFETY: as above.
                unsafe { Class(at).give_back(block) };
            }
            settle();
        };
        std::thread::scope(|scope| {
            for seed in 1..=3 {
                scope.spawn(move || work(seed));
            }
        });
    }

    #[test]
    fn blocks_are_distinct_and_aligned() {
        for (class, (_, bytes)) in CLASSES.into_iter().enumerate() {
            let blocks: Vec<NonNull<u8>> = (0..5_000).filter_map(|_| Class(class).take()).collect();
            let starts: HashSet<usize> = blocks.iter().map(|block| block.addr().get()).collect();
            assert_eq!(starts.len(), 5_000);
            let alignment = if bytes % 64 == 0 { 64 } else { 16 };
            for &start in &starts {
                assert_eq!(start % alignment, 0);
                assert!((1..bytes).all(|offset| !starts.contains(&(start + offset))));
            }
            for block in blocks {
                // SAFETY: taken above, and not used.
                unsafe { Class(class).give_back(block) };
            }
        }
    }
}
