use layout::no_gc;
use std::collections::BTreeMap;

use super::*;
use crate::heap::Scratch;
use crate::list;
use crate::samples::{Sample, Samples, ask_stock};

fn distinct(samples: &mut Samples, count: usize) -> Vec<Sample> {
    let mut keys: Vec<Sample> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while keys.len() < count {
        let key = match keys.len() {
            0..400 => {
                let depth = samples.random(3) as u32;
                samples.any(depth)
            }
            _ => {
                let value = samples.random(1 << 40) as i128;
                let number = samples.integer(value << (value % 20));
                if value % 3 == 0 {
                    samples.tuple(&[number])
                } else {
                    number
                }
            }
        };
        if seen.insert(key.text.clone()) {
            keys.push(key);
        }
    }
    keys
}

/// Small integers as text, in the order given.
fn order(list: impl Iterator<Item = Term>) -> String {
    let all: Vec<String> = list
        .map(|value| value.as_small().unwrap().to_string())
        .collect();
    all.join(" ")
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn order_is_that_of_stock() {
    let mut samples = Samples::new(11);
    samples.without_atoms = true;
    let keys = distinct(&mut samples, 5000);
    // How far stock goes at a time depends on the reductions that are left, hence the yield.
    let fun = "fun(Ks) ->
        [begin
            M = maps:from_list(lists:zip(lists:sublist(Ks, N), lists:seq(1, N))),
            Line = fun(L) -> lists:join($\\s, [integer_to_list(V) || V <- L]) end,
            I = (fun I(none) -> []; I({_, V, It}) -> [V | I(maps:next(It))] end)(maps:next(maps:iterator(M))),
            Path = (fun P(none) -> 0; P([P | _]) -> P; P({_, _, It}) -> P(It) end)
                (begin erlang:yield(), erts_internal:map_next(0, M, iterator) end),
            [Line([V || {_, V} <- maps:to_list(M)]), \"\\n\", Line(maps:values(M)), \"\\n\",
             Line(I), \"\\n\", integer_to_list(Path), \"\\n\"]
         end || N <- [1, 5, 31, 32, 33, 34, 40, 64, 100, 200, 1000, 5000]] end";
    let expected = ask_stock(&keys, fun);
    let mut expected = expected.lines();
    for count in [1, 5, 31, 32, 33, 34, 40, 64, 100, 200, 1000, 5000] {
        let pairs: Vec<(Term, Term)> = keys[..count]
            .iter()
            .zip(1..)
            .map(|(key, value)| (key.term, Term::small(value)))
            .collect();
        let heap = samples.scratch.heap();
        let at_once = from_pairs(heap, &pairs);
        let mut one_by_one = empty(heap);
        for &(key, value) in &pairs {
            one_by_one = put(heap, one_by_one, key, value);
        }
        let many = empty(heap);
        let many = update_many(heap, many, &pairs, false).unwrap();
        for map in [one_by_one, many] {
            assert!(eq_exact(at_once, map));
            assert_eq!(size(map), size(at_once));
        }
        let listed = to_list(heap, at_once);
        let listed = list::to_vec(listed).unwrap();
        let values_of = values(heap, at_once);
        assert_eq!(
            order(
                listed
                    .iter()
                    .map(|pair| pair.as_tuple(no_gc!()).unwrap()[1])
            ),
            expected.next().unwrap(),
            "maps:to_list of {count} keys"
        );
        assert_eq!(
            order(list::to_vec(values_of).unwrap().into_iter()),
            expected.next().unwrap()
        );
        assert_eq!(
            order(iter(at_once).map(|(_, value)| value)),
            expected.next().unwrap(),
            "maps:iterator of {count} keys"
        );
        let mut next =
            next_from(heap, at_once, Term::small(0), 100_000, NextFrom::Iterator).unwrap();
        while let Some(parts) = next.as_tuple(no_gc!()) {
            next = parts[2];
        }
        let path = next
            .as_cons()
            .map_or(0, |(path, _)| path.as_small().unwrap());
        assert_eq!(
            path.to_string(),
            expected.next().unwrap(),
            "path after 32 of {count}"
        );
    }
}

#[test]
fn pieces_make_up_the_whole() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let pairs: Vec<(Term, Term)> = (0..if cfg!(miri) { 300 } else { 3000 })
        .map(|key| (Term::small(key), Term::small(key)))
        .collect();
    let map = from_pairs(heap, &pairs);
    let whole: Vec<Term> = iter(map).map(|(key, _)| key).collect();
    for limit in [1, 7, 33, 5000] {
        let (mut path, mut met) = (Term::small(0), Vec::new());
        loop {
            let mut next = next_from(heap, map, path, limit, NextFrom::Iterator).unwrap();
            while let Some(parts) = next.as_tuple(no_gc!()) {
                met.push(parts[0]);
                next = parts[2];
            }
            match next.as_cons() {
                Some((on, _)) => path = on,
                None => break,
            }
        }
        assert_eq!(met, whole);
        let (mut path, mut list) = (Term::small(0), Term::NIL);
        loop {
            let next = next_from(heap, map, path, limit, NextFrom::List(list)).unwrap();
            let (first, rest) = next.as_cons().unwrap();
            if !first.is_integer() {
                list = next;
                break;
            }
            path = first;
            list = rest.as_cons().unwrap().1;
        }
        let all = to_list(heap, map);
        assert!(eq_exact(list, all));
    }
    assert_eq!(
        next_from(heap, map, Term::small(-1), 9, NextFrom::Iterator),
        None
    );
    assert_eq!(next_from(heap, map, Term::NIL, 9, NextFrom::Iterator), None);
}

#[test]
fn changes_keep_shape_and_content() {
    let mut samples = Samples::new(5);
    let mut map = empty(samples.scratch.heap());
    let mut model: BTreeMap<i64, i64> = BTreeMap::new();
    for round in 0..if cfg!(miri) { 300 } else { 6000 } {
        // The map grows to some hundred keys, and shrinks to none again.
        let key = samples.random(400) as i64 * 7919;
        let grow = samples.random(100) < if round % 2000 < 1000 { 80 } else { 20 };
        let heap = samples.scratch.heap();
        // Some keys are not immediate.
        let term = if key % 3 == 0 {
            build::tuple(heap, &[Term::small(key)])
        } else {
            Term::small(key)
        };
        assert_eq!(get(map, term).is_some(), model.contains_key(&key));
        if grow {
            let value = Term::small(round);
            let updated = update(heap, map, term, value);
            let put_in = put(heap, map, term, value);
            match updated {
                Some(updated) => assert!(eq_exact(updated, put_in)),
                None => assert!(!model.contains_key(&key)),
            }
            map = put_in;
            model.insert(key, round);
        } else {
            let taken = take(heap, map, term);
            assert_eq!(
                taken.map(|(_, value)| value.as_small().unwrap()),
                model.remove(&key)
            );
            map = taken.map_or(map, |(map, _)| map);
        }
        assert_eq!(size(map), model.len());
        if round % 50 == 0 {
            let pairs: Vec<(Term, Term)> = model
                .iter()
                .map(|(&key, &value)| {
                    let term = if key % 3 == 0 {
                        build::tuple(heap, &[Term::small(key)])
                    } else {
                        Term::small(key)
                    };
                    (term, Term::small(value))
                })
                .collect();
            let fresh = from_pairs(heap, &pairs);
            assert!(eq_exact(map, fresh), "after {round} changes");
            assert_eq!(is_flat(map), model.len() <= FLAT_MAP_PAIRS);
        }
    }
}

#[test]
fn merging_takes_the_second_map_first() {
    let mut samples = Samples::new(9);
    for round in 0..if cfg!(miri) { 12 } else { 200 } {
        let sizes = [
            samples.random(90),
            samples.random(if round % 2 == 0 { 90 } else { 20 }),
        ];
        let mut model: BTreeMap<i64, i64> = BTreeMap::new();
        let parts = [0, 1].map(|part| {
            let pairs: Vec<(Term, Term)> = (0..sizes[part as usize])
                .map(|_| {
                    let key = samples.random(150) as i64;
                    model.insert(key, part);
                    (Term::small(key), Term::small(part))
                })
                .collect();
            from_pairs(samples.scratch.heap(), &pairs)
        });
        let expected: Vec<(Term, Term)> = model
            .iter()
            .map(|(&key, &value)| (Term::small(key), Term::small(value)))
            .collect();
        let heap = samples.scratch.heap();
        let merged = merge(heap, parts[0], parts[1]);
        let fresh = from_pairs(heap, &expected);
        assert!(eq_exact(merged, fresh));
        assert_eq!(size(merged), model.len());
        assert_eq!(merge(heap, merged, merged), merged);
        let again = merge(heap, merged, parts[1]);
        assert!(eq_exact(again, merged));
    }
}

#[test]
fn pairs_put_at_once_are_pairs_put_one_by_one() {
    let mut samples = Samples::new(23);
    let keys: Vec<Term> = distinct(&mut samples, 300)
        .iter()
        .map(|key| key.term)
        .collect();
    for round in 0..if cfg!(miri) { 4 } else { 400 } {
        let mut pairs = |count: u64, values: u64| -> Vec<(Term, Term)> {
            let mut pair = || {
                let key = keys[samples.random(keys.len() as u64) as usize];
                (key, Term::small(samples.random(values) as i64))
            };
            (0..count).map(|_| pair()).collect()
        };
        let (old, new) = (pairs(60 + round % 300, 2), pairs(round % 33, 3));
        let heap = samples.scratch.heap();
        let map = from_pairs(heap, &old);
        if is_flat(map) {
            continue;
        }
        let replaced = update_many(heap, map, &new, false).unwrap();
        let expected = new
            .iter()
            .fold(map, |map, (key, value)| put(heap, map, *key, *value));
        assert!(eq_exact(replaced, expected), "round {round}");
        assert_eq!(size(replaced), iter(replaced).count());
        let few = from_pairs(heap, &new);
        assert_eq!(merge(heap, replaced, few), replaced);
        let kept = merge(heap, few, map);
        let mut expected = map;
        for (key, value) in iter(few) {
            if get(map, key).is_none() {
                expected = put(heap, expected, key, value);
            }
        }
        assert!(eq_exact(kept, expected), "round {round}");
        assert_eq!(size(kept), iter(kept).count());
    }
}

#[test]
fn updates_share_keys_and_name_the_missing_one() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let one = Term::small(1);
    let map = from_pairs(heap, &[(am::OK, one), (am::ERROR, one), (am::TRUE, one)]);
    let changed = update_many(heap, map, &[(am::TRUE, am::OK), (am::OK, am::OK)], true).unwrap();
    assert_eq!(keys_tuple(changed), keys_tuple(map));
    assert_eq!(get(changed, am::TRUE), Some(am::OK));
    assert_eq!(get(map, am::TRUE), Some(one));
    let missing = update_many(heap, map, &[(am::TRUE, one), (am::FALSE, one)], true);
    assert_eq!(missing, Err(BadKey(am::FALSE)));
    assert_eq!(update_many(heap, map, &[(am::TRUE, one)], false), Ok(map));
    assert_eq!(remove(heap, map, am::FALSE), map);
    assert_eq!(update(heap, map, am::FALSE, one), None);
}

