//! The objects of an ordered set: a B+-tree by key, in the order of the language, where `1` and `1.0` are one key.
//!
//! ```text
//! inner nodes      | key | key | key |        each key parts two children (`node::Inner`)
//! leaves       <-> keys, objects <-> ...      in a list, for walks
//! ```
//!
//! A key in a leaf is the term in its object; when the object is replaced, so is the key. The caller holds the lock of the
//! part: shared for `&self`, alone for `&mut self`.
//!
//! A program that walks through the table asks for one key after the other, and for its object in between. So the place
//! that was handed out last is kept ([`Fingers`]); a key that stands there needs no search.
//!
//! Trees that hold neighbouring ranges of one table are cut out of each other and put together (`shape`). What they count
//! is then right only as a sum over all of them.

mod digest;
pub mod node;
mod shape;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use layout::Term;
use smallvec::SmallVec;
use term::compare;

use super::object::{New, Object, OwnedObject, fetch};
use super::words;
use crate::Verdict;
use crate::match_spec::pattern;
use node::{ALIGNMENT, Leaf, Node, ROOM, SPARSE};
use runtime::scheduler;

/// The order of a pattern and a key as far as the pattern says; `None` when the pattern may match it.
fn compare_pattern(pattern: Term, key: Term) -> Option<Ordering> {
    // Pairs still to be compared, the next one last.
    let mut rest: SmallVec<[(Term, Term); 8]> = SmallVec::new();
    rest.push((pattern, key));
    while let Some((mut pattern, mut key)) = rest.pop() {
        loop {
            if pattern::is_wildcard(pattern) || pattern.is_map() {
                return None;
            }
            if let (Some((head, tail)), Some((key_head, key_tail))) =
                (pattern.as_cons(), key.as_cons())
            {
                rest.push((tail, key_tail));
                (pattern, key) = (head, key_head);
                continue;
            }
            if let (Some(parts), Some(key_parts)) = (pattern.as_tuple(), key.as_tuple()) {
                if parts.len() != key_parts.len() {
                    return Some(parts.len().cmp(&key_parts.len()));
                }
                rest.extend(parts.iter().copied().zip(key_parts.iter().copied()).rev());
                break;
            }
            match compare::compare(pattern, key) {
                Ordering::Equal => break,
                order => return Some(order),
            }
        }
    }
    None
}

/// Most fingers of a tree.
const MOST_FINGERS: usize = 16;

/// An object's place: a leaf, and in the bits that its alignment leaves free the index.
#[repr(align(64))]
struct Finger(AtomicU64);

/// The place that was handed out last, for each scheduler: those who walk side by side have places of their own, on cache
/// lines of their own. Made by the first walk.
struct Fingers(OnceLock<Box<[Finger]>>);

impl Fingers {
    const fn new() -> Fingers {
        Fingers(OnceLock::new())
    }

    fn own(fingers: &[Finger]) -> &Finger {
        match fingers {
            [only] => only,
            _ => &fingers[scheduler::current_number() % fingers.len()],
        }
    }

    #[inline]
    fn get(&self) -> Option<(*mut Leaf, usize)> {
        let place = Self::own(self.0.get()?).0.load(Relaxed);
        let index = place as usize % ALIGNMENT;
        (place != 0).then(|| ((place - index as u64) as *mut Leaf, index))
    }

    #[inline]
    fn set(&self, leaf: *mut Leaf, index: usize) {
        let fingers = self.0.get_or_init(|| {
            let count = scheduler::count().min(MOST_FINGERS);
            (0..count).map(|_| Finger(AtomicU64::new(0))).collect()
        });
        Self::own(fingers)
            .0
            .store(leaf as u64 + index as u64, Relaxed);
    }

    /// Takes the own finger away.
    fn forget(&self) {
        if let Some(fingers) = self.0.get() {
            Self::own(fingers).0.store(0, Relaxed);
        }
    }

    /// To be called before a leaf goes, or comes into another tree.
    fn clear(&mut self) {
        for finger in self.0.get_mut().into_iter().flatten() {
            *finger.0.get_mut() = 0;
        }
    }
}

