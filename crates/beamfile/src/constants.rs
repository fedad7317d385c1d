//! Tables of compact terms: those of native records and for debuggers. Every index is validated.

use crate::reader::{Number, Reader, Tag};
use crate::{Atoms, BeamError, ErrorKind};

/// A term that a table names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Nil,
    Atom(u32),
    /// Index into the literal table.
    Literal(u32),
    /// Big-endian two's complement.
    Integer(Vec<u8>),
}

/// The compact number that announces a list, and that of a literal.
const EXTENDED_LIST: Number<'static> = Number::Short(1);
const EXTENDED_LITERAL: Number<'static> = Number::Short(4);

/// A table that is being read, and what its indexes must be in.
pub(crate) struct Table<'a> {
    pub reader: Reader<'a>,
    pub atoms: &'a Atoms,
    /// The number of literals.
    pub literals: usize,
}

impl<'a> Table<'a> {
    pub(crate) fn atom(&mut self) -> Result<u32, BeamError> {
        let offset = self.reader.offset();
        match self.reader.compact()? {
            (Tag::Atom, number) if number.unsigned() > 0 => {
                self.index("atom", offset, number.unsigned() - 1, self.atoms.len())
            }
            (tag, _) => Err(self.bad_tag(offset, tag)),
        }
    }

    /// The number of elements of a list that begins here; each takes a byte at least.
    pub(crate) fn list(&mut self) -> Result<usize, BeamError> {
        let offset = self.reader.offset();
        let (tag, number) = self.reader.compact()?;
        if tag != Tag::Extended || number != EXTENDED_LIST {
            return Err(self.bad_tag(offset, tag));
        }
        let offset = self.reader.offset();
        let length = self.reader.unsigned()?;
        if length > self.reader.remaining() as u64 {
            return Err(self.bad_count(offset, length));
        }
        Ok(length as usize)
    }

    /// The constant that begins with a compact term, which has just been read at `offset`.
    pub(crate) fn constant(
        &mut self,
        offset: usize,
        (tag, number): (Tag, Number<'a>),
    ) -> Result<Constant, BeamError> {
        Ok(match (tag, number) {
            (Tag::Atom, number) => match number.unsigned() {
                0 => Constant::Nil,
                place => Constant::Atom(self.index("atom", offset, place - 1, self.atoms.len())?),
            },
            (Tag::Integer, number) => Constant::Integer(match number.signed() {
                Ok(value) => value.to_be_bytes().to_vec(),
                Err(bytes) => bytes.to_vec(),
            }),
            (Tag::Extended, EXTENDED_LITERAL) => {
                let literal = self.reader.unsigned()?;
                Constant::Literal(self.index("literal", offset, literal, self.literals)?)
            }
            _ => return Err(self.bad_tag(offset, tag)),
        })
    }

    pub(crate) fn index(
        &self,
        what: &'static str,
        offset: usize,
        value: u64,
        limit: usize,
    ) -> Result<u32, BeamError> {
        if value < limit as u64 {
            return Ok(value as u32);
        }
        let limit = limit as u64;
        let kind = ErrorKind::OutOfRange { what, value, limit };
        Err(self.reader.error_at(offset, kind))
    }

    pub(crate) fn bad_tag(&self, offset: usize, tag: Tag) -> BeamError {
        self.reader.error_at(offset, ErrorKind::BadTag(tag as u8))
    }

    pub(crate) fn bad_count(&self, offset: usize, count: u64) -> BeamError {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.reader.error_at(offset, ErrorKind::BadCount(count))
    }
}
