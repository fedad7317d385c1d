//! Receive markers: places in the message queue before which no message can contain a certain reference.
//!
//! The compiler reserves a marker before a reference is made, binds it to the reference, and lets the receive of the
//! reply begin there, so that it need not examine the messages that had already arrived.

use layout::{Fragment, Term};
use term::{am, reference};

use crate::process::Process;
use crate::process::relations::ReferenceNumber;
use crate::signal::handle;

/// Markers that a process may hold at once; one more evicts the oldest.
const MOST: usize = 8;

struct Marker {
    id: u64,
    /// The bound reference's number, once bound.
    reference: Option<ReferenceNumber>,
    /// The link at which the scan may begin.
    position: *mut *mut Fragment,
}

/// The markers of a process, the oldest first.
#[derive(Default)]
pub struct ReceiveMarkers(Vec<Marker>);

impl ReceiveMarkers {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves the markers at one link to another.
    pub fn relink(&mut self, from: *mut *mut Fragment, to: *mut *mut Fragment) {
        for marker in &mut self.0 {
            if marker.position == from {
                marker.position = to;
            }
        }
    }
}

/// Reserves a marker at the end of the queue, and returns a term for [`bind`].
#[inline]
pub fn reserve(process: &mut Process) -> Term {
    // Messages that have already arrived cannot contain a reference that does not exist yet, so the scan may start
    // after them.
    handle::fetch(process);
    let position = process.head.messages.last;
    if process.head.messages.count == 0 {
        // An empty queue gains nothing from a marker.
        return am::UNDEFINED;
    }
    let markers = &mut process.cold().receive_markers.0;
    if markers.len() >= MOST {
        markers.remove(0);
    }
    let id = markers.last().map_or(1, |marker| marker.id + 1);
    markers.push(Marker {
        id,
        reference: None,
        position,
    });
    Term::small(id as i64)
}

/// Binds a reserved marker to a reference.
#[inline]
pub fn bind(process: &mut Process, marker: Term, reference: Term) {
    let (Some(id), Some(number)) = (marker.as_small(), reference::number(reference)) else {
        return;
    };
    if let Some(cold) = process.cold.as_mut()
        && let Some(marker) = cold
            .receive_markers
            .0
            .iter_mut()
            .find(|marker| marker.id == id as u64)
    {
        marker.reference = Some(number);
    }
}

/// Removes the marker that is bound to a reference, or a reserved one.
#[inline]
pub fn clear(process: &mut Process, reference: Term) {
    let number = reference::number(reference);
    let id = reference.as_small();
    if let Some(cold) = process.cold.as_mut() {
        cold.receive_markers.0.retain(|marker| {
            (number.is_none() || marker.reference != number) && id != Some(marker.id as i64)
        });
    }
}

/// Lets the next receive begin at the marker that is bound to a reference, if there is one.
#[inline]
pub fn start_at(process: &mut Process, reference: Term) {
    let Some(number) = reference::number(reference) else {
        return;
    };
    if let Some(cold) = process.cold.as_ref()
        && let Some(marker) = cold
            .receive_markers
            .0
            .iter()
            .find(|marker| marker.reference == Some(number))
    {
        process.head.messages.save = marker.position;
    }
}
