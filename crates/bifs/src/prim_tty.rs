//! `prim_tty`: the terminal, for the line editor in Erlang that later releases have (`user_drv`, also with `-noshell`).
//!
//! A terminal is a reference. Its reader is told `{select, Terminal, Ref, ready_input}` once when standard input has
//! something, and again after each read. The functions here have the shapes of OTP 26 and 27.
//!
//! Any process may call; a terminal's state is behind its lock, which the poll's handler takes too.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use drivers::tty::terminfo::{self, Description};
use drivers::tty::{TerminalSignal, on_signal};
use layout::Term;
use parking_lot::Mutex;
use sys::errno::Errno;
use sys::poll::{Interest, Token};
use sys::terminal::{self, Mode, ModeGuard};
use term::copy::Owned;
use term::{am, atom, build, iolist, map};

use super::magic;
use runtime::bif::{BifResult, Failure, badarg};
use runtime::config::{self, BreakMode};
use runtime::io;
use runtime::process::Process;
use runtime::signal;

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
    /// The mode that was asked for, and its guard while it is in force.
    wanted: Option<Mode>,
    guard: Option<ModeGuard>,
    /// The registration of standard input, and who is told of its next input.
    token: Option<Token>,
    reader: Option<(Term, Owned)>,
    /// Signals that have not been read.
    signals: Vec<TerminalSignal>,
}

/// The description of the terminal that `tgetent` has found.
static DESCRIPTION: Mutex<Option<Description>> = Mutex::new(None);

impl Tty {
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
            signal::send_owned(pid, message);
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        if let Some(token) = self.state.get_mut().token.take() {
            io::unregister(self.input.as_fd(), token);
        }
    }
}

fn tty<'a>(reference: Term) -> Result<&'a Arc<Tty>, Failure> {
    magic::get::<Arc<Tty>>(reference).ok_or(badarg(1))
}

fn error_tuple(process: &mut Process, reason: Term) -> Term {
    build::tuple(process.heap(), &[am::ERROR, reason])
}

fn errno(error: Errno) -> Term {
    atom::known(error.name())
}

/// `prim_tty:isatty(stdin | stdout | stderr)`
pub fn isatty_1(_process: &mut Process, [stream]: [Term; 1]) -> BifResult {
    let (input, output, error) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    if !stream.is_atom() {
        return Err(badarg(1));
    }
    let fd: BorrowedFd<'_> = match atom::text(stream) {
        "stdin" => input.as_fd(),
        "stdout" => output.as_fd(),
        "stderr" => error.as_fd(),
        _ => return Err(badarg(1)),
    };
    Ok(match terminal::size(fd) {
        Ok(_) => am::TRUE,
        Err(Errno::EBADF) => atom::known("ebadf"),
        Err(_) => am::boolean(terminal::is_terminal(fd)),
    })
}

/// `prim_tty:tty_create()`
pub fn tty_create_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let descriptors = sys::fd::duplicate(0).and_then(|input| Ok((input, sys::fd::duplicate(1)?)));
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
pub fn tty_init_3(process: &mut Process, [reference, _output, options]: [Term; 3]) -> BifResult {
    let tty = tty(reference)?;
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

/// `prim_tty:tty_set(Terminal)`
pub fn tty_set_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let tty = tty(reference)?;
    let mut state = tty.state.lock();
    let Some(wanted) = state.wanted else {
        return Ok(am::OK);
    };
    // The former mode is restored before the guard of the next one notes it.
    state.guard = None;
    match ModeGuard::enter(tty.input.as_fd(), wanted) {
        Ok(guard) => {
            state.guard = Some(guard);
            Ok(am::OK)
        }
        Err(error) => {
            drop(state);
            Ok(error_tuple(process, errno(error)))
        }
    }
}

/// `prim_tty:setlocale(Terminal)`: whether the locale's encoding is UTF-8.
pub fn setlocale_1(_process: &mut Process, [_tty]: [Term; 1]) -> BifResult {
    Ok(am::boolean(sys::locale::is_utf8()))
}

/// `prim_tty:tty_encoding(Terminal)`
pub fn tty_encoding_1(_process: &mut Process, [_tty]: [Term; 1]) -> BifResult {
    Ok(atom::known("utf8"))
}

fn selection(process: &mut Process, tty: Term, reference: Term) -> Owned {
    let message = [am::SELECT, tty, reference, atom::known("ready_input")];
    Owned::new(build::tuple(process.heap(), &message))
}

/// `prim_tty:tty_select(Terminal, SignalRef, ReadRef)`
pub fn tty_select_3(
    process: &mut Process,
    [reference, signal_ref, read_ref]: [Term; 3],
) -> BifResult {
    let tty = tty(reference)?;
    let pid = process.pid();
    let (weak, message) = (
        Arc::downgrade(tty),
        selection(process, reference, signal_ref),
    );
    on_signal(Box::new(move |signal| {
        if let Some(tty) = weak.upgrade() {
            tty.state.lock().signals.push(signal);
            signal::send_message_from_outside(pid, message.term());
        }
    }));
    let message = selection(process, reference, read_ref);
    tty.select(pid, message);
    Ok(am::OK)
}

