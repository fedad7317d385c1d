//! Magnitudes: unsigned integers as 64-bit limbs, least significant first.
//!
//! The arithmetic of short ones is here; long factors are multiplied by `num-bigint`, whose algorithms are faster from
//! about thirty limbs on. Results may have leading zero limbs: the builder of the term drops them. Pure functions: any
//! thread may call.

use std::cmp::Ordering;

use num_bigint::BigUint;

/// Factors with at least this many limbs each are multiplied by `num-bigint`.
const LONG_FACTOR: usize = 32;

/// Room for at most this many limbs is on the native stack.
const STACK_LIMBS: usize = 10;

/// Calls `body` with `length` zeroed limbs, on the native stack when they are few.
#[inline]
pub fn with_room<R>(length: usize, body: impl FnOnce(&mut [u64]) -> R) -> R {
    if length <= STACK_LIMBS {
        let mut room = [0; STACK_LIMBS];
        body(&mut room[..length])
    } else {
        body(&mut vec![0; length])
    }
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
    let mut carry = false;
    for (index, &limb) in a.iter().enumerate() {
        let other = b.get(index).copied().unwrap_or(0);
        (out[index], carry) = limb.carrying_add(other, carry);
    }
    out[a.len()] = u64::from(carry);
}

/// `a - b`, where `a >= b`; `out` is as long as `a`.
pub fn subtract(out: &mut [u64], a: &[u64], b: &[u64]) {
    let mut borrow = false;
    for (index, &limb) in a.iter().enumerate() {
        let other = b.get(index).copied().unwrap_or(0);
        (out[index], borrow) = limb.borrowing_sub(other, borrow);
    }
    debug_assert!(!borrow, "the lesser from the greater");
}

/// `a * b`; `out` is zeroed and as long as `a` and `b` together.
pub fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) {
    if a.len().min(b.len()) >= LONG_FACTOR {
        let product = to_unsigned(a) * to_unsigned(b);
        for (limb, digit) in out.iter_mut().zip(product.iter_u64_digits()) {
            *limb = digit;
        }
        return;
    }
    // The inner loop is the longer one.
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    for (index, &limb) in a.iter().enumerate() {
        let (cells, above) = out[index..].split_at_mut(b.len());
        let mut carry = 0;
        for (cell, &other) in cells.iter_mut().zip(b) {
            (*cell, carry) = limb.carrying_mul_add(other, *cell, carry);
        }
        above[0] = carry;
    }
}

/// Divides in place by one limb; returns the remainder.
pub fn divide_by_limb(limbs: &mut [u64], divisor: u64) -> u64 {
    let mut rest = 0;
    for limb in limbs.iter_mut().rev() {
        let dividend = u128::from(rest) << 64 | u128::from(*limb);
        *limb = (dividend / u128::from(divisor)) as u64;
        rest = (dividend % u128::from(divisor)) as u64;
    }
    rest
}

/// Quotient and remainder by Knuth's algorithm D. `divisor` is trimmed, longer than one limb, and not longer than
/// `dividend`; `quotient` has `dividend.len() - divisor.len() + 1` limbs. `rest` has one limb more than `dividend`; the
/// remainder is left in its low `divisor.len()` limbs.
pub fn divide(quotient: &mut [u64], rest: &mut [u64], dividend: &[u64], divisor: &[u64]) {
    let (length, n) = (dividend.len(), divisor.len());
    let shift = divisor[n - 1].leading_zeros();
    let mut scaled = vec_or_stack(divisor);
    let divisor = scaled.get();
    shift_left(rest, dividend, u64::from(shift));
    shift_left_in_place(divisor, shift);
    let (top, second) = (u128::from(divisor[n - 1]), u128::from(divisor[n - 2]));
    for place in (0..=length - n).rev() {
        let high = u128::from(rest[place + n]) << 64 | u128::from(rest[place + n - 1]);
        let (mut digit, mut left) = if u128::from(rest[place + n]) >= top {
            // The true digit is at most 2^64 - 1.
            let digit = u128::from(u64::MAX);
            (digit, high - digit * top)
        } else {
            (high / top, high % top)
        };
        while left >> 64 == 0 && digit * second > (left << 64 | u128::from(rest[place + n - 2])) {
            digit -= 1;
            left += top;
        }
        if subtract_product(&mut rest[place..=place + n], divisor, digit as u64) {
            // The estimated digit was one too large, which can happen: decrement it and add the divisor back.
            digit -= 1;
            let mut carry = false;
            for (cell, &limb) in rest[place..].iter_mut().zip(divisor.iter()) {
                (*cell, carry) = cell.carrying_add(limb, carry);
            }
            rest[place + n] = rest[place + n].wrapping_add(u64::from(carry));
        }
        quotient[place] = digit as u64;
    }
    shift_right_in_place(&mut rest[..n], shift);
}

/// `cells -= limbs * factor`; returns whether the result went below zero. `cells` is one limb longer than `limbs`.
fn subtract_product(cells: &mut [u64], limbs: &[u64], factor: u64) -> bool {
    let (mut carry, mut borrow) = (0u64, false);
    for (cell, &limb) in cells.iter_mut().zip(limbs) {
        let product;
        (product, carry) = limb.carrying_mul(factor, carry);
        (*cell, borrow) = cell.borrowing_sub(product, borrow);
    }
    let last = &mut cells[limbs.len()];
    (*last, borrow) = last.borrowing_sub(carry, borrow);
    borrow
}

/// `limbs << bits`; `out` is zeroed and at least `bits / 64 + 1` limbs longer.
pub fn shift_left(out: &mut [u64], limbs: &[u64], bits: u64) {
    let (whole, part) = ((bits / 64) as usize, (bits % 64) as u32);
    let out = &mut out[whole..];
    if part == 0 {
        out[..limbs.len()].copy_from_slice(limbs);
        return;
    }
    let mut low = 0;
    for (index, &limb) in limbs.iter().enumerate() {
        out[index] = limb << part | low;
        low = limb >> (64 - part);
    }
    out[limbs.len()] = low;
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

fn shift_left_in_place(limbs: &mut [u64], bits: u32) {
    if bits != 0 {
        let mut low = 0;
        for limb in limbs {
            let high = *limb >> (64 - bits);
            *limb = *limb << bits | low;
            low = high;
        }
    }
}

fn shift_right_in_place(limbs: &mut [u64], bits: u32) {
    if bits != 0 {
        let mut high = 0;
        for limb in limbs.iter_mut().rev() {
            let low = *limb << (64 - bits);
            *limb = *limb >> bits | high;
            high = low;
        }
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

fn to_unsigned(limbs: &[u64]) -> BigUint {
    BigUint::new(
        limbs
            .iter()
            .flat_map(|&limb| [limb as u32, (limb >> 32) as u32])
            .collect(),
    )
}

/// A copy of limbs, on the native stack when they are few.
enum Copied {
    Stack([u64; STACK_LIMBS], usize),
    Heap(Vec<u64>),
}

fn vec_or_stack(limbs: &[u64]) -> Copied {
    if limbs.len() <= STACK_LIMBS {
        let mut room = [0; STACK_LIMBS];
        room[..limbs.len()].copy_from_slice(limbs);
        Copied::Stack(room, limbs.len())
    } else {
        Copied::Heap(limbs.to_vec())
    }
}

impl Copied {
    fn get(&mut self) -> &mut [u64] {
        match self {
            Copied::Stack(room, length) => &mut room[..*length],
            Copied::Heap(limbs) => limbs,
        }
    }
}
