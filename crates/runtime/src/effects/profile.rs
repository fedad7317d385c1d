//! The sampling profiler: what the threads of the node spend their processor time on, as stacks of Erlang functions;
//! from the start to the end of the node (`+profile`), or for some seconds ([`take`]), as the window asks for.
//!
//! Each scheduler and dirty scheduler is interrupted at intervals of its own processor time ([`sys::sampling`]). The
//! handler writes what it finds as addresses into the thread's [`ring`]; whoever counts empties the rings ten times a
//! second, gives the addresses [`names`] while the code that they belong to is still loaded, and counts equal stacks.
//! With `+profile`, [`flame`] writes them when the node ends. A thread that has never been sampled has no ring.
//!
//! **Why the handler may walk a stack.** It runs on the thread that owns the process, between two machine instructions:
//!
//! - The fields `start`, `stack` and `end` of a heap change only within a collection, during which
//!   [`collection::is_running`] is true; then the handler only counts, and [`collected`] takes the stack afterwards,
//!   which is what it was before. So at any other time the words between a stack pointer within the block and `end` may
//!   be read.
//! - In machine code, the register of the second argument is the stack pointer. Elsewhere the field `stack` is what it
//!   was when the machine code was last left through `Registers::save`, as it is at calls of BIFs and of the runtime.
//!   Slow paths that only look (comparisons, lookups in maps) do without; their stack pointer is looked for where they
//!   hold it. If that finds another one, it still points into the block, and the sample names some callers too many or
//!   too few.
//! - A word of the stack with low bits 00 is a return address. A frame whose slots are not yet initialised may hold
//!   others, of earlier calls: so the newest frame, for the few instructions until its first call, may be followed by a
//!   stray name. What is not in the code of any module is left out.

pub mod flame;
mod names;
mod parts;
mod ring;

use std::cell::Cell;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use layout::{Context, ProcessHead};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::effects::collection;
use names::{Names, Native};
use ring::{Found, Ring, Sample};
use sys::standard::to_error;

/// How often the rings are emptied.
const INTERVAL: Duration = Duration::from_millis(100);

/// The kind of a thread that is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadKind {
    Scheduler,
    Dirty,
}

/// What the flag asks for, and what was found so far.
struct Profiler {
    path: PathBuf,
    files: flame::Files,
    hz: u32,
    counts: Mutex<Counts>,
}

struct Counts {
    names: Names,
    /// Weights of stacks; a stack is the numbers of its names, outermost first.
    stacks: FxHashMap<Vec<u32>, u64>,
    /// What comes when there are so many is counted as one more.
    most_stacks: usize,
}

/// A thread that may be sampled. It lives as long as the node.
struct Sampled {
    thread: sys::sampling::Thread,
    context: *const Context,
    /// The bottom of its native stack.
    bottom: usize,
    kind: ThreadKind,
    /// Made when the thread is sampled for the first time, and kept.
    ring: OnceLock<Ring>,
}

// SAFETY: only the thread itself follows the pointer to its context; other threads copy it into the ring.
unsafe impl Sync for Sampled {}

static PROFILER: OnceLock<Profiler> = OnceLock::new();
static THREADS: Mutex<Vec<&'static Sampled>> = Mutex::new(Vec::new());
/// Held while somebody takes a profile.
static TAKER: Mutex<()> = Mutex::new(());

thread_local! {
    /// What is known of this thread. The handler reads it: it has no destructor and is set before a timer is.
    static OWN: Cell<Option<&'static Sampled>> = const { Cell::new(None) };
}

impl Sampled {
    fn ring(&self) -> &Ring {
        self.ring
            .get_or_init(|| Ring::new(self.context, self.bottom, self.kind))
    }

    /// Has the thread interrupted until the timer is dropped.
    fn start(&self, hz: u32) -> sys::Result<sys::sampling::Timer> {
        self.ring();
        // SAFETY: such threads live as long as the node, and who calls this has set the observer.
        unsafe { self.thread.interrupt(hz) }
    }
}

/// Sets the handler of the signal.
fn observe_samples() -> Result<(), String> {
    static OBSERVED: OnceLock<Result<(), String>> = OnceLock::new();
    let observed = OBSERVED.get_or_init(|| {
        if !engine::native::is_enabled() {
            return Err("needs machine code, which is turned off or not supported here".to_owned());
        }
        sys::sampling::set_observer(observe)
            .map_err(|error| format!("no signal for samples: {}", error.message()))
    });
    observed.clone()
}

