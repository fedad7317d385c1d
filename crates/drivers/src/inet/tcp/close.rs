//! The ways in which a connection ends, and which processes are told.
//!
//! An active socket tells its owner and ends with its port (unless `exit_on_close` is false); a passive one fails the
//! pending requests, and remembers what to tell the next one.

use layout::Term;
use sys::Errno;
use sys::socket::Half;
use term::am;

use super::Tcp;
use crate::inet::message;
use crate::inet::protocol::status;
use crate::inet::sender::Sender;
use runtime::effects::port::access::Access;

/// What has ended, and who still has to be told.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ends {
    /// The owner of the active socket has been told.
    is_reported: bool,
    /// The peer sends no more, and nothing more is read.
    pub is_read_closed: bool,
    /// The next send fails with `closed`, not `enotconn`.
    report_to_sender: bool,
    /// The next receive fails with `closed`, not `enotconn`.
    report_to_receiver: bool,
    /// Both fail with `econnreset` instead of `closed`.
    was_reset: bool,
    /// What to shut down when everything has been sent.
    pub pending_shutdown: Option<Half>,
    /// Writing has been shut down, so a broken pipe is our own doing.
    pub is_shut_down: bool,
    /// The port ends when this call has returned.
    pub is_over: bool,
}

impl Tcp {
    /// The error of a receive on a socket that is not connected.
    pub(super) fn late_receive_error(&mut self) -> crate::inet::protocol::Refusal {
        use crate::inet::protocol::Refusal;
        let ends = &mut self.ends;
        if !std::mem::take(&mut ends.report_to_receiver) {
            return Refusal::System(Errno::ENOTCONN);
        }
        ends.report_to_sender = false;
        if std::mem::take(&mut ends.was_reset) {
            Refusal::System(Errno::ECONNRESET)
        } else {
            Refusal::Named("closed")
        }
    }

    /// The error of a send on a socket that is not connected.
    pub(super) fn late_send_error(&mut self) -> Term {
        let ends = &mut self.ends;
        if !std::mem::take(&mut ends.report_to_sender) {
            return message::reason(Errno::ENOTCONN);
        }
        // `was_reset` is kept, because the next receive reports the same.
        match ends.was_reset {
            true => am::ECONNRESET,
            false => am::CLOSED,
        }
    }

    /// The socket became active after the peer had gone.
    pub(super) fn report_late_end(&mut self, port: &mut Access<'_>) {
        if std::mem::take(&mut self.ends.was_reset) {
            message::event_with(port, am::TCP_ERROR, message::immediate(am::ECONNRESET));
        }
        self.report_closed(port);
        self.end(port, am::NORMAL);
    }

    pub(super) fn report_closed(&mut self, port: &Access<'_>) {
        if !std::mem::replace(&mut self.ends.is_reported, true) {
            message::event(port, am::TCP_CLOSED);
        }
    }

    /// Ends the port, or if `exit_on_close` is false only reading.
    pub(super) fn end(&mut self, port: &mut Access<'_>, reason: Term) {
        if self.socket.options.exit_on_close {
            self.ends.is_over = true;
            port.exit_unlinked(reason);
        } else {
            self.ends.is_read_closed = true;
        }
    }

    /// Closes the descriptor and drops everything that is pending.
    pub(super) fn close_socket(&mut self, port: &mut Access<'_>) {
        self.input.clear();
        self.clear_queue(port);
        self.file = None;
        self.ahead.end(self.socket.fd());
        self.socket.close(port);
    }

    /// Drops output that has not been sent.
    pub(super) fn clear_queue(&mut self, port: &Access<'_>) {
        self.queue.clear();
        self.wants_write = false;
        self.report_empty_queue(port);
    }

    /// Fails all pending requests, because the socket is closed.
    pub(super) fn fail_pending(&mut self, port: &Access<'_>) {
        let connecting = self.connecting.take();
        let receiving = self.receiving.take();
        let single = connecting.iter().chain(&receiving);
        for pending in single.chain(&std::mem::take(&mut self.accepting)) {
            message::failed(port, pending, am::CLOSED);
        }
        self.note_accepting();
        self.socket.status &= !status::CONNECTING;
    }

