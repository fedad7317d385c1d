//! How a tree grows, shrinks, is split in two and merged.
//!
//! All functions need exclusive access to the tree. An object may be freed only when no key in the tree is part of it
//! any more; a key that separates children is replaced together with the object that it belongs to
//! ([`Tree::part_by`]).

use std::ptr;

use layout::Term;
use smallvec::SmallVec;

use super::Tree;
use super::node::{Inner, Leaf, MAX_MERGED, Node, ROOM, SPARSE, cut_for};
use crate::store::object::OwnedObject;

/// Inner nodes from the root down, each with the index of the child that comes next.
type Path = SmallVec<[(*mut Inner, usize); 8]>;

const LEAF_BYTES: i64 = size_of::<Leaf>() as i64;
const INNER_BYTES: i64 = size_of::<Inner>() as i64;

/// Whether a leaf with `count` entries left looks for another one to merge with. Not after each removal, because it
/// may find none.
#[inline]
pub(crate) fn is_to_be_joined(count: usize) -> bool {
    matches!(count, 0 | SPARSE) || count == SPARSE / 2
}

impl Tree {
    /// Makes the first leaf.
    pub(super) fn plant(&mut self) {
        let leaf = Leaf::new();
        self.node_bytes += LEAF_BYTES;
        (self.first, self.last) = (leaf, leaf);
        (self.root, self.height) = (leaf.into(), 0);
    }

    pub(super) fn path_to(&self, key: Term) -> Path {
        // SAFETY: `path_by` asks inner nodes of this tree.
        self.path_by(self.height, |inner| unsafe { (*inner).search(key) })
    }

    /// The node that a path leads to.
    ///
    /// # Safety
    /// The path is one of this tree, which has not changed since.
    pub(super) unsafe fn end_of(&self, path: &Path) -> Node {
        // SAFETY: inner nodes of this tree, each with a child at the index.
        path.last().map_or(self.root, |(inner, index)| unsafe {
            (&(**inner).children)[*index]
        })
    }

    /// The path through `levels` levels, along the children that `choose` selects.
    fn path_by(&self, levels: usize, choose: impl Fn(*mut Inner) -> usize) -> Path {
        let mut path = Path::new();
        let mut node = self.root;
        for _ in 0..levels.min(self.height) {
            let inner = node.inner();
            let index = choose(inner);
            path.push((inner, index));
            // SAFETY: above the leaves are live inner nodes, and `index` is one of its children.
            node = unsafe { (&(*inner).children)[index] };
        }
        path
    }

    /// Wherever `old`, the first key of a leaf and not an immediate, separates two children, puts `new` in its place.
    pub(super) fn part_by(&mut self, old: Term, new: Term) {
        if self.height > 0 {
            // SAFETY: a path of this tree, which is borrowed exclusively.
            unsafe { Self::part_path_by(&self.path_to(old), new) };
        }
    }

    /// Records that the first key below the end of a path has changed to `key`.
    ///
    /// # Safety
    /// The path is one of a tree that the caller has borrowed exclusively, and its nodes have not been freed since.
    pub(super) unsafe fn part_path_by(path: &[(*mut Inner, usize)], key: Term) {
        if let Some((inner, index)) = path.iter().rev().find(|(_, index)| *index > 0) {
            // SAFETY: a live inner node of the tree, which is borrowed exclusively.
            unsafe { (**inner).set_key(*index, key) };
        }
    }

    /// Inserts an object into a full leaf, splitting it.
    ///
    /// # Safety
    /// The leaf is one of this tree, and nobody has a reference to it.
    pub(super) unsafe fn split_leaf(
        &mut self,
        leaf: *mut Leaf,
        at: usize,
        key: Term,
        object: OwnedObject,
    ) {
        let path = self.path_to(key);
        let right = Leaf::new();
        self.node_bytes += LEAF_BYTES;
        // SAFETY: live leaves of this tree; the new one is linked in after the other.
        unsafe {
            let is_last = (*leaf).next.is_null();
            let cut = if is_last && at == ROOM {
                ROOM
            } else {
                cut_for(at)
            };
            (*leaf).move_to(&mut *right, cut);
            if at <= cut && cut < ROOM {
                (*leaf).insert(at, key, object);
            } else {
                (*right).insert(at - cut, key, object);
            }
            self.node_bytes += (*leaf).count_digests() + (*right).count_digests();
            (*right).next = (*leaf).next;
            (*right).previous = leaf;
            (*leaf).next = right;
            match (*right).next.as_mut() {
                Some(next) => next.previous = right,
                None => self.last = right,
            }
            let parting = (*right).keys()[0];
            self.add_child(path, parting, right.into());
        }
    }

