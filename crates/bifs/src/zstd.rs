//! `zstd`: compression, the native functions of OTP's module of that name (since 28).
//!
//! A context is a magic reference, used only by the process that made it; a dictionary is one that any process may use.
//! Each call consumes input until its piece of output is full. What does not end soon runs on a dirty scheduler.

mod codec;

use std::sync::Arc;

use layout::{NoGc, Term, no_gc};
use parking_lot::{Mutex, MutexGuard};
use term::input_buffer::InputBuffer;
use term::integer::{int32, uint64};
use term::unicode::bytes_of;
use term::{am, atom, build, iolist, map};
use zstd_sys::{ZSTD_FrameType_e, ZSTD_cParameter, ZSTD_dParameter};

use crate::magic;
use codec::{
    Codec, CompressDictionary, Compressor, DecompressDictionary, Decompressor, Directive, Error,
    Progress,
};
use runtime::code::bif::{BifResult, Failure, badarg, error};
use runtime::mail::current::charge;
use runtime::process::Process;

/// More input than this, in bytes, is left to a dirty scheduler.
const MOST_BYTES_HERE: usize = 64 << 10;
/// Bytes consumed or produced that count as one reduction.
const BYTES_PER_REDUCTION: usize = 32;

struct State<C> {
    owner: Term,
    /// `None` when it is closed.
    codec: Option<C>,
    /// Whether a stream has begun.
    begun: bool,
}

type Handle<C> = Mutex<State<C>>;

/// An open context of the calling process.
fn context<'t, C: Codec>(
    process: &Process,
    reference: Term,
    no_gc: &'t NoGc,
) -> Result<MutexGuard<'t, State<C>>, Failure> {
    let handle = magic::get::<Handle<C>>(reference, no_gc).ok_or(badarg(1))?;
    let state = handle.lock();
    if state.codec.is_none() {
        return Err(badarg(1));
    }
    if state.owner != process.pid() {
        return Err(error(atom::known("not_on_controlling_process")));
    }
    Ok(state)
}

impl<C> State<C> {
    fn codec(&mut self) -> Result<&mut C, Failure> {
        self.codec.as_mut().ok_or(badarg(1))
    }
}

/// An outcome with the exception for a failure of the library.
fn raised<T>(process: &mut Process, outcome: Result<T, Error>) -> Result<T, Failure> {
    outcome.map_err(|failure| {
        let heap = process.heap();
        let name = build::binary(heap, failure.name());
        error(build::tuple(heap, &[atom::known("zstd_error"), name]))
    })
}

fn done(process: &mut Process, outcome: Result<(), Error>) -> BifResult {
    raised(process, outcome).map(|()| am::OK)
}

/// `{badarg, {Kind, Term}}` as an exception.
fn invalid(process: &mut Process, kind: &str, term: Term) -> Failure {
    let heap = process.heap();
    let what = build::tuple(heap, &[atom::known(kind), term]);
    error(build::tuple(heap, &[am::BADARG, what]))
}

fn create<C: Codec>(process: &mut Process) -> BifResult {
    let state = State {
        owner: process.pid(),
        codec: C::new(),
        begun: false,
    };
    Ok(magic::make::<Handle<C>>(process, Mutex::new(state)))
}

/// `zstd:init_compress_nif()`
pub(crate) fn init_compress_nif_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    create::<Compressor>(process)
}

/// `zstd:init_decompress_nif()`
pub(crate) fn init_decompress_nif_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    create::<Decompressor>(process)
}

fn load_dictionary<C: Codec>(
    process: &mut Process,
    [reference, dictionary]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<C>(process, reference, no_gc)?;
    let dictionary = iolist::to_vec(dictionary, usize::MAX).map_err(|_| badarg(2))?;
    let outcome = state.codec()?.load_dictionary(&dictionary);
    done(process, outcome)
}

/// `zstd:load_compress_dictionary_nif(Context, Dictionary)`
pub(crate) fn load_compress_dictionary_nif_2(
    process: &mut Process,
    arguments: [Term; 2],
) -> BifResult {
    load_dictionary::<Compressor>(process, arguments)
}

