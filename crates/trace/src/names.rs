//! The names of all that a tracee can be traced for.

use layout::{Heap, Term};
use runtime::process::tracing::what;
use term::{am, build};

/// In the order in which `trace_info/2` lists them.
const NAMES: [(Term, u32); 21] = [
    (am::RUNNING_PROCS, what::RUNNING_PROCS),
    (am::RUNNING_PORTS, what::RUNNING_PORTS),
    (am::PORTS, what::PORTS),
    (am::SCHEDULER_ID, what::SCHEDULER_ID),
    (am::SILENT, what::SILENT),
    (am::RETURN_TO, what::RETURN_TO),
    (am::ARITY, what::ARITY),
    (am::GARBAGE_COLLECTION, what::GARBAGE_COLLECTION),
    (am::EXITING, what::EXITING),
    (am::RUNNING, what::RUNNING),
    (am::SET_ON_FIRST_LINK, what::SET_ON_FIRST_LINK),
    (am::SET_ON_LINK, what::SET_ON_LINK),
    (am::SET_ON_FIRST_SPAWN, what::SET_ON_FIRST_SPAWN),
    (am::PROCS, what::PROCS),
    (am::CALL, what::CALL),
    (am::SET_ON_SPAWN, what::SET_ON_SPAWN),
    (am::RECEIVE, what::RECEIVE),
    (am::SEND, what::SEND),
    (am::MONOTONIC_TIMESTAMP, what::MONOTONIC_TIMESTAMP),
    (
        am::STRICT_MONOTONIC_TIMESTAMP,
        what::STRICT_MONOTONIC_TIMESTAMP,
    ),
    (am::TIMESTAMP, what::TIMESTAMP),
];

/// What an option of `erlang:trace/3` stands for.
#[must_use]
pub fn parse(name: Term) -> Option<u32> {
    if name == am::ALL {
        return Some(what::ALL);
    }
    let found = NAMES.iter().find(|(known, _)| *known == name)?;
    Some(found.1)
}

/// The list of all that is in `bits`.
pub fn list(heap: &mut Heap, bits: u32) -> Term {
    let names = NAMES.iter().filter(|(_, bit)| bits & bit != 0);
    let names: Vec<Term> = names.map(|(name, _)| *name).collect();
    build::list(heap, &names)
}
