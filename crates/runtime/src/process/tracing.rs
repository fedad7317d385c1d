//! How a process or port is traced, and events, as data. What becomes of them is in `trace`.

use std::sync::Arc;

use layout::{Heap, Term};
use smallvec::SmallVec;
use term::copy::{self, Owned};
use term::{am, build, compare};

/// What a tracee can be traced for, and how it is reported: the names of `erlang:trace/3`. Their numbers are visible:
/// the item `trace` of `process_info` is their sum.
pub mod what {
    pub const TIMESTAMP: u32 = 1;
    pub const STRICT_MONOTONIC_TIMESTAMP: u32 = 1 << 1;
    pub const MONOTONIC_TIMESTAMP: u32 = 1 << 2;
    pub const SEND: u32 = 1 << 4;
    pub const RECEIVE: u32 = 1 << 5;
    pub const SET_ON_SPAWN: u32 = 1 << 6;
    pub const SET_ON_FIRST_SPAWN: u32 = 1 << 7;
    pub const SET_ON_LINK: u32 = 1 << 8;
    pub const SET_ON_FIRST_LINK: u32 = 1 << 9;
    pub const CALL: u32 = 1 << 10;
    pub const PROCS: u32 = 1 << 11;
    pub const RUNNING: u32 = 1 << 13;
    pub const GARBAGE_COLLECTION: u32 = 1 << 14;
    pub const ARITY: u32 = 1 << 15;
    pub const RETURN_TO: u32 = 1 << 16;
    pub const SILENT: u32 = 1 << 17;
    pub const RUNNING_PORTS: u32 = 1 << 20;
    pub const RUNNING_PROCS: u32 = 1 << 21;
    pub const PORTS: u32 = 1 << 22;
    pub const SCHEDULER_ID: u32 = 1 << 23;
    pub const EXITING: u32 = 1 << 24;

    /// What a process is besides, in the same number.
    pub const IS_SENSITIVE: u32 = 1 << 3;

    pub const ALL: u32 = OF_PROCESSES | OF_PORTS;
    pub const TIMESTAMPS: u32 = TIMESTAMP | STRICT_MONOTONIC_TIMESTAMP | MONOTONIC_TIMESTAMP;
    /// What concerns processes and ports alike.
    pub const COMMON: u32 = SILENT | TIMESTAMPS | SCHEDULER_ID | RECEIVE | SEND;
    pub const OF_PORTS: u32 = COMMON | PORTS | RUNNING_PORTS;
    pub const OF_PROCESSES: u32 = COMMON
        | SET_ON_SPAWN
        | SET_ON_FIRST_SPAWN
        | SET_ON_LINK
        | SET_ON_FIRST_LINK
        | CALL
        | PROCS
        | RUNNING
        | GARBAGE_COLLECTION
        | ARITY
        | RETURN_TO
        | RUNNING_PROCS
        | EXITING;
}

/// Who is told of events.
#[derive(Clone)]
pub enum Tracer {
    /// A process or port of this node, which gets messages.
    Identifier(Term),
    /// A module with the behaviour `erl_tracer`, and its state.
    Module(Arc<(Term, Owned)>),
}

impl Tracer {
    /// Whether both are the same module with equal states, or the same process or port.
    #[must_use]
    pub fn is(&self, other: &Tracer) -> bool {
        match (self, other) {
            (Tracer::Identifier(one), Tracer::Identifier(other)) => one == other,
            (Tracer::Module(one), Tracer::Module(other)) => {
                Arc::ptr_eq(one, other)
                    || (one.0 == other.0 && compare::eq_exact(one.1.term(), other.1.term()))
            }
            _ => false,
        }
    }

    /// The term by which programs and frames name it: a process or port, or `{Module, State}`.
    pub fn to_term(&self, heap: &mut Heap) -> Term {
        match self {
            Tracer::Identifier(identifier) => *identifier,
            Tracer::Module(module) => {
                let state = copy::copy(heap, module.1.term());
                build::tuple(heap, &[module.0, state])
            }
        }
    }
}

