//! Reading long packets of a connection to another node to their place.
//!
//! Most bytes of a large message come in fragments, and each of them has its place in the message as soon as its first
//! bytes are known. So the rest of such a packet is not read into the socket's buffer: the channel gives the room
//! ([`Channel::fill`]). One call also reads a little of what follows, which shows where the next one belongs. If
//! nothing follows yet, the next call reads no more than that ([`Tcp::look`]): otherwise a reader that has caught up
//! with the other node would find whole fragments in each read, and have to copy them all.

use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use sys::socket;
use term::am;

use super::Tcp;
use super::read_ahead::{Read, ReadAhead};
use super::receive::{CARRIER_BYTES, Step};
use crate::inet::input::Next;
use runtime::effects::port::access::Access;
use runtime::effects::port::carrier::{Accepted, Channel, Source};
use runtime::mail::idle;

/// A packet of which less is missing is copied instead.
const LEAST_MISSING_BYTES: usize = 8 << 10;
/// Bytes that are read beyond the packet. The beginning of a fragment has 26, with the packet's length.
const BEYOND_BYTES: usize = 256;

/// A socket whose bytes go to the channel.
struct Reading<'a> {
    fd: sys::Result<BorrowedFd<'a>>,
    ahead: &'a mut ReadAhead,
    beyond: &'a mut [MaybeUninit<u8>],
    /// What the system has answered, and how much of it is in `beyond`.
    result: Option<sys::Result<Read>>,
    beyond_count: usize,
}

impl Reading<'_> {
    fn read_once(&mut self, room: &mut [MaybeUninit<u8>]) -> sys::Result<Read> {
        let fd = self.fd?;
        if !self.ahead.is_empty() {
            return self.ahead.read(fd, room, false);
        }
        let count = socket::receive_into(fd, room, self.beyond)?;
        self.beyond_count = count.saturating_sub(room.len());
        Ok(Read {
            count,
            found_end: count < room.len() + self.beyond.len(),
        })
    }
}

impl Source for Reading<'_> {
    fn read<'b>(&mut self, room: &'b mut [MaybeUninit<u8>]) -> &'b [u8] {
        let result = self.read_once(room);
        self.result = Some(result);
        let count = result.map_or(0, |read| read.count - self.beyond_count);
        // SAFETY: the system has written so many bytes of the room.
        unsafe { room[..count].assume_init_ref() }
    }
}

impl Tcp {
    /// Offers the packet at the front to the channel, if much of it is missing; returns whether it takes it.
    pub(super) fn begin_packet(&mut self, channel: &dyn Channel) -> bool {
        let missing = self.input.missing();
        if missing < LEAST_MISSING_BYTES {
            return false;
        }
        let kind = self.socket.options.framing().kind;
        let packet = self.input.available();
        let body = packet::body(kind, packet).start;
        let length = packet.len() + missing;
        if !channel.begin_packet(&packet[body..], length - body) {
            return false;
        }
        self.input.clear();
        self.begun_bytes = length;
        true
    }

    /// Reads the beginning of a packet that probably is a part of a message, and if it is, more of it to its place.
    pub(super) fn look(&mut self, port: &mut Access<'_>, channel: &Arc<dyn Channel>) -> Step {
        if !self.may_read() {
            return Step::Blocked;
        }
        let framing = self.socket.options.framing();
        let next = match self.read_ahead(port, &framing, BEYOND_BYTES, false) {
            Ok(next) => next,
            Err(step) => return step,
        };
        if matches!(next, Next::Read(_)) && self.begin_packet(&**channel) {
            return self.fill(port, channel);
        }
        self.expects_part = false;
        self.follow(port, next)
    }

    /// Has the channel read more of the packet that it has begun.
    pub(super) fn fill(&mut self, port: &mut Access<'_>, channel: &Arc<dyn Channel>) -> Step {
        if !self.may_read() {
            return Step::Blocked;
        }
        let framing = self.socket.options.framing();
        let _ = self
            .input
            .plan(0, CARRIER_BYTES, &framing, &mut self.in_headers);
        let mut reading = Reading {
            fd: self.socket.fd(),
            ahead: &mut self.ahead,
            beyond: self.input.room(BEYOND_BYTES),
            result: None,
            beyond_count: 0,
        };
        let accepted = channel.fill(&mut reading);
        let (result, beyond) = (reading.result, reading.beyond_count);
        if let Some(accepted) = accepted {
            self.socket.statistics.count_received(self.begun_bytes);
            self.begun_bytes = 0;
            self.expects_part = accepted == Accepted::Part;
            idle::heard_of_peer();
            if accepted == Accepted::No {
                port.exit(am::KILLED);
                return Step::Ended;
            }
        }
        // The channel has read, unless it has ended.
        let Some(result) = result else {
            return Step::Ended;
        };
        if beyond == 0 {
            self.input.release_room();
        }
        if let Err(step) = self.received(port, result) {
            return step;
        }
        if beyond == 0 {
            return Step::More;
        }
        // SAFETY: the system has written so many bytes of the room.
        match unsafe { self.input.filled(beyond, &framing, &mut self.in_headers) } {
            Next::Packet(length) => self.deliver(port, length),
            Next::Read(_) | Next::Invalid => Step::More,
        }
    }
}
