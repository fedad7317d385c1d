//! What a running process sends to another node: messages, links, monitors, exit signals.
//!
//! Each function takes what a BIF found to be on another node. If there is no connection, one is begun, except where
//! the caller says no; if there can be none, what is sent is lost as if the connection had been, and relations end with
//! `noconnection`.

use std::sync::Arc;

use layout::{ObjectKind, Term};
use smallvec::{SmallVec, smallvec};
use term::copy::Owned;
use term::release::{self, Release};
use term::{am, build, node};

use crate::channel::Channel;
use crate::control::{Control, alternative, code};
use crate::relations::{Kind, Relation};
use crate::{peers, relations};
use runtime::mail::remote;
use runtime::mail::signal::Sent;
use runtime::process::Process;
use runtime::process::rank::Rank;
use runtime::process::relations::reference_of;
use runtime::process::sequence::Token;

/// The name of the node of a pid, reference or `{Name, Node}`.
#[must_use]
pub fn node_of(to: Term) -> Option<Term> {
    if let Some([name, node]) = to.as_tuple_of() {
        return (name.is_atom() && node.is_atom()).then_some(node);
    }
    match to.boxed_kind()? {
        ObjectKind::ExternalPid | ObjectKind::ExternalReference | ObjectKind::ExternalPort => {
            Some(node::of(to).name)
        }
        _ => None,
    }
}

/// The channel over which a signal to an identifier goes. `None` if there is none, or if it is of an earlier life of
/// this node.
fn channel_to(to: Term) -> Option<Arc<Channel>> {
    let node = node_of(to)?;
    if node == node::own_name() {
        return None;
    }
    peers::connect(node)
}

/// Whether a send must be refused: because there is no connection and none may be begun (`noconnect`), or because the
/// sender would have to wait (`nosuspend`).
#[must_use]
pub fn refusal(to: Term, may_connect: bool, may_suspend: bool) -> Option<Term> {
    let node = node_of(to)?;
    let channel =
        peers::channel(node).filter(|channel| channel.phase() != crate::channel::Phase::Down);
    match channel {
        None if !may_connect => Some(am::NOCONNECT),
        Some(channel) if !may_suspend && channel.is_busy() => Some(am::NOSUSPEND),
        _ => None,
    }
}

/// Sends a message.
pub fn send(from: &mut Process, to: Term, message: Term, rank: Rank) -> Sent {
    let Some(channel) = channel_to(to) else {
        return Sent::Done;
    };
    let control = control_of_message(from, to, rank);
    channel.send_from(from, control.term(), Some(message))
}

/// Sends a message, and does not suspend the sender if that is one too many (`nosuspend`).
pub fn send_without_waiting(from: &Process, to: Term, message: Term, rank: Rank) -> Sent {
    let Some(channel) = channel_to(to) else {
        return Sent::Done;
    };
    let control = control_of_message(from, to, rank);
    channel.send_without_waiting(from.pid(), control.term(), Some(message))
}

/// The control message of a message, with the sender's token of sequential trace if it has one.
fn control_of_message(sender: &Process, to: Term, rank: Rank) -> Control {
    let from = sender.pid();
    let token = runtime::process::sequence::of(sender);
    let is_alternative = rank == Rank::Priority || to.is_kind(ObjectKind::ExternalReference);
    if is_alternative && release::has(Release::OTP_28) {
        return alternative_control(from, to, 0, rank, token);
    }
    let (plain, traced, parts): (_, _, SmallVec<[Term; 8]>) =
        if let Some([name, _]) = to.as_tuple_of() {
            let parts = smallvec![from, am::EMPTY, name];
            (code::REG_SEND, code::REG_SEND_TRACED, parts)
        } else if to.is_kind(ObjectKind::ExternalReference) {
            (
                code::ALIAS_SEND,
                code::ALIAS_SEND_TRACED,
                smallvec![from, to],
            )
        } else {
            (
                code::SEND_SENDER,
                code::SEND_SENDER_TRACED,
                smallvec![from, to],
            )
        };
    match token {
        None => Control::new(plain, &parts),
        Some(token) => Control::with(traced, |heap| {
            let token = token.to_term(heap);
            parts.into_iter().chain([token]).collect()
        }),
    }
}

/// The control message of a message, or with the flag of that an exit signal, in the form of OTP 28.
fn alternative_control(
    from: Term,
    to: Term,
    mut flags: i64,
    rank: Rank,
    token: Option<&Token>,
) -> Control {
    flags |= match rank {
        Rank::Ordinary => 0,
        Rank::Priority => alternative::PRIORITY,
    };
    let to = match to.as_tuple_of() {
        Some([name, _]) => {
            flags |= alternative::NAME;
            name
        }
        _ => to,
    };
    if to.is_reference() {
        flags |= alternative::ALIAS;
    }
    if token.is_some() {
        flags |= alternative::TRACED;
    }
    Control::with(code::ALTERNATIVE_SEND, |heap| {
        let token = token.map(|token| token.to_term(heap));
        let parts = [Term::small(flags), from, to];
        parts.into_iter().chain(token).collect()
    })
}

/// Sends an exit signal (`exit/2`, `exit_signal/3`); `to` may be an alias.
pub fn exit(from: &mut Process, to: Term, reason: Term, rank: Rank) -> Sent {
    let Some(channel) = channel_to(to) else {
        return Sent::Done;
    };
    let pid = from.pid();
    let control = match rank == Rank::Priority || to.is_reference() {
        true => alternative_control(pid, to, alternative::EXIT, rank, None),
        false => Control::new(code::PAYLOAD_EXIT2, &[pid, to]),
    };
    channel.send_from(from, control.term(), Some(reason))
}

