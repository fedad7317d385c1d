//! Building bit strings: in one instruction (`bs_create_bin`), or step by step as older compilers do, with the write
//! position kept in [`Context::builder`] between two safepoints.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::mem::MaybeUninit;

use layout::object::Bits;
use layout::{AbruptKind, Context, Term};
use term::bits::append::{self, AppendError};
use term::bits::construct::{self, Builder, ConstructError, Segment, SegmentKind};
use term::bits::{Fault, Flags, is_all, match_width, range, utf, whole};
use term::heap::Allocate;
use term::{am, build, map};

use crate::bodies::builder;
use crate::encoding::{self, AppendTo, At, Create, Encoding, End, Label, Number};
use crate::form::{Exit, Form};
use crate::operand::read;
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::breakpoints::breakpoint_here;
use crate::slow::collect::{defer_collection, is_due, make_room, make_room_at};
use crate::slow::exceptions::{set_error, unwind_here};

/// Operand words of a segment of `create`.
const SEGMENT_WORDS: usize = encoding::Segment::CLASSES.len();

/// The kinds of segments, indexed by the number in their operand word.
pub(crate) const SEGMENT_KINDS: [SegmentKind; 9] = [
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

/// Jumps to the label, or raises what [`Context::abrupt`] holds.
#[inline(always)]
unsafe fn fail<F: Form>(m: Registers<F>, label: u64) -> Exit {
    unsafe {
        if label != 0 {
            (*m.c).abrupt.kind = AbruptKind::None;
            return m.enter(label as *const u64);
        }
        unwind_here(m)
    }
}

/// Ensures heap room for the `bytes` that the code builds next. Returns `result`, which a collection may have moved,
/// or none if the process must end.
#[inline(always)]
unsafe fn room_behind<F: Form>(m: &mut Registers<F>, result: Term, bytes: u64, live: u64) -> Term {
    unsafe {
        if m.has_room(bytes) && (!is_due(&(*(*m.c).process).heap) || defer_collection(m)) {
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
                $name |m, o: Create| {
                    // The segment values are in live registers. With room made first, the string is allocated on the
                    // heap, not in a fragment.
                    let bytes = m.word(o.heap) + BINARY_WORDS * 8;
                    let live = m.word(o.live) as usize;
                    if !m.has_room(bytes) {
                        let (words, ip) = ((bytes / 8) as usize, m.ip);
                        if !breakpoint_here(&m).is_null() {
                            if !make_room(&mut m, words, live) {
                                return Exit::Exited;
                            }
                        } else if let Some(exit) = make_room_at(&mut m, words, live, ip) {
                            return exit;
                        }
                    }
                    m.save();
                    let result = $construct(m.c, m.x, m.s, m.ip);
                    m.load();
                    if result.is_none() {
                        let label = m.word(o.fail);
                        return fail(m, label);
                    }
                    let (bytes, live) = (m.word(o.heap), m.word(o.live));
                    let result = room_behind(&mut m, result, bytes, live);
                    if result.is_none() {
                        return Exit::Exited;
                    }
                    m.put(o.dest, result);
                    let end = m.words(o.end).add(m.word(o.count) as usize * SEGMENT_WORDS);
                    m.next_at(end)
                }
            )*
        }
    };
}

creates! {
    create construct;
    /// As `create`, for a whole number of bytes in which only integers and characters may begin or end within a byte.
    create_whole construct_whole;
}

