//! Files, directories and links: thin, safe forms of the system's calls, with OTP's conventions.
//!
//! Names are bytes. A zero byte inside a name is `einval`; at its end it is dropped. Where the answers of
//! systems differ, those that OTP's `prim_file` gives are given here (an `unlink` of a directory is `eperm`, a
//! directory that is not empty is `eexist`), since programs match on them.
//!
//! Every call may block for as long as the file system does, so callers use threads that may wait.

pub mod info;
pub mod names;

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::errno::{Errno, Result, check, check_size, retry};
use crate::fd::as_uninit;
use crate::{fd, path};

/// How to open a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// For reading.
    pub read: bool,
    /// For writing: creates the file if need be; without `read` and `append` it is emptied.
    pub write: bool,
    /// Every write goes to the end.
    pub append: bool,
    /// With `write`: fails with `eexist` if the name exists.
    pub exclusive: bool,
    /// Writes return when the data is on the disk.
    pub sync: bool,
    /// Opens a directory, and nothing else.
    pub directory: bool,
    /// Does not refuse directories, when `directory` is not set.
    pub skip_type_check: bool,
}

/// An open file. It is closed when dropped; [`File::close`] also tells what the close found.
#[derive(Debug)]
pub struct File {
    fd: OwnedFd,
}

/// From where an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekFrom {
    /// The beginning of the file.
    Start,
    /// The present position.
    Current,
    /// The end of the file.
    End,
}

