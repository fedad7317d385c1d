//! The heap of a process, its fragments outside the heap block, and the message block, which is also a fragment.
//!
//! ```text
//! start          high_water        top            stack               end
//!   | survived once | young objects | free ->   <- | frames of calls    |
//! ```
//!
//! Stack and heap share one block and grow towards each other. At every safepoint at least
//! [`STACK_RESERVE_WORDS`](crate::limits::STACK_RESERVE_WORDS) words are free between `top` and `stack`. While
//! operation bodies run, `top` and `stack` are kept in registers and the fields here are stale; they are written back
//! before any other code is called.
//!
//! Only the thread that runs the process touches its heap.

use crate::term::Term;

/// Whether a word of a stack is a return address. The others are terms and marks of catches.
#[inline(always)]
#[must_use]
pub const fn is_return_address(word: u64) -> bool {
    word & 0b11 == 0
}

/// The heap of a process. Algorithms on it are in `term::heap` and `term::gc`.
#[repr(C)]
pub struct Heap {
    /// The next free word.
    pub top: *mut u64,
    /// The word pushed last; equal to `end` when the stack is empty.
    pub stack: *mut u64,
    pub start: *mut u64,
    pub end: *mut u64,
    /// Objects below this address have survived one collection; the next collection promotes them.
    pub high_water: *mut u64,
    /// Fragments that hold live terms: received messages, and terms that BIFs built when the heap had no room.
    pub fragments: *mut Fragment,
    /// The free part of the newest BIF fragment: its start (null if there is none) and its end.
    pub fragment_top: *mut u64,
    pub fragment_end: *mut u64,
    /// The newest object in the young off-heap list (shared binaries, magic references), or null.
    pub off_heap: *mut u64,
    /// The old generation; null until the first promotion allocates it.
    pub old: *mut OldHeap,
    /// Objects that the heap left behind at the start of a block when it moved to a larger one without a collection;
    /// null if there are none. The next collection moves those that live.
    pub left: *mut u64,
    /// Words in `fragments`.
    pub fragment_words: u32,
    /// Total size, in words, of the shared binaries reachable from the young off-heap list. A collection is requested
    /// when it exceeds `off_heap_limit_words`.
    pub off_heap_words: u32,
    pub off_heap_limit_words: u32,
    /// The minimum size of the block, in words.
    pub min_words: u32,
    /// Minor collections since the last major one.
    pub minor_collections: u16,
    /// Number of minor collections after which the next one is major.
    pub fullsweep_after: u16,
    /// Words of the objects at `left`.
    pub left_words: u16,
    /// [`flag`] bits.
    pub flags: u16,
}

/// Bits of [`Heap::flags`].
pub mod flag {
    /// The next collection must be major.
    pub const NEED_FULLSWEEP: u16 = 1 << 1;
    /// Collect at the next safepoint.
    pub const FORCE: u16 = 1 << 2;
    /// Nothing of the collector's: the next message that a `receive` examines may not be the one at `save`, because of
    /// messages with priority. It stands here because `loop_rec` tests it together with [`FORCE`].
    pub const PRIORITY: u16 = 1 << 3;
    /// The objects at [`left`](super::Heap::left) refer to none of the process's that lie elsewhere.
    pub const LEFT_ALONE: u16 = 1 << 4;
}

/// The old generation.
#[repr(C)]
pub struct OldHeap {
    pub start: *mut u64,
    pub top: *mut u64,
    pub end: *mut u64,
    /// The newest object in the old off-heap list, or null.
    pub off_heap: *mut u64,
    pub off_heap_words: u64,
}

/// A block of terms outside the heap block; its words follow this header. It is a message in transit, a received
/// message, or room that a BIF needed. It is also the header of every other signal.
#[repr(C)]
pub struct Fragment {
    pub next: *mut Fragment,
    /// The runtime's signal kind; 0 means message.
    pub kind: u32,
    /// Words that follow this header.
    pub words: u32,
    /// The message, or another term that belongs to the signal; may point into the words.
    pub term: Term,
    /// Off-heap list of the objects in this fragment.
    pub off_heap: *mut u64,
}

impl Fragment {
    /// The first word after the header.
    ///
    /// # Safety
    /// `fragment` is live.
    #[inline(always)]
    #[must_use]
    pub unsafe fn words_pointer(fragment: *mut Fragment) -> *mut u64 {
        // SAFETY: the words follow the header in the same allocation.
        unsafe { fragment.add(1).cast::<u64>() }
    }
}
