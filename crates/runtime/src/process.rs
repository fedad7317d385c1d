//! A process: its control block, and the data that the block points to.
//!
//! The block is 64-byte aligned ([`block`]); the heap has blocks of its own. Rarely used fields are
//! in [`Cold`], and those that few processes need in [`Extras`]; both are allocated when first needed.
//!
//! **One owner.** While a process runs, only its scheduler thread accesses the fields of the block, except those marked
//! *shared*: `signals` and `state` (any thread, atomically) and `id` (never changes). While it does not run, nobody
//! accesses the others. Other threads communicate with it by signals.
//!
//! The only thing that other threads may know about a process is one word, its [`state`]. So there are two ways to a
//! process: a [`Peer`](peer::Peer), which the [`table`] finds for anybody, reaches the shared fields alone; a reference
//! to the [`Process`] comes from its [`Owner`](owner::Owner), of which there is at most one.

pub mod block;
pub mod cold;
pub mod config;
pub mod dictionary;
pub mod dirty;
pub mod epoch;
pub mod extras;
pub mod flags;
pub mod heap_limit;
pub mod message_queue;
pub mod owner;
pub mod peer;
mod positions;
pub mod rank;
pub mod receive_markers;
pub mod relations;
pub mod sequence;
pub mod signal;
pub mod signal_queue;
pub mod state;
pub mod suspend;
pub mod sync;
pub mod table;
pub mod tasks;
mod thin_array;
pub mod timer_key;
pub mod tracing;
pub mod waits;

use std::marker::PhantomPinned;
#[cfg(not(feature = "loom"))]
use std::mem::offset_of;
use std::ptr;

use layout::process::MessageQueue;
use layout::{Fragment, Heap, ProcessHead, Term};
use term::{am, reference};

pub use cold::Cold;
pub use dictionary::Dictionary;
pub use extras::Extras;
pub use flags::Flags;
pub use relations::Relations;

use crate::process::relations::{AliasKind, ReferenceNumber};
use crate::process::signal_queue::SignalQueue;
use crate::process::sync::{AtomicU32, Ordering};

/// Scheduling priorities, highest first.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Priority {
    Max = 0,
    High = 1,
    Normal = 2,
    Low = 3,
}

impl Priority {
    /// The priority that an atom names.
    #[must_use]
    pub fn from_atom(atom: Term) -> Option<Priority> {
        Some(match atom {
            am::MAX => Priority::Max,
            am::HIGH => Priority::High,
            am::NORMAL => Priority::Normal,
            am::LOW => Priority::Low,
            _ => return None,
        })
    }

    /// Its name as an atom.
    #[must_use]
    pub fn to_atom(self) -> Term {
        match self {
            Priority::Max => am::MAX,
            Priority::High => am::HIGH,
            Priority::Normal => am::NORMAL,
            Priority::Low => am::LOW,
        }
    }
}

/// The hot part of a process.
#[repr(C, align(64))]
pub struct Process {
    pub head: ProcessHead,
    pub flags: Flags,
    /// The number of processes that have suspended this one; unless 0, it does not run.
    pub suspend_count: u16,
    /// Twice the number of the slice in which it last waited, as its scheduler counts them, or 0 if it has not waited
    /// yet; plus 1 while a scheduler lists it (see `collection::trim`).
    pub rested_in: u32,
    /// Reductions counted so far, without those of the current slice that are not yet accounted for.
    pub reductions: u64,
    /// Not on the line that senders write: each message that is received looks here for receive markers.
    pub cold: Option<Box<Cold>>,
    pub public_line: CacheLine,
    /// *Shared*: the queue to which other threads push signals.
    pub signals: SignalQueue,
    /// *Shared*: see the module's documentation.
    pub state: AtomicU32,
    pub initial_arity: u32,
    /// *Shared*: a copy of the head's `id`, for threads that look the process up by its pid.
    pub id: Term,
    /// The process that spawned it, perhaps one of another node, or NONE.
    pub parent: Term,
    /// The module and function (atoms) that it was spawned with.
    pub initial_call: (u32, u32),
    pub group_leader: Term,
    /// Its links, monitors and aliases.
    pub relations: Relations,
    /// Keys and values are terms of the process, and roots of its collections.
    pub dictionary: Dictionary,
    /// Other threads access the shared fields while the owner has borrowed the process exclusively, and the message
    /// queue points into itself. This field makes the compiler allow that: it does not assume that `&mut Process` is
    /// unique.
    pub aliased: PhantomPinned,
}

/// Aligns the next field to a cache line. The fields that other threads access share a separate line with fields that
/// the owner rarely uses, so that a sender and a running receiver do not contend for a cache line with every message.
#[repr(align(64))]
pub struct CacheLine;

#[cfg(not(feature = "loom"))]
const _: () = assert!(offset_of!(Process, signals) == 192 && size_of::<Process>() == 256);

impl Process {
    /// The process's own pid.
    #[inline]
    #[must_use]
    pub fn pid(&self) -> Term {
        self.head.id
    }

    /// The process's heap, to build results on. BIFs never collect: see the moving rule in `layout::term`.
    #[inline]
    pub fn heap(&mut self) -> &mut Heap {
        &mut self.head.heap
    }

