//! `system_monitor`: in each trace session one process that gets messages about long collections, long slices, large
//! heaps, busy ports and long message queues. Before OTP 28 there is one session for that.
//!
//! The window watches the same events ([`watch`]), with limits of its own and beside the monitors of programs. Of long
//! slices it is told nothing: it sees from outside which process a scheduler runs, and for how long.
//!
//! Hooks in the collector, the scheduler and `send` compare with thresholds in atomics, the least of all sessions;
//! without a monitor each hook costs one load. Any thread may call these functions.

pub mod watch;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use layout::{Heap, Term};
use parking_lot::Mutex;
use smallvec::SmallVec;
use term::heap::Scratch;
use term::{am, atom, build, copy, gc};

use crate::effects::info;
use crate::mail::schedulers::Begun;
use crate::mail::{current, signal};
use crate::process::{Process, table};
use watch::What;

/// The events to report, as the program set them; a threshold of 0 turns its event off.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct MonitorSettings {
    pub long_gc_ms: u64,
    pub long_schedule_ms: u64,
    pub large_heap_words: u64,
    pub busy_port: bool,
    pub busy_dist_port: bool,
    /// What the memory guard does. Only ferl has it.
    pub memory_guard: bool,
    pub long_queue: Option<LongQueue>,
}

/// When a message queue is long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LongQueue {
    /// From so many messages on it is long,
    pub on: u64,
    /// until there are at most so many.
    pub off: u64,
}

/// A process that is told, and of what.
pub type Monitor = (Term, MonitorSettings);

/// The monitors, by the number of their session.
static MONITORS: Mutex<Vec<(u32, Monitor)>> = Mutex::new(Vec::new());

static LONG_GC_NS: AtomicI64 = AtomicI64::new(i64::MAX);
static LONG_SCHEDULE_NS: AtomicI64 = AtomicI64::new(i64::MAX);
/// In [`LONG_SCHEDULE_NS`]: no monitor asks for long slices, but the window looks which process runs.
const ONLY_SEEN: i64 = i64::MAX - 1;
static LARGE_HEAP_WORDS: AtomicU64 = AtomicU64::new(u64::MAX);
static BUSY_PORT: AtomicBool = AtomicBool::new(false);
static BUSY_DIST_PORT: AtomicBool = AtomicBool::new(false);
/// Whether all collections are measured, for the window.
static MEASURES: AtomicBool = AtomicBool::new(false);
/// Whether any option concerns collections, or they are measured.
static COLLECTIONS: AtomicBool = AtomicBool::new(false);
/// The least number of messages of a long queue.
static LONG_QUEUE: AtomicU64 = AtomicU64::new(u64::MAX);
/// How much longer each collection takes, for tests.
static DELAY_MS: AtomicU64 = AtomicU64::new(0);

/// The current monitor of a session and its options.
#[must_use]
pub fn get(session: u32) -> Option<Monitor> {
    let mut monitors = MONITORS.lock();
    forget_dead(&mut monitors);
    find(&monitors, session)
}

/// Sets or removes the monitor of a session; returns the previous one and its options. Use
/// [`trace::set_monitor`](crate::trace::set_monitor), which has processes observed if that is needed.
pub(crate) fn set(session: u32, monitor: Option<Monitor>) -> Option<Monitor> {
    let mut monitors = MONITORS.lock();
    forget_dead(&mut monitors);
    let before = find(&monitors, session);
    monitors.retain(|(other, _)| *other != session);
    monitors.extend(monitor.map(|monitor| (session, monitor)));
    publish(&monitors);
    before
}

/// Whether message queues are watched, for which processes must be observed.
#[must_use]
pub(crate) fn asks_for_queues() -> bool {
    LONG_QUEUE.load(Ordering::Relaxed) != u64::MAX
}

/// A message has come into the queue of an observed process.
#[inline]
pub(crate) fn queue_grows(process: &mut Process) {
    if process.head.messages.sizes.count() >= LONG_QUEUE.load(Ordering::Relaxed) {
        queue_changes(process);
    }
}

/// An observed process has taken a message out of its queue.
#[inline]
pub(crate) fn queue_shrinks(process: &mut Process) {
    let extras = process.existing_extras();
    if extras.is_some_and(|extras| !extras.long_queue_of.is_empty()) {
        queue_changes(process);
    }
}