/// The objects of an ordered set, or of a range of it.
pub struct Tree {
    /// None in an empty tree.
    root: Node,
    /// Levels of inner nodes.
    height: usize,
    first: *mut Leaf,
    last: *mut Leaf,
    fingers: Fingers,
    keypos: usize,
    /// Objects that came, less those that went; below zero when they came into another tree.
    objects: i64,
    /// Bytes of objects, likewise.
    bytes: i64,
    /// Bytes of nodes, likewise.
    node_bytes: i64,
}

// SAFETY: the nodes and objects are the tree's own.
unsafe impl Send for Tree {}
// SAFETY: shared access only reads, but for the fingers, which are atomic.
unsafe impl Sync for Tree {}

/// Where a walk begins.
#[derive(Clone, Copy)]
pub enum From {
    /// At the first object, or the last when going back.
    Outset,
    /// Behind this key, which needs not be there.
    After(Term),
    /// With this key, or behind where it would be.
    At(Term),
    /// With the first object whose key the pattern may match.
    Pattern(Term),
}

/// The objects from a place on, in order or backwards.
pub struct Walk<'a> {
    leaf: *const Leaf,
    /// Of the next object; when going back, one more than that.
    index: usize,
    backwards: bool,
    tree: PhantomData<&'a Tree>,
}

/// How visiting ended.
pub enum Visited<R> {
    /// With the last object.
    All,
    /// With the last one that is not past what was asked for.
    UpToPast,
    /// By the visitor.
    Stopped(R),
}

/// Where an object stands: a leaf, and how many come before it there.
struct Spot {
    leaf: *mut Leaf,
    index: usize,
}

/// How many objects before its turn a walk fetches one.
const FETCHED_AHEAD: usize = 4;

impl<'a> Walk<'a> {
    /// How many objects of its leaf come next, and the last key among them; the walk is settled there.
    fn rest_of(&self, leaf: &Leaf) -> (usize, Term) {
        if self.backwards {
            (self.index - leaf.begin, leaf.keys[leaf.begin])
        } else {
            (leaf.end - self.index, leaf.keys[leaf.end - 1])
        }
    }

    /// The place of the next object.
    #[inline]
    fn settle(&mut self) -> Option<(*const Leaf, usize)> {
        loop {
            // SAFETY: leaves of a tree that is borrowed as long as this.
            let leaf = unsafe { self.leaf.as_ref() }?;
            if self.backwards {
                if self.index > leaf.begin {
                    return Some((leaf, self.index - 1));
                }
                self.leaf = leaf.previous;
                // SAFETY: as above.
                self.index = unsafe { self.leaf.as_ref() }.map_or(0, |leaf| leaf.end);
            } else {
                if self.index < leaf.end {
                    return Some((leaf, self.index));
                }
                self.leaf = leaf.next;
                // SAFETY: as above.
                self.index = unsafe { self.leaf.as_ref() }.map_or(0, |leaf| leaf.begin);
            }
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = &'a Object;

    #[inline]
    fn next(&mut self) -> Option<&'a Object> {
        let (leaf, index) = self.settle()?;
        // SAFETY: as in `settle`, and `index` is one of its entries.
        let leaf = unsafe { &*leaf };
        self.index = if self.backwards { index } else { index + 1 };
        let ahead = if self.backwards {
            index.wrapping_sub(FETCHED_AHEAD)
        } else {
            index + FETCHED_AHEAD
        };
        if ahead < leaf.end {
            fetch(leaf.objects[ahead]);
        }
        // SAFETY: the objects of a tree live as long as they are in it.
        Some(unsafe { &*leaf.objects[index] })
    }
}

impl Tree {
    #[must_use]
    pub fn new(keypos: usize) -> Tree {
        Tree {
            root: Node::NONE,
            height: 0,
            first: ptr::null_mut(),
            last: ptr::null_mut(),
            fingers: Fingers::new(),
            keypos,
            objects: 0,
            bytes: 0,
            node_bytes: 0,
        }
    }

    #[must_use]
    pub fn objects(&self) -> i64 {
        self.objects
    }

