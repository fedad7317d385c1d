//! The seldom used part of a process, made when first needed. The owner's alone.

use std::collections::HashMap;

use layout::Term;
use term::copy::Owned;

use super::relations::Relations;
use crate::timer::TimerKey;

/// What a process has only sometimes.
#[derive(Default)]
pub struct Cold {
    pub relations: Relations,
    /// The process dictionary, in order of first insertion. Keys and values are terms of the
    /// process, and roots of its collections.
    pub dictionary: Dictionary,
    pub registered_name: Option<Term>,
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
    /// `{Pid, Count}` of suspensions that this process holds on others.
    pub suspending: HashMap<u64, u32>,
    /// The label of `process_flag(label)` and other terms that are roots: `[label]`.
    pub roots: Vec<Term>,
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

/// The process dictionary: pairs in a hash table of indexes once there are many.
#[derive(Default)]
pub struct Dictionary {
    /// Key, value, key, value...: one slice, so that it is one root.
    pub pairs: Vec<Term>,
}

impl Dictionary {
    /// Where a key's pair stands.
    fn find(&self, key: Term) -> Option<usize> {
        self.pairs
            .chunks_exact(2)
            .position(|pair| pair[0] == key || same(pair[0], key))
            .map(|at| at * 2)
    }

    #[must_use]
    pub fn get(&self, key: Term) -> Option<Term> {
        self.find(key).map(|at| self.pairs[at + 1])
    }

    /// Puts a value, answering the one before.
    pub fn put(&mut self, key: Term, value: Term) -> Option<Term> {
        if let Some(at) = self.find(key) {
            return Some(std::mem::replace(&mut self.pairs[at + 1], value));
        }
        self.pairs.extend([key, value]);
        None
    }

    pub fn erase(&mut self, key: Term) -> Option<Term> {
        let at = self.find(key)?;
        let value = self.pairs[at + 1];
        self.pairs.drain(at..at + 2);
        Some(value)
    }
}

fn same(a: Term, b: Term) -> bool {
    !a.is_immediate() && !b.is_immediate() && term::compare::eq_exact(a, b)
}
