//! The port's queue.

use std::ffi::{c_char, c_int};
use std::ptr;

use parking_lot::MutexGuard;

use super::output::parts_of;
use crate::abi::IoPart;
use crate::driver::abi::{Binary, Handle, IoVec};
use crate::driver::port;
use crate::driver::queue::Queue;

/// Gives `body` the queue of a port.
fn with<R>(handle: Handle, body: impl FnOnce(MutexGuard<'_, Queue>) -> R) -> Option<R> {
    // Mostly it is the port that the driver is called for; the lock of all ports is not needed then.
    let mut body = Some(body);
    let of_this = port::with(handle, |shared, _| {
        body.take().map(|body| body(shared.queue.lock()))
    });
    match of_this {
        Some(done) => done,
        None => {
            let shared = port::find(handle)?;
            body.map(|body| body(shared.queue.lock()))
        }
    }
}

/// # Safety
/// As for [`Queue::add`].
unsafe fn add(port: Handle, added: &[(IoPart, *mut Binary)], at_front: bool) -> c_int {
    // SAFETY: the caller's promise.
    let done = with(port, |mut queue| unsafe { queue.add(added, at_front) });
    if done == Some(true) { 0 } else { -1 }
}

/// # Safety
/// As many bytes can be read.
unsafe fn add_bytes(port: Handle, data: *mut c_char, size: usize, at_front: bool) -> c_int {
    if size == 0 {
        return 0;
    }
    let data = data.cast();
    // SAFETY: the caller's promise.
    unsafe { add(port, &[(IoPart { data, size }, ptr::null_mut())], at_front) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_enq(port: Handle, data: *mut c_char, size: usize) -> c_int {
    // SAFETY: the header asks for as many bytes.
    unsafe { add_bytes(port, data, size, false) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_pushq(
    port: Handle,
    data: *mut c_char,
    size: usize,
) -> c_int {
    // SAFETY: as above.
    unsafe { add_bytes(port, data, size, true) }
}

/// # Safety
/// The driver holds the binary.
unsafe fn add_binary(
    port: Handle,
    binary: *mut Binary,
    offset: usize,
    size: usize,
    at_front: bool,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let has = usize::try_from((*binary).size).unwrap_or(0);
        if offset.checked_add(size).is_none_or(|end| end > has) {
            return -1;
        }
        let data = (&raw mut (*binary).bytes).cast::<u8>().add(offset);
        add(port, &[(IoPart { data, size }, binary)], at_front)
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_enq_bin(
    port: Handle,
    binary: *mut Binary,
    offset: usize,
    size: usize,
) -> c_int {
    // SAFETY: the header asks for a binary that the driver holds.
    unsafe { add_binary(port, binary, offset, size, false) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_pushq_bin(
    port: Handle,
    binary: *mut Binary,
    offset: usize,
    size: usize,
) -> c_int {
    // SAFETY: as above.
    unsafe { add_binary(port, binary, offset, size, true) }
}

/// # Safety
/// The header's promise for a vector.
unsafe fn add_vector(port: Handle, vector: &IoVec, mut skip: usize, at_front: bool) -> c_int {
    if skip > vector.size {
        return -1;
    }
    // SAFETY: the caller's promise.
    let (parts, binaries) = unsafe { parts_of(vector) };
    let mut added = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let skipped = skip.min(part.size);
        skip -= skipped;
        let rest = IoPart {
            data: part.data.wrapping_add(skipped),
            size: part.size - skipped,
        };
        added.push((
            rest,
            binaries.get(index).copied().unwrap_or(ptr::null_mut()),
        ));
    }
    // SAFETY: the vector holds its binaries.
    unsafe { add(port, &added, at_front) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_enqv(port: Handle, vector: &IoVec, skip: usize) -> c_int {
    // SAFETY: the header asks for a vector.
    unsafe { add_vector(port, vector, skip, false) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_pushqv(port: Handle, vector: &IoVec, skip: usize) -> c_int {
    // SAFETY: as above.
    unsafe { add_vector(port, vector, skip, true) }
}

/// Removes bytes from the front; returns how many are left, or the largest number if there are not as many, or no such
/// port.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_deq(port: Handle, size: usize) -> usize {
    let left = with(port, |mut queue| {
        (size <= queue.size()).then(|| {
            queue.remove(size);
            queue.size()
        })
    });
    left.flatten().unwrap_or(usize::MAX)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_sizeq(port: Handle) -> usize {
    with(port, |queue| queue.size()).unwrap_or(usize::MAX)
}

/// The parts of the queue, until it changes.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_peekq(port: Handle, count: &mut c_int) -> *mut IoPart {
    let first = with(port, |mut queue| {
        *count = queue.parts.len() as c_int;
        shown(&mut queue.parts)
    });
    first.unwrap_or_else(|| {
        *count = -1;
        ptr::null_mut()
    })
}

/// The queue as a vector, until it changes; returns its size.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_peekqv(port: Handle, vector: &mut IoVec) -> usize {
    let size = with(port, |mut queue| {
        *vector = IoVec {
            count: queue.parts.len() as c_int,
            size: queue.size(),
            parts: shown(&mut queue.parts),
            binaries: shown(&mut queue.binaries),
        };
        queue.size()
    });
    size.unwrap_or(usize::MAX)
}

/// Where an array begins; null if it is empty.
fn shown<T>(array: &mut Vec<T>) -> *mut T {
    match array.is_empty() {
        true => ptr::null_mut(),
        false => array.as_mut_ptr(),
    }
}
