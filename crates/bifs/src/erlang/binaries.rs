//! Binaries: their sizes and parts, and conversions from and to lists.

use layout::Term;
use layout::kinds::MatchContext;
use layout::object::Bits;
use term::bits::construct::{self, Builder};
use term::bits::matching::{self, extract, extract_from};
use term::bits::range;
use term::iolist::{self, IolistError, Step, Wanted};
use term::release::{self, Release};
use term::{am, atom, build, integer};

use crate::magic;
use runtime::code::bif::{
    BifResult, Failure, badarg, badarg_as_called, dirty_unless, system_limit, trap,
};
use runtime::mail::current::{charge, reductions_left};
use runtime::process::Process;

/// Bytes copied that count as one reduction.
const BYTES_PER_REDUCTION: u64 = 256;
/// Pieces of an I/O list that count as one reduction.
const PIECES_PER_REDUCTION: usize = 64;
/// Bytes that are made into list elements for one reduction.
const LISTED_PER_REDUCTION: u64 = 64;

/// The error of a BIF whose first argument is not a valid I/O list.
pub(crate) fn iolist_failure(error: IolistError) -> Failure {
    match error {
        IolistError::Bad(_) => badarg(1),
        IolistError::Limit => system_limit(),
    }
}

/// The bits of a bit string; `badarg` for any other term.
fn bits_of(term: Term) -> Result<Bits, Failure> {
    if term.is_bitstring() {
        term.as_bits().ok_or(badarg(1))
    } else {
        Err(badarg(1))
    }
}

/// `erlang:bit_size(Bitstring)`
pub(crate) fn bit_size_1(process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let bits = bits_left(string)?;
    Ok(build::unsigned(process.heap(), bits))
}

/// `erlang:byte_size(Bitstring)`
pub(crate) fn byte_size_1(process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let bits = bits_left(string)?;
    Ok(build::unsigned(process.heap(), bits.div_ceil(8)))
}

/// The number of bits of a bit string, or of those that a match context has left: from OTP 26 on, the compiler asks for
/// them without making the bit string.
fn bits_left(string: Term) -> Result<u64, Failure> {
    if let Some(context) = MatchContext::of(string) {
        return Ok(matching::left(context));
    }
    Ok(bits_of(string)?.bit_len())
}

/// A part of the whole bytes of a bit string; a negative length extends to the left.
pub(crate) fn part(process: &mut Process, string: Term, position: Term, length: Term) -> BifResult {
    let bits = bits_of(string)?;
    // From OTP 26 on the whole must be a binary, also if its odd bits are not wanted.
    if bits.bit_len() % 8 != 0 && release::has(Release::OTP_26) {
        return Err(badarg(1));
    }
    let size = bits.bit_len() / 8;
    let (start, length) = part_range(size, position, length).ok_or(badarg(2))?;
    let heap = process.heap();
    Ok(extract_from(heap, string, bits, start * 8, length * 8))
}

/// Start and length of a part of `size` bytes; `None` if it is not within them.
pub(crate) fn part_range(size: u64, position: Term, length: Term) -> Option<(u64, u64)> {
    if let (Some(start), Some(length)) = (position.as_small(), length.as_small())
        && start >= 0
        && length >= 0
    {
        let (start, length) = (start as u64, length as u64);
        return (start + length <= size).then_some((start, length));
    }
    let position = integer::uint64(position)?;
    let length = integer::int64(length)?;
    let (start, end) = if length < 0 {
        (position.checked_sub(length.unsigned_abs())?, position)
    } else {
        (position, position.checked_add(length as u64)?)
    };
    (end <= size).then_some((start, end - start))
}

/// `erlang:binary_part(Binary, {Start, Length})`
pub(crate) fn binary_part_2(process: &mut Process, [string, range]: [Term; 2]) -> BifResult {
    match range.as_tuple_of() {
        Some([position, length]) => part(process, string, position, length),
        _ => Err(badarg(2)),
    }
}

