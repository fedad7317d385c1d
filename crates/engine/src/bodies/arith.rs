//! Integer arithmetic. Small operands with a small result are handled here;
//! everything else, including every error, is left to the operator's BIF.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;
use layout::limits::SMALL_MIN;

use crate::operation::operations;
use crate::slow;

/// The tag bits of a small integer.
const TAG: u64 = 0b1111;

/// The word of a small integer without its tag. Written as a difference, which for a constant is a constant.
#[inline(always)]
fn untagged(small: Term) -> i64 {
    small.bits().wrapping_sub(TAG) as i64
}

/// The product of an untagged word and a number, if it is a small integer.
#[inline(always)]
fn product(untagged: i64, factor: i64) -> Option<Term> {
    let (product, overflow) = untagged.overflowing_mul(factor);
    // SAFETY: the word of a small integer.
    (!overflow).then(|| unsafe { term(product | TAG as i64) })
}

/// The small integer that has these bits of an untagged word.
#[inline(always)]
fn masked(untagged: i64, mask: u64) -> Term {
    // SAFETY: the word of a small integer.
    unsafe { term(untagged & mask as i64 | TAG as i64) }
}

/// The reciprocal of a divisor, as a factor and the number of bits by which the high word of the product is then
/// shifted.
///
/// The factor is the least number greater than 2^p / `divisor`, and p is 64 and the shift. A dividend is a small
/// integer, so below 2^59, and 2^p is at least 2^59 times the divisor; so the product exceeds 2^p times the true
/// quotient by less than 2^p / `divisor`, which is too little to reach the next integer. For the same reason the
/// product of a negative dividend is below that, and rounds to one less than the quotient. The factor is below 2^63, as
/// the divisor is at least 3.
pub(crate) fn reciprocal(divisor: u32) -> (u64, u64) {
    debug_assert!(divisor > 2 && !divisor.is_power_of_two());
    let shift = (u64::from(divisor.ilog2()) + 1).saturating_sub(64 - 59);
    let factor = (1_u128 << (64 + shift)) / u128::from(divisor) + 1;
    (factor as u64, shift)
}

/// The quotient, rounded to zero, of a small integer and the divisor with this [`reciprocal`].
#[inline(always)]
fn quotient(dividend: i64, factor: u64, shift: u64) -> i64 {
    let high = (i128::from(dividend) * i128::from(factor as i64)) >> 64;
    (high as i64 >> (shift & 63)) - (dividend >> 63)
}

#[inline(always)]
unsafe fn term(bits: i64) -> Term {
    unsafe { Term::from_bits(bits as u64) }
}

