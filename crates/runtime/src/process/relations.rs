//! What ties a process to others: its [`links`], [`monitors`] and [`aliases`].
//!
//! Only the thread that owns the process reads or changes them, through the methods here; the process or port at the
//! other end learns of changes through signals (`signal::handle` has their effects), which the callers send.

pub mod aliases;
mod entries;
pub mod links;
pub mod monitors;

use layout::Term;
use term::heap::Allocate;
use term::reference;

pub use aliases::AliasKind;
use entries::Entries;
pub use links::Link;
pub use monitors::{Monitor, MonitorOptions, MonitorTarget, Watcher};

/// Whether the other side of a relation is on another node.
#[inline]
#[must_use]
pub fn is_handle(other: Term) -> bool {
    other.is_small()
}

/// The number of a reference, used as the key of its monitor or alias.
pub type ReferenceNumber = (u64, u64);

/// The links, monitors and aliases of one process.
#[derive(Default)]
pub struct Relations(Entries);

impl Relations {
    #[must_use]
    pub const fn new() -> Relations {
        Relations(Entries::new())
    }

    /// The number of links, monitors, and aliases that are not monitors.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Bytes that they take outside the control block.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// About how many bytes are allocated at once when one is added; 0 nearly always.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        self.0.growth_bytes()
    }

    /// Whether the process may get messages with priority.
    #[must_use]
    pub fn have_priority(&self) -> bool {
        self.0.have_priority()
    }

    /// Gives back memory that is kept for relations to come, if there is none.
    pub fn trim(&mut self) {
        self.0.trim();
    }
}

/// The part of a reference's number by which relations are kept. No reference that this node made for a relation has a
/// high part.
fn low_number((low, high): ReferenceNumber) -> Option<u64> {
    (high == 0).then_some(low)
}

/// The reference of a monitor, which names its `owner` if it is or was an alias.
pub fn reference_of<A: Allocate + ?Sized>(heap: &mut A, number: u64, owner: Option<Term>) -> Term {
    match owner {
        Some(pid) => reference::with_pid(heap, number, pid),
        None => reference::with_number(heap, number, 0),
    }
}
