//! What is told of calls of traced functions.

use layout::Term;
use layout::kinds::MatchContext;
use runtime::process::Process;
use runtime::process::tracing::{Event, Family, Tracer, Tracing, what};
use runtime::trace::frames::wish;
use runtime::trace::points::{Call, Condition};
use runtime::trace::{self, events};
use smallvec::SmallVec;
use term::bits::matching;
use term::heap::Scratch;
use term::{am, build};

use crate::module::{self, Wanted};
use crate::patterns;
use crate::specification::{self, Outcome};

/// Tells the tracer of a process in a session, or `tracer`, of a call; returns what else is to be told of it.
pub(crate) fn called(
    process: &mut Process,
    call: &Call<'_>,
    condition: &Condition,
    session: u32,
    tracer: Option<&Tracer>,
) -> u8 {
    match tracer {
        None => told_by_process(process, call, condition, session),
        Some(tracer) => told_by_function(process, call, condition, session, tracer),
    }
}

/// The arguments of a call as terms that others may see: a binary that is being matched is what is left of it.
fn visible(scratch: &mut Scratch, arguments: &[Term]) -> Vec<Term> {
    let heap = scratch.heap();
    arguments
        .iter()
        .map(|argument| match MatchContext::of(*argument) {
            Some(context) => matching::get_tail(heap, context),
            None => *argument,
        })
        .collect()
}

/// Whether a tracer wants to be told of calls of a process.
fn wants(tracer: &Tracer, pid: Term) -> Wanted {
    match tracer {
        Tracer::Identifier(_) => Wanted::Yes,
        Tracer::Module(module) => module::wants(module, Some(Family::Call), am::CALL, pid),
    }
}

fn told_by_process(
    process: &mut Process,
    call: &Call<'_>,
    condition: &Condition,
    session: u32,
) -> u8 {
    let pid = process.pid();
    let Some(before) = trace::of_session(process, session).cloned() else {
        return 0;
    };
    let Some(tracer) = &before.tracer else {
        return 0;
    };
    if !trace::get().is_there(tracer, pid) {
        trace::end(process, session);
        return 0;
    }
    match wants(tracer, pid) {
        Wanted::Yes => {}
        Wanted::No => return 0,
        Wanted::Never => {
            trace::end(process, session);
            return 0;
        }
    }
    let mut scratch = Scratch::new();
    let arguments = visible(&mut scratch, call.arguments);
    specification::run(
        condition,
        process,
        session,
        &arguments,
        |process, outcome| {
            let Outcome { matched, wishes } = outcome;
            // What the specification changes holds for this call already, but the tracer is the one that was there
            // before.
            let how = of_process(process, session);
            if how & what::SILENT != 0 {
                return 0;
            }
            if matched == am::FALSE {
                return wishes;
            }
            let is_short = how & what::ARITY != 0;
            let event = event(&mut scratch, call.function, &arguments, is_short, matched);
            let tracing = Tracing {
                what: how,
                tracer: before.tracer.clone(),
                session,
            };
            let _ = trace::get().tell(pid, &tracing, &event);
            match call.is_local && how & what::RETURN_TO != 0 {
                true => wishes | wish::RETURN_TO,
                false => wishes,
            }
        },
    )
}

/// What a process is traced for in a session.
fn of_process(process: &Process, session: u32) -> u32 {
    let extras = process.existing_extras();
    let tracing = extras.and_then(|extras| extras.tracings.of(session));
    tracing.map_or(0, |tracing| tracing.what)
}

fn told_by_function(
    process: &mut Process,
    call: &Call<'_>,
    condition: &Condition,
    session: u32,
    tracer: &Tracer,
) -> u8 {
    let pid = process.pid();
    let is_self = matches!(tracer, Tracer::Identifier(identifier) if *identifier == pid);
    if process.is_sensitive() || is_self {
        return 0;
    }
    if !trace::get().is_there(tracer, pid) {
        return wish::TRACER_GONE;
    }
    if wants(tracer, pid) != Wanted::Yes {
        return 0;
    }
    let mut scratch = Scratch::new();
    let arguments = visible(&mut scratch, call.arguments);
    specification::run(condition, process, session, &arguments, |_, outcome| {
        let Outcome { matched, wishes } = outcome;
        if matched != am::FALSE {
            let event = event(&mut scratch, call.function, &arguments, false, matched);
            let tracing = Tracing {
                what: what::CALL | what::TIMESTAMP,
                tracer: Some(tracer.clone()),
                session,
            };
            let _ = trace::get().tell(pid, &tracing, &event);
        }
        wishes
    })
}

fn event(
    scratch: &mut Scratch,
    [module, function, arity]: [Term; 3],
    arguments: &[Term],
    is_short: bool,
    matched: Term,
) -> Event {
    let heap = scratch.heap();
    let last = match is_short {
        true => arity,
        false => build::list(heap, arguments),
    };
    let call = build::tuple(heap, &[module, function, last]);
    Event {
        matched,
        ..Event::new(Family::Call, am::CALL, call)
    }
}

/// Tells the tracers of a process of a `send` or `'receive'`, in those sessions whose pattern for such events wants
/// that.
pub(crate) fn told_if(process: &mut Process, parts: &[Term], event: &Event) {
    let wanted = match event.family {
        Family::Send => what::SEND,
        _ => what::RECEIVE,
    };
    let Some(tracings) = trace::of(process) else {
        return;
    };
    let wants = tracings.iter().filter(|t| t.what & wanted != 0);
    let sessions: SmallVec<[u32; 1]> = wants.map(|tracing| tracing.session).collect();
    for session in sessions {
        if let Some(condition) = patterns::of_events(session, event.family) {
            told_in(process, session, &condition, parts, event);
        }
    }
}

fn told_in(
    process: &mut Process,
    session: u32,
    condition: &Condition,
    parts: &[Term],
    event: &Event,
) {
    specification::run(condition, process, session, parts, |process, outcome| {
        let is_silent = condition.is_some() && of_process(process, session) & what::SILENT != 0;
        if outcome.matched != am::FALSE && !is_silent {
            let matched = outcome.matched;
            events::tell_in(process, session, &Event { matched, ..*event });
        }
        0
    });
}
