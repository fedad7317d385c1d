//! Maps: flat ones of up to 32 pairs, hash tries beyond.
//!
//! A flat map's keys are in a tuple, sorted by [`compare_keys`]; maps that differ only in their values share it. The
//! shape of a hash map depends only on its keys (see [`trie`]), so equal maps have equal shapes. The size decides
//! between the two: at most [`FLAT_MAP_PAIRS`] pairs are flat, more are not.
//!
//! Functions that build take a heap and never collect. Those that only read may be called by any
//! thread that may read the map. A term handed in as `map` must be a map.

use std::cmp::Ordering;
use std::mem::MaybeUninit;
use std::num::NonZero;

use layout::kinds::FlatMap;
use layout::limits::FLAT_MAP_PAIRS;
use layout::object::offset;
use layout::{Header, ObjectKind, Term};
use smallvec::SmallVec;

use crate::compare::{compare_keys, eq_exact, key_number};
use crate::copy::copy_terms;
use crate::heap::Allocate;
use crate::release::{self, Release};
use crate::{am, build};
use growth::Origin;
use keys::{place_of_word, position, search};
use trie::Existing;

mod growth;
mod iterate;
mod keys;
mod trie;
pub(crate) mod views;

pub use iterate::{Iter, NextFrom, iter, next_from};
pub use trie::{get_hashed, get_immediate, searched_by_code};
pub(crate) use views::flat;
pub use views::{children, is_flat, keys_tuple, size};

/// The key that was missing, for an update that only changes existing keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadKey(pub Term);

/// Pairs on their way into a map; those of a flat one take no memory.
pub type Pairs = SmallVec<[(Term, Term); FLAT_MAP_PAIRS]>;

/// The value of a key.
#[inline]
#[must_use]
pub fn get(map: Term, key: Term) -> Option<Term> {
    if is_flat(map) {
        let (keys, values) = flat(map);
        position(keys, key).map(|index| values[index])
    } else if key.is_immediate() {
        get_immediate(map, key)
    } else {
        get_hashed(map, key, crate::hash::map_key(key, 0))
    }
}

/// Looks up several keys of a map, one after the other. They are often adjacent, as the keys of a pattern are.
pub struct Lookups<'a> {
    map: Term,
    /// The keys (and next field, the values) of a flat map; empty for a hash map.
    keys: &'a [Term],
    values: &'a [Term],
    /// The index after the key that was found last.
    next: usize,
}

impl Lookups<'_> {
    #[inline]
    #[must_use]
    pub fn new(map: Term) -> Self {
        let (keys, values) = match is_flat(map) {
            true => flat(map),
            false => (&[][..], &[][..]),
        };
        Lookups {
            map,
            keys,
            values,
            next: 0,
        }
    }

    #[inline]
    #[must_use]
    pub fn get(&mut self, key: Term) -> Option<Term> {
        // Identical words are the same key, whatever they are.
        let place = match self.keys.get(self.next) {
            Some(next) if *next == key => self.next,
            _ if is_flat(self.map) => position(self.keys, key)?,
            _ => return get(self.map, key),
        };
        self.next = place + 1;
        Some(self.values[place])
    }
}

/// The order of these keys in a flat map: the index of each in the slice given. `None` if a key is given twice, or if
/// there are more keys than a flat map can have.
pub fn sorted_keys(keys: &[Term]) -> Option<Vec<usize>> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by(|&a, &b| compare_keys(keys[a], keys[b]));
    let twice = |pair: &[usize]| eq_exact(keys[pair[0]], keys[pair[1]]);
    (keys.len() <= FLAT_MAP_PAIRS && !places.windows(2).any(twice)).then_some(places)
}