#[test]
fn growth_that_is_remembered_is_growth() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let atoms: Vec<Term> = ('a'..='t')
        .map(|letter| crate::atom::intern(letter.to_string().as_bytes()).unwrap())
        .collect();
    let words = |chosen: u32, value: i64| -> Vec<(Term, Term)> {
        let keys = atoms
            .iter()
            .zip(0..)
            .chain([(&am::OK, 20), (&am::TRUE, 21)]);
        keys.filter(|(_, at)| chosen >> at & 1 == 1)
            .map(|(key, at)| (*key, Term::small(value + at)))
            .collect()
    };
    let mut chosen = 12345u32;
    let mut remembered = 0;
    let rounds = if cfg!(miri) { 200 } else { 20_000 };
    for round in 0..rounds {
        // Each choice of keys is used three times.
        if round % 3 == 0 {
            chosen = chosen.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        let mut put = words(chosen >> 7 & chosen >> 3 & 0x3f_ffff, 100);
        if round % 2 == 0 {
            put.reverse();
        }
        let map = from_pairs(heap, &words(chosen & 0x3f_ffff, 0));
        let Some(grown) = grow(heap, map, &put) else {
            continue;
        };
        remembered += 1;
        let expected = put
            .iter()
            .fold(map, |map, &(key, value)| super::put(heap, map, key, value));
        assert!(eq_exact(grown, expected), "{round}");
        assert_eq!(size(grown), size(expected));
    }
    assert!(remembered > rounds / 2, "{remembered}");
    // A key that is added twice, keys that are objects, and a map that would be too large are not handled by the cache.
    let (one, two) = (Term::small(1), Term::small(2));
    let map = from_pairs(heap, &[(am::OK, one)]);
    assert_eq!(grow(heap, map, &[(am::TRUE, one), (am::TRUE, two)]), None);
    let object = build::tuple(heap, &[one]);
    assert_eq!(grow(heap, map, &[(object, one)]), None);
    let with_object = put(heap, map, object, one);
    assert_eq!(grow(heap, with_object, &[(am::TRUE, one)]), None);
    assert_eq!(grow(heap, with_object, &[(am::TRUE, one)]), None);
}