/// `zstd:load_decompress_dictionary_nif(Context, Dictionary)`
pub(crate) fn load_decompress_dictionary_nif_2(
    process: &mut Process,
    arguments: [Term; 2],
) -> BifResult {
    load_dictionary::<Decompressor>(process, arguments)
}

fn refer_to_dictionary<C: Codec>(
    process: &mut Process,
    [reference, dictionary]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<C>(process, reference, no_gc)?;
    let dictionary = magic::get::<Arc<C::Dictionary>>(dictionary, no_gc).ok_or(badarg(2))?;
    let outcome = state.codec()?.refer_to(dictionary);
    done(process, outcome)
}

/// `zstd:ref_compress_dictionary_nif(Context, Dictionary)`
pub(crate) fn ref_compress_dictionary_nif_2(
    process: &mut Process,
    arguments: [Term; 2],
) -> BifResult {
    refer_to_dictionary::<Compressor>(process, arguments)
}

/// `zstd:ref_decompress_dictionary_nif(Context, Dictionary)`
pub(crate) fn ref_decompress_dictionary_nif_2(
    process: &mut Process,
    arguments: [Term; 2],
) -> BifResult {
    refer_to_dictionary::<Decompressor>(process, arguments)
}

/// What values a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Numbers,
    Booleans,
    Strategies,
}

/// The parameters of compressing, by the names that programs use.
const COMPRESS_PARAMETERS: &[(&str, ZSTD_cParameter, Values)] = {
    use Values::{Booleans, Numbers, Strategies};
    use ZSTD_cParameter as P;
    &[
        ("compressionLevel", P::ZSTD_c_compressionLevel, Numbers),
        ("windowLog", P::ZSTD_c_windowLog, Numbers),
        ("hashLog", P::ZSTD_c_hashLog, Numbers),
        ("chainLog", P::ZSTD_c_chainLog, Numbers),
        ("searchLog", P::ZSTD_c_searchLog, Numbers),
        ("minMatch", P::ZSTD_c_minMatch, Numbers),
        ("targetLength", P::ZSTD_c_targetLength, Numbers),
        ("strategy", P::ZSTD_c_strategy, Strategies),
        ("targetCBlockSize", P::ZSTD_c_targetCBlockSize, Numbers),
        (
            "enableLongDistanceMatching",
            P::ZSTD_c_enableLongDistanceMatching,
            Booleans,
        ),
        ("ldmHashLog", P::ZSTD_c_ldmHashLog, Numbers),
        ("ldmMinMatch", P::ZSTD_c_ldmMinMatch, Numbers),
        ("ldmBucketSizeLog", P::ZSTD_c_ldmBucketSizeLog, Numbers),
        ("ldmHashRateLog", P::ZSTD_c_ldmHashRateLog, Numbers),
        ("contentSizeFlag", P::ZSTD_c_contentSizeFlag, Booleans),
        ("checksumFlag", P::ZSTD_c_checksumFlag, Booleans),
        ("dictIDFlag", P::ZSTD_c_dictIDFlag, Booleans),
    ]
};

/// The strategies; each one's number is its place.
const STRATEGIES: &[&str] = &[
    "default", "fast", "dfast", "greedy", "lazy", "lazy2", "btlazy2", "btopt", "btultra",
    "btultra2",
];

fn compress_parameter(
    process: &mut Process,
    key: Term,
) -> Result<(ZSTD_cParameter, Values), Failure> {
    let mut rows = COMPRESS_PARAMETERS.iter();
    match rows.find(|(name, ..)| key == atom::known(name)) {
        Some(&(_, parameter, values)) => Ok((parameter, values)),
        None => Err(invalid(process, "invalid_key", key)),
    }
}