/// The session in which `erlang:trace/3` and its relatives act. From OTP 27 on there may be others, with higher
/// numbers.
pub const LEGACY: u32 = 0;

/// How a process or port is traced in one session.
#[derive(Clone)]
pub struct Tracing {
    pub session: u32,
    /// Bits of [`what`]; 0 without a tracer.
    pub what: u32,
    pub tracer: Option<Tracer>,
}

impl Tracing {
    /// Not at all.
    #[must_use]
    pub fn new(session: u32) -> Tracing {
        Tracing {
            session,
            what: 0,
            tracer: None,
        }
    }

    #[must_use]
    pub fn is_off(&self) -> bool {
        self.what == 0 || self.tracer.is_none()
    }
}

/// How a process or port is traced: in each session by itself.
#[derive(Clone, Default)]
pub struct Tracings {
    /// What is in any of `all`.
    what: u32,
    /// Those that are not off: one for each session in which it is traced, the latest first. As a rule it is one.
    all: SmallVec<[Tracing; 1]>,
}

impl Tracings {
    pub const NONE: Tracings = Tracings {
        what: 0,
        all: SmallVec::new_const(),
    };

    #[inline]
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.what == 0
    }

    /// What is traced in any session: bits of [`what`].
    #[inline]
    #[must_use]
    pub fn what(&self) -> u32 {
        self.what
    }

    /// In each session in which something is traced.
    pub fn iter(&self) -> std::slice::Iter<'_, Tracing> {
        self.all.iter()
    }

    /// In this session, if anything is traced there.
    #[must_use]
    pub fn of(&self, session: u32) -> Option<&Tracing> {
        self.all.iter().find(|tracing| tracing.session == session)
    }

    /// Changes what is traced in a session. One that is not there any more traces nothing.
    pub fn change(&mut self, session: u32, is_there: bool, change: impl FnOnce(&mut Tracing)) {
        let place = self.all.iter().position(|t| t.session == session);
        match place {
            Some(place) => {
                change(&mut self.all[place]);
                if self.all[place].is_off() || !is_there {
                    self.all.remove(place);
                }
            }
            None => {
                let mut tracing = Tracing::new(session);
                change(&mut tracing);
                if !tracing.is_off() && is_there {
                    self.all.insert(0, tracing);
                }
            }
        }
        self.what = self.all.iter().fold(0, |what, t| what | t.what);
    }

    /// Ends all that is traced in a session.
    pub fn end(&mut self, session: u32) {
        self.change(session, true, |tracing| tracing.what = 0);
    }

    /// In the order that stock has for newcomers: that of the sessions, of which the one that is always there comes
    /// last.
    pub(crate) fn sort(&mut self) {
        self.all.sort_by_key(|tracing| match tracing.session {
            LEGACY => u32::MAX,
            session => session,
        });
    }
}

/// Numbers of sessions.
pub type Sessions = SmallVec<[u32; 1]>;

/// The family of an event: each has functions of its own in tracer modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Call,
    Send,
    Receive,
    Procs,
    Ports,
    RunningProcs,
    RunningPorts,
    GarbageCollection,
}

/// An event, as its message has it.
#[derive(Clone, Copy)]
pub struct Event {
    pub family: Family,
    pub tag: Term,
    pub message: Term,
    /// What follows the message, or NONE.
    pub extra: Term,
    /// What a match specification has returned, unless that is `true`.
    pub matched: Term,
}

impl Event {
    #[must_use]
    pub fn new(family: Family, tag: Term, message: Term) -> Event {
        Event {
            family,
            tag,
            message,
            extra: Term::NONE,
            matched: am::TRUE,
        }
    }

    #[must_use]
    pub fn with(self, extra: Term) -> Event {
        Event { extra, ..self }
    }
}
