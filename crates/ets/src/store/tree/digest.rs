//! Digests: a word for each key of a node, so that a search needs to look at few keys. Each key is in its object, on
//! a cache line of its own.
//!
//! The keys of a node are sorted, so what its first and last key have in common, all of its keys have: the tag of a
//! tuple, the first letters of a text. A *route* leads past that to the part in which they differ, and the word is
//! made from that part. Words order (as signed integers) as the keys do, except that different keys may have the same
//! word:
//!
//! | part | word |
//! |---|---|
//! | small integer | its word |
//! | binary | the next 8 bytes |
//! | list of characters | the next 3 |
//!
//! A node whose keys are not all of one such kind has no digests and is searched by its keys. So is any node if the
//! key sought is of another kind there, or does not begin as the node's keys do.
//!
//! Whoever holds the lock of the tree may access its nodes' digests; nothing here takes a lock.

use layout::{Header, NoGc, ObjectKind, Term, no_gc};
use smallvec::SmallVec;
use term::compare;

use super::node::{ABOVE_ALL, BELOW_ALL, ROOM};

/// Maximum number of steps to the part in which keys differ.
const MAX_STEPS: usize = 4;
/// Bits of a character in a word, and the number of characters in a word.
const CHARACTER_BITS: u32 = 21;
const CHARACTERS: usize = 3;

/// A step into a key.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    /// To an element of a tuple with this header.
    Element(Header, usize),
    /// To an item of a list.
    Item(usize),
}

/// The kind of the part in which keys differ, where the steps end.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Part {
    Number,
    /// Binaries, from this byte on.
    Bytes(usize),
    /// Lists of characters, from this one on.
    Text(usize),
}

/// See the file's comment.
struct Route {
    steps: SmallVec<[Step; MAX_STEPS]>,
    part: Part,
}

/// The digests of a node's keys.
pub(crate) struct Digests {
    route: Route,
    /// At the indexes of the keys; the other places are filled as in a node of small integers.
    pub(crate) words: [i64; ROOM],
}

/// Whether two terms are equal in the order of keys.
#[inline]
fn same(one: Term, other: Term) -> bool {
    one == other
        || (!(one.is_immediate() && other.is_immediate()) && compare::compare(one, other).is_eq())
}

fn bytes_of(term: Term, no_gc: &NoGc) -> Option<&[u8]> {
    term.as_bits()?.as_bytes(no_gc)
}

fn is_list(term: Term) -> bool {
    term.is_cons() || term.is_nil()
}

fn is_character(term: Term) -> bool {
    term.as_small()
        .is_some_and(|value| (0..(1 << CHARACTER_BITS) - 1).contains(&value))
}

/// The rest of a list after `cells` cells; `None` if it has fewer.
#[inline]
fn behind(mut list: Term, cells: usize) -> Option<Term> {
    for _ in 0..cells {
        list = list.as_cell()?.tail();
    }
    Some(list)
}

/// Whether two lists begin with the same `cells` items.
fn begin_alike(mut one: Term, mut other: Term, cells: usize) -> bool {
    for _ in 0..cells {
        let (Some(cell), Some(other_cell)) = (one.as_cell(), other.as_cell()) else {
            return false;
        };
        if !same(cell.head(), other_cell.head()) {
            return false;
        }
        (one, other) = (cell.tail(), other_cell.tail());
    }
    true
}

impl Part {
    /// The word of a part; `None` if the part is of another kind.
    #[inline]
    fn word(self, part: Term) -> Option<i64> {
        match self {
            Part::Number => part.is_small().then(|| part.bits() as i64),
            Part::Bytes(skipped) => {
                let no_gc = no_gc!();
                let rest = bytes_of(part, no_gc)?.get(skipped..)?;
                let word = match rest.first_chunk::<8>() {
                    Some(bytes) => u64::from_be_bytes(*bytes),
                    // A binary that ends sorts before those that continue.
                    None => {
                        let word = rest
                            .iter()
                            .fold(0, |word, byte| word << 8 | u64::from(*byte));
                        word.unbounded_shl(64 - 8 * rest.len() as u32)
                    }
                };
                Some((word ^ 1 << 63) as i64)
            }
            Part::Text(skipped) => {
                let mut rest = behind(part, skipped)?;
                let mut word = 0;
                for _ in 0..CHARACTERS {
                    word <<= CHARACTER_BITS;
                    if let Some((head, tail)) = rest.as_cons() {
                        if !is_character(head) {
                            return None;
                        }
                        word |= head.small_value() + 1;
                        rest = tail;
                    } else if !rest.is_nil() {
                        return None;
                    }
                }
                Some(word)
            }
        }
    }
}

