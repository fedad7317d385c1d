//! Building bit strings: in one instruction (`bs_create_bin`), or step by step as older compilers do, with the write
//! position kept in [`Context::builder`] between two safepoints.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::mem::MaybeUninit;

use layout::{Context, RaiseKind, Term};
use term::bits::append::{self, AppendError};
use term::bits::construct::{self, Builder, ConstructError, Segment, SegmentKind};
use term::bits::{Fault, Flags, is_all, match_width, utf, whole};
use term::{am, map};

use crate::form::{Exit, Form};
use crate::operand::{Any, read};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::collect::{is_due, make_room, make_room_at, put_off};
use crate::slow::exceptions::{set_error, unwind};

/// Operand words of a segment of `create`: kind, number, unit, flags, source, size, address of the string, and the
/// size in bits if it is an integer or a string of known size.
pub const SEGMENT_WORDS: usize = 8;
/// Operand words of `create` before its segments.
const HEAD_WORDS: usize = 6;

/// The kinds of segments, indexed by the number in their operand word.
pub const SEGMENT_KINDS: [SegmentKind; 9] = [
    SegmentKind::Append,
    SegmentKind::PrivateAppend,
    SegmentKind::Binary,
    SegmentKind::Float,
    SegmentKind::Integer,
    SegmentKind::String,
    SegmentKind::Utf8,
    SegmentKind::Utf16,
    SegmentKind::Utf32,
];

/// Heap words that a new bit string may need: for a heap binary of 64 bytes, or for a shared binary and a sub-binary.
const BINARY_WORDS: u64 = 16;

const _: () = assert!(size_of::<Builder>() == size_of::<[u64; 3]>());

#[inline(always)]
unsafe fn builder<'a>(c: *mut Context) -> &'a mut Builder {
    unsafe { &mut *(&raw mut (*c).builder).cast::<Builder>() }
}

/// Jumps to the label, or raises what [`Context::raise`] holds.
#[inline(always)]
unsafe fn fail<F: Form>(m: Registers<F>, label: u64) -> Exit {
    unsafe {
        if label != 0 {
            (*m.c).raise.kind = RaiseKind::None;
            return m.enter(label as *const u64);
        }
        let ip = m.ip;
        unwind(m, ip, core::ptr::null(), core::ptr::null())
    }
}

/// Ensures heap room for the `bytes` that the code builds next. Returns `result`, which a collection may have moved,
/// or none if the process must end.
#[inline(always)]
unsafe fn room_behind<F: Form>(m: &mut Registers<F>, result: Term, bytes: u64, live: u64) -> Term {
    unsafe {
        if m.has_room(bytes) && (!is_due(&(*(*m.c).process).heap) || put_off(m)) {
            return result;
        }
        let spare = m.x.add(live as usize);
        *spare = result;
        if make_room(m, (bytes / 8) as usize, live as usize + 1) {
            *spare
        } else {
            Term::NONE
        }
    }
}

