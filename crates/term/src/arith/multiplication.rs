//! Multiplication of magnitudes, limbs lowest first: limb by limb if a factor is short, by Karatsuba's method if it is
//! longer, by Toom's in three parts if it is long ("Modern Computer Arithmetic", Brent and Zimmermann, 2010, 1.3).
//! Pure functions: any thread may call.

use super::limbs::{add_in_place, compare, subtract_in_place, trimmed, with_room};
use std::cmp::Ordering;

/// Shorter factors are multiplied limb by limb.
pub(super) const HALVED: usize = 28;
/// Factors from this length on are cut into three parts, shorter ones into two.
pub(super) const IN_THREE: usize = 100;

/// `a * b`; `out` is as long as both together.
pub fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) {
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    debug_assert_eq!(out.len(), a.len() + b.len());
    if b.len() < HALVED {
        by_rows(out, a, b);
    } else {
        with_room(room_for(b.len()), |room| uneven(out, a, b, room));
    }
}

/// The limbs of room that factors of at most this length take: for halves and thirds, what they take themselves and
/// what their parts take is at most that.
fn room_for(length: usize) -> usize {
    4 * length + 24 * length.ilog2() as usize
}

/// Factors of any lengths, of which `a` is not the shorter: it is cut into parts as long as `b`.
fn uneven(out: &mut [u64], a: &[u64], b: &[u64], room: &mut [u64]) {
    if b.len() < HALVED {
        return by_rows(out, a, b);
    }
    let (first, mut left) = a.split_at(b.len());
    let (low, high) = out.split_at_mut(2 * b.len());
    even(low, first, b, room);
    high.fill(0);
    let mut place = b.len();
    while !left.is_empty() {
        let (part, after) = left.split_at(b.len().min(left.len()));
        // A product is added where the one before it has its upper half.
        with_room(part.len() + b.len(), |product| {
            if part.len() == b.len() {
                even(product, part, b, room);
            } else {
                uneven(product, b, part, room);
            }
            let beyond = add_in_place(&mut out[place..], product);
            debug_assert!(!beyond);
        });
        place += part.len();
        left = after;
    }
}

/// Factors of the same length.
fn even(out: &mut [u64], a: &[u64], b: &[u64], room: &mut [u64]) {
    match a.len() {
        ..HALVED => by_rows(out, a, b),
        HALVED..IN_THREE => by_halves(out, a, b, room),
        IN_THREE.. => by_thirds(out, a, b, room),
    }
}

/// Two limbs of the longer factor at a time, each with all of the shorter one: two chains of carries run side by side,
/// and each limb of the product is written half as often.
fn by_rows(out: &mut [u64], a: &[u64], b: &[u64]) {
    let n = b.len();
    out[..n].fill(0);
    let (pairs, last) = a.as_chunks::<2>();
    for (index, &[first, second]) in pairs.iter().enumerate() {
        let (cells, above) = out[2 * index..].split_at_mut(n);
        let (mut first_carry, mut second_carry, mut before) = (0, 0, 0);
        for (cell, &limb) in cells.iter_mut().zip(b) {
            let sum;
            (sum, first_carry) = first.carrying_mul_add(limb, *cell, first_carry);
            (*cell, second_carry) = second.carrying_mul_add(before, sum, second_carry);
            before = limb;
        }
        (above[0], above[1]) = second.carrying_mul_add(before, first_carry, second_carry);
    }
    if let [limb] = *last {
        let (cells, above) = out[a.len() - 1..].split_at_mut(n);
        let mut carry = 0;
        for (cell, &other) in cells.iter_mut().zip(b) {
            (*cell, carry) = limb.carrying_mul_add(other, *cell, carry);
        }
        above[0] = carry;
    }
}

/// By Karatsuba: of `(a1 x + a0) (b1 x + b0)` the middle is `a1 b1 + a0 b0 - (a0 - a1) (b0 - b1)`.
fn by_halves(out: &mut [u64], a: &[u64], b: &[u64], room: &mut [u64]) {
    let half = a.len().div_ceil(2);
    let ((a_low, a_high), (b_low, b_high)) = (a.split_at(half), b.split_at(half));
    let (differences, room) = room.split_at_mut(2 * half);
    let (middle, room) = room.split_at_mut(2 * half + 1);
    // The differences are in `out` until their product is known.
    let (a_difference, b_difference) = out[..2 * half].split_at_mut(half);
    let is_sum = difference(a_difference, a_low, a_high) != difference(b_difference, b_low, b_high);
    even(differences, a_difference, b_difference, room);

    let (low, high) = out.split_at_mut(2 * half);
    even(low, a_low, b_low, room);
    even(high, a_high, b_high, room);
    middle[..2 * half].copy_from_slice(low);
    middle[2 * half] = 0;
    add_in_place(middle, high);
    if is_sum {
        add_in_place(middle, differences);
    } else {
        subtract_in_place(middle, differences);
    }
    let beyond = add_in_place(&mut out[half..], trimmed(middle));
    debug_assert!(!beyond);
}

/// The absolute value of `a - b`, as long as `a`, which is not the shorter one; returns whether the difference is
/// negative.
fn difference(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let is_negative = compare(a, b) == Ordering::Less;
    if is_negative {
        let (low, high) = out.split_at_mut(b.len());
        low.copy_from_slice(b);
        high.fill(0);
        subtract_in_place(out, trimmed(a));
    } else {
        out.copy_from_slice(a);
        subtract_in_place(out, b);
    }
    is_negative
}