    /// Inserts a node after the one that a path leads to.
    ///
    /// # Safety
    /// The path is one of this tree, which has not changed since; the node is of the same level as the one before, and
    /// no other leads to it.
    unsafe fn add_child(&mut self, mut path: Path, mut key: Term, mut node: Node) {
        while let Some((inner, index)) = path.pop() {
            let at = index + 1;
            // SAFETY: live inner nodes of this tree.
            unsafe {
                if (*inner).count < ROOM {
                    (*inner).insert(at, key, node);
                    return;
                }
                let right = Inner::new();
                self.node_bytes += INNER_BYTES;
                let cut = cut_for(at);
                let parting = (&(*inner).keys)[cut];
                (*inner).move_to(&mut *right, cut, parting);
                if at <= cut {
                    (*inner).insert(at, key, node);
                } else {
                    (*right).insert(at - cut, key, node);
                }
                (key, node) = (parting, right.into());
            }
        }
        let root = Inner::new();
        self.node_bytes += INNER_BYTES;
        // SAFETY: fresh, and not shared yet.
        unsafe {
            (*root).start(self.root);
            (*root).insert(1, key, node);
        }
        self.root = root.into();
        self.height += 1;
    }

    /// Merges a leaf that held the key `removed` and has few entries left with a neighbour, if they fit together;
    /// frees an empty leaf.
    ///
    /// # Safety
    /// The leaf is one of this tree, and nobody has a reference to it.
    pub(super) unsafe fn join_leaf(&mut self, leaf: *mut Leaf, removed: Term) {
        // SAFETY: live nodes of this tree, which is borrowed exclusively.
        unsafe {
            if (*leaf).count() == 0 {
                self.drop_leaf(leaf, self.path_to(removed));
                return;
            }
            // The key that separates the leaf from those before it may meanwhile be its present first key.
            let mut path = self.path_to((*leaf).keys()[0]);
            let Some(&(inner, index)) = path.last() else {
                return;
            };
            let children = &(&(*inner).children)[..(*inner).count];
            let fits = |other: usize| {
                let other = children.get(other)?.leaf();
                ((*other).count() + (*leaf).count() <= MAX_MERGED).then_some(other)
            };
            let (left, right, at) = if let Some(right) = fits(index + 1) {
                (leaf, right, index + 1)
            } else if let Some(left) = fits(index.wrapping_sub(1)) {
                (left, leaf, index)
            } else {
                return;
            };
            (*right).move_to(&mut *left, (*right).begin());
            self.node_bytes += (*left).count_digests();
            let place = path.last_mut().expect("the leaf's parent");
            place.1 = at;
            self.drop_leaf(right, path);
        }
    }

    /// Frees a leaf without entries, and the inner nodes that become empty with it.
    ///
    /// # Safety
    /// The leaf is one of this tree, nobody has a reference to it, and the path leads to it.
    unsafe fn drop_leaf(&mut self, leaf: *mut Leaf, path: Path) {
        self.fingers.clear();
        // SAFETY: live leaves of this tree; this one is no longer reachable when `drop_child` is done.
        unsafe {
            match (*leaf).previous.as_mut() {
                Some(previous) => previous.next = (*leaf).next,
                None => self.first = (*leaf).next,
            }
            match (*leaf).next.as_mut() {
                Some(next) => next.previous = (*leaf).previous,
                None => self.last = (*leaf).previous,
            }
            (*leaf).digests = None;
            self.node_bytes += (*leaf).count_digests();
            drop(Box::from_raw(leaf));
            self.node_bytes -= LEAF_BYTES;
            self.drop_child(path);
        }
    }

    /// Removes the child at the end of a path; that child is already freed.
    ///
    /// # Safety
    /// The path is one of this tree, which has not changed since, but for that child.
    unsafe fn drop_child(&mut self, mut path: Path) {
        while let Some((inner, index)) = path.pop() {
            // SAFETY: live inner nodes of this tree, which is borrowed exclusively.
            unsafe {
                if (*inner).count > 1 {
                    if index == 0 {
                        // The key that separated the first child from those before it may be part of its first
                        // object, which is gone.
                        Self::part_path_by(&path, (&(*inner).keys)[1]);
                    }
                    (*inner).remove(index);
                    if (*inner).count == SPARSE {
                        self.join_inner(inner, path);
                    }
                    self.lower();
                    return;
                }
                drop(Box::from_raw(inner));
                self.node_bytes -= INNER_BYTES;
            }
        }
        self.root = Node::NONE;
        self.height = 0;
    }

    /// Merges an inner node with a neighbour, if they fit together.
    ///
    /// # Safety
    /// `path` leads to `inner`, a node of this tree.
    unsafe fn join_inner(&mut self, inner: *mut Inner, mut path: Path) {
        let Some(place) = path.last_mut() else {
            return;
        };
        let (parent, index) = *place;
        // SAFETY: live inner nodes of this tree, all on one level except the parent.
        unsafe {
            let children = &(&(*parent).children)[..(*parent).count];
            let fits = |other: usize| {
                let other = children.get(other)?.inner();
                ((*other).count + (*inner).count <= MAX_MERGED).then_some(other)
            };
            let (left, right, at) = if let Some(right) = fits(index + 1) {
                (inner, right, index + 1)
            } else if let Some(left) = fits(index.wrapping_sub(1)) {
                (left, inner, index)
            } else {
                return;
            };
            let parting = (&(*parent).keys)[at];
            (*right).move_to(&mut *left, 0, parting);
            drop(Box::from_raw(right));
            self.node_bytes -= INNER_BYTES;
            place.1 = at;
            self.drop_child(path);
        }
    }