slow_paths! {
    /// A character in UTF-8, as a part of a bit string that `bodies::building` builds.
    utf8_segment |m, o: PutValue| {
        let Some(character) = utf::character(m.get(o.source)) else {
            return m.jump(o.fail);
        };
        write_character(m, o.offset, o.end, utf::encode_utf8(character))
    }

    /// As `utf8_segment`, in UTF-16.
    utf16_segment |m, o: PutFlagged| {
        let Some(character) = utf::character(m.get(o.source)) else {
            return m.jump(o.fail);
        };
        let flags = Flags::new(m.word(o.flags) as u32);
        write_character(m, o.offset, o.end, utf::encode_utf16(character, flags))
    }

    /// As `utf8_segment`, in UTF-32.
    utf32_segment |m, o: PutFlagged| {
        let Some(character) = utf::character(m.get(o.source)) else {
            return m.jump(o.fail);
        };
        let is_little = Flags::new(m.word(o.flags) as u32).is_little();
        let value = if is_little { character.swap_bytes() } else { character };
        write_character(m, o.offset, o.end, (value.into(), 32))
    }

    /// The bytes of a binary, which are known to fit before the position.
    bytes_segment |m, o: PutBytes| {
        let Some((bytes, size)) = builder::bytes_of(m.get(o.source)) else {
            return m.jump(o.fail);
        };
        let to = builder::position(&m).wrapping_sub(size as usize);
        to.copy_from_nonoverlapping(bytes, size as usize);
        m.f -= (size / BYTES_PER_REDUCTION) as i64;
        m.next(o.end)
    }

    /// The first bytes of a binary.
    part_segment |m, o: PutPart| {
        let width = match_width(m.get(o.size), m.word(o.unit) as u32);
        let found = builder::bytes_of(m.get(o.source));
        let to = builder::position(&m).wrapping_add(m.word(o.offset) as usize);
        let room = builder::limit(&m) as u64 - to as u64 - m.word(o.rest);
        match (width, found) {
            (Some(width), Some((bytes, size))) if width <= size && width <= room => {
                to.copy_from_nonoverlapping(bytes, width as usize);
                builder::set_position(&m, to.wrapping_add(width as usize));
                m.f -= (width / BYTES_PER_REDUCTION) as i64;
                m.next(o.end)
            }
            _ => m.jump(o.fail),
        }
    }

    /// An integer whose size is not constant, among others that are short together.
    gather_sized |m, o: GatherSized| {
        let value = m.get(o.source);
        let width = match match_width(m.get(o.size), m.word(o.unit) as u32) {
            Some(width) if value.is_small() && width < u64::from(u64::BITS) => width,
            _ => return m.jump(o.fail),
        };
        let sized = if m.word(o.first_sized) != 0 { 0 } else { (*m.c).builder[2] } + width;
        if sized > m.word(o.most) {
            return m.jump(o.fail);
        }
        (*m.c).builder[2] = sized;
        let gathered = m.x.add(usize::from(builder::GATHERED));
        let before = if m.word(o.first) != 0 { 0 } else { (*gathered).small_value() as u64 };
        let bits = value.small_value() as u64 & !(u64::MAX << width);
        *gathered = Term::small((before << width | bits) as i64);
        m.next(o.end)
    }

    end_gathered |m, o: EndGathered| {
        let string = m.get(o.string);
        let kind = SEGMENT_KINDS[m.word(o.kind) as usize];
        let sized = if m.word(o.sized) != 0 { (*m.c).builder[2] } else { 0 };
        let width = m.word(o.bits) + sized;
        let value = *m.x.add(usize::from(builder::GATHERED));
        let heap = &raw mut (*(*m.c).process).heap;
        if width == 0 || !m.has_room(m.word(o.bytes)) || is_due(&*heap) {
            return m.jump(o.fail);
        }
        m.save();
        let private = kind == SegmentKind::PrivateAppend;
        let value = value.small_value() as u64;
        let result = if private || kind == SegmentKind::Append {
            append::append_word(&mut *heap, string, value, width as u32, private)
        } else {
            Some(new_word(&mut *heap, value, width))
        };
        m.load();
        let Some(result) = result else {
            return m.jump(o.fail);
        };
        m.put(o.dest, result);
        m.jump(o.done)
    }

    init |m, o: Init| {
        let bytes = m.word(o.heap) + BINARY_WORDS * 8;
        let live = m.word(o.live) as usize;
        // The size may be in a register that is not live afterwards.
        let mut size = m.get(o.size);
        if !m.has_room(bytes) {
            *m.x.add(live) = size;
            if !make_room(&mut m, (bytes / 8) as usize, live + 1) {
                return Exit::Exited;
            }
            size = *m.x.add(live);
        }
        m.save();
        let result = start(m.c, size, m.word(o.unit));
        m.load();
        if result.is_none() {
            let label = m.word(o.fail);
            return fail(m, label);
        }
        m.put(o.dest, result);
        m.next(o.end)
    }

    append_to |m, o: AppendTo| {
        let bytes = m.word(o.heap) + BINARY_WORDS * 8;
        let live = m.word(o.live) as usize;
        let (mut size, mut binary) = (m.get(o.size), m.get(o.binary));
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
            let label = m.word(o.fail);
            return fail(m, label);
        }
        m.put(o.dest, result);
        m.next(o.end)
    }

    /// As `append_to`, but for a binary that only this code refers to, and without a collection:
    append_privately |m, o: AppendTo| {
        let (size, binary) = (m.get(o.size), m.get(o.binary));
        m.save();
        let result = extend(m.c, binary, size, m.ip);
        m.load();
        if result.is_none() {
            let label = m.word(o.fail);
            return fail(m, label);
        }
        m.put(o.dest, result);
        m.next(o.end)
    }

    /// Makes an empty binary with spare capacity, whose size is in x0.
    init_writable |m, o: Nothing| {
        m.save();
        let binary = append::init_writable(&mut (*(*m.c).process).heap, *m.x);
        m.load();
        *m.x = binary;
        m.next(o.end)
    }

    put_integer |m, o: PutSegment| {
        let (value, size) = (m.get(o.value), m.get(o.size));
        let flags = Flags::new(m.word(o.flags) as u32);
        let done = match match_width(size, m.word(o.unit) as u32) {
            Some(width) => builder(m.c).put_integer(value, width, flags),
            None => Err(Fault::Size),
        };
        put(m, o.fail, o.end, done)
    }

    put_float |m, o: PutSegment| {
        let (value, size) = (m.get(o.value), m.get(o.size));
        let flags = Flags::new(m.word(o.flags) as u32);
        let done = match match_width(size, m.word(o.unit) as u32) {
            Some(width) => builder(m.c).put_float(value, width, flags),
            None => Err(Fault::Size),
        };
        put(m, o.fail, o.end, done)
    }

    put_binary |m, o: PutSegment| {
        let (value, size) = (m.get(o.value), m.get(o.size));
        let unit = m.word(o.unit) as u32;
        let room = builder(m.c).room();
        let done = if is_all(size) {
            builder(m.c).put_binary_all(value, unit)
        } else {
            match match_width(size, unit) {
                Some(width) => builder(m.c).put_binary(value, width),
                None => Err(Fault::Size),
            }
        };
        m.save();
        charge(m.c, (room - builder(m.c).room()) / 8);
        m.load();
        put(m, o.fail, o.end, done)
    }

    put_string |m, o: PutString| {
        let done = builder(m.c).put_string(m.wide(o.string) as *const u8, m.word(o.length));
        put(m, o.fail, o.end, done)
    }

    put_utf8 |m, o: PutCharacter| {
        let done = builder(m.c).put_utf8(m.get(o.value));
        put(m, o.fail, o.end, done)
    }

    put_utf16 |m, o: PutCharacter| {
        let done = builder(m.c).put_utf16(m.get(o.value), Flags::new(m.word(o.flags) as u32));
        put(m, o.fail, o.end, done)
    }

    put_utf32 |m, o: PutCharacter| {
        let done = builder(m.c).put_utf32(m.get(o.value), Flags::new(m.word(o.flags) as u32));
        put(m, o.fail, o.end, done)
    }

    /// `a + b * unit`
    add_sizes |m, o: AddSizes| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        m.save();
        let sum = sum(m.c, a, b, m.word(o.unit) as u32);
        m.load();
        if sum.is_none() {
            let label = m.word(o.fail);
            return fail(m, label);
        }
        m.put(o.dest, sum);
        m.next(o.end)
    }

    /// Bytes of a character in UTF-8.
    utf8_size |m, o: SourceDest| {
        let bytes = utf::utf8_bits(m.get(o.source)) / 8;
        m.put(o.dest, Term::small(bytes as i64));
        m.next(o.end)
    }

    /// Bytes of a character in UTF-16.
    utf16_size |m, o: SourceDest| {
        let bytes = utf::utf16_bits(m.get(o.source)) / 8;
        m.put(o.dest, Term::small(bytes as i64));
        m.next(o.end)
    }
}

