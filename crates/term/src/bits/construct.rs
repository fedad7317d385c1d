//! Building bit strings: `bs_create_bin`, and the instructions before it that build step by step.
//!
//! [`create`] computes the size of all segments, allocates the bit string, and writes the segments front to back. A
//! [`Builder`] is the position to write to; it knows its end, so that wrong sizes (old code computes them itself) end
//! in `badarg`. Nothing here collects; only the thread that owns the heap may call.

use layout::{Term, no_gc};

use crate::bits::append::{self, AppendError};
use crate::bits::{Fault, Flags, float, integer, is_all, range, utf};
use crate::heap::Allocate;
use crate::off_heap::BinaryBlock;
use crate::{am, build};
use layout::limits::HEAP_BINARY_BYTES;

/// Where the next bits go. It points into a bit string that the process holds: valid until the next safepoint.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Builder {
    bytes: *mut u8,
    /// The next bit, counted from the first of `bytes`.
    position: u64,
    /// One past the last bit that may be written.
    end: u64,
}

impl Builder {
    /// A builder without room.
    #[must_use]
    pub const fn empty() -> Builder {
        Builder {
            bytes: std::ptr::null_mut(),
            position: 0,
            end: 0,
        }
    }

    /// A builder for the bits from `position` to `end` of a whole binary, which nobody has seen yet.
    ///
    /// # Panics
    /// When `whole` is not a binary.
    #[must_use]
    pub fn over(whole: Term, position: u64, end: u64) -> Builder {
        let bits = whole.as_bits().expect("a whole binary has bits");
        debug_assert!(end <= bits.bit_len());
        Builder {
            bytes: bits.bytes().cast_mut(),
            position,
            end,
        }
    }

    /// The address of the next bit, which is the first of a byte.
    #[inline]
    #[must_use]
    pub fn byte_address(&self) -> *mut u8 {
        debug_assert!(self.position % 8 == 0);
        self.bytes.wrapping_add((self.position / 8) as usize)
    }

    /// Bits that may still be written.
    #[inline]
    #[must_use]
    pub const fn room(&self) -> u64 {
        self.end - self.position
    }

    /// Takes the next `width` bits; returns where they start.
    #[inline]
    fn take(&mut self, width: u64) -> Result<u64, Fault> {
        if width > self.room() {
            return Err(Fault::Size);
        }
        let start = self.position;
        self.position += width;
        Ok(start)
    }

    /// Writes an integer of `width` bits.
    ///
    /// # Errors
    /// A [`Fault`], as for all writers; then the binary must not be used.
    ///
    /// # Safety
    /// No safepoint since the builder was made; the same holds for all writers.
    #[inline]
    pub unsafe fn put_integer(
        &mut self,
        term: Term,
        width: u64,
        flags: Flags,
    ) -> Result<(), Fault> {
        let start = self.take(width)?;
        // SAFETY: `take` stays within the room.
        if unsafe { integer::put(self.bytes, start, width, term, flags) } {
            Ok(())
        } else {
            Err(Fault::Type)
        }
    }

    /// Writes a byte.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    #[inline]
    pub unsafe fn put_byte(&mut self, byte: u8) -> Result<(), Fault> {
        let start = self.take(8)?;
        // SAFETY: `take` stays within the room.
        unsafe {
            if start % 8 == 0 {
                *self.bytes.add((start / 8) as usize) = byte;
            } else {
                range::store(self.bytes, start, 8, byte.into());
            }
        }
        Ok(())
    }

