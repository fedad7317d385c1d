//! The numbers of each connection to another node, and how they were in the last hour.
//!
//! Nodes come and go, so these are no rows of the table: each connected node has a ring of its own beside that of the
//! table, with the same numbers of samples, until it has been away for the whole hour. At most [`MOST`] nodes have one.

use std::borrow::Cow;

use layout::Term;

use super::connected::{Peer, Seen};
use super::ring::{Column, SAMPLES};
use super::table::{Kind, Metric, Series, by};
use crate::printed;

/// So many nodes have numbers of their own.
pub(super) const MOST: usize = 64;

/// A number of each node.
struct Number {
    id: &'static str,
    unit: &'static str,
    help: &'static str,
    group: &'static str,
    read: fn(&Seen) -> f64,
}

/// Those that have a history.
const NUMBERS: [Number; 2] = [
    Number {
        id: "peer_queued",
        unit: "bytes",
        help: "Bytes that wait to be sent to this node",
        group: "peers",
        read: |seen| seen.queued_bytes as f64,
    },
    Number {
        id: "peer_busy",
        unit: "share",
        help: "1 when processes that send to this node wait, at the moment of the sample",
        group: "busy_peers",
        read: |seen| f64::from(u8::from(seen.is_busy)),
    },
];

/// Those that metrics have.
type Measured = (Metric, Kind, fn(&Seen) -> f64);
pub(super) const METRICS: [Measured; 4] = [
    (
        by(
            "peer",
            "peer_queue",
            Some("bytes"),
            "Bytes that wait to be sent to a connected node",
        ),
        Kind::Gauge,
        |seen| seen.queued_bytes as f64,
    ),
    (
        by(
            "peer",
            "peer_busy",
            None,
            "1 when processes that send to a connected node wait",
        ),
        Kind::Gauge,
        |seen| f64::from(u8::from(seen.is_busy)),
    ),
    (
        by(
            "peer",
            "peer_received_packets",
            None,
            "Packets from a connected node, since it was connected",
        ),
        Kind::Counter,
        |seen| seen.packets_in as f64,
    ),
    (
        by(
            "peer",
            "peer_sent_packets",
            None,
            "Packets to a connected node, since it was connected",
        ),
        Kind::Counter,
        |seen| seen.packets_out as f64,
    ),
];

/// The history of one node.
struct Ring {
    node: Term,
    values: [Box<[f32]>; NUMBERS.len()],
    /// The number of the first sample that is not there yet.
    next: u64,
    /// The last sample in which the node was connected.
    last: u64,
}

/// The histories of all nodes that have one.
#[derive(Default)]
pub(super) struct Rings(Vec<Ring>);

impl Ring {
    fn new(node: Term, number: u64) -> Ring {
        let values = || vec![f32::NAN; SAMPLES as usize].into_boxed_slice();
        Ring {
            node,
            values: std::array::from_fn(|_| values()),
            next: number,
            last: number,
        }
    }

    /// Puts the sample of this number.
    fn put(&mut self, number: u64, seen: Option<&Seen>) {
        // What was missed is a gap.
        let missed = self.next.max(number.saturating_sub(SAMPLES))..number;
        for (values, row) in self.values.iter_mut().zip(&NUMBERS) {
            for gap in missed.clone() {
                values[(gap % SAMPLES) as usize] = f32::NAN;
            }
            let value = seen.map_or(f32::NAN, |seen| (row.read)(seen) as f32);
            values[(number % SAMPLES) as usize] = value;
        }
        self.next = number + 1;
    }
}

impl Rings {
    /// Puts the sample of this number for all nodes.
    pub(super) fn put(&mut self, number: u64, connected: &[Peer]) {
        for peer in connected {
            if !self.0.iter().any(|ring| ring.node == peer.name) && self.0.len() < MOST {
                self.0.push(Ring::new(peer.name, number));
            }
        }
        for ring in &mut self.0 {
            let peer = connected.iter().find(|peer| peer.name == ring.node);
            if peer.is_some() {
                ring.last = number;
            }
            ring.put(number, peer.and_then(|peer| peer.seen.as_ref()));
        }
        self.0.retain(|ring| number - ring.last < SAMPLES);
    }

