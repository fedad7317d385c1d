//! The `ferl` command: finds OTP, interprets the command line as `erl` does, and starts the VM.

#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use cli::commands;
use cli::dashboard;
use cli::environment::Environment;
use cli::erts;
use cli::image;
use cli::launch::{self, Launch, PortMapper, Print, Request, VM_NAME};
use cli::manual;
use cli::otp::{self, Caller, Otp};
use cli::packed;
use cli::refusal::Refusal;
use cli::settings::{self, Outcome, Usable};
use cli::top;
use cli::words::Word;
use programs::Program;
use runtime::Config;
use sys::file::packed as file_in_program;
use sys::terminal::watcher;

/// Message fragments are allocated on one thread and freed on another; this allocator is made for that.
#[global_allocator]
static ALLOCATOR: sys::allocator::Allocator = sys::allocator::Allocator::WITH_HANDLER;

fn main() -> ExitCode {
    let called = PathBuf::from(std::env::args_os().next().unwrap_or_default());
    let caller = Caller::own(&called);
    let mut words = std::env::args_os().skip(1);
    let first = words.next().unwrap_or_default();
    if first == watcher::ARGUMENT && words.len() == 0 {
        watcher::run();
        return ExitCode::SUCCESS;
    }
    if let Some(program) = called
        .file_name()
        .and_then(|name| Program::named(name.as_bytes()))
    {
        return ExitCode::from(program.run(&typed()));
    }
    start_packed(&caller, &called)
        .transpose()
        // Where a start script called it in place of stock's VM, all words are those of `erl`.
        .or_else(|| {
            (!caller.by_script)
                .then(|| obey_command(&first, words))
                .flatten()
                .map(Ok)
        })
        .unwrap_or_else(|| start(&caller, &called))
        .unwrap_or_else(|refusal| {
            write_error(&refusal.to_string());
            ExitCode::FAILURE
        })
}

/// Carries out a command that is ferl's own; `None` if the first word is none.
fn obey_command(first: &OsStr, words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if let Some(answer) = commands::answer(first.as_bytes()) {
        write_out(answer.as_bytes());
        return Some(ExitCode::SUCCESS);
    }
    match first.as_bytes() {
        // The lab is started before anything else is checked: it reports by itself what is missing.
        b"lab" => Some(lab::main(words)),
        b"dashboard" => Some(dashboard::main(words)),
        b"erts" => Some(erts::main(words)),
        b"pack" => Some(packed::main(words)),
        b"image" => Some(image::main(words)),
        b"manual" => Some(manual::main(words)),
        b"top" => Some(top::main(words)),
        _ => None,
    }
}

/// The words behind the program's name.
fn typed() -> Vec<Word> {
    std::env::args_os()
        .skip(1)
        .map(OsStringExt::into_vec)
        .collect()
}

/// The environment of a node, with the name of this program for nodes that start others.
fn environment(caller: &Caller, called: &Path) -> Environment {
    let mut environment = Environment::inherited();
    if !caller.by_script || environment.get_non_empty("PROGNAME").is_none() {
        let directory = std::env::current_dir().unwrap_or_default();
        let name = launch::program_name(called, &directory, &environment);
        environment.set(b"PROGNAME", &name);
    }
    environment
}

/// Starts what this program carries, if it carries something.
fn start_packed(caller: &Caller, called: &Path) -> Result<Option<ExitCode>, Refusal> {
    match packed::start(caller, called, &typed(), environment(caller, called))? {
        None => Ok(None),
        Some(packed::Start::Answer(text, status)) => {
            write_out(text.as_bytes());
            Ok(Some(ExitCode::from(status)))
        }
        Some(packed::Start::Node(otp, typed, environment)) => {
            start_node(&otp, &typed, &environment).map(Some)
        }
    }
}

/// Finds the OTP to boot, and starts a node.
fn start(caller: &Caller, called: &Path) -> Result<ExitCode, Refusal> {
    let environment = environment(caller, called);
    let (typed, search) = otp::take_search(typed());
    if search == otp::Search::List {
        write_out(otp::report(&environment, caller).as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    let otp = match Otp::find_any(&environment, caller, search == otp::Search::Try) {
        Ok(otp) => otp,
        Err(error) => {
            let Some(answer) = commands::answer_without_otp(&typed) else {
                return Err(Refusal::plain(format!("ferl: {error}")));
            };
            write_out(answer.as_bytes());
            return Ok(ExitCode::SUCCESS);
        }
    };
    start_node(&otp, &typed, &environment)
}

/// Does everything up to the start of the VM, in stock's order: what earlier flags print or start takes effect
/// even if a later flag is wrong.
fn start_node(otp: &Otp, typed: &[Word], environment: &Environment) -> Result<ExitCode, Refusal> {
    let launch = match launch::request(typed, otp, environment)? {
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
    if let Some(port_mapper) = &launch.port_mapper {
        start_port_mapper(port_mapper, &launch.environment)?;
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
        settings::read(&launch, otp, usable()),
        otp,
        &launch.environment,
    ))
}

/// Carries out the flags of the VM.
fn obey(reading: settings::Reading, otp: &Otp, environment: &Environment) -> ExitCode {
    for note in &reading.notes {
        write_error(&format!("{note}\n"));
    }
    match reading.outcome {
        Ok(Outcome::Run(config)) => run(*config, otp, environment),
        Ok(Outcome::PrintVersion) => {
            write_error(&format!(
                "Erlang (SMP,ASYNC_THREADS) (FERL {}) emulator version {}\n",
                env!("CARGO_PKG_VERSION"),
                otp.erts_version
            ));
            ExitCode::SUCCESS
        }
        Ok(Outcome::PrintHelp) => {
            write_out(commands::usage().as_bytes());
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            write_error(&refusal.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Runs the VM until it halts; `environment` is that of the node and of the programs it starts.
fn run(config: Config, otp: &Otp, environment: &Environment) -> ExitCode {
    sys::env::begin_with(environment.iter());
    let start_modules = match otp.start_modules.read() {
        Ok(modules) => modules,
        Err(error) => {
            write_error(&format!("ferl: the modules to start with: {error}\n"));
            return ExitCode::FAILURE;
        }
    };
    node::start(config, start_modules)
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
    environment.give(&mut command);
    let error = command.exec();
    Refusal::plain(format!(
        "ferl: Could not execute the 'man' command: {error}"
    ))
}

/// Starts the port mapper, which moves to the background by itself. Whether it does is not asked: another one may be
/// running, and a node that reaches none says so.
fn start_port_mapper(port_mapper: &PortMapper, environment: &Environment) -> Result<(), Refusal> {
    match port_mapper {
        PortMapper::Own(program) => {
            let name = program.as_os_str().as_bytes();
            let in_memory = match file_in_program::name_for_system(name) {
                Some(Ok(name)) => name.into_bytes(),
                _ => name.to_vec(),
            };
            let mut command = Command::new(OsStr::from_bytes(&in_memory));
            command.arg0(program).arg("-daemon");
            environment.give(&mut command);
            if let Err(error) = command.status() {
                write_error(&format!(
                    "ferl: cannot start {}: {error}\n",
                    program.display()
                ));
            }
            Ok(())
        }
        PortMapper::Command(text) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(OsStr::from_bytes(text));
            environment.give(&mut shell);
            let ran = shell.status().map_err(|error| {
                Refusal::plain(format!(
                    "Error spawning {} ({error})",
                    String::from_utf8_lossy(text)
                ))
            });
            ran.map(|_| ())
        }
    }
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
