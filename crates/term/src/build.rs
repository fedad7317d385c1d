//! Building terms in anything that implements [`Allocate`].
//!
//! Each function fills every word that it allocates, so it returns a complete term; [`binary_uninit`] leaves the bytes
//! to its caller.

use layout::kinds::{Closure, SubBinary};
use layout::limits::{HEAP_BINARY_BYTES, SMALL_MAX, SMALL_MIN};
use layout::object::{Bits, offset};
use layout::{Cons, Export, FunEntry, Header, Heap, ObjectKind, Term, no_gc};

use crate::fun;
use crate::heap::{Allocate, room_words};
use crate::off_heap::{self, BinaryBlock, Counted, MagicBlock};

/// Words of the object that refers to bytes outside the heap.
pub(crate) const SHARED_BINARY_WORDS: usize = 6;

/// `[Head | Tail]`.
#[inline]
pub fn cons<A: Allocate + ?Sized>(heap: &mut A, head: Term, tail: Term) -> Term {
    cell(heap, head, tail).term()
}

/// `[Head | Tail]`, as a cell.
#[inline]
pub fn cell<A: Allocate + ?Sized>(heap: &mut A, head: Term, tail: Term) -> Cons {
    let cell = heap.allocate(2).cast::<Term>();
    // SAFETY: two fresh words.
    unsafe {
        cell.write(head);
        cell.add(1).write(tail);
        Cons::from_pointer(cell)
    }
}

/// A proper list of the items.
pub fn list<A: Allocate + ?Sized>(heap: &mut A, items: &[Term]) -> Term {
    list_with_tail(heap, items, Term::NIL)
}

/// The items in front of `tail`.
pub fn list_with_tail<A: Allocate + ?Sized>(heap: &mut A, items: &[Term], tail: Term) -> Term {
    items
        .iter()
        .rev()
        .fold(tail, |tail, &head| cons(heap, head, tail))
}

/// As [`list_with_tail`], but the cells are contiguous, in one allocation.
pub fn list_in_row<A: Allocate + ?Sized>(heap: &mut A, items: &[Term], tail: Term) -> Term {
    list_of(heap, items.len(), items.iter().copied(), tail)
}

/// The first `count` elements of `list`, which has as many, in front of `tail`; the cells are contiguous, in one
/// allocation.
pub fn copy_in_row<A: Allocate + ?Sized>(
    heap: &mut A,
    list: Term,
    count: usize,
    tail: Term,
) -> Term {
    let mut rest = list;
    let items = std::iter::from_fn(|| {
        let (head, tail) = rest.as_cons()?;
        rest = tail;
        Some(head)
    });
    list_of(heap, count, items, tail)
}

/// A list of the `count` items in front of `tail`; its cells are contiguous, in one allocation.
///
/// # Panics
/// When there are fewer than `count` items.
pub fn list_of<A: Allocate + ?Sized>(
    heap: &mut A,
    count: usize,
    mut items: impl Iterator<Item = Term>,
    tail: Term,
) -> Term {
    if count == 0 {
        return tail;
    }
    let room = heap.allocate(2 * count).cast::<Term>();
    // SAFETY: two fresh words for each item; after a panic the half-built heap is not read again.
    unsafe {
        for index in 0..count {
            let cell = room.add(2 * index);
            cell.write(items.next().expect("as many items as were counted"));
            cell.add(1).write(Term::from_cons_pointer(cell.add(2)));
        }
        room.add(2 * count - 1).write(tail);
        Term::from_cons_pointer(room)
    }
}

/// A tuple.
#[inline]
pub fn tuple<A: Allocate + ?Sized>(heap: &mut A, elements: &[Term]) -> Term {
    let object = heap.allocate(1 + elements.len());
    // SAFETY: a header and as many fresh words as there are elements.
    unsafe {
        object.write(Header::new(ObjectKind::Tuple, elements.len()).0);
        object
            .add(1)
            .cast::<Term>()
            .copy_from_nonoverlapping(elements.as_ptr(), elements.len());
        Term::from_boxed_pointer(object)
    }
}

