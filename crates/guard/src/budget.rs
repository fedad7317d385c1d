//! What the node may take: `+Mguard`, else a share of what the control groups allow, else of what the host has.
//!
//! A limit of a control group holds for all programs in it, so what others take of it counts against the budget. The
//! watcher asks again and again, because a limit may be changed while the node runs. The last answer is here, for
//! everybody.

use std::sync::{Mutex, PoisonError};

use spec::flags::MemoryBudget;
use sys::memory::budget::Marks;
use sys::memory::usage;

/// Where a budget comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Flag,
    Cgroup,
    Host,
}

impl Source {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::Flag => "flag",
            Source::Cgroup => "cgroup",
            Source::Host => "host",
        }
    }
}

/// A budget, as it is just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Bytes for this program and the others that share it.
    pub(crate) budget: u64,
    pub(crate) source: Source,
    /// What other programs take of it: those in the same control group, which ports have started for example.
    pub(crate) others: u64,
}

/// With a smaller budget a node that has just booted would be above its marks.
pub(crate) const LEAST_BYTES: u64 = 64 << 20;

impl Found {
    /// Whether a node cannot keep within it, whatever it ends.
    pub(crate) fn is_too_small(&self) -> bool {
        self.budget < LEAST_BYTES
    }

    /// The marks for this program alone.
    pub(crate) fn marks(&self) -> Marks {
        Marks::of(self.budget.saturating_sub(self.others))
    }
}

/// Whether two answers are the same, but for a few programs more or less beside the node.
pub(crate) fn are_alike(one: Option<Found>, other: Option<Found>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one.budget == other.budget && one.others.abs_diff(other.others) < one.budget / 256
        }
        (one, other) => one == other,
    }
}

/// What the system says.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    total: u64,
    /// The lowest limit of the control groups.
    group_limit: Option<u64>,
    /// What all programs of the innermost group take, without what the kernel can take back at once.
    group_taken: Option<u64>,
    resident: u64,
}

struct State {
    setting: MemoryBudget,
    found: Option<Found>,
}

static STATE: Mutex<State> = Mutex::new(State {
    setting: MemoryBudget::Unlimited,
    found: None,
});

/// Keeps the flag's value. Called once.
pub(crate) fn set(setting: MemoryBudget) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.setting = setting;
    state.found = find(setting, &ask_host());
}

/// The last answer; `None` where nothing limits the node.
pub(crate) fn found() -> Option<Found> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner).found
}

/// Asks the system again. A control group that has vanished, or whose files cannot be read, sets no limit; the last
/// budget is kept then, because a limit that was there once is likelier than none.
pub(crate) fn ask_again() -> Option<Found> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.found = find_again(state.setting, &ask_host(), state.found);
    state.found
}

fn find_again(setting: MemoryBudget, host: &Host, last: Option<Found>) -> Option<Found> {
    match (find(setting, host), last) {
        (Some(new), Some(last)) if new.source == Source::Host && last.source == Source::Cgroup => {
            Some(Found { others: 0, ..last })
        }
        (new, _) => new,
    }
}

fn ask_host() -> Host {
    let group = usage::group();
    Host {
        total: usage::total_bytes(),
        group_limit: group.limit_bytes,
        group_taken: group.taken_bytes,
        resident: usage::resident_bytes().unwrap_or(0),
    }
}

fn find(setting: MemoryBudget, host: &Host) -> Option<Found> {
    // A limit above what the host has is none.
    let group = host.group_limit.filter(|limit| *limit < host.total);
    let others = match (group, host.group_taken) {
        (Some(_), Some(taken)) => taken.saturating_sub(host.resident),
        _ => 0,
    };
    let share = |percent: u8| {
        let whole = group.unwrap_or(host.total);
        let source = match group {
            Some(_) => Source::Cgroup,
            None => Source::Host,
        };
        Found {
            budget: (u128::from(whole) * u128::from(percent) / 100) as u64,
            source,
            others,
        }
    };
    match setting {
        MemoryBudget::Unlimited => None,
        MemoryBudget::Bytes(bytes) => Some(Found {
            budget: bytes,
            source: Source::Flag,
            others: 0,
        }),
        MemoryBudget::Share(percent) => Some(share(percent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn host(group_limit: Option<u64>, group_taken: Option<u64>) -> Host {
        Host {
            total: 100 * GIB,
            group_limit,
            group_taken,
            resident: GIB,
        }
    }

    #[track_caller]
    fn check(setting: MemoryBudget, host: &Host, expected: Option<(u64, Source, u64)>) {
        let found = find(setting, host).map(|found| (found.budget, found.source, found.others));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_budget_is_the_flags_or_a_share_of_what_there_is() {
        use MemoryBudget::{Bytes, Share, Unlimited};
        let alone = host(None, None);
        let grouped = host(Some(10 * GIB), Some(3 * GIB));
        check(Unlimited, &grouped, None);
        check(Bytes(5), &grouped, Some((5, Source::Flag, 0)));
        check(Share(50), &alone, Some((50 * GIB, Source::Host, 0)));
        let part = 9 * GIB;
        check(Share(90), &grouped, Some((part, Source::Cgroup, 2 * GIB)));
    }

    #[test]
    fn a_limit_that_vanishes_is_kept_and_one_that_changes_is_followed() {
        let setting = MemoryBudget::Share(100);
        let at = |limit, last| find_again(setting, &host(limit, Some(3 * GIB)), last);
        let first = at(Some(10 * GIB), None);
        let gone = at(None, first);
        assert_eq!(
            gone.map(|found| (found.budget, found.others)),
            Some((10 * GIB, 0))
        );
        assert_eq!(at(None, gone), gone);
        let again = at(Some(5 * GIB), gone);
        assert_eq!(again.map(|found| found.budget), Some(5 * GIB));
    }

    #[test]
    fn answers_are_alike_while_others_take_little_more() {
        let found = |budget, others| {
            Some(Found {
                budget,
                source: Source::Cgroup,
                others,
            })
        };
        assert!(are_alike(found(GIB, 0), found(GIB, 1 << 20)));
        assert!(!are_alike(found(GIB, 0), found(GIB, 8 << 20)));
        assert!(!are_alike(found(GIB, 0), found(GIB + 1, 0)));
        assert!(!are_alike(found(GIB, 0), None));
        assert!(are_alike(None, None));
    }

    #[test]
    fn what_a_group_says_may_be_nonsense() {
        use MemoryBudget::Share;
        let above = host(Some(200 * GIB), Some(3 * GIB));
        check(Share(100), &above, Some((100 * GIB, Source::Host, 0)));
        let untold = host(Some(10 * GIB), None);
        check(Share(100), &untold, Some((10 * GIB, Source::Cgroup, 0)));
        let less = host(Some(10 * GIB), Some(5));
        check(Share(100), &less, Some((10 * GIB, Source::Cgroup, 0)));
        let all_taken = host(Some(10 * GIB), Some(50 * GIB));
        let found = find(Share(100), &all_taken).unwrap();
        assert_eq!(found.marks().hard, 0);
    }
}
