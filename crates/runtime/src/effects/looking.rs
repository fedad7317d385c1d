//! Looking at processes from a thread that is no scheduler, without stopping anybody and without a scheduler's help:
//! for the window into the node, which must also be answered when no scheduler is left to answer.
//!
//! A process that nobody runs is taken by its state word, read, and given back: one at rest counts as running
//! meanwhile, a queued one as borrowed ([`state`]). What comes for it in this time, some hundred nanoseconds as a rule,
//! is announced as it is to a process that runs, and whoever has looked queues the process then, as any thread does
//! that has sent something. A process that another thread has (it runs, a dirty call is made for it, it ends) is not
//! touched; its own thread may be [asked](ask).
//!
//! A looker changes nothing and handles no signals, so it never ends a process. It holds a share of the world, so that
//! who has stopped the world need not know of it; and there is one looker at a time, which [`awaited::refused`] relies
//! on. Any thread may look.

use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::mail::awaited::{self, are_signals_left, attend_from_elsewhere};
use crate::mail::current::enqueue_woken;
use crate::mail::{tasks, world};
use crate::process::owner::Owner;
use crate::process::peer::Peer;
use crate::process::sync::between_steps;
use crate::process::{Process, epoch, state, table};

/// Held by the one thread that looks.
static LOOKER: Mutex<()> = Mutex::new(());

/// A process as a looker meets it.
#[derive(Clone, Copy)]
pub enum Seen<'a> {
    /// Nobody runs it: everything may be read.
    Still(&'a Process),
    /// Another thread has it; the state word says why.
    InHands { pid: Term, word: u32 },
}

impl Seen<'_> {
    #[must_use]
    pub fn pid(&self) -> Term {
        match self {
            Seen::Still(process) => process.pid(),
            Seen::InHands { pid, .. } => *pid,
        }
    }
}

/// The slots that are looked at before the world and the epochs may go on: reclaiming memory, and who wants to stop the
/// world, wait for so many.
const SLOTS_AT_ONCE: u32 = 128;
/// How long a looker waits where the world is stopped.
const PATIENCE: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(1);

/// The world was stopped for longer than a looker waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorldIsStopped;

