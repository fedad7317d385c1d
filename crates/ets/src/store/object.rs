//! An object of a table: a tuple copied into a memory block of its own, outside every process.
//!
//! ```text
//! off-heap list | words, hash and mark | next | the tuple, then everything that it reaches
//! ```
//!
//! What a lookup reads (`next`, header, key) is adjacent, so that for most objects it takes only one cache line.
//!
//! In a compressed table, the terms that elements other than the key reach are packed (`packed`) if that takes less
//! room:
//!
//! ```text
//! head | the tuple, then what the key reaches | islands | tokens | counts: words before islands, of them, of the rest
//! ```
//!
//! A packed element is the non-value in the tuple; the key and immediates are stored as always. The rest are the
//! words that the packed elements reach; islands are the objects among them that hold a reference to something
//! outside the block.
//!
//! No term in the block points out of it, not even to literals (their module may be purged while the object stays).
//! So copying it to a heap is one copy of memory and one pass that adjusts pointers.
//!
//! A reference to the head would give no right to the words behind it, so there are three handles with a pointer to the
//! whole block instead: [`OwnedObject`] owns it, [`ObjectRef`] may read it and [`ObjectMut`] may change it. The
//! lifetimes of the latter two come from what owns the object, and so from the lock of the part that it belongs to.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;

use layout::{Header, NoGc, ObjectKind, Term, no_gc};
use runtime::mail::current;
use smallvec::SmallVec;
use term::heap::{Allocate, Scratch};
use term::held::{self, HeldKind};
use term::off_heap;
use term::{compare, copy};

use super::packed::{self, Packed};

/// Set in [`Head::mark`]: the object is deleted, but stays in its chain while the table is fixed.
const DELETED: u32 = 1 << 31;
/// Bits of a hash.
pub(crate) const HASH_MASK: u32 = DELETED - 1;

/// Set in [`Head::words`]: some elements are packed.
const PACKED: u32 = 1 << 31;
/// A packed object of at most this many words is unpacked to the heap as a whole even if only one element is wanted.
const MAX_UNPACKED_WORDS: usize = 128;
/// Words that are copied for one reduction, so that a slice of large objects takes a few milliseconds.
const WORDS_PER_REDUCTION: usize = 64;
/// Smaller objects cost nothing beyond their call.
const CHARGED_FROM_WORDS: usize = 4096;
/// Words at the end of a packed object that hold the counts of its parts.
const COUNTS: usize = 2;

/// The head of an object; its words follow.
#[repr(C)]
pub(super) struct Head {
    off_heap: *mut u64,
    /// Number of words after the head, and whether some are packed.
    words: u32,
    /// The hash of the key, and whether the object is deleted.
    mark: u32,
    /// The next object of a chain. An object that is dropped has none, so that long chains are not freed recursively.
    next: Link,
}

/// A place of an object in a chain.
pub(super) type Link = Option<OwnedObject>;

/// An object and ownership of its memory.
pub struct OwnedObject(NonNull<Head>);

/// An object that may be read. It has the right to the whole block.
#[derive(Clone, Copy)]
pub struct ObjectRef<'a>(NonNull<Head>, PhantomData<&'a Head>);

/// An object that may be changed. It has the right to the whole block.
pub struct ObjectMut<'a>(NonNull<Head>, PhantomData<&'a mut Head>);

/// The whole tuple of an object, unpacked if necessary.
pub enum Opened<'a> {
    Plain(ObjectRef<'a>),
    Unpacked { tuple: Term, _room: Scratch },
}

/// What to do with an object.
pub(crate) enum Verdict {
    Keep,
    Remove,
    /// Replace it by this one, which has an equal key.
    Replace(OwnedObject),
}

