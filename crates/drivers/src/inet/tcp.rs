//! The driver `tcp_inet`: streams, of the internet families and local ones.
//!
//! [`accept`] accepts connections, [`receive`] reads (through [`read_ahead`], and [`carried`] from another node),
//! [`send`] writes, [`busy`] makes senders wait while much is queued, [`close`] handles the ways in which a connection
//! ends.

mod accept;
mod busy;
mod carried;
mod close;
mod read_ahead;
mod receive;
mod send;

use std::collections::VecDeque;

use layout::Term;
use sys::Errno;
use sys::socket::{self, SocketKind};
use term::am;

use super::input::Input;
use super::options::requests::Follow;
use super::pending::{Pending, set_timer};
use super::protocol::{
    self, Answer, BAD_PORT, Bytes, INVALID, MAGIC, Reader, SUBSCRIBE_EMPTY_QUEUE, done, request,
    short, status,
};
use super::sender::Sender;
use super::socket::{Protocol, Socket};
use super::{address, message};
use close::Ends;
use read_ahead::ReadAhead;
use runtime::effects::port::access::Access;
use runtime::effects::port::driver::{Close, Command, Control, Driver, Ready, SocketEnds};
use runtime::effects::port::output::Output;
use send::FileToSend;
use term::byte_queue::ByteQueue;

/// See the module.
pub(super) struct Tcp {
    socket: Socket,
    ends: Ends,
    ahead: ReadAhead,
    input: Input,
    /// The length of the packet whose rest is read for the channel ([`carried`]); 0 if there is none.
    begun_bytes: usize,
    /// The last packet for the channel was part of a message.
    expects_part: bool,
    /// HTTP: the start line has been read.
    in_headers: bool,
    connecting: Option<Pending>,
    receiving: Option<Pending>,
    accepting: VecDeque<Pending>,
    queue: ByteQueue,
    /// Whether the queue of a connection to another node has come to the high watermark, and not yet down to the low
    /// one.
    is_filled: bool,
    /// Whether the queue waits for the socket to take more.
    wants_write: bool,
    /// The processes whose output made the queue too long; they get their replies when it is short again. There are
    /// several if commands were in progress when the port became busy.
    busy_callers: Vec<Sender>,
    send_deadline_ns: Option<i64>,
    file: Option<Box<FileToSend>>,
    /// The processes to tell when everything has been sent.
    subscribers: Vec<Term>,
    timer_set_for: Option<i64>,
}

impl Default for Tcp {
    fn default() -> Tcp {
        Tcp::new(Socket::new(Protocol::Tcp))
    }
}

impl Tcp {
    fn new(socket: Socket) -> Tcp {
        Tcp {
            socket,
            ends: Ends::default(),
            ahead: ReadAhead::default(),
            input: Input::default(),
            begun_bytes: 0,
            expects_part: false,
            in_headers: false,
            connecting: None,
            receiving: None,
            accepting: VecDeque::new(),
            is_filled: false,
            queue: ByteQueue::default(),
            wants_write: false,
            busy_callers: Vec::new(),
            send_deadline_ns: None,
            file: None,
            subscribers: Vec::new(),
            timer_set_for: None,
        }
    }

