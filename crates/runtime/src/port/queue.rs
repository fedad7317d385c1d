//! Signals that wait for a port: those sent while it was occupied, and all of a port with `parallelism`.
//!
//! A signal runs in its sender when nothing waits before it and the port's lock is free; else it is queued as a
//! *task*, and a scheduler runs the port's tasks in order. Whoever has a signal queued has all later ones queued as
//! well until the queue was found empty, so signals from one sender stay in order.
//!
//! Any thread queues; one scheduler at a time runs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crossbeam_deque::{Injector, Steal};
use layout::Term;
use parking_lot::Mutex;

use super::{Port, State, resume_all};
use crate::scheduler;

/// What is to be done in the port.
pub type Task = Box<dyn FnOnce(&Arc<Port>, &mut State) + Send>;

/// Tasks that a scheduler runs before it looks at its processes again.
const TASKS_AT_ONCE: usize = 64;

/// Ports with tasks, for whichever scheduler comes first.
static RUNNABLE: LazyLock<Injector<Arc<Port>>> = LazyLock::new(Injector::new);

/// Where the tasks of one port wait.
pub struct Tasks {
    /// Something waits or runs: later signals are queued as well.
    pending: AtomicBool,
    queue: Mutex<Queue>,
}

struct Queue {
    tasks: VecDeque<(usize, Task)>,
    /// Bytes of the commands among them.
    bytes: usize,
    /// Above `high`, until they are down to `low`.
    busy: bool,
    /// The marks: low and high; None when turned off.
    limits: Option<(usize, usize)>,
    /// Processes that wait until it is not.
    waiting: Vec<Term>,
}

impl Tasks {
    pub(super) fn new(limits: Option<(usize, usize)>) -> Tasks {
        Tasks {
            pending: AtomicBool::new(false),
            queue: Mutex::new(Queue {
                tasks: VecDeque::new(),
                bytes: 0,
                busy: false,
                limits,
                waiting: Vec::new(),
            }),
        }
    }

    #[inline]
    pub(super) fn are_pending(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }

    /// Whether too many bytes wait; then the process is noted, to be resumed.
    pub(super) fn is_busy(&self, wait_for: Option<Term>) -> bool {
        if !self.are_pending() {
            return false;
        }
        let mut queue = self.queue.lock();
        if queue.busy {
            queue.waiting.extend(wait_for);
        }
        queue.busy
    }

    /// Bytes of the commands that wait.
    pub(super) fn bytes(&self) -> usize {
        self.queue.lock().bytes
    }

    /// The marks; without any, marks that are never reached.
    pub(super) fn limits(&self) -> (usize, usize) {
        self.queue.lock().limits.unwrap_or((usize::MAX, usize::MAX))
    }

    /// Sets the marks for the bytes that wait, and answers those that count from now on.
    pub(super) fn set_limits(&self, limits: Option<(usize, usize)>) {
        self.queue.lock().limits = limits;
    }
}

/// Queues a task that holds so many bytes of a command.
pub(super) fn push(port: &Arc<Port>, bytes: usize, task: Task) {
    let is_first = {
        let mut queue = port.tasks.queue.lock();
        queue.tasks.push_back((bytes, task));
        queue.bytes += bytes;
        if queue.limits.is_some_and(|(_, high)| queue.bytes >= high) {
            queue.busy = true;
        }
        !port.tasks.pending.swap(true, Ordering::AcqRel)
    };
    if is_first {
        RUNNABLE.push(Arc::clone(port));
        // A scheduler looks here before its next slice anyway.
        if port.parallelism || scheduler::current().is_null() {
            scheduler::wake_one();
        }
    }
}

/// Whether ports wait to be run.
#[inline]
#[must_use]
pub fn any() -> bool {
    !RUNNABLE.is_empty()
}

/// Runs tasks of the port that has waited longest.
pub fn run_one() {
    let port = loop {
        match RUNNABLE.steal() {
            Steal::Success(port) => break port,
            Steal::Empty => return,
            Steal::Retry => {}
        }
    };
    for _ in 0..TASKS_AT_ONCE {
        let (task, resumed) = {
            let mut queue = port.tasks.queue.lock();
            let Some((bytes, task)) = queue.tasks.pop_front() else {
                port.tasks.pending.store(false, Ordering::Release);
                return;
            };
            queue.bytes -= bytes;
            let goes_on = queue.busy && queue.limits.is_none_or(|(low, _)| queue.bytes <= low);
            queue.busy &= !goes_on;
            let resumed = match goes_on {
                true => std::mem::take(&mut queue.waiting),
                false => Vec::new(),
            };
            (task, resumed)
        };
        task(&port, &mut port.state.lock());
        resume_all(resumed);
    }
    RUNNABLE.push(port);
}
