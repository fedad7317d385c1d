//! Hosts by name and by address, as OTP's program `inet_gethost` asks the C library for them: with all names that a
//! host has. That may take long.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::ptr;

use super::resolve;
use super::{Address, Family};

/// Room for an answer at first; it grows as long as the library asks for more, up to the most.
const ROOM_BYTES: usize = 1 << 10;
const MOST_ROOM_BYTES: usize = 1 << 20;

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name, and others that it has.
    pub names: Vec<Vec<u8>>,
    /// The bytes of one address: 4 or 16.
    pub address_bytes: usize,
    /// Its addresses, in the order in which they are written.
    pub addresses: Vec<Vec<u8>>,
}

/// Why no host was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is none.
    NotFound,
    /// A server did not answer in time.
    TryAgain,
    /// A server has failed.
    NoRecovery,
    /// The name is known, but has no address of the family.
    NoData,
    /// Anything else.
    Internal,
}

/// The host with this name, and its addresses of the family.
///
/// # Errors
/// The library's.
pub fn by_name(name: &[u8], family: Family) -> Result<Host, Failure> {
    let name = CString::new(name).map_err(|_| Failure::NotFound)?;
    // musl waits for five seconds, glibc not at all. OTP asks for the node's own host at each start.
    let sources = [Path::new("/etc/resolv.conf"), Path::new("/etc/hosts")];
    if cfg!(target_env = "musl")
        && nobody_knows(name.to_bytes(), sources, (Ipv4Addr::LOCALHOST, 53))
    {
        return Err(Failure::TryAgain);
    }
    match family {
        // SAFETY: a terminated text; `find` passes an entry, room of the length given, and places for the results.
        Family::Inet => find(|entry, room, bytes, found, error| unsafe {
            gethostbyname_r(name.as_ptr(), entry, room, bytes, found, error)
        }),
        Family::Inet6 => by_name_6(&name),
        Family::Local => Err(Failure::Internal),
    }
}

/// The host with this address.
///
/// # Errors
/// The library's; [`Failure::Internal`] for bytes that are no address of the family.
pub fn by_address(address: &[u8], family: Family) -> Result<Host, Failure> {
    match family {
        Family::Inet if address.len() == 4 => {
            let length = address.len() as libc::socklen_t;
            // SAFETY: an address of that length; for the rest see `by_name`.
            find(|entry, room, bytes, found, error| unsafe {
                let address = address.as_ptr().cast();
                gethostbyaddr_r(
                    address,
                    length,
                    libc::AF_INET,
                    entry,
                    room,
                    bytes,
                    found,
                    error,
                )
            })
        }
        Family::Inet6 => {
            let bytes: [u8; 16] = address.try_into().map_err(|_| Failure::Internal)?;
            let address = Address::inet6(bytes, 0, 0, 0);
            let (name, _) = resolve::names(&address, libc::NI_NAMEREQD).map_err(told)?;
            Ok(Host {
                names: vec![name],
                address_bytes: bytes.len(),
                addresses: vec![bytes.to_vec()],
            })
        }
        Family::Inet | Family::Local => Err(Failure::Internal),
    }
}

/// Whether nothing can find a name, because the first file, which names the servers, is missing, the second does not
/// have the name, and at the address that is then asked nobody listens.
fn nobody_knows(name: &[u8], [servers, hosts]: [&Path; 2], server: (Ipv4Addr, u16)) -> bool {
    let may_be_address = name.first().is_some_and(u8::is_ascii_digit) || name.contains(&b':');
    if may_be_address || servers.exists() {
        return false;
    }
    let hosts = fs::read(hosts).unwrap_or_default();
    let mut words = hosts.split(u8::is_ascii_whitespace);
    if words.any(|word| word.eq_ignore_ascii_case(name)) {
        return false;
    }
    let refused = || {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.connect(server)?;
        // Nobody answers to an empty question. That the first was refused is told when the second is sent.
        socket.send(&[])?;
        socket.send(&[])
    };
    refused().is_err()
}

fn by_name_6(name: &CStr) -> Result<Host, Failure> {
    // SAFETY: all zero is a valid structure: no wishes.
    let mut wishes: libc::addrinfo = unsafe { std::mem::zeroed() };
    wishes.ai_flags = libc::AI_CANONNAME;
    wishes.ai_family = libc::AF_INET6;
    wishes.ai_socktype = libc::SOCK_STREAM;
    let mut list = ptr::null_mut();
    // SAFETY: a terminated text and a complete structure; the call writes the head of a list.
    let number =
        unsafe { libc::getaddrinfo(name.as_ptr(), ptr::null(), &raw const wishes, &mut list) };
    resolve::failure(number).map_err(told)?;
    let mut host = Host {
        names: Vec::new(),
        address_bytes: 16,
        addresses: Vec::new(),
    };
    let mut next = list;
    while !next.is_null() {
        // SAFETY: an entry of the list, which is freed below; its address is of the family that was asked for, and its
        // name is terminated where there is one.
        unsafe {
            let entry = &*next;
            if let Some(address) = entry.ai_addr.cast::<libc::sockaddr_in6>().as_ref() {
                host.addresses.push(address.sin6_addr.s6_addr.to_vec());
            }
            if !entry.ai_canonname.is_null() {
                host.names
                    .push(CStr::from_ptr(entry.ai_canonname).to_bytes().to_vec());
            }
            next = entry.ai_next;
        }
    }
    // SAFETY: the list of the call above; nothing points into it any more.
    unsafe { libc::freeaddrinfo(list) };
    Ok(host)
}

