//! Terms of a few bytes, each written in one piece.

use layout::kinds::HeapBinary;
use layout::object::{Bits, offset};

use super::super::output::{Pen, ROOM};
use super::super::tags;
use crate::atom;

/// A tag and a number of 32 bits.
#[inline(always)]
pub(super) fn tagged(tag: u8, number: u32) -> [u8; 5] {
    let [a, b, c, d] = number.to_be_bytes();
    [tag, a, b, c, d]
}

#[inline(always)]
pub(super) fn float_bytes(bits: u64) -> [u8; 9] {
    let mut bytes = [tags::NEW_FLOAT; 9];
    bytes[1..].copy_from_slice(&bits.to_be_bytes());
    bytes
}

/// Writes a small integer.
///
/// # Safety
/// The pen is below its limit.
#[inline(always)]
pub(super) unsafe fn put_small(pen: &mut Pen, value: i64) {
    let Ok(narrow) = i32::try_from(value) else {
        // SAFETY: the caller's promise.
        unsafe { put_limb(pen, value < 0, value.unsigned_abs()) };
        return;
    };
    // Both forms in one word, without a branch: which of them it is often changes from integer to integer.
    let is_byte = value as u64 <= 0xff;
    let short = u64::from(tags::SMALL_INTEGER) | (value as u64) << 8;
    let long = u64::from(tags::INTEGER) | u64::from((narrow as u32).swap_bytes()) << 8;
    let (word, size) = if is_byte { (short, 2) } else { (long, 5) };
    // SAFETY: the caller's promise.
    unsafe { pen.put_first(word.to_le_bytes(), size) };
}

/// Writes an integer of one limb, which is not 0, as a big one.
///
/// # Safety
/// The pen is below its limit.
#[inline(always)]
pub(super) unsafe fn put_limb(pen: &mut Pen, negative: bool, limb: u64) {
    let size = big_bytes(&[limb]);
    // SAFETY: the caller's promise.
    unsafe {
        pen.put([tags::SMALL_BIG, size as u8, u8::from(negative)]);
        pen.put_first(limb.to_le_bytes(), size);
    }
}

/// Writes an atom whose spelling is not longer than [`ROOM`].
///
/// # Safety
/// The pen is below its limit.
#[inline(always)]
pub(super) unsafe fn put_spelling(pen: &mut Pen, spelling: atom::Spelling) {
    const { assert!(ROOM.is_multiple_of(size_of::<atom::Chunk>())) };
    // SAFETY: the caller's promise: that room is a multiple of whole chunks.
    unsafe {
        let mut ahead = *pen;
        for chunk in spelling.chunks {
            ahead.put(*chunk);
        }
        pen.at = pen.at.add(spelling.length);
    }
}

/// Writes a heap binary.
///
/// # Safety
/// The pen is below its limit.
#[inline(always)]
pub(super) unsafe fn put_heap_binary(pen: &mut Pen, binary: HeapBinary) {
    let size = binary.size() as usize;
    // SAFETY: the caller's promise; whole words of the binary, which has those of its bytes, fit the room too.
    unsafe {
        pen.put(tagged(tags::BINARY, size as u32));
        let mut ahead = *pen;
        for index in 0..size.div_ceil(8) {
            let word = binary.word_unchecked(offset::HEAP_BINARY_BYTES + index);
            ahead.put(word.to_ne_bytes());
        }
        pen.at = pen.at.add(size);
    }
}

/// Writes at most 64 bytes of bits that begin at a byte.
///
/// # Safety
/// The pen is below its limit.
#[inline(always)]
pub(super) unsafe fn put_short_bits(pen: &mut Pen, bits: Bits) {
    let size = bits.bit_len().div_ceil(8) as usize;
    let trailing = (bits.bit_len() % 8) as u8;
    // SAFETY: the caller's promise; the bytes hold the bits, and the moving rule keeps them.
    unsafe {
        let bytes = std::slice::from_raw_parts(bits.bytes(), size);
        if trailing == 0 {
            pen.put(tagged(tags::BINARY, size as u32));
            pen.copy_few(bytes);
        } else {
            pen.put(tagged(tags::BIT_BINARY, size as u32));
            pen.put([trailing]);
            pen.copy_few(&bytes[..size - 1]);
            pen.put([bytes[size - 1] & (0xff00_u16 >> trailing) as u8]);
        }
    }
}

/// Bytes of a magnitude without leading zeros.
#[inline]
pub(crate) fn big_bytes(limbs: &[u64]) -> usize {
    let zeros = limbs.last().map_or(0, |last| last.leading_zeros());
    limbs.len() * 8 - zeros as usize / 8
}
