//! Reads numbers, bytes and compact terms from a chunk, never past its end.
//!
//! A reader borrows one chunk and knows its name, so every error it returns contains the location. It allocates
//! nothing.
//!
//! A compact term is a byte with a tag in its low three bits, and a number in one of four forms:
//!
//! ```text
//! vvvv0ttt                    number v, below 16
//! vvv01ttt vvvvvvvv           number v, below 2048
//! nnn11ttt n+2 bytes          big-endian, n < 7; signed for integers
//! 11111ttt length, bytes      as above, of 9 + length bytes; length is a compact unsigned number
//! ```

use crate::{BeamError, ChunkId, ErrorKind};

pub(crate) struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    chunk: ChunkId,
}

/// The low three bits of a compact term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    Unsigned = 0,
    Integer = 1,
    Atom = 2,
    X = 3,
    Y = 4,
    Label = 5,
    Character = 6,
    Extended = 7,
}

/// The number of a compact term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number<'a> {
    /// Encoded in the first one or two bytes.
    Short(u16),
    /// Big-endian bytes, at least two.
    Bytes(&'a [u8]),
}

impl<'a> Reader<'a> {
    pub(crate) fn new(chunk: ChunkId, data: &'a [u8]) -> Reader<'a> {
        Reader { data, at: 0, chunk }
    }

    /// Bytes read so far.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Continues at `offset`, or at the end if `offset` is beyond it.
    pub(crate) fn skip_to(&mut self, offset: usize) {
        self.at = offset.min(self.data.len());
    }

    pub(crate) fn remaining(&self) -> usize {
        self.data.len() - self.at
    }

    /// An error at the next byte to be read.
    pub(crate) fn error(&self, kind: ErrorKind) -> BeamError {
        self.error_at(self.at, kind)
    }

    pub(crate) fn error_at(&self, offset: usize, kind: ErrorKind) -> BeamError {
        BeamError::new(self.chunk, offset, kind)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], BeamError> {
        if count > self.remaining() {
            return Err(self.error(ErrorKind::Truncated));
        }
        let bytes = &self.data[self.at..self.at + count];
        self.at += count;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BeamError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, BeamError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, BeamError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, BeamError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, BeamError> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// Reads the count of entries that take at least `size` bytes each. Returns an error if the chunk is too short
    /// for so many entries, which bounds the capacity of a vector for them by the file size.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, BeamError> {
        let offset = self.at;
        let count = self.u32()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.remaining() / size => Ok(count),
            _ => Err(self.error_at(offset, ErrorKind::BadCount(i64::from(count)))),
        }
    }

    /// Reads a number that must be below `limit`.
    pub(crate) fn index(&mut self, what: &'static str, limit: usize) -> Result<u32, BeamError> {
        let offset = self.at;
        let value = self.u32()?;
        if (value as usize) < limit {
            Ok(value)
        } else {
            let kind = ErrorKind::OutOfRange {
                what,
                value: value.into(),
                limit: limit as u64,
            };
            Err(self.error_at(offset, kind))
        }
    }

    /// Reads an arity, which is at most 255.
    pub(crate) fn arity(&mut self) -> Result<u8, BeamError> {
        self.index("arity", 256).map(|arity| arity as u8)
    }

    /// The compact term that comes `skipped` bytes further on, if its number is in the first one or two bytes, and how
    /// many these are. Nothing is read.
    #[inline]
    pub(crate) fn peek_short(&self, skipped: usize) -> Option<(Tag, u32, usize)> {
        match *self.data.get(self.at + skipped..)? {
            [first, ..] if first & 0x08 == 0 => {
                Some((Tag::from_bits(first), u32::from(first >> 4), 1))
            }
            [first, second, ..] if first & 0x10 == 0 => {
                let number = u32::from(first >> 5) << 8 | u32::from(second);
                Some((Tag::from_bits(first), number, 2))
            }
            _ => None,
        }
    }

    /// Goes on behind bytes that were looked at.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) {
        self.skip_to(self.at + count);
    }

    #[inline]
    pub(crate) fn compact(&mut self) -> Result<(Tag, Number<'a>), BeamError> {
        // Registers, labels nearby and most others fit in the byte of the tag.
        match self.data.get(self.at) {
            Some(&first) if first & 0x08 == 0 => {
                self.at += 1;
                let number = Number::Short(u16::from(first >> 4));
                Ok((Tag::from_bits(first), number))
            }
            _ => self.wide_compact(),
        }
    }

    /// As `compact`, for each of the forms.
    fn wide_compact(&mut self) -> Result<(Tag, Number<'a>), BeamError> {
        let first = self.u8()?;
        let tag = Tag::from_bits(first);
        let number = if first & 0x08 == 0 {
            Number::Short(u16::from(first >> 4))
        } else if first & 0x10 == 0 {
            Number::Short(u16::from(first >> 5) << 8 | u16::from(self.u8()?))
        } else {
            let count = match first >> 5 {
                7 => self.long_count()?,
                count => usize::from(count) + 2,
            };
            Number::Bytes(self.bytes(count)?)
        };
        Ok((tag, number))
    }

    /// Reads the length of a number of at least nine bytes. The length itself must not have this encoding: nesting
    /// would only serve to exhaust the stack.
    fn long_count(&mut self) -> Result<usize, BeamError> {
        let offset = self.at;
        let nested = self
            .data
            .get(offset)
            .is_some_and(|first| first & 0xf8 == 0xf8);
        if nested {
            return Err(self.error(ErrorKind::BadTag(0xf8)));
        }
        let (tag, number) = self.compact()?;
        let count = number.unsigned();
        match usize::try_from(count) {
            Ok(count) if tag == Tag::Unsigned && count < self.remaining() => Ok(count + 9),
            _ => Err(self.error_at(offset, ErrorKind::Truncated)),
        }
    }

    /// Reads a compact term that must be an unsigned number.
    pub(crate) fn unsigned(&mut self) -> Result<u64, BeamError> {
        let offset = self.at;
        match self.compact()? {
            (Tag::Unsigned, number) => Ok(number.unsigned()),
            (tag, _) => Err(self.error_at(offset, ErrorKind::BadTag(tag as u8))),
        }
    }
}

