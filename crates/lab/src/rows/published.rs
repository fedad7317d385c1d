//! E1 to E5: five public write-ups (2006 to 2016), with their authors' module names, arguments, flags and figures. Each
//! author measured on other hardware, so the published figures are shown beside ours but never compared with them.

use crate::experiment::{
    Better, Case, DEFAULT, Ends, Experiment, Figure, Group, ONE, PLAIN, Published, SMP_OFF, SMP_ON,
    Scale, Set, Source, TIMED, Unit, printed_micros,
};
use std::time::Duration;

const fn figure(label: &'static str, case: &'static str, size: u64, value: f64) -> Published {
    Published {
        figure: label,
        case,
        size,
        value,
        note: "",
    }
}

/// One scheduler, in the full set only.
const ONE_IN_FULL: Case = Case {
    set: Set::Full,
    ..ONE
};

const FULL: Case = Case {
    set: Set::Full,
    ..DEFAULT
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        group: Group::Creation,
        name: "start",
        set: Set::Headline,
        about: "A chain of processes: each creates the next, sends it a message, waits for a message and ends.",
        command: "-s timed tc create_process start {N} -s erlang halt",
        cases: &[SMP_ON, SMP_OFF],
        quick: &[30_000, 100_000, 300_000],
        full: &[100_000, 1_000_000, 10_000_000],
        figures: &[TIMED],
        published: &[
            figure("time", "SMP on", 100_000, 0.235),
            figure("time", "SMP on", 1_000_000, 2.28),
            figure("time", "SMP on", 10_000_000, 23.3),
            figure("time", "SMP off", 100_000, 0.121),
            Published {
                note: "the transcript passes 10 and 100 million, the article reports 1 and 10 million",
                ..figure("time", "SMP off", 1_000_000, 1.23)
            },
            figure("time", "SMP off", 10_000_000, 12.2),
        ],
        ..PLAIN
    },
    Experiment {
        group: Group::Creation,
        name: "start_wo_msg",
        set: Set::Headline,
        about: "One process creates many others, which end immediately.",
        command: "-s timed tc create_process start_wo_msg {N} -s erlang halt",
        cases: &[
            SMP_ON,
            SMP_OFF,
            Case {
                label: "one online",
                flags: "+S {CPUS}:1",
                ..FULL
            },
            ONE_IN_FULL,
            Case {
                label: "one, +sbt ns",
                flags: "+S 1:1 +sbt ns",
                ..ONE_IN_FULL
            },
            Case {
                label: "one, +sbt ts",
                flags: "+S 1:1 +sbt ts",
                ..ONE_IN_FULL
            },
            Case {
                label: "one, +sbt ps",
                flags: "+S 1:1 +sbt ps",
                ..ONE_IN_FULL
            },
            Case {
                label: "one, taskset",
                flags: "+S 1:1",
                under: &["taskset", "--cpu-list", "0"],
                ..ONE_IN_FULL
            },
        ],
        quick: &[30_000, 100_000, 300_000],
        full: &[100_000, 1_000_000, 10_000_000],
        figures: &[TIMED],
        published: &[
            figure("time", "SMP on", 100_000, 0.252),
            figure("time", "SMP on", 1_000_000, 2.21),
            figure("time", "SMP on", 10_000_000, 21.8),
            figure("time", "SMP off", 100_000, 0.116),
            figure("time", "SMP off", 1_000_000, 1.13),
            figure("time", "SMP off", 10_000_000, 10.4),
            figure("time", "one online", 100_000, 0.196),
            figure("time", "one online", 1_000_000, 1.82),
            figure("time", "one online", 10_000_000, 18.5),
            figure("time", "one scheduler", 100_000, 0.183),
            figure("time", "one scheduler", 1_000_000, 1.71),
            figure("time", "one scheduler", 10_000_000, 16.9),
        ],
        ..PLAIN
    },
    Experiment {
        group: Group::Load,
        name: "load",
        set: Set::Headline,
        about: "Processes that compute without pause: all processors must be equally busy without any placement by the program.",
        command: "-s timed tc test start_proc {N}",
        cases: &[
            Case {
                label: "default",
                ..DEFAULT
            },
            Case {
                label: "twice the schedulers",
                flags: "+S {TWICE}:{TWICE}",
                ..FULL
            },
            Case {
                label: "one online",
                flags: "+S {CPUS}:1",
                set: Set::Quick,
                ..DEFAULT
            },
        ],
        quick: &[5_000],
        full: &[50_000],
        ends: Ends::After {
            says: "timed: ",
            quick: Duration::from_millis(1200),
            full: Duration::from_secs(10),
        },
        figures: &[
            Figure {
                label: "processors used",
                source: Source::CpuUsed,
                scale: Scale::By(1.0),
                unit: Unit::Percent,
                better: Better::Neither,
                slope: None,
            },
            Figure {
                label: "least loaded core",
                source: Source::LeastLoaded,
                scale: Scale::By(1.0),
                unit: Unit::Percent,
                better: Better::Neither,
                slope: None,
            },
        ],
        many_processes: true,
        shows_load: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Load,
        name: "files",
        about: "A new process every millisecond; each appends 24 bytes to its own file, reads and closes it.",
        command: "-s timed tc testio start_proc {N} -s erlang halt",
        quick: &[200],
        full: &[10_000],
        figures: &[
            Figure {
                label: "processor time each",
                source: Source::Cpu,
                scale: Scale::PerSize(1e6),
                unit: Unit::Micros,
                better: Better::Less,
                slope: None,
            },
            Figure {
                label: "context switches",
                source: Source::Switches,
                scale: Scale::By(1.0),
                unit: Unit::PerSecond,
                better: Better::Neither,
                slope: None,
            },
        ],
        shows_load: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Load,
        name: "memory",
        set: Set::Headline,
        about: "Processes that are created and then wait: how much memory the VM needs for them, and how long creating them takes.",
        command: "-s timed waiting {N}",
        quick: &[50_000, 100_000, 200_000],
        full: &[100_000, 1_000_000, 3_000_000, 10_000_000, 55_164_851],
        ends: Ends::After {
            says: "waiting: ",
            quick: Duration::from_millis(150),
            full: Duration::from_secs(1),
        },
        figures: &[
            Figure {
                label: "resident memory",
                source: Source::Resident,
                scale: Scale::By(1.0),
                unit: Unit::Bytes,
                better: Better::Less,
                slope: Some("memory of one process"),
            },
            TIMED,
        ],
        published: &[
            figure("resident memory", "", 100_000, 299e6),
            figure("resident memory", "", 1_000_000, 2.7e9),
            figure("resident memory", "", 10_000_000, 27.2e9),
            figure("resident memory", "", 55_164_851, 132e9),
            figure("memory of one process", "", 0, 2667.0),
            Published {
                note: "printed as 12.3 s",
                ..figure("time", "", 100_000, 1.23)
            },
            figure("time", "", 1_000_000, 6.8),
            figure("time", "", 10_000_000, 57.6),
            figure("time", "", 55_164_851, 400.0),
        ],
        many_processes: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Ports,
        name: "pipe_ring",
        set: Set::Headline,
        about: "Eight rings of ten processes, each process with a port to /bin/cat: a number is passed around through the programs.",
        command: "+Bd +K true -s pipe_ring start 10 {N} 8",
        cases: &[
            SMP_OFF,
            SMP_ON,
            Case {
                label: "SMP on, +spp true",
                flags: "+S {CPUS}:{CPUS} +spp true",
                ..FULL
            },
        ],
        quick: &[1_000],
        full: &[100_000],
        figures: &[
            Figure {
                label: "messages",
                source: Source::Printed("us each, "),
                scale: Scale::By(1.0),
                unit: Unit::PerSecond,
                better: Better::More,
                slope: None,
            },
            printed_micros("opening a port", "each in ", Unit::Micros),
            Figure {
                label: "context switches",
                source: Source::Switches,
                scale: Scale::By(1.0),
                unit: Unit::PerSecond,
                better: Better::Neither,
                slope: None,
            },
        ],
        published: &[
            figure("messages", "SMP off", 100_000, 34_546.0),
            figure("opening a port", "SMP off", 100_000, 1000.0),
            figure("context switches", "SMP off", 100_000, 60_000.0),
        ],
        counts_calls: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Ports,
        name: "starting",
        set: Set::Headline,
        about: "Starting an external program and waiting for its end while many processes wait: the time must not grow with their number.",
        command: "-s port_start start {N}",
        quick: &[1, 200_000],
        full: &[1, 1_000_000, 3_000_000],
        figures: &[printed_micros("each", "programs, ", Unit::Micros)],
        many_processes: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Cost,
        name: "limit",
        set: Set::Headline,
        about: "Processes are created, wait, and are told to end: the time to create one.",
        command: "-s timed tc measure_processes limit {N} -s erlang halt",
        quick: &[10_000, 50_000, 200_000],
        full: &[
            10_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 20_000_000, 25_000_000,
        ],
        figures: &[
            printed_micros("elapsed", "(", Unit::Micros),
            printed_micros("processor time", "time = ", Unit::Micros),
            Figure {
                label: "limit",
                source: Source::Printed("processes: "),
                scale: Scale::By(1.0),
                unit: Unit::Count,
                better: Better::Neither,
                slope: None,
            },
        ],
        published: &[
            figure("processor time", "", 10_000, 2.0),
            figure("processor time", "", 500_000, 3.52),
            figure("processor time", "", 1_000_000, 3.86),
            figure("processor time", "", 5_000_000, 5.262),
            figure("processor time", "", 10_000_000, 5.782),
            figure("processor time", "", 20_000_000, 7.579),
            figure("processor time", "", 25_000_000, 5.973),
            figure("elapsed", "", 10_000, 5.1),
            figure("elapsed", "", 500_000, 3.998),
            figure("elapsed", "", 1_000_000, 4.094),
            figure("elapsed", "", 5_000_000, 5.487),
            figure("elapsed", "", 10_000_000, 5.891),
            figure("elapsed", "", 20_000_000, 8.610),
            Published {
                note: "30 million were killed by the kernel at 64.8 GB",
                ..figure("elapsed", "", 25_000_000, 7.521)
            },
            figure("limit", "", 10_000, 262_144.0),
            figure("limit", "", 500_000, 524_288.0),
            figure("limit", "", 1_000_000, 1_048_576.0),
            figure("limit", "", 5_000_000, 8_388_608.0),
            figure("limit", "", 10_000_000, 16_777_216.0),
            figure("limit", "", 20_000_000, 33_554_432.0),
            figure("limit", "", 25_000_000, 33_554_432.0),
        ],
        many_processes: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Messages,
        name: "oneway",
        set: Set::Headline,
        about: "Messages from one process to another, as fast as possible.",
        command: "-s timed tc ipctest oneway {N} -s erlang halt",
        cases: &[SMP_ON, SMP_OFF],
        quick: &[1_000_000],
        full: &[10_000_000],
        figures: &[RATE_OF_IPCTEST],
        published: &[Published {
            note: "Pentium 4",
            ..figure("rate", "SMP off", 10_000_000, 3.4e6)
        }],
        counts_calls: true,
        ..PLAIN
    },
    Experiment {
        group: Group::Messages,
        name: "pingpong",
        set: Set::Headline,
        about: "Round trips of a message between two processes.",
        command: "-s timed tc ipctest pingpong {N} -s erlang halt",
        cases: &[
            SMP_ON,
            SMP_OFF,
            Case {
                label: "SMP off, +K true",
                flags: "-smp disable +K true",
                flags_of_others: Some("+S 1:1 +K true"),
                ..FULL
            },
        ],
        quick: &[300_000],
        full: &[10_000_000],
        figures: &[RATE_OF_IPCTEST],
        published: &[
            Published {
                note: "Pentium E5200",
                ..figure("rate", "SMP on", 10_000_000, 709_320.0)
            },
            Published {
                note: "Pentium E5200",
                ..figure("rate", "SMP off", 10_000_000, 2_695_648.0)
            },
            Published {
                note: "Pentium E5200",
                ..figure("rate", "SMP off, +K true", 10_000_000, 2_801_110.0)
            },
        ],
        counts_calls: true,
        ..PLAIN
    },
];

/// The rate that `ipctest` prints.
const RATE_OF_IPCTEST: Figure = Figure {
    label: "rate",
    source: Source::Printed("us, "),
    scale: Scale::By(1.0),
    unit: Unit::PerSecond,
    better: Better::More,
    slope: None,
};
