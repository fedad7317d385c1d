//! `open_port/2`: names and settings.

use std::collections::HashMap;
use std::sync::Arc;

use layout::Term;
use parking_lot::Mutex;
use term::{am, atom};

use super::ram_file::RamFile;
use super::{Port, State, driver::Driver, fd, table};
use crate::process::Process;
use crate::process::relations::Link;

/// What a port is on.
pub enum Name {
    /// `{fd, In, Out}`
    Fd { input: i32, output: i32 },
    /// `{spawn_driver, Command}`, or `{spawn, Command}` with a driver's name in front.
    Driver(String),
    /// `{spawn, Command}`
    Spawn(String),
    /// `{spawn_executable, File}`
    Executable(Vec<u8>),
}

/// How data is cut into messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Framing {
    #[default]
    Stream,
    /// `{packet, N}`: a big-endian length of N bytes in front.
    Packet(u8),
    /// `{line, MaxBytes}`
    Line(usize),
}

/// The settings of `open_port/2` that concern any driver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    pub framing: Framing,
    pub binary: bool,
    pub eof: bool,
    pub exit_status: bool,
    pub input: bool,
    pub output: bool,
    pub stderr_to_stdout: bool,
    pub parallelism: bool,
}

/// Why a port cannot be opened: the error's reason.
pub type OpenError = Term;

fn text(term: Term) -> Option<String> {
    if term.is_atom() {
        return Some(atom::text(term).to_owned());
    }
    let mut text = String::new();
    let mut rest = term;
    while let Some((head, tail)) = rest.as_cons() {
        text.push(char::from_u32(u32::try_from(head.as_small()?).ok()?)?);
        rest = tail;
    }
    rest.is_nil().then_some(text)
}

/// Reads the name of `open_port/2`.
#[must_use]
pub fn name(term: Term) -> Option<Name> {
    let number = |term: Term| {
        term.as_small()
            .and_then(|value| i32::try_from(value).ok())
            .filter(|value| *value >= 0)
    };
    match term.as_tuple()? {
        &[am::FD, input, output] => Some(Name::Fd {
            input: number(input)?,
            output: number(output)?,
        }),
        &[kind, command] => match atom::text(kind.is_atom().then_some(kind)?) {
            "spawn_driver" => text(command).map(Name::Driver),
            "spawn" => text(command).map(Name::Spawn),
            "spawn_executable" => match command.as_bits() {
                Some(bits) => bits
                    .as_bytes()
                    .map(|bytes| Name::Executable(bytes.to_vec())),
                None => text(command).map(|text| Name::Executable(text.into_bytes())),
            },
            _ => None,
        },
        _ => None,
    }
}

/// Reads the settings of `open_port/2`; None for an unknown one.
#[must_use]
pub fn settings(list: Term) -> Option<Settings> {
    let mut settings = Settings::default();
    let mut rest = list;
    while let Some((option, tail)) = rest.as_cons() {
        rest = tail;
        if option.is_atom() {
            match atom::text(option) {
                "stream" => settings.framing = Framing::Stream,
                "binary" => settings.binary = true,
                "eof" => settings.eof = true,
                "exit_status" => settings.exit_status = true,
                "in" => settings.input = true,
                "out" => settings.output = true,
                "stderr_to_stdout" => settings.stderr_to_stdout = true,
                "use_stdio" | "nouse_stdio" | "hide" | "overlapped_io" => {}
                _ => return None,
            }
            continue;
        }
        match option.as_tuple()? {
            &[am::PACKET, size] => {
                let size = size.as_small().filter(|size| matches!(size, 1 | 2 | 4))?;
                settings.framing = Framing::Packet(size as u8);
            }
            &[am::LINE, most] => {
                settings.framing = Framing::Line(usize::try_from(most.as_small()?).ok()?);
            }
            &[am::PARALLELISM, value] => settings.parallelism = value == am::TRUE,
            &[name, _] if name.is_atom() => match atom::text(name) {
                "cd" | "env" | "args" | "arg0" | "busy_limits_port" | "busy_limits_msgq" => {}
                _ => return None,
            },
            _ => return None,
        }
    }
    if !rest.is_nil() {
        return None;
    }
    if !settings.input && !settings.output {
        settings.input = true;
        settings.output = true;
    }
    Some(settings)
}

/// Opens a port for a process, which is linked to it.
///
/// # Errors
/// The reason: `badarg`, `system_limit`, or the system's name of what went wrong.
pub fn open(process: &mut Process, name: Name, settings: Settings) -> Result<Term, OpenError> {
    match name {
        Name::Fd { input, output } => {
            let text = format!("{input}/{output}");
            let port = make(process, text).ok_or(am::SYSTEM_LIMIT)?;
            fd::start(&port, input, output, settings).map_err(|error| atom::known(error.name()))?;
            Ok(publish(process, &port))
        }
        Name::Driver(command) | Name::Spawn(command) if first_word(&command) == "ram_file_drv" => {
            let port = make(process, command).ok_or(am::SYSTEM_LIMIT)?;
            port.state.lock().binary = settings.binary;
            attach(&port, Box::new(RamFile::default()));
            Ok(publish(process, &port))
        }
        // No other driver is there yet: stock's answer for one that is not there, which OTP's
        // libraries take for "no such protocol" and do without.
        Name::Driver(_) => Err(am::BADARG),
        Name::Spawn(_) | Name::Executable(_) => Err(am::ENOENT),
    }
}

fn first_word(command: &str) -> &str {
    command.split(' ').next().unwrap_or_default()
}

fn make(process: &Process, name: String) -> Option<Arc<Port>> {
    let id = table::reserve()?;
    let state = State {
        driver: None,
        connected: process.pid(),
        links: vec![process.pid()],
        monitors: HashMap::new(),
        binary: false,
        name,
        input_bytes: 0,
        output_bytes: 0,
        data: None,
        waiting: Vec::new(),
        os_pid: None,
    };
    Some(Arc::new(Port {
        id,
        state: Mutex::new(state),
    }))
}

fn publish(process: &mut Process, port: &Arc<Port>) -> Term {
    table::insert(Arc::clone(port));
    process
        .cold()
        .relations
        .links
        .insert(port.id.bits(), Link::to(port.id));
    port.id
}

/// Puts a driver behind a port that is being opened.
pub fn attach(port: &Arc<Port>, driver: Box<dyn Driver>) {
    port.state.lock().driver = Some(driver);
}