impl Opened<'_> {
    /// Valid while this and the object are.
    #[inline]
    #[must_use]
    pub fn tuple(&self) -> Term {
        match self {
            Opened::Plain(object) => object.tuple(),
            Opened::Unpacked { tuple, .. } => *tuple,
        }
    }

    #[inline]
    #[must_use]
    pub fn elements(&self) -> &[Term] {
        match self {
            Opened::Plain(object) => object.elements(),
            Opened::Unpacked { tuple, .. } => {
                // SAFETY: the words lie in the room that `self` holds, and no collection knows them.
                let no_gc = unsafe { NoGc::assume_for() };
                tuple.as_tuple(no_gc).expect("an object is a tuple")
            }
        }
    }
}

/// An object to be inserted into a table.
pub enum New {
    Object(OwnedObject),
    /// A tuple with a key, on a process's heap. No object is allocated if it is not inserted, or if it fits into the
    /// memory of the object that it replaces.
    Tuple {
        tuple: Term,
        /// The hash of its key.
        hash: u32,
        /// Whether the table is compressed.
        packs: bool,
    },
}

impl From<OwnedObject> for New {
    fn from(object: OwnedObject) -> New {
        New::Object(object)
    }
}

impl New {
    #[inline]
    #[must_use]
    pub fn key(&self, keypos: usize) -> Term {
        match self {
            New::Object(object) => object.get().key(keypos),
            New::Tuple { tuple, .. } => {
                tuple.as_tuple(no_gc!()).expect("a tuple with a key")[keypos - 1]
            }
        }
    }

    #[inline]
    #[must_use]
    pub fn hash(&self) -> u32 {
        match self {
            New::Object(object) => object.get().hash(),
            New::Tuple { hash, .. } => *hash,
        }
    }

    /// Whether an object's tuple is exactly equal.
    #[must_use]
    pub(crate) fn equals(&self, object: ObjectRef<'_>) -> bool {
        match self {
            New::Object(new) => compare::eq_exact(object.open().tuple(), new.get().open().tuple()),
            New::Tuple { tuple, .. } => compare::eq_exact(object.open().tuple(), *tuple),
        }
    }

    /// Overwrites the memory of an object with an equal key, if this one fits exactly. Otherwise returns false and
    /// changes nothing.
    #[inline]
    pub(crate) fn overwrite(&self, object: &mut ObjectMut<'_>) -> bool {
        match self {
            New::Tuple {
                tuple,
                packs: false,
                ..
            } => object.overwrite(*tuple),
            _ => false,
        }
    }

    #[inline]
    #[must_use]
    pub(crate) fn into_object(self, keypos: usize) -> OwnedObject {
        match self {
            New::Object(object) => object,
            New::Tuple {
                tuple,
                hash,
                packs: true,
            } => OwnedObject::packed(tuple, hash, keypos),
            New::Tuple { tuple, hash, .. } => OwnedObject::new(tuple, hash),
        }
    }
}

pub(crate) use layout::cache::prefetch;

/// Prefetches what follows the first cache line of an object: a key of several words extends into it, and is read
/// right after the head.
#[inline(always)]
pub(crate) fn prefetch_key(object: ObjectRef<'_>) {
    prefetch(object.0.as_ptr().cast::<u8>().wrapping_add(64));
}

/// [`are_alike`] compares at most this many cells of a list.
const ALIKE_CELLS: usize = 32;

/// Whether two terms have the same shallow shape: both immediates; floats, bignums or heap binaries of equal size; or
/// tuples or lists of immediates, of equal length.
#[inline]
fn are_alike(one: Term, other: Term) -> bool {
    if one.is_immediate() || other.is_immediate() {
        return one.is_immediate() && other.is_immediate();
    }
    if one.is_cons() || other.is_cons() {
        let (mut one, mut other) = (one, other);
        for _ in 0..ALIKE_CELLS {
            let (Some((head, tail)), Some((other_head, other_tail))) =
                (one.as_cons(), other.as_cons())
            else {
                return one.is_immediate() && other.is_immediate();
            };
            if !head.is_immediate() || !other_head.is_immediate() {
                return false;
            }
            (one, other) = (tail, other_tail);
        }
        return false;
    }
    let (first, second) = (one.expect_boxed(), other.expect_boxed());
    first.header() == second.header()
        && match first.kind() {
            ObjectKind::Tuple => {
                let no_gc = no_gc!();
                let elements = |tuple: Term| tuple.as_tuple(no_gc).unwrap_or_default();
                elements(one)
                    .iter()
                    .chain(elements(other))
                    .all(|element| element.is_immediate())
            }
            ObjectKind::Float
            | ObjectKind::HeapBinary
            | ObjectKind::PositiveBig
            | ObjectKind::NegativeBig => true,
            _ => false,
        }
}

