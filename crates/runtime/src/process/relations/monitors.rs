//! The monitors of a process: those that it set, and those that others set on it.

use std::collections::HashMap;

use layout::Term;
use term::copy::Owned;
use term::reference;

use super::ReferenceNumber;

/// A monitor, as the process that set it knows it.
pub struct Monitor {
    /// The process, port or time offset that is monitored.
    pub target: MonitorTarget,
    /// The tag of the monitor message, if not the default `'DOWN'`.
    pub tag: Option<Owned>,
    /// The reference itself.
    pub reference: Owned,
}

pub enum MonitorTarget {
    Process { pid: Term, name: Option<Term> },
    Port { port: Term, name: Option<Term> },
    TimeOffset,
}

/// A monitor, as the monitored process knows it.
pub struct Watcher {
    /// The process that monitors.
    pub watcher: Term,
    pub reference: Owned,
    /// The registered name it monitored, if any; the message contains it.
    pub name: Option<Term>,
}

/// Monitors that a process set. They are added and removed through [`Relations`](super::Relations), because an alias may
/// end with its monitor.
#[derive(Default)]
pub struct Monitors(HashMap<ReferenceNumber, Monitor>);

impl Monitors {
    pub(super) fn add(&mut self, number: ReferenceNumber, monitor: Monitor) {
        self.0.insert(number, monitor);
    }

    pub(super) fn take(&mut self, number: ReferenceNumber) -> Option<Monitor> {
        self.0.remove(&number)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&ReferenceNumber, &Monitor)> {
        self.0.iter()
    }

    pub fn values(&self) -> impl Iterator<Item = &Monitor> {
        self.0.values()
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn table_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(ReferenceNumber, Monitor)>()
    }
}

/// Monitors that others set on a process.
#[derive(Default)]
pub struct Watchers(HashMap<ReferenceNumber, Watcher>);

impl Watchers {
    pub fn add(&mut self, watcher: Watcher) {
        let number = reference::number(watcher.reference.term()).expect("a local reference");
        self.0.insert(number, watcher);
    }

    pub fn remove(&mut self, number: ReferenceNumber) {
        self.0.remove(&number);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&ReferenceNumber, &Watcher)> {
        self.0.iter()
    }

    pub fn values(&self) -> impl Iterator<Item = &Watcher> {
        self.0.values()
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn table_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(ReferenceNumber, Watcher)>()
    }
}
