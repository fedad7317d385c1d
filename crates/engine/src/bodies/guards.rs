//! BIFs that are short enough to be operations: `a, dest, fail, live, export` or `a, b, dest, fail, live, export`.
//! Cases that take longer, and errors, are left to the BIF.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::limits::SMALL_MIN;
use layout::object::offset;
use layout::{ObjectKind, Term};

use super::tuples::{element, element_offset, header_of, tuple_header};
use crate::operation::operations;
use crate::slow;

const TRUE: Term = Term::atom(isa::atoms::TRUE);
const FALSE: Term = Term::atom(isa::atoms::FALSE);

/// Mask of a header's kind bits and of the two bits that mark it as a header.
const KIND_MASK: u64 = 0b11_1111;

/// Longer lists are left to the BIF, which charges reductions for its work. As the word of a small integer.
const SHORT_LENGTH: u64 = 256 << 4 | 0b1111;

/// The kind bits of an object's header.
const fn kind_bits(kind: ObjectKind) -> u64 {
    layout::Header::new(kind, 0).0
}

#[inline(always)]
fn boolean(value: bool) -> Term {
    if value { TRUE } else { FALSE }
}

operations! {
    /// `element/2` with a constant index: `index, tuple, dest, fail, live, export, offset of the element, header of the
    /// smallest tuple that has it`
    ElementConstant: SD<A: Source, B: Dest> |m| {
        let tuple = m.get::<A, 1>();
        let header = header_of(tuple);
        if header & KIND_MASK != tuple_header(0) || header < m.word::<7>() {
            return m.slow(slow::bifs::guard2);
        }
        let value = *element(tuple, m.word::<6>());
        m.put::<B, 2>(value);
        m.next::<8>()
    }

    /// `element/2`
    Element: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (index, tuple) = (m.get::<A, 0>(), m.get::<B, 1>());
        let header = header_of(tuple);
        if header & KIND_MASK != tuple_header(0) || !index.is_small() {
            return m.slow(slow::bifs::guard2);
        }
        let index = (index.small_value() as u64).wrapping_sub(1);
        if index >= header >> 6 {
            return m.slow(slow::bifs::guard2);
        }
        let value = *element(tuple, element_offset(0).wrapping_add(index * 8));
        m.put::<C, 2>(value);
        m.next::<6>()
    }

    /// `tuple_size/1`
    TupleSize: SD<A: Source, B: Dest> |m| {
        let header = header_of(m.get::<A, 0>());
        if header & KIND_MASK != tuple_header(0) {
            return m.slow(slow::bifs::guard1);
        }
        m.put::<B, 1>(Term::small((header >> 6) as i64));
        m.next::<5>()
    }

    /// `map_size/1`
    MapSize: SD<A: Source, B: Dest> |m| {
        let map = m.get::<A, 0>();
        if header_of(map) & KIND_MASK != layout::Header::new(ObjectKind::Map, 0).0 {
            return m.slow(slow::bifs::guard1);
        }
        let pairs = *element(map, element_offset(0));
        m.put::<B, 1>(Term::small(pairs.bits() as i64));
        m.next::<5>()
    }

    /// `hd/1`
    Head: SD<A: Source, B: Dest> |m| {
        let list = m.get::<A, 0>();
        if !list.is_cons() {
            return m.slow(slow::bifs::guard1);
        }
        m.put::<B, 1>(list.head());
        m.next::<5>()
    }

    /// `tl/1`
    Tail: SD<A: Source, B: Dest> |m| {
        let list = m.get::<A, 0>();
        if !list.is_cons() {
            return m.slow(slow::bifs::guard1);
        }
        m.put::<B, 1>(list.tail());
        m.next::<5>()
    }

    /// `abs/1` of a small integer
    Absolute: SD<A: Source, B: Dest> |m| {
        let a = m.get::<A, 0>();
        // The negation of the smallest small integer is not a small integer.
        if !a.is_small() || a.small_value() == SMALL_MIN {
            return m.slow(slow::bifs::guard1);
        }
        let value = a.small_value();
        let sign = value >> 63;
        m.put::<B, 1>(Term::from_bits(((value ^ sign).wrapping_sub(sign) << 4) as u64 | 0b1111));
        m.next::<5>()
    }

    /// `byte_size/1` of a binary of whole bytes
    ByteSize: SD<A: Source, B: Dest> |m| {
        let a = m.get::<A, 0>();
        let kind = header_of(a) & KIND_MASK;
        let is_whole = kind == kind_bits(ObjectKind::HeapBinary) || kind == kind_bits(ObjectKind::SharedBinary);
        if !is_whole && kind != kind_bits(ObjectKind::SubBinary) {
            return m.slow(slow::bifs::guard1);
        }
        // In all three kinds the size is the first word; a sub-binary may have additional bits.
        if !is_whole && element(a, element_offset(offset::SUB_BINARY_BITS as u64)).cast::<u8>().read() != 0 {
            return m.slow(slow::bifs::guard1);
        }
        let size = *element(a, element_offset(offset::SUB_BINARY_SIZE as u64));
        m.put::<B, 1>(Term::small(size.bits() as i64));
        m.next::<5>()
    }

    /// `length/1` of a short list
    Length: SD<A: Source, B: Dest> |m| {
        let mut rest = m.get::<A, 0>();
        let mut length = 0b1111;
        while rest.is_cons() {
            rest = rest.tail();
            length += 1 << 4;
            if length == SHORT_LENGTH {
                return m.slow(slow::bifs::length);
            }
        }
        if !rest.is_nil() {
            return m.slow(slow::bifs::length);
        }
        m.put::<B, 1>(Term::from_bits(length));
        m.next::<5>()
    }

    /// `not/1`
    Not: SD<A: Source, B: Dest> |m| {
        let value = m.get::<A, 0>();
        if value != TRUE && value != FALSE {
            return m.slow(slow::bifs::guard1);
        }
        m.put::<B, 1>(boolean(value == FALSE));
        m.next::<5>()
    }

    /// `=:=`
    Same: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if a != b && !a.is_immediate() && (a.bits() ^ b.bits()) & 0b11 == 0 {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(boolean(a == b));
        m.next::<6>()
    }

    /// `=/=`
    NotSame: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if a != b && !a.is_immediate() && (a.bits() ^ b.bits()) & 0b11 == 0 {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(boolean(a != b));
        m.next::<6>()
    }
}

macro_rules! orders {
    ($($(#[$doc:meta])* $name:ident $operator:tt;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: Ssd<A: Source, B: Source, C: Dest> |m| {
                    let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
                    if a.bits() & b.bits() & 0b1111 != 0b1111 {
                        return m.slow(slow::bifs::guard2);
                    }
                    m.put::<C, 2>(boolean((a.bits() as i64) $operator b.bits() as i64));
                    m.next::<6>()
                }
            )*
        }
    };
}

orders! {
    /// `==` of two small integers
    Equal ==;
    /// `/=` of two small integers
    NotEqual !=;
    /// `<`
    Less <;
    /// `>=`
    NotLess >=;
    /// `>`
    Greater >;
    /// `=<`
    NotGreater <=;
}
