//! The driver `tty_sl`: the terminal on which the shell edits its lines.
//!
//! OTP's `user_drv` says how the line changes (put, move, insert, delete); the driver knows how the line is laid out
//! on the screen ([`mod@line`]) and sends the terminal what is needed to show it. While the port is open, the terminal
//! passes every key on at once; its former mode is restored when the port closes and when the node ends.

mod line;
pub mod terminfo;

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use layout::Term;
use smallvec::SmallVec;
use sys::errno::Errno;
use sys::poll::{Interest, Token};
use sys::standard::tail::{self, Source};
use sys::standard::to_error;
use sys::terminal::{Mode, ModeGuard};
use term::{am, atom};

use super::settings::{OpenError, Settings};
use line::Line;
use runtime::effects::port::descriptor_writer::{Blocking, DescriptorWriter};
use runtime::effects::port::driver::{Access, Close, Command, Control, Driver, Output, Ready};
use runtime::effects::port::framing::Framing;
use runtime::exec::halt::{self, Flush};
use runtime::process::config::{self, BreakMode};

/// First bytes of commands, as OTP numbers them.
mod operation {
    pub(super) const PUT: u8 = 0;
    pub(super) const MOVE: u8 = 1;
    pub(super) const INSERT: u8 = 2;
    pub(super) const DELETE: u8 = 3;
    pub(super) const BEEP: u8 = 4;
    /// Put, and reply `ok`.
    pub(super) const PUT_AND_ANSWER: u8 = 5;
}

/// Operations of `port_control`.
mod control {
    pub(super) const WINDOW_SIZE: u32 = 0x018b_0900 + 100;
    pub(super) const GET_UNICODE: u32 = 0x018b_0900 + 101;
    pub(super) const SET_UNICODE: u32 = 0x018b_0900 + 102;
}

/// The size of a window that does not report one.
const DEFAULT_COLUMNS: u32 = 80;
const DEFAULT_ROWS: u32 = 24;
/// Maximum number of bytes of one read.
const READ_BYTES: usize = 1024;
/// While more output than this is queued, the reply to a command is delayed.
const ANSWER_BELOW_BYTES: usize = 1024;
/// A line that grows beyond this many cells is broken.
const LINE_CELLS: usize = 1 << 16;

struct Tty {
    /// Before the descriptor that it needs, because fields are dropped in order.
    _mode: ModeGuard,
    input: OwnedFd,
    input_token: Token,
    output: DescriptorWriter,
    line: Line,
    utf8: bool,
    /// The first bytes of a character whose other bytes have not arrived yet.
    incomplete: Vec<u8>,
    /// Whether a command waits for its `ok`.
    owes_answer: bool,
}

/// Starts the driver.
///
/// # Errors
/// `einval` if there is no terminal, or if it cannot move its cursor.
pub fn start(
    port: &mut Access<'_>,
    command: &[u8],
    _settings: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    open(port, command).map_err(|_| am::EINVAL)
}

fn open(port: &mut Access<'_>, command: &[u8]) -> sys::Result<Box<dyn Driver>> {
    let input = sys::fd::duplicate(0)?;
    let output = sys::fd::duplicate(1)?;
    if !sys::terminal::is_terminal(input.as_fd()) || !sys::terminal::is_terminal(output.as_fd()) {
        return Err(Errno::ENOTTY);
    }
    let capabilities = terminfo::of_environment().ok_or(Errno::ENOTTY)?;
    let guard = ModeGuard::enter(input.as_fd(), mode(command))?;
    // As stock, everything goes to the descriptor that the keys come from.
    let out = input.try_clone().map_err(|_| Errno::EMFILE)?;
    drop(output);
    let mut tty = Tty {
        input_token: port.watch(input.as_fd(), Interest::READ)?,
        input,
        // `user_drv` must never be suspended: the replies to its commands provide the backpressure.
        output: DescriptorWriter::new(out, Blocking::PollFirst, Framing::Stream, None),
        line: Line::new(capabilities),
        utf8: config::get().locale_utf8,
        incomplete: Vec::new(),
        owes_answer: false,
        _mode: guard,
    };
    tty.learn_size();
    Ok(Box::new(tty))
}

