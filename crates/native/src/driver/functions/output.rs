//! `{Port, {data, Data}}` for the connected process.

use std::ffi::{c_char, c_int};
use std::slice;

use smallvec::SmallVec;

use crate::abi::IoPart;
use crate::driver::abi::{Binary, Handle, IoVec};
use crate::driver::port;
use crate::functions::atoms::bytes_at;

/// Sends a header, which is always a list of bytes, and parts of data in the form that the port was opened for.
fn send(handle: Handle, header: &[u8], parts: &[&[u8]]) -> c_int {
    let sent = port::with(handle, |_, access| access.send_parts(header, parts));
    if sent.is_some() {
        return 0;
    }
    let header = header.to_vec();
    let parts: Vec<Vec<u8>> = parts.iter().map(|part| part.to_vec()).collect();
    let sent = port::perform(handle, move |_, access| {
        let parts: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();
        access.send_parts(&header, &parts);
    });
    if sent { 0 } else { -1 }
}

/// One part of data; none for a null pointer.
///
/// # Safety
/// As for [`bytes_at`].
unsafe fn one_part<'a>(data: *const c_char, size: usize) -> SmallVec<[&'a [u8]; 1]> {
    match data.is_null() {
        true => SmallVec::new(),
        // SAFETY: the caller's promise.
        false => SmallVec::from_buf([unsafe { bytes_at(data, size) }]),
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_output(
    port: Handle,
    data: *const c_char,
    size: usize,
) -> c_int {
    // SAFETY: the header asks for as many bytes.
    send(port, &[], &unsafe { one_part(data, size) })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_output2(
    port: Handle,
    header: *const c_char,
    header_size: usize,
    data: *const c_char,
    size: usize,
) -> c_int {
    // SAFETY: the header asks for as many bytes of both.
    unsafe { send(port, bytes_at(header, header_size), &one_part(data, size)) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_output_binary(
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
        let header = bytes_at(header, header_size);
        send(port, header, &[bytes_at(data, size)])
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

/// The bytes of a vector behind the first `skip`: its parts that are not empty.
///
/// # Safety
/// As for [`parts_of`].
unsafe fn bytes_behind<'a>(vector: &IoVec, mut skip: usize) -> SmallVec<[&'a [u8]; 16]> {
    // SAFETY: the caller's promise.
    let parts = unsafe { parts_of(vector) }.0.iter();
    let rests = parts.map(|part| {
        // SAFETY: as above.
        let bytes = unsafe { bytes_at(part.data.cast(), part.size) };
        let skipped = skip.min(bytes.len());
        skip -= skipped;
        &bytes[skipped..]
    });
    rests.filter(|rest| !rest.is_empty()).collect()
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_outputv(
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
    unsafe {
        let header = bytes_at(header, header_size);
        send(port, header, &bytes_behind(vector, skip))
    }
}

/// Copies the bytes of a vector; returns how many, at most the size of the room.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_vec_to_buf(
    vector: &IoVec,
    room: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the header asks for a vector, and room for as many bytes.
    unsafe {
        let bytes = bytes_behind(vector, 0).concat();
        let count = bytes.len().min(size);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.cast(), count);
        count
    }
}
