//! How many schedulers run processes: those that are online, or one while multi-scheduling is blocked.
//!
//! A process that blocks multi-scheduling goes on alone: it must be on the first scheduler, the others must have stepped
//! aside, and, unless it blocks the normal schedulers only, no dirty scheduler may be at work. Blocks count for each
//! process and end with it. BIFs call this; the state is under one lock.

use layout::Term;
use parking_lot::Mutex;
use std::sync::atomic::Ordering;

use super::{current_number, dirty, schedulers, wake_all, world};
use crate::process::Process;

/// What a process blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    All,
    Normal,
}

/// What is blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    Nothing,
    Normal,
    All,
}

struct Blocker {
    pid: Term,
    kind: Kind,
    /// What was added to the process for its end.
    at_exit: u64,
}

struct State {
    /// Schedulers that are online as far as anyone is told; None as long as that was never changed.
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
        if self.blockers.iter().any(|one| one.kind == Kind::All) {
            Blocked::All
        } else if self.blockers.is_empty() {
            Blocked::Nothing
        } else {
            Blocked::Normal
        }
    }

    /// Lets the schedulers know.
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
        dirty::set_blocked(blocked == Blocked::All);
        wake_all();
    }
}

/// Schedulers that are online, or will be when nothing is blocked.
#[must_use]
pub fn online() -> usize {
    STATE.lock().online()
}

/// Changes how many schedulers are online; answers how many were.
pub fn set_online(count: usize) -> usize {
    let mut state = STATE.lock();
    let before = state.online();
    state.online = Some(count);
    state.publish();
    before
}

/// What is blocked.
#[must_use]
pub fn blocked() -> Blocked {
    STATE.lock().blocked()
}

/// Who blocks: an entry for each block, the latest first.
#[must_use]
pub fn blockers(kind: Kind) -> Vec<Term> {
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

/// Adds a block of a process; it is in force when [`is_alone`] says so.
pub fn block(process: &mut Process, kind: Kind) {
    let pid = process.pid();
    let at_exit = process.cold().at_exit.add(|number| {
        let release: Box<dyn FnOnce() + Send> = Box::new(move || release(pid));
        (number, release)
    });
    let mut state = STATE.lock();
    if state.online.is_none() {
        state.online = Some(state.online());
    }
    state.blockers.push(Blocker { pid, kind, at_exit });
    state.publish();
}

/// Takes a block of that kind back, if the process has one.
pub fn unblock(process: &mut Process, kind: Kind) {
    let pid = process.pid();
    let mut state = STATE.lock();
    let found = state
        .blockers
        .iter()
        .rposition(|one| one.pid == pid && one.kind == kind);
    if let Some(at) = found {
        let blocker = state.blockers.remove(at);
        process.cold().at_exit.remove(blocker.at_exit);
        state.publish();
    }
}

/// A process that ends takes its blocks along.
fn release(pid: Term) {
    let mut state = STATE.lock();
    state.blockers.retain(|one| one.pid != pid);
    state.publish();
}

/// Whether the process that runs here, which has blocked, runs alone; if not, it is to yield and ask again.
#[must_use]
pub fn is_alone(kind: Kind) -> bool {
    if current_number() != 1 {
        return false;
    }
    // Between two slices the others see that they are not online.
    world::stopped(|| ());
    kind == Kind::Normal || dirty::is_quiet()
}
