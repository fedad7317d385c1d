//! The end of a process, as those learn of it to whom it had relations: links, monitors that it had set, and monitors
//! that others had set on it.
//!
//! Whoever ends a process calls this, when nobody finds it any more. Few are told at once; many by a dirty scheduler,
//! which takes breaks while the node is short of memory: each of the signals takes some until it is handled.

use std::time::{Duration, Instant};

use layout::Term;
use sys::memory::budget::{self, Level};
use term::copy::Owned;
use term::heap::Scratch;

use super::signal_handling::demonitor_target;
use crate::mail::observer::observer;
use crate::mail::signal::{self, send_or_bounce};
use crate::mail::{dirty, remote};
use crate::process::Process;
use crate::process::dirty::DirtyKind;
use crate::process::relations::{self, MonitorTarget, Relations};
use crate::process::sequence::{self, Token};
use crate::process::signal::Signal;
use crate::process::sync::between_steps;

/// Removes all links, monitors and aliases of a process that ends, and tells the other sides.
pub fn break_relations(process: &mut Process, reason: Term) {
    let pid = process.pid();
    let relations = std::mem::take(&mut process.relations);
    // A token goes from the process to others, one after the other.
    if sequence::of(process).is_some() {
        tell_all(pid, &relations, reason, |other| {
            let mut scratch = Scratch::new();
            let other = remote::identity(scratch.heap(), other)?;
            observer().ends_link(process, other, reason)
        });
        return;
    }
    if !dirty::takes_long(relations.count()) {
        tell_all(pid, &relations, reason, |_| None);
        return;
    }
    let reason = Owned::new(reason);
    dirty::later(DirtyKind::Chore, move || {
        let mut pace = Pace::default();
        tell_all_at(
            pid,
            &relations,
            reason.term(),
            |_| None,
            |other| pace.told(other),
        );
    });
}

/// The pace at which the other sides of many relations are told. Each of the signals takes memory until it is handled,
/// and a node that is near the end of its memory may have no room for millions of them at once.
#[derive(Default)]
struct Pace {
    count: u32,
}

impl Pace {
    /// So many are told without a break.
    const STRETCH: u32 = 4096;
    /// How long the other side of the last one has to take its signals.
    const LONGEST_BREAK: Duration = Duration::from_millis(50);
    const LOOKS_EVERY: Duration = Duration::from_millis(1);

    /// Another one was told. For a thread that may sleep.
    fn told(&mut self, other: Term) {
        self.count += 1;
        if !self.count.is_multiple_of(Pace::STRETCH) {
            return;
        }
        // Some signals do not wake who gets them.
        let mut waits = signal::nudge(other) && budget::level() >= Level::Soft;
        let began = Instant::now();
        while waits && began.elapsed() < Pace::LONGEST_BREAK {
            std::thread::sleep(Pace::LOOKS_EVERY);
            waits = signal::nudge(other);
        }
    }
}

/// The exit signal of a broken link.
fn link_exit(from: Term, reason: Term) -> Signal {
    Signal::Exit {
        from,
        reason: Owned::new(reason),
        linked: true,
    }
}

/// Tells the other sides of all relations that the process ends; `token` returns what goes with the exit signal of a
/// link.
fn tell_all(
    pid: Term,
    relations: &Relations,
    reason: Term,
    token: impl FnMut(Term) -> Option<Token>,
) {
    tell_all_at(pid, relations, reason, token, |_| ());
}

/// As [`tell_all`]; calls `told` after each of them was told, with the other side.
fn tell_all_at(
    pid: Term,
    relations: &Relations,
    reason: Term,
    mut token: impl FnMut(Term) -> Option<Token>,
    mut told: impl FnMut(Term),
) {
    let far_reason = remote::Reason::new(reason);
    for (other, is_active) in relations.links() {
        between_steps();
        if relations::is_handle(other) {
            match is_active {
                true => {
                    let mut scratch = Scratch::new();
                    let token = token(other).map(|token| token.to_term(scratch.heap()));
                    remote::get().linked_ended(other, pid, &far_reason, token);
                }
                false => remote::get().release(other, 1),
            }
            continue;
        }
        if !is_active {
            continue;
        }
        if other.is_local_port() {
            crate::effects::port::signals::exit_signal(other, pid, reason, true);
        } else {
            let exit = match token(other) {
                Some(token) => sequence::exit_signal(pid, reason, &token),
                None => link_exit(pid, reason),
            };
            let _ = signal::send(other, exit);
        }
        told(other);
    }
    for (number, target, _) in relations.monitors() {
        between_steps();
        match target {
            MonitorTarget::Remote { handle } => {
                remote::get().watcher_ended(handle, number, reason);
            }
            target => demonitor_target((number, 0), &target),
        }
        if let MonitorTarget::Process { pid, .. } = target {
            told(pid);
        }
    }
    for (number, watcher) in relations.watchers() {
        let reference = (number, 0);
        between_steps();
        if relations::is_handle(watcher.watcher) {
            remote::get().watched_ended(watcher.watcher, pid, &far_reason);
            continue;
        }
        if watcher.watcher.is_local_port() {
            crate::effects::port::signals::process_down(watcher.watcher, reference);
            continue;
        }
        let down = Signal::Down {
            reference,
            from: None,
            reason: Owned::new(reason),
        };
        send_or_bounce(watcher.watcher, down);
        told(watcher.watcher);
    }
}
