//! TCP servers whose clients are another program, the same for every VM: a thousand connections that ask one thing
//! after the other, connections that only stay, and the web server of inets under wrk.

use std::time::Duration;

use super::{
    Better, CONNECTIONS, Ends, Experiment, Figure, PLAIN, Program, Scale, Source, TIMED, Unit,
};

const fn micros(label: &'static str, line: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(line),
        scale: Scale::By(1.0),
        unit: Unit::Micros,
        ..TIMED
    }
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
        micros("slowest hundredth", "p99: "),
        micros("slowest thousandth", "p999: "),
    ],
    ..PLAIN
};

/// The size is the number of connections; what is beyond 20,000 descriptors few systems allow.
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

pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "served_passive",
        about: "A thousand connections from outside ask and wait for the answer; each process receives with recv.",
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
        in_quick: false,
        ..ECHO
    },
    Experiment {
        name: "served_over_socket",
        about: "The same with recv, gen_tcp over the module socket.",
        command: "-s served echo over_socket {FERL} {N} -s erlang halt",
        ..ECHO
    },
    Experiment {
        name: "served_over_socket_active",
        about: "The same with {active, true}, gen_tcp over the module socket.",
        command: "-s served echo over_socket_active {FERL} {N} -s erlang halt",
        in_quick: false,
        ..ECHO
    },
    Experiment {
        name: "served_idle",
        about: "Connections from outside on which nothing happens, a process for each: how the VM's memory grows.",
        command: "-s served idle passive {FERL} {N}",
        ..IDLE
    },
    Experiment {
        name: "served_idle_active",
        about: "The same, with {active, true}.",
        command: "-s served idle active {FERL} {N}",
        in_quick: false,
        ..IDLE
    },
    Experiment {
        name: "served_idle_over_socket",
        about: "The same, gen_tcp over the module socket.",
        command: "-s served idle over_socket {FERL} {N}",
        in_quick: false,
        ..IDLE
    },
    Experiment {
        name: "served_httpd",
        about: "A page of 1 KB from the web server of inets, fetched by wrk over so many connections for two seconds.",
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
            micros("slowest hundredth", "p99: "),
        ],
        in_quick: false,
        ..PLAIN
    },
];
