//! Integers in bits: any width, either byte order, signed or not.
//!
//! A little-endian integer is stored byte by byte from its lowest byte. If its width is not a multiple of 8, its
//! highest bits come last in the string, as a number of as many bits as are left.

use layout::{Term, no_gc};

use crate::arith::limbs;
use crate::bits::Flags;
use crate::bits::range::{load, store};
use crate::build;
use crate::heap::Allocate;
use crate::integer::{integer_limbs, is_too_long};

/// The integer in `width` bits at `position`; `None` when it has too many limbs.
///
/// # Safety
/// The bytes that hold those bits are readable.
pub unsafe fn get<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: *const u8,
    position: u64,
    width: u64,
    flags: Flags,
) -> Option<Term> {
    if width <= 64 {
        // SAFETY: the caller's promise.
        return Some(unsafe { get_word(heap, bytes, position, width as u32, flags) });
    }
    // SAFETY: the caller's promise.
    unsafe { get_long(heap, bytes, position, width, flags) }
}

/// As [`get`], for more than 64 bits. Apart, because its room for limbs is on the stack: within the body of an
/// operation, the last call of that body could not become a jump, and the operations of a slice would pile up.
///
/// # Safety
/// As [`get`].
#[inline(never)]
unsafe fn get_long<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: *const u8,
    position: u64,
    width: u64,
    flags: Flags,
) -> Option<Term> {
    let length = width.div_ceil(64) as usize;
    limbs::with_room(length, |room| {
        let part = (width % 64) as u32;
        for (index, limb) in room.iter_mut().enumerate() {
            let start = index as u64 * 64;
            let count = (width - start).min(64) as u32;
            // SAFETY: limb by limb, these are the bits of the range.
            *limb = unsafe {
                if flags.is_little() {
                    reorder_loaded(load(bytes, position + start, count), count)
                } else {
                    load(bytes, position + width - start - u64::from(count), count)
                }
            };
        }
        let top = &mut room[length - 1];
        let high = if part == 0 { 63 } else { part - 1 };
        let negative = flags.is_signed() && *top >> high & 1 == 1;
        if negative {
            if part != 0 {
                *top |= u64::MAX << part;
            }
            limbs::negate(room);
        }
        let room = limbs::trimmed(room);
        (!is_too_long(room.len())).then(|| build::big(heap, negative, room))
    })
}

/// As [`get`], for at most 64 bits.
///
/// # Safety
/// As [`get`].
#[inline]
pub unsafe fn get_word<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: *const u8,
    position: u64,
    width: u32,
    flags: Flags,
) -> Term {
    if width == 0 {
        return Term::small(0);
    }
    // SAFETY: the caller's promise.
    let mut value = unsafe { load(bytes, position, width) };
    if flags.is_little() {
        value = reorder_loaded(value, width);
    }
    if flags.is_signed() {
        let unused = 64 - width;
        build::integer(heap, (value << unused) as i64 >> unused)
    } else {
        build::unsigned(heap, value)
    }
}

/// Writes an integer's two's complement, cut to `width` bits; false when `term` is not an integer.
///
/// # Safety
/// As [`store`].
#[must_use]
pub unsafe fn put(bytes: *mut u8, position: u64, width: u64, term: Term, flags: Flags) -> bool {
    if let Some(value) = term.as_small() {
        // SAFETY: the caller's promise.
        unsafe { put_small(bytes, position, width, value, flags) };
        return true;
    }
    let no_gc = no_gc!();
    let Some((negative, magnitude)) = term.as_big(no_gc) else {
        return false;
    };
    let length = width.div_ceil(64) as usize;
    limbs::with_room(length, |room| {
        let common = length.min(magnitude.len());
        room[..common].copy_from_slice(&magnitude[..common]);
        if negative {
            limbs::negate(room);
        }
        // SAFETY: the caller's promise.
        unsafe { put_limbs(bytes, position, width, flags, |index| room[index]) };
    });
    true
}

/// As [`put`], for a machine integer.
///
/// # Safety
/// As [`store`].
#[inline]
pub unsafe fn put_small(bytes: *mut u8, position: u64, width: u64, value: i64, flags: Flags) {
    // SAFETY: the caller's promise.
    unsafe {
        if width <= 64 {
            put_word(bytes, position, width as u32, value as u64, flags);
        } else {
            let sign = (value >> 63) as u64;
            put_limbs(bytes, position, width, flags, |index| {
                if index == 0 { value as u64 } else { sign }
            });
        }
    }
}

/// Writes the limbs front to back, as [`store`] demands.
unsafe fn put_limbs(
    bytes: *mut u8,
    mut position: u64,
    width: u64,
    flags: Flags,
    limb: impl Fn(usize) -> u64,
) {
    let (whole, part) = ((width / 64) as usize, (width % 64) as u32);
    // SAFETY: the caller's promise; the widths of the steps add up to `width`.
    unsafe {
        if flags.is_little() {
            for index in 0..whole {
                put_word(bytes, position, 64, limb(index), flags);
                position += 64;
            }
            if part != 0 {
                put_word(bytes, position, part, limb(whole), flags);
            }
        } else {
            if part != 0 {
                put_word(bytes, position, part, limb(whole), flags);
                position += u64::from(part);
            }
            for index in (0..whole).rev() {
                put_word(bytes, position, 64, limb(index), flags);
                position += 64;
            }
        }
    }
}

#[inline]
unsafe fn put_word(bytes: *mut u8, position: u64, width: u32, value: u64, flags: Flags) {
    let value = if flags.is_little() {
        reorder_to_store(value, width)
    } else {
        value
    };
    // SAFETY: the caller's promise.
    unsafe { store(bytes, position, width, value) };
}

/// From the bits of a little-endian integer, read as a number of `width` (1 to 64) bits, to its value.
#[inline]
fn reorder_loaded(bits: u64, width: u32) -> u64 {
    let (whole, part) = (width / 8 * 8, width % 8);
    if whole == 0 {
        return bits;
    }
    let low = (bits >> part).swap_bytes() >> (64 - whole);
    if part == 0 {
        low
    } else {
        low | (bits & (0xff >> (8 - part))) << whole
    }
}

/// The inverse of [`reorder_loaded`]; bits past the width are ignored.
#[inline]
fn reorder_to_store(value: u64, width: u32) -> u64 {
    let (whole, part) = (width / 8 * 8, width % 8);
    if whole == 0 {
        return value;
    }
    let high = (value << (64 - whole)).swap_bytes();
    if part == 0 {
        high
    } else {
        high << part | (value >> whole & (0xff >> (8 - part)))
    }
}

/// The low 64 bits of an integer's two's complement, or `None` when it is not an integer.
#[must_use]
pub fn low_word(term: Term) -> Option<u64> {
    let mut room = [0];
    let no_gc = no_gc!();
    let (negative, limbs) = integer_limbs(term, &mut room, no_gc)?;
    let low = limbs.first().copied().unwrap_or(0);
    Some(if negative { low.wrapping_neg() } else { low })
}
