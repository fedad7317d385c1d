//! What functions are traced: `erlang:trace_pattern/3`, and the half of `trace_info/2` that concerns functions.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ets::match_spec::Dialect;
use layout::{Export, Heap, Term};
use parking_lot::Mutex;
use runtime::code::breakpoints::Pattern;
use runtime::code::{exports, modules};
use runtime::process::Process;
use runtime::scheduler::world;
use runtime::trace::exports as traced_exports;
use runtime::trace::points::{self, Actions, Condition, Meta};
use runtime::trace::times::Times;
use runtime::trace::{Family, Tracer, senders};
use term::release::{self, Release};
use term::{am, build, copy, list};

use crate::tracer;
use crate::{on_load, specification};

/// Why nothing was changed: the cause that OTP's explanations know.
#[derive(Clone, Copy)]
pub enum Refusal {
    Because(Term),
    SystemLimit,
}

/// What the second argument wants.
#[derive(Clone)]
pub(crate) enum Wanted {
    Off,
    On(Condition),
    Restart,
    Pause,
}

impl Wanted {
    /// What decides on calls from now on; none if they are not told. As on stock, only counters and times are begun anew or paused: for
    /// all else these words say `true`.
    fn condition(&self) -> Option<Condition> {
        match self {
            Wanted::Off => None,
            Wanted::On(condition) => Some(condition.clone()),
            Wanted::Restart | Wanted::Pause => Some(None),
        }
    }
}

/// The flags.
#[derive(Clone, Default)]
pub(crate) struct Flags {
    pub local: bool,
    pub meta: Option<Tracer>,
    pub count: bool,
    pub time: bool,
    pub global: bool,
}

impl Flags {
    pub fn by_breakpoint(&self) -> bool {
        self.local || self.meta.is_some() || self.count || self.time
    }
}

/// What decides on events that are no calls: `None` if they are not told at all.
static SEND: Mutex<Option<Condition>> = Mutex::new(Some(None));
static RECEIVE: Mutex<Option<Condition>> = Mutex::new(Some(None));

/// What decides on sends or receives now.
#[must_use]
pub fn of_events(family: Family) -> Option<Condition> {
    let place = if family == Family::Send {
        &SEND
    } else {
        &RECEIVE
    };
    place.lock().clone()
}

/// `erlang:trace_pattern(Functions, Specification, Flags)`: the number of functions. `done` is called when nothing can be refused
/// any more, and before any later change of the same.
///
/// # Errors
/// See [`Refusal`].
pub fn change(
    process: &Process,
    functions: Term,
    specification: Term,
    flags: Term,
    done: impl FnOnce(),
) -> Result<usize, Refusal> {
    let wanted = match specification {
        am::FALSE => Wanted::Off,
        am::TRUE | Term::NIL => Wanted::On(None),
        am::RESTART => Wanted::Restart,
        am::PAUSE => Wanted::Pause,
        _ => {
            let dialect = match functions {
                am::SEND => Dialect::Send,
                am::RECEIVE => Dialect::Receive,
                _ => Dialect::Call,
            };
            let compiled = specification::compile(specification, dialect);
            let compiled = compiled.ok_or(Refusal::Because(am::MATCH_SPEC))?;
            Wanted::On(Some(compiled))
        }
    };
    let flags = parse(process, flags).ok_or(Refusal::Because(am::BADOPT))?;
    let has_condition = matches!(wanted, Wanted::On(Some(_)));
    if has_condition && !flags.local && flags.meta.is_none() && (flags.count || flags.time) {
        return Err(Refusal::Because(am::CALL_COUNT));
    }
    let none = Refusal::Because(am::NONE);
    if functions == am::ON_LOAD {
        on_load::change(&wanted, &flags, done);
        return Ok(0);
    }
    if let Some(&[module, function, arity]) = functions.as_tuple() {
        let pattern = pattern([module, function, arity]).ok_or(none)?;
        return world::stopped(|| {
            let changed = apply(&pattern, &wanted, &wanted, &flags);
            if changed.is_ok() {
                done();
            }
            changed
        });
    }
    let place = match functions {
        am::SEND => &SEND,
        am::RECEIVE => &RECEIVE,
        _ => return Err(none),
    };
    if flags.global || flags.by_breakpoint() {
        return Err(none);
    }
    let decision = match wanted {
        Wanted::Off => None,
        Wanted::On(condition) => Some(condition),
        Wanted::Restart | Wanted::Pause => return Err(none),
    };
    world::stopped(|| {
        if functions == am::RECEIVE {
            senders::ask(has_condition);
        }
        *place.lock() = decision;
        done();
    });
    Ok(1)
}

