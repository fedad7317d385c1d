//! The `fd` driver: descriptors that the node inherited, mainly standard input, output and error; and files, pipes
//! and devices that are opened by name.
//!
//! File descriptions may be shared with whoever started the node, so they are never made non-blocking; a write is
//! tried only when the system says that it will not block. What cannot be polled (a regular file) is written at once,
//! and read by a thread of its own.

use std::cell::RefCell;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Weak;

use smallvec::SmallVec;
use sys::errno::Errno;
use sys::file::{File, OpenMode};
use sys::poll::{Interest, Token};
use sys::standard::tail::{self, Source};
use term::{am, atom};

use super::settings::{OpenError, Settings};
use runtime::effects::log;
use runtime::effects::port::Port;
use runtime::effects::port::descriptor_writer::{Blocking, DescriptorWriter};
use runtime::effects::port::driver::{Access, Close, Command, Control, Driver, Output, Ready};
use runtime::effects::port::framing::Cutter;

/// Maximum number of bytes of one read.
pub(super) const READ_BYTES: usize = 64 << 10;
/// Number of reads in a row before others have their turn.
pub(super) const READS_AT_ONCE: usize = 16;
/// The operation of `port_control` that asks for the size of the window, as OTP numbers it.
const WINDOW_SIZE: u32 = 0x018b_0900 + 100;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// Lends this thread's buffer for reads.
pub(super) fn with_buffer<R>(body: impl FnOnce(&mut [u8]) -> R) -> R {
    BUFFER.with_borrow_mut(|buffer| body(buffer))
}

struct FdDriver {
    input: Option<OwnedFd>,
    input_token: Option<Token>,
    output: Option<DescriptorWriter>,
    /// Standard output or standard error, whose last lines the window shows.
    console: Option<Source>,
    cutter: Cutter,
    /// Option `eof`: at the end of input the port sends a message instead of ending.
    eof: bool,
}

/// Starts the driver for two descriptors.
///
/// A descriptor that is not open is not refused here: no input ever comes from it, which is logged, and output ends
/// the port with `ebadf`.
///
/// # Errors
/// `einval` for an impossible number, or the system's error.
pub(crate) fn start(
    port: &mut Access<'_>,
    input: i32,
    output: i32,
    settings: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    let limit = sys::host::descriptor_limits().map_or(u64::MAX, |(limit, _)| limit);
    let is_none = |wanted: bool, number: i32| {
        u64::try_from(number).map_or(true, |number| wanted && number >= limit)
    };
    if is_none(settings.input, input) || is_none(settings.output, output) {
        return Err(reason(Errno::EINVAL));
    }
    let duplicate = |wanted: bool, number: i32| match wanted.then(|| sys::fd::duplicate(number)) {
        Some(Ok(fd)) => Ok(Some(fd)),
        None | Some(Err(Errno::EBADF)) => Ok(None),
        Some(Err(error)) => Err(reason(error)),
    };
    let name = (input, output);
    let console = tail::source_of(output);
    let output = duplicate(settings.output, output)?;
    let mut driver = FdDriver {
        input: duplicate(settings.input, input)?,
        input_token: None,
        output: output.map(|fd| {
            DescriptorWriter::new(
                fd,
                Blocking::PollFirst,
                settings.framing,
                settings.port_watermarks,
            )
        }),
        console,
        cutter: Cutter::new(settings.framing),
        eof: settings.eof,
    };
    if let Some(input) = &driver.input {
        match port.watch(input.as_fd(), Interest::READ) {
            Ok(token) => driver.input_token = Some(token),
            Err(Errno::EPERM) => {
                let input = input.try_clone().map_err(|_| reason(Errno::EMFILE))?;
                let handle = port.handle();
                sys::thread::spawn("ferl_file_input", 256 << 10, move || {
                    read_file(&handle, &input);
                })
                .map_err(reason)?;
            }
            Err(error) => return Err(reason(error)),
        }
    } else if settings.input {
        log::bad_input(port.id(), name);
    }
    Ok(Box::new(driver))
}

/// Opens a file, a named pipe or a device, and starts the driver for it.
///
/// # Errors
/// Always `einval`, whatever the system's error is.
pub(crate) fn start_file(
    port: &mut Access<'_>,
    file: &[u8],
    settings: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    let mode = OpenMode {
        read: settings.input,
        write: settings.output,
        skip_type_check: true,
        ..OpenMode::default()
    };
    let file = File::open(file, mode).map_err(|_| reason(Errno::EINVAL))?;
    let number = file.as_fd().as_raw_fd();
    start(port, number, number, settings)
}

