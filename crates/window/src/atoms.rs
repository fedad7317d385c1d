//! Atoms: how many there are, how fast they grow, and the text of the newest, by which one sees who makes them.

use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use serde::Serialize;
use term::atom;

use crate::listed::{self, ListQuery, Listed, columns};
use crate::printed;

/// The table of atoms.
#[derive(Clone, Debug, Serialize)]
pub struct Atoms {
    pub limit: u64,
    pub memory_bytes: u64,
    pub text_bytes: u64,
    /// Since the table was looked at before, if that was not long ago.
    pub atoms_per_s: Option<f64>,
    /// The newest; without another order the newest first. Atoms are never freed.
    #[serde(flatten)]
    pub listed: Listed<AtomRow>,
}

/// An atom.
#[derive(Clone, Debug, Serialize)]
pub struct AtomRow {
    pub number: u64,
    pub text: String,
}

columns!(AtomRow: number, text);

/// So many of the newest are looked at.
const MOST: usize = 10_000;
/// A count that is older tells nothing of the growth.
const LONGEST: Duration = Duration::from_secs(60);

static BEFORE: Mutex<Option<(Instant, usize)>> = Mutex::new(None);

/// The table as it is now.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Atoms, String> {
    let total = atom::count();
    let (memory_bytes, text_bytes) = atom::memory();
    let newest = (0..total).rev().take(MOST);
    let newest: Vec<u32> = newest
        .filter_map(|number| u32::try_from(number).ok())
        .collect();
    let left_out = total - newest.len();
    let row = |&number: &u32| AtomRow {
        number: number.into(),
        text: printed::name(Term::atom(number)),
    };
    Ok(Atoms {
        limit: atom::limit() as u64,
        memory_bytes: memory_bytes as u64,
        text_bytes: text_bytes as u64,
        atoms_per_s: growth(total),
        listed: listed::page(newest, left_out, query, row)?,
    })
}

fn growth(total: usize) -> Option<f64> {
    let now = Instant::now();
    let (at, before) = BEFORE.lock().replace((now, total))?;
    let passed = now.duration_since(at);
    let is_of_use = passed < LONGEST && passed > Duration::from_millis(1);
    is_of_use.then(|| total.saturating_sub(before) as f64 / passed.as_secs_f64())
}
