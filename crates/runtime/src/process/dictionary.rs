//! The process dictionary: key-value pairs in one slice, which is a root of collections, and a hash index into it
//! once there are many pairs. Only the owner of the process accesses it.
//!
//! A collection moves keys and values but does not change them, and the hash depends only on the key's value, so the
//! index stays valid.

use layout::Term;
use term::compare;

/// The most pairs that are searched without an index.
const SEARCHED: usize = 8;
const NONE: u32 = u32::MAX;

/// See the module's documentation.
#[derive(Default)]
pub struct Dictionary {
    /// Key, value, key, value...: one slice, so that it is one root.
    pub pairs: Vec<Term>,
    /// The first pair of each bucket. The number of buckets is a power of two, or 0 while there are few pairs.
    buckets: Vec<u32>,
    /// For each pair, the hash of its key and the next pair of its bucket.
    chain: Vec<(u32, u32)>,
}

impl Dictionary {
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len() / 2
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Words of memory that it uses outside the control block.
    #[must_use]
    pub fn words(&self) -> usize {
        self.pairs.capacity() + self.buckets.capacity() / 2 + self.chain.capacity()
    }

    /// The index of a key's pair.
    fn find(&self, key: Term) -> Option<usize> {
        if self.buckets.is_empty() {
            return self
                .pairs
                .chunks_exact(2)
                .position(|pair| is_same(pair[0], key));
        }
        let hash = hash(key);
        let mut at = self.buckets[self.bucket(hash)];
        while at != NONE {
            let (its_hash, next) = self.chain[at as usize];
            if its_hash == hash && is_same(self.pairs[at as usize * 2], key) {
                return Some(at as usize);
            }
            at = next;
        }
        None
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    #[must_use]
    pub fn get(&self, key: Term) -> Option<Term> {
        self.find(key).map(|at| self.pairs[at * 2 + 1])
    }

    /// Stores a value; returns the previous one.
    pub fn put(&mut self, key: Term, value: Term) -> Option<Term> {
        if let Some(at) = self.find(key) {
            return Some(std::mem::replace(&mut self.pairs[at * 2 + 1], value));
        }
        self.pairs.extend([key, value]);
        if self.buckets.is_empty() && self.len() <= SEARCHED {
            return None;
        }
        if self.len() > self.buckets.len() {
            self.index_all();
        } else {
            let hash = hash(key);
            self.chain.push((hash, NONE));
            self.link(self.len() - 1, hash);
        }
        None
    }

    /// Removes a pair and returns its value; the last pair takes its place.
    pub fn erase(&mut self, key: Term) -> Option<Term> {
        let at = self.find(key)?;
        let last = self.len() - 1;
        let value = self.pairs[at * 2 + 1];
        if !self.buckets.is_empty() {
            self.unlink(at);
            if at != last {
                self.unlink(last);
            }
            self.chain.swap_remove(at);
        }
        self.pairs.swap(at * 2, last * 2);
        self.pairs.swap(at * 2 + 1, last * 2 + 1);
        self.pairs.truncate(last * 2);
        if !self.buckets.is_empty() && at != last {
            self.link(at, self.chain[at].0);
        }
        Some(value)
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        *self = Dictionary::default();
    }

    fn index_all(&mut self) {
        let size = (self.len() * 2).next_power_of_two();
        self.buckets = vec![NONE; size];
        self.chain = self
            .pairs
            .chunks_exact(2)
            .map(|pair| (hash(pair[0]), NONE))
            .collect();
        for at in 0..self.len() {
            self.link(at, self.chain[at].0);
        }
    }

    fn link(&mut self, at: usize, hash: u32) {
        let bucket = self.bucket(hash);
        self.chain[at].1 = std::mem::replace(&mut self.buckets[bucket], at as u32);
    }

    fn unlink(&mut self, at: usize) {
        let (hash, next) = self.chain[at];
        let bucket = self.bucket(hash);
        if self.buckets[bucket] == at as u32 {
            self.buckets[bucket] = next;
            return;
        }
        let mut before = self.buckets[bucket] as usize;
        while self.chain[before].1 != at as u32 {
            before = self.chain[before].1 as usize;
        }
        self.chain[before].1 = next;
    }
}

/// Exact equality, with a fast path: most keys are atoms, which are equal only if their words are.
fn is_same(a: Term, b: Term) -> bool {
    a == b || (!a.is_immediate() && !b.is_immediate() && compare::eq_exact(a, b))
}

fn hash(key: Term) -> u32 {
    if key.is_immediate() {
        // Fibonacci hashing: the high half mixes all bits.
        return (key.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
    }
    term::hash::phash2(key)
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
        for _ in 0..100_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // The number of keys in use grows and shrinks, so that both search and index are used.
            let span = if seed >> 40 & 1 == 0 { 6 } else { keys.len() };
            let at = seed as usize % span;
            let value = Term::small((seed >> 20 & 0xffff) as i64);
            match seed >> 60 & 3 {
                0 | 1 => assert_eq!(dictionary.put(keys[at], value), model.insert(at, value)),
                2 => assert_eq!(dictionary.erase(keys[at]), model.remove(&at)),
                _ => assert_eq!(dictionary.get(keys[at]), model.get(&at).copied()),
            }
            assert_eq!(dictionary.len(), model.len());
        }
    }
}
