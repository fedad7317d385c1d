//! Reading, writing, copying and comparing ranges of bits at any bit position.
//!
//! Bit 0 of a byte is its most significant. A write keeps the bits before it in its first byte, and zeroes those after
//! it in its last byte: bit strings are built front to back, so the bits after it are written later, and memory that
//! was never written is not read. Any thread may call, for memory that it may access.

use std::cmp::Ordering;

/// The `count` (0 to 64) bits at `position`, as a number.
///
/// # Safety
/// The bytes that hold those bits are readable.
#[inline]
#[must_use]
pub unsafe fn load(bytes: *const u8, position: u64, count: u32) -> u64 {
    if count == 0 {
        return 0;
    }
    let offset = (position % 8) as u32;
    let end = offset + count;
    // SAFETY: byte `n` of the `end.div_ceil(8)` from `first` on holds a bit of the range.
    unsafe {
        let first = bytes.add((position / 8) as usize);
        if end > 56 {
            let (mut value, whole) = (0u128, end.div_ceil(8));
            for index in 0..whole {
                value = value << 8 | u128::from(*first.add(index as usize));
            }
            return (value >> (whole * 8 - end)) as u64 & (u64::MAX >> (64 - count));
        }
        let whole = end.div_ceil(8);
        let value = if whole >= 4 {
            // Two halves, which may overlap.
            let rest = whole - 4;
            let high = u32::from_be_bytes(first.cast::<[u8; 4]>().read());
            let low = u32::from_be_bytes(first.add(rest as usize).cast::<[u8; 4]>().read());
            let high = u64::from(high) << (rest * 8);
            high | u64::from(low)
        } else {
            let mut value = 0u64;
            for index in 0..whole {
                value = value << 8 | u64::from(*first.add(index as usize));
            }
            value
        };
        value >> (whole * 8 - end) & (u64::MAX >> (64 - count))
    }
}

/// Writes the low `count` (0 to 64) bits of `value` at `position`.
///
/// # Safety
/// The bytes that hold those bits are writable; the first is initialised when `position` is inside it.
#[inline]
pub unsafe fn store(bytes: *mut u8, position: u64, count: u32, value: u64) {
    if count == 0 {
        return;
    }
    let offset = (position % 8) as u32;
    let end = offset + count;
    let whole = end.div_ceil(8);
    let value = value & (u64::MAX >> (64 - count));
    // SAFETY: byte `n` of the `whole` from `first` on holds a bit of the range.
    unsafe {
        let first = bytes.add((position / 8) as usize);
        let kept = if offset == 0 {
            0
        } else {
            *first & !(0xff >> offset)
        };
        if whole <= 8 {
            let word = value << (64 - end) | u64::from(kept) << 56;
            write_front(first, word.swap_bytes(), whole);
            return;
        }
        let mut left = u128::from(value) << (whole * 8 - end);
        for index in (1..whole as usize).rev() {
            *first.add(index) = left as u8;
            left >>= 8;
        }
        *first = left as u8 | kept;
    }
}

/// Writes the low `count` (at most 8) bytes of a word, the lowest first. Returns the address behind them.
///
/// # Safety
/// So many bytes are writable.
#[inline(always)]
pub unsafe fn write_front(mut to: *mut u8, mut word: u64, count: u32) -> *mut u8 {
    // SAFETY: the caller's promise; each step writes as many bytes as the bit of `count` that it tests says.
    unsafe {
        if count == 8 {
            to.cast::<u64>().write_unaligned(word.to_le());
            return to.add(8);
        }
        if count & 4 != 0 {
            to.cast::<u32>().write_unaligned((word as u32).to_le());
            to = to.add(4);
            word >>= 32;
        }
        if count & 2 != 0 {
            to.cast::<u16>().write_unaligned((word as u16).to_le());
            to = to.add(2);
            word >>= 16;
        }
        if count & 1 != 0 {
            to.write(word as u8);
            to = to.add(1);
        }
        to
    }
}

/// Copies `count` bits.
///
/// # Safety
/// The bytes that hold the source's bits are readable, those of the target as for [`store`]; they do
/// not overlap.
pub unsafe fn copy(
    source: *const u8,
    mut source_position: u64,
    target: *mut u8,
    mut target_position: u64,
    mut count: u64,
) {
    if count == 0 {
        return;
    }
    // SAFETY: each step touches only bytes that hold bits of what is left of the two ranges.
    unsafe {
        let lead = (8 - target_position % 8) % 8;
        if lead != 0 {
            let lead = lead.min(count);
            let bits = load(source, source_position, lead as u32);
            store(target, target_position, lead as u32, bits);
            source_position += lead;
            target_position += lead;
            count -= lead;
        }
        let mut to = target.add((target_position / 8) as usize);
        let mut from = source.add((source_position / 8) as usize);
        let shift = (source_position % 8) as u32;
        if shift == 0 {
            let whole = (count / 8) as usize;
            to.copy_from_nonoverlapping(from, whole);
            (from, to) = (from.add(whole), to.add(whole));
            count %= 8;
        } else {
            while count >= 64 {
                let high = u64::from_be_bytes(from.cast::<[u8; 8]>().read());
                let low = u64::from(*from.add(8));
                let bits = high << shift | low >> (8 - shift);
                to.cast::<[u8; 8]>().write(bits.to_be_bytes());
                (from, to) = (from.add(8), to.add(8));
                count -= 64;
            }
        }
        store(
            to,
            0,
            count as u32,
            load(from, u64::from(shift), count as u32),
        );
    }
}

/// The order of two ranges of `count` bits.
///
/// # Safety
/// The bytes that hold the bits of either are readable.
#[must_use]
pub unsafe fn compare(
    a: *const u8,
    a_position: u64,
    b: *const u8,
    b_position: u64,
    count: u64,
) -> Ordering {
    // SAFETY: each step reads only bits of the two ranges.
    unsafe {
        let mut done = 0;
        if a_position % 8 == 0 && b_position % 8 == 0 {
            let length = (count / 8) as usize;
            let whole = |bytes: *const u8, position: u64| {
                std::slice::from_raw_parts(bytes.add((position / 8) as usize), length)
            };
            match whole(a, a_position).cmp(whole(b, b_position)) {
                Ordering::Equal => done = length as u64 * 8,
                other => return other,
            }
        }
        while done < count {
            let step = (count - done).min(64) as u32;
            let ours = load(a, a_position + done, step);
            let theirs = load(b, b_position + done, step);
            if ours != theirs {
                return ours.cmp(&theirs);
            }
            done += u64::from(step);
        }
        Ordering::Equal
    }
}
