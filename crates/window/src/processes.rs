//! The table of processes: sorted, filtered, grouped, a page at a time, of millions of processes and without stopping
//! one.
//!
//! A walk (`runtime::effects::looking`) meets every process once and keeps the first few by a number in a heap of as
//! many entries as the page needs; nothing is kept for each process, except one word while the table is sorted by a
//! rate ([`rates`]). Text is made only of the rows that are shown, by looking at each once more. Processes that other
//! threads have just now are few, as many as there are threads: these threads are asked, for a moment; if one does not
//! answer (it is stuck in a native function), its process is shown with what was last seen of it.
//!
//! Walks take turns. Any thread may call.

pub(crate) mod calls;
mod facts;
mod filter;
mod groups;
mod query;
mod ranking;
mod rates;
pub(crate) mod row;
mod walk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use runtime::effects::looking::{self, Seen, WorldIsStopped};
use runtime::mail::registry;
use runtime::process::table;
use rustc_hash::FxHashMap;
use serde::Serialize;

pub use groups::GroupRow;
pub use query::{Group, MOST_RANKED, MOST_ROWS, Query, Sort};
use ranking::Ranking;
use rates::{Before, Counted};
pub use row::Row;
pub use walk::MOST_RUNNING;
use walk::{Found, Told, Walk};

/// A page of the table.
#[derive(Debug, Serialize)]
pub struct Page {
    pub as_of_unix_ms: u64,
    pub took_ms: u64,
    /// Processes of the node.
    pub total: u64,
    /// Those of them, or groups of them, that the filter leaves.
    pub matched: u64,
    pub rows: Rows,
    /// Processes that other threads had when they were met, at most [`MOST_RUNNING`], whatever the table is sorted by.
    pub running: Vec<Row>,
}

/// Processes, or groups of them.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Rows {
    Processes(Vec<Row>),
    Groups(Vec<GroupRow>),
}

/// How long their threads have for an answer.
const PATIENCE: Duration = Duration::from_millis(40);
/// A page is given out again for so long, or for twice the time that it took.
const FRESH: Duration = Duration::from_millis(500);
/// The most pages that are kept for that.
const MOST_KEPT: usize = 8;
/// How long the numbers of a walk, and of rows, are kept.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// What is kept between two pages.
#[derive(Default)]
struct Kept {
    pages: Vec<(Instant, Query, Arc<Page>)>,
    before: Vec<Before>,
    /// The rows that were shown last: their numbers.
    shown: FxHashMap<Term, Numbers>,
    /// When the last walk ended, and how long it took.
    last: Option<(Instant, Duration)>,
}

/// What was last seen of a process that was shown.
#[derive(Clone, Copy)]
struct Numbers {
    at: Instant,
    memory_bytes: u64,
    reductions: u64,
    messages: u64,
}

/// The most processes whose numbers are kept.
const MOST_SHOWN: usize = 4 * MOST_ROWS;

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// A page of the table. A page that was made just now may be given out again.
///
/// # Errors
/// If the world is stopped for long, as by the break menu.
pub fn page(query: &Query) -> Result<Arc<Page>, WorldIsStopped> {
    let mut kept = KEPT.lock();
    let kept = kept.get_or_insert_default();
    kept.forget_old();
    if let Some((.., page)) = kept.pages.iter().find(|(_, known, _)| known == query) {
        return Ok(Arc::clone(page));
    }
    // The window takes at most half a processor for walks.
    if let Some((ended, took)) = kept.last {
        std::thread::sleep(took.saturating_sub(ended.elapsed()));
    }
    let began = Instant::now();
    let page = Arc::new(kept.walk(query)?);
    kept.last = Some((Instant::now(), began.elapsed()));
    if kept.pages.len() >= MOST_KEPT {
        kept.pages.remove(0);
    }
    kept.pages
        .push((Instant::now(), query.clone(), Arc::clone(&page)));
    Ok(page)
}

/// Frees what is kept for pages to come and has not been of use for some time. Any thread may call it now and then.
pub fn tidy() {
    if let Some(mut kept) = KEPT.try_lock()
        && let Some(kept) = kept.as_mut()
    {
        kept.forget_old();
    }
}

