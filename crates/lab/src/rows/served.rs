//! TCP servers under load from an external client, which is the same program for every VM: a thousand connections with
//! one request each in flight, idle connections, and the web server of inets under wrk.

use std::time::Duration;

use crate::experiment::{
    Better, CONNECTIONS, Ends, Experiment, Figure, PLAIN, Program, Scale, Set, Source, Unit,
    printed_micros,
};

const fn micros(label: &'static str, prefix: &'static str) -> Figure {
    printed_micros(label, prefix, Unit::Micros)
}

const ANSWERS: Figure = Figure {
    label: "answers",
    source: Source::Printed("rate: "),
    scale: Scale::By(1.0),
    unit: Unit::PerSecond,
    better: Better::More,
    slope: None,
};

/// The size is the number of round trips.
const ECHO: Experiment = Experiment {
    quick: &[50_000],
    full: &[500_000],
    figures: &[
        ANSWERS,
        micros("median", "p50: "),
        micros("99th percentile", "p99: "),
        micros("99.9th percentile", "p999: "),
    ],
    ..PLAIN
};

/// The size is the number of connections. Few systems allow a process more than 20,000 descriptors.
const IDLE: Experiment = Experiment {
    quick: &[100, 800],
    full: &[1_000, 19_900],
    ends: Ends::After {
        says: "waiting: ",
        quick: Duration::from_millis(150),
        full: Duration::from_secs(2),
    },
    figures: &[CONNECTIONS],
    ..PLAIN
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "served_passive",
        about: "A thousand external connections, each waiting for its answer before it sends again; the server uses recv.",
        command: "-s served echo passive {FERL} {N} -s erlang halt",
        ..ECHO
    },
    Experiment {
        name: "served_active_once",
        about: "The same, with {active, once}.",
        command: "-s served echo active_once {FERL} {N} -s erlang halt",
        ..ECHO
    },
    Experiment {
        name: "served_active",
        about: "The same, with {active, true}.",
        command: "-s served echo active {FERL} {N} -s erlang halt",
        ..ECHO
    },
    Experiment {
        name: "served_active_n",
        about: "The same, with {active, 100}.",
        command: "-s served echo active_n {FERL} {N} -s erlang halt",
        set: Set::Full,
        ..ECHO
    },
    Experiment {
        name: "served_over_socket",
        about: "The same with recv, and with gen_tcp using the socket backend.",
        command: "-s served echo over_socket {FERL} {N} -s erlang halt",
        ..ECHO
    },
    Experiment {
        name: "served_over_socket_active",
        about: "The same with {active, true}, and with gen_tcp using the socket backend.",
        command: "-s served echo over_socket_active {FERL} {N} -s erlang halt",
        set: Set::Full,
        ..ECHO
    },
    Experiment {
        name: "served_idle",
        about: "Idle external connections, with a process for each: how much memory the VM needs for them.",
        command: "-s served idle passive {FERL} {N}",
        ..IDLE
    },
    Experiment {
        name: "served_idle_active",
        about: "The same, with {active, true}.",
        command: "-s served idle active {FERL} {N}",
        set: Set::Full,
        ..IDLE
    },
    Experiment {
        name: "served_idle_over_socket",
        about: "The same, with gen_tcp using the socket backend.",
        command: "-s served idle over_socket {FERL} {N}",
        set: Set::Full,
        ..IDLE
    },
    Experiment {
        name: "served_httpd",
        about: "A page of 1 KB, served by the web server of inets and fetched by wrk for two seconds.",
        command: "-s served http {PROGRAM} {N} -s erlang halt",
        program: Some(Program {
            name: "wrk",
            package: "wrk",
        }),
        quick: &[50],
        full: &[50, 200],
        figures: &[
            ANSWERS,
            micros("median", "p50: "),
            micros("99th percentile", "p99: "),
        ],
        set: Set::Full,
        ..PLAIN
    },
];
