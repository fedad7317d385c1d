//! Compares arithmetic with machine integers, and checks identities and limits.

use super::multiplication::{HALVED, IN_THREE};
use super::*;
use crate::heap::Scratch;
use crate::integer::compare_integers;
use fastrand::Rng;
use layout::limits::BIG_LIMBS;
use layout::limits::{SMALL_MAX, SMALL_MIN};
use layout::no_gc;
use num_bigint::BigUint;

/// A number of any length up to `bits` bits, each length equally likely, and often close to a power of two.
fn signed(random: &mut Rng, bits: u32) -> i128 {
    let wide = i128::from(random.u64(..) as i64) << 64 | i128::from(random.u64(..));
    let length = random.u32(..bits);
    let value = wide >> (127 - length);
    match random.u64(..4) {
        0 => (1i128 << length) - 1 + (value & 1),
        1 => -(1i128 << length) + (value & 3) - 1,
        _ => value,
    }
}

fn to_unsigned(limbs: &[u64]) -> BigUint {
    let halves = limbs
        .iter()
        .flat_map(|&limb| [limb as u32, (limb >> 32) as u32]);
    BigUint::new(halves.collect())
}

fn limbs(random: &mut Rng, length: usize) -> Vec<u64> {
    (0..length)
        .map(|_| match random.u64(..4) {
            0 => 0,
            1 => u64::MAX,
            _ => random.u64(..),
        })
        .collect()
}

fn to_i128(term: Term) -> i128 {
    if let Some(value) = term.as_small() {
        return i128::from(value);
    }
    let no_gc = no_gc!();
    let (negative, limbs) = term.as_big(no_gc).expect("an integer");
    assert!(limbs.len() <= 2 && limbs.last() != Some(&0));
    let high = limbs.get(1).copied().unwrap_or(0);
    let magnitude = (u128::from(high) << 64 | u128::from(limbs[0])) as i128;
    let value = if negative { -magnitude } else { magnitude };
    assert!(
        value < i128::from(SMALL_MIN) || value > i128::from(SMALL_MAX),
        "a small in disguise"
    );
    value
}

#[test]
fn integers_agree_with_the_machine() {
    let mut random = Rng::with_seed(1);
    for _ in 0..if cfg!(miri) { 100 } else { 20_000 } {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let (a, b) = (signed(&mut random, 126), signed(&mut random, 126));
        let (x, y) = (from_i128(heap, a), from_i128(heap, b));
        assert_eq!(to_i128(x), a);
        let check = |name: &str, result: Outcome, expected: Option<i128>| match expected {
            Some(value) => assert_eq!(to_i128(result.unwrap()), value, "{a} {name} {b}"),
            None => assert_eq!(result, Err(BadArith), "{a} {name} {b}"),
        };
        check("+", add(heap, x, y), Some(a + b));
        check("-", subtract(heap, x, y), Some(a - b));
        check("-1", negate(heap, x), Some(-a));
        check("div", int_div(heap, x, y), a.checked_div(b));
        check("rem", remainder(heap, x, y), a.checked_rem(b));
        check("band", band(heap, x, y), Some(a & b));
        check("bor", bor(heap, x, y), Some(a | b));
        check("bxor", bxor(heap, x, y), Some(a ^ b));
        check("bnot", bnot(heap, x), Some(!a));
        let distance = random.i64(0..130);
        check(
            "bsr",
            bsr(heap, x, Term::small(distance)),
            Some(a >> distance.min(127)),
        );
        let (c, d) = (a >> 64, b >> 64);
        let (z, w) = (from_i128(heap, c), from_i128(heap, d));
        check("*", multiply(heap, z, w), Some(c * d));
        check(
            "bsl",
            bsl(heap, z, Term::small(distance % 64)),
            Some(c << (distance % 64)),
        );
        check(
            "bsr-",
            bsr(heap, z, Term::small(-(distance % 64))),
            Some(c << (distance % 64)),
        );
        check(
            "bsl-",
            bsl(heap, x, Term::small(-distance)),
            Some(a >> distance.min(127)),
        );
        assert_eq!(compare_integers(x, y), a.cmp(&b));
    }
}

