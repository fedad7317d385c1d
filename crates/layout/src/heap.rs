//! The heap of a process, the fragments beside it, and the message block, which is a fragment.
//!
//! ```text
//! start          high_water        top            stack               end
//!   | survived once | young objects | free ->   <- | frames of calls    |
//! ```
//!
//! Stack and heap share one block and grow towards each other. At every safepoint at least
//! [`STACK_RESERVE_WORDS`](crate::limits::STACK_RESERVE_WORDS) words lie between `top` and `stack`.
//! While operation bodies run, `top` and `stack` live in registers and the fields here are stale;
//! they are written back before anything else is called.
//!
//! Only the thread that runs the process touches its heap.

use crate::term::Term;

/// The heap of a process. Algorithms on it are in `term::heap` and `term::collect`.
#[repr(C)]
pub struct Heap {
    /// The next free word.
    pub top: *mut u64,
    /// The word last pushed; `end` when the stack is empty.
    pub stack: *mut u64,
    pub start: *mut u64,
    pub end: *mut u64,
    /// Objects below have survived a collection and are promoted by the next.
    pub high_water: *mut u64,
    /// Fragments that hold live terms: received messages and what BIFs could not fit.
    pub fragments: *mut Fragment,
    /// Where the newest BIF fragment has room (null: nowhere), and where it ends.
    pub fragment_top: *mut u64,
    pub fragment_end: *mut u64,
    /// The newest object in the young off-heap list (shared binaries, magic references), or null.
    pub off_heap: *mut u64,
    /// The old generation, allocated by the first promotion; null before.
    pub old: *mut OldHeap,
    /// Words in `fragments`.
    pub fragment_words: u32,
    /// Bytes of shared binaries reached from the young list, in words; asks for a collection when
    /// it passes `off_heap_limit_words`.
    pub off_heap_words: u32,
    pub off_heap_limit_words: u32,
    /// The least size of the block, in words.
    pub min_words: u32,
    /// Minor collections since the last major one.
    pub minor_collections: u16,
    /// Minor collections after which a major one follows.
    pub fullsweep_after: u16,
    /// [`flag`] bits.
    pub flags: u32,
}

/// Bits of [`Heap::flags`].
pub mod flag {
    /// The block is part of the process's own allocation and is not to be freed by itself.
    pub const INLINE: u32 = 1;
    /// The next collection is a major one.
    pub const NEED_FULLSWEEP: u32 = 1 << 1;
    /// Collect at the next safepoint.
    pub const FORCE: u32 = 1 << 2;
    /// `{max_heap_size, ..}` was passed; the runtime decides what follows.
    pub const OVER_LIMIT: u32 = 1 << 3;
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

/// A block of terms outside the heap block, its words behind it: a message on its way, a received
/// message, or room that a BIF needed. Also the head of every other signal.
#[repr(C)]
pub struct Fragment {
    pub next: *mut Fragment,
    /// `runtime`'s signal kind; 0 is a message.
    pub kind: u32,
    /// Words that follow this header.
    pub words: u32,
    /// The message, or another term that belongs to the signal; may point into the words.
    pub term: Term,
    /// Off-heap list of the objects in the words.
    pub off_heap: *mut u64,
}

impl Fragment {
    /// The first word behind the header.
    ///
    /// # Safety
    /// `fragment` is live.
    #[inline(always)]
    #[must_use]
    pub unsafe fn words_pointer(fragment: *mut Fragment) -> *mut u64 {
        // SAFETY: the words lie behind the header, in one allocation.
        unsafe { fragment.add(1).cast::<u64>() }
    }
}
