//! Iterating over the pairs of a map, at once or in pieces.

use layout::limits::FLAT_MAP_PAIRS;
use layout::{Cons, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::views::{children, flat, is_flat, size};
use super::{prepend_pair, trie};
use crate::heap::Allocate;
use crate::{am, build};

/// The pairs of a map in the order of OTP's iterators: by key for a flat map, by place in the trie
/// for a hash map. Valid as long as the map is.
pub struct Iter {
    /// The rest of a flat map.
    keys: *const Term,
    values: *const Term,
    count: usize,
    /// The rest of each node on the way to the next leaf: its next child and its end.
    nodes: SmallVec<[(*const Term, *const Term); 8]>,
}

/// The pairs of a map.
#[must_use]
pub fn iter(map: Term) -> Iter {
    let mut iter = Iter {
        keys: std::ptr::null(),
        values: std::ptr::null(),
        count: 0,
        nodes: SmallVec::new(),
    };
    if is_flat(map) {
        let (keys, values) = flat(map);
        iter.keys = keys.as_ptr();
        iter.values = values.as_ptr();
        iter.count = keys.len();
    } else {
        iter.nodes.push(range(map));
    }
    iter
}

fn range(node: Term) -> (*const Term, *const Term) {
    let children = children(node).as_ptr_range();
    (children.start, children.end)
}

impl Iterator for Iter {
    type Item = (Term, Term);

    #[inline]
    fn next(&mut self) -> Option<(Term, Term)> {
        if self.count > 0 {
            self.count -= 1;
            // SAFETY: as many keys and values are left; the moving rule keeps them.
            let pair = unsafe { (*self.keys, *self.values) };
            self.keys = self.keys.wrapping_add(1);
            self.values = self.values.wrapping_add(1);
            return Some(pair);
        }
        loop {
            let (next, end) = self.nodes.last_mut()?;
            if next == end {
                self.nodes.pop();
                continue;
            }
            // SAFETY: a child before the end; the moving rule keeps its node.
            let child = unsafe { **next };
            *next = next.wrapping_add(1);
            if let Some(pair) = child.as_cons() {
                return Some(pair);
            }
            self.nodes.push(range(child));
        }
    }
}

/// The form in which [`next_from`] returns the pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextFrom {
    /// `{K1, V1, {K2, V2, none | [Path | Map]}}`.
    Iterator,
    /// `[{K1, V1} | Tail]` in OTP's order, preceded by `Path` and `Map` if there are more pairs.
    List(Term),
}

/// `erts_internal:map_next/3`: up to `limit` pairs from a path on, and the path of the pair after them.
///
/// A path is an integer that selects a child at each level, with four bits a level, the root's in the lowest bits; 0 is
/// the first leaf. The first piece has at most 32 pairs. `None` if the path leads nowhere. Lists that are made from the
/// last leaf on ([`super::lists_forward`]) have paths that count from the last child.
#[must_use]
pub fn next_from<A: Allocate + ?Sized>(
    heap: &mut A,
    map: Term,
    path: Term,
    limit: usize,
    shape: NextFrom,
) -> Option<Term> {
    let limbs = limbs_of(path)?;
    if is_flat(map) {
        let (keys, values) = flat(map);
        if path.as_small()? as u64 > keys.len() as u64 {
            return None;
        }
        let pairs = keys.iter().zip(values).rev();
        return Some(match shape {
            NextFrom::Iterator => pairs.fold(am::NONE, |rest, (&key, &value)| {
                build::tuple(heap, &[key, value, rest])
            }),
            NextFrom::List(tail) => pairs.fold(tail, |list, (&key, &value)| {
                prepend_pair(heap, key, value, list)
            }),
        });
    }
    let mut limit = limit.clamp(1, size(map));
    if path == Term::small(0) {
        limit = limit.min(FLAT_MAP_PAIRS);
    }
    let backward = shape != NextFrom::Iterator && super::lists_forward();
    let mut walk = Walk::to(map, &limbs, backward)?;
    let rest = |heap: &mut A, walk: Walk| {
        let limbs = walk.path()?;
        Some(build::big(heap, false, &limbs))
    };
    match shape {
        NextFrom::Iterator => {
            let mut first = am::NONE;
            let mut end: *mut Term = &raw mut first;
            for leaf in std::iter::from_fn(|| walk.next_leaf()).take(limit) {
                let (tuple, elements) = build::tuple_uninit(heap, 3);
                // SAFETY: fresh words for the three elements; the place for the tuple is `first`, or the last element
                // of the tuple before, which this function has just made.
                unsafe {
                    elements.write(leaf.head());
                    elements.add(1).write(leaf.tail());
                    end.write(tuple);
                    end = elements.add(2);
                    end.write(am::NONE);
                }
            }
            if let Some(path) = rest(heap, walk) {
                let next = build::cons(heap, path, map);
                // SAFETY: as above.
                unsafe { end.write(next) };
            }
            Some(first)
        }
        NextFrom::List(tail) => {
            let mut list = tail;
            for leaf in std::iter::from_fn(|| walk.next_leaf()).take(limit) {
                list = prepend_pair(heap, leaf.head(), leaf.tail(), list);
            }
            Some(match rest(heap, walk) {
                Some(path) => build::list_with_tail(heap, &[path, map], list),
                None => list,
            })
        }
    }
}

