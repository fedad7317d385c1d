//! What the end of a process would free, and who the process is: for the memory guard.
//!
//! All processes are looked at while the world is stopped. Those that a dirty scheduler or a library may be changing
//! even then are left out: what they want is large, and they are refused it where they ask.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use layout::kinds::SharedBinary;
use layout::{Fragment, Term, no_gc};
use rustc_hash::FxHasher;
use term::off_heap::{self, MagicBlock};
use term::print::display;
use term::{am, atom};

use crate::code;
use crate::effects::info;
use crate::mail::timer::bif_timers;
use crate::mail::{registry, world};
use crate::process::peer::Peer;
use crate::process::signal::{DEMONITOR, OTHER, owned_words};
use crate::process::{Flags, Process, epoch, message_queue, priority_of, state, table};

/// Bytes that a process holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Its block, heap, stack and fragments, and what else is its own: dictionary, links.
    pub heap_bytes: u64,
    pub messages: u64,
    pub message_bytes: u64,
    /// Its share of shared binaries: of one that several references hold, each holds a part.
    pub binary_bytes: u64,
    /// The same of native resources, and of what else lies behind references.
    pub resource_bytes: u64,
    /// The timers that send to it, with their messages; without those that send to its name.
    pub timer_bytes: u64,
}

/// The binaries of at most this many of its messages are looked at.
const MOST_MESSAGES: usize = 100_000;

impl Holdings {
    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let besides = self.binary_bytes + self.resource_bytes + self.timer_bytes;
        self.heap_bytes + self.message_bytes + besides
    }
}

/// Calls `visit` with every process that nobody changes meanwhile, while the world is stopped. `visit` must not wait
/// for anything that a scheduler does.
pub fn look_at_all(mut visit: impl FnMut(&Process)) {
    world::stopped(|| {
        epoch::with_pin(|pinned| {
            // SAFETY: the world is stopped.
            table::all(pinned).for_each(|peer| unsafe { look(peer, &mut visit) });
        });
    });
}

/// As [`look_at_all`], where what `measure` finds depends on how far it looks into a queue: first it looks at the
/// beginnings of all queues, then, if the processes have not too many signals in all, farther into those that are
/// longer. So one long queue is seen whole, and thousands of them do not keep the world stopped for seconds. `done` is
/// called once for each process.
pub fn look_into_all<R>(
    mut measure: impl FnMut(&Process, &mut Reach) -> R,
    mut done: impl FnMut(&Process, R),
) {
    let mut looked_at = 0;
    let mut look_into = |peer: Peer<'_>, mut before: Option<R>, reach: Reach| {
        let mut longer = None;
        let mut visit = |process: &Process| {
            let mut reach = reach;
            let found = match before.take() {
                Some(found) if looked_at >= MOST_LOOKED_AT => found,
                _ => measure(process, &mut reach),
            };
            looked_at += reach.looked_at;
            match reach.is_too_short {
                true => longer = Some(found),
                false => done(process, found),
            }
        };
        // SAFETY: it is called while the world is stopped.
        unsafe { look(peer, &mut visit) };
        longer
    };
    world::stopped(|| {
        epoch::with_pin(|pinned| {
            let mut reach = Reach::FIRST;
            let mut long: Vec<(Peer<'_>, R)> = table::all(pinned)
                .filter_map(|peer| Some((peer, look_into(peer, None, reach)?)))
                .collect();
            while !long.is_empty() {
                reach = reach.farther();
                long = long
                    .into_iter()
                    .filter_map(|(peer, found)| Some((peer, look_into(peer, Some(found), reach)?)))
                    .collect();
            }
        });
    });
}

/// How far lists of signals are looked at.
#[derive(Clone, Copy)]
pub struct Reach {
    /// At most so many of each list.
    most: usize,
    /// So many were looked at.
    looked_at: usize,
    /// Whether a list was longer, so that a farther reach would see more.
    is_too_short: bool,
}

/// See [`look_into_all`]. So many signals take some tenths of a second, most of them in no cache, while nothing else
/// runs.
const MOST_LOOKED_AT: usize = 2_000_000;

impl Reach {
    const FIRST: Reach = Reach::to(256);

    /// As far as anybody looks.
    #[must_use]
    pub fn full() -> Reach {
        Reach::to(MOST_UNFETCHED)
    }

    const fn to(most: usize) -> Reach {
        Reach {
            most,
            looked_at: 0,
            is_too_short: false,
        }
    }

    fn farther(self) -> Reach {
        Reach::to(self.most * 4)
    }

