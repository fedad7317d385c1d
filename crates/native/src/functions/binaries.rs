//! Binaries.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;
use std::{ptr, slice};

use layout::limits::HEAP_BINARY_BYTES;
use layout::{Term, no_gc};
use term::off_heap::{self, BinaryBlock};
use term::{build, iolist, unicode};

use crate::abi::{Binary, Out};
use crate::check;
use crate::env::Env;
use crate::resource;

impl Binary {
    /// Bytes that do not belong to the library.
    fn borrowed(data: *mut u8, size: usize) -> Binary {
        Binary {
            size,
            data,
            block: ptr::null_mut(),
            spare: ptr::null_mut(),
        }
    }

    fn owned(block: *mut BinaryBlock, size: usize) -> Binary {
        Binary {
            // SAFETY: the caller has just allocated the block.
            data: unsafe { BinaryBlock::bytes(block) },
            size,
            block,
            spare: ptr::null_mut(),
        }
    }
}

/// A block of a binary of the library's own.
pub(super) fn allocate(size: usize) -> Option<Binary> {
    BinaryBlock::try_new_padded(size).map(|block| Binary::owned(block, size))
}

/// The bytes of a binary; those that do not begin at a byte boundary are copied into the environment.
pub(super) fn inspect(env: &mut Env, term: Term) -> Option<Binary> {
    if !term.is_binary() {
        return None;
    }
    let bits = term.as_bits()?;
    if let Some(bytes) = bits.as_bytes(no_gc!()) {
        return Some(Binary::borrowed(bytes.as_ptr().cast_mut(), bytes.len()));
    }
    let bytes = unicode::bytes_of(term, no_gc!())?
        .into_owned()
        .into_boxed_slice();
    let size = bytes.len();
    Some(Binary::borrowed(env.keep(bytes), size))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_inspect_binary(
    env: &mut Env,
    term: Term,
    binary: Out<'_, Binary>,
) -> c_int {
    check::read(env, "enif_inspect_binary", term);
    super::numbers::store(binary, inspect(env, term))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_inspect_iolist_as_binary(
    env: &mut Env,
    term: Term,
    binary: Out<'_, Binary>,
) -> c_int {
    check::read(env, "enif_inspect_iolist_as_binary", term);
    if term.is_bitstring() {
        return enif_inspect_binary(env, term, binary);
    }
    if !term.is_list() {
        return 0;
    }
    let Ok(bytes) = iolist::to_vec(term, usize::MAX) else {
        return 0;
    };
    let size = bytes.len();
    let data = env.keep(bytes.into_boxed_slice());
    binary.write(Binary::borrowed(data, size));
    1
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_alloc_binary(size: usize, binary: Out<'_, Binary>) -> c_int {
    super::numbers::store(binary, allocate(size))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_realloc_binary(binary: &mut Binary, size: usize) -> c_int {
    if binary.block.is_null() {
        let Some(copy) = allocate(size) else {
            return 0;
        };
        // SAFETY: both have as many bytes; the copy is new.
        unsafe { ptr::copy_nonoverlapping(binary.data, copy.data, size.min(binary.size)) };
        *binary = copy;
        return 1;
    }
    // SAFETY: the block belongs to the library alone, as the header asks.
    let Some(block) = (unsafe { BinaryBlock::try_resize_padded(binary.block, size) }) else {
        return 0;
    };
    *binary = Binary::owned(block, size);
    1
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_release_binary(binary: &mut Binary) {
    let block = std::mem::replace(&mut binary.block, ptr::null_mut());
    if !block.is_null() {
        // SAFETY: the library's count of the block.
        unsafe { off_heap::drop_reference(block.cast()) };
    }
}

/// The block of a binary of the library's own becomes the term's.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_binary(env: &mut Env, binary: &mut Binary) -> Term {
    let block = std::mem::replace(&mut binary.block, ptr::null_mut());
    if block.is_null() {
        if binary.size == 0 {
            return build::binary(env.heap(), &[]);
        }
        // SAFETY: the library has inspected these bytes in this environment.
        let bytes = unsafe { slice::from_raw_parts(binary.data, binary.size) };
        return build::binary(env.heap(), bytes);
    }
    // SAFETY: the library's count of the block becomes the term's.
    unsafe {
        let size = (*block).used.load(Ordering::Relaxed);
        build::shared_binary(env.heap(), block, size, 0)
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_new_binary(
    env: &mut Env,
    size: usize,
    term: Out<'_, Term>,
) -> *mut u8 {
    if size > HEAP_BINARY_BYTES
        && let Some(block) = BinaryBlock::try_new_padded(size)
    {
        // SAFETY: the block is new, and counted once for the term.
        unsafe {
            term.write(build::shared_binary(env.heap(), block, size, 0));
            return BinaryBlock::bytes(block);
        }
    }
    let (binary, room) = build::binary_uninit(env.heap(), size);
    term.write(binary);
    room
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_sub_binary(
    env: &mut Env,
    binary: Term,
    start: usize,
    size: usize,
) -> Term {
    check::built_on(env, "enif_make_sub_binary", &[binary]);
    build::sub_bits(env.heap(), binary, start as u64 * 8, size as u64 * 8)
}

/// A binary whose bytes belong to an object, which lives as long as the binary.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_resource_binary(
    env: &mut Env,
    object: *mut c_void,
    data: *const c_void,
    size: usize,
) -> Term {
    // SAFETY: the header asks for a live object, and for bytes that stay as they are as long as it lives.
    unsafe { build::binary_of_block(env.heap(), resource::keep(object), data.cast(), size) }
}
