//! Cuts down what a generator has made, once the machines differ in it: looks for a record of choices
//! ([`choices`](super::choices)) that makes something smaller in which they still differ.
//!
//! A candidate is the record with one change: some parts that stand beside each other are emptied, a part is replaced
//! by one that it contains, or a number is made smaller. What differs becomes what candidates are made of, until none
//! differs or the time is over. Machines are started once for many candidates, so these are tried in batches, drawn
//! from all changes: large ones come first in a list of them, and as a rule the largest leave nothing that differs.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::choices::Choice;

/// Failures of one run that are cut down: if there are many, they have one cause as a rule.
pub(super) const MOST: usize = 3;

#[derive(clap::Args)]
pub(super) struct ShrinkOption {
    /// Seconds in which something that differs is cut down; 0 leaves it as it is.
    #[arg(long = "shrink", value_name = "SECONDS", default_value_t = 120)]
    seconds: u64,
}

impl ShrinkOption {
    #[cfg(test)]
    pub(super) fn seconds(seconds: u64) -> ShrinkOption {
        ShrinkOption { seconds }
    }

    pub(super) fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// Something made from choices.
#[derive(Clone)]
pub(super) struct Made {
    pub text: String,
    pub record: Vec<Choice>,
}

impl Made {
    /// Of two, the lesser one is simpler.
    fn size(&self) -> (usize, u64, u64) {
        let (parts, sum) = weight(&self.record);
        (self.text.len(), parts, sum)
    }
}

/// How something is cut down.
pub(super) struct Limits {
    pub time: Duration,
    /// Candidates that are tried at once.
    pub batch: usize,
}

pub(super) struct Outcome {
    pub smallest: Made,
    pub tried: usize,
    pub took: Duration,
    /// Whether nothing smaller was left to try.
    pub is_done: bool,
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{} tried in {} s", self.tried, self.took.as_secs())?;
        if !self.is_done {
            out.write_str(", when the time was over")?;
        }
        Ok(())
    }
}

/// Looks for the smallest that still differs. `make` makes the text of a record, with the choices that it has used;
/// `differ` says of each text whether the machines differ in it.
pub(super) fn shrink(
    first: Made,
    limits: &Limits,
    make: impl Fn(Vec<Choice>) -> Made,
    mut differ: impl FnMut(&[&str]) -> Result<Vec<bool>>,
) -> Result<Outcome> {
    let began = Instant::now();
    let is_late = || began.elapsed() >= limits.time;
    let mut smallest = first;
    let mut seen = HashSet::from([smallest.text.clone()]);
    let mut tried = 0;
    let mut kinds = Kind::ALL.iter();
    let mut kind = kinds.next();
    while let Some(now) = kind
        && !is_late()
    {
        let mut left = now.changes(&smallest.record);
        let mut found = Vec::new();
        while found.is_empty() && !left.is_empty() && !is_late() {
            let mut batch = Vec::new();
            while batch.len() < limits.batch && !left.is_empty() {
                for change in spread(&mut left, limits.batch - batch.len()) {
                    let made = make(change.made_in(&smallest.record));
                    if made.size() < smallest.size() && seen.insert(made.text.clone()) {
                        batch.push((change, made));
                    }
                }
            }
            let texts: Vec<&str> = batch.iter().map(|(_, made)| made.text.as_str()).collect();
            let differing = differ(&texts)?;
            tried += texts.len();
            found = (batch.into_iter().zip(differing))
                .filter(|(_, differs)| *differs)
                .map(|(one, _)| one)
                .collect();
        }
        if found.is_empty() {
            if left.is_empty() {
                kind = kinds.next();
            }
            continue;
        }
        let all = make(all_at_once(&found, &smallest.record));
        found.sort_by_key(|(_, made)| made.size());
        let (_, best) = found.swap_remove(0);
        // What can be left out each by itself can as a rule be left out together.
        smallest = if all.size() < best.size() && seen.insert(all.text.clone()) {
            tried += 1;
            if differ(&[&all.text])? == [true] {
                all
            } else {
                best
            }
        } else {
            best
        };
        kinds = Kind::ALL.iter();
        kind = kinds.next();
    }
    Ok(Outcome {
        smallest,
        tried,
        took: began.elapsed(),
        is_done: kind.is_none(),
    })
}

