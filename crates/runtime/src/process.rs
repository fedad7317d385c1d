//! A process: its control block, and what hangs off it.
//!
//! The block is 64-byte aligned and its first heap lies right behind it ([`block`]). What a process
//! needs only sometimes is in [`Cold`], allocated when first needed.
//!
//! **One owner.** While a process runs, its scheduler thread alone touches everything here except
//! the fields marked *shared*: `signals` and `state` (any thread, atomically) and `id` (never
//! changes). When it does not run, nobody touches the rest. Other threads reach it by a signal.
//!
//! What others may know of it is one word, [`state`].

pub mod block;
pub mod cold;
pub mod dictionary;
pub mod exit;
pub mod heap_limit;
pub mod info;
pub mod relations;
pub mod spawn;
pub mod state;
pub mod suspend;
pub mod table;
pub mod tasks;

use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, Ordering};

use layout::process::MessageQueue;
use layout::{Heap, ProcessHead, Term};
use term::am;

pub use cold::Cold;
pub use relations::Relations;

use crate::signal::SignalQueue;

/// Bits of [`Process::flags`]; the owner's.
pub mod flag {
    pub const TRAP_EXIT: u16 = 1;
    pub const SYSTEM: u16 = 1 << 1;
    pub const OFF_HEAP_MESSAGES: u16 = 1 << 2;
    pub const HIBERNATED: u16 = 1 << 3;
    pub const SENSITIVE: u16 = 1 << 4;
    /// It must not run again: a signal ended it, `exit_reason` in `Cold` says how.
    pub const EXIT_PENDING: u16 = 1 << 6;
    /// It left its scheduler so that a dirty one does the collection that `Cold` tells of.
    pub const COLLECT: u16 = 1 << 5;
    /// It may do with every ETS table what its owner may (`erts_internal:ets_super_user/1`).
    pub const ETS_SUPER_USER: u16 = 1 << 7;
    /// It is in the middle of `erlang:yield/0`.
    pub const YIELDING: u16 = 1 << 12;
    /// System tasks wait in `Cold`: collections and checks that need the process between two slices.
    pub const TASKS: u16 = 1 << 8;
    /// It left its last slice to wait for a message or timeout, not because the slice was over.
    pub const WAITS: u16 = 1 << 9;
    /// Its slice ended so that a dirty scheduler makes the call that `Cold` holds.
    pub const DIRTY: u16 = 1 << 10;
    /// The outcome of that call is in `Cold`, to be picked up by the call when it is entered again.
    pub const DIRTY_DONE: u16 = 1 << 11;
    /// Its float registers are in `Cold`.
    pub const FLOATS: u16 = 1 << 15;
    /// It has blocked multi-scheduling, and waits for the others to stop.
    pub const BLOCKING: u16 = 1 << 13;
    /// When it began to wait there was a message that it had not looked at: its receive has no clauses.
    pub const WAITS_BLINDLY: u16 = 1 << 14;
}

/// Scheduling priorities, the most urgent first.
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
    pub flags: u16,
    /// How many `suspend_process` calls are not undone; while there are, it does not run.
    pub suspend_count: u16,
    pub dictionary_size: u32,
    /// Reductions of slices that are over.
    pub reductions: u64,
    pub group_leader: Term,
    pub cold: Option<Box<Cold>>,
    pub public_line: CacheLine,
    /// *Shared*: where others push signals.
    pub signals: SignalQueue,
    /// *Shared*: see the module's documentation.
    pub state: AtomicU32,
    pub initial_arity: u32,
    /// *Shared*: the head's, for who finds the process by its pid.
    pub id: Term,
    /// Who spawned it, or NONE.
    pub parent: Term,
    /// What it was spawned with: module, function (atoms) and arity.
    pub initial_call: (u32, u32),
}

/// Begins a cache line. What other threads touch of a process lies on one of its own, beside what the owner hardly
/// touches: a sender and a running receiver do not take the line from each other with every message.
#[repr(align(64))]
pub struct CacheLine;

const _: () = assert!(offset_of!(Process, signals) == 192 && size_of::<Process>() == 256);

impl Process {
    /// The process's own pid.
    #[inline]
    #[must_use]
    pub fn pid(&self) -> Term {
        self.head.id
    }

    /// Its heap, to build results on. BIFs never collect: see the moving rule in `layout::term`.
    #[inline]
    pub fn heap(&mut self) -> &mut Heap {
        &mut self.head.heap
    }

    #[inline]
    pub fn messages(&mut self) -> &mut MessageQueue {
        &mut self.head.messages
    }

    /// The seldom used part, made when it is not there.
    pub fn cold(&mut self) -> &mut Cold {
        self.cold.get_or_insert_with(Box::default)
    }

    #[must_use]
    pub fn relations(&self) -> Option<&Relations> {
        self.cold.as_ref().map(|cold| &cold.relations)
    }

    #[must_use]
    pub fn traps_exit(&self) -> bool {
        self.flags & flag::TRAP_EXIT != 0
    }

    #[must_use]
    pub fn priority(&self) -> Priority {
        priority_of(self.state.load(Ordering::Relaxed))
    }

    /// Changes the priority; counts from the next time it is queued.
    pub fn set_priority(&mut self, priority: Priority) {
        // Two steps by the only writer of these bits; a queuer between them sees `Max` at worst.
        self.state
            .fetch_and(!state::PRIORITY_MASK, Ordering::Relaxed);
        self.state.fetch_or(
            (priority as u32) << state::PRIORITY_SHIFT,
            Ordering::Relaxed,
        );
    }

    /// The name it is registered under.
    #[must_use]
    pub fn registered_name(&self) -> Option<Term> {
        if self.state.load(Ordering::Relaxed) & state::REGISTERED == 0 {
            return None;
        }
        crate::registry::name_of(self.pid())
    }

    /// Reductions so far, those of the running slice included.
    #[must_use]
    pub fn reductions_now(&self) -> u64 {
        self.reductions + crate::scheduler::current_slice_reductions(self)
    }
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
