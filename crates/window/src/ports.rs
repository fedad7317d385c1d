//! Ports: sockets with their ends, programs, files. What other modules open without a port (`socket`) is not here.

use std::cmp::Reverse;

use runtime::effects::port::look::{self, Looked};
use runtime::mail::registry;
use serde::Serialize;

use crate::listed::{self, ListQuery, Listed, PATIENCE, columns};
use crate::printed;

/// A port.
#[derive(Clone, Debug, Serialize)]
pub struct PortRow {
    pub port: String,
    /// What it was opened with: a driver's name, or a command.
    pub name: String,
    pub registered_name: Option<String>,
    pub owner: String,
    pub owner_name: Option<String>,
    /// `tcp`, `udp` or `sctp` of a socket.
    pub protocol: Option<&'static str>,
    pub local: Option<String>,
    pub peer: Option<String>,
    pub input_bytes: u64,
    pub output_bytes: u64,
    /// Output that waits.
    pub queued_bytes: u64,
    pub is_busy: bool,
    pub links: u64,
    pub os_pid: Option<u32>,
}

columns!(PortRow: port, name, registered_name, owner, owner_name, protocol, local, peer, input_bytes, output_bytes,
    queued_bytes, is_busy, links, os_pid);

/// The ports; without another order those in which most output waits come first, and then those that moved most.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Listed<PortRow>, String> {
    let (mut ports, left_out) = look::look_within(PATIENCE);
    ports.sort_by_key(|port| {
        let moved = port.input_bytes + port.output_bytes;
        (Reverse(port.queued_bytes), Reverse(moved), port.id.bits())
    });
    listed::page(ports, left_out, query, PortRow::of)
}

impl PortRow {
    fn of(port: &Looked) -> PortRow {
        let text = |text: &str| printed::text(text, printed::MOST_IN_ROW);
        let ends = port.ends.as_ref();
        PortRow {
            port: printed::identifier(port.id),
            name: text(&String::from_utf8_lossy(&port.name)),
            registered_name: registry::name_of(port.id).map(printed::name),
            owner: printed::identifier(port.connected),
            owner_name: registry::name_of(port.connected).map(printed::name),
            protocol: ends.map(|ends| ends.protocol),
            local: ends.and_then(|ends| ends.local.as_deref()).map(text),
            peer: ends.and_then(|ends| ends.peer.as_deref()).map(text),
            input_bytes: port.input_bytes,
            output_bytes: port.output_bytes,
            queued_bytes: port.queued_bytes,
            is_busy: port.is_busy,
            links: port.links as u64,
            os_pid: port.os_pid,
        }
    }
}
