//! `atomics` and `counters`: arrays of 64-bit integers that processes share.

use std::sync::atomic::{AtomicU64, Ordering};

use layout::{Heap, NoGc, Term, no_gc};
use term::{am, build, map};

use super::magic;
use runtime::code::bif::{BifResult, badarg, room_for, system_limit};
use runtime::mail::{current, schedulers};
use runtime::process::Process;

/// An array of `atomics:new/2`.
struct Atomics {
    signed: bool,
    values: Box<[AtomicU64]>,
}

/// Counters on a cache line.
const COUNTERS_PER_LINE: usize = 8;

#[derive(Default)]
#[repr(align(64))]
struct Line([AtomicU64; COUNTERS_PER_LINE]);

/// An array of `counters:new/2` with `write_concurrency`. Each scheduler counts on its own cache lines, all other
/// threads share one more set of lines, and a counter's value is the sum.
struct Counters {
    /// For the first eight counters one line per place, then as many for the next eight, and so on. A place belongs to
    /// a scheduler, or to all other threads.
    lines: Box<[Line]>,
    places: usize,
    size: usize,
}

impl Counters {
    fn new(size: usize) -> Counters {
        let count = Counters::lines_of(size);
        Counters {
            lines: (0..count).map(|_| Line::default()).collect(),
            places: Counters::places(),
            size,
        }
    }

    fn places() -> usize {
        schedulers::count() + 1
    }

    /// The lines of so many counters.
    fn lines_of(size: usize) -> usize {
        size.div_ceil(COUNTERS_PER_LINE) * Counters::places()
    }

    /// The cells of the counter numbered `index`, from 1: one for each place.
    fn cells(
        &self,
        index: Term,
    ) -> Result<impl Iterator<Item = &AtomicU64>, runtime::code::bif::Failure> {
        let index = place_of(index, self.size)?;
        let first = index / COUNTERS_PER_LINE * self.places;
        let lines = &self.lines[first..first + self.places];
        Ok(lines
            .iter()
            .map(move |line| &line.0[index % COUNTERS_PER_LINE]))
    }

    /// The cell that this thread counts in.
    #[inline]
    fn own_cell(&self, index: Term) -> Result<&AtomicU64, runtime::code::bif::Failure> {
        let index = place_of(index, self.size)?;
        let place = current::current_number() % self.places;
        let line = &self.lines[index / COUNTERS_PER_LINE * self.places + place];
        Ok(&line.0[index % COUNTERS_PER_LINE])
    }
}

/// Bytes that stock counts in addition to the lines.
const COUNTERS_HEAD_BYTES: usize = 32;

const MAX_ARITY: i64 = 1 << 32;

fn count_of(arity: Term) -> Result<usize, runtime::code::bif::Failure> {
    let count = match arity.as_small() {
        Some(count) => count,
        None if arity.big_sign() == Some(false) => i64::MAX,
        None => return Err(badarg(1)),
    };
    if count < 1 {
        return Err(badarg(1));
    }
    if count > MAX_ARITY {
        return Err(system_limit());
    }
    Ok(count as usize)
}

/// Converts an index from 1 to an offset in an array of `size` values; `badarg` if it is outside.
#[inline]
fn place_of(index: Term, size: usize) -> Result<usize, runtime::code::bif::Failure> {
    let index = index.as_small().ok_or(badarg(2))?.wrapping_sub(1) as usize;
    // An index below 1 has wrapped around to a value beyond every size.
    if index < size {
        Ok(index)
    } else {
        Err(badarg(2))
    }
}

#[inline]
fn place(values: &[AtomicU64], index: Term) -> Result<&AtomicU64, runtime::code::bif::Failure> {
    Ok(&values[place_of(index, values.len())?])
}

/// The bits of an integer that the array can hold.
fn bits_of(value: Term, signed: bool) -> Option<u64> {
    if let Some(small) = value.as_small() {
        return (signed || small >= 0).then_some(small as u64);
    }
    let no_gc = no_gc!();
    let (negative, limbs) = value.as_big(no_gc)?;
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

/// Charges for the memory of an array, so that a slice of the process does not take gigabytes.
fn charge_for(bytes: usize) {
    const BYTES_PER_REDUCTION: usize = 1 << 10;
    current::charge((bytes / BYTES_PER_REDUCTION) as i64);
}

fn atomics(reference: Term, no_gc: &NoGc) -> Result<&Atomics, runtime::code::bif::Failure> {
    magic::get::<Atomics>(reference, no_gc).ok_or(badarg(1))
}

/// `erts_internal:atomics_new(Arity, Options)`
pub(crate) fn atomics_new_2(process: &mut Process, [arity, options]: [Term; 2]) -> BifResult {
    // Option bit 0: signed.
    let options = options.as_small().ok_or(badarg(2))?;
    let count = count_of(arity)?;
    room_for(count.saturating_mul(8))?;
    charge_for(count * 8);
    let values = (0..count).map(|_| AtomicU64::new(0)).collect();
    let signed = options & 1 != 0;
    Ok(magic::make_holding(
        process,
        Atomics { signed, values },
        count * 8,
    ))
}

/// `atomics:put(Ref, Index, Value)`
pub(crate) fn put_3(_process: &mut Process, [reference, index, value]: [Term; 3]) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
    let place = place(&atomics.values, index)?;
    place.store(
        bits_of(value, atomics.signed).ok_or(badarg(3))?,
        Ordering::SeqCst,
    );
    Ok(am::OK)
}

