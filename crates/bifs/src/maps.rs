//! `maps`: functions that Erlang code cannot do, or not fast enough. Errors are `{badmap, M}` and `{badkey, K}`.

use layout::Term;
use term::heap::Room;
use term::{am, list, map};

use runtime::code::bif::{BifResult, Failure, badarg, badkey, badmap, dirty_unless};
use runtime::mail::current::charge;
use runtime::process::Process;

/// Pairs that count as one reduction.
const PAIRS_PER_REDUCTION: usize = 16;
/// Pairs of the smaller of two maps that count as one reduction: each may need copies of the nodes above it.
const PAIRS_MERGED_PER_REDUCTION: usize = 4;
/// Larger maps, in pairs, are built by dirty schedulers.
const MOST_PAIRS_HERE: usize = 10_000;
/// The keys or values of larger maps, in pairs, are listed by dirty schedulers.
const MOST_PAIRS_LISTED_HERE: usize = 100_000;

fn charge_pairs(pairs: usize) {
    charge((pairs / PAIRS_PER_REDUCTION) as i64);
}

#[inline]
fn expect_map(process: &mut Process, term: Term) -> Result<(), Failure> {
    if term.is_map() {
        Ok(())
    } else {
        Err(badmap(process, term))
    }
}

/// The number of pairs.
#[inline]
fn size_of(process: &mut Process, map: Term) -> Result<usize, Failure> {
    map.map_size().ok_or_else(|| badmap(process, map))
}

/// `maps:find(Key, Map)`
pub(crate) fn find_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    expect_map(process, map)?;
    Ok(map::find(process.heap(), map, key))
}

/// `maps:get(Key, Map)`
pub(crate) fn get_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    expect_map(process, map)?;
    match map::get(map, key) {
        Some(value) => Ok(value),
        None => Err(badkey(process, key)),
    }
}

/// `maps:is_key(Key, Map)`
pub(crate) fn is_key_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    expect_map(process, map)?;
    Ok(am::boolean(map::get(map, key).is_some()))
}

/// `maps:from_list(Pairs)`
pub(crate) fn from_list_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let mut pairs = map::Pairs::new();
    for pair in list::items(list) {
        let pair = pair.map_err(|_| badarg(1))?;
        let Some([key, value]) = pair.as_tuple_of() else {
            return Err(badarg(1));
        };
        pairs.push((key, value));
    }
    dirty_unless(pairs.len() <= MOST_PAIRS_HERE)?;
    charge_pairs(pairs.len());
    Ok(map::from_own_pairs(process.heap(), &mut pairs))
}

/// `maps:from_keys(Keys, Value)`
pub(crate) fn from_keys_2(process: &mut Process, [list, value]: [Term; 2]) -> BifResult {
    let mut pairs = map::Pairs::new();
    for key in list::items(list) {
        pairs.push((key.map_err(|_| badarg(1))?, value));
    }
    dirty_unless(pairs.len() <= MOST_PAIRS_HERE)?;
    charge_pairs(pairs.len());
    Ok(map::from_own_pairs(process.heap(), &mut pairs))
}

/// `maps:keys(Map)`
pub(crate) fn keys_1(process: &mut Process, [map]: [Term; 1]) -> BifResult {
    let size = size_of(process, map)?;
    dirty_unless(size <= MOST_PAIRS_LISTED_HERE)?;
    charge_pairs(size);
    Ok(map::keys(&mut Room::new(process.heap(), size * 2), map))
}

/// `maps:values(Map)`
pub(crate) fn values_1(process: &mut Process, [map]: [Term; 1]) -> BifResult {
    let size = size_of(process, map)?;
    dirty_unless(size <= MOST_PAIRS_LISTED_HERE)?;
    charge_pairs(size);
    Ok(map::values(&mut Room::new(process.heap(), size * 2), map))
}

/// `maps:merge(Map1, Map2)`
pub(crate) fn merge_2(process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    let size_a = size_of(process, a)?;
    let size_b = size_of(process, b)?;
    // What the larger map has more is shared.
    let pairs = size_a.min(size_b);
    dirty_unless(pairs <= MOST_PAIRS_HERE / 2)?;
    charge((pairs / PAIRS_MERGED_PER_REDUCTION) as i64);
    Ok(map::merge(process.heap(), a, b))
}

/// `maps:put(Key, Value, Map)`
pub(crate) fn put_3(process: &mut Process, [key, value, map]: [Term; 3]) -> BifResult {
    expect_map(process, map)?;
    Ok(map::put(process.heap(), map, key, value))
}

/// `maps:update(Key, Value, Map)`
pub(crate) fn update_3(process: &mut Process, [key, value, map]: [Term; 3]) -> BifResult {
    expect_map(process, map)?;
    match map::update(process.heap(), map, key, value) {
        Some(map) => Ok(map),
        None => Err(badkey(process, key)),
    }
}

/// `maps:remove(Key, Map)`
pub(crate) fn remove_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    expect_map(process, map)?;
    Ok(map::remove(process.heap(), map, key))
}

/// `maps:take(Key, Map)`
pub(crate) fn take_2(process: &mut Process, [key, map]: [Term; 2]) -> BifResult {
    expect_map(process, map)?;
    let heap = process.heap();
    Ok(match map::take(heap, map, key) {
        Some((rest, value)) => term::build::tuple(heap, &[value, rest]),
        None => am::ERROR,
    })
}