    /// Calls `visit` with the first fragments of a list, at most so many, and no more than there are within reach.
    ///
    /// # Safety
    /// Nobody takes fragments out of the list during the call.
    unsafe fn each_of(
        &mut self,
        mut fragment: *mut Fragment,
        most: usize,
        mut visit: impl FnMut(*mut Fragment),
    ) {
        for _ in 0..most.min(self.most) {
            if fragment.is_null() {
                return;
            }
            self.looked_at += 1;
            visit(fragment);
            // SAFETY: a fragment of the list, by the caller's promise.
            fragment = unsafe { (*fragment).next };
        }
        self.is_too_short |= !fragment.is_null() && self.most < most;
    }
}

/// As [`look_at_all`], with those of these processes that there are.
pub fn look_at(pids: impl IntoIterator<Item = Term>, mut visit: impl FnMut(&Process)) {
    world::stopped(|| {
        epoch::with_pin(|pinned| {
            for peer in pids.into_iter().filter_map(|pid| table::find(pinned, pid)) {
                // SAFETY: the world is stopped.
                unsafe { look(peer, &mut visit) };
            }
        });
    });
}

/// Calls `visit` with a process, unless somebody may be changing it.
///
/// # Safety
/// The world is stopped.
unsafe fn look(peer: Peer<'_>, visit: &mut impl FnMut(&Process)) {
    if !is_taken(peer.state()) {
        // SAFETY: by the caller's promise no scheduler runs a process or ends one, and those that other threads may be
        // changing are left out; the block stays as long as the pin.
        visit(unsafe { &*peer.pointer() });
    }
}

/// Whether a thread that does not stop with the world may be changing the process.
fn is_taken(word: u32) -> bool {
    state::is_in_hands(word) || word & state::EXITING != 0
}

/// Whether there are processes that [`look_at_all`] leaves out just now.
#[must_use]
pub fn are_any_taken() -> bool {
    epoch::with_pin(|pinned| table::all(pinned).any(|peer| is_taken(peer.state())))
}

/// The most messages that are looked at because they are not fetched yet: so many take the cache misses of some
/// hundredths of a second, while nothing else runs.
const MOST_UNFETCHED: usize = 300_000;

/// How many messages a process has that it has not received yet, and their bytes without those of shared binaries. With
/// those that it has not fetched, as far as there are not too many.
#[must_use]
pub fn messages(process: &Process) -> (u64, u64) {
    messages_within(process, &mut Reach::full())
}

fn messages_within(process: &Process, reach: &mut Reach) -> (u64, u64) {
    let (mut messages, mut bytes) = fetched(process);
    // SAFETY: only the owner takes signals out, and the process is borrowed. Those that are pushed meanwhile are before
    // the newest one that was seen.
    unsafe {
        for first in process.unhandled() {
            reach.each_of(first, MOST_UNFETCHED, |signal| {
                messages += 1;
                let words = u64::from((*signal).words) + owned_words(signal);
                bytes += size_of::<Fragment>() as u64 + words * 8;
            });
        }
    }
    (messages, bytes)
}

/// As [`messages`], of those that are in the inner queue.
fn fetched(process: &Process) -> (u64, u64) {
    let queue = &process.head.messages;
    let messages = queue.sizes.count();
    let bytes = messages * (size_of::<Fragment>() as u64) + message_queue::words(process) * 8;
    (messages, bytes)
}

/// Calls `visit` with messages that a process has fetched, and with signals that it has not, with at most so many of
/// each.
fn each_waiting(
    process: &Process,
    most: usize,
    reach: &mut Reach,
    mut visit: impl FnMut(*mut Fragment),
) {
    let [newest, left] = process.unhandled();
    for first in [process.head.messages.first, left, newest] {
        // SAFETY: only the owner takes out what is in these lists, and the process is borrowed.
        unsafe { reach.each_of(first, most, &mut visit) };
    }
}

/// The binaries of so many messages tell about those of all.
const SAMPLE: usize = 5000;

/// About how many bytes the messages take that a process has not received yet, with their shared binaries.
#[must_use]
pub fn queue_bytes(process: &Process, reach: &mut Reach) -> u64 {
    let (count, bytes) = messages_within(process, reach);
    let mut sample = Holdings::default();
    let mut looked_at = 0;
    each_waiting(process, SAMPLE, reach, |message| {
        looked_at += 1;
        // SAFETY: the messages live while the process is borrowed.
        unsafe { sample.add_shares((*message).off_heap) };
    });
    bytes + sample.binary_bytes * count / looked_at.max(1)
}

