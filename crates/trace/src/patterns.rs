//! What functions are traced: `erlang:trace_pattern/3`, and the half of `trace_info/2` that concerns functions.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ets::match_spec::Dialect;
use layout::{Export, Heap, Term};
use runtime::code::{exports, modules};
use runtime::mail::world;
use runtime::process::Process;
use runtime::process::tracing::{Family, Tracer};
use runtime::trace::breakpoints::Pattern;
use runtime::trace::costs::{Costs, Measure};
use runtime::trace::exports as traced_exports;
use runtime::trace::points::{self, Actions, Condition, Meta, Watch};
use term::release::{self, Release};
use term::{am, build, copy, list};

use crate::sessions::{self, Session};
use crate::{on_load, specification, tracer};

/// Why nothing was changed: the cause that OTP's explanations know.
#[derive(Clone, Copy)]
pub enum Refusal {
    Because(Term),
    /// The session has ended.
    Over,
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
    /// What decides on calls from now on; none if they are not told. As on stock, only counters and costs are begun
    /// anew or paused: for all else these words say `true`.
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
    pub memory: bool,
    pub global: bool,
}

impl Flags {
    /// Whether it is measured what calls cost.
    fn costs(&self) -> bool {
        self.time || self.memory
    }

    pub(crate) fn by_breakpoint(&self) -> bool {
        self.local || self.meta.is_some() || self.count || self.costs()
    }
}

/// What decides on sends or receives of tracees in a session now.
#[must_use]
pub fn of_events(session: u32, family: Family) -> Option<Condition> {
    let event = match family {
        Family::Send => am::SEND,
        _ => am::RECEIVE,
    };
    sessions::with(session, |session| session.of_events(event).lock().clone())?
}

/// `erlang:trace_pattern(Functions, Specification, Flags)` in a session: the number of functions.
///
/// # Errors
/// See [`Refusal`].
pub fn change(
    process: &Process,
    session: &Session,
    [functions, specification, flags]: [Term; 3],
) -> Result<usize, Refusal> {
    let parse = || parse(process, session, flags).ok_or(Refusal::Because(am::BADOPT));
    // If both are wrong, OTP 27 and later name the flags.
    let flags_first = release::has(Release::OTP_27).then(parse).transpose()?;
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
    let flags = flags_first.map_or_else(parse, Ok)?;
    let has_condition = matches!(wanted, Wanted::On(Some(_)));
    if has_condition && !flags.local && flags.meta.is_none() && (flags.count || flags.costs()) {
        return Err(Refusal::Because(am::CALL_COUNT));
    }
    let none = Refusal::Because(am::NONE);
    if functions == am::ON_LOAD {
        on_load::change(session, &wanted, &flags);
        return Ok(0);
    }
    if let Some([module, function, arity]) = functions.as_tuple_of() {
        let pattern = pattern([module, function, arity]).ok_or(none)?;
        return world::stopped(|| match session.exists() {
            true => apply(session.number, &pattern, &wanted, &wanted, &flags),
            false => Err(Refusal::Over),
        });
    }
    if !matches!(functions, am::SEND | am::RECEIVE) {
        return Err(none);
    }
    if flags.global || flags.by_breakpoint() {
        return Err(none);
    }
    let decision = match wanted {
        Wanted::Off => None,
        Wanted::On(condition) => Some(condition),
        Wanted::Restart | Wanted::Pause => return Err(none),
    };
    world::stopped(|| {
        *session.of_events(functions).lock() = decision;
        sessions::settle_senders();
    });
    Ok(1)
}

