//! Tracing: what a process is traced for and who is told, and one function for each event.
//!
//! A process that is traced has [`Flags::TRACED`] set, and in its `Extras` a [`Tracing`] for each session in which it
//! is. The other rooms test that bit, and tell the [`observer`] only if it is set; nothing of this room is called
//! otherwise. What becomes of an event (its message, its timestamp, match specifications, the kinds of tracers) is the
//! matter of the crate `trace`, which hands in [`Trace`].
//!
//! **Who may call.** The thread that owns the process, or, for a port, the one that has locked it. So the events of one
//! tracee reach its tracer in order.

pub mod breakpoints;
pub mod costs;
pub mod counts;
pub mod events;
pub mod exports;
pub mod frames;
pub mod newcomers;
pub mod observer;
pub mod points;
pub mod saved_calls;
pub mod senders;
pub mod sequence;
pub mod system_profile;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use layout::Term;
use term::release::{self, Release};

use crate::effects::system_monitor::{self, Monitor};
use crate::mail::{signal, world};
use crate::process::signal::Signal;
use crate::process::tracing::{Event, Family, LEGACY, Sessions, Tracer, Tracing, Tracings};
use crate::process::{Flags, Process, epoch, state, table};

/// Whether there is a session of this number.
fn is_session(session: u32) -> bool {
    session == LEGACY || get().is_session(session)
}

/// Changes what is traced in a session.
pub fn change_tracings(tracings: &mut Tracings, session: u32, change: impl FnOnce(&mut Tracing)) {
    tracings.change(session, is_session(session), change);
}

/// Ends what is traced in sessions whose tracer is gone.
pub fn forget_gone(tracings: &mut Tracings, tracee: Term) {
    let is_gone = |tracing: &&Tracing| {
        let tracer = tracing.tracer.as_ref();
        tracer.is_some_and(|tracer| !get().is_there(tracer, tracee))
    };
    let gone: Sessions = tracings.iter().filter(is_gone).map(|t| t.session).collect();
    for session in gone {
        tracings.end(session);
    }
}

/// Tells the tracers of those sessions in which one of these bits of [`what`](crate::process::tracing::what) is traced;
/// returns those whose tracer is gone.
fn tell_all(tracings: &Tracings, tracee: Term, wanted: u32, event: &Event) -> Sessions {
    let wants = |tracing: &&Tracing| tracing.what & wanted != 0 && !is_off(tracing.session, event);
    let wants = tracings.iter().filter(wants);
    wants
        .filter(|tracing| get().tell(tracee, tracing, event) == Told::TracerGone)
        .map(|tracing| tracing.session)
        .collect()
}

/// Whether a session has the pattern `false` for an event of a port that sends. Until OTP 26 such patterns are for
/// processes alone; whether an event of theirs is wanted is asked with its parts ([`Trace::tell_if`]).
fn is_off(session: u32, event: &Event) -> bool {
    event.family == Family::Send
        && release::has(Release::OTP_27)
        && !get().wants_any(session, event.family)
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

    /// A function is called that is traced in a session; `tracer` is told, or that of the process. Returns what is to
    /// be told of the end of the call: bits of [`frames::wish`].
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

    /// Whether a session wants to be told of any event of a family, `send` or `'receive'`.
    fn wants_any(&self, session: u32, family: Family) -> bool;

    /// Tells the tracers of a process of a `send` or `'receive'` with these parts, where the pattern for such events
    /// wants that.
    fn tell_if(&self, process: &mut Process, parts: &[Term], event: &Event);
}

static TRACE: OnceLock<&'static dyn Trace> = OnceLock::new();

/// Hands in what becomes of events. Called once, when the node starts.
pub fn set(trace: &'static dyn Trace) {
    assert!(TRACE.set(trace).is_ok(), "set once");
}

/// The crate `trace`.
#[inline]
#[must_use]
pub fn get() -> &'static dyn Trace {
    *TRACE.get().expect("set when the node starts")
}

