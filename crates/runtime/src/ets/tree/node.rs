//! Nodes of the tree of an ordered set: leaves with keys and objects, inner nodes with children.
//!
//! ```text
//! keys   LEAST ... LEAST | k k k k k k | MOST ... MOST
//!        0               begin         end            ROOM
//! ```
//!
//! Room is left on both sides, so that what is put in or taken out moves the shorter side. What fills it sorts before and
//! behind all small integers: a node of these alone is searched in two steps of a fixed number of comparisons that do
//! not depend on each other, so that the processor neither waits for one to make the next nor guesses.
//!
//! Whoever holds the tree may touch its nodes; nothing here takes a lock.

use std::cmp::Ordering;
use std::ptr;

use layout::{Kind, Term};
use term::compare;

use crate::ets::object::Object;

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
const LEAST: Term = unsafe { Term::from_bits(i64::MIN as u64) };
/// Behind all small integers but the greatest, which has the same word.
// SAFETY: as above.
const MOST: Term = unsafe { Term::from_bits(i64::MAX as u64) };

/// Objects in the order of their keys.
#[repr(C, align(64))]
pub struct Leaf {
    pub begin: usize,
    pub end: usize,
    /// All keys are small integers.
    pub is_plain: bool,
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

/// How many of the keys of a node are not above a small integer; they all are small integers, as is what fills it.
#[inline(always)]
fn not_above(keys: &[Term; ROOM], wanted: Term) -> usize {
    // The order of small integers is that of their words.
    let is_not_above = |key: Term| usize::from(key.bits() as i64 <= wanted.bits() as i64);
    let mut blocks = 0;
    for block in 1..ROOM / BLOCK {
        blocks += is_not_above(keys[block * BLOCK - 1]);
    }
    let first = blocks * BLOCK;
    let mut count = first;
    for key in &keys[first..first + BLOCK] {
        count += is_not_above(*key);
    }
    count
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
            let end = not_above(&self.keys, key).clamp(self.begin, self.end);
            if end > self.begin && self.keys[end - 1] == key {
                return Ok(end - 1);
            }
            return Err(end);
        }
        self.search_slowly(key)
    }

    #[inline(never)]
    fn search_slowly(&self, key: Term) -> Result<usize, usize> {
        match self.keys().binary_search_by(|other| order(*other, key)) {
            Ok(at) => Ok(self.begin + at),
            Err(at) => Err(self.begin + at),
        }
    }

    /// Puts an object at a place, before the one that is there; there is room.
    #[inline]
    pub fn insert(&mut self, at: usize, key: Term, object: *mut Object) {
        let (begin, end) = (self.begin, self.end);
        let is_shorter_behind = end - at <= at - begin;
        if end < ROOM && (begin == 0 || is_shorter_behind) {
            if at < end {
                self.keys.copy_within(at..end, at + 1);
                self.objects.copy_within(at..end, at + 1);
            }
            self.end = end + 1;
            self.set(at, key, object);
        } else {
            self.keys.copy_within(begin..at, begin - 1);
            self.objects.copy_within(begin..at, begin - 1);
            self.begin = begin - 1;
            self.set(at - 1, key, object);
        }
    }

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
            self.keys[begin] = LEAST;
            self.begin = begin + 1;
        } else {
            if at + 1 < end {
                self.keys.copy_within(at + 1..end, at);
                self.objects.copy_within(at + 1..end, at);
            }
            self.keys[end - 1] = MOST;
            self.end = end - 1;
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
            keys,
            children: [Node::NONE; ROOM],
        }))
    }

    /// The child in which a key is or would have to be.
    #[inline]
    pub fn search(&self, key: Term) -> usize {
        if self.is_plain && key.is_small() {
            return not_above(&self.keys, key).min(self.count) - 1;
        }
        self.partition_slowly(key)
    }

    #[inline(never)]
    fn partition_slowly(&self, key: Term) -> usize {
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
    }

    /// Takes one of several children out.
    pub fn remove(&mut self, at: usize) {
        let count = self.count;
        self.keys.copy_within(at + 1..count, at);
        self.children.copy_within(at + 1..count, at);
        self.count = count - 1;
        self.keys[count - 1] = MOST;
        self.keys[0] = LEAST;
    }

    pub fn set_key(&mut self, at: usize, key: Term) {
        self.keys[at] = key;
        self.is_plain &= key.is_small();
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
        }
    }
}
