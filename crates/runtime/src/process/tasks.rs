//! The system tasks that wait for a process: what is to be done between two of its slices, and in which order.

use std::collections::{BTreeMap, VecDeque};

use super::signal::Call;
use super::{Priority, Process};

/// What a task does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It only looks at the process, so that it may be done while a dirty call is made for it.
    Looks,
    Works,
}

/// A task to run.
pub struct Task {
    pub(crate) body: Call,
    pub(crate) kind: Kind,
    /// Whether the task would take too long for this thread.
    pub(crate) takes_long: fn(&Process) -> bool,
    /// None: it is the machine's own.
    pub(crate) priority: Option<Priority>,
}

/// The tasks that wait. There may be very many: each is added and taken without passing the others.
#[derive(Default)]
pub struct Tasks {
    /// Those of each priority in order of arrival; there are no empty queues.
    queues: BTreeMap<Option<Priority>, VecDeque<Task>>,
    /// Tasks of normal priority that were run since one of low priority was.
    normal_run: u8,
}

/// Where a task waits: its priority, and how many of that are before it.
pub(crate) type Place = (Option<Priority>, usize);

/// Tasks of normal priority that are run for one of low priority; OTP's number.
const NORMAL_PER_LOW: u8 = 8;

impl Tasks {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    pub(crate) fn add(&mut self, task: Task) {
        let queue = self.queues.entry(task.priority).or_default();
        queue.push_back(task);
    }

    /// The place of the next task.
    pub(crate) fn next(&self) -> Option<Place> {
        let first = *self.queues.keys().next()?;
        let low = Some(Priority::Low);
        let is_lows_turn = first == Some(Priority::Normal)
            && self.normal_run >= NORMAL_PER_LOW
            && self.queues.contains_key(&low);
        Some((if is_lows_turn { low } else { first }, 0))
    }

    /// The place of the first task that only looks at the process.
    pub(crate) fn next_that_looks(&self) -> Option<Place> {
        self.queues.iter().find_map(|(&priority, queue)| {
            let place = queue.iter().position(|task| task.kind == Kind::Looks)?;
            Some((priority, place))
        })
    }

    pub(crate) fn at(&self, (priority, place): Place) -> Option<&Task> {
        self.queues.get(&priority)?.get(place)
    }

    pub(crate) fn take(&mut self, (priority, place): Place) -> Option<Task> {
        let queue = self.queues.get_mut(&priority)?;
        let task = queue.remove(place)?;
        if queue.is_empty() {
            self.queues.remove(&priority);
        }
        self.normal_run = match task.priority {
            Some(Priority::Normal) => self.normal_run.saturating_add(1),
            Some(Priority::Low) => 0,
            _ => self.normal_run,
        };
        Some(task)
    }

    /// All of them, by their priority.
    pub(crate) fn into_all(self) -> impl Iterator<Item = Task> {
        self.queues.into_values().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arriving: &[(Option<Priority>, usize)]) -> Vec<Option<Priority>> {
        let mut tasks = Tasks::default();
        for &(priority, count) in arriving {
            for _ in 0..count {
                tasks.add(Task {
                    body: Box::new(|_| ()),
                    kind: Kind::Works,
                    takes_long: |_| false,
                    priority,
                });
            }
        }
        let mut taken = Vec::new();
        while let Some(place) = tasks.next() {
            taken.push(tasks.take(place).unwrap().priority);
        }
        taken
    }

    #[test]
    fn the_higher_priority_goes_first_and_low_after_eight_normal_ones() {
        use Priority::{High, Low, Max, Normal};
        let arriving = [
            (Some(Low), 3),
            (Some(Normal), 10),
            (Some(High), 1),
            (None, 1),
            (Some(Max), 1),
        ];
        let mut wanted = vec![None, Some(Max), Some(High)];
        wanted.extend([Some(Normal); 8]);
        wanted.extend([Some(Low), Some(Normal), Some(Normal), Some(Low), Some(Low)]);
        assert_eq!(order(&arriving), wanted);
    }
}