/// `zstd:set_compress_parameter_nif(Context, Key, Value)`
pub(crate) fn set_compress_parameter_nif_3(
    process: &mut Process,
    [reference, key, value]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Compressor>(process, reference, no_gc)?;
    let (parameter, values) = compress_parameter(process, key)?;
    let number = match values {
        Values::Numbers => int32(value),
        Values::Booleans if value == am::TRUE => Some(1),
        Values::Booleans if value == am::FALSE => Some(0),
        Values::Booleans => None,
        Values::Strategies => {
            let place = STRATEGIES
                .iter()
                .position(|name| value == atom::known(name));
            place.map(|place| place as i32)
        }
    };
    let Some(number) = number else {
        return Err(invalid(process, "invalid_value", value));
    };
    let outcome = state.codec()?.set(parameter, number);
    done(process, outcome)
}

/// `zstd:get_compress_parameter_nif(Context, Key)`
pub(crate) fn get_compress_parameter_nif_2(
    process: &mut Process,
    [reference, key]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Compressor>(process, reference, no_gc)?;
    let (parameter, values) = compress_parameter(process, key)?;
    let number = raised(process, state.codec()?.get(parameter))?;
    Ok(match values {
        Values::Numbers => Term::small(i64::from(number)),
        // Stock (29.1) returns false whatever was set.
        Values::Booleans => am::FALSE,
        Values::Strategies => {
            let name = usize::try_from(number)
                .ok()
                .and_then(|number| STRATEGIES.get(number));
            atom::known(name.ok_or(badarg(2))?)
        }
    })
}

/// `zstd:set_pledged_src_size_nif(Context, Bytes)`
pub(crate) fn set_pledged_src_size_nif_2(
    process: &mut Process,
    [reference, bytes]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Compressor>(process, reference, no_gc)?;
    let outcome = state.codec()?.pledge(uint64(bytes).ok_or(badarg(2))?);
    done(process, outcome)
}

fn decompress_parameter(process: &mut Process, key: Term) -> Result<ZSTD_dParameter, Failure> {
    if key == atom::known("windowLogMax") {
        Ok(ZSTD_dParameter::ZSTD_d_windowLogMax)
    } else {
        Err(invalid(process, "invalid_key", key))
    }
}

/// `zstd:set_decompress_parameter_nif(Context, Key, Value)`
pub(crate) fn set_decompress_parameter_nif_3(
    process: &mut Process,
    [reference, key, value]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Decompressor>(process, reference, no_gc)?;
    let number = int32(value).ok_or(badarg(3))?;
    let parameter = decompress_parameter(process, key)?;
    let outcome = state.codec()?.set(parameter, number);
    done(process, outcome)
}

/// `zstd:get_decompress_parameter_nif(Context, Key)`
pub(crate) fn get_decompress_parameter_nif_2(
    process: &mut Process,
    [reference, key]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Decompressor>(process, reference, no_gc)?;
    let parameter = decompress_parameter(process, key)?;
    let number = raised(process, state.codec()?.get(parameter))?;
    Ok(Term::small(i64::from(number)))
}

fn directive(term: Term) -> Option<Directive> {
    match term.as_small()? {
        0 => Some(Directive::ZSTD_e_continue),
        1 => Some(Directive::ZSTD_e_flush),
        2 => Some(Directive::ZSTD_e_end),
        _ => None,
    }
}

/// Fills at most one piece of output. Returns `{continue, Output}`, `{continue, Rest, Output}` if input is left, and
/// when everything is flushed `{done, Output}`, or `{flush, Output}` if there may be more.
fn run<C: Codec>(
    process: &mut Process,
    codec: &mut C,
    input: (Term, &[u8]),
    directive: Directive,
    piece_bytes: usize,
) -> BifResult {
    let (term, input) = input;
    let mut output = InputBuffer::new(piece_bytes).ok_or(badarg(2))?;
    let mut progress = Progress::default();
    loop {
        let outcome = codec.step(input, output.room(), directive, &mut progress);
        raised(process, outcome)?;
        if progress.consumed == input.len() || progress.produced == piece_bytes {
            break;
        }
    }
    charge((progress.consumed.max(progress.produced) / BYTES_PER_REDUCTION) as i64);
    let heap = process.heap();
    // SAFETY: the library has reported that it wrote this many bytes, contiguously from the start.
    let binary = unsafe { output.into_binary(heap, progress.produced) };
    let left = input.len() - progress.consumed;
    if left > 0 {
        let rest = build::sub_bits(heap, term, progress.consumed as u64 * 8, left as u64 * 8);
        return Ok(build::tuple(heap, &[am::CONTINUE, rest, binary]));
    }
    let tag = match directive {
        Directive::ZSTD_e_continue => am::CONTINUE,
        _ if progress.produced == piece_bytes && progress.left > 0 => am::FLUSH,
        _ => am::DONE,
    };
    Ok(build::tuple(heap, &[tag, binary]))
}

