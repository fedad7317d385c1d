//! The driver `ram_file_drv`: a file in memory, for `file:open(Data, [ram])`.
//!
//! A command is an operation byte and big-endian 32-bit numbers; each gets one answer, or none if it makes no sense,
//! as in OTP. Called with the port's lock held.

use sys::Errno;

use super::settings::{OpenError, Settings};
use runtime::effects::port::driver::{Access, Command, Driver, Output};

/// Operations, as OTP's `ram_file` numbers them.
mod operation {
    pub(super) const OPEN: u8 = 1;
    pub(super) const READ: u8 = 2;
    pub(super) const SEEK: u8 = 3;
    pub(super) const WRITE: u8 = 4;
    pub(super) const SYNC: u8 = 9;
    pub(super) const TRUNCATE: u8 = 14;
    pub(super) const PREAD: u8 = 17;
    pub(super) const PWRITE: u8 = 18;
    pub(super) const SYNC_DATA: u8 = 19;
    pub(super) const GET: u8 = 30;
    pub(super) const SIZE: u8 = 37;
    pub(super) const ADVISE: u8 = 38;
    pub(super) const ALLOCATE: u8 = 39;
}

/// First bytes of answers.
mod response {
    pub(super) const OK: u8 = 0;
    pub(super) const ERROR: u8 = 1;
    pub(super) const DATA: u8 = 2;
    pub(super) const NUMBER: u8 = 3;
}

const MODE_READ: u32 = 1;
const MODE_WRITE: u32 = 2;

/// The file behind a port.
#[derive(Default)]
pub(crate) struct RamFile {
    /// `MODE_READ`, `MODE_WRITE`; 0 until it is opened.
    mode: u32,
    content: Vec<u8>,
    position: usize,
}

/// `{Port, {data, Data}}`: the header is always a list of bytes; what comes after it depends on how the port was
/// opened.
struct Answer {
    header: Vec<u8>,
    data: Option<Vec<u8>>,
}

/// Starts the driver.
///
/// # Errors
/// None.
pub(crate) fn start(
    _port: &mut Access<'_>,
    _command: &[u8],
    _settings: &Settings,
) -> Result<Box<dyn Driver>, OpenError> {
    Ok(Box::new(RamFile::default()))
}

type Outcome = Result<Answer, Errno>;

fn number(value: usize) -> Outcome {
    let value = u32::try_from(value).map_err(|_| Errno::EINVAL)?;
    let mut header = vec![response::NUMBER];
    header.extend(value.to_be_bytes());
    Ok(Answer { header, data: None })
}

fn done() -> Outcome {
    let header = vec![response::OK];
    Ok(Answer { header, data: None })
}

fn data(bytes: &[u8]) -> Outcome {
    let mut answer = number(bytes.len())?;
    answer.header[0] = response::DATA;
    answer.data = Some(bytes.to_vec());
    Ok(answer)
}

fn failed(error: Errno) -> Answer {
    let mut header = vec![response::ERROR];
    header.extend(error.name().as_bytes());
    Answer { header, data: None }
}

/// The first number of a command, and what follows it.
fn take(arguments: &[u8]) -> Result<(i32, &[u8]), Errno> {
    let (number, rest) = arguments.split_first_chunk().ok_or(Errno::EINVAL)?;
    Ok((i32::from_be_bytes(*number), rest))
}

fn not_negative(number: i32) -> Result<usize, Errno> {
    usize::try_from(number).map_err(|_| Errno::EINVAL)
}

impl RamFile {
    /// Carries out a command; returns `None` if there is no such operation.
    fn perform(&mut self, operation: u8, arguments: &[u8]) -> Option<Outcome> {
        Some(match operation {
            operation::OPEN => self.open(arguments),
            operation::READ => take(arguments).and_then(|(size, _)| {
                let from = self.position;
                let (start, end) = self.span(from, size)?;
                if end > start {
                    self.position = end;
                }
                data(&self.content[start..end])
            }),
            operation::PREAD => take(arguments).and_then(|(offset, rest)| {
                let offset = not_negative(offset)?;
                let (start, end) = self.span(offset, take(rest)?.0)?;
                data(&self.content[start..end])
            }),
            operation::WRITE => self.write(self.position, arguments).and_then(|end| {
                self.position = end;
                number(arguments.len())
            }),
            operation::PWRITE => take(arguments).and_then(|(offset, bytes)| {
                self.write(not_negative(offset)?, bytes)?;
                number(bytes.len())
            }),
            operation::SEEK => self.seek(arguments),
            operation::TRUNCATE => self.truncate(),
            operation::GET => data(&self.content),
            operation::SIZE => number(self.content.len()),
            operation::SYNC | operation::SYNC_DATA | operation::ADVISE | operation::ALLOCATE => {
                self.check_open().and_then(|()| done())
            }
            _ => return None,
        })
    }

    fn open(&mut self, arguments: &[u8]) -> Outcome {
        let (mode, content) = take(arguments)?;
        self.mode = mode as u32;
        self.content = content.to_vec();
        self.position = 0;
        number(0)
    }

