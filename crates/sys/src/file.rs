//! Files, directories and links: thin, safe forms of the system's calls, with OTP's conventions.
//!
//! Names are bytes. A zero byte inside a name is `einval`; at its end it is dropped. Where systems return different
//! errors, the functions here return those of OTP's `prim_file` (`eperm` for an `unlink` of a directory, `eexist` for a
//! directory that is not empty), since programs match on them.
//!
//! Every call may block for as long as the file system does, so callers use threads that may wait.

pub mod info;
pub mod names;
pub mod packed;

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{FallocateFlags, FileType, Mode, OFlags};

use crate::errno::{Errno, Result, check_size, repeat, retry};
use crate::{fd, path};

/// How to open a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// Opens it for reading.
    pub read: bool,
    /// Opens it for writing: creates the file if it does not exist; without `read` and `append` it is truncated.
    pub write: bool,
    /// Appends every write to the end.
    pub append: bool,
    /// With `write`: fails with `eexist` if the name exists.
    pub exclusive: bool,
    /// Writes return when the data is on disk.
    pub sync: bool,
    /// Opens a directory; other files are refused.
    pub directory: bool,
    /// Also opens directories, when `directory` is not set.
    pub skip_type_check: bool,
}

/// An open file. It is closed when dropped; [`File::close`] also returns the error that the close found.
#[derive(Debug)]
pub struct File {
    fd: OwnedFd,
}

/// What an offset is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekFrom {
    /// The beginning of the file.
    Start,
    /// The current position.
    Current,
    /// The end of the file.
    End,
}

/// How a program is going to use a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing in particular.
    Normal,
    /// Read it in random order.
    Random,
    /// Read it from beginning to end.
    Sequential,
    /// Read it soon.
    WillNeed,
    /// Not read it again soon.
    DontNeed,
    /// Read it once.
    NoReuse,
}

impl File {
    /// Opens or creates a file. `einval` when neither reading nor writing is asked for, `eisdir` when the name is a
    /// directory and the mode does not say so.
    pub fn open(name: &[u8], mode: OpenMode) -> Result<File> {
        let flags = open_flags(mode)?;
        if let Some(below) = packed::below(name) {
            return below.open(mode);
        }
        let permissions = Mode::from(if mode.directory { 0o777 } else { 0o666 });
        let fd = path::with(name, |name| {
            repeat(|| rustix::fs::open(name, flags, permissions))
        })?;
        let file = File { fd };
        if !mode.directory && !mode.skip_type_check && file.is_directory() {
            return Err(Errno::EISDIR);
        }
        Ok(file)
    }

