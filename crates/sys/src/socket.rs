//! Sockets: opening, binding and connecting them, and moving bytes and datagrams through them.
//!
//! Every socket opened here is non-blocking and closed when another program is executed; calls that would wait
//! fail with `eagain` (`einprogress` for a connection that is being set up). No call raises SIGPIPE.
//! Addresses are in [`address`], options in [`option`], datagrams with ancillary data in [`message`], calls with every
//! argument in [`call`], the host's interfaces in [`interface`], names of hosts and services in [`resolve`],
//! [`hosts`] and [`service`], and the names that OTP has for all of these in [`catalogue`].

pub mod address;
pub mod ancillary;
pub mod call;
pub mod catalogue;
pub mod hosts;
pub mod interface;
pub mod message;
pub mod option;
pub mod resolve;
pub mod service;

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::net::{SendAncillaryBuffer, SendFlags, Shutdown};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::errno::{Errno, Result, check, check_size, repeat, retry};
use crate::fd::{self, MOST_PARTS};
use crate::host;
pub use address::Address;

/// The kind of addresses that a socket has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4.
    Inet,
    /// IPv6.
    Inet6,
    /// Names in the file system, or abstract ones.
    Local,
}

impl Family {
    /// The system's number.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Family::Inet => libc::AF_INET,
            Family::Inet6 => libc::AF_INET6,
            Family::Local => libc::AF_UNIX,
        }
    }
}

/// How a socket carries data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// A stream of bytes: TCP, or a local stream.
    Stream,
    /// Datagrams: UDP, or local ones.
    Datagram,
}

impl SocketKind {
    fn number(self) -> libc::c_int {
        match self {
            SocketKind::Stream => libc::SOCK_STREAM,
            SocketKind::Datagram => libc::SOCK_DGRAM,
        }
    }

    fn protocol(self, family: Family) -> libc::c_int {
        match (family, self) {
            (Family::Local, _) => 0,
            (_, SocketKind::Stream) => libc::IPPROTO_TCP,
            (_, SocketKind::Datagram) => libc::IPPROTO_UDP,
        }
    }
}

/// Which directions of a connection to shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Both reading and writing.
    Both,
}

/// Opens a socket.
///
/// # Errors
/// `eafnosupport`, `emfile`, `enobufs`...
pub fn open(family: Family, kind: SocketKind) -> Result<OwnedFd> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    open_raw(
        family.number(),
        kind.number() | flags,
        kind.protocol(family),
    )
}

/// As [`open`], for a stream of multipath TCP.
///
/// # Errors
/// As [`open`].
pub fn open_multipath(family: Family) -> Result<OwnedFd> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    let kind = libc::SOCK_STREAM | flags;
    open_raw(family.number(), kind, libc::IPPROTO_MPTCP)
}

