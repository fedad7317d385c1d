//! Hashes of terms.
//!
//! - [`phash2`] and [`phash_within`]: the portable ones, the same on every node and release, to the bit.
//! - [`internal()`] and [`map_key`]: the hash that places a key in a hashed table or a large map. Programs see it as
//!   the order of what a map or table holds, which for most keys is the same as on the node's release: OTP 27 brought
//!   another hash (`murmur`). Atoms are the exception: their index in the atom table is hashed, and it differs from
//!   node to node. So are funs, native records and what came from other nodes, for which OTP hashes addresses and
//!   numbers of its own.
//!
//! The mixing step up to OTP 26 is Bob Jenkins' (<https://burtleburtle.net/bob/hash/evahash.html>). Any thread
//! may call, with terms it may read. Nothing here recurses, however deep the terms are.

use std::borrow::Cow;

use layout::kinds::{ExternalIdentifier, ExternalReference, FlatMap, Float};
use layout::object::{Bits, MapShape, offset};
use layout::{ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use crate::integer::uint8;
use crate::release::{self, Release};
use crate::{atom, fun, native_record, reference};

mod internal;
mod murmur;
mod phash;
mod word;

pub use phash::phash_within;
pub use word::{place, word};

/// The hash that places an object in a hashed table by its key.
#[inline]
#[must_use]
pub fn table_key(key: Term) -> u32 {
    // An atom is placed by its text, which gives the same order on every node.
    let hash = match key.is_atom() {
        true => u64::from(atom::hash(key)),
        false => internal_whole(key, 0),
    };
    // Since OTP 29 without its lowest bit.
    (hash >> u32::from(release::has(Release::OTP_29))) as u32
}

/// The internal hash of a term, salted, with as many bits as the release has.
#[inline]
#[must_use]
pub fn internal_whole(term: Term, salt: u32) -> u64 {
    if release::has(Release::OTP_27) {
        murmur_hash(term, u64::from(salt))
    } else {
        u64::from(internal::internal(term, salt))
    }
}

#[inline]
fn murmur_hash(term: Term, salt: u64) -> u64 {
    murmur::hash(term, salt, release::has(Release::OTP_29))
}

/// The low 32 bits of [`internal_whole`].
#[inline]
#[must_use]
pub fn internal(term: Term, salt: u32) -> u32 {
    internal_whole(term, salt) as u32
}

/// The next 32 bits of a key's path in the trie: `round` 0 is for the first eight levels, 1 for the next eight, and so
/// on.
#[inline]
#[must_use]
pub fn map_key(key: Term, round: u32) -> u32 {
    // Keys of one 64-bit hash part by the older one, with more and more salts.
    if round < 2 && release::has(Release::OTP_27) {
        (murmur_hash(key, 0) >> (32 * round)) as u32
    } else {
        internal::map_key(key, round)
    }
}

/// [`map_key`] of round 0 for a key that is immediate.
#[inline]
#[must_use]
pub fn immediate_map_key(key: Term) -> u32 {
    if release::has(Release::OTP_27) {
        murmur::immediate(key, 0) as u32
    } else {
        internal::immediate(key, 0)
    }
}

/// The golden ratio; its multiples stand for the kinds of terms.
const GOLDEN: u32 = 0x9e37_79b9;

const fn golden(multiple: u32) -> u32 {
    GOLDEN.wrapping_mul(multiple)
}

/// A hash that is being computed: each value is mixed with the hash of what came before.
#[derive(Clone, Copy)]
struct Mixer(u32);

impl Mixer {
    #[inline]
    fn two(&mut self, first: u32, second: u32, constant: u32) {
        self.0 = mix(
            constant.wrapping_add(first),
            constant.wrapping_add(second),
            self.0,
        )
        .2;
    }

    #[inline]
    fn one(&mut self, value: u32, constant: u32) {
        self.two(value, 0, constant);
    }

    #[inline]
    fn wide(&mut self, value: u64, constant: u32) {
        self.two(value as u32, (value >> 32) as u32, constant);
    }

    fn big(&mut self, negative: bool, limbs: &[u64]) {
        let constant = golden(if negative { 10 } else { 11 });
        for &limb in limbs {
            self.wide(limb, constant);
        }
    }

    /// Mixes in a bit string: its first `bytes` bytes, and the bits after the last whole byte.
    fn bit_string(&mut self, bits: Bits, bytes: usize) {
        let tail = (bits.bit_len() % 8) as u32;
        let seed = golden(13).wrapping_add(self.0);
        if bytes == 0 && tail == 0 {
            self.0 = seed;
            return;
        }
        let content = aligned(bits, bytes + usize::from(tail > 0));
        self.0 = block(&content[..bytes], seed);
        if tail > 0 {
            self.two(tail, u32::from(content[bytes] >> (8 - tail)), golden(15));
        }
    }
}

#[inline]
const fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 13);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 8);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 13);
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 12);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 16);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 5);
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 3);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 10);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 15);
    (a, b, c)
}

