//! What is measured for the window: how many messages are sent, how long some of them wait to be received, and how long
//! some processes are queued before they run.
//!
//! While no window is open, a thread only counts what it sends: down from the number that it has granted itself, which
//! takes two instructions, and at zero it grants itself more. While a window is open ([`open`]), the message at which
//! it does so is measured, and each thread grants itself so many that it measures about a thousand each second, however
//! many it sends. Of queued processes each thread chooses in the same way. What is chosen is noted in [`waits`]; the
//! histograms have chosen ones alone.
//!
//! Any thread may call these functions.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use layout::{Fragment, Term};
use sys::histogram::{Counted, Histogram};

use crate::mail::current;
use crate::process::peer::Peer;
use crate::process::signal::{MEASURED, can_be_measured};
use crate::process::{table, waits};

/// Messages that a scheduler sends between two looks at whether a window is open.
const GRANT: u32 = 64;
/// The most of which one is measured.
const LARGEST_GRANT: u32 = 1 << 14;
/// What is chosen more often than this is chosen more seldom from then on.
const OFTEN_NS: i64 = 1_000_000;
/// What is chosen more seldom than this is chosen more often.
const SELDOM_NS: i64 = 4_000_000;

static IS_OPEN: AtomicBool = AtomicBool::new(false);
static OPENED_NS: AtomicI64 = AtomicI64::new(0);

/// What threads that are no schedulers have sent.
static SENT_BY_OTHERS: AtomicU64 = AtomicU64::new(0);

static MESSAGE_AGES: Histogram = Histogram::new();
static LATENCIES: Histogram = Histogram::new();

/// How one thread chooses one of many.
struct Choice {
    /// How many of its grants it has not used yet; while this is positive, nothing is done.
    left: Cell<u32>,
    /// How many it has granted itself in all.
    granted: Cell<u64>,
    /// What it grants itself while a window is open, and when it did that last.
    grant: Cell<u32>,
    last_ns: Cell<i64>,
}

impl Choice {
    /// A thread's first one is chosen.
    const fn new() -> Choice {
        Choice {
            left: Cell::new(1),
            granted: Cell::new(1),
            grant: Cell::new(1),
            last_ns: Cell::new(0),
        }
    }

    /// Counts one; returns whether the grant is used up, so that [`renew`](Choice::renew) must be called.
    #[inline(always)]
    fn count(&self) -> bool {
        let left = self.left.get().wrapping_sub(1);
        self.left.set(left);
        left == 0
    }

    fn renew(&self, grant: u32) {
        self.left.set(grant);
        self.granted.update(|granted| granted + u64::from(grant));
    }

    /// The next grant of a thread that now chooses one.
    fn next_grant(&self, now_ns: i64) -> u32 {
        let passed_ns = now_ns - self.last_ns.replace(now_ns);
        let grant = match self.grant.get() {
            grant if passed_ns < OFTEN_NS => (grant * 2).min(LARGEST_GRANT),
            grant if passed_ns > SELDOM_NS => (grant / 2).max(1),
            grant => grant,
        };
        self.grant.set(grant);
        grant
    }

    fn counted(&self) -> u64 {
        self.granted.get() - u64::from(self.left.get())
    }
}

thread_local! {
    static SENT: Choice = const { Choice::new() };
    static QUEUED: Choice = const { Choice::new() };
}

/// Begins to measure. What waits already is not measured.
pub fn open() {
    waits::MESSAGES.forget(|_| true);
    waits::QUEUED.forget(|_| true);
    OPENED_NS.store(sys::clock::monotonic_ns(), Ordering::Relaxed);
    IS_OPEN.store(true, Ordering::Release);
}

/// Ends to measure.
pub fn close() {
    IS_OPEN.store(false, Ordering::Relaxed);
}

/// Whether a window is open.
#[inline(always)]
#[must_use]
pub fn is_open() -> bool {
    IS_OPEN.load(Ordering::Relaxed)
}

/// Counts a message that is about to be sent; if this returns true, [`has_sent_many`] must be called before it is.
#[inline(always)]
#[must_use]
pub(crate) fn sends() -> bool {
    SENT.with(Choice::count)
}

