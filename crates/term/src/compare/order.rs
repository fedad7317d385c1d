//! The order of terms, for pairs that the fast paths do not decide.
//!
//! A stack of frames holds what is still to be compared as long as everything so far is equal. Only the frames of hash
//! maps, and of flat maps with ranked atoms, stay when a difference is found: their keys come in another order, so the
//! least key that makes a difference is known only at the end.

use std::cmp::Ordering;

use layout::kinds::{Closure, ExternalIdentifier, ExternalReference, FlatMap};
use layout::object::offset;
use layout::{Cons, ObjectKind, Term};
use smallvec::SmallVec;

use super::number::{compare_numbers, exact_order_of_floats};
use super::{Mode, Row, bits, compare_slow, eq_exact, next_difference};
use crate::node::{self, Node};
use crate::{atom, fun, map, native_record, reference};

/// A question: how are these two terms ordered? `true` asks for the exact order.
type Question = (Term, Term, bool);

enum Step {
    Decided(Ordering),
    Ask(Question),
    /// Equal so far; the frames hold what is left to compare.
    Frames,
}

enum Frame {
    /// Terms to compare; `Mode` is never `Children` here.
    Row(Row, bool),
    Unordered(Box<Unordered>),
}

/// Compares two terms whose words differ.
pub(super) fn compare(a: Term, b: Term, exact: bool) -> Ordering {
    let mut frames: SmallVec<[Frame; 8]> = SmallVec::new();
    let mut unordered = 0;
    let mut question = (a, b, exact);
    loop {
        let mut verdict = match step(question, &mut frames) {
            Step::Decided(verdict) => verdict,
            Step::Ask(next) => {
                question = next;
                continue;
            }
            Step::Frames => {
                if let Some(Frame::Unordered(_)) = frames.last() {
                    unordered += 1;
                }
                Ordering::Equal
            }
        };
        question = loop {
            if verdict.is_ne() {
                if unordered == 0 {
                    return verdict;
                }
                while let Some(Frame::Row(..)) = frames.last() {
                    frames.pop();
                }
            }
            match frames.last_mut() {
                None => return verdict,
                Some(Frame::Row(row, exact)) => {
                    let exact = *exact;
                    // SAFETY: a row counts the terms that are still to be read.
                    match unsafe { next_difference(row) } {
                        None => {
                            frames.pop();
                        }
                        Some((a, b)) => {
                            if row.count == 0 {
                                frames.pop();
                            }
                            break (a, b, exact);
                        }
                    }
                }
                Some(Frame::Unordered(maps)) => match maps.resume(verdict) {
                    Step::Ask(next) => break next,
                    Step::Decided(whole) => {
                        frames.pop();
                        unordered -= 1;
                        verdict = whole;
                    }
                    Step::Frames => unreachable!("a map asks or decides"),
                },
            }
        };
    }
}

/// The rank of numbers in the order of types.
pub(super) const NUMBER: u32 = 0;

/// The rank of a term's type in the order of types.
#[inline]
pub(super) fn rank(term: Term) -> u32 {
    if term.is_small() {
        return NUMBER;
    }
    if term.is_cons() {
        return 10;
    }
    match term.boxed_kind() {
        None if term.is_atom() => 1,
        None if term.is_local_port() => 4,
        None if term.is_local_pid() => 5,
        None => 9,
        Some(ObjectKind::PositiveBig | ObjectKind::NegativeBig | ObjectKind::Float) => NUMBER,
        Some(ObjectKind::Reference | ObjectKind::ExternalReference) => 2,
        Some(ObjectKind::Fun | ObjectKind::Export) => 3,
        Some(ObjectKind::ExternalPort) => 4,
        Some(ObjectKind::ExternalPid) => 5,
        Some(ObjectKind::Tuple) => 6,
        Some(ObjectKind::NativeRecord) => 7,
        Some(ObjectKind::Map) => 8,
        Some(
            ObjectKind::HeapBinary
            | ObjectKind::SharedBinary
            | ObjectKind::SubBinary
            | ObjectKind::MatchContext,
        ) => 11,
    }
}

