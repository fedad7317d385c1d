//! `get_internal_state(node_and_dist_references)`: who refers to which node, and who keeps what is known of a node:
//!
//! ```text
//! {{node_references, [{{Name, Creation}, Count, [{Referrer, [{Place, Count}]}]}]},
//!  {dist_references, [{Name,             Count, [{Referrer, [{Place, Count}]}]}]}}
//! ```

use std::collections::BTreeSet;

use layout::{Heap, Term};
use term::node::{self, Node};
use term::{am, atom, build};

use crate::node_table::{self, Place, References, Referrer};
use distribution::peers;
use runtime::code::bif::BifResult;
use runtime::process::Process;

/// Referrer, place, count.
type Row = (Term, Term, i64);

/// See the module.
pub(super) fn both(process: &mut Process) -> BifResult {
    node_table::forget_unused();
    let references = References::find();
    let own = Node {
        name: node::own_name(),
        creation: node::own_creation(),
    };
    let heap = process.heap();
    let mut nodes: BTreeSet<u64> = references.nodes().map(Node::word).collect();
    nodes.insert(own.word());
    let mut entries = Vec::new();
    for &word in &nodes {
        let mut rows = Vec::new();
        if word == own.word() {
            rows.push(itself(heap));
        }
        for (&(referrer, of, place), &count) in &references.0 {
            if of == word {
                rows.push((referrer_term(heap, referrer), place_name(place), count));
            }
        }
        let name = node_term(heap, word);
        let count = sum(&rows);
        entries.push(entry(heap, name, count, &rows));
    }
    let of_nodes = build::list(heap, &entries);
    let of_connections = connections(heap, own, &nodes);
    let of_nodes = build::tuple(heap, &[am::NODE_REFERENCES, of_nodes]);
    let of_connections = build::tuple(heap, &[am::DIST_REFERENCES, of_connections]);
    Ok(build::tuple(heap, &[of_nodes, of_connections]))
}

/// By name: the nodes of that name that something refers to, and the controller of its connection. A name that is
/// neither referred to nor connected waits to be forgotten.
fn connections(heap: &mut Heap, own: Node, nodes: &BTreeSet<u64>) -> Term {
    let mut names: Vec<Term> = node::known_names();
    let mut also = |name: Term| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    also(own.name);
    nodes
        .iter()
        .for_each(|word| also(Node::of_word(*word).name));
    let mut entries = Vec::new();
    for name in names {
        let mut rows = Vec::new();
        if name == own.name {
            rows.push(itself(heap));
        }
        if let Some(channel) = peers::channel(name) {
            rows.push(match channel.controller() {
                Some(controller) => {
                    let kind = match controller.is_local_port() {
                        true => am::PORT,
                        false => am::PROCESS,
                    };
                    (build::tuple(heap, &[kind, controller]), am::CONTROL, 1)
                }
                // A connection that is being made.
                None => itself(heap),
            });
        }
        for &word in nodes {
            if Node::of_word(word).name == name {
                let node = node_term(heap, word);
                rows.push((build::tuple(heap, &[am::NODE, node]), am::NODE, 1));
            }
        }
        let count = sum(&rows);
        if rows.is_empty() {
            let why = atom::known("delayed_delete_timer");
            rows.push((build::tuple(heap, &[am::SYSTEM, why]), am::SYSTEM, 1));
        }
        entries.push(entry(heap, name, count, &rows));
    }
    build::list(heap, &entries)
}

/// The VM itself refers to it.
fn itself(heap: &mut Heap) -> Row {
    let referrer = build::tuple(heap, &[am::SYSTEM, am::UNDEFINED]);
    (referrer, am::SYSTEM, 1)
}

fn sum(rows: &[Row]) -> i64 {
    rows.iter().map(|(_, _, count)| count).sum()
}

/// `{Name, Count, [{Referrer, [{Place, Count}]}]}`; rows of one referrer stand together.
fn entry(heap: &mut Heap, name: Term, count: i64, rows: &[Row]) -> Term {
    let mut referrers = Vec::new();
    for group in rows.chunk_by(|a, b| term::compare::eq_exact(a.0, b.0)) {
        let counts: Vec<Term> = group
            .iter()
            .map(|&(_, place, count)| build::tuple(heap, &[place, Term::small(count)]))
            .collect();
        let counts = build::list(heap, &counts);
        referrers.push(build::tuple(heap, &[group[0].0, counts]));
    }
    let referrers = build::list(heap, &referrers);
    build::tuple(heap, &[name, Term::small(count), referrers])
}

fn node_term(heap: &mut Heap, word: u64) -> Term {
    let Node { name, creation } = Node::of_word(word);
    let creation = build::unsigned(heap, creation.into());
    build::tuple(heap, &[name, creation])
}

fn referrer_term(heap: &mut Heap, referrer: Referrer) -> Term {
    let pair = match referrer {
        Referrer::Entity(bits) => {
            // SAFETY: the word of a pid, a port or an atom, none of which refers to memory.
            let entity = unsafe { Term::from_bits(bits) };
            match entity.is_local_port() {
                true => [am::PORT, entity],
                false => [am::PROCESS, entity],
            }
        }
        Referrer::Table(number) => match ets::registry::find(number) {
            Some(table) => [am::ETS, table.identifier(heap)],
            None => [am::SYSTEM, am::ETS],
        },
        Referrer::MatchSpec(number) => [am::MATCH_SPEC, build::unsigned(heap, number)],
        Referrer::PersistentTerms => [am::SYSTEM, am::PERSISTENT_TERM],
    };
    build::tuple(heap, &pair)
}

fn place_name(place: Place) -> Term {
    match place {
        Place::Heap => am::HEAP,
        Place::Link => am::LINK,
        Place::Monitor => am::MONITOR,
        Place::Table => am::ETS,
        Place::Binary => am::BINARY,
        Place::Timer => am::TIMER,
        Place::System => am::SYSTEM,
    }
}