    fn check_open(&self) -> Result<(), Errno> {
        if self.mode == 0 {
            return Err(Errno::EBADF);
        }
        Ok(())
    }

    /// Start and end of the bytes that a read of `size` bytes at `start` finds.
    fn span(&self, start: usize, size: i32) -> Result<(usize, usize), Errno> {
        if self.mode & MODE_READ == 0 {
            return Err(Errno::EBADF);
        }
        let size = not_negative(size)?;
        let start = start.min(self.content.len());
        Ok((start, (start + size).min(self.content.len())))
    }

    /// Writes bytes at `start`; returns where they end.
    fn write(&mut self, start: usize, bytes: &[u8]) -> Result<usize, Errno> {
        if self.mode & MODE_WRITE == 0 {
            return Err(Errno::EBADF);
        }
        let end = start.checked_add(bytes.len()).ok_or(Errno::EINVAL)?;
        self.grow(end)?;
        self.content[start..end].copy_from_slice(bytes);
        Ok(end)
    }

    fn grow(&mut self, size: usize) -> Result<(), Errno> {
        if let Some(more) = size.checked_sub(self.content.len()) {
            let reserved = term::held::attempt(|| self.content.try_reserve(more));
            reserved.map_err(|_| Errno::ENOMEM)?;
            self.content.resize(size, 0);
        }
        Ok(())
    }

    fn seek(&mut self, arguments: &[u8]) -> Outcome {
        let (offset, rest) = take(arguments)?;
        let (origin, _) = take(rest)?;
        self.check_open()?;
        let from = match origin {
            0 => 0,
            1 => self.position,
            2 => self.content.len(),
            _ => return Err(Errno::EINVAL),
        };
        let position = from.checked_add_signed(offset as isize);
        self.position = position.ok_or(Errno::EINVAL)?;
        number(self.position)
    }

    fn truncate(&mut self) -> Outcome {
        if self.mode & MODE_WRITE == 0 {
            return Err(Errno::EACCES);
        }
        self.content.truncate(self.position);
        self.grow(self.position)?;
        done()
    }
}

impl RamFile {
    /// Carries out a command and returns the answer, or `None` if the command makes no sense.
    fn answer(&mut self, command: &[u8]) -> Option<Answer> {
        let (&operation, arguments) = command.split_first()?;
        let outcome = self.perform(operation, arguments)?;
        Some(outcome.unwrap_or_else(failed))
    }
}

impl Driver for RamFile {
    fn output(&mut self, port: &mut Access<'_>, command: &Output) -> Command {
        if let Some(answer) = self.answer(&command.whole()) {
            match answer.data {
                Some(data) => port.send_data(&answer.header, &data),
                None => port.send_header(&answer.header),
            }
        }
        Command::Done
    }

    fn stop(self: Box<Self>, _port: &mut Access<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perform(file: &mut RamFile, command: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let answer = file.answer(command)?;
        Some((answer.header, answer.data))
    }

    #[test]
    fn commands_are_answered_or_ignored() {
        let mut file = RamFile::default();
        let error = |name: &str| Some(([&[1], name.as_bytes()].concat(), None));
        assert_eq!(perform(&mut file, b""), None);
        assert_eq!(perform(&mut file, &[200]), None);
        assert_eq!(perform(&mut file, &[9]), error("ebadf"));
        assert_eq!(perform(&mut file, &[1, 0, 0]), error("einval"));
        let number = |value: u8| Some((vec![3, 0, 0, 0, value], None));
        assert_eq!(perform(&mut file, b"\x01\0\0\0\x03abcdef"), number(0));
        let data = |bytes: &[u8]| Some((vec![2, 0, 0, 0, bytes.len() as u8], Some(bytes.to_vec())));
        assert_eq!(perform(&mut file, &[2, 0, 0, 0, 2]), data(b"ab"));
        assert_eq!(perform(&mut file, b"\x04XY"), number(2));
        assert_eq!(perform(&mut file, &[30]), data(b"abXYef"));
        assert_eq!(
            perform(&mut file, &[17, 0, 0, 0, 4, 0, 0, 0, 9]),
            data(b"ef")
        );
        assert_eq!(perform(&mut file, b"\x12\0\0\0\x07Z"), number(1));
        assert_eq!(perform(&mut file, &[30]), data(b"abXYef\0Z"));
        assert_eq!(
            perform(&mut file, &[3, 255, 255, 255, 251, 0, 0, 0, 2]),
            number(3)
        );
        assert_eq!(perform(&mut file, &[14]), Some((vec![0], None)));
        assert_eq!(perform(&mut file, &[37]), number(3));
        assert_eq!(
            perform(&mut file, &[3, 255, 255, 255, 251, 0, 0, 0, 2]),
            error("einval")
        );
        assert_eq!(
            perform(&mut file, &[2, 255, 255, 255, 251]),
            error("einval")
        );
    }
}
