//! Nodes of the tree of an ordered set: leaves with keys and objects, inner nodes with children.
//!
//! ```text
//! keys   BELOW_ALL ... BELOW_ALL | k k k k k k | ABOVE_ALL ... ABOVE_ALL
//!        0               begin         end            ROOM
//! ```
//!
//! Free room is kept on both sides, so that an insertion or removal moves the shorter side. The fillers sort before
//! and after all small integers: a node that holds only these is searched in two steps, each a fixed number of
//! comparisons that do not depend on each other, so the processor neither waits for one before it makes the next nor
//! predicts branches. For most other nodes there are words with the same property ([`digest`](super::digest)).
//!
//! Whoever holds the lock of the tree may access its nodes; nothing here takes a lock.

use std::cmp::Ordering;
use std::ops::Range;
use std::ptr::{self, NonNull};

use layout::{ObjectKind, Term};
use term::compare;

use super::digest::Digests;
use crate::store::object::{Head, ObjectMut, ObjectRef, OwnedObject, prefetch};

/// Capacity of a node (`tables/ordered_set` chose it). An index fits into the bits that a node's alignment leaves
/// free.
pub(crate) const ROOM: usize = 48;
pub(crate) const ALIGNMENT: usize = 64;
/// Number of keys that the second step of a search examines.
const BLOCK: usize = 6;
/// A node with at most this many entries looks for a neighbour to merge with.
pub(crate) const SPARSE: usize = ROOM / 4;
/// Nodes that together have at most this many entries are merged.
pub(crate) const MAX_MERGED: usize = ROOM * 3 / 4;

const _: () = assert!(ROOM <= ALIGNMENT && SPARSE >= 2 && ROOM.is_multiple_of(BLOCK));

/// Sorts before all small integers; not a term.
// SAFETY: only its word is compared.
pub(crate) const BELOW_ALL: Term = unsafe { Term::from_bits(i64::MIN as u64) };
/// Sorts after all small integers except the greatest, which has the same word.
// SAFETY: only its word is compared.
pub(crate) const ABOVE_ALL: Term = unsafe { Term::from_bits(i64::MAX as u64) };

/// A leaf gets digests once it has this many entries; if they cannot be made, it tries again after as many more.
const DIGESTED: usize = 8;

/// Objects in the order of their keys.
#[repr(C, align(64))]
pub(crate) struct Leaf {
    begin: usize,
    end: usize,
    /// Whether all keys are small integers.
    pub(crate) is_plain: bool,
    /// Whether its digests are counted in the bytes of the tree.
    is_counted: bool,
    pub(crate) digests: Option<Box<Digests>>,
    pub(crate) previous: *mut Leaf,
    pub(crate) next: *mut Leaf,
    /// Each key is the term in its object.
    pub(crate) keys: [Term; ROOM],
    /// Each object is here once, at the index of its key, and belongs to the leaf.
    objects: [Option<NonNull<Head>>; ROOM],
}

/// Children in the order of their keys.
///
/// `keys[i]` separates child `i - 1` from child `i`: it is greater than all keys of the former, and not greater than
/// any key of the latter. It is an immediate, or else the first key of child `i`, because it must not outlive the
/// object of that key. `keys[0]` is [`BELOW_ALL`].
#[repr(C, align(64))]
pub(crate) struct Inner {
    pub(crate) count: usize,
    /// Whether all of `keys[1..]` are small integers.
    pub(crate) is_plain: bool,
    pub(crate) digests: Option<Digests>,
    pub(crate) keys: [Term; ROOM],
    pub(crate) children: [Node; ROOM],
}

/// A leaf or an inner node; the height tells which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node(pub *mut u8);

impl Node {
    pub(crate) const NONE: Node = Node(ptr::null_mut());

    #[inline]
    pub(crate) fn leaf(self) -> *mut Leaf {
        self.0.cast()
    }

    #[inline]
    pub(crate) fn inner(self) -> *mut Inner {
        self.0.cast()
    }
}

