//! Processes that carry a mark in their environment. What a program starts inherits its environment, also when it
//! leaves the program's process group and outlives it, so a mark that is given to one run finds everything that the run
//! has left.
//!
//! Any thread may call this.

use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// A process that carries the mark. The descriptor stays that of this process when its number is used again.
struct Marked {
    descriptor: OwnedFd,
    command: String,
}

/// Waits until no process has `name=value` in its environment, but at most so long; then kills those that are left, and
/// returns their commands.
pub fn end(name: &str, value: &str, patience: Duration) -> Vec<String> {
    let mark = format!("{name}={value}").into_bytes();
    let until = Instant::now() + patience;
    loop {
        let left = marked(&mark);
        if left.is_empty() {
            return Vec::new();
        }
        if Instant::now() >= until {
            for process in &left {
                // An error means that it has ended meanwhile.
                let _ = pidfd_send_signal(&process.descriptor, Signal::KILL);
            }
            return left.into_iter().map(|process| process.command).collect();
        }
        thread::sleep(LOOK_INTERVAL);
    }
}

fn marked(mark: &[u8]) -> Vec<Marked> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|number| look(number, mark))
        .collect()
}

/// The process with this number, if it carries the mark. Processes of others cannot be read, and a zombie has no
/// environment.
fn look(number: i32, mark: &[u8]) -> Option<Marked> {
    let carries = || {
        let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment
            .split(|&byte| byte == 0)
            .any(|entry| entry == mark)
    };
    if !carries() {
        return None;
    }
    let descriptor = pidfd_open(Pid::from_raw(number)?, PidfdFlags::empty()).ok()?;
    let command = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command)
        .trim_end_matches('\0')
        .replace('\0', " ");
    // The number may have become another process's before it was opened.
    carries().then_some(Marked {
        descriptor,
        command,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Invocation, Next};
    use std::path::Path;

    #[test]
    fn what_a_run_has_left_is_found_and_ended() {
        let value = std::process::id().to_string();
        let outcome = Invocation::new(Path::new("/bin/sh"), Path::new("/"))
            .args([
                "-c",
                "setsid sleep 100 </dev/null >/dev/null 2>&1 & echo started; sleep 100",
            ])
            .env("WATCH_MARKED", &value)
            .run_looking(|look| {
                let started = !look.stdout.is_empty() && !left(&value).is_empty();
                if started { Next::Enough } else { Next::GoOn }
            })
            .unwrap();
        assert!(outcome.end.is_success());
        let ended = end("WATCH_MARKED", &value, Duration::from_millis(500));
        assert_eq!(ended, ["sleep 100"]);
        assert!(end("WATCH_MARKED", &value, Duration::from_secs(10)).is_empty());
    }

    /// Those that have left the process group, which the run itself does not end.
    fn left(value: &str) -> Vec<String> {
        let mark = format!("WATCH_MARKED={value}").into_bytes();
        let mut commands: Vec<String> = marked(&mark).into_iter().map(|p| p.command).collect();
        commands.retain(|command| command == "sleep 100");
        if commands.len() == 2 {
            commands
        } else {
            Vec::new()
        }
    }
}
