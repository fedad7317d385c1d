//! Copying terms from one heap to another: messages, spawn arguments, ETS objects, literals.
//!
//! Sharing within a term is not kept, as in OTP ([`shared`] keeps it, for persistent terms). The copy is laid out
//! breadth first, except that a list's cells are contiguous. Scanning what was written finds what is still to be
//! copied, so no stack is needed however deep the term is. Literals are shared, not copied, unless the caller asks for
//! copies, their area is about to be freed, or the thread's copies must not point to any ([`literal::share_here`]).

pub mod kept;
mod owned;
pub mod shared;

use std::ptr;

use layout::object::offset;
use layout::{Cons, Fragment, Header, NoGc, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use crate::heap::{Allocate, new_fragment};
use crate::literal::{self, Shared};
use crate::off_heap;

pub use owned::Owned;

/// Words that a copy of the term takes.
#[must_use]
pub fn size(term: Term) -> usize {
    if term.is_immediate() || literal::is_shared(term) {
        0
    } else {
        size_slow(term, false, usize::MAX)
    }
}

/// To copy more words than this takes a millisecond or so, and is left to another thread.
pub const LONG_WORDS: usize = 1 << 17;

/// As [`size`], but stops counting once there are more than `most` words.
#[must_use]
pub fn size_up_to(term: Term, most: usize) -> usize {
    if term.is_immediate() || literal::is_shared(term) {
        0
    } else {
        size_slow(term, false, most)
    }
}

/// As [`size`], literals included: for a copy that must not point into a literal area.
#[must_use]
pub fn size_with_literals(term: Term) -> usize {
    if term.is_immediate() {
        0
    } else {
        size_slow(term, true, usize::MAX)
    }
}

fn size_slow(term: Term, with_literals: bool, most: usize) -> usize {
    let literals = Shared::unless(with_literals);
    let skip = |term: Term| term.is_immediate() || literals.hold(term);
    if skip(term) {
        return 0;
    }
    let mut words = 0;
    // Few messages are nested more deeply.
    let mut rest: SmallVec<[Term; 8]> = SmallVec::new();
    let mut current = term;
    loop {
        while let Some(cell) = current.as_cell() {
            words += 2;
            if words > most {
                return words;
            }
            let head = cell.head();
            if !skip(head) {
                rest.push(head);
            }
            current = cell.tail();
            if skip(current) {
                current = Term::NONE;
            }
        }
        // The part that is counted next; most objects have one, which need not go by way of `rest`.
        let mut next = Term::NONE;
        if let Some(object) = current.as_boxed() {
            words += 1 + object.arity();
            if words > most {
                return words;
            }
            for part in object.terms() {
                if !skip(part) {
                    let before = std::mem::replace(&mut next, part);
                    if !before.is_none() {
                        rest.push(before);
                    }
                }
            }
        }
        if next.is_none() {
            match rest.pop() {
                Some(part) => next = part,
                None => return words,
            }
        }
        current = next;
    }
}

/// Whether a term, or any part of it, lies at one of these addresses.
#[must_use]
pub fn refers_to(term: Term, area: &std::ops::Range<usize>) -> bool {
    let mut rest = vec![term];
    while let Some(mut current) = rest.pop() {
        while !current.is_immediate() {
            if area.contains(&(current.bits() as usize)) {
                return true;
            }
            if literal::is_literal(current) {
                // Literals of one area never point to another.
                break;
            }
            if let Some((head, tail)) = current.as_cons() {
                rest.push(head);
                current = tail;
                continue;
            }
            rest.extend(current.expect_boxed().terms());
            break;
        }
    }
    false
}

/// Copies a term to any heap, also that of another process.
pub fn copy<A: Allocate + ?Sized>(heap: &mut A, term: Term) -> Term {
    if term.is_immediate() {
        return term;
    }
    if let Some(copied) = copy_flat(heap, term) {
        return copied;
    }
    let words = size(term);
    if words == 0 {
        return term;
    }
    // SAFETY: just counted.
    unsafe { copy_counted(heap, term, words) }
}

/// As [`copy`], with all literals: for what is kept outside a process, where nobody looks when a literal area is freed.
pub fn copy_with_literals<A: Allocate + ?Sized>(heap: &mut A, term: Term) -> Term {
    let words = size_with_literals(term);
    if words == 0 {
        return term;
    }
    let room = heap.allocate(words);
    // SAFETY: `room` has the words that were counted.
    unsafe { copy_to(room, words, heap.off_heap_list(), term, true) }
}

/// Maximum number of elements of a tuple that [`copy_flat`] handles.
const FLAT_ELEMENTS: usize = 8;

/// The elements of a small tuple of immediates, as keys and messages often are; None for other terms, and for literals
/// that copies share. Its words need not be counted, nor its copy be scanned.
#[inline]
fn flat_elements(term: Term, no_gc: &NoGc) -> Option<&[Term]> {
    let elements = term.as_tuple(no_gc)?;
    let is_flat = (1..=FLAT_ELEMENTS).contains(&elements.len())
        && elements.iter().all(|element| element.is_immediate())
        && !literal::is_shared(term);
    is_flat.then_some(elements)
}

/// Writes a tuple of such elements.
///
/// # Safety
/// `room` has a word for each of them and one more.
#[inline]
unsafe fn write_flat(room: *mut u64, elements: &[Term]) -> Term {
    // SAFETY: the caller's promise; the elements refer to nothing.
    unsafe {
        room.write(Header::new(ObjectKind::Tuple, elements.len()).0);
        for (index, element) in elements.iter().enumerate() {
            room.add(1 + index).write(element.bits());
        }
        Term::from_boxed_pointer(room)
    }
}

/// Copies a small tuple of immediates.
#[inline]
fn copy_flat<A: Allocate + ?Sized>(heap: &mut A, term: Term) -> Option<Term> {
    let no_gc = no_gc!();
    let elements = flat_elements(term, no_gc)?;
    let room = heap.allocate(1 + elements.len());
    // SAFETY: the room is fresh and has that many words.
    Some(unsafe { write_flat(room, elements) })
}

/// As [`copy`], when the number of words is known.
///
/// # Safety
/// `words` is what [`size`] returns for the term.
pub unsafe fn copy_counted<A: Allocate + ?Sized>(heap: &mut A, term: Term, words: usize) -> Term {
    if words == 0 {
        return term;
    }
    let room = heap.allocate(words);
    // SAFETY: `room` has the words that `size` counted.
    unsafe { copy_to(room, words, heap.off_heap_list(), term, false) }
}

/// Copies a term into a fresh fragment, as a message or another signal's term.
#[must_use]
pub fn to_fragment(term: Term) -> *mut Fragment {
    small_fragment(term).unwrap_or_else(|| fragment_of(term, size(term)))
}

/// Why a term was not copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The copy has more words than the caller allows.
    Long,
    /// The node's budget has no room for it.
    NoRoom,
}

