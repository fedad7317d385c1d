//! The driver `sctp_inet`, which cannot open sockets: if the system refuses a socket, its error is returned; if it
//! would give one, the protocol is refused as not supported.
//!
//! Called with the port's lock held.

use sys::Errno;
use sys::socket::{self, catalogue};

use super::protocol::{
    self, Answer, INVALID, MAGIC, Refusal, done, family, kind, request, transport,
};
use super::socket::Socket;
use runtime::effects::port::access::Access;
use runtime::effects::port::driver::{Command, Control, Driver};
use runtime::effects::port::output::Output;
use term::release::{self, Release};

/// See the module. Requests that need no open socket are answered as for any other.
pub(super) struct Sctp(pub Socket);

/// Tries to open the socket, to return the system's error.
fn open(bytes: &[u8]) -> Answer {
    // From OTP 28 on a protocol follows, which must be this one.
    let (family, kind) = match *bytes {
        [family, kind] if !release::has(Release::OTP_28) => (family, kind),
        [family, kind, transport::DEFAULT | transport::SCTP] => (family, kind),
        _ => return Err(INVALID),
    };
    let family = match family {
        family::INET => socket::Family::Inet,
        family::INET6 => socket::Family::Inet6,
        _ => return Err(Errno::EAFNOSUPPORT.into()),
    };
    let kind = match kind {
        kind::STREAM => catalogue::STREAM,
        kind::SEQUENCE => catalogue::SEQUENCE,
        _ => return Err(INVALID),
    };
    socket::open_raw(family.number(), kind, catalogue::SCTP)?;
    Err(Refusal::System(Errno::EPROTONOSUPPORT))
}

impl Driver for Sctp {
    fn locking(&self) -> &'static str {
        "port_level"
    }

    fn output(&mut self, _port: &mut Access<'_>, _data: &Output) -> Command {
        Command::Bad
    }

    fn control(&mut self, port: &mut Access<'_>, operation: u32, data: &[u8]) -> Option<Control> {
        protocol::reply(match operation.wrapping_sub(MAGIC) {
            request::OPEN => open(data),
            // The options are for a socket that will never be opened.
            request::SET_OPTIONS => done(),
            operation => self.0.control(port, operation, data, 0),
        })
    }

    fn stop(self: Box<Self>, _port: &mut Access<'_>) {}
}
