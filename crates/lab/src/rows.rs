//! What the lab can run: one row for each experiment. Tables only; nothing here runs anything.
//!
//! An experiment is a command line with a size in it, tried in one or more cases (flags) and at one or more sizes, and
//! the figures that are read from each run. To add one: an `.erl` file in `experiments/` and a row. The programs
//! in `experiments/compute` are rows by being there.

mod answers;
mod compute;
mod everyday;
mod published;
mod served;
mod tables;

use std::time::Duration;

/// One row.
#[derive(Clone, Copy)]
pub struct Experiment {
    pub group: Group,
    /// Unique in its group.
    pub name: &'static str,
    /// One sentence: what happens, and what the figure means.
    pub about: &'static str,
    /// What follows the flags and `-noshell`: `{N}` stands for the size, `{NAME}` for the row's name, `{FERL}` for the path
    /// of this program, `{PROGRAM}` for that of the one below.
    pub command: &'static str,
    /// What it needs besides the VM.
    pub program: Option<Program>,
    pub cases: &'static [Case],
    /// Sizes of the quick and of the full set, ascending; empty where there is no size to choose.
    pub quick: &'static [u64],
    pub full: &'static [u64],
    pub ends: Ends,
    pub figures: &'static [Figure],
    pub published: &'static [Published],
    /// Whether the quick set has it.
    pub in_quick: bool,
    /// The size is a number of processes alive at once, so the VM needs `+P` when it is large.
    pub many_processes: bool,
    /// Whether it is about what the processors do over time, so that a course of it is kept.
    pub shows_load: bool,
    /// Whether the system calls are worth counting, in a run of their own, where that is possible.
    pub counts_calls: bool,
}

/// A program that others have made, and how Debian calls the package that has it.
#[derive(Clone, Copy)]
pub struct Program {
    pub name: &'static str,
    pub package: &'static str,
}

/// What most rows have in common.
const PLAIN: Experiment = Experiment {
    group: Group::Everyday,
    name: "",
    about: "",
    command: "",
    program: None,
    cases: &[DEFAULT],
    quick: &[],
    full: &[],
    ends: Ends::ByItself,
    figures: &[],
    published: &[],
    in_quick: true,
    many_processes: false,
    shows_load: false,
    counts_calls: false,
};

impl Experiment {
    /// How people name it: `E1/start`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.group.key(), self.name)
    }

    pub fn sizes(&self, set: Set) -> &'static [u64] {
        match set {
            Set::Quick => self.quick,
            Set::Full => self.full,
        }
    }
}

/// Which of two sets is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// A few minutes on two processors.
    Quick,
    /// The sizes their authors published; hours, where memory allows all of them.
    Full,
}

/// Which family a row belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    Creation,
    Load,
    Ports,
    Cost,
    Messages,
    Everyday,
    Compute,
    Tables,
    Answers,
}

impl Group {
    pub const ALL: [Group; 9] = [
        Group::Creation,
        Group::Load,
        Group::Ports,
        Group::Cost,
        Group::Messages,
        Group::Everyday,
        Group::Compute,
        Group::Tables,
        Group::Answers,
    ];

    pub fn key(self) -> &'static str {
        match self {
            Group::Creation => "E1",
            Group::Load => "E2",
            Group::Ports => "E3",
            Group::Cost => "E4",
            Group::Messages => "E5",
            Group::Everyday => "everyday",
            Group::Compute => "compute",
            Group::Tables => "tables",
            Group::Answers => "answers",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Group::Creation => "Creating processes, SMP on and off",
            Group::Load => "Load on each core, and memory",
            Group::Ports => "Programs behind ports",
            Group::Cost => "What one process costs",
            Group::Messages => "Messages",
            Group::Everyday => "What programs do every day",
            Group::Compute => "Ordinary programs of one process",
            Group::Tables => "Tables that processes share (ETS)",
            Group::Answers => "How soon others run beside something large",
        }
    }

    /// `E1: Creating processes...`
    pub fn heading(self) -> String {
        match self {
            Group::Everyday | Group::Compute | Group::Tables | Group::Answers => {
                self.title().to_owned()
            }
            _ => format!("{}: {}", self.key(), self.title()),
        }
    }

    pub fn of_key(key: &str) -> Option<Group> {
        Group::ALL
            .into_iter()
            .find(|group| group.key().eq_ignore_ascii_case(key))
    }

    /// The hardware of the figures published with it.
    pub fn published_on(self) -> Option<&'static str> {
        match self {
            Group::Creation => Some("4 cores of 2.4 GHz under Xen, +S 4:4"),
            Group::Load => Some("4 Xeon E7-4820 with 64 logical processors, 125 GB"),
            Group::Ports => Some("2 cores of 2.5 GHz"),
            Group::Cost => Some("OTP 19 on 24 cores, 64 GB"),
            Group::Messages => Some("Pentium 4 of 2.8 GHz; Pentium E5200 of 2.5 GHz"),
            Group::Everyday | Group::Compute | Group::Tables | Group::Answers => None,
        }
    }
}

/// One way to start the VM.
#[derive(Clone, Copy)]
pub struct Case {
    pub label: &'static str,
    /// Emulator flags: `{CPUS}` stands for the processors there are, `{TWICE}` for twice as many.
    pub flags: &'static str,
    /// The same for other VMs, where they differ: stock has refused `-smp disable` since OTP 24.
    pub flags_of_others: Option<&'static str>,
    /// Run by this program.
    pub under: &'static [&'static str],
    pub in_quick: bool,
}

const DEFAULT: Case = Case {
    label: "",
    flags: "",
    flags_of_others: None,
    under: &[],
    in_quick: true,
};

