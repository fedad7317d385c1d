//! E6: what goes between two nodes, on one machine. `between.erl` says what is done. The other node runs on the same
//! VM, or in the case `beside erl` on the `erl` in PATH.

use std::time::Duration;

use crate::experiment::{
    Better, CONNECTIONS, Case, DEFAULT, EACH, Ends, Experiment, Figure, Group, PLAIN, RATE, Scale,
    Set, Unit, printed_micros,
};

const ALIKE: Case = Case {
    label: "alike",
    flags: "+S {CPUS}:{CPUS}",
    ..DEFAULT
};

const BESIDE_ERL: Case = Case {
    label: "beside erl",
    flags: "+S {CPUS}:{CPUS}",
    peer: Some("erl"),
    set: Set::Full,
    ..DEFAULT
};

const BOTH: &[Case] = &[ALIKE, BESIDE_ERL];

const BETWEEN: Experiment = Experiment {
    group: Group::Between,
    command: "-s between run {NAME} {N} {PEER} -s erlang halt",
    cases: BOTH,
    extra_time: Duration::from_secs(10),
    ..PLAIN
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "pingpong",
        about: "A number goes to a process of another node and back.",
        quick: &[20_000],
        full: &[200_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "oneway",
        about: "One process sends small messages to one of another node.",
        quick: &[300_000],
        full: &[3_000_000],
        figures: &[RATE],
        ..BETWEEN
    },
    Experiment {
        name: "fifty",
        about: "Fifty processes send small messages to fifty of another node.",
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[RATE],
        ..BETWEEN
    },
    Experiment {
        name: "calls",
        about: "Calls of a function on another node (erpc:call).",
        quick: &[10_000],
        full: &[100_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "rpc",
        about: "Calls of a function on another node (rpc:call).",
        quick: &[10_000],
        full: &[100_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "spawn_one",
        about: "A process spawned on another node, the reply of which is waited for (spawn/4).",
        quick: &[10_000],
        full: &[100_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "spawns",
        about: "Processes spawned on another node by requests that do not wait for each other.",
        quick: &[50_000],
        full: &[300_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "binaries",
        about: "One process sends binaries of a megabyte to one of another node.",
        quick: &[500],
        full: &[5_000],
        figures: &[Figure {
            label: "rate",
            scale: Scale::SizePer(1e-6 / (1 << 20) as f64),
            unit: Unit::BytesPerSecond,
            better: Better::More,
            ..EACH
        }],
        ..BETWEEN
    },
    Experiment {
        name: "beside_large",
        about: "A small message there and back, while another process sends messages of 8 MB.",
        quick: &[200],
        full: &[2_000],
        figures: &[
            printed_micros("median", "median: ", Unit::Micros),
            Figure {
                better: Better::Neither,
                ..printed_micros("slowest", "slowest: ", Unit::Micros)
            },
        ],
        ..BETWEEN
    },
    Experiment {
        name: "related",
        about: "Processes that are linked with, or monitor, one of another node, which ends.",
        quick: &[50_000],
        full: &[100_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "disconnected",
        about: "Processes that are linked with, or monitor, one of another node, to which the connection is lost.",
        quick: &[50_000],
        full: &[100_000],
        figures: &[EACH],
        ..BETWEEN
    },
    Experiment {
        name: "many",
        about: "Nodes that connect to one, and stay: how long that takes for each, and what it holds for it. The other VM plays them.",
        quick: &[50, 200],
        full: &[200, 1_000],
        ends: Ends::After {
            says: "waiting: ",
            quick: Duration::from_millis(1_500),
            full: Duration::from_secs(3),
        },
        figures: &[EACH, CONNECTIONS],
        ..BETWEEN
    },
];
