//! The literal table (chunk `LitT`): terms in the external format, left undecoded.

use std::ops::Range;

use crate::container::{self, ChunkId};
use crate::reader::Reader;
use crate::{BeamError, ErrorKind};

/// The literals of a module. Each is the bytes of one external term (including the version byte 131).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literals {
    /// The whole table, uncompressed.
    table: Vec<u8>,
    entries: Vec<Range<usize>>,
    count: usize,
}

impl Literals {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// As many literals, without their bytes.
    pub(crate) fn count_only(&self) -> Literals {
        Literals {
            count: self.count,
            ..Literals::default()
        }
    }

    /// The bytes of one literal; the index in an operand is always valid for its own file.
    pub fn get(&self, index: u32) -> Option<&[u8]> {
        self.entries
            .get(index as usize)
            .map(|range| &self.table[range.clone()])
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.entries.iter().map(|range| &self.table[range.clone()])
    }

    /// The chunk consists of the size of the uncompressed table and the compressed table, or (in later releases) of
    /// zero and the uncompressed table.
    pub(crate) fn parse(data: &[u8]) -> Result<Literals, BeamError> {
        let mut reader = Reader::new(ChunkId::LITERALS, data);
        let size = reader.u32()? as usize;
        let rest = reader.bytes(reader.remaining())?;
        let table = if size == 0 {
            rest.to_vec()
        } else {
            container::inflate(flate2::read::ZlibDecoder::new(rest), rest.len(), size).ok_or(
                BeamError::new(ChunkId::LITERALS, 4, ErrorKind::BadCompression),
            )?
        };

        let mut reader = Reader::new(ChunkId::LITERALS, &table);
        let count = reader.count(4)?;
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let size = reader.u32()? as usize;
            let start = reader.offset();
            reader.bytes(size)?;
            entries.push(start..start + size);
        }
        Ok(Literals {
            table,
            entries,
            count,
        })
    }
}
