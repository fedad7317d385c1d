//! Moving live objects: the copying part of a collection.
//!
//! Cheney's algorithm: a root's object is copied to the end of the new space and its old place marked; then what was
//! copied is scanned word by word, and what it points to is copied in turn, until the scan has reached the end. No
//! stack is needed, however deep a term is. The cells of a list are copied contiguously, and so is what a lookup in a
//! hash map reads last: a node, its leaves and their keys.
//!
//! Marks: the header of a moved object becomes the boxed term of its new place (a header's low bits are `00`, a boxed
//! term's `10`); the head of a moved cell becomes [`Term::NONE`], which no list contains, and its tail becomes the new
//! place. The other words of a moved object stay as they were, for the off-heap sweep.
//!
//! Only the thread that runs the process may call, at a safepoint.

use std::mem::MaybeUninit;
use std::ops::Range;

use layout::object::offset;
use layout::{Fragment, Header, ObjectKind, Term};

use crate::bits::append;
use crate::copy::copy_words;
use crate::{literal, off_heap};

/// A range of addresses. One comparison tells whether a word points into it, whatever the word's tag.
#[derive(Clone, Copy)]
pub(super) struct Area {
    start: usize,
    bytes: usize,
}

impl Area {
    pub(super) const EMPTY: Area = Area { start: 0, bytes: 0 };

    pub(super) fn new(start: *const u64, end: *const u64) -> Area {
        Area {
            start: start as usize,
            bytes: end as usize - start as usize,
        }
    }

    /// The words of a fragment.
    ///
    /// # Safety
    /// The fragment is live.
    pub(super) unsafe fn of_fragment(fragment: *mut Fragment) -> Area {
        // SAFETY: the caller's promise.
        unsafe {
            let start = Fragment::words_pointer(fragment);
            Area::new(start, start.add((*fragment).words as usize))
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.bytes == 0
    }

    #[inline(always)]
    pub(super) fn holds(self, word: u64) -> bool {
        (word as usize).wrapping_sub(self.start) < self.bytes
    }
}

/// What happens to the object that a word points to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It stays where it is.
    Stay,
    /// It moves to the new young space.
    Young,
    /// It is promoted to the old generation.
    Old,
    /// It is a literal that must be copied.
    Literal,
}

/// Literals whose area is about to be freed: they are copied to the heap. They are shared with other processes, so no
/// marks can be left in them.
pub(super) struct DoomedLiterals {
    area: Area,
    /// For each word of the area where the copy of the object is that begins there, as a term, or 0. Empty before the
    /// first one is copied: memory that is only reserved costs little, and finding a place in it no search.
    copies: Vec<u64>,
}

impl DoomedLiterals {
    pub(super) fn new(range: &Range<usize>) -> DoomedLiterals {
        DoomedLiterals {
            area: Area {
                start: range.start,
                bytes: range.end - range.start,
            },
            copies: Vec::new(),
        }
    }

    /// The place of the copy of an object.
    fn copy_of(&mut self, word: u64) -> &mut u64 {
        if self.copies.is_empty() {
            self.copies = vec![0; self.area.bytes / 8];
        }
        &mut self.copies[(word as usize - self.area.start) / 8]
    }
}

/// The least number of cells of a run.
const RUN_CELLS: usize = 8;
/// Runs that are remembered at a time for each space.
const RUNS: usize = 8;

/// Runs of cells in a new space that were moved and not scanned yet, and whose heads are no pointers: there is nothing
/// to be found in them before the last tail. Those of strings and of lists of numbers are long. In the order of their
/// addresses, because both moving and scanning go upwards; a run that finds no room here is scanned like anything else.
pub(super) struct Runs {
    /// A queue in a ring: where each run begins, and its last tail.
    places: [MaybeUninit<(*mut u64, *mut u64)>; RUNS],
    first: usize,
    count: usize,
}

impl Runs {
    pub(super) const fn new() -> Runs {
        Runs {
            places: [const { MaybeUninit::uninit() }; RUNS],
            first: 0,
            count: 0,
        }
    }

    fn push(&mut self, start: *mut u64, last_tail: *mut u64) {
        if self.count < RUNS {
            self.places[(self.first + self.count) % RUNS].write((start, last_tail));
            self.count += 1;
        }
    }

    fn next(&self) -> Option<(*mut u64, *mut u64)> {
        // SAFETY: `push` wrote the places that are counted.
        (self.count > 0).then(|| unsafe { self.places[self.first % RUNS].assume_init() })
    }

    /// Where the scan has to stop, at the latest at `top`.
    fn limit(&self, top: *mut u64) -> *mut u64 {
        self.next().map_or(top, |(start, _)| start)
    }

