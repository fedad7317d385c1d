//! Memory of libraries, from the C library's allocator. Nobody owns it, so large pieces are given only while the node
//! has memory within its budget.

use std::ffi::c_void;
use std::ptr;

use runtime::mail::{current, dirty};
use sys::memory::budget;

/// A slice without other work may take 4 MB.
const BYTES_PER_REDUCTION: usize = 1 << 10;

/// Charges the running process for memory of this size. To use it takes longer than the call that wants it, and the
/// memory guard gets to act only between slices.
fn charge(size: usize) {
    let reductions = (size / BYTES_PER_REDUCTION) as i64;
    if reductions > 0 && !dirty::is_here() {
        current::charge(reductions.min(current::reductions_left().max(0)));
    }
}

/// Whether there is memory for a piece of this size.
pub(super) fn may_have(size: usize) -> bool {
    charge(size);
    budget::allows(size)
}

/// Null if there is no memory.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_alloc(size: usize) -> *mut c_void {
    if !may_have(size) {
        return ptr::null_mut();
    }
    // SAFETY: any size may be asked for.
    let memory = unsafe { libc::malloc(size.max(1)) };
    budget::handed_out(memory as usize, size);
    memory
}

/// Null if there is no memory; the piece stays then.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    if !may_have(size) {
        return ptr::null_mut();
    }
    // SAFETY: the header asks for memory of `enif_alloc`, or null.
    let moved = unsafe {
        take_back(memory);
        libc::realloc(memory, size.max(1))
    };
    budget::handed_out(moved as usize, size);
    moved
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn enif_free(memory: *mut c_void) {
    // SAFETY: as above.
    unsafe {
        take_back(memory);
        libc::free(memory);
    }
}

/// Ends the grant of a piece that is about to be freed.
///
/// # Safety
/// It is null, or the C library's.
unsafe fn take_back(memory: *mut c_void) {
    if budget::granted() > 0 {
        // SAFETY: the caller's promise.
        let size = unsafe { libc::malloc_usable_size(memory) };
        budget::taken_back(memory as usize, size);
    }
}