/// By Toom: as polynomials of three parts each, the factors are evaluated at 0, 1, -1, 2 and infinity; of the products
/// there the coefficients of the product's polynomial are made.
fn by_thirds(out: &mut [u64], a: &[u64], b: &[u64], room: &mut [u64]) {
    let part = a.len().div_ceil(3);
    let length = part + 1;
    let (at_one, room) = room.split_at_mut(2 * length);
    let (at_minus_one, room) = room.split_at_mut(2 * length);
    let (at_two, room) = room.split_at_mut(2 * length);
    let (a_value, room) = room.split_at_mut(length);
    let (b_value, room) = room.split_at_mut(length);

    value_at_one(a_value, a, part);
    value_at_one(b_value, b, part);
    even(at_one, a_value, b_value, room);
    let is_negative = value_at_minus_one(a_value, a, part) != value_at_minus_one(b_value, b, part);
    even(at_minus_one, a_value, b_value, room);
    value_at_two(a_value, a, part);
    value_at_two(b_value, b, part);
    even(at_two, a_value, b_value, room);
    even(&mut out[..2 * part], &a[..part], &b[..part], room);
    even(&mut out[4 * part..], &a[2 * part..], &b[2 * part..], room);
    out[2 * part..4 * part].fill(0);
    let (at_zero, at_infinity) = (&out[..2 * part], &out[4 * part..]);

    // The product's polynomial is c4 x^4 + c3 x^3 + c2 x^2 + c1 x + c0. None of what follows is below zero.
    let (sums, alternating, c3) = (at_one, at_minus_one, at_two);
    if is_negative {
        add_in_place(c3, alternating);
        add_in_place(alternating, sums);
    } else {
        subtract_in_place(c3, alternating);
        let below = subtract_from(alternating, sums);
        debug_assert!(!below);
    }
    divide_by_three(c3); // c1 + c2 + 3 c3 + 5 c4
    halve(alternating); // c1 + c3
    subtract_in_place(sums, at_zero); // c1 + c2 + c3 + c4
    subtract_in_place(c3, sums);
    halve(c3); // c3 + 2 c4
    subtract_in_place(sums, alternating);
    subtract_in_place(sums, at_infinity); // c2
    subtract_in_place(c3, at_infinity);
    subtract_in_place(c3, at_infinity);
    subtract_in_place(alternating, c3); // c1
    for (place, coefficient) in [(1, alternating), (2, sums), (3, c3)] {
        let beyond = add_in_place(&mut out[place * part..], trimmed(coefficient));
        debug_assert!(!beyond);
    }
}

fn parts(limbs: &[u64], part: usize) -> (&[u64], &[u64], &[u64]) {
    (&limbs[..part], &limbs[part..2 * part], &limbs[2 * part..])
}

fn value_at_one(out: &mut [u64], limbs: &[u64], part: usize) {
    let (low, middle, high) = parts(limbs, part);
    out[..part].copy_from_slice(low);
    out[part] = 0;
    add_in_place(out, middle);
    add_in_place(out, high);
}

/// The absolute value; returns whether the value is negative.
fn value_at_minus_one(out: &mut [u64], limbs: &[u64], part: usize) -> bool {
    let (low, middle, high) = parts(limbs, part);
    out[..part].copy_from_slice(low);
    out[part] = 0;
    add_in_place(out, high);
    let is_negative = compare(out, middle) == Ordering::Less;
    if is_negative {
        // What is below a part has no more limbs than it.
        subtract_from(&mut out[..part], middle);
    } else {
        subtract_in_place(out, middle);
    }
    is_negative
}

fn value_at_two(out: &mut [u64], limbs: &[u64], part: usize) {
    let (low, middle, high) = parts(limbs, part);
    let (value, above) = out.split_at_mut(high.len());
    value.copy_from_slice(high);
    above.fill(0);
    double(out);
    add_in_place(out, middle);
    double(out);
    add_in_place(out, low);
}

/// `cells = limbs - cells`, of the same length; returns whether the result went below zero.
fn subtract_from(cells: &mut [u64], limbs: &[u64]) -> bool {
    let mut borrow = false;
    for (cell, &limb) in cells.iter_mut().zip(limbs) {
        (*cell, borrow) = limb.borrowing_sub(*cell, borrow);
    }
    borrow
}

fn double(limbs: &mut [u64]) {
    let mut carry = 0;
    for limb in limbs {
        (*limb, carry) = (*limb << 1 | carry, *limb >> 63);
    }
}

fn halve(limbs: &mut [u64]) {
    for index in 1..limbs.len() {
        limbs[index - 1] = limbs[index - 1] >> 1 | limbs[index] << 63;
    }
    if let Some(last) = limbs.last_mut() {
        *last >>= 1;
    }
}

/// Divides a multiple of three: limb by limb from below, each by the inverse of three modulo 2^64.
fn divide_by_three(limbs: &mut [u64]) {
    const INVERSE: u64 = 0xaaaa_aaaa_aaaa_aaab;
    const THIRD: u64 = u64::MAX / 3;
    let mut borrow = 0;
    for limb in limbs {
        let (rest, under) = limb.overflowing_sub(borrow);
        *limb = rest.wrapping_mul(INVERSE);
        // What three times the quotient has beyond a limb is taken from the next one.
        borrow = u64::from(under) + u64::from(*limb > THIRD) + u64::from(*limb > 2 * THIRD);
    }
    debug_assert_eq!(borrow, 0, "a multiple of three");
}
