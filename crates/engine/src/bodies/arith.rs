//! Integer arithmetic: `a, b, dest, fail, live, export`. Small operands with a small result are handled here;
//! everything else, including every error, is left to the operator's BIF.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;
use layout::limits::SMALL_MIN;

use crate::operation::operations;
use crate::slow;

/// The tag bits of a small integer.
const TAG: u64 = 0b1111;

#[inline(always)]
fn both_small(a: Term, b: Term) -> bool {
    a.bits() & b.bits() & TAG == TAG
}

#[inline(always)]
unsafe fn term(bits: i64) -> Term {
    unsafe { Term::from_bits(bits as u64) }
}

operations! {
    Add: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::arith::add);
        }
        let (sum, overflow) = (a.bits() as i64).overflowing_add((b.bits() & !TAG) as i64);
        if overflow {
            return m.slow(slow::arith::add);
        }
        m.put::<C, 2>(term(sum));
        m.next::<6>()
    }

    Subtract: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::arith::subtract);
        }
        let (difference, overflow) = (a.bits() as i64).overflowing_sub((b.bits() & !TAG) as i64);
        if overflow {
            return m.slow(slow::arith::subtract);
        }
        m.put::<C, 2>(term(difference));
        m.next::<6>()
    }

    Multiply: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::arith::multiply);
        }
        let (product, overflow) = ((a.bits() & !TAG) as i64).overflowing_mul(b.small_value());
        if overflow {
            return m.slow(slow::arith::multiply);
        }
        m.put::<C, 2>(term(product | TAG as i64));
        m.next::<6>()
    }

    /// `div`
    IntegerDivide: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        let (dividend, divisor) = (a.small_value(), b.small_value());
        // The smallest small integer divided by -1 is not a small integer.
        if divisor == 0 || divisor == -1 {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(Term::small(dividend.checked_div(divisor).unwrap_unchecked()));
        m.next::<6>()
    }

    Remainder: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        let (dividend, divisor) = (a.small_value(), b.small_value());
        if divisor == 0 || divisor == -1 {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(Term::small(dividend.checked_rem(divisor).unwrap_unchecked()));
        m.next::<6>()
    }

    BitAnd: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(Term::from_bits(a.bits() & b.bits()));
        m.next::<6>()
    }

    BitOr: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(Term::from_bits(a.bits() | b.bits()));
        m.next::<6>()
    }

    BitXor: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(Term::from_bits((a.bits() ^ b.bits()) | TAG));
        m.next::<6>()
    }

    ShiftLeft: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        let shift = b.small_value();
        if shift as u64 >= 60 {
            return m.slow(slow::bifs::guard2);
        }
        // Shifting the tagged word back shows whether bits were lost at the top.
        let value = (a.bits() & !TAG) as i64;
        let shifted = value.wrapping_shl(shift as u32);
        if shifted.wrapping_shr(shift as u32) != value {
            return m.slow(slow::bifs::guard2);
        }
        m.put::<C, 2>(term(shifted | TAG as i64));
        m.next::<6>()
    }

    ShiftRight: Ssd<A: Source, B: Source, C: Dest> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if !both_small(a, b) {
            return m.slow(slow::bifs::guard2);
        }
        let shift = b.small_value();
        if shift < 0 {
            return m.slow(slow::bifs::guard2);
        }
        let shifted = (a.bits() as i64) >> (if shift > 63 { 63 } else { shift });
        m.put::<C, 2>(term(shifted | TAG as i64));
        m.next::<6>()
    }

    /// `a, dest, fail, live, export`
    Negate: SD<A: Source, B: Dest> |m| {
        let a = m.get::<A, 0>();
        if !a.is_small() || a.small_value() == SMALL_MIN {
            return m.slow(slow::bifs::guard1);
        }
        m.put::<B, 1>(term((-a.small_value()) << 4 | TAG as i64));
        m.next::<5>()
    }

    /// `a, dest, fail, live, export`
    BitNot: SD<A: Source, B: Dest> |m| {
        let a = m.get::<A, 0>();
        if !a.is_small() {
            return m.slow(slow::bifs::guard1);
        }
        m.put::<B, 1>(Term::from_bits(!a.bits() | TAG));
        m.next::<5>()
    }
}
