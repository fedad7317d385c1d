//! Making tuples and taking them apart.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::Ordering;

use layout::{Export, ObjectKind, Term};

use super::tags::{KIND_MASK, boxed, has_header, header_of};
use crate::form::Form;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

/// The address of the word at `offset` from the tagged pointer of a tuple.
#[inline(always)]
pub(super) unsafe fn element(tuple: Term, offset: u64) -> *mut Term {
    (tuple.bits() as *mut u8)
        .wrapping_add(offset as usize)
        .cast::<Term>()
}

/// The offset of element `index` (from 0) from a tuple's tagged pointer; the operations here have it as an operand.
#[must_use]
pub(crate) const fn element_offset(index: u64) -> u64 {
    index * 8 + 8 - 2
}

/// The header word of a tuple.
#[must_use]
pub(crate) const fn tuple_header(arity: usize) -> u64 {
    layout::Header::new(ObjectKind::Tuple, arity).0
}

/// Whether an element was replaced.
enum Replaced {
    Yes,
    NoRoom,
    /// The arguments are for the BIF.
    No,
}

/// Writes a copy of the tuple in x1 to x0, with x2 in place of the element whose index is in x0; unless calls of the
/// BIF, whose export this is, run something else because somebody is told of them.
#[inline(always)]
unsafe fn set_element<F: Form>(m: &mut Registers<F>, export: *const Export) -> Replaced {
    unsafe {
        let body = (&raw const (*export).bif).cast::<*mut ()>().read();
        if (*export).called.load(Ordering::Relaxed) != body {
            return Replaced::No;
        }
        let (index, tuple) = (*m.x, *m.x.add(1));
        let header = header_of(tuple);
        if header & KIND_MASK != tuple_header(0)
            || !index.is_small()
            || (index.small_value() as u64).wrapping_sub(1) >= header >> 6
        {
            return Replaced::No;
        }
        let bytes = (header >> 6) * 8;
        if !m.has_room(bytes + 8) {
            return Replaced::NoRoom;
        }
        m.f -= 1;
        // Copies from the last element down to the header.
        let object = m.h;
        let mut offset = bytes;
        loop {
            // Volatile: otherwise the compiler would turn the loop into a call.
            let word = element(tuple, offset.wrapping_sub(2))
                .cast::<u64>()
                .read_volatile();
            object.wrapping_byte_add(offset as usize).write(word);
            if offset == 0 {
                break;
            }
            offset -= 8;
        }
        let index = (*m.x).small_value() as usize;
        object.wrapping_add(index).write((*m.x.add(2)).bits());
        m.h = object.wrapping_byte_add(bytes as usize + 8);
        *m.x = boxed(object);
        Replaced::Yes
    }
}

