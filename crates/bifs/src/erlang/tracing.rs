//! Tracing: see the crate `trace`.

use std::sync::Arc;

use layout::{Heap, Term, no_gc};
use term::copy::Owned;
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build, compare, reference};

use super::{code, system_monitor};
use crate::magic;
use ::trace::sessions::{self, Session};
use ::trace::tracees::{self, Change, Refusal};
use ::trace::{on_load, patterns, tracer};
use runtime::code::bif::{
    BifResult, Failure, await_result, badarg, badarg_because, notsup, system_limit,
};
use runtime::effects::{log, signal_handling};
use runtime::mail::aux_work::{self, AuxWork};
use runtime::mail::{awaited, signal};
use runtime::process::tracing::{self, Tracings};
use runtime::process::{Process, epoch, state, table};
use runtime::trace;

/// `trace_info(What, Item)`
pub(crate) fn trace_info_2(process: &mut Process, [what, item]: [Term; 2]) -> BifResult {
    info(process, &sessions::legacy(), what, item)
}

/// What is known of a function's patterns.
const PATTERN_ITEMS: [Term; 8] = [
    am::TRACED,
    am::MATCH_SPEC,
    am::META,
    am::META_MATCH_SPEC,
    am::CALL_COUNT,
    am::CALL_TIME,
    am::CALL_MEMORY,
    am::ALL,
];

fn info(process: &mut Process, session: &Session, what: Term, item: Term) -> BifResult {
    let heap = process.heap();
    match what {
        am::ON_LOAD => on_load::item(heap, session, item).ok_or_else(|| badarg(2)),
        am::SEND | am::RECEIVE if item == am::MATCH_SPEC => {
            Ok(patterns::events_item(heap, session, what))
        }
        am::SEND | am::RECEIVE => Err(badarg(2)),
        am::SYSTEM if item == am::ALL && release::has(Release::OTP_28) => {
            Ok(system_monitor::item(heap, session))
        }
        _ if what.is_atom() || what.is_pid() || what.is_port() => {
            tracee_info(process, Asked::In(session.number, item), what)
        }
        _ => match what.as_tuple(no_gc!()) {
            Some(&[module, function, arity]) => {
                if !PATTERN_ITEMS.contains(&item) && release::has(Release::OTP_28) {
                    return Err(badarg(2));
                }
                let found = patterns::item(heap, session, [module, function, arity], item);
                found.ok_or_else(|| badarg(1))
            }
            Some(_) => Err(badarg(1)),
            None => Err(badarg_because(am::BADOPT)),
        },
    }
}

/// What is asked about a tracee.
#[derive(Clone, Copy)]
enum Asked {
    /// An item, as the session of this number sees it.
    In(u32, Term),
    /// The sessions in which it is traced.
    Sessions,
}

impl Asked {
    fn answer(self, heap: &mut Heap, tracings: &Tracings) -> Option<Term> {
        match self {
            Asked::In(session, item) => tracees::item(heap, tracings, session, item),
            Asked::Sessions => Some(tracees::sessions_item(heap, tracings)),
        }
    }
}

/// How a process, a port, or those to come are traced.
fn tracee_info(process: &mut Process, asked: Asked, what: Term) -> BifResult {
    let is_item = match asked {
        Asked::In(_, item) => matches!(item, am::FLAGS | am::TRACER),
        Asked::Sessions => true,
    };
    let tracings = if what.is_local_pid() {
        if !is_item {
            return Err(badarg(2));
        }
        if what != process.pid() {
            return process_info(process, asked, what);
        }
        trace::forget_gone_tracers(process);
        let extras = process.existing_extras();
        Some(extras.map_or(Tracings::NONE, |extras| extras.tracings.clone()))
    } else if what.is_local_port() {
        tracees::of_port(what)
    } else if tracees::is_of_the_past(what) {
        None
    } else {
        let newcomers = tracees::of_newcomers(what);
        Some(newcomers.ok_or_else(|| badarg_because(am::BADOPT))?)
    };
    match tracings {
        None => Ok(am::UNDEFINED),
        Some(tracings) => {
            let found = asked.answer(process.heap(), &tracings);
            found.ok_or_else(|| badarg(2))
        }
    }
}

