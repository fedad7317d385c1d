//! What programs do every day: starting, calling servers, dying families, long queues, timers, fans, parallel work,
//! garbage, and TCP.

use std::time::Duration;

use super::{
    Better, CONNECTIONS, DEFAULT, EACH, Ends, Experiment, Figure, ONE, PLAIN, RATE, SMP_ON, Scale,
    Source, TIMED, Unit,
};

pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "boot",
        about: "From the start of the VM to its end, with nothing in between.",
        command: "-s erlang halt",
        figures: &[
            Figure {
                label: "time",
                source: Source::Wall,
                scale: Scale::By(1.0),
                unit: Unit::Seconds,
                better: Better::Less,
                slope: None,
            },
            Figure {
                label: "processor time",
                source: Source::Cpu,
                scale: Scale::By(1.0),
                ..TIMED
            },
        ],
        ..PLAIN
    },
    Experiment {
        name: "calls",
        about: "gen_server calls from one client.",
        command: "-s timed tc calls one {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "crowd",
        about: "gen_server calls from a hundred clients to one server.",
        command: "-s timed tc calls crowd {N} -s erlang halt",
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "links",
        about: "Children started with spawn_link, which end because their parent does.",
        command: "-s timed tc family links {N} -s erlang halt",
        quick: &[50_000],
        full: &[200_000],
        figures: &[EACH],
        ..PLAIN
    },
    Experiment {
        name: "monitors",
        about: "Monitored processes that end; each end is a message to the one who watches.",
        command: "-s timed tc family monitors {N} -s erlang halt",
        quick: &[50_000],
        full: &[200_000],
        figures: &[EACH],
        ..PLAIN
    },
    Experiment {
        name: "selective",
        about: "A hundred messages, each received past a long queue of others.",
        command: "-s timed tc selective past {N} -s erlang halt",
        quick: &[10_000, 100_000],
        full: &[10_000, 100_000, 1_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "reversed",
        about: "A queue of messages, taken from its end to its beginning.",
        command: "-s timed tc selective reversed {N} -s erlang halt",
        quick: &[5_000],
        full: &[20_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "by_reference",
        about: "Ten thousand answers to new references, received past a long queue that need not be looked at.",
        command: "-s timed tc selective by_reference {N} -s erlang halt",
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "timers_cancelled",
        about: "Timers, all alive at once, started and cancelled.",
        command: "-s timed tc clockwork cancelled {N} -s erlang halt",
        quick: &[100_000],
        full: &[100_000, 1_000_000],
        figures: &[EACH],
        ..PLAIN
    },
    Experiment {
        name: "timers_fired",
        about: "Timers that go off, spread over a tenth of a second.",
        command: "-s timed tc clockwork fired {N} -s erlang halt",
        quick: &[200_000],
        full: &[200_000, 1_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "fan_in",
        about: "A thousand processes that all send to one.",
        command: "-s timed tc fan in {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "fan_out",
        about: "One process that sends to a thousand in turn.",
        command: "-s timed tc fan out {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "parallel",
        about: "Pieces of work that need nothing of each other: with more schedulers it must take less time.",
        command: "-s timed tc parallel sums {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[200],
        full: &[2_000],
        figures: &[TIMED],
        shows_load: true,
        ..PLAIN
    },
    Experiment {
        name: "garbage_beside_live",
        about: "Short-lived trees that come and go beside a large one that stays.",
        command: "-s timed tc garbage live {N} -s erlang halt",
        quick: &[3_000],
        full: &[30_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "garbage_in_maps",
        about: "A map of ten thousand keys whose values are replaced one after the other.",
        command: "-s timed tc garbage churn {N} -s erlang halt",
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "garbage_in_processes",
        about: "A thousand processes that each keep a little and drop a lot.",
        command: "-s timed tc garbage processes {N} -s erlang halt",
        quick: &[100],
        full: &[1_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "echo",
        about: "Round trips over one TCP connection.",
        command: "-s timed tc echo one {N} -s erlang halt",
        quick: &[5_000],
        full: &[100_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "echo_crowd",
        about: "Round trips over fifty TCP connections.",
        command: "-s timed tc echo crowd {N} -s erlang halt",
        quick: &[10_000],
        full: &[200_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "echo_flow",
        about: "Pieces of 64 KiB there and back over one TCP connection.",
        command: "-s timed tc echo flow {N} -s erlang halt",
        cases: &[DEFAULT],
        quick: &[300],
        full: &[10_000],
        figures: &[FLOW],
        ..PLAIN
    },
    Experiment {
        name: "echo_over_socket",
        about: "Round trips over one TCP connection, gen_tcp over the module socket.",
        command: "-s timed tc echo one_over_socket {N} -s erlang halt",
        cases: &[DEFAULT],
        quick: &[3_000],
        full: &[50_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "echo_flow_over_socket",
        about: "Pieces of 64 KiB there and back, gen_tcp over the module socket.",
        command: "-s timed tc echo flow_over_socket {N} -s erlang halt",
        cases: &[DEFAULT],
        quick: &[300],
        full: &[10_000],
        figures: &[FLOW],
        ..PLAIN
    },
    Experiment {
        name: "echo_thousand",
        about: "Round trips over a thousand TCP connections, each with one message under way.",
        command: "-s timed tc load thousand {N} -s erlang halt",
        quick: &[20_000],
        full: &[500_000],
        figures: &[
            RATE,
            Figure {
                label: "median round trip",
                source: Source::Printed("median: "),
                scale: Scale::By(1.0),
                unit: Unit::Micros,
                ..TIMED
            },
            Figure {
                label: "slowest hundredth",
                source: Source::Printed("p99: "),
                scale: Scale::By(1.0),
                unit: Unit::Micros,
                ..TIMED
            },
        ],
        ..PLAIN
    },
    Experiment {
        name: "idle_connections",
        about: "TCP connections on which nothing happens, both ends here: how the VM's memory grows.",
        command: "-s timed tc load idle {N} -s erlang halt",
        quick: &[100, 400],
        full: &[1_000, 9_000],
        ends: Ends::After {
            says: "waiting: ",
            quick: Duration::from_millis(150),
            full: Duration::from_secs(1),
        },
        figures: &[CONNECTIONS],
        ..PLAIN
    },
];

/// Pieces of 64 KiB as bytes a second.
const FLOW: Figure = Figure {
    label: "rate",
    scale: Scale::SizePer(1e-6 / 65_536.0),
    unit: Unit::BytesPerSecond,
    better: Better::More,
    ..TIMED
};