/// Overwrites the words of a term with those of another one of the same shape. Returns the term that now stands for
/// `new`.
///
/// # Safety
/// [`are_alike`] holds for the two, and nobody else uses `old`.
#[inline]
unsafe fn put_alike(old: Term, new: Term) -> Term {
    if new.is_immediate() {
        return new;
    }
    // SAFETY: the terms are alike, so both have these words; those of `old` belong to the caller.
    unsafe {
        if new.is_cons() {
            let (mut to, mut from) = (old, new);
            while let (Some(cell), Some(source)) = (to.as_cell(), from.as_cell()) {
                cell.pointer().write(source.head());
                let tail = source.tail();
                if tail.is_immediate() {
                    cell.pointer().add(1).write(tail);
                }
                (to, from) = (cell.tail(), tail);
            }
        } else {
            let (to, from) = (old.expect_boxed().pointer(), new.expect_boxed());
            for at in 1..=from.arity() {
                to.add(at).write(*from.pointer().add(at));
            }
        }
    }
    old
}

/// Charges the running process for the copy of an object.
#[inline]
fn charge_copy(words: usize) {
    if words >= CHARGED_FROM_WORDS {
        current::charge((words / WORDS_PER_REDUCTION) as i64);
    }
}

fn block_layout(words: usize) -> Layout {
    Layout::from_size_align(size_of::<Head>() + words * 8, 8).expect("a size below isize::MAX")
}