/// As [`to_fragment`], for a copy of at most `most` words for which the node's budget has room.
#[inline]
pub fn to_fragment_within(term: Term, most: usize) -> Result<*mut Fragment, Refused> {
    // So small a one is always admitted.
    if let Some(fragment) = small_fragment(term) {
        return Ok(fragment);
    }
    let words = size_up_to(term, most);
    if words > most {
        return Err(Refused::Long);
    }
    if !sys::memory::budget::allows(words * 8) {
        return Err(Refused::NoRoom);
    }
    Ok(fragment_of(term, words))
}

/// A copy of an immediate or of a small tuple of them, in a fresh fragment.
#[inline]
fn small_fragment(term: Term) -> Option<*mut Fragment> {
    if term.is_immediate() {
        let fragment = new_fragment(0);
        // SAFETY: the fragment is fresh.
        unsafe { (*fragment).term = term };
        return Some(fragment);
    }
    let no_gc = no_gc!();
    let elements = flat_elements(term, no_gc)?;
    let fragment = new_fragment(1 + elements.len());
    // SAFETY: the fragment is fresh and has that many words.
    unsafe { (*fragment).term = write_flat(Fragment::words_pointer(fragment), elements) };
    Some(fragment)
}

/// A copy of a term whose [`size`] is `words`, in a fresh fragment.
#[inline]
fn fragment_of(term: Term, words: usize) -> *mut Fragment {
    let fragment = new_fragment(words);
    // SAFETY: the fragment is fresh and has the words that `size` counted.
    unsafe {
        (*fragment).term = if words == 0 {
            term
        } else {
            copy_to(
                Fragment::words_pointer(fragment),
                words,
                &mut (*fragment).off_heap,
                term,
                false,
            )
        };
    }
    fragment
}

