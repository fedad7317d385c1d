//! Queues of bytes to be written, and vectors of the bytes of binaries.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::{ptr, slice};

use layout::kinds::SharedBinary;
use layout::{Term, no_gc};
use term::off_heap::{self, BinaryBlock, Counted, MagicBlock};
use term::{build, unicode};

use super::binaries::{allocate, enif_release_binary};
use crate::abi::{Binary, IOVEC_PARTS, IoPart, IoVector, Out};
use crate::check;
use crate::env::Env;

/// Bytes in a queue, and the block that they are in, counted once for the queue.
struct Part {
    bytes: IoPart,
    block: *mut Counted,
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: the part's count.
        unsafe { off_heap::drop_reference(self.block) };
    }
}

/// `ErlNifIOQueue`
#[derive(Default)]
pub(super) struct IoQueue {
    parts: VecDeque<Part>,
    size: usize,
    /// What `enif_ioq_peek` returned.
    shown: Vec<IoPart>,
}

/// `ErlNifIOQueueOpts`
const NORMAL: c_int = 1;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_ioq_create(options: c_int) -> *mut IoQueue {
    match options {
        NORMAL => Box::into_raw(Box::default()),
        _ => ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_ioq_destroy(queue: *mut IoQueue) {
    // SAFETY: the header asks for a queue of `enif_ioq_create`.
    drop(unsafe { Box::from_raw(queue) });
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_ioq_size(queue: &IoQueue) -> usize {
    queue.size
}

impl IoQueue {
    /// Appends bytes. Those that are in no block are copied.
    ///
    /// # Safety
    /// The bytes can be read; if there is a block, they are in it, and the caller holds it.
    unsafe fn append(&mut self, bytes: IoPart, block: *mut Counted) -> Option<()> {
        let part = match block.is_null() {
            // SAFETY: the caller's promise.
            false => unsafe {
                off_heap::retain(block);
                Part { bytes, block }
            },
            // SAFETY: as above.
            true => copied(unsafe { slice::from_raw_parts(bytes.data, bytes.size) })?,
        };
        self.size += part.bytes.size;
        self.parts.push_back(part);
        Some(())
    }
}

/// A copy of bytes in a block of its own.
fn copied(bytes: &[u8]) -> Option<Part> {
    let binary = allocate(bytes.len())?;
    // SAFETY: the new binary has as many bytes.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), binary.data, bytes.len()) };
    Some(Part {
        bytes: IoPart {
            data: binary.data,
            size: bytes.len(),
        },
        block: binary.block.cast(),
    })
}

/// Appends all bytes of a vector but the first `skip`.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_ioq_enqv(
    queue: &mut IoQueue,
    vector: &IoVector,
    mut skip: usize,
) -> c_int {
    if skip > vector.size {
        return 0;
    }
    for index in 0..usize::try_from(vector.count).unwrap_or(0) {
        // SAFETY: the vector has as many parts and blocks.
        let (part, block) = unsafe { (*vector.parts.add(index), *vector.blocks.add(index)) };
        let skipped = skip.min(part.size);
        skip -= skipped;
        if part.size == skipped {
            continue;
        }
        let bytes = IoPart {
            data: part.data.wrapping_add(skipped),
            size: part.size - skipped,
        };
        // SAFETY: bytes of the vector, which holds its blocks.
        if unsafe { queue.append(bytes, block.cast()) }.is_none() {
            return 0;
        }
    }
    1
}

/// Appends the bytes of a binary, which is released.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_ioq_enq_binary(
    queue: &mut IoQueue,
    binary: &mut Binary,
    skip: usize,
) -> c_int {
    let mut done = 0;
    if skip <= binary.size {
        let bytes = IoPart {
            data: binary.data.wrapping_add(skip),
            size: binary.size - skip,
        };
        // SAFETY: the bytes of the library's binary, which holds its block.
        let appended = unsafe { queue.append(bytes, binary.block.cast()) };
        done = c_int::from(appended.is_some());
    }
    enif_release_binary(binary);
    done
}

/// Removes the first `count` bytes; fails if there are fewer.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_ioq_deq(
    queue: &mut IoQueue,
    mut count: usize,
    size: Option<&mut usize>,
) -> c_int {
    if count > queue.size {
        return 0;
    }
    queue.size -= count;
    while count > 0
        && let Some(first) = queue.parts.front_mut()
    {
        let removed = count.min(first.bytes.size);
        count -= removed;
        first.bytes.data = first.bytes.data.wrapping_add(removed);
        first.bytes.size -= removed;
        if first.bytes.size == 0 {
            queue.parts.pop_front();
        }
    }
    if let Some(size) = size {
        *size = queue.size;
    }
    1
}

/// The parts of a queue, until it is changed.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_ioq_peek(queue: &mut IoQueue, count: Out<'_, c_int>) -> *mut IoPart {
    queue.shown = queue.parts.iter().map(|part| part.bytes).collect();
    count.write(queue.shown.len() as c_int);
    queue.shown.as_mut_ptr()
}

