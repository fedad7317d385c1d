//! The chunks of one size of blocks, and which of their blocks are free.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use super::Chunks;
use crate::memory::Reservation;

/// Bytes of a chunk, and its alignment: a huge page.
const CHUNK_BYTES: usize = 2 << 20;
/// Chunks that are reserved at a time, if possible.
const REGION_CHUNKS: usize = 4;
/// Bytes at the start of a chunk that hold its number; a cache line, which keeps the blocks aligned.
const HEADER_BYTES: usize = 64;
/// A chunk is given back to the system when it has been empty for this time.
const EMPTY_FOR_NS: i64 = 100_000_000;
/// The first chunk stays, and uses small pages: most nodes have few processes. So it is smaller than
/// others, and a node takes no more addresses than it needs.
const KEPT: usize = 0;
const KEPT_BYTES: usize = 256 << 10;

/// See the module's documentation.
pub(super) struct Pool {
    chunks: Vec<Chunk>,
    /// All chunks before this one have no free block.
    first_with_room: usize,
    /// The number of chunks that hold memory and no used block, besides the one that is kept.
    empty: usize,
    regions: Vec<Reservation>,
    counts: &'static Chunks,
}

// SAFETY: the addresses in it are those of memory that belongs to whoever has locked the pool, apart from blocks in
// use.
unsafe impl Send for Pool {}

/// Blocks that were taken.
pub(super) enum Taken<'a> {
    /// So many blocks one behind the other: nothing need be written down for each.
    Row(NonNull<u8>, usize),
    Single(&'a mut [NonNull<u8>]),
}

struct Chunk {
    base: NonNull<u8>,
    /// The index of the region that it is part of.
    region: usize,
    /// One bit per block, set if it is free.
    free: Box<[u64]>,
    free_count: usize,
    capacity: usize,
    /// Whether it may hold memory; then its number is written at its start.
    is_resident: bool,
    /// When its last block was given back.
    empty_since_ns: i64,
}

impl Pool {
    pub(super) const fn new(counts: &'static Chunks) -> Pool {
        Pool {
            chunks: Vec::new(),
            first_with_room: 0,
            empty: 0,
            regions: Vec::new(),
            counts,
        }
    }

