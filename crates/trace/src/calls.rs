//! What is told of calls of traced functions.

use layout::{ObjectKind, Term};
use runtime::process::{Process, flag};
use runtime::trace::frames::wish;
use runtime::trace::points::Condition;
use runtime::trace::{self, Event, Family, LEGACY, Tracer, Tracing, events, what};
use term::bits::matching;
use term::heap::Scratch;
use term::{am, build};

use crate::module::{self, Wanted};
use crate::specification::{self, Outcome};

/// Tells the tracer of a process, or `tracer`, of a call; returns what else is to be told of it.
pub fn called(
    process: &mut Process,
    function: [Term; 3],
    arguments: &[Term],
    condition: &Condition,
    tracer: Option<&Tracer>,
    is_local: bool,
) -> u8 {
    match tracer {
        None => told_by_process(process, function, arguments, condition, is_local),
        Some(tracer) => told_by_function(process, function, arguments, condition, tracer),
    }
}

/// The arguments of a call as terms that others may see: a binary that is being matched is what is left of it.
fn visible(scratch: &mut Scratch, arguments: &[Term]) -> Vec<Term> {
    let heap = scratch.heap();
    arguments
        .iter()
        .map(
            |argument| match argument.is_kind(ObjectKind::MatchContext) {
                true => matching::get_tail(heap, *argument),
                false => *argument,
            },
        )
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
    function: [Term; 3],
    arguments: &[Term],
    condition: &Condition,
    is_local: bool,
) -> u8 {
    let pid = process.pid();
    let Some(before) = trace::of(process).cloned() else {
        return 0;
    };
    let Some(tracer) = &before.tracer else {
        return 0;
    };
    if !trace::get().is_there(tracer, pid) {
        trace::change(process, |tracing| *tracing = Tracing::default());
        return 0;
    }
    match wants(tracer, pid) {
        Wanted::Yes => {}
        Wanted::No => return 0,
        Wanted::Never => {
            trace::change(process, |tracing| *tracing = Tracing::default());
            return 0;
        }
    }
    let mut scratch = Scratch::new();
    let arguments = visible(&mut scratch, arguments);
    specification::run(condition, process, &arguments, |process, outcome| {
        let Outcome { matched, wishes } = outcome;
        // What the specification changes holds for this call already, but the tracer is the one that was there before.
        let how = process.rare().tracing.what;
        if how & what::SILENT != 0 {
            return 0;
        }
        if matched == am::FALSE {
            return wishes;
        }
        let is_short = how & what::ARITY != 0;
        let event = event(&mut scratch, function, &arguments, is_short, matched);
        let tracing = Tracing {
            what: how,
            tracer: before.tracer.clone(),
            session: before.session,
        };
        let _ = trace::get().tell(pid, &tracing, &event);
        match is_local && how & what::RETURN_TO != 0 {
            true => wishes | wish::RETURN_TO,
            false => wishes,
        }
    })
}

fn told_by_function(
    process: &mut Process,
    function: [Term; 3],
    arguments: &[Term],
    condition: &Condition,
    tracer: &Tracer,
) -> u8 {
    let pid = process.pid();
    let is_self = matches!(tracer, Tracer::Identifier(identifier) if *identifier == pid);
    if process.flags & flag::SENSITIVE != 0 || is_self {
        return 0;
    }
    if !trace::get().is_there(tracer, pid) {
        return wish::TRACER_GONE;
    }
    if wants(tracer, pid) != Wanted::Yes {
        return 0;
    }
    let mut scratch = Scratch::new();
    let arguments = visible(&mut scratch, arguments);
    specification::run(condition, process, &arguments, |_, outcome| {
        let Outcome { matched, wishes } = outcome;
        if matched != am::FALSE {
            let event = event(&mut scratch, function, &arguments, false, matched);
            let tracing = Tracing {
                what: what::CALL | what::TIMESTAMP,
                tracer: Some(tracer.clone()),
                session: LEGACY,
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

/// Tells of an event of a process if the pattern for such events, with this condition, wants that.
pub fn told_if(process: &mut Process, condition: &Condition, parts: &[Term], event: &Event) {
    specification::run(condition, process, parts, |process, outcome| {
        let is_silent = condition.is_some() && process.rare().tracing.what & what::SILENT != 0;
        if outcome.matched != am::FALSE && !is_silent {
            let matched = outcome.matched;
            events::tell(process, &Event { matched, ..*event });
        }
        0
    });
}
