//! Tracers: the terms by which programs name them.

use layout::{Heap, Term};
use runtime::port;
use runtime::process::table;
use runtime::trace::Tracer;
use term::{am, build, copy};

/// Whether a process or port is there to be told.
#[must_use]
pub fn exists(identifier: Term) -> bool {
    if identifier.is_local_pid() {
        return !table::find(identifier).is_null();
    }
    identifier.is_local_port() && port::find(identifier).is_some_and(|port| port.seems_open())
}

/// The tracer that an option of `erlang:trace/3` names: `{tracer, PidOrPort}` or `{tracer, Module, State}`.
#[must_use]
pub fn of_option(option: Term) -> Option<Tracer> {
    match option.as_tuple()? {
        &[am::TRACER, identifier] => of_identifier(identifier),
        &[am::TRACER, am::ERL_TRACER, identifier] => of_identifier(identifier),
        _ => None,
    }
}

fn of_identifier(term: Term) -> Option<Tracer> {
    (term.is_local_pid() || term.is_local_port()).then_some(Tracer::Identifier(term))
}

/// The term by which `trace_info/2` names a tracer.
pub fn to_term(heap: &mut Heap, tracer: &Tracer) -> Term {
    match tracer {
        Tracer::Identifier(identifier) => *identifier,
        Tracer::Module(module) => {
            let state = copy::copy(heap, module.1.term());
            build::tuple(heap, &[module.0, state])
        }
    }
}

/// The tracer that a flag of `trace_pattern/3` names: `{meta, PidOrPort}`.
#[must_use]
pub fn of_meta(flag: Term) -> Option<Tracer> {
    match flag.as_tuple()? {
        &[am::META, identifier] | &[am::META, am::ERL_TRACER, identifier] => {
            of_identifier(identifier)
        }
        _ => None,
    }
}