fn parse(process: &Process, session: &Session, flags: Term) -> Option<Flags> {
    let mut parsed = Flags::default();
    for flag in list::items(flags) {
        let flag = flag.ok()?;
        if flag.is_tuple() {
            if session.tracer.is_some() {
                return None;
            }
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
                let given = session.tracer.clone();
                let tracer = given.unwrap_or(Tracer::Identifier(process.pid()));
                parsed.meta.get_or_insert(tracer);
            }
            am::CALL_COUNT => parsed.count = true,
            am::CALL_TIME => parsed.time = true,
            am::CALL_MEMORY if release::has(Release::OTP_26) => parsed.memory = true,
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

/// Changes what a session does for all functions of a pattern, while the world is stopped; `meta` is what is wanted of
/// meta tracing.
pub(crate) fn apply(
    session: u32,
    pattern: &Pattern,
    wanted: &Wanted,
    meta: &Wanted,
    flags: &Flags,
) -> Result<usize, Refusal> {
    let exports = exports_of(pattern);
    let no_room = |_| Refusal::SystemLimit;
    let code = modules::all_current(pattern.module);
    let on = !matches!(wanted, Wanted::Off);
    let end = |actions: &mut Actions| actions.end(session);
    if !flags.by_breakpoint() {
        let change = |actions: &mut Actions| {
            actions.change(session, |watch| {
                // At BIFs other things may be done, which only something new ends.
                if !on && !watch.is_global {
                    return;
                }
                *watch = Watch::new(session);
                watch.call = wanted.condition();
                watch.is_global = watch.call.is_some();
            });
        };
        for export in &exports {
            change_export(session, export, on, &change);
        }
        if on {
            // Breakpoints of these functions are gone.
            points::change_in(&code, pattern, &end).map_err(no_room)?;
        }
        return Ok(exports.len());
    }
    let change = |actions: &mut Actions| {
        actions.change(session, |watch| by_breakpoint(watch, wanted, meta, flags));
    };
    let mut count = 0;
    let has_bifs = exports.iter().any(|export| export.bif.is_some());
    for export in exports {
        if export.bif.is_some() {
            change_export(session, export, on, &change);
            count += 1;
        } else if on {
            traced_exports::change(export, &end);
        }
    }
    let changed = match has_bifs {
        true => points::change_if(&code, pattern, &change, &is_no_bif),
        false => points::change_in(&code, pattern, &change),
    };
    count += changed.map_err(no_room)?;
    Ok(count)
}

/// Changes what a session does for calls of an export; `on` says whether something begins.
fn change_export(session: u32, export: &'static Export, on: bool, change: &dyn Fn(&mut Actions)) {
    let is_silent = export.bif.is_some() && !on && !release::has(Release::OTP_29);
    traced_exports::change(export, &|actions| {
        change(actions);
        actions.change(session, |watch| watch.is_silent = is_silent);
    });
}

/// Ends what a session does for any function, while the world is stopped.
pub(crate) fn end(session: u32) {
    let end = |actions: &mut Actions| actions.end(session);
    for export in exports::all() {
        traced_exports::change(export, &end);
    }
    let every = Pattern {
        module: None,
        function: None,
        arity: None,
    };
    // Restoring code needs no memory but that for making it writable; without that the breakpoints stay, and find
    // nothing to do.
    let _ = points::change_in(&modules::all_current(None), &every, &end);
}

/// Whether calls of a function by name lead to its code, and not to the BIF of its name.
fn is_no_bif(module: Term, function: Term, arity: u32) -> bool {
    exports::find(module, function, arity).is_none_or(|export| export.bif.is_none())
}

fn by_breakpoint(watch: &mut Watch, wanted: &Wanted, meta: &Wanted, flags: &Flags) {
    if watch.is_global {
        if matches!(wanted, Wanted::Off) {
            return;
        }
        watch.call = None;
        watch.is_global = false;
    }
    if flags.local {
        watch.call = wanted.condition();
    }
    if let Some(tracer) = &flags.meta {
        let condition = meta.condition();
        watch.meta = condition.map(|condition| new_meta(condition, tracer));
    }
    // As on stock, what is to be paused or begun anew begins if it is not there yet, where something else is done for
    // calls.
    let begins = matches!(wanted, Wanted::Restart | Wanted::Pause);
    if flags.count {
        match wanted {
            _ if begins && watch.count.is_none() && !watch.is_empty() => {
                watch.count.get_or_insert_default().restart();
            }
            Wanted::Off => watch.count = None,
            Wanted::On(_) => watch.count.get_or_insert_default().restart(),
            Wanted::Restart => watch.count.iter().for_each(|count| count.restart()),
            Wanted::Pause => watch.count.iter().for_each(|count| count.pause()),
        }
    }
    let others = !watch.is_empty();
    if flags.time {
        change_costs(&mut watch.time, Measure::Time, wanted, others);
    }
    let others = !watch.is_empty();
    if flags.memory {
        change_costs(&mut watch.memory, Measure::Memory, wanted, others);
    }
}

/// Changes what is measured of a function; `others` says whether anything is done when it is called.
fn change_costs(place: &mut Option<Arc<Costs>>, measure: Measure, wanted: &Wanted, others: bool) {
    let begin = |place: &mut Option<Arc<Costs>>| {
        let costs = place.get_or_insert_with(|| Arc::new(Costs::new(measure)));
        costs.restart();
    };
    match wanted {
        Wanted::Restart | Wanted::Pause if place.is_none() && others => begin(place),
        Wanted::Off => *place = None,
        Wanted::On(_) => begin(place),
        Wanted::Restart => place.iter().for_each(|costs| costs.restart()),
        Wanted::Pause => place.iter().for_each(|costs| costs.pause()),
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

/// What is known of a function in a session.
enum Known {
    Nothing,
    Untraced,
    Watch(Watch),
}

/// What is done for calls of a function by its full name, and when it is entered by any call; `None` if there is no
/// such function.
fn actions_of([module, function]: [Term; 2], arity: u32) -> Option<[Actions; 2]> {
    let export = exports::find(module, function, arity);
    let loaded = modules::current(module);
    let place = loaded
        .as_ref()
        .and_then(|loaded| loaded.code.made())
        .and_then(|code| Some((code, code.place_of(function, arity)?)));
    let is_there = loaded
        .as_ref()
        .is_some_and(|loaded| loaded.code.has(function, arity));
    if !is_there && !export.is_some_and(exports::is_defined) {
        return None;
    }
    let by_name = export.and_then(traced_exports::actions_of);
    let entered = place.and_then(|(code, place)| points::at(code, place));
    Some([by_name, entered].map(Option::unwrap_or_default))
}

fn known(session: u32, name: [Term; 2], arity: u32) -> Known {
    let Some([by_name, entered]) = actions_of(name, arity) else {
        return Known::Nothing;
    };
    match by_name.of(session).or(entered.of(session)) {
        Some(watch) => Known::Watch(watch.clone()),
        None => Known::Untraced,
    }
}

/// The numbers of the sessions that do something when a function is called, in the order in which stock goes through
/// them; `None` if there is no such function.
#[must_use]
pub fn sessions_of(name: [Term; 2], arity: u32) -> Option<Vec<u32>> {
    let [by_name, entered] = actions_of(name, arity)?;
    let all = by_name.iter().chain(entered.iter());
    Some(all.map(|watch| watch.session).collect())
}

/// `trace_info({Module, Function, Arity}, Item)` in a session; `None` if an argument is wrong.
pub fn item(
    heap: &mut Heap,
    session: &Session,
    [module, function, arity]: [Term; 3],
    item: Term,
) -> Option<Term> {
    if !module.is_atom() || !function.is_atom() {
        return None;
    }
    let number = arity.as_small()?;
    let known = match u32::try_from(number) {
        Ok(arity) => known(session.number, [module, function], arity),
        Err(_) => Known::Nothing,
    };
    let value = match known {
        Known::Nothing => am::UNDEFINED,
        Known::Untraced => am::FALSE,
        Known::Watch(watch) => value(heap, &watch, item)?,
    };
    Some(build::tuple(heap, &[item, value]))
}

/// All items. What is counted in several ways is shown as it was at one moment.
fn all_items(heap: &mut Heap, watch: &Watch) -> Term {
    let counters = [
        watch.count.is_some(),
        watch.time.is_some(),
        watch.memory.is_some(),
    ];
    let mut all = || {
        let pairs: Vec<Term> = items()
            .map(|item| {
                let value = match item {
                    am::META if !has_tracer(watch) => am::FALSE,
                    _ => value(heap, watch, item).unwrap_or(am::FALSE),
                };
                build::tuple(heap, &[item, value])
            })
            .collect();
        build::list(heap, &pairs)
    };
    match counters.into_iter().filter(|is_there| *is_there).count() {
        0 | 1 => all(),
        _ => world::stopped(all),
    }
}

fn value(heap: &mut Heap, watch: &Watch, item: Term) -> Option<Term> {
    Some(match item {
        am::TRACED => match (&watch.call, watch.is_global) {
            (None, _) => am::FALSE,
            (Some(_), true) => am::GLOBAL,
            (Some(_), false) => am::LOCAL,
        },
        am::MATCH_SPEC => source(heap, watch.call.as_ref()),
        am::META => match &watch.meta {
            Some(meta) if !meta.is_gone.load(Ordering::Relaxed) => meta.tracer.to_term(heap),
            // As on stock: a tracer that went is told apart only where this is the one question.
            None if release::has(Release::OTP_28) => am::FALSE,
            _ => Term::NIL,
        },
        am::META_MATCH_SPEC => source(heap, watch.meta.as_ref().map(|meta| &meta.condition)),
        am::CALL_COUNT => match &watch.count {
            None => am::FALSE,
            Some(count) => build::unsigned(heap, count.sum()),
        },
        am::CALL_TIME => match &watch.time {
            None => am::FALSE,
            Some(costs) => spent(heap, costs, Measure::Time),
        },
        am::CALL_MEMORY if release::has(Release::OTP_26) => match &watch.memory {
            None => am::FALSE,
            Some(costs) => spent(heap, costs, Measure::Memory),
        },
        am::ALL => all_items(heap, watch),
        _ => return None,
    })
}

/// Whether a tracer that is still there is told of each call.
fn has_tracer(watch: &Watch) -> bool {
    let meta = watch.meta.as_ref();
    meta.is_some_and(|meta| !meta.is_gone.load(Ordering::Relaxed))
}

/// `[{Pid, Calls, Seconds, Microseconds}]`, or `[{Pid, Calls, Words}]`.
fn spent(heap: &mut Heap, costs: &Costs, measure: Measure) -> Term {
    let of_processes: Vec<Term> = costs
        .all()
        .into_iter()
        .map(|(pid, spent)| {
            let calls = Term::small(spent.calls() as i64);
            match measure {
                Measure::Time => {
                    let us = spent.ns() / 1000;
                    let time = [us / 1_000_000, us % 1_000_000].map(Term::small);
                    build::tuple(heap, &[pid, calls, time[0], time[1]])
                }
                Measure::Memory => build::tuple(heap, &[pid, calls, Term::small(spent.words())]),
            }
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

/// `trace_info(send | 'receive', match_spec)` in a session.
pub fn events_item(heap: &mut Heap, session: &Session, event: Term) -> Term {
    let decision = session.of_events(event).lock().clone();
    let value = match decision {
        None => am::FALSE,
        Some(None) => am::TRUE,
        Some(condition) => source(heap, Some(&condition)),
    };
    build::tuple(heap, &[am::MATCH_SPEC, value])
}
