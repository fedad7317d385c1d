//! The `ferl` command: finds OTP, interprets the command line as `erl` does, and starts the VM.

#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use cli::environment::Environment;
use cli::launch::{self, Launch, Print, Request, VM_NAME};
use cli::otp::{self, Otp};
use cli::refusal::{self, Refusal};
use cli::settings::{self, Outcome, Usable};
use cli::words::{self, Word};
use runtime::Config;
use sys::terminal::watcher;

/// Message fragments are allocated on one thread and freed on another; this allocator is made for that.
#[global_allocator]
static ALLOCATOR: sys::allocator::Allocator = sys::allocator::Allocator;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        // The lab is started before anything else is checked: it reports by itself what is missing.
        Some(word) if word == "lab" => return lab::main(words),
        Some(word) if word == watcher::ARGUMENT && words.len() == 0 => {
            watcher::run();
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    start().unwrap_or_else(|refusal| {
        write_error(&refusal.to_string());
        ExitCode::FAILURE
    })
}

/// Does everything up to the start of the VM, in stock's order: what earlier flags print or start takes effect
/// even if a later flag is wrong.
fn start() -> Result<ExitCode, Refusal> {
    let mut environment = Environment::inherited();
    let mut arguments = std::env::args_os();
    let called = PathBuf::from(arguments.next().unwrap_or_default());
    let directory = std::env::current_dir().unwrap_or_default();
    let name = launch::program_name(&called, &directory, &environment);
    environment.set(b"PROGNAME", &name);
    let typed: Vec<Word> = arguments.map(OsStringExt::into_vec).collect();
    let (typed, search) = otp::take_search(typed);
    if search == otp::Search::List {
        write_out(otp::report(&environment).as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    let otp = Otp::find_any(&environment, search == otp::Search::Try)
        .map_err(|error| Refusal::plain(format!("ferl: {error}")))?;
    let words = words::merge(&typed, &environment, otp.release)?;
    let launch = match launch::split(&words, &otp, &environment)? {
        Request::Start(launch) => launch,
        Request::PrintName => {
            write_out(format!("{VM_NAME}\n").as_bytes());
            return Ok(ExitCode::SUCCESS);
        }
        Request::Manual {
            arguments,
            environment,
        } => return Err(show_manual(&arguments, &environment)),
    };
    if let Some(command) = &launch.port_mapper {
        start_port_mapper(command, &launch.environment)?;
    }
    if let Some(form) = launch.printed {
        print_command(&launch, form);
        return Ok(ExitCode::SUCCESS);
    }
    if launch.announced {
        announce(&launch);
    }
    if launch.detached && detach()? == sys::detach::Side::Foreground {
        return Ok(ExitCode::SUCCESS);
    }
    Ok(obey(
        settings::read(&launch, &otp, usable()),
        &otp,
        &launch.environment,
    ))
}

/// Carries out the flags of the VM.
fn obey(reading: settings::Reading, otp: &Otp, environment: &Environment) -> ExitCode {
    for note in &reading.notes {
        write_error(&format!("{note}\n"));
    }
    match reading.outcome {
        Ok(Outcome::Run(config)) => run(*config, environment),
        Ok(Outcome::PrintVersion) => {
            write_error(&format!(
                "Erlang (SMP,ASYNC_THREADS) (FERL {}) emulator version {}\n",
                env!("CARGO_PKG_VERSION"),
                otp.erts_version
            ));
            ExitCode::SUCCESS
        }
        Ok(Outcome::PrintHelp) => {
            write_out(refusal::emulator_usage().as_bytes());
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            write_error(&refusal.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Runs the VM until it halts; `environment` is that of the node and of the programs it starts.
fn run(config: Config, environment: &Environment) -> ExitCode {
    for (name, value) in environment.iter() {
        // Ignore variables whose name the system rejects: programs could not inherit them either.
        let _ = sys::env::put(name, value);
    }
    node::start(config)
}

/// The processors that this process may use.
fn usable() -> Usable {
    let found = sys::cpu::Processors::detect();
    let count = |processors: usize| u32::try_from(processors).unwrap_or(u32::MAX);
    Usable {
        now: count(found.allowed()),
        most: count(found.allowed_later()),
    }
}

fn detach() -> Result<sys::detach::Side, Refusal> {
    sys::detach::detach()
        .map_err(|error| Refusal::plain(format!("ferl: cannot leave the terminal: {error}")))
}

/// Executes `man` in place of this program; returns only if that fails.
fn show_manual(arguments: &[Word], environment: &Environment) -> Refusal {
    let mut command = Command::new("man");
    command.args(arguments.iter().map(|word| OsStr::from_bytes(word)));
    set_environment(&mut command, environment);
    let error = command.exec();
    Refusal::plain(format!(
        "ferl: Could not execute the 'man' command: {error}"
    ))
}

/// Runs the command that starts the port mapper, which moves to the background by itself.
fn start_port_mapper(command: &Word, environment: &Environment) -> Result<(), Refusal> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(OsStr::from_bytes(command));
    set_environment(&mut shell, environment);
    // The status is ignored: the command also fails if a port mapper is already running.
    match shell.status() {
        Ok(_) => Ok(()),
        Err(error) => Err(Refusal::plain(format!(
            "Error spawning {} ({error})",
            String::from_utf8_lossy(command)
        ))),
    }
}

fn set_environment(command: &mut Command, environment: &Environment) {
    command.env_clear();
    command.envs(
        environment
            .iter()
            .map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value))),
    );
}

fn print_command(launch: &Launch, form: Print) {
    let mut text = Vec::new();
    match form {
        Print::Arguments => {
            for word in launch.arguments() {
                text.extend_from_slice(word);
                text.push(b'\n');
            }
        }
        Print::QuotedCommand => {
            for word in [VM_NAME.as_bytes()].into_iter().chain(launch.arguments()) {
                text.push(b'"');
                text.extend_from_slice(word);
                text.extend_from_slice(b"\" ");
            }
            text.push(b'\n');
        }
    }
    write_out(&text);
}

fn announce(launch: &Launch) {
    let mut text = format!("Executing: {VM_NAME}").into_bytes();
    for word in launch.arguments() {
        text.push(b' ');
        text.extend_from_slice(word);
    }
    text.extend_from_slice(b"\n\n");
    write_out(&text);
}

/// Prints text; ignores the error if the reader has closed the pipe.
fn write_out(text: &[u8]) {
    let _ = io::stdout().write_all(text);
}

fn write_error(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
