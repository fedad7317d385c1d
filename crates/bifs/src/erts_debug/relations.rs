//! The links and monitors of a process, a port or a connection, as the records of `get_internal_state({link_list, _})`
//! and `{monitor_list, _}`: also those that `process_info` does not show, such as a link that is being removed.

use layout::{Heap, Term, no_gc};
use term::{am, atom, build, copy};

use crate::erlang::info;
use distribution::peers;
use distribution::relations::{self, Kind, Relation};
use runtime::code::bif::{BifResult, badarg};
use runtime::effects::port;
use runtime::mail::remote;
use runtime::process::Process;
use runtime::process::relations::{MonitorTarget, reference_of};

/// `{link_list, PidOrPortOrNode}`: `[{erl_link, Type, Other, State, Id}]`, or `undefined`. The records of a node are
/// those of the connection to it: `Other` is the process of this node.
pub(super) fn links(process: &mut Process, of: Term) -> BifResult {
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
    if of.as_atom().is_some() {
        return of_node(process, of, |handle, relation, heap| {
            let ends = (relation.local, handle);
            matches!(relation.kind, Kind::Link)
                .then(|| link_record(heap, atom::known("dist_process"), ends, true))
        });
    }
    of_process(process, of, links_of)
}

/// `{monitor_list, PidOrNode}`: `[{erl_monitor, Type, Direction, Reference, Other, Extra}]`, or `undefined`.
pub(super) fn monitors(process: &mut Process, of: Term) -> BifResult {
    if of.as_atom().is_some() {
        return of_node(process, of, |_, relation, heap| match relation.kind {
            Kind::Node => Some(node_monitor(heap, "target", relation.local, None)),
            _ => remote_monitor(heap, relation, Side::Connection),
        });
    }
    of_process(process, of, monitors_of)
}

/// The records of the connection to a node.
fn of_node(
    process: &mut Process,
    node: Term,
    record: fn(Term, &Relation, &mut Heap) -> Option<Term>,
) -> BifResult {
    let Some(channel) = peers::channel(node) else {
        return Ok(am::UNDEFINED);
    };
    let heap = process.heap();
    let mut all = channel.relations.all();
    // A process that monitors the node often has one record.
    let mut monitoring = Vec::new();
    all.retain(|relation| {
        let is_known = matches!(relation.kind, Kind::Node) && monitoring.contains(&relation.local);
        if matches!(relation.kind, Kind::Node) {
            monitoring.push(relation.local);
        }
        !is_known
    });
    let records: Vec<Term> = all
        .iter()
        .filter_map(|relation| record(relation.handle, relation, heap))
        .collect();
    Ok(build::list(heap, &records))
}

fn of_process(
    process: &mut Process,
    pid: Term,
    records: fn(&Process, &mut Heap) -> Term,
) -> BifResult {
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    info::of_process(process, pid, am::UNDEFINED, move |other, _, heap| {
        records(other, heap)
    })
}

fn links_of(process: &Process, heap: &mut Heap) -> Term {
    let links = process.relations.links();
    let records: Vec<Term> = links
        .filter_map(|(other, is_active)| {
            let id = other;
            let kind = match other.is_local_port() {
                true => am::PORT,
                false if runtime::process::relations::is_handle(other) => {
                    atom::known("dist_process")
                }
                false => am::PROCESS,
            };
            let other = seen(heap, other)?;
            Some(link_record(heap, kind, (other, id), is_active))
        })
        .collect();
    build::list(heap, &records)
}

