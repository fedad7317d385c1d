//! I/O lists: bytes and binaries in nested lists, and flattening them to one binary.
//!
//! A [`Walk`] visits the pieces in order without native recursion. The part not visited yet is an I/O list again
//! ([`Walk::rest`]), so a BIF may stop anywhere, keep the rest on the heap, and continue later. Nothing here collects;
//! a walk holds terms, so it must end before the next safepoint.

use std::mem::MaybeUninit;
use std::slice;

use layout::limits::HEAP_BINARY_BYTES;
use layout::object::Bits;
use layout::{Term, no_gc};
use smallvec::SmallVec;

use crate::bits::construct::{self, Builder};
use crate::heap::Allocate;
use crate::integer::uint8;
use crate::off_heap::BinaryBlock;
use crate::release::{self, Release};
use crate::{ObjectKind, build};

/// Why a term is not an I/O list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IolistError {
    /// `badarg`: this element or tail is not allowed there.
    Bad(Term),
    /// `system_limit`: it would be too large.
    Limit,
}

/// One piece of an I/O list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    Byte(u8),
    /// A bit string; the caller decides whether it must consist of whole bytes.
    Bits(Term),
}

/// A position in an I/O list.
#[derive(Debug)]
pub struct Walk {
    current: Term,
    /// Tails to return to, the nearest last. They are never integers, so they are valid as elements too.
    pending: SmallVec<[Term; 8]>,
}

impl Walk {
    #[must_use]
    pub fn new(iolist: Term) -> Walk {
        Walk {
            current: iolist,
            pending: SmallVec::new(),
        }
    }

    /// Takes bytes from the front of the list at hand, as many as there is room for; returns their number. What is left
    /// may begin with a byte of another list.
    #[inline]
    pub fn bytes(&mut self, room: &mut [u8]) -> usize {
        let mut count = 0;
        while count < room.len()
            && let Some((head, tail)) = self.current.as_cons()
            && let Some(byte) = uint8(head)
        {
            room[count] = byte;
            count += 1;
            self.current = tail;
        }
        count
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// [`IolistError::Bad`].
    #[inline]
    pub fn next_piece(&mut self) -> Result<Option<Piece>, IolistError> {
        next_piece(&mut self.current, &mut self.pending)
    }

    /// What is left, as an I/O list.
    pub fn rest<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        if self.pending.is_empty() {
            return self.current;
        }
        let later = self
            .pending
            .iter()
            .fold(Term::NIL, |later, &tail| build::cons(heap, tail, later));
        match self.current.is_nil() {
            true => later,
            false => build::cons(heap, self.current, later),
        }
    }
}

/// [`Walk::next_piece`], for a caller that keeps the two fields apart, so that `current` can be in a register.
#[inline(always)]
fn next_piece(
    current: &mut Term,
    pending: &mut SmallVec<[Term; 8]>,
) -> Result<Option<Piece>, IolistError> {
    loop {
        while let Some((head, tail)) = current.as_cons() {
            *current = tail;
            if let Some(value) = head.as_small() {
                return match u8::try_from(value) {
                    Ok(byte) => Ok(Some(Piece::Byte(byte))),
                    Err(_) => Err(IolistError::Bad(head)),
                };
            }
            if head.is_bitstring() {
                return Ok(Some(Piece::Bits(head)));
            }
            if head.is_cons() {
                if tail.is_cons() || tail.is_bitstring() {
                    pending.push(tail);
                } else if !tail.is_nil() {
                    return Err(IolistError::Bad(tail));
                }
                *current = head;
            } else if !head.is_nil() {
                return Err(IolistError::Bad(head));
            }
        }
        let last = *current;
        if last.is_bitstring() {
            *current = Term::NIL;
            return Ok(Some(Piece::Bits(last)));
        }
        if !last.is_nil() {
            return Err(IolistError::Bad(last));
        }
        match pending.pop() {
            Some(next) => *current = next,
            None => return Ok(None),
        }
    }
}

