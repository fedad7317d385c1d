//! What an experiment is: a command line, cases, sizes, and the figures that are read from its runs.
//!
//! An experiment is a command line that contains a size. It is run in one or more cases (sets of flags) and at one or
//! more sizes, and each run gives one or more figures. These are types, and the cases and figures that several rows
//! share; the experiments themselves are in `rows`.

use std::time::Duration;

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Experiment {
    pub group: Group,
    /// Unique within the group.
    pub name: &'static str,
    /// One sentence: what happens, and what the figure means.
    pub about: &'static str,
    /// The arguments after the flags and `-noshell`. `{N}` is replaced by the size, `{NAME}` by the row's name,
    /// `{FERL}` by the path of this executable, `{PEER}` by the program of another node and `{PROGRAM}` by the path of
    /// `program`.
    pub command: &'static str,
    /// A program that the experiment needs besides the VM.
    pub program: Option<Program>,
    /// What must be installed besides.
    pub needs: &'static [Need],
    /// A service is started and measured by `ferl lab --service`, and `command` is what that gets: the service and its
    /// arguments.
    pub is_service: bool,
    pub cases: &'static [Case],
    /// Sizes of the quick and of the full set, ascending; both empty if the experiment has no size.
    pub quick: &'static [u64],
    pub full: &'static [u64],
    pub ends: Ends,
    /// How much longer a run takes than most, because it rests or is large. It may take, and is expected to take, that
    /// much more.
    pub extra_time: Duration,
    /// How much longer than that a run may take where the host is busy, because much is started for it.
    pub patience: Duration,
    pub figures: &'static [Figure],
    pub published: &'static [Published],
    /// The smallest set that contains this row.
    pub set: Set,
    /// The size is a number of processes alive at the same time, so a large one needs `+P`.
    pub many_processes: bool,
    /// Record the load of each processor over time.
    pub shows_load: bool,
    /// In the full set, count the system calls in a separate run under `strace`.
    pub counts_calls: bool,
}

/// A third-party program, and the Debian package that contains it.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub name: &'static str,
    pub package: &'static str,
}

/// A file or folder that an experiment needs, and the Debian package that contains it.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    pub name: &'static str,
    /// A path in which `*` stands for any part of a name, and `{OTP}` for the folder of the OTP that is compared with;
    /// or the name of a program.
    pub place: &'static str,
    pub package: &'static str,
}

/// Why a row cannot be run that needs what is called so and is in that package.
pub(crate) fn is_missing(name: &str, package: &str) -> String {
    format!("{name} is not installed: apt-get install {package}")
}

pub(crate) const ELIXIR: Program = Program {
    name: "elixir",
    package: "elixir",
};

/// The defaults of a row.
pub(crate) const PLAIN: Experiment = Experiment {
    group: Group::Everyday,
    name: "",
    about: "",
    command: "",
    program: None,
    needs: &[],
    is_service: false,
    cases: &[DEFAULT],
    quick: &[],
    full: &[],
    ends: Ends::ByItself,
    extra_time: Duration::ZERO,
    patience: Duration::ZERO,
    figures: &[],
    published: &[],
    set: Set::Quick,
    many_processes: false,
    shows_load: false,
    counts_calls: false,
};

impl Experiment {
    /// The name used on the command line and in results: `E1/start`.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.group.key(), self.name)
    }

    /// The sizes to run. The headline set takes the largest quick size, and the smallest as well where a figure is
    /// computed from the growth between sizes.
    pub(crate) fn sizes(&self, set: Set) -> Vec<u64> {
        match (set, self.quick) {
            (Set::Full, _) => self.full.to_vec(),
            (Set::Headline, [first, .., last]) => {
                if self.figures.iter().any(|figure| figure.slope.is_some()) {
                    vec![*first, *last]
                } else {
                    vec![*last]
                }
            }
            (Set::Headline | Set::Quick, sizes) => sizes.to_vec(),
        }
    }
}

/// Which selection of rows, cases and sizes is run. Each set contains the rows and cases of those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Set {
    /// E1 to E5 and a few more, within two minutes.
    Headline,
    /// A few minutes on two processors.
    Quick,
    /// The sizes that the authors published; takes hours if memory suffices for all of them.
    Full,
}

impl Set {
    /// As written in results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Set::Headline => "headline",
            Set::Quick => "quick",
            Set::Full => "full",
        }
    }
}

/// A family of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    Creation,
    Load,
    Ports,
    Cost,
    Messages,
    Between,
    Everyday,
    Processes,
    Compute,
    Tables,
    Answers,
    Pauses,
    /// Calls of native libraries, and what rests on them: crypto, TLS.
    Native,
    Tracing,
    /// What users run: brokers, servers, compilers.
    Services,
}