/// A flat map over a tuple of keys; the caller writes its values.
fn flat_over<A: Allocate + ?Sized>(heap: &mut A, keys: Term, count: usize) -> (Term, *mut Term) {
    let object = heap.allocate(3 + count);
    // SAFETY: fresh words for header, size, keys and values.
    unsafe {
        object.write(Header::new(ObjectKind::Map, 2 + count).0);
        object.add(1 + offset::MAP_SIZE).write(count as u64);
        object.add(1 + offset::FLAT_MAP_KEYS).write(keys.bits());
        let values = object.add(1 + offset::FLAT_MAP_VALUES).cast::<Term>();
        (Term::from_boxed_pointer(object), values)
    }
}

/// A tuple of keys and a flat map over it; the caller writes the keys and the values.
#[inline]
fn flat_beside_keys<A: Allocate + ?Sized>(
    heap: &mut A,
    count: usize,
) -> (Term, *mut Term, *mut Term) {
    let object = heap.allocate(4 + 2 * count);
    // SAFETY: fresh words for a tuple; then for a map's header, size, keys and values.
    unsafe {
        object.write(Header::new(ObjectKind::Tuple, count).0);
        let map = object.add(1 + count);
        map.write(Header::new(ObjectKind::Map, 2 + count).0);
        map.add(1 + offset::MAP_SIZE).write(count as u64);
        map.add(1 + offset::FLAT_MAP_KEYS)
            .write(Term::from_boxed_pointer(object).bits());
        let values = map.add(1 + offset::FLAT_MAP_VALUES).cast();
        (Term::from_boxed_pointer(map), object.add(1).cast(), values)
    }
}

/// A flat map over a tuple of keys, with these values.
fn with_values<A: Allocate + ?Sized>(heap: &mut A, keys: Term, values: &[Term]) -> Term {
    let (map, room) = flat_over(heap, keys, values.len());
    // SAFETY: there is room for as many values.
    unsafe { copy_terms(room, values) };
    map
}

/// A flat map of pairs that are sorted and have no duplicate keys.
fn from_sorted<A: Allocate + ?Sized>(heap: &mut A, pairs: &[(Term, Term)]) -> Term {
    let (map, keys, values) = flat_beside_keys(heap, pairs.len());
    for (index, (key, value)) in pairs.iter().enumerate() {
        // SAFETY: there is room for as many pairs.
        unsafe {
            keys.add(index).write(*key);
            values.add(index).write(*value);
        }
    }
    map
}

/// `#{}`.
pub fn empty<A: Allocate + ?Sized>(heap: &mut A) -> Term {
    from_sorted(heap, &[])
}

/// Brings the last of these pairs, which the `count` sorted ones begin with, to its place among them; returns how many
/// there are then: as many as before if it has replaced one. The key is replaced too, because 0.0 and -0.0 are the same
/// key.
fn insert_last(pairs: &mut [(Term, Term)], count: usize) -> usize {
    let new = pairs[pairs.len() - 1];
    let is_last = |&(last, _): &(Term, Term)| compare_keys(last, new.0).is_lt();
    // Pairs often come in order.
    let place = match pairs[..count].last().is_none_or(is_last) {
        true => Err(count),
        false => pairs[..count].binary_search_by(|&(other, _)| compare_keys(other, new.0)),
    };
    match place {
        Ok(index) => {
            pairs[index] = new;
            count
        }
        Err(index) => {
            pairs.copy_within(index..count, index + 1);
            pairs[index] = new;
            count + 1
        }
    }
}

/// A map of pairs; of several with the same key the last one counts.
pub fn from_pairs<A: Allocate + ?Sized>(heap: &mut A, pairs: &[(Term, Term)]) -> Term {
    from_each(heap, pairs.iter().copied())
}

/// A map of keys and values in turn; of several with the same key the last one counts.
pub fn from_row<A: Allocate + ?Sized>(heap: &mut A, row: &[Term]) -> Term {
    from_each(heap, row.chunks_exact(2).map(|pair| (pair[0], pair[1])))
}

fn from_each<A: Allocate + ?Sized>(
    heap: &mut A,
    pairs: impl ExactSizeIterator<Item = (Term, Term)>,
) -> Term {
    if pairs.len() > FLAT_MAP_PAIRS {
        return trie::from_pairs(heap, pairs);
    }
    from_own_pairs(heap, &mut pairs.collect::<Pairs>())
}