fn step((a, b, exact): Question, frames: &mut SmallVec<[Frame; 8]>) -> Step {
    if a == b {
        return Step::Decided(Ordering::Equal);
    }
    if let (Some(cell_a), Some(cell_b)) = (a.as_cell(), b.as_cell()) {
        return lists((cell_a, cell_b), exact, frames);
    }
    let (rank_a, rank_b) = (rank(a), rank(b));
    if rank_a != rank_b {
        return Step::Decided(rank_a.cmp(&rank_b));
    }
    let decided = match rank_a {
        NUMBER => numbers(a, b, exact),
        1 => atom::compare(a, b),
        2 => references(a, b),
        3 => return funs((a, b, exact), frames),
        4 => ports(a, b),
        5 => pids(a, b),
        6 => {
            let (header_a, header_b) = (a.expect_boxed().header(), b.expect_boxed().header());
            if header_a == header_b {
                frames.push(row(a, b, 0, header_a.arity(), exact));
                return Step::Frames;
            }
            header_a.arity().cmp(&header_b.arity())
        }
        7 => return native_records((a, b, exact), frames),
        8 => return maps((a, b, exact), frames),
        _ => match (a.as_bits(), b.as_bits()) {
            (Some(a), Some(b)) => bits::compare(a, b),
            _ => Ordering::Equal,
        },
    };
    Step::Decided(decided)
}

/// The order of two numbers. In the exact one, integers come before floats.
pub(super) fn numbers(a: Term, b: Term, exact: bool) -> Ordering {
    if !exact {
        return compare_numbers(a, b);
    }
    match (a.is_float(), b.is_float()) {
        (true, true) => exact_order_of_floats(a, b),
        (a_is, b_is) => a_is.cmp(&b_is).then_with(|| compare_numbers(a, b)),
    }
}

fn row(a: Term, b: Term, first: usize, count: usize, exact: bool) -> Frame {
    Frame::Row(
        Row {
            a: a.word_pointer(first).cast(),
            b: b.word_pointer(first).cast(),
            count: count as u32,
            mode: Mode::Asked,
        },
        exact,
    )
}

fn lists(
    (mut cell_a, mut cell_b): (Cons, Cons),
    exact: bool,
    frames: &mut SmallVec<[Frame; 8]>,
) -> Step {
    loop {
        let (head_a, head_b) = (cell_a.head(), cell_b.head());
        if head_a != head_b {
            if head_a.is_immediate() && head_b.is_immediate() {
                // Different immediates are different terms.
                return Step::Decided(if head_a.is_small() && head_b.is_small() {
                    head_a.small_value().cmp(&head_b.small_value())
                } else {
                    compare_slow(head_a, head_b, exact)
                });
            }
            let tails = Row {
                a: cell_a.pointer().wrapping_add(1),
                b: cell_b.pointer().wrapping_add(1),
                count: 1,
                mode: Mode::Asked,
            };
            frames.push(Frame::Row(tails, exact));
            return Step::Ask((head_a, head_b, exact));
        }
        let (a, b) = (cell_a.tail(), cell_b.tail());
        let (Some(next_a), Some(next_b)) = (a.as_cell(), b.as_cell()) else {
            return Step::Ask((a, b, exact));
        };
        (cell_a, cell_b) = (next_a, next_b);
    }
}

fn funs((a, b, exact): Question, frames: &mut SmallVec<[Frame; 8]>) -> Step {
    match (a.is_kind(ObjectKind::Fun), b.is_kind(ObjectKind::Fun)) {
        (true, true) => {}
        (false, false) => {
            let (a, b) = (fun::export_entry(a), fun::export_entry(b));
            let order = atom::compare(a.module, b.module)
                .then_with(|| atom::compare(a.function, b.function))
                .then(a.arity.cmp(&b.arity));
            return Step::Decided(order);
        }
        (local, _) => {
            return Step::Decided(if local {
                Ordering::Less
            } else {
                Ordering::Greater
            });
        }
    }
    let (entry_a, entry_b) = (fun::entry(a), fun::entry(b));
    let free = |fun: Term| Closure::expect(fun).free_count();
    let order = atom::compare(entry_a.module, entry_b.module)
        .then((entry_a.index as i32).cmp(&(entry_b.index as i32)))
        .then((entry_a.old_unique as i32).cmp(&(entry_b.old_unique as i32)))
        .then(free(a).cmp(&free(b)));
    if order.is_ne() {
        return Step::Decided(order);
    }
    frames.push(row(a, b, offset::FUN_FREE, free(a), exact));
    Step::Frames
}

