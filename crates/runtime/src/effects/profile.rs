//! The sampling profiler (`+profile`): what the threads of the node spend their processor time on, as stacks of Erlang
//! functions.
//!
//! Each scheduler and dirty scheduler is interrupted at intervals of its own processor time ([`sys::sampling`]). The
//! handler writes what it finds as addresses into the thread's [`ring`]; a thread of the profiler empties the rings ten
//! times a second, gives the addresses [`names`] while the code that they belong to is still loaded, and counts equal
//! stacks. When the node ends, [`flame`] writes them. Without the flag no thread has a ring, and nothing here runs.
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
mod ring;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

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
    rings: Mutex<Vec<&'static Ring>>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    names: Names,
    /// Weights of stacks; a stack is the numbers of its names, outermost first.
    stacks: FxHashMap<Vec<u32>, u64>,
}

static PROFILER: OnceLock<Profiler> = OnceLock::new();

thread_local! {
    /// This thread's ring. The handler reads it: it has no destructor and is set before the thread's timer is.
    static OWN: Cell<Option<&'static Ring>> = const { Cell::new(None) };
}

/// Turns the profiler on; called once, before the schedulers start.
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
    sys::sampling::set_observer(observe)
        .map_err(|error| format!("+profile: no signal for samples: {}", error.message()))?;
    let profiler = Profiler {
        path: path.to_owned(),
        files,
        hz,
        rings: Mutex::default(),
        counts: Mutex::default(),
    };
    assert!(PROFILER.set(profiler).is_ok(), "a node is started once");
    let counting = sys::thread::spawn("profile", 1 << 20, || {
        loop {
            std::thread::sleep(INTERVAL);
            if let Some(profiler) = PROFILER.get() {
                profiler.empty_rings();
            }
        }
    });
    counting.map_err(|error| format!("+profile: no thread for samples: {}", error.message()))?;
    Ok(())
}

/// Begins to sample this thread if the profiler is on. Called at the bottom of its native stack; `context` is its own
/// and lives as long as it.
pub(crate) fn begin(context: *const Context, kind: ThreadKind) {
    let Some(profiler) = PROFILER.get() else {
        return;
    };
    let bottom = 0u64;
    let ring: &'static Ring = Box::leak(Box::new(Ring::new(
        context,
        (&raw const bottom) as usize,
        kind,
    )));
    OWN.set(Some(ring));
    profiler.rings.lock().push(ring);
    if let Err(error) = sys::sampling::start(profiler.hz) {
        to_error(format_args!(
            "ferl: a thread is not profiled: {}\n",
            error.message()
        ));
    }
}

/// Called after each collection on this thread, with the process that was collected: takes the samples that fell into
/// it.
#[inline]
pub(crate) fn collected(process: &ProcessHead) {
    if let Some(ring) = OWN.get() {
        ring.add_collecting(process);
    }
}

/// The handler of the signal.
fn observe(interrupted: &sys::sampling::Interrupted) {
    if let Some(ring) = OWN.get() {
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
    profiler.empty_rings();
    let counts = profiler.counts.lock();
    let lost = profiler.rings.lock().iter().map(|ring| ring.lost()).sum();
    let mut stacks: Vec<flame::Stack> = counts
        .stacks
        .iter()
        .map(|(names, &weight)| flame::Stack {
            names: names.iter().map(|&name| counts.names.text(name)).collect(),
            weight,
        })
        .collect();
    stacks.sort_unstable_by(|a, b| a.names.cmp(&b.names));
    let written = profiler.files.write(&stacks, profiler.hz, lost);
    if let Err(error) = &written {
        to_error(format_args!("ferl: {}: {error}\n", profiler.path.display()));
    }
    written.is_ok()
}

impl Profiler {
    fn empty_rings(&self) {
        let mut counts = self.counts.lock();
        let Counts { names, stacks } = &mut *counts;
        names.refresh();
        let rings = self.rings.lock().clone();
        let mut sample = Sample::default();
        for ring in rings {
            while ring.take(&mut sample) {
                let stack = names_of(names, &sample);
                *stacks.entry(stack).or_default() += u64::from(sample.weight);
            }
        }
    }
}

/// The names of a sample, outermost first. Calls of a function by itself appear once.
fn names_of(names: &mut Names, sample: &Sample) -> Vec<u32> {
    let native = match sample.found {
        Found::Native | Found::Dirty => names.of_native(sample),
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
        }
        Found::Collecting => add(Some(names.of_text("[collecting]"))),
        Found::NoProcess => add(Some(names.of_text("[scheduling]"))),
        Found::Dirty => {
            add(Some(names.of_text("[dirty scheduler]")));
            add(native.callee);
        }
    }
    stack
}