/// As [`from_pairs`], of pairs that may be brought into another order.
pub fn from_own_pairs<A: Allocate + ?Sized>(heap: &mut A, pairs: &mut [(Term, Term)]) -> Term {
    if pairs.len() > FLAT_MAP_PAIRS {
        return trie::from_pairs(heap, pairs.iter().copied());
    }
    let count = sort(pairs);
    from_sorted(heap, &pairs[..count])
}

/// Brings the pairs of a flat map in the order of their keys, and returns how many are left: of several with the same
/// key the last one.
fn sort(pairs: &mut [(Term, Term)]) -> usize {
    if pairs.len() < 2 {
        return pairs.len();
    }
    let mut numbers: SmallVec<[NonZero<u64>; FLAT_MAP_PAIRS]> = SmallVec::new();
    // Pairs are often in order, or in the opposite one, as those of a list that was built from its end.
    let (mut ascend, mut descend) = (true, true);
    let mut last = None;
    for &(key, _) in &*pairs {
        let Some(number) = key_number(key) else {
            return sort_by_comparing(pairs);
        };
        numbers.push(number);
        ascend &= last.is_none_or(|last| last < number);
        descend &= last.is_none_or(|last| last > number);
        last = Some(number);
    }
    if ascend {
        return pairs.len();
    }
    if descend {
        pairs.reverse();
        return pairs.len();
    }
    sort_by_number(pairs, &mut numbers)
}

/// [`sort`] of pairs whose keys have these numbers.
fn sort_by_number(pairs: &mut [(Term, Term)], numbers: &mut [NonZero<u64>]) -> usize {
    let mut differ = true;
    for next in 1..pairs.len() {
        let (number, pair) = (numbers[next], pairs[next]);
        let mut place = next;
        while place > 0 && numbers[place - 1] > number {
            numbers[place] = numbers[place - 1];
            pairs[place] = pairs[place - 1];
            place -= 1;
        }
        differ &= place == 0 || numbers[place - 1] != number;
        numbers[place] = number;
        pairs[place] = pair;
    }
    if differ {
        return pairs.len();
    }
    let mut count = 0;
    for index in 0..pairs.len() {
        // Equal keys are still in the order in which they were given.
        let is_last = numbers
            .get(index + 1)
            .is_none_or(|next| *next != numbers[index]);
        if is_last {
            pairs[count] = pairs[index];
            count += 1;
        }
    }
    count
}

/// [`sort`] of pairs with any keys: if the pairs in front are in order, or in the opposite one, then one comparison for
/// each pair is all. The others are inserted.
fn sort_by_comparing(pairs: &mut [(Term, Term)]) -> usize {
    let order = |pair: &[(Term, Term)]| compare_keys(pair[0].0, pair[1].0);
    let Some(first) = pairs.windows(2).next().map(order) else {
        return pairs.len();
    };
    let differs = |pair| order(pair) != first;
    let run = match first {
        Ordering::Equal => 1,
        _ => {
            let last = pairs.windows(2).skip(1).position(differs);
            last.map_or(pairs.len(), |last| last + 2)
        }
    };
    if first.is_gt() {
        pairs[..run].reverse();
    }
    (run..pairs.len()).fold(run, |count, next| insert_last(&mut pairs[..=next], count))
}

/// A flat map of `size` pairs that the caller fills in, and the tuple of its keys, which comes right behind it.
pub fn flat_uninit<A: Allocate + ?Sized>(heap: &mut A, size: usize) -> (Term, Term) {
    debug_assert!(size <= FLAT_MAP_PAIRS);
    let map_words = 1 + offset::FLAT_MAP_VALUES + size;
    let object = heap.allocate(map_words + 1 + size);
    // SAFETY: fresh words for both headers and for what stands before the values.
    unsafe {
        let keys = object.add(map_words);
        keys.write(Header::new(ObjectKind::Tuple, size).0);
        let keys = Term::from_boxed_pointer(keys);
        object.write(Header::new(ObjectKind::Map, map_words - 1).0);
        object.add(1 + offset::MAP_SIZE).write(size as u64);
        object.add(1 + offset::FLAT_MAP_KEYS).write(keys.bits());
        (Term::from_boxed_pointer(object), keys)
    }
}