/// The hash of a run of bytes.
fn block(bytes: &[u8], seed: u32) -> u32 {
    let (mut a, mut b, mut c) = (GOLDEN, GOLDEN, seed);
    let (chunks, rest) = bytes.as_chunks::<12>();
    for chunk in chunks {
        let [first, second, third] = [0, 4, 8].map(|at| word_of(&chunk[at..at + 4]));
        a = a.wrapping_add(first);
        b = b.wrapping_add(second);
        c = c.wrapping_add(third);
        (a, b, c) = mix(a, b, c);
    }
    let (words, end) = rest.as_chunks::<4>();
    let end = word_of(end);
    let (first, second, third) = match words {
        [] => (end, 0, 0),
        [first] => (u32::from_le_bytes(*first), end, 0),
        [first, second, ..] => (u32::from_le_bytes(*first), u32::from_le_bytes(*second), end),
    };
    a = a.wrapping_add(first);
    b = b.wrapping_add(second);
    // The lowest byte of the last word holds the length.
    c = c.wrapping_add(bytes.len() as u32).wrapping_add(third << 8);
    mix(a, b, c).2
}

/// A word of up to four bytes. Spelled out, because copying so few bytes would cost a call each time.
#[inline]
fn word_of(bytes: &[u8]) -> u32 {
    match *bytes {
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a] => u32::from(a),
        _ => 0,
    }
}

/// The first `count` bytes of a bit string; the last one may contain bits that follow the string.
fn aligned<'a>(bits: Bits, count: usize) -> Cow<'a, [u8]> {
    let available = (u64::from(bits.bit_offset()) + bits.bit_len()).div_ceil(8) as usize;
    // SAFETY: these are the bytes that hold a bit of the string, and the moving rule keeps them.
    let source: &[u8] = unsafe { std::slice::from_raw_parts(bits.bytes(), available) };
    if bits.bit_offset() == 0 {
        return Cow::Borrowed(&source[..count]);
    }
    let shift = bits.bit_offset();
    let byte = |index: usize| {
        let next = source.get(index + 1).copied().unwrap_or(0);
        source[index] << shift | next >> (8 - shift)
    };
    Cow::Owned((0..count).map(byte).collect())
}

/// A float's bits; the same for 0.0 and -0.0.
fn float_bits(term: Term) -> u64 {
    let bits = Float::expect(term).bits();
    if bits << 1 == 0 { 0 } else { bits }
}

/// The number in a pid that distinguishes it among those alive.
fn pid_number(pid: Term) -> u32 {
    if pid.is_local_pid() {
        pid.identifier_index()
    } else {
        ExternalIdentifier::expect(pid).id() as u32
    }
}

fn port_number(port: Term) -> u64 {
    if port.is_local_port() {
        port.bits() >> 4
    } else {
        ExternalIdentifier::expect(port).id()
    }
}

