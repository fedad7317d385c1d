//! The one list of series: what each number is, its unit, and where it is read. Columns of the history, metrics and
//! what programs read follow from it.

use std::borrow::Cow;
use std::sync::Arc;

use runtime::mail::schedulers;
use serde::Serialize;
use sys::histogram::Counted;

use super::reading::Reading;

/// What a column of the history holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The number itself.
    Gauge,
    /// How much the number, which only grows, has grown in each second.
    Counter,
}

/// A number of the node, for those who show it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Series {
    /// The name of its column in the history.
    pub id: Cow<'static, str>,
    pub name: Cow<'static, str>,
    /// The unit of the column: `bytes`, `seconds`, `share` (0 to 1), what is counted, or that in a second
    /// (`messages/s`).
    pub unit: Cow<'static, str>,
    pub help: &'static str,
    pub kind: Kind,
    /// Which ones belong together: `load`, `queues`, `memory` and so on.
    pub group: &'static str,
}

/// How a number is found.
#[derive(Clone, Copy)]
pub(super) enum Read {
    /// It is in a reading.
    Now(fn(&Reading) -> Option<f64>),
    /// It is in a reading, and only grows.
    Total(fn(&Reading) -> Option<f64>),
    /// The seconds that a scheduler has worked.
    Scheduler(usize),
    /// The duration in seconds that this share of those between two readings do not exceed.
    Quantile(fn(&Reading) -> &Counted, f64),
}

/// How a number is called in metrics.
#[derive(Clone, Copy)]
pub(super) struct Metric {
    /// The family's name, without `ferl_`, unit and `_total`.
    pub(super) family: &'static str,
    /// A base unit, as Prometheus names it: `bytes`, `seconds`.
    pub(super) unit: Option<&'static str>,
    pub(super) help: &'static str,
    pub(super) label: Option<&'static str>,
}

/// A row of the table.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) id: Cow<'static, str>,
    name: Cow<'static, str>,
    unit: &'static str,
    help: &'static str,
    group: &'static str,
    pub(super) read: Read,
    /// With the value of the label, if the family has one.
    pub(super) metric: Option<(Metric, Cow<'static, str>)>,
}

/// With more schedulers, only all of them together have a column.
const MOST_SCHEDULERS: usize = 64;

const fn plain(family: &'static str, unit: Option<&'static str>, help: &'static str) -> Metric {
    Metric {
        family,
        unit,
        help,
        label: None,
    }
}

pub(super) const fn by(
    label: &'static str,
    family: &'static str,
    unit: Option<&'static str>,
    help: &'static str,
) -> Metric {
    Metric {
        family,
        unit,
        help,
        label: Some(label),
    }
}

const SCHEDULERS: Metric = by(
    "scheduler",
    "scheduler_worked",
    Some("seconds"),
    "Time in which a scheduler ran processes and ports, without sleeping, busy waiting and standing by",
);
const DIRTY: Metric = by(
    "kind",
    "dirty_scheduler_worked",
    Some("seconds"),
    "Time in which a dirty scheduler worked, on the average of all of its kind",
);
const QUEUES: Metric = by(
    "kind",
    "run_queue_length",
    None,
    "Processes that are queued to run, by the schedulers that they wait for",
);
const MEMORY: Metric = by(
    "kind",
    "memory",
    Some("bytes"),
    "Memory of the node by purpose, as erlang:memory tells it",
);
const MARKS: Metric = by(
    "mark",
    "memory_guard_mark",
    Some("bytes"),
    "Marks of the memory guard, which resident memory is compared with",
);
const GUARD: Metric = by(
    "mark",
    "memory_guard_reached",
    None,
    "How often resident memory has reached a mark of the memory guard",
);
const SOCKET_IO: Metric = by(
    "direction",
    "socket_io",
    Some("bytes"),
    "Bytes that were read from and written to sockets of the module socket, which are no ports",
);
const IO: Metric = by(
    "direction",
    "io",
    Some("bytes"),
    "Bytes that ports have read and written",
);

