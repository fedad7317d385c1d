//! How processes and ports that will be made are traced (`new`, `new_processes`, `new_ports`). Any thread may call.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use term::am;

use super::{are_all_observed, settle};
use crate::mail::observer;
use crate::process::Process;
use crate::process::tracing::Tracings;

/// How those of one kind that will be made are traced.
pub struct Newcomers {
    /// Where those who make them look.
    any: &'static AtomicBool,
    tracings: Mutex<Tracings>,
}

pub static PROCESSES: Newcomers = Newcomers::new(&observer::NEW_PROCESSES);
pub static PORTS: Newcomers = Newcomers::new(&observer::NEW_PORTS);

impl Newcomers {
    const fn new(any: &'static AtomicBool) -> Newcomers {
        Newcomers {
            any,
            tracings: Mutex::new(Tracings::NONE),
        }
    }

    /// Whether newcomers are traced, or observed for another reason.
    #[inline]
    #[must_use]
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    pub fn change(&self, change: impl FnOnce(&mut Tracings)) {
        let mut tracings = self.tracings.lock();
        change(&mut tracings);
        self.settle(&mut tracings);
    }

    /// How newcomers are traced now; forgets tracers that are gone.
    #[must_use]
    pub fn get(&self) -> Tracings {
        let mut tracings = self.tracings.lock();
        self.settle(&mut tracings);
        tracings.clone()
    }

    fn settle(&self, tracings: &mut Tracings) {
        super::forget_gone(tracings, am::UNDEFINED);
        tracings.sort();
        let any = !tracings.is_off() || are_all_observed();
        self.any.store(any, Ordering::Relaxed);
    }
}

/// Traces a process that is being made.
pub fn apply_to_process(process: &mut Process) {
    if PROCESSES.any() {
        let given = PROCESSES.get();
        if !given.is_off() {
            process.extras().tracings = given;
        }
        settle(process);
    }
}