fn parse(process: &Process, flags: Term) -> Option<Flags> {
    let mut parsed = Flags::default();
    for flag in list::items(flags) {
        let flag = flag.ok()?;
        if flag.is_tuple() {
            parsed.meta = Some(tracer::of_option(flag, am::META)?);
            continue;
        }
        if flag == am::GLOBAL {
            if parsed.by_breakpoint() {
                return None;
            }
            parsed.global = true;
            continue;
        }
        if parsed.global {
            return None;
        }
        match flag {
            am::LOCAL => parsed.local = true,
            am::META => {
                let own = Tracer::Identifier(process.pid());
                parsed.meta.get_or_insert(own);
            }
            am::CALL_COUNT => parsed.count = true,
            am::CALL_TIME => parsed.time = true,
            _ => return None,
        }
    }
    Some(parsed)
}

/// `{Module, Function, Arity}`, of which the last ones may be `'_'`.
fn pattern([module, function, arity]: [Term; 3]) -> Option<Pattern> {
    let any = am::UNDERSCORE;
    let valid = module.is_atom() && function.is_atom() && (arity.is_small() || arity == any);
    let ordered = (module != any || function == any) && (function != any || arity == any);
    let given = |term: Term| (term != any).then_some(term);
    (valid && ordered).then(|| Pattern {
        module: given(module),
        function: given(function),
        arity: given(arity).and_then(Term::as_small),
    })
}

/// The exports that a pattern names and that lead to code or a BIF.
fn exports_of(pattern: &Pattern) -> Vec<&'static Export> {
    let of_module = |module| exports::of_module(module);
    let all = match pattern.module {
        Some(module) => of_module(module),
        None => exports::all(),
    };
    let matches = |export: &&Export| {
        pattern.is_for(export.function, export.arity) && exports::is_defined(export)
    };
    all.into_iter().filter(matches).collect()
}

/// Changes what is done for all functions of a pattern, while the world is stopped; `meta` is what is wanted of meta tracing.
pub(crate) fn apply(
    pattern: &Pattern,
    wanted: &Wanted,
    meta: &Wanted,
    flags: &Flags,
) -> Result<usize, Refusal> {
    let exports = exports_of(pattern);
    let no_room = |_| Refusal::SystemLimit;
    let code = modules::all_current(pattern.module);
    let on = !matches!(wanted, Wanted::Off);
    if !flags.by_breakpoint() {
        let change = |actions: &mut Actions| {
            *actions = Actions {
                debugged: actions.debugged,
                ..Actions::default()
            };
            if let Some(condition) = wanted.condition() {
                actions.call = Some(condition);
                actions.is_global = true;
            }
        };
        for export in &exports {
            traced_exports::change(export, &change);
        }
        if on {
            // Breakpoints of these functions are gone.
            let clear = |actions: &mut Actions| {
                *actions = Actions {
                    debugged: actions.debugged,
                    ..Actions::default()
                };
            };
            points::change_in(&code, pattern, &clear).map_err(no_room)?;
        }
        return Ok(exports.len());
    }
    let change = |actions: &mut Actions| by_breakpoint(actions, wanted, meta, flags);
    let mut count = 0;
    let has_bifs = exports.iter().any(|export| export.bif.is_some());
    for export in exports {
        if export.bif.is_some() {
            traced_exports::change(export, &change);
            count += 1;
        } else if on {
            traced_exports::change(export, &|actions| *actions = Actions::default());
        }
    }
    let changed = match has_bifs {
        true => points::change_if(&code, pattern, &change, &is_no_bif),
        false => points::change_in(&code, pattern, &change),
    };
    count += changed.map_err(no_room)?;
    Ok(count)
}

