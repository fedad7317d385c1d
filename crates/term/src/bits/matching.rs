//! Match contexts: a bit string and a position in it.
//!
//! A context's binary word is always a whole binary, never a sub-binary; its position and end are bits of that whole.
//! Its byte pointer points to the whole's first byte; for a heap binary the collector updates it. Functions that
//! consume bits advance the position; if they fail they leave it unchanged. Contexts belong to a process: only the
//! thread that runs it may call.

use std::cmp::Ordering;

use layout::kinds::{HeapBinary, MatchContext, SharedBinary, SubBinary};
use layout::object::{Bits, offset};
use layout::{Header, ObjectKind, Term};

use crate::bits::{Flags, append, float, integer, range, utf};
use crate::build;
use crate::heap::Allocate;
use layout::limits::HEAP_BINARY_BYTES;

/// Words of a context after the header, without saved positions.
const FIXED_WORDS: usize = offset::MATCH_SAVED;

/// A context to match `term`, which is a bit string or already a context (then it is reused); `None` for anything else.
#[inline]
pub fn start_match<A: Allocate + ?Sized>(heap: &mut A, term: Term) -> Option<MatchContext> {
    MatchContext::of(term).or_else(|| term.is_bitstring().then(|| context(heap, term, 0)))
}

/// As [`start_match`], for old code: with room for the start and `slots` saved positions. The start is
/// saved in slot 0.
pub fn start_match_with_slots<A: Allocate + ?Sized>(
    heap: &mut A,
    term: Term,
    slots: usize,
) -> Option<MatchContext> {
    let saved = slots + 1;
    let Some(old) = MatchContext::of(term) else {
        let made = term.is_bitstring().then(|| context(heap, term, saved))?;
        save(made, 0);
        return Some(made);
    };
    let has = old.arity() - FIXED_WORDS;
    let context = if has >= saved {
        old
    } else {
        let object = allocate(heap, saved);
        // SAFETY: both have the fixed words and `has` saved positions.
        unsafe {
            let to = object.word_pointer(0);
            to.copy_from_nonoverlapping(old.word_pointer(0), FIXED_WORDS + has);
        }
        object
    };
    save(context, 0);
    Some(context)
}

fn allocate<A: Allocate + ?Sized>(heap: &mut A, saved: usize) -> MatchContext {
    let object = heap.allocate(1 + FIXED_WORDS + saved);
    // SAFETY: fresh words for the header, the fixed words and the saved positions; the caller fills the
    // fixed ones before anything reads them.
    unsafe {
        object.write(Header::new(ObjectKind::MatchContext, FIXED_WORDS + saved).0);
        for slot in 0..saved {
            object
                .add(1 + FIXED_WORDS + slot)
                .write(Term::small(0).bits());
        }
        MatchContext::expect(Term::from_boxed_pointer(object))
    }
}

#[inline]
fn context<A: Allocate + ?Sized>(heap: &mut A, string: Term, saved: usize) -> MatchContext {
    let part = SubBinary::of(string);
    let whole = part.map_or(string, SubBinary::whole);
    let (bytes, size) = match HeapBinary::of(whole) {
        Some(binary) => {
            let bytes = binary.word_pointer(offset::HEAP_BINARY_BYTES).cast::<u8>();
            (bytes, binary.size())
        }
        None => {
            append::pin(whole);
            let binary = SharedBinary::expect(whole);
            (binary.bytes(), binary.size())
        }
    };
    let (start, length) = match part {
        Some(part) => {
            let bits = part.bits();
            let start = part.byte_offset() * 8 + (bits >> 8 & 0xff);
            (start, part.size() * 8 + (bits & 0xff))
        }
        None => (0, size * 8),
    };
    let made = allocate(heap, saved);
    // SAFETY: the fixed words of the object just allocated.
    unsafe {
        let words = made.word_pointer(0);
        words.add(offset::MATCH_BYTES).write(bytes as u64);
        words.add(offset::MATCH_POSITION).write(start);
        words.add(offset::MATCH_END).write(start + length);
        words.add(offset::MATCH_BINARY).write(whole.bits());
    }
    made
}

/// Number of bits that are left.
#[inline(always)]
#[must_use]
pub fn left(context: MatchContext) -> u64 {
    context.end() - context.position()
}

/// Moves to a position that this context had, or one that is within its bits.
#[inline(always)]
pub fn set_position(context: MatchContext, position: u64) {
    debug_assert!(position <= context.end());
    // SAFETY: the word of a context.
    unsafe { *context.word_pointer(offset::MATCH_POSITION) = position };
}

