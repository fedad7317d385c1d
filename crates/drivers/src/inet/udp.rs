//! The driver `udp_inet`: datagrams, of the internet families and local ones.

use std::mem::MaybeUninit;

use layout::{Heap, Term};
use sys::Errno;
use sys::socket::{self, Address, SocketKind, message as with_ancillary};
use term::{am, atom, build};

use super::message::Value;
use super::options::number;
use super::options::requests::{self, Follow};
use super::pending::{Pending, set_timer};
use super::protocol::{
    self, Answer, BAD_PORT, Bytes, INVALID, MAGIC, Reader, Refusal, done, request, short, status,
};
use super::sender::Sender;
use super::socket::{Protocol, Socket};
use super::{address, message};
use runtime::effects::port::access::Access;
use runtime::effects::port::driver::{Command, Control, Driver, Ready, SocketEnds};
use runtime::effects::port::output::Output;

/// A datagram has room for this many bytes on the stack.
const STACK_BYTES: usize = 16 << 10;

/// See the module.
pub(super) struct Udp {
    socket: Socket,
    remote: Option<Box<Address>>,
    receiving: Option<Pending>,
    timer_set_for: Option<i64>,
}

impl Default for Udp {
    fn default() -> Udp {
        Udp {
            socket: Socket::new(Protocol::Udp),
            remote: None,
            receiving: None,
            timer_set_for: None,
        }
    }
}

/// A datagram that has come in.
struct Datagram<'a> {
    from: &'a Address,
    bytes: &'a [u8],
    /// For sockets that ask for it.
    ancillary: Option<&'a [with_ancillary::Ancillary]>,
}

impl Udp {
    fn request(&mut self, port: &mut Access<'_>, operation: u32, bytes: &[u8]) -> Answer {
        match operation {
            request::OPEN => {
                let answer = self.socket.open(bytes, SocketKind::Datagram)?;
                self.read(port);
                Ok(answer)
            }
            request::OPEN_DESCRIPTOR => {
                let answer = self.socket.open_descriptor(bytes, SocketKind::Datagram)?;
                self.read(port);
                Ok(answer)
            }
            request::CLOSE => {
                self.socket.close(port);
                done()
            }
            request::CONNECT => self.connect(port, bytes),
            request::RECEIVE_PACKET => {
                if !self.socket.is_open() {
                    return Err(BAD_PORT);
                }
                if self.socket.options.is_active() || bytes.len() != 8 {
                    return Err(INVALID);
                }
                let timeout_ms = Reader::new(bytes).word()?;
                let reference = self
                    .socket
                    .begin_receive(port, &mut self.receiving, timeout_ms)?;
                self.read(port);
                short(reference)
            }
            request::SUBSCRIBE => {
                // Nothing is ever queued.
                let mut answer = Bytes::new();
                for &what in bytes {
                    if what != protocol::SUBSCRIBE_EMPTY_QUEUE {
                        return Err(Refusal::Bad);
                    }
                    answer.extend_from_slice(&[what, 0, 0, 0, 0]);
                }
                Ok(answer)
            }
            request::SET_OPTIONS => {
                match self.socket.set_options(port, bytes)? {
                    Follow::Nothing => {}
                    _ => self.read(port),
                }
                done()
            }
            _ => self.socket.control(port, operation, bytes, 0),
        }
    }

    /// Sets the address that datagrams are sent to and accepted from.
    fn connect(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        if !self.socket.is_open() {
            return Err(BAD_PORT);
        }
        let fd = self.socket.fd()?;
        if bytes.is_empty() {
            let _ = socket::disconnect(fd);
            self.socket.status &= !status::ACTIVE;
        } else if bytes.len() < 6 {
            return Err(INVALID);
        } else {
            // The address comes after a timeout, which is not needed.
            let remote = address::read(&mut Reader::new(&bytes[4..]), self.socket.family)?;
            if self.socket.is_connected() {
                // Otherwise the local address would stay the one for the old peer.
                let _ = socket::disconnect(fd);
            }
            if let Err(error) = socket::connect(fd, &remote) {
                let _ = socket::disconnect(fd);
                self.socket.status &= !status::ACTIVE;
                return Err(error.into());
            }
            self.remote = Some(Box::new(remote));
            self.socket.status |= status::ACTIVE;
        }
        let reference = self.socket.new_reference();
        let pending = Pending::new(reference, port.caller(), protocol::INFINITY);
        message::finished_ok(port, &pending);
        short(reference)
    }