    #[must_use]
    pub fn bytes(&self) -> i64 {
        self.bytes + self.node_bytes
    }

    /// Words as OTP counts them.
    #[must_use]
    pub fn words(&self) -> i64 {
        self.bytes / 8 + self.objects * words::MORE_IN_ORDER
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// The leaf in which a key is or would have to be; the tree is not empty.
    #[inline]
    fn leaf_of(&self, key: Term) -> *mut Leaf {
        let mut node = self.root;
        for _ in 0..self.height {
            // SAFETY: above the leaves are live inner nodes, each with a child at the index that it finds.
            node = unsafe {
                let inner = &*node.inner();
                inner.children[inner.search(key)]
            };
        }
        node.leaf()
    }

    /// The place of the object with a key.
    #[inline]
    fn find(&self, key: Term) -> Option<(*mut Leaf, usize)> {
        if self.is_empty() {
            return None;
        }
        let leaf = self.leaf_of(key);
        // SAFETY: a live leaf of this tree.
        let index = unsafe { &*leaf }.search(key).ok()?;
        Some((leaf, index))
    }

    /// The object with a key, if it was handed out last.
    #[inline]
    fn at_hand(&self, key: Term) -> Option<(*mut Leaf, usize)> {
        let (leaf, index) = self.fingers.get()?;
        // SAFETY: the finger is taken away before a leaf goes, so this one is live.
        let entries = unsafe { &*leaf };
        let is_there = (entries.begin..entries.end).contains(&index)
            && node::order(entries.keys[index], key).is_eq();
        is_there.then_some((leaf, index))
    }

    #[must_use]
    pub fn get(&self, key: Term) -> Option<&Object> {
        let handed_out = match self.fingers.get() {
            // SAFETY: as in `at_hand`.
            Some((leaf, index)) if unsafe { (&(*leaf).keys)[index] } == key => self.at_hand(key),
            Some(_) if !key.is_immediate() => {
                let found = self.at_hand(key);
                if found.is_none() {
                    // Not the one who walks, or he walks no more: to ask each time would cost too much.
                    self.fingers.forget();
                }
                found
            }
            _ => None,
        };
        let (leaf, index) = handed_out.or_else(|| self.find(key))?;
        // SAFETY: an entry of a live leaf.
        Some(unsafe { &*(&(*leaf).objects)[index] })
    }

    /// Visits the objects from a place on, in order or backwards, up to the first key for which `is_past` holds, as it does
    /// for all behind it. Ends when `visit` answers something.
    pub fn visit<R>(
        &self,
        from: From,
        backwards: bool,
        is_past: impl Fn(Term) -> bool,
        mut visit: impl FnMut(&Object) -> Option<R>,
    ) -> Visited<R> {
        self.visit_spots(from, backwards, is_past, |_, object| visit(object))
    }

    fn visit_spots<R>(
        &self,
        from: From,
        backwards: bool,
        is_past: impl Fn(Term) -> bool,
        mut visit: impl FnMut(Spot, &Object) -> Option<R>,
    ) -> Visited<R> {
        let mut walk = self.walk(from, backwards);
        // Objects that come next and are not past: one question for most leaves.
        let mut known = 0;
        while let Some((leaf, index)) = walk.settle() {
            // SAFETY: a leaf of this tree, which is borrowed.
            let entries = unsafe { &*leaf };
            if known == 0 {
                let (count, last) = walk.rest_of(entries);
                if !is_past(last) {
                    known = count;
                } else if is_past(entries.keys[index]) {
                    return Visited::UpToPast;
                } else {
                    known = 1;
                }
            }
            known -= 1;
            let spot = Spot {
                leaf: leaf.cast_mut(),
                index: index - entries.begin,
            };
            if let Some(object) = walk.next()
                && let Some(answer) = visit(spot, object)
            {
                return Visited::Stopped(answer);
            }
        }
        Visited::All
    }

    /// Visits objects in order as [`Tree::visit`] does, and changes them as `judge` says.
    pub fn judge<R>(
        &mut self,
        from: From,
        is_past: impl Fn(Term) -> bool,
        mut judge: impl FnMut(&Object) -> (Verdict, Option<R>),
    ) -> Visited<R> {
        // Judged first and changed afterwards, for the tree must stay as it is while it is walked.
        let mut verdicts: Vec<(Spot, Verdict)> = Vec::new();
        let visited = self.visit_spots(from, false, is_past, |spot, object| {
            let (verdict, answer) = judge(object);
            if !matches!(verdict, Verdict::Keep) {
                verdicts.push((spot, verdict));
            }
            answer
        });
        self.execute_all(verdicts);
        visited
    }

    /// Does what was decided about objects, which stand in order and where the spots say.
    ///
    /// From the last to the first: so what is done moves nothing that comes before, within a leaf and among leaves, and
    /// a leaf that goes is none of those to come.
    fn execute_all(&mut self, mut verdicts: Vec<(Spot, Verdict)>) {
        while let Some(mut verdict) = verdicts.pop() {
            let leaf = verdict.0.leaf;
            // SAFETY: a live leaf, and the tree is borrowed alone.
            let entries = unsafe { &mut *leaf };
            let first_key = entries.keys()[0];
            // Kept until nothing in the tree points to its key.
            let mut first = None;
            let mut any = false;
            loop {
                let (spot, judged) = verdict;
                let index = entries.begin + spot.index;
                match judged {
                    Verdict::Keep => {}
                    Verdict::Replace(new) => self.replace(entries, index, new.into()),
                    Verdict::Remove => {
                        // SAFETY: it was the tree's.
                        let object = unsafe { OwnedObject::from_raw(entries.remove(index)) };
                        self.objects -= 1;
                        self.bytes -= object.bytes() as i64;
                        any = true;
                        if spot.index == 0 {
                            first = Some(object);
                        }
                    }
                }
                match verdicts.pop_if(|(spot, _)| spot.leaf == leaf) {
                    Some(next) => verdict = next,
                    None => break,
                }
            }
            if first.is_some() && entries.count() > 0 && !first_key.is_immediate() {
                self.part_by(first_key, entries.keys[entries.begin]);
            }
            if any && entries.count() <= SPARSE {
                self.join_leaf(leaf, first_key);
            }
        }
    }

    /// Has `change` change the object with a key in place, or make one with an equal key that takes its place; false when
    /// there is none.
    pub fn update(
        &mut self,
        key: Term,
        change: impl FnOnce(&mut Object) -> Option<OwnedObject>,
    ) -> bool {
        let Some((leaf, index)) = self.find(key) else {
            return false;
        };
        // SAFETY: a live leaf, and the tree is borrowed alone.
        let entries = unsafe { &mut *leaf };
        // SAFETY: an object of this tree.
        if let Some(new) = change(unsafe { &mut *entries.objects[index] }) {
            self.replace(entries, index, new.into());
        }
        true
    }

    /// The object with a key, to be changed in place; its key stays.
    pub fn get_mut(&mut self, key: Term) -> Option<&mut Object> {
        let (leaf, index) = self.find(key)?;
        // SAFETY: an entry of a live leaf, and the tree is borrowed alone.
        Some(unsafe { &mut *(&(*leaf).objects)[index] })
    }

    /// The first object, or the last.
    #[must_use]
    pub fn edge(&self, last: bool) -> Option<&Object> {
        self.walk(From::Outset, last).next()
    }

    /// The object behind a key, which needs not be there, or before it.
    #[must_use]
    pub fn neighbour(&self, key: Term, backwards: bool) -> Option<&Object> {
        let mut walk = match self.at_hand(key) {
            Some((leaf, index)) => Walk {
                leaf,
                index: if backwards { index } else { index + 1 },
                backwards,
                tree: PhantomData,
            },
            None => self.walk(From::After(key), backwards),
        };
        let (leaf, index) = walk.settle()?;
        self.fingers.set(leaf.cast_mut(), index);
        // Its key is about to be copied, and where it is part of the object that is read.
        walk.next()
    }

    /// The objects from a place on, in order, or backwards.
    #[must_use]
    pub fn walk(&self, from: From, backwards: bool) -> Walk<'_> {
        let (leaf, index) = match from {
            _ if self.is_empty() => (ptr::null_mut(), 0),
            // SAFETY: a live leaf of this tree.
            From::Outset if !backwards => (self.first, unsafe { (*self.first).begin }),
            // SAFETY: as above.
            From::Outset => (self.last, unsafe { (*self.last).end }),
            From::After(key) | From::At(key) => {
                let leaf = self.leaf_of(key);
                let is_beside = matches!(from, From::At(_)) == backwards;
                // SAFETY: as above.
                let index = match unsafe { &*leaf }.search(key) {
                    Ok(index) if is_beside => index + 1,
                    Ok(index) | Err(index) => index,
                };
                (leaf, index)
            }
            From::Pattern(pattern) => {
                self.partition(|key| Tree::is_before_matches(key, pattern, backwards))
            }
        };
        Walk {
            leaf,
            index,
            backwards,
            tree: PhantomData,
        }
    }

