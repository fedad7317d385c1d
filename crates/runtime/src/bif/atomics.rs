//! `atomics` and `counters`: arrays of 64-bit integers that processes share.

use std::sync::atomic::{AtomicU64, Ordering};

use layout::{Heap, Term};
use term::{am, build, map};

use super::{BifResult, badarg, magic, system_limit};
use crate::process::Process;

/// An array of `atomics:new/2`.
struct Atomics {
    signed: bool,
    values: Box<[AtomicU64]>,
}

/// An array of `counters:new/2` with `write_concurrency`.
struct Counters {
    values: Box<[AtomicU64]>,
}

const MAX_ARITY: i64 = 1 << 32;

fn new_values(arity: Term) -> Result<Box<[AtomicU64]>, super::Failure> {
    let count = match arity.as_small() {
        Some(count) => count,
        None if matches!(arity.as_big(), Some((false, _))) => i64::MAX,
        None => return Err(badarg(1)),
    };
    if count < 1 {
        return Err(badarg(1));
    }
    if count > MAX_ARITY {
        return Err(system_limit());
    }
    Ok((0..count).map(|_| AtomicU64::new(0)).collect())
}

fn place(values: &[AtomicU64], index: Term) -> Result<&AtomicU64, super::Failure> {
    let index = index
        .as_small()
        .and_then(|index| usize::try_from(index).ok())
        .ok_or(badarg(2))?;
    index
        .checked_sub(1)
        .and_then(|index| values.get(index))
        .ok_or(badarg(2))
}

/// The bits of an integer that fits the array.
fn bits_of(value: Term, signed: bool) -> Option<u64> {
    if let Some(small) = value.as_small() {
        return (signed || small >= 0).then_some(small as u64);
    }
    let (negative, limbs) = value.as_big()?;
    let [limb] = *limbs else { return None };
    match (signed, negative) {
        (false, false) => Some(limb),
        (false, true) => None,
        (true, false) => i64::try_from(limb).ok().map(|value| value as u64),
        (true, true) => (limb <= 1 << 63).then(|| limb.wrapping_neg()),
    }
}

fn integer_of(heap: &mut Heap, bits: u64, signed: bool) -> Term {
    if signed {
        build::integer(heap, bits as i64)
    } else {
        build::unsigned(heap, bits)
    }
}

fn atomics<'a>(reference: Term) -> Result<&'a Atomics, super::Failure> {
    magic::get::<Atomics>(reference).ok_or(badarg(1))
}

/// `erts_internal:atomics_new(Arity, Options)`
pub fn atomics_new_2(process: &mut Process, [arity, options]: [Term; 2]) -> BifResult {
    // Option bit 0: signed.
    let options = options.as_small().ok_or(badarg(2))?;
    let values = new_values(arity)?;
    Ok(magic::make(
        process,
        Atomics {
            signed: options & 1 != 0,
            values,
        },
    ))
}

/// `atomics:put(Ref, Index, Value)`
pub fn put_3(_process: &mut Process, [reference, index, value]: [Term; 3]) -> BifResult {
    let atomics = atomics(reference)?;
    let place = place(&atomics.values, index)?;
    place.store(
        bits_of(value, atomics.signed).ok_or(badarg(3))?,
        Ordering::SeqCst,
    );
    Ok(am::OK)
}

/// `atomics:get(Ref, Index)`
pub fn get_2(process: &mut Process, [reference, index]: [Term; 2]) -> BifResult {
    let atomics = atomics(reference)?;
    let bits = place(&atomics.values, index)?.load(Ordering::SeqCst);
    Ok(integer_of(process.heap(), bits, atomics.signed))
}

/// Increments may be of either sign, whatever the array holds.
fn increment_of(value: Term) -> Option<u64> {
    bits_of(value, true).or_else(|| bits_of(value, false))
}

/// `atomics:add(Ref, Index, Increment)`
pub fn add_3(_process: &mut Process, [reference, index, increment]: [Term; 3]) -> BifResult {
    let atomics = atomics(reference)?;
    let place = place(&atomics.values, index)?;
    place.fetch_add(increment_of(increment).ok_or(badarg(3))?, Ordering::SeqCst);
    Ok(am::OK)
}

