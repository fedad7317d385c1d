//! `open_port/2`: names, settings, and the drivers that can be opened.

use std::sync::Arc;

use layout::{Term, no_gc};
use parking_lot::RwLock;
use sys::env::Change;
use term::heap::Scratch;
use term::integer::uint64;
use term::release::{self, Release};
use term::unicode::filename::{self, Allowed};
use term::{am, atom, build, list};

use super::{fd, inet, program, ram_file, tty};
use runtime::effects::port::busy::Watermarks;
use runtime::effects::port::driver::{Access, Driver};
use runtime::effects::port::framing::Framing;
use runtime::effects::port::{Core, Port, PortOptions};
use runtime::process::{Process, config};

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

/// The settings of `open_port/2`.
pub struct Settings {
    pub framing: Framing,
    pub binary: bool,
    pub eof: bool,
    pub exit_status: bool,
    pub input: bool,
    pub output: bool,
    pub use_stdio: bool,
    pub stderr_to_stdout: bool,
    pub parallelism: bool,
    pub port_watermarks: Option<Watermarks>,
    pub queue_watermarks: Option<Watermarks>,
    pub directory: Option<Vec<u8>>,
    pub environment: Vec<Change>,
    /// From `args` or `arg0`; does not include `arg0`.
    pub arguments: Option<Vec<Vec<u8>>>,
    pub argument_0: Option<Vec<u8>>,
}

/// Why a port cannot be opened: the error's reason.
pub type OpenError = Term;

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

/// The native bytes of a name, argument or directory. Bits after the last whole byte of a binary are ignored up to OTP 26.
fn native(term: Term, empty: bool) -> Option<Vec<u8>> {
    let has_odd_bits = term.as_bits().is_some_and(|bits| bits.bit_len() % 8 != 0);
    if has_odd_bits && release::has(Release::OTP_27) {
        return None;
    }
    let allowed = Allowed {
        atoms: true,
        empty,
        zeros_in_binaries: true,
    };
    let mut scratch = Scratch::new();
    let whole = match term.as_bits() {
        Some(bits) => build::sub_bits(scratch.heap(), term, 0, bits.bit_len() & !7),
        None => term,
    };
    let mut bytes = filename::to_native(whole, filename::native_encoding(), allowed)?;
    if let Some(zero) = memchr::memchr(0, &bytes) {
        // The system would also end the string here.
        bytes.truncate(zero);
    }
    Some(bytes)
}

/// Reads the settings of `open_port/2`.
///
/// # Errors
/// `badopt`, or `badarg` for an invalid directory.
pub fn settings(options: Term) -> Result<Settings, OpenError> {
    let mut settings = Settings {
        framing: Framing::Stream,
        binary: false,
        eof: false,
        exit_status: false,
        input: false,
        output: false,
        use_stdio: true,
        stderr_to_stdout: false,
        parallelism: config::get().flags.port_parallelism,
        port_watermarks: Some(Watermarks::DEFAULT),
        queue_watermarks: Some(Watermarks::DEFAULT),
        directory: None,
        environment: Vec::new(),
        arguments: None,
        argument_0: None,
    };
    // The last option of each kind counts; `packet` and `line` exclude each other.
    let (mut packet, mut line, mut directory) = (None, None, Term::NIL);
    for option in list::items(options) {
        let option = option.map_err(|_| am::BADOPT)?;
        let known = match option.as_tuple_of() {
            None if option.is_atom() => {
                switch(&mut settings, &mut packet, &mut line, atom::text(option))
            }
            Some([am::PACKET, size]) => {
                packet = size.as_small().filter(|size| matches!(size, 1 | 2 | 4));
                packet.is_some().then_some(())
            }
            Some([am::LINE, max]) => {
                let max = max.as_small().and_then(|max| usize::try_from(max).ok());
                line = max.filter(|max| *max > 0);
                line.is_some().then_some(())
            }
            Some([am::CD, value]) => {
                directory = value;
                Some(())
            }
            Some([name, value]) => valued(&mut settings, name, value),
            _ => None,
        };
        known.ok_or(am::BADOPT)?;
    }
    let exclude_each_other =
        packet.is_some() && line.is_some() || settings.stderr_to_stdout && !settings.use_stdio;
    if exclude_each_other {
        return Err(am::BADOPT);
    }
    if let Some(size) = packet {
        settings.framing = Framing::Packet(size as u8);
    } else if let Some(max) = line {
        settings.framing = Framing::Line(max);
    }
    if !directory.is_nil() {
        settings.directory = Some(native(directory, false).ok_or(am::BADARG)?);
    }
    if !settings.input && !settings.output {
        settings.input = true;
        settings.output = true;
    }
    Ok(settings)
}

/// An option that is an atom.
fn switch(
    settings: &mut Settings,
    packet: &mut Option<i64>,
    line: &mut Option<usize>,
    option: &str,
) -> Option<()> {
    match option {
        "stream" => *packet = None,
        "line" => *line = Some(512),
        "binary" => settings.binary = true,
        "eof" => settings.eof = true,
        "exit_status" => settings.exit_status = true,
        "in" => settings.input = true,
        "out" => settings.output = true,
        "use_stdio" => settings.use_stdio = true,
        "nouse_stdio" => settings.use_stdio = false,
        "stderr_to_stdout" => settings.stderr_to_stdout = true,
        // For other systems.
        "hide" | "overlapped_io" => {}
        _ => return None,
    }
    Some(())
}

/// An option with a value.
fn valued(settings: &mut Settings, name: Term, value: Term) -> Option<()> {
    if !name.is_atom() {
        return None;
    }
    match atom::text(name) {
        "parallelism" => match value {
            am::TRUE => settings.parallelism = true,
            am::FALSE => settings.parallelism = false,
            _ => return None,
        },
        "busy_limits_port" => settings.port_watermarks = watermarks(value)?,
        "busy_limits_msgq" => settings.queue_watermarks = watermarks(value)?,
        "env" => settings.environment = environment(value)?,
        "args" => {
            let arguments = list::items(value).map(|argument| native(argument.ok()?, true));
            settings.arguments = Some(arguments.collect::<Option<_>>()?);
        }
        "arg0" => settings.argument_0 = Some(native(value, true)?),
        _ => return None,
    }
    Some(())
}

/// `{Low, High}` or `disabled`.
fn watermarks(value: Term) -> Option<Option<Watermarks>> {
    if value == am::DISABLED {
        return Some(None);
    }
    let [low, high] = value.as_tuple_of()?;
    let number = |term: Term| {
        let number = uint64(term).and_then(|value| usize::try_from(value).ok());
        // As on stock, the largest number is not one of them.
        number.filter(|number| (1..usize::MAX).contains(number))
    };
    let (low, high) = (number(low)?, number(high)?);
    let low = low.min(high);
    Some(Some(Watermarks { low, high }))
}

/// `[{Name, Value | false}]`
fn environment(value: Term) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    for pair in list::items(value) {
        let [name, value] = pair.ok()?.as_tuple_of()?;
        let text = |term: Term| {
            let is_list = term.is_cons() || term.is_nil();
            native(is_list.then_some(term)?, true)
        };
        let name = text(name).filter(|name| !name.contains(&b'='))?;
        changes.push(if value == am::FALSE || value.is_nil() {
            Change::Unset(name)
        } else {
            Change::Put(name, text(value)?)
        });
    }
    Some(changes)
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
