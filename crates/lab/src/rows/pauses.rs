//! How long processes stop while the machine collects, copies or frees very much for one of them. `pauses.erl` says how
//! that is measured.

use std::time::Duration;

use crate::experiment::{Experiment, Figure, Group, ONE, PLAIN, SMP_ON, Set, Unit, printed_micros};

const OTHERS: Figure = printed_micros("others", "others: ", Unit::Millis);

/// The size is in megabytes.
const WHILE: Experiment = Experiment {
    group: Group::Pauses,
    command: "-s pauses run {NAME} {N} -s erlang halt",
    cases: &[ONE, SMP_ON],
    quick: &[200],
    full: &[1_000],
    extra_time: Duration::from_secs(10),
    figures: &[OTHERS],
    set: Set::Full,
    ..PLAIN
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "collection",
        about: "A process with very much that lives is collected: how long it stands still at worst, and how late another process is.",
        figures: &[printed_micros("own", "own: ", Unit::Millis), OTHERS],
        ..WHILE
    },
    Experiment {
        name: "tables",
        about: "Large tables of each type are deleted: how late another process is at worst.",
        ..WHILE
    },
    Experiment {
        name: "objects",
        about: "All objects of large tables are deleted, but not the tables: how late another process is at worst.",
        ..WHILE
    },
    Experiment {
        name: "messages",
        about: "Very large messages are sent: how late another process is at worst.",
        ..WHILE
    },
    Experiment {
        name: "exits",
        about: "Processes exit at once, because one that they are linked with does: how late another process is at worst.",
        quick: &[20_000],
        full: &[100_000],
        many_processes: true,
        ..WHILE
    },
];