#[inline(always)]
fn advance(context: MatchContext, bits: u64) {
    set_position(context, context.position() + bits);
}

/// The position as a term (`bs_get_position`): always small.
#[inline]
#[must_use]
pub fn position_term(context: MatchContext) -> Term {
    Term::small(context.position() as i64)
}

/// Moves to a position that [`position_term`] returned; false if the term is not a position up to the end.
#[inline]
#[must_use]
pub fn set_position_term(context: MatchContext, position: Term) -> bool {
    match position.as_small().map(u64::try_from) {
        Some(Ok(position)) if position <= context.end() => {
            set_position(context, position);
            true
        }
        _ => false,
    }
}

/// Saves the position in a slot (`bs_save2`); false when there is no such slot.
pub fn save(context: MatchContext, slot: usize) -> bool {
    let index = FIXED_WORDS + slot;
    if index >= context.arity() {
        return false;
    }
    // SAFETY: below the arity, on the line above.
    unsafe { *context.word_pointer(index) = position_term(context).bits() };
    true
}

/// Goes back to a saved position (`bs_restore2`); false when there is no such slot.
pub fn restore(context: MatchContext, slot: usize) -> bool {
    let index = FIXED_WORDS + slot;
    if index >= context.arity() {
        return false;
    }
    set_position_term(context, context.term_at(index))
}

/// The next `width` bits as an integer. `None` means that the match fails, here and for all other readers.
#[inline]
pub fn get_integer<A: Allocate + ?Sized>(
    heap: &mut A,
    context: MatchContext,
    width: u64,
    flags: Flags,
) -> Option<Term> {
    if left(context) < width {
        return None;
    }
    // SAFETY: the context holds that many bits: the line above.
    let value = unsafe { integer::get(heap, context.bytes(), context.position(), width, flags) }?;
    advance(context, width);
    Some(value)
}

/// The next `width` bits as a float.
pub fn get_float(context: MatchContext, width: u64, flags: Flags) -> Option<f64> {
    if left(context) < width {
        return None;
    }
    // SAFETY: the context holds that many bits: the line above.
    let value = unsafe { float::get(context.bytes(), context.position(), width, flags) }?;
    advance(context, width);
    Some(value)
}

/// The next `width` bits as a bit string.
#[inline]
pub fn get_binary<A: Allocate + ?Sized>(
    heap: &mut A,
    context: MatchContext,
    width: u64,
) -> Option<Term> {
    if left(context) < width {
        return None;
    }
    let part = part(heap, context, width);
    advance(context, width);
    Some(part)
}

/// All that is left, as a bit string; its size must be a multiple of `unit`.
#[inline]
pub fn get_all<A: Allocate + ?Sized>(
    heap: &mut A,
    context: MatchContext,
    unit: u32,
) -> Option<Term> {
    if !test_unit(context, unit) {
        return None;
    }
    get_binary(heap, context, left(context))
}

/// All that is left, as a bit string, without advancing (`bs_get_tail`).
#[inline]
pub fn get_tail<A: Allocate + ?Sized>(heap: &mut A, context: MatchContext) -> Term {
    part(heap, context, left(context))
}

/// The bit string from the position saved in slot 0 on (`bs_context_to_binary`); any other term is returned unchanged.
pub fn context_to_binary<A: Allocate + ?Sized>(heap: &mut A, term: Term) -> Term {
    let Some(context) = MatchContext::of(term) else {
        return term;
    };
    restore(context, 0);
    get_tail(heap, context)
}

/// Part of a whole binary. Whole bytes that fit a heap binary are copied, as OTP does, so that they do not keep the
/// whole alive; anything else shares its bytes.
#[inline]
pub fn extract<A: Allocate + ?Sized>(heap: &mut A, whole: Term, start: u64, width: u64) -> Term {
    if !is_copied(width) {
        return build::sub_bits(heap, whole, start, width);
    }
    let bits = whole.as_bits().expect("a whole binary has bits");
    // SAFETY: the callers keep `start + width` within the whole.
    unsafe { copied(heap, bits.bytes(), start, width) }
}

/// Part of a bit string, which may be a part of another one itself.
#[inline]
pub fn extract_from<A: Allocate + ?Sized>(
    heap: &mut A,
    string: Term,
    bits: Bits,
    start: u64,
    width: u64,
) -> Term {
    debug_assert!(start + width <= bits.bit_len());
    if is_copied(width) {
        // SAFETY: the callers keep `start + width` within the bits, which are those of `string`.
        return unsafe {
            copied(
                heap,
                bits.bytes(),
                u64::from(bits.bit_offset()) + start,
                width,
            )
        };
    }
    build::sub_bits(heap, string, start, width)
}

