//! Equality and the order of terms.
//!
//! `number < atom < reference < fun < port < pid < tuple < native record < map < [] < list < bit string`. There are two
//! versions of each: arithmetical (`==`, `<`: an integer may equal a float) and exact (`=:=`, and the order of map
//! keys, where every integer comes before every float). Keys of maps are always compared exactly.
//!
//! Any thread may call, with terms it may read. Two identical words are equal without a look at the objects they point
//! to; that is most of the speed. Lists and tuples, the most common terms, are compared by functions that recurse down
//! to a depth of [`SHALLOW`]. Deeper terms and all other kinds are kept on an explicit stack, so the use of the native
//! stack is bounded however deep the terms are.

use std::cmp::Ordering;
use std::num::NonZero;

use layout::kinds::{FlatMap, HeapBinary};
use layout::object::{MapShape, offset};
use layout::{Boxed, FunEntry, NoGc, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use crate::{atom, fun, reference};

mod bits;
mod number;
mod order;

use number::{are_same_floats, exact_order_of_floats};
pub use number::{compare_numbers, compare_with_float};

/// `A == B`.
#[inline]
#[must_use]
pub fn eq(a: Term, b: Term) -> bool {
    if a == b {
        return true;
    }
    if both_immediate(a, b) {
        return false;
    }
    match glance::<false>(a, b) {
        Some(equal) => equal,
        None => equal::<false>(a, b),
    }
}

/// `A =:= B`.
#[inline]
#[must_use]
pub fn eq_exact(a: Term, b: Term) -> bool {
    if a == b {
        return true;
    }
    if a.is_immediate() || b.is_immediate() {
        return false;
    }
    match glance::<true>(a, b) {
        Some(equal) => equal,
        None => equal::<true>(a, b),
    }
}

/// Decides `=:=` or `==` from the words of two tuples or two small binaries alone, if possible: keys and tags usually
/// differ in an immediate.
#[inline]
fn glance<const EXACT: bool>(a: Term, b: Term) -> Option<bool> {
    let (one, other) = (a.as_boxed()?, b.as_boxed()?);
    if one.kind() == ObjectKind::Tuple && other.kind() == ObjectKind::Tuple {
        return glance_at_tuples::<EXACT>(a, b);
    }
    let (one, other) = (HeapBinary::of_object(one)?, HeapBinary::of_object(other)?);
    Some(equal_heap_binaries(one, other))
}

#[inline(always)]
fn glance_at_tuples<const EXACT: bool>(a: Term, b: Term) -> Option<bool> {
    let no_gc = no_gc!();
    let (a, b) = (a.as_tuple(no_gc)?, b.as_tuple(no_gc)?);
    if a.len() != b.len() {
        return Some(false);
    }
    let mut same = true;
    for (&a, &b) in a.iter().zip(b) {
        if a != b {
            if !may_equal::<EXACT>(a, b) {
                return Some(false);
            }
            same = false;
        }
    }
    same.then_some(true)
}

/// Whether two heap binaries are equal. They are short, so a loop takes less time than a call of `memcmp`.
#[inline(always)]
fn equal_heap_binaries(a: HeapBinary, b: HeapBinary) -> bool {
    let size = a.size();
    if size != b.size() {
        return false;
    }
    let difference = |index| {
        let at = offset::HEAP_BINARY_BYTES + index;
        // SAFETY: both have the words of so many bytes.
        unsafe { a.word_unchecked(at) ^ b.word_unchecked(at) }
    };
    let whole = (size / 8) as usize;
    // The first bytes of a word are its low ones; those behind the binary's end do not count.
    (0..whole).all(|index| difference(index) == 0)
        && (size % 8 == 0 || difference(whole) << (64 - size % 8 * 8) == 0)
}

/// The arithmetical order: that of `<`, `lists:sort/1` and ordered sets.
#[inline]
#[must_use]
pub fn compare(a: Term, b: Term) -> Ordering {
    order_of(a, b, false)
}

/// The exact order: that of the keys of a map, where maps are compared.
#[inline]
#[must_use]
pub fn compare_exact(a: Term, b: Term) -> Ordering {
    order_of(a, b, true)
}

/// The arithmetical order of two short binaries, or of two tuples of one size, if the first elements that differ are
/// small integers or short binaries, or if none do: what is sorted or selected is often such. It calls nothing, and
/// becomes part of its callers.
#[inline(always)]
#[must_use]
pub fn order_at_a_glance(a: Term, b: Term) -> Option<Ordering> {
    let (one, other) = (a.as_boxed()?, b.as_boxed()?);
    if one.kind() != ObjectKind::Tuple {
        return order_of_heap_binaries(a, b);
    }
    if one.header() != other.header() {
        return None;
    }
    for index in 0..one.arity() {
        // SAFETY: both are tuples of that many elements.
        let (a, b) = unsafe { (one.term_unchecked(index), other.term_unchecked(index)) };
        if a != b {
            if both_small(a, b) {
                return Some(small_order(a, b));
            }
            let order = order_of_heap_binaries(a, b)?;
            if order.is_ne() {
                return Some(order);
            }
        }
    }
    Some(Ordering::Equal)
}

/// The order of the keys of a flat map: the exact one, but where atoms are ranked, two of them are in the order of
/// their ranks. Atoms inside of other keys are compared by text.
#[inline]
#[must_use]
pub fn compare_keys(a: Term, b: Term) -> Ordering {
    if both_small(a, b) {
        return small_order(a, b);
    }
    if a.is_atom() && b.is_atom() {
        return atom::compare_keys(a, b);
    }
    compare_slow(a, b, true)
}

/// A number for a key that is a small integer or a ranked atom: such keys are in the order ([`compare_keys`]) of their
/// numbers. `None` for any other key. Where a key is compared with several others, its number is found only once.
#[inline(always)]
pub(crate) fn key_number(key: Term) -> Option<NonZero<u64>> {
    const ATOM: u64 = 1 << 63;
    const SMALL: u64 = 1 << 62;
    let number = if key.is_small() {
        // What is above the tag, with the sign turned round: negative numbers come first.
        SMALL | (key.bits() >> 4 ^ 1 << 59)
    } else if key.is_atom() {
        ATOM | atom::rank_of(key)?
    } else {
        return None;
    };
    NonZero::new(number)
}

/// Inlined, so that small integers and atoms are compared without a call.
#[inline(always)]
fn order_of(a: Term, b: Term, exact: bool) -> Ordering {
    if both_small(a, b) {
        return small_order(a, b);
    }
    if a.is_atom() && b.is_atom() {
        return atom::compare(a, b);
    }
    compare_slow(a, b, exact)
}

fn compare_slow(a: Term, b: Term, exact: bool) -> Ordering {
    if a == b {
        Ordering::Equal
    } else if let (Some(first), Some(second)) = (a.as_float(), b.as_float()) {
        // A NaN never becomes a term.
        match first.partial_cmp(&second) {
            Some(Ordering::Equal) if exact => exact_order_of_floats(a, b),
            order => order.unwrap_or(Ordering::Equal),
        }
    } else if let Some(order) = order_of_binaries(a, b) {
        order
    } else {
        order_shallow(a, b, exact, SHALLOW)
    }
}

#[inline(always)]
fn both_immediate(a: Term, b: Term) -> bool {
    a.bits() & b.bits() & 0b11 == 0b11
}

/// The order of two small integers: that of their words, because the tags are the same.
#[inline(always)]
fn small_order(a: Term, b: Term) -> Ordering {
    (a.bits() as i64).cmp(&(b.bits() as i64))
}

#[inline(always)]
fn both_small(a: Term, b: Term) -> bool {
    a.bits() & b.bits() & 0b1111 == 0b1111
}

/// How the terms of a row must be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// As the whole comparison: exactly or arithmetically.
    Asked,
    /// Exactly: the keys of a flat map.
    Exactly,
    /// As children of a hash map's node: the key of a leaf exactly, its value as `Asked`.
    Children,
}