impl<'a> ObjectRef<'a> {
    #[inline(always)]
    fn head(self) -> &'a Head {
        // SAFETY: whoever made this handle had the right to read the object for `'a` (`OwnedObject::get`,
        // `ObjectRef::from_raw`), and nothing changes the head meanwhile.
        unsafe { self.0.as_ref() }
    }

    /// The word after the head, with the right to the whole block.
    #[inline(always)]
    fn first_word(self) -> *mut u64 {
        // Wrapping is not needed, but does not ask for a reason either: a block is larger than its head.
        self.0.as_ptr().wrapping_add(1).cast()
    }

    /// An object behind a pointer that [`OwnedObject::into_raw`] returned.
    ///
    /// # Safety
    /// The object is live for `'a`, and nobody changes it meanwhile.
    #[inline(always)]
    pub(super) unsafe fn from_raw(object: NonNull<Head>) -> ObjectRef<'a> {
        ObjectRef(object, PhantomData)
    }

    /// The object after this one in its chain.
    #[inline(always)]
    pub(super) fn next(self) -> Option<ObjectRef<'a>> {
        self.head().next.as_ref().map(OwnedObject::get)
    }

    #[inline]
    #[must_use]
    pub(crate) fn is_packed(self) -> bool {
        self.head().words & PACKED != 0
    }

    /// The tuple with all of its elements, unpacked if necessary.
    #[inline]
    #[must_use]
    pub fn open(self) -> Opened<'a> {
        if self.is_packed() {
            self.unpacked()
        } else {
            Opened::Plain(self)
        }
    }

    #[cold]
    fn unpacked(self) -> Opened<'a> {
        let mut room = Scratch::new();
        let tuple = self.copy_to(room.heap());
        Opened::Unpacked { tuple, _room: room }
    }

    /// The tuple as it is stored in the block. Valid while the object is.
    #[inline]
    #[must_use]
    fn tuple(self) -> Term {
        // SAFETY: the block's first words are the tuple.
        unsafe { Term::from_boxed_pointer(self.first_word()) }
    }

    /// The elements of the tuple; packed ones are the non-value.
    #[inline]
    #[must_use]
    pub fn elements(self) -> &'a [Term] {
        let tuple = self.first_word();
        // SAFETY: the block's first words are a tuple (`OwnedObject::new` asserts it), and nobody changes them for
        // `'a`.
        unsafe { slice::from_raw_parts(tuple.add(1).cast(), Header(*tuple).arity()) }
    }

    /// The key, which is at `keypos` (from 1).
    #[inline]
    #[must_use]
    pub fn key(self, keypos: usize) -> Term {
        self.elements()[keypos - 1]
    }

    /// As [`ObjectRef::key`], without a bounds check.
    ///
    /// # Safety
    /// The tuple has at least `keypos` elements, and `keypos` is not 0.
    #[inline(always)]
    #[must_use]
    pub(crate) unsafe fn key_unchecked(self, keypos: usize) -> Term {
        // SAFETY: the element is one of the tuple's, which the caller has to know; elements are terms.
        unsafe { Term::from_bits(*self.first_word().add(keypos)) }
    }

    #[inline]
    #[must_use]
    pub fn hash(self) -> u32 {
        self.head().mark & HASH_MASK
    }

    #[inline]
    #[must_use]
    pub fn is_deleted(self) -> bool {
        self.head().mark & DELETED != 0
    }

    /// Number of words after the head.
    #[inline]
    fn words(self) -> usize {
        (self.head().words & !PACKED) as usize
    }

    /// All words after the head.
    fn all_words(self) -> &'a [u64] {
        // SAFETY: the block has that many words after its head, and nobody changes them for `'a`.
        unsafe { slice::from_raw_parts(self.first_word(), self.words()) }
    }

    /// Bytes that the object takes, without shared binaries.
    #[must_use]
    pub(crate) fn bytes(self) -> usize {
        block_layout(self.words()).size()
    }

    /// Address, size and reference count of the shared binaries in it.
    #[must_use]
    pub fn binaries(self) -> Vec<(u64, u64, u32)> {
        let mut binaries = Vec::new();
        let mut object = self.head().off_heap;
        while !object.is_null() {
            // SAFETY: the list holds the off-heap objects of this block, which is borrowed.
            unsafe {
                if Header(*object).kind() == ObjectKind::SharedBinary {
                    let block = off_heap::block_of(object);
                    binaries.push((
                        block as u64,
                        off_heap::bytes_of(object) as u64,
                        off_heap::references(block),
                    ));
                }
                object = off_heap::next_of(object);
            }
        }
        binaries
    }

    /// A copy of the tuple with the elements at some indexes (from 0) replaced; with a `keypos` packed, see
    /// [`OwnedObject::packed`].
    #[must_use]
    pub fn changed(self, changes: &[(usize, Term)], keypos: Option<usize>) -> OwnedObject {
        let opened = self.open();
        let tuple = opened.tuple();
        let mut words: SmallVec<[u64; 16]> = SmallVec::new();
        words.push(tuple.expect_boxed().header().0);
        words.extend(opened.elements().iter().map(|element| element.bits()));
        for (index, value) in changes {
            words[1 + index] = value.bits();
        }
        // SAFETY: these are the words of a tuple, which live until it is copied.
        let tuple = unsafe { Term::from_boxed_pointer(words.as_ptr()) };
        match keypos {
            Some(keypos) => OwnedObject::packed(tuple, self.hash(), keypos),
            None => OwnedObject::new(tuple, self.hash()),
        }
    }

    /// Copies the tuple to a heap.
    #[inline]
    pub fn copy_to<A: Allocate + ?Sized>(self, heap: &mut A) -> Term {
        let words = self.words();
        let source = self.all_words();
        if words == 1 + Header(source[0]).arity() {
            // All elements are immediates.
            let room = heap.allocate(words);
            // SAFETY: the room is fresh and as large; the copy is a tuple.
            unsafe {
                for (at, word) in source.iter().enumerate() {
                    room.add(at).write(*word);
                }
                return Term::from_boxed_pointer(room);
            }
        }
        if self.is_packed() {
            return self.unpack_to(heap);
        }
        let room = heap.allocate(words);
        // SAFETY: the room is fresh; the copy begins with the tuple.
        unsafe {
            copy_words(source, room, heap);
            Term::from_boxed_pointer(room)
        }
    }

    /// Copies an element, counted from 0, to a heap.
    pub fn copy_element_to<A: Allocate + ?Sized>(self, index: usize, heap: &mut A) -> Term {
        let element = self.elements()[index];
        if element != Term::NONE {
            return copy::copy(heap, element);
        }
        let block = self.block();
        if block.before + block.rest > MAX_UNPACKED_WORDS {
            return copy::copy(heap, self.open().elements()[index]);
        }
        // Copying the whole tuple to the heap takes less time than unpacking it elsewhere and copying the element.
        self.copy_to(heap)
            .as_tuple(no_gc!())
            .expect("an object is a tuple")[index]
    }

    /// Copies the tuple of a packed object, unpacking it.
    #[cold]
    #[inline(never)]
    fn unpack_to<A: Allocate + ?Sized>(self, heap: &mut A) -> Term {
        let block = self.block();
        let room = heap.allocate(block.before + block.rest);
        let source = &self.all_words()[..block.before];
        let mut bytes = 0;
        // SAFETY: the words before the islands are the tuple and what its key reaches, copied to the same offsets;
        // the rest is placed after them. Packed elements are those that hold the non-value.
        unsafe {
            copy_words(source, room, heap);
            let arity = self.elements().len();
            let first: SmallVec<[*mut u64; 8]> = (1..=arity)
                .map(|at| room.add(at))
                .filter(|place| **place == Term::NONE.bits())
                .collect();
            let target = packed::Target {
                first: &first,
                rest: room.add(block.before),
                rest_words: block.rest,
            };
            packed::unpack(block.bytes, block.islands, &target, |object| {
                off_heap::link(heap.off_heap_list(), object);
                bytes += off_heap::bytes_of(object);
            });
        }
        if bytes > 0 {
            heap.charge_off_heap(bytes);
        }
        // SAFETY: the copy begins with the tuple.
        unsafe { Term::from_boxed_pointer(room) }
    }

    /// The parts of a packed object.
    fn block(self) -> Block<'a> {
        // `OwnedObject::packed` wrote the counts into the last words, and the parts that they count before them.
        let (words, counts) = self.all_words().split_at(self.words() - COUNTS);
        let before = (counts[0] >> 32) as usize;
        let (islands, tokens) = words[before..].split_at(counts[0] as u32 as usize);
        // SAFETY: words are bytes, eight of them each.
        let bytes = unsafe { slice::from_raw_parts(tokens.as_ptr().cast(), 8 * tokens.len()) };
        Block {
            before,
            rest: counts[1] as usize,
            islands,
            bytes,
        }
    }
}

