//! What the control messages of the other node ask for: signals to processes of this node, and answers to its own.
//!
//! Called by whoever reads the channel, under the lock of its input.

use std::sync::Arc;

use layout::{ObjectKind, Term, no_gc};
use term::copy::Owned;
use term::integer::uint64;
use term::{am, copy, node, reference};

use super::payload::Payload;
use crate::channel::Channel;
use crate::control::{alternative, code};
use crate::relations::{self, Kind};
use crate::{remote, signals, spawn};
use runtime::effects::{self, log};
use runtime::mail::remote::Reason;
use runtime::mail::{registry, signal};
use runtime::process::rank::Rank;
use runtime::process::relations::Watcher;
use runtime::process::sequence::Token;
use runtime::process::signal::Signal;
use runtime::process::{Process, table};

/// Does what a control message says; `None` if it makes no sense.
pub(super) fn execute(channel: &Arc<Channel>, control: Term, payload: Payload<'_>) -> Option<()> {
    let no_gc = no_gc!();
    let [code, rest @ ..] = control.as_tuple(no_gc)? else {
        return None;
    };
    match (code.as_small()?, rest) {
        (code::SEND | code::SEND_SENDER, &[_, to]) => {
            if to.is_local_pid() {
                payload.send(channel, to, None);
            }
            to.is_pid().then_some(())
        }
        (code::SEND_TRACED | code::SEND_SENDER_TRACED, &[_, to, token]) => {
            if to.is_local_pid() {
                payload.send_traced(channel, to, None, token)?;
            }
            to.is_pid().then_some(())
        }
        (code::REG_SEND_TRACED, &[from, _, name, token]) => {
            if !from.is_pid() || !name.is_atom() {
                return None;
            }
            match registry::whereis_process(name) {
                Some(to) => payload.send_traced(channel, to, None, token),
                None => Some(()),
            }
        }
        (code::REG_SEND, &[from, _, name]) => {
            if !from.is_pid() || !name.is_atom() {
                return None;
            }
            if let Some(to) = registry::whereis_process(name) {
                payload.send(channel, to, None);
            }
            Some(())
        }
        (code::ALIAS_SEND_TRACED, &[_, to, token]) => {
            if let (Some(pid), Some(number)) = (table::owner_pid(to), reference::number(to)) {
                payload.send_traced(channel, pid, Some((number, Rank::Ordinary)), token)?;
            }
            (to.is_reference()).then_some(())
        }
        (code::ALIAS_SEND, &[_, to]) => {
            if let (Some(pid), Some(number)) = (table::owner_pid(to), reference::number(to)) {
                payload.send(channel, pid, Some((number, Rank::Ordinary)));
            }
            (to.is_reference()).then_some(())
        }
        (code::ALTERNATIVE_SEND, &[flags, from, to, ref token @ ..]) => {
            alternative_send(channel, flags.as_small()?, (from, to), token, payload)
        }
        (code::LINK, &[from, to]) => link(channel, from, to),
        (code::UNLINK_ID, &[number, from, to]) => unlink(channel, uint64(number)?, from, to),
        (code::UNLINK, &[from, to]) => unlink(channel, 0, from, to),
        (code::UNLINK_ID_ACK, &[number, from, to]) => {
            let number = uint64(number)?;
            let to = receiver(channel, from, to)?;
            if let Some(handle) = to.and_then(|to| channel.relations.find_link(to, from)) {
                let from = handle;
                send_counted(to?, Signal::UnlinkAck { from, number });
            }
            Some(())
        }
        (code::MONITOR, &[watcher, watched, reference]) => {
            monitor(channel, watcher, watched, reference)
        }
        (code::DEMONITOR, &[watcher, _, reference]) => {
            if !is_of(channel, watcher) || !reference.is_reference() {
                return None;
            }
            if let Some(handle) = channel.relations.find_watcher(reference) {
                let relation = relations::get(handle);
                signal::demonitor(relation.local, (relation.number, 0));
                relations::release(handle);
            }
            Some(())
        }
        (code::DOWN, &[watched, watcher, reference, reason]) => {
            down(channel, (watched, watcher, reference), || {
                Some(Owned::new(reason))
            })
        }
        (code::PAYLOAD_DOWN, &[watched, watcher, reference]) => {
            down(channel, (watched, watcher, reference), || payload.decode())
        }
        (code::EXIT, &[from, to, reason]) => {
            link_broken(channel, from, to, &Owned::new(reason), None)
        }
        (code::EXIT_TRACED, &[from, to, token, reason]) => {
            link_broken(channel, from, to, &Owned::new(reason), Some(token))
        }
        (code::PAYLOAD_EXIT, &[from, to]) => {
            link_broken(channel, from, to, &payload.decode()?, None)
        }
        (code::PAYLOAD_EXIT_TRACED, &[from, to, token]) => {
            link_broken(channel, from, to, &payload.decode()?, Some(token))
        }
        (code::EXIT2, &[from, to, reason]) | (code::EXIT2_TRACED, &[from, to, _, reason]) => {
            exit(channel, from, to, &Owned::new(reason))
        }
        (code::PAYLOAD_EXIT2, &[from, to]) | (code::PAYLOAD_EXIT2_TRACED, &[from, to, _]) => {
            exit(channel, from, to, &payload.decode()?)
        }
        (code::GROUP_LEADER, &[leader, to]) => group_leader(leader, to),
        (code::SPAWN_REQUEST, &[reference, parent, leader, call, options, ref token @ ..])
        | (
            code::SPAWN_REQUEST_TRACED,
            &[reference, parent, leader, call, options, ref token @ ..],
        ) => {
            let token = token_of(token)?;
            if !is_of(channel, parent) || !reference.is_kind(ObjectKind::ExternalReference) {
                return None;
            }
            let request = [reference, parent, leader, call, options];
            spawn::serve(channel, request, payload, token)
        }
        (code::SPAWN_REPLY, &[reference, parent, flags, result, ref token @ ..])
        | (code::SPAWN_REPLY_TRACED, &[reference, parent, flags, result, ref token @ ..]) => {
            let token = token_of(token)?;
            let flags = flags.as_small()?;
            if !parent.is_pid() || !(result.is_pid() || result.is_atom()) {
                return None;
            }
            let (number, _) = reference::number(reference).unwrap_or_default();
            let Some(handle) = channel.relations.find_spawn(number) else {
                return Some(());
            };
            if result.is_pid() && !is_of(channel, result) {
                relations::release(handle);
                return None;
            }
            spawn::replied(handle, result, flags, token);
            Some(())
        }
        _ => None,
    }
}