operations! {
    GetTupleElement: SD |m, o: GetTupleElement| {
        let value = *element(m.get(o.tuple), m.word(o.offset));
        m.put(o.dest, value);
        m.next(o.end)
    }

    /// Two elements of one tuple.
    GetTupleElement2: Sdd |m, o: GetTupleElement2| {
        let tuple = m.get(o.tuple);
        let first = *element(tuple, m.word(o.offset));
        let second = *element(tuple, m.word(o.offset2));
        m.put(o.dest, first);
        m.put(o.dest2, second);
        m.next(o.end)
    }

    /// Overwrites an element of a newly built tuple.
    SetTupleElement: SS |m, o: SetTupleElement| {
        let value = m.get(o.value);
        let tuple = m.get(o.tuple);
        *element(tuple, m.word(o.offset)) = value;
        m.next(o.end)
    }

    /// A call of `setelement/3` with the arguments in x0, x1 and x2.
    SetElement: P |m, o: CallExport| {
        let export = m.export(o.export);
        match set_element(&mut m, export) {
            Replaced::Yes => m.next(o.end),
            Replaced::NoRoom => m.slow(o, slow::collect::room_to_set_element),
            Replaced::No => m.slow(o, slow::bifs::call_bif),
        }
    }

    /// As `SetElement`, in a function without a frame; a return is the next instruction.
    SetElementOnly: P |m, o: CallExport| {
        let export = m.export(o.export);
        match set_element(&mut m, export) {
            Replaced::Yes => m.next(o.end),
            Replaced::NoRoom => m.slow(o, slow::collect::room_to_set_element),
            Replaced::No => m.slow(o, slow::bifs::call_bif_only),
        }
    }

    PutTuple: P |m, o: PutTuple| {
        let header = m.word(o.header);
        let words = m.words(o.end);
        let arity = (header >> 6) as usize;
        let object = m.h;
        object.write(header);
        for index in 0..arity {
            let value = m.read(*words.add(index));
            object.add(1 + index).write(value.bits());
        }
        m.h = object.add(1 + arity);
        m.put(o.dest, boxed(object));
        m.next_at(words.add(arity))
    }

    /// A copy of a tuple with some elements replaced. All elements are read before the destination is written.
    UpdateRecord: P |m, o: UpdateRecord| {
        let tuple = m.get(o.tuple);
        let header = m.word(o.header);
        let count = m.word(o.count) as usize;
        let words = m.words(o.end);
        let arity = header >> 6;
        let object = m.h;
        object.write(header);
        for index in 0..arity {
            // Volatile: otherwise the compiler would turn the loop into a call.
            let value = element(tuple, element_offset(index)).cast::<u64>().read_volatile();
            object.add(1 + index as usize).write(value);
        }
        for pair in 0..count {
            let place = Term::from_bits(*words.add(2 * pair)).small_value() as usize;
            let value = m.read(*words.add(2 * pair + 1));
            object.add(place).write(value.bits());
        }
        m.h = object.add(1 + arity as usize);
        m.put(o.dest, boxed(object));
        m.next_at(words.add(2 * count))
    }

    /// Part of `UpdateRecord` in machine code, copies an element.
    CopyElement: S |m, o: CopyElement| {
        let offset = m.word(o.offset);
        let value = *element(m.get(o.tuple), offset);
        // The offset is from a tagged pointer, which is 2 behind the object.
        m.h.wrapping_byte_add(offset as usize + 2).write(value.bits());
        m.next(o.end)
    }

    /// Part of `PutTuple` in machine code, writes a word of the tuple being built.
    PutHeader: P |m, o: PutHeader| {
        let word = m.h.wrapping_byte_add(m.word(o.offset) as usize);
        word.write(m.word(o.header));
        m.next(o.end)
    }

    /// Part of `PutTuple` in machine code, writes an element.
    PutElement: S |m, o: PutElement| {
        let value = m.get(o.element);
        let word = m.h.wrapping_byte_add(m.word(o.offset) as usize);
        word.write(value.bits());
        m.next(o.end)
    }

    /// Part of `PutTuple` in machine code, completes the tuple.
    EndTuple: D |m, o: EndTuple| {
        let object = m.h;
        m.h = object.wrapping_byte_add(m.word(o.bytes) as usize);
        m.put(o.dest, boxed(object));
        m.next(o.end)
    }

    /// A pair.
    PutTuple2: Ssd |m, o: Pair| {
        let object = m.h;
        object.write(tuple_header(2));
        object.add(1).write(m.get(o.a).bits());
        object.add(2).write(m.get(o.b).bits());
        m.h = object.add(3);
        m.put(o.dest, boxed(object));
        m.next(o.end)
    }

    /// A triple.
    PutTuple3: P |m, o: Triple| {
        let object = m.h;
        object.write(tuple_header(3));
        object.add(1).write(m.get(o.a).bits());
        object.add(2).write(m.get(o.b).bits());
        object.add(3).write(m.get(o.c).bits());
        m.h = object.add(4);
        m.put(o.dest, boxed(object));
        m.next(o.end)
    }

    IsTuple: S |m, o: Test| {
        if !has_header(m.get(o.term), KIND_MASK, tuple_header(0)) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Tests any term for a tuple of this arity.
    TestArity: S |m, o: TestArity| {
        if !has_header(m.get(o.tuple), u64::MAX, m.word(o.header)) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Tests any term for a tuple of this header and first element.
    IsTaggedTuple: S |m, o: IsTaggedTuple| {
        let term = m.get(o.term);
        if !has_header(term, u64::MAX, m.word(o.header))
            || *element(term, element_offset(0)) != m.get(o.tag)
        {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }
}