/// Asks another process how it is traced.
fn process_info(process: &mut Process, asked: Asked, pid: Term) -> BifResult {
    if !table::exists(pid) {
        return Ok(am::UNDEFINED);
    }
    let asker = process.pid();
    let reference = signal_handling::reference_of_answer(process);
    let owned = Owned::new(reference);
    let body: runtime::process::signal::Call = Box::new(move |process| {
        let mut scratch = Scratch::new();
        let answer = process.and_then(|process| {
            trace::forget_gone_tracers(process);
            let none = Tracings::NONE;
            let extras = process.existing_extras();
            let tracings = extras.map_or(&none, |extras| &extras.tracings);
            asked.answer(scratch.heap(), tracings)
        });
        signal::reply(pid, asker, &owned, answer.unwrap_or(am::UNDEFINED));
    });
    awaited::ask(pid, None, body);
    Err(await_result(reference))
}

/// `trace_delivered(Tracee)`: events are told as they happen, so the answer only waits for signals that have reached a
/// tracee and that it has not handled yet.
pub(crate) fn trace_delivered_1(process: &mut Process, [tracee]: [Term; 1]) -> BifResult {
    let tracees = match tracee {
        am::ALL => table::list(0, usize::MAX).0,
        _ if tracee.is_local_pid() => vec![tracee],
        _ => return Err(badarg(1)),
    };
    let reference = reference::make(process.heap());
    let message = build::tuple(process.heap(), &[am::TRACE_DELIVERED, tracee, reference]);
    let answer = Arc::new(Answer {
        to: process.pid(),
        message: Some(Owned::new(message)),
    });
    let mut any_runs = false;
    for pid in tracees {
        if pid == process.pid() {
            // What it has not handled is before the answer in its own queue.
            continue;
        }
        match signals_of(pid) {
            Signals::None => {}
            Signals::Waiting => {
                let answer = Arc::clone(&answer);
                awaited::ask(pid, None, Box::new(move |_| drop(answer)));
            }
            Signals::PerhapsTaken => any_runs = true,
        }
    }
    if any_runs {
        // Each scheduler does this when the process that it runs now has handled what it has taken.
        let work: AuxWork = Arc::new(move || {
            let _held = &answer;
        });
        aux_work::on_every_scheduler(&work);
    }
    Ok(reference)
}

/// A message that is sent when nobody holds this any more.
struct Answer {
    to: Term,
    message: Option<Owned>,
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(message) = self.message.take() {
            signal::send_owned(am::SYSTEM, self.to, message);
        }
    }
}

/// What a process has to handle soon.
enum Signals {
    None,
    Waiting,
    /// It runs, and may be about to handle some.
    PerhapsTaken,
}

fn signals_of(pid: Term) -> Signals {
    let found = epoch::with_pin(|pinned| {
        let process = table::find(pinned, pid)?;
        Some((!process.has_signals(), process.state()))
    });
    let Some((is_empty, word)) = found else {
        return Signals::None;
    };
    let is_announced = word & (state::QUEUED | state::RUNNING | state::EVENT | state::SIGNALS) != 0;
    if word & state::DIRTY != 0 {
        // It handles signals when the dirty scheduler is done with it, however long that takes.
        Signals::None
    } else if !is_empty && is_announced {
        Signals::Waiting
    } else if word & state::RUNNING != 0 {
        Signals::PerhapsTaken
    } else {
        Signals::None
    }
}

/// `erts_internal:trace(Who, How, Options)`: the number of tracees.
pub(crate) fn trace_3(process: &mut Process, [who, how, options]: [Term; 3]) -> BifResult {
    let change = tracees::parse(options).map_err(|_| badarg_because(am::BADOPT))?;
    change_tracees(process, who, how, change)
}