/// Calls `visit` with every process that there is when its turn comes, in the order of their places in the table.
/// `visit` must be short, look up no process and wait for nothing.
///
/// # Errors
/// If the world is stopped for long; then some processes have been visited.
pub fn at_all(mut visit: impl FnMut(Seen<'_>)) -> Result<(), WorldIsStopped> {
    let mut from = Some(0);
    while let Some(first) = from {
        from = within_world(|| {
            epoch::with_pin(|pinned| {
                table::visit(pinned, first, SLOTS_AT_ONCE, |peer| look(peer, &mut visit))
            })
        })?;
    }
    Ok(())
}

/// What `visit` says of a process; `None` if it is gone. `visit` must be short, look up no process and wait for
/// nothing.
///
/// # Errors
/// If the world is stopped for long.
pub fn at<R>(pid: Term, visit: impl FnOnce(Seen<'_>) -> R) -> Result<Option<R>, WorldIsStopped> {
    within_world(|| one(pid, visit))
}

/// How long [`soon`] waits for another looker.
const SOON: Duration = Duration::from_millis(10);

/// What `visit` says of a process that nobody runs just now; `None` if somebody does, or it is gone, or that is not
/// known within some milliseconds. For whoever must not wait; `visit` as for [`at`].
pub fn soon<R>(pid: Term, visit: impl FnOnce(&Process) -> R) -> Option<R> {
    let _looker = LOOKER.try_lock_for(SOON)?;
    let visit = |seen: Seen<'_>| match seen {
        Seen::Still(process) => Some(visit(process)),
        Seen::InHands { .. } => None,
    };
    world::shared(|| one(pid, visit))??
}

/// What `visit` says of a process; `None` if it is gone.
fn one<R>(pid: Term, visit: impl FnOnce(Seen<'_>) -> R) -> Option<R> {
    epoch::with_pin(|pinned| {
        let peer = table::find_if_made(pinned, pid)?;
        let mut result = None;
        let mut visit = Some(visit);
        look(peer, &mut |seen| {
            result = visit.take().map(|visit| visit(seen))
        });
        result
    })
}

/// Runs `body` as the one looker, in a world that is not stopped.
fn within_world<R>(body: impl FnOnce() -> R) -> Result<R, WorldIsStopped> {
    let _looker = LOOKER.lock();
    let since = Instant::now();
    let mut body = Some(body);
    loop {
        let done = world::shared(|| body.take().map(|body| body()));
        match done.flatten() {
            Some(result) => return Ok(result),
            None if since.elapsed() > PATIENCE => return Err(WorldIsStopped),
            None => std::thread::sleep(NAP),
        }
    }
}

/// How often a process is tried whose state changes just now.
const TRIES: usize = 3;
/// Whoever sets one of these has the process, or ends it.
const TAKEN: u32 =
    state::RUNNING | state::DIRTY | state::BORROWED | state::GONE | state::EXITING | state::CLOSED;

fn look(peer: Peer<'_>, visit: &mut impl FnMut(Seen<'_>)) {
    for _ in 0..TRIES {
        if let Some(process) = peer.take_resting() {
            between_steps();
            return visit(Seen::Still(&Taken::Resting(Some(process))));
        }
        let refused = awaited::refused();
        if let Some(process) = peer.borrow() {
            between_steps();
            let process = Some(process);
            return visit(Seen::Still(&Taken::Queued { process, refused }));
        }
        if peer.state() & TAKEN != 0 {
            break;
        }
    }
    let (pid, word) = (peer.pid(), peer.state());
    visit(Seen::InHands { pid, word });
}

/// A process in the looker's hands, which gives it back when it is dropped, even if the visitor panics.
enum Taken {
    Resting(Option<Owner>),
    Queued {
        process: Option<Owner>,
        /// From before it was borrowed.
        refused: u64,
    },
}

impl std::ops::Deref for Taken {
    type Target = Process;

    fn deref(&self) -> &Process {
        let (Taken::Resting(process) | Taken::Queued { process, .. }) = self;
        process.as_ref().expect("it is given back when dropped")
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        between_steps();
        match self {
            Taken::Resting(process) => {
                // A signal may have arrived meanwhile.
                if let Some(Err(process)) = process.take().map(Owner::rest) {
                    queue(process);
                }
            }
            Taken::Queued { process, refused } => {
                if let Some(process) = process.take() {
                    give_back(process, *refused);
                }
            }
        }
    }
}

fn give_back(process: Owner, refused: u64) {
    let pid = process.pid();
    match process.give_back(false) {
        // A scheduler took it from its queue meanwhile, and left it.
        (Some(process), _) => queue(process),
        (None, before) => {
            if are_signals_left(before) && awaited::refused() != refused {
                attend_from_elsewhere(pid);
            }
        }
    }
}

/// Puts a process into a run queue.
fn queue(process: Owner) {
    let pid = process.pid();
    let (runnable, before) = process.give_up();
    between_steps();
    enqueue_woken(runnable);
    if are_signals_left(before) {
        attend_from_elsewhere(pid);
    }
}

/// Processes that were asked and have not answered yet. Who does not answer is not asked again: it may be stuck for
/// days, and what it is asked waits in its queue.
static ASKED: LazyLock<Mutex<FxHashSet<Term>>> = LazyLock::new(Mutex::default);

/// A process that is asked, until the answer is there or will never be.
struct Asked(Term);

impl Asked {
    /// `None` if it is asked already.
    fn new(pid: Term) -> Option<Asked> {
        let is_new = ASKED.lock().insert(pid);
        // Only then: dropping one takes the lock.
        is_new.then(|| Asked(pid))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        ASKED.lock().remove(&self.0);
    }
}

/// Asks the threads that have these processes what they say of them, for at most `patience` in all; returns what came
/// in time. Who runs such a process answers between two slices, and a scheduler answers for one that a dirty call is
/// made for. A process that has not answered when it was asked before is left out. `tell` must be short.
pub fn ask<R: Send + 'static>(
    pids: &[Term],
    patience: Duration,
    tell: impl Fn(&Process) -> R + Clone + Send + 'static,
) -> Vec<R> {
    let (answers, answered) = mpsc::channel();
    let mut asked = 0;
    for pid in pids {
        let Some(until_told) = Asked::new(*pid) else {
            continue;
        };
        asked += 1;
        let (answers, tell) = (answers.clone(), tell.clone());
        let body = move |process: Option<&mut Process>| {
            let told = process.map(|process| tell(process));
            drop(until_told);
            // The asker may wait no more.
            let _ = answers.send(told);
        };
        tasks::ask_to_look(*pid, Box::new(body));
    }
    drop(answers);
    let until = Instant::now() + patience;
    let mut told = Vec::new();
    for _ in 0..asked {
        match answered.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(answer) => told.extend(answer),
            Err(_) => break,
        }
    }
    told
}
