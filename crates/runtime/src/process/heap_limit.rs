//! Sizes of heaps that programs ask for, and the limit of a process's heap (`max_heap_size`).
//!
//! The node's defaults are in [`DEFAULTS`]; what a process has of its own is in its `HeapOptions`.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use layout::Term;
use layout::limits::FIRST_HEAP_WORDS;
use term::gc::block;
use term::release::{self, Release};
use term::{am, build, map};

use super::Process;
use crate::process::config;

/// The node's defaults for new processes (`+h*`, `system_flag`).
pub struct Defaults {
    pub min_heap_words: AtomicU32,
    pub min_binary_words: AtomicU64,
    pub fullsweep_after: AtomicU32,
    pub max_heap_words: AtomicU64,
    pub max_heap_kill: AtomicBool,
    pub max_heap_log: AtomicBool,
    pub max_heap_binaries: AtomicBool,
    /// Whether the default maximum heap size was changed since the node started. If so, each new process stores the
    /// defaults in its own options; older processes keep those of the start.
    pub max_heap_changed: AtomicBool,
    pub off_heap_messages: AtomicU32,
}

pub static DEFAULTS: Defaults = Defaults {
    min_heap_words: AtomicU32::new(FIRST_HEAP_WORDS as u32),
    min_binary_words: AtomicU64::new(46_422),
    fullsweep_after: AtomicU32::new(65_535),
    max_heap_words: AtomicU64::new(0),
    max_heap_kill: AtomicBool::new(true),
    max_heap_log: AtomicBool::new(true),
    max_heap_binaries: AtomicBool::new(false),
    max_heap_changed: AtomicBool::new(false),
    off_heap_messages: AtomicU32::new(0),
};

/// `max_heap_size` as programs set and read it.
pub struct HeapLimit {
    /// 0 means no limit.
    pub words: u64,
    pub kill: bool,
    pub log: bool,
    /// Whether binaries that others may share count too (from OTP 26 on).
    pub binaries: bool,
}

impl Default for HeapLimit {
    /// The node's current default.
    fn default() -> HeapLimit {
        HeapLimit {
            words: DEFAULTS.max_heap_words.load(Ordering::Relaxed),
            kill: DEFAULTS.max_heap_kill.load(Ordering::Relaxed),
            log: DEFAULTS.max_heap_log.load(Ordering::Relaxed),
            binaries: DEFAULTS.max_heap_binaries.load(Ordering::Relaxed),
        }
    }
}

impl HeapLimit {
    /// Parses a size, or a map with `size` and optionally `kill`, `error_logger`, `include_shared_binaries`.
    pub fn parse(value: Term) -> Option<HeapLimit> {
        let mut limit = HeapLimit {
            words: 0,
            ..HeapLimit::default()
        };
        if !value.is_map() {
            limit.words = size(value)?;
            return Some(limit);
        }
        limit.words = size(map::get(value, am::SIZE)?)?;
        let mut switches = vec![
            (am::KILL, &mut limit.kill),
            (am::ERROR_LOGGER, &mut limit.log),
        ];
        if release::has(Release::OTP_26) {
            switches.push((am::INCLUDE_SHARED_BINARIES, &mut limit.binaries));
        }
        for (key, place) in switches {
            match map::get(value, key) {
                None => {}
                Some(am::TRUE) => *place = true,
                Some(am::FALSE) => *place = false,
                Some(_) => return None,
            }
        }
        Some(limit)
    }

    /// The limit that the node was started with; it applies to processes that were given no other.
    fn at_start() -> HeapLimit {
        let flags = &config::get().flags;
        HeapLimit {
            words: flags.max_heap_words,
            kill: flags.max_heap_kill,
            log: flags.max_heap_log,
            binaries: flags.max_heap_binaries,
        }
    }

    /// The limit of a process.
    pub fn of(process: &Process) -> HeapLimit {
        let default = HeapLimit::at_start();
        let Some(extras) = process.existing_extras() else {
            return default;
        };
        let options = &extras.heap_options;
        HeapLimit {
            words: options.max_heap_words.unwrap_or(default.words),
            kill: options.max_heap_kill.unwrap_or(default.kill),
            log: options.max_heap_log.unwrap_or(default.log),
            binaries: options.max_heap_binaries.unwrap_or(default.binaries),
        }
    }

    /// `#{error_logger => _, kill => _, size => _}`, from OTP 26 on with `include_shared_binaries`.
    pub fn to_map<A: term::Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        let words = build::unsigned(heap, self.words);
        let pairs = [
            (am::ERROR_LOGGER, am::boolean(self.log)),
            (am::KILL, am::boolean(self.kill)),
            (am::SIZE, words),
            (am::INCLUDE_SHARED_BINARIES, am::boolean(self.binaries)),
        ];
        let shown = if release::has(Release::OTP_26) { 4 } else { 3 };
        map::from_pairs(heap, &pairs[..shown])
    }
}

/// A size that is not negative.
pub fn size(value: Term) -> Option<u64> {
    value.as_small().and_then(|words| u64::try_from(words).ok())
}

/// A minimum heap size, rounded up to the next size that heaps have.
pub fn heap_words(value: Term) -> Option<u32> {
    let words = usize::try_from(size(value)?).unwrap_or(usize::MAX);
    if words <= FIRST_HEAP_WORDS {
        return Some(FIRST_HEAP_WORDS as u32);
    }
    let words = block::size_for(words).and_then(|words| u32::try_from(words).ok());
    Some(words.unwrap_or(u32::MAX))
}

/// A minimum size of the virtual heap of shared binaries, at least the default.
pub fn binary_words(value: Term) -> Option<u64> {
    let least = DEFAULTS.min_binary_words.load(Ordering::Relaxed);
    Some(virtual_heap_words(size(value)?).max(least))
}

/// Rounds the size of a virtual heap up to the next size that heaps have.
pub fn virtual_heap_words(words: u64) -> u64 {
    let words = usize::try_from(words).ok().and_then(block::size_for);
    words.map_or(u64::MAX, |words| words as u64)
}

/// `min_bin_vheap_size` of a process.
#[must_use]
pub fn min_binary_words(process: &Process) -> u64 {
    process
        .existing_extras()
        .and_then(|extras| extras.heap_options.min_binary_words)
        .unwrap_or_else(|| DEFAULTS.min_binary_words.load(Ordering::Relaxed))
}
