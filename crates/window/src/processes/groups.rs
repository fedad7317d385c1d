//! Processes that have something in common, added up. There are at most so many groups; what comes later is added up
//! together, so that labels that are different for each process take no memory for each.

use runtime::process::Process;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::calls::{self, Call, Calls};
use super::facts::Facts;
use super::query::{Group, Query, Sort};
use super::ranking::Ranking;
use super::row;

/// A group of processes.
#[derive(Clone, Debug, Serialize)]
pub struct GroupRow {
    /// What they have in common; null for those that have none of it.
    pub key: Option<String>,
    pub count: u64,
    pub memory_bytes: u64,
    pub reductions: u64,
    pub messages: u64,
    /// Where the table is sorted by it; else null.
    pub reductions_per_s: Option<f64>,
    pub messages_per_s: Option<f64>,
    pub binary_bytes: Option<u64>,
}

/// What a process has in common with others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    Call(Call),
    Label(Box<str>),
    Nothing,
    /// It came when there were too many groups.
    Others,
}

impl Key {
    pub(super) fn of(process: &Process, group: Group, calls: &mut Calls) -> Key {
        match group {
            Group::InitialCall => Key::Call(calls::initial(process)),
            Group::Current => calls.current(process).map_or(Key::Nothing, Key::Call),
            Group::Label => {
                row::label(process).map_or(Key::Nothing, |label| Key::Label(label.into()))
            }
            Group::None => Key::Nothing,
        }
    }

    fn text(&self) -> Option<String> {
        Some(match self {
            Key::Call(call) => call.to_string(),
            Key::Label(label) => label.to_string(),
            Key::Others => "(others)".into(),
            Key::Nothing => return None,
        })
    }
}

#[derive(Default)]
struct Sums {
    count: u64,
    facts: Facts,
    rate: f64,
}

/// So many groups are told apart.
const MOST: usize = 10_000;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Groups(FxHashMap<Key, Sums>);

impl Groups {
    pub(super) fn add(&mut self, key: Key, facts: &Facts, rate: Option<f64>) {
        let is_room = self.0.len() < MOST || self.0.contains_key(&key);
        let sums = self
            .0
            .entry(if is_room { key } else { Key::Others })
            .or_default();
        sums.count += 1;
        sums.rate += rate.unwrap_or(0.0);
        let Facts {
            memory_bytes,
            reductions,
            messages,
            binary_bytes,
        } = facts;
        sums.facts.memory_bytes += memory_bytes;
        sums.facts.reductions += reductions;
        sums.facts.messages += messages;
        sums.facts.binary_bytes += binary_bytes;
    }

    /// The number of groups, and those on the page.
    pub(super) fn sorted(self, query: &Query) -> (u64, Vec<GroupRow>) {
        let mut ranking = Ranking::new(query.ranked(), query.part.ascending);
        for (key, sums) in self.0 {
            let number = match query.sort {
                Sort::Count => sums.count as i64,
                Sort::ReductionsRate | Sort::QueueGrowth => sums.rate as i64,
                sort => sums.facts.number(sort),
            };
            ranking.add(number, || (key, sums));
        }
        let count = ranking.came();
        let is_by = |sort: Sort| query.sort == sort;
        let row = |(key, sums): (Key, Sums)| GroupRow {
            key: key.text(),
            count: sums.count,
            memory_bytes: sums.facts.memory_bytes,
            reductions: sums.facts.reductions,
            messages: sums.facts.messages,
            reductions_per_s: is_by(Sort::ReductionsRate).then_some(sums.rate),
            messages_per_s: is_by(Sort::QueueGrowth).then_some(sums.rate),
            binary_bytes: is_by(Sort::Binaries).then_some(sums.facts.binary_bytes),
        };
        (
            count,
            query.part.of_page(ranking.into_sorted()).map(row).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paging::Paging;

    #[test]
    fn groups_are_added_up_and_limited() {
        let mut groups = Groups::default();
        let facts = Facts {
            memory_bytes: 10,
            ..Facts::default()
        };
        for number in 0..3 * MOST {
            groups.add(Key::Label(format!("{}", number / 2).into()), &facts, None);
            groups.add(Key::Nothing, &facts, Some(1.0));
        }
        let query = Query {
            group: Group::Label,
            sort: Sort::Count,
            part: Paging {
                rows: 3,
                ..Query::default().part
            },
        };
        let (count, rows) = groups.sorted(&query);
        assert_eq!(count as usize, MOST + 1);
        let rows: Vec<_> = rows
            .into_iter()
            .map(|row| (row.key, row.count, row.memory_bytes))
            .collect();
        let others = 3 * MOST - 2 * (MOST - 1);
        assert_eq!(rows[0], (None, 3 * MOST as u64, 30 * MOST as u64));
        assert_eq!(
            rows[1],
            (Some("(others)".into()), others as u64, 10 * others as u64)
        );
        assert_eq!((rows[2].1, rows.len()), (2, 3));
    }
}
