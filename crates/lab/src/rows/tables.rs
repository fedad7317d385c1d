//! ETS: a row for each type of table and each way to share it; the operations are its figures. `tables.erl` says what the
//! ways are, `table_chores.erl` what the other operations. And what else processes share: `shared_values.erl`.

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

/// What `table_chores.erl` does with a set.
const CHORES: &[Figure] = &[
    operation("insert_again", "insert_again: "),
    operation("insert_large", "insert_large: "),
    operation("lookup_large", "lookup_large: "),
    operation("delete_large", "delete_large: "),
    operation("insert_list", "insert_list: "),
    operation("lookup", "lookup: "),
    operation("lookup_element", "lookup_element: "),
    operation("update_element", "update_element: "),
    operation("update_value", "update_value: "),
    operation("match_object", "match_object: "),
    operation("select_count", "select_count: "),
    operation("select_some", "select_some: "),
    operation("chunks", "chunks: "),
    operation("tab2list", "tab2list: "),
    operation("foldl", "foldl: "),
    operation("select_delete", "select_delete: "),
    operation("insert_new", "insert_new: "),
    operation("take", "take: "),
];

/// What it does with a bag.
const BAG_CHORES: &[Figure] = &[
    operation("insert_again", "insert_again: "),
    operation("lookup", "lookup: "),
    operation("lookup_element", "lookup_element: "),
    operation("match_object", "match_object: "),
    operation("select_count", "select_count: "),
    operation("tab2list", "tab2list: "),
    operation("foldl", "foldl: "),
    operation("delete_object", "delete_object: "),
    operation("crowd_insert_again", "crowd_insert_again: "),
    operation("crowd_delete_object", "crowd_delete_object: "),
    operation("take", "take: "),
];

const READING: &[Figure] = &[
    operation("lookup", "lookup: "),
    operation("lookup_element", "lookup_element: "),
    operation("match_object", "match_object: "),
];

const COUNTED: &[Figure] = &[
    operation("insert_again", "insert_again: "),
    operation("take", "take: "),
    operation("insert_new", "insert_new: "),
    operation("update_element", "update_element: "),
    operation("size", "size: "),
];

const MANY: &[Figure] = &[
    operation("new", "new: "),
    operation("first_insert", "first_insert: "),
    operation("delete", "delete: "),
    operation("owner_ends", "owner_ends: "),
];

const SHARED_VALUES: &[Figure] = &[
    operation("atomics_add", "atomics_add: "),
    operation("atomics_add_get", "atomics_add_get: "),
    operation("atomics_get", "atomics_get: "),
    operation("atomics_put", "atomics_put: "),
    operation("atomics_exchange", "atomics_exchange: "),
    operation("counters_add", "counters_add: "),
    operation("counters_get", "counters_get: "),
    operation("loose_add", "loose_add: "),
    operation("loose_get", "loose_get: "),
    operation("term_of_atom", "term_of_atom: "),
    operation("term_of_tuple", "term_of_tuple: "),
    operation("term_default", "term_default: "),
    operation("term_put", "term_put: "),
];

const TABLE: Experiment = Experiment {
    group: Group::Tables,
    quick: &[100_000],
    full: &[20_000, 200_000, 1_000_000],
    figures: WITH_COUNTERS,
    in_quick: false,
    ..PLAIN
};

const CHORE: Experiment = Experiment {
    quick: &[50_000],
    full: &[50_000, 500_000],
    ..TABLE
};

/// More values take no longer: each operation stands for itself.
const SHARED: Experiment = Experiment {
    quick: &[100_000],
    full: &[1_000_000],
    ..TABLE
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
    Experiment {
        name: "set_chores",
        about: "One process, a set of objects with tuples for keys, and what `set` leaves out.",
        command: "-s table_chores time set one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: CHORES,
        ..CHORE
    },
    Experiment {
        name: "ordered_set_chores",
        about: "The same with an ordered set.",
        command: "-s table_chores time ordered_set one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: CHORES,
        ..CHORE
    },
    Experiment {
        name: "bag_chores",
        about: "The same with a bag.",
        command: "-s table_chores time bag one {N} -s erlang halt",
        cases: &[ONE],
        figures: BAG_CHORES,
        ..CHORE
    },
    Experiment {
        name: "duplicate_bag_chores",
        about: "The same with a duplicate bag.",
        command: "-s table_chores time duplicate_bag one {N} -s erlang halt",
        cases: &[ONE],
        figures: BAG_CHORES,
        ..CHORE
    },
    Experiment {
        name: "set_reading",
        about: "Two processes read a set with read concurrency.",
        command: "-s table_chores time set reading {N} -s erlang halt",
        cases: &[TWO],
        figures: READING,
        ..CHORE
    },
    Experiment {
        name: "ordered_set_reading",
        about: "Two processes read an ordered set with read concurrency.",
        command: "-s table_chores time ordered_set reading {N} -s erlang halt",
        cases: &[TWO],
        figures: READING,
        ..CHORE
    },
    Experiment {
        name: "set_counted",
        about: "Two processes change a set with write concurrency and decentralized counters.",
        command: "-s table_chores time set counted {N} -s erlang halt",
        cases: &[TWO],
        figures: COUNTED,
        ..CHORE
    },
    Experiment {
        name: "ordered_set_counted",
        about: "Two processes change an ordered set with write concurrency and decentralized counters.",
        command: "-s table_chores time ordered_set counted {N} -s erlang halt",
        cases: &[TWO],
        figures: COUNTED,
        ..CHORE
    },
    Experiment {
        name: "many_tables",
        about: "Tables that are made, used once and deleted, or deleted with their owner.",
        command: "-s table_chores time many one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: MANY,
        ..CHORE
    },
    Experiment {
        name: "shared_values",
        about: "One process and its atomics, counters and persistent terms.",
        command: "-s shared_values time one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: SHARED_VALUES,
        ..SHARED
    },
    Experiment {
        name: "shared_values_two",
        about: "Two processes and the same atomics, counters and persistent terms.",
        command: "-s shared_values time two {N} -s erlang halt",
        cases: &[TWO],
        figures: SHARED_VALUES,
        ..SHARED
    },
];
