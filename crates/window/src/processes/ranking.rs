//! The first few of many by a number, in memory for these few alone: a heap that holds the best so far, its worst on
//! top.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Something with the number that it is ranked by. Of equal ones, that which came first is first.
struct Entry<T> {
    /// Greater is better.
    rank: i64,
    came: Reverse<u64>,
    value: T,
}

impl<T> Entry<T> {
    fn key(&self) -> (i64, Reverse<u64>) {
        (self.rank, self.came)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Entry<T>) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Entry<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Entry<T>) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// See the module's documentation.
pub(super) struct Ranking<T> {
    most: usize,
    ascending: bool,
    came: u64,
    best: BinaryHeap<Reverse<Entry<T>>>,
}

impl<T> Ranking<T> {
    /// Of the greatest numbers, or the smallest, at most so many.
    pub(super) fn new(most: usize, ascending: bool) -> Ranking<T> {
        Ranking {
            most,
            ascending,
            came: 0,
            best: BinaryHeap::new(),
        }
    }

    /// Adds a value if its number is among the best so far.
    #[inline]
    pub(super) fn add(&mut self, number: i64, value: impl FnOnce() -> T) {
        let rank = if self.ascending { !number } else { number };
        self.came += 1;
        if self.best.len() >= self.most {
            match self.best.peek() {
                Some(Reverse(worst)) if worst.rank < rank => drop(self.best.pop()),
                _ => return,
            }
        }
        self.best.push(Reverse(Entry {
            rank,
            came: Reverse(self.came),
            value: value(),
        }));
    }

    /// How many values were given.
    pub(super) fn came(&self) -> u64 {
        self.came
    }

    /// The best, the best one first.
    pub(super) fn into_sorted(self) -> Vec<T> {
        let sorted = self.best.into_sorted_vec().into_iter();
        sorted.map(|Reverse(entry)| entry.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(most: usize, ascending: bool, numbers: &[i64]) -> Vec<(i64, usize)> {
        let mut ranking = Ranking::new(most, ascending);
        for (at, number) in numbers.iter().enumerate() {
            ranking.add(*number, || (*number, at));
        }
        assert_eq!(ranking.came(), numbers.len() as u64);
        assert!(ranking.best.len() <= most);
        ranking.into_sorted()
    }

    #[test]
    fn the_best_are_those_of_a_sort() {
        let mut random = fastrand::Rng::with_seed(7);
        for most in [0, 1, 3, 50, 200] {
            let numbers: Vec<i64> = (0..100).map(|_| random.i64(-20..20)).collect();
            for ascending in [false, true] {
                let mut sorted: Vec<(i64, usize)> = numbers
                    .iter()
                    .enumerate()
                    .map(|(at, number)| (*number, at))
                    .collect();
                sorted.sort_by_key(|(number, _)| if ascending { *number } else { -number });
                sorted.truncate(most);
                assert_eq!(rank(most, ascending, &numbers), sorted);
            }
        }
        assert_eq!(
            rank(2, true, &[i64::MAX, i64::MIN, 0]),
            [(i64::MIN, 1), (0, 2)]
        );
    }
}