impl From<*mut Leaf> for Node {
    fn from(leaf: *mut Leaf) -> Node {
        Node(leaf.cast())
    }
}

impl From<*mut Inner> for Node {
    fn from(inner: *mut Inner) -> Node {
        Node(inner.cast())
    }
}

/// Compares a key in a node with the key sought. Most keys of a table have one shape; tuples of the same size that
/// differ first in a small integer are compared right here.
#[inline(always)]
pub(crate) fn order(other: Term, key: Term) -> Ordering {
    if let (Some(other_tuple), Some(tuple)) = (other.as_boxed(), key.as_boxed())
        && other_tuple.header() == tuple.header()
        && tuple.kind() == ObjectKind::Tuple
    {
        for index in 0..tuple.arity() {
            // SAFETY: both are tuples of more elements.
            let (one, another) = unsafe {
                (
                    other_tuple.term_unchecked(index),
                    tuple.term_unchecked(index),
                )
            };
            if one != another {
                // Small integers order as their words do.
                if one.is_small() && another.is_small() {
                    return (one.bits() as i64).cmp(&(another.bits() as i64));
                }
                return compare::compare(other, key);
            }
        }
        return Ordering::Equal;
    }
    compare::compare(other, key)
}

/// The number of words of a node that are not above `wanted`, fillers included.
#[inline(always)]
fn not_above<T: Copy>(words: &[T; ROOM], wanted: i64, word: impl Fn(T) -> i64) -> usize {
    let is_not_above = |other: T| usize::from(word(other) <= wanted);
    let mut blocks = 0;
    for block in 1..ROOM / BLOCK {
        blocks += is_not_above(words[block * BLOCK - 1]);
    }
    let first = blocks * BLOCK;
    let mut count = first;
    for other in &words[first..first + BLOCK] {
        count += is_not_above(*other);
    }
    count
}

/// Small integers order as their words do.
#[inline(always)]
fn word_of(key: Term) -> i64 {
    key.bits() as i64
}

/// Where to split a full node to insert an entry at `at`: nodes that grow at one end are left nearly full.
pub(crate) fn cut_for(at: usize) -> usize {
    match at {
        ROOM => ROOM - ROOM / 8,
        0 | 1 => ROOM / 8,
        _ => ROOM / 2,
    }
}

impl Leaf {
    pub(crate) fn new() -> *mut Leaf {
        Box::into_raw(Box::new(Leaf {
            begin: 0,
            end: 0,
            is_plain: true,
            is_counted: false,
            digests: None,
            previous: ptr::null_mut(),
            next: ptr::null_mut(),
            keys: [ABOVE_ALL; ROOM],
            objects: [None; ROOM],
        }))
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.end - self.begin
    }

    /// The index of the first entry.
    #[inline]
    pub(crate) fn begin(&self) -> usize {
        self.begin
    }

