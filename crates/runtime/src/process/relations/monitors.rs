//! The monitors of a process: those that it set, and those that others set on it, its watchers.

use layout::Term;
use term::am;
use term::copy::Owned;

use super::aliases::AliasKind;
use super::entries::{Entry, EntryKind, mark};
use super::{ReferenceNumber, Relations, low_number};
use crate::process::rank::Rank;
use crate::process::relations::is_handle;

/// A monitor, as the process that set it knows it.
pub struct Monitor {
    pub target: MonitorTarget,
    /// The tag of the monitor message, if not the default `'DOWN'`.
    pub tag: Option<Owned>,
    /// Whether the reference names the process that set the monitor, because it is or was an alias too.
    pub names_owner: bool,
    /// That of the monitor message.
    pub rank: Rank,
}

/// What is needed of a monitor of the time offset, which goes on when it has sent a message.
pub struct TimeOffsetMonitor<'a> {
    /// The tag of the message, if not the default `'CHANGE'`.
    pub tag: Option<&'a Owned>,
    /// As [`Monitor::names_owner`].
    pub names_owner: bool,
}

/// The options of a monitor.
#[derive(Default)]
pub struct MonitorOptions {
    pub alias: Option<AliasKind>,
    pub tag: Option<Owned>,
    pub rank: Rank,
}

/// The process, port or time offset that is monitored.
#[derive(Clone, Copy)]
pub enum MonitorTarget {
    Process {
        pid: Term,
        name: Option<Term>,
    },
    Port {
        port: Term,
        name: Option<Term>,
    },
    TimeOffset,
    /// A process of another node, or such a node.
    Remote {
        handle: Term,
    },
}

/// A monitor, as the monitored process knows it.
#[derive(Clone, Copy)]
pub struct Watcher {
    /// The process or port that monitors; for one of another node its handle.
    pub watcher: Term,
    /// The registered name it monitored, if any; the message contains it.
    pub name: Option<Term>,
    /// As [`Monitor::names_owner`].
    pub names_owner: bool,
}

impl MonitorTarget {
    fn of(entry: &Entry) -> MonitorTarget {
        let name = entry.name();
        match entry.other {
            am::CLOCK_SERVICE => MonitorTarget::TimeOffset,
            handle if is_handle(handle) => MonitorTarget::Remote { handle },
            port if entry.marks & mark::OF_PORT != 0 => MonitorTarget::Port { port, name },
            pid => MonitorTarget::Process { pid, name },
        }
    }

    fn entry(self, number: u64) -> Entry {
        let (other, name) = match self {
            MonitorTarget::Process { pid, name } => (pid, name),
            MonitorTarget::Port { port, name } => (port, name),
            MonitorTarget::TimeOffset => (am::CLOCK_SERVICE, None),
            MonitorTarget::Remote { handle } => (handle, None),
        };
        let marks = match self {
            MonitorTarget::Port { .. } => mark::OF_PORT,
            _ => 0,
        };
        Entry {
            marks,
            ..Entry::new(EntryKind::Monitor, number, other).named(name)
        }
    }
}

impl Watcher {
    fn of(entry: &Entry) -> Watcher {
        Watcher {
            watcher: entry.other,
            name: entry.name(),
            names_owner: entry.names_owner,
        }
    }
}

impl Relations {
    /// Adds a monitor that this process sets.
    pub fn add_monitor(
        &mut self,
        number: ReferenceNumber,
        target: MonitorTarget,
        MonitorOptions { alias, tag, rank }: MonitorOptions,
    ) {
        let number = low_number(number).expect("a new reference");
        let entry = Entry {
            names_owner: alias.is_some(),
            alias,
            ..target.entry(number)
        };
        self.0.add(entry.ranked(rank));
        if let Some(tag) = tag {
            self.0.keep_tag(number, tag);
        }
    }

    /// Removes a monitor that this process set. An alias that ends with it ends; another stays.
    pub fn take_monitor(&mut self, number: ReferenceNumber) -> Option<Monitor> {
        let number = low_number(number)?;
        let entry = self.0.remove(EntryKind::Monitor, number)?;
        if let Some(kind @ (AliasKind::ExplicitUnalias | AliasKind::Reply)) = entry.alias {
            self.add_alias((number, 0), kind, Rank::Ordinary);
        }
        Some(Monitor {
            target: MonitorTarget::of(&entry),
            tag: self.0.take_tag(number),
            names_owner: entry.names_owner,
            rank: entry.rank(),
        })
    }

    /// The monitor of the time offset with this number.
    pub fn time_offset_monitor(
        &mut self,
        number: ReferenceNumber,
    ) -> Option<TimeOffsetMonitor<'_>> {
        let number = low_number(number)?;
        let entry = self.0.get(EntryKind::Monitor, number)?;
        if !matches!(MonitorTarget::of(entry), MonitorTarget::TimeOffset) {
            return None;
        }
        let names_owner = entry.names_owner;
        Some(TimeOffsetMonitor {
            tag: self.0.tag(number),
            names_owner,
        })
    }

    /// What is monitored by the monitor with this number.
    pub fn monitored(&mut self, number: ReferenceNumber) -> Option<MonitorTarget> {
        let entry = self.0.get(EntryKind::Monitor, low_number(number)?)?;
        Some(MonitorTarget::of(entry))
    }

    /// The monitors that this process set: number, target, and whether the reference names the process.
    pub fn monitors(&self) -> impl Iterator<Item = (u64, MonitorTarget, bool)> {
        let monitors = self.0.of_kind(EntryKind::Monitor);
        monitors.map(|entry| (entry.number, MonitorTarget::of(entry), entry.names_owner))
    }

    /// Adds a monitor that another process set on this one.
    pub fn add_watcher(&mut self, number: ReferenceNumber, watcher: Watcher) {
        let number = low_number(number).expect("a reference of this node");
        let Watcher {
            watcher,
            name,
            names_owner,
        } = watcher;
        self.0.add(Entry {
            names_owner,
            ..Entry::new(EntryKind::Watcher, number, watcher).named(name)
        });
    }

    /// Removes a monitor that another process set on this one.
    pub fn remove_watcher(&mut self, number: ReferenceNumber) -> Option<Watcher> {
        let entry = self.0.remove(EntryKind::Watcher, low_number(number)?)?;
        Some(Watcher::of(&entry))
    }

    /// The monitors that others set on this process, with their numbers.
    pub fn watchers(&self) -> impl Iterator<Item = (u64, Watcher)> {
        let watchers = self.0.of_kind(EntryKind::Watcher);
        watchers.map(|entry| (entry.number, Watcher::of(entry)))
    }
}
