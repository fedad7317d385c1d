//! The events of processes, one function each. They are called only for a process whose [`Flags::TRACED`] is set, and
//! test whether it is traced for the event.

use layout::heap::Heap;
use layout::{Fragment, Term, no_gc};
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build};

use super::{Told, change, costs, end, get, is_for, saved_calls, tell_all};
use crate::effects::info::{self, Asker};
use crate::mail::{senders, signal};
use crate::process::signal::Signal;
use crate::process::tracing::{Event, Family, Sessions, Tracing, what};
use crate::process::{Flags, Process, table};

/// Tells the tracers of a process of an event, in those sessions in which one of these bits of [`what`] is traced.
pub fn tell(process: &mut Process, wanted: u32, event: &Event) {
    let pid = process.pid();
    let Some(extras) = process.existing_extras() else {
        return;
    };
    for session in tell_all(&extras.tracings, pid, wanted, event) {
        end(process, session);
    }
}

/// Tells the tracer of a process of an event, if it is traced in this session.
pub fn tell_in(process: &mut Process, session: u32, event: &Event) {
    let pid = process.pid();
    let Some(tracing) = process
        .existing_extras()
        .and_then(|extras| extras.tracings.of(session))
    else {
        return;
    };
    if get().tell(pid, tracing, event) == Told::TracerGone {
        end(process, session);
    }
}

fn procs(process: &mut Process, tag: Term, data: Term) {
    tell(process, what::PROCS, &Event::new(Family::Procs, tag, data));
}

/// The process does something that `procs` reports: `link`, `unlink`, `register` and the like.
#[cold]
pub fn does(process: &mut Process, tag: Term, data: Term) {
    if is_for(process, what::PROCS) {
        procs(process, tag, data);
    }
}

/// The process sends a message.
#[cold]
pub fn sends(process: &mut Process, to: Term, message: Term) {
    saved_calls::happens(process, am::SEND);
    // As on stock, an attempt to send to a name without an owner is told, and one to a tuple that is no name is not.
    let is_name = to.as_tuple(no_gc!()).is_none_or(|parts| match parts {
        [name, node] => name.is_atom() && node.is_atom(),
        _ => false,
    });
    if is_name {
        sends_by_library(process, to, message);
    }
}

/// A native library sends a message for the process, which it has called.
#[cold]
pub(crate) fn sends_by_library(process: &mut Process, to: Term, message: Term) {
    if !is_for(process, what::SEND) {
        return;
    }
    let is_lost = to.is_local_pid() && !table::exists(to);
    let tag = match is_lost {
        true => am::SEND_TO_NON_EXISTING_PROCESS,
        false => am::SEND,
    };
    let event = Event::new(Family::Send, tag, message).with(to);
    get().tell_if(process, &[to, message], &event);
}

/// A message has come into the queue of the process, from a sender as [`senders`] knows it.
///
/// # Safety
/// The fragment is a live message.
#[cold]
pub unsafe fn receives(process: &mut Process, sender: Term, message: *mut Fragment) {
    if is_for(process, what::RECEIVE) {
        // SAFETY: the caller's promise.
        let message = unsafe { (*message).term };
        received(process, sender, message);
    }
}

/// The time that the process has waited for a message is over.
#[cold]
pub fn times_out(process: &mut Process) {
    saved_calls::happens(process, am::TIMEOUT);
    if is_for(process, what::RECEIVE) {
        received(process, am::CLOCK_SERVICE, am::TIMEOUT);
    }
}

fn received(process: &mut Process, sender: Term, message: Term) {
    let [node, pid] = senders::parts(sender);
    let parts = [node, pid, message];
    let event = Event::new(Family::Receive, am::RECEIVE, message);
    get().tell_if(process, &parts, &event);
}

/// What a process passes on to another in a session because of `always` or `once`; it forgets both with `once`.
fn inherited(process: &mut Process, session: u32, always: u32, once: u32) -> Option<Tracing> {
    let mut given = process.existing_extras()?.tracings.of(session)?.clone();
    if given.what & (always | once) == 0 {
        return None;
    }
    if given.what & once != 0 {
        given.what &= !(always | once);
        change(process, session, |tracing| tracing.what &= !(always | once));
    }
    Some(given)
}

/// Takes over what [`inherited`] gave because of `always` or `once`.
fn inherit(process: &mut Process, given: &Tracing, always: u32, once: u32) {
    change(process, given.session, |tracing| {
        tracing.what |= given.what;
        tracing.tracer.clone_from(&given.tracer);
        if given.what & (always | once) == 0 {
            tracing.what &= !(always | once);
        }
    });
}

/// The numbers of the sessions in which a process is traced.
fn sessions_of(process: &Process) -> Sessions {
    let extras = process.existing_extras();
    let tracings = extras.into_iter().flat_map(|extras| extras.tracings.iter());
    tracings.map(|tracing| tracing.session).collect()
}

/// A process sets a link to `other`, which had none: `other` is told first what it inherits. In stock only `spawn_link`
/// passes on what `set_on_link` says before OTP 27, whatever the documentation says.
#[cold]
pub fn links(process: &mut Process, other: Term) {
    if !release::has(Release::OTP_27) {
        return;
    }
    let (always, once) = (what::SET_ON_LINK, what::SET_ON_FIRST_LINK);
    for session in sessions_of(process) {
        let Some(given) = inherited(process, session, always, once) else {
            continue;
        };
        let take_over = move |other: Option<&mut Process>| {
            if let Some(other) = other {
                inherit(other, &given, always, once);
            }
        };
        let _ = signal::send(other, Signal::Call(Box::new(take_over)));
    }
}

