//! `erl_tracer`: the tracer that sends events to a process or port as messages.

use layout::Term;
use term::external::{self, EncodeOptions};
use term::{am, atom, build, map};

use super::erlang;
use runtime::code::bif::BifResult;
use runtime::effects::port;
use runtime::mail::{signal, time};
use runtime::process::{Process, table};

/// `erl_tracer:enabled(Tag, Tracer, Tracee)`
pub(crate) fn enabled_3(_process: &mut Process, [tag, tracer, tracee]: [Term; 3]) -> BifResult {
    let is_there = if tracer.is_local_pid() {
        table::exists(tracer)
    } else {
        tracer.is_local_port() && port::find(tracer).is_some_and(|port| port.is_open())
    };
    Ok(if !is_there && tag == am::TRACE_STATUS {
        atom::known("remove")
    } else if !is_there || tracer == tracee {
        am::DISCARD
    } else {
        am::TRACE
    })
}

/// `erl_tracer:trace(Tag, Tracer, Tracee, Message, Options)`
pub(crate) fn trace_5(
    process: &mut Process,
    [tag, tracer, tracee, message, options]: [Term; 5],
) -> BifResult {
    let option = |name: Term| {
        if options.is_map() {
            map::get(options, name)
        } else {
            None
        }
    };
    let mut event = match option(am::EXTRA) {
        Some(extra) => vec![am::TRACE, tracee, tag, message, extra],
        None if tag == am::SEQ_TRACE => vec![am::SEQ_TRACE, tracee, message],
        None => vec![am::TRACE, tracee, tag, message],
    };
    event.extend(option(am::MATCH_SPEC_RESULT));
    event.extend(option(am::SCHEDULER_ID));
    if let Some(kind) = option(am::TIMESTAMP) {
        let now_ns = time::monotonic_ns();
        event.push(match kind {
            am::MONOTONIC => build::integer(process.heap(), now_ns),
            am::STRICT_MONOTONIC => {
                let monotonic = build::integer(process.heap(), now_ns);
                let modifiers = build::list(process.heap(), &[am::MONOTONIC]);
                let unique = erlang::unique_integer_1(process, [modifiers])?;
                build::tuple(process.heap(), &[monotonic, unique])
            }
            am::TIMESTAMP => erlang::now_0(process, [])?,
            am::CPU_TIMESTAMP => {
                let micros = sys::clock::process_cpu_ns() / 1000;
                let parts = [
                    micros / 1_000_000_000_000,
                    micros / 1_000_000 % 1_000_000,
                    micros % 1_000_000,
                ];
                build::tuple(process.heap(), &parts.map(Term::small))
            }
            _ => return Ok(am::OK),
        });
        if event[0] == am::TRACE {
            event[0] = am::TRACE_TS;
        }
    }
    let event = build::tuple(process.heap(), &event);
    // `enabled/3` notices a tracer that is gone.
    if tracer.is_local_pid() {
        signal::send_message(am::SYSTEM, tracer, event);
    } else if tracer.is_local_port()
        && let Some(port) = port::find(tracer)
        && let Ok(bytes) = external::encode(event, &EncodeOptions::of_release())
    {
        port::signals::command_from_outside(&port, &bytes);
    }
    Ok(am::OK)
}