/// Takes at most `count` out, at equal distances.
fn spread(left: &mut Vec<Change>, count: usize) -> Vec<Change> {
    let of = left.len();
    let count = count.min(of);
    let is_taken = |at: usize| at * count / of != (at + 1) * count / of;
    let (taken, rest) = std::mem::take(left)
        .into_iter()
        .enumerate()
        .partition::<Vec<_>, _>(|(at, _)| is_taken(*at));
    *left = rest.into_iter().map(|(_, change)| change).collect();
    taken.into_iter().map(|(_, change)| change).collect()
}

/// The record with all of these changes that concern different places.
fn all_at_once(found: &[(Change, Made)], record: &[Choice]) -> Vec<Choice> {
    let mut changed = record.to_vec();
    let mut places: Vec<Path> = Vec::new();
    for (change, _) in found {
        let of_this = change.places();
        let is_apart = |a: &Path| {
            places
                .iter()
                .all(|b| !a.starts_with(b) && !b.starts_with(a))
        };
        if of_this.iter().all(is_apart) {
            changed = change.made_in(&changed);
            places.extend(of_this);
        }
    }
    changed
}

/// How many parts a record has, and the sum of its numbers.
fn weight(record: &[Choice]) -> (u64, u64) {
    record
        .iter()
        .fold((0, 0), |(parts, sum), choice| match choice {
            Choice::Number(number) => (parts, sum.saturating_add(*number)),
            Choice::Part(part) => {
                let (more, within) = weight(part);
                (parts + 1 + more, sum.saturating_add(within))
            }
        })
}

/// Where a choice is: its place in the whole, then in the part there, and so on.
type Path = Vec<usize>;

enum Change {
    /// These parts are emptied; the path leads to what contains them.
    Emptied(Path, Vec<usize>),
    /// The part is replaced by one within it: the path goes on from the first to the second.
    Replaced(Path, Path),
    Number(Path, u64),
}

/// Changes of one kind. The next kind is tried when no change of those before it is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Emptied,
    Replaced,
    Number,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Emptied, Kind::Replaced, Kind::Number];

    /// All changes of this kind.
    fn changes(self, record: &[Choice]) -> Vec<Change> {
        let mut found = Vec::new();
        self.collect(record, &mut Vec::new(), &mut found);
        found
    }

    fn collect(self, choices: &[Choice], path: &mut Path, found: &mut Vec<Change>) {
        if self == Kind::Emptied {
            let is_full =
                |at: &usize| matches!(&choices[*at], Choice::Part(part) if !part.is_empty());
            let parts: Vec<usize> = (0..choices.len()).filter(is_full).collect();
            let mut length = parts.len();
            while length > 0 {
                let runs = parts.chunks(length);
                found.extend(runs.map(|run| Change::Emptied(path.clone(), run.to_vec())));
                length = if length == 1 { 0 } else { length.div_ceil(2) };
            }
        }
        for (at, choice) in choices.iter().enumerate() {
            path.push(at);
            match choice {
                Choice::Number(number) if self == Kind::Number && *number > 0 => {
                    let others = HashSet::from([0, number / 2, number - 1, u64::MAX]);
                    found.extend(
                        others
                            .into_iter()
                            .map(|other| Change::Number(path.clone(), other)),
                    );
                }
                Choice::Number(_) => {}
                Choice::Part(part) => {
                    if self == Kind::Replaced {
                        let mut within = Vec::new();
                        descendants(part, &mut Vec::new(), &mut within);
                        found.extend(
                            within
                                .into_iter()
                                .map(|inner| Change::Replaced(path.clone(), inner)),
                        );
                    }
                    self.collect(part, path, found);
                }
            }
            path.pop();
        }
    }
}

/// How far below a part those are that may replace it.
const DEPTH: usize = 3;

fn descendants(part: &[Choice], path: &mut Path, found: &mut Vec<Path>) {
    for (at, choice) in part.iter().enumerate() {
        if let Choice::Part(inner) = choice
            && path.len() < DEPTH
        {
            path.push(at);
            found.push(path.clone());
            descendants(inner, path, found);
            path.pop();
        }
    }
}

impl Change {
    /// The choices that it changes.
    fn places(&self) -> Vec<Path> {
        match self {
            Change::Emptied(path, places) => {
                let of_one = |place: &usize| [path.as_slice(), &[*place]].concat();
                places.iter().map(of_one).collect()
            }
            Change::Replaced(path, _) | Change::Number(path, _) => vec![path.clone()],
        }
    }

