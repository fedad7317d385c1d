//! Descriptors: reading and writing them, making pipes, and the flags they carry.
//!
//! Every descriptor made here is closed when another program is executed. Reads and writes are repeated when
//! a signal interrupts them; on a non-blocking descriptor they fail with `eagain` instead of waiting. Descriptors that
//! are shared with other programs (0, 1 and 2) share the non-blocking flag with them too, which is why
//! [`set_nonblocking`] returns its former value.
//!
//! Reads and writes enter the kernel directly, by `rustix`. The C library's functions of those names are cancellation
//! points: allowing cancellation, twice in each call, takes a tenth of a short call's time, and no thread of ours is
//! ever cancelled.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::pipe::PipeFlags;

use crate::clock;
use crate::errno::{Errno, Result, check, repeat};

/// The kernel takes at most this many parts in one gathered read or write.
pub(crate) const MOST_PARTS: usize = 1024;

/// Makes reads and writes fail with `eagain` instead of waiting, or ends that. Returns the former setting.
pub fn set_nonblocking(fd: BorrowedFd<'_>, nonblocking: bool) -> Result<bool> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    let before = flags.contains(OFlags::NONBLOCK);
    if before != nonblocking {
        rustix::fs::fcntl_setfl(fd, flags ^ OFlags::NONBLOCK)?;
    }
    Ok(before)
}

/// Whether the number is that of an open descriptor: `ebadf` if not.
pub(crate) fn check_open(number: RawFd) -> Result<()> {
    // By the C library, because the type that `rustix` takes promises that the descriptor is open.
    // SAFETY: the command takes no argument, and any number may be asked about.
    check(unsafe { libc::fcntl(number, libc::F_GETFL) })?;
    Ok(())
}

/// Another descriptor for the same open file, given by its number, such as 0, 1 and 2 or a number that a parent program
/// passed on. Both share the file position and the non-blocking flag.
pub fn duplicate(number: RawFd) -> Result<OwnedFd> {
    duplicate_from(number, 3)
}

/// As [`duplicate`], with the least free number that is at least `lowest`.
pub(crate) fn duplicate_from(number: RawFd, lowest: RawFd) -> Result<OwnedFd> {
    // SAFETY: the command takes a number; the kernel refuses a `number` that is not open.
    let copy = check(unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, lowest) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Takes ownership of a descriptor that is open under a number, so that it is closed when the result is dropped.
///
/// # Safety
/// Nobody else may own the descriptor.
pub unsafe fn adopt(number: RawFd) -> Result<OwnedFd> {
    check_open(number)?;
    // SAFETY: open as of the line above, and ours by the caller's promise.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Makes a pipe: its reading and its writing end, both blocking.
pub fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?)
}

/// Closes a descriptor and returns the error that the close found, such as a delayed error of an earlier write. The
/// descriptor is closed even if there is an error.
pub(crate) fn close(fd: OwnedFd) -> Result<()> {
    use std::os::fd::IntoRawFd;
    // SAFETY: the descriptor was owned, and ownership ends here. Not repeated when interrupted: Linux has
    // freed the number by then.
    match check(unsafe { libc::close(fd.into_raw_fd()) }) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Reads some bytes; 0 means the end of the file.
pub fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
    repeat(|| rustix::io::read(fd, &mut *buffer))
}

/// As [`read`], into memory that need not be initialised: the first bytes, as many as the result says, are
/// initialised afterwards.
pub(crate) fn read_uninit(fd: BorrowedFd<'_>, buffer: &mut [MaybeUninit<u8>]) -> Result<usize> {
    repeat(|| rustix::io::read(fd, &mut *buffer).map(|(filled, _)| filled.len()))
}

/// Writes some of the bytes.
pub(crate) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
    repeat(|| rustix::io::write(fd, bytes))
}

/// Writes some of the parts, one after the other.
pub fn writev(fd: BorrowedFd<'_>, parts: &[IoSlice<'_>]) -> Result<usize> {
    if let [part] = parts {
        // Saves the kernel copying the list of parts.
        return write(fd, part);
    }
    let parts = &parts[..parts.len().min(MOST_PARTS)];
    repeat(|| rustix::io::writev(fd, parts))
}

