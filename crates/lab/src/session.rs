//! Runs a plan: for each cell, rounds in which every VM has a turn, so that a noisy minute of the host hits all.
//!
//! A VM that fails in a cell is not asked again there; a size that its smaller ones say will not fit into memory
//! is not tried. Either is a result.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::host;
use crate::lines;
use crate::measure::{Bounds, Measurement, Trial, shell_line};
use crate::plan::Planned;
use crate::programs::Programs;
use crate::results::{Cell, Found, OnVm, Session};
use crate::rows::{Better, Set};
use crate::show;
use crate::syscalls;
use crate::vms::Vm;

/// From these on, a cell has fewer rounds: more would cost hours and tell little.
const LONG_RUN: Duration = Duration::from_secs(20);
const VERY_LONG_RUN: Duration = Duration::from_secs(90);
/// What a VM holds before it does anything, roughly: memory beyond it grows with the size.
const EMPTY_VM_BYTES: f64 = 60e6;

pub struct Settings {
    pub set: Set,
    pub rounds: Option<u32>,
    pub timeout: Option<Duration>,
    pub memory_bytes: Option<u64>,
}

impl Settings {
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(match self.set {
            Set::Quick => 3,
            Set::Full => 5,
        })
    }

    fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(match self.set {
            Set::Quick => 12,
            Set::Full => 900,
        }))
    }

    fn rounds_after(&self, longest: Duration, is_contest: bool) -> u32 {
        if self.rounds.is_some() {
            return self.rounds();
        }
        let most = if longest > VERY_LONG_RUN {
            2
        } else if longest > LONG_RUN || !is_contest {
            3
        } else {
            u32::MAX
        };
        self.rounds().min(most)
    }
}

/// What is known of the sizes that a VM has done.
#[derive(Default)]
struct Smaller {
    /// Sizes and the most memory they took.
    memory: Vec<(u64, u64)>,
    /// The size that failed: larger ones would as well.
    failed: Option<u64>,
}

pub struct Lab<'a> {
    pub settings: &'a Settings,
    pub vms: &'a [Vm],
    pub programs: &'a Programs,
    /// By experiment, case and VM.
    smaller: HashMap<(String, &'static str, usize), Smaller>,
    progress: ProgressBar,
}