/// Two arrays of terms; `count` pairs are still to be compared.
struct Row {
    a: *const Term,
    b: *const Term,
    count: u32,
    mode: Mode,
}

/// Lists and tuples are compared on the native stack down to this depth.
const SHALLOW: u32 = 24;

/// The rest of [`eq`] and [`eq_exact`] for two words that differ.
#[inline]
fn equal<const EXACT: bool>(a: Term, b: Term) -> bool {
    equal_shallow::<EXACT>(a, b, SHALLOW)
}

/// Whether two different words can be equal terms at all.
#[inline(always)]
fn may_equal<const EXACT: bool>(a: Term, b: Term) -> bool {
    if EXACT {
        // An immediate equals nothing but itself, and a cons never equals a boxed object.
        a.bits() & 0b11 != 0b11 && (a.bits() ^ b.bits()) & 0b11 == 0
    } else {
        a.bits() & b.bits() & 0b11 != 0b11
    }
}

/// What is behind the front elements that are the same words in both lists: most lists that are compared have
/// characters or atoms.
#[inline]
fn equal_fronts(mut a: Term, mut b: Term) -> (Term, Term) {
    while a != b
        && let (Some(cell_a), Some(cell_b)) = (a.as_cell(), b.as_cell())
        && cell_a.head() == cell_b.head()
    {
        (a, b) = (cell_a.tail(), cell_b.tail());
    }
    (a, b)
}

