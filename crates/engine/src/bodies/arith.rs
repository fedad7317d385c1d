//! Integer arithmetic. Small operands with a small result are handled here;
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
    Add: Ssd |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::arith::add);
        }
        let (sum, overflow) = (a.bits() as i64).overflowing_add((b.bits() & !TAG) as i64);
        if overflow {
            return m.slow(o, slow::arith::add);
        }
        m.put(o.dest, term(sum));
        m.next(o.end)
    }

    Subtract: Ssd |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::arith::subtract);
        }
        let (difference, overflow) = (a.bits() as i64).overflowing_sub((b.bits() & !TAG) as i64);
        if overflow {
            return m.slow(o, slow::arith::subtract);
        }
        m.put(o.dest, term(difference));
        m.next(o.end)
    }

    Multiply: Ssd |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::arith::multiply);
        }
        let (product, overflow) = ((a.bits() & !TAG) as i64).overflowing_mul(b.small_value());
        if overflow {
            return m.slow(o, slow::arith::multiply);
        }
        m.put(o.dest, term(product | TAG as i64));
        m.next(o.end)
    }

    /// `div`
    IntegerDivide: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        let (dividend, divisor) = (a.small_value(), b.small_value());
        // The smallest small integer divided by -1 is not a small integer.
        if divisor == 0 || divisor == -1 {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, Term::small(dividend.checked_div(divisor).unwrap_unchecked()));
        m.next(o.end)
    }

    Remainder: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        let (dividend, divisor) = (a.small_value(), b.small_value());
        if divisor == 0 || divisor == -1 {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, Term::small(dividend.checked_rem(divisor).unwrap_unchecked()));
        m.next(o.end)
    }

    BitAnd: Ssd |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, Term::from_bits(a.bits() & b.bits()));
        m.next(o.end)
    }

    BitOr: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, Term::from_bits(a.bits() | b.bits()));
        m.next(o.end)
    }

    BitXor: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, Term::from_bits((a.bits() ^ b.bits()) | TAG));
        m.next(o.end)
    }

    ShiftLeft: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        let shift = b.small_value();
        if shift as u64 >= 60 {
            return m.slow(o, slow::bifs::guard2);
        }
        // Shifting the tagged word back shows whether bits were lost at the top.
        let value = (a.bits() & !TAG) as i64;
        let shifted = value.wrapping_shl(shift as u32);
        if shifted.wrapping_shr(shift as u32) != value {
            return m.slow(o, slow::bifs::guard2);
        }
        m.put(o.dest, term(shifted | TAG as i64));
        m.next(o.end)
    }

    ShiftRight: SsdFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !both_small(a, b) {
            return m.slow(o, slow::bifs::guard2);
        }
        let shift = b.small_value();
        if shift < 0 {
            return m.slow(o, slow::bifs::guard2);
        }
        let shifted = (a.bits() as i64) >> (if shift > 63 { 63 } else { shift });
        m.put(o.dest, term(shifted | TAG as i64));
        m.next(o.end)
    }

    Negate: SD |m, o: Bif1| {
        let a = m.get(o.a);
        if !a.is_small() || a.small_value() == SMALL_MIN {
            return m.slow(o, slow::bifs::guard1);
        }
        m.put(o.dest, term((-a.small_value()) << 4 | TAG as i64));
        m.next(o.end)
    }

    BitNot: SD |m, o: Bif1| {
        let a = m.get(o.a);
        if !a.is_small() {
            return m.slow(o, slow::bifs::guard1);
        }
        m.put(o.dest, Term::from_bits(!a.bits() | TAG));
        m.next(o.end)
    }
}
