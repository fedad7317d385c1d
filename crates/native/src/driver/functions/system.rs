//! The system: shared objects, variables of the environment, time, what the node is.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::LazyLock;

use parking_lot::Mutex;
use sys::Errno;
use sys::library::{self, SharedObject};

use crate::abi::SystemInfo;
use crate::driver::abi::{Entry, Now};
use crate::driver::loaded::{self, Removal};
use crate::functions::atoms::bytes_of;
use crate::functions::system::{enif_getenv, enif_system_info};
use crate::functions::time::{enif_convert_time_unit, enif_monotonic_time, enif_time_offset};

/// Texts that are given out, each once.
static TEXTS: LazyLock<Mutex<Vec<CString>>> = LazyLock::new(Mutex::default);

/// A text that stays where it is.
fn lasting(text: &[u8]) -> *const c_char {
    let mut texts = TEXTS.lock();
    let known = texts.iter().position(|known| known.to_bytes() == text);
    let place = known.unwrap_or_else(|| {
        texts.push(CString::new(text).unwrap_or_default());
        texts.len() - 1
    });
    // The string is in memory of its own, which does not move when the list grows.
    texts[place].as_ptr()
}

/// The name of a system's error, such as `enoent`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_errno_id(error: c_int) -> *const c_char {
    lasting(Errno(error).name().as_bytes())
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_system_info(info: *mut SystemInfo, size: usize) {
    // SAFETY: the header asks for a structure of `size` bytes.
    unsafe { enif_system_info(info, size) };
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_monotonic_time(unit: c_int) -> i64 {
    enif_monotonic_time(unit)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_time_offset(unit: c_int) -> i64 {
    enif_time_offset(unit)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_convert_time_unit(value: i64, from: c_int, to: c_int) -> i64 {
    enif_convert_time_unit(value, from, to)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_get_now(now: Option<&mut Now>) -> c_int {
    let Some(now) = now else { return -1 };
    let time_us = runtime::mail::unique::now_us();
    let seconds = time_us.div_euclid(1_000_000) as u64;
    *now = Now {
        megaseconds: seconds / 1_000_000,
        seconds: seconds % 1_000_000,
        microseconds: time_us.rem_euclid(1_000_000) as u64,
    };
    0
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn erl_drv_getenv(
    name: *const c_char,
    room: *mut c_char,
    size: &mut usize,
) -> c_int {
    // SAFETY: the same contract.
    unsafe { enif_getenv(name, room, size) }
}

/// Returns 0, or -1 for a name or value that cannot be.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn erl_drv_putenv(name: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: the header asks for strings.
    let put = unsafe { sys::env::put(bytes_of(name), bytes_of(value)) };
    c_int::from(put.is_ok()) - 1
}

/// The loader's text for what went wrong last.
static PROBLEM: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Loads a shared object, without its suffix; null if that fails.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_dl_open(path: *const c_char) -> *mut c_void {
    // SAFETY: the header asks for a string.
    let path = library::path(&[unsafe { bytes_of(path) }, b".so"].concat()).unwrap_or_default();
    match SharedObject::open(&path) {
        Ok(object) => object.into_handle().as_ptr(),
        Err(problem) => {
            *PROBLEM.lock() = problem;
            ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_dl_sym(
    handle: Option<NonNull<c_void>>,
    name: *const c_char,
) -> *mut c_void {
    let Some(handle) = handle else {
        return ptr::null_mut();
    };
    // SAFETY: the header asks for a handle of `driver_dl_open`, and a string.
    match unsafe { library::symbol(handle, CStr::from_ptr(name)) } {
        Ok(address) => address.as_ptr(),
        Err(problem) => {
            *PROBLEM.lock() = problem;
            ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_dl_close(handle: *mut c_void) -> c_int {
    // SAFETY: the header asks for a handle of `driver_dl_open` that is not used any more.
    unsafe { libc::dlclose(handle) }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_dl_error() -> *const c_char {
    lasting(&PROBLEM.lock())
}

/// Adds a driver that is part of another library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn add_driver_entry(entry: &Entry) {
    // SAFETY: the header asks for an entry that stays.
    unsafe { loaded::add_entry(entry) };
}

/// Returns 1; 0 if it is not there; -1 if it must stay: it is in a library of its own, or has ports.
#[unsafe(no_mangle)]
pub(super) extern "C" fn remove_driver_entry(entry: &Entry) -> c_int {
    match loaded::remove_entry(entry) {
        Removal::Done => 1,
        Removal::NotThere => 0,
        Removal::MustStay => -1,
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn null_func() -> c_int {
    0
}
