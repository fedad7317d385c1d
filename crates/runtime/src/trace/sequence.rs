//! Sequential trace: a *token* that a process passes on with what it sends, so that one can follow what a message has
//! led to.
//!
//! A process that has a token is observed ([`TRACED`](crate::process::Flags::TRACED)), as one that is traced is, and
//! only such a process comes here when it sends, spawns or ends. A message that carries a token is of a kind of its
//! own; its receiver takes the token over when it receives the message. A message that a program sends without one
//! takes the receiver's away, and one of the machine (a timer's, a port's, that of a monitor) leaves it alone: the kind
//! says which it is.
//!
//! Only the owner of a process calls these functions, if they do not say otherwise.

use std::sync::atomic::{AtomicBool, Ordering};

use layout::limits::SMALL_MAX;
use layout::{Fragment, Heap, ObjectKind, Term};
use parking_lot::Mutex;
use term::copy::{self, Owned};
use term::heap::Scratch;
use term::{am, build, reference};

use super::{Told, get};
use crate::effects::{port, signal_handling};
use crate::mail::signal::{self, Sent};
use crate::mail::{registry, senders};
use crate::process::rank::Rank;
use crate::process::sequence::{Spawn, Token, message_with, of, token_in};
use crate::process::signal::{MESSAGE, PRIORITY, TOKEN_MESSAGE};
use crate::process::tracing::Tracer;
use crate::process::{Process, epoch, state, table};

/// Bits of [`Token::flags`]; the numbers are visible in the token.
pub mod what {
    pub const SEND: u32 = 1;
    pub const RECEIVE: u32 = 1 << 1;
    pub const PRINT: u32 = 1 << 2;
    pub const TIMESTAMP: u32 = 1 << 3;
    pub const STRICT_MONOTONIC_TIMESTAMP: u32 = 1 << 4;
    pub const MONOTONIC_TIMESTAMP: u32 = 1 << 5;
}

/// Who is told of all sequences.
static SYSTEM_TRACER: Mutex<Option<Tracer>> = Mutex::new(None);
static HAS_TRACER: AtomicBool = AtomicBool::new(false);

/// Sets who is told, and returns who was. Any thread.
pub fn set_system_tracer(tracer: Option<Tracer>) -> Option<Tracer> {
    let mut place = SYSTEM_TRACER.lock();
    HAS_TRACER.store(tracer.is_some(), Ordering::Relaxed);
    living(std::mem::replace(&mut *place, tracer))
}

/// Who is told. Any thread.
pub fn system_tracer() -> Option<Tracer> {
    let mut place = SYSTEM_TRACER.lock();
    *place = living(place.take());
    HAS_TRACER.store(place.is_some(), Ordering::Relaxed);
    place.clone()
}

fn living(tracer: Option<Tracer>) -> Option<Tracer> {
    tracer.filter(|tracer| get().is_there(tracer, am::UNDEFINED))
}

/// Gives a process a token, or takes it away. Also while the world is stopped.
pub fn set(process: &mut Process, token: Option<Token>) {
    if token.is_none() && of(process).is_none() {
        return;
    }
    process.extras().sequence.get_or_insert_default().token = token;
    super::settle_flag(process);
}

/// The token of a process, a new one if it has none.
pub fn token(process: &mut Process) -> &mut Token {
    let pid = process.pid();
    if of(process).is_none() {
        let last = process.extras().sequence.get_or_insert_default().last;
        let token = Token {
            flags: 0,
            label: Owned::new(Term::small(0)),
            serial: 0,
            last,
            from: Owned::new(pid),
        };
        set(process, Some(token));
    }
    let sequence = process.extras().sequence.get_or_insert_default();
    sequence
        .token
        .as_mut()
        .expect("it was made if there was none")
}

/// The bit of a token that a flag stands for.
#[must_use]
pub fn bit_of(flag: Term) -> Option<u32> {
    Some(match flag {
        am::SEND => what::SEND,
        am::RECEIVE => what::RECEIVE,
        am::PRINT => what::PRINT,
        am::TIMESTAMP => what::TIMESTAMP,
        am::STRICT_MONOTONIC_TIMESTAMP => what::STRICT_MONOTONIC_TIMESTAMP,
        am::MONOTONIC_TIMESTAMP => what::MONOTONIC_TIMESTAMP,
        _ => return None,
    })
}

/// A component of a token before it was changed.
pub enum Before {
    Flag(bool),
    Label(Owned),
    /// The number of the event before, and of the last one.
    Serial(i64, i64),
    Token(Option<Token>),
}