/// `erts_internal:trace(Session, Who, How, Options)`
pub(crate) fn trace_4(process: &mut Process, [session, who, how, options]: [Term; 4]) -> BifResult {
    let session = session_of(session)?;
    let mut change = tracees::parse(options).map_err(|_| badarg_because(am::BADOPT))?;
    if session.tracer.is_some() {
        if change.tracer.is_some() {
            return Err(badarg_because(am::BADOPT));
        }
        change.tracer.clone_from(&session.tracer);
    }
    change.session = session.number;
    change_tracees(process, who, how, change)
}

fn change_tracees(process: &mut Process, who: Term, how: Term, mut change: Change) -> BifResult {
    change.on = match how {
        am::TRUE => true,
        am::FALSE => false,
        _ => return Err(badarg(2)),
    };
    if change.on && change.tracer.is_none() {
        change.tracer = Some(tracing::Tracer::Identifier(process.pid()));
    }
    match tracees::change(process, who, &change) {
        Ok(count) => Ok(Term::small(count as i64)),
        Err(Refusal::Options | Refusal::Argument) => Err(badarg(1)),
        Err(Refusal::Traced) => {
            log::one_tracer_only(process);
            Err(badarg(1))
        }
    }
}

/// `erts_internal:trace_pattern(Functions, Specification, Flags)`: the number of functions.
pub(crate) fn trace_pattern_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    let _permission = code::permission(&arguments)?;
    change_patterns(process, &sessions::legacy(), arguments)
}

/// `erts_internal:trace_pattern(Session, Functions, Specification, Flags)`
pub(crate) fn trace_pattern_4(
    process: &mut Process,
    [session, functions, specification, flags]: [Term; 4],
) -> BifResult {
    let _permission = code::permission(&[session, functions, specification, flags])?;
    let session = session_of(session)?;
    change_patterns(process, &session, [functions, specification, flags])
}

fn change_patterns(process: &Process, session: &Session, arguments: [Term; 3]) -> BifResult {
    match patterns::change(process, session, arguments) {
        Ok(count) => Ok(Term::small(count as i64)),
        Err(patterns::Refusal::Because(cause)) => Err(badarg_because(cause)),
        Err(patterns::Refusal::Over) => Err(badarg_because(am::SESSION)),
        Err(patterns::Refusal::SystemLimit) => Err(system_limit()),
    }
}

/// What a program holds of a session that it has made. The session ends when nobody holds this any more.
struct Made(Arc<Session>);

impl Drop for Made {
    fn drop(&mut self) {
        sessions::is_not_held(&self.0);
    }
}

/// The session that `{Strong, Weak}` names, as `trace:session_create/3` has returned it, whether or not it has ended.
fn made(term: Term) -> Option<Arc<Session>> {
    let [strong, weak] = term.as_tuple_of()?;
    let session = magic::get::<Made>(strong, no_gc!())?.0.clone();
    let mut scratch = Scratch::new();
    let own = session.weak(scratch.heap());
    compare::eq_exact(own, weak).then_some(session)
}

/// The session that a term names: what `trace:session_create/3` has returned, or a weak reference.
pub(super) fn session_of(term: Term) -> Result<Arc<Session>, Failure> {
    made(term)
        .filter(|session| session.exists())
        .or_else(|| sessions::named(term))
        .ok_or_else(|| badarg_because(am::SESSION))
}

/// `erts_internal:trace_session_create(Name, Tracer | undefined, Options)`: `{Session, {Name, Number}}`.
pub(crate) fn trace_session_create_3(
    process: &mut Process,
    [name, tracer, options]: [Term; 3],
) -> BifResult {
    if !name.is_atom() {
        return Err(badarg(1));
    }
    let tracer = match tracer {
        am::UNDEFINED => None,
        _ => Some(tracer::of_term(tracer).ok_or(badarg(2))?),
    };
    if !options.is_nil() {
        return Err(badarg(3));
    }
    let session = sessions::make(name, tracer);
    let strong = magic::make(process, Made(session.clone()));
    let heap = process.heap();
    let weak = session.weak(heap);
    Ok(build::tuple(heap, &[strong, weak]))
}

