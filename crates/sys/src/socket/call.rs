//! The calls that move bytes, with every argument that the system takes: flags, addresses of any family, ancillary
//! data as the system lays it out.
//!
//! The sockets are non-blocking: calls that would wait fail with `eagain`. No call raises SIGPIPE.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{RecvFlags, SendFlags, SocketFlags};

use super::address::Address;
use crate::errno::{Errno, Result, check_size, repeat, retry};
use crate::fd::MOST_PARTS;

/// Opens a socket by the system's numbers.
///
/// # Errors
/// `eafnosupport`, `eprotonosupport`, `emfile`...
pub fn open(family: i32, kind: i32, protocol: i32) -> Result<OwnedFd> {
    super::open_raw(
        family,
        kind | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK,
        protocol,
    )
}

/// As [`open`], in the network namespace that a file stands for.
///
/// # Errors
/// As [`open`]; `enoent`, `eperm`... for the namespace.
pub fn open_in(namespace: &[u8], family: i32, kind: i32, protocol: i32) -> Result<OwnedFd> {
    super::in_namespace(namespace, || open(family, kind, protocol))
}

/// Accepts a waiting connection.
///
/// # Errors
/// `eagain` when none waits; `einval` on a socket that does not listen; `emfile`, `econnaborted`...
pub fn accept(socket: BorrowedFd<'_>) -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    repeat(|| rustix::net::accept_with(socket, flags))
}

/// Sends bytes, to an address or to the peer.
///
/// # Errors
/// The system's.
pub fn send(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    to: Option<&Address>,
    flags: i32,
) -> Result<usize> {
    let flags = SendFlags::from_bits_retain(flags as u32) | SendFlags::NOSIGNAL;
    repeat(|| match to {
        Some(to) => rustix::net::sendto(socket, bytes, flags, to),
        None => rustix::net::send(socket, bytes, flags),
    })
}

/// The maximum number of parts of one message.
pub const MOST_MESSAGE_PARTS: usize = MOST_PARTS;

