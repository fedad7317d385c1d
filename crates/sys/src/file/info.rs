//! What the system knows about a file besides its content: kind, size, owner, times, permissions.

use rustix::fs::{self as system, FileType, Gid, Mode, Stat, Timespec, Timestamps, Uid};

use super::File;
use crate::errno::{Errno, Result};
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
    /// The facts about an open file. Access is what its permissions grant to our user and group.
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

/// Sets the permissions, which may include set-user-ID and set-group-ID; these are given up if the system
/// refuses them.
pub fn set_permissions(name: &[u8], permissions: u32) -> Result<()> {
    let special = Mode::SUID | Mode::SGID;
    let mode = Mode::from_raw_mode(permissions) & (special | Mode::RWXU | Mode::RWXG | Mode::RWXO);
    path::with(name, |name| {
        let change = |mode| Ok::<(), Errno>(system::chmod(name, mode)?);
        change(mode).or_else(|_| change(mode - special))
    })
}

/// Sets the owner and the group; `None` leaves one as it is.
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
            FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
            FileType::Directory => Kind::Directory,
            FileType::RegularFile => Kind::Regular,
            FileType::Symlink => Kind::SymbolicLink,
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
