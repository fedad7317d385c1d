//! Allocation on a process heap, in fragments beside it, and in fragments outside any process ([`Scratch`]).
//!
//! [`Allocate`] is how everything below the collector gets room: it never fails and never collects, so terms may be
//! held in Rust locals while building. Terms that do not fit the heap go to a fragment, which the next collection
//! empties.
//!
//! A heap is touched only by the thread that runs its process; a fragment by whoever holds it.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr;

use layout::cache;
use layout::heap::flag;
use layout::limits::STACK_RESERVE_WORDS;
use layout::{Fragment, Heap, Term};

use crate::{copy, held, off_heap};

/// A place where terms can be built.
pub trait Allocate {
    /// Room for `words` words, uninitialised; they must be filled before the next safepoint.
    fn allocate(&mut self, words: usize) -> *mut u64;

    /// The off-heap list that objects allocated here are linked into.
    fn off_heap_list(&mut self) -> &mut *mut u64;

    /// Records that `bytes` bytes of shared binaries are now reachable from here.
    fn charge_off_heap(&mut self, _bytes: usize) {}
}

/// Minimum size of a fragment that is opened when the heap is full, so that many small terms share one.
const FRAGMENT_WORDS: usize = 128;
/// A new fragment has at least 1/`FRAGMENT_SHARE` of the words that are already in fragments, so that there are never
/// very many fragments. That share is limited to `SHARED_FRAGMENT_WORDS`.
const FRAGMENT_SHARE: usize = 8;
const SHARED_FRAGMENT_WORDS: usize = 1 << 15;

/// A message stays in the fragment it was built in if at most this many of its words are unused.
const UNUSED_WORDS: usize = 8;

/// Words that fit on the heap itself.
#[inline]
#[must_use]
pub fn room_words(heap: &Heap) -> usize {
    let free = (heap.stack as usize - heap.top as usize) / 8;
    free.saturating_sub(STACK_RESERVE_WORDS)
}

impl Allocate for Heap {
    #[inline]
    fn allocate(&mut self, words: usize) -> *mut u64 {
        let free = (self.stack as usize - self.top as usize) / 8;
        if words + STACK_RESERVE_WORDS <= free {
            let object = self.top;
            self.top = object.wrapping_add(words);
            return object;
        }
        allocate_beside(self, words)
    }

    fn off_heap_list(&mut self) -> &mut *mut u64 {
        &mut self.off_heap
    }

    #[inline]
    fn charge_off_heap(&mut self, bytes: usize) {
        self.off_heap_words = self.off_heap_words.saturating_add((bytes / 8) as u32);
        if self.off_heap_words > self.off_heap_limit_words {
            self.flags |= flag::FORCE;
        }
    }
}

#[cold]
fn allocate_beside(heap: &mut Heap, words: usize) -> *mut u64 {
    let room = (heap.fragment_end as usize - heap.fragment_top as usize) / 8;
    if words > room {
        open_fragment_for(heap, words);
    }
    let object = heap.fragment_top;
    heap.fragment_top = object.wrapping_add(words);
    object
}

/// Gives a heap another fragment to build in, of `words` words or more.
fn open_fragment_for(heap: &mut Heap, words: usize) {
    let share = heap.fragment_words as usize / FRAGMENT_SHARE;
    open_fragment(
        heap,
        words.max(share.clamp(FRAGMENT_WORDS, SHARED_FRAGMENT_WORDS)),
    );
}

/// Gives a heap another fragment to build in.
fn open_fragment(heap: &mut Heap, words: usize) {
    let fragment = new_fragment(words);
    // SAFETY: just allocated, with `words` words behind its header.
    unsafe {
        heap.fragment_top = Fragment::words_pointer(fragment);
        heap.fragment_end = heap.fragment_top.add(words);
    }
    // SAFETY: fresh, in no list.
    unsafe { adopt(heap, fragment) };
}

/// A part of a heap's room in which to build many terms: where the next one goes is here instead of in the heap, which
/// must not be used otherwise meanwhile.
pub struct Room<'a> {
    heap: &'a mut Heap,
    top: *mut u64,
    end: *mut u64,
    /// Whether the room is in a fragment.
    is_beside: bool,
    /// The least size of a fragment.
    fragment_words: usize,
}

