//! Hash maps: tries with 16 children a node, placed by the key's hash, four bits a level.
//!
//! A node holds its children in the order of their four bits; the bitmap in the header says which exist. A child is
//! another node, or a leaf: a cons cell of key and value. A leaf is at the first level where no other key shares its
//! path, so a node below the root has at least two leaves (or a single child that is a node). After eight levels the
//! key is hashed again with another salt.

use layout::limits::FLAT_MAP_PAIRS;
use layout::object::{MapShape, offset};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use layout::trie::Counted;
use layout::trie::{self, Anywhere, Bitmap, Child, Found, LEVELS_PER_ROUND, child};
use layout::{Boxed, Cons, Header, Term};
use smallvec::SmallVec;

use super::views::{children, children_of, size};
use super::{Pairs, from_own_pairs};
use crate::build;
use crate::compare::eq_exact;
use crate::copy::copy_terms;
use crate::hash::{immediate_map_key, map_key};
use crate::heap::Allocate;
use crate::release::{self, Release};

/// The remaining bits of a key's hash, from `level` to the end of its round.
fn hash_at(key: Term, level: u32) -> u32 {
    map_key(key, level / LEVELS_PER_ROUND) >> (4 * (level % LEVELS_PER_ROUND))
}

/// The bits for the level below `level`, from the next round if this one is used up.
fn deeper(hash: u32, key: Term, level: u32) -> u32 {
    if (level + 1) % LEVELS_PER_ROUND == 0 {
        map_key(key, (level + 1) / LEVELS_PER_ROUND)
    } else {
        hash >> 4
    }
}

/// The bitmap's bit and the index of the child for these bits of a hash, whether or not it exists.
#[inline(always)]
fn slot(bitmap: u16, hash: u32, bits: impl Bitmap) -> (u16, usize) {
    let place = hash & 15;
    (1 << place, bits.before(u64::from(bitmap), place))
}

/// The processor's own instructions for bitmaps, where it has them.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn counted() -> Option<Counted> {
    use std::arch::is_x86_feature_detected;
    let has_them = is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("bmi2");
    // SAFETY: the line above.
    has_them.then(|| unsafe { Counted::new() })
}

/// Whether machine code can look immediate keys up in hash maps: where it cannot, slow paths do.
#[must_use]
pub fn searched_by_code() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return counted().is_some() && release::has(Release::OTP_27);
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    release::has(Release::OTP_27)
}

/// The value of a key in a hash map, when the key's hash ([`map_key`], round 0) is known.
#[must_use]
#[inline]
pub fn get_hashed(map: Term, key: Term, hash: u32) -> Option<Term> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(counted) = counted() {
        return look_up(map, key, hash, counted);
    }
    look_up(map, key, hash, Anywhere)
}

/// The value of an immediate key in a hash map. It becomes part of its callers, which need to save no registers for it.
#[inline(always)]
#[must_use]
pub fn get_immediate(map: Term, key: Term) -> Option<Term> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(counted) = counted() {
        return look_up_immediate(map, key, counted);
    }
    get_immediate_anywhere(map, key)
}

/// [`get_immediate`] on any processor.
#[cold]
#[inline(never)]
fn get_immediate_anywhere(map: Term, key: Term) -> Option<Term> {
    look_up_immediate(map, key, Anywhere)
}

/// [`look_up`] of an immediate key: almost always calls nothing, so it saves no registers.
#[inline(always)]
fn look_up_immediate(map: Term, key: Term, bits: impl Bitmap) -> Option<Term> {
    let root = map.as_boxed()?;
    let hash = immediate_map_key(key);
    // SAFETY: a map that is no flat one is the root of a trie.
    match unsafe { trie::look_up(root.pointer(), root.header(), key, hash, bits) } {
        Found::Value(value) => Some(value),
        Found::Nothing => None,
        Found::Undecided => look_up_again(map, key),
    }
}