    fn request(&mut self, port: &mut Access<'_>, operation: u32, bytes: &[u8]) -> Answer {
        match operation {
            request::OPEN => self.socket.open(bytes, SocketKind::Stream),
            request::OPEN_DESCRIPTOR => self.socket.open_descriptor(bytes, SocketKind::Stream),
            request::LISTEN => {
                if !self.socket.is_open() {
                    return Err(BAD_PORT);
                }
                let backlog: [u8; 2] = bytes.try_into().map_err(|_| INVALID)?;
                let backlog = u16::from_be_bytes(backlog);
                socket::listen(self.socket.fd()?, i32::from(backlog))?;
                self.socket.status = status::OPEN | status::LISTEN;
                done()
            }
            request::CONNECT => self.connect(port, bytes),
            request::ACCEPT => self.accept(port, bytes),
            request::CLOSE => {
                self.fail_pending(port);
                self.close_socket(port);
                done()
            }
            request::RECEIVE => self.receive(port, bytes),
            request::UNRECEIVE => {
                if !self.socket.is_connected() {
                    return Err(Errno::ENOTCONN.into());
                }
                self.input.push_front(bytes);
                if self.socket.options.is_active() {
                    self.deliver_ready(port);
                }
                done()
            }
            request::SHUTDOWN => self.shutdown(port, bytes),
            request::SEND_FILE => self.send_file(port, bytes),
            request::SUBSCRIBE => self.subscribe(port, bytes),
            request::SET_OPTIONS => {
                let before = self.socket.options.active;
                let follow = self.socket.set_options(port, bytes);
                let is_changed = self.socket.options.active != before;
                let sees_end = is_changed
                    && self.socket.options.is_active()
                    && std::mem::take(&mut self.ends.is_read_closed);
                if sees_end {
                    // A socket that is kept open has seen the end; when it becomes active in another way, it must see
                    // that again.
                    self.socket.readable = true;
                }
                match follow? {
                    Follow::Nothing if sees_end => self.read(port),
                    Follow::Nothing => {}
                    Follow::Deliver => {
                        self.deliver_ready(port);
                        self.read(port);
                    }
                    Follow::Receive => {
                        self.read_now(port, 0);
                        self.read(port);
                    }
                    Follow::Ended => self.report_late_end(port),
                }
                done()
            }
            _ => {
                if operation == request::STATUS {
                    // The process that waited for a connection may have ended.
                    self.forget_dead();
                }
                let pending = self.queue.size();
                self.socket.control(port, operation, bytes, pending)
            }
        }
    }

