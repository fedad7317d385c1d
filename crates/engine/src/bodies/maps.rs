//! Reading from maps, replacing their values, and making maps with constant keys. Immediate keys are looked up here, in
//! hash maps those that are not constants; everything else is in `slow::maps`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::object::offset;
use layout::trie::{self, Found};
use layout::{Header, ObjectKind, Term};

use super::guards::boolean;
use super::tags::{KIND_MASK, boxed, has_header, header_of};
use crate::form::Form;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

/// Headers of a flat map and of a hash map's root without what differs, and the mask of the kind and shape bits.
const FLAT_MAP: u64 = Header::new(ObjectKind::Map, 0).0;
const HASH_ROOT: u64 = Header::hash_map(true, 0).0 & KIND_AND_SHAPE;
const KIND_AND_SHAPE: u64 = KIND_MASK | 0b11 << 38;

/// Size in bytes of a flat map, not counting its tuple of keys.
#[must_use]
pub(crate) const fn bytes_of_flat(pairs: usize) -> u64 {
    (1 + offset::FLAT_MAP_VALUES + pairs) as u64 * 8
}

/// The header of a flat map.
#[must_use]
pub(crate) const fn flat_header(pairs: usize) -> u64 {
    Header::new(ObjectKind::Map, offset::FLAT_MAP_VALUES + pairs).0
}

/// The words of a flat map, its header first.
#[inline(always)]
fn words_of(map: Term) -> *const u64 {
    (map.bits() as *const u8).wrapping_sub(2).cast()
}

/// The index of an immediate key in a flat map.
///
/// # Safety
/// These are the words of a flat map.
#[inline(always)]
unsafe fn place_in(map: *const u64, key: Term) -> Option<usize> {
    unsafe {
        let size = *map.add(1 + offset::MAP_SIZE) as usize;
        let keys = words_of(Term::from_bits(*map.add(1 + offset::FLAT_MAP_KEYS)));
        let mut index = 0;
        while index < size {
            // Volatile: otherwise the compiler would unroll the loop, for which there are too few free registers.
            if keys.add(1 + index).read_volatile() == key.bits() {
                return Some(index);
            }
            index += 1;
        }
        None
    }
}

/// The value at an index of a flat map.
///
/// # Safety
/// These are the words of a flat map with more values than `index`.
#[inline(always)]
unsafe fn value_at(map: *const u64, index: usize) -> Term {
    unsafe { Term::from_bits(*map.add(1 + offset::FLAT_MAP_VALUES + index)) }
}

/// How a map's nodes are looked into where [`layout::Context::searches_tries`] is set.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn bitmaps() -> trie::Counted {
    unsafe { trie::Counted::new() }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
unsafe fn bitmaps() -> trie::Anywhere {
    trie::Anywhere
}

/// What a body finds out about a key of a map.
enum Looked {
    Value(Term),
    Nothing,
    /// This is for a slow path.
    Undecided,
}

/// Looks a key up, if both are terms for which that takes no call.
#[inline(always)]
unsafe fn look_up<F: Form>(m: &Registers<F>, map: Term, key: Term) -> Looked {
    unsafe {
        let header = header_of(map);
        let shape = header & KIND_AND_SHAPE;
        if !key.is_immediate() {
            return Looked::Undecided;
        }
        let object = words_of(map);
        if shape == FLAT_MAP {
            return match place_in(object, key) {
                Some(index) => Looked::Value(value_at(object, index)),
                None => Looked::Nothing,
            };
        }
        if shape != HASH_ROOT || !(*m.c).searches_tries {
            return Looked::Undecided;
        }
        let hash = trie::scrambled(key.bits()) as u32;
        match trie::look_up(object, Header(header), key, hash, bitmaps()) {
            Found::Value(value) => Looked::Value(value),
            Found::Nothing => Looked::Nothing,
            Found::Undecided => Looked::Undecided,
        }
    }
}

