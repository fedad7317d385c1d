//! The time that processes spend in traced functions (`call_time`).
//!
//! A process that is traced for calls is in one such function at a time: the last one that it has called and that has not
//! returned. A function is named by its *key*: the address of its entry, or that of its export with the lowest bit set. The key
//! of the function before is in a frame on the stack ([`frames`]). A function may be forgotten meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};

use layout::Term;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::{exports, frames, is_for, points, what};
use crate::process::Process;
use crate::scheduler;

/// The calls of one process, and the time that they took.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub calls: u64,
    pub ns: i64,
}

/// By the bits of pids.
type Spendings = FxHashMap<u64, Spent>;

/// The times of one function. Each scheduler has a map of its own, so that they do not wait for each other.
pub struct Times {
    spendings: Box<[Mutex<Spendings>]>,
    is_paused: AtomicBool,
}

impl Default for Times {
    fn default() -> Times {
        let number = scheduler::count() + 1;
        Times {
            spendings: (0..number).map(|_| Mutex::default()).collect(),
            is_paused: AtomicBool::new(false),
        }
    }
}

impl Times {
    fn add(&self, pid: Term, calls: u64, ns: i64) {
        let own = &self.spendings[scheduler::current_number()];
        let mut own = own.lock();
        let spent = own.entry(pid.bits()).or_default();
        spent.calls += calls;
        spent.ns += ns;
    }

    /// What each process has spent so far.
    #[must_use]
    pub fn all(&self) -> Vec<(Term, Spent)> {
        let mut sums = Spendings::default();
        for own in &self.spendings {
            for (pid, spent) in own.lock().iter() {
                let sum = sums.entry(*pid).or_default();
                sum.calls += spent.calls;
                sum.ns += spent.ns;
            }
        }
        // SAFETY: the bits of pids of this node, which are immediates.
        let pid = |bits| unsafe { Term::from_bits(bits) };
        sums.into_iter()
            .map(|(bits, spent)| (pid(bits), spent))
            .collect()
    }

    pub fn pause(&self) {
        self.is_paused.store(true, Ordering::Relaxed);
    }

    /// Begins again with nothing.
    pub fn restart(&self) {
        for own in &self.spendings {
            own.lock().clear();
        }
        self.is_paused.store(false, Ordering::Relaxed);
    }
}

/// The function that a process is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// 0 if there is none.
    key: usize,
    since_ns: i64,
}

/// Adds the time since it was last added to the function with a key.
fn account(process: &Process, now: Now, time_ns: i64) {
    if now.key != 0 {
        let add = |times: &Times| times.add(process.pid(), 0, time_ns - now.since_ns);
        match now.key & 1 {
            0 => points::with_times(now.key, add),
            _ => exports::with_times(now.key & !1, add),
        }
    }
}

/// A process calls the function with this key.
pub(super) fn called(process: &mut Process, times: &Times, key: usize) {
    if times.is_paused.load(Ordering::Relaxed) || !is_for(process, what::CALL) {
        return;
    }
    let time_ns = sys::clock::monotonic_ns();
    let before = process.rare().timed.unwrap_or(Now {
        key: 0,
        since_ns: time_ns,
    });
    account(process, before, time_ns);
    times.add(process.pid(), 1, 0);
    process.rare().timed = Some(Now {
        key,
        since_ns: time_ns,
    });
    frames::push_timed(process, before.key);
}

/// The function that a process is in returns to the one with this key, or to none that is traced.
pub(super) fn returned(process: &mut Process, key: usize) {
    let Some(now) = process.rare().timed else {
        return;
    };
    let time_ns = sys::clock::monotonic_ns();
    account(process, now, time_ns);
    process.rare().timed = Some(Now {
        key,
        since_ns: time_ns,
    });
}

/// The process is put away.
#[cold]
pub(super) fn scheduled_out(process: &mut Process) {
    if let Some(now) = process.rare().timed
        && is_for(process, what::CALL)
    {
        account(process, now, sys::clock::monotonic_ns());
    }
}

/// The process is taken up.
#[cold]
pub(super) fn scheduled_in(process: &mut Process) {
    if let Some(now) = &mut process.rare().timed {
        now.since_ns = sys::clock::monotonic_ns();
    }
}