/// Whether a process or port has ever been traced: until then, nobody needs to be told of what others do to it.
static EVER: AtomicBool = AtomicBool::new(false);

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
    let tracings = &process.existing_extras()?.tracings;
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
    of(process).is_some_and(|tracings| tracings.what() & what != 0)
}

/// Whether a process is traced for one of these in a session.
#[must_use]
pub fn is_for_in(process: &Process, session: u32, what: u32) -> bool {
    of_session(process, session).is_some_and(|tracing| tracing.what & what != 0)
}

/// Changes how a process is traced in a session. Only its owner, or while the world is stopped.
pub fn change(process: &mut Process, session: u32, change: impl FnOnce(&mut Tracing)) {
    change_tracings(&mut process.extras().tracings, session, change);
    settle(process);
}

/// Ends all that a process is traced for in a session. Only its owner, or while the world is stopped.
pub fn end(process: &mut Process, session: u32) {
    if let Some(extras) = process.existing_extras_mut() {
        extras.tracings.end(session);
        settle_flag(process);
    }
}

fn settle(process: &mut Process) {
    if !process.extras().tracings.is_off() {
        EVER.store(true, Ordering::Relaxed);
    }
    settle_flag(process);
}

/// Whether every process is observed: because messages have to say who has sent them, or because message queues are
/// watched.
fn are_all_observed() -> bool {
    crate::mail::senders::are_asked() || system_monitor::asks_for_queues()
}

/// Sets or removes the system monitor of a session; returns the previous one. Called from a BIF, or by a thread that
/// runs no process.
pub fn set_monitor(session: u32, monitor: Option<Monitor>) -> Option<Monitor> {
    let of_queues =
        |monitor: Option<Monitor>| monitor.and_then(|(_, settings)| settings.long_queue);
    let asked = system_monitor::asks_for_queues();
    let before = system_monitor::set(session, monitor);
    if of_queues(before) != of_queues(monitor) || asked != system_monitor::asks_for_queues() {
        newcomers::PROCESSES.change(|_| {});
        world::stopped(|| {
            for_each_stopped(move |process| {
                if let Some(extras) = process.existing_extras_mut() {
                    extras.long_queue_of.retain(|other| *other != session);
                }
                settle_flag(process);
            });
        });
    }
    before
}

/// Sets the flag of a process that is traced, has a token of sequential trace, or saves calls, and of no other, unless
/// all are observed.
pub(crate) fn settle_flag(process: &mut Process) {
    let is_traced = (process.existing_extras()).is_some_and(|extras| !extras.tracings.is_off());
    let saves = (process.existing_extras()).is_some_and(|extras| extras.saved_calls.is_some());
    let is_observed =
        is_traced || saves || crate::process::sequence::of(process).is_some() || are_all_observed();
    process.flags.set(Flags::TRACED, is_observed);
}

/// Changes every process while the world is stopped; one that a dirty scheduler runs, when it is in its owner's hands
/// again.
///
/// # Panics
/// If the world is not stopped by this thread.
pub fn for_each_stopped(change: impl Fn(&mut Process) + Copy + Send + 'static) {
    assert!(world::is_stopped_here(), "other threads run processes");
    let (pids, _) = table::list(0, usize::MAX);
    for pid in pids {
        epoch::with_pin(|pinned| {
            let Some(process) = table::find(pinned, pid) else {
                return;
            };
            if process.state() & state::DIRTY != 0 {
                let change = move |process: Option<&mut Process>| {
                    if let Some(process) = process {
                        change(process);
                    }
                };
                let _ = signal::send(pid, Signal::Call(Box::new(change)));
            } else {
                // SAFETY: the world is stopped, so no scheduler runs a process, and this one is not in the hands of a
                // dirty scheduler.
                change(unsafe { &mut *process.pointer() });
            }
        });
    }
}

/// Ends what a process is traced for in sessions whose tracer is gone.
pub fn forget_gone_tracers(process: &mut Process) {
    let pid = process.pid();
    if let Some(extras) = process.existing_extras_mut() {
        forget_gone(&mut extras.tracings, pid);
        settle_flag(process);
    }
}
