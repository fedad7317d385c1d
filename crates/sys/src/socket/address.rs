//! Addresses of sockets, as the system lays them out.
//!
//! They are stored as bytes, because each family has a layout of its own, which begins with the family's number. Ports
//! are in network order.

use std::mem::offset_of;
use std::net::{SocketAddrV4, SocketAddrV6};
use std::ptr;

use libc::{sockaddr_in, sockaddr_in6, sockaddr_ll, sockaddr_un};
use rustix::net::addr::{SocketAddrArg, SocketAddrLen, SocketAddrOpaque};

use crate::errno::{Errno, Result};

/// Bytes that the name of a local socket may have.
const LOCAL_NAME_BYTES: usize = 108;
/// Bytes of the largest address.
const MOST_BYTES: usize = size_of::<libc::sockaddr_storage>();
const FAMILY_BYTES: usize = size_of::<libc::sa_family_t>();

/// Room for any address, aligned as the system aligns it.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Storage([u8; MOST_BYTES]);
const _: () = assert!(align_of::<Storage>() >= align_of::<libc::sockaddr_storage>());

/// One address.
#[derive(Clone, Copy)]
pub struct Address {
    storage: Storage,
    length: libc::socklen_t,
}

/// An address by its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View<'a> {
    /// An IPv4 address and port.
    Inet {
        /// In the order in which they are written.
        ip: [u8; 4],
        /// The port.
        port: u16,
    },
    /// An IPv6 address and port.
    Inet6 {
        /// In the order in which they are written.
        ip: [u8; 16],
        /// The port.
        port: u16,
        /// The flow information, as the system stores it.
        flow: u32,
        /// The interface that a link-local address belongs to.
        scope: u32,
    },
    /// The name of a local socket; an abstract one starts with a zero byte.
    Local(&'a [u8]),
    /// No address.
    Unspecified,
    /// An address of another family, whose number this is.
    Other(u16),
}