/// Sends parts as one message with ancillary data, made by [`Ancillaries`](super::ancillary::Ancillaries).
///
/// # Errors
/// The system's; `emsgsize` for more parts than [`MOST_MESSAGE_PARTS`].
pub fn send_message(
    socket: BorrowedFd<'_>,
    parts: &[IoSlice<'_>],
    to: Option<&Address>,
    ancillary: &[u8],
    flags: i32,
) -> Result<usize> {
    if parts.len() > MOST_MESSAGE_PARTS {
        return Err(Errno::EMSGSIZE);
    }
    // SAFETY: all zero is a valid header without parts.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    // `IoSlice` has the layout of `iovec`.
    header.msg_iov = parts.as_ptr().cast_mut().cast();
    header.msg_iovlen = as_length(parts.len())?;
    if let Some(to) = to {
        let (pointer, length) = to.raw();
        header.msg_name = pointer.cast_mut().cast();
        header.msg_namelen = length;
    }
    if !ancillary.is_empty() {
        header.msg_control = ancillary.as_ptr().cast_mut().cast();
        header.msg_controllen = as_length(ancillary.len())?;
    }
    retry(|| {
        // SAFETY: everything that the header points to is alive and has the length that the header says.
        check_size(unsafe {
            libc::sendmsg(socket.as_raw_fd(), &header, flags | libc::MSG_NOSIGNAL)
        })
    })
}

/// Reads available bytes, at most the room's length.
///
/// # Errors
/// `eagain`, `econnreset`...
pub fn receive(socket: BorrowedFd<'_>, room: &mut [MaybeUninit<u8>], flags: i32) -> Result<usize> {
    let flags = RecvFlags::from_bits_retain(flags as u32);
    repeat(|| {
        let ((filled, _), _) = rustix::net::recv(socket, &mut *room, flags)?;
        Ok(filled.len())
    })
}

/// As [`receive`], with the sender's address, which is unspecified on a stream.
///
/// # Errors
/// As [`receive`].
pub fn receive_from(
    socket: BorrowedFd<'_>,
    room: &mut [MaybeUninit<u8>],
    flags: i32,
) -> Result<(usize, Address)> {
    let mut from = Address::unspecified();
    let count = retry(|| {
        from.fill(|pointer, length| {
            // SAFETY: the kernel writes at most the room's length; `fill` passes room for any address, and its length.
            check_size(unsafe {
                libc::recvfrom(
                    socket.as_raw_fd(),
                    room.as_mut_ptr().cast(),
                    room.len(),
                    flags,
                    pointer,
                    length,
                )
            })
        })
    })?;
    // With `MSG_TRUNC` the kernel returns the length of the whole datagram.
    Ok((count.min(room.len()), from))
}

/// A message from [`receive_message`].
#[derive(Debug)]
pub struct Message {
    /// Bytes of data.
    pub count: usize,
    /// The sender's address, if the system told it.
    pub from: Option<Address>,
    /// Bytes of ancillary data.
    pub ancillary: usize,
    /// The flags that the system set for it.
    pub flags: i32,
}

/// Receives available bytes with their ancillary data. The room for the latter begins at a multiple of eight bytes.
///
/// # Errors
/// As [`receive`].
pub fn receive_message(
    socket: BorrowedFd<'_>,
    room: &mut [MaybeUninit<u8>],
    ancillary: &mut [u8],
    flags: i32,
) -> Result<Message> {
    let mut from = Address::unspecified();
    let mut part = libc::iovec {
        iov_base: room.as_mut_ptr().cast(),
        iov_len: room.len(),
    };
    // SAFETY: all zero is a valid header without parts.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &mut part;
    header.msg_iovlen = 1;
    header.msg_control = ancillary.as_mut_ptr().cast();
    let mut told = 0;
    let count = retry(|| {
        header.msg_controllen = as_length(ancillary.len())?;
        from.fill(|pointer, length| {
            header.msg_name = pointer.cast();
            // SAFETY: `fill` passes a pointer to its own length.
            header.msg_namelen = unsafe { *length };
            // SAFETY: room, address and ancillary data are alive for the call and have the lengths that the header
            // says.
            let count =
                check_size(unsafe { libc::recvmsg(socket.as_raw_fd(), &mut header, flags) })?;
            // SAFETY: as above.
            unsafe { *length = header.msg_namelen };
            told = header.msg_namelen;
            Ok(count)
        })
    })?;
    Ok(Message {
        count: count.min(room.len()),
        from: (told != 0).then_some(from),
        ancillary: as_bytes(header.msg_controllen).min(ancillary.len()),
        flags: header.msg_flags,
    })
}

/// Messages that one call sends or receives at most: the system's limit, `UIO_MAXIOV`.
pub const MOST_MESSAGES: usize = 1024;

/// A message for [`send_messages`].
pub struct Outgoing<'a> {
    /// At most [`MOST_MESSAGE_PARTS`].
    pub parts: Vec<IoSlice<'a>>,
    /// The receiver, if it is not the peer.
    pub to: Option<Address>,
    /// Made by [`Ancillaries`](super::ancillary::Ancillaries).
    pub ancillary: &'a [u8],
}

/// Sends messages, in their order, as many as the system takes at once; returns how many bytes of each it has taken.
///
/// # Errors
/// That of the first message.
pub fn send_messages(
    socket: BorrowedFd<'_>,
    messages: &[Outgoing<'_>],
    flags: i32,
) -> Result<Vec<usize>> {
    let mut headers: Vec<libc::mmsghdr> = messages
        .iter()
        .take(MOST_MESSAGES)
        .map(|message| {
            // SAFETY: all zero is a valid header without parts.
            let mut header: libc::mmsghdr = unsafe { std::mem::zeroed() };
            let head = &mut header.msg_hdr;
            // `IoSlice` has the layout of `iovec`.
            head.msg_iov = message.parts.as_ptr().cast_mut().cast();
            head.msg_iovlen = as_length(message.parts.len())?;
            if let Some(to) = &message.to {
                let (pointer, length) = to.raw();
                head.msg_name = pointer.cast_mut().cast();
                head.msg_namelen = length;
            }
            if !message.ancillary.is_empty() {
                head.msg_control = message.ancillary.as_ptr().cast_mut().cast();
                head.msg_controllen = as_length(message.ancillary.len())?;
            }
            Ok(header)
        })
        .collect::<Result<_>>()?;
    let count = retry(|| {
        // SAFETY: the headers are as many as it says, and all that they point to is alive and has the lengths that they
        // say.
        let sent = unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                headers.len() as libc::c_uint,
                // Signed in one C library, not in the other.
                (flags | libc::MSG_NOSIGNAL) as _,
            )
        };
        check_size(sent as isize)
    })?;
    let sent = headers.iter().take(count);
    Ok(sent.map(|header| header.msg_len as usize).collect())
}