fn limbs_of(path: Term) -> Option<SmallVec<[u64; 2]>> {
    if let Some(value) = path.as_small() {
        return u64::try_from(value)
            .ok()
            .map(|value| SmallVec::from_slice(&[value]));
    }
    if !path.is_kind(ObjectKind::PositiveBig) {
        return None;
    }
    path.as_big(no_gc!())
        .map(|(_, limbs)| SmallVec::from_slice(limbs))
}

/// A position in a trie: the nodes from the root on, each with the number of its children that were or are being
/// visited.
struct Walk {
    nodes: SmallVec<[(Term, usize); 8]>,
    /// Whether the last child of each node is visited first.
    backward: bool,
}

impl Walk {
    /// The position of the leaf that a path leads to; if the path ends above a leaf, of the first leaf below.
    fn to(map: Term, limbs: &[u64], backward: bool) -> Option<Walk> {
        let mut walk = Walk {
            nodes: SmallVec::new(),
            backward,
        };
        let mut node = map;
        loop {
            let level = walk.nodes.len();
            let limb = limbs.get(level / 16).copied().unwrap_or(0);
            let index = (limb >> (4 * (level % 16)) & 15) as usize;
            let child = trie::visited_child(node, index, backward)?;
            // In a node above the leaf's, the next child is the one after the child that is being visited.
            let visited = index + usize::from(!child.is_cons());
            walk.nodes.push((node, visited));
            if child.is_cons() {
                return Some(walk);
            }
            node = child;
        }
    }

    #[inline]
    fn next_leaf(&mut self) -> Option<Cons> {
        loop {
            let &(node, visited) = self.nodes.last()?;
            let Some(child) = trie::visited_child(node, visited, self.backward) else {
                self.nodes.pop();
                continue;
            };
            self.nodes.last_mut()?.1 += 1;
            if let Some(leaf) = child.as_cell() {
                return Some(leaf);
            }
            self.nodes.push((child, 0));
        }
    }

    /// The path of the next leaf, as limbs; `None` at the end.
    fn path(mut self) -> Option<SmallVec<[u64; 2]>> {
        while (self.nodes.last()).is_some_and(|&(node, visited)| visited == children(node).len()) {
            self.nodes.pop();
        }
        let last = self.nodes.len().checked_sub(1)?;
        let mut limbs: SmallVec<[u64; 2]> = SmallVec::from_elem(0, last / 16 + 1);
        for (level, &(_, visited)) in self.nodes.iter().enumerate() {
            // Only the last node's child is still to be visited; the others are being visited.
            let index = visited - usize::from(level != last);
            limbs[level / 16] |= (index as u64) << (4 * (level % 16));
        }
        Some(limbs)
    }
}