    /// Writes a number as a float of `width` bits.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    pub unsafe fn put_float(&mut self, term: Term, width: u64, flags: Flags) -> Result<(), Fault> {
        float::encode(term, width)?;
        let start = self.take(width)?;
        // SAFETY: `take` stays within the room.
        unsafe { float::put(self.bytes, start, width, term, flags) }
    }

    /// Writes the first `width` bits of a bit string.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    pub unsafe fn put_binary(&mut self, term: Term, width: u64) -> Result<(), Fault> {
        let bits = bits_of(term).ok_or(Fault::Type)?;
        if bits.bit_len() < width {
            return Err(Fault::Short);
        }
        let start = self.take(width)?;
        // SAFETY: `take` stays within the room. The source has the bits, and does not overlap them: nobody has a
        // reference to the bits that are being built.
        unsafe {
            range::copy(
                bits.bytes(),
                bits.bit_offset().into(),
                self.bytes,
                start,
                width,
            )
        };
        Ok(())
    }

    /// Writes a whole bit string, whose size must be a multiple of `unit`.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    pub unsafe fn put_binary_all(&mut self, term: Term, unit: u32) -> Result<(), Fault> {
        let length = bits_of(term).ok_or(Fault::Type)?.bit_len();
        if unit > 1 && length % u64::from(unit) != 0 {
            return Err(Fault::Unit);
        }
        // SAFETY: the caller's promise.
        unsafe { self.put_binary(term, length) }
    }

    /// Writes `length` bytes.
    ///
    /// # Errors
    /// As [`Builder::put_integer`].
    ///
    /// # Safety
    /// As [`Builder::put_integer`]; `string` has that many bytes.
    pub unsafe fn put_string(&mut self, string: *const u8, length: u64) -> Result<(), Fault> {
        let width = length.checked_mul(8).ok_or(Fault::Size)?;
        let start = self.take(width)?;
        // SAFETY: `take` stays within the room; the string is in the code's own memory.
        unsafe { range::copy(string, 0, self.bytes, start, width) };
        Ok(())
    }

    /// Writes a character in UTF-8.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    pub unsafe fn put_utf8(&mut self, term: Term) -> Result<(), Fault> {
        let (value, width) = utf::encode_utf8(utf::character(term).ok_or(Fault::Type)?);
        // SAFETY: the caller's promise.
        unsafe { self.put_bits(value, width) }
    }

    /// Writes a character in UTF-16.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    pub unsafe fn put_utf16(&mut self, term: Term, flags: Flags) -> Result<(), Fault> {
        let character = utf::character(term).ok_or(Fault::Type)?;
        let (value, width) = utf::encode_utf16(character, flags);
        // SAFETY: the caller's promise.
        unsafe { self.put_bits(value, width) }
    }

    /// Writes a character in UTF-32.
    ///
    /// # Errors
    /// # Safety
    /// As [`Builder::put_integer`].
    pub unsafe fn put_utf32(&mut self, term: Term, flags: Flags) -> Result<(), Fault> {
        utf::character(term).ok_or(Fault::Type)?;
        // SAFETY: the caller's promise.
        unsafe { self.put_integer(term, 32, flags) }
    }

    unsafe fn put_bits(&mut self, value: u64, width: u32) -> Result<(), Fault> {
        let start = self.take(u64::from(width))?;
        // SAFETY: `take` stays within the room; the caller promises that there was no safepoint.
        unsafe { range::store(self.bytes, start, width, value) };
        Ok(())
    }
}

fn bits_of(term: Term) -> Option<layout::object::Bits> {
    if term.is_bitstring() {
        term.as_bits()
    } else {
        None
    }
}

/// A fresh bit string of `size` bits, and the builder to write them with. `None` when there is not enough memory.
pub fn start<A: Allocate + ?Sized>(heap: &mut A, size: u64) -> Option<(Term, Builder)> {
    let bytes = usize::try_from(size.div_ceil(8)).ok()?;
    let whole = if bytes <= HEAP_BINARY_BYTES {
        build::binary_uninit(heap, bytes).0
    } else {
        let block = BinaryBlock::try_new(bytes)?;
        // SAFETY: fresh, with that many bytes, to be written by the caller.
        unsafe { build::shared_binary(heap, block, bytes, 0) }
    };
    let builder = Builder::over(whole, 0, size);
    let string = if size % 8 == 0 {
        whole
    } else {
        build::sub_bits(heap, whole, 0, size)
    };
    Some((string, builder))
}

/// The type of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    /// The binary to append to; only the first segment can have this type.
    Append,
    /// As `Append`, for a binary that a comprehension fills.
    PrivateAppend,
    Binary,
    Float,
    Integer,
    String,
    Utf8,
    Utf16,
    Utf32,
}

impl SegmentKind {
    /// The segment's type, by its atom in the instruction.
    #[must_use]
    pub fn from_atom(atom: Term) -> Option<SegmentKind> {
        Some(match atom {
            am::APPEND => SegmentKind::Append,
            am::PRIVATE_APPEND => SegmentKind::PrivateAppend,
            am::BINARY => SegmentKind::Binary,
            am::FLOAT => SegmentKind::Float,
            am::INTEGER => SegmentKind::Integer,
            am::STRING => SegmentKind::String,
            am::UTF8 => SegmentKind::Utf8,
            am::UTF16 => SegmentKind::Utf16,
            am::UTF32 => SegmentKind::Utf32,
            _ => return None,
        })
    }