/// A tuple of the elements of all these parts, one after the other.
pub fn tuple_of_parts<A: Allocate + ?Sized>(heap: &mut A, parts: &[&[Term]]) -> Term {
    let arity = parts.iter().map(|part| part.len()).sum();
    let (tuple, mut room) = tuple_uninit(heap, arity);
    for part in parts {
        // SAFETY: the room is fresh, and for all of them.
        unsafe {
            room.copy_from_nonoverlapping(part.as_ptr(), part.len());
            room = room.add(part.len());
        }
    }
    tuple
}

/// A tuple of `arity` times the same element, and its elements, which may be replaced before anybody else sees it.
pub fn tuple_filled<A: Allocate + ?Sized>(
    heap: &mut A,
    arity: usize,
    element: Term,
) -> (Term, &mut [Term]) {
    let (tuple, room) = tuple_uninit(heap, arity);
    // SAFETY: as many fresh words, which are initialized before a reference to them is made. As long as that lives,
    // nothing else is done with the heap.
    unsafe {
        for index in 0..arity {
            room.add(index).write(element);
        }
        (tuple, std::slice::from_raw_parts_mut(room, arity))
    }
}

/// A tuple of `elements` with `value` in place of the one at `place`.
///
/// # Panics
/// When `place` is out of range.
pub fn tuple_with<A: Allocate + ?Sized>(
    heap: &mut A,
    elements: &[Term],
    place: usize,
    value: Term,
) -> Term {
    let copy = tuple(heap, elements);
    assert!(place < elements.len());
    // SAFETY: an element of the tuple, which nobody else has seen.
    unsafe { copy.word_pointer(place).write(value.bits()) };
    copy
}

/// Appends `tail` to a copy of `list` in the free room of the heap; returns the result and the number of cells copied.
/// Returns `None`, and changes nothing, if the heap has no room for all of it or there are more than `most` cells. The
/// error is the term that the list ends in instead of `[]`.
pub fn append_in_room(
    heap: &mut Heap,
    list: Term,
    tail: Term,
    most: usize,
) -> Option<Result<(Term, usize), Term>> {
    let room = most.min(room_words(heap) / 2);
    let first = heap.top.cast::<Term>();
    let (mut rest, mut cells) = (list, 0);
    while let Some((head, next)) = rest.as_cons() {
        if cells == room {
            return None;
        }
        // SAFETY: the cell is within the free room of the heap; its tail, the next cell, is either filled next or
        // replaced below.
        unsafe {
            let cell = first.add(2 * cells);
            cell.write(head);
            cell.add(1).write(Term::from_cons_pointer(cell.add(2)));
        }
        rest = next;
        cells += 1;
    }
    if !rest.is_nil() {
        return Some(Err(rest));
    }
    if cells == 0 {
        return Some(Ok((tail, 0)));
    }
    // SAFETY: the last cell that was written.
    unsafe { first.add(2 * cells - 1).write(tail) };
    heap.top = first.wrapping_add(2 * cells).cast();
    // SAFETY: the first cell that was written.
    Some(Ok((unsafe { Term::from_cons_pointer(first) }, cells)))
}

/// Moves items from the front of `list`, at most `most`, to the front of `tail` one by one, as `lists:reverse/2` does.
/// Returns the rest of `list`, the new list, and the number of items moved.
pub fn reverse_onto(heap: &mut Heap, list: Term, tail: Term, most: usize) -> (Term, Term, usize) {
    let (mut rest, mut reversed, mut cells) = (list, tail, 0);
    // While the heap has room, cells are written contiguously.
    let room = room_words(heap) / 2;
    let first = heap.top.cast::<Term>();
    while cells < most.min(room)
        && let Some((head, next)) = rest.as_cons()
    {
        // SAFETY: within the room of the heap.
        unsafe {
            let cell = first.add(2 * cells);
            cell.write(head);
            cell.add(1).write(reversed);
            reversed = Term::from_cons_pointer(cell);
        }
        rest = next;
        cells += 1;
    }
    heap.top = first.wrapping_add(2 * cells).cast();
    while cells < most
        && let Some((head, next)) = rest.as_cons()
    {
        reversed = cons(heap, head, reversed);
        rest = next;
        cells += 1;
    }
    (rest, reversed, cells)
}

