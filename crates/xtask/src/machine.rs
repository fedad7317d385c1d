//! One run of one virtual machine: started in a process group of its own, watched from outside, and
//! never waited for longer, or allowed more memory, than was agreed. What it printed is kept up to a
//! bound, so a machine gone wrong costs neither this program's memory nor the whole host's.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Output kept of one stream; the rest is read and dropped.
const KEPT_OUTPUT_BYTES: usize = 16 << 20;
/// Between two looks at a running machine.
const POLL: Duration = Duration::from_millis(4);
/// Between two looks at its memory, which costs a file read.
const MEMORY_POLL: Duration = Duration::from_millis(60);

/// How a machine is to be run.
pub struct Invocation {
    pub machine: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    pub folder: PathBuf,
    pub timeout: Duration,
    pub memory_limit_bytes: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut(Duration),
    TooMuchMemory(u64),
}

impl End {
    pub fn is_success(self) -> bool {
        self == End::Exited(0)
    }

    fn from_status(status: ExitStatus) -> End {
        match status.code() {
            Some(code) => End::Exited(code),
            None => End::Signalled(status.signal().unwrap_or(0)),
        }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exited(code) => write!(f, "exit status {code}"),
            End::Signalled(signal) => write!(f, "killed by signal {signal}"),
            End::TimedOut(limit) => write!(f, "timed out after {} s", limit.as_secs()),
            End::TooMuchMemory(bytes) => write!(f, "ended at {} MB of memory", bytes >> 20),
        }
    }
}

pub struct Outcome {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// The first line on standard error: the cause, where the others are its consequences.
    pub fn first_complaint(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.stderr);
        let line = text.lines().find(|line| !line.trim().is_empty())?;
        Some(line.chars().take(200).collect())
    }

    /// The last lines of what went to standard error (or, if that was empty, to standard output).
    pub fn last_words(&self, lines: usize) -> String {
        let source = if self.stderr.iter().all(u8::is_ascii_whitespace) {
            &self.stdout
        } else {
            &self.stderr
        };
        let text = String::from_utf8_lossy(source);
        let all: Vec<&str> = text.trim_end().lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

impl Invocation {
    pub fn new(machine: &Path, folder: &Path) -> Self {
        Invocation {
            machine: machine.to_path_buf(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: folder.to_path_buf(),
            timeout: Duration::from_secs(20),
            memory_limit_bytes: 4 << 30,
        }
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub fn memory_limit_bytes(mut self, bytes: u64) -> Self {
        self.memory_limit_bytes = bytes;
        self
    }

    /// Runs to the end, or to the limit that is reached first.
    pub fn run(&self) -> Result<Outcome> {
        self.run_until(|_, _| false)
    }

    /// As `run`, and also ends when `enough` says so; it is shown the process id and the standard
    /// output so far at each look. A run ended by `enough` counts as a success.
    pub fn run_until(&self, mut enough: impl FnMut(u32, &[u8]) -> bool) -> Result<Outcome> {
        let mut child = Group(self.start()?);
        let (sender, receiver) = mpsc::channel();
        let out = child.0.stdout.take().context("no standard output")?;
        let err = child.0.stderr.take().context("no standard error")?;
        let for_stderr = sender.clone();
        thread::spawn(move || forward(out, |bytes| sender.send((Stream::Out, bytes)).is_ok()));
        thread::spawn(move || forward(err, |bytes| for_stderr.send((Stream::Err, bytes)).is_ok()));

        let mut stdout = Vec::new();
        let mut stderr = Vec::new();
        let started = Instant::now();
        let mut memory_seen = started;
        let end = loop {
            while let Ok((stream, bytes)) = receiver.try_recv() {
                keep(
                    if stream == Stream::Out {
                        &mut stdout
                    } else {
                        &mut stderr
                    },
                    bytes,
                );
            }
            if let Some(status) = child.0.try_wait()? {
                break End::from_status(status);
            }
            if enough(child.0.id(), &stdout) {
                break End::Exited(0);
            }
            if started.elapsed() > self.timeout {
                break End::TimedOut(self.timeout);
            }
            if memory_seen.elapsed() > MEMORY_POLL {
                memory_seen = Instant::now();
                let bytes = resident_bytes(child.0.id()).unwrap_or(0);
                if bytes > self.memory_limit_bytes {
                    break End::TooMuchMemory(bytes);
                }
            }
            thread::sleep(POLL);
        };
        // Whatever the machine left behind ends here; its streams close, so the readers end too.
        drop(child);
        let patience = Instant::now() + Duration::from_secs(2);
        while let Ok((stream, bytes)) =
            receiver.recv_timeout(patience.saturating_duration_since(Instant::now()))
        {
            keep(
                if stream == Stream::Out {
                    &mut stdout
                } else {
                    &mut stderr
                },
                bytes,
            );
        }
        Ok(Outcome {
            end,
            stdout,
            stderr,
        })
    }

    fn start(&self) -> Result<Child> {
        let mut command = Command::new(&self.machine);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("LC_ALL", "C.UTF-8")
            .env("ERL_CRASH_DUMP_SECONDS", "0")
            .env("HOME", &self.folder)
            .env_remove("ERL_FLAGS")
            .env_remove("ERL_AFLAGS")
            .env_remove("ERL_ZFLAGS")
            .env_remove("ERL_LIBS")
            .process_group(0);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
            .spawn()
            .with_context(|| format!("cannot start {}", self.machine.display()))
    }
}

/// A child that leads a process group; dropping it ends the whole group.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            // The group may be empty by now, which is what is wanted.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

fn forward(mut from: impl Read, mut to: impl FnMut(Vec<u8>) -> bool) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if !to(buffer[..count].to_vec()) {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn keep(kept: &mut Vec<u8>, mut bytes: Vec<u8>) {
    bytes.truncate(KEPT_OUTPUT_BYTES.saturating_sub(kept.len()));
    kept.append(&mut bytes);
}

/// Resident memory of a process, as the kernel counts it.
pub fn resident_bytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Invocation {
        Invocation::new(Path::new("/bin/sh"), Path::new("/")).args(["-c", script])
    }

    #[test]
    fn output_and_exit_status_are_reported() {
        let outcome = shell("echo out; echo err >&2; exit 3").run().unwrap();
        assert_eq!(outcome.end, End::Exited(3));
        assert_eq!(outcome.stdout, b"out\n");
        assert_eq!(outcome.stderr, b"err\n");
    }

    #[test]
    fn a_run_that_does_not_end_is_ended_with_its_children() {
        let limit = Duration::from_millis(300);
        let outcome = shell("sleep 100 & echo $!; wait")
            .timeout(limit)
            .run()
            .unwrap();
        assert_eq!(outcome.end, End::TimedOut(limit));
        let child: u32 = String::from_utf8(outcome.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        // Ended, or a zombie that nobody has collected yet: it holds no memory either way.
        assert!(
            resident_bytes(child).is_none(),
            "the child {child} still runs"
        );
    }

    #[test]
    fn a_run_above_its_memory_is_ended() {
        let outcome = shell("sleep 5").memory_limit_bytes(1).run().unwrap();
        assert!(
            matches!(outcome.end, End::TooMuchMemory(_)),
            "{}",
            outcome.end
        );
    }
}
