//! What an integer is, whatever its size: its limbs, its order, and its value in machine widths, where each function
//! refuses what does not fit.
//!
//! Pure functions of a term; any thread that may read the term may call them.

use std::cmp::Ordering;

use layout::limits::{BIG_LIMBS, BIG_LIMBS_27};
use layout::{NoGc, Term, no_gc};

use crate::arith::limbs;
use crate::release::{self, Release};

/// The limbs that an integer may have.
#[must_use]
pub fn most_limbs() -> usize {
    match release::has(Release::OTP_27) {
        true => BIG_LIMBS_27,
        false => BIG_LIMBS,
    }
}

/// Whether an integer may not have so many limbs. The release is asked only where it matters.
#[inline]
#[must_use]
pub fn is_too_long(limbs: usize) -> bool {
    limbs > BIG_LIMBS_27 && limbs > most_limbs()
}

/// Sign (true: negative) and magnitude of an integer.
pub(crate) type Integer<'a> = (bool, &'a [u64]);

/// Sign and magnitude of any integer; the limb of a small one is stored in `room`. Zero has no limbs.
#[inline]
#[must_use]
pub fn integer_limbs<'t>(
    term: Term,
    room: &'t mut [u64; 1],
    no_gc: &'t NoGc,
) -> Option<Integer<'t>> {
    match term.as_small() {
        Some(value) => {
            room[0] = value.unsigned_abs();
            Some((value < 0, &room[..usize::from(value != 0)]))
        }
        None => term.as_big(no_gc),
    }
}

/// The order of two integers of any size.
///
/// # Panics
/// When one is not an integer.
#[must_use]
pub fn compare_integers(a: Term, b: Term) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_small(), b.as_small()) {
        return a.cmp(&b);
    }
    let (mut a_room, mut b_room) = ([0], [0]);
    let no_gc = no_gc!();
    let a = integer_limbs(a, &mut a_room, no_gc).expect("an integer");
    let b = integer_limbs(b, &mut b_room, no_gc).expect("an integer");
    match (a.0, b.0) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => limbs::compare(a.1, b.1),
        (true, true) => limbs::compare(b.1, a.1),
    }
}

/// An integer of 64 bits.
#[must_use]
pub fn int64(term: Term) -> Option<i64> {
    if let Some(small) = term.as_small() {
        return Some(small);
    }
    let no_gc = no_gc!();
    let (negative, [limb]) = term.as_big(no_gc)? else {
        return None;
    };
    if negative {
        0i64.checked_sub_unsigned(*limb)
    } else {
        i64::try_from(*limb).ok()
    }
}

/// An integer of 64 bits that is not negative.
#[must_use]
pub fn uint64(term: Term) -> Option<u64> {
    match term.as_big(no_gc!()) {
        Some((false, [limb])) => Some(*limb),
        Some(_) => None,
        None => term.as_small().and_then(|small| u64::try_from(small).ok()),
    }
}

/// An integer of 8 bits that is not negative.
#[must_use]
#[inline]
pub fn uint8(term: Term) -> Option<u8> {
    term.as_small().and_then(|small| u8::try_from(small).ok())
}

/// An integer of 32 bits.
#[must_use]
pub fn int32(term: Term) -> Option<i32> {
    term.as_small().and_then(|small| i32::try_from(small).ok())
}

/// An integer of 32 bits that is not negative.
#[must_use]
pub fn uint32(term: Term) -> Option<u32> {
    term.as_small().and_then(|small| u32::try_from(small).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use crate::heap::Scratch;

    #[test]
    fn integers_of_any_size_are_taken_up_to_their_width() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        for value in [0, -1, 255, 256, 1 << 59, -(1 << 60), i64::MIN, i64::MAX] {
            let term = build::integer(heap, value);
            assert_eq!(int64(term), Some(value));
            assert_eq!(uint64(term), u64::try_from(value).ok());
            assert_eq!(int32(term), i32::try_from(value).ok());
            assert_eq!(uint32(term), u32::try_from(value).ok());
            assert_eq!(uint8(term), u8::try_from(value).ok());
        }
        let largest = build::unsigned(heap, u64::MAX);
        assert_eq!((int64(largest), uint64(largest)), (None, Some(u64::MAX)));
        let long = build::big(heap, true, &[0, 1]);
        assert_eq!((int64(long), uint64(long)), (None, None));
        let float = build::float(heap, 1.0);
        assert_eq!(
            (int64(float), uint64(float), int32(float)),
            (None, None, None)
        );
    }
}
