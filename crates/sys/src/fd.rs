//! Descriptors: reading and writing them, making pipes, and the flags they carry.
//!
//! Every descriptor made here is closed when another program is executed. Reads and writes are repeated when
//! a signal interrupts them; on a non-blocking descriptor they answer `eagain`. Descriptors that are
//! shared with other programs (0, 1 and 2) share the non-blocking flag with them too, hence
//! [`set_nonblocking`] tells what it was.
//!
//! Reads and writes call the system without the C library's functions of those names, at which threads can be cancelled:
//! making that possible, twice in each call, takes a tenth of a short one's time, and no thread of ours is ever cancelled.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use crate::clock;
use crate::errno::{Errno, Result, check, check_size, retry};

/// The kernel takes no more parts than this in one gathered read or write.
pub const MOST_PARTS: usize = 1024;

/// Makes reads and writes answer `eagain` instead of waiting. Returns whether they did so before.
pub fn set_nonblocking(fd: BorrowedFd<'_>, nonblocking: bool) -> Result<bool> {
    // SAFETY: the descriptor is open while borrowed; the command takes nothing.
    let flags = check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) })?;
    let before = flags & libc::O_NONBLOCK != 0;
    if before != nonblocking {
        // SAFETY: as above; the command takes flags.
        check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags ^ libc::O_NONBLOCK) })?;
    }
    Ok(before)
}

/// Whether programs executed from now on inherit the descriptor. Returns whether they did before.
pub fn set_inherited(fd: BorrowedFd<'_>, inherited: bool) -> Result<bool> {
    // SAFETY: the descriptor is open while borrowed; the command takes nothing.
    let flags = check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) })?;
    let before = flags & libc::FD_CLOEXEC == 0;
    if before != inherited {
        // SAFETY: as above; the command takes flags.
        check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, flags ^ libc::FD_CLOEXEC) })?;
    }
    Ok(before)
}

/// Which directions a descriptor was opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// It can be read.
    pub readable: bool,
    /// It can be written.
    pub writable: bool,
}

/// Which directions the number is open for; `ebadf` if it is not an open descriptor.
pub fn access_of(number: RawFd) -> Result<Access> {
    // SAFETY: the command takes nothing, and any number may be asked about.
    let flags = check(unsafe { libc::fcntl(number, libc::F_GETFL) })?;
    Ok(match flags & libc::O_ACCMODE {
        libc::O_RDONLY => Access {
            readable: true,
            writable: false,
        },
        libc::O_WRONLY => Access {
            readable: false,
            writable: true,
        },
        _ => Access {
            readable: true,
            writable: true,
        },
    })
}

/// Another descriptor for what the number stands for, such as 0, 1 and 2 or a number that a parent program
/// passed on. Both share the file position and the non-blocking flag.
pub fn duplicate(number: RawFd) -> Result<OwnedFd> {
    duplicate_from(number, 3)
}

/// As [`duplicate`], with the least free number from `lowest` on.
pub(crate) fn duplicate_from(number: RawFd, lowest: RawFd) -> Result<OwnedFd> {
    // SAFETY: the command takes a number; an unopened `number` is refused.
    let copy = check(unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, lowest) })?;
    // SAFETY: the kernel has just given us this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Takes over a descriptor that is open under a number, so that it is closed when the result is dropped.
///
/// # Safety
/// Nobody else may own the descriptor.
pub unsafe fn adopt(number: RawFd) -> Result<OwnedFd> {
    access_of(number)?;
    // SAFETY: open as of the line above, and ours by the caller's promise.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Makes a pipe: its reading and its writing end, both blocking.
pub fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two numbers.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: the kernel has just given us both descriptors.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Makes a pair of connected stream sockets, both blocking.
pub fn socket_pair() -> Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: the kernel writes two numbers.
    check(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
    // SAFETY: the kernel has just given us both descriptors.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Closes a descriptor and tells what the close found, such as a delayed error of an earlier write. The
/// descriptor is gone even if there is an error.
pub fn close(fd: OwnedFd) -> Result<()> {
    use std::os::fd::IntoRawFd;
    // SAFETY: the descriptor was owned, and ownership ends here. Not repeated when interrupted: Linux has
    // freed the number by then.
    match check(unsafe { libc::close(fd.into_raw_fd()) }) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Reads some bytes; 0 is the end.
pub fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
    read_uninit(fd, as_uninit(buffer))
}

/// For reads by the kernel only: whoever gets the result must not write uninitialised bytes to it.
pub(crate) fn as_uninit(buffer: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: both have the same layout, and the callers pass the result to system calls, which write
    // initialised bytes.
    unsafe { &mut *(std::ptr::from_mut(buffer) as *mut [MaybeUninit<u8>]) }
}

/// As [`read`], into memory that need not be initialised: the first bytes, as many as the answer says, are
/// initialised afterwards.
pub fn read_uninit(fd: BorrowedFd<'_>, buffer: &mut [MaybeUninit<u8>]) -> Result<usize> {
    retry(|| {
        // SAFETY: the kernel writes at most as many bytes as the buffer has.
        check_size(unsafe {
            libc::syscall(
                libc::SYS_read,
                fd.as_raw_fd(),
                buffer.as_mut_ptr(),
                buffer.len(),
            )
        } as isize)
    })
}

/// Reads some bytes into several buffers, filling one after the other; 0 is the end.
pub fn readv(fd: BorrowedFd<'_>, buffers: &mut [IoSliceMut<'_>]) -> Result<usize> {
    let count = buffers.len().min(MOST_PARTS) as libc::c_int;
    retry(|| {
        // SAFETY: `IoSliceMut` has the layout of `iovec`, and each names writable memory.
        check_size(unsafe { libc::readv(fd.as_raw_fd(), buffers.as_mut_ptr().cast(), count) })
    })
}

/// Writes some of the bytes.
pub fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
    retry(|| {
        // SAFETY: the kernel reads at most as many bytes as there are.
        check_size(unsafe {
            libc::syscall(libc::SYS_write, fd.as_raw_fd(), bytes.as_ptr(), bytes.len())
        } as isize)
    })
}