/// [`look_up`] of a key that may be below the levels of the first round, where keys of equal hashes are.
#[cold]
#[inline(never)]
fn look_up_again(map: Term, key: Term) -> Option<Term> {
    look_up(map, key, map_key(key, 0), Anywhere)
}

#[inline(always)]
fn look_up(map: Term, key: Term, hash: u32, bits: impl Bitmap) -> Option<Term> {
    let root = (map.as_boxed()?, offset::HASH_ROOT_CHILDREN);
    look_up_from(root, key, hash, 0, bits)
}

/// The value of a key in the node of a level; the place of its first child is given too.
#[inline(always)]
fn look_up_from(
    (mut node, mut first): (Boxed, usize),
    key: Term,
    mut hash: u32,
    mut level: u32,
    bits: impl Bitmap,
) -> Option<Term> {
    loop {
        match child(node, first, hash, bits)? {
            Child::Leaf(leaf) => {
                let found = leaf.head();
                let equal = found == key || !key.is_immediate() && eq_exact(found, key);
                return equal.then(|| leaf.tail());
            }
            Child::Node(below) => (node, first) = (below, 0),
        }
        hash = deeper(hash, key, level);
        level += 1;
    }
}

/// Allocates a node; returns it and the place for its children. `size` counts only for a root.
#[inline(always)]
fn node<A: Allocate + ?Sized>(heap: &mut A, header: Header, size: usize) -> (Term, *mut Term) {
    let object = heap.allocate(1 + header.arity());
    // SAFETY: fresh words for the header, the size and the children.
    unsafe {
        object.write(header.0);
        let mut first = object.add(1);
        if header.map_shape() == MapShape::HashRoot {
            first.write(size as u64);
            first = first.add(1);
        }
        (Term::from_boxed_pointer(object), first.cast())
    }
}

fn node_of<A: Allocate + ?Sized>(
    heap: &mut A,
    bitmap: u16,
    size: Option<usize>,
    children: &[Term],
) -> Term {
    let header = Header::hash_map(size.is_some(), bitmap);
    let (node, room) = node(heap, header, size.unwrap_or(0));
    debug_assert_eq!(children.len(), bitmap.count_ones() as usize);
    // SAFETY: there is room for as many children as the bitmap has bits.
    unsafe { copy_terms(room, children) };
    node
}

/// The number of pairs, if the node is a root.
#[inline]
fn root_size(node: Boxed) -> Option<usize> {
    let is_root = node.header().map_shape() == MapShape::HashRoot;
    // SAFETY: a root has its size before its children.
    is_root.then(|| unsafe { node.word_unchecked(offset::MAP_SIZE) } as usize)
}

/// A root's size with some keys more or less; of an inner node, what does not count.
#[inline(always)]
fn changed_size(node: Boxed, added: isize) -> usize {
    root_size(node).map_or(0, |size| size.wrapping_add_signed(added))
}

/// A node with another child at `slot`; a root's size grows by `added`.
#[inline]
fn with_child<A: Allocate + ?Sized>(
    heap: &mut A,
    old: Boxed,
    slot: usize,
    child: Term,
    added: isize,
) -> Term {
    let (copy, room) = node(heap, old.header(), changed_size(old, added));
    let children = children_of(old);
    assert!(slot < children.len());
    // SAFETY: there is room for as many children as the old node has, and `slot` is one of them.
    unsafe {
        copy_terms(room, children);
        room.add(slot).write(child);
    }
    copy
}

/// A node with one child more.
#[inline]
fn with_new_child<A: Allocate + ?Sized>(
    heap: &mut A,
    old: Boxed,
    (bit, slot): (u16, usize),
    child: Term,
) -> Term {
    let header = old.header().with_child(bit);
    let (copy, room) = node(heap, header, changed_size(old, 1));
    // SAFETY: there is room for one child more than the old node has.
    unsafe { super::insert_at(room, children_of(old), slot, child) };
    copy
}