/// Whether calls of a function by name lead to its code, and not to the BIF of its name.
fn is_no_bif(module: Term, function: Term, arity: u32) -> bool {
    exports::find(module, function, arity).is_none_or(|export| export.bif.is_none())
}

fn by_breakpoint(actions: &mut Actions, wanted: &Wanted, meta: &Wanted, flags: &Flags) {
    if actions.is_global {
        actions.call = None;
        actions.is_global = false;
    }
    if flags.local {
        actions.call = wanted.condition();
    }
    if let Some(tracer) = &flags.meta {
        let condition = meta.condition();
        actions.meta = condition.map(|condition| new_meta(condition, tracer));
    }
    // As on stock, what is to be paused or begun anew begins if it is not there yet, where something else is done for calls.
    let begins = matches!(wanted, Wanted::Restart | Wanted::Pause);
    if flags.count {
        match wanted {
            _ if begins && actions.count.is_none() && !actions.is_empty() => {
                actions.count.get_or_insert_default().restart();
            }
            Wanted::Off => actions.count = None,
            Wanted::On(_) => actions.count.get_or_insert_default().restart(),
            Wanted::Restart => actions.count.iter().for_each(|count| count.restart()),
            Wanted::Pause => actions.count.iter().for_each(|count| count.pause()),
        }
    }
    if flags.time {
        match wanted {
            _ if begins && actions.times.is_none() && !actions.is_empty() => {
                actions.times.get_or_insert_default().restart();
            }
            Wanted::Off => actions.times = None,
            Wanted::On(_) => actions.times.get_or_insert_default().restart(),
            Wanted::Restart => actions.times.iter().for_each(|times| times.restart()),
            Wanted::Pause => actions.times.iter().for_each(|times| times.pause()),
        }
    }
}

fn new_meta(condition: Condition, tracer: &Tracer) -> Meta {
    Meta {
        condition,
        tracer: tracer.clone(),
        is_gone: Arc::default(),
    }
}

/// The items that `all` stands for.
const ITEMS: [Term; 7] = [
    am::TRACED,
    am::MATCH_SPEC,
    am::META,
    am::META_MATCH_SPEC,
    am::CALL_MEMORY,
    am::CALL_TIME,
    am::CALL_COUNT,
];

/// Those of them that the node's release has.
pub(crate) fn items() -> impl Iterator<Item = Term> {
    let has_memory = release::has(Release::OTP_26);
    ITEMS
        .into_iter()
        .filter(move |item| has_memory || *item != am::CALL_MEMORY)
}

/// What is known of a function.
enum Known {
    Nothing,
    Untraced,
    Actions(Actions),
}

fn known(module: Term, function: Term, arity: u32) -> Known {
    let export = exports::find(module, function, arity);
    if let Some(actions) = export.and_then(traced_exports::actions_of) {
        return Known::Actions(actions);
    }
    let entry = modules::current(module).and_then(|loaded| loaded.code.function(function, arity));
    if let Some(actions) = entry.and_then(points::at) {
        let visible = Actions {
            debugged: false,
            ..actions
        };
        if !visible.is_empty() {
            return Known::Actions(visible);
        }
    }
    match entry.is_some() || export.is_some_and(exports::is_defined) {
        true => Known::Untraced,
        false => Known::Nothing,
    }
}

