//! Tracing: see the crate `trace`.

use layout::Term;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build, reference};

use ::trace::tracees::{self, Refusal};
use ::trace::{on_load, patterns};
use runtime::bif::{BifResult, await_result, badarg, badarg_because, system_limit};
use runtime::process::{Process, table};
use runtime::signal::{self, handle};
use runtime::{log, scheduler, trace};

/// `trace_info(What, Item)`
pub fn trace_info_2(process: &mut Process, [what, item]: [Term; 2]) -> BifResult {
    match what {
        am::ON_LOAD => on_load::item(process.heap(), item).ok_or_else(|| badarg(2)),
        am::SEND | am::RECEIVE if item == am::MATCH_SPEC => {
            Ok(patterns::events_item(process.heap(), what))
        }
        am::SEND | am::RECEIVE => Err(badarg(2)),
        _ if what.is_atom() || what.is_pid() || what.is_port() => tracee_info(process, what, item),
        _ => match what.as_tuple() {
            Some(&[module, function, arity]) => {
                patterns::item(process.heap(), [module, function, arity], item)
                    .ok_or_else(|| badarg(1))
            }
            Some(_) => Err(badarg(1)),
            None => Err(badarg_because(am::BADOPT)),
        },
    }
}

/// How a process, a port, or those to come are traced.
fn tracee_info(process: &mut Process, what: Term, item: Term) -> BifResult {
    let is_item = matches!(item, am::FLAGS | am::TRACER);
    let tracing = if what.is_local_pid() {
        if !is_item {
            return Err(badarg(2));
        }
        if what != process.pid() {
            return process_info(process, what, item);
        }
        trace::forget_gone_tracer(process);
        Some(process.rare().tracing.clone())
    } else if what.is_local_port() {
        tracees::of_port(what)
    } else if tracees::is_of_the_past(what) {
        None
    } else {
        let newcomers = tracees::of_newcomers(what);
        Some(newcomers.ok_or_else(|| badarg_because(am::BADOPT))?)
    };
    match tracing {
        None => Ok(am::UNDEFINED),
        Some(tracing) => tracees::item(process.heap(), &tracing, item).ok_or_else(|| badarg(2)),
    }
}

/// Asks another process how it is traced.
fn process_info(process: &mut Process, pid: Term, item: Term) -> BifResult {
    if table::find(pid).is_null() {
        return Ok(am::UNDEFINED);
    }
    let asker = process.pid();
    let reference = handle::reference_of_answer(process);
    let owned = Owned::new(reference);
    let body: signal::Call = Box::new(move |process| {
        let mut scratch = Scratch::new();
        let answer = process.and_then(|process| {
            trace::forget_gone_tracer(process);
            tracees::item(scratch.heap(), &process.rare().tracing, item)
        });
        signal::reply(asker, &owned, answer.unwrap_or(am::UNDEFINED));
    });
    signal::send_or_bounce(pid, signal::Signal::Call(body));
    scheduler::attend_soon(pid);
    Err(await_result(reference))
}

/// `trace_delivered(Tracee)`: replies at once, as there are no trace messages.
pub fn trace_delivered_1(process: &mut Process, [tracee]: [Term; 1]) -> BifResult {
    if tracee != am::ALL && !tracee.is_local_pid() {
        return Err(badarg(1));
    }
    let reference = reference::make(process.heap());
    let message = build::tuple(process.heap(), &[am::TRACE_DELIVERED, tracee, reference]);
    handle::deliver_last(process, message);
    Ok(reference)
}

/// `erts_internal:trace(Who, How, Options)`: the number of tracees.
pub fn trace_3(process: &mut Process, [who, how, options]: [Term; 3]) -> BifResult {
    let mut change = tracees::parse(options).map_err(|_| badarg_because(am::BADOPT))?;
    change.on = match how {
        am::TRUE => true,
        am::FALSE => false,
        _ => return Err(badarg(2)),
    };
    if change.on && change.tracer.is_none() {
        change.tracer = Some(trace::Tracer::Identifier(process.pid()));
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
pub fn trace_pattern_3(
    process: &mut Process,
    [functions, specification, flags]: [Term; 3],
) -> BifResult {
    match patterns::change(process, functions, specification, flags) {
        Ok(count) => Ok(Term::small(count as i64)),
        Err(patterns::Refusal::Because(cause)) => Err(badarg_because(cause)),
        Err(patterns::Refusal::SystemLimit) => Err(system_limit()),
    }
}

/// `dt_get_tag()`: without dynamic trace probes no tags are kept.
pub fn dt_get_tag_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::UNDEFINED)
}

/// `dt_get_tag_data()`.
pub fn dt_get_tag_data_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::UNDEFINED)
}

/// `dt_put_tag(Tag)`.
pub fn dt_put_tag_1(_process: &mut Process, [_tag]: [Term; 1]) -> BifResult {
    Ok(am::UNDEFINED)
}

/// `dt_spread_tag(Flag)`.
pub fn dt_spread_tag_1(_process: &mut Process, [_flag]: [Term; 1]) -> BifResult {
    Ok(am::TRUE)
}

/// `dt_restore_tag(Tag)`.
pub fn dt_restore_tag_1(_process: &mut Process, [_tag]: [Term; 1]) -> BifResult {
    Ok(am::TRUE)
}

/// `dt_append_vm_tag_data(Data)`.
pub fn dt_append_vm_tag_data_1(_process: &mut Process, [data]: [Term; 1]) -> BifResult {
    Ok(data)
}

/// `dt_prepend_vm_tag_data(Data)`.
pub fn dt_prepend_vm_tag_data_1(_process: &mut Process, [data]: [Term; 1]) -> BifResult {
    Ok(data)
}
