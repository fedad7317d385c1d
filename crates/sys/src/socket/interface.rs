//! The machine's network interfaces.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::address::Address;
use crate::errno::{Errno, Result, check};

/// What an interface is and does, of the system's flags those that programs are told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(u32);

impl Flags {
    fn has(self, bit: libc::c_int) -> bool {
        self.0 & bit as u32 != 0
    }

    /// It is switched on.
    #[must_use]
    pub fn is_up(self) -> bool {
        self.has(libc::IFF_UP)
    }

    /// It has a broadcast address.
    #[must_use]
    pub fn is_broadcast(self) -> bool {
        self.has(libc::IFF_BROADCAST)
    }

    /// It is the machine itself.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        self.has(libc::IFF_LOOPBACK)
    }

    /// It has one other end.
    #[must_use]
    pub fn is_point_to_point(self) -> bool {
        self.has(libc::IFF_POINTOPOINT)
    }

    /// It carries multicasts.
    #[must_use]
    pub fn is_multicast(self) -> bool {
        self.has(libc::IFF_MULTICAST)
    }
}

/// One address of one interface.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The interface's name.
    pub name: Vec<u8>,
    /// Its flags.
    pub flags: Flags,
    /// An address of the internet families.
    pub address: Option<Address>,
    /// Which bits of the address name the network.
    pub netmask: Option<Address>,
    /// The broadcast address, or the other end of a point-to-point interface.
    pub other: Option<Address>,
    /// The hardware's address, in the one entry that is about it.
    pub hardware: Option<Vec<u8>>,
}

/// All addresses of all interfaces.
///
/// # Errors
/// What the system says.
pub fn entries() -> Result<Vec<Entry>> {
    let mut list = std::ptr::null_mut();
    // SAFETY: the call writes the head of a list.
    check(unsafe { libc::getifaddrs(&mut list) })?;
    let mut found = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: an entry of the list, which is freed below.
        let raw = unsafe { &*next };
        // SAFETY: a terminated text; addresses are null or as long as their family says.
        unsafe {
            found.push(Entry {
                name: CStr::from_ptr(raw.ifa_name).to_bytes().to_vec(),
                flags: Flags(raw.ifa_flags),
                address: Address::from_system(raw.ifa_addr),
                netmask: Address::from_system(raw.ifa_netmask),
                other: Address::from_system(raw.ifa_ifu),
                hardware: hardware_address(raw.ifa_addr),
            });
        }
        next = raw.ifa_next;
    }
    // SAFETY: the list of the call above; nothing points into it any more.
    unsafe { libc::freeifaddrs(list) };
    Ok(found)
}

/// # Safety
/// `pointer` is null or an address as long as its family says.
unsafe fn hardware_address(pointer: *const libc::sockaddr) -> Option<Vec<u8>> {
    // SAFETY: the caller's promise.
    if pointer.is_null() || i32::from(unsafe { (*pointer).sa_family }) != libc::AF_PACKET {
        return None;
    }
    // SAFETY: an address of this family.
    let raw = unsafe { pointer.cast::<libc::sockaddr_ll>().read_unaligned() };
    let length = usize::from(raw.sll_halen).min(raw.sll_addr.len());
    Some(raw.sll_addr[..length].to_vec())
}

/// What can be asked of one interface by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Its IPv4 address.
    Address,
    /// Its IPv4 broadcast address.
    Broadcast,
    /// The IPv4 address of its other end.
    Destination,
    /// Its IPv4 netmask.
    Netmask,
}

/// A request that names an interface; a longer name is cut.
fn request(name: &[u8]) -> libc::ifreq {
    // SAFETY: all zero is a valid request.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let room = request.ifr_name.len() - 1;
    for (room, &byte) in request.ifr_name[..room].iter_mut().zip(name) {
        *room = byte as libc::c_char;
    }
    request
}

fn control(socket: BorrowedFd<'_>, number: libc::Ioctl, request: &mut libc::ifreq) -> Result<()> {
    // SAFETY: every request used here reads and writes one `ifreq`.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), number, request) }).map(drop)
}

/// Asks for an IPv4 address of an interface.
///
/// # Errors
/// `enodev`, `eaddrnotavail`...
pub fn ask(socket: BorrowedFd<'_>, name: &[u8], question: Question) -> Result<[u8; 4]> {
    let number = match question {
        Question::Address => libc::SIOCGIFADDR,
        Question::Broadcast => libc::SIOCGIFBRDADDR,
        Question::Destination => libc::SIOCGIFDSTADDR,
        Question::Netmask => libc::SIOCGIFNETMASK,
    };
    let mut request = request(name);
    control(socket, number as libc::Ioctl, &mut request)?;
    // SAFETY: the kernel has filled in an address; all of them share one place.
    let address = unsafe { Address::from_system(&raw const request.ifr_ifru.ifru_addr) };
    match address.as_ref().map(Address::view) {
        Some(super::address::View::Inet { ip, .. }) => Ok(ip),
        _ => Err(Errno::EAFNOSUPPORT),
    }
}