/// The result of a step that may stop before the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Step {
    /// Everything is done; this number of bits was counted or written.
    Done(u64),
    /// The budget is used up: the number of bits so far, and the I/O list that is left.
    More(u64, Term),
}

/// Whether pieces must be whole bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Bytes,
    Bits,
}

fn bits_of(piece: Term, wanted: Wanted) -> Result<Bits, IolistError> {
    let bits = piece.as_bits().ok_or(IolistError::Bad(piece))?;
    if wanted == Wanted::Bytes && bits.bit_len() % 8 != 0 {
        return Err(IolistError::Bad(piece));
    }
    Ok(bits)
}

/// A bit string counts for so many pieces: it is elsewhere in memory, which costs more than the next byte of a list.
const PIECES_OF_STRING: usize = 16;

/// Counts the bits of up to `budget` pieces, and takes those from it.
///
/// # Errors
/// See [`IolistError`].
pub fn size_step<A: Allocate + ?Sized>(
    heap: &mut A,
    iolist: Term,
    wanted: Wanted,
    budget: &mut usize,
) -> Result<Step, IolistError> {
    let mut walk = Walk::new(iolist);
    let mut size = 0u64;
    while *budget > 0 {
        let (more, pieces) = match walk.next_piece()? {
            None => return Ok(Step::Done(size)),
            Some(Piece::Byte(_)) => (8, 1),
            Some(Piece::Bits(piece)) => (bits_of(piece, wanted)?.bit_len(), PIECES_OF_STRING),
        };
        size = size.checked_add(more).ok_or(IolistError::Limit)?;
        *budget = budget.saturating_sub(pieces);
    }
    Ok(Step::More(size, walk.rest(heap)))
}

/// A binary counts for one more piece for each time that it has this many bits, and is divided where the budget ends.
const BITS_PER_PIECE: u64 = 8 * 64;

/// Writes up to `budget` pieces through the builder, which has room for everything that [`size_step`] counted.
///
/// # Errors
/// See [`IolistError`].
///
/// # Safety
/// No safepoint since the builder was made.
pub unsafe fn write_step<A: Allocate + ?Sized>(
    heap: &mut A,
    builder: &mut Builder,
    iolist: Term,
    wanted: Wanted,
    mut budget: usize,
) -> Result<Step, IolistError> {
    let mut walk = Walk::new(iolist);
    let room = builder.room();
    while budget > 0 {
        // SAFETY: the caller's promise.
        let done = unsafe {
            match walk.next_piece()? {
                None => return Ok(Step::Done(room - builder.room())),
                Some(Piece::Byte(byte)) => builder.put_byte(byte),
                Some(Piece::Bits(piece)) => {
                    let length = bits_of(piece, wanted)?.bit_len();
                    let most = (budget as u64).saturating_mul(BITS_PER_PIECE);
                    if length > most {
                        let done = builder.put_binary(piece, most);
                        done.map_err(|_| IolistError::Limit)?;
                        let left = build::sub_bits(heap, piece, most, length - most);
                        let rest = walk.rest(heap);
                        let rest = build::cons(heap, left, rest);
                        return Ok(Step::More(room - builder.room(), rest));
                    }
                    let pieces = PIECES_OF_STRING - 1 + (length / BITS_PER_PIECE) as usize;
                    budget = budget.saturating_sub(pieces);
                    builder.put_binary(piece, length)
                }
            }
        };
        done.map_err(|_| IolistError::Limit)?;
        budget = budget.saturating_sub(1);
    }
    Ok(Step::More(room - builder.room(), walk.rest(heap)))
}

/// Bytes at the front of an I/O list that are written before its size is known.
const FRONT_BYTES: usize = 8192;

/// The bytes at the front of an I/O list, written in one pass, so that the pieces of most lists are visited once
/// instead of once for the size and once more.
pub struct Front {
    room: [MaybeUninit<u8>; FRONT_BYTES],
    size: usize,
}

