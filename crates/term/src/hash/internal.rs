//! The hash that places keys in large maps and hashed tables up to OTP 26.
//!
//! It depends on every bit of a term that counts for `=:=`, so two keys with the same first 32 bits differ after a few
//! more rounds with other salts.

use layout::object::offset;
use layout::{ObjectKind, Term, no_gc};

use super::{GOLDEN, Mixer, Rest, RestStack, float_bits, golden, mix, pop_term, push_map};
use crate::integer::uint8;
use crate::release::{self, Release};
use crate::{fun, native_record, reference};

const SALT: u32 = 3_432_918_353;

/// See [`super::map_key`].
#[inline]
pub(super) fn map_key(key: Term, round: u32) -> u32 {
    let mut salt = Mixer(0);
    if round > 0 {
        salt.two(round, 1, golden(22));
    }
    internal(key, salt.0)
}

/// The internal hash of a term, salted.
#[inline]
pub(super) fn internal(term: Term, salt: u32) -> u32 {
    if term.is_immediate() {
        return immediate(term, salt);
    }
    let mut mixer = Mixer(salt ^ SALT);
    match term.boxed_kind() {
        Some(ObjectKind::Tuple) => return tuple(mixer, term),
        // Binaries are common keys, too.
        Some(ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary) => {
            let bits = term.as_bits().expect("a bit string");
            mixer.bit_string(bits, (bits.bit_len() / 8) as usize);
            return mixer.0;
        }
        _ => {}
    }
    walk(mixer, RestStack::new(), term)
}

/// [`internal`] of an immediate term.
#[inline]
pub(super) fn immediate(term: Term, salt: u32) -> u32 {
    debug_assert!(term.is_immediate());
    let mut mixer = Mixer(salt ^ SALT);
    mixer.wide(term.bits(), GOLDEN);
    mixer.0
}

/// The hash after a tuple's arity, for arities below the number of these and no salt: what the hash of most keys that
/// are tuples begins with.
const BEGUN: [u32; 8] = {
    let mut begun = [0; 8];
    let mut arity = 0;
    while arity < begun.len() {
        let constant = golden(9);
        begun[arity] = mix(constant.wrapping_add(arity as u32), constant, SALT).2;
        arity += 1;
    }
    begun
};

/// Tuples of immediates are common keys and need no stack; from the first other element on [`walk`] continues.
#[inline]
fn tuple(mut mixer: Mixer, term: Term) -> u32 {
    let tuple = term.expect_boxed();
    let arity = tuple.arity();
    match BEGUN.get(arity) {
        Some(begun) if mixer.0 == SALT => mixer.0 = *begun,
        _ => mixer.one(arity as u32, golden(9)),
    }
    for index in 0..arity {
        // SAFETY: the words of a tuple are terms.
        let element = unsafe { tuple.term_unchecked(index) };
        if !element.is_immediate() {
            let mut rest = RestStack::new();
            if index + 1 < arity {
                let next = term.word_pointer(index + 1).cast();
                rest.push(Rest::Terms(next, arity - index - 1));
            }
            return walk(mixer, rest, element);
        }
        mixer.wide(element.bits(), GOLDEN);
    }
    mixer.0
}

/// Mixes in a constant that stands for a kind, in a cheap way.
fn constant(mixer: &mut Mixer, value: u32) {
    mixer.0 = (mixer.0 ^ value).rotate_left(17);
}

/// Mixes in a term, and then everything that is on the stack.
fn walk(mut mixer: Mixer, mut rest: RestStack, term: Term) -> u32 {
    let mut current = term;
    loop {
        if current.is_cons() {
            current = string(&mut mixer, current);
            if let Some((head, tail)) = current.as_cons() {
                constant(&mut mixer, golden(17));
                rest.push(Rest::Term(tail));
                if !tail.is_cons() {
                    rest.push(Rest::Tail);
                }
                current = head;
            }
            continue;
        }
        if current.is_immediate() {
            mixer.wide(current.bits(), GOLDEN);
        } else {
            object(&mut mixer, &mut rest, current);
        }
        current = loop {
            match pop_term(&mut rest, false) {
                None => return mixer.0,
                Some(Ok(next)) => break next,
                Some(Err(_)) => constant(&mut mixer, golden(18)),
            }
        };
    }
}

