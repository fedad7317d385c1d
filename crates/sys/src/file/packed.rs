//! Files that a program carries in its own file, seen as a folder by that file's name.
//!
//! If `/srv/app` is this program and carries `lib/stdlib/ebin/lists.beam`, then `/srv/app/lib/stdlib/ebin/lists.beam`
//! can be opened, listed and asked about as if it were there. No other file is hidden by that, because the system has
//! none below a name that is a file's; and it refuses by itself (`enotdir`) to make, rename or remove anything there.
//!
//! An opened file is a copy in memory that nobody can change: an ordinary descriptor, with which all else works.
//!
//! [`set`] is called once, before other threads run.

use std::collections::HashMap;
use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::fs::{MemfdFlags, SealFlags};

use super::info::{Access, FileInfo, FileKind};
use super::{File, OpenMode, SeekFrom};
use crate::errno::{Errno, Result};

/// What a program carries. Paths are below the program, without `.`, `..` and empty parts; the empty path is the
/// program itself as a folder.
pub trait Packed: Send + Sync {
    /// What is at a path.
    fn look(&self, path: &[u8]) -> Option<Found>;
    /// The contents of a file.
    fn read(&self, path: &[u8]) -> Result<Vec<u8>>;
    /// The names in a folder.
    fn list(&self, path: &[u8]) -> Vec<Vec<u8>>;
}

impl<P: Packed> Packed for Arc<P> {
    fn look(&self, path: &[u8]) -> Option<Found> {
        (**self).look(path)
    }

    fn read(&self, path: &[u8]) -> Result<Vec<u8>> {
        (**self).read(path)
    }

    fn list(&self, path: &[u8]) -> Vec<Vec<u8>> {
        (**self).list(path)
    }
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A folder.
    Folder,
    /// An ordinary file.
    File {
        /// Its size.
        bytes: u64,
        /// Whether it may be executed.
        is_program: bool,
    },
    /// The program itself under another name, by which it knows what to be.
    Itself,
}

struct Carried {
    /// The program's name, absolute.
    program: Vec<u8>,
    files: Box<dyn Packed>,
    /// Its times, device, owner and group, which all files in it share; asked for once.
    own: OnceLock<FileInfo>,
    /// Copies of what the system itself opens by name: libraries and programs. They stay until the node ends.
    for_system: Mutex<HashMap<Vec<u8>, OwnedFd>>,
}

static CARRIED: OnceLock<Carried> = OnceLock::new();

/// Shows these files below the program with this absolute name. The first call counts.
pub fn set(program: Vec<u8>, files: Box<dyn Packed>) {
    let _ = CARRIED.set(Carried {
        program,
        files,
        own: OnceLock::new(),
        for_system: Mutex::default(),
    });
}

/// What a file in memory is for.
#[derive(Clone, Copy)]
enum Purpose {
    Reading,
    Executing,
}

fn file_in_memory(purpose: Purpose) -> Result<OwnedFd> {
    let make = |flags| {
        let flags = flags | MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        rustix::fs::memfd_create("ferl packed file", flags)
    };
    let made = match purpose {
        Purpose::Reading => make(MemfdFlags::NOEXEC_SEAL),
        Purpose::Executing => make(MemfdFlags::EXEC),
    };
    // Linux before 6.3 knows neither flag. Where programs in memory are forbidden (`vm.memfd_noexec=2`), libraries may
    // still be loaded from there.
    let made = match made {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::ACCESS) => make(MemfdFlags::empty()),
        made => made,
    };
    Ok(made?)
}

/// Whether the system permits files in memory, without which nothing that is carried can be opened.
///
/// # Errors
/// What the system says.
pub fn is_permitted() -> Result<()> {
    file_in_memory(Purpose::Reading).map(drop)
}

/// A name below the program.
pub(super) struct Below {
    carried: &'static Carried,
    path: Vec<u8>,
}

/// The place that a name stands for, if it is below the program; `None` for all others, and for the program itself,
/// which is a file like others.
pub(super) fn below(name: &[u8]) -> Option<Below> {
    let carried = CARRIED.get()?;
    let end = name
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(name.len());
    let rest = name[..end]
        .strip_prefix(&*carried.program)?
        .strip_prefix(b"/")?;
    Some(Below {
        carried,
        path: plain(rest)?,
    })
}