    /// The place before which `is_before` holds for all keys; the tree is not empty.
    fn partition(&self, is_before: impl Fn(Term) -> bool) -> (*mut Leaf, usize) {
        let mut node = self.root;
        for _ in 0..self.height {
            // SAFETY: as in `leaf_of`.
            node = unsafe {
                let inner = &*node.inner();
                inner.children[inner.partition(&is_before)]
            };
        }
        // SAFETY: a live leaf.
        let leaf = unsafe { &*node.leaf() };
        let index = leaf.keys().partition_point(|key| is_before(*key));
        (node.leaf(), leaf.begin + index)
    }

    /// Whether a key lies before the place from which on a pattern may match keys; going back, whether it lies before the place
    /// behind all of those.
    #[must_use]
    pub fn is_before_matches(key: Term, pattern: Term, backwards: bool) -> bool {
        let order = compare_pattern(pattern, key);
        if backwards {
            order != Some(Ordering::Less)
        } else {
            order == Some(Ordering::Greater)
        }
    }

    /// Whether a key lies beyond all keys that the pattern may match.
    #[must_use]
    pub fn is_past(key: Term, pattern: Term, backwards: bool) -> bool {
        let past = if backwards {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        compare_pattern(pattern, key) == Some(past)
    }

    /// The object at a place in the order, counted from 0, or else how many there are.
    pub fn nth(&self, mut index: usize) -> Result<&Object, usize> {
        let (mut leaf, mut passed) = (self.first, 0);
        // SAFETY: leaves of this tree, and entries of theirs.
        while let Some(entries) = unsafe { leaf.as_ref() } {
            if index < entries.count() {
                // SAFETY: as above.
                return Ok(unsafe { &*entries.objects[entries.begin + index] });
            }
            index -= entries.count();
            passed += entries.count();
            leaf = entries.next;
        }
        Err(passed)
    }

    /// Puts in an object. With `only_new` nothing happens when its key is there: false.
    pub fn insert(&mut self, new: impl Into<New>, only_new: bool) -> bool {
        let new = new.into();
        let key = new.key(self.keypos);
        if self.is_empty() {
            self.plant();
        }
        let (leaf, place) = self.place_for(key);
        // SAFETY: a live leaf, and the tree is borrowed alone.
        let entries = unsafe { &mut *leaf };
        match place {
            Ok(_) if only_new => return false,
            Ok(index) => self.replace(entries, index, new),
            Err(index) => {
                let object = new.into_object(self.keypos);
                // The one that was sought may be the process's.
                let key = object.key(self.keypos);
                self.bytes += object.bytes() as i64;
                self.objects += 1;
                let object = object.into_raw();
                if entries.count() < ROOM {
                    entries.insert(index, key, object);
                    self.node_bytes += entries.count_digests();
                } else {
                    self.split_leaf(leaf, index, key, object);
                }
            }
        }
        true
    }

    /// Puts an object in place of one with an equal key.
    fn replace(&mut self, entries: &mut Leaf, index: usize, new: New) {
        let old_key = entries.keys[index];
        let old = entries.objects[index];
        let may_part = index == entries.begin && !old_key.is_immediate();
        // SAFETY: an object of this tree, which is borrowed alone. Its key changes its address at most, and is then no
        // key that parts children.
        if !may_part && new.overwrite(unsafe { &mut *old }) {
            // SAFETY: as above.
            let key = unsafe { (*old).key(self.keypos) };
            entries.set(index, key, old);
            return;
        }
        let object = new.into_object(self.keypos);
        let key = object.key(self.keypos);
        self.bytes += object.bytes() as i64;
        if may_part {
            self.part_by(old_key, key);
        }
        entries.set(index, key, object.into_raw());
        // SAFETY: it was the tree's, and nothing in the tree points to it any more.
        let old = unsafe { OwnedObject::from_raw(old) };
        self.bytes -= old.bytes() as i64;
    }

    /// The leaf in which a key is or has to be put, and where. What is put in behind everything needs no search.
    #[inline]
    fn place_for(&self, key: Term) -> (*mut Leaf, Result<usize, usize>) {
        // SAFETY: the last leaf of a tree that is not empty; leaves have entries, but for a new tree's first.
        let last = unsafe { &*self.last };
        if last.count() == 0 || node::order(last.keys[last.end - 1], key).is_lt() {
            return (self.last, Err(last.end));
        }
        let leaf = self.leaf_of(key);
        // SAFETY: a live leaf.
        (leaf, unsafe { &*leaf }.search(key))
    }

    /// Deletes the object with a key, if `condemned` chooses it.
    pub fn remove_key(&mut self, key: Term, mut condemned: impl FnMut(&Object) -> bool) {
        if self.is_empty() {
            return;
        }
        // For a key that may part children: those are found on the same path.
        let path = (!key.is_immediate()).then(|| self.path_to(key));
        let leaf = match &path {
            Some(path) => self.end_of(path).leaf(),
            None => self.leaf_of(key),
        };
        // SAFETY: a live leaf, and the tree is borrowed alone.
        let entries = unsafe { &mut *leaf };
        let Ok(index) = entries.search(key) else {
            return;
        };
        // SAFETY: an object of this tree.
        if !condemned(unsafe { &*entries.objects[index] }) {
            return;
        }
        let removed = entries.keys[index];
        let was_first = index == entries.begin;
        // SAFETY: it was the tree's; it is freed at the end, when nothing in the tree points to it any more.
        let object = unsafe { OwnedObject::from_raw(entries.remove(index)) };
        self.objects -= 1;
        self.bytes -= object.bytes() as i64;
        if was_first && entries.count() > 0 && !removed.is_immediate() {
            let first = entries.keys[entries.begin];
            match path {
                Some(path) => Self::part_path_by(&path, first),
                None => self.part_by(removed, first),
            }
        }
        if shape::is_to_be_joined(entries.count()) {
            self.join_leaf(leaf, removed);
        }
    }

    /// Changes the object with a key as `judge` says.
    pub fn judge_key(&mut self, key: Term, judge: impl FnOnce(&Object) -> Verdict) {
        let Some((leaf, index)) = self.find(key) else {
            return;
        };
        // SAFETY: a live leaf, and the tree is borrowed alone.
        let entries = unsafe { &mut *leaf };
        // SAFETY: an object of this tree.
        match judge(unsafe { &*entries.objects[index] }) {
            Verdict::Keep => {}
            Verdict::Remove => self.remove_key(key, |_| true),
            Verdict::Replace(new) => self.replace(entries, index, new.into()),
        }
    }

    /// Frees objects from the first on, `most` and then to the end of a leaf; answers how many.
    pub fn free_some(&mut self, most: usize) -> usize {
        let mut freed = 0;
        while freed < most && !self.is_empty() {
            freed += self.free_leaf();
        }
        freed
    }

    /// Takes everything out, leaving an empty tree; the caller frees it outside the lock.
    #[must_use]
    pub fn take(&mut self) -> Tree {
        std::mem::replace(self, Tree::new(self.keypos))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.free_some(usize::MAX);
    }
}
