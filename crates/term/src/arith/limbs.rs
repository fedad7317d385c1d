//! Magnitudes: unsigned integers as 64-bit limbs, least significant first.
//!
//! What takes one step for each limb is here, and division by short divisors; the other operations are `multiplication`
//! and `division`. Results may have leading zero limbs: the builder of the term drops them. Pure functions: any thread
//! may call.

use std::cmp::Ordering;

pub use super::multiplication::multiply;

use super::division::{LONG_QUOTIENT, divide_long};

/// Room for this many limbs is on the native stack: for most large integers, and for those of a thousand digits.
const FEW_LIMBS: usize = 10;
const MANY_LIMBS: usize = 128;

/// Calls `body` with `length` zeroed limbs, on the native stack unless there are very many.
#[inline]
pub fn with_room<R>(length: usize, body: impl FnOnce(&mut [u64]) -> R) -> R {
    if length <= FEW_LIMBS {
        body(&mut [0; FEW_LIMBS][..length])
    } else if length <= MANY_LIMBS {
        body(&mut [0; MANY_LIMBS][..length])
    } else {
        body(&mut vec![0; length])
    }
}

/// Does a step with each cell and the limb at its place, and passes a carry on from step to step; returns the last one.
/// Four steps are one turn of the loop, so that a carry of one bit stays in the processor's flag.
#[inline(always)]
fn carry_along<C: Copy>(
    cells: &mut [u64],
    limbs: &[u64],
    mut carry: C,
    step: impl Fn(&mut u64, u64, C) -> C,
) -> C {
    debug_assert_eq!(cells.len(), limbs.len());
    let (cell_groups, last_cells) = cells.as_chunks_mut::<4>();
    let (limb_groups, last_limbs) = limbs.as_chunks::<4>();
    for (cells, limbs) in cell_groups.iter_mut().zip(limb_groups) {
        carry = step(&mut cells[0], limbs[0], carry);
        carry = step(&mut cells[1], limbs[1], carry);
        carry = step(&mut cells[2], limbs[2], carry);
        carry = step(&mut cells[3], limbs[3], carry);
    }
    for (cell, &limb) in last_cells.iter_mut().zip(last_limbs) {
        carry = step(cell, limb, carry);
    }
    carry
}

/// The limbs without leading zeros.
#[must_use]
pub fn trimmed(limbs: &[u64]) -> &[u64] {
    let length = limbs
        .iter()
        .rposition(|&limb| limb != 0)
        .map_or(0, |last| last + 1);
    &limbs[..length]
}

/// The order of two magnitudes, which may have leading zeros.
#[must_use]
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let (a, b) = (trimmed(a), trimmed(b));
    a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// `a + b`; `out` has one limb more than the longer of them.
pub fn add(out: &mut [u64], a: &[u64], b: &[u64]) {
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    out[..a.len()].copy_from_slice(a);
    // The last cell is still zero.
    let carry = add_in_place(out, b);
    debug_assert!(!carry);
}

/// `cells += limbs`, which are no more; returns the carry.
pub(super) fn add_in_place(cells: &mut [u64], limbs: &[u64]) -> bool {
    let (low, high) = cells.split_at_mut(limbs.len());
    let mut carry = carry_along(low, limbs, false, |cell, limb, carry| {
        let (sum, over) = cell.carrying_add(limb, carry);
        *cell = sum;
        over
    });
    for cell in high {
        if !carry {
            break;
        }
        (*cell, carry) = cell.overflowing_add(1);
    }
    carry
}

/// `a - b`, where `a >= b` and both are trimmed; `out` is at least as long as `a`.
pub fn subtract(out: &mut [u64], a: &[u64], b: &[u64]) {
    out[..a.len()].copy_from_slice(a);
    let borrow = subtract_in_place(out, b);
    debug_assert!(!borrow, "the lesser from the greater");
}

