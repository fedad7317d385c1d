//! Tracing, which is not supported: queries report that nothing is traced, and turning it on is refused.

use layout::Term;
use term::{am, build, list, reference};

use runtime::bif::{BifResult, badarg, badarg_because, notsup};
use runtime::code::{exports, modules};
use runtime::port;
use runtime::process::{Process, table};
use runtime::signal::handle;

/// `seq_trace(Component, Value)`: a token cannot be set, but clearing it is allowed.
pub fn seq_trace_2(_process: &mut Process, [component, value]: [Term; 2]) -> BifResult {
    let is_flag = [
        am::SEND,
        am::RECEIVE,
        am::PRINT,
        am::TIMESTAMP,
        am::MONOTONIC_TIMESTAMP,
        am::STRICT_MONOTONIC_TIMESTAMP,
    ]
    .contains(&component);
    match component {
        am::SEQUENTIAL_TRACE_TOKEN if value.is_nil() => Ok(Term::NIL),
        am::SEQUENTIAL_TRACE_TOKEN | am::LABEL | am::SERIAL => Err(notsup()),
        _ if is_flag => match value {
            am::FALSE => Ok(am::FALSE),
            am::TRUE => Err(notsup()),
            _ => Err(badarg(2)),
        },
        _ => Err(badarg(1)),
    }
}

/// `seq_trace_info(Component)`: there is never a token.
pub fn seq_trace_info_1(process: &mut Process, [component]: [Term; 1]) -> BifResult {
    match component {
        am::LABEL | am::SERIAL => Ok(Term::NIL),
        am::SEND
        | am::RECEIVE
        | am::PRINT
        | am::TIMESTAMP
        | am::MONOTONIC_TIMESTAMP
        | am::STRICT_MONOTONIC_TIMESTAMP => {
            Ok(build::tuple(process.heap(), &[component, am::FALSE]))
        }
        _ => Err(badarg(1)),
    }
}

/// `seq_trace_print(Information)`: nothing is printed without a token.
pub fn seq_trace_print_1(_process: &mut Process, [_information]: [Term; 1]) -> BifResult {
    Ok(am::FALSE)
}

/// `seq_trace_print(Label, Information)`.
pub fn seq_trace_print_2(_process: &mut Process, [_label, _information]: [Term; 2]) -> BifResult {
    Ok(am::FALSE)
}

/// `trace_info(What, Item)`: nothing is traced.
pub fn trace_info_2(process: &mut Process, [what, item]: [Term; 2]) -> BifResult {
    let value = if what.is_local_pid() || what.is_local_port() {
        let exists = if what.is_local_pid() {
            !table::find(what).is_null()
        } else {
            port::find(what).is_some_and(|port| port.is_open())
        };
        if !exists {
            return Ok(am::UNDEFINED);
        }
        tracee_value(item)?
    } else if let Some(&[module, function, arity]) = what.as_tuple() {
        function_value(module, function, arity, item)?
    } else {
        match what {
            am::NEW | am::NEW_PROCESSES | am::NEW_PORTS => tracee_value(item)?,
            am::ON_LOAD if FUNCTION_ITEMS.contains(&item) => am::FALSE,
            am::SEND | am::RECEIVE if item == am::MATCH_SPEC => am::TRUE,
            _ => return Err(badarg(1)),
        }
    };
    Ok(build::tuple(process.heap(), &[item, value]))
}

const FUNCTION_ITEMS: [Term; 7] = [
    am::TRACED,
    am::MATCH_SPEC,
    am::META,
    am::META_MATCH_SPEC,
    am::CALL_COUNT,
    am::CALL_TIME,
    am::ALL,
];

fn tracee_value(item: Term) -> BifResult {
    match item {
        am::FLAGS | am::TRACER => Ok(Term::NIL),
        _ => Err(badarg(2)),
    }
}

fn function_value(module: Term, function: Term, arity: Term, item: Term) -> BifResult {
    if !module.is_atom() || !function.is_atom() {
        return Err(badarg(1));
    }
    let arity = arity.as_small().and_then(|arity| u32::try_from(arity).ok());
    let arity = arity.ok_or_else(|| badarg(1))?;
    if !FUNCTION_ITEMS.contains(&item) {
        return Err(badarg(2));
    }
    let exported = exports::find(module, function, arity).is_some_and(exports::is_defined);
    let local = || {
        modules::current(module).is_some_and(|loaded| {
            loaded
                .exports
                .iter()
                .any(|(name, its_arity, _)| *name == function && *its_arity == arity)
        })
    };
    Ok(if exported || local() {
        am::FALSE
    } else {
        am::UNDEFINED
    })
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

/// `erts_internal:trace(What, How, Flags)`: turning it off succeeds and concerns no process.
pub fn trace_3(_process: &mut Process, [_what, how, flags]: [Term; 3]) -> BifResult {
    let is_flag = |flag: Term| flag.is_atom() || flag.is_tuple();
    if !list::items(flags).all(|flag| flag.is_ok_and(is_flag)) {
        return Err(badarg_because(am::BADOPT));
    }
    match how {
        am::FALSE => Ok(Term::small(0)),
        am::TRUE => Err(notsup()),
        _ => Err(badarg(2)),
    }
}

/// `erts_internal:trace_pattern(Functions, MatchSpecification, Flags)`.
pub fn trace_pattern_3(
    _process: &mut Process,
    [_functions, specification, _flags]: [Term; 3],
) -> BifResult {
    if specification == am::FALSE {
        Ok(Term::small(0))
    } else {
        Err(notsup())
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
