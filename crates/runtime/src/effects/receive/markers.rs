//! Receive markers: places in the message queue before which no message can contain a certain reference.
//!
//! The compiler reserves a marker before a reference is made, binds it to the reference, and lets the receive of the
//! reply begin there, so that it need not examine the messages that had already arrived.

use layout::Term;
use term::{am, reference};

use super::priority;
use crate::effects::signal_handling;
use crate::process::Process;

/// Reserves a marker at the end of the queue, and returns a term for [`bind`].
#[inline]
pub(crate) fn reserve(process: &mut Process) -> Term {
    // Messages that have already arrived cannot contain a reference that does not exist yet, so the scan may start
    // after them.
    signal_handling::drain(process);
    let position = process.head.messages.last;
    if process.head.messages.first.is_null() {
        // An empty queue gains nothing from a marker.
        return am::UNDEFINED;
    }
    let id = process.cold().receive_markers.reserve(position);
    Term::small(id as i64)
}

/// Binds a reserved marker to a reference.
#[inline]
pub(crate) fn bind(process: &mut Process, marker: Term, reference: Term) {
    let (Some(id), Some(number)) = (marker.as_small(), reference::number(reference)) else {
        return;
    };
    if let Some(cold) = process.cold.as_mut() {
        cold.receive_markers.bind(id as u64, number);
    }
}

/// Removes the marker that is bound to a reference, or a reserved one.
#[inline]
pub(crate) fn clear(process: &mut Process, reference: Term) {
    let number = reference::number(reference);
    let id = reference.as_small();
    if let Some(cold) = process.cold.as_mut() {
        cold.receive_markers.clear(number, id);
    }
}

/// Lets the next receive begin at the marker that is bound to a reference, if there is one.
#[inline]
pub(crate) fn start_at(process: &mut Process, reference: Term) {
    let Some(number) = reference::number(reference) else {
        return;
    };
    if let Some(cold) = process.cold.as_ref()
        && let Some(position) = cold.receive_markers.position_of(number)
    {
        process.head.messages.save = position;
        if cold.receive_markers.has_priority() {
            priority::begin_before(process, position);
        }
    }
}
