//! Conversion of terms to the external format and back.

use layout::Term;
use term::external::{self, DecodeOptions, EncodeOptions, Encoder};
use term::{am, build, list, unicode};

use runtime::bif::{BifResult, Failure, badarg, badarg_because, dirty_unless, system_limit};
use runtime::code::load::CodeResolver;
use runtime::process::Process;
use runtime::scheduler::charge;

/// Encoded bytes that count as one reduction.
const BYTES_PER_REDUCTION: usize = 64;

/// Terms that are encoded before the work is handed to a dirty scheduler, which starts again from the beginning.
const MOST_TERMS_HERE: usize = 20_000;
/// Larger encodings, in bytes, are compressed by dirty schedulers.
const MOST_COMPRESSED_HERE: usize = 16 * 1024;
/// Larger binaries, in bytes, are decoded by dirty schedulers, as are compressed ones of any size.
const MOST_DECODED_HERE: usize = 256 * 1024;
/// The byte that follows the version byte of a compressed term.
const COMPRESSED_TAG: u8 = 80;

/// Levels of compression: none, and the default.
const NO_COMPRESSION: u32 = 0;
const DEFAULT_COMPRESSION: u32 = 6;

/// The encoding options of `term_to_binary/2`, and the level of compression.
fn encode_options(options: Term) -> Option<(EncodeOptions<'static>, u32)> {
    let mut encode = EncodeOptions::default();
    let mut level = NO_COMPRESSION;
    let mut deterministic = false;
    for option in list::items(options) {
        match option.ok()? {
            am::COMPRESSED => level = DEFAULT_COMPRESSION,
            am::DETERMINISTIC => deterministic = true,
            option => match *option.as_tuple()? {
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
    encode.deterministic = deterministic;
    Some((encode, level))
}

/// Runs an encoder to the end.
fn encode(mut encoder: Encoder, options: &EncodeOptions) -> Result<Encoder, Failure> {
    let mut budget = MOST_TERMS_HERE;
    let done = encoder.run(options, &mut budget);
    if !done.map_err(|_| system_limit())? {
        dirty_unless(false)?;
        encoder.finish(options).map_err(|_| system_limit())?;
    }
    Ok(encoder)
}

fn encoded(term: Term, options: &EncodeOptions, level: u32) -> Result<Vec<u8>, Failure> {
    let encoded = encode(Encoder::new(term), options)?.into_bytes();
    charge((encoded.len() / BYTES_PER_REDUCTION) as i64);
    if level == NO_COMPRESSION {
        return Ok(encoded);
    }
    dirty_unless(encoded.len() <= MOST_COMPRESSED_HERE)?;
    charge((encoded.len() / BYTES_PER_REDUCTION * 8) as i64);
    Ok(external::compress(encoded, level))
}

/// `erlang:term_to_binary(Term)`
pub fn term_to_binary_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    let encoded = encoded(term, &EncodeOptions::default(), NO_COMPRESSION)?;
    Ok(build::binary(process.heap(), &encoded))
}

/// `erlang:term_to_binary(Term, Options)`
pub fn term_to_binary_2(process: &mut Process, [term, options]: [Term; 2]) -> BifResult {
    let (options, level) = encode_options(options).ok_or(badarg(2))?;
    let encoded = encoded(term, &options, level)?;
    Ok(build::binary(process.heap(), &encoded))
}

fn iovec(process: &mut Process, term: Term, options: &EncodeOptions) -> BifResult {
    let (encoded, segments) = encode(Encoder::segmented(term), options)?.into_segments();
    charge((encoded.len() / BYTES_PER_REDUCTION) as i64);
    Ok(external::segments_to_list(
        process.heap(),
        &encoded,
        &segments,
    ))
}

/// `erlang:term_to_iovec(Term)`
pub fn term_to_iovec_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    iovec(process, term, &EncodeOptions::default())
}

/// `erlang:term_to_iovec(Term, Options)`
pub fn term_to_iovec_2(process: &mut Process, [term, options]: [Term; 2]) -> BifResult {
    let (options, level) = encode_options(options).ok_or(badarg(2))?;
    if level == NO_COMPRESSION {
        return iovec(process, term, &options);
    }
    let encoded = encoded(term, &options, level)?;
    let heap = process.heap();
    let binary = build::binary(heap, &encoded);
    Ok(build::cons(heap, binary, Term::NIL))
}

fn decoded(
    process: &mut Process,
    binary: Term,
    options: &DecodeOptions,
) -> Result<(Term, usize), Failure> {
    let bytes = unicode::bytes_of(binary).ok_or(badarg(1))?;
    let compressed = bytes.get(1) == Some(&COMPRESSED_TAG);
    dirty_unless(bytes.len() <= MOST_DECODED_HERE && !compressed)?;
    charge((bytes.len() / BYTES_PER_REDUCTION) as i64);
    external::decode(process.heap(), &bytes, options, &mut CodeResolver).map_err(|_| badarg(1))
}

/// `erlang:binary_to_term(Binary)`
pub fn binary_to_term_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    Ok(decoded(process, binary, &DecodeOptions::default())?.0)
}

/// `erlang:binary_to_term(Binary, Options)`: with `used` also returns how many bytes the term took.
pub fn binary_to_term_2(process: &mut Process, [binary, options]: [Term; 2]) -> BifResult {
    let (mut decode, mut used) = (DecodeOptions::default(), false);
    for option in list::items(options) {
        match option {
            Ok(am::SAFE) => decode.safe = true,
            Ok(am::USED) => used = true,
            _ => return Err(badarg_because(am::BADOPT)),
        }
    }
    let (term, length) = decoded(process, binary, &decode)?;
    if !used {
        return Ok(term);
    }
    let length = Term::small(length as i64);
    Ok(build::tuple(process.heap(), &[term, length]))
}

fn size(process: &mut Process, term: Term, options: &EncodeOptions) -> BifResult {
    let size = external::size(term, options).map_err(|_| system_limit())?;
    charge((size / BYTES_PER_REDUCTION) as i64);
    Ok(build::unsigned(process.heap(), size as u64))
}

/// `erlang:external_size(Term)`
pub fn external_size_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    size(process, term, &EncodeOptions::default())
}

/// `erlang:external_size(Term, Options)`: `{minor_version, 0 | 1}` only.
pub fn external_size_2(process: &mut Process, [term, options]: [Term; 2]) -> BifResult {
    let mut encode = EncodeOptions::default();
    for option in list::items(options) {
        match option.map_err(|_| badarg(2))?.as_tuple() {
            // Once version 0 was requested, a later version 1 does not undo it.
            Some(&[am::MINOR_VERSION, version]) if version == Term::small(0) => {
                encode.text_floats = true;
            }
            Some(&[am::MINOR_VERSION, version]) if version == Term::small(1) => {}
            _ => return Err(badarg(2)),
        }
    }
    size(process, term, &encode)
}