/// The other side of a link as programs see it.
fn seen(heap: &mut Heap, other: Term) -> Option<Term> {
    match runtime::process::relations::is_handle(other) {
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

/// One side of a monitor.
struct Record {
    kind: Term,
    direction: &'static str,
    reference: Term,
    other: Term,
    name: Option<Term>,
}

impl Record {
    fn build(&self, heap: &mut Heap) -> Term {
        let parts = [
            atom::known("erl_monitor"),
            self.kind,
            atom::known(self.direction),
            self.reference,
            self.other,
            self.name.unwrap_or(Term::NIL),
        ];
        build::tuple(heap, &parts)
    }
}

/// Who keeps a monitor between nodes: the process of this node, or the connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Process,
    Connection,
}

/// A monitor between a process of this node and one of another, as one of the two sides here keeps it. What is the
/// origin of a monitor for the process is its target for the connection.
fn remote_monitor(heap: &mut Heap, relation: &Relation, side: Side) -> Option<Term> {
    let (reference, name, is_watched) = match &relation.kind {
        Kind::Monitor { names_owner } => {
            let owner = names_owner.then_some(relation.local);
            let name = relation
                .remote
                .term()
                .as_tuple(no_gc!())
                .map(|parts| parts[0]);
            let reference = reference_of(heap, relation.number, owner);
            (reference, name, false)
        }
        Kind::Watcher { reference, name } => (copy::copy(heap, reference.term()), *name, true),
        Kind::Link | Kind::Spawn(_) | Kind::Node => return None,
    };
    let direction = match (side, is_watched) {
        (Side::Process, false) | (Side::Connection, true) => "origin",
        (Side::Process, true) | (Side::Connection, false) => "target",
    };
    let other = match (side, relation.remote.term().as_tuple(no_gc!())) {
        (Side::Connection, _) => relation.local,
        (Side::Process, Some(&[_, node])) => node,
        (Side::Process, _) => copy::copy(heap, relation.remote.term()),
    };
    let kind = atom::known("dist_process");
    let record = Record {
        kind,
        direction,
        reference,
        other,
        name,
    };
    Some(record.build(heap))
}

/// A process that monitors a node is the target of what the connection keeps; its own record says how often it does.
fn node_monitor(heap: &mut Heap, direction: &'static str, other: Term, count: Option<i64>) -> Term {
    let record = Record {
        kind: am::NODE,
        direction,
        reference: Term::NIL,
        other,
        name: count.map(Term::small),
    };
    record.build(heap)
}

fn monitors_of(process: &Process, heap: &mut Heap) -> Term {
    let mut records = Vec::new();
    let mut nodes: Vec<(Term, i64)> = Vec::new();
    for (number, target, names_owner) in process.relations.monitors() {
        let (kind, other, name) = match target {
            MonitorTarget::Process { pid, name } => (am::PROCESS, pid, name),
            MonitorTarget::Port { port, name } => (am::PORT, port, name),
            MonitorTarget::TimeOffset => (am::TIME_OFFSET, am::CLOCK_SERVICE, None),
            MonitorTarget::Remote { handle } => {
                let relation = relations::get(handle);
                if matches!(relation.kind, Kind::Node) {
                    let name = relation.remote.term();
                    match nodes.iter_mut().find(|(node, _)| *node == name) {
                        Some((_, count)) => *count += 1,
                        None => nodes.push((name, 1)),
                    }
                }
                records.extend(remote_monitor(heap, &relation, Side::Process));
                continue;
            }
        };
        let owner = names_owner.then_some(process.id);
        let reference = reference_of(heap, number, owner);
        let direction = "origin";
        let record = Record {
            kind,
            direction,
            reference,
            other,
            name,
        };
        records.push(record.build(heap));
    }
    for (name, count) in nodes {
        records.push(node_monitor(heap, "origin", name, Some(count)));
    }
    for (number, watcher) in process.relations.watchers() {
        if runtime::process::relations::is_handle(watcher.watcher) {
            let relation = relations::get(watcher.watcher);
            records.extend(remote_monitor(heap, &relation, Side::Process));
            continue;
        }
        let owner = watcher.names_owner.then_some(watcher.watcher);
        let record = Record {
            kind: am::PROCESS,
            direction: "target",
            reference: reference_of(heap, number, owner),
            other: watcher.watcher,
            name: watcher.name,
        };
        records.push(record.build(heap));
    }
    build::list(heap, &records)
}
