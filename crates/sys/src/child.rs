//! Running other programs.
//!
//! A child is started by the C library's `posix_spawn`, which shares our memory with the child until it
//! executes the program: the cost does not grow with the memory of this process, and nothing of ours
//! runs in between. Its end is told by a descriptor that becomes readable ([`Child::as_fd`]), so that
//! it arrives where all other events do, and [`Child::try_wait`] then takes the exit status.
//!
//! Invariant: a child gets descriptors 0, 1, 2 and those it was given, none else; default signal handlers and
//! no blocked signal. Nobody else in this process may wait for "any child", or a status would be lost; a
//! child that ended stays a zombie until `try_wait` or `wait` has taken its status.

pub mod usage;

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use crate::errno::{Errno, Result, check, retry};
use crate::{env, fd, path};

/// What to run and how. Texts are bytes; none may contain a zero byte.
pub struct Command<'a> {
    program: &'a [u8],
    arguments: Vec<&'a [u8]>,
    environment: Option<Vec<CString>>,
    directory: Option<&'a [u8]>,
    descriptors: Vec<(RawFd, BorrowedFd<'a>)>,
    new_session: bool,
}

/// The highest number at which a child can be given a descriptor; bounds the list of those to close.
pub const HIGHEST_GIVEN: RawFd = 63;

/// Which step of starting a child failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A text contains a zero byte, or a number is out of range.
    Arguments,
    /// The working directory cannot be entered.
    Directory,
    /// The program cannot be executed (`enoent`, `eacces`, `enoexec`, `e2big`...), or there is no process for
    /// it (`eagain`, `enomem`).
    Program,
    /// No descriptor was left (`emfile`, `enfile`), or the system cannot watch processes (`enosys`, before
    /// Linux 5.4).
    Descriptors,
}

/// Why a child was not started. None is left running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnError {
    /// Where it failed.
    pub step: Step,
    /// The system's reason.
    pub errno: Errno,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It returned this from `main`, or passed it to `exit`: 0 to 255.
    Status(i32),
    /// A signal with this number killed it.
    Signal(i32),
}

impl Exit {
    /// One number, as shells and OTP's `exit_status` have it: 128 and more for signals.
    pub fn shell_status(self) -> i32 {
        match self {
            Exit::Status(status) => status,
            Exit::Signal(number) => 128 + number,
        }
    }
}