/// Mixes in the bytes that a list begins with; returns the rest of the list.
fn string(mixer: &mut Mixer, mut list: Term) -> Term {
    let (mut gathered, mut count) = (0u32, 0);
    while let Some(cell) = list.as_cell()
        && let Some(byte) = uint8(cell.head())
    {
        gathered = gathered << 8 | u32::from(byte);
        count += 1;
        if count == 4 {
            mixer.one(gathered, golden(4));
            (gathered, count) = (0, 0);
        }
        list = cell.tail();
    }
    if count > 0 {
        mixer.two(gathered, count, golden(22));
    }
    list
}

fn object(mixer: &mut Mixer, rest: &mut RestStack, term: Term) {
    let object = term.expect_boxed();
    let header = object.header();
    match header.kind() {
        ObjectKind::Tuple => {
            mixer.one(header.arity() as u32, golden(9));
            rest.push(Rest::Terms(term.word_pointer(0).cast(), header.arity()));
        }
        ObjectKind::NativeRecord => {
            // Records with the same module, name and values seldom differ in their fields.
            let no_gc = no_gc!();
            let definition = native_record::Definition::of(native_record::definition(term), no_gc);
            mixer.two(
                definition.module.bits() as u32,
                definition.name.bits() as u32,
                golden(23),
            );
            let (_, values) = term.as_native_record(no_gc).expect("a native record");
            rest.push(Rest::Terms(values.as_ptr(), values.len()));
        }
        ObjectKind::Map => {
            mixer.one(object.word(offset::MAP_SIZE) as u32, golden(16));
            push_map(rest, term);
        }
        ObjectKind::Fun => {
            let entry = fun::entry(term);
            let free = header.arity() - offset::FUN_FREE;
            mixer.two(free as u32, entry.module.bits() as u32, golden(20));
            mixer.two(entry.index, entry.old_unique, golden(21));
            rest.push(Rest::Terms(
                term.word_pointer(offset::FUN_FREE).cast(),
                free,
            ));
        }
        ObjectKind::Export => {
            let entry = fun::export_entry(term);
            mixer.two(entry.module.bits() as u32, entry.arity, golden(14));
            mixer.one(entry.function.bits() as u32, golden(14));
        }
        ObjectKind::HeapBinary
        | ObjectKind::SharedBinary
        | ObjectKind::SubBinary
        | ObjectKind::MatchContext => {
            if let Some(bits) = term.as_bits() {
                mixer.bit_string(bits, (bits.bit_len() / 8) as usize);
            }
        }
        ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
            if let Some((negative, limbs)) = term.as_big(no_gc!()) {
                mixer.big(negative, limbs);
            }
        }
        ObjectKind::Reference => {
            let (low, high) = reference::number(term).expect("a local reference");
            let [first, second, third] = reference::to_words(low, high);
            mixer.one(first, golden(7));
            mixer.two(second, third, golden(8));
        }
        ObjectKind::ExternalReference => {
            // The node's word holds the index of its name, which never changes, so that can be hashed instead of the
            // name.
            mixer.wide(object.word(offset::EXTERNAL_NODE), golden(7));
            for index in offset::EXTERNAL_REFERENCE_WORDS..header.arity() {
                mixer.wide(object.word(index), golden(8));
            }
        }
        ObjectKind::ExternalPid => {
            mixer.wide(object.word(offset::EXTERNAL_NODE), golden(5));
            mixer.wide(object.word(offset::EXTERNAL_ID), golden(5));
        }
        ObjectKind::ExternalPort => {
            mixer.wide(object.word(offset::EXTERNAL_NODE), golden(6));
            mixer.wide(object.word(offset::EXTERNAL_ID), golden(6));
        }
        ObjectKind::Float => {
            let bits = object.word(offset::FLOAT_BITS);
            // Zeros that are different keys need different paths.
            let bits = match bits << 1 == 0 && !release::has(Release::OTP_27) {
                true => float_bits(term),
                false => bits,
            };
            mixer.wide(bits, golden(12));
        }
    }
}
