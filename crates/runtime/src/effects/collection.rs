//! Garbage collection of a process's heap: the roots, the size limit, and the accounting after a collection.

pub mod dirty_collection;
pub mod literals;
pub mod request;
pub mod trim;

use std::cell::Cell;
use std::ffi::OsString;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::Term;
use layout::limits::FIRST_HEAP_WORDS;
use sys::histogram::{Counted, Histogram};
use term::am;
use term::gc::stress::{self, Stress};
use term::gc::{self, CollectionKind, Request};

use crate::effects::{profile, system_monitor};
use crate::mail::microstate::{self, ThreadState};
use crate::mail::observer::observer;
use crate::mail::{current, deferred, metering, schedulers};
use crate::process::heap_limit::min_binary_words;
use crate::process::{Flags, Process};

thread_local! {
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    /// The process that was collected last on this thread (the bits of its pid), and the slice that it was in.
    static LAST: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Whether the thread's last collection was of the same process, in its present slice or in the one before: then it
/// computes, and would do better with a larger heap. A process that is called, however often, is collected once in
/// several slices.
fn is_busy(process: &Process) -> bool {
    let Some(slice) = current::current_slice() else {
        return true;
    };
    let pid = process.pid().bits();
    let (last, last_slice) = LAST.replace((pid, slice));
    last == pid && slice.wrapping_sub(last_slice) <= 1
}

/// Whether this thread is running a collection.
#[must_use]
pub fn is_running() -> bool {
    RUNNING.get()
}

/// Counters of a scheduler's collections. Each scheduler's are on a separate cache line, because it writes them often.
#[repr(align(128))]
struct Counters {
    collections: AtomicU64,
    reclaimed_words: AtomicU64,
    /// How long collections took while a window was open.
    pauses: Histogram,
}

/// Indexed by the scheduler's number, modulo the length.
static COUNTERS: [Counters; 64] = [const {
    Counters {
        collections: AtomicU64::new(0),
        reclaimed_words: AtomicU64::new(0),
        pauses: Histogram::new(),
    }
}; 64];

/// The counters of this thread, and whether others use them too. Unless there are very many schedulers, each has its
/// counters alone; all other threads share those of number 0.
fn counters() -> (&'static Counters, bool) {
    let number = current::current_number();
    let is_shared = number == 0 || schedulers::count() >= COUNTERS.len();
    (&COUNTERS[number % COUNTERS.len()], is_shared)
}

fn count(reclaimed_words: usize) {
    let (counters, is_shared) = counters();
    let add = |counter: &AtomicU64, more: u64| {
        if is_shared {
            counter.fetch_add(more, Ordering::Relaxed);
        } else {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        }
    };
    add(&counters.collections, 1);
    add(&counters.reclaimed_words, reclaimed_words as u64);
}

/// The number of collections so far, and of the words that they reclaimed.
#[must_use]
pub fn statistics() -> (u64, u64) {
    COUNTERS
        .iter()
        .fold((0, 0), |(collections, words), counters| {
            (
                collections + counters.collections.load(Ordering::Relaxed),
                words + counters.reclaimed_words.load(Ordering::Relaxed),
            )
        })
}

#[cold]
fn count_pause(took_ns: i64) {
    let ((counters, is_shared), took_ns) = (counters(), took_ns.max(0) as u64);
    match is_shared {
        true => counters.pauses.add_shared(took_ns),
        false => counters.pauses.add(took_ns),
    }
}

/// How long the collections took that ended while a window was open.
#[must_use]
pub fn pauses() -> Counted {
    let mut counted = Counted::default();
    for counters in &COUNTERS {
        counters.pauses.add_to(&mut counted);
    }
    counted
}

/// Turns on GC stress for all heaps if the environment variable `FERL_COLLECT_ALWAYS` is set; the value `verify` also
/// checks every heap after each collection.
pub fn set_stress(variable: Option<OsString>) {
    stress::set(match variable {
        None => Stress::None,
        Some(value) if value.is_empty() || value == "0" => Stress::None,
        Some(value) if value == "verify" => Stress::Verify,
        Some(_) => Stress::Collect,
    });
}

/// Makes room for `words` words on the heap of the running process; the registers `x` are roots.
/// If the heap would exceed its limit, does nothing but set `EXIT_PENDING`.
///
/// # Safety
/// As for [`gc::run`], of which the roots are `x`, and what the process itself has.
pub unsafe fn collect(process: &mut Process, x: &mut [Term], words: usize) {
    // SAFETY: the caller's promise.
    unsafe { run(process, x, Request::new(CollectionKind::Minor, words)) };
}

/// A major collection of a process at rest or in a BIF (`garbage_collect/0`).
///
/// # Safety
/// As for [`collect()`].
pub unsafe fn collect_all(process: &mut Process, x: &mut [Term]) {
    // SAFETY: the caller's promise.
    unsafe { run(process, x, Request::new(CollectionKind::Major, 0)) };
}

/// Shrinks the heap of a hibernating process to its live data.
///
/// # Safety
/// As for [`collect()`].
pub(crate) unsafe fn hibernate(process: &mut Process) {
    // SAFETY: the caller's promise.
    unsafe { give_room(process, false) };
}

/// Gives a process that wakes from hibernation the room that it was promised (`min_heap_size`).
///
/// # Safety
/// As for [`collect()`].
pub(crate) unsafe fn wake(process: &mut Process) {
    let heap = &process.head.heap;
    if (heap.min_words as usize) > FIRST_HEAP_WORDS
        && heap.min_words as usize > gc::total_words(heap)
    {
        // SAFETY: the caller's promise.
        unsafe { run(process, &mut [], Request::new(CollectionKind::Minor, 0)) };
    }
}

/// Gives back the room of a heap whose process waits. A collection that is traced is one, whatever the heap may keep.
///
/// # Safety
/// As for [`collect()`].
unsafe fn give_room(process: &mut Process, may_keep_garbage: bool) {
    let request = Request {
        tight: true,
        may_go_back: may_keep_garbage && !process.flags.contains(Flags::TRACED),
        ..Request::new(CollectionKind::Major, 0)
    };
    // SAFETY: the caller's promise.
    unsafe { run(process, &mut [], request) };
}

/// Copies the literals at these addresses to the heap of a process between two slices, if it refers to any.
///
/// # Safety
/// As for [`collect()`].
pub(crate) unsafe fn copy_literals(process: &mut Process, addresses: &Range<usize>) {
    if !may_refer_to(process, addresses) {
        return;
    }
    let request = Request {
        doomed_literals: Some(addresses),
        ..Request::new(CollectionKind::Major, 0)
    };
    // SAFETY: the caller's promise.
    unsafe { run(process, &mut [], request) };
}

/// Whether the heap of a process between two slices may refer to something at these addresses.
pub(crate) fn may_refer_to(process: &Process, addresses: &Range<usize>) -> bool {
    let leader = std::slice::from_ref(&process.group_leader);
    let parent = std::slice::from_ref(&process.parent);
    let extras = process.existing_extras();
    let [rare_roots, registers] = extras.map_or([&[][..]; 2], |extras| {
        [&extras.roots[..], &extras.kept.registers[..]]
    });
    let roots = [
        leader,
        parent,
        process.dictionary.terms(),
        rare_roots,
        registers,
    ];
    gc::may_refer_to(&process.head.heap, roots, addresses)
}

/// # Safety
/// As for [`collect()`].
unsafe fn run(process: &mut Process, x: &mut [Term], request: Request<'_>) {
    if !limit::ends(process, &request) {
        // SAFETY: the caller's promise.
        while !unsafe { collect_and_account(process, x, &request) }
            && shortage::is_relieved(process, &request)
        {}
        // What the collection has found unused may be an object of a native library, whose end the process may look
        // for.
        deferred::run();
    }
}

/// Returns whether there was memory for it.
///
/// # Safety
/// As for [`collect()`].
unsafe fn collect_and_account(
    process: &mut Process,
    x: &mut [Term],
    request: &Request<'_>,
) -> bool {
    let _gc = microstate::enter(ThreadState::Gc);
    let traced = process.flags.contains(Flags::TRACED);
    let is_major = traced && gc::is_major(&process.head.heap, request);
    if traced {
        let tag = match is_major {
            true => am::GC_MAJOR_START,
            false => am::GC_MINOR_START,
        };
        observer().collects(process, tag, request.need_words);
    }
    let began_ns = system_monitor::collection_begins();
    let measured_words = traced
        .then(|| observer().measures_collection(process))
        .flatten();
    let off_heap_limit_words = min_binary_words(process);
    let is_busy = is_busy(process);
    let is_new = trim::is_new(process);
    let Process {
        head,
        cold,
        group_leader,
        parent,
        dictionary,
        ..
    } = process;
    let leader = std::slice::from_mut(group_leader);
    // A parent of this node is no object, and some processes have none.
    let parent = match parent.is_boxed() {
        true => std::slice::from_mut(parent),
        false => &mut [],
    };
    let mut roots: [&mut [Term]; 6] = [x, leader, parent, dictionary.roots(), &mut [], &mut []];
    if let Some(extras) = cold.as_mut().and_then(|cold| cold.extras.as_mut()) {
        roots[4] = &mut extras.roots;
        roots[5] = &mut extras.kept.registers;
    }
    let request = Request {
        // A receive may be examining this message: its patterns and guards allocate.
        // SAFETY: `save` is a link of the queue.
        peeked: unsafe { *head.messages.save },
        off_heap_limit_words: u32::try_from(off_heap_limit_words).unwrap_or(u32::MAX),
        is_busy,
        is_new,
        ..*request
    };
    RUNNING.set(true);
    // SAFETY: the caller's promise.
    let result = unsafe { gc::run(&mut head.heap, &mut roots, &request) };
    RUNNING.set(false);
    profile::collected(head);
    let Ok(stats) = result else {
        return false;
    };
    count(stats.reclaimed());
    current::charge(stats.reductions() as i64);
    if let Some(took_ns) = system_monitor::collection_ends(process, began_ns)
        && metering::is_open()
    {
        count_pause(took_ns);
    }
    if let Some(words) = measured_words {
        observer().is_collected(process, words);
    }
    if traced {
        let tag = match is_major {
            true => am::GC_MAJOR_END,
            false => am::GC_MINOR_END,
        };
        observer().collects(process, tag, stats.reclaimed());
    }
    true
}

/// A heap for which there is no memory.
mod shortage {
    use term::copy::Owned;
    use term::gc::{self, Request};
    use term::{am, atom};

    use super::Process;
    use crate::effects::{log, signal_handling};
    use crate::mail::hooks::{self, Shortage};
    use crate::mail::world;
    use crate::process::Flags;

    /// Whether others have given memory up for this process, which then tries again. If not, it ends: the process that
    /// wants the memory, and not the node.
    pub(super) fn is_relieved(process: &mut Process, request: &Request<'_>) -> bool {
        if process.flags.contains(Flags::EXIT_PENDING) {
            return false;
        }
        let own = gc::total_words(&process.head.heap) as u64 * 8;
        let peak = (gc::peak_words(&process.head.heap, request) as u64).saturating_mul(8);
        let short = hooks::get().memory_short;
        let reason = match world::aside(|| short(process, own, peak - own.min(peak))) {
            Shortage::Relieved => return true,
            Shortage::Ends => atom::known("memory_guard"),
            Shortage::Unknown => {
                log::out_of_memory(process, request.need_words);
                am::KILLED
            }
        };
        signal_handling::die(process, Owned::new(reason));
        false
    }
}

/// The limit set by `max_heap_size`.
mod limit {
    use term::am;
    use term::copy::Owned;
    use term::gc::{self, Request};

    use super::Process;
    use crate::effects::signal_handling;
    use crate::process::heap_limit::HeapLimit;
    use crate::process::{Flags, message_queue};

    /// Whether the process must end because its heap would exceed the limit. As OTP documents, the limit is compared
    /// when a collection begins, with all memory that the heap will occupy during the collection.
    pub(super) fn ends(process: &mut Process, request: &Request<'_>) -> bool {
        let limit = HeapLimit::of(process);
        if limit.words == 0 {
            return false;
        }
        let mut words = gc::peak_words(&process.head.heap, request) as u64;
        if !process.flags.contains(Flags::OFF_HEAP_MESSAGES) {
            // Messages that were fetched and not yet received stay in separate fragments until then, but count as part
            // of the heap.
            words = words.saturating_add(message_queue::words(process));
        }
        if limit.binaries {
            let sizes = gc::sizes(&process.head.heap);
            words = words.saturating_add((sizes.off_heap + sizes.old_off_heap) as u64);
        }
        if words <= limit.words {
            return false;
        }
        if limit.log {
            crate::effects::log::over_heap_limit(process, words, &limit);
        }
        if limit.kill {
            signal_handling::die(process, Owned::new(am::KILLED));
        }
        limit.kill
    }
}
