//! `zlib`: compression, the native functions of OTP's module of that name.
//!
//! A stream is a magic reference, used only by its controlling process. Input waits in a queue; each call consumes some
//! of it, and returns the output and whether there is more to do.

mod stream;

use std::ffi::c_int;

use layout::{Heap, NoGc, Term, no_gc};
use parking_lot::{Mutex, MutexGuard};
use term::copy::{self, Owned};
use term::release::{self, Release};
use term::{am, atom, build, iolist};

use super::magic;
use crate::zlib::stream::{Code, Direction, Stream};
use runtime::code::bif::{BifResult, Failure, badarg, error};
use runtime::process::Process;
use term::byte_queue::ByteQueue;
use term::input_buffer::InputBuffer;
use term::integer::int32;

/// What to do with input after the end of a compressed stream.
const AT_END_ERROR: i32 = 0;
const AT_END_RESET: i32 = 1;
const AT_END_CUT: i32 = 2;

/// The size that `getBufSize/1` returns at first.
const DEFAULT_BUFFER_BYTES: i32 = 4000;
/// Most binaries queued by one call.
const MOST_BINARIES: usize = 256;
/// Longer dictionaries, in bytes, are refused; no window is that long.
const MOST_DICTIONARY_BYTES: usize = 1 << 24;
/// Bytes consumed for one reduction: compressing them takes about as long as a call.
const BYTES_PER_REDUCTION: usize = 4;
/// Bytes produced that count as one reduction.
const PRODUCED_BYTES_PER_REDUCTION: usize = 64;

struct State {
    stream: Option<Stream>,
    closed: bool,
    at_end: i32,
    end_seen: bool,
    raw: bool,
    /// The checksum of the plain bytes, kept only for raw streams.
    checksum: u32,
    buffer_size: i32,
    controller: Term,
    input: ByteQueue,
    stash: Option<Owned>,
}

type Handle = Mutex<State>;

impl State {
    fn forget_input(&mut self) {
        self.input.clear();
        self.stash = None;
    }

    fn stream(&mut self, direction: Direction) -> Result<&mut Stream, Failure> {
        match self.stream.as_mut() {
            Some(stream) if stream.direction == direction => Ok(stream),
            _ => Err(error(am::NOT_INITIALIZED)),
        }
    }

    fn begin(&mut self, stream: Stream, window_bits: i32) {
        self.stream = Some(stream);
        self.end_seen = false;
        self.raw = window_bits < 0;
        self.checksum = 0;
    }

    /// Adds plain bytes to the checksum.
    fn count(checksum: &mut u32, bytes: &[u8]) {
        let mut hasher = crc32fast::Hasher::new_with_initial(*checksum);
        hasher.update(bytes);
        *checksum = hasher.finalize();
    }
}

/// The library's result code as a term, or the exception it stands for.
fn answer(code: Code) -> BifResult {
    Ok(match code {
        Code::OK => am::OK,
        Code::STREAM_END => am::STREAM_END,
        Code::STREAM_ERROR => return Err(error(am::STREAM_ERROR)),
        Code::DATA_ERROR => return Err(error(am::DATA_ERROR)),
        Code::MEMORY_ERROR => am::MEM_ERROR,
        Code::BUFFER_ERROR => am::BUF_ERROR,
        Code::VERSION_ERROR => am::VERSION_ERROR,
        _ => am::UNKNOWN_ERROR,
    })
}

fn answer_of(outcome: Result<(), Code>) -> BifResult {
    answer(outcome.err().unwrap_or(Code::OK))
}

fn handle(reference: Term, no_gc: &NoGc) -> Result<&Handle, Failure> {
    magic::get::<Handle>(reference, no_gc).ok_or(badarg(1))
}

/// Locks the state; an error unless the caller is the controlling process.
fn state<'a>(process: &Process, handle: &'a Handle) -> Result<MutexGuard<'a, State>, Failure> {
    let state = handle.lock();
    if state.controller == process.pid() {
        Ok(state)
    } else {
        Err(error(am::NOT_ON_CONTROLLING_PROCESS))
    }
}

fn integers<const N: usize>(terms: [Term; N]) -> Result<[c_int; N], Failure> {
    let mut numbers = [0; N];
    for (place, (number, term)) in numbers.iter_mut().zip(terms).enumerate() {
        *number = int32(term).ok_or(badarg(place + 2))?;
    }
    Ok(numbers)
}

/// `zlib:open_nif()`
pub(crate) fn open_nif_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let state = State {
        stream: None,
        closed: false,
        at_end: AT_END_CUT,
        end_seen: false,
        raw: false,
        checksum: 0,
        buffer_size: DEFAULT_BUFFER_BYTES,
        controller: process.pid(),
        input: ByteQueue::default(),
        stash: None,
    };
    Ok(magic::make::<Handle>(process, Mutex::new(state)))
}

