//! The samples of one thread, from its signal handler to the thread that counts them.
//!
//! A ring of words with one writer, the thread itself, and one reader. A sample is a head and its addresses:
//!
//! ```text
//! | found 8 | returns 12 | others 12 | natives 8 | weight 24 |  ip  |  ip of the process  |  natives  |  returns  |  others  |
//! ```
//!
//! The writer writes the words of a sample before it moves `written`, the reader moves `read` after it has read them. A
//! sample for which there is no room is lost, and counted. The writer's ordinary code and the handler that interrupts
//! it share the flag `is_busy`.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use layout::heap::is_return_address;
use layout::{Context, ProcessHead};

use super::ThreadKind;

/// Words of a ring: at 1000 samples a second, several times as many as come between two looks of the reader.
const WORDS: usize = 1 << 15;
/// Return addresses of a sample: so many of the newest calls, and so many of the oldest.
const NEWEST: usize = 160;
const OLDEST: usize = 32;
/// How many words of a stack are looked through for them. A deep recursion is not walked to its end.
const NEWEST_WORDS: usize = 2048;
const OLDEST_WORDS: usize = 256;
/// Addresses of native functions in a sample, and how many words of the native stack are looked through for them.
const NATIVES: usize = 32;
const NATIVE_WORDS: usize = 512;
/// Machine code, and the words that it belongs to, are below this address; the functions of the program are not.
const END_OF_CODE: usize = 1 << 31;
/// A return address that stands for calls that were left out.
pub(super) const LEFT_OUT: u64 = 4;

/// What a sample has found the thread doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Found {
    #[default]
    NoProcess,
    MachineCode,
    /// Functions of the program, on behalf of a process.
    Native,
    Collecting,
    Dirty,
}

const FOUND: [Found; 5] = [
    Found::NoProcess,
    Found::MachineCode,
    Found::Native,
    Found::Collecting,
    Found::Dirty,
];

/// A sample as the reader sees it.
#[derive(Default)]
pub(super) struct Sample {
    pub found: Found,
    pub weight: u32,
    /// The interrupted instruction.
    pub ip: u64,
    /// The instruction that has called a BIF, or an older one.
    pub process_ip: u64,
    /// Words of the native stack that look like addresses of functions or of code, outermost first.
    pub natives: Vec<u64>,
    /// Return addresses, innermost first, from the stack pointer that was saved last.
    pub returns: Vec<u64>,
    /// As `returns`, from the stack pointer that a slow path seems to hold; empty if there is no other.
    pub others: Vec<u64>,
}

pub(super) struct Ring {
    words: Box<[AtomicU64]>,
    /// Words written and read so far.
    written: AtomicUsize,
    read: AtomicUsize,
    is_busy: AtomicBool,
    /// Weight of the samples in the present collection.
    collecting: AtomicU32,
    lost: AtomicU64,
    context: *const Context,
    /// The native stack pointer at the last sample in machine code, which is the end of the frames of slow paths.
    /// Before the first one, an address further out.
    bottom: AtomicUsize,
    kind: ThreadKind,
    text: std::ops::Range<usize>,
}

// SAFETY: other threads use the atomics only; the context is read by the ring's own thread.
unsafe impl Sync for Ring {}

/// Where the words of a sample go.
struct Writer<'a> {
    words: &'a [AtomicU64],
    at: usize,
}

impl Writer<'_> {
    fn put(&mut self, word: u64) {
        self.words[self.at % WORDS].store(word, Ordering::Relaxed);
        self.at += 1;
    }
}

/// Words of which those that nobody has written yet take no memory.
fn zeroed() -> Box<[AtomicU64]> {
    // SAFETY: zero is a number.
    unsafe { Box::new_zeroed_slice(WORDS).assume_init() }
}

impl Ring {
    pub(super) fn new(context: *const Context, bottom: usize, kind: ThreadKind) -> Ring {
        Ring {
            words: zeroed(),
            written: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
            is_busy: AtomicBool::new(false),
            collecting: AtomicU32::new(0),
            lost: AtomicU64::new(0),
            context,
            bottom: AtomicUsize::new(bottom),
            kind,
            text: sys::sampling::program_text(),
        }
    }

    /// Weight of samples that were lost.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Counts a sample in the present collection. Called by the handler.
    pub(super) fn count_collecting(&self, weight: u32) {
        self.collecting.fetch_add(weight, Ordering::Relaxed);
    }

