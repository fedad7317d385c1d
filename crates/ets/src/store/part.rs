//! A part of a table: what one lock guards. Most tables have one part; hash tables with write concurrency have
//! several, and a key's hash selects one.
//!
//! The caller holds the lock: shared for `&self`, exclusive for `&mut self`.

use layout::Term;
use term::compare;

use super::object::{New, ObjectMut, ObjectRef, OwnedObject, Verdict};
use super::shard::{Following, Shard, Share};
use super::tree::{Tree, WalkStart};
use crate::options::TableKind;

/// The objects behind one lock.
pub enum Part {
    Hash(Shard),
    Tree(Tree),
}

impl Part {
    /// Number of objects, to be summed over all parts: for one tree among several it may be negative.
    #[must_use]
    pub fn objects(&self) -> i64 {
        match self {
            Part::Hash(shard) => shard.objects() as i64,
            Part::Tree(tree) => tree.objects(),
        }
    }

    /// Bytes of the objects and of the structure around them, to be summed likewise.
    #[must_use]
    pub fn bytes(&self) -> i64 {
        match self {
            Part::Hash(shard) => shard.bytes() as i64,
            Part::Tree(tree) => tree.bytes(),
        }
    }

    /// Calls `visit` with each object that is kept, also those that are only marked as deleted.
    pub fn each(&self, visit: impl FnMut(ObjectRef<'_>)) {
        match self {
            Part::Hash(shard) => shard.all().for_each(visit),
            Part::Tree(tree) => tree.walk(WalkStart::Edge, false).for_each(visit),
        }
    }

    /// Calls `visit` with each object of a key, the newest first.
    #[inline]
    pub fn each_with_key(&self, key: Term, hash: u32, mut visit: impl FnMut(ObjectRef<'_>)) {
        match self {
            Part::Hash(shard) if shard.is_set() => {
                if let Some(object) = shard.newest(key, hash) {
                    visit(object);
                }
            }
            Part::Hash(shard) => shard.with_key(key, hash).for_each(visit),
            Part::Tree(tree) => {
                if let Some(object) = tree.get(key) {
                    visit(object);
                }
            }
        }
    }

    /// The newest object of a key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: Term, hash: u32) -> Option<ObjectRef<'_>> {
        match self {
            Part::Hash(shard) => shard.newest(key, hash),
            Part::Tree(tree) => tree.get(key),
        }
    }

    /// The one object of a key in a set, to be changed in place; its key must not change.
    #[inline]
    pub fn get_mut(&mut self, key: Term, hash: u32) -> Option<ObjectMut<'_>> {
        match self {
            Part::Hash(shard) => shard.get_mut(key, hash),
            Part::Tree(tree) => tree.get_mut(key),
        }
    }

    /// Prefetches the objects with a hash, in two steps: the second step reads what the first one prefetches.
    #[inline]
    pub fn prefetch(&self, hash: u32, is_second: bool) {
        match self {
            Part::Hash(shard) if is_second => shard.prefetch_first(hash),
            Part::Hash(shard) => shard.prefetch_slot(hash),
            Part::Tree(_) => {}
        }
    }

    /// Inserts an object. With `only_new`, returns false and does nothing if its key is there.
    #[inline(always)]
    pub fn insert(&mut self, new: impl Into<New>, only_new: bool, fixed: bool) -> bool {
        match self {
            Part::Hash(shard) => shard.insert(new.into(), only_new, fixed),
            Part::Tree(tree) => tree.insert(new, only_new),
        }
    }

    /// Deletes all objects of a key.
    pub fn remove_key(&mut self, key: Term, hash: u32, fixed: bool) {
        match self {
            Part::Hash(shard) => shard.remove_key(key, hash, fixed, |_| true),
            Part::Tree(tree) => tree.remove_key(key, |_| true),
        }
    }