fn maps((a, b, exact): Question, frames: &mut SmallVec<[Frame; 8]>) -> Step {
    let sizes = a.map_size().cmp(&b.map_size());
    if sizes.is_ne() {
        return Step::Decided(sizes);
    }
    if let (Some(flat_a), Some(flat_b)) = (FlatMap::of(a), FlatMap::of(b))
        && !(atom::are_ranked() && are_by_rank(a, b))
    {
        let count = flat_a.arity() - offset::FLAT_MAP_VALUES;
        frames.push(row(a, b, offset::FLAT_MAP_VALUES, count, exact));
        let (keys_a, keys_b) = (flat_a.keys(), flat_b.keys());
        if keys_a != keys_b {
            frames.push(row(keys_a, keys_b, 0, count, true));
        }
    } else {
        frames.push(Frame::Unordered(Box::new(Unordered::new(a, b, exact))));
    }
    Step::Frames
}

/// Whether one of two flat maps may have keys in another order than the exact one: those with several atoms.
#[cold]
fn are_by_rank(a: Term, b: Term) -> bool {
    [a, b].into_iter().any(|map| {
        let keys = map::iter(map).map(|(key, _)| key);
        keys.filter(|key| key.is_atom()).nth(1).is_some()
    })
}

fn native_records((a, b, exact): Question, frames: &mut SmallVec<[Frame; 8]>) -> Step {
    let [first, second] = [a, b].map(native_record::definition);
    if first != second {
        let order = native_record::compare_definitions(first, second);
        if order.is_ne() {
            return Step::Decided(order);
        }
    }
    let count = a.expect_boxed().arity() - offset::RECORD_VALUES;
    frames.push(row(a, b, offset::RECORD_VALUES, count, exact));
    Step::Frames
}

/// The order of the nodes of two identifiers: by name, then by creation. `None` is this node.
fn nodes(a: Option<Node>, b: Option<Node>) -> Ordering {
    let facts = |node: Option<Node>| {
        node.map_or_else(
            || (node::own_name(), node::own_creation()),
            |node| (node.name, node.creation),
        )
    };
    let ((name_a, creation_a), (name_b, creation_b)) = (facts(a), facts(b));
    atom::compare(name_a, name_b).then(creation_a.cmp(&creation_b))
}

fn pids(a: Term, b: Term) -> Ordering {
    let facts = |pid: Term| {
        if pid.is_local_pid() {
            (pid.identifier_serial(), pid.identifier_index(), None)
        } else {
            let both = ExternalIdentifier::expect(pid).id();
            ((both >> 32) as u32, both as u32, Some(node::of(pid)))
        }
    };
    let ((serial_a, id_a, node_a), (serial_b, id_b, node_b)) = (facts(a), facts(b));
    serial_a
        .cmp(&serial_b)
        .then(id_a.cmp(&id_b))
        .then_with(|| nodes(node_a, node_b))
}

fn ports(a: Term, b: Term) -> Ordering {
    let facts = |port: Term| {
        if port.is_local_port() {
            (None, port.bits() >> 4)
        } else {
            let id = ExternalIdentifier::expect(port).id();
            (Some(node::of(port)), id)
        }
    };
    let ((node_a, id_a), (node_b, id_b)) = (facts(a), facts(b));
    nodes(node_a, node_b).then(id_a.cmp(&id_b))
}

fn references(a: Term, b: Term) -> Ordering {
    match (reference::number(a), reference::number(b)) {
        (Some((low_a, high_a)), Some((low_b, high_b))) => (high_a, low_a).cmp(&(high_b, low_b)),
        (None, None) => external_references(a, b),
        (local, _) => {
            let node_of = |term: Term, local: bool| (!local).then(|| node::of(term));
            let own_first = local.is_some();
            nodes(node_of(a, own_first), node_of(b, !own_first))
        }
    }
}

