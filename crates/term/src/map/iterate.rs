//! Iterating over the pairs of a map, at once or in pieces.

use layout::limits::FLAT_MAP_PAIRS;
use layout::{Cons, Header, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::prepend_pair;
use super::views::{children, flat, is_flat, size};
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
    if is_flat(map) {
        let count = size(map);
        if path.as_small()? as u64 > count as u64 {
            return None;
        }
        return Some(match shape {
            NextFrom::Iterator if count == 0 => am::NONE,
            NextFrom::Iterator => chain_of_flat(heap, map),
            NextFrom::List(tail) if count == 0 => tail,
            NextFrom::List(tail) => list_of_flat(heap, map, tail),
        });
    }
    let limbs = limbs_of(path)?;
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
            walk.each_leaf(limit, |leaf| {
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
            });
            if let Some(path) = rest(heap, walk) {
                let next = build::cons(heap, path, map);
                // SAFETY: as above.
                unsafe { end.write(next) };
            }
            Some(first)
        }
        NextFrom::List(tail) => {
            let mut list = tail;
            walk.each_leaf(limit, |leaf| {
                list = prepend_pair(heap, leaf.head(), leaf.tail(), list);
            });
            Some(match rest(heap, walk) {
                Some(path) => build::list_with_tail(heap, &[path, map], list),
                None => list,
            })
        }
    }
}

/// `{K1, V1, {K2, V2, none}}`, all pairs of a flat map that has some. Their tuples lie one behind the other.
fn chain_of_flat<A: Allocate + ?Sized>(heap: &mut A, map: Term) -> Term {
    const WORDS: usize = 4;
    let (keys, values) = flat(map);
    let first = heap.allocate(WORDS * keys.len());
    let mut tuple = first;
    for (key, value) in keys.iter().zip(values) {
        let next = tuple.wrapping_add(WORDS);
        // SAFETY: fresh words for each pair; the next tuple begins behind them, or there is none, which is set below.
        unsafe {
            tuple.write(Header::new(ObjectKind::Tuple, 3).0);
            tuple.add(1).write(key.bits());
            tuple.add(2).write(value.bits());
            tuple.add(3).write(Term::from_boxed_pointer(next).bits());
        }
        tuple = next;
    }
    // SAFETY: the last word of the last tuple, since there is one.
    unsafe {
        tuple.sub(1).write(am::NONE.bits());
        Term::from_boxed_pointer(first)
    }
}

/// `[{K1, V1}, ... | Tail]`, all pairs of a flat map that has some, each behind its tuple.
fn list_of_flat<A: Allocate + ?Sized>(heap: &mut A, map: Term, tail: Term) -> Term {
    const TUPLE: usize = 3;
    const WORDS: usize = TUPLE + 2;
    let (keys, values) = flat(map);
    let first = heap.allocate(WORDS * keys.len());
    let mut tuple = first;
    for (key, value) in keys.iter().zip(values) {
        let next = tuple.wrapping_add(WORDS);
        // SAFETY: fresh words for each pair; the next cell is behind the next tuple, or there is none, which is set
        // below.
        unsafe {
            tuple.write(Header::new(ObjectKind::Tuple, 2).0);
            tuple.add(1).write(key.bits());
            tuple.add(2).write(value.bits());
            tuple
                .add(TUPLE)
                .write(Term::from_boxed_pointer(tuple).bits());
            let next_cell = next.wrapping_add(TUPLE).cast();
            tuple
                .add(TUPLE + 1)
                .write(Term::from_cons_pointer(next_cell).bits());
        }
        tuple = next;
    }
    // SAFETY: the tail of the last cell, since there is one; the first one is behind its tuple.
    unsafe {
        tuple.sub(1).write(tail.bits());
        Term::from_cons_pointer(first.add(TUPLE).cast())
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

/// A position in a trie: the nodes from the root on.
struct Walk {
    nodes: SmallVec<[Level; 8]>,
    /// Whether the last child of each node is visited first.
    backward: bool,
}

/// A node on the way to the next leaf, and which of its children are still to be visited.
struct Level {
    node: Term,
    next: *const Term,
    left: usize,
}

impl Level {
    /// A node whose first `visited` children in the order of the visit were or are being visited; `None` if it has
    /// fewer.
    #[inline]
    fn of(node: Term, visited: usize, backward: bool) -> Option<Level> {
        let children = children(node);
        let left = children.len().checked_sub(visited)?;
        // Behind the last child this is the end of the node, or, backward, the word before its first child; neither is
        // read.
        let next = match backward {
            false => children.as_ptr().wrapping_add(visited),
            true => children.as_ptr().wrapping_add(left).wrapping_sub(1),
        };
        Some(Level { node, next, left })
    }

    #[inline]
    fn next_child(&mut self, backward: bool) -> Option<Term> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: `next` is a child that is left; the moving rule keeps its node.
        let child = unsafe { *self.next };
        self.next = match backward {
            false => self.next.wrapping_add(1),
            true => self.next.wrapping_sub(1),
        };
        Some(child)
    }

    fn visited(&self) -> usize {
        children(self.node).len() - self.left
    }
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
            let mut place = Level::of(node, index, backward)?;
            let before = (place.next, place.left);
            let child = place.next_child(backward)?;
            if child.is_cons() {
                // The leaf is still to be visited.
                (place.next, place.left) = before;
                walk.nodes.push(place);
                return Some(walk);
            }
            walk.nodes.push(place);
            node = child;
        }
    }

    /// Calls a function with the next leaves, at most `limit`.
    #[inline]
    fn each_leaf(&mut self, mut limit: usize, mut visit: impl FnMut(Cons)) {
        let step = if self.backward { -1 } else { 1 };
        while limit > 0
            && let Some(level) = self.nodes.last_mut()
        {
            // What is left of a node is in registers meanwhile. Most children of the lowest nodes are leaves.
            let (mut next, mut left) = (level.next, level.left);
            let mut inner = None;
            while left > 0 && limit > 0 {
                // SAFETY: `next` is a child that is left; the moving rule keeps its node.
                let child = unsafe { *next };
                next = next.wrapping_offset(step);
                left -= 1;
                let Some(leaf) = child.as_cell() else {
                    inner = Some(child);
                    break;
                };
                visit(leaf);
                limit -= 1;
            }
            (level.next, level.left) = (next, left);
            match inner.and_then(|inner| Level::of(inner, 0, self.backward)) {
                Some(inner) => self.nodes.push(inner),
                None if left == 0 => {
                    self.nodes.pop();
                }
                None => {}
            }
        }
    }

    /// The path of the next leaf, as limbs; `None` at the end.
    fn path(mut self) -> Option<SmallVec<[u64; 2]>> {
        while self.nodes.last().is_some_and(|level| level.left == 0) {
            self.nodes.pop();
        }
        let last = self.nodes.len().checked_sub(1)?;
        let mut limbs: SmallVec<[u64; 2]> = SmallVec::from_elem(0, last / 16 + 1);
        for (level, place) in self.nodes.iter().enumerate() {
            // Only the last node's child is still to be visited; the others are being visited.
            let index = place.visited() - usize::from(level != last);
            limbs[level / 16] |= (index as u64) << (4 * (level % 16));
        }
        Some(limbs)
    }
}
