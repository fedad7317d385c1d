//! What an operand of a generic operation becomes in an instruction, where it does not stay the same. `None` is for one
//! that no sound file has.

use beamfile::Operand as FileOperand;
use layout::Term;
use term::am;
use term::bits;

use super::emit::Emitter;
use crate::bodies::tuples;
use crate::operand::Operand;

/// Words of a float, and of a fun without free variables, including headers.
const FLOAT_WORDS: u64 = 2;
pub(super) const FUN_WORDS: u64 = 4;

/// The operand itself, which has another name in the encoding.
pub(super) fn term(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Operand> {
    Some(emitter.source(operand))
}

/// The bytes of a frame of so many words.
pub(super) fn words_to_bytes(_: &Emitter<'_>, words: u64) -> Option<u64> {
    words
        .checked_mul(8)
        .filter(|&bytes| bytes <= u64::from(u32::MAX) * 8)
}

/// The bytes that an `Alloc` operand asks for.
pub(super) fn heap_bytes(_: &Emitter<'_>, operand: FileOperand) -> Option<u64> {
    let FileOperand::Alloc {
        words,
        floats,
        funs,
    } = operand
    else {
        return None;
    };
    let words = u64::from(words) + u64::from(floats) * FLOAT_WORDS + u64::from(funs) * FUN_WORDS;
    words
        .checked_mul(8)
        .filter(|&bytes| bytes <= u32::MAX.into())
}

/// The header of a tuple of this arity.
pub(super) fn tuple_header(_: &Emitter<'_>, arity: u64) -> Option<u64> {
    let arity = usize::try_from(arity).ok()?;
    (arity <= layout::limits::MAX_TUPLE_ARITY).then(|| tuples::tuple_header(arity))
}

/// The offset of the element with this index, counted from 0, from a tuple's tagged pointer.
pub(super) fn element_offset(_: &Emitter<'_>, index: u64) -> Option<u64> {
    (index < layout::limits::MAX_TUPLE_ARITY as u64).then(|| tuples::element_offset(index))
}

/// The size of a segment, as the table of operations asks for it.
pub(super) fn segment_size(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Operand> {
    Some(size(emitter, operand))
}

/// The size of a segment.
pub(super) fn size(emitter: &Emitter<'_>, operand: FileOperand) -> Operand {
    match emitter.constant(operand) {
        Some(am::ALL) => Operand::constant(bits::ALL),
        _ => emitter.source(operand),
    }
}

/// A plain number as a term; a term as it is.
pub(super) fn number_or_source(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Operand> {
    match operand {
        FileOperand::Number(value) => {
            Term::try_small(i64::try_from(value).ok()?).map(Operand::constant)
        }
        other => Some(emitter.source(other)),
    }
}
