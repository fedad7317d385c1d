//! What processes and ports are traced for: `erlang:trace/3`, `trace_info/2`.
//!
//! Tracing of a process is changed by itself, or while the world is stopped, so that it holds from then on for all that
//! the process does. A process that a dirty scheduler runs is the exception: it changes itself when that call is over.

use layout::{Heap, Term};
use runtime::effects::port;
use runtime::mail::{signal, world};
use runtime::process::signal::Signal;
use runtime::process::tracing::{LEGACY, Tracer, Tracing, Tracings, what};
use runtime::process::{Process, epoch, state, table};
use runtime::trace;
use runtime::trace::newcomers::{PORTS, PROCESSES};
use std::sync::atomic::Ordering;
use term::release::{self, Release};
use term::{am, build, list, node};

use crate::{message, names, sessions, tracer};

/// A change of what is traced.
#[derive(Clone)]
pub struct Change {
    pub on: bool,
    pub what: u32,
    pub tracer: Option<Tracer>,
    /// The clock of the processor is wanted.
    pub cpu_time: bool,
    /// The session in which it is changed.
    pub session: u32,
}

/// Why nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The options are wrong.
    Options,
    /// Another argument is wrong.
    Argument,
    /// The tracee has another tracer in this session.
    Traced,
}

/// Reads the options of `erlang:trace/3`.
///
/// # Errors
/// [`Refusal::Options`].
pub fn parse(options: Term) -> Result<Change, Refusal> {
    let mut change = Change {
        on: false,
        what: 0,
        tracer: None,
        cpu_time: false,
        session: LEGACY,
    };
    for option in list::items(options) {
        let option = option.map_err(|_| Refusal::Options)?;
        if let Some(bits) = names::parse(option) {
            change.what |= bits;
        } else if option == am::CPU_TIMESTAMP {
            change.cpu_time = true;
        } else {
            let tracer = tracer::of_option(option, am::TRACER).ok_or(Refusal::Options)?;
            change.tracer = Some(tracer);
        }
    }
    Ok(change)
}

/// The groups that an atom names: whether those that exist are meant, and those to come; processes, and ports.
fn groups(name: Term) -> Option<[bool; 4]> {
    let [existing, new, processes, ports] = [1, 2, 4, 8];
    let all = match name {
        am::ALL => existing | new | processes | ports,
        am::EXISTING => existing | processes | ports,
        am::NEW => new | processes | ports,
        am::PROCESSES => existing | new | processes,
        am::EXISTING_PROCESSES => existing | processes,
        am::NEW_PROCESSES => new | processes,
        am::PORTS => existing | new | ports,
        am::EXISTING_PORTS => existing | ports,
        am::NEW_PORTS => new | ports,
        _ => return None,
    };
    Some([existing, new, processes, ports].map(|group| all & group != 0))
}

/// Changes what is traced, on behalf of a process; returns the number of tracees.
///
/// # Errors
/// See [`Refusal`].
pub fn change(caller: &mut Process, who: Term, change: &Change) -> Result<usize, Refusal> {
    if who.is_pid() || who.is_port() {
        if change.cpu_time {
            return Err(Refusal::Argument);
        }
        return match who.is_pid() {
            true => change_process(caller, who, change),
            false => change_port(who, change),
        };
    }
    let [existing, new, processes, ports] = groups(who).ok_or(Refusal::Argument)?;
    if change.cpu_time && who != am::ALL {
        return Err(Refusal::Argument);
    }
    if change.cpu_time {
        message::CPU_TIME.store(change.on, Ordering::Relaxed);
    }
    let mut count = 0;
    if existing {
        // What concerns both is changed for both, unless the name says which are meant.
        let concerns = |own: u32| change.what & (own & !what::COMMON) != 0;
        let common = change.what & what::COMMON != 0;
        if processes && (concerns(what::OF_PROCESSES) || common) {
            count += change_processes(caller, change);
        }
        if ports && (concerns(what::OF_PORTS) || common) {
            count += port::list()
                .into_iter()
                .filter(|port| change_port(*port, change).is_ok())
                .count();
        }
    }
    if new {
        if processes && change.what & what::OF_PROCESSES != 0 {
            PROCESSES.change(|tracings| apply_to_new(tracings, change, what::OF_PROCESSES));
        }
        if ports && change.what & what::OF_PORTS != 0 {
            PORTS.change(|tracings| apply_to_new(tracings, change, what::OF_PORTS));
        }
    }
    Ok(count)
}

fn change_process(caller: &mut Process, pid: Term, change: &Change) -> Result<usize, Refusal> {
    let done = if pid == caller.pid() {
        apply_to_process(caller, change)
    } else if pid.is_local_pid() {
        world::stopped(|| apply_to_other(pid, change))
    } else {
        None
    };
    match done {
        None => Err(Refusal::Argument),
        Some(false) => Err(Refusal::Traced),
        Some(true) => Ok(1),
    }
}