/// Brings the pairs of a flat map, whose keys nobody else has, in the order of its keys; returns whether the keys
/// differ.
#[must_use]
pub fn sort_flat(map: Term) -> bool {
    let (keys, values) = flat(map);
    let pairs = keys.iter().copied().zip(values.iter().copied());
    let mut sorted: Pairs = pairs.collect();
    if sort(&mut sorted) != keys.len() {
        return false;
    }
    let keys = keys_tuple(map).expect("a flat map");
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        // SAFETY: as many pairs as there are in the map, which nobody else has seen; its keys and values are no longer
        // borrowed.
        unsafe {
            keys.word_pointer(index).write(key.bits());
            map.word_pointer(offset::FLAT_MAP_VALUES + index)
                .write(value.bits());
        }
    }
    true
}

/// Whether keys are those of a flat map in their order.
pub fn are_sorted(keys: &[Term]) -> bool {
    keys.is_sorted_by(|a, b| compare_keys(*a, *b).is_lt())
}

/// The map with a pair added, or with the pair of the same key replaced.
pub fn put<A: Allocate + ?Sized>(heap: &mut A, map: Term, key: Term, value: Term) -> Term {
    if !is_flat(map) {
        return trie::put(heap, map, key, value);
    }
    let (keys, values) = flat(map);
    let place = match search(keys, key) {
        Ok(index) => return replace(heap, map, index, value),
        Err(place) => place,
    };
    if keys.len() == FLAT_MAP_PAIRS {
        let mut pairs: Vec<(Term, Term)> = iter(map).collect();
        pairs.push((key, value));
        return trie::from_pairs(heap, pairs.into_iter());
    }
    let (map, new_keys, new_values) = flat_beside_keys(heap, keys.len() + 1);
    // SAFETY: there is room for one pair more.
    unsafe {
        insert_at(new_keys, keys, place, key);
        insert_at(new_values, values, place, value);
    }
    map
}

/// Copies terms to `room`, with one inserted at `place`.
///
/// # Safety
/// There is room for all of them.
#[inline(always)]
unsafe fn insert_at(room: *mut Term, terms: &[Term], place: usize, term: Term) {
    let (before, behind) = terms.split_at(place);
    // SAFETY: the caller's promise.
    unsafe {
        copy_terms(room, before);
        room.add(place).write(term);
        copy_terms(room.add(place + 1), behind);
    }
}

/// Copies terms to `room`, without the one at `place`.
///
/// # Safety
/// There is room for all others.
#[inline(always)]
unsafe fn leave_out(room: *mut Term, terms: &[Term], place: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        copy_terms(room, &terms[..place]);
        copy_terms(room.add(place), &terms[place + 1..]);
    }
}

/// Copies terms to `room`, with others inserted, each before the term at its place; the places are in ascending order.
///
/// # Safety
/// There is room for all of them.
unsafe fn merged(mut room: *mut Term, terms: &[Term], new: impl Iterator<Item = (usize, Term)>) {
    let mut copied = 0;
    // SAFETY: the caller's promise; a place is at most the number of terms.
    unsafe {
        for (place, term) in new {
            while copied < place {
                room.write(terms[copied]);
                room = room.add(1);
                copied += 1;
            }
            room.write(term);
            room = room.add(1);
        }
        room.copy_from_nonoverlapping(terms.as_ptr().add(copied), terms.len() - copied);
    }
}

/// A flat map with another value at `index`.
fn replace<A: Allocate + ?Sized>(heap: &mut A, map: Term, index: usize, value: Term) -> Term {
    replace_at(heap, map, std::iter::once((index, value)))
}