    /// Sends one datagram: its address, its ancillary data, and its contents.
    fn send(&mut self, data: &[u8]) -> Result<(), Refusal> {
        if !self.socket.is_open() {
            return Err(INVALID);
        }
        let mut reader = Reader::new(data);
        let to = address::read(&mut reader, self.socket.family)?;
        let length = reader.word()? as usize;
        let ancillary = reader.bytes(length)?;
        let entries = requests::read_ancillary(ancillary)?;
        let bytes = reader.rest();
        self.socket.statistics.count_sent(bytes.len());
        let fd = self.socket.fd()?;
        let is_connected = self.socket.has(status::ACTIVE);
        match (entries.is_empty(), is_connected) {
            (true, true) => socket::send(fd, bytes)?,
            (true, false) => socket::send_to(fd, bytes, &to)?,
            (false, _) => {
                let to = (!is_connected).then_some(&to);
                with_ancillary::send(fd, bytes, to, &entries)?
            }
        };
        Ok(())
    }

    fn wants_input(&self) -> bool {
        self.socket.is_open() && (self.socket.options.is_active() || self.receiving.is_some())
    }

    /// Reads as long as there is data that somebody wants.
    fn read(&mut self, port: &mut Access<'_>) {
        let mut left = self.socket.options.read_packets;
        while left > 0 && self.wants_input() && self.socket.readable {
            self.read_one(port);
            left -= 1;
        }
        if self.wants_input() {
            if self.socket.readable {
                port.call_again(Ready {
                    fd: -1,
                    readable: false,
                    writable: false,
                    hangup: false,
                });
            }
            if let Err(error) = self.socket.watch(port) {
                self.failed(port, error);
            }
        }
    }

    fn read_one(&mut self, port: &mut Access<'_>) {
        let buffer_bytes = self.socket.options.buffer_bytes as usize;
        let mut on_stack = [MaybeUninit::uninit(); STACK_BYTES];
        let mut on_heap = Vec::new();
        let room = if buffer_bytes <= STACK_BYTES {
            &mut on_stack[..buffer_bytes]
        } else {
            on_heap.reserve_exact(buffer_bytes);
            &mut on_heap.spare_capacity_mut()[..buffer_bytes]
        };
        match self.take(room) {
            Ok((count, from, ancillary)) => {
                if !self.socket.options.deliver_port {
                    port.count_delivered(count);
                }
                self.socket.statistics.count_received(count);
                let datagram = Datagram {
                    from: &from,
                    // SAFETY: the call has filled this many bytes.
                    bytes: unsafe { std::slice::from_raw_parts(room.as_ptr().cast::<u8>(), count) },
                    ancillary: ancillary.as_deref(),
                };
                self.hand_out(port, &datagram);
            }
            Err(Errno::EAGAIN) => self.socket.readable = false,
            Err(error) => self.failed(port, error),
        }
    }

    fn take(
        &self,
        room: &mut [MaybeUninit<u8>],
    ) -> sys::Result<(usize, Address, Option<Vec<with_ancillary::Ancillary>>)> {
        let fd = self.socket.fd()?;
        let asks = self.socket.options.ancillary.any();
        match &self.remote {
            Some(remote) if self.socket.has(status::ACTIVE) => {
                let count = socket::receive(fd, room)?;
                Ok((count, **remote, asks.then(Vec::new)))
            }
            _ if asks => {
                let received = with_ancillary::receive(fd, room)?;
                Ok((received.count, received.from, Some(received.ancillary)))
            }
            _ => {
                let (count, from) = socket::receive_from(fd, room)?;
                Ok((count, from, None))
            }
        }
    }

