//! The connected nodes as they are at one moment. Any thread may call.

use std::time::Duration;

use distribution::peers;
use layout::Term;

/// A connected node at one moment.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Peer {
    /// Its name.
    pub(crate) name: Term,
    /// `None` if the channel's lock was held for longer than one waits.
    pub(crate) seen: Option<Seen>,
}

/// What is seen of a connection.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Seen {
    pub(crate) queued_bytes: u64,
    pub(crate) is_busy: bool,
    pub(crate) packets_in: u64,
    pub(crate) packets_out: u64,
}

/// All connected nodes.
pub(crate) fn all_within(timeout: Duration) -> Vec<Peer> {
    let peer = |channel: &distribution::channel::Channel| Peer {
        name: channel.node,
        seen: channel.look_within(timeout).map(|seen| Seen {
            queued_bytes: seen.queued_bytes as u64,
            is_busy: seen.is_busy,
            packets_in: seen.packets_in,
            packets_out: seen.packets_out,
        }),
    };
    peers::connected().map(|channel| peer(&channel)).collect()
}