/// A flat map with other values at these places; the same map if it has these values there.
#[inline(always)]
fn replace_at<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    replaced: impl Iterator<Item = (usize, Term)> + Clone,
) -> Term {
    let (_, values) = flat(map);
    if replaced
        .clone()
        .all(|(place, value)| values[place] == value)
    {
        return map;
    }
    let keys = FlatMap::expect(map).keys();
    let (copy, room) = flat_over(heap, keys, values.len());
    // SAFETY: there is room for the values, which are terms from here on; nothing else refers to the copy yet.
    let new = unsafe {
        copy_terms(room, values);
        std::slice::from_raw_parts_mut(room, values.len())
    };
    for (place, value) in replaced {
        new[place] = value;
    }
    copy
}

/// The map with another value for a key that it has; `None` if it does not have the key.
pub fn update<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    key: Term,
    value: Term,
) -> Option<Term> {
    if is_flat(map) {
        position(flat(map).0, key).map(|index| replace(heap, map, index, value))
    } else {
        trie::update(heap, map, key, value)
    }
}

/// Maximum number of keys for [`replace_values`].
const MOST_REPLACED: usize = 16;

/// A flat map with other values for `count` existing keys, all of them immediates: the usual update of a map that
/// serves as a record. Returns `None`, having done nothing, if this does not hold or there are too many keys.
#[inline]
pub fn replace_values<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    count: usize,
    pair: impl Fn(usize) -> (Term, Term),
) -> Option<Term> {
    if !is_flat(map) || count > MOST_REPLACED {
        return None;
    }
    let (keys, values) = flat(map);
    let mut places = [0u8; MOST_REPLACED];
    let mut same = true;
    for (index, place) in places[..count].iter_mut().enumerate() {
        let (key, value) = pair(index);
        if !key.is_immediate() {
            return None;
        }
        let found = place_of_word(keys, key)?;
        // Fits a byte: a flat map has few keys.
        *place = found as u8;
        same &= values[found] == value;
    }
    if same {
        return Some(map);
    }
    let keys = FlatMap::expect(map).keys();
    let (copy, room) = flat_over(heap, keys, values.len());
    // SAFETY: there is room for as many values.
    unsafe { copy_terms(room, values) };
    for (index, &place) in places[..count].iter().enumerate() {
        // SAFETY: a place among the values.
        unsafe { room.add(usize::from(place)).write(pair(index).1) };
    }
    Some(copy)
}

/// Adds pairs to a flat map if all keys are immediates, with the help of a cache of how maps with these keys grew
/// before. Returns `None`, having done nothing, for keys that the cache does not handle. Meant for updates in a
/// program's code, which have the same keys each time.
pub fn grow<A: Allocate + ?Sized>(heap: &mut A, map: Term, pairs: &[(Term, Term)]) -> Option<Term> {
    if !is_flat(map) || pairs.len() > growth::MOST_PUT {
        return None;
    }
    let mut put = [Term::NONE; growth::MOST_PUT];
    for (place, (key, _)) in put.iter_mut().zip(pairs) {
        *place = *key;
    }
    let (keys, values) = flat(map);
    growth::with(keys, &put[..pairs.len()], |growth| {
        let size = growth.size();
        let object = heap.allocate(1 + size);
        // SAFETY: fresh words for the header and the keys, then the same for the values; the cached growth is for the
        // same old and new keys, so its indexes are valid here.
        unsafe {
            object.write(Header::new(ObjectKind::Tuple, size).0);
            let (map, new_values) = flat_over(heap, Term::from_boxed_pointer(object), size);
            let new_keys = object.add(1).cast::<Term>();
            for (at, origin) in growth.origins().enumerate() {
                let (key, value) = match origin {
                    Origin::Old(index) => (keys[index], values[index]),
                    Origin::Put(index) => pairs[index],
                };
                new_keys.add(at).write(key);
                new_values.add(at).write(value);
            }
            map
        }
    })
}

