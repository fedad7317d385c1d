//! Matching bit strings. What is common and short is done here, on the words of the match context; all else is in
//! `slow::binaries`, and building in `slow::build`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::object::offset;
use layout::{Header, Kind, Term};

use super::tuples::header_of;
use crate::operation::operations;
use crate::slow;

/// A word of a match context.
#[inline(always)]
unsafe fn word(context: Term, index: usize) -> *mut u64 {
    (context.bits() as *mut u8)
        .wrapping_sub(2)
        .cast::<u64>()
        .wrapping_add(1 + index)
}

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident $type:ty;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: SD<A: Source, B: Dest> |m| {
                    let context = m.get::<A, 0>();
                    let position = *word(context, offset::MATCH_POSITION);
                    let bits = u64::from(<$type>::BITS);
                    if *word(context, offset::MATCH_END) - position < bits {
                        return m.jump::<3>();
                    }
                    if position & 7 != 0 {
                        return m.slow(slow::binaries::get_integer);
                    }
                    let bytes = *word(context, offset::MATCH_BYTES) as *const u8;
                    let value = bytes
                        .wrapping_add((position / 8) as usize)
                        .cast::<$type>()
                        .read_unaligned();
                    *word(context, offset::MATCH_POSITION) = position + bits;
                    m.put::<B, 2>(Term::small(i64::from(<$type>::from_be(value))));
                    m.next::<7>()
                }
            )*
        }
    };
}

integers! {
    /// An unsigned big-endian integer of a constant size: `context, size, dest, fail, live, unit, flags`
    GetInteger8 u8;
    /// As `GetInteger8`
    GetInteger16 u16;
    /// As `GetInteger8`
    GetInteger32 u32;
}

operations! {
    /// `term, dest, fail, live`: a match context is used again.
    StartMatch: SD<A: Source, B: Dest> |m| {
        let term = m.get::<A, 0>();
        if header_of(term) & 0b11_1111 != Header::new(Kind::MatchContext, 0).0 {
            return m.slow(slow::binaries::start_match);
        }
        m.put::<B, 1>(term);
        m.next::<4>()
    }

    /// A constant number of bits: `context, fail, bits`
    SkipBits: S<A: Source> |m| {
        let context = m.get::<A, 0>();
        let bits = m.word::<2>();
        let position = *word(context, offset::MATCH_POSITION);
        if *word(context, offset::MATCH_END) - position < bits {
            return m.jump::<1>();
        }
        *word(context, offset::MATCH_POSITION) = position + bits;
        m.next::<3>()
    }

    /// Exactly so many bits are left: `context, fail, bits`
    TestTail: S<A: Source> |m| {
        let context = m.get::<A, 0>();
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        if left != m.word::<2>() {
            return m.jump::<1>();
        }
        m.next::<3>()
    }

    /// What is left is a multiple of the unit: `context, fail, unit (not 0)`
    TestUnit: S<A: Source> |m| {
        let context = m.get::<A, 0>();
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        let unit = m.word::<2>();
        let multiple = if unit == 8 { left & 7 == 0 } else { left.wrapping_rem(unit | (unit == 0) as u64) == 0 };
        if !multiple {
            return m.jump::<1>();
        }
        m.next::<3>()
    }

    /// `context, dest`
    GetPosition: SD<A: Source, B: Dest> |m| {
        let position = *word(m.get::<A, 0>(), offset::MATCH_POSITION);
        m.put::<B, 1>(Term::small(position as i64));
        m.next::<2>()
    }
}