/// Defines `create`, for a given construction function.
macro_rules! creates {
    ($($(#[$doc:meta])* $name:ident $construct:ident;)*) => {
        slow_paths! {
            $(
                $(#[$doc])*
                $name |m| {
                    // The segment values are in live registers. With room made first, the string is allocated on the
                    // heap, not in a fragment.
                    let bytes = m.word::<3>() + BINARY_WORDS * 8;
                    let live = m.word::<1>() as usize;
                    if !m.has_room(bytes) {
                        let ip = m.ip;
                        if let Some(exit) = make_room_at(&mut m, (bytes / 8) as usize, live, ip) {
                            return exit;
                        }
                    }
                    m.save();
                    let result = $construct(m.c, m.x, m.s, m.ip);
                    m.load();
                    if result.is_none() {
                        let label = m.word::<0>();
                        return fail(m, label);
                    }
                    let (bytes, live) = (m.word::<3>(), m.word::<1>());
                    let result = room_behind(&mut m, result, bytes, live);
                    if result.is_none() {
                        return Exit::Exited;
                    }
                    m.put::<Any, 2>(result);
                    let end = m.words::<HEAD_WORDS>().add(m.word::<4>() as usize * SEGMENT_WORDS);
                    m.next_at(end)
                }
            )*
        }
    };
}

creates! {
    /// `fail, live, dest, bytes of heap needed afterwards, count, bits of segments of known size, segment...`
    create construct;
    /// As `create`, for a whole number of bytes in which only integers and characters may begin or end within a byte.
    create_whole construct_whole;
}

slow_paths! {

    /// `fail, live, dest, bytes of heap needed afterwards, size, unit of the size (8 or 1)`
    init |m| {
        let bytes = m.word::<3>() + BINARY_WORDS * 8;
        let live = m.word::<1>() as usize;
        // The size may be in a register that is not live afterwards.
        let mut size = m.get::<Any, 4>();
        if !m.has_room(bytes) {
            *m.x.add(live) = size;
            if !make_room(&mut m, (bytes / 8) as usize, live + 1) {
                return Exit::Exited;
            }
            size = *m.x.add(live);
        }
        m.save();
        let result = start(m.c, size, m.word::<5>());
        m.load();
        if result.is_none() {
            let label = m.word::<0>();
            return fail(m, label);
        }
        m.put::<Any, 2>(result);
        m.next::<6>()
    }

    /// `fail, live, dest, bytes of heap needed afterwards, size, unit, binary, 1 if private`
    append_to |m| {
        let bytes = m.word::<3>() + BINARY_WORDS * 8;
        let live = m.word::<1>() as usize;
        let (mut size, mut binary) = (m.get::<Any, 4>(), m.get::<Any, 6>());
        if !m.has_room(bytes) {
            *m.x.add(live) = size;
            *m.x.add(live + 1) = binary;
            if !make_room(&mut m, (bytes / 8) as usize, live + 2) {
                return Exit::Exited;
            }
            size = *m.x.add(live);
            binary = *m.x.add(live + 1);
        }
        m.save();
        let result = extend(m.c, binary, size, m.ip);
        m.load();
        if result.is_none() {
            let label = m.word::<0>();
            return fail(m, label);
        }
        m.put::<Any, 2>(result);
        m.next::<8>()
    }

    /// As `append_to`, but for a binary that only this code refers to, and without a collection:
    /// `fail, 0, dest, 0, size, unit, binary, 1`
    append_privately |m| {
        let (size, binary) = (m.get::<Any, 4>(), m.get::<Any, 6>());
        m.save();
        let result = extend(m.c, binary, size, m.ip);
        m.load();
        if result.is_none() {
            let label = m.word::<0>();
            return fail(m, label);
        }
        m.put::<Any, 2>(result);
        m.next::<8>()
    }

    /// Makes an empty binary with spare capacity, whose size is in x0. No operands.
    init_writable |m| {
        m.save();
        let binary = append::init_writable(&mut (*(*m.c).process).heap, *m.x);
        m.load();
        *m.x = binary;
        m.next::<0>()
    }

    /// `fail, value, size, unit, flags`
    put_integer |m| {
        let (value, size) = (m.get::<Any, 1>(), m.get::<Any, 2>());
        let flags = Flags::new(m.word::<4>() as u32);
        let done = match match_width(size, m.word::<3>() as u32) {
            Some(width) => builder(m.c).put_integer(value, width, flags),
            None => Err(Fault::Size),
        };
        put::<_, 5>(m, done)
    }

    /// `fail, value, size, unit, flags`
    put_float |m| {
        let (value, size) = (m.get::<Any, 1>(), m.get::<Any, 2>());
        let flags = Flags::new(m.word::<4>() as u32);
        let done = match match_width(size, m.word::<3>() as u32) {
            Some(width) => builder(m.c).put_float(value, width, flags),
            None => Err(Fault::Size),
        };
        put::<_, 5>(m, done)
    }

    /// `fail, value, size, unit, flags`
    put_binary |m| {
        let (value, size) = (m.get::<Any, 1>(), m.get::<Any, 2>());
        let unit = m.word::<3>() as u32;
        let done = if is_all(size) {
            builder(m.c).put_binary_all(value, unit)
        } else {
            match match_width(size, unit) {
                Some(width) => builder(m.c).put_binary(value, width),
                None => Err(Fault::Size),
            }
        };
        put::<_, 5>(m, done)
    }

    /// `0, address, length in bytes`
    put_string |m| {
        let done = builder(m.c).put_string(m.word::<1>() as *const u8, m.word::<2>());
        put::<_, 3>(m, done)
    }

    /// `fail, value, flags`
    put_utf8 |m| {
        let done = builder(m.c).put_utf8(m.get::<Any, 1>());
        put::<_, 3>(m, done)
    }

    /// `fail, value, flags`
    put_utf16 |m| {
        let done = builder(m.c).put_utf16(m.get::<Any, 1>(), Flags::new(m.word::<2>() as u32));
        put::<_, 3>(m, done)
    }

    /// `fail, value, flags`
    put_utf32 |m| {
        let done = builder(m.c).put_utf32(m.get::<Any, 1>(), Flags::new(m.word::<2>() as u32));
        put::<_, 3>(m, done)
    }

    /// `fail, a, b, unit, dest`: `a + b * unit`
    add_sizes |m| {
        let (a, b) = (m.get::<Any, 1>(), m.get::<Any, 2>());
        m.save();
        let sum = sum(m.c, a, b, m.word::<3>() as u32);
        m.load();
        if sum.is_none() {
            let label = m.word::<0>();
            return fail(m, label);
        }
        m.put::<Any, 4>(sum);
        m.next::<5>()
    }

    /// Bytes of a character in UTF-8: `value, dest`
    utf8_size |m| {
        let bytes = utf::utf8_bits(m.get::<Any, 0>()) / 8;
        m.put::<Any, 1>(Term::small(bytes as i64));
        m.next::<2>()
    }

    /// Bytes of a character in UTF-16: `value, dest`
    utf16_size |m| {
        let bytes = utf::utf16_bits(m.get::<Any, 0>()) / 8;
        m.put::<Any, 1>(Term::small(bytes as i64));
        m.next::<2>()
    }
}

#[inline(always)]
unsafe fn put<F: Form, const N: usize>(m: Registers<F>, done: Result<(), Fault>) -> Exit {
    unsafe {
        if done.is_ok() {
            return m.next::<N>();
        }
        set_error(m.c, am::BADARG);
        let label = m.word::<0>();
        fail(m, label)
    }
}

/// A size, or none after raising an exception.
#[inline(never)]
unsafe fn sum(c: *mut Context, a: Term, b: Term, unit: u32) -> Term {
    unsafe {
        match construct::add_sizes(&mut (*(*c).process).heap, a, b, unit) {
            Ok(sum) => sum,
            Err(limit) => {
                set_error(c, if limit { am::SYSTEM_LIMIT } else { am::BADARG });
                Term::NONE
            }
        }
    }
}

/// A new bit string, not yet written; none after raising an exception.
#[inline(never)]
unsafe fn start(c: *mut Context, size: Term, unit: u64) -> Term {
    unsafe {
        let heap = &mut (*(*c).process).heap;
        let bits = construct::start_size(size).and_then(|size| size.checked_mul(unit).ok_or(true));
        match bits.and_then(|bits| construct::start(heap, bits).ok_or(true)) {
            Ok((string, to)) => {
                *builder(c) = to;
                string
            }
            Err(limit) => {
                set_error(c, if limit { am::SYSTEM_LIMIT } else { am::BADARG });
                Term::NONE
            }
        }
    }
}

/// A binary extended by `size` units that are not yet written; none after raising an exception.
#[inline(never)]
unsafe fn extend(c: *mut Context, binary: Term, size: Term, ip: *const u64) -> Term {
    unsafe {
        let heap = &mut (*(*c).process).heap;
        let (unit, private) = (*ip.add(1 + 5) as u32, *ip.add(1 + 7) != 0);
        let result = construct::start_size(size).and_then(|size| {
            let appended = if private {
                append::private_append(heap, binary, size, unit)
            } else {
                append::append(heap, binary, size, unit)
            };
            appended.map_err(|error| error == AppendError::Limit)
        });
        match result {
            Ok((string, to)) => {
                *builder(c) = to;
                string
            }
            Err(limit) => {
                set_error(c, if limit { am::SYSTEM_LIMIT } else { am::BADARG });
                Term::NONE
            }
        }
    }
}

/// The bit string built from the segments, or none after raising an exception.
#[inline(never)]
unsafe fn construct(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        let words = ip.add(1);
        let count = *words.add(4) as usize;
        let segment = |index: usize| {
            let words = words.add(HEAD_WORDS + index * SEGMENT_WORDS);
            Segment {
                kind: SEGMENT_KINDS[*words as usize],
                number: *words.add(1) as u32,
                unit: *words.add(2) as u32,
                flags: Flags::new(*words.add(3) as u32),
                source: read(x, s, *words.add(4)),
                size: read(x, s, *words.add(5)),
                string: *words.add(6) as *const u8,
            }
        };
        // Filled in place, because moving the segments costs more than making them.
        let mut room = [const { MaybeUninit::uninit() }; 8];
        let mut many = Vec::new();
        let segments = if count <= room.len() {
            for (index, place) in room[..count].iter_mut().enumerate() {
                place.write(segment(index));
            }
            core::slice::from_raw_parts(room.as_ptr().cast::<Segment>(), count)
        } else {
            many.extend((0..count).map(segment));
            &many[..]
        };
        match construct::create(&mut (*(*c).process).heap, segments) {
            Ok(string) => {
                let bits = |string: Term| string.as_bits().map_or(0, |bits| bits.bit_len);
                let appended_to = match segments.first() {
                    Some(Segment {
                        kind: SegmentKind::Append | SegmentKind::PrivateAppend,
                        source,
                        ..
                    }) => bits(*source),
                    _ => 0,
                };
                charge(c, (bits(string) - appended_to) / 8);
                string
            }
            Err(error) => {
                explain(c, &error, *words);
                Term::NONE
            }
        }
    }
}

/// Bytes written per reduction, as in OTP.
const BYTES_PER_REDUCTION: u64 = 1024;

/// Charges the process for the bytes written.
#[inline(always)]
unsafe fn charge(c: *mut Context, bytes: u64) {
    unsafe { (*c).reductions_left -= (bytes / BYTES_PER_REDUCTION) as i64 };
}

/// As [`construct`], but faster: a string of whole bytes, built in one pass over segments whose values are as
/// expected. If a value is not, the general function is called to find out what is wrong.
#[inline(never)]
unsafe fn construct_whole(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        match build_whole(&mut (*(*c).process).heap, x, s, ip.add(1)) {
            Some((string, bytes)) => {
                charge(c, bytes);
                string
            }
            None => construct(c, x, s, ip),
        }
    }
}

/// The string, and the number of its bytes that are new.
#[inline(always)]
unsafe fn build_whole(
    heap: &mut layout::Heap,
    x: *mut Term,
    s: *mut Term,
    words: *const u64,
) -> Option<(Term, u64)> {
    unsafe {
        let count = *words.add(4) as usize;
        let segment = |index: usize| words.add(HEAD_WORDS + index * SEGMENT_WORDS);
        let kind = |words: *const u64| SEGMENT_KINDS[*words as usize];
        let source = |words: *const u64| read(x, s, *words.add(4));
        // The bytes of a binary segment, as many as its size says.
        let bytes_of = |words: *const u64| {
            let (bytes, length) = whole::bytes_of(source(words))?;
            let size = read(x, s, *words.add(5));
            if is_all(size) {
                return Some((bytes, length));
            }
            let bits = match_width(size, *words.add(2) as u32)?;
            (bits % 8 == 0 && bits / 8 <= length).then_some((bytes, bits / 8))
        };

        // Computes the length and checks that all segments are valid.
        let mut bits = *words.add(5);
        for index in 0..count {
            let segment = segment(index);
            match kind(segment) {
                SegmentKind::Integer if !source(segment).is_small() => return None,
                SegmentKind::Utf8 => {
                    bits += utf::utf8_bits(Term::small(utf::character(source(segment))?.into()));
                }
                SegmentKind::Binary => bits = bits.checked_add(bytes_of(segment)?.1 * 8)?,
                _ => (),
            }
        }
        let first = kind(segment(0));
        let appends = matches!(first, SegmentKind::Append | SegmentKind::PrivateAppend);
        let (string, room) = if appends {
            let private = first == SegmentKind::PrivateAppend;
            whole::append_in_place(heap, source(segment(0)), bits / 8, private)?
        } else {
            whole::fresh(heap, bits / 8)?
        };

        let mut writer = whole::Writer::new(room);
        for index in usize::from(appends)..count {
            let segment = segment(index);
            match kind(segment) {
                SegmentKind::Integer => {
                    let width = *segment.add(7) as u32;
                    let mut value = source(segment).small_value() as u64;
                    if Flags::new(*segment.add(3) as u32).is_little() && width > 8 {
                        value = (value << (64 - width)).swap_bytes();
                    }
                    writer.put(value, width);
                }
                SegmentKind::Utf8 => {
                    let (value, width) = utf::encode_utf8(source(segment).small_value() as u32);
                    writer.put(value, width);
                }
                SegmentKind::Binary => {
                    let (bytes, length) = bytes_of(segment)?;
                    writer.copy(bytes, length);
                }
                _ => writer.copy(*segment.add(6) as *const u8, *segment.add(7) / 8),
            }
        }
        writer.flush();
        Some((string, bits / 8))
    }
}

/// Sets the error of a segment. Unless the code continues at a label, it adds the information that `erl_erts_errors`
/// needs to explain the error.
unsafe fn explain(c: *mut Context, error: &ConstructError, label: u64) {
    unsafe {
        set_error(c, error.reason());
        if label != 0 {
            return;
        }
        let heap = &mut (*(*c).process).heap;
        let cause = error.cause(heap);
        (*c).raise.trace = map::from_pairs(
            heap,
            &[
                (am::CAUSE, cause),
                (am::FUNCTION, am::FORMAT_BS_FAIL),
                (am::MODULE, am::ERL_ERTS_ERRORS),
            ],
        );
    }
}
