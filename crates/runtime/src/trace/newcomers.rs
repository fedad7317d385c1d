//! How processes and ports that will be made are traced (`new`, `new_processes`, `new_ports`). Any thread may call.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use term::am;

use super::{LEGACY, Tracing, change, get, senders, settle_flag};
use crate::process::Process;

/// How those of one kind that will be made are traced.
pub struct Newcomers {
    any: AtomicBool,
    tracing: Mutex<Tracing>,
}

pub static PROCESSES: Newcomers = Newcomers::new();
pub static PORTS: Newcomers = Newcomers::new();

impl Newcomers {
    const fn new() -> Newcomers {
        let tracing = Tracing {
            what: 0,
            tracer: None,
            session: LEGACY,
        };
        Newcomers {
            any: AtomicBool::new(false),
            tracing: Mutex::new(tracing),
        }
    }

    /// Whether newcomers are traced, or observed for another reason.
    #[inline]
    #[must_use]
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    pub fn change(&self, change: impl FnOnce(&mut Tracing)) {
        let mut tracing = self.tracing.lock();
        change(&mut tracing);
        self.settle(&mut tracing);
    }

    /// How newcomers are traced now; forgets a tracer that is gone.
    #[must_use]
    pub fn get(&self) -> Tracing {
        let mut tracing = self.tracing.lock();
        self.settle(&mut tracing);
        tracing.clone()
    }

    fn settle(&self, tracing: &mut Tracing) {
        let tracer = tracing.tracer.as_ref();
        if tracer.is_some_and(|tracer| !get().is_there(tracer, am::UNDEFINED)) {
            *tracing = Tracing::default();
        }
        tracing.settle();
        let any = !tracing.is_off() || senders::are_asked();
        self.any.store(any, Ordering::Relaxed);
    }
}

/// Traces a process that is being made.
pub fn apply_to_process(process: &mut Process) {
    if PROCESSES.any() {
        let given = PROCESSES.get();
        if !given.is_off() {
            change(process, |tracing| *tracing = given);
        }
        settle_flag(process);
    }
}