/// What a program is going to do with a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing in particular.
    Normal,
    /// Read it in no order.
    Random,
    /// Read it from the beginning to the end.
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
        let permissions: libc::c_uint = if mode.directory { 0o777 } else { 0o666 };
        let number = path::with(name, |name| {
            // SAFETY: a terminated text, flags and permissions.
            retry(|| check(unsafe { libc::open(name.as_ptr(), flags, permissions) }))
        })?;
        // SAFETY: the kernel has just given us this descriptor.
        let fd = unsafe { OwnedFd::from_raw_fd(number) };
        let file = File { fd };
        if !mode.directory && !mode.skip_type_check && file.is_directory() {
            return Err(Errno::EISDIR);
        }
        Ok(file)
    }

    /// A file that somebody else opened.
    pub fn from_fd(fd: OwnedFd) -> File {
        File { fd }
    }

    /// Closes the file, and tells errors of earlier writes that were noticed only now.
    pub fn close(self) -> Result<()> {
        fd::close(self.fd)
    }

    /// Reads until the buffers are full or the file ends; 0 is the end. An error after some bytes loses
    /// them, as in OTP.
    pub fn readv(&self, buffers: &mut [IoSliceMut<'_>]) -> Result<usize> {
        let total = buffers.iter().map(|buffer| buffer.len()).sum();
        let mut rest = buffers;
        transfer(total, |_| {
            let count = fd::readv(self.fd.as_fd(), rest)?;
            IoSliceMut::advance_slices(&mut rest, count);
            Ok(count)
        })
    }

    /// As [`File::readv`], into one buffer.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        self.read_uninit(as_uninit(buffer))
    }

    /// As [`File::read`], into memory that need not be initialised: the first bytes, as many as the answer says,
    /// are initialised afterwards.
    pub fn read_uninit(&self, buffer: &mut [MaybeUninit<u8>]) -> Result<usize> {
        transfer(buffer.len(), |done| {
            fd::read_uninit(self.fd.as_fd(), &mut buffer[done..])
        })
    }

    /// As [`File::read`], from an offset on; the file's position stays.
    pub fn pread(&self, offset: i64, buffer: &mut [u8]) -> Result<usize> {
        self.pread_uninit(offset, as_uninit(buffer))
    }

    /// As [`File::pread`], into memory that need not be initialised.
    pub fn pread_uninit(&self, offset: i64, buffer: &mut [MaybeUninit<u8>]) -> Result<usize> {
        if offset < 0 {
            return Err(Errno::EINVAL);
        }
        transfer(buffer.len(), |done| {
            let rest = &mut buffer[done..];
            let offset = position(offset, done)?;
            retry(|| {
                // SAFETY: the kernel writes at most as many bytes as the rest of the buffer has.
                check_size(unsafe {
                    libc::pread(self.number(), rest.as_mut_ptr().cast(), rest.len(), offset)
                })
            })
        })
    }

    /// Reads no bytes, from an offset or where the file stands: whether the file can be read at all.
    ///
    /// # Errors
    /// `ebadf`, `eisdir`...
    pub fn read_nothing(&self, offset: Option<i64>) -> Result<()> {
        let null = std::ptr::null_mut();
        let answer = retry(|| {
            // SAFETY: the kernel writes no byte.
            check_size(unsafe {
                match offset {
                    Some(offset) => libc::pread(self.number(), null, 0, offset),
                    None => libc::read(self.number(), null, 0),
                }
            })
        });
        answer.map(drop)
    }

    /// As [`File::read_uninit`], or, with an offset, as [`File::pread_uninit`], if that needs no waiting for a disk;
    /// `None` when it does, or when this kind of file cannot tell. Only for regular files: nothing else
    /// can be read again when the first part was at hand and the rest is not.
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
            // -1 is the file's own position.
            let at = offset.map_or(Ok(-1), |offset| position(offset, done))?;
            let answer = retry(|| {
                // SAFETY: one part, and the kernel writes at most as many bytes as it has.
                check_size(unsafe { libc::preadv2(self.number(), &part, 1, at, libc::RWF_NOWAIT) })
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

    /// Writes all parts, one after the other. The list is used up.
    pub fn writev(&self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut rest = parts;
        // Empty parts would make a write of nothing look like a file that takes no more.
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            let count = fd::writev(self.fd.as_fd(), rest)?;
            advance(&mut rest, count)?;
        }
        Ok(())
    }

    /// As [`File::writev`], from an offset on; the file's position stays.
    pub fn pwritev(&self, offset: i64, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut rest = parts;
        let mut done = 0;
        IoSlice::advance_slices(&mut rest, 0);
        if offset < 0 {
            return Err(Errno::EINVAL);
        }
        while !rest.is_empty() {
            let parts = rest.len().min(fd::MOST_PARTS) as libc::c_int;
            let at = position(offset, done)?;
            let count = retry(|| {
                // SAFETY: `IoSlice` has the layout of `iovec`, and each names readable memory.
                check_size(unsafe { libc::pwritev(self.number(), rest.as_ptr().cast(), parts, at) })
            })?;
            done += count;
            advance(&mut rest, count)?;
        }
        Ok(())
    }

    /// Moves the file's position and tells it.
    pub fn seek(&self, from: SeekFrom, offset: i64) -> Result<u64> {
        let from = match from {
            SeekFrom::Start => libc::SEEK_SET,
            SeekFrom::Current => libc::SEEK_CUR,
            SeekFrom::End => libc::SEEK_END,
        };
        // SAFETY: an open descriptor and numbers.
        u64::try_from(unsafe { libc::lseek(self.number(), offset, from) })
            .map_err(|_| Errno::last())
    }

    /// Ends the file at the present position.
    pub fn truncate(&self) -> Result<()> {
        let end = self.seek(SeekFrom::Current, 0)?;
        // SAFETY: an open descriptor and a number, which a seek has given.
        retry(|| check(unsafe { libc::ftruncate(self.number(), end as libc::off_t) }))?;
        Ok(())
    }

    /// Returns when everything written is on the disk, with what describes the file.
    pub fn sync(&self) -> Result<()> {
        // SAFETY: an open descriptor.
        retry(|| check(unsafe { libc::fsync(self.number()) }))?;
        Ok(())
    }

    /// Returns when everything written is on the disk.
    pub fn sync_data(&self) -> Result<()> {
        // SAFETY: an open descriptor.
        retry(|| check(unsafe { libc::fdatasync(self.number()) }))?;
        Ok(())
    }

    /// Tells the system what is going to happen to a part of the file; length 0 reaches to the end.
    pub fn advise(&self, offset: i64, length: i64, advice: Advice) -> Result<()> {
        let advice = match advice {
            Advice::Normal => libc::POSIX_FADV_NORMAL,
            Advice::Random => libc::POSIX_FADV_RANDOM,
            Advice::Sequential => libc::POSIX_FADV_SEQUENTIAL,
            Advice::WillNeed => libc::POSIX_FADV_WILLNEED,
            Advice::DontNeed => libc::POSIX_FADV_DONTNEED,
            Advice::NoReuse => libc::POSIX_FADV_NOREUSE,
        };
        if offset < 0 || length < 0 {
            return Err(Errno::EINVAL);
        }
        // SAFETY: an open descriptor and numbers. The answer is an error number, which OTP takes for success
        // because it is not negative; so do we, for advice binds nobody.
        unsafe { libc::posix_fadvise(self.number(), offset, length, advice) };
        Ok(())
    }

    /// Makes sure that there is room on the disk for a part of the file, which grows if need be.
    pub fn allocate(&self, offset: i64, length: i64) -> Result<()> {
        // SAFETY: an open descriptor and numbers.
        match retry(|| check(unsafe { libc::fallocate(self.number(), 0, offset, length) })) {
            Ok(_) => Ok(()),
            // File systems that cannot do it have it done by the C library, which writes.
            Err(_) => loop {
                // SAFETY: as above.
                match unsafe { libc::posix_fallocate(self.number(), offset, length) } {
                    0 => return Ok(()),
                    libc::EINTR => {}
                    error => return Err(Errno(error)),
                }
            },
        }
    }

    fn is_directory(&self) -> bool {
        self.info()
            .is_ok_and(|info| info.kind == info::Kind::Directory)
    }

    fn number(&self) -> libc::c_int {
        self.fd.as_raw_fd()
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

fn open_flags(mode: OpenMode) -> Result<libc::c_int> {
    let mut flags = match (mode.read, mode.write) {
        (true, false) => libc::O_RDONLY,
        (false, true) => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
        (true, true) => libc::O_RDWR | libc::O_CREAT,
        (false, false) => return Err(Errno::EINVAL),
    };
    if mode.append {
        flags &= !libc::O_TRUNC;
        flags |= libc::O_APPEND;
    }
    for (wanted, flag) in [
        (mode.exclusive, libc::O_EXCL),
        (mode.sync, libc::O_SYNC),
        (mode.directory, libc::O_DIRECTORY),
    ] {
        if wanted {
            flags |= flag;
        }
    }
    Ok(flags | libc::O_CLOEXEC)
}

/// Repeats a read, which is told how many bytes it has delivered, until it has delivered all or delivers none.
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

/// Drops what was written from the list. A file that takes nothing of a list that is not empty will take nothing
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