/// `erlang:binary_part(Binary, Start, Length)`
pub(crate) fn binary_part_3(
    process: &mut Process,
    [string, position, length]: [Term; 3],
) -> BifResult {
    part(process, string, position, length)
}

/// `erlang:split_binary(Binary, Position)`; bits beyond the last whole byte go to the right.
pub(crate) fn split_binary_2(process: &mut Process, [string, position]: [Term; 2]) -> BifResult {
    let bits = bits_of(string)?;
    let position = integer::uint64(position)
        .filter(|position| *position <= bits.bit_len() / 8)
        .ok_or(badarg(2))?;
    let (whole, first) = build::whole_of(string);
    let heap = process.heap();
    let middle = position * 8;
    let left = extract(heap, whole, first, middle);
    let right = extract(heap, whole, first + middle, bits.bit_len() - middle);
    Ok(build::tuple(heap, &[left, right]))
}

/// Progress of joining an I/O list. Between slices it is the head of a list whose tail holds the state.
enum Joining {
    /// `[Joining, Whole | Rest]`: `bits` were counted so far, and `Rest` is still to be counted.
    Sizing { bits: u64 },
    /// `[Joining, Result | Rest]`: bits up to `position` of `end` are written.
    Writing { position: u64, end: u64 },
}

/// The progress at a list's head, the term behind it, and the rest of the I/O list.
fn joining_of(data: Term) -> Option<(Joining, Term, Term)> {
    let (head, tail) = data.as_cons()?;
    let (kept, rest) = tail.as_cons()?;
    Some((magic::resume(head)?, kept, rest))
}

/// How many pieces of an I/O list fit in the slice.
fn pieces() -> usize {
    reductions_left().max(8) as usize * PIECES_PER_REDUCTION
}

fn later(process: &mut Process, joining: Joining, kept: Term, rest: Term) -> Failure {
    let joining = magic::pause(process, joining);
    let heap = process.heap();
    let data = build::cons(heap, kept, rest);
    let data = build::cons(heap, joining, data);
    charge(reductions_left().max(0));
    Failure::Yield {
        arguments: Box::new([data]),
    }
}

/// The error of a function whose argument was `whole`, also if it was re-entered with other arguments since.
fn failure_as_called(
    process: &mut Process,
    function: (Term, Term),
    whole: Term,
    error: IolistError,
) -> Failure {
    match error {
        IolistError::Bad(_) => badarg_as_called(process, function, &[whole]),
        IolistError::Limit => system_limit(),
    }
}

