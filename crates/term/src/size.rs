//! The size of a term as programs see it: `erts_debug:flat_size/1`.
//!
//! The numbers are OTP's, even where our object has another size, because programs may compare them with the numbers
//! they know. [`crate::copy::size`] returns the words that a copy really takes. Any thread may call, with terms it may
//! read. Nothing recurses.

use std::collections::HashSet;

use layout::kinds::SubBinary;
use layout::object::{MapShape, offset};
use layout::{Boxed, Header, ObjectKind, Term};

use crate::build::SHARED_BINARY_WORDS;
use crate::{literal, native_record};

/// Words of a native record's definition in OTP, beside the names of its fields and an order of these.
const DEFINITION_WORDS: usize = 6;
/// Words of a fun in OTP, without its free variables.
const FUN_WORDS: usize = 5;
const SUB_BINARY_WORDS: usize = 5;

/// Words that the term would take if nothing in it were shared, literals included.
#[must_use]
pub fn flat_size(term: Term) -> usize {
    let mut words = 0;
    let mut rest: Vec<Term> = Vec::new();
    let mut current = term;
    loop {
        if let Some((head, tail)) = current.as_cons() {
            words += 2;
            if !head.is_immediate() {
                rest.push(head);
            }
            current = tail;
            continue;
        }
        if let Some(object) = current.as_boxed() {
            words += own_words(object);
            if object.kind() == ObjectKind::NativeRecord {
                words += definition_words(object);
            }
            // The words counted for a sub-binary include those of its bytes.
            if object.kind() != ObjectKind::SubBinary {
                let parts = object.terms_from(first_part(object.header()));
                rest.extend(parts.filter(|part| !part.is_immediate()));
            }
        }
        match rest.pop() {
            Some(next) => current = next,
            None => return words,
        }
    }
}

/// Words that the term takes on its heap, with shared parts counted once: `erts_debug:size_shared/1`. As in OTP,
/// literals are not counted, and nodes of hash maps are counted twice.
#[must_use]
pub fn shared_size(term: Term) -> usize {
    let mut words = 0;
    let mut seen = HashSet::new();
    let mut rest = vec![term];
    while let Some(current) = rest.pop() {
        if current.is_immediate() || literal::is_literal(current) || !seen.insert(current.bits()) {
            continue;
        }
        if let Some((head, tail)) = current.as_cons() {
            words += 2;
            rest.push(head);
            rest.push(tail);
            continue;
        }
        let object = current.expect_boxed();
        let header = object.header();
        words += own_words(object);
        if header.kind() == ObjectKind::Map && header.map_shape() != MapShape::Flat {
            words += own_words(object);
        }
        if header.kind() == ObjectKind::NativeRecord {
            let definition = native_record::definition(current);
            if !literal::is_literal(definition) && seen.insert(definition.bits()) {
                words += definition_words(object);
            }
        }
        if header.kind() != ObjectKind::SubBinary {
            rest.extend(object.terms_from(first_part(header)));
        }
    }
    words
}

/// The first word of an object that is counted on its own. A native record's definition has another form in OTP.
fn first_part(header: Header) -> usize {
    match header.kind() {
        ObjectKind::NativeRecord => offset::RECORD_VALUES,
        _ => header.raw_words(),
    }
}

/// Words of a native record's definition.
fn definition_words(record: Boxed) -> usize {
    let fields = record.arity() - offset::RECORD_VALUES;
    // The order is a tuple, and the empty one takes no words.
    let order = if fields == 0 { 0 } else { 1 + fields };
    DEFINITION_WORDS + fields + order
}

/// Words of an object without the objects it refers to.
fn own_words(object: Boxed) -> usize {
    let header = object.header();
    match header.kind() {
        // The empty tuple is one literal, the same for all.
        ObjectKind::Tuple if header.arity() == 0 => 0,
        ObjectKind::Fun => FUN_WORDS + header.arity() - offset::FUN_FREE,
        ObjectKind::Export => FUN_WORDS,
        ObjectKind::Reference if header.is_off_heap() => 3,
        ObjectKind::ExternalPid | ObjectKind::ExternalPort => 4,
        ObjectKind::ExternalReference => {
            3 + (1 + object.word(offset::EXTERNAL_REFERENCE_COUNT) as usize).div_ceil(2)
        }
        ObjectKind::SubBinary => SubBinary::of_object(object).map_or(0, sub_binary_words),
        _ => 1 + header.arity(),
    }
}