#[test]
fn lookups_in_any_order_find_what_single_ones_find() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    for count in [0, 1, 5, 32, 33, 200] {
        let pairs: Vec<(Term, Term)> = (0..count)
            .map(|at| {
                let key = Term::small(at * 2);
                let key = if at % 3 == 0 {
                    build::tuple(heap, &[key])
                } else {
                    key
                };
                (key, Term::small(at))
            })
            .collect();
        let map = from_pairs(heap, &pairs);
        for step in 1..7 {
            let mut lookups = Lookups::new(map);
            for at in (0..count * 3).step_by(step) {
                let key = Term::small(at);
                assert_eq!(lookups.get(key), get(map, key));
                let key = build::tuple(heap, &[key]);
                assert_eq!(lookups.get(key), get(map, key), "{count} {at}");
            }
            for (key, value) in pairs.iter().rev() {
                assert_eq!(lookups.get(*key), Some(*value));
            }
        }
    }
}

#[test]
#[cfg_attr(
    miri,
    ignore = "hashes 200,000 keys until some collide, which takes Miri minutes"
)]
fn immediate_keys_of_one_hash_are_told_apart() {
    let mut seen = BTreeMap::new();
    let mut pairs = Vec::new();
    for number in 0..200_000 {
        let key = Term::small(number);
        if let Some(other) = seen.insert(crate::hash::map_key(key, 0), key) {
            pairs.push([other, key]);
        }
    }
    assert!(!pairs.is_empty(), "among so many keys some share a hash");
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    for [a, b] in pairs {
        let mut map = from_sorted(heap, &[]);
        for number in 300_000..300_100 {
            map = put(heap, map, Term::small(number), Term::NIL);
        }
        map = put(heap, map, a, Term::small(1));
        assert_eq!([get(map, a), get(map, b)], [Some(Term::small(1)), None]);
        map = put(heap, map, b, Term::small(2));
        assert_eq!(
            [a, b].map(|key| get(map, key)),
            [1, 2].map(|value| Some(Term::small(value)))
        );
        let (map, _) = take(heap, map, a).unwrap();
        assert_eq!([get(map, a), get(map, b)], [None, Some(Term::small(2))]);
        let both = [(b, Term::small(3)), (a, Term::small(4))];
        let map = update_many(heap, map, &both, false).unwrap();
        let found = both.map(|(key, _)| get(map, key));
        assert_eq!(found, both.map(|(_, value)| Some(value)));
    }
}

