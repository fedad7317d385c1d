//! Services by name and by port, as the system's databases list them.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

/// Room for the texts of one entry.
const ENTRY_BYTES: usize = 4096;

/// The port of a service, if it is listed; for one of the protocols if none is given.
#[must_use]
pub fn port(name: &[u8], protocol: Option<&[u8]>) -> Option<u16> {
    let name = CString::new(name).ok()?;
    let protocol = protocol.map(CString::new).transpose().ok()?;
    let protocol = protocol.as_deref().map_or(ptr::null(), CStr::as_ptr);
    let port = |entry: &libc::servent| u16::from_be(entry.s_port as u16);
    // SAFETY: terminated texts, or none for the protocol; `find` passes an entry, room of the length given and a place
    // for the result.
    let call = |entry, room, bytes, found: &mut _| unsafe {
        getservbyname_r(name.as_ptr(), protocol, entry, room, bytes, found)
    };
    find(call, port)
}

/// The name of the service at a port, if it is listed; for one of the protocols if none is given.
#[must_use]
pub fn name(port: u16, protocol: Option<&[u8]>) -> Option<Vec<u8>> {
    let protocol = protocol.map(CString::new).transpose().ok()?;
    let protocol = protocol.as_deref().map_or(ptr::null(), CStr::as_ptr);
    let port = i32::from(port.to_be());
    // SAFETY: `find` passes an entry that the call below has filled, and whose texts are terminated.
    let name = |entry: &libc::servent| unsafe { CStr::from_ptr(entry.s_name) }.to_bytes().to_vec();
    // SAFETY: a terminated text or none; for the rest see `port`.
    let call = |entry, room, bytes, found: &mut _| unsafe {
        getservbyport_r(port, protocol, entry, room, bytes, found)
    };
    find(call, name)
}

/// Lets `call` look up an entry, and reads it if one was found.
fn find<T>(
    call: impl FnOnce(*mut libc::servent, *mut c_char, usize, &mut *mut libc::servent) -> c_int,
    read: impl FnOnce(&libc::servent) -> T,
) -> Option<T> {
    let mut room = [0; ENTRY_BYTES];
    // SAFETY: all zero is a valid entry; the call fills it.
    let mut entry: libc::servent = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    let failed = call(&mut entry, room.as_mut_ptr(), room.len(), &mut found);
    (failed == 0 && !found.is_null()).then(|| read(&entry))
}

// Functions of the C library that the `libc` crate does not bind.
unsafe extern "C" {
    fn getservbyname_r(
        name: *const c_char,
        protocol: *const c_char,
        entry: *mut libc::servent,
        room: *mut c_char,
        room_bytes: usize,
        found: *mut *mut libc::servent,
    ) -> c_int;
    fn getservbyport_r(
        port: c_int,
        protocol: *const c_char,
        entry: *mut libc::servent,
        room: *mut c_char,
        room_bytes: usize,
        found: *mut *mut libc::servent,
    ) -> c_int;
}
