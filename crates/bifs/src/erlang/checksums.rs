//! Checksums of I/O data, MD5, and the portable hashes of terms.
//!
//! A call reads as many bytes as its slice allows and continues with the rest. The sums that take a start value pass
//! the sum so far as that value; MD5 puts a reference to its state in front of the rest.

use crc32fast::Hasher;
use layout::{Term, no_gc};
use md5::digest::common::hazmat::{SerializableState, SerializedState};
use md5::{Digest, Md5};
use term::iolist::{Piece, Walk};
use term::{am, atom, build, hash, integer, unicode};

use crate::magic;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_as_called, trap};
use runtime::mail::current::{charge, reductions_left};
use runtime::mail::loans;
use runtime::process::Process;

/// Bytes of CRC-32 or Adler-32 that count as one reduction.
const BYTES_PER_REDUCTION: usize = 128;
/// Bytes of MD5, some 50 ns, that count as one reduction.
const MD5_BYTES_PER_REDUCTION: usize = 32;
/// Bytes of a list that are collected before they are summed.
const RUN_BYTES: usize = 512;

/// Passes bytes of an I/O list to `sum` while the slice lasts; returns the rest if there is one.
fn read(
    process: &mut Process,
    iolist: Term,
    bytes_per_reduction: usize,
    mut sum: impl FnMut(&[u8]),
) -> Result<Option<Term>, Failure> {
    let budget = reductions_left().max(8) as usize * bytes_per_reduction;
    let mut left = budget;
    let mut walk = Walk::new(iolist);
    let mut run = [0; RUN_BYTES];
    let mut length = 0;
    let rest = loop {
        let most = (RUN_BYTES - length).min(left);
        let taken = walk.bytes(&mut run[length..length + most]);
        length += taken;
        left -= taken;
        if left == 0 {
            sum(&run[..length]);
            break Some(walk.rest(process.heap()));
        }
        if length == RUN_BYTES {
            sum(&run);
            length = 0;
        }
        let piece = walk.next_piece().map_err(|_| badarg(1))?;
        if let Some(Piece::Byte(byte)) = piece {
            run[length] = byte;
            length += 1;
            left -= 1;
            continue;
        }
        if length > 0 {
            sum(&run[..length]);
            length = 0;
        }
        let Some(Piece::Bits(binary)) = piece else {
            break None;
        };
        let no_gc = no_gc!();
        let bytes = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
        let taken = bytes.len().min(left);
        sum(&bytes[..taken]);
        left -= taken;
        if taken < bytes.len() {
            let heap = process.heap();
            let more = (bytes.len() - taken) as u64 * 8;
            let more = build::sub_bits(heap, binary, taken as u64 * 8, more);
            let rest = walk.rest(heap);
            break Some(build::cons(heap, more, rest));
        }
    };
    charge(((budget - left) / bytes_per_reduction) as i64);
    Ok(rest)
}

fn number(sum: u32) -> Term {
    Term::small(i64::from(sum))
}

fn crc32(process: &mut Process, start: u32, data: Term) -> BifResult {
    let mut hasher = Hasher::new_with_initial(start);
    let rest = read(process, data, BYTES_PER_REDUCTION, |bytes| {
        hasher.update(bytes)
    })?;
    let sum = number(hasher.finalize());
    match rest {
        Some(rest) => Err(trap(am::ERLANG, atom::known("crc32"), &[sum, rest])),
        None => Ok(sum),
    }
}

/// `erlang:crc32(Data)`
pub(crate) fn crc32_1(process: &mut Process, [data]: [Term; 1]) -> BifResult {
    crc32(process, 0, data)
}

/// `erlang:crc32(OldCrc, Data)`
pub(crate) fn crc32_2(process: &mut Process, [start, data]: [Term; 2]) -> BifResult {
    let start = integer::uint32(start).ok_or(badarg(1))?;
    crc32(process, start, data)
}