fn first_reference_word(term: Term) -> u32 {
    match reference::number(term) {
        Some((low, high)) => reference::to_words(low, high)[0],
        None => {
            let reference = ExternalReference::expect(term);
            match reference.count() {
                0 => 0,
                _ => reference.word(offset::EXTERNAL_REFERENCE_WORDS) as u32,
            }
        }
    }
}

/// What is still to be hashed.
enum Rest {
    /// Consecutive terms.
    Terms(*const Term, usize),
    /// Keys and values of a flat map.
    Pairs(*const Term, *const Term, usize),
    /// Children of a hash map's node, hashed from the last to the first.
    Children(*const Term, usize),
    Term(Term),
    /// For `phash2`: the end of a pair, and the end of a map, which restores the state from before the map.
    PairEnd,
    MapEnd {
        pairs: u32,
        hash: u32,
    },
    /// For `internal`: the next term is a tail that is not a cons cell.
    Tail,
}

type RestStack = SmallVec<[Rest; 12]>;

/// Pushes the pairs of a map, or of one node of a hash map.
fn push_map(rest: &mut RestStack, map: Term) {
    let object = map.expect_boxed();
    let arity = object.arity();
    match object.header().map_shape() {
        MapShape::Flat => {
            let keys = FlatMap::expect(map).keys();
            let values = map.word_pointer(offset::FLAT_MAP_VALUES).cast::<Term>();
            let count = arity - offset::FLAT_MAP_VALUES;
            rest.push(Rest::Pairs(keys.word_pointer(0).cast(), values, count));
        }
        MapShape::HashRoot => {
            let children = map.word_pointer(offset::HASH_ROOT_CHILDREN).cast::<Term>();
            rest.push(Rest::Children(children, arity - 1));
        }
        MapShape::HashNode => rest.push(Rest::Children(map.word_pointer(0).cast(), arity)),
    }
}

/// Takes the next term from the stack; the rest of a run stays there. A pair's value, and with `pair_ends` the mark
/// after it, stays on the stack while the key is hashed. A mark is returned as `Err`.
#[inline]
fn pop_term(rest: &mut RestStack, pair_ends: bool) -> Option<Result<Term, Rest>> {
    if let Rest::Terms(first, count) = rest.last_mut()?
        && *count > 1
    {
        // SAFETY: at least one of the terms is left.
        let term = unsafe { **first };
        *first = first.wrapping_add(1);
        *count -= 1;
        return Some(Ok(term));
    }
    pop_other(rest, pair_ends)
}

fn pop_other(rest: &mut RestStack, pair_ends: bool) -> Option<Result<Term, Rest>> {
    let pair = |rest: &mut RestStack, key: Term, value: Term| {
        if pair_ends {
            rest.push(Rest::PairEnd);
        }
        rest.push(Rest::Term(value));
        Some(Ok(key))
    };
    loop {
        match rest.pop()? {
            Rest::Term(term) => return Some(Ok(term)),
            Rest::Terms(_, 0) | Rest::Pairs(_, _, 0) | Rest::Children(_, 0) => {}
            Rest::Terms(first, count) => {
                if count > 1 {
                    rest.push(Rest::Terms(first.wrapping_add(1), count - 1));
                }
                // SAFETY: at least one of the terms is left.
                return Some(Ok(unsafe { *first }));
            }
            Rest::Pairs(keys, values, count) => {
                if count > 1 {
                    let (keys, values) = (keys.wrapping_add(1), values.wrapping_add(1));
                    rest.push(Rest::Pairs(keys, values, count - 1));
                }
                // SAFETY: at least one of the pairs is left.
                let (key, value) = unsafe { (*keys, *values) };
                return pair(rest, key, value);
            }
            Rest::Children(first, count) => {
                if count > 1 {
                    rest.push(Rest::Children(first, count - 1));
                }
                // SAFETY: `count` children are left.
                let child = unsafe { *first.add(count - 1) };
                if let Some((key, value)) = child.as_cons() {
                    return pair(rest, key, value);
                }
                push_map(rest, child);
            }
            mark => return Some(Err(mark)),
        }
    }
}

