//! Runs a plan. Each cell has rounds in which every VM has a turn, so that a disturbance of the host affects all of
//! them alike.
//!
//! A VM that fails in a cell gets no further turns there. A size that will not fit into memory, judging by the smaller
//! ones, is not tried. Both are results.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::experiment::{Better, Ends, Experiment, Figure, Set};
use crate::host;
use crate::lines;
use crate::measure::{Bounds, Measurement, Trial, shell_line};
use crate::pace::{KnownDurations, Pace};
use crate::plan::Planned;
use crate::programs::Programs;
use crate::results::{Cell, Found, OnVm, Session};
use crate::screen::Screen;
use crate::show;
use crate::syscalls;
use crate::vms::Vm;

/// Cells whose runs take longer than this get fewer rounds: more would take hours and tell little.
const LONG_RUN: Duration = Duration::from_secs(20);
const VERY_LONG_RUN: Duration = Duration::from_secs(90);
/// Roughly what a VM holds before it does anything. Memory beyond this grows with the size.
const EMPTY_VM_BYTES: f64 = 60e6;
/// The time limit of the headline set, which leaves room for compiling the programs and writing the page in two
/// minutes.
const HEADLINE_TIME_LIMIT: Duration = Duration::from_secs(105);

/// What the command line says about all runs; `None` stands for the default of the set.
pub(crate) struct SessionSettings {
    pub set: Set,
    pub rounds: Option<u32>,
    /// The most that one run may take.
    pub timeout: Option<Duration>,
    pub memory_bytes: Option<u64>,
    /// The most that all runs together may take.
    pub time_limit: Option<Duration>,
    pub note: String,
    pub commit: String,
    pub command: String,
    /// When the time limit began to run.
    pub began: Instant,
}

impl SessionSettings {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(match self.set {
            Set::Headline | Set::Quick => 3,
            Set::Full => 5,
        })
    }

    fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(match self.set {
            Set::Headline | Set::Quick => 12,
            Set::Full => 900,
        }))
    }

    fn time_limit(&self) -> Option<Duration> {
        let of_set = (self.set == Set::Headline).then_some(HEADLINE_TIME_LIMIT);
        self.time_limit.or(of_set)
    }

    /// The rounds of a cell whose longest run so far took this long.
    fn rounds_after(&self, longest: Duration, is_compared: bool) -> u32 {
        if self.rounds.is_some() {
            return self.rounds();
        }
        let most = if longest > VERY_LONG_RUN {
            2
        } else if longest > LONG_RUN || !is_compared {
            3
        } else {
            u32::MAX
        };
        self.rounds().min(most)
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            timeout: self.timeout(),
            memory_bytes: self.memory_bytes.unwrap_or_else(host::memory_budget_bytes),
        }
    }
}

/// What is known of the smaller sizes of a case on one VM.
#[derive(Default)]
struct Smaller {
    /// Each size that was run, and the most memory it took.
    memory: Vec<(u64, u64)>,
    /// The size that failed. Larger ones would fail as well.
    failed: Option<u64>,
}

pub(crate) struct Lab<'a> {
    settings: &'a SessionSettings,
    vms: &'a [Vm],
    programs: &'a Programs,
    /// By experiment, case and VM.
    smaller: HashMap<(String, &'static str, usize), Smaller>,
    durations: KnownDurations,
    pace: Pace,
    screen: Screen,
    /// The cells for which no time was left.
    left_out: Vec<String>,
}

impl<'a> Lab<'a> {
    /// Runs everything, and prints each line as soon as it is complete.
    pub(crate) fn run(
        settings: &'a SessionSettings,
        vms: &'a [Vm],
        programs: &'a Programs,
        plan: &[Planned],
        problems: Vec<String>,
    ) -> Session {
        let trials = trials(plan, settings.set);
        let mut lab = Lab::new(settings, vms, programs, &trials);
        let session = lab.session(plan, &trials, problems);
        lab.durations.write();
        session
    }

