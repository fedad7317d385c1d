//! Memory of drivers, from the C library's allocator.

use std::ffi::c_void;

use crate::functions::memory::{enif_alloc, enif_free, enif_realloc};

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_alloc(size: usize) -> *mut c_void {
    enif_alloc(size)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the header asks for memory of `driver_alloc`, or null.
    unsafe { enif_realloc(memory, size) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_free(memory: *mut c_void) {
    // SAFETY: as above.
    unsafe { enif_free(memory) }
}