/// As [`open`], with the system's numbers and flags.
///
/// # Errors
/// The system's.
pub fn open_raw(family: i32, kind: i32, protocol: i32) -> Result<OwnedFd> {
    // By the C library, because `rustix` takes only numbers that can be valid.
    // SAFETY: takes and returns plain numbers.
    let fd = check(unsafe { libc::socket(family, kind, protocol) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Runs `body` with the calling thread in the network namespace that a file stands for.
///
/// # Errors
/// Those of `body`; `enoent`, `eperm`... for the namespace.
pub fn in_namespace<T>(namespace: &[u8], body: impl FnOnce() -> Result<T>) -> Result<T> {
    let here = open_namespace(b"/proc/self/ns/net")?;
    let there = open_namespace(namespace)?;
    enter_namespace(there.as_fd())?;
    let answer = body();
    enter_namespace(here.as_fd())?;
    answer
}

fn open_namespace(path: &[u8]) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn enter_namespace(namespace: BorrowedFd<'_>) -> Result<()> {
    let network = Some(LinkNameSpaceType::Network);
    Ok(move_into_link_name_space(namespace, network)?)
}

/// Binds a socket to an address of its own.
///
/// # Errors
/// `eaddrinuse`, `eaddrnotavail`, `eacces`...
pub fn bind(socket: BorrowedFd<'_>, address: &Address) -> Result<()> {
    Ok(rustix::net::bind(socket, address)?)
}

/// Makes a socket accept connections, of which at most `backlog` wait.
///
/// # Errors
/// The system's.
pub fn listen(socket: BorrowedFd<'_>, backlog: i32) -> Result<()> {
    Ok(rustix::net::listen(socket, backlog)?)
}

/// Connects to an address. After `einprogress` (`eagain` for a local socket) the socket becomes writable when the
/// outcome is known, which [`take_error`] returns.
///
/// # Errors
/// As above; `econnrefused`, `enetunreach`...
pub fn connect(socket: BorrowedFd<'_>, address: &Address) -> Result<()> {
    // Not repeated when interrupted: the connection is then set up all the same.
    Ok(rustix::net::connect(socket, address)?)
}

/// Dissolves the connection of a datagram socket.
///
/// # Errors
/// The system's.
pub fn disconnect(socket: BorrowedFd<'_>) -> Result<()> {
    connect(socket, &Address::unspecified())
}

/// Accepts a waiting connection, and returns it with the peer's address.
///
/// # Errors
/// `eagain` when none waits; `emfile`, `econnaborted`...
pub fn accept(socket: BorrowedFd<'_>) -> Result<(OwnedFd, Address)> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    let mut address = Address::unspecified();
    let fd = retry(|| {
        address.fill(|pointer, length| {
            // SAFETY: `fill` passes room for any address, and its length.
            check(unsafe { libc::accept4(socket.as_raw_fd(), pointer, length, flags) })
        })
    })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok((unsafe { OwnedFd::from_raw_fd(fd) }, address))
}

/// The address of a socket.
///
/// # Errors
/// The system's.
pub fn name(socket: BorrowedFd<'_>) -> Result<Address> {
    let mut address = Address::unspecified();
    address.fill(|pointer, length| {
        // SAFETY: `fill` passes room for any address, and its length.
        check(unsafe { libc::getsockname(socket.as_raw_fd(), pointer, length) })
    })?;
    Ok(address)
}

/// The address of the peer.
///
/// # Errors
/// `enotconn`.
pub fn peer(socket: BorrowedFd<'_>) -> Result<Address> {
    let mut address = Address::unspecified();
    address.fill(|pointer, length| {
        // SAFETY: `fill` passes room for any address, and its length.
        check(unsafe { libc::getpeername(socket.as_raw_fd(), pointer, length) })
    })?;
    Ok(address)
}

/// Shuts down one or both directions of a connection.
///
/// # Errors
/// `enotconn`.
pub fn shutdown(socket: BorrowedFd<'_>, half: Half) -> Result<()> {
    let how = match half {
        Half::Read => Shutdown::Read,
        Half::Write => Shutdown::Write,
        Half::Both => Shutdown::Both,
    };
    Ok(rustix::net::shutdown(socket, how)?)
}

/// Takes the pending error of a socket, and clears it.
///
/// # Errors
/// The pending error, or the reason why the system did not return it.
pub fn take_error(socket: BorrowedFd<'_>) -> Result<()> {
    match option::get_int(socket, option::ERROR)? {
        0 => Ok(()),
        error => Err(Errno(error)),
    }
}

/// Reads available bytes, at most the room's length; 0 means the end of a stream.
///
/// # Errors
/// `eagain`, `econnreset`...
pub fn receive(socket: BorrowedFd<'_>, room: &mut [MaybeUninit<u8>]) -> Result<usize> {
    fd::read_uninit(socket, room)
}

/// Bytes that can be read at once; 0 when the system does not say.
#[must_use]
pub fn unread_bytes(socket: BorrowedFd<'_>) -> usize {
    rustix::io::ioctl_fionread(socket).map_or(0, |count| count as usize)
}

/// Makes a later close reset the connection and discard unsent data.
pub fn reset_when_closed(socket: BorrowedFd<'_>) {
    // The system never refuses this for a connection.
    let _ = rustix::net::sockopt::set_socket_linger(socket, Some(Duration::ZERO));
}

/// As [`receive`], into one room and, when that is full, another. Returns the total number of bytes.
///
/// # Errors
/// As [`receive`].
pub fn receive_into(
    socket: BorrowedFd<'_>,
    room: &mut [MaybeUninit<u8>],
    more: &mut [MaybeUninit<u8>],
) -> Result<usize> {
    let part = |room: &mut [MaybeUninit<u8>]| libc::iovec {
        iov_base: room.as_mut_ptr().cast(),
        iov_len: room.len(),
    };
    let parts = [part(room), part(more)];
    // Not by the C library's function, for the reason in `fd`, and not by `rustix`, which takes initialised buffers
    // only.
    retry(|| {
        // SAFETY: the kernel writes at most the length of each part into it, and both are borrowed for the call.
        check_size(unsafe {
            libc::syscall(
                libc::SYS_readv,
                socket.as_raw_fd(),
                parts.as_ptr(),
                1 + usize::from(!more.is_empty()),
            ) as isize
        })
    })
}

/// Receives one datagram, truncated to the room's length, with its sender's address.
///
/// # Errors
/// `eagain`, `econnrefused`...
pub fn receive_from(
    socket: BorrowedFd<'_>,
    room: &mut [MaybeUninit<u8>],
) -> Result<(usize, Address)> {
    call::receive_from(socket, room, 0)
}

/// Sends bytes on a connected socket.
///
/// # Errors
/// `eagain`, `epipe`, `econnreset`...
pub fn send(socket: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
    call::send(socket, bytes, None, 0)
}

/// Sends parts, one after the other, on a connected socket; parts beyond the kernel's maximum number are left out.
///
/// # Errors
/// As [`send`].
pub fn send_parts(socket: BorrowedFd<'_>, parts: &[IoSlice<'_>]) -> Result<usize> {
    let parts = &parts[..parts.len().min(MOST_PARTS)];
    let mut no_ancillary = SendAncillaryBuffer::default();
    repeat(|| rustix::net::sendmsg(socket, parts, &mut no_ancillary, SendFlags::NOSIGNAL))
}

/// Sends one datagram to an address.
///
/// # Errors
/// `eagain`, `emsgsize`, `enetunreach`...
pub fn send_to(socket: BorrowedFd<'_>, bytes: &[u8], to: &Address) -> Result<usize> {
    call::send(socket, bytes, Some(to), 0)
}

/// Sends part of a file, from `offset`; returns 0 at the end of the file.
///
/// # Errors
/// `eagain`, `epipe`; `einval` for a file that cannot be sent in this way.
pub fn send_file(
    socket: BorrowedFd<'_>,
    file: BorrowedFd<'_>,
    offset: u64,
    count: usize,
) -> Result<usize> {
    if i64::try_from(offset).is_err() {
        return Err(Errno::EINVAL);
    }
    let mut offset = offset;
    repeat(|| rustix::fs::sendfile(socket, file, Some(&mut offset), count))
}

/// The name of this host.
///
/// # Errors
/// The system's.
pub fn host_name() -> Result<Vec<u8>> {
    host::name()
}

/// A socket's descriptor: owned, or lent by its number by a caller that has opened it and will close it.
#[derive(Debug)]
pub struct Descriptor(Holding);

#[derive(Debug)]
enum Holding {
    Owned(OwnedFd),
    Lent(BorrowedFd<'static>),
}

impl Descriptor {
    /// A descriptor that is closed when this is dropped.
    #[must_use]
    pub fn owned(fd: OwnedFd) -> Descriptor {
        Descriptor(Holding::Owned(fd))
    }

    /// The descriptor of a number, left open when this is dropped.
    ///
    /// # Errors
    /// `ebadf` when it is not open.
    pub fn lent(number: RawFd) -> Result<Descriptor> {
        fd::check_open(number)?;
        // SAFETY: open as of the line above, and never closed here. If the lender closes it too early, later calls fail
        // or use another descriptor that has got the number, as with all numbers that programs pass around.
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        Ok(Descriptor(Holding::Lent(fd)))
    }

    /// Closes it, if it is owned.
    ///
    /// # Errors
    /// The error that the close found; the descriptor is closed all the same.
    pub fn close(self) -> Result<()> {
        match self.0 {
            Holding::Owned(fd) => fd::close(fd),
            Holding::Lent(_) => Ok(()),
        }
    }

    /// Whether it is lent.
    #[must_use]
    pub fn is_lent(&self) -> bool {
        matches!(self.0, Holding::Lent(_))
    }
}

impl AsFd for Descriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Holding::Owned(fd) => fd.as_fd(),
            Holding::Lent(fd) => *fd,
        }
    }
}

#[cfg(test)]
mod tests;