/// Writes the bytes of a character, a number and its width in bits, at an offset from the position, and moves the
/// position behind them.
#[inline(always)]
unsafe fn write_character<F: Form, const I: usize, const N: usize>(
    m: Registers<F>,
    offset: At<Number, I>,
    end: At<End, N>,
    (value, width): (u64, u32),
) -> Exit {
    unsafe {
        let to = builder::position(&m).wrapping_add(m.word(offset) as usize);
        // Swapped, so that the first byte is the lowest.
        let bytes = (value << (64 - width)).swap_bytes();
        builder::set_position(&m, range::write_front(to, bytes, width / 8));
        m.next(end)
    }
}

#[inline(always)]
unsafe fn put<F: Form, const L: usize, const N: usize>(
    m: Registers<F>,
    label: At<Label, L>,
    end: At<End, N>,
    done: Result<(), Fault>,
) -> Exit {
    unsafe {
        if done.is_ok() {
            return m.next(end);
        }
        set_error(m.c, am::BADARG);
        let label = m.word(label);
        fail(m, label)
    }
}

/// Sets the error for a size that is too large or not a size at all; returns none.
unsafe fn size_error(c: *mut Context, limit: bool) -> Term {
    unsafe { set_error(c, if limit { am::SYSTEM_LIMIT } else { am::BADARG }) };
    Term::NONE
}