impl Front {
    #[must_use]
    #[inline]
    pub fn new() -> Front {
        Front {
            room: [const { MaybeUninit::uninit() }; FRONT_BYTES],
            size: 0,
        }
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes were written.
        unsafe { slice::from_raw_parts(self.room.as_ptr().cast::<u8>(), self.size) }
    }

    /// Takes the pieces at the front, as far as there is room for them; returns the I/O list of the rest, or `[]` at
    /// the end. A piece that is not all whole bytes is left in the rest.
    ///
    /// # Errors
    /// See [`IolistError`].
    pub fn take<A: Allocate + ?Sized>(
        &mut self,
        heap: &mut A,
        iolist: Term,
    ) -> Result<Term, IolistError> {
        let Walk {
            mut current,
            mut pending,
        } = Walk::new(iolist);
        let mut size = self.size;
        let mut left = None;
        // An empty piece takes no room, so pieces are counted too.
        for _ in 0..FRONT_BYTES {
            match next_piece(&mut current, &mut pending)? {
                None => {
                    self.size = size;
                    return Ok(Term::NIL);
                }
                Some(Piece::Byte(byte)) => match self.room.get_mut(size) {
                    Some(place) => {
                        place.write(byte);
                        size += 1;
                    }
                    None => {
                        left = Some(Term::small(byte.into()));
                        break;
                    }
                },
                Some(Piece::Bits(piece)) => match copy_bytes(piece, &mut self.room[size..]) {
                    Some(count) => size += count,
                    None => {
                        left = Some(piece);
                        break;
                    }
                },
            }
        }
        self.size = size;
        let rest = Walk { current, pending }.rest(heap);
        Ok(match left {
            Some(left) => build::cons(heap, left, rest),
            None => rest,
        })
    }
}

/// Copies all of a bit string that starts and ends with a whole byte, if there is room for it; returns its size.
#[inline]
fn copy_bytes(piece: Term, room: &mut [MaybeUninit<u8>]) -> Option<usize> {
    let bits = piece.as_bits()?;
    let no_gc = no_gc!();
    let bytes = bits.as_bytes(no_gc)?;
    room.get_mut(..bytes.len())?.write_copy_of_slice(bytes);
    Some(bytes.len())
}

impl Default for Front {
    fn default() -> Front {
        Front::new()
    }
}

/// Number of bytes: `iolist_size/1`.
///
/// # Errors
/// See [`IolistError`].
pub fn size(iolist: Term) -> Result<u64, IolistError> {
    Ok(bit_size(iolist, Wanted::Bytes)? / 8)
}

fn bit_size(iolist: Term, wanted: Wanted) -> Result<u64, IolistError> {
    // With an unlimited budget there is no rest to allocate.
    let mut nowhere = crate::heap::empty();
    match size_step(&mut nowhere, iolist, wanted, &mut { usize::MAX })? {
        Step::Done(size) => Ok(size),
        Step::More(..) => Err(IolistError::Limit),
    }
}

/// `iolist_to_binary/1` at once. A binary is returned as it is, and so is a binary that is the only element of a list.
///
/// # Errors
/// See [`IolistError`].
pub fn to_binary<A: Allocate + ?Sized>(heap: &mut A, iolist: Term) -> Result<Term, IolistError> {
    if let Some(binary) = as_it_is(iolist, Wanted::Bytes)? {
        return Ok(binary);
    }
    flatten(heap, iolist, Wanted::Bytes)
}

/// `list_to_bitstring/1` at once.
///
/// # Errors
/// See [`IolistError`].
pub fn to_bitstring<A: Allocate + ?Sized>(heap: &mut A, list: Term) -> Result<Term, IolistError> {
    if let Some(string) = as_it_is(list, Wanted::Bits)? {
        return Ok(string);
    }
    flatten(heap, list, Wanted::Bits)
}

