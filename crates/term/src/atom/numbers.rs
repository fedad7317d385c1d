//! From the text of an atom to its number: a hash table that is read without a lock.
//!
//! Decoding a term, loading a module and many BIFs look atoms up, on all schedulers at once, so a reader writes
//! nothing. Atoms live for ever, which makes that simple: a slot is written once, and a table that has become too
//! small stays where it is for those who still read it, while a copy of twice the size takes its place. All tables
//! together are at most twice the newest one.
//!
//! A slot:
//!
//! ```text
//! | upper half of the hash | number + 1 |      all zero: empty
//!   63                  32  31         0
//! ```
//!
//! Any thread may read; only whoever holds the lock for writing (`super::WRITING`) adds.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Slots of the first table. The modules that every node loads need some 10,000 atoms.
const FIRST_SLOTS: usize = if cfg!(miri) { 1 << 12 } else { 1 << 15 };

struct Table {
    /// Secret, so that nobody can choose texts that collide.
    seed: u64,
    slots: Box<[AtomicU64]>,
}

/// The newest table; null before the first atom.
static NEWEST: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

impl Table {
    fn new(seed: u64, slots: usize) -> &'static Table {
        let slots = (0..slots).map(|_| AtomicU64::new(0)).collect();
        Box::leak(Box::new(Table { seed, slots }))
    }

    /// The newest table, if there is one.
    #[inline]
    fn newest() -> Option<&'static Table> {
        // SAFETY: a table is published whole, by a release store, and lives for ever.
        unsafe { NEWEST.load(Ordering::Acquire).as_ref() }
    }

    fn publish(&'static self) {
        NEWEST.store(std::ptr::from_ref(self).cast_mut(), Ordering::Release);
    }

    #[inline]
    fn find(&self, text: &str, text_of: impl Fn(u32) -> &'static str) -> Option<u32> {
        let hash = hash(self.seed, text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            // Acquire: what the slot leads to was written before.
            let slot = self.slots[place].load(Ordering::Acquire);
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 {
                let number = slot as u32 - 1;
                if text_of(number) == text {
                    return Some(number);
                }
            }
            place = (place + 1) & mask;
        }
    }

    fn insert(&self, text: &str, number: u32) {
        let hash = hash(self.seed, text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].load(Ordering::Relaxed) != 0 {
            place = (place + 1) & mask;
        }
        let slot = hash >> 32 << 32 | u64::from(number + 1);
        self.slots[place].store(slot, Ordering::Release);
    }
}

/// The number of a text, if it has one. `text_of` gives the text of a number.
#[inline]
pub(super) fn find(text: &str, text_of: impl Fn(u32) -> &'static str) -> Option<u32> {
    Table::newest()?.find(text, text_of)
}

/// Gives a text, which has no number yet, the next number; `text_of` gives the text of each number up to this one. The
/// caller holds the lock for writing.
pub(super) fn add(text: &str, number: u32, text_of: impl Fn(u32) -> &'static str) {
    let table = match Table::newest() {
        Some(table) if (number as usize) < table.slots.len() / 2 => table,
        Some(full) => {
            let larger = Table::new(full.seed, full.slots.len() * 2);
            for earlier in 0..number {
                larger.insert(text_of(earlier), earlier);
            }
            larger.publish();
            larger
        }
        None => {
            let table = Table::new(RandomState::new().hash_one(0), FIRST_SLOTS);
            table.publish();
            table
        }
    };
    table.insert(text, number);
}

/// Bytes that the tables occupy.
pub(super) fn memory() -> usize {
    Table::newest().map_or(0, |table| table.slots.len() * 2 - FIRST_SLOTS) * size_of::<AtomicU64>()
}

/// Mixes 16 bytes at a time by a product of 128 bits, whose halves are folded.
#[inline]
fn hash(seed: u64, text: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mut state = seed ^ text.len() as u64;
    let mut rest = text;
    while let Some((pair, more)) = rest.split_first_chunk::<16>()
        && !more.is_empty()
    {
        let (a, b) = pair.split_at(8);
        state = fold(word(a) ^ state, word(b) ^ ODD);
        rest = more;
    }
    let (a, b) = rest.split_at(rest.len().min(8));
    fold(fold(word(a) ^ state, word(b) ^ ODD), state ^ ODD)
}

/// Up to eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    if let Some(whole) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*whole);
    }
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << 32;
    }
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return 0;
    };
    let middle = bytes[bytes.len() / 2];
    u64::from(*first) | u64::from(middle) << 8 | u64::from(*last) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_and_the_length_change_the_hash() {
        for length in 0..40_usize {
            let text = vec![b'a'; length];
            let before = hash(7, &text);
            for place in 0..length {
                let mut other = text.clone();
                other[place] = b'b';
                assert_ne!(hash(7, &other), before, "length {length}, byte {place}");
            }
            assert_ne!(hash(7, &[&text[..], b"a"].concat()), before);
        }
    }

    #[test]
    fn texts_are_found_while_the_table_grows() {
        let texts: Vec<&'static str> = (0..1000)
            .map(|number| &*Box::leak(format!("text {number}").into_boxed_str()))
            .collect();
        let mut table = Table::new(3, 4);
        for (number, text) in texts.iter().enumerate() {
            if number >= table.slots.len() / 2 {
                let larger = Table::new(3, table.slots.len() * 2);
                (0..number).for_each(|earlier| larger.insert(texts[earlier], earlier as u32));
                table = larger;
            }
            assert_eq!(table.find(text, |n| texts[n as usize]), None);
            table.insert(text, number as u32);
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(table.find(text, |n| texts[n as usize]), Some(number as u32));
        }
    }
}