    /// Adds the samples that fell into a collection of `process`, which is over.
    pub(super) fn add_collecting(&self, process: &ProcessHead) {
        if self.collecting.load(Ordering::Relaxed) == 0 {
            return;
        }
        self.is_busy.store(true, Ordering::SeqCst);
        let weight = self.collecting.swap(0, Ordering::Relaxed);
        self.write(Found::Collecting, weight, |ring, to| {
            to.put(0);
            to.put(0);
            // SAFETY: this thread owns the process, and no collection runs.
            let returns = unsafe { ring.walk(process, process.heap.stack as usize, to) };
            (0, returns, 0)
        });
        self.is_busy.store(false, Ordering::SeqCst);
    }

    /// Adds what the thread was doing. Called by the handler.
    pub(super) fn add(&self, interrupted: &sys::sampling::Interrupted) {
        if self.is_busy.load(Ordering::SeqCst) {
            self.lost
                .fetch_add(u64::from(interrupted.weight), Ordering::Relaxed);
            return;
        }
        // SAFETY: the context is this thread's own; its process is null or one that this thread owns.
        let process = unsafe { (&raw const (*self.context).process).read_volatile() };
        let in_code = interrupted.ip < END_OF_CODE;
        let found = match (self.kind, in_code) {
            (ThreadKind::Dirty, _) => Found::Dirty,
            _ if process.is_null() => Found::NoProcess,
            (_, true) => Found::MachineCode,
            (_, false) => Found::Native,
        };
        if found == Found::MachineCode {
            self.bottom
                .store(interrupted.native_stack, Ordering::Relaxed);
        }
        self.write(found, interrupted.weight, |ring, to| {
            to.put(interrupted.ip as u64);
            if found == Found::NoProcess {
                to.put(0);
                // SAFETY: the native stack is this thread's own.
                return (unsafe { ring.natives(interrupted.native_stack, to) }, 0, 0);
            }
            // SAFETY: as above for a process that is not null; the native stack is this thread's own.
            unsafe {
                let process_ip = match found == Found::Dirty {
                    true => 0,
                    false => (&raw const (*process).ip).read_volatile() as u64,
                };
                to.put(process_ip);
                let natives = match found {
                    Found::Native | Found::Dirty => ring.natives(interrupted.native_stack, to),
                    _ => 0,
                };
                if found == Found::Dirty {
                    return (natives, 0, 0);
                }
                let stack = match in_code {
                    true => interrupted.second_argument,
                    false => (&raw const (*process).heap.stack).read_volatile() as usize,
                };
                let returns = ring.walk(process, stack, to);
                let others = match found {
                    Found::Native => ring.stack_in_use(process, interrupted),
                    _ => None,
                };
                let others = others.filter(|other| *other != stack);
                let others = others.map_or(0, |other| ring.walk(process, other, to));
                (natives, returns, others)
            }
        });
    }

