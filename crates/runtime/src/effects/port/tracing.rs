//! The events of ports, one function each. The caller has locked the port. A port that is not traced costs a test of
//! one word.

use layout::{Heap, Term};
use term::heap::Scratch;
use term::{am, build};

use crate::mail::observer::observer;
use crate::process::table;
use crate::process::tracing::{Event, Family, Tracings, what};

/// A port that is traced so sends a message.
#[inline]
pub fn sends(tracings: &Tracings, port: Term, to: Term, message: Term) {
    if tracings.what() & what::SEND != 0 {
        tell_of_send(tracings, port, to, message);
    }
}

#[cold]
fn tell_of_send(tracings: &Tracings, port: Term, to: Term, message: Term) {
    let tag = match to.is_local_pid() && !table::exists(to) {
        true => am::SEND_TO_NON_EXISTING_PROCESS,
        false => am::SEND,
    };
    let event = Event::new(Family::Send, tag, message).with(to);
    // That the tracer is gone is noticed by whoever may change how the port is traced.
    let _ = observer().tell(tracings, port, what::SEND, &event);
}

/// How one port is traced, and its identifier.
pub struct Tracee<'a> {
    pub port: Term,
    pub tracings: &'a mut Tracings,
}

impl Tracee<'_> {
    #[inline]
    fn is_for(&self, what: u32) -> bool {
        self.tracings.what() & what != 0
    }

    fn tell(&mut self, wanted: u32, event: &Event) {
        for session in observer().tell(self.tracings, self.port, wanted, event) {
            self.tracings.end(session);
        }
    }

    /// Something that `ports` reports: `open`, `closed`, `getting_linked`, `register` and the like.
    #[inline]
    pub fn happens(&mut self, tag: Term, data: Term, extra: Option<Term>) {
        if self.is_for(what::PORTS) {
            let event = Event::new(Family::Ports, tag, data).with(extra.unwrap_or(Term::NONE));
            self.tell(what::PORTS, &event);
        }
    }

    /// A process asks something of the port: `{From, Request}`, which `body` builds.
    #[inline]
    pub fn receives(&mut self, from: Term, body: impl FnOnce(&mut Heap) -> Term) {
        if self.is_for(what::RECEIVE) {
            let mut scratch = Scratch::new();
            let heap = scratch.heap();
            let body = body(heap);
            let message = build::tuple(heap, &[from, body]);
            let event = Event::new(Family::Receive, am::RECEIVE, message);
            self.tell(what::RECEIVE, &event);
        }
    }

    /// A process wants a control or a call, with a number and bytes.
    #[inline]
    pub fn is_asked(&mut self, tag: Term, from: Term, operation: u32, bytes: &[u8]) {
        self.receives(from, |heap| {
            let bytes = build::binary(heap, bytes);
            let operation = build::tuple(heap, &[Term::small(operation.into()), bytes]);
            build::tuple(heap, &[tag, operation])
        });
    }

    /// The port answers a control or a call by these bytes.
    #[inline]
    pub fn answers(&mut self, tag: Term, to: Term, bytes: &[u8]) {
        if self.is_for(what::SEND) {
            let mut scratch = Scratch::new();
            let heap = scratch.heap();
            let bytes = build::binary(heap, bytes);
            let body = build::tuple(heap, &[tag, bytes]);
            let message = build::tuple(heap, &[self.port, body]);
            tell_of_send(self.tracings, self.port, to, message);
        }
    }

    /// The driver's timer has expired.
    #[inline]
    pub fn timed_out(&mut self) {
        if self.is_for(what::RECEIVE) {
            let event = Event::new(Family::Receive, am::RECEIVE, am::TIMEOUT);
            self.tell(what::RECEIVE, &event);
        }
    }

    /// The driver's function of this name is called (`in`), or has returned (`out`).
    #[inline]
    pub fn runs(&mut self, tag: Term, name: Term) {
        if self.is_for(what::RUNNING_PORTS) {
            let event = Event::new(Family::RunningPorts, tag, name);
            self.tell(what::RUNNING_PORTS, &event);
        }
    }
}