impl Tag {
    #[inline]
    pub(crate) fn from_bits(byte: u8) -> Tag {
        match byte & 7 {
            0 => Tag::Unsigned,
            1 => Tag::Integer,
            2 => Tag::Atom,
            3 => Tag::X,
            4 => Tag::Y,
            5 => Tag::Label,
            6 => Tag::Character,
            _ => Tag::Extended,
        }
    }
}

impl<'a> Number<'a> {
    /// The number as unsigned; if it does not fit, `u64::MAX`, which is out of range in every context.
    pub(crate) fn unsigned(self) -> u64 {
        match self {
            Number::Short(value) => value.into(),
            Number::Bytes(bytes) => {
                let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                match &bytes[zeros..] {
                    rest if rest.len() > 8 => u64::MAX,
                    rest => rest
                        .iter()
                        .fold(0, |value, &byte| value << 8 | u64::from(byte)),
                }
            }
        }
    }

    /// The number as signed; if it does not fit, its big-endian two's complement without redundant leading bytes.
    pub(crate) fn signed(self) -> Result<i64, &'a [u8]> {
        match self {
            Number::Short(value) => Ok(value.into()),
            Number::Bytes(mut bytes) => {
                while let [0x00, 0x00..=0x7f, ..] | [0xff, 0x80..=0xff, ..] = bytes {
                    bytes = &bytes[1..];
                }
                if bytes.len() > 8 {
                    return Err(bytes);
                }
                let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
                Ok(bytes
                    .iter()
                    .fold(sign, |value, &byte| value << 8 | i64::from(byte)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(data: &[u8]) -> Result<(Tag, Number<'_>), ErrorKind> {
        Reader::new(ChunkId::CODE, data)
            .compact()
            .map_err(|error| error.kind)
    }

    #[test]
    fn the_four_forms_of_numbers_are_read() {
        assert_eq!(compact(&[0xf1]), Ok((Tag::Integer, Number::Short(15))));
        assert_eq!(
            compact(&[0xe8, 0xff]),
            Ok((Tag::Unsigned, Number::Short(2047)))
        );
        assert_eq!(compact(&[0x1b, 1, 2]), Ok((Tag::X, Number::Bytes(&[1, 2]))));
        let nine = [0xf9, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(
            compact(&nine),
            Ok((Tag::Integer, Number::Bytes(&nine[2..])))
        );
    }

    #[test]
    fn early_ends_are_errors() {
        for data in [
            &[][..],
            &[0x08],
            &[0x18, 1],
            &[0xf8],
            &[0xf8, 0x00],
            &[0xf8, 0x00, 1],
        ] {
            assert_eq!(compact(data), Err(ErrorKind::Truncated), "{data:?}");
        }
    }

    #[test]
    fn nested_lengths_are_refused() {
        assert_eq!(compact(&[0xf8; 100_000]), Err(ErrorKind::BadTag(0xf8)));
    }

    #[test]
    fn signed_numbers_keep_their_sign() {
        for (bytes, expected) in [
            (&[0xff, 0xff][..], Ok(-1)),
            (&[0x80, 0x00], Ok(-32768)),
            (&[0x00, 0xff], Ok(255)),
            (
                &[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                Ok(i64::MAX),
            ),
            (&[0x80, 0, 0, 0, 0, 0, 0, 0], Ok(i64::MIN)),
            (&[0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], Ok(i64::MIN)),
            (
                &[0x00, 0x80, 0, 0, 0, 0, 0, 0, 0],
                Err(&[0x00, 0x80, 0, 0, 0, 0, 0, 0, 0][..]),
            ),
            (
                &[0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0],
                Err(&[0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0]),
            ),
        ] {
            assert_eq!(Number::Bytes(bytes).signed(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn unsigned_numbers_saturate() {
        assert_eq!(Number::Bytes(&[0xff, 0xff]).unsigned(), 0xffff);
        assert_eq!(
            Number::Bytes(&[0, 1, 0, 0, 0, 0, 0, 0, 0]).unsigned(),
            1 << 56
        );
        assert_eq!(
            Number::Bytes(&[1, 0, 0, 0, 0, 0, 0, 0, 0]).unsigned(),
            u64::MAX
        );
    }
}
