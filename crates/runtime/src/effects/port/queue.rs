//! Signals that wait for a port: those sent while it was not idle, and all signals to a port with `parallelism`.
//!
//! A signal runs in its sender if nothing waits before it and the port's lock is free; otherwise it is queued as a
//! *task*, and a scheduler runs the port's tasks in order. After a signal has been queued, all later ones are queued
//! too until the queue has been found empty, so signals from one sender stay in order.
//!
//! The port then waits for the scheduler that ran the sender (`mail::ports`), which checks after each slice: what
//! replies to the sender has its caches. Another scheduler takes a port only when that queue has not been empty for
//! `STEALABLE_AFTER_NS` (compare `crate::mail::overload`).
//!
//! Any thread may queue tasks; only one scheduler at a time runs them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use layout::Term;
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::busy::{Busy, SuspendedSenders, Watermarks};
use super::entered::{Entered, Occasion};
use super::{Port, State};
use crate::mail::ports;
use crate::mail::ports::{Left, PortWork};
use crate::process::sync::between_steps;

/// Work to be done in the port.
pub(crate) type Task = Box<dyn FnOnce(&Arc<Port>, &mut State) + Send>;

/// Maximum number of tasks that a scheduler runs before it looks at its processes again.
pub(super) const TASKS_AT_ONCE: usize = 64;

/// The queue of one port's tasks.
pub(crate) struct Tasks {
    /// Whether tasks wait or run: then later signals are queued as well.
    pending: AtomicBool,
    queue: Mutex<Queue>,
}

struct Queue {
    tasks: VecDeque<(usize, Task)>,
    /// Bytes of the commands among the tasks.
    bytes: usize,
    /// From when `bytes` reaches the high watermark until it is down to the low one.
    busy: Busy,
    /// None when turned off.
    watermarks: Option<Watermarks>,
}

impl Tasks {
    pub(super) fn new(watermarks: Option<Watermarks>) -> Tasks {
        Tasks {
            pending: AtomicBool::new(false),
            queue: Mutex::new(Queue {
                tasks: VecDeque::new(),
                bytes: 0,
                busy: Busy::default(),
                watermarks,
            }),
        }
    }

    #[inline]
    pub(super) fn are_pending(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }

    /// Whether a sender has to wait because too many bytes are queued; if so, it is recorded.
    pub(super) fn must_wait(&self, sender: Option<Term>) -> bool {
        self.are_pending() && self.queue.lock().busy.must_wait(sender)
    }

    /// Bytes of the commands that are queued.
    pub(super) fn bytes(&self) -> usize {
        self.queue.lock().bytes
    }

    pub(super) fn watermarks(&self) -> Watermarks {
        self.queue.lock().watermarks.unwrap_or(Watermarks::DISABLED)
    }

    pub(super) fn set_watermarks(&self, watermarks: Option<Watermarks>) {
        self.queue.lock().watermarks = watermarks;
    }
}

/// Queues a task that holds this many bytes of a command.
pub(super) fn push(port: &Arc<Port>, bytes: usize, task: Task) {
    let is_first = {
        let mut queue = port.tasks.queue.lock();
        queue.tasks.push_back((bytes, task));
        queue.bytes += bytes;
        if queue
            .watermarks
            .is_some_and(|marks| queue.bytes >= marks.high)
        {
            queue.busy.begin();
        }
        between_steps();
        !port.tasks.pending.swap(true, Ordering::AcqRel)
    };
    between_steps();
    if is_first {
        ports::queue(Arc::clone(port) as Arc<dyn PortWork>);
    }
}

/// Runs the tasks that a port has now, but none that they add; returns whether there were any. For a thread beside
/// which no other runs tasks.
pub(super) fn run_present(port: &Arc<Port>) -> bool {
    let present = port.tasks.queue.lock().tasks.len();
    if present > 0 {
        let _: Left = run_some(port, present, &|| true);
    }
    present > 0
}

/// Runs a port once, for at most so many of its tasks, as long as it may go on.
pub(super) fn run_some(port: &Arc<Port>, most: usize, may_go_on: &dyn Fn() -> bool) -> Left {
    let mut resumed: SmallVec<[SuspendedSenders; 1]> = SmallVec::new();
    let mut take = || {
        let (task, senders) = take_first(port)?;
        resumed.extend(senders);
        Some(task)
    };
    let Some(mut task) = take() else {
        return Left::Nothing;
    };
    between_steps();
    let mut entered = Entered::new(port, port.state.lock(), Occasion::Queued);
    let mut run = 1;
    let left = loop {
        task(port, &mut entered);
        between_steps();
        if run == most || !may_go_on() {
            break Left::Some;
        }
        run += 1;
        task = match take() {
            Some(next) => next,
            None => break Left::Nothing,
        };
    };
    drop(entered);
    resumed.into_iter().for_each(SuspendedSenders::resume);
    left
}

/// Takes a port's first task, and the senders that may go on because of that; `None` if there is no task.
fn take_first(port: &Arc<Port>) -> Option<(Task, Option<SuspendedSenders>)> {
    let mut queue = port.tasks.queue.lock();
    let Some((bytes, task)) = queue.tasks.pop_front() else {
        between_steps();
        port.tasks.pending.store(false, Ordering::Release);
        return None;
    };
    queue.bytes -= bytes;
    let ends = queue.busy.is_busy()
        && queue
            .watermarks
            .is_none_or(|marks| queue.bytes <= marks.low);
    let resumed = ends.then(|| queue.busy.end());
    Some((task, resumed))
}