    /// Fails the pending receive.
    pub(super) fn fail_receive(&mut self, port: &Access<'_>, reason: Term) {
        if let Some(pending) = self.receiving.take() {
            message::failed(port, &pending, reason);
        }
    }

    /// The peer sends no more.
    pub(super) fn receive_closed(&mut self, port: &mut Access<'_>) {
        let mut was_sending = false;
        if !self.busy_callers.is_empty() {
            self.clear_queue(port);
            self.fail_busy(port, am::CLOSED);
            was_sending = true;
        }
        if self.file.is_some() {
            self.report_file_failed(port, Errno::ENOTCONN);
            was_sending = true;
        }
        if !was_sending {
            self.ends.report_to_sender = true;
        }
        self.input.clear();
        if self.socket.options.is_active() {
            self.report_closed(port);
            self.end(port, am::NORMAL);
        } else {
            if self.socket.options.exit_on_close {
                self.close_socket(port);
            } else {
                self.ends.is_read_closed = true;
            }
            self.fail_receive(port, am::CLOSED);
        }
    }

    /// Reading has failed.
    pub(super) fn receive_error(&mut self, port: &mut Access<'_>, error: Errno) {
        if error == Errno::ECONNRESET && !self.socket.options.show_reset {
            return self.receive_closed(port);
        }
        if !self.busy_callers.is_empty() {
            self.clear_queue(port);
            self.fail_busy(port, am::CLOSED);
        }
        if self.file.is_some() {
            self.report_file_failed(port, error);
        }
        self.input.clear();
        let reason = message::reason(error);
        if self.socket.options.is_active() {
            message::event_with(port, am::TCP_ERROR, message::immediate(reason));
            self.report_closed(port);
            self.end(port, reason);
        } else {
            if self.socket.options.exit_on_close {
                self.close_socket(port);
            } else {
                self.ends.is_read_closed = true;
            }
            self.fail_receive(port, reason);
        }
    }

    /// Writing has failed; `caller` is the process to tell, if there is one.
    pub(super) fn send_error(
        &mut self,
        port: &mut Access<'_>,
        error: Errno,
        caller: Option<Sender>,
    ) {
        // A broken pipe that is not our own doing is a reset, whatever the system calls it.
        let error = match error {
            Errno::EPIPE if !self.ends.is_shut_down => Errno::ECONNRESET,
            error => error,
        };
        self.shutdown_error(port, error, caller);
    }

    pub(super) fn shutdown_error(
        &mut self,
        port: &mut Access<'_>,
        error: Errno,
        caller: Option<Sender>,
    ) {
        let show_reset = error == Errno::ECONNRESET && self.socket.options.show_reset;
        let mut callers = self.end_busy(port);
        callers.extend(caller);
        let reason = match show_reset {
            true => am::ECONNRESET,
            false => am::CLOSED,
        };
        let is_file = self.file.is_some();
        if self.socket.options.is_active() {
            if show_reset {
                message::event_with(port, am::TCP_ERROR, message::immediate(reason));
            }
            self.report_closed(port);
            for caller in callers.into_iter().filter(|_| !is_file) {
                message::reply_error(port, caller, reason);
            }
            if self.socket.options.exit_on_close {
                self.ends.is_over = true;
                port.exit_unlinked(am::NORMAL);
            } else {
                self.close_socket(port);
            }
        } else {
            self.fail_pending(port);
            if callers.is_empty() {
                self.ends.report_to_sender = true;
            }
            for caller in callers.into_iter().filter(|_| !is_file) {
                message::reply_error(port, caller, reason);
            }
            self.close_socket(port);
            // A program may ignore errors of sends, so the next receive reports the same.
            self.ends.report_to_receiver = true;
            self.ends.was_reset = show_reset;
        }
    }
}