/// Writes all bytes, also to a non-blocking descriptor, waiting for room at most `timeout_ns` nanoseconds in total
/// (`None`: without limit). For output that must get out before the program ends. `etimedout` when the time is up.
pub fn write_everything(
    fd: BorrowedFd<'_>,
    mut bytes: &[u8],
    timeout_ns: Option<u64>,
) -> Result<()> {
    let start = clock::monotonic_ns();
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::EAGAIN) => {
                let passed = clock::monotonic_ns().saturating_sub(start).max(0) as u64;
                let left = timeout_ns.map(|timeout| timeout.saturating_sub(passed));
                if left == Some(0) || !wait_for(fd, PollFlags::OUT, left)? {
                    return Err(Errno::ETIMEDOUT);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits until a descriptor can be read without blocking; `false` when `timeout_ns` nanoseconds have passed.
pub fn wait_readable(fd: BorrowedFd<'_>, timeout_ns: Option<u64>) -> Result<bool> {
    wait_for(fd, PollFlags::IN, timeout_ns)
}

/// Waits until a descriptor can be written without blocking (a pipe: with room for at least 4 KiB); `false` when
/// `timeout_ns` nanoseconds have passed.
pub fn wait_writable(fd: BorrowedFd<'_>, timeout_ns: Option<u64>) -> Result<bool> {
    wait_for(fd, PollFlags::OUT, timeout_ns)
}

fn wait_for(fd: BorrowedFd<'_>, events: PollFlags, timeout_ns: Option<u64>) -> Result<bool> {
    let start = clock::monotonic_ns();
    let mut entry = [PollFd::from_borrowed_fd(fd, events)];
    let ready = repeat(|| {
        let passed = clock::monotonic_ns().saturating_sub(start).max(0) as u64;
        let left = timeout_ns.map(|timeout| clock::timespec(timeout.saturating_sub(passed)));
        rustix::event::poll(&mut entry, left.as_ref())
    })?;
    Ok(ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsFd, AsRawFd};

    #[test]
    fn bytes_pass_through_a_pipe_in_parts() {
        let (reader, writer) = pipe().unwrap();
        let parts = [
            IoSlice::new(b"abc"),
            IoSlice::new(b""),
            IoSlice::new(b"defg"),
        ];
        assert_eq!(writev(writer.as_fd(), &parts), Ok(7));
        let (mut some, mut rest) = ([0; 2], [0; 9]);
        assert_eq!(read(reader.as_fd(), &mut some), Ok(2));
        assert_eq!(read(reader.as_fd(), &mut rest), Ok(5));
        assert_eq!((&some, &rest[..5]), (b"ab", &b"cdefg"[..]));
        close(writer).unwrap();
        assert_eq!(read(reader.as_fd(), &mut some), Ok(0));
        let many = vec![IoSlice::new(b"x"); 3 * MOST_PARTS];
        let (_reader, writer) = pipe().unwrap();
        assert_eq!(writev(writer.as_fd(), &many), Ok(MOST_PARTS));
    }

    #[test]
    fn a_nonblocking_descriptor_answers_eagain() {
        let (reader, writer) = pipe().unwrap();
        assert_eq!(set_nonblocking(reader.as_fd(), true), Ok(false));
        assert_eq!(set_nonblocking(reader.as_fd(), true), Ok(true));
        assert_eq!(read(reader.as_fd(), &mut [0]), Err(Errno::EAGAIN));
        assert_eq!(wait_readable(reader.as_fd(), Some(1_000_000)), Ok(false));
        write(writer.as_fd(), b"x").unwrap();
        assert_eq!(wait_readable(reader.as_fd(), None), Ok(true));
        assert_eq!(set_nonblocking(reader.as_fd(), false), Ok(true));
    }

    #[test]
    fn everything_is_written_while_somebody_reads() {
        let (reader, writer) = pipe().unwrap();
        set_nonblocking(writer.as_fd(), true).unwrap();
        let bytes: Vec<u8> = (0..1_000_000u32)
            .map(|number| (number % 251) as u8)
            .collect();
        let reading = std::thread::spawn(move || {
            let mut all = Vec::new();
            let mut buffer = [0; 4096];
            loop {
                match read(reader.as_fd(), &mut buffer).unwrap() {
                    0 => return all,
                    count => all.extend_from_slice(&buffer[..count]),
                }
            }
        });
        write_everything(writer.as_fd(), &bytes, None).unwrap();
        drop(writer);
        assert_eq!(reading.join().unwrap(), bytes);
        // Nobody reads: the time runs out.
        let (_reader, writer) = pipe().unwrap();
        set_nonblocking(writer.as_fd(), true).unwrap();
        assert_eq!(
            write_everything(writer.as_fd(), &bytes, Some(2_000_000)),
            Err(Errno::ETIMEDOUT)
        );
    }

    #[test]
    fn numbers_are_checked_and_duplicated() {
        let (reader, writer) = pipe().unwrap();
        assert_eq!(check_open(reader.as_raw_fd()), Ok(()));
        assert_eq!(check_open(-1), Err(Errno::EBADF));
        assert_eq!(duplicate(1 << 30).unwrap_err(), Errno::EBADF);
        let copy = duplicate(writer.as_raw_fd()).unwrap();
        let flags = rustix::io::fcntl_getfd(&copy);
        assert_eq!(flags, Ok(rustix::io::FdFlags::CLOEXEC));
        drop(writer);
        write(copy.as_fd(), b"x").unwrap();
        assert_eq!(read(reader.as_fd(), &mut [0]), Ok(1));
    }
}
