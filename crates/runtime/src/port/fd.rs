//! The `fd` driver: descriptors that the node inherited, above all standard input, output and error.
//!
//! Their file descriptions are shared with whoever started the node, so they are never set
//! non-blocking; a write is tried only when the system says that it will not block. What cannot be polled
//! (a regular file) is written at once and read by a thread of its own.

use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};

use layout::{Heap, Term};
use sys::errno::Errno;
use sys::poll::{Interest, Token};
use term::{am, build};

use super::driver::{Command, Driver};
use super::open::{Framing, Settings, attach};
use super::{Port, State, table, wake_waiting};
use crate::io;

/// Bytes that one read takes.
const READ_BYTES: usize = 64 << 10;
/// A pipe that is writable takes this much without blocking.
const WRITE_BYTES: usize = 4096;
/// Waiting output above which the port is busy, and at which it no longer is.
const HIGH_BYTES: usize = 8192;
const LOW_BYTES: usize = 4096;

struct FdDriver {
    settings: Settings,
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    input_token: Option<Token>,
    output_token: Option<Token>,
    queue: VecDeque<u8>,
    busy: bool,
    port: Weak<Port>,
}

/// Puts the driver for two descriptors behind a port.
///
/// # Errors
/// What the system says: a descriptor that is not open.
pub fn start(port: &Arc<Port>, input: i32, output: i32, settings: Settings) -> sys::Result<()> {
    let duplicate = |wanted: bool, number: i32| {
        if wanted {
            sys::fd::duplicate(number).map(Some)
        } else {
            Ok(None)
        }
    };
    let mut driver = FdDriver {
        settings,
        input: duplicate(settings.input, input)?,
        output: duplicate(settings.output, output)?,
        input_token: None,
        output_token: None,
        queue: VecDeque::new(),
        busy: false,
        port: Arc::downgrade(port),
    };
    let reader = Reader {
        framing: settings.framing,
        binary: settings.binary,
        eof: settings.eof,
        rest: Vec::new(),
    };
    let reader = Arc::new(parking_lot::Mutex::new(reader));
    let mut thread_input = None;
    if let Some(input) = &driver.input {
        let (weak, reader) = (Arc::downgrade(port), Arc::clone(&reader));
        let handler = move |_| {
            if let Some(port) = weak.upgrade() {
                read_ready(&port, &reader);
            }
        };
        match io::register(input.as_fd(), Interest::READ, Arc::new(handler)) {
            Ok(token) => driver.input_token = Some(token),
            Err(Errno::EPERM) => thread_input = Some(input.try_clone().map_err(|_| Errno::EBADF)?),
            Err(error) => return Err(error),
        }
    }
    attach(port, Box::new(driver));
    if let Some(input) = thread_input {
        let weak = Arc::downgrade(port);
        sys::thread::spawn("ferl_file_input", 256 << 10, move || {
            read_file(&weak, &reader, &input)
        })?;
    } else {
        // Edge-triggered: what was there before the registration is reported too, but only once.
        read_ready(port, &reader);
    }
    Ok(())
}

/// Input on its way to messages.
struct Reader {
    framing: Framing,
    binary: bool,
    eof: bool,
    rest: Vec<u8>,
}

/// Reads while there is something to read; called when the descriptor became readable.
fn read_ready(port: &Arc<Port>, reader: &parking_lot::Mutex<Reader>) {
    // One thread reads at a time; a second event finds the descriptor drained or is handled here.
    let mut reader = reader.lock();
    loop {
        let mut buffer = vec![0; READ_BYTES];
        let fd = {
            let state = port.state.lock();
            let Some(driver) = state.driver.as_ref() else {
                return;
            };
            match driver.input_fd() {
                Some(fd) => fd,
                None => return,
            }
        };
        // SAFETY: the driver holds the descriptor; it is closed only with the port's lock, and a read of a
        // descriptor closed meanwhile fails.
        let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
        match sys::fd::wait_readable(borrowed, Some(0)) {
            Ok(true) => {}
            _ => return,
        }
        match sys::fd::read(borrowed, &mut buffer) {
            Ok(0) => {
                end_of_input(port, &mut reader);
                return;
            }
            Ok(read) => deliver(port, &mut reader, &buffer[..read]),
            Err(Errno::EAGAIN | Errno::EINTR) => return,
            Err(_) => {
                end_of_input(port, &mut reader);
                return;
            }
        }
    }
}

