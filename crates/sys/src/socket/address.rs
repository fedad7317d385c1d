//! Addresses of sockets, as the system lays them out.

use std::mem::offset_of;

use crate::errno::{Errno, Result};

/// Bytes that a name of a local socket has room for.
pub const LOCAL_NAME_BYTES: usize = 108;

/// One address.
#[derive(Clone, Copy)]
pub struct Address {
    storage: libc::sockaddr_storage,
    length: libc::socklen_t,
}

/// What an address says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View<'a> {
    /// An IPv4 address and port.
    Inet {
        /// In the order they are written.
        ip: [u8; 4],
        /// The port.
        port: u16,
    },
    /// An IPv6 address and port.
    Inet6 {
        /// In the order they are written.
        ip: [u8; 16],
        /// The port.
        port: u16,
        /// As the system keeps it.
        flow: u32,
        /// The interface that a link-local address belongs to.
        scope: u32,
    },
    /// The name of a local socket; an abstract one starts with a zero byte.
    Local(&'a [u8]),
    /// None.
    Unspecified,
    /// Of another family, whose number this is.
    Other(u16),
}

impl Address {
    /// No address.
    #[must_use]
    pub fn unspecified() -> Address {
        // SAFETY: all zero is a valid address of the family 0.
        let storage = unsafe { std::mem::zeroed() };
        Address {
            storage,
            length: size_of::<libc::sockaddr_in>() as libc::socklen_t,
        }
    }

    fn of<T>(raw: T, length: usize) -> Address {
        const { assert!(size_of::<T>() <= size_of::<libc::sockaddr_storage>()) };
        let mut address = Address::unspecified();
        // SAFETY: the storage is made to hold any address, and aligned for each.
        unsafe { (&raw mut address.storage).cast::<T>().write(raw) };
        address.length = length as libc::socklen_t;
        address
    }

    /// An IPv4 address and port.
    #[must_use]
    pub fn inet(ip: [u8; 4], port: u16) -> Address {
        // SAFETY: all zero is a valid address.
        let mut raw: libc::sockaddr_in = unsafe { std::mem::zeroed() };
        raw.sin_family = libc::AF_INET as libc::sa_family_t;
        raw.sin_port = port.to_be();
        raw.sin_addr.s_addr = u32::from_ne_bytes(ip);
        Address::of(raw, size_of::<libc::sockaddr_in>())
    }

    /// An IPv6 address and port; `flow` and `scope` are kept as they are given.
    #[must_use]
    pub fn inet6(ip: [u8; 16], port: u16, flow: u32, scope: u32) -> Address {
        // SAFETY: all zero is a valid address.
        let mut raw: libc::sockaddr_in6 = unsafe { std::mem::zeroed() };
        raw.sin6_family = libc::AF_INET6 as libc::sa_family_t;
        raw.sin6_port = port.to_be();
        raw.sin6_flowinfo = flow;
        raw.sin6_addr.s6_addr = ip;
        raw.sin6_scope_id = scope;
        Address::of(raw, size_of::<libc::sockaddr_in6>())
    }

    /// A local name. A name that is a path leaves room for its end.
    ///
    /// # Errors
    /// `einval` when it is too long.
    pub fn local(name: &[u8]) -> Result<Address> {
        let end = usize::from(name.first().is_none_or(|&byte| byte != 0));
        if name.len() + end > LOCAL_NAME_BYTES {
            return Err(Errno::EINVAL);
        }
        // SAFETY: all zero is a valid address.
        let mut raw: libc::sockaddr_un = unsafe { std::mem::zeroed() };
        raw.sun_family = libc::AF_UNIX as libc::sa_family_t;
        for (room, &byte) in raw.sun_path.iter_mut().zip(name) {
            *room = byte as libc::c_char;
        }
        let length = offset_of!(libc::sockaddr_un, sun_path) + name.len();
        Ok(Address::of(raw, length))
    }

    /// An address of any family, what follows the family being given as the system lays it out.
    ///
    /// # Errors
    /// `einval` when it is too long.
    pub fn native(family: u16, data: &[u8]) -> Result<Address> {
        let start = size_of::<libc::sa_family_t>();
        if data.len() > size_of::<libc::sockaddr_storage>() - start {
            return Err(Errno::EINVAL);
        }
        let mut address = Address::unspecified();
        address.storage.ss_family = family;
        // SAFETY: the storage is longer than start and data.
        unsafe {
            let room = (&raw mut address.storage).cast::<u8>().add(start);
            room.copy_from_nonoverlapping(data.as_ptr(), data.len());
        }
        address.length = (start + data.len()) as libc::socklen_t;
        Ok(address)
    }

