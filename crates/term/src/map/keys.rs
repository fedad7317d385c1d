//! Where a key is among the sorted keys of a flat map.
//!
//! Any thread may call that may read the keys.

use std::cmp::Ordering;

use layout::Term;

use crate::compare::{compare_exact, eq_exact};

/// Number of keys that are compared between two branches: leaving the loop in the middle is almost always mispredicted,
/// which costs more than comparing all of them.
const STRIDE: usize = 8;

/// The index of a word among keys.
#[inline]
pub(super) fn place_of_word(keys: &[Term], key: Term) -> Option<usize> {
    let (strides, rest) = keys.as_chunks::<STRIDE>();
    for (number, stride) in strides.iter().enumerate() {
        let hits = stride
            .iter()
            .enumerate()
            .fold(0u32, |hits, (index, &other)| {
                hits | u32::from(other == key) << index
            });
        if hits != 0 {
            return Some(number * STRIDE + hits.trailing_zeros() as usize);
        }
    }
    let place = rest.iter().position(|&other| other == key)?;
    Some(keys.len() - rest.len() + place)
}

#[inline]
pub(super) fn position(keys: &[Term], key: Term) -> Option<usize> {
    if key.is_immediate() {
        place_of_word(keys, key)
    } else {
        place_of_object(keys, key)
    }
}

/// A tuple among more keys than these is searched for in the order of the keys, not one after the other: a tuple of
/// immediates, and (next constant) one that has objects in it, whose comparisons take longer.
const FEW_FLAT_KEYS: usize = 16;
const FEW_KEYS: usize = 8;

/// [`compare_exact`] with a short way for tuples that differ in size, or in a small integer or an atom.
#[inline]
fn order_of_keys(a: Term, b: Term) -> Ordering {
    let (Some(tuple_a), Some(tuple_b)) = (a.as_tuple(), b.as_tuple()) else {
        return compare_exact(a, b);
    };
    if tuple_a.len() != tuple_b.len() {
        return tuple_a.len().cmp(&tuple_b.len());
    }
    for (&a, &b) in tuple_a.iter().zip(tuple_b) {
        if a != b {
            let order = compare_exact(a, b);
            if order.is_ne() {
                return order;
            }
        }
    }
    Ordering::Equal
}

/// The index of a key that is not an immediate.
fn place_of_object(keys: &[Term], key: Term) -> Option<usize> {
    let Some(elements) = key.as_tuple() else {
        return keys.iter().position(|&other| eq_exact(other, key));
    };
    let is_long = keys.len() > FEW_FLAT_KEYS
        || keys.len() > FEW_KEYS && !elements.iter().all(|element| element.is_immediate());
    if is_long {
        return keys
            .binary_search_by(|&other| order_of_keys(other, key))
            .ok();
    }
    // Keys that are tuples usually differ in size or in an immediate. What is the same for all comparisons is read
    // once.
    let header = key.header();
    keys.iter().position(|&other| {
        if other == key {
            return true;
        }
        if !other.is_boxed() || other.header() != header {
            return false;
        }
        // SAFETY: a tuple with the same number of elements, as its header says.
        let others = unsafe {
            std::slice::from_raw_parts(other.word_pointer(0).cast::<Term>(), elements.len())
        };
        let mut same = true;
        for (&a, &b) in elements.iter().zip(others) {
            if a != b {
                if a.is_immediate() || b.is_immediate() {
                    return false;
                }
                same = false;
            }
        }
        same || eq_exact(other, key)
    })
}

/// The index of a key among sorted keys, or where it would be inserted.
pub(super) fn search(keys: &[Term], key: Term) -> Result<usize, usize> {
    if key.is_immediate()
        && let Some(place) = place_of_word(keys, key)
    {
        return Ok(place);
    }
    keys.binary_search_by(|&other| order_of_keys(other, key))
}
