//! ETS: one row for each type of table and each way of sharing it, with a figure for each operation. `tables.erl`
//! defines the ways of sharing, `table_chores.erl` further operations, and `shared_values.erl` measures atomics,
//! counters and persistent terms.

use crate::experiment::{Case, EACH, Experiment, Figure, Group, ONE, PLAIN, Set, Source, TWO};

/// The time of one operation, printed as the sum over all objects.
const fn operation(label: &'static str, prefix: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(prefix),
        ..EACH
    }
}

/// Operations on a bag, which has no counters.
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

/// What `table_chores.erl` measures with a set.
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

/// What `table_chores.erl` measures with a bag.
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
    set: Set::Full,
    ..PLAIN
};

const CHORE: Experiment = Experiment {
    quick: &[50_000],
    full: &[50_000, 500_000],
    ..TABLE
};

/// The time of one operation does not depend on the size.
const SHARED: Experiment = Experiment {
    quick: &[100_000],
    full: &[1_000_000],
    ..TABLE
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "set",
        about: "One process and a set: the time of one operation, or the time for each object.",
        command: "-s tables time set one {N} -s erlang halt",
        cases: &[
            ONE,
            Case {
                set: Set::Full,
                ..TWO
            },
        ],
        set: Set::Quick,
        ..TABLE
    },
    Experiment {
        name: "set_shared",
        about: "Two processes and one set with default options.",
        command: "-s tables time set shared {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "set_concurrent",
        about: "Two processes and one set with all concurrency options.",
        command: "-s tables time set concurrent {N} -s erlang halt",
        cases: &[TWO],
        set: Set::Headline,
        ..TABLE
    },
    Experiment {
        name: "set_own",
        about: "Two processes, each with its own set.",
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
        about: "Two processes and one ordered set with default options.",
        command: "-s tables time ordered_set shared {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "ordered_set_concurrent",
        about: "Two processes and one ordered set with all concurrency options.",
        command: "-s tables time ordered_set concurrent {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "ordered_set_own",
        about: "Two processes, each with its own ordered set.",
        command: "-s tables time ordered_set own {N} -s erlang halt",
        cases: &[TWO],
        ..TABLE
    },
    Experiment {
        name: "bag",
        about: "One process and a bag with four objects per key.",
        command: "-s tables time bag one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "bag_shared",
        about: "Two processes and one bag with default options.",
        command: "-s tables time bag shared {N} -s erlang halt",
        cases: &[TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "bag_concurrent",
        about: "Two processes and one bag with all concurrency options.",
        command: "-s tables time bag concurrent {N} -s erlang halt",
        cases: &[TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "bag_own",
        about: "Two processes, each with its own bag.",
        command: "-s tables time bag own {N} -s erlang halt",
        cases: &[TWO],
        figures: OPERATIONS,
        ..TABLE
    },
    Experiment {
        name: "set_chores",
        about: "One process and a set whose keys are tuples: the operations that the row set leaves out.",
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
        about: "Two processes that read one set with read concurrency.",
        command: "-s table_chores time set reading {N} -s erlang halt",
        cases: &[TWO],
        figures: READING,
        ..CHORE
    },
    Experiment {
        name: "ordered_set_reading",
        about: "Two processes that read one ordered set with read concurrency.",
        command: "-s table_chores time ordered_set reading {N} -s erlang halt",
        cases: &[TWO],
        figures: READING,
        ..CHORE
    },
    Experiment {
        name: "set_counted",
        about: "Two processes that change one set with write concurrency and decentralized counters.",
        command: "-s table_chores time set counted {N} -s erlang halt",
        cases: &[TWO],
        figures: COUNTED,
        ..CHORE
    },
    Experiment {
        name: "ordered_set_counted",
        about: "Two processes that change one ordered set with write concurrency and decentralized counters.",
        command: "-s table_chores time ordered_set counted {N} -s erlang halt",
        cases: &[TWO],
        figures: COUNTED,
        ..CHORE
    },
    Experiment {
        name: "many_tables",
        about: "Tables that are created, used once and deleted, or deleted because their owner ends.",
        command: "-s table_chores time many one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: MANY,
        ..CHORE
    },
    Experiment {
        name: "shared_values",
        about: "One process that uses atomics, counters and persistent terms.",
        command: "-s shared_values time one {N} -s erlang halt",
        cases: &[ONE, TWO],
        figures: SHARED_VALUES,
        ..SHARED
    },
    Experiment {
        name: "shared_values_two",
        about: "Two processes that share atomics, counters and persistent terms.",
        command: "-s shared_values time two {N} -s erlang halt",
        cases: &[TWO],
        figures: SHARED_VALUES,
        ..SHARED
    },
];