/// The result if no copy is needed: a bit string itself, or the only element of a list. As in OTP, a binary in a list
/// that does not start at a byte boundary is copied, so that the result is aligned.
///
/// # Errors
/// See [`IolistError`].
pub fn as_it_is(iolist: Term, wanted: Wanted) -> Result<Option<Term>, IolistError> {
    if iolist.is_bitstring() {
        bits_of(iolist, wanted)?;
        return Ok(Some(iolist));
    }
    match iolist.as_cons() {
        Some((only, Term::NIL)) if only.is_bitstring() => {
            let bits = bits_of(only, wanted)?;
            let aligned = wanted == Wanted::Bits || bits.bit_offset() == 0;
            Ok(aligned.then_some(only))
        }
        _ => Ok(None),
    }
}

fn flatten<A: Allocate + ?Sized>(
    heap: &mut A,
    iolist: Term,
    wanted: Wanted,
) -> Result<Term, IolistError> {
    let mut front = Front::new();
    let rest = front.take(heap, iolist)?;
    if rest.is_nil() {
        return Ok(build::binary(heap, front.bytes()));
    }
    let size = bit_size(rest, wanted)?
        .checked_add(front.bytes().len() as u64 * 8)
        .ok_or(IolistError::Limit)?;
    let (string, mut builder) = construct::start(heap, size).ok_or(IolistError::Limit)?;
    // SAFETY: the builder was just made.
    let step = unsafe {
        let put = builder.put_string(front.bytes().as_ptr(), front.bytes().len() as u64);
        put.map_err(|_| IolistError::Limit)?;
        write_step(heap, &mut builder, rest, wanted, usize::MAX)?
    };
    match step {
        Step::Done(_) => Ok(string),
        Step::More(..) => Err(IolistError::Limit),
    }
}

/// The bytes, copied out of the heap, if there are at most `limit`.
///
/// # Errors
/// See [`IolistError`].
pub fn to_vec(iolist: Term, limit: usize) -> Result<Vec<u8>, IolistError> {
    let size = usize::try_from(size(iolist)?).map_err(|_| IolistError::Limit)?;
    if size > limit {
        return Err(IolistError::Limit);
    }
    let mut bytes = Vec::with_capacity(size);
    let mut walk = Walk::new(iolist);
    while let Some(piece) = walk.next_piece()? {
        match piece {
            Piece::Byte(byte) => bytes.push(byte),
            Piece::Bits(piece) => extend(&mut bytes, bits_of(piece, Wanted::Bytes)?),
        }
    }
    Ok(bytes)
}

/// Appends the bytes of a bit string of whole bytes that may start at any bit.
fn extend(bytes: &mut Vec<u8>, bits: Bits) {
    if let Some(slice) = bits.as_bytes(no_gc!()) {
        bytes.extend_from_slice(slice);
        return;
    }
    for index in 0..bits.bit_len() / 8 {
        let position = u64::from(bits.bit_offset()) + index * 8;
        // SAFETY: the byte lies within the bit string.
        bytes.push(unsafe { crate::bits::range::load(bits.bytes(), position, 8) } as u8);
    }
}

/// Binaries shorter than this are joined with their neighbours.
const JOINED_BELOW: usize = HEAP_BINARY_BYTES * 4;
/// From this capacity on, joined bytes become a binary instead of growing further.
const JOINED_LIMIT: usize = JOINED_BELOW * 32;

/// From OTP 27 on binaries up to this length are joined, as many as follow each other, and longer ones never.
const LONGEST_JOINED: usize = HEAP_BINARY_BYTES * 8;

