//! An index into an array: positions by the hashes of what is there. It grows by *linear hashing*: small tables, of
//! which one is divided at a time, so that no insertion takes long, however many positions there are. A process may
//! have millions of monitors, and nothing else runs on its scheduler while a table grows.
//!
//! Part `n` of `2^b + s` parts was made when part `s = n - 2^b` was divided. Which part a position is in is told by `b`
//! bits of its hash, or by one more if that part has been divided. They are bits that the tables themselves use little:
//! those take the lowest and the highest.

use std::alloc::Layout;
use std::ptr::NonNull;

use allocator_api2::alloc::{AllocError, Allocator, Global};
use hashbrown::HashTable;
use term::held::{self, HeldKind};

/// The most positions in a part on average. One that is the next to be divided has about twice as many.
const MOST_IN_PART: usize = 6656;
/// What the table of a part has room for, from the beginning: what grows, grows in all parts at the same time.
const PART_ROOM: usize = (16 << 10) / 8 * 7;
const _: () = assert!(2 * MOST_IN_PART + 1000 < PART_ROOM);
/// With so many or fewer on average the last part is put back.
const FEW_IN_PART: usize = MOST_IN_PART / 4;
/// A part that is alone and takes as much for each position gives memory back: an eighth of its table is used.
const SPARSE_BYTES: usize = 48;
/// More than is allocated at once when a part is divided.
const PART_BYTES: usize = 1 << 19;

#[derive(Default)]
pub(super) struct Positions {
    first: Part,
    others: Vec<Part>,
    length: usize,
}

type Part = HashTable<u32, Held>;

/// The program's allocator; the bytes are held for a process.
#[derive(Clone, Copy, Default)]
struct Held;

// SAFETY: the blocks are those of `Global`, whatever copy of this gives them back.
unsafe impl Allocator for Held {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        held::took(HeldKind::Heap, layout.size());
        Global.allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        held::gave(HeldKind::Heap, layout.size());
        // SAFETY: the caller's promise.
        unsafe { Global.deallocate(block, layout) }
    }
}

impl Positions {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Bytes that the parts take.
    pub(super) fn bytes(&self) -> usize {
        let others = self.others.iter().map(Part::allocation_size);
        let table = self.others.capacity() * size_of::<Part>();
        self.first.allocation_size() + others.sum::<usize>() + table
    }