    /// Where a scan that has reached its limit goes on.
    fn after(&mut self, place: *mut u64) -> *mut u64 {
        match self.next() {
            Some((start, last_tail)) if start == place => {
                self.first += 1;
                self.count -= 1;
                last_tail
            }
            _ => place,
        }
    }
}

/// The state of a collection while objects move.
pub(super) struct Mover {
    /// The part of the young block that is in use.
    pub from: Area,
    /// The part of `from`, at its start, whose objects are promoted, in bytes.
    pub mature_bytes: usize,
    /// Where the next young object goes, and where the young space begins and ends.
    pub young_top: *mut u64,
    pub young: Area,
    pub young_runs: Runs,
    /// Where the next promoted object goes.
    pub old_top: *mut u64,
    pub old_runs: Runs,
    /// The old generation.
    pub old: Area,
    /// Whether objects of the old generation move too.
    pub major: bool,
    /// The message that a receive is looking at: terms point into it, but it does not belong to the heap yet.
    pub peeked: Area,
    pub saw_peeked: bool,
    pub doomed: Option<DoomedLiterals>,
    /// Off-heap objects among the copies of literals.
    pub copied_off_heap: *mut u64,
}

/// How objects outside the young block are treated.
pub(super) trait Outside {
    /// Whether any of them may move.
    const MAY_MOVE: bool;
}

/// All of them stay: a minor collection without fragments.
pub(super) enum Stays {}

impl Outside for Stays {
    const MAY_MOVE: bool = false;
}

/// Some may move: fragments, the old generation, doomed literals.
pub(super) enum Moves {}

impl Outside for Moves {
    const MAY_MOVE: bool = true;
}

#[inline(always)]
fn is_pointer(word: u64) -> bool {
    word.wrapping_add(1) & 0b10 != 0
}

#[inline(always)]
fn is_cons(word: u64) -> bool {
    word & 0b01 != 0
}

#[inline(always)]
fn address(word: u64) -> *mut u64 {
    (word & !0b11) as *mut u64
}

impl Mover {
    #[inline(always)]
    fn fate<O: Outside>(&mut self, pointer: u64) -> Fate {
        let distance = (pointer as usize).wrapping_sub(self.from.start);
        if distance < self.mature_bytes {
            Fate::Old
        } else if distance < self.from.bytes {
            Fate::Young
        } else if O::MAY_MOVE {
            self.fate_outside(pointer)
        } else {
            Fate::Stay
        }
    }

    fn fate_outside(&mut self, pointer: u64) -> Fate {
        if self.young.holds(pointer) {
            // The next cell of a list, which was copied together with the cell before it.
            Fate::Stay
        } else if self.old.holds(pointer) {
            if self.major { Fate::Young } else { Fate::Stay }
        } else if literal::contains(pointer as usize) {
            match &self.doomed {
                Some(doomed) if doomed.area.holds(pointer) => Fate::Literal,
                _ => Fate::Stay,
            }
        } else if self.peeked.holds(pointer) {
            self.saw_peeked = true;
            Fate::Stay
        } else {
            // Only fragments are left.
            Fate::Young
        }
    }

    /// The new word for a term: the term itself, or where its object is now.
    #[inline(always)]
    unsafe fn forward<O: Outside>(&mut self, word: u64) -> u64 {
        if is_pointer(word) {
            // SAFETY: the caller's promise.
            unsafe { self.forward_pointer::<O>(word) }
        } else {
            word
        }
    }

    #[inline(always)]
    unsafe fn forward_pointer<O: Outside>(&mut self, word: u64) -> u64 {
        let fate = self.fate::<O>(word);
        if fate == Fate::Stay {
            return word;
        }
        if O::MAY_MOVE && fate == Fate::Literal {
            // SAFETY: the word points to a literal.
            return unsafe { self.copy_literal(word) };
        }
        // SAFETY: the word points to a live object in a space that is being emptied: its header or
        // head is either as it was or one of our marks.
        unsafe {
            let object = address(word);
            let first = *object;
            if is_cons(word) {
                if first == Term::NONE.bits() {
                    return *object.add(1);
                }
                self.move_cells::<O>(object, fate)
            } else {
                if !Header::is_header(first) {
                    return first;
                }
                let moved = self.move_object(object, fate);
                if Header(first).is_hash_node() {
                    self.move_leaves::<O>(moved, fate);
                }
                Term::from_boxed_pointer(moved).bits()
            }
        }
    }

