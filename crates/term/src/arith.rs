//! Arithmetic on numbers of the language: small and big integers, floats, and mixes of them.
//!
//! Each operation has a short inlined fast path for two small integers, and a function for everything else. An integer
//! of more than [`most_limbs`] limbs ends in `system_limit` before heap is allocated for it; a float that would not be
//! finite ends in `badarith`. Nothing here collects; whoever owns the heap may call.

use std::cmp::Ordering;

use crate::heap::Allocate;
use crate::integer::{Integer, integer_limbs, is_too_long, most_limbs};
use crate::release::{self, Release};
use crate::{Term, build};

mod division;
mod float;
pub mod limbs;
mod multiplication;

pub use crate::compare::compare_with_float;
pub use float::{ceil, float_of_integer, floor, integer_from_f64, round, trunc};

/// Why an operation failed; both are reasons of exceptions of class `error`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithError {
    /// `badarith`: not numbers, not integers where integers are needed, division by zero, or a float
    /// too large.
    BadArith,
    /// `system_limit`: the integer would have too many digits.
    SystemLimit,
}

use ArithError::{BadArith, SystemLimit};
use layout::no_gc;

type Outcome = Result<Term, ArithError>;

#[inline]
fn smalls(a: Term, b: Term) -> Option<(i64, i64)> {
    Some((a.as_small()?, b.as_small()?))
}

/// `A + B`.
///
/// # Errors
/// See [`ArithError`]; the same holds for every operation here.
#[inline]
pub fn add<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b)) => Ok(build::integer(heap, a + b)),
        None => sum(heap, a, b, false),
    }
}

/// `A - B`.
#[inline]
pub fn subtract<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b)) => Ok(build::integer(heap, a - b)),
        None => sum(heap, a, b, true),
    }
}

/// `A * B`.
#[inline]
pub fn multiply<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b)) => Ok(from_i128(heap, i128::from(a) * i128::from(b))),
        None => product(heap, a, b),
    }
}

/// `-A`.
#[inline]
pub fn negate<A: Allocate + ?Sized>(heap: &mut A, a: Term) -> Outcome {
    if let Some(value) = a.as_small() {
        return Ok(build::integer(heap, -value));
    }
    // Not `0 - A`: the negative of 0.0 is -0.0.
    if let Some(value) = a.as_float() {
        return Ok(build::float(heap, -value));
    }
    let no_gc = no_gc!();
    let (negative, limbs) = a.as_big(no_gc).ok_or(BadArith)?;
    Ok(build::big(heap, !negative, limbs))
}

/// `A / B`: always a float.
pub fn divide<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    let (a, b) = (to_float(a)?, to_float(b)?);
    finite(heap, a / b)
}

/// `A div B`: towards zero.
#[inline]
pub fn int_div<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((_, 0)) => Err(BadArith),
        // -(2^59) / -1 is the one quotient that is not small; it still fits the machine word.
        Some((a, b)) => Ok(build::integer(heap, a / b)),
        None => quotient_or_remainder(heap, a, b, true),
    }
}

/// `A rem B`: has the sign of `A`.
#[inline]
pub fn remainder<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((_, 0)) => Err(BadArith),
        Some((a, b)) => Ok(Term::small(a % b)),
        None => quotient_or_remainder(heap, a, b, false),
    }
}

/// `A band B`.
#[inline]
pub fn band<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b)) => Ok(Term::small(a & b)),
        None => bitwise(heap, a, b, |a, b| a & b),
    }
}

/// `A bor B`.
#[inline]
pub fn bor<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b)) => Ok(Term::small(a | b)),
        None => bitwise(heap, a, b, |a, b| a | b),
    }
}

/// `A bxor B`.
#[inline]
pub fn bxor<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b)) => Ok(Term::small(a ^ b)),
        None => bitwise(heap, a, b, |a, b| a ^ b),
    }
}

/// `bnot A`.
#[inline]
pub fn bnot<A: Allocate + ?Sized>(heap: &mut A, a: Term) -> Outcome {
    match a.as_small() {
        Some(value) => Ok(Term::small(!value)),
        // In two's complement, `bnot A` is `-A - 1`.
        None => {
            let no_gc = no_gc!();
            let (negative, limbs) = a.as_big(no_gc).ok_or(BadArith)?;
            signed_sum(heap, (!negative, limbs), (true, &[1]))
        }
    }
}

/// `A bsl B`; a negative `B` shifts right.
#[inline]
pub fn bsl<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    if let Some((a, b @ 0..=58)) = smalls(a, b)
        && let Some(result) = Term::try_small(a << b)
        && result.small_value() >> b == a
    {
        return Ok(result);
    }
    shift(heap, a, b, false)
}