    /// The atom that `error_info` uses.
    #[must_use]
    pub const fn atom(self) -> Term {
        match self {
            SegmentKind::Float => am::FLOAT,
            SegmentKind::Integer => am::INTEGER,
            SegmentKind::Utf8 => am::UTF8,
            SegmentKind::Utf16 => am::UTF16,
            SegmentKind::Utf32 => am::UTF32,
            _ => am::BINARY,
        }
    }
}

/// One segment of `bs_create_bin`, with its operands fetched.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub kind: SegmentKind,
    /// The number of the segment in the source, from 1.
    pub number: u32,
    pub unit: u32,
    pub flags: Flags,
    /// The value; unused for a string.
    pub source: Term,
    /// The size, or `all`; for a string its length in bytes; unused for characters and for the binary that is appended
    /// to.
    pub size: Term,
    /// The bytes of a string.
    pub string: *const u8,
}

/// Why a bit string was not built, as reported in `error_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstructError {
    /// `system_limit` instead of `badarg`.
    pub limit: bool,
    pub segment: u32,
    pub kind: SegmentKind,
    pub fault: Fault,
    /// The value or size at fault.
    pub value: Term,
}

impl ConstructError {
    /// `{Segment, Type, Fault, Value}`: the `cause` in `error_info`, for `erl_erts_errors:format_bs_fail/2`.
    pub fn cause<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        build::tuple(
            heap,
            &[
                Term::small(i64::from(self.segment)),
                self.kind.atom(),
                self.fault.atom(),
                self.value,
            ],
        )
    }

    /// The reason of the exception.
    #[must_use]
    pub const fn reason(&self) -> Term {
        if self.limit {
            am::SYSTEM_LIMIT
        } else {
            am::BADARG
        }
    }
}

/// Builds a bit string from segments.
///
/// # Errors
/// See [`ConstructError`].
///
/// # Safety
/// Every string has as many bytes as its size says.
pub unsafe fn create<A: Allocate + ?Sized>(
    heap: &mut A,
    segments: &[Segment],
) -> Result<Term, ConstructError> {
    let mut size = 0u64;
    for segment in segments {
        let width = segment_width(segment)?;
        size = size
            .checked_add(width)
            .ok_or_else(|| failure(segment, Fault::Size, size_term(segment), true))?;
    }
    let (string, mut builder, rest) = match segments {
        [first, rest @ ..]
            if matches!(first.kind, SegmentKind::Append | SegmentKind::PrivateAppend) =>
        {
            let result = if first.kind == SegmentKind::Append {
                append::append(heap, first.source, size, first.unit)
            } else {
                append::private_append(heap, first.source, size, first.unit)
            };
            let (string, builder) = result.map_err(|error| match error {
                AppendError::Bad(fault) => failure(first, fault, first.source, false),
                AppendError::Limit => failure(first, Fault::Size, first.source, true),
            })?;
            (string, builder, rest)
        }
        _ => {
            let (string, builder) = start(heap, size).ok_or_else(|| no_memory(segments))?;
            (string, builder, segments)
        }
    };
    for segment in rest {
        // SAFETY: nothing collects between making the builder and here; the caller promises the strings.
        unsafe { write(&mut builder, segment) }?;
    }
    debug_assert_eq!(builder.room(), 0);
    Ok(string)
}

fn failure(segment: &Segment, fault: Fault, value: Term, limit: bool) -> ConstructError {
    ConstructError {
        limit,
        segment: segment.number,
        kind: segment.kind,
        fault,
        value,
    }
}

/// There is not enough memory for the whole bit string: the error names the largest segment.
#[cold]
fn no_memory(segments: &[Segment]) -> ConstructError {
    let greatest = segments
        .iter()
        .max_by_key(|segment| segment_width(segment).unwrap_or(0))
        .expect("a bit string without segments fits");
    failure(greatest, Fault::Size, size_term(greatest), true)
}

/// The size as an error shows it.
fn size_term(segment: &Segment) -> Term {
    if is_all(segment.size) {
        am::ALL
    } else {
        segment.size
    }
}

