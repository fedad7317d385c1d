//! `binary`: bytes of binaries, copies, numbers, and searching.

use std::sync::atomic::Ordering;

use layout::kinds::HeapBinary;
use layout::limits::HEAP_BINARY_BYTES;
use layout::{ObjectKind, Term, no_gc};
use term::off_heap::{self, BinaryBlock};
use term::release::{self, Release};
use term::{am, atom, bits, build, integer, unicode};

use super::erlang;
use runtime::code::bif::{BifResult, Failure, badarg, dirty_unless, system_limit};
use runtime::mail::current::charge;
use runtime::process::Process;

mod search;
mod short_patterns;

pub(crate) use search::*;

/// Bytes looked at or copied that count as one reduction.
const BYTES_PER_REDUCTION: usize = 256;
/// Larger copies, in bytes, are made by dirty schedulers.
const MOST_COPIED_HERE: u64 = 4 << 20;

/// `binary:at(Binary, Position)`
pub(crate) fn at_2(_process: &mut Process, [binary, position]: [Term; 2]) -> BifResult {
    if !binary.is_binary() {
        return Err(badarg(1));
    }
    let bits = binary.as_bits().ok_or(badarg(1))?;
    let position = integer::uint64(position)
        .filter(|position| *position < bits.bit_len() / 8)
        .ok_or(badarg(2))?;
    Ok(byte_at(bits, position))
}

/// A byte of a binary; `position` must be within it.
fn byte_at(bits: layout::object::Bits, position: u64) -> Term {
    let start = u64::from(bits.bit_offset()) + position * 8;
    // SAFETY: the callers give a position within the binary.
    let byte = unsafe { bits::range::load(bits.bytes(), start, 8) };
    Term::small(byte as i64)
}

/// The bits of a binary, which must have at least one byte.
fn not_empty(binary: Term) -> Result<layout::object::Bits, Failure> {
    if !binary.is_binary() {
        return Err(badarg(1));
    }
    binary
        .as_bits()
        .filter(|bits| bits.bit_len() > 0)
        .ok_or(badarg(1))
}

/// `binary:first(Binary)`
pub(crate) fn first_1(_process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    Ok(byte_at(not_empty(binary)?, 0))
}

/// `binary:last(Binary)`
pub(crate) fn last_1(_process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let bits = not_empty(binary)?;
    Ok(byte_at(bits, bits.bit_len() / 8 - 1))
}

/// `binary:part(Binary, {Start, Length})`
pub(crate) fn part_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    erlang::binary_part_2(process, arguments)
}

/// `binary:part(Binary, Start, Length)`
pub(crate) fn part_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    erlang::binary_part_3(process, arguments)
}

/// `binary:list_to_bin(Iolist)`
pub(crate) fn list_to_bin_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let name = || (atom::known("binary"), atom::known("list_to_bin"));
    erlang::list_to_binary_as(process, list, name)
}

/// Short binaries are copied in pieces of about so many bytes.
const COPIED_AT_ONCE: usize = 4096;

fn copies(process: &mut Process, binary: Term, count: u64) -> BifResult {
    if !binary.is_bitstring() {
        return Err(badarg(1));
    }
    // Until OTP 27, no copies of a bit string are an empty binary.
    if count == 0 && !release::has(Release::OTP_27) {
        return Ok(build::binary(process.heap(), &[]));
    }
    let no_gc = no_gc!();
    let source = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    let size = (source.len() as u64)
        .checked_mul(count)
        .filter(|size| *size <= u64::MAX / 16)
        .ok_or_else(system_limit)?;
    dirty_unless(size <= MOST_COPIED_HERE)?;
    let (copy, mut builder) =
        bits::construct::start(process.heap(), size * 8).ok_or_else(system_limit)?;
    charge((size / BYTES_PER_REDUCTION as u64) as i64);
    if source.is_empty() {
        return Ok(copy);
    }
    let mut put = |bytes: &[u8]| {
        // SAFETY: there was no safepoint since the builder was made, and there are so many bytes.
        let put = unsafe { builder.put_string(bytes.as_ptr(), bytes.len() as u64) };
        put.map_err(|_| system_limit())
    };
    let at_once = ((COPIED_AT_ONCE / source.len()) as u64).clamp(1, count.max(1));
    let piece = match at_once {
        1 => source,
        _ => source.repeat(at_once as usize).into(),
    };
    for _ in 0..count / at_once {
        put(&piece)?;
    }
    let rest = (count % at_once) as usize * (piece.len() / at_once as usize);
    put(&piece[..rest])?;
    Ok(copy)
}

/// `binary:copy(Binary)`
pub(crate) fn copy_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    copies(process, binary, 1)
}

/// `binary:copy(Binary, Count)`
pub(crate) fn copy_2(process: &mut Process, [binary, count]: [Term; 2]) -> BifResult {
    copies(process, binary, integer::uint64(count).ok_or(badarg(2))?)
}

