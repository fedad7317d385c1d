//! Signals whose receiver is gone: who has sent them is told.

use layout::{Fragment, Term};
use term::copy::Owned;
use term::{am, heap};

use super::hooks::machine;
use super::remote::{self, Reason};
use super::senders;
use crate::mail::signal;
use crate::process::relations;
use crate::process::relations::Watcher;
use crate::process::signal::{ENVELOPE, OTHER, Signal, unboxed};
use crate::process::signal_queue::SignalQueue;
use crate::process::sync::between_steps;

/// Handles a signal whose receiver is gone: for example, a link or monitor request is answered with `noproc`.
pub fn bounce(to: Term, signal: Signal) {
    match signal {
        Signal::Link { from } if from.is_local_port() => {
            (machine().link_refused)(from, to);
        }
        Signal::Link { from } if relations::is_handle(from) => {
            remote::get().linked_ended(from, to, &Reason::new(am::NOPROC), None);
        }
        Signal::Link { from } => {
            let reason = Owned::new(am::NOPROC);
            let _ = signal::send(
                from,
                Signal::Exit {
                    from: to,
                    reason,
                    linked: true,
                },
            );
        }
        Signal::Monitor {
            reference,
            watcher: Watcher { watcher, .. },
        } => {
            if relations::is_handle(watcher) {
                return remote::get().watched_ended(watcher, to, &Reason::new(am::NOPROC));
            }
            let reason = Owned::new(am::NOPROC);
            if watcher.is_local_port() {
                (machine().process_down)(watcher, reference);
                return;
            }
            let down = Signal::Down {
                reference,
                from: None,
                reason,
            };
            let _ = signal::send(watcher, down);
        }
        Signal::Call(body) => body(None),
        // The sender keeps its entry until then; if it had not removed its own, a broken link would have told it.
        Signal::Unlink { from, number } if relations::is_handle(from) => {
            remote::get().unlink_handled(from, to, number);
        }
        Signal::Unlink { from, number } => {
            let _ = signal::send(from, Signal::UnlinkAck { from: to, number });
        }
        Signal::RemoteExit {
            link: Some(handle), ..
        }
        | Signal::UnlinkAck { from: handle, .. }
            if relations::is_handle(handle) =>
        {
            remote::get().release(handle, 1);
        }
        Signal::Exit { .. }
        | Signal::TokenExit { .. }
        | Signal::RemoteExit { .. }
        | Signal::UnlinkAck { .. }
        | Signal::Down { .. }
        | Signal::Timeout { .. } => {}
    }
}

/// Handles the signals that were pushed to a process that has ended. Several threads may call this at once: each signal
/// is taken by one of them.
pub fn bounce_rest(pid: Term, signals: &SignalQueue) {
    bounce_list(pid, signals.take());
}

/// Handles signals that were taken from the queue of a process that has ended.
pub(crate) fn bounce_list(pid: Term, mut fragment: *mut Fragment) {
    while !fragment.is_null() {
        // SAFETY: taken from the queue, so this thread owns it.
        unsafe {
            let next = (*fragment).next;
            between_steps();
            match (*fragment).kind {
                OTHER => bounce(pid, unboxed(fragment)),
                ENVELOPE => heap::drop_fragment(senders::opened(fragment).1),
                _ => heap::drop_fragment(fragment),
            }
            fragment = next;
        }
    }
}
