//! The modules that a node loads before any process runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use layout::Term;
use term::atom;

use crate::code::modules::Loaded;

/// Loaded in this order; those that the release lacks are skipped.
pub const PRELOADED: &[&str] = &[
    "erts_code_purger",
    "erl_init",
    "init",
    "prim_buffer",
    "prim_eval",
    "prim_inet",
    "prim_file",
    "zlib",
    "socket_registry",
    "prim_socket",
    "prim_net",
    "prim_zip",
    "erl_prim_loader",
    "erlang",
    "erts_internal",
    "erl_tracer",
    "erts_literal_area_collector",
    "erts_trace_cleaner",
    "erts_dirty_process_signal_handler",
    "atomics",
    "counters",
    "persistent_term",
];

/// The names of those that were loaded.
static LOADED: OnceLock<Vec<Term>> = OnceLock::new();

/// The names of those that this release has.
#[must_use]
pub fn names() -> &'static [Term] {
    LOADED.get().map_or(&[], Vec::as_slice)
}

/// See [`wants_mark`].
static WANTS_MARK: AtomicBool = AtomicBool::new(false);

/// With this reason a process exits whose arguments could not be decoded.
const WITHOUT_ARGUMENTS: &str = "argument_list_decode_failure";

/// Notes which modules were loaded, and learns how they work with the machine where that depends on more than the
/// release: patches of one differ too. Called once, before anything else may have made the atoms that tell it.
pub fn note(loaded: &[Arc<Loaded>]) {
    let names = loaded.iter().map(|module| module.name).collect();
    LOADED.set(names).expect("noted once");
    WANTS_MARK.store(atom::lookup(WITHOUT_ARGUMENTS).is_some(), Ordering::Relaxed);
}

/// Whether `erts_internal:dist_spawn_init/1` waits for a second message behind the arguments, its own name as an atom.
/// If that comes first, the arguments could not be decoded.
#[must_use]
pub fn wants_mark() -> bool {
    WANTS_MARK.load(Ordering::Relaxed)
}
