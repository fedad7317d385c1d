//! What the paths of processes know of tracing: what a process is traced for and who is told, and one function for each
//! event.
//!
//! A process that is traced has [`Flags::TRACED`] set, and in its `Rare` a [`Tracing`] for each session in which it is; paths
//! test that bit, and call the functions of [`events`] only if it is set. What becomes of an event (its message, its timestamp, match specifications, the
//! kinds of tracers) is the matter of the crate `trace`, which hands in [`Trace`].
//!
//! **Who may call.** The thread that owns the process, or, for a port, the one that has locked it. So the events of one tracee
//! reach its tracer in order.

pub mod costs;
pub mod counts;
pub mod events;
pub mod exports;
pub mod frames;
pub mod newcomers;
pub mod points;
pub mod ports;
pub mod saved_calls;
pub mod senders;
pub mod sequence;
pub mod system_profile;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use layout::{Heap, Term};
use smallvec::SmallVec;
use term::copy::{self, Owned};
use term::{build, compare};

use crate::effects::system_monitor::{self, Monitor};
use crate::mail::{hooks, signal, world};
use crate::process::signal::Signal;
use crate::process::{Flags, Process, state, table};

/// What a tracee can be traced for, and how it is reported: the names of `erlang:trace/3`. Their numbers are visible: the item
/// `trace` of `process_info` is their sum.
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

/// The session in which `erlang:trace/3` and its relatives act. From OTP 27 on there may be others, with higher numbers.
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

    /// Changes what is traced in a session. A session that has ended traces nothing.
    pub fn change(&mut self, session: u32, change: impl FnOnce(&mut Tracing)) {
        let place = self.all.iter().position(|t| t.session == session);
        let is_over = |tracing: &Tracing| {
            tracing.is_off() || (session != LEGACY && !get().is_session(session))
        };
        match place {
            Some(place) => {
                change(&mut self.all[place]);
                if is_over(&self.all[place]) {
                    self.all.remove(place);
                }
            }
            None => {
                let mut tracing = Tracing::new(session);
                change(&mut tracing);
                if !is_over(&tracing) {
                    self.all.insert(0, tracing);
                }
            }
        }
        self.what = self.all.iter().fold(0, |what, t| what | t.what);
    }

    /// Ends all that is traced in a session.
    pub fn end(&mut self, session: u32) {
        self.change(session, |tracing| tracing.what = 0);
    }

    /// Ends what is traced in sessions whose tracer is gone.
    pub fn forget_gone_tracers(&mut self, tracee: Term) {
        let is_gone = |tracing: &&Tracing| {
            let tracer = tracing.tracer.as_ref();
            tracer.is_some_and(|tracer| !get().is_there(tracer, tracee))
        };
        let gone: Sessions = self.iter().filter(is_gone).map(|t| t.session).collect();
        for session in gone {
            self.end(session);
        }
    }

    /// Tells the tracers of those sessions in which one of these bits of [`what`] is traced; ends what is traced in those whose
    /// tracer is gone.
    pub fn tell(&mut self, tracee: Term, wanted: u32, event: &Event) {
        for session in tell_all(self, tracee, wanted, event) {
            self.end(session);
        }
    }
}

/// Numbers of sessions.
pub(crate) type Sessions = SmallVec<[u32; 1]>;

/// Tells the tracers of those sessions in which one of these bits of [`what`] is traced; returns those whose tracer is gone.
fn tell_all(tracings: &Tracings, tracee: Term, wanted: u32, event: &Event) -> Sessions {
    let wants = tracings.iter().filter(|t| t.what & wanted != 0);
    wants
        .filter(|tracing| get().tell(tracee, tracing, event) == Told::TracerGone)
        .map(|tracing| tracing.session)
        .collect()
}

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
            matched: am_true(),
        }
    }

    #[must_use]
    pub fn with(self, extra: Term) -> Event {
        Event { extra, ..self }
    }
}

fn am_true() -> Term {
    term::am::TRUE
}

/// Whether a tracer still is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Told {
    Yes,
    /// The tracer is gone, so nothing is traced any more.
    TracerGone,
}

/// What becomes of events.
pub trait Trace: Sync {
    /// Tells a tracer of an event.
    fn tell(&self, tracee: Term, tracing: &Tracing, event: &Event) -> Told;

    /// Whether a tracer is there for a tracee; `undefined` stands for those to come.
    fn is_there(&self, tracer: &Tracer, tracee: Term) -> bool;

    /// A version of a module becomes current, while the world is stopped.
    fn loaded(&self, module: Term);

    /// Whether there is a session of this number, other than [`LEGACY`].
    fn is_session(&self, session: u32) -> bool;

    /// A function is called that is traced in a session; `tracer` is told, or that of the process. Returns what is to be told of
    /// the end of the call: bits of [`frames::wish`].
    fn called(
        &self,
        process: &mut Process,
        call: &points::Call<'_>,
        condition: &points::Condition,
        session: u32,
        tracer: Option<&Tracer>,
    ) -> u8;

    /// Tells the tracer of sequences of an event at a process; `how` has the token's flags ([`sequence::what`]).
    fn tell_sequence(&self, tracer: &Tracer, at: Term, label: Term, how: u32, event: Term) -> Told;

    /// Tells the profiler of the system `{profile, Parts..., Timestamp}`; `stamp` is the form of the timestamp.
    fn tell_profile(&self, profiler: Term, parts: &[Term], stamp: u32) -> Told;

    /// Tells the tracers of a process of a `send` or `'receive'` with these parts, where the pattern for such events wants that.
    fn tell_if(&self, process: &mut Process, parts: &[Term], event: &Event);
}

