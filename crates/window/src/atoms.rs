//! Atoms: how many there are, how fast they grow, and the text of the newest, by which one sees who makes them.

use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use serde::Serialize;
use term::atom;

use crate::printed;
use crate::processes::unix_ms;

/// The table of atoms.
#[derive(Clone, Debug, Serialize)]
pub struct Atoms {
    pub as_of_unix_ms: u64,
    /// Atoms are never freed.
    pub total: u64,
    pub limit: u64,
    pub memory_bytes: u64,
    pub text_bytes: u64,
    /// Since the table was looked at before, if that was not long ago.
    pub atoms_per_s: Option<f64>,
    /// The newest, the newest first.
    pub rows: Vec<AtomRow>,
}

/// An atom.
#[derive(Clone, Debug, Serialize)]
pub struct AtomRow {
    pub number: u64,
    pub text: String,
}

/// So many of the newest are shown.
const MOST: usize = 200;
/// A count that is older tells nothing of the growth.
const LONGEST: Duration = Duration::from_secs(60);

static BEFORE: Mutex<Option<(Instant, usize)>> = Mutex::new(None);

/// The table as it is now.
#[must_use]
pub fn page() -> Atoms {
    let total = atom::count();
    let (memory_bytes, text_bytes) = atom::memory();
    let newest = (0..total).rev().take(MOST).filter_map(|number| {
        let number = u32::try_from(number).ok()?;
        Some(AtomRow {
            number: number.into(),
            text: printed::name(Term::atom(number)),
        })
    });
    Atoms {
        as_of_unix_ms: unix_ms(),
        total: total as u64,
        limit: atom::limit() as u64,
        memory_bytes: memory_bytes as u64,
        text_bytes: text_bytes as u64,
        atoms_per_s: growth(total),
        rows: newest.collect(),
    }
}

fn growth(total: usize) -> Option<f64> {
    let now = Instant::now();
    let (at, before) = BEFORE.lock().replace((now, total))?;
    let passed = now.duration_since(at);
    let is_of_use = passed < LONGEST && passed > Duration::from_millis(1);
    is_of_use.then(|| total.saturating_sub(before) as f64 / passed.as_secs_f64())
}