    /// The index behind the last entry.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The object of an entry.
    ///
    /// # Panics
    /// If there is no entry at this index; this goes for all functions that are given an entry's index.
    #[inline]
    pub(crate) fn object(&self, at: usize) -> ObjectRef<'_> {
        let object = self.objects[at].expect("an entry");
        // SAFETY: it belongs to this leaf, which is borrowed.
        unsafe { ObjectRef::from_raw(object) }
    }

    /// As [`Leaf::object`], to be changed in place. If its key moves, [`Leaf::reread_key`] must be called.
    #[inline]
    pub(crate) fn object_mut(&mut self, at: usize) -> ObjectMut<'_> {
        let object = self.objects[at].expect("an entry");
        // SAFETY: it belongs to this leaf, which is borrowed exclusively.
        unsafe { ObjectMut::from_raw(object) }
    }

    /// Prefetches the object of an entry, if there is one at this index.
    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        if let Some(Some(object)) = self.objects.get(at) {
            prefetch(object.as_ptr());
        }
    }

    #[inline]
    pub(crate) fn keys(&self) -> &[Term] {
        &self.keys[self.begin..self.end]
    }

    /// `Ok`: the index of a key. `Err`: the index where it would have to be.
    #[inline]
    pub(crate) fn search(&self, key: Term) -> Result<usize, usize> {
        if self.is_plain && key.is_small() {
            let end = not_above(&self.keys, word_of(key), word_of).clamp(self.begin, self.end);
            if end > self.begin && self.keys[end - 1] == key {
                return Ok(end - 1);
            }
            return Err(end);
        }
        self.search_slowly(key)
    }

    #[inline(never)]
    fn search_slowly(&self, key: Term) -> Result<usize, usize> {
        if let Some(digests) = &self.digests
            && let Some(word) = digests.word(key)
            && let Some(found) = self.search_digests(digests, word, key)
        {
            return found;
        }
        self.search_keys(key, self.begin..self.end)
    }

    /// As [`Leaf::search`], by digests; `None` if they cannot locate the key.
    #[inline]
    fn search_digests(
        &self,
        digests: &Digests,
        word: i64,
        key: Term,
    ) -> Option<Result<usize, usize>> {
        let (begin, end) = (self.begin, self.end);
        let until = not_above(&digests.words, word, |word| word).clamp(begin, end);
        let has_word = until > begin && digests.words[until - 1] == word;
        // If the key is there, no other key has to be looked at, as a rule.
        if has_word && order(self.keys[until - 1], key).is_eq() {
            return Some(Ok(until - 1));
        }
        if !digests.is_at_home(key, self.keys[begin]) {
            return None;
        }
        Some(if has_word {
            self.search_keys(key, digests.first_with(word, begin..until)..until)
        } else {
            Err(until)
        })
    }

    fn search_keys(&self, key: Term, places: Range<usize>) -> Result<usize, usize> {
        let first = places.start;
        match self.keys[places].binary_search_by(|other| order(*other, key)) {
            Ok(at) => Ok(first + at),
            Err(at) => Err(first + at),
        }
    }

    /// The change in the bytes of the digests since they were last counted; counts the present ones.
    pub(crate) fn count_digests(&mut self) -> i64 {
        let bytes = size_of::<Digests>() as i64;
        let counted = std::mem::replace(&mut self.is_counted, self.digests.is_some());
        (i64::from(self.is_counted) - i64::from(counted)) * bytes
    }

    /// Makes the digests again from scratch.
    fn digest(&mut self) {
        let digests = (!self.is_plain && self.count() >= DIGESTED)
            .then(|| Digests::of(self.keys(), self.begin))
            .flatten();
        match (&mut self.digests, digests) {
            (Some(old), Some(new)) => **old = new,
            (old, new) => *old = new.map(Box::new),
        }
    }

    /// The digest for a key that is inserted at an index. If the key has none, drops the digests of the leaf.
    #[inline]
    fn digest_for(&mut self, at: usize, key: Term) -> i64 {
        let Some(digests) = &self.digests else {
            return 0;
        };
        // A key between two others begins as they do.
        let is_between = self.begin < at && at < self.end;
        match digests.word(key) {
            Some(word) if is_between || digests.is_at_home(key, self.keys[self.begin]) => word,
            _ => {
                self.digests = None;
                0
            }
        }
    }

    /// Inserts an object at an index, before the one that is there.
    ///
    /// # Panics
    /// If there is no room, or if the index is not one of an entry or the one behind the last.
    #[inline]
    pub(crate) fn insert(&mut self, at: usize, key: Term, object: OwnedObject) {
        let (begin, end) = (self.begin, self.end);
        assert!(
            begin <= at && at <= end && end - begin < ROOM,
            "room for an entry"
        );
        let word = self.digest_for(at, key);
        let is_shorter_behind = end - at <= at - begin;
        if end < ROOM && (begin == 0 || is_shorter_behind) {
            if at < end {
                self.keys.copy_within(at..end, at + 1);
                self.objects.copy_within(at..end, at + 1);
            }
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(at..end, at + 1);
                digests.words[at] = word;
            }
            self.end = end + 1;
            self.put(at, key, object);
        } else {
            self.keys.copy_within(begin..at, begin - 1);
            self.objects.copy_within(begin..at, begin - 1);
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(begin..at, begin - 1);
                digests.words[at - 1] = word;
            }
            self.begin = begin - 1;
            self.put(at - 1, key, object);
        }
        if self.digests.is_none() && !self.is_plain && self.count().is_multiple_of(DIGESTED) {
            self.digest();
        }
    }

    /// Stores an object at an index whose object, if there was one, is now elsewhere.
    #[inline]
    fn put(&mut self, at: usize, key: Term, object: OwnedObject) {
        self.objects[at] = Some(object.into_raw());
        self.keys[at] = key;
        self.is_plain &= key.is_small();
    }

    /// Replaces the object of an entry by one with an equal key, which has the same digest. Returns the old one.
    #[inline]
    pub(crate) fn replace(&mut self, at: usize, key: Term, object: OwnedObject) -> OwnedObject {
        let old = self.objects[at].expect("an entry");
        self.put(at, key, object);
        // SAFETY: it belonged to this leaf, which no longer has it.
        unsafe { OwnedObject::from_raw(old) }
    }

    /// Stores the key of an entry anew, after its object was overwritten.
    #[inline]
    pub(crate) fn reread_key(&mut self, at: usize, keypos: usize) {
        let key = self.object(at).key(keypos);
        self.keys[at] = key;
        self.is_plain &= key.is_small();
    }

    /// Takes an entry out; returns its object.
    #[inline]
    pub(crate) fn remove(&mut self, at: usize) -> OwnedObject {
        let (begin, end) = (self.begin, self.end);
        assert!(begin <= at && at < end, "an entry");
        let object = self.objects[at].expect("an entry");
        if at - begin < end - at {
            if begin < at {
                self.keys.copy_within(begin..at, begin + 1);
                self.objects.copy_within(begin..at, begin + 1);
            }
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(begin..at, begin + 1);
                digests.words[begin] = word_of(BELOW_ALL);
            }
            self.keys[begin] = BELOW_ALL;
            self.objects[begin] = None;
            self.begin = begin + 1;
        } else {
            if at + 1 < end {
                self.keys.copy_within(at + 1..end, at);
                self.objects.copy_within(at + 1..end, at);
            }
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(at + 1..end, at);
                digests.words[end - 1] = word_of(ABOVE_ALL);
            }
            self.keys[end - 1] = ABOVE_ALL;
            self.objects[end - 1] = None;
            self.end = end - 1;
        }
        if self.begin == self.end {
            self.digests = None;
        }
        // SAFETY: it belonged to this leaf, which no longer has it.
        unsafe { OwnedObject::from_raw(object) }
    }

    /// Moves all entries to the beginning of the room.
    fn compact(&mut self) {
        let (begin, end) = (self.begin, self.end);
        self.keys.copy_within(begin..end, 0);
        self.objects.copy_within(begin..end, 0);
        (self.begin, self.end) = (0, end - begin);
        self.keys[self.end..end].fill(ABOVE_ALL);
        self.objects[self.end..end].fill(None);
    }

    /// Moves the entries from an index on to the end of another leaf, which has room for them.
    pub(crate) fn move_to(&mut self, other: &mut Leaf, from: usize) {
        other.compact();
        let moved = self.end - from;
        let places = other.end..other.end + moved;
        other.keys[places.clone()].copy_from_slice(&self.keys[from..self.end]);
        other.objects[places].swap_with_slice(&mut self.objects[from..self.end]);
        other.end += moved;
        self.keys[from..self.end].fill(ABOVE_ALL);
        self.end = from;
        for leaf in [self, other] {
            leaf.is_plain = leaf.keys().iter().all(|key| key.is_small());
            leaf.digest();
        }
    }
}