/// A node without the child at `slot`.
fn without_child<A: Allocate + ?Sized>(heap: &mut A, old: Boxed, bit: u16, slot: usize) -> Term {
    let header = old.header().without_child(bit);
    let (copy, room) = node(heap, header, changed_size(old, -1));
    // SAFETY: there is room for one child less than the old node has.
    unsafe { super::leave_out(room, children_of(old), slot) };
    copy
}

/// The node at `level` that holds two leaves with different keys.
fn split<A: Allocate + ?Sized>(heap: &mut A, level: u32, a: Cons, b: Cons) -> Term {
    let mut shared: SmallVec<[u32; 8]> = SmallVec::new();
    let (mut hash_a, mut hash_b) = (hash_at(a.head(), level), hash_at(b.head(), level));
    let mut depth = level;
    while hash_a & 15 == hash_b & 15 {
        shared.push(hash_a & 15);
        hash_a = deeper(hash_a, a.head(), depth);
        hash_b = deeper(hash_b, b.head(), depth);
        depth += 1;
    }
    let (place_a, place_b) = (hash_a & 15, hash_b & 15);
    let pair = if place_a < place_b { [a, b] } else { [b, a] };
    let last = node_of(
        heap,
        1 << place_a | 1 << place_b,
        None,
        &pair.map(Cons::term),
    );
    shared.iter().rev().fold(last, |child, place| {
        node_of(heap, 1 << place, None, &[child])
    })
}

/// What happens to a key that already exists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    Replace,
    Keep,
}

/// What to insert: an existing leaf, or a pair for which a leaf is made when it is needed.
#[derive(Clone, Copy)]
enum Leaf {
    Made(Cons),
    Pair(Term, Term),
}

impl Leaf {
    fn key(self) -> Term {
        match self {
            Leaf::Made(cell) => cell.head(),
            Leaf::Pair(key, _) => key,
        }
    }

    fn value(self) -> Term {
        match self {
            Leaf::Made(cell) => cell.tail(),
            Leaf::Pair(_, value) => value,
        }
    }

    fn make<A: Allocate + ?Sized>(self, heap: &mut A) -> Cons {
        match self {
            Leaf::Made(cell) => cell,
            Leaf::Pair(key, value) => build::cell(heap, key, value),
        }
    }
}

/// Inserts a leaf into the node at `level`. Returns the new node and whether the key is new; `None` if the key is new
/// and `only_existing` is set.
fn insert<A: Allocate + ?Sized>(
    heap: &mut A,
    top: Term,
    level: u32,
    leaf: Leaf,
    existing: Existing,
    only_existing: bool,
) -> Option<(Term, bool)> {
    let at = (level, hash_at(leaf.key(), level));
    insert_hashed(heap, top, at, leaf, existing, only_existing)
}

/// As [`insert`], when what is left of the key's hash at that level is known.
fn insert_hashed<A: Allocate + ?Sized>(
    heap: &mut A,
    top: Term,
    at: (u32, u32),
    leaf: Leaf,
    existing: Existing,
    only_existing: bool,
) -> Option<(Term, bool)> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(counted) = counted() {
        return insert_by(heap, top, at, leaf, existing, only_existing, counted);
    }
    insert_by(heap, top, at, leaf, existing, only_existing, Anywhere)
}

