//! Contexts and dictionaries of the C library zstd, behind types that cannot be misused.
//!
//! This is the library itself and not a rewrite, because programs keep and compare its output. A context refers to its
//! dictionary by address, so it holds a count of it. Dictionaries never change and may be used by several threads; a
//! context by one at a time.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::Arc;

use zstd_sys as z;

pub(super) use z::{ZSTD_EndDirective as Directive, ZSTD_FrameHeader as FrameHeader};

/// A failure that the library reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Error(usize);

impl Error {
    /// The library's name for it.
    pub(super) fn name(self) -> &'static [u8] {
        // SAFETY: the library returns a constant text for every number.
        unsafe { CStr::from_ptr(z::ZSTD_getErrorName(self.0)) }.to_bytes()
    }
}

/// What a function of the library returned: a number, or a failure.
fn checked(answer: usize) -> Result<usize, Error> {
    // SAFETY: it only looks at the number.
    if unsafe { z::ZSTD_isError(answer) } == 0 {
        Ok(answer)
    } else {
        Err(Error(answer))
    }
}

fn start(bytes: &[u8]) -> *const c_void {
    bytes.as_ptr().cast()
}

/// What one or several calls of a codec have done so far, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    pub consumed: usize,
    pub produced: usize,
    /// What the library still holds back, at least; 0 when nothing is left.
    pub left: usize,
}

/// Compresses or decompresses a stream.
pub(super) trait Codec: Sized + Send + 'static {
    type Dictionary: Send + Sync + 'static;
    type Parameter: Copy;

    /// `None` without memory for it.
    fn new() -> Option<Self>;
    /// Copies the dictionary; no bytes stand for none.
    fn load_dictionary(&mut self, bytes: &[u8]) -> Result<(), Error>;
    fn refer_to(&mut self, dictionary: &Arc<Self::Dictionary>) -> Result<(), Error>;
    fn set(&mut self, parameter: Self::Parameter, value: c_int) -> Result<(), Error>;
    fn get(&self, parameter: Self::Parameter) -> Result<c_int, Error>;
    /// Consumes input and fills room, behind what `progress` counts, and counts this.
    fn step(
        &mut self,
        input: &[u8],
        room: &mut [MaybeUninit<u8>],
        directive: Directive,
        progress: &mut Progress,
    ) -> Result<(), Error>;
    /// The size of a piece of output that the library recommends.
    fn output_bytes() -> usize;
    /// Forgets the stream, not the parameters.
    fn reset(&mut self);
}

/// Calls the library with the input and the output of a step in its form, and counts what it has done; it returns what
/// is left.
fn counted(
    input: &[u8],
    room: &mut [MaybeUninit<u8>],
    progress: &mut Progress,
    call: impl FnOnce(*mut z::ZSTD_outBuffer, *mut z::ZSTD_inBuffer) -> usize,
) -> Result<(), Error> {
    assert!(progress.consumed <= input.len() && progress.produced <= room.len());
    let mut input = z::ZSTD_inBuffer {
        src: start(input),
        size: input.len(),
        pos: progress.consumed,
    };
    let mut output = z::ZSTD_outBuffer {
        dst: room.as_mut_ptr().cast(),
        size: room.len(),
        pos: progress.produced,
    };
    progress.left = checked(call(&raw mut output, &raw mut input))?;
    progress.consumed = input.pos;
    progress.produced = output.pos;
    Ok(())
}

/// No functions: the library allocates for itself.
const OWN_ALLOCATOR: z::ZSTD_customMem = z::ZSTD_customMem {
    customAlloc: None,
    customFree: None,
    opaque: std::ptr::null_mut(),
};

