//! One pass over all processes: what is counted of each, and who is ranked.

use layout::Term;
use runtime::effects::looking::Seen;
use runtime::process::Process;

use super::calls::Calls;
use super::facts::{Facts, Needs};
use super::filter::Filter;
use super::groups::{Groups, Key};
use super::query::{Group, Query};
use super::ranking::Ranking;
use super::rates::{Before, Counted};
use super::row::Row;

/// So many processes that other threads have are shown and asked.
pub const MOST_RUNNING: usize = 64;

/// A process that is ranked.
pub(super) struct Found {
    pub pid: Term,
    /// That by which the table is sorted.
    pub rate: Option<(Counted, f64)>,
}

/// What the thread that has a process tells of it.
pub(super) struct Told {
    pub pid: Term,
    pub row: Row,
    facts: Facts,
    key: Key,
}

impl Told {
    pub(super) fn of(process: &Process, needs: Needs) -> Told {
        Told {
            pid: process.pid(),
            row: Row::of(process, true),
            facts: needs.of(process),
            key: Key::of(process, needs.group, &mut Calls::default()),
        }
    }
}

/// See the module's documentation.
pub(super) struct Walk {
    needs: Needs,
    pub filter: Option<Filter>,
    calls: Calls,
    /// The numbers of the walk before, if the query sorts by a rate.
    pub before: Option<Before>,
    pub matched: u64,
    pub ranking: Ranking<Found>,
    pub groups: Groups,
    /// Processes that other threads have, with their state words; not all if they are many.
    pub in_hands: Vec<(Term, u32)>,
}

impl Walk {
    pub(super) fn new(query: &Query, before: Option<Before>) -> Walk {
        Walk {
            needs: Needs::of_query(query),
            filter: query.part.filter.as_deref().map(Filter::new),
            calls: Calls::default(),
            before,
            matched: 0,
            ranking: Ranking::new(query.ranked(), query.part.ascending),
            groups: Groups::default(),
            in_hands: Vec::new(),
        }
    }

    pub(super) fn needs(&self) -> Needs {
        self.needs
    }

    /// Counts a process.
    pub(super) fn meet(&mut self, seen: Seen<'_>) {
        let process = match seen {
            Seen::Still(process) => process,
            Seen::InHands { pid, word } => {
                if self.in_hands.len() < MOST_RUNNING {
                    self.in_hands.push((pid, word));
                }
                return;
            }
        };
        // Also of those that the filter leaves out: the next one may not.
        let noted = self
            .before
            .as_mut()
            .map(|before| before.note(process.pid(), before.counted.of(process)));
        if self
            .filter
            .as_ref()
            .is_some_and(|filter| !filter.has(process, &mut self.calls))
        {
            return;
        }
        let facts = self.needs.of(process);
        let key = Key::of(process, self.needs.group, &mut self.calls);
        self.count(process.pid(), &facts, key, noted.flatten());
    }

    /// Counts a process of which its thread has told.
    pub(super) fn meet_told(&mut self, told: &Told) {
        let Told {
            pid, facts, key, ..
        } = told;
        let noted = self.before.as_mut().map(|before| match before.counted {
            Counted::Reductions => before.note(*pid, facts.reductions),
            Counted::Messages => before.note(*pid, facts.messages),
        });
        self.count(*pid, facts, key.clone(), noted.flatten());
    }

    fn count(&mut self, pid: Term, facts: &Facts, key: Key, rate: Option<f64>) {
        self.matched += 1;
        if self.needs.group != Group::None {
            return self.groups.add(key, facts, rate);
        }
        let number = match self.before {
            Some(_) => rate.unwrap_or(0.0) as i64,
            None => facts.number(self.needs.sort),
        };
        let rate = self.before.as_ref().map(|before| before.counted).zip(rate);
        self.ranking.add(number, || Found { pid, rate });
    }
}
