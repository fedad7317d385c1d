//! The time that processes spend in traced functions (`call_time`).
//!
//! In each session, a process that is traced for calls is in one such function at a time: the last one that it has called and
//! that has not returned. It numbers the functions that it has called ([`Timed`]), and the number of the function before is in a frame on the
//! stack ([`frames`]). What it has spent in each is shared with those who ask about the function, and only the process writes it:
//! so it finds that without a lock. A function may be forgotten meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use layout::Term;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::{frames, is_for_in, what};
use crate::process::Process;
use sys::clock::ticks;

/// The calls of one process, and the time that they took. Only that process adds to it.
#[derive(Default)]
pub struct Spent {
    calls: AtomicU64,
    /// In ticks of [`ticks`].
    time: AtomicI64,
}

impl Spent {
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    #[must_use]
    pub fn ns(&self) -> i64 {
        ticks::to_ns(self.time.load(Ordering::Relaxed))
    }

    fn add_call(&self) {
        self.calls.store(self.calls() + 1, Ordering::Relaxed);
    }

    fn add_time(&self, time: i64) {
        let before = self.time.load(Ordering::Relaxed);
        self.time.store(before + time, Ordering::Relaxed);
    }
}

/// The times of one function.
#[derive(Default)]
pub struct Times {
    /// What each process has spent, by the bits of its pid.
    spendings: Mutex<FxHashMap<u64, Arc<Spent>>>,
    /// How often this has begun again.
    restarts: AtomicU64,
    is_paused: AtomicBool,
}

impl Times {
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
    /// Keeps the address of the times from being another function's.
    times: Arc<Times>,
    /// [`Times::restarts`] when `spent` was taken from it.
    restarts: u64,
    spent: Arc<Spent>,
}

/// What a process knows of the functions whose time is taken in a session.
pub struct Timed {
    session: u32,
    /// The functions that it has called, by their number; the first one has number 1.
    rows: Vec<Row>,
    /// Their numbers, by the address of the times.
    numbers: FxHashMap<usize, usize>,
    /// The number of the function that it is in; 0 if there is none.
    now: usize,
    /// Since when, in ticks.
    since: i64,
}

impl Timed {
    fn new(session: u32) -> Timed {
        Timed {
            session,
            rows: Vec::new(),
            numbers: FxHashMap::default(),
            now: 0,
            since: 0,
        }
    }

    /// The number of the function with these times.
    fn number(&mut self, times: &Arc<Times>, pid: Term) -> usize {
        let rows = &mut self.rows;
        let number = *self
            .numbers
            .entry(Arc::as_ptr(times) as usize)
            .or_insert_with(|| {
                rows.push(Row {
                    times: times.clone(),
                    restarts: times.restarts.load(Ordering::Relaxed),
                    spent: times.of(pid),
                });
                rows.len()
            });
        let row = &mut rows[number - 1];
        let restarts = row.times.restarts.load(Ordering::Relaxed);
        if row.restarts != restarts {
            row.restarts = restarts;
            row.spent = times.of(pid);
        }
        number
    }

    /// Adds the time since this was last done to the function that the process is in.
    fn account(&self, now: i64) {
        let row = self.now.checked_sub(1).and_then(|now| self.rows.get(now));
        if let Some(row) = row {
            row.spent.add_time(now - self.since);
        }
    }
}

/// What a process knows in a session.
fn in_session(timed: &mut [Timed], session: u32) -> Option<&mut Timed> {
    timed.iter_mut().find(|timed| timed.session == session)
}

/// A process calls the function with these times, which a session takes.
pub(super) fn called(process: &mut Process, session: u32, times: &Arc<Times>) {
    if times.is_paused.load(Ordering::Relaxed) || !is_for_in(process, session, what::CALL) {
        return;
    }
    let now = ticks::now();
    let pid = process.pid();
    let all = &mut process.rare().timed;
    let place = all.iter().position(|timed| timed.session == session);
    let place = place.unwrap_or_else(|| {
        all.push(Timed::new(session));
        all.len() - 1
    });
    let timed = &mut all[place];
    timed.account(now);
    let before = timed.now;
    timed.now = timed.number(times, pid);
    timed.rows[timed.now - 1].spent.add_call();
    timed.since = now;
    frames::push_timed(process, session, before);
}

/// The function that a process is in returns to the one with this number, or to none that is traced.
pub(super) fn returned(process: &mut Process, session: u32, number: usize) {
    if let Some(timed) = in_session(&mut process.rare().timed, session) {
        let now = ticks::now();
        timed.account(now);
        timed.now = number;
        timed.since = now;
    }
}

/// Forgets what a process knows in a session that has ended.
pub fn forget(process: &mut Process, session: u32) {
    if let Some(rare) = process.existing_rare_mut() {
        rare.timed.retain(|timed| timed.session != session);
    }
}

/// The process is put away.
#[cold]
pub(super) fn scheduled_out(process: &mut Process) {
    if let Some(rare) = process.existing_rare() {
        for timed in &rare.timed {
            if is_for_in(process, timed.session, what::CALL) {
                timed.account(ticks::now());
            }
        }
    }
}

/// The process is taken up.
#[cold]
pub(super) fn scheduled_in(process: &mut Process) {
    if let Some(rare) = process.existing_rare_mut() {
        for timed in &mut rare.timed {
            timed.since = ticks::now();
        }
    }
}