impl<'a> ObjectMut<'a> {
    /// An object behind a pointer that [`OwnedObject::into_raw`] returned.
    ///
    /// # Safety
    /// The object is live for `'a`, and nobody else uses it meanwhile.
    #[inline(always)]
    pub(super) unsafe fn from_raw(object: NonNull<Head>) -> ObjectMut<'a> {
        ObjectMut(object, PhantomData)
    }

    /// The object, to be read.
    #[inline(always)]
    #[must_use]
    pub fn get(&self) -> ObjectRef<'_> {
        ObjectRef(self.0, PhantomData)
    }

    #[inline(always)]
    fn head(&mut self) -> &mut Head {
        // SAFETY: whoever made this handle had the only access to the object (`OwnedObject::get_mut`,
        // `ObjectMut::from_raw`), and the handle is borrowed exclusively.
        unsafe { self.0.as_mut() }
    }

    pub(super) fn set_deleted(&mut self, deleted: bool) {
        let hash = self.get().hash();
        self.head().mark = hash | if deleted { DELETED } else { 0 };
    }

    /// Replaces an immediate at `index` (from 0) by another one. Returns false and changes nothing if either is not
    /// an immediate.
    pub fn set_immediate(&mut self, index: usize, value: Term) -> bool {
        if !value.is_immediate() || !self.get().elements()[index].is_immediate() {
            return false;
        }
        // SAFETY: the element is within the tuple, and this handle is the only one to the object.
        unsafe { *self.get().first_word().add(1 + index) = value.bits() };
        true
    }

    /// Overwrites this tuple with another one that has an equal key, if that takes as many words and this one is not
    /// packed. Otherwise returns false and changes nothing.
    fn overwrite(&mut self, tuple: Term) -> bool {
        if self.overwrite_alike(tuple) {
            return true;
        }
        let words = copy::size_with_literals(tuple);
        // Never true of a packed one, whose count of words is marked.
        if self.head().words as usize != words {
            return false;
        }
        charge_copy(words);
        let room = self.get().first_word();
        let list = &mut self.head().off_heap;
        // SAFETY: the block has as many words as the tuple, which lies outside of it: a block's terms are not shared.
        unsafe {
            off_heap::release(std::mem::replace(list, ptr::null_mut()));
            copy::copy_to(room, words, list, tuple, true);
        }
        true
    }

    /// As [`ObjectMut::overwrite`], for a tuple of the same shape: its words need not be counted, nor its terms laid
    /// out again.
    #[inline]
    fn overwrite_alike(&mut self, tuple: Term) -> bool {
        let no_gc = no_gc!();
        let Some(elements) = tuple.as_tuple(no_gc) else {
            return false;
        };
        let object = self.get();
        let held = object.elements();
        let is_alike = !object.is_packed()
            && object.head().off_heap.is_null()
            && held.len() == elements.len()
            && held
                .iter()
                .zip(elements)
                .all(|(old, new)| are_alike(*old, *new));
        if !is_alike {
            return false;
        }
        let first = object.first_word();
        for (index, new) in elements.iter().enumerate() {
            // SAFETY: the place is an element of this object's tuple, and alike to the new one; the block is a tree,
            // so no element shares words with another one.
            unsafe {
                let place = first.add(1 + index);
                let put = put_alike(Term::from_bits(*place), *new);
                place.write(put.bits());
            }
        }
        true
    }
}

