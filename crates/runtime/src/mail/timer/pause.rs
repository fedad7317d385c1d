//! The timers of a process that others suspend by `suspend_process` stand still: from OTP 28 on that of its
//! `receive ... after`, from OTP 29 on also those that send to its pid. Timers that send to a name go on.

use term::release::{self, Release};

use super::{TimerTarget, bif_timers};
use crate::process::{Process, state};

/// One more process suspends this one.
pub(crate) fn begin(process: &mut Process) {
    if !release::has(Release::OTP_28) {
        return;
    }
    let pause = &mut process.extras().pause;
    pause.suspenders += 1;
    if pause.suspenders > 1 {
        return;
    }
    let cold = process.cold();
    // A timer that has just expired has sent its signal.
    if let Some(left_ms) = cold.receive_timer.and_then(super::stop) {
        cold.receive_timer = None;
        cold.extras().pause.receive_left_ms = Some(left_ms);
    }
    if release::has(Release::OTP_29) && state::set_timed(&process.state) {
        let pid = process.pid();
        bif_timers::pause_all_to(pid, &process.cold().timers);
    }
}

/// One of them does not suspend it any more.
pub(crate) fn end(process: &mut Process) {
    let pid = process.pid();
    let Some(cold) = process.cold.as_mut() else {
        return;
    };
    let Some(extras) = cold.extras.as_mut() else {
        return;
    };
    let pause = &mut extras.pause;
    if pause.suspenders != 1 {
        pause.suspenders = pause.suspenders.saturating_sub(1);
        return;
    }
    if let Some(left_ms) = std::mem::take(pause).receive_left_ms {
        cold.receive_timer = Some(super::set_after(left_ms, TimerTarget::Receive { pid }));
    }
    if release::has(Release::OTP_29) {
        bif_timers::go_on_all_to(pid, &cold.timers);
    }
}