    /// Moves an object that is no cell, and returns its new place.
    #[inline(always)]
    unsafe fn move_object(&mut self, object: *mut u64, fate: Fate) -> *mut u64 {
        // SAFETY: the object has not moved, and the space was sized for all that may move.
        unsafe {
            let words = 1 + Header(*object).arity();
            let top = self.top_for(fate);
            let moved = *top;
            *top = moved.add(words);
            copy_words(object, moved, words);
            *object = Term::from_boxed_pointer(moved).bits();
            moved
        }
    }

    /// Moves the leaves of a hash map's node that was just moved, and then their keys, as far as these have the same
    /// fate. Otherwise they would come after all nodes of this level, and a lookup in a large map would wait for memory
    /// once more for a leaf and once more for its key. The scan finds them moved.
    #[inline(never)]
    unsafe fn move_leaves<O: Outside>(&mut self, node: *mut u64, fate: Fate) {
        // SAFETY: a node has terms only, and its leaves are cells that have moved or not.
        unsafe {
            let mut leaf = *self.top_for(fate);
            let mut has_boxed_keys = false;
            for index in 0..Header(*node).arity() {
                let child = node.add(1 + index);
                let word = *child;
                let cell = address(word);
                if !is_cons(word) || self.fate::<O>(word) != fate || *cell == Term::NONE.bits() {
                    continue;
                }
                let top = self.top_for(fate);
                let moved = *top;
                *top = moved.add(2);
                copy_words(cell, moved, 2);
                has_boxed_keys |= Term::from_bits(*cell).is_boxed();
                *child = mark_cell(cell, moved);
            }
            if !has_boxed_keys {
                return;
            }
            let end = *self.top_for(fate);
            while leaf < end {
                let key = *leaf;
                // What a list or a key that is a map itself refers to is left to the scan.
                if Term::from_bits(key).is_boxed() && self.fate::<O>(key) == fate {
                    let object = address(key);
                    *leaf = match Header::is_header(*object) {
                        true => Term::from_boxed_pointer(self.move_object(object, fate)).bits(),
                        false => *object,
                    };
                }
                leaf = leaf.add(2);
            }
        }
    }

    #[inline(always)]
    fn top_for(&mut self, fate: Fate) -> &mut *mut u64 {
        if fate == Fate::Old {
            &mut self.old_top
        } else {
            &mut self.young_top
        }
    }

    fn runs_for(&mut self, fate: Fate) -> &mut Runs {
        if fate == Fate::Old {
            &mut self.old_runs
        } else {
            &mut self.young_runs
        }
    }

    /// Moves a cell, and the cells after it as long as they have the same fate.
    #[inline(always)]
    unsafe fn move_cells<O: Outside>(&mut self, cell: *mut u64, fate: Fate) -> u64 {
        let mut source = cell;
        let start = *self.top_for(fate);
        let mut top = start;
        let mut heads = 0;
        // SAFETY: `source` is a cell that has not moved, and the space was sized for all that may move.
        unsafe {
            loop {
                let (head, tail) = (*source, *source.add(1));
                heads |= head.wrapping_add(1);
                top.write(head);
                mark_cell(source, top);
                let next = address(tail);
                if tail & 0b11 == 0b01 && self.fate::<O>(tail) == fate && *next != Term::NONE.bits()
                {
                    let room = top.add(2);
                    top.add(1)
                        .write(Term::from_cons_pointer(room.cast()).bits());
                    source = next;
                    top = room;
                } else {
                    top.add(1).write(tail);
                    break;
                }
            }
            *self.top_for(fate) = top.add(2);
            if top as usize - start as usize >= (RUN_CELLS - 1) * 16 && heads & 0b10 == 0 {
                self.runs_for(fate).push(start, top.add(1));
            }
            Term::from_cons_pointer(start.cast()).bits()
        }
    }

    #[cold]
    unsafe fn copy_literal(&mut self, word: u64) -> u64 {
        let doomed = self.doomed.as_mut().expect("a doomed literal was seen");
        let copy = *doomed.copy_of(word);
        if copy != 0 {
            return copy;
        }
        let room = self.young_top;
        // SAFETY: literals are whole objects; the space was sized for the whole area.
        let copy = unsafe {
            let object = address(word);
            if is_cons(word) {
                copy_words(object, room, 2);
                self.young_top = room.add(2);
                Term::from_cons_pointer(room.cast())
            } else {
                let header = Header(*object);
                copy_words(object, room, 1 + header.arity());
                self.young_top = room.add(1 + header.arity());
                if header.is_off_heap() {
                    off_heap::retain(off_heap::block_of(room));
                    off_heap::link(&mut self.copied_off_heap, room);
                }
                Term::from_boxed_pointer(room)
            }
        };
        *doomed.copy_of(word) = copy.bits();
        copy.bits()
    }

