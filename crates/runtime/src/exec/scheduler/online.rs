//! How many schedulers run processes: those that are online, or one while multi-scheduling is blocked.
//!
//! A process that blocks multi-scheduling continues alone: it must run on the first scheduler, the other schedulers
//! must have stopped running processes, and, unless it blocks only the normal schedulers, no dirty scheduler may be
//! working. Each process may block several times; its blocks end when it does. BIFs call these functions; one lock
//! protects the state.

use layout::Term;
use parking_lot::Mutex;
use std::sync::atomic::Ordering;

use crate::mail::current::current_number;
use crate::mail::schedulers::schedulers;
use crate::mail::wake::wake_all;
use crate::mail::world;
use crate::process::Process;
use crate::process::extras::Action;
use crate::process::sync::between_steps;

/// Which schedulers a process blocks: all, or only the normal ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchedulerKind {
    All,
    Normal,
}

/// Which schedulers are blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    Nothing,
    Normal,
    All,
}

struct Blocker {
    pid: Term,
    kind: SchedulerKind,
    /// The number of the process's exit action that releases the block.
    at_exit: u64,
}

struct State {
    /// The number of online schedulers as reported to programs (a block does not change it); `None` until it is first
    /// set.
    online: Option<usize>,
    blockers: Vec<Blocker>,
}

static STATE: Mutex<State> = Mutex::new(State {
    online: None,
    blockers: Vec::new(),
});

impl State {
    fn online(&self) -> usize {
        let now = || schedulers().online.load(Ordering::SeqCst);
        self.online.unwrap_or_else(now)
    }

    fn blocked(&self) -> Blocked {
        if self
            .blockers
            .iter()
            .any(|one| one.kind == SchedulerKind::All)
        {
            Blocked::All
        } else if self.blockers.is_empty() {
            Blocked::Nothing
        } else {
            Blocked::Normal
        }
    }

    /// Applies the state to the schedulers.
    fn publish(&mut self) {
        let online = *self
            .online
            .get_or_insert_with(|| schedulers().online.load(Ordering::SeqCst));
        let blocked = self.blocked();
        let running = if blocked == Blocked::Nothing {
            online
        } else {
            1
        };
        schedulers().online.store(running, Ordering::SeqCst);
        between_steps();
        crate::mail::dirty::set_blocked(blocked == Blocked::All);
        wake_all(schedulers());
    }
}

/// The number of schedulers that are online, or would be if nothing were blocked.
#[must_use]
pub fn online() -> usize {
    STATE.lock().online()
}

/// Sets the number of online schedulers; returns the previous one.
pub fn set_online(count: usize) -> usize {
    let mut state = STATE.lock();
    let before = state.online();
    state.online = Some(count);
    state.publish();
    before
}

/// Which schedulers are blocked.
#[must_use]
pub fn blocked() -> Blocked {
    STATE.lock().blocked()
}

/// The processes that hold blocks of this kind, each once, the latest block first.
#[must_use]
pub fn blockers(kind: SchedulerKind) -> Vec<Term> {
    let state = STATE.lock();
    let of_kind = state.blockers.iter().rev().filter(|one| one.kind == kind);
    let mut pids: Vec<Term> = Vec::new();
    for one in of_kind {
        if !pids.contains(&one.pid) {
            pids.push(one.pid);
        }
    }
    pids
}

/// Adds a block of a process; it has taken effect once [`is_alone`] returns true.
pub fn block(process: &mut Process, kind: SchedulerKind) {
    let pid = process.pid();
    let at_exit = process.extras().at_exit.add(|number| {
        let release: Action = Box::new(move |_| release(pid));
        (number, release)
    });
    let mut state = STATE.lock();
    if state.online.is_none() {
        state.online = Some(state.online());
    }
    state.blockers.push(Blocker { pid, kind, at_exit });
    state.publish();
}

/// Removes the process's latest block of that kind, if it has one.
pub fn unblock(process: &mut Process, kind: SchedulerKind) {
    let pid = process.pid();
    let mut state = STATE.lock();
    let found = state
        .blockers
        .iter()
        .rposition(|one| one.pid == pid && one.kind == kind);
    if let Some(at) = found {
        let blocker = state.blockers.remove(at);
        process.extras().at_exit.remove(blocker.at_exit);
        state.publish();
    }
}

/// Removes all blocks of a process that has ended.
fn release(pid: Term) {
    let mut state = STATE.lock();
    state.blockers.retain(|one| one.pid != pid);
    state.publish();
}

/// Whether the running process, which has added a block, runs alone; if not, it should yield and ask again.
#[must_use]
pub fn is_alone(kind: SchedulerKind) -> bool {
    if current_number() != 1 {
        return false;
    }
    // Stopping the world makes all other schedulers end their slice; then they see that they are not online.
    world::stopped(|| ());
    kind == SchedulerKind::Normal || crate::mail::dirty::is_quiet()
}
