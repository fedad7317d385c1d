//! Native libraries: calls of OTP's crypto, and TLS 1.3 of its ssl between two processes of one node (`secure.erl`);
//! terms and messages of a library of our own (`natives.erl`).

use std::time::Duration;

use crate::experiment::{
    CONNECTIONS, Case, DEFAULT, EACH, Ends, Experiment, Figure, Group, ONE, PLAIN, Program, RATE,
    Scale, Set, Source,
};

const ALL: Case = Case {
    label: "",
    flags: "+S {CPUS}:{CPUS}",
    ..DEFAULT
};

const SECURE: Experiment = Experiment {
    group: Group::Native,
    command: "-s secure run {NAME} {N} -s erlang halt",
    cases: &[ONE],
    set: Set::Full,
    extra_time: Duration::from_secs(10),
    ..PLAIN
};

/// A library of our own, which is compiled when it is used.
const OWN: Experiment = Experiment {
    command: "-s natives run {NAME} {N} {PROGRAM} -s erlang halt",
    program: Some(CC),
    ..SECURE
};

const CC: Program = Program {
    name: "cc",
    package: "gcc erlang-dev",
};

/// The time of one call with 64 bytes; and with 16 KB, of which there is one for `fewer` of those.
const fn of_sizes(fewer: f64) -> [Figure; 2] {
    [
        Figure {
            label: "64 bytes",
            source: Source::Printed("small: "),
            ..EACH
        },
        Figure {
            label: "16 KB",
            source: Source::Printed("large: "),
            scale: Scale::PerSize(fewer),
            ..EACH
        },
    ]
}

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "calls",
        about: "Calls of a native function that does nothing.",
        quick: &[1_000_000],
        full: &[10_000_000],
        figures: &[EACH],
        ..SECURE
    },
    Experiment {
        name: "terms",
        about: "Calls of a native function that makes a list of ten, a map of four keys and 100 bytes.",
        quick: &[200_000],
        full: &[2_000_000],
        figures: &[EACH],
        ..OWN
    },
    Experiment {
        name: "messages",
        about: "Messages that a thread of a native library sends to a process.",
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[EACH],
        ..OWN
    },
    Experiment {
        name: "digests",
        about: "Digests of 64 bytes and of 16 KB (SHA-256).",
        quick: &[200_000],
        full: &[1_000_000],
        figures: &of_sizes(20.0),
        ..SECURE
    },
    Experiment {
        name: "ciphers",
        about: "64 bytes and 16 KB sealed with AES-256-GCM.",
        quick: &[100_000],
        full: &[500_000],
        figures: &of_sizes(5.0),
        ..SECURE
    },
    Experiment {
        name: "handshakes",
        about: "TLS 1.3 connections, one after the other.",
        cases: &[ALL],
        quick: &[200],
        full: &[2_000],
        figures: &[EACH],
        ..SECURE
    },
    Experiment {
        name: "bytes",
        about: "Megabytes through a TLS 1.3 connection and back.",
        cases: &[ALL],
        quick: &[64],
        full: &[512],
        figures: &[RATE],
        ..SECURE
    },
    Experiment {
        name: "connections",
        about: "TLS 1.3 connections that wait; both ends are in the node.",
        cases: &[ALL],
        quick: &[20, 200],
        full: &[20, 1_000],
        ends: Ends::After {
            says: "ready",
            quick: Duration::from_secs(3),
            full: Duration::from_secs(6),
        },
        figures: &[CONNECTIONS],
        ..SECURE
    },
];
