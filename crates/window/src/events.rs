//! The list of events: what `system_monitor` tells a program that asks for it (long collections, large heaps, processes
//! that wait for busy ports and connections, what the memory guard does), long slices and long message queues, which
//! the window finds by itself ([`watcher`]), and what the window was made to do.
//!
//! No process is needed for it, and no setting of a program changes or is changed by it. It begins when the window is
//! opened, and has the last [`ring::MOST`] events; those that repeat are one, which is counted. Any thread may call;
//! what has an event notes it in about a microsecond.

mod kept;
mod ring;
mod watcher;

use std::net::SocketAddr;

use layout::Term;
use parking_lot::Mutex;
use runtime::effects::flood;
use runtime::effects::system_monitor::MonitorSettings;
use runtime::effects::system_monitor::watch::{self, What};
use serde::Serialize;

use crate::listed::{self, ListQuery, Listed, columns};
use crate::printed;
pub use kept::Limits;
use kept::add;
use ring::{Detail, Event};
use watcher::Watcher;

/// What was done by the window itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    Opened(SocketAddr),
    /// Somebody has shown a token that was not the right one.
    WrongToken,
    Killed(Term),
    Collected(Term),
    Profiled,
}

/// An event, or several alike.
#[derive(Clone, Debug, Serialize)]
pub struct EventRow {
    /// Events are counted from 0 on.
    pub number: u64,
    pub first_unix_ms: u64,
    pub last_unix_ms: u64,
    /// How often it has happened from the first time to the last.
    pub count: u64,
    /// `long_gc`, `large_heap`, `long_schedule`, `long_message_queue`, `busy_port`, `busy_dist_port`, `memory_guard`,
    /// or `dashboard`.
    pub event: &'static str,
    /// The process, or `node` or the name of another node.
    pub about: Option<String>,
    /// The registered name that it had.
    pub name: Option<String>,
    /// The longest.
    pub took_ms: Option<u64>,
    /// Of its heap: the largest.
    pub size_bytes: Option<u64>,
    /// In its queue: the most.
    pub messages: Option<u64>,
    /// It is still so.
    pub is_lasting: bool,
    /// The port, the function, or what the memory guard tells.
    pub detail: Option<String>,
}

columns!(EventRow: number, first_unix_ms, last_unix_ms, count, event, about, name, took_ms, size_bytes, messages,
    is_lasting, detail);

/// The list.
#[derive(Clone, Debug, Serialize)]
pub struct Events {
    pub limits: Limits,
    /// Older ones, which were forgotten.
    pub forgotten: u64,
    /// Without another order the newest come first.
    #[serde(flatten)]
    pub listed: Listed<EventRow>,
}

/// What there is while the window is open.
struct Open {
    limits: Limits,
    _watcher: Watcher,
}

static OPEN: Mutex<Option<Open>> = Mutex::new(None);

/// Begins the list, unless it has begun.
///
/// # Errors
/// The system's, if there is no thread for it.
pub(crate) fn open(limits: Limits) -> sys::Result<()> {
    let mut open = OPEN.lock();
    if open.is_some() {
        return Ok(());
    }
    *open = Some(Open {
        limits,
        _watcher: Watcher::start(limits)?,
    });
    kept::set(true);
    let settings = MonitorSettings {
        long_gc_ms: limits.long_gc_ms,
        long_schedule_ms: limits.long_schedule_ms,
        large_heap_words: limits.large_heap_words,
        busy_port: true,
        busy_dist_port: true,
        memory_guard: true,
        long_queue: None,
    };
    watch::set(Some((settings, happens)));
    Ok(())
}

/// Ends it; what it had is forgotten.
pub(crate) fn close() {
    let mut open = OPEN.lock();
    watch::set(None);
    flood::end_watches();
    *open = None;
    kept::set(false);
}

/// Notes what the window itself has done.
pub(crate) fn note(own: Own) {
    let (about, detail) = match own {
        Own::Opened(address) => (Term::NONE, format!("opened at {address}")),
        Own::WrongToken => (Term::NONE, "a wrong token was shown".to_owned()),
        Own::Profiled => (Term::NONE, "a profile was taken".to_owned()),
        Own::Killed(pid) => (pid, "killed".to_owned()),
        Own::Collected(pid) => (pid, "its garbage was collected".to_owned()),
    };
    add(Event::new("dashboard", about, Detail::Text(detail)));
}

/// Called by the thread that has an event.
fn happens(about: Term, what: What) {
    let event = |kind, detail| Event::new(kind, about, detail);
    add(match what {
        What::LongCollection { took_ms, words } => Event {
            took_ms: Some(took_ms),
            words: Some(words),
            ..event("long_gc", Detail::None)
        },
        What::LargeHeap { words } => Event {
            words: Some(words),
            ..event("large_heap", Detail::None)
        },
        What::BusyPort { port } => event("busy_port", Detail::Identifier(port)),
        What::BusyDistPort { controller } => {
            event("busy_dist_port", Detail::Identifier(controller))
        }
        What::MemoryGuard(text) => event("memory_guard", Detail::Text(text)),
    });
}

/// The list; empty while the window is closed.
///
/// # Errors
/// As [`listed::page`].
pub(crate) fn page(query: &ListQuery) -> Result<Events, String> {
    let limits = OPEN.lock().as_ref().map(|open| open.limits);
    let (events, forgotten) = kept::newest_first();
    Ok(Events {
        limits: limits.unwrap_or_default(),
        forgotten,
        listed: listed::page(events, 0, query, EventRow::of)?,
    })
}

impl EventRow {
    fn of(event: &Event) -> EventRow {
        EventRow {
            number: event.number,
            first_unix_ms: event.first_unix_ms,
            last_unix_ms: event.last_unix_ms,
            count: event.count,
            event: event.kind,
            about: (!event.about.is_none()).then(|| printed::identifier(event.about)),
            name: event.name.map(printed::name),
            took_ms: event.took_ms,
            size_bytes: event.words.map(|words| words.saturating_mul(8)),
            messages: event.messages,
            is_lasting: event.is_lasting,
            detail: match &event.detail {
                Detail::None => None,
                Detail::Identifier(identifier) => Some(printed::identifier(*identifier)),
                Detail::Text(text) => Some(printed::text(text, printed::MOST)),
            },
        }
    }
}