impl<'a> Command<'a> {
    /// To run a program, found under this path exactly: neither `PATH` nor a shell is asked. A relative path counts
    /// from the working directory of the child.
    pub fn new(program: &'a [u8]) -> Command<'a> {
        Command {
            program,
            arguments: vec![program],
            environment: None,
            directory: None,
            descriptors: Vec::new(),
            new_session: false,
        }
    }

    /// What the program sees as its own name, in place of the path.
    pub fn arg0(mut self, name: &'a [u8]) -> Command<'a> {
        self.arguments[0] = name;
        self
    }

    /// Another argument.
    pub fn arg(mut self, argument: &'a [u8]) -> Command<'a> {
        self.arguments.push(argument);
        self
    }

    /// More arguments.
    pub fn args(mut self, arguments: impl IntoIterator<Item = &'a [u8]>) -> Command<'a> {
        self.arguments.extend(arguments);
        self
    }

    /// The whole environment, made by [`env::for_child`]; without it the child gets the program's present one.
    pub fn environment(mut self, entries: Vec<CString>) -> Command<'a> {
        self.environment = Some(entries);
        self
    }

    /// The working directory, in place of the program's own.
    pub fn directory(mut self, directory: &'a [u8]) -> Command<'a> {
        self.directory = Some(directory);
        self
    }

    /// Gives the child a descriptor at a number (0 is its standard input, 1 its output, 2 its errors). Of 0, 1 and 2
    /// those not given are the program's own; of the others those not given are closed.
    pub fn give(mut self, number: RawFd, descriptor: BorrowedFd<'a>) -> Command<'a> {
        self.descriptors.push((number, descriptor));
        self
    }

    /// Makes the child the leader of a new session: signals of our terminal do not reach it.
    pub fn new_session(mut self) -> Command<'a> {
        self.new_session = true;
        self
    }

    /// Starts the program. When this returns it has been executed; failing to do so is an error here, not an exit
    /// status.
    pub fn spawn(self) -> std::result::Result<Child, SpawnError> {
        let failed = |step| move |errno| SpawnError { step, errno };
        let program = path::owned(self.program).map_err(failed(Step::Arguments))?;
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
        let mut actions = FileActions::new().map_err(failed(Step::Program))?;
        // First, so that no number given below can have replaced the directory's.
        if let Some(directory) = &directory {
            actions
                .enter_directory(directory.as_fd())
                .map_err(failed(Step::Program))?;
        }
        let _copies = actions.give(&self.descriptors)?;
        let attributes = Attributes::new(self.new_session).map_err(failed(Step::Program))?;
        let process =
            run(&program, &arguments, &environment, &actions, &attributes).map_err(|errno| {
                // The start has one error for all it does. Whether we may enter the directory that we have open can
                // be asked; then the rest is the program's.
                let step = match &directory {
                    Some(directory) if errno == Errno::EACCES && !may_enter(directory) => {
                        Step::Directory
                    }
                    _ => Step::Program,
                };
                SpawnError { step, errno }
            })?;
        Child::watch(process).map_err(failed(Step::Descriptors))
    }
}

/// A program that was started here.
#[must_use = "a child becomes a zombie unless its exit status is taken"]
#[derive(Debug)]
pub struct Child {
    process: libc::pid_t,
    watch: OwnedFd,
}

impl Child {
    /// The number of the process. After its status was taken another may have the number.
    pub fn process_id(&self) -> u32 {
        self.process as u32
    }

    /// Takes the exit status if the child has ended, which leaves nothing of it in the system. `echild` if the
    /// status was taken before.
    pub fn try_wait(&self) -> Result<Option<Exit>> {
        self.wait_with(libc::WNOHANG)
    }

    /// Waits until the child has ended and takes its exit status. `echild` if the status was taken before.
    pub fn wait(&self) -> Result<Exit> {
        self.wait_with(0)?.ok_or(Errno::ECHILD)
    }

    /// Sends a signal to the child and to no other process, even if the child has ended and its number is
    /// somebody else's now. `esrch` if it has ended and its status was taken.
    pub fn kill(&self, signal_number: i32) -> Result<()> {
        // SAFETY: an open descriptor, a number, no details of the signal, no flags.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.watch.as_raw_fd(),
                signal_number,
                std::ptr::null::<libc::siginfo_t>(),
                0,
            )
        };
        if answer == -1 {
            Err(Errno::last())
        } else {
            Ok(())
        }
    }

    /// Takes a process that we started and nobody has waited for into our care.
    fn watch(process: libc::pid_t) -> Result<Child> {
        // SAFETY: a number and no flags; the descriptor is made so that programs executed later do not get it.
        let answer = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
        if answer == -1 {
            let error = Errno::last();
            // Without the descriptor nobody would ever take its status: undo the start.
            // SAFETY: the process is our child and not waited for, so the number is its own.
            unsafe { libc::kill(process, libc::SIGKILL) };
            // SAFETY: as above; the status is not wanted.
            let _ = retry(|| check(unsafe { libc::waitpid(process, std::ptr::null_mut(), 0) }));
            return Err(error);
        }
        // SAFETY: the kernel has just given us this descriptor.
        let watch = unsafe { OwnedFd::from_raw_fd(answer as RawFd) };
        Ok(Child { process, watch })
    }

    fn wait_with(&self, flags: libc::c_int) -> Result<Option<Exit>> {
        // SAFETY: all-zero is a valid structure; it says "no process" if the kernel leaves it alone.
        let mut status: libc::siginfo_t = unsafe { std::mem::zeroed() };
        retry(|| {
            let watch = self.watch.as_raw_fd() as libc::id_t;
            // SAFETY: an open descriptor of a process, and a structure for the kernel to fill.
            check(unsafe { libc::waitid(libc::P_PIDFD, watch, &mut status, libc::WEXITED | flags) })
        })?;
        // SAFETY: the kernel filled the structure as it does for children, or left it all zero.
        let (process, value) = unsafe { (status.si_pid(), status.si_status()) };
        Ok(match (process, status.si_code) {
            (0, _) => None,
            (_, libc::CLD_EXITED) => Some(Exit::Status(value)),
            _ => Some(Exit::Signal(value)),
        })
    }
}

impl AsFd for Child {
    /// Becomes readable when the child ends, and stays so.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}

fn run(
    program: &CStr,
    arguments: &[CString],
    environment: &[CString],
    actions: &FileActions,
    attributes: &Attributes,
) -> Result<libc::pid_t> {
    let pointers = |texts: &[CString]| -> Vec<*mut libc::c_char> {
        let texts = texts.iter().map(|text| text.as_ptr().cast_mut());
        texts.chain([std::ptr::null_mut()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    let mut process = 0;
    // SAFETY: all texts are terminated, both lists end in null, and everything outlives the call, which only
    // reads it.
    let answer = unsafe {
        libc::posix_spawn(
            &mut process,
            program.as_ptr(),
            &actions.raw,
            &attributes.raw,
            arguments.as_ptr(),
            environment.as_ptr(),
        )
    };
    if answer == 0 {
        Ok(process)
    } else {
        Err(Errno(answer))
    }
}

/// Opened here rather than entered in the child, so that a missing directory is told from a missing program.
fn open_directory(directory: &[u8]) -> Result<OwnedFd> {
    path::with(directory, |directory| {
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
        // SAFETY: a terminated text and flags.
        let number = retry(|| check(unsafe { libc::open(directory.as_ptr(), flags) }))?;
        // SAFETY: the kernel has just given us this descriptor.
        Ok(unsafe { OwnedFd::from_raw_fd(number) })
    })
}

fn may_enter(directory: &OwnedFd) -> bool {
    // SAFETY: an open descriptor and a terminated text.
    unsafe {
        libc::faccessat(
            directory.as_raw_fd(),
            c".".as_ptr(),
            libc::X_OK,
            libc::AT_EACCESS,
        ) == 0
    }
}

/// What the child does with its descriptors before it executes the program.
struct FileActions {
    raw: libc::posix_spawn_file_actions_t,
}

impl FileActions {
    fn new() -> Result<FileActions> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the call initialises the structure, which the C library lets us move: it holds a pointer
        // to memory elsewhere.
        answered(unsafe { libc::posix_spawn_file_actions_init(raw.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above.
        let raw = unsafe { raw.assume_init() };
        Ok(FileActions { raw })
    }

    fn enter_directory(&mut self, directory: BorrowedFd<'_>) -> Result<()> {
        // SAFETY: initialised actions and an open descriptor.
        answered(unsafe {
            libc::posix_spawn_file_actions_addfchdir_np(&mut self.raw, directory.as_raw_fd())
        })
    }

    /// Gives descriptors and closes all others. The copies must live until the child is started.
    fn give(
        &mut self,
        given: &[(RawFd, BorrowedFd<'_>)],
    ) -> std::result::Result<Vec<OwnedFd>, SpawnError> {
        let highest = given.iter().map(|(number, _)| *number).fold(2, RawFd::max);
        let mut copies = Vec::new();
        for (number, descriptor) in given {
            let mut from = descriptor.as_raw_fd();
            if from <= highest {
                // Its number might be given something else before its turn comes.
                let copy = fd::duplicate_from(from, highest + 1);
                let copy = copy.map_err(|errno| SpawnError {
                    step: Step::Descriptors,
                    errno,
                })?;
                from = copy.as_raw_fd();
                copies.push(copy);
            }
            // SAFETY: initialised actions and two numbers.
            answered(unsafe {
                libc::posix_spawn_file_actions_adddup2(&mut self.raw, from, *number)
            })
            .map_err(|errno| SpawnError {
                step: Step::Program,
                errno,
            })?;
        }
        self.close_others(given, highest)
            .map_err(|errno| SpawnError {
                step: Step::Program,
                errno,
            })?;
        Ok(copies)
    }

    fn close_others(&mut self, given: &[(RawFd, BorrowedFd<'_>)], highest: RawFd) -> Result<()> {
        for number in 3..=highest {
            if given.iter().all(|(other, _)| *other != number) {
                // SAFETY: initialised actions and a number; closing what is not open is no error here.
                answered(unsafe {
                    libc::posix_spawn_file_actions_addclose(&mut self.raw, number)
                })?;
            }
        }
        self.close_from(highest + 1)
    }

    #[cfg(target_env = "gnu")]
    fn close_from(&mut self, lowest: RawFd) -> Result<()> {
        // SAFETY: initialised actions and a number.
        answered(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(&mut self.raw, lowest) })
    }

    /// C libraries without that action: whatever this process was started with is marked to be closed. All that
    /// it has opened itself is marked already.
    #[cfg(not(target_env = "gnu"))]
    fn close_from(&mut self, lowest: RawFd) -> Result<()> {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
        // SAFETY: numbers only; the call changes a flag of our descriptors that only executing looks at.
        let answer =
            unsafe { libc::syscall(libc::SYS_close_range, lowest, u32::MAX, CLOSE_RANGE_CLOEXEC) };
        if answer == -1 {
            Err(Errno::last())
        } else {
            Ok(())
        }
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used afterwards.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.raw) };
    }
}

/// Signals and session of the child.
struct Attributes {
    raw: libc::posix_spawnattr_t,
}

impl Attributes {
    fn new(new_session: bool) -> Result<Attributes> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the call initialises the structure, which is plain data.
        answered(unsafe { libc::posix_spawnattr_init(raw.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above.
        let raw = unsafe { raw.assume_init() };
        let mut attributes = Attributes { raw };
        let raw = &mut attributes.raw;
        let mut flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        if new_session {
            flags |= libc::c_int::from(libc::POSIX_SPAWN_SETSID);
        }
        let (mut none, mut all) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: the first two calls fill the sets that the next two read; the attributes are initialised.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigfillset(all.as_mut_ptr());
            answered(libc::posix_spawnattr_setsigmask(raw, none.as_ptr()))?;
            answered(libc::posix_spawnattr_setsigdefault(raw, all.as_ptr()))?;
            answered(libc::posix_spawnattr_setflags(raw, flags as libc::c_short))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used afterwards.
        unsafe { libc::posix_spawnattr_destroy(&mut self.raw) };
    }
}

/// The functions around `posix_spawn` answer with an error number, 0 for success.
fn answered(answer: libc::c_int) -> Result<()> {
    if answer == 0 {
        Ok(())
    } else {
        Err(Errno(answer))
    }
}

#[cfg(test)]
mod tests;
