//! The `spawn` driver: a program, its standard input and output, and its end.
//!
//! The program is started directly, without a process in between, and no thread waits until it is executed; what that
//! costs depends neither on the node's memory nor on the number of descriptors it may have. A command whose words
//! mean nothing special to a shell is started without a shell. The program's end is reported independently of the
//! port, so a program that outlives its port leaves no zombie, and no status is lost.

use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use sys::child::{Command as Program, Exit, SpawnError, Step};
use sys::env::Change;
use sys::errno::Errno;
use sys::file::names;
use sys::memory::budget;
use sys::poll::{Interest, Token};
use term::{am, atom, build};

use super::fd::{READS_AT_ONCE, with_buffer};
use super::settings::{OpenError, Settings};
use runtime::effects::port::descriptor_writer::{Blocking, DescriptorWriter};
use runtime::effects::port::driver::{Access, Close, Command, Driver, Output, Ready};
use runtime::effects::port::framing::Cutter;
use runtime::mail::current;
use runtime::process::config::{self, BreakMode};

/// Signals that are ignored in programs, as under stock: SIGFPE and SIGPIPE.
const IGNORED: u64 = 1 << (8 - 1) | 1 << (13 - 1);
/// SIGCHLD and SIGTERM, which are not ignored in programs, even if this node was started with them ignored.
const OURS: u64 = 1 << (17 - 1) | 1 << (15 - 1);
/// SIGINT and SIGQUIT, which belong to the node where they open the break menu or interrupt the shell.
const BREAKS: u64 = 1 << (2 - 1) | 1 << (3 - 1);
/// SIGTSTP, which is ignored along with them under `+Bi`.
const STOP: u64 = 1 << (20 - 1);
/// Where a shell looks for programs if there is no `PATH`.
const DEFAULT_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What to start.
#[derive(Clone, Copy)]
pub(crate) enum What<'a> {
    /// A command for a shell.
    Command(&'a [u8]),
    /// Exactly this file.
    File(&'a [u8]),
}

struct ProgramDriver {
    input: Option<(OwnedFd, Token)>,
    output: Option<DescriptorWriter>,
    cutter: Cutter,
    eof: bool,
    sends_status: bool,
    /// The program's exit status, once it has ended.
    status: Option<i32>,
    /// All that the program wrote has been read, but its status is not known yet.
    waits_for_status: bool,
}

fn reason(error: Errno) -> OpenError {
    atom::known(error.name())
}

/// Starts a program.
///
/// # Errors
/// The system's error: `enoent`, `eacces`, `emfile`, `eagain`...
pub(crate) fn start(
    port: &mut Access<'_>,
    what: What<'_>,
    settings: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    let (from_program, its_output) = sys::fd::pipe().map_err(reason)?;
    let (its_input, to_program) = sys::fd::pipe().map_err(reason)?;
    if settings.directory.is_none() {
        // A program starts in the node's working directory, which must still exist.
        names::working_directory().map_err(reason)?;
    }
    if let What::File(file) = what {
        names::may(file, names::AccessKind::Execute).map_err(reason)?;
    }
    // Both ends are closed when a program is executed, so neither leaks into other programs.
    let handle = port.handle();
    let directory = settings.directory.clone();
    let at_end = move |ended: Result<Exit, SpawnError>| {
        let status = match ended {
            Ok(exit) => exit.shell_status(),
            Err(failure) => report_failure(failure, directory.as_deref()),
        };
        if let Some(port) = handle.upgrade() {
            port.run_later(move |driver, access| driver.program_ended(access, status));
        }
    };
    let started = run(what, settings, &its_input, &its_output, at_end);
    drop((its_input, its_output));
    // This has taken a millisecond or more: one slice starts one program, not thousands.
    current::end_slice_soon();
    let mut status = None;
    match started {
        Ok(process) => port.set_os_pid(process),
        Err(failure) if failure.step == Step::Directory => {
            status = Some(report_failure(failure, settings.directory.as_deref()));
        }
        Err(SpawnError { errno, .. }) => return Err(reason(errno)),
    }
    let mut driver = ProgramDriver {
        input: None,
        output: None,
        cutter: Cutter::new(settings.framing),
        eof: settings.eof,
        sends_status: settings.exit_status,
        status,
        waits_for_status: false,
    };
    if settings.input {
        sys::fd::set_nonblocking(from_program.as_fd(), true).map_err(reason)?;
        let token = port.watch(from_program.as_fd(), Interest::READ);
        driver.input = Some((from_program, token.map_err(reason)?));
    }
    if settings.output {
        sys::fd::set_nonblocking(to_program.as_fd(), true).map_err(reason)?;
        driver.output = Some(DescriptorWriter::new(
            to_program,
            Blocking::Never,
            settings.framing,
            settings.port_watermarks,
        ));
    }
    Ok(Box::new(driver))
}

/// Prints on the node's standard error what stock's helper prints there when it cannot execute the program; returns
/// the exit status that the program then has.
fn report_failure(SpawnError { step, errno }: SpawnError, directory: Option<&[u8]>) -> i32 {
    let mut text = Vec::new();
    if step == Step::Directory {
        let directory = directory.unwrap_or_default();
        text.extend_from_slice(b"spawn: Could not cd to ");
        text.extend_from_slice(directory);
        text.extend_from_slice(b"\r\n");
    } else {
        let line = format!(
            "erl_child_setup: failed with error {} on line 303\r\n",
            errno.0
        );
        text.extend_from_slice(line.as_bytes());
    }
    let _ = std::io::stderr().write_all(&text);
    errno.0
}

fn run(
    what: What<'_>,
    settings: &Settings,
    its_input: &OwnedFd,
    its_output: &OwnedFd,
    at_end: impl FnOnce(Result<Exit, SpawnError>) + Send + 'static,
) -> Result<u32, SpawnError> {
    let environment = sys::env::for_child(&settings.environment).map_err(|errno| SpawnError {
        step: Step::Arguments,
        errno,
    })?;
    if !budget::admit_program() {
        return Err(SpawnError {
            step: Step::Program,
            errno: Errno::ENOMEM,
        });
    }
    let for_shell: Vec<u8>;
    let found: Vec<u8>;
    let mut program = match what {
        What::File(file) => {
            let mut program = Program::new(file);
            if let Some(name) = &settings.argument_0 {
                program = program.arg0(name);
            }
            let arguments = settings.arguments.as_deref().unwrap_or_default();
            program.args(arguments.iter().map(Vec::as_slice))
        }
        What::Command(command) => match without_shell(command, settings) {
            Some((file, words)) => {
                found = file;
                Program::new(&found)
                    .arg0(words[0])
                    .args(words[1..].iter().copied())
            }
            None => {
                for_shell = [b"exec ", command].concat();
                Program::new(b"/bin/sh")
                    .arg0(b"sh")
                    .args([&b"-c"[..], &for_shell])
            }
        },
    };
    let at_start = sys::signal::ignored_at_start() & !OURS;
    let ignored = match config::get().break_mode {
        BreakMode::Menu | BreakMode::InterruptShell => at_start & !BREAKS,
        BreakMode::Ignore => at_start | BREAKS | STOP,
        BreakMode::Default => at_start,
    };
    program = program
        .environment(environment)
        .new_session()
        .ignored(IGNORED | ignored);
    // A child inherits the processor affinity of the thread that starts it, and ours may be bound to one processor.
    let initial = sys::cpu::initial_affinity();
    if sys::cpu::affinity().is_ok_and(|own| own[..] != *initial) {
        program = program.processors(initial);
    }
    if let Some(directory) = &settings.directory {
        program = program.directory(directory);
    }
    let (input_number, output_number) = match settings.use_stdio {
        true => (0, 1),
        false => (3, 4),
    };
    if settings.output {
        program = program.give(input_number, its_input.as_fd());
    }
    if settings.input {
        program = program.give(output_number, its_output.as_fd());
    }
    if settings.stderr_to_stdout {
        program = program.give(2, its_output.as_fd());
    }
    program.start_told(at_end)
}

/// The file and the words of a command, if a shell would certainly execute just that; otherwise None.
fn without_shell<'a>(command: &'a [u8], settings: &Settings) -> Option<(Vec<u8>, Vec<&'a [u8]>)> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" _/.,+:@%-".contains(byte);
    if settings.directory.is_some() || !command.iter().all(is_plain) {
        // A shell that starts in another directory sets PWD.
        return None;
    }
    let words: Vec<&[u8]> = command
        .split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty())
        .collect();
    let first = *words.first()?;
    if first.starts_with(b"-") || !pwd_is_right() {
        return None;
    }
    if first.contains(&b'/') {
        if !names::is_program(first) {
            return None;
        }
        return Some((first.to_vec(), words));
    }
    let changed = settings
        .environment
        .iter()
        .rev()
        .find_map(|change| match change {
            Change::Put(key, value) if key == b"PATH" => Some(Some(value.clone())),
            Change::Unset(key) if key == b"PATH" => Some(None),
            _ => None,
        });
    let path = changed
        .unwrap_or_else(|| sys::env::get(b"PATH"))
        .unwrap_or_else(|| DEFAULT_PATH.to_vec());
    path.split(|byte| *byte == b':').find_map(|directory| {
        let file = [directory, b"/", first].concat();
        let is_there = directory.starts_with(b"/") && names::is_program(&file);
        is_there.then(|| (file, words.clone()))
    })
}

