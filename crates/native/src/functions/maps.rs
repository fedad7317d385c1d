//! Maps and their iterators.

use std::ffi::c_int;
use std::ptr;

use layout::Term;
use term::map;

use super::numbers::store;
use crate::abi::{MapIterator, Out};
use crate::check;
use crate::env::Env;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_map_size(
    env: *const Env,
    map: Term,
    size: Out<'_, usize>,
) -> c_int {
    check::read(env, "enif_get_map_size", map);
    store(size, map.map_size())
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_new_map(env: &mut Env) -> Term {
    map::empty(env.heap())
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_map_put(
    env: &mut Env,
    map: Term,
    key: Term,
    value: Term,
    result: Out<'_, Term>,
) -> c_int {
    check::built_on(env, "enif_make_map_put", &[map, key, value]);
    let put = map.is_map().then(|| map::put(env.heap(), map, key, value));
    store(result, put)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_map_value(
    env: *const Env,
    map: Term,
    key: Term,
    value: Out<'_, Term>,
) -> c_int {
    check::read(env, "enif_get_map_value", map);
    check::read(env, "enif_get_map_value", key);
    let found = match map.is_map() {
        true => map::get(map, key),
        false => None,
    };
    store(value, found)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_map_update(
    env: &mut Env,
    map: Term,
    key: Term,
    value: Term,
    result: Out<'_, Term>,
) -> c_int {
    check::built_on(env, "enif_make_map_update", &[map, key, value]);
    let is_there = map.is_map() && map::get(map, key).is_some();
    store(
        result,
        is_there.then(|| map::put(env.heap(), map, key, value)),
    )
}

/// Succeeds for a key that is not there.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_map_remove(
    env: &mut Env,
    map: Term,
    key: Term,
    result: Out<'_, Term>,
) -> c_int {
    check::built_on(env, "enif_make_map_remove", &[map, key]);
    let removed = map.is_map().then(|| map::remove(env.heap(), map, key));
    store(result, removed)
}

/// Fails if a key is there twice.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_map_from_arrays(
    env: &mut Env,
    keys: *const Term,
    values: *const Term,
    count: usize,
    result: Out<'_, Term>,
) -> c_int {
    // SAFETY: the header asks for `count` terms in both arrays.
    let pair = |index: usize| unsafe { (*keys.add(index), *values.add(index)) };
    let pairs: Vec<(Term, Term)> = (0..count).map(pair).collect();
    for &(key, value) in &pairs {
        check::built_on(env, "enif_make_map_from_arrays", &[key, value]);
    }
    let map = map::from_pairs(env.heap(), &pairs);
    store(result, (map::size(map) == count).then_some(map))
}

/// `ErlNifMapIteratorEntry`
const FIRST: c_int = 1;
const LAST: c_int = 2;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_create(
    env: *const Env,
    map: Term,
    iterator: Out<'_, MapIterator>,
    entry: c_int,
) -> c_int {
    check::read(env, "enif_map_iterator_create", map);
    if !map.is_map() || !(FIRST..=LAST).contains(&entry) {
        return 0;
    }
    let size = map::size(map);
    // A library may forget to destroy the iterator of a small map, which on stock holds nothing.
    let pairs = match map::keys_tuple(map) {
        Some(_) => ptr::null_mut(),
        None => Box::into_raw(map::iter(map).collect::<Box<[(Term, Term)]>>()).cast(),
    };
    iterator.write(MapIterator {
        map,
        size,
        index: if entry == FIRST { 1 } else { size },
        pairs,
        spare: [ptr::null_mut(); 3],
    });
    1
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_destroy(_env: *const Env, iterator: &mut MapIterator) {
    let pairs = std::mem::replace(&mut iterator.pairs, ptr::null_mut());
    if !pairs.is_null() {
        // SAFETY: made by `enif_map_iterator_create` from a box of this length.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(pairs, iterator.size)) });
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_is_head(
    _env: *const Env,
    iterator: &MapIterator,
) -> c_int {
    c_int::from(iterator.size == 0 || iterator.index == 0)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_is_tail(
    _env: *const Env,
    iterator: &MapIterator,
) -> c_int {
    c_int::from(iterator.size == 0 || iterator.index > iterator.size)
}

/// Whether the iterator is at a pair.
fn is_at_pair(iterator: &MapIterator) -> c_int {
    c_int::from((1..=iterator.size).contains(&iterator.index))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_next(
    _env: *const Env,
    iterator: &mut MapIterator,
) -> c_int {
    if iterator.index <= iterator.size {
        iterator.index += 1;
    }
    is_at_pair(iterator)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_prev(
    _env: *const Env,
    iterator: &mut MapIterator,
) -> c_int {
    if iterator.index > 0 {
        iterator.index -= 1;
    }
    is_at_pair(iterator)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_map_iterator_get_pair(
    _env: *const Env,
    iterator: &MapIterator,
    key: Out<'_, Term>,
    value: Out<'_, Term>,
) -> c_int {
    if is_at_pair(iterator) == 0 {
        return 0;
    }
    let pair = match iterator.pairs.is_null() {
        true => map::iter(iterator.map).nth(iterator.index - 1),
        // SAFETY: within the pairs, which the iterator owns.
        false => Some(unsafe { *iterator.pairs.add(iterator.index - 1) }),
    };
    let Some((found_key, found_value)) = pair else {
        return 0;
    };
    key.write(found_key);
    value.write(found_value);
    1
}
