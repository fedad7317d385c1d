//! What there is while the window is open: the rows, their history and the last reading.
//!
//! The lock is the window's own, and is held for as long as it takes to copy what is here.

use std::sync::Arc;

use parking_lot::Mutex;

use super::peers::Rings;
use super::reading::Reading;
use super::ring::Ring;
use super::table::Row;

pub(super) struct Open {
    pub(super) rows: Arc<[Row]>,
    pub(super) ring: Ring,
    pub(super) peers: Rings,
    /// `None` until something has been read since the window was opened.
    pub(super) last: Option<Arc<Reading>>,
}

pub(super) static STATE: Mutex<Option<Open>> = Mutex::new(None);