/// Joins an I/O list to one bit string, as far as the slice allows. `function` is the BIF's module and name, for an
/// error.
fn join(
    process: &mut Process,
    data: Term,
    wanted: Wanted,
    function: impl FnOnce() -> (Term, Term),
) -> BifResult {
    let earlier = joining_of(data);
    let is_first = earlier.is_none();
    let mut front = iolist::Front::new();
    let (joining, kept, rest) = match earlier {
        Some(earlier) => earlier,
        None => {
            if let Some(string) = iolist::as_it_is(data, wanted).map_err(iolist_failure)? {
                return Ok(string);
            }
            let rest = front.take(process.heap(), data).map_err(iolist_failure)?;
            let size = front.bytes().len();
            if rest.is_nil() {
                charge((size / BYTES_PER_REDUCTION as usize) as i64);
                return Ok(build::binary(process.heap(), front.bytes()));
            }
            let bits = size as u64 * 8;
            (Joining::Sizing { bits }, data, rest)
        }
    };
    let mut budget = pieces();
    let (string, position, end, rest) = match joining {
        Joining::Writing { position, end } => (kept, position, end, rest),
        Joining::Sizing { bits } => {
            let step = iolist::size_step(process.heap(), rest, wanted, &mut budget);
            let step = step.map_err(|error| match is_first {
                true => iolist_failure(error),
                false => failure_as_called(process, function(), kept, error),
            });
            match step? {
                Step::More(more, rest) => {
                    let bits = bits.checked_add(more).ok_or_else(system_limit)?;
                    return Err(later(process, Joining::Sizing { bits }, kept, rest));
                }
                Step::Done(more) => {
                    let end = bits.checked_add(more).ok_or_else(system_limit)?;
                    let started = construct::start(process.heap(), end);
                    let (string, mut builder) = started.ok_or_else(system_limit)?;
                    let bytes = front.bytes();
                    // SAFETY: there was no safepoint since the builder was made.
                    let put = unsafe { builder.put_string(bytes.as_ptr(), bytes.len() as u64) };
                    put.map_err(|_| system_limit())?;
                    // Where the size took several slices, the front is not known any more.
                    let from = if is_first { rest } else { kept };
                    (string, bytes.len() as u64 * 8, end, from)
                }
            }
        }
    };
    let mut builder = Builder::over(build::whole_of(string).0, position, end);
    // SAFETY: there was no safepoint since the builder was made.
    let step = unsafe { iolist::write_step(process.heap(), &mut builder, rest, wanted, budget) };
    match step.map_err(iolist_failure)? {
        Step::Done(written) => {
            charge((written / 8 / BYTES_PER_REDUCTION) as i64);
            Ok(string)
        }
        Step::More(written, rest) => {
            let position = position + written;
            Err(later(
                process,
                Joining::Writing { position, end },
                string,
                rest,
            ))
        }
    }
}

/// `erlang:list_to_binary(Iolist)`: accepts only a list.
pub(crate) fn list_to_binary_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    list_to_binary_as(process, list, || named("list_to_binary"))
}

/// `list_to_binary`, called as `function`, its module and name.
pub(crate) fn list_to_binary_as(
    process: &mut Process,
    list: Term,
    function: impl FnOnce() -> (Term, Term),
) -> BifResult {
    if !list.is_list() {
        return Err(badarg(1));
    }
    join(process, list, Wanted::Bytes, function)
}

/// A function of `erlang`.
fn named(function: &str) -> (Term, Term) {
    (am::ERLANG, atom::known(function))
}

/// `erlang:iolist_to_binary(IolistOrBinary)`
pub(crate) fn iolist_to_binary_1(process: &mut Process, [iolist]: [Term; 1]) -> BifResult {
    join(process, iolist, Wanted::Bytes, || named("iolist_to_binary"))
}

/// `erlang:list_to_bitstring(List)`: accepts only a list.
pub(crate) fn list_to_bitstring_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    if !list.is_list() {
        return Err(badarg(1));
    }
    join(process, list, Wanted::Bits, || named("list_to_bitstring"))
}

/// `erlang:iolist_size(IolistOrBinary)`
pub(crate) fn iolist_size_1(process: &mut Process, [iolist]: [Term; 1]) -> BifResult {
    let (before, whole, rest) = match joining_of(iolist) {
        Some((Joining::Sizing { bits }, whole, rest)) => (bits, whole, rest),
        _ => (0, iolist, iolist),
    };
    let step = iolist::size_step(process.heap(), rest, Wanted::Bytes, &mut pieces());
    match step.map_err(|error| failure_as_called(process, named("iolist_size"), whole, error))? {
        Step::Done(more) => {
            let bits = before.checked_add(more).ok_or_else(system_limit)?;
            Ok(build::unsigned(process.heap(), bits / 8))
        }
        Step::More(more, rest) => {
            let bits = before.checked_add(more).ok_or_else(system_limit)?;
            Err(later(process, Joining::Sizing { bits }, whole, rest))
        }
    }
}