/// `erlang:crc32_combine(First, Second, SizeOfSecond)`
pub(crate) fn crc32_combine_3(_process: &mut Process, [a, b, size]: [Term; 3]) -> BifResult {
    let a = integer::uint32(a).ok_or(badarg(1))?;
    let b = integer::uint32(b).ok_or(badarg(2))?;
    let size = integer::uint32(size).ok_or(badarg(3))?;
    if size == 0 {
        return Ok(number(a ^ b));
    }
    let mut both = Hasher::new_with_initial(a);
    both.combine(&Hasher::new_with_initial_len(b, u64::from(size)));
    Ok(number(both.finalize()))
}

fn adler32(process: &mut Process, start: u32, data: Term) -> BifResult {
    let mut adler = adler2::Adler32::from_checksum(start);
    let rest = read(process, data, BYTES_PER_REDUCTION, |bytes| {
        adler.write_slice(bytes);
    })?;
    let sum = number(adler.checksum());
    match rest {
        Some(rest) => Err(trap(am::ERLANG, atom::known("adler32"), &[sum, rest])),
        None => Ok(sum),
    }
}

/// `erlang:adler32(Data)`
pub(crate) fn adler32_1(process: &mut Process, [data]: [Term; 1]) -> BifResult {
    adler32(process, 1, data)
}

/// `erlang:adler32(OldAdler, Data)`
pub(crate) fn adler32_2(process: &mut Process, [start, data]: [Term; 2]) -> BifResult {
    let start = integer::uint32(start).ok_or(badarg(1))?;
    adler32(process, start, data)
}

/// The Adler-32 of two texts one after the other. The sum of the second text began with a low half of 1 instead of the
/// first text's low half, so its high half lacks the first's low half once for each byte of the second text.
fn combine_adler(a: u32, b: u32, size: u64) -> u32 {
    const BASE: u64 = 65_521;
    if size == 0 {
        return a;
    }
    let halves = |sum: u32| (u64::from(sum & 0xffff), u64::from(sum >> 16));
    let ((low_a, high_a), (low_b, high_b)) = (halves(a), halves(b));
    // As in zlib: halves that no text can produce are reduced by one or two subtractions, not by division.
    let less = |sum: u64, times: u64| {
        if sum >= BASE * times {
            sum - BASE * times
        } else {
            sum
        }
    };
    let rest = size % BASE;
    let low = less(less(low_a + low_b + BASE - 1, 1), 1);
    let high = less(
        less(rest * low_a % BASE + high_a + high_b + BASE - rest, 2),
        1,
    );
    (high << 16 | low) as u32
}

/// `erlang:adler32_combine(First, Second, SizeOfSecond)`
pub(crate) fn adler32_combine_3(_process: &mut Process, [a, b, size]: [Term; 3]) -> BifResult {
    let a = integer::uint32(a).ok_or(badarg(1))?;
    let b = integer::uint32(b).ok_or(badarg(2))?;
    let size = integer::uint32(size).ok_or(badarg(3))?;
    Ok(number(combine_adler(a, b, u64::from(size))))
}

/// The state of an MD5 that continues in the next slice.
struct Md5Progress(Md5);

/// `erlang:md5(Data)`
pub(crate) fn md5_1(process: &mut Process, [data]: [Term; 1]) -> BifResult {
    let progress = data
        .as_cons()
        .and_then(|(head, rest)| Some((magic::resume(head)?, rest)));
    let (mut md5, data, goes_on) = match progress {
        Some((Md5Progress(md5), rest)) => (md5, rest, true),
        None => (Md5::new(), data, false),
    };
    let before = goes_on.then(|| md5.clone());
    let read = read(process, data, MD5_BYTES_PER_REDUCTION, |bytes| {
        md5.update(bytes)
    });
    let rest = match (read, before) {
        (Ok(rest), _) => rest,
        // As on stock, what goes on has a name of its own.
        (Err(Failure::Error(am::BADARG)), Some(before)) => {
            let before = context(process, &before);
            let name = (am::ERLANG, atom::known("md5_trap"));
            return Err(badarg_as_called(process, name, &[before, data]));
        }
        (Err(failure), _) => return Err(failure),
    };
    match rest {
        None => Ok(build::binary(process.heap(), &md5.finalize())),
        Some(rest) => {
            let state = magic::pause(process, Md5Progress(md5));
            let data = build::cons(process.heap(), state, rest);
            Err(Failure::Yield {
                arguments: Box::new([data]),
            })
        }
    }
}

