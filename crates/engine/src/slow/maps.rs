//! Maps: lookups and updates.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::mem::MaybeUninit;

use layout::{Context, RaiseKind, Term};
use term::{am, compare, map};

use crate::form::Exit;
use crate::operand::{Any, Operand, OperandKind, read};
use crate::operation::slow_paths;
use crate::slow::bifs::{guard2, settle_guard};
use crate::slow::exceptions::{set_tagged_error, unwind};

slow_paths! {
    /// `map_get/2`: `key, map, dest, fail, live, export`
    map_get |m| {
        let (key, map) = (m.get::<Any, 0>(), m.get::<Any, 1>());
        let fail = m.word::<3>();
        match value(map, key) {
            Some(value) => {
                m.put::<Any, 2>(value);
                m.next::<6>()
            }
            None if fail != 0 => m.enter(fail as *const u64),
            None => m.slow(guard2),
        }
    }

    /// `is_map_key/2`: `key, map, dest, fail, live, export`
    is_map_key |m| {
        let (key, map) = (m.get::<Any, 0>(), m.get::<Any, 1>());
        if !map.is_map() {
            return m.slow(guard2);
        }
        m.put::<Any, 2>(am::boolean(map::get(map, key).is_some()));
        m.next::<6>()
    }

    /// `map, dest, key, fail`
    get_map_element |m| {
        let (map, key) = (m.get::<Any, 0>(), m.get::<Any, 2>());
        match value(map, key) {
            Some(value) => {
                m.put::<Any, 1>(value);
                m.next::<4>()
            }
            None => m.jump::<3>(),
        }
    }

    /// `map, fail, count, (key, dest)...`
    get_map_elements |m| {
        let map = m.get::<Any, 0>();
        let count = m.word::<2>() as usize;
        let words = m.words::<3>();
        if !map.is_map() {
            return m.jump::<1>();
        }
        let mut lookups = map::Lookups::new(map);
        for index in 0..count {
            let key = m.read(*words.add(2 * index));
            match lookups.get(key) {
                Some(value) => m.write(*words.add(2 * index + 1), value),
                None => return m.jump::<1>(),
            }
        }
        m.next_at(words.add(2 * count))
    }

    /// `map, fail, count, key...`
    has_map_fields |m| {
        let map = m.get::<Any, 0>();
        let count = m.word::<2>() as usize;
        let words = m.words::<3>();
        if !map.is_map() {
            return m.jump::<1>();
        }
        let mut lookups = map::Lookups::new(map);
        for index in 0..count {
            let key = m.read(*words.add(index));
            if lookups.get(key).is_none() {
                return m.jump::<1>();
            }
        }
        m.next_at(words.add(count))
    }

    /// `map, dest, fail, live, 1 if all keys must exist already, count, (key, value)...`
    put_map |m| {
        let count = m.word::<5>() as usize;
        m.save();
        let result = update(m.c, m.x, m.s, m.ip);
        m.load();
        if result.is_none() {
            if m.word::<2>() != 0 {
                (*m.c).raise.kind = RaiseKind::None;
                return m.jump::<2>();
            }
            let ip = m.ip;
            return unwind(m, ip, core::ptr::null(), core::ptr::null());
        }
        let live = m.word::<3>();
        let result = settle_guard(&mut m, result, live);
        if result.is_none() {
            return Exit::Exited;
        }
        m.put::<Any, 1>(result);
        let end = m.words::<6>().add(2 * count);
        m.next_at(end)
    }
}

/// The value of a key; `None` if `map` is not a map.
#[inline(always)]
fn value(map: Term, key: Term) -> Option<Term> {
    if !map.is_map() {
        return None;
    }
    map::get(map, key)
}

/// The updated map, or none after raising `badmap` or `badkey`.
#[inline(never)]
unsafe fn update(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        let operand = |index: usize| *ip.add(1 + index);
        let map = read(x, s, operand(0));
        let (exact, count) = (operand(4) != 0, operand(5) as usize);
        if !map.is_map() {
            set_tagged_error(c, am::BADMAP, map);
            return Term::NONE;
        }
        let heap = &mut (*(*c).process).heap;
        let pair = |index: usize| {
            let key = read(x, s, operand(6 + 2 * index));
            (key, read(x, s, operand(7 + 2 * index)))
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
        // Keys in registers may differ from one execution to the next.
        let same_keys =
            |index| Operand::from_word(operand(6 + 2 * index)).place() == OperandKind::Constant;
        if !exact
            && (0..count).all(same_keys)
            && let Some(map) = map::grow(heap, map, pairs)
        {
            return map;
        }
        if let [(key, value)] = *pairs {
            if !exact {
                return map::put(heap, map, key, value);
            }
            return match map::update(heap, map, key, value) {
                Some(map) => map,
                None => {
                    set_tagged_error(c, am::BADKEY, key);
                    Term::NONE
                }
            };
        }
        match map::update_many(heap, map, pairs, exact) {
            Ok(map) => map,
            Err(map::BadKey(key)) => {
                let missing = pairs.iter().map(|&(key, _)| key);
                let missing = missing.filter(|&key| map::get(map, key).is_none());
                // If several keys are missing, OTP names the smallest.
                let least = missing.min_by(|&a, &b| compare::compare_exact(a, b));
                set_tagged_error(c, am::BADKEY, least.unwrap_or(key));
                Term::NONE
            }
        }
    }
}
