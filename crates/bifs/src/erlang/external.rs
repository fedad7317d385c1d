//! Conversion of terms to the external format and back.

use layout::{Term, no_gc};
use term::external::{self, DecodeOptions, Decoder, EncodeBuffers, EncodeOptions, Encoder, Fault};
use term::release::{self, Release};
use term::{am, build, list, unicode};

use runtime::code::bif::{
    BifResult, Failure, badarg, badarg_because, dirty_unless, room_for, system_limit,
};
use runtime::code::load::CodeResolver;
use runtime::mail::current::charge;
use runtime::mail::{dirty, loans};
use runtime::process::Process;

/// Encoded bytes that count as one reduction.
const BYTES_PER_REDUCTION: usize = 64;

/// Bytes that are encoded before the work is handed to a dirty scheduler, which starts again from the beginning.
const MOST_ENCODED_HERE: usize = 256 * 1024;
/// Larger encodings, in bytes, are compressed by dirty schedulers.
const MOST_COMPRESSED_HERE: usize = 16 * 1024;
/// Larger binaries, in bytes, are decoded by dirty schedulers.
const MOST_DECODED_HERE: usize = 256 * 1024;
/// As [`MOST_DECODED_HERE`], for compressed terms: their size before they were compressed, and after.
const MOST_DECOMPRESSED_HERE: usize = 64 * 1024;
/// The byte that follows the version byte of a compressed term.
const COMPRESSED_TAG: u8 = 80;

/// Levels of compression: none, and the default.
const NO_COMPRESSION: u32 = 0;
const DEFAULT_COMPRESSION: u32 = 6;

/// What the options of `term_to_binary/2` ask for.
struct Wanted {
    encode: EncodeOptions<'static>,
    /// The level of compression.
    level: u32,
}

/// The options of `term_to_binary/2`.
fn encode_options(options: Term) -> Option<Wanted> {
    let mut encode = EncodeOptions::of_release();
    let mut level = NO_COMPRESSION;
    let mut local = false;
    let mut deterministic = false;
    for option in list::items(options) {
        match option.ok()? {
            am::COMPRESSED => level = DEFAULT_COMPRESSION,
            am::DETERMINISTIC => deterministic = true,
            am::LOCAL if release::has(Release::OTP_26) => local = true,
            option => match *option.as_tuple(no_gc!())? {
                [am::MINOR_VERSION, version] => {
                    encode = EncodeOptions::minor_version(u8::try_from(version.as_small()?).ok()?)?;
                }
                [am::COMPRESSED, wanted] => {
                    level = u32::try_from(wanted.as_small()?).ok()?;
                    if level > 9 {
                        return None;
                    }
                }
                _ => return None,
            },
        }
    }
    if local && deterministic {
        return None;
    }
    encode.deterministic = deterministic;
    encode.local = local;
    // Compression is not for what only this node reads.
    let level = if local { NO_COMPRESSION } else { level };
    Some(Wanted { encode, level })
}

/// Charges for bytes that were encoded or will be decoded.
#[inline]
fn charge_for(bytes: usize) {
    if bytes >= BYTES_PER_REDUCTION {
        charge((bytes / BYTES_PER_REDUCTION) as i64);
    }
}

/// Runs an encoder to the end, or until the process has ended.
fn encode(
    process: &mut Process,
    encoder: &mut Encoder,
    options: &EncodeOptions,
) -> Result<(), Failure> {
    let mut budget = MOST_ENCODED_HERE;
    let done = encoder.run(options, &mut budget);
    if done.map_err(|_| system_limit())? {
        return Ok(());
    }
    dirty_unless(false)?;
    loans::apart(process, || {
        loop {
            let mut budget = MOST_ENCODED_HERE;
            let done = encoder.run(options, &mut budget);
            if done.map_err(|_| system_limit())? || dirty::is_in_vain() {
                return Ok(());
            }
        }
    })
}

fn encoded(process: &mut Process, term: Term, options: &EncodeOptions, level: u32) -> BifResult {
    let mut buffers = EncodeBuffers::new();
    let mut encoder = match level {
        NO_COMPRESSION => Encoder::joining(term, &mut buffers),
        _ => Encoder::new(term, &mut buffers),
    };
    encode(process, &mut encoder, options)?;
    if dirty::is_in_vain() {
        return Ok(Term::NIL);
    }
    charge_for(encoder.size());
    if level != NO_COMPRESSION {
        let bytes = encoder.bytes();
        dirty_unless(bytes.len() <= MOST_COMPRESSED_HERE)?;
        charge((bytes.len() / BYTES_PER_REDUCTION * 8) as i64);
        let compressed = loans::apart(process, || {
            external::compress(bytes, level, || !dirty::is_in_vain())
        });
        if let Some(compressed) = compressed {
            return Ok(build::binary(process.heap(), &compressed));
        }
    }
    Ok(encoder.take_binary(process.heap()))
}

/// `erlang:term_to_binary(Term)`
pub(crate) fn term_to_binary_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    encoded(process, term, &EncodeOptions::of_release(), NO_COMPRESSION)
}

/// `erlang:term_to_binary(Term, Options)`
pub(crate) fn term_to_binary_2(process: &mut Process, [term, options]: [Term; 2]) -> BifResult {
    let wanted = encode_options(options).ok_or(badarg(2))?;
    if wanted.encode.local {
        return local(process, term, &wanted.encode);
    }
    encoded(process, term, &wanted.encode, wanted.level)
}