    /// Estimates the time of each cell, and lays out the table.
    fn new(
        settings: &'a SessionSettings,
        vms: &'a [Vm],
        programs: &'a Programs,
        trials: &[Trial],
    ) -> Lab<'a> {
        let durations = KnownDurations::read();
        let one_round = |trial: &Trial| -> f64 {
            let seconds = vms.iter().map(|vm| durations.expected_s(trial, vm));
            seconds.sum()
        };
        let round_s = trials.iter().map(one_round).collect();
        let names = trials.iter().flat_map(line_names);
        let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let vm_names = vms.iter().map(|vm| vm.info.name.clone());
        Lab {
            settings,
            vms,
            programs,
            smaller: HashMap::new(),
            pace: Pace::new(
                settings.began,
                settings.time_limit(),
                round_s,
                settings.rounds(),
            ),
            screen: Screen::new(vm_names.collect(), longest),
            durations,
            left_out: Vec::new(),
        }
    }

    fn session(&mut self, plan: &[Planned], trials: &[Trial], problems: Vec<String>) -> Session {
        let began = Instant::now();
        let stamp = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M %Z").to_string();
        self.screen.begin(&self.outlook(trials));
        let mut experiments: Vec<Found> = Vec::new();
        let mut at = 0;
        for planned in plan {
            let of_this = &trials[at..at + planned.cells.len()];
            experiments.push(self.experiment(&planned.experiment, of_this, at, trials));
            at += of_this.len();
        }
        self.screen.end();
        experiments.retain(|found| !found.cells.is_empty());
        let limit = self.settings.time_limit();
        let left_out = limit.filter(|_| !self.left_out.is_empty()).map(|limit| {
            format!(
                "Left out, because they do not fit into {} s (--within gives more time): {}.",
                limit.as_secs(),
                self.left_out.join("; ")
            )
        });
        Session {
            lab: env!("CARGO_PKG_VERSION").to_owned(),
            note: self.settings.note.clone(),
            commit: self.settings.commit.clone(),
            command: self.settings.command.clone(),
            began: stamp,
            seconds: began.elapsed().as_secs_f64(),
            set: self.settings.set.name().to_owned(),
            rounds: self.settings.rounds(),
            host: host::describe(),
            vms: self.vms.iter().map(|vm| vm.info.clone()).collect(),
            experiments,
            problems,
            left_out,
        }
    }

    /// What the session is going to do, and how long it will take.
    fn outlook(&self, trials: &[Trial]) -> String {
        let names: Vec<&str> = self.vms.iter().map(|vm| vm.info.name.as_str()).collect();
        let mut groups: Vec<&str> = trials
            .iter()
            .map(|trial| trial.experiment.group.key())
            .collect();
        groups.dedup();
        let rounds = self.settings.rounds();
        format!(
            "Runs {} measurements ({}) on {}, in {}.\nExpected to take {}.",
            trials.len(),
            groups.join(", "),
            names.join(" and "),
            show::rounds(rounds),
            show::duration(self.pace.total_s(f64::from(rounds)))
        )
    }

    /// Runs the cells of one experiment; `at` is the position of the first one among all trials.
    fn experiment(
        &mut self,
        experiment: &Experiment,
        cells: &[Trial],
        at: usize,
        all: &[Trial],
    ) -> Found {
        let mut measured = Vec::new();
        for (number, trial) in cells.iter().enumerate() {
            let rounds = self.pace.rounds_of(at + number);
            if rounds == 0 {
                self.left_out.push(trial.name());
                continue;
            }
            self.screen.experiment(experiment, &self.pace);
            if self.needs_warm_up(at + number, number) {
                self.warm_up(trial);
            }
            let next = match all.get(at + number + 1) {
                Some(next) => format!(" | next: {}", next.name()),
                None => " | last one".to_owned(),
            };
            let cell = self.cell(trial, rounds, &next);
            let lines = lines::of_cell(experiment, &cell);
            self.screen.lines(
                lines
                    .iter()
                    .map(|line| (line_name(trial, &line.figure), line)),
            );
            measured.push(cell);
        }
        let growth = lines::growth(experiment, &measured, self.vms.len());
        self.screen.lines(growth.iter().map(|line| {
            let name = show::join(experiment.name, &line.case, None);
            (format!("{name}: {}", line.figure), line)
        }));
        Found {
            key: experiment.key(),
            group: experiment.group.key().to_owned(),
            about: experiment.about.to_owned(),
            lines: lines::of(experiment, &measured, self.vms.len()),
            cells: measured,
        }
    }

    /// The first run fills the page cache, so it does not count. The headline set does that once, the quick set for
    /// each experiment, and the full set for each cell.
    fn needs_warm_up(&self, at: usize, number_in_experiment: usize) -> bool {
        match self.settings.set {
            Set::Headline => at == 0,
            Set::Quick => number_in_experiment == 0,
            Set::Full => true,
        }
    }

    /// A run on each VM that does not count, at the smallest size of the set.
    fn warm_up(&self, trial: &Trial) {
        // Services warm up by themselves.
        if matches!(trial.experiment.ends, Ends::After { .. }) || trial.experiment.is_service {
            return;
        }
        let smallest = trial.experiment.sizes(self.settings.set).first().copied();
        let trial = Trial {
            size: smallest,
            ..*trial
        };
        for vm in self.vms {
            // A failure here will show again in a run that counts.
            let _ = trial.run(vm, &self.programs.folder, self.settings.bounds());
        }
    }

    fn cell(&mut self, trial: &Trial, rounds: u32, next: &str) -> Cell {
        let programs = &self.programs.folder;
        let mut on: Vec<OnVm> = self
            .vms
            .iter()
            .map(|vm| OnVm {
                command: shell_line(&trial.words(vm, programs)),
                ..OnVm::default()
            })
            .collect();
        let figures = trial.experiment.figures.iter();
        let is_compared = figures.map(|figure| figure.better).any(Better::is_compared);
        let mut longest = Duration::ZERO;
        let mut round = 0;
        while round < rounds.min(self.settings.rounds_after(longest, is_compared)) {
            for turn in 0..self.vms.len() {
                let vm = (turn + round as usize) % self.vms.len();
                let seen = &mut on[vm];
                if seen.failure.is_some() {
                    continue;
                }
                let now = format!(
                    "{} on {}, round {} of {rounds}",
                    trial.name(),
                    self.vms[vm].info.name,
                    round + 1
                );
                let turns_left = f64::from(rounds - round) - turn as f64 / self.vms.len() as f64;
                self.screen.turn(&now, next, &self.pace, turns_left);
                let started = Instant::now();
                match self.turn(trial, vm) {
                    Ok(measurement) => keep(seen, measurement, trial.experiment.shows_load),
                    Err(failure) => seen.failure = Some(failure),
                }
                longest = longest.max(started.elapsed());
            }
            round += 1;
        }
        if trial.experiment.counts_calls && self.settings.set == Set::Full {
            for (seen, vm) in on.iter_mut().zip(self.vms) {
                if seen.failure.is_none() {
                    seen.calls = syscalls::count(trial, vm, programs, self.settings.bounds());
                }
            }
        }
        Cell {
            case: trial.case.label.to_owned(),
            size: trial.size,
            on,
        }
    }

    fn turn(&mut self, trial: &Trial, vm: usize) -> Result<Measurement, String> {
        let bounds = self.settings.bounds();
        let key = (trial.experiment.key(), trial.case.label, vm);
        let smaller = self.smaller.entry(key).or_default();
        if let Some(size) = trial.size {
            refuse_hopeless(smaller, size, bounds)?;
        }
        let vm = &self.vms[vm];
        let started = Instant::now();
        let measured = trial.run(vm, &self.programs.folder, bounds);
        if measured.is_ok() {
            let took = started.elapsed();
            self.pace.ran(took, self.durations.expected_s(trial, vm));
            self.durations.learn(trial, vm, took);
        }
        if let Some(size) = trial.size {
            match &measured {
                Ok(measured) => smaller
                    .memory
                    .push((size, measured.run.peak_resident_bytes)),
                Err(_) => smaller.failed = Some(size),
            }
        }
        measured
    }
}