/// `zlib:close_nif(Z)`
pub(crate) fn close_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    if state.closed {
        return Err(error(am::NOT_INITIALIZED));
    }
    state.closed = true;
    state.stream = None;
    state.stash = None;
    Ok(am::OK)
}

/// `zlib:set_controller_nif(Z, Pid)`
pub(crate) fn set_controller_nif_2(
    process: &mut Process,
    [reference, pid]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    if !pid.is_local_pid() {
        return Err(badarg(2));
    }
    state(process, handle)?.controller = pid;
    Ok(am::OK)
}

/// `zlib:deflateInit_nif(Z, Level, Method, WindowBits, MemLevel, Strategy)`
pub(crate) fn deflate_init_nif_6(
    process: &mut Process,
    [
        reference,
        level,
        method,
        window_bits,
        memory_level,
        strategy,
    ]: [Term; 6],
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    let numbers = integers([level, method, window_bits, memory_level, strategy])?;
    let [level, method, window_bits, memory_level, strategy] = numbers;
    let mut state = state(process, handle)?;
    if state.closed || state.stream.is_some() {
        return Err(error(am::ALREADY_INITIALIZED));
    }
    match Stream::deflate(level, method, window_bits, memory_level, strategy) {
        Ok(stream) => {
            state.begin(stream, window_bits);
            Ok(am::OK)
        }
        Err(code) => answer(code),
    }
}

/// `zlib:inflateInit_nif(Z, WindowBits, AtEnd)`
pub(crate) fn inflate_init_nif_3(
    process: &mut Process,
    [reference, window_bits, at_end]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    let [window_bits, at_end] = integers([window_bits, at_end])?;
    let mut state = state(process, handle)?;
    if state.closed || state.stream.is_some() {
        return Err(error(am::ALREADY_INITIALIZED));
    }
    match Stream::inflate(window_bits) {
        Ok(stream) => {
            state.begin(stream, window_bits);
            state.at_end = at_end;
            Ok(am::OK)
        }
        Err(code) => answer(code),
    }
}

fn set_dictionary(
    process: &mut Process,
    [reference, dictionary]: [Term; 2],
    direction: Direction,
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    let dictionary = iolist::to_vec(dictionary, MOST_DICTIONARY_BYTES).map_err(|_| badarg(2))?;
    let mut state = state(process, handle)?;
    let raw = state.raw;
    let stream = state.stream(direction)?;
    if let Err(code) = stream.set_dictionary(&dictionary) {
        return answer(code);
    }
    if direction == Direction::Inflate {
        return Ok(am::OK);
    }
    let checksum = if raw {
        // The library keeps none for raw streams. OTP begins at 0, although the checksum of no bytes is 1.
        let mut adler = adler2::Adler32::from_checksum(0);
        adler.write_slice(&dictionary);
        adler.checksum()
    } else {
        stream.adler()
    };
    Ok(checksum_term(checksum))
}

/// The checksum of a dictionary. Up to OTP 26 it is a signed integer.
fn checksum_term(checksum: u32) -> Term {
    Term::small(match release::has(Release::OTP_27) {
        true => i64::from(checksum),
        false => i64::from(checksum as i32),
    })
}

/// `zlib:deflateSetDictionary_nif(Z, Dictionary)`
pub(crate) fn deflate_set_dictionary_nif_2(
    process: &mut Process,
    arguments: [Term; 2],
) -> BifResult {
    set_dictionary(process, arguments, Direction::Deflate)
}

/// `zlib:inflateSetDictionary_nif(Z, Dictionary)`
pub(crate) fn inflate_set_dictionary_nif_2(
    process: &mut Process,
    arguments: [Term; 2],
) -> BifResult {
    set_dictionary(process, arguments, Direction::Inflate)
}

/// `zlib:inflateGetDictionary_nif(Z)`
pub(crate) fn inflate_get_dictionary_nif_1(
    process: &mut Process,
    [reference]: [Term; 1],
) -> BifResult {
    let dictionary = {
        let no_gc = no_gc!();
        let mut state = state(process, handle(reference, no_gc)?)?;
        state.stream(Direction::Inflate)?.inflate_dictionary()
    };
    match dictionary {
        Ok(dictionary) => Ok(build::binary(process.heap(), &dictionary)),
        Err(code) => answer(code),
    }
}

fn reset(process: &mut Process, reference: Term, direction: Direction) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    let outcome = state.stream(direction)?.reset();
    state.checksum = 0;
    state.end_seen = false;
    state.forget_input();
    answer_of(outcome)
}