#[inline(always)]
fn insert_by<A: Allocate + ?Sized>(
    heap: &mut A,
    top: Term,
    (mut level, mut hash): (u32, u32),
    leaf: Leaf,
    existing: Existing,
    only_existing: bool,
    bits: impl Bitmap,
) -> Option<(Term, bool)> {
    let key = leaf.key();
    let mut path: SmallVec<[(Boxed, usize); 8]> = SmallVec::new();
    let mut node = top.expect_boxed();
    let (mut new, added) = loop {
        let bitmap = node.header().bitmap();
        let (bit, slot) = slot(bitmap, hash, bits);
        if bitmap & bit == 0 {
            if only_existing {
                return None;
            }
            let cell = leaf.make(heap).term();
            break (with_new_child(heap, node, (bit, slot), cell), true);
        }
        let child = children_of(node)[slot];
        let Some(found) = child.as_cell() else {
            path.push((node, slot));
            // SAFETY: a child that is no leaf is a node.
            node = unsafe { child.boxed_unchecked() };
            hash = deeper(hash, key, level);
            level += 1;
            continue;
        };
        if eq_exact(found.head(), key) {
            if existing == Existing::Keep || found.tail() == leaf.value() {
                return Some((top, false));
            }
            let cell = leaf.make(heap).term();
            break (with_child(heap, node, slot, cell, 0), false);
        }
        if only_existing {
            return None;
        }
        let cell = leaf.make(heap);
        let both = split(heap, level + 1, found, cell);
        break (with_child(heap, node, slot, both, 1), true);
    };
    for (node, slot) in path.into_iter().rev() {
        new = with_child(heap, node, slot, new, isize::from(added));
    }
    Some((new, added))
}

pub(super) fn put<A: Allocate + ?Sized>(heap: &mut A, map: Term, key: Term, value: Term) -> Term {
    let leaf = Leaf::Pair(key, value);
    insert(heap, map, 0, leaf, Existing::Replace, false).map_or(map, |(map, _)| map)
}

pub(super) fn update<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    key: Term,
    value: Term,
) -> Option<Term> {
    let leaf = Leaf::Pair(key, value);
    insert(heap, map, 0, leaf, Existing::Replace, true).map(|(map, _)| map)
}

pub(super) fn take<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    key: Term,
) -> Option<(Term, Term)> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(counted) = counted() {
        return take_by(heap, map, key, counted);
    }
    take_by(heap, map, key, Anywhere)
}

#[inline(always)]
fn take_by<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    key: Term,
    bits: impl Bitmap,
) -> Option<(Term, Term)> {
    let mut hash = map_key(key, 0);
    let mut level = 0;
    let mut path: SmallVec<[(Boxed, u16, usize); 8]> = SmallVec::new();
    let mut node = map.expect_boxed();
    let leaf = loop {
        let bitmap = node.header().bitmap();
        let (bit, slot) = slot(bitmap, hash, bits);
        if bitmap & bit == 0 {
            return None;
        }
        path.push((node, bit, slot));
        let child = children_of(node)[slot];
        if let Some(leaf) = child.as_cell() {
            if !eq_exact(leaf.head(), key) {
                return None;
            }
            break leaf;
        }
        // SAFETY: a child that is no leaf is a node.
        node = unsafe { child.boxed_unchecked() };
        hash = deeper(hash, key, level);
        level += 1;
    };
    if size(map) - 1 <= FLAT_MAP_PAIRS {
        let mut rest = Pairs::new();
        each_leaf(map, false, &mut |other| {
            if other != leaf {
                rest.push((other.head(), other.tail()));
            }
        });
        return Some((from_own_pairs(heap, &mut rest), leaf.tail()));
    }
    // What replaces the leaf: nothing, a leaf that moved up, or a node.
    let mut left: Option<Term> = None;
    for (node, bit, slot) in path.into_iter().rev() {
        let siblings = children_of(node);
        let is_root = root_size(node).is_some();
        left = match left {
            None if !is_root && siblings.len() == 2 && siblings[1 - slot].is_cons() => {
                Some(siblings[1 - slot])
            }
            None => Some(without_child(heap, node, bit, slot)),
            Some(moved) if !is_root && siblings.len() == 1 && moved.is_cons() => Some(moved),
            Some(child) => Some(with_child(heap, node, slot, child, -1)),
        };
    }
    left.map(|map| (map, leaf.tail()))
}

/// A pair that is being placed in a trie.
#[derive(Clone, Copy)]
struct Entry {
    /// The current round of the hash, reordered so that its first four bits are the highest.
    path: u32,
    /// Where the pair was in the input; of equal keys the last counts.
    index: u32,
    key: Term,
    value: Term,
}

