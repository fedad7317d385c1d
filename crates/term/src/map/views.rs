//! The parts of a map as they lie in memory. Neither order nor hash of the keys is asked here.
//!
//! Any thread may call that may read the map.

use layout::kinds::FlatMap;
use layout::object::{MapShape, offset};
use layout::{Boxed, Term};

/// Number of pairs.
///
/// # Panics
/// If the term is no map.
#[inline]
#[must_use]
pub fn size(map: Term) -> usize {
    map.map_size().expect("a map")
}

/// Whether a map has few keys, which are in a tuple.
#[inline]
#[must_use]
pub fn is_flat(map: Term) -> bool {
    FlatMap::of(map).is_some()
}

/// The tuple of a flat map's keys; `None` for a hash map.
#[must_use]
pub fn keys_tuple(map: Term) -> Option<Term> {
    FlatMap::of(map).map(FlatMap::keys)
}

/// Keys and values of a flat map.
#[inline]
pub(crate) fn flat<'a>(map: Term) -> (&'a [Term], &'a [Term]) {
    let map = FlatMap::expect(map);
    let count = map.arity() - offset::FLAT_MAP_VALUES;
    // SAFETY: a flat map has as many values as its tuple of keys has elements; the
    // moving rule keeps both.
    unsafe {
        (
            std::slice::from_raw_parts(map.keys().word_pointer(0).cast::<Term>(), count),
            std::slice::from_raw_parts(
                map.word_pointer(offset::FLAT_MAP_VALUES).cast::<Term>(),
                count,
            ),
        )
    }
}

/// The children of a hash map's root or inner node.
#[inline]
#[must_use]
pub fn children<'a>(node: Term) -> &'a [Term] {
    children_of(node.expect_boxed())
}

/// As [`children`].
#[inline]
#[must_use]
pub(super) fn children_of<'a>(node: Boxed) -> &'a [Term] {
    let header = node.header();
    let first = usize::from(header.map_shape() == MapShape::HashRoot) * offset::HASH_ROOT_CHILDREN;
    // SAFETY: the children of a node follow its raw words; the moving rule keeps them.
    unsafe { std::slice::from_raw_parts(node.word_pointer(first).cast(), header.arity() - first) }
}
