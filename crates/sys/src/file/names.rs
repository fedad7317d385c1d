//! Names: making, listing, linking, renaming and removing them; the working directory.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::info::{self, Links};
use crate::errno::{Errno, Result, check};
use crate::path;

/// Longer results are taken for damage.
const MOST_BYTES: usize = 1 << 20;

/// Makes a directory.
pub fn make_directory(name: &[u8]) -> Result<()> {
    // SAFETY: a terminated text and permissions.
    named(name, |name| unsafe { libc::mkdir(name.as_ptr(), 0o777) })
}

/// Removes a directory: `eexist` if it is not empty, `einval` if it is the working directory and not empty.
pub fn remove_directory(name: &[u8]) -> Result<()> {
    // SAFETY: a terminated text.
    let answer = named(name, |name| unsafe { libc::rmdir(name.as_ptr()) });
    match answer {
        Err(Errno::ENOTEMPTY | Errno::EEXIST) if is_working_directory(name) => Err(Errno::EINVAL),
        Err(Errno::ENOTEMPTY) => Err(Errno::EEXIST),
        answer => answer,
    }
}

/// Removes a name that is not a directory's; `eperm` if it is.
pub fn remove_file(name: &[u8]) -> Result<()> {
    // SAFETY: a terminated text.
    match named(name, |name| unsafe { libc::unlink(name.as_ptr()) }) {
        Err(Errno::EISDIR) => Err(Errno::EPERM),
        answer => answer,
    }
}

/// Gives a file another name, replacing what has it: `eexist` if that is a directory that is not empty.
pub fn rename(old: &[u8], new: &[u8]) -> Result<()> {
    // SAFETY: terminated texts.
    match two_named(old, new, |old, new| unsafe {
        libc::rename(old.as_ptr(), new.as_ptr())
    }) {
        Err(Errno::ENOTEMPTY) => Err(Errno::EEXIST),
        // Systems differ in what they say of renaming the root.
        Err(_) if old.split(|byte| *byte == 0).next() == Some(b"/") => Err(Errno::EINVAL),
        answer => answer,
    }
}

/// Gives a file a second name.
pub fn make_link(existing: &[u8], new: &[u8]) -> Result<()> {
    // SAFETY: terminated texts.
    two_named(existing, new, |existing, new| unsafe {
        libc::link(existing.as_ptr(), new.as_ptr())
    })
}

/// Makes a symbolic link that points to `target`, which need not exist.
pub fn make_symbolic_link(target: &[u8], new: &[u8]) -> Result<()> {
    // SAFETY: terminated texts.
    two_named(target, new, |target, new| unsafe {
        libc::symlink(target.as_ptr(), new.as_ptr())
    })
}

/// What a symbolic link points to; `einval` if the name is none.
pub fn read_link(name: &[u8]) -> Result<Vec<u8>> {
    path::with(name, |name| {
        let mut target = vec![0u8; 256];
        loop {
            // SAFETY: a terminated text, and as many writable bytes as are said.
            let answer =
                unsafe { libc::readlink(name.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
            let length = usize::try_from(answer).map_err(|_| Errno::last())?;
            if length < target.len() {
                target.truncate(length);
                return Ok(target);
            }
            // It may have been cut.
            if target.len() >= MOST_BYTES {
                return Err(Errno::ENAMETOOLONG);
            }
            target.resize(target.len() * 2, 0);
        }
    })
}

/// The names in a directory, without `.` and `..`, in the order in which the system gives them.
pub fn list_directory(name: &[u8]) -> Result<Vec<Vec<u8>>> {
    let name = path::owned(name)?;
    let entries = std::fs::read_dir(OsStr::from_bytes(name.as_bytes()))?;
    let names = entries.map(|entry| Ok(entry?.file_name().into_vec()));
    names.collect()
}

/// The directory that relative names count from.
pub fn working_directory() -> Result<Vec<u8>> {
    Ok(std::env::current_dir()?.into_os_string().into_vec())
}

/// Changes the directory that relative names count from, for the whole process.
pub fn set_working_directory(name: &[u8]) -> Result<()> {
    // SAFETY: a terminated text.
    named(name, |name| unsafe { libc::chdir(name.as_ptr()) })
}

/// What to ask [`may`] about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Whether the name exists.
    Exist,
    /// Whether the file may be read.
    Read,
    /// Whether it may be written.
    Write,
    /// Whether it may be executed, or (a directory) searched.
    Execute,
}

/// Whether this process could do something with a name; the error says why not.
pub fn may(name: &[u8], wish: Wish) -> Result<()> {
    let wish = match wish {
        Wish::Exist => libc::F_OK,
        Wish::Read => libc::R_OK,
        Wish::Write => libc::W_OK,
        Wish::Execute => libc::X_OK,
    };
    // SAFETY: a terminated text and a number.
    named(name, |name| unsafe { libc::access(name.as_ptr(), wish) })
}

/// Whether the name is that of a file (no directory) that may be executed.
pub fn is_program(name: &[u8]) -> bool {
    let is_file = info::of(name, Links::Follow).is_ok_and(|info| info.kind == info::Kind::Regular);
    is_file && may(name, Wish::Execute).is_ok()
}

/// Whether the name is that of the directory that relative names count from.
pub fn is_working_directory(name: &[u8]) -> bool {
    let place =
        |name: &[u8]| info::of(name, Links::Follow).map(|info| (info.major_device, info.inode));
    matches!((place(name), place(b".")), (Ok(this), Ok(working)) if this == working)
}

fn named(name: &[u8], call: impl FnOnce(&CStr) -> libc::c_int) -> Result<()> {
    path::with(name, |name| check(call(name)))?;
    Ok(())
}

fn two_named(
    one: &[u8],
    other: &[u8],
    call: impl FnOnce(&CStr, &CStr) -> libc::c_int,
) -> Result<()> {
    path::with(one, |one| {
        path::with(other, |other| check(call(one, other)))
    })?;
    Ok(())
}
