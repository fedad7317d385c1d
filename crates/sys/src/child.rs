//! Running other programs.
//!
//! A child shares our memory until it executes the program ([`start`]), and we do not wait for that: the cost grows
//! neither with the memory of this process nor with the size of the program. A thread that waits for all children
//! reports their ends ([`Command::start_told`]); callers with few children may wait for each ([`Child::wait`]).
//!
//! Invariant: a child gets descriptors 0, 1, 2 and those it was given, no others; default signal handlers except for
//! the signals it is to ignore; and no blocked signal. No other code in this process may wait for "any child", or a
//! status would be lost; a child that has ended stays a zombie until its status is taken. Those that the kernel gives
//! this process because their parents have ended are [`orphans`].

pub mod bound;
mod ends;
pub mod low;
pub mod orphans;
mod start;
pub mod usage;

pub(crate) use ends::{is_stranger_signalled, signalled};

use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::errno::{Errno, Result, repeat};
use crate::file::packed;
use crate::{cpu, env, fd, path, signal};

static STARTED: AtomicU64 = AtomicU64::new(0);

/// How many programs were to be started so far.
#[must_use]
pub fn started() -> u64 {
    STARTED.load(Ordering::Relaxed)
}

/// A program to run, and how. Texts are bytes; none may contain a zero byte.
pub struct Command<'a> {
    program: &'a [u8],
    arguments: Vec<&'a [u8]>,
    environment: Option<env::Entries>,
    directory: Option<&'a [u8]>,
    descriptors: Vec<(RawFd, BorrowedFd<'a>)>,
    new_session: bool,
    ignored: u64,
    processors: &'a [usize],
}

/// The highest number at which a child can be given a descriptor; bounds the list of numbers to close.
const HIGHEST_GIVEN: RawFd = 63;

/// Which step of starting a child failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A text contains a zero byte, or a number is out of range.
    Arguments,
    /// The working directory could not be entered.
    Directory,
    /// The program could not be executed (`enoent`, `eacces`, `enoexec`, `e2big`...), or no process could be made for
    /// it (`eagain`, `enomem`).
    Program,
    /// There were no free descriptors (`emfile`, `enfile`).
    Descriptors,
}

/// Why a child was not started. No process is left running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnError {
    /// The step that failed.
    pub step: Step,
    /// The system's reason.
    pub errno: Errno,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this status: 0 to 255.
    Status(i32),
    /// A signal with this number killed it.
    Signal(i32),
}

impl Exit {
    /// One number for both, as in shells and OTP's `exit_status`: 128 and more for signals.
    pub fn shell_status(self) -> i32 {
        match self {
            Exit::Status(status) => status,
            Exit::Signal(number) => 128 + number,
        }
    }
}