/// Writes some of the parts, one after the other.
pub fn writev(fd: BorrowedFd<'_>, parts: &[IoSlice<'_>]) -> Result<usize> {
    if let [part] = parts {
        // Spares the kernel the copy of a list.
        return write(fd, part);
    }
    let count = parts.len().min(MOST_PARTS) as libc::c_int;
    retry(|| {
        // SAFETY: `IoSlice` has the layout of `iovec`, and each names readable memory.
        check_size(unsafe { libc::writev(fd.as_raw_fd(), parts.as_ptr().cast(), count) })
    })
}

/// Writes everything, also to a non-blocking descriptor, waiting for room at most `timeout_ns` nanoseconds in all
/// (`None`: for ever). For what must get out before the program ends. `etimedout` when time is over.
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
                if left == Some(0) || !wait_for(fd, libc::POLLOUT, left)? {
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
    wait_for(fd, libc::POLLIN, timeout_ns)
}

/// Waits until a descriptor can be written without blocking (a pipe: with room for 4 KiB at least); `false` when
/// `timeout_ns` nanoseconds have passed.
pub fn wait_writable(fd: BorrowedFd<'_>, timeout_ns: Option<u64>) -> Result<bool> {
    wait_for(fd, libc::POLLOUT, timeout_ns)
}

fn wait_for(fd: BorrowedFd<'_>, events: libc::c_short, timeout_ns: Option<u64>) -> Result<bool> {
    let start = clock::monotonic_ns();
    let mut entry = libc::pollfd {
        fd: fd.as_raw_fd(),
        events,
        revents: 0,
    };
    let ready = retry(|| {
        let passed = clock::monotonic_ns().saturating_sub(start).max(0) as u64;
        let left = timeout_ns.map(|timeout| clock::timespec(timeout.saturating_sub(passed)));
        let left = left.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: one entry, a null or valid timeout, and no signal mask.
        check(unsafe { libc::ppoll(&mut entry, 1, left, std::ptr::null()) })
    })?;
    Ok(ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn bytes_pass_through_a_pipe_in_parts() {
        let (reader, writer) = pipe().unwrap();
        let parts = [
            IoSlice::new(b"abc"),
            IoSlice::new(b""),
            IoSlice::new(b"defg"),
        ];
        assert_eq!(writev(writer.as_fd(), &parts), Ok(7));
        let (mut one, mut two) = ([0; 2], [0; 9]);
        let mut buffers = [IoSliceMut::new(&mut one), IoSliceMut::new(&mut two)];
        assert_eq!(readv(reader.as_fd(), &mut buffers), Ok(7));
        assert_eq!((&one, &two[..5]), (b"ab", &b"cdefg"[..]));
        close(writer).unwrap();
        assert_eq!(read(reader.as_fd(), &mut one), Ok(0));
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
        assert_eq!(
            access_of(reader.as_raw_fd()),
            Ok(Access {
                readable: true,
                writable: false
            })
        );
        assert_eq!(
            access_of(writer.as_raw_fd()),
            Ok(Access {
                readable: false,
                writable: true
            })
        );
        assert_eq!(access_of(-1), Err(Errno::EBADF));
        assert_eq!(duplicate(1 << 30).unwrap_err(), Errno::EBADF);
        let copy = duplicate(writer.as_raw_fd()).unwrap();
        assert_eq!(set_inherited(copy.as_fd(), true), Ok(false));
        assert_eq!(set_inherited(copy.as_fd(), false), Ok(true));
        drop(writer);
        write(copy.as_fd(), b"x").unwrap();
        assert_eq!(read(reader.as_fd(), &mut [0]), Ok(1));
    }
}