impl Address {
    /// The address as people write it; `None` if there is none, or it is of a family that is not known here.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self.view() {
            View::Inet { ip, port } => Some(SocketAddrV4::new(ip.into(), port).to_string()),
            View::Inet6 {
                ip,
                port,
                flow,
                scope,
            } => Some(SocketAddrV6::new(ip.into(), port, flow, scope).to_string()),
            View::Local(name) if !name.is_empty() => {
                Some(String::from_utf8_lossy(name).replace('\0', "@"))
            }
            View::Local(_) | View::Unspecified | View::Other(_) => None,
        }
    }

    /// No address.
    pub(super) fn unspecified() -> Address {
        Address {
            storage: Storage([0; MOST_BYTES]),
            length: size_of::<sockaddr_in>() as libc::socklen_t,
        }
    }

    /// An address of a family, with the bytes of its fields at their offsets.
    fn of<const FIELDS: usize>(
        family: libc::c_int,
        length: usize,
        fields: [(usize, &[u8]); FIELDS],
    ) -> Address {
        let mut address = Address::unspecified();
        address.set_family(family as libc::sa_family_t);
        for (at, bytes) in fields {
            address.storage.0[at..at + bytes.len()].copy_from_slice(bytes);
        }
        address.length = length as libc::socklen_t;
        address
    }

    fn set_family(&mut self, family: libc::sa_family_t) {
        self.storage.0[..FAMILY_BYTES].copy_from_slice(&family.to_ne_bytes());
    }

    /// Bytes at an offset, which must lie within the storage.
    fn field<const BYTES: usize>(&self, at: usize) -> [u8; BYTES] {
        std::array::from_fn(|index| self.storage.0[at + index])
    }

    fn raw_family(&self) -> libc::sa_family_t {
        libc::sa_family_t::from_ne_bytes(self.field(0))
    }

    /// An IPv4 address and port.
    #[must_use]
    pub fn inet(ip: [u8; 4], port: u16) -> Address {
        Address::of(
            libc::AF_INET,
            size_of::<sockaddr_in>(),
            [
                (offset_of!(sockaddr_in, sin_port), &port.to_be_bytes()),
                (offset_of!(sockaddr_in, sin_addr), &ip),
            ],
        )
    }

    /// An IPv6 address and port; `flow` and `scope` are kept as they are given.
    #[must_use]
    pub fn inet6(ip: [u8; 16], port: u16, flow: u32, scope: u32) -> Address {
        Address::of(
            libc::AF_INET6,
            size_of::<sockaddr_in6>(),
            [
                (offset_of!(sockaddr_in6, sin6_port), &port.to_be_bytes()),
                (offset_of!(sockaddr_in6, sin6_flowinfo), &flow.to_ne_bytes()),
                (offset_of!(sockaddr_in6, sin6_addr), &ip),
                (
                    offset_of!(sockaddr_in6, sin6_scope_id),
                    &scope.to_ne_bytes(),
                ),
            ],
        )
    }

    /// A local name. A name that is a path leaves room for its terminator.
    ///
    /// # Errors
    /// `einval` when it is too long.
    pub fn local(name: &[u8]) -> Result<Address> {
        let end = usize::from(name.first().is_none_or(|&byte| byte != 0));
        if name.len() + end > LOCAL_NAME_BYTES {
            return Err(Errno::EINVAL);
        }
        let start = offset_of!(sockaddr_un, sun_path);
        let length = start + name.len();
        Ok(Address::of(libc::AF_UNIX, length, [(start, name)]))
    }

    /// An address of any family; `data` is what follows the family's number, as the system lays it out.
    ///
    /// # Errors
    /// `einval` when it is too long.
    pub fn native(family: u16, data: &[u8]) -> Result<Address> {
        if data.len() > MOST_BYTES - FAMILY_BYTES {
            return Err(Errno::EINVAL);
        }
        let length = FAMILY_BYTES + data.len();
        Ok(Address::of(family.into(), length, [(FAMILY_BYTES, data)]))
    }

    /// What follows the family's number, as the system lays it out.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        let length = (self.length as usize).min(MOST_BYTES);
        self.storage.0[..length].get(FAMILY_BYTES..).unwrap_or(&[])
    }

    /// The address by its parts.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        let length = self.length as usize;
        if length < FAMILY_BYTES {
            return View::Unspecified;
        }
        match i32::from(self.raw_family()) {
            libc::AF_INET if length >= size_of::<sockaddr_in>() => View::Inet {
                ip: self.field(offset_of!(sockaddr_in, sin_addr)),
                port: u16::from_be_bytes(self.field(offset_of!(sockaddr_in, sin_port))),
            },
            libc::AF_INET6 if length >= size_of::<sockaddr_in6>() => View::Inet6 {
                ip: self.field(offset_of!(sockaddr_in6, sin6_addr)),
                port: u16::from_be_bytes(self.field(offset_of!(sockaddr_in6, sin6_port))),
                flow: u32::from_ne_bytes(self.field(offset_of!(sockaddr_in6, sin6_flowinfo))),
                scope: u32::from_ne_bytes(self.field(offset_of!(sockaddr_in6, sin6_scope_id))),
            },
            libc::AF_UNIX => {
                let start = offset_of!(sockaddr_un, sun_path);
                let room = length.saturating_sub(start).min(LOCAL_NAME_BYTES);
                let name = &self.storage.0[start..start + room];
                // A path ends at its first zero; an abstract name has the whole length.
                match name.iter().position(|&byte| byte == 0) {
                    None | Some(0) => View::Local(name),
                    Some(end) => View::Local(&name[..end]),
                }
            }
            libc::AF_UNSPEC => View::Unspecified,
            _ => View::Other(self.raw_family()),
        }
    }

    /// The number of its family.
    #[must_use]
    pub fn family(&self) -> i32 {
        match (self.length as usize) < FAMILY_BYTES {
            true => libc::AF_UNSPEC,
            false => i32::from(self.raw_family()),
        }
    }

    /// The port, if the family has ports.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match self.view() {
            View::Inet { port, .. } | View::Inet6 { port, .. } => Some(port),
            _ => None,
        }
    }

    /// The address of the hardware, if it is of that family.
    pub(super) fn hardware(&self) -> Option<Vec<u8>> {
        if self.family() != libc::AF_PACKET {
            return None;
        }
        let bytes: [u8; 8] = self.field(offset_of!(sockaddr_ll, sll_addr));
        let [length] = self.field(offset_of!(sockaddr_ll, sll_halen));
        Some(bytes[..usize::from(length).min(bytes.len())].to_vec())
    }

    pub(super) fn raw(&self) -> (*const libc::sockaddr, libc::socklen_t) {
        ((&raw const self.storage).cast(), self.length)
    }

    /// Lets a call write an address and its length.
    pub(super) fn fill<T>(
        &mut self,
        call: impl FnOnce(*mut libc::sockaddr, *mut libc::socklen_t) -> Result<T>,
    ) -> Result<T> {
        self.set_family(libc::AF_UNSPEC as libc::sa_family_t);
        self.length = MOST_BYTES as libc::socklen_t;
        let result = call((&raw mut self.storage).cast(), &mut self.length);
        // The kernel writes the length that the address would have with enough room.
        self.length = self.length.min(MOST_BYTES as libc::socklen_t);
        result
    }

    /// Room for an address that a call is to write, and its length in bytes. What the call writes is an address with
    /// [`set_length`](Address::set_length).
    pub(super) fn room(&mut self) -> (*mut libc::sockaddr, libc::socklen_t) {
        self.set_family(libc::AF_UNSPEC as libc::sa_family_t);
        let room = (&raw mut self.storage).cast();
        (room, MOST_BYTES as libc::socklen_t)
    }

    /// Sets the length that a call has written, which is more than the room if the address was cut off.
    pub(super) fn set_length(&mut self, length: libc::socklen_t) {
        self.length = length.min(MOST_BYTES as libc::socklen_t);
    }

    /// An address of the internet families or of the hardware that the system handed out; `None` for others.
    ///
    /// # Safety
    /// `pointer` is null or points to an address that is as long as its family says.
    pub(super) unsafe fn from_system(pointer: *const libc::sockaddr) -> Option<Address> {
        if pointer.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let length = match i32::from(unsafe { (*pointer).sa_family }) {
            libc::AF_INET => size_of::<sockaddr_in>(),
            libc::AF_INET6 => size_of::<sockaddr_in6>(),
            libc::AF_PACKET => size_of::<sockaddr_ll>(),
            _ => return None,
        };
        // SAFETY: the address is that long by the caller's promise.
        Some(unsafe { Address::from_parts(pointer, length) })
    }

    /// An address that the C library found, with its length.
    ///
    /// # Safety
    /// `pointer` is null or points to at least `length` bytes.
    pub(super) unsafe fn from_parts(pointer: *const libc::sockaddr, length: usize) -> Address {
        let mut address = Address::unspecified();
        if !pointer.is_null() {
            let length = length.min(MOST_BYTES);
            let room = address.storage.0.as_mut_ptr();
            // SAFETY: readable by the caller's promise, and no longer than the storage.
            unsafe { ptr::copy_nonoverlapping(pointer.cast::<u8>(), room, length) };
            address.length = length as libc::socklen_t;
        }
        address
    }
}

// SAFETY: the pointer is to the storage, whose bytes are all initialised and which is aligned for any address; neither
// the constructors nor `fill` set a length beyond it.
unsafe impl SocketAddrArg for Address {
    unsafe fn with_sockaddr<R>(
        &self,
        call: impl FnOnce(*const SocketAddrOpaque, SocketAddrLen) -> R,
    ) -> R {
        let (pointer, length) = self.raw();
        call(pointer.cast(), length)
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.view().fmt(out)
    }
}
