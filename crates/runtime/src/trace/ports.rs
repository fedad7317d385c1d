//! The events of ports, one function each. The caller has locked the port. A port that is not traced costs a test of one word.

use layout::{Heap, Term};
use term::heap::Scratch;
use term::{am, atom, build};

use super::{Event, Family, Told, Tracing, get, what};
use crate::port::Core;
use crate::process::table;

/// A process opens a port, whose driver has not started yet.
#[cold]
pub(crate) fn opens(core: &mut Core, port: Term, owner: Term) {
    let name = atom::intern_latin1(core.name()).ok();
    core.tracee(port).happens(am::OPEN, owner, name);
}

/// A port that is traced so sends a message.
#[inline]
pub fn sends(tracing: &Tracing, port: Term, to: Term, message: Term) {
    if tracing.what & what::SEND != 0 {
        tell_of_send(tracing, port, to, message);
    }
}

#[cold]
fn tell_of_send(tracing: &Tracing, port: Term, to: Term, message: Term) {
    let tag = match to.is_local_pid() && table::find(to).is_null() {
        true => am::SEND_TO_NON_EXISTING_PROCESS,
        false => am::SEND,
    };
    let event = Event::new(Family::Send, tag, message).with(to);
    // That the tracer is gone is noticed by whoever may change how the port is traced.
    let _ = get().tell(port, tracing, &event);
}

/// How one port is traced, and its identifier.
pub struct Tracee<'a> {
    pub port: Term,
    pub tracing: &'a mut Tracing,
}

impl Tracee<'_> {
    #[inline]
    fn is_for(&self, what: u32) -> bool {
        self.tracing.what & what != 0
    }

    fn tell(&mut self, event: &Event) {
        if get().tell(self.port, self.tracing, event) == Told::TracerGone {
            *self.tracing = Tracing::default();
        }
    }

    /// Something that `ports` reports: `open`, `closed`, `getting_linked`, `register` and the like.
    #[inline]
    pub fn happens(&mut self, tag: Term, data: Term, extra: Option<Term>) {
        if self.is_for(what::PORTS) {
            let event = Event::new(Family::Ports, tag, data);
            self.tell(&event.with(extra.unwrap_or(Term::NONE)));
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
            self.tell(&Event::new(Family::Receive, am::RECEIVE, message));
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
            tell_of_send(self.tracing, self.port, to, message);
        }
    }

    /// The driver's timer has expired.
    #[inline]
    pub fn timed_out(&mut self) {
        if self.is_for(what::RECEIVE) {
            self.tell(&Event::new(Family::Receive, am::RECEIVE, am::TIMEOUT));
        }
    }

    /// The driver's function of this name is called (`in`), or has returned (`out`).
    #[inline]
    pub fn runs(&mut self, tag: Term, name: Term) {
        if self.is_for(what::RUNNING_PORTS) {
            self.tell(&Event::new(Family::RunningPorts, tag, name));
        }
    }
}
