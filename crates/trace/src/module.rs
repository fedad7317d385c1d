//! Modules as tracers: the behaviour `erl_tracer`, whose callbacks are functions of a native library.
//!
//! `enabled` says whether an event is to be told, `trace` is told. A module may have both for each family of events
//! (`enabled_send`, `trace_send`). They are called where the event happens, by the thread that owns the tracee.

use std::sync::{Arc, LazyLock};

use layout::{Heap, Term};
use runtime::code::modules;
use runtime::code::native::Library;
use runtime::mail::current;
use runtime::process::tracing::{Event, Family, what};
use runtime::trace::Told;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, atom, map};

use crate::message;

/// A module and its state.
pub type Module = (Term, Owned);

/// The number of arguments of `enabled` and of `trace`.
const ARITIES: [u32; 2] = [3, 5];

/// The names of the two callbacks.
struct Names([Term; 2]);

/// Those that serve every event.
static COMMON: LazyLock<Names> = LazyLock::new(|| Names(["enabled", "trace"].map(atom::known)));

/// Those of the families, in the order of [`Family`].
static OWN: LazyLock<[Names; 8]> = LazyLock::new(|| {
    let families = [
        "call",
        "send",
        "receive",
        "procs",
        "ports",
        "running_procs",
        "running_ports",
        "garbage_collection",
    ];
    families.map(|family| {
        Names(["enabled", "trace"].map(|name| atom::known(&format!("{name}_{family}"))))
    })
});

/// The library of a module that can be a tracer.
fn library(module: Term) -> Option<Arc<dyn Library>> {
    let library = modules::current(module)?.library.get()?;
    let Names(names) = &*COMMON;
    let both = [0, 1].map(|which| library.has(names[which], ARITIES[which]));
    (both == [true, true]).then_some(library)
}

/// Whether a module can be a tracer: it is loaded, and has both callbacks in a library.
#[must_use]
pub fn is_tracer(module: Term) -> bool {
    module.is_atom() && library(module).is_some()
}

/// Calls `enabled` or `trace`, or that of the family if there is one; NONE if it has raised. `caller` is what the
/// callback sees as the process that calls it.
fn call(
    library: &dyn Library,
    caller: Option<Term>,
    family: Option<Family>,
    which: usize,
    arguments: &[Term],
) -> Term {
    let own = family.map(|family| OWN[family as usize].0[which]);
    let special = own.and_then(|name| library.call(caller, name, arguments));
    special
        .or_else(|| library.call(caller, COMMON.0[which], arguments))
        .unwrap_or(Term::NONE)
}

/// Whether an event is what the tracee itself does now. Others happen to it, and may be told by whoever does that to
/// it.
fn is_done_by_tracee(family: Family) -> bool {
    use Family::{Call, GarbageCollection, RunningProcs, Send};
    matches!(family, Call | Send | RunningProcs | GarbageCollection)
}

/// Whether a tracer still wants to be one.
#[must_use]
pub fn is_there(tracer: &Module, tracee: Term) -> bool {
    library(tracer.0).is_some_and(|library| {
        let arguments = [am::TRACE_STATUS, tracer.1.term(), tracee];
        call(&*library, None, None, 0, &arguments) != am::REMOVE
    })
}

/// What a tracer says of an event that may be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Wanted {
    Yes,
    No,
    /// It does not want to be a tracer any more.
    Never,
}

/// Asks a tracer whether it wants to be told of an event; `family` is that whose callback is asked, if it has one. One
/// whose module is gone does not want that: it stops being a tracer only when it is asked whether it is there.
pub fn wants(tracer: &Module, family: Option<Family>, tag: Term, tracee: Term) -> Wanted {
    library(tracer.0).map_or(Wanted::No, |library| {
        ask(&*library, tracer, family, tag, tracee)
    })
}

fn ask(
    library: &dyn Library,
    tracer: &Module,
    family: Option<Family>,
    tag: Term,
    tracee: Term,
) -> Wanted {
    match call(library, None, family, 0, &[tag, tracer.1.term(), tracee]) {
        am::TRACE => Wanted::Yes,
        am::DISCARD => Wanted::No,
        _ => Wanted::Never,
    }
}

/// Asks a tracer, and tells it of an event. It has been asked about calls before their specification was run, and what
/// is told of their ends follows from that.
pub fn tell(tracer: &Module, tracee: Term, how: u32, event: &Event) -> Told {
    let Some(library) = library(tracer.0) else {
        return Told::Yes;
    };
    if event.family != Family::Call {
        match ask(&*library, tracer, Some(event.family), event.tag, tracee) {
            Wanted::Yes => {}
            Wanted::No => return Told::Yes,
            // As on stock, which removes tracers of ports, and of processes for what they do.
            Wanted::Never => {
                return match tracee.is_local_port() || is_done_by_tracee(event.family) {
                    true => Told::TracerGone,
                    false => Told::Yes,
                };
            }
        }
    }
    let mut scratch = Scratch::new();
    let options = options(scratch.heap(), how, event);
    let arguments = [event.tag, tracer.1.term(), tracee, event.message, options];
    let caller = (tracee.is_local_pid() && is_done_by_tracee(event.family)).then_some(tracee);
    call(&*library, caller, Some(event.family), 1, &arguments);
    Told::Yes
}

/// Asks a tracer, and tells it of an event of a sequence at a process; `how` has bits of [`what`].
pub fn tell_sequence(tracer: &Module, at: Term, label: Term, how: u32, message: Term) -> Told {
    if let Some(library) = library(tracer.0)
        && ask(&*library, tracer, None, am::SEQ_TRACE, at) == Wanted::Yes
    {
        let mut scratch = Scratch::new();
        let event = Event::new(Family::Send, am::SEQ_TRACE, message);
        let options = options(scratch.heap(), how, &event);
        let arguments = [am::SEQ_TRACE, tracer.1.term(), label, message, options];
        call(&*library, None, None, 1, &arguments);
    }
    Told::Yes
}

/// The last argument of `trace`: a map.
fn options(heap: &mut Heap, how: u32, event: &Event) -> Term {
    let mut pairs = Vec::with_capacity(4);
    if !event.extra.is_none() {
        pairs.push((am::EXTRA, event.extra));
    }
    if event.matched != am::TRUE {
        pairs.push((am::MATCH_SPEC_RESULT, event.matched));
    }
    if how & what::SCHEDULER_ID != 0 {
        let number = Term::small(current::current_number() as i64);
        pairs.push((am::SCHEDULER_ID, number));
    }
    let forms = [
        (what::TIMESTAMP, message::wall_time_name()),
        (what::STRICT_MONOTONIC_TIMESTAMP, am::STRICT_MONOTONIC),
        (what::MONOTONIC_TIMESTAMP, am::MONOTONIC),
    ];
    let form = forms.into_iter().find(|(bit, _)| how & bit != 0);
    pairs.extend(form.map(|(_, name)| (am::TIMESTAMP, name)));
    map::from_pairs(heap, &pairs)
}
