//! The older portable hash, `erlang:phash/2`: byte by byte, with primes just above 2^28.

use layout::object::offset;
use layout::{ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::{
    aligned, bytes_beside, first_reference_word, float_bits, phash2, phash2_within, pid_number,
    port_number,
};
use crate::integer::uint8;
use crate::{am, atom, fun, native_record};

const PRIME: [u32; 16] = [
    0,
    268_440_163,
    268_439_161,
    268_435_459,
    268_436_141,
    268_438_633,
    268_437_017,
    268_438_039,
    268_437_511,
    268_439_627,
    268_440_479,
    268_440_577,
    268_440_581,
    268_440_593,
    268_440_611,
    268_440_629,
];

#[derive(Clone, Copy)]
struct Sum(u32);

impl Sum {
    #[inline]
    fn add(&mut self, prime: u32, value: u32) {
        self.0 = self.0.wrapping_mul(prime).wrapping_add(value);
    }

    fn scale(&mut self, prime: u32) {
        self.0 = self.0.wrapping_mul(prime);
    }

    fn bytes(&mut self, prime: u32, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.add(prime, u32::from(byte));
        }
    }

    /// An integer: its bytes, least significant first; the upper half of the last limb is left out if it is 0.
    fn integer(&mut self, negative: bool, limbs: &[u64]) {
        let last = limbs.len() - 1;
        for (index, limb) in limbs.iter().enumerate() {
            let bytes = limb.to_le_bytes();
            let count = if index == last && limb >> 32 == 0 {
                4
            } else {
                8
            };
            self.bytes(PRIME[2], bytes[..count].iter().copied());
        }
        self.scale(PRIME[if negative { 4 } else { 3 }]);
    }
}

enum Rest {
    Terms(*const Term, usize),
    /// The tail of a list: another cell, or the end.
    Tail(Term),
    ListEnd,
    TupleEnd(u32),
    RecordEnd(u32),
}

/// Bytes of a list that are hashed in one step.
const BYTES_PER_STEP: usize = 4;

/// The 32 bits of which `erlang:phash/2` returns the remainder, and the number of steps: one for each term, and more
/// for bytes. `None` if it would take more than `most_steps`.
#[must_use]
pub fn phash_within(term: Term, most_steps: usize) -> Option<(u32, usize)> {
    let mut sum = Sum(0);
    let mut rest: SmallVec<[Rest; 16]> = SmallVec::new();
    let mut current = term;
    let mut steps = 0;
    'term: loop {
        steps += 1 + bytes_beside(current) / 16;
        if steps > most_steps {
            return None;
        }
        if let Some(mut cell) = current.as_cell() {
            let mut bytes = 0;
            while let Some(byte) = uint8(cell.head()) {
                bytes += 1;
                if bytes == BYTES_PER_STEP {
                    bytes = 0;
                    steps += 1;
                    if steps > most_steps {
                        return None;
                    }
                }
                sum.add(PRIME[2], u32::from(byte));
                current = cell.tail();
                let Some(next) = current.as_cell() else {
                    rest.push(Rest::ListEnd);
                    continue 'term;
                };
                cell = next;
            }
            rest.push(Rest::Tail(cell.tail()));
            current = cell.head();
            continue;
        }
        if current.is_map() {
            let (hash, more) = phash2_within(current, most_steps - steps)?;
            steps += more;
            sum.add(PRIME[13], PRIME[14].wrapping_add(hash));
        } else {
            object(&mut sum, &mut rest, current);
        }
        current = loop {
            match rest.pop() {
                None => return Some((sum.0, steps)),
                Some(Rest::Terms(_, 0)) => {}
                Some(Rest::Terms(first, count)) => {
                    rest.push(Rest::Terms(first.wrapping_add(1), count - 1));
                    // SAFETY: at least one of the terms is left.
                    break unsafe { *first };
                }
                Some(Rest::Tail(tail)) => {
                    if !tail.is_cons() {
                        rest.push(Rest::ListEnd);
                    }
                    break tail;
                }
                Some(Rest::ListEnd) => sum.scale(PRIME[8]),
                Some(Rest::TupleEnd(arity)) => sum.add(PRIME[9], arity),
                Some(Rest::RecordEnd(arity)) => sum.add(PRIME[15], arity),
            }
        };
    }
}

