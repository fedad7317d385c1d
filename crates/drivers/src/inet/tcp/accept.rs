//! Accepting connections. Any number of processes may wait for one; the first that is still alive gets it.

use sys::Errno;
use sys::socket::{self, Descriptor};
use term::{am, atom};

use super::Tcp;
use crate::inet::message;
use crate::inet::pending::Pending;
use crate::inet::protocol::{Answer, INVALID, short, status};
use crate::inet::socket::Socket;
use runtime::effects::port::access::Access;
use runtime::process::table;

/// Maximum number of connections that are accepted before others have their turn.
const MAX_ACCEPTS: usize = 64;

impl Tcp {
    /// Requests a connection, which comes as a message, perhaps at once.
    pub(super) fn accept(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        if !self.socket.has(status::LISTEN) {
            return Err(INVALID);
        }
        let timeout_ms: [u8; 4] = bytes.try_into().map_err(|_| INVALID)?;
        let timeout_ms = u32::from_be_bytes(timeout_ms);
        self.forget_dead();
        if timeout_ms == 0 {
            // There may be a connection that the poll has not reported yet, and with this timeout nobody waits for
            // that.
            self.socket.readable = true;
        }
        if self.accepting.is_empty() {
            match self.take_connection() {
                Ok(socket) => {
                    let reference = self.socket.new_reference();
                    let pending = Pending::new(reference, port.caller(), timeout_ms);
                    self.hand_over(port, &pending, socket);
                    return short(reference);
                }
                Err(Errno::EAGAIN) => self.socket.watch(port)?,
                Err(error) => return Err(error.into()),
            }
        }
        let reference = self.socket.new_reference();
        let pending = Pending::new(reference, port.caller(), timeout_ms);
        self.accepting.push_back(pending);
        self.socket.status |= status::ACCEPTING;
        short(reference)
    }

    /// To be called when connections may be waiting.
    pub(super) fn accept_ready(&mut self, port: &mut Access<'_>) {
        for _ in 0..MAX_ACCEPTS {
            self.forget_dead();
            if self.accepting.is_empty() {
                return;
            }
            let result = self.take_connection();
            if result.as_ref().err() == Some(&Errno::EAGAIN) {
                return;
            }
            let Some(pending) = self.accepting.pop_front() else {
                return;
            };
            self.note_accepting();
            match result {
                Ok(socket) => self.hand_over(port, &pending, socket),
                Err(error) => {
                    message::failed(port, &pending, message::reason(error));
                    return;
                }
            }
        }
        self.resume_later(port);
    }

    fn take_connection(&mut self) -> sys::Result<Socket> {
        if !self.socket.readable {
            return Err(Errno::EAGAIN);
        }
        match socket::accept(self.socket.fd()?) {
            Ok((fd, _)) => Ok(self.accepted(Descriptor::owned(fd))),
            Err(error) => {
                if error == Errno::EAGAIN {
                    self.socket.readable = false;
                }
                Err(error)
            }
        }
    }

    /// The socket of a connection, with what it inherits from its listener.
    fn accepted(&self, fd: Descriptor) -> Socket {
        let listener = &self.socket;
        let mut socket = Socket::new(listener.protocol);
        if let (Some(family), Some(kind)) = (listener.family, listener.kind) {
            socket.opened(fd, family, kind);
        }
        socket.status |= status::ACTIVE;
        socket.options = listener.options.inherited();
        socket
    }

    /// Makes a port for a connection, for the process that requested it.
    fn hand_over(&mut self, port: &mut Access<'_>, pending: &Pending, socket: Socket) {
        let watermarks = port.queue_watermarks();
        let made = port.open_port(pending.caller, |port| {
            port.set_queue_watermarks(watermarks);
            Box::new(Tcp::new(socket))
        });
        match made {
            Some(id) => message::finished(port, pending, message::tuple([am::OK, id])),
            None => message::failed(port, pending, atom::known("system_limit")),
        }
    }

    /// Forgets requests of processes that have ended.
    pub(super) fn forget_dead(&mut self) {
        if self.accepting.is_empty() {
            return;
        }
        let is_alive = |pending: &Pending| table::exists(pending.caller);
        self.accepting.retain(is_alive);
        self.note_accepting();
    }

    pub(super) fn accept_timeouts(&mut self, port: &Access<'_>, now_ns: i64) {
        if self.accepting.is_empty() {
            return;
        }
        self.accepting.retain(|pending| {
            let is_due = pending.is_due(now_ns);
            if is_due {
                message::failed(port, pending, am::TIMEOUT);
            }
            !is_due
        });
        self.note_accepting();
    }

    pub(super) fn note_accepting(&mut self) {
        if self.accepting.is_empty() {
            self.socket.status &= !status::ACCEPTING;
        }
    }
}
