//! Maps: lookups and updates.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::mem::MaybeUninit;

use layout::{AbruptKind, Context, Term};
use term::{am, compare, map};

use crate::bodies::maps::bytes_of_flat;
use crate::encoding::{Encoding, PutMap};
use crate::form::Exit;
use crate::operand::{Operand, OperandKind, read};
use crate::operation::slow_paths;
use crate::slow::bifs::{collect_keeping, guard2};
use crate::slow::collect::again;
use crate::slow::exceptions::{set_tagged_error, unwind_here};

slow_paths! {
    /// `map_get/2`
    map_get |m, o: Bif2| {
        let (key, map) = (m.get(o.a), m.get(o.b));
        let fail = m.word(o.fail);
        match value(map, key) {
            Some(value) => {
                m.put(o.dest, value);
                m.next(o.end)
            }
            None if fail != 0 => m.enter(fail as *const u64),
            None => m.slow(o, guard2),
        }
    }

    /// `is_map_key/2`
    is_map_key |m, o: Bif2| {
        let (key, map) = (m.get(o.a), m.get(o.b));
        if !map.is_map() {
            return m.slow(o, guard2);
        }
        m.put(o.dest, am::boolean(map::get(map, key).is_some()));
        m.next(o.end)
    }

    get_map_element |m, o: GetMapElement| {
        match value(m.get(o.map), m.get(o.key)) {
            Some(value) => {
                m.put(o.dest, value);
                m.next(o.end)
            }
            None => m.jump(o.fail),
        }
    }

    get_map_element_of |m, o: GetMapElementOf| {
        match value(m.get(o.map), m.get(o.key)) {
            Some(value) => {
                m.put(o.dest, value);
                m.next(o.end)
            }
            None => m.jump(o.fail),
        }
    }

    get_map_elements |m, o: GetMapElements| {
        let map = m.get(o.map);
        let count = m.word(o.count) as usize;
        let words = m.words(o.end);
        if !map.is_map() {
            return m.jump(o.fail);
        }
        let mut lookups = map::Lookups::new(map);
        for index in 0..count {
            let key = m.read(*words.add(2 * index));
            match lookups.get(key) {
                Some(value) => m.write(*words.add(2 * index + 1), value),
                None => return m.jump(o.fail),
            }
        }
        m.next_at(words.add(2 * count))
    }

    has_map_field |m, o: Comparison| {
        match value(m.get(o.a), m.get(o.b)) {
            Some(_) => m.next(o.end),
            None => m.jump(o.fail),
        }
    }

    has_map_fields |m, o: GetMapElements| {
        let map = m.get(o.map);
        let count = m.word(o.count) as usize;
        let words = m.words(o.end);
        if !map.is_map() {
            return m.jump(o.fail);
        }
        let mut lookups = map::Lookups::new(map);
        for index in 0..count {
            let key = m.read(*words.add(index));
            if lookups.get(key).is_none() {
                return m.jump(o.fail);
            }
        }
        m.next_at(words.add(count))
    }

    /// Makes room for another map with the keys of this flat one.
    room_to_update |m, o: PutMap| {
        let bytes = bytes_of_flat(map::size(m.get(o.map)));
        let live = m.word(o.live);
        again(m, bytes, live)
    }

    put_map |m, o: PutMap| {
        let count = m.word(o.count) as usize;
        m.save();
        let result = update(m.c, m.x, m.s, m.ip);
        m.load();
        if result.is_none() {
            if m.word(o.fail) != 0 {
                (*m.c).abrupt.kind = AbruptKind::None;
                return m.jump(o.fail);
            }
            return unwind_here(m);
        }
        let live = m.word(o.live);
        let result = collect_keeping(&mut m, result, live);
        if result.is_none() {
            return Exit::Exited;
        }
        m.put(o.dest, result);
        let end = m.words(o.end).add(2 * count);
        m.next_at(end)
    }
}

/// The value of a key; `None` if `map` is not a map.
#[inline(always)]
fn value(map: Term, key: Term) -> Option<Term> {
    if !map.is_map() {
        return None;
    }
    // What is looked up most in hash maps calls nothing on its way.
    if key.is_immediate() && !map::is_flat(map) {
        return map::get_immediate(map, key);
    }
    map::get(map, key)
}

/// The updated map, or none after raising `badmap` or `badkey`.
#[inline(never)]
unsafe fn update(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        let (o, words) = (PutMap::OPERANDS, ip.add(1));
        let map = read(x, s, o.map.of(words));
        let (exact, count) = (o.exact.of(words) != 0, o.count.of(words) as usize);
        let words_of_pairs = words.add(o.end.index());
        if !map.is_map() {
            set_tagged_error(c, am::BADMAP, map);
            return Term::NONE;
        }
        let heap = &mut (*(*c).process).heap;
        let pair = |index: usize| {
            let key = read(x, s, *words_of_pairs.add(2 * index));
            (key, read(x, s, *words_of_pairs.add(2 * index + 1)))
        };
        if count == 1 {
            let (key, value) = pair(0);
            return put_one(c, map, key, value, exact);
        }
        // Keys in registers may differ from one execution to the next.
        let is_constant = |index: usize| {
            Operand::from_word(*words_of_pairs.add(2 * index)).kind() == OperandKind::Constant
        };
        if let Some(map) = map::replace_values(heap, map, count, pair) {
            return map;
        }
        // Filled in place, because most updates have few keys.
        let mut room = [const { MaybeUninit::uninit() }; 8];
        let mut many = Vec::new();
        let pairs = if count <= room.len() {
            for (index, place) in room[..count].iter_mut().enumerate() {
                place.write(pair(index));
            }
            core::slice::from_raw_parts(room.as_ptr().cast::<(Term, Term)>(), count)
        } else {
            many.extend((0..count).map(pair));
            &many[..]
        };
        if !exact
            && (0..count).all(is_constant)
            && let Some(map) = map::grow(heap, map, pairs)
        {
            return map;
        }
        match map::update_many(heap, map, pairs, exact) {
            Ok(map) => map,
            Err(map::BadKey(key)) => {
                let missing = pairs.iter().map(|&(key, _)| key);
                let missing = missing.filter(|&key| map::get(map, key).is_none());
                // If several keys are missing, OTP names the smallest.
                let least = missing.min_by(|&a, &b| compare::compare_keys(a, b));
                set_tagged_error(c, am::BADKEY, least.unwrap_or(key));
                Term::NONE
            }
        }
    }
}

/// The map with one pair put into it, or none after raising `badkey`.
#[inline(always)]
unsafe fn put_one(c: *mut Context, map: Term, key: Term, value: Term, exact: bool) -> Term {
    let heap = unsafe { &mut (*(*c).process).heap };
    if !exact {
        return map::put(heap, map, key, value);
    }
    match map::update(heap, map, key, value) {
        Some(map) => map,
        None => {
            unsafe { set_tagged_error(c, am::BADKEY, key) };
            Term::NONE
        }
    }
}
