//! Division of long magnitudes: by halves, so that it takes little longer than multiplication ("Modern Computer
//! Arithmetic", Brent and Zimmermann, 2010, 1.4.3). Pure functions: any thread may call.

use super::limbs::{add_in_place, compare, divide_scaled, multiply, subtract_in_place, with_room};
use std::cmp::Ordering;

/// Shorter quotients are found limb by limb.
pub(super) const LONG_QUOTIENT: usize = 64;

/// Divides `rest`, whose highest limbs are less than the divisor, by a divisor whose highest bit is set. The remainder
/// is left in the lowest limbs of `rest`, the others are zero; `quotient` has as many limbs as `rest` is longer.
pub(super) fn divide_long(quotient: &mut [u64], rest: &mut [u64], divisor: &[u64]) {
    let n = divisor.len();
    debug_assert_eq!(quotient.len() + n, rest.len());
    // A quotient that is longer than the divisor in parts, the highest first.
    let mut left = quotient.len();
    while left > n {
        divide_part(
            &mut quotient[left - n..left],
            &mut rest[left - n..left + n],
            divisor,
        );
        left -= n;
    }
    divide_part(&mut quotient[..left], &mut rest[..left + n], divisor);
}

/// The same for a quotient that is no longer than the divisor.
fn divide_part(quotient: &mut [u64], rest: &mut [u64], divisor: &[u64]) {
    let length = quotient.len();
    if length < LONG_QUOTIENT {
        divide_scaled(quotient, rest, divisor);
        return;
    }
    let (low, high) = quotient.split_at_mut(length / 2);
    let half = low.len();
    divide_half(high, &mut rest[half..], divisor);
    divide_half(low, &mut rest[..half + divisor.len()], divisor);
}

/// The same for a half of the quotient: it is estimated with the highest limbs of the divisor, as many as it has
/// itself, then lessened until the product with the other limbs can be subtracted as well.
fn divide_half(quotient: &mut [u64], rest: &mut [u64], divisor: &[u64]) {
    let (length, n) = (quotient.len(), divisor.len());
    let (low_divisor, high_divisor) = divisor.split_at(n - length);
    let low_length = low_divisor.len();
    let upper = &mut rest[low_length..];
    if compare(&upper[length..], high_divisor) == Ordering::Less {
        divide_long(quotient, upper, high_divisor);
    } else {
        // The quotient fits, so the estimate is one less than what does not.
        quotient.fill(u64::MAX);
        let beyond = subtract_in_place(&mut upper[length..], high_divisor);
        debug_assert!(!beyond);
        let beyond = add_in_place(upper, high_divisor);
        debug_assert!(!beyond);
    }
    let mut is_negative = with_room(length + low_length, |product| {
        multiply(product, quotient, low_divisor);
        subtract_in_place(rest, product)
    });
    while is_negative {
        let beyond = subtract_in_place(quotient, &[1]);
        debug_assert!(!beyond);
        is_negative = !add_in_place(rest, divisor);
    }
}
