//! Asking a process to do something between two of its slices. The tasks themselves are in `process::tasks`, and
//! `effects::tasks` runs them. Any thread may call [`ask`] and its like.

use layout::Term;

use super::awaited;
use crate::process::signal::Call;
use crate::process::tasks::{Kind, Task};
use crate::process::{Flags, Priority, Process};

/// Asks a process to run a task of the machine between two of its slices; the body is called with `None` if the process
/// is gone.
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
    awaited::ask(to, priority, call);
}

pub(crate) fn add(
    process: &mut Process,
    kind: Kind,
    takes_long: fn(&Process) -> bool,
    priority: Option<Priority>,
    body: Call,
) {
    process.extras().tasks.add(Task {
        body,
        kind,
        takes_long,
        priority,
    });
    process.flags.insert(Flags::SYSTEM_TASKS);
}
