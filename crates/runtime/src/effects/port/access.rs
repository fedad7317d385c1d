//! What a driver may do to its port and to processes, while it is called.
//!
//! Exists only under the port's lock. After [`Access::exit`] the port ends when the call has returned.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::{Arc, Weak};

use layout::{Heap, Term};
use smallvec::SmallVec;
use sys::poll::{Event, Interest, Token};
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build, reference};

use super::driver::{Driver, Ready};
use super::entered::Occasion;
use super::{Core, Phase, Port, State, queue, table};
use crate::effects::port::tracing;
use crate::mail::{io, signal, timer};
use crate::process::relations::{ReferenceNumber, Watcher};
use crate::process::signal::Signal;

/// See the module.
pub struct Access<'a> {
    pub(super) port: &'a Arc<Port>,
    pub(super) core: &'a mut Core,
    /// The process that sent the command, control or call.
    pub(super) caller: Option<Term>,
}

impl Access<'_> {
    /// The port's identifier.
    #[must_use]
    pub fn id(&self) -> Term {
        self.port.id
    }

    /// The process that the port belongs to.
    #[must_use]
    pub fn connected(&self) -> Term {
        self.core.connected
    }

    /// The process that sent this command, control or call; the connected process if it came from none.
    #[must_use]
    pub fn caller(&self) -> Term {
        self.caller.unwrap_or(self.core.connected)
    }

    /// The process that sent this command, control or call, or opens the port; None if the driver is called for
    /// something else.
    #[must_use]
    pub fn asked_by(&self) -> Option<Term> {
        self.caller
    }

    /// Whether [`Access::exit`] was called.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.core.exit.is_some()
    }

    /// Whether the port was opened with `binary`.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        self.core.binary
    }

    /// For calling into the port later, from another thread, with [`Port::run`].
    #[must_use]
    pub fn handle(&self) -> Weak<Port> {
        Arc::downgrade(self.port)
    }

    /// Sends a process the term that `body` builds; returns false if there is no such process.
    pub fn send(&self, to: Term, body: impl FnOnce(&mut Heap) -> Term) -> bool {
        let mut scratch = Scratch::new();
        let message = body(scratch.heap());
        tracing::sends(&self.core.tracings, self.port.id, to, message);
        signal::send_message(self.port.id, to, message)
    }

    /// As [`Access::send`], for a message of `words` words, which is built where it stays instead of being copied. If
    /// it turns out to be longer or much shorter, it is copied.
    ///
    /// # Safety
    /// As for [`Scratch::into_fragment`]: `body` builds the whole message on the heap that it is given, apart from
    /// immediates and literals.
    pub unsafe fn send_built(
        &self,
        to: Term,
        words: usize,
        body: impl FnOnce(&mut Heap) -> Term,
    ) -> bool {
        let mut scratch = Scratch::with_room(words);
        let message = body(scratch.heap());
        tracing::sends(&self.core.tracings, self.port.id, to, message);
        // SAFETY: the caller's promise about `body`.
        unsafe { signal::send_built(self.port.id, to, scratch, message) }
    }

    /// Reports a call of a process that has reached the driver.
    pub fn is_called(&mut self, operation: u32, bytes: &[u8]) {
        if let Some(caller) = self.caller {
            let mut tracee = self.core.tracee(self.port.id);
            tracee.is_asked(am::CALL, caller, operation, bytes);
        }
    }

    /// Reports what the driver answers to it.
    pub fn answers_call(&mut self, bytes: &[u8]) {
        if let Some(caller) = self.caller {
            let mut tracee = self.core.tracee(self.port.id);
            tracee.answers(am::CALL, caller, bytes);
        }
    }

    /// Sends a process a term; returns false if there is no such process.
    pub fn send_term(&self, to: Term, message: &Owned) -> bool {
        tracing::sends(&self.core.tracings, self.port.id, to, message.term());
        signal::send_message(self.port.id, to, message.term())
    }

    /// Whether the port was closed, and still exists only until its output is written.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.core.phase == Phase::Closing
    }

    /// Sends the connected process the term that `body` builds, unless the port was closed: input that is still read
    /// then, because whoever sends it may wait for that before it reads our output, is for nobody.
    pub fn tell_connected(&self, body: impl FnOnce(&mut Heap) -> Term) {
        if !self.is_closing() {
            self.send(self.core.connected, body);
        }
    }

    /// As [`Access::tell_connected`], for `{Port, Body}`.
    pub fn send_to_connected(&self, body: impl FnOnce(&mut Heap) -> Term) {
        let id = self.port.id;
        self.tell_connected(|heap| {
            let body = body(heap);
            build::tuple(heap, &[id, body])
        });
    }

    /// Sends the connected process `{Port, {data, Data}}`: a list or a binary, as the port was opened, with the
    /// header in front of it, always as a list.
    pub fn send_data(&mut self, header: &[u8], data: &[u8]) {
        self.send_parts(header, &[data]);
    }

    /// As [`Access::send_data`], with only a header.
    pub fn send_header(&mut self, header: &[u8]) {
        self.send_parts(header, &[]);
    }

    /// As [`Access::send_data`], with data in parts: each is a binary of its own in a list that ends with the last one.
    /// A port that is not binary sends all bytes in one list.
    pub fn send_parts(&mut self, header: &[u8], parts: &[&[u8]]) {
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        self.count_input(header.len() + bytes);
        self.send_data_message(header, parts, None);
    }

    /// Sends the connected process `{Port, {data, Data}}`, or with a tag `{Port, {data, {Tag, Data}}}`; its bytes
    /// have been counted already.
    pub(super) fn send_counted_data(&self, tag: Option<Term>, data: &[u8]) {
        self.send_data_message(&[], &[data], tag);
    }

    /// Builds the data directly in the message, because it may be large.
    fn send_data_message(&self, header: &[u8], parts: &[&[u8]], tag: Option<Term>) {
        if self.is_closing() {
            return;
        }
        let binary = self.core.binary;
        let words = |part: &&[u8]| match binary {
            true => build::binary_words(part.len()) + 2,
            false => 2 * part.len(),
        };
        let data_words: usize = parts.iter().map(words).sum();
        let tuples = 3 + 3 + tag.map_or(0, |_| 3);
        let words = tuples + 2 * header.len() + data_words;
        let body = |heap: &mut Heap| {
            let tail = parts.iter().rev().fold(Term::NIL, |rest, part| {
                if !binary {
                    let bytes = part.iter().map(|byte| Term::small(i64::from(*byte)));
                    return build::list_of(heap, part.len(), bytes, rest);
                }
                let part = build::binary(heap, part);
                match rest {
                    Term::NIL => part,
                    rest => build::cons(heap, part, rest),
                }
            });
            let header: SmallVec<[Term; 16]> = header
                .iter()
                .map(|byte| Term::small(i64::from(*byte)))
                .collect();
            let mut body = build::list_with_tail(heap, &header, tail);
            if let Some(tag) = tag {
                body = build::tuple(heap, &[tag, body]);
            }
            let body = build::tuple(heap, &[am::DATA, body]);
            build::tuple(heap, &[self.port.id, body])
        };
        // SAFETY: `body` builds all of it, from bytes and atoms; identifiers of this node are immediates.
        unsafe { self.send_built(self.core.connected, words, body) };
    }

    /// Sets the number of the OS process behind the port, for `port_info(os_pid)`.
    pub fn set_os_pid(&mut self, os_pid: u32) {
        self.core.os_pid = Some(os_pid);
    }

    /// Counts bytes that came from outside, for `port_info(input)` and `statistics(io)`.
    pub(crate) fn count_input(&mut self, bytes: usize) {
        self.core.input_bytes += bytes as u64;
        table::count_input(bytes);
    }

    /// Counts bytes that were sent to processes as terms; stock counts these for `statistics(io)` alone.
    pub fn count_delivered(&self, bytes: usize) {
        table::count_input(bytes);
    }

    /// As [`Access::exit`], but the connected process learns only what the driver tells it: its link is removed
    /// first.
    pub fn exit_unlinked(&mut self, reason: Term) {
        let connected = self.core.connected;
        self.core.links.retain(|linked| *linked != connected);
        let from = self.port.id;
        let _ = signal::send(connected, Signal::Unlink { from, number: 0 });
        self.exit(reason);
    }

    /// Has [`Driver::ready`] called when the descriptor becomes ready, until [`Access::unwatch`]. If it is ready
    /// already, that is reported too.
    ///
    /// # Errors
    /// The system's error (a regular file cannot be watched: `eperm`).
    pub fn watch(&mut self, fd: BorrowedFd<'_>, interest: Interest) -> sys::Result<Token> {
        let number = fd.as_raw_fd();
        let port = Arc::downgrade(self.port);
        let handler = move |event: Event| {
            let Some(port) = port.upgrade() else { return };
            let ready = Ready {
                fd: number,
                readable: event.is_readable() && interest.readable,
                writable: event.is_writable() && interest.writable || event.is_error(),
                hangup: event.is_read_closed() || event.is_error() || event.is_urgent(),
            };
            let occasion = match ready.readable {
                true => Occasion::Input,
                false => Occasion::Output,
            };
            port.run_soon(occasion, move |driver, access| driver.ready(access, ready));
        };
        io::register(fd, interest, Arc::new(handler))
    }

    /// Has [`Driver::ready`] called again soon, because there is more to do than is fair in one call. A descriptor has
    /// one such call at a time, however often events come meanwhile: what else is queued for the port would wait for
    /// each.
    pub fn call_again(&mut self, ready: Ready) {
        let again = &mut self.core.calls_again;
        if let Some(queued) = again.iter_mut().find(|queued| queued.fd == ready.fd) {
            queued.readable |= ready.readable;
            queued.writable |= ready.writable;
            queued.hangup |= ready.hangup;
            return;
        }
        again.push(ready);
        let task = move |port: &Arc<Port>, state: &mut State| {
            let again = &mut state.core.calls_again;
            if let Some(index) = again.iter().position(|queued| queued.fd == ready.fd) {
                let ready = again.swap_remove(index);
                state.call(port, None, |driver, access| driver.ready(access, ready));
            }
        };
        queue::push(self.port, 0, Box::new(task));
    }

    /// Whether [`Driver::ready`] will be called as [`Access::call_again`] has asked.
    #[must_use]
    pub fn will_call_again(&self) -> bool {
        !self.core.calls_again.is_empty()
    }

    /// Stops watching; must be called before the descriptor is closed.
    pub fn unwatch(&mut self, fd: BorrowedFd<'_>, token: Token) {
        io::unregister(fd, token);
    }

    /// Has [`Driver::timeout`] called once; replaces a timer that was set before.
    pub fn set_timer(&mut self, after_ms: u64) {
        self.cancel_timer();
        let after_ns = i64::try_from(after_ms.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
        let deadline_ns = crate::mail::time::clock_ns().saturating_add(after_ns);
        self.core.timer_generation += 1;
        let generation = self.core.timer_generation;
        let port = Arc::downgrade(self.port);
        let target = timer::TimerTarget::Port { port, generation };
        self.core.timer = Some(timer::set(deadline_ns, target));
    }

    pub fn cancel_timer(&mut self) {
        if let Some(key) = self.core.timer.take() {
            timer::cancel(key);
        }
    }

    /// Has [`Driver::process_down`] called when a process ends (at once if it has ended); returns the number of the
    /// monitor.
    pub fn monitor(&mut self, pid: Term) -> ReferenceNumber {
        let number = (reference::fresh_number(), 0);
        let request = Signal::Monitor {
            reference: number,
            watcher: Watcher {
                watcher: self.port.id,
                name: None,
                names_owner: false,
            },
        };
        self.core.monitored.insert(number, pid);
        signal::send_or_bounce(pid, request);
        number
    }

    /// Removes a monitor.
    pub fn demonitor(&mut self, monitor: ReferenceNumber) {
        if let Some(pid) = self.core.monitored.remove(&monitor) {
            signal::demonitor(pid, monitor);
        }
    }

    /// Whether the process that opens the port still waits for [`Access::answer_open`].
    #[must_use]
    pub fn is_opening(&self) -> bool {
        self.core.opening.is_some()
    }

    /// Answers the process that opens the port: with the port, or with the reason why it is not opened. Without effect
    /// if it does not wait for that.
    pub fn answer_open(&mut self, answer: Term) {
        self.core.answer_open(self.port.id, answer);
    }

    /// Ends the port with this reason when the call has returned.
    pub fn exit(&mut self, reason: Term) {
        if self.core.exit.is_none() {
            self.core.exit = Some(Owned::new(reason));
        }
    }

    /// Makes another port with the same name, which belongs to a process and is linked to it, as for an accepted
    /// connection; `start` makes its driver. None if there are as many ports as the limit allows.
    pub fn open_port(
        &mut self,
        owner: Term,
        start: impl FnOnce(&mut Access<'_>) -> Box<dyn Driver>,
    ) -> Option<Term> {
        self.open_named_port(owner, self.core.name.clone(), start)
    }

    /// As [`Access::open_port`], with a name of its own.
    pub fn open_named_port(
        &mut self,
        owner: Term,
        name: Arc<[u8]>,
        start: impl FnOnce(&mut Access<'_>) -> Box<dyn Driver>,
    ) -> Option<Term> {
        let mut core = Core::new(owner, name);
        core.binary = self.core.binary;
        let port = Port::make(core, self.port.parallelism)?;
        let id = port.id;
        {
            let mut state = port.state.lock();
            let State { driver, core } = &mut *state;
            core.enter(&port, Phase::Open);
            *driver = Some(start(&mut Access {
                port: &port,
                core,
                caller: None,
            }));
        }
        signal::send_or_bounce(owner, Signal::Link { from: id });
        Some(id)
    }
}