impl<'a> Lab<'a> {
    pub fn new(settings: &'a Settings, vms: &'a [Vm], programs: &'a Programs) -> Lab<'a> {
        Lab {
            settings,
            vms,
            programs,
            smaller: HashMap::new(),
            progress: ProgressBar::hidden(),
        }
    }

    /// Runs everything; the time it takes is what the plan takes.
    pub fn run(&mut self, plan: &[Planned], problems: Vec<String>) -> Result<Session> {
        let began = Instant::now();
        let stamp = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M %Z").to_string();
        let cells: usize = plan.iter().map(|planned| planned.cells.len()).sum();
        let turns = cells * self.settings.rounds() as usize * self.vms.len();
        self.progress = ProgressBar::new(turns as u64);
        self.progress.set_style(ProgressStyle::with_template(
            "{bar:20} {pos}/{len} {elapsed} {wide_msg}",
        )?);
        let experiments = plan
            .iter()
            .map(|planned| self.experiment(planned))
            .collect();
        self.progress.finish_and_clear();
        Ok(Session {
            lab: env!("CARGO_PKG_VERSION").to_owned(),
            began: stamp,
            seconds: began.elapsed().as_secs_f64(),
            set: match self.settings.set {
                Set::Quick => "quick".to_owned(),
                Set::Full => "full".to_owned(),
            },
            rounds: self.settings.rounds(),
            host: host::describe(),
            vms: self.vms.iter().map(|vm| vm.info.clone()).collect(),
            experiments,
            problems,
        })
    }

    fn experiment(&mut self, planned: &Planned) -> Found {
        let experiment = &planned.experiment;
        let mut cells = Vec::new();
        for (at, (case, size)) in planned.cells.iter().enumerate() {
            let trial = Trial {
                experiment,
                case,
                size: *size,
                set: self.settings.set,
            };
            self.progress
                .set_message(show::join(&experiment.key(), case.label, *size));
            // The first cell warms up the quick set's page cache; the full set can afford it for each.
            if at == 0 || self.settings.set == Set::Full {
                self.warm_up(trial);
            }
            cells.push(self.cell(trial));
        }
        Found {
            key: experiment.key(),
            group: experiment.group.key().to_owned(),
            about: experiment.about.to_owned(),
            lines: lines::of(experiment, &cells, self.vms.len()),
            cells,
        }
    }

    /// A run on each VM that does not count, at the least size of the set.
    fn warm_up(&self, trial: Trial) {
        let least = trial.experiment.sizes(self.settings.set).first().copied();
        let trial = Trial {
            size: least,
            ..trial
        };
        let long = matches!(trial.experiment.ends, crate::rows::Ends::After { .. });
        if long {
            return;
        }
        for vm in self.vms {
            // If it fails it will fail again where it counts.
            let _ = trial.run(vm, &self.programs.folder, self.bounds());
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            timeout: self.settings.timeout(),
            memory_bytes: self
                .settings
                .memory_bytes
                .unwrap_or_else(host::memory_budget_bytes),
        }
    }

    fn cell(&mut self, trial: Trial) -> Cell {
        let programs = &self.programs.folder;
        let mut on: Vec<OnVm> = self
            .vms
            .iter()
            .map(|vm| OnVm {
                command: shell_line(&trial.words(vm, programs)),
                ..OnVm::default()
            })
            .collect();
        let is_contest = trial
            .experiment
            .figures
            .iter()
            .any(|figure| figure.better != Better::Neither);
        let mut longest = Duration::ZERO;
        let mut round = 0;
        while round < self.settings.rounds_after(longest, is_contest) {
            for turn in 0..self.vms.len() {
                let vm = (turn + round as usize) % self.vms.len();
                self.progress.inc(1);
                let seen = &mut on[vm];
                if seen.failure.is_some() {
                    continue;
                }
                let started = Instant::now();
                match self.turn(trial, vm) {
                    Ok(measurement) => keep(seen, measurement, trial.experiment.shows_load),
                    Err(failure) => seen.failure = Some(failure),
                }
                longest = longest.max(started.elapsed());
            }
            round += 1;
        }
        let skipped = self.settings.rounds() - round.min(self.settings.rounds());
        self.progress
            .inc(u64::from(skipped) * self.vms.len() as u64);
        if trial.experiment.counts_calls && self.settings.set == Set::Full {
            for (seen, vm) in on.iter_mut().zip(self.vms) {
                if seen.failure.is_none() {
                    seen.calls = syscalls::count(&trial, vm, programs, self.bounds());
                }
            }
        }
        Cell {
            case: trial.case.label.to_owned(),
            size: trial.size,
            on,
        }
    }

    fn turn(&mut self, trial: Trial, vm: usize) -> Result<Measurement, String> {
        let bounds = self.bounds();
        let key = (trial.experiment.key(), trial.case.label, vm);
        let smaller = self.smaller.entry(key).or_default();
        let Some(size) = trial.size else {
            return trial.run(&self.vms[vm], &self.programs.folder, bounds);
        };
        if let Some(failed) = smaller.failed.filter(|failed| *failed < size) {
            return Err(format!("not tried: {} failed", show::size(failed)));
        }
        if let Some(needed) = predicted_bytes(&smaller.memory, size)
            && needed > bounds.memory_bytes as f64
        {
            return Err(format!(
                "not tried: it would need about {:.1} GB, and {:.1} GB may be used",
                needed / 1e9,
                bounds.memory_bytes as f64 / 1e9
            ));
        }
        let measured = trial.run(&self.vms[vm], &self.programs.folder, bounds);
        match &measured {
            Ok(measured) => smaller
                .memory
                .push((size, measured.run.peak_resident_bytes)),
            Err(_) => smaller.failed = Some(size),
        }
        measured
    }
}

/// What a size will take, if it grows as the largest smaller size says; `None` if none is known.
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
    fn memory_is_foretold_from_the_largest_smaller_size() {
        let known = [(100_000, 300_000_000), (1_000_000, 2_760_000_000)];
        let needed = predicted_bytes(&known, 10_000_000).unwrap();
        assert!((needed - 27.06e9).abs() < 1e7, "{needed}");
        assert_eq!(predicted_bytes(&known, 100_000), None);
        // A VM that needs little is never refused.
        assert!(predicted_bytes(&[(1, 30_000_000)], 1_000_000).unwrap() < 100e6);
    }
}
