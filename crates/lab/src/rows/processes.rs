//! Processes as programs have them: many gen_servers, state machines, supervisors and timers, with what each holds in
//! memory and what each step of its life costs. `lives.erl`, `supervised.erl`, `ticking.erl`, `crowds.erl` and
//! `pauses.erl` say what is done; `elixir_forms.erl` does the same with the processes of Elixir.

use std::time::Duration;

use crate::experiment::{
    Better, Case, DEFAULT, EACH, ELIXIR, Experiment, Figure, Group, ONE, PLAIN, Scale, Set, Source,
    Unit, printed_micros,
};

/// A time for all processes together, shown for one.
const fn each(label: &'static str, prefix: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(prefix),
        ..EACH
    }
}

/// Memory for all processes together, shown for one.
const fn memory(label: &'static str, prefix: &'static str) -> Figure {
    Figure {
        label,
        source: Source::Printed(prefix),
        unit: Unit::Bytes,
        ..EACH
    }
}

const LIFE: &[Figure] = &[
    each("start_link", "start: "),
    memory("memory when started", "started_bytes: "),
    each("first call, in order", "in_order: "),
    memory("memory after a call", "called_bytes: "),
    memory("memory after 5 s of rest", "rested_bytes: "),
    each("second call, at random", "at_random: "),
    each("kill", "kill: "),
];

const SUPERVISED: &[Figure] = &[
    each("start", "start: "),
    memory("memory of a child", "started_bytes: "),
    printed_micros("restart", "restart: ", Unit::Micros),
    each("end of all", "end: "),
];

const TICKING: &[Figure] = &[
    printed_micros("processor time of a timer", "each: ", Unit::Micros),
    Figure {
        label: "timers",
        source: Source::Printed("rate: "),
        scale: Scale::By(1.0),
        unit: Unit::PerSecond,
        better: Better::Neither,
        slope: None,
    },
    memory("memory of a process", "ticking_bytes: "),
];

const CASES: &[Case] = &[
    DEFAULT,
    Case {
        set: Set::Full,
        ..ONE
    },
];

const PROCESSES: Experiment = Experiment {
    group: Group::Processes,
    cases: CASES,
    set: Set::Full,
    many_processes: true,
    ..PLAIN
};

/// The life of many processes, which rest for five seconds.
const LIVES: Experiment = Experiment {
    quick: &[30_000],
    full: &[30_000, 300_000],
    extra_time: Duration::from_secs(5),
    figures: LIFE,
    ..PROCESSES
};

/// The same at a size that fits into no cache.
const MANY_LIVES: Experiment = Experiment {
    quick: &[300_000],
    full: &[3_000_000],
    extra_time: Duration::from_secs(10),
    ..LIVES
};

const SUPERVISOR: Experiment = Experiment {
    quick: &[100_000],
    full: &[100_000, 1_000_000],
    extra_time: Duration::from_secs(5),
    figures: SUPERVISED,
    ..PROCESSES
};

const TIMERS: Experiment = Experiment {
    quick: &[100_000],
    full: &[100_000, 1_000_000],
    extra_time: Duration::from_secs(5),
    figures: TICKING,
    ..PROCESSES
};

/// Elixir is compiled and loaded first, so these have fewer processes.
const IN_ELIXIR: Experiment = Experiment {
    program: Some(ELIXIR),
    quick: &[20_000],
    full: &[20_000, 200_000],
    ..LIVES
};

