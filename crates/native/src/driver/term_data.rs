//! The language in which drivers describe terms: words that push a term, or take some and push one made of them.

use std::slice;

use layout::{Heap, Term};
use runtime::code::load::CodeResolver;
use term::external::{self, DecodeOptions};
use term::off_heap;
use term::{build, map};

use super::abi::Binary;

/// `ERL_DRV_NIL` and so on.
mod code {
    pub(super) const NIL: usize = 1;
    pub(super) const ATOM: usize = 2;
    pub(super) const INT: usize = 3;
    pub(super) const PORT: usize = 4;
    pub(super) const BINARY: usize = 5;
    pub(super) const STRING: usize = 6;
    pub(super) const TUPLE: usize = 7;
    pub(super) const LIST: usize = 8;
    pub(super) const STRING_CONS: usize = 9;
    pub(super) const PID: usize = 10;
    pub(super) const FLOAT: usize = 11;
    pub(super) const EXT2TERM: usize = 12;
    pub(super) const UINT: usize = 13;
    pub(super) const BUF2BINARY: usize = 14;
    pub(super) const INT64: usize = 15;
    pub(super) const UINT64: usize = 16;
    pub(super) const MAP: usize = 17;
}

/// Up to so many bytes are copied instead of shared.
const FEW_BYTES: usize = 64;

/// Builds the term that words describe; None if they make no sense.
///
/// # Safety
/// Pointers among the words are what the header asks for.
pub(super) unsafe fn build(heap: &mut Heap, words: &[usize]) -> Option<Term> {
    let mut words = words.iter().copied();
    let mut stack: Vec<Term> = Vec::new();
    while let Some(code) = words.next() {
        let mut next = || words.next();
        let term = match code {
            code::NIL => Term::NIL,
            code::ATOM | code::PORT | code::PID => {
                // SAFETY: these are immediate; others are refused.
                let term = unsafe { Term::from_bits(next()? as u64) };
                let fits = match code {
                    code::ATOM => term.is_atom(),
                    code::PORT => term.is_local_port(),
                    _ => term.is_local_pid(),
                };
                fits.then_some(term)?
            }
            code::INT => build::integer(heap, next()? as i64),
            code::UINT => build::unsigned(heap, next()? as u64),
            // SAFETY: the caller's promise.
            code::INT64 => build::integer(heap, unsafe { *(next()? as *const i64) }),
            // SAFETY: as above.
            code::UINT64 => build::unsigned(heap, unsafe { *(next()? as *const u64) }),
            code::FLOAT => {
                // SAFETY: as above.
                let value = unsafe { *(next()? as *const f64) };
                value.is_finite().then(|| build::float(heap, value))?
            }
            code::BINARY => {
                let (binary, size, offset) = (next()? as *mut Binary, next()?, next()?);
                // SAFETY: as above.
                unsafe { binary_of(heap, binary, size, offset) }?
            }
            // SAFETY: as above.
            code::BUF2BINARY => build::binary(heap, unsafe { bytes(next()?, next()?) }?),
            // SAFETY: as above.
            code::STRING => build::byte_list(heap, unsafe { text(next()?, next()?) }?),
            code::STRING_CONS => {
                // SAFETY: as above.
                let text = unsafe { text(next()?, next()?) }?;
                let items: Vec<Term> = text
                    .iter()
                    .map(|byte| Term::small((*byte).into()))
                    .collect();
                let tail = stack.pop()?;
                build::list_with_tail(heap, &items, tail)
            }
            code::TUPLE => {
                let items = take(&mut stack, next()?)?;
                build::tuple(heap, &items)
            }
            code::LIST => {
                let items = take(&mut stack, next()?)?;
                let (tail, items) = items.split_last()?;
                build::list_with_tail(heap, items, *tail)
            }
            code::MAP => {
                let size = next()?;
                let items = take(&mut stack, size.checked_mul(2)?)?;
                let pairs: Vec<(Term, Term)> = items
                    .chunks_exact(2)
                    .map(|pair| (pair[0], pair[1]))
                    .collect();
                let map = map::from_pairs(heap, &pairs);
                (map::size(map) == size).then_some(map)?
            }
            code::EXT2TERM => {
                // SAFETY: as above.
                let bytes = unsafe { bytes(next()?, next()?) }?;
                let options = DecodeOptions::default();
                let decoded = external::decode(heap, bytes, &options, &mut CodeResolver).ok()?;
                decoded.0
            }
            _ => return None,
        };
        stack.push(term);
    }
    match stack[..] {
        [term] => Some(term),
        _ => None,
    }
}

fn take(stack: &mut Vec<Term>, count: usize) -> Option<Vec<Term>> {
    let place = stack.len().checked_sub(count)?;
    Some(stack.split_off(place))
}

/// The bytes of a text, whose address must not be null even if it is empty.
///
/// # Safety
/// As for [`bytes`].
unsafe fn text<'a>(address: usize, size: usize) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (address != 0).then(|| unsafe { bytes(address, size) })?
}

/// # Safety
/// There are as many bytes at the address.
unsafe fn bytes<'a>(address: usize, size: usize) -> Option<&'a [u8]> {
    match (address, size) {
        (_, 0) => Some(&[]),
        (0, _) => None,
        // SAFETY: the caller's promise.
        _ => Some(unsafe { slice::from_raw_parts(address as *const u8, size) }),
    }
}

/// # Safety
/// The binary is held, or null.
unsafe fn binary_of(
    heap: &mut Heap,
    binary: *mut Binary,
    size: usize,
    offset: usize,
) -> Option<Term> {
    if binary.is_null() {
        return None;
    }
    // SAFETY: the caller's promise; the bytes are in the block.
    unsafe {
        let has = usize::try_from((*binary).size).ok()?;
        if offset.checked_add(size)? > has {
            return None;
        }
        let data = (&raw const (*binary).bytes).cast::<u8>().add(offset);
        if size <= FEW_BYTES {
            return Some(build::binary(heap, slice::from_raw_parts(data, size)));
        }
        off_heap::retain(Binary::counted(binary));
        Some(build::binary_of_block(
            heap,
            Binary::counted(binary),
            data,
            size,
        ))
    }
}