impl Inner {
    pub(crate) fn new() -> *mut Inner {
        let mut keys = [ABOVE_ALL; ROOM];
        keys[0] = BELOW_ALL;
        Box::into_raw(Box::new(Inner {
            count: 0,
            is_plain: true,
            digests: None,
            keys,
            children: [Node::NONE; ROOM],
        }))
    }

    /// The index of the child in which a key is or would have to be.
    #[inline]
    pub(crate) fn search(&self, key: Term) -> usize {
        if self.is_plain && key.is_small() {
            return not_above(&self.keys, word_of(key), word_of).min(self.count) - 1;
        }
        self.partition_slowly(key)
    }

    #[inline(never)]
    fn partition_slowly(&self, key: Term) -> usize {
        if let Some(digests) = &self.digests
            && self.count > 1
            && let Some(word) = digests.word(key)
            && digests.is_at_home(key, self.keys[1])
        {
            let until = not_above(&digests.words, word, |word| word).clamp(1, self.count);
            if until == 1 || digests.words[until - 1] != word {
                return until - 1;
            }
            let first = digests.first_with(word, 1..until);
            let keys = &self.keys[first..until];
            return first - 1 + keys.partition_point(|other| order(*other, key).is_le());
        }
        self.partition(|other| order(other, key).is_le())
    }