/// A codec and its dictionaries, by the library's names for one of the two directions, whose functions are alike.
macro_rules! codec {
    (
        $codec:ident: $context:ident, $parameter:ident, $create:ident, $free:ident, $load:ident, $refer:ident, $set:ident,
        $get:ident, $reset:ident, $output_bytes:ident;
        $dictionary:ident: $raw_dictionary:ident, $dictionary_id:ident, $free_dictionary:ident;
        $step:ident
    ) => {
        pub(crate) struct $dictionary(NonNull<z::$raw_dictionary>);

        // SAFETY: the library only reads a dictionary once it is made, and it may be freed by any thread.
        unsafe impl Send for $dictionary {}
        // SAFETY: as above.
        unsafe impl Sync for $dictionary {}

        impl $dictionary {
            pub(crate) fn id(&self) -> u32 {
                // SAFETY: a live dictionary.
                unsafe { z::$dictionary_id(self.0.as_ptr()) }
            }
        }

        impl Drop for $dictionary {
            fn drop(&mut self) {
                // SAFETY: contexts that refer to it hold a count, so there is none.
                unsafe { z::$free_dictionary(self.0.as_ptr()) };
            }
        }

        pub(crate) struct $codec {
            raw: NonNull<z::$context>,
            dictionary: Option<Arc<$dictionary>>,
        }

        // SAFETY: a context has no ties to a thread.
        unsafe impl Send for $codec {}

        impl Codec for $codec {
            type Dictionary = $dictionary;
            type Parameter = z::$parameter;

            fn new() -> Option<$codec> {
                // SAFETY: no preconditions.
                let raw = NonNull::new(unsafe { z::$create() })?;
                Some($codec {
                    raw,
                    dictionary: None,
                })
            }

            fn load_dictionary(&mut self, bytes: &[u8]) -> Result<(), Error> {
                // SAFETY: a live context, as in all functions of this type; the bytes are copied.
                checked(unsafe { z::$load(self.raw.as_ptr(), start(bytes), bytes.len()) })?;
                self.dictionary = None;
                Ok(())
            }

            fn refer_to(&mut self, dictionary: &Arc<$dictionary>) -> Result<(), Error> {
                // SAFETY: the dictionary is kept below for as long as the context refers to it; if this fails, it goes
                // on with the last one.
                checked(unsafe { z::$refer(self.raw.as_ptr(), dictionary.0.as_ptr()) })?;
                self.dictionary = Some(Arc::clone(dictionary));
                Ok(())
            }

            fn set(&mut self, parameter: z::$parameter, value: c_int) -> Result<(), Error> {
                // SAFETY: the library checks the value.
                checked(unsafe { z::$set(self.raw.as_ptr(), parameter, value) }).map(drop)
            }

            fn get(&self, parameter: z::$parameter) -> Result<c_int, Error> {
                let mut value = 0;
                // SAFETY: a place for the value; the context is only read.
                checked(unsafe { z::$get(self.raw.as_ptr(), parameter, &raw mut value) })?;
                Ok(value)
            }

            fn step(
                &mut self,
                input: &[u8],
                room: &mut [MaybeUninit<u8>],
                directive: Directive,
                progress: &mut Progress,
            ) -> Result<(), Error> {
                let raw = self.raw.as_ptr();
                counted(input, room, progress, |output, input| {
                    // SAFETY: both buffers are borrowed and as long as they say.
                    unsafe { $step(raw, output, input, directive) }
                })
            }

            fn output_bytes() -> usize {
                // SAFETY: no preconditions.
                unsafe { z::$output_bytes() }
            }

            fn reset(&mut self) {
                let session = z::ZSTD_ResetDirective::ZSTD_reset_session_only;
                // SAFETY: a live context. A session can always be reset.
                unsafe { z::$reset(self.raw.as_ptr(), session) };
            }
        }

        impl Drop for $codec {
            fn drop(&mut self) {
                // SAFETY: nobody else has it; its dictionary is released afterwards.
                unsafe { z::$free(self.raw.as_ptr()) };
            }
        }
    };
}

codec! {
    Compressor: ZSTD_CCtx, ZSTD_cParameter, ZSTD_createCCtx, ZSTD_freeCCtx, ZSTD_CCtx_loadDictionary, ZSTD_CCtx_refCDict,
        ZSTD_CCtx_setParameter, ZSTD_CCtx_getParameter, ZSTD_CCtx_reset, ZSTD_CStreamOutSize;
    CompressDictionary: ZSTD_CDict, ZSTD_getDictID_fromCDict, ZSTD_freeCDict;
    compress
}

codec! {
    Decompressor: ZSTD_DCtx, ZSTD_dParameter, ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_DCtx_loadDictionary, ZSTD_DCtx_refDDict,
        ZSTD_DCtx_setParameter, ZSTD_DCtx_getParameter, ZSTD_DCtx_reset, ZSTD_DStreamOutSize;
    DecompressDictionary: ZSTD_DDict, ZSTD_getDictID_fromDDict, ZSTD_freeDDict;
    decompress
}