/// `atomics:get(Ref, Index)`
pub(crate) fn get_2(process: &mut Process, [reference, index]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
    let bits = place(&atomics.values, index)?.load(Ordering::SeqCst);
    Ok(integer_of(process.heap(), bits, atomics.signed))
}

/// Increments may be negative or unsigned, whether or not the array is signed.
fn increment_of(value: Term) -> Option<u64> {
    bits_of(value, true).or_else(|| bits_of(value, false))
}

/// `atomics:add(Ref, Index, Increment)`
pub(crate) fn add_3(_process: &mut Process, [reference, index, increment]: [Term; 3]) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
    let place = place(&atomics.values, index)?;
    place.fetch_add(increment_of(increment).ok_or(badarg(3))?, Ordering::SeqCst);
    Ok(am::OK)
}

/// `atomics:add_get(Ref, Index, Increment)`
pub(crate) fn add_get_3(
    process: &mut Process,
    [reference, index, increment]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
    let place = place(&atomics.values, index)?;
    let increment = increment_of(increment).ok_or(badarg(3))?;
    let bits = place
        .fetch_add(increment, Ordering::SeqCst)
        .wrapping_add(increment);
    Ok(integer_of(process.heap(), bits, atomics.signed))
}

/// `atomics:exchange(Ref, Index, Value)`
pub(crate) fn exchange_3(process: &mut Process, [reference, index, value]: [Term; 3]) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
    let place = place(&atomics.values, index)?;
    let bits = place.swap(
        bits_of(value, atomics.signed).ok_or(badarg(3))?,
        Ordering::SeqCst,
    );
    Ok(integer_of(process.heap(), bits, atomics.signed))
}

/// `atomics:compare_exchange(Ref, Index, Expected, Desired)`
pub(crate) fn compare_exchange_4(
    process: &mut Process,
    [reference, index, expected, desired]: [Term; 4],
) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
    let place = place(&atomics.values, index)?;
    let expected = bits_of(expected, atomics.signed).ok_or(badarg(3))?;
    let desired = bits_of(desired, atomics.signed).ok_or(badarg(4))?;
    match place.compare_exchange(expected, desired, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => Ok(am::OK),
        Err(bits) => Ok(integer_of(process.heap(), bits, atomics.signed)),
    }
}

/// `atomics:info(Ref)`
pub(crate) fn info_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let atomics = atomics(reference, no_gc)?;
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

fn counters(reference: Term, no_gc: &NoGc) -> Result<&Counters, runtime::code::bif::Failure> {
    magic::get::<Counters>(reference, no_gc).ok_or(badarg(1))
}

/// `erts_internal:counters_new(Size)`
pub(crate) fn counters_new_1(process: &mut Process, [size]: [Term; 1]) -> BifResult {
    let size = count_of(size)?;
    let bytes = Counters::lines_of(size).saturating_mul(size_of::<Line>());
    room_for(bytes)?;
    charge_for(bytes);
    Ok(magic::make_holding(process, Counters::new(size), bytes))
}

/// `erts_internal:counters_get(Ref, Index)`
pub(crate) fn counters_get_2(process: &mut Process, [reference, index]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let cells = counters(reference, no_gc)?.cells(index)?;
    let bits = cells
        .map(|cell| cell.load(Ordering::Relaxed))
        .fold(0, u64::wrapping_add);
    Ok(build::integer(process.heap(), bits as i64))
}

/// `erts_internal:counters_add(Ref, Index, Increment)`
pub(crate) fn counters_add_3(
    _process: &mut Process,
    [reference, index, increment]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let cell = counters(reference, no_gc)?.own_cell(index)?;
    cell.fetch_add(increment_of(increment).ok_or(badarg(3))?, Ordering::Relaxed);
    Ok(am::OK)
}

/// `erts_internal:counters_put(Ref, Index, Value)`
pub(crate) fn counters_put_3(
    _process: &mut Process,
    [reference, index, value]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let mut cells = counters(reference, no_gc)?.cells(index)?;
    let bits = bits_of(value, true).ok_or(badarg(3))?;
    if let Some(first) = cells.next() {
        first.store(bits, Ordering::Relaxed);
    }
    cells.for_each(|cell| cell.store(0, Ordering::Relaxed));
    Ok(am::OK)
}

/// `erts_internal:counters_info(Ref)`
pub(crate) fn counters_info_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let counters = counters(reference, no_gc)?;
    let memory = COUNTERS_HEAD_BYTES + size_of_val(&*counters.lines);
    let pairs = [
        (am::SIZE, Term::small(counters.size as i64)),
        (am::MEMORY, Term::small(memory as i64)),
    ];
    Ok(map::from_pairs(process.heap(), &pairs))
}