fn context(process: &mut Process, md5: &Md5) -> Term {
    build::binary(process.heap(), &md5.serialize())
}

/// The state in a context, a binary of 88 bytes.
fn state(context: Term) -> Option<Md5> {
    let no_gc = no_gc!();
    let bytes = unicode::bytes_of(context, no_gc)?;
    let state = SerializedState::<Md5>::try_from(&bytes[..]).ok()?;
    Md5::deserialize(&state).ok()
}

/// `erlang:md5_init()`
pub(crate) fn md5_init_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(context(process, &Md5::new()))
}

/// `erlang:md5_update(Context, Data)`
pub(crate) fn md5_update_2(process: &mut Process, [before, data]: [Term; 2]) -> BifResult {
    let mut md5 = state(before).ok_or(badarg(1))?;
    let rest = read(process, data, MD5_BYTES_PER_REDUCTION, |bytes| {
        md5.update(bytes)
    })?;
    let after = context(process, &md5);
    match rest {
        None => Ok(after),
        Some(rest) => Err(Failure::Yield {
            arguments: Box::new([after, rest]),
        }),
    }
}

/// `erlang:md5_final(Context)`
pub(crate) fn md5_final_1(process: &mut Process, [context]: [Term; 1]) -> BifResult {
    let md5 = state(context).ok_or(badarg(1))?;
    Ok(build::binary(process.heap(), &md5.finalize()))
}

/// A range of 1 to 2^32 values.
fn range_of(range: Term) -> Option<u64> {
    integer::uint64(range).filter(|range| (1..=1 << 32).contains(range))
}

/// `erlang:phash(Term, Range)`: from 1 on.
pub(crate) fn phash_2(process: &mut Process, [term, range]: [Term; 2]) -> BifResult {
    let range = range_of(range).ok_or(badarg(2))?;
    let hash = hashed(process, |most_steps| hash::phash_within(term, most_steps))?;
    Ok(Term::small((u64::from(hash) % range) as i64 + 1))
}

/// Steps of hashing done within a slice; a step is a term, or 16 bytes.
const SHORT_HASH_STEPS: usize = 1 << 15;
/// Steps of hashing that count as one reduction.
const HASH_STEPS_PER_REDUCTION: usize = 16;

/// The hash of a term, by a function that gives up after so many steps; dirty schedulers hash large terms.
fn hashed(
    process: &mut Process,
    within: impl FnOnce(usize) -> Option<(u32, usize)>,
) -> Result<u32, Failure> {
    let hashed = match runtime::mail::dirty::is_here() {
        true => loans::apart(process, || within(usize::MAX)),
        false => within(SHORT_HASH_STEPS),
    };
    let (hash, steps) = hashed.ok_or(Failure::Dirty)?;
    charge((steps / HASH_STEPS_PER_REDUCTION) as i64);
    Ok(hash)
}

fn portable_hash(process: &mut Process, term: Term) -> Result<u32, Failure> {
    hashed(process, |most_steps| hash::phash2_within(term, most_steps))
}

/// `erlang:phash2(Term)`: below 2^27.
pub(crate) fn phash2_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    Ok(number(portable_hash(process, term)? & 0x7ff_ffff))
}

/// `erlang:phash2(Term, Range)`: from 0 on.
pub(crate) fn phash2_2(process: &mut Process, [term, range]: [Term; 2]) -> BifResult {
    let range = range_of(range).ok_or(badarg(2))?;
    Ok(Term::small(
        (u64::from(portable_hash(process, term)?) % range) as i64,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combined_sums_are_those_of_the_whole() {
        let text: Vec<u8> = (0..200_000u32).map(|n| (n * 7 + n / 251) as u8).collect();
        for at in [0, 1, 17, 65_521, 131_042, 199_999, 200_000] {
            let (a, b) = text.split_at(at);
            let whole = adler2::adler32_slice(&text);
            let parts = (adler2::adler32_slice(a), adler2::adler32_slice(b));
            assert_eq!(combine_adler(parts.0, parts.1, b.len() as u64), whole);
        }
    }

    #[test]
    fn a_context_has_the_size_of_stock() {
        assert_eq!(Md5::new().serialize().len(), 88);
    }
}
