//! Matching bit strings. Common and short operations are done here, directly on the words of the match context; the
//! others are in `slow::binaries`, and building is in `building` and `slow::build`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::limits::HEAP_BINARY_BYTES;
use layout::object::{binary_flag, offset};
use layout::{Header, ObjectKind, Term};

use super::tags::{KIND_MASK, boxed, header_of};
use crate::operation::operations;
use crate::slow;

/// The address of a word of a boxed object, a match context in this file.
#[inline(always)]
pub(super) unsafe fn word(context: Term, index: usize) -> *mut u64 {
    (context.bits() as *mut u8)
        .wrapping_sub(2)
        .cast::<u64>()
        .wrapping_add(1 + index)
}

const MATCH_CONTEXT: u64 = Header::new(ObjectKind::MatchContext, 0).0;
pub(super) const HEAP_BINARY: u64 = Header::new(ObjectKind::HeapBinary, 0).0;
pub(super) const SHARED_BINARY: u64 = Header::new(ObjectKind::SharedBinary, 0).0;
const SUB_BINARY: u64 = Header::new(ObjectKind::SubBinary, 0).0;

/// Where the three kinds of binaries have their size in bytes.
pub(super) const BINARY_SIZE: usize = offset::SUB_BINARY_SIZE;
const _: () = assert!(BINARY_SIZE == offset::HEAP_BINARY_SIZE);
const _: () = assert!(BINARY_SIZE == offset::SHARED_BINARY_SIZE);

/// Bytes of a sub-binary on the heap.
const PART_BYTES: u64 = 5 * 8;

/// Parts of so many bits are copied, so that they do not keep the whole alive: those that fit a heap binary.
const COPIED_BITS: u64 = HEAP_BINARY_BYTES as u64 * 8;

/// Writes a sub-binary of what is matched, without its numbers of bits: those of an aligned one.
#[inline(always)]
unsafe fn part_of(context: Term, position: u64, end: u64, to: *mut u64) -> Term {
    unsafe {
        to.write(Header::new(ObjectKind::SubBinary, 4).0);
        let words = to.add(1);
        words
            .add(offset::SUB_BINARY_WHOLE)
            .write(*word(context, offset::MATCH_BINARY));
        let width = end.wrapping_sub(position);
        words.add(offset::SUB_BINARY_SIZE).write(width / 8);
        words.add(offset::SUB_BINARY_OFFSET).write(position / 8);
        words.add(offset::SUB_BINARY_BITS).write(0);
        boxed(to)
    }
}

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident $type:ty;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: SD |m, o: GetBits| {
                    let context = m.get(o.context);
                    let position = *word(context, offset::MATCH_POSITION);
                    let bits = u64::from(<$type>::BITS);
                    if *word(context, offset::MATCH_END) - position < bits {
                        return m.jump(o.fail);
                    }
                    if position & 7 != 0 {
                        return m.slow(o, slow::binaries::get_integer);
                    }
                    let bytes = *word(context, offset::MATCH_BYTES) as *const u8;
                    let value = bytes
                        .wrapping_add((position / 8) as usize)
                        .cast::<$type>()
                        .read_unaligned();
                    *word(context, offset::MATCH_POSITION) = position + bits;
                    m.put(o.dest, Term::small(i64::from(<$type>::from_be(value))));
                    m.next(o.end)
                }
            )*
        }
    };
}

integers! {
    /// An unsigned big-endian integer of a constant size.
    GetInteger8 u8;
    /// As `GetInteger8`
    GetInteger16 u16;
    /// As `GetInteger8`
    GetInteger32 u32;
}

/// Integers of at most this many bits fit into eight bytes, at any bit position.
pub(crate) const WINDOW_BITS: u64 = 57;

/// The bits before `end`, at most [`WINDOW_BITS`] of them, as the low bits of a word; the caller must mask the higher
/// bits.
///
/// It reads the eight bytes that end with the last bit's byte. The first of them may be before the string, but that
/// memory is always readable: it is the header and size of the binary, or the header of its block.
#[inline(always)]
unsafe fn window(context: Term, end: u64) -> u64 {
    unsafe {
        let bytes = *word(context, offset::MATCH_BYTES) as *const u8;
        let last = ((end + 7) >> 3) as usize;
        let word = bytes
            .wrapping_add(last)
            .wrapping_sub(8)
            .cast::<u64>()
            .read_unaligned();
        u64::from_be(word) >> (end.wrapping_neg() & 7)
    }
}

