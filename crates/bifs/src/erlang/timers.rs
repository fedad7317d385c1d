//! Timers that send messages: `start_timer` and `send_after`, and reading and cancelling them.

use layout::Term;
use term::copy::Owned;
use term::{am, build, list, reference};

use runtime::code::bif::{BifResult, badarg, badarg_because, room_for_copy};
use runtime::effects::signal_handling;
use runtime::mail::time::{self, END_MS};
use runtime::mail::timer::bif_timers;
use runtime::process::{Process, table};

/// The message that a timer sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `{timeout, Reference, Message}`
    Timeout,
    /// `Message`
    Bare,
}

/// `start_timer(Time, Dest, Message)`.
pub(crate) fn start_timer_3(process: &mut Process, [time, to, message]: [Term; 3]) -> BifResult {
    start(process, time, to, message, Term::NIL, Form::Timeout)
}

/// `start_timer(Time, Dest, Message, Options)`; the only option is `{abs, am::to_boolean()}`.
pub(crate) fn start_timer_4(
    process: &mut Process,
    [time, to, message, options]: [Term; 4],
) -> BifResult {
    start(process, time, to, message, options, Form::Timeout)
}

/// `send_after(Time, Dest, Message)`.
pub(crate) fn send_after_3(process: &mut Process, [time, to, message]: [Term; 3]) -> BifResult {
    start(process, time, to, message, Term::NIL, Form::Bare)
}

/// `send_after(Time, Dest, Message, Options)`.
pub(crate) fn send_after_4(
    process: &mut Process,
    [time, to, message, options]: [Term; 4],
) -> BifResult {
    start(process, time, to, message, options, Form::Bare)
}

fn start(
    process: &mut Process,
    time: Term,
    to: Term,
    message: Term,
    options: Term,
    form: Form,
) -> BifResult {
    let absolute = is_absolute(options).ok_or_else(|| badarg_because(am::BADOPT))?;
    let deadline_ns = deadline_ns(time, absolute).ok_or_else(|| badarg_because(am::TIME))?;
    if !to.is_local_pid() && !to.is_atom() {
        return Err(badarg(2));
    }
    let number = reference::fresh_number();
    let reference = reference::with_number(process.heap(), number, 0);
    if to != process.pid() && to.is_local_pid() && !table::exists(to) {
        return Ok(reference);
    }
    room_for_copy(process, message)?;
    let message = match form {
        Form::Bare => Owned::new(message),
        Form::Timeout => {
            let mut scratch = term::heap::Scratch::new();
            let timeout = [am::TIMEOUT, reference, message];
            Owned::new(build::tuple(scratch.heap(), &timeout))
        }
    };
    bif_timers::start(number, deadline_ns, to, message);
    if to == process.pid() {
        bif_timers::list(&mut process.cold().timers, number);
    } else if to.is_local_pid() {
        bif_timers::end_with_receiver(number, to);
    }
    Ok(reference)
}

fn is_absolute(options: Term) -> Option<bool> {
    let mut absolute = false;
    for option in list::items(options) {
        absolute = match option.ok()?.as_tuple_of() {
            Some([am::ABS, am::TRUE]) => true,
            Some([am::ABS, am::FALSE]) => false,
            _ => return None,
        };
    }
    Some(absolute)
}

/// The deadline, in Erlang monotonic time, of a timer with this time in milliseconds, absolute or from now on.
fn deadline_ns(time: Term, absolute: bool) -> Option<i64> {
    let time_ms = time.as_small()?;
    if absolute {
        return (time_ms <= END_MS).then(|| time_ms.saturating_mul(1_000_000));
    }
    let now_ns = time::monotonic_ns();
    if time_ms < 0 || time_ms > END_MS - now_ns.div_euclid(1_000_000) {
        return None;
    }
    Some(now_ns + time_ms * 1_000_000)
}

/// How the result about a timer is to be returned.
struct Answer {
    asynchronous: bool,
    info: bool,
}

fn answer(options: Term, info_allowed: bool) -> Option<Answer> {
    let mut answer = Answer {
        asynchronous: false,
        info: true,
    };
    for option in list::items(options) {
        match option.ok()?.as_tuple_of() {
            Some([am::ASYNC, value]) => answer.asynchronous = am::to_boolean(value)?,
            Some([am::INFO, value]) if info_allowed => answer.info = am::to_boolean(value)?,
            _ => return None,
        }
    }
    Some(answer)
}

/// `cancel_timer(Reference)`: returns the milliseconds left, or `false`.
pub(crate) fn cancel_timer_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    ask(process, reference, Term::NIL, true)
}

/// `cancel_timer(Reference, Options)`; the options are `{async, am::to_boolean()}` and `{info, am::to_boolean()}`.
pub(crate) fn cancel_timer_2(process: &mut Process, [reference, options]: [Term; 2]) -> BifResult {
    ask(process, reference, options, true)
}

/// `read_timer(Reference)`: returns the milliseconds left, or `false`.
pub(crate) fn read_timer_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    ask(process, reference, Term::NIL, false)
}

/// `read_timer(Reference, Options)`; the only option is `{async, am::to_boolean()}`.
pub(crate) fn read_timer_2(process: &mut Process, [reference, options]: [Term; 2]) -> BifResult {
    ask(process, reference, options, false)
}

fn ask(process: &mut Process, reference: Term, options: Term, cancel: bool) -> BifResult {
    if !reference.is_reference() {
        return Err(badarg(1));
    }
    let answer = answer(options, cancel).ok_or_else(|| badarg(2))?;
    let left_ms = reference::number(reference).and_then(|(number, _)| {
        if cancel {
            bif_timers::cancel(number)
        } else {
            bif_timers::read(number)
        }
    });
    let result = left_ms.map_or(am::FALSE, Term::small);
    if !answer.info {
        return Ok(am::OK);
    }
    if answer.asynchronous {
        let kind = if cancel {
            am::CANCEL_TIMER
        } else {
            am::READ_TIMER
        };
        let message = build::tuple(process.heap(), &[kind, reference, result]);
        signal_handling::deliver_last(process, am::CLOCK_SERVICE, message);
        return Ok(am::OK);
    }
    Ok(result)
}
