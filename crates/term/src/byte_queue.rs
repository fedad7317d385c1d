//! A queue of bytes for functions that work in steps: binaries in order, consumed from the front.
//!
//! Large binaries are shared, not copied. A queue is owned by an object whose lock serializes access; it holds no
//! pointer into a process's heap.

use std::collections::VecDeque;

use crate::copy::{self, Owned};
use crate::heap::Scratch;
use crate::{build, unicode};
use layout::{Heap, Term};

/// A queue of bytes; see the module.
#[derive(Default)]
pub struct ByteQueue {
    chunks: VecDeque<Chunk>,
    size: usize,
}

/// A binary whose first `taken` bytes were consumed.
struct Chunk {
    binary: Owned,
    taken: usize,
}

impl Chunk {
    fn bytes(&self) -> &[u8] {
        let whole = self
            .binary
            .term()
            .as_bits()
            .and_then(|bits| bits.as_bytes());
        &whole.expect("an aligned binary")[self.taken..]
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
        let bytes = unicode::bytes_of(binary)?;
        match bytes {
            std::borrow::Cow::Borrowed(bytes) => {
                self.push_owned(Owned::new(binary), bytes.len());
            }
            std::borrow::Cow::Owned(bytes) => self.push_bytes(&bytes),
        }
        Some(())
    }

    /// Adds a copy of the bytes at the back.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        let mut scratch = Scratch::new();
        let binary = build::binary(scratch.heap(), bytes);
        self.push_owned(Owned::new(binary), bytes.len());
    }

    fn push_owned(&mut self, binary: Owned, size: usize) {
        if size > 0 {
            self.chunks.push_back(Chunk { binary, taken: 0 });
            self.size += size;
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
        let whole = copy::copy(heap, chunk.binary.term());
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
        assert_eq!(first.as_bits().unwrap().as_bytes().unwrap(), &long[10..]);
        queue.skip(190);
        let mut last = [0; 2];
        queue.copy_to(&mut last);
        assert_eq!(last, [0x00, 0x10]);
        queue.skip(2);
        assert!(queue.first(scratch.heap()).is_none());
    }
}