#[test]
fn long_division_undoes_multiplication() {
    let mut random = Rng::with_seed(2);
    for round in 0..if cfg!(miri) { 12 } else { 600 } {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let length = |random: &mut Rng, most: usize| random.usize(..most) + 1;
        let most = if round % 10 == 0 { 90 } else { 9 };
        let (n, m) = (length(&mut random, most), length(&mut random, most));
        let a = build::big(heap, random.bool(), &limbs(&mut random, n));
        let b = build::big(heap, random.bool(), &limbs(&mut random, m));
        if b == Term::small(0) {
            continue;
        }
        let quotient = int_div(heap, a, b).unwrap();
        let rest = remainder(heap, a, b).unwrap();
        let product = multiply(heap, quotient, b).unwrap();
        let again = add(heap, product, rest).unwrap();
        assert_eq!(compare_integers(again, a), Ordering::Equal);
        let (size, limit) = (abs(heap, rest).unwrap(), abs(heap, b).unwrap());
        assert_eq!(compare_integers(size, limit), Ordering::Less);
        // Computes the product in another way, one limb at a time.
        let mut total = Term::small(0);
        let (_, parts) = integer_limbs(b, &mut [0], no_gc!())
            .map(|(s, l)| (s, l.to_vec()))
            .unwrap();
        for (place, &limb) in parts.iter().enumerate() {
            let limb = build::unsigned(heap, limb);
            let part = multiply(heap, a, limb).unwrap();
            let part = bsl(heap, part, Term::small(place as i64 * 64)).unwrap();
            total = add(heap, total, part).unwrap();
        }
        let size = abs(heap, b).unwrap();
        let product = multiply(heap, a, size).unwrap();
        assert_eq!(compare_integers(total, product), Ordering::Equal);
    }
}

#[test]
fn magnitudes_agree_with_num_bigint() {
    let mut random = Rng::with_seed(3);
    // Limbs at which carries, borrows and estimated digits are at their limits.
    let edges = [0, 1, 1 << 63, (1 << 63) - 1, u64::MAX - 1, u64::MAX];
    for round in 0..if cfg!(miri) { 40 } else { 20_000 } {
        let most = match round % 50 {
            0 if cfg!(miri) => 20,
            0 => 150,
            _ => 8,
        };
        let mut magnitude = |from: usize| -> Vec<u64> {
            let length = random.usize(from..=most);
            let mut limbs: Vec<u64> = (0..length)
                .map(|_| {
                    if random.bool() {
                        edges[random.usize(..6)]
                    } else {
                        random.u64(..)
                    }
                })
                .collect();
            if let Some(last) = limbs.last_mut() {
                *last = (*last).max(1);
            }
            limbs
        };
        let (a, b) = (magnitude(1), magnitude(1));
        let (large_a, large_b) = (to_unsigned(&a), to_unsigned(&b));
        limbs::with_room(a.len().max(b.len()) + 1, |room| {
            limbs::add(room, &a, &b);
            assert_eq!(to_unsigned(room), &large_a + &large_b);
        });
        limbs::with_room(a.len() + b.len(), |room| {
            limbs::multiply(room, &a, &b);
            assert_eq!(to_unsigned(room), &large_a * &large_b);
        });
        let mut halved = a.clone();
        let rest = limbs::divide_by_limb(&mut halved, b[0].max(1));
        assert_eq!(to_unsigned(&halved), &large_a / b[0].max(1));
        assert_eq!(BigUint::from(rest), &large_a % b[0].max(1));
        if limbs::compare(&a, &b) == Ordering::Less {
            continue;
        }
        limbs::with_room(a.len(), |room| {
            limbs::subtract(room, &a, &b);
            assert_eq!(to_unsigned(room), &large_a - &large_b);
        });
        if b.len() > 1 {
            let length = a.len() - b.len() + 1;
            let (mut quotient, mut rest) = (vec![0; length], vec![0; a.len() + 1]);
            limbs::divide(&mut quotient, &mut rest, &a, &b);
            assert_eq!(to_unsigned(&quotient), &large_a / &large_b);
            assert_eq!(to_unsigned(&rest[..b.len()]), &large_a % &large_b);
        }
    }
}