/// `atomics:add_get(Ref, Index, Increment)`
pub fn add_get_3(process: &mut Process, [reference, index, increment]: [Term; 3]) -> BifResult {
    let atomics = atomics(reference)?;
    let place = place(&atomics.values, index)?;
    let increment = increment_of(increment).ok_or(badarg(3))?;
    let bits = place
        .fetch_add(increment, Ordering::SeqCst)
        .wrapping_add(increment);
    Ok(integer_of(process.heap(), bits, atomics.signed))
}

/// `atomics:exchange(Ref, Index, Value)`
pub fn exchange_3(process: &mut Process, [reference, index, value]: [Term; 3]) -> BifResult {
    let atomics = atomics(reference)?;
    let place = place(&atomics.values, index)?;
    let bits = place.swap(
        bits_of(value, atomics.signed).ok_or(badarg(3))?,
        Ordering::SeqCst,
    );
    Ok(integer_of(process.heap(), bits, atomics.signed))
}

/// `atomics:compare_exchange(Ref, Index, Expected, Desired)`
pub fn compare_exchange_4(
    process: &mut Process,
    [reference, index, expected, desired]: [Term; 4],
) -> BifResult {
    let atomics = atomics(reference)?;
    let place = place(&atomics.values, index)?;
    let expected = bits_of(expected, atomics.signed).ok_or(badarg(3))?;
    let desired = bits_of(desired, atomics.signed).ok_or(badarg(4))?;
    match place.compare_exchange(expected, desired, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => Ok(am::OK),
        Err(bits) => Ok(integer_of(process.heap(), bits, atomics.signed)),
    }
}

/// `atomics:info(Ref)`
pub fn info_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let atomics = atomics(reference)?;
    let heap = process.heap();
    let (least, most) = if atomics.signed {
        (
            build::integer(heap, i64::MIN),
            build::integer(heap, i64::MAX),
        )
    } else {
        (Term::small(0), build::unsigned(heap, u64::MAX))
    };
    let pairs = [
        (am::SIZE, Term::small(atomics.values.len() as i64)),
        (am::MAX, most),
        (am::MIN, least),
        (
            am::MEMORY,
            Term::small((atomics.values.len() * 8 + 40) as i64),
        ),
    ];
    Ok(map::from_pairs(heap, &pairs))
}

fn counters<'a>(reference: Term) -> Result<&'a Counters, super::Failure> {
    magic::get::<Counters>(reference).ok_or(badarg(1))
}

/// `erts_internal:counters_new(Size)`
pub fn counters_new_1(process: &mut Process, [size]: [Term; 1]) -> BifResult {
    let values = new_values(size)?;
    Ok(magic::make(process, Counters { values }))
}

/// `erts_internal:counters_get(Ref, Index)`
pub fn counters_get_2(process: &mut Process, [reference, index]: [Term; 2]) -> BifResult {
    let bits = place(&counters(reference)?.values, index)?.load(Ordering::Relaxed);
    Ok(build::integer(process.heap(), bits as i64))
}

/// `erts_internal:counters_add(Ref, Index, Increment)`
pub fn counters_add_3(
    _process: &mut Process,
    [reference, index, increment]: [Term; 3],
) -> BifResult {
    let place = place(&counters(reference)?.values, index)?;
    place.fetch_add(increment_of(increment).ok_or(badarg(3))?, Ordering::Relaxed);
    Ok(am::OK)
}

/// `erts_internal:counters_put(Ref, Index, Value)`
pub fn counters_put_3(_process: &mut Process, [reference, index, value]: [Term; 3]) -> BifResult {
    let place = place(&counters(reference)?.values, index)?;
    place.store(bits_of(value, true).ok_or(badarg(3))?, Ordering::Relaxed);
    Ok(am::OK)
}

/// `erts_internal:counters_info(Ref)`
pub fn counters_info_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let counters = counters(reference)?;
    let pairs = [
        (am::SIZE, Term::small(counters.values.len() as i64)),
        (
            am::MEMORY,
            Term::small((counters.values.len() * 8 + 40) as i64),
        ),
    ];
    Ok(map::from_pairs(process.heap(), &pairs))
}
