//! Connections to other nodes.

use distribution::channel::{Channel, Phase};
use distribution::peers;
use serde::Serialize;
use term::node;

use crate::listed::PATIENCE;
use crate::printed;
use crate::processes::unix_ms;

/// This node and those that it is connected with.
#[derive(Clone, Debug, Serialize)]
pub struct Nodes {
    pub as_of_unix_ms: u64,
    /// The name of this node; null if it has none.
    pub name: Option<String>,
    pub total: u64,
    pub rows: Vec<NodeRow>,
}

/// A connection. Null: its lock was held all the time.
#[derive(Clone, Debug, Serialize)]
pub struct NodeRow {
    pub name: String,
    /// `pending`, `up` or `down`.
    pub state: Option<&'static str>,
    /// Other nodes are told of it.
    pub is_visible: bool,
    /// Processes that send to it wait.
    pub is_busy: Option<bool>,
    pub queued_bytes: Option<u64>,
    pub packets_in: Option<u64>,
    pub packets_out: Option<u64>,
    /// The port or process that carries the connection.
    pub controller: Option<String>,
    pub creation: u64,
}

/// The connections, in the order in which they were begun.
#[must_use]
pub fn page() -> Nodes {
    let rows: Vec<NodeRow> = peers::channels()
        .iter()
        .map(|channel| NodeRow::of(channel))
        .collect();
    Nodes {
        as_of_unix_ms: unix_ms(),
        name: peers::is_alive().then(|| printed::name(node::own_name())),
        total: rows.len() as u64,
        rows,
    }
}

impl NodeRow {
    fn of(channel: &Channel) -> NodeRow {
        let seen = channel.look_within(PATIENCE);
        let seen = seen.as_ref();
        NodeRow {
            name: printed::name(channel.node),
            state: seen.map(|seen| match seen.phase {
                Phase::Pending => "pending",
                Phase::Up => "up",
                Phase::Down => "down",
            }),
            is_visible: channel.is_visible(),
            is_busy: seen.map(|seen| seen.is_busy),
            queued_bytes: seen.map(|seen| seen.queued_bytes as u64),
            packets_in: seen.map(|seen| seen.packets_in),
            packets_out: seen.map(|seen| seen.packets_out),
            controller: seen
                .and_then(|seen| seen.controller)
                .map(printed::identifier),
            creation: channel.creation().into(),
        }
    }
}