/// Parts of a packed object.
struct Block<'a> {
    /// Words before the islands.
    before: usize,
    /// Number of words that the packed elements reach, when unpacked.
    rest: usize,
    islands: &'a [u64],
    /// The tokens, and padding up to the end of the last word.
    bytes: &'a [u8],
}

/// Copies words of a block to a heap, adjusting their pointers.
///
/// # Safety
/// The words are objects and list cells that point only to each other. `room` has as many fresh words.
unsafe fn copy_words<A: Allocate + ?Sized>(words: &[u64], room: *mut u64, heap: &mut A) {
    let (source, words) = (words.as_ptr(), words.len());
    let shift = (room as u64).wrapping_sub(source as u64);
    let mut at = 0;
    let mut bytes = 0;
    while at < words {
        // SAFETY: `at` is one of the words, at the start of an object or a term.
        unsafe {
            let (from, to) = (source.add(at), room.add(at));
            let word = *from;
            if Header::is_header(word) {
                let header = Header(word);
                to.write(word);
                let raw = header.raw_words();
                if raw > 0 {
                    to.add(1).copy_from_nonoverlapping(from.add(1), raw);
                }
                if packed::is_counting(header) {
                    off_heap::retain(off_heap::block_of(to));
                    off_heap::link(heap.off_heap_list(), to);
                    bytes += off_heap::bytes_of(to);
                }
                at += 1 + raw;
                continue;
            }
            let is_pointer = !Term::from_bits(word).is_immediate();
            to.write(if is_pointer {
                word.wrapping_add(shift)
            } else {
                word
            });
            at += 1;
        }
    }
    if bytes > 0 {
        heap.charge_off_heap(bytes);
    }
}