/// The map with several pairs added or replaced, in their order. With `exact`, each key must exist.
///
/// # Errors
/// With `exact`, the first key that does not exist.
pub fn update_many<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    pairs: &[(Term, Term)],
    exact: bool,
) -> Result<Term, BadKey> {
    if !is_flat(map) {
        // Nothing is built for an update that fails.
        if exact && let Some((key, _)) = pairs.iter().find(|(key, _)| get(map, *key).is_none()) {
            return Err(BadKey(*key));
        }
        return Ok(match pairs {
            [(key, value)] => trie::put(heap, map, *key, *value),
            _ => trie::put_all(heap, map, pairs.iter().copied(), Existing::Replace),
        });
    }
    let (keys, values) = flat(map);
    let mut values: SmallVec<[Term; FLAT_MAP_PAIRS]> = SmallVec::from_slice(values);
    let mut changed = false;
    // New pairs in the order of their keys, each with the index of the old pair that it goes before.
    let mut new: SmallVec<[(usize, Term, Term); 8]> = SmallVec::new();
    for &(key, value) in pairs {
        match search(keys, key) {
            Ok(index) => {
                changed |= values[index] != value;
                values[index] = value;
            }
            Err(_) if exact => return Err(BadKey(key)),
            Err(place) => {
                let order = |other: &(usize, Term, Term)| {
                    other.0.cmp(&place).then_with(|| compare_keys(other.1, key))
                };
                match new.binary_search_by(order) {
                    Ok(same) => new[same].2 = value,
                    Err(behind) => new.insert(behind, (place, key, value)),
                }
            }
        }
    }
    if new.is_empty() {
        if !changed {
            return Ok(map);
        }
        let keys = FlatMap::expect(map).keys();
        return Ok(with_values(heap, keys, &values));
    }
    let count = keys.len() + new.len();
    if count > FLAT_MAP_PAIRS {
        let old = keys.iter().copied().zip(values.iter().copied());
        let new = new.iter().map(|&(_, key, value)| (key, value));
        let all: Vec<(Term, Term)> = old.chain(new).collect();
        return Ok(trie::from_pairs(heap, all.into_iter()));
    }
    let object = heap.allocate(1 + count);
    // SAFETY: fresh words for the header and the keys, then the same for the values; `merged` writes as many.
    unsafe {
        object.write(Header::new(ObjectKind::Tuple, count).0);
        merged(
            object.add(1).cast(),
            keys,
            new.iter().map(|new| (new.0, new.1)),
        );
        let (map, room) = flat_over(heap, Term::from_boxed_pointer(object), count);
        merged(room, &values, new.iter().map(|new| (new.0, new.2)));
        Ok(map)
    }
}

/// The map without a key, and the value that the key had; `None` if the map does not have the key.
pub fn take<A: Allocate + ?Sized>(heap: &mut A, map: Term, key: Term) -> Option<(Term, Term)> {
    if !is_flat(map) {
        return trie::take(heap, map, key);
    }
    let (keys, values) = flat(map);
    let index = position(keys, key)?;
    let (rest, new_keys, new_values) = flat_beside_keys(heap, keys.len() - 1);
    // SAFETY: there is room for one pair less.
    unsafe {
        leave_out(new_keys, keys, index);
        leave_out(new_values, values, index);
    }
    Some((rest, values[index]))
}

/// The map without a key; the same map if it does not have the key.
pub fn remove<A: Allocate + ?Sized>(heap: &mut A, map: Term, key: Term) -> Term {
    take(heap, map, key).map_or(map, |(map, _)| map)
}

/// All pairs of both maps; for a key that both have, the pair of `b`.
pub fn merge<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Term {
    match (is_flat(a), is_flat(b)) {
        (true, true) => merge_flat(heap, a, b),
        (false, false) => trie::merge(heap, a, b),
        (false, true) => trie::put_all(heap, a, iter(b), Existing::Replace),
        (true, false) => trie::put_all(heap, b, iter(a), Existing::Keep),
    }
}