    /// Writes one sample; `body` writes all words but the head, and returns the numbers of natives, returns and
    /// others.
    fn write(
        &self,
        found: Found,
        weight: u32,
        body: impl FnOnce(&Ring, &mut Writer<'_>) -> (usize, usize, usize),
    ) {
        const MOST: usize = 3 + NATIVES + 2 * (NEWEST + OLDEST + 1);
        let written = self.written.load(Ordering::Relaxed);
        if written - self.read.load(Ordering::Acquire) + MOST > WORDS {
            self.lost.fetch_add(u64::from(weight), Ordering::Relaxed);
            return;
        }
        let mut to = Writer {
            words: &self.words,
            at: written + 1,
        };
        let (natives, returns, others) = body(self, &mut to);
        let counts = (returns as u64) << 8 | (others as u64) << 20 | (natives as u64) << 32;
        let head = found as u64 | counts | u64::from(weight) << 40;
        self.words[written % WORDS].store(head, Ordering::Relaxed);
        self.written.store(to.at, Ordering::Release);
    }

    /// Writes the return addresses on a stack, and returns how many.
    ///
    /// # Safety
    /// This thread owns the process, and no collection of it runs.
    unsafe fn walk(&self, process: *const ProcessHead, stack: usize, to: &mut Writer<'_>) -> usize {
        // SAFETY: the caller's promise.
        let (start, end) = unsafe {
            let heap = &raw const (*process).heap;
            (
                (&raw const (*heap).start).read_volatile() as usize,
                (&raw const (*heap).end).read_volatile() as usize,
            )
        };
        if !(start..=end).contains(&stack) || stack % 8 != 0 {
            return 0;
        }
        let from = to.at;
        let newest_end = end.min(stack + NEWEST_WORDS * 8);
        // SAFETY: words of the process's block, see above.
        let stopped = unsafe { returns(stack, newest_end, NEWEST, to) };
        if stopped < end {
            to.put(LEFT_OUT);
            let oldest = stopped.max(end - OLDEST_WORDS * 8);
            // SAFETY: as above.
            unsafe { returns(oldest, end, OLDEST, to) };
        }
        to.at - from
    }

    /// The stack pointer that a slow path holds. It is the greatest address in the process's block that is not that of
    /// a term on the heap, in the registers that functions preserve and in the outermost frames, which are those of the
    /// slow path and of what it has called.
    ///
    /// # Safety
    /// As for `walk`; `interrupted` is this thread.
    unsafe fn stack_in_use(
        &self,
        process: *const ProcessHead,
        interrupted: &sys::sampling::Interrupted,
    ) -> Option<usize> {
        const FRAME_WORDS: usize = 48;
        // SAFETY: the caller's promise.
        let (top, end) = unsafe {
            let heap = &raw const (*process).heap;
            (
                (&raw const (*heap).top).read_volatile() as usize,
                (&raw const (*heap).end).read_volatile() as usize,
            )
        };
        let bottom = self.bottom.load(Ordering::Relaxed) & !7;
        let frame = (1..=FRAME_WORDS)
            .map(|word| bottom.saturating_sub(word * 8))
            .take_while(|at| *at >= interrupted.native_stack)
            // SAFETY: a word of this thread's stack, between its pointer and its bottom.
            .map(|at| unsafe { (at as *const usize).read_volatile() });
        let held = frame.chain(interrupted.preserved);
        held.filter(|word| word % 8 == 0 && (top..end).contains(word))
            .max()
    }

    /// Writes the words of the native stack that look like addresses of functions or code, outermost first; returns how
    /// many.
    ///
    /// # Safety
    /// `stack` is this thread's native stack pointer.
    unsafe fn natives(&self, stack: usize, to: &mut Writer<'_>) -> usize {
        let from = to.at;
        let mut at = self.bottom.load(Ordering::Relaxed) & !7;
        let end = stack.max(at.saturating_sub(NATIVE_WORDS * 8));
        while at > end && to.at - from < NATIVES {
            at -= 8;
            // SAFETY: a word of this thread's stack, between its pointer and its bottom.
            let word = unsafe { (at as *const usize).read_volatile() };
            let is_code = word % 8 == 0 && (1 << 20..END_OF_CODE).contains(&word);
            if is_code || self.text.contains(&word) {
                to.put(word as u64);
            }
        }
        to.at - from
    }

    /// Reads the next sample; false if there is none.
    pub(super) fn take(&self, sample: &mut Sample) -> bool {
        let read = self.read.load(Ordering::Relaxed);
        if read == self.written.load(Ordering::Acquire) {
            return false;
        }
        let word = |at: usize| self.words[(read + at) % WORDS].load(Ordering::Relaxed);
        let head = word(0);
        let returns = (head >> 8 & 0xfff) as usize;
        let others = (head >> 20 & 0xfff) as usize;
        let natives = (head >> 32 & 0xff) as usize;
        sample.found = FOUND[(head & 0xff) as usize];
        sample.weight = (head >> 40) as u32;
        sample.ip = word(1);
        sample.process_ip = word(2);
        sample.natives.clear();
        sample.natives.extend((3..3 + natives).map(word));
        let first = 3 + natives;
        sample.returns.clear();
        sample.returns.extend((first..first + returns).map(word));
        let second = first + returns;
        sample.others.clear();
        sample.others.extend((second..second + others).map(word));
        self.read.store(read + second + others, Ordering::Release);
        true
    }
}

/// Writes at most `most` return addresses between two addresses, and returns where it stopped. Equal ones in a row,
/// those of a recursion, are written once.
///
/// # Safety
/// The words may be read.
unsafe fn returns(from: usize, end: usize, most: usize, to: &mut Writer<'_>) -> usize {
    let (mut at, mut count, mut before) = (from, 0, 0);
    while at < end && count < most {
        // SAFETY: the caller's promise.
        let word = unsafe { (at as *const u64).read_volatile() };
        at += 8;
        if !is_return_address(word)
            || word == before
            || (word as usize) < 1 << 20
            || word as usize >= END_OF_CODE
        {
            continue;
        }
        before = word;
        to.put(word);
        count += 1;
    }
    at
}