    /// Creates or empties an ordinary file that the machine itself writes, in a folder where others may write too: a
    /// link is not followed (`eloop`), and a pipe or a device is refused (`enxio`, `einval`) instead of waited for.
    pub fn create_ordinary(name: &[u8]) -> Result<OwnedFd> {
        let flags = OFlags::WRONLY
            | OFlags::CREATE
            | OFlags::TRUNC
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        let fd = path::with(name, |name| {
            repeat(|| rustix::fs::open(name, flags, Mode::from(0o666)))
        })?;
        let status = rustix::fs::fstat(&fd)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => Ok(fd),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Opens an ordinary file to read what somebody else writes: a pipe or a device is refused (`einval`) instead of
    /// waited for.
    pub fn open_ordinary(name: &[u8]) -> Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = path::with(name, |name| {
            repeat(|| rustix::fs::open(name, flags, Mode::empty()))
        })?;
        let status = rustix::fs::fstat(&fd)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => Ok(File { fd }),
            _ => Err(Errno::EINVAL),
        }
    }

    /// A file that is open already.
    pub fn from_fd(fd: OwnedFd) -> File {
        File { fd }
    }

    /// Closes the file, and returns errors of earlier writes that were noticed only now.
    pub fn close(self) -> Result<()> {
        fd::close(self.fd)
    }

    /// Reads until the buffer is full or the file ends; 0 means the end. An error after some bytes loses them, as in
    /// OTP.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        transfer(buffer.len(), |done| {
            fd::read(self.fd.as_fd(), &mut buffer[done..])
        })
    }

    /// As [`File::read`], into memory that need not be initialised: the first bytes, as many as the result says,
    /// are initialised afterwards.
    pub fn read_uninit(&self, buffer: &mut [MaybeUninit<u8>]) -> Result<usize> {
        transfer(buffer.len(), |done| {
            fd::read_uninit(self.fd.as_fd(), &mut buffer[done..])
        })
    }

    /// As [`File::read`], from an offset; the file's position does not change.
    pub fn pread(&self, offset: i64, buffer: &mut [u8]) -> Result<usize> {
        if offset < 0 {
            return Err(Errno::EINVAL);
        }
        transfer(buffer.len(), |done| {
            let offset = position(offset, done)? as u64;
            repeat(|| rustix::io::pread(&self.fd, &mut buffer[done..], offset))
        })
    }

    /// As [`File::pread`], into memory that need not be initialised.
    pub fn pread_uninit(&self, offset: i64, buffer: &mut [MaybeUninit<u8>]) -> Result<usize> {
        if offset < 0 {
            return Err(Errno::EINVAL);
        }
        transfer(buffer.len(), |done| {
            let offset = position(offset, done)? as u64;
            repeat(|| {
                let (filled, _) = rustix::io::pread(&self.fd, &mut buffer[done..], offset)?;
                Ok(filled.len())
            })
        })
    }

    /// Reads zero bytes, at an offset or at the file's position, to find out whether the file can be read.
    ///
    /// # Errors
    /// `ebadf`, `eisdir`...
    pub fn read_nothing(&self, offset: Option<i64>) -> Result<()> {
        let mut nothing = [0u8; 0];
        repeat(|| match offset {
            // The kernel refuses a negative offset.
            Some(offset) => rustix::io::pread(&self.fd, &mut nothing, offset as u64),
            None => rustix::io::read(&self.fd, &mut nothing),
        })
        .map(drop)
    }

    /// As [`File::read_uninit`], or, with an offset, as [`File::pread_uninit`], if all of it is cached. `None` if it
    /// would wait for a disk, or if this kind of file does not tell. Only for regular files: other files cannot be read
    /// again when only the first part was cached.
    pub fn read_cached(
        &self,
        offset: Option<i64>,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Option<usize>> {
        if offset.is_some_and(|offset| offset < 0) {
            return Err(Errno::EINVAL);
        }
        let mut done = 0;
        while done < buffer.len() {
            let rest = &mut buffer[done..];
            let part = libc::iovec {
                iov_base: rest.as_mut_ptr().cast(),
                iov_len: rest.len(),
            };
            // -1 means the file's own position.
            let at = offset.map_or(Ok(-1), |offset| position(offset, done))?;
            let answer = retry(|| {
                // `rustix` takes initialised buffers only.
                // SAFETY: one part, and the kernel writes at most as many bytes as it has.
                check_size(unsafe {
                    libc::preadv2(self.fd.as_raw_fd(), &part, 1, at, libc::RWF_NOWAIT)
                })
            });
            match answer {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(Errno::EAGAIN | Errno::ENOTSUP | Errno::ENOSYS) => {
                    if offset.is_none() && done > 0 {
                        // A buffer is never as long as an offset can be.
                        self.seek(SeekFrom::Current, -(done as i64))?;
                    }
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(done))
    }

    /// Writes all bytes.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        self.writev(&mut [IoSlice::new(bytes)])
    }

    /// Writes all parts, one after the other. The list is consumed.
    pub fn writev(&self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut rest = parts;
        // With empty parts only, a write returns 0, which would look like a file that takes no more.
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            let count = fd::writev(self.fd.as_fd(), rest)?;
            advance(&mut rest, count)?;
        }
        Ok(())
    }

    /// As [`File::writev`], at an offset; the file's position does not change.
    pub fn pwritev(&self, offset: i64, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut rest = parts;
        let mut done = 0;
        IoSlice::advance_slices(&mut rest, 0);
        if offset < 0 {
            return Err(Errno::EINVAL);
        }
        while !rest.is_empty() {
            let parts = &rest[..rest.len().min(fd::MOST_PARTS)];
            let at = position(offset, done)? as u64;
            let count = repeat(|| rustix::io::pwritev(&self.fd, parts, at))?;
            done += count;
            advance(&mut rest, count)?;
        }
        Ok(())
    }

    /// Moves the file's position and returns it.
    pub fn seek(&self, from: SeekFrom, offset: i64) -> Result<u64> {
        let to = match from {
            // The kernel refuses a negative offset.
            SeekFrom::Start => rustix::fs::SeekFrom::Start(offset as u64),
            SeekFrom::Current => rustix::fs::SeekFrom::Current(offset),
            SeekFrom::End => rustix::fs::SeekFrom::End(offset),
        };
        Ok(rustix::fs::seek(&self.fd, to)?)
    }

    /// Truncates the file at its current position.
    pub fn truncate(&self) -> Result<()> {
        let end = self.seek(SeekFrom::Current, 0)?;
        repeat(|| rustix::fs::ftruncate(&self.fd, end))
    }

    /// Returns when all written data and the file's metadata are on disk.
    pub fn sync(&self) -> Result<()> {
        repeat(|| rustix::fs::fsync(&self.fd))
    }

    /// Returns when all written data is on disk.
    pub fn sync_data(&self) -> Result<()> {
        repeat(|| rustix::fs::fdatasync(&self.fd))
    }

    /// Tells the system how a part of the file is going to be used; length 0 means up to the end.
    pub fn advise(&self, offset: i64, length: i64, advice: Advice) -> Result<()> {
        let advice = match advice {
            Advice::Normal => rustix::fs::Advice::Normal,
            Advice::Random => rustix::fs::Advice::Random,
            Advice::Sequential => rustix::fs::Advice::Sequential,
            Advice::WillNeed => rustix::fs::Advice::WillNeed,
            Advice::DontNeed => rustix::fs::Advice::DontNeed,
            Advice::NoReuse => rustix::fs::Advice::NoReuse,
        };
        let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else {
            return Err(Errno::EINVAL);
        };
        // OTP takes errors for success here, because the C library returns them as positive numbers. So do we: advice
        // binds nobody.
        let _ = rustix::fs::fadvise(&self.fd, offset, NonZeroU64::new(length), advice);
        Ok(())
    }

    /// Allocates disk space for a part of the file, which grows if the part lies beyond its end.
    pub fn allocate(&self, offset: i64, length: i64) -> Result<()> {
        // The kernel refuses negative numbers.
        let (at, bytes) = (offset as u64, length as u64);
        match repeat(|| rustix::fs::fallocate(&self.fd, FallocateFlags::empty(), at, bytes)) {
            Ok(()) => Ok(()),
            // On file systems without support the C library does it, by writing.
            Err(_) => loop {
                // SAFETY: an open descriptor and numbers.
                match unsafe { libc::posix_fallocate(self.fd.as_raw_fd(), offset, length) } {
                    0 => return Ok(()),
                    libc::EINTR => {}
                    error => return Err(Errno(error)),
                }
            },
        }
    }

    fn is_directory(&self) -> bool {
        self.info()
            .is_ok_and(|info| info.kind == info::FileKind::Directory)
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl From<File> for OwnedFd {
    fn from(file: File) -> OwnedFd {
        file.fd
    }
}

fn open_flags(mode: OpenMode) -> Result<OFlags> {
    let mut flags = match (mode.read, mode.write) {
        (true, false) => OFlags::RDONLY,
        (false, true) => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        (true, true) => OFlags::RDWR | OFlags::CREATE,
        (false, false) => return Err(Errno::EINVAL),
    };
    if mode.append {
        flags.remove(OFlags::TRUNC);
        flags.insert(OFlags::APPEND);
    }
    flags.set(OFlags::EXCL, mode.exclusive);
    flags.set(OFlags::SYNC, mode.sync);
    flags.set(OFlags::DIRECTORY, mode.directory);
    Ok(flags | OFlags::CLOEXEC)
}

/// Repeats a read until it has read `total` bytes or returns 0; `read` is given the number of bytes read so far.
fn transfer(total: usize, mut read: impl FnMut(usize) -> Result<usize>) -> Result<usize> {
    let mut done = 0;
    while done < total {
        match read(done)? {
            0 => break,
            count => done += count,
        }
    }
    Ok(done)
}

/// Removes the written bytes from the list. If a file takes no byte of a non-empty list, it would take none
/// the next time either.
fn advance(rest: &mut &mut [IoSlice<'_>], count: usize) -> Result<()> {
    if count == 0 {
        return Err(Errno::EIO);
    }
    IoSlice::advance_slices(rest, count);
    Ok(())
}

fn position(offset: i64, done: usize) -> Result<i64> {
    i64::try_from(done)
        .ok()
        .and_then(|done| offset.checked_add(done))
        .ok_or(Errno::EINVAL)
}

#[cfg(test)]
mod tests;
