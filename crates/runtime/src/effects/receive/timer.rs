//! The receive timer: the timeout of `receive ... after`.
//!
//! The head's `receive_state` says whether the current receive has a timer, and whether it has expired. When it
//! expires, the timer service sends a signal with the timer's key, because the receive may have ended since.

use layout::context::Next;
use layout::process::state as receive_state;
use layout::{Context, Term};
use term::am;

use crate::effects::exception;
use crate::mail::timer;
use crate::process::timer_key::TimerKey;
use crate::process::{Cold, Flags, Process, message_queue};

/// Sets the timer of the current receive, unless it is already running; returns what the engine does next.
#[inline]
pub(crate) fn set(process: &mut Process, context: &mut Context, timeout: Term) -> Next {
    match process.head.receive_state {
        receive_state::TIMED_OUT => return Next::Continue,
        receive_state::TIMER_SET => return Next::Wait,
        _ => {}
    }
    if timeout == am::INFINITY {
        // The register that held the timeout does not survive the wait, so later calls must not read it again.
        process.head.receive_state = receive_state::TIMER_SET;
        return Next::Wait;
    }
    let Some(timeout_ms) = timeout
        .as_small()
        .filter(|ms| (0..=0xffff_ffff).contains(ms))
    else {
        // The next receive begins with the first message.
        message_queue::rewind(process);
        exception::raise_error(context, am::TIMEOUT_VALUE);
        return Next::Raised;
    };
    if process.flags.contains(Flags::EXIT_PENDING) {
        return Next::Wait;
    }
    if timeout_ms == 0 {
        return Next::Continue;
    }
    let pid = process.pid();
    let timer = timer::set_after(timeout_ms, timer::TimerTarget::Receive { pid });
    process.cold().receive_timer = Some(timer);
    process.head.receive_state = receive_state::TIMER_SET;
    Next::Wait
}

/// Ends the timing of the current receive.
pub(crate) fn stop(process: &mut Process) {
    process.head.receive_state = receive_state::NO_TIMER;
    if let Some(cold) = process.cold.as_mut() {
        cancel(cold);
    }
}

/// Cancels the timer, if one runs.
pub(crate) fn cancel(cold: &mut Cold) {
    if let Some(timer) = cold.receive_timer.take() {
        timer::cancel(timer);
    }
}

/// The timer has expired: unless it is an earlier receive's, the current receive times out.
pub(crate) fn expired(process: &mut Process, timer: TimerKey) {
    if let Some(cold) = process.cold.as_mut()
        && cold.receive_timer == Some(timer)
    {
        cold.receive_timer = None;
        let resumes = process.head.receive_state & receive_state::RESUMES;
        process.head.receive_state = receive_state::TIMED_OUT | resumes;
    }
}