/// Whether `PWD`, which a shell would correct, names the working directory.
fn pwd_is_right() -> bool {
    match sys::env::get(b"PWD") {
        None => true,
        Some(pwd) => names::is_working_directory(&pwd),
    }
}

impl ProgramDriver {
    fn read(&mut self, port: &mut Access<'_>, hangup: bool) {
        for _ in 0..READS_AT_ONCE {
            let goes_on = with_buffer(|buffer| {
                let Some((input, _)) = &self.input else {
                    return false;
                };
                match sys::fd::read(input.as_fd(), buffer) {
                    Ok(0) => self.end_input(port),
                    Ok(read) => {
                        self.cutter.feed(port, &buffer[..read]);
                        // Less than there was room for: nothing is left, and an event will report what comes later.
                        return hangup || read == buffer.len();
                    }
                    Err(Errno::EAGAIN) => {}
                    Err(error) => port.exit(atom::known(error.name())),
                }
                false
            });
            if !goes_on {
                return;
            }
        }
        if let Some((input, _)) = &self.input {
            port.call_again(Ready {
                fd: input.as_raw_fd(),
                readable: true,
                writable: false,
                hangup,
            });
        }
    }

    fn end_input(&mut self, port: &mut Access<'_>) {
        if let Some((input, token)) = self.input.take() {
            port.unwatch(input.as_fd(), token);
        }
        if port.is_closing() {
            // The rest of the output is written all the same.
            return;
        }
        if self.sends_status {
            match self.status {
                Some(status) => self.send_status(port, status),
                None => {
                    self.waits_for_status = true;
                    return;
                }
            }
        }
        self.send_end(port);
    }