/// A size, or none after raising an exception.
#[inline(never)]
unsafe fn sum(c: *mut Context, a: Term, b: Term, unit: u32) -> Term {
    unsafe {
        match construct::add_sizes(&mut (*(*c).process).heap, a, b, unit) {
            Ok(sum) => sum,
            Err(limit) => size_error(c, limit),
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
            Err(limit) => size_error(c, limit),
        }
    }
}

/// A binary extended by `size` units that are not yet written; none after raising an exception.
#[inline(never)]
unsafe fn extend(c: *mut Context, binary: Term, size: Term, ip: *const u64) -> Term {
    unsafe {
        let heap = &mut (*(*c).process).heap;
        let (o, words) = (AppendTo::OPERANDS, ip.add(1));
        let (unit, private) = (o.unit.of(words) as u32, o.private.of(words) != 0);
        let before = binary.as_bits();
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
                // What is appended is charged when it is written.
                let later = to.room();
                *builder(c) = to;
                charge(c, bits_written(before, string).saturating_sub(later) / 8);
                string
            }
            Err(limit) => size_error(c, limit),
        }
    }
}

/// The bit string built from the segments, or none after raising an exception.
#[inline(never)]
unsafe fn construct(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        let (head, words) = (Create::OPERANDS, ip.add(1));
        let count = head.count.of(words) as usize;
        let segment = |index: usize| {
            let o = encoding::Segment::OPERANDS;
            let words = words.add(head.end.index() + index * SEGMENT_WORDS);
            Segment {
                kind: SEGMENT_KINDS[o.kind.of(words) as usize],
                number: o.number.of(words) as u32,
                unit: o.unit.of(words) as u32,
                flags: Flags::new(o.flags.of(words) as u32),
                source: read(x, s, o.source.of(words)),
                size: read(x, s, o.size.of(words)),
                string: o.string.of(words) as *const u8,
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
        let appended_to = match segments.first() {
            Some(Segment {
                kind: SegmentKind::Append | SegmentKind::PrivateAppend,
                source,
                ..
            }) => source.as_bits(),
            _ => None,
        };
        match construct::create(&mut (*(*c).process).heap, segments) {
            Ok(string) => {
                charge(c, bits_written(appended_to, string) / 8);
                string
            }
            Err(error) => {
                explain(c, &error, head.fail.of(words));
                Term::NONE
            }
        }
    }
}

/// The bits of a new string that were written, among them those of a string that had to be copied to be appended to.
fn bits_written(appended_to: Option<Bits>, string: Term) -> u64 {
    match (appended_to, string.as_bits()) {
        (Some(old), Some(new)) if new.bytes() == old.bytes() => {
            new.bit_len().saturating_sub(old.bit_len())
        }
        (_, Some(new)) => new.bit_len(),
        (_, None) => 0,
    }
}

/// Bytes written per reduction, as in OTP.
const BYTES_PER_REDUCTION: u64 = 1024;

/// Charges the process for the bytes written.
#[inline(always)]
unsafe fn charge(c: *mut Context, bytes: u64) {
    unsafe { (*c).reductions_left -= (bytes / BYTES_PER_REDUCTION) as i64 };
}

/// As [`construct()`], but faster: a string of whole bytes, built in one pass over segments whose values are as
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
        let (head, o) = (Create::OPERANDS, encoding::Segment::OPERANDS);
        let count = head.count.of(words) as usize;
        let segment = |index: usize| words.add(head.end.index() + index * SEGMENT_WORDS);
        let kind = |words: *const u64| SEGMENT_KINDS[o.kind.of(words) as usize];
        let source = |words: *const u64| read(x, s, o.source.of(words));
        // The bytes of a binary segment, as many as its size says.
        let bytes_of = |words: *const u64| {
            let (bytes, length) = builder::bytes_of(source(words))?;
            let size = read(x, s, o.size.of(words));
            if is_all(size) {
                return Some((bytes, length));
            }
            let bits = match_width(size, o.unit.of(words) as u32)?;
            (bits % 8 == 0 && bits / 8 <= length).then_some((bytes, bits / 8))
        };

        // Computes the length and checks that all segments are valid.
        let mut bits = head.bits.of(words);
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
        let mut new_bytes = bits / 8;
        let first = kind(segment(0));
        let appends = matches!(first, SegmentKind::Append | SegmentKind::PrivateAppend);
        let (string, room) = if appends {
            let private = first == SegmentKind::PrivateAppend;
            let string = source(segment(0));
            match append_in_place(heap, string, bits / 8, private) {
                Some(appended) => appended,
                None => {
                    let (string, room, copied) = append_to_copy(heap, string, bits, private)?;
                    new_bytes += copied;
                    (string, room)
                }
            }
        } else {
            whole::fresh(heap, bits / 8)?
        };

        let mut writer = whole::Writer::new(room);
        for index in usize::from(appends)..count {
            let segment = segment(index);
            match kind(segment) {
                SegmentKind::Integer => {
                    let width = o.bits.of(segment) as u32;
                    let mut value = source(segment).small_value() as u64;
                    if Flags::new(o.flags.of(segment) as u32).is_little() && width > 8 {
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
                _ => writer.copy(o.string.of(segment) as *const u8, o.bits.of(segment) / 8),
            }
        }
        writer.flush();
        Some((string, new_bytes))
    }
}

/// Makes `string`, which is appended to, `bytes` bytes longer; returns the longer string and where the new bytes go.
/// Returns `None`, having changed nothing, unless the present block has room and all positions are whole bytes.
#[inline(always)]
unsafe fn append_in_place(
    heap: &mut layout::Heap,
    string: Term,
    bytes: u64,
    private: bool,
) -> Option<(Term, *mut u8)> {
    unsafe {
        let found = builder::writable(string)?;
        let size = found.used.checked_add(bytes)?;
        if bytes == 0 || size > found.capacity {
            return None;
        }
        let room = found.bytes.wrapping_add(found.used as usize);
        builder::extend(heap, found.whole, size);
        if private {
            builder::lengthen(string, size);
            return Some((string, room));
        }
        let part = heap.allocate((builder::SUB_BINARY_BYTES / 8) as usize);
        Some((builder::successor(string, found.whole, part, size), room))
    }
}

/// As [`append_in_place`], for a string of whole bytes whose block has no room or which has none of its own: usually it
/// is copied. Also returns the number of bytes that were.
#[inline(always)]
unsafe fn append_to_copy(
    heap: &mut layout::Heap,
    string: Term,
    bits: u64,
    private: bool,
) -> Option<(Term, *mut u8, u64)> {
    unsafe {
        if bits == 0 {
            return None;
        }
        let (old, size) = builder::bytes_of(string)?;
        let (longer, to) = if private {
            append::private_append(heap, string, bits, 8).ok()?
        } else {
            append::append(heap, string, bits, 8).ok()?
        };
        let room = to.byte_address();
        let copied = if room == old.wrapping_add(size as usize).cast_mut() {
            0
        } else {
            size
        };
        Some((longer, room, copied))
    }
}

/// A new string: the low `width` bits (1 to 64) of `value`.
#[inline(never)]
fn new_word(heap: &mut layout::Heap, value: u64, width: u64) -> Term {
    let bytes = (value << (64 - width)).to_be_bytes();
    let whole = build::binary(heap, &bytes[..width.div_ceil(8) as usize]);
    if width % 8 == 0 {
        return whole;
    }
    build::sub_bits(heap, whole, 0, width)
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
        (*c).abrupt.trace = map::from_pairs(
            heap,
            &[
                (am::CAUSE, cause),
                (am::FUNCTION, am::FORMAT_BS_FAIL),
                (am::MODULE, am::ERL_ERTS_ERRORS),
            ],
        );
    }
}