    /// The last child whose separating key is before the place that is sought, as `is_before` tells.
    pub(crate) fn partition(&self, is_before: impl Fn(Term) -> bool) -> usize {
        self.keys[1..self.count].partition_point(|key| is_before(*key))
    }

    /// Sets the only child.
    pub(crate) fn start(&mut self, child: Node) {
        self.children[0] = child;
        self.count = 1;
    }

    /// Inserts a child at an index, with the key that separates it from the one before; there must be room.
    pub(crate) fn insert(&mut self, at: usize, key: Term, child: Node) {
        let count = self.count;
        self.keys.copy_within(at..count, at + 1);
        self.children.copy_within(at..count, at + 1);
        self.keys[at] = key;
        self.children[at] = child;
        self.count = count + 1;
        self.is_plain &= key.is_small();
        self.digest();
    }

    /// Makes the digests again from scratch.
    fn digest(&mut self) {
        self.digests = (!self.is_plain && self.count > 1)
            .then(|| Digests::of(&self.keys[1..self.count], 1))
            .flatten();
    }

    /// Removes one of several children.
    pub(crate) fn remove(&mut self, at: usize) {
        let count = self.count;
        self.keys.copy_within(at + 1..count, at);
        self.children.copy_within(at + 1..count, at);
        self.count = count - 1;
        self.keys[count - 1] = ABOVE_ALL;
        self.keys[0] = BELOW_ALL;
        if let Some(digests) = &mut self.digests {
            digests.words.copy_within(at + 1..count, at);
            digests.words[count - 1] = word_of(ABOVE_ALL);
            digests.words[0] = word_of(BELOW_ALL);
        }
    }

    /// Replaces the key before a child.
    pub(crate) fn set_key(&mut self, at: usize, key: Term) {
        self.keys[at] = key;
        self.is_plain &= key.is_small();
        // The old key may have been freed, so the new one is compared with another key of the node.
        let other = if at == 1 { 2 } else { 1 };
        match &mut self.digests {
            Some(digests)
                if other < self.count
                    && let Some(word) = digests.word(key)
                    && digests.is_at_home(key, self.keys[other]) =>
            {
                digests.words[at] = word;
            }
            _ => self.digest(),
        }
    }

    /// Moves the children from an index on to the end of another node; `key` separates them from those already there.
    pub(crate) fn move_to(&mut self, other: &mut Inner, from: usize, key: Term) {
        let moved = self.count - from;
        let first = other.count;
        let places = first..first + moved;
        other.keys[places.clone()].copy_from_slice(&self.keys[from..self.count]);
        other.children[places].copy_from_slice(&self.children[from..self.count]);
        other.keys[first] = key;
        other.keys[0] = BELOW_ALL;
        other.count += moved;
        self.keys[from..self.count].fill(ABOVE_ALL);
        self.keys[0] = BELOW_ALL;
        self.count = from;
        for inner in [self, other] {
            let mut keys = inner.keys[..inner.count].iter().skip(1);
            inner.is_plain = keys.all(|key| key.is_small());
            inner.digest();
        }
    }
}
