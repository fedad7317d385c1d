//! Descriptors and the timer.

use std::ffi::{c_int, c_ulong};
use std::os::fd::RawFd;
use std::ptr;

use runtime::mail::time;

use crate::driver::abi::{Event, Handle};
use crate::driver::port;

/// `enum ErlDrvSelectFlags`
const READ: c_int = 1;
const WRITE: c_int = 1 << 1;
const USE: c_int = 1 << 2;
const NO_CALLBACK: c_int = 1 << 3;

/// Adds to what a descriptor is selected for, or removes from it. When [`USE`] is removed without [`NO_CALLBACK`], the
/// descriptor is selected for nothing any more, and `stop_select` is called.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_select(
    port: Handle,
    event: Event,
    mode: c_int,
    on: c_int,
) -> c_int {
    let fd = event as RawFd;
    let select = move |shared: &port::Shared,
                       access: &mut runtime::effects::port::driver::Access<'_>| {
        let (reads, writes) = shared.selection(fd);
        let (read, write) = (mode & READ != 0, mode & WRITE != 0);
        let is_over = on == 0 && mode & (USE | NO_CALLBACK) == USE;
        let done = match on != 0 {
            true => shared.select(access, fd, reads || read, writes || write),
            false => shared.select(
                access,
                fd,
                reads && !read && !is_over,
                writes && !write && !is_over,
            ),
        };
        if is_over && let Some(stop_select) = shared.driver.entry().stop_select {
            // SAFETY: the driver's function; the descriptor is not watched any more.
            unsafe { stop_select(event, ptr::null_mut()) };
        }
        done
    };
    match port::with(port, select) {
        Some(done) => c_int::from(done) - 1,
        None => {
            let performed = port::perform(port, move |shared, access| {
                select(shared, access);
            });
            c_int::from(performed) - 1
        }
    }
}

/// Sets the port's timer, instead of one that was set before. The time is in milliseconds.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_set_timer(port: Handle, after_ms: c_ulong) -> c_int {
    let has_timeout = |shared: &port::Shared| shared.driver.entry().timeout.is_some();
    if !port::find(port).is_some_and(|shared| has_timeout(&shared)) {
        return -1;
    }
    let performed = port::perform(port, move |shared, access| {
        let after_ns = i64::try_from(after_ms.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
        *shared.deadline_ns.lock() = Some(time::monotonic_ns().saturating_add(after_ns));
        access.set_timer(after_ms);
    });
    c_int::from(performed) - 1
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_cancel_timer(port: Handle) -> c_int {
    let performed = port::perform(port, |shared, access| {
        *shared.deadline_ns.lock() = None;
        access.cancel_timer();
    });
    c_int::from(performed) - 1
}

/// The milliseconds that are left of the port's timer; 0 if there is none.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_read_timer(port: Handle, left_ms: &mut c_ulong) -> c_int {
    let Some(shared) = port::find(port) else {
        return -1;
    };
    let deadline = *shared.deadline_ns.lock();
    let left_ns = deadline.map_or(0, |deadline| (deadline - time::monotonic_ns()).max(0));
    *left_ms = (left_ns as u64).div_ceil(1_000_000);
    0
}
