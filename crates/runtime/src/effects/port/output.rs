//! Data for a driver: an I/O list split into parts, without copying large binaries.
//!
//! It points into the heap of the sending process, or into a queued signal, and lives only during the call.

use std::io::IoSlice;

use layout::limits::HEAP_BINARY_BYTES;
use layout::{Heap, NoGc, Term};
use smallvec::SmallVec;
use term::build;
use term::iolist::{self, IolistError, Piece, Walk};
use term::release::{self, Release};

use term::byte_queue::ByteQueue;

/// Maximum number of bytes of one command to a port.
const MAX_COMMAND_BYTES: usize = 1 << 31;

/// Bytes that were copied out of an I/O list.
pub type Copied = SmallVec<[u8; 128]>;

/// See the module.
pub struct Output<'t> {
    /// The short pieces, one after the other.
    copied: Copied,
    parts: SmallVec<[Part<'t>; 4]>,
    size: usize,
    has_odd_bits: bool,
}

enum Part<'t> {
    Copied {
        start: usize,
        end: usize,
    },
    /// A binary, and its bytes.
    Shared(Term, &'t [u8]),
}

impl<'t> Output<'t> {
    /// Splits an I/O list into parts.
    ///
    /// # Errors
    /// If the term is not an I/O list, or too long.
    pub fn new(iolist: Term, no_gc: &'t NoGc) -> Result<Output<'t>, IolistError> {
        Output::take_apart(iolist, false, no_gc)
    }

    /// As [`Output::new`], but up to OTP 26 ignores bit strings shorter than a byte, as stock does when a command is
    /// executed at once. Drivers that take vectors refuse them: see [`Output::has_odd_bits`].
    ///
    /// # Errors
    /// As [`Output::new`].
    pub(crate) fn of_command(iolist: Term, no_gc: &'t NoGc) -> Result<Output<'t>, IolistError> {
        Output::take_apart(iolist, !release::has(Release::OTP_27), no_gc)
    }

    fn take_apart(
        iolist: Term,
        shorter_is_nothing: bool,
        no_gc: &'t NoGc,
    ) -> Result<Output<'t>, IolistError> {
        let mut output = Output {
            copied: SmallVec::new(),
            parts: SmallVec::new(),
            size: 0,
            has_odd_bits: false,
        };
        let mut walk = Walk::new(iolist);
        let mut start = 0;
        while let Some(piece) = walk.next_piece()? {
            let piece = match piece {
                Piece::Byte(byte) => {
                    output.copied.push(byte);
                    continue;
                }
                Piece::Bits(piece) => piece,
            };
            let bits = piece.as_bits();
            if shorter_is_nothing && bits.is_some_and(|bits| bits.bit_len() < 8) {
                output.has_odd_bits |= bits.is_some_and(|bits| bits.bit_len() > 0);
                continue;
            }
            match bits.and_then(|bits| bits.as_bytes(no_gc)) {
                Some(bytes) if bytes.len() > HEAP_BINARY_BYTES => {
                    output.end_copied(start);
                    start = output.copied.len();
                    output.parts.push(Part::Shared(piece, bytes));
                    output.size += bytes.len();
                }
                Some(bytes) => output.copied.extend_from_slice(bytes),
                // Begins within a byte, or is not a whole number of bytes.
                None => output
                    .copied
                    .extend_from_slice(&iolist::to_vec(piece, MAX_COMMAND_BYTES)?),
            }
            if output.size + output.copied.len() > MAX_COMMAND_BYTES {
                return Err(IolistError::Limit);
            }
        }
        output.end_copied(start);
        output.size += output.copied.len();
        Ok(output)
    }

    /// An output of plain bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Output<'t> {
        Output::of_copied(SmallVec::from_slice(bytes))
    }