/// How many messages a process has not fetched yet, of at most so many signals.
#[must_use]
pub fn unfetched(process: &Process, most: usize) -> u64 {
    let mut messages = 0;
    // SAFETY: as in `messages`; the kind of a signal does not change.
    unsafe {
        for first in process.unhandled() {
            Reach::full().each_of(first, most, |signal| {
                messages += u64::from((*signal).kind != OTHER && (*signal).kind != DEMONITOR);
            });
        }
    }
    messages
}

/// About how many bytes of shared binaries the heap of a process refers to: of each its share, as in
/// [`Holdings::binary_bytes`]. At most so many references are looked at. If there are more, the others have as large a
/// share as these in what collections go by, which is the whole binary for each reference to it.
#[must_use]
pub fn binary_bytes(process: &Process, most: usize) -> u64 {
    let heap = &process.head.heap;
    // SAFETY: null, or the heap's own old generation.
    let old = unsafe { heap.old.as_ref() };
    let lists = [Some(heap.off_heap), old.map(|old| old.off_heap)];
    let mut holdings = Holdings::default();
    let mut looked = LookedAt {
        left: most,
        whole_bytes: 0,
        share_bytes: 0.0,
    };
    for list in lists.into_iter().flatten() {
        // SAFETY: the lists are those of a process that is borrowed.
        unsafe { holdings.add_some_shares(list, &mut looked) };
    }
    let share = looked.share_bytes;
    if looked.left > 0 || looked.whole_bytes == 0 {
        return share as u64;
    }
    let words = u64::from(heap.off_heap_words) + old.map_or(0, |old| old.off_heap_words);
    let others = (words * 8).saturating_sub(looked.whole_bytes);
    (share + others as f64 * (share / looked.whole_bytes as f64)) as u64
}

/// What a process holds, as far as its queue is within reach.
#[must_use]
pub fn within(process: &Process, reach: &mut Reach) -> Holdings {
    let (messages, message_bytes) = messages_within(process, reach);
    let (_, fetched_bytes) = fetched(process);
    let mut holdings = Holdings {
        heap_bytes: info::memory_bytes(process) as u64 - fetched_bytes,
        messages,
        message_bytes,
        ..Holdings::default()
    };
    each_waiting(process, MOST_MESSAGES, reach, |message| {
        // SAFETY: the messages live while the process is borrowed.
        unsafe { holdings.add_shares((*message).off_heap) };
    });
    if let Some(cold) = &process.cold {
        holdings.timer_bytes = bif_timers::bytes(&cold.timers);
    }
    if process.state.load(Ordering::Relaxed) & state::TIMED != 0 {
        holdings.timer_bytes += bif_timers::bytes_to(process.pid());
    }
    let heap = &process.head.heap;
    // SAFETY: null, or the heap's own old generation; the lists are those of a process that is borrowed.
    unsafe {
        let old = heap
            .old
            .as_ref()
            .map_or(std::ptr::null_mut(), |old| old.off_heap);
        holdings.add_shares(heap.off_heap);
        holdings.add_shares(old);
    }
    holdings
}

/// How far lists of counted objects have been looked at.
struct LookedAt {
    /// How many more objects are looked at.
    left: usize,
    /// The sizes of the binaries, each as often as there is a reference to it.
    whole_bytes: u64,
    /// The same, of each only the share of one reference.
    share_bytes: f64,
}

impl Holdings {
    /// Adds the bytes behind a list of counted objects, each divided by the references to it.
    ///
    /// # Safety
    /// The list is that of a live heap or fragment that nobody changes meanwhile.
    unsafe fn add_shares(&mut self, object: *mut u64) {
        let mut all = LookedAt {
            left: usize::MAX,
            whole_bytes: 0,
            share_bytes: 0.0,
        };
        // SAFETY: the caller's promise.
        unsafe { self.add_some_shares(object, &mut all) };
    }

    /// As [`add_shares`](Holdings::add_shares), of as many objects as are left to look at.
    ///
    /// # Safety
    /// As for `add_shares`.
    unsafe fn add_some_shares(&mut self, mut object: *mut u64, looked: &mut LookedAt) {
        while !object.is_null() && looked.left > 0 {
            looked.left -= 1;
            // SAFETY: the members of such a list are live objects with a live block.
            unsafe {
                let term = Term::from_boxed_pointer(object);
                let block = off_heap::block_of(object);
                let references = u64::from(off_heap::references(block)).max(1);
                if let Some(binary) = SharedBinary::of(term) {
                    self.binary_bytes += binary.size() / references;
                    looked.whole_bytes += binary.size();
                    looked.share_bytes += binary.size() as f64 / references as f64;
                } else if let Some(magic) = MagicBlock::of(block) {
                    self.resource_bytes += (*magic).held_bytes() as u64 / references;
                }
                object = off_heap::next_of(object);
            }
        }
    }
}

