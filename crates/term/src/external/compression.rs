//! Terms compressed by zlib, as `term_to_binary(Term, [compressed])` makes them.

use std::io::Read as _;

use flate2::read::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::tags;

/// Compressed bytes between two questions whether to go on; they take a few milliseconds at most.
const BLOCK_BYTES: usize = 16 * 1024;

/// Compresses an encoded term (version byte first) at a level of 1 to 9; `None` if that would not make it shorter, or
/// if `go_on`, which is asked now and then, has returned false.
#[must_use]
pub fn compress(bytes: &[u8], level: u32, go_on: impl Fn() -> bool) -> Option<Vec<u8>> {
    const HEAD: usize = 6;
    let length = bytes.len().checked_sub(1)?;
    if length < HEAD - 1 {
        return None;
    }
    let length = u32::try_from(length).ok()?;
    let mut compressed = Vec::with_capacity(bytes.len() / 2);
    compressed.extend([tags::VERSION, tags::COMPRESSED]);
    compressed.extend(length.to_be_bytes());
    // Reading one byte more than is allowed shows that the result would be too long.
    let limit = bytes.len() as u64 + 1 - HEAD as u64;
    let mut stream = ZlibEncoder::new(&bytes[1..], Compression::new(level)).take(limit);
    loop {
        let written = (&mut stream)
            .take(BLOCK_BYTES as u64)
            .read_to_end(&mut compressed)
            .ok()?;
        if written < BLOCK_BYTES {
            return (stream.limit() > 0).then_some(compressed);
        }
        if !go_on() {
            return None;
        }
    }
}

/// Decompresses to what should be `length` bytes; returns these, and the number of compressed bytes that were used.
pub(super) fn inflate(bytes: &[u8], length: usize) -> Option<(Vec<u8>, usize)> {
    let mut inflated = Vec::new();
    let mut stream = Decompress::new(true);
    loop {
        // The buffer grows with the actual output, whatever length is claimed; one byte beyond `length` shows that the
        // stream is too long.
        let room = (length + 1 - inflated.len()).min(inflated.len().max(64 * 1024));
        inflated.reserve_exact(room);
        let (read, written) = (stream.total_in(), inflated.len());
        let rest = &bytes[read as usize..];
        let status = stream
            .decompress_vec(rest, &mut inflated, FlushDecompress::None)
            .ok()?;
        match status {
            Status::StreamEnd if inflated.len() == length => {
                return Some((inflated, stream.total_in() as usize));
            }
            Status::StreamEnd => return None,
            _ if inflated.len() > length => return None,
            _ if stream.total_in() == read && inflated.len() == written => return None,
            _ => {}
        }
    }
}
