//! The results of one session: the shape of the JSON that `--json` and `--save` write, and the source of every table,
//! page and summary. What `--save` writes is smaller: of the cells it has those that failed.

use serde::{Deserialize, Serialize};

use crate::experiment::{Better, Unit};
use crate::statistics::{Ratio, Summary};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    pub lab: String,
    /// A remark given with `--note`, such as the commit that was measured.
    #[serde(default)]
    pub note: String,
    /// The commit that was measured, if it is known.
    #[serde(default)]
    pub commit: String,
    /// The command line of the lab.
    #[serde(default)]
    pub command: String,
    /// Local date and time of the start.
    pub began: String,
    pub seconds: f64,
    /// `headline`, `quick` or `full`.
    pub set: String,
    pub rounds: u32,
    pub host: Host,
    /// ferl is the first.
    #[serde(alias = "machines")]
    pub vms: Vec<VmInfo>,
    pub experiments: Vec<Found>,
    /// Requests that could not be met, one line each.
    pub problems: Vec<String>,
    /// A line that names the measurements for which the time limit had no room, or a program was missing. That is no
    /// failure.
    #[serde(default)]
    pub left_out: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Host {
    /// What kind of machine it is, in a word that may be part of a file's name: `amd-epyc-25-17-2`, which are the
    /// maker, the series, the family and the model of the processor, and how many processors may be used.
    #[serde(default)]
    pub kind: String,
    pub processor: String,
    pub processors: usize,
    pub memory_bytes: u64,
    pub available_bytes: u64,
    pub system: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VmInfo {
    /// The name in tables: `ferl`, `OTP 25`.
    pub name: String,
    pub path: String,
    pub release: String,
    pub version: String,
    pub flavor: String,
}

/// The results of one experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub key: String,
    pub group: String,
    pub about: String,
    pub cells: Vec<Cell>,
    pub lines: Vec<Line>,
}

/// One case of an experiment at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub case: String,
    pub size: Option<u64>,
    /// In the order of [`Session::vms`].
    pub on: Vec<OnVm>,
}

/// The results of one cell on one VM.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OnVm {
    /// The command line, quoted for a shell.
    pub command: String,
    /// One for each round, up to the first failure.
    pub runs: Vec<Run>,
    /// Why a run failed.
    pub failure: Option<String>,
    /// The load of the processors during the first run, for experiments that record it.
    pub load: Vec<Load>,
    /// The number of threads of the VM by name.
    pub threads: Vec<(String, usize)>,
    /// The number of system calls by name, counted in a separate run, most frequent first.
    pub calls: Vec<(String, u64)>,
}

/// One run, measured from outside.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    /// In the order of the experiment's figures.
    pub figures: Vec<f64>,
    pub wall_s: f64,
    pub user_s: f64,
    pub system_s: f64,
    pub peak_resident_bytes: u64,
    /// The median over the second half of the run.
    pub steady_resident_bytes: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Calls of `read`, `write` and their variants.
    pub read_calls: u64,
    pub write_calls: u64,
    pub threads: u64,
    /// Average number of processors that the rest of the host used during the run.
    pub others_cpus: f64,
}

/// The load of each processor, in percent, since the previous sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    pub at_s: f64,
    pub runnable: u32,
    pub cores: Vec<CoreLoad>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CoreLoad {
    pub user: f32,
    pub nice: f32,
    pub system: f32,
    pub iowait: f32,
    pub irq: f32,
    pub soft: f32,
    pub steal: f32,
}

impl CoreLoad {
    /// The share of time spent on any work of this host.
    pub(crate) fn busy(&self) -> f32 {
        self.user + self.nice + self.system + self.irq + self.soft
    }
}

/// One line of the table: a figure of one cell, or of all sizes of a case together, over all rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub figure: String,
    pub case: String,
    pub size: Option<u64>,
    pub unit: Unit,
    pub better: Better,
    /// In the order of [`Session::vms`].
    pub on: Vec<Measured>,
    /// ferl compared with each other VM, in their order; `None` where one of the two has no figure.
    pub ratios: Vec<Option<Ratio>>,
    /// The figure of each round, for each VM in the order of [`Session::vms`].
    #[serde(default)]
    pub runs: Vec<Vec<f64>>,
    pub published: Option<f64>,
    pub published_note: String,
    /// Average number of processors that the rest of the host used during these runs.
    pub others_cpus: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Measured {
    Summary(Summary),
    Failure(String),
}