fn reason(error: Errno) -> OpenError {
    atom::known(error.name())
}

/// Reads a file to its end, on the thread that was started for this.
fn read_file(port: &Weak<Port>, input: &OwnedFd) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = sys::fd::read(input.as_fd(), &mut buffer);
        let Some(port) = port.upgrade() else { return };
        let goes_on = port.run(|driver, access| {
            let bytes = match &read {
                Ok(read) => &buffer[..*read],
                Err(_) => &[],
            };
            driver.incoming(access, bytes);
        });
        if goes_on.is_none() || matches!(read, Ok(0) | Err(_)) {
            return;
        }
    }
}

impl FdDriver {
    /// Reads the input that is available.
    fn read(&mut self, port: &mut Access<'_>) {
        // The descriptor may be shared, so before each read the system is asked whether the read would block.
        for _ in 0..READS_AT_ONCE {
            let Some(input) = &self.input else { return };
            if !matches!(sys::fd::wait_readable(input.as_fd(), Some(0)), Ok(true)) {
                return;
            }
            with_buffer(|buffer| {
                let Some(input) = &self.input else { return };
                match sys::fd::read(input.as_fd(), buffer) {
                    Ok(read) => self.incoming(port, &buffer[..read]),
                    Err(Errno::EAGAIN | Errno::EINTR) => {}
                    Err(_) => self.incoming(port, &[]),
                }
            });
        }
        if let Some(input) = &self.input {
            port.call_again(Ready {
                fd: input.as_raw_fd(),
                readable: true,
                writable: false,
                hangup: false,
            });
        }
    }
}

impl Driver for FdDriver {
    fn description(&self) -> &'static str {
        "Port is UNIX fd not opened by emulator"
    }

    fn takes_vector(&self) -> bool {
        true
    }

    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command {
        let Some(output) = &mut self.output else {
            port.exit(atom::known(Errno::EBADF.name()));
            return Command::Done;
        };
        if let Some(console) = self.console {
            data.parts().for_each(|part| tail::wrote(console, part));
        }
        if let Err(error) = output.send(port, data) {
            port.exit(atom::known(error.name()));
        }
        Command::Done
    }

    fn control(&mut self, _port: &mut Access<'_>, operation: u32, _: &[u8]) -> Option<Control> {
        if operation != WINDOW_SIZE {
            return None;
        }
        let output = self.output.as_ref().map(|output| output.fd());
        let mut candidates = output.into_iter().chain(&self.input);
        let size = candidates.find_map(|fd| sys::terminal::size(fd.as_fd()).ok())?;
        let numbers = [u32::from(size.columns), u32::from(size.rows)];
        let bytes: SmallVec<[u8; 32]> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
        Some(Control::List(bytes))
    }

    fn ready(&mut self, port: &mut Access<'_>, ready: Ready) {
        if ready.readable {
            self.read(port);
        }
        if ready.writable
            && let Some(output) = &mut self.output
            && let Err(error) = output.ready(port)
        {
            port.exit(atom::known(error.name()));
        }
    }

    fn incoming(&mut self, port: &mut Access<'_>, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.cutter.feed(port, bytes);
            return;
        }
        self.cutter.end(port);
        if let (Some(input), Some(token)) = (&self.input, self.input_token.take()) {
            port.unwatch(input.as_fd(), token);
        }
        self.input = None;
        if self.eof {
            port.send_to_connected(|_| am::EOF);
        } else if !port.is_closing() {
            port.exit(am::NORMAL);
        }
    }

    fn queued_bytes(&self) -> usize {
        self.output
            .as_ref()
            .map_or(0, DescriptorWriter::queued_bytes)
    }

    fn close(&mut self, _port: &mut Access<'_>) -> Close {
        Close::WhenEmpty
    }

    fn stop(self: Box<Self>, port: &mut Access<'_>) {
        if let (Some(input), Some(token)) = (&self.input, self.input_token) {
            port.unwatch(input.as_fd(), token);
        }
        if let Some(output) = self.output {
            output.stop(port);
        }
    }
}
