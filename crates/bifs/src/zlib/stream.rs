//! A stream of the C library zlib, behind a type that cannot be misused.
//!
//! This is the library itself and not a rewrite, because programs keep and compare its output. The library's structure
//! and its internal state point to each other, so the structure must not move. One thread at a time.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use libz_sys as z;

unsafe extern "C" {
    fn inflateGetDictionary(
        stream: z::z_streamp,
        dictionary: *mut z::Bytef,
        length: *mut z::uInt,
    ) -> c_int;
}

/// The longest dictionary that inflating can return, in bytes: a whole window.
const WINDOW_BYTES: usize = 32_768;

/// A result code of the library; negative ones are errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code(pub c_int);

impl Code {
    pub(super) const OK: Code = Code(z::Z_OK);
    pub(super) const STREAM_END: Code = Code(z::Z_STREAM_END);
    pub(super) const NEED_DICTIONARY: Code = Code(z::Z_NEED_DICT);
    pub(super) const STREAM_ERROR: Code = Code(z::Z_STREAM_ERROR);
    pub(super) const DATA_ERROR: Code = Code(z::Z_DATA_ERROR);
    pub(super) const MEMORY_ERROR: Code = Code(z::Z_MEM_ERROR);
    pub(super) const BUFFER_ERROR: Code = Code(z::Z_BUF_ERROR);
    pub(super) const VERSION_ERROR: Code = Code(z::Z_VERSION_ERROR);

    /// Whether this is an error other than that no progress was made.
    pub(super) fn is_fatal(self) -> bool {
        self.0 < 0 && self != Code::BUFFER_ERROR
    }

    fn check(answer: c_int) -> Result<(), Code> {
        if answer == z::Z_OK {
            Ok(())
        } else {
            Err(Code(answer))
        }
    }
}

/// No flush: the library may keep output back until more input comes.
pub(super) const NO_FLUSH: c_int = z::Z_NO_FLUSH;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Deflate,
    Inflate,
}

/// An initialised compression or decompression stream.
pub(super) struct Stream {
    raw: Box<z::z_stream>,
    pub direction: Direction,
}

// SAFETY: the library keeps no state outside the stream's own memory.
unsafe impl Send for Stream {}

/// The outcome of one call.
#[derive(Debug)]
pub(super) struct Progress {
    pub code: Code,
    pub consumed: usize,
    pub produced: usize,
}

unsafe extern "C" fn allocate(_: *mut c_void, items: z::uInt, size: z::uInt) -> *mut c_void {
    // SAFETY: any sizes are allowed. The memory is zeroed because the library tests words before it sets them.
    unsafe { libc::calloc(items as usize, size as usize) }
}

unsafe extern "C" fn free(_: *mut c_void, memory: *mut c_void) {
    // SAFETY: the library frees only memory that `allocate` returned.
    unsafe { libc::free(memory) };
}

fn fresh() -> Box<z::z_stream> {
    Box::new(z::z_stream {
        next_in: std::ptr::null_mut(),
        avail_in: 0,
        total_in: 0,
        next_out: std::ptr::null_mut(),
        avail_out: 0,
        total_out: 0,
        msg: std::ptr::null_mut(),
        state: std::ptr::null_mut(),
        zalloc: allocate,
        zfree: free,
        opaque: std::ptr::null_mut(),
        data_type: z::Z_BINARY,
        adler: 0,
        reserved: 0,
    })
}

const STREAM_SIZE: c_int = size_of::<z::z_stream>() as c_int;

impl Stream {
    /// `deflateInit2`.
    pub(super) fn deflate(
        level: c_int,
        method: c_int,
        window_bits: c_int,
        memory_level: c_int,
        strategy: c_int,
    ) -> Result<Stream, Code> {
        let mut raw = fresh();
        // SAFETY: a fresh structure of the size given; the library checks the numbers.
        Code::check(unsafe {
            z::deflateInit2_(
                &raw mut *raw,
                level,
                method,
                window_bits,
                memory_level,
                strategy,
                z::zlibVersion(),
                STREAM_SIZE,
            )
        })?;
        Ok(Stream {
            raw,
            direction: Direction::Deflate,
        })
    }

    /// `inflateInit2`.
    pub(super) fn inflate(window_bits: c_int) -> Result<Stream, Code> {
        let mut raw = fresh();
        // SAFETY: as in `deflate`.
        Code::check(unsafe {
            z::inflateInit2_(&raw mut *raw, window_bits, z::zlibVersion(), STREAM_SIZE)
        })?;
        Ok(Stream {
            raw,
            direction: Direction::Inflate,
        })
    }

