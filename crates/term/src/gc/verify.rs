//! Checks that a heap is intact: every reachable word is a valid term, and every pointer leads to a well-formed object
//! in a place that belongs to the heap; nothing old points to anything young; the off-heap lists contain every
//! reachable object that holds something outside the heap.
//!
//! For tests, and for builds with the feature `verify`, which check after every collection. A heap that is not intact
//! is a bug in the VM: every function panics and says what it found. Only the thread that runs the process may call.

use std::collections::HashSet;

use layout::kinds::MatchContext;
use layout::limits::STACK_RESERVE_WORDS;
use layout::object::{MapShape, offset};
use layout::{Boxed, Fragment, Header, Heap, ObjectKind, Term, no_gc};

use crate::{literal, off_heap};

use super::block::POISON;
use super::mover::Area;
use super::{old_heap, words_between};

/// Checks a heap between collections.
///
/// # Panics
/// When it is not intact.
pub fn verify(heap: &Heap, roots: &[&mut [Term]], peeked: *mut Fragment) {
    let mut walk = Walk::new(heap, peeked);
    walk.bounds();
    for slice in roots {
        for &root in slice.iter() {
            walk.push(root.bits(), ObjectPlace::Root);
        }
    }
    let mut word = heap.stack;
    while word < heap.end {
        // SAFETY: between the pointer and the end of the block, the stack is initialised.
        let bits = unsafe { *word };
        if !Header::is_header(bits) {
            walk.push(bits, ObjectPlace::Root);
        }
        word = word.wrapping_add(1);
    }
    walk.objects();
    walk.lists();
}

/// Checks a heap right after a collection, when its spaces hold only live objects without gaps.
///
/// # Panics
/// When it is not intact.
pub fn check(heap: &Heap, roots: &[&mut [Term]], peeked: *mut Fragment) {
    verify(heap, roots, peeked);
    assert!(heap.fragments.is_null() && heap.fragment_words == 0);
    assert!(words_between(heap.top, heap.stack) >= STACK_RESERVE_WORDS);
    let mut walk = Walk::new(heap, peeked);
    walk.space(heap.start, heap.top, ObjectPlace::Young);
    if let Some(old) = old_heap(heap) {
        walk.space(old.start, old.top, ObjectPlace::Old);
    }
    walk.objects();
}

/// Ends a build with assertions if the words of a heap that bound its parts are out of order.
#[inline(always)]
pub fn assert_in_order(heap: &Heap) {
    debug_assert!(
        heap.start <= heap.high_water && heap.high_water <= heap.top,
        "objects that survived end at {:?}, those of the heap are {:?} to {:?}",
        heap.high_water,
        heap.start,
        heap.top
    );
    debug_assert!(
        heap.top <= heap.stack && heap.stack <= heap.end,
        "the heap ends at {:?}, the stack is {:?} to {:?}",
        heap.top,
        heap.stack,
        heap.end
    );
    debug_assert!(
        heap.fragment_top <= heap.fragment_end,
        "the free part of a fragment"
    );
    debug_assert!(
        old_heap(heap).is_none_or(|old| old.start <= old.top && old.top <= old.end),
        "the old heap is full beyond its end"
    );
}

/// What is wrong with a word that is said to be a term of this heap, if anything is: that it is no term, or not of this
/// heap. Only the object that it leads to is looked at, not what is in it.
#[must_use]
pub fn objection(heap: &Heap, term: Term) -> Option<&'static str> {
    if let Some(objection) = objection_to_word(term) {
        return Some(objection);
    }
    let word = term.bits();
    if term.is_immediate() || literal::contains(word as usize) {
        return None;
    }
    let walk = Walk::new(heap, std::ptr::null_mut());
    let areas = [walk.young, walk.old];
    let area = areas.iter().chain(&walk.fragments);
    let Some(area) = area.copied().find(|area| area.holds(word)) else {
        return Some("a term of another environment, or of none that is left");
    };
    let last = match term.as_boxed().map(Boxed::header) {
        None => word + 8,
        Some(header) if Header::is_header(header.0) => word + header.arity() as u64 * 8,
        Some(_) => return Some(GONE),
    };
    match area.holds(last) {
        true => None,
        false => Some(GONE),
    }
}

