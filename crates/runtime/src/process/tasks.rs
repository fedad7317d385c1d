//! System tasks: what has to happen to a process between two slices, when its registers are on its
//! stack: collecting its heap on behalf of another process, looking for old code in it, suspending it.
//!
//! A signal brings the task, and the owner puts it into `Cold::tasks`; the scheduler runs it
//! before the process goes on or rests. One that collects a large heap is left to a dirty scheduler. Only the owner calls
//! this, except [`ask`] and [`ask_to_collect`].

use layout::Term;

use super::{Process, flag};
use crate::collector::elsewhere::{self, Collection};
use crate::scheduler;
use crate::signal::{self, Call, Signal};

/// What is to be done.
pub struct Task {
    body: Call,
    /// Whether this thread should not do it, for it takes long.
    takes_long: fn(&Process) -> bool,
}

/// Whether tasks were run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Ran {
    /// All.
    All,
    /// All before one that takes long, for which the process wants to be handed over.
    Some,
}

/// Asks a process to run a task between two of its slices; the body gets None when it is gone.
pub fn ask(to: Term, body: Call) {
    ask_for(to, body, |_| false);
}

/// As [`ask`], for a body that collects; `takes_long` says whether a scheduler should not do that.
pub fn ask_to_collect(to: Term, takes_long: fn(&Process) -> bool, body: Call) {
    ask_for(to, body, takes_long);
}

fn ask_for(to: Term, body: Call, takes_long: fn(&Process) -> bool) {
    let call: Call = Box::new(move |process| match process {
        Some(process) => {
            process.cold().tasks.push_back(Task { body, takes_long });
            process.flags |= flag::TASKS;
        }
        None => body(None),
    });
    signal::send_or_bounce(to, Signal::Call(call));
    scheduler::attend_soon(to);
}

/// Runs what waits. The process is at rest or between two slices.
pub fn run(process: &mut Process) -> Ran {
    while let Some(task) = process.cold().tasks.pop_front() {
        if (task.takes_long)(process) {
            process.cold().tasks.push_front(task);
            elsewhere::want(process, Collection::Task);
            return Ran::Some;
        }
        (task.body)(Some(process));
    }
    process.flags &= !flag::TASKS;
    Ran::All
}

/// Runs the task for which the process was handed over.
pub fn run_first(process: &mut Process) {
    if let Some(task) = process.cold().tasks.pop_front() {
        (task.body)(Some(process));
    }
}

/// The process is over: tells those who asked.
pub fn refuse_all(process: &mut Process) {
    if process.flags & flag::TASKS != 0 {
        process.flags &= !flag::TASKS;
        for task in std::mem::take(&mut process.cold().tasks) {
            (task.body)(None);
        }
    }
}