/// Factors of the lengths from which on they are cut up, and of others, with limbs at which carries go far.
#[test]
fn long_products_agree_with_another_implementation() {
    let mut random = Rng::with_seed(7);
    let lengths = [1, HALVED, 2 * HALVED, IN_THREE, 3 * IN_THREE];
    for _ in 0..if cfg!(miri) { 2 } else { 1_000 } {
        let mut factor = || {
            let length = match random.u8(..4) {
                0 => random.usize(1..if cfg!(miri) { 200 } else { 1_500 }),
                _ => random.choice(lengths).expect("there are lengths") + random.usize(..5),
            };
            let edges = random.bool().then(|| [0, u64::MAX][random.usize(..2)]);
            let mut factor = limbs(&mut random, length);
            if let Some(edge) = edges {
                let mut place = 0;
                while place < length {
                    let end = length.min(place + random.usize(1..60));
                    factor[place..end].fill(edge);
                    place = end + random.usize(..3);
                }
            }
            factor
        };
        let (a, b) = (factor(), factor());
        let mut product = vec![1; a.len() + b.len()];
        limbs::multiply(&mut product, &a, &b);
        let expected = to_unsigned(&a) * to_unsigned(&b);
        assert!(
            to_unsigned(&product) == expected,
            "{} limbs by {}",
            a.len(),
            b.len()
        );
    }
}

/// Quotients around the lengths from which on they are divided by halves, with limbs that make estimates too large.
#[test]
fn long_divisions_agree_with_another_implementation() {
    let mut random = Rng::with_seed(6);
    for _ in 0..if cfg!(miri) { 2 } else { 400 } {
        let mut magnitude = |most: usize| {
            let length = random.usize(2..most);
            let mut magnitude = limbs(&mut random, length);
            let last = magnitude.last_mut().expect("at least one limb");
            *last = match random.u8(..4) {
                0 => u64::MAX,
                1 => 1 << 63,
                2 => 1,
                _ => random.u64(1..),
            };
            magnitude
        };
        let (divisor, mut quotient, extra) = (magnitude(600), magnitude(600), magnitude(600));
        if random.u8(..4) == 0 {
            // With it the highest limbs of the dividend are those of the divisor.
            quotient.fill(u64::MAX);
        }
        let divisor_large = to_unsigned(&divisor);
        // The remainder is often zero or nearly the divisor.
        let extra = match random.u8(..3) {
            0 => BigUint::ZERO,
            1 => &divisor_large - 1u8,
            _ => to_unsigned(&extra) % &divisor_large,
        };
        let dividend = to_unsigned(&quotient) * &divisor_large + &extra;
        let dividend: Vec<u64> = dividend.iter_u64_digits().collect();
        let length = dividend.len() - divisor.len() + 1;
        let (mut found, mut rest) = (vec![0; length], vec![0; dividend.len() + 1]);
        limbs::divide(&mut found, &mut rest, &dividend, &divisor);
        let lengths = (dividend.len(), divisor.len());
        assert!(
            limbs::trimmed(&found) == limbs::trimmed(&quotient),
            "{lengths:?}"
        );
        assert!(to_unsigned(&rest[..divisor.len()]) == extra, "{lengths:?}");
    }
}

#[test]
#[cfg_attr(
    miri,
    ignore = "its numbers have half a million limbs, minutes for each operation under Miri"
)]
fn the_limit_is_met_and_not_passed() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let (one, two) = (Term::small(1), Term::small(2));
    let last = BIG_LIMBS as i64 * 64 - 1;
    let top = bsl(heap, one, Term::small(last)).unwrap();
    assert_eq!(top.as_big(no_gc!()).unwrap().1.len(), BIG_LIMBS);
    assert_eq!(bsl(heap, one, Term::small(last + 1)), Err(SystemLimit));
    assert_eq!(bsl(heap, one, Term::small(1 << 40)), Err(SystemLimit));
    assert_eq!(bsl(heap, one, Term::small(SMALL_MAX)), Err(SystemLimit));
    assert_eq!(add(heap, top, top), Err(SystemLimit));
    assert_eq!(multiply(heap, top, two), Err(SystemLimit));
    assert_eq!(multiply(heap, top, top), Err(SystemLimit));
    assert_eq!(multiply(heap, top, Term::small(0)), Ok(Term::small(0)));
    assert!(multiply(heap, top, one).is_ok());
    let below = subtract(heap, top, one).unwrap();
    let all = add(heap, top, below).unwrap();
    assert_eq!(add(heap, all, one), Err(SystemLimit));
    assert_eq!(add(heap, one, all), Err(SystemLimit));
    let minus = negate(heap, all).unwrap();
    assert_eq!(bnot(heap, all), Err(SystemLimit));
    assert!(bnot(heap, minus).is_ok());
    let huge = bsl(heap, one, Term::small(80)).unwrap();
    assert_eq!(bsl(heap, one, huge), Err(SystemLimit));
    assert_eq!(bsl(heap, Term::small(0), huge), Ok(Term::small(0)));
    assert_eq!(bsr(heap, Term::small(-5), huge), Ok(Term::small(-1)));
    assert_eq!(bsr(heap, top, huge), Ok(Term::small(0)));
}