    /// Makes the reference of a new monitor; if it also is an alias, it names the process.
    pub fn new_reference(&mut self, alias: Option<AliasKind>) -> (ReferenceNumber, Term) {
        let owner = alias.map(|_| self.pid());
        let number = reference::fresh_number();
        let reference = relations::reference_of(self.heap(), number, owner);
        ((number, 0), reference)
    }

    #[inline]
    pub fn messages(&mut self) -> &mut MessageQueue {
        &mut self.head.messages
    }

    /// The rarely used part, allocated if it does not exist yet.
    pub fn cold(&mut self) -> &mut Cold {
        self.cold.get_or_insert_default()
    }

    /// Frees the rarely used part if nothing is in it.
    pub fn trim_cold(&mut self) {
        let Some(cold) = self.cold.as_mut() else {
            return;
        };
        if cold.is_empty() {
            self.cold = None;
        } else if cold.extras.as_ref().is_some_and(|extras| extras.is_empty()) {
            cold.extras = None;
        }
    }

    /// What few processes need, allocated if it does not exist yet.
    pub fn extras(&mut self) -> &mut Extras {
        self.cold().extras()
    }

    /// What few processes need, if this one has it.
    #[must_use]
    /// Whether it never waits for a connection to another node (`+pad`, `process_flag(async_dist, _)`).
    pub fn is_async_dist(&self) -> bool {
        let said = self.existing_extras().and_then(|extras| extras.async_dist);
        said.unwrap_or_else(|| config::get().flags.async_dist)
    }

    pub fn existing_extras(&self) -> Option<&Extras> {
        self.cold.as_ref()?.extras.as_deref()
    }

    /// As [`existing_extras`](Process::existing_extras), to change it.
    pub fn existing_extras_mut(&mut self) -> Option<&mut Extras> {
        self.cold.as_mut()?.extras.as_deref_mut()
    }

    /// Signals that were taken from its queue and are not handled yet.
    pub(crate) fn take_left(&mut self) -> *mut Fragment {
        let extras = self.existing_extras_mut();
        extras.map_or(ptr::null_mut(), |extras| extras.taken.take())
    }

    /// The first of the signals that are not handled yet: the newest in the queue, which links to the earlier ones, and
    /// the oldest that was taken from there, which links to the later ones. To inspect a process that does not run.
    #[must_use]
    pub fn unhandled(&self) -> [*mut Fragment; 2] {
        let extras = self.existing_extras();
        let left = extras.map_or(ptr::null_mut(), |extras| extras.taken.oldest());
        [self.signals.newest(), left]
    }

    #[must_use]
    pub fn traps_exit(&self) -> bool {
        self.flags.contains(Flags::TRAP_EXIT)
    }

    /// Whether it is in `hibernate/3`; in `hibernate/0` it waits, and knows where.
    #[must_use]
    pub fn hibernates_without_stack(&self) -> bool {
        self.flags.contains(Flags::HIBERNATED) && !self.flags.contains(Flags::WAITING)
    }

    /// Its flag `sensitive`. Any thread may ask.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        self.state.load(Ordering::Relaxed) & state::SENSITIVE != 0
    }

    #[must_use]
    pub fn priority(&self) -> Priority {
        priority_of(self.state.load(Ordering::Relaxed))
    }

    pub fn set_sensitive(&mut self, sensitive: bool) {
        if sensitive {
            self.state.fetch_or(state::SENSITIVE, Ordering::Relaxed);
        } else {
            self.state.fetch_and(!state::SENSITIVE, Ordering::Relaxed);
        }
    }

    /// Changes the priority; takes effect the next time the process is queued.
    pub fn set_priority(&mut self, priority: Priority) {
        // Two steps, but only the owner writes these bits; a thread that queues the process between them reads `Max`.
        self.state
            .fetch_and(!state::PRIORITY_MASK, Ordering::Relaxed);
        self.state.fetch_or(
            (priority as u32) << state::PRIORITY_SHIFT,
            Ordering::Relaxed,
        );
    }

    /// The number of the scheduler that it must run on; 0 for any.
    #[must_use]
    pub fn bound_to(&self) -> u16 {
        bound_to(self.state.load(Ordering::Relaxed))
    }

    /// Binds it to the scheduler of this number, from the next time that it is queued on; 0 lets it run anywhere.
    pub fn bind_to(&mut self, number: u16) {
        // One step, and only the owner writes these bits.
        let change = u32::from(self.bound_to() ^ number) << state::BOUND_SHIFT;
        self.state.fetch_xor(change, Ordering::Relaxed);
    }
}

/// The number of the scheduler that a process with this state word must run on; 0 for any.
#[inline]
#[must_use]
pub fn bound_to(word: u32) -> u16 {
    (word >> state::BOUND_SHIFT) as u16
}

/// The priority in a state word.
#[must_use]
pub fn priority_of(state: u32) -> Priority {
    match (state & state::PRIORITY_MASK) >> state::PRIORITY_SHIFT {
        0 => Priority::Max,
        1 => Priority::High,
        2 => Priority::Normal,
        _ => Priority::Low,
    }
}
