//! Sockets of the module `socket`, which are no ports.
//!
//! Who has them is above this crate, and hands in how to look at them ([`set_source`]). Any thread may call.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::time::Duration;

use layout::Term;
use runtime::mail::registry;
use serde::Serialize;

use crate::listed::{self, ListQuery, Listed, PATIENCE, columns};
use crate::printed;

/// A socket, as it was seen.
pub struct Looked {
    /// The number of its descriptor.
    pub descriptor: i32,
    /// `None` when its owner has ended.
    pub owner: Option<Term>,
    pub domain: String,
    pub kind: String,
    pub protocol: String,
    pub status: &'static str,
    pub local: Option<String>,
    pub peer: Option<String>,
    pub input_bytes: u64,
    pub output_bytes: u64,
    /// Processes that wait to read from it, or for connections.
    pub readers: usize,
    /// Processes that wait to write to it, or until it is connected.
    pub writers: usize,
}

/// All sockets together.
#[derive(Clone, Copy, Default, Debug)]
pub struct Totals {
    /// Those that are open.
    pub open: u64,
    /// What was read from all that there ever were, and written to them.
    pub input_bytes: u64,
    pub output_bytes: u64,
}

/// How to look at sockets.
pub struct Source {
    /// Looks at each of them, but for those whose locks are not free in time, which are counted.
    pub look: fn(Duration) -> (Vec<Looked>, usize),
    /// Takes no lock.
    pub totals: fn() -> Totals,
}

static SOURCE: OnceLock<Source> = OnceLock::new();

/// Says how to look at sockets; what is said later is of no effect.
pub fn set_source(source: Source) {
    SOURCE.get_or_init(|| source);
}

/// A socket.
#[derive(Clone, Debug, Serialize)]
pub struct SocketRow {
    /// The number of its descriptor.
    pub descriptor: u64,
    pub owner: Option<String>,
    pub owner_name: Option<String>,
    /// `inet`, `inet6`, `local`, or a number.
    pub domain: String,
    /// `stream`, `dgram` and so on.
    pub kind: String,
    pub protocol: String,
    /// `listening`, `connected`, `connecting`, `bound` or `open`.
    pub status: &'static str,
    pub local: Option<String>,
    pub peer: Option<String>,
    pub input_bytes: u64,
    pub output_bytes: u64,
    /// Processes that wait to read from it, or for connections.
    pub readers: u64,
    /// Processes that wait to write to it, or until it is connected.
    pub writers: u64,
}

columns!(SocketRow: descriptor, owner, owner_name, domain, kind, protocol, status, local, peer, input_bytes,
    output_bytes, readers, writers);

/// All sockets together; none on a node that has not loaded their module.
#[must_use]
pub fn totals() -> Totals {
    SOURCE
        .get()
        .map_or_else(Totals::default, |source| (source.totals)())
}

/// The sockets; without another order those that moved most come first.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Listed<SocketRow>, String> {
    let source = SOURCE.get();
    let (mut sockets, left_out) = source.map_or((Vec::new(), 0), |source| (source.look)(PATIENCE));
    sockets.sort_by_key(|socket| Reverse(socket.input_bytes + socket.output_bytes));
    listed::page(sockets, left_out, query, SocketRow::of)
}

impl SocketRow {
    fn of(socket: &Looked) -> SocketRow {
        let text = |text: &String| printed::text(text, printed::MOST_IN_ROW);
        SocketRow {
            descriptor: u64::try_from(socket.descriptor).unwrap_or(0),
            owner: socket.owner.map(printed::identifier),
            owner_name: socket.owner.and_then(registry::name_of).map(printed::name),
            domain: text(&socket.domain),
            kind: text(&socket.kind),
            protocol: text(&socket.protocol),
            status: socket.status,
            local: socket.local.as_ref().map(text),
            peer: socket.peer.as_ref().map(text),
            input_bytes: socket.input_bytes,
            output_bytes: socket.output_bytes,
            readers: socket.readers as u64,
            writers: socket.writers as u64,
        }
    }
}