/// Tuples of several sizes, some in others, among integers, floats, lists and atoms.
fn mixed_keys(heap: &mut impl Allocate, count: i64) -> Vec<Term> {
    let tag = crate::atom::known("map_test_key");
    (0..count)
        .map(|number| {
            let small = Term::small(number / 7 - 2);
            match number % 7 {
                0 => small,
                1 => build::tuple(heap, &[small]),
                2 => build::tuple(heap, &[tag, small]),
                3 => {
                    let inner = build::tuple(heap, &[tag, small]);
                    build::tuple(heap, &[tag, inner])
                }
                4 => {
                    let inner = build::float(heap, number as f64);
                    build::tuple(heap, &[inner, tag])
                }
                5 => build::cons(heap, small, Term::NIL),
                _ => build::float(heap, number as f64),
            }
        })
        .collect()
}

#[test]
fn objects_are_found_in_flat_maps_of_any_size() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    for size in 0..=FLAT_MAP_PAIRS {
        let keys = mixed_keys(heap, 2 * size as i64);
        // The same terms at other addresses.
        let again = mixed_keys(heap, 2 * size as i64);
        let pairs: Vec<(Term, Term)> = keys.iter().step_by(2).map(|&key| (key, key)).collect();
        let map = from_pairs(heap, &pairs);
        for (index, &key) in again.iter().enumerate() {
            let expected = index.is_multiple_of(2).then(|| keys[index]);
            assert_eq!(get(map, key), expected, "key {index} of {size}");
        }
    }
}

