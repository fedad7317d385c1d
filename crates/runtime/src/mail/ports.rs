//! Ports with tasks that wait for a scheduler. What a port is, is in `effects::port`; here it is a [`PortWork`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::schedulers::schedulers;
use super::{current, wake};

/// What schedulers and timers do with a port.
pub trait PortWork: Send + Sync {
    /// Runs some of the tasks that wait for the port, as long as it may go on.
    fn run_tasks(self: Arc<Self>, may_go_on: &dyn Fn() -> bool) -> Left;

    /// The timer that its driver has set has expired.
    fn timer_expired(self: Arc<Self>, generation: u64);
}

/// What may be left in a port's queue.
#[derive(PartialEq, Eq)]
#[must_use]
pub enum Left {
    Nothing,
    Some,
}

/// How long a port waits for one scheduler before others may take it. Chosen by E3 (`pipe_ring` with `+spp true`).
const STEALABLE_AFTER_NS: i64 = 50_000;

/// Ports with tasks that wait for one scheduler, or for whichever comes first.
pub(crate) struct Waiting {
    ports: Mutex<VecDeque<Arc<dyn PortWork>>>,
    length: AtomicUsize,
    /// Since when the queue has not been empty.
    since_ns: AtomicI64,
}

/// Ports whose tasks were queued by threads that are not schedulers.
static FOR_ANY: Waiting = Waiting::new();

impl Waiting {
    pub(crate) const fn new() -> Waiting {
        Waiting {
            ports: Mutex::new(VecDeque::new()),
            length: AtomicUsize::new(0),
            since_ns: AtomicI64::new(0),
        }
    }

    /// The result may be out of date; a scheduler that is about to sleep checks again after it has announced that.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.length.load(Ordering::Acquire) == 0
    }

    /// Whether the ports have waited so long that another scheduler may take one.
    pub(crate) fn has_waited(&self) -> bool {
        !self.is_empty()
            && sys::clock::monotonic_ns() - self.since_ns.load(Ordering::Relaxed)
                >= STEALABLE_AFTER_NS
    }

    /// Adds a port; returns how many there are now.
    pub(crate) fn push(&self, port: Arc<dyn PortWork>) -> usize {
        let mut ports = self.ports.lock();
        if ports.is_empty() {
            let now_ns = sys::clock::monotonic_ns();
            self.since_ns.store(now_ns, Ordering::Relaxed);
        }
        ports.push_back(port);
        self.length.store(ports.len(), Ordering::Release);
        ports.len()
    }

    /// Takes the port that has waited longest.
    pub(crate) fn pop(&self) -> Option<Arc<dyn PortWork>> {
        if self.is_empty() {
            return None;
        }
        let mut ports = self.ports.lock();
        let port = ports.pop_front();
        self.length.store(ports.len(), Ordering::Release);
        port
    }
}

/// Whether ports wait to be run, by the scheduler that has this queue or by any.
#[inline]
#[must_use]
pub(crate) fn any(own: &Waiting) -> bool {
    !own.is_empty() || any_for_all()
}

/// Whether ports wait to be run by any scheduler.
#[inline]
#[must_use]
fn any_for_all() -> bool {
    !FOR_ANY.is_empty()
}

/// Runs tasks of the port that has waited longest for the scheduler with this queue; if there is none, of one that
/// waits for any scheduler. Returns how long that took. Ends early when the tasks have used up the scheduler's
/// reductions.
pub(crate) fn run_one(own: &Waiting) -> i64 {
    let Some(port) = own.pop().or_else(|| FOR_ANY.pop()) else {
        return 0;
    };
    let start_ns = sys::clock::monotonic_ns();
    let spent_ns = || sys::clock::monotonic_ns() - start_ns;
    let may_go_on = || spent_ns() < NS_AT_ONCE && current::reductions_left() > 0;
    if Arc::clone(&port).run_tasks(&may_go_on) == Left::Some {
        own.push(port);
    }
    spent_ns()
}

/// After so much time it looks at them in any case: a task may write or read 100 kB.
const NS_AT_ONCE: i64 = 50_000;

/// Has the tasks of a port run soon: by this thread's scheduler after the current slice, or by another one if that
/// takes long.
pub(crate) fn queue(port: Arc<dyn PortWork>) {
    if !current::run_port_soon(&port) {
        FOR_ANY.push(port);
        wake::wake_one(schedulers());
    }
}
