//! Answers: how long one process waits for its turn while another is at something large, with one scheduler.
//! `answers.erl` says how that is found out.

use super::{Experiment, Figure, Group, ONE, PLAIN, Scale, Source, TIMED, Unit};

const fn wait(label: &'static str, line: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(line),
        scale: Scale::By(1e-3),
        unit: Unit::Millis,
        ..TIMED
    }
}

/// The size is in megabytes.
const WHILE: Experiment = Experiment {
    group: Group::Answers,
    cases: &[ONE],
    quick: &[20],
    full: &[20, 100],
    ..PLAIN
};

pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "lists",
        about: "Another process is at a list of so many megabytes: by how much one that wants to run every millisecond is late.",
        command: "-s answers while lists {N} -s erlang halt",
        figures: &[
            wait("append", "append: "),
            wait("subtract", "subtract: "),
            wait("reverse", "reverse: "),
            wait("sort", "sort: "),
            wait("map", "map: "),
            wait("hash", "hash: "),
            wait("encode", "encode: "),
            wait("collect", "collect: "),
        ],
        ..WHILE
    },
    Experiment {
        name: "binaries",
        about: "The same with a binary of so many megabytes.",
        command: "-s answers while binaries {N} -s erlang halt",
        figures: &[
            wait("match", "match: "),
            wait("matches", "matches: "),
            wait("split", "split: "),
            wait("to_list", "to_list: "),
            wait("characters", "characters: "),
            wait("run", "run: "),
            wait("md5", "md5: "),
            wait("hash", "hash: "),
            wait("copy", "copy: "),
        ],
        ..WHILE
    },
];
