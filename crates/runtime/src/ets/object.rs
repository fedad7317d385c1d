//! An object of a table: a tuple copied into a block of its own, outside every process.
//!
//! ```text
//! next | off-heap list | words, hash and mark | the tuple, then everything that it reaches
//! ```
//!
//! Nothing in the block points out of it, literals included (their module may be purged while the
//! object stays). So copying it to a heap is one move of memory and one pass that shifts pointers.
//!
//! Whoever holds the lock of the part of the table that an object is in may read or change it.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::Deref;
use std::ptr::{self, NonNull};

use layout::{Header, Kind, Term};
use term::copy;
use term::heap::Allocate;
use term::off_heap;

/// Set in [`Object::mark`]'s word: the object is deleted, but stays in its chain while the table is fixed.
const DELETED: u32 = 1 << 31;
/// Bits of a hash.
pub const HASH_MASK: u32 = DELETED - 1;

/// The head of an object; its words follow.
#[repr(C)]
pub struct Object {
    /// The next object of a chain; for the one who owns the chain.
    pub(super) next: *mut Object,
    off_heap: *mut u64,
    words: u32,
    /// The hash of its key, and whether it is deleted.
    mark: u32,
}

fn block_layout(words: usize) -> Layout {
    Layout::from_size_align(size_of::<Object>() + words * 8, 8).expect("a size below isize::MAX")
}

impl Object {
    fn first_word(&self) -> *mut u64 {
        ptr::from_ref(self).wrapping_add(1).cast_mut().cast::<u64>()
    }

    /// The tuple. Valid while the object is.
    #[inline]
    #[must_use]
    pub fn tuple(&self) -> Term {
        // SAFETY: the block's first words are the tuple.
        unsafe { Term::from_boxed_pointer(self.first_word()) }
    }

    /// The elements of the tuple.
    #[inline]
    #[must_use]
    pub fn elements(&self) -> &[Term] {
        self.tuple().as_tuple().expect("an object is a tuple")
    }

    /// The key, where it stands at `keypos` (from 1).
    #[inline]
    #[must_use]
    pub fn key(&self, keypos: usize) -> Term {
        self.elements()[keypos - 1]
    }

    #[inline]
    #[must_use]
    pub fn hash(&self) -> u32 {
        self.mark & HASH_MASK
    }

