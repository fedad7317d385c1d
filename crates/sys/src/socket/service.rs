//! Services by name and by port, as the system's data bases list them.

use std::ffi::{CStr, CString};

/// Room for what the C library needs to remember of one entry.
const ENTRY_BYTES: usize = 4096;

/// The port of a service. None: not listed.
#[must_use]
pub fn port(name: &[u8], protocol: &[u8]) -> Option<u16> {
    let name = CString::new(name).ok()?;
    let protocol = CString::new(protocol).ok()?;
    let mut room = [0; ENTRY_BYTES];
    // SAFETY: all zero is a valid entry; the call fills it.
    let mut entry: libc::servent = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: terminated texts, an entry and room that outlive the use of what is found.
    let failed = unsafe {
        getservbyname_r(
            name.as_ptr(),
            protocol.as_ptr(),
            &mut entry,
            room.as_mut_ptr(),
            room.len(),
            &mut found,
        )
    };
    (failed == 0 && !found.is_null()).then(|| u16::from_be(entry.s_port as u16))
}

/// The name of the service at a port. None: not listed.
#[must_use]
pub fn name(port: u16, protocol: &[u8]) -> Option<Vec<u8>> {
    let protocol = CString::new(protocol).ok()?;
    let mut room = [0; ENTRY_BYTES];
    // SAFETY: all zero is a valid entry; the call fills it.
    let mut entry: libc::servent = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: a terminated text, an entry and room that outlive the use of what is found.
    let failed = unsafe {
        getservbyport_r(
            i32::from(port.to_be()),
            protocol.as_ptr(),
            &mut entry,
            room.as_mut_ptr(),
            room.len(),
            &mut found,
        )
    };
    if failed != 0 || found.is_null() {
        return None;
    }
    // SAFETY: a terminated text within `room`.
    Some(unsafe { CStr::from_ptr(entry.s_name) }.to_bytes().to_vec())
}

// The C library's own, which the `libc` crate does not bind.
unsafe extern "C" {
    fn getservbyname_r(
        name: *const libc::c_char,
        protocol: *const libc::c_char,
        entry: *mut libc::servent,
        room: *mut libc::c_char,
        room_bytes: libc::size_t,
        found: *mut *mut libc::servent,
    ) -> libc::c_int;
    fn getservbyport_r(
        port: libc::c_int,
        protocol: *const libc::c_char,
        entry: *mut libc::servent,
        room: *mut libc::c_char,
        room_bytes: libc::size_t,
        found: *mut *mut libc::servent,
    ) -> libc::c_int;
}
