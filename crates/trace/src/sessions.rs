//! Trace sessions, which OTP has from release 27 on: `trace:session_create/3`. A session has a tracer of its own, and what is
//! traced in it ends with it.
//!
//! A process or port is traced in one session at a time, and the patterns of functions and messages are those of one session
//! at a time: what another session holds is refused, never changed. `erlang:trace/3` and its relatives act in the session
//! [`LEGACY`], which is always there. A session lives until it is destroyed.
//!
//! Any thread may call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use layout::{Heap, Term};
use parking_lot::Mutex;
use runtime::process::Process;
use runtime::trace::{LEGACY, Tracer};
use term::heap::Scratch;
use term::{am, build};

use crate::patterns;
use crate::tracees::{self, Change};

/// A session that a program has made.
pub struct Session {
    pub number: u32,
    pub tracer: Tracer,
    name: Term,
}

/// The sessions that exist, the latest first.
static SESSIONS: Mutex<Vec<Arc<Session>>> = Mutex::new(Vec::new());
/// How many were made so far; numbers begin with 1, behind [`LEGACY`].
static MADE: AtomicU32 = AtomicU32::new(LEGACY);
/// The patterns that exist; they belong to one session. To change one the world is stopped, so this lock is never held while a
/// thread waits for that: who waits for the lock runs a process, and would never stop.
static PATTERNS: Mutex<Patterns> = Mutex::new(Patterns {
    session: LEGACY,
    all: Vec::new(),
    changes: 0,
});

struct Patterns {
    session: u32,
    all: Vec<Pattern>,
    /// How many changes are under way; they are of this session, too.
    changes: usize,
}

/// What `trace_pattern` was called for, with `'_'` for what it left open.
struct Pattern {
    functions: [Term; 3],
    /// By export; at breakpoints otherwise.
    is_global: bool,
}

impl Pattern {
    fn of(functions: Term, flags: Term) -> Pattern {
        let functions = match functions.as_tuple() {
            Some(&[module, function, arity]) => [module, function, arity],
            _ => [functions, am::UNDERSCORE, am::UNDERSCORE],
        };
        Pattern {
            functions,
            is_global: flags.is_nil(),
        }
    }

    /// Whether the end of this pattern ends another one.
    fn covers(&self, other: &Pattern) -> bool {
        let mut parts = self.functions.iter().zip(other.functions);
        self.is_global == other.is_global
            && parts.all(|(part, other)| *part == am::UNDERSCORE || *part == other)
    }
}

impl Patterns {
    fn holder(&self) -> Option<u32> {
        (!self.all.is_empty() || self.changes > 0).then_some(self.session)
    }

    /// A change was made.
    fn record(&mut self, functions: Term, specification: Term, flags: Term) {
        // All messages are traced unless a pattern says otherwise.
        let plain = match functions {
            am::SEND | am::RECEIVE => am::TRUE,
            _ => am::FALSE,
        };
        let changed = Pattern::of(functions, flags);
        self.all.retain(|other| !changed.covers(other));
        if specification != plain {
            self.all.push(changed);
        }
    }
}

/// Makes a session.
#[must_use]
pub fn make(name: Term, tracer: Tracer) -> Arc<Session> {
    let session = Arc::new(Session {
        number: MADE.fetch_add(1, Ordering::Relaxed) + 1,
        tracer,
        name,
    });
    SESSIONS.lock().insert(0, session.clone());
    session
}

/// The session of this number; `None` if it is destroyed, and for [`LEGACY`].
#[must_use]
pub fn find(number: u32) -> Option<Arc<Session>> {
    let sessions = SESSIONS.lock();
    sessions
        .iter()
        .find(|session| session.number == number)
        .cloned()
}

/// The number of the session that a weak reference names, `{Name, Number}`.
#[must_use]
pub fn named(term: Term) -> Option<u32> {
    let &[name, number] = term.as_tuple()? else {
        return None;
    };
    if name == am::LEGACY && number == am::DEFAULT {
        return Some(LEGACY);
    }
    let number = u32::try_from(number.as_small()?).ok()?.checked_add(1)?;
    find(number)
        .filter(|session| session.name == name)
        .map(|session| session.number)
}

/// The weak reference to a session.
pub fn weak(heap: &mut Heap, number: u32) -> Term {
    let name = match find(number) {
        Some(session) => [session.name, Term::small(i64::from(number) - 1)],
        None => [am::LEGACY, am::DEFAULT],
    };
    build::tuple(heap, &name)
}

/// The weak references to all sessions.
pub fn all(heap: &mut Heap) -> Term {
    let numbers: Vec<u32> = SESSIONS
        .lock()
        .iter()
        .map(|session| session.number)
        .collect();
    let sessions: Vec<Term> = numbers
        .into_iter()
        .chain([LEGACY])
        .map(|number| weak(heap, number))
        .collect();
    build::list(heap, &sessions)
}

/// The session that has patterns.
#[must_use]
pub fn with_patterns() -> Option<u32> {
    PATTERNS.lock().holder()
}

/// `trace_pattern` in a session; `None` if another session has patterns.
///
/// # Errors
/// See [`patterns::change`].
pub fn change_patterns(
    process: &Process,
    session: u32,
    [functions, specification, flags]: [Term; 3],
) -> Option<Result<usize, patterns::Refusal>> {
    let mut present = PATTERNS.lock();
    if present.holder().is_some_and(|other| other != session) {
        // What this session does not have need not be ended.
        return (specification == am::FALSE).then_some(Ok(0));
    }
    present.session = session;
    present.changes += 1;
    drop(present);
    let result = change(process, functions, specification, flags);
    PATTERNS.lock().changes -= 1;
    Some(result)
}

/// Changes patterns, and records that in the order in which changes are made.
fn change(
    process: &Process,
    functions: Term,
    specification: Term,
    flags: Term,
) -> Result<usize, patterns::Refusal> {
    patterns::change(process, functions, specification, flags, || {
        let mut present = PATTERNS.lock();
        present.record(functions, specification, flags);
    })
}

/// Ends a session, and all that is traced in it; false if there is no such session.
pub fn destroy(process: &mut Process, number: u32) -> bool {
    let mut sessions = SESSIONS.lock();
    let before = sessions.len();
    sessions.retain(|session| session.number != number);
    let is_ended = sessions.len() != before;
    drop(sessions);
    if !is_ended {
        return false;
    }
    let off = Change {
        on: false,
        what: u32::MAX,
        tracer: None,
        cpu_time: false,
        session: number,
    };
    // Nothing is refused here: what belongs to other sessions stays.
    let _ = tracees::change(process, am::ALL, &off);
    // Again if a change was under way that began while the session was there.
    while with_patterns() == Some(number) && !PATTERNS.lock().all.is_empty() {
        end_patterns(process);
    }
    true
}

/// Ends every pattern.
fn end_patterns(process: &Process) {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let every = build::tuple(heap, &[am::UNDERSCORE; 3]);
    let at_breakpoints = [am::LOCAL, am::META, am::CALL_COUNT, am::CALL_TIME];
    let at_breakpoints = build::list(heap, &at_breakpoints);
    let changes = [
        (every, am::FALSE, Term::NIL),
        (every, am::FALSE, at_breakpoints),
        (am::ON_LOAD, am::FALSE, Term::NIL),
        (am::ON_LOAD, am::FALSE, at_breakpoints),
        (am::SEND, am::TRUE, Term::NIL),
        (am::RECEIVE, am::TRUE, Term::NIL),
    ];
    for (functions, specification, flags) in changes {
        // These arguments are right.
        let _ = change(process, functions, specification, flags);
    }
}
