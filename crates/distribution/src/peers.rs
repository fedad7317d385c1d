//! The other nodes, the channel to each, and whether this node itself takes part (is *alive*).
//!
//! A channel stays in the table until everybody that depended on it was told of its end, so that nobody hears of a new
//! connection before the end of the old one. Any thread may call.

use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use layout::Term;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build, node};

use crate::channel::{Channel, Phase};
use crate::relations::{Kind, Relation};
use crate::{dist_handle, monitor_nodes};
use runtime::effects::port;
use runtime::mail::{registry, signal};
use runtime::process::Process;
use runtime::process::signal::Signal;

/// The channel to each node that has one, by the bits of the node's name.
static PEERS: LazyLock<RwLock<FxHashMap<u64, Arc<Channel>>>> = LazyLock::new(RwLock::default);
static LAST_ID: AtomicU32 = AtomicU32::new(0);

/// Whether this node has a name, so that it can be connected.
#[must_use]
pub fn is_alive() -> bool {
    node::own_name() != am::NONODE_NOHOST
}

/// The channel to a node: pending, up or just ended.
#[must_use]
pub fn channel(name: Term) -> Option<Arc<Channel>> {
    PEERS.read().get(&name.bits()).cloned()
}

/// All channels, in the order in which they were begun.
#[must_use]
pub fn channels() -> Vec<Arc<Channel>> {
    let mut channels: Vec<Arc<Channel>> = PEERS.read().values().cloned().collect();
    channels.sort_unstable_by_key(|channel| channel.id);
    channels
}

/// The channel in which most bytes wait to be sent, and how many those are, if there is any channel. Those whose lock
/// was not acquired in time are left out.
#[must_use]
pub fn fullest_within(timeout: Duration) -> Option<(Arc<Channel>, usize)> {
    let channels = channels().into_iter();
    let sizes = channels.filter_map(|channel| {
        let bytes = channel.waiting_bytes_within(timeout)?;
        Some((channel, bytes))
    });
    sizes.max_by_key(|(_, bytes)| *bytes)
}

/// Those that are up.
pub fn connected() -> impl Iterator<Item = Arc<Channel>> {
    let channels = channels().into_iter();
    channels.filter(|channel| channel.phase() == Phase::Up)
}

/// The channel to a node; one is begun if there is none, without telling anybody.
#[must_use]
pub fn begin(name: Term) -> Arc<Channel> {
    begin_new(name).0
}

/// As [`begin`]; also returns whether the channel is new.
fn begin_new(name: Term) -> (Arc<Channel>, bool) {
    let mut peers = PEERS.write();
    if let Some(channel) = peers.get(&name.bits()) {
        return (channel.clone(), false);
    }
    let id = LAST_ID.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    let channel = Channel::pending(name, id);
    peers.insert(name.bits(), channel.clone());
    // The name stays known, as that of a node heard of.
    let _ = node::heard_of(name, 0);
    (channel, true)
}

/// The channel to a node; if there is none, `net_kernel` is asked to connect. `None` if this node is not alive.
#[must_use]
pub fn connect(name: Term) -> Option<Arc<Channel>> {
    if !is_alive() {
        return None;
    }
    if let Some(channel) = channel(name) {
        return Some(channel);
    }
    let (channel, is_new) = begin_new(name);
    if is_new {
        let Some(net_kernel) = registry::whereis_process(am::NET_KERNEL) else {
            channel.close(am::NOCONNECTION);
            return None;
        };
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let id = dist_handle::make(heap, &channel);
        let request = build::tuple(heap, &[am::AUTO_CONNECT, name, id]);
        signal::send_message(am::SYSTEM, net_kernel, request);
    }
    Some(channel)
}

/// A channel has ended: called once by the channel. All relations end, then those who watch nodes are told.
pub(crate) fn channel_closed(channel: &Arc<Channel>, was_up: bool, reason: Term) {
    for relation in channel.relations.close() {
        relation_lost(&relation);
    }
    {
        let mut peers = PEERS.write();
        let bits = channel.node.bits();
        if peers
            .get(&bits)
            .is_some_and(|other| Arc::ptr_eq(other, channel))
        {
            peers.remove(&bits);
        }
    }
    if was_up {
        let reason = match reason {
            am::NORMAL => am::CONNECTION_CLOSED,
            other => other,
        };
        monitor_nodes::tell(monitor_nodes::Change {
            what: am::NODEDOWN,
            node: channel.node,
            id: Some(channel.id),
            is_visible: channel.is_visible(),
            reason,
        });
    }
}

/// The connection over which a relation went is lost. Uses up a count of a handle that is passed on.
fn relation_lost(relation: &Relation) {
    let (local, handle) = (relation.local, relation.handle);
    match &relation.kind {
        Kind::Link => {
            let mut scratch = Scratch::new();
            let pair = [relation.remote.term(), am::NOCONNECTION];
            let exit = Owned::new(build::tuple(scratch.heap(), &pair));
            let link = Some(handle);
            // The signal has the count.
            signal::send_or_bounce(local, Signal::RemoteExit { exit, link });
        }
        Kind::Monitor { .. } | Kind::Node => {
            let down = Signal::Down {
                reference: (relation.number, 0),
                from: None,
                reason: Owned::new(am::NOCONNECTION),
            };
            let _ = signal::send(local, down);
        }
        Kind::Watcher { .. } => signal::demonitor(local, (relation.number, 0)),
        // The reply has the count.
        Kind::Spawn(_) => crate::spawn::replied(handle, am::NOCONNECTION, 0, None),
    }
}

/// Gives this node a name: `net_kernel`, which the caller speaks for, has started. From then on the end of `net_kernel`
/// ends the node's part in the distribution. Returns false if that is impossible.
#[must_use]
pub fn become_alive(name: Term, creation: u32) -> bool {
    if is_alive() {
        return false;
    }
    let Some(net_kernel) = registry::whereis_process(am::NET_KERNEL) else {
        return false;
    };
    node::set_own(name, creation);
    let watch = |process: Option<&mut Process>| match process {
        Some(process) => process.extras().at_exit.add(|_| ((), Box::new(stop))),
        None => stop(am::NOPROC),
    };
    let _ = signal::send(net_kernel, Signal::Call(Box::new(watch)));
    monitor_nodes::tell(monitor_nodes::Change {
        what: am::NODEUP,
        node: name,
        id: None,
        is_visible: true,
        reason: Term::NIL,
    });
    true
}

/// `net_kernel` has ended, and with it all connections and the node's name.
fn stop(reason: Term) {
    let reason = match reason {
        am::NO_NETWORK => am::NO_NETWORK,
        _ => am::NET_KERNEL_TERMINATED,
    };
    let name = node::own_name();
    for channel in channels() {
        match channel.controller() {
            Some(port) if port.is_local_port() => {
                port::signals::exit_signal(port, port, reason, false);
            }
            Some(pid) => {
                let kill = Signal::Exit {
                    from: pid,
                    reason: Owned::new(am::KILL),
                    linked: false,
                };
                let _ = signal::send(pid, kill);
            }
            None => {}
        }
        channel.close(reason);
    }
    node::set_own(am::NONODE_NOHOST, 0);
    monitor_nodes::tell(monitor_nodes::Change {
        what: am::NODEDOWN,
        node: name,
        id: None,
        is_visible: true,
        reason,
    });
}