/// `cells -= limbs`, which are no more; returns whether the result went below zero.
pub(super) fn subtract_in_place(cells: &mut [u64], limbs: &[u64]) -> bool {
    let (low, high) = cells.split_at_mut(limbs.len());
    let mut borrow = carry_along(low, limbs, false, |cell, limb, borrow| {
        let (difference, under) = cell.borrowing_sub(limb, borrow);
        *cell = difference;
        under
    });
    for cell in high {
        if !borrow {
            break;
        }
        (*cell, borrow) = cell.overflowing_sub(1);
    }
    borrow
}

/// A divisor whose highest bit is set, and what makes division by it two multiplications ("Improved division by
/// invariant integers", Möller and Granlund, 2011).
struct Divisor {
    limb: u64,
    /// `(2^128 - 1) / limb - 2^64`
    inverse: u64,
}

impl Divisor {
    fn new(limb: u64) -> Divisor {
        debug_assert!(limb >> 63 == 1);
        let inverse = (u128::MAX / u128::from(limb)) as u64;
        Divisor { limb, inverse }
    }

    /// Quotient and remainder of `high * 2^64 + low`, where `high` is less than the divisor.
    #[inline]
    fn divide(&self, high: u64, low: u64) -> (u64, u64) {
        let (fraction, estimate) = self.inverse.carrying_mul_add(high, low, 0);
        let mut quotient = estimate.wrapping_add(high).wrapping_add(1);
        let mut rest = low.wrapping_sub(quotient.wrapping_mul(self.limb));
        if rest > fraction {
            quotient = quotient.wrapping_sub(1);
            rest = rest.wrapping_add(self.limb);
        }
        if rest >= self.limb {
            quotient = quotient.wrapping_add(1);
            rest -= self.limb;
        }
        (quotient, rest)
    }
}

/// Divides in place by one limb; returns the remainder.
pub fn divide_by_limb(limbs: &mut [u64], divisor: u64) -> u64 {
    let shift = divisor.leading_zeros();
    let divisor = Divisor::new(divisor << shift);
    // Both are shifted to the left, which leaves the quotient as it is.
    let above = |limb: u64| if shift == 0 { 0 } else { limb >> (64 - shift) };
    let mut rest = limbs.last().map_or(0, |&limb| above(limb));
    for index in (0..limbs.len()).rev() {
        let below = index.checked_sub(1).map_or(0, |index| above(limbs[index]));
        (limbs[index], rest) = divisor.divide(rest, limbs[index] << shift | below);
    }
    rest >> shift
}

/// Quotient and remainder. `divisor` is trimmed, longer than one limb, and not longer than
/// `dividend`; `quotient` has `dividend.len() - divisor.len() + 1` limbs. `rest` has one limb more than `dividend`; the
/// remainder is left in its low `divisor.len()` limbs.
pub fn divide(quotient: &mut [u64], rest: &mut [u64], dividend: &[u64], divisor: &[u64]) {
    let (length, n) = (dividend.len(), divisor.len());
    let shift = divisor[n - 1].leading_zeros();
    shift_left(rest, dividend, u64::from(shift));
    with_room(n + 1, |scaled| {
        shift_left(scaled, divisor, u64::from(shift));
        let (rest, divisor) = (&mut rest[..=length], &scaled[..n]);
        match quotient.len().min(n) < LONG_QUOTIENT {
            true => divide_scaled(quotient, rest, divisor),
            false => divide_long(quotient, rest, divisor),
        }
    });
    shift_right_in_place(&mut rest[..n], shift);
}

