//! When modules get machine code: most functions that are loaded never run, or run a few times, and machine code for
//! them would cost more than it saves.
//!
//! A module begins in the threaded form. Its functions' entries lead to `slow::calls::cold`, which counts the calls and
//! goes on with the function's first instruction. When a function has been called often enough, the runtime is told
//! (`RuntimeTable::is_warm`), and some thread calls [`Code::make_machine_code`](crate::Code::make_machine_code), while
//! others run the module. Both forms mix freely: each instruction's first word is replaced by the address of its
//! machine code, and whoever reads a word before or after that finds a way to run the instruction.
//!
//! The word before a function's arity (`FunctionClause::first`) holds the handler of its first instruction, in the
//! lower bits, and how many calls are to be counted. Several threads may count at once; then a call may be lost.

use core::sync::atomic::{AtomicU16, AtomicU64, Ordering};

/// Calls of a function after which its module gets machine code, if it is a small one.
static CALLS: AtomicU16 = AtomicU16::new(0);

/// Sets how many calls of a function are counted before its module gets machine code, if it is a small one; 0, as by
/// default: every module gets it when it is loaded.
pub fn set_calls(calls: u16) {
    CALLS.store(calls, Ordering::Relaxed);
}

/// Whether modules begin without machine code.
#[must_use]
pub fn counts_calls() -> bool {
    calls() > 0
}

pub(crate) fn calls() -> u16 {
    CALLS.load(Ordering::Relaxed)
}

/// A module of so many words of code is small: one function that is called often pays for the machine code of all.
const SMALL_WORDS: usize = 2048;

/// Calls of a function after which its module, of so many words of code, gets machine code. The larger the module, the
/// more machine code is made for that function, and the later.
pub(crate) fn calls_for(words: usize) -> u16 {
    let times = u16::try_from(1 + words / SMALL_WORDS).unwrap_or(u16::MAX);
    calls().saturating_mul(times)
}

/// Addresses of programs on x86-64 have no more bits.
const HANDLER_BITS: u32 = 48;

/// How far before a function's entry its word is.
pub(crate) const WORDS_BEFORE_ENTRY: usize = 2;

/// The word of a function, of which `calls` are to be counted.
pub(crate) fn word(handler: u64, calls: u16) -> u64 {
    debug_assert!(handler >> HANDLER_BITS == 0);
    handler | u64::from(calls) << HANDLER_BITS
}

/// The handler in a function's word.
pub(crate) fn handler(word: u64) -> u64 {
    word & ((1 << HANDLER_BITS) - 1)
}

/// Counts a call of the function with this entry. Returns its word as it was before.
///
/// # Safety
/// `entry` is the entry of a function of a module.
#[inline(always)]
pub(crate) unsafe fn count(entry: *const u64) -> u64 {
    // SAFETY: the word is before the entry, and is accessed in no other way.
    let counter = unsafe { &*entry.sub(WORDS_BEFORE_ENTRY).cast::<AtomicU64>() };
    let word = counter.load(Ordering::Relaxed);
    // From 0 it goes on with the largest number.
    counter.store(word.wrapping_sub(1 << HANDLER_BITS), Ordering::Relaxed);
    word
}

/// Whether the call that found this word makes its function one that has been called often enough: once, and then again
/// after many more calls.
#[inline(always)]
pub(crate) fn is_warm(word: u64) -> bool {
    word >> HANDLER_BITS == 0
}
