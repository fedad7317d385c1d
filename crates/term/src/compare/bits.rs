//! The order of bit strings: bit by bit from the first; a prefix comes before the longer string.

use std::cmp::Ordering;

use layout::object::Bits;

/// Compares two bit strings, which may start at any bit of a byte.
pub(super) fn compare(a: Bits, b: Bits) -> Ordering {
    let common = a.bit_len().min(b.bit_len());
    prefix(a, b, common).then(a.bit_len().cmp(&b.bit_len()))
}

/// The order of two rows of bytes. Those of keys and words are short or differ early, so that their first bytes, taken
/// as one number, say it in less time than a call of `memcmp` takes.
#[inline]
pub(super) fn order_of_bytes(a: &[u8], b: &[u8]) -> Ordering {
    match (a.first_chunk(), b.first_chunk()) {
        (Some(first_a), Some(first_b)) => {
            let order = u64::from_be_bytes(*first_a).cmp(&u64::from_be_bytes(*first_b));
            order.then_with(|| a[8..].cmp(&b[8..]))
        }
        _ => {
            let common = a.len().min(b.len());
            let order = few_bytes(&a[..common]).cmp(&few_bytes(&b[..common]));
            order.then(a.len().cmp(&b.len()))
        }
    }
}

/// A number that orders rows of fewer than eight bytes, of one length, as their bytes do.
#[inline]
fn few_bytes(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The two overlap: bytes that come twice decide nothing the second time.
        u64::from(u32::from_be_bytes(*first)) << 32 | u64::from(u32::from_be_bytes(*last))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u16::from_be_bytes(*first)) << 16 | u64::from(u16::from_be_bytes(*last))
    } else {
        bytes.first().map_or(0, |&byte| u64::from(byte))
    }
}

fn prefix(a: Bits, b: Bits, common: u64) -> Ordering {
    let mut done = 0;
    if a.bit_offset() == 0 && b.bit_offset() == 0 {
        let whole = (common / 8) as usize;
        if whole > 0 {
            // SAFETY: both have `common` bits, so as many whole bytes.
            let (bytes_a, bytes_b) = unsafe {
                (
                    std::slice::from_raw_parts(a.bytes(), whole),
                    std::slice::from_raw_parts(b.bytes(), whole),
                )
            };
            let order = order_of_bytes(bytes_a, bytes_b);
            if order.is_ne() {
                return order;
            }
        }
        done = whole as u64 * 8;
    }
    while done < common {
        let count = (common - done).min(56) as u32;
        // SAFETY: `done + count` is within both.
        let order = unsafe { read(a, done, count).cmp(&read(b, done, count)) };
        if order.is_ne() {
            return order;
        }
        done += u64::from(count);
    }
    Ordering::Equal
}

/// `count` bits (1 to 56) from bit `first` on, as a number.
///
/// # Safety
/// The bits lie within `bits`.
unsafe fn read(bits: Bits, first: u64, count: u32) -> u64 {
    let start = u64::from(bits.bit_offset()) + first;
    let skip = (start % 8) as u32;
    let bytes = (skip + count).div_ceil(8);
    let mut value = 0u64;
    for index in 0..bytes {
        // SAFETY: each byte read holds one of the bits.
        let byte = unsafe { *bits.bytes().add((start / 8) as usize + index as usize) };
        value = value << 8 | u64::from(byte);
    }
    let value = value >> (bytes * 8 - skip - count);
    value & ((1 << count) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_bytes_of_all_short_lengths_are_in_the_order_of_their_bytes() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..if cfg!(miri) { 500 } else { 50_000 } {
            let mut row = |length: usize| -> Vec<u8> {
                // Often equal, and on both sides of the sign.
                (0..length).map(|_| random.u8(..) & 0x81).collect()
            };
            let (mut a, mut b) = (row(20), row(20));
            let equal = random.usize(..20);
            b[..equal].copy_from_slice(&a[..equal]);
            a.truncate(random.usize(..20));
            b.truncate(random.usize(..20));
            assert_eq!(order_of_bytes(&a, &b), a.cmp(&b), "{a:?} {b:?}");
            assert_eq!(order_of_bytes(&a, &a), Ordering::Equal);
        }
    }
}
