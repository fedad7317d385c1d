//! `open_port/2`: names, and the drivers that can be opened.

use std::sync::Arc;

use layout::{Term, no_gc};
use parking_lot::RwLock;
use term::release::{self, Release};
use term::{am, atom, list};

use super::settings::{OpenError, Settings, native};
use super::{fd, inet, program, ram_file, tty};
use runtime::effects::port::driver::{Access, Driver};
use runtime::effects::port::{Core, Port, PortOptions};
use runtime::process::Process;

/// What a port is opened for.
pub enum Name {
    /// `{fd, In, Out}`
    Fd { input: i32, output: i32 },
    /// An atom or a string: a file to open.
    File(Vec<u8>),
    /// `{spawn_driver, Command}`
    Driver(Vec<u8>),
    /// `{spawn, Command}`: a driver, or else a program.
    Spawn(Vec<u8>),
    /// `{spawn_executable, File}`
    Executable(Vec<u8>),
}

/// The function that starts a driver; it gets the command, whose first word is the driver's name.
pub type Start = fn(&mut Access<'_>, &[u8], &Settings) -> Result<Box<dyn Driver>, OpenError>;

/// Ferl's own drivers that are opened by name, in the order in which `erl_ddll` lists them.
static DRIVERS: &[(&str, Start)] = &[
    ("tcp_inet", inet::start_tcp),
    ("udp_inet", inet::start_udp),
    ("sctp_inet", inet::start_sctp),
    ("ram_file_drv", ram_file::start),
    ("tty_sl", tty::start),
];

/// Those of ferl's own drivers that the node's release has.
pub fn drivers() -> impl Iterator<Item = &'static (&'static str, Start)> {
    // From OTP 26 on the terminal is a module of native functions, `prim_tty`.
    let has_tty = !release::has(Release::OTP_26);
    DRIVERS
        .iter()
        .filter(move |(name, _)| has_tty || *name != "tty_sl")
}

/// A driver that is not ferl's own.
pub trait Starter: Send + Sync {
    /// Starts the driver of a port; the command's first word is the driver's name.
    ///
    /// # Errors
    /// The reason of `open_port/2`.
    fn start(
        self: Arc<Self>,
        access: &mut Access<'_>,
        command: &[u8],
        settings: &Settings,
    ) -> Result<Box<dyn Driver>, OpenError>;
}

/// The drivers that were added while the node runs.
static ADDED: RwLock<Vec<(Vec<u8>, Arc<dyn Starter>)>> = RwLock::new(Vec::new());

/// Adds a driver to those that can be opened. No other has its name.
pub fn add(name: &[u8], starter: Arc<dyn Starter>) {
    ADDED.write().push((name.to_vec(), starter));
}

/// Removes a driver that was added. Its ports stay.
pub fn remove(name: &[u8]) {
    ADDED.write().retain(|(added, _)| added != name);
}

/// Reads the name of `open_port/2`.
#[must_use]
pub fn name(term: Term) -> Option<Name> {
    // A number that is not a descriptor is refused later, when it is opened.
    let number = |term: Term| {
        let value = term.as_small()?;
        Some(i32::try_from(value).unwrap_or(-1))
    };
    // A bare name opens the file of that name up to OTP 26.
    if (term.is_atom() || term.is_cons()) && release::has(Release::OTP_27) {
        return None;
    }
    if term.is_atom() {
        return Some(Name::File(atom::text(term).into()));
    }
    if term.is_cons() {
        return list::bytes(term).map(Name::File);
    }
    match term.as_tuple(no_gc!())? {
        &[am::FD, input, output] => Some(Name::Fd {
            input: number(input)?,
            output: number(output)?,
        }),
        &[am::SPAWN, command] => native(command, false).map(Name::Spawn),
        &[am::SPAWN_DRIVER, command] => native(command, false).map(Name::Driver),
        &[am::SPAWN_EXECUTABLE, file] => native(file, false).map(Name::Executable),
        _ => None,
    }
}

/// Whether options this starts a program.
#[must_use]
pub fn starts_program(name: &Name) -> bool {
    match name {
        Name::Fd { .. } | Name::File(_) | Name::Driver(_) => false,
        Name::Spawn(command) => driver_of(command).is_none(),
        Name::Executable(_) => true,
    }
}

/// Opens a port for a process, which is linked to it.
///
/// # Errors
/// The reason: `badarg`, `system_limit`, or the name of the system's error.
pub fn open(process: &mut Process, name: Name, settings: Settings) -> Result<Term, OpenError> {
    let text: Vec<u8> = match &name {
        Name::Fd { input, output } => format!("{input}/{output}").into_bytes(),
        Name::File(text) | Name::Driver(text) | Name::Spawn(text) | Name::Executable(text) => {
            text.clone()
        }
    };
    let is_program = starts_program(&name);
    let has_arguments = settings.arguments.is_some() || settings.argument_0.is_some();
    if has_arguments && !matches!(name, Name::Executable(_))
        || settings.exit_status && matches!(name, Name::Fd { .. } | Name::File(_))
        || matches!(&name, Name::Driver(command) if driver_of(command).is_none())
    {
        // This is also stock's error for a driver that does not exist.
        return Err(am::BADARG);
    }
    let mut core = Core::new(process.pid(), text.into());
    core.binary = settings.binary;
    let start = |access: &mut Access<'_>| match &name {
        Name::Fd { input, output } => fd::start(access, *input, *output, &settings),
        Name::File(file) => fd::start_file(access, file, &settings),
        Name::Spawn(command) if is_program => {
            program::start(access, program::What::Command(command), &settings)
        }
        Name::Executable(file) => program::start(access, program::What::File(file), &settings),
        Name::Driver(command) | Name::Spawn(command) => match driver_of(command) {
            Some(Found::Own(start)) => start(access, command, &settings),
            Some(Found::Added(starter)) => starter.start(access, command, &settings),
            None => Err(am::BADARG),
        },
    };
    let options = PortOptions {
        core,
        parallelism: settings.parallelism,
        queue_watermarks: settings.queue_watermarks,
    };
    Port::open(process, options, start)
}

enum Found {
    Own(Start),
    Added(Arc<dyn Starter>),
}

fn driver_of(command: &[u8]) -> Option<Found> {
    let word = command.split(|byte| *byte == b' ').next()?;
    let row = drivers().find(|(name, _)| name.as_bytes() == word);
    row.map(|(_, start)| Found::Own(*start)).or_else(|| {
        let added = ADDED.read();
        let row = added.iter().find(|(name, _)| name == word);
        row.map(|(_, starter)| Found::Added(Arc::clone(starter)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::build;
    use term::heap::Scratch;

    #[test]
    fn names_are_read() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let text = build::string(heap, "a b");
        let spawn = build::tuple(heap, &[am::SPAWN, text]);
        assert!(matches!(name(spawn), Some(Name::Spawn(text)) if text == b"a b"));
        let fd = build::tuple(heap, &[am::FD, Term::small(0), Term::small(1)]);
        assert!(matches!(
            name(fd),
            Some(Name::Fd {
                input: 0,
                output: 1
            })
        ));
        let bad = build::tuple(heap, &[am::FD, am::OK, Term::small(1)]);
        assert!(name(bad).is_none());
        assert!(driver_of(b"ram_file_drv x").is_some());
        assert!(driver_of(b"ram_file_drvx").is_none());
    }
}
