//! Requests that are the same for every kind of socket.

use std::os::fd::{AsFd, AsRawFd};

use sys::Errno;
use sys::socket::{self, Address, Descriptor, Family, SocketKind, service};

use super::protocol::{
    Answer, BAD_PORT, BAD_SEQUENCE, Bytes, INVALID, Reader, Refusal, done, family, kind, request,
    short, status, transport, word,
};
use super::socket::Socket;
use super::{address, interfaces};
use runtime::effects::port::access::Access;
use term::release::{self, Release};

fn read_family(reader: &mut Reader<'_>) -> Result<Family, Refusal> {
    Ok(match reader.byte()? {
        family::INET => Family::Inet,
        family::INET6 => Family::Inet6,
        family::LOCAL => Family::Local,
        _ => return Err(Errno::EAFNOSUPPORT.into()),
    })
}

impl Socket {
    /// Opens the socket: the request names a family and a kind, which must be the driver's, and from OTP 28 on a
    /// protocol.
    pub(super) fn open(&mut self, bytes: &[u8], wanted: SocketKind) -> Answer {
        let length = 2 + usize::from(release::has(Release::OTP_28));
        let (family, kind) = self.read_kind(bytes, wanted, &[length])?;
        let is_multipath = match bytes.get(2) {
            None | Some(&transport::DEFAULT) => false,
            Some(&transport::MULTIPATH_TCP) if kind == SocketKind::Stream => true,
            Some(&transport::TCP) if kind == SocketKind::Stream => false,
            Some(&transport::UDP) if kind == SocketKind::Datagram => false,
            Some(_) => return Err(INVALID),
        };
        if self.status != 0 {
            return Err(BAD_SEQUENCE);
        }
        let open = || match is_multipath {
            true => socket::open_multipath(family),
            false => socket::open(family, kind),
        };
        let fd = match &self.options.namespace {
            None => open()?,
            Some(namespace) => socket::in_namespace(namespace, open)?,
        };
        self.opened(Descriptor::owned(fd), family, kind);
        done()
    }

    /// As [`Socket::open`], with a descriptor that other code has opened, and perhaps bound.
    pub(super) fn open_descriptor(&mut self, bytes: &[u8], wanted: SocketKind) -> Answer {
        let (family, kind) = self.read_kind(bytes, wanted, &[6, 10])?;
        let mut reader = Reader::new(&bytes[2..]);
        let number = reader.int()?;
        let is_bound = reader.is_empty() || reader.int()? != 0;
        let fd = Descriptor::lent(number)?;
        if is_bound && socket::name(fd.as_fd())?.family() != family.number() {
            return Err(INVALID);
        }
        sys::fd::set_nonblocking(fd.as_fd(), true)?;
        let is_connected = kind == SocketKind::Stream && socket::peer(fd.as_fd()).is_ok();
        self.opened(fd, family, kind);
        self.is_known = true;
        if is_connected {
            self.status |= status::ACTIVE;
        }
        done()
    }

    fn read_kind(
        &self,
        bytes: &[u8],
        wanted: SocketKind,
        lengths: &[usize],
    ) -> Result<(Family, SocketKind), Refusal> {
        if !lengths.contains(&bytes.len()) {
            return Err(INVALID);
        }
        let mut reader = Reader::new(bytes);
        let family = read_family(&mut reader)?;
        let number = match wanted {
            SocketKind::Stream => kind::STREAM,
            SocketKind::Datagram => kind::DATAGRAM,
        };
        if reader.byte()? == number {
            Ok((family, wanted))
        } else {
            Err(INVALID)
        }
    }

