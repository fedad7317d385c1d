//! Integers of machine widths. Each function refuses what does not fit its width.
//!
//! Pure functions of a term; any thread that may read the term may call them.

use layout::limits::{BIG_LIMBS, BIG_LIMBS_27};
use layout::{Term, no_gc};

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
