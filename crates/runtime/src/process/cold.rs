//! The seldom used part of a process, made when first needed. The owner's alone.

use std::collections::{HashMap, VecDeque};

use layout::Term;
use term::copy::Owned;

use super::dictionary::Dictionary;
use super::relations::Relations;
use super::tasks::Task;
use crate::collector::elsewhere::{Collection, Kept};
use crate::scheduler::dirty;
use crate::timer::TimerKey;

/// What a process has only sometimes.
#[derive(Default)]
pub struct Cold {
    pub relations: Relations,
    /// Keys and values are terms of the process, and roots of its collections.
    pub dictionary: Dictionary,
    /// Why it ends, once `EXIT_PENDING` is set.
    pub exit_reason: Option<Owned>,
    /// The receive timer: where it is, and which one it is.
    pub receive_timer: Option<ReceiveTimer>,
    /// Numbers receive timers, so that one that ran out late is told from the next.
    pub timer_generation: u64,
    pub receive_markers: Vec<ReceiveMarker>,
    pub heap_options: HeapOptions,
    /// ETS tables it owns; the tables' own entries are what counts.
    pub tables: Vec<u64>,
    /// How often this process suspended another, by the bits of its pid.
    pub suspending: HashMap<u64, u32>,
    /// What is to be done between two slices, in order of arrival.
    pub tasks: VecDeque<Task>,
    /// Numbers of the timers that will send to this process alone; those that ran out are dropped
    /// now and then.
    pub timers: Vec<u64>,
    /// The subject of a search that goes on, found to be UTF-8 (`bif::re`).
    pub valid_subject: Option<Owned>,
    /// The module of `process_flag(error_handler)`, when it is not `error_handler`.
    pub error_handler: Option<Term>,
    /// How often `monitor_nodes` was asked for, by its options.
    pub node_monitors: HashMap<u8, u32>,
    /// Terms that a call made by a dirty scheduler left: roots until they are picked up.
    pub roots: Vec<Term>,
    /// That call.
    pub dirty: Option<dirty::Call>,
    /// What a dirty scheduler is to collect.
    pub collection: Option<Collection>,
    /// What the process goes on with when it left for that in the middle of a function.
    pub kept: Kept,
    pub at_exit: AtExit,
}

/// What is to be done when the process ends, whatever its end is: to close the files it owns, say.
#[derive(Default)]
pub struct AtExit {
    next: u64,
    actions: HashMap<u64, Box<dyn FnOnce() + Send>>,
}

impl AtExit {
    /// Adds an action. `make` is given the number to [`remove`](AtExit::remove) it by, and answers the
    /// action beside a value of its own.
    pub fn add<T>(&mut self, make: impl FnOnce(u64) -> (T, Box<dyn FnOnce() + Send>)) -> T {
        let number = self.next;
        self.next += 1;
        let (value, action) = make(number);
        self.actions.insert(number, action);
        value
    }

    /// Forgets an action, if it is there.
    pub fn remove(&mut self, number: u64) {
        self.actions.remove(&number);
    }

    /// Does everything, in no particular order.
    pub fn run(&mut self) {
        for (_, action) in self.actions.drain() {
            action();
        }
    }
}

pub struct ReceiveTimer {
    pub key: TimerKey,
    pub generation: u64,
}

/// A place in the message queue before which no message can hold the reference.
pub struct ReceiveMarker {
    pub id: u64,
    /// The bound reference's number, once bound.
    pub reference: Option<(u64, u64)>,
    /// The link at which scanning may begin.
    pub position: *mut *mut layout::Fragment,
}

/// Heap options that differ from the node's defaults.
#[derive(Clone, Copy, Default)]
pub struct HeapOptions {
    pub min_binary_words: Option<u64>,
    /// `{max_heap_size, #{size}}` in words; 0 is none.
    pub max_heap_words: Option<u64>,
    pub max_heap_kill: Option<bool>,
    pub max_heap_log: Option<bool>,
    pub max_heap_binaries: Option<bool>,
}