/// The same for a term of any heap, of which only this can be seen: that its place was cleared or used again.
#[must_use]
pub fn objection_anywhere(term: Term) -> Option<&'static str> {
    if let Some(objection) = objection_to_word(term) {
        return Some(objection);
    }
    if term.is_immediate() {
        return None;
    }
    let is_gone = match term.as_cons() {
        Some((head, tail)) => [head, tail]
            .iter()
            .any(|part| objection_to_word(*part).is_some()),
        None => !Header::is_header(term.expect_boxed().header().0),
    };
    is_gone.then_some(GONE)
}

const GONE: &str = "a term that is not there any more";

fn objection_to_word(term: Term) -> Option<&'static str> {
    if term.is_none() {
        return Some("the value that stands for an exception, as a term");
    }
    let is_immediate = term.is_small()
        || term.is_atom()
        || term.is_nil()
        || term.is_local_pid()
        || term.is_local_port();
    match is_immediate {
        true => None,
        false if term.bits() == POISON => Some(GONE),
        false if term.is_cons() || term.is_boxed() => None,
        false => Some("what is no term"),
    }
}

/// Where an object lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ObjectPlace {
    /// Not on the heap: a register, the stack, the dictionary.
    Root,
    Young,
    Fragment,
    Old,
    Peeked,
    Literal,
}

struct Walk<'a> {
    heap: &'a Heap,
    young: Area,
    old: Area,
    peeked: Area,
    fragments: Vec<Area>,
    seen: HashSet<u64>,
    rest: Vec<u64>,
    /// Objects seen that must be in the young off-heap list (and, next field, in the old one).
    young_holders: HashSet<u64>,
    old_holders: HashSet<u64>,
}

