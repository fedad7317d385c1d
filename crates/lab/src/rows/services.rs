//! What users run: brokers, servers, databases, compilers, and a node under light load. `ferl lab --service` starts and
//! measures them, with clients that are the same for every VM; the processor time is that of the server alone.
//!
//! They are as Debian packs them. A row whose program is not installed is left out.

use std::time::Duration;

use crate::experiment::{
    Better, Case, DEFAULT, Experiment, Figure, Group, Need, PLAIN, Set, Source, Unit,
    printed_micros,
};

const SERVICE: Experiment = Experiment {
    group: Group::Services,
    is_service: true,
    set: Set::Full,
    extra_time: Duration::from_secs(15),
    patience: Duration::from_secs(180),
    ..PLAIN
};

const PROCESSOR: Figure = printed_micros("processor time of each", "processor: ", Unit::Micros);

const KERNEL: Figure = Figure {
    label: "the kernel's part",
    source: Source::Printed("kernel: "),
    unit: Unit::Percent,
    better: Better::Neither,
    ..PROCESSOR
};

const SLOWEST: Figure = printed_micros("slowest hundredth", "p99: ", Unit::Micros);

const fn resident(label: &'static str, prefix: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(prefix),
        unit: Unit::Bytes,
        ..PROCESSOR
    }
}

const LOADED: Figure = resident("resident under load", "load: ");
const RESTED: Figure = resident("resident 10 s later", "rest: ");

/// Servers that are put under as much load as they can carry.
const BUSY: Experiment = Experiment {
    figures: &[PROCESSOR, KERNEL, SLOWEST, LOADED, RESTED],
    ..SERVICE
};

/// Clients that come, stay and are not timed.
const HELD: Experiment = Experiment {
    figures: &[PROCESSOR, KERNEL, RESTED],
    ..SERVICE
};

/// Commands that end by themselves: what counts is the whole of them.
const COMMAND: Experiment = Experiment {
    figures: &[
        PROCESSOR,
        Figure {
            label: "time",
            source: Source::Printed("time: "),
            unit: Unit::Seconds,
            ..PROCESSOR
        },
        resident("most memory", "load: "),
    ],
    ..SERVICE
};

const fn schedulers(label: &'static str, flags: &'static str, set: Set) -> Case {
    Case {
        label,
        flags,
        set,
        ..DEFAULT
    }
}

const LIGHT_CASES: &[Case] = &[
    schedulers("+S 2", "+S 2:2", Set::Quick),
    schedulers("+S 1", "+S 1:1", Set::Full),
    schedulers(
        "+S 2, no busy waiting",
        "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none",
        Set::Quick,
    ),
    schedulers(
        "+S 1, no busy waiting",
        "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none",
        Set::Full,
    ),
];

const RABBITMQ: Need = Need {
    name: "RabbitMQ",
    place: "/usr/lib/rabbitmq/bin/rabbitmq-server",
    package: "rabbitmq-server",
};

const COWBOY: Need = Need {
    name: "Cowboy",
    place: "/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins/cowboy-*",
    package: "rabbitmq-server",
};

const EJABBERD: Need = Need {
    name: "ejabberd",
    place: "/usr/lib/*/ejabberd-*/ebin/ejabberd.beam",
    package: "ejabberd",
};

const POSTGRESQL: Need = Need {
    name: "PostgreSQL",
    place: "/usr/lib/postgresql/*/bin/postgres",
    package: "postgresql",
};

const DRIVER: Need = Need {
    name: "p1_pgsql",
    place: "{OTP}/lib/p1_pgsql-*",
    package: "erlang-p1-pgsql",
};

const MNESIA: Need = Need {
    name: "Mnesia",
    place: "{OTP}/lib/mnesia-*",
    package: "erlang-mnesia",
};

/// A command in `PATH`.
const fn command(name: &'static str, package: &'static str) -> Need {
    Need {
        name,
        place: name,
        package,
    }
}

const BROKER: Experiment = Experiment {
    needs: &[RABBITMQ],
    quick: &[100_000],
    full: &[500_000],
    ..BUSY
};

