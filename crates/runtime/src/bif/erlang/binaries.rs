//! Binaries: their sizes and parts, and lists to binaries and back.

use layout::Term;
use layout::object::Bits;
use term::bits::matching::extract;
use term::bits::range;
use term::build;
use term::iolist::{self, IolistError};

use crate::bif::{BifResult, Failure, badarg, bytes, system_limit};
use crate::process::Process;
use crate::scheduler::charge;

/// Bytes copied that count as one reduction.
const BYTES_PER_REDUCTION: u64 = 256;

/// The error of a BIF whose first argument is no I/O list.
pub fn iolist_failure(error: IolistError) -> Failure {
    match error {
        IolistError::Bad(_) => badarg(1),
        IolistError::Limit => system_limit(),
    }
}

/// The bits of a bit string, nothing else.
fn bits_of(term: Term) -> Result<Bits, Failure> {
    if term.is_bitstring() {
        term.as_bits().ok_or(badarg(1))
    } else {
        Err(badarg(1))
    }
}

/// Charges for the bytes of a result.
fn charged(result: Result<Term, IolistError>) -> BifResult {
    let binary = result.map_err(iolist_failure)?;
    if let Some(bits) = binary.as_bits() {
        charge((bits.bit_len / 8 / BYTES_PER_REDUCTION) as i64);
    }
    Ok(binary)
}

/// `erlang:bit_size(Bitstring)`
pub fn bit_size_1(process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let bits = bits_of(string)?;
    Ok(build::unsigned(process.heap(), bits.bit_len))
}

/// `erlang:byte_size(Bitstring)`
pub fn byte_size_1(process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let bits = bits_of(string)?;
    Ok(build::unsigned(process.heap(), bits.bit_len.div_ceil(8)))
}

/// A part of the whole bytes of a bit string; a negative length goes to the left.
pub fn part(process: &mut Process, string: Term, position: Term, length: Term) -> BifResult {
    let size = bits_of(string)?.bit_len / 8;
    let (start, length) = part_range(size, position, length).ok_or(badarg(2))?;
    let (whole, first) = build::whole_of(string);
    Ok(extract(
        process.heap(),
        whole,
        first + start * 8,
        length * 8,
    ))
}

/// Start and length of a part of `size` bytes.
pub fn part_range(size: u64, position: Term, length: Term) -> Option<(u64, u64)> {
    let position = bytes::unsigned(position)?;
    let length = bytes::signed(length)?;
    let (start, end) = if length < 0 {
        (position.checked_sub(length.unsigned_abs())?, position)
    } else {
        (position, position.checked_add(length as u64)?)
    };
    (end <= size).then_some((start, end - start))
}

/// `erlang:binary_part(Binary, {Start, Length})`
pub fn binary_part_2(process: &mut Process, [string, range]: [Term; 2]) -> BifResult {
    match range.as_tuple() {
        Some(&[position, length]) => part(process, string, position, length),
        _ => Err(badarg(2)),
    }
}

/// `erlang:binary_part(Binary, Start, Length)`
pub fn binary_part_3(process: &mut Process, [string, position, length]: [Term; 3]) -> BifResult {
    part(process, string, position, length)
}

/// `erlang:split_binary(Binary, Position)`; bits left over go to the right.
pub fn split_binary_2(process: &mut Process, [string, position]: [Term; 2]) -> BifResult {
    let bits = bits_of(string)?;
    let position = bytes::unsigned(position)
        .filter(|position| *position <= bits.bit_len / 8)
        .ok_or(badarg(2))?;
    let (whole, first) = build::whole_of(string);
    let heap = process.heap();
    let middle = position * 8;
    let left = extract(heap, whole, first, middle);
    let right = extract(heap, whole, first + middle, bits.bit_len - middle);
    Ok(build::tuple(heap, &[left, right]))
}

/// `erlang:list_to_binary(Iolist)`: a list only.
pub fn list_to_binary_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    if !list.is_list() {
        return Err(badarg(1));
    }
    charged(iolist::to_binary(process.heap(), list))
}

/// `erlang:iolist_to_binary(IolistOrBinary)`
pub fn iolist_to_binary_1(process: &mut Process, [iolist]: [Term; 1]) -> BifResult {
    charged(iolist::to_binary(process.heap(), iolist))
}

/// `erlang:list_to_bitstring(List)`: a list only.
pub fn list_to_bitstring_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    if !list.is_list() {
        return Err(badarg(1));
    }
    charged(iolist::to_bitstring(process.heap(), list))
}

/// `erlang:iolist_size(IolistOrBinary)`
pub fn iolist_size_1(process: &mut Process, [iolist]: [Term; 1]) -> BifResult {
    let size = iolist::size(iolist).map_err(iolist_failure)?;
    charge((size / BYTES_PER_REDUCTION) as i64);
    Ok(build::unsigned(process.heap(), size))
}

/// `erlang:iolist_to_iovec(IolistOrBinary)`
pub fn iolist_to_iovec_1(process: &mut Process, [iolist]: [Term; 1]) -> BifResult {
    iolist::to_iovec(process.heap(), iolist).map_err(iolist_failure)
}

/// Bytes `first..first + count` of some bits, as a list before `tail`.
fn list_of(process: &mut Process, bits: Bits, first: u64, count: u64, tail: Term) -> Term {
    charge((count / BYTES_PER_REDUCTION) as i64 * 4);
    let heap = process.heap();
    let start = u64::from(bits.bit_offset) + first * 8;
    (0..count).rev().fold(tail, |list, index| {
        // SAFETY: the caller keeps the range within the bit string.
        let byte = unsafe { range::load(bits.bytes, start + index * 8, 8) };
        build::cons(heap, Term::small(byte as i64), list)
    })
}

/// `erlang:binary_to_list(Binary)`
pub fn binary_to_list_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let bits = bits_of(binary)?;
    if bits.bit_len % 8 != 0 {
        return Err(badarg(1));
    }
    Ok(list_of(process, bits, 0, bits.bit_len / 8, Term::NIL))
}

/// `erlang:binary_to_list(Binary, First, Last)`, counted from 1.
pub fn binary_to_list_3(process: &mut Process, [binary, first, last]: [Term; 3]) -> BifResult {
    let bits = bits_of(binary)?;
    let size = bits.bit_len / 8;
    let first = bytes::unsigned(first).ok_or(badarg(2))?;
    let last = bytes::unsigned(last).ok_or(badarg(3))?;
    if first < 1 || last < first || last > size {
        return Err(badarg(2));
    }
    Ok(list_of(
        process,
        bits,
        first - 1,
        last - first + 1,
        Term::NIL,
    ))
}

/// `erlang:bitstring_to_list(Bitstring)`: bytes, and last the bits left over.
pub fn bitstring_to_list_1(process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let bits = bits_of(string)?;
    let (count, left) = (bits.bit_len / 8, bits.bit_len % 8);
    if left == 0 {
        return Ok(list_of(process, bits, 0, count, Term::NIL));
    }
    let heap = process.heap();
    let last = match count {
        0 => string,
        _ => build::sub_bits(heap, string, count * 8, left),
    };
    let tail = build::cons(heap, last, Term::NIL);
    Ok(list_of(process, bits, 0, count, tail))
}