/// Reorders a hash so that sorting by the result sorts by the groups of four bits, lowest group first.
fn path_of(hash: u32) -> u32 {
    let bytes = hash.swap_bytes();
    (bytes & 0x0f0f_0f0f) << 4 | bytes >> 4 & 0x0f0f_0f0f
}

/// Pairs that are being placed in a trie; those of a flat map take no memory.
type Entries = SmallVec<[Entry; FLAT_MAP_PAIRS]>;

/// The pairs in the order of their paths; of several with the same key the last one is left.
fn entries_of(pairs: impl Iterator<Item = (Term, Term)>) -> Entries {
    let mut entries: Entries = pairs
        .enumerate()
        .map(|(index, (key, value))| Entry {
            path: path_of(map_key(key, 0)),
            index: index as u32,
            key,
            value,
        })
        .collect();
    // Of equal keys, the later comes first and is kept.
    entries.sort_unstable_by_key(|entry| (entry.path, u32::MAX - entry.index));
    drop_repeated(&mut entries);
    entries
}

/// A map of pairs, of any size.
pub(super) fn from_pairs<A: Allocate + ?Sized>(
    heap: &mut A,
    pairs: impl Iterator<Item = (Term, Term)>,
) -> Term {
    let mut entries = entries_of(pairs);
    if entries.len() <= FLAT_MAP_PAIRS {
        let mut pairs: Pairs = entries
            .iter()
            .map(|entry| (entry.key, entry.value))
            .collect();
        return from_own_pairs(heap, &mut pairs);
    }
    let size = entries.len();
    grow(heap, &mut entries, 0, Some(size))
}

fn drop_repeated(entries: &mut Entries) {
    let mut kept = 0;
    for index in 0..entries.len() {
        // Different keys with one path are rare, and few.
        let repeated = entries[..kept]
            .iter()
            .rev()
            .take_while(|other| other.path == entries[index].path)
            .any(|other| eq_exact(other.key, entries[index].key));
        if !repeated {
            entries.swap(kept, index);
            kept += 1;
        }
    }
    entries.truncate(kept);
}

/// Sorts entries by the next round of their hashes, if one begins at this level.
fn begin_round(entries: &mut [Entry], level: u32) {
    if level > 0 && level % LEVELS_PER_ROUND == 0 {
        for entry in &mut *entries {
            entry.path = path_of(map_key(entry.key, level / LEVELS_PER_ROUND));
        }
        entries.sort_unstable_by_key(|entry| entry.path);
    }
}

/// Builds the node at `level` from entries that have the same path above it and are sorted by path. The recursion is as
/// deep as the trie: a few levels.
fn grow<A: Allocate + ?Sized>(
    heap: &mut A,
    entries: &mut [Entry],
    level: u32,
    size: Option<usize>,
) -> Term {
    begin_round(entries, level);
    let shift = 28 - 4 * (level % LEVELS_PER_ROUND);
    let mut nodes: SmallVec<[Term; 16]> = SmallVec::new();
    let mut bitmap = 0;
    for group in entries.chunk_by_mut(|a, b| a.path >> shift & 15 == b.path >> shift & 15) {
        bitmap |= 1 << (group[0].path >> shift & 15);
        nodes.push(subtree(heap, group, level + 1));
    }
    node_of(heap, bitmap, size, &nodes)
}

/// The map with many pairs inserted, in their order: a node that several of them change is copied once.
pub(super) fn put_all<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    pairs: impl Iterator<Item = (Term, Term)>,
    existing: Existing,
) -> Term {
    let mut added = 0;
    let new = insert_all(heap, map, &mut entries_of(pairs), 0, existing, &mut added);
    if new != map {
        // SAFETY: a fresh root, whose size word is that of the old one if several pairs went into it.
        unsafe {
            let total = size(map) + added;
            new.word_pointer(offset::MAP_SIZE).write(total as u64);
        }
    }
    new
}