/// Who is who, as far as the guard asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub pid: Term,
    pub parent: Option<Term>,
    pub name: Option<Term>,
    pub is_supervisor: bool,
    /// An application master, or the process that has started its application for it: the application ends with either,
    /// and perhaps the node.
    pub has_application: bool,
    /// One of the machine's own.
    pub is_system: bool,
    pub is_waiting: bool,
    /// How many times as large as another one it may be before it ends in that one's stead; 1 if it has not said.
    pub worth: u64,
}

/// See [`Standing`].
#[must_use]
pub fn standing(process: &Process) -> Standing {
    let initial = process.dictionary.get(am::DOLLAR_INITIAL_CALL);
    let initial = initial.and_then(|call| call.as_tuple(no_gc!())?.first().copied());
    let parent = process.parent;
    let (supervisor, master) = (NAMES.supervisor, NAMES.application_master);
    Standing {
        pid: process.pid(),
        parent: (!parent.is_none() && parent.is_local_pid()).then_some(parent),
        name: registry::name_of_process(process),
        is_supervisor: initial == Some(supervisor),
        has_application: initial == Some(master) || master == Term::atom(process.initial_call.0),
        is_system: process.flags.contains(Flags::SYSTEM)
            || priority_of(process.state.load(Ordering::Relaxed)) == crate::process::Priority::Max,
        is_waiting: process.flags.contains(Flags::WAITING),
        worth: process
            .existing_extras()
            .map_or(1, |extras| extras.memory_worth.into()),
    }
}

/// What a process began with, also below `proc_lib`: the same number for all that began with the same function, and
/// seldom for others.
#[must_use]
pub fn begun_with(process: &Process) -> u64 {
    let no_gc = no_gc!();
    let call = process.dictionary.get(am::DOLLAR_INITIAL_CALL);
    let call = call.and_then(|call| call.as_tuple(no_gc));
    let mut hasher = FxHasher::default();
    process.initial_call.hash(&mut hasher);
    for part in call.unwrap_or_default() {
        part.bits().hash(&mut hasher);
    }
    hasher.finish()
}

/// Supervisors of `kernel` by name. A node cannot do without them, without their children, and without the processes
/// with which one of these children ends.
const SUPERVISORS: [&str; 5] = [
    "kernel_safe_sup",
    "kernel_sup",
    "logger_sup",
    "net_sup",
    "standard_error_sup",
];

/// The names of other processes whose children, and who themselves, a node cannot do without.
const VITAL: [&str; 9] = [
    "application_controller",
    "erl_prim_loader",
    "global_name_server",
    "init",
    "logger",
    "net_kernel",
    "user",
    "user_drv",
    "user_sup",
];

/// Names as atoms: thousands of processes are looked at in a row, and each spawn above the high mark asks who it is
/// for.
struct Names {
    supervisor: Term,
    application_master: Term,
    supervisors: [Term; SUPERVISORS.len()],
    vital: [Term; VITAL.len()],
    init: Term,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    supervisor: atom::known("supervisor"),
    application_master: atom::known("application_master"),
    supervisors: SUPERVISORS.map(atom::known),
    vital: VITAL.map(atom::known),
    init: atom::known("init"),
});

/// The processes that a node cannot do without: they are never ended, and may spawn at any time.
pub struct Vital {
    supervisors: Vec<Term>,
    others: Vec<Term>,
    init: Option<Term>,
}

impl Vital {
    /// Those that there are.
    #[must_use]
    pub fn now() -> Vital {
        let find = registry::whereis_process;
        Vital {
            supervisors: NAMES.supervisors.into_iter().filter_map(find).collect(),
            others: NAMES.vital.into_iter().filter_map(find).collect(),
            init: find(NAMES.init),
        }
    }

    /// Whether this is one of them, but for those of [`helpers`](Vital::helpers).
    #[must_use]
    pub fn has(&self, process: &Standing) -> bool {
        if process.is_system || process.has_application || self.is_named(process.pid) {
            return true;
        }
        match process.parent {
            // What a program is started with (`-s`, `-eval`) is a child of `init` too, but has no name.
            parent if parent.is_some() && parent == self.init => process.name.is_some(),
            Some(parent) => self.is_named(parent),
            None => false,
        }
    }

