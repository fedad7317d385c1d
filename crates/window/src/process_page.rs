//! All that is shown of one process. What would take long, or much room, is cut: the first relations, pairs and
//! messages are shown, with how many there are.

use layout::Term;
use runtime::effects::flood;
use runtime::effects::holdings;
use runtime::effects::info;
use runtime::effects::looking::{self, Seen, WorldIsStopped};
use runtime::mail::registry;
use runtime::mail::remote;
use runtime::mail::timer::bif_timers;
use runtime::process::heap_limit::HeapLimit;
use runtime::process::relations::MonitorTarget;
use runtime::process::{Flags, Process, state};
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use term::heap::Scratch;
use term::{gc, list};

use crate::printed;
use crate::processes::{self, Row, calls, row, unix_ms};

/// See the module's documentation.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessPage {
    pub as_of_unix_ms: u64,
    #[serde(flatten)]
    pub row: Row,
    /// Whether more than the row is known: false if another thread has the process, and does not answer.
    pub is_known: bool,
    pub senders: Senders,
    #[serde(flatten)]
    pub details: Details,
}

/// Who has sent to the process since its page was asked for before, of the first messages that came from processes of
/// this node; who asks for a page once learns nothing of it.
#[derive(Clone, Default, Debug, Serialize)]
pub struct Senders {
    /// Messages that were noted.
    pub messages: u64,
    /// The first of these at least for which there was room, the largest first.
    pub largest: Vec<Sender>,
}

/// A sender.
#[derive(Clone, Debug, Serialize)]
pub struct Sender {
    pub pid: String,
    pub name: Option<String>,
    /// Of the messages that were noted.
    pub share_percent: u64,
}

/// What a process's own memory says.
#[derive(Clone, Default, Debug, Serialize)]
pub struct Details {
    /// The function that it is in, and those that it returns to; none of a sensitive process.
    pub stack: Vec<Frame>,
    /// Pids, ports and names, at most [`MOST_RELATIONS`] in each list.
    pub links: Vec<String>,
    pub monitors: Vec<String>,
    pub monitored_by: Vec<String>,
    /// All links, monitors and aliases.
    pub relations: u64,
    pub parent: Option<String>,
    pub ancestors: Vec<String>,
    pub group_leader: Option<String>,
    /// The first pairs, and how many there are.
    pub dictionary: Vec<[String; 2]>,
    pub dictionary_pairs: u64,
    /// The first messages.
    pub queue_head: Vec<String>,
    /// Names of ETS tables that it owns.
    pub tables: Vec<String>,
    pub holdings: Option<Holdings>,
    pub flags: Option<ProcessFlags>,
}

/// A function on a stack.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    pub module: String,
    pub function: String,
    pub arity: u32,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// What the process's end would free.
#[derive(Clone, Debug, Serialize)]
pub struct Holdings {
    /// Without messages.
    pub heap_bytes: u64,
    pub stack_bytes: u64,
    /// The part of the heap that has survived collections.
    pub old_heap_bytes: u64,
    pub message_bytes: u64,
    /// Its share of shared binaries.
    pub binary_bytes: u64,
    pub timer_bytes: u64,
    pub minor_collections: u64,
}

/// How the process is set.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessFlags {
    pub trap_exit: bool,
    pub priority: String,
    pub message_queue_data: &'static str,
    pub sensitive: bool,
    pub hibernates: bool,
    pub is_supervisor: bool,
    pub is_system: bool,
    pub is_traced: bool,
    /// By how many processes it is suspended.
    pub suspended: u64,
    /// The number of the scheduler that it is bound to.
    pub scheduler: Option<u64>,
    /// Its messages take so much memory that senders are slowed.
    pub is_flooded: bool,
    pub min_heap_words: u64,
    pub max_heap: String,
}

