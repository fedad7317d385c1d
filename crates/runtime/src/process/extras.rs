//! The part of a process that ordinary processes never need: it belongs to those that open files or sockets, make dirty
//! calls, suspend others, are asked about by others, or change rare flags. Allocated when first needed, like the
//! [`Cold`](super::Cold) that it belongs to; only the owner of the process accesses it.

use std::any::Any;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use layout::{Heap, Term};
use rustc_hash::FxHashMap;
use term::copy::Owned;

use super::sequence::Sequence;
use super::suspend::{Pause, Suspending};
use super::tracing::{Sessions, Tracings};
use crate::process::dirty::{Collection, Kept};
use crate::process::signal::Taken;
use crate::process::tasks::Tasks;

/// What an observer of a process keeps with it. Only the observer knows what that is.
pub type Observed = Option<Box<dyn Any + Send>>;

/// The fields of a process that only few processes need.
#[derive(Default)]
pub struct Extras {
    pub heap_options: HeapOptions,
    /// The processes that this one suspends, by the bits of their pids.
    pub suspending: FxHashMap<u64, Suspending>,
    /// It is suspended by others.
    pub pause: Pause,
    /// Tasks to run between two slices.
    pub tasks: Tasks,
    /// Signals that are not handled yet because there were very many. SIGNALS is set in the state word while there are
    /// any.
    pub taken: Taken,
    /// The subject of an interrupted search, already checked to be UTF-8 (`bif::re`).
    pub valid_subject: Option<Owned>,
    /// The module set by `process_flag(error_handler, Module)`, if it is not `error_handler`.
    pub error_handler: Option<Term>,
    /// Terms of the outcome of a dirty call: roots until the outcome is picked up.
    pub roots: Vec<Term>,
    /// The dirty call that was requested, or its outcome.
    pub dirty: Option<crate::process::dirty::Call>,
    /// The garbage collection that the process needs a dirty scheduler for.
    pub collection: Option<Collection>,
    /// The registers of a process that left its scheduler for a collection in the middle of a function.
    pub kept: Kept,
    pub at_exit: AtExit,
    /// Its end has begun, and waits for ports that it had.
    pub closing: Option<Closing>,
    /// It has blocked multi-scheduling, and waits for the other schedulers to stop.
    pub is_blocking: bool,
    /// What it is traced for.
    pub tracings: Tracings,
    /// What it has of sequential trace.
    pub sequence: Option<Box<Sequence>>,
    /// There may be frames of functions on the stack whose exceptions are traced.
    pub exceptions_traced: bool,
    /// The functions whose costs are measured (`call_time`, `call_memory`), in each session that does that.
    pub measured: Observed,
    /// Words that collections have freed while memory was measured.
    pub collected_words: i64,
    /// The sessions whose system monitor was told that its message queue is long.
    pub long_queue_of: Sessions,
    /// Its last calls, if it saves them.
    pub saved_calls: Observed,
    /// Whether it never waits for a connection to another node (`process_flag(async_dist, true)`), if it has said so.
    pub async_dist: Option<bool>,
    /// What scheduler it was bound to, while it goes to the one that it has bound itself to.
    pub was_bound_to: Option<u16>,
    /// It is suspended by the receiver of what it has sent with `!`.
    pub is_sending: bool,
    /// It may do with every ETS table what the table's owner may (`erts_internal:ets_super_user/1`).
    pub ets_super_user: bool,
    /// What it has said that it is worth when memory runs out (`process_flag({ferl, memory_worth}, N)`).
    pub memory_worth: MemoryWorth,
}

/// See [`Extras::memory_worth`]: at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryWorth(u16);

impl MemoryWorth {
    pub const MOST: u16 = 1000;

    /// `None` if it is out of range.
    #[must_use]
    pub fn new(worth: i64) -> Option<MemoryWorth> {
        let worth = u16::try_from(worth).ok()?;
        (1..=MemoryWorth::MOST)
            .contains(&worth)
            .then_some(MemoryWorth(worth))
    }
}

impl Default for MemoryWorth {
    fn default() -> MemoryWorth {
        MemoryWorth(1)
    }
}

impl From<MemoryWorth> for u64 {
    fn from(MemoryWorth(worth): MemoryWorth) -> u64 {
        worth.into()
    }
}

impl Extras {
    /// Whether the process would be the same without it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Extras {
            heap_options,
            suspending,
            pause,
            tasks,
            taken,
            valid_subject,
            error_handler,
            roots,
            dirty,
            collection,
            kept,
            at_exit,
            closing,
            is_blocking,
            tracings,
            sequence,
            exceptions_traced,
            measured,
            collected_words,
            long_queue_of,
            saved_calls,
            async_dist,
            was_bound_to,
            is_sending,
            ets_super_user,
            memory_worth,
        } = self;
        *heap_options == HeapOptions::default()
            && async_dist.is_none()
            && !is_sending
            && !ets_super_user
            && *memory_worth == MemoryWorth::default()
            && was_bound_to.is_none()
            && suspending.is_empty()
            && *pause == Pause::default()
            && tasks.is_empty()
            && taken.is_empty()
            && valid_subject.is_none()
            && error_handler.is_none()
            && roots.is_empty()
            && dirty.is_none()
            && collection.is_none()
            && kept.is_empty()
            && at_exit.is_empty()
            && closing.is_none()
            && !is_blocking
            && tracings.is_off()
            && sequence.is_none()
            && !exceptions_traced
            && measured.is_none()
            && *collected_words == 0
            && long_queue_of.is_empty()
            && saved_calls.is_none()
    }
}