/// Inserts entries with different keys, which have the same path above `level` and are sorted by path, into a child
/// there; counts the new keys. The recursion is as deep as the trie.
fn insert_all<A: Allocate + ?Sized>(
    heap: &mut A,
    top: Term,
    entries: &mut [Entry],
    level: u32,
    existing: Existing,
    added: &mut usize,
) -> Term {
    begin_round(entries, level);
    if let Some(leaf) = top.as_cell() {
        return grow_from(heap, leaf, entries, level, existing, added);
    }
    if let [entry] = entries {
        let hash = path_of(entry.path) >> (4 * (level % LEVELS_PER_ROUND));
        let leaf = Leaf::Pair(entry.key, entry.value);
        let (node, is_new) = insert_hashed(heap, top, (level, hash), leaf, existing, false)
            .expect("new keys are let in");
        *added += usize::from(is_new);
        return node;
    }
    let node = top.expect_boxed();
    let old = node.header().bitmap();
    let mut from_old = children_of(node).iter();
    let shift = 28 - 4 * (level % LEVELS_PER_ROUND);
    let place_of = |entry: &Entry| entry.path >> shift & 15;
    let new = entries
        .iter()
        .fold(0, |bitmap, entry| bitmap | 1 << place_of(entry));
    let mut groups = entries.chunk_by_mut(|a, b| place_of(a) == place_of(b));
    let mut nodes: SmallVec<[Term; 16]> = SmallVec::new();
    let mut is_same = new & !old == 0;
    let mut places: u16 = old | new;
    while places != 0 {
        let place = places & places.wrapping_neg();
        places ^= place;
        let child = (old & place != 0).then(|| from_old.next()).flatten();
        let group = (new & place != 0).then(|| groups.next()).flatten();
        nodes.push(match (child, group) {
            (Some(&child), None) => child,
            (Some(&child), Some(group)) => {
                let node = insert_all(heap, child, group, level + 1, existing, added);
                is_same &= node == child;
                node
            }
            (None, Some(group)) => {
                *added += group.len();
                subtree(heap, group, level + 1)
            }
            (None, None) => continue,
        });
    }
    if is_same {
        return top;
    }
    node_of(heap, old | new, root_size(node), &nodes)
}

/// [`insert_all`], where there is only a leaf.
fn grow_from<A: Allocate + ?Sized>(
    heap: &mut A,
    leaf: Cons,
    entries: &mut [Entry],
    level: u32,
    existing: Existing,
    added: &mut usize,
) -> Term {
    *added += entries.len();
    let is_alone = entries.len() == 1;
    let mut of_same_key = entries.iter_mut();
    if let Some(same) = of_same_key.find(|entry| eq_exact(entry.key, leaf.head())) {
        *added -= 1;
        if existing == Existing::Keep {
            (same.key, same.value) = (leaf.head(), leaf.tail());
        }
        return match is_alone && same.value == leaf.tail() {
            true => leaf.term(),
            false => subtree(heap, entries, level),
        };
    }
    if let [entry] = entries {
        let new = build::cell(heap, entry.key, entry.value);
        return split(heap, level, leaf, new);
    }
    let old = Entry {
        path: path_of(map_key(leaf.head(), level / LEVELS_PER_ROUND)),
        index: 0,
        key: leaf.head(),
        value: leaf.tail(),
    };
    let place = entries.partition_point(|entry| entry.path < old.path);
    let mut all = Entries::with_capacity(entries.len() + 1);
    all.extend(entries[..place].iter().copied());
    all.push(old);
    all.extend(entries[place..].iter().copied());
    subtree(heap, &mut all, level)
}

/// The child at `level` that holds these entries, which are sorted.
fn subtree<A: Allocate + ?Sized>(heap: &mut A, entries: &mut [Entry], level: u32) -> Term {
    match entries {
        [entry] => build::cons(heap, entry.key, entry.value),
        entries => grow(heap, entries, level, None),
    }
}