/// Tells the monitors for which the queue has become long, or is no longer that.
#[cold]
fn queue_changes(process: &mut Process) {
    let pid = process.pid();
    let count = process.head.messages.sizes.count();
    let long_of = process.extras().long_queue_of.clone();
    let monitors = MONITORS.lock();
    let changes = monitors
        .iter()
        .filter_map(|(session, (monitor, settings))| {
            let limit = settings.long_queue.filter(|_| *monitor != pid)?;
            let was_long = long_of.contains(session);
            let is_long = match was_long {
                true => count > limit.off,
                false => count >= limit.on,
            };
            (was_long != is_long).then_some((*session, *monitor, is_long))
        });
    let changes: SmallVec<[(u32, Term, bool); 1]> = changes.collect();
    drop(monitors);
    for (session, monitor, is_long) in changes {
        let long_of = &mut process.extras().long_queue_of;
        match is_long {
            true => long_of.push(session),
            false => long_of.retain(|other| *other != session),
        }
        let mut scratch = Scratch::new();
        let told = [
            am::MONITOR,
            pid,
            am::LONG_MESSAGE_QUEUE,
            am::boolean(is_long),
        ];
        let message = build::tuple(scratch.heap(), &told);
        signal::send_message(am::SYSTEM, monitor, message);
    }
}

fn find(monitors: &[(u32, Monitor)], session: u32) -> Option<Monitor> {
    let mut monitors = monitors.iter();
    let found = monitors.find(|(other, _)| *other == session);
    found.map(|(_, monitor)| *monitor)
}

fn forget_dead(monitors: &mut Vec<(u32, Monitor)>) {
    monitors.retain(|(_, (pid, _))| table::exists(*pid));
    publish(monitors);
}

/// The least limit that is set; of those that are 0 none is.
fn least(all: &[MonitorSettings], limit: fn(&MonitorSettings) -> u64) -> Option<u64> {
    all.iter().map(limit).filter(|limit| *limit > 0).min()
}

fn limit_ns(ms: u64) -> i64 {
    i64::try_from(ms).map_or(i64::MAX, |ms| ms.saturating_mul(1_000_000))
}

fn publish(monitors: &[(u32, Monitor)]) {
    let programs: Vec<MonitorSettings> = monitors
        .iter()
        .map(|(_, (_, settings))| *settings)
        .collect();
    let watched = watch::settings();
    let all: Vec<MonitorSettings> = programs.iter().copied().chain(watched).collect();
    let long_gc_ms = least(&all, |settings| settings.long_gc_ms);
    let large_heap_words = least(&all, |settings| settings.large_heap_words);
    LONG_GC_NS.store(long_gc_ms.map_or(i64::MAX, limit_ns), Ordering::Relaxed);
    let words = large_heap_words.unwrap_or(u64::MAX);
    LARGE_HEAP_WORDS.store(words, Ordering::Relaxed);
    let slices_are_seen = watched.is_some_and(|settings| settings.long_schedule_ms > 0);
    let without_limit = match slices_are_seen {
        true => ONLY_SEEN,
        false => i64::MAX,
    };
    let long_schedule_ms = least(&programs, |settings| settings.long_schedule_ms);
    let ns = long_schedule_ms.map_or(without_limit, |ms| limit_ns(ms).min(ONLY_SEEN - 1));
    LONG_SCHEDULE_NS.store(ns, Ordering::Relaxed);
    // The window finds long queues by itself: processes need not be observed for it.
    let queues = programs.iter().filter_map(|settings| settings.long_queue);
    let long_queue = queues.map(|limit| limit.on).min().unwrap_or(u64::MAX);
    LONG_QUEUE.store(long_queue, Ordering::Relaxed);
    BUSY_PORT.store(all.iter().any(|s| s.busy_port), Ordering::Relaxed);
    BUSY_DIST_PORT.store(all.iter().any(|s| s.busy_dist_port), Ordering::Relaxed);
    let delayed = DELAY_MS.load(Ordering::Relaxed) > 0;
    let measured = MEASURES.load(Ordering::Relaxed);
    let collections = long_gc_ms.is_some() || large_heap_words.is_some() || delayed || measured;
    COLLECTIONS.store(collections, Ordering::Relaxed);
}

/// Has each collection take so much longer, for tests (`erts_debug:set_internal_state(test_long_gc_sleep,
/// Milliseconds)`).
pub fn delay_collections(delay_ms: u64) {
    let monitors = MONITORS.lock();
    DELAY_MS.store(delay_ms, Ordering::Relaxed);
    publish(&monitors);
}

