//! Queries of OTP's libraries about the shape of terms.

use std::cmp::Ordering;

use layout::object::MapShape;
use layout::{ObjectKind, Term};
use term::heap::Room;
use term::map::NextFrom;
use term::release::{self, Release};
use term::{am, atom, build, compare, map};

use runtime::code::bif::{BifResult, badarg, badmap};
use runtime::mail::current::{charge, reductions_left};
use runtime::process::Process;

/// `erts_internal:cmp_term(A, B)`: -1, 0 or 1 by the exact order, in which `1` and `1.0` differ.
pub(crate) fn cmp_term_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(Term::small(match compare::compare_exact(a, b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

/// `erts_internal:term_type(Term)`
pub(crate) fn term_type_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    let name = match term.boxed_kind() {
        Some(ObjectKind::Tuple) => "tuple",
        Some(ObjectKind::NativeRecord) => "record",
        Some(ObjectKind::MatchContext) => "matchstate",
        Some(ObjectKind::PositiveBig | ObjectKind::NegativeBig) => "bignum",
        Some(ObjectKind::Reference) => "reference",
        Some(ObjectKind::Fun) => "fun",
        Some(ObjectKind::Float) => "hfloat",
        Some(ObjectKind::Export) => "export",
        Some(ObjectKind::SharedBinary) => "refc_binary",
        Some(ObjectKind::HeapBinary) => "heap_binary",
        Some(ObjectKind::SubBinary) => "sub_binary",
        Some(ObjectKind::Map) => match term.expect_boxed().header().map_shape() {
            MapShape::Flat => "flatmap",
            MapShape::HashRoot => "hashmap",
            MapShape::HashNode => "hashmap_node",
        },
        Some(ObjectKind::ExternalPid) => "external_pid",
        Some(ObjectKind::ExternalPort) => "external_port",
        Some(ObjectKind::ExternalReference) => "external_reference",
        None if term.is_cons() => "list",
        None if term.is_small() => "fixnum",
        None if term.is_local_pid() => "pid",
        None if term.is_local_port() => "port",
        None if term.is_atom() => "atom",
        None if term.is_nil() => "nil",
        None => "catch",
    };
    Ok(atom::known(name))
}

/// `erts_internal:map_to_tuple_keys(Map)`
pub(crate) fn map_to_tuple_keys_1(process: &mut Process, [map]: [Term; 1]) -> BifResult {
    if !map.is_map() {
        return Err(badmap(process, map));
    }
    map::keys_tuple(map).ok_or(badarg(1))
}

/// `erts_internal:map_hashmap_children(Node)`: the children of a hash map's root or inner node, last first.
pub(crate) fn map_hashmap_children_1(process: &mut Process, [node]: [Term; 1]) -> BifResult {
    if !node.is_map() {
        return Err(badmap(process, node));
    }
    if map::is_flat(node) {
        return Err(badarg(1));
    }
    let heap = process.heap();
    let children = map::children(node);
    Ok(children
        .iter()
        .fold(Term::NIL, |list, &child| build::cons(heap, child, list)))
}

/// Pairs of a map that count as one reduction.
const PAIRS_PER_REDUCTION: usize = 4;

/// Words that a pair takes at most: in a list, a cell and a tuple of two.
const WORDS_PER_PAIR: usize = 5;

/// `erts_internal:map_next(Path, Map, iterator | Tail)`: some pairs of a map, and where to continue.
pub(crate) fn map_next_3(process: &mut Process, [path, map, shape]: [Term; 3]) -> BifResult {
    // As many pairs as fit in the rest of the slice.
    let pairs = reductions_left().max(4) as usize / 4;
    if !map.is_map() {
        return Err(badarg(2));
    }
    if path.is_list() && shape == am::ITERATOR && release::has(Release::OTP_26) {
        return next_in_order(process, path, map);
    }
    let shape = match shape {
        am::ITERATOR => NextFrom::Iterator,
        list if list.is_list() => NextFrom::List(list),
        _ => return Err(badarg(3)),
    };
    let made = pairs.min(map.map_size().unwrap_or(0));
    charge((made / PAIRS_PER_REDUCTION) as i64);
    let mut room = Room::new(process.heap(), made * WORDS_PER_PAIR);
    map::next_from(&mut room, map, path, pairs, shape).ok_or(badarg(1))
}

/// Pairs of an ordered iterator made at once.
const ORDERED_AT_ONCE: usize = 32;

/// The next pairs of an iterator that has a list of the keys that are left.
fn next_in_order(process: &mut Process, keys: Term, map: Term) -> BifResult {
    let mut rest = keys;
    let mut pairs = Vec::new();
    while pairs.len() < ORDERED_AT_ONCE
        && let Some((key, tail)) = rest.as_cons()
    {
        pairs.push((key, map::get(map, key).ok_or(badarg(1))?));
        rest = tail;
    }
    let heap = process.heap();
    let end = if rest.is_cons() {
        build::cons(heap, rest, map)
    } else {
        am::NONE
    };
    let chain = pairs.iter().rev().fold(end, |next, &(key, value)| {
        build::tuple(heap, &[key, value, next])
    });
    Ok(chain)
}