/// The flags `-c`, `-e`, `-s` and the like: whether the terminal collects lines, echoes what is typed, and sends
/// signals.
fn mode(command: &[u8]) -> Mode {
    let mut mode = Mode {
        interrupt_is_key: config::get().break_mode == BreakMode::InterruptShell,
        ..Mode::default()
    };
    for word in command.split(|byte| *byte == b' ').skip(1) {
        let on = match word.first() {
            Some(b'+') => true,
            Some(b'-') => false,
            _ => continue,
        };
        match word.get(1) {
            Some(b'c') => mode.canonical = Some(on),
            Some(b'e') => mode.echo = Some(on),
            Some(b's') => mode.signals = Some(on),
            _ => {}
        }
    }
    mode
}

impl Tty {
    fn size(&self) -> [u32; 2] {
        let size = sys::terminal::size(self.input.as_fd());
        let (columns, rows) = size.map_or((0, 0), |size| (size.columns, size.rows));
        let or = |value: u16, default: u32| match value {
            0 => default,
            value => u32::from(value),
        };
        [or(columns, DEFAULT_COLUMNS), or(rows, DEFAULT_ROWS)]
    }

    fn learn_size(&mut self) {
        let [columns, _] = self.size();
        self.line.set_columns(columns as usize);
    }

    fn perform(&mut self, operation: u8, arguments: &[u8]) {
        let number = || match arguments {
            [high, low, ..] => isize::from(i16::from_be_bytes([*high, *low])),
            _ => 0,
        };
        self.learn_size();
        self.line.set_utf8(self.utf8);
        if self.line.position() > LINE_CELLS {
            self.line.put(b"\n");
        }
        match operation {
            operation::PUT | operation::PUT_AND_ANSWER => {
                tail::wrote(Source::Terminal, arguments);
                self.line.put(arguments);
            }
            operation::MOVE => self.line.move_by(number()),
            operation::INSERT => self.line.insert(arguments),
            operation::DELETE => self.line.delete(number()),
            operation::BEEP => self.line.beep(),
            _ => {}
        }
    }

    fn answer(&mut self, port: &Access<'_>) {
        self.owes_answer = false;
        port.send_to_connected(|_| am::OK);
    }

    fn read(&mut self, port: &mut Access<'_>) {
        let mut buffer = [0; READ_BYTES];
        while matches!(
            sys::fd::wait_readable(self.input.as_fd(), Some(0)),
            Ok(true)
        ) {
            match sys::fd::read(self.input.as_fd(), &mut buffer) {
                Ok(read) if read > 0 => self.pass_on(port, &buffer[..read]),
                Err(Errno::EAGAIN | Errno::EINTR) => return,
                // The terminal was hung up.
                _ => {
                    port.exit(Term::small(-1));
                    return;
                }
            }
        }
    }

    /// Passes keys on as UTF-8, whole characters at a time.
    fn pass_on(&mut self, port: &mut Access<'_>, bytes: &[u8]) {
        let mut all = std::mem::take(&mut self.incomplete);
        all.extend_from_slice(bytes);
        if self.utf8 {
            match std::str::from_utf8(&all) {
                Ok(_) => {}
                Err(error) if error.error_len().is_none() => {
                    self.incomplete = all.split_off(error.valid_up_to());
                }
                // Not a UTF-8 terminal after all.
                Err(_) => self.utf8 = false,
            }
        }
        if !self.utf8 {
            let text: String = all.iter().map(|byte| char::from(*byte)).collect();
            all = text.into_bytes();
        }
        if !all.is_empty() {
            port.send_data(&[], &all);
        }
    }
}