/// A name by which the system, also in a child of this process, finds a copy of the file with this name: for libraries
/// and programs. `None` if the name is not below the program.
pub fn name_for_system(name: &[u8]) -> Option<Result<CString>> {
    Some(below(name)?.name_for_system())
}

/// A path without empty parts, `.` and `..`; `None` if it leads out.
fn plain(path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

impl Below {
    fn look(&self) -> Result<Found> {
        self.carried.files.look(&self.path).ok_or(Errno::ENOENT)
    }

    /// A copy of the file in memory, which can only be read.
    pub(super) fn open(&self, mode: OpenMode) -> Result<File> {
        if mode.write {
            return Err(Errno::EROFS);
        }
        match self.look()? {
            Found::Folder => return Err(Errno::EISDIR),
            Found::File { .. } | Found::Itself if mode.directory => return Err(Errno::ENOTDIR),
            Found::Itself => return File::open(&self.carried.program, mode),
            Found::File { .. } => {}
        }
        self.in_memory(Purpose::Reading).map(File::from_fd)
    }

    /// A descriptor of a copy in memory, sealed.
    fn in_memory(&self, purpose: Purpose) -> Result<OwnedFd> {
        let bytes = self.carried.files.read(&self.path)?;
        let file = File::from_fd(file_in_memory(purpose)?);
        file.write(&bytes)?;
        file.seek(SeekFrom::Start, 0)?;
        let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
        rustix::fs::fcntl_add_seals(&file, seals)?;
        Ok(file.into())
    }

    fn name_for_system(&self) -> Result<CString> {
        if self.look()? == Found::Itself {
            // Also in a child until it executes the program, and whatever has become of the file since the start.
            return Ok(c"/proc/self/exe".to_owned());
        }
        let mut copies = self
            .carried
            .for_system
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let number = match copies.get(&self.path) {
            Some(copy) => copy.as_raw_fd(),
            None => {
                let copy = self.in_memory(Purpose::Executing)?;
                let number = copy.as_raw_fd();
                copies.insert(self.path.clone(), copy);
                number
            }
        };
        // By the process's number, because a child has closed the descriptor before it executes the program.
        let name = format!("/proc/{}/fd/{number}", std::process::id());
        CString::new(name).map_err(|_| Errno::EINVAL)
    }

    pub(super) fn info(&self) -> Result<FileInfo> {
        let found = self.look()?;
        let own = match self.carried.own.get() {
            Some(own) => *own,
            None => {
                let own = super::info::of(&self.carried.program, super::info::Links::Follow)?;
                *self.carried.own.get_or_init(|| own)
            }
        };
        let (kind, size, mode) = match found {
            Found::Folder => (FileKind::Directory, 4096, 0o040_555),
            Found::File { bytes, is_program } => {
                let mode = if is_program { 0o100_555 } else { 0o100_444 };
                (FileKind::Regular, bytes, mode)
            }
            Found::Itself => (FileKind::Regular, own.size, 0o100_555),
        };
        let access = Access {
            read: true,
            write: false,
        };
        Ok(FileInfo {
            size,
            kind,
            access,
            mode,
            links: 1,
            inode: 0,
            ..own
        })
    }

    pub(super) fn list(&self) -> Result<Vec<Vec<u8>>> {
        match self.look()? {
            Found::Folder => Ok(self.carried.files.list(&self.path)),
            Found::File { .. } | Found::Itself => Err(Errno::ENOTDIR),
        }
    }

    /// Nothing there is a link.
    pub(super) fn read_link(&self) -> Result<Vec<u8>> {
        self.look()?;
        Err(Errno::EINVAL)
    }

    /// Whether it may be used so.
    pub(super) fn may(&self, kind: super::names::AccessKind) -> Result<()> {
        use super::names::AccessKind;
        match (kind, self.look()?) {
            (AccessKind::Write, _) => Err(Errno::EROFS),
            (
                AccessKind::Execute,
                Found::File {
                    is_program: false, ..
                },
            ) => Err(Errno::EACCES),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn paths_are_made_plain_and_never_lead_out() {
        let plain =
            |path: &str| plain(path.as_bytes()).map(|path| String::from_utf8(path).unwrap());
        for (path, made) in [
            ("lib/a", Some("lib/a")),
            ("./lib//a/.", Some("lib/a")),
            ("lib/../releases", Some("releases")),
            ("", Some("")),
            ("lib/..", Some("")),
            ("..", None),
            ("lib/../../etc", None),
        ] {
            assert_eq!(plain(path).as_deref(), made, "{path}");
        }
    }
}
