//! The settings of `open_port/2`, and how its options are read.

use layout::Term;
use sys::env::Change;
use term::heap::Scratch;
use term::integer::uint64;
use term::release::{self, Release};
use term::unicode::filename::{self, Allowed};
use term::{am, atom, build, list};

use runtime::effects::port::busy::Watermarks;
use runtime::effects::port::framing::Framing;
use runtime::process::config;

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

/// Reads the settings of `open_port/2`.
///
/// # Errors
/// `badopt`, or `badarg` for an invalid directory.
pub fn read(options: Term) -> Result<Settings, OpenError> {
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

/// The native bytes of a name, argument or directory. Bits after the last whole byte of a binary are ignored up to
/// OTP 26.
pub fn native(term: Term, empty: bool) -> Option<Vec<u8>> {
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
