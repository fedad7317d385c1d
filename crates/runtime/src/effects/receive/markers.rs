//! Receive markers: places in the message queue before which no message can contain a certain reference.
//!
//! The compiler reserves a marker before a reference is made, binds it to the reference, and lets the receive of the
//! reply begin there, so that it need not examine the messages that had already arrived.

use layout::{Fragment, Term};
use term::{am, reference};

use super::priority;
use crate::effects::incoming;
use crate::process::Process;
use crate::process::relations::ReferenceNumber;

/// Markers that a process may hold at once; one more evicts the oldest.
const MOST: usize = 8;

struct Marker {
    id: u64,
    /// The bound reference's number, once bound.
    reference: Option<ReferenceNumber>,
    /// The link at which the scan may begin.
    position: *mut *mut Fragment,
}

/// The `id` of the place where the receive in progress goes on after messages with priority ([`priority`]).
const RESUME: u64 = 0;
/// The `id` of the place behind the messages with priority; it is there if [`RESUME`] is.
const PRIORITY_END: u64 = 1;
/// The first `id` that a program gets.
const FIRST: u64 = 2;

/// The markers of a process: first those of [`priority`], then the program's, the oldest first.
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

    /// Where a message with priority goes: the link behind those that are in the queue, if it is known.
    pub(super) fn priority_end(&mut self) -> Option<&mut *mut *mut Fragment> {
        let own = self.0.iter_mut().take_while(|marker| marker.id < FIRST);
        let end = own.into_iter().find(|marker| marker.id == PRIORITY_END);
        end.map(|marker| &mut marker.position)
    }

    /// Notes the end of the messages with priority, which was not known.
    pub(super) fn begin_priority(&mut self, position: *mut *mut Fragment) {
        self.0.insert(0, Marker::own(PRIORITY_END, position));
    }

    /// Keeps the place where a receive goes on. The end of the messages with priority is known.
    pub(super) fn resume_at(&mut self, position: *mut *mut Fragment) {
        match self.0.first_mut() {
            Some(marker) if marker.id == RESUME => marker.position = position,
            _ => self.0.insert(0, Marker::own(RESUME, position)),
        }
    }

    /// The place that was kept.
    pub(super) fn resume(&mut self) -> Option<*mut *mut Fragment> {
        let is_there = self.0.first().is_some_and(|marker| marker.id == RESUME);
        is_there.then(|| self.0.remove(0).position)
    }
}

impl Marker {
    fn own(id: u64, position: *mut *mut Fragment) -> Marker {
        Marker {
            id,
            reference: None,
            position,
        }
    }
}

/// Reserves a marker at the end of the queue, and returns a term for [`bind`].
#[inline]
pub fn reserve(process: &mut Process) -> Term {
    // Messages that have already arrived cannot contain a reference that does not exist yet, so the scan may start
    // after them.
    incoming::fetch(process);
    let position = process.head.messages.last;
    if process.head.messages.count == 0 {
        // An empty queue gains nothing from a marker.
        return am::UNDEFINED;
    }
    let markers = &mut process.cold().receive_markers.0;
    if markers.len() >= MOST
        && let Some(oldest) = markers.iter().position(|marker| marker.id >= FIRST)
    {
        markers.remove(oldest);
    }
    let id = markers.last().map_or(FIRST, |marker| marker.id + 1);
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
        && let markers = &cold.receive_markers.0
        && let Some(marker) = markers
            .iter()
            .find(|marker| marker.reference == Some(number))
    {
        let position = marker.position;
        process.head.messages.save = position;
        if markers[0].id < FIRST {
            priority::begin_before(process, position);
        }
    }
}