/// A message or exit signal in the form of OTP 28.
fn alternative_send(
    channel: &Arc<Channel>,
    flags: i64,
    (from, to): (Term, Term),
    token: &[Term],
    payload: Payload<'_>,
) -> Option<()> {
    let is = |flag| flags & flag != 0;
    if !from.is_pid() || token_of(token)?.is_some() != is(alternative::TRACED) {
        return None;
    }
    let rank = match is(alternative::PRIORITY) {
        true => Rank::Priority,
        false => Rank::Ordinary,
    };
    let (pid, alias) = if is(alternative::ALIAS) {
        let alias = reference::number(to).map(|number| (number, rank));
        (table::owner_pid(to).filter(|_| alias.is_some()), alias)
    } else if is(alternative::NAME) {
        (registry::whereis_process(to), None)
    } else {
        (to.is_local_pid().then_some(to), None)
    };
    let is_understood = match (is(alternative::ALIAS), is(alternative::NAME)) {
        (true, _) => to.is_reference(),
        (_, true) => to.is_atom(),
        _ => to.is_pid(),
    };
    is_understood.then_some(())?;
    let Some(pid) = pid else {
        return Some(());
    };
    if is(alternative::EXIT) {
        let reason = payload.decode()?;
        let exit = signals::exit_pair(from, reason.term());
        match alias {
            Some((number, rank)) => {
                effects::signal_handling::exit_through_alias(pid, number, exit, rank)
            }
            None => {
                let _ = signal::send(pid, Signal::RemoteExit { exit, link: None });
            }
        }
        return Some(());
    }
    match *token {
        [token] => payload.send_traced(channel, pid, alias, token),
        _ => {
            payload.send(channel, pid, alias);
            Some(())
        }
    }
}

/// Whether an identifier is a pid of the other node.
fn is_of(channel: &Channel, pid: Term) -> bool {
    pid.is_kind(ObjectKind::ExternalPid) && node::of(pid).name == channel.node
}

/// The process of this node that a signal of the other node is for; `Some(None)` if it was one of an earlier life of
/// this node.
#[allow(clippy::option_option)]
fn receiver(channel: &Channel, from: Term, to: Term) -> Option<Option<Term>> {
    if !is_of(channel, from) || !to.is_pid() {
        return None;
    }
    if to.is_local_pid() {
        return Some(Some(to));
    }
    (node::of(to).name == node::own_name()).then_some(None)
}

