//! The thread that looks for what lasts: slices of processes that do not end, and message queues that do not become
//! shorter.
//!
//! Both are seen from outside. Schedulers only say which process they run (`mail::schedulers::Shared::runs`), and this
//! thread looks twenty times a second whether it still is the same slice; so a scheduler that is stuck in a native
//! function is told of while it is. Long queues are looked for at the processes for which measured messages
//! (`mail::metering`) have waited for more than a second: of the messages of a busy node one in thousands is measured,
//! but of ten thousand that wait some are.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use layout::Term;
use runtime::effects::{flood, info, looking};
use runtime::mail::schedulers::{self, Begun};
use runtime::process::waits;
use rustc_hash::FxHashSet;

use super::kept::{Limits, add, change};
use super::ring::{Detail, Event};
use crate::printed;
use crate::processes::row;

const STEP: Duration = Duration::from_millis(50);
/// Steps from one look at queues to the next.
const STEPS_TO_QUEUES: u32 = 20;
/// Messages that have waited for a shorter time say nothing about a queue.
const WAITED_NS: i64 = 1_000_000_000;
/// The most processes that are looked at in one step.
const MOST_RECEIVERS: usize = 256;
/// The most of them that are asked, because other threads have them, and for how long.
const MOST_ASKED: usize = 16;
const PATIENCE: Duration = Duration::from_millis(20);
const STACK_BYTES: usize = 256 << 10;

/// See the module's documentation. The thread ends soon after this is dropped.
pub(super) struct Watcher {
    _end: SyncSender<()>,
}

impl Watcher {
    pub(super) fn start(limits: Limits) -> sys::Result<Watcher> {
        let (end, ended) = sync_channel::<()>(0);
        sys::thread::spawn("window_watcher", STACK_BYTES, move || {
            let mut watched = Watched::new(limits);
            while ended.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                watched.look();
            }
        })?;
        Ok(Watcher { _end: end })
    }
}

/// A slice that has not ended yet.
struct Slice {
    begun: Begun,
    since: Instant,
    /// The number of its event, once it is one.
    event: Option<u64>,
}

/// A long queue.
struct Queue {
    pid: Term,
    event: Option<u64>,
}

struct Watched {
    limits: Limits,
    /// Of each scheduler.
    slices: Vec<Option<Slice>>,
    queues: Vec<Queue>,
    steps: u32,
}

impl Watched {
    fn new(limits: Limits) -> Watched {
        Watched {
            limits,
            slices: Vec::new(),
            queues: Vec::new(),
            steps: 0,
        }
    }

    fn look(&mut self) {
        if self.limits.long_schedule_ms > 0 {
            self.look_at_slices();
        }
        self.steps = self.steps.wrapping_add(1);
        if !self.steps.is_multiple_of(STEPS_TO_QUEUES) {
            return;
        }
        flood::end_old_watches();
        if self.limits.long_queue_messages > 0 {
            self.look_at_queues();
        }
    }

    fn look_at_slices(&mut self) {
        let Some(schedulers) = schedulers::schedulers_if_made() else {
            return;
        };
        let now = Instant::now();
        self.slices.resize_with(schedulers.all.len(), || None);
        for (number, (shared, known)) in (1..).zip(schedulers.all.iter().zip(&mut self.slices)) {
            let runs = shared.runs();
            match known {
                Some(slice) if runs == Some(slice.begun) => {
                    slice.lasts(number, now, self.limits.long_schedule_ms);
                }
                _ => {
                    if let Some(event) = known.as_ref().and_then(|slice| slice.event) {
                        change(event, |event| event.is_lasting = false);
                    }
                    *known = runs.map(|begun| Slice {
                        begun,
                        since: now,
                        event: None,
                    });
                }
            }
        }
    }

    fn look_at_queues(&mut self) {
        let before_ns = sys::clock::monotonic_ns() - WAITED_NS;
        let known = self.queues.iter().map(|queue| queue.pid);
        let mut seen = FxHashSet::default();
        let receivers: Vec<Term> = known
            .chain(waits::MESSAGES.waiting_for(before_ns))
            .filter(|pid| seen.insert(*pid))
            .take(MOST_RECEIVERS)
            .collect();
        let mut lengths = Vec::with_capacity(receivers.len());
        let mut in_hands = Vec::new();
        for pid in receivers {
            match looking::soon(pid, row::messages) {
                Some(messages) => lengths.push((pid, messages)),
                None => in_hands.push(pid),
            }
        }
        in_hands.truncate(MOST_ASKED);
        lengths.extend(looking::ask(&in_hands, PATIENCE, |process| {
            (process.pid(), row::messages(process))
        }));
        for (pid, messages) in lengths {
            self.queue_has(pid, messages);
        }
        self.queues.retain(|queue| {
            let is_there = runtime::process::table::exists(queue.pid);
            if !is_there {
                queue.ends();
            }
            is_there
        });
    }

    /// A queue is long from the limit on, until it has less than half as many messages.
    fn queue_has(&mut self, pid: Term, messages: u64) {
        let limit = self.limits.long_queue_messages;
        let at = self.queues.iter().position(|queue| queue.pid == pid);
        match at {
            Some(at) if messages < limit.div_ceil(2) => self.queues.swap_remove(at).ends(),
            Some(at) => {
                if let Some(event) = self.queues[at].event {
                    change(event, |event| event.lasts(messages));
                }
            }
            None if messages >= limit && self.queues.len() < MOST_RECEIVERS => {
                let event = Event {
                    messages: Some(messages),
                    is_lasting: true,
                    ..Event::new("long_message_queue", pid, Detail::None)
                };
                self.queues.push(Queue {
                    pid,
                    event: add(event),
                });
            }
            None => {}
        }
    }
}

impl Event {
    /// The queue is still long.
    fn lasts(&mut self, messages: u64) {
        self.last_unix_ms = crate::processes::unix_ms();
        self.messages = self.messages.max(Some(messages));
    }
}

impl Slice {
    fn lasts(&mut self, scheduler: u32, now: Instant, limit_ms: u64) {
        let took_ms = now.duration_since(self.since).as_millis() as u64;
        if took_ms < limit_ms {
            return;
        }
        match self.event {
            Some(event) => change(event, |event| {
                event.last_unix_ms = crate::processes::unix_ms();
                event.took_ms = event.took_ms.max(Some(took_ms));
            }),
            None => {
                let event = Event {
                    took_ms: Some(took_ms),
                    is_lasting: true,
                    ..Event::new("long_schedule", self.begun.pid, self.place(scheduler))
                };
                self.event = add(event);
            }
        }
    }

    /// Where it began.
    fn place(&self, scheduler: u32) -> Detail {
        let place = info::function_at(self.begun.at as *const u64);
        Detail::Text(match place {
            Some([module, function, arity]) => {
                let call = printed::call(module, function, printed::arity(arity));
                format!("scheduler {scheduler}, from {call}")
            }
            None => format!("scheduler {scheduler}"),
        })
    }
}

impl Queue {
    fn ends(&self) {
        if let Some(event) = self.event {
            change(event, |event| event.is_lasting = false);
        }
    }
}