    /// Consumes input and produces output, as much as possible, but at most 4 GiB of each.
    pub(super) fn run(
        &mut self,
        input: &[u8],
        output: &mut [MaybeUninit<u8>],
        flush: c_int,
    ) -> Progress {
        let take = z::uInt::try_from(input.len()).unwrap_or(z::uInt::MAX);
        let give = z::uInt::try_from(output.len()).unwrap_or(z::uInt::MAX);
        self.raw.next_in = input.as_ptr().cast_mut();
        self.raw.avail_in = take;
        self.raw.next_out = output.as_mut_ptr().cast();
        self.raw.avail_out = give;
        let raw = &raw mut *self.raw;
        // SAFETY: the stream is initialised for its direction. The library accesses no more bytes than the lengths
        // given, and does not write to the input.
        let code = Code(unsafe {
            match self.direction {
                Direction::Deflate => z::deflate(raw, flush),
                Direction::Inflate => z::inflate(raw, flush),
            }
        });
        let progress = Progress {
            code,
            consumed: (take - self.raw.avail_in) as usize,
            produced: (give - self.raw.avail_out) as usize,
        };
        self.raw.next_in = std::ptr::null_mut();
        self.raw.avail_in = 0;
        self.raw.next_out = std::ptr::null_mut();
        self.raw.avail_out = 0;
        progress
    }

    /// The checksum of the bytes so far, or of the dictionary that is needed.
    pub(super) fn adler(&self) -> u32 {
        self.raw.adler as u32
    }

    pub(super) fn set_dictionary(&mut self, dictionary: &[u8]) -> Result<(), Code> {
        let length = z::uInt::try_from(dictionary.len()).map_err(|_| Code::STREAM_ERROR)?;
        let raw = &raw mut *self.raw;
        // SAFETY: an initialised stream, and `length` readable bytes.
        Code::check(unsafe {
            match self.direction {
                Direction::Deflate => z::deflateSetDictionary(raw, dictionary.as_ptr(), length),
                Direction::Inflate => z::inflateSetDictionary(raw, dictionary.as_ptr(), length),
            }
        })
    }

    /// The latest output of inflating, to which further input may refer.
    pub(super) fn inflate_dictionary(&mut self) -> Result<Vec<u8>, Code> {
        assert_eq!(self.direction, Direction::Inflate);
        let mut dictionary = vec![0; WINDOW_BYTES];
        let mut length = 0;
        // SAFETY: an initialised stream, and a buffer for all that the library may write.
        let code = unsafe {
            inflateGetDictionary(&raw mut *self.raw, dictionary.as_mut_ptr(), &mut length)
        };
        if code < 0 {
            return Err(Code(code));
        }
        dictionary.truncate(length as usize);
        Ok(dictionary)
    }

    /// Starts over with the same settings.
    pub(super) fn reset(&mut self) -> Result<(), Code> {
        let raw = &raw mut *self.raw;
        // SAFETY: an initialised stream.
        Code::check(unsafe {
            match self.direction {
                Direction::Deflate => z::deflateReset(raw),
                Direction::Inflate => z::inflateReset(raw),
            }
        })
    }

    /// Changes level and strategy. Everything was flushed before, so there is no output; if there were any, this
    /// returns `STREAM_ERROR`.
    pub(super) fn set_deflate_parameters(
        &mut self,
        level: c_int,
        strategy: c_int,
    ) -> Result<(), Code> {
        assert_eq!(self.direction, Direction::Deflate);
        let mut room = 0u8;
        self.raw.next_out = &raw mut room;
        self.raw.avail_out = 1;
        // SAFETY: an initialised stream, and room for one byte.
        let code = unsafe { z::deflateParams(&raw mut *self.raw, level, strategy) };
        let was_used = self.raw.avail_out == 0;
        self.raw.next_out = std::ptr::null_mut();
        self.raw.avail_out = 0;
        if was_used {
            return Err(Code::STREAM_ERROR);
        }
        Code::check(code)
    }

    /// Ends the stream; an error if it was not complete.
    pub(super) fn end(mut self) -> Result<(), Code> {
        // The library reports the second end, in `drop`, as an error and does nothing.
        Code::check(self.end_raw())
    }

    fn end_raw(&mut self) -> c_int {
        let raw = &raw mut *self.raw;
        // SAFETY: an initialised stream; the library frees its state, or returns an error if it has none.
        unsafe {
            match self.direction {
                Direction::Deflate => z::deflateEnd(raw),
                Direction::Inflate => z::inflateEnd(raw),
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.end_raw();
    }
}
