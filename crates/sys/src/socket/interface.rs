//! The host's network interfaces.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::address::Address;
use crate::errno::{Errno, Result, check};

/// The system's flags of an interface.
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

    /// It is the loopback interface.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        self.has(libc::IFF_LOOPBACK)
    }

    /// It is a point-to-point link.
    #[must_use]
    pub fn is_point_to_point(self) -> bool {
        self.has(libc::IFF_POINTOPOINT)
    }

    /// It supports multicast.
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
    /// Which bits of the address are the network's.
    pub netmask: Option<Address>,
    /// The broadcast address, or the other end of a point-to-point interface.
    pub other: Option<Address>,
    /// The hardware address, in the one entry that has it instead of an internet address.
    pub hardware: Option<Vec<u8>>,
}

/// All addresses of all interfaces.
///
/// # Errors
/// The system's.
pub fn entries() -> Result<Vec<Entry>> {
    let internet =
        |address: Option<Address>| address.filter(|address| address.family() != libc::AF_PACKET);
    let links = links()?.into_iter().map(|link| Entry {
        name: link.name,
        flags: Flags(link.flags),
        hardware: link.address.as_ref().and_then(Address::hardware),
        address: internet(link.address),
        netmask: internet(link.netmask),
        other: internet(link.other),
    });
    Ok(links.collect())
}

/// One address of one interface, as the system lists it.
#[derive(Clone, Debug)]
pub struct Link {
    /// The interface's name.
    pub name: Vec<u8>,
    /// All flags, as the system's bits.
    pub flags: u32,
    /// An address of the internet families or of the hardware.
    pub address: Option<Address>,
    /// Which bits of the address are the network's.
    pub netmask: Option<Address>,
    /// The broadcast address, or the other end of a point-to-point interface.
    pub other: Option<Address>,
}

/// All addresses of all interfaces, including those of the hardware.
///
/// # Errors
/// The system's.
pub fn links() -> Result<Vec<Link>> {
    let mut list = std::ptr::null_mut();
    // SAFETY: the call writes the head of a list.
    check(unsafe { libc::getifaddrs(&mut list) })?;
    let mut found = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: an entry of the list, which is freed below; its name is terminated, and its addresses are null or as
        // long as their family says.
        unsafe {
            let raw = &*next;
            found.push(Link {
                name: CStr::from_ptr(raw.ifa_name).to_bytes().to_vec(),
                flags: raw.ifa_flags,
                address: Address::from_system(raw.ifa_addr),
                netmask: Address::from_system(raw.ifa_netmask),
                other: Address::from_system(raw.ifa_ifu),
            });
            next = raw.ifa_next;
        }
    }
    // SAFETY: the list of the call above; nothing points into it any more.
    unsafe { libc::freeifaddrs(list) };
    Ok(found)
}

/// Bytes of a request's value.
pub const VALUE_BYTES: usize = 24;
/// Bytes of an interface's name with its terminator.
pub const NAME_BYTES: usize = libc::IFNAMSIZ;
const _: () = assert!(size_of::<libc::ifreq>() == size_of::<Request>());

/// A request about one interface: its name, and a value as the system lays it out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Request {
    /// A terminated name.
    pub name: [u8; NAME_BYTES],
    /// The value.
    pub value: [u8; VALUE_BYTES],
}

impl Request {
    /// A request about the interface of that name; a name that is too long is truncated.
    #[must_use]
    pub fn about(name: &[u8]) -> Request {
        let mut request = Request::default();
        let length = name.len().min(NAME_BYTES - 1);
        request.name[..length].copy_from_slice(&name[..length]);
        request
    }

    /// The name without its terminator.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let end = self.name.iter().position(|&byte| byte == 0);
        &self.name[..end.unwrap_or(NAME_BYTES)]
    }

    /// Puts bytes into the value.
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.value[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// The value as a number.
    #[must_use]
    pub fn number(&self) -> i32 {
        i32::from_ne_bytes(self.value[..4].try_into().expect("four bytes"))
    }

    /// The value as an IPv4 address; without data if it is of another family.
    #[must_use]
    pub fn address(&self) -> Address {
        let family = u16::from_ne_bytes(self.value[..2].try_into().expect("two bytes"));
        let data = match i32::from(family) {
            libc::AF_INET => &self.value[2..16],
            _ => &[],
        };
        Address::native(family, data).unwrap_or_else(|_| Address::unspecified())
    }
}