/// `A bsr B`: rounds down; a negative `B` shifts left.
#[inline]
pub fn bsr<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    match smalls(a, b) {
        Some((a, b @ 0..)) => Ok(Term::small(a >> b.min(63))),
        _ => shift(heap, a, b, true),
    }
}

/// `abs(A)`, or `None` if it is not a number (then `abs/1` fails with `badarg`). Up to OTP 26,
/// `abs(-0.0)` is `-0.0`.
pub fn abs<A: Allocate + ?Sized>(heap: &mut A, a: Term) -> Option<Term> {
    if let Some(value) = a.as_small() {
        return Some(build::integer(heap, value.abs()));
    }
    if let Some(value) = a.as_float() {
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        return Some(
            if value < 0.0 || is_negative_zero && release::has(Release::OTP_27) {
                build::float(heap, -value)
            } else {
                a
            },
        );
    }
    match a.as_big(no_gc!())? {
        (true, limbs) => Some(build::big(heap, false, limbs)),
        (false, _) => Some(a),
    }
}

/// An integer of at most 128 bits.
#[inline]
pub fn from_i128<A: Allocate + ?Sized>(heap: &mut A, value: i128) -> Term {
    if let Ok(value) = i64::try_from(value) {
        return build::integer(heap, value);
    }
    let magnitude = value.unsigned_abs();
    build::big(
        heap,
        value < 0,
        &[magnitude as u64, (magnitude >> 64) as u64],
    )
}

/// The float nearest to a number, rounded as OTP rounds.
fn to_float(term: Term) -> Result<f64, ArithError> {
    match term.as_float() {
        Some(value) => Ok(value),
        None => float_of_integer(term).ok_or(BadArith),
    }
}

fn finite<A: Allocate + ?Sized>(heap: &mut A, value: f64) -> Outcome {
    if value.is_finite() {
        Ok(build::float(heap, value))
    } else {
        Err(BadArith)
    }
}

/// An integer, unless it has too many limbs.
fn limited<A: Allocate + ?Sized>(heap: &mut A, negative: bool, result: &[u64]) -> Outcome {
    let result = limbs::trimmed(result);
    if is_too_long(result.len()) {
        return Err(SystemLimit);
    }
    Ok(build::big(heap, negative, result))
}

#[inline(never)]
fn sum<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term, minus: bool) -> Outcome {
    if a.is_float() || b.is_float() {
        let (a, b) = (to_float(a)?, to_float(b)?);
        return finite(heap, if minus { a - b } else { a + b });
    }
    let (mut a_room, mut b_room) = ([0], [0]);
    let no_gc = no_gc!();
    let a = integer_limbs(a, &mut a_room, no_gc).ok_or(BadArith)?;
    let (negative, magnitude) = integer_limbs(b, &mut b_room, no_gc).ok_or(BadArith)?;
    signed_sum(heap, a, (negative != minus, magnitude))
}

fn signed_sum<A: Allocate + ?Sized>(heap: &mut A, a: Integer, b: Integer) -> Outcome {
    let length = a.1.len().max(b.1.len()) + 1;
    limbs::with_room(length, |room| {
        if a.0 == b.0 {
            limbs::add(room, a.1, b.1);
            return limited(heap, a.0, room);
        }
        let (greater, lesser) = match limbs::compare(a.1, b.1) {
            Ordering::Less => (b, a),
            _ => (a, b),
        };
        limbs::subtract(room, greater.1, lesser.1);
        limited(heap, greater.0, room)
    })
}

#[inline(never)]
fn product<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term) -> Outcome {
    if a.is_float() || b.is_float() {
        let (a, b) = (to_float(a)?, to_float(b)?);
        return finite(heap, a * b);
    }
    let (mut a_room, mut b_room) = ([0], [0]);
    let no_gc = no_gc!();
    let a = integer_limbs(a, &mut a_room, no_gc).ok_or(BadArith)?;
    let b = integer_limbs(b, &mut b_room, no_gc).ok_or(BadArith)?;
    let length = a.1.len() + b.1.len();
    if is_too_long(length.saturating_sub(1)) && !a.1.is_empty() && !b.1.is_empty() {
        // The product has that many limbs, or one less.
        return Err(SystemLimit);
    }
    limbs::with_room(length, |room| {
        limbs::multiply(room, a.1, b.1);
        limited(heap, a.0 != b.0, room)
    })
}

