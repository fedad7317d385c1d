//! Growing a binary in place, so that building it piece by piece takes time proportional to its size.
//!
//! A *writable* binary is a shared binary whose block has room behind its bytes. Exactly one sub-binary of it, the one
//! that ends where its bytes end, has the writable bit. Appending to that sub-binary writes behind the end, clears its
//! bit, and returns a longer sub-binary that has the bit. Whoever holds an older, shorter sub-binary, or another object
//! with the same block, notices nothing: the bytes before the end do not change.
//!
//! When the room is used up, the block is reallocated with twice the size if nothing else points into it: it is counted
//! once (no other process, no port) and not pinned (no match context). Otherwise the bytes are copied to a new block
//! with a new object. Because sizes double, the total copying stays proportional to the size.
//!
//! Only the thread that runs the process may call.

use std::sync::atomic::Ordering;

use layout::kinds::{SharedBinary, SubBinary};
use layout::object::{SUB_BINARY_WRITABLE, binary_flag, offset};
use layout::{Header, ObjectKind, Term};
use sys::memory::budget;

use crate::bits::construct::Builder;
use crate::bits::{Fault, range};
use crate::build;
use crate::heap::Allocate;
use crate::off_heap::{self, BinaryBlock};

/// Minimum capacity of a block that is made for appending; as OTP.
const LEAST_CAPACITY: usize = 256;
/// Past this size a block grows by a fifth at most instead of doubling; as OTP.
const DOUBLING_LIMIT: usize = 1 << 24;
/// Initial capacity of a binary that a comprehension fills, if its size is not known; as OTP.
const DEFAULT_ROOM: usize = 1024;

const NEW_FLAGS: u64 = binary_flag::WRITABLE | binary_flag::ACTIVE;

/// Why nothing was appended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AppendError {
    /// `badarg`, and what is wrong with the binary: its type or unit.
    Bad(Fault),
    /// `system_limit`: there is not enough memory.
    Limit,
}

/// Extends `string` by `size` bits, which must be written through the builder before the next safepoint. The number of
/// bits of `string` must be a multiple of `unit`.
///
/// # Errors
/// See [`AppendError`].
pub fn append<A: Allocate + ?Sized>(
    heap: &mut A,
    string: Term,
    size: u64,
    unit: u32,
) -> Result<(Term, Builder), AppendError> {
    if !string.is_bitstring() {
        return Err(AppendError::Bad(Fault::Type));
    }
    let bits = string.as_bits().expect("a bit string has bits");
    if unit > 1 && bits.bit_len() % u64::from(unit) != 0 {
        return Err(AppendError::Bad(Fault::Unit));
    }
    if size == 0 {
        return Ok((string, Builder::empty()));
    }
    let end = bits.bit_len().checked_add(size).ok_or(AppendError::Limit)?;
    // The number of bits is a `u64`; no block can get near that size.
    let bytes = usize::try_from(end.div_ceil(8)).map_err(|_| AppendError::Limit)?;
    let whole = match writable_whole(string) {
        Some((part, whole)) if extend(heap, whole, bits.bit_len(), bytes) => {
            // SAFETY: a word of a sub-binary; nobody else may append to it now.
            unsafe { *part.word_pointer(offset::SUB_BINARY_BITS) &= !SUB_BINARY_WRITABLE };
            whole.term()
        }
        _ => {
            let block = new_block(bytes, grown(bytes).max(LEAST_CAPACITY))?;
            // SAFETY: a fresh block with room for the bits and more.
            unsafe {
                let to = BinaryBlock::bytes(block);
                range::copy(
                    bits.bytes(),
                    bits.bit_offset().into(),
                    to,
                    0,
                    bits.bit_len(),
                );
                build::shared_binary(heap, block, bytes, NEW_FLAGS)
            }
        }
    };
    let longer = writable_part(heap, whole, end);
    Ok((longer, Builder::over(whole, bits.bit_len(), end)))
}

/// As [`append`], for a `string` that only the appending code knows, so that it can be changed itself. This holds for
/// the result of [`init_writable`] until the comprehension is done.
///
/// # Errors
/// See [`AppendError`].
pub fn private_append<A: Allocate + ?Sized>(
    heap: &mut A,
    string: Term,
    size: u64,
    unit: u32,
) -> Result<(Term, Builder), AppendError> {
    let Some((part, whole)) = writable_whole(string) else {
        return append(heap, string, size, unit);
    };
    let start = string.as_bits().expect("a bit string has bits").bit_len();
    let end = start.checked_add(size).ok_or(AppendError::Limit)?;
    let bytes = usize::try_from(end.div_ceil(8)).map_err(|_| AppendError::Limit)?;
    if !extend(heap, whole, start, bytes) {
        return append(heap, string, size, unit);
    }
    // SAFETY: the words of a sub-binary, which starts at bit 0 of the whole.
    unsafe {
        *part.word_pointer(offset::SUB_BINARY_SIZE) = end / 8;
        *part.word_pointer(offset::SUB_BINARY_BITS) = end % 8 | SUB_BINARY_WRITABLE;
    }
    Ok((string, Builder::over(whole.term(), start, end)))
}