#[test]
fn zeros_of_either_sign_are_one_key_also_in_tuples() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut pairs: Vec<(Term, Term)> = Vec::new();
    for number in 0..20 {
        let key = build::float(heap, f64::from(number));
        pairs.push((
            build::tuple(heap, &[key, am::OK]),
            Term::small(number.into()),
        ));
    }
    let map = from_pairs(heap, &pairs);
    let minus_zero = build::float(heap, -0.0);
    let key = build::tuple(heap, &[minus_zero, am::OK]);
    assert_eq!(get(map, key), Some(Term::small(0)));
    let whole = build::tuple(heap, &[Term::small(0), am::OK]);
    assert_eq!(get(map, whole), None);
}

#[test]
fn each_word_is_found_at_its_place_among_keys_of_any_number() {
    for count in 0..=FLAT_MAP_PAIRS as i64 {
        // Words that differ only in their upper, or only in their lower half are different keys.
        for step in [1, 1 << 30] {
            let number = |index: i64| Term::small((index - count / 2) * step);
            let keys: Vec<Term> = (0..count).map(|index| number(2 * index)).collect();
            for index in -1..=2 * count {
                let key = number(index);
                let place = keys.iter().position(|&other| other == key);
                assert_eq!(place_of_word(&keys, key), place, "{index} of {count}");
                let before = keys.partition_point(|other| compare_keys(*other, key).is_lt());
                assert_eq!(
                    search(&keys, key),
                    place.ok_or(before),
                    "{index} of {count}"
                );
            }
        }
    }
}

#[test]
fn pairs_in_any_order_make_the_same_map() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..if cfg!(miri) { 50 } else { 5000 } {
        let mut keys: Vec<i64> = (0..random.i64(0..40)).map(|_| random.i64(0..60)).collect();
        match random.u8(..4) {
            0 => keys.sort_unstable(),
            1 => keys.sort_unstable_by(|a, b| b.cmp(a)),
            // In order at first.
            2 => {
                let half = keys.len() / 2;
                keys[..half].sort_unstable_by(|a, b| b.cmp(a));
            }
            _ => {}
        }
        if random.bool() {
            keys.dedup();
        }
        let pairs: Vec<(Term, Term)> = (0i64..)
            .zip(&keys)
            .map(|(value, &key)| (Term::small(key), Term::small(value)))
            .collect();
        let last: BTreeMap<i64, i64> = keys.iter().copied().zip(0..).collect();
        let map = from_pairs(heap, &pairs);
        assert_eq!(size(map), last.len());
        for (key, value) in last {
            assert_eq!(
                get(map, Term::small(key)),
                Some(Term::small(value)),
                "{keys:?}"
            );
        }
        if is_flat(map) {
            assert!(are_sorted(flat(map).0));
        }
    }
}