    /// About how many bytes are allocated at once when so many are added: 0 nearly always.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        if self.length + more > 2 * MOST_IN_PART {
            return PART_BYTES;
        }
        match self.length + more <= self.first.capacity() {
            true => 0,
            false => self.first.allocation_size() * 2,
        }
    }

    /// The position with this hash that is wanted.
    #[inline]
    pub(super) fn find(&self, hash: u64, is_wanted: impl FnMut(&u32) -> bool) -> Option<usize> {
        let found = self.part(hash).find(hash, is_wanted);
        found.map(|&at| at as usize)
    }

    /// Makes room for some more; `hash_of` tells the hash of any position.
    pub(super) fn reserve(&mut self, more: usize, hash_of: impl Fn(&u32) -> u64) {
        if self.others.is_empty() {
            let room = PART_ROOM.saturating_sub(self.length);
            self.first.reserve(more.min(room), hash_of);
        }
    }

    /// Adds a position with its hash; `hash_of` tells those of the others.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64, at: usize, hash_of: impl Fn(&u32) -> u64) {
        self.part_mut(hash).insert_unique(hash, at as u32, &hash_of);
        self.length += 1;
        if self.length > MOST_IN_PART * (self.parts() + 1) {
            self.divide(&hash_of);
        }
    }

    /// Removes a position; returns whether it was there.
    pub(super) fn remove(&mut self, hash: u64, at: usize) -> bool {
        let is_it = |&other: &u32| other as usize == at;
        let Ok(found) = self.part_mut(hash).find_entry(hash, is_it) else {
            return false;
        };
        found.remove();
        self.length -= 1;
        true
    }

    /// What was at the one position is at another one.
    pub(super) fn moved(&mut self, hash: u64, from: usize, to: usize) {
        let is_it = |&other: &u32| other as usize == from;
        if let Some(found) = self.part_mut(hash).find_mut(hash, is_it) {
            *found = to as u32;
        }
    }

    /// Gives memory back if little of it is used.
    pub(super) fn shrink(&mut self, hash_of: impl Fn(&u32) -> u64) {
        if self.length <= FEW_IN_PART * self.parts()
            && let Some(last) = self.others.pop()
        {
            if self.others.len() < self.others.capacity() / 4 {
                self.others.shrink_to(self.others.len() * 2);
            }
            let from = self.divided_part(self.parts());
            let part = self.at_mut(from);
            part.reserve(last.len(), &hash_of);
            for at in last {
                part.insert_unique(hash_of(&at), at, &hash_of);
            }
        } else if self.others.is_empty()
            && self.length * SPARSE_BYTES < self.first.allocation_size()
        {
            // What the table says of its capacity depends on what was removed from it.
            self.first.shrink_to(self.length * 2, hash_of);
        }
    }

    fn parts(&self) -> usize {
        self.others.len() + 1
    }

    /// Which part was divided when the part of this number was made.
    fn divided_part(&self, number: usize) -> usize {
        number - (1 << number.ilog2())
    }

    /// Divides the next part.
    #[cold]
    fn divide(&mut self, hash_of: &impl Fn(&u32) -> u64) {
        let number = self.parts();
        let from = self.divided_part(number);
        // All hashes first: then the processor waits for many of the array's elements at the same time.
        let divided = self.at_mut(from);
        let all: Vec<(u64, u32)> = divided.iter().map(|at| (hash_of(at), *at)).collect();
        divided.clear();
        divided.reserve(PART_ROOM, hash_of);
        self.others.push(Part::with_capacity_in(PART_ROOM, Held));
        for (hash, at) in all {
            self.part_mut(hash).insert_unique(hash, at, hash_of);
        }
    }

    /// The number of the part that positions of this hash are in.
    #[inline]
    fn number(&self, hash: u64) -> usize {
        if self.others.is_empty() {
            return 0;
        }
        let bits = (hash >> 32) as usize & 0xFF_FFFF;
        let parts = self.parts();
        let level = parts.ilog2();
        let number = bits & ((2 << level) - 1);
        match number < parts {
            true => number,
            false => bits & ((1 << level) - 1),
        }
    }

    #[inline]
    fn part(&self, hash: u64) -> &Part {
        match self.number(hash) {
            0 => &self.first,
            number => &self.others[number - 1],
        }
    }

    #[inline]
    fn part_mut(&mut self, hash: u64) -> &mut Part {
        self.at_mut(self.number(hash))
    }

    #[inline]
    fn at_mut(&mut self, number: usize) -> &mut Part {
        match number {
            0 => &mut self.first,
            number => &mut self.others[number - 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(&at: &u32) -> u64 {
        term::hash::word(at.into())
    }

    /// The positions from 0 on, so many; each is looked for.
    #[track_caller]
    fn check(positions: &Positions, count: usize) {
        assert_eq!(positions.len(), count);
        for at in 0..count {
            let number = at as u32;
            let found = positions.find(hash(&number), |&other| other == number);
            assert_eq!(found, Some(at));
        }
        let none = count as u32;
        assert_eq!(positions.find(hash(&none), |&other| other == none), None);
    }

    #[test]
    fn parts_are_divided_and_put_back() {
        let most = if cfg!(miri) { 300 } else { 100 * MOST_IN_PART };
        let mut positions = Positions::default();
        for at in 0..most {
            let announced = positions.growth_bytes(1);
            let before = positions.bytes();
            positions.insert(hash(&(at as u32)), at, hash);
            assert!(positions.bytes() <= before + announced.max(64), "{at}");
            if at.is_power_of_two() {
                check(&positions, at + 1);
            }
        }
        check(&positions, most);
        let largest = positions.others.iter().map(HashTable::len).max();
        assert!(largest.is_none_or(|largest| largest < PART_ROOM));
        let room = positions.others.iter().map(HashTable::capacity).max();
        assert!(room.is_none_or(|room| room == PART_ROOM), "{room:?}");
        for at in (10..most).rev() {
            assert!(positions.remove(hash(&(at as u32)), at));
            positions.shrink(hash);
            if at.is_power_of_two() {
                check(&positions, at);
            }
        }
        let left = (
            positions.parts(),
            positions.first.allocation_size(),
            positions.bytes(),
        );
        assert!(left.0 == 1 && left.2 < 1 << 12, "{left:?}");
        check(&positions, 10);
    }
}