// SAFETY: an object points to nothing that belongs to a thread or process, and has one owner.
unsafe impl Send for OwnedObject {}
// SAFETY: shared access only reads.
unsafe impl Sync for OwnedObject {}

impl OwnedObject {
    /// Copies a tuple; `hash` is that of its key.
    ///
    /// # Panics
    /// If `tuple` is not a tuple with at least one element.
    #[must_use]
    pub fn new(tuple: Term, hash: u32) -> OwnedObject {
        assert!(
            tuple
                .as_tuple(no_gc!())
                .is_some_and(|elements| !elements.is_empty()),
            "a tuple with a key"
        );
        let words = copy::size_with_literals(tuple);
        charge_copy(words);
        let object = OwnedObject::with_room(words, hash);
        let room = object.get().first_word();
        // SAFETY: the room has as many words as were counted; nobody else has the object.
        unsafe {
            let list = &raw mut (*object.0.as_ptr()).off_heap;
            let copied = copy::copy_to(room, words, &mut *list, tuple, true);
            debug_assert_eq!(copied.boxed_pointer(), room);
        }
        object
    }

    /// Allocates an object whose words are still to be written.
    fn with_room(words: usize, hash: u32) -> OwnedObject {
        assert!(words < PACKED as usize, "an object below 16 GiB");
        let layout = block_layout(words);
        // SAFETY: the size is not zero.
        let block = unsafe { alloc(layout) }.cast::<Head>();
        let Some(object) = NonNull::new(block) else {
            handle_alloc_error(layout)
        };
        held::took(HeldKind::Object, layout.size());
        let head = Head {
            off_heap: ptr::null_mut(),
            words: words as u32,
            mark: hash & HASH_MASK,
            next: None,
        };
        // SAFETY: fresh memory for the head.
        unsafe { object.write(head) };
        OwnedObject(object)
    }