/// Appends the low `width` (1 to 64) bits of `value` in place; `private` as for [`private_append`]. `None`, having
/// changed nothing, if `string` must be copied.
#[inline]
pub fn append_word<A: Allocate + ?Sized>(
    heap: &mut A,
    string: Term,
    value: u64,
    width: u32,
    private: bool,
) -> Option<Term> {
    let (part, whole) = writable_whole(string)?;
    let start = part.size() * 8 + (part.bits() & 0xff);
    let end = start + u64::from(width);
    if !extend(heap, whole, start, end.div_ceil(8) as usize) {
        return None;
    }
    let bytes = whole.bytes();
    let (first, offset_in_byte) = ((start / 8) as usize, (start % 8) as u32);
    // SAFETY: `extend` made room up to `end`. The sub-binary starts at bit 0 of the whole; nobody else may append to it
    // now.
    unsafe {
        if offset_in_byte + width <= 64 && first + 8 <= (*block_of(whole)).capacity {
            // Eight bytes at once: what is behind the string is nobody's.
            let first = bytes.add(first);
            let kept = match offset_in_byte {
                0 => 0,
                bits => u64::from(*first & !(0xff >> bits)) << 56,
            };
            let word = value << (64 - width) >> offset_in_byte | kept;
            first.cast::<u64>().write_unaligned(word.to_be());
        } else {
            range::store(bytes, start, width, value);
        }
        if private {
            *part.word_pointer(offset::SUB_BINARY_SIZE) = end / 8;
            *part.word_pointer(offset::SUB_BINARY_BITS) = end % 8 | SUB_BINARY_WRITABLE;
            return Some(string);
        }
        *part.word_pointer(offset::SUB_BINARY_BITS) &= !SUB_BINARY_WRITABLE;
    }
    Some(writable_part(heap, whole.term(), end))
}

/// An empty binary to append to, with room for `size` bytes if that is a valid size (`bs_init_writable`).
pub fn init_writable<A: Allocate + ?Sized>(heap: &mut A, size: Term) -> Term {
    let wanted = size.as_small().and_then(|size| usize::try_from(size).ok());
    let wanted = wanted.unwrap_or(DEFAULT_ROOM);
    // The size is only a hint: if there is not enough memory, start small.
    let block = new_block(0, wanted).or_else(|_| new_block(0, DEFAULT_ROOM));
    let block = block.unwrap_or_else(|_| BinaryBlock::new(DEFAULT_ROOM));
    // SAFETY: a fresh block, counted once for the object.
    let whole = unsafe { build::shared_binary(heap, block, 0, NEW_FLAGS) };
    writable_part(heap, whole, 0)
}

/// Prevents the bytes of a binary from moving, because a match context points to them.
pub fn pin(whole: Term) {
    if let Some(whole) = SharedBinary::of(whole)
        && is_writable(whole)
    {
        // SAFETY: the flags word of a shared binary.
        unsafe { *whole.word_pointer(offset::SHARED_BINARY_FLAGS) |= binary_flag::PINNED };
    }
}

/// For the collector: records that a live match context points to the bytes of this shared binary.
pub fn hold(whole: Term) {
    if let Some(whole) = SharedBinary::of(whole)
        && is_writable(whole)
    {
        // SAFETY: the flags word of a shared binary.
        unsafe { *whole.word_pointer(offset::SHARED_BINARY_FLAGS) |= binary_flag::HELD };
    }
}

/// For the collector, which calls it for every shared binary that stays in a process's lists: frees the unused room of
/// a writable binary to which nothing was appended since the last collection.
pub fn after_collection(whole: Term) {
    let Some(whole) = SharedBinary::of(whole).filter(|whole| is_writable(*whole)) else {
        return;
    };
    let flags = whole.flags();
    let held = flags & binary_flag::HELD != 0;
    let size = whole.size() as usize;
    let block = block_of(whole);
    // SAFETY: the object holds a count of its block; the words are those of a shared binary. A live match context would
    // have set `HELD`, so nothing else of this process points into a block that is resized.
    unsafe {
        *whole.word_pointer(offset::SHARED_BINARY_FLAGS) =
            binary_flag::WRITABLE | if held { binary_flag::PINNED } else { 0 };
        if flags & binary_flag::ACTIVE == 0
            && !held
            && off_heap::references(block.cast()) == 1
            && (*block).capacity >= size + 8
            && let Some(block) = BinaryBlock::try_resize(block, size.max(1))
        {
            set_block(whole, block);
        }
    }
}

#[inline]
fn is_writable(whole: SharedBinary) -> bool {
    whole.flags() & binary_flag::WRITABLE != 0
}

