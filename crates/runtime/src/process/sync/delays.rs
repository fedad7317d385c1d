//! Delays between the steps of protocols, for tests: only in builds with the feature `delays`.
//!
//! What goes wrong only if another thread comes between two steps is rare, because the steps follow each other within
//! nanoseconds. So a build for tests lets a thread yield, spin or sleep there now and then. The environment variable
//! `FERL_DELAYS` is the seed of the random choices, which each thread makes for itself; without it there are no delays.

use std::cell::Cell;
use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The seed for the next thread, or 0 if there are no delays.
static SEED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The state of the thread's random numbers, or 0 before the first.
    static RANDOM: Cell<u64> = const { Cell::new(0) };
}

/// Turns the delays on if the variable is set; called once, at the start.
///
/// # Errors
/// If the value is not a number above 0.
pub fn set_delays(variable: Option<OsString>) -> Result<(), String> {
    let Some(value) = variable else {
        return Ok(());
    };
    let seed = value.to_str().and_then(|text| text.parse::<u32>().ok());
    match seed {
        None | Some(0) => Err("FERL_DELAYS must be a number above 0".into()),
        Some(seed) => {
            SEED.store(u64::from(seed) << 20, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// Marks a moment between two steps of a protocol, where the thread may be delayed. A lock that is held here may be one
/// that others wait for, but not one for which they spin.
#[inline]
pub fn between_steps() {
    if SEED.load(Ordering::Relaxed) != 0 {
        delay();
    }
}

fn delay() {
    let mut random = RANDOM.get();
    if random == 0 {
        random = SEED
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            | 1;
    }
    // Marsaglia's xorshift64.
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    RANDOM.set(random);
    match random % 128 {
        0 => thread::sleep(Duration::from_micros(random >> 32 & 127)),
        1..8 => thread::yield_now(),
        8..24 => (0..random >> 32 & 1023).for_each(|_| std::hint::spin_loop()),
        _ => {}
    }
}