/// `iolist_to_iovec/1` at once: a list of binaries, none of them empty; short ones are joined as in OTP.
///
/// # Errors
/// See [`IolistError`].
pub fn to_iovec<A: Allocate + ?Sized>(heap: &mut A, iolist: Term) -> Result<Term, IolistError> {
    if iolist.is_bitstring() {
        let empty = bits_of(iolist, Wanted::Bytes)?.bit_len() == 0;
        return Ok(if empty {
            Term::NIL
        } else {
            build::cons(heap, iolist, Term::NIL)
        });
    }
    let mut join = Join::default();
    let mut walk = Walk::new(iolist);
    let mut run = Vec::new();
    loop {
        let piece = walk.next_piece()?;
        if let Some(Piece::Byte(byte)) = piece {
            run.push(byte);
            // A run ends with the list it is in.
            if walk
                .current
                .as_cons()
                .is_some_and(|(head, _)| head.is_small())
            {
                continue;
            }
        }
        if !run.is_empty() {
            join.grow(heap, run.len());
            join.bytes.append(&mut run);
        }
        match piece {
            None => break,
            Some(Piece::Byte(_)) => {}
            Some(Piece::Bits(binary)) => join.binary(heap, binary)?,
        }
    }
    join.close(heap);
    Ok(build::list(heap, &join.done))
}

#[derive(Default)]
struct Join {
    done: Vec<Term>,
    bytes: Vec<u8>,
    /// The size up to which the joined bytes may grow before they are reallocated or closed.
    capacity: usize,
}

impl Join {
    fn binary<A: Allocate + ?Sized>(
        &mut self,
        heap: &mut A,
        binary: Term,
    ) -> Result<(), IolistError> {
        let bits = bits_of(binary, Wanted::Bytes)?;
        let size = (bits.bit_len() / 8) as usize;
        if size == 0 {
            return Ok(());
        }
        if release::has(Release::OTP_27) {
            // One that does not begin with a byte has to be copied anyway.
            if size > LONGEST_JOINED && bits.bit_offset() == 0 {
                self.close(heap);
                self.done.push(binary);
            } else {
                extend(&mut self.bytes, bits);
            }
            return Ok(());
        }
        let small = size < JOINED_BELOW;
        if !small && (self.bytes.is_empty() || self.bytes.len() >= JOINED_BELOW) {
            self.close(heap);
            self.done.push(binary);
        } else if small || size + self.bytes.len() < JOINED_BELOW * 2 {
            self.grow(heap, size);
            extend(&mut self.bytes, bits);
        } else {
            // Take just enough for the joined bytes to become a binary of their own; the rest of this one is shared.
            let taken = JOINED_BELOW - self.bytes.len();
            self.grow(heap, taken);
            let start = bits.first(taken as u64 * 8);
            extend(&mut self.bytes, start);
            self.close(heap);
            let rest = (size - taken) as u64 * 8;
            self.done
                .push(build::sub_bits(heap, binary, taken as u64 * 8, rest));
        }
        Ok(())
    }

    fn grow<A: Allocate + ?Sized>(&mut self, heap: &mut A, extra: usize) {
        if release::has(Release::OTP_27) {
            return;
        }
        let needed = self.bytes.len() + extra;
        if self.capacity == 0 {
            self.capacity = needed.max(JOINED_BELOW);
        } else if needed > self.capacity {
            if self.capacity >= JOINED_LIMIT {
                self.close(heap);
                self.capacity = extra.max(JOINED_BELOW);
            } else {
                self.capacity = needed.max(self.capacity * 2);
            }
        }
    }

    /// Makes a binary of the joined bytes; a shared one, because such binaries are meant for output.
    fn close<A: Allocate + ?Sized>(&mut self, heap: &mut A) {
        self.capacity = 0;
        if self.bytes.is_empty() {
            return;
        }
        let block = BinaryBlock::new(self.bytes.len());
        // SAFETY: a fresh block of that size, counted once for the object.
        let binary = unsafe {
            let to = BinaryBlock::bytes(block);
            to.copy_from_nonoverlapping(self.bytes.as_ptr(), self.bytes.len());
            build::shared_binary(heap, block, self.bytes.len(), 0)
        };
        debug_assert!(binary.is_kind(ObjectKind::SharedBinary));
        self.bytes.clear();
        self.done.push(binary);
    }
}

#[cfg(test)]
mod tests;
