//! The numbers of a process that tables are sorted by, and groups add up, as far as a query needs them.

use runtime::effects::info;
use runtime::process::Process;

use super::query::{Group, Query, Sort};
use super::row;

/// What is added up or sorted by, as far as the query needs it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Facts {
    pub memory_bytes: u64,
    pub reductions: u64,
    pub messages: u64,
    pub binary_bytes: u64,
}

impl Facts {
    /// The number that a sort goes by; 0 for one by a rate.
    pub(super) fn number(&self, sort: Sort) -> i64 {
        let number = match sort {
            Sort::Memory => self.memory_bytes,
            Sort::Reductions => self.reductions,
            Sort::Queue => self.messages,
            Sort::Binaries => self.binary_bytes,
            Sort::ReductionsRate | Sort::QueueGrowth | Sort::Count => 0,
        };
        number as i64
    }
}

/// Which facts a query needs of each process.
#[derive(Clone, Copy)]
pub(super) struct Needs {
    pub sort: Sort,
    pub group: Group,
}

impl Needs {
    pub(super) fn of_query(query: &Query) -> Needs {
        Needs {
            sort: query.sort,
            group: query.group,
        }
    }

    pub(super) fn of(self, process: &Process) -> Facts {
        let grouped = self.group != Group::None;
        let sort = self.sort;
        let when =
            |needed: bool, count: fn(&Process) -> u64| if needed { count(process) } else { 0 };
        Facts {
            memory_bytes: when(grouped || sort == Sort::Memory, |process| {
                info::memory_bytes(process) as u64
            }),
            reductions: process.reductions,
            messages: when(
                grouped || matches!(sort, Sort::Queue | Sort::QueueGrowth),
                row::messages,
            ),
            binary_bytes: when(sort == Sort::Binaries, row::binary_bytes),
        }
    }
}
