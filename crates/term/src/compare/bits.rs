//! The order of bit strings: bit by bit from the first; a prefix comes before the longer string.

use std::cmp::Ordering;

use layout::object::Bits;

/// Compares two bit strings, which may start at any bit of a byte.
pub(super) fn compare(a: Bits, b: Bits) -> Ordering {
    let common = a.bit_len().min(b.bit_len());
    prefix(a, b, common).then(a.bit_len().cmp(&b.bit_len()))
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
            let order = bytes_a.cmp(bytes_b);
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