/// The time of day, in milliseconds.
pub(crate) fn unix_ms() -> u64 {
    u64::try_from(sys::clock::system_ns() / 1_000_000).unwrap_or(0)
}

impl Kept {
    fn forget_old(&mut self) {
        let now = Instant::now();
        self.pages.retain(|(at, _, page)| {
            let took = Duration::from_millis(page.took_ms);
            now.duration_since(*at) < FRESH.max(took * 2)
        });
        self.before
            .retain(|before| now.duration_since(before.at) < KEPT_FOR);
        self.shown
            .retain(|_, numbers| now.duration_since(numbers.at) < KEPT_FOR);
        self.shown.shrink_to(MOST_SHOWN);
    }

    /// Makes a page.
    fn walk(&mut self, query: &Query) -> Result<Page, WorldIsStopped> {
        let began = Instant::now();
        let as_of_unix_ms = unix_ms();
        let mut before = self.before_of(query.sort)?;
        if let Some(before) = &mut before {
            before.begin(Instant::now());
        }
        let mut walk = Walk::new(query, before);
        looking::at_all(|seen| walk.meet(seen))?;
        let running = self.ask(&mut walk);
        let matched;
        let rows = match query.group {
            Group::None => {
                matched = walk.matched;
                let ranked = std::mem::replace(&mut walk.ranking, Ranking::new(0, false));
                let found = query.part.of_page(ranked.into_sorted());
                Rows::Processes(
                    found
                        .map(|found| self.row(found, &running))
                        .collect::<Result<_, _>>()?,
                )
            }
            _ => {
                let (count, groups) = std::mem::take(&mut walk.groups).sorted(query);
                matched = count;
                Rows::Groups(groups)
            }
        };
        self.before.extend(walk.before.take());
        Ok(Page {
            as_of_unix_ms,
            took_ms: began.elapsed().as_millis() as u64,
            total: table::count() as u64,
            matched,
            rows,
            running: running.into_iter().map(|(_, row)| row).collect(),
        })
    }

    /// The numbers of an earlier walk, for a table that is sorted by a rate. If there are none, a walk is made for
    /// them.
    fn before_of(&mut self, sort: Sort) -> Result<Option<Before>, WorldIsStopped> {
        let counted = match sort {
            Sort::ReductionsRate => Counted::Reductions,
            Sort::QueueGrowth => Counted::Messages,
            _ => return Ok(None),
        };
        let known = self
            .before
            .iter()
            .position(|before| before.counted == counted);
        let known = known.map(|at| self.before.swap_remove(at));
        let known = known.filter(|before| before.is_fresh(Instant::now()));
        let before = match known {
            Some(before) => before,
            None => {
                let mut before = Before::new(counted);
                before.begin(Instant::now());
                note_all(&mut before)?;
                before
            }
        };
        std::thread::sleep(rates::SHORTEST.saturating_sub(before.at.elapsed()));
        Ok(Some(before))
    }

    /// Asks the threads that have processes for rows of these, and adds those that answer to the walk. Returns what is
    /// shown of all of them.
    fn ask(&mut self, walk: &mut Walk) -> Vec<(Term, Row)> {
        let in_hands = std::mem::take(&mut walk.in_hands);
        let pids: Vec<Term> = in_hands.iter().map(|(pid, _)| *pid).collect();
        let needs = walk.needs();
        let told = looking::ask(&pids, PATIENCE, move |process| Told::of(process, needs));
        let mut told: FxHashMap<Term, Told> =
            told.into_iter().map(|told| (told.pid, told)).collect();
        let mut rows = Vec::new();
        for (pid, word) in in_hands {
            let (row, told) = match told.remove(&pid) {
                Some(told) => (told.row.clone(), Some(told)),
                None => (self.as_last_seen(pid, Row::unknown(pid, word)), None),
            };
            if walk
                .filter
                .as_ref()
                .is_some_and(|filter| !filter.has_row(&row))
            {
                continue;
            }
            let row = match told {
                Some(told) => {
                    walk.meet_told(&told);
                    self.with_rates(pid, row, None)
                }
                None => row,
            };
            rows.push((pid, row));
        }
        rows
    }

