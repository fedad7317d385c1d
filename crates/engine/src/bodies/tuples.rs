//! Making tuples and taking them apart.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{ObjectKind, Term};

use crate::operation::operations;

/// The address of the word at `offset` from the tagged pointer of a tuple.
#[inline(always)]
pub(super) unsafe fn element(tuple: Term, offset: u64) -> *mut Term {
    (tuple.bits() as *mut u8)
        .wrapping_add(offset as usize)
        .cast::<Term>()
}

/// The offset of element `index` (from 0) from a tuple's tagged pointer; the operations here have it as an operand.
#[must_use]
pub const fn element_offset(index: u64) -> u64 {
    index * 8 + 8 - 2
}

/// The header word of a tuple.
#[must_use]
pub const fn tuple_header(arity: usize) -> u64 {
    layout::Header::new(ObjectKind::Tuple, arity).0
}

/// The header of a term if it is boxed; otherwise a word that is not a header.
#[inline(always)]
pub(super) unsafe fn header_of(term: Term) -> u64 {
    if term.is_boxed() {
        unsafe { *(term.bits() as *const u8).wrapping_sub(2).cast::<u64>() }
    } else {
        1
    }
}

operations! {
    /// `tuple, offset of the element, dest`
    GetTupleElement: SD<A: Source, B: Dest> |m| {
        let value = *element(m.get::<A, 0>(), m.word::<2>());
        m.put::<B, 1>(value);
        m.next::<3>()
    }

    /// Two elements of one tuple: `tuple, dest, offset, dest, offset`
    GetTupleElement2: Sdd<A: Source, B: Dest, C: Dest> |m| {
        let tuple = m.get::<A, 0>();
        let first = *element(tuple, m.word::<3>());
        let second = *element(tuple, m.word::<4>());
        m.put::<B, 1>(first);
        m.put::<C, 2>(second);
        m.next::<5>()
    }

    /// Overwrites an element of a newly built tuple: `value, tuple, offset`
    SetTupleElement: SS<A: Source, B: Source> |m| {
        let value = m.get::<A, 0>();
        let tuple = m.get::<B, 1>();
        *element(tuple, m.word::<2>()) = value;
        m.next::<3>()
    }

    /// A call of `setelement/3` with the arguments in x0, x1 and x2: `export`
    SetElement: P<> |m| {
        let (index, tuple) = (*m.x, *m.x.add(1));
        let header = header_of(tuple);
        if header & 0b11_1111 != tuple_header(0)
            || !index.is_small()
            || (index.small_value() as u64).wrapping_sub(1) >= header >> 6
        {
            return m.slow(crate::slow::bifs::call_bif);
        }
        let bytes = (header >> 6) * 8;
        if !m.has_room(bytes + 8) {
            return m.slow(crate::slow::bifs::call_bif);
        }
        m.f -= 1;
        // Copies from the last element down to the header.
        let object = m.h;
        let mut offset = bytes;
        loop {
            // Volatile: otherwise the compiler would turn the loop into a call.
            let word = element(tuple, offset.wrapping_sub(2)).cast::<u64>().read_volatile();
            object.wrapping_byte_add(offset as usize).write(word);
            if offset == 0 {
                break;
            }
            offset -= 8;
        }
        let index = (*m.x).small_value() as usize;
        object.wrapping_add(index).write((*m.x.add(2)).bits());
        m.h = object.wrapping_byte_add(bytes as usize + 8);
        *m.x = Term::from_boxed_pointer(object);
        m.next::<1>()
    }

    /// `dest, header, element...`
    PutTuple: P<> |m| {
        let header = m.word::<1>();
        let words = m.words::<2>();
        let arity = (header >> 6) as usize;
        let object = m.h;
        object.write(header);
        for index in 0..arity {
            let value = m.read(*words.add(index));
            object.add(1 + index).write(value.bits());
        }
        m.h = object.add(1 + arity);
        m.write(m.word::<0>(), Term::from_boxed_pointer(object));
        m.next_at(words.add(arity))
    }

    /// Part of `PutTuple` in machine code, writes a word of the tuple being built: `offset from the heap top, word`
    PutHeader: P<> |m| {
        let word = m.h.wrapping_byte_add(m.word::<0>() as usize);
        word.write(m.word::<1>());
        m.next::<2>()
    }

    /// Part of `PutTuple` in machine code, writes an element: `element, offset from the heap top`
    PutElement: S<A: Source> |m| {
        let value = m.get::<A, 0>();
        let word = m.h.wrapping_byte_add(m.word::<1>() as usize);
        word.write(value.bits());
        m.next::<2>()
    }

    /// Part of `PutTuple` in machine code, completes the tuple: `dest, bytes`
    EndTuple: D<A: Dest> |m| {
        let object = m.h;
        m.h = object.wrapping_byte_add(m.word::<1>() as usize);
        m.put::<A, 0>(Term::from_boxed_pointer(object));
        m.next::<2>()
    }

    /// A pair: `element, element, dest`
    PutTuple2: Ssd<A: Source, B: Source, C: Dest> |m| {
        let object = m.h;
        object.write(tuple_header(2));
        object.add(1).write(m.get::<A, 0>().bits());
        object.add(2).write(m.get::<B, 1>().bits());
        m.h = object.add(3);
        m.put::<C, 2>(Term::from_boxed_pointer(object));
        m.next::<3>()
    }

    /// A triple: `element, element, element, dest`
    PutTuple3: P<> |m| {
        use crate::operand::Any;
        let object = m.h;
        object.write(tuple_header(3));
        object.add(1).write(m.get::<Any, 0>().bits());
        object.add(2).write(m.get::<Any, 1>().bits());
        object.add(3).write(m.get::<Any, 2>().bits());
        m.h = object.add(4);
        m.put::<Any, 3>(Term::from_boxed_pointer(object));
        m.next::<4>()
    }

    /// `term, fail`
    IsTuple: S<A: Source> |m| {
        if header_of(m.get::<A, 0>()) & 0b11_1111 != tuple_header(0) {
            return m.jump::<1>();
        }
        m.next::<2>()
    }

    /// Tests the arity of a term that is known to be a tuple: `tuple, header, fail`
    TestArity: S<A: Source> |m| {
        if header_of(m.get::<A, 0>()) != m.word::<1>() {
            return m.jump::<2>();
        }
        m.next::<3>()
    }

    /// Tests any term for a tuple of this header and first element: `term, header, tag, fail`
    IsTaggedTuple: S<A: Source> |m| {
        let term = m.get::<A, 0>();
        if header_of(term) != m.word::<1>()
            || *element(term, element_offset(0)) != m.get::<crate::operand::K, 2>()
        {
            return m.jump::<3>();
        }
        m.next::<4>()
    }
}