/// `erlang:iolist_to_iovec(IolistOrBinary)`
pub(crate) fn iolist_to_iovec_1(process: &mut Process, [iolist]: [Term; 1]) -> BifResult {
    let size = iolist::size_step(process.heap(), iolist, Wanted::Bytes, &mut pieces());
    let short = matches!(size.map_err(iolist_failure)?, Step::Done(_));
    dirty_unless(short)?;
    iolist::to_iovec(process.heap(), iolist).map_err(|error| {
        if short || !release::has(Release::OTP_26) {
            return iolist_failure(error);
        }
        // Stock has begun to yield here, and goes on under this name.
        let function = (am::ERTS_INTERNAL, atom::known("iolist_to_iovec_continue"));
        failure_as_called(process, function, iolist, error)
    })
}

/// Bytes of a binary that are still to be prepended to a list. Between slices: `[Listing, Binary | List]`.
struct Listing {
    first: u64,
    count: u64,
}

/// Prepends bytes of a binary to `tail`, as many as the slice allows.
fn list_of(process: &mut Process, binary: Term, listing: Listing, tail: Term) -> BifResult {
    let bits = bits_of(binary)?;
    let Listing { first, count } = listing;
    let budget = reductions_left().max(8) as u64 * LISTED_PER_REDUCTION;
    let left = count.saturating_sub(budget);
    charge(((count - left) / LISTED_PER_REDUCTION) as i64);
    let heap = process.heap();
    let start = u64::from(bits.bit_offset()) + first * 8;
    let listed = (left..count).map(|index| {
        // SAFETY: the callers give a range within the bit string.
        let byte = unsafe { range::load(bits.bytes(), start + index * 8, 8) };
        Term::small(byte as i64)
    });
    let list = build::list_of(heap, (count - left) as usize, listed, tail);
    if left == 0 {
        return Ok(list);
    }
    let listing = magic::pause(process, Listing { first, count: left });
    let heap = process.heap();
    let state = build::cons(heap, binary, list);
    let state = build::cons(heap, listing, state);
    Err(trap(am::ERLANG, atom::known("binary_to_list"), &[state]))
}

/// `erlang:binary_to_list(Binary)`; all BIFs that make lists of bytes continue here.
pub(crate) fn binary_to_list_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    if let Some((head, tail)) = binary.as_cons()
        && let Some((binary, list)) = tail.as_cons()
        && let Some(listing) = magic::resume(head)
    {
        return list_of(process, binary, listing, list);
    }
    let bits = bits_of(binary)?;
    if bits.bit_len() % 8 != 0 {
        return Err(badarg(1));
    }
    let listing = Listing {
        first: 0,
        count: bits.bit_len() / 8,
    };
    list_of(process, binary, listing, Term::NIL)
}

/// `erlang:binary_to_list(Binary, First, Last)`, counted from 1.
pub(crate) fn binary_to_list_3(
    process: &mut Process,
    [binary, first, last]: [Term; 3],
) -> BifResult {
    let bits = bits_of(binary)?.bit_len();
    if bits % 8 != 0 && release::has(Release::OTP_27) {
        return Err(badarg(1));
    }
    let size = bits / 8;
    let first = integer::uint64(first).ok_or(badarg(2))?;
    let last = integer::uint64(last).ok_or(badarg(3))?;
    if first < 1 || last < first || last > size {
        return Err(badarg(2));
    }
    let listing = Listing {
        first: first - 1,
        count: last - first + 1,
    };
    list_of(process, binary, listing, Term::NIL)
}

/// `erlang:bitstring_to_list(Bitstring)`: the bytes, and a last bit string if bits are left over.
pub(crate) fn bitstring_to_list_1(process: &mut Process, [string]: [Term; 1]) -> BifResult {
    let bits = bits_of(string)?;
    let (count, left) = (bits.bit_len() / 8, bits.bit_len() % 8);
    let heap = process.heap();
    let tail = match (count, left) {
        (_, 0) => Term::NIL,
        (0, _) => build::cons(heap, string, Term::NIL),
        _ => {
            let last = build::sub_bits(heap, string, count * 8, left);
            build::cons(heap, last, Term::NIL)
        }
    };
    list_of(process, string, Listing { first: 0, count }, tail)
}