/// Words of a sub-binary and the part of its binary that it needs. A sub-binary of whole, aligned bytes counts as a
/// binary of its own.
fn sub_binary_words(part: SubBinary) -> usize {
    let bits = part.bits();
    let beside = (bits & 0xff) + (bits >> 8 & 0xff);
    let (own, more_bytes) = match beside {
        0 => (0, 0),
        1..=8 => (SUB_BINARY_WORDS, 1),
        _ => (SUB_BINARY_WORDS, 2),
    };
    if part.whole().is_kind(ObjectKind::SharedBinary) {
        return own + SHARED_BINARY_WORDS;
    }
    let bytes = part.size() as usize + more_bytes;
    own + 2 + bytes.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Scratch;
    use crate::off_heap::MagicBlock;
    use crate::samples::{Sample, Samples, ask_stock};
    use crate::{am, build};

    #[test]
    #[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
    fn sizes_are_those_of_stock() {
        let mut samples = Samples::new(31);
        // Whether stock OTP keeps a bit string's bytes on a heap depends on how it was made, so bit strings are left
        // out.
        let mut all: Vec<Sample> = samples.borders();
        all.extend((0..400).map(|round| samples.any(round % 4)));
        all.retain(|sample| !sample.text.contains("/bits"));
        let fun = "fun(Ts) -> [[integer_to_list(erts_debug:flat_size(T)), $\\n] || T <- Ts] end";
        let expected = ask_stock(&all, fun);
        for (sample, line) in all.iter().zip(expected.lines()) {
            assert_eq!(flat_size(sample.term).to_string(), line, "{}", sample.text);
        }
        assert_eq!(all.len(), expected.lines().count());
    }

    #[test]
    fn binaries_count_what_a_copy_needs() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let on_heap = build::binary(heap, &[1; 20]);
        let shared = build::binary(heap, &[1; 100]);
        let sizes = [
            (on_heap, 5),
            (shared, 6),
            (build::sub_bits(heap, on_heap, 8, 64), 3),
            (build::sub_bits(heap, on_heap, 3, 64), 5 + 4),
            (build::sub_bits(heap, on_heap, 4, 60), 5 + 3),
            (build::sub_bits(heap, shared, 8, 64), 6),
            (build::sub_bits(heap, shared, 3, 64), 11),
        ];
        for (term, words) in sizes {
            assert_eq!(flat_size(term), words);
        }
        let block = MagicBlock::new(Box::new(()));
        // SAFETY: the one count is handed over.
        let magic = unsafe { build::magic_reference(heap, 1, 0, block) };
        let pair = build::tuple(heap, &[magic, am::OK]);
        assert_eq!(flat_size(pair), 3 + 3);
    }

    #[test]
    fn what_is_shared_counts_once() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let list = build::list(heap, &[1, 2, 3].map(Term::small));
        let pair = build::tuple(heap, &[list, list]);
        assert_eq!((flat_size(pair), shared_size(pair)), (15, 9));
        let cell = build::cons(heap, list, list);
        assert_eq!(shared_size(cell), 8);
        let map = crate::map::from_pairs(heap, &[(am::OK, list)]);
        assert_eq!(shared_size(map), 12);
        let pairs: Vec<(Term, Term)> = (1..=40).map(|n| (Term::small(n), Term::small(n))).collect();
        let map = crate::map::from_pairs(heap, &pairs);
        // Stock OTP gives the same number.
        assert_eq!(shared_size(map), 224);
    }

    #[test]
    fn depth_needs_no_native_stack() {
        let mut scratch = Scratch::new();
        let deep = (0..1_000_000).fold(Term::NIL, |deep, _| build::tuple(scratch.heap(), &[deep]));
        assert_eq!(flat_size(deep), 2_000_000);
    }
}
