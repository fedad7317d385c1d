//! The events that are kept while the window is open, and from what on something is one. Any thread may call; who has
//! an event holds the lock for as long as it takes to write it.

use parking_lot::Mutex;
use runtime::mail::registry;
use serde::Serialize;

use super::ring::{Event, Ring};

/// From what on something is an event. 0: it is none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub struct Limits {
    pub long_gc_ms: u64,
    pub long_schedule_ms: u64,
    pub large_heap_words: u64,
    pub long_queue_messages: u64,
}

/// `None` while the window is closed.
static KEPT: Mutex<Option<Ring>> = Mutex::new(None);

/// Begins to keep events, or forgets them.
pub(super) fn set(is_open: bool) {
    *KEPT.lock() = is_open.then(Ring::default);
}

/// Adds an event; returns its number, if the list is open.
pub(super) fn add(event: Event) -> Option<u64> {
    let name = registry::name_of(event.about);
    let mut kept = KEPT.lock();
    Some(kept.as_mut()?.add(Event { name, ..event }))
}

/// Changes an event that is still there.
pub(super) fn change(number: u64, change: impl FnOnce(&mut Event)) {
    if let Some(ring) = KEPT.lock().as_mut() {
        ring.change(number, change);
    }
}

/// All events, the newest first, and how many were forgotten.
pub(super) fn newest_first() -> (Vec<Event>, u64) {
    let kept = KEPT.lock();
    kept.as_ref().map_or((Vec::new(), 0), |ring| {
        (ring.newest_first(), ring.forgotten())
    })
}
