//! The receive markers of a process: links of its message queue, and the references that no earlier message can
//! contain.

use layout::Fragment;

use super::relations::ReferenceNumber;

/// Markers that a process may hold at once; one more evicts the oldest.
const MOST: usize = 8;

struct Marker {
    id: u64,
    /// The bound reference's number, once bound.
    reference: Option<ReferenceNumber>,
    /// The link at which the scan may begin.
    position: *mut *mut Fragment,
}

/// The `id` of the place where the receive in progress goes on after messages with priority
/// (`effects::receive::priority`).
const RESUME: u64 = 0;

/// The `id` of the place behind the messages with priority; it is there if [`RESUME`] is.
const PRIORITY_END: u64 = 1;

/// The first `id` that a program gets.
const FIRST: u64 = 2;

/// The markers of a process: first those of `effects::receive::priority`, then the program's, the oldest first.
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
    pub(crate) fn priority_end(&mut self) -> Option<&mut *mut *mut Fragment> {
        let own = self.0.iter_mut().take_while(|marker| marker.id < FIRST);
        let end = own.into_iter().find(|marker| marker.id == PRIORITY_END);
        end.map(|marker| &mut marker.position)
    }

    /// Notes the end of the messages with priority, which was not known.
    pub(crate) fn begin_priority(&mut self, position: *mut *mut Fragment) {
        self.0.insert(0, Marker::own(PRIORITY_END, position));
    }

    /// Keeps the place where a receive goes on. The end of the messages with priority is known.
    pub(crate) fn resume_at(&mut self, position: *mut *mut Fragment) {
        match self.0.first_mut() {
            Some(marker) if marker.id == RESUME => marker.position = position,
            _ => self.0.insert(0, Marker::own(RESUME, position)),
        }
    }

    /// Reserves a marker at a link; returns the `id` by which a program names it.
    pub(crate) fn reserve(&mut self, position: *mut *mut Fragment) -> u64 {
        if self.0.len() >= MOST
            && let Some(oldest) = self.0.iter().position(|marker| marker.id >= FIRST)
        {
            self.0.remove(oldest);
        }
        let id = self.0.last().map_or(FIRST, |marker| marker.id + 1);
        self.0.push(Marker {
            id,
            reference: None,
            position,
        });
        id
    }

    /// Binds a reserved marker to a reference.
    pub(crate) fn bind(&mut self, id: u64, reference: ReferenceNumber) {
        if let Some(marker) = self.0.iter_mut().find(|marker| marker.id == id) {
            marker.reference = Some(reference);
        }
    }

    /// Removes the marker that is bound to a reference, or a reserved one.
    pub(crate) fn clear(&mut self, reference: Option<ReferenceNumber>, id: Option<i64>) {
        self.0.retain(|marker| {
            (reference.is_none() || marker.reference != reference) && id != Some(marker.id as i64)
        });
    }

    /// Where a receive may begin that waits for a reference.
    pub(crate) fn position_of(&self, reference: ReferenceNumber) -> Option<*mut *mut Fragment> {
        let marker = self
            .0
            .iter()
            .find(|marker| marker.reference == Some(reference));
        marker.map(|marker| marker.position)
    }

    /// Whether there are places of messages with priority.
    pub(crate) fn has_priority(&self) -> bool {
        self.0.first().is_some_and(|marker| marker.id < FIRST)
    }

    /// The place that was kept.
    pub(crate) fn resume(&mut self) -> Option<*mut *mut Fragment> {
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