fn must_be_dirty(input: &[u8]) -> bool {
    input.len() > MOST_BYTES_HERE && !runtime::mail::dirty::is_here()
}

/// `zstd:compress_stream_nif(Context, Input, Directive)`
pub(crate) fn compress_stream_nif_3(
    process: &mut Process,
    [reference, input, to_do]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Compressor>(process, reference, no_gc)?;
    let to_do = directive(to_do).ok_or(badarg(3))?;
    let codec = state.codec()?;
    let outcome = match bytes_of(input, no_gc!()) {
        Some(bytes) if must_be_dirty(&bytes) => return Err(Failure::Dirty),
        Some(bytes) => {
            let piece = Compressor::output_bytes();
            run(process, codec, (input, &bytes), to_do, piece)
        }
        None => Err(badarg(2)),
    };
    if outcome.is_err() {
        codec.reset();
    }
    outcome
}

/// `zstd:decompress_stream_nif(Context, Input, Directive)`
pub(crate) fn decompress_stream_nif_3(
    process: &mut Process,
    [reference, input, to_do]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<Decompressor>(process, reference, no_gc)?;
    let to_do = directive(to_do).ok_or(badarg(3))?;
    let no_gc = no_gc!();
    let Some(bytes) = bytes_of(input, no_gc) else {
        if state.begun {
            state.begun = false;
            state.codec()?.reset();
        }
        return Err(badarg(2));
    };
    if must_be_dirty(&bytes) {
        return Err(Failure::Dirty);
    }
    let mut piece = Decompressor::output_bytes();
    if !state.begun {
        // Frames that say how little they stand for get a piece of that size.
        if let Some(whole) = codec::decompressed_bytes(&bytes) {
            piece = piece.min(usize::try_from(whole).unwrap_or(usize::MAX));
        }
        state.begun = true;
    }
    let outcome = run(process, state.codec()?, (input, &bytes), to_do, piece);
    if outcome.is_err() {
        state.begun = false;
        state.codec()?.reset();
    }
    outcome
}

fn reset<C: Codec>(process: &mut Process, reference: Term) -> BifResult {
    let no_gc = no_gc!();
    let mut state = context::<C>(process, reference, no_gc)?;
    state.begun = false;
    state.codec()?.reset();
    Ok(am::OK)
}

/// `zstd:compress_reset_nif(Context)`
pub(crate) fn compress_reset_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    reset::<Compressor>(process, reference)
}

/// `zstd:decompress_reset_nif(Context)`
pub(crate) fn decompress_reset_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    reset::<Decompressor>(process, reference)
}

fn close<C: Codec>(process: &mut Process, reference: Term) -> BifResult {
    context::<C>(process, reference, no_gc!())?.codec = None;
    Ok(am::OK)
}

/// `zstd:compress_close_nif(Context)`
pub(crate) fn compress_close_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    close::<Compressor>(process, reference)
}

/// `zstd:decompress_close_nif(Context)`
pub(crate) fn decompress_close_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    close::<Decompressor>(process, reference)
}

/// A reference to a dictionary, or `{error, Reason}`.
fn dictionary<D: Send + Sync + 'static>(
    process: &mut Process,
    dictionary: Option<D>,
    reason: &str,
) -> Term {
    match dictionary {
        Some(dictionary) => magic::make(process, Arc::new(dictionary)),
        None => build::tuple(process.heap(), &[am::ERROR, atom::known(reason)]),
    }
}

