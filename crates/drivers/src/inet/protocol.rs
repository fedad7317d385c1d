//! The numbers and formats of the requests that `prim_inet` makes with `port_control/3`, and of the answers.
//!
//! A request is an operation and bytes, with big-endian numbers; an answer is a byte for *ok* or *error*, and bytes
//! or the error's name. Nothing here depends on sockets; any thread may call.

use smallvec::SmallVec;
use sys::Errno;

use runtime::effects::port::driver::Control;

/// Added to each operation, so that a port that is not a socket refuses them.
pub(super) const MAGIC: u32 = 0x03f1_a300;

/// Operations.
pub(super) mod request {
    pub(crate) const OPEN: u32 = 1;
    pub(crate) const CLOSE: u32 = 2;
    pub(crate) const CONNECT: u32 = 3;
    pub(crate) const PEER: u32 = 4;
    pub(crate) const NAME: u32 = 5;
    pub(crate) const BIND: u32 = 6;
    pub(crate) const SET_OPTIONS: u32 = 7;
    pub(crate) const GET_OPTIONS: u32 = 8;
    pub(crate) const GET_STATISTICS: u32 = 11;
    pub(crate) const HOST_NAME: u32 = 12;
    pub(crate) const OPEN_DESCRIPTOR: u32 = 13;
    pub(crate) const DESCRIPTOR: u32 = 14;
    pub(crate) const TYPE: u32 = 15;
    pub(crate) const STATUS: u32 = 16;
    pub(crate) const SERVICE_BY_NAME: u32 = 17;
    pub(crate) const SERVICE_BY_PORT: u32 = 18;
    pub(crate) const SET_NAME: u32 = 19;
    pub(crate) const SET_PEER: u32 = 20;
    pub(crate) const INTERFACES: u32 = 21;
    pub(crate) const INTERFACE_GET: u32 = 22;
    pub(crate) const INTERFACE_SET: u32 = 23;
    pub(crate) const SUBSCRIBE: u32 = 24;
    pub(crate) const INTERFACE_ADDRESSES: u32 = 25;
    pub(crate) const ACCEPT: u32 = 26;
    pub(crate) const LISTEN: u32 = 27;
    pub(crate) const IGNORE_DESCRIPTOR: u32 = 28;
    pub(crate) const OWN_ADDRESSES: u32 = 29;
    pub(crate) const PEER_ADDRESSES: u32 = 30;
    pub(crate) const RECEIVE: u32 = 42;
    pub(crate) const UNRECEIVE: u32 = 43;
    pub(crate) const SHUTDOWN: u32 = 44;
    pub(crate) const SEND_FILE: u32 = 45;
    pub(crate) const RECEIVE_PACKET: u32 = 60;
}

/// Families of addresses, and two placeholders for an address in the socket's own family.
pub(super) mod family {
    pub(crate) const UNSPECIFIED: u8 = 0;
    pub(crate) const INET: u8 = 1;
    pub(crate) const INET6: u8 = 2;
    pub(crate) const ANY: u8 = 3;
    pub(crate) const LOOPBACK: u8 = 4;
    pub(crate) const LOCAL: u8 = 5;
    pub(crate) const UNDEFINED: u8 = 6;
}

/// Kinds of sockets.
pub(super) mod kind {
    pub(crate) const STREAM: u8 = 1;
    pub(crate) const DATAGRAM: u8 = 2;
    pub(crate) const SEQUENCE: u8 = 3;
}

/// Protocols of a socket, as OTP 28 and later name them when they open one.
pub(super) mod transport {
    pub(crate) const DEFAULT: u8 = 0;
    pub(crate) const TCP: u8 = 1;
    pub(crate) const UDP: u8 = 2;
    pub(crate) const SCTP: u8 = 3;
    pub(crate) const MULTIPATH_TCP: u8 = 4;
}

/// Bits in the answer to [`request::STATUS`].
pub(super) mod status {
    pub(crate) const OPEN: u32 = 0x01;
    pub(crate) const ACTIVE: u32 = 0x04;
    pub(crate) const LISTEN: u32 = 0x08;
    pub(crate) const CONNECTING: u32 = 0x10;
    pub(crate) const ACCEPTING: u32 = 0x20;
    pub(crate) const BUSY: u32 = 0x80;
}