/// The same by Knuth's algorithm D, for a divisor whose highest bit is set. The dividend, in `rest`, has as many limbs
/// as both, and its highest limbs are less than the divisor.
pub(super) fn divide_scaled(quotient: &mut [u64], rest: &mut [u64], divisor: &[u64]) {
    let (length, n) = (rest.len() - 1, divisor.len());
    let (top, second) = (Divisor::new(divisor[n - 1]), u128::from(divisor[n - 2]));
    for place in (0..=length - n).rev() {
        let (high, low) = (rest[place + n], rest[place + n - 1]);
        let (mut digit, mut left) = if high >= top.limb {
            // The true digit is at most 2^64 - 1.
            let digit = u128::from(u64::MAX);
            let dividend = u128::from(high) << 64 | u128::from(low);
            (digit, dividend - digit * u128::from(top.limb))
        } else {
            let (digit, left) = top.divide(high, low);
            (u128::from(digit), u128::from(left))
        };
        while left >> 64 == 0 && digit * second > (left << 64 | u128::from(rest[place + n - 2])) {
            digit -= 1;
            left += u128::from(top.limb);
        }
        if subtract_product(&mut rest[place..=place + n], divisor, digit as u64) {
            // The estimated digit was one too large, which can happen: decrement it and add the divisor back.
            digit -= 1;
            add_in_place(&mut rest[place..=place + n], divisor);
        }
        quotient[place] = digit as u64;
    }
}

/// `cells -= limbs * factor`; returns whether the result went below zero. `cells` is one limb longer than `limbs`.
fn subtract_product(cells: &mut [u64], limbs: &[u64], factor: u64) -> bool {
    let (cells, last) = cells.split_at_mut(limbs.len());
    let carry = carry_along(cells, limbs, 0, |cell, limb, carry| {
        let (product, high) = limb.carrying_mul(factor, carry);
        let (difference, under) = cell.overflowing_sub(product);
        *cell = difference;
        // Below 2^64: where the upper half is 2^64 - 1, the lower one is zero.
        high + u64::from(under)
    });
    let (difference, under) = last[0].overflowing_sub(carry);
    last[0] = difference;
    under
}

/// `limbs << bits`; `out` is zeroed and at least `bits / 64 + 1` limbs longer.
pub fn shift_left(out: &mut [u64], limbs: &[u64], bits: u64) {
    let (whole, part) = ((bits / 64) as usize, (bits % 64) as u32);
    let out = &mut out[whole..];
    if part == 0 {
        out[..limbs.len()].copy_from_slice(limbs);
        return;
    }
    let ([lowest, ..], [.., highest]) = (limbs, limbs) else {
        return;
    };
    out[0] = lowest << part;
    for (cell, pair) in out[1..].iter_mut().zip(limbs.windows(2)) {
        *cell = pair[1] << part | pair[0] >> (64 - part);
    }
    out[limbs.len()] = highest >> (64 - part);
}

/// `limbs >> bits`, where `bits` is less than their length in bits; returns whether a set bit was shifted out. `out`
/// has `limbs.len() - bits / 64` limbs.
pub fn shift_right(out: &mut [u64], limbs: &[u64], bits: u64) -> bool {
    let (whole, part) = ((bits / 64) as usize, (bits % 64) as u32);
    let mut lost = limbs[..whole].iter().any(|&limb| limb != 0);
    out.copy_from_slice(&limbs[whole..]);
    if part != 0 {
        lost |= out[0] << (64 - part) != 0;
        shift_right_in_place(out, part);
    }
    lost
}

fn shift_right_in_place(limbs: &mut [u64], bits: u32) {
    if bits != 0
        && let Some(last) = limbs.len().checked_sub(1)
    {
        for index in 0..last {
            limbs[index] = limbs[index] >> bits | limbs[index + 1] << (64 - bits);
        }
        limbs[last] >>= bits;
    }
}

/// Adds one in place; the limbs have room for it.
pub fn increment(limbs: &mut [u64]) {
    for limb in limbs {
        *limb = limb.wrapping_add(1);
        if *limb != 0 {
            return;
        }
    }
}

/// The two's complement of a magnitude, in place: from a magnitude to the pattern of its negative, or back.
pub fn negate(limbs: &mut [u64]) {
    for limb in limbs.iter_mut() {
        *limb = !*limb;
    }
    increment(limbs);
}

/// Number of bits, without leading zeros.
#[must_use]
pub fn bit_length(limbs: &[u64]) -> u64 {
    let limbs = trimmed(limbs);
    limbs.last().map_or(0, |last| {
        limbs.len() as u64 * 64 - u64::from(last.leading_zeros())
    })
}