impl<'a> Command<'a> {
    /// A command that runs the program at exactly this path: neither `PATH` nor a shell is used. A relative path is
    /// relative to the working directory of the child.
    pub fn new(program: &'a [u8]) -> Command<'a> {
        Command {
            program,
            arguments: vec![program],
            environment: None,
            directory: None,
            descriptors: Vec::new(),
            new_session: false,
            ignored: 0,
            processors: &[],
        }
    }

    /// Sets the name that the program sees as its own, instead of the path.
    pub fn arg0(mut self, name: &'a [u8]) -> Command<'a> {
        self.arguments[0] = name;
        self
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: &'a [u8]) -> Command<'a> {
        self.arguments.push(argument);
        self
    }

    /// Adds arguments.
    pub fn args(mut self, arguments: impl IntoIterator<Item = &'a [u8]>) -> Command<'a> {
        self.arguments.extend(arguments);
        self
    }

    /// Sets the whole environment, made by [`env::for_child`]; otherwise the child gets the current one.
    pub fn environment(mut self, entries: env::Entries) -> Command<'a> {
        self.environment = Some(entries);
        self
    }

    /// Sets the working directory, instead of the current one.
    pub fn directory(mut self, directory: &'a [u8]) -> Command<'a> {
        self.directory = Some(directory);
        self
    }

    /// Gives the child a descriptor at a number (0 is its standard input, 1 its output, 2 its errors). The child
    /// inherits those of 0, 1 and 2 that are not given; all others that are not given are closed.
    pub fn give(mut self, number: RawFd, descriptor: BorrowedFd<'a>) -> Command<'a> {
        self.descriptors.push((number, descriptor));
        self
    }

    /// Makes the child the leader of a new session, so that signals from our terminal do not reach it.
    pub fn new_session(mut self) -> Command<'a> {
        self.new_session = true;
        self
    }

    /// Sets the signals that the child ignores, a bit for each: signal N has bit N - 1.
    pub fn ignored(mut self, signals: u64) -> Command<'a> {
        self.ignored = signals;
        self
    }

    /// Sets the processors that the program may use, instead of those of the calling thread.
    pub fn processors(mut self, processors: &'a [usize]) -> Command<'a> {
        self.processors = processors;
        self
    }

    /// Starts the program and waits until it is executed; if that fails, returns an error, not a child with an exit
    /// status.
    pub fn spawn(self) -> std::result::Result<Child, SpawnError> {
        let child = self.start()?;
        // By whoever has started it.
        ends::taking(child.process);
        child.progress.wait();
        match child.failure() {
            None => Ok(child),
            Some(error) => {
                // It is about to end.
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Starts the program without waiting. A child that cannot execute it ends, and [`Child::failure`] says why.
    pub fn start(self) -> std::result::Result<Child, SpawnError> {
        STARTED.fetch_add(1, Ordering::Relaxed);
        let failed = |step| move |errno| SpawnError { step, errno };
        let program = match packed::name_for_system(self.program) {
            Some(copy) => copy.map_err(failed(Step::Program))?,
            None => path::owned(self.program).map_err(failed(Step::Arguments))?,
        };
        let arguments = self
            .arguments
            .iter()
            .map(|text| CString::new(*text).map_err(|_| Errno::EINVAL));
        let arguments: Vec<CString> = arguments
            .collect::<Result<_>>()
            .map_err(failed(Step::Arguments))?;
        let environment = match self.environment {
            Some(entries) => entries,
            None => env::for_child(&[]).map_err(failed(Step::Arguments))?,
        };
        if self
            .descriptors
            .iter()
            .any(|(number, _)| !(0..=HIGHEST_GIVEN).contains(number))
        {
            return Err(failed(Step::Arguments)(Errno::EINVAL));
        }
        let directory = match self.directory {
            Some(directory) => Some(open_directory(directory).map_err(failed(Step::Directory))?),
            None => None,
        };
        let highest = self.descriptors.iter().map(|(number, _)| *number);
        let highest = highest.fold(2, RawFd::max);
        let (copies, given) =
            out_of_the_way(&self.descriptors, highest).map_err(failed(Step::Descriptors))?;
        let is_given = |number: RawFd| given.iter().any(|(_, other)| *other == number);
        let closed = (3..=highest).filter(|number| !is_given(*number)).collect();
        let directory_number = directory.as_ref().map(OwnedFd::as_raw_fd);
        let sources = given.iter().map(|(from, _)| *from).chain(directory_number);
        let placed = low::place(sources);
        let mut places = placed.iter().flat_map(low::Placed::numbers);
        let plan = start::Plan {
            given: given
                .iter()
                .map(|(from, to)| (places.next().unwrap_or(*from), *to))
                .collect(),
            directory: directory_number.map(|number| places.next().unwrap_or(number)),
            beginning: placed.as_ref().map(low::Placed::end),
            program,
            arguments,
            environment,
            closed,
            close_from: highest + 1,
            ignored: self.ignored,
            ignored_here: signal::ignored_now(),
            new_session: self.new_session,
            processors: cpu::mask(self.processors).map_err(failed(Step::Arguments))?,
        };
        let (process, progress) = start::start(plan).map_err(failed(Step::Program))?;
        drop(places);
        drop((placed, directory, copies));
        Ok(Child {
            process,
            is_taken: AtomicBool::new(false),
            progress,
        })
    }
}

/// Copies of the descriptors whose numbers might be overwritten before they are given, and all source numbers with the
/// numbers that they get in the child.
type Given = (Vec<OwnedFd>, Vec<(RawFd, RawFd)>);

fn out_of_the_way(descriptors: &[(RawFd, BorrowedFd<'_>)], highest: RawFd) -> Result<Given> {
    let mut copies = Vec::new();
    let mut given = Vec::new();
    for (number, descriptor) in descriptors {
        let mut from = descriptor.as_raw_fd();
        if from <= highest {
            let copy = fd::duplicate_from(from, highest + 1)?;
            from = copy.as_raw_fd();
            copies.push(copy);
        }
        given.push((from, *number));
    }
    Ok((copies, given))
}

/// A program that was started here.
#[must_use = "a child becomes a zombie unless its exit status is taken"]
#[derive(Debug)]
pub struct Child {
    process: libc::pid_t,
    /// Whether the status was taken; then another process may have the number.
    is_taken: AtomicBool,
    progress: Arc<start::Progress>,
}

impl Child {
    /// The number of the process. Once its status is taken, another process may get the number.
    pub fn process_id(&self) -> u32 {
        self.process as u32
    }

    /// Why the program was not executed, if the child has ended because of that.
    pub fn failure(&self) -> Option<SpawnError> {
        let (step, errno) = self.progress.failure()?;
        Some(SpawnError { step, errno })
    }

    /// Waits until the child has ended and takes its exit status, after which the system keeps nothing of it. `echild`
    /// if the status was taken before.
    pub fn wait(&self) -> Result<Exit> {
        if self.is_taken.load(Ordering::Acquire) {
            return Err(Errno::ECHILD);
        }
        let process = Pid::from_raw(self.process).ok_or(Errno::ECHILD)?;
        let waited = repeat(|| waitid(WaitId::Pid(process), WaitIdOptions::EXITED))?;
        let status = waited.ok_or(Errno::ECHILD)?;
        self.is_taken.store(true, Ordering::Release);
        let signal = || status.terminating_signal().map(Exit::Signal);
        let exit = status.exit_status().map(Exit::Status).or_else(signal);
        exit.ok_or(Errno::ECHILD)
    }
}

/// Opened here rather than in the child, so that a missing directory is distinguished from a missing program.
fn open_directory(directory: &[u8]) -> Result<OwnedFd> {
    path::with(directory, |directory| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        repeat(|| rustix::fs::open(directory, flags, Mode::empty()))
    })
}

#[cfg(test)]
mod tests;
