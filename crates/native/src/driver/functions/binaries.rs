//! Binaries: blocks that drivers and terms share.

use std::ptr;

use term::off_heap::{self, BinaryBlock};

use crate::driver::abi::Binary;

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_alloc_binary(size: usize) -> *mut Binary {
    BinaryBlock::try_new_padded(size).map_or(ptr::null_mut(), Binary::of)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_realloc_binary(
    binary: *mut Binary,
    size: usize,
) -> *mut Binary {
    if binary.is_null() {
        return driver_alloc_binary(size);
    }
    // SAFETY: the header asks for a binary that the driver alone holds.
    unsafe {
        let resized = BinaryBlock::try_resize_padded(Binary::block(binary), size);
        resized.map_or(ptr::null_mut(), Binary::of)
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_free_binary(binary: *mut Binary) {
    if !binary.is_null() {
        // SAFETY: the header asks for a binary that the driver holds.
        unsafe { off_heap::drop_reference(Binary::counted(binary)) };
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_binary_get_refc(binary: *mut Binary) -> isize {
    // SAFETY: as above.
    unsafe { off_heap::references(Binary::counted(binary)) as isize }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_binary_inc_refc(binary: *mut Binary) -> isize {
    // SAFETY: as above.
    unsafe {
        off_heap::retain(Binary::counted(binary));
        driver_binary_get_refc(binary)
    }
}

/// Takes back one count of a binary that the driver holds more than once.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_binary_dec_refc(binary: *mut Binary) -> isize {
    // SAFETY: as above.
    unsafe {
        let count = driver_binary_get_refc(binary) - 1;
        off_heap::drop_reference(Binary::counted(binary));
        count
    }
}
