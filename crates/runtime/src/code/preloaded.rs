//! The modules that a node loads before any process runs.

use layout::Term;
use term::atom;

use crate::config;

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

/// The names of those that this release has.
#[must_use]
pub fn names() -> Vec<Term> {
    let directory = &config::get().preloaded_dir;
    PRELOADED
        .iter()
        .filter(|name| directory.join(format!("{name}.beam")).exists())
        .map(|name| atom::known(name))
        .collect()
}
