//! Rows: the places, in an object whose head was read, that the terms read next go to.

use layout::Term;
use layout::limits::FLAT_MAP_PAIRS;

use crate::heap::Room;
use crate::map;

/// What comes when the last place of a row is filled.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The object is complete.
    Complete,
    /// The tail of the list.
    List,
    /// The keys have to be brought in order.
    FlatMap,
    /// The map has to be made.
    HashMap,
    /// The term has to be one that this node has marked.
    Local,
}

/// Places in an object, all of it allocated; they are uninitialised until they are filled.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub next: *mut Term,
    pub left: usize,
    steps: Steps,
    pub end: End,
}

/// Words from a place to the next one, and from there to the one after that, in turns: the keys and the values of a
/// flat map are apart.
///
/// ```text
/// 31           16 15            0
/// | the one after | the next one |
/// ```
#[derive(Clone, Copy)]
struct Steps(u32);

impl Steps {
    const fn new(next: i16, then: i16) -> Steps {
        Steps(next as u16 as u32 | (then as u16 as u32) << 16)
    }

    #[inline(always)]
    fn next(self) -> isize {
        self.0 as i16 as isize
    }

    #[inline(always)]
    fn turn(&mut self) {
        self.0 = self.0.rotate_left(16);
    }
}

const _: () = assert!(FLAT_MAP_PAIRS + 2 < i16::MAX as usize);

impl Row {
    /// `count` places that follow each other.
    #[inline(always)]
    pub(super) fn of(first: *mut Term, count: usize, end: End) -> Row {
        Row {
            next: first,
            left: count,
            steps: Steps::new(1, 1),
            end,
        }
    }

    /// The elements of a list whose cells follow each other. The tail of the last cell is `[]`.
    #[inline(always)]
    pub(super) fn of_list(first: *mut Term, count: usize) -> Row {
        Row {
            steps: Steps::new(2, 2),
            ..Row::of(first, count, End::List)
        }
    }

    /// The keys and values, in turns, of a flat map whose keys come right behind it ([`map::flat_uninit`]).
    #[inline(always)]
    pub(super) fn of_flat_map(keys: Term, size: usize) -> Row {
        // From a key to its value, the header and the keys, or as many values, are between.
        let between = size as i16 + 1;
        Row {
            steps: Steps::new(-between, between + 1),
            ..Row::of(keys.word_pointer(0).cast(), 2 * size, End::FlatMap)
        }
    }

    /// Notes that the place which was at one address is at another.
    pub(super) fn moved(&mut self, from: *mut Term, to: *mut Term) {
        if self.next == from {
            self.next = to;
        }
    }

    /// Fills the next place; there is one.
    #[inline(always)]
    pub(super) fn fill(&mut self, term: Term) {
        debug_assert!(self.left > 0);
        // SAFETY: a place of an object that nobody else has seen, or of the caller's variable.
        unsafe { self.next.write(term) };
        self.next = self.next.wrapping_offset(self.steps.next());
        self.left -= 1;
        self.steps.turn();
    }

    /// Whether nothing comes any more, not even an end.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 && self.end == End::Complete
    }

    /// The tail, for a list whose elements are all filled.
    #[inline]
    pub(super) fn tail(&self) -> Row {
        Row::of(self.next.wrapping_sub(1), 1, End::Complete)
    }

    /// The map, and the tuple of its keys, of the row of a flat map that is filled.
    #[inline]
    pub(super) fn flat_map(&self) -> (Term, Term) {
        let size = (-self.steps.next() - 1) as usize;
        // The row is at the end of the keys.
        let keys = self.next.wrapping_sub(size + 1).cast::<u64>();
        let map = keys.wrapping_sub(1 + layout::object::offset::FLAT_MAP_VALUES + size);
        // SAFETY: the headers of both were written when they were allocated, and all of their words are filled.
        unsafe {
            (
                Term::from_boxed_pointer(map),
                Term::from_boxed_pointer(keys),
            )
        }
    }

    /// Fills the places that are left, of an object that will be garbage.
    pub(super) fn abandon(mut self) {
        while self.left > 0 {
            self.fill(Term::NIL);
        }
    }
}

/// The keys and values of a hash map that is being read.
pub(super) struct HashPairs {
    terms: Vec<Term>,
    /// The number of terms wanted.
    count: usize,
    /// Where the map will be.
    place: *mut Term,
}

impl HashPairs {
    pub(super) fn new(count: usize, place: *mut Term) -> HashPairs {
        HashPairs {
            terms: Vec::with_capacity(count),
            count,
            place,
        }
    }

    /// Notes that what was at one address is at another.
    pub(super) fn moved(&mut self, from: *mut Term, to: *mut Term) {
        if self.place == from {
            self.place = to;
        }
    }

    /// The places of the terms.
    pub(super) fn row(&mut self) -> Row {
        Row::of(self.terms.as_mut_ptr(), self.count, End::HashMap)
    }

    /// Makes the map of the terms, all of which are there, and puts it in its place; returns whether all keys differ.
    pub(super) fn make(mut self, room: &mut Room<'_>) -> bool {
        // SAFETY: the row is filled.
        unsafe { self.terms.set_len(self.count) };
        let map = map::from_row(room, &self.terms);
        // SAFETY: a place in an object that was allocated before, or of the variable for the whole term.
        unsafe { self.place.write(map) };
        map::size(map) * 2 == self.count
    }
}
