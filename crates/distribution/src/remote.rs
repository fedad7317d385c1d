//! What the runtime asks of the distribution: see [`runtime::mail::remote`].

use std::sync::Arc;

use layout::{Fragment, Heap, ObjectKind, Term};
use smallvec::smallvec;
use term::{am, build, copy};

use crate::channel::Channel;
use crate::channel::input::payload;
use crate::control::{Control, code};
use crate::relations::{self, Kind};
use crate::{signals, spawn};
use runtime::mail::remote::{Down, Reason, Remote};
use runtime::mail::signal::Sent;
use runtime::process::Process;
use runtime::process::rank::Rank;

/// The connections of this node.
pub static REMOTE: Connections = Connections;

/// See [`REMOTE`].
pub struct Connections;

impl Remote for Connections {
    fn send(&self, from: &mut Process, to: Term, message: Term, rank: Rank) -> Sent {
        signals::send(from, to, message, rank)
    }

    unsafe fn decode(&self, message: *mut Fragment) -> Option<(Term, *mut Fragment)> {
        // SAFETY: the caller's promise.
        unsafe { payload::decode(message) }
    }

    fn identity(&self, handle: Term, heap: &mut Heap) -> Option<Term> {
        let relation = relations::get(handle);
        match relation.kind {
            Kind::Link | Kind::Monitor { .. } | Kind::Watcher { .. } => {
                Some(copy::copy(heap, relation.remote.term()))
            }
            Kind::Spawn(_) | Kind::Node => None,
        }
    }

    fn release(&self, handle: Term, counts: usize) {
        let _ = relations::take(handle, counts);
    }

    fn linked_ended(&self, handle: Term, pid: Term, reason: &Reason, token: Option<Term>) {
        let relation = relations::get(handle);
        let to = relation.remote.term();
        match token {
            None => exit_link(&relation.channel, pid, to, reason),
            Some(token) => {
                let control = Control::new(code::PAYLOAD_EXIT_TRACED, &[pid, to, token]);
                relation
                    .channel
                    .send_ending(pid, control.term(), Some(reason));
            }
        }
        relations::release(handle);
    }

    fn unlink_handled(&self, handle: Term, pid: Term, number: u64) {
        let relation = relations::get(handle);
        acknowledge_unlink(&relation.channel, number, pid, relation.remote.term());
        relations::release(handle);
    }

    fn watched_ended(&self, handle: Term, pid: Term, reason: &Reason) {
        let relation = relations::get(handle);
        if let Kind::Watcher { reference, name } = &relation.kind {
            let watched = name.unwrap_or(pid);
            let watcher = relation.remote.term();
            tell_down(
                &relation.channel,
                pid,
                (watched, watcher, reference.term()),
                reason,
            );
        }
        relations::release(handle);
    }

    fn demonitor(&self, handle: Term, number: u64) {
        let relation = relations::get(handle);
        if let Kind::Spawn(request) = &relation.kind {
            return spawn::give_up(handle, request, am::ABANDONED);
        }
        if let Some(control) = signals::demonitor_control(&relation, number) {
            relation
                .channel
                .send_ending(relation.local, control.term(), None);
        }
        relations::release(handle);
    }

    fn watcher_ended(&self, handle: Term, number: u64, reason: Term) {
        let relation = relations::get(handle);
        match &relation.kind {
            Kind::Spawn(request) => spawn::give_up(handle, request, reason),
            _ => self.demonitor(handle, number),
        }
    }

    fn down_message(&self, handle: Term, heap: &mut Heap, down: Down) -> Option<(Term, Term)> {
        let relation = relations::take(handle, 1);
        match relation.kind {
            Kind::Node => {
                let message = build::tuple(heap, &[am::NODEDOWN, relation.remote.term()]);
                Some((am::SYSTEM, message))
            }
            Kind::Monitor { .. } => {
                let object = copy::copy(heap, relation.remote.term());
                let parts = [down.tag, down.reference, am::PROCESS, object, down.reason];
                Some((relation.channel.node, build::tuple(heap, &parts)))
            }
            Kind::Link | Kind::Watcher { .. } | Kind::Spawn(_) => None,
        }
    }
}

/// Tells a process of another node that one which is linked to it, or was perhaps never, has ended.
pub(crate) fn exit_link(channel: &Arc<Channel>, pid: Term, to: Term, reason: &Reason) {
    let control = Control::new(code::PAYLOAD_EXIT, &[pid, to]);
    channel.send_ending(pid, control.term(), Some(reason));
}

/// Tells a process of another node that one which it monitors has ended. `parts` are the pid or name that it monitors,
/// its pid, and the monitor's reference.
pub(crate) fn tell_down(
    channel: &Arc<Channel>,
    sender: Term,
    (watched, watcher, reference): (Term, Term, Term),
    reason: &Reason,
) {
    debug_assert!(reference.is_kind(ObjectKind::ExternalReference));
    let control = Control::new(code::PAYLOAD_DOWN, &[watched, watcher, reference]);
    channel.send_ending(sender, control.term(), Some(reason));
}

/// Acknowledges that `pid` has handled an unlink signal.
pub(crate) fn acknowledge_unlink(channel: &Arc<Channel>, number: u64, pid: Term, to: Term) {
    let control = Control::with(code::UNLINK_ID_ACK, |heap| {
        smallvec![build::unsigned(heap, number), pid, to]
    });
    channel.send_ending(pid, control.term(), None);
}