    /// Requests that are common to the drivers and change nothing but the socket.
    pub(super) fn control(
        &mut self,
        port: &mut Access<'_>,
        operation: u32,
        bytes: &[u8],
        pending: usize,
    ) -> Answer {
        match operation {
            request::GET_STATISTICS => self.statistics.answer(bytes, pending),
            request::GET_OPTIONS => self.get_options(port, bytes),
            request::STATUS => word(self.status),
            request::TYPE => self.kind(),
            request::DESCRIPTOR => {
                let number = self.fd().map_err(|_| INVALID)?.as_raw_fd();
                self.is_known = true;
                word(number as u32)
            }
            request::HOST_NAME if bytes.is_empty() => Ok(Bytes::from_vec(socket::host_name()?)),
            request::HOST_NAME => Err(INVALID),
            request::PEER => self.peer(),
            request::NAME => match &self.name_override {
                Some(name) => encode_address(name),
                None => encode_address(&socket::name(self.fd()?)?),
            },
            request::SET_NAME => {
                self.name_override = self.read_override(bytes)?;
                done()
            }
            request::SET_PEER => {
                self.peer_override = self.read_override(bytes)?;
                done()
            }
            request::OWN_ADDRESSES | request::PEER_ADDRESSES => {
                if bytes.len() != 4 {
                    return Err(INVALID);
                }
                if !self.is_open() {
                    return Err(BAD_PORT);
                }
                let address = match operation {
                    request::OWN_ADDRESSES => socket::name(self.fd()?)?,
                    _ => socket::peer(self.fd()?)?,
                };
                Ok(encode_address(&address).unwrap_or_default())
            }
            request::BIND => self.bind(bytes),
            request::IGNORE_DESCRIPTOR => self.ignore_descriptor(port, bytes),
            request::INTERFACES
            | request::INTERFACE_ADDRESSES
            | request::INTERFACE_GET
            | request::INTERFACE_SET => {
                if !self.is_open() {
                    return Err(BAD_PORT);
                }
                match operation {
                    request::INTERFACES => interfaces::names(),
                    request::INTERFACE_ADDRESSES => interfaces::addresses(),
                    request::INTERFACE_GET => interfaces::get(self.fd()?, bytes),
                    _ => interfaces::set(self.fd()?, bytes),
                }
            }
            request::SERVICE_BY_NAME => {
                let mut reader = Reader::new(bytes);
                let (name, protocol) = (reader.counted()?, reader.counted()?);
                short(service::port(name, Some(protocol)).ok_or(INVALID)?)
            }
            request::SERVICE_BY_PORT => {
                let mut reader = Reader::new(bytes);
                let (port, protocol) = (reader.short()?, reader.counted()?);
                let name = service::name(port, Some(protocol)).ok_or(INVALID)?;
                Ok(Bytes::from_vec(name))
            }
            _ => Err(BAD_PORT),
        }
    }

    fn kind(&self) -> Answer {
        let family = match self.family.ok_or(INVALID)? {
            Family::Inet => family::INET,
            Family::Inet6 => family::INET6,
            Family::Local => family::LOCAL,
        };
        let kind = match self.kind.ok_or(INVALID)? {
            SocketKind::Stream => kind::STREAM,
            SocketKind::Datagram => kind::DATAGRAM,
        };
        Ok(Bytes::from_slice(&[0, 0, 0, family, 0, 0, 0, kind]))
    }

    fn peer(&self) -> Answer {
        if !self.has(status::ACTIVE) {
            return Err(Errno::ENOTCONN.into());
        }
        match &self.peer_override {
            Some(peer) => encode_address(peer),
            None => encode_address(&socket::peer(self.fd()?)?),
        }
    }

    fn read_override(&self, bytes: &[u8]) -> Result<Option<Box<Address>>, Refusal> {
        match bytes.len() {
            0 => Ok(None),
            1 => Err(INVALID),
            _ => {
                let address = address::read(&mut Reader::new(bytes), self.family)?;
                Ok(Some(Box::new(address)))
            }
        }
    }

    fn bind(&mut self, bytes: &[u8]) -> Answer {
        if bytes.len() < 2 {
            return Err(INVALID);
        }
        if self.status != status::OPEN {
            return Err(BAD_PORT);
        }
        let local = address::read(&mut Reader::new(bytes), self.family)?;
        socket::bind(self.fd()?, &local)?;
        let port = match local.port() {
            Some(0) => socket::name(self.fd()?)?.port(),
            port => port,
        };
        short(port.unwrap_or(0))
    }

    /// Lends the descriptor to other code, or takes it back.
    fn ignore_descriptor(&mut self, port: &mut Access<'_>, bytes: &[u8]) -> Answer {
        if !self.is_connected() {
            return Err(Errno::ENOTCONN.into());
        }
        if self.kind != Some(SocketKind::Stream) {
            return Err(INVALID);
        }
        match (bytes.first(), self.ignored) {
            (Some(1), false) => {
                self.unwatch(port);
                self.ignored = true;
            }
            (Some(0), true) => {
                self.ignored = false;
                // Whatever happened meanwhile is reported when watching begins again.
                self.readable = true;
                self.watch(port)?;
            }
            _ => return Err(INVALID),
        }
        done()
    }
}

/// Encodes an address, which must be of a family that has an encoding.
fn encode_address(address: &Address) -> Answer {
    let mut bytes = Bytes::new();
    address::write(&mut bytes, address);
    match bytes.len() {
        1 => Err(INVALID),
        _ => Ok(bytes),
    }
}
