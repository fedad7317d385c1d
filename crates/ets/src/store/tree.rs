//! The objects of an ordered set: a B+-tree by key, in Erlang's term order, where `1` and `1.0` are one key.
//!
//! ```text
//! inner nodes      | key | key | key |        each key separates two children (`node::Inner`)
//! leaves       <-> keys, objects <-> ...      in a linked list, for walks
//! ```
//!
//! A key in a leaf is the term in its object; when the object is replaced, so is the key. The caller holds the lock
//! of the part: shared for `&self`, exclusive for `&mut self`.
//!
//! A program that traverses the table asks for one key after the other, and looks up the object of each. So the
//! position that was returned last is remembered ([`Fingers`]); a key found there needs no search.
//!
//! Trees that hold neighbouring ranges of one table are split off from each other and merged (`shape`). Their counts
//! are then right only as a sum over all of them.

mod digest;
pub(crate) mod node;
mod shape;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use layout::{Term, no_gc};
use smallvec::SmallVec;
use term::compare;

use super::object::{New, ObjectMut, ObjectRef, OwnedObject, Verdict};
use super::words;
use crate::match_spec::pattern;
use node::{ALIGNMENT, Leaf, Node, ROOM, SPARSE};
use runtime::mail::{current, schedulers};

/// Compares a pattern with a key as far as the pattern determines the order; returns `None` if the pattern may match
/// the key.
fn compare_pattern(pattern: Term, key: Term) -> Option<Ordering> {
    // Pairs still to be compared; the last one is next.
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
            if let (Some(parts), Some(key_parts)) =
                (pattern.as_tuple(no_gc!()), key.as_tuple(no_gc!()))
            {
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

/// Maximum number of fingers of a tree.
const MAX_FINGERS: usize = 16;

/// An object's position: a pointer to the byte of a leaf that has the number of the index, which is below its
/// alignment. Null if there is none.
#[repr(align(64))]
struct Finger(AtomicPtr<u8>);

/// The position that was returned last, for each scheduler: concurrent traversals have separate positions, on
/// separate cache lines. Allocated by the first traversal.
struct Fingers(OnceLock<Box<[Finger]>>);

impl Fingers {
    const fn new() -> Fingers {
        Fingers(OnceLock::new())
    }

    fn own(fingers: &[Finger]) -> &Finger {
        match fingers {
            [only] => only,
            _ => &fingers[current::current_number() % fingers.len()],
        }
    }

    #[inline]
    fn get(&self) -> Option<(*mut Leaf, usize)> {
        let place = Self::own(self.0.get()?).0.load(Relaxed);
        let index = place.addr() % ALIGNMENT;
        (!place.is_null()).then(|| (place.wrapping_sub(index).cast(), index))
    }

    #[inline]
    fn set(&self, leaf: *mut Leaf, index: usize) {
        let fingers = self.0.get_or_init(|| {
            let count = schedulers::count().min(MAX_FINGERS);
            let none = || Finger(AtomicPtr::new(ptr::null_mut()));
            (0..count).map(|_| none()).collect()
        });
        let place = leaf.cast::<u8>().wrapping_add(index);
        Self::own(fingers).0.store(place, Relaxed);
    }

    /// Clears the finger of this scheduler.
    fn forget(&self) {
        if let Some(fingers) = self.0.get() {
            Self::own(fingers).0.store(ptr::null_mut(), Relaxed);
        }
    }

    /// Must be called before a leaf is freed or moved to another tree.
    fn clear(&mut self) {
        for finger in self.0.get_mut().into_iter().flatten() {
            *finger.0.get_mut() = ptr::null_mut();
        }
    }
}

/// The objects of an ordered set, or of a range of it.
pub struct Tree {
    /// [`Node::NONE`] in an empty tree.
    root: Node,
    /// Number of levels of inner nodes.
    height: usize,
    first: *mut Leaf,
    last: *mut Leaf,
    fingers: Fingers,
    keypos: usize,
    /// Objects inserted less objects removed; negative if removed objects had been counted by another tree.
    objects: i64,
    /// Bytes of objects, counted likewise.
    bytes: i64,
    /// Bytes of nodes, counted likewise.
    node_bytes: i64,
}

// SAFETY: the nodes and objects belong to this tree alone.
unsafe impl Send for Tree {}
// SAFETY: shared access only reads, except for the fingers, which are atomic.
unsafe impl Sync for Tree {}

/// Where a walk begins.
#[derive(Clone, Copy)]
pub enum WalkStart {
    /// At the first object, or the last when going backwards.
    Edge,
    /// After this key, which need not exist.
    After(Term),
    /// At this key, or after where it would be.
    At(Term),
    /// At the first object whose key the pattern may match.
    Pattern(Term),
}

/// The objects from a position on, in order or backwards.
pub struct Walk<'a> {
    /// Null past the end. With the right to change the leaf, for those that have borrowed the tree exclusively.
    leaf: *mut Leaf,
    /// The index of the next object; when going backwards, one more than that.
    index: usize,
    backwards: bool,
    tree: PhantomData<&'a Tree>,
}

/// How a visit ended.
pub(crate) enum Visited<R> {
    /// At the last object.
    All,
    /// At the first object that is past what was asked for.
    UpToPast,
    /// The visitor stopped it.
    Stopped(R),
}

/// Where an object is: a leaf, and the number of objects before it there.
struct Spot {
    leaf: *mut Leaf,
    index: usize,
}

/// How many objects ahead a walk prefetches.
const PREFETCHED_AHEAD: usize = 4;

impl<'a> Walk<'a> {
    /// How many objects of the leaf are still to come, and the last key among them; `settle` has moved the walk to
    /// this leaf.
    fn rest_of(&self, leaf: &Leaf) -> (usize, Term) {
        if self.backwards {
            (self.index - leaf.begin(), leaf.keys[leaf.begin()])
        } else {
            (leaf.end() - self.index, leaf.keys[leaf.end() - 1])
        }
    }

    /// The position of the next object; moves the walk to the next leaf if necessary.
    #[inline]
    fn settle(&mut self) -> Option<(*mut Leaf, usize)> {
        let mut leaf = self.entries()?;
        loop {
            if self.backwards {
                if self.index > leaf.begin() {
                    return Some((self.leaf, self.index - 1));
                }
                self.leaf = leaf.previous;
                leaf = self.entries()?;
                self.index = leaf.end();
            } else {
                if self.index < leaf.end() {
                    return Some((self.leaf, self.index));
                }
                self.leaf = leaf.next;
                leaf = self.entries()?;
                self.index = leaf.begin();
            }
        }
    }

    /// The leaf that the walk has reached.
    #[inline(always)]
    fn entries(&self) -> Option<&'a Leaf> {
        // SAFETY: a walk begins at a leaf of a tree and follows the links between leaves; the tree is borrowed as long
        // as the walk lives.
        unsafe { self.leaf.as_ref() }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = ObjectRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<ObjectRef<'a>> {
        let (_, index) = self.settle()?;
        let leaf = self.entries()?;
        self.index = if self.backwards { index } else { index + 1 };
        let ahead = if self.backwards {
            index.wrapping_sub(PREFETCHED_AHEAD)
        } else {
            index + PREFETCHED_AHEAD
        };
        leaf.prefetch(ahead);
        Some(leaf.object(index))
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
    pub(crate) fn bytes(&self) -> i64 {
        self.bytes + self.node_bytes
    }

    /// Words of the objects as OTP counts them.
    #[must_use]
    pub(crate) fn words(&self) -> i64 {
        self.bytes / 8 + self.objects * words::MORE_IN_ORDER
    }

    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// The leaf in which a key is or would have to be; the tree must not be empty.
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

    /// The position of the object with a key.
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

    /// The position of the object with a key, if that was returned last.
    #[inline]
    fn at_hand(&self, key: Term) -> Option<(*mut Leaf, usize)> {
        let (leaf, index) = self.fingers.get()?;
        // SAFETY: fingers are cleared before a leaf is freed, so this one is live.
        let entries = unsafe { &*leaf };
        let is_there = (entries.begin()..entries.end()).contains(&index)
            && node::order(entries.keys[index], key).is_eq();
        is_there.then_some((leaf, index))
    }

    #[must_use]
    pub fn get(&self, key: Term) -> Option<ObjectRef<'_>> {
        let handed_out = match self.fingers.get() {
            // SAFETY: fingers are cleared before a leaf is freed, so this one is live.
            Some((leaf, index)) if unsafe { (&(*leaf).keys)[index] } == key => self.at_hand(key),
            Some(_) if !key.is_immediate() => {
                let found = self.at_hand(key);
                if found.is_none() {
                    // The caller is not the traversal, or the traversal has ended: comparing boxed keys on each call
                    // would cost too much.
                    self.fingers.forget();
                }
                found
            }
            _ => None,
        };
        let (leaf, index) = handed_out.or_else(|| self.find(key))?;
        // SAFETY: a live leaf of this tree, which is borrowed.
        Some(unsafe { &*leaf }.object(index))
    }

    /// Visits the objects from a position on, in order or backwards, up to the first key for which `is_past` holds;
    /// it must then hold for all keys after that. Stops when `visit` returns a value.
    pub(crate) fn visit<R>(
        &self,
        from: WalkStart,
        backwards: bool,
        is_past: impl Fn(Term) -> bool,
        mut visit: impl FnMut(ObjectRef<'_>) -> Option<R>,
    ) -> Visited<R> {
        self.visit_spots(from, backwards, is_past, |_, object| visit(object))
    }

    fn visit_spots<R>(
        &self,
        from: WalkStart,
        backwards: bool,
        is_past: impl Fn(Term) -> bool,
        mut visit: impl FnMut(Spot, ObjectRef<'_>) -> Option<R>,
    ) -> Visited<R> {
        let mut walk = self.walk(from, backwards);
        // Number of objects that come next and are known not to be past: most leaves need only one comparison.
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
                leaf,
                index: index - entries.begin(),
            };
            if let Some(object) = walk.next()
                && let Some(answer) = visit(spot, object)
            {
                return Visited::Stopped(answer);
            }
        }
        Visited::All
    }

    /// Visits objects in order as [`Tree::visit`] does, and keeps, removes or replaces each as `judge` decides.
    pub(crate) fn judge<R>(
        &mut self,
        from: WalkStart,
        is_past: impl Fn(Term) -> bool,
        mut judge: impl FnMut(ObjectRef<'_>) -> (Verdict, Option<R>),
    ) -> Visited<R> {
        // All are judged first and changed afterwards, because the tree must not change while it is walked.
        let mut verdicts: Vec<(Spot, Verdict)> = Vec::new();
        let visited = self.visit_spots(from, false, is_past, |spot, object| {
            let (verdict, answer) = judge(object);
            if !matches!(verdict, Verdict::Keep) {
                verdicts.push((spot, verdict));
            }
            answer
        });
        // SAFETY: the spots were taken by the visit, and the tree has been borrowed exclusively since before.
        unsafe { self.execute_all(verdicts) };
        visited
    }

    /// Carries out what was decided about objects, which are in order and at the given spots.
    ///
    /// Works from the last to the first: a change then moves nothing that comes before it, neither within a leaf nor
    /// among leaves, and a leaf that is freed is none of those still to be processed.
    ///
    /// # Safety
    /// The tree has not changed since the spots were taken.
    unsafe fn execute_all(&mut self, mut verdicts: Vec<(Spot, Verdict)>) {
        while let Some(mut verdict) = verdicts.pop() {
            let leaf = verdict.0.leaf;
            // SAFETY: a live leaf, and the tree is borrowed exclusively.
            let entries = unsafe { &mut *leaf };
            let first_key = entries.keys()[0];
            // Kept alive until no key in the tree points into it.
            let mut first = None;
            let mut any = false;
            loop {
                let (spot, judged) = verdict;
                let index = entries.begin() + spot.index;
                match judged {
                    Verdict::Keep => {}
                    Verdict::Replace(new) => self.replace(entries, index, new.into()),
                    Verdict::Remove => {
                        let object = entries.remove(index);
                        self.objects -= 1;
                        self.bytes -= object.get().bytes() as i64;
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
                self.part_by(first_key, entries.keys[entries.begin()]);
            }
            if any && entries.count() <= SPARSE {
                // SAFETY: a leaf of this tree, and `entries` is not used any more.
                unsafe { self.join_leaf(leaf, first_key) };
            }
        }
    }

    /// Calls `change` with the object with a key. It changes the object in place, or returns one with an equal key
    /// that replaces it. Returns false if there is no such object.
    pub fn update(
        &mut self,
        key: Term,
        change: impl FnOnce(ObjectMut<'_>) -> Option<OwnedObject>,
    ) -> bool {
        let Some((leaf, index)) = self.find(key) else {
            return false;
        };
        // SAFETY: a live leaf, and the tree is borrowed exclusively.
        let entries = unsafe { &mut *leaf };
        if let Some(new) = change(entries.object_mut(index)) {
            self.replace(entries, index, new.into());
        }
        true
    }

    /// The object with a key, to be changed in place; its key must not change.
    pub(crate) fn get_mut(&mut self, key: Term) -> Option<ObjectMut<'_>> {
        let (leaf, index) = self.find(key)?;
        // SAFETY: a live leaf, and the tree is borrowed exclusively.
        Some(unsafe { &mut *leaf }.object_mut(index))
    }

    /// The first object, or the last.
    #[must_use]
    pub(crate) fn edge(&self, last: bool) -> Option<ObjectRef<'_>> {
        self.walk(WalkStart::Edge, last).next()
    }

    /// The object after a key, which need not exist, or before it.
    #[must_use]
    pub fn neighbour(&self, key: Term, backwards: bool) -> Option<ObjectRef<'_>> {
        let mut walk = match self.at_hand(key) {
            Some((leaf, index)) => Walk {
                leaf,
                index: if backwards { index } else { index + 1 },
                backwards,
                tree: PhantomData,
            },
            None => self.walk(WalkStart::After(key), backwards),
        };
        let (leaf, index) = walk.settle()?;
        self.fingers.set(leaf, index);
        // The caller is about to copy the object's key; a boxed key is part of the object, which is then read.
        walk.next()
    }

    /// Walks over the objects from a position on, in order or backwards.
    #[must_use]
    pub fn walk(&self, from: WalkStart, backwards: bool) -> Walk<'_> {
        let (leaf, index) = match from {
            _ if self.is_empty() => (ptr::null_mut(), 0),
            // SAFETY: a live leaf of this tree, which is not empty.
            WalkStart::Edge if !backwards => (self.first, unsafe { (*self.first).begin() }),
            // SAFETY: a live leaf of this tree, which is not empty.
            WalkStart::Edge => (self.last, unsafe { (*self.last).end() }),
            WalkStart::After(key) | WalkStart::At(key) => {
                let leaf = self.leaf_of(key);
                let is_beside = matches!(from, WalkStart::At(_)) == backwards;
                // SAFETY: a live leaf of this tree, which is borrowed.
                let index = match unsafe { &*leaf }.search(key) {
                    Ok(index) if is_beside => index + 1,
                    Ok(index) | Err(index) => index,
                };
                (leaf, index)
            }
            WalkStart::Pattern(pattern) => {
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

    /// The position up to which `is_before` holds for all keys; the tree must not be empty.
    fn partition(&self, is_before: impl Fn(Term) -> bool) -> (*mut Leaf, usize) {
        let mut node = self.root;
        for _ in 0..self.height {
            // SAFETY: above the leaves are live inner nodes, each with a child at the index that it finds.
            node = unsafe {
                let inner = &*node.inner();
                inner.children[inner.partition(&is_before)]
            };
        }
        // SAFETY: a live leaf, if there is any.
        let leaf = unsafe { node.leaf().as_ref() }.expect("a tree with a leaf");
        let index = leaf.keys().partition_point(|key| is_before(*key));
        (node.leaf(), leaf.begin() + index)
    }

    /// Whether a key lies before the first key that a pattern may match; going backwards, whether it lies before the
    /// position after the last of those.
    #[must_use]
    pub(crate) fn is_before_matches(key: Term, pattern: Term, backwards: bool) -> bool {
        let order = compare_pattern(pattern, key);
        if backwards {
            order != Some(Ordering::Less)
        } else {
            order == Some(Ordering::Greater)
        }
    }

    /// Whether a key lies past all keys that the pattern may match, in the direction of the walk.
    #[must_use]
    pub(crate) fn is_past(key: Term, pattern: Term, backwards: bool) -> bool {
        let past = if backwards {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        compare_pattern(pattern, key) == Some(past)
    }

    /// The object at an index in the order of keys (from 0). If there is none, returns the number of objects.
    pub fn nth(&self, mut index: usize) -> Result<ObjectRef<'_>, usize> {
        let (mut leaf, mut passed) = (self.first, 0);
        // SAFETY: leaves of this tree.
        while let Some(entries) = unsafe { leaf.as_ref() } {
            if index < entries.count() {
                return Ok(entries.object(entries.begin() + index));
            }
            index -= entries.count();
            passed += entries.count();
            leaf = entries.next;
        }
        Err(passed)
    }

    /// Inserts an object. With `only_new`, returns false and does nothing if its key is there.
    pub(crate) fn insert(&mut self, new: impl Into<New>, only_new: bool) -> bool {
        let new = new.into();
        let key = new.key(self.keypos);
        if self.is_empty() {
            self.plant();
        }
        let (leaf, place) = self.place_for(key);
        // SAFETY: a live leaf, and the tree is borrowed exclusively.
        let entries = unsafe { &mut *leaf };
        match place {
            Ok(_) if only_new => return false,
            Ok(index) => self.replace(entries, index, new),
            Err(index) => {
                let object = new.into_object(self.keypos);
                // The key that was searched for may be on a process's heap; this one is in the object.
                let key = object.get().key(self.keypos);
                self.bytes += object.get().bytes() as i64;
                self.objects += 1;
                if entries.count() < ROOM {
                    entries.insert(index, key, object);
                    self.node_bytes += entries.count_digests();
                } else {
                    // SAFETY: a leaf of this tree, and `entries` is not used any more.
                    unsafe { self.split_leaf(leaf, index, key, object) };
                }
            }
        }
        true
    }

    /// Replaces an object by one with an equal key.
    fn replace(&mut self, entries: &mut Leaf, index: usize, new: New) {
        let old_key = entries.keys[index];
        let may_part = index == entries.begin() && !old_key.is_immediate();
        // At most the address of its key changes, and this key does not separate children.
        if !may_part && new.overwrite(&mut entries.object_mut(index)) {
            entries.reread_key(index, self.keypos);
            return;
        }
        let object = new.into_object(self.keypos);
        let key = object.get().key(self.keypos);
        self.bytes += object.get().bytes() as i64;
        if may_part {
            self.part_by(old_key, key);
        }
        // Dropped at the end: nothing in the tree points to it any more.
        let old = entries.replace(index, key, object);
        self.bytes -= old.get().bytes() as i64;
    }

    /// The leaf in which a key is or has to be inserted, and the index there. A key greater than all others needs no
    /// search.
    #[inline]
    fn place_for(&self, key: Term) -> (*mut Leaf, Result<usize, usize>) {
        // SAFETY: a live leaf, if there is any. All leaves have entries, except the first one of a new tree.
        let last = unsafe { self.last.as_ref() }.expect("a tree with a leaf");
        if last.count() == 0 || node::order(last.keys[last.end() - 1], key).is_lt() {
            return (self.last, Err(last.end()));
        }
        let leaf = self.leaf_of(key);
        // SAFETY: a live leaf.
        (leaf, unsafe { &*leaf }.search(key))
    }

    /// Deletes the object with a key, if `condemned` chooses it.
    pub(crate) fn remove_key(
        &mut self,
        key: Term,
        mut condemned: impl FnMut(ObjectRef<'_>) -> bool,
    ) {
        if self.is_empty() {
            return;
        }
        // Needed if the key may separate children: the inner node that it does so in is on the same path.
        let path = (!key.is_immediate()).then(|| self.path_to(key));
        let leaf = match &path {
            // SAFETY: the path was made above.
            Some(path) => unsafe { self.end_of(path) }.leaf(),
            None => self.leaf_of(key),
        };
        // SAFETY: a live leaf, and the tree is borrowed exclusively.
        let entries = unsafe { &mut *leaf };
        let Ok(index) = entries.search(key) else {
            return;
        };
        if !condemned(entries.object(index)) {
            return;
        }
        let removed = entries.keys[index];
        let was_first = index == entries.begin();
        // Freed at the end, when nothing in the tree points to it any more.
        let object = entries.remove(index);
        self.objects -= 1;
        self.bytes -= object.get().bytes() as i64;
        if was_first && entries.count() > 0 && !removed.is_immediate() {
            let first = entries.keys[entries.begin()];
            match path {
                // SAFETY: no inner node has changed since the path was made.
                Some(path) => unsafe { Self::part_path_by(&path, first) },
                None => self.part_by(removed, first),
            }
        }
        if shape::is_to_be_joined(entries.count()) {
            // SAFETY: a leaf of this tree, and `entries` is not used any more.
            unsafe { self.join_leaf(leaf, removed) };
        }
    }

    /// Keeps, removes or replaces the object with a key, as `judge` decides.
    pub(crate) fn judge_key(&mut self, key: Term, judge: impl FnOnce(ObjectRef<'_>) -> Verdict) {
        let Some((leaf, index)) = self.find(key) else {
            return;
        };
        // SAFETY: a live leaf, and the tree is borrowed exclusively.
        let entries = unsafe { &mut *leaf };
        match judge(entries.object(index)) {
            Verdict::Keep => {}
            Verdict::Remove => self.remove_key(key, |_| true),
            Verdict::Replace(new) => self.replace(entries, index, new.into()),
        }
    }

    /// Frees at least `count` objects, from the first on and up to the end of a leaf. Returns how many.
    pub(crate) fn free_some(&mut self, count: usize) -> usize {
        let mut freed = 0;
        while freed < count && !self.is_empty() {
            freed += self.free_leaf();
        }
        freed
    }

    /// Takes everything out, leaving an empty tree; the caller frees it outside the lock.
    #[must_use]
    pub(crate) fn take(&mut self) -> Tree {
        std::mem::replace(self, Tree::new(self.keypos))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.free_some(usize::MAX);
    }
}