/// `zlib:deflateReset_nif(Z)`
pub(crate) fn deflate_reset_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    reset(process, reference, Direction::Deflate)
}

/// `zlib:inflateReset_nif(Z)`
pub(crate) fn inflate_reset_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    reset(process, reference, Direction::Inflate)
}

fn end(process: &mut Process, reference: Term, direction: Direction) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    state.stream(direction)?;
    let mut outcome = state.stream.take().map_or(Ok(()), Stream::end);
    let incomplete = direction == Direction::Inflate && !state.end_seen;
    if outcome.is_ok() && (incomplete || state.input.size() > 0) {
        outcome = Err(Code::DATA_ERROR);
    }
    state.forget_input();
    answer_of(outcome)
}

/// `zlib:deflateEnd_nif(Z)`
pub(crate) fn deflate_end_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    end(process, reference, Direction::Deflate)
}

/// `zlib:inflateEnd_nif(Z)`
pub(crate) fn inflate_end_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    end(process, reference, Direction::Inflate)
}

/// `zlib:deflateParams_nif(Z, Level, Strategy)`
pub(crate) fn deflate_params_nif_3(
    process: &mut Process,
    [reference, level, strategy]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    let [level, strategy] = integers([level, strategy])?;
    let mut state = state(process, handle)?;
    answer_of(
        state
            .stream(Direction::Deflate)?
            .set_deflate_parameters(level, strategy),
    )
}

/// Sizes for a step, in bytes, and how to flush at the end of the input.
struct Step {
    input: usize,
    output: usize,
    flush: c_int,
}

fn step([input, output, flush]: [Term; 3]) -> Result<Step, Failure> {
    let [input, output, flush] = integers([input, output, flush])?;
    let size = |number: c_int, place| match usize::try_from(number) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(badarg(place)),
    };
    Ok(Step {
        input: size(input, 2)?,
        output: size(output, 3)?,
        flush,
    })
}

/// The outcome of a step; sizes are in bytes.
struct Outcome {
    code: Code,
    consumed: usize,
    produced: usize,
}

/// Consumes queued input until the step's share is used up or the output is full.
fn run_step(
    state: &mut State,
    direction: Direction,
    step: &Step,
    output: &mut InputBuffer,
) -> Result<Outcome, Failure> {
    state.stream(direction)?;
    let State {
        stream: Some(stream),
        input,
        raw,
        checksum,
        ..
    } = state
    else {
        return Err(error(am::NOT_INITIALIZED));
    };
    let mut outcome = Outcome {
        code: Code::OK,
        consumed: 0,
        produced: 0,
    };
    for piece in input.pieces() {
        if outcome.code != Code::OK || outcome.consumed >= step.input {
            break;
        }
        let piece = &piece[..piece.len().min(step.input)];
        let room = &mut output.room()[outcome.produced..];
        // There is no flush here; that is done only at the end of all input.
        let progress = stream.run(piece, room, stream::NO_FLUSH);
        outcome.code = progress.code;
        outcome.consumed += progress.consumed;
        outcome.produced += progress.produced;
        if *raw && direction == Direction::Deflate {
            State::count(checksum, &piece[..progress.consumed]);
        }
    }
    // A few bytes may stand for very many.
    let reductions = (outcome.consumed / BYTES_PER_REDUCTION)
        .max(outcome.produced / PRODUCED_BYTES_PER_REDUCTION);
    runtime::mail::current::charge(reductions as i64);
    input.skip(outcome.consumed);
    if outcome.code == Code::OK && input.size() == 0 && outcome.produced < step.output {
        // This is needed even if no flush is requested: the last call may have filled its output.
        let room = &mut output.room()[outcome.produced..];
        let progress = stream.run(&[], room, step.flush);
        outcome.code = progress.code;
        outcome.produced += progress.produced;
    }
    Ok(outcome)
}

