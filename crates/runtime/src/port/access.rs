//! What a driver may do to its port and to the world of Erlang, while it is called.
//!
//! Exists only under the port's lock. An end asked for with [`Access::exit`] comes when the call has returned.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use layout::{Heap, Term};
use smallvec::SmallVec;
use sys::poll::{Event, Interest, Token};
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build, reference};

use super::driver::{Driver, Ready};
use super::{Core, Phase, Port, State, queue, table};
use crate::process::relations::ReferenceNumber;
use crate::signal::{self, Signal};
use crate::{io, timer};

/// See the module.
pub struct Access<'a> {
    pub(super) port: &'a Arc<Port>,
    pub(super) core: &'a mut Core,
    /// The process whose command, control or call this is.
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

    /// The process that sent this command, control or call; the connected one when no process did.
    #[must_use]
    pub fn caller(&self) -> Term {
        self.caller.unwrap_or(self.core.connected)
    }

    /// Whether the port was opened with `binary`.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        self.core.binary
    }

    /// To call into the port later, from another thread: [`Port::run`].
    #[must_use]
    pub fn handle(&self) -> Weak<Port> {
        Arc::downgrade(self.port)
    }

    /// Sends a process the term that `body` builds; false when there is none.
    pub fn send(&self, to: Term, body: impl FnOnce(&mut Heap) -> Term) -> bool {
        let mut scratch = Scratch::new();
        let message = body(scratch.heap());
        signal::send_message_from_outside(to, message)
    }

    /// Sends the connected process what `body` builds behind the port's identifier: `{Port, Body}`.
    pub fn tell(&self, body: impl FnOnce(&mut Heap) -> Term) {
        let id = self.port.id;
        self.send(self.core.connected, |heap| {
            let body = body(heap);
            build::tuple(heap, &[id, body])
        });
    }

    /// Sends the connected process `{Port, {data, Data}}`, a list or binary as the port was opened, the header always
    /// as a list in front of it.
    pub fn tell_data(&mut self, header: &[u8], data: &[u8]) {
        self.count_input(header.len() + data.len());
        self.tell_bytes(header, Some(data), None);
    }

    /// As [`Access::tell_data`], without anything behind the header.
    pub fn tell_header(&mut self, header: &[u8]) {
        self.count_input(header.len());
        self.tell_bytes(header, None, None);
    }

    /// Sends the connected process `{Port, {data, Data}}`, or with a tag `{Port, {data, {Tag, Data}}}`; its bytes were
    /// counted before.
    pub(super) fn tell_counted(&self, tag: Option<Term>, data: &[u8]) {
        self.tell_bytes(&[], Some(data), tag);
    }

    /// Built in the message itself: it may be large.
    fn tell_bytes(&self, header: &[u8], data: Option<&[u8]>, tag: Option<Term>) {
        let binary = self.core.binary;
        let data_words = match data {
            Some(data) if binary => build::binary_words(data.len()),
            Some(data) => 2 * data.len(),
            None => 0,
        };
        let tuples = 3 + 3 + tag.map_or(0, |_| 3);
        let mut scratch = Scratch::with_room(tuples + 2 * header.len() + data_words);
        let heap = scratch.heap();
        let tail = match data {
            Some(data) if binary => build::binary(heap, data),
            Some(data) => build::byte_list(heap, data),
            None => Term::NIL,
        };
        let header: SmallVec<[Term; 16]> = header
            .iter()
            .map(|byte| Term::small(i64::from(*byte)))
            .collect();
        let mut body = build::list_with_tail(heap, &header, tail);
        if let Some(tag) = tag {
            body = build::tuple(heap, &[tag, body]);
        }
        let body = build::tuple(heap, &[am::DATA, body]);
        let message = build::tuple(heap, &[self.port.id, body]);
        // SAFETY: all of it was built above, of bytes and atoms; identifiers of this node are immediate.
        unsafe { signal::send_built(self.core.connected, scratch, message) };
    }

    /// The number of the process behind the port, for `port_info(os_pid)`.
    pub fn set_os_pid(&mut self, os_pid: u32) {
        self.core.os_pid = Some(os_pid);
    }

    /// Counts bytes that came from outside, for `port_info(input)` and `statistics(io)`.
    pub fn count_input(&mut self, bytes: usize) {
        self.core.input_bytes += bytes as u64;
        table::count_input(bytes);
    }

    /// Counts bytes that processes were sent as terms, which stock does for `statistics(io)` alone.
    pub fn count_delivered(&self, bytes: usize) {
        table::count_input(bytes);
    }

    /// As [`Access::exit`], the connected process being told no more than the driver tells it: its link is undone first.
    pub fn exit_unlinked(&mut self, reason: Term) {
        let connected = self.core.connected;
        self.core.links.retain(|linked| *linked != connected);
        let from = self.port.id;
        let _ = signal::send(connected, Signal::Unlink { from, number: 0 });
        self.exit(reason);
    }

    /// Below and above how many queued bytes senders are resumed and suspended.
    #[must_use]
    pub fn queue_marks(&self) -> (usize, usize) {
        self.port.tasks.limits()
    }

    /// Sets one or both of them; the other gives way.
    pub fn set_queue_marks(&mut self, low: Option<usize>, high: Option<usize>) {
        let (mut new_low, mut new_high) = self.port.tasks.limits();
        if let Some(low) = low {
            new_low = low;
            new_high = new_high.max(low);
        }
        if let Some(high) = high {
            new_high = high;
            new_low = new_low.min(high);
        }
        self.port.tasks.set_limits(Some((new_low, new_high)));
    }

    /// While the port is busy senders are suspended, or refused if they so wish.
    pub fn set_busy(&mut self, busy: bool) {
        self.core.busy = busy;
        self.port.busy.store(busy, Ordering::Relaxed);
        if !busy {
            self.core.wake_waiting();
        }
    }

    /// Whether the port is busy.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.core.busy
    }

    /// Has [`Driver::ready`] called when something becomes possible on the descriptor, until [`Access::unwatch`]. What is
    /// possible already is told too.
    ///
    /// # Errors
    /// What the system says (a regular file cannot be watched: `eperm`).
    pub fn watch(&mut self, fd: BorrowedFd<'_>, interest: Interest) -> sys::Result<Token> {
        let number = fd.as_raw_fd();
        let port = Arc::downgrade(self.port);
        let handler = move |event: Event| {
            let Some(port) = port.upgrade() else { return };
            let ready = Ready {
                fd: number,
                readable: event.is_readable() && interest.readable,
                writable: event.is_writable() && interest.writable || event.is_error(),
                hangup: event.is_read_closed() || event.is_error(),
            };
            port.run(|driver, access| driver.ready(access, ready));
        };
        io::register(fd, interest, Arc::new(handler))
    }

    /// Has [`Driver::ready`] called once more soon: there is more to do than is fair at one go.
    pub fn call_again(&mut self, ready: Ready) {
        let task = move |port: &Arc<Port>, state: &mut State| {
            state.call(port, None, |driver, access| driver.ready(access, ready));
        };
        queue::push(self.port, 0, Box::new(task));
    }

    /// Ends watching; before the descriptor is closed.
    pub fn unwatch(&mut self, fd: BorrowedFd<'_>, token: Token) {
        io::unregister(fd, token);
    }

    /// Has [`Driver::timeout`] called once, in place of what was set before.
    pub fn set_timer(&mut self, after_ms: u64) {
        self.cancel_timer();
        let after_ns = i64::try_from(after_ms.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
        let deadline_ns = sys::clock::monotonic_ns().saturating_add(after_ns);
        self.core.timer_generation += 1;
        let generation = self.core.timer_generation;
        let port = Arc::downgrade(self.port);
        let target = timer::Target::Port { port, generation };
        self.core.timer = Some(timer::set(deadline_ns, target));
    }

    pub fn cancel_timer(&mut self) {
        if let Some(key) = self.core.timer.take() {
            timer::cancel(key);
        }
    }

    /// Has [`Driver::process_down`] called when a process ends (at once if it has); the number names the monitor.
    pub fn monitor(&mut self, pid: Term) -> ReferenceNumber {
        let mut scratch = Scratch::new();
        let number = (reference::fresh_number(), 0);
        let made = reference::with_number(scratch.heap(), number.0, number.1);
        let request = Signal::Monitor {
            watcher: self.port.id,
            reference: Owned::new(made),
            name: None,
        };
        self.core.monitored.insert(number, pid);
        signal::send_or_bounce(pid, request);
        number
    }

    /// Undoes a monitor.
    pub fn demonitor(&mut self, monitor: ReferenceNumber) {
        if let Some(pid) = self.core.monitored.remove(&monitor) {
            let reference = monitor;
            let _ = signal::send(pid, Signal::Demonitor { reference });
        }
    }

    /// The port ends with this reason when the call has returned.
    pub fn exit(&mut self, reason: Term) {
        if self.core.exit.is_none() {
            self.core.exit = Some(Owned::new(reason));
        }
    }

    /// Makes another port of the same name that belongs to a process and is linked to it, as for an accepted connection;
    /// `start` makes its driver. None at the limit of ports.
    pub fn open_port(
        &mut self,
        owner: Term,
        start: impl FnOnce(&mut Access<'_>) -> Box<dyn Driver>,
    ) -> Option<Term> {
        let mut core = Core::new(owner, self.core.name.clone());
        core.binary = self.core.binary;
        let port = Port::make(core, self.port.parallelism)?;
        let id = port.id;
        {
            let mut state = port.state.lock();
            let State { driver, core } = &mut *state;
            core.phase = Phase::Open;
            *driver = Some(start(&mut Access {
                port: &port,
                core,
                caller: None,
            }));
        }
        let _ = signal::send(owner, Signal::Link { from: id });
        Some(id)
    }
}