/// Grants this thread more messages; `message`, which is about to be sent, is measured if a window is open.
///
/// # Safety
/// `message` is a live fragment that is in no list.
pub(crate) unsafe fn has_sent_many(to: Peer<'_>, message: *mut Fragment) {
    let is_scheduler = current::current().is_some();
    let is_open = is_open();
    let now_ns = match is_open {
        true => sys::clock::monotonic_ns(),
        false => 0,
    };
    SENT.with(|sent| {
        let grant = match (is_scheduler, is_open) {
            (true, true) => sent.next_grant(now_ns),
            (true, false) => GRANT,
            // What other threads send is told at once, because nobody asks them later.
            (false, _) => 1,
        };
        sent.renew(grant);
    });
    if !is_scheduler {
        SENT_BY_OTHERS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the caller's promise.
    unsafe {
        if is_open && can_be_measured((*message).kind) {
            (*message).kind |= MEASURED;
            waits::MESSAGES.note(message as u64, to.pid(), now_ns);
        }
    }
}

/// How many messages this thread, a scheduler, has sent.
pub(crate) fn sent_here() -> u64 {
    SENT.with(Choice::counted)
}

/// How many messages have been sent so far. What schedulers have sent since they last looked for other work than
/// processes is not among them yet.
#[must_use]
pub fn messages_sent() -> u64 {
    let schedulers = super::schedulers::schedulers_if_made();
    let all = schedulers.map_or(&[][..], |schedulers| &schedulers.all);
    let by_schedulers: u64 = all.iter().map(|shared| shared.counts.messages_sent()).sum();
    by_schedulers + SENT_BY_OTHERS.load(Ordering::Relaxed)
}

/// A measured message waits no longer: from now on it is an ordinary one. Returns since when it has waited, if that is
/// known.
///
/// # Safety
/// `message` is a live fragment that is in no list.
pub(crate) unsafe fn unmarked(message: *mut Fragment) -> Option<i64> {
    // SAFETY: the caller's promise.
    unsafe { (*message).kind &= !MEASURED };
    waits::MESSAGES.take(message as u64)
}

/// A message that a process has, in place of a measured one, has waited since then, and waits on.
///
/// # Safety
/// As for [`unmarked`].
pub(crate) unsafe fn goes_on(pid: Term, message: *mut Fragment, since_ns: i64) {
    // SAFETY: the caller's promise.
    unsafe { (*message).kind |= MEASURED };
    waits::MESSAGES.note(message as u64, pid, since_ns);
}

/// A message has been received. If it was measured, it is an ordinary one from now on.
///
/// # Safety
/// `message` is a live fragment that is in no list.
#[cold]
pub(crate) unsafe fn received(message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*message).kind & MEASURED != 0
            && let Some(since_ns) = unmarked(message)
        {
            add(&MESSAGE_AGES, since_ns);
        }
    }
}

/// A process is about to be queued while a window is open.
#[cold]
#[inline(never)]
pub(crate) fn queues(process: *const ()) {
    if QUEUED.with(Choice::count) {
        let now_ns = sys::clock::monotonic_ns();
        QUEUED.with(|queued| queued.renew(queued.next_grant(now_ns)));
        waits::QUEUED.note(process as u64, Term::NIL, now_ns);
    }
}

/// A process has been taken from a run queue.
#[inline(always)]
pub(crate) fn leaves_queue(process: *const ()) {
    if is_open() {
        left_queue(process as u64);
    }
}

#[cold]
#[inline(never)]
fn left_queue(process: u64) {
    if let Some(since_ns) = waits::QUEUED.take(process) {
        add(&LATENCIES, since_ns);
    }
}

/// Counts a wait that ends now, unless it began before the window was opened.
fn add(histogram: &Histogram, since_ns: i64) {
    let waited_ns = sys::clock::monotonic_ns() - since_ns;
    if since_ns >= OPENED_NS.load(Ordering::Relaxed) {
        histogram.add_shared(waited_ns.max(0) as u64);
    }
}

/// How long messages waited until they were received.
#[must_use]
pub fn message_ages() -> Counted {
    MESSAGE_AGES.read()
}

/// How long processes were queued until they ran.
#[must_use]
pub fn latencies() -> Counted {
    LATENCIES.read()
}

/// For how long the oldest of the measured messages that are not received yet has waited; `None` if there is none.
#[must_use]
pub fn oldest_message_ns() -> Option<u64> {
    // Those of a process that has ended are nobody's.
    waits::MESSAGES.forget(|pid| !table::exists(pid));
    let since_ns = waits::MESSAGES.oldest_ns()?;
    Some((sys::clock::monotonic_ns() - since_ns).max(0) as u64)
}
