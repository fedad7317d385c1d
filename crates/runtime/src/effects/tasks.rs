//! System tasks: work on a process that must be done between two slices, when its registers are on its stack, such as
//! collecting its heap on behalf of another process, checking it for old code, or suspending it.
//!
//! A task arrives as a signal. The owner puts it into `Extras::tasks`, and the scheduler runs it before the process
//! continues or goes to rest. A task that takes long, such as collecting a large heap, is left to a dirty scheduler.
//!
//! What a program requests with a priority (`erts_internal:request_system_task`) is done by that priority, whatever the
//! process's own: the machine's own tasks first, then `max`, `high`, `normal` and `low`, each in order of arrival; but
//! one of `low` after so many of `normal`, as processes are scheduled. Only the owner calls these functions;
//! `mail::tasks` asks for a task.

use crate::effects::collection::dirty_collection;
use crate::process::dirty::Collection;
use crate::process::tasks::Place;
use crate::process::{Flags, Process};

/// Which tasks were run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Ran {
    /// All pending tasks.
    All,
    /// Those before one that takes long, for which the process must be handed to a dirty scheduler.
    Some,
}

/// Runs the pending tasks. The process must be between two slices.
pub fn run(process: &mut Process) -> Ran {
    while let Some(place) = process.extras().tasks.next() {
        let takes_long = (process.extras().tasks.at(place)).map(|task| task.takes_long);
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
    if let Some(task) = process.extras().tasks.take(place) {
        (task.body)(Some(process));
    }
}

/// Runs the tasks that only look at the process, which a dirty call is made for.
pub(crate) fn run_those_that_look(process: &mut Process) {
    while let Some(place) = process.extras().tasks.next_that_looks() {
        run_at(process, place);
    }
    if process.extras().tasks.is_empty() {
        process.flags.remove(Flags::SYSTEM_TASKS);
    }
}

/// Runs the task for which the process was handed over.
pub fn run_first(process: &mut Process) {
    if let Some(place) = process.extras().tasks.next() {
        run_at(process, place);
    }
}

/// Tells the requesters of pending tasks that the process has ended.
pub fn refuse_all(process: &mut Process) {
    if process.flags.contains(Flags::SYSTEM_TASKS) {
        process.flags.remove(Flags::SYSTEM_TASKS);
        let tasks = std::mem::take(&mut process.extras().tasks);
        for task in tasks.into_all() {
            (task.body)(None);
        }
    }
}