/// The 32 bits of which `erlang:phash2/1,2` return the remainder.
///
/// # Panics
/// Never: the number of steps is not limited.
#[must_use]
pub fn phash2(term: Term) -> u32 {
    let (hash, _) = phash2_within(term, usize::MAX).expect("no limit");
    hash
}

/// As [`phash2`], and also returns the number of steps: one for each term, and one for every 16 bytes. `None` if it
/// would take more than `most_steps`, which is known after that many.
#[must_use]
pub fn phash2_within(term: Term, most_steps: usize) -> Option<(u32, usize)> {
    let few = most_steps.min(SHALLOW_STEPS);
    let (mut mixer, mut left) = (Mixer(0), few);
    if phash2_shallow(&mut mixer, term, &mut left, SHALLOW) {
        return Some((mixer.0, few - left));
    }
    mixer = Mixer(0);
    let mut rest = RestStack::new();
    let mut pairs = 0;
    let mut current = term;
    let mut steps = 0;
    loop {
        steps += 1 + bytes_beside(current) / 16;
        if steps > most_steps {
            return None;
        }
        if current.is_cons() {
            let (list, bytes) = phash2_string(&mut mixer, current);
            steps += bytes / 16;
            current = list;
            if bytes < MOST_BYTES_AT_ONCE
                && let Some(cell) = list.as_cell()
            {
                current = cell.head();
                if current.is_immediate() {
                    steps += 1;
                    phash2_immediate(&mut mixer, current);
                    current = cell.tail();
                } else {
                    rest.push(Rest::Term(cell.tail()));
                }
            }
            continue;
        }
        phash2_object(&mut mixer, &mut pairs, &mut rest, current);
        current = loop {
            if let Some(run) = rest.last_mut() {
                steps += phash2_run(&mut mixer, &mut pairs, run, most_steps);
            }
            match pop_term(&mut rest, true) {
                None => return Some((mixer.0, steps)),
                Some(Ok(next)) => break next,
                Some(Err(Rest::PairEnd)) => {
                    pairs ^= mixer.0;
                    mixer.0 = 0;
                }
                Some(Err(Rest::MapEnd { pairs: outer, hash })) => {
                    mixer.0 = hash;
                    mixer.one(pairs, golden(19));
                    pairs = outer;
                }
                Some(Err(_)) => unreachable!("a mark of another hash"),
            }
        };
    }
}

/// The most steps, and (next constant) how deep, [`phash2_shallow`] goes: as far as most keys go.
const SHALLOW_STEPS: usize = 64;
const SHALLOW: usize = 4;

/// Mixes in a term of tuples, lists, bit strings and immediates, and takes its steps from those that are `left`. False
/// if it is larger, deeper or of other parts; then what was mixed in is of no use.
fn phash2_shallow(mixer: &mut Mixer, mut term: Term, left: &mut usize, depth: usize) -> bool {
    loop {
        let Some(less) = left.checked_sub(1) else {
            return false;
        };
        *left = less;
        if term.is_immediate() {
            phash2_immediate(mixer, term);
            return true;
        }
        if term.is_cons() {
            let (list, bytes) = phash2_string(mixer, term);
            *left = left.saturating_sub(bytes / 16);
            term = list;
            if let Some(cell) = list.as_cell() {
                if depth == 0 || !phash2_shallow(mixer, cell.head(), left, depth - 1) {
                    return false;
                }
                term = cell.tail();
            }
        } else if let Some(parts) = term.as_tuple(no_gc!()) {
            mixer.one(parts.len() as u32, golden(9));
            let Some((last, parts)) = parts.split_last() else {
                return true;
            };
            for &part in parts {
                if depth == 0 || !phash2_shallow(mixer, part, left, depth - 1) {
                    return false;
                }
            }
            term = *last;
        } else if let Some(bits) = term.as_bits() {
            *left = left.saturating_sub(bytes_beside(term) / 16);
            if *left > 0 {
                phash2_bits(mixer, bits);
            }
            return *left > 0;
        } else {
            return false;
        }
    }
}

