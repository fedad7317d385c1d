//! A queue of bytes for functions that work in steps, and for output that waits: pieces in order, consumed from the
//! front.
//!
//! Large binaries are shared, not copied; short runs of bytes are put together. A queue is owned by an object whose
//! lock serializes access; it holds no pointer into a process's heap.

use std::collections::VecDeque;

use crate::copy::{self, Owned};
use crate::heap::Scratch;
use crate::{build, unicode};
use layout::{Heap, Term, no_gc};

/// A queue of bytes; see the module.
#[derive(Default)]
pub struct ByteQueue {
    chunks: VecDeque<Chunk>,
    size: usize,
}

/// Bytes of which the first `taken` were consumed.
struct Chunk {
    source: Source,
    taken: usize,
}

enum Source {
    Shared(Owned),
    Copied(Vec<u8>),
}

/// Bytes are appended to a chunk of copied bytes up to this size.
const CHUNK_BYTES: usize = 32 << 10;

/// Copied bytes that are fewer are put together with others when they move.
const MOVED_BYTES: usize = 1 << 10;

impl Chunk {
    fn bytes(&self) -> &[u8] {
        let whole = match &self.source {
            Source::Copied(bytes) => bytes,
            Source::Shared(binary) => {
                let bits = binary.term().as_bits();
                bits.and_then(|bits| bits.as_bytes(binary.no_gc()))
                    .expect("an aligned binary")
            }
        };
        &whole[self.taken..]
    }

    /// Takes bytes from the front; there are more than `count`.
    fn split(&mut self, count: usize) -> Chunk {
        let source = match &self.source {
            Source::Copied(bytes) => Source::Copied(bytes[self.taken..][..count].to_vec()),
            Source::Shared(binary) => {
                let mut scratch = Scratch::new();
                let (start, length) = (self.taken as u64 * 8, count as u64 * 8);
                let part = build::sub_bits(scratch.heap(), binary.term(), start, length);
                Source::Shared(Owned::new(part))
            }
        };
        self.taken += count;
        Chunk { source, taken: 0 }
    }
}

impl ByteQueue {
    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds a binary at the back; `None` if the term is not a binary.
    #[must_use]
    pub fn push(&mut self, binary: Term) -> Option<()> {
        let no_gc = no_gc!();
        let bytes = unicode::bytes_of(binary, no_gc)?;
        match bytes {
            std::borrow::Cow::Borrowed(bytes) => {
                self.push_chunk(Source::Shared(Owned::new(binary)), bytes.len());
            }
            std::borrow::Cow::Owned(bytes) => self.push_bytes(&bytes),
        }
        Some(())
    }