fn object(sum: &mut Sum, rest: &mut SmallVec<[Rest; 16]>, term: Term) {
    if let Some(value) = term.as_small() {
        return sum.integer(value < 0, &[value.unsigned_abs()]);
    }
    if term.is_nil() {
        return sum.add(PRIME[3], 1);
    }
    if term.is_atom() {
        return sum.add(PRIME[1], atom::hash(term));
    }
    if term.is_pid() {
        sum.bytes(PRIME[5], pid_number(term).to_le_bytes());
        return sum.scale(PRIME[6]);
    }
    if term.is_port() {
        let number = port_number(term);
        if number >> 32 != 0 {
            sum.bytes(PRIME[11], ((number >> 32) as u32).to_le_bytes());
        }
        sum.bytes(PRIME[9], (number as u32).to_le_bytes());
        return sum.scale(PRIME[10]);
    }
    let header = term.expect_boxed().header();
    match header.kind() {
        ObjectKind::HeapBinary
        | ObjectKind::SharedBinary
        | ObjectKind::SubBinary
        | ObjectKind::MatchContext => {
            if let Some(bits) = term.as_bits() {
                let (bytes, tail) = ((bits.bit_len() / 8) as usize, (bits.bit_len() % 8) as u32);
                let content = aligned(bits, bytes + usize::from(tail > 0));
                sum.bytes(PRIME[1], content[..bytes].iter().copied());
                if tail > 0 {
                    sum.add(PRIME[1], u32::from(content[bytes] >> (8 - tail)));
                    sum.add(PRIME[12], tail);
                }
                sum.add(PRIME[4], bytes as u32);
            }
        }
        ObjectKind::Fun => {
            let entry = fun::entry(term);
            let free = header.arity() - offset::FUN_FREE;
            sum.add(PRIME[10], free as u32);
            sum.add(PRIME[1], atom::hash(entry.module));
            sum.add(PRIME[2], entry.index);
            sum.add(PRIME[2], entry.old_unique);
            rest.push(Rest::Terms(
                term.word_pointer(offset::FUN_FREE).cast(),
                free,
            ));
        }
        ObjectKind::Export => {
            let entry = fun::export_entry(term);
            sum.add(PRIME[11], entry.arity);
            sum.add(PRIME[1], atom::hash(entry.module));
            sum.add(PRIME[1], atom::hash(entry.function));
        }
        ObjectKind::Reference | ObjectKind::ExternalReference => {
            sum.bytes(PRIME[9], first_reference_word(term).to_le_bytes());
            sum.scale(PRIME[10]);
        }
        ObjectKind::Float => {
            let bits = float_bits(term);
            sum.add(PRIME[6], (bits >> 32) as u32 ^ bits as u32);
        }
        ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
            if let Some((negative, limbs)) = term.as_big(no_gc!()) {
                sum.integer(negative, limbs);
            }
        }
        ObjectKind::NativeRecord => record(sum, rest, term),
        ObjectKind::Tuple => {
            let arity = header.arity();
            rest.push(Rest::TupleEnd(arity as u32));
            rest.push(Rest::Terms(term.word_pointer(0).cast(), arity));
        }
        ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::Map => {
            unreachable!("hashed above")
        }
    }
}

/// A native record: a definition, as a tuple, and the values. As in [`phash2`], the names of the fields and the values
/// are in the order in which the node met the names.
fn record(sum: &mut Sum, rest: &mut SmallVec<[Rest; 16]>, term: Term) {
    let no_gc = no_gc!();
    let (definition, values) = term.as_native_record(no_gc).expect("a native record");
    let parts = native_record::Definition::of(definition, no_gc);
    let count = values.len() as u32;
    let places = parts.places_by_name();

    // For each field as declared, where it is in that order.
    let mut ranks: SmallVec<[u64; 16]> = SmallVec::from_elem(0, values.len());
    for (rank, &place) in places.iter().enumerate() {
        ranks[place] = rank as u64;
    }
    for rank in ranks {
        sum.integer(false, &[rank]);
    }
    sum.add(PRIME[9], count);
    sum.integer(false, &[u64::from(phash2(definition))]);
    let names = places.iter().map(|&place| parts.fields[place]);
    for name in [parts.module, parts.name, am::boolean(parts.is_exported)]
        .into_iter()
        .chain(names)
    {
        sum.add(PRIME[1], atom::hash(name));
    }
    sum.add(PRIME[9], 5 + count);

    rest.push(Rest::RecordEnd(1 + count));
    let values = places.iter().rev().map(|&place| &raw const values[place]);
    rest.extend(values.map(|value| Rest::Terms(value, 1)));
}
