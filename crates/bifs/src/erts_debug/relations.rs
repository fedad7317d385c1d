//! The links and monitors of a process or port, as the records of `get_internal_state({link_list, _})` and
//! `{monitor_list, _}`: also those that `process_info` does not show, such as a link that is being removed.

use layout::{Heap, Term};
use term::{am, atom, build};

use crate::erlang::info;
use runtime::bif::{BifResult, badarg};
use runtime::port;
use runtime::process::Process;
use runtime::process::relations::{MonitorTarget, reference_of};
use runtime::remote;

/// `{link_list, PidOrPort}`: `[{erl_link, Type, Other, State, Id}]`, or `undefined`.
pub fn links(process: &mut Process, of: Term) -> BifResult {
    if of.is_local_port() {
        let Some(found) = port::resolve(of) else {
            return Ok(am::UNDEFINED);
        };
        let links = found.links();
        let heap = process.heap();
        let records: Vec<Term> = links
            .iter()
            .map(|link| link_record(heap, am::PORT, (*link, *link), true))
            .collect();
        return Ok(build::list(heap, &records));
    }
    of_process(process, of, links_of)
}

/// `{monitor_list, Pid}`: `[{erl_monitor, Type, Direction, Reference, Other, Extra}]`, or `undefined`.
pub fn monitors(process: &mut Process, of: Term) -> BifResult {
    of_process(process, of, monitors_of)
}

fn of_process(
    process: &mut Process,
    pid: Term,
    records: fn(&Process, &mut Heap) -> Term,
) -> BifResult {
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    info::of_process(process, pid, move |other, _, heap| records(other, heap))
}

fn links_of(process: &Process, heap: &mut Heap) -> Term {
    let links = process.relations.links();
    let records: Vec<Term> = links
        .filter_map(|(other, is_active)| {
            let id = other;
            let other = seen(heap, other)?;
            let kind = match other.is_local_port() {
                true => am::PORT,
                false => am::PROCESS,
            };
            Some(link_record(heap, kind, (other, id), is_active))
        })
        .collect();
    build::list(heap, &records)
}

/// The other side of a relation as programs see it.
fn seen(heap: &mut Heap, other: Term) -> Option<Term> {
    match remote::is_handle(other) {
        true => remote::get().identity(other, heap),
        false => Some(other),
    }
}

/// The last element is a number that stays the same for as long as the link exists: the other side's identifier serves.
fn link_record(heap: &mut Heap, kind: Term, (other, id): (Term, Term), is_active: bool) -> Term {
    let state = match is_active {
        true => atom::known("linked"),
        false => atom::known("unlinking"),
    };
    let id = build::unsigned(heap, id.bits());
    build::tuple(heap, &[atom::known("erl_link"), kind, other, state, id])
}

fn monitors_of(process: &Process, heap: &mut Heap) -> Term {
    let mut records = Vec::new();
    let mut add = |heap: &mut Heap,
                   kind: Term,
                   direction: &str,
                   reference: Term,
                   other: Term,
                   name: Option<Term>| {
        let name = name.unwrap_or(Term::NIL);
        let record = [
            atom::known("erl_monitor"),
            kind,
            atom::known(direction),
            reference,
            other,
            name,
        ];
        records.push(build::tuple(heap, &record));
    };
    for (number, target, names_owner) in process.relations.monitors() {
        let owner = names_owner.then_some(process.id);
        let reference = reference_of(heap, number, owner);
        match target {
            MonitorTarget::Process { pid, name } => {
                add(heap, am::PROCESS, "origin", reference, pid, name)
            }
            MonitorTarget::Port { port, name } => {
                add(heap, am::PORT, "origin", reference, port, name)
            }
            MonitorTarget::Remote { handle } => {
                if let Some(other) = seen(heap, handle) {
                    add(heap, am::PROCESS, "origin", reference, other, None);
                }
            }
            MonitorTarget::TimeOffset => {
                add(
                    heap,
                    am::TIME_OFFSET,
                    "origin",
                    reference,
                    am::CLOCK_SERVICE,
                    None,
                );
            }
        }
    }
    for (number, watcher) in process.relations.watchers() {
        let Some(other) = seen(heap, watcher.watcher) else {
            continue;
        };
        let owner = watcher.names_owner.then_some(other);
        let reference = reference_of(heap, number, owner);
        add(heap, am::PROCESS, "target", reference, other, watcher.name);
    }
    build::list(heap, &records)
}
