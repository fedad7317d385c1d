//! The container: an IFF form of type `BEAM`, possibly gzipped, with four-letter chunks padded to four bytes.
//!
//! If two chunks have the same name, the last one counts, as in OTP. The chunk functions only borrow the file.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::ops::Range;

use crate::{BeamError, ErrorKind};

/// No file or literal table is inflated beyond this many bytes, whatever size it claims.
pub const MAX_INFLATED_BYTES: usize = 1 << 29;
/// The highest compression ratio that Deflate can achieve.
const MAX_DEFLATE_RATIO: usize = 1032;

/// The four-letter name of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId(pub [u8; 4]);

impl ChunkId {
    /// Atoms in UTF-8; the first is the module's name.
    pub const ATOMS_UTF8: ChunkId = ChunkId(*b"AtU8");
    /// Atoms in Latin-1, used up to OTP 19.
    pub const ATOMS_LATIN1: ChunkId = ChunkId(*b"Atom");
    pub const CODE: ChunkId = ChunkId(*b"Code");
    pub const STRINGS: ChunkId = ChunkId(*b"StrT");
    pub const IMPORTS: ChunkId = ChunkId(*b"ImpT");
    pub const EXPORTS: ChunkId = ChunkId(*b"ExpT");
    pub const LAMBDAS: ChunkId = ChunkId(*b"FunT");
    pub const LITERALS: ChunkId = ChunkId(*b"LitT");
    pub const LINES: ChunkId = ChunkId(*b"Line");
    pub const LOCALS: ChunkId = ChunkId(*b"LocT");
    pub const TYPES: ChunkId = ChunkId(*b"Type");
    pub const META: ChunkId = ChunkId(*b"Meta");
    /// The module's attributes, as one external term.
    pub const ATTRIBUTES: ChunkId = ChunkId(*b"Attr");
    /// The result of `module_info(compile)`, as one external term.
    pub const COMPILE_INFO: ChunkId = ChunkId(*b"CInf");
    pub const ABSTRACT_CODE: ChunkId = ChunkId(*b"Abst");
    pub const DEBUG_INFO: ChunkId = ChunkId(*b"Dbgi");
    pub const DOCUMENTATION: ChunkId = ChunkId(*b"Docs");
    /// Where variables are at lines at which a debugger may stop (OTP 28).
    pub const DEBUGGER_LINES: ChunkId = ChunkId(*b"DbgB");
    /// Native records (OTP 29).
    pub const RECORDS: ChunkId = ChunkId(*b"Recs");
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkId({self})")
    }
}

/// A chunk: its name, and the range of its data in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub id: ChunkId,
    pub data: Range<usize>,
}

/// The chunks of an uncompressed file, in order.
///
/// Bytes after the form are ignored, as in OTP.
pub fn chunks(file: &[u8]) -> Result<Vec<Chunk>, BeamError> {
    const FORM_HEADER_BYTES: usize = 8;
    const CHUNK_HEADER_BYTES: usize = 8;
    let error = |offset, kind| BeamError {
        chunk: None,
        offset,
        kind,
    };

    let [b'F', b'O', b'R', b'1', _, _, _, _, form @ ..] = file else {
        return Err(error(0, ErrorKind::NotBeam));
    };
    let size = be32(&file[4..]);
    if size > form.len() {
        return Err(error(file.len(), ErrorKind::Truncated));
    }
    let end = FORM_HEADER_BYTES + size;
    if !form[..size].starts_with(b"BEAM") {
        return Err(error(FORM_HEADER_BYTES, ErrorKind::NotBeam));
    }

    let mut chunks = Vec::new();
    let mut at = FORM_HEADER_BYTES + 4;
    while at < end {
        if end - at < CHUNK_HEADER_BYTES {
            return Err(error(at, ErrorKind::Truncated));
        }
        let id = ChunkId([file[at], file[at + 1], file[at + 2], file[at + 3]]);
        let size = be32(&file[at + 4..]);
        let start = at + CHUNK_HEADER_BYTES;
        if size.next_multiple_of(4) > end - start {
            return Err(BeamError {
                chunk: Some(id),
                offset: end - start,
                kind: ErrorKind::Truncated,
            });
        }
        chunks.push(Chunk {
            id,
            data: start..start + size,
        });
        at = start + size.next_multiple_of(4);
    }
    Ok(chunks)
}

/// The data of one chunk of an uncompressed file, borrowed from `file`; `None` if there is no such chunk.
pub fn find_chunk(file: &[u8], id: ChunkId) -> Result<Option<&[u8]>, BeamError> {
    let chunks = chunks(file)?;
    Ok(chunks
        .into_iter()
        .rfind(|chunk| chunk.id == id)
        .map(|chunk| &file[chunk.data]))
}

fn be32(bytes: &[u8]) -> usize {
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
}

/// The file itself, inflated if it was gzipped.
pub(crate) fn plain(file: &[u8]) -> Result<Cow<'_, [u8]>, BeamError> {
    if file.starts_with(&[0x1f, 0x8b]) {
        inflate(
            flate2::read::MultiGzDecoder::new(file),
            file.len(),
            MAX_INFLATED_BYTES,
        )
        .map(Cow::Owned)
        .ok_or(BeamError {
            chunk: None,
            offset: 0,
            kind: ErrorKind::BadCompression,
        })
    } else {
        Ok(Cow::Borrowed(file))
    }
}

/// The whole output of `decoder`; `None` if it exceeds `limit`, or the size that `compressed` bytes can expand to.
pub(crate) fn inflate(decoder: impl Read, compressed: usize, limit: usize) -> Option<Vec<u8>> {
    let limit = limit
        .min(MAX_INFLATED_BYTES)
        .min(compressed.saturating_mul(MAX_DEFLATE_RATIO));
    let mut inflated = Vec::new();
    decoder
        .take(limit as u64 + 1)
        .read_to_end(&mut inflated)
        .ok()?;
    (inflated.len() <= limit).then_some(inflated)
}