/// Makes a request of [`catalogue::REQUESTS`](super::catalogue::REQUESTS), except the one that lists all interfaces.
///
/// # Errors
/// What the system says; `enotsup` for any other.
pub fn request_by_number(socket: BorrowedFd<'_>, number: u64, request: &mut Request) -> Result<()> {
    let is_known = super::catalogue::REQUESTS
        .iter()
        .any(|(_, known)| *known == number);
    if !is_known || number == super::catalogue::LIST {
        return Err(Errno::ENOTSUP);
    }
    control(socket, number, request)
}

/// The answer to one of the requests of [`LATER_REQUESTS`](super::catalogue::LATER_REQUESTS), a number.
///
/// # Errors
/// The system's; `enotsup` for another request.
pub fn number_of(socket: BorrowedFd<'_>, request: u64) -> Result<i32> {
    let mut requests = super::catalogue::LATER_REQUESTS.iter();
    if !requests.any(|(_, known)| *known == request) {
        return Err(Errno::ENOTSUP);
    }
    let mut number: libc::c_int = 0;
    // SAFETY: these requests write one number.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), request as libc::Ioctl, &raw mut number) })?;
    Ok(number)
}

/// Makes one of the requests about an interface.
fn control(socket: BorrowedFd<'_>, number: u64, request: &mut Request) -> Result<()> {
    // SAFETY: all callers pass numbers of requests that read and write one `ifreq`, whose size and alignment `Request`
    // has.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), number as libc::Ioctl, &raw mut *request) })
        .map(drop)
}

/// The interfaces that have an IPv4 address, with that address.
///
/// # Errors
/// The system's.
pub fn list(socket: BorrowedFd<'_>) -> Result<Vec<Request>> {
    let mut room = vec![Request::default(); 64];
    loop {
        let mut list = libc::ifconf {
            ifc_len: (room.len() * size_of::<Request>()) as libc::c_int,
            ifc_ifcu: libc::__c_anonymous_ifc_ifcu {
                ifcu_buf: room.as_mut_ptr().cast(),
            },
        };
        // SAFETY: the kernel writes at most the number of bytes that `ifc_len` says.
        check(unsafe {
            libc::ioctl(
                socket.as_raw_fd(),
                libc::SIOCGIFCONF as libc::Ioctl,
                &mut list,
            )
        })?;
        let found = usize::try_from(list.ifc_len).unwrap_or(0) / size_of::<Request>();
        // If the room is full, it may have been too small.
        if found < room.len() {
            room.truncate(found);
            return Ok(room);
        }
        room.resize(2 * room.len(), Request::default());
    }
}

/// The index of the interface of that name.
///
/// # Errors
/// `enodev`.
pub fn index(name: &[u8]) -> Result<u32> {
    let name = std::ffi::CString::new(name).map_err(|_| Errno::EINVAL)?;
    // SAFETY: a terminated text.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(Errno::last()),
        index => Ok(index),
    }
}

/// The name of the interface of that index.
///
/// # Errors
/// `enxio`.
pub fn name(index: u32) -> Result<Vec<u8>> {
    let mut room = [0u8; NAME_BYTES + 1];
    // SAFETY: the room is large enough for any name.
    let found = unsafe { libc::if_indextoname(index, room.as_mut_ptr().cast()) };
    if found.is_null() {
        return Err(Errno::last());
    }
    let end = room.iter().position(|&byte| byte == 0).unwrap_or(0);
    Ok(room[..end].to_vec())
}

