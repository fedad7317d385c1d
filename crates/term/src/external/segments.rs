//! Encoded terms whose large binaries are not copied, as `term_to_iovec` returns them.

use layout::Term;
use layout::kinds::SharedBinary;
use layout::object::offset;

use super::encode::{EncodeBuffers, EncodeOptions, Encoder, SystemLimit};
use crate::build;
use crate::heap::Allocate;
use crate::off_heap::{self, BinaryBlock};

/// A part of an encoded term whose large binaries are not copied.
#[derive(Clone, Copy, Debug)]
pub enum Segment {
    /// These bytes of the encoder's buffer.
    Bytes { start: usize, end: usize },
    /// `size` bytes from `start` on of a shared binary.
    Shared {
        binary: Term,
        start: usize,
        size: usize,
    },
}

/// Encodes a term, version byte first, without copying large shared binaries. Returns the bytes, and how they and the
/// binaries make up the whole.
///
/// # Errors
/// [`SystemLimit`].
pub fn encode_segments(
    term: Term,
    options: &EncodeOptions,
) -> Result<(Vec<u8>, Vec<Segment>), SystemLimit> {
    let mut buffers = EncodeBuffers::new();
    let mut encoder = Encoder::segmented(term, &mut buffers);
    encoder.finish(options)?;
    Ok((encoder.bytes().to_vec(), encoder.segments()))
}

/// The list of binaries that [`encode_segments`] described; all are shared binaries.
pub fn segments_to_list<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: &[u8],
    segments: &[Segment],
) -> Term {
    let mut list = Term::NIL;
    for segment in segments.iter().rev() {
        let head = match *segment {
            Segment::Bytes { start, end } => shared_copy(heap, &bytes[start..end]),
            Segment::Shared {
                binary,
                start,
                size,
            } => shared_part(heap, binary, start, size),
        };
        list = build::cons(heap, head, list);
    }
    list
}

/// A copy as a shared binary, whatever its size: code that reads vectors of binaries relies on their bytes not moving.
fn shared_copy<A: Allocate + ?Sized>(heap: &mut A, bytes: &[u8]) -> Term {
    let block = BinaryBlock::new(bytes.len());
    // SAFETY: the block is fresh, has that many bytes, and its count goes to the object.
    unsafe {
        BinaryBlock::bytes(block).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        build::shared_binary(heap, block, bytes.len(), 0)
    }
}

fn shared_part<A: Allocate + ?Sized>(
    heap: &mut A,
    binary: Term,
    start: usize,
    size: usize,
) -> Term {
    let shared = SharedBinary::expect(binary);
    if start == 0 && size as u64 == shared.size() {
        return binary;
    }
    // SAFETY: a shared binary's block is live, and holds `start + size` bytes from the binary's
    // first on; the new object is counted before it is made.
    unsafe {
        let block = off_heap::block_of(shared.pointer());
        off_heap::retain(block);
        let part = build::shared_binary(heap, block.cast::<BinaryBlock>(), size, 0);
        let first = shared.bytes() as u64 + start as u64;
        part.word_pointer(offset::SHARED_BINARY_BYTES).write(first);
        part
    }
}