operations! {
    /// A map made from an empty one.
    NewMap: P |m, o: NewMap| {
        let bytes = m.word(o.bytes);
        if !m.has_room(bytes) {
            return m.slow(o, slow::collect::test_heap);
        }
        let pairs = (bytes / 8) as usize - 1 - offset::FLAT_MAP_VALUES;
        let object = m.h;
        object.write(flat_header(pairs));
        object.add(1 + offset::MAP_SIZE).write(pairs as u64);
        object.add(1 + offset::FLAT_MAP_KEYS).write(m.get(o.keys).bits());
        let words = m.words(o.end);
        for index in 0..pairs {
            let value = m.read(*words.add(index));
            object.add(1 + offset::FLAT_MAP_VALUES + index).write(value.bits());
        }
        m.h = object.wrapping_byte_add(bytes as usize);
        m.put(o.dest, boxed(object));
        m.next_at(words.add(pairs))
    }

    /// The value of an immediate key.
    GetMapElement: SD |m, o: GetMapElement| {
        let map = m.get(o.map);
        if !has_header(map, KIND_AND_SHAPE, FLAT_MAP) {
            return m.slow(o, slow::maps::get_map_element);
        }
        let key = m.get(o.key);
        let object = words_of(map);
        let Some(index) = place_in(object, key) else {
            return m.jump(o.fail);
        };
        m.put(o.dest, value_at(object, index));
        m.next(o.end)
    }

    /// The value of a key that is not a constant.
    GetMapElementOf: Ssd |m, o: GetMapElementOf| {
        let (map, key) = (m.get(o.map), m.get(o.key));
        match look_up(&m, map, key) {
            Looked::Value(value) => {
                m.put(o.dest, value);
                m.next(o.end)
            }
            Looked::Nothing => m.jump(o.fail),
            Looked::Undecided => m.slow(o, slow::maps::get_map_element_of),
        }
    }

    /// Whether a map has a key.
    HasMapField: SS |m, o: Comparison| {
        let (map, key) = (m.get(o.a), m.get(o.b));
        match look_up(&m, map, key) {
            Looked::Value(_) => m.next(o.end),
            Looked::Nothing => m.jump(o.fail),
            Looked::Undecided => m.slow(o, slow::maps::has_map_field),
        }
    }

    /// `map_get/2`
    MapGet: Ssd |m, o: Bif2| {
        let (key, map) = (m.get(o.a), m.get(o.b));
        let Looked::Value(value) = look_up(&m, map, key) else {
            return m.slow(o, slow::maps::map_get);
        };
        m.put(o.dest, value);
        m.next(o.end)
    }

    /// `is_map_key/2`
    IsMapKey: Ssd |m, o: Bif2| {
        let (key, map) = (m.get(o.a), m.get(o.b));
        let is_key = match look_up(&m, map, key) {
            Looked::Value(_) => true,
            Looked::Nothing => false,
            Looked::Undecided => return m.slow(o, slow::maps::is_map_key),
        };
        m.put(o.dest, boolean(is_key));
        m.next(o.end)
    }

    /// Other values for immediate keys of a flat map that has them all.
    UpdateMap: P |m, o: PutMap| {
        let map = m.get(o.map);
        if !has_header(map, KIND_AND_SHAPE, FLAT_MAP) {
            return m.slow(o, slow::maps::put_map);
        }
        let object = words_of(map);
        let size = *object.add(1 + offset::MAP_SIZE) as usize;
        if !m.has_room(bytes_of_flat(size)) {
            return m.slow(o, slow::maps::room_to_update);
        }
        // The copy belongs to the heap only after all keys were found.
        let copy = m.h;
        let mut words = m.words(o.end);
        let end = words.add(2 * m.word(o.count) as usize);
        let mut changed = 0;
        while words != end {
            let key = m.read(*words);
            if !key.is_immediate() {
                return m.slow(o, slow::maps::put_map);
            }
            let Some(place) = place_in(object, key) else {
                return m.slow(o, slow::maps::put_map);
            };
            if words == m.words(o.end) {
                let mut index = 0;
                // Volatile, so that the compiler does not unroll the loop.
                while index <= offset::FLAT_MAP_VALUES + object.add(1 + offset::MAP_SIZE).read_volatile() as usize {
                    copy.add(index).write(*object.add(index));
                    index += 1;
                }
            }
            let value = m.read(*words.add(1)).bits();
            let place = copy.add(1 + offset::FLAT_MAP_VALUES + place);
            changed |= *place ^ value;
            place.write(value);
            words = words.add(2);
        }
        // A map that would be the same stays as it is.
        if changed == 0 {
            m.put(o.dest, map);
            return m.next_at(end);
        }
        m.h = copy.add(1 + offset::FLAT_MAP_VALUES + *copy.add(1 + offset::MAP_SIZE) as usize);
        m.put(o.dest, boxed(copy));
        m.next_at(end)
    }
}