    fn send_status(&mut self, port: &mut Access<'_>, status: i32) {
        self.sends_status = false;
        port.send_to_connected(|heap| {
            let status = layout::Term::small(i64::from(status));
            build::tuple(heap, &[am::EXIT_STATUS, status])
        });
    }

    fn send_end(&mut self, port: &mut Access<'_>) {
        self.cutter.end(port);
        if self.eof {
            port.send_to_connected(|_| am::EOF);
        } else {
            port.exit(am::NORMAL);
        }
    }
}

impl Driver for ProgramDriver {
    fn locking(&self) -> &'static str {
        "port_level"
    }

    fn description(&self) -> &'static str {
        "Port controls external process"
    }

    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command {
        let sent = match &mut self.output {
            Some(output) => output.send(port, data),
            None => Err(Errno::EBADF),
        };
        if let Err(error) = sent {
            port.exit(atom::known(error.name()));
        }
        Command::Done
    }

    fn ready(&mut self, port: &mut Access<'_>, ready: Ready) {
        if ready.writable
            && let Some(output) = &mut self.output
            && output.fd().as_raw_fd() == ready.fd
            && let Err(error) = output.ready(port)
        {
            port.exit(atom::known(error.name()));
            return;
        }
        if ready.readable {
            self.read(port, ready.hangup);
        }
    }

    fn program_ended(&mut self, port: &mut Access<'_>, status: i32) {
        self.status = Some(status);
        if self.waits_for_status && !port.is_closing() {
            self.waits_for_status = false;
            self.send_status(port, status);
            self.send_end(port);
        }
    }

    fn queued_bytes(&self) -> usize {
        self.output
            .as_ref()
            .map_or(0, DescriptorWriter::queued_bytes)
    }

    fn close(&mut self, _port: &mut Access<'_>) -> Close {
        // The program's output is read on: it may have to get rid of that before it reads more.
        Close::WhenEmpty
    }

    fn stop(self: Box<Self>, port: &mut Access<'_>) {
        if let Some((input, token)) = &self.input {
            port.unwatch(input.as_fd(), *token);
        }
        if let Some(output) = self.output {
            output.stop(port);
        }
    }
}
