//! The drivers `tcp_inet` and `udp_inet`: sockets of the internet families and local ones, in the protocol that OTP's
//! `prim_inet` speaks.
//!
//! [`active`] is the option of that name (`{active, once}`). [`protocol`] has the numbers of requests and answers,
//! [`address`] addresses, [`options`] options, [`interfaces`] the host's interfaces, [`statistics`] counters,
//! [`message`] the messages that processes get, [`pending`] requests that are answered later. [`input`] finds packets
//! in a stream. [`tcp`] and [`udp`] are the drivers; what they share is [`socket`]. [`sctp`] only reports that SCTP is
//! not supported.
//!
//! All of this is called with the port's lock held.

mod active;
mod address;
mod control;
mod input;
mod interfaces;
mod message;
mod options;
mod pending;
mod protocol;
mod sctp;
mod sender;
mod socket;
mod statistics;
mod tcp;
mod udp;

use super::settings::{OpenError, Settings};
use runtime::effects::port::access::Access;
use runtime::effects::port::driver::Driver;
use sctp::Sctp;
use socket::{Protocol, Socket};
use tcp::Tcp;
use udp::Udp;

/// Starts the driver for streams.
///
/// # Errors
/// None.
pub(crate) fn start_tcp(
    _: &mut Access<'_>,
    _: &[u8],
    _: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(Tcp::default()))
}

/// Starts the driver for datagrams.
///
/// # Errors
/// None.
pub(crate) fn start_udp(
    _: &mut Access<'_>,
    _: &[u8],
    _: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(Udp::default()))
}

/// Starts the driver for SCTP.
///
/// # Errors
/// None.
pub(crate) fn start_sctp(
    _: &mut Access<'_>,
    _: &[u8],
    _: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(Sctp(Socket::new(Protocol::Udp))))
}
