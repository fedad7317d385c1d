//! What is traced of modules that will be loaded: `trace_pattern(on_load, ...)`.

use layout::{Heap, Term};
use parking_lot::Mutex;
use runtime::code::breakpoints::Pattern;
use runtime::trace::points::Condition;
use term::{am, build};

use crate::patterns::{self, Flags, Wanted};

/// What is traced, if anything is.
struct Default {
    is_on: bool,
    flags: Flags,
    condition: Condition,
    meta_condition: Condition,
    /// A global pattern, even one that ends tracing, takes the tracer of meta tracing away, as on stock.
    has_meta_tracer: bool,
}

static DEFAULT: Mutex<Default> = Mutex::new(Default {
    is_on: false,
    flags: Flags {
        local: false,
        meta: None,
        count: false,
        time: false,
        global: false,
    },
    condition: None,
    meta_condition: None,
    has_meta_tracer: false,
});

/// Changes what is traced, as stock does it: patterns by breakpoints add to each other, and a global one replaces them.
/// `done` is called before any later change.
pub(crate) fn change(wanted: &Wanted, flags: &Flags, done: impl FnOnce()) {
    let mut default = DEFAULT.lock();
    done();
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
        }
        (true, true) => {
            let old = &mut default.flags;
            old.local &= !flags.local;
            if flags.meta.is_some() {
                old.meta = None;
            }
            old.count &= !flags.count;
            old.time &= !flags.time;
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
    let default = DEFAULT.lock();
    if !default.is_on {
        return;
    }
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
    let _ = patterns::apply(&pattern, &wanted, &meta, &default.flags);
}

/// `trace_info(on_load, Item)`; `None` if there is no such item.
pub fn item(heap: &mut Heap, item: Term) -> Option<Term> {
    let default = DEFAULT.lock();
    let value = match default.is_on {
        false => am::FALSE,
        true => value(heap, &default, item)?,
    };
    Some(build::tuple(heap, &[item, value]))
}

fn value(heap: &mut Heap, default: &Default, item: Term) -> Option<Term> {
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
        am::ALL => {
            // As on stock, the time is not among them here.
            let items = patterns::items();
            let pairs: Vec<Term> = items
                .filter(|item| *item != am::CALL_TIME)
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
