//! BIFs that are short enough to be operations: `a, dest, fail, live, export` or `a, b, dest, fail, live, export`. What
//! they cannot decide at a glance, errors included, is left to the BIF.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{Kind, Term};

use super::tuples::{element, element_offset, header_of, tuple_header};
use crate::operand::K;
use crate::operation::operations;
use crate::slow;

const TRUE: Term = Term::atom(isa::atoms::TRUE);
const FALSE: Term = Term::atom(isa::atoms::FALSE);

/// The kind bits of a header, and the two that say it is one.
const KIND_MASK: u64 = 0b11_1111;

#[inline(always)]
fn boolean(value: bool) -> Term {
    if value { TRUE } else { FALSE }
}

operations! {
    /// `element/2` with a constant index, which is at least 1
    ElementConstant: SD<A: Source, B: Dest> |m| {
        let tuple = m.get::<A, 1>();
        let header = header_of(tuple);
        // A small's word is 16 times its value and 15; a tuple's header is 64 times its arity.
        let index = m.get::<K, 0>().bits();
        if header & KIND_MASK != tuple_header(0) || (index - 15) * 4 > header {
            return m.slow(slow::bifs::guard2);
        }
        let value = *element(tuple, (index >> 1).wrapping_sub(7 + 2));
        m.put::<B, 2>(value);
        m.next::<6>()
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
        if header_of(map) & KIND_MASK != layout::Header::new(Kind::Map, 0).0 {
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