    fn is_named(&self, pid: Term) -> bool {
        self.supervisors.contains(&pid) || self.others.contains(&pid)
    }

    /// Those of these processes, given with their parents, that a child of `kernel`'s supervisors has started and is
    /// linked to: it would end with them.
    #[must_use]
    pub fn helpers(&self, processes: &[(Term, Term)]) -> Vec<Term> {
        let mut parents: Vec<Term> = processes.iter().map(|(_, parent)| *parent).collect();
        parents.sort_unstable_by_key(|parent| parent.bits());
        parents.dedup();
        let workers = self.workers(parents);
        if workers.is_empty() {
            return Vec::new();
        }
        let started = processes
            .iter()
            .filter(|(_, parent)| workers.contains(parent));
        let mut helpers = Vec::new();
        look_at(started.map(|(pid, _)| *pid), |process| {
            if is_linked_to_parent(process) {
                helpers.push(process.pid());
            }
        });
        helpers
    }

    /// Whether a process that the caller owns is one of [`helpers`](Vital::helpers).
    #[must_use]
    pub fn has_helper(&self, process: &Process) -> bool {
        is_linked_to_parent(process) && !self.workers([process.parent]).is_empty()
    }

    /// Those of these processes that are children of `kernel`'s supervisors, without such as are supervisors
    /// themselves, which outlive their children.
    fn workers(&self, pids: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut workers = Vec::new();
        look_at(pids, |process| {
            let standing = standing(process);
            let is_child = |parent| self.supervisors.contains(&parent);
            if standing.parent.is_some_and(is_child) && !standing.is_supervisor {
                workers.push(standing.pid);
            }
        });
        workers
    }
}

fn is_linked_to_parent(process: &Process) -> bool {
    let mut linked = process.relations.linked();
    linked.any(|other| other == process.parent)
}

/// The name of a process in parentheses, after a space; nothing if it has none.
#[must_use]
pub fn name_of(process: &Process) -> String {
    let name = registry::name_of_process(process);
    name.map_or_else(String::new, |name| format!(" ({})", display(name)))
}

/// The function that a process is in.
#[must_use]
pub fn place(process: &Process) -> String {
    match code::place_of(process.head.ip) {
        Some(place) => {
            let [module, function] = [place.module, place.function].map(display);
            format!("{module}:{function}/{}", place.arity)
        }
        None => "unknown".to_string(),
    }
}

/// Lines that tell of a process what its reader wants to know when it was ended.
#[must_use]
pub fn describe(process: &Process, holdings: &Holdings) -> String {
    let name = name_of(process);
    let call = |module: u32, function: u32, arity: u32| {
        let [module, function] = [module, function].map(Term::atom).map(display);
        format!("{module}:{function}/{arity}")
    };
    let (module, function) = process.initial_call;
    let begun = match process.dictionary.get(am::DOLLAR_INITIAL_CALL) {
        Some(initial) => display(initial).to_string(),
        None => call(module, function, process.initial_arity),
    };
    format!(
        "     Process:          {}{name}\n     Begun with:       {begun}\n     \
         Is in:            {}\n     Heap:             {} bytes\n     \
         Messages:         {}, {} bytes\n     Binaries:         {} bytes\n     Resources:        {} bytes\n     \
         Timers:           {} bytes\n",
        display(process.pid()),
        place(process),
        holdings.heap_bytes,
        holdings.messages,
        holdings.message_bytes,
        holdings.binary_bytes,
        holdings.resource_bytes,
        holdings.timer_bytes,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::heap;

    #[test]
    fn a_reach_is_too_short_only_where_it_would_see_more() {
        let mut first = std::ptr::null_mut();
        for _ in 0..300 {
            let fragment = heap::new_fragment(1);
            // SAFETY: the fragment is new.
            unsafe { (*fragment).next = first };
            first = fragment;
        }
        let check = |reach: usize, most: usize, seen: usize, is_too_short: bool| {
            let mut reach = Reach::to(reach);
            let mut visited = 0;
            // SAFETY: nobody else has the list.
            unsafe { reach.each_of(first, most, |_| visited += 1) };
            assert_eq!((visited, reach.looked_at), (seen, seen));
            assert_eq!(reach.is_too_short, is_too_short);
        };
        check(256, 1000, 256, true);
        check(256, 100, 100, false);
        check(256, 256, 256, false);
        check(1024, 1000, 300, false);
        check(300, 1000, 300, false);
        while !first.is_null() {
            // SAFETY: taken out of the list before it is freed.
            unsafe {
                let next = (*first).next;
                heap::free_fragment(first);
                first = next;
            }
        }
    }
}
