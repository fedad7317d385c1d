//! Nodes of the tree of an ordered set: leaves with keys and objects, inner nodes with children.
//!
//! ```text
//! keys   LEAST ... LEAST | k k k k k k | MOST ... MOST
//!        0               begin         end            ROOM
//! ```
//!
//! Room is left on both sides, so that what is put in or taken out moves the shorter side. What fills it sorts before and
//! behind all small integers: a node of these alone is searched in two steps of a fixed number of comparisons that do
//! not depend on each other, so that the processor neither waits for one to make the next nor guesses. For most others there are
//! words of which the same is true ([`digest`](super::digest)).
//!
//! Whoever holds the tree may touch its nodes; nothing here takes a lock.

use std::cmp::Ordering;
use std::ops::Range;
use std::ptr;

use layout::{Kind, Term};
use term::compare;

use super::digest::Digests;
use crate::store::object::Object;

/// Entries of a node (`tables/ordered_set`). An index fits into the bits that a node's alignment leaves free.
pub const ROOM: usize = 48;
pub const ALIGNMENT: usize = 64;
/// Keys that the second step of a search looks at.
const BLOCK: usize = 6;
/// Below so many entries a node looks for one to go together with.
pub const SPARSE: usize = ROOM / 4;
/// Nodes that have no more entries than this together become one.
pub const TOGETHER: usize = ROOM * 3 / 4;

const _: () = assert!(ROOM <= ALIGNMENT && SPARSE >= 2 && ROOM.is_multiple_of(BLOCK));

/// Before all small integers; no term.
// SAFETY: only the word is looked at.
pub const LEAST: Term = unsafe { Term::from_bits(i64::MIN as u64) };
/// Behind all small integers but the greatest, which has the same word.
// SAFETY: as above.
pub const MOST: Term = unsafe { Term::from_bits(i64::MAX as u64) };

/// A leaf has digests from so many entries on, and when it has none tries again after as many.
const DIGESTED: usize = 8;

/// Objects in the order of their keys.
#[repr(C, align(64))]
pub struct Leaf {
    pub begin: usize,
    pub end: usize,
    /// All keys are small integers.
    pub is_plain: bool,
    /// Its digests are counted in the bytes of the tree.
    is_counted: bool,
    pub digests: Option<Box<Digests>>,
    pub previous: *mut Leaf,
    pub next: *mut Leaf,
    /// Each the term in its object.
    pub keys: [Term; ROOM],
    pub objects: [*mut Object; ROOM],
}

/// Children in the order of their keys.
///
/// `keys[i]` parts child `i - 1` from child `i`: it is above all keys of the one, and not above any of the other. It is an
/// immediate, or the first key of child `i`, for then it must not outlive that key's object. `keys[0]` is [`LEAST`].
#[repr(C, align(64))]
pub struct Inner {
    pub count: usize,
    /// All of `keys[1..]` are small integers.
    pub is_plain: bool,
    pub digests: Option<Digests>,
    pub keys: [Term; ROOM],
    pub children: [Node; ROOM],
}

/// A leaf or an inner node; who follows it knows which by its height.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node(pub *mut u8);

impl Node {
    pub const NONE: Node = Node(ptr::null_mut());

    #[inline]
    pub fn leaf(self) -> *mut Leaf {
        self.0.cast()
    }

