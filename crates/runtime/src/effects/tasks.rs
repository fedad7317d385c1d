//! System tasks: work on a process that must be done between two slices, when its registers are on its stack, such as
//! collecting its heap on behalf of another process, checking it for old code, or suspending it.
//!
//! A task arrives as a signal. The owner puts it into `Rare::tasks`, and the scheduler runs it before the process
//! continues or goes to rest. A task that takes long, such as collecting a large heap, is left to a dirty scheduler.
//!
//! What a program requests with a priority (`erts_internal:request_system_task`) is done by that priority, whatever the
//! process's own: the machine's own tasks first, then `max`, `high`, `normal` and `low`, each in order of arrival; but
//! one of `low` after so many of `normal`, as processes are scheduled. Only the owner calls these functions, except [`ask`] and
//! [`request`].

use std::collections::{BTreeMap, VecDeque};

use layout::Term;

use crate::effects::collector::dirty_collection::{self, Collection};
use crate::exec::scheduler::{self, dirty};
use crate::mail::signal::Call;
use crate::process::{Flags, Priority, Process};

/// What a task does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It only looks at the process, so that it may be done while a dirty call is made for it.
    Looks,
    Works,
    /// It handles signals: until that is done, nobody may handle later ones.
    HandlesSignals,
}

/// A task to run.
pub struct Task {
    body: Call,
    kind: Kind,
    /// Whether the task would take too long for this thread.
    takes_long: fn(&Process) -> bool,
    /// None: it is the machine's own.
    priority: Option<Priority>,
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
type Place = (Option<Priority>, usize);

/// Tasks of normal priority that are run for one of low priority; OTP's number.
const NORMAL_PER_LOW: u8 = 8;

/// Which tasks were run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Ran {
    /// All pending tasks.
    All,
    /// Those before one that takes long, for which the process must be handed to a dirty scheduler.
    Some,
}

impl Tasks {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    fn add(&mut self, task: Task) {
        let queue = self.queues.entry(task.priority).or_default();
        queue.push_back(task);
    }

    /// The place of the next task.
    fn next(&self) -> Option<Place> {
        let first = *self.queues.keys().next()?;
        let low = Some(Priority::Low);
        let is_lows_turn = first == Some(Priority::Normal)
            && self.normal_run >= NORMAL_PER_LOW
            && self.queues.contains_key(&low);
        Some((if is_lows_turn { low } else { first }, 0))
    }

    /// The place of the first task that only looks at the process.
    fn next_that_looks(&self) -> Option<Place> {
        self.queues.iter().find_map(|(&priority, queue)| {
            let place = queue.iter().position(|task| task.kind == Kind::Looks)?;
            Some((priority, place))
        })
    }

    fn at(&self, (priority, place): Place) -> Option<&Task> {
        self.queues.get(&priority)?.get(place)
    }

    fn take(&mut self, (priority, place): Place) -> Option<Task> {
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
}

/// Asks a process to run a task of the machine between two of its slices; the body is called with `None` if the process is
/// gone.
pub fn ask(to: Term, body: Call) {
    ask_to_collect(to, |_| false, body);
}

/// As [`ask`], for a body that only looks at the process: it is also called while a dirty call is made for that.
pub fn ask_to_look(to: Term, body: Call) {
    send(to, Kind::Looks, |_| false, None, body);
}

/// As [`ask`], for a body that collects; `takes_long` returns whether to leave that to a dirty scheduler.
pub fn ask_to_collect(to: Term, takes_long: fn(&Process) -> bool, body: Call) {
    send(to, Kind::Works, takes_long, None, body);
}

/// As [`ask_to_collect`], for what a program requests with a priority.
pub fn request(to: Term, priority: Priority, takes_long: fn(&Process) -> bool, body: Call) {
    send(to, Kind::Works, takes_long, Some(priority), body);
}

/// As [`ask_to_look`], for what a program requests with a priority.
pub fn request_to_look(to: Term, priority: Priority, body: Call) {
    send(to, Kind::Looks, |_| false, Some(priority), body);
}

fn send(
    to: Term,
    kind: Kind,
    takes_long: fn(&Process) -> bool,
    priority: Option<Priority>,
    body: Call,
) {
    let call: Call = Box::new(move |process| match process {
        Some(process) => add(process, kind, takes_long, priority, body),
        None => body(None),
    });
    scheduler::ask(to, priority, call);
}

fn add(
    process: &mut Process,
    kind: Kind,
    takes_long: fn(&Process) -> bool,
    priority: Option<Priority>,
    body: Call,
) {
    process.rare().tasks.add(Task {
        body,
        kind,
        takes_long,
        priority,
    });
    process.flags.insert(Flags::SYSTEM_TASKS);
}

/// Adds a task that takes long, behind those of the machine that have arrived. The process must be between two slices.
pub(crate) fn add_long(process: &mut Process, body: Call) {
    let is_left = |_: &Process| !dirty::is_here();
    add(process, Kind::HandlesSignals, is_left, None, body);
}

/// Runs the pending tasks. The process must be between two slices.
pub fn run(process: &mut Process) -> Ran {
    while let Some(place) = process.rare().tasks.next() {
        let takes_long = (process.rare().tasks.at(place)).map(|task| task.takes_long);
        if takes_long.is_some_and(|takes_long| takes_long(process)) {
            dirty_collection::want(process, Collection::Task);
            return Ran::Some;
        }
        run_at(process, place);
    }
    process.flags.remove(Flags::SYSTEM_TASKS);
    Ran::All
}

fn run_at(process: &mut Process, place: Place) {
    if let Some(task) = process.rare().tasks.take(place) {
        (task.body)(Some(process));
    }
}

/// Whether the signals that have arrived may be handled: no task is to handle earlier ones.
pub(crate) fn may_fetch(process: &Process) -> bool {
    !process.flags.contains(Flags::SYSTEM_TASKS)
        || process.existing_rare().is_none_or(|rare| {
            // Those are the machine's own.
            let mut tasks = rare.tasks.queues.get(&None).into_iter().flatten();
            tasks.all(|task| task.kind != Kind::HandlesSignals)
        })
}

/// Runs the tasks that only look at the process, which a dirty call is made for.
pub(crate) fn run_those_that_look(process: &mut Process) {
    while let Some(place) = process.rare().tasks.next_that_looks() {
        run_at(process, place);
    }
    if process.rare().tasks.is_empty() {
        process.flags.remove(Flags::SYSTEM_TASKS);
    }
}

/// Runs the task for which the process was handed over.
pub fn run_first(process: &mut Process) {
    if let Some(place) = process.rare().tasks.next() {
        run_at(process, place);
    }
}

/// Tells the requesters of pending tasks that the process has ended.
pub fn refuse_all(process: &mut Process) {
    if process.flags.contains(Flags::SYSTEM_TASKS) {
        process.flags.remove(Flags::SYSTEM_TASKS);
        let tasks = std::mem::take(&mut process.rare().tasks);
        for task in tasks.queues.into_values().flatten() {
            (task.body)(None);
        }
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
