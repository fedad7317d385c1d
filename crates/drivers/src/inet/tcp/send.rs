//! Writing: at once if the socket takes it, otherwise from a queue. See [`super::busy`] for what happens when the queue
//! is long.

use std::io::IoSlice;
use std::os::fd::{AsFd, OwnedFd};

use layout::Term;
use smallvec::SmallVec;
use sys::Errno;
use sys::socket::{self, Half, option};
use term::{am, atom};

use super::Tcp;
use crate::inet::message;
use crate::inet::protocol::{Answer, INVALID, Reader, done};
use crate::inet::sender::Sender;
use runtime::effects::port::access::Access;
use runtime::effects::port::busy::Watermarks;
use runtime::effects::port::output::Output;

/// Maximum number of pieces of the queue in one write.
const MAX_PIECES: usize = 64;
/// Maximum number of writes in a row before others have their turn.
const MAX_WRITES: usize = 64;
/// Maximum number of bytes of a file that one call sends.
const FILE_BYTES: u64 = 1 << 20;

/// A connection to another node has at most about this many bytes in the queue.
const CARRIED_BYTES: usize = 128 << 10;
/// The same where only large messages go out: a long write keeps the other node reading while this one copies. Chosen
/// by E6 (`binaries`), as the next one: with 128 kB it had 0.8 of this speed, and 0.6 with 128 kB for both.
const CARRIED_BYTES_OF_LARGE: usize = 512 << 10;
/// And the system has at most about this many that it has not sent. What it has goes out before a small message that
/// comes later: of two nodes of one host it would take megabytes, which are a millisecond or two.
const CARRIED_UNSENT_BYTES: i32 = 192 << 10;
/// As [`MAX_WRITES`], for such a connection: what has come from the other node waits meanwhile.
const MAX_CARRIED_WRITES: usize = 1;

/// A file that is being sent.
pub(super) struct FileToSend {
    file: OwnedFd,
    offset: u64,
    left: u64,
    sent: u64,
    /// Bytes in the queue that have to be sent first.
    queued_before: usize,
    caller: Sender,
}

/// The length that precedes a packet. A length that does not fit is truncated, as in OTP.
fn head(packet: i32, length: usize) -> SmallVec<[u8; 4]> {
    let bytes = (length as u32).to_be_bytes();
    SmallVec::from_slice(match packet {
        1 => &bytes[3..],
        2 => &bytes[2..],
        3 => &bytes,
        _ => &[],
    })
}

impl Tcp {
    /// Takes data from a process, which gets its reply at once or when the queue is short again.
    pub(super) fn send(&mut self, port: &mut Access<'_>, data: &Output) {
        let Some((caller, rest)) = Sender::of(port, data) else {
            return self.bad_data(port);
        };
        let data = rest.as_ref().unwrap_or(data);
        if !self.socket.is_connected() {
            let reason = self.late_send_error();
            return message::reply_error(port, caller, reason);
        }
        if self.ends.pending_shutdown.is_some() {
            return self.shutdown_error(port, Errno::EPIPE, Some(caller));
        }
        let head = head(self.socket.options.packet, data.size());
        let size = head.len() + data.size();
        self.socket.statistics.count_sent(size);
        if self.file.is_some() || self.queue.size() > 0 {
            self.enqueue(&head, data, 0);
            if self.queue.size() >= self.socket.options.watermarks.high {
                return self.wait_for_queue(port, caller);
            }
        } else if size > 0 {
            if self.socket.ignored {
                self.enqueue(&head, data, 0);
            } else if self.socket.options.delay_send {
                self.enqueue(&head, data, 0);
                self.resume_later(port);
            } else if let Err(error) = self.write_data(&head, data) {
                return self.send_error(port, error, Some(caller));
            } else if self.queue.size() > 0 {
                // The caller hears of its own write only: what was queued is sent, and fails, for the socket's owner.
                message::reply_ok(port, caller);
                return self.write(port);
            }
        }
        message::reply_ok(port, caller);
    }

    /// The data do not begin with what names their sender, who therefore cannot be told.
    fn bad_data(&mut self, port: &mut Access<'_>) {
        port.exit(am::EINVAL);
    }