/// A bit string that may be appended to in place: the sub-binary, and the shared binary it starts with.
#[inline]
fn writable_whole(string: Term) -> Option<(SubBinary, SharedBinary)> {
    let part = SubBinary::of(string)?;
    if part.bits() & SUB_BINARY_WRITABLE == 0 {
        return None;
    }
    let whole = SharedBinary::of(part.whole())?;
    let starts_with_it = part.byte_offset() == 0 && part.bits() & 0xff00 == 0;
    (is_writable(whole) && starts_with_it).then_some((part, whole))
}

#[inline]
fn block_of(whole: SharedBinary) -> *mut BinaryBlock {
    whole.block().cast()
}

/// # Safety
/// `block` is the block of `whole`, perhaps at a new address.
unsafe fn set_block(whole: SharedBinary, block: *mut BinaryBlock) {
    // SAFETY: the words of a shared binary.
    unsafe {
        *whole.word_pointer(offset::OFF_HEAP_BLOCK) = block as u64;
        *whole.word_pointer(offset::SHARED_BINARY_BYTES) = BinaryBlock::bytes(block) as u64;
    }
}

/// Extends a writable binary, whose bits end at `end_bits`, to `size` bytes; false if it must be copied instead.
#[inline]
fn extend<A: Allocate + ?Sized>(
    heap: &mut A,
    whole: SharedBinary,
    end_bits: u64,
    size: usize,
) -> bool {
    let block = block_of(whole);
    let old_size = whole.size() as usize;
    // SAFETY: the object holds a count of its block.
    let (alone, capacity) = unsafe { (off_heap::references(block.cast()) == 1, (*block).capacity) };
    if end_bits.div_ceil(8) != old_size as u64 {
        // The sub-binary does not end where the bytes end. No operation makes such a one with the writable bit, but if
        // one existed, appending to it would overwrite bytes that others see.
        return false;
    }
    if !alone && end_bits % 8 != 0 {
        // The first byte to write holds bits that another process may be reading.
        return false;
    }
    if size > capacity && !(alone && resize(whole, size)) {
        return false;
    }
    // SAFETY: the words of a shared binary and its block, which only this process writes.
    unsafe {
        *whole.word_pointer(offset::SHARED_BINARY_FLAGS) |= binary_flag::ACTIVE;
        *whole.word_pointer(offset::SHARED_BINARY_SIZE) = size as u64;
        (*block_of(whole)).used.store(size, Ordering::Relaxed);
    }
    heap.charge_off_heap(size.saturating_sub(old_size));
    true
}

/// Gives a writable binary, whose block is counted once, a block for `size` bytes and more; false if its bytes must not
/// move, or there is not enough memory.
#[cold]
fn resize(whole: SharedBinary, size: usize) -> bool {
    if whole.flags() & binary_flag::PINNED != 0 {
        return false;
    }
    let block = block_of(whole);
    // SAFETY: counted once, and no context points to the bytes. Others read them through the object.
    let resized = unsafe {
        BinaryBlock::try_resize(block, grown(size)).or_else(|| BinaryBlock::try_resize(block, size))
    };
    match resized {
        Some(block) => {
            // SAFETY: it is the object's block.
            unsafe { set_block(whole, block) };
            true
        }
        None => false,
    }
}

/// What a block for `size` bytes gets. Near the end of the memory it is little more: if each step asked for a fifth and
/// were refused, the process would ask twice for every piece that it appends, and wait for memory each time.
fn grown(size: usize) -> usize {
    if size <= DOUBLING_LIMIT {
        return size * 2;
    }
    let room = budget::room_lately().map_or(usize::MAX, |room| room as usize);
    size.saturating_add((size / 5).min(room / 2))
}

fn new_block(used: usize, capacity: usize) -> Result<*mut BinaryBlock, AppendError> {
    let block = BinaryBlock::try_new(capacity)
        .or_else(|| BinaryBlock::try_new(used))
        .ok_or(AppendError::Limit)?;
    // SAFETY: fresh, and not shared yet.
    unsafe { (*block).used.store(used, Ordering::Relaxed) };
    Ok(block)
}

/// The first `size` bits of a writable binary, as the sub-binary that may be appended to.
#[inline]
fn writable_part<A: Allocate + ?Sized>(heap: &mut A, whole: Term, size: u64) -> Term {
    let part = heap.allocate(5);
    // SAFETY: five fresh words.
    unsafe {
        part.write(Header::new(ObjectKind::SubBinary, 4).0);
        part.add(1 + offset::SUB_BINARY_SIZE).write(size / 8);
        part.add(1 + offset::SUB_BINARY_OFFSET).write(0);
        part.add(1 + offset::SUB_BINARY_BITS)
            .write(size % 8 | SUB_BINARY_WRITABLE);
        part.add(1 + offset::SUB_BINARY_WHOLE).write(whole.bits());
        Term::from_boxed_pointer(part)
    }
}
