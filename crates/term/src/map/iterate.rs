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
    let path_of = |heap: &mut A, rest: &[u64]| build::big(heap, false, rest);
    match shape {
        NextFrom::Iterator => {
            let mut first = am::NONE;
            let mut end: *mut Term = &raw mut first;
            let rest = walk(map, &limbs, limit, backward, |leaf| {
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
            })?;
            if let Some(rest) = rest {
                let path = path_of(heap, &rest);
                let next = build::cons(heap, path, map);
                // SAFETY: as above.
                unsafe { end.write(next) };
            }
            Some(first)
        }
        NextFrom::List(tail) => {
            let mut list = tail;
            let rest = walk(map, &limbs, limit, backward, |leaf| {
                list = prepend_pair(heap, leaf.head(), leaf.tail(), list);
            })?;
            Some(match rest {
                Some(rest) => {
                    let path = path_of(heap, &rest);
                    build::list_with_tail(heap, &[path, map], list)
                }
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

/// A walk over leaves of a trie, from the one that a path leads to on. It recurses, as deep as the trie is: what is
/// left of a node is in registers while the nodes below it are visited.
struct Walk<'a, V> {
    /// The path to the first leaf, as long as that is not reached.
    from: Option<&'a [u64]>,
    /// Number of leaves to visit.
    left: usize,
    /// Whether the last child of each node is visited first.
    backward: bool,
    visit: V,
    /// The path of the leaf after those that were visited, once it is found.
    rest: SmallVec<[u64; 2]>,
}

/// How the walk below a node ended.
enum End {
    /// There is nothing more below the node.
    Behind,
    /// At a leaf that is left for later.
    AtLeaf,
    /// The path that was given leads nowhere.
    Nowhere,
}

/// Which limb of a path has the bits of a level, and at which of its bits.
fn place_in_path(level: usize) -> (usize, usize) {
    (level / 16, level % 16 * 4)
}

/// Calls a function with leaves from a path on, at most `limit`; if the path ends above a leaf, from the first leaf
/// below. Returns the path of the leaf after them, if there is one; nothing if the path leads nowhere.
#[inline]
fn walk(
    map: Term,
    from: &[u64],
    limit: usize,
    backward: bool,
    visit: impl FnMut(Cons),
) -> Option<Option<SmallVec<[u64; 2]>>> {
    let mut walk = Walk {
        from: Some(from),
        left: limit,
        backward,
        visit,
        rest: SmallVec::new(),
    };
    match walk.below(map, 0) {
        End::Behind => Some(None),
        End::AtLeaf => Some(Some(walk.rest)),
        End::Nowhere => None,
    }
}

impl<V: FnMut(Cons)> Walk<'_, V> {
    /// Visits the leaves below a node, which is at this level.
    fn below(&mut self, node: Term, level: usize) -> End {
        let children = children(node);
        let first = match self.from {
            Some(path) => {
                let (limb, bit) = place_in_path(level);
                (path.get(limb).copied().unwrap_or(0) >> bit & 15) as usize
            }
            None => 0,
        };
        if first >= children.len() {
            return End::Nowhere;
        }
        for index in first..children.len() {
            let child = match self.backward {
                false => children[index],
                true => children[children.len() - 1 - index],
            };
            let end = match child.as_cell() {
                Some(leaf) if self.left > 0 => {
                    self.left -= 1;
                    self.from = None;
                    (self.visit)(leaf);
                    continue;
                }
                Some(_) => End::AtLeaf,
                None => self.below(child, level + 1),
            };
            match end {
                End::Behind => {}
                End::AtLeaf => {
                    self.note(level, index);
                    return End::AtLeaf;
                }
                End::Nowhere => return End::Nowhere,
            }
        }
        End::Behind
    }

    /// The path to the leaf that is left takes this child at this level.
    #[cold]
    fn note(&mut self, level: usize, index: usize) {
        let (limb, bit) = place_in_path(level);
        if self.rest.len() <= limb {
            self.rest.resize(limb + 1, 0);
        }
        self.rest[limb] |= (index as u64) << bit;
    }
}
