//! Tracing: how many events a second a tracer is told of, or are counted, and what it costs to turn patterns on
//! (`tracing.erl`).

use std::time::Duration;

use crate::experiment::{Experiment, Group, ONE, PLAIN, RATE, Set, TWO, Unit, printed_micros};

const TRACED: Experiment = Experiment {
    group: Group::Tracing,
    command: "-s tracing run {NAME} {N} -s erlang halt",
    cases: &[ONE, TWO],
    quick: &[100_000],
    full: &[300_000],
    figures: &[RATE],
    set: Set::Full,
    extra_time: Duration::from_secs(10),
    ..PLAIN
};

const COUNTED: Experiment = Experiment {
    quick: &[1_000_000],
    full: &[10_000_000],
    ..TRACED
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "calls",
        about: "Calls of a function that a process is told of.",
        ..TRACED
    },
    Experiment {
        name: "call_count",
        about: "Calls that are counted.",
        ..COUNTED
    },
    Experiment {
        name: "call_time",
        about: "Calls whose time is added up.",
        ..COUNTED
    },
    Experiment {
        name: "messages",
        about: "Messages that a process is told of, when they are sent and when they arrive.",
        ..TRACED
    },
    Experiment {
        name: "collections",
        about: "Collections that a process is told of, when they begin and when they end.",
        ..TRACED
    },
    Experiment {
        name: "patterns",
        about: "A pattern for all functions of so many modules, turned on and off.",
        quick: &[200],
        full: &[200],
        figures: &[printed_micros("time", "timed: ", Unit::Millis)],
        ..TRACED
    },
    Experiment {
        name: "profile",
        about: "Compilations of a small module under fprof, and reading what was traced.",
        quick: &[1],
        full: &[5],
        extra_time: Duration::from_secs(60),
        figures: &[
            printed_micros("tracing", "traced: ", Unit::Seconds),
            printed_micros("reading", "read: ", Unit::Seconds),
        ],
        ..TRACED
    },
];