/// Changes a component of the token of a process. If there is none, one is made, unless the component is the token
/// itself. `None` if there is no such component, or if it cannot have this value.
pub fn change(process: &mut Process, component: Term, value: Term) -> Option<Before> {
    if let Some(bit) = bit_of(component) {
        let bits = match value {
            am::TRUE => bit,
            am::FALSE => 0,
            _ => return None,
        };
        let token = token(process);
        let before = token.flags;
        token.flags = before & !bit | bits;
        return Some(Before::Flag(before & bit != 0));
    }
    match component {
        am::LABEL => {
            let label = Owned::new(value);
            let before = std::mem::replace(&mut token(process).label, label);
            Some(Before::Label(before))
        }
        am::SERIAL => {
            let [last, serial] = value.as_tuple_of()?;
            let (last, serial) = (last.as_small()?, serial.as_small()?);
            let token = token(process);
            let before = Before::Serial(token.last, token.serial);
            (token.last, token.serial) = (last, serial);
            // The numbers of the process go on from there.
            let sequence = process.extras().sequence.get_or_insert_default();
            (sequence.last, sequence.clock) = (last, serial);
            Some(before)
        }
        am::SEQUENTIAL_TRACE_TOKEN if value.is_nil() => {
            let before = of(process).cloned();
            set(process, None);
            Some(Before::Token(before))
        }
        _ => None,
    }
}

/// `{Component, Value}` of a token, which there may not be; `None` if there is no such component.
pub fn component(heap: &mut Heap, token: Option<&Token>, component: Term) -> Option<Term> {
    let value = match (component, token) {
        (am::LABEL | am::SERIAL, None) => return Some(Term::NIL),
        (am::SPAWN, None) => am::FALSE,
        (am::LABEL, Some(token)) => copy::copy(heap, token.label.term()),
        (am::SERIAL, Some(token)) => {
            build::tuple(heap, &[token.last, token.serial].map(Term::small))
        }
        (flag, token) => {
            let bit = bit_of(flag)?;
            am::boolean(token.is_some_and(|token| token.flags & bit != 0))
        }
    };
    Some(build::tuple(heap, &[component, value]))
}

/// A serial number as a token holds it: what is beyond a small integer is lost. One that grows sixteenfold with each
/// spawn is there after fifteen.
fn within_small(number: i64) -> i64 {
    let unused = (i64::BITS - 1) - SMALL_MAX.ilog2() - 1;
    number << unused >> unused
}

/// The token for the next event of a process.
fn next(process: &mut Process) -> Option<Token> {
    let pid = process.pid();
    let sequence = process.existing_extras_mut()?.sequence.as_mut()?;
    let token = sequence.token.as_mut()?;
    sequence.clock = within_small(sequence.clock + 1);
    token.serial = sequence.clock;
    token.last = sequence.last;
    token.from = Owned::new(pid);
    Some(token.clone())
}

/// Tells the system tracer of an event, if the token asks for it. `at` is the process at which it happens.
fn tell(token: &Token, what: u32, at: &Process, to: Term, message: Term) {
    if !at.is_sensitive() {
        tell_at(token, what, at.pid(), to, message);
    }
}