/// `erts_internal:trace_session_destroy(Session)`: whether it had not ended yet.
pub(crate) fn trace_session_destroy_1(_process: &mut Process, [session]: [Term; 1]) -> BifResult {
    let _permission = code::permission(&[session])?;
    let found = made(session).or_else(|| sessions::named(session));
    let found = found.ok_or_else(|| badarg_because(am::BADOPT))?;
    Ok(am::boolean(sessions::destroy(&found)))
}

/// `erts_internal:trace_info(Session | any, What | any, Item)`: as `trace_info/2`; of any session,
/// `{session, Sessions}` in which it is traced.
pub(crate) fn trace_info_3(process: &mut Process, [session, what, item]: [Term; 3]) -> BifResult {
    if session != am::ANY {
        let session = session_of(session)?;
        return info(process, &session, what, item);
    }
    if item != am::SESSION {
        return Err(badarg(3));
    }
    let numbers = match what {
        am::ANY => those(|_| true),
        am::SEND | am::RECEIVE => those(|session| session.is_told_of(what)),
        am::ON_LOAD => those(Session::traces_on_load),
        am::NEW | am::NEW_PROCESSES | am::NEW_PORTS => {
            let newcomers = tracees::of_newcomers(what).unwrap_or(Tracings::NONE);
            those(|session| newcomers.of(session.number).is_some())
        }
        _ => match what.as_tuple(no_gc!()) {
            Some(&[module, function, arity]) => {
                let is_valid = module.is_atom() && function.is_atom();
                let arity = arity.as_small().filter(|_| is_valid).ok_or(badarg(2))?;
                let arity = u32::try_from(arity).ok();
                arity.and_then(|arity| patterns::sessions_of([module, function], arity))
            }
            Some(_) => return Err(badarg(2)),
            None => return tracee_info(process, Asked::Sessions, what),
        },
    };
    let heap = process.heap();
    let sessions = match numbers {
        None => am::UNDEFINED,
        Some(numbers) => sessions::list(heap, numbers),
    };
    Ok(build::tuple(heap, &[am::SESSION, sessions]))
}

/// The numbers of some sessions, in stock's order.
fn those(wanted: impl Fn(&Session) -> bool) -> Option<Vec<u32>> {
    let all = sessions::all().into_iter();
    Some(
        all.filter(|session| wanted(session))
            .map(|session| session.number)
            .collect(),
    )
}

/// `erts_trace_cleaner:check()`: whether processes and ports must be cleaned of sessions that have ended. Those are
/// cleaned when a session ends.
pub(crate) fn trace_cleaner_check_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::FALSE)
}

/// `erts_trace_cleaner:send_trace_clean_signal(To)`: only the process that cleans may send one, and it is never told
/// to.
pub(crate) fn send_trace_clean_signal_1(_process: &mut Process, [_to]: [Term; 1]) -> BifResult {
    Err(notsup())
}

/// `dt_get_tag()`: without dynamic trace probes no tags are kept.
pub(crate) fn dt_get_tag_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::UNDEFINED)
}

/// `dt_get_tag_data()`.
pub(crate) fn dt_get_tag_data_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::UNDEFINED)
}

/// `dt_put_tag(Tag)`.
pub(crate) fn dt_put_tag_1(_process: &mut Process, [_tag]: [Term; 1]) -> BifResult {
    Ok(am::UNDEFINED)
}

/// `dt_spread_tag(Flag)`.
pub(crate) fn dt_spread_tag_1(_process: &mut Process, [_flag]: [Term; 1]) -> BifResult {
    Ok(am::TRUE)
}

/// `dt_restore_tag(Tag)`.
pub(crate) fn dt_restore_tag_1(_process: &mut Process, [_tag]: [Term; 1]) -> BifResult {
    Ok(am::TRUE)
}

/// `dt_append_vm_tag_data(Data)`.
pub(crate) fn dt_append_vm_tag_data_1(_process: &mut Process, [data]: [Term; 1]) -> BifResult {
    Ok(data)
}

/// `dt_prepend_vm_tag_data(Data)`.
pub(crate) fn dt_prepend_vm_tag_data_1(_process: &mut Process, [data]: [Term; 1]) -> BifResult {
    Ok(data)
}
