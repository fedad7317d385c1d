//! Memory of libraries, from the C library's allocator.

use std::ffi::c_void;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_alloc(size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    unsafe { libc::malloc(size.max(1)) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the header asks for memory of `enif_alloc`, or null.
    unsafe { libc::realloc(memory, size.max(1)) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_free(memory: *mut c_void) {
    // SAFETY: as above.
    unsafe { libc::free(memory) };
}