#[test]
fn what_is_no_number_is_bad() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let (one, atom) = (Term::small(1), crate::am::OK);
    let float = build::float(heap, 1.5);
    let tuple = build::tuple(heap, &[one]);
    for other in [atom, Term::NIL, tuple] {
        assert_eq!(add(heap, one, other), Err(BadArith));
        assert_eq!(subtract(heap, other, float), Err(BadArith));
        assert_eq!(multiply(heap, float, other), Err(BadArith));
        assert_eq!(divide(heap, other, one), Err(BadArith));
        assert_eq!(bsl(heap, other, one), Err(BadArith));
        assert_eq!(negate(heap, other), Err(BadArith));
        assert_eq!(bnot(heap, other), Err(BadArith));
        assert_eq!(abs(heap, other), None);
        assert_eq!(trunc(heap, other), None);
    }
    for operation in [int_div, remainder, band, bor, bxor, bsl, bsr] {
        assert_eq!(operation(heap, float, one), Err(BadArith));
        assert_eq!(operation(heap, one, float), Err(BadArith));
    }
}

#[test]
fn floats_end_where_they_stop_being_finite() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let (zero, huge) = (build::float(heap, 0.0), build::float(heap, f64::MAX));
    assert_eq!(divide(heap, huge, zero), Err(BadArith));
    assert_eq!(divide(heap, zero, Term::small(0)), Err(BadArith));
    assert_eq!(multiply(heap, huge, Term::small(2)), Err(BadArith));
    assert_eq!(add(heap, huge, huge), Err(BadArith));
    let too_large = bsl(heap, Term::small(1), Term::small(1024)).unwrap();
    assert_eq!(float_of_integer(too_large), None);
    assert_eq!(multiply(heap, too_large, zero), Err(BadArith));
    let minus_zero = negate(heap, zero).unwrap().as_float().unwrap();
    assert!(minus_zero == 0.0 && minus_zero.is_sign_negative());
    let product = multiply(heap, Term::small(0), huge).unwrap();
    assert_eq!(product.as_float(), Some(0.0));
}

#[test]
fn whole_floats_become_the_integer_they_are() {
    let mut random = Rng::with_seed(3);
    for round in 0..if cfg!(miri) { 200 } else { 20_000 } {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let value = f64::from_bits(random.u64(..));
        let value = if round % 2 == 0 {
            signed(&mut random, 120) as f64
        } else {
            value
        };
        if !value.is_finite() {
            assert_eq!(integer_from_f64(heap, value), None);
            continue;
        }
        let integer = integer_from_f64(heap, value).unwrap();
        assert_eq!(
            float_of_integer(integer),
            Some(value.trunc() + 0.0),
            "{value}"
        );
        assert_eq!(compare_with_float(integer, value.trunc()), Ordering::Equal);
        let above = add(heap, integer, Term::small(1)).unwrap();
        assert_eq!(compare_with_float(above, value), Ordering::Greater);
        let below = subtract(heap, integer, Term::small(1)).unwrap();
        assert_eq!(compare_with_float(below, value), Ordering::Less);
        assert_eq!(
            compare_with_float(integer, value),
            0.0.partial_cmp(&value.fract()).unwrap()
        );
        if value.abs() < 1e30 {
            assert_eq!(to_i128(integer), value as i128);
        }
    }
}

#[test]
fn rounding_rules() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    // value, trunc, round, floor, ceil
    for (value, expected) in [
        (2.5, [2, 3, 2, 3]),
        (-2.5, [-2, -3, -3, -2]),
        (0.499_999_999_999_999_94, [0, 0, 0, 1]),
        (-0.5, [0, -1, -1, 0]),
        (
            2_251_799_813_685_249.5,
            [
                2_251_799_813_685_249,
                2_251_799_813_685_250,
                2_251_799_813_685_249,
                2_251_799_813_685_250,
            ],
        ),
        (-0.0, [0, 0, 0, 0]),
    ] {
        let float = build::float(heap, value);
        let results = [
            trunc(heap, float),
            round(heap, float),
            floor(heap, float),
            ceil(heap, float),
        ];
        assert_eq!(
            results.map(|term| term.unwrap().as_small().unwrap()),
            expected,
            "{value}"
        );
    }
}