impl<'a> Walk<'a> {
    fn new(heap: &'a Heap, peeked: *mut Fragment) -> Walk<'a> {
        // SAFETY: the fragment is live.
        let area_of = |fragment: *mut Fragment| unsafe { Area::of_fragment(fragment) };
        let left_end = heap.left.wrapping_add(usize::from(heap.left_words));
        // What was left in a block is treated like a fragment.
        let mut fragments = vec![Area::new(heap.left, left_end)];
        let mut fragment = heap.fragments;
        while !fragment.is_null() {
            fragments.push(area_of(fragment));
            // SAFETY: as above.
            fragment = unsafe { (*fragment).next };
        }
        Walk {
            heap,
            young: Area::new(heap.start, heap.top),
            old: old_heap(heap).map_or(Area::EMPTY, |old| Area::new(old.start, old.top)),
            peeked: if peeked.is_null() {
                Area::EMPTY
            } else {
                area_of(peeked)
            },
            fragments,
            seen: HashSet::new(),
            rest: Vec::new(),
            young_holders: HashSet::new(),
            old_holders: HashSet::new(),
        }
    }

    fn bounds(&self) {
        let heap = self.heap;
        assert!(heap.start <= heap.high_water, "high water below the start");
        assert!(heap.high_water <= heap.top, "high water above the top");
        assert!(heap.top <= heap.stack, "heap and stack overlap");
        assert!(
            heap.stack <= heap.end,
            "the stack's pointer is past its end"
        );
        if let Some(old) = old_heap(heap) {
            assert!(old.start <= old.top && old.top <= old.end);
        }
    }

    /// The area that a pointer leads to.
    fn place(&self, word: u64) -> (ObjectPlace, Area) {
        if self.young.holds(word) {
            return (ObjectPlace::Young, self.young);
        }
        if self.old.holds(word) {
            return (ObjectPlace::Old, self.old);
        }
        if let Some(&area) = self.fragments.iter().find(|area| area.holds(word)) {
            return (ObjectPlace::Fragment, area);
        }
        if self.peeked.holds(word) {
            return (ObjectPlace::Peeked, self.peeked);
        }
        assert!(
            literal::contains(word as usize),
            "{word:#x} points to nothing of this heap"
        );
        (ObjectPlace::Literal, Area::EMPTY)
    }

    /// Checks a word that stands in an object at `from`; queues it if it is a pointer that is seen for the first time.
    fn push(&mut self, word: u64, from: ObjectPlace) {
        if word == 0 {
            assert_eq!(from, ObjectPlace::Root, "no term within an object");
            return;
        }
        assert!(!Header::is_header(word), "a header where a term belongs");
        // SAFETY: read only for its tag.
        let term = unsafe { Term::from_bits(word) };
        if term.is_immediate() {
            assert!(
                term.is_small()
                    || term.is_atom()
                    || term.is_nil()
                    || term.is_local_pid()
                    || term.is_local_port()
                    || (from == ObjectPlace::Root && term.as_catch().is_some()),
                "{word:#x} is no immediate"
            );
            return;
        }
        let (to, _) = self.place(word);
        let fine = match from {
            ObjectPlace::Old => matches!(to, ObjectPlace::Old | ObjectPlace::Literal),
            ObjectPlace::Literal => to == ObjectPlace::Literal,
            ObjectPlace::Peeked => matches!(to, ObjectPlace::Peeked | ObjectPlace::Literal),
            ObjectPlace::Root | ObjectPlace::Young | ObjectPlace::Fragment => true,
        };
        assert!(fine, "{from:?} points to {to:?}");
        if self.seen.insert(word) {
            self.rest.push(word);
        }
    }

    fn objects(&mut self) {
        while let Some(word) = self.rest.pop() {
            let (place, area) = self.place(word);
            // SAFETY: it lies in a live area, which the checks here prove word by word.
            let term = unsafe { Term::from_bits(word) };
            if let Some(cell) = term.as_cell() {
                if place != ObjectPlace::Literal {
                    assert!(area.holds(word + 14), "a cell past the end of its area");
                }
                assert!(!cell.head().is_none(), "a mark is left in {word:#x}");
                self.push(cell.head().bits(), place);
                self.push(cell.tail().bits(), place);
                continue;
            }
            let object = term.expect_boxed();
            let header = object.header();
            assert!(
                Header::is_header(header.0),
                "{word:#x} leads to {:#x}, which is no header",
                header.0
            );
            let last = word + (header.arity() as u64) * 8;
            if place != ObjectPlace::Literal {
                assert!(area.holds(last), "an object past the end of its area");
            }
            check_shape(object);
            self.note_holder(object, place);
            for index in header.raw_words()..header.arity() {
                self.push(object.word(index), place);
            }
        }
    }

    fn note_holder(&mut self, holder: Boxed, place: ObjectPlace) {
        if holder.header().is_off_heap() {
            let object = holder.pointer();
            // SAFETY: the kinds that hold a counted block.
            let count = unsafe { off_heap::references(off_heap::block_of(object)) };
            assert!(
                count > 0 && count < 1 << 31,
                "a block counted {count} times"
            );
            match place {
                ObjectPlace::Young | ObjectPlace::Fragment => {
                    self.young_holders.insert(object as u64)
                }
                ObjectPlace::Old => self.old_holders.insert(object as u64),
                _ => false,
            };
        }
    }

    /// Checks that every reachable holder is in the list of its space, and that every member of a list lies in its
    /// space, once.
    fn lists(&self) {
        let members = |mut object: *mut u64, areas: &dyn Fn(u64) -> bool| {
            let mut members = HashSet::new();
            while !object.is_null() {
                assert!(areas(object as u64), "an off-heap object of another space");
                assert!(
                    members.insert(object as u64),
                    "an off-heap list with a loop"
                );
                // SAFETY: it lies in a live area.
                unsafe {
                    assert!(Header::is_header(*object));
                    assert!(Header(*object).is_off_heap());
                    object = off_heap::next_of(object);
                }
            }
            members
        };
        let in_young =
            |word| self.young.holds(word) || self.fragments.iter().any(|area| area.holds(word));
        let young = members(self.heap.off_heap, &in_young);
        assert!(self.young_holders.is_subset(&young), "a holder in no list");
        let old = old_heap(self.heap).map_or(std::ptr::null_mut(), |old| old.off_heap);
        let old = members(old, &|word| self.old.holds(word));
        assert!(self.old_holders.is_subset(&old), "an old holder in no list");
    }

    /// Checks every term of a space that holds nothing but objects.
    fn space(&mut self, start: *mut u64, end: *mut u64, place: ObjectPlace) {
        let mut word = start;
        while word < end {
            // SAFETY: below the end of what is in use.
            let bits = unsafe { *word };
            if Header::is_header(bits) {
                word = word.wrapping_add(1 + Header(bits).raw_words());
            } else {
                self.push(bits, place);
                word = word.wrapping_add(1);
            }
        }
        assert_eq!(word, end, "the last object passes the end of its space");
    }
}

/// Checks that the words of an object are as `layout::object` says for its kind.
fn check_shape(object: Boxed) {
    let (term, header) = (object.term(), object.header());
    let arity = header.arity();
    let fine = match header.kind() {
        ObjectKind::Tuple => true,
        ObjectKind::NativeRecord => is_native_record(term),
        ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
            arity > 0 && object.word(arity - 1) != 0
        }
        ObjectKind::Float | ObjectKind::Export => arity == 1,
        ObjectKind::Reference => (2..=4).contains(&arity),
        ObjectKind::Fun => arity >= 3 && arity as u64 == 3 + (object.word(offset::FUN_ARITY) >> 8),
        ObjectKind::HeapBinary => {
            arity as u64 == 1 + object.word(offset::HEAP_BINARY_SIZE).div_ceil(8)
        }
        ObjectKind::SharedBinary => arity == 5,
        ObjectKind::SubBinary => arity == 4 && is_whole(object.term_at(offset::SUB_BINARY_WHOLE)),
        ObjectKind::MatchContext => {
            arity >= 4 && MatchContext::of(term).is_some_and(has_whole_and_its_bytes)
        }
        ObjectKind::Map => match header.map_shape() {
            MapShape::Flat => {
                let keys = object.term_at(offset::FLAT_MAP_KEYS);
                arity as u64 == 2 + object.word(offset::MAP_SIZE)
                    && keys.tuple_size() == Some(arity - 2)
            }
            MapShape::HashRoot => arity == 1 + header.bitmap().count_ones() as usize,
            MapShape::HashNode => arity == header.bitmap().count_ones() as usize,
        },
        ObjectKind::ExternalPid | ObjectKind::ExternalPort => arity == 2,
        ObjectKind::ExternalReference => {
            arity as u64 == 2 + object.word(offset::EXTERNAL_REFERENCE_COUNT).div_ceil(2)
        }
    };
    assert!(fine, "a {:?} with header {:#x}", header.kind(), header.0);
}

/// Whether the definition of a native record is one, and has as many fields as there are values.
fn is_native_record(term: Term) -> bool {
    let no_gc = no_gc!();
    let Some((definition, values)) = term.as_native_record(no_gc) else {
        return false;
    };
    let definition = definition.as_tuple(no_gc).unwrap_or_default();
    definition.len() == offset::DEFINITION_FIELDS + values.len()
        && definition.iter().all(|element| element.is_atom())
}

/// Whether a term is a heap binary or a shared binary.
fn is_whole(term: Term) -> bool {
    matches!(
        term.boxed_kind(),
        Some(ObjectKind::HeapBinary | ObjectKind::SharedBinary)
    )
}

fn has_whole_and_its_bytes(context: MatchContext) -> bool {
    let binary = context.binary();
    let bytes = binary.as_bits().map(|bits| bits.bytes());
    is_whole(binary) && bytes == Some(context.bytes().cast_const())
}
