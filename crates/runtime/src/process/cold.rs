//! The rarely used part of a process, allocated when first needed. Only the owner of the process accesses it.

use std::collections::{HashMap, VecDeque};

use layout::Term;
use term::copy::Owned;

use super::tasks::Task;
use crate::collector::dirty_collection::{Collection, Kept};
use crate::receive::markers::ReceiveMarkers;
use crate::scheduler::dirty;
use crate::timer::TimerKey;

/// The rarely used fields of a process.
#[derive(Default)]
pub struct Cold {
    /// The exit reason, once `EXIT_PENDING` is set.
    pub exit_reason: Option<Owned>,
    /// The timer of the current `receive ... after`, if one is set.
    pub receive_timer: Option<TimerKey>,
    pub receive_markers: ReceiveMarkers,
    pub heap_options: HeapOptions,
    /// Numbers of the ETS tables that it owns or has fixed, and perhaps of some that it once did: the tables' own
    /// records are authoritative.
    pub tables: Vec<u64>,
    /// How often this process suspended others; the key is the bits of their pids.
    pub suspending: HashMap<u64, u32>,
    /// Tasks to run between two slices, in order of arrival.
    pub tasks: VecDeque<Task>,
    /// Numbers of the timers that it set to send to itself; expired ones are dropped from time to time.
    pub timers: Vec<u64>,
    /// The subject of an interrupted search, already checked to be UTF-8 (`bif::re`).
    pub valid_subject: Option<Owned>,
    /// The module set by `process_flag(error_handler, Module)`, if it is not `error_handler`.
    pub error_handler: Option<Term>,
    /// How often `monitor_nodes` was turned on, for each set of options.
    pub node_monitors: HashMap<u8, u32>,
    /// Terms of the outcome of a dirty call: roots until the outcome is picked up.
    pub roots: Vec<Term>,
    /// The dirty call that was requested, or its outcome.
    pub dirty: Option<dirty::Call>,
    /// The garbage collection that the process needs a dirty scheduler for.
    pub collection: Option<Collection>,
    /// The registers of a process that left its scheduler for a collection in the middle of a function.
    pub kept: Kept,
    pub at_exit: AtExit,
}

/// Actions to run when the process ends for any reason, such as closing the files that it owns.
#[derive(Default)]
pub struct AtExit {
    next: u64,
    actions: HashMap<u64, Box<dyn FnOnce() + Send>>,
}

impl AtExit {
    /// Adds an action. `make` receives the number by which to [`remove`](AtExit::remove) it, and returns the
    /// action and a value, which `add` returns.
    pub fn add<T>(&mut self, make: impl FnOnce(u64) -> (T, Box<dyn FnOnce() + Send>)) -> T {
        let number = self.next;
        self.next += 1;
        let (value, action) = make(number);
        self.actions.insert(number, action);
        value
    }

    /// Removes an action without running it, if it is there.
    pub fn remove(&mut self, number: u64) {
        self.actions.remove(&number);
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Runs all actions, in no particular order.
    pub fn run(&mut self) {
        for (_, action) in self.actions.drain() {
            action();
        }
    }
}

/// Heap options that differ from the node's defaults.
#[derive(Clone, Copy, Default)]
pub struct HeapOptions {
    pub min_binary_words: Option<u64>,
    /// `{max_heap_size, #{size}}` in words; 0 is no limit.
    pub max_heap_words: Option<u64>,
    pub max_heap_kill: Option<bool>,
    pub max_heap_log: Option<bool>,
    pub max_heap_binaries: Option<bool>,
}