/// Reads a file to its end.
fn read_file(port: &Weak<Port>, reader: &parking_lot::Mutex<Reader>, input: &OwnedFd) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = sys::fd::read(input.as_fd(), &mut buffer);
        let Some(port) = port.upgrade() else { return };
        match read {
            Ok(0) | Err(_) => {
                end_of_input(&port, &mut reader.lock());
                return;
            }
            Ok(read) => deliver(&port, &mut reader.lock(), &buffer[..read]),
        }
    }
}

fn deliver(port: &Arc<Port>, reader: &mut Reader, bytes: &[u8]) {
    let mut state = port.state.lock();
    state.input_bytes += bytes.len() as u64;
    table::count_input(bytes.len());
    match reader.framing {
        Framing::Stream => tell_data(port, &state, reader.binary, bytes),
        Framing::Packet(size) => {
            reader.rest.extend_from_slice(bytes);
            let mut start = 0;
            while let Some(length) = packet_length(&reader.rest[start..], size) {
                let end = start + usize::from(size) + length;
                if end > reader.rest.len() {
                    break;
                }
                tell_data(
                    port,
                    &state,
                    reader.binary,
                    &reader.rest[start + usize::from(size)..end],
                );
                start = end;
            }
            reader.rest.drain(..start);
        }
        Framing::Line(most) => {
            reader.rest.extend_from_slice(bytes);
            while let Some((line, used, whole)) = next_line(&reader.rest, most) {
                tell_line(port, &state, reader.binary, &reader.rest[..line], whole);
                reader.rest.drain(..used);
            }
        }
    }
}

fn packet_length(bytes: &[u8], size: u8) -> Option<usize> {
    let head = bytes.get(..usize::from(size))?;
    Some(
        head.iter()
            .fold(0, |length, byte| length << 8 | usize::from(*byte)),
    )
}

/// The next line's length, the bytes it takes with its end, and whether it is whole.
fn next_line(bytes: &[u8], most: usize) -> Option<(usize, usize, bool)> {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) if end <= most => {
            let line = if end > 0 && bytes[end - 1] == b'\r' {
                end - 1
            } else {
                end
            };
            Some((line, end + 1, true))
        }
        _ if bytes.len() > most && most > 0 => Some((most, most, false)),
        _ => None,
    }
}

fn data(heap: &mut Heap, binary: bool, bytes: &[u8]) -> Term {
    if binary {
        build::binary(heap, bytes)
    } else {
        build::byte_list(heap, bytes)
    }
}

fn tell_data(port: &Port, state: &State, binary: bool, bytes: &[u8]) {
    port.tell(state, |heap| {
        let bytes = data(heap, binary, bytes);
        build::tuple(heap, &[am::DATA, bytes])
    });
}

fn tell_line(port: &Port, state: &State, binary: bool, line: &[u8], whole: bool) {
    port.tell(state, |heap| {
        let line = data(heap, binary, line);
        let line = build::tuple(heap, &[if whole { am::EOL } else { am::NOEOL }, line]);
        build::tuple(heap, &[am::DATA, line])
    });
}

fn end_of_input(port: &Arc<Port>, reader: &mut Reader) {
    let mut state = port.state.lock();
    if matches!(reader.framing, Framing::Line(_)) && !reader.rest.is_empty() {
        let rest = std::mem::take(&mut reader.rest);
        tell_line(port, &state, reader.binary, &rest, false);
    }
    if let Some(driver) = state.driver.as_mut() {
        driver.end_input();
    }
    if reader.eof {
        port.tell(&state, |_| am::EOF);
    } else {
        port.close_locked(&mut state, am::NORMAL);
    }
}

