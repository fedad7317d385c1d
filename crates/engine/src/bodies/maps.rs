//! Reading from maps, replacing their values, and making maps with constant keys. Flat maps are searched for immediate
//! keys here; everything else is in `slow::maps`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::object::offset;
use layout::{Header, ObjectKind, Term};

use super::guards::boolean;
use super::tags::{KIND_MASK, boxed, has_header};
use crate::operation::operations;
use crate::slow;

/// Header of a flat map without its arity, and the mask of the kind and shape bits.
const FLAT_MAP: u64 = Header::new(ObjectKind::Map, 0).0;
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

    /// `get_map_elements` of one key that is not a constant.
    GetMapElementOf: P |m, o: GetMapElements| {
        let map = m.get(o.map);
        let words = m.words(o.end);
        let key = m.read(*words);
        if !has_header(map, KIND_AND_SHAPE, FLAT_MAP) || !key.is_immediate() {
            return m.slow(o, slow::maps::get_map_elements);
        }
        let object = words_of(map);
        let Some(index) = place_in(object, key) else {
            return m.jump(o.fail);
        };
        m.write(*words.add(1), value_at(object, index));
        m.next_at(words.add(2))
    }

    /// `map_get/2`
    MapGet: Ssd |m, o: Bif2| {
        let (key, map) = (m.get(o.a), m.get(o.b));
        if !has_header(map, KIND_AND_SHAPE, FLAT_MAP) || !key.is_immediate() {
            return m.slow(o, slow::maps::map_get);
        }
        let object = words_of(map);
        let Some(index) = place_in(object, key) else {
            return m.slow(o, slow::maps::map_get);
        };
        m.put(o.dest, value_at(object, index));
        m.next(o.end)
    }

    /// `is_map_key/2`
    IsMapKey: Ssd |m, o: Bif2| {
        let (key, map) = (m.get(o.a), m.get(o.b));
        if !has_header(map, KIND_AND_SHAPE, FLAT_MAP) || !key.is_immediate() {
            return m.slow(o, slow::maps::is_map_key);
        }
        let is_key = place_in(words_of(map), key).is_some();
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
