//! System tasks: what has to happen to a process between two slices, when its registers are on its
//! stack: collecting its heap on behalf of another process, looking for old code in it, suspending it.
//!
//! A signal brings the task, and the owner puts it into `Cold::tasks`; the scheduler runs it
//! before the process goes on or rests. Only the owner calls this, except [`ask`].

use layout::Term;

use super::{Process, flag};
use crate::signal::{self, Call, Signal};

/// Asks a process to run a task between two of its slices; the body gets None when it is gone.
pub fn ask(to: Term, body: Call) {
    let call: Call = Box::new(move |process| match process {
        Some(process) => add(process, body),
        None => body(None),
    });
    signal::send_or_bounce(to, Signal::Call(call));
}

/// Puts a task behind those of this process that wait.
pub fn add(process: &mut Process, body: Call) {
    process.cold().tasks.push_back(body);
    process.flags |= flag::TASKS;
}

/// Runs what waits. The process is at rest or between two slices.
pub fn run(process: &mut Process) {
    process.flags &= !flag::TASKS;
    let tasks = std::mem::take(&mut process.cold().tasks);
    for task in tasks {
        task(Some(process));
    }
}

/// The process is over: tells those who asked.
pub fn refuse_all(process: &mut Process) {
    if process.flags & flag::TASKS != 0 {
        process.flags &= !flag::TASKS;
        for task in std::mem::take(&mut process.cold().tasks) {
            task(None);
        }
    }
}
