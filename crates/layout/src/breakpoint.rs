//! Breakpoints: what stands at the entry of a function whose calls are counted, traced or debugged.
//!
//! A breakpoint leads straight to its record here, which never moves while its code lives. Counters are written by
//! running processes; everything else is written only while no thread runs code.

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The record of a breakpoint. It has the form of an instruction: its first word is the handler that runs it.
#[repr(C)]
pub struct Breakpoint {
    /// Counts the call and goes on, or asks the runtime.
    pub handler: AtomicPtr<()>,
    /// The entry of the function.
    pub entry: *const u64,
    /// Where the function goes on: see [`Resume`](crate::context::Resume).
    pub resume_at: AtomicPtr<u64>,
    /// What runs the instruction there.
    pub resume_handler: AtomicPtr<()>,
    /// If calls are only counted: a counter for each scheduler, by its number.
    pub counters: AtomicPtr<Counter>,
    /// What the runtime does for a call.
    pub point: AtomicPtr<c_void>,
}

/// A counter that one scheduler writes, on a cache line of its own.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Counter(pub AtomicU64);

impl Counter {
    /// Adds 1. Only one thread may do this.
    #[inline(always)]
    pub fn increment(&self) {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before.wrapping_add(1), Ordering::Relaxed);
    }
}