/// The crate `trace`.
#[inline]
#[must_use]
pub fn get() -> &'static dyn Trace {
    hooks::get().trace
}

/// Whether a process or port has ever been traced: until then, nobody needs to be told of what others do to it.
static EVER: AtomicBool = AtomicBool::new(false);

/// Whether calls of a function have ever been traced, counted or timed.
static EVER_OF_CALLS: AtomicBool = AtomicBool::new(false);

/// Whether somebody may be told of a call: until then, calls may take a shorter way than by the function's code.
#[inline]
#[must_use]
pub fn may_tell_of_calls() -> bool {
    EVER_OF_CALLS.load(Ordering::Relaxed)
}

/// Tells the tracer of a process, which may be another than the running one, of what is done to it.
pub fn is_done_to(running: &mut Process, pid: Term, tag: Term, data: Term) {
    if pid == running.pid() {
        if running.flags.contains(Flags::TRACED) {
            events::does(running, tag, data);
        }
    } else if pid.is_local_pid() && EVER.load(Ordering::Relaxed) {
        // `data` is an atom: see the callers.
        let tell = move |process: Option<&mut Process>| {
            if let Some(process) = process {
                events::does(process, tag, data);
            }
        };
        let _ = signal::send(pid, Signal::Call(Box::new(tell)));
    }
}

/// How a process is traced; nothing is if it is sensitive.
#[must_use]
pub fn of(process: &Process) -> Option<&Tracings> {
    let tracings = &process.existing_rare()?.tracings;
    (!process.is_sensitive()).then_some(tracings)
}

/// How a process is traced in a session; nothing is if it is sensitive.
#[must_use]
pub fn of_session(process: &Process, session: u32) -> Option<&Tracing> {
    of(process)?.of(session)
}

/// Whether a process is traced for one of these, in any session.
#[must_use]
pub fn is_for(process: &Process, what: u32) -> bool {
    of(process).is_some_and(|tracings| tracings.what & what != 0)
}

/// Whether a process is traced for one of these in a session.
#[must_use]
pub fn is_for_in(process: &Process, session: u32, what: u32) -> bool {
    of_session(process, session).is_some_and(|tracing| tracing.what & what != 0)
}

/// Changes how a process is traced in a session. Only its owner, or while the world is stopped.
pub fn change(process: &mut Process, session: u32, change: impl FnOnce(&mut Tracing)) {
    process.rare().tracings.change(session, change);
    settle(process);
}

/// Ends all that a process is traced for in a session. Only its owner, or while the world is stopped.
pub fn end(process: &mut Process, session: u32) {
    if let Some(rare) = process.existing_rare_mut() {
        rare.tracings.end(session);
        settle_flag(process);
    }
}

fn settle(process: &mut Process) {
    if !process.rare().tracings.is_off() {
        EVER.store(true, Ordering::Relaxed);
    }
    settle_flag(process);
}

/// Whether every process is observed: because messages have to say who has sent them, or because message queues are watched.
fn are_all_observed() -> bool {
    crate::mail::senders::are_asked() || system_monitor::asks_for_queues()
}

/// Sets or removes the system monitor of a session; returns the previous one. Called from a BIF, or by a thread that runs no process.
pub fn set_monitor(session: u32, monitor: Option<Monitor>) -> Option<Monitor> {
    let of_queues =
        |monitor: Option<Monitor>| monitor.and_then(|(_, settings)| settings.long_queue);
    let asked = system_monitor::asks_for_queues();
    let before = system_monitor::set(session, monitor);
    if of_queues(before) != of_queues(monitor) || asked != system_monitor::asks_for_queues() {
        newcomers::PROCESSES.change(|_| {});
        world::stopped(|| {
            for_each_stopped(move |process| {
                if let Some(rare) = process.existing_rare_mut() {
                    rare.long_queue_of.retain(|other| *other != session);
                }
                settle_flag(process);
            });
        });
    }
    before
}

/// Sets the flag of a process that is traced, has a token of sequential trace, or saves calls, and of no other, unless all are
/// observed.
pub(crate) fn settle_flag(process: &mut Process) {
    let is_traced = (process.existing_rare()).is_some_and(|rare| !rare.tracings.is_off());
    let saves = (process.existing_rare()).is_some_and(|rare| rare.saved_calls.is_some());
    let is_observed = is_traced || saves || sequence::of(process).is_some() || are_all_observed();
    process.flags.set(Flags::TRACED, is_observed);
}

/// Changes every process while the world is stopped; one that a dirty scheduler runs, when it is in its owner's hands again.
pub fn for_each_stopped(change: impl Fn(&mut Process) + Copy + Send + 'static) {
    let (pids, _) = table::list(0, usize::MAX);
    for pid in pids {
        let process = table::find(pid);
        if process.is_null() {
            continue;
        }
        // SAFETY: found in the table, from which nobody removes it while the world is stopped; `state` is shared.
        let word = unsafe { (*process).state.load(Ordering::SeqCst) };
        if word & state::DIRTY != 0 {
            let change = move |process: Option<&mut Process>| {
                if let Some(process) = process {
                    change(process);
                }
            };
            let _ = signal::send(pid, Signal::Call(Box::new(change)));
        } else {
            // SAFETY: as above; no scheduler runs a process now, and this one is not in the hands of a dirty scheduler.
            change(unsafe { &mut *process });
        }
    }
}

/// Ends what a process is traced for in sessions whose tracer is gone.
pub fn forget_gone_tracers(process: &mut Process) {
    let pid = process.pid();
    if let Some(rare) = process.existing_rare_mut() {
        rare.tracings.forget_gone_tracers(pid);
        settle_flag(process);
    }
}