/// Changes all processes that can be changed, and returns their number.
fn change_processes(caller: &mut Process, change: &Change) -> usize {
    let own = caller.pid();
    let mut count = usize::from(apply_to_process(caller, change) == Some(true));
    count += world::stopped(|| {
        let (pids, _) = table::list(0, usize::MAX);
        pids.into_iter()
            .filter(|pid| *pid != own && apply_to_other(*pid, change) == Some(true))
            .count()
    });
    count
}

/// Applies a change to a process other than the caller, while the world is stopped. `None` if there is no such process,
/// false if it has another tracer.
fn apply_to_other(pid: Term, change: &Change) -> Option<bool> {
    assert!(world::is_stopped_here(), "other threads run processes");
    epoch::with_pin(|pinned| {
        let process = table::find(pinned, pid)?;
        let word = process.state();
        if word & state::EXITING != 0 {
            return None;
        }
        if word & state::DIRTY != 0 {
            let change = change.clone();
            let body = move |process: Option<&mut Process>| {
                if let Some(process) = process {
                    apply_to_process(process, &change);
                }
            };
            let sent = signal::send(pid, Signal::Call(Box::new(body)));
            return sent.is_ok().then_some(true);
        }
        // SAFETY: the world is stopped, so no scheduler runs a process, and this one is not in the hands of a dirty
        // scheduler.
        apply_to_process(unsafe { &mut *process.pointer() }, change)
    })
}

fn apply_to_process(process: &mut Process, change: &Change) -> Option<bool> {
    let pid = process.pid();
    let mut is_changed = false;
    trace::change(process, change.session, |tracing| {
        is_changed = apply(tracing, pid, change);
    });
    Some(is_changed)
}

/// Changes how a port is traced.
fn change_port(port: Term, change: &Change) -> Result<usize, Refusal> {
    let found = port::find(port).filter(|_| port.is_local_port());
    let apply_to = |tracings: &mut Tracings| {
        let mut is_changed = false;
        runtime::trace::change_tracings(tracings, change.session, |tracing| {
            is_changed = apply(tracing, port, change);
        });
        is_changed
    };
    let changed = found.and_then(|found| found.change_tracing(apply_to));
    match changed {
        None => Err(Refusal::Argument),
        Some(false) => Err(Refusal::Traced),
        Some(true) => Ok(1),
    }
}

/// Applies a change to one tracee; false if it has another tracer in this session.
fn apply(tracing: &mut Tracing, tracee: Term, change: &Change) -> bool {
    // From OTP 27 on whoever likes may end it, whatever the tracer. If a tracer is named then, what is left gets it.
    let wanted = change.tracer.as_ref();
    let wanted = wanted.filter(|_| change.on || !release::has(Release::OTP_27));
    if let Some(present) = &tracing.tracer
        && wanted.is_some_and(|wanted| !present.is(wanted))
        && trace::get().is_there(present, tracee)
    {
        return false;
    }
    change_one(tracing, change, u32::MAX);
    true
}

fn apply_to_new(tracings: &mut Tracings, change: &Change, concerned: u32) {
    runtime::trace::change_tracings(tracings, change.session, |tracing| {
        change_one(tracing, change, concerned);
    });
}

fn change_one(tracing: &mut Tracing, change: &Change, concerned: u32) {
    let bits = change.what & concerned;
    if change.on {
        tracing.what |= bits;
    } else {
        tracing.what &= !bits;
    }
    if change.tracer.is_some() {
        tracing.tracer.clone_from(&change.tracer);
    }
}

/// `{flags, Flags}` or `{tracer, Tracer}` of one that is traced so, as a session sees it. `None` if there is no such
/// item.
pub fn item(heap: &mut Heap, tracings: &Tracings, session: u32, item: Term) -> Option<Term> {
    let seen = tracings.of(session);
    let value = match item {
        am::FLAGS => names::list(heap, seen.map_or(0, |seen| seen.what)),
        am::TRACER => match seen.and_then(|seen| seen.tracer.as_ref()) {
            None => Term::NIL,
            Some(tracer) => tracer.to_term(heap),
        },
        _ => return None,
    };
    Some(build::tuple(heap, &[item, value]))
}

/// `{session, Sessions}`: those in which it is traced.
pub fn sessions_item(heap: &mut Heap, tracings: &Tracings) -> Term {
    let sessions = sessions::list(heap, tracings.iter().map(|tracing| tracing.session));
    build::tuple(heap, &[am::SESSION, sessions])
}

/// How the processes or ports to come are traced.
#[must_use]
pub fn of_newcomers(name: Term) -> Option<Tracings> {
    match name {
        am::NEW | am::NEW_PROCESSES => Some(PROCESSES.get()),
        am::NEW_PORTS => Some(PORTS.get()),
        _ => None,
    }
}

/// How a port is traced; `None` if it is not open.
#[must_use]
pub fn of_port(port: Term) -> Option<Tracings> {
    let found = port::find(port)?;
    found.change_tracing(|tracings| {
        runtime::trace::forget_gone(tracings, port);
        tracings.clone()
    })
}

/// Whether an identifier is one of an earlier incarnation of this node.
#[must_use]
pub fn is_of_the_past(pid: Term) -> bool {
    pid.is_pid() && !pid.is_local_pid() && node::of(pid).name == node::own_name()
}