    /// An output of what [`Output::into_copied`] returned.
    #[must_use]
    pub(crate) fn of_copied(copied: Copied) -> Output<'t> {
        let mut output = Output {
            size: copied.len(),
            copied,
            parts: SmallVec::new(),
            has_odd_bits: false,
        };
        output.end_copied(0);
        output
    }

    /// All bytes, or None if they are not all of the output: some are shared with the sender, or bits were left out.
    #[must_use]
    pub(crate) fn into_copied(self) -> Option<Copied> {
        (self.size == self.copied.len() && !self.has_odd_bits).then_some(self.copied)
    }

    /// Whether bit strings shorter than a byte were left out.
    #[must_use]
    pub fn has_odd_bits(&self) -> bool {
        self.has_odd_bits
    }

    fn end_copied(&mut self, start: usize) {
        let end = self.copied.len();
        if end > start {
            self.parts.push(Part::Copied { start, end });
        }
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bytes before `end`, if there are so many.
    #[must_use]
    pub fn first(&self, end: usize) -> Option<Copied> {
        let mut first = Copied::new();
        for part in self.parts() {
            let wanted = (end - first.len()).min(part.len());
            first.extend_from_slice(&part[..wanted]);
        }
        (first.len() == end).then_some(first)
    }

    /// The same without the first `skip` bytes.
    #[must_use]
    pub fn behind(&self, mut skip: usize) -> Output<'t> {
        let mut rest = Output {
            copied: Copied::new(),
            parts: SmallVec::new(),
            size: self.size.saturating_sub(skip),
            has_odd_bits: self.has_odd_bits,
        };
        for part in &self.parts {
            let bytes = self.bytes(part);
            let skipped = skip.min(bytes.len());
            skip -= skipped;
            match part {
                Part::Shared(term, bytes) if skipped == 0 => {
                    rest.parts.push(Part::Shared(*term, bytes));
                }
                _ => {
                    let start = rest.copied.len();
                    rest.copied.extend_from_slice(&bytes[skipped..]);
                    rest.end_copied(start);
                }
            }
        }
        rest
    }

    /// The parts in order; none is empty.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(|part| self.bytes(part))
    }

    /// The parts in order, each with the binary of the sender that it is, unless it was copied.
    pub fn shared_parts(&self) -> impl Iterator<Item = (&[u8], Option<Term>)> {
        self.parts.iter().map(|part| {
            let shared = match part {
                Part::Copied { .. } => None,
                Part::Shared(binary, _) => Some(*binary),
            };
            (self.bytes(part), shared)
        })
    }

    /// The parts as a list of binaries, those of the sender as they are.
    pub(super) fn as_list(&self, heap: &mut Heap) -> Term {
        let parts = self.shared_parts().map(|(bytes, shared)| match shared {
            Some(binary) => binary,
            None => build::binary(heap, bytes),
        });
        let parts: SmallVec<[Term; 8]> = parts.collect();
        build::list(heap, &parts)
    }

    /// The parts, for writing them in one call.
    #[must_use]
    pub fn slices(&self) -> SmallVec<[IoSlice<'_>; 8]> {
        self.parts().map(IoSlice::new).collect()
    }

    /// All bytes contiguously; borrowed if there is only one part.
    #[must_use]
    pub fn whole(&self) -> std::borrow::Cow<'_, [u8]> {
        match &self.parts[..] {
            [] => (&[][..]).into(),
            [part] => self.bytes(part).into(),
            _ => self.parts().collect::<Vec<_>>().concat().into(),
        }
    }

    /// Queues everything after the first `skip` bytes; large binaries are shared.
    pub fn queue_rest(&self, queue: &mut ByteQueue, mut skip: usize) {
        for part in &self.parts {
            let bytes = self.bytes(part);
            if skip >= bytes.len() {
                skip -= bytes.len();
                continue;
            }
            match part {
                Part::Shared(binary, _) => {
                    // Cannot fail: the binary was found to consist of whole bytes.
                    let _ = queue.push(*binary);
                    queue.skip_in_last(skip);
                }
                Part::Copied { .. } => queue.push_bytes(&bytes[skip..]),
            }
            skip = 0;
        }
    }

    fn bytes<'a>(&'a self, part: &Part<'a>) -> &'a [u8] {
        match part {
            Part::Copied { start, end } => &self.copied[*start..*end],
            Part::Shared(_, bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout::no_gc;
    use term::heap::Scratch;

    #[test]
    fn an_iolist_comes_apart_and_its_rest_is_queued() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let large: Vec<u8> = (0..200).collect();
        let binary = build::binary(heap, &large);
        let short = build::binary(heap, b"xy");
        let inner = build::list(heap, &[short, Term::small(65)]);
        let odd = build::sub_bits(heap, binary, 4, 16);
        let list = build::list_with_tail(heap, &[Term::small(66), inner, binary, odd], short);
        let no_gc = no_gc!();
        let output = Output::new(list, no_gc).unwrap();
        let all = [b"BxyA", &large[..], &[0x00, 0x10], b"xy"].concat();
        assert_eq!((output.size(), output.parts().count()), (208, 3));
        assert_eq!(&output.whole()[..], &all[..]);
        for skip in [0, 2, 4, 50, 204, 207, 208] {
            let mut queue = ByteQueue::default();
            queue.push_bytes(b"before");
            output.queue_rest(&mut queue, skip);
            let rest: Vec<u8> = queue.pieces().flatten().copied().collect();
            assert_eq!(rest, [b"before", &all[skip..]].concat(), "{skip}");
            assert_eq!(queue.size(), 6 + 208 - skip);
        }
        let bits = build::sub_bits(heap, binary, 0, 15);
        assert!(
            Output::new(bits, no_gc!()).is_err() && Output::of_command(bits, no_gc!()).is_err()
        );
        let few = build::sub_bits(heap, binary, 8, 7);
        let list = build::list_with_tail(heap, &[few, short], few);
        assert!(Output::new(list, no_gc!()).is_err());
        assert_eq!(
            &Output::of_command(list, no_gc!()).unwrap().whole()[..],
            b"xy"
        );
        assert!(Output::new(Term::small(1), no_gc!()).is_err());
        assert_eq!(Output::new(Term::NIL, no_gc!()).unwrap().size(), 0);
    }
}