    /// The row of a process that was found, or of one that is gone since.
    fn row(&mut self, found: Found, running: &[(Term, Row)]) -> Result<Row, WorldIsStopped> {
        let Found { pid, rate } = found;
        let row = match looking::at(pid, Row::seen)? {
            // Another thread has it: what that one said is shown.
            Some(row) if row.memory_bytes.is_none() => {
                let known = running.iter().find(|(known, _)| *known == pid);
                return Ok(
                    known.map_or_else(|| self.as_last_seen(pid, row), |(_, row)| row.clone())
                );
            }
            Some(row) => row,
            None => Row {
                status: "exited".into(),
                ..Row::unknown(pid, 0)
            },
        };
        Ok(self.with_rates(pid, row, rate))
    }

    /// Adds rates to a row: the one by which the table is sorted, and those since the row was last shown.
    fn with_rates(&mut self, pid: Term, mut row: Row, sorted_by: Option<(Counted, f64)>) -> Row {
        let (Some(memory_bytes), Some(reductions), Some(messages)) =
            (row.memory_bytes, row.reductions, row.messages)
        else {
            return row;
        };
        let at = Instant::now();
        if let Some(last) = self.shown.get(&pid) {
            let seconds = at.duration_since(last.at).as_secs_f64();
            if seconds >= rates::SHORTEST.as_secs_f64() {
                row.reductions_per_s =
                    Some(reductions.saturating_sub(last.reductions) as f64 / seconds);
                row.messages_per_s = Some((messages as f64 - last.messages as f64) / seconds);
            }
        }
        match sorted_by {
            Some((Counted::Reductions, rate)) => row.reductions_per_s = Some(rate),
            Some((Counted::Messages, rate)) => row.messages_per_s = Some(rate),
            None => {}
        }
        if self.shown.len() < MOST_SHOWN || self.shown.contains_key(&pid) {
            let numbers = Numbers {
                at,
                memory_bytes,
                reductions,
                messages,
            };
            self.shown.insert(pid, numbers);
        }
        row
    }

    /// A process that another thread has, with the numbers that were last seen.
    fn as_last_seen(&self, pid: Term, row: Row) -> Row {
        let Some(last) = self.shown.get(&pid) else {
            return row;
        };
        Row {
            memory_bytes: Some(last.memory_bytes),
            reductions: Some(last.reductions),
            messages: Some(last.messages),
            ..row
        }
    }
}

/// Notes the numbers of all processes.
fn note_all(before: &mut Before) -> Result<(), WorldIsStopped> {
    let counted = before.counted;
    let mut in_hands = Vec::new();
    looking::at_all(|seen| match seen {
        Seen::Still(process) => _ = before.note(process.pid(), counted.of(process)),
        Seen::InHands { pid, .. } if in_hands.len() < MOST_RUNNING => in_hands.push(pid),
        Seen::InHands { .. } => {}
    })?;
    let told = looking::ask(&in_hands, PATIENCE, move |process| {
        (process.pid(), counted.of(process))
    });
    for (pid, number) in told {
        before.note(pid, number);
    }
    Ok(())
}

/// The process that a text names: a pid as it is shown, with or without its brackets, or a registered name. It may not
/// exist.
#[must_use]
pub fn named(text: &str) -> Option<Term> {
    let inner = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'));
    let mut parts = inner.unwrap_or(text).split('.');
    if let [Some("0"), Some(index), Some(serial), None] = std::array::from_fn(|_| parts.next()) {
        let [index, serial] = [index, serial].map(|text| text.parse::<u32>().ok());
        let index = index.filter(|index| (*index as usize) < table::limit())?;
        return Some(Term::local_pid(index, serial?));
    }
    registry::whereis_process(term::atom::lookup(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_is_named_as_it_is_shown() {
        // There may be other tests that make one.
        let _ = table::create(1 << 10);
        for text in ["<0.12.3>", "0.12.3"] {
            assert_eq!(named(text), Some(Term::local_pid(12, 3)), "{text}");
        }
        for text in [
            "",
            "<0.12>",
            "<1.12.3>",
            "<0.12.3.4>",
            "<0.12.3",
            "0.-1.3",
            "0.1024.0",
            "0.1.4294967296",
            "x",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
