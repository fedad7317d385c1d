//! The end of a process, as those learn of it to whom it had relations: links, monitors that it had set, and monitors
//! that others had set on it.
//!
//! Whoever ends a process calls this, when nobody finds it any more. Few are told at once, many by a dirty scheduler.
//!
//! Each of the signals takes memory until it is handled, several times as much as the relation that it ends. So while
//! the node is short of memory those that end with more than a few relations wait *in line*: one dirty scheduler tells
//! of one after the other, with breaks in which the signals are handled. Whoever ends of them has nobody left to be
//! told; where thousands of processes are linked to thousands, that spares nearly all of the signals.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
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
pub(crate) fn break_relations(process: &mut Process, reason: Owned) {
    let pid = process.pid();
    let relations = std::mem::take(&mut process.relations);
    // A token goes from the process to others, one after the other.
    if sequence::of(process).is_some() {
        tell_all(pid, &relations, reason, |other, reason| {
            let mut scratch = Scratch::new();
            let other = remote::identity(scratch.heap(), other)?;
            observer().ends_link(process, other, reason)
        });
        return;
    }
    let count = relations.count();
    let waits = count >= MANY_WHEN_SHORT && budget::level() >= Level::Soft && !dirty::are_blocked();
    // All but the last of them get copies of the reason.
    let copied = reason.words() as usize / COPIED_AT_ONCE * count.saturating_sub(1);
    if !waits && !dirty::takes_long(count + copied) {
        tell_all(pid, &relations, reason, |_, _| None);
        return;
    }
    let ended = Ended {
        pid,
        relations,
        reason,
    };
    match waits {
        true => stand_in_line(ended),
        false => dirty::later(DirtyKind::Chore, move || ended.tell(&mut Pace::default())),
    }
}

/// To copy so many words of a reason takes as long as to tell one that a process has ended.
const COPIED_AT_ONCE: usize = 16;

/// From this number of relations on a process that ends waits in line, while the node is short of memory.
const MANY_WHEN_SHORT: usize = 16;

/// A process that has ended, of which not all have been told.
struct Ended {
    pid: Term,
    relations: Relations,
    reason: Owned,
}

impl Ended {
    fn tell(self, pace: &mut Pace) {
        tell_all_at(
            self.pid,
            &self.relations,
            self.reason,
            |_, _| None,
            |other| pace.told(other),
        );
    }
}

/// Processes that have ended while the node was short of memory, the first in front.
#[derive(Default)]
struct Line {
    ended: VecDeque<Ended>,
    /// Whether a dirty scheduler tells of them, or will.
    moves: bool,
}

static LINE: Mutex<Line> = Mutex::new(Line {
    ended: VecDeque::new(),
    moves: false,
});

fn stand_in_line(ended: Ended) {
    let mut line = LINE.lock();
    line.ended.push_back(ended);
    if !std::mem::replace(&mut line.moves, true) {
        drop(line);
        dirty::later(DirtyKind::Chore, tell_of_line);
    }
}

/// Tells of all that stand in line.
fn tell_of_line() {
    let mut pace = Pace::default();
    let next = || {
        let mut line = LINE.lock();
        let next = line.ended.pop_front();
        if next.is_none() {
            *line = Line::default();
        }
        next
    };
    while let Some(ended) = next() {
        ended.tell(&mut pace);
    }
}

/// The pace at which the other sides of many relations are told. A node that is near the end of its memory may have no
/// room for millions of signals at once.
#[derive(Default)]
struct Pace {
    count: u32,
    /// Some of those that were told since the last break.
    sample: Vec<Term>,
}

impl Pace {
    /// So many are told without a break.
    const STRETCH: u32 = 4096;
    /// One in so many is in the sample.
    const SAMPLED: u32 = 256;
    const LOOKS_EVERY: Duration = Duration::from_millis(1);

    /// How long the half of the sample has to take its signals. They may wait for something, or be never run.
    fn longest_break() -> Duration {
        Duration::from_millis(match budget::level() {
            Level::Calm => 0,
            Level::Soft | Level::High => 50,
            Level::Hard => 500,
        })
    }

    /// Another one was told. For a thread that may sleep.
    fn told(&mut self, other: Term) {
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(Pace::SAMPLED) {
            self.sample.push(other);
        }
        if self.count.is_multiple_of(Pace::STRETCH) {
            self.take_break();
        }
    }

    fn take_break(&mut self) {
        let began = Instant::now();
        loop {
            // Some signals do not wake who gets them.
            self.sample.retain(|other| signal::nudge(*other));
            let is_over = self.sample.len() <= (Pace::STRETCH / Pace::SAMPLED / 2) as usize
                || began.elapsed() >= Pace::longest_break()
                || dirty::are_blocked();
            if is_over {
                break;
            }
            std::thread::sleep(Pace::LOOKS_EVERY);
        }
        self.sample.clear();
    }
}

/// One that is told with a signal that holds the reason.
enum Concerned {
    Linked(Term),
    Watcher {
        watcher: Term,
        reference: (u64, u64),
    },
}

impl Concerned {
    fn tell(self, pid: Term, reason: Owned, told: &mut impl FnMut(Term)) {
        match self {
            Concerned::Linked(other) => {
                let exit = Signal::Exit {
                    from: pid,
                    reason,
                    linked: true,
                };
                // One that is gone has nothing to handle.
                if signal::send(other, exit).is_ok() {
                    told(other);
                }
            }
            Concerned::Watcher { watcher, reference } => {
                let down = Signal::Down {
                    reference,
                    from: None,
                    reason,
                };
                send_or_bounce(watcher, down);
                told(watcher);
            }
        }
    }
}

/// Tells the other sides of all relations that the process ends; `token` returns what goes with the exit signal of a
/// link.
fn tell_all(
    pid: Term,
    relations: &Relations,
    reason: Owned,
    token: impl FnMut(Term, Term) -> Option<Token>,
) {
    tell_all_at(pid, relations, reason, token, |_| ());
}

/// As [`tell_all`]; calls `told` after each of them was told, with the other side.
fn tell_all_at(
    pid: Term,
    relations: &Relations,
    owned: Owned,
    mut token: impl FnMut(Term, Term) -> Option<Token>,
    mut told: impl FnMut(Term),
) {
    let reason = owned.term();
    let far_reason = remote::Reason::new(reason);
    // The last one gets the reason itself, which may be large, and the others copies; so each is told when the next one
    // is known.
    let mut last: Option<Concerned> = None;
    let mut tell = |next: Concerned, told: &mut _| {
        if let Some(before) = last.replace(next) {
            before.tell(pid, Owned::new(reason), told);
        }
    };
    for (other, is_active) in relations.links() {
        between_steps();
        if relations::is_handle(other) {
            match is_active {
                true => {
                    let mut scratch = Scratch::new();
                    let token = token(other, reason).map(|token| token.to_term(scratch.heap()));
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
            told(other);
            continue;
        }
        match token(other, reason) {
            None => tell(Concerned::Linked(other), &mut told),
            Some(token) => {
                if signal::send(other, sequence::exit_signal(pid, reason, &token)).is_ok() {
                    told(other);
                }
            }
        }
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
        let watcher = watcher.watcher;
        between_steps();
        if relations::is_handle(watcher) {
            remote::get().watched_ended(watcher, pid, &far_reason);
        } else if watcher.is_local_port() {
            crate::effects::port::signals::process_down(watcher, reference);
        } else {
            tell(Concerned::Watcher { watcher, reference }, &mut told);
        }
    }
    if let Some(last) = last {
        last.tell(pid, owned, &mut told);
    }
}