fn phash2_bits(mixer: &mut Mixer, bits: Bits) {
    // Every release truncates the size to 32 bits; past 4 GiB the value depends on it.
    let bytes = (bits.bit_len() / 8) as u32 as usize;
    mixer.bit_string(bits, bytes);
}

/// Maximum number of bytes of a list that are hashed between two checks of the limit.
const MOST_BYTES_AT_ONCE: usize = 1 << 12;

/// Bytes that are hashed at once: those of a bit string or a long integer.
fn bytes_beside(term: Term) -> usize {
    let Some(object) = term.as_boxed() else {
        return 0;
    };
    match object.kind() {
        ObjectKind::SharedBinary | ObjectKind::SubBinary | ObjectKind::MatchContext => term
            .as_bits()
            .map_or(0, |bits| (bits.bit_len() / 8) as usize),
        ObjectKind::PositiveBig | ObjectKind::NegativeBig => object.arity() * 8,
        _ => 0,
    }
}

/// Mixes in the bytes that a list begins with, at most [`MOST_BYTES_AT_ONCE`]; returns the rest of the list, and the
/// number of bytes.
fn phash2_string(mixer: &mut Mixer, mut list: Term) -> (Term, usize) {
    let (mut gathered, mut count) = (0u32, 0);
    let mut bytes = 0;
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
        bytes += 1;
        if bytes == MOST_BYTES_AT_ONCE {
            // This is a multiple of four, so hashing can continue later as if it had not stopped here.
            break;
        }
    }
    if count > 0 {
        mixer.one(gathered, golden(4));
    }
    (list, bytes)
}

fn phash2_small(mixer: &mut Mixer, value: i64) {
    if (-(1 << 27)..1 << 27).contains(&value) {
        let value = value as i32;
        if value < 0 {
            mixer.one(value.wrapping_neg() as u32, GOLDEN);
        }
        mixer.one(value as u32, GOLDEN);
    } else {
        mixer.big(value < 0, &[value.unsigned_abs()]);
    }
}

/// Mixes in the immediates that a run of terms begins with, or the pairs of two immediates that a map goes on with,
/// without the stack, at most this many. Returns their number.
fn phash2_run(mixer: &mut Mixer, pairs: &mut u32, run: &mut Rest, most: usize) -> usize {
    let mut steps = 0;
    let mut pair = |key: Term, value: Term| {
        let both = key.is_immediate() && value.is_immediate() && steps < most;
        if both {
            phash2_immediate(mixer, key);
            phash2_immediate(mixer, value);
            *pairs ^= mixer.0;
            mixer.0 = 0;
            steps += 2;
        }
        both
    };
    // SAFETY: of each run so many terms are left.
    unsafe {
        match run {
            Rest::Terms(first, count) => {
                let mut term = *first;
                let end = term.wrapping_add(*count);
                while term < end && (*term).is_immediate() && steps < most {
                    phash2_immediate(mixer, *term);
                    term = term.wrapping_add(1);
                    steps += 1;
                }
                *count -= steps;
                *first = term;
            }
            Rest::Pairs(keys, values, count) => {
                while *count > 0 && pair(**keys, **values) {
                    (*keys, *values) = (keys.wrapping_add(1), values.wrapping_add(1));
                    *count -= 1;
                }
            }
            Rest::Children(first, count) => {
                while *count > 0 {
                    let child = *first.add(*count - 1);
                    let leaf = child.as_cell();
                    if !leaf.is_some_and(|leaf| pair(leaf.head(), leaf.tail())) {
                        break;
                    }
                    *count -= 1;
                }
            }
            _ => (),
        }
    }
    steps
}