    fn made_in(&self, record: &[Choice]) -> Vec<Choice> {
        let mut whole = Choice::Part(record.to_vec());
        match self {
            Change::Emptied(path, places) => {
                let around = at(&mut whole, path);
                for place in places {
                    *at(around, &[*place]) = Choice::Part(Vec::new());
                }
            }
            Change::Replaced(path, inner) => {
                let part = at(&mut whole, path);
                *part = at(part, inner).clone();
            }
            Change::Number(path, number) => *at(&mut whole, path) = Choice::Number(*number),
        }
        match whole {
            Choice::Part(record) => record,
            Choice::Number(_) => unreachable!("the whole is a part"),
        }
    }
}

fn at<'a>(choice: &'a mut Choice, path: &[usize]) -> &'a mut Choice {
    path.iter().fold(choice, |choice, place| match choice {
        Choice::Part(part) => &mut part[*place],
        Choice::Number(_) => unreachable!("a path leads through parts"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::choices::Choices;
    use super::*;

    /// A tree of sums and products of small numbers, as a text.
    fn expression(choices: &mut Choices, depth: u32) -> String {
        choices.enter();
        let text = if choices.goes_on(depth > 0) && choices.bool() {
            let sign = ["+", "*", "%"][choices.usize(0..3)];
            let left = expression(choices, depth - 1);
            format!("({left} {sign} {})", expression(choices, depth - 1))
        } else {
            choices.u32(0..1000).to_string()
        };
        choices.leave();
        text
    }

    /// Some lines of such expressions, each of which can be left out.
    fn lines(mut choices: Choices) -> Made {
        let mut text = String::new();
        for _ in 0..20 {
            choices.enter();
            if choices.goes_on(true) {
                text.push_str(&expression(&mut choices, 6));
                text.push('\n');
            }
            choices.leave();
        }
        Made {
            text,
            record: choices.into_record(),
        }
    }

    fn cut_down(seed: u64, differs: impl Fn(&str) -> bool) -> (Made, Outcome) {
        let first = lines(Choices::random(seed));
        let limits = Limits {
            time: Duration::from_secs(60),
            batch: 30,
        };
        let outcome = shrink(
            first.clone(),
            &limits,
            |record| lines(Choices::recorded(record)),
            |texts| Ok(texts.iter().map(|text| differs(text)).collect()),
        );
        (first, outcome.expect("no machine fails"))
    }

    #[test]
    fn a_failing_text_is_cut_down_to_what_fails() {
        // As if a machine did a product within a remainder wrong, of a number above 99.
        let differs = |text: &str| {
            let wrong = |line: &str| {
                line.match_indices("% (").any(|(at, _)| {
                    let factors = line[at + 3..].split_once(" * ");
                    factors.is_some_and(|(a, _)| a.parse().is_ok_and(|number: u32| number > 99))
                })
            };
            text.lines().any(wrong)
        };
        let is_long_and_fails = |seed: &u64| {
            let text = lines(Choices::random(*seed)).text;
            text.len() > 500 && differs(&text)
        };
        for seed in (0..).filter(is_long_and_fails).take(10) {
            let (first, outcome) = cut_down(seed, differs);
            assert!(outcome.is_done);
            assert_eq!(
                outcome.smallest.text, "(0 % (100 * 0))\n",
                "of {}",
                first.text
            );
        }
    }

    #[test]
    fn two_lines_that_fail_only_together_are_both_kept() {
        let has = |text: &str, sign: &str| {
            text.lines()
                .any(|line| line.contains(sign) && !line.contains('%'))
        };
        let differs = |text: &str| has(text, "+") && has(text, "*");
        let seed = (0..).find(|seed| differs(&lines(Choices::random(*seed)).text));
        let (_, outcome) = cut_down(seed.expect("one of all"), differs);
        assert!(outcome.is_done);
        assert!(
            outcome.smallest.text.len() <= "(0 + 0)\n(0 * 0)\n".len(),
            "{}",
            outcome.smallest.text
        );
    }

    #[test]
    fn what_cannot_be_smaller_stays() {
        let first = lines(Choices::random(1)).text;
        let (_, outcome) = cut_down(1, |text| text == first);
        assert_eq!(outcome.smallest.text, first);
        assert!(outcome.is_done && outcome.tried > 0);
    }

    #[test]
    fn no_time_leaves_all_as_it_is() {
        let first = lines(Choices::random(1));
        let limits = Limits {
            time: Duration::ZERO,
            batch: 30,
        };
        let outcome = shrink(
            first.clone(),
            &limits,
            |_| unreachable!(),
            |_| unreachable!(),
        );
        let outcome = outcome.expect("no machine fails");
        assert_eq!(outcome.smallest.text, first.text);
        assert!(!outcome.is_done);
    }
}