impl<'a> Room<'a> {
    /// The room of the heap itself. If it is not enough, there will be fragments of `words` words or more.
    #[inline]
    #[must_use]
    pub fn new(heap: &'a mut Heap, words: usize) -> Room<'a> {
        let (top, free) = (heap.top, room_words(heap));
        Room {
            heap,
            top,
            end: top.wrapping_add(free),
            is_beside: false,
            fragment_words: words.min(SHARED_FRAGMENT_WORDS),
        }
    }

    fn put_back(&mut self) {
        if self.is_beside {
            self.heap.fragment_top = self.top;
        } else {
            self.heap.top = self.top;
        }
    }

    /// Continues elsewhere, with room for `words` words.
    #[cold]
    #[inline(never)]
    fn change(&mut self, words: usize) {
        self.put_back();
        let heap = &mut *self.heap;
        let free = room_words(heap);
        self.is_beside = words > free;
        (self.top, self.end) = if !self.is_beside {
            (heap.top, heap.top.wrapping_add(free))
        } else {
            let room = (heap.fragment_end as usize - heap.fragment_top as usize) / 8;
            if words > room {
                open_fragment_for(heap, words.max(self.fragment_words));
            }
            (heap.fragment_top, heap.fragment_end)
        };
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.put_back();
    }
}

impl Allocate for Room<'_> {
    #[inline(always)]
    fn allocate(&mut self, words: usize) -> *mut u64 {
        if words > (self.end as usize - self.top as usize) / 8 {
            self.change(words);
        }
        let object = self.top;
        self.top = object.wrapping_add(words);
        object
    }

    fn off_heap_list(&mut self) -> &mut *mut u64 {
        self.heap.off_heap_list()
    }

    fn charge_off_heap(&mut self, bytes: usize) {
        self.heap.charge_off_heap(bytes);
    }
}

/// Makes a fragment part of a heap: its terms now count as terms on the heap. Its off-heap list joins the heap's at
/// once.
///
/// # Safety
/// `fragment` is live, and in no other list.
pub unsafe fn adopt(heap: &mut Heap, fragment: *mut Fragment) {
    // SAFETY: the caller hands over a live fragment that is in no other list.
    let fragment_ref = unsafe { &mut *fragment };
    let list = std::mem::replace(&mut fragment_ref.off_heap, ptr::null_mut());
    if !list.is_null() {
        let bytes = off_heap::append(&mut heap.off_heap, list);
        heap.charge_off_heap(bytes);
    }
    fragment_ref.next = heap.fragments;
    heap.fragments = fragment;
    heap.fragment_words = heap.fragment_words.saturating_add(fragment_ref.words);
}

fn fragment_layout(words: usize) -> Layout {
    Layout::from_size_align(size_of::<Fragment>() + words * 8, 8).expect("a size below isize::MAX")
}

/// A fragment with room for `words` words, in no list, holding no term.
#[inline(always)] // Each message is one; where the number of words is known, half of the instructions go.
#[must_use]
pub fn new_fragment(words: usize) -> *mut Fragment {
    let layout = fragment_layout(words);
    // SAFETY: the size is not zero.
    let fragment = unsafe { alloc(layout) }.cast::<Fragment>();
    if fragment.is_null() {
        handle_alloc_error(layout);
    }
    held::took(held::HeldKind::Heap, layout.size());
    let words = u32::try_from(words).expect("a fragment below 32 GiB");
    // SAFETY: just allocated, large enough and aligned.
    unsafe {
        fragment.write(Fragment {
            next: ptr::null_mut(),
            kind: 0,
            words,
            term: Term::NONE,
            off_heap: ptr::null_mut(),
        });
    }
    fragment
}

/// Frees a fragment only; its off-heap list was moved away or is empty.
///
/// # Safety
/// `fragment` came from [`new_fragment`], is in no list, and no live term points into it.
pub unsafe fn free_fragment(fragment: *mut Fragment) {
    // SAFETY: the caller's promise; the layout is the one it was allocated with.
    unsafe {
        let layout = fragment_layout((*fragment).words as usize);
        dealloc(fragment.cast(), layout);
        held::gave(held::HeldKind::Heap, layout.size());
    }
}

/// Frees a fragment and drops the references that its off-heap objects hold, for example a message that nobody
/// received.
///
/// # Safety
/// As [`free_fragment`].
pub unsafe fn drop_fragment(fragment: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        off_heap::release((*fragment).off_heap);
        free_fragment(fragment);
    }
}

/// Frees every fragment of a list. Their off-heap lists were joined to a heap's.
///
/// # Safety
/// No live term points into any of them.
pub unsafe fn free_fragments(mut first: *mut Fragment) {
    while !first.is_null() {
        // SAFETY: list members are live until freed here.
        unsafe {
            let next = (*first).next;
            // Messages that were received long ago are in no cache.
            cache::prefetch(next);
            free_fragment(first);
            first = next;
        }
    }
}

/// Builds terms in its own chain of fragments: for terms that are made outside any process, such as a decoded packet or
/// a timer's message.
pub struct Scratch {
    heap: Heap,
}

impl Scratch {
    #[must_use]
    pub fn new() -> Scratch {
        Scratch { heap: empty() }
    }

