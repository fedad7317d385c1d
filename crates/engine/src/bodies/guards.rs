//! BIFs that are short enough to be operations. Cases that take longer, and errors, are left to the BIF.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::limits::SMALL_MIN;
use layout::object::offset;
use layout::{ObjectKind, Term};

use super::tags::{KIND_MASK, has_header, header_of, is_cons, kind_bits};
use super::tuples::{element, element_offset, tuple_header};
use crate::operation::operations;
use crate::slow;

const TRUE: Term = Term::atom(spec::atoms::TRUE);
const FALSE: Term = Term::atom(spec::atoms::FALSE);

/// Longer lists are left to the BIF, which charges reductions for its work. As the word of a small integer.
const SHORT_LENGTH: u64 = 256 << 4 | 0b1111;

#[inline(always)]
pub(super) fn boolean(value: bool) -> Term {
    if value { TRUE } else { FALSE }
}

#[inline(always)]
pub(super) fn is_boolean(value: Term) -> bool {
    value == TRUE || value == FALSE
}

operations! {
    /// `element/2` with a constant index: `index, tuple, dest, fail, live, export, offset of the element, header of the
    /// smallest tuple that has it`
    ElementConstant: SD |m, o: ElementConstant| {
        let tuple = m.get(o.tuple);
        let header = header_of(tuple);
        if header & KIND_MASK != tuple_header(0) || header < m.word(o.header) {
            return m.slow(o, slow::bifs::guard2);
        }
        let value = *element(tuple, m.word(o.offset));
        m.put(o.dest, value);
        m.next(o.end)
    }

    /// `element/2` of a constant tuple: a table that is looked up.
    ElementOfConstant: SD |m, o: ElementOfConstant| {
        let index = m.get(o.index);
        if !m.is_small(o.index, index) {
            return m.slow(o, slow::bifs::guard2);
        }
        let place = (index.small_value() as u64).wrapping_sub(1);
        if place >= m.word(o.count) {
            return m.slow(o, slow::bifs::guard2);
        }
        let elements = m.wide(o.elements) as *const Term;
        m.put(o.dest, *elements.wrapping_add(place as usize));
        m.next(o.end)
    }

    /// `element/2`
    Element: SsdFew |m, o: Bif2| {
        let (index, tuple) = (m.get(o.a), m.get(o.b));
        let header = header_of(tuple);
        if header & KIND_MASK != tuple_header(0) || !index.is_small() {
            return m.slow(o, slow::bifs::guard2);
        }
        let index = (index.small_value() as u64).wrapping_sub(1);
        if index >= header >> 6 {
            return m.slow(o, slow::bifs::guard2);
        }
        let value = *element(tuple, element_offset(0).wrapping_add(index * 8));
        m.put(o.dest, value);
        m.next(o.end)
    }

    /// `tuple_size/1`
    TupleSize: SD |m, o: Bif1| {
        let header = header_of(m.get(o.a));
        if header & KIND_MASK != tuple_header(0) {
            return m.slow(o, slow::bifs::guard1);
        }
        m.put(o.dest, Term::small((header >> 6) as i64));
        m.next(o.end)
    }

    /// `map_size/1`
    MapSize: SD |m, o: Bif1| {
        let map = m.get(o.a);
        if !has_header(map, KIND_MASK, kind_bits(ObjectKind::Map)) {
            return m.slow(o, slow::bifs::guard1);
        }
        let pairs = *element(map, element_offset(0));
        m.put(o.dest, Term::small(pairs.bits() as i64));
        m.next(o.end)
    }

    /// `hd/1`
    Head: SD |m, o: Bif1| {
        let list = m.get(o.a);
        if !is_cons(list) {
            return m.slow(o, slow::bifs::guard1);
        }
        m.put(o.dest, list.cell_unchecked().head());
        m.next(o.end)
    }

    /// `tl/1`
    Tail: SD |m, o: Bif1| {
        let list = m.get(o.a);
        if !is_cons(list) {
            return m.slow(o, slow::bifs::guard1);
        }
        m.put(o.dest, list.cell_unchecked().tail());
        m.next(o.end)
    }

    /// `abs/1` of a small integer
    Absolute: SD |m, o: Bif1| {
        let a = m.get(o.a);
        // The negation of the smallest small integer is not a small integer.
        if !a.is_small() || a.small_value() == SMALL_MIN {
            return m.slow(o, slow::bifs::guard1);
        }
        let value = a.small_value();
        let sign = value >> 63;
        m.put(o.dest, Term::from_bits(((value ^ sign).wrapping_sub(sign) << 4) as u64 | 0b1111));
        m.next(o.end)
    }

    /// `byte_size/1` of a binary of whole bytes
    ByteSize: SD |m, o: Bif1| {
        let a = m.get(o.a);
        let kind = header_of(a) & KIND_MASK;
        let is_whole = kind == kind_bits(ObjectKind::HeapBinary) || kind == kind_bits(ObjectKind::SharedBinary);
        if !is_whole && kind != kind_bits(ObjectKind::SubBinary) {
            return m.slow(o, slow::bifs::guard1);
        }
        // In all three kinds the size is the first word; a sub-binary may have additional bits.
        if !is_whole && element(a, element_offset(offset::SUB_BINARY_BITS as u64)).cast::<u8>().read() != 0 {
            return m.slow(o, slow::bifs::guard1);
        }
        let size = *element(a, element_offset(offset::SUB_BINARY_SIZE as u64));
        m.put(o.dest, Term::small(size.bits() as i64));
        m.next(o.end)
    }

    /// `length/1` of a short list
    Length: SD |m, o: Bif1| {
        let mut rest = m.get(o.a);
        let mut length = 0b1111;
        while is_cons(rest) {
            rest = rest.cell_unchecked().tail();
            length += 1 << 4;
            if length == SHORT_LENGTH {
                return m.slow(o, slow::bifs::length);
            }
        }
        if !rest.is_nil() {
            return m.slow(o, slow::bifs::length);
        }
        m.put(o.dest, Term::from_bits(length));
        m.next(o.end)
    }

    /// `not/1`
    Not: SD |m, o: Bif1| {
        let value = m.get(o.a);
        if !is_boolean(value) {
            return m.slow(o, slow::bifs::guard1);
        }
        m.put(o.dest, boolean(value == FALSE));
        m.next(o.end)
    }

    /// `and/2`
    And: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !is_boolean(a) || !is_boolean(b) {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, boolean(a == TRUE && b == TRUE));
        m.next(o.end)
    }

    /// `or/2`
    Or: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !is_boolean(a) || !is_boolean(b) {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, boolean(a == TRUE || b == TRUE));
        m.next(o.end)
    }

    /// `=:=`
    EqualExact: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if a != b && !a.is_immediate() && (a.bits() ^ b.bits()) & 0b11 == 0 {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, boolean(a == b));
        m.next(o.end)
    }

    /// `=/=`
    NotEqualExact: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if a != b && !a.is_immediate() && (a.bits() ^ b.bits()) & 0b11 == 0 {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, boolean(a != b));
        m.next(o.end)
    }
}

macro_rules! orders {
    ($($(#[$doc:meta])* $name:ident $operator:tt;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: SsdFew |m, o: Bif2| {
                    let (a, b) = (m.get(o.a), m.get(o.b));
                    if a.bits() & b.bits() & 0b1111 != 0b1111 {
                        return m.slow(o, slow::bifs::guard2);
                    }
                    m.put(o.dest, boolean((a.bits() as i64) $operator b.bits() as i64));
                    m.next(o.end)
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
    GreaterOrEqual >=;
    /// `>`
    Greater >;
    /// `=<`
    LessOrEqual <=;
}
