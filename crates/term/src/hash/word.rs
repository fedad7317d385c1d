//! Hashes of single words, for tables and caches in memory. Programs never see them.

/// A hash of a word, for tables in memory: a folded multiplication, in which each half of the product mixes what the
/// other does not.
#[inline]
#[must_use]
pub fn word(word: u64) -> u64 {
    let product = u128::from(word) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
}

/// A place for a word among `1 << bits` places of a cache, where another word may take it over. Fibonacci hashing: the
/// high bits of the product are mixed best.
#[inline]
#[must_use]
pub fn place(word: u64, bits: u32) -> usize {
    (word.wrapping_mul(ODD) >> (u64::BITS - bits)) as usize
}

/// 2^64 divided by the golden ratio.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
