//! `prim_tty`: the terminal, for the line editor in Erlang that later releases have (`user_drv`, also with `-noshell`).
//!
//! A terminal is a reference. Its reader is told `{select, Terminal, Ref, ready_input}` once when standard input has
//! something, and again after each read. OTP 28 changed most functions: where two of a name differ in their arity, the
//! longer-lived state is the same. What a type of terminal understands is in [`description`].
//!
//! Any process may call; a terminal's state is behind its lock, which the poll's handler takes too.

mod description;

pub(crate) use description::*;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use drivers::tty::{TerminalSignal, on_signal};
use layout::{NoGc, Term, no_gc};
use parking_lot::Mutex;
use sys::errno::Errno;
use sys::poll::{Interest, Token};
use sys::standard::tail::{self, Source};
use sys::terminal::{self, Mode, ModeGuard};
use term::copy::Owned;
use term::{am, atom, build, iolist, map};

use super::magic;
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::mail::{io, signal};
use runtime::process::Process;
use runtime::process::config::{self, BreakMode};

/// Bytes of one read.
const READ_BYTES: usize = 1024;
/// Bytes of one write of a program.
const MOST_WRITTEN: usize = 1 << 31;
const SIZEOF_WCHAR: usize = 4;

/// What is behind the reference of a terminal.
struct Tty {
    input: OwnedFd,
    output: OwnedFd,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The mode that was asked for.
    wanted: Option<Mode>,
    /// The registration of standard input, and who is told of its next input.
    token: Option<Token>,
    reader: Option<(Term, Owned)>,
    /// Signals that have not been read.
    signals: Vec<TerminalSignal>,
}

/// The terminal whose mode is in force, by its address, and what keeps it so. A node that is restarted makes another
/// terminal while the former one is still somewhere in a heap, and the mode is then that of the new one. A thread may
/// lock this while it holds the lock of a terminal, and not the other way round.
static IN_FORCE: Mutex<Option<(usize, ModeGuard)>> = Mutex::new(None);

impl Tty {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Puts a mode in force, in place of whatever is.
    fn enter(&self, mode: Mode) -> Result<(), Errno> {
        let mut in_force = IN_FORCE.lock();
        // The former mode is restored before the guard of the next one notes it.
        *in_force = None;
        let guard = ModeGuard::enter_watched(self.input.as_fd(), mode)?;
        *in_force = Some((self.address(), guard));
        Ok(())
    }

    /// Restores the former mode, if this terminal's is in force.
    fn leave(&self) {
        let mut in_force = IN_FORCE.lock();
        if in_force
            .as_ref()
            .is_some_and(|(address, _)| *address == self.address())
        {
            *in_force = None;
        }
    }

    /// Tells the process once when there is input: at once if there is some.
    fn select(self: &Arc<Tty>, pid: Term, message: Owned) {
        let mut state = self.state.lock();
        if state.token.is_none() {
            let tty = Arc::downgrade(self);
            let ready = move |_| {
                if let Some(tty) = tty.upgrade() {
                    tty.state.lock().fire();
                }
            };
            // A file cannot be watched, and always has input.
            state.token = io::register(self.input.as_fd(), Interest::READ, Arc::new(ready)).ok();
        }
        state.reader = Some((pid, message));
        let has_input = sys::fd::wait_readable(self.input.as_fd(), Some(0)).unwrap_or(true);
        if state.token.is_none() || has_input {
            state.fire();
        }
    }
}

