//! What the system knows about a file besides its content: kind, size, owner, times, permissions.

use std::ffi::CStr;
use std::mem::MaybeUninit;

use super::File;
use crate::errno::{Result, check};
use crate::{host, path};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A block or character device.
    Device,
    /// A directory.
    Directory,
    /// An ordinary file.
    Regular,
    /// A symbolic link, seen only when links are not followed.
    SymbolicLink,
    /// A pipe, a socket.
    Other,
}

/// What this process may do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// It may be read.
    pub read: bool,
    /// It may be written.
    pub write: bool,
}

/// The facts about a file; times are seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// In bytes.
    pub size: u64,
    /// What it is.
    pub kind: Kind,
    /// What we may do with it.
    pub access: Access,
    /// When it was read last.
    pub accessed: i64,
    /// When it was written last.
    pub modified: i64,
    /// When its facts changed last.
    pub changed: i64,
    /// Permissions, and the kind in the system's own encoding.
    pub mode: u32,
    /// How many names it has.
    pub links: u64,
    /// The file system it is in.
    pub major_device: u64,
    /// The device it is, if it is one.
    pub minor_device: u64,
    /// Its number in the file system.
    pub inode: u64,
    /// The number of its owner.
    pub user: u32,
    /// The number of its group.
    pub group: u32,
}

/// Whether the last part of a name, if it is a symbolic link, stands for the link or for what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// For what it points to.
    Follow,
    /// For the link itself.
    Keep,
}

/// The facts about the file with this name. Access is what the system would grant now.
pub fn of(name: &[u8], links: Links) -> Result<FileInfo> {
    path::with(name, |name| {
        let mut status = MaybeUninit::uninit();
        // SAFETY: a terminated text, and a structure for the kernel to fill.
        check(unsafe {
            match links {
                Links::Follow => libc::stat(name.as_ptr(), status.as_mut_ptr()),
                Links::Keep => libc::lstat(name.as_ptr(), status.as_mut_ptr()),
            }
        })?;
        // SAFETY: the call above succeeded and filled the structure.
        let status = unsafe { status.assume_init() };
        let access = Access {
            read: is_granted(name, libc::R_OK),
            write: is_granted(name, libc::W_OK),
        };
        Ok(FileInfo::from_status(&status, access))
    })
}

impl File {
    /// The facts about an open file. Access is what its permissions grant to our user and group.
    pub fn info(&self) -> Result<FileInfo> {
        let mut status = MaybeUninit::uninit();
        // SAFETY: an open descriptor, and a structure for the kernel to fill.
        check(unsafe { libc::fstat(self.number(), status.as_mut_ptr()) })?;
        // SAFETY: the call above succeeded and filled the structure.
        let status: libc::stat = unsafe { status.assume_init() };
        let (user, group) = host::effective_ids();
        let (read, write) = if status.st_uid == user {
            (libc::S_IRUSR, libc::S_IWUSR)
        } else if status.st_gid == group {
            (libc::S_IRGRP, libc::S_IWGRP)
        } else {
            (libc::S_IROTH, libc::S_IWOTH)
        };
        let access = Access {
            read: status.st_mode & read != 0,
            write: status.st_mode & write != 0,
        };
        Ok(FileInfo::from_status(&status, access))
    }
}

/// Sets the permissions, which may include set-user-ID and set-group-ID; these are given up if the system
/// refuses them.
pub fn set_permissions(name: &[u8], permissions: u32) -> Result<()> {
    let special = libc::S_ISUID | libc::S_ISGID;
    let mode = permissions & (special | libc::S_IRWXU | libc::S_IRWXG | libc::S_IRWXO);
    path::with(name, |name| {
        // SAFETY: a terminated text and a number.
        let change = |mode| check(unsafe { libc::chmod(name.as_ptr(), mode) });
        change(mode).or_else(|_| change(mode & !special))?;
        Ok(())
    })
}

/// Sets the owner and the group; `None` leaves one as it is.
pub fn set_owner(name: &[u8], user: Option<u32>, group: Option<u32>) -> Result<()> {
    const UNCHANGED: u32 = u32::MAX;
    path::with(name, |name| {
        let (user, group) = (user.unwrap_or(UNCHANGED), group.unwrap_or(UNCHANGED));
        // SAFETY: a terminated text and numbers.
        check(unsafe { libc::chown(name.as_ptr(), user, group) })?;
        Ok(())
    })
}

/// Sets when the file was read and written last, in seconds since 1970.
pub fn set_times(name: &[u8], accessed: i64, modified: i64) -> Result<()> {
    let at = |seconds| libc::timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    };
    path::with(name, |name| {
        let times = [at(accessed), at(modified)];
        // SAFETY: a terminated text and two times.
        check(unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), times.as_ptr(), 0) })?;
        Ok(())
    })
}

fn is_granted(name: &CStr, wish: libc::c_int) -> bool {
    // SAFETY: a terminated text and a number.
    unsafe { libc::access(name.as_ptr(), wish) == 0 }
}

impl FileInfo {
    fn from_status(status: &libc::stat, access: Access) -> FileInfo {
        let kind = match status.st_mode & libc::S_IFMT {
            libc::S_IFCHR | libc::S_IFBLK => Kind::Device,
            libc::S_IFDIR => Kind::Directory,
            libc::S_IFREG => Kind::Regular,
            libc::S_IFLNK => Kind::SymbolicLink,
            _ => Kind::Other,
        };
        FileInfo {
            size: status.st_size as u64,
            kind,
            access,
            accessed: status.st_atime,
            modified: status.st_mtime,
            changed: status.st_ctime,
            mode: status.st_mode,
            // The widths of these differ between processors.
            #[allow(clippy::unnecessary_cast)]
            links: status.st_nlink as u64,
            major_device: status.st_dev,
            minor_device: status.st_rdev,
            inode: status.st_ino,
            user: status.st_uid,
            group: status.st_gid,
        }
    }
}