/// `binary:referenced_byte_size(Binary)`: the size of the whole binary that this one is a part of.
///
/// From OTP 27 on a short one lies on a heap of its own, whole bytes or not. OTP 27 returns the number of its bits.
pub(crate) fn referenced_byte_size_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let bits = binary.as_bits().ok_or(badarg(1))?.bit_len();
    let (whole, _) = build::whole_of(binary);
    let is_shared = whole.is_kind(ObjectKind::SharedBinary);
    let is_own = !is_shared || (bits % 8 != 0 && bits <= HEAP_BINARY_BYTES as u64 * 8);
    let size = if is_own && release::has(Release::OTP_27) {
        match release::has(Release::OTP_28) {
            true => bits / 8,
            false => bits,
        }
    } else if is_shared {
        // SAFETY: a shared binary's block is live while the binary is.
        unsafe {
            let block = off_heap::block_of(whole.boxed_pointer()).cast::<BinaryBlock>();
            (*block).used.load(Ordering::Relaxed) as u64
        }
    } else {
        HeapBinary::expect(whole).size()
    };
    Ok(build::unsigned(process.heap(), size))
}

#[derive(Clone, Copy)]
enum Order {
    Big,
    Little,
}

fn order_of(term: Term) -> Option<Order> {
    match term {
        am::BIG => Some(Order::Big),
        am::LITTLE => Some(Order::Little),
        _ => None,
    }
}

fn encode(process: &mut Process, number: Term, order: Order) -> BifResult {
    let mut encoded: Vec<u8> = match (number.as_small(), number.as_big(no_gc!())) {
        (Some(value), _) => u64::try_from(value)
            .map_err(|_| badarg(1))?
            .to_le_bytes()
            .to_vec(),
        (None, Some((false, limbs))) => limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect(),
        _ => return Err(badarg(1)),
    };
    let zeros = encoded.iter().rev().take_while(|&&byte| byte == 0).count();
    encoded.truncate((encoded.len() - zeros).max(1));
    if let Order::Big = order {
        encoded.reverse();
    }
    Ok(build::binary(process.heap(), &encoded))
}

/// `binary:encode_unsigned(Integer)`
pub(crate) fn encode_unsigned_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    encode(process, number, Order::Big)
}

/// `binary:encode_unsigned(Integer, Order)`
pub(crate) fn encode_unsigned_2(process: &mut Process, [number, order]: [Term; 2]) -> BifResult {
    encode(process, number, order_of(order).ok_or(badarg(2))?)
}

fn decode(process: &mut Process, binary: Term, order: Order) -> BifResult {
    let mut encoded = unicode::bytes_of(binary, no_gc!())
        .ok_or(badarg(1))?
        .into_owned();
    if let Order::Big = order {
        encoded.reverse();
    }
    let zeros = encoded.iter().rev().take_while(|&&byte| byte == 0).count();
    encoded.truncate(encoded.len() - zeros);
    let limbs: Vec<u64> = encoded
        .chunks(8)
        .map(|chunk| {
            let mut limb = [0; 8];
            limb[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(limb)
        })
        .collect();
    if limbs.len() > layout::limits::BIG_LIMBS {
        return Err(system_limit());
    }
    Ok(build::big(process.heap(), false, &limbs))
}

/// `binary:decode_unsigned(Binary)`
pub(crate) fn decode_unsigned_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    decode(process, binary, Order::Big)
}

/// `binary:decode_unsigned(Binary, Order)`
pub(crate) fn decode_unsigned_2(process: &mut Process, [binary, order]: [Term; 2]) -> BifResult {
    decode(process, binary, order_of(order).ok_or(badarg(2))?)
}

/// Maximum number of bytes that a scheduler compares at once.
const MOST_COMPARED_HERE: usize = 1 << 20;

/// Whether comparing the binaries of a list with one of `length` bytes looks at no more than `most` bytes; a binary
/// counts for at least one.
fn compares_less(length: usize, mut list: Term, most: usize) -> bool {
    let mut left = most;
    while let Some((head, tail)) = list.as_cons() {
        let bytes = head.as_bits().map_or(0, |bits| bits.bit_len() / 8);
        let Some(less) = left.checked_sub(length.min(bytes as usize).max(1)) else {
            return false;
        };
        left = less;
        list = tail;
    }
    true
}

/// How many bytes the first binary of a list has in common with all others, where `same` counts those of two binaries.
fn common(list: Term, same: impl Fn(&[u8], &[u8]) -> usize) -> BifResult {
    let (first, mut rest) = list.as_cons().ok_or(badarg(1))?;
    let no_gc = no_gc!();
    let first = unicode::bytes_of(first, no_gc).ok_or(badarg(1))?;
    dirty_unless(compares_less(first.len(), rest, MOST_COMPARED_HERE))?;
    let mut length = first.len();
    let mut seen = 0;
    while let Some((head, tail)) = rest.as_cons() {
        let other = unicode::bytes_of(head, no_gc).ok_or(badarg(1))?;
        length = length.min(same(&first, &other));
        seen += length;
        rest = tail;
    }
    charge((seen / BYTES_PER_REDUCTION) as i64);
    if rest.is_nil() {
        Ok(Term::small(length as i64))
    } else {
        Err(badarg(1))
    }
}

/// `binary:longest_common_prefix(Binaries)`
pub(crate) fn longest_common_prefix_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    common(list, |a, b| {
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    })
}

/// `binary:longest_common_suffix(Binaries)`
pub(crate) fn longest_common_suffix_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    common(list, |a, b| {
        let pairs = a.iter().rev().zip(b.iter().rev());
        pairs.take_while(|(a, b)| a == b).count()
    })
}
