//! A port that is being run: its lock is held, and whoever wants to know how ports run is told of the beginning and the
//! end (`running_ports` of tracing, `system_profile`, `long_schedule` of the system monitor).

use std::ops::{Deref, DerefMut};

use layout::Term;
use parking_lot::MutexGuard;
use term::am;

use super::{Phase, Port, State};
use crate::effects::system_monitor;
use crate::mail::observer;
use crate::mail::observer::observer;

/// Why a port is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Occasion {
    /// A process asks for this, and waits meanwhile.
    Asked(Term),
    /// What a process has asked for was queued.
    Queued,
    Timeout,
    Input,
    Output,
}

impl Occasion {
    /// What tracers are told.
    fn operation(self) -> Term {
        match self {
            Occasion::Asked(operation) => operation,
            _ => Term::small(0),
        }
    }

    /// What the system monitor is told, if such a run can be a long one.
    fn task(self) -> Option<Term> {
        match self {
            Occasion::Asked(_) => None,
            Occasion::Queued => Some(am::PROC_SIG),
            Occasion::Timeout => Some(am::TIMEOUT),
            Occasion::Input => Some(am::INPUT),
            Occasion::Output => Some(am::OUTPUT),
        }
    }
}

/// See the module.
pub(super) struct Entered<'a> {
    port: Term,
    state: MutexGuard<'a, State>,
    occasion: Occasion,
    /// When the run began, if long ones are reported.
    began_ns: Option<i64>,
}

impl<'a> Entered<'a> {
    /// Begins a run of the port whose lock is held.
    #[inline]
    pub(super) fn new(
        port: &Port,
        state: MutexGuard<'a, State>,
        occasion: Occasion,
    ) -> Entered<'a> {
        let mut entered = Entered {
            port: port.id,
            state,
            occasion,
            began_ns: system_monitor::port_begins(),
        };
        if observer::is_profiled() {
            observer().port_runs(port.id, am::ACTIVE);
        }
        entered.tell(am::IN);
        entered
    }

    #[inline]
    fn tell(&mut self, tag: Term) {
        let operation = self.occasion.operation();
        self.state.core.tracee(self.port).runs(tag, operation);
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        // As on stock, nothing is told of a port that was closed meanwhile.
        if self.state.core.phase == Phase::Open {
            self.tell(am::OUT);
        }
        if observer::is_profiled() {
            observer().port_runs(self.port, am::INACTIVE);
        }
        if let Some(began_ns) = self.began_ns
            && let Some(task) = self.occasion.task()
        {
            system_monitor::port_ends(self.port, task, began_ns);
        }
    }
}

impl Deref for Entered<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Entered<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}