impl Group {
    pub(crate) const ALL: [Group; 15] = [
        Group::Creation,
        Group::Load,
        Group::Ports,
        Group::Cost,
        Group::Messages,
        Group::Between,
        Group::Everyday,
        Group::Processes,
        Group::Compute,
        Group::Tables,
        Group::Answers,
        Group::Pauses,
        Group::Native,
        Group::Tracing,
        Group::Services,
    ];

    pub(crate) fn key(self) -> &'static str {
        match self {
            Group::Creation => "E1",
            Group::Load => "E2",
            Group::Ports => "E3",
            Group::Cost => "E4",
            Group::Messages => "E5",
            Group::Between => "E6",
            Group::Everyday => "everyday",
            Group::Processes => "processes",
            Group::Compute => "compute",
            Group::Tables => "tables",
            Group::Answers => "answers",
            Group::Pauses => "pauses",
            Group::Native => "native",
            Group::Tracing => "tracing",
            Group::Services => "services",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Group::Creation => "Creating processes, with SMP on and off",
            Group::Load => "Load of each processor, and memory of many processes",
            Group::Ports => "External programs behind ports",
            Group::Cost => "The cost of creating one process",
            Group::Messages => "Messages between processes",
            Group::Between => "Between nodes",
            Group::Everyday => "Everyday work",
            Group::Processes => {
                "Processes as programs have them: servers, machines, supervisors, timers"
            }
            Group::Compute => "Ordinary programs in one process",
            Group::Tables => "ETS tables",
            Group::Answers => "Latency beside a long-running built-in function",
            Group::Pauses => "Pauses while the machine works for one process",
            Group::Native => "Native libraries: crypto and TLS",
            Group::Tracing => "Tracing",
            Group::Services => "Services: what a server costs that clients or users put to work",
        }
    }

    /// Whether it is one of the five published experiments, whose authors gave figures.
    pub(crate) fn is_published(self) -> bool {
        self.published_on().is_some()
    }

    /// `E1: Creating processes...`
    pub(crate) fn heading(self) -> String {
        if self.is_published() || self == Group::Between {
            format!("{}: {}", self.key(), self.title())
        } else {
            self.title().to_owned()
        }
    }

    /// Whether the mean of the ratios of its lines says something: its rows measure the same sort of thing.
    pub(crate) fn has_mean(self) -> bool {
        matches!(
            self,
            Group::Compute | Group::Tables | Group::Answers | Group::Pauses
        )
    }

    pub(crate) fn of_key(key: &str) -> Option<Group> {
        Group::ALL
            .into_iter()
            .find(|group| group.key().eq_ignore_ascii_case(key))
    }

    /// The hardware on which the published figures were measured.
    pub(crate) fn published_on(self) -> Option<&'static str> {
        match self {
            Group::Creation => Some("4 cores of 2.4 GHz under Xen, +S 4:4"),
            Group::Load => Some("4 Xeon E7-4820 with 64 logical processors, 125 GB"),
            Group::Ports => Some("2 cores of 2.5 GHz"),
            Group::Cost => Some("OTP 19 on 24 cores, 64 GB"),
            Group::Messages => Some("Pentium 4 of 2.8 GHz; Pentium E5200 of 2.5 GHz"),
            Group::Between
            | Group::Everyday
            | Group::Processes
            | Group::Compute
            | Group::Tables
            | Group::Answers
            | Group::Pauses
            | Group::Native
            | Group::Tracing
            | Group::Services => None,
        }
    }
}

/// One way to start the VM.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub label: &'static str,
    /// Emulator flags. `{CPUS}` is replaced by the number of processors, `{TWICE}` by twice that number.
    pub flags: &'static str,
    /// The flags for other VMs, if they differ: stock `erl` refuses `-smp disable` since OTP 24.
    pub flags_of_others: Option<&'static str>,
    /// The program of the other node, for experiments between nodes, if it is not the VM itself.
    pub peer: Option<&'static str>,
    /// A command, such as `taskset`, that starts the VM.
    pub under: &'static [&'static str],
    /// The smallest set that contains this case.
    pub set: Set,
}

pub(crate) const DEFAULT: Case = Case {
    label: "",
    flags: "",
    flags_of_others: None,
    peer: None,
    under: &[],
    set: Set::Headline,
};

pub(crate) const SMP_ON: Case = Case {
    label: "SMP on",
    flags: "+S {CPUS}:{CPUS}",
    ..DEFAULT
};