    /// Sends a datagram to the process that it is for.
    fn hand_out(&mut self, port: &mut Access<'_>, datagram: &Datagram<'_>) {
        let options = &self.socket.options;
        if !options.is_active() {
            let Some(pending) = self.receiving.take() else {
                return;
            };
            let mut bytes = Bytes::new();
            address::write(&mut bytes, datagram.from);
            let address_bytes = bytes.len();
            bytes.extend_from_slice(datagram.bytes);
            let data = message::data_words(options, address_bytes, bytes.len());
            let words = match datagram.ancillary {
                None => data,
                Some(entries) => data + ancillary_words(entries) + 3,
            };
            let value = |heap: &mut Heap| {
                let data = message::data(heap, options, address_bytes, &bytes);
                match datagram.ancillary {
                    None => data,
                    Some(entries) => {
                        let entries = ancillary_list(heap, entries);
                        build::tuple(heap, &[data, entries])
                    }
                }
            };
            // SAFETY: all of it is built there, from bytes, numbers and atoms.
            let value = unsafe { Value::new(Some(words), value) };
            message::finished_with(port, &pending, value);
            return;
        }
        if options.deliver_port {
            let mut bytes = Bytes::new();
            address::write(&mut bytes, datagram.from);
            bytes.extend_from_slice(datagram.bytes);
            message::port_data(port, options, &bytes);
        } else {
            let id = port.id();
            let data = message::data_words(options, 0, datagram.bytes.len());
            let words = match datagram.ancillary {
                None => 6 + data,
                Some(entries) => 7 + data + ancillary_words(entries),
            };
            let value = |heap: &mut Heap| {
                let (ip, port) = address::terms(heap, datagram.from);
                let data = message::data(heap, options, 0, datagram.bytes);
                match datagram.ancillary {
                    None => build::tuple(heap, &[am::UDP, id, ip, port, data]),
                    Some(entries) => {
                        let entries = ancillary_list(heap, entries);
                        build::tuple(heap, &[am::UDP, id, ip, port, entries, data])
                    }
                }
            };
            let words = words + address::terms_words(datagram.from);
            // SAFETY: all of it is built there, from bytes, numbers, atoms and the port's identifier.
            unsafe { Value::new(Some(words), value) }.send_to_connected(port);
        }
        self.socket.count_active(port);
    }

    /// Reading has failed.
    fn failed(&mut self, port: &Access<'_>, error: Errno) {
        let reason = message::reason(error);
        if self.socket.options.is_active() {
            message::event_with(port, am::UDP_ERROR, message::immediate(reason));
        } else if let Some(pending) = self.receiving.take() {
            message::failed(port, &pending, reason);
        }
    }

    fn keep_time(&mut self, port: &mut Access<'_>) {
        let earliest = self.receiving.and_then(|pending| pending.deadline_ns);
        set_timer(port, &mut self.timer_set_for, earliest);
    }
}

/// The words of what [`ancillary_list`] makes: a cell and a pair for each entry, whose values are small numbers.
fn ancillary_words(entries: &[with_ancillary::Ancillary]) -> usize {
    entries.len() * (2 + 3)
}

/// Ancillary data as `[{Option, Value}]`.
fn ancillary_list(heap: &mut Heap, entries: &[with_ancillary::Ancillary]) -> Term {
    let pairs: Vec<Term> = entries
        .iter()
        .filter_map(|entry| {
            let option = match requests::ancillary_number(entry.name)? {
                number::TYPE_OF_SERVICE => "tos",
                number::TRAFFIC_CLASS => "tclass",
                _ => "ttl",
            };
            let value = build::unsigned(heap, entry.value());
            Some(build::tuple(heap, &[atom::known(option), value]))
        })
        .collect();
    build::list(heap, &pairs)
}

impl Driver for Udp {
    fn locking(&self) -> &'static str {
        "port_level"
    }

    fn socket_ends(&self) -> Option<SocketEnds> {
        self.socket.ends("udp")
    }

    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command {
        let Some((caller, rest)) = Sender::of(port, data) else {
            port.exit(am::EINVAL);
            return Command::Done;
        };
        match self.send(&rest.as_ref().unwrap_or(data).whole()) {
            Ok(()) => message::reply_ok(port, caller),
            Err(refusal) => {
                let reason = match refusal {
                    Refusal::System(error) => message::reason(error),
                    Refusal::Named(name) => atom::known(name),
                    Refusal::Bad => am::EINVAL,
                };
                message::reply_error(port, caller, reason);
            }
        }
        Command::Done
    }

    fn control(&mut self, port: &mut Access<'_>, operation: u32, data: &[u8]) -> Option<Control> {
        let answer = self.request(port, operation.wrapping_sub(MAGIC), data);
        self.keep_time(port);
        protocol::reply(answer)
    }

    fn ready(&mut self, port: &mut Access<'_>, ready: Ready) {
        self.socket.readable |= ready.readable;
        self.read(port);
        self.keep_time(port);
    }

    fn timeout(&mut self, port: &mut Access<'_>) {
        self.timer_set_for = None;
        let now_ns = sys::clock::monotonic_ns();
        if let Some(pending) = self.receiving.take_if(|pending| pending.is_due(now_ns)) {
            message::failed(port, &pending, am::TIMEOUT);
        }
        self.keep_time(port);
    }

    fn stop(mut self: Box<Self>, port: &mut Access<'_>) {
        if let Some(pending) = self.receiving.take() {
            message::failed(port, &pending, am::CLOSED);
        }
        self.socket.unwatch(port);
    }
}