    /// As [`Scratch::new`], with a first fragment of `words` words.
    #[must_use]
    pub fn with_room(words: usize) -> Scratch {
        let mut scratch = Scratch::new();
        if words > 0 {
            open_fragment(&mut scratch.heap, words);
        }
        scratch
    }

    /// Makes a message of a term that was built here. If the term is in a single fragment with few unused words, that
    /// fragment becomes the message; otherwise the term is copied.
    ///
    /// # Safety
    /// All of the term was built here, or is immediate or a literal.
    #[must_use]
    pub unsafe fn into_fragment(mut self, term: Term) -> *mut Fragment {
        let fragment = self.heap.fragments;
        let unused = (self.heap.fragment_end as usize - self.heap.fragment_top as usize) / 8;
        // SAFETY: a fragment of this heap is live.
        if fragment.is_null() || !unsafe { (*fragment).next }.is_null() || unused > UNUSED_WORDS {
            return copy::to_fragment(term);
        }
        self.heap.fragments = ptr::null_mut();
        // SAFETY: as above; from here on the fragment is in no list, and owns its off-heap objects.
        unsafe {
            (*fragment).term = term;
            (*fragment).off_heap = std::mem::replace(&mut self.heap.off_heap, ptr::null_mut());
        }
        fragment
    }

    /// Makes all that was built here part of a heap: its terms now count as terms on that heap.
    pub fn join(mut self, heap: &mut Heap) {
        let mut fragment = std::mem::replace(&mut self.heap.fragments, ptr::null_mut());
        while !fragment.is_null() {
            // SAFETY: the fragments of this heap are live, and in no list once they are out of this one.
            unsafe {
                let next = (*fragment).next;
                adopt(heap, fragment);
                fragment = next;
            }
        }
        let list = std::mem::replace(&mut self.heap.off_heap, ptr::null_mut());
        if !list.is_null() {
            let bytes = off_heap::append(&mut heap.off_heap, list);
            heap.charge_off_heap(bytes);
        }
    }

    /// The heap to build in; all its terms are in fragments.
    pub fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: the contract of a scratch is that no term built in it outlives it.
        unsafe {
            off_heap::release(self.heap.off_heap);
            free_fragments(self.heap.fragments);
        }
    }
}

/// A heap without a block: everything goes to fragments.
#[must_use]
pub fn empty() -> Heap {
    Heap {
        top: ptr::null_mut(),
        stack: ptr::null_mut(),
        start: ptr::null_mut(),
        end: ptr::null_mut(),
        high_water: ptr::null_mut(),
        fragments: ptr::null_mut(),
        fragment_top: ptr::null_mut(),
        fragment_end: ptr::null_mut(),
        off_heap: ptr::null_mut(),
        old: ptr::null_mut(),
        left: ptr::null_mut(),
        left_words: 0,
        fragment_words: 0,
        off_heap_words: 0,
        off_heap_limit_words: u32::MAX,
        min_words: 0,
        minor_collections: 0,
        fullsweep_after: u16::MAX,
        flags: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use layout::no_gc;

    /// Builds a message with these bytes, with room for `room` words. Returns the fragment it was built in and the one
    /// to send.
    fn message(bytes: &[u8], room: usize) -> (*mut Fragment, *mut Fragment) {
        let mut scratch = Scratch::with_room(room);
        let heap = scratch.heap();
        let data = build::binary(heap, bytes);
        let term = build::tuple(heap, &[Term::small(1), data]);
        let built_in = scratch.heap.fragments;
        // SAFETY: built above.
        (built_in, unsafe { scratch.into_fragment(term) })
    }

    #[test]
    fn a_message_stays_where_it_was_built_if_the_room_was_right() {
        for size in [0, 1, 8, 64, 65, 1000] {
            let bytes = vec![7; size];
            let words = build::binary_words(size) + 3;
            // If the room is too small there are two fragments, and if it is too large memory would be wasted: then it
            // is copied.
            for (room, stays) in [
                (words, true),
                (words + 1, true),
                (words - 1, false),
                (0, false),
                (words + 500, false),
            ] {
                let (built_in, sent) = message(&bytes, room);
                // SAFETY: the message was just made, and is dropped here.
                unsafe {
                    assert_eq!(built_in == sent, stays, "{size} bytes, room for {room}");
                    let no_gc = no_gc!();
                    let parts = (*sent).term.as_tuple(no_gc).unwrap();
                    assert_eq!(
                        parts[1].as_bits().unwrap().as_bytes(no_gc!()).unwrap(),
                        bytes
                    );
                    assert!((*sent).words as usize <= words + UNUSED_WORDS);
                    drop_fragment(sent);
                }
            }
        }
    }
}