pub(crate) const SMP_OFF: Case = Case {
    label: "SMP off",
    flags: "-smp disable",
    flags_of_others: Some("+S 1:1"),
    ..DEFAULT
};

pub(crate) const ONE: Case = Case {
    label: "one scheduler",
    flags: "+S 1:1",
    ..DEFAULT
};

pub(crate) const TWO: Case = Case {
    label: "two schedulers",
    flags: "+S 2:2",
    ..DEFAULT
};

/// When a run ends.
#[derive(Clone, Copy)]
pub(crate) enum Ends {
    ByItself,
    /// The lab ends the run this long after the program has printed `says`. What the lab measures from outside is the
    /// time in between.
    After {
        says: &'static str,
        quick: Duration,
        full: Duration,
    },
}

impl Ends {
    /// The text that begins the measured part, and how long that lasts; `None` if the run ends by itself.
    pub(crate) fn measured_part(self, set: Set) -> Option<(&'static str, Duration)> {
        match (self, set) {
            (Ends::ByItself, _) => None,
            (Ends::After { says, full, .. }, Set::Full) => Some((says, full)),
            (Ends::After { says, quick, .. }, _) => Some((says, quick)),
        }
    }
}

/// A number read from a run.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    pub label: &'static str,
    pub source: Source,
    /// Converts the number to the unit.
    pub scale: Scale,
    pub unit: Unit,
    pub better: Better,
    /// The label of the growth from size to size, if that is a figure too.
    pub slope: Option<&'static str>,
}

pub(crate) const TIMED: Figure = printed_micros("time", "timed: ", Unit::Seconds);

/// A time that the program prints in microseconds after `prefix`, shown in `unit`; less is better.
pub(crate) const fn printed_micros(
    label: &'static str,
    prefix: &'static str,
    unit: Unit,
) -> Figure {
    let factor = match unit {
        Unit::Seconds => 1e-6,
        Unit::Millis => 1e-3,
        _ => 1.0,
    };
    Figure {
        label,
        source: Source::Printed(prefix),
        scale: Scale::By(factor),
        unit,
        better: Better::Less,
        slope: None,
    }
}

/// The number of operations a second, from the time after `timed: `.
pub(crate) const RATE: Figure = Figure {
    label: "rate",
    scale: Scale::SizePer(1e-6),
    unit: Unit::PerSecond,
    better: Better::More,
    ..TIMED
};

/// The memory that idle connections hold.
pub(crate) const CONNECTIONS: Figure = Figure {
    label: "resident memory",
    source: Source::Resident,
    scale: Scale::By(1.0),
    unit: Unit::Bytes,
    better: Better::Less,
    slope: Some("memory of one connection"),
};

/// The time of one operation, from the time after `timed: `.
pub(crate) const EACH: Figure = Figure {
    label: "each",
    scale: Scale::PerSize(1.0),
    unit: Unit::Micros,
    ..TIMED
};

/// Where a figure comes from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// The number that the program prints right after this text.
    Printed(&'static str),
    /// Seconds from the start of the VM to its end.
    Wall,
    /// Seconds of processor time, user and system.
    Cpu,
    /// Bytes of resident memory at the end.
    Resident,
    /// Processor time used by the VM during the measured part, in percent of one processor.
    CpuUsed,
    /// Average load, in percent, of the least loaded processor during the measured part.
    LeastLoaded,
    /// Context switches of the VM's threads per second.
    Switches,
}

#[derive(Clone, Copy)]
pub(crate) enum Scale {
    /// The number times this.
    By(f64),
    /// The number times this, divided by the size.
    PerSize(f64),
    /// The size, divided by the number times this.
    SizePer(f64),
}

impl Scale {
    pub(crate) fn apply(self, number: f64, size: u64) -> f64 {
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
pub(crate) enum Unit {
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
pub(crate) enum Better {
    Less,
    More,
    /// The figure is shown, but not compared.
    Neither,
}

impl Better {
    /// Whether VMs are compared by the figure.
    pub(crate) fn is_compared(self) -> bool {
        self != Better::Neither
    }
}

/// A figure published by the author of the experiment.
#[derive(Clone, Copy)]
pub(crate) struct Published {
    /// The label of the figure, the label of the case, and the size.
    pub figure: &'static str,
    pub case: &'static str,
    pub size: u64,
    /// In the unit of the figure.
    pub value: f64,
    /// A remark to show beside it, or an empty string.
    pub note: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_make_units() {
        assert_eq!(Scale::By(1e-6).apply(2e6, 10), 2.0);
        assert_eq!(Scale::PerSize(1.0).apply(50.0, 10), 5.0);
        assert_eq!(Scale::SizePer(1e-6).apply(1e6, 300), 300.0);
    }
}
