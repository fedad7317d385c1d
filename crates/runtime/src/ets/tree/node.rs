//! Nodes of the tree of an ordered set: leaves with keys and objects, inner nodes with children.
//!
//! Keys stand together in a node, and a node of small integers alone is searched without a jump that depends on them.
//! Whoever holds the tree may touch its nodes; nothing here takes a lock.

use std::hint;
use std::ptr;

use layout::Term;
use term::compare;

use crate::ets::object::Object;

/// Entries of a node (`tables/ordered_set`). An index fits into the bits that a node's alignment leaves free.
pub const ROOM: usize = 48;
pub const ALIGNMENT: usize = 64;
/// Below so many entries a node looks for one to go together with.
pub const SPARSE: usize = ROOM / 4;
/// Nodes that have no more entries than this together become one.
pub const TOGETHER: usize = ROOM * 3 / 4;

const _: () = assert!(ROOM <= ALIGNMENT && SPARSE >= 2);

/// Objects in the order of their keys.
#[repr(C, align(64))]
pub struct Leaf {
    pub count: usize,
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
/// immediate, or the first key of child `i`, for then it must not outlive that key's object. `keys[0]` means nothing.
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

/// Where a key is, or where it would have to be.
#[inline]
pub fn search(keys: &[Term], is_plain: bool, key: Term) -> Result<usize, usize> {
    if !(is_plain && key.is_small()) {
        return keys.binary_search_by(|other| compare::compare(*other, key));
    }
    // Small integers are ordered as their words. What is compared does not say where the code goes on, so nothing is
    // guessed wrong.
    let wanted = key.bits() as i64;
    let (mut base, mut size) = (0, keys.len());
    while size > 1 {
        let middle = base + size / 2;
        let is_below = keys[middle].bits() as i64 <= wanted;
        base = hint::select_unpredictable(is_below, middle, base);
        size -= size / 2;
    }
    match keys.get(base) {
        None => Err(0),
        Some(found) if found.bits() as i64 == wanted => Ok(base),
        Some(found) => Err(base + usize::from((found.bits() as i64) < wanted)),
    }
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
            count: 0,
            is_plain: true,
            previous: ptr::null_mut(),
            next: ptr::null_mut(),
            keys: [Term::NONE; ROOM],
            objects: [ptr::null_mut(); ROOM],
        }))
    }

    #[inline]
    pub fn search(&self, key: Term) -> Result<usize, usize> {
        search(&self.keys[..self.count], self.is_plain, key)
    }

    /// Puts an object at a place; there is room.
    #[inline]
    pub fn insert(&mut self, at: usize, key: Term, object: *mut Object) {
        let count = self.count;
        self.keys[..=count].copy_within(at..count, at + 1);
        self.objects[..=count].copy_within(at..count, at + 1);
        self.set(at, key, object);
        self.count = count + 1;
    }

    #[inline]
    pub fn set(&mut self, at: usize, key: Term, object: *mut Object) {
        self.keys[at] = key;
        self.objects[at] = object;
        self.is_plain &= key.is_small();
    }

    #[inline]
    pub fn remove(&mut self, at: usize) -> *mut Object {
        let count = self.count;
        let object = self.objects[at];
        self.keys[..count].copy_within(at + 1.., at);
        self.objects[..count].copy_within(at + 1.., at);
        self.count = count - 1;
        object
    }

    /// Moves the entries from a place on behind those of another leaf.
    pub fn move_to(&mut self, other: &mut Leaf, from: usize) {
        let moved = self.count - from;
        let places = other.count..other.count + moved;
        other.keys[places.clone()].copy_from_slice(&self.keys[from..self.count]);
        other.objects[places].copy_from_slice(&self.objects[from..self.count]);
        other.count += moved;
        self.count = from;
        for leaf in [self, other] {
            leaf.is_plain = leaf.keys[..leaf.count].iter().all(|key| key.is_small());
        }
    }
}

impl Inner {
    pub fn new() -> *mut Inner {
        Box::into_raw(Box::new(Inner {
            count: 0,
            is_plain: true,
            keys: [Term::NONE; ROOM],
            children: [Node::NONE; ROOM],
        }))
    }

    /// The child in which a key is or would have to be.
    #[inline]
    pub fn search(&self, key: Term) -> usize {
        match search(&self.keys[1..self.count], self.is_plain, key) {
            Ok(at) => at + 1,
            Err(at) => at,
        }
    }

    /// The last child before which `is_before` says of the key that it is before the place that is sought.
    pub fn partition(&self, is_before: impl Fn(Term) -> bool) -> usize {
        self.keys[1..self.count].partition_point(|key| is_before(*key))
    }

    /// Puts a child behind another one; there is room.
    pub fn insert(&mut self, at: usize, key: Term, child: Node) {
        let count = self.count;
        self.keys[..=count].copy_within(at..count, at + 1);
        self.children[..=count].copy_within(at..count, at + 1);
        self.keys[at] = key;
        self.children[at] = child;
        self.count = count + 1;
        self.is_plain &= at == 0 || key.is_small();
    }

    pub fn remove(&mut self, at: usize) {
        let count = self.count;
        self.keys[..count].copy_within(at + 1.., at);
        self.children[..count].copy_within(at + 1.., at);
        self.count = count - 1;
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
        other.count += moved;
        self.count = from;
        for inner in [self, other] {
            let keys = inner.keys[..inner.count].iter().skip(1);
            inner.is_plain = keys.clone().all(|key| key.is_small());
        }
    }
}