/// Mixes in a term that is one word: a small integer, an atom, nil, or a pid or port of this node.
#[inline]
fn phash2_immediate(mixer: &mut Mixer, term: Term) {
    if let Some(value) = term.as_small() {
        return phash2_small(mixer, value);
    }
    if term.is_atom() {
        let hash = atom::hash(term);
        if mixer.0 == 0 {
            mixer.0 = hash;
        } else {
            mixer.one(hash, golden(3));
        }
        return;
    }
    if term.is_nil() {
        if mixer.0 == 0 {
            mixer.0 = 3_468_870_702;
        } else {
            // 2 is the number of the type.
            mixer.one(2, golden(2));
        }
        return;
    }
    if term.is_pid() {
        return mixer.one(pid_number(term), golden(5));
    }
    mixer.wide(port_number(term), golden(6));
}

/// Mixes in a term except for its parts, which are pushed.
fn phash2_object(mixer: &mut Mixer, pairs: &mut u32, rest: &mut RestStack, term: Term) {
    // Also those of other nodes, which are objects.
    if term.is_immediate() || term.is_pid() || term.is_port() {
        return phash2_immediate(mixer, term);
    }
    let header = term.expect_boxed().header();
    match header.kind() {
        ObjectKind::Tuple => {
            mixer.one(header.arity() as u32, golden(9));
            rest.push(Rest::Terms(term.word_pointer(0).cast(), header.arity()));
        }
        ObjectKind::Map => {
            let size = term.map_size().expect("a map");
            mixer.one(size as u32, golden(16));
            if size > 0 {
                rest.push(Rest::MapEnd {
                    pairs: *pairs,
                    hash: mixer.0,
                });
                mixer.0 = 0;
                *pairs = 0;
                push_map(rest, term);
            }
        }
        ObjectKind::Fun => {
            let entry = fun::entry(term);
            let free = header.arity() - offset::FUN_FREE;
            mixer.two(free as u32, atom::hash(entry.module), GOLDEN);
            mixer.two(entry.index, entry.old_unique, GOLDEN);
            rest.push(Rest::Terms(
                term.word_pointer(offset::FUN_FREE).cast(),
                free,
            ));
        }
        ObjectKind::Export => {
            let entry = fun::export_entry(term);
            mixer.two(entry.arity, atom::hash(entry.module), GOLDEN);
            mixer.one(atom::hash(entry.function), golden(14));
        }
        ObjectKind::HeapBinary
        | ObjectKind::SharedBinary
        | ObjectKind::SubBinary
        | ObjectKind::MatchContext => {
            if let Some(bits) = term.as_bits() {
                phash2_bits(mixer, bits);
            }
        }
        ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
            if let Some((negative, limbs)) = term.as_big(no_gc!()) {
                mixer.big(negative, limbs);
            }
        }
        ObjectKind::Reference | ObjectKind::ExternalReference => {
            mixer.one(first_reference_word(term), golden(7));
        }
        ObjectKind::Float => {
            let bits = float_bits(term);
            mixer.two((bits >> 32) as u32, bits as u32, golden(12));
        }
        ObjectKind::NativeRecord => {
            let no_gc = no_gc!();
            let (definition, values) = term.as_native_record(no_gc).expect("a native record");
            // The definition is a tuple of atoms, whose hash takes no stack.
            mixer.two(values.len() as u32, phash2(definition), golden(23));
            // The values in the order in which the node met their names, so the hash differs from node to node. What is
            // pushed last is hashed first.
            let places = native_record::Definition::of(definition, no_gc).places_by_name();
            rest.extend(places.iter().rev().map(|&place| Rest::Term(values[place])));
        }
        ObjectKind::ExternalPid | ObjectKind::ExternalPort => unreachable!("hashed above"),
    }
}

#[cfg(test)]
mod tests;