/// `prim_tty:tty_read_signal(Terminal, SignalRef)`
pub fn tty_read_signal_2(process: &mut Process, [reference, _ref]: [Term; 2]) -> BifResult {
    let tty = tty(reference)?;
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
pub fn tty_window_size_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let tty = tty(reference)?;
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
pub fn write_nif_2(process: &mut Process, [reference, data]: [Term; 2]) -> BifResult {
    let tty = tty(reference)?;
    let bytes = iolist::to_vec(data, MOST_WRITTEN).map_err(|_| badarg(2))?;
    match sys::fd::write_everything(tty.output.as_fd(), &bytes, None) {
        Ok(()) => Ok(am::OK),
        Err(error) => Ok(error_tuple(process, errno(error))),
    }
}

/// `prim_tty:read_nif(Terminal, Ref)`: what is there, and the next selection.
pub fn read_nif_2(process: &mut Process, [reference, read_ref]: [Term; 2]) -> BifResult {
    let tty = tty(reference)?;
    let mut buffer = [0; READ_BYTES];
    let count = match sys::fd::read(tty.input.as_fd(), &mut buffer) {
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
pub fn isprint_1(_process: &mut Process, [character]: [Term; 1]) -> BifResult {
    Ok(am::boolean((0x20..0x7f).contains(&code_of(character)?)))
}

/// `prim_tty:wcwidth(Character)`
pub fn wcwidth_1(process: &mut Process, [character]: [Term; 1]) -> BifResult {
    match terminal::printed_width(code_of(character)?) {
        Some(width) => Ok(Term::small(width as i64)),
        None => Ok(error_tuple(process, atom::known("not_printable"))),
    }
}

/// `prim_tty:wcswidth(Characters)`: a binary of C's wide characters.
pub fn wcswidth_1(process: &mut Process, [characters]: [Term; 1]) -> BifResult {
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
pub fn sizeof_wchar_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::small(SIZEOF_WCHAR as i64))
}

/// The bytes of an I/O list that is a text of C, without its end.
fn c_text(iolist: Term) -> Result<Vec<u8>, Failure> {
    let mut bytes = iolist::to_vec(iolist, READ_BYTES).map_err(|_| badarg(1))?;
    if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
        bytes.truncate(end);
    }
    Ok(bytes)
}

/// `prim_tty:tgetent_nif(Name)`: finds the description of a type of terminal.
pub fn tgetent_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let found = String::from_utf8(c_text(name)?).ok();
    let found = found.and_then(|name| terminfo::of_type(&name));
    let outcome = found.is_some();
    *DESCRIPTION.lock() = found;
    if outcome {
        return Ok(am::OK);
    }
    let reason = atom::known("database_not_found");
    Ok(error_tuple(process, reason))
}

/// What the description says under a name of two letters.
fn described<T>(
    name: Term,
    ask: impl FnOnce(&Description, [u8; 2]) -> Option<T>,
) -> Result<Option<T>, Failure> {
    let text = c_text(name)?;
    let Some(&[first, second, ..]) = text.first_chunk::<2>().map(|pair| pair.as_slice()) else {
        return Ok(None);
    };
    let description = DESCRIPTION.lock();
    Ok(description
        .as_ref()
        .and_then(|description| ask(description, [first, second])))
}

/// `prim_tty:tgetnum_nif(Name)`
pub fn tgetnum_nif_1(_process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let number = described(name, Description::number)?;
    Ok(Term::small(number.map_or(-1, i64::from)))
}

/// `prim_tty:tgetflag_nif(Name)`
pub fn tgetflag_nif_1(_process: &mut Process, [name]: [Term; 1]) -> BifResult {
    Ok(am::boolean(
        described(name, |all, name| Some(all.flag(name)))?.unwrap_or(false),
    ))
}

/// `prim_tty:tgetstr_nif(Name)`
pub fn tgetstr_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    match described(name, |all, name| all.string(name).map(<[u8]>::to_vec))? {
        Some(text) => {
            let heap = process.heap();
            let text = build::binary(heap, &text);
            Ok(build::tuple(heap, &[am::OK, text]))
        }
        None => Ok(am::FALSE),
    }
}

fn go(process: &mut Process, text: Term, column: Term, row: Term) -> BifResult {
    let text = c_text(text)?;
    let parameter = |number: Term| number.as_small().and_then(|n| i32::try_from(n).ok());
    let (column, row) = (
        parameter(column).ok_or(badarg(2))?,
        parameter(row).ok_or(badarg(3))?,
    );
    let heap = process.heap();
    let text = build::binary(heap, &terminfo::with_parameters(&text, [row, column]));
    Ok(build::tuple(heap, &[am::OK, text]))
}

/// `prim_tty:tgoto_nif(Text)`
pub fn tgoto_nif_1(process: &mut Process, [text]: [Term; 1]) -> BifResult {
    go(process, text, Term::small(0), Term::small(0))
}

/// `prim_tty:tgoto_nif(Text, Column)`
pub fn tgoto_nif_2(process: &mut Process, [text, column]: [Term; 2]) -> BifResult {
    go(process, text, column, Term::small(0))
}

/// `prim_tty:tgoto_nif(Text, Column, Row)`
pub fn tgoto_nif_3(process: &mut Process, [text, column, row]: [Term; 3]) -> BifResult {
    go(process, text, column, row)
}