/// Sends a signal that owns a count of a handle, which goes back if there is no such process.
fn send_counted(to: Term, signal: Signal) {
    signal::send_or_bounce(to, signal);
}

fn link(channel: &Arc<Channel>, from: Term, to: Term) -> Option<()> {
    match receiver(channel, from, to)? {
        Some(to) => {
            if let Some(handle) = channel.relations.link(channel, to, from) {
                send_counted(to, Signal::Link { from: handle });
            }
        }
        None => remote::exit_link(channel, to, from, &Reason::new(am::NOPROC)),
    }
    Some(())
}

fn unlink(channel: &Arc<Channel>, number: u64, from: Term, to: Term) -> Option<()> {
    let Some(to) = receiver(channel, from, to)? else {
        return Some(());
    };
    match channel.relations.find_link(to, from) {
        Some(from) => send_counted(to, Signal::Unlink { from, number }),
        None => remote::acknowledge_unlink(channel, number, to, from),
    }
    Some(())
}

fn monitor(channel: &Arc<Channel>, watcher: Term, watched: Term, reference: Term) -> Option<()> {
    if !is_of(channel, watcher) || !reference.is_kind(ObjectKind::ExternalReference) {
        return None;
    }
    let (pid, name) = if watched.is_atom() {
        (registry::whereis_process(watched), Some(watched))
    } else {
        (receiver(channel, watcher, watched)?, None)
    };
    let Some(pid) = pid else {
        let parts = (watched, watcher, reference);
        remote::tell_down(channel, watched, parts, &Reason::new(am::NOPROC));
        return Some(());
    };
    let number = reference::fresh_number();
    let kind = Kind::Watcher {
        reference: Owned::new(reference),
        name,
    };
    if let Some(handle) = channel.relations.add(channel, pid, watcher, number, kind) {
        let watcher = Watcher {
            watcher: handle,
            name: None,
            names_owner: false,
        };
        let reference = (number, 0);
        send_counted(pid, Signal::Monitor { reference, watcher });
    }
    Some(())
}

fn down(
    channel: &Channel,
    (watched, watcher, reference): (Term, Term, Term),
    reason: impl FnOnce() -> Option<Owned>,
) -> Option<()> {
    if !(watched.is_atom() || watched.is_pid()) || !watcher.is_pid() {
        return None;
    }
    let reason = reason()?;
    if let Some(number) = reference::number(reference)
        && watcher.is_local_pid()
    {
        if spawn::awaits_reply(channel, number.0) {
            // The request stays: it ends with the connection.
            log::missing_spawn_reply(watcher, channel.node);
            channel.break_off();
            return Some(());
        }
        let down = Signal::Down {
            reference: number,
            from: None,
            reason,
        };
        let _ = signal::send(watcher, down);
    }
    reference.is_reference().then_some(())
}

fn link_broken(
    channel: &Channel,
    from: Term,
    to: Term,
    reason: &Owned,
    token: Option<Term>,
) -> Option<()> {
    let Some(to) = receiver(channel, from, to)? else {
        return Some(());
    };
    if let Some(handle) = channel.relations.find_link(to, from) {
        let exit = match token {
            Some(token) => signals::traced_exit(from, reason.term(), token),
            None => signals::exit_pair(from, reason.term()),
        };
        let link = Some(handle);
        send_counted(to, Signal::RemoteExit { exit, link });
    }
    Some(())
}

fn exit(channel: &Channel, from: Term, to: Term, reason: &Owned) -> Option<()> {
    if let Some(to) = receiver(channel, from, to)? {
        let exit = signals::exit_pair(from, reason.term());
        let _ = signal::send(to, Signal::RemoteExit { exit, link: None });
    }
    Some(())
}

fn group_leader(leader: Term, to: Term) -> Option<()> {
    if !leader.is_pid() || !to.is_pid() {
        return None;
    }
    if to.is_local_pid() {
        let leader = Owned::new(leader);
        let change = move |process: Option<&mut Process>| {
            if let Some(process) = process {
                process.group_leader = copy::copy(process.heap(), leader.term());
            }
        };
        let _ = signal::send(to, Signal::Call(Box::new(change)));
    }
    Some(())
}

/// The token of sequential trace that a control message ends in, if it has one more part; `None` if it is none, or
/// there are others.
fn token_of(parts: &[Term]) -> Option<Option<Token>> {
    match *parts {
        [] => Some(None),
        [token] => Some(Some(Token::of_term(token)?)),
        _ => None,
    }
}
