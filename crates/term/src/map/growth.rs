//! How flat maps grow, remembered.
//!
//! Programs put the same few keys into maps of the same keys again and again (a record that is a map gets its optional
//! fields so). To find their places costs comparisons of texts each time; that the same words were put into the same
//! words before is seen by comparing words.
//!
//! Each thread has a memory of its own. Invariant: what is remembered is about immediate words alone, whose order never
//! changes, so that nothing in it gets stale: atoms keep their texts, and no object is ever meant.

use std::cell::RefCell;

use layout::Term;
use layout::limits::FLAT_MAP_PAIRS;

use crate::compare::compare_exact;

/// Most keys of a map whose growth is remembered, and most that are put in.
const MOST_OLD: usize = 24;
pub(super) const MOST_PUT: usize = 8;

/// Growths that a thread remembers; a power of two.
const REMEMBERED: usize = 32;

/// In [`Growth::sources`]: not an old pair, but one that is put in.
const PUT: u8 = 1 << 7;

const _: () = assert!(MOST_OLD + MOST_PUT <= FLAT_MAP_PAIRS && FLAT_MAP_PAIRS < PUT as usize);

/// Where each pair of the grown map comes from.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    old: [Term; MOST_OLD],
    put: [Term; MOST_PUT],
    olds: u8,
    puts: u8,
    size: u8,
    sources: [u8; MOST_OLD + MOST_PUT],
}

/// A place of a grown map gets the old pair of this number, or the one of those put in.
pub(super) enum Origin {
    Old(usize),
    Put(usize),
}

impl Growth {
    const NONE: Growth = Growth {
        old: [Term::NONE; MOST_OLD],
        put: [Term::NONE; MOST_PUT],
        olds: 0,
        puts: 0,
        size: 0,
        sources: [0; MOST_OLD + MOST_PUT],
    };

    #[inline]
    fn is_of(&self, old: &[Term], put: &[Term]) -> bool {
        usize::from(self.olds) == old.len()
            && usize::from(self.puts) == put.len()
            && self.put[..put.len()] == *put
            && self.old[..old.len()] == *old
    }

    /// `None` when a key is no immediate, or is put in twice.
    fn new(old: &[Term], put: &[Term]) -> Option<Growth> {
        if !old.iter().chain(put).all(|key| key.is_immediate()) {
            return None;
        }
        let mut growth = Growth::NONE;
        growth.old[..old.len()].copy_from_slice(old);
        growth.put[..put.len()].copy_from_slice(put);
        growth.olds = old.len() as u8;
        growth.puts = put.len() as u8;
        let mut order: [u8; MOST_PUT] = std::array::from_fn(|index| index as u8);
        let order = &mut order[..put.len()];
        order.sort_unstable_by(|&a, &b| compare_exact(put[usize::from(a)], put[usize::from(b)]));
        let twice = |two: &[u8]| put[usize::from(two[0])] == put[usize::from(two[1])];
        if order.windows(2).any(twice) {
            return None;
        }
        let mut left = old.iter().zip(0u8..).peekable();
        let mut sources = growth.sources.iter_mut();
        let mut add = |source| {
            // There are at most as many as both together.
            if let Some(place) = sources.next() {
                *place = source;
                growth.size += 1;
            }
        };
        for &index in &*order {
            let key = put[usize::from(index)];
            while let Some((_, at)) = left.next_if(|(old, _)| compare_exact(**old, key).is_lt()) {
                add(at);
            }
            left.next_if(|(old, _)| **old == key);
            add(PUT | index);
        }
        left.for_each(|(_, at)| add(at));
        Some(growth)
    }

    /// Pairs of the grown map.
    #[inline]
    pub(super) fn size(&self) -> usize {
        usize::from(self.size)
    }

    #[inline]
    pub(super) fn origins(&self) -> impl Iterator<Item = Origin> {
        let sources = self.sources[..self.size()].iter();
        sources.map(|&source| match source & PUT {
            0 => Origin::Old(usize::from(source)),
            _ => Origin::Put(usize::from(source & !PUT)),
        })
    }
}

thread_local! {
    static MEMORY: RefCell<[Growth; REMEMBERED]> = const { RefCell::new([Growth::NONE; REMEMBERED]) };
}

/// Where a growth is looked for.
#[inline]
fn place(old: &[Term], put: &[Term]) -> usize {
    let word = |keys: &[Term], at: usize| keys.get(at).map_or(0, |key| key.bits());
    let mixed = word(old, 0)
        .wrapping_add(word(old, old.len().wrapping_sub(1)).rotate_left(16))
        .wrapping_add(word(put, 0).rotate_left(32))
        .wrapping_add(word(put, put.len().wrapping_sub(1)).rotate_left(48))
        .wrapping_add((old.len() * MOST_PUT + put.len()) as u64);
    let hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (u64::BITS - REMEMBERED.ilog2())) as usize
}

/// Calls `build` with the growth of these sorted old keys by those put in; `None`, without a call, when it is not one to be
/// remembered.
#[inline]
pub(super) fn with<R>(old: &[Term], put: &[Term], build: impl FnOnce(&Growth) -> R) -> Option<R> {
    if old.len() > MOST_OLD || put.len() > MOST_PUT {
        return None;
    }
    MEMORY.with_borrow_mut(|memory| {
        let growth = &mut memory[place(old, put)];
        if !growth.is_of(old, put) {
            *growth = Growth::new(old, put)?;
        }
        Some(build(growth))
    })
}