    #[inline]
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.mark & DELETED != 0
    }

    pub fn set_deleted(&mut self, deleted: bool) {
        self.mark = self.hash() | if deleted { DELETED } else { 0 };
    }

    /// Words of the tuple and of what it reaches.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words as usize
    }

    /// Bytes that the object takes, without shared binaries.
    #[must_use]
    pub fn bytes(&self) -> usize {
        block_layout(self.words()).size()
    }

    /// Address, size and number of holders of the shared binaries in it.
    #[must_use]
    pub fn binaries(&self) -> Vec<(u64, u64, u32)> {
        let mut binaries = Vec::new();
        let mut object = self.off_heap;
        while !object.is_null() {
            // SAFETY: the list holds the off-heap objects of this block, which is borrowed.
            unsafe {
                if Header(*object).kind() == Kind::SharedBinary {
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

    /// Puts an immediate in place of an immediate at `index` (from 0); false when one is none, and
    /// nothing is changed.
    pub fn set_immediate(&mut self, index: usize, value: Term) -> bool {
        let elements = self.elements();
        if !value.is_immediate() || !elements[index].is_immediate() {
            return false;
        }
        // SAFETY: the element is within the tuple, and the caller has the object alone.
        unsafe { *self.first_word().add(1 + index) = value.bits() };
        true
    }

    /// Copies the tuple to a heap.
    pub fn copy_to<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        let words = self.words();
        let room = heap.allocate(words);
        let source = self.first_word();
        let shift = (room as u64).wrapping_sub(source as u64);
        let mut at = 0;
        let mut bytes = 0;
        while at < words {
            // SAFETY: both have `words` words, of which `at` is one at the start of an object or a term; the room is fresh.
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
                    if matches!(header.kind(), Kind::SharedBinary | Kind::MagicReference) {
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
        // SAFETY: the copy begins with the tuple.
        unsafe { Term::from_boxed_pointer(room) }
    }
}

/// An object and its memory.
pub struct OwnedObject(NonNull<Object>);

// SAFETY: an object points to nothing of a thread or process, and has one owner.
unsafe impl Send for OwnedObject {}
// SAFETY: shared access only reads.
unsafe impl Sync for OwnedObject {}

impl OwnedObject {
    /// Copies a tuple; `hash` is that of its key.
    ///
    /// # Panics
    /// When `tuple` is no tuple of at least one element.
    #[must_use]
    pub fn new(tuple: Term, hash: u32) -> OwnedObject {
        assert!(
            tuple
                .as_tuple()
                .is_some_and(|elements| !elements.is_empty()),
            "a tuple with a key"
        );
        let words = copy::size_with_literals(tuple);
        let layout = block_layout(words);
        // SAFETY: the size is not zero.
        let block = unsafe { alloc(layout) }.cast::<Object>();
        let Some(object) = NonNull::new(block) else {
            handle_alloc_error(layout)
        };
        let words32 = u32::try_from(words).expect("an object below 32 GiB");
        let head = Object {
            next: ptr::null_mut(),
            off_heap: ptr::null_mut(),
            words: words32,
            mark: hash & HASH_MASK,
        };
        // SAFETY: fresh memory for the head and the words that were counted.
        unsafe {
            object.write(head);
            let room = (*block).first_word();
            let copied = copy::copy_to(room, words, &mut (*block).off_heap, tuple, true);
            debug_assert_eq!(copied.boxed_pointer(), room);
        }
        OwnedObject(object)
    }

    /// A tuple with other elements at some places, in place of the old object; the key must stay equal.
    #[must_use]
    pub fn with_elements(old: &Object, changes: &[(usize, Term)]) -> OwnedObject {
        let mut words: Vec<u64> = Vec::with_capacity(1 + old.elements().len());
        words.push(Header::new(Kind::Tuple, old.elements().len()).0);
        words.extend(old.elements().iter().map(|element| element.bits()));
        for (index, value) in changes {
            words[1 + index] = value.bits();
        }
        // SAFETY: the words are a tuple's, and live until the copy is made.
        let tuple = unsafe { Term::from_boxed_pointer(words.as_ptr()) };
        OwnedObject::new(tuple, old.hash())
    }

    /// Gives up the object: it belongs to a chain.
    #[must_use]
    pub(super) fn into_raw(self) -> *mut Object {
        let object = self.0.as_ptr();
        std::mem::forget(self);
        object
    }

    /// Takes an object out of a chain.
    ///
    /// # Safety
    /// `object` came from [`OwnedObject::into_raw`] and is in no chain any more.
    #[must_use]
    pub(super) unsafe fn from_raw(object: *mut Object) -> OwnedObject {
        // SAFETY: the caller's promise; such a pointer is not null.
        OwnedObject(unsafe { NonNull::new_unchecked(object) })
    }

    /// The object, to be changed.
    pub fn get_mut(&mut self) -> &mut Object {
        // SAFETY: live, and borrowed alone through `self`.
        unsafe { self.0.as_mut() }
    }
}

impl Deref for OwnedObject {
    type Target = Object;

    fn deref(&self) -> &Object {
        // SAFETY: live as long as `self`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for OwnedObject {
    fn drop(&mut self) {
        // SAFETY: the one owner goes; the layout is the one it was allocated with.
        unsafe {
            let object = self.0.as_ptr();
            off_heap::release((*object).off_heap);
            dealloc(object.cast(), block_layout((*object).words()));
        }
    }
}
