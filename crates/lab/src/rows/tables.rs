//! ETS: a row for each type of table and each way to share it; the operations are its figures. `tables.erl` says what the
//! ways are.

use super::{Case, DEFAULT, EACH, Experiment, Figure, Group, ONE, PLAIN, Source};

const TWO: Case = Case {
    label: "two schedulers",
    flags: "+S 2:2",
    ..DEFAULT
};

const fn operation(label: &'static str, line: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(line),
        ..EACH
    }
}

/// Of a bag; it has no counters.
const OPERATIONS: &[Figure] = &[
    operation("insert", "insert: "),
    operation("lookup", "lookup: "),
    operation("member", "member: "),
    operation("select", "select: "),
    operation("match", "match: "),
    operation("next", "next: "),
    operation("delete", "delete: "),
];

const WITH_COUNTERS: &[Figure] = &[
    operation("insert", "insert: "),
    operation("lookup", "lookup: "),
    operation("member", "member: "),
    operation("update_counter", "update_counter: "),
    operation("select", "select: "),
    operation("match", "match: "),
    operation("next", "next: "),
    operation("delete", "delete: "),
];

const TABLE: Experiment = Experiment {
    group: Group::Tables,
    quick: &[100_000],
    full: &[20_000, 200_000, 1_000_000],
    figures: WITH_COUNTERS,
    in_quick: false,
    ..PLAIN
};

pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "set",
        about: "One process and a set; the time of one operation, or for each object.",
        command: "-s tables time set one {N} -s erlang halt",
        cases: &[
            ONE,
            Case {
                in_quick: false,
                ..TWO
            },
        ],
        in_quick: true,
        ..TABLE
    },
    Experiment {
        name: "set_shared",
        about: "Two processes and one set as it is by default.",
        command: "-s tables time set shared {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "set_concurrent",
        about: "Two processes and one set with all options for concurrency.",
        command: "-s tables time set concurrent {N} -s erlang halt",
        cases: &[TWO],
        in_quick: true,
        ..TABLE
    },
    Experiment {
        name: "set_own",
        about: "Two processes, each with a set of its own.",
        command: "-s tables time set own {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "ordered_set",
        about: "One process and an ordered set.",
        command: "-s tables time ordered_set one {N} -s erlang halt",
        cases: &[ONE, TWO],
        ..TABLE
    },
    Experiment {
        name: "ordered_set_shared",
        about: "Two processes and one ordered set as it is by default.",
        command: "-s tables time ordered_set shared {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "ordered_set_concurrent",
        about: "Two processes and one ordered set with all options for concurrency.",
        command: "-s tables time ordered_set concurrent {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "ordered_set_own",
        about: "Two processes, each with an ordered set of its own.",
        command: "-s tables time ordered_set own {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "bag",
        about: "One process and a bag with four objects for each key.",
        command: "-s tables time bag one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "bag_shared",
        about: "Two processes and one bag as it is by default.",
        command: "-s tables time bag shared {N} -s erlang halt",
        cases: &[TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "bag_concurrent",
        about: "Two processes and one bag with all options for concurrency.",
        command: "-s tables time bag concurrent {N} -s erlang halt",
        cases: &[TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "bag_own",
        about: "Two processes, each with a bag of its own.",
        command: "-s tables time bag own {N} -s erlang halt",
        cases: &[TWO],
        figures: OPERATIONS,
        ..TABLE
    },
];
