//! Runs one program in its own process group, watches it from outside, and ends it when it exceeds a time limit or a
//! memory limit. Only a bounded amount of its output is kept, so a program that prints without end exhausts neither
//! the watcher's memory nor the host's.
//!
//! Invariant: when a run returns, no process of its group is alive. Any thread may call this; a thread watches one run
//! at a time.

#![forbid(unsafe_code)]

mod family;
pub mod marked;

pub use family::family;

use anyhow::{Context, Result, anyhow};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use sys::child::Exit;
pub use sys::child::usage::Usage;

/// The most output kept of one stream; the rest is read and dropped.
const KEPT_OUTPUT_BYTES: usize = 16 << 20;
/// The default interval between two looks at a running program.
const DEFAULT_LOOK_INTERVAL: Duration = Duration::from_millis(60);
/// How long to wait for the rest of the output once the program has ended.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// A program to run, with its arguments and limits.
pub struct Invocation {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory, and `HOME` of the program.
    pub folder: PathBuf,
    pub timeout: Duration,
    pub memory_limit_bytes: u64,
    /// The interval between two looks at the running program.
    pub look_every: Duration,
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

    fn from_exit(exit: Exit) -> End {
        match exit {
            Exit::Status(code) => End::Exited(code),
            Exit::Signal(signal) => End::Signalled(signal),
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
    /// From just before the program was started until it ended or was killed.
    pub wall: Duration,
    pub usage: Usage,
}

/// A running program as seen at one moment.
pub struct Look<'a> {
    /// The operating system's process id.
    pub process: u32,
    pub since_start: Duration,
    /// What it has written to standard output so far.
    pub stdout: &'a [u8],
}

/// Whether a run continues after a look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Next {
    GoOn,
    /// The caller has seen what it wanted: the program is killed, and the run counts as successful.
    Enough,
}

impl Outcome {
    /// The first line on standard error: usually the cause, while later lines are consequences.
    pub fn first_complaint(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.stderr);
        let line = text.lines().find(|line| !line.trim().is_empty())?;
        Some(line.chars().take(200).collect())
    }

    /// The last lines of standard error, or of standard output if standard error is blank.
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
    pub fn new(program: &Path, folder: &Path) -> Self {
        Invocation {
            program: program.to_path_buf(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: folder.to_path_buf(),
            timeout: Duration::from_secs(20),
            memory_limit_bytes: 4 << 30,
            look_every: DEFAULT_LOOK_INTERVAL,
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

    pub fn look_every(mut self, interval: Duration) -> Self {
        self.look_every = interval;
        self
    }

    /// Runs the program until it ends or reaches a limit.
    pub fn run(&self) -> Result<Outcome> {
        self.run_looking(|_| Next::GoOn)
    }

    /// Like [`Invocation::run`], and calls `look` at each interval while the program runs.
    pub fn run_looking(&self, mut look: impl FnMut(&Look) -> Next) -> Result<Outcome> {
        let started = Instant::now();
        let mut group = Group {
            child: self.start()?,
            is_over: false,
        };
        let mut stdout = Stream::of(group.output().context("no standard output")?)?;
        let mut stderr = Stream::of(group.errors().context("no standard error")?)?;
        let ended = pidfd_open(group.pid()?, PidfdFlags::empty())?;

        let mut next_look = started + self.look_every;
        let reached = loop {
            let until = next_look.min(started + self.timeout);
            if wait(&ended, &mut [&mut stdout, &mut stderr], until)? {
                break None;
            }
            let since_start = started.elapsed();
            if since_start >= self.timeout {
                break Some(End::TimedOut(self.timeout));
            }
            if Instant::now() < next_look {
                continue;
            }
            next_look = Instant::now() + self.look_every;
            let process = group.child.id();
            let bytes = resident_bytes(process).unwrap_or(0);
            if bytes > self.memory_limit_bytes {
                break Some(End::TooMuchMemory(bytes));
            }
            let seen = Look {
                process,
                since_start,
                stdout: &stdout.kept,
            };
            if look(&seen) == Next::Enough {
                break Some(End::Exited(0));
            }
        };
        let wall = started.elapsed();
        // This kills what is left of the group, which closes the streams, so they can be read to the end.
        let (exit, usage) = group.finish()?;
        let drained_by = Instant::now() + DRAIN_TIMEOUT;
        while (stdout.is_open() || stderr.is_open()) && Instant::now() < drained_by {
            wait_for_output(&mut [&mut stdout, &mut stderr], drained_by)?;
        }
        Ok(Outcome {
            end: reached.unwrap_or_else(|| End::from_exit(exit)),
            stdout: stdout.kept,
            stderr: stderr.kept,
            wall,
            usage,
        })
    }

    fn start(&self) -> Result<Child> {
        let mut command = Command::new(&self.program);
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
        // Ctrl-C reaches only this process, not the program's group, so the program is bound to this process's life.
        sys::child::bound::bind(&mut command);
        command
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))
    }
}

