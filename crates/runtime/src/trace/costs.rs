//! What processes spend in traced functions: time (`call_time`), or memory (`call_memory`).
//!
//! In each session, a process that is traced for calls is in one such function at a time: the last one that it has
//! called and that has not returned. It numbers the functions that it has called ([`Measured`]), and the number of the
//! function before is in a frame on the stack ([`super::frames`]). What it has spent in each is shared with those who
//! ask about the function, and only the process writes it: so it finds that without a lock. A function may be forgotten
//! meanwhile.
//!
//! Memory is what the process has put on its heap: what is there now, and what collections have taken away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use layout::Term;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::is_for_in;
use crate::process::Process;
use crate::process::extras::Extras;
use crate::process::tracing::what;
use sys::clock::ticks;
use term::gc;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// In ticks of [`ticks`].
    Time,
    /// In words.
    Memory,
}

/// The calls of one process, and what they have cost. Only that process adds to it.
#[derive(Default)]
pub struct Spent {
    calls: AtomicU64,
    cost: AtomicI64,
}

impl Spent {
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The time, if that was measured.
    #[must_use]
    pub fn ns(&self) -> i64 {
        ticks::to_ns(self.cost.load(Ordering::Relaxed))
    }

    /// The memory, if that was measured.
    #[must_use]
    pub fn words(&self) -> i64 {
        self.cost.load(Ordering::Relaxed)
    }

    fn add_call(&self) {
        self.calls.store(self.calls() + 1, Ordering::Relaxed);
    }

    fn add(&self, cost: i64) {
        let before = self.cost.load(Ordering::Relaxed);
        self.cost.store(before + cost, Ordering::Relaxed);
    }
}

/// What one function costs.
pub struct Costs {
    measure: Measure,
    /// What each process has spent, by the bits of its pid.
    spendings: Mutex<FxHashMap<u64, Arc<Spent>>>,
    /// How often this has begun again.
    restarts: AtomicU64,
    is_paused: AtomicBool,
}

impl Costs {
    #[must_use]
    pub fn new(measure: Measure) -> Costs {
        Costs {
            measure,
            spendings: Mutex::default(),
            restarts: AtomicU64::new(0),
            is_paused: AtomicBool::new(false),
        }
    }

    /// What a process has spent, from now on: nothing if it is new here.
    fn of(&self, pid: Term) -> Arc<Spent> {
        let mut spendings = self.spendings.lock();
        spendings.entry(pid.bits()).or_default().clone()
    }

    /// What each process has spent so far.
    #[must_use]
    pub fn all(&self) -> Vec<(Term, Arc<Spent>)> {
        // SAFETY: the bits of pids of this node, which are immediates.
        let pid = |bits| unsafe { Term::from_bits(bits) };
        let spendings = self.spendings.lock();
        let all = spendings.iter();
        all.map(|(bits, spent)| (pid(*bits), spent.clone()))
            .collect()
    }

    pub fn pause(&self) {
        self.is_paused.store(true, Ordering::Relaxed);
    }

    /// Begins again with nothing. The world must be stopped.
    pub fn restart(&self) {
        self.spendings.lock().clear();
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.is_paused.store(false, Ordering::Relaxed);
    }
}

/// A function that a process has called.
struct Row {
    /// Keeps their address from being another function's.
    costs: Arc<Costs>,
    /// [`Costs::restarts`] when `spent` was taken from it.
    restarts: u64,
    spent: Arc<Spent>,
}

/// What a process knows of the functions that are measured in a session.
pub struct Measured {
    session: u32,
    measure: Measure,
    /// The functions that it has called, by their number; the first one has number 1.
    rows: Vec<Row>,
    /// Their numbers, by the address of their costs.
    numbers: FxHashMap<usize, usize>,
    /// The number of the function that it is in; 0 if there is none.
    now: usize,
    /// Since when, in ticks, or since how many words.
    since: i64,
}

impl Measured {
    fn new(session: u32, measure: Measure) -> Measured {
        Measured {
            session,
            measure,
            rows: Vec::new(),
            numbers: FxHashMap::default(),
            now: 0,
            since: 0,
        }
    }

    /// The number of the function with these costs.
    fn number(&mut self, costs: &Arc<Costs>, pid: Term) -> usize {
        let rows = &mut self.rows;
        let number = *self
            .numbers
            .entry(Arc::as_ptr(costs) as usize)
            .or_insert_with(|| {
                rows.push(Row {
                    costs: costs.clone(),
                    restarts: costs.restarts.load(Ordering::Relaxed),
                    spent: costs.of(pid),
                });
                rows.len()
            });
        let row = &mut rows[number - 1];
        let restarts = row.costs.restarts.load(Ordering::Relaxed);
        if row.restarts != restarts {
            row.restarts = restarts;
            row.spent = costs.of(pid);
        }
        number
    }

