//! Ends what a step has waited for too long, so that a test that hangs fails by its name and the rest still runs.
//!
//! What hangs is at the end of a step's family of processes: a node that a test waits for, or the test program itself.
//! Such processes are ended when none of them is young, and the step has written nothing for as long. What is
//! known of it is added to the step's output first.

use procfs::Current;
use procfs::process::{Process, Stat};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// No test takes nearly as long, also where the machine is slow.
pub(super) const PATIENCE: Duration = Duration::from_mins(10);

/// Watches the family of the process `root`, whose output is in `log`, until the other end of `ended` is dropped.
pub(super) fn watch_over(root: u32, log: &Path, patience: Duration, ended: &Receiver<()>) {
    let length = || fs::metadata(log).map_or(0, |file| file.len());
    let (mut written, mut since) = (length(), Instant::now());
    while ended.recv_timeout(patience / 100) == Err(RecvTimeoutError::Timeout) {
        let now = length();
        if now != written {
            (written, since) = (now, Instant::now());
        } else if since.elapsed() > patience && end_old_leaves(root, log, patience) {
            since = Instant::now();
        }
    }
}

/// Ends those of the family that have no children, if all of them have lived for so long: a step that works starts and
/// ends processes all the time. Whether it did.
fn end_old_leaves(root: u32, log: &Path, patience: Duration) -> bool {
    let family = watch::family(root);
    let parents: HashSet<i32> = family.iter().map(|(_, stat)| stat.ppid).collect();
    let leaves = || {
        family
            .iter()
            .filter(|(_, stat)| !parents.contains(&stat.pid))
    };
    if leaves().any(|(process, _)| age(process).is_none_or(|age| age <= patience)) {
        return false;
    }
    for (process, stat) in leaves() {
        let told = describe(process, stat);
        println!("{}", told.lines().next().unwrap_or_default());
        // A step whose log cannot be written fails all the same.
        if let Ok(mut log) = OpenOptions::new().append(true).open(log) {
            let _ = log.write_all(told.as_bytes());
        }
        if let Some(number) = rustix::process::Pid::from_raw(stat.pid) {
            // An error means that it has ended by itself.
            let _ = rustix::process::kill_process(number, rustix::process::Signal::KILL);
        }
    }
    true
}

fn age(process: &Process) -> Option<Duration> {
    let up = procfs::Uptime::current().ok()?.uptime_duration();
    let started = process.stat().ok()?.starttime / procfs::ticks_per_second();
    Some(up.saturating_sub(Duration::from_secs(started)))
}

/// The command, what each thread does, and where a debugger finds it if there is one.
fn describe(process: &Process, stat: &Stat) -> String {
    let command = process.cmdline().unwrap_or_default().join(" ");
    let mut told = format!("STUCK, ended: {} {command}\n", stat.pid);
    for task in process.tasks().into_iter().flatten().flatten() {
        let folder = format!("/proc/{}/task/{}", stat.pid, task.tid);
        let read = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
        let state = task.stat().map_or('?', |stat| stat.state);
        let _ = writeln!(
            told,
            "  thread {} {}: {state} {} {}",
            task.tid,
            read("comm").trim(),
            read("wchan").trim(),
            read("syscall").trim(),
        );
    }
    let stacks = Command::new("timeout")
        .args(["60", "gdb", "-p", &stat.pid.to_string()])
        .args(["--batch", "-ex", "thread apply all backtrace 20"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    if let Ok(stacks) = stacks {
        told += &String::from_utf8_lossy(&stacks.stdout);
    }
    told
}