/// Index and name of every interface.
///
/// # Errors
/// The system's.
pub fn indexes() -> Result<Vec<(u32, Vec<u8>)>> {
    // SAFETY: returns a list that is freed below.
    let list = unsafe { libc::if_nameindex() };
    if list.is_null() {
        return Err(Errno::last());
    }
    let mut found = Vec::new();
    let mut next = list;
    // SAFETY: the list ends with an entry without a name, and the names are terminated texts.
    unsafe {
        while !(*next).if_name.is_null() {
            let name = CStr::from_ptr((*next).if_name).to_bytes().to_vec();
            found.push(((*next).if_index, name));
            next = next.add(1);
        }
        libc::if_freenameindex(list);
    }
    Ok(found)
}

/// Which of the IPv4 addresses of an interface to read or change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Its IPv4 address.
    Address,
    /// Its IPv4 broadcast address.
    Broadcast,
    /// The IPv4 address of the peer of a point-to-point interface.
    Destination,
    /// Its IPv4 netmask.
    Netmask,
}

/// Where the address begins in the value of a request about the hardware address: after the number of its family.
const HARDWARE_AT: usize = 2;

/// Reads an IPv4 address of an interface.
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
    let mut request = Request::about(name);
    control(socket, number, &mut request)?;
    match request.address().view() {
        super::address::View::Inet { ip, .. } => Ok(ip),
        _ => Err(Errno::EAFNOSUPPORT),
    }
}

/// The six bytes of an interface's hardware address.
///
/// # Errors
/// `enodev`...
pub fn hardware(socket: BorrowedFd<'_>, name: &[u8]) -> Result<[u8; 6]> {
    let mut request = Request::about(name);
    control(socket, libc::SIOCGIFHWADDR, &mut request)?;
    Ok(std::array::from_fn(|index| {
        request.value[HARDWARE_AT + index]
    }))
}

/// The size of the largest packet of an interface, in bytes.
///
/// # Errors
/// `enodev`...
pub fn largest_packet(socket: BorrowedFd<'_>, name: &[u8]) -> Result<i32> {
    let mut request = Request::about(name);
    control(socket, libc::SIOCGIFMTU, &mut request)?;
    Ok(request.number())
}

/// The flags of an interface.
///
/// # Errors
/// `enodev`...
pub fn flags(socket: BorrowedFd<'_>, name: &[u8]) -> Result<Flags> {
    let mut request = Request::about(name);
    control(socket, libc::SIOCGIFFLAGS, &mut request)?;
    let [low, high] = [request.value[0], request.value[1]];
    Ok(Flags(u16::from_ne_bytes([low, high]).into()))
}

/// A change to an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// One of its IPv4 addresses.
    Address(Question, [u8; 4]),
    /// The size of its largest packet, in bytes.
    LargestPacket(i32),
    /// Its hardware address.
    Hardware([u8; 6]),
    /// Some of its flags; `None` leaves a flag unchanged.
    Flags {
        /// Whether it is switched on.
        up: Option<bool>,
        /// Whether it has a broadcast address.
        broadcast: Option<bool>,
        /// Whether it is a point-to-point link.
        point_to_point: Option<bool>,
    },
}

/// Changes an interface.
///
/// # Errors
/// `eperm`, `enodev`...
pub fn change(socket: BorrowedFd<'_>, name: &[u8], change: Change) -> Result<()> {
    let mut request = Request::about(name);
    let number = match change {
        Change::Address(question, ip) => {
            let family = libc::AF_INET as libc::sa_family_t;
            request.put(0, &family.to_ne_bytes());
            request.put(2, Address::inet(ip, 0).data());
            match question {
                Question::Address => libc::SIOCSIFADDR,
                Question::Broadcast => libc::SIOCSIFBRDADDR,
                Question::Destination => libc::SIOCSIFDSTADDR,
                Question::Netmask => libc::SIOCSIFNETMASK,
            }
        }
        Change::LargestPacket(bytes) => {
            request.put(0, &bytes.to_ne_bytes());
            libc::SIOCSIFMTU
        }
        Change::Hardware(bytes) => {
            control(socket, libc::SIOCGIFHWADDR, &mut request)?;
            request.put(HARDWARE_AT, &bytes);
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
            request.put(0, &(after as u16).to_ne_bytes());
            libc::SIOCSIFFLAGS
        }
    };
    control(socket, number, &mut request)
}