pub(super) const ROWS: &[Experiment] = &[
    Experiment {
        name: "gen_servers",
        about: "gen_servers with a map of three keys, linked to one parent: each is started, called, left alone, called and killed.",
        command: "-s lives of_kind live_server {N} -s erlang halt",
        set: Set::Quick,
        ..LIVES
    },
    Experiment {
        name: "gen_servers_many",
        about: "As gen_servers, at a size that fits into no cache.",
        command: "-s lives of_kind live_server {N} -s erlang halt",
        ..MANY_LIVES
    },
    Experiment {
        name: "gen_statems",
        about: "As gen_servers, with gen_statem.",
        command: "-s lives of_kind live_machine {N} -s erlang halt",
        ..LIVES
    },
    Experiment {
        name: "gen_statems_many",
        about: "As gen_statems, at a size that fits into no cache.",
        command: "-s lives of_kind live_machine {N} -s erlang halt",
        ..MANY_LIVES
    },
    Experiment {
        name: "proc_lib_loops",
        about: "As gen_servers, with processes of proc_lib that have a loop of their own.",
        command: "-s lives of_kind live_loop {N} -s erlang halt",
        ..LIVES
    },
    Experiment {
        name: "proc_lib_loops_many",
        about: "As proc_lib_loops, at a size that fits into no cache.",
        command: "-s lives of_kind live_loop {N} -s erlang halt",
        ..MANY_LIVES
    },
    Experiment {
        name: "watchers",
        about: "As gen_servers, and each monitors its owner and has a row in an ETS table.",
        command: "-s lives of_kind live_watcher {N} -s erlang halt",
        ..LIVES
    },
    Experiment {
        name: "watchers_many",
        about: "As watchers, at a size that fits into no cache.",
        command: "-s lives of_kind live_watcher {N} -s erlang halt",
        ..MANY_LIVES
    },
    Experiment {
        name: "one_for_one",
        about: "Children under a one_for_one supervisor: started, one in a thousand killed and restarted, and ended.",
        command: "-s supervised by one_for_one {N} -s erlang halt",
        ..SUPERVISOR
    },
    Experiment {
        name: "simple_one_for_one",
        about: "Children under a simple_one_for_one supervisor: started, one in ten killed and restarted, and ended.",
        command: "-s supervised by simple_one_for_one {N} -s erlang halt",
        ..SUPERVISOR
    },
    Experiment {
        name: "timers",
        about: "Processes that each start a timer with erlang:send_after once a second.",
        command: "-s ticking by send_after 1000 {N} -s erlang halt",
        ..TIMERS
    },
    Experiment {
        name: "timers_tenfold",
        about: "As timers, ten times a second.",
        command: "-s ticking by send_after 100 {N} -s erlang halt",
        quick: &[20_000],
        full: &[100_000],
        ..TIMERS
    },
    Experiment {
        name: "state_timeouts",
        about: "State machines whose state timeout expires once a second.",
        command: "-s ticking by state_timeout 1000 {N} -s erlang halt",
        ..TIMERS
    },
    Experiment {
        name: "state_timeouts_tenfold",
        about: "As state_timeouts, ten times a second.",
        command: "-s ticking by state_timeout 100 {N} -s erlang halt",
        quick: &[20_000],
        full: &[100_000],
        ..TIMERS
    },
    Experiment {
        name: "torn_down",
        about: "Children started with spawn_link whose parent ends, and how long it takes until all are gone.",
        command: "-s crowds torn_down {N} -s erlang halt",
        quick: &[100_000, 1_000_000],
        extra_time: Duration::from_secs(3),
        full: &[1_000_000, 3_000_000],
        figures: &[
            each("spawn_link", "start: "),
            memory("memory of a child", "started_bytes: "),
            each("end", "gone: "),
        ],
        ..PROCESSES
    },
    Experiment {
        name: "clients",
        about: "Clients that all call one gen_server at the same time, ten times each: the time of one client's calls.",
        command: "-s crowds clients {N} -s erlang halt",
        quick: &[10_000],
        full: &[10_000, 100_000],
        figures: &[each("ten calls", "calls: ")],
        set: Set::Quick,
        ..PROCESSES
    },
    Experiment {
        name: "pauses",
        about: "Round trips of a message beside gen_servers that have been called once: how late the slowest thousandth is.",
        command: "-s pauses beside {N} -s erlang halt",
        quick: &[300_000],
        full: &[1_000_000],
        extra_time: Duration::from_secs(10),
        figures: &[
            printed_micros("median", "median: ", Unit::Micros),
            printed_micros("99.9th percentile", "p999: ", Unit::Micros),
            Figure {
                better: Better::Neither,
                ..printed_micros("slowest", "slowest: ", Unit::Micros)
            },
            memory("memory of a server", "waiting_bytes: "),
        ],
        ..PROCESSES
    },
    Experiment {
        name: "elixir_genservers",
        about: "As gen_servers, with GenServers of Elixir.",
        command: "-s elixir_forms lives genserver {N} {PROGRAM} -s erlang halt",
        ..IN_ELIXIR
    },
    Experiment {
        name: "elixir_agents",
        about: "As gen_servers, with Agents of Elixir.",
        command: "-s elixir_forms lives agent {N} {PROGRAM} -s erlang halt",
        ..IN_ELIXIR
    },
    Experiment {
        name: "elixir_registered",
        about: "As elixir_genservers, each called by its name in a Registry.",
        command: "-s elixir_forms lives registered {N} {PROGRAM} -s erlang halt",
        ..IN_ELIXIR
    },
    Experiment {
        name: "elixir_supervisor",
        about: "Children under a DynamicSupervisor: started, one in ten killed and restarted, and ended.",
        command: "-s elixir_forms supervised {N} {PROGRAM} -s erlang halt",
        figures: SUPERVISED,
        extra_time: Duration::from_secs(1),
        ..IN_ELIXIR
    },
    Experiment {
        name: "elixir_tasks",
        about: "Small tasks with Task.async_stream, ten at a time.",
        command: "-s elixir_forms tasks {N} {PROGRAM} -s erlang halt",
        figures: &[each("task", "stream: ")],
        extra_time: Duration::from_secs(1),
        set: Set::Quick,
        ..IN_ELIXIR
    },
];
