//! Trace sessions, which OTP has from release 27 on: `trace:session_create/3`. A session has a tracer, patterns and
//! tracees of its own, and knows nothing of those of others. `erlang:trace/3` and its relatives act in the session
//! [`LEGACY`], which is always there.
//!
//! What a session traces of a process or port stands there ([`Tracings`](runtime::process::tracing::Tracings)), and
//! what it does when a function is called at that function ([`Actions`](runtime::trace::points::Actions)); everything
//! else is here. A session ends when it is destroyed, or when no program holds it any more. From then on nobody finds
//! it, and what is changed in it where that was under way has no effect; then whatever it has left at processes, ports
//! and functions is taken off.
//!
//! Any thread may call.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use layout::{Heap, Term};
use parking_lot::{Mutex, RwLock};
use runtime::effects::port;
use runtime::mail::world;
use runtime::process::dirty::DirtyKind;
use runtime::process::tracing::{LEGACY, Tracer};
use runtime::trace::newcomers::{PORTS, PROCESSES};
use runtime::trace::points::Condition;
use runtime::trace::{self, costs};
use term::{am, build};

use crate::on_load::OnLoad;
use crate::patterns;

/// A session.
pub struct Session {
    pub number: u32,
    name: Term,
    /// Who is told; if that is open, as in the session [`LEGACY`], each call says it.
    pub tracer: Option<Tracer>,
    /// What decides on events that are no calls: `None` if they are not told at all.
    pub(crate) send: Mutex<Option<Condition>>,
    pub(crate) receive: Mutex<Option<Condition>>,
    /// What is traced of modules that will be loaded.
    pub(crate) on_load: Mutex<OnLoad>,
}

/// The session in which `erlang:trace/3` acts.
static OLD: LazyLock<Arc<Session>> = LazyLock::new(|| new(LEGACY, am::LEGACY, None));
/// The other sessions that exist, the oldest first.
static SESSIONS: RwLock<Vec<Arc<Session>>> = RwLock::new(Vec::new());
/// How many were made so far; numbers begin with 1, behind [`LEGACY`].
static MADE: AtomicU32 = AtomicU32::new(LEGACY);

fn new(number: u32, name: Term, tracer: Option<Tracer>) -> Arc<Session> {
    Arc::new(Session {
        number,
        name,
        tracer,
        send: Mutex::new(Some(None)),
        receive: Mutex::new(Some(None)),
        on_load: Mutex::new(OnLoad::default()),
    })
}

/// Makes a session.
#[must_use]
pub fn make(name: Term, tracer: Option<Tracer>) -> Arc<Session> {
    let number = MADE.fetch_add(1, Ordering::Relaxed) + 1;
    let session = new(number, name, tracer);
    SESSIONS.write().push(session.clone());
    session
}

/// The session [`LEGACY`].
#[must_use]
pub fn legacy() -> Arc<Session> {
    OLD.clone()
}

/// The session of this number, if it exists.
#[must_use]
pub fn find(number: u32) -> Option<Arc<Session>> {
    with(number, Arc::clone)
}

/// What `look` says of the session of this number, if it exists. Without a count of its own, because each event asks.
pub(crate) fn with<R>(number: u32, look: impl FnOnce(&Arc<Session>) -> R) -> Option<R> {
    if number == LEGACY {
        return Some(look(&OLD));
    }
    let sessions = SESSIONS.read();
    sessions.iter().find(|s| s.number == number).map(look)
}

/// All sessions, in the order in which stock goes through them: the one that is always there, and the others, the
/// latest first.
#[must_use]
pub fn all() -> Vec<Arc<Session>> {
    let sessions = SESSIONS.read();
    std::iter::once(legacy())
        .chain(sessions.iter().rev().cloned())
        .collect()
}

/// The session that a weak reference names, `{Name, Number}`. The one that is always there has no such name.
#[must_use]
pub fn named(term: Term) -> Option<Arc<Session>> {
    let [name, number] = term.as_tuple_of()?;
    let number = u32::try_from(number.as_small()?).ok()?.checked_add(1)?;
    find(number).filter(|session| session.name == name)
}

impl Session {
    /// The weak reference to it.
    pub fn weak(&self, heap: &mut Heap) -> Term {
        let number = match self.number {
            LEGACY => am::DEFAULT,
            number => Term::small(i64::from(number) - 1),
        };
        build::tuple(heap, &[self.name, number])
    }

    /// Whether it has not ended.
    #[must_use]
    pub fn exists(&self) -> bool {
        exists(self.number)
    }

    /// Whether its tracees' sends (`send`) or receives (`'receive'`) may be told.
    #[must_use]
    pub fn is_told_of(&self, event: Term) -> bool {
        self.of_events(event).lock().is_some()
    }

    /// What decides on sends (`send`) or receives (`'receive'`).
    pub(crate) fn of_events(&self, event: Term) -> &Mutex<Option<Condition>> {
        match event {
            am::SEND => &self.send,
            _ => &self.receive,
        }
    }
}

/// Whether there is a session of this number.
pub(crate) fn exists(number: u32) -> bool {
    number == LEGACY || SESSIONS.read().iter().any(|s| s.number == number)
}

/// The list of weak references to those of these sessions that exist. As on stock it has the last one first.
pub fn list(heap: &mut Heap, numbers: impl IntoIterator<Item = u32>) -> Term {
    let mut list = Term::NIL;
    for session in numbers.into_iter().filter_map(find) {
        let weak = session.weak(heap);
        list = build::cons(heap, weak, list);
    }
    list
}

/// Has messages say who has sent them, or no longer, as the patterns of all sessions need that. The world must be
/// stopped.
pub(crate) fn settle_senders() {
    let asks = |session: &Arc<Session>| matches!(*session.receive.lock(), Some(Some(_)));
    runtime::trace::senders::ask(all().iter().any(asks));
}

/// Ends a session, and all that is traced in it; false if it has ended before. Called from a BIF.
pub fn destroy(session: &Session) -> bool {
    let is_there = remove(session.number);
    if is_there {
        take_off(session.number);
    }
    is_there
}

/// No program holds a session any more. May be called wherever objects are freed: what it traces is taken off later.
pub fn is_not_held(session: &Session) {
    let number = session.number;
    if remove(number) {
        runtime::mail::dirty::later(DirtyKind::Chore, move || take_off(number));
    }
}

fn remove(number: u32) -> bool {
    let mut sessions = SESSIONS.write();
    let before = sessions.len();
    sessions.retain(|session| session.number != number);
    sessions.len() != before
}

/// Takes off what a session that nobody finds any more has left.
fn take_off(number: u32) {
    for newcomers in [&PROCESSES, &PORTS] {
        newcomers.change(|tracings| tracings.end(number));
    }
    trace::set_monitor(number, None);
    world::stopped(|| {
        trace::for_each_stopped(move |process| {
            trace::end(process, number);
            costs::forget(process, number);
        });
        patterns::end(number);
        settle_senders();
    });
    for port in port::list().into_iter().filter_map(port::find) {
        port.end_tracing(number);
    }
}