/// Turns the profiler of `+profile` on; called once, before the schedulers start.
///
/// # Errors
/// A message, if it cannot work here or its files cannot be written.
pub fn open(path: &Path, hz: u32) -> Result<(), String> {
    if !engine::native::is_enabled() {
        return Err(
            "+profile needs machine code, which is turned off or not supported here".to_owned(),
        );
    }
    let files = flame::Files::create(path)?;
    observe_samples().map_err(|why| format!("+profile: {why}"))?;
    let profiler = Profiler {
        path: path.to_owned(),
        files,
        hz,
        counts: Mutex::new(Counts::new(usize::MAX)),
    };
    assert!(PROFILER.set(profiler).is_ok(), "a node is started once");
    let counting = sys::thread::spawn("profile", 1 << 20, || {
        loop {
            std::thread::sleep(INTERVAL);
            if let Some(profiler) = PROFILER.get() {
                profiler.counts.lock().empty_rings();
            }
        }
    });
    counting.map_err(|error| format!("+profile: no thread for samples: {}", error.message()))?;
    Ok(())
}

/// Makes this thread one that may be sampled, and begins to sample it if the node is profiled from its start. Called at
/// the bottom of its native stack; `context` is its own and lives as long as it, which is as long as the node.
pub(crate) fn begin(context: *const Context, kind: ThreadKind) {
    let bottom = 0u64;
    let sampled: &'static Sampled = Box::leak(Box::new(Sampled {
        thread: sys::sampling::Thread::this(),
        context,
        bottom: (&raw const bottom) as usize,
        kind,
        ring: OnceLock::new(),
    }));
    OWN.set(Some(sampled));
    THREADS.lock().push(sampled);
    let Some(profiler) = PROFILER.get() else {
        return;
    };
    match sampled.start(profiler.hz) {
        // It goes on to the end of the node.
        Ok(timer) => std::mem::forget(timer),
        Err(error) => to_error(format_args!(
            "ferl: a thread is not profiled: {}\n",
            error.message()
        )),
    }
}

/// The ring of this thread, if it has been sampled.
#[inline]
fn own_ring() -> Option<&'static Ring> {
    OWN.get()?.ring.get()
}

/// Called after each collection on this thread, with the process that was collected: takes the samples that fell into
/// it.
#[inline]
pub(crate) fn collected(process: &ProcessHead) {
    if let Some(ring) = own_ring() {
        ring.add_collecting(process);
    }
}

/// The handler of the signal.
fn observe(interrupted: &sys::sampling::Interrupted) {
    if let Some(ring) = own_ring() {
        match collection::is_running() {
            true => ring.count_collecting(interrupted.weight),
            false => ring.add(interrupted),
        }
    }
}

/// Writes the files, if the profiler is on. Called when the node ends; returns whether all is written that was asked
/// for.
pub fn finish() -> bool {
    let Some(profiler) = PROFILER.get() else {
        return true;
    };
    let mut counts = profiler.counts.lock();
    counts.empty_rings();
    let written = profiler.files.write(&counts.sorted(), profiler.hz, lost());
    if let Err(error) = &written {
        to_error(format_args!("ferl: {}: {error}\n", profiler.path.display()));
    }
    written.is_ok()
}

/// A profile of some seconds.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Stacks in folded form: names, outermost first, and the samples that found exactly these, one stack a line.
    pub folded: String,
    /// All samples, also those of stacks that are not among these.
    pub samples: u64,
    /// Samples of stacks that were left out, because there were too many.
    pub left_out: u64,
    /// Samples for which there was no room.
    pub lost: u64,
}

/// The most that a profile may be of.
const MOST_STACKS: usize = 50_000;
/// The most bytes of its text.
const MOST_FOLDED_BYTES: usize = 4 << 20;

