//! Data that was read from a stream and not delivered yet, and how much to read next.
//!
//! Packets are found in one buffer. Its *size* is what the socket's options or a request ask for, and grows when a
//! packet announces that it is longer. Memory is allocated only for data that has really arrived, so an announced
//! length of two gigabytes costs nothing. A line that is longer than the buffer's size is split, as in OTP.
//!
//! Belongs to one socket; nothing here depends on sockets.

use std::mem::MaybeUninit;

use packet::{self, Length, Limits, PacketKind};
use term::release::{self, Release};

/// How packets are delimited on a socket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Framing {
    pub kind: PacketKind,
    /// The maximum length of a packet; 0 for no limit.
    pub packet_bytes: u32,
    pub delimiter: u8,
}

/// What to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(super) enum Next {
    /// Deliver the packet of this many bytes at the front.
    Packet(usize),
    /// Read at most this many bytes.
    Read(usize),
    /// The data cannot become a packet.
    Invalid,
}

/// Maximum number of bytes that are reserved before any have arrived. Memory that is never written is not really
/// allocated, so this bounds address space; a longer packet gets its room as it arrives.
const MAX_RESERVED_BYTES: usize = 4 << 20;

/// See the module.
#[derive(Default, Debug)]
pub(super) struct Input {
    bytes: Vec<u8>,
    /// Bytes before this index have been delivered.
    start: usize,
    /// How far the buffer may fill; 0 if there is no buffer.
    size: usize,
    /// Number of bytes that complete what is wanted; 0 if unknown.
    missing: usize,
}

impl Input {
    /// Bytes that have been read and not delivered.
    #[must_use]
    pub(super) fn available(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Whether there is no buffer.
    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Whether there are no bytes, and none are known to be missing.
    #[must_use]
    pub(super) fn is_idle(&self) -> bool {
        self.bytes.is_empty() && self.missing == 0
    }

    /// How many bytes a read of any data takes, when the input is idle.
    #[must_use]
    pub(super) fn idle_size(&self, buffer_bytes: usize) -> usize {
        match self.size {
            0 => buffer_bytes,
            size => size,
        }
    }

    /// Such a read found nothing: the buffer, and with it its size, is kept.
    pub(super) fn keep_idle(&mut self, size: usize) {
        self.size = size;
    }

    /// Whether this many bytes are waited for, and none of them has arrived.
    #[must_use]
    pub(super) fn lacks_all_of(&self, bytes: usize) -> bool {
        self.bytes.is_empty() && self.missing == bytes
    }

    /// How many bytes are known to be missing; 0 if unknown.
    #[must_use]
    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Input::default();
    }

    /// Nobody waits for the missing bytes any more.
    pub(super) fn forget_missing(&mut self) {
        self.missing = 0;
    }

    /// Puts bytes in front of those that are there.
    pub(super) fn push_front(&mut self, bytes: &[u8]) {
        self.size = if self.is_empty() {
            bytes.len()
        } else {
            (self.size + bytes.len()).saturating_sub(self.start)
        };
        self.bytes.splice(..self.start, bytes.iter().copied());
        self.start = 0;
        self.missing = 0;
        if self.bytes.is_empty() {
            self.clear();
        }
    }

    /// To be called before a read of `wanted` bytes, or of a packet if that is 0. `buffer_bytes` is the size of a new
    /// buffer.
    pub(super) fn plan(
        &mut self,
        wanted: usize,
        buffer_bytes: usize,
        framing: &Framing,
        in_headers: &mut bool,
    ) -> Next {
        if self.is_empty() {
            self.size = if wanted > 0 { wanted } else { buffer_bytes };
            self.missing = wanted;
            return Next::Read(self.size);
        }
        if wanted > 0 {
            let available = self.available().len();
            if available >= wanted {
                return Next::Packet(wanted);
            }
            self.expand(wanted);
            self.missing = wanted - available;
            return Next::Read(self.missing);
        }
        if self.missing > 0 {
            return Next::Read(self.missing);
        }
        self.next_packet(framing, in_headers)
    }