/// Copies a term into `words` words at `room`, linking off-heap objects into `list`.
///
/// # Safety
/// `room` has exactly as many words as [`size`] (or [`size_with_literals`]) returned for the term, which has not
/// changed since.
pub unsafe fn copy_to(
    room: *mut u64,
    words: usize,
    list: &mut *mut u64,
    term: Term,
    with_literals: bool,
) -> Term {
    let end = room.wrapping_add(words);
    let mut copier = Copier {
        top: room,
        start: room as usize,
        end: end as usize,
        list,
        literals: Shared::unless(with_literals),
        done: (end, end),
    };
    let mut scan = room;
    // SAFETY: `scan` stays below `top`, which stays within the room that was counted.
    unsafe {
        let result = copier.object(term);
        while scan < copier.top {
            let word = *scan;
            if Header::is_header(word) {
                scan = scan.add(1 + Header(word).raw_words());
                continue;
            }
            let part = Term::from_bits(word);
            if part.is_immediate() {
                // A run that is done begins with one.
                scan = if scan == copier.done.0 {
                    copier.done.1
                } else {
                    scan.add(1)
                };
                continue;
            }
            if !copier.is_copied(part) {
                *scan = copier.object(part).bits();
            }
            scan = scan.add(1);
        }
        debug_assert_eq!(copier.top, end);
        // The room may be a literal area itself.
        let is_elsewhere =
            |address| literal::contains(address) && !copier.is_copied_address(address);
        debug_assert!(!with_literals || holds_none(room, end, is_elsewhere));
        result
    }
}