/// The pairs of both maps; for a key that both have, the pair of `b`. Subtrees that only one of them has are shared.
pub(super) fn merge<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Term {
    let mut common = 0;
    let merged = merge_nodes(heap, a, b, 0, &mut common);
    if merged != a && merged != b {
        // SAFETY: a fresh root, whose size word is still that of `a`.
        unsafe {
            let total = size(a) + size(b) - common;
            merged.word_pointer(offset::MAP_SIZE).write(total as u64);
        }
    }
    merged
}

/// Merges two children that have the same path above `level`, adding to `common` the number of keys that both have. The
/// recursion is as deep as the trie.
fn merge_nodes<A: Allocate + ?Sized>(
    heap: &mut A,
    a: Term,
    b: Term,
    level: u32,
    common: &mut usize,
) -> Term {
    if a == b {
        *common += count(a);
        return b;
    }
    let mut insert_into = |heap: &mut A, node: Term, leaf: Cons, existing: Existing| {
        let (node, added) = insert(heap, node, level, Leaf::Made(leaf), existing, false)
            .expect("new keys are let in");
        *common += usize::from(!added);
        node
    };
    match (a.as_cell(), b.as_cell()) {
        (Some(leaf_a), Some(leaf_b)) if eq_exact(leaf_a.head(), leaf_b.head()) => {
            *common += 1;
            b
        }
        (Some(leaf_a), Some(leaf_b)) => split(heap, level, leaf_a, leaf_b),
        (Some(leaf), None) => insert_into(heap, b, leaf, Existing::Keep),
        (None, Some(leaf)) => insert_into(heap, a, leaf, Existing::Replace),
        (None, None) => {
            let node_a = a.expect_boxed();
            let [in_a, in_b] = [node_a, b.expect_boxed()].map(|node| node.header().bitmap());
            let (mut from_a, mut from_b) = (children(a).iter(), children(b).iter());
            let mut merged: SmallVec<[Term; 16]> = SmallVec::new();
            // Whether what is merged is the same as one of the two.
            let (mut is_a, mut is_b) = (in_b & !in_a == 0, in_a & !in_b == 0);
            let mut places = in_a | in_b;
            while places != 0 {
                let place = places & places.wrapping_neg();
                places ^= place;
                let child_a = (in_a & place != 0).then(|| from_a.next()).flatten();
                let child_b = (in_b & place != 0).then(|| from_b.next()).flatten();
                merged.push(match (child_a, child_b) {
                    (Some(&a), Some(&b)) => {
                        let child = match have_same_word(a, b) {
                            true => {
                                *common += 1;
                                b
                            }
                            false => merge_nodes(heap, a, b, level + 1, common),
                        };
                        is_a &= child == a;
                        is_b &= child == b;
                        child
                    }
                    (Some(&child), None) | (None, Some(&child)) => child,
                    (None, None) => continue,
                });
            }
            if is_b {
                return b;
            }
            if is_a {
                return a;
            }
            node_of(heap, in_a | in_b, root_size(node_a), &merged)
        }
    }
}

/// Whether both are leaves whose keys are one word, so that they are equal.
#[inline]
fn have_same_word(a: Term, b: Term) -> bool {
    matches!((a.as_cell(), b.as_cell()), (Some(a), Some(b)) if a.head() == b.head())
}

/// Calls a function with each leaf under a node, in their order or backward. The recursion is as deep as the trie.
pub(super) fn each_leaf(node: Term, backward: bool, visit: &mut impl FnMut(Cons)) {
    let mut one = |child: Term| match child.as_cell() {
        Some(leaf) => visit(leaf),
        None => each_leaf(child, backward, visit),
    };
    let children = children(node).iter().copied();
    match backward {
        false => children.for_each(&mut one),
        true => children.rev().for_each(&mut one),
    }
}

/// Number of leaves under a child.
fn count(child: Term) -> usize {
    if child.is_cons() {
        return 1;
    }
    match root_size(child.expect_boxed()) {
        Some(size) => size,
        None => children(child).iter().map(|child| count(*child)).sum(),
    }
}
