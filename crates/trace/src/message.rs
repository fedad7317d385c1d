//! The messages that processes and ports get as tracers.

use std::sync::atomic::{AtomicBool, Ordering};

use layout::{Heap, Term};
use runtime::effects::port;
use runtime::mail::{current, signal, time, unique};
use runtime::process::tracing::{Event, what};
use runtime::trace::{Told, sequence};
use smallvec::SmallVec;
use term::external::{self, EncodeOptions};
use term::heap::Scratch;
use term::{am, build};

use crate::tracer;

/// `timestamp` is the time that the node has used of processors (`cpu_timestamp`).
pub(crate) static CPU_TIME: AtomicBool = AtomicBool::new(false);

/// The name of the form that [`what::TIMESTAMP`] has now.
pub(crate) fn wall_time_name() -> Term {
    match CPU_TIME.load(Ordering::Relaxed) {
        true => am::CPU_TIMESTAMP,
        false => am::TIMESTAMP,
    }
}

/// Words of a message without what it reports: a tuple of eight, and the largest timestamp.
const FRAME_WORDS: usize = 16;

/// Tells a process or port of an event. Nobody is told of what it does itself.
pub(crate) fn send(to: Term, tracee: Term, how: u32, event: &Event) -> Told {
    if to == tracee {
        return match tracer::exists(to) {
            true => Told::Yes,
            false => Told::TracerGone,
        };
    }
    let mut scratch = Scratch::with_room(FRAME_WORDS);
    let message = build(scratch.heap(), tracee, how, event);
    deliver(to, message)
}

/// Sends a message to a tracer, which a port gets in the external format.
fn deliver(to: Term, message: Term) -> Told {
    if to.is_local_pid() {
        return match signal::send_message(am::SYSTEM, to, message) {
            true => Told::Yes,
            false => Told::TracerGone,
        };
    }
    let Some(port) = port::find(to).filter(|port| port.seems_open()) else {
        return Told::TracerGone;
    };
    if let Ok(bytes) = external::encode(message, &EncodeOptions::default()) {
        port::signals::command_from_outside(&port, &bytes);
    }
    Told::Yes
}

/// `{trace, Tracee, Tag, Message, Extra, Matched, Scheduler}` or `{trace_ts, ..., Timestamp}`, with those parts that
/// there are.
fn build(heap: &mut Heap, tracee: Term, how: u32, event: &Event) -> Term {
    let is_stamped = how & what::TIMESTAMPS != 0;
    let head = if is_stamped { am::TRACE_TS } else { am::TRACE };
    let mut parts: SmallVec<[Term; 8]> = [head, tracee, event.tag, event.message]
        .into_iter()
        .collect();
    if !event.extra.is_none() {
        parts.push(event.extra);
    }
    if event.matched != am::TRUE {
        parts.push(event.matched);
    }
    if how & what::SCHEDULER_ID != 0 {
        parts.push(Term::small(current::current_number() as i64));
    }
    if is_stamped {
        parts.push(timestamp(heap, how));
    }
    build::tuple(heap, &parts)
}

/// The timestamp that a token asks for: a bit of [`what`], or 0.
#[must_use]
pub(crate) fn stamp_of_sequence(how: u32) -> u32 {
    let forms = [
        (sequence::what::TIMESTAMP, what::TIMESTAMP),
        (
            sequence::what::STRICT_MONOTONIC_TIMESTAMP,
            what::STRICT_MONOTONIC_TIMESTAMP,
        ),
        (
            sequence::what::MONOTONIC_TIMESTAMP,
            what::MONOTONIC_TIMESTAMP,
        ),
    ];
    let form = forms.iter().find(|(bit, _)| how & bit != 0);
    form.map_or(0, |(_, form)| *form)
}

/// Tells a process or port of an event of a sequence: `{seq_trace, Label, Event}`, with a timestamp if one is asked for
/// (a bit of [`what`]).
pub(crate) fn send_sequence(to: Term, label: Term, stamp: u32, event: Term) -> Told {
    let mut scratch = Scratch::with_room(FRAME_WORDS);
    let heap = scratch.heap();
    let mut parts: SmallVec<[Term; 4]> = [am::SEQ_TRACE, label, event].into_iter().collect();
    if stamp != 0 {
        parts.push(timestamp(heap, stamp));
    }
    let message = build::tuple(heap, &parts);
    deliver(to, message)
}

/// Tells a profiler `{profile, Parts..., Timestamp}`.
pub(crate) fn send_profile(to: Term, parts: &[Term], stamp: u32) -> Told {
    let mut scratch = Scratch::with_room(FRAME_WORDS);
    let heap = scratch.heap();
    let mut message: SmallVec<[Term; 8]> = [am::PROFILE].into_iter().collect();
    message.extend_from_slice(parts);
    message.push(timestamp(heap, stamp));
    let message = build::tuple(heap, &message);
    deliver(to, message)
}

/// The time of an event, in the form that is wanted; of several the first one here.
pub(crate) fn timestamp(heap: &mut Heap, how: u32) -> Term {
    if how & what::TIMESTAMP != 0 {
        let now_us = match CPU_TIME.load(Ordering::Relaxed) {
            true => sys::clock::process_cpu_ns() / 1000,
            false => unique::now_us(),
        };
        let seconds = now_us.div_euclid(1_000_000);
        let parts = [
            seconds.div_euclid(1_000_000),
            seconds.rem_euclid(1_000_000),
            now_us.rem_euclid(1_000_000),
        ];
        return build::tuple(heap, &parts.map(Term::small));
    }
    let now = build::integer(heap, time::monotonic_ns());
    if how & what::STRICT_MONOTONIC_TIMESTAMP == 0 {
        return now;
    }
    let number = unique::integer(heap, false, true);
    build::tuple(heap, &[now, number])
}