/// As [`extract`], for the next `width` bits of the binary that is matched.
#[inline]
fn part<A: Allocate + ?Sized>(heap: &mut A, context: MatchContext, width: u64) -> Term {
    let start = context.position();
    if !is_copied(width) {
        return build::sub_bits(heap, context.binary(), start, width);
    }
    // SAFETY: the callers keep `width` within what is left.
    unsafe { copied(heap, context.bytes(), start, width) }
}

/// Whether a part of `width` bits is copied.
#[inline]
fn is_copied(width: u64) -> bool {
    width % 8 == 0 && width / 8 <= HEAP_BINARY_BYTES as u64
}

/// A heap binary of the `width` bits from `start` on.
///
/// # Safety
/// [`is_copied`] holds for `width`; `whole` points to the bytes of a binary that has those bits.
#[inline]
unsafe fn copied<A: Allocate + ?Sized>(
    heap: &mut A,
    whole: *const u8,
    start: u64,
    width: u64,
) -> Term {
    let size = (width / 8) as usize;
    let words = size.div_ceil(8);
    let object = heap.allocate(2 + words);
    // SAFETY: header, size and the words of the bytes, all fresh. The last word that is read ends with the last byte to
    // copy. It may begin before the binary's bytes, but not before its object or block, whose header (and size) lie
    // before the bytes.
    unsafe {
        object.write(Header::new(ObjectKind::HeapBinary, 1 + words).0);
        object.add(1).write(size as u64);
        let room = object.add(2);
        if start % 8 == 0 {
            let from = whole.add((start / 8) as usize);
            for index in 0..size / 8 {
                room.add(index)
                    .write(from.cast::<u64>().add(index).read_unaligned());
            }
            if size % 8 != 0 {
                let last = from.wrapping_add(size).wrapping_sub(8).cast::<u64>();
                let bytes = u64::from_le(last.read_unaligned()) >> (64 - size % 8 * 8);
                room.add(words - 1).write(bytes.to_le());
            }
        } else {
            if words > 0 {
                room.add(words - 1).write(0);
            }
            range::copy(whole, start, room.cast::<u8>(), 0, width);
        }
        Term::from_boxed_pointer(object)
    }
}

/// Skips `width` bits; false if fewer are left.
#[inline]
#[must_use]
pub fn skip(context: MatchContext, width: u64) -> bool {
    let enough = left(context) >= width;
    if enough {
        advance(context, width);
    }
    enough
}

/// Whether exactly `width` bits are left.
#[inline]
#[must_use]
pub fn test_tail(context: MatchContext, width: u64) -> bool {
    left(context) == width
}

/// Whether the number of bits left is a multiple of `unit`.
#[inline]
#[must_use]
pub fn test_unit(context: MatchContext, unit: u32) -> bool {
    unit != 0 && left(context) % u64::from(unit) == 0
}

/// Whether the next `width` bits are those at `string`; if so, skips them.
///
/// # Safety
/// `string` has that many bits.
#[must_use]
pub unsafe fn match_string(context: MatchContext, width: u64, string: *const u8) -> bool {
    if left(context) < width {
        return false;
    }
    // SAFETY: the context holds that many bits, and the string by the caller's promise.
    let order = unsafe { range::compare(context.bytes(), context.position(), string, 0, width) };
    let equal = order == Ordering::Equal;
    if equal {
        advance(context, width);
    }
    equal
}

/// The next character in UTF-8.
#[inline]
#[must_use]
pub fn get_utf8(context: MatchContext) -> Option<Term> {
    // SAFETY: the context holds the bits that are left.
    let found = unsafe { utf::get_utf8(context.bytes(), context.position(), left(context)) };
    character(context, found)
}

/// The next character in UTF-16.
#[must_use]
pub fn get_utf16(context: MatchContext, flags: Flags) -> Option<Term> {
    // SAFETY: the context holds the bits that are left.
    let found =
        unsafe { utf::get_utf16(context.bytes(), context.position(), left(context), flags) };
    character(context, found)
}

/// The next character in UTF-32.
#[must_use]
pub fn get_utf32(context: MatchContext, flags: Flags) -> Option<Term> {
    // SAFETY: the context holds the bits that are left.
    let found =
        unsafe { utf::get_utf32(context.bytes(), context.position(), left(context), flags) };
    character(context, found)
}

fn character(context: MatchContext, found: Option<(u32, u32)>) -> Option<Term> {
    let (character, bits) = found?;
    advance(context, u64::from(bits));
    Some(Term::small(i64::from(character)))
}