operations! {
    Add: Iid |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::arith::add);
        }
        // What was passed on keeps its tag: it is the one to wait for.
        let (a, b) = if m.is_passed(o.b) { (b, a) } else { (a, b) };
        let (sum, overflow) = (a.bits() as i64).overflowing_add(untagged(b));
        if overflow {
            return m.slow(o, slow::arith::add);
        }
        let result = term(sum);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    Subtract: Iid |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::arith::subtract);
        }
        let (difference, overflow) = (a.bits() as i64).overflowing_sub(untagged(b));
        if overflow {
            return m.slow(o, slow::arith::subtract);
        }
        let result = term(difference);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    Multiply: Iid |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::arith::multiply);
        }
        // Of a constant factor the value, which does not wait for the other one.
        let product = match m.is_small_constant(o.a) {
            true => product(untagged(b), a.small_value()),
            false => product(untagged(a), b.small_value()),
        };
        let Some(product) = product else {
            return m.slow(o, slow::arith::multiply);
        };
        m.put(o.dest, product);
        m.next_with(o.end, product)
    }

    /// `*` by a constant; `by` is the factor.
    MultiplyConstant: SD |m, o: ByConstant| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::arith::multiply_constant);
        }
        let Some(product) = product(untagged(a), m.word(o.by) as i64) else {
            return m.slow(o, slow::arith::multiply_constant);
        };
        m.put(o.dest, product);
        m.next_with(o.end, product)
    }

    /// `*` and then `band` with a mask, of small integers: the product may be a large one, but its low bits are those
    /// that the processor keeps. For other operands the two operations follow.
    MultiplyMasked: IidFew |m, o: Masked| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.next(o.end);
        }
        let product = untagged(a).wrapping_mul(b.small_value());
        m.put(o.dest, masked(product, m.wide(o.mask)));
        m.jump(o.after)
    }

    /// As `MultiplyMasked`, of `*` by a constant and `+`.
    MultiplyAddMasked: IidFew |m, o: MaskedSum| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.next(o.end);
        }
        let product = untagged(a).wrapping_mul(m.wide(o.factor) as i64);
        m.put(o.dest, masked(product.wrapping_add(untagged(b)), m.wide(o.mask)));
        m.jump(o.after)
    }

    /// As `MultiplyMasked`, of `bsl`.
    ShiftLeftMasked: IidFew |m, o: Masked| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.next(o.end);
        }
        let shift = b.small_value();
        if shift as u64 >= 64 {
            return m.next(o.end);
        }
        m.put(o.dest, masked(untagged(a) << shift, m.wide(o.mask)));
        m.jump(o.after)
    }

    /// `div`
    IntegerDivide: IidFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let (dividend, divisor) = (a.small_value(), b.small_value());
        // The smallest small integer divided by -1 is not a small integer.
        if divisor == 0 || divisor == -1 {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = Term::small(dividend.checked_div(divisor).unwrap_unchecked());
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    Remainder: IidFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let (dividend, divisor) = (a.small_value(), b.small_value());
        if divisor == 0 || divisor == -1 {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = Term::small(dividend.checked_rem(divisor).unwrap_unchecked());
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `max/2`
    Max: IidFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = term((a.bits() as i64).max(b.bits() as i64));
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `min/2`
    Min: IidFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = term((a.bits() as i64).min(b.bits() as i64));
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `rem` by a power of two; `by` are the bits of a term that remain, without those of the tag.
    RemainderByPower: SD |m, o: ByConstant| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::by_constant);
        }
        let (a, remaining) = (a.bits() as i64, m.word(o.by) as i64);
        // What makes a negative number's quotient round to zero: the greatest remainder.
        let bias = (a >> 63) & remaining;
        let result = term(((a + bias) & (remaining | TAG as i64)) - bias);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `div` by a power of two; `by` are the bits of a term that the quotient loses, and `shift` is how many they are.
    DivideByPower: SD |m, o: ByDivisor| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::by_divisor);
        }
        let a = a.bits() as i64;
        // What makes a negative number's quotient round to zero: the greatest remainder.
        let bias = (a >> 63) & m.word(o.by) as i64;
        let result = term(((a + bias) >> (m.word(o.shift) & 63)) | TAG as i64);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `div` by a constant, which is `by`.
    DivideByConstant: SD |m, o: ByDivisor| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::by_divisor);
        }
        let result = Term::small(quotient(a.small_value(), m.wide(o.reciprocal), m.word(o.shift)));
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `rem` by a constant, which is `by`.
    RemainderByConstant: SD |m, o: ByDivisor| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::by_divisor);
        }
        let dividend = a.small_value();
        let quotient = quotient(dividend, m.wide(o.reciprocal), m.word(o.shift));
        let result = Term::small(dividend - quotient * m.word(o.by) as i64);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    BitAnd: Iid |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = Term::from_bits(a.bits() & b.bits());
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    BitOr: Iid |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = Term::from_bits(a.bits() | b.bits());
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    BitXor: Iid |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        // The tag of a constant is not even part of the instruction, and what was passed on is the one to wait for.
        let bits = if m.is_small_constant(o.b) || m.is_passed(o.a) {
            a.bits() ^ untagged(b) as u64
        } else if m.is_passed(o.b) {
            untagged(a) as u64 ^ b.bits()
        } else {
            (a.bits() ^ b.bits()) | TAG
        };
        let result = Term::from_bits(bits);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    ShiftLeft: IidFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let shift = b.small_value();
        if shift as u64 >= 60 {
            return m.slow(o, slow::bifs::guard2);
        }
        // As a product: its overflow shows bits that are lost at the top, and it needs few registers.
        let (shifted, overflow) = untagged(a).overflowing_mul(1 << shift);
        if overflow {
            return m.slow(o, slow::bifs::guard2);
        }
        let result = term(shifted | TAG as i64);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    ShiftRight: IidFew |m, o: Bif2| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::bifs::guard2);
        }
        let shift = b.small_value();
        if shift < 0 {
            return m.slow(o, slow::bifs::guard2);
        }
        let shifted = (a.bits() as i64) >> (if shift > 63 { 63 } else { shift });
        let result = term(shifted | TAG as i64);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    /// `bsl` by a constant; `by` is the factor.
    ShiftLeftConstant: SD |m, o: ByConstant| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::by_constant);
        }
        let Some(shifted) = product(untagged(a), m.word(o.by) as i64) else {
            return m.slow(o, slow::bifs::by_constant);
        };
        m.put(o.dest, shifted);
        m.next_with(o.end, shifted)
    }

    /// `bsr` by a constant; `by` is the number of bits, at most 63.
    ShiftRightConstant: SD |m, o: ByConstant| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::by_constant);
        }
        let shifted = (a.bits() as i64) >> (m.word(o.by) & 63);
        let result = term(shifted | TAG as i64);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    Negate: SD |m, o: Bif1| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) || a.small_value() == SMALL_MIN {
            return m.slow(o, slow::bifs::guard1);
        }
        let result = term((-a.small_value()) << 4 | TAG as i64);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }

    BitNot: SD |m, o: Bif1| {
        let a = m.get(o.a);
        if !m.is_small(o.a, a) {
            return m.slow(o, slow::bifs::guard1);
        }
        let result = Term::from_bits(!a.bits() | TAG);
        m.put(o.dest, result);
        m.next_with(o.end, result)
    }
}

#[cfg(test)]
mod tests {
    use super::{quotient, reciprocal};
    use layout::limits::{SMALL_MAX, SMALL_MIN};

    #[test]
    fn quotients_by_reciprocals_are_exact() {
        let divisors = (3..2000).chain((4..27).flat_map(|bits| {
            let power = 1_u32 << bits;
            [power - 1, power + 1, power / 3 * 2 + 1]
        }));
        for divisor in divisors.filter(|divisor| !divisor.is_power_of_two()) {
            let (factor, shift) = reciprocal(divisor);
            let by = i64::from(divisor);
            // Where a quotient changes is where a product that is too large or too small would show.
            let multiples = [
                0,
                1,
                2,
                3,
                1000,
                SMALL_MAX / by / 2,
                SMALL_MAX / by - 1,
                SMALL_MAX / by,
            ];
            let near = multiples
                .into_iter()
                .flat_map(|n| [n * by - 1, n * by, n * by + 1]);
            let ends = [SMALL_MAX, SMALL_MAX - 1, SMALL_MIN, SMALL_MIN + 1];
            for dividend in near.flat_map(|n| [n, -n]).chain(ends) {
                assert_eq!(
                    quotient(dividend, factor, shift),
                    dividend / by,
                    "{dividend} div {by}"
                );
            }
        }
    }
}