    /// Looks for a whole packet without reading; None if there is none yet.
    pub(super) fn ready(&mut self, framing: &Framing, in_headers: &mut bool) -> Option<Next> {
        if self.is_empty() || self.missing > 0 {
            return None;
        }
        match self.next_packet(framing, in_headers) {
            Next::Read(_) => None,
            next => Some(next),
        }
    }

    /// Room to read into: at most `max` bytes.
    pub(super) fn room(&mut self, max: usize) -> &mut [MaybeUninit<u8>] {
        // Beyond that, the room grows with the data that has arrived.
        let max = max.min(MAX_RESERVED_BYTES.max(self.bytes.len() / 2));
        self.bytes.reserve(max);
        &mut self.bytes.spare_capacity_mut()[..max]
    }

    /// Frees the room after a read that brought nothing, if there are no bytes.
    pub(super) fn release_room(&mut self) {
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
    }

    /// A read has filled this many bytes of the room; returns what to do next.
    ///
    /// # Safety
    /// That many bytes of the room from the last [`Input::room`] are initialised.
    pub(super) unsafe fn filled(
        &mut self,
        count: usize,
        framing: &Framing,
        in_headers: &mut bool,
    ) -> Next {
        // SAFETY: the caller's promise.
        unsafe { self.bytes.set_len(self.bytes.len() + count) };
        if self.missing > 0 {
            self.missing = self.missing.saturating_sub(count);
            return if self.missing == 0 {
                Next::Packet(self.available().len())
            } else {
                Next::Read(self.missing)
            };
        }
        self.next_packet(framing, in_headers)
    }

    /// This many bytes at the front have been delivered.
    pub(super) fn taken(&mut self, count: usize) {
        self.start += count;
        self.missing = 0;
        if self.start == self.bytes.len() {
            self.clear();
        }
    }