/// The cells of the plan in the order in which they are run.
fn trials(plan: &[Planned], set: Set) -> Vec<Trial<'_>> {
    let mut trials = Vec::new();
    for planned in plan {
        trials.extend(planned.cells.iter().map(|(case, size)| Trial {
            experiment: &planned.experiment,
            case,
            size: *size,
            set,
        }));
    }
    trials
}

/// The names of the lines that a trial will give, and of the growth that is computed from it.
fn line_names(trial: &Trial) -> Vec<String> {
    let labels = |figure: &Figure| [Some(figure.label), figure.slope];
    let labels = trial.experiment.figures.iter().flat_map(labels).flatten();
    labels.map(|label| line_name(trial, label)).collect()
}

fn line_name(trial: &Trial, figure: &str) -> String {
    let name = show::join(trial.experiment.name, trial.case.label, trial.size);
    let is_only = matches!(trial.experiment.figures, [only] if only.slope.is_none());
    if is_only {
        name
    } else {
        format!("{name}: {figure}")
    }
}

/// # Errors
///
/// If a smaller size failed, or if this one would need more memory than a run may have.
fn refuse_hopeless(smaller: &Smaller, size: u64, bounds: Bounds) -> Result<(), String> {
    if let Some(failed) = smaller.failed.filter(|failed| *failed < size) {
        return Err(format!("not tried: {} failed", show::size(failed)));
    }
    match predicted_bytes(&smaller.memory, size) {
        Some(needed) if needed > bounds.memory_bytes as f64 => Err(format!(
            "not tried: it would need about {:.1} GB, and {:.1} GB may be used",
            needed / 1e9,
            bounds.memory_bytes as f64 / 1e9
        )),
        _ => Ok(()),
    }
}

/// The memory that a size will need if it grows in proportion from the next smaller size; `None` if that is not known.
fn predicted_bytes(known: &[(u64, u64)], size: u64) -> Option<f64> {
    let (of, bytes) = known.iter().filter(|(of, _)| *of < size).max()?;
    let grown = (*bytes as f64 - EMPTY_VM_BYTES).max(0.0);
    Some(EMPTY_VM_BYTES + grown * size as f64 / *of as f64)
}

fn keep(seen: &mut OnVm, measurement: Measurement, keeps_load: bool) {
    if seen.runs.is_empty() && keeps_load {
        seen.load = measurement.load;
    }
    if seen.threads.is_empty() {
        seen.threads = measurement.threads;
    }
    seen.runs.push(measurement.run);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_predicted_from_the_next_smaller_size() {
        let known = [(100_000, 300_000_000), (1_000_000, 2_760_000_000)];
        let needed = predicted_bytes(&known, 10_000_000).unwrap();
        assert!((needed - 27.06e9).abs() < 1e7, "{needed}");
        assert_eq!(predicted_bytes(&known, 100_000), None);
        // A VM that needs little is never refused.
        assert!(predicted_bytes(&[(1, 30_000_000)], 1_000_000).unwrap() < 100e6);
    }
}