/// `zstd:create_cdict_nif(Dictionary, Level)`
pub(crate) fn create_cdict_nif_2(process: &mut Process, [bytes, level]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let bytes = bytes_of(bytes, no_gc).ok_or(badarg(1))?;
    let level = int32(level).ok_or(badarg(2))?;
    let made = CompressDictionary::new(&bytes, level);
    Ok(dictionary(process, made, "invalid_compress_dict"))
}

/// `zstd:create_ddict_nif(Dictionary)`
pub(crate) fn create_ddict_nif_1(process: &mut Process, [bytes]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let bytes = bytes_of(bytes, no_gc).ok_or(badarg(1))?;
    let made = DecompressDictionary::new(&bytes);
    Ok(dictionary(process, made, "invalid_decompress_dict"))
}

/// `zstd:getDictId_fromCDict_nif(Dictionary)`
pub(crate) fn dictionary_id_of_compressor_nif_1(
    _: &mut Process,
    [reference]: [Term; 1],
) -> BifResult {
    let no_gc = no_gc!();
    let dictionary = magic::get::<Arc<CompressDictionary>>(reference, no_gc).ok_or(badarg(1))?;
    Ok(Term::small(i64::from(dictionary.id())))
}

/// `zstd:getDictId_fromDDict_nif(Dictionary)`
pub(crate) fn dictionary_id_of_decompressor_nif_1(
    _: &mut Process,
    [reference]: [Term; 1],
) -> BifResult {
    let no_gc = no_gc!();
    let dictionary = magic::get::<Arc<DecompressDictionary>>(reference, no_gc).ok_or(badarg(1))?;
    Ok(Term::small(i64::from(dictionary.id())))
}

/// `zstd:getDictId_fromDict_nif(Dictionary)`
pub(crate) fn dictionary_id_of_dictionary_nif_1(_: &mut Process, [bytes]: [Term; 1]) -> BifResult {
    let bytes = iolist::to_vec(bytes, usize::MAX).map_err(|_| badarg(1))?;
    Ok(Term::small(i64::from(codec::dictionary_id(&bytes))))
}

/// `zstd:getDictId_fromFrame_nif(Frame)`
pub(crate) fn dictionary_id_of_frame_nif_1(_: &mut Process, [bytes]: [Term; 1]) -> BifResult {
    let bytes = iolist::to_vec(bytes, usize::MAX).map_err(|_| badarg(1))?;
    let id = codec::dictionary_id_of_frame(&bytes);
    Ok(Term::small(i64::from(id)))
}

/// `zstd:get_frame_header_nif(Frame)`
pub(crate) fn get_frame_header_nif_1(process: &mut Process, [bytes]: [Term; 1]) -> BifResult {
    let bytes = iolist::to_vec(bytes, usize::MAX).map_err(|_| badarg(1))?;
    let header = raised(process, codec::frame_header(&bytes))?;
    let heap = process.heap();
    let content = match header.frameContentSize {
        codec::UNKNOWN_BYTES => am::UNDEFINED,
        bytes => build::unsigned(heap, bytes),
    };
    let kind = match header.frameType {
        ZSTD_FrameType_e::ZSTD_frame => "ZSTD_frame",
        ZSTD_FrameType_e::ZSTD_skippableFrame => "ZSTD_skippableFrame",
    };
    let checksum = match header.checksumFlag {
        0 => am::FALSE,
        _ => am::TRUE,
    };
    let number = |number: u32| Term::small(i64::from(number));
    let fields = [
        (atom::known("frameContentSize"), content),
        (
            atom::known("windowSize"),
            build::unsigned(heap, header.windowSize),
        ),
        (atom::known("blockSizeMax"), number(header.blockSizeMax)),
        (atom::known("frameType"), atom::known(kind)),
        (atom::known("headerSize"), number(header.headerSize)),
        (atom::known("dictID"), number(header.dictID)),
        (atom::known("checksumFlag"), checksum),
    ];
    let fields = map::from_pairs(heap, &fields);
    Ok(build::tuple(heap, &[am::OK, fields]))
}
