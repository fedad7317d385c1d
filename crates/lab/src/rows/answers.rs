//! How long a process waits for its turn on the only scheduler while another process calls a built-in function with a
//! large argument. `answers.erl` says how that is measured.

use crate::experiment::{Experiment, Figure, Group, ONE, PLAIN, Unit, printed_micros};

const fn wait(label: &'static str, prefix: &'static str) -> Figure {
    printed_micros(label, prefix, Unit::Millis)
}

/// The size is in megabytes.
const WHILE: Experiment = Experiment {
    group: Group::Answers,
    cases: &[ONE],
    quick: &[20],
    full: &[20, 100],
    ..PLAIN
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "lists",
        about: "One process works on a large list; another wants to run every millisecond: how late it is at worst.",
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
        about: "The same with a large binary.",
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