fn equal_shallow<const EXACT: bool>(mut a: Term, mut b: Term, depth: u32) -> bool {
    loop {
        if depth == 0 {
            return equal_deep::<EXACT>(a, b);
        }
        if let (Some(cell_a), Some(cell_b)) = (a.as_cell(), b.as_cell()) {
            let (head_a, head_b) = (cell_a.head(), cell_b.head());
            if head_a != head_b
                && !(may_equal::<EXACT>(head_a, head_b)
                    && equal_shallow::<EXACT>(head_a, head_b, depth - 1))
            {
                return false;
            }
            (a, b) = equal_fronts(cell_a.tail(), cell_b.tail());
        } else if let (Some(tuple_a), Some(tuple_b)) = (a.as_boxed(), b.as_boxed())
            && tuple_a.kind() == ObjectKind::Tuple
        {
            let header = tuple_a.header();
            if header != tuple_b.header() {
                return false;
            }
            let last = match header.arity() {
                0 => return true,
                arity => arity - 1,
            };
            // SAFETY: both are tuples of more than `last` elements.
            let elements = |index: usize| unsafe {
                (tuple_a.term_unchecked(index), tuple_b.term_unchecked(index))
            };
            for index in 0..last {
                let (one, other) = elements(index);
                if one != other
                    && !(may_equal::<EXACT>(one, other)
                        && equal_shallow::<EXACT>(one, other, depth - 1))
                {
                    return false;
                }
            }
            (a, b) = elements(last);
        } else {
            return equal_numbers::<EXACT>(a, b)
                .or_else(|| equal_bytes(a, b))
                .unwrap_or_else(|| equal_deep::<EXACT>(a, b));
        }
        if a == b {
            return true;
        }
        if !may_equal::<EXACT>(a, b) {
            return false;
        }
    }
}

/// Whether two numbers are equal that are not small integers; nothing for other terms.
#[inline]
fn equal_numbers<const EXACT: bool>(a: Term, b: Term) -> Option<bool> {
    match (a.as_float(), b.as_float()) {
        (Some(_), Some(_)) if EXACT => Some(are_same_floats(a, b)),
        // A NaN never becomes a term.
        (Some(a), Some(b)) => Some(a == b),
        (None, None) => Some(a.as_big(no_gc!())? == b.as_big(no_gc!())?),
        _ => (!EXACT && a.is_number() && b.is_number()).then(|| compare_numbers(a, b).is_eq()),
    }
}