#[inline(never)]
fn quotient_or_remainder<A: Allocate + ?Sized>(
    heap: &mut A,
    dividend: Term,
    divisor: Term,
    quotient: bool,
) -> Outcome {
    let (mut a_room, mut b_room) = ([0], [0]);
    let no_gc = no_gc!();
    let a = integer_limbs(dividend, &mut a_room, no_gc).ok_or(BadArith)?;
    let b = integer_limbs(divisor, &mut b_room, no_gc).ok_or(BadArith)?;
    if b.1.is_empty() {
        return Err(BadArith);
    }
    let sign = if quotient { a.0 != b.0 } else { a.0 };
    if limbs::compare(a.1, b.1) == Ordering::Less {
        return Ok(if quotient { Term::small(0) } else { dividend });
    }
    if let [limb] = *b.1 {
        return limbs::with_room(a.1.len(), |room| {
            room.copy_from_slice(a.1);
            let rest = limbs::divide_by_limb(room, limb);
            limited(
                heap,
                sign,
                if quotient {
                    room
                } else {
                    std::slice::from_ref(&rest)
                },
            )
        });
    }
    let quotient_length = a.1.len() - b.1.len() + 1;
    limbs::with_room(quotient_length + a.1.len() + 1, |room| {
        let (whole, rest) = room.split_at_mut(quotient_length);
        limbs::divide(whole, rest, a.1, b.1);
        limited(
            heap,
            sign,
            if quotient { whole } else { &rest[..b.1.len()] },
        )
    })
}

/// Applies a bitwise operation to the two's complements of both, extended without end.
#[inline(never)]
fn bitwise<A: Allocate + ?Sized>(
    heap: &mut A,
    a: Term,
    b: Term,
    operation: impl Fn(u64, u64) -> u64,
) -> Outcome {
    let (mut a_room, mut b_room) = ([0], [0]);
    let no_gc = no_gc!();
    let a = integer_limbs(a, &mut a_room, no_gc).ok_or(BadArith)?;
    let b = integer_limbs(b, &mut b_room, no_gc).ok_or(BadArith)?;
    let mut a = complement(a);
    let mut b = complement(b);
    let length = a.limbs.len().max(b.limbs.len()) + 1;
    limbs::with_room(length, |room| {
        for limb in room.iter_mut() {
            *limb = operation(a.next(), b.next());
        }
        // The last limb holds only sign bits.
        let negative = room[length - 1] != 0;
        if negative {
            limbs::negate(room);
        }
        limited(heap, negative, room)
    })
}

/// Reads the limbs of an integer's two's complement; behind the last limb sign bits follow without end.
struct Complement<'a> {
    negative: bool,
    limbs: &'a [u64],
    place: usize,
    borrow: bool,
}

fn complement((negative, limbs): Integer<'_>) -> Complement<'_> {
    Complement {
        negative,
        limbs,
        place: 0,
        borrow: negative,
    }
}

impl Complement<'_> {
    #[inline]
    fn next(&mut self) -> u64 {
        let limb = self.limbs.get(self.place).copied().unwrap_or(0);
        self.place += 1;
        if !self.negative {
            return limb;
        }
        // -n is the complement of n - 1.
        let (limb, borrow) = limb.borrowing_sub(0, self.borrow);
        self.borrow = borrow;
        !limb
    }
}

#[inline(never)]
fn shift<A: Allocate + ?Sized>(heap: &mut A, a: Term, b: Term, right: bool) -> Outcome {
    let mut room = [0];
    let no_gc = no_gc!();
    let (negative, limbs) = integer_limbs(a, &mut room, no_gc).ok_or(BadArith)?;
    // A distance that is not a small integer is treated as infinite.
    let (back, distance) = match b.as_small() {
        Some(value) => (value < 0, value.unsigned_abs()),
        None => (b.as_big(no_gc!()).ok_or(BadArith)?.0, u64::MAX),
    };
    if limbs.is_empty() || distance == 0 {
        return Ok(a);
    }
    let whole = distance / 64;
    if right == back {
        if whole > most_limbs() as u64 || is_too_long(whole as usize + limbs.len()) {
            return Err(SystemLimit);
        }
        return limbs::with_room(limbs.len() + whole as usize + 1, |room| {
            limbs::shift_left(room, limbs, distance);
            limited(heap, negative, room)
        });
    }
    if whole >= limbs.len() as u64 {
        return Ok(Term::small(if negative { -1 } else { 0 }));
    }
    limbs::with_room(limbs.len() - whole as usize + 1, |room| {
        let last = room.len() - 1;
        let lost = limbs::shift_right(&mut room[..last], limbs, distance);
        if negative && lost {
            // Towards minus infinity.
            limbs::increment(room);
        }
        limited(heap, negative, room)
    })
}

#[cfg(test)]
mod tests;