impl Measured {
    pub(crate) fn summary(&self) -> Option<&Summary> {
        match self {
            Measured::Summary(summary) => Some(summary),
            Measured::Failure(_) => None,
        }
    }
}

/// From this load by other programs on, a line is marked: they may have changed the figures.
pub(crate) const NOISE_CPUS: f64 = 0.25;

impl Line {
    pub(crate) fn is_noisy(&self) -> bool {
        self.others_cpus > NOISE_CPUS
    }
}

impl Session {
    /// Whether everything requested was done on every VM.
    pub(crate) fn is_complete(&self) -> bool {
        self.problems.is_empty() && self.failures().next().is_none()
    }

    /// Every cell that failed: the experiment, the cell, the VM and why.
    pub(crate) fn failures(&self) -> impl Iterator<Item = (&Found, &Cell, &VmInfo, &str)> {
        self.experiments.iter().flat_map(move |found| {
            found.cells.iter().flat_map(move |cell| {
                cell.on
                    .iter()
                    .zip(&self.vms)
                    .filter_map(move |(on, vm)| Some((found, cell, vm, on.failure.as_deref()?)))
            })
        })
    }

    /// The lines that compare the VMs, rather than only show a figure.
    pub(crate) fn comparisons(&self) -> impl Iterator<Item = (&Found, &Line)> {
        self.experiments.iter().flat_map(|found| {
            let lines = found.lines.iter().filter(|line| line.better.is_compared());
            lines.map(move |line| (found, line))
        })
    }
}

/// Sessions for tests.
#[cfg(test)]
pub(crate) mod sample {
    use super::*;
    use crate::statistics;

    /// A session of rows that are times: a row's key, and the times of ferl and of OTP 25.
    pub(crate) fn session(commit: &str, rows: &[(&str, &[f64], &[f64])]) -> Session {
        let vm = |name: &str| VmInfo {
            name: name.to_owned(),
            path: "/usr/bin/erl".to_owned(),
            release: "25".to_owned(),
            version: "13.1.5".to_owned(),
            flavor: "jit".to_owned(),
        };
        Session {
            lab: "0.1.0".to_owned(),
            note: String::new(),
            commit: commit.to_owned(),
            command: "ferl lab --save".to_owned(),
            began: "2026-11-27 10:00 UTC".to_owned(),
            seconds: 60.0,
            set: "full".to_owned(),
            rounds: 3,
            host: Host {
                kind: "amd-epyc-25-17-2".to_owned(),
                processor: "AMD EPYC".to_owned(),
                processors: 2,
                memory_bytes: 24 << 30,
                available_bytes: 20 << 30,
                system: "Linux 6.1 x86_64".to_owned(),
            },
            vms: vec![vm("ferl"), vm("OTP 25")],
            experiments: rows
                .iter()
                .map(|(key, ferl, other)| Found {
                    key: (*key).to_owned(),
                    group: key.split('/').next().unwrap_or_default().to_owned(),
                    about: "a row".to_owned(),
                    cells: Vec::new(),
                    lines: vec![line(ferl, other)],
                })
                .collect(),
            problems: Vec::new(),
            left_out: None,
        }
    }

    fn line(ferl: &[f64], other: &[f64]) -> Line {
        let summary = |times| Measured::Summary(statistics::summary(times).unwrap());
        let pairs = other.iter().zip(ferl).map(|(other, ferl)| other / ferl);
        Line {
            figure: "time".to_owned(),
            case: "SMP on".to_owned(),
            size: Some(100_000),
            unit: Unit::Seconds,
            better: Better::Less,
            on: vec![summary(ferl), summary(other)],
            ratios: vec![statistics::ratio(&pairs.collect::<Vec<_>>())],
            runs: vec![ferl.to_vec(), other.to_vec()],
            published: None,
            published_note: String::new(),
            others_cpus: 0.0,
        }
    }
}