impl State {
    fn fire(&mut self) {
        if let Some((pid, message)) = self.reader.take() {
            signal::send_owned(am::SYSTEM, pid, message);
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.leave();
        if let Some(token) = self.state.get_mut().token.take() {
            io::unregister(self.input.as_fd(), token);
        }
    }
}

fn tty(reference: Term, no_gc: &NoGc) -> Result<&Arc<Tty>, Failure> {
    magic::get::<Arc<Tty>>(reference, no_gc).ok_or(badarg(1))
}

fn error_tuple(process: &mut Process, reason: Term) -> Term {
    build::tuple(process.heap(), &[am::ERROR, reason])
}

fn errno(error: Errno) -> Term {
    atom::known(error.name())
}

/// The number of a standard stream.
fn stream_number(stream: Term) -> Option<i32> {
    match stream.is_atom().then(|| atom::text(stream))? {
        "stdin" => Some(0),
        "stdout" => Some(1),
        "stderr" => Some(2),
        _ => None,
    }
}

/// `prim_tty:isatty(stdin | stdout | stderr)`
pub(crate) fn isatty_1(_process: &mut Process, [stream]: [Term; 1]) -> BifResult {
    let (input, output, error) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let fd: BorrowedFd<'_> = match stream_number(stream) {
        Some(0) => input.as_fd(),
        Some(1) => output.as_fd(),
        Some(_) => error.as_fd(),
        None => return Err(badarg(1)),
    };
    Ok(match terminal::size(fd) {
        Ok(_) => am::TRUE,
        Err(Errno::EBADF) => atom::known("ebadf"),
        Err(_) => am::boolean(terminal::is_terminal(fd)),
    })
}

/// `prim_tty:tty_create()`
pub(crate) fn tty_create_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    create(process, 1)
}

/// `prim_tty:tty_create(stdout | stderr)`
pub(crate) fn tty_create_1(process: &mut Process, [stream]: [Term; 1]) -> BifResult {
    match stream_number(stream) {
        Some(output @ 1..) => create(process, output),
        _ => Err(badarg(1)),
    }
}

fn create(process: &mut Process, output: i32) -> BifResult {
    let descriptors =
        sys::fd::duplicate(0).and_then(|input| Ok((input, sys::fd::duplicate(output)?)));
    let (input, output) = match descriptors {
        Ok(descriptors) => descriptors,
        Err(error) => return Ok(error_tuple(process, errno(error))),
    };
    let tty = Arc::new(Tty {
        input,
        output,
        state: Mutex::default(),
    });
    let tty = magic::make(process, tty);
    Ok(build::tuple(process.heap(), &[am::OK, tty]))
}

/// `prim_tty:tty_init(Terminal, stdout, Options)`: notes the mode; `tty_set/1` puts it in force.
pub(crate) fn tty_init_3(
    process: &mut Process,
    [reference, _output, options]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    if !options.is_map() {
        return Err(badarg(3));
    }
    if !terminal::is_terminal(tty.input.as_fd()) {
        let heap = process.heap();
        let reason = build::tuple(heap, &[atom::known("tcgetattr"), atom::known("enotty")]);
        return Ok(error_tuple(process, reason));
    }
    let is_on = |name: &str| map::get(options, atom::known(name)) == Some(am::TRUE);
    tty.state.lock().wanted = Some(Mode {
        canonical: Some(is_on("canon")),
        echo: Some(is_on("echo")),
        // Control characters keep sending signals: Ctrl-C leads to the break menu.
        signals: None,
        interrupt_is_key: config::get().break_mode == BreakMode::InterruptShell,
    });
    Ok(am::OK)
}

/// `prim_tty:tty_init(Terminal, #{input := raw | cooked | disabled, output := raw | cooked})`: puts the mode in force.
/// Only raw input needs a terminal.
pub(crate) fn tty_init_2(process: &mut Process, [reference, options]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    if !options.is_map() {
        return Err(badarg(2));
    }
    let input = map::get(options, atom::known("input")).ok_or(badarg(2))?;
    let is_raw = input == atom::known("raw");
    if is_raw && !terminal::is_terminal(tty.input.as_fd()) {
        return Ok(error_tuple(process, atom::known("enotsup")));
    }
    tty.leave();
    let wanted = is_raw.then(|| Mode {
        canonical: Some(false),
        echo: Some(false),
        // Control characters keep sending signals: Ctrl-C leads to the break menu.
        signals: None,
        interrupt_is_key: config::get().break_mode == BreakMode::InterruptShell,
    });
    tty.state.lock().wanted = wanted;
    match wanted.map_or(Ok(()), |wanted| tty.enter(wanted)) {
        Ok(()) => Ok(am::OK),
        Err(_) => Ok(error_tuple(process, atom::known("enotsup"))),
    }
}

