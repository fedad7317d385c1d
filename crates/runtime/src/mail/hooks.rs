//! What the runtime calls in the crates above it. They hand it in once, when the node starts; nothing is called
//! before that.
//!
//! These are all the calls that go upwards: a new one is a new field here.

use std::sync::OnceLock;

use crate::code::bif::BifEntry;
use crate::exec::halt::CrashCause;
use crate::mail::remote::Remote;
use crate::process::Process;
use crate::trace::Trace;

/// Tables and functions of the crates above.
pub struct Hooks {
    /// Every BIF, in the order of `isa::bifs::BIFS`.
    pub bifs: &'static [BifEntry],
    /// Deletes the ETS tables of a process that ends, or gives them to their heirs.
    pub release_tables: fn(&mut Process, Vec<u64>),
    /// Writes a crash dump and ends the node.
    pub end_with_dump: fn(CrashCause, &str) -> !,
    /// The node ends after a flush: what native libraries have asked for then. No process runs any more.
    pub libraries_end: fn(),
    /// The text of `erlang:system_info/1` for items that a crash dump holds as well: `info`, `procs`, `loaded`, `dist`.
    pub dump_section: fn(&str) -> Option<Vec<u8>>,
    /// The connections to other nodes.
    pub remote: &'static dyn Remote,
    /// What becomes of the events of traced processes and ports.
    pub trace: &'static dyn Trace,
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