const XMPP: Experiment = Experiment {
    needs: &[EJABBERD],
    quick: &[20_000],
    full: &[200_000],
    ..BUSY
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "light",
        about: "So many connections a second that come and go, to a server built as brokers are.",
        command: "light churn {N}",
        cases: LIGHT_CASES,
        quick: &[74],
        full: &[20, 74, 530],
        figures: &[PROCESSOR, KERNEL, SLOWEST],
        ..SERVICE
    },
    Experiment {
        name: "two_sends",
        about: "Requests after 30 ms of rest: how long the first send of the answer takes.",
        command: "light two_sends {N}",
        cases: LIGHT_CASES,
        quick: &[100],
        full: &[400],
        figures: &[
            printed_micros("median", "p50: ", Unit::Micros),
            SLOWEST,
            PROCESSOR,
        ],
        ..SERVICE
    },
    Experiment {
        name: "idle",
        about: "So many sleeping processes and a hundred timers a second: the processor time for each second.",
        command: "program 8 -s idle_node run {N}",
        cases: LIGHT_CASES,
        quick: &[10_000],
        full: &[10_000],
        figures: &[PROCESSOR, KERNEL, RESTED],
        ..SERVICE
    },
    Experiment {
        name: "mnesia",
        about: "Transactions of four clients on a table with an index, which is kept on disk.",
        command: "program {N} -mnesia dir \"bank\" -s bank run {N}",
        needs: &[MNESIA],
        quick: &[20_000],
        full: &[200_000],
        ..BUSY
    },
    Experiment {
        name: "erlc",
        about: "Modules of OTP, compiled by erlc: the processor time and memory of all of it.",
        command: "command erlc {N}",
        quick: &[10],
        full: &[60],
        ..COMMAND
    },
    Experiment {
        name: "rebar3",
        about: "A program of so many modules, compiled by rebar3.",
        command: "command rebar3 {N}",
        needs: &[command("rebar3", "rebar3")],
        quick: &[20],
        full: &[200],
        ..COMMAND
    },
    Experiment {
        name: "mix",
        about: "A program of so many modules in Elixir, compiled by mix.",
        command: "command mix {N}",
        needs: &[command("mix", "elixir")],
        quick: &[20],
        full: &[200],
        ..COMMAND
    },
    Experiment {
        name: "dialyzer",
        about: "Dialyzer's table for so many modules of OTP.",
        command: "command dialyzer {N}",
        needs: &[command("dialyzer", "erlang-dialyzer")],
        quick: &[10],
        full: &[100],
        ..COMMAND
    },
    Experiment {
        name: "rabbitmq_transient",
        about: "Messages of 100 bytes, from two publishers through two queues of RabbitMQ.",
        command: "rabbitmq transient {N}",
        ..BROKER
    },
    Experiment {
        name: "rabbitmq_confirmed",
        about: "The same, kept on disk and confirmed.",
        command: "rabbitmq confirmed {N}",
        ..BROKER
    },
    Experiment {
        name: "rabbitmq_quorum",
        about: "The same, through quorum queues and confirmed.",
        command: "rabbitmq quorum {N}",
        quick: &[50_000],
        ..BROKER
    },
    Experiment {
        name: "rabbitmq_many",
        about: "Messages of 1 KB, from twenty publishers through twenty queues.",
        command: "rabbitmq many {N}",
        ..BROKER
    },
    Experiment {
        name: "rabbitmq_idle",
        about: "Connections to RabbitMQ with a channel each, which are opened and stay.",
        command: "rabbitmq idle {N}",
        needs: &[RABBITMQ],
        quick: &[500],
        full: &[2_000],
        ..HELD
    },
    Experiment {
        name: "web_pages",
        about: "Pages of JSON from Cowboy, for fifty clients.",
        command: "web pages {N}",
        needs: &[COWBOY],
        quick: &[20_000],
        full: &[200_000],
        ..BUSY
    },
    Experiment {
        name: "web_sockets",
        about: "Messages that come back through so many WebSockets of Cowboy, ten for each.",
        command: "web sockets {N}",
        needs: &[COWBOY],
        quick: &[1_000],
        full: &[10_000],
        ..BUSY
    },
    Experiment {
        name: "ejabberd_sessions",
        about: "Sessions of ejabberd, which log in and stay.",
        command: "ejabberd sessions {N}",
        needs: &[EJABBERD],
        quick: &[500],
        full: &[5_000],
        ..HELD
    },
    Experiment {
        name: "ejabberd_messages",
        about: "Messages between a hundred pairs of sessions of ejabberd.",
        command: "ejabberd messages {N}",
        ..XMPP
    },
    Experiment {
        name: "ejabberd_presence",
        about: "Presence between a hundred pairs of sessions of ejabberd.",
        command: "ejabberd presence {N}",
        ..XMPP
    },
    Experiment {
        name: "database",
        about: "Queries of fifty clients through a pool of ten connections of p1_pgsql to PostgreSQL.",
        command: "database {N}",
        needs: &[POSTGRESQL, DRIVER],
        quick: &[10_000],
        full: &[100_000],
        ..BUSY
    },
];