/// The bytes of a binary that starts and ends with a whole byte; nothing for any other term.
#[inline]
fn whole_bytes(term: Term, no_gc: &NoGc) -> Option<&[u8]> {
    term.as_bits()?.as_bytes(no_gc)
}

/// Whether two binaries are equal, if they are whole bytes.
#[inline]
fn equal_bytes(a: Term, b: Term) -> Option<bool> {
    Some(whole_bytes(a, no_gc!())? == whole_bytes(b, no_gc!())?)
}

/// The order of two heap binaries; `None` for other terms.
#[inline(always)]
fn order_of_heap_binaries(a: Term, b: Term) -> Option<Ordering> {
    let a = HeapBinary::of_object(a.as_boxed()?)?;
    let b = HeapBinary::of_object(b.as_boxed()?)?;
    let (size_a, size_b) = (a.size(), b.size());
    let common = size_a.min(size_b);
    for index in 0..common.div_ceil(8) {
        let at = offset::HEAP_BINARY_BYTES + index as usize;
        // SAFETY: both have the words of so many bytes.
        let (one, other) = unsafe { (a.word_unchecked(at), b.word_unchecked(at)) };
        if one == other {
            continue;
        }
        // The first bytes of a word are its low ones; those behind the shorter binary's end do not count.
        let unused = 64 - 8 * (common - 8 * index).min(8);
        let order = (one << unused)
            .swap_bytes()
            .cmp(&(other << unused).swap_bytes());
        if order.is_ne() {
            return Some(order);
        }
    }
    Some(size_a.cmp(&size_b))
}

/// The order of two binaries, if they are whole bytes.
#[inline]
fn order_of_binaries(a: Term, b: Term) -> Option<Ordering> {
    if let Some(order) = order_of_heap_binaries(a, b) {
        return Some(order);
    }
    let no_gc = no_gc!();
    let (one, other) = (whole_bytes(a, no_gc)?, whole_bytes(b, no_gc)?);
    Some(bits::order_of_bytes(one, other))
}

/// [`compare`] for two words that differ.
fn order_shallow(mut a: Term, mut b: Term, exact: bool, depth: u32) -> Ordering {
    loop {
        if both_small(a, b) {
            return small_order(a, b);
        }
        if a.is_atom() && b.is_atom() {
            return atom::compare(a, b);
        }
        if depth == 0 {
            return order::compare(a, b, exact);
        }
        if let (Some(cell_a), Some(cell_b)) = (a.as_cell(), b.as_cell()) {
            let (head_a, head_b) = (cell_a.head(), cell_b.head());
            if head_a != head_b {
                if both_small(head_a, head_b) {
                    return small_order(head_a, head_b);
                }
                let heads = order_shallow(head_a, head_b, exact, depth - 1);
                if heads.is_ne() {
                    return heads;
                }
            }
            (a, b) = (cell_a.tail(), cell_b.tail());
        } else if let (Some(tuple_a), Some(tuple_b)) = (a.as_boxed(), b.as_boxed())
            && tuple_a.header() == tuple_b.header()
            && tuple_a.kind() == ObjectKind::Tuple
        {
            let last = match tuple_a.arity() {
                0 => return Ordering::Equal,
                arity => arity - 1,
            };
            // SAFETY: both are tuples of more than `last` elements.
            let elements = |index: usize| unsafe {
                (tuple_a.term_unchecked(index), tuple_b.term_unchecked(index))
            };
            for index in 0..last {
                let (one, other) = elements(index);
                if one != other {
                    // Without a call of the function, which keeps many registers.
                    if both_small(one, other) {
                        return small_order(one, other);
                    }
                    let order = order_of_heap_binaries(one, other)
                        .unwrap_or_else(|| order_shallow(one, other, exact, depth - 1));
                    if order.is_ne() {
                        return order;
                    }
                }
            }
            (a, b) = elements(last);
        } else if let Some(order) = order_of_binaries(a, b) {
            return order;
        } else {
            let (one, other) = (order::rank(a), order::rank(b));
            return match one.cmp(&other) {
                Ordering::Equal if one == order::NUMBER => order::numbers(a, b, exact),
                Ordering::Equal => order::compare(a, b, exact),
                types => types,
            };
        }
        if a == b {
            return Ordering::Equal;
        }
    }
}