/// A child that leads its own process group. Dropping it kills the group.
struct Group {
    child: Child,
    is_over: bool,
}

impl Group {
    fn pid(&self) -> Result<Pid> {
        let id = i32::try_from(self.child.id())?;
        Pid::from_raw(id).ok_or_else(|| anyhow!("a child with the number 0"))
    }

    fn output(&mut self) -> Option<OwnedFd> {
        self.child.stdout.take().map(OwnedFd::from)
    }

    fn errors(&mut self) -> Option<OwnedFd> {
        self.child.stderr.take().map(OwnedFd::from)
    }

    /// Kills what is left of the group and collects the child's exit status. May be called only once.
    fn finish(&mut self) -> Result<(Exit, Usage)> {
        let pid = self.pid()?;
        // An error means that the group is empty already.
        let _ = kill_process_group(pid, Signal::KILL);
        self.is_over = true;
        sys::child::usage::wait_with_usage(self.child.id())
            .map_err(|error| anyhow!("the status of a child is lost: {error}"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_over {
            let _ = self.finish();
        }
    }
}

/// One stream of a program's output.
struct Stream {
    from: Option<fs::File>,
    kept: Vec<u8>,
}

impl Stream {
    fn of(pipe: OwnedFd) -> Result<Stream> {
        let flags = fcntl_getfl(&pipe)?;
        fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
        Ok(Stream {
            from: Some(pipe.into()),
            kept: Vec::new(),
        })
    }

    fn is_open(&self) -> bool {
        self.from.is_some()
    }

    /// Reads what is available, but at most 1 MiB, so that a program that prints without end is still watched.
    fn read(&mut self) {
        let mut buffer = [0; 16 << 10];
        for _ in 0..64 {
            let Some(from) = &mut self.from else { return };
            match from.read(&mut buffer) {
                Ok(0) => self.from = None,
                Ok(count) => {
                    let room = KEPT_OUTPUT_BYTES.saturating_sub(self.kept.len());
                    self.kept.extend_from_slice(&buffer[..count.min(room)]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.from = None,
            }
        }
    }
}

/// Reads output until the deadline or until the program ends; returns whether it has ended.
fn wait(ended: &OwnedFd, streams: &mut [&mut Stream; 2], until: Instant) -> Result<bool> {
    loop {
        let ready = poll_streams(Some(ended.as_fd()), streams, until)?;
        if ready.ended || ready.timed_out {
            return Ok(ready.ended);
        }
    }
}

fn wait_for_output(streams: &mut [&mut Stream; 2], until: Instant) -> Result<()> {
    poll_streams(None, streams, until).map(|_| ())
}

struct Ready {
    ended: bool,
    timed_out: bool,
}

/// Polls once, and reads the streams that are readable.
fn poll_streams(
    ended: Option<BorrowedFd>,
    streams: &mut [&mut Stream; 2],
    until: Instant,
) -> Result<Ready> {
    let left = until.saturating_duration_since(Instant::now());
    let timeout = Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    };
    let open: Vec<usize> = (0..streams.len())
        .filter(|&at| streams[at].is_open())
        .collect();
    let (end_seen, readable) = {
        let files = open.iter().filter_map(|&at| streams[at].from.as_ref());
        let mut watched: Vec<PollFd> = ended
            .into_iter()
            .chain(files.map(AsFd::as_fd))
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |fd: &PollFd| !fd.revents().is_empty();
        let ends = usize::from(ended.is_some());
        let end_seen = watched[..ends].iter().any(is_ready);
        let readable: Vec<bool> = watched[ends..].iter().map(is_ready).collect();
        (end_seen, readable)
    };
    for (&at, _) in open.iter().zip(&readable).filter(|(_, ready)| **ready) {
        streams[at].read();
    }
    Ok(Ready {
        ended: end_seen,
        timed_out: Instant::now() >= until,
    })
}

/// Resident memory of a process as the kernel counts it; `None` if the process holds none or is gone.
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
        // It is gone, or a zombie that nobody has reaped yet: neither holds memory.
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

    #[test]
    fn a_run_that_never_stops_printing_is_still_looked_at() {
        let mut looks = 0;
        let outcome = shell("exec yes")
            .timeout(Duration::from_secs(20))
            .run_looking(|look| {
                // On a busy host the first look may come before the program has written anything.
                if !look.stdout.is_empty() {
                    assert!(look.stdout.starts_with(b"y\n"));
                    looks += 1;
                }
                if looks < 3 { Next::GoOn } else { Next::Enough }
            })
            .unwrap();
        assert_eq!((outcome.end, looks), (End::Exited(0), 3));
        assert!(outcome.stdout.len() <= KEPT_OUTPUT_BYTES);
        assert!(outcome.usage.user + outcome.usage.system > Duration::ZERO);
    }
}