    /// While the root has only one child, makes that child the root.
    fn lower(&mut self) {
        while self.height > 0 {
            let root = self.root.inner();
            // SAFETY: a live inner node of this tree.
            unsafe {
                if (*root).count > 1 {
                    return;
                }
                self.root = (&(*root).children)[0];
                drop(Box::from_raw(root));
            }
            self.node_bytes -= INNER_BYTES;
            self.height -= 1;
        }
    }

    /// Frees the first leaf and its objects; returns how many objects.
    pub(super) fn free_leaf(&mut self) -> usize {
        if self.is_empty() {
            return 0;
        }
        let path = self.path_by(self.height, |_| 0);
        let leaf = self.first;
        // SAFETY: a live leaf of this tree, to which the path leads. No key that separates children is part of its
        // objects, because nothing comes before them.
        unsafe {
            let entries = &mut *leaf;
            let count = entries.count();
            while entries.count() > 0 {
                let object = entries.remove(entries.end() - 1);
                self.bytes -= object.get().bytes() as i64;
            }
            self.objects -= count as i64;
            self.drop_leaf(leaf, path);
            count
        }
    }

    /// Splits off about half of the tree, the upper part. Returns it, and a term that is not greater than any of its
    /// keys. `None` if there are fewer than two objects.
    ///
    /// The term is valid until either tree is changed.
    pub(crate) fn split_off(&mut self) -> Option<(Tree, Term)> {
        if self.is_empty() {
            return None;
        }
        self.fingers.clear();
        let mut upper = Tree::new(self.keypos);
        upper.height = self.height;
        // SAFETY: live nodes of this tree, which is borrowed exclusively; the upper ones are moved to the other tree.
        unsafe {
            if self.height == 0 {
                let leaf = self.root.leaf();
                let count = (*leaf).count();
                if count < 2 {
                    return None;
                }
                let right = Leaf::new();
                upper.node_bytes += LEAF_BYTES;
                (*leaf).move_to(&mut *right, (*leaf).begin() + count / 2);
                self.node_bytes += (*leaf).count_digests();
                upper.node_bytes += (*right).count_digests();
                upper.root = right.into();
                (upper.first, upper.last) = (right, right);
                return Some((upper, (*right).keys()[0]));
            }
            let root = self.root.inner();
            let cut = (*root).count / 2;
            let parting = (&(*root).keys)[cut];
            let right = Inner::new();
            upper.node_bytes += INNER_BYTES;
            (*root).move_to(&mut *right, cut, Term::NONE);
            upper.root = right.into();
            let mut node = upper.root;
            for _ in 0..upper.height {
                node = (&(*node.inner()).children)[0];
            }
            upper.first = node.leaf();
            upper.last = self.last;
            self.last = (*upper.first).previous;
            (*self.last).next = ptr::null_mut();
            (*upper.first).previous = ptr::null_mut();
            self.lower();
            upper.lower();
            Some((upper, parting))
        }
    }

    /// Takes over the contents of another tree, all of whose keys are above those of this one.
    pub(crate) fn append(&mut self, mut upper: Tree) {
        self.fingers.clear();
        self.objects += std::mem::take(&mut upper.objects);
        self.bytes += std::mem::take(&mut upper.bytes);
        self.node_bytes += std::mem::take(&mut upper.node_bytes);
        if upper.is_empty() {
            return;
        }
        if self.is_empty() {
            std::mem::swap(&mut self.root, &mut upper.root);
            std::mem::swap(&mut self.first, &mut upper.first);
            std::mem::swap(&mut self.last, &mut upper.last);
            std::mem::swap(&mut self.height, &mut upper.height);
            return;
        }
        // SAFETY: live nodes of both trees, which are owned or borrowed exclusively; those of the other become this
        // one's.
        unsafe {
            (*self.last).next = upper.first;
            (*upper.first).previous = self.last;
            let parting = (*upper.first).keys()[0];
            self.last = upper.last;
            let node = upper.root;
            let height = upper.height;
            (upper.root, upper.height) = (Node::NONE, 0);
            (upper.first, upper.last) = (ptr::null_mut(), ptr::null_mut());
            if self.height >= height {
                let levels = self.height - height;
                let path = self.path_by(levels, |inner| (*inner).count - 1);
                self.add_child(path, parting, node);
            } else {
                let lower = std::mem::replace(&mut self.root, node);
                let levels = height - self.height;
                self.height = height;
                let path = self.path_by(levels, |_| 0);
                let (inner, _) = path[levels - 1];
                let first = std::mem::replace(&mut (&mut (*inner).children)[0], lower);
                self.add_child(path, parting, first);
            }
        }
    }
}
