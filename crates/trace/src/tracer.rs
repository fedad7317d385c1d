//! Tracers: the terms by which programs name them.

use std::sync::Arc;

use layout::{Term, no_gc};
use runtime::effects::port;
use runtime::process::table;
use runtime::process::tracing::Tracer;
use term::am;
use term::copy::Owned;

use crate::module;

/// Whether a process or port is there to be told.
#[must_use]
pub fn exists(identifier: Term) -> bool {
    if identifier.is_local_pid() {
        return table::exists(identifier);
    }
    identifier.is_local_port() && port::find(identifier).is_some_and(|port| port.seems_open())
}

/// The tracer that an option of `erlang:trace/3` names (`{tracer, PidOrPort}`, `{tracer, Module, State}`), or a flag of
/// `trace_pattern/3`, which begins with `meta`.
#[must_use]
pub fn of_option(option: Term, first: Term) -> Option<Tracer> {
    match option.as_tuple(no_gc!())? {
        &[name, identifier] if name == first => of_identifier(identifier),
        &[name, module, state] if name == first => of_module(module, state),
        _ => None,
    }
}

/// The tracer that a term names: a process or port, or `{Module, State}`.
#[must_use]
pub fn of_term(term: Term) -> Option<Tracer> {
    match term.as_tuple_of() {
        Some([module, state]) => of_module(module, state),
        _ => of_identifier(term),
    }
}

/// The tracer that is a module with a state.
fn of_module(module: Term, state: Term) -> Option<Tracer> {
    if module == am::ERL_TRACER {
        return of_identifier(state);
    }
    let is_tracer = module::is_tracer(module);
    is_tracer.then(|| Tracer::Module(Arc::new((module, Owned::new(state)))))
}

/// The tracer that is a process or port of this node.
fn of_identifier(term: Term) -> Option<Tracer> {
    (term.is_local_pid() || term.is_local_port()).then_some(Tracer::Identifier(term))
}
