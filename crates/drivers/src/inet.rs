//! The drivers `tcp_inet` and `udp_inet`: sockets of the internet families and local ones, in the protocol that OTP's
//! `prim_inet` speaks.
//!
//! [`active`] is the option of that name (`{active, once}`). [`protocol`] has the numbers of requests and answers,
//! [`address`] addresses, [`options`] options, [`interfaces`] the host's interfaces, [`statistics`] counters, [`message`] the
//! messages that processes get. [`input`] finds packets in a stream. [`tcp`] and [`udp`] are the drivers; what they
//! share is [`Socket`], below. [`sctp`] only reports that SCTP is not supported.
//!
//! A descriptor is watched from the first time that an operation would have had to wait, for both directions and
//! edge-triggered. `readable` is true while the last read may have left something; while it is false no read is
//! tried, because it would find nothing.
//!
//! All of this is called with the port's lock held.

mod active;
mod address;
mod control;
mod input;
mod interfaces;
mod message;
mod options;
mod protocol;
mod sctp;
mod sender;
mod statistics;
mod tcp;
mod udp;

use std::os::fd::{AsFd, BorrowedFd};

use layout::Term;
use sys::Errno;
use sys::poll::{Interest, Token};
use sys::socket::{Address, Descriptor, Family, SocketKind};

use super::open::{OpenError, Settings};
use options::SocketOptions;
use protocol::{Refusal, status};
use runtime::effects::port::access::Access;
use runtime::effects::port::driver::Driver;
use statistics::Statistics;

use tcp::Tcp;
use udp::Udp;

/// Starts the driver for streams.
///
/// # Errors
/// None.
pub fn start_tcp(_: &mut Access<'_>, _: &[u8], _: &Settings) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(Tcp::default()))
}

/// Starts the driver for datagrams.
///
/// # Errors
/// None.
pub fn start_udp(_: &mut Access<'_>, _: &[u8], _: &Settings) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(Udp::default()))
}

/// Starts the driver for SCTP.
///
/// # Errors
/// None.
pub fn start_sctp(
    _: &mut Access<'_>,
    _: &[u8],
    _: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(sctp::Sctp(Socket::new(Protocol::Udp))))
}

/// Which driver a socket belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    Tcp,
    Udp,
}

/// The fields of all sockets.
pub struct Socket {
    /// None before it is opened, and once it is closed.
    fd: Option<Descriptor>,
    token: Option<Token>,
    /// Bits of [`status`].
    status: u32,
    /// None before it is opened.
    family: Option<Family>,
    kind: Option<SocketKind>,
    protocol: Protocol,
    options: SocketOptions,
    /// An address that is reported instead of the real one.
    name_override: Option<Box<Address>>,
    peer_override: Option<Box<Address>>,
    statistics: Statistics,
    next_reference: u16,
    /// Whether there may be something to read.
    readable: bool,
    /// Whether the peer has closed or an error is pending: after a read that took all there was, another one may be
    /// needed.
    hung_up: bool,
    /// Whether the descriptor is lent to other code, and must not be used.
    ignored: bool,
    /// Whether other code knows the descriptor's number, and may read from it.
    is_known: bool,
}

/// A request that is answered later, with `{inet_async, Socket, Reference, _}`.
#[derive(Clone, Copy, Debug)]
struct Pending {
    reference: u16,
    caller: Term,
    /// When it times out, by the monotonic clock.
    deadline_ns: Option<i64>,
}

impl Pending {
    /// `timeout_ms` is the timeout as requests carry it.
    fn new(reference: u16, caller: Term, timeout_ms: u32) -> Pending {
        let deadline_ns = (timeout_ms != protocol::INFINITY).then(|| deadline(timeout_ms));
        Pending {
            reference,
            caller,
            deadline_ns,
        }
    }

    fn is_due(&self, now_ns: i64) -> bool {
        self.deadline_ns.is_some_and(|deadline| deadline <= now_ns)
    }
}

/// The monotonic time in `after_ms` milliseconds.
fn deadline(after_ms: u32) -> i64 {
    sys::clock::monotonic_ns().saturating_add(i64::from(after_ms) * 1_000_000)
}

/// Sets the port's timer for `earliest`, a monotonic time, unless it is set for that already.
fn set_timer(port: &mut Access<'_>, set_for: &mut Option<i64>, earliest: Option<i64>) {
    if *set_for == earliest {
        return;
    }
    *set_for = earliest;
    match earliest {
        None => port.cancel_timer(),
        Some(deadline_ns) => {
            let left_ns = deadline_ns.saturating_sub(sys::clock::monotonic_ns());
            port.set_timer((left_ns.max(0) as u64).div_ceil(1_000_000));
        }
    }
}

impl Socket {
    fn new(protocol: Protocol) -> Socket {
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
    fn fd(&self) -> sys::Result<BorrowedFd<'_>> {
        self.fd.as_ref().map(AsFd::as_fd).ok_or(Errno::EBADF)
    }

    fn is_open(&self) -> bool {
        self.has(status::OPEN)
    }

    fn is_connected(&self) -> bool {
        self.has(status::OPEN | status::ACTIVE)
    }

    fn has(&self, bits: u32) -> bool {
        self.status & bits == bits
    }

    /// A new number for a request that is answered later.
    fn new_reference(&mut self) -> u16 {
        let reference = self.next_reference;
        self.next_reference = reference.wrapping_add(1);
        reference
    }

    /// Records in `receiving` that the caller waits for data; returns the number of the request. `ealready` if a
    /// process waits already.
    fn begin_receive(
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
    fn opened(&mut self, fd: Descriptor, family: Family, kind: SocketKind) {
        self.fd = Some(fd);
        self.family = Some(family);
        self.kind = Some(kind);
        self.status = status::OPEN;
        self.readable = true;
        self.hung_up = false;
    }

    fn is_watched(&self) -> bool {
        self.token.is_some()
    }

    /// Has events of the descriptor reported from now on.
    fn watch(&mut self, port: &mut Access<'_>) -> sys::Result<()> {
        if self.token.is_none() && !self.ignored {
            let fd = self.fd.as_ref().ok_or(Errno::EBADF)?;
            self.token = Some(port.watch(fd.as_fd(), Interest::BOTH)?);
        }
        Ok(())
    }

    fn unwatch(&mut self, port: &mut Access<'_>) {
        if let (Some(token), Some(fd)) = (self.token.take(), &self.fd) {
            port.unwatch(fd.as_fd(), token);
        }
    }

    /// Closes the descriptor if the socket owns it; a lent one is released when the port ends.
    fn close(&mut self, port: &mut Access<'_>) {
        self.unwatch(port);
        if self.fd.as_ref().is_some_and(|fd| !fd.is_lent()) && self.is_open() {
            self.fd = None;
            self.status = 0;
        }
    }
}
