//! Backpressure: senders wait while the socket's queue is long.
//!
//! At the high watermark the port becomes busy (`runtime::effects::port::busy`), so that no more commands come, and the
//! sender whose command has filled the queue waits for its `{inet_reply, _, _}`. The replies are sent, and the port is
//! no longer busy, when the queue is down to the low watermark, when the send timeout expires, or when the connection
//! ends.

use layout::Term;
use term::am;
use term::release::{self, Release};

use super::Tcp;
use crate::inet::message;
use crate::inet::pending::deadline;
use crate::inet::protocol::{self, status};
use crate::inet::sender::Sender;
use runtime::effects::port::access::Access;

impl Tcp {
    /// The queue is long: the sender waits, at most as long as the socket's options say.
    pub(super) fn wait_for_queue(&mut self, port: &mut Access<'_>, caller: Sender) {
        let timeout_ms = self.socket.options.send_timeout_ms;
        if timeout_ms == 0 {
            return message::reply_error(port, caller, am::TIMEOUT);
        }
        self.socket.status |= status::BUSY;
        self.busy_callers.push(caller);
        port.set_busy(true);
        if timeout_ms != protocol::INFINITY && self.send_deadline_ns.is_none() {
            self.send_deadline_ns = Some(deadline(timeout_ms));
        }
    }

    /// The send timeout has expired. The port is not left busy, because then the next sender would wait forever.
    pub(super) fn send_timeout(&mut self, port: &mut Access<'_>) {
        self.send_deadline_ns = None;
        self.fail_busy(port, am::TIMEOUT);
        if !self.socket.options.send_timeout_close {
            return;
        }
        // OTP tells the owner of an active socket since 28.
        if self.socket.options.is_active() && release::has(Release::OTP_28) {
            self.report_closed(port);
            if self.socket.options.exit_on_close {
                return self.end(port, am::NORMAL);
            }
        }
        self.close_socket(port);
    }

    /// Lets senders continue if the queue is short enough.
    pub(super) fn relieve(&mut self, port: &mut Access<'_>) {
        if self.queue.size() <= self.socket.options.watermarks.low {
            for caller in self.end_busy(port) {
                message::reply_ok(port, caller);
            }
        }
    }

    /// Ends the wait of senders for the queue to get shorter; returns them.
    pub(super) fn end_busy(&mut self, port: &mut Access<'_>) -> Vec<Sender> {
        if self.busy_callers.is_empty() {
            return Vec::new();
        }
        self.send_deadline_ns = None;
        self.socket.status &= !status::BUSY;
        port.set_busy(false);
        std::mem::take(&mut self.busy_callers)
    }

    /// Fails the senders that wait for the queue to get shorter.
    pub(super) fn fail_busy(&mut self, port: &mut Access<'_>, reason: Term) {
        for caller in self.end_busy(port) {
            message::reply_error(port, caller, reason);
        }
    }
}