/// Makes a process the group leader of one on another node.
pub fn group_leader(from: &mut Process, leader: Term, to: Term) -> Sent {
    let Some(channel) = channel_to(to) else {
        return Sent::Done;
    };
    let control = Control::new(code::GROUP_LEADER, &[leader, to]);
    channel.send_from(from, control.term(), None)
}

/// The result of a link or monitor.
#[must_use]
pub enum Related {
    /// The other side is told, or was before.
    Sent(Sent),
    /// There is no connection, and there will be none.
    NoConnection,
}

/// Links a process with one of another node; its exit message will have this rank.
pub fn link(process: &mut Process, to: Term, rank: Rank) -> Related {
    let Some(channel) = channel_to(to) else {
        return Related::NoConnection;
    };
    let pid = process.pid();
    let Some(handle) = channel.relations.link(&channel, pid, to) else {
        return Related::NoConnection;
    };
    let had_entry = process.relations.has_link(handle);
    let is_told = !process.relations.add_link(handle, rank);
    if had_entry {
        // The entry has a count already.
        relations::release(handle);
    }
    if is_told {
        return Related::Sent(Sent::Done);
    }
    let control = Control::new(code::LINK, &[pid, to]);
    Related::Sent(channel.send_from(process, control.term(), None))
}

/// Removes a link with a process of another node.
pub fn unlink(process: &mut Process, to: Term) -> Sent {
    let Some(channel) = node_of(to).and_then(peers::channel) else {
        return Sent::Done;
    };
    let Some(handle) = channel.relations.find_link(process.pid(), to) else {
        return Sent::Done;
    };
    let number = process.relations.begin_unlink(handle);
    relations::release(handle);
    let Some(number) = number else {
        return Sent::Done;
    };
    let pid = process.pid();
    let control = unlink_control(number, pid, to);
    channel.send_from(process, control.term(), None)
}

pub(crate) fn unlink_control(number: u64, pid: Term, to: Term) -> Control {
    Control::with(code::UNLINK_ID, |heap| {
        smallvec![build::unsigned(heap, number), pid, to]
    })
}

/// Sets a monitor on a process of another node, or on a name there. The number is that of the monitor's reference;
/// `names_owner` says whether it is an alias too. The caller adds the relation, which owns the handle.
pub fn monitor(
    process: &mut Process,
    to: Term,
    number: u64,
    names_owner: bool,
) -> Option<(Term, Sent)> {
    let channel = channel_to(to)?;
    let pid = process.pid();
    let handle = channel
        .relations
        .add(&channel, pid, to, number, Kind::Monitor { names_owner })?;
    let control = Control::with(code::MONITOR, |heap| {
        let reference = reference_of(heap, number, names_owner.then_some(pid));
        smallvec![pid, name_or_pid(to), reference]
    });
    let sent = channel.send_from(process, control.term(), None);
    Some((handle, sent))
}

/// Tells the other side that the monitor with this number is removed. Uses up the handle that the monitor had.
pub fn demonitor(process: &mut Process, handle: Term, number: u64) -> Sent {
    let relation = relations::get(handle);
    let Some(control) = demonitor_control(&relation, number) else {
        remote::get().demonitor(handle, number);
        return Sent::Done;
    };
    let sent = relation.channel.send_from(process, control.term(), None);
    relations::release(handle);
    sent
}

/// The signal that removes a monitor; `None` if the relation is none of a process or name.
pub(crate) fn demonitor_control(relation: &Relation, number: u64) -> Option<Control> {
    let Kind::Monitor { names_owner } = relation.kind else {
        return None;
    };
    Some(Control::with(code::DEMONITOR, |heap| {
        let watched = name_or_pid(relation.remote.term());
        let owner = names_owner.then_some(relation.local);
        smallvec![relation.local, watched, reference_of(heap, number, owner)]
    }))
}

/// How a control message names the target of a monitor: a pid, or the name alone.
pub(crate) fn name_or_pid(target: Term) -> Term {
    match target.as_tuple_of() {
        Some([name, _]) => name,
        _ => target,
    }
}

/// Monitors a node; the caller adds the relation, which owns the handle. `None` if there is no connection and none can
/// be begun.
#[must_use]
pub fn monitor_node(process: &Process, name: Term, number: u64) -> Option<Term> {
    let channel = peers::connect(name)?;
    channel
        .relations
        .add(&channel, process.pid(), name, number, Kind::Node)
}

/// The number of one of the process's monitors of a node, if it has any.
#[must_use]
pub fn monitored_node(process: &Process, name: Term) -> Option<u64> {
    let handle = peers::channel(name)?.relations.find_node(process.pid())?;
    let number = relations::get(handle).number;
    relations::release(handle);
    Some(number)
}

/// An owned pair for an exit signal from another node.
pub(crate) fn exit_pair(from: Term, reason: Term) -> Owned {
    let mut scratch = term::heap::Scratch::new();
    Owned::new(build::tuple(scratch.heap(), &[from, reason]))
}

/// As [`exit_pair`], with a token of sequential trace.
pub(crate) fn traced_exit(from: Term, reason: Term, token: Term) -> Owned {
    let mut scratch = term::heap::Scratch::new();
    Owned::new(build::tuple(scratch.heap(), &[from, reason, token]))
}