/// The integer whose two's complement is in the lowest bits of `bits`, of which `sign` is the first.
#[inline(always)]
fn signed(bits: u64, sign: u64) -> i64 {
    (bits ^ sign).wrapping_sub(sign) as i64
}

/// The integer whose bytes are the lowest ones of `bits`, least byte first; `factor` shifts them to the top.
#[inline(always)]
fn little_endian(bits: u64, factor: u64) -> i64 {
    bits.wrapping_mul(factor).swap_bytes() as i64
}

macro_rules! windows {
    ($($(#[$doc:meta])* $name:ident |$value:ident, $m:ident, $o:ident| $result:expr;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: SD |$m, $o: GetWindow| {
                    let context = $m.get($o.context);
                    let end = *word(context, offset::MATCH_POSITION) + $m.word($o.width);
                    if end > *word(context, offset::MATCH_END) {
                        return $m.jump($o.fail);
                    }
                    *word(context, offset::MATCH_POSITION) = end;
                    let $value = window(context, end) & $m.wide($o.mask);
                    $m.put($o.dest, Term::small($result));
                    $m.next($o.end)
                }
            )*
        }
    };
}

windows! {
    /// An unsigned big-endian integer of at most `WINDOW_BITS` bits; `last` is not used.
    GetUnsigned |value, m, o| value as i64;
    /// A signed one; `last` is its sign bit.
    GetSigned |value, m, o| signed(value, m.wide(o.last));
    /// An unsigned little-endian integer of whole bytes; `last` is the factor that shifts it to the top.
    GetLittle |value, m, o| little_endian(value, m.wide(o.last));
}

macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident |$value:ident, $m:ident, $o:ident| $result:expr;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: SD |$m, $o: ReadWindow| {
                    let context = $m.get($o.context);
                    let end = *word(context, offset::MATCH_POSITION) + $m.word($o.width);
                    *word(context, offset::MATCH_POSITION) = end;
                    let $value = window(context, end) & $m.wide($o.mask);
                    $m.put($o.dest, Term::small($result));
                    $m.next($o.end)
                }
            )*
        }
    };
}

// The same integers for `bs_match`, whose first command has tested that the bits are there.
reads! {
    /// As `GetUnsigned`.
    ReadUnsigned |value, m, o| value as i64;
    /// As `GetSigned`.
    ReadSigned |value, m, o| signed(value, m.wide(o.last));
    /// As `GetLittle`.
    ReadLittle |value, m, o| little_endian(value, m.wide(o.last));
}

macro_rules! takes {
    ($($(#[$doc:meta])* $name:ident |$value:ident, $m:ident, $o:ident| $result:expr;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: D |$m, $o: TakeFromWindow| {
                    let $value = *$m.h >> $m.word($o.shift) & $m.wide($o.mask);
                    $m.put($o.dest, Term::small($result));
                    $m.next($o.end)
                }
            )*
        }
    };
}

/// What [`take_short_character`] returns if it has taken nothing.
const NOT_SHORT: u64 = 1 << 32;

/// Takes a UTF-8 character of one to three bytes, from a byte boundary on. The rest is left to the slow path: other
/// characters, those that are cut by a byte's boundary, two bytes at the very end, and what is no character.
///
/// # Safety
/// The term is a match context.
#[inline(always)]
unsafe fn take_short_character(context: Term) -> u64 {
    // SAFETY: the caller's promise; only bytes before the end are read.
    unsafe {
        let at = word(context, offset::MATCH_POSITION);
        let left = *word(context, offset::MATCH_END) - *at;
        if left < 8 || *at & 7 != 0 {
            return NOT_SHORT;
        }
        let bytes = *word(context, offset::MATCH_BYTES) as *const u8;
        let bytes = bytes.wrapping_add((*at >> 3) as usize);
        let mut value = u64::from(*bytes);
        if value < 0x80 {
            *at += 8;
            return value;
        }
        if left < 24 {
            return NOT_SHORT;
        }
        // The bits of a byte that continues a character; more than six of them for any other byte.
        let second = u64::from(*bytes.wrapping_add(1)) ^ 0x80;
        if second >= 0x40 || value < 0xc2 {
            return NOT_SHORT;
        }
        value = value << 6 | second;
        if value < 0xe0 << 6 {
            *at += 16;
            return value & 0x7ff;
        }
        let third = u64::from(*bytes.wrapping_add(2)) ^ 0x80;
        // What follows 0xe0 or 0xed so is longer than needed, or a surrogate.
        let is_refused = value < (0xe0 << 6 | 0x20) || value >> 5 == 0xed << 1 | 1;
        if third >= 0x40 || value >= 0xf0 << 6 || is_refused {
            return NOT_SHORT;
        }
        *at += 24;
        (value << 6 | third) & 0xffff
    }
}

