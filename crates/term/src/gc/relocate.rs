//! Moving a whole space to another address: the survivors of a collection are copied to a block of the right size, and
//! every pointer to them is adjusted.
//!
//! A linear pass that need not test what is alive: the space holds only live objects, and they keep their order. Only
//! the thread that runs the process may call, at a safepoint.

use layout::object::offset;
use layout::{Header, ObjectKind, Term};

use super::mover::Area;

/// Adjusts pointers into one space, by the distance that it moves.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    space: Area,
    bytes: u64,
}

impl Shift {
    /// For moving the words from `start` to `end` to another place.
    pub(super) fn new(start: *const u64, end: *const u64, to: *const u64) -> Shift {
        Shift {
            space: Area::new(start, end),
            bytes: (to as u64).wrapping_sub(start as u64),
        }
    }

    /// The new word for a pointer, tagged or raw.
    #[inline(always)]
    pub(super) fn word(self, word: u64) -> u64 {
        // Callers pass only addresses and terms with a pointer's tag, so immediates and headers need no test here.
        if self.space.holds(word) {
            word.wrapping_add(self.bytes)
        } else {
            word
        }
    }

    #[inline(always)]
    fn term(self, word: u64) -> u64 {
        if word.wrapping_add(1) & 0b10 != 0 {
            self.word(word)
        } else {
            word
        }
    }

    pub(super) fn address(self, address: *mut u64) -> *mut u64 {
        self.word(address as u64) as *mut u64
    }

    /// Adjusts the terms among some words: roots, or a stack.
    ///
    /// # Safety
    /// The words are terms, NONE or return addresses.
    pub(super) unsafe fn words(self, words: *mut u64, count: usize) {
        for index in 0..count {
            // SAFETY: the caller's promise.
            unsafe {
                let word = words.add(index);
                *word = self.term(*word);
            }
        }
    }

    /// Copies the objects of the space to their new place, adjusting their pointers.
    ///
    /// # Safety
    /// The space holds whole objects; the new place has room for as many words and does not overlap the space.
    pub(super) unsafe fn objects(self, from: *const u64, end: *const u64, to: *mut u64) {
        let (mut source, mut target) = (from, to);
        // SAFETY: both run over the same objects, header by header.
        unsafe {
            while source < end {
                let word = *source;
                if !Header::is_header(word) {
                    target.write(self.term(word));
                    source = source.add(1);
                    target = target.add(1);
                    continue;
                }
                let header = Header(word);
                let raw = 1 + header.raw_words();
                for index in 0..raw {
                    target.add(index).write(*source.add(index));
                }
                match header.kind() {
                    ObjectKind::MatchContext => self.bytes(source, target),
                    _ if header.is_off_heap() => {
                        let next = target.add(1 + offset::OFF_HEAP_NEXT);
                        *next = self.word(*next);
                    }
                    _ => {}
                }
                source = source.add(raw);
                target = target.add(raw);
            }
        }
    }

    /// Adjusts a match context's raw pointer to the bytes of a heap binary.
    unsafe fn bytes(self, source: *const u64, target: *mut u64) {
        // SAFETY: the words of a context and its copy; the binary it names is still at its old place.
        unsafe {
            let binary = Term::from_bits(*source.add(1 + offset::MATCH_BINARY));
            if binary.is_kind(ObjectKind::HeapBinary) {
                let moved = Term::from_bits(self.word(binary.bits()));
                let bytes = moved.word_pointer(offset::HEAP_BINARY_BYTES);
                target.add(1 + offset::MATCH_BYTES).write(bytes as u64);
            }
        }
    }
}
