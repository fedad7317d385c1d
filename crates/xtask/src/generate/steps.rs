//! Scenarios that are cut down: those of their steps are left out without which they still fail.
//!
//! The generator is in Erlang (`tests/generators`). By `start only Number Steps...` it plays the scenario of a number
//! once for each of the lists that follow, with these steps alone, and its lines begin with the place of the list: 1, 2
//! and so on. Each step draws its random numbers from a seed of its own, so it is the same whatever other steps there
//! are.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use watch::{Invocation, Outcome as Ended};

use super::choices::{Choice, Choices};
use super::shrink::{self, Limits, Made, Outcome, ShrinkOption};

/// Lists that are tried at once.
const BATCH: usize = 12;

/// A scenario, and how it is played.
pub(super) struct Scenario<'a> {
    pub module: &'static str,
    pub number: u32,
    /// Its steps have the numbers from 1 on.
    pub steps: u32,
    pub place: &'a Path,
    /// The time that a machine has for a batch.
    pub timeout: Duration,
}

/// How many steps a list has.
pub(super) fn count(list: &str) -> usize {
    list.split_terminator(',').count()
}

impl Scenario<'_> {
    /// The lines that a machine prints for each of these lists; none where it ended in the middle of them.
    pub(super) fn play(
        &self,
        machine: &dyn Fn() -> Invocation,
        lists: &[&str],
    ) -> Result<Vec<Option<Vec<String>>>> {
        lines_of_each(lists, |left| {
            machine()
                .timeout(self.timeout)
                .arg("-noshell")
                .arg("-pa")
                .arg(self.place)
                .args(["-s", self.module, "start", "-extra", "only"])
                .arg(self.number.to_string())
                .args(left)
                .run()
        })
    }

    /// Leaves out steps as long as the rest fails, in the time that there is for it: the steps that are left, or none
    /// if all of them do not fail when they are played again.
    pub(super) fn cut_down(
        &self,
        option: &ShrinkOption,
        mut fail: impl FnMut(&[&str]) -> Result<Vec<bool>>,
    ) -> Result<Option<Outcome>> {
        let all = vec![Choice::Part(vec![Choice::Number(1)]); self.steps as usize];
        let first = self.kept(all);
        if !fail(&[&first.text])?[0] {
            return Ok(None);
        }
        let limits = Limits {
            time: option.time(),
            batch: BATCH,
        };
        shrink::shrink(first, &limits, |record| self.kept(record), fail).map(Some)
    }

    /// The steps that a record keeps, as the generator reads them.
    fn kept(&self, record: Vec<Choice>) -> Made {
        let mut choices = Choices::recorded(record);
        let mut steps = Vec::new();
        for step in 1..=self.steps {
            choices.enter();
            if choices.goes_on(true) {
                steps.push(step.to_string());
            }
            choices.leave();
        }
        Made {
            text: steps.join(","),
            record: choices.into_record(),
        }
    }

    /// How the scenario is played with these steps alone.
    pub(super) fn command(&self, steps: &str) -> String {
        format!(
            "erl -noshell -pa {} -s {} start -extra only {} {steps}",
            self.place.display(),
            self.module,
            self.number
        )
    }
}

/// The lines that a machine prints for each of these lists, which `run` gives it; they begin with the place of the
/// list. None where it ended in the middle of them: it is started again for those that follow.
pub(super) fn lines_of_each(
    lists: &[&str],
    run: impl Fn(&[&str]) -> Result<Ended>,
) -> Result<Vec<Option<Vec<String>>>> {
    let mut played = Vec::new();
    while played.len() < lists.len() {
        let left = &lists[played.len()..];
        let outcome = run(left)?;
        let mut said = read(&outcome.stdout);
        // A scenario prints its lines when it is over.
        let reached = said.last_key_value().map_or(0, |(last, _)| *last as usize);
        let complete = if outcome.end.is_success() {
            left.len()
        } else {
            reached
        };
        for label in 1..=complete {
            let lines = said.remove(&(label as u32)).unwrap_or_default();
            let unlabelled = |line: String| {
                line.split_once(": ")
                    .map_or(line.clone(), |(_, rest)| rest.to_owned())
            };
            played.push(Some(lines.into_iter().map(unlabelled).collect()));
        }
        if complete < left.len() {
            played.push(None);
        }
    }
    Ok(played)
}

/// The lines of each scenario, by its number.
pub(super) type Said = BTreeMap<u32, Vec<String>>;

/// The lines that begin with the number of a scenario.
pub(super) fn read(stdout: &[u8]) -> Said {
    let mut said = Said::new();
    for line in String::from_utf8_lossy(stdout).lines() {
        let number = line
            .split_once(": ")
            .and_then(|(number, _)| number.parse().ok());
        if let Some(number) = number {
            said.entry(number).or_default().push(line.to_owned());
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_scenario_that_they_begin_with() {
        let said = read(b"1: a\nnoise\n2: b\n2: c: d\nx: y\n");
        assert_eq!(said[&1], ["1: a"]);
        assert_eq!(said[&2], ["2: b", "2: c: d"]);
        assert_eq!(said.len(), 2);
    }

    #[test]
    fn the_steps_that_fail_together_are_left() {
        let scenario = Scenario {
            module: "traces",
            number: 7,
            steps: 60,
            place: Path::new("/nowhere"),
            timeout: Duration::ZERO,
        };
        let fails = |list: &&str| {
            let steps: Vec<&str> = list.split(',').collect();
            ["3", "17", "18"].iter().all(|step| steps.contains(step))
        };
        let option = ShrinkOption::seconds(60);
        let cut = |fails: &dyn Fn(&&str) -> bool| {
            scenario
                .cut_down(&option, |lists| Ok(lists.iter().map(fails).collect()))
                .expect("no machine fails")
        };
        let outcome = cut(&fails).expect("all of them fail");
        assert!(outcome.is_done);
        assert_eq!(outcome.smallest.text, "3,17,18");
        assert!(outcome.tried < 300, "{}", outcome.tried);
        assert!(cut(&|_| false).is_none());
    }
}
