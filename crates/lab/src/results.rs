//! What a session of the lab found: the shape of its JSON, and all that tables, pages and summaries are made of.

use serde::{Deserialize, Serialize};

use crate::rows::{Better, Unit};
use crate::statistics::{Ratio, Summary};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    pub lab: String,
    /// When it began, as people write it.
    pub began: String,
    pub seconds: f64,
    /// `quick` or `full`.
    pub set: String,
    pub rounds: u32,
    pub host: Host,
    /// ferl first.
    #[serde(alias = "machines")]
    pub vms: Vec<VmInfo>,
    pub experiments: Vec<Found>,
    /// What was asked for and could not be done, a line each.
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Host {
    pub processor: String,
    pub processors: usize,
    pub memory_bytes: u64,
    pub available_bytes: u64,
    pub system: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VmInfo {
    /// How tables name it: `ferl`, `OTP 25`.
    pub name: String,
    pub path: String,
    pub release: String,
    pub version: String,
    pub flavor: String,
}

/// An experiment and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    pub key: String,
    pub group: String,
    pub about: String,
    pub cells: Vec<Cell>,
    pub lines: Vec<Line>,
}

/// One case of an experiment at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    pub case: String,
    pub size: Option<u64>,
    /// In the order of the VMs.
    pub on: Vec<OnVm>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OnVm {
    /// As a shell takes it.
    pub command: String,
    /// Round by round; a VM that failed has no further ones.
    pub runs: Vec<Run>,
    /// Why there is no figure.
    pub failure: Option<String>,
    /// What the processors did in the first run, where the experiment is about that.
    pub load: Vec<Load>,
    /// The threads of the VM by name, and how many have it.
    pub threads: Vec<(String, usize)>,
    /// System calls by name in a run of their own, most frequent first.
    pub calls: Vec<(String, u64)>,
}

/// One run, as seen from outside.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// In the order of the experiment's figures.
    pub figures: Vec<f64>,
    pub wall_s: f64,
    pub user_s: f64,
    pub system_s: f64,
    pub peak_resident_bytes: u64,
    /// In the middle of the second half of the run.
    pub steady_resident_bytes: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Calls of `read` and `write` and their relatives.
    pub read_calls: u64,
    pub write_calls: u64,
    pub threads: u64,
    /// Processors that everything else on the host used meanwhile, on average.
    pub others_cpus: f64,
}

/// Shares of each processor's time, in percent, since the sample before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Load {
    pub at_s: f64,
    pub runnable: u32,
    pub cores: Vec<CoreLoad>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreLoad {
    pub user: f32,
    pub nice: f32,
    pub system: f32,
    pub iowait: f32,
    pub irq: f32,
    pub soft: f32,
    pub steal: f32,
}

impl CoreLoad {
    /// Time in which the processor worked for somebody on this host.
    pub fn busy(&self) -> f32 {
        self.user + self.nice + self.system + self.irq + self.soft
    }
}

/// One figure of one cell (or of all sizes of a case together), over all rounds: a line of the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    pub figure: String,
    pub case: String,
    pub size: Option<u64>,
    pub unit: Unit,
    pub better: Better,
    /// In the order of the VMs.
    pub on: Vec<Measured>,
    /// ferl against each of the others, in their order; `None` where one of them has no figure.
    pub ratios: Vec<Option<Ratio>>,
    pub published: Option<f64>,
    pub published_note: String,
    /// Most that others on the host used of it while this was measured, in processors.
    pub others_cpus: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    Summary(Summary),
    Failure(String),
}

impl Measured {
    pub fn summary(&self) -> Option<&Summary> {
        match self {
            Measured::Summary(summary) => Some(summary),
            Measured::Failure(_) => None,
        }
    }
}

/// From here on what others used is told: their work may have changed the figures.
pub const NOISE_CPUS: f64 = 0.25;

impl Line {
    pub fn is_noisy(&self) -> bool {
        self.others_cpus > NOISE_CPUS
    }
}

impl Session {
    /// Whether all that was asked for was done, on every VM.
    pub fn is_complete(&self) -> bool {
        self.problems.is_empty() && self.failures().next().is_none()
    }

    /// Every cell that failed: the experiment, the cell, the VM and why.
    pub fn failures(&self) -> impl Iterator<Item = (&Found, &Cell, &VmInfo, &str)> {
        self.experiments.iter().flat_map(move |found| {
            found.cells.iter().flat_map(move |cell| {
                cell.on
                    .iter()
                    .zip(&self.vms)
                    .filter_map(move |(on, vm)| Some((found, cell, vm, on.failure.as_deref()?)))
            })
        })
    }

    /// The lines in which less or more is better.
    pub fn contests(&self) -> impl Iterator<Item = (&Found, &Line)> {
        self.experiments.iter().flat_map(|found| {
            let lines = found
                .lines
                .iter()
                .filter(|line| line.better != Better::Neither);
            lines.map(move |line| (found, line))
        })
    }
}
