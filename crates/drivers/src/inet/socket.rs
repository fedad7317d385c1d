//! What the drivers for streams and for datagrams have in common: a socket's descriptor, state and options.
//!
//! A descriptor is watched from the first time that an operation would have had to wait, for both directions and
//! edge-triggered. `readable` is true while the last read may have left something; while it is false no read is
//! tried, because it would find nothing.
//!
//! All of this is called with the port's lock held.

use std::os::fd::{AsFd, BorrowedFd};

use sys::Errno;
use sys::poll::{Interest, Token};
use sys::socket::{self, Address, Descriptor, Family, SocketKind};

use super::options::SocketOptions;
use super::pending::Pending;
use super::protocol::{Refusal, status};
use super::statistics::Statistics;
use runtime::effects::port::access::Access;
use runtime::effects::port::driver::SocketEnds;

/// Which driver a socket belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Protocol {
    Tcp,
    Udp,
}

/// The fields of all sockets.
pub(super) struct Socket {
    /// None before it is opened, and once it is closed.
    pub fd: Option<Descriptor>,
    token: Option<Token>,
    /// Bits of [`status`].
    pub status: u32,
    /// None before it is opened.
    pub family: Option<Family>,
    pub kind: Option<SocketKind>,
    pub protocol: Protocol,
    pub options: SocketOptions,
    /// An address that is reported instead of the real one.
    pub name_override: Option<Box<Address>>,
    pub peer_override: Option<Box<Address>>,
    pub statistics: Statistics,
    next_reference: u16,
    /// Whether there may be something to read.
    pub readable: bool,
    /// Whether the peer has closed or an error is pending: after a read that took all there was, another one may be
    /// needed.
    pub hung_up: bool,
    /// Whether the descriptor is lent to other code, and must not be used.
    pub ignored: bool,
    /// Whether other code knows the descriptor's number, and may read from it.
    pub is_known: bool,
}

impl Socket {
    pub(super) fn new(protocol: Protocol) -> Socket {
        Socket {
            fd: None,
            token: None,
            status: 0,
            family: None,
            kind: None,
            protocol,
            options: SocketOptions::default(),
            name_override: None,
            peer_override: None,
            statistics: Statistics::default(),
            next_reference: 0,
            readable: true,
            hung_up: false,
            ignored: false,
            is_known: false,
        }
    }

    /// The descriptor; `ebadf` if there is none, as the system would return.
    pub(super) fn fd(&self) -> sys::Result<BorrowedFd<'_>> {
        self.fd.as_ref().map(AsFd::as_fd).ok_or(Errno::EBADF)
    }

    /// Both ends, for who looks at the port from outside; `None` while there is no socket.
    pub(super) fn ends(&self, protocol: &'static str) -> Option<SocketEnds> {
        let fd = self.fd().ok()?;
        Some(SocketEnds {
            protocol,
            local: socket::name(fd).ok().and_then(|address| address.text()),
            peer: socket::peer(fd).ok().and_then(|address| address.text()),
        })
    }

    pub(super) fn is_open(&self) -> bool {
        self.has(status::OPEN)
    }

    pub(super) fn is_connected(&self) -> bool {
        self.has(status::OPEN | status::ACTIVE)
    }

    pub(super) fn has(&self, bits: u32) -> bool {
        self.status & bits == bits
    }

    /// A new number for a request that is answered later.
    pub(super) fn new_reference(&mut self) -> u16 {
        let reference = self.next_reference;
        self.next_reference = reference.wrapping_add(1);
        reference
    }

    /// Records in `receiving` that the caller waits for data; returns the number of the request. `ealready` if a
    /// process waits already.
    pub(super) fn begin_receive(
        &mut self,
        port: &Access<'_>,
        receiving: &mut Option<Pending>,
        timeout_ms: u32,
    ) -> Result<u16, Refusal> {
        let reference = self.new_reference();
        if receiving.is_some() {
            return Err(Errno::EALREADY.into());
        }
        *receiving = Some(Pending::new(reference, port.caller(), timeout_ms));
        if timeout_ms == 0 {
            // There may be data that the poll has not reported yet, and with this timeout nobody waits for that.
            self.readable = true;
        }
        Ok(reference)
    }

    /// Takes over a descriptor.
    pub(super) fn opened(&mut self, fd: Descriptor, family: Family, kind: SocketKind) {
        self.fd = Some(fd);
        self.family = Some(family);
        self.kind = Some(kind);
        self.status = status::OPEN;
        self.readable = true;
        self.hung_up = false;
    }

    pub(super) fn is_watched(&self) -> bool {
        self.token.is_some()
    }

    /// Has events of the descriptor reported from now on.
    pub(super) fn watch(&mut self, port: &mut Access<'_>) -> sys::Result<()> {
        if self.token.is_none() && !self.ignored {
            let fd = self.fd.as_ref().ok_or(Errno::EBADF)?;
            self.token = Some(port.watch(fd.as_fd(), Interest::BOTH)?);
        }
        Ok(())
    }

    pub(super) fn unwatch(&mut self, port: &mut Access<'_>) {
        if let (Some(token), Some(fd)) = (self.token.take(), &self.fd) {
            port.unwatch(fd.as_fd(), token);
        }
    }

    /// Closes the descriptor if the socket owns it; a lent one is released when the port ends.
    pub(super) fn close(&mut self, port: &mut Access<'_>) {
        self.unwatch(port);
        if self.fd.as_ref().is_some_and(|fd| !fd.is_lent()) && self.is_open() {
            self.fd = None;
            self.status = 0;
        }
    }
}