    /// Forwards the terms among some words: roots, or a stack, whose return addresses look like headers
    /// and are left alone.
    ///
    /// # Safety
    /// The words are terms, NONE or return addresses.
    pub(super) unsafe fn forward_words<O: Outside>(&mut self, words: *mut u64, count: usize) {
        for index in 0..count {
            // SAFETY: the caller's promise.
            unsafe {
                let word = words.add(index);
                *word = self.forward::<O>(*word);
            }
        }
    }

    /// Scans everything that was moved, and moves what that points to, until nothing is left.
    ///
    /// # Safety
    /// `young` and `old` are where each space's objects begin that were moved but not scanned yet.
    pub(super) unsafe fn scan<O: Outside>(&mut self, mut young: *mut u64, mut old: *mut u64) {
        // SAFETY: each scan starts at an object's first word or within its terms, and ends at the top.
        unsafe {
            while young < self.young_top || old < self.old_top {
                while young < self.young_top {
                    let limit = self.young_runs.limit(self.young_top);
                    young = self.scan_to::<O>(young, limit);
                    young = self.young_runs.after(young);
                }
                while old < self.old_top {
                    let limit = self.old_runs.limit(self.old_top);
                    old = self.scan_to::<O>(old, limit);
                    old = self.old_runs.after(old);
                }
                debug_assert_eq!(
                    young, self.young_top,
                    "an old object pointed to a young one"
                );
            }
        }
    }

    /// Scans the words from `place` to `limit`, where an object or its last term ends.
    #[inline(always)]
    unsafe fn scan_to<O: Outside>(&mut self, mut place: *mut u64, limit: *mut u64) -> *mut u64 {
        while place < limit {
            // SAFETY: the caller's promise.
            place = unsafe { self.scan_word::<O>(place) };
        }
        place
    }

    /// Handles a term, or a header and the raw words after it; returns the next place.
    #[inline(always)]
    unsafe fn scan_word<O: Outside>(&mut self, place: *mut u64) -> *mut u64 {
        // SAFETY: the caller's promise.
        unsafe {
            let word = *place;
            if is_pointer(word) {
                *place = self.forward_pointer::<O>(word);
                return place.add(1);
            }
            if !Header::is_header(word) || Header(word).kind() == ObjectKind::Tuple {
                return place.add(1);
            }
            let header = Header(word);
            if header.is_hash_node() {
                return self.scan_node::<O>(place);
            }
            if header.kind() == ObjectKind::MatchContext {
                self.scan_context::<O>(place);
            }
            place.add(1 + header.raw_words())
        }
    }

    /// Handles a hash map's node below the root; returns the next place. Most of its leaves have moved with it.
    #[inline(always)]
    unsafe fn scan_node<O: Outside>(&mut self, node: *mut u64) -> *mut u64 {
        // SAFETY: the words of a node, whose children are cells and nodes.
        unsafe {
            let end = node.add(1 + Header(*node).arity());
            let mut child = node.add(1);
            while child < end {
                if !self.young.holds(*child) {
                    *child = self.forward_pointer::<O>(*child);
                }
                child = child.add(1);
            }
            end
        }
    }

    /// Forwards a match context's binary at once, because the context's raw pointer to the bytes must be updated with
    /// it.
    unsafe fn scan_context<O: Outside>(&mut self, context: *mut u64) {
        // SAFETY: the words of a context; its binary is a heap binary or a shared one.
        unsafe {
            let words = context.add(1);
            let binary = self.forward::<O>(*words.add(offset::MATCH_BINARY));
            words.add(offset::MATCH_BINARY).write(binary);
            let binary = Term::from_bits(binary);
            if binary.is_kind(ObjectKind::HeapBinary) {
                let bytes = binary.word_pointer(offset::HEAP_BINARY_BYTES);
                words.add(offset::MATCH_BYTES).write(bytes as u64);
            } else {
                append::hold(binary);
            }
        }
    }
}

/// Marks a cell as moved to a place, and returns the term that it is there.
///
/// # Safety
/// The cell is in a space that is being emptied, and the place is one for a cell.
#[inline(always)]
unsafe fn mark_cell(cell: *mut u64, place: *mut u64) -> u64 {
    // SAFETY: the caller's promise; a cell has two words.
    unsafe {
        let term = Term::from_cons_pointer(place.cast()).bits();
        cell.write(Term::NONE.bits());
        cell.add(1).write(term);
        term
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_told_by_their_tags() {
        assert!(is_pointer(0b01) && is_pointer(0b10));
        assert!(!is_pointer(0b11) && !is_pointer(0b00));
        assert!(!is_pointer(u64::MAX));
    }
}