const SMP_ON: Case = Case {
    label: "SMP on",
    flags: "+S {CPUS}:{CPUS}",
    ..DEFAULT
};

const SMP_OFF: Case = Case {
    label: "SMP off",
    flags: "-smp disable",
    flags_of_others: Some("+S 1:1"),
    ..DEFAULT
};

const ONE: Case = Case {
    label: "one scheduler",
    flags: "+S 1:1",
    ..DEFAULT
};

/// When a run is over.
#[derive(Clone, Copy)]
pub enum Ends {
    ByItself,
    /// This long after it has said this. From then to the end is what is measured from outside.
    After {
        says: &'static str,
        quick: Duration,
        full: Duration,
    },
}

/// Something read from a run.
#[derive(Clone, Copy)]
pub struct Figure {
    pub label: &'static str,
    pub source: Source,
    /// What makes the number found into the unit.
    pub scale: Scale,
    pub unit: Unit,
    pub better: Better,
    /// What the growth from size to size is called, where that is a figure of its own.
    pub slope: Option<&'static str>,
}

const TIMED: Figure = Figure {
    label: "time",
    source: Source::Printed("timed: "),
    scale: Scale::By(1e-6),
    unit: Unit::Seconds,
    better: Better::Less,
    slope: None,
};

/// `timed: ` as so many a second.
const RATE: Figure = Figure {
    label: "rate",
    scale: Scale::SizePer(1e-6),
    unit: Unit::PerSecond,
    better: Better::More,
    ..TIMED
};

/// What connections on which nothing happens hold.
const CONNECTIONS: Figure = Figure {
    label: "resident memory",
    source: Source::Resident,
    scale: Scale::By(1.0),
    unit: Unit::Bytes,
    better: Better::Less,
    slope: Some("memory of one connection"),
};

/// `timed: ` as so much for each one.
const EACH: Figure = Figure {
    label: "each",
    scale: Scale::PerSize(1.0),
    unit: Unit::Micros,
    ..TIMED
};

#[derive(Clone, Copy, PartialEq)]
pub enum Source {
    /// The number that the program prints right after this.
    Printed(&'static str),
    /// Seconds from the start of the VM to its end.
    Wall,
    /// Seconds of processor time, the kernel's part included.
    Cpu,
    /// Bytes of resident memory at the end.
    Resident,
    /// Processor time used by the VM while measured, in percent of one processor.
    CpuUsed,
    /// Average load of the least loaded processor while measured, in percent.
    LeastLoaded,
    /// Context switches of the VM's threads, a second.
    Switches,
}

#[derive(Clone, Copy)]
pub enum Scale {
    /// The number times this.
    By(f64),
    /// The number times this, divided by the size.
    PerSize(f64),
    /// The size, divided by the number times this.
    SizePer(f64),
}

impl Scale {
    pub fn apply(self, number: f64, size: u64) -> f64 {
        let size = size as f64;
        match self {
            Scale::By(factor) => number * factor,
            Scale::PerSize(factor) => number * factor / size,
            Scale::SizePer(factor) => size / (number * factor),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Seconds,
    Millis,
    Micros,
    PerSecond,
    BytesPerSecond,
    Bytes,
    Percent,
    Count,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Less,
    More,
    /// A fact that is shown, not a contest.
    Neither,
}

/// A figure that the author of the experiment published.
#[derive(Clone, Copy)]
pub struct Published {
    /// The label of the figure, the label of the case, and the size.
    pub figure: &'static str,
    pub case: &'static str,
    pub size: u64,
    /// In the figure's unit.
    pub value: f64,
    /// What to know about it, if anything.
    pub note: &'static str,
}

/// Every experiment, in the order in which they are run and shown.
pub fn all() -> Vec<Experiment> {
    let mut rows: Vec<Experiment> = published::ROWS.to_vec();
    rows.extend_from_slice(everyday::ROWS);
    rows.extend_from_slice(served::ROWS);
    rows.extend(compute::rows());
    rows.extend_from_slice(tables::ROWS);
    rows.extend_from_slice(answers::ROWS);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_can_be_named_and_run() {
        let mut keys = HashSet::new();
        for row in all() {
            let key = row.key();
            assert!(keys.insert(key.clone()), "{key} is there twice");
            assert!(!row.about.is_empty() && !row.figures.is_empty(), "{key}");
            assert!(row.cases.iter().any(|case| case.in_quick), "{key}");
            assert_eq!(
                row.command.contains("{N}"),
                !row.full.is_empty(),
                "{key}: a command with a size needs sizes"
            );
            assert_eq!(
                row.command.contains("{PROGRAM}"),
                row.program.is_some(),
                "{key}"
            );
            assert_eq!(row.quick.is_empty(), row.full.is_empty(), "{key}");
            for sizes in [row.quick, row.full] {
                assert!(sizes.is_sorted(), "{key}: sizes ascend");
            }
        }
    }

    #[test]
    fn every_published_figure_belongs_to_a_case_and_a_figure() {
        for row in all() {
            for published in row.published {
                let what = format!("{} {}", row.key(), published.figure);
                assert!(
                    row.figures
                        .iter()
                        .any(|f| f.label == published.figure || f.slope == Some(published.figure)),
                    "{what}"
                );
                assert!(
                    row.cases.iter().any(|c| c.label == published.case),
                    "{what}"
                );
                assert!(published.value > 0.0, "{what}");
            }
        }
    }

    #[test]
    fn scales_make_units() {
        assert_eq!(Scale::By(1e-6).apply(2e6, 10), 2.0);
        assert_eq!(Scale::PerSize(1.0).apply(50.0, 10), 5.0);
        assert_eq!(Scale::SizePer(1e-6).apply(1e6, 300), 300.0);
    }
}
