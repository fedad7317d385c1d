//! The hash that places keys in large maps and hashed tables from OTP 27 on.
//!
//! MurmurHash3 for 64-bit machines (Austin Appleby, public domain), which takes pairs of words: here a word that says
//! what follows, and the words of a term. Both halves are folded into 64 bits. An immediate is only scrambled, so no
//! two of them have the same hash. Elements that are not immediate wait on a stack, which takes the last one first.

use layout::kinds::{ExternalIdentifier, Float};
use layout::object::{MapShape, offset};
use layout::trie::scrambled;
use layout::{ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::aligned;
use crate::integer::uint8;
use crate::map::views;
use crate::{fun, native_record, reference};

/// What a word of the input says about the words that follow it.
#[derive(Clone, Copy)]
enum Kind {
    Immediate = 1,
    Element,
    Head,
    Tail,
    String,
    Tuple,
    FlatMap,
    /// The root of a trie with all 16 children, and with less.
    FullRoot,
    Root,
    Node,
    Bits,
    Fun,
    Export,
    NegativeBig,
    PositiveBig,
    Reference,
    ExternalReference,
    ExternalPid,
    ExternalPort,
    Float,
}

/// OTP 29 has native records between tuples and maps.
const RECORD: u64 = Kind::Tuple as u64 + 1;

/// The 64-bit hash of a term; bits 0 to 3 are for a trie's root, the next four for the level below, and so on.
/// `has_records` says whether the release has native records, OTP 29 or later.
#[inline]
pub(super) fn hash(term: Term, salt: u64, has_records: bool) -> u64 {
    if term.is_immediate() {
        return immediate(term, salt);
    }
    let mut murmur = Murmur {
        alpha: salt,
        beta: salt,
        steps: 0,
        after_tuple: u64::from(has_records),
    };
    // The most common keys need no stack.
    match term.boxed_kind() {
        Some(ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary) => {
            murmur.bit_string(term);
        }
        Some(ObjectKind::Float) => murmur.float(term),
        _ => murmur.walk(term),
    }
    murmur.finish()
}

/// [`hash`] of an immediate term.
#[inline]
pub(super) fn immediate(term: Term, salt: u64) -> u64 {
    scrambled(term.bits().wrapping_add(salt))
}

/// Up to eight bytes as a number, the first one lowest. Spelled out, because copying so few bytes would cost a call.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    if let Ok(bytes) = bytes.try_into() {
        return u64::from_le_bytes(bytes);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // Bytes that are in both are the same in both.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4));
    }
    match *bytes {
        [a, b, c] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        [a, b] => u64::from(a) | u64::from(b) << 8,
        [a] => u64::from(a),
        _ => 0,
    }
}

/// Two 32-bit values as one word.
fn pair(low: u64, high: u64) -> u64 {
    low | high << 32
}

/// A hash that is being computed.
struct Murmur {
    alpha: u64,
    beta: u64,
    steps: u64,
    /// Added to kinds behind [`Kind::Tuple`].
    after_tuple: u64,
}

/// Terms that are still to be hashed. [`TAIL`] says that the one below it is the tail of an improper list.
type Stack = SmallVec<[Term; 16]>;

const TAIL: Term = Term::NONE;

impl Murmur {
    fn number(&self, kind: Kind) -> u64 {
        match kind as u64 {
            number if number > Kind::Tuple as u64 => number + self.after_tuple,
            number => number,
        }
    }

    #[inline]
    fn alpha_part(word: u64) -> u64 {
        word.wrapping_mul(0x87c3_7b91_1142_53d5)
            .rotate_left(31)
            .wrapping_mul(0x4cf5_ad43_2745_937f)
    }

    #[inline]
    fn beta_part(word: u64) -> u64 {
        word.wrapping_mul(0x4cf5_ad43_2745_937f)
            .rotate_left(33)
            .wrapping_mul(0x87c3_7b91_1142_53d5)
    }

    #[inline]
    fn alpha(&mut self, word: u64) {
        let mixed = (self.alpha ^ Self::alpha_part(word)).rotate_left(27);
        self.alpha = mixed
            .wrapping_add(self.beta)
            .wrapping_mul(5)
            .wrapping_add(0x52dc_e729);
        self.steps += 1;
    }

