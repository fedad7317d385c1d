//! Native records: testing them, taking a field, and making one of which all values are known where it is made. What
//! looks up a definition, or raises, is in `slow::records`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::object::offset;
use layout::{Header, ObjectKind, Term};

use super::tags::{KIND_MASK, boxed, has_header, header, kind_bits};
use super::tuples::{element, element_offset};
use crate::operation::operations;
use crate::slow;

const NATIVE_RECORD: u64 = kind_bits(ObjectKind::NativeRecord);

/// Size in bytes of a record.
#[must_use]
pub(crate) const fn bytes_of(fields: usize) -> u64 {
    (1 + offset::RECORD_VALUES + fields) as u64 * 8
}

/// The header of a record.
#[must_use]
pub(crate) const fn record_header(fields: usize) -> u64 {
    Header::new(ObjectKind::NativeRecord, offset::RECORD_VALUES + fields).0
}

/// The number of fields of a record of this size.
#[must_use]
pub(crate) const fn fields_of(bytes: u64) -> usize {
    (bytes / 8) as usize - 1 - offset::RECORD_VALUES
}

/// The definition of a term that is known to be a native record.
#[inline(always)]
unsafe fn definition(record: Term) -> Term {
    unsafe { *element(record, element_offset(offset::RECORD_DEFINITION as u64)) }
}

/// An element of a definition.
#[inline(always)]
unsafe fn part(definition: Term, index: usize) -> Term {
    unsafe { *element(definition, element_offset(index as u64)) }
}

operations! {
    /// A native record with this module and name.
    IsNativeRecord: S |m, o: IsNativeRecord| {
        let term = m.get(o.term);
        if !has_header(term, KIND_MASK, NATIVE_RECORD) {
            return m.jump(o.fail);
        }
        let definition = definition(term);
        if part(definition, offset::DEFINITION_MODULE) != m.get(o.module)
            || part(definition, offset::DEFINITION_NAME) != m.get(o.name)
        {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// A native record that is exported, or whose module is this one.
    IsRecordAccessible: S |m, o: IsRecordAccessible| {
        let term = m.get(o.term);
        if !has_header(term, KIND_MASK, NATIVE_RECORD) {
            return m.jump(o.fail);
        }
        let definition = definition(term);
        let exported = part(definition, offset::DEFINITION_EXPORTED);
        if exported.bits() != Term::atom(spec::atoms::TRUE).bits()
            && part(definition, offset::DEFINITION_MODULE) != m.get(o.module)
        {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// The value of a field.
    GetRecordElement: SD |m, o: GetRecordElement| {
        let record = m.get(o.record);
        if !has_header(record, KIND_MASK, NATIVE_RECORD) {
            return m.jump(o.fail);
        }
        let definition = definition(record);
        let field = m.get(o.field);
        let end = element_offset(header(definition) >> 6);
        let mut place = element_offset(offset::DEFINITION_FIELDS as u64);
        while place < end {
            // Volatile: otherwise the compiler would unroll the loop, for which there are too few free registers.
            if element(definition, place).cast::<u64>().read_volatile() == field.bits() {
                // The values are in the order of the names.
                const SHIFT: u64 = 8 * (offset::DEFINITION_FIELDS - offset::RECORD_VALUES) as u64;
                let value = *element(record, place - SHIFT);
                m.put(o.dest, value);
                return m.next(o.end);
            }
            place += 8;
        }
        m.jump(o.fail)
    }

    /// A record of this definition; its values follow.
    NewRecord: P |m, o: NewRecord| {
        let bytes = m.word(o.bytes);
        if !m.has_room(bytes) {
            return m.slow(o, slow::collect::test_heap);
        }
        let fields = fields_of(bytes);
        let object = m.h;
        object.write(record_header(fields));
        object.add(1 + offset::RECORD_DEFINITION).write(m.get(o.definition).bits());
        let words = m.words(o.end);
        for index in 0..fields {
            let value = m.read(*words.add(index));
            object.add(1 + offset::RECORD_VALUES + index).write(value.bits());
        }
        m.h = object.wrapping_byte_add(bytes as usize);
        m.put(o.dest, boxed(object));
        m.next_at(words.add(fields))
    }
}
