//! A cache of how flat maps grow.
//!
//! Programs add the same few keys to maps with the same keys again and again (for example the optional fields of a map
//! that serves as a record). Finding the places of the keys takes comparisons of texts each time; finding a growth with
//! the same old and new keys takes only comparisons of words.
//!
//! Each thread has its own cache. Invariant: all keys in it are immediates, whose order never changes because atoms
//! keep their texts and ranks, so an entry never becomes stale, and no entry refers to an object.

use std::cell::RefCell;

use layout::Term;
use layout::limits::FLAT_MAP_PAIRS;

use crate::compare::compare_keys;
use crate::hash;

/// Maximum number of old keys, and (next constant) of new keys, of a growth that is cached.
const MOST_OLD: usize = 24;
pub(super) const MOST_PUT: usize = 8;

/// Number of growths that a thread caches; a power of two.
const REMEMBERED: usize = 32;

/// In [`Growth::sources`]: a new pair, not an old one.
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

/// Where the pair at one place of a grown map comes from: an old pair or a new one, by its index.
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

    /// `None` if a key is not an immediate, or is added twice.
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
        order.sort_unstable_by(|&a, &b| compare_keys(put[usize::from(a)], put[usize::from(b)]));
        let twice = |two: &[u8]| put[usize::from(two[0])] == put[usize::from(two[1])];
        if order.windows(2).any(twice) {
            return None;
        }
        let mut left = old.iter().zip(0u8..).peekable();
        let mut sources = growth.sources.iter_mut();
        let mut add = |source| {
            // There are at most as many as old and new pairs together.
            if let Some(place) = sources.next() {
                *place = source;
                growth.size += 1;
            }
        };
        for &index in &*order {
            let key = put[usize::from(index)];
            while let Some((_, at)) = left.next_if(|(old, _)| compare_keys(**old, key).is_lt()) {
                add(at);
            }
            left.next_if(|(old, _)| **old == key);
            add(PUT | index);
        }
        left.for_each(|(_, at)| add(at));
        Some(growth)
    }

    /// Number of pairs of the grown map.
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

/// The place in the cache for a growth.
#[inline]
fn place(old: &[Term], put: &[Term]) -> usize {
    let word = |keys: &[Term], at: usize| keys.get(at).map_or(0, |key| key.bits());
    let mixed = word(old, 0)
        .wrapping_add(word(old, old.len().wrapping_sub(1)).rotate_left(16))
        .wrapping_add(word(put, 0).rotate_left(32))
        .wrapping_add(word(put, put.len().wrapping_sub(1)).rotate_left(48))
        .wrapping_add((old.len() * MOST_PUT + put.len()) as u64);
    hash::place(mixed, REMEMBERED.ilog2())
}

/// Calls `build` with the growth of a map with these sorted old keys by these new keys. Returns `None` without calling
/// it if the growth cannot be cached.
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