/// `{finished | continue, Output}`, or `{need_dictionary, Adler, Output}`; `Output` is a list of at most
/// one binary.
fn run(state: &mut State, heap: &mut Heap, direction: Direction, step: &Step) -> BifResult {
    let Some(mut output) = InputBuffer::new(step.output) else {
        return answer(Code::MEMORY_ERROR);
    };
    let outcome = run_step(state, direction, step, &mut output)?;
    if outcome.code.is_fatal() {
        return answer(outcome.code);
    }
    if outcome.code == Code::STREAM_END {
        state.end_seen = true;
    }
    let remaining = state.input.size();
    if outcome.consumed == 0 && outcome.produced == 0 && remaining > 0 {
        return answer(Code::DATA_ERROR);
    }
    let list = if outcome.produced == 0 {
        Term::NIL
    } else {
        // SAFETY: the library has reported that it wrote this many bytes, contiguously from the start.
        let binary = unsafe { output.into_binary(heap, outcome.produced) };
        if state.raw && direction == Direction::Inflate {
            let no_gc = no_gc!();
            let bits = binary.as_bits().and_then(|bits| bits.as_bytes(no_gc));
            State::count(&mut state.checksum, bits.unwrap_or_default());
        }
        build::cons(heap, binary, Term::NIL)
    };
    Ok(if remaining == 0 && outcome.produced < step.output {
        build::tuple(heap, &[am::FINISHED, list])
    } else if outcome.code == Code::NEED_DICTIONARY {
        let adler = state.stream.as_ref().map_or(0, Stream::adler);
        build::tuple(heap, &[am::NEED_DICTIONARY, checksum_term(adler), list])
    } else {
        build::tuple(heap, &[am::CONTINUE, list])
    })
}

/// `zlib:deflate_nif(Z, InputChunkSize, OutputChunkSize, Flush)`
pub(crate) fn deflate_nif_4(
    process: &mut Process,
    [reference, input, output, flush]: [Term; 4],
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    let step = step([input, output, flush])?;
    let mut state = state(process, handle)?;
    state.stream(Direction::Deflate)?;
    run(&mut state, process.heap(), Direction::Deflate, &step)
}

/// `zlib:inflate_nif(Z, InputChunkSize, OutputChunkSize, Flush)`
pub(crate) fn inflate_nif_4(
    process: &mut Process,
    [reference, input, output, flush]: [Term; 4],
) -> BifResult {
    let no_gc = no_gc!();
    let handle = handle(reference, no_gc)?;
    let step = step([input, output, flush])?;
    let mut state = state(process, handle)?;
    state.stream(Direction::Inflate)?;
    if state.end_seen && state.input.size() > 0 {
        match state.at_end {
            AT_END_ERROR => return answer(Code::DATA_ERROR),
            AT_END_RESET => {
                if let Err(code) = state.stream(Direction::Inflate)?.reset() {
                    return answer(code);
                }
                state.end_seen = false;
            }
            _ => state.forget_input(),
        }
    }
    run(&mut state, process.heap(), Direction::Inflate, &step)
}

/// `zlib:enqueue_nif(Z, Binaries)`
pub(crate) fn enqueue_nif_2(process: &mut Process, [reference, list]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    if state.stream.is_none() {
        return Err(error(am::NOT_INITIALIZED));
    }
    let mut rest = list;
    for _ in 0..MOST_BINARIES {
        let Some((head, tail)) = rest.as_cons() else {
            break;
        };
        state.input.push(head).ok_or(badarg(2))?;
        rest = tail;
    }
    if rest.is_nil() {
        Ok(am::OK)
    } else if rest.is_cons() {
        Ok(build::tuple(process.heap(), &[am::CONTINUE, rest]))
    } else {
        Err(badarg(2))
    }
}

/// `zlib:crc32_nif(Z)`
pub(crate) fn crc32_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let state = state(process, handle(reference, no_gc)?)?;
    if state.stream.is_none() {
        return Err(error(am::NOT_INITIALIZED));
    }
    Ok(Term::small(i64::from(state.checksum)))
}

/// `zlib:getStash_nif(Z)`
pub(crate) fn get_stash_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let state = state(process, handle(reference, no_gc)?)?;
    Ok(match &state.stash {
        None => atom::known("empty"),
        Some(stash) => {
            let heap = process.heap();
            let stash = copy::copy(heap, stash.term());
            build::tuple(heap, &[am::OK, stash])
        }
    })
}

/// `zlib:clearStash_nif(Z)`
pub(crate) fn clear_stash_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    match state.stash.take() {
        Some(_) => Ok(am::OK),
        None => Err(error(am::ERROR)),
    }
}

/// `zlib:setStash_nif(Z, Term)`
pub(crate) fn set_stash_nif_2(process: &mut Process, [reference, term]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    if state.stash.is_some() {
        return Err(error(am::ERROR));
    }
    state.stash = Some(Owned::new(term));
    Ok(am::OK)
}

/// `zlib:getBufSize_nif(Z)`
pub(crate) fn get_buf_size_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let state = state(process, handle(reference, no_gc)?)?;
    Ok(Term::small(i64::from(state.buffer_size)))
}

/// `zlib:setBufSize_nif(Z, Size)`
pub(crate) fn set_buf_size_nif_2(process: &mut Process, [reference, size]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let mut state = state(process, handle(reference, no_gc)?)?;
    state.buffer_size = int32(size).ok_or(badarg(2))?;
    Ok(am::OK)
}
