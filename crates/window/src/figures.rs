//! The numbers of the node, and how they were in the last hour: `/api/v1/series`, `/api/v1/history`, `/metrics`, and
//! `erlang:system_info({ferl, figures})`.
//!
//! - [`reading`]: all numbers as they are at one moment, with the [`connected`] nodes;
//! - [`table`]: what each of them is: the one list of series, from which everything else follows;
//! - [`ring`]: their history, of a size that never changes;
//! - [`peers`]: the numbers of each connected node, and their history;
//! - [`state`]: what there is while the window is open;
//! - [`sampler`]: the thread that takes a reading each second then;
//! - [`exposition`]: the text of `/metrics`;
//! - [`terms`]: the same numbers for programs;
//! - [`memory`]: bytes by purpose, for `erlang:memory` too.
//!
//! Any thread may call.

mod connected;
mod exposition;
pub mod memory;
mod peers;
mod reading;
mod ring;
mod sampler;
mod state;
mod table;
mod terms;

use std::sync::Arc;

use runtime::effects::system_monitor;
use runtime::mail::metering;

pub use exposition::Format;
use reading::Reading;
pub use ring::History;
use ring::Ring;
use state::{Open, STATE};
use table::Row;
pub use table::{Kind, Series};
pub use terms::info;

/// Begins to measure and to keep a history, unless that has begun.
///
/// # Errors
/// The system's, if there is no thread for it.
pub fn open() -> sys::Result<()> {
    sampler::start()?;
    let mut state = STATE.lock();
    if state.is_none() {
        let rows = table::rows();
        metering::open();
        system_monitor::measure_collections(true);
        *state = Some(Open {
            ring: Ring::new(rows.len()),
            peers: peers::Rings::default(),
            rows,
            last: None,
        });
        sampler::wake();
    }
    Ok(())
}

/// Ends that; the history is forgotten.
pub fn close() {
    let mut state = STATE.lock();
    if state.take().is_some() {
        metering::close();
        system_monitor::measure_collections(false);
    }
}

/// What there are numbers of, in the order in which to show it.
#[must_use]
pub fn series() -> Vec<Series> {
    let rows = match &*STATE.lock() {
        Some(open) => Arc::clone(&open.rows),
        None => table::rows(),
    };
    rows.iter().map(Row::series).collect()
}

/// The samples from this one on, of those that are there; none while the window is closed.
#[must_use]
pub fn history(from: u64) -> History {
    match &*STATE.lock() {
        Some(open) => {
            let mut history = open.ring.history(from, &open.rows);
            let (peers, columns) = open.peers.columns(history.first, history.next);
            history.add(peers, columns);
            history
        }
        None => History::default(),
    }
}

/// All numbers as text in a format for Prometheus, as they were at most a second ago.
#[must_use]
pub fn metrics(format: Format) -> String {
    let (rows, reading) = match &*STATE.lock() {
        Some(open) => (Arc::clone(&open.rows), open.last.clone()),
        None => (table::rows(), None),
    };
    let reading = reading.unwrap_or_else(|| Arc::new(Reading::take(&mut reading::Slow::default())));
    exposition::text(format, &rows, &reading)
}

#[cfg(test)]
mod tests;