/// Size of a segment in bits, as far as it is known before the segment is written.
fn segment_width(segment: &Segment) -> Result<u64, ConstructError> {
    Ok(match segment.kind {
        SegmentKind::Append | SegmentKind::PrivateAppend => 0,
        SegmentKind::Binary if is_all(segment.size) => bits_of(segment.source)
            .ok_or_else(|| failure(segment, Fault::Type, segment.source, false))?
            .bit_len(),
        SegmentKind::Binary | SegmentKind::Float | SegmentKind::Integer => width(segment)?,
        SegmentKind::String => string_length(segment).saturating_mul(8),
        SegmentKind::Utf8 => utf::utf8_bits(segment.source),
        SegmentKind::Utf16 => utf::utf16_bits(segment.source),
        SegmentKind::Utf32 if utf::character(segment.source).is_some() => 32,
        SegmentKind::Utf32 => return Err(failure(segment, Fault::Type, segment.source, false)),
    })
}

fn string_length(segment: &Segment) -> u64 {
    let length = segment.size.as_small().map_or(0, |length| length.max(0));
    length as u64
}

/// Size times unit, which must fit a signed word, as in OTP.
fn width(segment: &Segment) -> Result<u64, ConstructError> {
    let limit = match segment.size.as_small() {
        Some(size @ 0..) => match size.checked_mul(i64::from(segment.unit)) {
            Some(width) => return Ok(width as u64),
            None => true,
        },
        Some(_) => false,
        None => segment.size.big_sign() == Some(false),
    };
    Err(failure(segment, Fault::Size, segment.size, limit))
}

/// # Safety
/// As the writers of [`Builder`]; a string has the bytes that its size says.
unsafe fn write(builder: &mut Builder, segment: &Segment) -> Result<(), ConstructError> {
    let source = segment.source;
    // SAFETY: the caller's promise.
    let done = unsafe {
        match segment.kind {
            SegmentKind::Append | SegmentKind::PrivateAppend => Err(Fault::Type),
            SegmentKind::Binary if is_all(segment.size) => {
                builder.put_binary_all(source, segment.unit)
            }
            SegmentKind::Binary => builder.put_binary(source, width(segment)?),
            SegmentKind::Float => builder.put_float(source, width(segment)?, segment.flags),
            SegmentKind::Integer => builder.put_integer(source, width(segment)?, segment.flags),
            SegmentKind::String => builder.put_string(segment.string, string_length(segment)),
            SegmentKind::Utf8 => builder.put_utf8(source),
            SegmentKind::Utf16 => builder.put_utf16(source, segment.flags),
            SegmentKind::Utf32 => builder.put_utf32(source, segment.flags),
        }
    };
    done.map_err(|fault| {
        // For a float of a wrong width, the error shows the width in bits.
        let value = match (fault, width(segment)) {
            (Fault::Invalid, Ok(width)) => Term::small(width as i64),
            _ => source,
        };
        failure(segment, fault, value, false)
    })
}

/// `Size1 + Size2 * Unit` for sizes of segments (`bs_add`).
///
/// # Errors
/// `true` for `system_limit`, `false` for `badarg`.
pub fn add_sizes<A: Allocate + ?Sized>(
    heap: &mut A,
    first: Term,
    second: Term,
    unit: u32,
) -> Result<Term, bool> {
    let not_negative = |term: Term| match term.as_small() {
        Some(value) => value >= 0,
        None => term.big_sign() == Some(false),
    };
    if !not_negative(first) || !not_negative(second) {
        return Err(false);
    }
    let sum = || {
        let first = u64::try_from(first.as_small()?).ok()?;
        let second = u64::try_from(second.as_small()?).ok()?;
        second.checked_mul(u64::from(unit))?.checked_add(first)
    };
    sum().map(|sum| build::unsigned(heap, sum)).ok_or(true)
}

/// A size operand of `bs_init2`, `bs_init_bits` or `bs_append`.
///
/// # Errors
/// `true` for `system_limit`, `false` for `badarg`.
pub fn start_size(size: Term) -> Result<u64, bool> {
    match (size.as_small(), size.as_big(no_gc!())) {
        (Some(size), _) => u64::try_from(size).map_err(|_| false),
        (None, Some((false, &[size]))) => Ok(size),
        (None, Some((false, _))) => Err(true),
        _ => Err(false),
    }
}