/// Receives at most as many messages as there are rooms of `room_bytes`, one behind the other, and of
/// `ancillary_bytes`, a multiple of eight. It waits for none but the first.
///
/// # Errors
/// As [`receive`].
pub fn receive_messages(
    socket: BorrowedFd<'_>,
    (rooms, room_bytes): (&mut [u8], usize),
    (ancillaries, ancillary_bytes): (&mut [u8], usize),
    most: usize,
    flags: i32,
) -> Result<Vec<Message>> {
    assert!(rooms.len() / room_bytes.max(1) >= most || room_bytes == 0);
    assert!(ancillaries.len() / ancillary_bytes.max(1) >= most || ancillary_bytes == 0);
    let (rooms, ancillaries) = (rooms.as_mut_ptr(), ancillaries.as_mut_ptr());
    let mut names = vec![Address::unspecified(); most];
    let mut parts: Vec<libc::iovec> = (0..most)
        .map(|at| libc::iovec {
            iov_base: rooms.wrapping_add(at * room_bytes).cast(),
            iov_len: room_bytes,
        })
        .collect();
    let mut headers: Vec<libc::mmsghdr> = Vec::with_capacity(most);
    for (at, (name, part)) in names.iter_mut().zip(&mut parts).enumerate() {
        // SAFETY: all zero is a valid header without parts.
        let mut header: libc::mmsghdr = unsafe { std::mem::zeroed() };
        let head = &mut header.msg_hdr;
        let (pointer, length) = name.room();
        head.msg_name = pointer.cast();
        head.msg_namelen = length;
        head.msg_iov = part;
        head.msg_iovlen = 1;
        head.msg_control = ancillaries.wrapping_add(at * ancillary_bytes).cast();
        head.msg_controllen = as_length(ancillary_bytes)?;
        headers.push(header);
    }
    let flags = flags | libc::MSG_WAITFORONE;
    let count = retry(|| {
        // SAFETY: the headers are as many as it says, and rooms, addresses and ancillary data are alive for the call
        // and have the lengths that the headers say.
        let received = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                headers.len() as libc::c_uint,
                flags as _,
                std::ptr::null_mut(),
            )
        };
        check_size(received as isize)
    })?;
    let received = headers.iter().zip(names).take(count);
    Ok(received
        .map(|(header, mut name)| {
            let head = &header.msg_hdr;
            name.set_length(head.msg_namelen);
            Message {
                count: (header.msg_len as usize).min(room_bytes),
                from: (head.msg_namelen != 0).then_some(name),
                ancillary: as_bytes(head.msg_controllen).min(ancillary_bytes),
                flags: head.msg_flags,
            }
        })
        .collect())
}

/// Whether reading (or with `to_write` writing) would not block now; a pending error counts as ready.
#[must_use]
pub fn is_ready(socket: BorrowedFd<'_>, to_write: bool) -> bool {
    let events = if to_write {
        PollFlags::OUT
    } else {
        PollFlags::IN | PollFlags::RDHUP | PollFlags::PRI
    };
    let mut set = [PollFd::from_borrowed_fd(socket, events)];
    let found = rustix::event::poll(&mut set, Some(&Timespec::default()));
    // If the system does not tell, the caller is to try.
    found != Ok(0)
}

/// Whether closing the socket would wait for data to be sent.
#[must_use]
pub fn lingers(socket: BorrowedFd<'_>) -> bool {
    let mut value = [0; 8];
    super::option::get(socket, super::option::LINGER, &mut value)
        .is_ok_and(|_| value[..4] != [0; 4])
}

/// A length that the C library told.
fn as_bytes(length: impl TryInto<usize>) -> usize {
    length.try_into().unwrap_or(usize::MAX)
}

/// A length, in the type that the C library has for it: not all have the same.
fn as_length<T: TryFrom<usize>>(bytes: usize) -> Result<T> {
    T::try_from(bytes).map_err(|_| Errno::EMSGSIZE)
}
