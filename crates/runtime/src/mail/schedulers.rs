//! What any thread may know and use of each scheduler: its queues, where it sleeps, and what it counts.
//!
//! What only the scheduler's own thread uses is in [`super::current`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering, fence};

use layout::Term;
use sys::park::ParkingSpot;

use super::aux_work::AuxWorkList;
use super::binding::Binding;
use super::bound::Bound;
use super::ports;
use super::queues::{Injected, RunQueues, Stealers};
#[cfg(feature = "loom")]
pub use super::wake::sleepers::Sleepers;
#[cfg(not(feature = "loom"))]
use super::wake::sleepers::Sleepers;

/// Size of a scheduler's native stack; BIFs run on it.
pub const STACK_BYTES: usize = 8 << 20;

/// Counters of a scheduler's work, read by `statistics` and by thieves. Only the scheduler writes them.
#[repr(align(128))]
pub struct Counts {
    switches: AtomicU64,
    reductions: AtomicU64,
    balance_checks: AtomicU64,
    messages_sent: AtomicU64,
}

impl Counts {
    pub(crate) fn add(&self, reductions: i64) {
        let one_more = |count: &AtomicU64, more: u64| {
            count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        one_more(&self.switches, 1);
        one_more(&self.reductions, reductions as u64);
    }

    pub(crate) fn add_balance_check(&self) {
        let before = self.balance_checks.load(Ordering::Relaxed);
        self.balance_checks.store(before + 1, Ordering::Relaxed);
    }

    /// Tells how many messages the scheduler has sent.
    pub(crate) fn set_messages_sent(&self, sent: u64) {
        self.messages_sent.store(sent, Ordering::Relaxed);
    }

    /// How many messages the scheduler had sent when it last looked for other work than processes.
    #[must_use]
    pub fn messages_sent(&self) -> u64 {
        self.messages_sent.load(Ordering::Relaxed)
    }

    /// How often the scheduler, having work, has compared its queue with those of the others.
    #[must_use]
    pub fn balance_checks(&self) -> u64 {
        self.balance_checks.load(Ordering::Relaxed)
    }

    /// Context switches.
    #[must_use]
    pub fn switches(&self) -> u64 {
        self.switches.load(Ordering::Relaxed)
    }

    #[must_use]
    pub fn reductions(&self) -> u64 {
        self.reductions.load(Ordering::Relaxed)
    }
}

/// A process that a scheduler has begun to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Begun {
    pub pid: Term,
    /// The address at which it went on.
    pub at: u64,
    /// The slices that the scheduler had finished before.
    pub slice: u64,
}

/// What a scheduler runs, while somebody looks for long slices. Only the scheduler writes it.
pub struct Running {
    pid: AtomicU64,
    at: AtomicU64,
    /// Written last; [`NO_SLICE`] while the others are.
    slice: AtomicU64,
}

const NO_SLICE: u64 = u64::MAX;

impl Running {
    const fn new() -> Running {
        Running {
            pid: AtomicU64::new(0),
            at: AtomicU64::new(0),
            slice: AtomicU64::new(NO_SLICE),
        }
    }

    pub(crate) fn begins(&self, begun: Begun) {
        self.slice.store(NO_SLICE, Ordering::Relaxed);
        fence(Ordering::Release);
        self.pid.store(begun.pid.bits(), Ordering::Relaxed);
        self.at.store(begun.at, Ordering::Relaxed);
        self.slice.store(begun.slice, Ordering::Release);
    }

    fn read(&self) -> Option<Begun> {
        let slice = self.slice.load(Ordering::Acquire);
        let pid = self.pid.load(Ordering::Relaxed);
        let at = self.at.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let is_whole = slice != NO_SLICE && self.slice.load(Ordering::Relaxed) == slice;
        is_whole.then(|| Begun {
            // SAFETY: these are the bits of a pid, an immediate term: `begins` has written them before `slice`.
            pid: unsafe { Term::from_bits(pid) },
            at,
            slice,
        })
    }
}

/// The part of a scheduler that other threads may access.
#[repr(align(128))]
pub struct Shared {
    pub index: usize,
    pub(crate) stealers: Stealers,
    /// Ports with tasks that were queued by code running on this scheduler.
    pub(crate) ports: ports::Waiting,
    pub(crate) bound: Bound,
    /// Where its thread sleeps.
    pub(crate) spot: ParkingSpot,
    pub(crate) aux_work: AuxWorkList,
    pub(crate) binding: Binding,
    /// Whether it runs nothing but urgent processes, while others are queued.
    pub(crate) gives_no_turns: AtomicBool,
    pub counts: Counts,
    pub(crate) running: Running,
    /// Nanoseconds slept, without the sleep that began at `asleep_since_ns` and still lasts (0: it is awake).
    pub slept_ns: AtomicI64,
    pub asleep_since_ns: AtomicI64,
    /// Nanoseconds without a process, though not asleep: it waited until it might take those of others.
    pub stood_by_ns: AtomicI64,
    pub started_ns: i64,
}

