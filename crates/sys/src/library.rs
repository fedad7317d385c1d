//! Shared objects that are loaded while the node runs.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::NonNull;

use crate::file::packed;

/// Libraries that stock's VM is linked with. Some libraries use them without naming them; they are loaded when one
/// turns out to.
const EXPECTED: [&CStr; 4] = [
    c"libz.so.1",
    c"libm.so.6",
    c"libstdc++.so.6",
    c"libtinfo.so.6",
];

/// Whether this program can load shared objects. One that is linked statically has no loader in it, and objects that
/// were made for a C library could not use the copy of another that is in it.
pub const CAN_LOAD: bool = !cfg!(target_feature = "crt-static");

/// Why such a program loads nothing.
const NO_LOADER: &str =
    "this ferl is linked statically and cannot load it; a ferl that is linked dynamically can";

/// What the loader says of a function that no loaded object has.
const UNDEFINED: &[u8] = b"undefined symbol";

/// A loaded shared object; it is closed when this is dropped.
#[derive(Debug)]
pub struct SharedObject(NonNull<c_void>);

// SAFETY: the loader's functions may be called from any thread.
unsafe impl Send for SharedObject {}
// SAFETY: as above.
unsafe impl Sync for SharedObject {}

impl SharedObject {
    /// Loads a shared object and resolves all its symbols. Its initialisers run.
    ///
    /// # Errors
    /// The loader's text.
    pub fn open(path: &CStr) -> Result<SharedObject, Vec<u8>> {
        if !CAN_LOAD {
            return Err(NO_LOADER.into());
        }
        let packed = packed::name_for_system(path.to_bytes());
        let packed = packed
            .transpose()
            .map_err(|error| error.message().into_bytes())?;
        let path = packed.as_deref().unwrap_or(path);
        SharedObject::open_as(path, libc::RTLD_NOW).or_else(|error| {
            if !error.windows(UNDEFINED.len()).any(|part| part == UNDEFINED) {
                return Err(error);
            }
            for library in EXPECTED {
                // What is not there is not what was meant.
                if let Ok(library) =
                    SharedObject::open_as(library, libc::RTLD_NOW | libc::RTLD_GLOBAL)
                {
                    let _ = library.into_handle();
                }
            }
            SharedObject::open_as(path, libc::RTLD_NOW)
        })
    }

    fn open_as(path: &CStr, flags: c_int) -> Result<SharedObject, Vec<u8>> {
        // SAFETY: the path ends with a zero byte. What the object's initialisers do is the user's decision.
        let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
        NonNull::new(handle)
            .map(SharedObject)
            .ok_or_else(last_error)
    }

    /// The address of a symbol.
    ///
    /// # Errors
    /// The loader's text.
    pub fn symbol(&self, name: &CStr) -> Result<NonNull<c_void>, Vec<u8>> {
        // SAFETY: the object is loaded.
        unsafe { symbol(self.0, name) }
    }

    /// The loader's handle, which stays open for ever.
    #[must_use]
    pub fn into_handle(self) -> NonNull<c_void> {
        let handle = self.0;
        std::mem::forget(self);
        handle
    }
}

impl Drop for SharedObject {
    fn drop(&mut self) {
        // SAFETY: opened in `open`, and closed once.
        unsafe { libc::dlclose(self.0.as_ptr()) };
    }
}

/// The address of a symbol of an open shared object.
///
/// # Errors
/// The loader's text.
///
/// # Safety
/// `handle` is the loader's, and open.
pub unsafe fn symbol(handle: NonNull<c_void>, name: &CStr) -> Result<NonNull<c_void>, Vec<u8>> {
    // SAFETY: the caller's promise; the name ends with a zero byte.
    let address = unsafe {
        // Forgets an earlier error of this thread.
        libc::dlerror();
        libc::dlsym(handle.as_ptr(), name.as_ptr())
    };
    NonNull::new(address).ok_or_else(last_error)
}

/// The loader's text for the last error of this thread.
fn last_error() -> Vec<u8> {
    // SAFETY: the text lives until this thread calls the loader again.
    unsafe {
        let text = libc::dlerror();
        match text.is_null() {
            true => b"unspecified error".to_vec(),
            false => CStr::from_ptr(text).to_bytes().to_vec(),
        }
    }
}

/// A path for the loader; `None` if it contains a zero byte.
#[must_use]
pub fn path(bytes: &[u8]) -> Option<CString> {
    CString::new(bytes).ok()
}