/// The six bytes of an interface's hardware address.
///
/// # Errors
/// `enodev`...
pub fn hardware(socket: BorrowedFd<'_>, name: &[u8]) -> Result<[u8; 6]> {
    let mut request = request(name);
    control(socket, libc::SIOCGIFHWADDR as libc::Ioctl, &mut request)?;
    // SAFETY: the kernel has filled in an address.
    let data = unsafe { request.ifr_ifru.ifru_hwaddr.sa_data };
    Ok(std::array::from_fn(|index| data[index] as u8))
}

/// Bytes of the largest packet.
///
/// # Errors
/// `enodev`...
pub fn largest_packet(socket: BorrowedFd<'_>, name: &[u8]) -> Result<i32> {
    let mut request = request(name);
    control(socket, libc::SIOCGIFMTU as libc::Ioctl, &mut request)?;
    // SAFETY: the kernel has filled in the number.
    Ok(unsafe { request.ifr_ifru.ifru_mtu })
}

/// The flags of an interface.
///
/// # Errors
/// `enodev`...
pub fn flags(socket: BorrowedFd<'_>, name: &[u8]) -> Result<Flags> {
    let mut request = request(name);
    control(socket, libc::SIOCGIFFLAGS as libc::Ioctl, &mut request)?;
    // SAFETY: the kernel has filled in the flags.
    Ok(Flags(u32::from(
        unsafe { request.ifr_ifru.ifru_flags } as u16
    )))
}

/// A change to an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// One of its IPv4 addresses.
    Address(Question, [u8; 4]),
    /// Bytes of the largest packet.
    LargestPacket(i32),
    /// Its hardware address.
    Hardware([u8; 6]),
    /// Switches flags on and off.
    Flags {
        /// Switched on or off.
        up: Option<bool>,
        /// Has a broadcast address or not.
        broadcast: Option<bool>,
        /// Has one other end or not.
        point_to_point: Option<bool>,
    },
}

/// Changes an interface.
///
/// # Errors
/// `eperm`, `enodev`...
pub fn change(socket: BorrowedFd<'_>, name: &[u8], change: Change) -> Result<()> {
    let mut request = request(name);
    let number = match change {
        Change::Address(question, ip) => {
            // SAFETY: all zero is a valid address.
            let mut address: libc::sockaddr_in = unsafe { std::mem::zeroed() };
            address.sin_family = libc::AF_INET as libc::sa_family_t;
            address.sin_addr.s_addr = u32::from_ne_bytes(ip);
            // SAFETY: both are addresses of one size.
            request.ifr_ifru.ifru_addr =
                unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(address) };
            match question {
                Question::Address => libc::SIOCSIFADDR,
                Question::Broadcast => libc::SIOCSIFBRDADDR,
                Question::Destination => libc::SIOCSIFDSTADDR,
                Question::Netmask => libc::SIOCSIFNETMASK,
            }
        }
        Change::LargestPacket(bytes) => {
            request.ifr_ifru.ifru_mtu = bytes;
            libc::SIOCSIFMTU
        }
        Change::Hardware(bytes) => {
            control(socket, libc::SIOCGIFHWADDR as libc::Ioctl, &mut request)?;
            for (index, byte) in bytes.into_iter().enumerate() {
                // SAFETY: the call above filled in this variant.
                unsafe { request.ifr_ifru.ifru_hwaddr.sa_data[index] = byte as libc::c_char };
            }
            libc::SIOCSIFHWADDR
        }
        Change::Flags {
            up,
            broadcast,
            point_to_point,
        } => {
            let before = flags(socket, name).unwrap_or_default();
            let mut after = before.0;
            for (bit, value) in [
                (libc::IFF_UP, up),
                (libc::IFF_BROADCAST, broadcast),
                (libc::IFF_POINTOPOINT, point_to_point),
            ] {
                match value {
                    Some(true) => after |= bit as u32,
                    Some(false) => after &= !(bit as u32),
                    None => {}
                }
            }
            if after == before.0 {
                return Ok(());
            }
            request.ifr_ifru.ifru_flags = after as libc::c_short;
            libc::SIOCSIFFLAGS
        }
    };
    control(socket, number as libc::Ioctl, &mut request)
}
