//! Reading: data is cut into packets and delivered to the owner of an active socket, or to the process that asked.

use std::mem::MaybeUninit;

use layout::{Heap, no_gc};
use sys::Errno;
use sys::socket::Family;
use term::{am, build};

use super::Tcp;
use super::read_ahead::Read;
use crate::inet::input::{Framing, Next};
use crate::inet::message::{self, Value};
use crate::inet::protocol::{Answer, INVALID, Reader, short};
use packet::{self, PacketKind, terms};
use runtime::effects::port::access::Access;
use runtime::effects::port::carrier::Accepted;
use runtime::mail::idle;
use term::input_buffer::InputBuffer;

/// Maximum number of bytes that one request may ask for.
const MAX_WANTED_BYTES: usize = 64 << 20;
/// A raw read has room for this many bytes on the stack.
const RAW_BYTES: usize = 16 << 10;
/// Maximum number of bytes of a raw read, unless the socket's options ask for more.
const MAX_RAW_BYTES: usize = 256 << 10;
/// A requested number of bytes within these limits is read without a copy. For fewer bytes copying costs less than
/// making room for them, and for more the room is made as they arrive.
const MIN_DIRECT_BYTES: usize = 8 << 10;
const MAX_DIRECT_BYTES: usize = 4 << 20;
/// Bytes of a read of a connection to another node, at least: many small messages come together, or two fragments.
pub(super) const CARRIER_BYTES: usize = 132 << 10;
/// Reads in a row before others have their turn.
const MAX_READS: usize = 16;
/// As [`MAX_READS`], for a connection to another node, whose reads are large: what is to be sent there waits meanwhile.
const MAX_CARRIED_READS: usize = 2;

/// How one step of reading ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// There may be more to read.
    More,
    /// There is nothing to read now.
    Blocked,
    /// The connection has ended, or the data cannot become a packet.
    Ended,
}

impl Tcp {
    /// Requests data, which comes as a message, perhaps at once.
    pub(super) fn receive(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        if !self.socket.is_connected() {
            return Err(self.late_receive_error());
        }
        if self.socket.options.is_active() || bytes.len() != 8 {
            return Err(INVALID);
        }
        let mut reader = Reader::new(bytes);
        let (timeout_ms, wanted) = (reader.word()?, reader.word()? as usize);
        if self.socket.options.packet != 0 && wanted != 0 {
            return Err(INVALID);
        }
        if wanted > MAX_WANTED_BYTES {
            return Err(Errno::ENOMEM.into());
        }
        let reference = self
            .socket
            .begin_receive(port, &mut self.receiving, timeout_ms)?;
        if !self.socket.ignored {
            self.read_now(port, wanted);
            self.read(port);
        }
        if timeout_ms == 0 {
            self.fail_receive(port, am::TIMEOUT);
        }
        short(reference)
    }

    /// Whether anybody wants data.
    fn wants_input(&self) -> bool {
        self.socket.is_connected()
            && !self.ends.is_read_closed
            && !self.ends.is_over
            && !self.socket.ignored
            && (self.socket.options.is_active() || self.receiving.is_some())
    }

    /// Whether there may be something to read, here or in the system.
    pub(super) fn may_read(&self) -> bool {
        self.socket.readable || !self.ahead.is_empty()
    }

    /// Whether a read may take more than was asked for.
    fn may_read_ahead(&self) -> bool {
        self.socket.options.read_ahead
            && !self.socket.is_known
            && self.socket.family != Some(Family::Local)
    }

    /// Reads as long as there is data that somebody wants.
    pub(super) fn read(&mut self, port: &mut Access<'_>) {
        let max_reads = match port.channel() {
            Some(_) => MAX_CARRIED_READS,
            None => MAX_READS,
        };
        for _ in 0..max_reads {
            if !self.wants_input() || !self.may_read() {
                break;
            }
            match self.step(port, 0) {
                Step::More => {}
                Step::Blocked | Step::Ended => break,
            }
        }
        if self.wants_input() {
            if self.may_read() {
                self.resume_later(port);
            }
            if let Err(error) = self.socket.watch(port) {
                self.receive_error(port, error);
            }
        }
    }

    /// Looks at what is there already, and reads at most once.
    pub(super) fn read_now(&mut self, port: &mut Access<'_>, wanted: usize) {
        let _ = self.step(port, wanted);
    }