/// As [`tell`], for a pid, or `undefined` for what happens at no process.
fn tell_at(token: &Token, what: u32, at: Term, to: Term, message: Term) {
    if !token.is_for(what) || !HAS_TRACER.load(Ordering::Relaxed) {
        return;
    }
    let Some(tracer) = SYSTEM_TRACER.lock().clone() else {
        return;
    };
    if let Tracer::Identifier(identifier) = tracer
        && identifier == at
    {
        return;
    }
    let kind = match what {
        what::SEND => am::SEND,
        what::RECEIVE => am::RECEIVE,
        _ => am::PRINT,
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let numbers = [token.last, token.serial].map(Term::small);
    let numbers = build::tuple(heap, &numbers);
    let event = build::tuple(heap, &[kind, numbers, token.from.term(), to, message]);
    let event = get().tell_sequence(&tracer, at, token.label.term(), token.flags, event);
    if event == Told::TracerGone {
        system_tracer();
    }
}

/// Prints, if the process has a token (with this label, if one is given); returns whether.
pub fn print(process: &mut Process, label: Option<Term>, message: Term) -> bool {
    let Some(token) = of(process) else {
        return false;
    };
    if label.is_some_and(|label| !term::compare::eq_exact(label, token.label.term())) {
        return false;
    }
    if let Some(token) = next(process) {
        tell(&token, what::PRINT, process, Term::NIL, message);
    }
    true
}

/// A message of another node with a token, for a process or whoever has an alias.
#[must_use]
pub fn message_from_abroad(
    message: Term,
    token: &Token,
    alias: Option<(u64, u64)>,
) -> *mut Fragment {
    message_with(token, message, alias)
}

/// The process sends a message: does it, if it has a token and the receiver is a process of this node.
#[cold]
pub fn sends(process: &mut Process, to: Term, message: Term, rank: Rank) -> Option<Sent> {
    of(process)?;
    let receiver = match to.as_tuple_of() {
        Some([name, node]) if name.is_atom() && node == term::node::own_name() => {
            registry::whereis(name)?
        }
        _ if to.is_atom() => registry::whereis(to)?,
        _ => to,
    };
    if receiver.is_local_port() {
        if port::find(receiver).is_some_and(|port| port.seems_open()) {
            let token = next(process)?;
            tell(&token, what::SEND, process, receiver, message);
        }
        return None;
    }
    let is_elsewhere = match receiver.is_reference() {
        true => receiver.is_kind(ObjectKind::ExternalReference),
        false => receiver.is_tuple() || receiver.is_pid() && !receiver.is_local_pid(),
    };
    if is_elsewhere {
        // The control message has the token.
        let token = next(process)?;
        tell(&token, what::SEND, process, receiver, message);
        return None;
    }
    epoch::with_pin(|pinned| {
        let (found, alias) = match receiver.is_reference() {
            true => {
                reference::pid(receiver)?;
                (table::owner(pinned, receiver), reference::number(receiver))
            }
            false if receiver.is_local_pid() => (table::find(pinned, receiver), None),
            false => return None,
        };
        let Some(found) = found else {
            return Some(Sent::Done);
        };
        let token = next(process)?;
        tell(&token, what::SEND, process, receiver, message);
        let fragment = message_with(&token, message, alias);
        // SAFETY: the fragment is new, so it is in no list.
        unsafe {
            if alias.is_some() && rank == Rank::Priority {
                (*fragment).kind |= PRIORITY;
                signal::send_before_others(found, senders::noted(process.pid(), fragment));
            } else {
                signal::send_fragment(found, senders::noted(process.pid(), fragment));
            }
        }
        Some(Sent::Done)
    })
}

/// The process has received a message, which it, or its sender, has to do with sequences.
///
/// # Safety
/// The fragment is a live message.
#[cold]
pub unsafe fn received(process: &mut Process, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    let (kind, term) = unsafe { ((*message).kind, (*message).term) };
    match kind & !PRIORITY {
        MESSAGE => set(process, None),
        // SAFETY: as above.
        TOKEN_MESSAGE => take_over(process, unsafe { token_in(message) }, term),
        _ => {}
    }
}

fn take_over(process: &mut Process, token: Option<Token>, message: Term) {
    let Some(token) = token else {
        return;
    };
    let told = token.clone();
    set(process, Some(token));
    let sequence = process.extras().sequence.get_or_insert_default();
    sequence.last = told.serial;
    sequence.clock = sequence.clock.max(told.serial);
    let pid = process.pid();
    tell(&told, what::RECEIVE, process, pid, message);
}

/// The process, which ends, tells another one to which it is linked, perhaps on another node. Returns the token that
/// goes with the signal, if the process has one. As on stock it is the receiver that this happens at, which may be
/// sensitive.
pub fn ends(process: &mut Process, to: Term, reason: Term) -> Option<Token> {
    let from = process.pid();
    let token = next(process)?;
    let mut scratch = Scratch::new();
    let message = build::tuple(scratch.heap(), &[am::UC_EXIT, from, reason]);
    if !to.is_local_pid() {
        tell_at(&token, what::SEND, am::UNDEFINED, to, message);
        return Some(token);
    }
    let state = table::state_of(to).unwrap_or(state::EXITING);
    if state & (state::SENSITIVE | state::EXITING) == 0 {
        tell_at(&token, what::SEND, to, to, message);
    }
    Some(token)
}

/// A process that has a token spawns another, which gets it. Returns the token for the reply to a request.
#[cold]
pub fn spawns(parent: &mut Process, child: &mut Process, spawn: &Spawn) -> Option<Token> {
    let token = next(parent)?;
    let (own, pid, leader) = (parent.pid(), child.pid(), parent.group_leader);
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let request = [
        am::SPAWN_REQUEST,
        spawn.reference,
        own,
        leader,
        spawn.function,
        spawn.options,
        spawn.tag,
        spawn.arguments,
    ];
    let request = build::tuple(heap, &request);
    tell(&token, what::SEND, parent, pid, request);
    tell(&token, what::RECEIVE, parent, pid, request);
    let serial = token.serial;
    set(child, Some(token));
    let sequence = child.extras().sequence.get_or_insert_default();
    (sequence.clock, sequence.last) = (serial, serial);
    let token = next(child)?;
    let reply = [spawn.tag, spawn.reference, am::OK, pid];
    let reply = build::tuple(heap, &reply);
    if spawn.replied || !spawn.requested {
        tell(&token, what::SEND, parent, own, reply);
    }
    if spawn.requested {
        return Some(token);
    }
    // Stock takes over the serial number together with its tag, and programs see that.
    let number = within_small(token.serial << 4 | 0xf);
    let sequence = parent.extras().sequence.get_or_insert_default();
    (sequence.clock, sequence.last) = (number, number);
    tell(&token, what::RECEIVE, parent, own, reply);
    None
}

/// Delivers the reply to a request to spawn, with the token that [`spawns`] has returned.
pub fn deliver_spawn_reply(parent: &mut Process, child: Term, token: &Token, reply: Term) {
    // SAFETY: the fragment is new, so it is in no list.
    unsafe { signal_handling::append(parent, child, message_with(token, reply, None)) };
}

/// A process that has a token asks another node to spawn, which is told as two messages: the request, and the
/// arguments. Returns the token that goes with both.
pub fn asks_to_spawn(
    process: &mut Process,
    node: Term,
    request: Term,
    arguments: Term,
) -> Option<Token> {
    let token = next(process)?;
    tell(&token, what::SEND, process, node, request);
    let token = next(process)?;
    tell(&token, what::SEND, process, node, arguments);
    Some(token)
}

/// A process is spawned for another node, whose request had a token. Returns the token of the reply.
pub fn is_spawned_for(
    child: &mut Process,
    token: &Token,
    request: Term,
    parent: Term,
    reply: Term,
) -> Option<Token> {
    let first = first_of_two(token);
    let pid = child.pid();
    tell(&first, what::RECEIVE, child, pid, request);
    let serial = first.serial;
    set(child, Some(first));
    let sequence = child.extras().sequence.get_or_insert_default();
    (sequence.clock, sequence.last) = (serial, serial);
    let token = next(child)?;
    tell(&token, what::SEND, child, parent, reply);
    Some(token)
}

/// A request of another node, which had a token, is refused. Returns the token of the reply.
#[must_use]
pub fn refuses_to_spawn(token: &Token, request: Term, parent: Term, reply: Term) -> Token {
    let own = term::node::own_name();
    let first = first_of_two(token);
    tell_at(&first, what::RECEIVE, am::UNDEFINED, own, request);
    let token = Token {
        last: first.serial,
        serial: token.serial,
        from: Owned::new(own),
        ..first
    };
    tell_at(&token, what::SEND, am::UNDEFINED, parent, reply);
    token
}

/// The token of a request to spawn, of that of the arguments, which have the next number.
fn first_of_two(token: &Token) -> Token {
    Token {
        serial: token.serial - 1,
        ..token.clone()
    }
}

/// Delivers the reply of another node, with the token that it has brought.
pub fn deliver_reply(parent: &mut Process, node: Term, token: &Token, reply: Term) {
    // SAFETY: the fragment is new, so it is in no list.
    unsafe { signal_handling::append(parent, node, message_with(token, reply, None)) };
}

/// Takes the token of every process away; called while the world is stopped.
pub fn forget_all() {
    super::for_each_stopped(forget);
}

/// Takes everything away that a process, and the messages that it has not received, have of sequences.
fn forget(process: &mut Process) {
    if let Some(extras) = process.existing_extras_mut() {
        extras.sequence = None;
        super::settle_flag(process);
    }
    let mut message = process.head.messages.first;
    while !message.is_null() {
        // SAFETY: the messages of the inner queue are live.
        unsafe {
            if (*message).kind & !PRIORITY == TOKEN_MESSAGE {
                (*message).kind = MESSAGE | (*message).kind & PRIORITY;
            }
            message = (*message).next;
        }
    }
}
