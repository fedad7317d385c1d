//! Where a key is among the sorted keys of a flat map.
//!
//! Most look-ups are for a word that is among the keys as it is: an immediate, or the very object that was put there.
//! So words are compared first, many at a time, and objects are looked into only if that finds nothing.
//!
//! Any thread may call that may read the keys.

use std::cmp::Ordering;

use layout::{Header, ObjectKind, Term, no_gc};

use crate::compare::{compare_exact, compare_keys, eq_exact, key_number};

/// Half the number of keys that are compared between two branches: leaving a loop in the middle is almost always
/// mispredicted, which costs more than comparing all of them.
const HALF: usize = 4;

/// Which of eight keys, given in two halves, are this word: two bits for each, of which the lower one counts.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn same_words(first: &[Term; HALF], second: &[Term; HALF], key: Term) -> u32 {
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8, _mm_packs_epi16,
        _mm_packs_epi32, _mm_set1_epi64x,
    };
    // SAFETY: SSE2, which every x86-64 processor has; two keys are read at a time, from arrays of four.
    let halves_of_words = unsafe {
        let word = _mm_set1_epi64x(key.bits() as i64);
        let same = |keys: &[Term; HALF], at: usize| {
            let pair = keys.as_ptr().add(at).cast::<__m128i>();
            _mm_cmpeq_epi32(_mm_loadu_si128(pair), word)
        };
        let first = _mm_packs_epi32(same(first, 0), same(first, 2));
        let second = _mm_packs_epi32(same(second, 0), same(second, 2));
        _mm_movemask_epi8(_mm_packs_epi16(first, second)) as u32
    };
    // The two halves of a word have a bit each.
    halves_of_words & halves_of_words >> 1 & 0x5555
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn same_words(first: &[Term; HALF], second: &[Term; HALF], key: Term) -> u32 {
    let keys = first.iter().chain(second).enumerate();
    keys.fold(0, |hits, (index, &other)| {
        hits | u32::from(other == key) << (2 * index)
    })
}

/// The index of a word among keys.
#[inline]
pub(super) fn place_of_word(keys: &[Term], key: Term) -> Option<usize> {
    let count = keys.len();
    let (Some(first), Some(last)) = (keys.first_chunk(), keys.last_chunk()) else {
        return keys.iter().position(|&other| other == key);
    };
    // What is left after whole strides is compared with some keys before it, once more.
    let mut start = 0;
    while count - start > 2 * HALF {
        let (stride, _) = keys[start..].as_chunks::<HALF>();
        let hits = same_words(&stride[0], &stride[1], key);
        if hits != 0 {
            return Some(start + hits.trailing_zeros() as usize / 2);
        }
        start += 2 * HALF;
    }
    let (first, behind) = match start {
        0 => (first, 0),
        _ => (keys[count - 2 * HALF..].first_chunk()?, count - 2 * HALF),
    };
    let hits = same_words(first, last, key);
    if hits == 0 {
        return None;
    }
    let index = hits.trailing_zeros() as usize / 2;
    Some(match index < HALF {
        true => behind + index,
        false => count + index - 2 * HALF,
    })
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

/// Among at most these keys, an object that is to be put there is first compared with each for equality, which takes
/// less time than finding out which one comes first.
const FEW_TO_COMPARE: usize = 8;

/// The elements of a key that is a tuple with this header.
#[inline(always)]
fn elements_of<'a>(key: Term, header: Header) -> Option<&'a [Term]> {
    let key = key.as_boxed().filter(|key| key.header() == header)?;
    // SAFETY: a tuple with as many elements as its header says; whoever may read the keys may read them.
    Some(unsafe { std::slice::from_raw_parts(key.word_pointer(0).cast(), header.arity()) })
}

/// The order of a key and a tuple, whose elements are given, with a short way for tuples that differ in a small
/// integer.
#[inline(always)]
fn order_of_tuple(other: Term, tuple: Term, elements: &[Term]) -> Ordering {
    let header = Header::new(ObjectKind::Tuple, elements.len());
    let Some(others) = elements_of(other, header) else {
        return compare_exact(other, tuple);
    };
    for (&a, &b) in others.iter().zip(elements) {
        if a != b {
            let order = compare_exact(a, b);
            if order.is_ne() {
                return order;
            }
        }
    }
    Ordering::Equal
}

/// The index of a tuple among sorted keys, or where it would be inserted.
fn search_tuple(keys: &[Term], tuple: Term, elements: &[Term]) -> Result<usize, usize> {
    keys.binary_search_by(|&other| order_of_tuple(other, tuple, elements))
}

/// The index of a key that is not an immediate.
fn place_of_object(keys: &[Term], key: Term) -> Option<usize> {
    if let Some(place) = place_of_word(keys, key) {
        return Some(place);
    }
    let no_gc = no_gc!();
    let Some(elements) = key.as_tuple(no_gc) else {
        return keys.iter().position(|&other| eq_exact(other, key));
    };
    let is_long = keys.len() > FEW_FLAT_KEYS
        || keys.len() > FEW_KEYS && !elements.iter().all(|element| element.is_immediate());
    if is_long {
        return search_tuple(keys, key, elements).ok();
    }
    // Keys that are tuples usually differ in size or in an immediate. What is the same for all comparisons is read
    // once.
    let header = Header::new(ObjectKind::Tuple, elements.len());
    keys.iter().position(|&other| {
        let Some(others) = elements_of(other, header) else {
            return false;
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
    let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
        return Err(0);
    };
    if let Some(elements) = key.as_tuple(no_gc!()) {
        return search_tuple(keys, key, elements);
    }
    // Between two small integers all keys are small integers.
    if key.is_small() && Term::both_small(first, last) {
        let number = |term: Term| term.bits() as i64;
        if number(last) < number(key) {
            return Err(keys.len());
        }
        return keys.binary_search_by(|&other| number(other).cmp(&number(key)));
    }
    if let Some(place) = place_of_word(keys, key) {
        return Ok(place);
    }
    // Between two atoms all keys are atoms.
    if key.is_atom()
        && first.is_atom()
        && last.is_atom()
        && let Some(number) = key_number(key)
    {
        return Err(keys.partition_point(|&other| key_number(other) < Some(number)));
    }
    if !key.is_immediate()
        && keys.len() <= FEW_TO_COMPARE
        && let Some(place) = keys.iter().position(|&other| eq_exact(other, key))
    {
        return Ok(place);
    }
    keys.binary_search_by(|&other| compare_keys(other, key))
}