/// An object of plain words behind a header of `kind`.
pub fn object<A: Allocate + ?Sized>(heap: &mut A, kind: ObjectKind, words: &[u64]) -> Term {
    let object = heap.allocate(1 + words.len());
    // SAFETY: a header and as many fresh words as given.
    unsafe {
        object.write(Header::new(kind, words.len()).0);
        object
            .add(1)
            .copy_from_nonoverlapping(words.as_ptr(), words.len());
        Term::from_boxed_pointer(object)
    }
}

/// A float.
pub fn float<A: Allocate + ?Sized>(heap: &mut A, value: f64) -> Term {
    object(heap, ObjectKind::Float, &[value.to_bits()])
}

/// An integer of any size that a machine word holds.
#[inline]
pub fn integer<A: Allocate + ?Sized>(heap: &mut A, value: i64) -> Term {
    if (SMALL_MIN..=SMALL_MAX).contains(&value) {
        return Term::small(value);
    }
    let kind = if value < 0 {
        ObjectKind::NegativeBig
    } else {
        ObjectKind::PositiveBig
    };
    object(heap, kind, &[value.unsigned_abs()])
}

/// An integer that is not negative.
#[inline]
pub fn unsigned<A: Allocate + ?Sized>(heap: &mut A, value: u64) -> Term {
    match i64::try_from(value) {
        Ok(value) => integer(heap, value),
        Err(_) => object(heap, ObjectKind::PositiveBig, &[value]),
    }
}

/// An integer from its sign and limbs (least significant first). Leading zeros are dropped; the result is a small
/// integer if it fits.
pub fn big<A: Allocate + ?Sized>(heap: &mut A, negative: bool, limbs: &[u64]) -> Term {
    let length = limbs
        .iter()
        .rposition(|&limb| limb != 0)
        .map_or(0, |last| last + 1);
    let limbs = &limbs[..length];
    let small_limit = if negative {
        SMALL_MIN.unsigned_abs()
    } else {
        SMALL_MAX as u64
    };
    match *limbs {
        [] => Term::small(0),
        [limb] if limb <= small_limit => Term::small(if negative {
            (limb as i64).wrapping_neg()
        } else {
            limb as i64
        }),
        _ => object(
            heap,
            if negative {
                ObjectKind::NegativeBig
            } else {
                ObjectKind::PositiveBig
            },
            limbs,
        ),
    }
}

