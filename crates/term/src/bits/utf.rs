//! Characters in bits: UTF-8, UTF-16 and UTF-32, at any bit position.
//!
//! Only Unicode scalar values count as characters: up to 16#10FFFF, no surrogates, and only in the shortest form.
//! Readers return the character and the number of bits it takes.

use layout::Term;

use crate::bits::Flags;
use crate::bits::range::load;

/// A term as a character; `None` if it is not one.
#[inline]
#[must_use]
pub fn character(term: Term) -> Option<u32> {
    let value = u32::try_from(term.as_small()?).ok()?;
    char::from_u32(value).map(u32::from)
}

/// Bits of a character's UTF-8. For a term that is not a character the result is meaningless, as in OTP: writing fails
/// later.
#[must_use]
pub fn utf8_bits(term: Term) -> u64 {
    match character(term) {
        Some(0..0x80) => 8,
        Some(0x80..0x800) => 16,
        Some(0x800..0x1_0000) => 24,
        _ => 32,
    }
}

/// Bits of a character's UTF-16; meaningless too if the term is not a character.
#[must_use]
pub fn utf16_bits(term: Term) -> u64 {
    match character(term) {
        Some(0x1_0000..) => 32,
        _ => 16,
    }
}

/// The UTF-8 of a character, as a number and its width in bits. It is made without room on the stack: who calls this
/// may be the body of an operation, which has to end in a jump.
#[inline]
#[must_use]
pub fn encode_utf8(character: u32) -> (u64, u32) {
    let more = |place: u32| u64::from(0x80 | character >> (6 * place) & 0x3f);
    let first = |mark: u32, places: u32| u64::from(mark | character >> (6 * places));
    match character {
        0..0x80 => (character.into(), 8),
        0x80..0x800 => (first(0xc0, 1) << 8 | more(0), 16),
        0x800..0x1_0000 => (first(0xe0, 2) << 16 | more(1) << 8 | more(0), 24),
        _ => (
            first(0xf0, 3) << 24 | more(2) << 16 | more(1) << 8 | more(0),
            32,
        ),
    }
}

/// The UTF-16 of a character, as a number and its width in bits.
#[must_use]
pub fn encode_utf16(character: u32, flags: Flags) -> (u64, u32) {
    let unit = |unit: u32| {
        let unit = unit as u16;
        u64::from(match flags.is_little() {
            true => unit.swap_bytes(),
            false => unit,
        })
    };
    match character.checked_sub(0x1_0000) {
        None => (unit(character), 16),
        Some(above) => {
            let (high, low) = (0xd800 | above >> 10, 0xdc00 | above & 0x3ff);
            (unit(high) << 16 | unit(low), 32)
        }
    }
}

/// The UTF-8 character at `position`, where `left` bits are left.
///
/// # Safety
/// The bytes that hold those bits are readable.
#[inline]
#[must_use]
pub unsafe fn get_utf8(bytes: *const u8, position: u64, left: u64) -> Option<(u32, u32)> {
    // SAFETY: `decode_utf8` asks only for bytes that are left.
    unsafe {
        if position % 8 == 0 {
            let bytes = bytes.wrapping_add((position / 8) as usize);
            return decode_utf8(left, |index| *bytes.wrapping_add(index));
        }
        decode_utf8(left, |index| {
            load(bytes, position + index as u64 * 8, 8) as u8
        })
    }
}

/// As [`get_utf8`], by a function that returns the byte at an index.
#[inline(always)]
fn decode_utf8(left: u64, byte: impl Fn(usize) -> u8) -> Option<(u32, u32)> {
    if left < 8 {
        return None;
    }
    let first = u32::from(byte(0));
    let (length, least, mask) = match first {
        0..0x80 => return Some((first, 8)),
        0xc2..0xe0 => (2, 0x80, 0x1f),
        0xe0..0xf0 => (3, 0x800, 0x0f),
        0xf0..0xf5 => (4, 0x1_0000, 0x07),
        _ => return None,
    };
    if left < length as u64 * 8 {
        return None;
    }
    let mut value = first & mask;
    for index in 1..length {
        let byte = u32::from(byte(index));
        if byte & 0xc0 != 0x80 {
            return None;
        }
        value = value << 6 | byte & 0x3f;
    }
    if value < least {
        return None;
    }
    char::from_u32(value).map(|_| (value, length as u32 * 8))
}

/// The UTF-16 character at `position`, where `left` bits are left.
///
/// # Safety
/// The bytes that hold those bits are readable.
#[must_use]
pub unsafe fn get_utf16(
    bytes: *const u8,
    position: u64,
    left: u64,
    flags: Flags,
) -> Option<(u32, u32)> {
    // SAFETY: `left` is tested before each use.
    let unit = |place: u64| unsafe {
        let unit = load(bytes, position + place, 16) as u16;
        u32::from(if flags.is_little() {
            unit.swap_bytes()
        } else {
            unit
        })
    };
    if left < 16 {
        return None;
    }
    match unit(0) {
        high @ 0xd800..0xdc00 if left >= 32 => match unit(16) {
            low @ 0xdc00..0xe000 => Some((((high & 0x3ff) << 10 | low & 0x3ff) + 0x1_0000, 32)),
            _ => None,
        },
        0xd800..0xe000 => None,
        value => Some((value, 16)),
    }
}

/// The UTF-32 character at `position`, where `left` bits are left.
///
/// # Safety
/// The bytes that hold those bits are readable.
#[must_use]
pub unsafe fn get_utf32(
    bytes: *const u8,
    position: u64,
    left: u64,
    flags: Flags,
) -> Option<(u32, u32)> {
    if left < 32 {
        return None;
    }
    // SAFETY: `left` was tested on the line above.
    let value = unsafe { load(bytes, position, 32) } as u32;
    let value = if flags.is_little() {
        value.swap_bytes()
    } else {
        value
    };
    char::from_u32(value).map(|_| (value, 32))
}