/// Compares what [`equal_shallow`] leaves; rows of terms that are still to be compared are kept on a stack.
fn equal_deep<const EXACT: bool>(mut a: Term, mut b: Term) -> bool {
    let mut rows: SmallVec<[Row; 12]> = SmallVec::new();
    'pair: loop {
        'same: {
            if let Some(mut cell_a) = a.as_cell() {
                let Some(mut cell_b) = b.as_cell() else {
                    return false;
                };
                loop {
                    let (head_a, head_b) = (cell_a.head(), cell_b.head());
                    if head_a != head_b {
                        if both_immediate(head_a, head_b) {
                            return false;
                        }
                        rows.push(Row {
                            // A cell's second word is its tail.
                            a: cell_a.pointer().wrapping_add(1),
                            b: cell_b.pointer().wrapping_add(1),
                            count: 1,
                            mode: Mode::Asked,
                        });
                        (a, b) = (head_a, head_b);
                        continue 'pair;
                    }
                    (a, b) = (cell_a.tail(), cell_b.tail());
                    if a == b {
                        break 'same;
                    }
                    let (Some(next_a), Some(next_b)) = (a.as_cell(), b.as_cell()) else {
                        if both_immediate(a, b) {
                            return false;
                        }
                        continue 'pair;
                    };
                    (cell_a, cell_b) = (next_a, next_b);
                }
            }
            let (Some(object_a), Some(object_b)) = (a.as_boxed(), b.as_boxed()) else {
                if equal_numbers::<EXACT>(a, b) == Some(true) {
                    break 'same;
                }
                return false;
            };
            match equal_objects::<EXACT>(object_a, object_b) {
                Objects::Decided(true) => {}
                Objects::Decided(false) => return false,
                Objects::Rows(row, keys) => {
                    rows.push(row);
                    rows.extend(keys);
                }
            }
        }
        loop {
            let Some(row) = rows.last_mut() else {
                return true;
            };
            let mode = row.mode;
            // SAFETY: a row counts the terms that are still to be read from `a` and `b`.
            let found = unsafe { next_difference(row) };
            let Some(pair) = found else {
                rows.pop();
                continue;
            };
            if row.count == 0 {
                rows.pop();
            }
            (a, b) = pair;
            if both_immediate(a, b) {
                return false;
            }
            if !EXACT && mode != Mode::Asked {
                if mode == Mode::Exactly {
                    if !eq_exact(a, b) {
                        return false;
                    }
                    continue;
                }
                if let (Some(cell_a), Some(cell_b)) = (a.as_cell(), b.as_cell()) {
                    if !eq_exact(cell_a.head(), cell_b.head()) {
                        return false;
                    }
                    (a, b) = (cell_a.tail(), cell_b.tail());
                    if a == b {
                        continue;
                    }
                    if both_immediate(a, b) {
                        return false;
                    }
                }
            }
            continue 'pair;
        }
    }
}

/// The next pair of a row whose words differ.
///
/// # Safety
/// `count` terms can be read from `a` and from `b`.
#[inline(always)]
unsafe fn next_difference(row: &mut Row) -> Option<(Term, Term)> {
    while row.count > 0 {
        // SAFETY: the caller's promise.
        let pair = unsafe { (*row.a, *row.b) };
        row.a = row.a.wrapping_add(1);
        row.b = row.b.wrapping_add(1);
        row.count -= 1;
        if pair.0 != pair.1 {
            return Some(pair);
        }
    }
    None
}