/// `prim_tty:tty_set(Terminal)`
pub(crate) fn tty_set_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let wanted = tty.state.lock().wanted;
    match wanted.map_or(Ok(()), |wanted| tty.enter(wanted)) {
        Ok(()) => Ok(am::OK),
        Err(error) => Ok(error_tuple(process, errno(error))),
    }
}

/// `prim_tty:setlocale(Terminal)`: whether the locale's encoding is UTF-8.
pub(crate) fn setlocale_1(_process: &mut Process, [_tty]: [Term; 1]) -> BifResult {
    Ok(am::boolean(config::get().locale_utf8))
}

/// `prim_tty:tty_encoding(Terminal)`
pub(crate) fn tty_encoding_1(_process: &mut Process, [_tty]: [Term; 1]) -> BifResult {
    Ok(atom::known("utf8"))
}

fn selection(process: &mut Process, tty: Term, reference: Term) -> Owned {
    let message = [am::SELECT, tty, reference, atom::known("ready_input")];
    Owned::new(build::tuple(process.heap(), &message))
}

/// `prim_tty:tty_select(Terminal, SignalRef, ReadRef)`
pub(crate) fn tty_select_3(
    process: &mut Process,
    [reference, signal_ref, read_ref]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let pid = process.pid();
    let (weak, message) = (
        Arc::downgrade(tty),
        selection(process, reference, signal_ref),
    );
    on_signal(Box::new(move |signal| {
        if let Some(tty) = weak.upgrade() {
            tty.state.lock().signals.push(signal);
            signal::send_message(am::SYSTEM, pid, message.term());
        }
    }));
    let message = selection(process, reference, read_ref);
    tty.select(pid, message);
    Ok(am::OK)
}

/// `prim_tty:tty_select(Terminal, ReadRef)`: signals come another way.
pub(crate) fn tty_select_2(process: &mut Process, [reference, read_ref]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let message = selection(process, reference, read_ref);
    tty.select(process.pid(), message);
    Ok(am::OK)
}

/// `prim_tty:tty_is_open(Terminal, stdin | stdout | stderr)`
pub(crate) fn tty_is_open_2(_process: &mut Process, [reference, stream]: [Term; 2]) -> BifResult {
    tty(reference, no_gc!())?;
    let number = stream_number(stream).ok_or(badarg(2))?;
    Ok(am::boolean(sys::fd::duplicate(number).is_ok()))
}

/// `prim_tty:tty_read_signal(Terminal, SignalRef)`
pub(crate) fn tty_read_signal_2(process: &mut Process, [reference, _ref]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let mut state = tty.state.lock();
    let signal = if state.signals.is_empty() {
        am::NONE
    } else {
        match state.signals.remove(0) {
            TerminalSignal::Continued => atom::known("cont"),
            TerminalSignal::Resized => atom::known("winch"),
        }
    };
    drop(state);
    Ok(build::tuple(process.heap(), &[am::OK, signal]))
}

/// `prim_tty:tty_window_size(Terminal)`
pub(crate) fn tty_window_size_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let size = terminal::size(tty.output.as_fd()).or_else(|_| terminal::size(tty.input.as_fd()));
    let heap = process.heap();
    Ok(match size {
        Ok(size) if size.columns > 0 => {
            let numbers = [size.columns, size.rows].map(|number| Term::small(number.into()));
            let size = build::tuple(heap, &numbers);
            build::tuple(heap, &[am::OK, size])
        }
        _ => build::tuple(heap, &[am::ERROR, atom::known("enotsup")]),
    })
}