/// A flat map with this many times the keys of another is searched for each of them; others are merged in order.
const FEW_MERGED: usize = 4;

fn merge_flat<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Term {
    let ((keys_a, values_a), (keys_b, values_b)) = (flat(a), flat(b));
    if keys_a.is_empty() {
        return b;
    }
    if a == b || keys_b.is_empty() {
        return a;
    }
    if keys_a.as_ptr() == keys_b.as_ptr() {
        return b;
    }
    if keys_b.len() * FEW_MERGED <= keys_a.len() {
        // Options and their defaults: the keys are there.
        let replaced = replace_values(heap, a, keys_b.len(), |at| (keys_b[at], values_b[at]));
        if let Some(map) = replaced.or_else(|| merge_few(heap, a, b)) {
            return map;
        }
    }
    let mut merged = Row::new();
    let (mut index_a, mut index_b) = (0, 0);
    let (mut number_a, mut number_b) = (key_number(keys_a[0]), key_number(keys_b[0]));
    while let (Some(&a), Some(&b)) = (keys_a.get(index_a), keys_b.get(index_b)) {
        let order = match (number_a, number_b) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ if a == b => Ordering::Equal,
            _ => compare_keys(a, b),
        };
        match order {
            Ordering::Less => merged.push(a, values_a[index_a]),
            _ => merged.push(b, values_b[index_b]),
        }
        if order.is_le() {
            index_a += 1;
            number_a = keys_a.get(index_a).and_then(|key| key_number(*key));
        }
        if order.is_ge() {
            index_b += 1;
            number_b = keys_b.get(index_b).and_then(|key| key_number(*key));
        }
    }
    for index in index_a..keys_a.len() {
        merged.push(keys_a[index], values_a[index]);
    }
    for index in index_b..keys_b.len() {
        merged.push(keys_b[index], values_b[index]);
    }
    let (keys, values) = (merged.keys(), merged.values());
    // All keys of `a` are keys of `b`, whose pairs count.
    if keys.len() == keys_b.len() {
        return b;
    }
    if keys.len() > FLAT_MAP_PAIRS {
        return trie::from_pairs(heap, keys.iter().copied().zip(values.iter().copied()));
    }
    // If the result has as many pairs as the other map, it has the same keys and can share their tuple.
    if keys.len() == keys_a.len() {
        return with_values(heap, FlatMap::expect(a).keys(), values);
    }
    let (map, room_for_keys, room_for_values) = flat_beside_keys(heap, keys.len());
    // SAFETY: there is room for as many keys and values.
    unsafe {
        copy_terms(room_for_keys, keys);
        copy_terms(room_for_values, values);
    }
    map
}

/// [`merge_flat`] for the few pairs of `b`; `None` if the result is not flat.
fn merge_few<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Option<Term> {
    let ((keys_a, values_a), (keys_b, values_b)) = (flat(a), flat(b));
    // The place of each key of `b` among those of `a`, or where it is inserted, and how many of `a` it takes the place
    // of: one or none.
    let mut places = [(0, 0); FLAT_MAP_PAIRS / FEW_MERGED];
    let mut added = 0;
    for (place, &key) in places.iter_mut().zip(keys_b) {
        *place = match search(keys_a, key) {
            Ok(index) => (index, 1),
            Err(index) => {
                added += 1;
                (index, 0)
            }
        };
    }
    let places = &places[..keys_b.len()];
    let count = keys_a.len() + added;
    if count > FLAT_MAP_PAIRS {
        return None;
    }
    if added == 0 {
        let replaced = places.iter().zip(values_b);
        let replaced = replaced.map(|(&(index, _), &value)| (index, value));
        return Some(replace_at(heap, a, replaced));
    }
    let (map, keys, values) = flat_beside_keys(heap, count);
    let (mut done, mut copied) = (0, 0);
    // SAFETY: there is room for so many pairs: those of `a`, and those that are added.
    unsafe {
        for (at, &(index, replaced)) in places.iter().enumerate() {
            copy_terms(keys.add(done), &keys_a[copied..index]);
            copy_terms(values.add(done), &values_a[copied..index]);
            done += index - copied;
            keys.add(done).write(keys_b[at]);
            values.add(done).write(values_b[at]);
            done += 1;
            copied = index + replaced;
        }
        copy_terms(keys.add(done), &keys_a[copied..]);
        copy_terms(values.add(done), &values_a[copied..]);
    }
    debug_assert_eq!(done + keys_a.len() - copied, count);
    Some(map)
}

