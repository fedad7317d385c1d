//! A process that is asked first when memory runs short, and the processes that it gives up.
//!
//! The *keeper* gets `{memory_guard, soft, Facts}` when the node grows to its soft mark, and may free what it likes. It
//! answers with the processes that are to end first at the hard mark, perhaps none. Until it has answered, the guard
//! collects nobody's garbage, but only for a while, and only below the high mark; so a keeper that is gone, or never
//! answers, does no harm.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use runtime::mail::signal;
use runtime::process::table;
use sys::memory::budget::{Level, Marks};
use term::heap::Scratch;
use term::{am, atom, build};

use crate::events;

/// How long a keeper has to answer.
const PATIENCE: Duration = Duration::from_secs(1);

struct State {
    keeper: Option<Term>,
    /// When it was asked, if it has not answered.
    asked_at: Option<Instant>,
    first: Vec<Term>,
}

static STATE: Mutex<State> = Mutex::new(State {
    keeper: None,
    asked_at: None,
    first: Vec::new(),
});

/// Sets the keeper, a local pid; returns the one before.
pub fn set(keeper: Option<Term>) -> Option<Term> {
    let mut state = STATE.lock();
    state.asked_at = None;
    std::mem::replace(&mut state.keeper, keeper)
}

/// Sets the processes that end first, local pids; returns those before. It counts as the keeper's answer.
pub fn set_first(pids: Vec<Term>) -> Vec<Term> {
    let mut state = STATE.lock();
    state.asked_at = None;
    std::mem::replace(&mut state.first, pids)
}

/// The keeper, if there is one.
pub(crate) fn current() -> Option<Term> {
    STATE.lock().keeper
}

/// The bits of the pids of those that end first. Those that are gone are forgotten.
pub(crate) fn first() -> HashSet<u64> {
    let mut state = STATE.lock();
    state.first.retain(|pid| table::exists(*pid));
    state.first.iter().map(|pid| pid.bits()).collect()
}

/// Asks the keeper, if there is one.
pub(crate) fn ask(marks: &Marks, resident: u64) {
    let Some(keeper) = current() else {
        return;
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let facts = events::facts(heap, Level::Soft, marks, resident, None);
    let words = [atom::known("memory_guard"), atom::known("soft"), facts];
    let message = build::tuple(heap, &words);
    let is_there = signal::send_message(am::SYSTEM, keeper, message);
    let mut state = STATE.lock();
    if state.keeper == Some(keeper) {
        match is_there {
            true => state.asked_at = Some(Instant::now()),
            false => state.keeper = None,
        }
    }
}

/// Whether the keeper was asked, and may still answer.
pub(crate) fn is_awaited() -> bool {
    let state = STATE.lock();
    let is_in_time = state.asked_at.is_some_and(|at| at.elapsed() < PATIENCE);
    is_in_time && state.keeper.is_some_and(table::exists)
}