/// The ports that an ending process had, of which some were at work when it told them to close.
pub struct Closing {
    /// A port that has not closed yet has a [`Ticket`].
    tickets: Arc<()>,
    since_ns: i64,
}

/// Dropped by a port that has done what it was told.
pub struct Ticket {
    _of: Arc<()>,
}

impl Closing {
    /// A port that is at work for longer, perhaps in a driver of a library, closes after the end of the process.
    const PATIENCE_NS: i64 = 100_000_000;

    #[must_use]
    pub fn begin() -> Closing {
        Closing {
            tickets: Arc::default(),
            since_ns: sys::clock::monotonic_ns(),
        }
    }

    #[must_use]
    pub fn ticket(&self) -> Ticket {
        let of = Arc::clone(&self.tickets);
        Ticket { _of: of }
    }

    /// Whether the process has to wait for a port.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        let is_any_left = Arc::strong_count(&self.tickets) > 1;
        // What the ports did has happened before this, if all tickets are gone.
        fence(Ordering::Acquire);
        is_any_left && sys::clock::monotonic_ns() - self.since_ns < Closing::PATIENCE_NS
    }
}

/// Actions to run when the process ends for any reason, such as closing the files that it owns.
#[derive(Default)]
pub struct AtExit {
    actions: FxHashMap<u64, Watched>,
}

struct Watched {
    action: Action,
    /// What monitors the process by the action.
    watcher: Option<Watcher>,
}

/// An action; it gets the reason with which the process ends.
pub type Action = Box<dyn FnOnce(Term) + Send>;

/// Adds a term that stands for what monitors a process, as often as it does so.
pub type Watcher = Box<dyn Fn(&mut Heap, &mut Vec<Term>) + Send>;

/// The number of the node's next action. Not a count for each process, which would begin again when the process's
/// [`Extras`] is freed: a file that is closed twice removes its action twice.
static NEXT_ACTION: AtomicU64 = AtomicU64::new(0);

impl AtExit {
    /// Adds an action. `make` receives the number by which to [`remove`](AtExit::remove) it, and returns the
    /// action and a value, which `add` returns.
    pub fn add<T>(&mut self, make: impl FnOnce(u64) -> (T, Action)) -> T {
        let number = NEXT_ACTION.fetch_add(1, Ordering::Relaxed);
        let (value, action) = make(number);
        let watcher = None;
        self.actions.insert(number, Watched { action, watcher });
        value
    }

    /// Says what monitors the process by an action, if that is there.
    pub fn set_watcher(&mut self, number: u64, watcher: Watcher) {
        if let Some(watched) = self.actions.get_mut(&number) {
            watched.watcher = Some(watcher);
        }
    }

    /// Adds what monitors the process by its actions, the last one first.
    pub fn watchers(&self, heap: &mut Heap, terms: &mut Vec<Term>) {
        let mut watched: Vec<_> = self.actions.iter().collect();
        watched.sort_unstable_by_key(|(number, _)| Reverse(**number));
        for watcher in watched.iter().filter_map(|(_, of)| of.watcher.as_ref()) {
            watcher(heap, terms);
        }
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
    pub fn run(&mut self, reason: Term) {
        for (_, watched) in self.actions.drain() {
            (watched.action)(reason);
        }
    }
}

/// Heap options that differ from the node's defaults.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct HeapOptions {
    pub min_binary_words: Option<u64>,
    /// `{max_heap_size, #{size}}` in words; 0 is no limit.
    pub max_heap_words: Option<u64>,
    pub max_heap_kill: Option<bool>,
    pub max_heap_log: Option<bool>,
    pub max_heap_binaries: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_empty_once_everything_in_it_is_over() {
        let mut extras = Extras::default();
        assert!(extras.is_empty());
        extras.heap_options.min_binary_words = Some(1);
        assert!(!extras.is_empty());
        extras.heap_options.min_binary_words = None;
        extras.suspending.insert(1, Suspending::default());
        assert!(!extras.is_empty());
        extras.suspending.clear();
        let number = extras.at_exit.add(|number| (number, Box::new(|_| {})));
        assert!(!extras.is_empty());
        extras.at_exit.remove(number);
        assert!(extras.is_empty());
    }

    #[test]
    fn numbers_of_actions_are_never_used_again() {
        let mut first = AtExit::default();
        let mut second = AtExit::default();
        let number = first.add(|number| (number, Box::new(|_| {})));
        second.add(|number| (number, Box::new(|_| {})));
        second.remove(number);
        assert!(!second.is_empty());
    }
}