    /// Takes blocks, all from one chunk, in the order of their addresses: at most as many as there are places for them.
    /// `None` if the system has no more memory.
    pub(super) fn take<'a>(
        &mut self,
        bytes: usize,
        places: &'a mut [MaybeUninit<NonNull<u8>>],
    ) -> Option<Taken<'a>> {
        let number = self.with_room(bytes)?;
        let counts = self.counts;
        let chunk = &mut self.chunks[number];
        if chunk.is_empty() {
            counts.used.add(1);
            counts.used_bytes.add(chunk_bytes(number) as i64);
            if chunk.is_resident {
                counts.empty.add(-1);
                counts.reused.fetch_add(1, Ordering::Relaxed);
            } else {
                counts.filled.fetch_add(1, Ordering::Relaxed);
            }
        }
        if !chunk.is_resident {
            chunk.is_resident = true;
            // SAFETY: the chunk's memory is committed, and no block of it is in use.
            unsafe { chunk.base.cast::<usize>().write(number) };
        } else if chunk.is_empty() && number != KEPT {
            self.empty -= 1;
        }
        Some(match chunk.take_row(bytes, places.len()) {
            Some((start, count)) => Taken::Row(start, count),
            None => Taken::Single(chunk.take(bytes, places)),
        })
    }

    /// The first chunk with a free block.
    fn with_room(&mut self, bytes: usize) -> Option<usize> {
        let later = &self.chunks[self.first_with_room..];
        let full = later.iter().take_while(|chunk| chunk.free_count == 0);
        self.first_with_room += full.count();
        if self.first_with_room == self.chunks.len() {
            self.add_region(bytes)?;
        }
        Some(self.first_with_room)
    }

    fn add_region(&mut self, bytes: usize) -> Option<()> {
        let region = if self.chunks.is_empty() {
            reserve(KEPT_BYTES)?
        } else {
            // Where addresses are scarce, there may be room for a single chunk.
            let region = reserve(REGION_CHUNKS * CHUNK_BYTES).or_else(|| reserve(CHUNK_BYTES))?;
            // Without huge pages this is slower, but works.
            let _ = region.advise_huge(0..region.bytes());
            region
        };
        for start in (0..region.bytes()).step_by(CHUNK_BYTES) {
            // SAFETY: within the region.
            let base = unsafe { region.base().add(start) };
            let capacity = (region.bytes().min(CHUNK_BYTES) - HEADER_BYTES) / bytes;
            self.chunks
                .push(Chunk::new(base, self.regions.len(), capacity));
        }
        self.regions.push(region);
        Some(())
    }

    /// Gives blocks back.
    ///
    /// # Safety
    /// They were taken from this pool with the same size, and nobody refers to them any more.
    pub(super) unsafe fn give_back(
        &mut self,
        bytes: usize,
        blocks: impl Iterator<Item = NonNull<u8>>,
    ) {
        for block in blocks {
            let base = block
                .as_ptr()
                .map_addr(|address| address & !(CHUNK_BYTES - 1));
            // SAFETY: a chunk begins at a multiple of its size, with its number, since a block of it is in use.
            let number = unsafe { base.cast::<usize>().read() };
            let chunk = &mut self.chunks[number];
            chunk.give_back((block.addr().get() - base.addr() - HEADER_BYTES) / bytes);
            if chunk.is_empty() {
                self.counts.used.add(-1);
                self.counts.used_bytes.add(-(chunk_bytes(number) as i64));
                self.counts.empty.add(1);
                self.counts.emptied.fetch_add(1, Ordering::Relaxed);
            }
            if chunk.is_empty() && number != KEPT {
                chunk.empty_since_ns = crate::clock::monotonic_ns();
                self.empty += 1;
            }
            self.first_with_room = self.first_with_room.min(number);
        }
    }

    /// Of each chunk that has a used block, how many blocks there are and how many are used.
    pub(super) fn used(&self) -> Vec<(usize, usize)> {
        let used = self.chunks.iter().filter(|chunk| !chunk.is_empty());
        used.map(|chunk| (chunk.capacity, chunk.capacity - chunk.free_count))
            .collect()
    }

    /// Gives a chunk back to the system that has been empty for a while at `now_ns`; returns whether there was one.
    /// Only one, because the pool is locked meanwhile.
    pub(super) fn release_empty(&mut self, now_ns: i64) -> bool {
        if self.empty == 0 {
            return false;
        }
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let is_due = chunk.empty_since_ns < now_ns.saturating_sub(EMPTY_FOR_NS);
            if number == KEPT || !chunk.is_resident || !chunk.is_empty() || !is_due {
                continue;
            }
            // SAFETY: no block of the chunk is in use.
            if unsafe { release(&self.regions[chunk.region], chunk.base) } {
                chunk.is_resident = false;
                self.counts.empty.add(-1);
                self.counts.released.fetch_add(1, Ordering::Relaxed);
                self.empty -= 1;
                return true;
            }
        }
        false
    }
}

fn chunk_bytes(number: usize) -> usize {
    if number == KEPT {
        KEPT_BYTES
    } else {
        CHUNK_BYTES
    }
}

/// A region of so many bytes, committed, that begins as a chunk does; `None` if the system has no more memory.
fn reserve(bytes: usize) -> Option<Reservation> {
    let region = Reservation::new(bytes, CHUNK_BYTES).ok()?;
    region.commit(0..region.bytes()).ok()?;
    Some(region)
}

/// Gives a chunk's memory back to the system; returns whether the system took it.
///
/// # Safety
/// No block of the chunk is in use.
unsafe fn release(region: &Reservation, chunk: NonNull<u8>) -> bool {
    let start = chunk.addr().get() - region.base().addr().get();
    // SAFETY: the caller's promise.
    unsafe { region.release(start..start + CHUNK_BYTES) }.is_ok()
}