    /// Writes once what the socket takes, and queues the rest.
    fn write_data(&mut self, head: &[u8], data: &Output) -> sys::Result<()> {
        let mut parts: SmallVec<[IoSlice<'_>; 8]> = SmallVec::new();
        if !head.is_empty() {
            parts.push(IoSlice::new(head));
        }
        parts.extend(data.parts().map(IoSlice::new));
        let written = match socket::send_parts(self.socket.fd()?, &parts) {
            Ok(written) => written,
            Err(Errno::EAGAIN) => 0,
            Err(error) => return Err(error),
        };
        if written < head.len() + data.size() {
            self.enqueue(head, data, written);
        }
        Ok(())
    }

    fn enqueue(&mut self, head: &[u8], data: &Output, written: usize) {
        self.queue.push_bytes(&head[written.min(head.len())..]);
        data.queue_rest(&mut self.queue, written.saturating_sub(head.len()));
    }

    fn wait_for_write(&mut self, port: &mut Access<'_>) -> sys::Result<()> {
        self.wants_write = true;
        self.socket.watch(port)
    }

    /// Writes what a connection to another node has to say. Only as much is queued here as the socket may soon take, so
    /// that a small message can still overtake a large one that waits in the channel.
    pub(super) fn carry_output(&mut self, port: &mut Access<'_>) {
        if !self.socket.is_connected() || self.file.is_some() {
            return;
        }
        if self.queue.size() > 0 {
            // What is queued is written first.
            return self.fill_to_high_watermark(port);
        }
        if self.refill(port, CARRIED_BYTES, CARRIED_BYTES_OF_LARGE) {
            self.write(port);
        }
    }

    /// The socket is full: the queue takes from the channel what the user's high watermark allows, and then nothing
    /// until it is down to the low one, as in OTP. Only what does not fit here counts towards the channel's own limit,
    /// at which senders are suspended.
    fn fill_to_high_watermark(&mut self, port: &Access<'_>) {
        let Watermarks { low, high } = self.socket.options.watermarks;
        let queued = self.queue.size();
        self.is_filled = queued >= high || (self.is_filled && queued > low);
        if !self.is_filled {
            self.refill(port, high, high);
            self.is_filled = self.queue.size() >= high;
        }
    }

    /// Takes output from the channel that the port carries, as
    /// [`Channel::take_output`](runtime::effects::port::carrier::Channel::take_output) has it; returns whether there
    /// was any.
    fn refill(&mut self, port: &Access<'_>, enough: usize, most: usize) -> bool {
        let Some(channel) = port.channel() else {
            return false;
        };
        let before = self.queue.size();
        let packets = channel.take_output(&mut self.queue, enough, most);
        let statistics = &mut self.socket.statistics;
        statistics.count_packets_sent(packets, self.queue.size() - before);
        packets > 0
    }

    /// Has the system take no more than it is about to send, so that what waits is still ours to order.
    pub(super) fn keep_little_unsent(&mut self) {
        if let Ok(fd) = self.socket.fd() {
            // A system without this option takes as much as before.
            let _ = option::set_int(fd, option::NOT_SENT_LOW_WATER, CARRIED_UNSENT_BYTES);
        }
    }

    /// Writes from the queue as long as the socket takes it.
    pub(super) fn write(&mut self, port: &mut Access<'_>) {
        if self.file.is_some() {
            return self.write_file(port);
        }
        if self.queue.size() > 0
            && let Err(error) = self.write_queued(port)
        {
            self.send_error(port, error, None);
        }
    }

    /// Writes from the queue until it is empty or the socket is full. Only `eagain` says that it is full: a call also
    /// writes less than it was given when it was given too many parts, and then no event would follow.
    fn write_queued(&mut self, port: &mut Access<'_>) -> sys::Result<()> {
        let max_writes = match port.channel() {
            Some(_) => MAX_CARRIED_WRITES,
            None => MAX_WRITES,
        };
        for _ in 0..max_writes {
            match self.write_queue(usize::MAX) {
                Ok(0) => {}
                Ok(_) => self.relieve(port),
                Err(Errno::EAGAIN) => {
                    self.fill_to_high_watermark(port);
                    return self.wait_for_write(port);
                }
                Err(error) => return Err(error),
            }
            if self.queue.size() == 0 && !self.refill(port, CARRIED_BYTES, CARRIED_BYTES_OF_LARGE) {
                self.drained(port);
                return Ok(());
            }
        }
        self.resume_later(port);
        Ok(())
    }

    /// Writes once, at most `max` bytes of the queue; returns how many were written.
    fn write_queue(&mut self, max: usize) -> sys::Result<usize> {
        let mut left = max;
        let mut parts: SmallVec<[IoSlice<'_>; MAX_PIECES]> = SmallVec::new();
        for piece in self.queue.pieces().take(MAX_PIECES) {
            if left == 0 {
                break;
            }
            let piece = &piece[..piece.len().min(left)];
            left -= piece.len();
            parts.push(IoSlice::new(piece));
        }
        let written = socket::send_parts(self.socket.fd()?, &parts)?;
        drop(parts);
        self.queue.skip(written);
        Ok(written)
    }

    /// Everything has been sent.
    fn drained(&mut self, port: &mut Access<'_>) {
        self.wants_write = false;
        self.report_empty_queue(port);
        if let Some(half) = self.ends.pending_shutdown.take() {
            self.shut_down(port, half);
        }
    }

    fn shut_down(&mut self, port: &mut Access<'_>, half: Half) {
        let result = self.socket.fd().and_then(|fd| socket::shutdown(fd, half));
        match result {
            Ok(()) => {
                self.ends.is_shut_down = true;
                // Nothing can be sent any more, and senders must be told so.
                self.ends.pending_shutdown = Some(half);
            }
            Err(error) => self.shutdown_error(port, error, None),
        }
    }

    /// Sends part of a file; a message reports when it is done.
    pub(super) fn send_file(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        let mut reader = Reader::new(bytes);
        let number = i32::from_ne_bytes(reader.array()?);
        let (offset, left) = (reader.long()?, reader.long()?);
        if !reader.is_empty() {
            return Err(INVALID);
        }
        if !self.socket.is_connected() {
            return Err(Errno::ENOTCONN.into());
        }
        if self.file.is_some() {
            return Err(INVALID);
        }
        self.file = Some(Box::new(FileToSend {
            file: sys::fd::duplicate(number)?,
            offset,
            left,
            sent: 0,
            queued_before: self.queue.size(),
            caller: Sender::without_reference(port.caller()),
        }));
        self.write_file(port);
        done()
    }

    fn write_file(&mut self, port: &mut Access<'_>) {
        for _ in 0..MAX_WRITES {
            match self.write_file_once() {
                Ok(true) => return self.file_sent(port),
                Ok(false) => {}
                Err(Errno::EAGAIN) => {
                    if let Err(error) = self.wait_for_write(port) {
                        self.file_error(port, error);
                    }
                    return;
                }
                Err(error) => return self.file_error(port, error),
            }
        }
        self.resume_later(port);
    }

    /// Sends once, from the queue or the file; returns true when the file is done.
    fn write_file_once(&mut self) -> sys::Result<bool> {
        let before = self.file.as_ref().map_or(0, |file| file.queued_before);
        if before > 0 {
            let written = self.write_queue(before)?;
            if let Some(file) = &mut self.file {
                file.queued_before -= written;
            }
            return Ok(false);
        }
        let fd = self.socket.fd()?;
        let Some(file) = &mut self.file else {
            return Ok(true);
        };
        if file.left > 0 {
            let max = file.left.min(FILE_BYTES) as usize;
            let count = socket::send_file(fd, file.file.as_fd(), file.offset, max)? as u64;
            file.sent += count;
            file.offset += count;
            // At the end of the file there is nothing more to send.
            file.left = if count == 0 { 0 } else { file.left - count };
        }
        Ok(file.left == 0)
    }

    fn file_sent(&mut self, port: &mut Access<'_>) {
        let Some(file) = self.file.take() else { return };
        self.relieve(port);
        let half = |bits: u64| Term::small((bits & 0xffff_ffff) as i64);
        let sent = message::tuple([am::OK, half(file.sent), half(file.sent >> 32)]);
        message::event_with(port, atom::known("sendfile"), sent);
        if self.queue.size() == 0 {
            self.drained(port);
        } else {
            self.write(port);
        }
    }

    fn file_error(&mut self, port: &mut Access<'_>, error: Errno) {
        self.report_file_failed(port, error);
        let caller = self.file.as_ref().map(|file| file.caller);
        self.send_error(port, error, caller);
    }

    /// `{sendfile, Socket, {error, Reason}}` for the owner.
    pub(super) fn report_file_failed(&mut self, port: &Access<'_>, error: Errno) {
        let reason = match error {
            Errno::ECONNRESET | Errno::ENOTCONN | Errno::EPIPE => am::CLOSED,
            error => message::reason(error),
        };
        let failed = message::tuple([am::ERROR, reason]);
        message::event_with(port, atom::known("sendfile"), failed);
    }
}
