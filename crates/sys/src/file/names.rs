//! Names: making, listing, linking, renaming and removing them; the working directory.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::Access;
use rustix::io::Result as SystemResult;

use super::info::{self, Links};
use super::packed;
use crate::errno::{Errno, Result};
use crate::path;

/// Makes a directory.
pub fn make_directory(name: &[u8]) -> Result<()> {
    named(name, |name| rustix::fs::mkdir(name, 0o777.into()))
}

/// Removes a directory: `eexist` if it is not empty, `einval` if it is the working directory and not empty.
pub fn remove_directory(name: &[u8]) -> Result<()> {
    match named(name, |name| rustix::fs::rmdir(name)) {
        Err(Errno::ENOTEMPTY | Errno::EEXIST) if is_working_directory(name) => Err(Errno::EINVAL),
        Err(Errno::ENOTEMPTY) => Err(Errno::EEXIST),
        result => result,
    }
}

/// Removes a file by its name; `eperm` if it is a directory.
pub fn remove_file(name: &[u8]) -> Result<()> {
    match named(name, |name| rustix::fs::unlink(name)) {
        Err(Errno::EISDIR) => Err(Errno::EPERM),
        result => result,
    }
}

/// Gives a file another name, replacing any file of that name: `eexist` if that is a directory that is not empty.
pub fn rename(old: &[u8], new: &[u8]) -> Result<()> {
    match two_named(old, new, |old, new| rustix::fs::rename(old, new)) {
        Err(Errno::ENOTEMPTY) => Err(Errno::EEXIST),
        // Systems differ in the error for renaming the root.
        Err(_) if old.split(|byte| *byte == 0).next() == Some(b"/") => Err(Errno::EINVAL),
        result => result,
    }
}

/// Gives a file a second name.
pub fn make_link(existing: &[u8], new: &[u8]) -> Result<()> {
    two_named(existing, new, |existing, new| {
        rustix::fs::link(existing, new)
    })
}

/// Makes a symbolic link that points to `target`, which need not exist.
pub fn make_symbolic_link(target: &[u8], new: &[u8]) -> Result<()> {
    two_named(target, new, |target, new| rustix::fs::symlink(target, new))
}

/// What a symbolic link points to; `einval` if the name is not one of a symbolic link.
pub fn read_link(name: &[u8]) -> Result<Vec<u8>> {
    if let Some(below) = packed::below(name) {
        return below.read_link();
    }
    path::with(name, |name| {
        Ok(rustix::fs::readlink(name, Vec::new())?.into_bytes())
    })
}

/// The names in a directory, without `.` and `..`, in the system's order.
pub fn list_directory(name: &[u8]) -> Result<Vec<Vec<u8>>> {
    if let Some(below) = packed::below(name) {
        return below.list();
    }
    let name = path::owned(name)?;
    let entries = std::fs::read_dir(OsStr::from_bytes(name.as_bytes()))?;
    let names = entries.map(|entry| Ok(entry?.file_name().into_vec()));
    names.collect()
}

/// The working directory.
pub fn working_directory() -> Result<Vec<u8>> {
    Ok(std::env::current_dir()?.into_os_string().into_vec())
}

/// Changes the working directory of the whole process.
pub fn set_working_directory(name: &[u8]) -> Result<()> {
    named(name, |name| rustix::process::chdir(name))
}

/// The kind of access that [`may`] is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Whether the name exists.
    Exist,
    /// Whether the file may be read.
    Read,
    /// Whether it may be written.
    Write,
    /// Whether it may be executed, or (a directory) searched.
    Execute,
}

/// Whether this process may access a file in some way; the error says why not.
pub fn may(name: &[u8], kind: AccessKind) -> Result<()> {
    if let Some(below) = packed::below(name) {
        return below.may(kind);
    }
    let kind = match kind {
        AccessKind::Exist => Access::EXISTS,
        AccessKind::Read => Access::READ_OK,
        AccessKind::Write => Access::WRITE_OK,
        AccessKind::Execute => Access::EXEC_OK,
    };
    named(name, |name| rustix::fs::access(name, kind))
}

/// Whether the name is that of a regular file that may be executed.
pub fn is_program(name: &[u8]) -> bool {
    let is_file =
        info::of(name, Links::Follow).is_ok_and(|info| info.kind == info::FileKind::Regular);
    is_file && may(name, AccessKind::Execute).is_ok()
}

/// Whether the name is that of the working directory.
pub fn is_working_directory(name: &[u8]) -> bool {
    let place =
        |name: &[u8]| info::of(name, Links::Follow).map(|info| (info.major_device, info.inode));
    matches!((place(name), place(b".")), (Ok(this), Ok(working)) if this == working)
}

fn named(name: &[u8], call: impl FnOnce(&CStr) -> SystemResult<()>) -> Result<()> {
    path::with(name, |name| Ok(call(name)?))
}

fn two_named(
    one: &[u8],
    other: &[u8],
    call: impl FnOnce(&CStr, &CStr) -> SystemResult<()>,
) -> Result<()> {
    path::with(one, |one| path::with(other, |other| Ok(call(one, other)?)))
}
