//! A part of a table: what one lock guards. Most tables are one part; hash tables with write
//! concurrency are several, and a key's hash says in which of them it is.
//!
//! The caller holds the lock: shared for `&self`, alone for `&mut self`.

use layout::Term;
use term::compare;

use super::object::{New, Object, OwnedObject};
use super::shard::{Following, Shard};
use super::tree::Tree;
use crate::{Kind, Verdict};

/// The objects behind one lock.
pub enum Part {
    Hash(Shard),
    Tree(Tree),
}

impl Part {
    /// Objects, to be summed up over all parts: a tree among several may have less than none.
    #[must_use]
    pub fn objects(&self) -> i64 {
        match self {
            Part::Hash(shard) => shard.objects() as i64,
            Part::Tree(tree) => tree.objects(),
        }
    }

    /// Bytes that the objects and the structure around them take, likewise.
    #[must_use]
    pub fn bytes(&self) -> i64 {
        match self {
            Part::Hash(shard) => shard.bytes() as i64,
            Part::Tree(tree) => tree.bytes(),
        }
    }

    /// Calls `visit` with each object of a key, the newest first.
    #[inline]
    pub fn each_with_key(&self, key: Term, hash: u32, mut visit: impl FnMut(&Object)) {
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
    pub fn get(&self, key: Term, hash: u32) -> Option<&Object> {
        match self {
            Part::Hash(shard) => shard.newest(key, hash),
            Part::Tree(tree) => tree.get(key),
        }
    }

    /// The one object of a key in a set, to be changed in place; its key stays.
    #[inline]
    pub fn get_mut(&mut self, key: Term, hash: u32) -> Option<&mut Object> {
        match self {
            Part::Hash(shard) => shard.get_mut(key, hash),
            Part::Tree(tree) => tree.get_mut(key),
        }
    }

    /// Has the processor fetch where objects with a hash are, in two steps: what the first fetches the second reads.
    #[inline]
    pub fn fetch(&self, hash: u32, is_second: bool) {
        match self {
            Part::Hash(shard) if is_second => shard.fetch_first(hash),
            Part::Hash(shard) => shard.fetch_slot(hash),
            Part::Tree(_) => {}
        }
    }

    /// Puts in an object. With `only_new` nothing happens when its key is there: false.
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

    /// As [`Part::remove_key`]; each object is shown before, the newest first.
    pub fn take_key(&mut self, key: Term, hash: u32, fixed: bool, mut show: impl FnMut(&Object)) {
        let show = |object: &Object| {
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
        let equal = |object: &Object| compare::eq_exact(object.open().tuple(), tuple);
        match self {
            Part::Hash(shard) => shard.remove_key(key, hash, fixed, equal),
            Part::Tree(tree) => tree.remove_key(key, equal),
        }
    }

    /// Changes the objects of a key as `judge` says.
    pub fn judge_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        judge: impl FnMut(&Object) -> Verdict,
    ) {
        match self {
            Part::Hash(shard) => shard.judge_key(key, hash, fixed, judge),
            Part::Tree(tree) => tree.judge_key(key, judge),
        }
    }

    /// Has `change` change the object of a key in a set in place, or make one with an equal key that takes its place; false
    /// when there is none.
    #[inline]
    pub fn update(
        &mut self,
        key: Term,
        hash: u32,
        change: impl FnOnce(&mut Object) -> Option<OwnedObject>,
    ) -> bool {
        match self {
            Part::Hash(shard) => shard.update(key, hash, change),
            Part::Tree(tree) => tree.update(key, change),
        }
    }

    /// The first object, or the last of an ordered set.
    #[must_use]
    pub fn first(&self, last: bool) -> Option<&Object> {
        match self {
            Part::Hash(shard) => shard.first_from(0),
            Part::Tree(tree) => tree.edge(last),
        }
    }

    /// The object behind those with a key, or before it in an ordered set.
    #[must_use]
    pub fn following(&self, key: Term, hash: u32, backwards: bool) -> Following<'_> {
        match self {
            Part::Hash(shard) => shard.following(key, hash),
            Part::Tree(tree) => tree
                .neighbour(key, backwards)
                .map_or(Following::End, Following::Object),
        }
    }

    /// Deletes all objects of a fixed table; answers how many there were.
    pub fn mark_all(&mut self) -> i64 {
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

    /// Frees what is only marked as deleted.
    pub fn purge(&mut self) {
        if let Part::Hash(shard) = self {
            shard.purge();
        }
    }

    /// Gives back room after many deletions.
    pub fn settle(&mut self, fixed: bool) {
        if let Part::Hash(shard) = self {
            shard.settle(fixed);
        }
    }

    /// Frees objects of a part that was taken out, about `most`; answers how many.
    pub fn free_some(&mut self, most: usize) -> usize {
        match self {
            Part::Hash(shard) => shard.free_some(most),
            Part::Tree(tree) => tree.free_some(most),
        }
    }

    /// Takes everything out; the caller frees it outside the lock.
    #[must_use]
    pub fn take(&mut self) -> Part {
        match self {
            Part::Hash(shard) => Part::Hash(shard.take()),
            Part::Tree(tree) => Part::Tree(tree.take()),
        }
    }

    #[must_use]
    pub fn new(kind: Kind, keypos: usize, first_slots: usize) -> Part {
        if kind == Kind::OrderedSet {
            Part::Tree(Tree::new(keypos))
        } else {
            Part::Hash(Shard::new(kind, keypos, first_slots))
        }
    }
}