/// Has each collection measured, or no longer.
pub fn measure_collections(measures: bool) {
    let monitors = MONITORS.lock();
    MEASURES.store(measures, Ordering::Relaxed);
    publish(&monitors);
}

/// Tells those monitors that `wants` chooses, and the window, which is told `seen`.
fn tell(
    about: Term,
    what: Term,
    wants: impl Fn(&MonitorSettings) -> bool,
    facts: impl FnOnce(&mut Heap) -> Term,
    seen: impl FnOnce() -> What,
) {
    watch::tell(about, &wants, seen);
    tell_programs(about, what, wants, facts);
}

/// Tells those monitors that `wants` chooses.
fn tell_programs(
    about: Term,
    what: Term,
    wants: impl Fn(&MonitorSettings) -> bool,
    facts: impl FnOnce(&mut Heap) -> Term,
) {
    let monitors = MONITORS.lock();
    let wanting = monitors.iter().filter(|(_, (_, settings))| wants(settings));
    // Events of a monitor itself are not reported: each report could cause the next one.
    let to: Vec<Term> = wanting
        .map(|(_, (pid, _))| *pid)
        .filter(|pid| *pid != about)
        .collect();
    drop(monitors);
    if to.is_empty() {
        return;
    }
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let facts = facts(heap);
    let message = build::tuple(heap, &[am::MONITOR, about, what, facts]);
    for monitor in to {
        signal::send_message(am::SYSTEM, monitor, message);
    }
}

/// The most characters of what the window is told of the memory guard.
const MOST_FACTS: usize = 300;

/// Tells of the memory guard: `about` a process, or the atom `node`.
pub fn memory_guard(about: Term, facts: impl FnOnce(&mut Heap) -> Term) {
    let mut scratch = Scratch::new();
    let facts = facts(scratch.heap());
    tell(
        about,
        atom::known("memory_guard"),
        |settings| settings.memory_guard,
        |heap| copy::copy(heap, facts),
        || What::MemoryGuard(term::print::display_limited(facts, MOST_FACTS).to_string()),
    );
}

/// Called when a collection begins; returns the time if collections are monitored.
#[inline]
#[must_use]
pub fn collection_begins() -> Option<i64> {
    COLLECTIONS.load(Ordering::Relaxed).then(|| {
        let began_ns = sys::clock::monotonic_ns();
        let delay_ms = DELAY_MS.load(Ordering::Relaxed);
        if delay_ms > 0 {
            std::thread::sleep(Duration::from_millis(delay_ms));
        }
        began_ns
    })
}

/// Called after a collection with the result of [`collection_begins`]; reports it if it was long or the heap is large.
/// Returns how long it took, if that was measured.
pub fn collection_ends(process: &Process, began_ns: Option<i64>) -> Option<i64> {
    let took_ns = sys::clock::monotonic_ns() - began_ns?;
    if took_ns >= LONG_GC_NS.load(Ordering::Relaxed) {
        let is_long = |s: &MonitorSettings| s.long_gc_ms > 0 && took_ns >= limit_ns(s.long_gc_ms);
        let took_ms = took_ns / 1_000_000;
        tell(
            process.pid(),
            am::LONG_GC,
            is_long,
            |heap| heap_facts(process, Some(took_ms), heap),
            || What::LongCollection {
                took_ms: took_ms as u64,
                words: gc::total_words(&process.head.heap) as u64,
            },
        );
    }
    let words = gc::total_words(&process.head.heap) as u64;
    if words >= LARGE_HEAP_WORDS.load(Ordering::Relaxed) {
        let is_large = |s: &MonitorSettings| s.large_heap_words > 0 && words >= s.large_heap_words;
        tell(
            process.pid(),
            am::LARGE_HEAP,
            is_large,
            |heap| heap_facts(process, None, heap),
            || What::LargeHeap { words },
        );
    }
    Some(took_ns)
}

fn heap_facts(process: &Process, took_ms: Option<i64>, heap: &mut Heap) -> Term {
    let sizes = gc::sizes(&process.head.heap);
    let words = [
        ("old_heap_block_size", sizes.old_heap_block),
        ("heap_block_size", sizes.heap_block),
        ("mbuf_size", sizes.fragments),
        ("stack_size", sizes.stack),
        ("old_heap_size", sizes.old_heap),
        ("heap_size", sizes.heap),
    ];
    let mut facts = Vec::new();
    if let Some(took_ms) = took_ms {
        facts.push(build::tuple(heap, &[am::TIMEOUT, Term::small(took_ms)]));
    }
    for (name, words) in words {
        let fact = [atom::known(name), Term::small(words as i64)];
        facts.push(build::tuple(heap, &fact));
    }
    build::list(heap, &facts)
}