// Several integers in a row are read at once, and taken out of that window one by one. The word at the heap top keeps
// it meanwhile: nothing else uses that word until something is built there.
takes! {
    /// As `GetUnsigned`.
    TakeUnsigned |value, m, o| value as i64;
    /// As `GetSigned`.
    TakeSigned |value, m, o| signed(value, m.wide(o.last));
    /// As `GetLittle`.
    TakeLittle |value, m, o| little_endian(value, m.wide(o.last));
}

operations! {
    /// Reads the bits before the one that is `bits` behind the position into the window; the lowest `WINDOW_BITS` are
    /// right. The position stays.
    OpenWindow: S |m, o: Advance| {
        let context = m.get(o.context);
        *m.h = window(context, *word(context, offset::MATCH_POSITION) + m.word(o.bits));
        m.next(o.end)
    }

    /// Takes a byte of the window, counted from the last.
    TakeByte: D |m, o: TakeByte| {
        let byte = *m.h.cast::<u8>().add(m.word(o.index) as usize);
        m.put(o.dest, Term::small(byte.into()));
        m.next(o.end)
    }
}

operations! {
    /// Tests that the next bits equal a short constant.
    MatchBits: S |m, o: MatchBits| {
        let context = m.get(o.context);
        let end = *word(context, offset::MATCH_POSITION) + m.word(o.width);
        if end > *word(context, offset::MATCH_END) {
            return m.jump(o.fail);
        }
        if window(context, end) & m.wide(o.mask) != m.wide(o.bits) {
            return m.jump(o.fail);
        }
        *word(context, offset::MATCH_POSITION) = end;
        m.next(o.end)
    }

    /// See [`take_short_character`].
    GetUtf8: SD |m, o: GetCharacter| {
        let value = take_short_character(m.get(o.context));
        if value == NOT_SHORT {
            return m.slow(o, slow::binaries::get_utf8);
        }
        m.put(o.dest, Term::small(value as i64));
        m.next(o.end)
    }

    /// As `GetUtf8`, where nobody wants the character.
    SkipUtf8: S |m, o: SkipCharacter| {
        if take_short_character(m.get(o.context)) == NOT_SHORT {
            return m.slow(o, slow::binaries::skip_utf8);
        }
        m.next(o.end)
    }

    /// A match context is reused.
    StartMatch: SD |m, o: StartMatch| {
        let term = m.get(o.term);
        let header = header_of(term);
        if header & KIND_MASK == MATCH_CONTEXT {
            m.put(o.dest, term);
            return m.next(o.end);
        }
        if !m.has_room((1 + offset::MATCH_SAVED as u64) * 8) {
            return m.slow(o, slow::binaries::start_match);
        }
        let words = m.h.add(1);
        // Written as soon as they are known: fewer registers are needed.
        let (position, end) = (words.add(offset::MATCH_POSITION), words.add(offset::MATCH_END));
        let (mut whole, mut kind) = (term, header & KIND_MASK);
        if kind == SUB_BINARY {
            // The lowest byte is the number of bits behind the last whole byte, the next one that of bits before the
            // first.
            let bits = word(term, offset::SUB_BINARY_BITS).cast::<u8>();
            let start = *word(term, offset::SUB_BINARY_OFFSET) * 8 + u64::from(*bits.add(1));
            position.write(start);
            end.write(*word(term, offset::SUB_BINARY_SIZE) * 8 + u64::from(*bits) + start);
            whole = Term::from_bits(*word(term, offset::SUB_BINARY_WHOLE));
            kind = *word(whole, 0).sub(1) & KIND_MASK;
        } else if kind == HEAP_BINARY || kind == SHARED_BINARY {
            position.write(0);
            end.write(*word(term, BINARY_SIZE) * 8);
        } else {
            return m.slow(o, slow::binaries::start_match);
        }
        words.add(offset::MATCH_BINARY).write(whole.bits());
        let bytes = if kind == HEAP_BINARY {
            word(whole, offset::HEAP_BINARY_BYTES) as u64
        } else {
            let flags = word(whole, offset::SHARED_BINARY_FLAGS);
            // What the context points to must not move.
            if *flags & binary_flag::WRITABLE != 0 {
                *flags |= binary_flag::PINNED;
            }
            *word(whole, offset::SHARED_BINARY_BYTES)
        };
        words.add(offset::MATCH_BYTES).write(bytes);
        let context = m.h;
        context.write(Header::new(ObjectKind::MatchContext, offset::MATCH_SAVED).0);
        m.h = words.add(offset::MATCH_SAVED);
        m.put(o.dest, boxed(context));
        m.next(o.end)
    }

    /// All that is left, if that is a multiple of the unit, which divides 8. What is short enough to be copied is left
    /// to the slow path, and what does not start and end at byte boundaries.
    GetRest: SD |m, o: GetBits| {
        if !m.has_room(PART_BYTES) {
            return m.slow(o, slow::binaries::get_binary);
        }
        let context = m.get(o.context);
        let position = *word(context, offset::MATCH_POSITION);
        let end = *word(context, offset::MATCH_END);
        if (position | end) & 7 != 0 || end - position <= COPIED_BITS {
            return m.slow(o, slow::binaries::get_binary);
        }
        *word(context, offset::MATCH_POSITION) = end;
        let part = m.h;
        m.h = part.wrapping_byte_add(PART_BYTES as usize);
        m.put(o.dest, part_of(context, position, end, part));
        m.next(o.end)
    }

    /// All that is left, without advancing. What is short enough to be copied is left to the slow path: few whole
    /// bytes.
    GetTail: SD |m, o: GetTail| {
        if !m.has_room(PART_BYTES) {
            return m.slow(o, slow::binaries::get_tail);
        }
        let context = m.get(o.context);
        let position = *word(context, offset::MATCH_POSITION);
        let end = *word(context, offset::MATCH_END);
        // Of a number that is not a multiple of 8, this is large.
        if end.wrapping_sub(position).rotate_right(3) <= COPIED_BITS / 8 {
            return m.slow(o, slow::binaries::get_tail);
        }
        let term = part_of(context, position, end, m.h);
        // Written byte by byte, which needs the fewest registers.
        let bits = m.h.add(1 + offset::SUB_BINARY_BITS).cast::<u8>();
        bits.write(end.wrapping_sub(position) as u8 & 7);
        bits.add(1).write(position as u8 & 7);
        m.h = m.h.wrapping_byte_add(PART_BYTES as usize);
        m.put(o.dest, term);
        m.next(o.end)
    }

    /// Skips a constant number of bits.
    SkipBits: S |m, o: TestBits| {
        let context = m.get(o.context);
        let bits = m.word(o.bits);
        let position = *word(context, offset::MATCH_POSITION);
        if *word(context, offset::MATCH_END) - position < bits {
            return m.jump(o.fail);
        }
        *word(context, offset::MATCH_POSITION) = position + bits;
        m.next(o.end)
    }

    /// Skips bits that are known to be left.
    Advance: S |m, o: Advance| {
        *word(m.get(o.context), offset::MATCH_POSITION) += m.word(o.bits);
        m.next(o.end)
    }

    /// Tests that at least this many bits are left.
    TestAtLeast: S |m, o: TestBits| {
        let context = m.get(o.context);
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        if left < m.word(o.bits) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// As `TestAtLeast`; what is left behind them must be a multiple of a power of two, and `mask` is one less.
    TestRest: S |m, o: TestRest| {
        let context = m.get(o.context);
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        let bits = m.word(o.bits);
        if left < bits || (left - bits) & m.word(o.mask) != 0 {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Tests that exactly this many bits are left.
    TestTail: S |m, o: TestBits| {
        let context = m.get(o.context);
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        if left != m.word(o.bits) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Tests that the number of remaining bits is a multiple of the unit.
    TestUnit: S |m, o: TestBits| {
        let context = m.get(o.context);
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        let unit = m.word(o.bits);
        if left.wrapping_rem(unit | (unit == 0) as u64) != 0 {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// As `TestUnit`, for a power of two; `bits` is one less.
    TestPowerUnit: S |m, o: TestBits| {
        let context = m.get(o.context);
        let left = *word(context, offset::MATCH_END) - *word(context, offset::MATCH_POSITION);
        if left & m.word(o.bits) != 0 {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Goes back to a position that `GetPosition` found.
    SetPosition: SS |m, o: SetPosition| {
        let context = m.get(o.context);
        let position = m.get(o.position);
        // As numbers: a negative one is large.
        if !position.is_small() || position.bits() >> 4 > *word(context, offset::MATCH_END) {
            return m.slow(o, slow::binaries::set_position);
        }
        *word(context, offset::MATCH_POSITION) = position.bits() >> 4;
        m.next(o.end)
    }

    GetPosition: SD |m, o: SourceDest| {
        let position = *word(m.get(o.source), offset::MATCH_POSITION);
        m.put(o.dest, Term::small(position as i64));
        m.next(o.end)
    }
}