    fn step(&mut self, port: &mut Access<'_>, wanted: usize) -> Step {
        let framing = self.socket.options.framing();
        if framing.kind == PacketKind::Raw && wanted == 0 && self.input.is_idle() {
            return self.read_raw(port);
        }
        let mut buffer_bytes = self.socket.options.buffer_bytes as usize;
        if !self.socket.options.read_ahead
            && let Some(head) = packet::head_bytes(framing.kind)
        {
            // With no more than the head in the buffer, the rest of the packet is read by its length.
            buffer_bytes = head;
        }
        let channel = port.channel();
        if let Some(channel) = &channel {
            if self.begun_bytes > 0 {
                return self.fill(port, channel);
            }
            buffer_bytes = buffer_bytes.max(CARRIER_BYTES);
        }
        let next = self
            .input
            .plan(wanted, buffer_bytes, &framing, &mut self.in_headers);
        let max = match next {
            Next::Read(max) => max,
            Next::Packet(length) => return self.deliver(port, length),
            Next::Invalid => {
                self.receive_error(port, Errno::EMSGSIZE);
                return Step::Ended;
            }
        };
        if let Some(channel) = &channel {
            if self.begin_packet(&**channel) {
                return self.fill(port, channel);
            }
            if self.expects_part && self.input.is_idle() {
                return self.look(port, channel);
            }
        }
        if !self.may_read() {
            return Step::Blocked;
        }
        let is_whole = framing.kind == PacketKind::Raw && self.input.lacks_all_of(max);
        if is_whole
            && self.is_read_directly(max)
            && let Some(incoming) = InputBuffer::new(max)
        {
            return self.read_directly(port, incoming, max);
        }
        let may_go_on = self.may_read_ahead();
        match self.read_ahead(port, &framing, max, may_go_on) {
            Ok(next) => self.follow(port, next),
            Err(step) => step,
        }
    }

    /// Reads at most this many bytes behind what has come; returns what that makes of the input.
    pub(super) fn read_ahead(
        &mut self,
        port: &mut Access<'_>,
        framing: &Framing,
        max: usize,
        may_go_on: bool,
    ) -> Result<Next, Step> {
        let (ahead, room) = (&mut self.ahead, self.input.room(max));
        let fd = self.socket.fd();
        let result = fd.and_then(|fd| ahead.read(fd, room, may_go_on));
        let count = match self.received(port, result) {
            Ok(count) => count,
            Err(step) => {
                self.input.release_room();
                return Err(step);
            }
        };
        // SAFETY: the call has filled this many bytes of the room.
        Ok(unsafe { self.input.filled(count, framing, &mut self.in_headers) })
    }

    /// Does what follows from what was read.
    pub(super) fn follow(&mut self, port: &mut Access<'_>, next: Next) -> Step {
        match next {
            Next::Packet(length) => self.deliver(port, length),
            Next::Read(_) => Step::More,
            Next::Invalid => {
                self.receive_error(port, Errno::EMSGSIZE);
                Step::Ended
            }
        }
    }

    /// Whether a requested number of bytes is read directly into the binary that they become.
    fn is_read_directly(&self, bytes: usize) -> bool {
        let options = &self.socket.options;
        (MIN_DIRECT_BYTES..=MAX_DIRECT_BYTES).contains(&bytes)
            && self.receiving.is_some()
            && options.binary
            && options.header_bytes == 0
            && !options.deliver_port
            && !options.is_active()
    }

    /// Reads into the binary that is requested, if all of it is there. If only part of it is, that becomes part of
    /// the input.
    fn read_directly(
        &mut self,
        port: &mut Access<'_>,
        mut incoming: InputBuffer,
        wanted: usize,
    ) -> Step {
        let may_go_on = self.may_read_ahead();
        let (ahead, fd) = (&mut self.ahead, self.socket.fd());
        let result = fd.and_then(|fd| ahead.read(fd, incoming.room(), may_go_on));
        let count = match self.received(port, result) {
            Ok(count) => count,
            Err(step) => return step,
        };
        if count < wanted {
            let part = &incoming.room()[..count];
            self.input.room(wanted)[..count].copy_from_slice(part);
            let framing = self.socket.options.framing();
            // SAFETY: the call has filled this many bytes, which have just been copied.
            let _ = unsafe { self.input.filled(count, &framing, &mut self.in_headers) };
            return Step::More;
        }
        self.input.clear();
        self.socket.statistics.count_received(count);
        port.count_delivered(count);
        if let Some(pending) = self.receiving.take() {
            // SAFETY: the call has filled this many bytes.
            let value = |heap: &mut Heap| unsafe { incoming.into_binary(heap, count) };
            // SAFETY: that binary is all of it, and is made there.
            let value = unsafe { Value::new(Some(build::binary_words(count)), value) };
            message::finished_with(port, &pending, value);
        }
        Step::More
    }