/// `trace_info({Module, Function, Arity}, Item)`; `None` if an argument is wrong.
pub fn item(heap: &mut Heap, [module, function, arity]: [Term; 3], item: Term) -> Option<Term> {
    if !module.is_atom() || !function.is_atom() {
        return None;
    }
    let number = arity.as_small()?;
    let known = match u32::try_from(number) {
        Ok(arity) => known(module, function, arity),
        Err(_) => Known::Nothing,
    };
    let value = match known {
        Known::Nothing => am::UNDEFINED,
        Known::Untraced => am::FALSE,
        Known::Actions(actions) => value(heap, &actions, item)?,
    };
    Some(build::tuple(heap, &[item, value]))
}

fn value(heap: &mut Heap, actions: &Actions, item: Term) -> Option<Term> {
    Some(match item {
        am::TRACED => match (&actions.call, actions.is_global) {
            (None, _) => am::FALSE,
            (Some(_), true) => am::GLOBAL,
            (Some(_), false) => am::LOCAL,
        },
        am::MATCH_SPEC => source(heap, actions.call.as_ref()),
        am::META => match &actions.meta {
            Some(meta) if !meta.is_gone.load(Ordering::Relaxed) => meta.tracer.to_term(heap),
            // As on stock: a tracer that went is told apart only where this is the one question.
            None if release::has(Release::OTP_28) => am::FALSE,
            _ => Term::NIL,
        },
        am::META_MATCH_SPEC => source(heap, actions.meta.as_ref().map(|meta| &meta.condition)),
        am::CALL_COUNT => match &actions.count {
            None => am::FALSE,
            Some(count) => build::unsigned(heap, count.sum()),
        },
        am::CALL_TIME => match &actions.times {
            None => am::FALSE,
            Some(times) => spent(heap, times),
        },
        // The memory of calls is not counted.
        am::CALL_MEMORY if release::has(Release::OTP_26) => am::FALSE,
        am::ALL => {
            let pairs: Vec<Term> = items()
                .map(|item| {
                    let value = match item {
                        am::META if !is_watched(actions) => am::FALSE,
                        _ => value(heap, actions, item).unwrap_or(am::FALSE),
                    };
                    build::tuple(heap, &[item, value])
                })
                .collect();
            build::list(heap, &pairs)
        }
        _ => return None,
    })
}

/// Whether a tracer that is still there is told of each call.
fn is_watched(actions: &Actions) -> bool {
    let meta = actions.meta.as_ref();
    meta.is_some_and(|meta| !meta.is_gone.load(Ordering::Relaxed))
}

/// `[{Pid, Calls, Seconds, Microseconds}]`
fn spent(heap: &mut Heap, times: &Times) -> Term {
    let of_processes: Vec<Term> = times
        .all()
        .into_iter()
        .map(|(pid, spent)| {
            let us = spent.ns() / 1000;
            let calls = Term::small(spent.calls() as i64);
            let parts = [
                pid,
                calls,
                Term::small(us / 1_000_000),
                Term::small(us % 1_000_000),
            ];
            build::tuple(heap, &parts)
        })
        .collect();
    build::list(heap, &of_processes)
}

/// A condition as it was given: `false` if there is none, `[]` if it is always fulfilled.
pub(crate) fn source(heap: &mut Heap, condition: Option<&Condition>) -> Term {
    match condition {
        None => am::FALSE,
        Some(condition) => match specification::of(condition) {
            None => Term::NIL,
            Some(specification) => copy::copy(heap, specification.source.term()),
        },
    }
}

/// `trace_info(send | 'receive', match_spec)`.
pub fn events_item(heap: &mut Heap, event: Term) -> Term {
    let family = if event == am::SEND {
        Family::Send
    } else {
        Family::Receive
    };
    let value = match of_events(family) {
        None => am::FALSE,
        Some(None) => am::TRUE,
        Some(condition) => source(heap, Some(&condition)),
    };
    build::tuple(heap, &[am::MATCH_SPEC, value])
}