impl Chunk {
    fn new(base: NonNull<u8>, region: usize, capacity: usize) -> Chunk {
        let mut free = vec![u64::MAX; capacity.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (free.last_mut(), capacity % 64) {
            *last = (1 << rest) - 1;
        }
        Chunk {
            base,
            region,
            free: free.into(),
            free_count: capacity,
            capacity,
            is_resident: false,
            empty_since_ns: 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.free_count == self.capacity
    }

    /// Takes the first free blocks that lie one behind the other, if they are many: whole words of `free`.
    fn take_row(&mut self, bytes: usize, most: usize) -> Option<(NonNull<u8>, usize)> {
        let first = self.free.iter().position(|&bits| bits != 0)?;
        let rest = self.free[first..].iter_mut().take(most / 64);
        let mut words = 0;
        for bits in rest.take_while(|bits| **bits == u64::MAX) {
            *bits = 0;
            words += 1;
        }
        self.free_count -= words * 64;
        // SAFETY: a chunk has room for as many blocks as it has bits.
        let start = unsafe { self.base.add(HEADER_BYTES + first * 64 * bytes) };
        (words > 0).then_some((start, words * 64))
    }

    /// Takes the free blocks with the lowest addresses.
    fn take<'a>(
        &mut self,
        bytes: usize,
        places: &'a mut [MaybeUninit<NonNull<u8>>],
    ) -> &'a mut [NonNull<u8>] {
        let mut taken = 0;
        for (word, bits) in self.free.iter_mut().enumerate() {
            while taken < places.len() && *bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                // SAFETY: a chunk has room for as many blocks as it has bits.
                places[taken].write(unsafe { self.base.add(HEADER_BYTES + at * bytes) });
                taken += 1;
            }
        }
        self.free_count -= taken;
        // SAFETY: so many were written.
        unsafe { places[..taken].assume_init_mut() }
    }

    fn give_back(&mut self, at: usize) {
        let (bits, bit) = (&mut self.free[at / 64], 1 << (at % 64));
        assert!(*bits & bit == 0, "a block is given back twice");
        *bits |= bit;
        self.free_count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 512;

    fn taken(pool: &mut Pool, most: usize) -> Vec<NonNull<u8>> {
        match pool.take(BYTES, &mut vec![MaybeUninit::uninit(); most]) {
            Some(Taken::Row(start, count)) => {
                // SAFETY: within the row.
                let at = |index| unsafe { start.add(index * BYTES) };
                (0..count).map(at).collect()
            }
            Some(Taken::Single(blocks)) => blocks.to_vec(),
            None => Vec::new(),
        }
    }

    #[test]
    fn an_empty_chunk_goes_back_to_the_system_and_is_used_again() {
        let mut pool = Pool::new(&crate::memory::slab::CHUNKS[0]);
        let of_first = (KEPT_BYTES - HEADER_BYTES) / BYTES;
        let of_other = (CHUNK_BYTES - HEADER_BYTES) / BYTES;
        let mut blocks = Vec::new();
        while blocks.len() < of_first + 2 * of_other {
            let wanted = of_first + 2 * of_other - blocks.len();
            blocks.extend(taken(&mut pool, wanted));
        }
        assert_eq!((blocks.len(), pool.empty), (of_first + 2 * of_other, 0));
        let last = blocks.split_off(of_first);
        // SAFETY: taken above, and not used afterwards.
        unsafe {
            for block in &last {
                block.cast::<u64>().write(7);
            }
            let middle = last[0];
            pool.give_back(BYTES, last.into_iter());
            assert_eq!(pool.empty, 2);
            assert!(!pool.release_empty(0));
            assert_eq!(pool.empty, 2);
            assert!(pool.release_empty(i64::MAX) && pool.release_empty(i64::MAX));
            assert!(!pool.release_empty(i64::MAX));
            assert_eq!(pool.empty, 0);
            assert_eq!(middle.cast::<u64>().read(), 0);
            // The lowest free block comes first, also after a release.
            pool.give_back(BYTES, blocks.drain(of_first - 1..));
            assert_eq!(taken(&mut pool, 100).len(), 1);
            let next = pool.chunks[1].base.add(HEADER_BYTES);
            assert_eq!(taken(&mut pool, 1), [next]);
            assert!(pool.chunks[1].is_resident);
        }
    }

    #[test]
    #[should_panic(expected = "given back twice")]
    fn a_block_given_back_twice_is_noticed() {
        let mut pool = Pool::new(&crate::memory::slab::CHUNKS[0]);
        let blocks = taken(&mut pool, 1);
        // SAFETY: what is checked.
        unsafe { pool.give_back(BYTES, [blocks[0], blocks[0]].into_iter()) };
    }
}