    /// What follows the family, as the system lays it out.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        let start = size_of::<libc::sa_family_t>();
        let length = (self.length as usize).min(size_of::<libc::sockaddr_storage>());
        let pointer = (&raw const self.storage).cast::<u8>();
        // SAFETY: within the storage, which is wholly initialised.
        let whole: &[u8] = unsafe { std::slice::from_raw_parts(pointer, length) };
        whole.get(start..).unwrap_or(&[])
    }

    /// What it says.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        let length = self.length as usize;
        if length < size_of::<libc::sa_family_t>() {
            return View::Unspecified;
        }
        let storage = &raw const self.storage;
        match i32::from(self.storage.ss_family) {
            libc::AF_INET if length >= size_of::<libc::sockaddr_in>() => {
                // SAFETY: of this family, long enough, and aligned.
                let raw = unsafe { &*storage.cast::<libc::sockaddr_in>() };
                View::Inet {
                    ip: raw.sin_addr.s_addr.to_ne_bytes(),
                    port: u16::from_be(raw.sin_port),
                }
            }
            libc::AF_INET6 if length >= size_of::<libc::sockaddr_in6>() => {
                // SAFETY: of this family, long enough, and aligned.
                let raw = unsafe { &*storage.cast::<libc::sockaddr_in6>() };
                View::Inet6 {
                    ip: raw.sin6_addr.s6_addr,
                    port: u16::from_be(raw.sin6_port),
                    flow: raw.sin6_flowinfo,
                    scope: raw.sin6_scope_id,
                }
            }
            libc::AF_UNIX => {
                let start = offset_of!(libc::sockaddr_un, sun_path);
                let room = length.saturating_sub(start).min(LOCAL_NAME_BYTES);
                // SAFETY: the storage is larger than an address of this family, and wholly initialised.
                let name: &[u8] =
                    unsafe { std::slice::from_raw_parts(storage.cast::<u8>().add(start), room) };
                // A path ends at its first zero; the length of an abstract name counts.
                match name.iter().position(|&byte| byte == 0) {
                    None | Some(0) => View::Local(name),
                    Some(end) => View::Local(&name[..end]),
                }
            }
            libc::AF_UNSPEC => View::Unspecified,
            _ => View::Other(self.storage.ss_family),
        }
    }

    /// The number of its family.
    #[must_use]
    pub fn family(&self) -> i32 {
        match (self.length as usize) < size_of::<libc::sa_family_t>() {
            true => libc::AF_UNSPEC,
            false => i32::from(self.storage.ss_family),
        }
    }

    /// The port; None where there is none.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match self.view() {
            View::Inet { port, .. } | View::Inet6 { port, .. } => Some(port),
            _ => None,
        }
    }

    pub(super) fn raw(&self) -> (*const libc::sockaddr, libc::socklen_t) {
        ((&raw const self.storage).cast(), self.length)
    }

    /// Lets a call write an address and its length.
    pub(super) fn fill<T>(
        &mut self,
        call: impl FnOnce(*mut libc::sockaddr, *mut libc::socklen_t) -> Result<T>,
    ) -> Result<T> {
        self.storage.ss_family = libc::AF_UNSPEC as libc::sa_family_t;
        self.length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
        let answer = call((&raw mut self.storage).cast(), &mut self.length);
        // The kernel tells how long it would have been, were there room.
        self.length = self
            .length
            .min(size_of::<libc::sockaddr_storage>() as libc::socklen_t);
        answer
    }

    /// An address that the system handed out.
    ///
    /// # Safety
    /// `pointer` is null or an address as long as its family says.
    pub(super) unsafe fn from_system(pointer: *const libc::sockaddr) -> Option<Address> {
        if pointer.is_null() {
            return None;
        }

        // SAFETY: the caller's promise.
        let length = match i32::from(unsafe { (*pointer).sa_family }) {
            libc::AF_INET => size_of::<libc::sockaddr_in>(),
            libc::AF_INET6 => size_of::<libc::sockaddr_in6>(),
            _ => return None,
        };
        // SAFETY: the source is that long by the caller's promise.
        Some(unsafe { Address::from_bytes(pointer.cast(), length) })
    }

    /// As [`from_system`](Address::from_system), an address of the hardware included, which may lie anywhere.
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn from_system_or_link(pointer: *const libc::sockaddr) -> Option<Address> {
        // SAFETY: the caller's promise.
        if !pointer.is_null() && i32::from(unsafe { (*pointer).sa_family }) == libc::AF_PACKET {
            let length = size_of::<libc::sockaddr_ll>();
            // SAFETY: an address of this family.
            return Some(unsafe { Address::from_bytes(pointer.cast(), length) });
        }
        // SAFETY: the caller's promise.
        unsafe { Address::from_system(pointer) }
    }

    /// # Safety
    /// `length` bytes of an address, no more than the storage has.
    unsafe fn from_bytes(pointer: *const u8, length: usize) -> Address {
        let mut address = Address::unspecified();
        // SAFETY: the caller's promise, and the storage holds any address.
        unsafe {
            let room = (&raw mut address.storage).cast::<u8>();
            room.copy_from_nonoverlapping(pointer, length);
        }
        address.length = length as libc::socklen_t;
        address
    }

    /// What the C library found, of a length that it tells.
    ///
    /// # Safety
    /// `pointer` is null or so many bytes of an address.
    pub(super) unsafe fn from_parts(pointer: *const libc::sockaddr, length: usize) -> Address {
        if pointer.is_null() {
            return Address::unspecified();
        }
        let length = length.min(size_of::<libc::sockaddr_storage>());
        // SAFETY: the caller's promise.
        unsafe { Address::from_bytes(pointer.cast(), length) }
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.view().fmt(out)
    }
}
