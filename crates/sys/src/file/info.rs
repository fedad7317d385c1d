//! The metadata of files: kind, size, owner, times, permissions.

use rustix::fs::{self as system, FileType, Gid, Mode, Stat, Timespec, Timestamps, Uid};

use super::{File, packed};
use crate::errno::{Errno, Result};
use crate::{host, path};

/// What kind of file a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A block or character device.
    Device,
    /// A directory.
    Directory,
    /// An ordinary file.
    Regular,
    /// A symbolic link, seen only when links are not followed.
    SymbolicLink,
    /// Another kind: a pipe or a socket.
    Other,
}

/// How this process may access a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// It may be read.
    pub read: bool,
    /// It may be written.
    pub write: bool,
}

/// The metadata of a file; times are seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Its size in bytes.
    pub size: u64,
    /// Its kind.
    pub kind: FileKind,
    /// How this process may access it.
    pub access: Access,
    /// When it was read last.
    pub accessed: i64,
    /// When it was written last.
    pub modified: i64,
    /// When its metadata changed last.
    pub changed: i64,
    /// Permissions and kind in the system's encoding.
    pub mode: u32,
    /// How many names it has.
    pub links: u64,
    /// The device of the file system that it is in.
    pub major_device: u64,
    /// The device that it stands for, if it is a device.
    pub minor_device: u64,
    /// Its number in the file system.
    pub inode: u64,
    /// The number of its owner.
    pub user: u32,
    /// The number of its group.
    pub group: u32,
}

/// Whether a name that is a symbolic link stands for the link itself or for its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// For its target.
    Follow,
    /// For the link itself.
    Keep,
}

/// The metadata of the file with this name. `access` is what the system would grant now.
pub fn of(name: &[u8], links: Links) -> Result<FileInfo> {
    if let Some(below) = packed::below(name) {
        return below.info();
    }
    path::with(name, |name| {
        let status = match links {
            Links::Follow => system::stat(name)?,
            Links::Keep => system::lstat(name)?,
        };
        let access = Access {
            read: system::access(name, system::Access::READ_OK).is_ok(),
            write: system::access(name, system::Access::WRITE_OK).is_ok(),
        };
        Ok(FileInfo::from_status(&status, access))
    })
}

impl File {
    /// The metadata of an open file. `access` is what its permissions grant to our user and group.
    pub fn info(&self) -> Result<FileInfo> {
        let status = system::fstat(&self.fd)?;
        let (user, group) = host::effective_ids();
        let (read, write) = if status.st_uid == user {
            (Mode::RUSR, Mode::WUSR)
        } else if status.st_gid == group {
            (Mode::RGRP, Mode::WGRP)
        } else {
            (Mode::ROTH, Mode::WOTH)
        };
        let granted = Mode::from_raw_mode(status.st_mode);
        let access = Access {
            read: granted.contains(read),
            write: granted.contains(write),
        };
        Ok(FileInfo::from_status(&status, access))
    }
}

/// Sets the permissions, which may include set-user-ID and set-group-ID; if the system refuses these two, sets the
/// others without them.
pub fn set_permissions(name: &[u8], permissions: u32) -> Result<()> {
    let special = Mode::SUID | Mode::SGID;
    let mode = Mode::from_raw_mode(permissions) & (special | Mode::RWXU | Mode::RWXG | Mode::RWXO);
    path::with(name, |name| {
        let change = |mode| Ok::<(), Errno>(system::chmod(name, mode)?);
        change(mode).or_else(|_| change(mode - special))
    })
}

/// Sets the owner and the group; `None` leaves either unchanged.
pub fn set_owner(name: &[u8], user: Option<u32>, group: Option<u32>) -> Result<()> {
    /// The system itself takes this number for "unchanged".
    const UNCHANGED: u32 = u32::MAX;
    let user = user.filter(|user| *user != UNCHANGED).map(Uid::from_raw);
    let group = group.filter(|group| *group != UNCHANGED).map(Gid::from_raw);
    path::with(name, |name| Ok(system::chown(name, user, group)?))
}

/// Sets when the file was read and written last, in seconds since 1970.
pub fn set_times(name: &[u8], accessed: i64, modified: i64) -> Result<()> {
    let at = |seconds| Timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    };
    let times = Timestamps {
        last_access: at(accessed),
        last_modification: at(modified),
    };
    path::with(name, |name| {
        Ok(system::utimensat(
            system::CWD,
            name,
            &times,
            system::AtFlags::empty(),
        )?)
    })
}

impl FileInfo {
    fn from_status(status: &Stat, access: Access) -> FileInfo {
        let kind = match FileType::from_raw_mode(status.st_mode) {
            FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
            FileType::Directory => FileKind::Directory,
            FileType::RegularFile => FileKind::Regular,
            FileType::Symlink => FileKind::SymbolicLink,
            _ => FileKind::Other,
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
