//! The choices that a generator makes: drawn at random and recorded, or taken from a record that was changed.
//!
//! A record is a tree: what belongs to one part of the work (an expression, a clause, a step) is a [`Choice::Part`] of
//! its own. So a part can be emptied, or replaced by another, without shifting the choices of its neighbours. Any
//! record is good: where a number is too large or missing, or a part is found instead, the generator gets the nearest
//! that it can use. Choices are written such that 0, which is also what a missing number is, means the simplest; and a
//! generator asks [`Choices::goes_on`] where it could stop.

use std::ops::{Range, RangeInclusive};
use std::vec::IntoIter;

use fastrand::Rng;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// Counted from the simplest value.
    Number(u64),
    Part(Vec<Choice>),
}

pub(super) struct Choices {
    source: Source,
    /// What was chosen so far: the choices of the part that is being made, and below it those of the parts around it.
    made: Vec<Vec<Choice>>,
}

enum Source {
    Random(Rng),
    /// What is left of each part that has been entered.
    Recorded(Vec<IntoIter<Choice>>),
}

impl Choices {
    pub(super) fn random(seed: u64) -> Choices {
        Choices {
            source: Source::Random(Rng::with_seed(seed)),
            made: vec![Vec::new()],
        }
    }

    pub(super) fn recorded(record: Vec<Choice>) -> Choices {
        Choices {
            source: Source::Recorded(vec![record.into_iter()]),
            made: vec![Vec::new()],
        }
    }

    /// The record of all that was chosen.
    pub(super) fn into_record(mut self) -> Vec<Choice> {
        assert_eq!(self.made.len(), 1, "a part has not been left");
        self.made.remove(0)
    }

    /// Begins a part, which ends with [`leave`](Choices::leave).
    pub(super) fn enter(&mut self) {
        if let Source::Recorded(left) = &mut self.source {
            let next = left.last_mut().and_then(Iterator::next);
            let part = match next {
                Some(Choice::Part(part)) => part,
                Some(Choice::Number(_)) | None => Vec::new(),
            };
            left.push(part.into_iter());
        }
        self.made.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        if let Source::Recorded(left) = &mut self.source {
            left.pop();
        }
        let part = self.made.pop().expect("a part was entered");
        self.add(Choice::Part(part));
    }

    /// Whether the generator goes on where it could stop, or makes something that it could leave out: at random
    /// whenever it `may`; a record says, where it lets it. So what was made where it had to stop is the same where it
    /// need not.
    pub(super) fn goes_on(&mut self, may: bool) -> bool {
        self.number(|_| may.into(), 1 + u64::from(may)) == 1
    }

    pub(super) fn u32(&mut self, range: Range<u32>) -> u32 {
        let (start, count) = (range.start, u64::from(range.end - range.start));
        start + self.number(|random| (random.u32(range) - start).into(), count) as u32
    }

    pub(super) fn u64(&mut self, range: Range<u64>) -> u64 {
        let (start, count) = (range.start, range.end - range.start);
        start + self.number(|random| random.u64(range) - start, count)
    }

    pub(super) fn usize(&mut self, range: Range<usize>) -> usize {
        let (start, count) = (range.start, range.end - range.start);
        start + self.number(|random| (random.usize(range) - start) as u64, count as u64) as usize
    }

    pub(super) fn usize_up_to(&mut self, range: RangeInclusive<usize>) -> usize {
        let (start, count) = (*range.start(), range.end() - range.start() + 1);
        start + self.number(|random| (random.usize(range) - start) as u64, count as u64) as usize
    }

    /// A number of a range around 0, which is the simplest; those below 0 come last.
    pub(super) fn i32(&mut self, range: Range<i32>) -> i32 {
        let (start, end) = (range.start, range.end);
        let count = i64::from(end) - i64::from(start);
        let chosen = self.number(
            |random| i64::from(random.i32(range)).rem_euclid(count) as u64,
            count as u64,
        ) as i64;
        let chosen = if chosen < end.into() {
            chosen
        } else {
            chosen - count
        };
        chosen as i32
    }

    pub(super) fn u8(&mut self) -> u8 {
        self.number(|random| random.u8(..).into(), 256) as u8
    }

    pub(super) fn bool(&mut self) -> bool {
        self.number(|random| random.bool().into(), 2) == 1
    }

    /// Puts a slice into another order; that which it has is the simplest.
    pub(super) fn shuffle<T>(&mut self, slice: &mut [T]) {
        for at in 1..slice.len() {
            let back = self.number(|random| (at - random.usize(..=at)) as u64, at as u64 + 1);
            slice.swap(at, at - back as usize);
        }
    }

    /// A number below `count`: that which is drawn, or recorded.
    fn number(&mut self, draw: impl FnOnce(&mut Rng) -> u64, count: u64) -> u64 {
        let chosen = match &mut self.source {
            Source::Random(random) => draw(random),
            Source::Recorded(left) => match left.last_mut().and_then(Iterator::next) {
                Some(Choice::Number(number)) => number.min(count - 1),
                Some(Choice::Part(_)) | None => 0,
            },
        };
        self.add(Choice::Number(chosen));
        chosen
    }

    fn add(&mut self, choice: Choice) {
        self.made.last_mut().expect("the whole").push(choice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of lists of numbers.
    fn lists(choices: &mut Choices) -> Vec<Vec<i32>> {
        (0..choices.usize(2..6))
            .map(|_| {
                choices.enter();
                let list = (0..choices.u32(0..9))
                    .map(|_| choices.i32(-20..300))
                    .collect();
                choices.leave();
                list
            })
            .collect()
    }

    #[test]
    fn a_record_makes_the_same_again() {
        for seed in 0..100 {
            let mut random = Choices::random(seed);
            let made = lists(&mut random);
            let record = random.into_record();
            let mut again = Choices::recorded(record.clone());
            assert_eq!(lists(&mut again), made);
            assert_eq!(again.into_record(), record);
        }
    }

    #[test]
    fn an_emptied_part_leaves_its_neighbours_alone() {
        let mut random = Choices::random(7);
        let made = lists(&mut random);
        let mut record = random.into_record();
        record[1] = Choice::Part(Vec::new());
        let again = lists(&mut Choices::recorded(record));
        assert!(!made[0].is_empty());
        assert!(again[0].is_empty());
        assert_eq!(again[1..], made[1..]);
    }

    #[test]
    fn a_record_that_does_not_fit_is_used_as_far_as_it_does() {
        let record = vec![
            Choice::Number(900),
            Choice::Number(1),
            Choice::Part(vec![
                Choice::Number(3),
                Choice::Part(vec![]),
                Choice::Number(319),
            ]),
        ];
        let again = lists(&mut Choices::recorded(record));
        assert_eq!(again, [vec![], vec![0, -1, 0], vec![], vec![], vec![]]);
    }

    #[test]
    fn an_order_is_kept_unless_something_else_was_chosen() {
        let mut order = [1, 2, 3, 4, 5];
        Choices::recorded(Vec::new()).shuffle(&mut order);
        assert_eq!(order, [1, 2, 3, 4, 5]);
        let mut random = Choices::random(3);
        random.shuffle(&mut order);
        let mut again = [1, 2, 3, 4, 5];
        Choices::recorded(random.into_record()).shuffle(&mut again);
        assert_eq!(again, order);
    }
}