impl Route {
    /// The route for keys from `first` to `last`, which is greater; `None` if there is none.
    fn between(mut first: Term, mut last: Term) -> Option<Route> {
        let mut steps: SmallVec<[Step; MAX_STEPS]> = SmallVec::new();
        loop {
            if first.is_small() && last.is_small() {
                return Some(Route {
                    steps,
                    part: Part::Number,
                });
            }
            if let (Some(one), Some(other)) = (bytes_of(first, no_gc!()), bytes_of(last, no_gc!()))
            {
                let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
                return Some(Route {
                    steps,
                    part: Part::Bytes(common),
                });
            }
            if steps.len() == MAX_STEPS {
                return None;
            }
            if is_list(first) && is_list(last) {
                let mut common = 0;
                while let (Some(one), Some(other)) = (first.as_cell(), last.as_cell())
                    && same(one.head(), other.head())
                {
                    (first, last) = (one.tail(), other.tail());
                    common += 1;
                }
                let is_text = |list: Term| {
                    let starts_as_text = |(head, _)| is_character(head);
                    list.is_nil() || list.as_cons().is_some_and(starts_as_text)
                };
                if is_text(first) && is_text(last) {
                    return Some(Route {
                        steps,
                        part: Part::Text(common),
                    });
                }
                let (one, other) = (first.as_cell()?, last.as_cell()?);
                steps.push(Step::Item(common));
                (first, last) = (one.head(), other.head());
                continue;
            }
            let no_gc = no_gc!();
            let (one, other) = (first.as_tuple(no_gc)?, last.as_tuple(no_gc)?);
            if one.len() != other.len() {
                return None;
            }
            let index = one.iter().zip(other).position(|(a, b)| !same(*a, *b))?;
            let header = Header::new(ObjectKind::Tuple, one.len());
            steps.push(Step::Element(header, index));
            (first, last) = (one[index], other[index]);
        }
    }

    /// The word of a key; `None` if the key has another shape.
    #[inline]
    fn word(&self, mut key: Term) -> Option<i64> {
        for step in &self.steps {
            key = match *step {
                Step::Element(header, index) => {
                    let tuple = key.as_boxed().filter(|key| key.header() == header)?;
                    // SAFETY: the words of a tuple are terms, and its header says that it has this one.
                    unsafe { tuple.term_unchecked(index) }
                }
                Step::Item(index) => behind(key, index)?.as_cell()?.head(),
            };
        }
        self.part.word(key)
    }

    /// Whether a key that has a word begins as `one` does, a key that this route was made for.
    #[inline]
    fn leads_to(&self, mut key: Term, mut one: Term) -> bool {
        for step in &self.steps {
            match *step {
                Step::Element(header, index) => {
                    let no_gc = no_gc!();
                    let (Some(parts), Some(ones)) = (key.as_tuple(no_gc), one.as_tuple(no_gc))
                    else {
                        return false;
                    };
                    debug_assert_eq!(header.kind(), ObjectKind::Tuple);
                    let mut pairs = parts.iter().zip(ones).take(index);
                    if !pairs.all(|(part, one)| same(*part, *one)) {
                        return false;
                    }
                    (key, one) = (parts[index], ones[index]);
                }
                Step::Item(index) => {
                    if !begin_alike(key, one, index) {
                        return false;
                    }
                    let cell = |list: Term| behind(list, index)?.as_cell();
                    let (Some(rest), Some(ones)) = (cell(key), cell(one)) else {
                        return false;
                    };
                    (key, one) = (rest.head(), ones.head());
                }
            }
        }
        match self.part {
            Part::Number => true,
            Part::Bytes(skipped) => match (bytes_of(key, no_gc!()), bytes_of(one, no_gc!())) {
                (Some(bytes), Some(ones)) => bytes[..skipped] == ones[..skipped],
                _ => false,
            },
            Part::Text(skipped) => begin_alike(key, one, skipped),
        }
    }
}

impl Digests {
    /// The digests of sorted keys that are stored from index `place` on.
    #[must_use]
    pub(crate) fn of(keys: &[Term], place: usize) -> Option<Digests> {
        let (first, last) = (keys.first()?, keys.last()?);
        let route = Route::between(*first, *last)?;
        let mut words = [ABOVE_ALL.bits() as i64; ROOM];
        words[..place].fill(BELOW_ALL.bits() as i64);
        for (word, key) in words[place..].iter_mut().zip(keys) {
            *word = route.word(*key)?;
        }
        Some(Digests { route, words })
    }

    /// The word of a key that is sought; `None` if digests cannot locate it.
    #[inline]
    pub(crate) fn word(&self, key: Term) -> Option<i64> {
        self.route.word(key)
    }

    /// Whether the word of a key locates it, that is, whether the key begins as `one`, a key of the node.
    #[inline]
    pub(crate) fn is_at_home(&self, key: Term, one: Term) -> bool {
        self.route.leads_to(key, one)
    }

    /// The first index in `range` with this word; the words there are sorted, and none is above `word`.
    pub(crate) fn first_with(&self, word: i64, range: std::ops::Range<usize>) -> usize {
        range.start + self.words[range].partition_point(|other| *other < word)
    }

    /// Whether the digests are the same as if made anew for these keys.
    #[cfg(test)]
    pub(crate) fn holds_for(&self, keys: &[Term], place: usize) -> bool {
        let is_there = |(key, word): (&Term, &i64)| {
            self.route.leads_to(*key, keys[0]) && self.route.word(*key) == Some(*word)
        };
        keys.iter().zip(&self.words[place..]).all(is_there)
            && self.words[..place]
                .iter()
                .all(|word| *word == BELOW_ALL.bits() as i64)
            && self.words[place + keys.len()..]
                .iter()
                .all(|word| *word == ABOVE_ALL.bits() as i64)
    }
}
