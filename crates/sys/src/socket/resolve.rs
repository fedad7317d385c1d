//! Hosts, services and protocols by name, found by the C library. Finding hosts may take long.

use std::ffi::{CStr, CString, c_char, c_int};

use super::address::Address;
use crate::errno::Errno;

/// Why a lookup failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The resolver's error number.
    Resolver(i32),
    /// The system's error.
    System(Errno),
}

impl Failure {
    /// The name of the failure; `einval` for numbers of the resolver without a name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Failure::System(error) => error.name(),
            Failure::Resolver(number) => match number {
                libc::EAI_AGAIN => "eagain",
                libc::EAI_BADFLAGS => "ebadflags",
                libc::EAI_FAIL => "efail",
                libc::EAI_FAMILY => "efamily",
                libc::EAI_MEMORY => "emem",
                libc::EAI_NODATA => "enodata",
                libc::EAI_NONAME => "enoname",
                libc::EAI_OVERFLOW => "eoverflow",
                libc::EAI_SERVICE => "eservice",
                libc::EAI_SOCKTYPE => "esocktype",
                EAI_ADDRFAMILY => "eaddrfamily",
                _ => "einval",
            },
        }
    }
}

/// Not defined in the headers of all targets.
const EAI_ADDRFAMILY: i32 = -9;
const NI_IDN: i32 = 32;

/// The flags of [`names`], by name.
pub const FLAGS: &[(&str, i32)] = &[
    ("namereqd", libc::NI_NAMEREQD),
    ("dgram", libc::NI_DGRAM),
    ("nofqdn", libc::NI_NOFQDN),
    ("numerichost", libc::NI_NUMERICHOST),
    ("numericserv", libc::NI_NUMERICSERV),
    ("idn", NI_IDN),
];

/// The names of the host and of the service of an address.
///
/// # Errors
/// The C library's.
pub fn names(address: &Address, flags: i32) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let (pointer, length) = address.raw();
    let mut host = [0u8; libc::NI_MAXHOST as usize];
    let mut service = [0u8; 256];
    // SAFETY: the address and the rooms have the lengths that are passed.
    let number = unsafe {
        libc::getnameinfo(
            pointer,
            length,
            host.as_mut_ptr().cast(),
            host.len() as libc::socklen_t,
            service.as_mut_ptr().cast(),
            service.len() as libc::socklen_t,
            flags,
        )
    };
    failure(number)?;
    let text = |room: &[u8]| {
        let end = room.iter().position(|&byte| byte == 0).unwrap_or(0);
        room[..end].to_vec()
    };
    Ok((text(&host), text(&service)))
}

pub(super) fn failure(number: c_int) -> Result<(), Failure> {
    match number {
        0 => Ok(()),
        libc::EAI_SYSTEM => Err(Failure::System(Errno::last())),
        number => Err(Failure::Resolver(number)),
    }
}

/// One way to reach a host and service.
#[derive(Clone, Debug)]
pub struct Way {
    /// The family's number.
    pub family: i32,
    /// The socket type's number.
    pub kind: i32,
    /// The protocol's number.
    pub protocol: i32,
    /// The address.
    pub address: Address,
}

/// The ways to reach a host, a service, or both.
///
/// # Errors
/// The C library's.
pub fn ways(host: Option<&[u8]>, service: Option<&[u8]>) -> Result<Vec<Way>, Failure> {
    let text = |bytes: Option<&[u8]>| {
        bytes
            .map(CString::new)
            .transpose()
            .map_err(|_| Failure::Resolver(libc::EAI_NONAME))
    };
    let (host, service) = (text(host)?, text(service)?);
    let pointer =
        |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
    let mut list = std::ptr::null_mut();
    // SAFETY: terminated texts or null; the call writes the head of a list.
    let number = unsafe {
        libc::getaddrinfo(
            pointer(&host),
            pointer(&service),
            std::ptr::null(),
            &mut list,
        )
    };
    failure(number)?;
    let mut found = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: an entry of the list, which is freed below; its address has the length that it says.
        unsafe {
            let entry = &*next;
            found.push(Way {
                family: entry.ai_family,
                kind: entry.ai_socktype,
                protocol: entry.ai_protocol,
                address: Address::from_parts(entry.ai_addr, entry.ai_addrlen as usize),
            });
            next = entry.ai_next;
        }
    }
    // SAFETY: the list of the call above; nothing points into it any more.
    unsafe { libc::freeaddrinfo(list) };
    Ok(found)
}

/// A protocol in the system's database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Its name.
    pub name: Vec<u8>,
    /// Other names.
    pub aliases: Vec<Vec<u8>>,
    /// Its number.
    pub number: i32,
}

#[repr(C)]
struct RawProtocol {
    name: *const c_char,
    aliases: *const *const c_char,
    number: c_int,
}

unsafe extern "C" {
    fn setprotoent(stay_open: c_int);
    fn endprotoent();
    fn getprotoent() -> *const RawProtocol;
}

/// All protocols, in the order of the database. A lock lets one thread at a time read it.
#[must_use]
pub fn protocols() -> Vec<Protocol> {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let mut found = Vec::new();
    // SAFETY: the lock keeps other threads away from the iteration and from its one entry, which stays as it is until
    // the next call; the texts are terminated, and their list ends with null.
    unsafe {
        setprotoent(1);
        while let Some(entry) = getprotoent().as_ref() {
            let text = |text: *const c_char| CStr::from_ptr(text).to_bytes().to_vec();
            let mut aliases = Vec::new();
            let mut next = entry.aliases;
            while !(*next).is_null() {
                aliases.push(text(*next));
                next = next.add(1);
            }
            found.push(Protocol {
                name: text(entry.name),
                aliases,
                number: entry.number,
            });
        }
        endprotoent();
    }
    found
}