    /// As [`OwnedObject::new`], but packs what elements other than the key at `keypos` (from 1) reach, if that makes
    /// the object smaller.
    ///
    /// # Panics
    /// As [`OwnedObject::new`], and if there is no element at `keypos`.
    #[must_use]
    pub(crate) fn packed(tuple: Term, hash: u32, keypos: usize) -> OwnedObject {
        let no_gc = no_gc!();
        let elements = tuple.as_tuple(no_gc).expect("a tuple with a key");
        // The tuple with `[]` in place of the packed elements, and a tuple of the packed elements.
        let mut kept: SmallVec<[u64; 16]> = SmallVec::new();
        let mut others: SmallVec<[u64; 16]> = SmallVec::new();
        kept.push(Header::new(ObjectKind::Tuple, elements.len()).0);
        others.push(0);
        for (index, element) in elements.iter().enumerate() {
            let is_kept = element.is_immediate() || index + 1 == keypos;
            kept.push(if is_kept {
                element.bits()
            } else {
                Term::NIL.bits()
            });
            if !is_kept {
                others.push(element.bits());
            }
        }
        others[0] = Header::new(ObjectKind::Tuple, others.len() - 1).0;
        if others.len() == 1 {
            return OwnedObject::new(tuple, hash);
        }
        let key = elements[keypos - 1];
        let before = kept.len() + copy::size_with_literals(key);
        // SAFETY: both are the words of a tuple, and live until they are copied.
        let (kept, others) = unsafe {
            (
                Term::from_boxed_pointer(kept.as_ptr()),
                Term::from_boxed_pointer(others.as_ptr()),
            )
        };
        let others = OwnedObject::new(others, 0);
        let others = others.get();
        let count = others.elements().len();
        let whole_words = before + others.words() - 1 - count;
        let others_words = &others.all_words()[1..];
        // SAFETY: the words of a copied tuple except its header.
        let Some(packed) = (unsafe { Packed::of(others_words) }) else {
            return OwnedObject::new(tuple, hash);
        };
        let island_words: usize = packed.islands.iter().map(Range::len).sum();
        let words = before + island_words + packed.bytes.len().div_ceil(8) + COUNTS;
        if words >= whole_words {
            return OwnedObject::new(tuple, hash);
        }
        let object = OwnedObject::with_room(words, hash);
        let room = object.get().first_word();
        // SAFETY: the room has all of the words that are written: the kept ones, the islands, the tokens, the counts.
        // Nobody else has the object.
        unsafe {
            let head = &mut *object.0.as_ptr();
            head.words |= PACKED;
            copy::copy_to(room, before, &mut head.off_heap, kept, true);
            for (index, element) in elements.iter().enumerate() {
                if !element.is_immediate() && index + 1 != keypos {
                    room.add(1 + index).write(Term::NONE.bits());
                }
            }
            let mut to = room.add(before);
            for island in &packed.islands {
                let island = &others_words[island.clone()];
                to.copy_from_nonoverlapping(island.as_ptr(), island.len());
                off_heap::retain(off_heap::block_of(to));
                off_heap::link(&mut head.off_heap, to);
                to = to.add(island.len());
            }
            let end = room.add(words);
            // The last word of tokens may be filled only in part.
            let tokens = to.cast::<u8>();
            let space = end.sub(COUNTS).cast::<u8>().offset_from_unsigned(tokens);
            tokens.copy_from_nonoverlapping(packed.bytes.as_ptr(), packed.bytes.len());
            tokens
                .add(packed.bytes.len())
                .write_bytes(0, space - packed.bytes.len());
            end.sub(2)
                .write((before as u64) << 32 | island_words as u64);
            end.sub(1).write((others_words.len() - count) as u64);
        }
        object
    }

    /// Gives up ownership; [`OwnedObject::from_raw`] takes it back.
    #[must_use]
    pub(super) fn into_raw(self) -> NonNull<Head> {
        let object = self.0;
        std::mem::forget(self);
        object
    }

    /// Takes ownership of an object.
    ///
    /// # Safety
    /// `object` came from [`OwnedObject::into_raw`], and this is the only call with it since.
    #[must_use]
    pub(super) unsafe fn from_raw(object: NonNull<Head>) -> OwnedObject {
        OwnedObject(object)
    }

    /// The object, to be read.
    #[inline(always)]
    #[must_use]
    pub fn get(&self) -> ObjectRef<'_> {
        ObjectRef(self.0, PhantomData)
    }

    /// The object, to be changed.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> ObjectMut<'_> {
        ObjectMut(self.0, PhantomData)
    }

    /// Prefetches the object.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        prefetch(self.0.as_ptr());
    }

    /// The place behind this object in its chain.
    #[inline(always)]
    pub(super) fn next_mut(&mut self) -> &mut Link {
        // SAFETY: the owner has the only access to the object, and is borrowed.
        unsafe { &mut (*self.0.as_ptr()).next }
    }
}

impl OwnedObject {
    /// From now on the object does not count as one of a table, until [`count_again`](Self::count_again), which must
    /// come before it is dropped.
    pub(crate) fn count_no_more(&self) {
        held::gave(HeldKind::Object, block_layout(self.get().words()).size());
    }

    pub(crate) fn count_again(&self) {
        held::took(HeldKind::Object, block_layout(self.get().words()).size());
    }
}

impl Drop for OwnedObject {
    fn drop(&mut self) {
        // SAFETY: this is the only owner; the layout is the one that the object was allocated with.
        unsafe {
            let head = self.0.as_ptr();
            debug_assert!((*head).next.is_none(), "an object that is in no chain");
            off_heap::release((*head).off_heap);
            let layout = block_layout(self.get().words());
            dealloc(head.cast(), layout);
            held::gave(HeldKind::Object, layout.size());
        }
    }
}