    fn connect(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        if !self.socket.is_open() {
            return Err(BAD_PORT);
        }
        if self.socket.is_connected() {
            return Err(Errno::EISCONN.into());
        }
        if self.socket.has(status::CONNECTING) || bytes.len() < 6 {
            return Err(INVALID);
        }
        let mut reader = Reader::new(bytes);
        let timeout_ms = reader.word()?;
        let remote = address::read(&mut reader, self.socket.family)?;
        match socket::connect(self.socket.fd()?, &remote) {
            Ok(()) => {
                let reference = self.socket.new_reference();
                let pending = Pending::new(reference, port.caller(), protocol::INFINITY);
                self.connected(port, &pending);
                short(reference)
            }
            Err(Errno::EINPROGRESS | Errno::EAGAIN) => {
                self.socket.watch(port)?;
                // There is nothing to read before the connection is established.
                self.socket.readable = false;
                self.socket.status = status::OPEN | status::CONNECTING;
                let reference = self.socket.new_reference();
                self.connecting = Some(Pending::new(reference, port.caller(), timeout_ms));
                short(reference)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn connected(&mut self, port: &mut Access<'_>, pending: &Pending) {
        self.socket.status = status::OPEN | status::ACTIVE;
        self.socket.readable = true;
        message::finished_ok(port, pending);
        self.read(port);
    }

    /// The socket has become writable, so the result of connecting is known.
    fn connect_ready(&mut self, port: &mut Access<'_>) {
        let Some(pending) = self.connecting.take() else {
            return;
        };
        match self.socket.fd().and_then(socket::take_error) {
            Ok(()) => self.connected(port, &pending),
            Err(error) => {
                self.socket.status = status::OPEN;
                message::failed(port, &pending, message::reason(error));
            }
        }
    }

    fn shutdown(&mut self, _port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        if !self.socket.is_connected() {
            return Err(Errno::ENOTCONN.into());
        }
        let &[how] = bytes else { return Err(INVALID) };
        let half = match how {
            0 => socket::Half::Read,
            1 => socket::Half::Write,
            2 => socket::Half::Both,
            _ => return Err(INVALID),
        };
        if half != socket::Half::Read && self.queue.size() > 0 {
            self.ends.pending_shutdown = Some(half);
            return done();
        }
        let result = socket::shutdown(self.socket.fd()?, half);
        if result.is_err() && half != socket::Half::Read {
            self.ends.is_shut_down = true;
        }
        result?;
        done()
    }

    fn subscribe(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        let mut answer = Bytes::new();
        for &what in bytes {
            if what != SUBSCRIBE_EMPTY_QUEUE {
                return Err(protocol::Refusal::Bad);
            }
            if self.queue.size() > 0 {
                self.subscribers.push(port.caller());
            }
            answer.push(what);
            let pending = u32::try_from(self.queue.size()).unwrap_or(u32::MAX);
            answer.extend_from_slice(&pending.to_be_bytes());
        }
        Ok(answer)
    }

    /// Tells the subscribers that nothing is queued any more.
    fn report_empty_queue(&mut self, port: &Access<'_>) {
        let id = port.id();
        let tag = term::atom::known("empty_out_q");
        for pid in std::mem::take(&mut self.subscribers) {
            port.send(pid, |heap| term::build::tuple(heap, &[tag, id]));
        }
    }

    /// Continues when others have had their turn.
    fn resume_later(&mut self, port: &mut Access<'_>) {
        port.call_again(Ready {
            fd: -1,
            readable: false,
            writable: true,
            hangup: false,
        });
    }

    /// Does what an event has made possible.
    fn proceed(&mut self, port: &mut Access<'_>, ready: Ready) {
        self.socket.readable |= ready.readable;
        self.socket.hung_up |= ready.hangup;
        if self.socket.has(status::CONNECTING) {
            if ready.writable {
                self.connect_ready(port);
            }
        } else if self.socket.has(status::LISTEN) {
            self.accept_ready(port);
        } else if self.socket.is_connected() && !self.socket.ignored {
            if ready.writable {
                self.write(port);
            }
            self.read(port);
        }
    }

    /// Sets the port's timer for the earliest deadline.
    fn keep_time(&mut self, port: &mut Access<'_>) {
        let single = [&self.connecting, &self.receiving];
        let earliest = single
            .into_iter()
            .flatten()
            .chain(&self.accepting)
            .filter_map(|pending| pending.deadline_ns)
            .chain(self.send_deadline_ns)
            .min();
        set_timer(port, &mut self.timer_set_for, earliest);
    }
}

impl Driver for Tcp {
    fn locking(&self) -> &'static str {
        "port_level"
    }

    fn socket_ends(&self) -> Option<SocketEnds> {
        self.socket.ends("tcp")
    }

    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command {
        self.send(port, data);
        self.keep_time(port);
        Command::Done
    }

    fn control(&mut self, port: &mut Access<'_>, operation: u32, data: &[u8]) -> Option<Control> {
        let answer = self.request(port, operation.wrapping_sub(MAGIC), data);
        self.keep_time(port);
        protocol::reply(answer)
    }

    fn ready(&mut self, port: &mut Access<'_>, ready: Ready) {
        self.proceed(port, ready);
        self.keep_time(port);
    }

    fn timeout(&mut self, port: &mut Access<'_>) {
        self.timer_set_for = None;
        let now_ns = sys::clock::monotonic_ns();
        if self
            .connecting
            .is_some_and(|pending| pending.is_due(now_ns))
        {
            // A socket whose connecting has timed out is of no use.
            let pending = self.connecting.take();
            self.close_socket(port);
            if let Some(pending) = pending {
                message::failed(port, &pending, am::TIMEOUT);
            }
        }
        if self.receiving.is_some_and(|pending| pending.is_due(now_ns)) {
            self.input.forget_missing();
            self.fail_receive(port, am::TIMEOUT);
        }
        self.accept_timeouts(port, now_ns);
        if self
            .send_deadline_ns
            .is_some_and(|deadline| deadline <= now_ns)
        {
            self.send_timeout(port);
        }
        self.keep_time(port);
    }

    fn queued_bytes(&self) -> usize {
        self.queue.size()
    }

    fn takes_vector(&self) -> bool {
        true
    }

    fn takes_force(&self) -> bool {
        true
    }

    fn carry(&mut self) -> bool {
        self.keep_little_unsent();
        true
    }

    fn channel_has_output(&mut self, port: &mut Access<'_>) {
        self.carry_output(port);
    }

    fn close(&mut self, port: &mut Access<'_>) -> Close {
        // Output that waits neither for the socket to become writable nor for its turn would never be written.
        let goes_on = self.wants_write || port.will_call_again();
        let is_lost = !goes_on || self.socket.options.linger_zero || self.file.is_some();
        if is_lost {
            self.clear_queue(port);
        }
        if self.queue.size() > 0 {
            return Close::WhenEmpty;
        }
        Close::Now
    }

    fn stop(mut self: Box<Self>, port: &mut Access<'_>) {
        self.fail_pending(port);
        self.ahead.end(self.socket.fd());
        self.socket.unwatch(port);
    }
}
