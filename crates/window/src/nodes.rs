//! Connections to other nodes.

use distribution::channel::{Channel, Phase};
use distribution::peers;
use serde::Serialize;
use term::node;

use crate::listed::{self, ListQuery, Listed, PATIENCE, columns};
use crate::printed;

/// This node and those that it is connected with.
#[derive(Clone, Debug, Serialize)]
pub struct Nodes {
    /// The name of this node; null if it has none.
    pub name: Option<String>,
    #[serde(flatten)]
    pub listed: Listed<NodeRow>,
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

columns!(NodeRow: name, state, is_visible, is_busy, queued_bytes, packets_in, packets_out, controller, creation);

/// The connections; without another order in that in which they were begun.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Nodes, String> {
    let rows: Vec<NodeRow> = peers::channels()
        .iter()
        .map(|channel| NodeRow::of(channel))
        .collect();
    Ok(Nodes {
        name: peers::is_alive().then(|| printed::node(node::own_name())),
        listed: listed::page(rows, 0, query, NodeRow::clone)?,
    })
}

impl NodeRow {
    fn of(channel: &Channel) -> NodeRow {
        let seen = channel.look_within(PATIENCE);
        let seen = seen.as_ref();
        NodeRow {
            name: printed::node(channel.node),
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