/// A process is spawned: `call` is `{Module, Function, Arguments}`. The child is not known to others yet.
#[cold]
pub fn spawns(parent: Option<&mut Process>, child: &mut Process, call: [Term; 3], linked: bool) {
    super::newcomers::apply_to_process(child);
    let child_pid = child.pid();
    let parent_pid = parent.as_ref().map_or(am::UNDEFINED, |parent| parent.pid());
    let mut scratch = Scratch::new();
    let call = build::tuple(scratch.heap(), &call);
    if let Some(parent) = parent {
        for session in sessions_of(parent) {
            // From OTP 27 on what the parent passes on replaces what newcomers get.
            let mut replaces = release::has(Release::OTP_27);
            let mut pass_on = |always, once| {
                if let Some(given) = inherited(parent, session, always, once) {
                    if std::mem::take(&mut replaces) {
                        change(child, session, |tracing| tracing.what = 0);
                    }
                    inherit(child, &given, always, once);
                }
            };
            pass_on(what::SET_ON_SPAWN, what::SET_ON_FIRST_SPAWN);
            if linked {
                pass_on(what::SET_ON_LINK, what::SET_ON_FIRST_LINK);
            }
        }
        if is_for(parent, what::PROCS) {
            let event = Event::new(Family::Procs, am::SPAWN, child_pid).with(call);
            tell(parent, what::PROCS, &event);
            if linked {
                procs(parent, am::LINK, child_pid);
            }
        }
    }
    is_spawned(child, parent_pid, call, linked);
}

fn is_spawned(child: &mut Process, parent: Term, call: Term, linked: bool) {
    if is_for(child, what::PROCS) {
        let event = Event::new(Family::Procs, am::SPAWNED, parent).with(call);
        tell(child, what::PROCS, &event);
        if linked {
            procs(child, am::GETTING_LINKED, parent);
        }
    }
}

/// A process is spawned for one of another node, while newcomers are traced. It is not known to others yet.
#[cold]
pub fn is_spawned_from_abroad(child: &mut Process, parent: Term, call: [Term; 3], linked: bool) {
    super::newcomers::apply_to_process(child);
    let mut scratch = Scratch::new();
    let call = build::tuple(scratch.heap(), &call);
    is_spawned(child, parent, call, linked);
}

/// A scheduler asks where a process is that it does not run.
const SCHEDULER: Asker = Asker::Another { saw_it_run: false };

/// A scheduler takes the process up.
#[cold]
pub fn scheduled_in(process: &mut Process) {
    super::forget_gone_tracers(process);
    costs::scheduled_in(process);
    if is_for(process, what::RUNNING | what::RUNNING_PROCS) {
        let wanted = what::RUNNING | what::RUNNING_PROCS;
        scheduled(process, wanted, am::IN, SCHEDULER);
    }
}

/// A scheduler puts the process away.
#[cold]
pub fn scheduled_out(process: &mut Process) {
    costs::scheduled_out(process);
    if is_for(process, what::RUNNING | what::RUNNING_PROCS) {
        let wanted = what::RUNNING | what::RUNNING_PROCS;
        scheduled(process, wanted, am::OUT, SCHEDULER);
    }
}

/// A port does something for the process at once: its tracer sees it put away, if it is told of processes that run and
/// not of all that are scheduled.
#[cold]
pub(crate) fn waits_for_port(process: &mut Process) {
    if is_for(process, what::RUNNING_PROCS) {
        scheduled(process, what::RUNNING_PROCS, am::OUT, Asker::Itself);
    }
}

/// The port has done it.
#[cold]
pub(crate) fn has_waited_for_port(process: &mut Process) {
    if is_for(process, what::RUNNING_PROCS) {
        scheduled(process, what::RUNNING_PROCS, am::IN, Asker::Itself);
    }
}

fn scheduled(process: &mut Process, wanted: u32, tag: Term, asker: Asker) {
    let mut scratch = Scratch::new();
    let place = info::current_function(process, asker, scratch.heap());
    let event = Event::new(Family::RunningProcs, tag, place);
    tell(process, wanted, &event);
}

/// The process ends.
#[cold]
pub fn exits(process: &mut Process, reason: Term) {
    if is_for(process, what::PROCS) {
        procs(process, am::EXIT, reason);
    }
}

/// The process has ended. Nothing more is reported of it.
#[cold]
pub fn has_exited(process: &mut Process) {
    if is_for(process, what::EXITING) {
        let event = Event::new(Family::RunningProcs, am::OUT_EXITED, Term::small(0));
        tell(process, what::EXITING, &event);
    }
    process.flags.remove(Flags::TRACED);
}

/// A collection of the process begins, for which `words` are needed, or ends, and has reclaimed as many.
#[cold]
pub fn collects(process: &mut Process, tag: Term, words: usize) {
    if !is_for(process, what::GARBAGE_COLLECTION) {
        return;
    }
    let mut scratch = Scratch::new();
    let facts = collection_facts(process, words, scratch.heap());
    let event = Event::new(Family::GarbageCollection, tag, facts);
    tell(process, what::GARBAGE_COLLECTION, &event);
}

fn collection_facts(process: &Process, words: usize, heap: &mut Heap) -> Term {
    let sizes = info::garbage_collection_info(process, heap);
    let words = build::tuple(heap, &[am::WORDSIZE, Term::small(words as i64)]);
    build::cons(heap, words, sizes)
}
