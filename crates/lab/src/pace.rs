//! How long a session will take, and how many rounds of each cell fit into its time limit.
//!
//! A cell is expected to take as long as it took in the last session on this host, or else as long as a guess says. The
//! session so far corrects both: if the host is slower today, everything that remains is expected to take longer.
//! Nothing is killed to keep the time limit: a cell gets fewer rounds, or is left out, before it starts.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::experiment::Set;
use crate::measure::Trial;
use crate::vms::Vm;

/// A guess for the work of a run that was never timed, beyond the start of the VM, in seconds.
const GUESSED_WORK_S: f64 = 0.3;
const GUESSED_WORK_OF_FULL_SET_S: f64 = 5.0;
/// Bounds of the correction by what the session has shown so far.
const CORRECTION: (f64, f64) = (0.2, 8.0);
/// The correction counts fully once this many seconds have been measured.
const TRUSTED_AFTER_S: f64 = 5.0;

/// Seconds that one run took, by cell and VM, in earlier sessions on this host.
pub(crate) struct KnownDurations {
    path: Option<PathBuf>,
    seconds: BTreeMap<String, f64>,
    /// Those of this session. They do not change what this session expects: its pace compares runs with that.
    learned: BTreeMap<String, f64>,
}

impl KnownDurations {
    /// Reads them from the user's cache. A file that cannot be read counts as empty.
    pub(crate) fn read() -> KnownDurations {
        let path = crate::cache::folder().map(|folder| folder.join("durations.json"));
        let text = path.as_ref().and_then(|path| fs::read_to_string(path).ok());
        let seconds = text.and_then(|text| serde_json::from_str(&text).ok());
        KnownDurations {
            path,
            seconds: seconds.unwrap_or_default(),
            learned: BTreeMap::new(),
        }
    }

    /// Keeps them for the next session, if there is a place.
    pub(crate) fn write(mut self) {
        self.seconds.append(&mut self.learned);
        if let (Some(path), Ok(text)) = (&self.path, serde_json::to_string_pretty(&self.seconds)) {
            // Without the file the next session guesses, as the first one did.
            let _ = fs::write(path, text);
        }
    }

    fn key(trial: &Trial, vm: &Vm) -> String {
        let (key, case, name) = (trial.experiment.key(), trial.case.label, &vm.info.name);
        format!("{key}|{case}|{}|{name}", trial.size.unwrap_or(0))
    }

    pub(crate) fn learn(&mut self, trial: &Trial, vm: &Vm, took: Duration) {
        self.learned
            .insert(KnownDurations::key(trial, vm), took.as_secs_f64());
    }

    /// Expected seconds of one run.
    pub(crate) fn expected_s(&self, trial: &Trial, vm: &Vm) -> f64 {
        if let Some(seconds) = self.seconds.get(&KnownDurations::key(trial, vm)) {
            return *seconds;
        }
        let measured_part = trial.experiment.ends.measured_part(trial.set);
        let measured_s = measured_part.map_or(0.0, |(_, lasts)| lasts.as_secs_f64());
        let work = match trial.set {
            Set::Full => GUESSED_WORK_OF_FULL_SET_S,
            Set::Headline | Set::Quick => GUESSED_WORK_S,
        };
        let extra_s = trial.experiment.extra_time.as_secs_f64();
        vm.start_time.as_secs_f64() + measured_s + extra_s + work
    }
}

/// The time of a session: what it has used, what is expected to remain, and the limit.
pub(crate) struct Pace {
    began: Instant,
    limit: Option<Duration>,
    /// Expected seconds of one round of each cell on all VMs, in the order of the plan.
    round_s: Vec<f64>,
    rounds: u32,
    /// The cell that is run now.
    at: usize,
    /// What the runs done so far took, and what was expected of them.
    taken_s: f64,
    expected_s: f64,
}

impl Pace {
    /// `began` is when the time limit began to run, and `rounds` the number wanted of each cell.
    pub(crate) fn new(
        began: Instant,
        limit: Option<Duration>,
        round_s: Vec<f64>,
        rounds: u32,
    ) -> Pace {
        Pace {
            began,
            limit,
            round_s,
            rounds,
            at: 0,
            taken_s: 0.0,
            expected_s: 0.0,
        }
    }

    /// One run is done.
    pub(crate) fn ran(&mut self, took: Duration, expected_s: f64) {
        self.taken_s += took.as_secs_f64();
        self.expected_s += expected_s;
    }

    /// The rounds that the next cell gets. 0: the time limit leaves no room for it.
    pub(crate) fn rounds_of(&mut self, at: usize) -> u32 {
        self.at = at;
        let Some(limit) = self.limit else {
            return self.rounds;
        };
        let left_s = limit.saturating_sub(self.began.elapsed()).as_secs_f64();
        let correction = self.correction();
        let this_s = self.round_s[at] * correction;
        let rest_s = self.round_s[at + 1..].iter().sum::<f64>() * correction;
        rounds_that_fit(left_s, this_s, rest_s, self.rounds)
    }

    /// Expected seconds from the start to the end of the session.
    pub(crate) fn total_s(&self, rounds_left_of_cell: f64) -> f64 {
        let this_s = self.round_s.get(self.at).copied().unwrap_or(0.0) * rounds_left_of_cell;
        let later = self.round_s.get(self.at + 1..).unwrap_or(&[]);
        let later_s = later.iter().sum::<f64>() * f64::from(self.rounds);
        let spent_s = self.began.elapsed().as_secs_f64();
        let total_s = spent_s + (this_s + later_s) * self.correction();
        match self.limit {
            Some(limit) => total_s.min(limit.as_secs_f64().max(spent_s)),
            None => total_s,
        }
    }

    pub(crate) fn elapsed_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// How much longer than expected the runs of this session take. It starts at 1 and is trusted more with every run.
    fn correction(&self) -> f64 {
        let expected_s = self.expected_s + TRUSTED_AFTER_S;
        let taken_s = self.taken_s + TRUSTED_AFTER_S;
        (taken_s / expected_s).clamp(CORRECTION.0, CORRECTION.1)
    }
}

/// The most rounds that all remaining cells can have alike. If not even one fits, this cell still has one, provided
/// that it fits alone.
fn rounds_that_fit(left_s: f64, this_s: f64, rest_s: f64, wanted: u32) -> u32 {
    (1..=wanted)
        .rev()
        .find(|rounds| f64::from(*rounds) * (this_s + rest_s) <= left_s)
        .unwrap_or(u32::from(this_s <= left_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_cut_before_cells_are() {
        for (left_s, rounds) in [
            (100.0, 3),
            (30.0, 3),
            (29.0, 2),
            (10.0, 1),
            (2.0, 1),
            (0.5, 0),
        ] {
            assert_eq!(rounds_that_fit(left_s, 1.0, 9.0, 3), rounds, "{left_s} s");
        }
    }

    #[test]
    fn without_a_limit_every_round_is_run() {
        let mut pace = Pace::new(Instant::now(), None, vec![1e6, 1e6], 5);
        assert_eq!(pace.rounds_of(0), 5);
    }

    #[test]
    fn a_slow_host_makes_everything_longer() {
        let mut pace = Pace::new(
            Instant::now(),
            Some(Duration::from_secs(60)),
            vec![1.0; 10],
            3,
        );
        assert_eq!(pace.rounds_of(0), 3);
        assert!((pace.total_s(3.0) - 30.0).abs() < 1.0);
        for _ in 0..6 {
            pace.ran(Duration::from_secs(30), 5.0);
        }
        assert!(pace.total_s(3.0) > 50.0);
        assert_eq!(pace.rounds_of(1), 1);
    }
}