/// A binary with these bytes: on the heap up to 64 bytes, shared above.
pub fn binary<A: Allocate + ?Sized>(heap: &mut A, bytes: &[u8]) -> Term {
    let (term, room) = binary_uninit(heap, bytes.len());
    // SAFETY: `room` has that many bytes.
    unsafe { room.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    term
}

/// A heap binary of the first `size` bytes, at most 64, of whole words, which need not be aligned.
///
/// # Safety
/// The last word is zero from the end of the bytes on.
#[inline]
pub unsafe fn binary_of_words<A: Allocate + ?Sized>(
    heap: &mut A,
    words: *const u64,
    size: usize,
) -> Term {
    debug_assert!(size <= HEAP_BINARY_BYTES);
    let count = size.div_ceil(8);
    let object = heap.allocate(2 + count);
    // SAFETY: header, size, and as many fresh words as are read.
    unsafe {
        object.write(Header::new(ObjectKind::HeapBinary, 1 + count).0);
        object.add(1).write(size as u64);
        for index in 0..count {
            object
                .add(2 + index)
                .write(words.add(index).read_unaligned());
        }
        Term::from_boxed_pointer(object)
    }
}

/// Words of heap that [`binary`] takes for `size` bytes.
#[must_use]
pub fn binary_words(size: usize) -> usize {
    match size <= HEAP_BINARY_BYTES {
        true => 2 + size.div_ceil(8),
        false => SHARED_BINARY_WORDS,
    }
}

/// A binary of `size` bytes to be filled before the next safepoint, and where its bytes are.
pub fn binary_uninit<A: Allocate + ?Sized>(heap: &mut A, size: usize) -> (Term, *mut u8) {
    if size <= HEAP_BINARY_BYTES {
        let words = 1 + size.div_ceil(8);
        let object = heap.allocate(1 + words);
        // SAFETY: header, size, and the words of the bytes, all fresh; the last is zeroed for its padding.
        unsafe {
            object.write(Header::new(ObjectKind::HeapBinary, words).0);
            object.add(1).write(size as u64);
            if words > 1 {
                object.add(words).write(0);
            }
            (Term::from_boxed_pointer(object), object.add(2).cast::<u8>())
        }
    } else {
        let block = BinaryBlock::new(size);
        // SAFETY: the block is fresh and counted once, for the object made here.
        unsafe {
            (
                shared_binary(heap, block, size, 0),
                BinaryBlock::bytes(block),
            )
        }
    }
}

/// A shared binary over `block`.
///
/// # Safety
/// The caller hands over one count of `block`, whose first `size` bytes are or will be initialised.
pub unsafe fn shared_binary<A: Allocate + ?Sized>(
    heap: &mut A,
    block: *mut BinaryBlock,
    size: usize,
    flags: u64,
) -> Term {
    let object = heap.allocate(SHARED_BINARY_WORDS);
    // SAFETY: six fresh words; the object is in no list yet.
    unsafe {
        object.write(Header::new(ObjectKind::SharedBinary, 5).0);
        object
            .add(1 + offset::SHARED_BINARY_SIZE)
            .write(size as u64);
        object.add(1 + offset::SHARED_BINARY_FLAGS).write(flags);
        object.add(1 + offset::OFF_HEAP_BLOCK).write(block as u64);
        object
            .add(1 + offset::SHARED_BINARY_BYTES)
            .write(BinaryBlock::bytes(block) as u64);
        off_heap::link(heap.off_heap_list(), object);
        heap.charge_off_heap(size);
        Term::from_boxed_pointer(object)
    }
}

/// A binary over `size` bytes that lie in a counted block or belong to the object that it holds.
///
/// # Safety
/// The caller hands over one count of `block`, and the bytes stay as they are as long as it is held.
pub unsafe fn binary_of_block<A: Allocate + ?Sized>(
    heap: &mut A,
    block: *mut Counted,
    bytes: *const u8,
    size: usize,
) -> Term {
    let object = heap.allocate(SHARED_BINARY_WORDS);
    // SAFETY: as in `shared_binary`.
    unsafe {
        object.write(Header::new(ObjectKind::SharedBinary, 5).0);
        object
            .add(1 + offset::SHARED_BINARY_SIZE)
            .write(size as u64);
        object.add(1 + offset::SHARED_BINARY_FLAGS).write(0);
        object.add(1 + offset::OFF_HEAP_BLOCK).write(block as u64);
        object
            .add(1 + offset::SHARED_BINARY_BYTES)
            .write(bytes as u64);
        off_heap::link(heap.off_heap_list(), object);
        heap.charge_off_heap(size);
        Term::from_boxed_pointer(object)
    }
}

/// Part of a bit string, sharing its bytes: `bit_start` and `bit_len` are bits of `string`, and lie
/// within it.
///
/// # Panics
/// When `string` is not a bit string.
pub fn sub_bits<A: Allocate + ?Sized>(
    heap: &mut A,
    string: Term,
    bit_start: u64,
    bit_len: u64,
) -> Term {
    let (whole, start) = whole_of(string);
    let first = start + bit_start;
    let object = heap.allocate(5);
    // SAFETY: five fresh words.
    unsafe {
        object.write(Header::new(ObjectKind::SubBinary, 4).0);
        object.add(1 + offset::SUB_BINARY_SIZE).write(bit_len / 8);
        object.add(1 + offset::SUB_BINARY_OFFSET).write(first / 8);
        object
            .add(1 + offset::SUB_BINARY_BITS)
            .write(bit_len % 8 | (first % 8) << 8);
        object.add(1 + offset::SUB_BINARY_WHOLE).write(whole.bits());
        Term::from_boxed_pointer(object)
    }
}

/// The heap binary or shared binary that a bit string is part of, and the bit where the string starts in it.
///
/// # Panics
/// When `string` is not a bit string.
#[inline]
#[must_use]
pub fn whole_of(string: Term) -> (Term, u64) {
    assert!(string.is_bitstring(), "a bit string");
    match SubBinary::of(string) {
        Some(part) => {
            let bit_offset = part.bits() >> 8 & 0xff;
            (part.whole(), part.byte_offset() * 8 + bit_offset)
        }
        None => (string, 0),
    }
}

/// A bit string with the bits of `bits`, copied; `bits` may lie anywhere.
pub fn bit_string<A: Allocate + ?Sized>(heap: &mut A, bits: Bits) -> Term {
    if let Some(bytes) = bits.as_bytes(no_gc!()) {
        return binary(heap, bytes);
    }
    let size = bits.bit_len().div_ceil(8) as usize;
    let (whole, room) = binary_uninit(heap, size);
    for index in 0..size {
        let first = index as u64 * 8;
        let count = (bits.bit_len() - first).min(8) as u32;
        // SAFETY: the bits from `first` on lie within the source, and `index` within the room.
        unsafe {
            let source = bits.bytes().add(index);
            let high = u16::from(*source) << 8;
            let both = if bits.bit_offset() + count > 8 {
                high | u16::from(*source.add(1))
            } else {
                high
            };
            let byte = (both << bits.bit_offset() >> 8) as u8;
            room.add(index).write(byte & (0xff00_u16 >> count) as u8);
        }
    }
    if bits.bit_len().is_multiple_of(8) {
        whole
    } else {
        sub_bits(heap, whole, 0, bits.bit_len())
    }
}

/// A fun made of an entry and its free variables. `creator` is its pid, or that with the keeper of the entry.
///
/// # Safety
/// The entry lives for ever, or `creator` keeps it.
pub unsafe fn fun<A: Allocate + ?Sized>(
    heap: &mut A,
    entry: *const FunEntry,
    creator: Term,
    free: &[Term],
) -> Term {
    let object = heap.allocate(4 + free.len());
    // SAFETY: fresh words for the header, three fields and the free variables.
    unsafe {
        object.write(Header::new(ObjectKind::Fun, 3 + free.len()).0);
        object.add(1 + offset::FUN_ENTRY).write(entry as u64);
        let arity = u64::from((*entry).arity);
        object
            .add(1 + offset::FUN_ARITY)
            .write(arity | (free.len() as u64) << 8);
        object.add(1 + offset::FUN_CREATOR).write(creator.bits());
        let room = object.add(1 + offset::FUN_FREE).cast::<Term>();
        room.copy_from_nonoverlapping(free.as_ptr(), free.len());
        Term::from_boxed_pointer(object)
    }
}

/// A copy of a fun, with `[]` for each of its free variables, and with this pid as that of its creator.
///
/// # Safety
/// The copy is not used for longer than the fun, which keeps the entry of both.
pub unsafe fn without_free_variables<A: Allocate + ?Sized>(
    heap: &mut A,
    fun: Term,
    creator: Term,
) -> Term {
    let variables = vec![Term::NIL; Closure::expect(fun).free_count()];
    // SAFETY: the caller's promise.
    unsafe { self::fun(heap, fun::entry(fun), creator, &variables) }
}

/// `fun Module:Function/Arity`.
pub fn export<A: Allocate + ?Sized>(heap: &mut A, entry: &'static Export) -> Term {
    object(
        heap,
        ObjectKind::Export,
        &[std::ptr::from_ref(entry) as u64],
    )
}

/// A reference that holds a Rust object; takes over one count of `block`.
///
/// # Safety
/// The caller hands over one count of `block`.
pub unsafe fn magic_reference<A: Allocate + ?Sized>(
    heap: &mut A,
    low: u64,
    high: u64,
    block: *mut MagicBlock,
) -> Term {
    let words = [low, high, 0, block as u64];
    let term = object(heap, ObjectKind::Reference, &words);
    debug_assert!(term.is_magic_reference());
    // SAFETY: just made, in no list.
    unsafe { off_heap::link(heap.off_heap_list(), term.boxed_pointer()) };
    term
}

/// A list of the characters of a text.
pub fn string<A: Allocate + ?Sized>(heap: &mut A, text: &str) -> Term {
    if text.is_ascii() {
        return byte_list(heap, text.as_bytes());
    }
    let items = text.chars().map(|c| Term::small(i64::from(u32::from(c))));
    list_of(heap, text.chars().count(), items, Term::NIL)
}

/// A list of bytes.
pub fn byte_list<A: Allocate + ?Sized>(heap: &mut A, bytes: &[u8]) -> Term {
    if bytes.is_empty() {
        return Term::NIL;
    }
    let cells = heap.allocate(2 * bytes.len()).cast::<Term>();
    // SAFETY: two fresh words for each byte.
    unsafe {
        for (index, &byte) in bytes.iter().enumerate() {
            let cell = cells.add(2 * index);
            cell.write(Term::small(i64::from(byte)));
            cell.add(1).write(Term::from_cons_pointer(cell.add(2)));
        }
        cells.add(2 * bytes.len() - 1).write(Term::NIL);
        Term::from_cons_pointer(cells)
    }
}

/// A tuple of `arity` elements that the caller fills in, and where the first goes.
#[inline]
pub fn tuple_uninit<A: Allocate + ?Sized>(heap: &mut A, arity: usize) -> (Term, *mut Term) {
    let object = heap.allocate(1 + arity);
    // SAFETY: a fresh word for the header.
    unsafe {
        object.write(Header::new(ObjectKind::Tuple, arity).0);
        (Term::from_boxed_pointer(object), object.add(1).cast())
    }
}

/// A list of `count` cells, at least one, whose elements the caller fills in, and where the first goes; each cell is
/// two words from the one before.
#[inline]
pub fn list_uninit<A: Allocate + ?Sized>(heap: &mut A, count: usize) -> (Term, *mut Term) {
    debug_assert!(count > 0);
    let cells = heap.allocate(2 * count).cast::<Term>();
    // SAFETY: two fresh words for each cell.
    unsafe {
        for index in 1..count {
            let next = Term::from_cons_pointer(cells.add(2 * index));
            cells.add(2 * index - 1).write(next);
        }
        cells.add(2 * count - 1).write(Term::NIL);
        (Term::from_cons_pointer(cells), cells)
    }
}

/// A heap binary of `size` bytes, at most 64, from chunks that hold them; what follows in the last chunk is left out.
#[inline]
pub fn binary_of_chunks<A: Allocate + ?Sized>(
    heap: &mut A,
    chunks: &[[u8; 8]],
    size: usize,
) -> Term {
    debug_assert!(size <= HEAP_BINARY_BYTES && chunks.len() == size.div_ceil(8));
    let object = heap.allocate(2 + chunks.len());
    // SAFETY: header, size, and a fresh word for each chunk.
    unsafe {
        object.write(Header::new(ObjectKind::HeapBinary, 1 + chunks.len()).0);
        object.add(1).write(size as u64);
        let words = object.add(2);
        let word = u64::from_ne_bytes;
        // Most are short: those are copied without a call.
        match *chunks {
            [a] => words.write(word(a)),
            [a, b] => words.cast::<[u64; 2]>().write([word(a), word(b)]),
            [a, b, c] => words.cast::<[u64; 3]>().write([word(a), word(b), word(c)]),
            _ => words
                .cast::<[u8; 8]>()
                .copy_from_nonoverlapping(chunks.as_ptr(), chunks.len()),
        }
        if size % 8 != 0 {
            let last = object.add(1 + chunks.len());
            let kept = u64::MAX >> (64 - 8 * (size % 8));
            last.write(u64::from_le(last.read().to_le() & kept));
        }
        Term::from_boxed_pointer(object)
    }
}
