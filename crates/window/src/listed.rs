//! Lists that are shown whole as a rule: of some hundreds of rows. Longer ones are cut, and say how many rows there
//! are.

use std::time::Duration;

use serde::Serialize;

use crate::processes::unix_ms;

/// How long the window waits for one lock of a table: who has it for longer is left out.
pub(crate) const PATIENCE: Duration = Duration::from_millis(5);
/// The most rows that are shown.
pub const MOST: usize = 2_000;

/// See the module's documentation.
#[derive(Clone, Debug, Serialize)]
pub struct Listed<T> {
    pub as_of_unix_ms: u64,
    /// How many there are.
    pub total: u64,
    /// All of them, or the first.
    pub rows: Vec<T>,
}

impl<T> Listed<T> {
    pub(crate) fn first(total: usize, rows: impl IntoIterator<Item = T>) -> Listed<T> {
        Listed {
            as_of_unix_ms: unix_ms(),
            total: total as u64,
            rows: rows.into_iter().take(MOST).collect(),
        }
    }
}
