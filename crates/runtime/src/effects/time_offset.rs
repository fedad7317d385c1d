//! How whoever watches the time offset is told that it has changed.
//!
//! Any thread may call.

use term::am;
use term::build;
use term::copy::Owned;
use term::heap::Scratch;

use crate::effects::signal_handling;
use crate::mail::signal;
use crate::mail::time::{self, watchers};
use crate::process::Process;
use crate::process::relations::{self, ReferenceNumber};
use crate::process::signal::Signal;

/// Follows the system's wall clock, as [`time::follow`] does, and tells whoever watches the offset.
#[inline]
pub(crate) fn follow() {
    if let Some(offset_ns) = time::follow() {
        tell(offset_ns);
    }
}

/// As [`follow`], at once: the wall clock was set, or the offset made final.
pub fn follow_now() {
    if let Some(offset_ns) = time::follow_now() {
        tell(offset_ns);
    }
}

#[cold]
fn tell(offset_ns: i64) {
    for (number, watcher) in watchers::all() {
        let change = move |process: Option<&mut Process>| {
            if let Some(process) = process {
                changed(process, number, offset_ns);
            }
        };
        let _ = signal::send(watcher, Signal::Call(Box::new(change)));
    }
}

/// Delivers the message of a monitor of the offset, which goes on.
fn changed(process: &mut Process, number: ReferenceNumber, offset_ns: i64) {
    let own = process.pid();
    let Some(monitor) = process.relations.time_offset_monitor(number) else {
        return;
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let tag = monitor.tag.map_or(am::UC_CHANGE, Owned::term);
    let owner = monitor.names_owner.then_some(own);
    let reference = relations::reference_of(heap, number.0, owner);
    let offset = build::integer(heap, offset_ns);
    let parts = [tag, reference, am::TIME_OFFSET, am::CLOCK_SERVICE, offset];
    let message = build::tuple(heap, &parts);
    signal_handling::deliver(process, am::CLOCK_SERVICE, message);
}
