//! Which parts of a range of addresses are free: offsets and sizes only, no memory.
//!
//! The smallest free part that is large enough is taken, and freed parts are joined with free neighbours. So areas of
//! any sizes that come and go need about as much of the range as those that exist at one time. The caller serialises
//! calls.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The free parts of the offsets from 0 to `end`. No two of them touch.
#[derive(Default)]
pub(super) struct Space {
    end: usize,
    /// Lengths by start.
    by_start: BTreeMap<usize, usize>,
    /// The same parts as pairs of length and start.
    by_size: BTreeSet<(usize, usize)>,
}

impl Space {
    /// The number of offsets that were ever added.
    #[must_use]
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// The number of offsets in parts that are taken.
    #[must_use]
    pub(super) fn taken(&self) -> usize {
        self.end - self.by_start.values().sum::<usize>()
    }

    /// Takes a part; returns its start, or `None` if no free part is large enough.
    pub(super) fn take(&mut self, size: usize) -> Option<usize> {
        let &(length, start) = self.by_size.range((size, 0)..).next()?;
        self.remove(start, length);
        if length > size {
            self.insert(start + size, length - size);
        }
        Some(start)
    }

    /// How many offsets must be added so that a part of this size can be taken.
    #[must_use]
    pub(super) fn missing(&self, size: usize) -> usize {
        let last = self.by_start.last_key_value();
        let at_end = last.filter(|(start, length)| **start + **length == self.end);
        size.saturating_sub(at_end.map_or(0, |(_, length)| *length))
    }

    /// Adds free offsets behind the end.
    pub(super) fn extend(&mut self, size: usize) {
        let start = self.end;
        self.end += size;
        self.free(start..self.end);
    }

    /// Frees a part that was taken, or several adjacent ones; returns the whole free part that it belongs to now.
    pub(super) fn free(&mut self, part: Range<usize>) -> Range<usize> {
        let mut whole = part;
        let before = self.by_start.range(..whole.start).next_back();
        if let Some((&start, &length)) = before
            && start + length == whole.start
        {
            self.remove(start, length);
            whole.start = start;
        }
        if let Some(&length) = self.by_start.get(&whole.end) {
            self.remove(whole.end, length);
            whole.end += length;
        }
        self.insert(whole.start, whole.len());
        whole
    }

    fn insert(&mut self, start: usize, length: usize) {
        self.by_start.insert(start, length);
        self.by_size.insert((length, start));
    }

    fn remove(&mut self, start: usize, length: usize) {
        self.by_start.remove(&start);
        self.by_size.remove(&(length, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_parts_join_their_neighbours() {
        let mut space = Space::default();
        assert_eq!(space.take(1), None);
        space.extend(100);
        let parts: Vec<usize> = (0..5).map(|_| space.take(20).unwrap()).collect();
        assert_eq!(parts, [0, 20, 40, 60, 80]);
        assert_eq!(space.take(1), None);
        assert_eq!(space.free(20..40), 20..40);
        assert_eq!(space.free(60..80), 60..80);
        assert_eq!(space.take(21), None);
        assert_eq!(space.free(40..60), 20..80);
        assert_eq!(space.take(60), Some(20));
    }

    #[test]
    fn the_smallest_part_that_fits_is_taken() {
        let mut space = Space::default();
        space.extend(100);
        assert_eq!(space.take(100), Some(0));
        space.free(0..30);
        space.free(40..50);
        space.free(60..80);
        assert_eq!(space.take(10), Some(40));
        assert_eq!(space.take(15), Some(60));
        assert_eq!(space.take(30), Some(0));
    }

    #[test]
    fn free_offsets_at_the_end_are_used_when_more_are_added() {
        let mut space = Space::default();
        space.extend(100);
        assert_eq!(space.take(70), Some(0));
        assert_eq!(space.missing(50), 20);
        space.extend(20);
        assert_eq!(space.take(50), Some(70));
        assert_eq!(space.missing(50), 50);
    }

    #[test]
    fn growing_areas_that_replace_each_other_need_a_few_times_the_largest() {
        let mut space = Space::default();
        let mut former = 0..0;
        for size in 1..=1000 {
            let start = space.take(size).unwrap_or_else(|| {
                space.extend(space.missing(size));
                space.take(size).unwrap()
            });
            if !former.is_empty() {
                space.free(former);
            }
            former = start..start + size;
        }
        assert!(space.end() < 4_000, "{}", space.end());
    }

    #[test]
    fn what_is_taken_overlaps_nothing() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut space = Space::default();
        space.extend(2_000);
        let mut used = vec![false; 2_000];
        let mut taken: Vec<Range<usize>> = Vec::new();
        for _ in 0..if cfg!(miri) { 100 } else { 5_000 } {
            if random.bool() || taken.is_empty() {
                let size = random.usize(1..100);
                let Some(start) = space.take(size) else {
                    let longest = used.split(|is_used| *is_used).map(<[bool]>::len).max();
                    assert!(longest < Some(size));
                    continue;
                };
                assert!(!used[start..start + size].contains(&true));
                used[start..start + size].fill(true);
                taken.push(start..start + size);
            } else {
                let part = taken.swap_remove(random.usize(..taken.len()));
                used[part.clone()].fill(false);
                let whole = space.free(part);
                assert!(!used[whole].contains(&true));
            }
        }
    }
}