/// A step of a [`Compressor`].
///
/// # Safety
/// The context is live, and the buffers are as long as they say.
unsafe fn compress(
    raw: *mut z::ZSTD_CCtx,
    output: *mut z::ZSTD_outBuffer,
    input: *mut z::ZSTD_inBuffer,
    directive: Directive,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { z::ZSTD_compressStream2(raw, output, input, directive) }
}

/// A step of a [`Decompressor`], which needs no directive.
///
/// # Safety
/// As for [`compress`].
unsafe fn decompress(
    raw: *mut z::ZSTD_DCtx,
    output: *mut z::ZSTD_outBuffer,
    input: *mut z::ZSTD_inBuffer,
    _directive: Directive,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { z::ZSTD_decompressStream(raw, output, input) }
}

impl CompressDictionary {
    /// `None` if the bytes say that they are a dictionary, and are not.
    pub(super) fn new(bytes: &[u8], level: c_int) -> Option<Self> {
        // SAFETY: the bytes are copied; the allocator is the library's own.
        NonNull::new(unsafe {
            z::ZSTD_createCDict_advanced(
                start(bytes),
                bytes.len(),
                z::ZSTD_dictLoadMethod_e::ZSTD_dlm_byCopy,
                z::ZSTD_dictContentType_e::ZSTD_dct_auto,
                z::ZSTD_getCParams(level, 0, bytes.len()),
                OWN_ALLOCATOR,
            )
        })
        .map(CompressDictionary)
    }
}

impl DecompressDictionary {
    /// `None` if the bytes say that they are a dictionary, and are not.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        // SAFETY: the bytes are copied.
        NonNull::new(unsafe { z::ZSTD_createDDict(start(bytes), bytes.len()) })
            .map(DecompressDictionary)
    }
}

impl Compressor {
    /// How many bytes the next frame will be made of.
    pub(super) fn pledge(&mut self, bytes: u64) -> Result<(), Error> {
        // SAFETY: a live context.
        checked(unsafe { z::ZSTD_CCtx_setPledgedSrcSize(self.raw.as_ptr(), bytes) }).map(drop)
    }
}

/// How many bytes all these frames stand for; `None` if they do not say or are not whole.
pub(super) fn decompressed_bytes(frames: &[u8]) -> Option<u64> {
    // SAFETY: borrowed bytes.
    let bytes = unsafe { z::ZSTD_findDecompressedSize(start(frames), frames.len()) };
    // The two highest numbers say why it is not known.
    (bytes < UNKNOWN_BYTES - 1).then_some(bytes)
}

/// The size of what a frame stands for where it does not say it.
pub(super) const UNKNOWN_BYTES: u64 = z::ZSTD_CONTENTSIZE_UNKNOWN as i64 as u64;
const _: () = assert!(z::ZSTD_CONTENTSIZE_ERROR as i64 as u64 == UNKNOWN_BYTES - 1);

/// The number of a dictionary; 0 if it has none.
pub(super) fn dictionary_id(dictionary: &[u8]) -> u32 {
    // SAFETY: borrowed bytes.
    unsafe { z::ZSTD_getDictID_fromDict(start(dictionary), dictionary.len()) }
}

/// The number of the dictionary that a frame needs; 0 if it names none.
pub(super) fn dictionary_id_of_frame(frame: &[u8]) -> u32 {
    // SAFETY: borrowed bytes.
    unsafe { z::ZSTD_getDictID_fromFrame(start(frame), frame.len()) }
}

/// The header at the start of these bytes; the fields are unset if there are too few of them.
pub(super) fn frame_header(bytes: &[u8]) -> Result<FrameHeader, Error> {
    let mut header = FrameHeader {
        frameContentSize: 0,
        windowSize: 0,
        blockSizeMax: 0,
        frameType: z::ZSTD_FrameType_e::ZSTD_frame,
        headerSize: 0,
        dictID: 0,
        checksumFlag: 0,
        _reserved1: 0,
        _reserved2: 0,
    };
    // SAFETY: borrowed bytes, and a place for the header.
    checked(unsafe { z::ZSTD_getFrameHeader(&raw mut header, start(bytes), bytes.len()) })?;
    Ok(header)
}
