//! What the window is told of the events that `system_monitor` reports: by a call, where a program's monitor gets a
//! message, so that it needs no process and takes nothing away from programs.
//!
//! Any thread may call; what the window gave is called by the thread that has the event, so it must be short.

use layout::Term;
use parking_lot::Mutex;

use super::{MONITORS, MonitorSettings, publish};

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    LongCollection {
        took_ms: u64,
        /// The heap afterwards.
        words: u64,
    },
    LargeHeap {
        words: u64,
    },
    /// A process waits for this port.
    BusyPort {
        port: Term,
    },
    /// A process waits for a connection to another node, which this port or process carries.
    BusyDistPort {
        controller: Term,
    },
    /// What the memory guard does, as text.
    MemoryGuard(String),
}

/// Called with what an event is about: a process, or the atom `node` or a node's name where the memory guard tells of
/// that.
pub type Note = fn(Term, What);

static WATCH: Mutex<Option<(MonitorSettings, Note)>> = Mutex::new(None);

/// Begins to tell the window of events, or ends it. `long_queue` is of no effect: the window finds long queues itself.
/// With a `long_schedule_ms` above 0 each scheduler says which process it runs (`mail::schedulers::Shared::runs`).
pub fn set(watch: Option<(MonitorSettings, Note)>) {
    let monitors = MONITORS.lock();
    *WATCH.lock() = watch;
    publish(&monitors);
}

pub(super) fn settings() -> Option<MonitorSettings> {
    WATCH.lock().map(|(settings, _)| settings)
}

pub(super) fn tell(
    about: Term,
    wants: impl Fn(&MonitorSettings) -> bool,
    what: impl FnOnce() -> What,
) {
    let watch = *WATCH.lock();
    if let Some((_, note)) = watch.filter(|(settings, _)| wants(settings)) {
        note(about, what());
    }
}