/// `prim_tty:write_nif(Terminal, Iovec)`: waits until all is written.
pub(crate) fn write_nif_2(process: &mut Process, [reference, data]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let bytes = iolist::to_vec(data, MOST_WRITTEN).map_err(|_| badarg(2))?;
    tail::wrote(Source::Terminal, &bytes);
    match sys::fd::write_everything(tty.output.as_fd(), &bytes, None) {
        Ok(()) => Ok(am::OK),
        Err(error) => Ok(error_tuple(process, errno(error))),
    }
}

/// `prim_tty:read_nif(Terminal, Ref)`: what is there, and the next selection.
pub(crate) fn read_nif_2(process: &mut Process, [reference, read_ref]: [Term; 2]) -> BifResult {
    read(process, reference, read_ref, READ_BYTES)
}

/// `prim_tty:read_nif(Terminal, Ref, Most)`: as `read_nif/2`, of at most that many bytes.
pub(crate) fn read_nif_3(
    process: &mut Process,
    [reference, read_ref, most]: [Term; 3],
) -> BifResult {
    let most = most
        .as_small()
        .and_then(|most| usize::try_from(most).ok())
        .ok_or(badarg(3))?;
    read(process, reference, read_ref, most.min(READ_BYTES))
}

fn read(process: &mut Process, reference: Term, read_ref: Term, most: usize) -> BifResult {
    let no_gc = no_gc!();
    let tty = tty(reference, no_gc)?;
    let mut buffer = [0; READ_BYTES];
    let count = match sys::fd::read(tty.input.as_fd(), &mut buffer[..most]) {
        Ok(0) | Err(Errno::EIO) => return Ok(error_tuple(process, am::CLOSED)),
        Ok(count) => count,
        Err(Errno::EAGAIN | Errno::EINTR) => 0,
        Err(error) => return Ok(error_tuple(process, errno(error))),
    };
    let message = selection(process, reference, read_ref);
    tty.select(process.pid(), message);
    let heap = process.heap();
    let bytes = build::binary(heap, &buffer[..count]);
    Ok(build::tuple(heap, &[am::OK, bytes]))
}

fn code_of(character: Term) -> Result<u32, Failure> {
    let code = character
        .as_small()
        .and_then(|code| u32::try_from(code).ok());
    code.ok_or(badarg(1))
}

/// `prim_tty:isprint(Byte)`
pub(crate) fn isprint_1(_process: &mut Process, [character]: [Term; 1]) -> BifResult {
    Ok(am::boolean((0x20..0x7f).contains(&code_of(character)?)))
}

/// `prim_tty:wcwidth(Character)`
pub(crate) fn wcwidth_1(process: &mut Process, [character]: [Term; 1]) -> BifResult {
    match terminal::printed_width(code_of(character)?) {
        Some(width) => Ok(Term::small(width as i64)),
        None => Ok(error_tuple(process, atom::known("not_printable"))),
    }
}

/// `prim_tty:wcswidth(Characters)`: a binary of C's wide characters.
pub(crate) fn wcswidth_1(process: &mut Process, [characters]: [Term; 1]) -> BifResult {
    let bytes = iolist::to_vec(characters, MOST_WRITTEN).map_err(|_| badarg(1))?;
    let (characters, _) = bytes.as_chunks::<SIZEOF_WCHAR>();
    let widths = characters
        .iter()
        .map(|&bytes| terminal::printed_width(u32::from_ne_bytes(bytes)));
    match widths.sum::<Option<usize>>() {
        Some(width) => {
            let width = Term::small(width as i64);
            Ok(build::tuple(process.heap(), &[am::OK, width]))
        }
        None => Ok(error_tuple(process, atom::known("not_printable"))),
    }
}

/// `prim_tty:sizeof_wchar()`
pub(crate) fn sizeof_wchar_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::small(SIZEOF_WCHAR as i64))
}
