//! `prim_buffer`: a mutable buffer of bytes behind a reference.
//!
//! Small writes are collected, so that many of them make one binary. OTP never shares a buffer between processes
//! without taking its lock. Here it would be safe, but the processes would get in each other's way.

use std::sync::atomic::{AtomicBool, Ordering};

use layout::{NoGc, Term, no_gc};
use parking_lot::{Mutex, MutexGuard};
use term::{am, build, list};

use super::magic;
use runtime::code::bif::{BifResult, Failure, badarg, error};
use runtime::process::Process;
use term::byte_queue::ByteQueue;
use term::integer::{int32, uint64};

/// Small writes are collected up to this size, in bytes.
const GATHERED_BYTES: usize = 2 << 10;
/// Bytes searched for one reduction.
const SEARCHED_PER_REDUCTION: usize = 256;

#[derive(Default)]
struct Buffer {
    content: Mutex<Content>,
    /// The advisory lock of `try_lock/1`: it binds only those who take it.
    taken: AtomicBool,
}

#[derive(Default)]
struct Content {
    queue: ByteQueue,
    /// The latest small writes, which are not in the queue yet.
    gathered: Vec<u8>,
}

impl Content {
    fn enqueue_gathered(&mut self) {
        if !self.gathered.is_empty() {
            self.queue.push_bytes(&self.gathered);
            self.gathered.clear();
        }
    }

    fn write(&mut self, binary: Term) -> Option<()> {
        let no_gc = no_gc!();
        let bytes = term::unicode::bytes_of(binary, no_gc)?;
        if self.gathered.len() + bytes.len() >= GATHERED_BYTES {
            self.enqueue_gathered();
            if bytes.len() >= GATHERED_BYTES / 2 {
                return self.queue.push(binary);
            }
        }
        self.gathered.extend_from_slice(&bytes);
        Some(())
    }
}

fn buffer(reference: Term, no_gc: &NoGc) -> Result<&Buffer, Failure> {
    magic::get::<Buffer>(reference, no_gc).ok_or(badarg(1))
}

/// The content, after moving all bytes to the queue.
fn queued(reference: Term, no_gc: &NoGc) -> Result<MutexGuard<'_, Content>, Failure> {
    let mut content = buffer(reference, no_gc)?.content.lock();
    content.enqueue_gathered();
    Ok(content)
}

/// Reads a number of bytes to take; `badarg` if the buffer has fewer.
fn count(content: &Content, size: Term) -> Result<usize, Failure> {
    let size = uint64(size).ok_or(badarg(2))?;
    let size = usize::try_from(size).map_err(|_| badarg(2))?;
    if size > content.queue.size() {
        return Err(badarg(2));
    }
    Ok(size)
}

/// `prim_buffer:new()`
pub(crate) fn new_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(magic::make(process, Buffer::default()))
}

/// `prim_buffer:size(Buffer)`
pub(crate) fn size_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let content = buffer(reference, no_gc)?.content.lock();
    let size = content.queue.size() + content.gathered.len();
    Ok(build::unsigned(process.heap(), size as u64))
}

/// `prim_buffer:peek_head(Buffer)`: the first binary.
pub(crate) fn peek_head_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let content = queued(reference, no_gc)?;
    content.queue.first(process.heap()).ok_or(badarg(1))
}

/// `prim_buffer:copying_read(Buffer, Size)`
pub(crate) fn copying_read_2(process: &mut Process, [reference, size]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let mut content = queued(reference, no_gc)?;
    let size = count(&content, size)?;
    let (binary, room) = build::binary_uninit(process.heap(), size);
    // SAFETY: `room` points to `size` bytes that only this function refers to; zeroing initialises them.
    let room = unsafe {
        room.write_bytes(0, size);
        std::slice::from_raw_parts_mut(room, size)
    };
    content.queue.copy_to(room);
    content.queue.skip(size);
    Ok(binary)
}

/// `prim_buffer:write(Buffer, Binaries)`
pub(crate) fn write_2(_process: &mut Process, [reference, list]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let mut content = buffer(reference, no_gc)?.content.lock();
    for binary in list::items(list) {
        let binary = binary.map_err(|_| badarg(2))?;
        content.write(binary).ok_or(badarg(2))?;
    }
    Ok(am::OK)
}

/// `prim_buffer:skip(Buffer, Size)`
pub(crate) fn skip_2(_process: &mut Process, [reference, size]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let mut content = queued(reference, no_gc)?;
    let size = count(&content, size)?;
    content.queue.skip(size);
    Ok(am::OK)
}

/// `prim_buffer:find_byte_index(Buffer, Byte)`
pub(crate) fn find_byte_index_2(process: &mut Process, [reference, byte]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let content = queued(reference, no_gc)?;
    let byte = int32(byte).and_then(|byte| u8::try_from(byte).ok());
    let byte = byte.ok_or(badarg(2))?;
    let mut before = 0;
    let found = content.queue.pieces().find_map(|piece| {
        let found = memchr::memchr(byte, piece).map(|place| before + place);
        before += piece.len();
        found
    });
    let searched = found.unwrap_or(before);
    runtime::mail::current::charge((searched / SEARCHED_PER_REDUCTION) as i64);
    Ok(match found {
        Some(place) => {
            let heap = process.heap();
            let place = build::unsigned(heap, place as u64);
            build::tuple(heap, &[am::OK, place])
        }
        None => am::NOT_FOUND,
    })
}

/// `prim_buffer:try_lock(Buffer)`
pub(crate) fn try_lock_1(_process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    Ok(
        if buffer(reference, no_gc!())?
            .taken
            .swap(true, Ordering::Acquire)
        {
            am::BUSY
        } else {
            am::ACQUIRED
        },
    )
}

/// `prim_buffer:unlock(Buffer)`
pub(crate) fn unlock_1(_process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    if buffer(reference, no_gc!())?
        .taken
        .swap(false, Ordering::Release)
    {
        Ok(am::OK)
    } else {
        Err(error(am::LOCK_ORDER_VIOLATION))
    }
}
