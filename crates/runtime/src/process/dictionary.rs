//! The process dictionary: key-value pairs in one slice, which is a root of collections, behind one word of the control
//! block; and a hash index into it once there are many pairs. Only the owner of the process accesses it.
//!
//! A collection moves keys and values but does not change them, and the hash depends only on the key's value, so the
//! index stays valid.

use layout::{Term, no_gc};
use smallvec::SmallVec;
use term::compare;

use super::positions::Positions;
use super::thin_array::ThinArray;

/// The most pairs that are searched without an index: with one more, OTP's table grows.
const SEARCHED: usize = FIRST_SLOTS - 1;
/// Terms that the first block has room for: `proc_lib` stores two pairs.
const FIRST_TERMS: usize = 4;

/// Where pairs are found once there are many.
struct Index {
    /// Positions of pairs by the hashes of their keys.
    positions: Positions,
    /// The number of slots that OTP's table would have now.
    slots: usize,
}

impl Default for Index {
    fn default() -> Index {
        Index {
            positions: Positions::default(),
            slots: FIRST_SLOTS,
        }
    }
}

/// See the module's documentation. The slice is key, value, key, value...
#[derive(Default)]
pub struct Dictionary(ThinArray<Option<Box<Index>>, Term, FIRST_TERMS>);

impl Dictionary {
    #[must_use]
    pub const fn new() -> Dictionary {
        Dictionary(ThinArray::new())
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / 2
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Key, value, key, value...
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        self.0.as_slice()
    }

    /// As [`terms`](Dictionary::terms), for a collection to move.
    #[must_use]
    pub fn roots(&mut self) -> &mut [Term] {
        self.0.as_mut_slice()
    }

    /// The pairs.
    pub fn pairs(&self) -> impl Iterator<Item = [Term; 2]> {
        self.terms().as_chunks().0.iter().copied()
    }

    /// The pairs in the reverse of the order in which OTP lists them: by slots of a linear hash table that starts with
    /// [`FIRST_SLOTS`] and grows and shrinks with the pairs. OTP takes an atom's number for its hash, which differs
    /// from run to run there, too. Within a slot the order is that of OTP as long as nothing was erased.
    #[must_use]
    pub fn in_slots(&self) -> Vec<[Term; 2]> {
        let (pairs, _) = self.terms().as_chunks::<2>();
        let keys = || pairs.iter().map(|pair| slot_hash(pair[0])).enumerate();
        let mut slots = Slots::new(FIRST_SLOTS);
        keys().for_each(|(at, hash)| slots.put_and_grow(hash, at));
        if let Some(index) = self.index()
            && index.slots != slots.chains.len()
        {
            slots = Slots::new(index.slots);
            keys().for_each(|(at, hash)| slots.put(hash, at));
        }
        let in_slots = slots.chains.iter().flatten();
        in_slots.map(|&(_, at)| pairs[at]).collect()
    }

    /// Bytes of memory that it uses outside the control block.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let index = self
            .index()
            .map_or(0, |index| size_of::<Index>() + index.positions.bytes());
        self.0.bytes() + index
    }

    /// About how many bytes are allocated at once when a pair is added; 0 nearly always.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        let index = self.index();
        let index = index.map_or(0, |index| index.positions.growth_bytes(1));
        self.0.growth_bytes(2) + index
    }

    fn index(&self) -> Option<&Index> {
        self.0.header().and_then(Option::as_deref)
    }

    /// The position of a key's pair.
    fn find(&self, key: Term) -> Option<usize> {
        let (pairs, _) = self.terms().as_chunks::<2>();
        match self.index() {
            None => pairs.iter().position(|pair| is_same(pair[0], key)),
            Some(index) => {
                let is_wanted = |&at: &u32| is_same(pairs[at as usize][0], key);
                index.positions.find(hash(key), is_wanted)
            }
        }
    }

    #[must_use]
    pub fn get(&self, key: Term) -> Option<Term> {
        self.find(key).map(|at| self.terms()[at * 2 + 1])
    }

    /// Stores another value for a key that is there; returns the previous one.
    pub fn replace(&mut self, key: Term, value: Term) -> Option<Term> {
        let at = self.find(key)?;
        Some(std::mem::replace(&mut self.roots()[at * 2 + 1], value))
    }

    /// Adds a key that is not there.
    pub fn add(&mut self, key: Term, value: Term) {
        debug_assert!(self.find(key).is_none(), "a key is there twice");
        let at = self.len();
        self.0.extend([key, value]);
        // An index stays when there are few pairs again, and knows those that are there.
        if self.index().is_some() {
            self.index_from(at);
        } else if at >= SEARCHED {
            self.index_from(0);
        }
    }

    /// Adds the pairs from this position on to the index.
    fn index_from(&mut self, from: usize) {
        let (terms, index) = self.0.parts(|index| &mut **index.get_or_insert_default());
        let (pairs, _) = terms.as_chunks::<2>();
        for at in from..pairs.len() {
            let hash_of = |&at: &u32| hash(pairs[at as usize][0]);
            index.positions.insert(hash(pairs[at][0]), at, hash_of);
            if index.slots <= at + 1 {
                index.slots += slots_more(index.slots);
            }
        }
        debug_assert_eq!(index.positions.len(), pairs.len());
    }

    /// Removes a pair and returns its value; the last pair takes its place.
    pub fn erase(&mut self, key: Term) -> Option<Term> {
        let at = self.find(key)?;
        let last = self.len() - 1;
        if self.index().is_some() {
            self.unindex(at, last);
        }
        let terms = self.0.as_mut_slice();
        let value = terms[at * 2 + 1];
        terms.copy_within(last * 2.., at * 2);
        self.0.truncate(last * 2);
        Some(value)
    }

    /// Removes a pair from the index, and lets the last one be found at its place.
    fn unindex(&mut self, at: usize, last: usize) {
        let (terms, index) = self.0.parts(|index| &mut **index.get_or_insert_default());
        let hash_of = |at: usize| hash(terms[at * 2]);
        let positions = &mut index.positions;
        let was_there = positions.remove(hash_of(at), at);
        debug_assert!(was_there, "a pair was not in the index");
        if at != last {
            positions.moved(hash_of(last), last, at);
        }
        // `last` is the number of pairs that are left.
        if index.slots / 2 > last {
            index.slots -= slots_less(index.slots);
        }
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        *self = Dictionary::default();
    }

    /// Gives back memory that is kept for pairs to come, if there is none.
    pub fn trim(&mut self) {
        if self.is_empty() {
            self.clear();
        }
    }
}