/// A term that only this node can read.
fn local(process: &mut Process, term: Term, options: &EncodeOptions) -> BifResult {
    let mut buffers = EncodeBuffers::new();
    let mut encoder = Encoder::new(term, &mut buffers);
    encode(process, &mut encoder, options)?;
    if dirty::is_in_vain() {
        return Ok(Term::NIL);
    }
    charge_for(encoder.size());
    let marked = external::local::mark(encoder.bytes());
    Ok(build::binary(process.heap(), &marked))
}

fn iovec(process: &mut Process, term: Term, options: &EncodeOptions) -> BifResult {
    let mut buffers = EncodeBuffers::new();
    let mut encoder = Encoder::segmented(term, &mut buffers);
    encode(process, &mut encoder, options)?;
    if dirty::is_in_vain() {
        return Ok(Term::NIL);
    }
    charge_for(encoder.bytes().len());
    Ok(external::segments_to_list(
        process.heap(),
        encoder.bytes(),
        &encoder.segments(),
    ))
}

/// `erlang:term_to_iovec(Term)`
pub(crate) fn term_to_iovec_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    iovec(process, term, &EncodeOptions::of_release())
}

/// `erlang:term_to_iovec(Term, Options)`
pub(crate) fn term_to_iovec_2(process: &mut Process, [term, options]: [Term; 2]) -> BifResult {
    let wanted = encode_options(options).ok_or(badarg(2))?;
    let binary = if wanted.encode.local {
        local(process, term, &wanted.encode)?
    } else if wanted.level == NO_COMPRESSION {
        return iovec(process, term, &wanted.encode);
    } else {
        encoded(process, term, &wanted.encode, wanted.level)?
    };
    Ok(build::cons(process.heap(), binary, Term::NIL))
}

/// The term in a binary, or a pair of it and of the number of bytes that it took.
fn decoded(
    process: &mut Process,
    binary: Term,
    options: &DecodeOptions,
    with_used: bool,
) -> BifResult {
    let no_gc = no_gc!();
    let given = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    let (claimed, is_short) = match given.get(1..6) {
        // Never more than the size that the term claims is decompressed.
        Some(&[COMPRESSED_TAG, a, b, c, d]) => {
            let claimed = u32::from_be_bytes([a, b, c, d]) as usize;
            let claimed = claimed.max(given.len());
            (claimed * 2, claimed <= MOST_DECOMPRESSED_HERE)
        }
        _ => (given.len(), given.len() <= MOST_DECODED_HERE),
    };
    dirty_unless(is_short)?;
    // A term takes more room than its bytes, as a rule, but a binary does not.
    room_for(claimed)?;
    charge_for(given.len());
    let mut decoder = Decoder::new();
    let heap = process.heap();
    let term = decoder
        .finish(heap, &given, options, &mut CodeResolver)
        .map_err(|error| match error.fault {
            Fault::AtomLimit => system_limit(),
            _ => badarg(1),
        })?;
    if !with_used {
        return Ok(term);
    }
    let used = Term::small(decoder.used() as i64);
    Ok(build::tuple(heap, &[term, used]))
}

/// `erlang:binary_to_term(Binary)`
pub(crate) fn binary_to_term_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    decoded(process, binary, &DecodeOptions::default(), false)
}

/// `erlang:binary_to_term(Binary, Options)`: with `used` also returns how many bytes the term took.
pub(crate) fn binary_to_term_2(process: &mut Process, [binary, options]: [Term; 2]) -> BifResult {
    let (mut decode, mut used) = (DecodeOptions::default(), false);
    for option in list::items(options) {
        match option {
            Ok(am::SAFE) => decode.safe = true,
            Ok(am::USED) => used = true,
            _ => return Err(badarg_because(am::BADOPT)),
        }
    }
    decoded(process, binary, &decode, used)
}

fn size(process: &mut Process, term: Term, options: &EncodeOptions) -> BifResult {
    let size = external::size(term, options).map_err(|_| system_limit())?;
    charge_for(size);
    Ok(build::unsigned(process.heap(), size as u64))
}

/// `erlang:external_size(Term)`
pub(crate) fn external_size_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    size(process, term, &EncodeOptions::of_release())
}

/// `erlang:external_size(Term, Options)`: in OTP 25 the only option is `{minor_version, 0 | 1}`, later it takes those
/// of `term_to_binary/2`.
pub(crate) fn external_size_2(process: &mut Process, [term, options]: [Term; 2]) -> BifResult {
    if release::has(Release::OTP_27) {
        let wanted = encode_options(options).ok_or(badarg(2))?;
        let size = external::size(term, &wanted.encode).map_err(|_| system_limit())?;
        charge_for(size);
        // What comes before the term is longer than the version.
        let more = if wanted.encode.local {
            external::local::HEAD_BYTES - 1
        } else {
            0
        };
        return Ok(build::unsigned(process.heap(), (size + more) as u64));
    }
    let mut encode = EncodeOptions::of_release();
    for option in list::items(options) {
        match option.map_err(|_| badarg(2))?.as_tuple_of() {
            // Once version 0 was requested, a later version 1 does not undo it.
            Some([am::MINOR_VERSION, version]) if version == Term::small(0) => {
                encode.text_floats = true;
                encode.utf8_atoms = false;
            }
            Some([am::MINOR_VERSION, version]) if version == Term::small(1) => {
                encode.utf8_atoms = false;
            }
            _ => return Err(badarg(2)),
        }
    }
    size(process, term, &encode)
}