    #[inline]
    fn beta(&mut self, word: u64) {
        let mixed = (self.beta ^ Self::beta_part(word)).rotate_left(31);
        self.beta = mixed
            .wrapping_add(self.alpha)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5ab5);
        self.steps += 1;
    }

    fn finish(mut self) -> u64 {
        self.alpha ^= self.steps;
        self.beta ^= self.steps;
        for scrambles in [true, false] {
            self.alpha = self.alpha.wrapping_add(self.beta);
            self.beta = self.beta.wrapping_add(self.alpha);
            if scrambles {
                (self.alpha, self.beta) = (scrambled(self.alpha), scrambled(self.beta));
            }
        }
        self.alpha ^ self.beta
    }

    #[inline]
    fn immediate(&mut self, term: Term) {
        self.alpha(Kind::Immediate as u64);
        self.beta(term.bits());
    }

    /// Mixes in an element if it is immediate, else only that there is one.
    #[inline]
    fn element(&mut self, stack: &mut Stack, term: Term) {
        if term.is_immediate() {
            self.immediate(term);
        } else {
            self.alpha(Kind::Element as u64);
            stack.push(term);
        }
    }

    /// Mixes in elements but the last one, which is returned.
    #[inline]
    fn elements(&mut self, stack: &mut Stack, elements: &[Term]) -> Option<Term> {
        let (last, others) = elements.split_last()?;
        for element in others {
            self.element(stack, *element);
        }
        Some(*last)
    }

    fn walk(&mut self, term: Term) {
        let mut stack = Stack::new();
        let mut current = term;
        loop {
            if current.is_cons() {
                current = self.list(&mut stack, current);
                continue;
            }
            let next = if current.is_immediate() {
                self.immediate(current);
                None
            } else {
                self.object(&mut stack, current)
            };
            current = match next {
                Some(next) => next,
                None => loop {
                    match stack.pop() {
                        None => return,
                        Some(TAIL) => self.beta(Kind::Tail as u64),
                        Some(next) => break next,
                    }
                },
            };
        }
    }

    /// Mixes in the bytes that a list begins with and one more cell; returns what comes next.
    fn list(&mut self, stack: &mut Stack, mut list: Term) -> Term {
        let (mut gathered, mut count) = (0u64, 0u64);
        while let Some(cell) = list.as_cell()
            && let Some(byte) = uint8(cell.head())
        {
            gathered = gathered << 8 | u64::from(byte);
            count += 1;
            if count == 4 {
                self.alpha(pair(Kind::String as u64 | 4 << 8, gathered));
                (gathered, count) = (0, 0);
            }
            list = cell.tail();
        }
        if count > 0 {
            self.alpha(pair(Kind::String as u64 | count << 8, gathered));
        }
        let Some((head, tail)) = list.as_cons() else {
            return list;
        };
        if head.is_immediate() {
            self.alpha(pair(Kind::Immediate as u64, Kind::Head as u64));
            self.beta(head.bits());
            if !tail.is_cons() {
                self.alpha(Kind::Tail as u64);
            }
            return tail;
        }
        stack.push(tail);
        if !tail.is_cons() {
            stack.push(TAIL);
        }
        self.alpha(Kind::Head as u64);
        head
    }

    /// Mixes in an object; returns the term to go on with, unless it is on the stack.
    #[inline]
    fn object(&mut self, stack: &mut Stack, term: Term) -> Option<Term> {
        if let Some(elements) = term.as_tuple(no_gc!()) {
            self.alpha(Kind::Tuple as u64);
            self.beta(elements.len() as u64);
            return self.elements(stack, elements);
        }
        self.other_object(stack, term)
    }

    fn other_object(&mut self, stack: &mut Stack, term: Term) -> Option<Term> {
        let object = term.expect_boxed();
        match object.kind() {
            ObjectKind::Tuple => unreachable!("see above"),
            ObjectKind::NativeRecord => {
                let no_gc = no_gc!();
                let (_, values) = term.as_native_record(no_gc).expect("a native record");
                self.alpha(RECORD);
                self.beta(1 + values.len() as u64);
                // OTP has a number here that it gave the definition. Records with the same module, name and values
                // seldom differ in their fields.
                let definition =
                    native_record::Definition::of(native_record::definition(term), no_gc);
                self.immediate(definition.module);
                self.immediate(definition.name);
                return self.elements(stack, values);
            }
            ObjectKind::Map => return self.map(stack, term),
            ObjectKind::Fun => {
                let entry = fun::entry(term);
                let free = object.arity() - offset::FUN_FREE;
                self.alpha(pair(self.number(Kind::Fun), free as u64));
                self.beta(pair(u64::from(entry.index), u64::from(entry.old_unique)));
                self.immediate(entry.module);
                // SAFETY: so many free variables follow; the moving rule keeps them.
                let values = unsafe {
                    std::slice::from_raw_parts(term.word_pointer(offset::FUN_FREE).cast(), free)
                };
                return self.elements(stack, values);
            }
            ObjectKind::Export => {
                // OTP hashes the address of its entry.
                let entry = fun::export_entry(term);
                self.alpha(pair(self.number(Kind::Export), u64::from(entry.arity)));
                self.beta(entry.module.bits());
                self.immediate(entry.function);
            }
            ObjectKind::HeapBinary
            | ObjectKind::SharedBinary
            | ObjectKind::SubBinary
            | ObjectKind::MatchContext => self.bit_string(term),
            ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
                let no_gc = no_gc!();
                let (negative, limbs) = term.as_big(no_gc).expect("a large integer");
                let kind = if negative {
                    Kind::NegativeBig
                } else {
                    Kind::PositiveBig
                };
                self.alpha(pair(self.number(kind), limbs.len() as u64));
                let (pairs, last) = limbs.as_chunks::<2>();
                for [first, second] in pairs {
                    self.alpha(*first);
                    self.beta(*second);
                }
                for limb in last {
                    self.beta(*limb);
                }
            }
            ObjectKind::Reference => {
                let (low, high) = reference::number(term).expect("a local reference");
                let [first, second, third] = reference::to_words(low, high).map(u64::from);
                self.alpha(pair(self.number(Kind::Reference), first));
                self.beta(pair(second, third));
            }
            // The node's word holds the index of its name, which never changes, so that can be hashed instead of the
            // name.
            ObjectKind::ExternalReference => {
                let words = offset::EXTERNAL_REFERENCE_WORDS..object.arity();
                let kind = self.number(Kind::ExternalReference);
                self.alpha(pair(kind, words.len() as u64));
                for index in words {
                    self.beta(object.word(index));
                }
                self.alpha(object.word(offset::EXTERNAL_NODE));
            }
            ObjectKind::ExternalPid => self.identifier(Kind::ExternalPid, term),
            ObjectKind::ExternalPort => self.identifier(Kind::ExternalPort, term),
            ObjectKind::Float => self.float(term),
        }
        None
    }

    fn float(&mut self, term: Term) {
        self.alpha(self.number(Kind::Float));
        self.beta(Float::expect(term).bits());
    }

    /// A pid or port of another node.
    fn identifier(&mut self, kind: Kind, term: Term) {
        self.alpha(self.number(kind));
        let identifier = ExternalIdentifier::expect(term);
        self.beta(identifier.node());
        self.alpha(identifier.id());
    }

    /// A map, or a node of a large one, which has come from the stack.
    fn map(&mut self, stack: &mut Stack, map: Term) -> Option<Term> {
        let object = map.expect_boxed();
        let shape = object.header().map_shape();
        if shape == MapShape::Flat {
            let (keys, values) = views::flat(map);
            self.alpha(self.number(Kind::FlatMap));
            self.beta(keys.len() as u64);
            let ((last_key, keys), (last_value, values)) =
                (keys.split_last()?, values.split_last()?);
            for (key, value) in keys.iter().zip(values) {
                self.element(stack, *value);
                self.element(stack, *key);
            }
            self.element(stack, *last_value);
            return Some(*last_key);
        }
        let children = views::children(map);
        if shape == MapShape::HashRoot {
            let kind = match children.len() {
                16 => Kind::FullRoot,
                _ => Kind::Root,
            };
            self.alpha(self.number(kind));
            self.beta(object.word(offset::MAP_SIZE));
        } else {
            self.alpha(self.number(Kind::Node));
        }
        for child in children {
            if let Some((key, value)) = child.as_cons() {
                self.element(stack, value);
                self.element(stack, key);
            } else {
                stack.push(*child);
            }
        }
        None
    }

    fn bit_string(&mut self, term: Term) {
        let bits = term.as_bits().expect("a bit string");
        self.alpha(self.number(Kind::Bits));
        self.beta(bits.bit_len());
        if bits.bit_len() == 0 {
            return;
        }
        let (whole, tail) = ((bits.bit_len() / 8) as usize, bits.bit_len() % 8);
        let content = aligned(bits, whole + usize::from(tail > 0));
        let (blocks, rest) = content[..whole].as_chunks::<16>();
        for block in blocks {
            self.alpha(word(&block[..8]));
            self.beta(word(&block[8..]));
        }
        // What is left is mixed in without a turn.
        let (low, high) = rest.split_at(rest.len().min(8));
        if !high.is_empty() {
            self.beta ^= Self::beta_part(word(high));
        }
        if !low.is_empty() {
            self.alpha ^= Self::alpha_part(word(low));
        }
        if tail > 0 {
            self.alpha(u64::from(content[whole] >> (8 - tail)));
        }
    }
}
