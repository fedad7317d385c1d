//! Reading from maps, and making maps with constant keys. Flat maps are searched for immediate keys here; everything
//! else is in `slow::maps`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::object::offset;
use layout::{Header, ObjectKind, Term};

use super::tags::{boxed, has_header};
use crate::operation::operations;
use crate::slow;

/// Header of a flat map without its arity, and the mask of the kind and shape bits.
const FLAT_MAP: u64 = Header::new(ObjectKind::Map, 0).0;
const KIND_AND_SHAPE: u64 = 0b11_1111 | 0b11 << 38;

/// Size in bytes of a flat map, not counting its tuple of keys.
#[must_use]
pub const fn bytes_of_flat(pairs: usize) -> u64 {
    (1 + offset::FLAT_MAP_VALUES + pairs) as u64 * 8
}

/// The header of a flat map.
#[must_use]
pub const fn flat_header(pairs: usize) -> u64 {
    Header::new(ObjectKind::Map, offset::FLAT_MAP_VALUES + pairs).0
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
        let object = (map.bits() as *const u8).wrapping_sub(2).cast::<u64>();
        let size = *object.add(1 + offset::MAP_SIZE) as usize;
        let keys = (*object.add(1 + offset::FLAT_MAP_KEYS) as *const u8)
            .wrapping_sub(2)
            .cast::<u64>();
        let mut index = 0;
        while index < size {
            // Volatile: otherwise the compiler would unroll the loop, for which there are too few free registers.
            if keys.add(1 + index).read_volatile() == key.bits() {
                let value = Term::from_bits(*object.add(1 + offset::FLAT_MAP_VALUES + index));
                m.put(o.dest, value);
                return m.next(o.end);
            }
            index += 1;
        }
        m.jump(o.fail)
    }
}
