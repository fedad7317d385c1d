//! Timers: how many are in each scheduler's wheel.

use runtime::mail::timer;
use serde::Serialize;

use crate::listed::{self, ListQuery, Listed, PATIENCE, columns};

/// A wheel. Null: its lock was held all the time.
#[derive(Clone, Debug, Serialize)]
pub struct WheelRow {
    pub scheduler: u64,
    /// Those of `receive ... after`, of `send_after` and `start_timer`, and of ports.
    pub timers: Option<u64>,
    /// In how many milliseconds the first may expire.
    pub next_ms: Option<u64>,
}

columns!(WheelRow: scheduler, timers, next_ms);

/// The wheels.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Listed<WheelRow>, String> {
    let wheels = timer::counts_within(PATIENCE);
    let rows = wheels.iter().zip(1..).map(|(wheel, scheduler)| WheelRow {
        scheduler,
        timers: wheel.map(|(count, _)| count as u64),
        next_ms: wheel.and_then(|(_, next_ms)| next_ms),
    });
    listed::page(rows.collect(), 0, query, WheelRow::clone)
}