    /// Reads whatever is there, if no packets have to be found and nothing is left from before.
    fn read_raw(&mut self, port: &mut Access<'_>) -> Step {
        let usual_bytes = self.socket.options.buffer_bytes as usize;
        let size = self.input.idle_size(usual_bytes);
        if !self.may_read() {
            self.input.keep_idle(size);
            return Step::Blocked;
        }
        // The size may be that of a receive whose bytes have not arrived.
        let buffer_bytes = size.min(usual_bytes.max(MAX_RAW_BYTES));
        let mut on_stack = [MaybeUninit::uninit(); RAW_BYTES];
        let mut on_heap = Vec::new();
        let room = if buffer_bytes <= RAW_BYTES {
            &mut on_stack[..buffer_bytes]
        } else {
            on_heap.reserve_exact(buffer_bytes);
            &mut on_heap.spare_capacity_mut()[..buffer_bytes]
        };
        let may_go_on = self.may_read_ahead();
        let (ahead, fd) = (&mut self.ahead, self.socket.fd());
        let result = fd.and_then(|fd| ahead.read(fd, room, may_go_on));
        let count = match self.received(port, result) {
            Ok(count) => count,
            Err(step) => {
                if step == Step::Blocked {
                    self.input.keep_idle(size);
                }
                return step;
            }
        };
        self.input.clear();
        // SAFETY: the call has filled this many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(room.as_ptr().cast::<u8>(), count) };
        self.socket.statistics.count_received(count);
        self.hand_out(port, bytes);
        Step::More
    }

    /// Evaluates a read: the number of bytes, or how the step ended.
    pub(super) fn received(
        &mut self,
        port: &mut Access<'_>,
        result: sys::Result<Read>,
    ) -> Result<usize, Step> {
        match result {
            Ok(Read { count: 0, .. }) => {
                self.receive_closed(port);
                Err(Step::Ended)
            }
            Ok(Read { count, found_end }) => {
                // Everything has been read, unless an end follows that is still to be found. A read of a local socket
                // stops early where descriptors come with the data.
                let is_all = found_end && self.socket.family != Some(Family::Local);
                if is_all && !self.socket.hung_up && self.socket.is_watched() {
                    self.socket.readable = false;
                }
                Ok(count)
            }
            Err(Errno::EAGAIN) => {
                self.socket.readable = false;
                Err(Step::Blocked)
            }
            Err(error) => {
                self.receive_error(port, error);
                Err(Step::Ended)
            }
        }
    }

    /// Delivers packets that are there, without reading.
    pub(super) fn deliver_ready(&mut self, port: &mut Access<'_>) {
        let framing = self.socket.options.framing();
        if let Some(Next::Packet(length)) = self.input.ready(&framing, &mut self.in_headers) {
            let _ = self.deliver(port, length);
        }
    }

    /// Delivers the packet at the front, and while the socket is active those after it.
    pub(super) fn deliver(&mut self, port: &mut Access<'_>, mut length: usize) -> Step {
        loop {
            self.socket.statistics.count_received(length);
            let mut input = std::mem::take(&mut self.input);
            self.hand_out(port, &input.available()[..length]);
            input.taken(length);
            self.input = input;
            if !self.socket.options.is_active() {
                self.input.restart();
                return Step::More;
            }
            // Whatever a program does in reaction to our message comes later, so framing is as before.
            let framing = self.socket.options.framing();
            match self.input.ready(&framing, &mut self.in_headers) {
                Some(Next::Packet(next)) => length = next,
                Some(_) => return Step::Ended,
                None => {
                    self.input.restart();
                    return Step::More;
                }
            }
        }
    }

    /// Sends one packet to the process that it is for.
    fn hand_out(&mut self, port: &mut Access<'_>, packet: &[u8]) {
        let kind = self.socket.options.framing().kind;
        let body = &packet[packet::body(kind, packet)];
        if let Some(channel) = port.channel() {
            idle::heard_of_peer();
            let accepted = channel.packet(body);
            self.expects_part = accepted == Accepted::Part;
            if accepted == Accepted::No {
                port.exit(am::KILLED);
            }
            return;
        }
        if self.socket.options.deliver_port {
            message::port_data(port, &self.socket.options, body);
            self.socket.count_active(port);
            return;
        }
        port.count_delivered(packet.len());
        let id = port.id();
        let in_headers = &mut self.in_headers;
        let options = &self.socket.options;
        let value = |heap: &mut Heap| match terms::parsed(heap, kind, packet, in_headers) {
            None => message::data(heap, options, 0, body),
            Some(term) => match (kind, term.as_tuple(no_gc!())) {
                // The message names the socket.
                (PacketKind::SslTls, Some(&[tag, _, content, version, data])) => {
                    build::tuple(heap, &[tag, id, content, version, data])
                }
                _ => term,
            },
        };
        let words = match kind {
            PacketKind::Http { .. } | PacketKind::HttpHeaders { .. } | PacketKind::SslTls => None,
            _ => Some(message::data_words(options, 0, body.len())),
        };
        // SAFETY: all of it is built there: what `packet` makes of bytes, and the port's identifier.
        let value = unsafe { Value::new(words, value) };
        if options.is_active() {
            match kind {
                PacketKind::Http { .. } | PacketKind::HttpHeaders { .. } => {
                    message::event_with(port, am::HTTP, value)
                }
                // A record is a message by itself.
                PacketKind::SslTls if packet::is_record(packet) => value.send_to_connected(port),
                _ => message::event_with(port, am::TCP, value),
            }
            self.socket.count_active(port);
        } else if let Some(pending) = self.receiving.take() {
            message::finished_with(port, &pending, value);
        }
    }
}