/// The first part of a queue as a binary.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_ioq_peek_head(
    env: &mut Env,
    queue: &IoQueue,
    size: Option<&mut usize>,
    binary: Out<'_, Term>,
) -> c_int {
    let Some(first) = queue.parts.front() else {
        return 0;
    };
    if let Some(size) = size {
        *size = first.bytes.size;
    }
    // SAFETY: the bytes are in the part's block, of which the binary gets a count.
    binary.write(unsafe {
        off_heap::retain(first.block);
        build::binary_of_block(env.heap(), first.block, first.bytes.data, first.bytes.size)
    });
    1
}

/// The bytes of a binary, counted once for the caller; those that are on a heap are copied.
fn part_of(binary: Term) -> Option<Part> {
    if !binary.is_binary() {
        return None;
    }
    let (whole, _) = build::whole_of(binary);
    match binary.as_bits()?.as_bytes(no_gc!()) {
        Some(bytes)
            if let Some(whole) = SharedBinary::of(whole)
                && !bytes.is_empty() =>
        {
            let block = whole.block().cast::<Counted>();
            // SAFETY: the binary holds the block.
            unsafe { off_heap::retain(block) };
            Some(Part {
                bytes: IoPart {
                    data: bytes.as_ptr().cast_mut(),
                    size: bytes.len(),
                },
                block,
            })
        }
        _ => copied(&unicode::bytes_of(binary, no_gc!())?),
    }
}

/// The block of bytes that a binary's bytes are in, counted once for the caller; None if they are on a heap or in an
/// object.
pub(crate) fn block_of_binary(binary: Term) -> Option<*mut BinaryBlock> {
    let (whole, _) = build::whole_of(binary);
    let block = SharedBinary::of(whole)?.block().cast::<Counted>();
    // SAFETY: the binary holds the block.
    unsafe {
        if MagicBlock::of(block).is_some() {
            return None;
        }
        off_heap::retain(block);
    }
    Some(block.cast())
}

/// The vector was given by the library, and is not to be freed.
const GIVEN: c_int = 1;

/// A vector of the bytes of the first binaries of a list. With an environment, it lives as long as that; without one,
/// until `enif_free_iovec`.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_inspect_iovec(
    env: Option<&mut Env>,
    most: usize,
    list: Term,
    tail: Out<'_, Term>,
    vector: &mut *mut IoVector,
) -> c_int {
    check::read(ptr::null(), "enif_inspect_iovec", list);
    let mut parts = Vec::new();
    let mut rest = list;
    while parts.len() < most
        && let Some((head, next)) = rest.as_cons()
    {
        let Some(part) = part_of(head) else {
            return 0;
        };
        parts.push(part);
        rest = next;
    }
    if !rest.is_list() {
        return 0;
    }
    tail.write(rest);
    let bytes =
        size_of::<IoVector>() + parts.len() * (size_of::<IoPart>() + size_of::<*mut c_void>());
    let is_given = !vector.is_null() && parts.len() < IOVEC_PARTS;
    // SAFETY: a vector that is given is the library's; a new one has room for its parts and blocks behind it.
    unsafe {
        if is_given {
            let given = &mut **vector;
            given.flags = GIVEN;
            given.parts = (&raw mut given.few_parts).cast();
            given.blocks = (&raw mut given.few_blocks).cast();
        } else {
            let memory = libc::calloc(1, bytes).cast::<IoVector>();
            if memory.is_null() {
                return 0;
            }
            (*memory).parts = memory.add(1).cast();
            (*memory).blocks = (*memory).parts.add(parts.len()).cast();
            *vector = memory;
        }
        let made = &mut **vector;
        made.count = parts.len() as c_int;
        made.size = parts.iter().map(|part| part.bytes.size).sum();
        for (index, part) in parts.iter().enumerate() {
            made.parts.add(index).write(part.bytes);
            made.blocks.add(index).write(part.block.cast());
        }
    }
    match env {
        // The vector has the counts.
        None => parts.into_iter().for_each(std::mem::forget),
        Some(env) => env.keep_vector(
            parts.into_iter().map(|part| Box::new(part) as _),
            match is_given {
                true => ptr::null_mut(),
                false => (*vector).cast(),
            },
        ),
    }
    1
}

/// Frees a vector that was made without an environment.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_free_iovec(vector: &mut IoVector) {
    // SAFETY: the vector has a count of each block; it was allocated by `enif_inspect_iovec` unless it was given.
    unsafe {
        for index in 0..usize::try_from(vector.count).unwrap_or(0) {
            let block = *vector.blocks.add(index);
            if !block.is_null() {
                off_heap::drop_reference(block.cast());
            }
        }
        if vector.flags & GIVEN == 0 {
            libc::free(ptr::from_mut(vector).cast());
        }
    }
}
