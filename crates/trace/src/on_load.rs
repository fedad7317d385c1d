//! What is traced of modules that will be loaded: `trace_pattern(on_load, ...)`.

use std::sync::Arc;

use layout::{Heap, Term};
use runtime::trace::breakpoints::Pattern;
use runtime::trace::points::Condition;
use term::release::{self, Release};
use term::{am, build};

use crate::patterns::{self, Flags, Wanted};
use crate::sessions::{self, Session};

/// What a session traces, if it traces anything.
#[derive(Default)]
pub(crate) struct OnLoad {
    is_on: bool,
    flags: Flags,
    condition: Condition,
    meta_condition: Condition,
    /// A global pattern, even one that ends tracing, takes the tracer of meta tracing away, as on stock.
    has_meta_tracer: bool,
}

impl Session {
    /// Whether it traces modules that will be loaded.
    #[must_use]
    pub fn traces_on_load(&self) -> bool {
        self.on_load.lock().is_on
    }
}

/// Changes what is traced, as stock does it: patterns by breakpoints add to each other, and a global one replaces them.
pub(crate) fn change(session: &Session, wanted: &Wanted, flags: &Flags) {
    let mut default = session.on_load.lock();
    let by_breakpoint = flags.by_breakpoint();
    let condition = match wanted {
        Wanted::On(condition) => condition.clone(),
        _ => None,
    };
    let is_on = !matches!(wanted, Wanted::Off);
    let is_set = matches!(wanted, Wanted::On(_));
    if flags.local || !by_breakpoint {
        default.condition.clone_from(&condition);
    }
    if flags.meta.is_some() {
        default.meta_condition = condition;
        default.has_meta_tracer = true;
    } else if !by_breakpoint {
        default.meta_condition = None;
        default.has_meta_tracer = false;
    }
    let new = Flags {
        count: flags.count && is_set,
        time: flags.time && is_set,
        memory: flags.memory && is_set,
        global: false,
        ..flags.clone()
    };
    match (default.flags.by_breakpoint(), by_breakpoint) {
        (true, true) if is_on => {
            let old = &mut default.flags;
            old.local |= new.local;
            if new.meta.is_some() {
                old.meta = new.meta;
            }
            old.count |= new.count;
            old.time |= new.time;
            old.memory |= new.memory;
        }
        (true, true) => {
            let old = &mut default.flags;
            old.local &= !flags.local;
            if flags.meta.is_some() {
                old.meta = None;
            }
            old.count &= !flags.count;
            old.time &= !flags.time;
            old.memory &= !flags.memory;
            if !old.by_breakpoint() {
                default.is_on = false;
            }
        }
        (false, false) => default.is_on = is_on,
        (true, false) if is_on => {
            default.flags = new;
            default.is_on = true;
        }
        (false, true) if is_on => {
            default.is_on = new.by_breakpoint();
            default.flags = new;
        }
        _ => {}
    }
}

/// Traces a module that has become current, while the world is stopped.
pub(crate) fn apply(module: Term) {
    let traces = |session: &Arc<Session>| session.traces_on_load();
    for session in sessions::all().into_iter().filter(traces) {
        apply_of(&session, module);
    }
}

fn apply_of(session: &Session, module: Term) {
    let default = session.on_load.lock();
    let pattern = Pattern {
        module: Some(module),
        function: None,
        arity: None,
    };
    let wanted = Wanted::On(default.condition.clone());
    let meta = match default.has_meta_tracer {
        true => Wanted::On(default.meta_condition.clone()),
        false => Wanted::Off,
    };
    // Without memory for breakpoints the module is not traced, as there is nobody to tell.
    let _ = patterns::apply(session.number, &pattern, &wanted, &meta, &default.flags);
}

/// `trace_info(on_load, Item)`; `None` if there is no such item.
pub fn item(heap: &mut Heap, session: &Session, item: Term) -> Option<Term> {
    let default = session.on_load.lock();
    let value = match default.is_on {
        false => am::FALSE,
        true => value(heap, &default, item)?,
    };
    Some(build::tuple(heap, &[item, value]))
}

fn value(heap: &mut Heap, default: &OnLoad, item: Term) -> Option<Term> {
    let flags = &default.flags;
    let is_global = !flags.by_breakpoint();
    let condition = (is_global || flags.local).then_some(&default.condition);
    let meta_condition = flags.meta.as_ref().map(|_| &default.meta_condition);
    Some(match item {
        am::TRACED if is_global => am::GLOBAL,
        am::TRACED if flags.local => am::LOCAL,
        am::TRACED => am::FALSE,
        am::MATCH_SPEC => patterns::source(heap, condition),
        am::META => match &flags.meta {
            Some(tracer) if default.has_meta_tracer => tracer.to_term(heap),
            _ => am::FALSE,
        },
        am::META_MATCH_SPEC => patterns::source(heap, meta_condition),
        am::CALL_COUNT => am::boolean(flags.count),
        am::CALL_TIME => am::boolean(flags.time),
        am::CALL_MEMORY if release::has(Release::OTP_26) => am::boolean(flags.memory),
        am::ALL => {
            // As on stock, what calls cost is not among them here.
            let items = patterns::items();
            let pairs: Vec<Term> = items
                .filter(|item| !matches!(*item, am::CALL_TIME | am::CALL_MEMORY))
                .map(|item| {
                    let value = value(heap, default, item).unwrap_or(am::FALSE);
                    build::tuple(heap, &[item, value])
                })
                .collect();
            build::list(heap, &pairs)
        }
        _ => return None,
    })
}
