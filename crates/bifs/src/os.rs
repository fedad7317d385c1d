//! `os`: the environment, the process id and signals; and small BIFs of other modules that return settings.

use layout::Term;
use sys::signal::{Disposition, Signal};
use term::release::{self, Release};
use term::{am, atom, build, list, unicode};

use runtime::code::bif::{BifResult, badarg, badarg_because};
use runtime::process::{Process, config};

/// The native bytes of a name or value given as a list of characters.
fn native(text: Term) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for item in list::items(text) {
        let character = unicode::character(item.ok()?)?;
        if config::get().file_names_utf8 {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            bytes.push(u8::try_from(u32::from(character)).ok()?);
        }
    }
    Some(bytes)
}

/// The characters of native bytes; if they are not valid in the encoding, each byte becomes one character.
fn characters(process: &mut Process, bytes: &[u8]) -> Term {
    match std::str::from_utf8(bytes) {
        Ok(text) if config::get().file_names_utf8 => build::string(process.heap(), text),
        _ => build::byte_list(process.heap(), bytes),
    }
}

/// `os:env()`
pub(crate) fn env_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let mut pairs = Vec::new();
    for (name, value) in sys::env::list() {
        let (name, value) = (characters(process, &name), characters(process, &value));
        pairs.push(build::tuple(process.heap(), &[name, value]));
    }
    Ok(build::list(process.heap(), &pairs))
}

/// `os:getenv(Name)`
pub(crate) fn getenv_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let name = native(name)
        .filter(|name| !name.contains(&0) && !name.contains(&b'='))
        .ok_or(badarg(1))?;
    Ok(sys::env::get(&name).map_or(am::FALSE, |value| characters(process, &value)))
}

/// `os:putenv(Name, Value)`
pub(crate) fn putenv_2(_process: &mut Process, [name, value]: [Term; 2]) -> BifResult {
    let name = native(name).ok_or(badarg(1))?;
    let value = native(value).ok_or(badarg(2))?;
    sys::env::put(&name, &value).map_err(|_| badarg(1))?;
    Ok(am::TRUE)
}

/// `os:unsetenv(Name)`
pub(crate) fn unsetenv_1(_process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let name = native(name).ok_or(badarg(1))?;
    sys::env::unset(&name).map_err(|_| badarg(1))?;
    Ok(am::TRUE)
}

/// `os:getpid()`
pub(crate) fn getpid_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let text = sys::host::process_id().to_string();
    Ok(build::string(process.heap(), &text))
}

/// The signals that `os:set_signal/2` accepts.
const SETTABLE: [Signal; 10] = [
    Signal::Hangup,
    Signal::Quit,
    Signal::Abort,
    Signal::Alarm,
    Signal::Terminate,
    Signal::User1,
    Signal::User2,
    Signal::Child,
    Signal::Stop,
    Signal::TerminalStop,
];

/// Those that it accepts since OTP 28.
const SETTABLE_LATER: [Signal; 2] = [Signal::Continue, Signal::WindowChange];

/// `os:set_signal(Signal, default | handle | ignore)`
pub(crate) fn set_signal_2(_process: &mut Process, [signal, option]: [Term; 2]) -> BifResult {
    let disposition = match option {
        am::DEFAULT => Disposition::Default,
        am::HANDLE => Disposition::Handle,
        am::IGNORE => Disposition::Ignore,
        _ => return Err(badarg_because(am::BADOPT)),
    };
    if !signal.is_atom() {
        return Err(badarg(1));
    }
    let signal = SETTABLE
        .into_iter()
        .chain(
            SETTABLE_LATER
                .into_iter()
                .filter(|_| release::has(Release::OTP_28)),
        )
        .find(|known| known.name() == atom::text(signal))
        .ok_or(badarg(1))?;
    if signal == Signal::Continue {
        // The VM handles it in any case, for the terminal's sake.
        drivers::tty::forward_continue(disposition == Disposition::Handle);
        return Ok(am::OK);
    }
    // The disposition of this signal cannot be changed; like stock, this returns `ok` all the same.
    if signal != Signal::Stop {
        sys::signal::set(signal, disposition).map_err(|_| badarg(1))?;
    }
    Ok(am::OK)
}

/// `file:native_name_encoding()`
pub(crate) fn native_name_encoding_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(if config::get().file_names_utf8 {
        am::UTF8
    } else {
        am::LATIN1
    })
}

/// `io:printable_range()`
pub(crate) fn printable_range_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(atom::known(config::get().flags.printable_range))
}

/// `error_logger:warning_map()`
pub(crate) fn warning_map_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(match config::get().flags.warnings {
        "e" => am::ERROR,
        "i" => am::INFO,
        _ => am::WARNING,
    })
}

/// `net_kernel:dflag_unicode_io(Pid)`
pub(crate) fn dflag_unicode_io_1(_process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if pid.is_pid() {
        Ok(am::TRUE)
    } else {
        Err(badarg(1))
    }
}
