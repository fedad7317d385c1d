//! The system: shared objects, variables of the environment, what the node is.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use runtime::mail::{current, schedulers};
use runtime::process::config;
use runtime::process::dirty::DirtyKind;
use sys::library::{self, SharedObject};

use super::atoms::bytes_of;
use crate::abi::{Entry, MAJOR, SystemInfo};

/// Told what is wrong.
type ErrorHandler = unsafe extern "C" fn(argument: *mut c_void, text: *const c_char);

/// Tells a library what is wrong.
///
/// # Safety
/// The handler is the library's, and expects this argument.
unsafe fn tell(handler: Option<ErrorHandler>, argument: *mut c_void, text: Vec<u8>) {
    if let Some(handler) = handler
        && let Ok(text) = CString::new(text)
    {
        // SAFETY: the caller's promise.
        unsafe { handler(argument, text.as_ptr()) };
    }
}

/// Loads a shared object, without its suffix, which is never closed; null if that fails.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_dlopen(
    name: *const c_char,
    handler: Option<ErrorHandler>,
    argument: *mut c_void,
) -> *mut c_void {
    // SAFETY: the header asks for a string, and for a handler with its argument.
    unsafe {
        let path = library::path(&[bytes_of(name), b".so"].concat()).unwrap_or_default();
        match SharedObject::open(&path) {
            Ok(object) => {
                // A library of functions for another one has no such function, usually.
                if let Ok(init) = object.symbol(c"nif_init") {
                    let init: unsafe extern "C" fn() -> *const Entry = std::mem::transmute(init);
                    init();
                }
                object.into_handle().as_ptr()
            }
            Err(error) => {
                tell(handler, argument, error);
                ptr::null_mut()
            }
        }
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_dlsym(
    handle: Option<NonNull<c_void>>,
    name: *const c_char,
    handler: Option<ErrorHandler>,
    argument: *mut c_void,
) -> *mut c_void {
    let Some(handle) = handle else {
        return ptr::null_mut();
    };
    // SAFETY: the header asks for a handle of `enif_dlopen`, a string, and a handler with its argument.
    unsafe {
        match library::symbol(handle, CStr::from_ptr(name)) {
            Ok(address) => address.as_ptr(),
            Err(error) => {
                tell(handler, argument, error);
                ptr::null_mut()
            }
        }
    }
}

/// Copies the value of a variable, with a zero byte. Returns 0; -1 if there is no such variable; 1 if the room is too
/// small. `size` is that of the room, then that of the value or, if the room is too small, that of the room needed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_getenv(
    name: *const c_char,
    room: *mut c_char,
    size: &mut usize,
) -> c_int {
    // SAFETY: the header asks for a string.
    let Some(value) = sys::env::get(unsafe { bytes_of(name) }) else {
        return -1;
    };
    if value.len() >= *size {
        *size = value.len() + 1;
        return 1;
    }
    // SAFETY: the room has `*size` bytes, more than the value.
    unsafe {
        ptr::copy_nonoverlapping(value.as_ptr(), room.cast(), value.len());
        room.add(value.len()).write(0);
    }
    *size = value.len();
    0
}

/// The version of the driver interface of OTP 25.
const DRIVER_MAJOR: c_int = 3;
const DRIVER_MINOR: c_int = 3;

/// Fills in as much as there is room for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_system_info(info: *mut SystemInfo, size: usize) {
    static TEXTS: OnceLock<[CString; 2]> = OnceLock::new();
    let config = config::get();
    let [erts_version, otp_release] = TEXTS.get_or_init(|| {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        [
            text(&config.erts_version),
            text(&config.release.to_string()),
        ]
    });
    let known = SystemInfo {
        driver_major_version: DRIVER_MAJOR,
        driver_minor_version: DRIVER_MINOR,
        erts_version: erts_version.as_ptr(),
        otp_release: otp_release.as_ptr(),
        thread_support: 1,
        smp_support: 1,
        async_threads: config.flags.async_threads as c_int,
        scheduler_threads: schedulers::count() as c_int,
        nif_major_version: MAJOR,
        nif_minor_version: config.release.nif_minor().into(),
        dirty_scheduler_support: 1,
    };
    let bytes = size.min(size_of::<SystemInfo>());
    // SAFETY: the header asks for a structure of `size` bytes.
    unsafe { ptr::copy_nonoverlapping((&raw const known).cast::<u8>(), info.cast(), bytes) };
}

/// The kind of scheduler that this thread is: 1 normal, 2 dirty CPU, 3 dirty I/O; 0 if it is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_thread_type() -> c_int {
    match runtime::mail::dirty::kind_here() {
        Some(DirtyKind::Cpu | DirtyKind::Long | DirtyKind::Chore) => 2,
        Some(DirtyKind::Io) => 3,
        None => c_int::from(current::current().is_some()),
    }
}
