//! All numbers of the node at one moment.
//!
//! Most are counters that their threads keep for themselves anyway, so a reading takes microseconds and nobody notices
//! it. What needs the locks of others ([`Slow`]) is given up where they are not free soon, and is asked for so seldom
//! that it takes at most a hundredth of a processor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use runtime::code::modules;
use runtime::effects::{collection, port};
use runtime::mail::{dirty, idle, metering, schedulers, timer};
use runtime::process::dirty::DirtyKind;
use runtime::process::table;
use sys::histogram::Counted;
use term::atom;

use super::connected::{self, Peer};
use super::memory::{self, Memory};
use crate::sockets::{self, Totals};

/// How long to wait for one lock.
const PATIENCE: Duration = Duration::from_millis(1);
/// What was slow is left alone for so many times as long as it took.
const REST: u32 = 100;

/// See the module's documentation. Times are in nanoseconds.
pub(crate) struct Reading {
    /// By the monotonic clock.
    pub(crate) at_ns: i64,
    pub(crate) unix_ms: i64,
    /// Of each scheduler, without looking for work.
    pub(crate) worked_ns: Vec<i64>,
    pub(crate) online: usize,
    /// Of all threads of the kind together, and how many there are.
    pub(crate) dirty_cpu: (i64, usize),
    pub(crate) dirty_io: (i64, usize),
    pub(crate) cpu_ns: i64,
    pub(crate) queued: usize,
    pub(crate) queued_dirty_cpu: usize,
    pub(crate) queued_dirty_io: usize,
    pub(crate) reductions: u64,
    pub(crate) slices: u64,
    pub(crate) memory: Memory,
    pub(crate) guard: Option<guard::Figures>,
    pub(crate) processes: usize,
    pub(crate) spawned: u64,
    pub(crate) messages: u64,
    pub(crate) collections: u64,
    pub(crate) reclaimed_words: u64,
    pub(crate) pauses: Counted,
    pub(crate) latencies: Counted,
    pub(crate) message_ages: Counted,
    pub(crate) oldest_message_ns: Option<u64>,
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) ports: usize,
    pub(crate) sockets: Totals,
    pub(crate) tables: usize,
    pub(crate) atoms: usize,
    pub(crate) modules: usize,
    /// The nodes that are connected.
    pub(crate) each_peer: Arc<[Peer]>,
    pub(crate) timers: usize,
}

/// What takes long to find out, and is kept for a while.
#[derive(Default)]
pub(crate) struct Slow {
    ets: Kept<u64>,
    /// Bytes of code, and the number of modules.
    code: Kept<(u64, usize)>,
    peers: Kept<Option<Arc<[Peer]>>>,
    timers: Kept<usize>,
}

/// A value, and when to ask for it again.
#[derive(Default)]
struct Kept<T> {
    value: T,
    until: Option<Instant>,
}

impl<T: Clone> Kept<T> {
    /// The value; it is kept as it is where `ask` finds none.
    fn get(&mut self, ask: impl FnOnce() -> Option<T>) -> T {
        let began = Instant::now();
        if self.until.is_none_or(|until| began >= until) {
            if let Some(value) = ask() {
                self.value = value;
            }
            self.until = Some(began + began.elapsed() * REST);
        }
        self.value.clone()
    }
}

fn code() -> Option<(u64, usize)> {
    let all = modules::all_within(PATIENCE)?;
    let versions = all.iter().flat_map(|(_, versions)| {
        [&versions.current, &versions.old]
            .into_iter()
            .flatten()
            .map(|loaded| loaded.code.size_bytes() as u64)
    });
    Some((versions.sum(), all.len()))
}

fn worked(kind: DirtyKind) -> (i64, usize) {
    let worked_ns = dirty::worked_ns(kind);
    (worked_ns.iter().sum(), worked_ns.len())
}

impl Reading {
    /// The numbers as they are now.
    pub(crate) fn take(slow: &mut Slow) -> Reading {
        let ets = slow
            .ets
            .get(|| Some(memory::ets_bytes(&ets::registry::all(), PATIENCE)));
        let (code, modules) = slow.code.get(code);
        let each_peer = slow
            .peers
            .get(|| Some(Some(connected::all_within(PATIENCE).into())));
        let timers = slow.timers.get(|| Some(timer::count_within(PATIENCE)));
        let schedulers = schedulers::schedulers();
        let sum = |of: fn(&schedulers::Counts) -> u64| {
            let all = schedulers.all.iter();
            all.map(|shared| of(&shared.counts)).sum::<u64>()
        };
        let (collections, reclaimed_words) = collection::statistics();
        let (input, output) = port::bytes();
        Reading {
            at_ns: sys::clock::monotonic_ns(),
            unix_ms: sys::clock::system_ns() / 1_000_000,
            worked_ns: idle::worked_ns(),
            online: runtime::exec::scheduler::online::online(),
            dirty_cpu: worked(DirtyKind::Cpu),
            dirty_io: worked(DirtyKind::Io),
            cpu_ns: sys::clock::process_cpu_ns(),
            queued: schedulers::run_queue_lengths().iter().sum(),
            queued_dirty_cpu: dirty::queue_length(DirtyKind::Cpu),
            queued_dirty_io: dirty::queue_length(DirtyKind::Io),
            reductions: sum(schedulers::Counts::reductions),
            slices: sum(schedulers::Counts::switches),
            memory: Memory::now(code, ets),
            guard: guard::figures(),
            processes: table::count(),
            spawned: table::made(),
            messages: metering::messages_sent(),
            collections,
            reclaimed_words,
            pauses: collection::pauses(),
            latencies: metering::latencies(),
            message_ages: metering::message_ages(),
            oldest_message_ns: metering::oldest_message_ns(),
            input,
            output,
            ports: port::count(),
            sockets: sockets::totals(),
            tables: ets::count(),
            atoms: atom::count(),
            modules,
            each_peer: each_peer.unwrap_or_default(),
            timers,
        }
    }

    /// The bytes that wait to be sent to other nodes, as far as they are known.
    pub(crate) fn peer_bytes(&self) -> u64 {
        let seen = self.each_peer.iter().filter_map(|peer| peer.seen);
        seen.map(|seen| seen.queued_bytes).sum()
    }

    /// A reading of a node that has not begun, for tests.
    #[cfg(test)]
    pub(crate) fn empty() -> Reading {
        Reading {
            at_ns: 0,
            unix_ms: 0,
            worked_ns: vec![0],
            online: 1,
            dirty_cpu: (0, 1),
            dirty_io: (0, 1),
            cpu_ns: 0,
            queued: 0,
            queued_dirty_cpu: 0,
            queued_dirty_io: 0,
            reductions: 0,
            slices: 0,
            memory: Memory::default(),
            guard: None,
            processes: 0,
            spawned: 0,
            messages: 0,
            collections: 0,
            reclaimed_words: 0,
            pauses: Counted::default(),
            latencies: Counted::default(),
            message_ages: Counted::default(),
            oldest_message_ns: None,
            input: 0,
            output: 0,
            ports: 0,
            sockets: Totals::default(),
            tables: 0,
            atoms: 0,
            modules: 0,
            each_peer: Arc::default(),
            timers: 0,
        }
    }
}