/// The items of [`request::GET_STATISTICS`].
pub(super) mod statistic {
    pub(crate) const RECEIVED_COUNT: u8 = 1;
    pub(crate) const RECEIVED_MAX: u8 = 2;
    pub(crate) const RECEIVED_AVERAGE: u8 = 3;
    pub(crate) const RECEIVED_DEVIATION: u8 = 4;
    pub(crate) const SENT_COUNT: u8 = 5;
    pub(crate) const SENT_MAX: u8 = 6;
    pub(crate) const SENT_AVERAGE: u8 = 7;
    pub(crate) const SEND_PENDING: u8 = 8;
    pub(crate) const RECEIVED_OCTETS: u8 = 9;
    pub(crate) const SENT_OCTETS: u8 = 10;
}

/// The only event that can be subscribed to: that everything has been sent.
pub(super) const SUBSCRIBE_EMPTY_QUEUE: u8 = 1;

/// A timeout in milliseconds that never expires.
pub(super) const INFINITY: u32 = u32::MAX;

const REPLY_ERROR: u8 = 0;
const REPLY_OK: u8 = 1;

/// The bytes of an answer.
pub(super) type Bytes = SmallVec<[u8; 32]>;

/// Why a request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    System(Errno),
    Named(&'static str),
    /// The operation makes no sense; the caller gets `badarg`.
    Bad,
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Refusal {
        Refusal::System(error)
    }
}

/// `einval`.
pub(super) const INVALID: Refusal = Refusal::System(Errno::EINVAL);
/// The socket is not in a state that allows this.
pub(super) const BAD_PORT: Refusal = Refusal::Named("exbadport");
/// The socket is open already.
pub(super) const BAD_SEQUENCE: Refusal = Refusal::Named("exbadseq");

/// The answer to a request.
pub(super) type Answer = Result<Bytes, Refusal>;

/// An answer that is just *ok*.
pub(super) fn done() -> Answer {
    Ok(Bytes::new())
}

/// A number of 16 bits.
pub(super) fn short(number: u16) -> Answer {
    Ok(Bytes::from_slice(&number.to_be_bytes()))
}

/// A number of 32 bits.
pub(super) fn word(number: u32) -> Answer {
    Ok(Bytes::from_slice(&number.to_be_bytes()))
}

/// The answer as the port returns it.
#[must_use]
pub(super) fn reply(answer: Answer) -> Option<Control> {
    let (code, bytes) = match &answer {
        Ok(bytes) => (REPLY_OK, &bytes[..]),
        Err(Refusal::System(error)) => (REPLY_ERROR, error.name().as_bytes()),
        Err(Refusal::Named(name)) => (REPLY_ERROR, name.as_bytes()),
        Err(Refusal::Bad) => return None,
    };
    let mut reply = Bytes::with_capacity(1 + bytes.len());
    reply.push(code);
    reply.extend_from_slice(bytes);
    Some(Control::List(reply))
}

/// Parses a request. One that is too short gets `einval`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    #[must_use]
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    /// All bytes that are left.
    #[must_use]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Refusal> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(INVALID)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(INVALID)?;
        self.rest = rest;
        Ok(*bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Refusal> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn short(&mut self) -> Result<u16, Refusal> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn int(&mut self) -> Result<i32, Refusal> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn word(&mut self) -> Result<u32, Refusal> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn long(&mut self) -> Result<u64, Refusal> {
        self.array().map(u64::from_be_bytes)
    }

    /// A byte that is a count, and then that many bytes.
    pub(super) fn counted(&mut self) -> Result<&'a [u8], Refusal> {
        let count = self.byte()?;
        self.bytes(usize::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_short_is_refused() {
        let mut reader = Reader::new(&[1, 0, 2, 3, b'a']);
        assert_eq!(reader.byte(), Ok(1));
        assert_eq!(reader.short(), Ok(2));
        assert_eq!(reader.counted(), Err(INVALID));
        assert_eq!(reader.rest(), b"a");
        assert_eq!(reader.int(), Err(INVALID));
        assert_eq!(reader.bytes(1), Ok(&b"a"[..]));
        assert!(reader.is_empty());
    }

    #[test]
    fn answers_begin_with_a_code() {
        let bytes = |answer| match reply(answer) {
            Some(Control::List(bytes)) => Some(bytes.to_vec()),
            _ => None,
        };
        assert_eq!(bytes(short(258)), Some(vec![1, 1, 2]));
        assert_eq!(bytes(done()), Some(vec![1]));
        assert_eq!(bytes(Err(INVALID)), Some(b"\0einval".to_vec()));
        assert_eq!(bytes(Err(BAD_PORT)), Some(b"\0exbadport".to_vec()));
        assert_eq!(bytes(Err(Refusal::Bad)), None);
    }
}
