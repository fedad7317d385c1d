//! `{Port, {data, Data}}` for the connected process.

use std::ffi::{c_char, c_int};
use std::slice;

use crate::abi::IoPart;
use crate::driver::abi::{Binary, Handle, IoVec};
use crate::driver::port;
use crate::functions::atoms::bytes_at;

/// Sends a header, which is always a list of bytes, and data in the form that the port was opened for.
fn send(handle: Handle, header: &[u8], data: &[u8]) -> c_int {
    let sent = port::with(handle, |_, access| access.send_data(header, data));
    if sent.is_some() {
        return 0;
    }
    let (header, data) = (header.to_vec(), data.to_vec());
    match port::perform(handle, move |_, access| access.send_data(&header, &data)) {
        true => 0,
        false => -1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_output(port: Handle, data: *const c_char, size: usize) -> c_int {
    // SAFETY: the header asks for as many bytes.
    send(port, &[], unsafe { bytes_at(data, size) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_output2(
    port: Handle,
    header: *const c_char,
    header_size: usize,
    data: *const c_char,
    size: usize,
) -> c_int {
    // SAFETY: the header asks for as many bytes of both.
    unsafe { send(port, bytes_at(header, header_size), bytes_at(data, size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_output_binary(
    port: Handle,
    header: *const c_char,
    header_size: usize,
    binary: *mut Binary,
    offset: usize,
    size: usize,
) -> c_int {
    // SAFETY: the header asks for a binary that the driver holds.
    unsafe {
        let has = usize::try_from((*binary).size).unwrap_or(0);
        if offset.checked_add(size).is_none_or(|end| end > has) {
            return -1;
        }
        let data = (&raw const (*binary).bytes).cast::<c_char>().add(offset);
        send(port, bytes_at(header, header_size), bytes_at(data, size))
    }
}

/// The parts of a vector.
///
/// # Safety
/// The header's promise for a vector.
pub(super) unsafe fn parts_of<'a>(vector: &IoVec) -> (&'a [IoPart], &'a [*mut Binary]) {
    let count = usize::try_from(vector.count).unwrap_or(0);
    if count == 0 {
        return (&[], &[]);
    }
    // SAFETY: the caller's promise.
    unsafe {
        (
            slice::from_raw_parts(vector.parts, count),
            match vector.binaries.is_null() {
                true => &[],
                false => slice::from_raw_parts(vector.binaries, count),
            },
        )
    }
}

/// The bytes of a vector behind the first `skip`.
///
/// # Safety
/// As for [`parts_of`].
unsafe fn flat(vector: &IoVec, skip: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(vector.size);
    // SAFETY: the caller's promise.
    for part in unsafe { parts_of(vector) }.0 {
        // SAFETY: as above.
        bytes.extend_from_slice(unsafe { bytes_at(part.data.cast(), part.size) });
    }
    bytes.split_off(skip.min(bytes.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_outputv(
    port: Handle,
    header: *const c_char,
    header_size: usize,
    vector: &IoVec,
    skip: usize,
) -> c_int {
    if skip > vector.size {
        return -1;
    }
    // SAFETY: the header asks for as many bytes, and for a vector.
    unsafe { send(port, bytes_at(header, header_size), &flat(vector, skip)) }
}

/// Copies the bytes of a vector; returns how many there was no room for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn driver_vec_to_buf(
    vector: &IoVec,
    room: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the header asks for a vector, and room for as many bytes.
    unsafe {
        let bytes = flat(vector, 0);
        let count = bytes.len().min(size);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.cast(), count);
        size - count
    }
}