/// Whether no term of a space that is full of objects lies at an address for which `is_meant` is true.
///
/// # Safety
/// Between both there are whole objects, and nothing else.
pub(crate) unsafe fn holds_none(
    start: *const u64,
    end: *const u64,
    is_meant: impl Fn(usize) -> bool,
) -> bool {
    let mut at = start;
    while at < end {
        // SAFETY: the caller's promise.
        let word = unsafe { *at };
        if Header::is_header(word) {
            at = at.wrapping_add(1 + Header(word).raw_words());
            continue;
        }
        // SAFETY: what is neither a header nor behind one is a term.
        let term = unsafe { Term::from_bits(word) };
        if !term.is_immediate() && is_meant(word as usize) {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

/// Gives a copied object its own count of what lies off the heap, and takes from it the right to append in place.
///
/// # Safety
/// `object` was just copied, and has that header.
#[inline(always)]
unsafe fn own(list: &mut *mut u64, object: *mut u64, header: Header) {
    // SAFETY: the caller's promise; the offsets are those of the kind.
    unsafe {
        if header.is_off_heap() {
            if header.kind() == ObjectKind::SharedBinary {
                *object.add(1 + offset::SHARED_BINARY_FLAGS) = 0;
            }
            off_heap::retain(off_heap::block_of(object));
            off_heap::link(list, object);
        } else if header.kind() == ObjectKind::SubBinary {
            *object.add(1 + offset::SUB_BINARY_BITS) &= 0xffff;
        }
    }
}

struct Copier<'a> {
    top: *mut u64,
    start: usize,
    end: usize,
    list: &'a mut *mut u64,
    /// What stays where it is.
    literals: Shared,
    /// Start and end of the latest run of cells in which nothing is left to copy (mostly text and lists of numbers), so
    /// that the scan can skip it.
    done: (*mut u64, *mut u64),
}

impl Copier<'_> {
    /// Whether a term is in the copy already.
    #[inline(always)]
    fn is_copied(&self, term: Term) -> bool {
        self.is_copied_address(term.bits() as usize)
    }

    #[inline(always)]
    fn is_copied_address(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.end - self.start
    }

    /// Copies one object (or a whole run of list cells), leaving its parts as they are.
    unsafe fn object(&mut self, term: Term) -> Term {
        if term.is_immediate() || self.literals.hold(term) {
            return term;
        }
        // SAFETY: the caller counted the words of everything reachable, so `top` has room. What is neither an immediate
        // nor a cons is boxed.
        unsafe {
            if let Some(cell) = term.as_cell() {
                return self.cells(cell);
            }
            let source = term.boxed_unchecked();
            let header = source.header();
            let object = self.top;
            self.top = object.add(1 + header.arity());
            copy_words(source.pointer(), object, 1 + header.arity());
            own(self.list, object, header);
            Term::from_boxed_pointer(object)
        }
    }

    unsafe fn cells(&mut self, mut source: Cons) -> Term {
        let first = self.top.cast::<Term>();
        let mut is_done = true;
        // SAFETY: as `object`; each cell takes two words.
        unsafe {
            loop {
                let cell = self.top.cast::<Term>();
                self.top = self.top.add(2);
                let head = source.head();
                is_done &= head.is_immediate();
                cell.write(head);
                let tail = source.tail();
                let next = tail.as_cell().filter(|_| !self.literals.hold(tail));
                let Some(next) = next else {
                    cell.add(1).write(tail);
                    if is_done && tail.is_immediate() {
                        self.done = (first.cast::<u64>(), self.top);
                    }
                    break;
                };
                cell.add(1)
                    .write(Term::from_cons_pointer(self.top.cast::<Term>()));
                source = next;
            }
            Term::from_cons_pointer(first)
        }
    }
}

/// Copies the words of an object. Most have only a few, for which a call to `memcpy` costs more than the copying; also,
/// it reads several words at once, and the processor has to wait if they were just written one by one.
///
/// # Safety
/// Both are as long as said, and do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy_words(from: *const u64, to: *mut u64, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if count > 16 {
            ptr::copy_nonoverlapping(from, to, count);
            return;
        }
        for index in 0..count {
            to.add(index).write(*from.add(index));
        }
    }
}

/// Copies terms of an object that was not made just now, such as a map that is updated: of one that was, the processor
/// would have to write the words first, where several are read at once. The last of them may begin with terms that were
/// copied already: what is left needs no loop then, whose end is hard to predict.
///
/// # Safety
/// There is room for all of them.
#[inline(always)]
pub(crate) unsafe fn copy_terms(room: *mut Term, terms: &[Term]) {
    let (from, count) = (terms.as_ptr(), terms.len());
    // SAFETY: the caller's promise.
    unsafe {
        match count {
            0 => {}
            1 => room.write(*from),
            2..4 => {
                copy_some::<2>(from, room);
                copy_some::<2>(from.add(count - 2), room.add(count - 2));
            }
            4..=16 => {
                let last = count - 4;
                let mut index = 0;
                while index < last {
                    copy_some::<4>(from.add(index), room.add(index));
                    index += 4;
                }
                copy_some::<4>(from.add(last), room.add(last));
            }
            _ => ptr::copy_nonoverlapping(from, room, count),
        }
    }
}

