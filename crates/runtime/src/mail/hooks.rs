//! What the runtime calls in the crates above it, and its lower rooms in the upper ones. It is handed in once, when the
//! node starts; nothing is called before that.
//!
//! These are all the calls that go upwards: a new one is a new field here, of [`Machine`], or of
//! [`Observer`].

use std::sync::OnceLock;

use layout::{BifFunction, Term};

use super::dirty::Work;
use crate::mail::observer::Observer;
use crate::mail::remote::Remote;
use crate::process::Process;
use crate::process::dirty::DirtyKind;
use crate::process::relations::ReferenceNumber;

/// Tables and functions of the crates above.
pub struct Hooks {
    /// Every BIF, in the order of `spec::bifs::BIFS`.
    pub bifs: &'static [BifEntry],
    /// Deletes the ETS tables of a process that ends, or gives them to their heirs.
    pub release_tables: fn(&mut Process, Vec<u64>),
    /// Writes a crash dump and ends the node.
    pub end_with_dump: fn(CrashCause, &str) -> !,
    /// There is no memory for the heap of this process, which has the first number of bytes, and needs the second one
    /// more. It is not run meanwhile, and the world may be stopped. Says what becomes of it.
    pub memory_short: fn(&Process, u64, u64) -> Shortage,
    /// The node ends after a flush: what native libraries have asked for then. No process runs any more.
    pub libraries_end: fn(),
    /// The text of `erlang:system_info/1` for items that a crash dump holds as well: `info`, `procs`, `loaded`, `dist`.
    pub dump_section: fn(&str) -> Option<Vec<u8>>,
    /// What this crate's upper rooms do for its lower ones: `exec::MACHINE`.
    pub machine: &'static Machine,
    /// The connections to other nodes.
    pub remote: &'static dyn Remote,
    /// Who is told what processes and ports do: `trace::OBSERVER`.
    pub observer: &'static dyn Observer,
}

/// What becomes of a process for whose heap there is no memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortage {
    /// Others were ended: it may try again.
    Relieved,
    /// It ends, because it holds most.
    Ends,
    /// Nobody limits the memory of the node but the system.
    Unknown,
}

/// Why the node ends with a crash dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrashCause {
    /// A program or its environment asked for it: a dump, and exit status 1.
    Outside,
    /// Someone at the terminal asked for it: a dump and, as on stock, a core.
    Menu,
    /// An internal error of ferl or of a native library: a dump unless `+d` was given, and a core.
    Internal,
}

/// One BIF, as the loader finds it; its properties are at the same index of `spec::bifs::BIFS`.
pub struct BifEntry {
    pub module: &'static str,
    pub name: &'static str,
    pub arity: u8,
    pub function: BifFunction,
}

/// What the rooms above do for this one: `exec` has the table.
pub struct Machine {
    /// The thread of a dirty scheduler, with its number.
    pub run_dirty_scheduler: fn(DirtyKind, usize) -> !,
    /// Does dirty work on this thread.
    pub do_dirty_work: fn(Work),
    /// Handles the signals of a process that is lent, and that this thread has borrowed; returns whether it has ended.
    pub attend_lent: fn(&mut Process) -> bool,
    /// A process that a port wants to be linked to is gone.
    pub link_refused: fn(Term, Term),
    /// A process that a port monitors is gone.
    pub process_down: fn(Term, ReferenceNumber),
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Hands in the functions above. Called once, before the first module is loaded.
///
/// # Panics
/// When called twice.
pub fn set(hooks: Hooks) {
    assert!(HOOKS.set(hooks).is_ok(), "hooks are set once");
}

/// The functions that were handed in.
///
/// # Panics
/// Before [`set`].
pub fn get() -> &'static Hooks {
    HOOKS.get().expect("hooks are set when the node starts")
}

/// What the rooms above do.
pub(crate) fn machine() -> &'static Machine {
    get().machine
}