pub const MOST_RELATIONS: usize = 500;
const MOST_FRAMES: usize = 100;
const MOST_PAIRS: usize = 100;
const MOST_MESSAGES: usize = 10;
const MOST_TABLES: usize = 100;
const MOST_SENDERS: usize = 10;
/// So many references to binaries are added up.
const MOST_BINARIES: usize = 100_000;
/// How long the thread that has a process has for its answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// The page of a process, given by a text as [`processes::named`] takes it; `None` if there is no such process.
///
/// # Errors
/// If the world is stopped for long.
pub fn page(text: &str) -> Result<Option<ProcessPage>, WorldIsStopped> {
    let Some(pid) = processes::named(text) else {
        return Ok(None);
    };
    let seen = looking::at(pid, |seen| match seen {
        Seen::Still(process) => Ok(ProcessPage::of(process, false)),
        Seen::InHands { word, .. } => Err(word),
    })?;
    let page = match seen {
        None => return Ok(None),
        Some(Ok(page)) => page,
        Some(Err(word)) => {
            let told = looking::ask(&[pid], PATIENCE, |process| ProcessPage::of(process, true));
            let unknown = || ProcessPage {
                as_of_unix_ms: unix_ms(),
                row: Row::unknown(pid, word),
                is_known: false,
                senders: Senders::default(),
                details: Details::default(),
            };
            told.into_iter().next().unwrap_or_else(unknown)
        }
    };
    Ok(Some(ProcessPage {
        senders: Senders::of(flood::watch(pid, MOST_SENDERS)),
        ..page
    }))
}

impl Senders {
    fn of(senders: flood::Senders) -> Senders {
        let sender = |(pid, share_percent)| Sender {
            pid: printed::identifier(pid),
            name: registry::name_of(pid).map(printed::name),
            share_percent,
        };
        Senders {
            messages: senders.noted,
            largest: senders.largest.into_iter().map(sender).collect(),
        }
    }
}

impl ProcessPage {
    fn of(process: &Process, runs: bool) -> ProcessPage {
        let details = Details::of(process);
        let holdings = details.holdings.as_ref();
        ProcessPage {
            as_of_unix_ms: unix_ms(),
            row: Row {
                // More references have been looked at for this one.
                binary_bytes: holdings.map(|holdings| holdings.binary_bytes),
                ..Row::of(process, runs)
            },
            is_known: true,
            senders: Senders::default(),
            details,
        }
    }
}

impl Details {
    fn of(process: &Process) -> Details {
        let is_sensitive = process.is_sensitive();
        let unless_sensitive = |most: usize| if is_sensitive { 0 } else { most };
        let pairs = process
            .dictionary
            .pairs()
            .take(unless_sensitive(MOST_PAIRS));
        let messages = info::first_messages(process, unless_sensitive(MOST_MESSAGES));
        Details {
            stack: stack(process, unless_sensitive(MOST_FRAMES)),
            links: linked(process),
            monitors: monitored(process),
            monitored_by: watchers(process),
            relations: process.relations.count() as u64,
            parent: (!process.parent.is_none()).then(|| printed::identifier(process.parent)),
            ancestors: row::ancestors(process)
                .into_iter()
                .map(printed::identifier)
                .collect(),
            group_leader: Some(printed::identifier(process.group_leader)),
            dictionary: pairs
                .map(|[key, value]| {
                    [
                        printed::term(key, printed::MOST_IN_ROW),
                        printed::term(value, printed::MOST),
                    ]
                })
                .collect(),
            dictionary_pairs: process.dictionary.len() as u64,
            queue_head: messages
                .into_iter()
                .map(|message| printed::term(message, printed::MOST))
                .collect(),
            tables: tables(process),
            holdings: Some(Holdings::of(process)),
            flags: Some(ProcessFlags::of(process)),
        }
    }
}

fn stack(process: &Process, most: usize) -> Vec<Frame> {
    if most == 0 {
        return Vec::new();
    }
    let mut stack = Vec::new();
    for place in info::places(process, most) {
        stack.push(Frame {
            module: printed::name(place.module),
            function: printed::name(place.function),
            arity: place.arity,
            file: place.location.and_then(|(file, _)| file_name(file)),
            line: place.location.map(|(_, line)| line),
        });
    }
    // One that has not begun, hibernates or waits in a BIF is in no module's code.
    let [module, function, arity] = info::current_call(process, calls::ASKER);
    let is_there = |frame: &Frame| {
        frame.function == printed::name(function) && frame.arity == printed::arity(arity)
    };
    if !stack.first().is_some_and(is_there) {
        let current = Frame {
            module: printed::name(module),
            function: printed::name(function),
            arity: printed::arity(arity),
            file: None,
            line: None,
        };
        stack.insert(0, current);
    }
    stack
}