impl Shared {
    pub(crate) fn new(index: usize, queues: &RunQueues) -> Shared {
        Shared {
            index,
            stealers: queues.stealers(),
            ports: ports::Waiting::new(),
            bound: Bound::default(),
            spot: ParkingSpot::new(),
            aux_work: AuxWorkList::default(),
            binding: Binding::new(),
            gives_no_turns: AtomicBool::new(false),
            counts: Counts {
                switches: AtomicU64::new(0),
                reductions: AtomicU64::new(0),
                balance_checks: AtomicU64::new(0),
                messages_sent: AtomicU64::new(0),
            },
            running: Running::new(),
            slept_ns: AtomicI64::new(0),
            asleep_since_ns: AtomicI64::new(0),
            stood_by_ns: AtomicI64::new(0),
            started_ns: sys::clock::monotonic_ns(),
        }
    }

    /// The process whose code the scheduler runs, or has just run: in the slice that is not finished yet. Known only
    /// while the window looks for long slices (`effects::system_monitor`).
    #[must_use]
    pub fn runs(&self) -> Option<Begun> {
        let begun = self.running.read()?;
        (begun.slice == self.counts.switches()).then_some(begun)
    }

    /// The number of queued processes for each priority.
    #[must_use]
    pub fn queue_lengths(&self) -> [usize; 4] {
        let (own, bound) = (self.stealers.lengths(), self.bound.lengths());
        std::array::from_fn(|priority| own[priority] + bound[priority])
    }
}

/// The schedulers of the node.
pub struct Schedulers {
    pub all: Vec<Shared>,
    pub online: AtomicUsize,
    pub(crate) idle: Sleepers,
    pub(crate) injected: Injected,
}

static SCHEDULERS: OnceLock<Schedulers> = OnceLock::new();

/// Number of schedulers; 1 before they are created.
#[must_use]
pub fn count() -> usize {
    SCHEDULERS
        .get()
        .map_or(1, |schedulers| schedulers.all.len())
}

/// The node's schedulers.
///
/// # Panics
/// Before [`create`].
#[must_use]
pub fn schedulers() -> &'static Schedulers {
    SCHEDULERS
        .get()
        .expect("schedulers are made before the first process")
}

/// The node's schedulers, or `None` before [`create`].
#[must_use]
pub fn schedulers_if_made() -> Option<&'static Schedulers> {
    SCHEDULERS.get()
}

/// Creates the state of `total` schedulers, of which `online` run processes. Each of their threads then calls
/// `exec::scheduler::run`.
pub fn create(total: usize, online: usize) -> Vec<RunQueuesOf> {
    let queues: Vec<RunQueues> = (0..total).map(|_| RunQueues::new()).collect();
    let all = queues
        .iter()
        .enumerate()
        .map(|(index, queues)| Shared::new(index, queues))
        .collect();
    let schedulers = Schedulers {
        all,
        online: AtomicUsize::new(online),
        idle: Sleepers::new(),
        injected: Injected::new(),
    };
    assert!(
        SCHEDULERS.set(schedulers).is_ok(),
        "schedulers are made once"
    );
    queues.into_iter().map(RunQueuesOf).collect()
}

/// The queues of one scheduler, to be handed to its thread.
pub struct RunQueuesOf(pub(crate) RunQueues);

// SAFETY: handed to a single thread before anyone uses it.
unsafe impl Send for RunQueuesOf {}

/// The number of queued processes for each scheduler; processes from other threads count for the first.
#[must_use]
pub fn run_queue_lengths() -> Vec<usize> {
    let mut lengths: Vec<usize> = schedulers()
        .all
        .iter()
        .map(|shared| shared.stealers.len() + shared.bound.len())
        .collect();
    if let Some(first) = lengths.first_mut() {
        *first += schedulers().injected.len();
    }
    lengths
}

/// The number of schedulers that do not sleep.
#[must_use]
pub fn awake_count() -> usize {
    let all = schedulers().all.iter();
    all.filter(|shared| shared.asleep_since_ns.load(Ordering::Relaxed) == 0)
        .count()
}

/// The number of queued and running processes for each scheduler; an awake scheduler counts as running one.
#[must_use]
pub fn active_tasks() -> Vec<usize> {
    let mut tasks = run_queue_lengths();
    for (tasks, shared) in tasks.iter_mut().zip(&schedulers().all) {
        let is_awake = shared.asleep_since_ns.load(Ordering::Relaxed) == 0;
        *tasks += usize::from(is_awake);
    }
    tasks
}