enum Objects {
    Decided(bool),
    /// Equal if these rows are; the second row must be compared first.
    Rows(Row, Option<Row>),
}

#[inline]
fn equal_objects<const EXACT: bool>(object_a: Boxed, object_b: Boxed) -> Objects {
    let (a, b) = (object_a.term(), object_b.term());
    let (header, header_b) = (object_a.header(), object_b.header());
    let terms = |first: usize, count: usize, mode: Mode| Row {
        a: object_a.word_pointer(first).cast(),
        b: object_b.word_pointer(first).cast(),
        count: count as u32,
        mode,
    };
    let decided = match header.kind() {
        // Definitions are the same if their elements are.
        ObjectKind::Tuple | ObjectKind::NativeRecord => {
            if header == header_b {
                return Objects::Rows(terms(0, header.arity(), Mode::Asked), None);
            }
            false
        }
        ObjectKind::Float | ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
            equal_numbers::<EXACT>(a, b) == Some(true)
        }
        ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary => {
            match (a.as_bits(), b.as_bits()) {
                (Some(a), Some(b)) => a.bit_len() == b.bit_len() && bits::compare(a, b).is_eq(),
                _ => false,
            }
        }
        ObjectKind::Map => {
            if header != header_b {
                return Objects::Decided(false);
            }
            let arity = header.arity();
            match header.map_shape() {
                MapShape::Flat => {
                    let [keys, keys_b] = [a, b].map(|map| FlatMap::expect(map).keys());
                    let values = terms(offset::FLAT_MAP_VALUES, arity - 2, Mode::Asked);
                    let keys = (keys != keys_b).then_some(Row {
                        a: keys.word_pointer(0).cast(),
                        b: keys_b.word_pointer(0).cast(),
                        count: (arity - 2) as u32,
                        mode: Mode::Exactly,
                    });
                    return Objects::Rows(values, keys);
                }
                MapShape::HashRoot => {
                    if a.map_size() == b.map_size() {
                        return Objects::Rows(
                            terms(offset::HASH_ROOT_CHILDREN, arity - 1, Mode::Children),
                            None,
                        );
                    }
                    false
                }
                MapShape::HashNode => return Objects::Rows(terms(0, arity, Mode::Children), None),
            }
        }
        ObjectKind::Fun => {
            if header != header_b || !same_fun_entry(fun::entry(a), fun::entry(b)) {
                return Objects::Decided(false);
            }
            let free = header.arity() - offset::FUN_FREE;
            return Objects::Rows(terms(offset::FUN_FREE, free, Mode::Asked), None);
        }
        // Entries are unique by module, function and arity.
        ObjectKind::Export => header == header_b && object_a.word(0) == object_b.word(0),
        ObjectKind::Reference => reference::number(a) == reference::number(b),
        ObjectKind::ExternalReference => {
            header_b.kind() == ObjectKind::ExternalReference
                && order::external_references(a, b).is_eq()
        }
        ObjectKind::ExternalPid | ObjectKind::ExternalPort => {
            let words = |object: Boxed| (object.word(0), object.word(1));
            header == header_b && words(object_a) == words(object_b)
        }
        // Programs never compare these; only the same one is equal.
        ObjectKind::MatchContext => false,
    };
    Objects::Decided(decided)
}

/// Whether two entries are of the same fun: a module that is loaded again has new entries, possibly for the same funs.
fn same_fun_entry(a: &FunEntry, b: &FunEntry) -> bool {
    std::ptr::eq(a, b)
        || (a.module == b.module && a.index == b.index && a.old_unique == b.old_unique)
}

#[cfg(test)]
mod tests;
