//! Timers: how many are in each scheduler's wheel.

use runtime::mail::timer;
use serde::Serialize;

use crate::listed::{Listed, PATIENCE};

/// A wheel. Null: its lock was held all the time.
#[derive(Clone, Debug, Serialize)]
pub struct WheelRow {
    pub scheduler: u64,
    /// Those of `receive ... after`, of `send_after` and `start_timer`, and of ports.
    pub timers: Option<u64>,
    /// In how many milliseconds the first may expire.
    pub next_ms: Option<u64>,
}

/// The wheels.
#[must_use]
pub fn page() -> Listed<WheelRow> {
    let wheels = timer::counts_within(PATIENCE);
    let rows = wheels.iter().zip(1..).map(|(wheel, scheduler)| WheelRow {
        scheduler,
        timers: wheel.map(|(count, _)| count as u64),
        next_ms: wheel.and_then(|(_, next_ms)| next_ms),
    });
    Listed::first(wheels.len(), rows)
}