    /// Adds what was spent since this was last done to the function that the process is in.
    fn account(&self, now: i64) {
        let row = self.now.checked_sub(1).and_then(|now| self.rows.get(now));
        if let Some(row) = row {
            row.spent.add(now - self.since);
        }
    }
}

/// What is measured of a process.
fn measured_in(extras: &mut Extras) -> &mut Vec<Measured> {
    let all = extras
        .measured
        .get_or_insert_with(|| Box::new(Vec::<Measured>::new()));
    all.downcast_mut()
        .expect("only this file puts something here")
}

/// The time, or the memory that a process has taken so far.
fn now(process: &Process, measure: Measure) -> i64 {
    match measure {
        Measure::Time => ticks::now(),
        Measure::Memory => {
            let collected = process
                .existing_extras()
                .map_or(0, |extras| extras.collected_words);
            collected + gc::allocated_words(&process.head.heap) as i64
        }
    }
}

/// A process calls a function whose costs a session measures.
pub(super) fn called(
    process: &mut Process,
    session: u32,
    function: [Term; 3],
    costs: &Arc<Costs>,
) -> Option<usize> {
    if costs.is_paused.load(Ordering::Relaxed) || !is_for_in(process, session, what::CALL) {
        return None;
    }
    let measure = costs.measure;
    let mut now = now(process, measure);
    let pid = process.pid();
    let all = measured_in(process.extras());
    let place = all
        .iter()
        .position(|m| m.session == session && m.measure == measure);
    let place = place.unwrap_or_else(|| {
        // As on stock, a process pays in its first function for what it has begun with.
        if measure == Measure::Memory && is_initial(process, function) {
            now = 0;
        }
        let all = measured_in(process.extras());
        all.push(Measured::new(session, measure));
        all.len() - 1
    });
    let measured = &mut measured_in(process.extras())[place];
    measured.account(now);
    let before = measured.now;
    measured.now = measured.number(costs, pid);
    measured.rows[measured.now - 1].spent.add_call();
    measured.since = now;
    Some(before)
}

fn is_initial(process: &Process, [module, function, arity]: [Term; 3]) -> bool {
    let (initial_module, initial_function) = process.initial_call;
    let initial_arity = i64::from(process.initial_arity);
    Term::atom(initial_module) == module
        && Term::atom(initial_function) == function
        && arity.as_small() == Some(initial_arity)
}

/// The function that a process is in returns to the one with this number, or to none that is measured.
pub(super) fn returned(process: &mut Process, session: u32, measure: Measure, number: usize) {
    let now = now(process, measure);
    let mut all = measured_in(process.extras()).iter_mut();
    if let Some(measured) = all.find(|m| m.session == session && m.measure == measure) {
        measured.account(now);
        measured.now = number;
        measured.since = now;
    }
}

/// Forgets what a process knows in a session that has ended.
pub fn forget(process: &mut Process, session: u32) {
    if let Some(extras) = process.existing_extras_mut() {
        let all = measured_in(extras);
        all.retain(|measured| measured.session != session);
        if all.is_empty() {
            extras.measured = None;
        }
    }
}

/// What is measured of a process, if anything is.
fn measured_of(process: &Process) -> &[Measured] {
    let all = process
        .existing_extras()
        .and_then(|extras| extras.measured.as_ref());
    let all = all.and_then(|all| all.downcast_ref::<Vec<Measured>>());
    all.map_or(&[], Vec::as_slice)
}

/// The words on the heap of a process whose memory is measured; a collection begins, whose end is told to
/// [`is_collected`].
#[must_use]
pub(crate) fn collects(process: &Process) -> Option<usize> {
    let mut all = measured_of(process).iter();
    let is_measured = all.any(|measured| measured.measure == Measure::Memory);
    is_measured.then(|| gc::allocated_words(&process.head.heap))
}

/// A collection has ended that began with so many words.
pub(crate) fn is_collected(process: &mut Process, before: usize) {
    let after = gc::allocated_words(&process.head.heap);
    process.extras().collected_words += before as i64 - after as i64;
}

/// The process is put away.
#[cold]
pub(super) fn scheduled_out(process: &mut Process) {
    for measured in measured_of(process) {
        if measured.measure == Measure::Time && is_for_in(process, measured.session, what::CALL) {
            measured.account(ticks::now());
        }
    }
}

/// The process is taken up.
#[cold]
pub(super) fn scheduled_in(process: &mut Process) {
    if let Some(extras) = process.existing_extras_mut() {
        if extras.measured.is_none() {
            return;
        }
        for measured in measured_in(extras) {
            if measured.measure == Measure::Time {
                measured.since = ticks::now();
            }
        }
    }
}