    /// As [`Part::remove_key`]; calls `show` with each object first, the newest first.
    pub fn take_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        mut show: impl FnMut(ObjectRef<'_>),
    ) {
        let show = |object: ObjectRef<'_>| {
            show(object);
            true
        };
        match self {
            Part::Hash(shard) => shard.remove_key(key, hash, fixed, show),
            Part::Tree(tree) => tree.remove_key(key, show),
        }
    }

    /// Deletes the objects that equal a tuple.
    pub fn remove_object(&mut self, tuple: Term, key: Term, hash: u32, fixed: bool) {
        let equal = |object: ObjectRef<'_>| compare::eq_exact(object.open().tuple(), tuple);
        match self {
            Part::Hash(shard) => shard.remove_key(key, hash, fixed, equal),
            Part::Tree(tree) => tree.remove_key(key, equal),
        }
    }

    /// Keeps, removes or replaces each object of a key, as `judge` decides.
    pub(crate) fn judge_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        judge: impl FnMut(ObjectRef<'_>) -> Verdict,
    ) {
        match self {
            Part::Hash(shard) => shard.judge_key(key, hash, fixed, judge),
            Part::Tree(tree) => tree.judge_key(key, judge),
        }
    }

    /// Calls `change` with the object of a key in a set. It changes the object in place, or returns one with an equal
    /// key that replaces it. Returns false if there is no such object.
    #[inline]
    pub fn update(
        &mut self,
        key: Term,
        hash: u32,
        change: impl FnOnce(ObjectMut<'_>) -> Option<OwnedObject>,
    ) -> bool {
        match self {
            Part::Hash(shard) => shard.update(key, hash, change),
            Part::Tree(tree) => tree.update(key, change),
        }
    }

    /// The first object, or the last of an ordered set.
    #[must_use]
    pub fn first(&self, last: bool) -> Option<ObjectRef<'_>> {
        match self {
            Part::Hash(shard) => shard.first_from(0),
            Part::Tree(tree) => tree.edge(last),
        }
    }

    /// The object after those with a key, or before it in an ordered set.
    #[must_use]
    pub fn following(&self, key: Term, hash: u32, backwards: bool) -> Following<'_> {
        match self {
            Part::Hash(shard) => shard.following(key, hash),
            Part::Tree(tree) => tree
                .neighbour(key, backwards)
                .map_or(Following::End, Following::Object),
        }
    }

    /// Deletes all objects of a fixed table; returns how many there were.
    pub(crate) fn mark_all(&mut self) -> i64 {
        let objects = self.objects();
        match self {
            Part::Hash(shard) => {
                for slot in 0..shard.slots() {
                    shard.judge_slot(slot, true, |_| Verdict::Remove);
                }
            }
            Part::Tree(tree) => drop(tree.take()),
        }
        objects
    }

    /// As [`Shard::purge`]; an ordered set has no objects that are only marked as deleted.
    pub(crate) fn purge(&mut self, most: usize) -> usize {
        match self {
            Part::Hash(shard) => shard.purge(most),
            Part::Tree(_) => most,
        }
    }

    /// Frees about `count` objects of a part that was taken out of its table; returns how many.
    pub(crate) fn free_some(&mut self, count: usize) -> usize {
        match self {
            Part::Hash(shard) => shard.free_some(count),
            Part::Tree(tree) => tree.free_some(count),
        }
    }

    /// Takes everything out; the caller frees it outside the lock.
    #[must_use]
    pub(crate) fn take(&mut self) -> Part {
        match self {
            Part::Hash(shard) => Part::Hash(shard.take()),
            Part::Tree(tree) => Part::Tree(tree.take()),
        }
    }

    /// An empty part; an ordered set has no use for the slots and for what they are a share of.
    #[must_use]
    pub fn new(kind: TableKind, keypos: usize, first_slots: usize, share: Share) -> Part {
        if kind == TableKind::OrderedSet {
            Part::Tree(Tree::new(keypos))
        } else {
            Part::Hash(Shard::new(kind, keypos, first_slots, share))
        }
    }
}
