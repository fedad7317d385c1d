//! Everyday work: starting the VM, calling servers, links and monitors, long message queues, timers, many senders or
//! receivers, parallel work, garbage collection and TCP.

use std::time::Duration;

use crate::experiment::{
    Better, CONNECTIONS, EACH, Ends, Experiment, Figure, ONE, PLAIN, RATE, SMP_ON, Scale, Set,
    Source, TIMED, Unit, printed_micros,
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "boot",
        set: Set::Headline,
        about: "Starting the VM and halting it at once.",
        command: "-s erlang halt",
        figures: &[
            Figure {
                source: Source::Wall,
                scale: Scale::By(1.0),
                ..TIMED
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
        set: Set::Headline,
        about: "Calls to a gen_server from one client.",
        command: "-s timed tc calls one {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "crowd",
        about: "Calls to one gen_server from a hundred clients.",
        command: "-s timed tc calls crowd {N} -s erlang halt",
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "links",
        about: "Processes started with spawn_link that end because their parent ends.",
        command: "-s timed tc family links {N} -s erlang halt",
        quick: &[50_000],
        full: &[200_000],
        figures: &[EACH],
        ..PLAIN
    },
    Experiment {
        name: "monitors",
        about: "Monitored processes that end, each causing a message to the monitoring process.",
        command: "-s timed tc family monitors {N} -s erlang halt",
        quick: &[50_000],
        full: &[200_000],
        figures: &[EACH],
        ..PLAIN
    },
    Experiment {
        name: "selective",
        set: Set::Headline,
        about: "A hundred selective receives, each of which must scan a long message queue.",
        command: "-s timed tc selective past {N} -s erlang halt",
        quick: &[10_000, 100_000],
        full: &[10_000, 100_000, 1_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "reversed",
        about: "Selective receives that take the messages of a queue from last to first.",
        command: "-s timed tc selective reversed {N} -s erlang halt",
        quick: &[5_000],
        full: &[20_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "by_reference",
        about: "Ten thousand receives of a reply to a new reference, behind a long queue that need not be scanned.",
        command: "-s timed tc selective by_reference {N} -s erlang halt",
        quick: &[100_000],
        full: &[1_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "timers_cancelled",
        about: "Timers, all pending at the same time, started and cancelled.",
        command: "-s timed tc clockwork cancelled {N} -s erlang halt",
        quick: &[100_000],
        full: &[100_000, 1_000_000],
        figures: &[EACH],
        ..PLAIN
    },
    Experiment {
        name: "timers_fired",
        about: "Timers that expire, spread over a tenth of a second.",
        command: "-s timed tc clockwork fired {N} -s erlang halt",
        quick: &[200_000],
        full: &[200_000, 1_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "fan_in",
        set: Set::Headline,
        about: "A thousand processes send to one.",
        command: "-s timed tc fan in {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "fan_out",
        about: "One process sends to a thousand others in turn.",
        command: "-s timed tc fan out {N} -s erlang halt",
        cases: &[SMP_ON, ONE],
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "parallel",
        about: "Independent pieces of work, which must take less time with more schedulers.",
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
        about: "Short-lived trees beside a large one that stays alive.",
        command: "-s timed tc garbage live {N} -s erlang halt",
        quick: &[3_000],
        full: &[30_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "garbage_in_maps",
        about: "A map of ten thousand keys whose values are replaced one by one.",
        command: "-s timed tc garbage churn {N} -s erlang halt",
        quick: &[500_000],
        full: &[5_000_000],
        figures: &[TIMED],
        ..PLAIN
    },
    Experiment {
        name: "garbage_in_processes",
        set: Set::Headline,
        about: "A thousand processes, each of which makes much garbage and keeps little.",
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
        about: "Blocks of 64 KiB, sent and echoed over one TCP connection.",
        command: "-s timed tc echo flow {N} -s erlang halt",
        quick: &[300],
        full: &[10_000],
        figures: &[FLOW],
        ..PLAIN
    },
    Experiment {
        name: "echo_over_socket",
        about: "Round trips over one TCP connection, with gen_tcp using the socket backend.",
        command: "-s timed tc echo one_over_socket {N} -s erlang halt",
        quick: &[3_000],
        full: &[50_000],
        figures: &[RATE],
        ..PLAIN
    },
    Experiment {
        name: "echo_flow_over_socket",
        about: "Blocks of 64 KiB, sent and echoed, with gen_tcp using the socket backend.",
        command: "-s timed tc echo flow_over_socket {N} -s erlang halt",
        quick: &[300],
        full: &[10_000],
        figures: &[FLOW],
        ..PLAIN
    },
    Experiment {
        name: "echo_thousand",
        set: Set::Headline,
        about: "Round trips over a thousand TCP connections, each with one message in flight.",
        command: "-s timed tc load thousand {N} -s erlang halt",
        quick: &[20_000],
        full: &[500_000],
        figures: &[
            RATE,
            printed_micros("median round trip", "median: ", Unit::Micros),
            printed_micros("99th percentile", "p99: ", Unit::Micros),
        ],
        ..PLAIN
    },
    Experiment {
        name: "idle_connections",
        about: "Idle TCP connections with both ends in the VM: how much memory it needs for them.",
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

/// Bytes per second, from the time that the blocks of 64 KiB took.
const FLOW: Figure = Figure {
    label: "rate",
    scale: Scale::SizePer(1e-6 / 65_536.0),
    unit: Unit::BytesPerSecond,
    better: Better::More,
    ..TIMED
};