/// The start time and place of a process's run, needed when the run is over. It is boxed, because there is one around
/// each run: without long slices to be monitored that is one register.
pub struct Run {
    began_ns: i64,
    place: Option<[Term; 3]>,
}

/// Called before a process runs; returns a value if a program monitors long slices.
#[inline]
#[must_use]
pub fn run_begins(process: &Process) -> Option<Box<Run>> {
    match LONG_SCHEDULE_NS.load(Ordering::Relaxed) {
        i64::MAX => None,
        limit_ns => seen_run(process, limit_ns),
    }
}

#[cold]
#[inline(never)]
fn seen_run(process: &Process, limit_ns: i64) -> Option<Box<Run>> {
    if let Some(scheduler) = current::current() {
        let shared = scheduler.shared;
        shared.running.begins(Begun {
            pid: process.pid(),
            at: process.head.ip as u64,
            slice: shared.counts.switches(),
        });
    }
    (limit_ns < ONLY_SEEN).then(|| {
        Box::new(Run {
            began_ns: sys::clock::monotonic_ns(),
            place: info::function_at(process.head.ip),
        })
    })
}

/// Called after the run, while its scheduler still owns the process; reports it if it was long.
#[inline]
pub fn run_ends(process: &Process, run: Option<Box<Run>>) {
    if let Some(run) = run {
        measured_run_ends(process, &run);
    }
}

#[cold]
fn measured_run_ends(process: &Process, run: &Run) {
    let took_ns = sys::clock::monotonic_ns() - run.began_ns;
    if took_ns < LONG_SCHEDULE_NS.load(Ordering::Relaxed) {
        return;
    }
    let out = info::function_at(process.head.ip);
    let is_long =
        |s: &MonitorSettings| s.long_schedule_ms > 0 && took_ns >= limit_ns(s.long_schedule_ms);
    tell_programs(process.pid(), am::LONG_SCHEDULE, is_long, |heap| {
        let mut place = |name: Term, place: Option<[Term; 3]>| {
            let call = place.map_or(am::UNDEFINED, |call| build::tuple(heap, &call));
            build::tuple(heap, &[name, call])
        };
        let places = [place(am::IN, run.place), place(am::OUT, out)];
        let took = build::tuple(heap, &[am::TIMEOUT, Term::small(took_ns / 1_000_000)]);
        build::list(heap, &[took, places[0], places[1]])
    });
}

/// Called before a port does what no process waits for; returns the time if long runs are monitored.
#[inline]
#[must_use]
pub fn port_begins() -> Option<i64> {
    (LONG_SCHEDULE_NS.load(Ordering::Relaxed) < ONLY_SEEN).then(sys::clock::monotonic_ns)
}

/// Called after that with the result of [`port_begins`]; reports it if it was long. `task` says what the port did.
pub fn port_ends(port: Term, task: Term, began_ns: i64) {
    let took_ns = sys::clock::monotonic_ns() - began_ns;
    if took_ns > LONG_SCHEDULE_NS.load(Ordering::Relaxed) {
        let is_long =
            |s: &MonitorSettings| s.long_schedule_ms > 0 && took_ns > limit_ns(s.long_schedule_ms);
        tell_programs(port, am::LONG_SCHEDULE, is_long, |heap| {
            let took = Term::small(took_ns / 1_000_000);
            let took = build::tuple(heap, &[am::TIMEOUT, took]);
            let task = build::tuple(heap, &[am::PORT_OP, task]);
            build::list(heap, &[took, task])
        });
    }
}

/// Reports that a process has to wait for a busy connection to another node, which this port or process carries.
pub fn busy_dist_port(pid: Term, controller: Term) {
    if BUSY_DIST_PORT.load(Ordering::Relaxed) {
        tell(
            pid,
            am::BUSY_DIST_PORT,
            |s| s.busy_dist_port,
            |_| controller,
            || What::BusyDistPort { controller },
        );
    }
}

/// Reports that a process has to wait for a busy port.
pub fn busy_port(pid: Term, port: Term) {
    if BUSY_PORT.load(Ordering::Relaxed) {
        tell(
            pid,
            am::BUSY_PORT,
            |s| s.busy_port,
            |_| port,
            || What::BusyPort { port },
        );
    }
}