    #[inline]
    pub fn inner(self) -> *mut Inner {
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

/// The order of a key in a node and one that is sought. Most keys of a table are of one shape; that of tuples which differ in a
/// small integer is found here.
#[inline(always)]
pub fn order(other: Term, key: Term) -> Ordering {
    if other.is_boxed()
        && key.is_boxed()
        && other.header() == key.header()
        && key.header().kind() == Kind::Tuple
    {
        for index in 0..key.header().arity() {
            // The words of both are terms; of small integers they have the same order.
            let (one, another) = (other.word(index), key.word(index));
            if one != another {
                // SAFETY: the words of a tuple are terms.
                let (one, another) = unsafe { (Term::from_bits(one), Term::from_bits(another)) };
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

/// How many words of a node are not above one, what fills it included.
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

/// The order of small integers is that of their words.
#[inline(always)]
fn word_of(key: Term) -> i64 {
    key.bits() as i64
}

/// Where a full node is cut in two for an entry at a place: nodes that grow at one end are left nearly full.
pub fn cut_for(at: usize) -> usize {
    match at {
        ROOM => ROOM - ROOM / 8,
        0 | 1 => ROOM / 8,
        _ => ROOM / 2,
    }
}

impl Leaf {
    pub fn new() -> *mut Leaf {
        Box::into_raw(Box::new(Leaf {
            begin: 0,
            end: 0,
            is_plain: true,
            is_counted: false,
            digests: None,
            previous: ptr::null_mut(),
            next: ptr::null_mut(),
            keys: [MOST; ROOM],
            objects: [ptr::null_mut(); ROOM],
        }))
    }

    #[inline]
    pub fn count(&self) -> usize {
        self.end - self.begin
    }

    #[inline]
    pub fn keys(&self) -> &[Term] {
        &self.keys[self.begin..self.end]
    }

    /// Where a key is, or where it would have to be.
    #[inline]
    pub fn search(&self, key: Term) -> Result<usize, usize> {
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

    /// As [`Leaf::search`], by digests; `None` when they don't tell.
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
        // One that is there needs no other key to be looked at, as a rule.
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

    /// Whether there are digests still, or none any more, than the bytes of the tree say; from now on they are counted.
    pub fn count_digests(&mut self) -> i64 {
        let bytes = size_of::<Digests>() as i64;
        let counted = std::mem::replace(&mut self.is_counted, self.digests.is_some());
        (i64::from(self.is_counted) - i64::from(counted)) * bytes
    }

    /// Makes the digests anew.
    fn digest(&mut self) {
        let digests = (!self.is_plain && self.count() >= DIGESTED)
            .then(|| Digests::of(self.keys(), self.begin))
            .flatten();
        match (&mut self.digests, digests) {
            (Some(old), Some(new)) => **old = new,
            (old, new) => *old = new.map(Box::new),
        }
    }

    /// The digest of a key that is put in at a place; without one there are none any more.
    #[inline]
    fn digest_for(&mut self, at: usize, key: Term) -> i64 {
        let Some(digests) = &self.digests else {
            return 0;
        };
        // Between others it begins as they do.
        let is_between = self.begin < at && at < self.end;
        match digests.word(key) {
            Some(word) if is_between || digests.is_at_home(key, self.keys[self.begin]) => word,
            _ => {
                self.digests = None;
                0
            }
        }
    }

    /// Puts an object at a place, before the one that is there; there is room.
    #[inline]
    pub fn insert(&mut self, at: usize, key: Term, object: *mut Object) {
        let (begin, end) = (self.begin, self.end);
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
            self.set(at, key, object);
        } else {
            self.keys.copy_within(begin..at, begin - 1);
            self.objects.copy_within(begin..at, begin - 1);
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(begin..at, begin - 1);
                digests.words[at - 1] = word;
            }
            self.begin = begin - 1;
            self.set(at - 1, key, object);
        }
        if self.digests.is_none() && !self.is_plain && self.count().is_multiple_of(DIGESTED) {
            self.digest();
        }
    }

    /// Puts an object at a place, in place of one with an equal key, which has the same digest.
    #[inline]
    pub fn set(&mut self, at: usize, key: Term, object: *mut Object) {
        self.keys[at] = key;
        self.objects[at] = object;
        self.is_plain &= key.is_small();
    }

    #[inline]
    pub fn remove(&mut self, at: usize) -> *mut Object {
        let (begin, end) = (self.begin, self.end);
        let object = self.objects[at];
        if at - begin < end - at {
            if begin < at {
                self.keys.copy_within(begin..at, begin + 1);
                self.objects.copy_within(begin..at, begin + 1);
            }
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(begin..at, begin + 1);
                digests.words[begin] = word_of(LEAST);
            }
            self.keys[begin] = LEAST;
            self.begin = begin + 1;
        } else {
            if at + 1 < end {
                self.keys.copy_within(at + 1..end, at);
                self.objects.copy_within(at + 1..end, at);
            }
            if let Some(digests) = &mut self.digests {
                digests.words.copy_within(at + 1..end, at);
                digests.words[end - 1] = word_of(MOST);
            }
            self.keys[end - 1] = MOST;
            self.end = end - 1;
        }
        if self.begin == self.end {
            self.digests = None;
        }
        object
    }

    /// Has all entries stand at the beginning.
    fn compact(&mut self) {
        let (begin, end) = (self.begin, self.end);
        self.keys.copy_within(begin..end, 0);
        self.objects.copy_within(begin..end, 0);
        (self.begin, self.end) = (0, end - begin);
        self.keys[self.end..end].fill(MOST);
    }

    /// Moves the entries from a place on behind those of another leaf.
    pub fn move_to(&mut self, other: &mut Leaf, from: usize) {
        other.compact();
        let moved = self.end - from;
        let places = other.end..other.end + moved;
        other.keys[places.clone()].copy_from_slice(&self.keys[from..self.end]);
        other.objects[places].copy_from_slice(&self.objects[from..self.end]);
        other.end += moved;
        self.keys[from..self.end].fill(MOST);
        self.end = from;
        for leaf in [self, other] {
            leaf.is_plain = leaf.keys().iter().all(|key| key.is_small());
            leaf.digest();
        }
    }
}

impl Inner {
    pub fn new() -> *mut Inner {
        let mut keys = [MOST; ROOM];
        keys[0] = LEAST;
        Box::into_raw(Box::new(Inner {
            count: 0,
            is_plain: true,
            digests: None,
            keys,
            children: [Node::NONE; ROOM],
        }))
    }

    /// The child in which a key is or would have to be.
    #[inline]
    pub fn search(&self, key: Term) -> usize {
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

    /// The last child before which `is_before` says of the key that it is before the place that is sought.
    pub fn partition(&self, is_before: impl Fn(Term) -> bool) -> usize {
        self.keys[1..self.count].partition_point(|key| is_before(*key))
    }

    /// Puts the only child.
    pub fn start(&mut self, child: Node) {
        self.children[0] = child;
        self.count = 1;
    }

    /// Puts a child behind another one; there is room.
    pub fn insert(&mut self, at: usize, key: Term, child: Node) {
        let count = self.count;
        self.keys.copy_within(at..count, at + 1);
        self.children.copy_within(at..count, at + 1);
        self.keys[at] = key;
        self.children[at] = child;
        self.count = count + 1;
        self.is_plain &= key.is_small();
        self.digest();
    }

    /// Makes the digests anew.
    fn digest(&mut self) {
        self.digests = (!self.is_plain && self.count > 1)
            .then(|| Digests::of(&self.keys[1..self.count], 1))
            .flatten();
    }

    /// Takes one of several children out.
    pub fn remove(&mut self, at: usize) {
        let count = self.count;
        self.keys.copy_within(at + 1..count, at);
        self.children.copy_within(at + 1..count, at);
        self.count = count - 1;
        self.keys[count - 1] = MOST;
        self.keys[0] = LEAST;
        if let Some(digests) = &mut self.digests {
            digests.words.copy_within(at + 1..count, at);
            digests.words[count - 1] = word_of(MOST);
            digests.words[0] = word_of(LEAST);
        }
    }

    /// The key before a child is another one.
    pub fn set_key(&mut self, at: usize, key: Term) {
        self.keys[at] = key;
        self.is_plain &= key.is_small();
        // The key that was there may be gone, and with it what the digests are compared with.
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

    /// Moves the children from a place on behind those of another node; `key` parts them from those.
    pub fn move_to(&mut self, other: &mut Inner, from: usize, key: Term) {
        let moved = self.count - from;
        let first = other.count;
        let places = first..first + moved;
        other.keys[places.clone()].copy_from_slice(&self.keys[from..self.count]);
        other.children[places].copy_from_slice(&self.children[from..self.count]);
        other.keys[first] = key;
        other.keys[0] = LEAST;
        other.count += moved;
        self.keys[from..self.count].fill(MOST);
        self.keys[0] = LEAST;
        self.count = from;
        for inner in [self, other] {
            let mut keys = inner.keys[..inner.count].iter().skip(1);
            inner.is_plain = keys.all(|key| key.is_small());
            inner.digest();
        }
    }
}