/// The failure of calls that have numbers of another kind.
fn told(failure: resolve::Failure) -> Failure {
    match failure {
        resolve::Failure::Resolver(libc::EAI_AGAIN) => Failure::TryAgain,
        resolve::Failure::Resolver(libc::EAI_FAIL | libc::EAI_NODATA | libc::EAI_NONAME) => {
            Failure::NotFound
        }
        _ => Failure::Internal,
    }
}

/// Lets `call` look up an entry, and reads it if one was found.
fn find(
    call: impl Fn(*mut libc::hostent, *mut c_char, usize, &mut *mut libc::hostent, &mut c_int) -> c_int,
) -> Result<Host, Failure> {
    let mut room = vec![0; ROOM_BYTES];
    loop {
        // SAFETY: all zero is a valid entry; the call fills it.
        let mut entry: libc::hostent = unsafe { std::mem::zeroed() };
        let (mut found, mut error) = (ptr::null_mut(), 0);
        let failed = call(
            &mut entry,
            room.as_mut_ptr(),
            room.len(),
            &mut found,
            &mut error,
        );
        if failed == libc::ERANGE && room.len() < MOST_ROOM_BYTES {
            room.resize(room.len() * 4, 0);
        } else if failed == 0 && !found.is_null() {
            // SAFETY: the entry that the call has filled, whose texts are in `room`.
            return Ok(unsafe { read(&*found) });
        } else {
            return Err(match error {
                HOST_NOT_FOUND => Failure::NotFound,
                TRY_AGAIN => Failure::TryAgain,
                NO_RECOVERY => Failure::NoRecovery,
                NO_DATA => Failure::NoData,
                _ => Failure::Internal,
            });
        }
    }
}

/// Copies an entry.
///
/// # Safety
/// The entry is as the C library fills it: with terminated texts, and lists that end with null.
unsafe fn read(entry: &libc::hostent) -> Host {
    let address_bytes = usize::try_from(entry.h_length).unwrap_or(0);
    let mut host = Host {
        names: Vec::new(),
        address_bytes,
        addresses: Vec::new(),
    };
    // SAFETY: the caller's promise.
    unsafe {
        let text = |text: *const c_char| CStr::from_ptr(text).to_bytes().to_vec();
        host.names.push(text(entry.h_name));
        let mut next = entry.h_aliases;
        while !next.is_null() && !(*next).is_null() {
            host.names.push(text(*next));
            next = next.add(1);
        }
        let mut next = entry.h_addr_list;
        while !next.is_null() && !(*next).is_null() {
            let bytes = std::slice::from_raw_parts((*next).cast::<u8>(), address_bytes);
            host.addresses.push(bytes.to_vec());
            next = next.add(1);
        }
    }
    host
}

const HOST_NOT_FOUND: c_int = 1;
const TRY_AGAIN: c_int = 2;
const NO_RECOVERY: c_int = 3;
const NO_DATA: c_int = 4;

// Functions of the C library that the `libc` crate does not bind.
unsafe extern "C" {
    fn gethostbyname_r(
        name: *const c_char,
        entry: *mut libc::hostent,
        room: *mut c_char,
        room_bytes: usize,
        found: *mut *mut libc::hostent,
        error: *mut c_int,
    ) -> c_int;
    fn gethostbyaddr_r(
        address: *const c_void,
        address_bytes: libc::socklen_t,
        family: c_int,
        entry: *mut libc::hostent,
        room: *mut c_char,
        room_bytes: usize,
        found: *mut *mut libc::hostent,
        error: *mut c_int,
    ) -> c_int;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_their_own_names() {
        let host = by_name(b"127.0.0.1", Family::Inet).unwrap();
        assert_eq!(host.addresses, [[127, 0, 0, 1]]);
        assert_eq!(host.names, [b"127.0.0.1"]);
        let host = by_name(b"::1", Family::Inet6).unwrap();
        assert_eq!(host.addresses[0].last(), Some(&1));
        assert_eq!(host.address_bytes, 16);
    }

    #[test]
    fn whom_to_ask_is_seen_before_asking() {
        let folder = crate::fixture::Tree::new(&[]);
        let [servers, hosts] = ["resolv.conf", "hosts"].map(|name| folder.path().join(name));
        let listens = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listens.local_addr().unwrap().port();
        let knows =
            |name: &[u8]| !nobody_knows(name, [&servers, &hosts], (Ipv4Addr::LOCALHOST, port));
        assert!(knows(b"name"), "a server listens");
        drop(listens);
        assert!(!knows(b"name"));
        assert!(knows(b"127.1") && knows(b"::1") && knows(b"a::b"));
        folder.write("hosts", "127.0.0.1\tlocalhost Name\n");
        assert!(knows(b"name") && !knows(b"nam") && !knows(b"other"));
        folder.write("resolv.conf", "");
        assert!(knows(b"other"));
    }

    #[test]
    fn what_is_not_there_is_told() {
        for family in [Family::Inet, Family::Inet6] {
            let failure = by_name(b"no-such-host.invalid", family).unwrap_err();
            // A host without a network has nobody to ask.
            assert!(
                matches!(failure, Failure::NotFound | Failure::TryAgain),
                "{failure:?}"
            );
            assert_eq!(by_address(&[1, 2, 3], family), Err(Failure::Internal));
        }
        assert_eq!(by_name(b"a\0b", Family::Inet), Err(Failure::NotFound));
    }
}