/// The order of two external references.
pub(super) fn external_references(a: Term, b: Term) -> Ordering {
    nodes(Some(node::of(a)), Some(node::of(b))).then_with(|| {
        let [a, b] = [a, b].map(ExternalReference::expect);
        let count = |reference: ExternalReference| reference.count() as usize;
        let word = |reference: ExternalReference, index: usize| {
            if index < count(reference) {
                let both = reference.word(offset::EXTERNAL_REFERENCE_WORDS + index / 2);
                (both >> (32 * (index % 2))) as u32
            } else {
                0
            }
        };
        (0..count(a).max(count(b)))
            .rev()
            .map(|index| word(a, index).cmp(&word(b, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

/// A comparison of two hash maps of the same size, or of flat ones whose atoms are ranked.
///
/// Both are walked in the order that they have, so they yield the same keys as long as they have the same keys. The
/// least key that only one map has decides: that map is the lesser one, because in place of this key the other has a
/// greater one. If there is no such key, the least key whose values differ decides.
struct Unordered {
    a: Term,
    b: Term,
    exact: bool,
    pairs_a: map::Iter,
    pairs_b: map::Iter,
    /// What the next verdict that is passed to [`Unordered::resume`] is about.
    asked: Asked,
    /// The least key so far that makes a difference, and the order that it leads to.
    least: Option<(Term, Ordering)>,
}

enum Asked {
    Nothing,
    /// Whether a key that both have is less than the least; if so, its values are compared.
    Key {
        key: Term,
        values: (Term, Term),
    },
    /// The values of a key that both have; if they differ, this key is the least.
    Values {
        key: Term,
    },
    /// Whether a key that one map lacks is less than the least.
    Missing {
        key: Term,
        verdict: Ordering,
    },
}

impl Unordered {
    fn new(a: Term, b: Term, exact: bool) -> Unordered {
        Unordered {
            a,
            b,
            exact,
            pairs_a: map::iter(a),
            pairs_b: map::iter(b),
            asked: Asked::Nothing,
            least: None,
        }
    }

    /// Continues with the answer to the last question; asks another, or decides.
    fn resume(&mut self, answer: Ordering) -> Step {
        match std::mem::replace(&mut self.asked, Asked::Nothing) {
            Asked::Nothing => {}
            Asked::Key { key, values } => {
                if answer.is_lt() {
                    return self.ask_values(key, values);
                }
            }
            Asked::Values { key } => {
                if answer.is_ne() {
                    self.least = Some((key, answer));
                }
            }
            Asked::Missing { key, verdict } => {
                if answer.is_lt() {
                    self.least = Some((key, verdict));
                }
                return self.missing();
            }
        }
        loop {
            let (Some((key, value_a)), Some((key_b, value_b))) =
                (self.pairs_a.next(), self.pairs_b.next())
            else {
                return self.decide();
            };
            if !eq_exact(key, key_b) {
                return self.keys_differ(key, key_b);
            }
            if value_a == value_b {
                continue;
            }
            match self.least {
                None => return self.ask_values(key, (value_a, value_b)),
                Some((least, _)) => {
                    self.asked = Asked::Key {
                        key,
                        values: (value_a, value_b),
                    };
                    return Step::Ask((key, least, true));
                }
            }
        }
    }

    fn ask_values(&mut self, key: Term, (a, b): (Term, Term)) -> Step {
        self.asked = Asked::Values { key };
        Step::Ask((a, b, self.exact))
    }

    /// The first keys that differ: from here on only keys that one map lacks count.
    fn keys_differ(&mut self, key_a: Term, key_b: Term) -> Step {
        self.least = None;
        // At least one of the two is missing in the other map; if both are, the second must be compared with the first.
        let lacks_a = map::get(self.b, key_a).is_none();
        let lacks_b = map::get(self.a, key_b).is_none();
        if lacks_a {
            self.least = Some((key_a, Ordering::Less));
        }
        if lacks_b {
            return self.weigh(key_b, Ordering::Greater);
        }
        self.missing()
    }

    fn weigh(&mut self, key: Term, verdict: Ordering) -> Step {
        match self.least {
            None => {
                self.least = Some((key, verdict));
                self.missing()
            }
            Some((least, _)) => {
                self.asked = Asked::Missing { key, verdict };
                Step::Ask((key, least, true))
            }
        }
    }

    /// Looks for the next key that only one map has.
    fn missing(&mut self) -> Step {
        loop {
            let (key, verdict) = if let Some((key, _)) = self.pairs_a.next() {
                if map::get(self.b, key).is_some() {
                    continue;
                }
                (key, Ordering::Less)
            } else if let Some((key, _)) = self.pairs_b.next() {
                if map::get(self.a, key).is_some() {
                    continue;
                }
                (key, Ordering::Greater)
            } else {
                return self.decide();
            };
            match self.least {
                None => self.least = Some((key, verdict)),
                Some((least, _)) => {
                    self.asked = Asked::Missing { key, verdict };
                    return Step::Ask((key, least, true));
                }
            }
        }
    }

    fn decide(&self) -> Step {
        Step::Decided(self.least.map_or(Ordering::Equal, |(_, verdict)| verdict))
    }
}