impl FdDriver {
    /// Writes what waits as far as that does not block; false when the other end is gone.
    fn write_waiting(&mut self) -> bool {
        while !self.queue.is_empty() {
            let Some(output) = &self.output else {
                return true;
            };
            if !is_writable(output.as_fd()) {
                self.watch_output();
                return true;
            }
            let (front, _) = self.queue.as_slices();
            let front = &front[..front.len().min(WRITE_BYTES)];
            match sys::fd::write(output.as_fd(), front) {
                Ok(written) => {
                    self.queue.drain(..written);
                }
                Err(Errno::EAGAIN | Errno::EINTR) => {
                    self.watch_output();
                    return true;
                }
                Err(_) => return false,
            }
        }
        true
    }

    /// Asks to be called when output is possible again.
    fn watch_output(&mut self) {
        let (None, Some(output)) = (self.output_token, &self.output) else {
            return;
        };
        let weak = self.port.clone();
        let handler = move |_| {
            if let Some(port) = weak.upgrade() {
                let mut state = port.state.lock();
                let alive = state
                    .driver
                    .as_mut()
                    .is_none_or(|driver| driver.output_ready());
                if !alive {
                    port.close_locked(&mut state, am::EPIPE);
                } else if state
                    .driver
                    .as_ref()
                    .is_some_and(|driver| !driver.is_busy())
                {
                    wake_waiting(&mut state);
                }
            }
        };
        self.output_token = io::register(output.as_fd(), Interest::WRITE, Arc::new(handler)).ok();
    }
}

/// Whether a write of [`WRITE_BYTES`] will not block.
fn is_writable(fd: BorrowedFd<'_>) -> bool {
    sys::fd::wait_writable(fd, Some(0)).unwrap_or(true)
}

impl Driver for FdDriver {
    fn output(&mut self, data: &[u8]) -> Command {
        if self.output.is_none() {
            return Command::Bad;
        }
        if let Framing::Packet(size) = self.settings.framing {
            if size < 4 && data.len() >= 1 << (8 * u32::from(size))
                || data.len() > u32::MAX as usize
            {
                return Command::Bad;
            }
            let head = (data.len() as u32).to_be_bytes();
            self.queue.extend(&head[4 - usize::from(size)..]);
        }
        self.queue.extend(data);
        if !self.write_waiting() {
            return Command::Failed("epipe");
        }
        self.busy = self.queue.len() >= HIGH_BYTES;
        Command::Done
    }

    fn is_busy(&self) -> bool {
        self.busy
    }

    fn queued_bytes(&self) -> usize {
        self.queue.len()
    }

    fn input_fd(&self) -> Option<i32> {
        self.input.as_ref().map(AsRawFd::as_raw_fd)
    }

    fn end_input(&mut self) {
        if let (Some(input), Some(token)) = (&self.input, self.input_token.take()) {
            io::unregister(input.as_fd(), token);
        }
        self.input = None;
    }

    fn output_ready(&mut self) -> bool {
        if !self.write_waiting() {
            return false;
        }
        if self.queue.len() <= LOW_BYTES {
            self.busy = false;
        }
        if self.queue.is_empty()
            && let (Some(output), Some(token)) = (&self.output, self.output_token.take())
        {
            io::unregister(output.as_fd(), token);
        }
        true
    }

    fn flush(&mut self) {
        let Some(output) = &self.output else { return };
        let bytes: Vec<u8> = self.queue.drain(..).collect();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            match sys::fd::write(output.as_fd(), rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => {
                    let _ = sys::fd::wait_writable(output.as_fd(), None);
                }
                Err(_) => return,
            }
        }
    }

    fn stop(mut self: Box<Self>) {
        self.flush();
        self.end_input();
        if let (Some(output), Some(token)) = (&self.output, self.output_token.take()) {
            io::unregister(output.as_fd(), token);
        }
    }
}