const fn row(
    group: &'static str,
    id: &'static str,
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    read: Read,
) -> Row {
    Row {
        id: Cow::Borrowed(id),
        name: Cow::Borrowed(name),
        unit,
        help,
        group,
        read,
        metric: None,
    }
}

impl Row {
    fn called(self, metric: Metric) -> Row {
        self.labelled(metric, "")
    }

    fn labelled(self, metric: Metric, value: impl Into<Cow<'static, str>>) -> Row {
        Row {
            metric: Some((metric, value.into())),
            ..self
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.read {
            Read::Now(_) | Read::Quantile(..) => Kind::Gauge,
            Read::Total(_) | Read::Scheduler(_) => Kind::Counter,
        }
    }

    /// Whether it needs two readings.
    pub(super) fn is_quantile(&self) -> bool {
        matches!(self.read, Read::Quantile(..))
    }

    /// What others see of it.
    pub(super) fn series(&self) -> Series {
        Series {
            id: self.id.clone(),
            name: self.name.clone(),
            unit: Cow::Borrowed(self.unit),
            help: self.help,
            kind: self.kind(),
            group: self.group,
        }
    }

    /// The number at one moment; `None` if it is not known, or needs two.
    pub(super) fn now(&self, reading: &Reading) -> Option<f64> {
        match self.read {
            Read::Now(read) | Read::Total(read) => read(reading),
            Read::Scheduler(index) => reading.worked_ns.get(index).map(|ns| seconds(*ns)),
            Read::Quantile(..) => None,
        }
    }

    /// The value of the column between two readings.
    pub(super) fn between(&self, before: &Reading, now: &Reading) -> Option<f64> {
        let passed = seconds(now.at_ns - before.at_ns);
        let per_second = || {
            let grown = self.now(now)? - self.now(before)?;
            // Of a counter that another one has been taken from, less may be told for a moment.
            (passed > 0.0).then_some((grown / passed).max(0.0))
        };
        match self.read {
            Read::Now(read) => read(now),
            Read::Quantile(counted, share) => {
                let ns = counted(now).since(counted(before)).quantile_ns(share)?;
                Some(ns as f64 / NS_PER_S)
            }
            // The clocks of schedulers and of the reading are not read in one moment.
            Read::Total(_) | Read::Scheduler(_) if self.unit == "share" => {
                per_second().map(|share| share.min(1.0))
            }
            Read::Total(_) | Read::Scheduler(_) => per_second(),
        }
    }
}

const NS_PER_S: f64 = 1e9;

fn seconds(ns: i64) -> f64 {
    ns as f64 / NS_PER_S
}

/// The time that each of so many threads has worked, on the average.
fn average(worked_ns: i64, threads: usize) -> Option<f64> {
    (threads > 0).then(|| seconds(worked_ns) / threads as f64)
}

/// All rows, in the order in which to show them.
pub(super) fn rows() -> Arc<[Row]> {
    let mut rows = load();
    rows.extend(queues());
    rows.extend(memory());
    rows.extend(processes());
    rows.extend(collections());
    rows.extend(outside());
    rows.into()
}

#[rustfmt::skip]
fn load() -> Vec<Row> {
    use Read::{Now, Total};
    let mut rows = vec![
        row("load", "load", "Schedulers' load", "share",
            "How much of the time schedulers that are online worked: neither asleep, nor looking for work",
            Total(|reading| average(reading.worked_ns.iter().sum(), reading.online))),
        row("load", "dirty_cpu_load", "Dirty CPU schedulers' load", "share",
            "How much of the time the threads for long work worked",
            Total(|reading| average(reading.dirty_cpu.0, reading.dirty_cpu.1))),
        row("load", "dirty_io_load", "Dirty I/O schedulers' load", "share",
            "How much of the time the threads for work that may wait for the system worked",
            Total(|reading| average(reading.dirty_io.0, reading.dirty_io.1))),
        row("load", "cpu", "Processors", "processors",
            "Processor time of the whole node, in processors", Total(|reading| Some(seconds(reading.cpu_ns))))
            .called(plain("cpu", Some("seconds"), "Processor time of all threads of the node")),
        row("load", "reductions", "Reductions", "reductions/s",
            "Work of processes, as reductions count it", Total(|reading| Some(reading.reductions as f64)))
            .called(plain("reductions", None, "Work of processes, as reductions count it")),
        row("load", "slices", "Context switches", "slices/s",
            "How often schedulers let a process run", Total(|reading| Some(reading.slices as f64)))
            .called(plain("context_switches", None, "How often schedulers let a process run")),
        row("load", "online", "Schedulers online", "schedulers",
            "Schedulers that run processes", Now(|reading| Some(reading.online as f64)))
            .called(plain("schedulers_online", None, "Schedulers that run processes")),
    ];
    let count = schedulers::count();
    if count <= MOST_SCHEDULERS {
        rows.extend((0..count).map(|index| {
            let number = (index + 1).to_string();
            Row {
                id: Cow::Owned(format!("scheduler_{number}")),
                name: Cow::Owned(format!("Scheduler {number}")),
                ..row("schedulers", "", "", "share", "How much of the time this scheduler worked",
                    Read::Scheduler(index)).labelled(SCHEDULERS, number)
            }
        }));
    }
    rows[1].metric = Some((DIRTY, Cow::Borrowed("cpu")));
    rows[2].metric = Some((DIRTY, Cow::Borrowed("io")));
    rows
}

#[rustfmt::skip]
fn queues() -> [Row; 5] {
    use Read::{Now, Quantile};
    [
        row("queues", "run_queue", "Run queues", "processes",
            "Processes that are queued to run", Now(|reading| Some(reading.queued as f64)))
            .labelled(QUEUES, "normal"),
        row("queues", "run_queue_dirty_cpu", "Dirty CPU queue", "processes",
            "Work that waits for a dirty CPU scheduler", Now(|reading| Some(reading.queued_dirty_cpu as f64)))
            .labelled(QUEUES, "dirty_cpu"),
        row("queues", "run_queue_dirty_io", "Dirty I/O queue", "processes",
            "Work that waits for a dirty I/O scheduler", Now(|reading| Some(reading.queued_dirty_io as f64)))
            .labelled(QUEUES, "dirty_io"),
        row("queues", "latency_p50", "Scheduling latency, median", "seconds",
            "Half of the processes that were measured ran within this time after they were queued",
            Quantile(|reading| &reading.latencies, 0.5)),
        row("queues", "latency_p99", "Scheduling latency, 99th percentile", "seconds",
            "99 of 100 processes that were measured ran within this time after they were queued",
            Quantile(|reading| &reading.latencies, 0.99)),
    ]
}

#[rustfmt::skip]
fn memory() -> Vec<Row> {
    use Read::{Now, Total};
    let marked = |id, name, help, read, label| {
        row("memory", id, name, "bytes", help, read).labelled(MARKS, label)
    };
    let kind = |id, name, help, read, label| {
        row("memory", id, name, "bytes", help, read).labelled(MEMORY, label)
    };
    vec![
        row("memory", "memory_resident", "Resident memory", "bytes",
            "Memory of the node that the system counts as resident", Now(|reading| Some(reading.memory.resident as f64)))
            .called(plain("resident_memory", Some("bytes"), "Memory of the node that the system counts as resident")),
        kind("memory_processes", "Processes", "Heaps, stacks, messages and control blocks of processes",
            Now(|reading| Some(reading.memory.processes as f64)), "processes"),
        kind("memory_binary", "Binaries", "Shared binaries",
            Now(|reading| Some(reading.memory.binaries as f64)), "binary"),
        kind("memory_ets", "ETS", "Tables", Now(|reading| Some(reading.memory.ets as f64)), "ets"),
        kind("memory_code", "Code", "Code of modules", Now(|reading| Some(reading.memory.code as f64)), "code"),
        kind("memory_atom", "Atoms", "The atom table", Now(|reading| Some(reading.memory.atoms as f64)), "atom"),
        kind("memory_other", "Other", "What is resident and none of these: free memory of the allocator too",
            Now(|reading| {
                let memory = &reading.memory;
                let known = memory.processes + memory.binaries + memory.ets + memory.code + memory.atoms;
                Some(memory.total.saturating_sub(known) as f64)
            }), "other"),
        marked("memory_soft", "Soft mark", "From here on the memory guard gives back what is free",
            Now(|reading| Some(reading.guard?.soft as f64)), "soft"),
        marked("memory_high", "High mark", "From here on the memory guard refuses what would grow",
            Now(|reading| Some(reading.guard?.high as f64)), "high"),
        marked("memory_hard", "Hard mark", "From here on the memory guard ends the largest offender",
            Now(|reading| Some(reading.guard?.hard as f64)), "hard"),
        row("guard", "guard_soft", "Soft mark reached", "times/s", "How often the soft mark was reached",
            Total(|reading| Some(reading.guard?.soft_count as f64))).labelled(GUARD, "soft"),
        row("guard", "guard_high", "High mark reached", "times/s", "How often the high mark was reached",
            Total(|reading| Some(reading.guard?.high_count as f64))).labelled(GUARD, "high"),
        row("guard", "guard_hard", "Hard mark reached", "times/s", "How often the hard mark was reached",
            Total(|reading| Some(reading.guard?.hard_count as f64))).labelled(GUARD, "hard"),
        row("guard", "guard_ended", "Processes ended", "processes/s", "Processes that the memory guard has ended",
            Total(|reading| Some(reading.guard?.ended as f64)))
            .called(plain("memory_guard_ended_processes", None, "Processes that the memory guard has ended")),
        row("guard", "guard_refused", "Allocations refused", "allocations/s",
            "Large allocations that the memory guard did not admit",
            Total(|reading| Some(reading.guard?.refused as f64)))
            .called(plain("memory_guard_refused_allocations", None,
                "Large allocations that the memory guard did not admit")),
    ]
}

#[rustfmt::skip]
fn processes() -> [Row; 6] {
    use Read::{Now, Quantile, Total};
    [
        row("processes", "processes", "Processes", "processes", "Processes that exist",
            Now(|reading| Some(reading.processes as f64))).called(plain("processes", None, "Processes that exist")),
        row("processes", "spawned", "Processes spawned", "processes/s", "Processes that were spawned",
            Total(|reading| Some(reading.spawned as f64)))
            .called(plain("spawned_processes", None, "Processes that were spawned")),
        row("messages", "messages", "Messages sent", "messages/s", "Messages that were sent within the node",
            Total(|reading| Some(reading.messages as f64)))
            .called(plain("messages_sent", None, "Messages that were sent within the node")),
        row("messages", "message_age_p50", "Message age, median", "seconds",
            "Half of the messages that were measured were received within this time after they were sent",
            Quantile(|reading| &reading.message_ages, 0.5)),
        row("messages", "message_age_p99", "Message age, 99th percentile", "seconds",
            "99 of 100 messages that were measured were received within this time after they were sent",
            Quantile(|reading| &reading.message_ages, 0.99)),
        row("messages", "message_oldest", "Oldest message", "seconds",
            "For how long the oldest of the measured messages in queues has waited",
            Now(|reading| Some(reading.oldest_message_ns? as f64 / NS_PER_S)))
            .called(plain("oldest_message_age", Some("seconds"),
                "For how long the oldest of the measured messages in queues has waited")),
    ]
}

#[rustfmt::skip]
fn collections() -> [Row; 5] {
    use Read::{Quantile, Total};
    [
        row("collections", "collections", "Collections", "collections/s", "Garbage collections of processes",
            Total(|reading| Some(reading.collections as f64)))
            .called(plain("collections", None, "Garbage collections of processes")),
        row("collections", "reclaimed", "Memory reclaimed", "bytes/s", "What collections have found to be garbage",
            Total(|reading| Some(reading.reclaimed_words as f64 * 8.0)))
            .called(plain("collection_reclaimed", Some("bytes"), "What collections have found to be garbage")),
        row("collections", "pause_p50", "Collection pause, median", "seconds", "Half of the collections took no longer",
            Quantile(|reading| &reading.pauses, 0.5)),
        row("collections", "pause_p99", "Collection pause, 99th percentile", "seconds",
            "99 of 100 collections took no longer", Quantile(|reading| &reading.pauses, 0.99)),
        row("collections", "pause_max", "Collection pause, longest", "seconds", "No collection took longer",
            Quantile(|reading| &reading.pauses, 1.0)),
    ]
}

#[rustfmt::skip]
fn outside() -> [Row; 12] {
    use Read::{Now, Total};
    [
        row("io", "input", "Read by ports", "bytes/s", "Bytes that ports have read",
            Total(|reading| Some(reading.input as f64))).labelled(IO, "in"),
        row("io", "output", "Written by ports", "bytes/s", "Bytes that ports have written",
            Total(|reading| Some(reading.output as f64))).labelled(IO, "out"),
        row("io", "ports", "Ports", "ports", "Ports that are open", Now(|reading| Some(reading.ports as f64)))
            .called(plain("ports", None, "Ports that are open")),
        row("io", "socket_input", "Read from sockets", "bytes/s",
            "Bytes that were read from sockets of the module socket, which are no ports",
            Total(|reading| Some(reading.sockets.input_bytes as f64))).labelled(SOCKET_IO, "in"),
        row("io", "socket_output", "Written to sockets", "bytes/s",
            "Bytes that were written to sockets of the module socket, which are no ports",
            Total(|reading| Some(reading.sockets.output_bytes as f64))).labelled(SOCKET_IO, "out"),
        row("io", "sockets", "Sockets", "sockets", "Sockets of the module socket that are open",
            Now(|reading| Some(reading.sockets.open as f64)))
            .called(plain("sockets", None, "Sockets of the module socket that are open")),
        row("timers", "timers", "Timers", "timers", "Timers that run: of programs, of receives and of ports",
            Now(|reading| Some(reading.timers as f64)))
            .called(plain("timers", None, "Timers that run: of programs, of receives and of ports")),
        row("tables", "tables", "ETS tables", "tables", "Tables that exist",
            Now(|reading| Some(reading.tables as f64))).called(plain("ets_tables", None, "Tables that exist")),
        row("code", "atoms", "Atoms", "atoms", "Atoms that exist; they are never freed",
            Now(|reading| Some(reading.atoms as f64)))
            .called(plain("atoms", None, "Atoms that exist; they are never freed")),
        row("code", "modules", "Modules", "modules", "Modules that are loaded",
            Now(|reading| Some(reading.modules as f64))).called(plain("modules", None, "Modules that are loaded")),
        row("distribution", "peers", "Connected nodes", "nodes", "Nodes that are connected, hidden ones too",
            Now(|reading| Some(reading.each_peer.len() as f64)))
            .called(plain("connected_nodes", None, "Nodes that are connected, hidden ones too")),
        row("distribution", "peer_bytes", "Waiting for other nodes", "bytes",
            "Bytes that wait to be sent to other nodes", Now(|reading| Some(reading.peer_bytes() as f64)))
            .called(plain("distribution_queue", Some("bytes"), "Bytes that wait to be sent to other nodes")),
    ]
}
