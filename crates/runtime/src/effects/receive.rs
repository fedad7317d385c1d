//! Receiving: what `receive` needs besides examining messages that are already in the inner queue.
//!
//! The engine examines messages from the queue's `save` on. Where they end it calls [`look_for_message`], and then sets
//! the [`timer`] and waits; a clause that matches ends in [`remove`]. [`markers`] let a receive of a reply begin after
//! the messages that cannot contain its reference. Only the thread that runs the process calls these functions.

pub(crate) mod markers;
pub(crate) mod priority;
pub(crate) mod timer;

use layout::context::Arrived;
use layout::process::state as receive_state;

use crate::effects::signal_handling::{self, Drained};
use crate::effects::system_monitor;
use crate::mail::metering;
use crate::mail::observer::observer;
use crate::process::signal::TOKEN_MESSAGE;
use crate::process::{Flags, Process, message_queue};

/// Handles the signals that have arrived, and returns whether there is a message at `save`.
#[inline]
pub(crate) fn look_for_message(process: &mut Process) -> Arrived {
    let drained = signal_handling::drain_some(process);
    if process
        .flags
        .intersects(Flags::EXIT_PENDING | Flags::PRIORITY_MESSAGES)
    {
        if process.flags.contains(Flags::EXIT_PENDING) {
            return Arrived::Ended;
        }
        priority::seek(process);
    }
    if drained == Drained::Some {
        return Arrived::Later;
    }
    // SAFETY: `save` is a link of the queue.
    if unsafe { (*process.head.messages.save).is_null() } {
        Arrived::Nothing
    } else {
        Arrived::Message
    }
}

/// Takes the message at `save` out of the queue; its fragment becomes part of the heap. The next receive begins with
/// the first message.
///
/// # Safety
/// A message is at `save`.
#[inline]
pub(crate) unsafe fn remove(process: &mut Process) {
    if process.head.receive_state != receive_state::NO_TIMER {
        timer::stop(process);
    }
    // SAFETY: the caller's promise; the message is in no list once it is taken out.
    unsafe {
        let message = message_queue::take_saved(process);
        if (*message).kind >= TOKEN_MESSAGE || process.flags.contains(Flags::TRACED) {
            metering::received(message);
            if (*message).kind >= TOKEN_MESSAGE || process.flags.contains(Flags::TRACED) {
                observer().has_received(process, message);
                system_monitor::queue_shrinks(process);
            }
        }
        if (*message).words == 0 {
            term::heap::free_fragment(message);
        } else {
            term::heap::adopt(&mut process.head.heap, message);
        }
    }
}

/// The receive takes its timeout branch.
#[inline]
pub(crate) fn timed_out(process: &mut Process) {
    if process.flags.contains(Flags::TRACED) {
        observer().times_out(process);
    }
    timer::stop(process);
    message_queue::rewind(process);
}
