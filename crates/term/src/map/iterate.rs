//! Iterating over the pairs of a map, at once or in pieces.

use layout::limits::FLAT_MAP_PAIRS;
use layout::{ObjectKind, Term};
use smallvec::SmallVec;

use super::{flat, is_flat, size, trie};
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
    let children = trie::children(node).as_ptr_range();
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
            if child.is_cons() {
                return Some((child.head(), child.tail()));
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
/// the first leaf. The first piece has at most 32 pairs. `None` if the path leads nowhere.
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
        let pairs: SmallVec<[(Term, Term); FLAT_MAP_PAIRS]> =
            keys.iter().copied().zip(values.iter().copied()).collect();
        return Some(match shape {
            NextFrom::Iterator => chain(heap, &pairs, am::NONE),
            NextFrom::List(tail) => prepend(heap, pairs.iter().rev(), tail),
        });
    }
    let mut limit = limit.clamp(1, size(map));
    if path == Term::small(0) {
        limit = limit.min(FLAT_MAP_PAIRS);
    }
    let mut walk = Walk::to(map, &limbs)?;
    let mut pairs: Vec<(Term, Term)> = Vec::with_capacity(limit);
    while pairs.len() < limit
        && let Some(leaf) = walk.next_leaf()
    {
        pairs.push((leaf.head(), leaf.tail()));
    }
    let more = walk.path();
    let next = more.map(|limbs| build::big(heap, false, &limbs));
    Some(match shape {
        NextFrom::Iterator => {
            let end = match next {
                Some(path) => build::cons(heap, path, map),
                None => am::NONE,
            };
            chain(heap, &pairs, end)
        }
        NextFrom::List(tail) => {
            let list = prepend(heap, pairs.iter(), tail);
            match next {
                Some(path) => build::list_with_tail(heap, &[path, map], list),
                None => list,
            }
        }
    })
}

/// `{K1, V1, {K2, V2, End}}`.
fn chain<A: Allocate + ?Sized>(heap: &mut A, pairs: &[(Term, Term)], end: Term) -> Term {
    pairs.iter().rev().fold(end, |rest, &(key, value)| {
        build::tuple(heap, &[key, value, rest])
    })
}

/// Prepends pairs to a list, one after the other.
fn prepend<'a, A: Allocate + ?Sized>(
    heap: &mut A,
    pairs: impl Iterator<Item = &'a (Term, Term)>,
    tail: Term,
) -> Term {
    pairs.fold(tail, |list, &(key, value)| {
        let pair = build::tuple(heap, &[key, value]);
        build::cons(heap, pair, list)
    })
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
    path.as_big().map(|(_, limbs)| SmallVec::from_slice(limbs))
}

/// A position in a trie: the nodes from the root on, each with the index of its next child.
struct Walk {
    nodes: SmallVec<[(Term, usize); 8]>,
}

impl Walk {
    /// The position of the leaf that a path leads to; if the path ends above a leaf, of the first leaf below.
    fn to(map: Term, limbs: &[u64]) -> Option<Walk> {
        let mut nodes: SmallVec<[(Term, usize); 8]> = SmallVec::new();
        let mut node = map;
        loop {
            let level = nodes.len();
            let limb = limbs.get(level / 16).copied().unwrap_or(0);
            let index = (limb >> (4 * (level % 16)) & 15) as usize;
            let child = *trie::children(node).get(index)?;
            nodes.push((node, index));
            if child.is_cons() {
                return Some(Walk { nodes });
            }
            // In a node above the leaf's, the next child is the one after the child that is being visited.
            nodes.last_mut()?.1 = index + 1;
            node = child;
        }
    }

    fn next_leaf(&mut self) -> Option<Term> {
        loop {
            let (node, next) = self.nodes.last_mut()?;
            let Some(&child) = trie::children(*node).get(*next) else {
                self.nodes.pop();
                continue;
            };
            *next += 1;
            if child.is_cons() {
                return Some(child);
            }
            self.nodes.push((child, 0));
        }
    }

    /// The path of the next leaf, as limbs; `None` at the end.
    fn path(mut self) -> Option<SmallVec<[u64; 2]>> {
        while let Some(&(node, next)) = self.nodes.last()
            && next == trie::children(node).len()
        {
            self.nodes.pop();
        }
        let last = self.nodes.len().checked_sub(1)?;
        let mut limbs: SmallVec<[u64; 2]> = SmallVec::from_elem(0, last / 16 + 1);
        for (level, &(_, next)) in self.nodes.iter().enumerate() {
            // Only the last node's child is still to be visited; the others are being visited.
            let index = if level == last { next } else { next - 1 };
            limbs[level / 16] |= (index as u64) << (4 * (level % 16));
        }
        Some(limbs)
    }
}
