//! Datagrams with ancillary data.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::address::Address;
use super::option::Name;
use crate::errno::{Errno, Result, check_size, retry};

/// Bytes of ancillary data that are taken with one datagram.
const CONTROL_BYTES: usize = 1024;

/// One piece of ancillary data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ancillary {
    /// Its level and type.
    pub name: Name,
    /// As the system lays it out.
    pub data: Vec<u8>,
}

impl Ancillary {
    /// A number.
    #[must_use]
    pub fn number(name: Name, value: i32) -> Ancillary {
        Ancillary {
            name,
            data: value.to_ne_bytes().to_vec(),
        }
    }

    /// The data as a number; 0 when it is of no number's size.
    #[must_use]
    pub fn value(&self) -> u64 {
        match *self.data.as_slice() {
            [byte] => byte.into(),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        }
    }
}

/// Room for ancillary data, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([MaybeUninit<u8>; CONTROL_BYTES]);

/// What was received.
#[derive(Debug)]
pub struct Received {
    /// Bytes of data.
    pub count: usize,
    /// Who it is from.
    pub from: Address,
    /// What came along.
    pub ancillary: Vec<Ancillary>,
}

/// Takes one datagram with what comes along.
///
/// # Errors
/// As [`super::receive_from`].
pub fn receive(socket: BorrowedFd<'_>, room: &mut [MaybeUninit<u8>]) -> Result<Received> {
    let mut from = Address::unspecified();
    let mut control = Control([MaybeUninit::uninit(); CONTROL_BYTES]);
    let mut part = libc::iovec {
        iov_base: room.as_mut_ptr().cast(),
        iov_len: room.len(),
    };
    // SAFETY: all zero is a valid header without parts.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.0.as_mut_ptr().cast();
    let count = retry(|| {
        header.msg_controllen = CONTROL_BYTES;
        from.fill(|pointer, length| {
            header.msg_name = pointer.cast();
            // SAFETY: `fill` hands over a length of its own.
            header.msg_namelen = unsafe { *length };
            // SAFETY: room, address and control are as long as told and alive for the call.
            let count = check_size(unsafe { libc::recvmsg(socket.as_raw_fd(), &mut header, 0) })?;
            // SAFETY: as above.
            unsafe { *length = header.msg_namelen };
            Ok(count)
        })
    })?;
    let mut ancillary = Vec::new();
    // SAFETY: the kernel filled `msg_controllen` bytes of the control room with whole entries, and the macros
    // stay within them.
    unsafe {
        let mut entry = libc::CMSG_FIRSTHDR(&header);
        while !entry.is_null() {
            let data = libc::CMSG_DATA(entry);
            let head = data as usize - entry as usize;
            let length = ((*entry).cmsg_len).saturating_sub(head);
            ancillary.push(Ancillary {
                name: Name {
                    level: (*entry).cmsg_level,
                    number: (*entry).cmsg_type,
                },
                data: std::slice::from_raw_parts(data, length).to_vec(),
            });
            entry = libc::CMSG_NXTHDR(&header, entry);
        }
    }
    Ok(Received {
        count,
        from,
        ancillary,
    })
}

/// Sends one datagram with ancillary data; without an address, on a connected socket.
///
/// # Errors
/// As [`super::send_to`]; `einval` for more ancillary data than there is room for.
pub fn send(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    to: Option<&Address>,
    ancillary: &[Ancillary],
) -> Result<usize> {
    let mut control = Control([MaybeUninit::zeroed(); CONTROL_BYTES]);
    let mut part = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: all zero is a valid header without parts.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &mut part;
    header.msg_iovlen = 1;
    if let Some(to) = to {
        let (pointer, length) = to.raw();
        header.msg_name = pointer.cast_mut().cast();
        header.msg_namelen = length;
    }
    let mut used = 0;
    for entry in ancillary {
        let length = u32::try_from(entry.data.len()).map_err(|_| Errno::EINVAL)?;
        // SAFETY: plain arithmetic.
        let space = unsafe { libc::CMSG_SPACE(length) } as usize;
        if space > CONTROL_BYTES - used {
            return Err(Errno::EINVAL);
        }
        // SAFETY: `space` bytes are left, which hold head and data; the offset keeps the alignment.
        unsafe {
            let head = control.0.as_mut_ptr().add(used).cast::<libc::cmsghdr>();
            (*head).cmsg_level = entry.name.level;
            (*head).cmsg_type = entry.name.number;
            (*head).cmsg_len = libc::CMSG_LEN(length) as usize;
            std::ptr::copy_nonoverlapping(
                entry.data.as_ptr(),
                libc::CMSG_DATA(head),
                entry.data.len(),
            );
        }
        used += space;
    }
    if used > 0 {
        header.msg_control = control.0.as_mut_ptr().cast();
        header.msg_controllen = used;
    }
    retry(|| {
        // SAFETY: everything that the header points to is alive and as long as told.
        check_size(unsafe { libc::sendmsg(socket.as_raw_fd(), &header, libc::MSG_NOSIGNAL) })
    })
}

/// Reads a buffer of ancillary data, as an option of a stream holds it.
#[must_use]
pub fn entries(buffer: &[u8]) -> Vec<Ancillary> {
    let head_bytes = size_of::<libc::cmsghdr>();
    let mut found = Vec::new();
    let mut rest = buffer;
    while rest.len() >= head_bytes {
        // SAFETY: as many bytes as a head has; any are a valid one.
        let head = unsafe { rest.as_ptr().cast::<libc::cmsghdr>().read_unaligned() };
        if head.cmsg_len < head_bytes || head.cmsg_len > rest.len() {
            break;
        }
        found.push(Ancillary {
            name: Name {
                level: head.cmsg_level,
                number: head.cmsg_type,
            },
            data: rest[head_bytes..head.cmsg_len].to_vec(),
        });
        rest = &rest[head.cmsg_len.next_multiple_of(8).min(rest.len())..];
    }
    found
}