/// Room for the keys and the values of two flat maps.
struct Row {
    keys: [MaybeUninit<Term>; 2 * FLAT_MAP_PAIRS],
    values: [MaybeUninit<Term>; 2 * FLAT_MAP_PAIRS],
    count: usize,
}

impl Row {
    #[inline(always)]
    fn new() -> Row {
        Row {
            keys: [MaybeUninit::uninit(); 2 * FLAT_MAP_PAIRS],
            values: [MaybeUninit::uninit(); 2 * FLAT_MAP_PAIRS],
            count: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, key: Term, value: Term) {
        self.keys[self.count].write(key);
        self.values[self.count].write(value);
        self.count += 1;
    }

    fn keys(&self) -> &[Term] {
        // SAFETY: so many were written.
        unsafe { self.keys[..self.count].assume_init_ref() }
    }

    fn values(&self) -> &[Term] {
        // SAFETY: so many were written.
        unsafe { self.values[..self.count].assume_init_ref() }
    }
}

/// Whether lists of a hash map's pairs are in the iterator's order, as from OTP 29 on, and not in the reverse order.
fn lists_forward() -> bool {
    release::has(Release::OTP_29)
}

/// A list made of the pairs, in the order in which OTP lists a map: that of a flat map's keys, and for a hash map the
/// one of [`lists_forward`]. `item` prepends a pair to the list.
#[inline(always)]
fn list_of<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    item: impl Fn(&mut A, Term, Term, Term) -> Term,
) -> Term {
    let mut list = Term::NIL;
    if is_flat(map) {
        let (keys, values) = flat(map);
        for (&key, &value) in keys.iter().zip(values).rev() {
            list = item(heap, key, value, list);
        }
    } else {
        trie::each_leaf(map, lists_forward(), &mut |leaf| {
            list = item(heap, leaf.head(), leaf.tail(), list);
        });
    }
    list
}

/// `[{Key, Value} | Tail]`
#[inline(always)]
fn prepend_pair<A: Allocate + ?Sized>(heap: &mut A, key: Term, value: Term, tail: Term) -> Term {
    let object = heap.allocate(5);
    // SAFETY: fresh words for a tuple of two and a cons cell.
    unsafe {
        object.write(Header::new(ObjectKind::Tuple, 2).0);
        object.add(1).write(key.bits());
        object.add(2).write(value.bits());
        let cell = object.add(3).cast::<Term>();
        cell.write(Term::from_boxed_pointer(object));
        cell.add(1).write(tail);
        Term::from_cons_pointer(cell)
    }
}

/// `maps:keys/1`.
pub fn keys<A: Allocate + ?Sized>(heap: &mut A, map: Term) -> Term {
    list_of(heap, map, |heap, key, _, list| build::cons(heap, key, list))
}

/// `maps:values/1`.
pub fn values<A: Allocate + ?Sized>(heap: &mut A, map: Term) -> Term {
    list_of(heap, map, |heap, _, value, list| {
        build::cons(heap, value, list)
    })
}

/// `maps:to_list/1`.
pub fn to_list<A: Allocate + ?Sized>(heap: &mut A, map: Term) -> Term {
    list_of(heap, map, prepend_pair)
}

/// The result of `maps:find/2`.
pub fn find<A: Allocate + ?Sized>(heap: &mut A, map: Term, key: Term) -> Term {
    match get(map, key) {
        Some(value) => build::tuple(heap, &[am::OK, value]),
        None => am::ERROR,
    }
}

#[cfg(test)]
mod tests;