/// # Safety
/// Both have `N` terms, and do not overlap.
#[inline(always)]
unsafe fn copy_some<const N: usize>(from: *const Term, room: *mut Term) {
    // SAFETY: the caller's promise.
    unsafe { ptr::copy_nonoverlapping(from.cast::<[Term; N]>(), room.cast::<[Term; N]>(), 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Scratch;
    use crate::{build, list};

    #[test]
    fn small_tuples_of_immediates_are_copied_as_others() {
        let mut source = Scratch::new();
        let heap = source.heap();
        let text = build::binary(heap, b"abc");
        for count in 1..=FLAT_ELEMENTS + 2 {
            let flat: Vec<Term> = (0..count)
                .map(|number| Term::small(number as i64))
                .collect();
            let mut mixed = flat.clone();
            mixed[count - 1] = text;
            for elements in [flat, mixed] {
                let term = build::tuple(heap, &elements);
                let is_flat = count <= FLAT_ELEMENTS && elements[count - 1] != text;
                assert_eq!(flat_elements(term, no_gc!()).is_some(), is_flat);
                let fragment = to_fragment(term);
                // SAFETY: the fragment is new, and dropped once.
                unsafe {
                    let copied = (*fragment).term;
                    assert_eq!((*fragment).words as usize, size(term));
                    assert_ne!(copied, term);
                    assert!(crate::compare::eq_exact(copied, term));
                    crate::heap::drop_fragment(fragment);
                }
            }
        }
        assert!(flat_elements(build::tuple(heap, &[]), no_gc!()).is_none());
    }

    #[test]
    fn copies_are_equal_and_apart() {
        let mut source = Scratch::new();
        let heap = source.heap();
        let inner = build::list(heap, &[Term::small(1), Term::small(2)]);
        let bytes = build::binary(heap, &[7; 100]);
        let part = build::sub_bits(heap, bytes, 3, 77);
        let term = build::tuple(heap, &[inner, bytes, part, inner]);
        let copy = Owned::new(term);
        let no_gc = no_gc!();
        let elements = copy.term().as_tuple(no_gc).unwrap();
        let (first, rest) = elements[0].as_cons().unwrap();
        assert_eq!(first.as_small(), Some(1));
        assert_eq!(rest.as_cons().unwrap().0.as_small(), Some(2));
        assert_ne!(elements[0], inner);
        assert_ne!(elements[0], elements[3]);
        assert_eq!(
            elements[1].as_bits().unwrap().as_bytes(no_gc!()).unwrap(),
            [7; 100]
        );
        let bits = elements[2].as_bits().unwrap();
        assert_eq!((bits.bit_offset(), bits.bit_len()), (3, 77));
        let block_of = |binary: Term| binary.boxed_pointer();
        // SAFETY: the block is live through both binaries.
        let holders = unsafe { off_heap::references(off_heap::block_of(block_of(elements[1]))) };
        assert_eq!(holders, 3);
    }

    #[test]
    fn lists_of_all_kinds_are_copied_whole() {
        let mut source = Scratch::new();
        let heap = source.heap();
        let numbers: Vec<Term> = (0..40).map(Term::small).collect();
        let plain = build::list(heap, &numbers);
        let pair = build::tuple(heap, &[plain, Term::small(7)]);
        let mixed = build::list(heap, &[Term::small(1), pair, plain, Term::NIL]);
        let improper = build::cons(heap, Term::small(5), pair);
        let term = build::tuple(heap, &[plain, mixed, improper, plain]);
        let copy = Owned::new(term);
        drop(source);
        let no_gc = no_gc!();
        let elements = copy.term().as_tuple(no_gc).unwrap();
        let values = |list: Term| list::to_vec(list).expect("a proper list");
        assert_eq!(values(elements[0]), numbers);
        assert_eq!(values(elements[3]), numbers);
        let mixed = values(elements[1]);
        assert_eq!((mixed.len(), mixed[0]), (4, Term::small(1)));
        assert_eq!(values(mixed[1].as_tuple(no_gc!()).unwrap()[0]), numbers);
        assert_eq!(values(mixed[2]), numbers);
        let (five, pair) = elements[2].as_cons().unwrap();
        assert_eq!(five, Term::small(5));
        assert_eq!(values(pair.as_tuple(no_gc!()).unwrap()[0]), numbers);
    }

    #[test]
    fn depth_needs_no_stack() {
        let mut source = Scratch::new();
        let mut term = Term::NIL;
        let tuples = if cfg!(miri) { 1000 } else { 2_000_000 };
        for _ in 0..tuples {
            term = build::tuple(source.heap(), &[term]);
        }
        assert_eq!(size(term), 2 * tuples);
        let copy = Owned::new(term);
        let mut depth = 0;
        let mut inner = copy.term();
        while let Some([next]) = inner.as_tuple(no_gc!()) {
            inner = *next;
            depth += 1;
        }
        assert_eq!(depth, tuples);
    }
}