/// Samples all threads for so long, at most so many times in each second of a thread's processor time, or until
/// `is_wanted`, which is told how many samples there are, returns false. One profile is taken at a time.
///
/// # Errors
/// Says why there can be none.
pub fn take(
    length: Duration,
    hz: u32,
    mut is_wanted: impl FnMut(u64) -> bool,
) -> Result<Taken, String> {
    if PROFILER.get().is_some() {
        return Err("the node is profiled from its start to its end: +profile".to_owned());
    }
    let Some(_taker) = TAKER.try_lock() else {
        return Err("a profile is being taken already".to_owned());
    };
    observe_samples().map_err(|why| format!("a profile {why}"))?;
    // What is left of an earlier profile.
    let mut sample = Sample::default();
    for ring in rings() {
        while ring.take(&mut sample) {}
    }
    let lost_before = lost();
    let threads = THREADS.lock().clone();
    let timers: sys::Result<Vec<_>> = threads.iter().map(|thread| thread.start(hz)).collect();
    let timers = timers.map_err(|error| format!("the system has no timer: {}", error.message()))?;
    let mut counts = Counts::new(MOST_STACKS);
    let until = Instant::now() + length;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !is_wanted(counts.stacks.values().sum()) {
            break;
        }
        std::thread::sleep(INTERVAL.min(left));
        counts.empty_rings();
    }
    drop(timers);
    counts.empty_rings();
    let mut taken = counts.folded();
    taken.lost = lost() - lost_before;
    Ok(taken)
}

/// The rings of all threads that have been sampled.
fn rings() -> Vec<&'static Ring> {
    let threads = THREADS.lock();
    threads
        .iter()
        .filter_map(|thread| thread.ring.get())
        .collect()
}

/// The weight of all samples that were lost.
fn lost() -> u64 {
    rings().into_iter().map(Ring::lost).sum()
}

impl Counts {
    fn new(most_stacks: usize) -> Counts {
        Counts {
            names: Names::default(),
            stacks: FxHashMap::default(),
            most_stacks,
        }
    }

    fn empty_rings(&mut self) {
        let Counts {
            names,
            stacks,
            most_stacks,
        } = self;
        names.refresh();
        let mut sample = Sample::default();
        for ring in rings() {
            while ring.take(&mut sample) {
                let mut stack = names_of(names, &sample);
                if stacks.len() >= *most_stacks && !stacks.contains_key(&stack) {
                    stack = vec![names.of_text("[other stacks]")];
                }
                *stacks.entry(stack).or_default() += u64::from(sample.weight);
            }
        }
    }

    /// The stacks in the order of their names.
    fn sorted(&self) -> Vec<flame::Stack<'_>> {
        let stack = |(names, &weight): (&Vec<u32>, &u64)| flame::Stack {
            names: names.iter().map(|&name| self.names.text(name)).collect(),
            weight,
        };
        let mut stacks: Vec<flame::Stack<'_>> = self.stacks.iter().map(stack).collect();
        stacks.sort_unstable_by(|a, b| a.names.cmp(&b.names));
        stacks
    }

    fn folded(&self) -> Taken {
        let mut stacks = self.sorted();
        let samples = stacks.iter().map(|stack| stack.weight).sum();
        stacks.sort_by_key(|stack| Reverse(stack.weight));
        let mut taken = Taken {
            samples,
            ..Taken::default()
        };
        for stack in &stacks {
            let line = flame::folded(std::slice::from_ref(stack));
            match taken.folded.len() + line.len() > MOST_FOLDED_BYTES {
                true => taken.left_out += stack.weight,
                false => taken.folded.push_str(&line),
            }
        }
        taken
    }
}

/// The names of a sample, outermost first. Calls of a function by itself appear once.
fn names_of(names: &mut Names, sample: &Sample) -> Vec<u32> {
    let native = match sample.found {
        Found::Native | Found::Dirty => names.of_native(sample),
        Found::NoProcess => names.of_scheduling(sample),
        _ => Native::default(),
    };
    let returns = native.returns(sample);
    let mut stack: Vec<u32> = Vec::with_capacity(returns.len() + 2);
    let mut add = |name: Option<u32>| {
        if let Some(name) = name
            && stack.last() != Some(&name)
        {
            stack.push(name);
        }
    };
    for &address in returns.iter().rev() {
        add(match address {
            ring::LEFT_OUT => Some(names.of_text("[...]")),
            // A return address points to the word after its call.
            address => names.of_words(address - 8),
        });
    }
    match sample.found {
        Found::MachineCode => add(names.of_machine_code(sample.ip)),
        Found::Native => {
            add(native.caller);
            add(native.callee);
            add(native.part);
        }
        Found::Collecting => add(Some(names.of_text("[collecting]"))),
        Found::NoProcess => {
            add(Some(names.of_text("[scheduling]")));
            add(native.part);
        }
        Found::Dirty => {
            add(Some(names.of_text("[dirty scheduler]")));
            add(native.callee);
            add(native.part);
        }
    }
    stack
}