    /// The series, and their columns from this sample to before that one.
    pub(super) fn columns(&self, from: u64, to: u64) -> (Vec<Series>, Vec<(String, Column)>) {
        let (mut all, mut columns) = (Vec::new(), Vec::new());
        for (place, number) in NUMBERS.iter().enumerate() {
            for ring in &self.0 {
                let name = printed::node(ring.node);
                let id = format!("{}:{name}", number.id);
                let values = (from..to).map(|at| ring.values[place][(at % SAMPLES) as usize]);
                columns.push((id.clone(), Column::of(values.collect())));
                all.push(Series {
                    id: Cow::Owned(id),
                    name: Cow::Owned(name),
                    unit: Cow::Borrowed(number.unit),
                    help: number.help,
                    kind: Kind::Gauge,
                    group: number.group,
                });
            }
        }
        (all, columns)
    }
}

#[cfg(test)]
mod tests {
    use term::atom;

    use super::*;

    fn connected(peers: &[(&str, u64)]) -> Vec<Peer> {
        let peer = |(name, queued_bytes): &(&str, u64)| Peer {
            name: atom::known(name),
            seen: Some(Seen {
                queued_bytes: *queued_bytes,
                is_busy: *queued_bytes > 10,
                packets_in: 1,
                packets_out: 2,
            }),
        };
        peers.iter().map(peer).collect()
    }

    fn column(rings: &Rings, id: &str, from: u64, to: u64) -> Option<Vec<Option<f32>>> {
        let (_, columns) = rings.columns(from, to);
        let found = columns.into_iter().find(|(known, _)| known == id);
        found.map(|(_, column)| column.known())
    }

    #[test]
    fn nodes_come_and_go() {
        let mut rings = Rings::default();
        rings.put(5, &connected(&[]));
        rings.put(6, &connected(&[("a@b", 7)]));
        rings.put(7, &connected(&[("c@d", 3), ("a@b", 11)]));
        rings.put(9, &connected(&[("c@d", 4)]));
        let queued = |id: &str| column(&rings, id, 5, 10);
        let a = [None, Some(7.0), Some(11.0), None, None];
        assert_eq!(queued("peer_queued:a@b").unwrap(), a);
        let c = [None, None, Some(3.0), None, Some(4.0)];
        assert_eq!(queued("peer_queued:c@d").unwrap(), c);
        assert_eq!(
            queued("peer_busy:a@b").unwrap()[1..3],
            [Some(0.0), Some(1.0)]
        );
        let (series, columns) = rings.columns(5, 5);
        assert!(columns.iter().all(|(_, column)| column.known().is_empty()));
        let ids: Vec<_> = series.iter().map(|series| series.id.as_ref()).collect();
        assert_eq!(ids[..2], ["peer_queued:a@b", "peer_queued:c@d"]);
        rings.put(9 + SAMPLES, &connected(&[("c@d", 5)]));
        assert_eq!(
            column(&rings, "peer_queued:a@b", 9, 10),
            None,
            "it was away for an hour"
        );
        let c = column(&rings, "peer_queued:c@d", 10, 10 + SAMPLES).unwrap();
        assert_eq!(c.iter().flatten().count(), 1, "what was missed is a gap");
    }

    #[test]
    fn there_are_not_too_many() {
        let names: Vec<String> = (0..MOST + 5).map(|number| format!("n{number}@h")).collect();
        let peers: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 0)).collect();
        let mut rings = Rings::default();
        rings.put(0, &connected(&peers));
        assert_eq!(rings.0.len(), MOST);
        let control = connected(&[("\u{202e}x@h", 0)]);
        assert_eq!(printed::node(control[0].name), "\\x{202E}x@h");
    }
}