impl Driver for Tty {
    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command {
        let command = data.whole();
        let Some((&operation, arguments)) = command.split_first() else {
            return Command::Done;
        };
        self.perform(operation, arguments);
        let screen = self.line.take_output();
        if let Err(error) = self.output.send(port, &Output::of_bytes(&screen)) {
            port.exit(atom::known(error.name()));
            return Command::Done;
        }
        if operation == operation::PUT_AND_ANSWER {
            if self.output.queued_bytes() > ANSWER_BELOW_BYTES {
                self.owes_answer = true;
            } else {
                self.answer(port);
            }
        }
        Command::Done
    }

    fn control(&mut self, _port: &mut Access<'_>, operation: u32, data: &[u8]) -> Option<Control> {
        let bytes: SmallVec<[u8; 32]> = match operation {
            control::WINDOW_SIZE => self.size().iter().flat_map(|n| n.to_ne_bytes()).collect(),
            control::GET_UNICODE => SmallVec::from_slice(&[u8::from(self.utf8)]),
            control::SET_UNICODE => {
                let before = u8::from(self.utf8);
                match data.first() {
                    None => SmallVec::new(),
                    Some(wanted) => {
                        self.utf8 = *wanted != 0;
                        SmallVec::from_slice(&[before])
                    }
                }
            }
            _ => return None,
        };
        Some(Control::List(bytes))
    }

    fn ready(&mut self, port: &mut Access<'_>, ready: Ready) {
        if ready.readable {
            self.read(port);
        }
        if ready.writable {
            if let Err(error) = self.output.ready(port) {
                port.exit(atom::known(error.name()));
            } else if self.owes_answer && self.output.queued_bytes() < ANSWER_BELOW_BYTES {
                self.answer(port);
            }
        }
    }

    fn queued_bytes(&self) -> usize {
        self.output.queued_bytes()
    }

    fn close(&mut self, _port: &mut Access<'_>) -> Close {
        Close::WhenEmpty
    }

    fn stop(self: Box<Self>, port: &mut Access<'_>) {
        port.unwatch(self.input.as_fd(), self.input_token);
        self.output.stop(port);
    }
}

/// A signal of the system that concerns the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalSignal {
    /// The node continues after it was stopped.
    Continued,
    /// The window has another size.
    Resized,
}

/// What is told of signals, if the terminal belongs to Erlang code.
type SignalHandler = Box<dyn Fn(TerminalSignal) + Send>;

static SIGNAL_HANDLER: parking_lot::Mutex<Option<SignalHandler>> = parking_lot::Mutex::new(None);

/// From now on this is told of the terminal's signals.
pub fn on_signal(handler: SignalHandler) {
    // Without it the system would not tell of another size.
    let _ = sys::signal::set(
        sys::signal::Signal::WindowChange,
        sys::signal::Disposition::Handle,
    );
    *SIGNAL_HANDLER.lock() = Some(handler);
}

/// Whether `erl_signal_server` is told that the node continues.
static FORWARDS_CONTINUE: AtomicBool = AtomicBool::new(false);

/// From now on `erl_signal_server` is told that the node continues, or no longer.
pub fn forward_continue(wanted: bool) {
    FORWARDS_CONTINUE.store(wanted, Ordering::Relaxed);
}

/// Whether `erl_signal_server` is told that the node continues.
pub fn forwards_continue() -> bool {
    FORWARDS_CONTINUE.load(Ordering::Relaxed)
}

/// Tells of a signal; false if nobody has asked to be told.
pub fn signalled(signal: TerminalSignal) -> bool {
    let handler = SIGNAL_HANDLER.lock();
    if let Some(handler) = handler.as_ref() {
        handler(signal);
    }
    handler.is_some()
}

/// Called when the node continues after it was stopped: the shell that had the terminal meanwhile has set its own
/// mode. A hangup of the terminal is noticed in the same way (SIGCONT comes with SIGHUP); a node that survives that
/// ends here.
pub fn continued() {
    if sys::terminal::renew().is_err() {
        to_error(format_args!("Can't set tty raw\n"));
        halt::halt(1, Flush::No);
    }
}