/// The slots of OTP's table before it grows.
const FIRST_SLOTS: usize = 8;

/// By how many slots OTP's table grows at a time.
fn slots_more(slots: usize) -> usize {
    (slots / 4 & 15).max(1)
}

/// By how many slots it shrinks.
fn slots_less(slots: usize) -> usize {
    (slots * 3 / 10).min(slots - FIRST_SLOTS)
}

/// What is in the slots of OTP's table: hashes of keys, and the positions of their pairs.
struct Slots {
    chains: Vec<SmallVec<[(u32, usize); 2]>>,
    /// So many of the first half of the slots are split into two already.
    split: usize,
}

impl Slots {
    fn new(slots: usize) -> Slots {
        Slots {
            chains: vec![SmallVec::new(); slots],
            split: slots - (1 << slots.ilog2()),
        }
    }

    fn slot_of(&self, hash: u32) -> usize {
        let unsplit = self.chains.len() - self.split;
        match hash as usize & (2 * unsplit - 1) {
            slot if slot < self.chains.len() => slot,
            slot => slot & (unsplit - 1),
        }
    }

    fn put(&mut self, hash: u32, at: usize) {
        let slot = self.slot_of(hash);
        self.chains[slot].insert(0, (hash, at));
    }

    /// Adds a pair to the `at` others before it.
    fn put_and_grow(&mut self, hash: u32, at: usize) {
        self.put(hash, at);
        if self.chains.len() <= at + 1 {
            (0..slots_more(self.chains.len())).for_each(|_| self.split_one());
        }
    }

    /// Splits a slot; the order within both is the reverse of what it was.
    fn split_one(&mut self) {
        if self.split * 2 == self.chains.len() {
            self.split = 0;
        }
        let old = self.split;
        self.split += 1;
        let chain = std::mem::take(&mut self.chains[old]);
        self.chains.push(SmallVec::new());
        for pair in chain {
            let slot = self.slot_of(pair.0);
            self.chains[slot].insert(0, pair);
        }
    }
}

/// The hash by which OTP places a key.
fn slot_hash(key: Term) -> u32 {
    match key.as_atom() {
        Some(number) => number,
        None if key.is_small() => (key.bits() >> 4) as u32,
        None => term::hash::internal(key, 0),
    }
}

/// Exact equality, with a fast path: most keys are atoms, which are equal only if their words are.
fn is_same(a: Term, b: Term) -> bool {
    a == b || (!a.is_immediate() && !b.is_immediate() && compare::eq_exact(a, b))
}

/// The hash by which the index finds a key: that of its words, if they tell the whole key, as those of a tuple of small
/// integers, atoms and pids do.
fn hash(key: Term) -> u64 {
    if key.is_immediate() {
        return term::hash::word(key.bits());
    }
    match key.as_tuple(no_gc!()) {
        Some(parts) if parts.iter().all(|part| part.is_immediate()) => {
            let size = parts.len() as u64;
            let with = |hash: u64, part: &Term| term::hash::word(hash ^ part.bits());
            parts.iter().fold(term::hash::word(size), with)
        }
        _ => term::hash::word(u64::from(term::hash::phash2(key))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use term::build;
    use term::heap::Scratch;

    #[test]
    fn keys_keep_their_values_through_puts_and_erasures() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let mut keys = Vec::new();
        for number in 0..200 {
            keys.push(Term::small(number));
            keys.push(build::tuple(heap, &[Term::small(number), Term::NIL]));
        }
        let mut dictionary = Dictionary::default();
        let mut model: HashMap<usize, Term> = HashMap::new();
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        for step in 0..if cfg!(miri) { 3000 } else { 100_000 } {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // The number of keys in use grows and shrinks, so that both search and index are used.
            let span = [6, 2 * SEARCHED + 4, keys.len()][(step / 500) % 3];
            let at = seed as usize % span;
            let value = Term::small((seed >> 20 & 0xffff) as i64);
            // Some of the time more is erased than put, so that the number of pairs goes back and forth over
            // `SEARCHED`.
            let most_put = if step % 500 < 250 { 2 } else { 1 };
            match seed >> 60 & 3 {
                choice if choice < most_put => {
                    let before = dictionary.replace(keys[at], value);
                    if before.is_none() {
                        dictionary.add(keys[at], value);
                    }
                    assert_eq!(before, model.insert(at, value));
                }
                1 | 2 => assert_eq!(dictionary.erase(keys[at]), model.remove(&at)),
                _ => assert_eq!(dictionary.get(keys[at]), model.get(&at).copied()),
            }
            assert_eq!(dictionary.len(), model.len());
        }
    }
}