    /// Moves the remaining bytes to the front of the buffer.
    pub(super) fn restart(&mut self) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }

    /// Lets the buffer fill up to this many bytes from `start` on.
    fn expand(&mut self, bytes: usize) {
        self.size = self.size.max(self.start.saturating_add(bytes));
    }

    /// Whether a packet of this length ends beyond what OTP can count of a buffer, in which it is appended to what was
    /// taken before it. Up to OTP 26 nobody looks.
    fn ends_too_far(&self, length: usize) -> bool {
        self.start.saturating_add(length) > i32::MAX as usize && release::has(Release::OTP_27)
    }

    fn next_packet(&mut self, framing: &Framing, in_headers: &mut bool) -> Next {
        let limits = Limits {
            packet_bytes: framing.packet_bytes,
            line_bytes: u32::try_from(self.size).unwrap_or(u32::MAX),
            delimiter: framing.delimiter,
        };
        let available = self.bytes.len() - self.start;
        let found = packet::length(framing.kind, self.available(), &limits, in_headers);
        match found {
            Length::Known(length) if length <= available => Next::Packet(length),
            Length::Known(length) if self.ends_too_far(length) => Next::Invalid,
            Length::Known(length) => {
                self.expand(length);
                self.missing = length - available;
                Next::Read(self.missing)
            }
            Length::Invalid => Next::Invalid,
            Length::More => {
                let free = self.size.saturating_sub(self.bytes.len());
                if free > 0 {
                    return Next::Read(free);
                }
                if self.start > 0 {
                    let gained = self.start;
                    self.restart();
                    return Next::Read(gained);
                }
                let max = framing.packet_bytes as usize;
                if max > available {
                    self.expand(max);
                    return Next::Read(max - available);
                }
                Next::Invalid
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(kind: PacketKind) -> Framing {
        Framing {
            kind,
            packet_bytes: 0,
            delimiter: b'\n',
        }
    }

    /// Reads a stream that comes in pieces, and collects the packets.
    fn packets(framing: Framing, buffer_bytes: usize, pieces: &[&[u8]]) -> Result<Vec<String>, ()> {
        let mut input = Input::default();
        let mut in_headers = false;
        let mut found = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while !rest.is_empty() {
                let next = input.plan(0, buffer_bytes, &framing, &mut in_headers);
                let mut next = match next {
                    Next::Read(max) => {
                        let room = input.room(max);
                        let count = room.len().min(rest.len());
                        for (room, &byte) in room.iter_mut().zip(rest) {
                            room.write(byte);
                        }
                        rest = &rest[count..];
                        // SAFETY: just written.
                        Some(unsafe { input.filled(count, &framing, &mut in_headers) })
                    }
                    next => Some(next),
                };
                while let Some(now) = next {
                    match now {
                        Next::Packet(length) => {
                            let packet = &input.available()[..length];
                            found.push(String::from_utf8_lossy(packet).into_owned());
                            input.taken(length);
                            next = input.ready(&framing, &mut in_headers);
                            input.restart();
                        }
                        Next::Read(_) => next = None,
                        Next::Invalid => return Err(()),
                    }
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn packets_come_whole_however_they_arrive() {
        let stream = b"\x00\x03abc\x00\x00\x00\x05hello";
        let whole = vec!["\0\u{3}abc", "\0\0", "\0\u{5}hello"];
        for size in 1..=stream.len() {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            for buffer_bytes in [2, 3, 8, 100] {
                let found = packets(framing(PacketKind::Length2), buffer_bytes, &pieces);
                let found = found.unwrap();
                assert_eq!(found, whole, "{size} {buffer_bytes}");
            }
        }
    }

    #[test]
    fn lines_are_cut_at_the_buffers_size() {
        let found = packets(framing(PacketKind::Line), 4, &[b"ab\nabcdefgh\nx\n"]);
        assert_eq!(found.unwrap(), ["ab\n", "abcd", "efgh", "\n", "x\n"]);
    }

    #[test]
    fn too_long_is_invalid() {
        let mut short = framing(PacketKind::Length4);
        short.packet_bytes = 10;
        assert!(packets(short, 100, &[b"\0\0\0\x0b"]).is_err());
        let http = framing(PacketKind::Http { binaries: false });
        assert!(packets(http, 8, &[b"GET /a/long/path HTTP/1.1\r\n"]).is_err());
    }

    #[test]
    fn a_promise_costs_no_memory() {
        let mut input = Input::default();
        let framing = framing(PacketKind::Length4);
        let Next::Read(max) = input.plan(0, 1460, &framing, &mut false) else {
            panic!("nothing is there yet");
        };
        for (room, byte) in input.room(max).iter_mut().zip([0x7f, 0xff, 0xff, 0xf0]) {
            room.write(byte);
        }
        // SAFETY: just written.
        let next = unsafe { input.filled(4, &framing, &mut false) };
        assert_eq!(next, Next::Read(0x7fff_fff0));
        assert_eq!(input.room(0x7fff_fff0).len(), MAX_RESERVED_BYTES);
        assert!(input.bytes.capacity() < 2 * MAX_RESERVED_BYTES);
    }

    #[test]
    fn so_many_bytes_as_wanted() {
        let mut input = Input::default();
        let framing = framing(PacketKind::Raw);
        input.push_front(b"cdef");
        input.push_front(b"ab");
        assert_eq!(input.plan(3, 8, &framing, &mut false), Next::Packet(3));
        input.taken(3);
        assert_eq!(input.plan(5, 8, &framing, &mut false), Next::Read(2));
        assert_eq!(input.plan(0, 8, &framing, &mut false), Next::Read(2));
        input.forget_missing();
        assert_eq!(input.plan(0, 8, &framing, &mut false), Next::Packet(3));
        input.taken(3);
        assert!(input.is_empty());
        input.push_front(b"");
        assert!(input.is_empty());
    }
}