/// The text of a list of characters, as names of files are.
fn file_name(file: Term) -> Option<String> {
    let characters = list::items(file).take(printed::MOST_IN_ROW).map(|item| {
        let code = item.ok()?.as_small()?;
        char::from_u32(u32::try_from(code).ok()?)
    });
    let name: String = characters.collect::<Option<_>>()?;
    Some(printed::text(&name, printed::MOST_IN_ROW))
}

/// The other side of a relation; `None` if programs do not see it.
fn other_side(other: Term) -> Option<String> {
    let mut scratch = Scratch::new();
    remote::identity(scratch.heap(), other).map(printed::identifier)
}

fn linked(process: &Process) -> Vec<String> {
    process
        .relations
        .linked()
        .filter_map(other_side)
        .take(MOST_RELATIONS)
        .collect()
}

fn monitored(process: &Process) -> Vec<String> {
    let target = |target: MonitorTarget| match target {
        MonitorTarget::Process {
            name: Some(name), ..
        }
        | MonitorTarget::Port {
            name: Some(name), ..
        } => Some(printed::name(name)),
        MonitorTarget::Process { pid, .. } => Some(printed::identifier(pid)),
        MonitorTarget::Port { port, .. } => Some(printed::identifier(port)),
        MonitorTarget::TimeOffset => Some("time_offset".into()),
        MonitorTarget::Remote { handle } => other_side(handle),
    };
    let monitors = process.relations.monitors();
    monitors
        .filter_map(|(_, to, _)| target(to))
        .take(MOST_RELATIONS)
        .collect()
}

fn watchers(process: &Process) -> Vec<String> {
    let watchers = process.relations.watchers();
    watchers
        .filter_map(|(_, watcher)| other_side(watcher.watcher))
        .take(MOST_RELATIONS)
        .collect()
}

fn tables(process: &Process) -> Vec<String> {
    let numbers = process.cold.as_ref().map_or(&[][..], |cold| &cold.tables);
    let tables = numbers
        .iter()
        .filter_map(|number| ets::registry::find(*number));
    let own = tables.filter(|table| table.owner() == process.pid());
    own.take(MOST_TABLES)
        .map(|table| printed::name(table.name()))
        .collect()
}

impl Holdings {
    fn of(process: &Process) -> Holdings {
        let sizes = gc::sizes(&process.head.heap);
        let (_, message_bytes) = holdings::messages(process);
        let own_timers = process
            .cold
            .as_ref()
            .map_or(0, |cold| bif_timers::bytes(&cold.timers));
        let timed = process.state.load(Ordering::Relaxed) & state::TIMED != 0;
        let other_timers = if timed {
            bif_timers::bytes_to(process.pid())
        } else {
            0
        };
        Holdings {
            heap_bytes: (gc::total_words(&process.head.heap) * 8) as u64,
            stack_bytes: (sizes.stack * 8) as u64,
            old_heap_bytes: (sizes.old_heap * 8) as u64,
            message_bytes,
            binary_bytes: holdings::binary_bytes(process, MOST_BINARIES),
            timer_bytes: own_timers + other_timers,
            minor_collections: process.head.heap.minor_collections.into(),
        }
    }
}

impl ProcessFlags {
    fn of(process: &Process) -> ProcessFlags {
        let off_heap = process.flags.contains(Flags::OFF_HEAP_MESSAGES);
        let mut scratch = Scratch::new();
        let max_heap = HeapLimit::of(process).to_map(scratch.heap());
        ProcessFlags {
            trap_exit: process.traps_exit(),
            priority: printed::name(process.priority().to_atom()),
            message_queue_data: if off_heap { "off_heap" } else { "on_heap" },
            sensitive: process.is_sensitive(),
            hibernates: process.flags.contains(Flags::HIBERNATED),
            is_supervisor: row::is_supervisor(process),
            is_system: process.flags.contains(Flags::SYSTEM),
            is_traced: process.flags.contains(Flags::TRACED),
            suspended: process.suspend_count.into(),
            scheduler: Some(process.bound_to().into()).filter(|number| *number != 0),
            is_flooded: flood::is_marked(process.pid()),
            min_heap_words: process.head.heap.min_words.into(),
            max_heap: printed::term(max_heap, printed::MOST_IN_ROW),
        }
    }
}