    /// Adds a copy of the bytes at the back.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        if let Some(Chunk {
            source: Source::Copied(last),
            ..
        }) = self.chunks.back_mut()
            && last.len() + bytes.len() <= CHUNK_BYTES
        {
            last.extend_from_slice(bytes);
            self.size += bytes.len();
            return;
        }
        self.push_chunk(Source::Copied(bytes.to_vec()), bytes.len());
    }

    fn push_chunk(&mut self, source: Source, size: usize) {
        if size > 0 {
            self.chunks.push_back(Chunk { source, taken: 0 });
            self.size += size;
        }
    }

    /// Moves at least `count` bytes, or all if there are fewer, from the front to the back of another queue. No chunk
    /// is divided.
    pub fn move_chunks(&mut self, to: &mut ByteQueue, count: usize) {
        let mut moved = 0;
        while moved < count
            && let Some(chunk) = self.chunks.pop_front()
        {
            moved += chunk.bytes().len();
            to.chunks.push_back(chunk);
        }
        self.size -= moved;
        to.size += moved;
    }

    /// Moves exactly `count` bytes from the front to the back of another queue; there must be at least as many.
    pub fn move_bytes(&mut self, to: &mut ByteQueue, mut count: usize) {
        while count > 0 {
            let chunk = self.chunks.front_mut().expect("its size was counted");
            let length = chunk.bytes().len();
            let moved = match length <= count {
                true => self.chunks.pop_front().expect("the front"),
                false => chunk.split(count),
            };
            let length = length.min(count);
            count -= length;
            self.size -= length;
            match &moved.source {
                Source::Copied(_) if length < MOVED_BYTES => to.push_bytes(moved.bytes()),
                _ => {
                    to.chunks.push_back(moved);
                    to.size += length;
                }
            }
        }
    }

    /// The bytes in order, chunk by chunk; none is empty.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.chunks.iter().map(Chunk::bytes)
    }

    /// The first chunk as a binary.
    #[must_use]
    pub fn first(&self, heap: &mut Heap) -> Option<Term> {
        let chunk = self.chunks.front()?;
        let Source::Shared(binary) = &chunk.source else {
            return Some(build::binary(heap, chunk.bytes()));
        };
        let whole = copy::copy(heap, binary.term());
        if chunk.taken == 0 {
            return Some(whole);
        }
        let rest = chunk.bytes().len() as u64;
        Some(build::sub_bits(
            heap,
            whole,
            chunk.taken as u64 * 8,
            rest * 8,
        ))
    }

    /// Copies bytes from the front to fill `room`; panics if there are fewer.
    pub fn copy_to(&self, mut room: &mut [u8]) {
        for piece in self.pieces() {
            if room.is_empty() {
                return;
            }
            let count = piece.len().min(room.len());
            let (now, later) = room.split_at_mut(count);
            now.copy_from_slice(&piece[..count]);
            room = later;
        }
        assert!(room.is_empty(), "{} bytes too few", room.len());
    }

    /// Drops bytes from the front of the chunk that was pushed last, which must have more than `count`.
    pub fn skip_in_last(&mut self, count: usize) {
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.taken += count;
            self.size -= count;
        }
    }

    /// Drops bytes from the front; there must be at least `count`.
    pub fn skip(&mut self, mut count: usize) {
        self.size -= count;
        while count > 0 {
            let chunk = self.chunks.front_mut().expect("its size was counted");
            let length = chunk.bytes().len();
            if count < length {
                chunk.taken += count;
                return;
            }
            count -= length;
            self.chunks.pop_front();
        }
    }

    pub fn clear(&mut self) {
        self.chunks.clear();
        self.size = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_in_order() {
        let mut scratch = Scratch::new();
        let mut queue = ByteQueue::default();
        let long: Vec<u8> = (0..200).collect();
        let long_binary = build::binary(scratch.heap(), &long);
        let unaligned = build::sub_bits(scratch.heap(), long_binary, 4, 16);
        queue.push_bytes(b"");
        queue.push_bytes(b"abc");
        queue.push(long_binary).unwrap();
        queue.push(unaligned).unwrap();
        assert!(queue.push(Term::small(1)).is_none());
        assert_eq!((queue.size(), queue.pieces().count()), (205, 3));
        let mut five = [0; 5];
        queue.copy_to(&mut five);
        assert_eq!(&five, b"abc\0\x01");
        queue.skip(13);
        assert_eq!(queue.size(), 192);
        let first = queue.first(scratch.heap()).unwrap();
        assert_eq!(
            first.as_bits().unwrap().as_bytes(no_gc!()).unwrap(),
            &long[10..]
        );
        queue.skip(190);
        let mut last = [0; 2];
        queue.copy_to(&mut last);
        assert_eq!(last, [0x00, 0x10]);
        queue.skip(2);
        assert!(queue.first(scratch.heap()).is_none());
    }

    #[test]
    fn bytes_move_from_queue_to_queue() {
        let mut scratch = Scratch::new();
        let long: Vec<u8> = (0..=255).collect();
        let long_binary = build::binary(scratch.heap(), &long);
        let filled = || {
            let mut queue = ByteQueue::default();
            queue.push_bytes(b"ab");
            queue.push_bytes(b"cd");
            queue.push(long_binary).unwrap();
            queue.push_bytes(b"ef");
            queue.skip(1);
            queue
        };
        let all: Vec<u8> = filled().pieces().flatten().copied().collect();
        for count in 0..=all.len() {
            let (mut from, mut to) = (filled(), ByteQueue::default());
            to.push_bytes(b"x");
            from.move_bytes(&mut to, count);
            assert_eq!((from.size(), to.size()), (all.len() - count, count + 1));
            from.move_chunks(&mut to, 1);
            from.move_chunks(&mut to, usize::MAX);
            assert_eq!((from.size(), to.size()), (0, all.len() + 1));
            let moved: Vec<u8> = to.pieces().flatten().copied().collect();
            assert_eq!(moved, [b"x", &all[..]].concat());
        }
    }
}
