//! System tasks: work on a process that must be done between two slices, when its registers are on its stack, such as
//! collecting its heap on behalf of another process, checking it for old code, or suspending it.
//!
//! A task arrives as a signal. The owner puts it into `Rare::tasks`, and the scheduler runs it before the process
//! continues or goes to rest. A task that takes long, such as collecting a large heap, is left to a dirty scheduler. Only
//! the owner calls these functions, except [`ask`] and [`ask_to_collect`].

use layout::Term;

use super::{Process, flag};
use crate::collector::dirty_collection::{self, Collection};
use crate::scheduler::{self, dirty};
use crate::signal::{self, Call, Signal};
use crate::sync::between_steps;

/// A task to run.
pub struct Task {
    body: Call,
    /// Whether the task would take too long for this thread.
    takes_long: fn(&Process) -> bool,
}

/// Which tasks were run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Ran {
    /// All pending tasks.
    All,
    /// Those before one that takes long, for which the process must be handed to a dirty scheduler.
    Some,
}

/// Asks a process to run a task between two of its slices; the body is called with `None` if the process is gone.
pub fn ask(to: Term, body: Call) {
    ask_for(to, body, |_| false);
}

/// As [`ask`], for a body that collects; `takes_long` returns whether to leave that to a dirty scheduler.
pub fn ask_to_collect(to: Term, takes_long: fn(&Process) -> bool, body: Call) {
    ask_for(to, body, takes_long);
}

fn ask_for(to: Term, body: Call, takes_long: fn(&Process) -> bool) {
    let call: Call = Box::new(move |process| match process {
        Some(process) => {
            process.rare().tasks.push_back(Task { body, takes_long });
            process.flags |= flag::TASKS;
        }
        None => body(None),
    });
    signal::send_or_bounce(to, Signal::Call(call));
    between_steps();
    scheduler::attend_soon(to);
}

/// Adds a task that takes long, behind those that have arrived. The process must be between two slices.
pub(crate) fn add_long(process: &mut Process, body: Call) {
    let takes_long = |_: &Process| !dirty::is_here();
    process.rare().tasks.push_back(Task { body, takes_long });
    process.flags |= flag::TASKS;
}

/// Runs the pending tasks. The process must be between two slices.
pub fn run(process: &mut Process) -> Ran {
    while let Some(task) = process.rare().tasks.pop_front() {
        if (task.takes_long)(process) {
            process.rare().tasks.push_front(task);
            dirty_collection::want(process, Collection::Task);
            return Ran::Some;
        }
        (task.body)(Some(process));
    }
    process.flags &= !flag::TASKS;
    Ran::All
}

/// Runs the task for which the process was handed over.
pub fn run_first(process: &mut Process) {
    if let Some(task) = process.rare().tasks.pop_front() {
        (task.body)(Some(process));
    }
}

/// Tells the requesters of pending tasks that the process has ended.
pub fn refuse_all(process: &mut Process) {
    if process.flags & flag::TASKS != 0 {
        process.flags &= !flag::TASKS;
        for task in std::mem::take(&mut process.rare().tasks) {
            (task.body)(None);
        }
    }
}
